"""Replacements: graphs that take a match's place."""

from ge.graph.graph import Graph


def create_replacement(graph: Graph) -> Graph:
    """The graph itself, checked."""
    if not isinstance(graph, Graph):
        raise TypeError("replacement graph must be a ge.graph.Graph")
    return graph
