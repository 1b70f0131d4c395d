"""Operators that work element by element, with broadcasting."""

import math

import numpy as np

from .. import kinds
from ..graph import same, symbol
from . import LARGEST, op

# operator, first opset, what keeps its argument where the result is finite and well conditioned
_SMOOTH = [
    *(
        (name, 1, None)
        for name in "Sigmoid Tanh Erf Softplus Softsign Sin Cos Atan Elu Selu LeakyRelu HardSigmoid Asinh".split()
    ),
    ("Celu", 12, None),
    ("HardSwish", 14, None),
    ("Mish", 18, None),
    ("Gelu", 20, None),
    ("Swish", 24, None),
    *((name, 1, "bounded") for name in "Exp Acos Asin Sinh Cosh Tan Atanh".split()),
    *((name, 1, "positive") for name in "Sqrt Log Reciprocal".split()),
    ("Acosh", 1, "above one"),
]
_EXACT = [("Relu", 14), ("Abs", 13), ("Neg", 13), ("Identity", 16)]
_STEPS = [("Floor", 13), ("Ceil", 13), ("Round", 11), ("Sign", 13)]


def unary(net, name, x, kind=None, shape=None, exact=False, **attributes):
    return net.node(name, [x], [(kind or x.kind, shape or x.shape, exact)], **attributes)


def scalar(net, kind, number):
    return net.constant(np.array(number), kind)


def within(net, x, domain):
    """x brought into the domain of a function."""
    if domain == "bounded":
        return binary(net, "Mul", unary(net, "Tanh", x), scalar(net, x.kind, 0.9))
    return binary(net, "Add", unary(net, "Abs", x), scalar(net, x.kind, 0.3 if domain == "positive" else 1.1))


@op("elementwise", "mixed", weight=4)
def smooth(net, x):
    if not x.floating:
        return None
    name, since, domain = net.random.choice(_SMOOTH)
    if net.opset < since or not net.runs(name, x.kind):
        return None
    attributes = {}
    if name in ("Elu", "LeakyRelu", "Celu", "Selu", "HardSigmoid") and net.chance(0.5):
        attributes["alpha"] = net.pick(0.1, 0.25, 1.5) if name != "HardSigmoid" else net.pick(0.1, 0.3)
        if name == "HardSigmoid":
            attributes["beta"] = net.pick(0.2, 0.6)
    if name == "Gelu" and net.chance(0.5):
        attributes["approximate"] = net.pick("tanh", "none")
    return unary(net, name, within(net, x, domain) if domain else x, **attributes)


@op("elementwise", "shapes", "mixed", "types", weight=2)
def exact_unary(net, x):
    name, _ = net.random.choice(_EXACT)
    if not net.runs(name, x.kind, "V" if name == "Identity" else "T") or (name != "Identity" and x.kind == "bool"):
        return None
    return unary(net, name, x, exact=x.exact)


@op("elementwise", "types")
def steps(net, x):
    name, _ = net.random.choice(_STEPS)
    if not x.exact or not net.runs(name, x.kind) or (name != "Sign" and not x.floating) or x.kind == "bool":
        return None
    return unary(net, name, x, exact=True)


@op("elementwise", "types")
def flags(net, x):
    """What tells about the bits of a value."""
    if x.kind == "bool":
        return unary(net, "Not", x, exact=True)
    if x.floating and net.runs("IsNaN", x.kind, "T1"):
        return unary(net, "IsNaN", x, "bool", exact=True)
    if x.kind in kinds.INTEGERS and net.opset >= 18 and net.runs("BitwiseNot", x.kind):
        return unary(net, "BitwiseNot", x, exact=True)
    return None


def broadcast(a, b, most=4 * LARGEST):
    """The shape of an operator over two values; None where they do not fit in every run, or it has too many elements."""
    shape = []
    for k in range(max(len(a), len(b))):
        m = a[k - max(len(a), len(b)) + len(a)] if k >= max(len(a), len(b)) - len(a) else 1
        n = b[k - max(len(a), len(b)) + len(b)] if k >= max(len(a), len(b)) - len(b) else 1
        if int(n) == 1 and not symbol(n):
            shape.append(m)
        elif int(m) == 1 and not symbol(m):
            shape.append(n)
        elif same(m, n):
            shape.append(m)
        else:
            return None
    return tuple(shape) if np.prod([int(d) for d in shape], dtype=np.int64) <= most else None


