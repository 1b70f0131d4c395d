// Tiling data as a structure of named fields, laid out as the kernel reads it.
//
//   namespace optiling {
//   BEGIN_TILING_DATA_DEF(AddTiling)
//   TILING_DATA_FIELD_DEF(uint32_t, blocks);
//   TILING_DATA_FIELD_DEF_ARR(int16_t, 3, steps);
//   TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, inner);
//   END_TILING_DATA_DEF;
//   REGISTER_TILING_DATA_CLASS(AddCustom, AddTiling)
//   }
//   …
//   AddTiling tiling;
//   tiling.set_blocks(8);
//   tiling.SaveToBuffer(buffer, capacity);          // tiling.GetDataSize() bytes
//
// Layout: fields in the order they are written, without padding but what alignment asks for: a field and the elements
// of an array start at a multiple of their size, a structure at a multiple of 8, and the whole is a multiple of 8
// bytes. What fills a gap is a field of its own, an array of uint8_t of zeros named like the field behind it with PH.
//
// One thread per object. A copy has the same values in memory of its own.
#ifndef INC_REGISTER_TILINGDATA_BASE_H_
#define INC_REGISTER_TILINGDATA_BASE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ge/log.h"
#include "ge/status.h"
#include "register/detail/function_table.h"

namespace optiling {

/// Texts live as long as the program. classType_: "0" a number, "1" an array, "2" a structure.
class FieldInfo {
 public:
  FieldInfo(const char *dtype, const char *name) : dtype_(dtype), name_(name), classType_("0") {}
  FieldInfo(const char *dtype, const char *name, size_t arrSize)
      : dtype_(dtype), name_(name), arrSize_(arrSize), classType_("1") {}
  FieldInfo(const char *dtype, const char *name, const char *structType, size_t structSize)
      : dtype_(dtype), name_(name), structType_(structType), structSize_(structSize), classType_("2") {}

  const char *dtype_;
  const char *name_;
  size_t arrSize_ = 0;
  const char *structType_ = "";
  size_t structSize_ = 0;
  const char *classType_;
};

/// The base of all tiling structures.
class TilingDef {
 public:
  TilingDef() = default;
  virtual ~TilingDef() = default;
  TilingDef(const TilingDef &other) { *this = other; }
  TilingDef &operator=(const TilingDef &other) {
    if (this == &other) return *this;
    class_name_ = other.class_name_;
    field_info_ = other.field_info_;
    parts_ = other.parts_;
    own_.assign(other.data_ptr_, other.data_ptr_ + other.own_.size());
    data_ptr_ = own_.data();
    data_size_ = other.data_size_;
    outside_ = false;
    return *this;
  }

  /// Writes GetDataSize() bytes. With less room nothing is written and the reason is logged. After SetDataPtr the
  /// bytes are at their place already, and nothing is done.
  void SaveToBuffer(void *pdata, size_t capacity) const {
    if (outside_) return;
    if (pdata == nullptr || capacity < data_size_) {
      GeLogError(std::string("tiling data ") + class_name_ + " has " + std::to_string(data_size_) +
                 " bytes, the buffer has " + std::to_string(pdata == nullptr ? 0 : capacity));
      return;
    }
    std::memcpy(pdata, data_ptr_, own_.size());
    for (const Part &part : parts_) Def(part)->SaveToBuffer(static_cast<uint8_t *>(pdata) + part.offset, part.size);
  }
  /// In the order of the layout, gaps included.
  std::vector<FieldInfo> GetFieldInfo() const { return field_info_; }
  const char *GetTilingClassName() const { return class_name_; }
  size_t GetDataSize() const { return data_size_; }
  /// The fields lie in memory of the caller from now on, GetDataSize() bytes that outlive the object; values that were
  /// set before come along.
  void SetDataPtr(void *dataPtr) {
    if (dataPtr == nullptr) return;
    std::memcpy(dataPtr, data_ptr_, own_.size());
    data_ptr_ = static_cast<uint8_t *>(dataPtr);
    outside_ = true;
    for (const Part &part : parts_) Def(part)->SetDataPtr(data_ptr_ + part.offset);
  }

 protected:
  static void GeLogError(const std::string &text) { GeLogMessage(GE_LOG_ERROR, text.c_str()); }

  // How the macros build the layout.
  void CheckAlignAndGenPlaceHolder(const char *name, size_t typeSize) {
    const size_t gap = (typeSize - data_size_ % typeSize) % typeSize;
    if (gap == 0) return;
    field_info_.emplace_back("uint8_t", name, gap);
    Grow(gap);
  }
  /// Where the field lies.
  size_t AddField(const FieldInfo &info, const char *gap_name, size_t align, size_t bytes) {
    CheckAlignAndGenPlaceHolder(gap_name, align);
    field_info_.push_back(info);
    const size_t offset = data_size_;
    Grow(bytes);
    return offset;
  }
  void AddPart(const FieldInfo &info, const char *gap_name, TilingDef &def) {
    const size_t size = def.GetDataSize();
    const ptrdiff_t place = reinterpret_cast<const char *>(&def) - reinterpret_cast<const char *>(this);
    parts_.push_back({place, AddField(info, gap_name, sizeof(uint64_t), size), size});
  }
  uint8_t *At(size_t offset) { return data_ptr_ + offset; }
  const uint8_t *At(size_t offset) const { return data_ptr_ + offset; }

  const char *class_name_ = "";

