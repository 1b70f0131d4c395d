// What LSTM and GRU have in common: shapes, activations, projections and the walk over sequences. ONNX conventions.
#pragma once

#include <array>
#include <cmath>
#include <string>

#include "common/node.h"

namespace host_cpu {

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
  float operator()(float x) const;
};

// Sum of products in 16 lanes, so that the compiler can use vectors.
float Dot(const float *a, const float *b, int64_t n);

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
  float Clipped(float x) const { return clip > 0 ? std::fmin(std::fmax(x, -clip), clip) : x; }
};

// Reads and checks shapes and attributes. `defaults`: names of the activations of one direction.
Cell ReadCell(const Node &node, int64_t gates, std::initializer_list<const char *> defaults);

// An input as float32 values: in place when it is float32, else a copy in the workspace.
struct FloatInput {
  int port = -1;
  int64_t count = 0;
  LoadFn<float> load = nullptr;
  bool native = false;
  uint64_t offset = 0;
  const float *Get(const Call &call) const;  // null when the input is absent
};
FloatInput AddFloatInput(const Node &node, int port, int64_t expected, Kernel *kernel);

// out[direction, step, batch, gates * hidden] = x @ w^T for all steps.
void ProjectInputs(const Call &call, const Cell &cell, const float *x, const float *w, float *out);

// Steps of a sequence: its length when lengths are given.
int64_t LengthOf(const Call &call, const Cell &cell, int64_t batch);
void CheckLengths(const Call &call, const Cell &cell);

}  // namespace host_cpu
