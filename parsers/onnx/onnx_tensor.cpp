// Decoded ONNX tensors as constants.
#include <errno.h>
#include <string.h>

#include <cstdlib>

#include "core/ir/types.h"
#include "core/support/error.h"
#include "ge/own_data_types.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/onnx_file.h"

namespace gec::onnx {
namespace {

struct TypeRow {
  int32_t onnx;
  const char *name;
  int32_t ge;  // -1: GE has no such type
};
constexpr TypeRow kTypes[] = {
    {1, "float", C_DT_FLOAT},
    {2, "uint8", C_DT_UINT8},
    {3, "int8", C_DT_INT8},
    {4, "uint16", C_DT_UINT16},
    {5, "int16", C_DT_INT16},
    {6, "int32", C_DT_INT32},
    {7, "int64", C_DT_INT64},
    {8, "string", C_DT_STRING},
    {9, "bool", C_DT_BOOL},
    {10, "float16", C_DT_FLOAT16},
    {11, "double", C_DT_DOUBLE},
    {12, "uint32", C_DT_UINT32},
    {13, "uint64", C_DT_UINT64},
    {14, "complex64", C_DT_COMPLEX64},
    {15, "complex128", C_DT_COMPLEX128},
    {16, "bfloat16", C_DT_BF16},
    {17, "float8e4m3fn", C_DT_FLOAT8_E4M3FN},
    {18, "float8e4m3fnuz", C_DT_FLOAT8_E4M3FNUZ},
    {19, "float8e5m2", C_DT_FLOAT8_E5M2},
    {20, "float8e5m2fnuz", C_DT_FLOAT8_E5M2FNUZ},
    {21, "uint4", C_DT_UINT4},
    {22, "int4", C_DT_INT4},
    {23, "float4e2m1", C_DT_FLOAT4_E2M1},
    {24, "float8e8m0", C_DT_FLOAT8_E8M0},
    {25, "uint2", C_DT_UINT2},
    {26, "int2", C_DT_INT2},
};

const TypeRow *FindType(int32_t onnx_type) {
  for (const TypeRow &row : kTypes) {
    if (row.onnx == onnx_type) return &row;
  }
  return nullptr;
}

/// Blocks of the decoder: a tensor becomes their owner where that can be.
std::shared_ptr<Buffer> TakeOrCopy(void *data, uint64_t bytes, ExternalFiles *from) {
  if (from->model()) {
    if (std::shared_ptr<Buffer> taken = from->model()->TakeBlock(data, bytes)) return taken;
  }
  return Buffer::Copy(data, bytes);
}

template <class From, class To>
std::shared_ptr<Buffer> Convert(const From *from, size_t n) {
  auto buffer = Buffer::Allocate(n * sizeof(To));
  To *to = static_cast<To *>(buffer->data());
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
  return buffer;
}

[[noreturn]] void WrongCount(const std::string &what, const char *field, uint64_t got, uint64_t wanted) {
  Fail(GE_MODEL_INVALID, what, ": ", field, " holds ", got, " values, its dimensions ask for ", wanted);
}

uint64_t ParseNumber(const std::string &what, const char *key, const char *text) {
  char *end = nullptr;
  errno = 0;
  if (!text || *text < '0' || *text > '9') Fail(GE_MODEL_INVALID, what, ": external data has no valid ", key);
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || *end) Fail(GE_MODEL_INVALID, what, ": external data's ", key, " '", text, "' is not a number");
  return value;
}

std::shared_ptr<Buffer> ReadExternal(Onnx__TensorProto *proto, const std::string &what, uint64_t bytes,
                                     ExternalFiles *external) {
  const char *location = nullptr;
  uint64_t offset = 0, length = bytes;
  for (size_t i = 0; i < proto->n_external_data; ++i) {
    const auto *entry = proto->external_data[i];
    if (!entry->key) continue;
    if (!strcmp(entry->key, "location")) location = entry->value;
    if (!strcmp(entry->key, "offset")) offset = ParseNumber(what, "offset", entry->value);
    if (!strcmp(entry->key, "length")) length = ParseNumber(what, "length", entry->value);
  }
  if (!location) Fail(GE_MODEL_INVALID, what, ": external data has no location");
  if (length != bytes) {
    Fail(GE_MODEL_INVALID, what, ": external data has ", length, " bytes, its dimensions ask for ", bytes);
  }
  return external->Read(location, offset, length);
}

std::shared_ptr<Buffer> TakeTyped(Onnx__TensorProto *t, const std::string &what, int32_t type, uint64_t n,
                                  uint64_t bytes, ExternalFiles *from) {
  auto check = [&](const char *field, size_t got, uint64_t wanted) {
    if (got != wanted) WrongCount(what, field, got, wanted);
  };
  auto take = [&](auto *&data, size_t &count) {
    std::shared_ptr<Buffer> buffer = TakeOrCopy(data, bytes, from);
    data = nullptr;
    count = 0;
    return buffer;
  };
  switch (type) {
    case C_DT_FLOAT:
    case C_DT_COMPLEX64: {
      check("float_data", t->n_float_data, type == C_DT_FLOAT ? n : n * 2);
      return take(t->float_data, t->n_float_data);
    }
    case C_DT_DOUBLE:
    case C_DT_COMPLEX128:
      check("double_data", t->n_double_data, type == C_DT_DOUBLE ? n : n * 2);
      return take(t->double_data, t->n_double_data);
    case C_DT_INT64:
      check("int64_data", t->n_int64_data, n);
      return take(t->int64_data, t->n_int64_data);
    case C_DT_UINT64:
      check("uint64_data", t->n_uint64_data, n);
      return take(t->uint64_data, t->n_uint64_data);
    case C_DT_UINT32:
      check("uint64_data", t->n_uint64_data, n);
      return Convert<uint64_t, uint32_t>(t->uint64_data, n);
    case C_DT_INT32:
      check("int32_data", t->n_int32_data, n);
      return take(t->int32_data, t->n_int32_data);
    default:
      break;
  }
  switch (DataTypeBits(type)) {
    case 16:
      check("int32_data", t->n_int32_data, n);
      return Convert<int32_t, uint16_t>(t->int32_data, n);
    case 8:
      check("int32_data", t->n_int32_data, n);
      return Convert<int32_t, uint8_t>(t->int32_data, n);
    default:  // packed: one byte a value
      check("int32_data", t->n_int32_data, bytes);
      return Convert<int32_t, uint8_t>(t->int32_data, bytes);
  }
}

}  // namespace

