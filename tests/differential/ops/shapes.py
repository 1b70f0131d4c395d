"""Operators that move data: every type, empty tensors, open extents."""

import math

import numpy as np

from ..graph import derived, same, symbol, unknown
from . import LARGEST, op


def axis_of(net, x, test=lambda d: True):
    fit = [k for k, d in enumerate(x.shape) if test(d)]
    return net.random.choice(fit) if fit else None


def signed(net, axis, rank):
    """An axis counted from the front or from the back."""
    return axis - rank if net.chance(0.3) else axis


def fixed(d):
    return not symbol(d)


def product(extents):
    return extents[0] if len(extents) == 1 else derived(extents, lambda *d: math.prod(d), "product")


def plus(extent, more):
    return derived(extent, lambda d: d + more, f"+{more}")


def times(extent, factor):
    return derived(extent, lambda d: int(d * factor), f"x{factor}") if factor != 1 else extent


@op("shapes", "mixed", "types", weight=2)
def transpose(net, x):
    if x.rank == 0 or not net.runs("Transpose", x.kind):
        return None
    order = list(range(x.rank))
    net.random.shuffle(order)
    attributes = {"perm": order}
    if net.chance(0.15):
        order, attributes = list(range(x.rank))[::-1], {}
    return net.node("Transpose", [x], [(x.kind, [x.shape[k] for k in order], x.exact)], **attributes)


def factors(net, size, most=4):
    """A random way to write a number of elements as a shape."""
    shape = [1] * net.pick(0, 0, 1)
    while size > 1 and len(shape) < most:
        divisors = [d for d in range(2, size + 1) if size % d == 0]
        d = net.random.choice(divisors[:6] + [size])
        shape.append(d)
        size //= d
    if size > 1:
        shape.append(size)
    net.random.shuffle(shape)
    return shape


