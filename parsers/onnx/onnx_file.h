// An ONNX file in memory: mapping, a structural check of the bytes, decoding, and external data inside the model's
// folder.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/ir/tensor.h"
#include "onnx/onnx_subset.pb-c.h"

namespace gec::onnx {

/// A file mapped read-only. Throws GE_PATH_INVALID.
class MappedFile {
 public:
  static std::shared_ptr<MappedFile> Open(const std::string &path, uint64_t max_bytes);
  static std::shared_ptr<MappedFile> FromDescriptor(int fd, const std::string &path, uint64_t max_bytes);  // closes fd
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  const uint8_t *data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  MappedFile() = default;
  const uint8_t *data_ = nullptr;
  uint64_t size_ = 0;
};

/// Walks the protobuf structure without decoding it: truncated fields, nesting beyond kMaxGraphDepth and more than
/// kMaxNodes nodes are refused here (GE_MODEL_INVALID with the byte offset), because the decoder recurses and
/// allocates.
void CheckStructure(const uint8_t *data, uint64_t size);

struct ModelDeleter {
  void operator()(Onnx__ModelProto *model) const;
};
using ModelPtr = std::unique_ptr<Onnx__ModelProto, ModelDeleter>;
/// Checks and decodes. Throws GE_MODEL_INVALID, GE_OUT_OF_MEMORY.
ModelPtr DecodeModel(const uint8_t *data, uint64_t size);

/// Files beside the model that hold tensor content. Every path is resolved below the model's folder, component by
/// component, following no link.
class ExternalFiles {
 public:
  explicit ExternalFiles(std::string folder) : folder_(std::move(folder)) {}  // "": external data is refused
  /// Throws GE_PATH_INVALID (path) or GE_MODEL_INVALID (range).
  std::shared_ptr<Buffer> Read(const std::string &location, uint64_t offset, uint64_t length);

 private:
  std::shared_ptr<MappedFile> Open(const std::string &location);
  std::string folder_;
  std::map<std::string, std::shared_ptr<MappedFile>> files_;
};

/// GE data type of an ONNX element type; -1 when there is none.
int32_t GeTypeOf(int32_t onnx_type);
/// "float16" …; for messages.
std::string OnnxTypeName(int32_t onnx_type);

/// Turns a decoded tensor into a constant. Large contents are taken over from the message, not copied.
/// Throws GE_MODEL_INVALID, GE_UNSUPPORTED, GE_PATH_INVALID.
TensorPtr TakeTensor(Onnx__TensorProto *proto, ExternalFiles *external);
/// A sparse tensor as a dense one.
TensorPtr TakeSparseTensor(Onnx__SparseTensorProto *proto, ExternalFiles *external);

/// Shape product with checks; throws GE_MODEL_INVALID for a negative dimension, an overflow or too high a rank.
Shape CheckedShape(const int64_t *dims, size_t rank, const std::string &what);

}  // namespace gec::onnx
