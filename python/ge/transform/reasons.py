"""Why a rule did not match."""

import json
from dataclasses import dataclass

from ge._native import c_text, collect, ffi, lib
from ge.graph.graph import Graph
from ge.graph.node import Node
from ge.transform._calls import check
from ge.transform.base import Pass, get_pass


@dataclass(frozen=True)
class Miss:
    """A candidate of a rule that did not match. root: the node at which it was tried. constraint: what failed (operator, arity,
    position, dtype, shape, attribute, constant, reader, cycle, or predicate: code said no), at `pattern_node` of the pattern
    and at `node` of the graph, with what was expected and what is there. traceback: of an exception that code raised, else "".

    Constraint `gate` speaks of a pass, not of a candidate: it is disabled, switched off, above the level, waits for shapes, or
    an instrument does not let it run.
    """

    rule: str
    root: str
    constraint: str
    pattern_node: str
    node: str
    expected: str
    actual: str
    traceback: str = ""


def _wrong(argument, expected, value):
    shown = repr(value)
    shown = shown if len(shown) <= 100 else shown[:97] + "..."
    return TypeError(f"why_not: {argument} must be {expected}, got {shown} of type {type(value).__name__}")


def why_not(rule, graph, node=None) -> list:
    """The nearest misses of a pass's rules on a graph, those first of which most had matched; [] where all that was tried
    matched. rule: a pass or its name; of a Sequential the misses of all that it holds. node: only what concerns nodes of this
    name, and gates.

    The pass runs on a copy, which is inferred before the first pass that belongs behind inference; the graph stays as it is.
    What fails the pass comes out as itself.
    """
    if not isinstance(rule, (Pass, str)):
        raise _wrong("rule", "a Pass or the name of one, a str", rule)
    if not isinstance(graph, Graph):
        raise _wrong("graph", "a Graph", graph)
    if node is not None and not isinstance(node, (Node, str)):
        raise _wrong("node", "a Node, the name of one, a str, or None", node)
    tried = rule if isinstance(rule, Pass) else get_pass(rule)
    name = ffi.NULL if node is None else c_text(node if isinstance(node, str) else node.name)
    status, text = collect(lib.GePassWhyNot, tried._handle, graph._live(), name)
    check(status)
    return [Miss(**miss) for miss in json.loads(text)["misses"]]
