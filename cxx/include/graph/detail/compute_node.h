// A node as the library describes it, in the form that contexts of gert hand to a program's functions.
#ifndef INC_GRAPH_DETAIL_COMPUTE_NODE_H_
#define INC_GRAPH_DETAIL_COMPUTE_NODE_H_

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/tensor.h"
#include "ge/op.h"
#include "graph/attr_value.h"
#include "graph/detail/library_table.h"

namespace ge {
namespace detail {

/// Attributes beside the prototype's, which IMPL_OP(...).PrivateAttr names: by type, in order.
class GE_OF_THIS_LIBRARY PrivateAttrs {
 public:
  struct Attr {
    std::string name;
    bool has_default = false;
    AttrValue fallback;
  };
  static void Add(const std::string &type, Attr attr) {
    std::lock_guard<std::mutex> lock(Instance().mutex_);
    Instance().attrs_[type].push_back(std::move(attr));
  }
  static std::vector<Attr> Of(const std::string &type) {
    std::lock_guard<std::mutex> lock(Instance().mutex_);
    auto found = Instance().attrs_.find(type);
    return found == Instance().attrs_.end() ? std::vector<Attr>() : found->second;
  }

 private:
  static PrivateAttrs &Instance() {
    static auto *all = new PrivateAttrs;
    return *all;
  }
  std::mutex mutex_;
  std::map<std::string, std::vector<Attr>> attrs_;
};

inline gert::Shape GertShape(const int64_t *dims, int32_t rank) {
  gert::Shape shape;
  if (rank < 0) shape.AppendDim(UNKNOWN_DIM_NUM);
  for (int32_t i = 0; i < rank; ++i) shape.AppendDim(dims[i]);
  return shape;
}

/// Without data.
inline gert::Tensor GertTensor(const GeTensorData &data) {
  gert::StorageShape shape;
  shape.MutableStorageShape() = GertShape(data.dims, data.rank);
  shape.MutableOriginShape() = GertShape(data.origin_dims, data.origin_rank);
  gert::StorageFormat format(static_cast<Format>(data.origin_format), static_cast<Format>(data.format), {});
  return gert::Tensor(shape, format, static_cast<DataType>(data.data_type));
}

inline gert::CompileTimeTensorDesc CompileTimeDesc(const GeTensorData &data) {
  gert::CompileTimeTensorDesc desc;
  desc.SetDataType(static_cast<DataType>(data.data_type));
  desc.SetStorageFormat(static_cast<Format>(data.format));
  desc.SetOriginFormat(static_cast<Format>(data.origin_format));
  return desc;
}

struct ComputeNode {
  gert::ComputeNodeInfo info;
  std::vector<size_t> inputs;  // port of each present input
  std::string problem;         // not empty: a private attribute is missing, which it names

  explicit ComputeNode(const GeOpDesc &op) {
    info.SetNode(op.name != nullptr ? op.name : "", op.type);
    const GeOpSchema *schema = nullptr;
    if (GeOpFind(op.type, &schema) != GE_SUCCESS) {
      GeClearLastError();
      schema = nullptr;
    }
    size_t port = 0;
    for (size_t ir = 0; port < op.input_count || (schema != nullptr && ir < schema->input_count); ++ir) {
      std::vector<gert::CompileTimeTensorDesc> present;
      for (int32_t i = 0; i < Count(op.ir_input_counts, op.ir_input_total, ir) && port < op.input_count; ++i, ++port) {
        if (op.inputs[port].data_type == C_DT_UNDEFINED) continue;
        present.push_back(CompileTimeDesc(op.inputs[port]));
        inputs.push_back(port);
      }
      info.AppendInput(schema != nullptr && ir < schema->input_count ? schema->inputs[ir].name : "", present);
    }
    port = 0;
    for (size_t ir = 0; port < op.output_count || (schema != nullptr && ir < schema->output_count); ++ir) {
      std::vector<gert::CompileTimeTensorDesc> instances;
      for (int32_t i = 0; i < Count(op.ir_output_counts, op.ir_output_total, ir) && port < op.output_count; ++i)
        instances.push_back(CompileTimeDesc(op.outputs[port++]));
      info.AppendOutput(schema != nullptr && ir < schema->output_count ? schema->outputs[ir].name : "", instances);
    }
    for (size_t i = 0; schema != nullptr && i < schema->attr_count; ++i)
      info.MutableAttrs().Append(GeOpAttr(&op, schema->attrs[i].value.name));
    for (const PrivateAttrs::Attr &attr : PrivateAttrs::Of(op.type)) {
      const GeAttrData *value = GeOpAttr(&op, attr.name.c_str());
      if (value == nullptr && !attr.has_default) problem = "private attribute '" + attr.name + "' is not set";
      AttrView fallback(attr.name.c_str(), attr.fallback);
      info.MutableAttrs().Append(value != nullptr ? value : attr.has_default ? fallback.get() : nullptr);
    }
  }

 private:
  // Ports of one port of the prototype.
  static int32_t Count(const int32_t *counts, size_t total, size_t ir) {
    return counts != nullptr && ir < total ? counts[ir] : 1;
  }
};

}  // namespace detail
}  // namespace ge

#endif
