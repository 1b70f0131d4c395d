// The functions that IMPL_OP registered, by type.
#ifndef INC_GRAPH_DETAIL_IMPL_OPS_H_
#define INC_GRAPH_DETAIL_IMPL_OPS_H_

#include <functional>
#include <string>
#include <utility>

#include "graph/detail/plain_registry.h"
#include "register/op_impl_kernel_registry.h"

namespace ge {
namespace detail {

/// Functions that infer for a type, of whatever origin. Any may be empty.
struct ContextFunctions {
  std::function<graphStatus(gert::InferShapeContext *)> shape;
  std::function<graphStatus(gert::InferDataTypeContext *)> type;
  gert::OpImplKernelRegistry::InferFormatFunc format = nullptr;
  gert::OpImplKernelRegistry::InferShapeRangeKernelFunc range = nullptr;
};

class ImplOps {
 public:
  using Functions = gert::OpImplKernelRegistry::OpImplFunctions;

  /// `edit` changes what the type has.
  template <class Edit>
  static void Change(const std::string &type, const Edit &edit) {
    Table::Change(type, edit);
  }
  /// Null when the type has nothing. Entries stay where they are.
  static const Functions *Find(const std::string &type) { return Table::Find(type); }
  /// The functions of IMPL_OP, and other ones where it has none.
  static ContextFunctions Of(const std::string &type) {
    const Functions functions = Table::Read(type);
    ContextFunctions all;
    if (functions.infer_shape != nullptr) all.shape = functions.infer_shape;
    if (functions.infer_datatype != nullptr) all.type = functions.infer_datatype;
    all.format = functions.infer_format_func;
    all.range = functions.infer_shape_range;
    if ((all.shape && all.type) || Other() == nullptr) return all;
    const ContextFunctions other = Other()(type);
    if (!all.shape) all.shape = other.shape;
    if (!all.type) all.type = other.type;
    return all;
  }
  /// Functions for types that IMPL_OP has none for: of custom operators.
  using OtherFunctions = ContextFunctions (*)(const std::string &type);
  static void SetOther(OtherFunctions other) { Other() = other; }
  /// From now on the library asks for functions of this type (graph/detail/context_infer.h).
  static void Use(const std::string &type);

 private:
  // Of all libraries of the process. When OpImplFunctions changes, the name has to.
  struct Kind {
    static const char *Name() { return "IMPL_OP 1"; }
  };
  using Table = PlainRegistry<Kind, Functions>;
  static OtherFunctions &Other() {
    static OtherFunctions other = nullptr;
    return other;
  }
};

}  // namespace detail
}  // namespace ge

#endif
