"""Patterns: graphs whose inputs stand for any tensor, and tensors of them to ask matches for."""

from dataclasses import dataclass
from typing import Any, Callable, Optional, TypeVar

from ge._native import NULL, failed, ffi, lib
from ge.es.tensor_holder import TensorHolder
from ge.graph._nocopy import NoCopy
from ge.graph.graph import Graph
from ge.graph.node import Node
from ge.passes._borrowed import BorrowedGraph
from ge.passes._inputs import PatternInputs  # noqa: F401 (its home for programs)
from ge.passes._rules import PatternRules, apply, node_and_output

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class NodeIo:
    """A tensor: output `index` of a node."""

    node: Any
    index: int = 0


def pattern(function: _Function) -> _Function:
    """Marks a method(self, inputs) of a PatternFusionPass that returns a pattern: tensors made from its inputs."""
    function.__ge_pattern_method__ = True
    return function


def is_pattern_method(value: Any) -> bool:
    """True when @pattern marked it."""
    return callable(value) and getattr(value, "__ge_pattern_method__", False) is True


def _handle_of(graph):
    if not hasattr(graph, "_handle"):
        raise RuntimeError("Graph object must carry _handle")
    if isinstance(graph, BorrowedGraph):
        raise RuntimeError(f"Pattern cannot take over graph '{graph.name}': it is the one that the pass looks at")
    if graph._handle is None:
        raise RuntimeError("Pattern graph handle is empty")
    return graph._handle


class Pattern(NoCopy, PatternRules):
    """A pattern; it takes its graph over."""

    __slots__ = ("_handle", "_inputs", "__weakref__")

    def __init__(self, graph: Graph) -> None:
        self._handle = None
        handle = _handle_of(graph)
        out = ffi.new("GePattern **")
        if lib.GePatternCreate(handle, out) != 0:
            raise failed("Failed to create Pattern")
        self._handle = ffi.gc(out[0], lib.GePatternDestroy)
        self._inputs = None  # their number, where it is known
        graph._handle = None
        graph._owns_handle = False

    def _live(self):
        if self._handle is None:
            raise RuntimeError("Pattern handle has been released")
        return self._handle

    def capture_tensor(self, source: Any, index: Optional[int] = None) -> "Pattern":
        """Remembers a tensor; the calls' order numbers them. `source`: a TensorHolder or a Node (its output `index`, 0 unless
        given), or anything with `node` and `index`."""
        handle = self._live()
        # Of a tensor output 0 as well, whichever it is: programs written for GE say which they mean.
        if index is None and isinstance(source, TensorHolder):
            index = 0
        node, index = node_and_output(source, index, "capture_tensor")
        if not -(2**63) <= index < 2**63 or lib.GePatternCapture(handle, node, index) != 0:
            raise failed(f"Failed to capture output {index} of a node")
        return self

    def _say(self, what, function, arguments, keep):
        apply(self._live(), what, function, arguments)

    def get_captured_tensors(self) -> list:
        """The remembered tensors of the pattern (NodeIo), by number."""
        handle, out = self._live(), ffi.new("GeNodeIo *")
        tensors = []
        for i in range(lib.GePatternCapturedCount(handle)):
            if lib.GePatternGetCaptured(handle, i, out) != 0:
                raise failed("Failed to get captured tensors from Pattern")
            tensors.append(NodeIo(Node._create_from(out.node), out.index))
        return tensors

    def is_valid(self) -> bool:
        """False once it was released."""
        return self._handle is not None

    def release(self) -> int:
        """Gives the native object away, which the caller owns: its address."""
        handle = self._live()
        self._handle = None
        owned = ffi.cast("GePattern *", handle)
        ffi.gc(handle, None)
        return int(ffi.cast("uintptr_t", owned))

    def __repr__(self):
        if self._handle is None:
            return "<Pattern, released>"
        return f"<Pattern with {lib.GePatternCapturedCount(self._handle)} captured tensors>"


def create_pattern(graph: Graph) -> Pattern:
    """A pattern over a graph, which it takes over."""
    return Pattern(graph)


def ensure_pattern(value: Any) -> Pattern:
    """A pattern as it is, a graph as a pattern."""
    if isinstance(value, Pattern):
        return value
    if isinstance(value, Graph):
        return Pattern(value)
    raise TypeError("PatternFusionPass.patterns must return Pattern or Graph objects")


def _adopt(graph_handle, captured, inputs):
    """A pattern over a native graph that nobody else has, with captured nodes (their output 0)."""
    self = object.__new__(Pattern)
    self._handle = None
    out = ffi.new("GePattern **")
    if lib.GePatternCreate(graph_handle, out) != 0:
        raise failed("Failed to create Pattern")
    self._handle = ffi.gc(out[0], lib.GePatternDestroy)
    self._inputs = inputs
    for node in captured:
        if node == NULL or lib.GePatternCapture(self._handle, node, 0) != 0:
            raise failed("Failed to capture a tensor of a Pattern")
    return self