@op("shapes", "mixed", "types", weight=3)
def reshape(net, x):
    if not net.runs("Reshape", x.kind):
        return None
    if x.size == 0:
        return reshape_of_nothing(net, x)
    opened = [k for k, d in enumerate(x.shape) if symbol(d)]
    if not opened:
        shape = factors(net, x.size)
        target = list(shape)
        if target and net.chance(0.4):
            target[net.random.randrange(len(target))] = -1
    elif opened == [0]:  # the batch stays, the rest is cut anew
        rest = factors(net, x.size // int(x.shape[0]))
        shape, target = [x.shape[0], *rest], [net.pick(0, -1), *rest]
    else:
        head = net.random.randrange(x.rank)
        tail = x.shape[head:]
        last = product(tail)
        shape, target = [*x.shape[:head], last], [0] * head + [-1]
    return net.node("Reshape", [x, net.ints(*target)], [(x.kind, shape, x.exact)])


def reshape_of_nothing(net, x):
    """A 0 in the target means no elements with allowzero, else the extent at its place."""
    if any(map(symbol, x.shape)):
        return None
    if net.opset >= 14 and net.chance(0.6):
        shape = [0, *(net.pick(1, 2, 3, 0) for _ in range(net.random.randrange(3)))]
        net.random.shuffle(shape)
        return net.node("Reshape", [x, net.ints(*shape)], [(x.kind, shape, x.exact)], allowzero=1)
    first = [int(d) for d in x.shape].index(0)
    shape = [*(int(d) for d in x.shape[: first + 1]), net.pick(1, 4)]
    return net.node("Reshape", [x, net.ints(*(d if d else 0 for d in shape))], [(x.kind, shape, x.exact)])


@op("shapes", "mixed")
def flatten(net, x):
    if any(map(symbol, x.shape)) or not net.runs("Flatten", x.kind):
        return None
    axis = net.random.randrange(x.rank + 1)
    sizes = [int(np.prod(x.shape[:axis], dtype=np.int64)), int(np.prod(x.shape[axis:], dtype=np.int64))]
    return net.node("Flatten", [x], [(x.kind, sizes, x.exact)], axis=signed(net, axis, x.rank) if axis < x.rank else axis)


@op("shapes", "mixed")
def squeeze(net, x):
    ones = [k for k, d in enumerate(x.shape) if int(d) == 1 and fixed(d)]
    if not ones or not net.runs("Squeeze", x.kind):
        return None
    if net.chance(0.2) and not any(symbol(d) for d in x.shape):
        return net.node("Squeeze", [x], [(x.kind, [d for d in x.shape if int(d) != 1], x.exact)])
    gone = net.random.sample(ones, net.random.randint(1, len(ones)))
    axes = net.ints(*(signed(net, k, x.rank) for k in gone))
    return net.node("Squeeze", [x, axes], [(x.kind, [d for k, d in enumerate(x.shape) if k not in gone], x.exact)])


@op("shapes", "mixed")
def unsqueeze(net, x):
    if x.rank > 4 or not net.runs("Unsqueeze", x.kind):
        return None
    rank = x.rank + net.pick(1, 1, 2)
    new = net.random.sample(range(rank), rank - x.rank)
    old = iter(x.shape)
    shape = [1 if k in new else next(old) for k in range(rank)]
    return net.node("Unsqueeze", [x, net.ints(*(signed(net, k, rank) for k in new))], [(x.kind, shape, x.exact)])


@op("shapes", "mixed", "types", weight=3)
def slice_(net, x):
    if x.rank == 0 or not net.runs("Slice", x.kind):
        return None
    axes = net.random.sample(range(x.rank), net.random.randint(1, min(2, x.rank)))
    starts, ends, strides, shape = [], [], [], list(x.shape)
    for axis in axes:
        size, stride = int(x.shape[axis]), net.pick(1, 1, 1, 2, 3, -1, -2)
        if fixed(x.shape[axis]):
            low, high = net.random.randint(-size - 1, size + 1), net.random.randint(-size - 1, size + 2)
            if stride < 0:  # before the first element, ONNX Runtime begins with the first and NumPy nowhere
                low = max(low, -size)
            if net.chance(0.6):
                low, high = (0, net.random.randint(1, size + 1)) if stride > 0 else (size, -size - 2)
        else:
            low, high = (net.pick(0, 0, 1, -2), 2**31) if stride > 0 else (net.pick(-1, -1, 5), -(2**31))
        starts.append(low)
        ends.append(high)
        strides.append(stride)
        cut = slice(low, high if abs(high) < 2**30 else None, stride)
        shape[axis] = derived(x.shape[axis], lambda d, cut=cut: len(range(d)[cut]), f"slice{low}:{high}:{stride}")
    kind = net.pick("int64", "int64", "int32")
    given = [net.constant(np.array(n, np.int64), kind) for n in (starts, ends, [signed(net, a, x.rank) for a in axes], strides)]
    if kind == "int32" and any(abs(n) >= 2**31 - 1 for n in starts + ends):
        given = [net.ints(*n) for n in (starts, ends, axes, strides)]
    if axes == list(range(x.rank)) and set(strides) == {1}:
        given = given[: net.pick(2, 4)]
    return net.node("Slice", [x, *given], [(x.kind, shape, x.exact)])


@op("shapes", "mixed", "types", weight=2)
def split(net, x):
    axis = axis_of(net, x, lambda d: fixed(d) and int(d) > 1)
    if axis is None or not net.runs("Split", x.kind):
        return None
    size, n = int(x.shape[axis]), net.pick(2, 2, 3)
    if size < n:
        return None
    attributes, given = {"axis": signed(net, axis, x.rank)}, [x]
    if net.chance(0.4) and (size % n == 0 or net.opset >= 18):
        chunk = -(-size // n)
        sizes = [chunk] * (n - 1) + [size - chunk * (n - 1)]
        if sizes[-1] <= 0:
            return None
        if net.opset >= 18:
            attributes["num_outputs"] = n
    else:
        cuts = sorted(net.random.sample(range(0 if net.chance(0.1) else 1, size), n - 1))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, size])]
        given.append(net.ints(*sizes))
    outs = net.node(
        "Split", given, [(x.kind, [*x.shape[:axis], s, *x.shape[axis + 1 :]], x.exact) for s in sizes], **attributes
    )
    return net.random.choice(outs)


@op("shapes", "mixed", "types", "cnn", weight=3)
def concat(net, x):
    if x.rank == 0 or not net.runs("Concat", x.kind):
        return None
    axis = net.random.randrange(x.rank) if x.rank != 4 or net.chance(0.3) else 1
    parts = [x]
    for _ in range(net.pick(1, 1, 2, 3)):
        fit = net.some(
            lambda v: (
                v.kind == x.kind
                and v.rank == x.rank
                and all(same(a, b) for k, (a, b) in enumerate(zip(v.shape, x.shape)) if k != axis)
            ),
            recent=False,
        )
        parts.append(fit or x)
    net.random.shuffle(parts)
    extents = [p.shape[axis] for p in parts]
    total = derived(extents, lambda *d: sum(d), "sum")
    shape = [*x.shape[:axis], total, *x.shape[axis + 1 :]]
    if np.prod([int(d) for d in shape]) > LARGEST:
        return None
    return net.node("Concat", parts, [(x.kind, shape, all(p.exact for p in parts))], axis=signed(net, axis, x.rank))


def indices(net, shape, below):
    """Positions below an extent, negative ones among them."""
    array = net.numpy.integers(-below, below, shape) if net.chance(0.4) else net.numpy.integers(0, below, shape)
    return net.constant(array, net.pick("int64", "int64", "int32"))


