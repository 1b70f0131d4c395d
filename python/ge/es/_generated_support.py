"""What generated operator wrappers share: the native functions and conversions of their arguments."""

import ctypes
import importlib
import os  # noqa: F401 (part of what a star import of an operator module brings)
import re
import weakref
from types import SimpleNamespace
from typing import List, Optional, Union  # noqa: F401

from ge._capi.pyes_graph_builder_wrapper import (
    EsCGraph,
    EsCGraphBuilderPtr,
    EsCTensorHolderPtr,
    EsCTensorPtr,
    get_generated_lib,
)
from ge._native import NULL, c_text, failed, ffi, lib, operators
from ge.es._arguments import described, no_tensor, refusal
from ge.es.graph_builder import GraphBuilder, scope_count
from ge.es.tensor_holder import TensorHolder
from ge.es.tensor_like import TensorLike, convert_to_tensor_holder, resolve_builder
from ge.graph.graph import Graph
from ge.graph.tensor import Tensor
from ge.graph.types import DataType, Format

# Names that a generated module offers besides its operators.
__all__ = [
    "DataType",
    "EsCGraph",
    "EsCGraphBuilderPtr",
    "EsCTensorHolderPtr",
    "EsCTensorPtr",
    "Format",
    "Graph",
    "GraphBuilder",
    "List",
    "Optional",
    "Tensor",
    "TensorHolder",
    "TensorLike",
    "Union",
    "convert_to_tensor_holder",
    "ctypes",
    "get_generated_lib",
    "os",
    "resolve_builder",
]

_new = object.__new__
_NO_HANDLE = "Tensor handle cannot be None"


class GeneratedLibrary:
    """The functions of one generated library: those of an extension module, or in a library of its own."""

    def __init__(self, names):
        self._names = names
        self._native = None
        self._builtin = operators() if names[0] in _BUILT_IN else None
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
            if text in self._PLAIN:
                value = ffi.new(f"{text}[1]", [value])[0]  # refuses what does not fit, where ctypes would cut it
            elif text.endswith("*"):
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


def c_output(name, members):
    """The ctypes form of an output struct."""
    fields = []
    for member, dynamic in members:
        fields.append((member, ctypes.POINTER(EsCTensorHolderPtr) if dynamic else EsCTensorHolderPtr))
        if dynamic:
            fields.append((member + "_num", ctypes.c_int64))
    return type(name, (ctypes.Structure,), {"_fields_": fields, "__doc__": "The output struct of the C function."})


def lazy_names(namespace, package, files):
    """(__getattr__, __dir__) of a module whose names are defined in files of their own, loaded when first asked for."""
    for name in files:  # an operator may have the name of a helper
        namespace.pop(name, None)

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


def names_of(namespace, module, offered):
    """(__getattr__, __dir__) of a module that offers names of another one, and keeps those that were used."""
    known = frozenset(offered)
    for name in known.intersection(__all__):  # an operator may have the name of a helper
        namespace.pop(name, None)

    def load(name):
        if name not in known:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        value = namespace[name] = getattr(module, name)
        return value

    def names():
        return sorted({*namespace, *known})

    return load, names


# ---- results ----


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


def _plain(handle, builder):
    tensor = _new(TensorHolder)
    tensor._handle = handle
    tensor._builder = builder
    return tensor


def wrap_list(array, count, expected, builder, scopes):
    """The holders of a dynamic output; the node failed when there are not as many as were asked for."""
    if count != expected or (count and not array):
        _refuse(builder)
    tensors = []
    for i in range(count):
        tensor = _new(TensorHolder)
        tensor._handle = array[i]
        tensor._builder = builder
        tensors.append(tensor)
    if scopes:
        if builder._pending:
            _settle(builder)
        if tensors and scope_count[0]:
            builder._apply_scope_infos_to_node(tensors[0])
    return tensors


