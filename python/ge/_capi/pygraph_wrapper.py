"""Graphs, nodes and attributes as ctypes sees them."""

from ._libge import Part

_part = Part()


def __getattr__(name):
    if name != "graph_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _part.get()
