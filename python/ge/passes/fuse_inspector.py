"""Checks that nodes may become one, shapes of replacements, and rewrites that were done by hand."""

from dataclasses import dataclass
from typing import Iterable, Union

from ge._native import NULL, failed, ffi, last_error, lib
from ge.graph.graph import Graph
from ge.graph.node import Node
from ge.passes.context import PassContext, handle_of
from ge.passes.match_result import MatchResult
from ge.passes.subgraph import SubgraphBoundary, context_error, count

_LABEL = "_user_stream_label"


@dataclass(frozen=True)
class FuseCheckResult:
    """The answer of can_fuse; `reason` says why not."""

    ok: bool
    reason: str = ""


def _nodes(nodes, what):
    found = list(nodes)
    if not all(isinstance(n, Node) for n in found):
        raise TypeError(f"{what} must contain only ge.graph.Node objects")
    return found


def can_fuse(nodes: Iterable[Node]) -> FuseCheckResult:
    """Checks that these nodes may become one: they are of one graph, on no cycle then, and agree in their labels."""
    found = _nodes(nodes, "nodes")
    if not found:
        return FuseCheckResult(False, "the list of nodes is empty")
    if lib.GeNodesCanFuse([n._handle for n in found], len(found)) == 0:
        return FuseCheckResult(True)
    return FuseCheckResult(False, _more(last_error(), found))


def _more(reason, nodes):
    """The library's reason, with the values that it is about."""
    if " is of graph '" in reason:
        return f"the nodes are of different graphs: {reason}"
    if _LABEL in reason:
        values = dict.fromkeys(n.get_attr(_LABEL) for n in nodes if n.has_attr(_LABEL))
        return f"{reason}: {', '.join(map(repr, values))}"
    return reason


def report_fuse(nodes_before: Iterable[Node], nodes_after: Iterable[Node], context: PassContext) -> None:
    """Records a rewrite that was done by hand, before the old nodes are removed. nodes_after may be empty."""
    before, after = _nodes(nodes_before, "nodes_before"), _nodes(nodes_after, "nodes_after")
    native = handle_of(context)
    status = lib.GeNodesReportFuse(
        [n._handle for n in before], len(before), [n._handle for n in after] or NULL, len(after), native
    )
    if status != 0:
        raise context_error(context, "Failed to report fusion result", status)
    count(context)


def infer_shape(replacement: Graph, source: Union[MatchResult, Node, SubgraphBoundary]) -> None:
    """Gives the replacement's inputs shape, data type and format of the tensors that they will read, and infers the rest."""
    if not isinstance(replacement, Graph):
        raise TypeError("replacement must be a ge.graph.Graph")
    if not isinstance(source, (MatchResult, Node, SubgraphBoundary)):
        raise TypeError("source must be MatchResult, Node, or SubgraphBoundary")
    if replacement._handle is None:
        raise RuntimeError("replacement graph is empty")
    graph = replacement._live()
    status, boundary, name = 0, None, ""
    if isinstance(source, SubgraphBoundary):
        boundary = source._live()
    else:
        is_match = isinstance(source, MatchResult)
        name = source.get_pattern_graph_name() if is_match else source.name
        make, handle = (lib.GeMatchCreateBoundary, source._live()) if is_match else (lib.GeBoundaryCreateOfNode, source._handle)
        out = ffi.new("GeBoundary **")
        status = make(handle, out)
        if status == 0:
            boundary = ffi.gc(out[0], lib.GeBoundaryDestroy)
    if status == 0:
        status = lib.GeBoundaryInfer(boundary, graph)
    if status != 0:
        kind = type(source).__name__.replace("Borrowed", "")
        named = f", source_name={name}" if name else ""
        raise failed(f"infer_shape failed, replacement_graph={replacement.name}, source_type={kind}{named}")
