// UniqueWithCountsExt2 of single values: the distinct ones, where each appears first, how often, and for every value
// which of them it is.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

constexpr uint64_t kShapeBytes = 64;  // an output's real shape: eight numbers

/// Numbers in the order of the values; equal ones are equal. A NaN equals itself and is the largest.
int64_t OrderOf(int64_t value) { return value; }
int64_t OrderOf(int32_t value) { return value; }
int64_t OrderOf(float value) {
  if (value != value) return INT32_MAX;
  if (value == 0) value = 0;
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? int64_t{INT32_MIN} - bits : bits;
}

struct Entry {
  int64_t order, at;
  bool operator<(const Entry &other) const { return order != other.order ? order < other.order : at < other.at; }
};
struct Group {
  int64_t first, count, number;
};

class UniqueKernel : public Kernel {
 public:
  explicit UniqueKernel(const GeOpDesc &op) : n_(Count(DimsOf(op.inputs[0]))), type_(op.inputs[0].data_type) {
    sorted_ = GeOpAttrInt(&op, "sorted", 1) != 0;
    flags = GE_KERNEL_DATA_DEPENDENT;
    Reserve(4 * kShapeBytes);
    entries_ = Reserve(static_cast<uint64_t>(n_) * sizeof(Entry));
    groups_ = Reserve(static_cast<uint64_t>(n_) * sizeof(Group));
    group_of_ = Reserve(static_cast<uint64_t>(n_) * sizeof(int64_t));
    order_ = Reserve(static_cast<uint64_t>(n_) * sizeof(int64_t));
    for (size_t o = 0; o < op.output_count && o < 4; ++o) {
      const bool there = Present(op.outputs[o]);
      bytes_[o] = there ? ElementBytes(op.outputs[o].data_type) : 0;
      output_bytes.push_back(static_cast<uint64_t>(n_ * bytes_[o]));
    }
    implementation = "unique";
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    if (type_ == C_DT_FLOAT) Find<float>(args);
    else if (type_ == C_DT_INT64) Find<int64_t>(args);
    else Find<int32_t>(args);
    return GE_SUCCESS;
  }

 private:
  template <class T>
  T *Work(const GeKernelArgs &args, uint64_t at) const {
    return reinterpret_cast<T *>(static_cast<char *>(args.workspace) + at);
  }
  void Put(const GeKernelArgs &args, size_t output, int64_t at, int64_t value) const {
    if (bytes_[output] == 8) static_cast<int64_t *>(args.outputs[output])[at] = value;
    else if (bytes_[output] == 4) static_cast<int32_t *>(args.outputs[output])[at] = static_cast<int32_t>(value);
  }

  template <class T>
  void Find(const GeKernelArgs &args) const {
    const T *x = static_cast<const T *>(args.inputs[0]);
    auto *entries = Work<Entry>(args, entries_);
    auto *groups = Work<Group>(args, groups_);
    auto *group_of = Work<int64_t>(args, group_of_), *order = Work<int64_t>(args, order_);
    for (int64_t i = 0; i < n_; ++i) entries[i] = {OrderOf(x[i]), i};
    std::sort(entries, entries + n_);
    int64_t count = 0;
    for (int64_t i = 0; i < n_; ++i) {
      if (i == 0 || entries[i].order != entries[i - 1].order) groups[count++] = {entries[i].at, 0, 0};
      ++groups[count - 1].count;
      group_of[entries[i].at] = count - 1;
    }
    for (int64_t g = 0; g < count; ++g) order[g] = g;
    if (!sorted_)
      std::sort(order, order + count, [&](int64_t a, int64_t b) { return groups[a].first < groups[b].first; });
    for (int64_t g = 0; g < count; ++g) {
      Group &group = groups[order[g]];
      group.number = g;
      static_cast<T *>(args.outputs[0])[g] = x[group.first];
      Put(args, 1, g, group.first);
      Put(args, 2, g, group.count);
    }
    for (int64_t i = 0; i < n_; ++i) Put(args, 3, i, groups[group_of[i]].number);
    for (int o = 0; o < 4; ++o) {
      auto *shape = Work<int64_t>(args, static_cast<uint64_t>(o) * kShapeBytes);
      shape[0] = 1, shape[1] = o == 3 ? n_ : count;
    }
  }

  int64_t n_, bytes_[4] = {};
  int32_t type_;
  bool sorted_;
  uint64_t entries_, groups_, group_of_, order_;  // in the workspace
};

void CheckUnique(const GeOpDesc &op) {
  const int32_t type = op.inputs[0].data_type;
  if (type != C_DT_FLOAT && type != C_DT_INT64 && type != C_DT_INT32) Refuse(DataTypeName(type), " is not supported");
  for (size_t o = 1; o < op.output_count; ++o)
    if (Present(op.outputs[o]) && op.outputs[o].data_type != C_DT_INT64 && op.outputs[o].data_type != C_DT_INT32)
      Refuse(DataTypeName(op.outputs[o].data_type), " is not supported for positions and counts");
  // Of a line an axis changes nothing.
  if (op.inputs[1].rank < 0 || Count(DimsOf(op.inputs[1])) != 0) {
    if (op.inputs[0].rank != 1) Refuse("slices are not supported");
    if (ConstantInts(op.inputs[1], "axis").size() != 1) Refuse("axis is not one value");
  }
}

}  // namespace

const Family &UniqueFamily() {
  static const Family family = {&CheckUnique, [](const GeOpDesc &op, const Table *) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<UniqueKernel>(op);
                                }};
  return family;
}

}  // namespace vec
