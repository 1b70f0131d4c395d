// Front-end plug-ins at the C edge: tables of callbacks become entries of the registry that importers ask.
#include "ge/parser_plugin.h"

#include <memory>
#include <string>
#include <vector>

#include "capi/src/front_view.h"
#include "capi/src/pass_handles.h"
#include "parsers/plugin.h"

using namespace gec;
using namespace gec::api;

namespace {

class TablePlugin final : public ParserPlugin {
 public:
  explicit TablePlugin(const GeParserPlugin &table) : table_(table) {
    table_.type = nullptr;
    table_.origin_types = nullptr;
    table_.edits = nullptr;
  }
  ~TablePlugin() override {
    if (table_.destroy) table_.destroy(table_.user);
  }

  Node &Parse(const FrontNode &node, Graph &graph) const override {
    const FrontView view(node);
    const BorrowedGraph handle(graph);
    GeNode *made = nullptr;
    GeClearLastError();
    Check(table_.parse(table_.user, view.get(), handle.get(), &made), "the parse function");
    if (!made) Fail(GE_FAILED, "the parse function of its plug-in made no node");
    Node &found = NodeOf(made, "GeParserPlugin.parse", "*made");
    if (&found.graph() != &graph) Fail(GE_FAILED, "the parse function of its plug-in made a node of another graph");
    return found;
  }

  GraphPtr ToGraph(const FrontNode &node, Node &made) const override {
    if (!table_.to_graph) return nullptr;
    const FrontView view(node);
    GeGraph *out = nullptr;
    GeClearLastError();
    const GeStatus status = table_.to_graph(table_.user, view.get(), Handle(&made), &out);
    GraphPtr graph;
    if (IsValid(out)) graph = out->graph;
    Drop(out);
    Check(status, "the graph function");
    if (!graph) Fail(GE_FAILED, "the graph function of its plug-in made no graph");
    return graph;
  }

  void FinishSubgraph(const std::string &name, Graph &graph) const override {
    if (!table_.finish_subgraph) return;
    const BorrowedGraph handle(graph);
    GeClearLastError();
    Check(table_.finish_subgraph(table_.user, name.c_str(), handle.get()), "the subgraph function");
  }

 private:
  GeParserPlugin table_;
};

std::vector<InputEdit> Edits(const GeParserPlugin &table) {
  std::vector<InputEdit> edits;
  if (table.edit_count != 0 && !table.edits) NullArgument("GeParserPluginRegister", "plugin->edits");
  for (size_t i = 0; i < table.edit_count; ++i) {
    const GeInputEdit &edit = table.edits[i];
    InputEdit &own = edits.emplace_back();
    own.kind = edit.kind;
    own.index = edit.index;
    own.value = edit.value != 0;
    CheckReserved(edit.reserved, "GeParserPluginRegister", "GeInputEdit.reserved");
    if (edit.kind < GE_INPUT_DROP_IF_ATTR || edit.kind > GE_INPUT_REORDER)
      Fail(GE_PARAM_INVALID, "GeParserPluginRegister: kind of edit ", i, " is ", edit.kind, ", allowed: 0 to ",
           GE_INPUT_REORDER);
    if (edit.kind == GE_INPUT_REORDER) {
      if (edit.order_count != 0 && !edit.order) NullArgument("GeParserPluginRegister", "plugin->edits[].order");
      own.order.assign(edit.order, edit.order + edit.order_count);
    } else {
      if (!edit.name) NullArgument("GeParserPluginRegister", "plugin->edits[].name");
      own.name = edit.name;
    }
  }
  return edits;
}

}  // namespace

extern "C" {

GeStatus GeParserPluginRegister(const GeParserPlugin *callers, uint64_t *token) {
  return Guard([&] {
    if (token) *token = 0;
    if (!callers) NullArgument("GeParserPluginRegister", "plugin");
    const GeParserPlugin known = ReadStruct(*callers, "GeParserPluginRegister"), *table = &known;
    std::shared_ptr<TablePlugin> plugin;
    try {
      plugin = std::make_shared<TablePlugin>(*table);
    } catch (...) {
      if (table->destroy) table->destroy(table->user);
      throw;
    }
    if (!table->type) NullArgument("GeParserPluginRegister", "plugin->type");
    if (!table->origin_types) NullArgument("GeParserPluginRegister", "plugin->origin_types");
    if (!table->parse) NullArgument("GeParserPluginRegister", "plugin->parse");
    if (table->framework < GE_FRAMEWORK_CAFFE || table->framework > GE_FRAMEWORK_ONNX)
      Fail(GE_PARAM_INVALID, "GeParserPluginRegister: framework of the plug-in for '", table->type, "' is ",
           table->framework, ", allowed: 0 to ", GE_FRAMEWORK_ONNX);
    CheckReserved(table->reserved, "GeParserPluginRegister", "GeParserPlugin.reserved");
    plugin->type = table->type;
    plugin->edits = Edits(*table);
    std::vector<std::string> keys;
    for (size_t i = 0; i < table->origin_type_count; ++i) {
      if (!table->origin_types[i]) NullArgument("GeParserPluginRegister", "plugin->origin_types[]");
      keys.emplace_back(table->origin_types[i]);
    }
    const uint64_t made = ParserPluginRegistry::Instance().Add(table->framework, keys, std::move(plugin));
    if (token) *token = made;
  });
}

void GeParserPluginUnregister(uint64_t token) { ParserPluginRegistry::Instance().Remove(token); }

}  // extern "C"
