// gert::TilingParseContext: what turns an operator's compile information (JSON) into an object for its tiling function.
#ifndef INC_EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H_
#define INC_EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H_

#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "platform/platform_infos_def.h"

namespace gert {

/// Null where the context has no such thing.
class TilingParseContext : public ExtendedKernelContext {
 public:
  enum InputIndex : uint32_t { kInputCompiledJson, kInputPlatformInfo, kInputNum };
  enum OutputIndex : uint32_t { kOutputCompiledInfo, kOutputNum };
  using ExtendedKernelContext::ExtendedKernelContext;
  const char *GetCompiledJson() const { return GetInputPointer<char>(kInputCompiledJson); }
  /// The object that IMPL_OP(...).TilingParse<T> names, made with its default constructor: to be written.
  template <class T>
  T *GetCompiledInfo() {
    return GetOutputPointer<T>(kOutputCompiledInfo);
  }
  fe::PlatFormInfos *GetPlatformInfo() const {
    return const_cast<fe::PlatFormInfos *>(GetInputPointer<fe::PlatFormInfos>(kInputPlatformInfo));
  }
};
static_assert(std::is_standard_layout<TilingParseContext>::value, "a view of the context before it");

}  // namespace gert

#endif
