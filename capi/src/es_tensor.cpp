// Descriptions, constants and attribute tensors.
#include <algorithm>
#include <cctype>
#include <cstring>

#include "capi/src/es_builder.h"
#include "capi/src/tensor_file.h"
#include "core/support/log.h"

using namespace gec;
using namespace gec::api;

namespace {

template <class Change>
uint32_t ChangeDesc(EsCTensorHolder *tensor, const char *function, Change &&change) {
  return EsStatus([&] {
    EsCTensorHolder &holder = HolderOf(tensor, function);
    Node &node = ProducerOf(holder, function);
    if (holder.index < 0) Fail(GE_PARAM_INVALID, function, ": ", node.Label(), " has no outputs");
    TensorDesc desc = node.output_desc(static_cast<size_t>(holder.index));
    change(desc);
    GeTensorData check = desc.View();
    TensorDesc::From(check);
    node.graph().SetOutputDesc(&node, static_cast<size_t>(holder.index), std::move(desc));
  });
}

void CheckDimNum(const void *shape, int64_t dim_num, const char *function) {
  if (dim_num < GE_UNKNOWN_RANK || dim_num > GE_MAX_RANK) {
    Fail(GE_PARAM_INVALID, function, ": dim_num is ", dim_num, ", expected 0 to ", GE_MAX_RANK, ", or ",
         GE_UNKNOWN_RANK, " for an unknown rank");
  }
  if (!shape && dim_num > 0) Fail(GE_PARAM_INVALID, function, ": shape is null but dim_num is ", dim_num);
}

// Names, integers, + - * /, brackets, and functions such as Max(a, b).
void CheckExpression(const char *text, int64_t at) {
  int depth = 0;
  bool any = false, ok = text != nullptr;
  for (const char *p = text; ok && *p; ++p) {
    unsigned char c = static_cast<unsigned char>(*p);
    if (c == '(') ++depth;
    else if (c == ')') ok = --depth >= 0;
    else if (std::isalnum(c) || c == '_') any = true;
    else ok = std::isspace(c) || std::strchr("+-*/,.%", c) != nullptr;
  }
  if (!ok || !any || depth != 0)
    Fail(GE_PARAM_INVALID, "EsSetOriginSymbolShape: dimension ", at, " is not an expression: '", text ? text : "(null)",
         "'");
}

template <class T>
EsCTensorHolder *Constant(EsCGraphBuilder *graph, const T *value, const int64_t *dims, int64_t dim_num, int32_t dtype,
                          const char *function) {
  const auto make = [&] {
    EsBuilder &b = OpenBuilder(graph, function, "graph");
    if (!value) NullArgument(function, "value");
    TensorDesc desc(dtype, EsShape(dims, std::max<int64_t>(dim_num, 0), function));
    if (!desc.known())
      Fail(GE_PARAM_INVALID, function, ": the shape ", desc.shape.str(), " of a constant must be known");
    auto buffer = Buffer::Copy(value, desc.bytes());
    return AddConstNode(b, std::make_shared<Tensor>(std::move(desc), std::move(buffer)));
  };
  return EsGuardPointer<EsCTensorHolder>(make, function);
}

EsCTensor *BoxOf(TensorDesc desc, std::shared_ptr<Buffer> buffer) {
  GeTensor *handle = NewHandle(std::make_shared<Tensor>(std::move(desc), std::move(buffer)));
  try {
    return NewBox(handle);
  } catch (...) {
    Drop(handle);
    throw;
  }
}

// GE's list; a tensor of another type comes from GeTensorCreate and GeEsTensorCreate.
void CheckAttrType(int32_t data_type, const char *function) {
  switch (data_type) {
    case C_DT_FLOAT:
    case C_DT_FLOAT16:
    case C_DT_INT8:
    case C_DT_INT16:
    case C_DT_INT32:
    case C_DT_INT64:
    case C_DT_UINT8:
    case C_DT_UINT16:
    case C_DT_UINT32:
    case C_DT_UINT64:
    case C_DT_BOOL:
      return;
    default:
      Fail(GE_PARAM_INVALID, "E10001: ", function, ": data type ", GeDataTypeName(data_type),
           " is not supported, expected DT_FLOAT, DT_FLOAT16, DT_BOOL, DT_INT8 to DT_INT64 or DT_UINT8 to DT_UINT64");
  }
}

TensorDesc AttrTensorDesc(const int64_t *dim, int64_t dim_num, int32_t data_type, int32_t format,
                          const char *function) {
  CheckAttrType(data_type, function);
  GeTensorData check{};
  check.data_type = data_type;
  check.format = check.origin_format = format;
  TensorDesc desc = TensorDesc::From(check);
  desc.SetShape(EsShape(dim, std::max<int64_t>(dim_num, 0), function));
  if (!desc.known()) Fail(GE_PARAM_INVALID, function, ": the shape ", desc.shape.str(), " must be known");
  return desc;
}

}  // namespace

