"""Names, parameters (order, names, defaults) and kinds of the public interface, as programs written for GE use them."""

import enum
import importlib
import inspect

import pytest

from ge.graph.types import DataType, Format, Placement

# "module.Class.member(parameters)"; without parentheses it is a property. Defaults are written as Python evaluates them here.
SURFACE = """
ge.error.get_ge_error_msg()
ge.error.raise_ge_error(api_name, status=None, **context)
ge.error.GeError(message, error_message=None, api_name=None, context=None)
ge.ge_global.GeApi()
ge.ge_global.GeApi.ge_initialize(config)
ge.ge_global.GeApi.ge_finalize()
ge.ge_global.GeApi._python_list_to_c_array(self, list)
ge.graph.Shape(dims=None)
ge.graph.Shape.get_shape_size(self)
ge.graph.Shape.is_unknown_shape(self)
ge.graph.TensorDesc(shape=None, format=Format.FORMAT_ND, data_type=DataType.DT_FLOAT)
ge.graph.TensorDesc.get_shape(self)
ge.graph.TensorDesc.set_shape(self, shape)
ge.graph.TensorDesc.shape
ge.graph.TensorDesc.get_origin_shape(self)
ge.graph.TensorDesc.set_origin_shape(self, shape)
ge.graph.TensorDesc.origin_shape
ge.graph.TensorDesc.get_format(self)
ge.graph.TensorDesc.set_format(self, format)
ge.graph.TensorDesc.format
ge.graph.TensorDesc.get_origin_format(self)
ge.graph.TensorDesc.set_origin_format(self, format)
ge.graph.TensorDesc.origin_format
ge.graph.TensorDesc.get_data_type(self)
ge.graph.TensorDesc.set_data_type(self, data_type)
ge.graph.TensorDesc.data_type
ge.graph.TensorDesc._create_from(handle)
ge.graph.Tensor(data=None, file_path=None, data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=None, placement=Placement.PLACEMENT_HOST)
ge.graph.Tensor.get_data(self)
ge.graph.Tensor.data
ge.graph.Tensor.get_shape(self)
ge.graph.Tensor.shape
ge.graph.Tensor.get_data_type(self)
ge.graph.Tensor.set_data_type(self, data_type)
ge.graph.Tensor.data_type
ge.graph.Tensor.get_format(self)
ge.graph.Tensor.set_format(self, format)
ge.graph.Tensor.format
ge.graph.Tensor.get_tensor_desc(self)
ge.graph.Tensor.get_placement(self)
ge.graph.Tensor.placement
ge.graph.Tensor.to_host(self)
ge.graph.Tensor.to_device(self)
ge.graph.Tensor._create_from(handle)
ge.graph.Tensor._transfer_ownership_when_pass_as_attr(self, builder)
ge.graph.tensor._parse_str_list(s)
ge.graph.tensor.unflatten_tensor_data(text, shape)
ge.passes.FusionBasePass.run(self, graph, context)
ge.passes.PatternFusionPass(matcher_config=None)
ge.passes.PatternFusionPass.matcher_config
ge.passes.PatternFusionPass.patterns(self)
ge.passes.PatternFusionPass.meet_requirements(self, match_result, context=None)
ge.passes.PatternFusionPass.replacement(self, match_result, context=None)
ge.passes.DecomposePass.meet_requirements(self, node, context=None)
ge.passes.DecomposePass.replacement(self, node, context=None)
ge.passes.register_fusion_pass(*, name, stage, kind=None)
ge.passes.register_decompose_pass(*, name, stage, op_types)
ge.passes.get_registered_passes()
ge.passes.get_registered_pass_dicts()
ge.passes.get_registered_pass_by_descriptor_key(descriptor_key)
ge.passes.clear_registered_passes()
ge.passes.NodeIo(node, index=0)
ge.passes.Pattern(graph)
ge.passes.Pattern.capture_tensor(self, source, index=None)
ge.passes.Pattern.get_captured_tensors(self)
ge.passes.Pattern.is_valid(self)
ge.passes.Pattern.release(self)
ge.passes.create_pattern(graph)
ge.passes.create_replacement(graph)
ge.passes.MatchResult.get_matched_nodes(self)
ge.passes.MatchResult.get_captured_tensor(self, capture_index)
ge.passes.MatchResult.get_pattern_graph_name(self)
ge.passes.PatternMatcherConfigBuilder()
ge.passes.PatternMatcherConfigBuilder.enable_const_value_match(self)
ge.passes.PatternMatcherConfigBuilder.enable_ir_attr_match(self)
ge.passes.PatternMatcherConfigBuilder.build(self)
ge.passes.PatternMatcherConfig.is_enable_const_value_match(self)
ge.passes.PatternMatcherConfig.is_enable_ir_attr_match(self)
ge.passes.SubgraphInput.add_input(self, node, out_index)
ge.passes.SubgraphOutput.set_output(self, node, out_index)
ge.passes.SubgraphBoundary()
ge.passes.SubgraphBoundary.add_input(self, index, input)
ge.passes.SubgraphBoundary.add_output(self, index, output)
ge.passes.SubgraphRewriter.replace(boundary, replacement, *, context=None)
ge.passes.infer_shape(replacement, source)
ge.passes.can_fuse(nodes)
ge.passes.report_fuse(nodes_before, nodes_after, context)
ge.passes.FuseCheckResult(ok, reason='')
ge._internal.plugin_loader.normalize_path_list(path_value)
ge._internal.plugin_loader.load_module_from_file(file_path, *, module_prefix, plugin_kind)
ge._internal.plugin_loader.scan_modules_from_path(path_item, *, module_prefix, plugin_kind)
ge._internal.plugin_loader.load_plugins_from_env(env_name, *, module_prefix, plugin_kind)
ge.graph.Graph.get_parent_graph(self)
ge.graph.Graph.get_parent_node(self)
ge.graph.Node.name
ge.graph.Node.type
ge.graph.Node.get_in_data_nodes_and_port_indexes(self, in_index)
ge.graph.Node.get_out_data_nodes_and_port_indexes(self, out_index)
ge.graph.Node.get_in_control_nodes(self)
ge.graph.Node.get_out_control_nodes(self)
ge.graph.Node.get_inputs_size(self)
ge.graph.Node.get_outputs_size(self)
ge.graph.Node.has_attr(self, attr_name)
ge.graph.Node.get_attr(self, key)
ge.graph.Node.set_attr(self, key, value)
ge.graph.Node.get_input_attr(self, attr_name, input_index)
ge.graph.Node.set_input_attr(self, attr_name, input_index, value)
ge.graph.Node.get_output_attr(self, attr_name, output_index)
ge.graph.Node.set_output_attr(self, attr_name, output_index, value)
ge.graph.Node.get_input_desc(self, index)
ge.graph.Node.update_input_desc(self, index, tensor_desc)
ge.graph.Node.get_output_desc(self, index)
ge.graph.Node.update_output_desc(self, index, tensor_desc)
ge.graph.Node._create_from(handle, owns_handle=True)
ge.graph.Graph(name='graph')
ge.graph.Graph.name
ge.graph.Graph.get_all_nodes(self)
ge.graph.Graph.get_direct_nodes(self)
ge.graph.Graph.get_attr(self, key)
ge.graph.Graph.set_attr(self, key, value)
ge.graph.Graph.dump_to_file(self, format=DumpFormat.kReadable, suffix='')
ge.graph.Graph.dump_to_stream(self, format=DumpFormat.kReadable)
ge.graph.Graph.save_to_air(self, file_path)
ge.graph.Graph.load_from_air(self, file_path)
ge.graph.Graph.remove_node(self, node)
ge.graph.Graph.remove_edge(self, src_node, src_port_index, dst_node, dst_port_index)
ge.graph.Graph.add_data_edge(self, src_node, src_port_index, dst_node, dst_port_index)
ge.graph.Graph.add_control_edge(self, src_node, dst_node)
ge.graph.Graph.find_node_by_name(self, name)
ge.graph.Graph.get_all_subgraphs(self)
ge.graph.Graph.get_subgraph(self, name)
ge.graph.Graph.add_subgraph(self, subgraph)
ge.graph.Graph.remove_subgraph(self, name)
ge.graph.Graph._create_from(handle, owns_handle=True, owner=None)
ge.graph.Graph._transfer_ownership_when_pass_as_subgraph(self, new_owner)
ge.graph.Operator.name
ge.graph.Operator.type
ge.graph.Operator.set_attr(self, name, value)
ge.graph.Operator.register_input(self, name)
ge.graph.Operator.register_optional_input(self, name)
ge.graph.Operator.register_output(self, name)
ge.graph.Operator.register_dynamic_input(self, name, count)
ge.graph.Operator.register_dynamic_output(self, name, count)
ge.graph.Operator.__enter__(self)
ge.graph.Operator.__exit__(self, *exc)
ge.graph.operator.create_operator(handle)
ge.graph._attr._AttrValue()
ge.graph._attr._AttrValue.set_string(self, value)
ge.graph._attr._AttrValue.get_string(self)
ge.graph._attr._AttrValue.set_float(self, value)
ge.graph._attr._AttrValue.get_float(self)
ge.graph._attr._AttrValue.set_bool(self, value)
ge.graph._attr._AttrValue.get_bool(self)
ge.graph._attr._AttrValue.set_int(self, value)
ge.graph._attr._AttrValue.get_int(self)
ge.graph._attr._AttrValue.set_data_type(self, value)
ge.graph._attr._AttrValue.get_data_type(self)
ge.graph._attr._AttrValue.set_tensor(self, value)
ge.graph._attr._AttrValue.get_tensor(self)
ge.graph._attr._AttrValue.set_list_float(self, values)
ge.graph._attr._AttrValue.get_list_float(self)
ge.graph._attr._AttrValue.set_list_int(self, values)
ge.graph._attr._AttrValue.get_list_int(self)
ge.graph._attr._AttrValue.set_list_bool(self, values)
ge.graph._attr._AttrValue.get_list_bool(self)
ge.graph._attr._AttrValue.set_list_data_type(self, values)
ge.graph._attr._AttrValue.get_list_data_type(self)
ge.graph._attr._AttrValue.set_list_string(self, values)
ge.graph._attr._AttrValue.get_list_string(self)
ge.graph._attr._AttrValue.set_value(self, value)
ge.graph._attr._AttrValue.get_value(self)
ge.graph._attr._AttrValue.get_value_type(self)
ge.graph._attr._AttrValue.value_type
ge.graph._numeric.float_to_fp16_bits(value)
ge.graph._numeric.float_list_to_fp16_bits(values)
ge.es.GraphBuilder(name=None)
ge.es.GraphBuilder.name
ge.es.GraphBuilder.create_input(self, index, *, name=None, type_str=InputType.DATA, data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=None)
ge.es.GraphBuilder.create_inputs(self, num, start_index=0)
ge.es.GraphBuilder.create_const_int64(self, value, shape=None)
ge.es.GraphBuilder.create_const_int32(self, value, shape=None)
ge.es.GraphBuilder.create_const_uint64(self, value, shape=None)
ge.es.GraphBuilder.create_const_uint32(self, value, shape=None)
ge.es.GraphBuilder.create_const_float(self, value, shape=None)
ge.es.GraphBuilder.create_vector_int64(self, value)
ge.es.GraphBuilder.create_scalar_int64(self, value)
ge.es.GraphBuilder.create_scalar_int32(self, value)
ge.es.GraphBuilder.create_scalar_uint64(self, value)
ge.es.GraphBuilder.create_scalar_uint32(self, value)
ge.es.GraphBuilder.create_scalar_float(self, value)
ge.es.GraphBuilder.create_variable(self, index, name)
ge.es.GraphBuilder.set_graph_output(self, tensor, output_index)
ge.es.GraphBuilder.set_graph_attr_int64(self, attr_name, value)
ge.es.GraphBuilder.set_graph_attr_string(self, attr_name, value)
ge.es.GraphBuilder.set_graph_attr_bool(self, attr_name, value)
ge.es.GraphBuilder.set_tensor_attr_int64(self, tensor, attr_name, value)
ge.es.GraphBuilder.set_tensor_attr_string(self, tensor, attr_name, value)
ge.es.GraphBuilder.set_tensor_attr_bool(self, tensor, attr_name, value)
ge.es.GraphBuilder.set_node_attr_int64(self, tensor, attr_name, value)
ge.es.GraphBuilder.set_node_attr_string(self, tensor, attr_name, value)
ge.es.GraphBuilder.set_node_attr_bool(self, tensor, attr_name, value)
ge.es.GraphBuilder.add_control_dependency(self, dst_tensor, src_tensors)
ge.es.GraphBuilder.build_and_reset(self, outputs=None)
ge.es.GraphBuilder._check_usable(self, operation)
ge.es.GraphBuilder._apply_scope_infos_to_node(self, tensor)
ge.es.GraphBuilder._apply_attrs_to_node(self, tensor)
ge.es.GraphBuilder._apply_control_dependencies_to_node(self, tensor)
ge.es.TensorHolder.name
ge.es.TensorHolder.set_data_type(self, data_type)
ge.es.TensorHolder.set_format(self, format)
ge.es.TensorHolder.set_shape(self, shape)
ge.es.TensorHolder.add(self, other)
ge.es.TensorHolder.sub(self, other)
ge.es.TensorHolder.mul(self, other)
ge.es.TensorHolder.div(self, other)
ge.es.TensorHolder.__add__(self, other)
ge.es.TensorHolder.__radd__(self, other)
ge.es.TensorHolder.__sub__(self, other)
ge.es.TensorHolder.__rsub__(self, other)
ge.es.TensorHolder.__mul__(self, other)
ge.es.TensorHolder.__rmul__(self, other)
ge.es.TensorHolder.__truediv__(self, other)
ge.es.TensorHolder.__rtruediv__(self, other)
ge.es.TensorHolder.get_owner_builder(self)
ge.es.TensorHolder._get_node_snapshot(self)
ge.es.TensorHolder._create_from(handle, owner_builder)
ge.es.graph_builder.attr_scope(attr_maps)
ge.es.graph_builder.control_dependency_scope(tensors)
ge.es.tensor_like.convert_to_tensor_holder(value, owner_builder)
ge.es.tensor_like.resolve_builder(*values)
ge.es.tensor_like._flatten_and_infer_shape(value)
ge.es.tensor_like._unflatten(value, shape)
ge.es.list_plugins()
ge.es.get_plugin(plugin_name)
ge.es._plugin_loader._iter_plugin_entry_points()
ge.es._plugin_loader._coerce_to_module(obj, plugin_name)
ge.es._plugin_loader.load_all_plugins()
ge.es._plugin_loader.debug_print(level, message, *args)
ge.session.Session(options=None)
ge.session.Session.add_graph(self, graph_id, add_graph, options=None)
ge.session.Session.remove_graph(self, graph_id)
ge.session.Session.run_graph(self, graph_id, inputs)
ge.session.Session.run_graph_with_stream_async(self, graph_id, stream, inputs)
ge.session.Session.register_external_allocator(self, stream, allocator)
ge.session.Session.unregister_external_allocator(self, stream)
ge.session.Session._ensure_default_allocator(self, stream)
ge.session.Session._unregister_default_allocators(self)
ge.allocator.MemBlock(addr, size)
ge.allocator.MemBlock.addr
ge.allocator.MemBlock.size
ge.allocator.Allocator.malloc(self, size)
ge.allocator.Allocator.free(self, block)
ge._capi._lib_loader.load_lib_from_path(lib_name, lib_dir, mode=None)
ge._capi.pyes_graph_builder_wrapper.get_generated_lib(lib_name=None)
ge._capi.pyes_graph_builder_wrapper.is_generated_lib_available()
ge._capi.pyes_graph_builder_wrapper.get_loaded_lib_names()
ge._capi.pyes_graph_builder_wrapper.clear_lib_cache()
ge._capi.pyes_graph_builder_wrapper._configure_generated_lib(lib)
ge._capi.pygeapi_wrapper.get_geapi_lib()
ge._capi.pygeapi_wrapper.is_geapi_lib_loaded()
ge._capi.pysession_wrapper.get_session_lib()
ge._capi.pysession_wrapper.is_session_lib_loaded()
ge._capi.pytensor_runtime_wrapper.get_tensor_runtime_lib()
ge._capi.pytensor_runtime_wrapper.is_tensor_runtime_lib_loaded()
ge._capi._allocator_callback_adapter.create_allocator_c_callbacks(allocator)
ge._capi._allocator_callback_adapter.rollback_allocator_c_callbacks(key)
ge._capi._allocator_callback_adapter._on_allocator_destroy(key)
"""  # noqa: E501

