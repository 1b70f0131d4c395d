// The content of an Operator.
#ifndef INC_GRAPH_DETAIL_OPERATOR_IMPL_H_
#define INC_GRAPH_DETAIL_OPERATOR_IMPL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/op.h"
#include "graph/attr_value.h"
#include "graph/detail/name_map.h"
#include "graph/error_codes.h"
#include "graph/inference_context.h"
#include "graph/tensor.h"

namespace ge {

class Graph;
class Operator;

namespace detail {

struct OperatorImpl;
struct OperatorLink {
  std::shared_ptr<OperatorImpl> source;
  std::string output;  // instance name at the source
};
// Made with all their members.
struct OperatorPort {
  std::string name;
  int32_t kind;
  std::string symbol;
  uint32_t instances;  // of a dynamic port
};
struct OperatorAttr {
  std::string name;
  bool required;
  std::string type;    // as declared, for required ones
  AttrValue fallback;  // of an optional one
};
struct OperatorSubgraph {
  std::string name;
  bool dynamic;
  uint32_t instances;
};
struct OperatorImpl {
  std::string name, type;
  std::vector<OperatorPort> inputs, outputs;
  std::vector<OperatorAttr> ir_attrs;
  NameMap<AttrValue> attrs;
  NameMap<TensorDesc> input_descs, output_descs;  // by instance name
  NameMap<OperatorLink> links;                    // by input instance name
  std::vector<std::shared_ptr<OperatorImpl>> control_inputs;
  std::vector<std::weak_ptr<OperatorImpl>> consumers;
  std::vector<OperatorSubgraph> subgraphs;
  NameMap<std::function<Graph()>> subgraph_builders;  // by instance name
  NameMap<std::string> subgraph_names;                // of graphs, by instance name
  std::vector<std::pair<std::string, std::string>> symbols;
  NameMap<NameMap<AttrValue>> input_attrs, output_attrs;               // by instance name
  std::function<graphStatus(Operator &)> infer, infer_format, verify;  // of this operator alone
  InferenceContextPtr inference_context;
  bool of_library = false;  // declared by the library's prototype, not by a class

  /// Instance names in port order; an optional input occupies its port.
  std::vector<std::string> Instances(bool input) const {
    std::vector<std::string> names;
    for (const OperatorPort &port : input ? inputs : outputs) {
      if (port.kind != GE_IR_DYNAMIC) {
        names.push_back(port.name);
        continue;
      }
      for (uint32_t i = 0; i < port.instances; ++i) names.push_back(port.name + std::to_string(i));
    }
    return names;
  }
  OperatorPort *Find(bool input, const std::string &port_name) {
    for (OperatorPort &port : input ? inputs : outputs)
      if (port.name == port_name) return &port;
    return nullptr;
  }
};

}  // namespace detail

}  // namespace ge

#endif
