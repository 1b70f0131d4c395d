#include "core/compile/numbered_dumps.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/dump/dump.h"
#include "core/serialize/air.h"

namespace gec {

NumberedDumps::NumberedDumps(std::string folder, const char *what) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) Fail(GE_PATH_INVALID, what, ": cannot create '", folder_, "': ", error.message());
}

void NumberedDumps::Write(const Graph &graph, std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '/'; }, '_');
  char number[32];
  std::snprintf(number, sizeof number, "%03zu_", files_.size());
  const std::string path = folder_ + "/" + number + name + ".txt";
  const std::string text = DumpReadable(graph);
  FileWriter file(path);
  file.Write(text.data(), text.size());
  file.Commit();
  files_.push_back(path);
}

}  // namespace gec