# What else modules offer: constants, classes, objects that tests of GE replace.
NAMES = """
ge.error: GeError get_ge_error_msg raise_ge_error
ge.ge_global: GeApi
ge.ge_global.geapi: GeApi
ge.session: GeError Session
ge.session.session: Session Graph Tensor Allocator session_lib create_allocator_c_callbacks rollback_allocator_c_callbacks _stream_to_default_allocator_owner _default_allocator_lock
ge.allocator: Allocator MemBlock
ge.allocator.allocator: Allocator MemBlock
ge.graph: Graph Node Operator DataType Format Placement Shape Tensor TensorDesc DumpFormat
ge.graph.graph: Graph DumpFormat
ge.graph.node: Node
ge.graph.operator: Operator create_operator graph_lib
ge.graph.tensor: Tensor
ge.graph.tensor_desc: Shape TensorDesc UNKNOWN_DIM UNKNOWN_DIM_NUM UNKNOWN_DIM_SIZE
ge.graph.types: DataType Format Placement AttrValueType
ge.es: GraphBuilder TensorHolder InputType list_plugins get_plugin
ge.es.graph_builder: GraphBuilder TensorHolder InputType attr_scope control_dependency_scope _local slot_name_custom_node_attrs slot_name_control_dependency_nodes
ge.es.tensor_holder: TensorHolder
ge.es.tensor_like: Number TensorLike convert_to_tensor_holder resolve_builder
ge.es._plugin_loader: LOG_LEVEL_INFO LOG_LEVEL_WARNING LOG_LEVEL_ERROR entry_points debug_print
ge._capi.pyes_graph_builder_wrapper: esb_lib EsCTensorHolder EsCTensorHolderPtr EsCGraphBuilder EsCGraphBuilderPtr EsCTensor EsCTensorPtr EsCGraph _lib_cache _configured_lib_ids _default_lib _default_lib_available _dir BASE_LIB_NAME DEFAULT_GENERATED_LIB_NAME MATH_LIB_NAME
ge._capi.pygraph_wrapper: graph_lib
ge._capi.pygeapi_wrapper: geapi_lib
ge._capi.pysession_wrapper: session_lib c_func_t_malloc c_func_t_free c_func_t_get_addr c_func_t_on_destroy
ge._capi.pytensor_runtime_wrapper: tensor_runtime_lib
ge._capi._allocator_callback_adapter: _prevent_gc
"""  # noqa: E501

