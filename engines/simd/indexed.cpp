// Elements that are read or written where indices say: GatherElements, GatherNd, ScatterElements.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

/// Indices of int32 or int64.
struct Indices {
  const void *data;
  bool wide;
  int64_t operator[](int64_t i) const {
    return wide ? static_cast<const int64_t *>(data)[i] : int64_t{static_cast<const int32_t *>(data)[i]};
  }
};
/// Negative ones count from the end.
int64_t Inside(int64_t index, int64_t limit, int64_t position) {
  const int64_t at = index < 0 ? index + limit : index;
  if (at < 0 || at >= limit)
    ge::kit::Fail(GE_PARAM_INVALID, "index ", index, " at position ", position, " is out of range, expected -", limit,
                  " to ", limit - 1);
  return at;
}

void NeedMovable(const GeTensorData &t) {
  const int64_t bytes = ElementBytes(t.data_type);
  if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || t.data_type == C_DT_RESOURCE)
    Refuse(DataTypeName(t.data_type), " is not supported");
  ge::kit::RequirePlain(t, "x");
}
void NeedIndices(const GeTensorData &t) {
  if (t.data_type != C_DT_INT64 && t.data_type != C_DT_INT32)
    Refuse(DataTypeName(t.data_type), " is not supported for indices");
}

/// Where the rows of a tensor of indices lie in the tensor that they speak of.
struct IndexedRows {
  Dims index, strides;  // of the other tensor, in elements
  size_t axis;
  int64_t limit = 0, step = 0, inner = 1, along = 0;  // along: from one element of a row to the next, beside the index

  IndexedRows(const Dims &x, const Dims &indices, int64_t axis_attr) : index(indices), strides(x.size(), 1) {
    if (x.empty() || x.size() != indices.size()) Refuse("the ranks of x and indices differ or are 0");
    axis = static_cast<size_t>(NormalAxis(axis_attr, static_cast<int64_t>(x.size())));
    for (size_t i = 0; i < x.size(); ++i)
      if (i != axis && indices[i] > x[i]) Refuse("indices exceed x along dimension " + std::to_string(i));
    for (size_t i = x.size(); i-- > 1;) strides[i - 1] = strides[i] * x[i];
    limit = x[axis], step = strides[axis], inner = index.back();
    along = axis + 1 == x.size() ? 0 : 1;
  }
  int64_t rows() const { return Count(index, 0, index.size() - 1); }
  int64_t Base(int64_t row) const {
    int64_t base = 0;
    for (size_t i = index.size() - 1; i-- > 0; row /= index[i])
      if (i != axis) base += row % index[i] * strides[i];
    return base;
  }
};

class GatherElementsKernel : public Kernel {
 public:
  explicit GatherElementsKernel(const GeOpDesc &op)
      : rows_(DimsOf(op.inputs[0]), DimsOf(op.inputs[1]), GeOpAttrInt(&op, "dim", 0)),
        bytes_(ElementBytes(op.inputs[0].data_type)),
        wide_(op.inputs[1].data_type == C_DT_INT64) {
    if (DimsOf(op.outputs[0]) != rows_.index) Refuse("y has another shape than the indices");
    implementation = "gather elements";
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    if (Count(rows_.index) == 0) return GE_SUCCESS;
    if (bytes_ == 8) Gather<uint64_t>(args);
    else if (bytes_ == 4) Gather<uint32_t>(args);
    else if (bytes_ == 2) Gather<uint16_t>(args);
    else Gather<uint8_t>(args);
    return GE_SUCCESS;
  }

 private:
  template <class T>
  void Gather(const GeKernelArgs &args) const {
    const Indices indices{args.inputs[1], wide_};
    const int64_t count = Count(rows_.index), inner = rows_.inner;
    for (int64_t i = 0; i < count; ++i) (void)Inside(indices[i], rows_.limit, i);  // ranges may not throw
    Parallel(count / inner, std::max<int64_t>(1, 8192 / inner), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T *from = static_cast<const T *>(args.inputs[0]) + rows_.Base(row);
        T *to = static_cast<T *>(args.outputs[0]) + row * inner;
        for (int64_t j = 0; j < inner; ++j) {
          const int64_t index = indices[row * inner + j];
          to[j] = from[(index < 0 ? index + rows_.limit : index) * rows_.step + j * rows_.along];
        }
      }
    });
  }

  IndexedRows rows_;
  int64_t bytes_;
  bool wide_;
};

