// A GraphDef as it lies in the file: names and contents are pieces of the encoded bytes, which must outlive it.
//
// The messages are read here directly, because most of a frozen model is the content of tensors, which need not be
// copied to be looked over, and attributes are decoded for the nodes that are imported only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/tensor.h"

namespace gec::tensorflow {

/// An encoded message.
struct Span {
  const uint8_t *data = nullptr;
  uint64_t size = 0;
};
using Attrs = std::vector<std::pair<std::string_view, Span>>;  // a later entry of the same name wins

struct NodeDef {
  std::string_view name, op;
  std::vector<std::string_view> inputs;
  Attrs attrs;
};

struct ArgDef {
  std::string_view name;
  int32_t type = 0;
  std::string_view type_attr, number_attr, type_list_attr;
};

struct FunctionDef {
  std::string_view name;
  std::vector<ArgDef> inputs, outputs;
  Attrs defaults;  // of the function's own attributes
  std::vector<NodeDef> nodes;
  std::unordered_map<std::string_view, std::string_view> results;  // output argument → value in the body
};

struct GraphDef {
  std::vector<NodeDef> nodes;
  std::unordered_map<std::string_view, FunctionDef> functions;
};

/// Throws GE_MODEL_INVALID with the offset of the damaged field, or for a limit.
GraphDef ReadGraphDef(const uint8_t *data, uint64_t size);
/// True when the outermost fields are those of a GraphDef: at least one node, which has a name and an operator.
bool LooksLikeGraphDef(const uint8_t *data, uint64_t size);

struct ShapeDef {
  bool known_rank = true;
  std::vector<int64_t> dims;  // -1: unknown
};
struct TypeDef {
  int32_t value = 0;  // TensorFlow's number
};
struct PlaceholderDef {
  std::string_view name;  // of an attribute of the function around it
};
struct TensorDef {
  Span bytes;
};
struct FuncDef {
  std::string_view name;
  Attrs attrs;
};
struct ListDef {
  std::vector<std::string_view> texts;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<uint8_t> bools;
  std::vector<int32_t> types;
  std::vector<ShapeDef> shapes;
  std::vector<TensorDef> tensors;
  std::vector<FuncDef> funcs;
  bool empty() const {
    return texts.empty() && ints.empty() && floats.empty() && bools.empty() && types.empty() && shapes.empty() &&
           tensors.empty() && funcs.empty();
  }
};
struct AttrDef {
  std::variant<std::monostate, std::string_view, int64_t, float, bool, TypeDef, ShapeDef, TensorDef, ListDef, FuncDef,
               PlaceholderDef>
      value;
  template <class T>
  const T *get_if() const {
    return std::get_if<T>(&value);
  }
  /// The value of an attribute that a node does not state: false, 0, no text, an empty list.
  bool says_nothing() const;
  /// "a text", "an integer", for messages.
  const char *kind() const;
};
AttrDef ReadAttr(Span bytes);
ShapeDef ReadShape(Span bytes);

/// GE data type of a TensorFlow one; -1 when there is none. References (numbers above 100) count as what they refer to.
int32_t GeTypeOf(int32_t type);
/// "float", "half" …; for messages.
std::string TypeText(int32_t type);

/// The number of "DT_FLOAT" …; -1 when there is no such type.
int32_t TypeFromName(std::string_view name);

/// The tensor's content as a constant. Throws GE_MODEL_INVALID, GE_UNSUPPORTED, GE_OUT_OF_MEMORY.
TensorPtr ReadTensor(TensorDef tensor, const std::string &what);

/// The encoded form of a GraphDef written as text. Throws GE_MODEL_INVALID naming the line.
std::string EncodeText(std::string_view text);

}  // namespace gec::tensorflow
