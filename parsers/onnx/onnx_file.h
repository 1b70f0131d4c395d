// An ONNX file in memory: mapping, a structural check of the bytes, decoding, and external data inside the model's
// folder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

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
  /// A text that another mapping has only where the file was not changed in between; "": nobody can tell.
  const std::string &identity() const { return identity_; }
  /// The pages inside [at, at + length) leave memory; read again, they come back from the file.
  void Forget(const uint8_t *at, uint64_t length) const;

 private:
  MappedFile() = default;
  const uint8_t *data_ = nullptr;
  uint64_t size_ = 0;
  std::string identity_;
};

/// Walks the protobuf structure without decoding it: truncated fields, nesting beyond kMaxGraphDepth and more than
/// kMaxNodes nodes are refused here (GE_MODEL_INVALID with the byte offset), because the decoder recurses and
/// allocates. Returns how many bytes StripContents would leave out.
uint64_t CheckStructure(const uint8_t *data, uint64_t size);

/// True when the outermost fields are those of a model: a graph, and a version of the format or of an operator set.
bool LooksLikeModel(const uint8_t *data, uint64_t size);

/// Where the content of a tensor lies in the encoded model.
struct ContentPart {
  const uint8_t *data;
  uint64_t size;
};
/// The encoded model, checked before, without the large raw contents of its tensors; each leaves its number in
/// `parts` behind, as TensorProto.raw_part. So decoding copies no weights.
std::vector<uint8_t> StripContents(const uint8_t *data, uint64_t size, std::vector<ContentPart> *parts);

/// A decoded model and the memory it lives in: small pieces one behind the other, which go all at once, and large
/// blocks, which tensors can take over.
class DecodedModel {
 public:
  /// Checks and decodes. Throws GE_MODEL_INVALID, GE_OUT_OF_MEMORY. `data` must outlive this; `file` is what maps it,
  /// or null.
  static std::unique_ptr<DecodedModel> Decode(const uint8_t *data, uint64_t size,
                                              std::shared_ptr<const MappedFile> file = nullptr);
  ~DecodedModel();
  DecodedModel(const DecodedModel &) = delete;
  DecodedModel &operator=(const DecodedModel &) = delete;
  Onnx__ModelProto *model() const { return model_; }

  /// From here on the copy of a large part is made when somebody asks for its content. A file stays mapped until then;
  /// bytes of the caller's have to stay where they are.
  void Defer() { defer_ = true; }
  /// Null when there is no such part.
  const ContentPart *Part(uint32_t number) const { return number < parts_.size() ? &parts_[number] : nullptr; }
  /// A copy of the part, or what becomes one; the pages of the file that held it leave memory.
  std::shared_ptr<Buffer> CopyPart(const ContentPart &part) const;
  /// The block becomes the buffer's; null when it is none that can be given away.
  std::shared_ptr<Buffer> TakeBlock(void *data, uint64_t bytes);

 private:
  DecodedModel() = default;
  void *Allocate(size_t bytes) noexcept;
  Onnx__ModelProto *model_ = nullptr;
  std::vector<std::unique_ptr<uint8_t[]>> chunks_;
  size_t chunk_size_ = 0, chunk_used_ = 0;
  size_t missing_ = 0;  // bytes that could not be had: the decoder says only that it failed
  std::unordered_set<void *> blocks_;
  std::vector<ContentPart> parts_;
  std::shared_ptr<const MappedFile> file_;
  bool defer_ = false;
};

/// Files beside the model that hold tensor content. Every path is resolved below the model's folder, component by
/// component, following no link.
class ExternalFiles {
 public:
  /// folder "": external data is refused. `model`: holds what lies inside the model itself; null: nothing does.
  explicit ExternalFiles(std::string folder, DecodedModel *model = nullptr)
      : folder_(std::move(folder)), model_(model) {}
  DecodedModel *model() const { return model_; }
  /// Throws GE_PATH_INVALID (path) or GE_MODEL_INVALID (range).
  std::shared_ptr<Buffer> Read(const std::string &location, uint64_t offset, uint64_t length);

 private:
  std::shared_ptr<MappedFile> Open(const std::string &location);
  std::string folder_;
  DecodedModel *model_;
  std::map<std::string, std::shared_ptr<MappedFile>> files_;
};

/// GE data type of an ONNX element type; -1 when there is none.
int32_t GeTypeOf(int32_t onnx_type);
/// "float16" …; for messages.
std::string OnnxTypeName(int32_t onnx_type);

/// Turns a decoded tensor into a constant. Large contents are taken over from the message or copied once, from the
/// file. Throws GE_MODEL_INVALID, GE_UNSUPPORTED, GE_PATH_INVALID.
TensorPtr TakeTensor(Onnx__TensorProto *proto, ExternalFiles *external);
/// Told how many bytes are about to be made, of what; throws where they are too many.
using MakeFn = std::function<void(uint64_t bytes, const std::string &what)>;
/// A sparse tensor as a dense one.
TensorPtr TakeSparseTensor(Onnx__SparseTensorProto *proto, ExternalFiles *external, const MakeFn &make);

/// Shape product with checks; throws GE_MODEL_INVALID for a negative dimension, an overflow or too high a rank.
Shape CheckedShape(const int64_t *dims, size_t rank, const std::string &what);
/// The shape that a file declares for a tensor; what it leaves open or says wrongly is unknown. `tensor` may be null.
Shape DeclaredShape(const Onnx__TypeProto__Tensor *tensor);

}  // namespace gec::onnx
