// Writes ONNX models byte by byte, so that tests can also write broken ones. Knows nothing of the importer.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace onnx_writer {

inline std::string Varint(uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out + static_cast<char>(v);
}
inline std::string Num(int field, int64_t value) { return Varint(field << 3) + Varint(static_cast<uint64_t>(value)); }
inline std::string Bytes(int field, const std::string &value) {
  return Varint(field << 3 | 2) + Varint(value.size()) + value;
}
inline std::string Float(int field, float value) {
  std::string out = Varint(field << 3 | 5);
  return out.append(reinterpret_cast<const char *>(&value), 4);
}
template <class T>
std::string Raw(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

enum Type {
  kFloat = 1,
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kInt32,
  kInt64,
  kString,
  kBool,
  kFloat16,
  kDouble,
  kUint32,
  kUint64
};

inline std::string Dims(int field, const std::vector<int64_t> &dims) {
  std::string out;
  for (int64_t d : dims) out += Num(field, d);
  return out;
}
/// A TensorProto with raw data.
inline std::string Tensor(const std::string &name, int type, const std::vector<int64_t> &dims, const std::string &raw) {
  return Dims(1, dims) + Num(2, type) + Bytes(8, name) + Bytes(9, raw);
}
inline std::string Ints(const std::string &name, const std::vector<int64_t> &v) {
  return Tensor(name, kInt64, {static_cast<int64_t>(v.size())}, Raw(v));
}
inline std::string Floats(const std::string &name, const std::vector<int64_t> &dims, const std::vector<float> &v) {
  return Tensor(name, kFloat, dims, Raw(v));
}
inline std::string Entry(const std::string &key, const std::string &value) { return Bytes(1, key) + Bytes(2, value); }
inline std::string ExternalTensor(const std::string &name, int type, const std::vector<int64_t> &dims,
                                  const std::vector<std::pair<std::string, std::string>> &entries) {
  std::string out = Dims(1, dims) + Num(2, type) + Bytes(8, name) + Num(14, 1);
  for (const auto &[key, value] : entries) out += Bytes(13, Entry(key, value));
  return out;
}

inline std::string AttrInt(const std::string &name, int64_t v) { return Bytes(1, name) + Num(3, v) + Num(20, 2); }
inline std::string AttrFloat(const std::string &name, float v) { return Bytes(1, name) + Float(2, v) + Num(20, 1); }
inline std::string AttrText(const std::string &name, const std::string &v) {
  return Bytes(1, name) + Bytes(4, v) + Num(20, 3);
}
inline std::string AttrTensor(const std::string &name, const std::string &t) {
  return Bytes(1, name) + Bytes(5, t) + Num(20, 4);
}
inline std::string AttrGraph(const std::string &name, const std::string &g) {
  return Bytes(1, name) + Bytes(6, g) + Num(20, 5);
}
inline std::string AttrInts(const std::string &name, const std::vector<int64_t> &v) {
  return Bytes(1, name) + Dims(8, v) + Num(20, 7);
}
inline std::string AttrRef(const std::string &name, int type, const std::string &ref) {
  return Bytes(1, name) + Num(20, type) + Bytes(21, ref);
}

using Names = std::vector<std::string>;
inline std::string Node(const std::string &type, const Names &in, const Names &out, const Names &attrs = {},
                        const std::string &name = "", const std::string &domain = "") {
  std::string node;
  for (const auto &n : in) node += Bytes(1, n);
  for (const auto &n : out) node += Bytes(2, n);
  if (!name.empty()) node += Bytes(3, name);
  node += Bytes(4, type);
  for (const auto &a : attrs) node += Bytes(5, a);
  if (!domain.empty()) node += Bytes(7, domain);
  return node;
}

/// A dimension of -1 gets a name instead of a value.
inline std::string Value(const std::string &name, int type, const std::vector<int64_t> &dims) {
  std::string shape;
  for (int64_t d : dims) shape += Bytes(1, d == -1 ? Bytes(2, "n") : Num(1, d));
  return Bytes(1, name) + Bytes(2, Bytes(1, Num(1, type) + Bytes(2, shape)));
}

struct Graph {
  Names nodes, inputs, outputs, initializers, value_info;
  std::string name = "g";
  std::string Encode() const {
    std::string out;
    for (const auto &n : nodes) out += Bytes(1, n);
    out += Bytes(2, name);
    for (const auto &t : initializers) out += Bytes(5, t);
    for (const auto &v : inputs) out += Bytes(11, v);
    for (const auto &v : outputs) out += Bytes(12, v);
    for (const auto &v : value_info) out += Bytes(13, v);
    return out;
  }
};

inline std::string Opset(int64_t version, const std::string &domain = "") {
  return (domain.empty() ? "" : Bytes(1, domain)) + Num(2, version);
}
inline std::string Model(const Graph &graph, int64_t opset = 17, const std::string &more = "") {
  return Num(1, 8) + Bytes(7, graph.Encode()) + Bytes(8, Opset(opset)) + more;
}

/// x [2, 3] float → Relu → y; the smallest sound model.
inline Graph ReluGraph() {
  Graph g;
  g.inputs = {Value("x", kFloat, {2, 3})};
  g.outputs = {Value("y", kFloat, {2, 3})};
  g.nodes = {Node("Relu", {"x"}, {"y"}, {}, "act")};
  return g;
}

}  // namespace onnx_writer
