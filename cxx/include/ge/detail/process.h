// GE's functions of the whole process: start, end, messages, prototypes.
#ifndef INC_GE_DETAIL_PROCESS_H_
#define INC_GE_DETAIL_PROCESS_H_

#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ge/detail/custom_libraries.h"
#include "ge/log.h"
#include "ge/model.h"
#include "ge/registry.h"
#include "ge/session.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/detail/library_table.h"
#include "graph/graph.h"

namespace ge {
namespace detail {

using OptionMap = std::map<AscendString, AscendString>;

inline OptionMap ToOptionMap(const std::map<std::string, std::string> &options) {
  OptionMap out;
  for (const auto &option : options)
    out.emplace(AscendString(option.first.c_str()), AscendString(option.second.c_str()));
  return out;
}

/// Warnings of the process until they are asked for: one line each, none twice. They are in the log as well.
inline std::string TakeWarnings() {
  std::string text;
  auto write = [](void *user, const char *part, size_t length) {
    static_cast<std::string *>(user)->append(part, length);
  };
  (void)GeWarningsTake(write, &text);
  return text;
}

/// A C option set. An empty key is an error; a key the library does not know is left out with a warning, as GE does.
class Options {
 public:
  explicit Options(const OptionMap &options) {
    status_ = GeOptionsCreate(&handle_);
    for (const auto &option : options)
      if (status_ == GE_SUCCESS)
        status_ = GeOptionsSetOrWarn(handle_, option.first.GetString(), option.second.GetString());
  }
  ~Options() { GeOptionsDestroy(handle_); }
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;
  Status status() const { return status_; }
  const GeOptions *get() const { return handle_; }

 private:
  GeOptions *handle_ = nullptr;
  Status status_ = FAILED;
};

/// Whether this library or program called GEInitialize; an end of aclgrphBuildModel's leaves that start alone.
GE_OF_THIS_LIBRARY inline std::atomic<bool> &Initialized() {
  static std::atomic<bool> on{false};
  return on;
}

/// True when aclgrphBuildInitialize was called, and its end not since: GE goes on for it when GEFinalize is called.
GE_OF_THIS_LIBRARY inline std::atomic<bool> &InitializedOffline() {
  static std::atomic<bool> on{false};
  return on;
}

/// A start of GE that has started: the first options count, and others than those are warned of.
inline void InitializeAgain(const OptionMap &options) {
  Options set(options);
  if (set.status() == SUCCESS && GeInitialize(set.get()) == GE_SUCCESS) return;
  (void)GeWarningAdd(GeLastErrorMessage());
  GeClearLastError();
}
inline Status Initialize(const OptionMap &options) {
  if (Initialized() && GeIsInitialized() != 0) {
    InitializeAgain(options);
    return SUCCESS;
  }
  Options set(options);
  if (set.status() != SUCCESS) return FAILED;
  if (GeInitialize(set.get()) != GE_SUCCESS) return FAILED;
  if (CustomLibraries::Load() != SUCCESS) {
    (void)GeFinalize();  // leaves the message
    return FAILED;
  }
  Initialized() = true;
  return SUCCESS;
}
/// Prototype of a registered type: (name, kind) of ports, (name, type) of attributes.
inline Status RegisteredIr(const char *type, std::vector<std::pair<AscendString, AscendString>> &inputs,
                           std::vector<std::pair<AscendString, AscendString>> &outputs,
                           std::vector<std::pair<AscendString, AscendString>> &attrs) {
  const GeOpSchema *schema = nullptr;
  if (type == nullptr || GeOpFind(type, &schema) != GE_SUCCESS) return FAILED;
  auto kind = [](const GeIrPort &port) {
    return port.kind == GE_IR_DYNAMIC ? "dynamic" : port.kind == GE_IR_OPTIONAL ? "optional" : "required";
  };
  inputs.clear();
  outputs.clear();
  attrs.clear();
  for (size_t i = 0; i < schema->input_count; ++i) inputs.emplace_back(schema->inputs[i].name, kind(schema->inputs[i]));
  for (size_t i = 0; i < schema->output_count; ++i)
    outputs.emplace_back(schema->outputs[i].name, kind(schema->outputs[i]));
  for (size_t i = 0; i < schema->attr_count; ++i)
    attrs.emplace_back(schema->attrs[i].value.name, AttrTypeName(schema->attrs[i].value.type));
  return SUCCESS;
}
/// Pending messages are handed out once.
inline std::string TakeErrorMessage() {
  std::string text = GeLastErrorMessage();
  GeClearLastError();
  return text;
}
inline Status Finalize() {
  Initialized() = false;
  if (InitializedOffline()) return SUCCESS;
  return GeFinalize() == GE_SUCCESS ? SUCCESS : FAILED;
}

}  // namespace detail
}  // namespace ge

#endif
