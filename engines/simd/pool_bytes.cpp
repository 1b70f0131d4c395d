// Maximum pooling of 8-bit integers, channels first or last.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernel.h"

namespace vec {
namespace {

struct Pool {
  bool last = false;  // channels
  int64_t n = 0, c = 0, in_h = 0, in_w = 0, out_h = 0, out_w = 0;
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, top = 0, left = 0;
};

bool Is8Bits(int32_t type) { return type == C_DT_INT8 || type == C_DT_UINT8; }

std::vector<int64_t> Four(const GeOpDesc &op, const char *name) {
  size_t count = 0;
  const int64_t *values = GeOpAttrInts(&op, name, &count);
  if (count != 4) Refuse(std::string(name) + " has " + std::to_string(count) + " values, expected 4");
  return {values, values + count};
}

bool ChannelsLast(const GeOpDesc &op) {
  const int32_t format = op.inputs[0].format;
  if (!ge::kit::IsPlain(format)) Refuse("a blocked format is not supported");
  return std::strcmp(GeOpAttrString(&op, "data_format", format == C_FORMAT_NHWC ? "NHWC" : "NCHW"), "NHWC") == 0;
}

Pool ReadWindows(const GeOpDesc &op) {
  Pool p;
  p.last = ChannelsLast(op);
  const std::vector<int64_t> kernel = Four(op, "ksize"), stride = Four(op, "strides");
  const size_t h = p.last ? 1 : 2, channel = p.last ? 3 : 1;
  if (kernel[0] != 1 || kernel[channel] != 1) Refuse("windows over batch or channels are not supported");
  p.kernel_h = kernel[h], p.kernel_w = kernel[h + 1], p.stride_h = stride[h], p.stride_w = stride[h + 1];
  if (std::min({p.kernel_h, p.kernel_w, p.stride_h, p.stride_w}) < 1) Refuse("ksize and strides must be positive");
  if (std::strcmp(GeOpAttrString(&op, "padding_mode", "CALCULATED"), "CALCULATED") != 0 ||
      GeOpAttrInt(&op, "global_pooling", 0) != 0)
    Refuse("padding_mode and global_pooling are not supported");
  if (GeOpAttr(&op, "pads")) {
    const std::vector<int64_t> pads = Four(op, "pads");
    if (*std::min_element(pads.begin(), pads.end()) < 0) Refuse("negative pads are not supported");
    p.top = pads[0], p.left = pads[2];
  }
  return p;
}

Pool ReadPool(const GeOpDesc &op) {
  Pool p = ReadWindows(op);
  const Dims x = DimsOf(op.inputs[0]), y = DimsOf(op.outputs[0]);
  if (x.size() != 4 || y.size() != 4) Refuse("ranks other than 4 are not supported");
  const size_t h = p.last ? 1 : 2, channel = p.last ? 3 : 1;
  p.n = x[0], p.c = x[channel], p.in_h = x[h], p.in_w = x[h + 1], p.out_h = y[h], p.out_w = y[h + 1];
  if (y[0] != p.n || y[channel] != p.c) Refuse("batch or channels of x and y differ");
  return p;
}

// Positions of a window that lie inside: from `first`, `count` of them.
struct Span {
  int64_t first, count;
};
Span Inside(int64_t start, int64_t kernel, int64_t extent) {
  const int64_t first = std::max<int64_t>(start, 0), end = std::min(start + kernel, extent);
  return {first, std::max<int64_t>(end - first, 0)};
}

template <class T>
void TakeMax(T *__restrict to, const T *__restrict from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = std::max(to[i], from[i]);
}

template <class T>
class PoolKernel final : public Kernel {
 public:
  explicit PoolKernel(const Pool &pool) : p_(pool) {
    implementation = "bytes";
    flops = double(p_.n * p_.c * p_.out_h * p_.out_w) * double(p_.kernel_h * p_.kernel_w);
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    const T *x = static_cast<const T *>(args.inputs[0]);
    T *y = static_cast<T *>(args.outputs[0]);
    const int64_t rows = p_.n * (p_.last ? 1 : p_.c) * p_.out_h;
    const int64_t work = p_.kernel_h * p_.kernel_w * p_.out_w * (p_.last ? p_.c : 1) + 1;
    Parallel(rows, std::max<int64_t>(1, (1 << 18) / work), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const Span h = Inside(row % p_.out_h * p_.stride_h - p_.top, p_.kernel_h, p_.in_h);
        const int64_t plane = row / p_.out_h;
        if (p_.last) LastRow(x + (plane * p_.in_h + h.first) * p_.in_w * p_.c, h.count, y + row * p_.out_w * p_.c);
        else FirstRow(x + (plane * p_.in_h + h.first) * p_.in_w, h.count, y + row * p_.out_w);
      }
    });
    return GE_SUCCESS;
  }

