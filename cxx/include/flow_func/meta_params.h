// The description of its process point that a class of functions gets when it starts.
#ifndef FLOW_FUNC_META_PARAMS_H_
#define FLOW_FUNC_META_PARAMS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "flow_func/attr_value.h"
#include "flow_func/detail/host_context.h"

namespace FlowFunc {

/// For MetaMultiFunc::Init only: later there are no parameters to read.
class MetaParams {
 public:
  explicit MetaParams(const GeFlowHost *host)
      : name_(host->name), work_path_(host->work_path), inputs_(host->input_count), outputs_(host->output_count) {
    context_.Enter(host);
  }
  /// Of the process point.
  const char *GetName() const { return name_.c_str(); }
  /// Null when there is none of the name.
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
  int32_t GetRunningInstanceId() const { return 0; }
  int32_t GetRunningInstanceNum() const { return 1; }

  void End() { context_.Detach(); }

 private:
  detail::HostContext context_;
  std::string name_, work_path_;
  size_t inputs_, outputs_;
};

}  // namespace FlowFunc

#endif
