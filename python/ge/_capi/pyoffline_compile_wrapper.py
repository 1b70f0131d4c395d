"""Offline compilation as ctypes sees it."""

import ctypes

from ._libge import Part

ModelBufferDataPtr = ctypes.c_void_p

_part = Part()


def get_offline_compile_lib():
    """The library, opened when it is not yet."""
    return _part.get()


def is_offline_compile_lib_loaded() -> bool:
    """Whether it was asked for before."""
    return _part.is_loaded()


def __getattr__(name):
    if name != "offline_compile_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _part.get()
