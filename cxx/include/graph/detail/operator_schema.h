// The C schema of an operator class, made once per distinct prototype and kept until the process ends.
#ifndef INC_GRAPH_DETAIL_OPERATOR_SCHEMA_H_
#define INC_GRAPH_DETAIL_OPERATOR_SCHEMA_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/op.h"
#include "graph/attr_value.h"
#include "graph/detail/language.h"
#include "graph/detail/library_table.h"
#include "graph/detail/operator_impl.h"

namespace ge {
namespace detail {

/// C_VT_* of a REG_OP type name ("Int") or an internal one ("VT_INT"); C_VT_NONE when unknown.
inline int32_t AttrTypeFromName(const std::string &name) {
  struct Row {
    const char *name;
    int32_t type;
  };
  static constexpr Row kRows[] = {{"Int", C_VT_INT},
                                  {"VT_INT", C_VT_INT},
                                  {"Float", C_VT_FLOAT},
                                  {"VT_FLOAT", C_VT_FLOAT},
                                  {"Bool", C_VT_BOOL},
                                  {"VT_BOOL", C_VT_BOOL},
                                  {"String", C_VT_STRING},
                                  {"VT_STRING", C_VT_STRING},
                                  {"AscendString", C_VT_STRING},
                                  {"Type", C_VT_DATA_TYPE},
                                  {"VT_DATA_TYPE", C_VT_DATA_TYPE},
                                  {"Tensor", C_VT_TENSOR},
                                  {"VT_TENSOR", C_VT_TENSOR},
                                  {"Bytes", C_VT_BYTES},
                                  {"VT_BYTES", C_VT_BYTES},
                                  {"NamedAttrs", C_VT_NAMED_ATTRS},
                                  {"VT_NAMED_ATTRS", C_VT_NAMED_ATTRS},
                                  {"ListInt", C_VT_LIST_INT},
                                  {"VT_LIST_INT", C_VT_LIST_INT},
                                  {"ListFloat", C_VT_LIST_FLOAT},
                                  {"VT_LIST_FLOAT", C_VT_LIST_FLOAT},
                                  {"ListBool", C_VT_LIST_BOOL},
                                  {"VT_LIST_BOOL", C_VT_LIST_BOOL},
                                  {"ListString", C_VT_LIST_STRING},
                                  {"VT_LIST_STRING", C_VT_LIST_STRING},
                                  {"ListAscendString", C_VT_LIST_STRING},
                                  {"ListType", C_VT_LIST_DATA_TYPE},
                                  {"VT_LIST_DATA_TYPE", C_VT_LIST_DATA_TYPE},
                                  {"ListTensor", C_VT_LIST_TENSOR},
                                  {"VT_LIST_TENSOR", C_VT_LIST_TENSOR},
                                  {"ListListInt", C_VT_LIST_LIST_INT},
                                  {"VT_LIST_LIST_INT", C_VT_LIST_LIST_INT},
                                  {"ListNamedAttrs", C_VT_LIST_NAMED_ATTRS},
                                  {"VT_LIST_NAMED_ATTRS", C_VT_LIST_NAMED_ATTRS}};
  for (const Row &row : kRows)
    if (name == row.name) return row.type;
  return C_VT_NONE;
}

class GE_OF_THIS_LIBRARY SchemaCache {
 public:
  static SchemaCache &Instance() {
    static SchemaCache *cache = new SchemaCache;  // schemas outlive every static object that may use them
    return *cache;
  }

  /// The operator's own declarations, which a node carries also where the library has others for the type; null (let
  /// the library look the type up) for an operator that the library's prototype declared.
  const GeOpSchema *Get(const OperatorImpl &op) {
    if (op.of_library) return nullptr;
    const GeOpSchema *own = Make(op);
    Lock lock(mutex_);
    const auto entry = of_library_.emplace(own, nullptr);
    auto &known = entry.first->second;
    if (entry.second && Known(*own)) known = this;
    return known != nullptr ? nullptr : own;
  }

