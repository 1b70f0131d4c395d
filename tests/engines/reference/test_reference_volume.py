"""Reference kernels that slide windows over volumes, dilated windows, and positions of maxima."""

import numpy as np
import pytest
from engine_harness import Fmt
from engine_oracles import close, draw, onnx_runtime

PADS = (1, 0, 2, 1, 0, 1)  # front, back, top, bottom, left, right


def onnx_pads(pads):
    return [*pads[::2], *pads[1::2]]


def spatial(last, *values):
    return [1, *values, 1] if last else [1, 1, *values]


def to_last(x):
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


CONVS = [
    # x, filter, strides, pads, dilations, groups
    ((1, 3, 5, 6, 7), (4, 3, 3, 3, 3), (1, 1, 1), (1, 1, 1, 1, 1, 1), (1, 1, 1), 1),
    ((2, 4, 6, 5, 8), (10, 2, 2, 3, 1), (2, 1, 3), PADS, (1, 2, 1), 2),
    ((1, 2, 4, 4, 4), (2, 2, 1, 1, 1), (1, 1, 1), (0,) * 6, (1, 1, 1), 1),
    ((1, 6, 7, 3, 5), (6, 1, 3, 1, 2), (1, 1, 2), (2, 1, 0, 0, 1, 0), (2, 1, 3), 6),
]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("case", range(len(CONVS)))
def test_conv_3d(cpu, case, last):
    xs, ws, strides, pads, dilations, groups = CONVS[case]
    x, w, bias = draw(xs), draw(ws, seed=1), draw((ws[0],), seed=2)
    want = onnx_runtime("Conv", [x, w, bias], strides=strides, pads=onnx_pads(pads), dilations=dilations, group=groups)
    attrs = {"strides": spatial(last, *strides), "dilations": spatial(last, *dilations), "pads": list(pads),
             "groups": groups, "data_format": "NDHWC" if last else "NCDHW"}  # fmt: skip
    if last:
        x, want = to_last(x), to_last(want)
        w = Fmt(np.ascontiguousarray(w.transpose(2, 3, 4, 1, 0)), "DHWCN")
    close(cpu("Conv3D", [x, w, bias], attrs, (want.shape, np.float32)), want, scale=20)
    close(cpu("Conv3DV2", [x, w, bias], attrs, (want.shape, np.float32)), want, scale=20)
    residual = draw(want.shape, seed=3)
    fused = {**attrs, "activation": "clip", "alpha": -0.5, "beta": 0.7}
    got = cpu("FusedConv3D", [x, w, bias, residual], fused, (want.shape, np.float32))
    close(got, np.clip(want + residual, -0.5, 0.7), scale=20)


@pytest.mark.parametrize("last", [False, True])
def test_conv_transpose_3d(cpu, last):
    for xs, ws, strides, pads, dilations, groups, extra in [
        ((1, 3, 3, 4, 5), (3, 4, 3, 2, 3), (2, 1, 2), PADS, (1, 1, 1), 1, (1, 0, 1)),
        ((2, 4, 2, 3, 3), (4, 3, 2, 2, 1), (1, 2, 3), (0,) * 6, (2, 1, 1), 2, (0, 0, 0)),
        ((1, 2, 2, 3, 2), (2, 2, 2, 1, 2), (1, 2, 1), (0,) * 6, (1, 1, 1), 1, (0, 0, 0)),
    ]:
        x, w, bias = draw(xs), draw(ws, seed=1), draw((ws[1] * groups,), seed=2)
        want = onnx_runtime("ConvTranspose", [x, w, bias], strides=strides, pads=onnx_pads(pads), dilations=dilations,
                            group=groups, output_padding=extra)  # fmt: skip
        attrs = {"strides": spatial(last, *strides), "dilations": spatial(last, *dilations), "pads": list(pads),
                 "groups": groups, "data_format": "NDHWC" if last else "NCDHW"}  # fmt: skip
        if last:
            x, want = to_last(x), to_last(want)
        size = np.array(want.shape, np.int32)
        for op in ("Conv3DTranspose", "Conv3DTransposeV2"):
            close(cpu(op, [size, x, w, bias], attrs, (want.shape, np.float32)), want, scale=20)
        fused = {**attrs, "activation": "relu"}
        got = cpu("FusedConvTranspose", [size, x, w, bias], fused, (want.shape, np.float32))
        close(got, np.maximum(want, 0), scale=20)


