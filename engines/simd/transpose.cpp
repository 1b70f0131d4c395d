// Transposition, and blocks of pixels that become channels and back, which is one of a tensor with the block's extents
// as dimensions. For one size or all.
#include <algorithm>
#include <cstring>
#include <string>

#include "kernel.h"

namespace vec {
namespace {

constexpr size_t kMaxRank = 8;

/// The tensor that is transposed, in terms of x.
struct Form {
  enum Kind { kPlain, kSpaceLast, kSpaceFirst, kDepthLast, kDepthFirst } kind = kPlain;
  bool channels_outside = false;  // of the block, where channels become pixels
  int64_t block = 1;
};

/// The extents of that tensor; returns how many.
size_t Expanded(const Form &form, const int64_t *x, size_t rank, int64_t *dims) {
  const int64_t b = form.block;
  const auto put = [&](std::initializer_list<int64_t> values) {
    std::copy(values.begin(), values.end(), dims);
    return values.size();
  };
  switch (form.kind) {
    case Form::kPlain:
      std::copy_n(x, rank, dims);
      return rank;
    case Form::kSpaceLast:  // n, rows, columns, channels
      return form.channels_outside ? put({x[0], x[1], x[2], x[3] / (b * b), b, b})
                                   : put({x[0], x[1], x[2], b, b, x[3] / (b * b)});
    case Form::kSpaceFirst:
      return form.channels_outside ? put({x[0], x[1] / (b * b), b, b, x[2], x[3]})
                                   : put({x[0], b, b, x[1] / (b * b), x[2], x[3]});
    case Form::kDepthLast:
      return put({x[0], x[1] / b, b, x[2] / b, b, x[3]});
    case Form::kDepthFirst:
      return put({x[0], x[1], x[2] / b, b, x[3] / b, b});
  }
  return 0;
}

std::vector<int64_t> PermutationOf(const Form &form) {
  switch (form.kind) {
    case Form::kSpaceLast:
      return form.channels_outside ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 1, 3, 2, 4, 5};
    case Form::kSpaceFirst:
      return form.channels_outside ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2};
    case Form::kDepthLast:
      return {0, 1, 3, 2, 4, 5};
    case Form::kDepthFirst:
      return {0, 3, 5, 1, 2, 4};
    case Form::kPlain:
      break;
  }
  return {};
}

class TransposeKernel : public Kernel {
 public:
  TransposeKernel(const GeOpDesc &op, const std::vector<int64_t> &perm, const Form &form, bool open, const Table *table)
      : table_(table), bytes_(ElementBytes(op.inputs[0].data_type)), perm_(perm), form_(form), open_(open) {
    implementation = form.kind == Form::kPlain                                         ? "transpose"
                     : form.kind == Form::kSpaceLast || form.kind == Form::kSpaceFirst ? "depth to space"
                                                                                       : "space to depth";
    rank_ = static_cast<size_t>(op.inputs[0].rank);
    if (!open) walk_ = WalkOf(op.inputs[0].dims);
  }

  static std::vector<int64_t> Permutation(const GeOpDesc &op) {
    std::vector<int64_t> perm;
    if (std::strcmp(op.type, "TransposeD") == 0) {
      size_t count = 0;
      const int64_t *values = GeOpAttrInts(&op, "perm", &count);
      perm.assign(values, values + count);
    } else {
      perm = ConstantInts(op.inputs[1], "perm");
    }
    size_t rank = static_cast<size_t>(op.inputs[0].rank);
    std::vector<bool> seen(rank, false);
    if (perm.size() != rank)
      Refuse("perm has " + std::to_string(perm.size()) + " values, expected " + std::to_string(rank));
    for (int64_t &axis : perm) {
      axis = NormalAxis(axis, static_cast<int64_t>(rank));
      if (seen[static_cast<size_t>(axis)]) Refuse("perm names axis " + std::to_string(axis) + " twice");
      seen[static_cast<size_t>(axis)] = true;
    }
    return perm;
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (open_) Run(args, WalkOf(args.input_dims[0]));
    else Run(args, walk_);
    return GE_SUCCESS;
  }

