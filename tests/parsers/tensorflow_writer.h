// Writes GraphDefs from the field numbers of TensorFlow's public format.
#pragma once

#include <cstring>
#include <string>
#include <vector>

namespace tf_writer {

using Names = std::vector<std::string>;

inline std::string Varint(uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out + static_cast<char>(v);
}
inline std::string Num(int field, int64_t value) { return Varint(field << 3) + Varint(static_cast<uint64_t>(value)); }
inline std::string Bytes(int field, const std::string &value) {
  return Varint(field << 3 | 2) + Varint(value.size()) + value;
}
template <class T>
std::string Raw(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

constexpr int kFloat = 1, kInt32 = 3, kBool = 10;

inline std::string Shape(const std::vector<int64_t> &dims) {
  std::string out;
  for (int64_t d : dims) out += Bytes(2, Num(1, d));
  return out;
}
inline std::string Tensor(int type, const std::vector<int64_t> &dims, const std::string &raw) {
  return Num(1, type) + Bytes(2, Shape(dims)) + Bytes(4, raw);
}
inline std::string Attr(const std::string &name, const std::string &value) {
  return Bytes(5, Bytes(1, name) + Bytes(2, value));
}
inline std::string AttrType(const std::string &name, int type) { return Attr(name, Num(6, type)); }
inline std::string AttrText(const std::string &name, const std::string &text) { return Attr(name, Bytes(2, text)); }
inline std::string AttrBool(const std::string &name, bool value) { return Attr(name, Num(5, value)); }
inline std::string AttrInt(const std::string &name, int64_t value) { return Attr(name, Num(3, value)); }
inline std::string AttrInts(const std::string &name, const std::vector<int64_t> &values) {
  std::string list;
  for (int64_t v : values) list += Varint(static_cast<uint64_t>(v));
  return Attr(name, Bytes(1, Bytes(3, list)));
}
inline std::string AttrShape(const std::string &name, const std::vector<int64_t> &dims) {
  return Attr(name, Bytes(7, Shape(dims)));
}
inline std::string AttrFunc(const std::string &name, const std::string &function) {
  return Attr(name, Bytes(10, Bytes(1, function)));
}

inline std::string NodeBody(const std::string &name, const std::string &op, const Names &inputs, const Names &attrs) {
  std::string out = Bytes(1, name) + Bytes(2, op);
  for (const std::string &input : inputs) out += Bytes(3, input);
  for (const std::string &attr : attrs) out += attr;
  return out;
}
/// A node of a graph.
inline std::string Node(const std::string &name, const std::string &op, const Names &inputs, const Names &attrs = {}) {
  return Bytes(1, NodeBody(name, op, inputs, attrs));
}
inline std::string Input(const std::string &name, const std::vector<int64_t> &dims, int type = kFloat) {
  return Node(name, "Placeholder", {}, {AttrType("dtype", type), AttrShape("shape", dims)});
}
inline std::string Const(const std::string &name, const std::string &tensor, int type = kFloat) {
  return Node(name, "Const", {}, {AttrType("dtype", type), Attr("value", Bytes(8, tensor))});
}
inline std::string Floats(const std::string &name, const std::vector<int64_t> &dims, const std::vector<float> &values) {
  return Const(name, Tensor(kFloat, dims, Raw(values)));
}
inline std::string Ints(const std::string &name, const std::vector<int64_t> &dims, const std::vector<int32_t> &values) {
  return Const(name, Tensor(kInt32, dims, Raw(values)), kInt32);
}

struct Argument {
  std::string name;
  int type;
};
/// A function of the library: nodes are NodeBody, results value names in the order of the outputs.
inline std::string Function(const std::string &name, const std::vector<Argument> &inputs,
                            const std::vector<Argument> &outputs, const Names &nodes, const Names &results) {
  std::string signature = Bytes(1, name), out;
  for (const Argument &a : inputs) signature += Bytes(2, Bytes(1, a.name) + Num(3, a.type));
  for (const Argument &a : outputs) signature += Bytes(3, Bytes(1, a.name) + Num(3, a.type));
  out = Bytes(1, signature);
  for (const std::string &node : nodes) out += Bytes(3, node);
  for (size_t i = 0; i < results.size(); ++i) out += Bytes(4, Bytes(1, outputs[i].name) + Bytes(2, results[i]));
  return out;
}
inline std::string Library(const Names &functions) {
  std::string out;
  for (const std::string &function : functions) out += Bytes(1, function);
  return Bytes(2, out);
}

}  // namespace tf_writer
