// QuantizeLinear and DequantizeLinear between float32 and 8 bits, and DynamicQuantizeLinear.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

constexpr int64_t kPiece = 1024;  // elements whose scales differ, at a time

bool IsByte(int32_t type) { return type == C_DT_INT8 || type == C_DT_UINT8; }
bool IsQuantize(const GeOpDesc &op) { return std::strcmp(op.type, "QuantizeLinear") == 0; }
bool HasZero(const GeOpDesc &op) { return op.input_count > 2 && Present(op.inputs[2]); }

float ByteAt(const void *data, bool is_signed, int64_t i) {
  return is_signed ? static_cast<float>(static_cast<const int8_t *>(data)[i])
                   : static_cast<float>(static_cast<const uint8_t *>(data)[i]);
}

class LinearKernel final : public Kernel {
 public:
  LinearKernel(const GeOpDesc &op, bool open, const Table *table)
      : table_(table), quantizes_(IsQuantize(op)), has_zero_(HasZero(op)), open_(open) {
    const Dims x = DimsOf(op.inputs[0]);
    rank_ = x.size();
    scales_ = Count(DimsOf(op.inputs[1]));
    is_signed_ = (quantizes_ ? op.outputs[0] : op.inputs[0]).data_type == C_DT_INT8;
    if (has_zero_ && Count(DimsOf(op.inputs[2])) != scales_)
      Fail(GE_PARAM_INVALID, op.type, ": the number of zero points is not that of the scales, ", scales_);
    if (scales_ != 1) {
      axis_ = static_cast<size_t>(NormalAxis(GeOpAttrInt(&op, "axis", 1), static_cast<int64_t>(x.size())));
      if (open && x[axis_] < 0) Refuse("a scale for each slice of an open extent");
      if (scales_ != x[axis_])
        Fail(GE_PARAM_INVALID, op.type, ": ", scales_, " scales for ", x[axis_], " slices along the axis");
    }
    known_ = op.inputs[1].data != nullptr;
    if (known_) CheckScales(static_cast<const float *>(op.inputs[1].data));
    implementation = scales_ == 1 ? "one scale" : "a scale a slice";
    if (open) return;
    sizes_ = SizesOf(x.data());
    flops = 2.0 * static_cast<double>(sizes_.total);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const Sizes sizes = open_ ? SizesOf(args.input_dims[0]) : sizes_;
    const int64_t total = sizes.total, extent = sizes.extent, inner = sizes.inner;
    const auto *scales = static_cast<const float *>(args.inputs[1]);
    const void *zeros = has_zero_ ? args.inputs[2] : nullptr;
    if (!known_) CheckScales(scales);
    if (total == 0) return GE_SUCCESS;
    const auto one = [&](int64_t at, int64_t n, int64_t slice) {
      const float zero = zeros ? ByteAt(zeros, is_signed_, slice) : 0.0f;
      const size_t count = static_cast<size_t>(n);
      if (quantizes_)
        table_->quantize(static_cast<const float *>(args.inputs[0]) + at, Bytes(args.outputs[0], at), is_signed_, count,
                         scales[slice], zero);
      else
        table_->dequantize(Bytes(args.inputs[0], at), is_signed_, static_cast<float *>(args.outputs[0]) + at, count,
                           scales[slice], zero);
    };
    constexpr int64_t kGrain = 1 << 15;
    if (scales_ == 1) {
      Parallel(total, kGrain, [&](int64_t begin, int64_t end) { one(begin, end - begin, 0); });
    } else if (inner == 1) {
      Parallel(total / extent, std::max<int64_t>(1, kGrain / extent), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) Row(args, row * extent, extent, scales, zeros);
      });
    } else {
      Parallel(total / inner, std::max<int64_t>(1, kGrain / inner), [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) one(line * inner, inner, line % extent);
      });
    }
    return GE_SUCCESS;
  }

 private:
  struct Sizes {
    int64_t total = 0, extent = 1, inner = 1;  // along the axis, and behind it
  };
  Sizes SizesOf(const int64_t *x) const {
    if (scales_ == 1) return {Count(x, x + rank_), 1, 1};
    return {Count(x, x + rank_), x[axis_], Count(x + axis_ + 1, x + rank_)};
  }
  static const uint8_t *Bytes(const void *data, int64_t at) { return static_cast<const uint8_t *>(data) + at; }
  static uint8_t *Bytes(void *data, int64_t at) { return static_cast<uint8_t *>(data) + at; }

  // A scale for each element of a row.
  void Row(const GeKernelArgs &args, int64_t at, int64_t extent, const float *scales, const void *zeros) const {
    alignas(64) float values[kPiece];
    for (int64_t done = 0; done < extent; done += kPiece) {
      const int64_t n = std::min(kPiece, extent - done);
      const float *scale = scales + done;
      if (quantizes_) {
        const float *x = static_cast<const float *>(args.inputs[0]) + at + done;
        for (int64_t i = 0; i < n; ++i) values[i] = std::nearbyint(x[i] / scale[i]);
        for (int64_t i = 0; zeros && i < n; ++i) values[i] += ByteAt(zeros, is_signed_, done + i);
        table_->to_bytes(values, Bytes(args.outputs[0], at + done), is_signed_, static_cast<size_t>(n));
      } else {
        float *y = static_cast<float *>(args.outputs[0]) + at + done;
        table_->from_bytes(Bytes(args.inputs[0], at + done), is_signed_, values, static_cast<size_t>(n));
        for (int64_t i = 0; zeros && i < n; ++i) values[i] -= ByteAt(zeros, is_signed_, done + i);
        for (int64_t i = 0; i < n; ++i) y[i] = values[i] * scale[i];
      }
    }
  }

  void CheckScales(const float *scales) const {
    for (int64_t i = 0; i < scales_; ++i)
      if (!std::isfinite(scales[i]) || (quantizes_ && !(scales[i] > 0)))
        Fail(GE_PARAM_INVALID, "scale[", i, "] is ", scales[i], ", expected a ", quantizes_ ? "positive" : "finite",
             " number");
  }

  const Table *table_;
  bool quantizes_, has_zero_, is_signed_ = false, known_ = false;
  const bool open_;
  size_t rank_ = 0, axis_ = 0;
  int64_t scales_ = 1;
  Sizes sizes_;  // of a kernel for one size
};