 private:
  /// Output dimensions with neighbours merged where the input is contiguous across them.
  struct Walk {
    size_t rank = 0;
    int64_t dims[kMaxRank], strides[kMaxRank], out_strides[kMaxRank];
    /// The one along which the input is contiguous: rows and columns of the innermost 2-D transposition.
    size_t column = 0;
    int64_t total = 1;
    int64_t step() const { return strides[rank - 1]; }
  };
  Walk WalkOf(const int64_t *x) const {
    int64_t dims[kMaxRank] = {}, in_strides[kMaxRank] = {};
    const size_t rank = Expanded(form_, x, rank_, dims);
    Walk w;
    int64_t stride = 1;
    for (size_t i = rank; i-- > 0; stride *= dims[i]) in_strides[i] = stride;
    w.total = stride;
    for (size_t i = 0; i < rank; ++i) {
      const size_t axis = static_cast<size_t>(perm_[i]);
      if (dims[axis] == 1) continue;
      if (w.rank > 0 && w.step() == in_strides[axis] * dims[axis]) {
        w.dims[w.rank - 1] *= dims[axis];
        w.strides[w.rank - 1] = in_strides[axis];
      } else {
        w.dims[w.rank] = dims[axis];
        w.strides[w.rank++] = in_strides[axis];
      }
    }
    if (w.rank == 0) w.dims[0] = w.strides[0] = 1, w.rank = 1;
    w.column = w.rank;
    for (size_t i = 0; i < w.rank; ++i)
      if (w.strides[i] == 1) w.column = i;
    stride = 1;
    for (size_t i = w.rank; i-- > 0; stride *= w.dims[i]) w.out_strides[i] = stride;
    return w;
  }

  void Run(const GeKernelArgs &args, const Walk &w) const {
    if (w.total == 0) return;
    auto *src = static_cast<const char *>(args.inputs[0]);
    auto *dst = static_cast<char *>(args.outputs[0]);
    const size_t last = w.rank - 1;
    if (w.column == last) {  // innermost dimension stays: rows of contiguous elements
      int64_t run = w.dims[last], rows = w.total / run;
      Parallel(rows, std::max<int64_t>(1, 32768 / (run * bytes_)), [&](int64_t begin, int64_t end) {
        int64_t index[kMaxRank] = {}, at = 0, rest = begin;
        for (size_t k = last; k-- > 0; rest /= w.dims[k]) {
          index[k] = rest % w.dims[k];
          at += index[k] * w.strides[k];
        }
        for (int64_t r = begin; r < end; ++r) {
          std::memcpy(dst + r * run * bytes_, src + at * bytes_, static_cast<size_t>(run * bytes_));
          for (size_t k = last; k-- > 0;) {
            at += w.strides[k];
            if (++index[k] < w.dims[k]) break;
            at -= w.strides[k] * w.dims[k];
            index[k] = 0;
          }
        }
      });
      return;
    }
    // Batches of 2-D transpositions between dimension w.column (contiguous in the input) and the last one.
    int64_t rows = w.dims[last], cols = w.dims[w.column];
    int64_t batches = w.total / (rows * cols);
    constexpr int64_t kBlock = 64;
    int64_t strips = (cols + kBlock - 1) / kBlock;
    Parallel(batches * strips, std::max<int64_t>(1, 8192 / (rows * std::min(cols, kBlock))),
             [&](int64_t begin, int64_t end) {
               int64_t index[kMaxRank] = {}, in_at = 0, out_at = 0, rest = begin / strips, strip = begin % strips;
               for (size_t k = last; k-- > 0;) {
                 if (k == w.column) continue;
                 index[k] = rest % w.dims[k];
                 rest /= w.dims[k];
                 in_at += index[k] * w.strides[k];
                 out_at += index[k] * w.out_strides[k];
               }
               for (int64_t job = begin; job < end; ++job) {
                 int64_t first = strip * kBlock, width = std::min(kBlock, cols - first);
                 Block(src + (in_at + first) * bytes_, dst + (out_at + first * w.out_strides[w.column]) * bytes_, rows,
                       width, w);
                 if (++strip < strips) continue;
                 strip = 0;
                 for (size_t k = last; k-- > 0;) {
                   if (k == w.column) continue;
                   in_at += w.strides[k], out_at += w.out_strides[k];
                   if (++index[k] < w.dims[k]) break;
                   in_at -= w.strides[k] * w.dims[k], out_at -= w.out_strides[k] * w.dims[k];
                   index[k] = 0;
                 }
               }
             });
  }