def wrap_outputs(cls, first, native, made, builder):
    """The outputs of a node by name, `first` among them; `made` is false when the node failed."""
    if not made:
        _refuse(builder)
    outputs = _new(cls)
    outputs._es_native = native
    outputs._es_builder = builder
    if builder._pending:
        _settle(builder)
    if scope_count[0]:
        tensor = getattr(outputs, first)
        if isinstance(tensor, list):
            tensor = tensor[0] if tensor else None
        if tensor is not None:
            builder._apply_scope_infos_to_node(tensor)
    return outputs


class _Plain:
    pass


_members_of = _Plain.__dict__["__dict__"].__get__


class outputs(_Plain):
    """Base of the classes of all outputs of an operator. Their holders are made when a program asks for them (most outputs
    of most nodes are never looked at); one that looks at the whole object finds them all, and nothing else."""

    @property
    def __dict__(self):
        members = _members_of(self)
        if "_es_native" in members:
            classes = reversed(type(self).__mro__)
            names = [name for c in classes for name, value in vars(c).items() if value.__class__ is output]
            found = {name: getattr(self, name) for name in names}
            found.update(members)  # what the program has set itself
            del found["_es_native"], found["_es_builder"]
            members.clear()
            members.update(found)  # in the order of the prototype
        return members

    def __getstate__(self):
        return self.__dict__

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


class output:
    """One output in the class of all outputs. The holder takes this object's place in the instance when it is made."""

    __slots__ = ("_member", "_dynamic", "_name")

    def __init__(self, member, dynamic):
        self._member = member
        self._dynamic = dynamic

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, outputs, owner=None):
        if outputs is None:
            return self
        try:
            native, builder = outputs._es_native, outputs._es_builder
        except AttributeError:
            raise AttributeError(f"{type(outputs).__name__!r} object has no attribute {self._name!r}") from None
        value = getattr(native, self._member)
        if self._dynamic:
            value = [_plain(value[i], builder) for i in range(getattr(native, self._member + "_num"))]
        else:
            value = _plain(value, builder)
        setattr(outputs, self._name, value)
        return value


def _refuse(builder):
    take_back(builder)
    raise failed(_NO_HANDLE, ValueError)


# ---- arguments ----


def _settle(builder):
    """The builder has taken over what the call passed: nothing of it is ours any more."""
    for handle, _ in builder._pending:
        ffi.gc(handle, None)
    builder._pending.clear()


def take_back(builder):
    """The call failed: what it passed is the caller's again."""
    pending = getattr(builder, "_pending", None)  # what is no builder was passed nothing
    if pending:
        for _, owned in pending:
            owned._owner = None
            owned._owns_handle = True
        pending.clear()


def refused(builder, operator, error, *arguments):
    """The exception for a call whose arguments C cannot take."""
    take_back(builder)
    return refusal(operator, error, arguments)


def builder_arg(builder):
    try:
        return builder._handle
    except AttributeError:
        raise AttributeError(f"the owner builder is {described(builder)}, expected a GraphBuilder") from None


def graph_arg(graph, builder):
    """A subgraph argument: the graph goes over to the builder, the Python object stays readable."""
    if not hasattr(graph, "_transfer_ownership_when_pass_as_subgraph"):
        raise AttributeError(f"a subgraph of an operator is {described(graph)}, expected a Graph")
    graph._transfer_ownership_when_pass_as_subgraph(builder)
    out = ffi.new("EsCGraph **")
    if lib.GeEsGraphCreate(graph._handle, out) != 0:
        raise failed(_NO_HANDLE, ValueError)
    handle = ffi.gc(out[0], lib.GeEsGraphDestroy)
    builder._pending.append((handle, graph))
    return handle


def tensor_arg(tensor, builder):
    """A tensor attribute: the tensor goes over to the builder."""
    if not hasattr(tensor, "_transfer_ownership_when_pass_as_attr"):
        raise AttributeError(f"a tensor attribute of an operator is {described(tensor)}, expected a Tensor")
    tensor._transfer_ownership_when_pass_as_attr(builder)
    out = ffi.new("EsCTensor **")
    if lib.GeEsTensorCreate(tensor._handle, out) != 0:
        raise failed(_NO_HANDLE, ValueError)
    handle = ffi.gc(out[0], lib.GeEsTensorDestroy)
    builder._pending.append((handle, tensor))
    return handle


