"""Matches of a pattern, one after the other."""

from ge._native import NULL, ffi, lib
from ge.graph.graph import Graph
from ge.passes._borrowed import Run
from ge.passes.match_result import MatchResult
from ge.passes.matcher_config import PatternMatcherConfig
from ge.passes.pattern import ensure_pattern
from ge.transform._calls import check


def find(pattern, graph, config=None):
    """Yields each match of a pattern (a ge.passes.Pattern, or a graph, which it takes over) in a graph, not in its subgraphs.
    The graph may be rewritten in the loop; nodes that appear are tried, too. config: a PatternMatcherConfig.

    A match is valid until the next one, its nodes until the loop ends.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"graph must be a Graph, got {type(graph).__name__}")
    if config is not None and not isinstance(config, PatternMatcherConfig):
        raise TypeError(f"config must be a PatternMatcherConfig, got {type(config).__name__}")
    return _matches(ensure_pattern(pattern), graph, 0 if config is None else config._flags)


def _matches(pattern, graph, flags):
    out = ffi.new("GeMatcher **")
    check(lib.GeMatcherCreate(pattern._live(), graph._live(), flags, out))
    matcher = ffi.gc(out[0], lib.GeMatcherDestroy)
    run = Run(graph._live())
    try:
        while True:
            found = ffi.new("GeMatch **")
            check(lib.GeMatcherNext(matcher, found))
            if found[0] == NULL:
                return
            match = MatchResult._borrow(ffi.gc(found[0], lib.GeMatchDestroy), run)
            try:
                yield match
            finally:
                match._invalidate()
    finally:
        run.end()
