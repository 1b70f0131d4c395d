"""Expression style: a method makes tensors from its inputs, and what it returns becomes the outputs of a graph."""

from functools import partial

from ge._native import failed, ffi, lib
from ge.es.graph_builder import GraphBuilder
from ge.es.tensor_holder import TensorHolder
from ge.graph.graph import Graph
from ge.passes._borrowed import BorrowedGraph
from ge.passes._inputs import PatternInputs
from ge.passes._rules import apply
from ge.passes.pattern import Pattern, _adopt

_new = object.__new__
_new_graph = partial(ffi.new, ffi.typeof("GeGraph **"))


def _builder(name, raw):
    """As GraphBuilder(name); the name is there as bytes as well, which it is not made to again for each match."""
    self = _new(GraphBuilder)
    self._name = name
    self._is_built = False
    self._pending = []
    handle = lib.EsCreateGraphBuilder(raw)
    if not handle:
        raise failed("Failed to create graph builder")
    self._handle = ffi.gc(handle, lib.EsDestroyGraphBuilder)
    return self


def _build(builder, tensors):
    """Ends the building; the graph, which the caller owns."""
    for i, tensor in enumerate(tensors):
        if tensor._builder is not builder:
            builder._require_own(tensor, "build_and_reset")
        if lib.EsSetGraphOutput(tensor._handle, i) != 0:
            raise failed(f"Failed to set graph output for graph {builder.name} output index {i}")
    built = lib.EsBuildGraphAndReset(builder._handle)
    if not built:
        raise failed("Failed to build graph")
    out = _new_graph()
    status = lib.GeEsGraphRetainGraph(built, out)
    lib.GeEsGraphDestroy(built)
    if status != 0:
        raise failed("Failed to build graph")
    builder._is_built = True
    return out[0]


def _tensors(result, what):
    """The tensors that a method returned, as a list."""
    if isinstance(result, TensorHolder):
        return (result,)
    if isinstance(result, (list, tuple)) and result and all(isinstance(t, TensorHolder) for t in result):
        return result
    raise TypeError(f"Expression-style {what} must return a TensorHolder or a non-empty list/tuple of TensorHolder")


def pattern(name, function, self):
    """The pattern of a @pattern method."""
    builder = _builder(name, name.encode())
    inputs = PatternInputs(builder)
    result = function(self, inputs)
    if isinstance(result, (Graph, Pattern)) and inputs._rules:
        raise TypeError("A @pattern method that returns a graph gives its rules to the Pattern that it makes of the graph")
    if isinstance(result, Graph):
        return Pattern(result)
    if isinstance(result, Pattern):
        return result
    if isinstance(result, (list, tuple)) and any(isinstance(r, (Graph, Pattern)) for r in result):
        raise TypeError(
            "A @pattern method supports a single pattern only. Use one @pattern method for each, or patterns() for several."
        )
    tensors = _tensors(result, "patterns")
    for tensor in tensors:
        builder._require_own(tensor, "build_and_reset")
    captured = [t._node() for t in (*inputs._made, *tensors)]
    graph = ffi.gc(_build(builder, tensors), lib.GeGraphDestroy)
    made = _adopt(graph, captured, len(inputs._made))
    for what, rule, arguments, _ in inputs._rules:
        apply(made._handle, what, rule, arguments)
    return made


def build(name, raw, expression, self, match, context, count):
    """The graph of an expression-style replacement, which the caller owns. count: inputs of the pattern; those that the
    expression does not use are made as well, since a replacement has all of them. None: those it uses."""
    builder = _builder(name, raw)
    inputs = _new(PatternInputs)
    inputs._builder = builder
    inputs._made = made = []
    result = expression(self, inputs, match, context)
    if result.__class__ is TensorHolder:
        tensors = (result,)
    elif isinstance(result, Graph):
        return owned(result)
    else:
        tensors = _tensors(result, "replacement")
    if count is not None and len(made) < count:
        inputs._make(count)
    return _build(builder, tensors)


def replacement(name, expression, self, match, context):
    """The same as a Graph, for programs that call the hook themselves."""
    builder = _builder(name, name.encode())
    inputs = PatternInputs(builder)
    del inputs._rules
    result = expression(self, inputs, match, context)
    if isinstance(result, Graph):
        return result
    tensors = _tensors(result, "replacement")
    return Graph._create_from(_build(builder, tensors))


def owned(graph):
    """A reference of its own to a graph, which the Python object loses."""
    if isinstance(graph, BorrowedGraph):
        raise RuntimeError(f"the replacement is graph '{graph.name}' that is compiled itself: build a new one")
    if graph._handle is None:
        raise RuntimeError("the replacement graph was handed over before: build a new one for each match")
    if not graph._owns_handle:
        raise RuntimeError(f"the replacement graph '{graph.name}' is a subgraph of another one: build a new one")
    out = ffi.new("GeGraph **")
    if lib.GeGraphRetain(graph._handle, out) != 0:
        raise failed("Failed to take over a replacement")
    graph._handle = None
    graph._owns_handle = False
    return out[0]
