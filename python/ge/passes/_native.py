"""Native objects of passes as objects of Python, and back."""

from ge._native import ffi
from ge.passes import _expressions
from ge.passes._borrowed import Run
from ge.passes.context import PassContext
from ge.passes.match_result import MatchResult, at


def borrow_match_result(handle) -> MatchResult:
    """The match at an address; its owner keeps it."""
    return at(handle)


def borrow_node(handle):
    """The node at an address."""
    return Run(None).node(ffi.cast("GeNode *", handle))


def borrow_graph(handle):
    """The graph at an address."""
    return Run(None).graph(ffi.cast("GeGraph *", handle))


def borrow_pass_context(handle) -> PassContext:
    """The pass context at an address."""
    return PassContext._borrow(ffi.cast("GePassContext *", handle))


def release_graph(graph) -> int:
    """Takes a graph over: the address of a reference that the caller owns."""
    return address(_expressions.owned(graph))


def address(pointer) -> int:
    """A native pointer as a number."""
    return int(ffi.cast("uintptr_t", pointer))
