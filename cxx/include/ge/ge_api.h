// Session (first generation): compile and run graphs by id with ge::Tensor.
#ifndef INC_EXTERNAL_GE_GE_API_H_
#define INC_EXTERNAL_GE_GE_API_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/detail/session_core.h"
#include "ge/ge_graph_compile_summary.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/graph.h"
#include "graph/tensor.h"

namespace ge {

inline Status GEInitialize(const std::map<AscendString, AscendString> &options) { return detail::Initialize(options); }
inline Status GEInitialize(const std::map<std::string, std::string> &options) {
  return detail::Initialize(detail::ToOptionMap(options));
}
inline Status GEFinalize() { return detail::Finalize(); }
/// The pending text, which is cleared.
inline AscendString GEGetErrorMsgV2() { return AscendString(detail::TakeErrorMessage().c_str()); }
inline AscendString GEGetWarningMsgV2() { return AscendString(""); }
inline std::string GEGetErrorMsg() { return detail::TakeErrorMessage(); }
inline std::string GEGetWarningMsg() { return ""; }

class Session {
 public:
  explicit Session(const std::map<AscendString, AscendString> &options)
      : core_(std::make_shared<detail::SessionCore>(options)) {}
  explicit Session(const std::map<std::string, std::string> &options) : Session(detail::ToOptionMap(options)) {}
  uint64_t GetSessionId() const { return core_->id(); }

  Status AddGraph(uint32_t graph_id, const Graph &graph) { return core_->Add(graph_id, graph, {}, false); }
  Status AddGraph(uint32_t graph_id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return core_->Add(graph_id, graph, options, false);
  }
  Status AddGraph(uint32_t graph_id, const Graph &graph, const std::map<std::string, std::string> &options) {
    return core_->Add(graph_id, graph, detail::ToOptionMap(options), false);
  }
  Status AddGraphWithCopy(uint32_t graph_id, const Graph &graph) { return core_->Add(graph_id, graph, {}, true); }
  Status AddGraphWithCopy(uint32_t graph_id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return core_->Add(graph_id, graph, options, true);
  }
  Status RemoveGraph(uint32_t graph_id) { return core_->Remove(graph_id); }
  bool IsGraphNeedRebuild(uint32_t graph_id) { return core_->NeedRebuild(graph_id); }

  /// Compiles if needed and runs; outputs are new host tensors.
  Status RunGraph(uint32_t graph_id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    Status status = core_->Claim(graph_id, detail::RunMode::kSync);
    return status == SUCCESS ? core_->Run(graph_id, inputs, outputs) : status;
  }
  Status RunGraphAsync(uint32_t graph_id, const std::vector<Tensor> &inputs, RunAsyncCallback callback) {
    Status status = core_->Claim(graph_id, detail::RunMode::kAsync);
    if (status != SUCCESS) {
      std::vector<Tensor> none;
      if (callback) callback(status, none);  // as GeSession does: nobody waits for ever
      return status;
    }
    detail::SessionCore *core = core_.get();
    core_->queue().Push([core, graph_id, inputs, callback] {
      std::vector<Tensor> outputs;
      Status result = core->Run(graph_id, inputs, outputs);
      if (callback) callback(result, outputs);
    });
    return SUCCESS;
  }
  /// Compiles for these inputs; their data does not count.
  Status BuildGraph(uint32_t graph_id, const std::vector<InputTensorInfo> &inputs) {
    std::vector<TensorDesc> descs;
    for (const InputTensorInfo &input : inputs)
      descs.emplace_back(Shape(input.dims), FORMAT_ND, static_cast<DataType>(input.data_type));
    return core_->Compile(graph_id, descs);
  }
  /// Compile only: afterwards the graph runs on streams.
  Status CompileGraph(uint32_t graph_id) {
    Status status = core_->Claim(graph_id, detail::RunMode::kStream);
    return status == SUCCESS ? core_->Compile(graph_id) : status;
  }
  Status LoadGraph(const uint32_t graph_id, const std::map<AscendString, AscendString> &, void *) const {
    return core_->Load(graph_id);
  }
  Status RunGraphWithStreamAsync(uint32_t graph_id, void *stream, const std::vector<Tensor> &inputs,
                                 std::vector<Tensor> &outputs) {
    if (core_->Claim(graph_id, detail::RunMode::kStream) != SUCCESS) return FAILED;
    return core_->RunOnStream(graph_id, stream, inputs, outputs);
  }
  Status ExecuteGraphWithStreamAsync(uint32_t graph_id, void *stream, const std::vector<gert::Tensor> &inputs,
                                     std::vector<gert::Tensor> &outputs) {
    if (core_->NeedRebuild(graph_id) || !core_->Loaded(graph_id)) return GE_GRAPH_NOT_BUILT;
    return core_->RunOnStream(graph_id, stream, inputs, outputs);
  }

  /// Outputs of runs on the stream that the caller brings no memory for come from the allocator; the last one counts.
  Status RegisterExternalAllocator(const void *const stream, AllocatorPtr allocator) const {
    return core_->RegisterAllocator(stream, allocator);
  }
  Status UnregisterExternalAllocator(const void *const stream) const { return core_->UnregisterAllocator(stream); }
  /// Where the nodes of a compiled graph run, as JSON; flags must be 0.
  Status GraphDebugJSONPrint(uint32_t graph_id, uint32_t flags, AscendString &json) const {
    return flags == 0 ? core_->Describe(graph_id, json) : FAILED;
  }
  /// Null before the graph is compiled.
  CompiledGraphSummaryPtr GetCompiledGraphSummary(uint32_t graph_id) {
    GeModel *model = core_->CompiledModel(graph_id);
    CompiledGraphSummaryPtr summary = CompiledGraphSummary::Of(model);
    GeModelDestroy(model);
    return summary;
  }

 private:
  std::shared_ptr<detail::SessionCore> core_;
};

extern "C" {
// The same without member functions.
inline Status GeSessionLoadGraph(Session &session, uint32_t graph_id,
                                 const std::map<AscendString, AscendString> &options, void *stream) {
  return session.LoadGraph(graph_id, options, stream);
}
inline Status GeSessionExecuteGraphWithStreamAsync(Session &session, uint32_t graph_id, void *stream,
                                                   const std::vector<gert::Tensor> &inputs,
                                                   std::vector<gert::Tensor> &outputs) {
  return session.ExecuteGraphWithStreamAsync(graph_id, stream, inputs, outputs);
}
inline Status GeSessionGraphDebugJSONPrint(Session &session, uint32_t graph_id, uint32_t flags, AscendString &json) {
  return session.GraphDebugJSONPrint(graph_id, flags, json);
}
}

}  // namespace ge

#endif
