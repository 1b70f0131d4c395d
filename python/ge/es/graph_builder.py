"""GraphBuilder: builds a graph node by node, and the scopes that mark what is built inside them."""

import threading
from contextlib import contextmanager
from enum import Enum

from ge._native import NULL, c_text, failed, ffi, lib
from ge.graph._nocopy import NoCopy
from ge.graph._plain import check_int, check_shape, int_list, is_int_list, is_plain_int_list, plain_int
from ge.graph.graph import Graph
from ge.graph.types import DataType, Format

from .tensor_holder import TensorHolder


class InputType(Enum):
    """Operator type of a graph input."""

    DATA = "Data"
    REF_DATA = "RefData"
    AIPP_DATA = "AippData"
    ANY_DATA = "AnyData"


_new = object.__new__
_local = threading.local()
slot_name_custom_node_attrs = "custom_node_attrs"
slot_name_control_dependency_nodes = "control_dependency_nodes"
scope_count = [0]  # open scopes of all threads: most nodes are made while there is none
_scope_lock = threading.Lock()


@contextmanager
def _scope(slot, merged):
    before = getattr(_local, slot, None)
    setattr(_local, slot, merged)
    with _scope_lock:
        scope_count[0] += 1
    try:
        yield
    finally:
        with _scope_lock:
            scope_count[0] -= 1
        setattr(_local, slot, before)


@contextmanager
def attr_scope(attr_maps: dict):
    """Every node made inside gets these attributes; inner scopes add to outer ones and win over them."""
    merged = {**(getattr(_local, slot_name_custom_node_attrs, None) or {}), **attr_maps}
    with _scope(slot_name_custom_node_attrs, merged):
        yield


@contextmanager
def control_dependency_scope(tensors: list):
    """Every node made inside runs after the producers of these tensors."""
    merged = (getattr(_local, slot_name_control_dependency_nodes, None) or []) + tensors
    with _scope(slot_name_control_dependency_nodes, merged):
        yield


