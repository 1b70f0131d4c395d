// The C++ signatures of one operator: one, or several when older releases took fewer inputs.
#pragma once

#include <string>
#include <vector>

#include "op_model.h"
#include "proto.h"

namespace codegen {

enum class InputForm {
  kLike,    // const EsTensorLike &
  kHolder,  // const EsTensorHolder &
  kVector,  // const std::vector<EsTensorHolder> &
  kNullptr  // a literal nullptr: the parameter of a guard
};
struct CppInput {
  size_t index = 0;  // into Op::inputs
  InputForm form = InputForm::kHolder;
  bool has_default = false;
};
struct CppSignature {
  std::vector<CppInput> inputs;  // the first ones of the operator; what is missing is not connected
  OwnerBuilder owner = OwnerBuilder::kNone;
  bool owner_default = false;
  std::string deleted;  // message of a guard; empty for a live overload
  // Attributes that this overload takes in braces only, before it calls the one that takes them as vectors; ascending.
  std::vector<size_t> braces;
};
struct CppPlan {
  std::vector<CppSignature> signatures;
  std::vector<std::string> warnings;  // "Context: …. Cause: …. Action: …"
};

/// One signature, from the present prototype alone.
CppSignature PresentSignature(const Op &op);

/// Signatures for the present prototype and for callers of the archived ones, which are in ascending release order.
CppPlan PlanSignatures(const Op &op, const Proto &present, const std::vector<Proto> &history);

}  // namespace codegen
