// Collects one operator prototype from REG_OP items and shows it as a GeOpSchema.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "ge/op.h"

namespace ge {

/// The names that REG_OP headers use for attribute defaults.
enum DataType : int32_t {
  DT_FLOAT = C_DT_FLOAT,
  DT_FLOAT16 = C_DT_FLOAT16,
  DT_INT8 = C_DT_INT8,
  DT_INT32 = C_DT_INT32,
  DT_UINT8 = C_DT_UINT8,
  DT_INT16 = C_DT_INT16,
  DT_UINT16 = C_DT_UINT16,
  DT_UINT32 = C_DT_UINT32,
  DT_INT64 = C_DT_INT64,
  DT_UINT64 = C_DT_UINT64,
  DT_DOUBLE = C_DT_DOUBLE,
  DT_BOOL = C_DT_BOOL,
  DT_STRING = C_DT_STRING,
  DT_COMPLEX64 = C_DT_COMPLEX64,
  DT_COMPLEX128 = C_DT_COMPLEX128,
  DT_QINT8 = C_DT_QINT8,
  DT_QINT16 = C_DT_QINT16,
  DT_QINT32 = C_DT_QINT32,
  DT_QUINT8 = C_DT_QUINT8,
  DT_QUINT16 = C_DT_QUINT16,
  DT_RESOURCE = C_DT_RESOURCE,
  DT_VARIANT = C_DT_VARIANT,
  DT_BF16 = C_DT_BF16,
  DT_UNDEFINED = C_DT_UNDEFINED,
  DT_INT4 = C_DT_INT4,
  DT_COMPLEX32 = C_DT_COMPLEX32,
  DT_HIFLOAT8 = C_DT_HIFLOAT8,
  DT_FLOAT8_E5M2 = C_DT_FLOAT8_E5M2,
  DT_FLOAT8_E4M3FN = C_DT_FLOAT8_E4M3FN,
  DT_FLOAT8_E8M0 = C_DT_FLOAT8_E8M0,
  DT_FLOAT4_E2M1 = C_DT_FLOAT4_E2M1,
  DT_FLOAT4_E1M2 = C_DT_FLOAT4_E1M2,
};

/// Shape defaults: a dimension that is unknown, a rank that is unknown.
inline constexpr std::initializer_list<int64_t> UNKNOWN_SHAPE = {-1};
inline constexpr std::initializer_list<int64_t> UNKNOWN_RANK = {-2};

/// The default Tensor() of an attribute: an empty float tensor.
struct Tensor {};

}  // namespace ge

namespace gec {

class PrototypeBuilder {
 public:
  PrototypeBuilder() = default;
  PrototypeBuilder(const PrototypeBuilder &) = delete;
  PrototypeBuilder &operator=(const PrototypeBuilder &) = delete;

  PrototypeBuilder &Type(const char *type);
  PrototypeBuilder &Input(const char *name, int32_t kind, const char *types);
  PrototypeBuilder &Output(const char *name, int32_t kind, const char *types);
  PrototypeBuilder &Graph(const char *name, int32_t kind);
  PrototypeBuilder &Symbol(const char *name, const char *range);
  PrototypeBuilder &LegacyInfer() { return *this; }
  void End() {}

  PrototypeBuilder &RequiredAttr(const char *name, const char *type);
  PrototypeBuilder &AttrInt(const char *name, int64_t value);
  PrototypeBuilder &AttrFloat(const char *name, float value);
  PrototypeBuilder &AttrBool(const char *name, bool value);
  PrototypeBuilder &AttrString(const char *name, const char *value);
  PrototypeBuilder &AttrType(const char *name, ge::DataType value);
  PrototypeBuilder &AttrTensor(const char *name, ge::Tensor value);
  // Lists come as initialiser lists: a thousand prototypes then compile to plain data and calls, without vectors.
  PrototypeBuilder &AttrListInt(const char *name, std::initializer_list<int64_t> value);
  PrototypeBuilder &AttrListFloat(const char *name, std::initializer_list<float> value);
  PrototypeBuilder &AttrListBool(const char *name, std::initializer_list<bool> value);
  PrototypeBuilder &AttrListString(const char *name, std::initializer_list<const char *> value);
  PrototypeBuilder &AttrListType(const char *name, std::initializer_list<ge::DataType> value);
  PrototypeBuilder &AttrListListInt(const char *name, std::initializer_list<std::initializer_list<int64_t>> value);

  void SetFamily(const char *family) { family_ = family; }
  void SetBrief(const char *brief) { brief_ = brief; }
  const char *type() const { return type_; }
  /// Borrows from this builder.
  GeOpSchema Schema() const;

 private:
  GeIrAttr &NewAttr(const char *name, int32_t type, bool required = false);

  const char *type_ = "";
  const char *family_ = nullptr;
  const char *brief_ = nullptr;
  std::vector<GeIrPort> inputs_, outputs_;
  std::vector<GeIrAttr> attrs_;
  std::vector<GeIrGraph> graphs_;
  std::vector<GeIrSymbol> symbols_;
  // Memory that the plain structs point to; a deque keeps addresses.
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<float>> floats_;
  std::deque<std::vector<uint8_t>> bools_;
  std::deque<std::vector<int32_t>> types_;
  std::deque<std::vector<const char *>> strings_;
  std::deque<std::vector<const int64_t *>> rows_;
  std::deque<GeTensorData> tensors_;
};

}  // namespace gec