// The range of x, then x in 8 bits. NaN in x is NaN in the scale.
class DynamicKernel final : public Kernel {
 public:
  DynamicKernel(const GeOpDesc &op, bool open, const Table *table)
      : table_(table), rank_(static_cast<size_t>(op.inputs[0].rank)), open_(open) {
    implementation = "range and bytes";
    sizes_workspace = open;
    if (open) return;
    total_ = Count(DimsOf(op.inputs[0]));
    Reserve(WorkspaceOf(total_));
    flops = 4.0 * static_cast<double>(total_);
  }

  uint64_t WorkspaceFor(const int64_t *const *input_dims, const int64_t *const *) const override {
    return WorkspaceOf(Count(input_dims[0], input_dims[0] + rank_));
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const auto *x = static_cast<const float *>(args.inputs[0]);
    auto *ranges = static_cast<float *>(args.workspace);
    const int64_t total = open_ ? Count(args.input_dims[0], args.input_dims[0] + rank_) : total_,
                  pieces = PiecesOf(total);
    Parallel(pieces, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const size_t n = static_cast<size_t>(std::min(kRangePiece, total - i * kRangePiece));
        ranges[2 * i] = table_->reduce(kMin, x + i * kRangePiece, n);
        ranges[2 * i + 1] = table_->reduce(kMax, x + i * kRangePiece, n);
      }
    });
    float low = 0, high = 0;
    for (int64_t i = 0; i < pieces; ++i) {
      const float least = ranges[2 * i], most = ranges[2 * i + 1];
      low = least < low || least != least ? least : low;
      high = most > high || most != most ? most : high;
    }
    const float scale = high == low ? 1.0f : (high - low) / 255.0f;
    const float zero = std::fmin(255.0f, std::fmax(0.0f, std::nearbyint(0 - low / scale)));
    Parallel(total, 1 << 15, [&](int64_t begin, int64_t end) {
      table_->quantize(x + begin, static_cast<uint8_t *>(args.outputs[0]) + begin, false,
                       static_cast<size_t>(end - begin), scale, zero);
    });
    if (args.outputs[1]) *static_cast<float *>(args.outputs[1]) = scale;
    if (args.outputs[2]) *static_cast<uint8_t *>(args.outputs[2]) = static_cast<uint8_t>(zero);
    return GE_SUCCESS;
  }

 private:
  static constexpr int64_t kRangePiece = 4096;  // 16 KiB: both reductions read it from L1
  static int64_t PiecesOf(int64_t total) { return (total + kRangePiece - 1) / kRangePiece; }
  static uint64_t WorkspaceOf(int64_t total) { return static_cast<uint64_t>(2 * PiecesOf(total)) * sizeof(float); }
  const Table *table_;
  const size_t rank_;
  const bool open_;
  int64_t total_ = 0;  // of a kernel for one size
};

bool IsDynamic(const GeOpDesc &op) { return std::strcmp(op.type, "DynamicQuantizeLinear") == 0; }

void Check(const GeOpDesc &op) {
  if (IsDynamic(op)) {
    RequireFloat(op.inputs[0], "x");
    return;
  }
  const bool quantizes = IsQuantize(op);
  const GeTensorData &values = quantizes ? op.inputs[0] : op.outputs[0];
  const GeTensorData &numbers = quantizes ? op.outputs[0] : op.inputs[0];
  RequireFloat(values, "the values");
  RequireFloat(op.inputs[1], "scale");
  if (!IsByte(numbers.data_type)) Refuse(DataTypeName(numbers.data_type), " is not supported");
  if (HasZero(op) && op.inputs[2].data_type != numbers.data_type) Refuse("zero_point has another data type");
  if (GeOpAttrInt(&op, "block_size", 0) != 0) Refuse("scales of blocks");
}

std::unique_ptr<Kernel> Make(const GeOpDesc &op, bool open, const Table *table) {
  if (IsDynamic(op)) return std::make_unique<DynamicKernel>(op, open, table);
  return std::make_unique<LinearKernel>(op, open, table);
}
std::unique_ptr<Kernel> Create(const GeOpDesc &op, const Table *table) { return Make(op, false, table); }
std::unique_ptr<Kernel> CreateOpen(const GeOpDesc &op, const GeOpenExtents &, const Table *table) {
  return Make(op, true, table);
}

}  // namespace

const Family &QuantizeFamily() {
  static const Family family = {&Check, &Create, &CreateOpen};
  return family;
}

}  // namespace vec
