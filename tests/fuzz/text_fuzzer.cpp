// libFuzzer target of the texts that the library reads. The first letter says which one the rest is:
//   t  a TensorFlow graph as text          a  an option of a parser, KEY=VALUE, on a small graph
//   i  a value of ge.inputShape            o  options, a line KEY=VALUE each, checked and resolved together
//   w  a file that switches passes         s  a value of ge.optimizationSwitch
//   f  a config of a process point         p  a process point as a FlowNode holds it
//   n  a name of a data type or a format   x  an expression of a symbolic shape
//   d  details of a tensor's description, a line KEY=VALUE each, under inference
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/make_node.h"
#include "core/support/error.h"
#include "core/support/warnings.h"
#include "esb_funcs.h"
#include "ge/model.h"
#include "ge/tensorflow.h"
#include "memory_file.h"
#include "runtime/flow/point.h"
#include "runtime/option_values.h"
#include "runtime/options.h"
#include "runtime/pass_switches.h"
#include "small_graph.h"

namespace {

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::pair<std::string, std::string> KeyAndValue(const std::string &line) {
  const size_t at = line.find('=');
  return {line.substr(0, at), at == std::string::npos ? "" : line.substr(at + 1)};
}

void TensorFlowText(const std::string &text) {
  GeGraph *graph = nullptr;
  if (GeTensorFlowImportBuffer(text.data(), text.size(), nullptr, 0, nullptr, nullptr, &graph) != GE_SUCCESS) return;
  GeGraphVerify(graph);
  GeGraphDestroy(graph);
}

void ParserOption(const std::string &text) {
  const auto [key, value] = KeyAndValue(text);
  GeGraph *graph = fuzz::SmallGraph();
  if (GeGraphApplyParserOption(graph, key.c_str(), value.c_str()) == GE_SUCCESS) {
    if (GeGraphVerify(graph) != GE_SUCCESS) std::abort();  // an option makes no broken graph
    GeGraphInfer(graph, nullptr, 0);
  }
  GeGraphDestroy(graph);
}

void OptionLines(const std::string &text) {
  gec::Options options;
  for (const std::string &line : Lines(text)) {
    const auto [key, value] = KeyAndValue(line);
    if (key == "ge.fusionSwitchFile") continue;  // files are `w`; this one could be any file of the machine
    options.Set(key, value);
  }
  gec::Resolve(options);
}

// Builds nothing and loads no library: inputs that ask for one are left out.
void FlowConfig(const std::string &text) {
  if (text.find("target_bin") == std::string::npos && text.find('\\') == std::string::npos)
    gec::ReadFlowConfig(fuzz::MemoryFile(text).path());
}

void ProcessPoint(const std::string &text) {
  gec::GraphPtr graph = gec::Graph::Create("g");
  gec::Node *node = gec::MakeNode(*graph, "Neg", "node");
  graph->SetAttr(node, "_dflow_process_points", gec::AttrValue(gec::AttrValue::ListString{text}));
  gec::FlowPointsOf(*node);
}

void Details(const std::string &text) {
  GeGraph *graph = fuzz::SmallGraph();
  GeNode *input = nullptr;
  fuzz::Must(GeGraphFindNode(graph, "a", &input));
  const std::vector<std::string> lines = Lines(text);
  std::vector<const char *> texts;
  for (const std::string &line : lines) texts.push_back(line.c_str());
  GeAttrData attr = {};
  attr.name = GE_TENSOR_DETAILS;
  attr.type = C_VT_LIST_STRING;
  attr.list = texts.data();
  attr.count = texts.size();
  if (!texts.empty()) GeNodeSetOutputAttr(input, 0, &attr);
  GeGraphVerify(graph);
  GeGraphInfer(graph, nullptr, 0);
  GeGraphDestroy(graph);
}

void Expression(const std::string &text) {
  EsCGraphBuilder *builder = EsCreateGraphBuilder("g");
  const char *dims[] = {text.c_str()};
  EsSetOriginSymbolShape(EsCreateGraphInput(builder, 0), dims, 1);
  EsDestroyGraphBuilder(builder);
}

void Read(char form, const std::string &text) {
  switch (form) {
    case 't':
      return TensorFlowText(text);
    case 'a':
      return ParserOption(text);
    case 'i':
      return (void)gec::InputShapes("ge.inputShape", text);
    case 'o':
      return OptionLines(text);
    case 'w':
      return gec::WarnOfIdleSwitches(gec::ReadSwitches("", fuzz::MemoryFile(text).path()));
    case 's':
      return gec::WarnOfIdleSwitches(gec::ReadSwitches(text, ""));
    case 'f':
      return FlowConfig(text);
    case 'p':
      return ProcessPoint(text);
    case 'n':
      return (void)(GeDataTypeFromName(text.c_str()) + GeFormatFromName(text.c_str()));
    case 'x':
      return Expression(text);
    case 'd':
      return Details(text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  try {
    Read(static_cast<char>(data[0]), std::string(reinterpret_cast<const char *>(data) + 1, size - 1));
  } catch (const gec::Error &) {
  }
  gec::TakeWarnings();
  return 0;
}
