// The last member that each growing struct of the C ABI has in ABI 1. A line never changes: a member that is appended
// makes the struct longer, not its least size. A new struct gets a new line; tests/abi/struct_variants.py reads them.
#pragma once

#include "core/support/abi_struct.h"
#include "ge/engine.h"
#include "ge/es_node.h"
#include "ge/flow.h"
#include "ge/graph.h"
#include "ge/infer_details.h"
#include "ge/model.h"
#include "ge/op.h"
#include "ge/op_traits.h"
#include "ge/parser_plugin.h"
#include "ge/pass.h"
#include "ge/pass_manager.h"
#include "ge/pattern.h"
#include "ge/profile.h"
#include "ge/scope_fusion.h"
#include "ge/session.h"
#include "ge/state.h"

namespace gec {

GE_ABI_1_ENDS_WITH(GeOpTraits, fused_opcode);
GE_ABI_1_ENDS_WITH(GeOpSchema, symbol_count);
GE_ABI_1_ENDS_WITH(GeOpDesc, ir_output_total);
GE_ABI_1_ENDS_WITH(GeInferContext, details);
GE_ABI_1_ENDS_WITH(GeInferDetails, set_output_bounds);
GE_ABI_1_ENDS_WITH(GeNodeSpec, output_counts_size);
GE_ABI_1_ENDS_WITH(GeEsCall, attr_count);

GE_ABI_1_ENDS_WITH(GeEngineHost, cpu_features);
GE_ABI_1_ENDS_WITH(GeEngineTable, create_kernel);
GE_ABI_1_ENDS_WITH(GeEngineInfo, error);
GE_ABI_1_ENDS_WITH(GeGraphView, output_count);
GE_ABI_1_ENDS_WITH(GeClaims, take);
GE_ABI_1_ENDS_WITH(GeRegion, output_count);
GE_ABI_1_ENDS_WITH(GeMemorySpace, synchronize);
GE_ABI_1_ENDS_WITH(GeKernelEnv, cpu_features);
GE_ABI_1_ENDS_WITH(GeKernelArgs, allocator);
GE_ABI_1_ENDS_WITH(GeKernelAllocator, allocate);
GE_ABI_1_ENDS_WITH(GeKernel, output_bytes);
GE_ABI_1_ENDS_WITH(GeOpenExtents, outputs);
GE_ABI_1_ENDS_WITH(GeTensorLayout, scale_count);

GE_ABI_1_ENDS_WITH(GePassTable, user);
GE_ABI_1_ENDS_WITH(GePassInfo, reserved);
GE_ABI_1_ENDS_WITH(GeCustomPassTable, user);
GE_ABI_1_ENDS_WITH(GeFusionHooks, user);
GE_ABI_1_ENDS_WITH(GeRewriteCounts, declined);
GE_ABI_1_ENDS_WITH(GeRefusal, pattern_node);
GE_ABI_1_ENDS_WITH(GeRewriteOptions, max_rewrites);
GE_ABI_1_ENDS_WITH(GeDecomposeHooks, user);
GE_ABI_1_ENDS_WITH(GePassFunction, user);
GE_ABI_1_ENDS_WITH(GeConfigKey, text);
GE_ABI_1_ENDS_WITH(GePassScopeParts, diagnostics_of);
GE_ABI_1_ENDS_WITH(GeDiagnostic, text);
GE_ABI_1_ENDS_WITH(GeInstrumentTable, user);

GE_ABI_1_ENDS_WITH(GePlacement, flops);
GE_ABI_1_ENDS_WITH(GeMachineRates, how_bytes);
GE_ABI_1_ENDS_WITH(GeStateOptions, axis);
GE_ABI_1_ENDS_WITH(GeModelMemory, live_peak_bytes);
GE_ABI_1_ENDS_WITH(GeStreamAllocator, destroy);
GE_ABI_1_ENDS_WITH(GeStreamRun, at_once);

GE_ABI_1_ENDS_WITH(GeFrontNode, message_size);
GE_ABI_1_ENDS_WITH(GeParserPlugin, user);
GE_ABI_1_ENDS_WITH(GeScopeFusion, output_count);
GE_ABI_1_ENDS_WITH(GeScopePass, user);
GE_ABI_1_ENDS_WITH(GeFusionParser, user);

GE_ABI_1_ENDS_WITH(GeFlowMessage, user_data);
GE_ABI_1_ENDS_WITH(GeFlowHost, next_exception);
GE_ABI_1_ENDS_WITH(GeFlowFunction, destroy);

}  // namespace gec
