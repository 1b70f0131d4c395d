// Shape, TensorDesc and Tensor of the C++ interface.
#ifndef INC_GRAPH_TENSOR_H_
#define INC_GRAPH_TENSOR_H_

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ge/tensor.h"
#include "graph/ascend_string.h"
#include "graph/detail/language.h"
#include "graph/error_codes.h"
#include "graph/types.h"

namespace ge {

/// Dimensions; copies share them until one is assigned anew.
class Shape {
 public:
  Shape() : dims_(std::make_shared<std::vector<int64_t>>()) {}
  explicit Shape(const std::vector<int64_t> &dims) : dims_(std::make_shared<std::vector<int64_t>>(dims)) {}

  /// Rank; 0 when it is unknown.
  size_t GetDimNum() const { return detail::RankOf(*dims_) < 0 ? 0 : dims_->size(); }
  int64_t GetDim(size_t i) const { return i < dims_->size() ? (*dims_)[i] : 0; }
  graphStatus SetDim(size_t i, int64_t value) {
    if (i >= dims_->size()) return GRAPH_FAILED;
    (*dims_)[i] = value;
    return GRAPH_SUCCESS;
  }
  std::vector<int64_t> GetDims() const { return *dims_; }
  /// Elements: 0 for a scalar, -1 when unknown, 0 on overflow.
  int64_t GetShapeSize() const {
    if (dims_->empty()) return 0;
    int64_t size = 1;
    for (int64_t dim : *dims_) {
      if (dim == UNKNOWN_DIM || dim == UNKNOWN_DIM_NUM) return -1;
      if (__builtin_mul_overflow(size, dim, &size)) return 0;
    }
    return size;
  }

 private:
  std::shared_ptr<std::vector<int64_t>> dims_;
};

class TensorDesc {
 public:
  TensorDesc() = default;
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType dt = DT_FLOAT) { Update(shape, format, dt); }
  void Update(const Shape &shape, Format format = FORMAT_ND, DataType dt = DT_FLOAT) {
    shape_ = shape.GetDims();
    format_ = format;
    data_type_ = dt;
  }
  Shape GetShape() const { return Shape(shape_); }
  void SetShape(const Shape &shape) { shape_ = shape.GetDims(); }
  Shape GetOriginShape() const { return Shape(origin_shape_); }
  void SetOriginShape(const Shape &shape) {
    origin_shape_ = shape.GetDims();
    origin_set_ = true;
  }
  Format GetFormat() const { return format_; }
  void SetFormat(Format format) { format_ = format; }
  Format GetOriginFormat() const { return origin_format_; }
  void SetOriginFormat(Format format) {
    origin_format_ = format;
    origin_format_set_ = true;
  }
  DataType GetDataType() const { return data_type_; }
  void SetDataType(DataType dt) { data_type_ = dt; }
  graphStatus SetUnknownDimNumShape() {
    shape_ = UNKNOWN_RANK;
    return GRAPH_SUCCESS;
  }
  graphStatus SetShapeRange(const std::vector<std::pair<int64_t, int64_t>> &range) {
    range_ = range;
    return GRAPH_SUCCESS;
  }
  graphStatus GetShapeRange(std::vector<std::pair<int64_t, int64_t>> &range) const {
    range = range_;
    return GRAPH_SUCCESS;
  }
  void SetName(const char_t *name) { name_ = AscendString(name); }
  void SetName(const std::string &name) { name_ = AscendString(name.c_str()); }
  graphStatus GetName(AscendString &name) {
    name = name_;
    return GRAPH_SUCCESS;
  }
  graphStatus GetName(AscendString &name) const {
    name = name_;
    return GRAPH_SUCCESS;
  }
  std::string GetName() const { return name_.GetString(); }
  void SetSize(int64_t size) { size_ = size; }
  int64_t GetSize() const { return size_; }
  void SetRealDimCnt(int64_t count) { real_dim_count_ = count; }
  int64_t GetRealDimCnt() const { return real_dim_count_; }
  void SetPlacement(Placement placement) { placement_ = placement; }
  Placement GetPlacement() const { return placement_; }
  void SetConstData(std::unique_ptr<uint8_t[]> data, const size_t &length) {
    const_data_ = std::shared_ptr<uint8_t>(data.release(), std::default_delete<uint8_t[]>());
    const_length_ = length;
  }
  bool GetConstData(uint8_t **data, size_t &length) const {
    *data = const_data_.get();
    length = const_length_;
    return true;
  }
  void SetExpandDimsRule(const AscendString &rule) { expand_dims_rule_ = rule; }
  graphStatus GetExpandDimsRule(AscendString &rule) const {
    rule = expand_dims_rule_;
    return GRAPH_SUCCESS;
  }
  void SetReuseInputIndex(uint32_t index) { reuse_input_ = static_cast<int64_t>(index); }

