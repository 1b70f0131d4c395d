#include "parsers/tensorflow/handlers.h"

#include <algorithm>

#include "core/support/error.h"
#include "parsers/tensorflow/importer.h"

namespace gec::tensorflow {

const std::vector<Handler> &AllHandlers() {
  static const std::vector<Handler> *all = [] {
    auto *list = new std::vector<Handler>;
    for (HandlerTable table :
         {SourceHandlers(), MathHandlers(), ShapeHandlers(), ConvolutionHandlers(), ImageHandlers(), ControlHandlers()})
      list->insert(list->end(), table.begin, table.end);
    std::sort(list->begin(), list->end(),
              [](const Handler &a, const Handler &b) { return std::string_view(a.type) < b.type; });
    return list;
  }();
  return *all;
}

const Handler *FindHandler(std::string_view type) {
  const std::vector<Handler> &all = AllHandlers();
  auto found = std::lower_bound(all.begin(), all.end(), type,
                                [](const Handler &h, std::string_view t) { return std::string_view(h.type) < t; });
  return found != all.end() && type == found->type ? &*found : nullptr;
}

const char *WhyUnsupported(std::string_view type) {
  struct Row {
    const char *type, *why;
  };
  static constexpr const char *kFlow =
      "control flow of TensorFlow 1 is not imported; convert the graph to functional control flow (If, While) or name "
      "outputs before it";
  static constexpr const char *kVariable = "the graph holds variables; freeze it first, so that they become constants";
  static constexpr const char *kList = "lists and arrays of tensors are not imported";
  static constexpr const char *kTable = "tables of keys and values are not imported";
  static constexpr Row kRows[] = {
      {"Switch", kFlow},
      {"Merge", kFlow},
      {"Enter", kFlow},
      {"Exit", kFlow},
      {"NextIteration", kFlow},
      {"LoopCond", kFlow},
      {"RefSwitch", kFlow},
      {"RefMerge", kFlow},
      {"RefEnter", kFlow},
      {"RefExit", kFlow},
      {"RefNextIteration", kFlow},
      {"_SwitchN", kFlow},
      {"Variable", kVariable},
      {"VariableV2", kVariable},
      {"VarHandleOp", kVariable},
      {"ReadVariableOp", kVariable},
      {"ResourceGather", kVariable},
      {"RestoreV2", kVariable},
      {"TensorListReserve", kList},
      {"TensorListFromTensor", kList},
      {"TensorListGetItem", kList},
      {"TensorListSetItem", kList},
      {"TensorListStack", kList},
      {"EmptyTensorList", kList},
      {"TensorListPushBack", kList},
      {"TensorArrayV3", kList},
      {"TensorArrayReadV3", kList},
      {"TensorArrayWriteV3", kList},
      {"TensorArrayGatherV3", kList},
      {"TensorArrayScatterV3", kList},
      {"HashTableV2", kTable},
      {"LookupTableFindV2", kTable},
      {"PyFunc", "it calls Python"},
      {"EagerPyFunc", "it calls Python"},
  };
  for (const Row &row : kRows)
    if (type == row.type) return row.why;
  return nullptr;
}

std::string DescribeOperators() {
  std::string out;
  for (const Handler &h : AllHandlers()) out += Str(h.type, "\n");
  return out;
}

}  // namespace gec::tensorflow
