"""Questions about graphs as ctypes sees it."""

from ._libge import Part

_part = Part()


def get_ge_utils_lib():
    """The library, opened when it is not yet."""
    return _part.get()


def is_ge_utils_lib_loaded() -> bool:
    """Whether it was asked for before."""
    return _part.is_loaded()


def __getattr__(name):
    if name != "ge_utils_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _part.get()
