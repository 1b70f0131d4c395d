/* The memory layout of every public struct and the value of every public enumerator, as compiled programs and plug-ins
 * know them (x86-64). A line here changes only together with an ABI version; new members and values get new lines. */
#include <stddef.h>

#include "esb_funcs.h"
#include "ge/data.h"
#include "ge/engine.h"
#include "ge/es_node.h"
#include "ge/export.h"
#include "ge/flow.h"
#include "ge/fused_program.h"
#include "ge/graph.h"
#include "ge/infer_details.h"
#include "ge/log.h"
#include "ge/model.h"
#include "ge/op.h"
#include "ge/op_traits.h"
#include "ge/own_data_types.h"
#include "ge/parser_plugin.h"
#include "ge/pass.h"
#include "ge/pattern.h"
#include "ge/profile.h"
#include "ge/scope_fusion.h"
#include "ge/session.h"
#include "ge/state.h"
#include "ge/status.h"
#include "ge/tensor.h"
#include "ge/version.h"
#include "graph/c_types.h"

#include "layout.h"

SIZE(GeTensorData, 80);
AT(GeTensorData, data_type, 0);
AT(GeTensorData, format, 4);
AT(GeTensorData, origin_format, 8);
AT(GeTensorData, rank, 12);
AT(GeTensorData, origin_rank, 16);
AT(GeTensorData, flags, 20);
AT(GeTensorData, dims, 24);
AT(GeTensorData, origin_dims, 32);
AT(GeTensorData, data, 40);
AT(GeTensorData, size, 48);
AT(GeTensorData, partial, 56);
AT(GeTensorData, layout, 64);
AT(GeTensorData, reserved, 72);

SIZE(GeTensorLayout, 56);
AT(GeTensorLayout, struct_size, 0);
AT(GeTensorLayout, strides, 8);
AT(GeTensorLayout, quant_scheme, 16);
AT(GeTensorLayout, quant_axis, 20);
AT(GeTensorLayout, quant_block, 24);
AT(GeTensorLayout, scales, 32);
AT(GeTensorLayout, zero_points, 40);
AT(GeTensorLayout, scale_count, 48);

SIZE(GeArithmeticRate, 24);
AT(GeArithmeticRate, data_type, 0);
AT(GeArithmeticRate, flops, 8);
AT(GeArithmeticRate, how, 16);

SIZE(GeMachineRates, 56);
AT(GeMachineRates, struct_size, 0);
AT(GeMachineRates, flops, 8);
AT(GeMachineRates, bytes_per_second, 16);
AT(GeMachineRates, how_flops, 24);
AT(GeMachineRates, how_bytes, 32);
AT(GeMachineRates, types, 40);
AT(GeMachineRates, type_count, 48);

SIZE(GeModelMemory, 48);
AT(GeModelMemory, struct_size, 0);
AT(GeModelMemory, has_plan, 8);
AT(GeModelMemory, is_static, 12);
AT(GeModelMemory, constant_bytes, 16);
AT(GeModelMemory, packed_bytes, 24);
AT(GeModelMemory, arena_bytes, 32);
AT(GeModelMemory, live_peak_bytes, 40);

SIZE(GeStateOptions, 32);
AT(GeStateOptions, struct_size, 0);
AT(GeStateOptions, capacity, 8);
AT(GeStateOptions, limit, 16);
AT(GeStateOptions, axis, 24);

SIZE(GeAttrData, 72);
AT(GeAttrData, name, 0);
AT(GeAttrData, type, 8);
AT(GeAttrData, reserved, 12);
AT(GeAttrData, i, 16);
AT(GeAttrData, f, 24);
AT(GeAttrData, s, 32);
AT(GeAttrData, tensor, 40);
AT(GeAttrData, list, 48);
AT(GeAttrData, count, 56);
AT(GeAttrData, inner_counts, 64);

SIZE(GeFrontNode, 88);
AT(GeFrontNode, struct_size, 0);
AT(GeFrontNode, origin_type, 8);
AT(GeFrontNode, name, 16);
AT(GeFrontNode, inputs, 24);
AT(GeFrontNode, input_count, 32);
AT(GeFrontNode, outputs, 40);
AT(GeFrontNode, output_count, 48);
AT(GeFrontNode, attrs, 56);
AT(GeFrontNode, attr_count, 64);
AT(GeFrontNode, message, 72);
AT(GeFrontNode, message_size, 80);

