"""Sessions as ctypes sees them, and the types of allocator callbacks."""

import ctypes

from ._libge import Part

# malloc(user, size) -> block, free(user, block), get_addr(block) -> address, on_destroy(key)
c_func_t_malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
c_func_t_free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
c_func_t_get_addr = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
c_func_t_on_destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_part = Part()


def get_session_lib():
    """The library, opened when it is not yet."""
    return _part.get()


def is_session_lib_loaded() -> bool:
    """Whether it was asked for before."""
    return _part.is_loaded()


def __getattr__(name):
    if name != "session_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _part.get()
