// Convolutions and products of one graph that read bf16 (option precision bf16).
//
// First each one on its own: weights become constants of bf16, x goes through a Cast, the result stays float32. Then
// results that are only rounded again for the next one become bf16 themselves, and a Cast in front of a reader that
// wants float32 takes the place of the other: of a chain of convolutions nothing in between is float32.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/passes/conv.h"
#include "core/passes/editor.h"
#include "core/passes/product.h"

namespace gec {

class Bf16Nodes {
 public:
  explicit Bf16Nodes(Editor &editor) : editor_(editor) {}

  /// Puts a node in bf16 in the place of the product, whose scale goes into its weights. A reason where it cannot be;
  /// nothing is changed then.
  std::string Product(const gec::Product &p, const TensorPtr &weights);
  /// The same for a convolution of images.
  std::string Conv(const ConvSite &site, const TensorPtr &filter);
  /// Of a depthwise convolution: nothing but a convolution in bf16 makes its x. Alone it gains nothing.
  bool FollowsBf16(const ConvSite &site) const;
  /// Results of nodes made so far that are rounded for the next one become bf16.
  void Narrow();

 private:
  using Key = std::pair<uint32_t, int32_t>;  // of an endpoint
  static Key KeyOf(Endpoint e) { return {e.node->id(), e.port}; }

  std::string Put(const char *type, const Node &node, std::vector<Endpoint> inputs, std::vector<Editor::Attr> attrs,
                  const TensorPtr &weights, double scale);
  Endpoint Converted(Endpoint value, int32_t type);
  void NarrowNode(Node *node);
  bool WorksWith(Node *node, int32_t type) const;

  Editor &editor_;
  std::vector<Node *> made_;
  std::map<Key, Endpoint> rounded_;  // what a Cast made of a float32 value
  std::map<Key, Endpoint> widened_;  // what a Cast made of a bf16 value
  std::map<Key, Endpoint> exact_;    // the bf16 value that a Cast to float32 reads
  std::map<std::pair<const Buffer *, double>, std::pair<std::weak_ptr<Buffer>, Endpoint>> weights_;  // by source
};

}  // namespace gec