class GraphBuilder(NoCopy):
    """Builds one graph. After build_and_reset it is spent."""

    def __init__(self, name=None):
        if name is not None and not isinstance(name, str):
            raise TypeError("Graph name must be a string")
        self._name = name or "graph"
        self._is_built = False
        self._pending = []  # graphs and tensors on their way to the builder, see _generated_support
        handle = lib.EsCreateGraphBuilder(c_text(self._name))
        if not handle:
            raise failed("Failed to create graph builder")
        self._handle = ffi.gc(handle, lib.EsDestroyGraphBuilder)

    @property
    def name(self) -> str:
        """Name of the graph that is built."""
        return self._name

    def __repr__(self):
        return f"<GraphBuilder {self._name!r}{', built' if self._is_built else ''}>"

    def _check_usable(self, operation):
        if self._is_built:
            raise RuntimeError(
                f"Cannot {operation}: GraphBuilder has already been built. Create a new GraphBuilder to build another graph."
            )

    def _require_own(self, tensor, operation):
        other = tensor._builder
        if other is not self:
            raise ValueError(f"Cannot {operation}: tensors from different GraphBuilders ('{self.name}' vs '{other.name}')")

    def _made(self, handle, message):
        """The holder of a new node, with the open scopes applied."""
        if not handle:
            raise failed(message)
        tensor = _new(TensorHolder)
        tensor._handle = handle
        tensor._builder = self
        return self._apply_scope_infos_to_node(tensor) if scope_count[0] else tensor

    # ---- scopes ----

    def _apply_scope_infos_to_node(self, tensor):
        self._apply_attrs_to_node(tensor)
        self._apply_control_dependencies_to_node(tensor)
        return tensor

    def _apply_attrs_to_node(self, tensor):
        attrs = getattr(_local, slot_name_custom_node_attrs, None)
        if attrs:
            node = tensor._get_node_snapshot()
            for key, value in attrs.items():
                node.set_attr(key, value)

    def _apply_control_dependencies_to_node(self, tensor):
        sources = getattr(_local, slot_name_control_dependency_nodes, None)
        if sources:
            self.add_control_dependency(tensor, sources)

    # ---- inputs ----

    def create_input(
        self,
        index,
        *,
        name=None,
        type_str=InputType.DATA,
        data_type=DataType.DT_FLOAT,
        format=Format.FORMAT_ND,
        shape=None,
    ) -> TensorHolder:
        """A graph input; -1 stands for a dimension that is not known yet."""
        self._check_usable("create input")
        if not isinstance(index, int):
            index = plain_int(index)
            if not isinstance(index, int):
                raise TypeError("Input index must be an integer")
        shape = int_list(shape)
        if shape is not None and not is_int_list(shape):
            raise TypeError("Shape must be a list of integers")
        index = check_int(index, "create_input: index")
        check_shape(shape or (), "create_input")
        handle = lib.EsCreateGraphInputWithDetails(
            self._handle,
            index,
            c_text(name or f"input_{index}"),
            type_str.value.encode(),
            data_type.value,
            format.value,
            shape or NULL,
            len(shape or ()),
        )
        return self._made(handle, "Failed to create input")

    def create_inputs(self, num, start_index=0):
        """`num` inputs with consecutive indexes."""
        self._check_usable("create inputs")
        if not isinstance(num, int) or num <= 0:
            raise TypeError("Number of inputs must be a positive integer")
        if not isinstance(start_index, int) or start_index < 0:
            raise TypeError("Start index must be a non-negative integer")
        return [self.create_input(i) for i in range(start_index, start_index + num)]

    def create_variable(self, index, name) -> TensorHolder:
        """A variable: a value that a session keeps from run to run, by its name."""
        self._check_usable("create variable")
        if not isinstance(index, int):
            raise TypeError("Index must be an integer")
        if not isinstance(name, str):
            raise TypeError("Name must be a string")
        check_int(index, "create_variable: index")
        return self._made(lib.EsCreateVariable(self._handle, index, c_text(name)), "Failed to create variable")

    # ---- constants ----

    def create_const_int64(self, value, shape=None) -> TensorHolder:
        """A constant of 64-bit integers: a number, a list (one dimension unless a shape is given) or a NumPy array."""
        return self._int_const(value, shape, "int64", lib.EsCreateConstInt64)

    def create_const_int32(self, value, shape=None) -> TensorHolder:
        """The same of 32-bit integers."""
        return self._int_const(value, shape, "int32", lib.EsCreateConstInt32)

    def create_const_uint64(self, value, shape=None) -> TensorHolder:
        """The same of unsigned 64-bit integers."""
        return self._int_const(value, shape, "uint64", lib.EsCreateConstUInt64)

    def create_const_uint32(self, value, shape=None) -> TensorHolder:
        """The same of unsigned 32-bit integers."""
        return self._int_const(value, shape, "uint32", lib.EsCreateConstUInt32)

    def create_const_float(self, value, shape=None) -> TensorHolder:
        """The same of 32-bit floating point."""
        self._check_usable("create constant")
        value, shape = _plain(value, shape)
        if not isinstance(value, (int, float)) and not _is_number_list(value):
            raise TypeError("Value must be a float or list of floats")
        return self._const(value, shape, "float", lib.EsCreateConstFloat)

    def _int_const(self, value, shape, kind, create):
        self._check_usable("create constant")
        if is_plain_int_list(value):
            if shape is None and kind == "int64":
                return self._vector_int64(value)
        else:
            value, shape = _plain(value, shape)
            if not isinstance(value, int) and not is_int_list(value):
                raise TypeError("Value must be an integer or list of integers")
        return self._const(value, shape, kind, create)

    def _const(self, value, shape, kind, create):
        if isinstance(value, list):
            values, dims = value, [len(value)] if shape is None else int_list(shape)
        else:
            values, dims = [value], int_list(shape) or []
        if not is_int_list(dims):
            raise TypeError("Shape must be a list of integers")
        if not dims and len(values) == 1:
            return getattr(self, f"create_scalar_{kind}")(values[0])
        count = 1
        for dim in dims:
            count *= dim
        if count != len(values):
            raise ValueError(f"Value count ({len(values)}) doesn't match shape {dims} (expected {count} elements)")
        check_shape(dims, "create constant")
        if kind[0] == "u":
            mask = 2 ** int(kind[4:]) - 1
            values = [v & mask for v in values]
        try:
            array = ffi.new(_C_ARRAYS[kind], values or 1)  # a place to point to, also for no values
        except OverflowError:
            raise _beyond(values, kind) from None
        return self._made(create(self._handle, array, dims or NULL, len(dims)), f"Failed to create {kind} constant")

    def create_vector_int64(self, value) -> TensorHolder:
        """A constant of one dimension from a list of integers: a shape, axes, a permutation."""
        self._check_usable("create vector")
        if not is_plain_int_list(value):
            value = int_list(value)
            if not is_int_list(value):
                raise TypeError("Value must be a list of integers")
        return self._vector_int64(value)

    def _vector_int64(self, value):
        try:
            handle = lib.EsCreateVectorInt64(self._handle, value or ffi.new("int64_t[1]"), len(value))
        except OverflowError:
            raise _beyond(value, "int64") from None
        return self._made(handle, "Failed to create int64 vector")

    def create_scalar_int64(self, value) -> TensorHolder:
        """A constant without dimensions, a 64-bit integer."""
        if self._is_built:
            self._check_usable("create scalar")
        if value.__class__ is not int:
            value = _integer(value)
        try:
            handle = lib.EsCreateScalarInt64(self._handle, value)
        except OverflowError:
            raise _beyond([value], "int64") from None
        return self._made(handle, "Failed to create int64 scalar")

    def create_scalar_int32(self, value) -> TensorHolder:
        """A constant without dimensions, a 32-bit integer."""
        if self._is_built:
            self._check_usable("create scalar")
        if value.__class__ is not int:
            value = _integer(value)
        try:
            handle = lib.EsCreateScalarInt32(self._handle, value)
        except OverflowError:
            raise _beyond([value], "int32") from None
        return self._made(handle, "Failed to create int32 scalar")

    def create_scalar_float(self, value) -> TensorHolder:
        """A constant without dimensions, 32-bit floating point."""
        self._check_usable("create scalar")
        if not isinstance(value, (int, float)):
            value = plain_int(value)
            if not isinstance(value, (int, float)):
                raise TypeError("Value must be a number")
        try:
            handle = lib.EsCreateScalarFloat(self._handle, value)
        except OverflowError:
            raise _beyond([value], "float") from None
        return self._made(handle, "Failed to create float scalar")

    def create_scalar_uint64(self, value) -> TensorHolder:
        """A constant without dimensions, an unsigned 64-bit integer."""
        if self._is_built:
            self._check_usable("create scalar")
        if value.__class__ is not int:
            value = _integer(value)
        if value < 0:
            raise ValueError("Value must be non-negative for uint64")
        try:
            handle = lib.EsCreateScalarUInt64(self._handle, value)
        except OverflowError:
            raise _beyond([value], "uint64") from None
        return self._made(handle, "Failed to create uint64 scalar")

    def create_scalar_uint32(self, value) -> TensorHolder:
        """A constant without dimensions, an unsigned 32-bit integer."""
        if self._is_built:
            self._check_usable("create scalar")
        if value.__class__ is not int:
            value = _integer(value)
        if not 0 <= value < 2**32:
            raise ValueError("Value must be in range [0, 2^32-1] for uint32")
        return self._made(lib.EsCreateScalarUInt32(self._handle, value), "Failed to create uint32 scalar")

    # ---- outputs, attributes, edges ----

    def set_graph_output(self, tensor, output_index) -> None:
        """Makes a tensor graph output number `output_index`."""
        self._check_usable("set graph output")
        _require_tensor(tensor, "Tensor must be a TensorHolder")
        if not isinstance(output_index, int):
            raise TypeError("Output index must be an integer")
        check_int(output_index, "set_graph_output: output_index")
        self._require_own(tensor, "set graph output")
        if lib.EsSetGraphOutput(tensor._handle, output_index) != 0:
            raise failed(f"Failed to set graph output for graph {self._name} output index {output_index}")

    def set_graph_attr_int64(self, attr_name, value) -> None:
        """Sets an attribute of the graph to an integer."""
        self._graph_attr(attr_name, value, int, lib.EsSetInt64AttrForGraph)

    def set_graph_attr_string(self, attr_name, value) -> None:
        """Sets an attribute of the graph to a text."""
        self._graph_attr(attr_name, value, str, lib.EsSetStringAttrForGraph)

    def set_graph_attr_bool(self, attr_name, value) -> None:
        """Sets an attribute of the graph to a truth value."""
        self._graph_attr(attr_name, value, bool, lib.EsSetBoolAttrForGraph)

    def set_tensor_attr_int64(self, tensor, attr_name, value) -> None:
        """Sets an attribute of a tensor, which is an output of a node, to an integer."""
        self._tensor_attr(tensor, attr_name, value, int, lib.EsSetInt64AttrForTensor, "tensor")

    def set_tensor_attr_string(self, tensor, attr_name, value) -> None:
        """Sets an attribute of a tensor to a text."""
        self._tensor_attr(tensor, attr_name, value, str, lib.EsSetStringAttrForTensor, "tensor")

    def set_tensor_attr_bool(self, tensor, attr_name, value) -> None:
        """Sets an attribute of a tensor to a truth value."""
        self._tensor_attr(tensor, attr_name, value, bool, lib.EsSetBoolAttrForTensor, "tensor")

    def set_node_attr_int64(self, tensor, attr_name, value) -> None:
        """Sets an attribute of the node that makes a tensor to an integer."""
        self._tensor_attr(tensor, attr_name, value, int, lib.EsSetInt64AttrForNode, "node")

    def set_node_attr_string(self, tensor, attr_name, value) -> None:
        """Sets an attribute of the node that makes a tensor to a text."""
        self._tensor_attr(tensor, attr_name, value, str, lib.EsSetStringAttrForNode, "node")

    def set_node_attr_bool(self, tensor, attr_name, value) -> None:
        """Sets an attribute of the node that makes a tensor to a truth value."""
        self._tensor_attr(tensor, attr_name, value, bool, lib.EsSetBoolAttrForNode, "node")

    def _graph_attr(self, name, value, kind, set_):
        self._check_usable("set graph attribute")
        if set_(self._handle, *_attr_args(name, value, kind)) != 0:
            raise failed(f"Failed to set graph attribute {name} for graph {self._name}")

    def _tensor_attr(self, tensor, name, value, kind, set_, target):
        self._check_usable(f"set {target} attribute")
        _require_tensor(tensor, "Tensor must be a TensorHolder")
        self._require_own(tensor, f"set {target} attribute")
        if set_(tensor._handle, *_attr_args(name, value, kind)) != 0:
            raise failed(f"Failed to set {target} attribute {name} for {target} {tensor.name}")

    def add_control_dependency(self, dst_tensor, src_tensors) -> None:
        """The producer of dst_tensor runs after the producers of src_tensors."""
        self._check_usable("add control dependency")
        _require_tensor(dst_tensor, "dst_tensor must be a TensorHolder")
        if not isinstance(src_tensors, list):
            raise TypeError("src_tensors must be a list")
        for tensor in src_tensors:
            _require_tensor(tensor, "src_tensors must be a list of TensorHolder")
        sources = [tensor._handle for tensor in src_tensors]
        if lib.EsAddControlEdge(dst_tensor._handle, sources, len(sources)) != 0:
            raise failed(f"Failed to add control dependency for nodes in graph {self._name}")

    # ---- build ----

    def build_and_reset(self, outputs=None) -> Graph:
        """Finishes the graph. `outputs`, when given, become the graph's outputs in that order."""
        self._check_usable("build_and_reset")
        if outputs is not None:
            if not isinstance(outputs, list):
                raise TypeError("Outputs must be a list")
            if not all(isinstance(t, TensorHolder) for t in outputs):
                raise TypeError("All outputs must be TensorHolder objects")
            for tensor in outputs:
                self._require_own(tensor, "build_and_reset")
            for i, tensor in enumerate(outputs):
                self.set_graph_output(tensor, i)
        built = lib.EsBuildGraphAndReset(self._handle)
        if not built:
            raise failed("Failed to build graph")
        out = ffi.new("GeGraph **")
        status = lib.GeEsGraphRetainGraph(built, out)
        lib.GeEsGraphDestroy(built)
        if status != 0:
            raise failed("Failed to build graph")
        self._is_built = True
        return Graph._create_from(out[0])