@op("shapes", "mixed", "types", weight=2)
def gather(net, x):
    axis = axis_of(net, x, lambda d: fixed(d) and int(d) > 0)
    if axis is None or not net.runs("Gather", x.kind):
        return None
    shape = net.pick([], [1], [2], [5], [2, 3], [0] if net.chance(0.2) else [3])
    at = indices(net, shape, int(x.shape[axis]))
    result = [*x.shape[:axis], *shape, *x.shape[axis + 1 :]]
    return net.node("Gather", [x, at], [(x.kind, result, x.exact)], axis=signed(net, axis, x.rank))


@op("shapes", "types")
def gather_elements(net, x):
    if x.rank == 0 or x.size == 0 or any(map(symbol, x.shape)) or not net.runs("GatherElements", x.kind):
        return None
    axis = net.random.randrange(x.rank)
    shape = [net.random.randint(1, int(d)) if k != axis else net.pick(1, 2, 5) for k, d in enumerate(x.shape)]
    at = indices(net, shape, int(x.shape[axis]))
    return net.node("GatherElements", [x, at], [(x.kind, shape, x.exact)], axis=signed(net, axis, x.rank))


@op("shapes", "types")
def gather_nd(net, x):
    if x.rank == 0 or x.size == 0 or any(map(symbol, x.shape)) or not net.runs("GatherND", x.kind):
        return None
    depth, outer = net.random.randint(1, x.rank), net.pick([1], [3], [2, 2])
    rows = [net.numpy.integers(-int(d) if net.chance(0.3) else 0, int(d), outer) for d in x.shape[:depth]]
    return net.node("GatherND", [x, net.constant(np.stack(rows, -1))], [(x.kind, [*outer, *x.shape[depth:]], x.exact)])


@op("shapes", "types")
def scatter(net, x):
    if x.rank == 0 or x.size == 0 or any(map(symbol, x.shape)):
        return None
    axis = net.random.randrange(x.rank)
    reduction = net.pick("none", "none", "add", "mul", "max", "min") if net.opset >= 18 and x.kind != "bool" else "none"
    if x.kind == "float16" or (reduction in ("max", "min") and not net.finite):  # the standard leaves max over a NaN open
        reduction = "none"
    exact = x.exact and (reduction not in ("add", "mul") or not x.floating)
    attributes = {} if reduction == "none" else {"reduction": reduction}
    from .elementwise import numbers

    if net.chance(0.5):
        if not net.runs("ScatterElements", x.kind):
            return None
        width = net.random.randint(1, int(x.shape[axis]))  # each position once, so that the order does not matter
        shape = [width if k == axis else net.random.randint(1, int(d)) for k, d in enumerate(x.shape)]
        at = net.numpy.permuted(
            np.broadcast_to(np.arange(int(x.shape[axis])), [*np.delete(shape, axis), int(x.shape[axis])]), axis=-1
        )
        at = np.moveaxis(at, -1, axis)
        at = np.take(at, range(width), axis)
        updates = numbers(net, x.kind, shape)
        return net.node("ScatterElements", [x, net.constant(at), updates], [(x.kind, x.shape, exact)], axis=axis, **attributes)
    if not net.runs("ScatterND", x.kind):
        return None
    n = net.random.randint(1, int(x.shape[0]))
    at = net.numpy.permutation(int(x.shape[0]))[:n].reshape(n, 1)
    updates = numbers(net, x.kind, [n, *map(int, x.shape[1:])])
    return net.node("ScatterND", [x, net.constant(at), updates], [(x.kind, x.shape, exact)], **attributes)


@op("shapes", "mixed", "types", "cnn", weight=2)
def pad(net, x):
    if x.rank == 0 or x.size == 0 or not net.runs("Pad", x.kind):
        return None
    mode = net.pick("constant", "constant", "reflect", "edge", *(["wrap"] if net.opset >= 19 else []))
    before, after, shape = [0] * x.rank, [0] * x.rank, list(x.shape)
    for axis in net.random.sample(range(x.rank), net.random.randint(1, min(2, x.rank))):
        most = 2 if mode == "constant" else min(2, int(x.shape[axis]) - 1)
        if most < 1 or symbol(x.shape[axis]) and mode != "constant":
            continue
        b, a = net.random.randint(0, most), net.random.randint(0, most)
        if mode == "constant" and fixed(x.shape[axis]) and int(x.shape[axis]) > 2 and net.chance(0.15):
            b = -1
        before[axis], after[axis] = b, a
        shape[axis] = plus(x.shape[axis], a + b)
    given = [x, net.ints(*before, *after)]
    if mode == "constant" and net.chance(0.5):
        given.append(net.constant(np.array(net.pick(0, 1, 2)), x.kind))
    if mode == "constant" and net.opset >= 18 and net.chance(0.2):
        given = [x, net.ints(*before, *after), given[2] if len(given) > 2 else None, net.ints(*range(x.rank))]
    if np.prod([int(d) for d in shape]) > LARGEST:
        return None
    return net.node("Pad", given, [(x.kind, shape, x.exact)], mode=mode)


