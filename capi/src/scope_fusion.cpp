// Scope fusion at the C edge: tables of callbacks become entries of the registry that the TensorFlow importer asks.
#include "ge/scope_fusion.h"

#include <memory>
#include <string>
#include <vector>

#include "capi/src/front_view.h"
#include "parsers/scope_fusion.h"

using namespace gec;
using namespace gec::api;

namespace {

/// The nodes, for the duration of one call.
class FrontViews {
 public:
  explicit FrontViews(const FrontNodes &nodes) {
    for (const FrontNode *node : nodes) owners_.push_back(std::make_unique<FrontView>(*node));
    for (const auto &owner : owners_) views_.push_back(owner->get());
  }
  const GeFrontNode *const *data() const { return views_.data(); }
  size_t size() const { return views_.size(); }

 private:
  std::vector<std::unique_ptr<FrontView>> owners_;
  std::vector<const GeFrontNode *> views_;
};

struct Sink {
  const Graph *graph;
  std::vector<ScopeReplacement> taken;
};

const char *Text(const char *text, const char *what) {
  if (!text) NullArgument("GeScopePass.run: replace", what);
  return text;
}

GeStatus Replace(void *user, const GeScopeFusion *callers) {
  return Guard([&] {
    constexpr const char *kWho = "GeScopePass.run: replace";
    if (!user) NullArgument(kWho, "sink");
    if (!callers) NullArgument(kWho, "fusion");
    const GeScopeFusion known = ReadStruct(*callers, kWho), *fusion = &known;
    Sink &sink = *static_cast<Sink *>(user);
    ScopeReplacement own;
    own.name = Text(fusion->name, "fusion->name");
    if (fusion->replaced_count != 0 && !fusion->replaced) NullArgument(kWho, "fusion->replaced");
    if (fusion->node_count != 0 && !fusion->nodes) NullArgument(kWho, "fusion->nodes");
    if (fusion->output_count != 0 && !fusion->outputs) NullArgument(kWho, "fusion->outputs");
    for (size_t i = 0; i < fusion->replaced_count; ++i)
      own.replaced.emplace_back(Text(fusion->replaced[i], "fusion->replaced[]"));
    for (size_t i = 0; i < fusion->node_count; ++i) {
      const GeScopeNode &node = fusion->nodes[i];
      ScopeReplacement::New &made = own.nodes.emplace_back();
      made.name = Text(node.name, "fusion->nodes[].name");
      if (node.made) {
        made.made = &NodeOf(node.made, kWho, "fusion->nodes[].made");
        if (&made.made->graph() != sink.graph)
          Fail(GE_PARAM_INVALID, kWho, ": node '", made.name, "' is of another graph");
        made.type = made.made->type().str();
      } else {
        made.type = Text(node.type, "fusion->nodes[].type");
      }
      if (node.input_count != 0 && !node.inputs) NullArgument(kWho, "fusion->nodes[].inputs");
      for (size_t k = 0; k < node.input_count; ++k)
        made.inputs.emplace_back(Text(node.inputs[k], "fusion->nodes[].inputs[]"));
    }
    for (size_t i = 0; i < fusion->output_count; ++i)
      own.outputs.emplace_back(Text(fusion->outputs[i].from, "fusion->outputs[].from"),
                               Text(fusion->outputs[i].to, "fusion->outputs[].to"));
    sink.taken.push_back(std::move(own));
  });
}

class TablePass final : public ScopePass {
 public:
  explicit TablePass(const GeScopePass &table) : table_(table) { table_.name = nullptr; }
  ~TablePass() override {
    if (table_.destroy) table_.destroy(table_.user);
  }
  std::vector<ScopeReplacement> Run(const FrontNodes &nodes, Graph &graph) const override {
    const FrontViews views(nodes);
    const BorrowedGraph handle(graph);
    Sink sink{&graph, {}};
    GeClearLastError();
    Check(table_.run(table_.user, views.data(), views.size(), handle.get(), &Replace, &sink), "the run function");
    return std::move(sink.taken);
  }

 private:
  GeScopePass table_;
};

class TableParser final : public FusionParser {
 public:
  explicit TableParser(const GeFusionParser &table) : table_(table) {
    table_.type = nullptr;
    table_.origin_types = nullptr;
  }
  ~TableParser() override {
    if (table_.destroy) table_.destroy(table_.user);
  }
  Node &Parse(const std::string &name, const FrontNodes &nodes, Graph &graph) const override {
    const FrontViews views(nodes);
    const BorrowedGraph handle(graph);
    GeNode *made = nullptr;
    GeClearLastError();
    Check(table_.parse(table_.user, name.c_str(), views.data(), views.size(), handle.get(), &made),
          "the fusion parse function");
    if (!made) Fail(GE_FAILED, "the fusion parse function of its plug-in made no node");
    Node &found = NodeOf(made, "GeFusionParser.parse", "*made");
    if (&found.graph() != &graph)
      Fail(GE_FAILED, "the fusion parse function of its plug-in made a node of another graph");
    return found;
  }

 private:
  GeFusionParser table_;
};

/// The table's owner: from here on, destroy is called exactly once.
template <class Own, class Table>
std::shared_ptr<Own> Owned(const Table &table) {
  try {
    return std::make_shared<Own>(table);
  } catch (...) {
    if (table.destroy) table.destroy(table.user);
    throw;
  }
}

}  // namespace

extern "C" {

GeStatus GeScopePassRegister(const GeScopePass *callers, uint64_t *token) {
  return Guard([&] {
    if (token) *token = 0;
    if (!callers) NullArgument("GeScopePassRegister", "pass");
    const GeScopePass known = ReadStruct(*callers, "GeScopePassRegister"), *table = &known;
    const auto pass = Owned<TablePass>(*table);
    if (!table->name) NullArgument("GeScopePassRegister", "pass->name");
    if (!table->run) NullArgument("GeScopePassRegister", "pass->run");
    if (*table->name == '\0') Fail(GE_PARAM_INVALID, "GeScopePassRegister: the name of the pass is empty");
    CheckReserved(table->reserved, "GeScopePassRegister", "GeScopePass.reserved");
    pass->name = table->name;
    pass->general = table->general != 0;
    const uint64_t made = ScopeFusionRegistry::Instance().Add(pass);
    if (token) *token = made;
  });
}

GeStatus GeFusionParserRegister(const GeFusionParser *callers, uint64_t *token) {
  return Guard([&] {
    if (token) *token = 0;
    if (!callers) NullArgument("GeFusionParserRegister", "parser");
    const GeFusionParser known = ReadStruct(*callers, "GeFusionParserRegister"), *table = &known;
    const auto parser = Owned<TableParser>(*table);
    if (!table->type) NullArgument("GeFusionParserRegister", "parser->type");
    if (!table->origin_types) NullArgument("GeFusionParserRegister", "parser->origin_types");
    if (!table->parse) NullArgument("GeFusionParserRegister", "parser->parse");
    parser->type = table->type;
    std::vector<std::string> keys;
    for (size_t i = 0; i < table->origin_type_count; ++i) {
      if (!table->origin_types[i]) NullArgument("GeFusionParserRegister", "parser->origin_types[]");
      keys.emplace_back(table->origin_types[i]);
    }
    if (keys.empty()) Fail(GE_PARAM_INVALID, "GeFusionParserRegister: '", table->type, "' has no origin types");
    const uint64_t made = ScopeFusionRegistry::Instance().Add(keys, parser);
    if (token) *token = made;
  });
}

void GeScopeFusionUnregister(uint64_t token) { ScopeFusionRegistry::Instance().Remove(token); }

}  // extern "C"