  ATTRIBUTED_DEPRECATED(void SetExpandDimsRule(const AscendString &))
  void SetExpandDimsRule(const std::string &rule) { expand_dims_rule_ = AscendString(rule.c_str()); }

  /// The plain form; pointers live as long as this object is not changed.
  GeTensorData View() const {
    GeTensorData data{};
    data.data_type = data_type_;
    data.format = format_;
    data.rank = detail::RankOf(shape_);
    data.dims = shape_.data();
    bool own_origin = origin_set_ || !origin_shape_.empty();
    const std::vector<int64_t> &origin = own_origin ? origin_shape_ : shape_;
    data.origin_rank = detail::RankOf(origin);
    data.origin_dims = origin.data();
    data.origin_format = origin_format_set_ ? origin_format_ : format_;
    return data;
  }
  static TensorDesc From(const GeTensorData &data) {
    TensorDesc desc;
    desc.data_type_ = static_cast<DataType>(data.data_type);
    desc.format_ = static_cast<Format>(data.format);
    desc.origin_format_ = static_cast<Format>(data.origin_format);
    desc.shape_ = detail::DimsOf(data.dims, data.rank);
    desc.origin_shape_ = detail::DimsOf(data.origin_dims, data.origin_rank);
    desc.origin_set_ = desc.origin_format_set_ = true;
    desc.size_ = static_cast<int64_t>(data.size);
    return desc;
  }
  /// Properties that View has no member for, as texts "key=value".
  std::vector<std::string> Details() const {
    std::vector<std::string> texts;
    auto number = [&](const char *key, int64_t value, int64_t usual) {
      if (value != usual) texts.push_back(std::string(key) + "=" + std::to_string(value));
    };
    if (name_.GetLength() != 0) texts.push_back(std::string("name=") + name_.GetString());
    if (expand_dims_rule_.GetLength() != 0)
      texts.push_back(std::string("expand_dims_rule=") + expand_dims_rule_.GetString());
    number("size", size_, 0);
    number("real_dim_count", real_dim_count_, 0);
    number("placement", placement_, kPlacementHost);
    number("reuse_input", reuse_input_, -1);
    if (!range_.empty()) {
      std::string text = "shape_range=";
      for (const auto &bounds : range_)
        text += std::to_string(bounds.first) + "~" + std::to_string(bounds.second) + ",";
      texts.push_back(std::move(text));
    }
    return texts;
  }
  void SetDetail(const char *text) {
    const char *value = std::strchr(text, '=');
    if (value == nullptr) return;
    const std::string key(text, value++);
    if (key == "name") name_ = AscendString(value);
    if (key == "expand_dims_rule") expand_dims_rule_ = AscendString(value);
    if (key == "size") size_ = std::strtoll(value, nullptr, 10);
    if (key == "real_dim_count") real_dim_count_ = std::strtoll(value, nullptr, 10);
    if (key == "placement") placement_ = static_cast<Placement>(std::strtoll(value, nullptr, 10));
    if (key == "reuse_input") reuse_input_ = std::strtoll(value, nullptr, 10);
    if (key != "shape_range") return;
    range_.clear();
    for (char *at = const_cast<char *>(value); *at != '\0';) {
      const int64_t low = std::strtoll(at, &at, 10);
      const int64_t high = *at == '~' ? std::strtoll(at + 1, &at, 10) : low;
      range_.emplace_back(low, high);
      if (*at == ',') ++at;
      else break;
    }
  }

