// The second matrix of a product in panels, which tiles read.
#include <algorithm>
#include <cstring>

#include "matmul_kernels.h"

namespace onednn {

int64_t ProductKernel::Distinct(const Dims &steps, const Dims &batch) {
  int64_t n = 1;
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i]) n *= batch[i];
  return n;
}

void ProductKernel::PackPanels(const float *b, float *to, int64_t begin, int64_t end) const {
  const int64_t nr = kernels_.columns, panels = Panels();
  for (int64_t i = begin; i < end; ++i) {
    int64_t column = i % panels * nr, n = std::min(nr, s_.n - column);
    const float *matrix = b + i / panels * s_.k * s_.n;
    float *panel = to + i * s_.k * nr;
    if (s_.adj2) {
      kernels_.transpose(n, s_.k, matrix + column * s_.k, s_.k, panel, nr);
      continue;
    }
    for (int64_t p = 0; p < s_.k; ++p) {
      memcpy(panel + p * nr, matrix + p * s_.n + column, n * sizeof(float));
      for (int64_t j = n; j < nr; ++j) panel[p * nr + j] = 0;
    }
  }
}

const float *ProductKernel::ConstantPanels(const float *b) const {
  const std::string key = Text("onednn:panels:", kernels_.columns, ":", s_.k, "x", s_.n, s_.adj2 ? "t" : "");
  const int64_t count = Distinct(s_.step2, s_.batch) * Panels();
  return static_cast<const float *>(Packed(*env_, b, key, PanelBytes(), [&](const void *from, void *out) {
    ge::kit::Parallel(*env_, count, 1 + 100000 / (s_.k * kernels_.columns), [&](int64_t begin, int64_t end) {
      PackPanels(static_cast<const float *>(from), static_cast<float *>(out), begin, end);
    });
  }));
}

}  // namespace onednn