# Sections of GE's Python interface whose modules are not part of this list yet; docs/limits.md says so.
EXCLUDED = {
    "10": ["ge.offline_compile", "ge._capi.pyoffline_compile_wrapper"],
    "11": ["ge.utils", "ge.pyatc", "ge._capi.pypyatc_wrapper", "ge._capi.pyge_utils_wrapper"],
    "12, 13": ["ge.passes"],
    "14": ["ge.custom_op"],
    "15": ["ge.runtime"],
    "16": ["ge.onnx_plugin"],
    "17": ["ge._internal"],
}

# Operators of public programs: what they pass by position, then what they may pass by keyword only.
OPERATORS = """
Add(x1, x2)
RealDiv(x1, x2)
BatchMatMul(x1, x2, *)
MatMul(x1, x2, bias=None, *, transpose_x1, transpose_x2)
BatchMatMulV2(x1, x2, bias=None, offset_w=None, *)
GEMM(a, b, c, alpha, beta, *, transpose_a, transpose_b)
Relu(x)
Sigmoid(x)
Identity(x)
TensorMove(x)
ZerosLike(x)
Round(x)
LogicalNot(x)
Shape(x)
Cast(x, *, dst_type)
Reshape(x, shape)
Transpose(x, perm)
ReduceSum(x, axes)
BroadcastTo(x, shape)
Fill(dims, value)
Unsqueeze(x, *, axes)
GatherV2(x, indices, axis)
GatherElements(x, index, *, dim)
ScatterElements(data, indices, updates, *)
MaskedFill(x, mask, value)
Split(split_dim, x, y_num, *, num_split)
SplitV(x, size_splits, split_dim, y_num, *, num_split)
ConcatV2(x, concat_dim, *, N)
Concat(concat_dim, x, *, N)
Conv2D(x, filter, bias, offset_w, *, strides, pads, dilations, groups, data_format)
BatchNorm(x, scale, offset, mean, variance, *, epsilon, data_format, is_training)
TopKV2(x, k, *, sorted)
DynamicQuant(x, smooth_scales=None, group_index=None, *, dst_type)
MoeGatingTopKSoftmax(x, finished, *, k)
GroupedMatmulFinalizeRouting(x, w, scale, bias, pertoken_scale, group_list, shared_input, logit, row_index, offset, *, dtype, shared_input_weight, output_bs)
PromptFlashAttention(query, key, value, pse_shift, atten_mask, actual_seq_lengths, actual_seq_lengths_kv, deq_scale1, quant_scale1, deq_scale2, quant_scale2, quant_offset2, *, num_heads, scale_value, pre_tokens, next_tokens, input_layout, num_key_value_heads, sparse_mode, inner_precise)
AddRmsNorm(x1, x2, gamma, *)
HcomAllReduce(x, *, reduction, group)
HcomAllGather(x, *, rank_size, group, fusion, fusion_id)
HcomReduceScatter(x, *, reduction, group, rank_size, fusion, fusion_id)
If(cond, input, output_num, then_branch, else_branch)
While(input, output_num, cond, body, *, parallel_iterations=10)
Const(owner_graph_builder, *, value)
"""  # noqa: E501

