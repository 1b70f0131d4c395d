// Tiling that a tuner found, as a structure of named fields that goes to JSON and back.
//
//   namespace tuningtiling {
//   BEGIN_TUNING_TILING_DEF(AddTuningTiling)
//   TUNING_TILING_DATA_FIELD_DEF(uint32_t, blocks);
//   END_TUNING_TILING_DEF
//   REGISTER_TUNING_TILING_CLASS(AddCustom, AddTuningTiling)
//   }
//   auto tiling = tuningtiling::TuningTilingClassFactory::CreateTilingDataInstance("AddCustom");
//   tiling->FromJson(json);
//
// Fields are plain members of the types that register/tuning_tiling_reflection_utils.h converts.
#ifndef INC_REGISTER_TUNING_TILING_REGISTRY_H_
#define INC_REGISTER_TUNING_TILING_REGISTRY_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ge/log.h"
#include "ge/status.h"
#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "register/tuning_tiling_reflection_utils.h"

namespace tuningtiling {

/// A field's type as it is written, and its name.
struct FieldInfo {
  FieldInfo(const ge::AscendString &dtype, const ge::AscendString &name) : dtype_(dtype), name_(name) {}
  ge::AscendString dtype_;
  ge::AscendString name_;
};

/// The base of all such structures. One thread per object; copies are independent.
class TuningTilingDef {
 public:
  TuningTilingDef() = default;
  virtual ~TuningTilingDef() = default;

  /// Sets the fields that the object names. A value that does not fit its field leaves that field as it is; the log
  /// says so.
  virtual void FromJson(const nlohmann::json &j) {
    for (const Field &field : fields_) {
      const char *name = field.info.name_.GetString();
      if (j.is_object() && j.contains(name) && !field.parse(At(field), j.at(name)))
        GeLogMessage(GE_LOG_WARNING, (std::string(class_name_.GetString()) + ": the value of '" + name + "' is no " +
                                      field.info.dtype_.GetString())
                                         .c_str());
    }
  }
  /// An object with all fields.
  virtual void ToJson(nlohmann::json &j) const {
    j = nlohmann::json::object();
    for (const Field &field : fields_) j[field.info.name_.GetString()] = field.dump(At(field));
  }
  /// In the order they are written.
  std::vector<FieldInfo> GetItemInfo() const {
    std::vector<FieldInfo> out;
    for (const Field &field : fields_) out.push_back(field.info);
    return out;
  }
  ge::AscendString GetClassName() const { return class_name_; }

 protected:
  template <class T>
  bool AddField(const char *dtype, const char *name, T *member) {
    Field field{FieldInfo(dtype, name), reinterpret_cast<char *>(member) - reinterpret_cast<char *>(this), nullptr,
                nullptr};
    field.dump = [](const void *at) { return detail::ToValue(*static_cast<const T *>(at)); };
    field.parse = [](void *at, const nlohmann::json &j) {
      T value{};
      if (!detail::FromValue(j, value)) return false;
      *static_cast<T *>(at) = std::move(value);
      return true;
    };
    fields_.push_back(field);
    return true;
  }
  ge::AscendString class_name_;

 private:
  struct Field {
    FieldInfo info;
    ptrdiff_t place;  // in the object, so that it holds for copies
    nlohmann::json (*dump)(const void *at);
    bool (*parse)(void *at, const nlohmann::json &j);
  };
  void *At(const Field &field) { return reinterpret_cast<char *>(this) + field.place; }
  const void *At(const Field &field) const { return reinterpret_cast<const char *>(this) + field.place; }
  std::vector<Field> fields_;
};

using TuningTilingDefPtr = std::shared_ptr<TuningTilingDef>;
using TuningTilingDefConstructor = TuningTilingDefPtr (*)();

/// Structures by operator type, of this library. The table has no lock: registering belongs to start-up.
class GE_OF_THIS_LIBRARY TuningTilingClassFactory {
 public:
  static std::map<ge::AscendString, TuningTilingDefConstructor> &RegisterInfo() {
    return ge::detail::LibraryTable<std::map<ge::AscendString, TuningTilingDefConstructor>, TuningTilingClassFactory>();
  }
  /// The last registration of a type counts.
  static void RegisterTilingData(const ge::AscendString &optype, TuningTilingDefConstructor const constructor) {
    if (constructor != nullptr) RegisterInfo()[optype] = constructor;
  }
  /// A new object, or null for a type that has no structure.
  static TuningTilingDefPtr CreateTilingDataInstance(const ge::AscendString &optype) {
    auto found = RegisterInfo().find(optype);
    return found == RegisterInfo().end() ? nullptr : found->second();
  }
};

}  // namespace tuningtiling

#define BEGIN_TUNING_TILING_DEF(class_name)                   \
  class class_name : public ::tuningtiling::TuningTilingDef { \
   public:                                                    \
    class_name() { class_name_ = #class_name; }

#define TUNING_TILING_DATA_FIELD_DEF(data_type, field_name) \
 public:                                                    \
  data_type field_name{};                                   \
                                                            \
 private:                                                   \
  bool field_name##_added_ = AddField(#data_type, #field_name, &field_name);

#define END_TUNING_TILING_DEF \
  }                           \
  ;

#define REGISTER_TUNING_TILING_CLASS(optype, class_name)                                               \
  class optype##class_name##TuningHelper {                                                             \
   public:                                                                                             \
    optype##class_name##TuningHelper() {                                                               \
      ::tuningtiling::TuningTilingClassFactory::RegisterTilingData(#optype, CreateTilingDataInstance); \
    }                                                                                                  \
    static std::shared_ptr<::tuningtiling::TuningTilingDef> CreateTilingDataInstance() {               \
      return std::make_shared<class_name>();                                                           \
    }                                                                                                  \
  };                                                                                                   \
  [[maybe_unused]] static optype##class_name##TuningHelper g_tuning_tiling_##optype##class_name##_helper;

#endif