SIZE(GeInputEdit, 40);
AT(GeInputEdit, kind, 0);
AT(GeInputEdit, index, 4);
AT(GeInputEdit, name, 8);
AT(GeInputEdit, value, 16);
AT(GeInputEdit, reserved, 20);
AT(GeInputEdit, order, 24);
AT(GeInputEdit, order_count, 32);

SIZE(GeParserPlugin, 96);
AT(GeParserPlugin, struct_size, 0);
AT(GeParserPlugin, framework, 8);
AT(GeParserPlugin, reserved, 12);
AT(GeParserPlugin, type, 16);
AT(GeParserPlugin, origin_types, 24);
AT(GeParserPlugin, origin_type_count, 32);
AT(GeParserPlugin, edits, 40);
AT(GeParserPlugin, edit_count, 48);
AT(GeParserPlugin, parse, 56);
AT(GeParserPlugin, to_graph, 64);
AT(GeParserPlugin, finish_subgraph, 72);
AT(GeParserPlugin, destroy, 80);
AT(GeParserPlugin, user, 88);

SIZE(GeScopeNode, 40);
AT(GeScopeNode, name, 0);
AT(GeScopeNode, type, 8);
AT(GeScopeNode, made, 16);
AT(GeScopeNode, inputs, 24);
AT(GeScopeNode, input_count, 32);

SIZE(GeScopeOutput, 16);
AT(GeScopeOutput, from, 0);
AT(GeScopeOutput, to, 8);

SIZE(GeScopeFusion, 64);
AT(GeScopeFusion, struct_size, 0);
AT(GeScopeFusion, name, 8);
AT(GeScopeFusion, replaced, 16);
AT(GeScopeFusion, replaced_count, 24);
AT(GeScopeFusion, nodes, 32);
AT(GeScopeFusion, node_count, 40);
AT(GeScopeFusion, outputs, 48);
AT(GeScopeFusion, output_count, 56);

SIZE(GeScopePass, 48);
AT(GeScopePass, struct_size, 0);
AT(GeScopePass, name, 8);
AT(GeScopePass, general, 16);
AT(GeScopePass, reserved, 20);
AT(GeScopePass, run, 24);
AT(GeScopePass, destroy, 32);
AT(GeScopePass, user, 40);

SIZE(GeFusionParser, 56);
AT(GeFusionParser, struct_size, 0);
AT(GeFusionParser, type, 8);
AT(GeFusionParser, origin_types, 16);
AT(GeFusionParser, origin_type_count, 24);
AT(GeFusionParser, parse, 32);
AT(GeFusionParser, destroy, 40);
AT(GeFusionParser, user, 48);

VALUE(GE_FRAMEWORK_CAFFE, 0);
VALUE(GE_FRAMEWORK_TENSORFLOW, 3);
VALUE(GE_FRAMEWORK_ONNX, 5);
VALUE(GE_INPUT_DROP_IF_ATTR, 0);
VALUE(GE_INPUT_DROP_IF_TYPE, 1);
VALUE(GE_INPUT_REORDER, 2);

SIZE(GeIrPort, 24);
AT(GeIrPort, name, 0);
AT(GeIrPort, kind, 8);
AT(GeIrPort, reserved, 12);
AT(GeIrPort, data_types, 16);

SIZE(GeIrAttr, 80);
AT(GeIrAttr, value, 0);
AT(GeIrAttr, required, 72);
AT(GeIrAttr, reserved, 76);

SIZE(GeIrGraph, 16);
AT(GeIrGraph, name, 0);
AT(GeIrGraph, kind, 8);
AT(GeIrGraph, reserved, 12);

SIZE(GeIrSymbol, 16);
AT(GeIrSymbol, name, 0);
AT(GeIrSymbol, range, 8);

SIZE(GeOpSchema, 120);
AT(GeOpSchema, struct_size, 0);
AT(GeOpSchema, type, 8);
AT(GeOpSchema, family, 16);
AT(GeOpSchema, brief, 24);
AT(GeOpSchema, inputs, 32);
AT(GeOpSchema, input_count, 40);
AT(GeOpSchema, outputs, 48);
AT(GeOpSchema, output_count, 56);
AT(GeOpSchema, attrs, 64);
AT(GeOpSchema, attr_count, 72);
AT(GeOpSchema, graphs, 80);
AT(GeOpSchema, graph_count, 88);
AT(GeOpSchema, symbols, 96);
AT(GeOpSchema, symbol_count, 104);
AT(GeOpSchema, traits, 112);

