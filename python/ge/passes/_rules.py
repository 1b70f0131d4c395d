"""Rules of a pattern for its nodes besides their types; each is off until it is asked for."""

from ge._native import failed, ffi, last_error, lib
from ge.es.tensor_holder import TensorHolder
from ge.graph import _attr
from ge.graph._plain import plain_int
from ge.graph.node import Node


def node_and_output(source, index, what):
    """(native node, output) of a tensor that a program names: a TensorHolder, a Node, or anything with `node` and `index`."""
    if index is None and not isinstance(source, (TensorHolder, Node)) and hasattr(source, "node"):
        source, index = source.node, source.index
        if source is None:
            raise RuntimeError("Node handle is empty")
    if isinstance(source, TensorHolder):
        node = source._node()
        index = lib.GeEsHolderIndex(source._handle) if index is None else index
    elif isinstance(source, Node):
        node = source._handle
    else:
        raise TypeError(f"{what} expects a TensorHolder, a Node, or an object with node and index")
    if not node:
        raise RuntimeError("Node handle is empty")
    index = plain_int(0 if index is None else index)
    if not isinstance(index, int):
        raise TypeError(f"{what}: index must be an integer")
    return node, index


def _integers(values, what):
    values = [plain_int(v) for v in values]
    for value in values:
        if not isinstance(value, int) or not -(2**63) <= value < 2**63:
            raise TypeError(f"{what} must be integers, got {value!r}")
    return values


class PatternRules:
    """The rules of a pattern. Nodes are told by a tensor: a TensorHolder of the pattern, a Node, or a NodeIo. All give the
    object back, and raise RuntimeError for what is no part of the pattern."""

    __slots__ = ()

    def set_commutative(self, node):
        """Inputs 0 and 1 match in either order."""
        return self._on("set_commutative", node, lib.GePatternSetCommutative)

    def add_types(self, node, types):
        """The node matches these types besides its own."""
        if isinstance(types, (str, bytes)) or not all(isinstance(t, str) for t in types):
            raise TypeError(f"add_types: types must be a list of strings, got {types!r}")
        texts = [ffi.new("char[]", t.encode()) for t in types]
        return self._on("add_types", node, lib.GePatternAddTypes, ffi.new("char *[]", texts), len(texts), keep=texts)

    def set_optional(self, node, input=0):
        """The node may be missing: who reads it then reads what its input reads."""
        (number,) = _integers([input], "set_optional: input")
        return self._on("set_optional", node, lib.GePatternSetOptional, number)

    def set_dynamic(self, node, more=False):
        """Allows a type with dynamic ports; `more`: with inputs beyond those of the pattern, which become the match's last."""
        return self._on("set_dynamic", node, lib.GePatternSetDynamic, int(bool(more)))

    def add_alternative(self, node, other):
        """The tensor `other` may stand wherever the pattern reads `node`."""
        other, index = node_and_output(other, None, "add_alternative")
        return self._on("add_alternative", node, lib.GePatternAddAlternative, other, index)

    def require_dtypes(self, tensor, types):
        """The tensor has one of these DataTypes."""
        types = _integers(types, "require_dtypes: types")
        return self._at("require_dtypes", tensor, lib.GePatternRequireDtypes, ffi.new("int32_t[]", types), len(types))

    def require_shape(self, tensor, dims):
        """The tensor has this rank and these extents; -1 allows any."""
        dims = _integers(dims, "require_shape: dims")
        return self._at("require_shape", tensor, lib.GePatternRequireShape, ffi.new("int64_t[]", dims), len(dims))

    def require_attr(self, node, name, value):
        """The node has this attribute with this value, or its prototype's default is this value."""
        if not isinstance(name, str):
            raise TypeError(f"require_attr: name must be a string, got {name!r}")
        attr, keep = _attr.encode(name, value)
        return self._on("require_attr", node, lib.GePatternRequireAttr, attr, keep=keep)

    def require_constant(self, tensor, value, tolerance=1e-5):
        """The tensor is a constant, all of whose elements lie within tolerance * max(1, |value|) of the value."""
        return self._on("require_constant", tensor, lib.GePatternRequireConstant, float(value), float(tolerance))

    def _on(self, what, node, function, *arguments, keep=None):
        """A rule of a node."""
        self._say(what, function, (node_and_output(node, None, what)[0], *arguments), keep)
        return self

    def _at(self, what, tensor, function, *arguments):
        """A rule of an output."""
        self._say(what, function, (*node_and_output(tensor, None, what), *arguments), None)
        return self


def apply(handle, what, function, arguments):
    """Says a rule to a native pattern."""
    if function(handle, *arguments) != 0:
        raise failed(f"Pattern.{what}: {last_error()}")
