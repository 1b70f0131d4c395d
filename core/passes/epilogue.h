// Operators that run inside the kernel of a convolution or a matrix product: residual and activation.
#pragma once

#include <string>
#include <vector>

#include "core/passes/editor.h"

namespace gec {

struct Activation {
  std::string name;  // as FusedConv2D and FusedMatMulV2 call it
  float alpha = 0, beta = 0;
};
/// The activation that this float32 node computes of its input 0.
bool ActivationOf(const Node &node, Activation *out);

/// Grows along the only reader of a value while that reader can join the kernel.
struct Epilogue {
  Endpoint last;                     // the value the kernel delivers so far
  std::vector<const Node *> joined;  // nodes it stands for, the product included
  Endpoint residual;
  Activation activation;

  /// The node that alone reads `last`, and the port; null when there is none that may join.
  Node *Reader(const Editor &editor, int32_t *port) const;
  /// The reader adds a tensor of the same known shape.
  bool JoinResidual(const Editor &editor);
  /// The reader is an activation.
  bool JoinActivation(const Editor &editor);
  /// The reason why nothing joins, for people.
  Refusal WhyNothingJoins(const Editor &editor) const;
  void Join(Node *node) {
    joined.push_back(node);
    last = {node, 0};
  }
};

/// A constant with one value per channel, or a scalar, spread to `channels` values: its dimensions, aligned at the end
/// with those of a tensor of rank `rank`, are 1 except at `axis`.
bool PerChannel(Endpoint constant, int32_t rank, int32_t axis, int64_t channels, std::vector<float> *values);

}  // namespace gec
