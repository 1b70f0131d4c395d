// Functions of data-flow graphs: tables of callbacks become entries of the registry; what they ask while they run.
#include "capi/src/flow_messages.h"
#include "core/ir/attr.h"
#include "ge/model.h"
#include "runtime/flow/function.h"

namespace gec::api {
namespace {

/// The table that a function sees, as long as one call of it lasts.
class HostTable {
 public:
  explicit HostTable(FlowHost &host) : host_(host) {
    table_.struct_size = sizeof table_;
    table_.self = this;
    table_.name = host.name().c_str();
    table_.work_path = host.work_path().c_str();
    table_.input_count = host.input_count();
    table_.output_count = host.output_count();
    table_.get_attr = &GetAttr;
    table_.set_output = &SetOutput;
    table_.run_model = &RunModel;
    table_.dequeue = &Dequeue;
    table_.queue_size = &QueueSize;
    table_.raise = &Raise;
    table_.next_exception = &NextException;
  }
  HostTable(const HostTable &) = delete;
  HostTable &operator=(const HostTable &) = delete;
  const GeFlowHost *get() const { return &table_; }

 private:
  static HostTable &Of(void *self) { return *static_cast<HostTable *>(self); }
  static GeStatus GetAttr(void *self, const char *name, GeAttrData *out) {
    return Guard([&] {
      if (!name) NullArgument("get_attr", "name");
      if (!out) NullArgument("get_attr", "out");
      *out = GeAttrData{};
      HostTable &table = Of(self);
      const AttrValue *value = table.host_.Attr(name);
      if (!value) Fail(GE_NOT_FOUND, "get_attr: '", table.host_.name(), "' has no parameter '", name, "'");
      *out = table.views_.View(name, *value);
    });
  }
  static GeStatus SetOutput(void *self, size_t index, const GeFlowMessage *message) {
    return Guard([&] {
      if (!message) NullArgument("set_output", "message");
      Of(self).host_.SetOutput(index, MessageOf(*message, "set_output"));
    });
  }
  static GeStatus RunModel(void *self, const char *key, const GeFlowMessage *inputs, size_t input_count,
                           GeFlowMessage *outputs, size_t *output_count, int32_t timeout_ms) {
    return Guard([&] {
      if (!key) NullArgument("run_model", "key");
      if (!inputs && input_count) NullArgument("run_model", "inputs");
      if (!output_count) NullArgument("run_model", "output_count");
      if (!outputs && *output_count) NullArgument("run_model", "outputs");
      std::vector<FlowMessage> in;
      const StructArray<const GeFlowMessage> given(inputs, input_count, "run_model");
      for (size_t i = 0; i < input_count; ++i) in.push_back(MessageOf(given[i], "run_model"));
      const size_t room = *output_count, needed = Of(self).host_.ModelOutputs(key);
      *output_count = needed;
      if (room < needed) Fail(GE_PARAM_INVALID, "run_model: room for ", room, " outputs, '", key, "' has ", needed);
      MessageSlots slots("run_model", outputs, needed);
      const std::vector<FlowMessage> made = Of(self).host_.RunModel(key, std::move(in), timeout_ms);
      for (size_t i = 0; i < made.size(); ++i) slots.Fill(i, made[i]);
    });
  }
  static GeStatus Dequeue(void *self, size_t input, GeFlowMessage *out, int32_t timeout_ms) {
    return Guard([&] {
      if (!out) NullArgument("dequeue", "out");
      MessageSlots slots("dequeue", out, 1);
      slots.Fill(0, Of(self).host_.Dequeue(input, timeout_ms));
    });
  }
  static GeStatus QueueSize(void *self, size_t input, size_t *waiting, size_t *room) {
    return Guard([&] {
      if (!waiting) NullArgument("queue_size", "waiting");
      if (!room) NullArgument("queue_size", "room");
      Of(self).host_.QueueSize(input, waiting, room);
    });
  }
  static GeStatus Raise(void *self, int32_t code, uint64_t context) {
    return Guard([&] { Of(self).host_.Raise(code, context); });
  }
  static GeStatus NextException(void *self, int32_t *code, uint64_t *context) {
    return Guard([&] {
      if (!code) NullArgument("next_exception", "code");
      if (!context) NullArgument("next_exception", "context");
      if (!Of(self).host_.NextException(code, context)) Fail(GE_NOT_FOUND, "next_exception: there is none");
    });
  }

