#include "support.h"

#include <cstring>

namespace onednn {

int64_t Count(const Dims &dims, size_t from) {
  int64_t n = 1;
  for (size_t i = from; i < dims.size(); ++i) n *= dims[i];
  return n;
}

std::string ToText(const Dims &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

bool Tensor::known() const {
  if (data_->rank < 0) return false;
  for (int i = 0; i < data_->rank; ++i)
    if (data_->dims[i] < 0) return false;
  return true;
}
Dims Tensor::dims() const { return data_->rank > 0 ? Dims(data_->dims, data_->dims + data_->rank) : Dims(); }
Dims Tensor::logical() const {
  if (!blocked()) return dims();
  return Dims(data_->origin_dims, data_->origin_dims + data_->origin_rank);
}

bool Node::is(const char *type) const { return !strcmp(op_->type, type); }

bool Node::known() const {
  for (size_t i = 0; i < inputs(); ++i)
    if (in(i).present() && !in(i).known()) return false;
  for (size_t i = 0; i < outputs(); ++i)
    if (out(i).present() && !out(i).known()) return false;
  return true;
}

Dims Node::Ints(const char *name) const {
  size_t count = 0;
  const int64_t *values = GeOpAttrInts(op_, name, &count);
  return Dims(values, values + count);
}

std::vector<std::string> Node::Strings(const char *name) const {
  const GeAttrData *a = GeOpAttr(op_, name);
  std::vector<std::string> out;
  if (!a || a->type != C_VT_LIST_STRING) return out;
  for (uint64_t i = 0; i < a->count; ++i) out.emplace_back(static_cast<const char *const *>(a->list)[i]);
  return out;
}

namespace {
const char *TypeName(int32_t type) {
  switch (type) {
    case C_DT_FLOAT16:
      return "DT_FLOAT16";
    case C_DT_INT8:
      return "DT_INT8";
    case C_DT_INT32:
      return "DT_INT32";
    case C_DT_UINT8:
      return "DT_UINT8";
    case C_DT_INT16:
      return "DT_INT16";
    case C_DT_UINT16:
      return "DT_UINT16";
    case C_DT_UINT32:
      return "DT_UINT32";
    case C_DT_INT64:
      return "DT_INT64";
    case C_DT_UINT64:
      return "DT_UINT64";
    case C_DT_DOUBLE:
      return "DT_DOUBLE";
    case C_DT_BOOL:
      return "DT_BOOL";
    case C_DT_BF16:
      return "DT_BF16";
    case C_DT_INT4:
      return "DT_INT4";
    case C_DT_HIFLOAT8:
      return "DT_HIFLOAT8";
    default:
      return nullptr;
  }
}
}  // namespace

void RequireFloat(const Tensor &tensor, const char *what) {
  if (!tensor.present()) Refuse(what, " is not connected");
  if (tensor.type() == C_DT_FLOAT) return;
  const char *name = TypeName(tensor.type());
  Refuse(name ? std::string(name) : Text("data type ", tensor.type()), " is not supported (", what, ")");
}

void RequirePlain(const Tensor &tensor, const char *what) {
  switch (tensor.format()) {
    case C_FORMAT_ND:
    case C_FORMAT_NCHW:
    case C_FORMAT_NHWC:
    case C_FORMAT_HWCN:
    case C_FORMAT_NC:
    case C_FORMAT_CN:
    case C_FORMAT_NCL:
    case C_FORMAT_NCDHW:
    case C_FORMAT_NDHWC:
    case C_FORMAT_CHWN:
      return;
    default:
      Refuse("format ", tensor.format(), " is not supported (", what, ")");
  }
}

}  // namespace onednn
