// Code shared by builders of contexts: the node.
#ifndef INC_BASE_CONTEXT_BUILDER_OP_CONTEXT_BUILDER_BASE_H_
#define INC_BASE_CONTEXT_BUILDER_OP_CONTEXT_BUILDER_BASE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/context_builder/context_holder.h"
#include "exe_graph/runtime/tensor.h"
#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "platform/platform_infos_def.h"

namespace gert {

/// T is the builder derived from it. Without IONum and IOInstanceNum every tensor is a port of the prototype of its
/// own.
template <class T>
class OpContextBuilderBase {
 public:
  T &OpType(const ge::AscendString &op_type) {
    type_ = op_type;
    return Self();
  }
  T &OpName(const ge::AscendString &op_name) {
    name_ = op_name;
    return Self();
  }
  /// Ports of the prototype, with one tensor each.
  T &IONum(size_t input_ir_num, size_t output_ir_num) {
    return IOInstanceNum(std::vector<uint32_t>(input_ir_num, 1), std::vector<uint32_t>(output_ir_num, 1));
  }
  /// Tensors of each port of the prototype: 0 for an optional input that is absent.
  T &IOInstanceNum(const std::vector<uint32_t> &input_instance_num, const std::vector<uint32_t> &output_instance_num) {
    input_counts_ = input_instance_num;
    output_counts_ = output_instance_num;
    counted_ = true;
    return Self();
  }
  /// The next attribute, in the order of the prototype.
  T &AppendAttr(bool attr) { return Attr(attr); }
  T &AppendAttr(int64_t attr) { return Attr(attr); }
  T &AppendAttr(float attr) { return Attr(attr); }
  T &AppendAttr(const ge::AscendString &attr) { return Attr(attr); }
  T &AppendAttr(const std::vector<bool> &attr) { return Attr(attr); }
  T &AppendAttr(const std::vector<int64_t> &attr) { return Attr(attr); }
  T &AppendAttr(const std::vector<float> &attr) { return Attr(attr); }
  T &AppendAttr(const std::vector<std::vector<int64_t>> &attr) { return Attr(attr); }

 protected:
  using Descs = std::vector<CompileTimeTensorDesc>;
  /// Null when the tensors are not as many as the ports of the prototype have.
  std::unique_ptr<detail::BuiltContext> Node(const Descs &inputs, const Descs &outputs) const {
    std::vector<uint32_t> in = input_counts_, out = output_counts_;
    if (!counted_) {
      in.assign(inputs.size(), 1);
      out.assign(outputs.size(), 1);
    }
    auto built = std::make_unique<detail::BuiltContext>();
    built->info.SetNode(name_.GetString(), type_.GetString());
    size_t at = 0, port = 0;
    for (uint32_t count : in) {
      if (count > inputs.size() - at) return nullptr;
      built->info.AppendInput("input" + std::to_string(port++), Part(inputs, at, count));
      at += count;
    }
    if (at != inputs.size()) return nullptr;
    at = port = 0;
    for (uint32_t count : out) {
      if (count > outputs.size() - at) return nullptr;
      built->info.AppendOutput("output" + std::to_string(port++), Part(outputs, at, count));
      at += count;
    }
    if (at != outputs.size()) return nullptr;
    for (const ge::AttrValue &attr : attrs_) built->info.MutableAttrs().Append(ge::detail::AttrView("", attr).get());
    built->frame.node = &built->info;
    return built;
  }
  static CompileTimeTensorDesc DescOf(const Tensor *tensor) {
    CompileTimeTensorDesc desc;
    if (tensor == nullptr) return desc;
    desc.SetDataType(tensor->GetDataType());
    desc.SetStorageFormat(tensor->GetStorageFormat());
    desc.SetOriginFormat(tensor->GetOriginFormat());
    return desc;
  }
  static Descs DescsOf(const std::vector<Tensor *> &tensors) {
    Descs descs;
    for (const Tensor *tensor : tensors) descs.push_back(DescOf(tensor));
    return descs;
  }
  /// The caller's, or this processor.
  static const void *Platform(const void *given, detail::BuiltContext &built) {
    return given != nullptr ? given : built.Own<fe::PlatFormInfos>();
  }
  const ge::AscendString &type() const { return type_; }

 private:
  T &Self() { return static_cast<T &>(*this); }
  template <class V>
  T &Attr(const V &attr) {
    attrs_.push_back(ge::detail::ToAttr(attr));
    return Self();
  }
  static Descs Part(const Descs &all, size_t from, size_t count) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(from);
    return Descs(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  ge::AscendString type_, name_;
  std::vector<uint32_t> input_counts_, output_counts_;
  bool counted_ = false;
  std::vector<ge::AttrValue> attrs_;
};

}  // namespace gert

#endif
