// Passes through the C ABI: callback tables become entries of the pass registry.
#include "ge/pass.h"

#include <memory>

#include "capi/src/transform_handles.h"
#include "core/passes/pass.h"
#include "runtime/standalone_pass.h"

namespace gec::api {
namespace {

class UserPass {
 public:
  explicit UserPass(const GePassTable &table) : run_(table.run), destroy_(table.destroy), user_(table.user) {}
  ~UserPass() {
    if (destroy_) destroy_(user_);
  }
  UserPass(const UserPass &) = delete;
  UserPass &operator=(const UserPass &) = delete;

  bool Run(Graph &graph) const {
    BorrowedGraph handle(graph);
    GeStatus status = run_(user_, handle.get());
    if (status == GE_SUCCESS) return true;
    if (status == GE_NOT_CHANGED) return false;
    if (GeLastErrorCode() == status) Fail(status, GeLastErrorMessage());
    Fail(status, "the pass returned ", GeStatusName(status), " (", status, ")");
  }

 private:
  GeStatus (*run_)(void *, GeGraph *);
  void (*destroy_)(void *);
  void *user_;
};

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" {

GeStatus GePassRegister(const GePassTable *callers) {
  return Guard([&] {
    if (!callers) NullArgument("GePassRegister", "table");
    const GePassTable known = ReadStruct(*callers, "GePassRegister"), *table = &known;
    std::shared_ptr<UserPass> pass;
    try {
      pass = std::make_shared<UserPass>(*table);
    } catch (...) {
      if (table->destroy) table->destroy(table->user);
      throw;
    }
    if (!table->name) NullArgument("GePassRegister", "table->name");
    if (!table->run) NullArgument("GePassRegister", "table->run");
    PassEntry entry;
    entry.info = {table->name, table->stage, table->level, false};
    entry.run = [pass](Graph &graph, PassContext &) { return pass->Run(graph); };
    entry.info.whole_tree = true;
    PassRegistry::Instance().Register(std::move(entry));
  });
}

GeStatus GePassUnregister(const char *name) {
  return Guard([&] {
    GE_CHECK_ARG(GePassUnregister, name);
    PassRegistry::Instance().Unregister(name);
  });
}

size_t GePassCount(void) {
  return GuardValue(size_t{0}, [] { return PassRegistry::Instance().All().size(); });
}

GeStatus GePassAt(size_t index, GePassInfo *out) {
  return Guard([&] {
    GE_CHECK_ARG(GePassAt, out);
    WriteStruct(GePassInfo{}, out, "GePassAt");
    std::vector<PassEntryPtr> all = PassRegistry::Instance().All();
    if (index >= all.size())
      Fail(GE_PARAM_INVALID, "GePassAt: index ", index, " is out of range, there are ", all.size(), " passes");
    const PassInfo &info = all[index]->info;
    std::vector<const char *> names;
    GePassInfo c_info = InfoOf(info, names);
    c_info.required = names.empty() ? nullptr : all[index]->required_names.data();
    WriteStruct(c_info, out, "GePassAt");
  });
}

GeStatus GePassRun(const char *name, GeGraph *graph) {
  return Guard([&]() -> GeStatus {
    GE_CHECK_ARG(GePassRun, name);
    Graph &target = GraphOf(graph, "GePassRun");
    PassEntryPtr pass = PassRegistry::Instance().Get(name);
    if (target.parent())
      Fail(GE_PARAM_INVALID, "GePassRun: graph '", target.name(), "' is a subgraph of '", target.root().name(),
           "'; a pass runs on a root graph with its subgraphs");
    if (StandaloneRun().Run(*pass, target)) return GE_SUCCESS;
    return Report(GE_NOT_CHANGED, ("pass '" + std::string(name) + "' rewrote nothing").c_str());
  });
}

}  // extern "C"