RESULTS = {
    "BatchNorm": ["y"],
    "TopKV2": ["values", "indices"],
    "DynamicQuant": ["y", "scale"],
    "MoeGatingTopKSoftmax": ["y", "expert_idx", "row_idx"],
}


def resolve(path):
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for name in parts[count:]:
            found = inspect.getattr_static(found, name) if inspect.isclass(found) else getattr(found, name)
        return found
    raise AssertionError(f"{path} does not exist")


def text(parameters):
    """Parameters without annotations; enumeration members by name."""

    def default(value):
        return f"{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)

    pieces, star = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not star:
            pieces.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        pieces.append(prefix + p.name + ("" if p.default is p.empty else f"={default(p.default)}"))
    return ", ".join(pieces)


@pytest.mark.parametrize("line", SURFACE.strip().splitlines(), ids=lambda line: line.split("(")[0])
def test_surface(line):
    path, call, want = line.partition("(")
    found = resolve(path)
    if not call:
        assert isinstance(found, property) and found.fset is None
        return
    want = want[:-1]
    if inspect.isclass(found):
        parameters = list(inspect.signature(found.__init__).parameters.values())[1:]
        if found.__init__ is object.__init__:
            parameters = []
        if path == "ge.error.GeError":
            parameters = [p for p in parameters if p.name != "code"]  # ours; after all of theirs
    else:
        if isinstance(found, (classmethod, staticmethod)):
            found = found.__get__(None, resolve(path.rpartition(".")[0]))
        parameters = list(inspect.signature(inspect.unwrap(found)).parameters.values())
    assert text(parameters) == want


