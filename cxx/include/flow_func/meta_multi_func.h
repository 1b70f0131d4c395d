// Functions of data-flow graphs, several to a class:
//
//   class Both : public FlowFunc::MetaMultiFunc { … Init … Sum … Difference … };
//   FLOW_FUNC_REGISTRAR(Both).RegProcFunc("Sum", &Both::Sum).RegProcFunc("Difference", &Both::Difference);
//
// The functions of one process point (func_list of its compile config) share an object.
#ifndef FLOW_FUNC_META_MULTI_FUNC_H_
#define FLOW_FUNC_META_MULTI_FUNC_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "flow_func/detail/registration.h"
#include "flow_func/flow_msg_queue.h"
#include "flow_func/meta_params.h"
#include "flow_func/meta_run_context.h"

namespace FlowFunc {

class MetaMultiFunc {
 public:
  MetaMultiFunc() = default;
  virtual ~MetaMultiFunc() = default;
  /// Once, before messages come. A code other than FLOW_FUNC_SUCCESS keeps the data-flow graph from being compiled.
  virtual int32_t Init(const std::shared_ptr<MetaParams> &params) {
    (void)params;
    return FLOW_FUNC_SUCCESS;
  }
};

namespace detail {

class HostQueue : public FlowMsgQueue {
 public:
  HostQueue(std::shared_ptr<HostContext> context, size_t input) : context_(std::move(context)), input_(input) {}
  int32_t Dequeue(std::shared_ptr<FlowMsg> &flowMsg, int32_t timeout = -1) override {
    return context_->Dequeue(input_, flowMsg, timeout);
  }
  int32_t Depth() const override { return context_->QueueSize(input_, true); }
  int32_t Size() const override { return context_->QueueSize(input_, false); }

 private:
  std::shared_ptr<HostContext> context_;
  size_t input_;
};

}  // namespace detail

/// Copies share what they registered; it is there until the last copy ends.
template <class T>
class FlowFuncRegistrar {
 public:
  using CUSTOM_PROC_FUNC = std::function<int32_t(T *, const std::shared_ptr<MetaRunContext> &,
                                                 const std::vector<std::shared_ptr<FlowMsg>> &)>;
  /// For functions that read their inputs themselves ("stream_input": true). Those of one object run side by side.
  using CUSTOM_PROC_FUNC_WITH_QUEUE = std::function<int32_t(T *, const std::shared_ptr<MetaRunContext> &,
                                                            const std::vector<std::shared_ptr<FlowMsgQueue>> &)>;

  FlowFuncRegistrar() : registration_(std::make_shared<detail::Registration>()) {}

  FlowFuncRegistrar &RegProcFunc(const char *flowFuncName, const CUSTOM_PROC_FUNC &func) {
    return Register(flowFuncName, false,
                    [func](T *object, const std::shared_ptr<MetaRunContext> &context, const GeFlowHost *,
                           const GeFlowMessage *const *inputs,
                           size_t count) { return func(object, context, detail::MessagesOf(inputs, count)); });
  }
  FlowFuncRegistrar &RegProcFunc(const char *flowFuncName, const CUSTOM_PROC_FUNC_WITH_QUEUE &func) {
    return Register(flowFuncName, true,
                    [func](T *object, const std::shared_ptr<MetaRunContext> &context, const GeFlowHost *host,
                           const GeFlowMessage *const *, size_t) {
                      auto shared = std::make_shared<detail::HostContext>();
                      shared->Enter(host);
                      std::vector<std::shared_ptr<FlowMsgQueue>> queues;
                      for (size_t i = 0; i < host->input_count; ++i)
                        queues.push_back(std::make_shared<detail::HostQueue>(shared, i));
                      const End<detail::HostContext> end{*shared};
                      return func(object, context, queues);
                    });
  }

 private:
  template <class Context>
  struct End {
    Context &context;
    ~End() { Stop(context); }
    static void Stop(detail::HostContext &c) { c.Detach(); }
    template <class Other>
    static void Stop(Other &c) {
      c.End();
    }
  };
  template <class Call>
  FlowFuncRegistrar &Register(const char *name, bool streams, Call call) {
    detail::Entry entry;
    entry.name = name != nullptr ? name : "";
    entry.create = [](const GeFlowHost *host, int32_t *code) -> std::shared_ptr<void> {
      auto object = std::make_shared<T>();
      auto params = std::make_shared<MetaParams>(host);
      const End<MetaParams> end{*params};
      *code = object->Init(params);
      return *code == FLOW_FUNC_SUCCESS ? object : nullptr;
    };
    entry.process = [call](void *object, const GeFlowHost *host, const GeFlowMessage *const *inputs, size_t count) {
      auto context = std::make_shared<MetaRunContext>(host, count > 0 ? inputs[0]->user_data : nullptr);
      const End<MetaRunContext> end{*context};
      return call(static_cast<T *>(object), context, host, inputs, count);
    };
    (void)registration_->Add(std::move(entry), registration_.get(), streams);
    return *this;
  }
  std::shared_ptr<detail::Registration> registration_;
};

}  // namespace FlowFunc

#define FLOW_FUNC_MULTI_JOIN_INNER(a, b) a##b
#define FLOW_FUNC_MULTI_JOIN(a, b) FLOW_FUNC_MULTI_JOIN_INNER(a, b)
#define FLOW_FUNC_REGISTRAR(clazz)                                                                      \
  static FlowFunc::FlowFuncRegistrar<clazz> FLOW_FUNC_MULTI_JOIN(g_flow_func_registrar_, __COUNTER__) = \
      FlowFunc::FlowFuncRegistrar<clazz>()

#endif
