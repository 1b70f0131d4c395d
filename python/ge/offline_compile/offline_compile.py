"""Models built ahead of time. What is built here loads with ge.load, and with every other way to load an .om file."""

import os
import threading
from dataclasses import dataclass, field

from ge._capi.pyoffline_compile_wrapper import ModelBufferDataPtr  # noqa: F401
from ge._native import c_text, ffi, lib
from ge._options import fill
from ge._plugins import before_compile, end_engine, start_engine
from ge.error import raise_ge_error
from ge.graph._nocopy import NoCopy
from ge.graph.graph import Graph

from ._options import apply_to_graph, checked

_lock = threading.Lock()
_started = None  # the global options between build_initialize and build_finalize


def __getattr__(name):
    if name != "offline_compile_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ge._capi.pyoffline_compile_wrapper import get_offline_compile_lib

    return get_offline_compile_lib()


def _texts(options, name):
    """A copy of a dictionary of texts; None is an empty one."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TypeError(f"{name} must be a dictionary")
    if not all(isinstance(text, str) for item in options.items() for text in item):
        raise TypeError(f"{name} keys and values must be strings")
    return dict(options)


@dataclass
class GraphWithOptions:
    """One member of a bundle."""

    graph: Graph
    build_options: dict = field(default_factory=dict)

    def __post_init__(self):
        if not isinstance(self.graph, Graph):
            raise TypeError("graph must be a Graph")
        self.build_options = _texts(self.build_options, "build_options")


class ModelBuffer(NoCopy):
    """The bytes of a built model. They stay when offline compilation ends."""

    def __init__(self):
        raise RuntimeError("ModelBuffer objects should not be created directly")

    @classmethod
    def _create_from(cls, handle, length=0):
        """Takes memory that the library made."""
        if not handle:
            raise ValueError("Failed to create ModelBuffer")
        self = cls.__new__(cls)
        self._handle = ffi.gc(ffi.cast("void *", handle), lib.GeBytesDestroy, length)
        self._length = length
        return self

    @property
    def length(self) -> int:
        """Bytes."""
        return self._length

    def get_length(self) -> int:
        """Bytes."""
        return self._length

    def __repr__(self):
        return f"<ModelBuffer of {self._length} bytes>"


def build_initialize(global_options=None) -> None:
    """Starts offline compilation. A second call without build_finalize between keeps the first one's options."""
    global _started
    options = _texts(global_options, "global_options")
    with _lock:
        if _started is not None:
            return
        handle, status = fill(options)
        if status == 0:
            status = start_engine("offline", handle)
        if status != 0:
            raise_ge_error("BuildInitialize", status)
        _started = options


def build_finalize() -> None:
    """Ends offline compilation; fine when it was never started. Models that were built stay."""
    global _started
    with _lock:
        if _started is not None:
            end_engine("offline")
            _started = None


def _built(api_name, graph, build_options, **context):
    with _lock:
        started = _started
    if started is None:
        lib.GeSetLastError(lib.GE_BAD_STATE, b"E10062: build_initialize was not called, or build_finalize was since")
        raise_ge_error(api_name, lib.GE_BAD_STATE, **context)
    before_compile()
    problem = checked(build_options)
    if problem:
        lib.GeSetLastError(lib.GE_OPTION_INVALID, c_text(problem))
        raise_ge_error(api_name, lib.GE_OPTION_INVALID, **context)
    copy = ffi.new("GeGraph **")
    status = lib.GeGraphClone(graph._live(), ffi.NULL, copy)
    if status == 0:
        clone = ffi.gc(copy[0], lib.GeGraphDestroy)
        status, others = apply_to_graph(clone, build_options)
    if status == 0:
        filled, status = fill({**started, **others})
    data, size = ffi.new("void **"), ffi.new("size_t *")
    if status == 0:
        status = lib.GeOfflineBuild(clone, filled, data, size)
    if status != 0:
        raise_ge_error(api_name, status, **context)
    return ModelBuffer._create_from(data[0], size[0])


def build_model(graph, build_options=None) -> ModelBuffer:
    """Builds a copy of a graph. Options of the build win over global ones."""
    if not isinstance(graph, Graph):
        raise TypeError("graph must be a Graph")
    return _built("BuildModel", graph, _texts(build_options, "build_options"))


def bundle_build_model(graph_with_options) -> ModelBuffer:
    """Builds several graphs as one model; at least two."""
    if not isinstance(graph_with_options, list):
        raise TypeError("graph_with_options must be a list")
    if len(graph_with_options) <= 1:
        raise ValueError("graph_with_options size must be larger than 1")
    if not all(isinstance(item, GraphWithOptions) for item in graph_with_options):
        raise TypeError("Each item in graph_with_options must be a GraphWithOptions")
    count = len(graph_with_options)
    models = [
        _built("BundleBuildModel", item.graph, _texts(item.build_options, "build_options"), graph_count=count)
        for item in graph_with_options
    ]
    data, size = ffi.new("void **"), ffi.new("size_t *")
    status = lib.GeOfflineBundle([m._handle for m in models], [m.length for m in models], count, data, size)
    if status != 0:
        raise_ge_error("BundleBuildModel", status, graph_count=count)
    return ModelBuffer._create_from(data[0], size[0])


def _save(api_name, output_file, model, bundle):
    if not isinstance(output_file, str):
        raise TypeError("output_file must be a string")
    if not isinstance(model, ModelBuffer):
        raise TypeError("model must be a ModelBuffer")
    members = ffi.new("size_t *")
    status = lib.GeOfflineBundleCount(model._handle, model.length, members)
    problem = None
    if status == 0 and bundle != (members[0] != 0):
        problem = "the model is a bundle of several" if members[0] else "the model is no bundle"
    elif status == 0 and (not output_file or "\0" in output_file):
        problem = "the file has no name" if not output_file else "the file's name holds a NUL character"
    elif status == 0:
        try:
            os.makedirs(os.path.dirname(output_file) or ".", exist_ok=True)
        except OSError as e:
            problem = f"cannot make folder '{os.path.dirname(output_file)}': {e.strerror}"
    if problem:
        status = lib.GeSetLastError(lib.GE_PARAM_INVALID, c_text(problem))
    elif status == 0:
        status = lib.GeOfflineSave(os.fsencode(output_file + ".om"), model._handle, model.length)
    if status != 0:
        raise_ge_error(api_name, status, output_file=output_file)


def save_model(output_file, model) -> None:
    """Writes <output_file>.om, whatever the name ends with, whole or not at all; its folder is made."""
    _save("SaveModel", output_file, model, False)


def bundle_save_model(output_file, model) -> None:
    """The same for what bundle_build_model gave."""
    _save("BundleSaveModel", output_file, model, True)
