"""Normalisations, as operators and as exporters write them out."""

import math

from ..graph import smallest, symbol
from . import op
from .elementwise import binary, scalar, unary
from .reduce import axes_input
from .shapes import fixed


@op("normalize", "attention", "mixed", "rnn", weight=3)
def layer_norm(net, x):
    if x.rank < 1 or x.size == 0 or not fixed(x.shape[-1]) or net.opset < 17 or not net.runs("LayerNormalization", x.kind):
        return None
    axis = x.rank - 1
    while axis > 0 and net.chance(0.2) and fixed(x.shape[axis - 1]):
        axis -= 1
    shape = [int(d) for d in x.shape[axis:]]
    if x.kind == "float32" and net.chance(0.15):
        x = with_constant_rows(net, x, len(shape))
    scale = net.constant(net.numpy.uniform(0.5, 1.5, [1] * len(shape) if net.chance(0.15) else shape), x.kind)
    bias = net.weight(x.kind, shape) if net.chance(0.7) else None
    attributes = {"axis": axis - x.rank if net.chance(0.6) else axis, "epsilon": net.pick(1e-5, 1e-3)}
    return net.node("LayerNormalization", [x, scale, bias], [(x.kind, x.shape)], **attributes)


def with_constant_rows(net, x, axes):
    """Some rows are the same small number throughout: their mean is exact, their variance nothing."""
    rows = [int(d) if fixed(d) else 1 for d in x.shape[: x.rank - axes]] + [1] * axes
    kept = net.numpy.integers(0, 2, rows).astype("float32")
    x = binary(net, "Mul", x, net.constant(kept, x.kind))
    return binary(net, "Add", x, net.constant((1 - kept) * net.pick(1, 3, -2), x.kind))


@op("normalize", "attention", weight=2)
def rms_norm(net, x):
    if x.rank < 1 or x.size == 0 or not fixed(x.shape[-1]):
        return None
    n = int(x.shape[-1])
    scale = net.constant(net.numpy.uniform(0.5, 1.5, n), x.kind) if x.floating else None
    if net.opset >= 23 and net.chance(0.5) and net.runs("RMSNormalization", x.kind):
        return net.node("RMSNormalization", [x, scale], [(x.kind, x.shape)], axis=-1)
    if x.kind != "float32":
        return None
    mean = mean_over(net, binary(net, "Pow", x, scalar(net, x.kind, 2)))
    root = unary(net, "Sqrt", binary(net, "Add", mean, scalar(net, x.kind, 1e-5)))
    if net.chance(0.5):
        made = binary(net, "Div", x, root)
    else:
        made = binary(net, "Mul", x, unary(net, "Reciprocal", root))
    return binary(net, "Mul", made, scale)


def mean_over(net, x):
    shape = [*x.shape[:-1], 1]
    if axes_input(net, "Mean"):
        return net.node("ReduceMean", [x, net.ints(-1)], [(x.kind, shape)])
    return net.node("ReduceMean", [x], [(x.kind, shape)], axes=[-1])


@op("normalize", "attention", "mixed")
def layer_norm_written_out(net, x):
    if x.rank < 1 or x.size == 0 or x.kind != "float32" or not fixed(x.shape[-1]):
        return None
    centred = binary(net, "Sub", x, mean_over(net, x))
    square = binary(net, "Pow", centred, scalar(net, x.kind, 2)) if net.chance(0.7) else binary(net, "Mul", centred, centred)
    root = unary(net, "Sqrt", binary(net, "Add", mean_over(net, square), scalar(net, x.kind, 1e-5)))
    made = binary(net, "Div", centred, root)
    n = int(x.shape[-1])
    if net.chance(0.8):
        made = binary(net, "Mul", made, net.constant(net.numpy.uniform(0.5, 1.5, n), x.kind))
        made = binary(net, "Add", made, net.weight(x.kind, (n,)))
    return made


@op("normalize", "cnn")
def instance_norm(net, x):
    if x.rank < 3 or not fixed(x.shape[1]) or x.kind != "float32" or smallest(x.shape[2:]) < 2 or x.size == 0:
        return None
    c = int(x.shape[1])
    scale = net.constant(net.numpy.uniform(0.5, 1.5, c), x.kind)
    return net.node("InstanceNormalization", [x, scale, net.weight(x.kind, (c,))], [(x.kind, x.shape)], epsilon=1e-5)


@op("normalize", "cnn")
def group_norm(net, x):
    if x.rank < 3 or not fixed(x.shape[1]) or x.kind != "float32" or x.size == 0 or net.opset < 21:
        return None
    c = int(x.shape[1])
    groups = net.random.choice([g for g in (1, 2, 3, 4, 8, c) if c % g == 0])
    if smallest(x.shape[2:]) * c // groups < 2:
        return None
    scale = net.constant(net.numpy.uniform(0.5, 1.5, c), x.kind)
    return net.node(
        "GroupNormalization", [x, scale, net.weight(x.kind, (c,))], [(x.kind, x.shape)], num_groups=groups, epsilon=1e-5
    )


@op("normalize")
def mean_variance(net, x):
    if x.rank != 4 or x.kind != "float32" or x.size == 0 or any(map(symbol, x.shape)):
        return None
    axes = net.pick([0, 2, 3], [2, 3], [1, 2, 3])
    if math.prod(int(x.shape[a]) for a in axes) < 2:
        return None
    x = binary(net, "Add", x, net.weight(x.kind, list(map(int, x.shape))))  # of equal values, ONNX Runtime makes NaN
    return unary(net, "MeanVarianceNormalization", x, axes=axes)