SIZE(GeOpTraits, 24);
AT(GeOpTraits, struct_size, 0);
AT(GeOpTraits, flags, 8);
AT(GeOpTraits, control_flow, 16);
AT(GeOpTraits, fused_opcode, 20);

SIZE(GeOpDesc, 112);
AT(GeOpDesc, struct_size, 0);
AT(GeOpDesc, type, 8);
AT(GeOpDesc, name, 16);
AT(GeOpDesc, inputs, 24);
AT(GeOpDesc, input_count, 32);
AT(GeOpDesc, outputs, 40);
AT(GeOpDesc, output_count, 48);
AT(GeOpDesc, attrs, 56);
AT(GeOpDesc, attr_count, 64);
AT(GeOpDesc, ir_input_counts, 72);
AT(GeOpDesc, ir_input_total, 80);
AT(GeOpDesc, ir_output_counts, 88);
AT(GeOpDesc, ir_output_total, 96);
AT(GeOpDesc, traits, 104);

SIZE(GeInferOutput, 152);
AT(GeInferOutput, data_type, 0);
AT(GeInferOutput, rank, 4);
AT(GeInferOutput, dims, 8);
AT(GeInferOutput, partial, 136);
AT(GeInferOutput, partial_count, 144);
AT(GeInferOutput, partial_capacity, 148);

SIZE(GeInferContext, 48);
AT(GeInferContext, struct_size, 0);
AT(GeInferContext, op, 8);
AT(GeInferContext, outputs, 16);
AT(GeInferContext, output_count, 24);
AT(GeInferContext, fail, 32);
AT(GeInferContext, details, 40);

SIZE(GeInferDetails, 48);
AT(GeInferDetails, struct_size, 0);
AT(GeInferDetails, host, 8);
AT(GeInferDetails, input_format, 16);
AT(GeInferDetails, input_bounds, 24);
AT(GeInferDetails, set_output_format, 32);
AT(GeInferDetails, set_output_bounds, 40);

SIZE(GeEsAttr, 88);
AT(GeEsAttr, ir_index, 0);
AT(GeEsAttr, reserved, 4);
AT(GeEsAttr, value, 8);
AT(GeEsAttr, tensor, 80);

SIZE(GeEsInput, 24);
AT(GeEsInput, one, 0);
AT(GeEsInput, many, 8);
AT(GeEsInput, many_count, 16);

SIZE(GeEsGraph, 24);
AT(GeEsGraph, one, 0);
AT(GeEsGraph, many, 8);
AT(GeEsGraph, many_count, 16);

SIZE(GeEsCall, 64);
AT(GeEsCall, struct_size, 0);
AT(GeEsCall, schema, 8);
AT(GeEsCall, builder, 16);
AT(GeEsCall, inputs, 24);
AT(GeEsCall, output_counts, 32);
AT(GeEsCall, graphs, 40);
AT(GeEsCall, attrs, 48);
AT(GeEsCall, attr_count, 56);

SIZE(GeNodeSpec, 64);
AT(GeNodeSpec, struct_size, 0);
AT(GeNodeSpec, type, 8);
AT(GeNodeSpec, name, 16);
AT(GeNodeSpec, schema, 24);
AT(GeNodeSpec, input_counts, 32);
AT(GeNodeSpec, input_counts_size, 40);
AT(GeNodeSpec, output_counts, 48);
AT(GeNodeSpec, output_counts_size, 56);

SIZE(GePlacement, 64);
AT(GePlacement, struct_size, 0);
AT(GePlacement, node, 8);
AT(GePlacement, type, 16);
AT(GePlacement, origins, 24);
AT(GePlacement, engine, 32);
AT(GePlacement, implementation, 40);
AT(GePlacement, refusals, 48);
AT(GePlacement, flops, 56);

SIZE(GeCustomPassTable, 64);
AT(GeCustomPassTable, struct_size, 0);
AT(GeCustomPassTable, name, 8);
AT(GeCustomPassTable, stage, 16);
AT(GeCustomPassTable, kind, 20);
AT(GeCustomPassTable, create, 24);
AT(GeCustomPassTable, run, 32);
AT(GeCustomPassTable, destroy_instance, 40);
AT(GeCustomPassTable, destroy, 48);
AT(GeCustomPassTable, user, 56);