 private:
  std::vector<int64_t> shape_, origin_shape_;
  Format format_ = FORMAT_ND, origin_format_ = FORMAT_ND;
  DataType data_type_ = DT_FLOAT;
  bool origin_set_ = false, origin_format_set_ = false;
  std::vector<std::pair<int64_t, int64_t>> range_;
  AscendString name_, expand_dims_rule_;
  int64_t size_ = 0, real_dim_count_ = 0, reuse_input_ = -1;
  Placement placement_ = kPlacementHost;
  std::shared_ptr<uint8_t> const_data_;
  size_t const_length_ = 0;
};

namespace detail {
/// A description's details as the C interface takes them.
class DetailsView {
 public:
  explicit DetailsView(const TensorDesc &desc) : texts_(desc.Details()) {
    for (const std::string &text : texts_) pointers_.push_back(text.c_str());
    data_.name = GE_TENSOR_DETAILS;
    data_.type = C_VT_LIST_STRING;
    data_.list = pointers_.data();
    data_.count = pointers_.size();
  }
  DetailsView(const DetailsView &) = delete;
  DetailsView &operator=(const DetailsView &) = delete;
  bool empty() const { return texts_.empty(); }
  const GeAttrData *get() const { return &data_; }

 private:
  std::vector<std::string> texts_;
  std::vector<const char *> pointers_;
  GeAttrData data_{};
};
inline void LoadDetails(const GeAttrData &data, TensorDesc &desc) {
  if (data.type != C_VT_LIST_STRING) return;
  for (uint64_t i = 0; i < data.count; ++i) desc.SetDetail(static_cast<const char *const *>(data.list)[i]);
}
}  // namespace detail

/// A handle: copies share buffer and description. Exactly one pointer, so that an EsCTensor can be used as one.
class Tensor {
 public:
  using DeleteFunc = std::function<void(uint8_t *)>;

  Tensor() { (void)GeTensorCreateEmpty(&handle_); }
  explicit Tensor(const TensorDesc &desc) { Create(desc, nullptr, 0); }
  Tensor(const TensorDesc &desc, const std::vector<uint8_t> &data) { Create(desc, data.data(), data.size()); }
  Tensor(const TensorDesc &desc, const uint8_t *data, size_t size) { Create(desc, data, size); }
  Tensor(TensorDesc &&desc, std::vector<uint8_t> &&data) { Create(desc, data.data(), data.size()); }
  Tensor(const Tensor &other) { (void)GeTensorRetain(other.handle_, &handle_); }
  Tensor(Tensor &&other) noexcept : handle_(detail::Exchange(other.handle_, nullptr)) {}
  Tensor &operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { GeTensorDestroy(handle_); }
  static Tensor Adopt(GeTensor *handle) { return Tensor(handle); }

  TensorDesc GetTensorDesc() const {
    const GeTensorData data = View();
    TensorDesc desc = TensorDesc::From(data);
    GeAttrData details{};
    if ((data.flags & GE_TENSOR_HAS_DETAILS) != 0 &&
        GeTensorGetAttr(handle_, GE_TENSOR_DETAILS, &details) == GE_SUCCESS)
      detail::LoadDetails(details, desc);
    return desc;
  }
  graphStatus SetTensorDesc(const TensorDesc &desc) {
    const GeTensorData data = desc.View();
    GeStatus status = GeTensorSetDesc(handle_, &data);
    if (status != GE_SUCCESS && View().data != nullptr) status = Redescribe(data);
    if (status != GE_SUCCESS) return status;
    const detail::DetailsView details(desc);
    return details.empty() ? GRAPH_SUCCESS : GeTensorSetAttr(handle_, details.get());
  }
  const uint8_t *GetData() const { return static_cast<const uint8_t *>(View().data); }
  uint8_t *GetData() { return static_cast<uint8_t *>(View().data); }
  size_t GetSize() const { return View().size; }

