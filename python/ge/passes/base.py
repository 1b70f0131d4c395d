"""The classes that passes derive from."""

import functools
from typing import Any, Iterable, Optional, Union

from ge.graph.graph import Graph
from ge.graph.node import Node
from ge.passes import _expressions, _signatures
from ge.passes.context import PassContext
from ge.passes.match_result import MatchResult
from ge.passes.matcher_config import PatternMatcherConfig
from ge.passes.pattern import Pattern, is_pattern_method


def _refuse_run(cls, kind, instead):
    if "run" in cls.__dict__:
        raise TypeError(
            f"{cls.__name__} overrides run(), which is never invoked by the {kind} execution path. Implement {instead} instead."
        )


class FusionBasePass:
    """A pass that may do anything with a graph."""

    def run(self, graph: Graph, context: PassContext) -> Any:
        """Called with the root graph, then with each subgraph that a node calls; `graph` is edited in place and is not valid
        afterwards. None and True: done; False: failed; a number: a status code, 0 for success."""
        raise NotImplementedError("FusionBasePass.run must be implemented")

    def __repr__(self):
        descriptor = getattr(type(self), "__ge_pass_descriptor__", None)
        return f"<{type(self).__name__}, {f'pass {descriptor.pass_name!r}' if descriptor else 'not registered'}>"


class PatternFusionPass(FusionBasePass):
    """A pass that replaces matches of patterns."""

    def __init__(self, matcher_config: Optional[PatternMatcherConfig] = None) -> None:
        self._matcher_config = matcher_config

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _refuse_run(cls, "PatternFusionPass", "patterns()/replacement()")
        body = dict(cls.__dict__)
        methods = [(n, f) for n, f in body.items() if is_pattern_method(f)]
        if methods and "patterns" in body:
            raise TypeError(
                f"{cls.__name__} cannot combine @pattern methods with patterns(). Use one style for declaring patterns."
            )
        if methods:
            for _, function in methods:
                _signatures.pattern_method(function)
            cls.patterns = _patterns_of(cls.__name__, methods)
        if "meet_requirements" in body:
            cls.meet_requirements = _signatures.hook(body["meet_requirements"], "meet_requirements", "match_result")
        if "replacement" in body:
            cls.replacement = _replacement_of(cls.__name__, body["replacement"])

    @property
    def matcher_config(self) -> Optional[PatternMatcherConfig]:
        """The configuration that the constructor was given."""
        return self._matcher_config

    def patterns(self) -> Iterable[Union[Pattern, Graph]]:
        """The patterns, made anew for each graph: the pass takes their graphs over."""
        raise NotImplementedError("PatternFusionPass.patterns must be implemented")

    def meet_requirements(self, match_result: MatchResult, context: Optional[PassContext] = None) -> bool:
        """False leaves the match alone."""
        return True

    def replacement(self, match_result: MatchResult, context: Optional[PassContext] = None) -> Graph:
        """The graph to put in the match's place, which the pass takes over."""
        raise NotImplementedError("PatternFusionPass.replacement must be implemented")


def _patterns_of(class_name, methods):
    def patterns(self):
        """The patterns of the class's @pattern methods, in the order of their definition."""
        return [_expressions.pattern(f"{class_name}_{name}_pattern", function, self) for name, function in methods]

    return patterns


def _replacement_of(class_name, function):
    expression = _signatures.expression(function)
    if expression is None:
        return _signatures.hook(function, "replacement", "match_result")
    name = f"{class_name}_replacement"

    @functools.wraps(function)
    def call(self, value, context=None):
        return _expressions.replacement(name, expression, self, value, context)

    call.__ge_expression__ = (name, name.encode(), expression)
    return call


class DecomposePass(FusionBasePass):
    """A pass that replaces nodes of given types, those that a graph has when the pass begins."""

    op_types: Optional[list] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _refuse_run(cls, "DecomposePass", "meet_requirements()/replacement()")
        for name in ("meet_requirements", "replacement"):
            if name in cls.__dict__:
                setattr(cls, name, _signatures.hook(cls.__dict__[name], name, "node"))

    def meet_requirements(self, node: Node, context: Optional[PassContext] = None) -> bool:
        """False leaves the node alone."""
        return True

    def replacement(self, node: Node, context: Optional[PassContext] = None) -> Graph:
        """The graph to put in the node's place: input i reads the i-th distinct tensor that the node reads, output i takes
        the place of its output i."""
        raise NotImplementedError("DecomposePass.replacement must be implemented")
