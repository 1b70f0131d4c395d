// Offline build: a graph becomes a model in memory, and a file (.om) that GeCompileFile and the command line `ge` load.
#ifndef INC_EXTERNAL_GE_IR_BUILD_H_
#define INC_EXTERNAL_GE_IR_BUILD_H_

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/detail/files.h"
#include "ge/detail/model_buffer.h"
#include "ge/detail/offline_build.h"
#include "ge/detail/single_op_graph.h"
#include "ge_common/ge_ir_options.h"
#include "graph/graph.h"

namespace ge {

static const int32_t IR_MAJOR_VERSION = 1;
static const int32_t IR_MINOR_VERSION = 0;
static const int32_t IR_PATCH_VERSION = 0;

/// A built model, behind a pointer.
typedef void *aclmdlModel;

/// Once for the process; again while initialised is fine. A key that is no global option is a warning, a value that an
/// option does not take GRAPH_PARAM_INVALID.
inline graphStatus aclgrphBuildInitialize(std::map<AscendString, AscendString> &global_options) {
  return detail::OfflineBuilder::Instance().Initialize(global_options);
}
ATTRIBUTED_DEPRECATED(graphStatus aclgrphBuildInitialize(std::map<AscendString, AscendString> &))
inline graphStatus aclgrphBuildInitialize(std::map<std::string, std::string> global_options) {
  return detail::OfflineBuilder::Instance().Initialize(detail::ToOptionMap(global_options));
}
inline void aclgrphBuildFinalize() { detail::OfflineBuilder::Instance().Finalize(); }

/// Builds a copy of the graph. Options of the build win over global ones; a key that no build takes, or a value that
/// does not fit it, is GRAPH_PARAM_INVALID.
inline graphStatus aclgrphBuildModel(const Graph &graph, const std::map<AscendString, AscendString> &build_options,
                                     ModelBufferData &model) {
  return detail::OfflineBuilder::Instance().Build(graph, build_options, model);
}
ATTRIBUTED_DEPRECATED(graphStatus aclgrphBuildModel(const Graph &, const std::map<AscendString, AscendString> &,
                                                    ModelBufferData &))
inline graphStatus aclgrphBuildModel(const Graph &graph, const std::map<std::string, std::string> &build_options,
                                     ModelBufferData &model) {
  return aclgrphBuildModel(graph, detail::ToOptionMap(build_options), model);
}

/// Writes <output_file>.om, whatever the name ends with, and makes its folder.
inline graphStatus aclgrphSaveModel(const char_t *output_file, const ModelBufferData &model) {
  return detail::OfflineBuilder::Save(output_file, model, false);
}
ATTRIBUTED_DEPRECATED(graphStatus aclgrphSaveModel(const char_t *, const ModelBufferData &))
inline graphStatus aclgrphSaveModel(const std::string &output_file, const ModelBufferData &model) {
  return detail::OfflineBuilder::Save(output_file.c_str(), model, false);
}

/// One member of a bundle.
struct GraphWithOptions {
  ge::Graph graph;
  std::map<AscendString, AscendString> build_options;
};
/// At least two graphs, each built as aclgrphBuildModel builds it.
inline graphStatus aclgrphBundleBuildModel(const std::vector<GraphWithOptions> &graph_with_options,
                                           ModelBufferData &model) {
  std::vector<ModelBufferData> models;
  for (const GraphWithOptions &one : graph_with_options) {
    models.push_back({nullptr, 0});
    const graphStatus status = aclgrphBuildModel(one.graph, one.build_options, models.back());
    if (status != GRAPH_SUCCESS) return status;
  }
  return detail::OfflineBuilder::Bundle(models, model);
}
/// Writes <output_file>.om; for bundles only, as aclgrphSaveModel is for single models only.
inline graphStatus aclgrphBundleSaveModel(const char_t *output_file, const ModelBufferData &model) {
  return detail::OfflineBuilder::Save(output_file, model, true);
}

/// 1.0.0
inline graphStatus aclgrphGetIRVersion(int32_t *major_version, int32_t *minor_version, int32_t *patch_version) {
  if (major_version == nullptr || minor_version == nullptr || patch_version == nullptr) return GRAPH_FAILED;
  *major_version = IR_MAJOR_VERSION;
  *minor_version = IR_MINOR_VERSION;
  *patch_version = IR_PATCH_VERSION;
  return GRAPH_SUCCESS;
}

/// Writes <file>.txt and <file>.pbtxt (ONNX), and <file>_sub_graph_<i> of each subgraph. len is file's length; its
/// folder exists.
inline graphStatus aclgrphDumpGraph(const Graph &graph, const char_t *file, const size_t len) {
  if (file == nullptr || std::string(file).size() != len || len == 0) return GRAPH_PARAM_INVALID;
  const std::string folder = detail::FolderOf(file);
  if (!folder.empty() && !detail::IsFolder(folder)) return GRAPH_PARAM_INVALID;
  auto write = [](const Graph &one, const std::string &base) {
    std::ofstream text(base + ".txt"), onnx(base + ".pbtxt");
    return one.Dump(Graph::DumpFormat::kTxt, text) == GRAPH_SUCCESS && text.flush() &&
           one.Dump(Graph::DumpFormat::kOnnx, onnx) == GRAPH_SUCCESS && onnx.flush();
  };
  if (!write(graph, file)) return GRAPH_FAILED;
  size_t index = 0;
  for (const GraphPtr &sub : graph.GetAllSubgraphs())
    if (!write(*sub, std::string(file) + "_sub_graph_" + std::to_string(index++))) return GRAPH_FAILED;
  return GRAPH_SUCCESS;
}

/// A graph of one operator: a Data node for each description of an input, all outputs as outputs. As many descriptions
/// as the prototype has inputs; where one input of it is dynamic, that takes the surplus; trailing optional ones may be
/// missing.
inline graphStatus aclgrphGenerateForOp(const AscendString &op_type, const std::vector<TensorDesc> &inputs,
                                        const std::vector<TensorDesc> &outputs, Graph &graph) {
  return detail::SingleOpGraph(op_type.GetString(), inputs, outputs, graph);
}

/// From a saved graph (Graph::SaveToFile). The caller destroys *model.
inline graphStatus aclgrphBuildModelFromFile(const char_t *file, const std::map<AscendString, AscendString> &options,
                                             aclmdlModel **model) {
  if (file == nullptr || model == nullptr) return GRAPH_PARAM_INVALID;
  Graph graph("offline");
  if (graph.LoadFromFile(file) != GRAPH_SUCCESS) return GRAPH_FAILED;
  return detail::OfflineBuilder::Instance().Build(graph, options, model);
}
inline graphStatus aclgrphBuildModelFromData(const void *data, size_t size,
                                             const std::map<AscendString, AscendString> &options, aclmdlModel **model) {
  if (data == nullptr || model == nullptr) return GRAPH_PARAM_INVALID;
  Graph graph("offline");
  if (graph.LoadFromMem(static_cast<const uint8_t *>(data), size) != GRAPH_SUCCESS) return GRAPH_FAILED;
  return detail::OfflineBuilder::Instance().Build(graph, options, model);
}
inline graphStatus aclgrphSaveModel(const char_t *output_file, const aclmdlModel *model) {
  return model == nullptr ? GRAPH_PARAM_INVALID
                          : aclgrphSaveModel(output_file, *static_cast<ModelBufferData *>(*model));
}
/// Shares the model's bytes.
inline graphStatus aclgrphSaveModelToBuffer(ModelBufferData &buffer, const aclmdlModel *model) {
  if (model == nullptr) return GRAPH_PARAM_INVALID;
  buffer = *static_cast<ModelBufferData *>(*model);
  return GRAPH_SUCCESS;
}
inline graphStatus aclgrphDestroyModel(const aclmdlModel *model) {
  if (model == nullptr) return GRAPH_PARAM_INVALID;
  delete static_cast<ModelBufferData *>(*model);
  delete model;
  return GRAPH_SUCCESS;
}

}  // namespace ge

#endif
