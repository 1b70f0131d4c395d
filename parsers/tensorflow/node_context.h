// A handler's view of one node, and the functions that build the nodes for it.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "parsers/onnx/problem.h"
#include "parsers/tensorflow/scope.h"

namespace gec::tensorflow {

using onnx::NodeProblem;
using onnx::Reason;

class Importer;
using NewAttrs = std::vector<std::pair<std::string, AttrValue>>;

class NodeContext {
 public:
  NodeContext(Importer &importer, Scope &scope, size_t index);

  const NodeDef &def() const { return def_; }
  std::string_view op() const { return def_.op; }
  const std::string &name() const { return name_; }
  Importer &importer() { return importer_; }
  Scope &scope() { return scope_; }
  [[noreturn]] void Refuse(Reason reason, std::string detail, std::vector<std::string> nearest = {}) const;

  // ---- inputs, control inputs left out ----
  size_t input_count() const { return inputs_.size(); }
  Endpoint In(size_t i);  // refused when absent
  std::vector<Endpoint> AllInputs();
  /// The integers of input i, which must be constant.
  std::vector<int64_t> NeedInts(size_t i, const char *what);
  /// One integer.
  int64_t NeedInt(size_t i, const char *what);
  bool poisoned() const { return poisoned_; }  // an input comes from a node that could not be imported

  // ---- attributes: reading one marks it as understood ----
  const AttrDef *Attr(std::string_view name);  // null when absent
  int64_t Int(std::string_view name, int64_t fallback);
  float Float(std::string_view name, float fallback);
  bool Bool(std::string_view name, bool fallback);
  std::string Text(std::string_view name, const char *fallback);
  std::vector<int64_t> Ints(std::string_view name);
  /// As GE data type.
  int32_t Type(std::string_view name, int32_t fallback);
  void Ignore(std::initializer_list<std::string_view> names);  // no effect on results here
  /// The attributes in the order of the file; those that were read are left out.
  std::vector<std::pair<std::string_view, const AttrDef *>> Unread() const;

  // ---- what is known of a value ----
  int32_t TypeOf(Endpoint e) const { return e.node->output_desc(static_cast<size_t>(e.port)).dtype; }
  const Shape &ShapeOf(Endpoint e) const { return e.node->output_desc(static_cast<size_t>(e.port)).shape; }
  int64_t Rank(Endpoint e) const { return ShapeOf(e).rank(); }  // -1 unknown
  int64_t NeedRank(Endpoint e, const char *why) const;
  int64_t NeedDim(Endpoint e, int64_t axis, const char *why) const;

  // ---- building ----
  /// A node of registered type; dynamic inputs take what the others leave. Inference has run on it.
  Node *Add(std::string_view type, const std::vector<Endpoint> &inputs, NewAttrs attrs = {}, int32_t outputs = 0);
  Endpoint Op(std::string_view type, const std::vector<Endpoint> &inputs, NewAttrs attrs = {}) {
    return {Add(type, inputs, std::move(attrs)), 0};
  }
  Endpoint Const(TensorPtr value, const char *role);
  Endpoint ConstInts(const std::vector<int64_t> &values, const char *role);  // rank 1, int64
  Endpoint ConstInt(int64_t value, const char *role);                        // rank 0, int64
  Endpoint Reshape(Endpoint e, const std::vector<int64_t> &shape);           // constants are relabelled
  Endpoint Transpose(Endpoint e, const std::vector<int64_t> &perm);
  /// The node that carries the name when it is not the one that makes output 0.
  void SetMain(Node *node) { main_ = node; }

  // ---- outputs ----
  void Out(size_t i, Endpoint e);
  /// All outputs of a node, in order.
  void OutAll(Node *node);
  /// The called function could not be imported and is listed, so its readers report nothing of their own.
  void Poison();
  /// Checks that everything the node says was used, names the main node and publishes the outputs.
  void Finish();

 private:
  std::string HelperName(const std::string &role) const;
  [[noreturn]] void WrongKind(std::string_view name, const AttrDef &attr, const char *expected) const;

  Importer &importer_;
  Scope &scope_;
  const size_t index_;
  const NodeDef &def_;
  std::string name_;    // with the prefix of the functions around it
  std::string origin_;  // the same
  std::vector<Endpoint> inputs_;
  std::vector<bool> read_inputs_, read_attrs_;
  std::vector<std::pair<std::string_view, AttrDef>> attrs_;
  std::vector<Endpoint> outputs_;
  std::vector<Node *> made_;
  Node *main_ = nullptr;
  bool poisoned_ = false, given_up_ = false;
};

}  // namespace gec::tensorflow
