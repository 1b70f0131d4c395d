#include "ge/tensor.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "capi/src/handles.h"
#include "capi/src/tensor_file.h"

using namespace gec;
using namespace gec::api;

namespace {

/// A tensor during a call: other calls with it wait.
class Locked {
 public:
  Locked(const GeTensor *handle, const char *function) : tensor_(TensorOf(handle, function)), lock_(handle->mutex) {}
  Tensor *operator->() { return &tensor_; }

 protected:
  Tensor &tensor_;

 private:
  std::unique_lock<std::mutex> lock_;
};
/// One that changes: allowed while only handles refer to the tensor.
class Changing : public Locked {
 public:
  Changing(GeTensor *handle, const char *function) : Locked(handle, function) {
    if (handle->tensor.use_count() > 1) Fail(GE_BAD_STATE, function, ": a graph or model holds the tensor");
  }
};

}  // namespace

namespace gec::api {

std::shared_ptr<Buffer> ReadTensorFile(const char *path, uint64_t bytes) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path, "rb"), std::fclose);
  if (!file && errno == ENOMEM) throw std::bad_alloc();
  if (!file) Fail(GE_PATH_INVALID, "file '", path, "' cannot be opened: ", std::strerror(errno));
  auto buffer = Buffer::Allocate(bytes);
  size_t got = bytes ? std::fread(buffer->data(), 1, bytes, file.get()) : 0;
  if (got < bytes) Fail(GE_PATH_INVALID, "file '", path, "' has ", got, " bytes, the tensor needs ", bytes);
  if (bytes == 0 && std::fgetc(file.get()) == EOF) Fail(GE_PATH_INVALID, "file '", path, "' is empty");
  return buffer;
}

}  // namespace gec::api

extern "C" {

GeStatus GeTensorCreate(const GeTensorData *desc, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorCreate, out);
    *out = nullptr;
    GE_CHECK_ARG(GeTensorCreate, desc);
    TensorDesc d = TensorDesc::From(*desc);
    uint64_t need = d.bytes();
    if (desc->data && desc->size != need)
      Fail(GE_PARAM_INVALID, "GeTensorCreate: data has ", desc->size, " bytes, type and shape ", d.shape.str(),
           " need ", need);
    auto buffer = desc->data ? Buffer::Copy(desc->data, need) : Buffer::Allocate(need);
    *out = NewHandle(std::make_shared<Tensor>(std::move(d), std::move(buffer)));
  });
}

GeStatus GeTensorCreateBorrowed(const GeTensorData *desc, void (*release)(void *user), void *user, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorCreateBorrowed, out);
    *out = nullptr;
    GE_CHECK_ARG(GeTensorCreateBorrowed, desc);
    GE_CHECK_ARG(GeTensorCreateBorrowed, desc->data);
    TensorDesc d = TensorDesc::From(*desc);
    uint64_t need = d.bytes();
    if (desc->size != need)
      Fail(GE_PARAM_INVALID, "GeTensorCreateBorrowed: data has ", desc->size, " bytes, type and shape ", d.shape.str(),
           " need ", need);
    // The release function must not run when this fails, so it joins last.
    auto tensor = std::make_shared<Tensor>(std::move(d), nullptr);
    std::unique_ptr<GeTensor> handle(NewHandle(tensor));
    tensor->buffer = Buffer::Borrow(desc->data, need, release, user);
    *out = handle.release();
  });
}

GeStatus GeTensorCreateFromFile(const char *path, const GeTensorData *desc, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorCreateFromFile, out);
    *out = nullptr;
    GE_CHECK_ARG(GeTensorCreateFromFile, path);
    GE_CHECK_ARG(GeTensorCreateFromFile, desc);
    TensorDesc d = TensorDesc::From(*desc);
    auto buffer = ReadTensorFile(path, d.bytes());
    *out = NewHandle(std::make_shared<Tensor>(std::move(d), std::move(buffer)));
  });
}

GeStatus GeTensorRetain(GeTensor *tensor, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorRetain, out);
    *out = nullptr;
    TensorOf(tensor, "GeTensorRetain");
    tensor->refs.fetch_add(1, std::memory_order_relaxed);
    *out = tensor;
  });
}

