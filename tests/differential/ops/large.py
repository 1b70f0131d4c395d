"""Operators large enough for what small ones never reach: tiles, several threads, Winograd."""

from ..graph import symbol
from . import op
from .blocks import two_dimensional
from .convolution import finish
from .elementwise import binary
from .matrix import after


@op("cnn")
def large_conv(net, x):
    if not two_dimensional(x) or not net.chance(0.5) or x.size // int(x.shape[1]) > 300 or any(map(symbol, x.shape)):
        return None
    c, out = int(x.shape[1]), net.pick(64, 72, 96, 128)
    y = finish(net, net.node("Conv", [x, net.weight(x.kind, (out, c, 1, 1), c)], [(x.kind, (x.shape[0], out, *x.shape[2:]))]))
    weight = net.weight(x.kind, (out, out, 3, 3), out * 9)
    y = finish(net, net.node("Conv", [y, weight, net.weight(x.kind, (out,))], [(x.kind, y.shape)], pads=[1] * 4))
    return net.node("Conv", [y, net.weight(x.kind, (8, out, 1, 1), out)], [(x.kind, (x.shape[0], 8, *x.shape[2:]))])


@op("matrix", "attention")
def large_product(net, x):
    if x.kind != "float32" or x.rank not in (2, 3) or x.size == 0 or symbol(x.shape[-1]) or not net.chance(0.5):
        return None
    k, n = int(x.shape[-1]), net.pick(100, 129, 256, 300)
    if x.size // k * n > 60000:
        return None
    y = net.node("MatMul", [x, net.weight(x.kind, (k, n), k)], [(x.kind, (*x.shape[:-1], n))])
    y = after(net, binary(net, "Add", y, net.weight(x.kind, (n,))))
    m = net.pick(7, 16, 33)
    return net.node("MatMul", [y, net.weight(x.kind, (n, m), n)], [(x.kind, (*x.shape[:-1], m))])
