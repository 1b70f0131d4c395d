// Names and folders of dump files.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "core/dump/dump.h"
#include "core/serialize/air.h"
#include "ge/graph.h"

namespace gec {
namespace {

constexpr size_t kMaxFileName = 255;  // of common file systems

struct FileFormat {
  const char *prefix, *extension;
};
constexpr FileFormat kFormats[] = {
    {"ge_onnx_", ".pbtxt"}, {"ge_proto_", ".txt"}, {"ge_readable_", ".txt"}, {"ge_dot_", ".dot"}, {"ge_svg_", ".svg"}};

void CheckFormat(int32_t format) {
  if (format < 0 || format >= static_cast<int32_t>(std::size(kFormats))) {
    Fail(GE_PARAM_INVALID, "dump format ", format, " is unknown; 0 to ", std::size(kFormats) - 1, " are");
  }
}

// The folder that the environment names, with its slash; "" for the current one. Not created yet.
std::string ChooseFolder() {
  auto variable = [](const char *name) -> std::string {
    const char *value = getenv(name);
    if (!value || !*value) return "";
    std::string path = value;
    if (path.back() != '/') path += '/';
    return path;
  };
  constexpr int kDevice = 0;
  if (std::string path = variable("NPU_COLLECT_PATH"); !path.empty()) {
    return Str(path, "extra-info/graph/", getpid(), "_", kDevice, "/");
  }
  if (std::string path = variable("DUMP_GRAPH_PATH"); !path.empty()) {
    return Str(path, "pid_", getpid(), "_deviceid_", kDevice, "/");
  }
  return variable("ASCEND_WORK_PATH");
}

const std::string &Folder() {
  static const std::string *folder = new std::string(ChooseFolder());
  return *folder;
}

void MakeFolders(const std::string &folder) {
  for (size_t slash = folder.find('/', 1); slash != std::string::npos; slash = folder.find('/', slash + 1)) {
    std::string part = folder.substr(0, slash);
    if (mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) {
      Fail(GE_PATH_INVALID, "cannot create folder '", part, "': ", strerror(errno));
    }
  }
}

std::string Sanitised(std::string_view suffix) {
  std::string out;
  for (char c : suffix) {
    bool bad = static_cast<unsigned char>(c) < 0x20 || c == 0x7f || strchr("/\\:*?\"<>| ", c) != nullptr;
    out += bad ? '_' : c;
  }
  return out;
}

}  // namespace

std::string Dump(const Graph &graph, int32_t format) {
  CheckFormat(format);
  switch (format) {
    case GE_DUMP_ONNX:
      return DumpOnnx(graph);
    case GE_DUMP_TXT:
      return DumpTxt(graph);
    case GE_DUMP_DOT:
      return DumpDot(graph);
    case GE_DUMP_SVG:
      return DumpSvg(graph);
    default:
      return DumpReadable(graph);
  }
}

std::string DumpToFile(const Graph &graph, int32_t format, std::string_view suffix, uint32_t graph_id) {
  static std::atomic<uint32_t> counters[std::size(kFormats)];
  CheckFormat(format);
  std::string text = Dump(graph, format);
  const FileFormat &names = kFormats[format];
  char index[16];
  snprintf(index, sizeof index, "%08u", counters[format].fetch_add(1));
  std::string name = Str(names.prefix, index, "_graph_", graph_id, "_", Sanitised(suffix));
  const size_t most = kMaxFileName - strlen(names.extension) - 24;  // room for the temporary name
  if (name.size() > most) {
    size_t end = most;  // not inside a character
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
    name.resize(end);
  }
  name += names.extension;
  std::string path = Folder() + name;
  MakeFolders(Folder());
  FileWriter file(path);
  file.Write(text.data(), text.size());
  file.Commit();
  return path;
}

}  // namespace gec