 private:
  struct Part {
    ptrdiff_t place;  // of the member in the object, so that it holds for copies
    size_t offset, size;
  };
  TilingDef *Def(const Part &part) const {
    return reinterpret_cast<TilingDef *>(reinterpret_cast<char *>(const_cast<TilingDef *>(this)) + part.place);
  }
  void Grow(size_t bytes) {
    data_size_ += bytes;
    own_.resize(data_size_);
    data_ptr_ = own_.data();
  }
  std::vector<FieldInfo> field_info_;
  std::vector<uint8_t> own_;
  std::vector<Part> parts_;
  uint8_t *data_ptr_ = nullptr;
  size_t data_size_ = 0;
  bool outside_ = false;
};

/// Sizes of tiling structures, by the name of their class. Any thread may call.
class StructSizeInfoBase {
 public:
  static StructSizeInfoBase &GetInstance() {
    static StructSizeInfoBase info;
    return info;
  }
  void SetStructSize(const char *structType, const size_t structSize) {
    if (structType == nullptr) return;
    Sizes::Set(structType, structSize);
  }
  /// 0 for a class that is unknown.
  size_t GetStructSize(const char *structType) const { return structType != nullptr ? Sizes::Read(structType) : 0; }

 private:
  struct Kind {
    static const char *Name() { return "tiling structure sizes"; }
  };
  using Sizes = ge::detail::PlainRegistry<Kind, size_t>;
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();

/// Tiling structures by operator type, for the whole process. Any thread may call.
class CTilingDataClassFactory {
 public:
  static CTilingDataClassFactory &GetInstance() {
    static CTilingDataClassFactory factory;
    return factory;
  }
  /// The last registration of a type counts.
  void RegisterTilingData(const char *op_type, const TilingDataConstructor constructor) {
    if (op_type == nullptr || constructor == nullptr) return;
    Classes::Set(op_type, constructor);
  }
  /// A new object, or null for a type that has no structure.
  std::shared_ptr<TilingDef> CreateTilingDataInstance(const char *op_type) const {
    if (op_type == nullptr) return nullptr;
    const TilingDataConstructor constructor = Classes::Find(op_type);
    return constructor != nullptr ? constructor() : nullptr;
  }

 private:
  struct Kind {
    static const char *Name() { return "tiling structures"; }
  };
  using Classes = ge::detail::FunctionTable<Kind, std::string, TilingDataConstructor>;
};

}  // namespace optiling

// Members are built in the order they are written, so each field finds the ones before it laid out; the class's own
// constructor runs behind them all and rounds the whole up.
#define BEGIN_TILING_DATA_DEF(class_name)                                                      \
  class class_name : public ::optiling::TilingDef {                                            \
   public:                                                                                     \
    class_name() {                                                                             \
      class_name_ = #class_name;                                                               \
      CheckAlignAndGenPlaceHolder(#class_name "PH", sizeof(uint64_t));                         \
      ::optiling::StructSizeInfoBase::GetInstance().SetStructSize(#class_name, GetDataSize()); \
    }

/// A number: set_name(value), get_name().
#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                       \
 public:                                                                                                   \
  void set_##field_name(data_type field_name) {                                                            \
    std::memcpy(At(field_name##_offset_), &field_name, sizeof(data_type));                                 \
  }                                                                                                        \
  data_type get_##field_name() const {                                                                     \
    data_type field_name;                                                                                  \
    std::memcpy(&field_name, At(field_name##_offset_), sizeof(data_type));                                 \
    return field_name;                                                                                     \
  }                                                                                                        \
                                                                                                           \
 private:                                                                                                  \
  size_t field_name##_offset_ = AddField(::optiling::FieldInfo(#data_type, #field_name), #field_name "PH", \
                                         sizeof(data_type), sizeof(data_type));

/// An array: set_name(pointer to arr_size values), get_name() gives the first of them, which may be written.
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                                      \
 public:                                                                                                               \
  void set_##field_name(const arr_type *field_name) {                                                                  \
    if (field_name != nullptr) std::memmove(At(field_name##_offset_), field_name, sizeof(arr_type) * (arr_size));      \
  }                                                                                                                    \
  arr_type *get_##field_name() { return reinterpret_cast<arr_type *>(At(field_name##_offset_)); }                      \
                                                                                                                       \
 private:                                                                                                              \
  size_t field_name##_offset_ = AddField(::optiling::FieldInfo(#arr_type, #field_name, static_cast<size_t>(arr_size)), \
                                         #field_name "PH", sizeof(arr_type), sizeof(arr_type) * (arr_size));

/// A structure that was defined before: a member of that class.
#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                                                          \
 public:                                                                                                               \
  struct_type field_name;                                                                                              \
                                                                                                                       \
 private:                                                                                                              \
  bool field_name##_added_ =                                                                                           \
      (AddPart(::optiling::FieldInfo("struct", #field_name, #struct_type, field_name.GetDataSize()), #field_name "PH", \
               field_name),                                                                                            \
       true);

#define END_TILING_DATA_DEF \
  }                         \
  ;

/// The structure of an operator's tiling data: CTilingDataClassFactory makes it by the operator's type.
#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                                          \
  class op_type##class_name##Helper {                                                                            \
   public:                                                                                                       \
    op_type##class_name##Helper() {                                                                              \
      (void)CreateTilingDataInstance(); /* the structure's size is known from now on */                          \
      ::optiling::CTilingDataClassFactory::GetInstance().RegisterTilingData(#op_type, CreateTilingDataInstance); \
    }                                                                                                            \
    static std::shared_ptr<::optiling::TilingDef> CreateTilingDataInstance() {                                   \
      return std::make_shared<class_name>();                                                                     \
    }                                                                                                            \
  };                                                                                                             \
  [[maybe_unused]] static op_type##class_name##Helper g_tilingdata_##op_type##class_name##_helper;

#endif
