// The kinds of functions that IMPL_OP registers, and what is registered for one operator type.
#ifndef INC_REGISTER_OP_IMPL_KERNEL_REGISTRY_H_
#define INC_REGISTER_OP_IMPL_KERNEL_REGISTRY_H_

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/error_codes.h"
#include "graph/infer_format_context.h"

#define OP_IMPL_MAIN_VERSION 2

namespace gert {

/// Where a tiling function that reads values runs.
enum class TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

struct OpImplKernelRegistry {
  using InferShapeKernelFunc = ge::graphStatus (*)(InferShapeContext *);
  using InferShapeRangeKernelFunc = ge::graphStatus (*)(InferShapeRangeContext *);
  using InferDataTypeKernelFunc = ge::graphStatus (*)(InferDataTypeContext *);
  using InferFormatFunc = ge::graphStatus (*)(InferFormatContext *);
  using TilingKernelFunc = ge::graphStatus (*)(TilingContext *);
  using TilingParseFunc = ge::graphStatus (*)(TilingParseContext *);
  using KernelFunc = ge::graphStatus (*)(KernelContext *);
  using CompileInfoCreatorFunc = void *(*)();
  using CompileInfoDeleterFunc = void (*)(void *);

  /// Null members: not registered.
  struct OpImplFunctions {
    InferShapeKernelFunc infer_shape = nullptr;
    InferShapeRangeKernelFunc infer_shape_range = nullptr;
    InferDataTypeKernelFunc infer_datatype = nullptr;
    InferFormatFunc infer_format_func = nullptr;
    TilingKernelFunc tiling = nullptr;
    /// Takes the context of OpTilingParseContextBuilder.
    KernelFunc tiling_parse = nullptr;
    /// Make and free the object that tiling_parse writes.
    CompileInfoCreatorFunc compile_info_creator = nullptr;
    CompileInfoDeleterFunc compile_info_deleter = nullptr;
    /// Bytes of tiling data that tiling needs at most.
    size_t max_tiling_data_size = 0;
    uint64_t inputs_dependency = 0, tiling_dependency = 0;  // a bit an input of the prototype

    bool HasDataDependency() const { return inputs_dependency != 0; }
    bool IsInputDataDependency(size_t index) const { return Has(inputs_dependency, index); }
    bool IsTilingInputDataDependency(size_t index) const { return Has(tiling_dependency, index); }
    /// GRAPH_FAILED from input 64 on.
    ge::graphStatus SetInputDataDependency(size_t index) { return Set(inputs_dependency, index); }
    ge::graphStatus SetTilingInputDataDependency(size_t index) { return Set(tiling_dependency, index); }

   private:
    static bool Has(uint64_t bits, size_t index) { return index < 64 && (bits >> index & 1) != 0; }
    static ge::graphStatus Set(uint64_t &bits, size_t index) {
      if (index >= 64) return ge::GRAPH_FAILED;
      bits |= uint64_t{1} << index;
      return ge::GRAPH_SUCCESS;
    }
  };
  using OpImplFunctionsV2 = OpImplFunctions;
};

}  // namespace gert

#endif