void CheckGatherElements(const GeOpDesc &op) {
  NeedMovable(op.inputs[0]);
  NeedIndices(op.inputs[1]);
}

// ---- sub-tensors ----

class GatherNdKernel : public Kernel {
 public:
  explicit GatherNdKernel(const GeOpDesc &op) : wide_(op.inputs[1].data_type == C_DT_INT64) {
    const Dims x = DimsOf(op.inputs[0]), indices = DimsOf(op.inputs[1]);
    if (indices.empty() || indices.back() > static_cast<int64_t>(x.size())) Refuse("indices do not fit the rank of x");
    depth_ = static_cast<size_t>(indices.back());
    limits_.assign(x.begin(), x.begin() + static_cast<ptrdiff_t>(depth_));
    rows_ = Count(indices, 0, indices.size() - 1);
    const int64_t slice = Count(x, depth_);
    if (rows_ * slice != Count(DimsOf(op.outputs[0]))) Refuse("y's shape does not follow from x and indices");
    bytes_ = slice * ElementBytes(op.inputs[0].data_type);
    implementation = "gather nd";
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const Indices indices{args.inputs[1], wide_};
    if (rows_ * bytes_ == 0) {
      for (int64_t r = 0; r < rows_; ++r) (void)At(indices, r);
      return GE_SUCCESS;
    }
    auto *x = static_cast<const char *>(args.inputs[0]);
    auto *y = static_cast<char *>(args.outputs[0]);
    for (int64_t r = 0; r < rows_; ++r) {
      const char *from = x + At(indices, r) * bytes_;
      char *to = y + r * bytes_;
      if (bytes_ == 4) std::memcpy(to, from, 4);
      else if (bytes_ == 8) std::memcpy(to, from, 8);
      else std::memcpy(to, from, static_cast<size_t>(bytes_));
    }
    return GE_SUCCESS;
  }

 private:
  int64_t At(const Indices &indices, int64_t row) const {
    int64_t at = 0;
    const int64_t first = row * static_cast<int64_t>(depth_);
    for (size_t i = 0; i < depth_; ++i) {
      const int64_t position = first + static_cast<int64_t>(i);
      at = at * limits_[i] + Inside(indices[position], limits_[i], position);
    }
    return at;
  }

  bool wide_;
  size_t depth_;
  Dims limits_;
  int64_t rows_, bytes_;
};

// ---- elements that are written ----

enum class Reduction { kNone, kAdd, kMultiply, kMaximum, kMinimum };

Reduction ReductionOf(const GeOpDesc &op) {
  const std::string name = GeOpAttrString(&op, "reduction", "none");
  if (name == "none" || name == "update") return Reduction::kNone;
  if (name == "add") return Reduction::kAdd;
  if (name == "mul" || name == "multiply") return Reduction::kMultiply;
  if (name == "max") return Reduction::kMaximum;
  if (name == "min") return Reduction::kMinimum;
  Refuse("reduction " + name + " is not supported");
}

template <class T>
T Combined(Reduction reduction, T old, T update) {
  switch (reduction) {
    case Reduction::kAdd:
      return old + update;
    case Reduction::kMultiply:
      return old * update;
    case Reduction::kMaximum:
      return old != old || old > update ? old : update;
    case Reduction::kMinimum:
      return old != old || old < update ? old : update;
    default:
      return update;
  }
}

