"""GeUtils: shapes of a graph for given inputs, and what the main engine says to a node."""

from ge._native import failed, ffi, last_error, lib
from ge.graph._plain import INT64_MAX, INT64_MIN

_INPUTS = ("Data", "RefData", "AippData", "AnnData", "AnyData")
_ENGINE = b"AIcoreEngine"


def __getattr__(name):
    if name != "ge_utils_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ge._capi.pyge_utils_wrapper import get_ge_utils_lib

    return get_ge_utils_lib()


class GeUtils:
    """Questions about a graph that is not compiled."""

    @staticmethod
    def _normalize_input_shapes(input_shapes):
        """The dimensions of all shapes in one list, and the rank of each."""
        if not isinstance(input_shapes, list) or not all(isinstance(shape, list) for shape in input_shapes):
            raise TypeError("input_shapes must be a list of shape lists")
        dims = [dim for shape in input_shapes for dim in shape]
        if not all(isinstance(dim, int) and not isinstance(dim, bool) for dim in dims):
            raise TypeError("each shape dim must be an integer")
        return dims, [len(shape) for shape in input_shapes]

    @staticmethod
    def infer_shape(graph, input_shapes) -> None:
        """Gives the graph's inputs these shapes, by index, and infers every node; nothing is optimised."""
        dims, ranks = GeUtils._normalize_input_shapes(input_shapes)
        problem = None
        if any(not INT64_MIN <= dim <= INT64_MAX for dim in dims):
            problem = f"a dimension is beyond {INT64_MIN} to {INT64_MAX}"
        descs = ffi.new("GeTensorData[]", max(len(ranks), 1))
        if problem is None:
            problem = _input_descs(graph, descs, len(ranks))
        if problem is not None:
            raise failed("Failed to infer shape", reason=problem)
        values = ffi.new("int64_t[]", dims)
        at = 0
        for i, rank in enumerate(ranks):
            descs[i].rank = descs[i].origin_rank = rank
            descs[i].dims = descs[i].origin_dims = values + at if rank else ffi.NULL
            at += rank
        if lib.GeGraphInfer(graph._live(), descs, len(ranks)) != 0:
            raise failed("Failed to infer shape")

    @staticmethod
    def check_node_support_on_aicore(node):
        """(whether the main compute engine takes the node as its descriptions are now, why not)"""
        op, kept = _described(node._handle)
        status = lib.GeEngineCheck(_ENGINE, op)
        del kept
        if status == 0:
            return True, ""
        if status == lib.GE_UNSUPPORTED:
            return False, last_error()
        raise failed("Failed to check node support on AICore")


def _input_descs(graph, descs, count):
    """Fills the descriptions of the graph's inputs as they are; what is wrong with their indexes, if anything."""
    seen = set()
    for node in graph.get_direct_nodes():
        if node.type not in _INPUTS:
            continue
        try:
            index = node.get_attr("index")
        except (RuntimeError, ValueError):
            return f"input '{node.name}' has no index"
        if not 0 <= index < count:
            return f"input '{node.name}' has index {index}, and there are {count} shapes"
        if index in seen:
            return f"index {index} occurs twice among the inputs"
        seen.add(index)
        if lib.GeNodeGetOutputDesc(node._handle, 0, descs + index) != 0:
            return last_error()
    return None if len(seen) == count else f"the graph has {len(seen)} inputs, and there are {count} shapes"


def _described(node):
    """The node as engines see it, and what the description points to."""
    schema = lib.GeNodeSchema(node)
    if schema == ffi.NULL:
        raise failed("Failed to check node support on AICore", reason="the node is not of a valid graph")
    inputs = ffi.new("GeTensorData[]", max(lib.GeNodeInputCount(node), 1))
    outputs = ffi.new("GeTensorData[]", max(lib.GeNodeOutputCount(node), 1))
    source, port = ffi.new("GeNode **"), ffi.new("int32_t *")
    status = 0
    for i in range(lib.GeNodeInputCount(node)):
        source[0] = ffi.NULL
        lib.GeNodeGetInputSource(node, i, source, port)
        status = status or lib.GeNodeGetInputDesc(node, i, inputs + i)
        if source[0] == ffi.NULL and inputs[i].rank == -1:
            inputs[i].data_type = lib.C_DT_UNDEFINED
    for i in range(lib.GeNodeOutputCount(node)):
        status = status or lib.GeNodeGetOutputDesc(node, i, outputs + i)
    if status != 0:
        raise failed("Failed to check node support on AICore")
    found = {}  # what is set goes before defaults
    attr = ffi.new("GeAttrData *")
    for i in range(lib.GeNodeAttrCount(node)):
        if lib.GeNodeGetAttrAt(node, i, attr) == 0:
            found.setdefault(ffi.string(attr.name), attr[0])
            attr = ffi.new("GeAttrData *")
    for i in range(schema.attr_count):
        if not schema.attrs[i].required:
            found.setdefault(ffi.string(schema.attrs[i].value.name), schema.attrs[i].value)
    attrs = ffi.new("GeAttrData[]", max(len(found), 1))
    for i, name in enumerate(sorted(found)):
        attrs[i] = found[name]
    counts = (
        _counts(node, schema.inputs, schema.input_count, lib.GeNodeGetDynamicInputCount),
        _counts(node, schema.outputs, schema.output_count, lib.GeNodeGetDynamicOutputCount),
    )
    op = ffi.new("GeOpDesc *")
    op.struct_size = ffi.sizeof("GeOpDesc")
    op.type, op.name = lib.GeNodeType(node), lib.GeNodeName(node)
    op.inputs, op.input_count = inputs, lib.GeNodeInputCount(node)
    op.outputs, op.output_count = outputs, lib.GeNodeOutputCount(node)
    op.attrs, op.attr_count = attrs, len(found)
    op.ir_input_counts, op.ir_input_total = counts[0], schema.input_count
    op.ir_output_counts, op.ir_output_total = counts[1], schema.output_count
    return op, (inputs, outputs, attrs, counts, found)


def _counts(node, ports, count, instances):
    """Ports per prototype entry."""
    out = ffi.new("int32_t[]", max(count, 1))
    for i in range(count):
        out[i] = 1
        if ports[i].kind == lib.GE_IR_DYNAMIC:
            instances(node, ports[i].name, out + i)
    return out
