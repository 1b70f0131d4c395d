// The import of one graph; handlers of control flow call back into it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parsers/tensorflow/importer.h"
#include "parsers/tensorflow/node_context.h"
#include "parsers/tensorflow/scope_fusion.h"

namespace gec::tensorflow {

/// An output that was asked for.
struct Wanted {
  std::string text;  // as it was asked for
  size_t node = 0;
  int64_t port = -1;  // -1: all
};

class Importer {
 public:
  Importer(const GraphDef &def, std::string name, const ParserOptions &options);
  /// Null when there are problems.
  GraphPtr Run();
  const onnx::ProblemList &problems() const { return problems_; }
  GraphPtr root() { return root_; }

  /// The value a reference names. Sets *tainted when it stands in for one that could not be made.
  Endpoint Resolve(Scope &scope, std::string_view text, bool *poisoned);
  /// The function's body, its arguments bound to `args`, in scope.graph; values in the order of its outputs. Throws
  /// NodeProblem.
  std::vector<Endpoint> Call(NodeContext &caller, std::string_view name, const Attrs &attrs, Graph &graph,
                             const std::vector<Endpoint> &args, const std::string &prefix, bool *poisoned);
  const FunctionDef *FindFunction(std::string_view name) const;
  /// A name for a subgraph, not taken in the root.
  std::string SubgraphName(const std::string &hint);
  void AddNetOutput(Graph &graph, const std::vector<Endpoint> &outputs);
  /// True when a node of the file has this name.
  bool IsNodeName(const std::string &name) const;
  /// Number of the next input of the graph.
  int64_t NextInput() { return next_input_++; }
  /// Images are NHWC, as TensorFlow has them, unless a node of the file takes them otherwise.
  bool ImagesHaveChannelsLast();
  /// The shape that option input_shape gives an input; null when it gives none.
  const Shape *ShapeFor(const std::string &input);
  /// True when an option names this input.
  bool NamedAsInput(const std::string &name) const;

 private:
  void Enter(Scope &scope, const std::vector<NodeDef> &nodes);
  /// Marks what the values rest on; false when a node cannot be there at all (problems were recorded).
  bool Mark(Scope &scope, const std::vector<size_t> &from);
  void ImportMarked(Scope &scope);
  void ImportNode(Scope &scope, size_t index);
  void ConnectControls(Scope &scope);
  void FuseScopes();
  /// Null for a node that no pass made.
  const FusedNode *FindFused(const Scope &scope, std::string_view node) const {
    return fusions_ && !scope.function ? fusions_->Find(node) : nullptr;
  }
  std::vector<Wanted> WantedOutputs(const Scope &scope) const;
  std::vector<size_t> UnreadNodes(const Scope &scope) const;
  void Report(const std::string &node, std::string_view op, Reason reason, std::string detail,
              std::vector<std::string> nearest = {});

  const GraphDef &def_;
  const ParserOptions &options_;
  std::string name_;
  onnx::ProblemList problems_;
  GraphPtr root_;
  std::optional<bool> channels_last_;
  Scope *root_scope_ = nullptr;
  std::vector<std::pair<std::string, Shape>> shapes_;  // of option input_shape; a name may be missing
  size_t unnamed_shapes_ = 0;                          // of them that were given away
  int64_t next_input_ = 0;
  bool has_plugins_ = false;          // for TensorFlow
  std::unique_ptr<Fusions> fusions_;  // of the graph itself; null when no pass changed anything
  size_t subgraph_count_ = 0, written_out_ = 0;
};

}  // namespace gec::tensorflow
