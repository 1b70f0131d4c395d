// NamedIoNodeBuilder: adds a node of a registered type and says which of its ports are there.
#ifndef INC_GRAPH_NAMED_IO_NODE_BUILDER_H_
#define INC_GRAPH_NAMED_IO_NODE_BUILDER_H_

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/attr_value.h"
#include "graph/gnode.h"
#include "graph/graph.h"
#include "graph/operator_factory.h"
#include "graph/tensor.h"

namespace ge {

/// Ports of a dynamic input or output go by instance name (x0, x1, …) and must be given without gaps. A port that is
/// not mentioned is there without a description; instances that are not mentioned are not there.
class NamedIoNodeBuilder {
 public:
  explicit NamedIoNodeBuilder(Graph &graph) : graph_(graph) {}
  NamedIoNodeBuilder(const NamedIoNodeBuilder &) = delete;
  NamedIoNodeBuilder &operator=(const NamedIoNodeBuilder &) = delete;

  NamedIoNodeBuilder &Type(const char_t *type) {
    type_ = Text(type);
    return *this;
  }
  NamedIoNodeBuilder &Name(const char_t *name) {
    name_ = Text(name);
    return *this;
  }
  NamedIoNodeBuilder &AddInput(const char_t *name) { return Add(inputs_, name, nullptr); }
  NamedIoNodeBuilder &AddInput(const char_t *name, const TensorDesc &desc) { return Add(inputs_, name, &desc); }
  NamedIoNodeBuilder &AddOutput(const char_t *name) { return Add(outputs_, name, nullptr); }
  NamedIoNodeBuilder &AddOutput(const char_t *name, const TensorDesc &desc) { return Add(outputs_, name, &desc); }
  NamedIoNodeBuilder &Attr(const char_t *name, const AttrValue &value) {
    attrs_.emplace_back(Text(name), value);
    return *this;
  }

  /// Null with a reason: the type is unknown, a port is not of the prototype or was given twice, a name is empty or
  /// taken.
  std::unique_ptr<GNode> Build(AscendString &error_message) {
    error_message = AscendString("");
    auto fail = [&](const std::string &text) {
      error_message = AscendString((type_ + " '" + name_ + "': " + text).c_str());
      return std::unique_ptr<GNode>();
    };
    if (type_.empty()) return fail("the type is empty");
    if (name_.empty()) return fail("the name is empty");
    if (graph_.handle() == nullptr) return fail("the graph is not valid");
    if (graph_.FindNodeByName(AscendString(name_.c_str())) != nullptr) return fail("the name is taken in the graph");
    Operator op = OperatorFactory::CreateOperator(name_.c_str(), type_.c_str());
    if (op.IsEmpty()) return fail("the type is not registered");
    std::string text = Declare(op, true, inputs_);
    if (text.empty()) text = Declare(op, false, outputs_);
    for (const auto &attr : attrs_) {
      if (text.empty() && attr.first.empty()) text = "an attribute has an empty name";
      if (text.empty()) op.SetAttr(attr.first.c_str(), attr.second);
    }
    if (!text.empty()) return fail(text);
    GNode node = graph_.AddNodeByOp(op);
    if (node.handle() == nullptr) return fail(GeLastErrorMessage());
    return std::unique_ptr<GNode>(new GNode(node));
  }

 private:
  struct Port {
    std::string name;
    bool described;
    TensorDesc desc;
  };
  static std::string Text(const char_t *text) { return text != nullptr ? text : ""; }
  NamedIoNodeBuilder &Add(std::vector<Port> &ports, const char_t *name, const TensorDesc *desc) {
    ports.push_back({Text(name), desc != nullptr, desc != nullptr ? *desc : TensorDesc()});
    return *this;
  }
  // Instances of a dynamic port are as many as were named; "" or what is wrong.
  static std::string Declare(Operator &op, bool input, const std::vector<Port> &given) {
    const std::string what = input ? "input" : "output";
    detail::OperatorImpl &impl = *op.impl();
    std::set<std::string> names;
    std::map<std::string, size_t> instances;
    for (const Port &port : given) {
      if (port.name.empty()) return "an " + what + " has an empty name";
      if (!names.insert(port.name).second) return what + " '" + port.name + "' is given twice";
      const detail::OperatorPort *exact = impl.Find(input, port.name);
      if (exact != nullptr && exact->kind != GE_IR_DYNAMIC) continue;
      const size_t digits = port.name.find_last_not_of("0123456789") + 1;
      detail::OperatorPort *dynamic = impl.Find(input, port.name.substr(0, digits));
      if (digits == port.name.size() || dynamic == nullptr || dynamic->kind != GE_IR_DYNAMIC)
        return what + " '" + port.name + "' does not belong to the prototype";
      const unsigned long index = std::strtoul(port.name.c_str() + digits, nullptr, 10);
      if (index >= 65536) return what + " '" + port.name + "': the number is too large";
      size_t &count = instances[dynamic->name];
      count = std::max<size_t>(count, index + 1);
    }
    for (const auto &dynamic : instances) {
      for (size_t i = 0; i < dynamic.second; ++i)
        if (names.count(dynamic.first + std::to_string(i)) == 0)
          return what + " '" + dynamic.first + std::to_string(i) + "' is missing before '" + dynamic.first +
                 std::to_string(dynamic.second - 1) + "'";
      impl.Find(input, dynamic.first)->instances = static_cast<uint32_t>(dynamic.second);
    }
    for (const Port &port : given)
      if (port.described) (input ? impl.input_descs : impl.output_descs)[port.name] = port.desc;
    return "";
  }
  Graph &graph_;
  std::string type_, name_;
  std::vector<Port> inputs_, outputs_;
  std::vector<std::pair<std::string, AttrValue>> attrs_;
};

}  // namespace ge

#endif
