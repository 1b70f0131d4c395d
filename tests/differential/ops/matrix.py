"""Matrix products and attention."""

import numpy as np

from ..graph import same, symbol
from . import LARGEST, op
from .elementwise import activation, binary, broadcast, scalar, unary
from .shapes import fixed


def full(x):
    return x.rank >= 1 and x.size > 0


@op("matrix", "attention", "mixed", "rnn", weight=5)
def linear(net, x):
    """MatMul with weights, often a bias and an activation."""
    if x.rank < 2 or not full(x) or not fixed(x.shape[-1]) or not net.runs("MatMul", x.kind) or not x.floating:
        return None
    k, n = int(x.shape[-1]), net.pick(1, 2, 3, 8, 13, 16, 17, 32, 33, 64)
    if x.size // k * n > LARGEST:
        return None
    shape = (n,) if net.chance(0.04) else None
    made = net.node("MatMul", [x, net.weight(x.kind, (k, n), k)], [(x.kind, (*x.shape[:-1], n))])
    if net.chance(0.6):
        bias = net.weight(x.kind, shape or net.pick((n,), (1, n), (1,)))
        made = binary(net, "Add", *((made, bias) if net.chance(0.6) else (bias, made)))
    return after(net, made)


def after(net, x):
    if net.chance(0.4):
        name = net.pick("Relu", "Tanh", "Sigmoid", "written out", "LeakyRelu")
        if name == "written out":
            return activation(net, x) or x
        return unary(net, name, x) if net.runs(name, x.kind) else x
    if net.chance(0.15):
        return binary(net, "Mul", x, scalar(net, x.kind, net.pick(0.5, 2)))
    return x


@op("matrix", "mixed", weight=3)
def gemm(net, x):
    if x.rank != 2 or not full(x) or not net.runs("Gemm", x.kind) or not x.floating:
        return None
    turned = net.chance(0.3)
    m, k = (x.shape[1], x.shape[0]) if turned else x.shape
    if not fixed(k):
        return None
    n, other = net.pick(1, 3, 8, 16, 17, 40), net.pick(0, 1)
    weight = net.weight(x.kind, (n, int(k)) if other else (int(k), n), int(k))
    bias = net.weight(x.kind, net.pick((n,), (1, n), (1,), ())) if net.chance(0.7) else None
    attributes = {"transA": int(turned), "transB": other}
    if net.chance(0.3):
        attributes |= {"alpha": net.pick(0.5, 2.0), "beta": net.pick(0.5, 1.0, 0.0)}
    return after(net, net.node("Gemm", [x, weight, bias], [(x.kind, (m, n))], **attributes))


@op("matrix", weight=3)
def product(net, x):
    """Two values of the graph, or one with itself turned; the leading extents broadcast."""
    if x.rank < 2 or not full(x) or not net.runs("MatMul", x.kind) or not x.floating:
        return None
    y = net.some(
        lambda v: (
            v.kind == x.kind
            and v.rank >= 2
            and full(v)
            and same(v.shape[-2], x.shape[-1])
            and broadcast(v.shape[:-2], x.shape[:-2]) is not None
        ),
        recent=False,
    )
    if y is None or net.chance(0.4):
        order = list(range(x.rank))
        order[-1], order[-2] = order[-2], order[-1]
        y = net.node("Transpose", [x], [(x.kind, (*x.shape[:-2], x.shape[-1], x.shape[-2]), x.exact)], perm=order)
    batch = broadcast(x.shape[:-2], y.shape[:-2])
    shape = (*batch, x.shape[-2], y.shape[-1])
    if np.prod([int(d) for d in shape]) > LARGEST:
        return None
    made = net.node("MatMul", [x, y], [(x.kind, shape)])
    made = binary(net, "Mul", made, scalar(net, x.kind, 1 / int(x.shape[-1])))
    # What is multiplied with itself again and again leaves the range of half floats.
    return unary(net, "Tanh", made) if x.kind == "float16" or net.chance(0.4) else made


@op("matrix")
def vector(net, x):
    """MatMul with vectors on one side or the other."""
    if not full(x) or not net.runs("MatMul", x.kind) or not x.floating:
        return None
    if net.chance(0.5) and fixed(x.shape[-1]):
        k = int(x.shape[-1])
        return net.node("MatMul", [x, net.weight(x.kind, (k,), k)], [(x.kind, x.shape[:-1])])
    if x.rank >= 2 and fixed(x.shape[-2]):
        k = int(x.shape[-2])
        return net.node("MatMul", [net.weight(x.kind, (k,), k), x], [(x.kind, (*x.shape[:-2], x.shape[-1]))])
    return None


def heads(net, x, count, turned=False):
    """(N, L, C) as (N, heads, L, C / heads), or its last two axes exchanged."""
    n, length, c = x.shape
    size = int(c) // count
    cut = net.node("Reshape", [x, net.ints(0, 0, count, size)], [(x.kind, (n, length, count, size))])
    order = [0, 2, 3, 1] if turned else [0, 2, 1, 3]
    shape = (n, count, length, size)
    return net.node("Transpose", [cut], [(x.kind, (n, count, size, length) if turned else shape)], perm=order)


