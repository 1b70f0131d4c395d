from typing import Any, Iterable, Optional, Union

from ge.graph.graph import Graph
from ge.passes.context import PassContext
from ge.passes.matcher_config import PatternMatcherConfig
from ge.passes.pattern import Pattern

class FusionBasePass:
    def run(self, graph: Graph, context: PassContext) -> Union[None, bool, int]: ...

class PatternFusionPass(FusionBasePass):
    def __init__(self, matcher_config: Optional[PatternMatcherConfig] = None) -> None: ...
    def __init_subclass__(cls, **kwargs: Any) -> None: ...
    @property
    def matcher_config(self) -> Optional[PatternMatcherConfig]: ...
    def patterns(self) -> Iterable[Union[Pattern, Graph]]: ...
    # Hooks have several forms, so that a checker is told nothing about their parameters.
    meet_requirements: Any
    replacement: Any

class DecomposePass(FusionBasePass):
    op_types: Optional[list[str]]
    def __init_subclass__(cls, **kwargs: Any) -> None: ...
    meet_requirements: Any
    replacement: Any
