// Functions of a program that a session calls: ends of asynchronous runs, watched values, allocators.
#ifndef INC_GE_DETAIL_SESSION_CALLS_H_
#define INC_GE_DETAIL_SESSION_CALLS_H_

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ge/ge_allocator.h"
#include "ge/log.h"
#include "ge/session.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/tensor.h"

namespace ge {
namespace detail {

inline std::vector<Tensor> AdoptAll(GeTensor *const *handles, size_t count) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < count; ++i) tensors.push_back(Tensor::Adopt(handles[i]));
  return tensors;
}

/// An asynchronous run: what is called when it has ended.
struct AsyncRun {
  using Done = std::function<void(Status, std::vector<Tensor> &)>;
  Done done;

  static Status StatusOf(GeStatus status) {
    if (status == GE_SUCCESS) return SUCCESS;
    return status == GE_RUN_MODE_MIXED ? UNSUPPORTED : FAILED;
  }
  static void Call(void *user, GeStatus status, GeTensor *const *outputs, size_t count) {
    try {
      std::vector<Tensor> results = AdoptAll(outputs, count);
      static_cast<AsyncRun *>(user)->done(StatusOf(status), results);
    } catch (const std::exception &e) {  // must not pass the C interface; nobody waits for an answer
      GeLogMessage(GE_LOG_ERROR, (std::string("the callback of an asynchronous run threw: ") + e.what()).c_str());
    } catch (...) {
      GeLogMessage(GE_LOG_ERROR, "the callback of an asynchronous run threw");
    }
  }
  static void Destroy(void *user) { delete static_cast<AsyncRun *>(user); }
};

/// A callback for watched values.
struct WatchCall {
  std::function<Status(uint32_t, const std::map<AscendString, Tensor> &)> callback;

  static GeStatus Call(void *user, uint32_t graph_id, const char *const *names, GeTensor *const *values, size_t count) {
    std::vector<Tensor> tensors = AdoptAll(values, count);
    try {
      std::map<AscendString, Tensor> named;
      for (size_t i = 0; i < count; ++i) named.emplace(AscendString(names[i]), std::move(tensors[i]));
      return static_cast<WatchCall *>(user)->callback(graph_id, named);
    } catch (...) {  // must not pass the C interface
      return GE_FAILED;
    }
  }
  static void Destroy(void *user) { delete static_cast<WatchCall *>(user); }
};

/// An allocator of a program as functions.
struct AllocatorCalls {
  AllocatorPtr allocator;

  static GeStreamAllocator Of(const AllocatorPtr &allocator) {
    GeStreamAllocator functions{};
    functions.struct_size = sizeof functions;
    functions.user = new AllocatorCalls{allocator};
    functions.allocate = &Allocate;
    functions.release = [](void *, void *block) { static_cast<MemBlock *>(block)->Free(); };
    functions.destroy = [](void *user) { delete static_cast<AllocatorCalls *>(user); };
    return functions;
  }
  static void *Allocate(void *user, uint64_t size, void **block) {
    try {
      MemBlock *made = static_cast<AllocatorCalls *>(user)->allocator->Malloc(static_cast<size_t>(size));
      *block = made;
      if (made == nullptr || made->GetAddr() != nullptr) return made != nullptr ? made->GetAddr() : nullptr;
      made->Free();
      return nullptr;
    } catch (...) {  // must not pass the C interface
      return nullptr;
    }
  }
};

}  // namespace detail
}  // namespace ge

#endif
