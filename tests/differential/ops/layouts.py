"""What optimisers look for: channels last, equal nodes twice, constants to fold, weights shared, steps that undo each other."""

import numpy as np
from onnx import NodeProto

from ..graph import Value, symbol
from . import op
from .blocks import pixel_conv, two_dimensional
from .convolution import conv, finish, pool
from .elementwise import binary, unary
from .shapes import fixed


def turned(net, x, order):
    return net.node("Transpose", [x], [(x.kind, [x.shape[k] for k in order], x.exact)], perm=order)


@op("cnn", "mixed", weight=2)
def channels_last(net, x):
    """Operators on channels-last values, turned for the convolutions alone, as exporters from TensorFlow do."""
    if not two_dimensional(x):
        return None
    y = turned(net, x, [0, 2, 3, 1])
    for _ in range(net.pick(1, 2)):
        if net.chance(0.4):
            y = binary(net, net.pick("Add", "Mul"), y, net.weight(x.kind, (int(y.shape[3]),)))
        if net.chance(0.3):
            y = unary(net, "Relu", y)
        made = net.random.choice((conv, pool))(net, turned(net, y, [0, 3, 1, 2]))
        if made is None or made.kind != x.kind or made.rank != 4:
            return y
        y = turned(net, made, [0, 2, 3, 1])
    return turned(net, y, [0, 3, 1, 2]) if net.chance(0.5) else y


@op("mixed", "cnn", "elementwise", "shapes", "reduce")
def twice(net, x):
    """The node that made x once more, and both used."""
    maker = next((n for n in net.nodes if x.name in n.output), None)
    if maker is None or len(maker.output) != 1 or x.kind == "bool" or maker.op_type == "Loop" or not net.runs("Add", x.kind):
        return None
    again = NodeProto()
    again.CopyFrom(maker)
    again.name, again.output[0] = net.name("again"), net.name("v")
    if any(a.g.node for a in again.attribute):  # names in bodies exist once
        return None
    net.nodes.append(again)
    same = Value(again.output[0], x.kind, x.shape, x.exact)
    net.values.append(same)
    return binary(net, net.pick("Add", "Mul", "Sub"), x, same) if net.chance(0.7) else same


@op("mixed", "cnn", "attention")
def undone(net, x):
    """Two steps of which the second undoes the first."""
    if x.rank < 2 or x.size == 0 or not net.runs("Transpose", x.kind) or not net.runs("Reshape", x.kind):
        return None
    if net.chance(0.5):
        order = list(range(x.rank))
        net.random.shuffle(order)
        y = turned(net, x, order)
        if net.chance(0.5):
            y = unary(net, "Relu", y, exact=y.exact) if net.runs("Relu", y.kind) else y
        return turned(net, y, [int(k) for k in np.argsort(order)])
    if any(symbol(d) for d in x.shape):
        return None
    flat = net.node("Reshape", [x, net.ints(-1)], [(x.kind, (x.size,), x.exact)])
    flat = unary(net, "Abs", flat, exact=x.exact) if net.chance(0.5) and net.runs("Abs", x.kind) else flat
    return net.node("Reshape", [flat, net.ints(*map(int, x.shape))], [(x.kind, x.shape, x.exact)])


@op("mixed", "cnn", "elementwise", "matrix")
def computed_constant(net, x):
    """A constant that the graph computes, with x."""
    if x.kind != "float32" or x.size == 0 or x.rank == 0:
        return None
    n = int(x.shape[-1]) if fixed(x.shape[-1]) else 1
    first = net.weight(x.kind, (n,))
    second = unary(net, net.pick("Relu", "Exp", "Tanh", "Neg"), first)
    if net.chance(0.5):
        second = binary(net, net.pick("Add", "Mul"), second, first)
    net.values = [v for v in net.values if v.name != second.name]
    net.read.add(second.name)
    return binary(net, net.pick("Add", "Mul"), x, second)


@op("cnn")
def shared_weights(net, x):
    """One constant for several convolutions."""
    if not two_dimensional(x):
        return None
    c = int(x.shape[1])
    weight = net.weight(x.kind, (c, c, 1, 1), c)
    for _ in range(2):
        x = finish(net, net.node("Conv", [x, weight], [(x.kind, x.shape)]))
    return x


@op("cnn")
def padded_conv(net, x):
    """A Pad before a convolution, a scale and a shift behind it."""
    if not two_dimensional(x) or any(map(symbol, x.shape)):
        return None
    n, c, h, w = map(int, x.shape)
    a, b = net.pick(0, 1, 2), net.pick(0, 1)
    wide = net.node("Pad", [x, net.ints(0, 0, a, b, 0, 0, b, a)], [(x.kind, (n, c, h + a + b, w + a + b), x.exact)])
    y = pixel_conv(net, wide, net.pick(4, 8, 17), net.pick(1, 3), bias=net.chance(0.5))
    out = int(y.shape[1])
    y = binary(net, "Mul", y, net.constant(net.numpy.uniform(0.5, 2, (out, 1, 1)), x.kind))
    return binary(net, "Add", y, net.weight(x.kind, (1, out, 1, 1)))
