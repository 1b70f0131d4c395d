#include "protos/table/prototypes.h"

#include <utility>

// The table's own graph/operator_reg.h comes first on the include path of this file.
#include "op_proto/array_ops.h"
#include "op_proto/binary_math_ops.h"
#include "op_proto/control_ops.h"
#include "op_proto/gather_scatter_ops.h"
#include "op_proto/generator_ops.h"
#include "op_proto/graph_ops.h"
#include "op_proto/hcom_ops.h"
#include "op_proto/image_ops.h"
#include "op_proto/internal_ops.h"
#include "op_proto/matrix_ops.h"
#include "op_proto/nn_activation_ops.h"
#include "op_proto/nn_conv_ops.h"
#include "op_proto/nn_norm_ops.h"
#include "op_proto/nn_pooling_ops.h"
#include "op_proto/quant_ops.h"
#include "op_proto/reduce_ops.h"
#include "op_proto/rnn_ops.h"
#include "op_proto/selection_ops.h"
#include "op_proto/unary_math_ops.h"
#include "protos/table/prototype_docs.h"

namespace ge {
namespace {

constexpr int kEndSlot = __COUNTER__;

template <int... I>
constexpr auto CollectSlots(std::integer_sequence<int, I...>) {
  struct Table {
    DeclareFn entries[sizeof...(I)];
  };
  return Table{{PrototypeSlot<kFirstSlot + I>::declare...}};
}

constexpr auto kTable = CollectSlots(std::make_integer_sequence<int, kEndSlot - kFirstSlot>());

}  // namespace
}  // namespace ge

namespace gec {

size_t BuiltinPrototypeCount() { return static_cast<size_t>(ge::kEndSlot - ge::kFirstSlot); }

void ForEachBuiltinPrototype(const std::function<void(const GeOpSchema &)> &visit) {
  for (ge::DeclareFn declare : ge::kTable.entries) {
    PrototypeBuilder builder;
    declare(builder);
    if (const PrototypeDoc *doc = FindPrototypeDoc(builder.type())) {
      builder.SetFamily(doc->family);
      builder.SetBrief(doc->brief);
    }
    visit(builder.Schema());
  }
}

}  // namespace gec