SIZE(GeNodeIo, 16);
AT(GeNodeIo, node, 0);
AT(GeNodeIo, index, 8);

SIZE(GeFusionHooks, 32);
AT(GeFusionHooks, struct_size, 0);
AT(GeFusionHooks, meets, 8);
AT(GeFusionHooks, replace, 16);
AT(GeFusionHooks, user, 24);

SIZE(GeRefusal, 48);
AT(GeRefusal, struct_size, 0);
AT(GeRefusal, expected, 8);
AT(GeRefusal, actual, 16);
AT(GeRefusal, traceback, 24);
AT(GeRefusal, node, 32);
AT(GeRefusal, pattern_node, 40);

SIZE(GeRewriteOptions, 24);
AT(GeRewriteOptions, struct_size, 0);
AT(GeRewriteOptions, match_flags, 8);
AT(GeRewriteOptions, dry_run, 12);
AT(GeRewriteOptions, max_rewrites, 16);

SIZE(GeRewriteCounts, 32);
AT(GeRewriteCounts, struct_size, 0);
AT(GeRewriteCounts, tried, 8);
AT(GeRewriteCounts, applied, 16);
AT(GeRewriteCounts, declined, 24);

SIZE(GeDecomposeHooks, 32);
AT(GeDecomposeHooks, struct_size, 0);
AT(GeDecomposeHooks, meets, 8);
AT(GeDecomposeHooks, replace, 16);
AT(GeDecomposeHooks, user, 24);

SIZE(GePassTable, 48);
AT(GePassTable, struct_size, 0);
AT(GePassTable, name, 8);
AT(GePassTable, stage, 16);
AT(GePassTable, level, 20);
AT(GePassTable, run, 24);
AT(GePassTable, destroy, 32);
AT(GePassTable, user, 40);

SIZE(GePassInfo, 72);
AT(GePassInfo, struct_size, 0);
AT(GePassInfo, name, 8);
AT(GePassInfo, stage, 16);
AT(GePassInfo, level, 20);
AT(GePassInfo, builtin, 24);
AT(GePassInfo, reserved, 28);
AT(GePassInfo, required, 32);
AT(GePassInfo, required_count, 40);
AT(GePassInfo, flags, 48);
AT(GePassInfo, more_reserved, 52);
AT(GePassInfo, other_name, 56);
AT(GePassInfo, kind, 64);

SIZE(GeStreamAllocator, 40);
AT(GeStreamAllocator, struct_size, 0);
AT(GeStreamAllocator, user, 8);
AT(GeStreamAllocator, allocate, 16);
AT(GeStreamAllocator, release, 24);
AT(GeStreamAllocator, destroy, 32);
SIZE(GeStreamRun, 72);
AT(GeStreamRun, struct_size, 0);
AT(GeStreamRun, stream, 8);
AT(GeStreamRun, inputs, 16);
AT(GeStreamRun, input_count, 24);
AT(GeStreamRun, given, 32);
AT(GeStreamRun, given_count, 40);
AT(GeStreamRun, outputs, 48);
AT(GeStreamRun, output_count, 56);
AT(GeStreamRun, loaded_only, 64);
AT(GeStreamRun, at_once, 68);
VALUE(GE_SESSION_GRAPH_ADDED, 1);
VALUE(GE_SESSION_GRAPH_COMPILED, 2);
VALUE(GE_SESSION_GRAPH_LOADED, 3);
VALUE(GE_SESSION_MEMORY_FEATURE, 0);
VALUE(GE_SESSION_MEMORY_REFRESHABLE, 1);
VALUE(GE_SESSION_MEMORY_FIXED, 2);
VALUE(GE_SESSION_MEMORY_CONST, 3);
VALUE(GE_NOT_LOADED, 1343242295);
VALUE(GE_ALREADY_SET, 1343242306);
VALUE(GE_RUN_MODE_MIXED, 1343225867);

SIZE(GeFlowMessage, 120);
AT(GeFlowMessage, struct_size, 0);
AT(GeFlowMessage, tensor, 8);
AT(GeFlowMessage, transaction_id, 16);
AT(GeFlowMessage, start_time, 24);
AT(GeFlowMessage, end_time, 32);
AT(GeFlowMessage, flags, 40);
AT(GeFlowMessage, type, 44);
AT(GeFlowMessage, ret_code, 48);
AT(GeFlowMessage, reserved, 52);
AT(GeFlowMessage, user_data, 56);