int32_t GeTypeOf(int32_t onnx_type) {
  const TypeRow *row = FindType(onnx_type);
  return row ? row->ge : -1;
}

std::string OnnxTypeName(int32_t onnx_type) {
  const TypeRow *row = FindType(onnx_type);
  return row ? row->name : "type " + std::to_string(onnx_type);
}

Shape CheckedShape(const int64_t *dims, size_t rank, const std::string &what) {
  if (rank > GE_MAX_RANK) Fail(GE_MODEL_INVALID, what, " has rank ", rank, ", the limit is ", GE_MAX_RANK);
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0 || dims[i] > kMaxDim) {
      Fail(GE_MODEL_INVALID, what, ": dimension ", i, " is ", dims[i], ", allowed are 0 to ", kMaxDim);
    }
  }
  return Shape(dims, rank);
}

Shape DeclaredShape(const Onnx__TypeProto__Tensor *tensor) {
  if (!tensor || !tensor->shape || tensor->shape->n_dim > GE_MAX_RANK) return Shape::UnknownRank();
  Shape shape;
  for (size_t i = 0; i < tensor->shape->n_dim; ++i) {
    const auto *dim = tensor->shape->dim[i];
    const bool good = dim->has_dim_value && dim->dim_value >= 0 && dim->dim_value <= kMaxDim;
    shape.dims().push_back(good ? dim->dim_value : -1);
  }
  return shape;
}

