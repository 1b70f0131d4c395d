"""Small graphs, and passes for them, that the tests of passes share."""

import contextlib
import os
import subprocess
import sys
import textwrap

import ge
from ge import passes
from ge.es import GraphBuilder
from ge.es.all import If, Relu, Relu6, Sigmoid
from ge.graph import DataType

STAGE = passes.PassStage.BEFORE_INFER_SHAPE


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


def register(cls, name="P", stage=STAGE):
    return passes.register_fusion_pass(name=name, stage=stage)(cls)


def function_pass(function, name="P"):
    """Registers a FusionBasePass whose run is function(graph, context)."""
    return register(type("C", (passes.FusionBasePass,), {"run": lambda self, graph, context: function(graph, context)}), name)


def branches():
    """If(x > 0): Relu, else Abs; the graph around it has a Sigmoid."""
    builder = GraphBuilder("root")
    x = builder.create_input(0, shape=[4])
    condition = builder.create_input(1, data_type=DataType.DT_BOOL, shape=[])

    def branch(name, operator):
        inner = GraphBuilder(name)
        return inner.build_and_reset([operator(inner.create_input(0, shape=[4]))])

    result = If(condition, [Sigmoid(x)], 1, then_branch=branch("then", Relu), else_branch=branch("else", Relu6))
    return builder.build_and_reset([result[0] if isinstance(result, (list, tuple)) else result])


def in_new_process(text, **env):
    script = textwrap.dedent(text)
    folder = os.path.dirname(__file__)
    path = os.pathsep.join((os.environ.get("PYTHONPATH", ""), folder))
    env = {**os.environ, "PYTHONPATH": path, **env}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=120)


def boom(*_):
    raise ValueError("boom")
