"""A graph as it grows: values with their types and shapes, nodes, constants, and bodies of control flow."""

import contextlib
import dataclasses
import math
import random

import numpy as np
from onnx import helper, numpy_helper

from . import kinds


class Dim(int):
    """An extent that differs from run to run: `sizes` has it in each of the graph's variants, and as a number it is the first.
    Equal symbols stand for equal extents."""

    def __new__(cls, sizes, symbol):
        made = super().__new__(cls, sizes[0])
        made.sizes, made.symbol = tuple(sizes), symbol
        return made


VARIANTS = 3


def symbol(extent):
    return getattr(extent, "symbol", None)


def sizes(extent):
    """An extent in each of the variants."""
    return getattr(extent, "sizes", (int(extent),) * VARIANTS)


def smallest(shape):
    """The number of elements in the variant that has fewest."""
    return min(math.prod(at) for at in zip(*map(sizes, shape), strict=True)) if shape else 1


def same(a, b):
    """Whether two extents are equal in every run."""
    return int(a) == int(b) and symbol(a) == symbol(b)


def derived(extents, function, how):
    """What an operator makes of extents: `how` tells the function from those of other operators. None where it gives none."""
    extents = extents if isinstance(extents, (list, tuple)) else [extents]
    made = [function(*at) for at in zip(*map(sizes, extents))]
    if any(m is None for m in made):
        return None
    if not any(map(symbol, extents)):
        return made[0]
    return Dim(made, f"{how}({','.join(str(symbol(e) or int(e)) for e in extents)})")


def unknown(net, stem):
    """An extent that only the run tells."""
    return Dim((3,) * VARIANTS, net.name(stem))


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    kind: str
    shape: tuple
    # No rounding happened on the way: every correct implementation has these very bits, so that operators which jump
    # (comparisons, rounding, positions of maxima) have one right result.
    exact: bool = False

    @property
    def rank(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod([int(d) for d in self.shape], dtype=np.int64))

    @property
    def floating(self):
        return self.kind in kinds.FLOATS


@dataclasses.dataclass(frozen=True)
class Input:
    """What to feed: `make(generator, shape)` gives an array; symbols in the shape take each run's extents."""

    value: Value
    make: object


class Net:
    def __init__(self, seed, opset, symbols):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.opset = opset
        self.symbols = symbols  # symbol -> its extent in each of the variants
        self.nodes, self.values, self.inputs, self.constants = [], [], [], []
        self.loose = []  # values of unknown rank
        self.read = set()
        self.finite = True  # whether what is fed is
        self.depth = 0  # of bodies
        self._names = 0

    # ---- choices ----

    def chance(self, p):
        return self.random.random() < p

    def pick(self, *options):
        return self.random.choice(options)

    def open(self, name):
        """The extent of a symbol."""
        return Dim(self.symbols[name], name)

    def runs(self, op, kind, constraint="T"):
        return kinds.runs(op, kind, self.opset, constraint)

    # ---- values ----

    def name(self, stem):
        self._names += 1
        return f"{stem}{self._names}"

    def node(self, op, inputs, outputs, **attributes):
        """Adds a node. outputs: (kind, shape[, exact]) of each; None leaves one out. Returns its values, or the only one."""
        made, names = [], []
        for output in outputs:
            if output is None:
                names.append("")
                continue
            kind, shape, *exact = output
            made.append(Value(self.name("v"), kind, tuple(shape), bool(exact and exact[0])))
            names.append(made[-1].name)
        given = ["" if v is None else v.name for v in inputs]
        while given and not given[-1]:
            given.pop()
        self.read.update(given)
        self.nodes.append(helper.make_node(op, given, names, name=self.name(op.lower()), **attributes))
        self.values += made
        return made[0] if len(outputs) == 1 else made

    def input(self, kind, shape, make=None):
        value = Value(self.name("x"), kind, tuple(shape), exact=True)
        self.inputs.append(Input(value, make or maker(kind)))
        self.values.append(value)
        return value

    def constant(self, array, kind=None):
        """A constant: an initialiser, or now and then a node."""
        array = np.asarray(array)
        kind = kind or array.dtype.name
        value = Value(self.name("c"), kind, array.shape, exact=True)
        tensor = numpy_helper.from_array(np.ascontiguousarray(array.astype(kinds.dtype(kind))).reshape(array.shape), value.name)
        if self.chance(0.1):
            self.nodes.append(helper.make_node("Constant", [], [value.name], name=self.name("constant"), value=tensor))
        else:
            self.constants.append(tensor)
        return value

    def ints(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    def weight(self, kind, shape, fan=1, mean=0.0):
        """Random weights; with `fan`, how many of them one sum takes, results stay of the magnitude of inputs. Matrices are
        numbers of half precision, so that they are the same when they are kept in it."""
        values = mean + self.numpy.standard_normal(shape) / np.sqrt(max(fan, 1))
        return self.constant(values.astype(np.float16).astype(np.float64) if np.ndim(values) == 2 else values, kind)

    def some(self, test=lambda value: True, recent=True):
        """A value of the graph that passes the test, newer ones more often; None where there is none."""
        fit = [v for v in self.values if test(v)]
        if not fit:
            return None
        if recent and self.chance(0.7):
            fit = fit[-3:]
        return self.random.choice(fit)

    # ---- bodies ----

    @contextlib.contextmanager
    def body(self):
        """Nodes added inside belong to a body, which sees the values outside; what it makes is gone afterwards."""
        outer = self.nodes, self.values
        self.nodes, self.values = [], list(self.values)
        self.depth += 1
        try:
            yield self.nodes
        finally:
            self.nodes, self.values = outer
            self.depth -= 1

    # ---- the finished model ----

    def info(self, value, shape=True):
        dims = [symbol(d) if symbol(d) in self.symbols else (None if symbol(d) else int(d)) for d in value.shape]
        return helper.make_tensor_value_info(value.name, kinds.number(value.kind), dims if shape else None)

    def model(self):
        produced = {name for node in self.nodes for name in node.output}
        results = [
            v
            for v in self.values
            if v.name in produced and (v.name not in self.read or self.chance(0.06)) and v.kind != "bfloat16"
        ]
        if not results and not any(v.name in produced for v in self.loose):
            results = [v for v in self.values if v.name in produced and v.kind != "bfloat16"][-1:]
        graph = helper.make_graph(
            self.nodes,
            "g",
            [self.info(i.value) for i in self.inputs],
            [self.info(v, self.chance(0.5)) for v in results] + [self.info(v, False) for v in self.loose if v.name in produced],
            self.constants,
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        made.ir_version = 10
        return made

    def feed(self, generator, extents):
        """Arrays for one run. extents: symbol -> size."""
        made = {}
        for port in self.inputs:
            shape = [extents.get(symbol(d), int(d)) for d in port.value.shape]
            array = np.asarray(port.make(generator, shape)).astype(kinds.dtype(port.value.kind))
            made[port.value.name] = array.copy("F") if generator.random() < 0.1 else array
        return made


def maker(kind):
    """How arrays of a type are filled."""
    if kind == "bool":
        return lambda g, shape: g.random(shape) < 0.5
    if kind in kinds.SIGNED:
        return lambda g, shape: g.integers(-9, 10, shape)
    if kind in kinds.UNSIGNED:
        return lambda g, shape: g.integers(0, 10, shape)
    return lambda g, shape: g.standard_normal(shape)
