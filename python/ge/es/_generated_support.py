"""What generated operator wrappers share: the native functions and conversions of their arguments."""

import weakref

from ge._native import NULL, failed, ffi, lib
from ge.es.graph_builder import GraphBuilder, scope_count
from ge.es.tensor_holder import TensorHolder
from ge.es.tensor_like import TensorLike, convert_to_tensor_holder, resolve_builder
from ge.graph.graph import Graph
from ge.graph.tensor import Tensor
from ge.graph.types import DataType, Format

__all__ = [
    "NULL",
    "DataType",
    "Format",
    "Graph",
    "GraphBuilder",
    "Tensor",
    "TensorHolder",
    "TensorLike",
    "builder_arg",
    "convert_to_tensor_holder",
    "get_generated_lib",
    "graph_arg",
    "int_rows",
    "resolve_builder",
    "strings",
    "tensor_arg",
    "wrap",
    "wrap_list",
    "wrap_plain",
]

_new = object.__new__
_NO_HANDLE = "Tensor handle cannot be None"


def get_generated_lib(name=None):
    """The functions of a generated library; those of the built-in operators are part of the extension module."""
    if name in (None, "libes_all.so", "libes_math.so", "libes_nn.so") and hasattr(lib, "EsAdd"):
        return lib
    raise RuntimeError(f"Generated library {name or 'libes_all.so'} is not available")


def wrap(handle, builder):
    """The first output of a node as a TensorHolder; scopes are applied to the node."""
    if not handle:
        _refuse(builder)
    tensor = _new(TensorHolder)
    tensor._handle = handle
    tensor._builder = builder
    if builder._pending:
        _settle(builder)
    if scope_count[0]:
        builder._apply_scope_infos_to_node(tensor)
    return tensor


def wrap_plain(handle, builder):
    """A later output of a node."""
    if not handle:
        _refuse(builder)
    tensor = _new(TensorHolder)
    tensor._handle = handle
    tensor._builder = builder
    return tensor


def wrap_list(array, count, expected, builder, scopes):
    """The holders of a dynamic output; the node failed when there are not as many as were asked for."""
    if count != expected or (count and not array):
        _refuse(builder)
    tensors = [wrap_plain(array[i], builder) for i in range(count)]
    if scopes:
        if builder._pending:
            _settle(builder)
        if tensors and scope_count[0]:
            builder._apply_scope_infos_to_node(tensors[0])
    return tensors


def _refuse(builder):
    builder._pending.clear()  # what was not taken over is freed here
    raise failed(_NO_HANDLE, ValueError)


def _settle(builder):
    """The builder has taken over what the call passed: nothing of it is ours any more."""
    for handle in builder._pending:
        ffi.gc(handle, None)
    builder._pending.clear()


def builder_arg(builder):
    return builder._handle


def graph_arg(graph, builder):
    """A subgraph argument: the graph goes over to the builder, the Python object stays readable."""
    graph._transfer_ownership_when_pass_as_subgraph(builder)
    out = ffi.new("EsCGraph **")
    if lib.GeEsGraphWrap(graph._handle, out) != 0:
        raise failed(_NO_HANDLE, ValueError)
    handle = ffi.gc(out[0], lib.GeEsGraphDestroy)
    builder._pending.append(handle)
    return handle


def tensor_arg(tensor, builder):
    """A tensor attribute: the tensor goes over to the builder."""
    tensor._transfer_ownership_when_pass_as_attr(builder)
    out = ffi.new("EsCTensor **")
    if lib.GeEsTensorWrap(tensor._handle, out) != 0:
        raise failed(_NO_HANDLE, ValueError)
    handle = ffi.gc(out[0], lib.GeEsTensorDestroy)
    builder._pending.append(handle)
    return handle


_kept: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # what an array points to lives as long as the array


def strings(values):
    """A list of str or bytes as `const char **`."""
    items = [ffi.new("char[]", v if isinstance(v, bytes) else v.encode()) for v in values]
    array = ffi.new("char *[]", items)
    _kept[array] = items
    return array


def int_rows(values):
    """A list of lists of int as (`const int64_t **`, row lengths)."""
    rows = [ffi.new("int64_t[]", list(row)) for row in values]
    array = ffi.new("int64_t *[]", rows)
    _kept[array] = rows
    return array, [len(row) for row in rows]
