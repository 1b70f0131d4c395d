// Changes that a plug-in makes to the list of a node's inputs.
#include <algorithm>
#include <numeric>

#include "core/support/error.h"
#include "ge/parser_plugin.h"
#include "parsers/plugin.h"

namespace gec {

std::vector<size_t> EditedInputs(const ParserPlugin &plugin, const FrontNode &front, const Node &made) {
  std::vector<size_t> inputs(front.inputs.size());
  std::iota(inputs.begin(), inputs.end(), size_t{0});
  std::vector<size_t> dropped;
  for (const InputEdit &edit : plugin.edits) {
    if (edit.kind == GE_INPUT_REORDER) {
      std::vector<size_t> moved(inputs.size());
      std::vector<bool> taken(inputs.size());
      if (edit.order.size() != inputs.size())
        Fail(GE_PARAM_INVALID, "its plug-in reorders ", edit.order.size(), " inputs, the node has ", inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i) {
        const int32_t to = edit.order[i];
        if (to < 0 || static_cast<size_t>(to) >= inputs.size() || taken[static_cast<size_t>(to)])
          Fail(GE_PARAM_INVALID, "its plug-in moves input ", i, " to ", to, ", expected each of 0 to ",
               inputs.size() - 1, " once");
        moved[static_cast<size_t>(to)] = inputs[i];
        taken[static_cast<size_t>(to)] = true;
      }
      inputs = std::move(moved);
      continue;
    }
    if (edit.kind == GE_INPUT_DROP_IF_TYPE && edit.name != front.origin_type) continue;
    if (edit.kind == GE_INPUT_DROP_IF_ATTR) {
      const AttrValue *value = made.attr(edit.name);
      if (!value || (value->type() != C_VT_BOOL && value->type() != C_VT_INT)) continue;
      if ((IntOf(value, 0) != 0) != edit.value) continue;
    }
    if (edit.index < 0 || static_cast<size_t>(edit.index) >= inputs.size())
      Fail(GE_PARAM_INVALID, "its plug-in leaves out input ", edit.index, ", the node has ", inputs.size(), " inputs");
    dropped.push_back(static_cast<size_t>(edit.index));
  }
  std::sort(dropped.rbegin(), dropped.rend());
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
  for (size_t i : dropped) inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(i));
  return inputs;
}

}  // namespace gec