  template <class T>
  void Plain(const char *src, char *dst, int64_t rows, int64_t cols, const Walk &w) const {
    auto *s = reinterpret_cast<const T *>(src);
    auto *d = reinterpret_cast<T *>(dst);
    int64_t step = w.step(), out_step = w.out_strides[w.column];
    for (int64_t c = 0; c < cols; ++c)
      for (int64_t r = 0; r < rows; ++r) d[c * out_step + r] = s[r * step + c];
  }
  /// Of two columns, which are dense: every second value into one row, the others into another.
  static void Pairs(const uint32_t *src, int64_t rows, uint32_t *even, uint32_t *odd) {
#pragma GCC ivdep
    for (int64_t r = 0; r < rows; ++r) even[r] = src[2 * r], odd[r] = src[2 * r + 1];
  }
  void Block(const char *src, char *dst, int64_t rows, int64_t cols, const Walk &w) const {
    if (bytes_ == 4) {
      auto *s = reinterpret_cast<const uint32_t *>(src);
      auto *d = reinterpret_cast<uint32_t *>(dst);
      if (cols == 2 && w.step() == 2) return Pairs(s, rows, d, d + w.out_strides[w.column]);
      size_t step = static_cast<size_t>(w.step()), out_step = static_cast<size_t>(w.out_strides[w.column]);
      constexpr int64_t kRows = 64;  // keeps a block of both sides in L1
      for (int64_t r = 0; r < rows; r += kRows)
        table_->transpose4(s + r * static_cast<int64_t>(step), step, d + r, out_step,
                           static_cast<size_t>(std::min(kRows, rows - r)), static_cast<size_t>(cols));
    } else if (bytes_ == 8) {
      Plain<uint64_t>(src, dst, rows, cols, w);
    } else if (bytes_ == 2) {
      Plain<uint16_t>(src, dst, rows, cols, w);
    } else {
      Bytes(reinterpret_cast<const uint8_t *>(src), reinterpret_cast<uint8_t *>(dst), rows, cols, w);
    }
  }
  // Squares of 8 x 8 bytes in eight words, what is left byte by byte.
  void Bytes(const uint8_t *src, uint8_t *dst, int64_t rows, int64_t cols, const Walk &w) const {
    const int64_t step = w.step(), out_step = w.out_strides[w.column];
    const int64_t square_rows = rows / 8 * 8, square_cols = cols / 8 * 8;
    for (int64_t r = 0; r < square_rows; r += 8)
      for (int64_t c = 0; c < square_cols; c += 8) Square(src + r * step + c, step, dst + c * out_step + r, out_step);
    for (int64_t c = 0; c < cols; ++c)
      for (int64_t r = c < square_cols ? square_rows : 0; r < rows; ++r) dst[c * out_step + r] = src[r * step + c];
  }
  // Halves, quarters and eighths of the square change places in turn.
  static void Square(const uint8_t *src, int64_t step, uint8_t *dst, int64_t out_step) {
    uint64_t w[8];
    for (int i = 0; i < 8; ++i) std::memcpy(&w[i], src + i * step, 8);
    const auto swap = [&w](int distance, uint64_t mask) {
      for (int i = 0; i < 8; ++i) {
        if (i & distance) continue;
        const int shift = 8 * distance;
        const uint64_t other = ((w[i] >> shift) ^ w[i + distance]) & mask;
        w[i + distance] ^= other;
        w[i] ^= other << shift;
      }
    };
    swap(4, 0x00000000ffffffffu);
    swap(2, 0x0000ffff0000ffffu);
    swap(1, 0x00ff00ff00ff00ffu);
    for (int i = 0; i < 8; ++i) std::memcpy(dst + i * out_step, &w[i], 8);
  }
  const Table *table_;
  const int64_t bytes_;
  const std::vector<int64_t> perm_;
  const Form form_;
  const bool open_;
  size_t rank_ = 0;
  Walk walk_;  // of a kernel for one size
};