SIZE(GeFlowHost, 104);
AT(GeFlowHost, struct_size, 0);
AT(GeFlowHost, self, 8);
AT(GeFlowHost, name, 16);
AT(GeFlowHost, work_path, 24);
AT(GeFlowHost, input_count, 32);
AT(GeFlowHost, output_count, 40);
AT(GeFlowHost, get_attr, 48);
AT(GeFlowHost, set_output, 56);
AT(GeFlowHost, run_model, 64);
AT(GeFlowHost, dequeue, 72);
AT(GeFlowHost, queue_size, 80);
AT(GeFlowHost, raise, 88);
AT(GeFlowHost, next_exception, 96);

SIZE(GeFlowFunction, 64);
AT(GeFlowFunction, struct_size, 0);
AT(GeFlowFunction, name, 8);
AT(GeFlowFunction, user, 16);
AT(GeFlowFunction, family, 24);
AT(GeFlowFunction, streams, 32);
AT(GeFlowFunction, reserved, 36);
AT(GeFlowFunction, create, 40);
AT(GeFlowFunction, process, 48);
AT(GeFlowFunction, destroy, 56);

/* C_DataType */
SIZE(C_DataType, 4);
VALUE(C_DT_FLOAT, 0);
VALUE(C_DT_FLOAT16, 1);
VALUE(C_DT_INT8, 2);
VALUE(C_DT_INT32, 3);
VALUE(C_DT_UINT8, 4);
VALUE(C_DT_INT16, 6);
VALUE(C_DT_UINT16, 7);
VALUE(C_DT_UINT32, 8);
VALUE(C_DT_INT64, 9);
VALUE(C_DT_UINT64, 10);
VALUE(C_DT_DOUBLE, 11);
VALUE(C_DT_BOOL, 12);
VALUE(C_DT_STRING, 13);
VALUE(C_DT_DUAL_SUB_INT8, 14);
VALUE(C_DT_DUAL_SUB_UINT8, 15);
VALUE(C_DT_COMPLEX64, 16);
VALUE(C_DT_COMPLEX128, 17);
VALUE(C_DT_QINT8, 18);
VALUE(C_DT_QINT16, 19);
VALUE(C_DT_QINT32, 20);
VALUE(C_DT_QUINT8, 21);
VALUE(C_DT_QUINT16, 22);
VALUE(C_DT_RESOURCE, 23);
VALUE(C_DT_STRING_REF, 24);
VALUE(C_DT_DUAL, 25);
VALUE(C_DT_VARIANT, 26);
VALUE(C_DT_BF16, 27);
VALUE(C_DT_UNDEFINED, 28);
VALUE(C_DT_INT4, 29);
VALUE(C_DT_UINT1, 30);
VALUE(C_DT_INT2, 31);
VALUE(C_DT_UINT2, 32);
VALUE(C_DT_COMPLEX32, 33);
VALUE(C_DT_HIFLOAT8, 34);
VALUE(C_DT_FLOAT8_E5M2, 35);
VALUE(C_DT_FLOAT8_E4M3FN, 36);
VALUE(C_DT_FLOAT8_E8M0, 37);
VALUE(C_DT_FLOAT6_E3M2, 38);
VALUE(C_DT_FLOAT6_E2M3, 39);
VALUE(C_DT_FLOAT4_E2M1, 40);
VALUE(C_DT_FLOAT4_E1M2, 41);
VALUE(C_DT_HIFLOAT4, 42);
VALUE(C_DT_MAX, 43);
VALUE(C_DT_UINT4, 60);
VALUE(C_DT_FLOAT8_E4M3FNUZ, 61);
VALUE(C_DT_FLOAT8_E5M2FNUZ, 62);
VALUE(GE_DATA_TYPE_END, 63);