static TensorPtr TakeNamed(Onnx__TensorProto *t, const std::string &what, ExternalFiles *external) {
  int32_t type = GeTypeOf(t->data_type);
  if (!t->has_data_type || t->data_type == 0) Fail(GE_MODEL_INVALID, what, " has no element type");
  if (type < 0 || type == C_DT_STRING) {
    Fail(GE_UNSUPPORTED, what, " holds values of type ", OnnxTypeName(t->data_type), ", which is not supported");
  }
  Shape shape = CheckedShape(t->dims, t->n_dims, what);
  uint64_t bytes, n;
  try {
    n = static_cast<uint64_t>(shape.elements());
    bytes = ByteSize(type, shape.elements());
  } catch (const Error &e) {
    Fail(GE_MODEL_INVALID, what, ": ", e.what());
  }
  std::shared_ptr<Buffer> buffer;
  auto check_raw = [&](uint64_t size) {
    if (size == bytes) return;
    Fail(GE_MODEL_INVALID, what, ": raw_data has ", size, " bytes, its dimensions ask for ", bytes);
  };
  if (t->data_location == 1) {
    buffer = ReadExternal(t, what, bytes, external);
  } else if (const ContentPart *part =
                 t->has_raw_part && external->model() ? external->model()->Part(t->raw_part) : nullptr) {
    check_raw(part->size);
    buffer = external->model()->CopyPart(*part);
  } else if (t->has_raw_data) {
    check_raw(t->raw_data.len);
    buffer = TakeOrCopy(t->raw_data.data, bytes, external);
    t->raw_data = {0, nullptr};
    t->has_raw_data = 0;
  } else {
    buffer = TakeTyped(t, what, type, n, bytes, external);
  }
  if (type == C_DT_BOOL) {  // any other byte than 0 and 1 would be undefined behaviour in a kernel
    auto *values = static_cast<uint8_t *>(buffer->data());
    for (uint64_t i = 0; i < bytes; ++i) {
      if (values[i] > 1) Fail(GE_MODEL_INVALID, what, ": bool value ", i, " is ", int{values[i]}, ", expected 0 or 1");
    }
  }
  return std::make_shared<Tensor>(TensorDesc(type, std::move(shape)), std::move(buffer));
}

TensorPtr TakeTensor(Onnx__TensorProto *t, ExternalFiles *external) {
  const std::string what = Str("tensor '", t->name ? t->name : "", "'");
  try {
    return TakeNamed(t, what, external);
  } catch (const Error &e) {  // other errors name the tensor themselves
    if (e.code() != GE_OUT_OF_MEMORY) throw;
    Fail(e.code(), what, ": ", e.what());
  }
}

TensorPtr TakeSparseTensor(Onnx__SparseTensorProto *s, ExternalFiles *external, const MakeFn &make) {
  if (!s->values || !s->indices) Fail(GE_MODEL_INVALID, "a sparse tensor has no values or no indices");
  std::string what = Str("sparse tensor '", s->values->name ? s->values->name : "", "'");
  TensorPtr values = TakeTensor(s->values, external), indices = TakeTensor(s->indices, external);
  Shape shape = CheckedShape(s->dims, s->n_dims, what);
  if (indices->desc.dtype != C_DT_INT64) Fail(GE_MODEL_INVALID, what, ": indices are not int64");
  uint32_t bits = DataTypeBits(values->desc.dtype);
  if (bits % 8 != 0) Fail(GE_UNSUPPORTED, what, ": packed types are not supported");
  uint64_t total, width = bits / 8;
  try {
    total = ByteSize(values->desc.dtype, shape.elements());
  } catch (const Error &e) {
    Fail(GE_MODEL_INVALID, what, ": ", e.what());
  }
  const Shape &is = indices->desc.shape;
  int64_t count = values->desc.shape.elements(), rank = shape.rank();
  bool linear = is.rank() == 1;
  if ((!linear && (is.rank() != 2 || is[1] != rank)) || is[0] != count) {
    Fail(GE_MODEL_INVALID, what, ": indices of shape ", is.str(), " do not fit ", count, " values of rank ", rank);
  }
  make(total, what);
  auto buffer = Buffer::Allocate(total);
  for (int64_t k = 0, before = -1; k < count; ++k) {
    int64_t at = 0;
    if (linear) {
      at = indices->as<int64_t>()[k];
    } else {
      for (int64_t d = 0; d < rank; ++d) {
        int64_t i = indices->as<int64_t>()[k * rank + d];
        if (i < 0 || i >= shape[d]) Fail(GE_MODEL_INVALID, what, ": index ", i, " is outside dimension ", d);
        at = at * shape[d] + i;
      }
    }
    if (at < 0 || at >= shape.elements()) Fail(GE_MODEL_INVALID, what, ": index ", at, " is out of range");
    if (at <= before)
      Fail(GE_MODEL_INVALID, what, ": index ", k, at == before ? " is the same as" : " lies before",
           " the one before it; they have to ascend");
    before = at;
    memcpy(static_cast<uint8_t *>(buffer->data()) + at * width, values->as<uint8_t>() + k * width, width);
  }
  return std::make_shared<Tensor>(TensorDesc(values->desc.dtype, shape), buffer);
}

}  // namespace gec::onnx
