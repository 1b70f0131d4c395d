// Session (first generation): compile and run graphs by id with ge::Tensor.
#ifndef INC_EXTERNAL_GE_GE_API_H_
#define INC_EXTERNAL_GE_GE_API_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/detail/session_core.h"
#include "ge_common/ge_common_api_types.h"
#include "graph/graph.h"
#include "graph/tensor.h"

namespace ge {

inline Status GEInitialize(const std::map<AscendString, AscendString> &options) { return detail::Initialize(options); }
inline Status GEInitialize(const std::map<std::string, std::string> &options) {
  return detail::Initialize(detail::ToOptionMap(options));
}
inline Status GEFinalize() { return detail::Finalize(); }
inline AscendString GEGetErrorMsgV2() { return AscendString(GeLastErrorMessage()); }
inline AscendString GEGetWarningMsgV2() { return AscendString(""); }
inline std::string GEGetErrorMsg() { return GeLastErrorMessage(); }
inline std::string GEGetWarningMsg() { return ""; }

class Session {
 public:
  explicit Session(const std::map<AscendString, AscendString> &options)
      : core_(std::make_shared<detail::SessionCore>(options)) {}
  explicit Session(const std::map<std::string, std::string> &options) : Session(detail::ToOptionMap(options)) {}
  uint64_t GetSessionId() const { return core_->id(); }

  Status AddGraph(uint32_t graph_id, const Graph &graph) { return core_->Add(graph_id, graph, {}); }
  Status AddGraph(uint32_t graph_id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return core_->Add(graph_id, graph, options);
  }
  Status AddGraph(uint32_t graph_id, const Graph &graph, const std::map<std::string, std::string> &options) {
    return core_->Add(graph_id, graph, detail::ToOptionMap(options));
  }
  Status AddGraphWithCopy(uint32_t graph_id, const Graph &graph) { return core_->Add(graph_id, graph, {}); }
  Status AddGraphWithCopy(uint32_t graph_id, const Graph &graph, const std::map<AscendString, AscendString> &options) {
    return core_->Add(graph_id, graph, options);
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
    if (status != SUCCESS) return status;
    detail::SessionCore *core = core_.get();
    core_->queue().Push([core, graph_id, inputs, callback] {
      std::vector<Tensor> outputs;
      Status result = core->Run(graph_id, inputs, outputs);
      if (callback) callback(result, outputs);
    });
    return SUCCESS;
  }
  Status BuildGraph(uint32_t graph_id, const std::vector<InputTensorInfo> &) { return core_->Compile(graph_id); }
  /// Compile only: afterwards the graph runs on streams.
  Status CompileGraph(uint32_t graph_id) {
    Status status = core_->Claim(graph_id, detail::RunMode::kStream);
    return status == SUCCESS ? core_->Compile(graph_id) : status;
  }
  Status LoadGraph(const uint32_t graph_id, const std::map<AscendString, AscendString> &, void *) const {
    return core_->Compile(graph_id);
  }
  Status RunGraphWithStreamAsync(uint32_t graph_id, void *, const std::vector<Tensor> &inputs,
                                 std::vector<Tensor> &outputs) {
    if (core_->Claim(graph_id, detail::RunMode::kStream) != SUCCESS) return FAILED;
    return core_->Run(graph_id, inputs, outputs);
  }
  Status ExecuteGraphWithStreamAsync(uint32_t graph_id, void *, const std::vector<gert::Tensor> &inputs,
                                     std::vector<gert::Tensor> &outputs) {
    if (core_->NeedRebuild(graph_id)) return 1343242295;  // GE_GRAPH_NOT_BUILT
    return core_->Run(graph_id, inputs, outputs);
  }

 private:
  std::shared_ptr<detail::SessionCore> core_;
};

}  // namespace ge

#endif
