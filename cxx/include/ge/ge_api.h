// Session (first generation): compile and run graphs by id with ge::Tensor.
#ifndef INC_EXTERNAL_GE_GE_API_H_
#define INC_EXTERNAL_GE_GE_API_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/detail/session_base.h"
#include "ge/ge_data_flow_api.h"
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
inline AscendString GEGetWarningMsgV2() { return AscendString(detail::TakeWarnings().c_str()); }
inline std::string GEGetErrorMsg() { return detail::TakeErrorMessage(); }
inline std::string GEGetWarningMsg() { return detail::TakeWarnings(); }

using pCallBackFunc = uint32_t (*)(uint32_t graph_id, const std::map<std::string, ge::Tensor> &params_list);
namespace session {
using pCallBackFunc = uint32_t (*)(uint32_t graph_id, const std::map<AscendString, ge::Tensor> &params_list);
}  // namespace session

class Session : public detail::SessionBase {
 public:
  explicit Session(const std::map<AscendString, AscendString> &options) : SessionBase(options) {}
  explicit Session(const std::map<std::string, std::string> &options) : Session(detail::ToOptionMap(options)) {}

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

  /// Compiles if needed and runs; outputs are new host tensors.
  Status RunGraph(uint32_t graph_id, const std::vector<Tensor> &inputs, std::vector<Tensor> &outputs) {
    return core_->Run(graph_id, inputs, outputs);
  }
  Status RunGraphAsync(uint32_t graph_id, const std::vector<Tensor> &inputs, RunAsyncCallback callback) {
    return core_->RunAsync(graph_id, inputs, [callback](Status status, std::vector<Tensor> &outputs) {
      if (callback) callback(status, outputs);
    });
  }
  /// Compiles for these inputs; their data does not count.
  Status BuildGraph(uint32_t graph_id, const std::vector<InputTensorInfo> &inputs) {
    std::vector<TensorDesc> descs;
    for (const InputTensorInfo &input : inputs)
      descs.emplace_back(Shape(input.dims), FORMAT_ND, static_cast<DataType>(input.data_type));
    return core_->Compile(graph_id, descs);
  }
  /// Compile only: afterwards the graph runs on streams. Graphs with variables are refused; they are for RunGraph.
  Status CompileGraph(uint32_t graph_id) { return core_->CompileForStreams(graph_id); }
  /// Options that act belong to AddGraph: here they come too late, of which there is a warning. There are no streams.
  Status LoadGraph(const uint32_t graph_id, const std::map<AscendString, AscendString> &options, void *) const {
    return core_->Load(graph_id, options);
  }
  /// On this processor there are no streams: the work is done when the call returns, of which the first call warns.
  /// Outputs are the host's, those over memory that the caller brings as well.
  Status RunGraphWithStreamAsync(uint32_t graph_id, void *stream, const std::vector<Tensor> &inputs,
                                 std::vector<Tensor> &outputs) {
    return core_->RunOnStream(graph_id, stream, inputs, outputs);
  }
  /// The same for a graph that is loaded.
  Status ExecuteGraphWithStreamAsync(uint32_t graph_id, void *stream, const std::vector<gert::Tensor> &inputs,
                                     std::vector<gert::Tensor> &outputs) {
    return core_->RunOnStream(graph_id, stream, inputs, outputs, true);
  }

  /// Key "Summary": called after every run with what the graph's Summary nodes got, by node name. Key "Save": called
  /// after every run of a graph with a Save node with what that got, by the names of variables.
  Status RegisterCallBackFunc(const char_t *key, const session::pCallBackFunc &callback) {
    if (!callback) return core_->RegisterCallback(key, nullptr);
    return core_->RegisterCallback(
        key, [callback](uint32_t id, const std::map<AscendString, Tensor> &values) { return callback(id, values); });
  }
  ATTRIBUTED_DEPRECATED(Status RegisterCallBackFunc(const char_t *, const session::pCallBackFunc &))
  Status RegisterCallBackFunc(const std::string &key, const pCallBackFunc &callback) {
    if (callback == nullptr) return core_->RegisterCallback(key.c_str(), nullptr);
    return core_->RegisterCallback(key.c_str(), [callback](uint32_t id, const std::map<AscendString, Tensor> &values) {
      std::map<std::string, Tensor> named;
      for (const auto &output : values) named.emplace(output.first.GetString(), output.second);
      return callback(id, named);
    });
  }
  /// Copies of the values of variables, all of one moment; an empty list means all, in the order they came into being.
  Status GetVariables(const std::vector<AscendString> &names, std::vector<Tensor> &values) {
    return core_->GetVariables(names, values);
  }
  ATTRIBUTED_DEPRECATED(Status GetVariables(const std::vector<AscendString> &, std::vector<Tensor> &))
  Status GetVariables(const std::vector<std::string> &names, std::vector<Tensor> &values) {
    std::vector<AscendString> texts;
    for (const std::string &name : names) texts.emplace_back(name.c_str());
    return core_->GetVariables(texts, values);
  }