def binary(net, name, x, y, kind=None, exact=False):
    return net.node(name, [x, y], [(kind or x.kind, broadcast(x.shape, y.shape, math.inf), exact)])


def operand(net, x, small=False):
    """Something to combine x with: a value of the graph, or a constant that x's shape is broadcast with."""
    if net.chance(0.45):
        found = net.some(lambda v: v.kind == x.kind and broadcast(v.shape, x.shape) is not None, recent=False)
        if found:
            return found
    shape = [1 if symbol(d) or net.chance(0.25) else int(d) for d in x.shape]
    shape = shape[net.random.randrange(len(shape) + 1) if net.chance(0.4) else 0 :]
    if net.chance(0.05) and x.rank < 5 and x.size < 500:
        shape = [net.pick(1, 2, 3)] + [1 if symbol(d) else int(d) for d in x.shape]
    return numbers(net, x.kind, shape, small)


def numbers(net, kind, shape, small=False):
    """A constant with values that suit the type."""
    if kind == "bool":
        return net.constant(net.numpy.random(shape) < 0.5)
    if kind in kinds.INTEGERS:
        return net.constant(net.numpy.integers(1 if small or kind in kinds.UNSIGNED else -4, 5, shape), kind)
    if small:
        return net.constant(net.numpy.uniform(0.5, 2, shape), kind)
    return net.weight(kind, shape)


@op("elementwise", "mixed", "types", "cnn", weight=4)
def arithmetic(net, x):
    name = net.pick("Add", "Sub", "Mul", "Add", "Mul", "Div", "Max", "Min", "Pow", "Mod", "PRelu")
    if x.kind == "bool" or not net.runs(name, x.kind):
        return None
    exact = x.kind in kinds.INTEGERS
    if name in ("Div", "Mod"):
        if name == "Mod" and x.floating:
            return None
        y = numbers(net, x.kind, operand_shape(net, x), small=True)
    elif name == "Pow":
        y = scalar(net, x.kind, net.pick(2, 2, 3, 1) if exact else net.pick(2.0, 2.0, 3.0, 1.0))
    elif name == "PRelu":
        y = numbers(net, x.kind, operand_shape(net, x))
    else:
        y = operand(net, x)
    if name in ("Max", "Min"):
        exact = x.exact and y.exact
    if name in ("Sub", "Div", "Add", "Mul") and net.chance(0.3) and y.rank <= x.rank:
        if name == "Div":
            return x.floating and binary(net, name, y, within(net, x, "positive")) or None
        x, y = y, x
    return binary(net, name, x, y, exact=exact)


def operand_shape(net, x):
    """A shape that broadcasts to that of x."""
    shape = [1 if symbol(d) or net.chance(0.3) else int(d) for d in x.shape]
    return shape[net.random.randrange(len(shape) + 1) if net.chance(0.4) else 0 :]


@op("elementwise", "types", weight=2)
def several(net, x):
    name = net.pick("Max", "Min", "Sum", "Mean")
    if x.kind == "bool" or not net.runs(name, x.kind):
        return None
    taken, shape = [x], x.shape
    for _ in range(net.pick(0, 1, 2, 3)):
        y = operand(net, x)
        if broadcast(shape, y.shape) is not None:
            shape = broadcast(shape, y.shape)
            taken.append(y)
    return net.node(name, taken, [(x.kind, shape, name in ("Max", "Min") and all(v.exact for v in taken))])


