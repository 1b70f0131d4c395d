// A handler's view of one ONNX node, and the functions that build the nodes for it.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "parsers/onnx/problem.h"
#include "parsers/onnx/scope.h"
#include "parsers/onnx/value.h"

namespace gec::onnx {

class Importer;

using Attrs = std::initializer_list<std::pair<const char *, AttrValue>>;

class NodeContext {
 public:
  NodeContext(Importer &importer, Scope &scope, Onnx__NodeProto *node, int64_t opset);

  const std::string &op() const { return op_; }
  int64_t opset() const { return opset_; }
  const std::string &name() const { return name_; }
  Importer &importer() { return importer_; }
  Scope &scope() { return scope_; }

  [[noreturn]] void Refuse(Reason reason, std::string detail, std::vector<std::string> nearest = {}) const;

  // ---- inputs ----
  size_t input_count() const { return node_->n_input; }  // trailing absent ones included
  bool HasInput(size_t i) const;
  Endpoint In(size_t i);     // refused when absent
  Endpoint OptIn(size_t i);  // empty when absent
  std::vector<Endpoint> AllInputs();
  /// From here on inputs of which several elements share a byte come as bytes or floats, and outputs go back to their
  /// type: for operators that move elements.
  void MoveWholeElements() { moves_ = true; }
  /// Values of every kind; the others take tensors.
  Value InValue(size_t i);
  Value OptValue(size_t i);
  /// The value of input i, which nobody else has where this node is the only one in the model to read its name.
  Value TakeValue(size_t i);
  /// Texts; refused where input i is something else.
  Value TextIn(size_t i);
  bool HasTexts();  // among the inputs
  /// Values are of kinds that do not fit; no problem of this node where a node before it could not be imported.
  [[noreturn]] void RefuseKinds(std::string detail) const;
  /// Input i, whose value is `v`, is of another kind than `wanted` says.
  [[noreturn]] void RefuseKind(size_t i, const Value &v, const char *wanted) const;
  /// From here on, inputs that are texts are read as their places; outputs are places of texts, if `results` are texts.
  void MoveTexts(bool results);
  /// The constant fed to input i; null when absent or computed.
  TensorPtr ConstIn(size_t i);
  /// The integers fed to input i, which must be constant.
  std::vector<int64_t> NeedInts(size_t i, const char *what);
  double NeedNumber(size_t i, const char *what);
  int64_t NeedInteger(size_t i, const char *what);

  // ---- attributes: reading one marks it as understood ----
  bool HasAttr(const char *name);
  int64_t Int(const char *name, int64_t fallback);
  int64_t NeedInt(const char *name);
  bool Flag(const char *name, bool fallback);  // 0 or 1, refused otherwise
  float Float(const char *name, float fallback);
  std::string String(const char *name, const char *fallback);
  std::vector<int64_t> Ints(const char *name);
  std::vector<float> Floats(const char *name);
  std::vector<std::string> Strings(const char *name);
  bool IsTextAttr(const char *name);                                     // a tensor of texts
  Value TextAttr(const char *name, const char *role);                    // of which this is the constant
  TensorPtr TensorAttr(const char *name);                                // null when absent
  Onnx__GraphProto *GraphAttr(const char *name);                         // refused when absent
  Onnx__AttributeProto *Attr(const char *name);                          // null when absent
  void Ignore(std::initializer_list<const char *> names);                // no effect on results here
  void TakeAllAttrs() { read_attrs_.assign(read_attrs_.size(), true); }  // somebody else reads them
  /// Element type attribute as GE data type.
  int32_t TypeAttr(const char *name, int32_t fallback);

  // ---- what is known of a value ----
  int32_t Type(Endpoint e) const;  // C_DT_UNDEFINED when unknown
  Shape ShapeOf(Endpoint e) const;
  int64_t Rank(Endpoint e) const { return ShapeOf(e).rank(); }  // -1 unknown
  int64_t NeedRank(Endpoint e, const char *why) const;
  int64_t NeedDim(Endpoint e, int64_t axis, const char *why) const;
  int32_t NeedType(Endpoint e, const char *why) const;
  /// Negative axes counted from the end when the rank is known; out of range is refused.
  int64_t Axis(int64_t axis, Endpoint e) const;
  /// As Axis, and never negative.
  int64_t NeedAxis(int64_t axis, Endpoint e) const;
  bool IsFloat(Endpoint e) const;
  static bool IsFloatType(int32_t type);

