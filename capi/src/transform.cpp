// Passes as objects.
#include "ge/pass_manager.h"

#include <dlfcn.h>

#include <algorithm>
#include <memory>

#include "capi/src/transform_handles.h"
#include "core/ops/registry.h"
#include "core/passes/why_not.h"
#include "runtime/standalone_pass.h"

namespace gec::api {

void FailAs(GeStatus status, const std::string &what) {
  if (GeLastErrorCode() == status) Fail(status, what, ": ", GeLastErrorMessage());
  Fail(status, what, " returned ", GeStatusName(status), " (", status, ")");
}

static uint32_t KindOf(const PassInfo &info) {
  switch (info.kind) {
    case PassKind::kFunction:
      return GE_PASS_KIND_FUNCTION;
    case PassKind::kStream:
      return GE_PASS_KIND_STREAM;
    case PassKind::kFusion:
      return GE_PASS_KIND_FUSION;
    case PassKind::kSequence:
      return GE_PASS_KIND_SEQUENCE;
    case PassKind::kPlain:
      break;
  }
  return info.whole_tree ? GE_PASS_KIND_MODULE : GE_PASS_KIND_PER_GRAPH;
}

GePassInfo InfoOf(const PassInfo &info, std::vector<const char *> &required) {
  required.clear();
  for (const std::string &name : info.required) required.push_back(name.c_str());
  GePassInfo out{};
  out.name = info.name.c_str();
  out.stage = info.stage;
  out.level = info.level;
  out.builtin = info.builtin ? 1 : 0;
  out.flags = (info.essential ? GE_PASS_ESSENTIAL : 0) | (info.needs_shapes ? GE_PASS_NEEDS_SHAPES : 0) |
              (info.traceable ? GE_PASS_TRACEABLE : 0) | (info.holds_passes ? GE_PASS_HOLDS_PASSES : 0);
  out.required = required.empty() ? nullptr : required.data();
  out.required_count = required.size();
  out.kind = KindOf(info);
  out.other_name = info.other_name.c_str();
  return out;
}

std::vector<std::string> NamesOf(const char *const *names, size_t count, const char *function, const char *argument) {
  if (count != 0 && !names) NullArgument(function, argument);
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) {
    if (!names[i]) Fail(GE_PARAM_INVALID, function, ": ", argument, "[", i, "] is null");
    list.emplace_back(names[i]);
  }
  return list;
}

namespace {

constexpr size_t kDeepestSequence = 100;  // they are run, and given back, one inside the other

/// The function of a GePassFunction and what it owns.
class Function {
 public:
  explicit Function(const GePassFunction &table) : run_(table.run), destroy_(table.destroy), user_(table.user) {}
  ~Function() {
    if (destroy_) destroy_(user_);
  }
  Function(const Function &) = delete;
  Function &operator=(const Function &) = delete;

  bool Run(Graph &graph, PassContext &context) const {
    BorrowedGraph handle(graph);
    GePassContext borrowed;
    borrowed.context = &context;
    context.error.clear();
    GeClearLastError();
    const GeStatus status = run_(user_, handle.get(), &borrowed);
    borrowed.magic = 0;
    if (status == GE_SUCCESS) return true;
    if (status == GE_NOT_CHANGED) return false;
    if (!context.error.empty()) Fail(status, context.error);
    if (GeLastErrorCode() == status) Fail(status, GeLastErrorMessage());
    FailAs(status, "the pass");
  }

 private:
  GeStatus (*run_)(void *, GeGraph *, GePassContext *);
  void (*destroy_)(void *);
  void *user_;
};

/// Keeps the library in memory that the pass's code lies in. Taken back, its passes rest until nobody holds one.
PassEntryPtr Held(PassEntryPtr entry) {
  void *library = entry->library.empty() ? nullptr : dlopen(entry->library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (!library) return entry;
  const PassEntry *raw = entry.get();
  return PassEntryPtr(raw, [entry = std::move(entry), library](const PassEntry *) mutable {
    entry.reset();
    (void)dlclose(library);
  });
}

GePass *NewPass(PassEntryPtr entry) {
  auto handle = std::make_unique<GePass>();
  handle->entry = std::move(entry);
  (void)InfoOf(handle->entry->info, handle->required);
  return handle.release();
}

/// Throws GE_NOT_FOUND with near names where neither the graph nor a subgraph has the node.
void CheckNode(const Graph &root, const std::string &name) {
  std::vector<std::string> names;
  const auto found = [&](const Graph &graph) {
    for (const Node *node : graph.Nodes()) names.push_back(node->name());
    return graph.Find(name) != nullptr;
  };
  if (found(root)) return;
  for (const GraphPtr &sub : root.subgraphs())
    if (found(*sub)) return;
  Fail(GE_NOT_FOUND, "GePassWhyNot: graph '", root.name(), "' has no node '", name, "'",
       NearText("near names:", NearNames(name, names)));
}

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GePassFind(const char *name, GePass **out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassFind, out);
    *out = nullptr;
    GE_CHECK_ARG(GePassFind, name);
    *out = NewPass(Held(PassRegistry::Instance().Get(name)));
  });
}

