// gert::ContextHolder: a context that a program made itself, for tests of the functions of its operators.
#ifndef INC_BASE_CONTEXT_BUILDER_CONTEXT_HOLDER_H_
#define INC_BASE_CONTEXT_BUILDER_CONTEXT_HOLDER_H_

#include <memory>
#include <utility>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {
namespace detail {
struct BuiltContext {
  KernelFrame frame;
  ComputeNodeInfo info;
  std::vector<std::shared_ptr<void>> owned;

  template <class T, class... Args>
  T *Own(Args &&...args) {
    auto object = std::make_shared<T>(std::forward<Args>(args)...);
    owned.push_back(object);
    return object.get();
  }
};
}  // namespace detail

/// Owns the context; tensors, shapes and other objects that the builder was given stay the caller's and outlive it.
/// Threads: one at a time.
template <class ContextT>
class ContextHolder {
 public:
  ContextHolder() = default;
  explicit ContextHolder(std::unique_ptr<detail::BuiltContext> built)
      : built_(std::move(built)), context_(built_ ? std::make_unique<ContextT>(&built_->frame) : nullptr) {}
  ContextHolder(ContextHolder &&) noexcept = default;
  ContextHolder &operator=(ContextHolder &&) noexcept = default;

  /// Null when the builder was told things that do not fit together. Valid as long as the holder.
  ContextT *GetContext() { return context_.get(); }
  const ContextT *GetContext() const { return context_.get(); }

 private:
  std::unique_ptr<detail::BuiltContext> built_;
  std::unique_ptr<ContextT> context_;
};

}  // namespace gert

#endif
