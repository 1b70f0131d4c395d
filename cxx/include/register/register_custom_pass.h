// Passes that are functions, and what passes of every kind are given.
#ifndef INC_EXTERNAL_REGISTER_REGISTER_CUSTOM_PASS_H_
#define INC_EXTERNAL_REGISTER_REGISTER_CUSTOM_PASS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ge/pass.h"
#include "ge_common/ge_api_error_codes.h"
#include "graph/ascend_string.h"
#include "graph/graph.h"
#include "register/detail/registered_passes.h"
#include "register/register_types.h"

namespace ge {

enum class CustomPassStage : uint32_t {
  kBeforeInferShape = 0,
  kAfterInferShape = 1,
  kAfterAssignLogicStream = 2,
  kAfterBuiltinFusionPass = 3,
  kAfterOriginGraphOptimize = 4,
  kCompatibleInherited = 5,
  kInvalid = 6
};

class CustomPassContext {
 public:
  CustomPassContext() = default;
  virtual ~CustomPassContext() = default;
  CustomPassContext(const CustomPassContext &) = delete;
  CustomPassContext &operator=(const CustomPassContext &) = delete;

  /// The text of the error that ends the compile when the pass fails.
  void SetErrorMessage(const AscendString &error_message) { error_message_ = error_message; }
  AscendString GetErrorMessage() const { return error_message_; }
  void SetPassName(const AscendString &pass_name) { pass_name_ = pass_name; }
  AscendString GetPassName() const { return pass_name_; }
  /// An option that was set for the compile in progress: of the graph, the session, or the process.
  graphStatus GetOptionValue(const AscendString &option_key, AscendString &option_value) const {
    const char *value = nullptr;
    if (GePassContextGetOption(borrowed_, option_key.GetString(), &value) != GE_SUCCESS) return GRAPH_FAILED;
    option_value = AscendString(value);
    return GRAPH_SUCCESS;
  }

  // For the classes of this library.
  void Attach(GePassContext *context) {
    borrowed_ = context;
    pass_name_ = AscendString(GePassContextName(context));
  }
  /// Of the pass that runs; of one's own for a context that a program made itself. Null without a pass name.
  GePassContext *handle() {
    if (borrowed_ != nullptr) return borrowed_;
    if (pass_name_.GetLength() == 0) return nullptr;
    if (own_ == nullptr || own_name_ != pass_name_) {
      GePassContext *made = nullptr;
      (void)GePassContextCreate(pass_name_.GetString(), &made);
      own_.reset(made);
      own_name_ = pass_name_;
    }
    return own_.get();
  }
  /// Tells the library what the pass has to say about its failure.
  void Deliver() const {
    if (borrowed_ != nullptr && error_message_.GetLength() != 0)
      (void)GePassContextSetError(borrowed_, error_message_.GetString());
  }

 protected:
  GePassContext *borrowed_ = nullptr;

 private:
  struct Destroy {
    void operator()(GePassContext *context) const { GePassContextDestroy(context); }
  };
  AscendString error_message_, pass_name_, own_name_;
  std::unique_ptr<GePassContext, Destroy> own_;
};

constexpr int64_t INVALID_STREAM_ID = -1;

class StreamPassContext : public CustomPassContext {
 public:
  explicit StreamPassContext(int64_t current_max_stream_id) : last_(current_max_stream_id) {}
  ~StreamPassContext() override = default;

  /// From 0 to the current maximum.
  graphStatus SetStreamId(const GNode &node, int64_t stream_id) {
    if (stream_id < 0 || stream_id > GetCurrMaxStreamId() || node.handle() == nullptr) return GRAPH_FAILED;
    if (borrowed_ != nullptr)
      return GePassContextSetStream(borrowed_, node.handle(), stream_id) == GE_SUCCESS ? GRAPH_SUCCESS : GRAPH_FAILED;
    ids_[node.handle()] = stream_id;
    return GRAPH_SUCCESS;
  }
  int64_t GetStreamId(const GNode &node) const {
    int64_t id = INVALID_STREAM_ID;
    if (borrowed_ != nullptr) {
      (void)GePassContextGetStream(borrowed_, node.handle(), &id);
      return id;
    }
    auto found = ids_.find(node.handle());
    return found == ids_.end() ? id : found->second;
  }
  /// One more stream; its number.
  int64_t AllocateNextStreamId() {
    if (borrowed_ != nullptr) (void)GePassContextLastStream(borrowed_, 1, &last_);
    else ++last_;
    return last_;
  }
  int64_t GetCurrMaxStreamId() const { return last_; }

