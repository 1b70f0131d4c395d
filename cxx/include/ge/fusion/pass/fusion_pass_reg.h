// Registration of fusion passes.
#ifndef INC_EXTERNAL_GE_FUSION_PASS_FUSION_PASS_REG_H_
#define INC_EXTERNAL_GE_FUSION_PASS_FUSION_PASS_REG_H_

#include <new>
#include <string>

#include "ge/fusion/pass/fusion_base_pass.h"
#include "register/register_custom_pass.h"

namespace ge {
namespace fusion {

using CreateFusionPassFn = FusionBasePass *(*)();

class FusionPassRegistrationData {
 public:
  explicit FusionPassRegistrationData(const AscendString &pass_name) : name_(pass_name) {}

  FusionPassRegistrationData &Stage(CustomPassStage stage) {
    stage_ = stage;
    return *this;
  }
  FusionPassRegistrationData &CreatePassFn(const CreateFusionPassFn &create_fusion_pass_fn) {
    create_ = create_fusion_pass_fn;
    return *this;
  }
  AscendString GetPassName() const { return name_; }
  CustomPassStage GetStage() const { return stage_; }
  CreateFusionPassFn GetCreatePassFn() const { return create_; }
  AscendString ToString() const {
    const std::string text = std::string("pass ") + name_.GetString() + ", stage " +
                             std::to_string(static_cast<uint32_t>(stage_)) + (create_ ? "" : ", no creator");
    return AscendString(text.c_str());
  }

 private:
  AscendString name_;
  CustomPassStage stage_ = CustomPassStage::kBeforeInferShape;
  CreateFusionPassFn create_ = nullptr;
};

namespace detail {

inline GeStatus CreateFusionPass(void *user, void **instance) {
  return ::ge::detail::WithoutExceptions([&]() -> GeStatus {
    *instance = static_cast<const FusionPassRegistrationData *>(user)->GetCreatePassFn()();
    return *instance != nullptr ? GE_SUCCESS : GeSetLastError(GE_FAILED, "the pass could not be created");
  });
}
inline GeStatus RunFusionPass(void *, void *instance, GeGraph *graph, GePassContext *context) {
  return ::ge::detail::WithoutExceptions([&]() -> GeStatus {
    GraphPtr shared = ::ge::detail::Shared(graph);
    CustomPassContext pass_context;
    pass_context.Attach(context);
    const Status status = static_cast<FusionBasePass *>(instance)->Run(shared, pass_context);
    pass_context.Deliver();
    return status;
  });
}

}  // namespace detail

/// Registers what a macro collected.
class PassRegistrar {
 public:
  PassRegistrar(FusionPassRegistrationData &fusion_pass_reg_data) {  // NOLINT: implicit by contract
    const FusionPassRegistrationData &data = fusion_pass_reg_data;
    if (data.GetCreatePassFn() == nullptr) {
      GeLogMessage(GE_LOG_ERROR, data.ToString().GetString());
      return;
    }
    const AscendString name = data.GetPassName();
    GeCustomPassTable table{};
    table.struct_size = sizeof table;
    table.name = name.GetString();
    table.stage = static_cast<int32_t>(data.GetStage());
    table.kind = GE_PASS_FUSION;
    table.create = detail::CreateFusionPass;
    table.run = detail::RunFusionPass;
    table.destroy_instance = [](void *, void *instance) { delete static_cast<FusionBasePass *>(instance); };
    table.destroy = [](void *user) { delete static_cast<FusionPassRegistrationData *>(user); };
    table.user = new FusionPassRegistrationData(data);
    ::ge::detail::PassesOfThisLibrary().Add(table);
  }
  ~PassRegistrar() = default;
};

}  // namespace fusion
}  // namespace ge

#define GE_REG_FUSION_PASS_NAMED(counter, name, ...)                                           \
  static ::ge::fusion::PassRegistrar fusion_pass_registrar_##counter __attribute__((unused)) = \
      ::ge::fusion::FusionPassRegistrationData(name).CreatePassFn(                             \
          []() -> ::ge::fusion::FusionBasePass * { return new (std::nothrow) __VA_ARGS__; })
#define GE_REG_FUSION_PASS_COUNTED(counter, name, ...) GE_REG_FUSION_PASS_NAMED(counter, name, __VA_ARGS__)

/// Followed by .Stage(…); the pass's name is the class as it is written here.
#define REG_FUSION_PASS(pass_class) GE_REG_FUSION_PASS_COUNTED(__COUNTER__, #pass_class, pass_class())
#define REG_DECOMPOSE_PASS(pass_class, op_types) \
  GE_REG_FUSION_PASS_COUNTED(__COUNTER__, #pass_class, pass_class(op_types))

#endif
