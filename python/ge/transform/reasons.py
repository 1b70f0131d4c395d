"""Why a rule did not match."""

import json
from dataclasses import dataclass

from ge._native import c_text, collect, ffi, lib
from ge.transform._calls import check
from ge.transform.base import Pass, get_pass


@dataclass(frozen=True)
class Miss:
    """A candidate of a rule that did not match. root: the node at which it was tried. constraint: what failed (operator, arity,
    position, dtype, shape, attribute, constant, predicate, reader, cycle, declined), at `pattern_node` of the pattern and at
    `node` of the graph, with what was expected and what is there."""

    rule: str
    root: str
    constraint: str
    pattern_node: str
    node: str
    expected: str
    actual: str


def why_not(rule, graph, node=None) -> list:
    """The nearest misses of a pass's rules on a graph, those first of which most had matched; [] where all that was tried
    matched. rule: a pass or its name. node: only what concerns nodes of this name. The graph stays as it is.

    Rules that are patterns tell; what code of a pass decides by itself does not.
    """
    tried = rule if isinstance(rule, Pass) else get_pass(rule)
    name = ffi.NULL if node is None else c_text(node)
    status, text = collect(lib.GePassWhyNot, tried._handle, graph._live(), name)
    check(status)
    return [Miss(**miss) for miss in json.loads(text)["misses"]]