POOLS = [((2, 3, 2), (1, 2, 2), (0,) * 6), ((3, 3, 3), (2, 1, 2), (1, 1, 1, 0, 0, 1)), ((5, 6, 7), (1, 1, 1), (0,) * 6)]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("planes", [(2, 3), (1, 1)])
def test_pool_3d(cpu, planes, last):
    x = draw((*planes, 5, 6, 7), low=-9, high=-1)
    given = to_last(x) if last else x
    for ksize, strides, pads in POOLS:
        attrs = {"ksize": spatial(last, *ksize), "strides": spatial(last, *strides), "pads": list(pads),
                 "data_format": "NDHWC" if last else "NCDHW"}  # fmt: skip
        common = {"kernel_shape": ksize, "strides": strides, "pads": onnx_pads(pads)}
        want = onnx_runtime("MaxPool", [x], **common)
        want = to_last(want) if last else want
        got = cpu("MaxPool3D", [given], {**attrs, "padding": "CALCULATED"}, (want.shape, np.float32))
        np.testing.assert_array_equal(got, want)
        for count in (0, 1):
            want = onnx_runtime("AveragePool", [x], **common, count_include_pad=count)
            want = to_last(want) if last else want
            mean = cpu("AvgPool3D", [given], {**attrs, "count_include_pad": bool(count)}, (want.shape, np.float32))
            close(mean, want, scale=10)


def test_pool_3d_named_padding(cpu):
    x = draw((1, 2, 5, 6, 7))
    for mode, auto in (("SAME", "SAME_UPPER"), ("VALID", "VALID")):
        want = onnx_runtime("MaxPool", [x], kernel_shape=(3, 2, 3), strides=(2, 2, 2), auto_pad=auto)
        attrs = {"ksize": [1, 1, 3, 2, 3], "strides": [1, 1, 2, 2, 2], "padding": mode, "data_format": "NCDHW"}
        np.testing.assert_array_equal(cpu("MaxPool3D", [x], attrs, (want.shape, np.float32)), want)


