// Operators that only move elements and are a set of strided block copies.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {

void NeedMovable(const GeTensorData &t) {
  const int64_t bytes = ElementBytes(t.data_type);
  const bool moves = (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && t.data_type != C_DT_RESOURCE;
  if (!moves) Refuse(DataTypeName(t.data_type), " is not supported");
  if (t.rank < 0) Refuse("rank is unknown");
}

int64_t AxisInput(const GeOpDesc &op, size_t port, size_t rank, const char *what) {
  std::vector<int64_t> axis = ConstantInts(op.inputs[port], what);
  if (axis.size() != 1) Refuse(std::string(what) + " is not one value");
  // Blocked feature maps: the axis counts the dimensions of NCHW.
  if (op.outputs[0].format == C_FORMAT_NC1HWC0 && rank == 5) rank = 4;
  return NormalAxis(axis[0], static_cast<int64_t>(rank));
}

namespace {

// ---- strided block copies ----

// One region: dst[i] = src[i] over dims, with strides in bytes; the last dimension is copied as runs.
struct Region {
  static constexpr size_t kMostRank = 16;  // repetitions have two dimensions for each of a tensor
  int32_t input = 0, output = 0;
  int64_t src_offset = 0, dst_offset = 0;
  size_t rank = 0;
  int64_t dims[kMostRank], src_strides[kMostRank], dst_strides[kMostRank];
  int64_t run = 0;  // bytes
  bool empty = false;

  int64_t rows() const { return Count(dims, dims + rank - 1); }
};

// Of extents, and offsets and strides in elements.
Region RegionOf(size_t n, const int64_t *dims, int64_t src_offset, const int64_t *src_strides, int64_t dst_offset,
                const int64_t *dst_strides, int64_t bytes) {
  Region r;
  r.src_offset = src_offset * bytes;
  r.dst_offset = dst_offset * bytes;
  r.run = bytes;
  r.empty = Count(dims, dims + n) == 0;
  // Trailing dimensions that are dense on both sides become one run.
  while (n > 0 && (dims[n - 1] == 1 || (src_strides[n - 1] * bytes == r.run && dst_strides[n - 1] * bytes == r.run))) {
    r.run *= dims[n - 1];
    --n;
  }
  for (size_t i = 0; i < n; ++i) {
    if (dims[i] == 1) continue;
    r.dims[r.rank] = dims[i];
    r.src_strides[r.rank] = src_strides[i] * bytes;
    r.dst_strides[r.rank++] = dst_strides[i] * bytes;
  }
  return r;
}

void Append(std::vector<Region> *regions, int32_t input, int32_t output, const Dims &dims, int64_t src_offset,
            const Dims &src_strides, int64_t dst_offset, const Dims &dst_strides, int64_t bytes) {
  if (dims.size() > Region::kMostRank) Refuse("more than 16 dimensions");
  Region r = RegionOf(dims.size(), dims.data(), src_offset, src_strides.data(), dst_offset, dst_strides.data(), bytes);
  if (r.empty) return;
  r.input = input;
  r.output = output;
  regions->push_back(r);
}

Dims Strides(const Dims &dims) {
  Dims s(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) s[i - 1] = s[i] * dims[i];
  return s;
}

Joined JoinedOf(const GeOpDesc &op) {
  const size_t rank = DimsOf(op.outputs[0]).size();
  if (std::strcmp(op.type, "Concat") == 0) return {1, op.input_count, AxisInput(op, 0, rank, "concat_dim")};
  if (std::strcmp(op.type, "ConcatV2") == 0)
    return {0, op.input_count - 1, AxisInput(op, op.input_count - 1, rank, "concat_dim")};
  return {0, op.input_count, NormalAxis(GeOpAttrInt(&op, "concat_dim", 0), static_cast<int64_t>(rank))};
}

void Join(const GeOpDesc &op, std::vector<Region> *regions, int64_t bytes) {
  const auto [first, last, axis] = JoinedOf(op);
  Dims out = DimsOf(op.outputs[0]), strides = Strides(out);
  const int64_t stride = strides[static_cast<size_t>(axis)];
  int64_t at = 0;
  for (size_t i = first; i < last; ++i) {
    Dims dims = DimsOf(op.inputs[i]);
    if (dims.size() != out.size()) Refuse("the ranks of inputs and output differ");
    Append(regions, static_cast<int32_t>(i), 0, dims, 0, Strides(dims), at * stride, strides, bytes);
    at += dims[static_cast<size_t>(axis)];
  }
}
Cut CutOf(const GeOpDesc &op) {
  const std::string type = op.type;
  const size_t x = type == "Split" ? 1 : 0, rank = DimsOf(op.inputs[x]).size();
  const int64_t axis = type == "SplitD" ? NormalAxis(GeOpAttrInt(&op, "split_dim", 0), static_cast<int64_t>(rank))
                                        : AxisInput(op, type == "Split" ? 0 : 2, rank, "split_dim");
  return {x, static_cast<size_t>(axis)};
}

void Split(const GeOpDesc &op, std::vector<Region> *regions, int64_t bytes) {
  const auto [x, axis] = CutOf(op);
  const Dims in = DimsOf(op.inputs[x]), strides = Strides(in);
  int64_t at = 0;
  for (size_t i = 0; i < op.output_count; ++i) {
    Dims dims = DimsOf(op.outputs[i]);
    if (dims.size() != in.size()) Refuse("the ranks of input and outputs differ");
    Append(regions, static_cast<int32_t>(x), static_cast<int32_t>(i), dims, at * strides[axis], strides, 0,
           Strides(dims), bytes);
    at += dims[axis];
  }
}

void Expand(const GeOpDesc &op, std::vector<Region> *regions, int64_t bytes) {
  Dims in = DimsOf(op.inputs[0]), out = DimsOf(op.outputs[0]), dense = Strides(in);
  if (in.size() > out.size()) Refuse("the rank shrinks");
  Dims src(out.size(), 0);
  for (size_t k = 0; k < in.size(); ++k) {
    size_t at = out.size() - in.size() + k;
    if (in[k] != 1 && in[k] != out[at]) Refuse("the shape does not broadcast to that of the output");
    src[at] = in[k] == 1 ? 0 : dense[k];
  }
  Append(regions, 0, 0, out, 0, src, 0, Strides(out), bytes);
}

/// Where a slice begins along each axis, from the end where it is negative, and its steps.
struct SliceSpec {
  size_t rank;
  int64_t begin[Region::kMostRank] = {}, step[Region::kMostRank];
};

SliceSpec ReadSlice(const GeOpDesc &op) {
  SliceSpec s{static_cast<size_t>(op.inputs[0].rank), {}, {}};
  if (op.inputs[0].rank != op.outputs[0].rank || s.rank > Region::kMostRank) Refuse("the rank changes, or is above 16");
  std::fill_n(s.step, Region::kMostRank, 1);
  const std::string type = op.type;
  std::vector<int64_t> begin = ConstantInts(op.inputs[1], "begin"), axes, step;
  if (type == "StridedSliceV2") {
    for (const char *mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"})
      if (GeOpAttrInt(&op, mask, 0) != 0) Refuse(std::string(mask) + " is set");
    if (op.input_count > 3 && Present(op.inputs[3])) axes = ConstantInts(op.inputs[3], "axes");
    if (op.input_count > 4 && Present(op.inputs[4])) step = ConstantInts(op.inputs[4], "strides");
  } else if (type == "SliceWithAxes") {
    size_t count = 0;
    const int64_t *values = GeOpAttrInts(&op, "axes", &count);
    axes.assign(values, values + count);
  }
  if (axes.empty())
    for (size_t i = 0; i < begin.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (axes.size() != begin.size()) Refuse("axes and begin differ in length");
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(NormalAxis(axes[i], static_cast<int64_t>(s.rank)));
    s.begin[axis] = begin[i];
    if (i < step.size()) s.step[axis] = step[i];
  }
  return s;
}

/// Of x and y with these extents.
Region RegionOf(const SliceSpec &s, const int64_t *in, const int64_t *out, int64_t bytes) {
  int64_t steps[Region::kMostRank], dense[Region::kMostRank], offset = 0;
  for (size_t i = s.rank, stride = 1, to = 1; i-- > 0;
       stride *= static_cast<size_t>(in[i]), to *= static_cast<size_t>(out[i])) {
    const auto by = static_cast<int64_t>(stride);
    int64_t from = s.begin[i];
    if (from < 0) from += in[i];
    offset += std::clamp<int64_t>(from, 0, std::max<int64_t>(0, s.step[i] < 0 ? in[i] - 1 : in[i])) * by;
    steps[i] = out[i] > 1 ? by * s.step[i] : by;  // of a single one the product might not fit
    dense[i] = static_cast<int64_t>(to);
  }
  return RegionOf(s.rank, out, offset, steps, 0, dense, bytes);
}

void Slice(const GeOpDesc &op, std::vector<Region> *regions, int64_t bytes) {
  const Region r = RegionOf(ReadSlice(op), op.inputs[0].dims, op.outputs[0].dims, bytes);
  if (!r.empty) regions->push_back(r);
}

void Tile(const GeOpDesc &op, std::vector<Region> *regions, int64_t bytes) {
  Dims in = DimsOf(op.inputs[0]), out = DimsOf(op.outputs[0]), strides = Strides(in), out_strides = Strides(out);
  std::vector<int64_t> times = ConstantInts(op.inputs[1], "multiples");
  if (times.size() != in.size() || in.size() != out.size()) Refuse("multiples does not fit the rank");
  Dims dims, src, dst;  // each dimension twice: the copies, then the elements
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t repeated;
    if (__builtin_mul_overflow(in[i], times[i], &repeated) || repeated != out[i])
      Refuse("multiples does not fit the output");
    if (times[i] != 1) {
      dims.push_back(times[i]);
      src.push_back(0);
      dst.push_back(out_strides[i] * in[i]);
    }
    dims.push_back(in[i]);
    src.push_back(strides[i]);
    dst.push_back(out_strides[i]);
  }
  Append(regions, 0, 0, dims, 0, src, 0, dst, bytes);
}

struct CopyRule {
  const char *type;
  void (*regions)(const GeOpDesc &op, std::vector<Region> *regions, int64_t bytes);
  int data = 0;  // port of the (first) tensor that is copied
  bool joins = false;
};
const CopyRule kCopyRules[] = {
    {"Concat", &Join, 1, true}, {"ConcatV2", &Join, 0, true}, {"ConcatD", &Join, 0, true},
    {"Split", &Split, 1},       {"SplitV", &Split},           {"SplitD", &Split},
    {"Expand", &Expand},        {"BroadcastTo", &Expand},     {"Tile", &Tile},
    {"Slice", &Slice},          {"SliceWithAxes", &Slice},    {"StridedSliceV2", &Slice},
};
const CopyRule &RuleOf(const GeOpDesc &op) {
  for (const CopyRule &rule : kCopyRules)
    if (std::strcmp(rule.type, op.type) == 0) return rule;
  Refuse("no rule for its copies");
}
bool IsSplit(const GeOpDesc &op) { return RuleOf(op).regions == &Split; }
size_t DataInput(const GeOpDesc &op) { return static_cast<size_t>(RuleOf(op).data); }

/// The bytes from the lowest to the highest that a copy touches lie in a tensor of `bytes`. Shapes of a graph may
/// contradict one another, where inference knows too little to see it.
bool Inside(const Region &r, int64_t offset, const int64_t *strides, int64_t bytes) {
  __int128 low = offset, high = __int128{offset} + r.run;
  for (size_t i = 0; i < r.rank; ++i) {
    const __int128 reach = __int128{r.dims[i] - 1} * strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high <= bytes;
}
bool Inside(const Region &r, int64_t from_bytes, int64_t to_bytes) {
  return Inside(r, r.src_offset, r.src_strides, from_bytes) && Inside(r, r.dst_offset, r.dst_strides, to_bytes);
}

std::vector<Region> Regions(const GeOpDesc &op, int64_t bytes) {
  std::vector<Region> regions;
  RuleOf(op).regions(op, &regions, bytes);
  for (const Region &r : regions) {
    const int64_t from = Count(DimsOf(op.inputs[r.input])) * bytes, to = Count(DimsOf(op.outputs[r.output])) * bytes;
    if (!Inside(r, from, to)) Refuse("shapes of inputs and outputs do not fit one another");
  }
  return regions;
}

/// Copies regions of elements of so many bytes.
class RegionKernel : public Kernel {
 protected:
  explicit RegionKernel(int64_t bytes) : bytes_(bytes) { implementation = "strided copy"; }

  void Copy(const Region &region, const GeKernelArgs &args) const {
    auto *src = static_cast<const char *>(args.inputs[region.input]) + region.src_offset;
    auto *dst = static_cast<char *>(args.outputs[region.output]) + region.dst_offset;
    if (region.rank == 0) {
      if (src == dst) return;  // the planner has placed one inside the other
      Parallel(region.run, 1 << 18, [&](int64_t begin, int64_t end) {
        std::memcpy(dst + begin, src + begin, static_cast<size_t>(end - begin));
      });
      return;
    }
    const size_t outer = region.rank - 1;
    const int64_t bytes = region.dims[outer] * (region.run + 16);
    Parallel(region.rows(), std::max<int64_t>(1, (1 << 17) / bytes), [&](int64_t begin, int64_t end) {
      int64_t index[Region::kMostRank] = {}, s = 0, d = 0, rest = begin;
      for (size_t k = outer; k-- > 0; rest /= region.dims[k]) {
        index[k] = rest % region.dims[k];
        s += index[k] * region.src_strides[k];
        d += index[k] * region.dst_strides[k];
      }
      for (int64_t r = begin; r < end; ++r) {
        Row(region, src + s, dst + d);
        for (size_t k = outer; k-- > 0;) {
          s += region.src_strides[k];
          d += region.dst_strides[k];
          if (++index[k] < region.dims[k]) break;
          s -= region.src_strides[k] * region.dims[k];
          d -= region.dst_strides[k] * region.dims[k];
          index[k] = 0;
        }
      }
    });
  }

  const int64_t bytes_;

 private:
  template <class T>
  static void Elements(const Region &region, const char *src, char *dst) {
    const size_t last = region.rank - 1;
    const int64_t n = region.dims[last], s = region.src_strides[last], d = region.dst_strides[last];
    if (d == static_cast<int64_t>(sizeof(T))) {
      auto *__restrict to = reinterpret_cast<T *>(dst);
      if (s == 0) {
        std::fill_n(to, n, *reinterpret_cast<const T *>(src));
        return;
      }
      // A step that the compiler knows makes vectors.
      auto *from = reinterpret_cast<const T *>(src);
      if (s == 2 * static_cast<int64_t>(sizeof(T)))
        for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
      else if (s == -static_cast<int64_t>(sizeof(T)))
        for (int64_t i = 0; i < n; ++i) to[i] = from[-i];
      else
        for (int64_t i = 0; i < n; ++i) to[i] = *reinterpret_cast<const T *>(src + i * s);
      return;
    }
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T *>(dst + i * d) = *reinterpret_cast<const T *>(src + i * s);
  }
  // The last dimension of a region.
  void Row(const Region &region, const char *src, char *dst) const {
    if (region.run == bytes_) {
      if (bytes_ == 4) return Elements<uint32_t>(region, src, dst);
      if (bytes_ == 8) return Elements<uint64_t>(region, src, dst);
      if (bytes_ == 2) return Elements<uint16_t>(region, src, dst);
      return Elements<uint8_t>(region, src, dst);
    }
    const size_t last = region.rank - 1;
    for (int64_t i = 0; i < region.dims[last]; ++i)
      std::memcpy(dst + i * region.dst_strides[last], src + i * region.src_strides[last],
                  static_cast<size_t>(region.run));
  }
};

class CopyKernel final : public RegionKernel {
 public:
  explicit CopyKernel(const GeOpDesc &op)
      : RegionKernel(ElementBytes(op.inputs[DataInput(op)].data_type)), regions_(Regions(op, bytes_)) {
    // Pieces that are whole runs can lie inside one another: a concatenation or split of leading dimensions, a slice.
    const bool joins = RuleOf(op).joins;
    if (std::any_of(regions_.begin(), regions_.end(), [](const Region &r) { return r.rank > 0; })) return;
    flags |= GE_KERNEL_VIEW;
    for (const Region &r : regions_)
      aliases.push_back({joins ? GE_ALIAS_INPUT_IN_OUTPUT : GE_ALIAS_OUTPUT_IN_INPUT, r.input, r.output, 0,
                         static_cast<uint64_t>(joins ? r.dst_offset : r.src_offset)});
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    for (const Region &region : regions_) Copy(region, args);
    return GE_SUCCESS;
  }

 private:
  const std::vector<Region> regions_;
};

/// A slice of tensors of all sizes.
class OpenSliceKernel final : public RegionKernel {
 public:
  explicit OpenSliceKernel(const GeOpDesc &op)
      : RegionKernel(ElementBytes(op.inputs[0].data_type)), spec_(ReadSlice(op)) {}

  GeStatus Run(const GeKernelArgs &args) const override {
    const int64_t *in = args.input_dims[0], *out = args.output_dims[0];
    const Region region = RegionOf(spec_, in, out, bytes_);
    if (region.empty) return GE_SUCCESS;
    if (!Inside(region, Count(in, in + spec_.rank) * bytes_, Count(out, out + spec_.rank) * bytes_))
      return env()->fail(GE_FAILED, "the slice does not lie in x");
    Copy(region, args);
    return GE_SUCCESS;
  }

 private:
  const SliceSpec spec_;
};

void CheckCopy(const GeOpDesc &op) {
  const GeTensorData &x = op.inputs[DataInput(op)];
  NeedMovable(x);
  if (RuleOf(op).joins && op.outputs[0].rank > 0) {
    const Joined joined = JoinedOf(op);
    const bool open = JoinsChannels(op, joined) && !ge::kit::Node(&op).known();
    if (open || JoinsLanes(op, joined)) return CheckConcatBlocks(op, joined);
  }
  if (IsSplit(op) && x.format == C_FORMAT_NC1HWC0 && x.rank == 5 && !ge::kit::Node(&op).known())
    if (const Cut cut = CutOf(op); cut.axis == 1) return CheckSplitBlocks(op, cut);
  for (size_t i = 0; i < op.output_count; ++i) {
    NeedMovable(op.outputs[i]);
    if (op.outputs[i].data_type != x.data_type) Refuse("the data type changes");
    for (int32_t k = 0; k < op.outputs[i].rank; ++k)
      if (op.outputs[i].dims[k] < 0) Refuse("shapes are not known yet");
  }
  for (size_t i = 0; i < op.input_count; ++i) {
    if (Present(op.inputs[i]) && op.inputs[i].rank < 0) Refuse("rank is unknown");
    for (int32_t k = 0; k < op.inputs[i].rank; ++k)
      if (op.inputs[i].dims[k] < 0) Refuse("shapes are not known yet");
  }
  (void)Regions(op, ElementBytes(x.data_type));
}

std::unique_ptr<Kernel> CreateCopy(const GeOpDesc &op, const Table *) {
  if (RuleOf(op).joins)
    if (const Joined joined = JoinedOf(op); JoinsLanes(op, joined)) return MakeConcatBlocks(op, joined, false);
  auto copy = std::make_unique<CopyKernel>(op);
  if (!RuleOf(op).joins || (copy->flags & GE_KERNEL_VIEW) != 0) return copy;
  const Joined joined = JoinedOf(op);
  if (RowsAreShort(op.outputs[0], static_cast<size_t>(joined.axis))) return copy;
  return MakeConcat(op, joined, false);
}

std::unique_ptr<Kernel> CreateOpenCopy(const GeOpDesc &op, const GeOpenExtents &, const Table *) {
  if (IsSplit(op)) {
    const Cut cut = CutOf(op);
    if (RowsAreShort(op.inputs[cut.input], cut.axis))
      Refuse("rows of less than a cache line have a kernel for each size");
    return MakeOpenSplit(op, cut);
  }
  if (RuleOf(op).regions == &Expand) return MakeOpenExpand(op);
  if (RuleOf(op).regions == &Slice) return std::make_unique<OpenSliceKernel>(op);
  if (!RuleOf(op).joins) Refuse(std::string("a kernel of ") + op.type + " serves one size");
  const Joined joined = JoinedOf(op);
  if (JoinsLanes(op, joined)) return MakeConcatBlocks(op, joined, true);
  if (RowsAreShort(op.outputs[0], static_cast<size_t>(joined.axis)))
    Refuse("rows of less than a cache line are copied otherwise at each size");
  return MakeConcat(op, joined, true);
}

}  // namespace

const Family &CopyFamily() {
  static const Family family = {&CheckCopy, &CreateCopy, &CreateOpenCopy};
  return family;
}
}  // namespace vec
