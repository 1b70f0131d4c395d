"""Operator: what an ONNX plug-in's parse_node callback fills in."""

from ._nocopy import NoCopy


class Operator(NoCopy):
    """Valid only while the callback that received it runs; never made by a program."""

    __slots__ = ("_handle",)

    def __init__(self, *args, **kwargs):
        raise RuntimeError("Operator objects should not be created directly.")

    def _live(self):
        if getattr(self, "_handle", None) is None:
            raise RuntimeError("Operator is only valid inside parse_node")
        return self._handle

    @property
    def name(self) -> str:
        return self._live().name

    @property
    def type(self) -> str:
        return self._live().type

    def __enter__(self):
        self._live()
        return self

    def __exit__(self, *exc):
        self._handle = None
        return False
