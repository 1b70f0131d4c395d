// The prototypes that come with the library. Defined in protos/register.cpp.
#pragma once

#include <functional>

#include "ge/op.h"

namespace gec {

/// Gets a schema that is valid during the call, and the inference function or null.
using BuiltinOpVisitor = std::function<void(const GeOpSchema &, GeInferFn)>;

/// Calls `visit` with one built-in operator; false when there is none of that type.
bool VisitBuiltinOp(const char *type, const BuiltinOpVisitor &visit);
/// Calls `visit` with every built-in operator.
void ForEachBuiltinOp(const BuiltinOpVisitor &visit);

/// An operator that has attributes where its sibling has constant inputs: "ReduceSumD" of "ReduceSum".
struct BuiltinAttributeForm {
  const char *type, *sibling;
  const char *renamed;  // "limit=end delta=step": attributes or inputs of `type` that the sibling calls otherwise
};
/// Null for other operators.
const BuiltinAttributeForm *FindBuiltinAttributeForm(const char *type);
/// The inference function of those that have none of their own: what the sibling says (core/ops/attribute_forms.cpp).
GeStatus InferAttributeForm(const GeInferContext *raw);

}  // namespace gec
