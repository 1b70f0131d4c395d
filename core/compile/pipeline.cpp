#include "core/compile/pipeline.h"

#include <chrono>

#include "core/compile/fold.h"

namespace gec {
namespace {

class Stage {
 public:
  Stage(const char *name, const CompileConfig &config, CompileReport *report)
      : report_(report), begin_(std::chrono::steady_clock::now()) {
    entry_.name = name;
    if (config.progress) config.progress(name);
  }
  ~Stage() {
    entry_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (report_) report_->stages.push_back(entry_);
  }
  void Changed(size_t count) { entry_.changes += static_cast<int64_t>(count); }

 private:
  CompileReport *report_;
  StageTime entry_;
  std::chrono::steady_clock::time_point begin_;
};

/// Descriptions set on input ports by hand would hide what inference finds out about their producers.
void FollowProducers(Graph &graph) {
  for (Node *node : graph.Nodes()) {
    for (size_t i = 0; i < node->input_count(); ++i) {
      const TensorDesc *own = node->explicit_input_desc(i);
      Endpoint e = node->input(i);
      if (!own || !e) continue;
      const TensorDesc &source = e.node->output_desc(static_cast<size_t>(e.port));
      if (own->shape != source.shape || own->dtype != source.dtype || own->format != source.format) {
        TensorDesc desc = source;
        desc.attrs = own->attrs;
        graph.SetInputDesc(node, i, std::move(desc));
      }
    }
  }
}

void ApplyInputShapes(Graph &graph, const CompileConfig &config) {
  for (const auto &[name, dims] : config.input_shapes) {
    Node *found = nullptr;
    std::string names;
    for (Node *node : graph.Inputs()) {
      names += (names.empty() ? "" : ", ") + node->name();
      if (node->name() == name || node->OriginText() == name) found = node;
    }
    if (!found) Fail(GE_OPTION_INVALID, "option ge.inputShape names input '", name, "', the graph has: ", names);
    TensorDesc desc = found->output_desc(0);
    desc.SetShape(Shape(dims.data(), dims.size()));
    graph.SetOutputDesc(found, 0, std::move(desc));
  }
}

size_t InferAndFold(Graph &graph, const std::vector<TensorDesc> *inputs, const KernelFactory &kernels) {
  InferOptions options;
  options.inputs = inputs;
  EvaluateFn evaluate = kernels.Evaluator();
  if (evaluate) options.evaluate = &evaluate;
  FollowProducers(graph);
  InferResult result = InferGraph(graph, options);
  FollowProducers(graph);
  size_t changes = FoldKnownValues(graph, result.values);
  return changes + RemoveDeadNodes(graph);
}

}  // namespace

GraphPtr OptimizeGraph(const Graph &graph, const KernelFactory &kernels, const CompileConfig &config, CompileReport *report) {
  GraphPtr copy;
  {
    Stage stage("verify", config, report);
    graph.Verify();
    copy = graph.Clone();
    ApplyInputShapes(*copy, config);
  }
  {
    Stage stage("infer", config, report);
    stage.Changed(InferAndFold(*copy, nullptr, kernels));
  }
  return copy;
}

GraphPtr SpecializeGraph(const Graph &graph, const std::vector<TensorDesc> &inputs, const KernelFactory &kernels,
                         const CompileConfig &) {
  GraphPtr copy = graph.Clone();
  InferAndFold(*copy, &inputs, kernels);
  return copy;
}

}  // namespace gec