@pytest.mark.parametrize("line", NAMES.strip().splitlines(), ids=lambda line: line.split(":")[0])
def test_names(line):
    module, _, names = line.partition(": ")
    found = importlib.import_module(module)
    assert [n for n in names.split() if not hasattr(found, n)] == []
    public = getattr(found, "__all__", names.split())
    assert [n for n in names.split() if n[0] != "_" and n not in public and n not in dir(found)] == []


def test_what_is_not_there_is_said():
    import pathlib

    limits = (pathlib.Path(__file__).parents[2] / "docs" / "limits.md").read_text()
    for section, modules in EXCLUDED.items():
        for module in modules:
            try:
                importlib.import_module(module)
            except ImportError:
                assert f"`{module}`" in limits, f"section {section}: {module}"


@pytest.mark.parametrize("line", OPERATORS.strip().splitlines(), ids=lambda line: line.split("(")[0])
def test_operator(line):
    import ge.es.all

    name, _, rest = line[:-1].partition("(")
    positional, _, keywords = rest.partition("*")
    positional = [p.strip() for p in positional.split(",") if p.strip()]
    keywords = [p.strip() for p in keywords.split(",") if p.strip()]
    parameters = inspect.signature(getattr(ge.es.all, name)).parameters
    by_position = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert by_position == [p.partition("=")[0] for p in positional]
    for p in positional + keywords:
        wanted, _, default = p.partition("=")
        if default:
            assert repr(parameters[wanted].default) == default
    for keyword in keywords:
        assert parameters[keyword.partition("=")[0]].kind is inspect.Parameter.KEYWORD_ONLY
    passed = [k.partition("=")[0] for k in keywords]
    others = [p for p in parameters.values() if p.kind is p.KEYWORD_ONLY and p.name not in passed]
    assert all(p.default is not p.empty for p in others), "public programs do not pass these"


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_names(name):
    import ge.es.all

    members = inspect.signature(getattr(ge.es.all, f"{name}Output")).parameters
    assert [m for m in members if m in RESULTS[name]] == RESULTS[name]


