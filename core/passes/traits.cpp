#include "core/passes/traits.h"

#include <string_view>
#include <unordered_set>

namespace gec {

bool IsRandom(const Node &node) {
  static const std::string_view kParts[] = {"Random",  "Dropout",   "DropOut", "Multinomial",
                                            "Shuffle", "Bernoulli", "Normal"};
  std::string_view type = node.type().view();
  if (type.find("Norm") != std::string_view::npos && type.find("Random") == std::string_view::npos &&
      type.find("Normal") == std::string_view::npos)
    return false;
  for (std::string_view part : kParts) {
    if (type.find(part) != std::string_view::npos && type != "Normalize") return true;
  }
  return false;
}

bool HasEffect(const Node &node) {
  static const std::unordered_set<Symbol> *types = new std::unordered_set<Symbol>{
      "NetOutput", "Assert",      "Print",   "PrintV2", "Assign",        "AssignAdd", "AssignSub", "AssignVariableOp",
      "Variable",  "VarHandleOp", "RefData", "NoOp",    "Const",         "Constant",  "Send",      "Recv",
      "Enter",     "Exit",        "Switch",  "Merge",   "NextIteration", "LoopCond"};
  std::string_view type = node.type().view();
  return node.output_count() == 0 || types->count(node.type()) != 0 || type.substr(0, 4) == "Hcom";
}

bool IsView(Symbol type) {
  static const std::unordered_set<Symbol> *types =
      new std::unordered_set<Symbol>{"Reshape",   "Flatten",   "FlattenV2",   "Squeeze",     "SqueezeV2",
                                     "SqueezeV3", "Unsqueeze", "UnsqueezeV2", "UnsqueezeV3", "ExpandDims"};
  return types->count(type) != 0;
}

}  // namespace gec
