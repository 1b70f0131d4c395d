"""Quantised operators whose results no rounding can change."""

import numpy as np

from ..graph import symbol
from . import op
from .elementwise import binary
from .shapes import fixed


def quantize(net, x, kind=None, axis=None):
    """x in 8 bits, and the scale and zero point used."""
    kind = kind or net.pick("uint8", "int8")
    count = () if axis is None else (int(x.shape[axis]),)
    scale = net.constant(2.0 ** -net.numpy.integers(3, 6, count), "float32")
    low, high = (120, 136) if kind == "uint8" else (-8, 8)
    zero = net.constant(net.numpy.integers(low, high, count), kind) if net.chance(0.7) or kind == "int8" else None
    attributes = {} if axis is None else {"axis": axis}
    made = net.node("QuantizeLinear", [x, scale, zero], [(kind, x.shape, True)], **attributes)
    return made, scale, zero, attributes


@op("quantized", weight=3)
@op("types")
def quantize_and_back(net, x):
    if x.kind != "float32" or not x.exact or x.size == 0:
        return None
    axes = [k for k, d in enumerate(x.shape) if fixed(d)]
    axis = net.random.choice(axes) if axes and net.chance(0.4) else None
    made, scale, zero, attributes = quantize(net, x, axis=axis)
    return net.node("DequantizeLinear", [made, scale, zero], [("float32", x.shape, True)], **attributes)


@op("quantized", weight=2)
def integer_product(net, x):
    if x.kind != "float32" or not x.exact or x.rank < 2 or x.size == 0 or not fixed(x.shape[-1]):
        return None
    made, scale, zero, _ = quantize(net, x, "uint8")
    k, n = int(x.shape[-1]), net.pick(1, 3, 8, 17)
    weight = net.constant(net.numpy.integers(-20, 20, (k, n)), "int8")
    other = net.constant(np.array(net.pick(0, 1, -3)), "int8") if net.chance(0.5) else None
    made = net.node("MatMulInteger", [made, weight, zero, other], [("int32", (*x.shape[:-1], n), True)])
    made = net.node("Cast", [made], [("float32", made.shape, True)], to=1)
    return binary(net, "Mul", made, net.constant(np.array(2.0**-7), "float32"), exact=True)


def is_exact_image(x):
    known = x.kind == "float32" and x.exact and x.rank == 4 and x.size != 0
    return known and fixed(x.shape[1]) and not any(map(symbol, x.shape[2:]))


@op("quantized", weight=2)
def integer_convolution(net, x):
    if not is_exact_image(x):
        return None
    k, out, c = net.pick(1, 3), net.pick(1, 4, 8, 17), int(x.shape[1])
    made, scale, zero, _ = quantize(net, x, "uint8")
    weight = net.constant(net.numpy.integers(0, 20, (out, c, k, k)), "uint8")
    made = net.node("ConvInteger", [made, weight, zero], [("int32", (x.shape[0], out, *x.shape[2:]), True)], pads=[k // 2] * 4)
    made = net.node("Cast", [made], [("float32", made.shape, True)], to=1)
    return binary(net, "Mul", made, net.constant(np.array(2.0**-9), "float32"), exact=True)


@op("quantized", weight=2)
def dequantized_weights(net, x):
    """A product with weights that are kept in 8 bits."""
    if x.kind != "float32" or x.rank < 2 or x.size == 0 or not fixed(x.shape[-1]):
        return None
    k, n = int(x.shape[-1]), net.pick(1, 3, 8, 17)
    stored = net.constant(net.numpy.integers(-100, 100, (k, n)), "int8")
    per_column = net.chance(0.5)
    scale = net.constant(net.numpy.uniform(0.005, 0.01, (n,) if per_column else ()) / np.sqrt(k), "float32")
    attributes = {"axis": 1} if per_column else {}
    weight = net.node("DequantizeLinear", [stored, scale], [("float32", (k, n))], **attributes)
    return net.node("MatMul", [x, weight], [("float32", (*x.shape[:-1], n))])


def stored(net, shape, axis):
    """Weights in 8 bits, and the floats that they stand for: powers of two times small integers, so that sums are exact."""
    numbers = net.constant(net.numpy.integers(-20, 20, shape), "int8")
    count = (shape[axis],) if net.chance(0.5) else ()
    scale = net.constant(2.0 ** -net.numpy.integers(4, 7, count), "float32")
    attributes = {"axis": axis} if count else {}
    return net.node("DequantizeLinear", [numbers, scale], [("float32", shape, True)], **attributes)


def between_bytes(net, x):
    """x as a quantised network has it between two operators."""
    made, scale, zero, attributes = quantize(net, x)
    return net.node("DequantizeLinear", [made, scale, zero], [("float32", x.shape, True)], **attributes)


@op("quantized", weight=3)
def quantized_product(net, x):
    if x.kind != "float32" or not x.exact or x.rank < 2 or x.size == 0 or not fixed(x.shape[-1]):
        return None
    k, n = int(x.shape[-1]), net.pick(1, 3, 8, 17)
    made = net.node("MatMul", [between_bytes(net, x), stored(net, (k, n), 1)], [("float32", (*x.shape[:-1], n), True)])
    if net.chance(0.3):
        made = net.node("Relu", [made], [("float32", made.shape, True)])
    return between_bytes(net, made) if net.chance(0.7) else made


@op("quantized", weight=3)
def quantized_convolution(net, x):
    if not is_exact_image(x):
        return None
    k, out, c = net.pick(1, 3), net.pick(1, 4, 8, 17), int(x.shape[1])
    shape = (x.shape[0], out, *x.shape[2:])
    inputs = [between_bytes(net, x), stored(net, (out, c, k, k), 0)]
    made = net.node("Conv", inputs, [("float32", shape, True)], pads=[k // 2] * 4)
    if net.chance(0.3):
        made = net.node("Relu", [made], [("float32", made.shape, True)])
    return between_bytes(net, made) if net.chance(0.7) else made


@op("quantized", weight=2)
def quantized_sum(net, x):
    """Element by element between bytes."""
    if x.kind != "float32" or not x.exact or x.size == 0:
        return None
    a = between_bytes(net, x)
    made = binary(net, net.pick("Add", "Sub", "Mul", "Max"), a, between_bytes(net, x), exact=True)
    return between_bytes(net, made)


@op("quantized")
def dynamic_quantize(net, x):
    # Only inputs: what was quantised before lies on a grid, whose points between two steps one unit in the last place decides.
    if x.kind != "float32" or x not in [i.value for i in net.inputs] or x.size == 0:
        return None
    made, scale, zero = net.node("DynamicQuantizeLinear", [x], [("uint8", x.shape), ("float32", ()), ("uint8", ())])
    return net.node("DequantizeLinear", [made, scale, zero], [("float32", x.shape)])
