// The value of a name in the file: a tensor, or one of the other kinds of values that ONNX has, written as tensors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace gec::onnx {

class NodeContext;

/// Numbers in a row of a packed sequence's shapes.
constexpr int64_t kSequenceRow = 8;

enum class ValueKind { kTensor, kText, kSequence, kOptional };

/// The elements of a sequence that the import knows. Values share them: a sequence that grows element by element is not
/// copied as long as nobody else reads what it was before.
struct Elements {
  std::vector<Endpoint> tensors;
  // Made of them for the first one who asked: packed, or one behind the other along a new dimension.
  Endpoint values, shapes, rows;
  bool alike = true;  // false: found to have several shapes
};

/// The tensors of a value, and what the import knows of it.
///
/// kTensor    the tensor
/// kText      where each text lies among the bytes (int64, in the tensor's shape), and the bytes (op_proto/text_ops.h)
/// kSequence  listed: `list` and no parts; else packed: their values one behind the other, and their shapes
///            (op_proto/sequence_ops.h)
/// kOptional  whether there is something, then the tensors of what it is; nothing at all where the import knows that it
///            is empty. An optional value that is known to be there is that value.
struct Value {
  ValueKind kind = ValueKind::kTensor;
  std::vector<Endpoint> parts;
  std::shared_ptr<Elements> list;          // of a sequence whose elements are known
  int32_t element = C_DT_UNDEFINED;        // type of a sequence's elements, or of what an optional value would be
  ValueKind content = ValueKind::kTensor;  // of an optional value

  Value() = default;
  Value(Endpoint tensor) {  // NOLINT(google-explicit-constructor): most values are tensors
    if (tensor) parts.push_back(tensor);
  }
  static Value List(std::vector<Endpoint> elements, int32_t type) {
    Value v;
    v.kind = ValueKind::kSequence;
    v.list = std::make_shared<Elements>();
    v.list->tensors = std::move(elements);
    v.element = type;
    return v;
  }
  static Value Packed(Endpoint values, Endpoint shapes, int32_t type) {
    Value v;
    v.kind = ValueKind::kSequence;
    v.parts = {values, shapes};
    v.element = type;
    return v;
  }
  static Value Text(Endpoint places, Endpoint bytes) {
    Value v;
    v.kind = ValueKind::kText;
    v.parts = {places, bytes};
    return v;
  }
  static Value Nothing(ValueKind content, int32_t type) {
    Value v;
    v.kind = ValueKind::kOptional;
    v.content = content;
    v.element = type;
    return v;
  }

  bool is_tensor() const { return kind == ValueKind::kTensor && parts.size() == 1; }
  bool is(ValueKind k) const { return kind == k; }
  /// The tensors that it is: the elements of a list.
  const std::vector<Endpoint> &tensors() const & { return list ? list->tensors : parts; }
  void tensors() && = delete;
  explicit operator bool() const { return kind != ValueKind::kTensor || !parts.empty(); }
  /// "a sequence", "a text", …
  const char *what() const;
};

/// How a value travels where its kind has to be the same each time: through branches and rounds, and at a model's
/// borders.
struct ValueForm {
  ValueKind kind = ValueKind::kTensor, content = ValueKind::kTensor;
  int32_t element = C_DT_UNDEFINED;
  size_t listed = 0;
  bool is_list = false;

  /// The form of `v` where nothing is known of how many elements it has.
  static ValueForm Of(const Value &v);
  /// The one that both can take; refused where there is none.
  static ValueForm Common(NodeContext &c, const Value &a, const Value &b);
  size_t part_count() const;
  /// The value whose tensors these are.
  Value Make(std::vector<Endpoint> parts) const;
};

/// `v` in this form, in the graph of the context.
Value InForm(NodeContext &c, const Value &v, const ValueForm &form);
/// A listed sequence packed; a packed one as it is.
Value Pack(NodeContext &c, const Value &sequence);

}  // namespace gec::onnx