@op("elementwise", "types", weight=2)
def comparison(net, x):
    name = net.pick("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
    y = operand(net, x)
    if not (x.exact and y.exact) or (x.kind == "bool" and name != "Equal") or not net.runs(name, x.kind):
        return None
    return binary(net, name, x, y, "bool", exact=True)


@op("elementwise", "types")
def logic(net, x):
    if x.kind == "bool":
        return binary(net, net.pick("And", "Or", "Xor"), x, operand(net, x), exact=True)
    name = net.pick("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift")
    if x.kind not in kinds.INTEGERS or not net.runs(name, x.kind):
        return None
    if name == "BitShift":
        if x.kind not in kinds.UNSIGNED:
            return None
        y = numbers(net, x.kind, operand_shape(net, x), small=True)
        return net.node(name, [x, y], [(x.kind, x.shape, True)], direction=net.pick("LEFT", "RIGHT"))
    return binary(net, name, x, operand(net, x), exact=True) if net.opset >= 18 else None


@op("elementwise", "types", "mixed", weight=2)
def where(net, x):
    if not net.runs("Where", x.kind):
        return None
    y = operand(net, x)
    condition = net.some(lambda v: v.kind == "bool" and broadcast(v.shape, x.shape) is not None, recent=False)
    condition = condition or numbers(net, "bool", operand_shape(net, x))
    shape = broadcast(x.shape, y.shape)
    shape = shape and broadcast(shape, condition.shape)
    if shape is None:
        return None
    return net.node("Where", [condition, x, y], [(x.kind, shape, x.exact and y.exact)])


@op("elementwise", "types", "mixed", "cnn")
def clip(net, x):
    if x.kind == "bool" or not net.runs("Clip", x.kind):
        return None
    low = scalar(net, x.kind, 1 if x.kind in kinds.UNSIGNED else -1) if net.chance(0.7) or not net.finite else None
    high = scalar(net, x.kind, 6) if net.chance(0.7) or not net.finite else None
    return net.node("Clip", [x, low, high], [(x.kind, x.shape, x.exact)])


@op("types", weight=3)
@op("shapes")
def cast(net, x):
    kind = net.random.choice(kinds.ALL)
    if kind in kinds.INTEGERS + ("bool",) and x.floating and not (x.exact and net.finite):
        return None
    if kind in kinds.INTEGERS and x.kind == "bfloat16":  # which no operator can bring into the range of the type
        return None
    if x.floating and kind in kinds.INTEGERS:  # out of its range, a conversion has no defined result
        least = scalar(net, x.kind, 0 if kind in kinds.UNSIGNED else -100)
        x = net.node("Clip", [x, least, scalar(net, x.kind, 100)], [(x.kind, x.shape, True)])
    if kind in kinds.FLOATS and net.chance(0.15):
        x = unary(net, "Cast", x, "bfloat16", exact=x.exact, to=kinds.number("bfloat16"))
    return unary(net, "Cast", x, kind, exact=x.exact, to=kinds.number(kind))


@op("elementwise")
def shrink(net, x):
    if x.kind != "float32":  # ONNX Runtime computes it in float where the type is double
        return None
    edge = net.pick(0.25, 0.5)
    return unary(net, "Shrink", x, lambd=edge, bias=edge)


@op("elementwise", "cnn", weight=2)
def activation(net, x):
    """Activations as exporters write them out."""
    if x.kind != "float32":
        return None
    one = x.kind
    form = net.pick("silu", "hardswish", "gelu", "gelu tanh", "mish", "relu6")
    if form == "silu":
        return binary(net, "Mul", x, unary(net, "Sigmoid", x))
    if form == "hardswish":
        inner = net.node(
            "Clip", [binary(net, "Add", x, scalar(net, one, 3)), scalar(net, one, 0), scalar(net, one, 6)], [(one, x.shape)]
        )
        return binary(net, "Div", binary(net, "Mul", x, inner), scalar(net, one, 6))
    if form == "gelu":
        inner = unary(net, "Erf", binary(net, "Div", x, scalar(net, one, np.sqrt(2))))
        return binary(net, "Mul", binary(net, "Mul", x, binary(net, "Add", inner, scalar(net, one, 1))), scalar(net, one, 0.5))
    if form == "gelu tanh":
        cube = binary(net, "Mul", binary(net, "Pow", x, scalar(net, one, 3)), scalar(net, one, 0.044715))
        inner = unary(net, "Tanh", binary(net, "Mul", binary(net, "Add", x, cube), scalar(net, one, np.sqrt(2 / np.pi))))
        return binary(net, "Mul", binary(net, "Mul", scalar(net, one, 0.5), x), binary(net, "Add", inner, scalar(net, one, 1)))
    if form == "mish":
        return binary(net, "Mul", x, unary(net, "Tanh", unary(net, "Softplus", x)))
    return net.node("Clip", [x, scalar(net, one, 0), scalar(net, one, 6)], [(one, x.shape, x.exact)])
