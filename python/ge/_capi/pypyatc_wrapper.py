"""The command line of GE as ctypes sees it; `GeApiWrapper_Atc_Main` is not in it."""

from ._libge import Part

_part = Part()


def get_pyatc_lib():
    """The library, opened when it is not yet."""
    return _part.get()


def is_pyatc_lib_loaded() -> bool:
    """Whether it was asked for before."""
    return _part.is_loaded()


def __getattr__(name):
    if name != "pyatc_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _part.get()
