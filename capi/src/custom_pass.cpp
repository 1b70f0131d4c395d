// GE's passes: tables of callbacks become entries of the pass registry; what they ask while they run.
#include <memory>
#include <string>
#include <unordered_set>

#include "capi/src/pass_handles.h"
#include "core/passes/why_not.h"
#include "core/support/log.h"
#include "core/support/warnings.h"
#include "ge/pass.h"

namespace gec::api {

PassContext *ContextOrNull(const GePassContext *handle, const char *function) {
  if (!handle) return PassContext::Current();
  return ValidOf(handle, function, "context").context;
}
PassContext &ContextOf(const GePassContext *handle, const char *function) {
  PassContext *context = ContextOrNull(handle, function);
  if (!context) Fail(GE_BAD_STATE, function, ": no pass runs on this thread");
  return *context;
}

namespace {

class CustomPass {
 public:
  explicit CustomPass(const GeCustomPassTable &table) : table_(table) { table_.name = nullptr; }
  ~CustomPass() {
    if (table_.destroy) table_.destroy(table_.user);
  }
  CustomPass(const CustomPass &) = delete;
  CustomPass &operator=(const CustomPass &) = delete;

  bool Run(Graph &root, PassContext &context) const {
    Instance instance(table_);
    bool changed = One(root, context, instance);
    if (table_.kind != GE_PASS_FUSION) return changed;
    const std::vector<GraphPtr> subgraphs = root.subgraphs();
    if (subgraphs.empty()) return changed;
    const std::unordered_set<std::string> called = Called(root);
    for (const GraphPtr &subgraph : subgraphs)
      if (subgraph->parent() == &root && called.count(subgraph->name())) changed |= One(*subgraph, context, instance);
    return changed;
  }

 private:
  struct Instance {
    explicit Instance(const GeCustomPassTable &table) : table(table) {
      if (!table.create) return;
      GeClearLastError();
      const GeStatus status = table.create(table.user, &object);
      if (status == GE_SUCCESS) return;
      const std::string reason = GeLastErrorCode() != GE_SUCCESS ? Str(": ", GeLastErrorMessage()) : "";
      Fail(status, "no instance of the pass could be made", reason);
    }
    ~Instance() {
      if (table.destroy_instance) table.destroy_instance(table.user, object);
    }
    Instance(const Instance &) = delete;
    Instance &operator=(const Instance &) = delete;
    const GeCustomPassTable &table;
    void *object = nullptr;
  };

  /// Names of the graphs that a valid node calls.
  static std::unordered_set<std::string> Called(const Graph &root) {
    std::unordered_set<std::string> names;
    auto collect = [&](const Graph &graph) {
      for (const Node *node : graph.Nodes())
        for (const SubgraphRef &ref : node->subgraphs()) names.insert(ref.graph_name);
    };
    collect(root);
    for (const GraphPtr &subgraph : root.subgraphs()) collect(*subgraph);
    return names;
  }

  bool One(Graph &graph, PassContext &context, const Instance &instance) const {
    BorrowedGraph handle(graph);
    GePassContext borrowed;
    borrowed.context = &context;
    context.error.clear();
    GeClearLastError();
    const GeStatus status = table_.run(table_.user, instance.object, handle.get(), &borrowed);
    borrowed.magic = 0;
    if (status == GE_SUCCESS) return true;
    const bool fusion = table_.kind == GE_PASS_FUSION;
    if (status == GE_NOT_CHANGED && fusion) return false;
    std::string reason = context.error;
    if (reason.empty() && GeLastErrorCode() != GE_SUCCESS) reason = GeLastErrorMessage();
    const std::string text =
        Str("returned ", GeStatusName(status), " (", status, ")", reason.empty() ? "" : ": ", reason);
    if (fusion) Fail(status, "the pass ", text);
    // A code of GE's or of the program says nothing here; one of the library's own errors does.
    const bool is_own = GeLastErrorCode() == status && status != GE_NOT_CHANGED;
    Fail(is_own ? status : GE_FAILED, "E13028: custom pass '", context.pass_name(), "' ", text);
  }