/* C_Format */
SIZE(C_Format, 4);
VALUE(C_FORMAT_NCHW, 0);
VALUE(C_FORMAT_NHWC, 1);
VALUE(C_FORMAT_ND, 2);
VALUE(C_FORMAT_NC1HWC0, 3);
VALUE(C_FORMAT_FRACTAL_Z, 4);
VALUE(C_FORMAT_NC1C0HWPAD, 5);
VALUE(C_FORMAT_NHWC1C0, 6);
VALUE(C_FORMAT_FSR_NCHW, 7);
VALUE(C_FORMAT_FRACTAL_DECONV, 8);
VALUE(C_FORMAT_C1HWNC0, 9);
VALUE(C_FORMAT_FRACTAL_DECONV_TRANSPOSE, 10);
VALUE(C_FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS, 11);
VALUE(C_FORMAT_NC1HWC0_C04, 12);
VALUE(C_FORMAT_FRACTAL_Z_C04, 13);
VALUE(C_FORMAT_CHWN, 14);
VALUE(C_FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS, 15);
VALUE(C_FORMAT_HWCN, 16);
VALUE(C_FORMAT_NC1KHKWHWC0, 17);
VALUE(C_FORMAT_BN_WEIGHT, 18);
VALUE(C_FORMAT_FILTER_HWCK, 19);
VALUE(C_FORMAT_HASHTABLE_LOOKUP_LOOKUPS, 20);
VALUE(C_FORMAT_HASHTABLE_LOOKUP_KEYS, 21);
VALUE(C_FORMAT_HASHTABLE_LOOKUP_VALUE, 22);
VALUE(C_FORMAT_HASHTABLE_LOOKUP_OUTPUT, 23);
VALUE(C_FORMAT_HASHTABLE_LOOKUP_HITS, 24);
VALUE(C_FORMAT_C1HWNCoC0, 25);
VALUE(C_FORMAT_MD, 26);
VALUE(C_FORMAT_NDHWC, 27);
VALUE(C_FORMAT_FRACTAL_ZZ, 28);
VALUE(C_FORMAT_FRACTAL_NZ, 29);
VALUE(C_FORMAT_NCDHW, 30);
VALUE(C_FORMAT_DHWCN, 31);
VALUE(C_FORMAT_NDC1HWC0, 32);
VALUE(C_FORMAT_FRACTAL_Z_3D, 33);
VALUE(C_FORMAT_CN, 34);
VALUE(C_FORMAT_NC, 35);
VALUE(C_FORMAT_DHWNC, 36);
VALUE(C_FORMAT_FRACTAL_Z_3D_TRANSPOSE, 37);
VALUE(C_FORMAT_FRACTAL_ZN_LSTM, 38);
VALUE(C_FORMAT_FRACTAL_Z_G, 39);
VALUE(C_FORMAT_RESERVED, 40);
VALUE(C_FORMAT_ALL, 41);
VALUE(C_FORMAT_NULL, 42);
VALUE(C_FORMAT_ND_RNN_BIAS, 43);
VALUE(C_FORMAT_FRACTAL_ZN_RNN, 44);
VALUE(C_FORMAT_NYUV, 45);
VALUE(C_FORMAT_NYUV_A, 46);
VALUE(C_FORMAT_NCL, 47);
VALUE(C_FORMAT_FRACTAL_Z_WINO, 48);
VALUE(C_FORMAT_C1HWC0, 49);
VALUE(C_FORMAT_FRACTAL_NZ_C0_16, 50);
VALUE(C_FORMAT_FRACTAL_NZ_C0_32, 51);
VALUE(C_FORMAT_FRACTAL_NZ_C0_2, 52);
VALUE(C_FORMAT_FRACTAL_NZ_C0_4, 53);
VALUE(C_FORMAT_FRACTAL_NZ_C0_8, 54);
VALUE(C_FORMAT_END, 55);
VALUE(C_FORMAT_MAX, 255);

/* C_AttrValueType */
SIZE(C_AttrValueType, 4);
VALUE(C_VT_NONE, 0);
VALUE(C_VT_STRING, 1);
VALUE(C_VT_FLOAT, 2);
VALUE(C_VT_BOOL, 3);
VALUE(C_VT_INT, 4);
VALUE(C_VT_TENSOR_DESC, 5);
VALUE(C_VT_TENSOR, 6);
VALUE(C_VT_BYTES, 7);
VALUE(C_VT_GRAPH, 8);
VALUE(C_VT_NAMED_ATTRS, 9);
VALUE(C_VT_LIST_LIST_INT, 10);
VALUE(C_VT_DATA_TYPE, 11);
VALUE(C_VT_LIST_LIST_FLOAT, 12);
VALUE(C_VT_LIST_BASE, 1000);
VALUE(C_VT_LIST_STRING, 1001);
VALUE(C_VT_LIST_FLOAT, 1002);
VALUE(C_VT_LIST_BOOL, 1003);
VALUE(C_VT_LIST_INT, 1004);
VALUE(C_VT_LIST_TENSOR_DESC, 1005);
VALUE(C_VT_LIST_TENSOR, 1006);
VALUE(C_VT_LIST_BYTES, 1007);
VALUE(C_VT_LIST_GRAPH, 1008);
VALUE(C_VT_LIST_NAMED_ATTRS, 1009);
VALUE(C_VT_LIST_DATA_TYPE, 1011);

