// Passes that this program or library registered: they are taken back when it is unloaded.
#ifndef INC_REGISTER_DETAIL_REGISTERED_PASSES_H_
#define INC_REGISTER_DETAIL_REGISTERED_PASSES_H_

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "ge/log.h"
#include "ge/pass.h"
#include "graph/graph.h"

namespace ge {
namespace detail {

// Hidden: each library has a list of its own, whose destructor runs when that library goes.
class __attribute__((visibility("hidden"))) RegisteredPasses {
 public:
  ~RegisteredPasses() {
    for (uint64_t token : tokens_) GeCustomPassUnregister(token);
  }
  void Add(const GeCustomPassTable &table) {
    uint64_t token = 0;
    if (GeCustomPassRegister(&table, &token) != GE_SUCCESS) GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
    if (token != 0) tokens_.push_back(token);
  }

 private:
  std::vector<uint64_t> tokens_;
};
inline __attribute__((visibility("hidden"))) RegisteredPasses &PassesOfThisLibrary() {
  static RegisteredPasses passes;
  return passes;
}

/// Exceptions of a program do not cross the interface. `who` is what threw, for what has no text of its own.
template <class Body>
GeStatus WithoutExceptions(Body &&body, const char *who = "the pass") noexcept {
  try {
    return body();
  } catch (const std::exception &e) {
    return GeSetLastError(GE_FAILED, e.what());
  } catch (...) {
    char text[80];
    (void)std::snprintf(text, sizeof text, "%s threw something that is no std::exception", who);
    return GeSetLastError(GE_FAILED, text);
  }
}

inline GraphPtr Shared(GeGraph *graph) {
  GeGraph *own = nullptr;
  (void)GeGraphRetain(graph, &own);
  return std::make_shared<Graph>(Graph::Adopt(own));
}

}  // namespace detail
}  // namespace ge

#endif
