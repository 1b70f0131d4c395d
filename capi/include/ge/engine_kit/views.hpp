// Tensors, attributes and nodes as an engine gets them, with typed readers. A view owns nothing and is valid as long as
// the plain data below it: during the call that got it.
#ifndef GE_ENGINE_KIT_VIEWS_HPP_
#define GE_ENGINE_KIT_VIEWS_HPP_

#include <pthread.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "ge/engine.h"
#include "ge/engine_kit/data_types.hpp"
#include "ge/engine_kit/failure.hpp"
#include "ge/op.h"

GE_ENGINE_KIT_BEGIN

using Dims = std::vector<int64_t>;
/// Product of the extents [from, to).
inline int64_t Count(const Dims &dims, size_t from = 0, size_t to = SIZE_MAX) {
  int64_t n = 1;
  for (size_t i = from; i < dims.size() && i < to; ++i) n *= dims[i];
  return n;
}
/// "[2,3]".
inline std::string ToText(const Dims &dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}
/// An axis that may count from the end (-1: the last) as an index. Refuses what is out of range.
inline int64_t NormalAxis(int64_t axis, int64_t rank) {
  const int64_t normal = axis < 0 ? axis + rank : axis;
  if (normal < 0 || normal >= rank) Refuse("axis ", axis, " is out of range for rank ", rank);
  return normal;
}

/// The host for which this thread is in a function of the engine, or was last; null before. The same library may be
/// open for several hosts at once, each of which lives as long as what it opened.
class HostOfEngine {
 public:
  static const GeEngineHost *Get() { return static_cast<const GeEngineHost *>(pthread_getspecific(Key())); }
  /// Fails for want of memory. While the process ends the key may be gone already: then no constant is asked for any
  /// more.
  static void Set(const GeEngineHost *host) {
    if (Get() != host && pthread_setspecific(Key(), host) == ENOMEM) throw std::bad_alloc();
  }

 private:
  // No thread_local: a library that is opened late gets its memory at the first use in a thread, and the process ends
  // where that fails; memory that threads have from their start (initial-exec) is too small for some engines'
  // libraries.
  static pthread_key_t Key() {
    static const Made made;
    return made.key;
  }
  struct Made {
    pthread_key_t key{};
    Made() {
      if (pthread_key_create(&key, nullptr) != 0) throw std::bad_alloc();
    }
    ~Made() { pthread_key_delete(key); }
  };
};

/// One tensor of a node.
class Tensor {
 public:
  explicit Tensor(const GeTensorData *data) : data_(data) {}
  Tensor(const GeTensorData &data) : data_(&data) {}
  /// False for a port that does not exist or is not connected; nothing else may be asked then.
  bool present() const { return data_ && data_->data_type != C_DT_UNDEFINED; }
  int32_t type() const { return data_->data_type; }
  const char *type_name() const { return DataTypeName(data_->data_type); }
  int32_t format() const { return data_->format; }
  bool blocked() const { return data_->format == C_FORMAT_NC1HWC0; }
  bool ranked() const { return data_->rank >= 0; }
  int rank() const { return data_->rank; }
  int64_t dim(int i) const { return data_->dims[i]; }
  /// Every extent is known.
  bool known() const {
    for (int i = 0; i < data_->rank; ++i)
      if (data_->dims[i] < 0) return false;
    return data_->rank >= 0;
  }
  Dims dims() const { return data_->rank > 0 ? Dims(data_->dims, data_->dims + data_->rank) : Dims(); }
  /// Dimensions as the operator means them: of a blocked tensor those of the plain tensor it stands for.
  Dims logical() const {
    if (!blocked()) return dims();
    return Dims(data_->origin_dims, data_->origin_dims + data_->origin_rank);
  }
  /// Channels per block of a tensor in NC1HWC0.
  int64_t c0() const { return data_->dims[4]; }
  /// Elements and bytes of a tensor whose extents are known.
  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < data_->rank; ++i) n *= data_->dims[i];
    return n;
  }
  int64_t bytes() const { return (elements() * DataTypeBits(data_->data_type) + 7) / 8; }
  bool constant() const { return (data_->flags & GE_TENSOR_CONSTANT) && data_->data; }
  /// Null unless the value is known. What is deferred (GE_TENSOR_DEFERRED) is brought here first.
  const void *content() const {
    if (data_->flags & GE_TENSOR_DEFERRED) {
      const GeEngineHost *host = HostOfEngine::Get();
      if (!host || !GE_HAS(host, GeEngineHost, fill_constant))
        Fail(GE_FAILED, "a constant is looked at by a thread that is in no function of the engine");
      const GeStatus status = host->fill_constant(data_->data);
      if (status != GE_SUCCESS) Fail(status, "there is no room for a constant of ", bytes(), " bytes");
    }
    return data_->data;
  }
  /// The same without bringing it: what Packed takes.
  const void *address() const { return data_->data; }
  const GeTensorData &data() const { return *data_; }

 private:
  const GeTensorData *data_;
};