  // ---- building ----
  static bool Has(const char *type);  // a prototype is registered
  /// Adds a node; inputs in port order, absent optional ones empty. The instances of a dynamic input are told by the
  /// number of inputs, those of a dynamic output by `outputs`. Types and shapes of its outputs are inferred at once.
  Node *Add(const char *type, const std::vector<Endpoint> &inputs, Attrs attrs = {}, int32_t outputs = 0);
  /// A node of the same prototype, with these instances of its dynamic ports and nothing else.
  Node &AddCopy(const Node &from, const std::vector<int32_t> &dyn_in, const std::vector<int32_t> &dyn_out);
  Endpoint Op(const char *type, const std::vector<Endpoint> &inputs, Attrs attrs = {}) {
    return {Add(type, inputs, attrs), 0};
  }
  Endpoint Const(TensorPtr value, const char *role = "const");
  Value ConstTexts(const std::vector<std::string> &texts, const Shape &shape, const char *role);
  Endpoint ConstInts(const std::vector<int64_t> &values, const char *role);  // rank 1, int64
  Endpoint ConstInt(int64_t value, const char *role);                        // rank 0, int64
  Endpoint ConstNumber(double value, int32_t dtype,
                       const char *role);  // rank 0, refused when the type has no conversion
  /// The same with the type of e, which must be known.
  Endpoint NumberLike(double value, Endpoint e, const char *role);
  Endpoint CastTo(Endpoint e, int32_t type);  // nothing when it has the type
  /// A half type as float, anything else as it is: squares and powers leave the range of float16.
  Endpoint Widened(Endpoint e);
  Endpoint CastLike(Endpoint e, Endpoint like);  // to the type of `like`, nothing when that is unknown
  Endpoint ReshapeTo(Endpoint e, const std::vector<int64_t> &shape);  // constants are relabelled
  Endpoint Unsqueeze(Endpoint e, const std::vector<int64_t> &axes);
  Endpoint Squeeze(Endpoint e, const std::vector<int64_t> &axes);
  Endpoint Transpose(Endpoint e, const std::vector<int64_t> &perm);
  Endpoint ShapeValue(Endpoint e);  // rank 1, int64; a constant when the shape is known
  Endpoint Reduce(const char *type, Endpoint e, const std::vector<int64_t> &axes, bool keep_dims);
  Endpoint Slice(Endpoint e, const std::vector<int64_t> &begin, const std::vector<int64_t> &end,
                 const std::vector<int64_t> &axes, const std::vector<int64_t> &steps = {});

  // ---- outputs ----
  size_t output_count() const { return node_->n_output; }
  bool WantsOutput(size_t i) const;
  void Out(size_t i, Value v);
  void Out(size_t i, Endpoint e) { Out(i, Value(e)); }
  /// Checks that everything the node says was used, publishes outputs and names the main node.
  void Finish();
  bool poisoned() const { return poisoned_; }  // an input comes from a node that could not be imported
  void Poison() { poisoned_ = true; }          // something that a body of this node reads or makes does
  const std::vector<Node *> &made() const { return made_; }

  Onnx__NodeProto *proto() { return node_; }
  const Onnx__NodeProto *proto() const { return node_; }

 private:
  Onnx__AttributeProto *Typed(const char *name, int32_t type, const char *type_name);
  /// The value of input i, empty where there is none; looked up when somebody asks for the first time.
  const Value &Given(size_t i);

  Importer &importer_;
  Scope &scope_;
  Onnx__NodeProto *node_;
  int64_t opset_;
  std::string op_, name_, origin_;
  std::vector<Value> outputs_, given_;
  std::vector<bool> read_inputs_, read_attrs_, given_poisoned_;
  std::vector<Node *> made_;
  bool poisoned_ = false;
  bool moves_ = false;
  int32_t packed_ = -1, carrier_ = -1;  // with moves_: the type of such inputs, and the one that they come in
  std::vector<Endpoint> moved_places_;  // of each input that is texts, among moved_bytes_; while texts are moved
  Endpoint moved_bytes_;
  bool moves_results_ = false;
};

/// Text of the operator as reports name it: "Conv", "com.example:Thing".
std::string OperatorText(const Onnx__NodeProto &node);
/// The node's name, or "<type>:<first output>" when it has none.
std::string NodeText(const Onnx__NodeProto &node);

}  // namespace gec::onnx
