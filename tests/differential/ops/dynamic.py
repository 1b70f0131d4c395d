"""Shapes that graphs compute, the way exporters write them."""

import numpy as np
from onnx import numpy_helper

from ..graph import derived, symbol
from . import LARGEST, op
from .elementwise import binary
from .shapes import fixed, product, times


def shape_of(net, x):
    return net.node("Shape", [x], [("int64", (x.rank,), True)])


def extent(net, x, axis, scalar=False):
    """One extent of x, as a list of one or as a scalar."""
    at = net.constant(np.array(axis if scalar else [axis], np.int64))
    return net.node("Gather", [shape_of(net, x), at], [("int64", () if scalar else (1,), True)], axis=0)


@op("dynamic", "mixed", weight=3)
def flatten_by_shape(net, x):
    """The leading extents as they are, the rest as one."""
    if x.rank < 2 or x.size == 0 or not net.runs("Reshape", x.kind):
        return None
    head = net.random.randint(1, x.rank - 1)
    parts = [extent(net, x, k) for k in range(head)] + [net.ints(-1)]
    target = net.node("Concat", parts, [("int64", (head + 1,), True)], axis=0)
    tail = x.shape[head:]
    return net.node("Reshape", [x, target], [(x.kind, (*x.shape[:head], product(tail)), x.exact)])


@op("dynamic", weight=2)
def expand_by_shape(net, x):
    """A row of constants repeated to the shape of x, and added."""
    if x.rank == 0 or not x.floating or not net.runs("Expand", x.kind):
        return None
    row = net.weight(x.kind, [1 if symbol(d) else int(d) for d in x.shape[net.random.randrange(x.rank) :]])
    made = net.node("Expand", [row, shape_of(net, x)], [(x.kind, x.shape, True)])
    return binary(net, "Add", x, made)


@op("dynamic", weight=2)
def filled(net, x):
    if not x.floating or not net.runs("Add", x.kind):
        return None
    number = numpy_helper.from_array(np.array([net.pick(0, 1, 0.5)], x.kind))
    made = net.node("ConstantOfShape", [shape_of(net, x)], [(x.kind, x.shape, True)], value=number)
    return binary(net, "Add", x, made, exact=False)


@op("dynamic", weight=2)
def positions(net, x):
    """Numbers from 0 to an extent, added along its axis."""
    if x.rank == 0 or x.kind != "float32":
        return None
    axis = net.random.randrange(x.rank)
    end = extent(net, x, axis, scalar=True)
    count = net.node("Range", [net.constant(np.array(0)), end, net.constant(np.array(1))], [("int64", (x.shape[axis],), True)])
    made = net.node("Cast", [count], [("float32", count.shape, True)], to=1)
    if axis != x.rank - 1:
        axes = net.ints(*range(1, x.rank - axis))
        made = net.node("Unsqueeze", [made, axes], [("float32", (x.shape[axis], *[1] * (x.rank - 1 - axis)), True)])
    return binary(net, "Add", x, made)


@op("dynamic", weight=2)
def half(net, x):
    """The first or second half of an axis, whose extent the graph halves."""
    axes = [k for k, d in enumerate(x.shape) if int(d) > 1]
    if not axes or not net.runs("Slice", x.kind):
        return None
    axis, second = net.random.choice(axes), net.pick(0, 1)
    middle = net.node("Div", [extent(net, x, axis), net.ints(2)], [("int64", (1,), True)])
    ends = [middle, net.ints(2**40)] if second else [net.ints(0), middle]
    size = derived(x.shape[axis], lambda d: d - d // 2 if second else d // 2, f"half{second}")
    shape = [size if k == axis else d for k, d in enumerate(x.shape)]
    return net.node("Slice", [x, *ends, net.ints(axis)], [(x.kind, shape, x.exact)])


@op("dynamic")
def tile_by_shape(net, x):
    if x.rank == 0 or x.size * int(x.shape[0]) > LARGEST // 4 or not net.runs("Tile", x.kind):
        return None
    parts = [extent(net, x, 0)] + [net.ints(1)] * (x.rank - 1)
    times = net.node("Concat", parts, [("int64", (x.rank,), True)], axis=0)
    shape = [product([x.shape[0]] * 2), *x.shape[1:]]
    return net.node("Tile", [x, times], [(x.kind, shape, x.exact)])


@op("dynamic", "cnn")
def resize_by_shape(net, x):
    """Twice the extents, as the graph computes them."""
    if x.rank != 4 or x.kind != "float32" or x.size == 0 or x.size * 4 > LARGEST:
        return None
    shape = shape_of(net, x)
    head = net.node("Slice", [shape, net.ints(0), net.ints(2)], [("int64", (2,), True)])
    tail = net.node("Slice", [shape, net.ints(2), net.ints(4)], [("int64", (2,), True)])
    twice = net.node("Mul", [tail, net.ints(2)], [("int64", (2,), True)])
    sizes = net.node("Concat", [head, twice], [("int64", (4,), True)], axis=0)
    out = [*x.shape[:2], *(times(d, 2) for d in x.shape[2:])]
    mode = net.pick("nearest", "linear")
    attributes = {"mode": mode, "coordinate_transformation_mode": "asymmetric" if mode == "nearest" else "half_pixel"}
    if mode == "nearest":
        attributes["nearest_mode"] = "floor"
    return net.node("Resize", [x, None, None, sizes], [(x.kind, out)], **attributes)


@op("dynamic")
def batch_of(net, x):
    """Zeros for a state: as many rows as x has."""
    if x.rank < 2 or not fixed(x.shape[-1]) or x.kind != "float32":
        return None
    width = net.pick(1, 3)
    target = net.node("Concat", [extent(net, x, 0), net.ints(width)], [("int64", (2,), True)], axis=0)
    made = net.node("ConstantOfShape", [target], [("float32", (x.shape[0], width), True)])
    if x.rank == 2:
        return net.node("Concat", [x, made], [("float32", (x.shape[0], int(x.shape[1]) + width), x.exact)], axis=1)
    return made


@op("dynamic")
def size_of(net, x):
    made = net.node("Size", [x], [("int64", (), True)])
    return net.node("Cast", [made], [("float32", (), True)], to=1)
