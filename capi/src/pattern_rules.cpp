// Demands of a pattern on its nodes beyond types and edges, through the C ABI.
#include <algorithm>
#include <cmath>

#include "capi/src/pass_handles.h"
#include "core/ir/types.h"
#include "core/ops/registry.h"
#include "ge/pattern.h"

namespace gec::api {
namespace {

/// A node of the pattern's graph, and the place for what is said of it.
struct RulePlace {
  GraphPattern &pattern;
  Node &node;
  PatternNodeRule &rule() const { return pattern.rules[&node]; }
};

Node &NodeOfPattern(GraphPattern &pattern, GeNode *handle, const char *function, const char *argument) {
  Node &node = NodeOf(handle, function, argument);
  if (&node.graph() != pattern.graph.get())
    Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " is of graph '", node.graph().name(), "', the pattern's is '",
         pattern.graph->name(), "'");
  return node;
}

RulePlace PlaceOf(GePattern *handle, GeNode *node, const char *function) {
  GraphPattern &pattern = *ValidOf(handle, function, "pattern").pattern;
  return {pattern, NodeOfPattern(pattern, node, function, "node")};
}

void CheckOperator(const Node &node, const char *function) {
  static const Symbol net_output("NetOutput");
  if (IsDataType(node.type()) || node.type() == net_output)
    Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " is no operator");
}

void CheckOutput(const Node &node, int64_t index, const char *function) {
  if (index < 0 || static_cast<uint64_t>(index) >= node.output_count())
    Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " has no output ", index, ", it has ", node.output_count());
}

MatchConstraint &Add(const RulePlace &place, MatchConstraint::Test test, int64_t output) {
  MatchConstraint &made = place.rule().constraints.emplace_back();
  made.test = test;
  // A Data node stands for a tensor, whichever output that is.
  made.output = IsDataType(place.node.type()) ? -1 : static_cast<int32_t>(output);
  return made;
}

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GePatternSetCommutative(GePattern *pattern, GeNode *node) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternSetCommutative");
    CheckOperator(place.node, "GePatternSetCommutative");
    if (place.node.input_count() < 2)
      Fail(GE_PARAM_INVALID, "GePatternSetCommutative: ", place.node.Label(), " has ", place.node.input_count(),
           " inputs, expected at least 2");
    place.rule().commutative = true;
  });
}

GeStatus GePatternAddTypes(GePattern *pattern, GeNode *node, const char *const *types, size_t count) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternAddTypes");
    CheckOperator(place.node, "GePatternAddTypes");
    GE_CHECK_ARG(GePatternAddTypes, types);
    std::vector<Symbol> list;
    for (size_t i = 0; i < count; ++i) {
      if (!types[i]) NullArgument("GePatternAddTypes", "types[i]");
      (void)OpRegistry::Instance().Get(types[i]);  // one that nobody knows would match nothing, silently
      list.emplace_back(types[i]);
    }
    std::vector<Symbol> &known = place.rule().types;
    known.insert(known.end(), list.begin(), list.end());
  });
}

GeStatus GePatternSetOptional(GePattern *pattern, GeNode *node, int64_t input) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternSetOptional");
    CheckOperator(place.node, "GePatternSetOptional");
    if (input < 0 || static_cast<uint64_t>(input) >= place.node.input_count() ||
        !place.node.input(static_cast<size_t>(input)))
      Fail(GE_PARAM_INVALID, "GePatternSetOptional: ", place.node.Label(), " has no connected input ", input);
    place.rule().optional_input = static_cast<int>(input);
  });
}

GeStatus GePatternSetDynamic(GePattern *pattern, GeNode *node, int32_t more) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternSetDynamic");
    CheckOperator(place.node, "GePatternSetDynamic");
    PatternNodeRule &rule = place.rule();
    rule.dynamic = true;
    rule.more_inputs = more != 0;
  });
}

GeStatus GePatternAddAlternative(GePattern *pattern, GeNode *node, GeNode *other, int64_t index) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternAddAlternative");
    Node &instead = NodeOfPattern(place.pattern, other, "GePatternAddAlternative", "other");
    CheckOperator(place.node, "GePatternAddAlternative");
    CheckOperator(instead, "GePatternAddAlternative");
    CheckOutput(instead, index, "GePatternAddAlternative");
    if (&instead == &place.node)
      Fail(GE_PARAM_INVALID, "GePatternAddAlternative: ", place.node.Label(), " is no alternative to itself");
    place.rule().alternatives.push_back({&instead, static_cast<int32_t>(index)});
  });
}

GeStatus GePatternRequireDtypes(GePattern *pattern, GeNode *node, int64_t index, const int32_t *dtypes, size_t count) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternRequireDtypes");
    CheckOutput(place.node, index, "GePatternRequireDtypes");
    GE_CHECK_ARG(GePatternRequireDtypes, dtypes);
    if (count == 0) Fail(GE_PARAM_INVALID, "GePatternRequireDtypes: no data type is given");
    for (size_t i = 0; i < count; ++i)
      if (!IsDataTypeValue(dtypes[i]))
        Fail(GE_PARAM_INVALID, "GePatternRequireDtypes: ", place.node.Label(), ": data type ", i, " is ", dtypes[i],
             ", which no data type has");
    std::vector<int64_t> numbers(dtypes, dtypes + count);
    Add(place, MatchConstraint::kDtypes, index).numbers = std::move(numbers);
  });
}

GeStatus GePatternRequireShape(GePattern *pattern, GeNode *node, int64_t index, const int64_t *dims, size_t rank) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternRequireShape");
    CheckOutput(place.node, index, "GePatternRequireShape");
    if (!dims && rank) NullArgument("GePatternRequireShape", "dims");
    for (size_t i = 0; i < rank; ++i)
      if (dims[i] < GE_UNKNOWN_DIM)
        Fail(GE_PARAM_INVALID, "GePatternRequireShape: ", place.node.Label(), ": extent ", i, " is ", dims[i],
             ", expected 0 or more, or -1 for any");
    std::vector<int64_t> extents(dims, dims + rank);
    Add(place, MatchConstraint::kShape, index).numbers = std::move(extents);
  });
}

GeStatus GePatternRequireAttr(GePattern *pattern, GeNode *node, const GeAttrData *value) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternRequireAttr");
    GE_CHECK_ARG(GePatternRequireAttr, value);
    if (!value->name) NullArgument("GePatternRequireAttr", "value->name");
    if (!*value->name) Fail(GE_PARAM_INVALID, "GePatternRequireAttr: the attribute has no name");
    AttrValue wanted = AttrValue::From(*value);
    MatchConstraint &made = Add(place, MatchConstraint::kAttr, -1);
    made.name = Symbol(value->name);
    made.value = std::move(wanted);
  });
}

GeStatus GePatternRequireConstant(GePattern *pattern, GeNode *node, double value, double tolerance) {
  return Guard([&] {
    const RulePlace place = PlaceOf(pattern, node, "GePatternRequireConstant");
    if (std::isnan(value)) Fail(GE_PARAM_INVALID, "GePatternRequireConstant: the value is no number");
    if (!(tolerance >= 0)) Fail(GE_PARAM_INVALID, "GePatternRequireConstant: the tolerance is ", tolerance);
    MatchConstraint &made = Add(place, MatchConstraint::kNear, -1);
    made.wanted = value;
    made.tolerance = tolerance;
  });
}

}  // extern "C"