  graphStatus SetData(std::vector<uint8_t> &&data) { return SetData(data.data(), data.size()); }
  graphStatus SetData(const std::vector<uint8_t> &data) { return SetData(data.data(), data.size()); }
  graphStatus SetData(const uint8_t *data, size_t size) { return GeTensorSetBytes(handle_, data, size); }
  graphStatus SetData(const char_t *text) {
    if (text == nullptr) return GRAPH_FAILED;
    return SetStrings({std::string(text)});
  }
  graphStatus SetData(const std::string &text) { return SetStrings({text}); }
  graphStatus SetData(const std::vector<std::string> &texts) { return SetStrings(texts); }
  graphStatus SetData(const std::vector<AscendString> &texts) {
    std::vector<std::string> copy;
    for (const AscendString &text : texts) copy.emplace_back(text.GetString(), text.GetLength());
    return SetStrings(copy);
  }
  graphStatus SetData(uint8_t *data, size_t size, const DeleteFunc &deleter) {
    auto *owner = new (std::nothrow) Owner{data, deleter};
    if (owner == nullptr) return GRAPH_FAILED;
    GeStatus status = GeTensorSetBorrowedBytes(handle_, data, size, &Owner::Release, owner);
    if (status != GE_SUCCESS) delete owner;
    return status;
  }
  graphStatus ResetData(uint8_t *data, size_t size, const DeleteFunc &deleter) { return SetData(data, size, deleter); }
  /// Hands the content over: the tensor is empty afterwards.
  std::unique_ptr<uint8_t[], DeleteFunc> ResetData() {
    GeTensorData view = View();
    if (view.data == nullptr) return {nullptr, [](uint8_t *) {}};
    GeTensor *keep = nullptr;
    if (GeTensorCreateMoved(handle_, &keep) != GE_SUCCESS) return {nullptr, [](uint8_t *) {}};
    return {static_cast<uint8_t *>(view.data), [keep](uint8_t *) { GeTensorDestroy(keep); }};
  }
  graphStatus IsValid() {
    GeTensorData view = View();
    if (GeDataTypeBits(view.data_type) == 0 || view.rank < 0) return GRAPH_SUCCESS;
    int64_t count = 1;
    for (int32_t i = 0; i < view.rank; ++i) count *= view.dims[i];
    return GetSizeInBytes(count, static_cast<DataType>(view.data_type)) == static_cast<int64_t>(view.size)
               ? GRAPH_SUCCESS
               : GRAPH_FAILED;
  }
  Tensor Clone() const {
    GeTensor *copy = nullptr;
    (void)GeTensorClone(handle_, &copy);
    return Tensor(copy);
  }

  DataType GetDataType() const { return static_cast<DataType>(View().data_type); }
  Format GetFormat() const { return static_cast<Format>(View().format); }
  Format GetOriginFormat() const { return static_cast<Format>(View().origin_format); }
  graphStatus SetDataType(const DataType &dt) {
    return Change([&](TensorDesc &desc) { desc.SetDataType(dt); });
  }
  graphStatus SetFormat(const Format &format) {
    return Change([&](TensorDesc &desc) { desc.SetFormat(format); });
  }
  graphStatus SetOriginFormat(const Format &format) {
    return Change([&](TensorDesc &desc) { desc.SetOriginFormat(format); });
  }
  size_t GetShapeDimNum() const { return GetTensorDesc().GetShape().GetDimNum(); }
  int64_t GetShapeDim(size_t i) const { return GetTensorDesc().GetShape().GetDim(i); }
  size_t GetOriginShapeDimNum() const { return GetTensorDesc().GetOriginShape().GetDimNum(); }
  int64_t GetOriginShapeDim(size_t i) const { return GetTensorDesc().GetOriginShape().GetDim(i); }
  graphStatus SetShapeDimNum(const size_t dim_num) { return Resize(dim_num, false); }
  graphStatus SetOriginShapeDimNum(const size_t dim_num) { return Resize(dim_num, true); }
  graphStatus SetShapeDim(const size_t idx, const int64_t dim_value) { return SetDim(idx, dim_value, false); }
  graphStatus SetOriginShapeDim(const size_t idx, const int64_t dim_value) { return SetDim(idx, dim_value, true); }
  graphStatus SetExpandDimsRule(const AscendString &rule) {
    return Change([&](TensorDesc &desc) { desc.SetExpandDimsRule(rule); });
  }
  graphStatus GetExpandDimsRule(AscendString &rule) const { return GetTensorDesc().GetExpandDimsRule(rule); }
  /// On this processor all memory is the host's: a placement is a label that the program sets, and nothing is moved.
  /// Results of runs are labelled host.
  Placement GetPlacement() const { return GetTensorDesc().GetPlacement(); }
  graphStatus SetPlacement(const Placement &placement) {
    if (placement != kPlacementHost && placement != kPlacementDevice) return GRAPH_FAILED;
    return Change([&](TensorDesc &desc) { desc.SetPlacement(placement); });
  }

