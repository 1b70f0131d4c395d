// Makes a context for a function of IMPL_OP(...).TilingParse.
#ifndef INC_BASE_CONTEXT_BUILDER_OP_TILING_PARSE_CONTEXT_BUILDER_H_
#define INC_BASE_CONTEXT_BUILDER_OP_TILING_PARSE_CONTEXT_BUILDER_H_

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/detail/impl_ops.h"

namespace gert {

class OpTilingParseContextBuilder : public OpContextBuilderBase<OpTilingParseContextBuilder> {
 public:
  /// Zero-terminated; borrowed.
  OpTilingParseContextBuilder &CompiledJson(const ge::char_t *compiled_json) {
    json_ = compiled_json;
    return *this;
  }
  /// The object that the function writes. Without it the holder owns one, where TilingParse<T> is registered for the
  /// type.
  OpTilingParseContextBuilder &CompiledInfo(const void *compiled_info) {
    info_ = compiled_info;
    return *this;
  }
  /// An fe::PlatFormInfos; without one it is this processor.
  OpTilingParseContextBuilder &PlatformInfo(const void *platform_info) {
    platform_ = platform_info;
    return *this;
  }
  ContextHolder<TilingParseContext> Build() {
    auto built = Node({}, {});
    if (built == nullptr) return {};
    void *info = const_cast<void *>(info_);
    const auto *functions = info == nullptr ? ge::detail::ImplOps::Find(type().GetString()) : nullptr;
    if (functions != nullptr && functions->compile_info_creator != nullptr) {
      built->owned.emplace_back(functions->compile_info_creator(), functions->compile_info_deleter);
      info = built->owned.back().get();
    }
    built->frame.inputs = {json_, Platform(platform_, *built)};
    built->frame.outputs = {info};
    return ContextHolder<TilingParseContext>(std::move(built));
  }

 private:
  const ge::char_t *json_ = nullptr;
  const void *info_ = nullptr, *platform_ = nullptr;
};

}  // namespace gert

#endif
