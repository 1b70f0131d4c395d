// ResourceContext: what an inference function leaves for other nodes of the same resource; programs derive from it.
#ifndef INC_GRAPH_RESOURCE_CONTEXT_H_
#define INC_GRAPH_RESOURCE_CONTEXT_H_

#include <memory>
#include <string>

#include "graph/detail/name_map.h"

namespace ge {

struct ResourceContext {
  virtual ~ResourceContext() = default;
};

/// Owns the contexts of one inference run, by resource key. InferenceContext::Create takes its address.
class ResourceContextMgr {
 public:
  /// Null when nobody has set one. Borrowed: valid until it is replaced or the manager ends.
  ResourceContext *GetResourceContext(const std::string &key) const {
    detail::Lock lock(mutex_);
    auto found = contexts_.find(key);
    return found == contexts_.end() ? nullptr : found->second.get();
  }
  /// Takes ownership; a context set before under the key is destroyed.
  void SetResourceContext(const std::string &key, ResourceContext *context) {
    detail::Lock lock(mutex_);
    std::unique_ptr<ResourceContext> &held = contexts_[key];
    if (held.get() != context) held.reset(context);
  }
  void ClearContext() {
    detail::Lock lock(mutex_);
    contexts_.clear();
  }

 private:
  mutable detail::Mutex mutex_;
  detail::NameMap<std::unique_ptr<ResourceContext>> contexts_;
};

}  // namespace ge

#endif
