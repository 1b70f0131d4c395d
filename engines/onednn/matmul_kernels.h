// The ways to compute a matrix product; matmul.cpp chooses.
#pragma once

#include "matmul.h"

namespace onednn {

// Up to this many rows a product is bound by reading the second matrix: it is read once, as it is.
constexpr int64_t kFewRows = 3;
// Values of a constant matrix from which on two and three rows are, too, with AVX2.
constexpr int64_t kStreamedMatrix = 1500 * 1000;
// Up to this many rows that is still better than packing a matrix that is not constant.
constexpr int64_t kSkinnyRows = 8;
// Up to this many rows a large constant matrix is bound by memory as well, for requests of a batch and tokens that are
// guessed ahead: tiles ask for its panels in time.
constexpr int64_t kPanelRows = 16;
// From here on a product with a constant second matrix is worth the library's call and its packed form.
constexpr double kLibraryMacs = 2e6;
// And from here on, with AVX-512 and several threads, the own tiles are ahead again: the next panel is fetched in time
// and the activation finds its values in the cache.
constexpr double kTiledMacs = 3e7;

std::unique_ptr<Kernel> CreateSkinny(const Context &context, const MatMulSpec &spec);
// Of so few columns that lanes had better be rows, with rows for all of them; not in bf16.
bool IsNarrow(const Context &context, const MatMulSpec &spec);
std::unique_ptr<Kernel> CreateNarrow(const Context &context, const MatMulSpec &spec);
std::unique_ptr<Kernel> CreateTiled(const Context &context, const MatMulSpec &spec);
// In bf16, of an even depth; a residual only with y of float32.
std::unique_ptr<Kernel> CreateTiledBf16(const Context &context, const MatMulSpec &spec);
std::unique_ptr<Kernel> CreateInnerProduct(const Context &context, const MatMulSpec &spec);

// Code that the own kernels share: which matrices belong to result matrix i, and what finishes the result.
class ProductKernel : public Kernel {
 protected:
  ProductKernel(const Context &context, const MatMulSpec &spec)
      : s_(spec), env_(context.env), kernels_(KernelsFor(context.features)) {}
  struct Offsets {
    int64_t a, b;
  };
  Offsets OffsetsOf(int64_t matrix) const {
    Offsets o{0, 0};
    for (size_t i = s_.batch.size(); i-- > 0;) {
      int64_t at = matrix % s_.batch[i];
      matrix /= s_.batch[i];
      o.a += at * s_.step1[i], o.b += at * s_.step2[i];
    }
    return o;
  }
  // Finishes rows [row, row + m), columns [column, column + n) of result matrix `matrix`, which `c` points at.
  void FinishPart(const GeKernelArgs &args, int64_t matrix, int64_t row, int64_t column, int64_t m, int64_t n, float *c,
                  int64_t stride) const;

  // The second matrix as panels: as many columns as a tile is wide, row after row, zeros beyond the last column. One
  // form for any number of rows, so that a constant is packed once.
  int64_t Panels() const { return (s_.n + kernels_.columns - 1) / kernels_.columns; }
  static int64_t Distinct(const Dims &steps, const Dims &batch);
  uint64_t PanelBytes() const {
    return uint64_t(Distinct(s_.step2, s_.batch) * Panels() * s_.k * kernels_.columns) * sizeof(float);
  }
  // Panels [begin, end), counted over all matrices.
  void PackPanels(const float *b, float *to, int64_t begin, int64_t end) const;
  const float *ConstantPanels(const float *b) const;

  MatMulSpec s_;
  const GeKernelEnv *env_;
  const KernelSet &kernels_;
};

}  // namespace onednn