GeStatus GePassMake(const GePassFunction *callers, GePass **out) {
  return Guard([&] {
    if (out) *out = nullptr;
    if (!callers) NullArgument("GePassMake", "function");
    const GePassFunction known = ReadStruct(*callers, "GePassMake"), *table = &known;
    std::shared_ptr<Function> function;
    try {
      function = std::make_shared<Function>(*table);
    } catch (...) {
      if (table->destroy) table->destroy(table->user);
      throw;
    }
    GE_CHECK_ARG(GePassMake, out);
    if (!table->name) NullArgument("GePassMake", "function->name");
    if (!table->run) NullArgument("GePassMake", "function->run");
    if (!*table->name) Fail(GE_PARAM_INVALID, "GePassMake: a pass needs a name");
    if (table->kind != GE_PASS_MODULE && table->kind != GE_PASS_PER_GRAPH)
      Fail(GE_PARAM_INVALID, "GePassMake: kind of pass '", table->name, "' is ", table->kind, ", allowed: 0 and 1");
    if (table->flags & ~GE_PASS_TRACEABLE)
      Fail(GE_PARAM_INVALID, "GePassMake: flags of pass '", table->name, "' are ", table->flags, ", allowed: 0 and ",
           GE_PASS_TRACEABLE);
    auto entry = std::make_shared<PassEntry>();
    entry->info.name = table->name;
    entry->info.stage = GE_STAGE_NONE;
    entry->info.level = table->level;
    entry->info.traceable = (table->flags & GE_PASS_TRACEABLE) != 0;
    entry->info.required = NamesOf(table->required, table->required_count, "GePassMake", "function->required");
    entry->info.whole_tree = table->kind == GE_PASS_MODULE;
    entry->changed_by_graph = true;
    entry->run = [function](Graph &graph, PassContext &context) { return function->Run(graph, context); };
    *out = NewPass(std::move(entry));
  });
}

GeStatus GePassSequence(const char *name, int32_t level, GePass *const *passes, size_t count,
                        const char *const *required, size_t required_count, GePass **out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassSequence, out);
    *out = nullptr;
    GE_CHECK_ARG(GePassSequence, name);
    if (count != 0 && !passes) NullArgument("GePassSequence", "passes");
    std::vector<PassEntryPtr> list;
    for (size_t i = 0; i < count; ++i) list.push_back(ValidOf(passes[i], "GePassSequence", "pass").entry);
    size_t depth = 0;
    for (const PassEntryPtr &held : list) depth = std::max(depth, held->depth);
    if (depth >= kDeepestSequence)
      Fail(GE_PARAM_INVALID, "GePassSequence: sequence '", name, "' holds sequences ", depth, " deep, at most ",
           kDeepestSequence, " are allowed");
    *out = NewPass(
        MakeSequence(name, level, std::move(list), NamesOf(required, required_count, "GePassSequence", "required")));
  });
}

void GePassDestroy(GePass *pass) {
  if (IsValid(pass)) Invalidate(pass);
}

GeStatus GePassGetInfo(const GePass *pass, GePassInfo *out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassGetInfo, out);
    WriteStruct(GePassInfo{}, out, "GePassGetInfo");
    const GePass &self = ValidOf(pass, "GePassGetInfo", "pass");
    std::vector<const char *> required;
    GePassInfo info = InfoOf(self.entry->info, required);
    info.required = self.required.empty() ? nullptr : self.required.data();
    WriteStruct(info, out, "GePassGetInfo");
  });
}

GeStatus GePassApply(const GePass *pass, GeGraph *graph) {
  return Guard([&]() -> GeStatus {
    const GePass &self = ValidOf(pass, "GePassApply", "pass");
    Graph &target = GraphOf(graph, "GePassApply");
    if (target.parent())
      Fail(GE_PARAM_INVALID, "GePassApply: graph '", target.name(), "' is a subgraph of '", target.root().name(),
           "'; a pass runs on a root graph with its subgraphs");
    const PassEntryPtr entry = self.entry;
    if (StandaloneRun().Run(*entry, target)) return GE_SUCCESS;
    return Report(GE_NOT_CHANGED, ("pass '" + entry->info.name + "' rewrote nothing").c_str());
  });
}

GeStatus GePassWhyNot(const GePass *pass, const GeGraph *graph, const char *node, GeTextFn write, void *user) {
  return Guard([&] {
    const PassEntryPtr entry = ValidOf(pass, "GePassWhyNot", "pass").entry;
    const Graph &target = GraphOf(graph, "GePassWhyNot");
    if (!write) NullArgument("GePassWhyNot", "write");
    if (target.parent()) Fail(GE_PARAM_INVALID, "GePassWhyNot: graph '", target.name(), "' is a subgraph");
    const std::string name = node ? node : "";
    if (!name.empty()) CheckNode(target, name);
    const GraphPtr copy = target.Clone();
    WhyNot why;
    StandaloneRun().Explain(*entry, *copy, name, &why);
    const std::string text = why.Json(name);
    write(user, text.data(), text.size());
  });
}

GeStatus GePassRegisterForStage(const GePass *pass, int32_t stage, uint64_t *token) {
  return Guard([&] {
    if (token) *token = 0;
    const PassEntryPtr held = ValidOf(pass, "GePassRegisterForStage", "pass").entry;
    PassEntry entry = *held;
    entry.run = [held](Graph &graph, PassContext &context) { return held->run(graph, context); };
    if (stage == GE_STAGE_NONE)
      Fail(GE_PARAM_INVALID, "GePassRegisterForStage: stage of pass '", entry.info.name, "' is ", stage,
           ", expected 0 to 4");
    entry.info.stage = stage;
    entry.info.builtin = entry.info.essential = false;
    if (entry.info.kind == PassKind::kSequence) entry.info.whole_tree = true;
    else entry.info.kind = PassKind::kPlain;
    const uint64_t made = PassRegistry::Instance().Register(std::move(entry));
    if (token) *token = made;
  });
}

}  // extern "C"
