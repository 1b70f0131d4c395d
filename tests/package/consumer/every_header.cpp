// Every header path of the C++ interface that the installed prefix has, in one program, and the wrappers of operator
// families.
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <vector>

#include "asc/register/op_check_register.h"
#include "asc/register/op_config_registry.h"
#include "asc/register/op_def.h"
#include "asc/register/op_def_factory.h"
#include "asc/register/op_def_registry.h"
#include "base/context_builder/context_holder.h"
#include "base/context_builder/op_context_builder_base.h"
#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_infer_shape_range_context_builder.h"
#include "base/context_builder/op_kernel_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "compliant_node_builder.h"
#include "es_Add.h"
#include "es_Add_c.h"
#include "es_c_graph_builder.h"
#include "es_c_tensor_holder.h"
#include "es_cv_ops.h"
#include "es_graph_builder.h"
#include "es_log.h"
#include "es_math_ops.h"
#include "es_nn_ops.h"
#include "es_tensor_holder.h"
#include "es_tensor_like.h"
#include "es_transformer_ops.h"
#include "esb_funcs.h"
#include "exe_graph/lowering/lowering_opt.h"
#include "exe_graph/runtime/annotated_args_context.h"
#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/eager_op_execution_context.h"
#include "exe_graph/runtime/exe_res_generation_context.h"
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/kernel_args.h"
#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/op_compile_context.h"
#include "exe_graph/runtime/range.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/stride.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tensor_data.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_data.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "exe_graph/runtime/update_args_context.h"
#include "flow_func/ascend_string.h"
#include "flow_func/attr_value.h"
#include "flow_func/flow_func_defines.h"
#include "flow_func/flow_func_log.h"
#include "flow_func/flow_msg.h"
#include "flow_func/flow_msg_queue.h"
#include "flow_func/meta_context.h"
#include "flow_func/meta_flow_func.h"
#include "flow_func/meta_multi_func.h"
#include "flow_func/meta_params.h"
#include "flow_func/meta_run_context.h"
#include "flow_func/tensor_data_type.h"
#include "flow_graph/data_flow.h"
#include "flow_graph/flow_attr.h"
#include "flow_graph/flow_graph.h"
#include "flow_graph/process_point.h"
#include "ge/compliant_node_builder.h"
#include "ge/es_c_graph_builder.h"
#include "ge/es_c_tensor_holder.h"
#include "ge/es_graph_builder.h"
#include "ge/es_tensor_holder.h"
#include "ge/es_tensor_like.h"
#include "ge/esb_funcs.h"
#include "ge/framework/common/taskdown_common.h"
#include "ge/ge_allocator.h"
#include "ge/ge_api.h"
#include "ge/ge_api_error_codes.h"
#include "ge/ge_api_types.h"
#include "ge/ge_api_v2.h"
#include "ge/ge_data_flow_api.h"
#include "ge/ge_error_codes.h"
#include "ge/ge_external_weight_desc.h"
#include "ge/ge_feature_memory.h"
#include "ge/ge_graph_compile_summary.h"
#include "ge/ge_ir_build.h"
#include "ge/ge_prof.h"
#include "ge/ge_utils.h"
#include "ge_common/api_error_codes.h"
#include "ge_common/ge_api_error_codes.h"
#include "ge_common/ge_api_types.h"
#include "ge_common/ge_common_api_types.h"
#include "ge_common/ge_error_codes.h"
#include "graph/arg_desc_info.h"
#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/c_types.h"
#include "graph/compiler_def.h"
#include "graph/ct_infer_shape_context.h"
#include "graph/ct_infer_shape_range_context.h"
#include "graph/custom_op.h"
#include "graph/custom_op/args_refresh.h"
#include "graph/custom_op/capability.h"
#include "graph/custom_op/cast.h"
#include "graph/custom_op_factory.h"
#include "graph/custom_op_registry.h"
#include "graph/error_codes.h"
#include "graph/ge_error_codes.h"
#include "graph/gnode.h"
#include "graph/graph.h"
#include "graph/graph_buffer.h"
#include "graph/infer_format_context.h"
#include "graph/inference_context.h"
#include "graph/kernel_launch_info.h"
#include "graph/named_io_node_builder.h"
#include "graph/operator.h"
#include "graph/operator_factory.h"
#include "graph/operator_reg.h"
#include "graph/resource_context.h"
#include "graph/tensor.h"
#include "graph/types.h"
#include "graph/utils/args_format_desc_utils.h"
#include "graph/utils/recover_ir_definition.h"
#include "graph/utils/type_utils.h"
#include "hcom/hcom_topo_info.h"
#include "parser/caffe_parser.h"
#include "parser/onnx_parser.h"
#include "parser/tensorflow_parser.h"
#include "platform/platform_infos_def.h"
#include "register/device_op_impl_registry.h"
#include "register/ffts_node_calculater_registry.h"
#include "register/hidden_input_func_registry.h"
#include "register/hidden_inputs_func_registry.h"
#include "register/op_binary_resource_manager.h"
#include "register/op_check.h"
#include "register/op_compile_info_base.h"
#include "register/op_ct_impl_kernel_registry.h"
#include "register/op_ct_impl_registry.h"
#include "register/op_ct_impl_registry_api.h"
#include "register/op_def.h"
#include "register/op_def_factory.h"
#include "register/op_def_registry.h"
#include "register/op_impl_kernel_registry.h"
#include "register/op_impl_registry.h"
#include "register/op_lib_register.h"
#include "register/op_tiling_attr_utils.h"
#include "register/op_tiling_info.h"
#include "register/op_tiling_registry.h"
#include "register/register.h"
#include "register/register_base.h"
#include "register/register_error_codes.h"
#include "register/register_fmk_types.h"
#include "register/register_types.h"
#include "register/tilingdata_base.h"
#include "register/tuning_bank_key_registry.h"
#include "register/tuning_tiling_reflection_utils.h"
#include "register/tuning_tiling_registry.h"
#include "securec.h"
#include "utils/extern_math_util.h"