  GeTensor *handle() const { return handle_; }

  // EsCTensor boxes come from the library and are freed as tensors here: both sides use malloc and free.
  static void *operator new(size_t size) { return std::malloc(size); }
  static void *operator new(size_t size, const std::nothrow_t &) noexcept { return std::malloc(size); }
  static void *operator new(size_t, void *at) noexcept { return at; }
  static void operator delete(void *memory) { std::free(memory); }

 private:
  struct Owner {
    uint8_t *data;
    DeleteFunc deleter;
    static void Release(void *self) {
      auto *owner = static_cast<Owner *>(self);
      if (owner->deleter) owner->deleter(owner->data);
      delete owner;
    }
  };
  explicit Tensor(GeTensor *handle) : handle_(handle) {}
  GeTensorData View() const {
    GeTensorData data{};
    (void)GeTensorGetData(handle_, &data);
    return data;
  }
  // A size that does not fit the shape is accepted, as in GE: IsValid tells.
  void Create(const TensorDesc &desc, const uint8_t *data, size_t size) {
    (void)GeTensorCreateEmpty(&handle_);
    (void)SetTensorDesc(desc);
    if (data != nullptr) (void)SetData(data, size);
  }
  // The C interface keeps content and description in step; here a program may change one after the other.
  GeStatus Redescribe(const GeTensorData &data) {
    const GeTensorData content = View();
    GeTensor *keep = nullptr;
    GeStatus status = GeTensorCreateMoved(handle_, &keep);
    if (status != GE_SUCCESS) return status;
    status = GeTensorSetDesc(handle_, &data);
    auto release = [](void *held) { GeTensorDestroy(static_cast<GeTensor *>(held)); };
    const GeStatus back = GeTensorSetBorrowedBytes(handle_, content.data, content.size, release, keep);
    if (back != GE_SUCCESS) GeTensorDestroy(keep);
    return status != GE_SUCCESS ? status : back;
  }
  template <class F>
  graphStatus Change(F &&change) {
    TensorDesc desc = GetTensorDesc();
    change(desc);
    return SetTensorDesc(desc);
  }
  graphStatus Resize(size_t rank, bool origin) {
    return Change([&](TensorDesc &desc) {
      std::vector<int64_t> dims = (origin ? desc.GetOriginShape() : desc.GetShape()).GetDims();
      dims.resize(rank, 0);
      origin ? desc.SetOriginShape(Shape(dims)) : desc.SetShape(Shape(dims));
    });
  }
  graphStatus SetDim(size_t index, int64_t value, bool origin) {
    TensorDesc desc = GetTensorDesc();
    Shape shape = origin ? desc.GetOriginShape() : desc.GetShape();
    if (shape.SetDim(index, value) != GRAPH_SUCCESS) return GRAPH_FAILED;
    origin ? desc.SetOriginShape(shape) : desc.SetShape(shape);
    return SetTensorDesc(desc);
  }
  graphStatus SetStrings(const std::vector<std::string> &texts) {
    if (texts.empty()) return GRAPH_FAILED;
    size_t head = texts.size() * sizeof(StringHead), total = head;
    for (const std::string &text : texts) total += text.size() + 1;
    std::vector<uint8_t> bytes(total, 0);
    size_t at = head;
    for (size_t i = 0; i < texts.size(); ++i) {
      StringHead entry{static_cast<int64_t>(at), static_cast<int64_t>(texts[i].size())};
      std::memcpy(bytes.data() + i * sizeof entry, &entry, sizeof entry);
      std::memcpy(bytes.data() + at, texts[i].data(), texts[i].size());
      at += texts[i].size() + 1;
    }
    return SetData(bytes.data(), bytes.size());
  }
  GeTensor *handle_ = nullptr;
};
static_assert(sizeof(Tensor) == sizeof(void *), "an EsCTensor is one pointer");

}  // namespace ge

#endif