inline bool Present(const Tensor &tensor) { return tensor.present(); }
inline Dims DimsOf(const Tensor &tensor) { return tensor.dims(); }

/// The values of a constant tensor of int32 or int64, flattened. Refuses anything else; `what` names the port.
inline Dims ConstantInts(const Tensor &tensor, const char *what) {
  if (!tensor.present() || !tensor.content() || !tensor.known()) Refuse(what, " is not constant");
  if (tensor.type() != C_DT_INT32 && tensor.type() != C_DT_INT64)
    Refuse(tensor.type_name(), " is not supported for ", what);
  Dims values(static_cast<size_t>(tensor.elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = tensor.type() == C_DT_INT64 ? static_cast<const int64_t *>(tensor.content())[i]
                                            : static_cast<const int32_t *>(tensor.content())[i];
  return values;
}
/// Refuses anything but float32; `what` names the port.
inline void RequireFloat(const Tensor &tensor, const char *what) {
  if (!tensor.present()) Refuse(what, " is not connected");
  if (tensor.type() != C_DT_FLOAT) Refuse(tensor.type_name(), " is not supported for ", what);
}
/// Refuses formats with blocks.
inline void RequirePlain(const Tensor &tensor, const char *what) {
  if (!IsPlain(tensor.format())) Refuse("the blocked format ", tensor.format(), " is not supported for ", what);
}

/// The attributes of a node. Lists are empty where the attribute is absent or of another type.
class Attributes {
 public:
  explicit Attributes(const GeOpDesc *op) : op_(op) {}
  bool has(const char *name) const { return GeOpAttr(op_, name) != nullptr; }
  int64_t Int(const char *name, int64_t fallback) const { return GeOpAttrInt(op_, name, fallback); }
  bool Bool(const char *name, bool fallback) const { return GeOpAttrInt(op_, name, fallback) != 0; }
  double Float(const char *name, double fallback) const { return GeOpAttrFloat(op_, name, fallback); }
  std::string String(const char *name, const char *fallback) const { return GeOpAttrString(op_, name, fallback); }
  std::vector<int64_t> Ints(const char *name) const { return List<int64_t>(name, C_VT_LIST_INT); }
  std::vector<float> Floats(const char *name) const { return List<float>(name, C_VT_LIST_FLOAT); }
  std::vector<std::string> Strings(const char *name) const {
    std::vector<std::string> out;
    for (const char *text : List<const char *>(name, C_VT_LIST_STRING)) out.emplace_back(text);
    return out;
  }

 protected:
  const GeOpDesc *op_;

 private:
  template <class T>
  std::vector<T> List(const char *name, int32_t type) const {
    const GeAttrData *a = GeOpAttr(op_, name);
    if (!a || a->type != type || a->count == 0) return {};
    const T *values = static_cast<const T *>(a->list);
    return std::vector<T>(values, values + a->count);
  }
};

/// A node. Ports that do not exist are absent tensors.
class Node : public Attributes {
 public:
  using Attributes::Attributes;
  const GeOpDesc &op() const { return *op_; }
  const char *type() const { return op_->type; }
  bool is(const char *type) const { return std::strcmp(op_->type, type) == 0; }
  size_t inputs() const { return op_->input_count; }
  size_t outputs() const { return op_->output_count; }
  Tensor in(size_t i) const { return Tensor(i < op_->input_count ? &op_->inputs[i] : nullptr); }
  Tensor out(size_t i) const { return Tensor(i < op_->output_count ? &op_->outputs[i] : nullptr); }
  /// All inputs and outputs that are present have known extents.
  bool known() const {
    for (size_t i = 0; i < inputs(); ++i)
      if (in(i).present() && !in(i).known()) return false;
    for (size_t i = 0; i < outputs(); ++i)
      if (out(i).present() && !out(i).known()) return false;
    return true;
  }
};

GE_ENGINE_KIT_END

#endif
