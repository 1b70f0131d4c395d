// The services for a function that is a class of its own.
#ifndef FLOW_FUNC_META_CONTEXT_H_
#define FLOW_FUNC_META_CONTEXT_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "flow_func/meta_run_context.h"

namespace FlowFunc {

/// Lives as long as the function; messages can be sent during Proc only, parameters be read during Init and Proc.
class MetaContext : public MetaRunContext {
 public:
  explicit MetaContext(const GeFlowHost *host)
      : MetaRunContext(nullptr),
        name_(host->name),
        work_path_(host->work_path),
        inputs_(host->input_count),
        outputs_(host->output_count) {}
  const char *GetName() const { return name_.c_str(); }
  std::shared_ptr<const AttrValue> GetAttr(const char *attrName) const { return context_.Attr(attrName); }
  template <class T>
  int32_t GetAttr(const char *attrName, T &value) const {
    return context_.GetAttr(attrName, value);
  }
  size_t GetInputNum() const { return inputs_; }
  size_t GetOutputNum() const { return outputs_; }
  /// Folder of the function's library; "" for functions of the program.
  const char *GetWorkPath() const { return work_path_.c_str(); }
  int32_t GetRunningDeviceId() const { return 0; }

  void Begin(const GeFlowHost *host, const uint8_t *user_data) {
    context_.Enter(host);
    if (user_data != nullptr) std::memcpy(user_data_, user_data, sizeof user_data_);
  }

 private:
  std::string name_, work_path_;
  size_t inputs_, outputs_;
};

}  // namespace FlowFunc

#endif
