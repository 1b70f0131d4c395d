"""Tensors as ctypes sees them."""

from ._libge import Part

_part = Part()


def get_tensor_runtime_lib():
    """The library, opened when it is not yet."""
    return _part.get()


def is_tensor_runtime_lib_loaded() -> bool:
    """Whether it was asked for before."""
    return _part.is_loaded()


def __getattr__(name):
    if name != "tensor_runtime_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _part.get()
