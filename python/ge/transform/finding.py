"""Matches of a pattern, one after the other."""

from ge._native import NULL, ffi, lib
from ge.graph.graph import Graph
from ge.passes._borrowed import BorrowedGraph, Run
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
    # Of a graph that a pass is lent, matches and nodes end with the pass's run.
    lent = graph._run if isinstance(graph, BorrowedGraph) else None
    run = lent or Run(graph._live())
    try:
        while True:
            graph._live()
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
        if lent is None:
            run.end()


def rewrite(graph, rules, config=None, *, dry_run=False, max_rewrites=None):
    """Replaces the matches of each pattern by a graph that is given once, in a graph without its subgraphs. Returns how many
    were tried, applied and declined, as a dictionary. When it fails the graph is as before.

    rules: pairs of a ge.passes.Pattern, or a graph, which it takes over, and the graph for its place, which stays the caller's.
    config: a PatternMatcherConfig. dry_run: matches are counted and nothing is replaced; replacements may be None then.
    max_rewrites: more than these fail (default: 1,000,000).
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"graph must be a Graph, got {type(graph).__name__}")
    if config is not None and not isinstance(config, PatternMatcherConfig):
        raise TypeError(f"config must be a PatternMatcherConfig, got {type(config).__name__}")
    if max_rewrites is not None and not (isinstance(max_rewrites, int) and 0 < max_rewrites < 2**63):
        raise ValueError(f"max_rewrites must be a number above 0, got {max_rewrites!r}")
    patterns, replacements = [], []
    for pattern, replacement in rules:
        if not (isinstance(replacement, Graph) or (replacement is None and dry_run)):
            raise TypeError(f"a replacement must be a Graph, got {type(replacement).__name__}")
        patterns.append(ensure_pattern(pattern))
        replacements.append(replacement)
    options = ffi.new("GeRewriteOptions *", {"struct_size": ffi.sizeof("GeRewriteOptions"), "dry_run": int(bool(dry_run))})
    options.match_flags = 0 if config is None else config._flags
    options.max_rewrites = max_rewrites or 0
    counts = ffi.new("GeRewriteCounts *", {"struct_size": ffi.sizeof("GeRewriteCounts")})
    handles = [NULL if r is None else r._live() for r in replacements]
    check(lib.GeGraphRewrite(graph._live(), [p._live() for p in patterns], handles, len(patterns), options, NULL, NULL, counts))
    return {"tried": counts.tried, "applied": counts.applied, "declined": counts.declined}
