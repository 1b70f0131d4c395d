"""MatchResult: where a pattern was found."""

from functools import partial
from threading import get_ident

from ge._native import collect, failed, ffi, lib, text
from ge.graph._plain import plain_int
from ge.passes._borrowed import Run
from ge.passes.pattern import NodeIo

_new = object.__new__
_new_io = partial(ffi.new, ffi.typeof("GeNodeIo *"))
_ROOM = 16  # nodes, before a match is asked for their number


class MatchResult:
    """A match. It is valid during the call of the hook that got it; nodes from it are until the pass's run ends."""

    __slots__ = ("_handle", "_run")

    def __init__(self, *args, **kwargs):
        raise TypeError("MatchResult objects are made by the engine")

    @classmethod
    def _borrow(cls, handle, run):
        self = _new(cls)
        self._handle = handle
        self._run = run
        return self

    def _live(self):
        if self._handle is None:
            raise RuntimeError("MatchResult handle has expired")
        if self._run.thread != get_ident():
            self._run.refuse()
        return self._handle

    def _invalidate(self):
        self._handle = None

    def get_matched_nodes(self) -> list:
        """The graph's nodes that matched, constants included, in the order of the data flow."""
        handle = self._live()
        count = ffi.new("size_t *", _ROOM)
        nodes = ffi.new("GeNode *[]", _ROOM)
        status = lib.GeMatchGetNodes(handle, nodes, count)
        if status != 0 and count[0] > _ROOM:
            nodes = ffi.new("GeNode *[]", count[0])
            status = lib.GeMatchGetNodes(handle, nodes, count)
        if status != 0:
            raise failed("Failed to get matched nodes from MatchResult")
        node = self._run.node
        return [node(nodes[i]) for i in range(count[0])]

    def get_captured_tensor(self, capture_index: int) -> NodeIo:
        """The graph's tensor that tensor number `capture_index` of the pattern matched."""
        handle = self._live()
        index = capture_index if capture_index.__class__ is int else plain_int(capture_index)
        if not isinstance(index, int) or index < 0:
            raise TypeError(f"capture_index must be a non-negative integer, got {capture_index!r}")
        out = _new_io()
        if index >= 2**63 or lib.GeMatchGetCaptured(handle, index, out) != 0:
            raise failed("Failed to get captured tensor from MatchResult")
        io = _new(NodeIo)  # a frozen dataclass takes a microsecond to fill
        io.__dict__["node"] = self._run.node(out.node)
        io.__dict__["index"] = out.index
        return io

    def get_pattern_graph_name(self) -> str:
        """Name of the pattern's graph."""
        out = ffi.new("GeGraph **")
        if lib.GeMatchRetainPatternGraph(self._live(), out) != 0:
            raise failed("Failed to get the pattern of MatchResult")
        name = text(lib.GeGraphName(out[0]))
        lib.GeGraphDestroy(out[0])
        return name

    def _input_count(self):
        """Inputs of the pattern that matched."""
        out = ffi.new("GeBoundary **")
        if lib.GeMatchCreateBoundary(self._live(), out) != 0:
            raise failed("Failed to get the boundary of MatchResult")
        count = lib.GeBoundaryInputCount(out[0])
        lib.GeBoundaryDestroy(out[0])
        return count

    def __str__(self):
        status, line = collect(lib.GeMatchDescribe, self._live())
        if status != 0:
            raise failed("Failed to describe MatchResult")
        return line

    def __repr__(self):
        return f"<MatchResult {'expired' if self._handle is None else self}>"


def at(address, run=None):
    """The match at an address, which its owner keeps."""
    handle = ffi.cast("GeMatch *", address)
    return MatchResult._borrow(handle, Run(None) if run is None else run)