def maxima(x, ksize, strides, pads, dilations):
    """Maxima and their flat positions inside each channel, by definition; x is N, C and any spatial dimensions."""
    space = x.shape[2:]
    out = [(n + b + a - (k - 1) * d - 1) // s + 1
           for n, k, s, b, a, d in zip(space, ksize, strides, pads[::2], pads[1::2], dilations)]  # fmt: skip
    y, where = np.zeros((*x.shape[:2], *out), x.dtype), np.zeros((*x.shape[:2], *out), np.int64)
    for at in np.ndindex(*y.shape):
        best = None
        for step in np.ndindex(*ksize):
            pos = tuple(o * s - b + i * d for o, s, b, i, d in zip(at[2:], strides, pads[::2], step, dilations))
            if any(p < 0 or p >= n for p, n in zip(pos, space)):
                continue
            value = x[at[:2] + pos]
            if best is None or value > best:
                best = value
                where[at] = np.ravel_multi_index(pos, space)
        y[at] = best
    return y, where


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=lambda d: np.dtype(d).name)
def test_max_pool_positions(cpu, dtype):
    x = draw((2, 3, 7, 8), dtype)
    y, where = maxima(x, (3, 2), (2, 1), (1, 0, 0, 1), (2, 3))
    for index in (np.int32, np.int64):
        attrs = {"ksize": [1, 1, 3, 2], "strides": [1, 1, 2, 1], "pads": [1, 0, 0, 1], "dilation": [2, 3],
                 "data_format": "NCHW", "dtype": 3 if index == np.int32 else 9}  # fmt: skip
        got = cpu.run("MaxPoolWithArgmaxV3", [x], attrs, [(y.shape, dtype), (y.shape, index)])
        np.testing.assert_array_equal(got[0], y)
        np.testing.assert_array_equal(got[1], where)
        attrs = {**attrs, "data_format": "NHWC", "ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1]}
        got = cpu.run("MaxPoolWithArgmaxV3", [to_last(x)], attrs, [(to_last(y).shape, dtype), (to_last(y).shape, index)])
        np.testing.assert_array_equal(got[0], to_last(y))
        np.testing.assert_array_equal(got[1], to_last(where))
    v = draw((1, 2, 5, 4, 6), dtype, seed=3)
    y, where = maxima(v, (2, 2, 3), (1, 2, 1), (1, 0, 0, 0, 1, 1), (2, 1, 1))
    attrs = {"ksize": [1, 1, 2, 2, 3], "strides": [1, 1, 1, 2, 1], "pads": [1, 0, 0, 0, 1, 1], "dilation": [2, 1, 1],
             "data_format": "NCDHW"}  # fmt: skip
    got = cpu.run("MaxPool3DWithArgmaxV2", [v], attrs, [(y.shape, dtype), (y.shape, np.int32)])
    np.testing.assert_array_equal(got[0], y)
    np.testing.assert_array_equal(got[1], where)


def test_max_pool_of_images_with_positions(cpu):
    """Positions count over the image in the order of memory, or over the whole batch."""
    x = draw((2, 5, 6, 3))
    y, where = maxima(np.moveaxis(x, -1, 1), (2, 2), (2, 2), (0,) * 4, (1, 1))
    y, where = to_last(y), to_last(where)
    inside = where * 3 + np.arange(3)
    for batch in (False, True):
        attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID", "include_batch_in_index": batch}
        got = cpu.run("MaxPoolWithArgmax", [x], attrs, [(y.shape, np.float32), (y.shape, np.int64)])
        np.testing.assert_array_equal(got[0], y)
        want = inside + (np.arange(2).reshape(2, 1, 1, 1) * x[0].size if batch else 0)
        np.testing.assert_array_equal(got[1], want)


def test_pool_of_what_is_no_number(cpu):
    """A NaN is the maximum of every window that holds it; infinities compare as numbers."""
    x = np.array([1, np.nan, 2, 3, -np.inf, -np.inf, 5, np.inf, 0, 4], np.float32).reshape(1, 1, 1, 10)
    attrs = {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2], "pads": [0] * 4}
    got = cpu("MaxPoolV3", [x], attrs, ((1, 1, 1, 5), np.float32)).ravel()
    np.testing.assert_array_equal(got, [np.nan, 3, -np.inf, np.inf, 4])
    first, where = cpu.run("MaxPoolWithArgmaxV3", [x], {**attrs, "data_format": "NCHW"},
                       [((1, 1, 1, 5), np.float32), ((1, 1, 1, 5), np.int32)])  # fmt: skip
    np.testing.assert_array_equal(first.ravel(), got)
    np.testing.assert_array_equal(where.ravel(), [1, 3, 4, 7, 9])


def bins(x, size, reduce):
    out = np.zeros((*x.shape[: -len(size)], *size), x.dtype)
    for at in np.ndindex(*size):
        cut = tuple(slice(i * n // o, -(-(i + 1) * n // o)) for i, n, o in zip(at, x.shape[-len(size) :], size))
        part = x[(..., *cut)].reshape(*x.shape[: -len(size)], -1)
        out[(..., *at)] = reduce(part)
    return out


@pytest.mark.parametrize("shape", [(2, 3, 5, 7, 9), (1, 1, 3, 4, 5)])
def test_adaptive(cpu, shape):
    x = draw(shape)
    want = bins(x, (2, 3, 4), lambda p: p.mean(-1))
    close(cpu("AdaptiveAvgPool3d", [x], {"output_size": [2, 3, 4], "data_format": "NCDHW"}, (want.shape, np.float32)), want)
    got = cpu("AdaptiveAvgPool3d", [to_last(x)], {"output_size": [2, 3, 4]}, (to_last(want).shape, np.float32))
    close(got, to_last(want))
    for op, v, size in [("AdaptiveMaxPool3d", x, (2, 3, 4)), ("AdaptiveMaxPool2d", x[0], (4, 2))]:
        want = bins(v, size, lambda p: p.max(-1))
        y, where = cpu.run(op, [v], {"output_size": list(size)}, [(want.shape, np.float32), (want.shape, np.int32)])
        np.testing.assert_array_equal(y, want)
        flat = v.reshape(*v.shape[: -len(size)], -1)
        found = np.take_along_axis(flat, where.reshape(*flat.shape[:-1], -1).astype(np.int64), -1)
        np.testing.assert_array_equal(found.reshape(want.shape), want)
