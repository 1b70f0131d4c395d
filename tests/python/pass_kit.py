"""Small graphs, and passes for them, that the tests of passes share."""

import contextlib

import pytest

import ge
from ge import passes
from ge.es import GraphBuilder
from ge.es.all import Relu

STAGE = passes.PassStage.BEFORE_INFER_SHAPE


@pytest.fixture
def registry():
    """No pass is registered, before the test and after it."""
    passes.clear_registered_passes()
    passes.report(clear=True)
    yield passes
    passes.clear_registered_passes()


def chain(*operators, shape=(4,)):
    """A graph that calls the operators one after the other on its input."""
    builder = GraphBuilder("g")
    tensor = builder.create_input(0, name="x", shape=list(shape))
    for operator in operators:
        tensor = operator(tensor)
    return builder.build_and_reset([tensor])


def times(value):
    """The operator that multiplies by a constant."""
    return lambda x: x * x.get_owner_builder().create_scalar_float(value)


def types(graph):
    """Operator types of a graph, sorted, without inputs and outputs."""
    return sorted(n.type for n in graph.get_direct_nodes() if n.type not in ("Data", "NetOutput"))


def placed(model):
    """The same of a compiled model."""
    return sorted(n.type for n in model.placed_graph().get_direct_nodes() if n.type not in ("Data", "NetOutput"))


def plain_options():
    """Options under which the library's own passes leave graphs alone."""
    return {"opt_level": 0}


def compile_types(graph):
    """Types that a compile leaves when the library's own passes do nothing."""
    return placed(ge.load(graph, plain_options()))


class ReluPattern(passes.PatternFusionPass):
    """Matches every Relu."""

    @passes.pattern
    def relu(self, inputs):
        return Relu(inputs[0])


@contextlib.contextmanager
def recorded():
    """Statistics of the instances that are made inside."""
    passes.report(clear=True)
    found = []
    yield found
    found += passes.report()
