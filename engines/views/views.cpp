#include "views.h"

#include <cstring>

#include "ge/engine_kit.hpp"

namespace views {
namespace {

using ge::kit::DataTypeBits;
using ge::kit::Tensor;

int64_t Product(const int64_t *dims, int32_t begin, int32_t end) {
  int64_t product = 1;
  for (int32_t d = begin; d < end; ++d) product *= dims[d];
  return product;
}

/// Value `i` of a constant int32 or int64 tensor; false when it is not known.
bool ConstantInt(const GeTensorData &t, int64_t i, int64_t *out) {
  if (t.data == nullptr || !Tensor(t).known() || i >= Tensor(t).elements()) return false;
  if (t.data_type == C_DT_INT32) *out = static_cast<const int32_t *>(t.data)[i];
  else if (t.data_type == C_DT_INT64) *out = static_cast<const int64_t *>(t.data)[i];
  else return false;
  return true;
}

struct Rule {
  const char *type;
  /// Why the node is no view of its inputs, or "" and the aliases that make it one.
  std::string (*examine)(const GeOpDesc &op, const Rule &rule, std::vector<GeAlias> *aliases);
  int data;  // port of the (first) tensor that is looked at
  int axis;  // port of the axis or permutation, -1: an attribute
  const char *attr;
};

bool SizesKnown(const GeOpDesc &op, const Rule &e) {
  return Tensor(op.inputs[e.data]).known() && Tensor(op.outputs[0]).known();
}

/// The output is the input under another shape or type.
std::string Same(const GeOpDesc &op, const Rule &e, std::vector<GeAlias> *aliases) {
  const GeTensorData &in = op.inputs[e.data], &out = op.outputs[0];
  if (in.format == C_FORMAT_NC1HWC0 || out.format == C_FORMAT_NC1HWC0) {
    bool alike = in.format == out.format && in.rank == out.rank && Tensor(in).known() && Tensor(out).known() &&
                 std::memcmp(in.dims, out.dims, sizeof(int64_t) * static_cast<size_t>(in.rank)) == 0;
    if (!alike) return "a blocked layout cannot be seen under another shape";
  }
  if (SizesKnown(op, e) && Tensor(in).bytes() != Tensor(out).bytes()) return "input and output differ in size";
  if (aliases) aliases->push_back({GE_ALIAS_OUTPUT_IN_INPUT, e.data, 0, 0, 0});
  return "";
}

/// An operator that may repeat elements is a view when it repeats none.
std::string Repeat(const GeOpDesc &op, const Rule &e, std::vector<GeAlias> *aliases) {
  if (!SizesKnown(op, e)) return "shapes are not known, elements may be repeated";
  if (Tensor(op.inputs[e.data]).bytes() != Tensor(op.outputs[0]).bytes()) return "elements are repeated";
  return Same(op, e, aliases);
}

/// A transpose is a view when it only moves dimensions of extent 1.
std::string Transpose(const GeOpDesc &op, const Rule &e, std::vector<GeAlias> *aliases) {
  const GeTensorData &in = op.inputs[0];
  if (!Tensor(in).known()) return "shapes are not known";
  if (in.format == C_FORMAT_NC1HWC0) return "a blocked layout cannot be transposed";
  size_t attr_count = 0;
  const int64_t *attr = e.attr ? GeOpAttrInts(&op, e.attr, &attr_count) : nullptr;
  int64_t before = -1;
  for (int32_t d = 0; d < in.rank; ++d) {
    int64_t from = 0;
    if (e.attr ? !(attr && static_cast<size_t>(d) < attr_count) : !ConstantInt(op.inputs[e.axis], d, &from)) {
      return "the permutation is not constant";
    }
    if (e.attr) from = attr[d];
    if (from < 0) from += in.rank;
    if (from < 0 || from >= in.rank) return "the permutation is out of range";
    if (in.dims[from] == 1) continue;
    if (from < before) return "it moves elements";
    before = from;
  }
  if (aliases) aliases->push_back({GE_ALIAS_OUTPUT_IN_INPUT, 0, 0, 0, 0});
  return "";
}

bool Axis(const GeOpDesc &op, const Rule &e, int64_t *axis) {
  if (e.attr) {
    const GeAttrData *a = GeOpAttr(&op, e.attr);
    size_t count = 0;
    const int64_t *list = GeOpAttrInts(&op, e.attr, &count);
    if (list && count == 1) *axis = list[0];
    else if (a && a->type == C_VT_INT) *axis = a->i;
    else return false;
    return true;
  }
  size_t port = e.axis == -2 ? op.input_count - 1 : static_cast<size_t>(e.axis);
  return port < op.input_count && ConstantInt(op.inputs[port], 0, axis);
}

/// Checks that parts along `axis` of `whole` lie one after the other. On success *axis is an index into whole.dims.
std::string Contiguous(const GeTensorData &whole, const GeTensorData *parts, size_t count, int64_t *axis) {
  if (!Tensor(whole).known()) return "shapes are not known";
  const bool blocked = whole.format == C_FORMAT_NC1HWC0;
  const int32_t rank = blocked ? whole.origin_rank : whole.rank;
  if (*axis < 0) *axis += rank;
  if (*axis < 0 || *axis >= rank) return "the axis is out of range";
  if (blocked && (whole.origin_format != C_FORMAT_NCHW || *axis > 1 || rank != 4)) {
    return "only batch and channels of a blocked layout can be contiguous";
  }
  for (size_t i = 0; i < count; ++i) {
    if (!Tensor(parts[i]).known() || parts[i].rank != whole.rank || parts[i].format != whole.format) {
      return "parts differ from the whole in rank or layout";
    }
    if (blocked && *axis == 1 && i + 1 < count && parts[i].origin_dims[1] % whole.dims[4] != 0) {
      return "the channels of a part do not fill its last block";
    }
  }
  if (Product(whole.dims, 0, static_cast<int32_t>(*axis)) != 1)
    return "parts are not contiguous: a dimension before the axis is not 1";
  return "";
}

std::string Concat(const GeOpDesc &op, const Rule &e, std::vector<GeAlias> *aliases) {
  int64_t axis = 0;
  if (!Axis(op, e, &axis)) return "the axis is not constant";
  const size_t first = static_cast<size_t>(e.data), end = op.input_count - (e.axis == -2 ? 1 : 0);
  if (first >= end) return "there is nothing to concatenate";
  std::string why = Contiguous(op.outputs[0], op.inputs + first, end - first, &axis);
  if (!why.empty()) return why;
  uint64_t offset = 0;
  for (size_t i = first; i < end; ++i) {
    if (op.inputs[i].data_type != op.outputs[0].data_type) return "types differ";
    if (Tensor(op.inputs[i]).elements() * DataTypeBits(op.inputs[i].data_type) % 8 != 0)
      return "a part does not end at a byte";
    if (aliases) aliases->push_back({GE_ALIAS_INPUT_IN_OUTPUT, static_cast<int32_t>(i), 0, 0, offset});
    offset += static_cast<uint64_t>(Tensor(op.inputs[i]).bytes());
  }
  if (offset != static_cast<uint64_t>(Tensor(op.outputs[0]).bytes()))
    return "the parts' sizes do not add up to the output's";
  return "";
}

std::string Split(const GeOpDesc &op, const Rule &e, std::vector<GeAlias> *aliases) {
  int64_t axis = 0;
  if (!Axis(op, e, &axis)) return "the axis is not constant";
  const GeTensorData &whole = op.inputs[e.data];
  std::string why = Contiguous(whole, op.outputs, op.output_count, &axis);
  if (!why.empty()) return why;
  uint64_t offset = 0;
  for (size_t i = 0; i < op.output_count; ++i) {
    if (Tensor(op.outputs[i]).elements() * DataTypeBits(op.outputs[i].data_type) % 8 != 0)
      return "a part does not end at a byte";
    if (aliases) aliases->push_back({GE_ALIAS_OUTPUT_IN_INPUT, e.data, static_cast<int32_t>(i), 0, offset});
    offset += static_cast<uint64_t>(Tensor(op.outputs[i]).bytes());
  }
  if (offset != static_cast<uint64_t>(Tensor(whole).bytes())) return "the parts' sizes do not add up to the input's";
  return "";
}

// An operator with GE_TRAIT_VIEW is a view always: no list names those. These are views under some conditions.
const Rule kAlways = {"", Same, 0, -1, nullptr};
const Rule kRules[] = {
    {"Expand", Repeat, 0, -1, nullptr},
    {"BroadcastTo", Repeat, 0, -1, nullptr},
    {"Tile", Repeat, 0, -1, nullptr},
    {"Transpose", Transpose, 0, 1, nullptr},
    {"TransposeD", Transpose, 0, -1, "perm"},
    {"ConcatV2", Concat, 0, -2, nullptr},
    {"Concat", Concat, 1, 0, nullptr},
    {"ConcatD", Concat, 0, -1, "concat_dim"},
    {"PhonyConcat", Concat, 0, -1, "concat_dim"},
    {"SplitV", Split, 0, 2, nullptr},
    {"Split", Split, 1, 0, nullptr},
    {"SplitD", Split, 0, -1, "split_dim"},
    {"PhonySplit", Split, 0, -1, "split_dim"},
};

const Rule *Find(const GeOpDesc &op) {
  if (GeOpHasTrait(&op, GE_TRAIT_VIEW) && op.output_count == 1) return &kAlways;
  for (const Rule &rule : kRules) {
    if (std::strcmp(rule.type, op.type) == 0) return &rule;
  }
  return nullptr;
}

}  // namespace

std::string Examine(const GeOpDesc &op, std::vector<GeAlias> *aliases) {
  const Rule *rule = Find(op);
  if (!rule) return "not a view operator";
  if (static_cast<size_t>(rule->data) >= op.input_count || op.output_count == 0) return "ports are missing";
  if (DataTypeBits(op.inputs[rule->data].data_type) == 0) return "elements have no fixed size";
  return rule->examine(op, *rule, aliases);
}

}  // namespace views
