"""Kinds of networks: what a graph takes, and from which pools its operators come."""

import numpy as np

from . import kinds
from .ops import grow
from .ops.elementwise import numbers

EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17)


def sizes(net, rank, most=600):
    while True:
        shape = [net.pick(*EXTENTS) for _ in range(rank)]
        size = 1
        for d in shape:
            size *= d
        if size <= most:
            return shape


def opened(net, shape, names):
    """Some of the extents left open, if this graph has open ones: names[k] is the symbol of axis k."""
    if not net.symbols:
        return tuple(shape)
    return tuple(net.open(s) if s in net.symbols else d for d, s in zip(shape, names))


def float_kind(net):
    return net.pick("float32", "float32", "float32", "float32", "float16", "float64")


def cnn(net):
    spatial = net.pick(2, 2, 2, 2, 2, 2, 1, 3)
    kind = "float16" if net.chance(0.04) else "float32"
    c = net.pick(1, 3, 3, 4, 8, 16, 17, 24)
    extents = [net.pick(1, 4, 5, 6, 7, 8, 9, 12, 14, 16) for _ in range(spatial)]
    if spatial == 3:
        extents = [min(d, 6) for d in extents]
    x = net.input(kind, opened(net, [net.pick(1, 1, 2, 3), c, *extents], ["N", "", "H", "W", "D"]))
    grow(net, "cnn", net.random.randint(2, 10), x)


def attention(net):
    n, length, c = net.pick(1, 2, 3), net.pick(1, 2, 4, 5, 7, 9, 16), net.pick(1, 4, 6, 8, 12, 16, 17, 32)
    shape = opened(net, [n, length], ["N", "L"])
    if net.chance(0.3):
        words = net.input("int64", shape, lambda g, s: g.integers(0, 11, s))
        x = net.node("Gather", [net.weight("float32", (11, c)), words], [("float32", (*shape, c), True)])
    else:
        x = net.input(net.pick("float32", "float32", "float32", "float32", "float16"), (*shape, c))
    if net.chance(0.05):  # long enough for several threads
        x = net.input("float32", (n, 65, 32))
    grow(net, "attention", net.random.randint(2, 7), x)


def recurrent(net):
    shape = opened(net, [net.pick(1, 2, 5, 7), net.pick(1, 2, 3), net.pick(1, 3, 4, 8, 17)], ["L", "N", ""])
    grow(net, "rnn", net.random.randint(1, 4), net.input("float32", shape))


def general(pool, kind_of, most, rank=(0, 1, 2, 3, 4), extra=0.4, empties=0.05):
    """A family over one pool: inputs of any rank."""

    def build(net):
        kind = kind_of(net)
        shape = sizes(net, net.pick(*rank))
        if shape and net.chance(empties):
            shape[net.random.randrange(len(shape))] = 0
        shape = opened(net, shape, [net.pick("N", "L", "H", "") for _ in shape])
        x = net.input(kind, shape)
        if net.chance(extra):
            net.input(kind, shape if net.chance(0.6) else shape[net.random.randrange(len(shape) + 1) :])
        if net.chance(0.2):
            numbers(net, kind, [1] * len(shape))
        grow(net, pool, net.random.randint(1, most), x)

    return build


def specials(net):
    """Numbers that are none, infinite, tiny or huge among the usual ones."""

    def make(generator, shape):
        odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, 1e30, -1e30])
        return np.where(generator.random(shape) < 0.2, generator.choice(odd, shape), generator.standard_normal(shape))

    x = net.input("float32", opened(net, sizes(net, net.pick(1, 2, 3, 4)), ["N", "", "L", ""]), make)
    net.finite = False
    # A NaN is the result of a maximum over it here, as in NumPy; ONNX Runtime's reductions pass over it.
    grow(net, net.pick("elementwise", "shapes"), net.random.randint(1, 4), x)


def any_kind(net):
    return net.random.choice(kinds.ALL) if net.chance(0.7) else "float32"


def always(kind):
    return lambda net: kind


# family -> (builder, how often)
FAMILIES = {
    "cnn": (cnn, 24),
    "attention": (attention, 12),
    "rnn": (recurrent, 5),
    "matrix": (general("matrix", float_kind, 5, rank=(1, 2, 2, 2, 3, 3, 4), empties=0.0), 8),
    "normalize": (general("normalize", float_kind, 4, rank=(1, 2, 3, 4, 4)), 7),
    "reduce": (general("reduce", float_kind, 5), 8),
    "elementwise": (general("elementwise", float_kind, 9), 10),
    "types": (general("types", any_kind, 8), 9),
    "shapes": (general("shapes", any_kind, 8), 10),
    "dynamic": (general("dynamic", always("float32"), 5, rank=(1, 2, 3, 4)), 7),
    "control": (general("control", always("float32"), 3, rank=(1, 2, 3, 3, 4), empties=0.02), 9),
    "mixed": (general("mixed", always("float32"), 12, rank=(2, 3, 4, 4)), 10),
    "vision": (general("vision", always("float32"), 4, rank=(2, 3, 3, 4, 4, 4), empties=0.0), 6),
    "specials": (specials, 3),
    "quantized": (general("quantized", always("float32"), 3, rank=(2, 3, 4, 4), empties=0.0), 3),
}