_kept: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # what an array points to lives as long as the array


def holder(value, operator, name):
    """An input that takes tensors only."""
    if not hasattr(value, "_handle") or not hasattr(value, "_builder"):
        raise no_tensor(operator, name, value)
    return value


def needed(value, builder, operator, name):
    """A required input: a tensor, or numbers as a constant."""
    if value is None:
        raise no_tensor(operator, name, value, "a tensor or numbers")
    return convert_to_tensor_holder(value, builder)


def first_builder(values, operator, name):
    """The builder of an operator's only input, a dynamic one."""
    try:
        first = values[0]
    except IndexError:
        raise IndexError(f"operator {operator}: input '{name}' is empty, expected at least one tensor") from None
    except TypeError:
        raise TypeError(f"operator {operator}: input '{name}' is {values!r:.80}, expected a list of tensors") from None
    return holder(first, operator, f"{name}[0]")._builder


def items(values):
    """A sequence of numbers that is no list, NumPy arrays included, as a list."""
    if isinstance(values, (str, bytes)):
        raise TypeError("text is no list")
    return values.tolist() if hasattr(values, "tolist") else list(values)


def elements(values):
    """The elements of a dynamic input, for resolve_builder; something for an empty one too."""
    try:
        return list(values) or [None]
    except TypeError:
        raise TypeError(f"a dynamic input of an operator is {described(values)}, expected a list of tensors") from None


def text_arg(value):
    """Text for C."""
    if not isinstance(value, str):
        raise TypeError("no text")
    return c_text(value)


def strings(values):
    """A list of str or bytes as `const char **`."""
    if isinstance(values, (str, bytes)):
        raise TypeError("text is no list of texts")
    texts = [ffi.new("char[]", c_text(v)) for v in values]
    array = ffi.new("char *[]", texts)
    _kept[array] = texts
    return array


def int_rows(values):
    """A list of lists of int as (`const int64_t **`, row lengths)."""
    rows = [ffi.new("int64_t[]", items(row)) for row in values]
    array = ffi.new("int64_t *[]", rows)
    _kept[array] = rows
    return array, [len(row) for row in rows]


def array(kind, values):
    """A C array with these values; enumeration members count as their numbers."""
    return ffi.new(kind, [getattr(v, "value", v) for v in values])


def default(function, name):
    """The default of a keyword-only parameter: the very object that a call without it passes."""
    return function.__kwdefaults__[name]


# Helpers for the files of operators, under names that no parameter has, and the types of annotations for operators that
# have their names.
_names = {
    "_AnyError": Exception,
    "_ArgumentError": (TypeError, ValueError, OverflowError, UnicodeError),
    "_NULL": NULL,
    "_Tensor": Tensor,
    "_TensorHolder": TensorHolder,
    "_array": array,
    "_bind": bind,
    "_builder_arg": builder_arg,
    "_c_output": c_output,
    "_convert": convert_to_tensor_holder,
    "_default": default,
    "_elements": elements,
    "_first_builder": first_builder,
    "_getattr": getattr,
    "_graph_arg": graph_arg,
    "_holder": holder,
    "_int_rows": int_rows,
    "_items": items,
    "_len": len,
    "_list": list,
    "_load_library": load_library,
    "_needed": needed,
    "_output": output,
    "_outputs": outputs,
    "_refused": refused,
    "_resolve": resolve_builder,
    "_strings": strings,
    "_take_back": take_back,
    "_tensor_arg": tensor_arg,
    "_text": text_arg,
    "_wrap": wrap,
    "_wrap_list": wrap_list,
    "_wrap_outputs": wrap_outputs,
    "_es_DataType": DataType,
    "_es_Graph": Graph,
    "_es_GraphBuilder": GraphBuilder,
    "_es_List": List,
    "_es_Optional": Optional,
    "_es_Tensor": Tensor,
    "_es_TensorHolder": TensorHolder,
    "_es_TensorLike": TensorLike,
    "_es_Union": Union,
    "_es_bool": bool,
    "_es_float": float,
    "_es_int": int,
    "_es_str": str,
}
