"""TensorHolder: one output of one node inside a builder."""

from ge._native import NULL, failed, ffi, lib, operators, text
from ge.graph._plain import check_shape, int_list, is_int_list
from ge.graph.node import Node
from ge.graph.types import DataType, Format

from ._nested import _flatten_and_infer_shape

_new = object.__new__
_ARITHMETIC = {"add": "EsAdd", "sub": "EsSub", "mul": "EsMul", "div": "EsDiv"}


class TensorHolder:
    """A symbolic tensor. It keeps its builder alive; arithmetic adds nodes to the builder's graph."""

    __slots__ = ("_handle", "_builder", "__weakref__")
    __array_ufunc__ = None  # array + holder is one node, not one for each element of the array

    def __init__(self, *args, **kwargs):
        raise RuntimeError("TensorHolder objects should not be created directly")

    @classmethod
    def _create_from(cls, handle, owner_builder):
        """A holder over a native handle of the builder."""
        if handle is None:
            raise ValueError("Tensor handle cannot be None")
        if not handle:
            raise failed("Tensor handle cannot be None", ValueError)
        if owner_builder is None:
            raise ValueError("Owner builder cannot be None")
        self = _new(cls)
        self._handle = handle
        self._builder = owner_builder
        return self

    @property
    def name(self) -> str:
        """Name of the producing node."""
        return text(lib.GeNodeName(self._node()))

    def _node(self):
        producer = lib.EsGetProducer(self._handle)
        out = ffi.new("GeNode **")
        if producer == NULL or lib.GeEsNodeGet(producer, out) != 0:
            raise failed("Failed to get producer node")
        return out[0]

    def _get_node_snapshot(self) -> Node:
        """The producing node; a change through it changes the graph."""
        return Node._create_from(self._node())

    def get_owner_builder(self):
        """The builder in whose graph the tensor is."""
        return self._builder

    def set_data_type(self, data_type) -> "TensorHolder":
        """Describes the tensor as one of this element type; returns it."""
        self._builder._check_usable("set data type")
        if not isinstance(data_type, DataType):
            raise TypeError("Data type must be a DataType enum")
        if lib.EsSetDataType(self._handle, data_type) != 0:
            raise failed("Failed to set data type")
        return self

    def set_format(self, format) -> "TensorHolder":
        """Describes the tensor as one of this layout; returns it."""
        self._builder._check_usable("set format")
        if not isinstance(format, Format):
            raise TypeError("Format must be a Format enum")
        if lib.EsSetFormat(self._handle, format) != 0:
            raise failed("Failed to set format")
        return self

    def set_shape(self, shape) -> "TensorHolder":
        """Describes the tensor as one of these dimensions, -1 where one is not known; returns it."""
        self._builder._check_usable("set shape")
        shape = int_list(shape)
        if not isinstance(shape, list):
            raise TypeError("Shape must be a list of integers")
        if not is_int_list(shape):
            raise TypeError("All shape dimensions must be integers")
        check_shape(shape, "set_shape")
        if lib.EsSetShape(self._handle, shape or NULL, len(shape)) != 0:
            raise failed("Failed to set shape")
        return self

    def add(self, other) -> "TensorHolder":
        """A node that adds a tensor, a number, a list or an array, as `+` does."""
        return _arithmetic("add", self, other)

    def sub(self, other) -> "TensorHolder":
        """A node that subtracts one, as `-` does."""
        return _arithmetic("sub", self, other)

    def mul(self, other) -> "TensorHolder":
        """A node that multiplies by one, as `*` does."""
        return _arithmetic("mul", self, other)

    def div(self, other) -> "TensorHolder":
        """A node that divides by one, as `/` does."""
        return _arithmetic("div", self, other)

    __add__ = __radd__ = add
    __mul__ = __rmul__ = mul
    __sub__ = sub
    __truediv__ = div

    def __rsub__(self, other):
        self._builder._check_usable("sub")
        return _operand("sub", other, self._builder).sub(self)

    def __rtruediv__(self, other):
        self._builder._check_usable("div")
        return _operand("div", other, self._builder).div(self)

    def __deepcopy__(self, memo):
        return TensorHolder._create_from(self._handle, self._builder)  # still an output of the same node

    def __repr__(self):
        return f"<TensorHolder of {self.name!r}, output {lib.GeEsHolderIndex(self._handle)}>"


def _operand(operation, value, builder):
    if value is None:
        raise AttributeError(f"Cannot {operation}: the other operand is None, expected a tensor or numbers")
    return convert_to_tensor_holder(value, builder)


def _arithmetic(operation, a, b):
    builder = a._builder
    builder._check_usable(operation)
    b = _operand(operation, b, builder)
    if b._builder is not builder:
        raise ValueError(
            f"Cannot perform {operation}: tensors from different GraphBuilders ('{builder.name}' vs '{b._builder.name}')"
        )
    function = getattr(operators(), _ARITHMETIC[operation], None)
    if function is None:
        raise RuntimeError(
            "Math operators (Add/Sub/Mul/Div) not available: neither libes_math.so nor libes_all.so could be loaded. "
            "Build or install the operator library."
        )
    handle = function(a._handle, b._handle)
    if not handle:
        raise failed(f"Failed to create {operation} operation")
    return builder._apply_scope_infos_to_node(TensorHolder._create_from(handle, builder))


def convert_to_tensor_holder(value, owner_builder):
    """A number, nested list or NumPy array as a constant of the builder; None and holders unchanged."""
    kind = value.__class__
    if kind is list:
        if set(map(type, value)) == _INTS and not owner_builder._is_built:  # the usual shapes, axes and permutations
            return owner_builder._vector_int64(value)
        return _from_lists(value, owner_builder)
    if value is None or isinstance(value, TensorHolder):
        return value
    if isinstance(value, int):
        return owner_builder.create_scalar_int64(int(value))
    if isinstance(value, float):
        return owner_builder.create_scalar_float(value)
    if isinstance(value, list):
        return _from_lists(value, owner_builder)
    if hasattr(value, "dtype") and hasattr(value, "__array__"):
        return _from_array(value, owner_builder)
    raise TypeError("Value must be TensorHolder or int|float or nested lists of int|float or None")


_INTS = {int}
# Element types that constants have; other integers become 64 bits wide, other numbers float, as Python's do.
_ARRAYS = {"int32": "create_const_int32", "uint32": "create_const_uint32", "uint64": "create_const_uint64"}


def _from_lists(value, builder):
    flat, shape = _flatten_and_infer_shape(value)
    if any(isinstance(v, float) for v in flat):
        return builder.create_const_float(flat, shape)
    return builder.create_const_int64(flat, shape)


def _from_array(value, builder):
    import numpy

    array = numpy.asarray(value)
    if array.dtype.kind in "biu":
        create = getattr(builder, _ARRAYS.get(array.dtype.name, "create_const_int64"))
    elif array.dtype.kind == "f" or array.dtype.name == "bfloat16":
        create = builder.create_const_float
    else:
        raise TypeError(f"Value is a NumPy array of {array.dtype}, expected integers, booleans or floating point")
    return create(array)