/* GeLogLevel */
SIZE(GeLogLevel, 4);
VALUE(GE_LOG_DEBUG, 0);
VALUE(GE_LOG_INFO, 1);
VALUE(GE_LOG_WARNING, 2);
VALUE(GE_LOG_ERROR, 3);
VALUE(GE_LOG_OFF, 4);

/* GeFusedOpcode */
SIZE(GeFusedOpcode, 4);
VALUE(GE_TRAIT_PURE, 1);
VALUE(GE_TRAIT_RANDOM, 2);
VALUE(GE_TRAIT_EFFECT, 4);
VALUE(GE_TRAIT_VIEW, 8);
VALUE(GE_TRAIT_ELEMENTWISE, 16);
VALUE(GE_TRAIT_FUSED, 32);
VALUE(GE_TRAIT_LAYOUT_AGNOSTIC, 64);
VALUE(GE_TRAIT_COMMUTATIVE, 128);
VALUE(GE_TRAIT_IN_PLACE, 256);
VALUE(GE_TRAIT_FOLDABLE, 512);
VALUE(GE_CONTROL_FLOW_NONE, 0);
VALUE(GE_CONTROL_FLOW_IF, 1);
VALUE(GE_CONTROL_FLOW_CASE, 2);
VALUE(GE_CONTROL_FLOW_WHILE, 3);
VALUE(GE_CONTROL_FLOW_FOR, 4);
VALUE(GE_CONTROL_FLOW_CALL, 5);

VALUE(GE_FUSED_ADD, 12);
VALUE(GE_FUSED_SUB, 1);
VALUE(GE_FUSED_MUL, 2);
VALUE(GE_FUSED_DIV, 3);
VALUE(GE_FUSED_MAX, 4);
VALUE(GE_FUSED_MIN, 5);
VALUE(GE_FUSED_POW, 6);
VALUE(GE_FUSED_SQUARED_DIFFERENCE, 7);
VALUE(GE_FUSED_EQUAL, 8);
VALUE(GE_FUSED_LESS, 9);
VALUE(GE_FUSED_LESS_EQUAL, 10);
VALUE(GE_FUSED_PRELU, 11);
VALUE(GE_FUSED_NEG, 32);
VALUE(GE_FUSED_ABS, 33);
VALUE(GE_FUSED_EXP, 34);
VALUE(GE_FUSED_LOG, 35);
VALUE(GE_FUSED_SQRT, 36);
VALUE(GE_FUSED_RSQRT, 37);
VALUE(GE_FUSED_RECIPROCAL, 38);
VALUE(GE_FUSED_SQUARE, 39);
VALUE(GE_FUSED_TANH, 40);
VALUE(GE_FUSED_SIGMOID, 41);
VALUE(GE_FUSED_ERF, 42);
VALUE(GE_FUSED_RELU, 43);
VALUE(GE_FUSED_RELU6, 44);
VALUE(GE_FUSED_SWISH, 45);
VALUE(GE_FUSED_GELU_ERF, 46);
VALUE(GE_FUSED_GELU_TANH, 47);
VALUE(GE_FUSED_HARD_SWISH, 48);
VALUE(GE_FUSED_SOFTPLUS, 49);
VALUE(GE_FUSED_FLOOR, 50);
VALUE(GE_FUSED_CEIL, 51);
VALUE(GE_FUSED_ROUND, 52);
VALUE(GE_FUSED_SIGN, 53);
VALUE(GE_FUSED_NOT, 54);
VALUE(GE_FUSED_MISH, 55);
VALUE(GE_FUSED_SIN, 56);
VALUE(GE_FUSED_COS, 57);
VALUE(GE_FUSED_SOFTSIGN, 58);
VALUE(GE_FUSED_CLIP, 96);
VALUE(GE_FUSED_SELECT, 97);
VALUE(GE_FUSED_FMA, 98);
VALUE(GE_FUSED_LEAKY_RELU, 99);
VALUE(GE_FUSED_ELU, 100);
VALUE(GE_FUSED_HARD_SIGMOID, 101);
