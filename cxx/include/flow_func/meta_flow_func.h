// Functions of data-flow graphs, one to a class:
//
//   class Add : public FlowFunc::MetaFlowFunc { … Init … Proc … context_ … };
//   REGISTER_FLOW_FUNC("Add", Add);
#ifndef FLOW_FUNC_META_FLOW_FUNC_H_
#define FLOW_FUNC_META_FLOW_FUNC_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "flow_func/detail/registration.h"
#include "flow_func/meta_context.h"
#include "graph/detail/library_table.h"

namespace FlowFunc {

/// Each process point has an object of its own; it is called in one thread at a time.
class MetaFlowFunc {
 public:
  MetaFlowFunc() = default;
  virtual ~MetaFlowFunc() = default;
  /// Once, before messages come. A code other than FLOW_FUNC_SUCCESS keeps the data-flow graph from being compiled.
  virtual int32_t Init() = 0;
  /// One message of every input. A code other than FLOW_FUNC_SUCCESS goes to the outputs that got nothing.
  virtual int32_t Proc(const std::vector<std::shared_ptr<FlowMsg>> &inputMsgs) = 0;
  void SetContext(MetaContext *context) { context_ = context; }

 protected:
  MetaContext *context_ = nullptr;
};

using FLOW_FUNC_CREATOR_FUNC = std::function<std::shared_ptr<MetaFlowFunc>()>;

namespace detail {

class FlowFuncObject {
 public:
  FlowFuncObject(std::shared_ptr<MetaFlowFunc> func, const GeFlowHost *host) : context_(host), func_(std::move(func)) {
    func_->SetContext(&context_);
  }
  int32_t Init(const GeFlowHost *host) {
    const Scope scope(context_, host, nullptr);
    return func_->Init();
  }
  int32_t Proc(const GeFlowHost *host, const GeFlowMessage *const *inputs, size_t count) {
    const Scope scope(context_, host, count > 0 ? inputs[0]->user_data : nullptr);
    return func_->Proc(MessagesOf(inputs, count));
  }

 private:
  struct Scope {
    Scope(MetaContext &c, const GeFlowHost *host, const uint8_t *user_data) : context(c) {
      context.Begin(host, user_data);
    }
    ~Scope() { context.End(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    MetaContext &context;
  };
  MetaContext context_;
  std::shared_ptr<MetaFlowFunc> func_;
};

inline bool AddFlowFunc(Registration &registration, const char *name, const FLOW_FUNC_CREATOR_FUNC &creator) {
  Entry entry;
  entry.name = name != nullptr ? name : "";
  entry.create = [creator](const GeFlowHost *host, int32_t *code) -> std::shared_ptr<void> {
    std::shared_ptr<MetaFlowFunc> func = creator();
    if (func == nullptr) return nullptr;
    auto object = std::make_shared<FlowFuncObject>(std::move(func), host);
    *code = object->Init(host);
    return *code == FLOW_FUNC_SUCCESS ? object : nullptr;
  };
  entry.process = [](void *object, const GeFlowHost *host, const GeFlowMessage *const *inputs, size_t count) {
    return static_cast<FlowFuncObject *>(object)->Proc(host, inputs, count);
  };
  return registration.Add(std::move(entry), nullptr, false);
}

}  // namespace detail

/// For the life of the process.
GE_OF_THIS_LIBRARY inline bool RegisterFlowFunc(const char *flowFuncName, const FLOW_FUNC_CREATOR_FUNC &func) noexcept {
  try {
    static auto *registration = new detail::Registration;
    return detail::AddFlowFunc(*registration, flowFuncName, func);
  } catch (const std::exception &) {
    return false;
  }
}

template <class T>
class FlowFuncRegister {
 public:
  explicit FlowFuncRegister(const char *name) {
    (void)detail::AddFlowFunc(registration_, name, [] { return std::make_shared<T>(); });
  }

 private:
  detail::Registration registration_;
};

}  // namespace FlowFunc

#define FLOW_FUNC_JOIN_INNER(a, b) a##b
#define FLOW_FUNC_JOIN(a, b) FLOW_FUNC_JOIN_INNER(a, b)
#define REGISTER_FLOW_FUNC(name, clazz) \
  static FlowFunc::FlowFuncRegister<clazz> FLOW_FUNC_JOIN(g_flow_func_register_, __COUNTER__)(name)

#endif