  GeCustomPassTable table_;
};

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GeCustomPassRegister(const GeCustomPassTable *callers, uint64_t *token) {
  return Guard([&] {
    if (token) *token = 0;
    if (!callers) NullArgument("GeCustomPassRegister", "table");
    const GeCustomPassTable known = ReadStruct(*callers, "GeCustomPassRegister"), *table = &known;
    std::shared_ptr<CustomPass> pass;
    try {
      pass = std::make_shared<CustomPass>(*table);
    } catch (...) {
      if (table->destroy) table->destroy(table->user);
      throw;
    }
    if (!table->name) NullArgument("GeCustomPassRegister", "table->name");
    if (!table->run) NullArgument("GeCustomPassRegister", "table->run");
    PassEntry entry;
    entry.info = {table->name, table->stage, 0, false};
    switch (table->kind) {
      case GE_PASS_FUNCTION:
        entry.info.kind = PassKind::kFunction;
        break;
      case GE_PASS_STREAM:
        entry.info.kind = PassKind::kStream;
        break;
      case GE_PASS_FUSION:
        entry.info.kind = PassKind::kFusion;
        break;
      default:
        Fail(GE_PARAM_INVALID, "GeCustomPassRegister: kind of pass '", table->name, "' is ", table->kind,
             ", allowed: 0 to ", GE_PASS_FUSION);
    }
    entry.run = [pass](Graph &graph, PassContext &context) { return pass->Run(graph, context); };
    entry.info.whole_tree = true;
    const uint64_t made = PassRegistry::Instance().Register(std::move(entry));
    if (token) *token = made;
  });
}

void GeCustomPassUnregister(uint64_t token) {
  if (token != 0) PassRegistry::Instance().Unregister(token);
}

GeStatus GePassContextCreate(const char *name, GePassContext **out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassContextCreate, out);
    *out = nullptr;
    GE_CHECK_ARG(GePassContextCreate, name);
    auto handle = std::make_unique<GePassContext>();
    handle->own = std::make_unique<GePassContext::ByHand>();
    handle->own->run.name = name;
    handle->own->context.CountIn(&handle->own->run);
    handle->context = &handle->own->context;
    *out = handle.release();
  });
}

void GePassContextDestroy(GePassContext *context) {
  if (IsValid(context) && context->own) DestroyEntered(context, "GePassContextDestroy");
}

const char *GePassContextName(const GePassContext *context) {
  return GuardValue<const char *>("", [&]() -> const char * {
    const PassContext *self = ContextOrNull(context, "GePassContextName");
    return self ? self->pass_name().c_str() : "";
  });
}

GeStatus GePassContextGetOption(const GePassContext *context, const char *key, const char **value) {
  return Guard([&] {
    GE_CHECK_ARG(GePassContextGetOption, value);
    *value = nullptr;
    GE_CHECK_ARG(GePassContextGetOption, key);
    const PassContext &self = ContextOf(context, "GePassContextGetOption");
    auto at = self.options.find(key);
    if (at == self.options.end()) Fail(GE_NOT_FOUND, "option '", key, "' is not set for this compile");
    *value = at->second.c_str();
  });
}

GeStatus GePassContextSetError(GePassContext *context, const char *message) {
  return Guard([&] {
    GE_CHECK_ARG(GePassContextSetError, message);
    ContextOf(context, "GePassContextSetError").error = message;
  });
}

GeStatus GePassContextGetStream(const GePassContext *context, const GeNode *node, int64_t *out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassContextGetStream, out);
    *out = -1;
    const Node &self = NodeOf(node, "GePassContextGetStream");
    const StreamTable &streams = ContextOf(context, "GePassContextGetStream").streams;
    auto at = streams.ids.find(&self);
    if (at != streams.ids.end()) *out = at->second;
  });
}

GeStatus GePassContextSetStream(GePassContext *context, const GeNode *node, int64_t stream) {
  return Guard([&] {
    const Node &self = NodeOf(node, "GePassContextSetStream");
    StreamTable &streams = ContextOf(context, "GePassContextSetStream").streams;
    if (stream < 0 || stream > streams.last)
      Fail(GE_PARAM_INVALID, "GePassContextSetStream: stream of ", self.Label(), " is ", stream, ", allowed: 0 to ",
           streams.last);
    if (const PassContext *compile = PassContext::Current(); compile && stream != 0)
      WarnOnce(Str("pass '", compile->pass_name(),
                   "' gives nodes further streams, which no run reads: there are no "
                   "streams on a CPU"));
    streams.ids[&self] = stream;
  });
}

int32_t GePassContextWantsReasons(const GePassContext *context) {
  return GuardValue<int32_t>(0, [&] {
    const PassContext *self = ContextOrNull(context, "GePassContextWantsReasons");
    return self && self->why_not ? 1 : 0;
  });
}

GeStatus GePassContextRefuse(GePassContext *context, const GeRefusal *why) {
  return Guard([&] {
    GE_CHECK_ARG(GePassContextRefuse, why);
    const GeRefusal told = ReadStruct(*why, "GePassContextRefuse");
    if (!told.expected) NullArgument("GePassContextRefuse", "why->expected");
    if (!told.actual) NullArgument("GePassContextRefuse", "why->actual");
    const PassContext &self = ContextOf(context, "GePassContextRefuse");
    if (!self.why_not) return;
    const Node *node = told.node ? &NodeOf(told.node, "GePassContextRefuse", "why->node") : nullptr;
    Refusal refusal(told.actual, told.expected);
    if (told.traceback) refusal.traceback = told.traceback;
    if (node) refusal.node = node->Label();
    if (told.pattern_node)
      refusal.pattern_node = NodeOf(told.pattern_node, "GePassContextRefuse", "why->pattern_node").Label();
    self.why_not->Tell(self.pass_name(), node, refusal, true);
  });
}

GeStatus GePassContextLastStream(GePassContext *context, int32_t add, int64_t *out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassContextLastStream, out);
    *out = -1;
    StreamTable &streams = ContextOf(context, "GePassContextLastStream").streams;
    *out = add ? ++streams.last : streams.last;
  });
}

}  // extern "C"
