#include "ge/tensor.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "capi/src/handles.h"
#include "capi/src/tensor_file.h"

using namespace gec;
using namespace gec::api;

namespace {

// Changing is allowed while only handles refer to the tensor.
Tensor &Changeable(GeTensor *handle, const char *function) {
  Tensor &tensor = TensorOf(handle, function);
  if (handle->tensor.use_count() > 1) Fail(GE_BAD_STATE, function, ": a graph or model holds the tensor");
  return tensor;
}

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
    const Tensor &source = TensorOf(tensor, "GeTensorClone");
    auto buffer = source.buffer ? Buffer::Copy(source.data(), source.bytes()) : nullptr;
    *out = NewHandle(std::make_shared<Tensor>(source.desc, std::move(buffer)));
  });
}

GeStatus GeTensorGetData(const GeTensor *tensor, GeTensorData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorGetData, out);
    *out = GeTensorData{};
    const Tensor &t = TensorOf(tensor, "GeTensorGetData");
    *out = t.View();
    out->flags = DetailsFlag(t.desc);
  });
}

GeStatus GeTensorSetDesc(GeTensor *tensor, const GeTensorData *desc) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorSetDesc, desc);
    Tensor &t = Changeable(tensor, "GeTensorSetDesc");
    TensorDesc d;
    try {
      d = TensorDesc::From(*desc);
    } catch (const Error &e) {
      tensor->refused = e.what();
      throw;
    }
    tensor->refused.clear();
    if (t.buffer && t.bytes() > 0 && d.bytes() != t.bytes())
      Fail(GE_PARAM_INVALID, "GeTensorSetDesc: type and shape ", d.shape.str(), " need ", d.bytes(),
           " bytes, the content has ", t.bytes());
    t.desc = std::move(d);
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
    Tensor &t = Changeable(tensor, "GeTensorSetBytes");
    if (size > 0) GE_CHECK_ARG(GeTensorSetBytes, data);
    t.buffer = Buffer::Copy(data, size);
  });
}

GeStatus GeTensorSetBorrowedBytes(GeTensor *tensor, void *data, uint64_t size, void (*release)(void *user),
                                  void *user) {
  return Guard([&] {
    Tensor &t = Changeable(tensor, "GeTensorSetBorrowedBytes");
    if (size > 0) GE_CHECK_ARG(GeTensorSetBorrowedBytes, data);
    t.buffer = Buffer::Borrow(data, size, release, user);
  });
}

GeStatus GeTensorCreateMoved(GeTensor *tensor, GeTensor **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorCreateMoved, out);
    *out = nullptr;
    Tensor &t = Changeable(tensor, "GeTensorCreateMoved");
    auto taken = std::make_shared<Tensor>(t.desc, nullptr);
    std::unique_ptr<GeTensor> handle(NewHandle(taken));
    taken->buffer = std::move(t.buffer);
    t.buffer = nullptr;
    *out = handle.release();
  });
}

GeStatus GeTensorSetAttr(GeTensor *tensor, const GeAttrData *value) {
  return Guard([&] {
    Tensor &t = Changeable(tensor, "GeTensorSetAttr");
    GE_CHECK_ARG(GeTensorSetAttr, value);
    if (!value->name || !*value->name) NullArgument("GeTensorSetAttr", "value->name");
    auto attrs = t.desc.attrs ? std::make_shared<AttrMap>(*t.desc.attrs) : std::make_shared<AttrMap>();
    attrs->Set(Symbol(value->name), AttrValue::From(*value));
    t.desc.attrs = std::move(attrs);
  });
}

GeStatus GeTensorGetAttr(const GeTensor *tensor, const char *name, GeAttrData *out) {
  return Guard([&] {
    GE_CHECK_ARG(GeTensorGetAttr, out);
    *out = GeAttrData{};
    const Tensor &t = TensorOf(tensor, "GeTensorGetAttr");
    GE_CHECK_ARG(GeTensorGetAttr, name);
    Symbol symbol(name);
    const AttrValue *value = t.desc.attrs ? t.desc.attrs->Find(symbol) : nullptr;
    if (!value) Fail(GE_NOT_FOUND, "GeTensorGetAttr: the tensor has no attribute '", name, "'");
    *out = tensor->views.View(symbol.c_str(), *value);
  });
}

}  // extern "C"