class ScatterElementsKernel : public Kernel {
 public:
  explicit ScatterElementsKernel(const GeOpDesc &op)
      : rows_(DimsOf(op.inputs[0]), DimsOf(op.inputs[1]), GeOpAttrInt(&op, "axis", 0)),
        reduction_(ReductionOf(op)),
        type_(op.inputs[0].data_type),
        wide_(op.inputs[1].data_type == C_DT_INT64) {
    if (DimsOf(op.inputs[2]) != rows_.index) Refuse("updates has another shape than indices");
    if (DimsOf(op.outputs[0]) != DimsOf(op.inputs[0])) Refuse("y has another shape than data");
    bytes_ = Count(DimsOf(op.inputs[0])) * ElementBytes(type_);
    aliases.push_back({GE_ALIAS_STATE, 0, 0, 0, 0});
    implementation = "scatter elements";
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    const Indices indices{args.inputs[1], wide_};
    const int64_t count = Count(rows_.index);
    for (int64_t i = 0; i < count; ++i) (void)Inside(indices[i], rows_.limit, i);  // before anything is written
    if (args.outputs[0] != args.inputs[0] && bytes_ > 0)
      std::memcpy(args.outputs[0], args.inputs[0], static_cast<size_t>(bytes_));
    if (count == 0) return GE_SUCCESS;
    if (type_ == C_DT_FLOAT) Scatter<float>(args, indices);
    else if (type_ == C_DT_INT64) Scatter<int64_t>(args, indices);
    else Scatter<int32_t>(args, indices);
    return GE_SUCCESS;
  }

 private:
  template <class T>
  void Scatter(const GeKernelArgs &args, const Indices &indices) const {
    switch (reduction_) {
      case Reduction::kNone:
        return With<T, Reduction::kNone>(args, indices);
      case Reduction::kAdd:
        return With<T, Reduction::kAdd>(args, indices);
      default:
        return Any<T>(args, indices, [this](T old, T update) { return Combined(reduction_, old, update); });
    }
  }
  template <class T, Reduction reduction>
  void With(const GeKernelArgs &args, const Indices &indices) const {
    Any<T>(args, indices, [](T old, T update) {
      if constexpr (std::is_integral_v<T>) {  // integers wrap
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(Combined<U>(reduction, static_cast<U>(old), static_cast<U>(update)));
      } else {
        return Combined<T>(reduction, old, update);
      }
    });
  }
  /// In the order of the updates, so that the last one stays.
  template <class T, class F>
  void Any(const GeKernelArgs &args, const Indices &indices, const F &combine) const {
    const T *updates = static_cast<const T *>(args.inputs[2]);
    const int64_t rows = rows_.rows(), inner = rows_.inner;
    for (int64_t row = 0; row < rows; ++row) {
      T *to = static_cast<T *>(args.outputs[0]) + rows_.Base(row);
      for (int64_t j = 0; j < inner; ++j) {
        const int64_t index = indices[row * inner + j];
        T &at = to[(index < 0 ? index + rows_.limit : index) * rows_.step + j * rows_.along];
        at = combine(at, updates[row * inner + j]);
      }
    }
  }

  IndexedRows rows_;
  Reduction reduction_;
  int32_t type_;
  bool wide_;
  int64_t bytes_;
};

void CheckScatterElements(const GeOpDesc &op) {
  const int32_t type = op.inputs[0].data_type;
  if (type != C_DT_FLOAT && type != C_DT_INT64 && type != C_DT_INT32) Refuse(DataTypeName(type), " is not supported");
  NeedIndices(op.inputs[1]);
  ge::kit::RequirePlain(op.inputs[0], "data");
  const Reduction reduction = ReductionOf(op);
  if (type != C_DT_FLOAT && reduction == Reduction::kMultiply) Refuse("products of integers are not supported");
}

template <class K>
std::unique_ptr<Kernel> Make(const GeOpDesc &op, const Table *) {
  return std::make_unique<K>(op);
}

}  // namespace

const Family &GatherElementsFamily() {
  static const Family family = {&CheckGatherElements, &Make<GatherElementsKernel>};
  return family;
}
const Family &GatherNdFamily() {
  static const Family family = {&CheckGatherElements, &Make<GatherNdKernel>};
  return family;
}
const Family &ScatterElementsFamily() {
  static const Family family = {&CheckScatterElements, &Make<ScatterElementsKernel>};
  return family;
}

}  // namespace vec