  const GeOpSchema *Make(const OperatorImpl &op) {
    std::string key = Key(op);
    Lock lock(mutex_);
    auto &entry = entries_[key];
    if (!entry) entry = MakeUnique<Entry>(op);
    return &entry->schema;
  }

 private:
  struct Entry {
    explicit Entry(const OperatorImpl &op)
        : type(op.type),
          inputs(op.inputs),
          outputs(op.outputs),
          graphs(op.subgraphs),
          symbols(op.symbols),
          attrs(op.ir_attrs) {
      for (const OperatorPort &port : inputs)
        c_inputs.push_back({port.name.c_str(), port.kind, 0, port.symbol.c_str()});
      for (const OperatorPort &port : outputs)
        c_outputs.push_back({port.name.c_str(), port.kind, 0, port.symbol.c_str()});
      for (const OperatorAttr &attr : attrs) {
        GeIrAttr c{};
        if (!attr.required && Plain(attr.fallback.impl->kind())) {
          views.push_back(MakeUnique<AttrView>(attr.name.c_str(), attr.fallback));
          c.value = *views.back()->get();
        }
        c.value.name = attr.name.c_str();
        if (attr.required) c.value.type = AttrTypeFromName(attr.type);
        c.required = attr.required ? 1 : 0;
        c_attrs.push_back(c);
      }
      for (const OperatorSubgraph &graph : graphs)
        c_graphs.push_back({graph.name.c_str(), graph.dynamic ? GE_IR_DYNAMIC : GE_IR_REQUIRED, 0});
      for (const auto &symbol : symbols) c_symbols.push_back({symbol.first.c_str(), symbol.second.c_str()});
      schema = {sizeof schema,   type.c_str(),     nullptr,          nullptr,          c_inputs.data(),
                c_inputs.size(), c_outputs.data(), c_outputs.size(), c_attrs.data(),   c_attrs.size(),
                c_graphs.data(), c_graphs.size(),  c_symbols.data(), c_symbols.size(), nullptr};
    }
    static bool Plain(int32_t kind) { return kind != C_VT_NAMED_ATTRS && kind != C_VT_LIST_NAMED_ATTRS; }
    std::string type;
    std::vector<OperatorPort> inputs, outputs;
    std::vector<OperatorSubgraph> graphs;
    std::vector<std::pair<std::string, std::string>> symbols;
    std::vector<OperatorAttr> attrs;
    std::vector<std::unique_ptr<AttrView>> views;
    std::vector<GeIrPort> c_inputs, c_outputs;
    std::vector<GeIrAttr> c_attrs;
    std::vector<GeIrGraph> c_graphs;
    std::vector<GeIrSymbol> c_symbols;
    GeOpSchema schema{};
  };
  static std::string Key(const OperatorImpl &op) {
    std::string key = op.type;
    for (const OperatorPort &port : op.inputs)
      key += "\ni" + port.name + ":" + std::to_string(port.kind) + ":" + port.symbol;
    for (const OperatorPort &port : op.outputs)
      key += "\no" + port.name + ":" + std::to_string(port.kind) + ":" + port.symbol;
    for (const OperatorAttr &attr : op.ir_attrs)
      key += "\na" + attr.name + ":" + (attr.required ? "r" + attr.type : "o");
    for (const OperatorSubgraph &graph : op.subgraphs) key += "\ng" + graph.name + (graph.dynamic ? "*" : "");
    return key;
  }
  // The library has this very prototype.
  static bool Known(const GeOpSchema &own) {
    const GeOpSchema *registered = nullptr;
    const bool known = GeOpFind(own.type, &registered) == GE_SUCCESS && GeOpRegister(&own, nullptr) == GE_SUCCESS;
    if (!known) GeClearLastError();
    return known;
  }
  Mutex mutex_;
  NameMap<std::unique_ptr<Entry>> entries_;
  std::map<const void *, void *> of_library_;  // schemas of entries_: not null when the library has the same
};

}  // namespace detail
}  // namespace ge

#endif
