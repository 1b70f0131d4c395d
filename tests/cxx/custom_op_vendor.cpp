// Operators of a vendor: VendorHalf, and CxxSquare, which the test program brings as well.
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"
#include "register/op_lib_register.h"

namespace ge {
REG_OP(VendorHalf)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(VendorHalf) REG_OP(CxxSquare)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(CxxSquare)

        template <class Map>
        graphStatus Each(gert::EagerOpExecutionContext *ctx, Map map) {
  const gert::Tensor *x = ctx->GetInputTensor(0);
  gert::Tensor *y = ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), DT_FLOAT);
  if (y == nullptr) return GRAPH_FAILED;
  for (int64_t i = 0; i < x->GetShapeSize(); ++i) y->GetData<float>()[i] = map(x->GetData<float>()[i]);
  return GRAPH_SUCCESS;
}
class VendorHalf : public EagerExecuteOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    return Each(ctx, [](float v) { return v / 2; });
  }
};
REG_AUTO_MAPPING_OP(VendorHalf);
class CxxSquare : public EagerExecuteOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    return Each(ctx, [](float) { return -1.0f; });
  }
};
REG_AUTO_MAPPING_OP(CxxSquare);
}  // namespace ge

static ge::graphStatus SameShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP(VendorHalf).InferShape(SameShape);

static uint32_t Start(ge::AscendString &folders) {
  static int starts = 0;
  folders = ge::AscendString(++starts == 1 ? "/folder/of/the/vendor" : "/started/twice");
  return 0;
}
REGISTER_OP_LIB(vendor).RegOpLibInit(Start);
REGISTER_OP_LIB(vendor).RegOpLibInit(nullptr);
