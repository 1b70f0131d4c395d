// Code shared by LSTM and GRU: shapes, activations, projections and the walk over sequences. ONNX conventions.
// Arithmetic is in float32, for double inputs in double.
#pragma once

#include <array>
#include <cmath>
#include <string>

#include "common/node.h"

namespace reference {

// One gate activation with its parameters.
struct CellActivation {
  enum Kind {
    kSigmoid,
    kTanh,
    kRelu,
    kAffine,
    kLeakyRelu,
    kThresholdedRelu,
    kScaledTanh,
    kHardSigmoid,
    kElu,
    kSoftsign,
    kSoftplus
  };
  Kind kind = kSigmoid;
  float alpha = 0, beta = 0;
  template <class C>
  C operator()(C x) const;
};

// Sum of products in 16 lanes, so that the compiler can use vectors.
template <class C>
C Dot(const C *a, const C *b, int64_t n);

struct Cell {
  std::string label;
  int64_t steps = 0, batch = 0, input = 0, hidden = 0, directions = 1;
  int64_t gates = 4;                        // 4: LSTM, 3: GRU
  bool reverse_first = false;               // direction "reverse"
  float clip = 0;                           // 0: no clipping
  std::vector<CellActivation> activations;  // per direction as many as `per_direction`
  int per_direction = 3;
  bool with_lengths = false;

  bool reversed(int64_t direction) const { return reverse_first || direction == 1; }
  template <class C>
  C Clipped(C x) const {
    return clip > 0 ? std::fmin(std::fmax(x, C(-clip)), C(clip)) : x;
  }
};

// Reads and checks shapes and attributes. `defaults`: names of the activations of one direction.
Cell ReadCell(const Node &node, int64_t gates, std::initializer_list<const char *> defaults);

// An input as values of C, float or double: in place when it is of that type, else a copy in the workspace.
template <class C>
struct RealInput {
  int port = -1;
  int64_t count = 0;
  LoadFn<C> load = nullptr;
  bool native = false;
  uint64_t offset = 0;
  const C *Get(const Call &call) const;  // null when the input is absent
};
template <class C>
RealInput<C> AddRealInput(const Node &node, int port, int64_t expected, Kernel *kernel);

// out[direction, step, batch, gates * hidden] = x @ w^T for all steps.
template <class C>
void ProjectInputs(const Call &call, const Cell &cell, const C *x, const C *w, C *out);

// Steps of a sequence: its length when lengths are given.
int64_t LengthOf(const Call &call, const Cell &cell, int64_t batch);
void CheckLengths(const Call &call, const Cell &cell);

}  // namespace reference