void CheckTranspose(const GeOpDesc &op) {
  NeedMovable(op.inputs[0]);
  (void)TransposeKernel::Permutation(op);
}
std::unique_ptr<Kernel> CreateTranspose(const GeOpDesc &op, const Table *table) {
  return std::make_unique<TransposeKernel>(op, TransposeKernel::Permutation(op), Form{}, false, table);
}
std::unique_ptr<Kernel> CreateOpenTranspose(const GeOpDesc &op, const GeOpenExtents &, const Table *table) {
  return std::make_unique<TransposeKernel>(op, TransposeKernel::Permutation(op), Form{}, true, table);
}

// ---- blocks of pixels and channels ----

Form FormOf(const GeOpDesc &op) {
  Form form;
  const bool to_space = std::strcmp(op.type, "DepthToSpace") == 0;
  const bool last = std::strcmp(GeOpAttrString(&op, "data_format", "NHWC"), "NHWC") == 0;
  form.kind = to_space ? (last ? Form::kSpaceLast : Form::kSpaceFirst) : last ? Form::kDepthLast : Form::kDepthFirst;
  form.channels_outside = to_space && std::strcmp(GeOpAttrString(&op, "mode", "DCR"), "CRD") == 0;
  form.block = GeOpAttrInt(&op, "block_size", 1);
  return form;
}

std::unique_ptr<Kernel> CreateBlocks(const GeOpDesc &op, const Table *table) {
  const Dims x = DimsOf(op.inputs[0]), y = DimsOf(op.outputs[0]);
  const Form form = FormOf(op);
  const bool to_space = form.kind == Form::kSpaceLast || form.kind == Form::kSpaceFirst;
  const bool last = form.kind == Form::kSpaceLast || form.kind == Form::kDepthLast;
  const Dims &space = to_space ? y : x, &depth = to_space ? x : y;
  const size_t h = last ? 1 : 2, c = last ? 3 : 1;
  const int64_t b = form.block;
  const auto times = [](int64_t v, int64_t by) {
    int64_t product;
    return __builtin_mul_overflow(v, by, &product) ? -1 : product;
  };
  if (x.size() != 4 || y.size() != 4 || b < 1 || space[0] != depth[0] || space[h] != times(depth[h], b) ||
      space[h + 1] != times(depth[h + 1], b) || depth[c] != times(times(space[c], b), b))
    Refuse("block_size " + std::to_string(b) + " does not take x's shape to y's");
  return std::make_unique<TransposeKernel>(op, PermutationOf(form), form, false, table);
}

/// Channels that are known, and whole blocks of them; inference says the same of pixels.
std::unique_ptr<Kernel> CreateOpenBlocks(const GeOpDesc &op, const GeOpenExtents &, const Table *table) {
  const Form form = FormOf(op);
  const bool to_space = form.kind == Form::kSpaceLast || form.kind == Form::kSpaceFirst;
  if (op.inputs[0].rank != 4 || op.outputs[0].rank != 4 || form.block < 1 || form.block > 1024) Refuse("no image");
  const int64_t channels = op.inputs[0].dims[form.kind == Form::kSpaceLast || form.kind == Form::kDepthLast ? 3 : 1];
  if (!to_space || channels < 0 || channels % (form.block * form.block) != 0)
    Refuse("pixels that become channels have a kernel for each size");
  return std::make_unique<TransposeKernel>(op, PermutationOf(form), form, true, table);
}

void CheckBlocks(const GeOpDesc &op) {
  NeedMovable(op.inputs[0]);
  ge::kit::RequirePlain(op.inputs[0], "x");
  const std::string mode = GeOpAttrString(&op, "mode", "DCR"), format = GeOpAttrString(&op, "data_format", "NHWC");
  if (mode != "DCR" && mode != "CRD") Refuse("mode " + mode + " is unknown, expected DCR or CRD");
  if (format != "NHWC" && format != "NCHW") Refuse("data_format " + format + " is not supported");
}

}  // namespace

const Family &TransposeFamily() {
  static const Family family = {&CheckTranspose, &CreateTranspose, &CreateOpenTranspose};
  return family;
}
const Family &BlocksFamily() {
  static const Family family = {&CheckBlocks, &CreateBlocks, &CreateOpenBlocks};
  return family;
}

}  // namespace vec