_C_ARRAYS = {
    "int64": "int64_t[]",
    "int32": "int32_t[]",
    "uint64": "uint64_t[]",
    "uint32": "uint32_t[]",
    "float": "float[]",
}
_KIND_TEXT = {int: "Value must be an integer", str: "Value must be a string", bool: "Value must be a boolean"}


def _require_tensor(tensor, message):
    if not isinstance(tensor, TensorHolder):
        raise TypeError(message)


def _attr_args(name, value, kind):
    if not isinstance(name, str):
        raise TypeError("Attribute name must be a string")
    if kind is not str:
        value = plain_int(value)
    if not isinstance(value, kind):
        raise TypeError(_KIND_TEXT[kind])
    if kind is int:
        value = check_int(value, f"Value of attribute '{name}'")
    return c_text(name), c_text(value) if kind is str else value


def _is_number_list(value):
    return isinstance(value, list) and all(isinstance(v, (int, float)) for v in value)


def _integer(value):
    if not isinstance(value, int):
        value = plain_int(value)
        if not isinstance(value, int):
            raise TypeError("Value must be an integer")
    return value


def _plain(value, shape):
    """A NumPy array as a flat list and its shape; NumPy scalars in a list as Python numbers."""
    if isinstance(value, list):
        is_plain = value.__class__ is list and not any(hasattr(v, "dtype") for v in value)
        return value if is_plain else [plain_int(v) for v in value], shape
    if hasattr(value, "dtype"):
        if value.shape == ():
            return value.item(), shape
        return value.reshape(-1).tolist(), list(value.shape) if shape is None else shape
    return value, shape


def _beyond(values, kind):
    """The error for a number that the element type cannot hold."""
    if kind == "float":
        value = next((v for v in values if isinstance(v, int) and abs(v) >= 2**1023), values[0])
        return ValueError(f"Value {str(value)[:40]}… is beyond the range of floating point")
    bits = int(kind.lstrip("uint"))
    low, high = (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    at, value = next(((i, v) for i, v in enumerate(values) if not low <= v <= high), (0, values[0]))
    place = f" (element {at})" if len(values) > 1 else ""
    return ValueError(f"Value {value}{place} does not fit {kind}: expected {low} to {high}")
