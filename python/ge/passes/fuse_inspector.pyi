from dataclasses import dataclass
from typing import Iterable, Union

from ge.graph.graph import Graph
from ge.graph.node import Node
from ge.passes.context import PassContext
from ge.passes.match_result import MatchResult
from ge.passes.subgraph import SubgraphBoundary

@dataclass(frozen=True)
class FuseCheckResult:
    ok: bool
    reason: str = ""

def can_fuse(nodes: Iterable[Node]) -> FuseCheckResult: ...
def report_fuse(nodes_before: Iterable[Node], nodes_after: Iterable[Node], context: PassContext) -> None: ...
def infer_shape(replacement: Graph, source: Union[MatchResult, Node, SubgraphBoundary]) -> None: ...