@pytest.mark.parametrize("module, names", [
    ("math", "Add GEMM MatMul ConcatV2 Concat Split Identity TensorMove"),
    ("nn", "Relu Conv2D BatchMatMulV2"),
    ("all", "Add Relu Sigmoid If Split ConcatV2 BatchNorm Conv2D MatMul GEMM BatchMatMulV2"),
])  # fmt: skip
def test_modules_hold_operators(module, names):
    """Programs fall back from math and nn to all when an import fails; both ways lead to the same function."""
    import ge.es.all

    package = importlib.import_module(f"ge.es.{module}")
    assert importlib.import_module(f"es_{module}") is package
    for name in names.split():
        assert getattr(package, name) is getattr(ge.es.all, name)


@pytest.mark.parametrize("module, name", [("math", "Add"), ("nn", "Conv2D"), ("all", "Add"), ("all", "BatchNorm")])
def test_one_file_per_operator(module, name):
    file = importlib.import_module(f"ge.es.{module}.es_{name}")
    assert file is importlib.import_module(f"es_{module}.es_{name}")
    assert file.__name__ == file.__spec__.name == f"es_{module}.es_{name}"
    assert getattr(file, name) is getattr(importlib.import_module("ge.es.all"), name)
    aggregate = importlib.import_module(f"ge.es.{module}.es_{module}_ops")
    assert getattr(aggregate, name) is getattr(file, name) and file.esb_generated_lib is not None
    if name == "BatchNorm":
        assert file.CBatchNormOutput._fields_[0][0] == "y" and file.BatchNormOutput is aggregate.BatchNormOutput
    with pytest.raises(ImportError):
        importlib.import_module(f"ge.es.{module}.es_NoSuch")


