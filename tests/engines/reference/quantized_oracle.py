"""QuantizedMatMul and QuantizedConv2D in NumPy: sums in 64 bits, wrapped to 32, then float32 step by step."""

import numpy as np
from engine_oracles import draw

INT8S = [np.int8, np.uint8]
EXACT = {  # activations whose float32 results do not depend on how they are computed
    "": lambda v, alpha, beta: v,
    "relu": lambda v, alpha, beta: np.maximum(v, np.float32(0)),
    "clip": lambda v, alpha, beta: np.clip(v, np.float32(alpha), np.float32(beta)),
    "leaky_relu": lambda v, alpha, beta: np.where(v > 0, v, v * np.float32(alpha)),
}


def full(shape, dtype, seed=0):
    """Values over the whole range of the type."""
    info = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, info.max + 1, shape).astype(dtype)


def scales(shape, seed=0):
    return draw(shape, np.float32, 0.001, 0.02, seed)


def wrapped(sums):
    return sums.astype(np.uint64).astype(np.uint32).view(np.int32)


def finished(sums, x_scale, w_scale, bias, y_scale, y_zero, dst, activation="", alpha=0.0, beta=0.0):
    """sums: int64; scales and bias broadcast to it."""
    dst = np.dtype(dst)
    if bias is not None and bias.dtype == np.int32:
        sums = sums + bias
    acc = wrapped(sums)
    if dst == np.int32:
        return acc
    one = np.float32(1)
    v = acc.astype(np.float32) * ((one if x_scale is None else x_scale) * (one if w_scale is None else w_scale))
    if bias is not None and bias.dtype == np.float32:
        v = v + bias
    v = EXACT[activation](v, alpha, beta).astype(np.float32)
    if dst == np.float32:
        return v
    info, zero = np.iinfo(dst), np.float32(0 if y_zero is None else int(np.asarray(y_zero).reshape(-1)[0]))
    with np.errstate(invalid="ignore"):
        q = v / (one if y_scale is None else np.asarray(y_scale).reshape(-1)[0])
    q = np.where(np.isnan(q), np.float32(info.min) - zero, q)
    return (np.rint(np.clip(q, info.min - zero, info.max - zero)) + zero).astype(dst)


def wide(x, zero):
    return x.astype(np.int64) - (0 if zero is None else zero.astype(np.int64))


def matmul(x1, x1_scale, x1_zero, x2, x2_scale, x2_zero, bias, y_scale, y_zero, dst, adj=False, **activation):
    """x2 as it is stored; scales and zero points of x1 have one value, one per row, or one per row of all matrices."""
    b = np.swapaxes(x2, -1, -2) if adj else x2

    def rows(values):
        if values is None or values.size == 1:
            return None if values is None else values.reshape(())
        if values.size == x1.shape[-2]:
            return values.reshape(-1, 1)
        return values.reshape(*x1.shape[:-1], 1)

    sums = np.matmul(wide(x1, rows(x1_zero)), wide(b, None if x2_zero is None else x2_zero.reshape(-1)))
    w_scale = None if x2_scale is None else x2_scale.reshape(-1)
    return finished(sums, rows(x1_scale), w_scale, bias, y_scale, y_zero, dst, **activation)


def conv(x, x_zero, filter, filter_zero, strides, pads, dilations, groups):
    """Sums in NCHW."""
    top, bottom, left, right = pads
    x = np.pad(wide(x, None if x_zero is None else x_zero.reshape(())), ((0, 0), (0, 0), (top, bottom), (left, right)))
    w = wide(filter, None if filter_zero is None else filter_zero.reshape(-1, 1, 1, 1))
    n, c, h, width = x.shape
    o, per_group, kh, kw = w.shape
    oh = (h - (kh - 1) * dilations[0] - 1) // strides[0] + 1
    ow = (width - (kw - 1) * dilations[1] - 1) // strides[1] + 1
    y = np.zeros((n, o, oh, ow), np.int64)
    out_group = o // groups
    for g in range(groups):
        part = x[:, g * per_group : (g + 1) * per_group]
        weights = w[g * out_group : (g + 1) * out_group]
        for i in range(kh):
            for j in range(kw):
                a, b = i * dilations[0], j * dilations[1]
                seen = part[:, :, a : a + oh * strides[0] : strides[0], b : b + ow * strides[1] : strides[1]]
                y[:, g * out_group : (g + 1) * out_group] += np.einsum(
                    "nchw,oc->nohw", seen[:, :, :oh, :ow], weights[:, :, i, j]
                )
    return y


def conv_finished(sums, x_scale, w_scale, bias, y_scale, y_zero, dst, **activation):
    per_channel = lambda v: None if v is None else v.reshape(-1, 1, 1)  # noqa: E731
    return finished(sums, x_scale, per_channel(w_scale), per_channel(bias), y_scale, y_zero, dst, **activation)


def conv_attributes(strides, pads, dilations, groups, dst, last=False, **more):
    four = (lambda v: [1, v[0], v[1], 1]) if last else (lambda v: [1, 1, v[0], v[1]])
    return {"strides": four(strides), "pads": list(pads), "dilations": four(dilations), "groups": groups,
            "data_format": "NHWC" if last else "NCHW", "dst_type": dst, **more}  # fmt: skip
