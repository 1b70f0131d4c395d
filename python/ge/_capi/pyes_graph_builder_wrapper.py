"""The graph builder and generated operator libraries as ctypes sees them."""

import ctypes
import os
import threading

from ._lib_loader import load_ge, load_lib_from_path

BASE_LIB_NAME = "libeager_style_graph_builder_base.so"
DEFAULT_GENERATED_LIB_NAME = "libes_all.so"
MATH_LIB_NAME = "libes_math.so"

_dir = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_lib")


class EsCTensorHolder(ctypes.Structure):
    """Opaque: an output of a node."""


class EsCGraphBuilder(ctypes.Structure):
    """Opaque: a graph builder."""


class EsCTensor(ctypes.Structure):
    """Opaque: a tensor on its way to a builder."""


class EsCGraph(ctypes.Structure):
    """Opaque: a graph."""


EsCTensorHolderPtr = ctypes.POINTER(EsCTensorHolder)
EsCGraphBuilderPtr = ctypes.POINTER(EsCGraphBuilder)
EsCTensorPtr = ctypes.POINTER(EsCTensor)

# Modules whose operators are all in libes_all.so.
_BUILT_IN = {f"libes_{module}.so" for module in ("all", "math", "nn", "cv", "transformer")}
_lib_cache: dict = {}
_configured_lib_ids: set = set()
_lock = threading.Lock()


def _configure_generated_lib(lib):
    """Types of the four functions that tensor arithmetic is made of, where the library has them."""
    if id(lib) in _configured_lib_ids:
        return lib
    for name in ("EsAdd", "EsSub", "EsMul", "EsDiv"):
        function = getattr(lib, name, None)
        if function is not None:
            function.argtypes = [EsCTensorHolderPtr, EsCTensorHolderPtr]
            function.restype = EsCTensorHolderPtr
    _configured_lib_ids.add(id(lib))
    return lib


def get_generated_lib(lib_name=None):
    """A library of generated operators, libes_all.so by default; RuntimeError when it cannot be loaded."""
    name = lib_name or DEFAULT_GENERATED_LIB_NAME
    with _lock:
        lib = _lib_cache.get(name)
        if lib is None:
            try:
                if name in _BUILT_IN:
                    from ge._native import operators

                    operators()  # brings libes_all.so into the process
                    lib = load_lib_from_path(DEFAULT_GENERATED_LIB_NAME, _dir)
                else:
                    lib = load_lib_from_path(name, _dir, ctypes.RTLD_GLOBAL)
            except (ImportError, OSError) as e:
                raise RuntimeError(f"Generated library {name} is not available: {e}") from e
            _lib_cache[name] = _configure_generated_lib(lib)
        return lib


def is_generated_lib_available() -> bool:
    """Whether the default library can be loaded."""
    try:
        get_generated_lib()
    except RuntimeError:
        return False
    return True


def get_loaded_lib_names():
    """Names of the generated libraries that were asked for so far."""
    return list(_lib_cache)


def clear_lib_cache():
    """Forgets the loaded libraries; they stay in the process."""
    with _lock:
        _lib_cache.clear()
        _configured_lib_ids.clear()


def __getattr__(name):
    # Wrappers import this module for its types: the libraries are opened when somebody asks for them.
    if name == "esb_lib":
        value = load_ge(_dir)
        for function, arguments, result in (
            ("EsCreateGraphBuilder", [ctypes.c_char_p], EsCGraphBuilderPtr),
            ("EsDestroyGraphBuilder", [EsCGraphBuilderPtr], None),
            ("EsCreateGraphInput", [EsCGraphBuilderPtr, ctypes.c_int64], EsCTensorHolderPtr),
            ("EsSetGraphOutput", [EsCTensorHolderPtr, ctypes.c_int64], ctypes.c_uint32),
            ("EsBuildGraphAndReset", [EsCGraphBuilderPtr], ctypes.POINTER(EsCGraph)),
            ("EsGetOwnerBuilder", [EsCTensorHolderPtr], EsCGraphBuilderPtr),
        ):
            found = getattr(value, function)
            found.argtypes, found.restype = arguments, result
    elif name == "_default_lib":
        value = get_generated_lib() if is_generated_lib_available() else None
    elif name == "_default_lib_available":
        value = is_generated_lib_available()
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
