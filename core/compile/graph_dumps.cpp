#include "core/compile/graph_dumps.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/dump/dump.h"
#include "core/support/log.h"
#include "ge/graph.h"

namespace gec {
namespace {

std::string Variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> Parts(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('|', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

GraphDumps::GraphDumps() {
  const std::string on = Variable("DUMP_GE_GRAPH");
  if (on != "1" && on != "2" && on != "3") return;
  const std::string formats = Variable("DUMP_GRAPH_FORMAT");
  for (std::string name : Parts(formats.empty() ? "ge_proto|onnx" : formats)) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name == "ge_proto") formats_.push_back(GE_DUMP_TXT);
    else if (name == "onnx") formats_.push_back(GE_DUMP_ONNX);
    else if (name == "readable") formats_.push_back(GE_DUMP_READABLE);
    else Log(GE_LOG_WARNING, "DUMP_GRAPH_FORMAT: '", name, "' is none of ge_proto, onnx, readable");
  }
  const std::string level = Variable("DUMP_GRAPH_LEVEL");
  if (level.size() == 1 && level[0] >= '1' && level[0] <= '4') {
    level_ = level[0] - '0';
  } else if (!level.empty()) {
    level_ = 0;
    fragments_ = Parts(level);
  }
}

bool GraphDumps::Wanted(const std::string &stage, Kind kind) const {
  switch (level_) {
    case 0:
      return std::any_of(fragments_.begin(), fragments_.end(),
                         [&](const std::string &part) { return stage.find(part) != std::string::npos; });
    case 1:
      return true;
    case 3:
      return kind == kLast;
    case 4:
      return kind == kFirst;
    default:
      return kind != kDetail;
  }
}

void GraphDumps::Write(const Graph &graph, const std::string &stage, Kind kind) const {
  if (formats_.empty() || !Wanted(stage, kind)) return;
  for (int32_t format : formats_) {
    try {
      (void)DumpToFile(graph, format, stage);
    } catch (const Error &e) {
      Log(GE_LOG_WARNING, "dump of stage ", stage, ": ", e.what());
    }
  }
}

}  // namespace gec
