/* As layout.c, for ge/engine.h. */
#include "ge/engine.h"

#include "layout.h"

SIZE(GeEngineHost, 56);
AT(GeEngineHost, struct_size, 0);
AT(GeEngineHost, engine_abi, 8);
AT(GeEngineHost, reserved, 12);
AT(GeEngineHost, fail, 16);
AT(GeEngineHost, log, 24);
AT(GeEngineHost, get_proc, 32);
AT(GeEngineHost, cpu_features, 40);
AT(GeEngineHost, fill_constant, 48);

SIZE(GeKernelEnv, 72);
AT(GeKernelEnv, struct_size, 0);
AT(GeKernelEnv, host, 8);
AT(GeKernelEnv, threads, 16);
AT(GeKernelEnv, reserved, 20);
AT(GeKernelEnv, parallel_for, 24);
AT(GeKernelEnv, packed_constant, 32);
AT(GeKernelEnv, fail, 40);
AT(GeKernelEnv, cpu_features, 48);
AT(GeKernelEnv, pack_constant, 56);
AT(GeKernelEnv, tune, 64);
AT(GeKernelEnv, reserved2, 68);

SIZE(GeKernelArgs, 80);
AT(GeKernelArgs, struct_size, 0);
AT(GeKernelArgs, inputs, 8);
AT(GeKernelArgs, outputs, 16);
AT(GeKernelArgs, workspace, 24);
AT(GeKernelArgs, allocator, 32);
AT(GeKernelArgs, stream, 40);
AT(GeKernelArgs, input_dims, 48);
AT(GeKernelArgs, output_dims, 56);
AT(GeKernelArgs, input_strides, 64);
AT(GeKernelArgs, output_strides, 72);

SIZE(GeKernelAllocator, 24);
AT(GeKernelAllocator, struct_size, 0);
AT(GeKernelAllocator, host, 8);
AT(GeKernelAllocator, allocate, 16);

SIZE(GeAlias, 24);
AT(GeAlias, kind, 0);
AT(GeAlias, input, 4);
AT(GeAlias, output, 8);
AT(GeAlias, reserved, 12);
AT(GeAlias, offset, 16);

SIZE(GeKernel, 104);
AT(GeKernel, struct_size, 0);
AT(GeKernel, run, 8);
AT(GeKernel, state, 16);
AT(GeKernel, destroy, 24);
AT(GeKernel, implementation, 32);
AT(GeKernel, workspace_bytes, 40);
AT(GeKernel, flags, 48);
AT(GeKernel, alias_count, 52);
AT(GeKernel, aliases, 56);
AT(GeKernel, flops, 64);
AT(GeKernel, output_bytes, 72);
AT(GeKernel, workspace_for, 80);
AT(GeKernel, strided_inputs, 88);
AT(GeKernel, flops_type, 96);

SIZE(GeOpenExtent, 24);
AT(GeOpenExtent, low, 0);
AT(GeOpenExtent, high, 8);
AT(GeOpenExtent, symbol, 16);
AT(GeOpenExtent, multiple, 20);

SIZE(GeOpenExtents, 24);
AT(GeOpenExtents, struct_size, 0);
AT(GeOpenExtents, inputs, 8);
AT(GeOpenExtents, outputs, 16);

SIZE(GeEngineTable, 128);
AT(GeEngineTable, abi_version, 0);
AT(GeEngineTable, reserved, 4);
AT(GeEngineTable, struct_size, 8);
AT(GeEngineTable, name, 16);
AT(GeEngineTable, version, 24);
AT(GeEngineTable, cost, 32);
AT(GeEngineTable, flags, 36);
AT(GeEngineTable, open, 40);
AT(GeEngineTable, close, 48);
AT(GeEngineTable, check, 56);
AT(GeEngineTable, create_kernel, 64);
AT(GeEngineTable, claim, 72);
AT(GeEngineTable, create_region, 80);
AT(GeEngineTable, memory, 88);
AT(GeEngineTable, optimize, 96);
AT(GeEngineTable, create_open_kernel, 104);
AT(GeEngineTable, channel_block, 112);
AT(GeEngineTable, libraries, 120);

SIZE(GeMemorySpace, 112);
AT(GeMemorySpace, struct_size, 0);
AT(GeMemorySpace, name, 8);
AT(GeMemorySpace, alignment, 16);
AT(GeMemorySpace, allocate, 24);
AT(GeMemorySpace, release, 32);
AT(GeMemorySpace, copy, 40);
AT(GeMemorySpace, create_stream, 48);
AT(GeMemorySpace, destroy_stream, 56);
AT(GeMemorySpace, synchronize, 64);
AT(GeMemorySpace, create_event, 72);
AT(GeMemorySpace, destroy_event, 80);
AT(GeMemorySpace, record_event, 88);
AT(GeMemorySpace, wait_event, 96);
AT(GeMemorySpace, stream_wait_event, 104);

SIZE(GeGraphEdge, 16);
AT(GeGraphEdge, from, 0);
AT(GeGraphEdge, from_port, 4);
AT(GeGraphEdge, to, 8);
AT(GeGraphEdge, to_port, 12);

SIZE(GeNodePort, 8);
AT(GeNodePort, node, 0);
AT(GeNodePort, port, 4);

SIZE(GeGraphView, 64);
AT(GeGraphView, struct_size, 0);
AT(GeGraphView, name, 8);
AT(GeGraphView, nodes, 16);
AT(GeGraphView, node_count, 24);
AT(GeGraphView, edges, 32);
AT(GeGraphView, edge_count, 40);
AT(GeGraphView, outputs, 48);
AT(GeGraphView, output_count, 56);

SIZE(GeClaims, 24);
AT(GeClaims, struct_size, 0);
AT(GeClaims, host, 8);
AT(GeClaims, take, 16);

SIZE(GeRegion, 48);
AT(GeRegion, struct_size, 0);
AT(GeRegion, graph, 8);
AT(GeRegion, inputs, 16);
AT(GeRegion, input_count, 24);
AT(GeRegion, outputs, 32);
AT(GeRegion, output_count, 40);

SIZE(GeEngineInfo, 56);
AT(GeEngineInfo, struct_size, 0);
AT(GeEngineInfo, name, 8);
AT(GeEngineInfo, version, 16);
AT(GeEngineInfo, path, 24);
AT(GeEngineInfo, cost, 32);
AT(GeEngineInfo, flags, 36);
AT(GeEngineInfo, error, 40);
AT(GeEngineInfo, libraries, 48);