  FlowHost &host_;
  GeFlowHost table_{};
  AttrViewCache views_;
};

// Turns a callback's status and its reason into an error.
[[noreturn]] void FailWith(GeStatus code, const char *what) {
  const std::string reason = GeLastErrorCode() != GE_SUCCESS ? GeLastErrorMessage() : "";
  Fail(code, what, " returned ", static_cast<int32_t>(code), reason.empty() ? "" : ": ", reason);
}

class TableFunction : public FlowFunction {
 public:
  explicit TableFunction(const GeFlowFunction &table)
      : FlowFunction(table.name, table.family, table.streams != 0), table_(table) {
    table_.name = nullptr;
  }
  std::shared_ptr<void> Create(FlowHost &host) override {
    if (!table_.create) return nullptr;
    // The owner of the instance comes first: what was made is not lost when memory ends.
    auto made = std::make_shared<Made>(table_);
    HostTable asked(host);
    GeClearLastError();
    const GeStatus status = table_.create(table_.user, asked.get(), &made->instance);
    if (status != GE_SUCCESS) FailWith(status, "creating it");
    return {made, made->instance};
  }
  void Process(void *instance, FlowHost &host, std::vector<FlowMessage> inputs) override {
    std::vector<GeFlowMessage> given(inputs.size());
    for (GeFlowMessage &message : given) message.struct_size = sizeof message;
    Held held{given};
    {
      MessageSlots slots("process", given.data(), given.size());
      for (size_t i = 0; i < inputs.size(); ++i) slots.Fill(i, inputs[i]);
    }
    inputs.clear();
    std::vector<const GeFlowMessage *> each;
    for (const GeFlowMessage &message : given) each.push_back(&message);
    HostTable asked(host);
    GeClearLastError();
    const int32_t code = table_.process(table_.user, instance, asked.get(), each.data(), each.size());
    if (code != 0) FailWith(static_cast<GeStatus>(code), "it");
  }

 private:
  struct Made {
    explicit Made(const GeFlowFunction &t) : table(t) {}
    ~Made() {
      if (table.destroy && instance) table.destroy(table.user, instance);
    }
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;
    GeFlowFunction table;
    void *instance = nullptr;
  };
  struct Held {
    std::vector<GeFlowMessage> &messages;
    ~Held() {
      for (GeFlowMessage &message : messages) GeTensorDestroy(message.tensor);
    }
  };
  GeFlowFunction table_;
};

}  // namespace
}  // namespace gec::api

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeFlowFunctionRegister(const GeFlowFunction *callers, uint64_t *token) {
  return Guard([&] {
    if (token) *token = 0;
    if (!callers) NullArgument("GeFlowFunctionRegister", "function");
    const GeFlowFunction known = ReadStruct(*callers, "GeFlowFunctionRegister"), *function = &known;
    CheckReserved(static_cast<uint32_t>(function->reserved), "GeFlowFunctionRegister", "GeFlowFunction.reserved");
    if (!function->name) NullArgument("GeFlowFunctionRegister", "function->name");
    if (!function->process) NullArgument("GeFlowFunctionRegister", "function->process");
    const uint64_t made = FlowFunctions::Instance().Register(std::make_shared<TableFunction>(*function));
    if (token) *token = made;
  });
}

extern "C" void GeFlowFunctionUnregister(uint64_t token) {
  if (token != 0) FlowFunctions::Instance().Unregister(token);
}