HELPERS = """
ctypes os List Optional Union GraphBuilder TensorHolder TensorLike convert_to_tensor_holder resolve_builder DataType
Format Graph Tensor get_generated_lib esb_generated_lib
""".split()


@pytest.mark.parametrize(
    "module", ["ge.es.all", "ge.es.math", "ge.es.nn", "es_all.es_Add", "ge.es.math.es_Add", "es_nn.es_nn_ops"]
)
def test_a_star_import_brings_helpers(module):
    import ge.es._generated_support as support

    names = {}
    exec(f"from {module} import *", names)
    assert [n for n in HELPERS if n not in names] == [] and "get_module" not in names
    assert all(names[n] is getattr(support, n) for n in HELPERS[:-1])
    assert callable(names["Relu" if "nn" in module else "Add"])


def test_private_operators_are_not_star_imported():
    import ge.es.all

    assert "_ParallelConcatStart" in dir(ge.es.all) and callable(ge.es.all._ParallelConcatStart)
    assert [n for n in ge.es.all.__all__ if n[0] == "_"] == []


def test_a_missing_module_or_operator_is_an_import_error():
    for line in ("from ge.es.custom import AddCustom", "from ge.es.math import NoSuchOperator", "import ge.es.nosuch"):
        with pytest.raises(ImportError):
            exec(line, {})


def test_enumerations():
    assert [m.value for m in Placement] == [0, 1] and issubclass(DataType, enum.IntEnum) and issubclass(Format, enum.IntEnum)
    from ge.es.graph_builder import InputType
    from ge.graph import DumpFormat

    assert {m.name: m.value for m in InputType} == {
        "DATA": "Data", "REF_DATA": "RefData", "AIPP_DATA": "AippData", "ANY_DATA": "AnyData"
    }  # fmt: skip
    assert {m.name: m.value for m in DumpFormat} == {"kOnnx": 0, "kTxt": 1, "kReadable": 2}
    assert not issubclass(DumpFormat, int)
