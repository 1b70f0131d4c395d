// The file that a process point names: JSON.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/ir/types.h"
#include "core/support/log.h"
#include "runtime/flow/function.h"
#include "runtime/flow/json_number.h"
#include "runtime/flow/point.h"

namespace gec {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json ReadJson(const std::string &path) {
  std::ifstream file(path);
  if (!file) Fail(GE_PATH_INVALID, "it cannot be opened");
  return Json::parse(file);
}

// Of a file that the config names; as it is where there is nothing beside the config.
std::string Beside(const fs::path &config, const std::string &path) {
  const fs::path beside = config.parent_path() / path;
  std::error_code ignored;
  return fs::path(path).is_absolute() || !fs::exists(beside, ignored) ? path : beside.string();
}

std::string CompilerOf(const fs::path &config, const std::string &path) {
  if (path.empty()) return "";
  const Json file = ReadJson(Beside(config, path));
  for (const Json &entry : file.at("compiler"))
    if (entry.at("resource_type") == "X86") return entry.at("toolchain");
  return "";
}

std::string LibraryOf(const fs::path &config, const Json &root) {
  const std::string target = root.value("target_bin", ""), workspace = root.value("workspace", "");
  if (target.empty()) return "";
  const std::string folder = Beside(config, workspace.empty() ? "." : workspace);
  const std::string list = root.value("cmakelist_path", "");
  if (!list.empty()) return BuildFlowLibrary({folder, list, target, CompilerOf(config, root.value("compiler", ""))});
  const fs::path ready = fs::path(folder) / target;
  std::error_code error;
  if (!fs::is_regular_file(ready, error)) Fail(GE_PATH_INVALID, "there is no library '", ready.string(), "'");
  return fs::canonical(ready).string();
}

/// An empty list where there is none.
Json ListOf(const Json &root, const char *key) {
  Json list = root.value(key, Json::array());
  if (!list.is_array()) Fail(GE_PATH_INVALID, key, " is ", list.dump(), ", expected a list");
  return list;
}

void ReadFunctions(const Json &root, FlowConfig *config) {
  for (const Json &entry : ListOf(root, "func_list")) {
    FlowConfig::Function function;
    function.name = entry.at("func_name");
    for (const Json &index : ListOf(entry, "inputs_index"))
      function.inputs.push_back(WholeNumber<uint32_t>(index, "inputs_index"));
    for (const Json &index : ListOf(entry, "outputs_index"))
      function.outputs.push_back(WholeNumber<uint32_t>(index, "outputs_index"));
    function.streams = entry.value("stream_input", false);
    config->functions.push_back(std::move(function));
  }
}

void ReadInputs(const Json &root, FlowConfig *config) {
  for (const Json &entry : ListOf(root, "inputs_tensor_desc")) {
    std::vector<int64_t> dims;
    for (const Json &dim : ListOf(entry, "shape")) dims.push_back(WholeNumber<int64_t>(dim, "shape"));
    const std::string type = entry.at("data_type"), format = entry.value("format", "ND");
    TensorDesc desc(DataTypeFromName(type), Shape(dims.data(), dims.size()), FormatFromName(format));
    if (desc.dtype == C_DT_UNDEFINED) Fail(GE_PATH_INVALID, "data type '", type, "' is unknown");
    if (desc.format == C_FORMAT_RESERVED) Fail(GE_PATH_INVALID, "format '", format, "' is unknown");
    config->inputs.push_back(std::move(desc));
  }
}

void ReadOptions(const Json &root, FlowConfig *config) {
  const Json options = root.value("build_options", Json::object());
  for (const auto &[key, value] : options.items()) {
    if (FindOptionSpec(key)) config->options.Set(key, value.is_string() ? value.get<std::string>() : value.dump());
    else Log(GE_LOG_WARNING, "build option '", key, "' of a process point is unknown, it is ignored");
  }
}

}  // namespace

FlowConfig ReadFlowConfig(const std::string &path) {
  FlowConfig config;
  if (path.empty()) return config;
  try {
    const Json root = ReadJson(path);
    ReadFunctions(root, &config);
    ReadInputs(root, &config);
    ReadOptions(root, &config);
    config.input_num = WholeNumber<int64_t>(root.value("input_num", Json(-1)), "input_num");
    config.output_num = WholeNumber<int64_t>(root.value("output_num", Json(-1)), "output_num");
    config.library = LibraryOf(path, root);
  } catch (const Json::exception &error) {
    Fail(GE_PATH_INVALID, "compile config '", path, "': ", error.what());
  } catch (const Error &error) {
    Fail(error.code(), "compile config '", path, "': ", error.what());
  }
  return config;
}

}  // namespace gec
