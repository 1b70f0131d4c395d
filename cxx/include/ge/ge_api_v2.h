// GeSession: compile and run graphs by id.
#ifndef INC_EXTERNAL_GE_GE_API_V2_H_
#define INC_EXTERNAL_GE_GE_API_V2_H_

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ge/detail/offline_build.h"
#include "ge/detail/session_base.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/graph.h"

#define INFERENCE_RULE "_inference_rule"

namespace ge {

/// Starts the process-wide runtime; again while started is fine.
inline Status GEInitializeV2(const std::map<AscendString, AscendString> &options) {
  return detail::Initialize(options);
}
/// Success also without a start; sessions should be gone first.
inline Status GEFinalizeV2() { return detail::Finalize(); }
/// The pending text, which is cleared.
inline AscendString GEGetErrorMsgV3() { return AscendString(detail::TakeErrorMessage().c_str()); }
inline AscendString GEGetWarningMsgV3() { return AscendString(detail::TakeWarnings().c_str()); }

extern "C" {
/// True for INFERENCE_RULE.
inline bool IsIrRepSupport(const char *rep) { return rep != nullptr && AscendString(rep) == INFERENCE_RULE; }
/// Prototype of a registered type: (name, "required" | "optional" | "dynamic") of ports, (name, "VT_…") of attributes.
inline Status GetRegisteredIrDef(const char *op_type, std::vector<std::pair<AscendString, AscendString>> &inputs,
                                 std::vector<std::pair<AscendString, AscendString>> &outputs,
                                 std::vector<std::pair<AscendString, AscendString>> &attrs) {
  return detail::RegisteredIr(op_type, inputs, outputs, attrs);
}
}

class GeSession : public detail::SessionBase {
 public:
  using RunCallback = std::function<Status(uint32_t graph_id, const std::map<AscendString, gert::Tensor> &params_list)>;

  explicit GeSession(const std::map<AscendString, AscendString> &options) : SessionBase(options) {}

  Status AddGraph(uint32_t graph_id, const Graph &graph) { return core_->Add(graph_id, graph, {}, false); }
  Status AddGraph(uint32_t graph_id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return core_->Add(graph_id, graph, options, false);
  }
  Status AddGraphClone(uint32_t graph_id, const Graph &graph) { return core_->Add(graph_id, graph, {}, true); }
  Status AddGraphClone(uint32_t graph_id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return core_->Add(graph_id, graph, options, true);
  }
  Status CompileGraph(uint32_t graph_id) { return core_->Compile(graph_id); }
  /// Types, formats and shapes of `inputs` replace those of the graph's inputs.
  Status CompileGraph(uint32_t graph_id, const std::vector<ge::Tensor> &inputs) {
    std::vector<TensorDesc> descs;
    for (const ge::Tensor &input : inputs) descs.push_back(input.GetTensorDesc());
    return core_->Compile(graph_id, descs);
  }
  /// Options that act belong to AddGraph: here they come too late, of which there is a warning. There are no streams.
  Status LoadGraph(const uint32_t graph_id, const std::map<AscendString, AscendString> &options, void *) const {
    return core_->Load(graph_id, options);
  }

  /// Synchronous; outputs are host tensors that own their memory.
  Status RunGraph(uint32_t graph_id, const std::vector<gert::Tensor> &inputs, std::vector<gert::Tensor> &outputs) {
    return core_->Run(graph_id, inputs, outputs);
  }
  /// Queued; inputs must live until the callback, which runs on another thread.
  Status RunGraphAsync(uint32_t graph_id, const std::vector<gert::Tensor> &inputs, RunAsyncCallbackV2 callback) {
    auto shared = std::make_shared<std::vector<gert::Tensor>>();
    for (const gert::Tensor &tensor : inputs) {
      gert::Tensor copy(tensor.GetShape(), tensor.GetFormat(), tensor.GetDataType());
      gert::TensorData data;
      (void)data.ShareFrom(tensor.GetTensorData());
      copy.SetData(std::move(data));
      shared->push_back(std::move(copy));
    }
    std::vector<Tensor> borrowed;
    if (!detail::OutputMemory::Borrow(*shared, borrowed)) return FAILED;
    return core_->RunAsync(graph_id, borrowed, [shared, callback](Status status, std::vector<Tensor> &results) {
      std::vector<gert::Tensor> outputs;
      detail::OutputMemory::Share(std::move(results), outputs);
      if (callback) callback(status, outputs);
    });
  }
  /// On this processor there are no streams: the work is done when the call returns, of which the first call warns.
  /// Outputs are the host's, those over memory that the caller brings as well.
  Status RunGraphWithStreamAsync(uint32_t graph_id, void *stream, const std::vector<gert::Tensor> &inputs,
                                 std::vector<gert::Tensor> &outputs) {
    return core_->RunOnStream(graph_id, stream, inputs, outputs);
  }

  /// The compiled graph as an offline model, as aclgrphBuildModel makes one.
  Status GetCompiledModel(uint32_t graph_id, ModelBufferData &model) {
    void *data = nullptr;
    size_t size = 0;
    if (!core_->ok() || GeSessionOfflineBuild(core_->handle(), graph_id, &data, &size) != GE_SUCCESS) return FAILED;
    detail::AdoptModel(data, size, model);
    return SUCCESS;
  }

  /// Key "Summary": called after every run with what the graph's Summary nodes got, by node name. Key "Save": called
  /// after every run of a graph with a Save node with what that got, by the names of variables.
  Status RegisterCallBackFunc(const char *key, const RunCallback &callback) {
    if (!callback) return core_->RegisterCallback(key, nullptr);
    return core_->RegisterCallback(key, [callback](uint32_t id, const std::map<AscendString, Tensor> &values) {
      std::map<AscendString, gert::Tensor> shared;
      for (const auto &output : values)
        shared.emplace(output.first, detail::OutputMemory::Share(Tensor(output.second)));
      return callback(id, shared);
    });
  }
};

}  // namespace ge

#endif
