// Tensors of a GraphDef as constants.
#include <cstring>

#include "core/ir/types.h"
#include "core/support/memory.h"
#include "parsers/tensorflow/limits.h"
#include "parsers/tensorflow/wire.h"

namespace gec::tensorflow {
namespace {

struct TypeRow {
  int32_t number;
  int32_t ge;
  const char *name;
};
constexpr TypeRow kTypes[] = {
    {1, C_DT_FLOAT, "float"},
    {2, C_DT_DOUBLE, "double"},
    {3, C_DT_INT32, "int32"},
    {4, C_DT_UINT8, "uint8"},
    {5, C_DT_INT16, "int16"},
    {6, C_DT_INT8, "int8"},
    {7, C_DT_STRING, "string"},
    {8, C_DT_COMPLEX64, "complex64"},
    {9, C_DT_INT64, "int64"},
    {10, C_DT_BOOL, "bool"},
    {11, C_DT_QINT8, "qint8"},
    {12, C_DT_QUINT8, "quint8"},
    {13, C_DT_QINT32, "qint32"},
    {14, C_DT_BF16, "bfloat16"},
    {15, C_DT_QINT16, "qint16"},
    {16, C_DT_QUINT16, "quint16"},
    {17, C_DT_UINT16, "uint16"},
    {18, C_DT_COMPLEX128, "complex128"},
    {19, C_DT_FLOAT16, "half"},
    {20, C_DT_RESOURCE, "resource"},
    {21, C_DT_VARIANT, "variant"},
    {22, C_DT_UINT32, "uint32"},
    {23, C_DT_UINT64, "uint64"},
    {24, C_DT_FLOAT8_E5M2, "float8_e5m2"},
    {25, C_DT_FLOAT8_E4M3FN, "float8_e4m3fn"},
};

const TypeRow *FindType(int32_t type) {
  if (type > 100 && type < 200) type -= 100;
  for (const TypeRow &row : kTypes)
    if (row.number == type) return &row;
  return nullptr;
}

struct Content {
  int32_t type = 0;
  ShapeDef shape;
  Span raw;  // tensor_content
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<int64_t> ints;
};

Content ReadContent(Span bytes) {
  Content c;
  for (Wire w(bytes); w.Next();) {
    switch (w.field()) {
      case 1:
        if (w.Is(1, Wire::kNumber)) c.type = static_cast<int32_t>(w.number());
        break;
      case 2:
        if (w.Is(2, Wire::kBytes)) c.shape = ReadShape(w.bytes());
        break;
      case 4:
        if (w.Is(4, Wire::kBytes)) c.raw = w.bytes();
        break;
      case 5:  // float
      case 9:  // complex64, two each
        w.Reals(&c.floats);
        break;
      case 6:   // double
      case 12:  // complex128
        w.Reals(&c.doubles);
        break;
      case 7:   // int8, uint8, int16, int32 and quantised ones
      case 10:  // int64
      case 11:  // bool
      case 13:  // half and bfloat16: bits
      case 16:  // uint32
      case 17:  // uint64
        w.Numbers([&](uint64_t v) { c.ints.push_back(static_cast<int64_t>(v)); });
        break;
      case 18:  // types of one byte, their bits
        if (w.Is(18, Wire::kBytes)) c.ints.assign(w.bytes().data, w.bytes().data + w.bytes().size);
        break;
      default:
        break;
    }
  }
  return c;
}

/// The values given, then the last one again and again; zeros where none is given.
template <class To, class From>
std::shared_ptr<Buffer> Repeated(const std::vector<From> &values, uint64_t total, uint64_t each, const char *list,
                                 const std::string &what) {
  if (values.size() % each != 0 || values.size() > total * each)
    Fail(GE_MODEL_INVALID, what, ": ", list, " has ", values.size(), " values, its shape asks for ", total * each);
  const uint64_t bytes = total * each * sizeof(To);
  if (values.size() < total * each && bytes > kMaxRepeatedBytes)
    Fail(GE_MODEL_INVALID, what, ": one value is repeated for ", bytes, " bytes, the limit is ", kMaxRepeatedBytes);
  std::shared_ptr<Buffer> buffer = Buffer::Allocate(bytes);
  To *to = static_cast<To *>(buffer->data());
  for (size_t i = 0; i < values.size(); ++i) to[i] = static_cast<To>(values[i]);
  if (!values.empty())
    for (uint64_t i = values.size(); i < total * each; ++i) to[i] = to[i - each];
  return buffer;
}

}  // namespace

int32_t GeTypeOf(int32_t type) {
  const TypeRow *row = FindType(type);
  return row ? row->ge : -1;
}

std::string TypeText(int32_t type) {
  const TypeRow *row = FindType(type);
  return row ? row->name : "type " + std::to_string(type);
}

int32_t TypeFromName(std::string_view name) {
  constexpr std::string_view kStart = "DT_", kReference = "_REF";
  if (name == "DT_INVALID") return 0;
  if (name.substr(0, kStart.size()) != kStart) return -1;
  std::string text(name.substr(kStart.size()));
  int32_t reference = 0;
  if (text.size() > kReference.size() &&
      text.compare(text.size() - kReference.size(), std::string::npos, kReference) == 0) {
    text.resize(text.size() - kReference.size());
    reference = 100;
  }
  for (char &ch : text) ch = ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch;
  for (const TypeRow &row : kTypes)
    if (text == row.name) return row.number + reference;
  return -1;
}

TensorPtr ReadTensor(TensorDef tensor, const std::string &what) {
  const Content c = ReadContent(tensor.bytes);
  const int32_t type = GeTypeOf(c.type);
  const uint32_t bits = type < 0 ? 0 : DataTypeBits(type);
  if (type < 0 || bits < 8 || bits % 8 != 0)
    Fail(GE_UNSUPPORTED, what, " holds values of ", TypeText(c.type), ", which cannot be computed");
  if (!c.shape.known_rank) Fail(GE_MODEL_INVALID, what, " has a shape of unknown rank");
  if (c.shape.dims.size() > GE_MAX_RANK)
    Fail(GE_MODEL_INVALID, what, " has rank ", c.shape.dims.size(), ", the limit is ", GE_MAX_RANK);
  for (size_t i = 0; i < c.shape.dims.size(); ++i) {
    if (c.shape.dims[i] < 0 || c.shape.dims[i] > kMaxDim)
      Fail(GE_MODEL_INVALID, what, ": dimension ", i, " is ", c.shape.dims[i], ", allowed are 0 to ", kMaxDim);
  }
  Shape shape(c.shape.dims.data(), c.shape.dims.size());
  uint64_t total, bytes;
  try {
    total = static_cast<uint64_t>(shape.elements());
    bytes = ByteSize(type, shape.elements());
  } catch (const Error &e) {
    Fail(GE_MODEL_INVALID, what, ": ", e.what());
  }
  std::shared_ptr<Buffer> buffer;
  if (c.raw.size != 0) {
    if (c.raw.size != bytes)
      Fail(GE_MODEL_INVALID, what, ": tensor_content has ", c.raw.size, " bytes, its shape asks for ", bytes);
    buffer = Buffer::Copy(c.raw.data, bytes);
  } else {
    switch (type) {
      case C_DT_FLOAT:
      case C_DT_COMPLEX64:
        buffer = Repeated<float>(c.floats, total, type == C_DT_FLOAT ? 1 : 2, "float_val", what);
        break;
      case C_DT_DOUBLE:
      case C_DT_COMPLEX128:
        buffer = Repeated<double>(c.doubles, total, type == C_DT_DOUBLE ? 1 : 2, "double_val", what);
        break;
      default:
        buffer = bits == 8    ? Repeated<uint8_t>(c.ints, total, 1, "int_val", what)
                 : bits == 16 ? Repeated<uint16_t>(c.ints, total, 1, "int_val", what)
                 : bits == 32 ? Repeated<uint32_t>(c.ints, total, 1, "int_val", what)
                              : Repeated<uint64_t>(c.ints, total, 1, "int_val", what);
    }
  }
  if (type == C_DT_BOOL) {  // any other byte than 0 and 1 would be undefined behaviour in a kernel
    auto *values = static_cast<uint8_t *>(buffer->data());
    for (uint64_t i = 0; i < bytes; ++i) {
      if (values[i] > 1) Fail(GE_MODEL_INVALID, what, ": bool value ", i, " is ", int{values[i]}, ", expected 0 or 1");
    }
  }
  return std::make_shared<Tensor>(TensorDesc(type, std::move(shape)), std::move(buffer));
}

}  // namespace gec::tensorflow
