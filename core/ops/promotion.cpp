#include "core/ops/promotion.h"

#include "core/ir/types.h"
#include "core/ops/traits.h"
#include "core/support/error.h"

namespace gec {
namespace {

const IrPort *PortOfOutput(const Node &node, size_t o) {
  for (size_t ir = 0; ir < node.ir().outputs.size(); ++ir) {
    const auto [first, count] = node.OutputRange(ir);
    if (o >= static_cast<size_t>(first) && o < static_cast<size_t>(first + count)) return &node.ir().outputs[ir];
  }
  return nullptr;
}

/// "x1", or "x[2]" of a dynamic input.
std::string InputName(const Node &node, size_t port) {
  for (size_t ir = 0; ir < node.ir().inputs.size(); ++ir) {
    const auto [first, count] = node.InputRange(ir);
    if (port < static_cast<size_t>(first) || port >= static_cast<size_t>(first + count)) continue;
    const IrPort &input = node.ir().inputs[ir];
    if (input.kind != GE_IR_DYNAMIC) return std::string(input.name.view());
    return Str(input.name.view(), "[", port - static_cast<size_t>(first), "]");
  }
  return Str("input ", port);
}

}  // namespace

std::vector<size_t> PromotedInputs(const Node &node, size_t o) {
  std::vector<size_t> ports;
  if (node.ir().promotes) {
    const IrPort *output = PortOfOutput(node, o);
    if (!output) return ports;
    for (const uint32_t ir : output->promoted) {
      const auto [first, count] = node.InputRange(ir);
      for (int32_t k = 0; k < count; ++k) ports.push_back(static_cast<size_t>(first + k));
    }
  } else if (HasTrait(node, GE_TRAIT_PROMOTES)) {
    for (size_t i = 0; i < node.input_count(); ++i) ports.push_back(i);
  }
  return ports;
}

int32_t PromotedType(const Node &node, size_t o) {
  int32_t type = C_DT_UNDEFINED;
  size_t decided = 0;  // the input that made it this type
  for (const size_t i : PromotedInputs(node, o)) {
    if (!node.input(i)) continue;
    const int32_t next = node.input_desc(i).dtype, both = PromoteTypes(type, next);
    if (both == C_DT_UNDEFINED && next != C_DT_UNDEFINED)
      Fail(GE_INFER_FAILED, node.Label(), ": ", InputName(node, i), " has data type ", DataTypeName(next), " and ",
           InputName(node, decided), " ", DataTypeName(type), ": no type holds both");
    if (both != type) decided = i;
    type = both;
  }
  return type;
}

}  // namespace gec
