// Kernels that are linked into a library, by operator: their binaries, what is known of them, functions and tuning.
//
//   extern const uint8_t begin[], end[];                           // as `ld -r -b binary` names what it embeds
//   auto &all = nnopbase::OpBinaryResourceManager::GetInstance();
//   all.AddBinary("AddCustom", {{op_json, op_json_end}, {kernel_json, kernel_json_end}, {kernel, kernel_end}});
//   std::tuple<nlohmann::json, nnopbase::Binary> found;
//   all.GetOpBinaryByPath("ai_core/add.json", found);
//
// Bytes are not copied: they stay with who registers them, for as long as the process lives.
#ifndef INC_REGISTER_OP_BINARY_RESOURCE_MANAGER_H_
#define INC_REGISTER_OP_BINARY_RESOURCE_MANAGER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ge/log.h"
#include "ge/status.h"
#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "graph/error_codes.h"
#include "register/detail/json.h"

namespace nnopbase {

/// Borrowed bytes.
struct Binary {
  const uint8_t *content = nullptr;
  uint32_t len = 0;
};

/// One for the library it is compiled into. Any thread may call. Look-ups that find nothing answer GRAPH_FAILED and
/// leave the result alone; registrations that are refused answer GRAPH_PARAM_INVALID, log why and change nothing.
class GE_OF_THIS_LIBRARY OpBinaryResourceManager {
 public:
  /// First byte, and the one behind the last.
  using Range = std::tuple<const uint8_t *, const uint8_t *>;

  static OpBinaryResourceManager &GetInstance() {
    static OpBinaryResourceManager manager;
    return manager;
  }
  OpBinaryResourceManager() = default;
  ~OpBinaryResourceManager() = default;
  OpBinaryResourceManager(const OpBinaryResourceManager &) = delete;
  OpBinaryResourceManager &operator=(const OpBinaryResourceManager &) = delete;

