// NonMaxSuppressionV6: per image and class the boxes of highest score that do not overlap a better one.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernel.h"
#include "order_key.h"

namespace vec {
namespace {

constexpr uint64_t kShapeBytes = 64;  // the output's real shape: eight numbers

int64_t Whole(const void *data, int32_t type) {
  return type == C_DT_INT64 ? *static_cast<const int64_t *>(data) : *static_cast<const int32_t *>(data);
}

class NonMaxSuppressionKernel : public Kernel {
 public:
  NonMaxSuppressionKernel(const GeOpDesc &op, const Table *table) : table_(table) {
    const Dims boxes = DimsOf(op.inputs[0]), scores = DimsOf(op.inputs[1]);
    if (boxes.size() != 3 || boxes[2] != 4 || scores.size() != 3 || scores[0] != boxes[0] || scores[2] != boxes[1])
      Refuse("boxes and scores do not fit, expected [images, boxes, 4] and [images, classes, boxes]");
    images_ = boxes[0], classes_ = scores[1], count_ = boxes[1];
    if (count_ > INT32_MAX) Refuse("there are more than 2^31 boxes");
    for (size_t i = 2; i < 5; ++i) {
      given_[i - 2] = i < op.input_count && Present(op.inputs[i]);
      if (given_[i - 2] && Count(DimsOf(op.inputs[i])) != 1) Refuse("input " + std::to_string(i) + " is not one value");
    }
    most_type_ = given_[0] ? op.inputs[2].data_type : 0;
    centre_ = GeOpAttrInt(&op, "center_point_box", 0) != 0;
    cap_ = GeOpAttrInt(&op, "max_boxes_size", 0);
    wide_ = op.outputs[0].data_type == C_DT_INT64;
    flags = GE_KERNEL_DATA_DEPENDENT;
    Reserve(kShapeBytes);
    for (uint64_t &at : column_) at = Reserve(static_cast<uint64_t>(count_) * sizeof(float));
    keys_ = Reserve(static_cast<uint64_t>(count_) * sizeof(uint64_t));
    output_bytes = {static_cast<uint64_t>(images_ * classes_ * count_) * 3 * (wide_ ? 8 : 4)};
    implementation = "non max suppression";
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    char *workspace = static_cast<char *>(args.workspace);
    const int64_t most = given_[0] ? Whole(args.inputs[2], most_type_) : count_;
    const float overlap = given_[1] ? *static_cast<const float *>(args.inputs[3]) : 0;
    const float least =
        given_[2] ? *static_cast<const float *>(args.inputs[4]) : -std::numeric_limits<float>::infinity();
    float *column[8];
    for (int k = 0; k < 8; ++k) column[k] = reinterpret_cast<float *>(workspace + column_[k]);
    auto *keys = reinterpret_cast<uint64_t *>(workspace + keys_);
    int64_t rows = 0;
    for (int64_t n = 0; n < images_; ++n) {
      Columns(static_cast<const float *>(args.inputs[0]) + n * count_ * 4, column);
      for (int64_t c = 0; c < classes_; ++c) {
        const float *scores = static_cast<const float *>(args.inputs[1]) + (n * classes_ + c) * count_;
        int64_t candidates = 0;
        for (int64_t i = 0; i < count_; ++i)
          if (scores[i] > least) keys[candidates++] = KeyOf(scores[i], i, true);
        std::make_heap(keys, keys + candidates);
        int64_t taken = 0;
        const Boxes all{column[0], column[1], column[2], column[3]}, kept{column[4], column[5], column[6], column[7]};
        for (; candidates > 0 && taken < most && !(cap_ > 0 && rows == cap_); --candidates) {
          std::pop_heap(keys, keys + candidates);
          const int64_t at = PositionOf(keys[candidates - 1]);
          if (table_->overlaps(kept, static_cast<size_t>(taken), all, static_cast<size_t>(at), overlap)) continue;
          for (int k = 0; k < 4; ++k) column[4 + k][taken] = column[k][at];
          ++taken;
          const int64_t row[3] = {n, c, at};
          for (int k = 0; k < 3; ++k) Put(args, rows, k, row[k]);
          ++rows;
        }
      }
    }
    auto *shape = reinterpret_cast<int64_t *>(workspace);
    shape[0] = 2, shape[1] = rows, shape[2] = 3;
    return GE_SUCCESS;
  }

 private:
  /// Corners may come in any order; or centre and size.
  void Columns(const float *boxes, float *const *column) const {
    for (int64_t i = 0; i < count_; ++i, boxes += 4) {
      const float *v = boxes;
      column[0][i] = centre_ ? v[1] - v[3] / 2 : std::min(v[0], v[2]);
      column[1][i] = centre_ ? v[0] - v[2] / 2 : std::min(v[1], v[3]);
      column[2][i] = centre_ ? v[1] + v[3] / 2 : std::max(v[0], v[2]);
      column[3][i] = centre_ ? v[0] + v[2] / 2 : std::max(v[1], v[3]);
    }
  }
  void Put(const GeKernelArgs &args, int64_t row, int k, int64_t value) const {
    if (wide_) static_cast<int64_t *>(args.outputs[0])[3 * row + k] = value;
    else static_cast<int32_t *>(args.outputs[0])[3 * row + k] = static_cast<int32_t>(value);
  }

  const Table *table_;
  int64_t images_, classes_, count_, cap_;
  bool given_[3], centre_, wide_;  // given: limit, overlap, least score
  int32_t most_type_;
  uint64_t column_[8], keys_;  // in the workspace: edges of all boxes, then of those that are kept
};

void CheckNonMaxSuppression(const GeOpDesc &op) {
  RequireFloat(op.inputs[0], "boxes");
  RequireFloat(op.inputs[1], "scores");
  const auto given = [&](size_t i) { return i < op.input_count && Present(op.inputs[i]); };
  if (given(2) && op.inputs[2].data_type != C_DT_INT64 && op.inputs[2].data_type != C_DT_INT32)
    Refuse(DataTypeName(op.inputs[2].data_type), " is not supported for max_output_size");
  for (size_t i : {3, 4})
    if (given(i)) RequireFloat(op.inputs[i], "the thresholds");
  if (op.outputs[0].data_type != C_DT_INT64 && op.outputs[0].data_type != C_DT_INT32)
    Refuse(DataTypeName(op.outputs[0].data_type), " is not supported for the output");
}

}  // namespace

const Family &NonMaxSuppressionFamily() {
  static const Family family = {&CheckNonMaxSuppression,
                                [](const GeOpDesc &op, const Table *table) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<NonMaxSuppressionKernel>(op, table);
                                }};
  return family;
}

}  // namespace vec