def projected(net, x, c):
    made = net.node("MatMul", [x, net.weight(x.kind, (int(x.shape[-1]), c), int(x.shape[-1]))], [(x.kind, (*x.shape[:-1], c))])
    return binary(net, "Add", made, net.weight(x.kind, (c,))) if net.chance(0.7) else made


@op("attention", weight=4)
def self_attention(net, x):
    """Attention of several heads, written out or as the operator; a mask, a scale, other lengths of keys."""
    if x.rank != 3 or not full(x) or not fixed(x.shape[-1]) or x.kind not in ("float32", "float16"):
        return None
    count, size = net.pick(1, 2, 3, 4), net.pick(1, 4, 8, 16, 5)
    c = count * size
    if x.size // int(x.shape[-1]) * c > LARGEST:
        return None
    source = (
        net.some(lambda v: v.kind == x.kind and v.rank == 3 and full(v) and fixed(v.shape[-1]) and same(v.shape[0], x.shape[0]))
        if net.chance(0.25)
        else x
    )
    source = source or x
    q, k, v = projected(net, x, c), projected(net, source, c), projected(net, source, c)
    n, length, keys = x.shape[0], x.shape[1], source.shape[1]
    scale = 1 / np.sqrt(size)
    if net.opset >= 23 and x.kind == "float32" and net.chance(0.4):
        mask = None
        if net.chance(0.4) and fixed(length) and fixed(keys):
            mask = net.weight(x.kind, net.pick((int(length), int(keys)), (1, 1, int(length), int(keys))))
        attributes = {"q_num_heads": count, "kv_num_heads": count, "is_causal": net.pick(0, 0, 1)}
        if net.chance(0.3):
            attributes["scale"] = 0.3
        made = net.node("Attention", [q, k, v, mask], [(x.kind, (n, length, c))], **attributes)
    else:
        scores = net.node(
            "MatMul", [heads(net, q, count), heads(net, k, count, turned=True)], [(x.kind, (n, count, length, keys))]
        )
        if net.chance(0.8):
            scores = (
                binary(net, "Mul", scores, scalar(net, x.kind, scale))
                if net.chance(0.5)
                else binary(net, "Div", scores, scalar(net, x.kind, 1 / scale))
            )
        if net.chance(0.4) and fixed(length) and fixed(keys):
            mask = np.where(net.numpy.random((int(length), int(keys))) < 0.3, -1e4, 0.0)
            scores = binary(net, "Add", scores, net.constant(mask, x.kind))
        weights = unary(net, "Softmax", scores, axis=-1)
        mixed = net.node("MatMul", [weights, heads(net, v, count)], [(x.kind, (n, count, length, size))])
        turned = net.node("Transpose", [mixed], [(x.kind, (n, length, count, size))], perm=[0, 2, 1, 3])
        made = net.node("Reshape", [turned, net.ints(0, 0, c)], [(x.kind, (n, length, c))])
    made = projected(net, made, int(x.shape[-1]))
    return binary(net, "Add", made, x) if net.chance(0.7) else made


@op("attention", weight=2)
def feed_forward(net, x):
    if x.rank != 3 or not full(x) or not fixed(x.shape[-1]) or x.kind != "float32":
        return None
    wide = projected(net, x, net.pick(8, 17, 32, 48))
    if net.chance(0.3) and int(wide.shape[-1]) % 2 == 0:  # gated
        half = (*wide.shape[:-1], int(wide.shape[-1]) // 2)
        if net.opset >= 18:
            a, b = net.node("Split", [wide], [(x.kind, half)] * 2, axis=-1, num_outputs=2)
        else:
            a, b = net.node("Split", [wide], [(x.kind, half)] * 2, axis=-1)
        wide = binary(net, "Mul", unary(net, "Sigmoid", a), b)
    else:
        wide = activation(net, wide)
    return binary(net, "Add", projected(net, wide, int(x.shape[-1])), x)


@op("attention")
def rotary(net, x):
    """Rotary positions, written out."""
    if x.rank != 3 or any(symbol(d) for d in x.shape[1:]) or int(x.shape[-1]) % 2 or x.kind != "float32" or x.size == 0:
        return None
    _, length, c = map(int, x.shape)
    half = (*x.shape[:-1], c // 2)
    a, b = net.node("Split", [x, net.ints(c // 2, c // 2)], [(x.kind, half)] * 2, axis=-1)
    turned = net.node("Concat", [unary(net, "Neg", b), a], [(x.kind, x.shape)], axis=-1)
    angles = net.numpy.standard_normal((length, c))
    return binary(
        net,
        "Add",
        binary(net, "Mul", x, net.constant(np.cos(angles), x.kind)),
        binary(net, "Mul", turned, net.constant(np.sin(angles), x.kind)),
    )
