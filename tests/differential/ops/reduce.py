"""Reductions, sums along an axis, positions of extremes, sorting."""

import numpy as np

from .. import kinds
from ..graph import symbol
from . import op
from .elementwise import binary, scalar, unary, within
from .shapes import fixed, signed

_REDUCTIONS = "Sum Mean Max Min Prod SumSquare L1 L2 LogSumExp LogSum".split()


def axes_input(net, name):
    """Whether the opset gives the axes of a reduction as an input."""
    return net.opset >= (13 if name == "Sum" else 18)


@op("reduce", "mixed", weight=4)
@op("types", "cnn")
def reduction(net, x):
    name = net.random.choice(_REDUCTIONS)
    op_name = f"Reduce{name}"
    if x.kind == "bool" or x.size == 0 or not net.runs(op_name, x.kind):
        return None
    if not x.floating and name in ("Mean", "L2", "LogSumExp", "LogSum", "Prod", "SumSquare"):
        return None
    if name == "LogSum":
        x = within(net, x, "positive")
    axes = sorted(net.random.sample(range(x.rank), net.random.randint(0, x.rank)))
    if name == "Prod" and np.prod([int(x.shape[a]) for a in axes or range(x.rank)]) > 16:
        return None
    keep = net.pick(0, 1)
    over = axes or range(x.rank)
    shape = [1 if k in over else d for k, d in enumerate(x.shape) if keep or k not in over]
    given, attributes = [x], {"keepdims": keep} if net.chance(0.8) or not keep else {}
    if not axes and axes_input(net, name) and net.chance(0.3):  # over nothing at all
        attributes["noop_with_empty_axes"] = 1
        if name not in ("Sum", "Mean", "Max", "Min"):
            return None
        shape = x.shape
    elif axes:
        axes = [signed(net, a, x.rank) for a in axes]
        if axes_input(net, name):
            given.append(net.ints(*axes))
        else:
            attributes["axes"] = axes
    exact = x.exact and (name in ("Max", "Min") or not x.floating)
    return net.node(op_name, given, [(x.kind, shape, exact)], **attributes)


@op("reduce", "types", weight=2)
def position(net, x):
    name = net.pick("ArgMax", "ArgMin")
    if not x.exact or x.rank == 0 or x.size == 0 or x.kind == "bool" or not net.runs(name, x.kind):
        return None
    axis, keep = net.random.randrange(x.rank), net.pick(0, 1)
    shape = [1 if k == axis else d for k, d in enumerate(x.shape) if keep or k != axis]
    attributes = {"axis": signed(net, axis, x.rank), "keepdims": keep, "select_last_index": net.pick(0, 0, 1)}
    return net.node(name, [x], [("int64", shape, True)], **attributes)


@op("reduce", "mixed")
def cumulative(net, x):
    name = "CumProd" if net.opset >= 26 and net.chance(0.3) else "CumSum"
    if x.rank == 0 or x.size == 0 or x.kind == "float16" or not net.runs(name, x.kind):
        return None
    axis = net.constant(np.array(signed(net, net.random.randrange(x.rank), x.rank)), net.pick("int32", "int64"))
    attributes = {"exclusive": net.pick(0, 1), "reverse": net.pick(0, 1)}
    return net.node(name, [x, axis], [(x.kind, x.shape, not x.floating)], **attributes)


@op("reduce", "types", weight=2)
def top_k(net, x):
    """The largest or smallest: their positions only where no rounding can change the order."""
    axes = [k for k, d in enumerate(x.shape) if fixed(d) and int(d) > 0]
    if not axes or not net.runs("TopK", x.kind) or x.kind == "float16":
        return None
    axis = net.random.choice(axes)
    k = net.random.randint(1, int(x.shape[axis]))
    shape = [k if a == axis else d for a, d in enumerate(x.shape)]
    attributes = {"axis": signed(net, axis, x.rank), "largest": net.pick(0, 1), "sorted": 1}
    values, positions = net.node("TopK", [x, net.ints(k)], [(x.kind, shape, x.exact), ("int64", shape, True)], **attributes)
    if not x.exact:
        net.values.remove(positions)
    return net.pick(values, positions) if x.exact else values


@op("reduce", "attention", "mixed", "cnn", weight=2)
def softmax(net, x):
    name = net.pick("Softmax", "Softmax", "LogSoftmax")
    if x.rank == 0 or not net.runs(name, x.kind):
        return None
    return unary(net, name, x, axis=signed(net, net.random.randrange(x.rank), x.rank))


@op("reduce")
def hard_max(net, x):
    if not x.exact or x.rank == 0 or x.size == 0 or not net.runs("Hardmax", x.kind):
        return None
    return unary(net, "Hardmax", x, exact=True, axis=signed(net, net.random.randrange(x.rank), x.rank))


@op("reduce")
def norm(net, x):
    """LpNormalization."""
    if x.rank == 0 or x.size == 0 or x.kind != "float32":
        return None
    return unary(net, "LpNormalization", x, axis=net.random.randrange(x.rank), p=net.pick(1, 2))


@op("reduce", "mixed")
def softmax_written_out(net, x):
    if x.kind != "float32" or x.rank == 0 or x.size == 0:
        return None
    axis = x.rank - 1 if net.chance(0.7) else net.random.randrange(x.rank)

    def over(name, v):
        shape = [1 if k == axis else d for k, d in enumerate(v.shape)]
        if axes_input(net, name):
            return net.node(f"Reduce{name}", [v, net.ints(axis)], [(v.kind, shape)])
        return net.node(f"Reduce{name}", [v], [(v.kind, shape)], axes=[axis])

    powers = unary(net, "Exp", binary(net, "Sub", x, over("Max", x)))
    return binary(net, "Div", powers, over("Sum", powers))


@op("reduce", "mixed")
def einsum(net, x):
    if x.kind not in ("float32", "float64") or x.rank not in (2, 3) or any(map(symbol, x.shape)) or x.size == 0:
        return None
    m, n = int(x.shape[-1]), net.pick(1, 3, 8)
    if x.rank == 2:
        y = net.weight(x.kind, (m, n), m)
        text = net.pick("ij,jk->ik", "ij,jk->ki", "ij,jk")
        shape = (n, x.shape[0]) if text.endswith("ki") else (x.shape[0], n)
    else:
        y = net.weight(x.kind, (int(x.shape[0]), m, n), m)
        text, shape = net.pick(
            ("bij,bjk->bik", (*x.shape[:2], n)), ("bij,bjk->bki", (x.shape[0], n, x.shape[1])), ("bij,bjk->ik", (x.shape[1], n))
        )
    return net.node("Einsum", [x, y], [(x.kind, shape)], equation=text)


@op("types")
def range_(net, x):
    """As many numbers as an extent says."""
    kind = net.pick("int64", "int32", "float32")
    n = net.pick(0, 1, 5) if net.chance(0.3) else net.pick(2, 7)
    step = net.pick(1, 2)
    ends = [scalar(net, kind, v) for v in (0, n * step, step)]
    return net.node("Range", ends, [(kind, (n,), True)]) if kind in kinds.ALL else None