  /// Functions of an operator, in an order that those who register and those who ask agree on. The last list counts.
  ge::graphStatus AddOpFuncHandle(const ge::AscendString &opType, const std::vector<void *> &opResourceHandle) {
    if (opType.GetLength() == 0) return Refuse("functions are registered for no operator");
    Locked all(Mutex());
    Content().functions[opType.GetString()] = opResourceHandle;
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetOpFuncHandle(const ge::AscendString &opType, std::vector<void *> &opResourceHandle) const {
    Locked all(Mutex());
    return Find(Content().functions, opType, opResourceHandle);
  }

  /// First the operator's description, a JSON text; then for each kernel a JSON text and its binary. A kernel is found
  /// by the member "filePath" of its JSON, and by each text in "simplifiedKey" of its member "supportInfo".
  ge::graphStatus AddBinary(const ge::AscendString &opType, const std::vector<Range> &opBinary) {
    const std::string op = std::string("binaries of '") + opType.GetString() + "'";
    if (opType.GetLength() == 0 || opBinary.size() % 2 == 0)
      return Refuse(op + " are " + std::to_string(opBinary.size()) + " ranges, expected 1 and 2 more for each kernel");
    Resources added;
    nlohmann::json &description = added.descriptions[opType.GetString()];
    if (!Parse(opBinary[0], description)) return Refuse(op + ": the description is no JSON text");
    for (size_t i = 1; i < opBinary.size(); i += 2) {
      nlohmann::json kernel;
      const size_t length = Length(opBinary[i + 1]);
      if (!Parse(opBinary[i], kernel) || !kernel.is_object() || !kernel.contains("filePath") ||
          !kernel["filePath"].is_string())
        return Refuse(op + ": text " + std::to_string(i) + " is no JSON object with a filePath");
      if (length == 0 || length > std::numeric_limits<uint32_t>::max())
        return Refuse(op + ": range " + std::to_string(i + 1) + " has " + std::to_string(length) + " bytes");
      const std::string path = kernel["filePath"].get<std::string>();
      const nlohmann::json keys = kernel.value("supportInfo", nlohmann::json::object());
      if (keys.is_object() && keys.contains("simplifiedKey"))
        for (const nlohmann::json &key : keys["simplifiedKey"])
          if (key.is_string()) added.paths[key.get<std::string>()] = path;
      added.kernels[path] = {std::move(kernel), Binary{std::get<0>(opBinary[i + 1]), static_cast<uint32_t>(length)}};
    }
    Locked all(Mutex());
    for (auto &[type, json] : added.descriptions) Content().descriptions[type] = std::move(json);
    for (auto &[path, kernel] : added.kernels) Content().kernels[path] = std::move(kernel);
    for (auto &[key, path] : added.paths) Content().paths[key] = path;
    return ge::GRAPH_SUCCESS;
  }
  /// Operator types and their descriptions. A copy: others may register meanwhile.
  std::map<ge::AscendString, nlohmann::json> GetAllOpBinaryDesc() const {
    Locked all(Mutex());
    std::map<ge::AscendString, nlohmann::json> out;
    for (const auto &[type, json] : Content().descriptions) out.emplace(type.c_str(), json);
    return out;
  }
  ge::graphStatus GetOpBinaryDesc(const ge::AscendString &opType, nlohmann::json &binaryDesc) const {
    Locked all(Mutex());
    return Find(Content().descriptions, opType, binaryDesc);
  }
  ge::graphStatus GetOpBinaryDescByPath(const ge::AscendString &jsonFilePath, nlohmann::json &binaryDesc) const {
    std::tuple<nlohmann::json, Binary> found;
    if (GetOpBinaryByPath(jsonFilePath, found) != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
    binaryDesc = std::move(std::get<0>(found));
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetOpBinaryDescByKey(const ge::AscendString &simplifiedKey, nlohmann::json &binaryDesc) const {
    std::tuple<nlohmann::json, Binary> found;
    if (GetOpBinaryByKey(simplifiedKey, found) != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
    binaryDesc = std::move(std::get<0>(found));
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetOpBinaryByPath(const ge::AscendString &jsonFilePath,
                                    std::tuple<nlohmann::json, Binary> &binaryInfo) const {
    Locked all(Mutex());
    return Find(Content().kernels, jsonFilePath, binaryInfo);
  }
  ge::graphStatus GetOpBinaryByKey(const ge::AscendString &simplifiedKey,
                                   std::tuple<nlohmann::json, Binary> &binaryInfo) const {
    Locked all(Mutex());
    std::string path;
    if (Find(Content().paths, simplifiedKey, path) != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
    return Find(Content().kernels, ge::AscendString(path.c_str()), binaryInfo);
  }

  /// Texts of a tuner's results. They are added to those that are there.
  ge::graphStatus AddRuntimeKB(const ge::AscendString &opType, const std::vector<Range> &opRuntimeKb) {
    if (opType.GetLength() == 0) return Refuse("tuning results are registered for no operator");
    std::vector<std::string> texts;
    for (const Range &range : opRuntimeKb) {
      if (std::get<0>(range) == nullptr) return Refuse("a tuning result is null");
      texts.emplace_back(reinterpret_cast<const char *>(std::get<0>(range)), Length(range));
    }
    Locked all(Mutex());
    std::vector<std::string> &known = Content().tuning[opType.GetString()];
    known.insert(known.end(), texts.begin(), texts.end());
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus GetOpRuntimeKB(const ge::AscendString &opType, std::vector<ge::AscendString> &runtimeKb) const {
    std::vector<std::string> texts;
    {
      Locked all(Mutex());
      if (Find(Content().tuning, opType, texts) != ge::GRAPH_SUCCESS) return ge::GRAPH_FAILED;
    }
    runtimeKb.clear();
    for (const std::string &text : texts) runtimeKb.emplace_back(text.data(), text.size());
    return ge::GRAPH_SUCCESS;
  }

 private:
  template <class Value>
  using ByName = std::map<std::string, Value>;
  struct Resources {
    ByName<nlohmann::json> descriptions;                 // by operator type
    ByName<std::tuple<nlohmann::json, Binary>> kernels;  // by path
    ByName<std::string> paths;                           // by simplified key
    ByName<std::vector<void *>> functions;               // by operator type
    ByName<std::vector<std::string>> tuning;             // the same
  };
  struct All {
    std::mutex mutex;
    Resources content;
  };
  static std::mutex &Mutex() { return ge::detail::LibraryTable<All, OpBinaryResourceManager>().mutex; }
  static Resources &Content() { return ge::detail::LibraryTable<All, OpBinaryResourceManager>().content; }
  using Locked = std::lock_guard<std::mutex>;

  static ge::graphStatus Refuse(const std::string &why) {
    GeLogMessage(GE_LOG_ERROR, ("OpBinaryResourceManager: " + why).c_str());
    return ge::GRAPH_PARAM_INVALID;
  }
  static size_t Length(const Range &range) {
    const auto [begin, end] = range;
    return begin != nullptr && end > begin ? static_cast<size_t>(end - begin) : 0;
  }
  static bool Parse(const Range &range, nlohmann::json &json) {
    if (Length(range) == 0) return false;
    json = nlohmann::json::parse(std::get<0>(range), std::get<1>(range), nullptr, false);
    return !json.is_discarded();
  }
  template <class Value>
  static ge::graphStatus Find(const ByName<Value> &table, const ge::AscendString &name, Value &value) {
    auto found = table.find(name.GetString());
    if (found == table.end()) return ge::GRAPH_FAILED;
    value = found->second;
    return ge::GRAPH_SUCCESS;
  }
};

}  // namespace nnopbase

#endif