 private:
  static constexpr T kLowest = std::numeric_limits<T>::lowest();

  // A row of pixels whose channels lie together.
  void LastRow(const T *x, int64_t rows, T *y) const {
    for (int64_t ow = 0; ow < p_.out_w; ++ow, y += p_.c) {
      const Span w = Inside(ow * p_.stride_w - p_.left, p_.kernel_w, p_.in_w);
      std::fill(y, y + p_.c, kLowest);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < w.count; ++j) TakeMax(y, x + (i * p_.in_w + w.first + j) * p_.c, p_.c);
    }
  }

  // A row of one channel: first down the columns, a part of the row at a time, then along it.
  void FirstRow(const T *x, int64_t rows, T *y) const {
    constexpr int64_t kPart = 1024;
    T highest[kPart];
    for (int64_t first = 0; first < p_.out_w;) {
      const int64_t from = std::clamp<int64_t>(first * p_.stride_w - p_.left, 0, p_.in_w);
      // As many outputs as see no more columns than there is room for.
      int64_t count = std::max<int64_t>(1, (kPart - p_.kernel_w) / p_.stride_w);
      count = std::min(count, p_.out_w - first);
      if (p_.kernel_w > kPart) {  // a window wider than that: column by column
        y[first] = Widest(x, rows, Inside(first * p_.stride_w - p_.left, p_.kernel_w, p_.in_w));
        ++first;
        continue;
      }
      const int64_t end = std::clamp<int64_t>((first + count - 1) * p_.stride_w - p_.left + p_.kernel_w, from, p_.in_w);
      std::fill(highest, highest + (end - from), kLowest);
      for (int64_t i = 0; i < rows; ++i) TakeMax(highest, x + i * p_.in_w + from, end - from);
      for (int64_t ow = first; ow < first + count; ++ow) {
        const Span w = Inside(ow * p_.stride_w - p_.left, p_.kernel_w, p_.in_w);
        T value = kLowest;
        for (int64_t j = 0; j < w.count; ++j) value = std::max(value, highest[w.first + j - from]);
        y[ow] = value;
      }
      first += count;
    }
  }
  T Widest(const T *x, int64_t rows, Span w) const {
    T value = kLowest;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < w.count; ++j) value = std::max(value, x[i * p_.in_w + w.first + j]);
    return value;
  }

  Pool p_;
};

void CheckPool(const GeOpDesc &op) {
  if (!Is8Bits(op.inputs[0].data_type)) Refuse(DataTypeName(op.inputs[0].data_type), " is not supported");
  if (Present(op.outputs[0]) && op.outputs[0].data_type != op.inputs[0].data_type) Refuse("the data type changes");
  (void)ReadWindows(op);
}

}  // namespace

const Family &PoolBytesFamily() {
  static const Family family = {&CheckPool, [](const GeOpDesc &op, const Table *) -> std::unique_ptr<Kernel> {
                                  const Pool pool = ReadPool(op);
                                  if (op.inputs[0].data_type == C_DT_INT8)
                                    return std::make_unique<PoolKernel<int8_t>>(pool);
                                  return std::make_unique<PoolKernel<uint8_t>>(pool);
                                }};
  return family;
}

}  // namespace vec