extern "C" {

uint32_t EsSetDataType(EsCTensorHolder *tensor, C_DataType data_type) {
  return ChangeDesc(tensor, "EsSetDataType", [&](TensorDesc &d) { d.dtype = Number(data_type); });
}

uint32_t EsSetFormat(EsCTensorHolder *tensor, C_Format format) {
  return ChangeDesc(tensor, "EsSetFormat", [&](TensorDesc &d) { d.format = d.origin_format = Number(format); });
}

uint32_t EsSetShape(EsCTensorHolder *tensor, const int64_t *shape, int64_t dim_num) {
  return ChangeDesc(tensor, "EsSetShape", [&](TensorDesc &d) {
    CheckDimNum(shape, dim_num, "EsSetShape");
    d.SetShape(EsShape(shape, dim_num, "EsSetShape"));
  });
}

uint32_t EsSetOriginSymbolShape(EsCTensorHolder *tensor, const char *const *shape, int64_t dim_num) {
  return EsStatus([&] {
    static const Symbol name("origin_symbol_shape");
    constexpr const char *kFunction = "EsSetOriginSymbolShape";
    EsCTensorHolder &holder = HolderOf(tensor, kFunction);
    Node &node = ProducerOf(holder, kFunction);
    if (holder.index < 0) Fail(GE_PARAM_INVALID, kFunction, ": ", node.Label(), " has no outputs");
    CheckDimNum(shape, dim_num, kFunction);
    AttrValue::ListString texts;
    for (int64_t i = 0; i < dim_num; ++i) {
      CheckExpression(shape[i], i);
      texts.emplace_back(shape[i]);
    }
    Log(GE_LOG_WARNING, "EsSetOriginSymbolShape is experimental and may change");
    node.graph().SetOutputAttr(&node, static_cast<size_t>(holder.index), name, AttrValue(std::move(texts)));
  });
}

#define GE_CONSTANTS(Name, type, dtype)                                                                \
  EsCTensorHolder *EsCreateConst##Name(EsCGraphBuilder *graph, const type *value, const int64_t *dims, \
                                       int64_t dim_num) {                                              \
    return Constant(graph, value, dims, dim_num, dtype, "EsCreateConst" #Name);                        \
  }                                                                                                    \
  EsCTensorHolder *EsCreateVector##Name(EsCGraphBuilder *graph, const type *value, int64_t dim) {      \
    return Constant(graph, value, &dim, 1, dtype, "EsCreateVector" #Name);                             \
  }                                                                                                    \
  EsCTensorHolder *EsCreateScalar##Name(EsCGraphBuilder *graph, type value) {                          \
    return Constant(graph, &value, nullptr, 0, dtype, "EsCreateScalar" #Name);                         \
  }
GE_CONSTANTS(Int64, int64_t, C_DT_INT64)
GE_CONSTANTS(Int32, int32_t, C_DT_INT32)
GE_CONSTANTS(UInt64, uint64_t, C_DT_UINT64)
GE_CONSTANTS(UInt32, uint32_t, C_DT_UINT32)
GE_CONSTANTS(Float, float, C_DT_FLOAT)
#undef GE_CONSTANTS

EsCTensor *EsCreateEsCTensor(const void *data, const int64_t *dim, int64_t dim_num, C_DataType data_type,
                             C_Format format) {
  return EsGuardPointer<EsCTensor>([&] {
    GE_CHECK_ARG(EsCreateEsCTensor, data);
    TensorDesc desc = AttrTensorDesc(dim, dim_num, Number(data_type), Number(format), "EsCreateEsCTensor");
    uint64_t bytes = desc.bytes();
    return BoxOf(std::move(desc), Buffer::Copy(data, bytes));
  });
}

EsCTensor *EsCreateEsCTensorFromFile(const char *data_file_path, const int64_t *dim, int64_t dim_num,
                                     C_DataType data_type, C_Format format) {
  return EsGuardPointer<EsCTensor>([&] {
    GE_CHECK_ARG(EsCreateEsCTensorFromFile, data_file_path);
    TensorDesc desc = AttrTensorDesc(dim, dim_num, Number(data_type), Number(format), "EsCreateEsCTensorFromFile");
    uint64_t bytes = desc.bytes();
    return BoxOf(std::move(desc), ReadTensorFile(data_file_path, bytes));
  });
}

}  // extern "C"