 private:
  int64_t last_;
  std::map<const GeNode *, int64_t> ids_;
};

using CustomPassFunc = std::function<Status(GraphPtr &, CustomPassContext &)>;
using CustomAllocateStreamPassFunc = std::function<Status(const ConstGraphPtr &, StreamPassContext &)>;

class PassRegistrationData {
 public:
  PassRegistrationData() = default;
  explicit PassRegistrationData(std::string pass_name) : name_(std::move(pass_name)) {}

  PassRegistrationData &CustomPassFn(const CustomPassFunc &custom_pass_fn) {
    function_ = custom_pass_fn;
    return *this;
  }
  PassRegistrationData &Stage(const CustomPassStage stage) {
    if (stage < CustomPassStage::kInvalid) stage_ = stage;
    return *this;
  }
  PassRegistrationData &CustomAllocateStreamPassFn(const CustomAllocateStreamPassFunc &allocate_stream_pass_fn) {
    stream_function_ = allocate_stream_pass_fn;
    stage_ = CustomPassStage::kAfterAssignLogicStream;
    return *this;
  }
  std::string GetPassName() const { return name_; }
  CustomPassFunc GetCustomPassFn() const { return function_; }
  CustomPassStage GetStage() const { return stage_; }
  CustomAllocateStreamPassFunc GetCustomAllocateStreamPass() const { return stream_function_; }

 private:
  std::string name_;
  CustomPassFunc function_;
  CustomAllocateStreamPassFunc stream_function_;
  CustomPassStage stage_ = CustomPassStage::kBeforeInferShape;
};

namespace detail {

inline GeStatus RunFunctionPass(void *user, void *, GeGraph *graph, GePassContext *context) {
  return WithoutExceptions([&]() -> GeStatus {
    const auto *data = static_cast<const PassRegistrationData *>(user);
    GraphPtr shared = Shared(graph);
    CustomPassContext pass_context;
    pass_context.Attach(context);
    const Status status = data->GetCustomPassFn()(shared, pass_context);
    pass_context.Deliver();
    return status;
  });
}
inline GeStatus RunStreamPass(void *user, void *, GeGraph *graph, GePassContext *context) {
  return WithoutExceptions([&]() -> GeStatus {
    const auto *data = static_cast<const PassRegistrationData *>(user);
    const ConstGraphPtr shared = Shared(graph);
    int64_t last = 0;
    (void)GePassContextLastStream(context, 0, &last);
    StreamPassContext pass_context(last);
    pass_context.Attach(context);
    const Status status = data->GetCustomAllocateStreamPass()(shared, pass_context);
    pass_context.Deliver();
    return status;
  });
}

}  // namespace detail

/// Registers what a macro collected.
class PassReceiver {
 public:
  PassReceiver(PassRegistrationData &data) {  // NOLINT: implicit by contract
    const bool streams = data.GetCustomAllocateStreamPass() != nullptr;
    if (!streams && data.GetCustomPassFn() == nullptr) {
      GeLogMessage(GE_LOG_ERROR, ("pass '" + data.GetPassName() + "' is registered without a function").c_str());
      return;
    }
    const std::string name = data.GetPassName();
    GeCustomPassTable table{};
    table.struct_size = sizeof table;
    table.name = name.c_str();
    table.stage = static_cast<int32_t>(data.GetStage());
    table.kind = streams ? GE_PASS_STREAM : GE_PASS_FUNCTION;
    table.run = streams ? detail::RunStreamPass : detail::RunFunctionPass;
    table.destroy = [](void *user) { delete static_cast<PassRegistrationData *>(user); };
    table.user = new PassRegistrationData(data);
    detail::PassesOfThisLibrary().Add(table);
  }
  ~PassReceiver() = default;
};

}  // namespace ge

#define REGISTER_CUSTOM_PASS(name) REGISTER_CUSTOM_PASS_UNIQ_HELPER(__COUNTER__, name)
#define REGISTER_CUSTOM_PASS_UNIQ_HELPER(ctr, name) REGISTER_CUSTOM_PASS_UNIQ(ctr, name)
#define REGISTER_CUSTOM_PASS_UNIQ(ctr, name) \
  static ::ge::PassReceiver register_pass##ctr __attribute__((unused)) = ::ge::PassRegistrationData(name)

#endif