void GeTensorDestroy(GeTensor *tensor) { Drop(tensor); }

GeStatus GeTensorClone(const GeTensor *tensor, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorClone, out);
    *out = nullptr;
    Locked source(tensor, "GeTensorClone");
    auto buffer = source->buffer ? Buffer::Copy(source->data(), source->bytes()) : nullptr;
    *out = NewHandle(std::make_shared<Tensor>(source->desc, std::move(buffer)));
  });
}

GeStatus GeTensorGetData(const GeTensor *tensor, GeTensorData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorGetData, out);
    *out = GeTensorData{};
    Locked t(tensor, "GeTensorGetData");
    *out = t->View();
    out->flags = DetailsFlag(t->desc);
  });
}

GeStatus GeTensorSetDesc(GeTensor *tensor, const GeTensorData *desc) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorSetDesc, desc);
    Changing t(tensor, "GeTensorSetDesc");
    TensorDesc d;
    try {
      d = TensorDesc::From(*desc);
    } catch (const Error &e) {
      tensor->refused = e.what();
      throw;
    }
    tensor->refused.clear();
    if (t->buffer && t->bytes() > 0 && d.bytes() != t->bytes())
      Fail(GE_PARAM_INVALID, "GeTensorSetDesc: type and shape ", d.shape.str(), " need ", d.bytes(),
           " bytes, the content has ", t->bytes());
    t->desc = std::move(d);
  });
}

GeStatus GeTensorCreateEmpty(GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorCreateEmpty, out);
    *out = nullptr;
    *out = NewHandle(std::make_shared<Tensor>());
  });
}

GeStatus GeTensorSetBytes(GeTensor *tensor, const void *data, uint64_t size) {
  return Guard([&] {
    std::shared_ptr<Buffer> fresh;  // the old content is released without the lock: that may run code of the caller
    Changing t(tensor, "GeTensorSetBytes");
    if (size > 0) GE_CHECK_ARG(GeTensorSetBytes, data);
    fresh = Buffer::Copy(data, size);
    t->buffer.swap(fresh);
  });
}

GeStatus GeTensorSetBorrowedBytes(GeTensor *tensor, void *data, uint64_t size, void (*release)(void *user),
                                  void *user) {
  return Guard([&] {
    std::shared_ptr<Buffer> fresh;
    Changing t(tensor, "GeTensorSetBorrowedBytes");
    if (size > 0) GE_CHECK_ARG(GeTensorSetBorrowedBytes, data);
    fresh = Buffer::Borrow(data, size, release, user);
    t->buffer.swap(fresh);
  });
}

GeStatus GeTensorCreateMoved(GeTensor *tensor, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorCreateMoved, out);
    *out = nullptr;
    Changing t(tensor, "GeTensorCreateMoved");
    auto taken = std::make_shared<Tensor>(t->desc, nullptr);
    std::unique_ptr<GeTensor> handle(NewHandle(taken));
    taken->buffer.swap(t->buffer);
    *out = handle.release();
  });
}

GeStatus GeTensorSetAttr(GeTensor *tensor, const GeAttrData *value) {
  return Guard([&] {
    Changing t(tensor, "GeTensorSetAttr");
    GE_CHECK_ARG(GeTensorSetAttr, value);
    if (!value->name || !*value->name) NullArgument("GeTensorSetAttr", "value->name");
    auto attrs = t->desc.attrs ? std::make_shared<AttrMap>(*t->desc.attrs) : std::make_shared<AttrMap>();
    attrs->Set(Symbol(value->name), AttrValue::From(*value));
    t->desc.attrs = std::move(attrs);
  });
}

GeStatus GeTensorGetAttr(const GeTensor *tensor, const char *name, GeAttrData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorGetAttr, out);
    *out = GeAttrData{};
    Locked t(tensor, "GeTensorGetAttr");
    GE_CHECK_ARG(GeTensorGetAttr, name);
    Symbol symbol(name);
    const AttrValue *value = t->desc.attrs ? t->desc.attrs->Find(symbol) : nullptr;
    if (!value) Fail(GE_NOT_FOUND, "GeTensorGetAttr: the tensor has no attribute '", name, "'");
    *out = tensor->views.View(symbol.c_str(), *value);
  });
}

}  // extern "C"