  // ---- data-flow graphs: compiled and started when they are compiled, fed or fetched first ----
  // Any number of threads may feed and fetch one graph. Timeouts are in ms, -1 waits for ever; where time runs out the
  // status is ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT and nothing has happened. Without indexes all inputs or outputs are
  // meant.

  /// One message for each input; waits while queues are full. Tensors are copied. A transaction id of 0 becomes the
  /// next one. No tensors are fine where `info` has flags: every input then gets a message with no more than these.
  Status FeedDataFlowGraph(uint32_t graph_id, const std::vector<Tensor> &inputs, const DataFlowInfo &info,
                           int32_t timeout) {
    return core_->FlowOf(graph_id).Feed(nullptr, inputs, info, timeout);
  }
  Status FeedDataFlowGraph(uint32_t graph_id, const std::vector<uint32_t> &indexes, const std::vector<Tensor> &inputs,
                           const DataFlowInfo &info, int32_t timeout) {
    return core_->FlowOf(graph_id).Feed(&indexes, inputs, info, timeout);
  }
  /// Messages are not copied: what they hold must not change while it is on the way.
  Status FeedDataFlowGraph(uint32_t graph_id, const std::vector<FlowMsgPtr> &inputs, int32_t timeout) {
    return core_->FlowOf(graph_id).Feed(nullptr, inputs, timeout);
  }
  Status FeedDataFlowGraph(uint32_t graph_id, const std::vector<uint32_t> &indexes,
                           const std::vector<FlowMsgPtr> &inputs, int32_t timeout) {
    return core_->FlowOf(graph_id).Feed(&indexes, inputs, timeout);
  }
  /// The next message of each output. Where a node failed on it: the node's code (FAILED for codes above 9999999), the
  /// reason as message, no tensors, and the message is gone. END_OF_SEQUENCE when it says no more than that the stream
  /// ends; `info` is that of the first output.
  Status FetchDataFlowGraph(uint32_t graph_id, std::vector<Tensor> &outputs, DataFlowInfo &info, int32_t timeout) {
    return core_->FlowOf(graph_id).Fetch(nullptr, outputs, info, timeout);
  }
  Status FetchDataFlowGraph(uint32_t graph_id, const std::vector<uint32_t> &indexes, std::vector<Tensor> &outputs,
                            DataFlowInfo &info, int32_t timeout) {
    return core_->FlowOf(graph_id).Fetch(&indexes, outputs, info, timeout);
  }
  /// The same; the messages are there whatever their codes are.
  Status FetchDataFlowGraph(uint32_t graph_id, std::vector<FlowMsgPtr> &outputs, int32_t timeout) {
    return core_->FlowOf(graph_id).Fetch(nullptr, outputs, timeout);
  }
  Status FetchDataFlowGraph(uint32_t graph_id, const std::vector<uint32_t> &indexes, std::vector<FlowMsgPtr> &outputs,
                            int32_t timeout) {
    return core_->FlowOf(graph_id).Fetch(&indexes, outputs, timeout);
  }
  /// One message of type RAW_MSG for an input, a copy of all data one behind the other. A GraphPp takes it for a tensor
  /// of its input's type and shape, where those are known and the size fits.
  Status FeedRawData(uint32_t graph_id, const std::vector<RawData> &raw_data_list, const uint32_t index,
                     const DataFlowInfo &info, int32_t timeout) {
    return core_->FlowOf(graph_id).FeedRaw(raw_data_list, index, info, timeout);
  }
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
