// The node at hand, as contexts describe it: name, type, ports by prototype and one by one, attributes.
#ifndef INC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_
#define INC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_format.h"
#include "graph/types.h"

namespace gert {

/// Type and formats of a port; the rest is only known with a tensor.
class CompileTimeTensorDesc {
 public:
  ge::DataType GetDataType() const { return data_type_; }
  void SetDataType(ge::DataType type) { data_type_ = type; }
  const StorageFormat &GetFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }

 private:
  ge::DataType data_type_ = ge::DT_UNDEFINED;
  StorageFormat format_;
};

/// Which of the node's present ports belong to one port of the prototype.
class AnchorInstanceInfo {
 public:
  AnchorInstanceInfo() = default;
  AnchorInstanceInfo(size_t start, size_t count) : start_(start), count_(count) {}
  /// 0: an optional input that is absent.
  size_t GetInstanceNum() const { return count_; }
  size_t GetInstanceStart() const { return start_; }

 private:
  size_t start_ = 0, count_ = 0;
};

class ComputeNodeInfo {
 public:
  const char *GetNodeName() const { return name_.c_str(); }
  const char *GetNodeType() const { return type_.c_str(); }
  size_t GetIrInputsNum() const { return ir_inputs_.size(); }
  size_t GetIrOutputsNum() const { return ir_outputs_.size(); }
  /// Present ones, dynamic inputs one by one.
  size_t GetInputsNum() const { return inputs_.size(); }
  size_t GetOutputsNum() const { return outputs_.size(); }
  const AnchorInstanceInfo *GetInputInstanceInfo(size_t ir_index) const { return At(ir_inputs_, ir_index); }
  const AnchorInstanceInfo *GetOutputInstanceInfo(size_t ir_index) const { return At(ir_outputs_, ir_index); }
  const CompileTimeTensorDesc *GetInputTdInfo(size_t index) const { return At(inputs_, index); }
  const CompileTimeTensorDesc *GetOutputTdInfo(size_t index) const { return At(outputs_, index); }
  const RuntimeAttrs *GetAttrs() const { return &attrs_; }

  /// For who makes one.
  void SetNode(std::string name, std::string type) {
    name_ = std::move(name);
    type_ = std::move(type);
  }
  /// The next port of the prototype, with its present instances; `name` is the prototype's.
  void AppendInput(const std::string &name, const std::vector<CompileTimeTensorDesc> &instances) {
    ir_inputs_.emplace_back(inputs_.size(), instances.size());
    input_names_.push_back(name);
    inputs_.insert(inputs_.end(), instances.begin(), instances.end());
  }
  void AppendOutput(const std::string &name, const std::vector<CompileTimeTensorDesc> &instances) {
    ir_outputs_.emplace_back(outputs_.size(), instances.size());
    for (size_t i = 0; i < instances.size(); ++i) output_names_.push_back(name);
    outputs_.insert(outputs_.end(), instances.begin(), instances.end());
  }
  RuntimeAttrs &MutableAttrs() { return attrs_; }
  /// The prototype has an input of the output's name: the output is that input, changed in place.
  bool IsReference(size_t output) const { return output < output_names_.size() && Has(output_names_[output]); }
  bool IsReference(size_t output, size_t input) const {
    if (output >= output_names_.size()) return false;
    for (size_t ir = 0; ir < ir_inputs_.size(); ++ir)
      if (input >= ir_inputs_[ir].GetInstanceStart() &&
          input < ir_inputs_[ir].GetInstanceStart() + ir_inputs_[ir].GetInstanceNum())
        return input_names_[ir] == output_names_[output];
    return false;
  }

 private:
  template <class T>
  static const T *At(const std::vector<T> &list, size_t index) {
    return index < list.size() ? &list[index] : nullptr;
  }
  bool Has(const std::string &input) const {
    for (const std::string &name : input_names_)
      if (name == input) return true;
    return false;
  }
  std::string name_, type_;
  std::vector<AnchorInstanceInfo> ir_inputs_, ir_outputs_;
  std::vector<std::string> input_names_, output_names_;  // by port of the prototype; by output
  std::vector<CompileTimeTensorDesc> inputs_, outputs_;
  RuntimeAttrs attrs_;
};

}  // namespace gert

#endif
