"""What generated operator wrappers share: the native functions and conversions of their arguments."""

import ctypes
import importlib
import os  # noqa: F401 (part of what a star import of an operator module brings)
import re
import weakref
from types import SimpleNamespace
from typing import List, Optional, Union  # noqa: F401

from ge._native import NULL, failed, ffi, lib
from ge.es.graph_builder import GraphBuilder, scope_count
from ge.es.tensor_holder import TensorHolder
from ge.es.tensor_like import TensorLike, convert_to_tensor_holder, resolve_builder
from ge.graph.graph import Graph
from ge.graph.tensor import Tensor
from ge.graph.types import DataType, Format

# What a generated module offers besides its operators.
__all__ = [
    "DataType",
    "Format",
    "Graph",
    "GraphBuilder",
    "List",
    "Optional",
    "Tensor",
    "TensorHolder",
    "TensorLike",
    "Union",
    "bind",
    "convert_to_tensor_holder",
    "ctypes",
    "get_generated_lib",
    "load_library",
    "os",
    "resolve_builder",
]

_new = object.__new__
_NO_HANDLE = "Tensor handle cannot be None"


class GeneratedLibrary:
    """The functions of one generated library: compiled into the extension module, or in a library of its own."""

    def __init__(self, names):
        self._names = names
        self._native = None
        self._builtin = lib if names[0] in _BUILT_IN and hasattr(lib, "EsAdd") else None
        if self._builtin is None:
            self._open()

    def _open(self):
        """The library itself, found by the dynamic loader; its symbols are visible to what is loaded later."""
        if self._native is None:
            reasons = []
            for name in self._names:
                try:
                    self._native = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
                    break
                except OSError as e:
                    reasons.append(str(e))
            else:
                raise RuntimeError(f"Generated library {self._names[0]} is not available: {'; '.join(reasons)}")
        return self._native

    def __getattr__(self, function):
        if self._builtin is not None and hasattr(self._builtin, function):
            return getattr(self._builtin, function)
        return getattr(self._open(), function)


_BUILT_IN = {f"libes_{module}.so" for module in ("all", "math", "nn", "cv", "transformer")}
_libraries = {}


def get_generated_lib(name=None):
    """The functions of a generated library; those of the built-in operators are part of the extension module."""
    return _library((name or "libes_all.so",))


def _library(names):
    if names[0] not in _libraries:
        _libraries[names[0]] = GeneratedLibrary(names)
    return _libraries[names[0]]


def load_library(module):
    """The library of a generated module: libes_<module>.so, or lib<module>.so."""
    try:
        return _library((f"libes_{module}.so", f"lib{module}.so"))
    except RuntimeError as e:
        raise ImportError(str(e)) from e


def bind(library, name, parameters, result):
    """A generated C function. `parameters` is the C text "(EsCTensorHolder *x, int64_t k)"; `result` is a C type, or for an
    output struct its members as (name, dynamic) pairs."""
    if library._builtin is not None:
        function = getattr(library._builtin, name, None)
        if function is not None:
            return function
    try:
        native = getattr(library._open(), name)
    except (AttributeError, RuntimeError) as e:
        raise ImportError(f"operator function {name} is not available: {e}") from e
    # The names of parameters are no part of a type.
    types = [re.sub(r"\s*\b\w+$", "", text.strip()) for text in parameters.strip("()").split(",")]
    if isinstance(result, str):
        address = ctypes.cast(native, ctypes.c_void_p).value
        return ffi.cast(f"{result}(*)({', '.join(types)})", address)
    return _StructFunction(native, types, result)


class _StructFunction:
    """A function that returns its output struct by value."""

    _PLAIN = {"int64_t": ctypes.c_int64, "float": ctypes.c_float, "bool": ctypes.c_bool, "C_DataType": ctypes.c_int}

    def __init__(self, native, types, members):
        fields = []
        for name, dynamic in members:
            fields.append((name, ctypes.c_void_p))
            if dynamic:
                fields.append((name + "_num", ctypes.c_int64))
        self._types = types
        self._members = members
        self._native = native
        native.restype = type("Output", (ctypes.Structure,), {"_fields_": fields})
        native.argtypes = [self._PLAIN.get(t, ctypes.c_void_p) for t in types]

    def __call__(self, *args):
        kept = []
        plain = []
        for text, value in zip(self._types, args):
            if text.endswith("*"):
                if isinstance(value, (list, bytes)):
                    element = text[:-1].replace("const ", "").strip()
                    value = ffi.new(f"{element}[]", value)
                    kept.append(value)
                value = int(ffi.cast("uintptr_t", value))
            plain.append(value)
        out = self._native(*plain)
        fields = {}
        for name, dynamic in self._members:
            pointer = "EsCTensorHolder **" if dynamic else "EsCTensorHolder *"
            fields[name] = ffi.cast(pointer, getattr(out, name) or 0)
            if dynamic:
                fields[name + "_num"] = getattr(out, name + "_num")
        return SimpleNamespace(**fields)


def lazy_names(namespace, package, files):
    """(__getattr__, __dir__) of a module whose names are defined in files of their own, loaded when first asked for."""

    def load(name):
        file = files.get(name)
        if file is None:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{file}"), name)
        namespace[name] = value
        return value

    def names():
        return sorted({*namespace, *files})

    return load, names


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


# What the bodies of wrappers use, under names that no parameter has.
_names = {
    "_NULL": NULL,
    "_Tensor": Tensor,
    "_TensorHolder": TensorHolder,
    "_builder_arg": builder_arg,
    "_convert": convert_to_tensor_holder,
    "_graph_arg": graph_arg,
    "_int_rows": int_rows,
    "_len": len,
    "_list": list,
    "_resolve": resolve_builder,
    "_strings": strings,
    "_tensor_arg": tensor_arg,
    "_wrap": wrap,
    "_wrap_list": wrap_list,
    "_wrap_plain": wrap_plain,
}