@op("shapes", "mixed", "types")
def tile(net, x):
    if x.rank == 0 or not net.runs("Tile", x.kind):
        return None
    repeats = [net.pick(1, 1, 2, 3) for _ in x.shape]
    shape = [times(d, n) for d, n in zip(x.shape, repeats)]
    if x.size * np.prod(repeats) > LARGEST:
        return None
    return net.node("Tile", [x, net.ints(*repeats)], [(x.kind, shape, x.exact)])


@op("shapes", "mixed", "types")
def expand(net, x):
    if not net.runs("Expand", x.kind):
        return None
    front = [net.pick(1, 2, 3)] if x.rank < 5 and net.chance(0.3) else []
    target = front + [net.pick(1, 2, 4) if int(d) == 1 and fixed(d) else (1 if symbol(d) else int(d)) for d in x.shape]
    shape = front + [d if symbol(d) else t for d, t in zip(x.shape, target[len(front) :])]
    if x.size == 0 or np.prod([int(d) for d in shape]) > LARGEST:
        return None
    return net.node("Expand", [x, net.ints(*target)], [(x.kind, shape, x.exact)])


@op("shapes")
def rearrange(net, x):
    """DepthToSpace and SpaceToDepth."""
    if x.rank != 4 or x.kind not in ("float32", "float64", "float16"):
        return None
    n, c, h, w = x.shape
    if fixed(c) and int(c) % 4 == 0:
        shape = [n, int(c) // 4, times(h, 2), times(w, 2)]
        return net.node("DepthToSpace", [x], [(x.kind, shape, x.exact)], blocksize=2, mode=net.pick("DCR", "CRD"))
    if fixed(h) and fixed(w) and int(h) % 2 == 0 and int(w) % 2 == 0 and fixed(c):
        return net.node("SpaceToDepth", [x], [(x.kind, [n, int(c) * 4, int(h) // 2, int(w) // 2], x.exact)], blocksize=2)
    return None


@op("shapes")
def triangle(net, x):
    if x.rank < 2 or x.size == 0 or not net.runs("Trilu", x.kind) or x.kind == "float16":
        return None
    return net.node(
        "Trilu", [x, net.constant(np.array(net.pick(-2, -1, 0, 1, 2)))], [(x.kind, x.shape, x.exact)], upper=net.pick(0, 1)
    )


@op("shapes", "dynamic")
def reverse(net, x):
    if x.rank < 2 or any(symbol(d) for d in x.shape[:2]) or x.size == 0 or not net.runs("ReverseSequence", x.kind):
        return None
    batch = net.pick(0, 1)
    lengths = net.constant(net.numpy.integers(1, int(x.shape[1 - batch]) + 1, [int(x.shape[batch])]))
    return net.node("ReverseSequence", [x, lengths], [(x.kind, x.shape, x.exact)], batch_axis=batch, time_axis=1 - batch)


@op("shapes", "types")
def one_hot(net, x):
    if x.kind != "int64" or not 0 < x.rank < 4 or x.size > 500:
        return None
    depth, kind = net.pick(2, 5), net.pick("float32", "int64")
    axis = net.random.randint(-x.rank - 1, x.rank)
    shape = list(x.shape)
    shape.insert(axis if axis >= 0 else x.rank + 1 + axis, depth)
    given = [x, net.constant(np.array(depth), "int64"), net.constant(np.array([0, 1]), kind)]
    return net.node("OneHot", given, [(kind, shape, True)], axis=axis)


@op("shapes", "dynamic")
def non_zero(net, x):
    """Positions whose number only the run tells."""
    if not x.exact or x.rank == 0 or not net.runs("NonZero", x.kind):
        return None
    return net.node("NonZero", [x], [("int64", [x.rank, unknown(net, "found")], True)])


@op("shapes", "dynamic")
def compress(net, x):
    if x.rank == 0 or x.size == 0 or any(map(symbol, x.shape)) or not net.runs("Compress", x.kind):
        return None
    axis = net.random.randrange(x.rank)
    keep = net.some(lambda v: v.kind == "bool" and v.rank == 1 and int(v.shape[0]) <= int(x.shape[axis]) and fixed(v.shape[0]))
    if keep is None:
        keep = net.constant(net.numpy.random(int(x.shape[axis])) < 0.6)
    shape = [unknown(net, "kept") if k == axis else d for k, d in enumerate(x.shape)]
    return net.node("Compress", [x, keep], [(x.kind, shape, x.exact)], axis=axis)
