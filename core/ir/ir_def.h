// The C++ copy of a GeOpSchema. Definitions live until the process ends, so nodes hold plain pointers.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "core/ir/attr.h"
#include "core/support/symbol.h"
#include "ge/op.h"

namespace gec {

struct IrPort {
  Symbol name;
  int32_t kind = GE_IR_REQUIRED;
  std::string data_types;
  std::vector<uint32_t> promoted;  // of an output whose type symbol is Promote({...}): the inputs with these symbols
};
struct IrAttr {
  Symbol name;
  int32_t type = C_VT_NONE;
  bool required = false;
  AttrValue fallback;  // optional attributes only
};
struct IrGraph {
  Symbol name;
  int32_t kind = GE_IR_REQUIRED;
};

struct IrDef {
  Symbol type;
  std::string family, brief;
  std::vector<IrPort> inputs, outputs;
  std::vector<IrAttr> attrs;
  std::vector<IrGraph> graphs;
  std::vector<std::pair<std::string, std::string>> symbols;
  bool dynamic_inputs = false, dynamic_outputs = false;
  bool promotes = false;               // an output has promoted inputs
  const GeOpSchema *schema = nullptr;  // plain view of this, same lifetime
  std::vector<uint32_t> attr_order;    // indexes into attrs, by name
  std::vector<int32_t> ones;           // ports per input or output where none is dynamic
  bool own_kernel = false;  // of nodes that a program's own kernel computes; the type may be built in all the same
  // Found on first use (core/ops/traits.h): the traits, and whether they are the row of a built-in operator.
  mutable std::atomic<const GeOpTraits *> traits{nullptr};
  mutable std::atomic<bool> builtin_traits{false};

  const IrAttr *FindAttr(Symbol name) const;
  int FindInput(Symbol name) const;  // index or -1
  int FindOutput(Symbol name) const;
};

/// Copies a schema. The same address gives the same definition again (generated code passes static data), a different
/// address with equal content shares it too. Throws GE_PARAM_INVALID / GE_ABI_MISMATCH.
const IrDef *InternSchema(const GeOpSchema *schema);
/// The definition of nodes of this operator that a program's own kernel computes. The same one every time.
const IrDef *OwnKernelDef(const IrDef &def);
/// Calls fn with every definition of the type.
void ForEachIrDef(Symbol type, const std::function<void(const IrDef &)> &fn);
/// Same ports, attributes, subgraphs and symbols; family and brief do not count.
bool SameIr(const IrDef &a, const IrDef &b);
/// The first thing in which b differs from a, in words; "" when SameIr.
std::string IrDifference(const IrDef &a, const IrDef &b);

}  // namespace gec