using namespace ge;

namespace ge {
// A prototype of the program's own, with its inference.
REG_OP(HeaderTwice)
    .INPUT(x, TensorType({DT_FLOAT}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(label, String, "none")
    .OP_END_FACTORY_REG(HeaderTwice) IMPLEMT_COMMON_INFERFUNC(HeaderTwiceInfer) {
  TensorDesc desc = op.GetInputDescByName("x");
  std::vector<int64_t> dims = desc.GetShape().GetDims();
  for (int64_t &dim : dims) dim *= 2;
  desc.SetShape(Shape(dims));
  return op.UpdateOutputDesc("y", desc);
}
COMMON_INFER_FUNC_REG(HeaderTwice, HeaderTwiceInfer);

// One that the program computes itself.
REG_OP(HeaderNext)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_FLOAT, DT_INT32}))
    .OP_END_FACTORY_REG(HeaderNext) class HeaderNext : public EagerExecuteOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0);
    gert::Tensor *y = ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), x->GetDataType());
    if (y == nullptr || x->GetDataType() != DT_FLOAT) return GRAPH_FAILED;
    for (int64_t i = 0; i < x->GetShapeSize(); ++i) y->GetData<float>()[i] = x->GetData<float>()[i] + 1;
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(HeaderNext);
}  // namespace ge

static ge::graphStatus NextShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP(HeaderNext).InferShape(NextShape);

static int RunNext() {
  Operator x = OperatorFactory::CreateOperator("x", "Data");
  (void)x.UpdateOutputDesc("y", TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT));
  op::HeaderNext next("next");
  next.set_input_x(x);
  Graph graph("next");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{next});
  Session session(std::map<AscendString, AscendString>{});
  const float in[] = {1, 41};
  std::vector<Tensor> outputs;
  const Tensor fed(TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(in), sizeof in);
  if (session.AddGraph(1, graph) != SUCCESS || session.RunGraph(1, {fed}, outputs) != SUCCESS) {
    std::cerr << GEGetErrorMsgV2().GetString() << "\n";
    return -1;
  }
  return static_cast<int>(reinterpret_cast<const float *>(outputs[0].GetData())[1]);
}

int main() {
  // A builder of the program's own; wrappers of two families.
  auto builder = std::make_unique<EsCGraphBuilder>("families");
  EsCGraphBuilder &b = *builder;
  es::EsTensorHolder x = b.AddGraphInput(0, "x", "Data", C_DT_FLOAT, C_FORMAT_ND, nullptr, 0);
  x.SetShape({4});
  es::EsTensorHolder y = es::Relu(es::Sub(es::Mul(x, 2.0f), 3.0f));
  GNode relu = *y.GetProducer();
  if (b.SetGraphOutput(y.GetCTensorHolder(), 0) != SUCCESS) return 1;
  std::unique_ptr<Graph> graph = b.BuildGraphAndReset();
  if (graph == nullptr || GeUtils::InferShape(*graph, {Shape({4})}) != SUCCESS) return 2;
  if (GEInitializeV2(std::map<AscendString, AscendString>{}) != SUCCESS) return 3;
  {
    GeSession session(std::map<AscendString, AscendString>{});
    float in[] = {0, 1, 2, 3};
    std::vector<gert::Tensor> inputs, outputs;
    inputs.emplace_back(gert::StorageShape({4}, {4}), gert::StorageFormat(FORMAT_ND, FORMAT_ND, {}), gert::kOnHost,
                        DT_FLOAT, in);
    if (session.AddGraph(0, *graph) != SUCCESS || session.RunGraph(0, inputs, outputs) != SUCCESS) {
      std::cerr << GEGetErrorMsgV3().GetString() << "\n";
      return 4;
    }
    for (int i = 0; i < 4; ++i) std::cout << outputs[0].GetData<float>()[i] << " ";
    CompiledGraphSummaryPtr summary = session.GetCompiledGraphSummary(0);
    std::cout << (summary != nullptr && summary->IsStatic() ? "static " : "dynamic ");
  }
  std::cout << RunNext() << " ";
  op::HeaderTwice twice("t");
  (void)twice.update_input_desc_x(TensorDesc(Shape({2, 3})));
  if (twice.InferShapeAndType() != GRAPH_SUCCESS) return 5;
  std::cout << twice.get_output_desc_y().GetShape().GetDim(1) << " " << twice.get_attr_label() << " ";
  char text[4];
  if (snprintf_s(text, sizeof(text), sizeof(text) - 1, "%s", "cut off") != -1 || strcmp(text, "cut") != 0) return 7;
  if (aclgrphParseTensorFlow("/no/such/net.pb", *graph) != GRAPH_FAILED) return 8;
  if (aclgrphParseCaffe("/no/such/net.prototxt", nullptr, *graph) != GRAPH_FAILED) return 9;
  if (ArgDescInfo::CreateCustomValue(7).GetCustomValue() != 7) return 10;
  builder.reset();
  graph.reset();
  AscendString name;
  std::cout << (relu.GetName(name) == GRAPH_FAILED ? "gone" : name.GetString()) << "\n";
  return GEFinalizeV2() == SUCCESS ? 0 : 6;
}
