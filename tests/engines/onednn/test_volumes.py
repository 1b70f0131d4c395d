"""Convolutions of volumes, transposed convolutions and pooling of volumes, against ONNX Runtime and NumPy."""

import numpy as np
import pytest
from engine_harness import Engine, EngineError, Fmt, best_isa
from engine_oracles import close, draw, onnx_runtime


@pytest.fixture(scope="module", params=["avx2", "avx512"])
def engine(request):
    if request.param == "avx512" and best_isa() != "avx512":
        pytest.skip("this processor has no AVX-512")
    return Engine("onednn", request.param)


def onnx_pads(pads):
    return [*pads[0::2], *pads[1::2]]


def listed(values, last):
    return [1, *values, 1] if last else [1, 1, *values]


def to_last(x):
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


ACTIVATIONS = {
    "": lambda v: v,
    "relu": lambda v: np.maximum(v, 0),
    "clip": lambda v: np.clip(v, -0.5, 0.7),
    "sigmoid": lambda v: 1 / (1 + np.exp(-v.astype(np.float64))),
}

# x, filter, strides, pads (before and after each axis), dilations, groups
CONVS = [
    ((1, 3, 5, 6, 7), (4, 3, 3, 3, 3), (1, 1, 1), (1,) * 6, (1, 1, 1), 1),  # a first layer
    ((2, 4, 6, 5, 8), (10, 2, 2, 3, 1), (2, 1, 3), (1, 0, 2, 1, 0, 3), (1, 2, 1), 2),
    ((1, 2, 4, 4, 4), (2, 2, 1, 1, 1), (1, 1, 1), (0,) * 6, (1, 1, 1), 1),  # one long row
    ((1, 6, 7, 3, 5), (6, 1, 3, 1, 2), (1, 1, 2), (2, 1, 0, 0, 1, 0), (2, 1, 3), 6),  # depthwise
    ((2, 20, 4, 5, 6), (37, 20, 3, 3, 3), (1, 2, 2), (1,) * 6, (1, 1, 1), 1),  # channels that fill no block
    ((1, 16, 9, 4, 3), (16, 16, 3, 1, 1), (1, 1, 1), (1, 1, 0, 0, 0, 0), (1, 1, 1), 1),  # along the depth alone
    ((1, 64, 3, 3, 3), (40, 64, 3, 3, 3), (1, 1, 1), (1,) * 6, (1, 1, 1), 1),  # more filter than the cache holds at once
    ((1, 4, 2, 3, 700), (8, 4, 1, 3, 3), (1, 1, 1), (0, 0, 1, 1, 1, 1), (1, 1, 1), 1),  # rows in parts
    ((2, 33, 5, 4, 3), (33, 1, 3, 3, 3), (2, 1, 1), (1,) * 6, (1, 1, 1), 33),
    ((1, 4, 3, 5, 9), (4, 2, 3, 3, 3), (1, 1, 1), (1,) * 6, (1, 1, 1), 2),  # few channels, in groups
    ((1, 8, 3, 5, 9), (2, 4, 3, 3, 3), (1, 1, 1), (1,) * 6, (1, 1, 1), 2),
    ((1, 3, 1, 1, 9), (5, 3, 1, 1, 9), (1, 1, 1), (0,) * 6, (1, 1, 1), 1),  # one output
    ((1, 8, 12, 1, 1), (8, 8, 5, 1, 1), (1, 1, 1), (2, 2, 0, 0, 0, 0), (1, 1, 1), 1),  # a standing line
]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("case", range(len(CONVS)))
def test_conv_3d(engine, case, last):
    xs, ws, strides, pads, dilations, groups = CONVS[case]
    x, w, bias = draw(xs), draw(ws, seed=1), draw((ws[0],), seed=2)
    want = onnx_runtime("Conv", [x, w, bias], strides=strides, pads=onnx_pads(pads), dilations=dilations, group=groups)
    attrs = {"strides": listed(strides, last), "dilations": listed(dilations, last), "pads": list(pads), "groups": groups,
             "data_format": "NDHWC" if last else "NCDHW"}  # fmt: skip
    if last:
        x, want = to_last(x), to_last(want)
        w = Fmt(np.ascontiguousarray(w.transpose(2, 3, 4, 1, 0)), "DHWCN")
    bare = want - (bias if last else bias.reshape(-1, 1, 1, 1))
    close(engine("Conv3D", [x, w, bias], attrs, (want.shape, np.float32)), want, scale=50)
    close(engine("Conv3DV2", [x, w, None], attrs, (want.shape, np.float32)), bare, scale=50)
    residual = draw(want.shape, seed=3)
    for name, formula in ACTIVATIONS.items():
        fused = {**attrs, "activation": name, "alpha": -0.5, "beta": 0.7}
        close(engine("FusedConv3D", [x, w, bias, None], fused, (want.shape, np.float32)), formula(want), scale=50)
        got = engine("FusedConv3D", [x, w, bias, residual], fused, (want.shape, np.float32))
        close(got, formula(want + residual), scale=50)


# x, filter, strides, pads, dilations, groups, output_padding
TRANSPOSED = [
    ((1, 3, 4, 5), (3, 4, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1, (1, 1)),
    ((2, 4, 3, 3), (4, 3, 2, 4), (1, 3), (0, 1, 2, 0), (1, 1), 2, (0, 0)),
    ((1, 2, 5, 5), (2, 1, 3, 3), (2, 1), (1, 0, 0, 1), (2, 2), 2, (0, 0)),
    ((1, 2, 3, 200), (2, 3, 3, 3), (1, 2), (0, 0, 0, 0), (1, 1), 1, (0, 0)),
    ((1, 32, 6, 7), (32, 16, 2, 2), (2, 2), (0,) * 4, (1, 1), 1, (0, 0)),  # a decoder's
    ((2, 40, 5, 4), (40, 24, 4, 4), (2, 2), (1,) * 4, (1, 1), 1, (0, 0)),  # a generator's
    ((2, 20, 1, 1), (20, 36, 4, 4), (1, 1), (0,) * 4, (1, 1), 1, (0, 0)),  # from a single pixel
    ((1, 5, 4, 4), (5, 3, 1, 1), (3, 3), (0,) * 4, (1, 1), 1, (2, 2)),  # outputs that no tap meets
    ((1, 6, 4, 9), (6, 2, 3, 5), (4, 2), (0, 2, 1, 1), (3, 4), 3, (1, 0)),  # strides and dilations with common factors
    ((1, 24, 5, 6), (24, 1, 4, 4), (2, 2), (1,) * 4, (1, 1), 24, (0, 0)),  # depthwise
    ((2, 128, 1, 300), (128, 1, 1, 16), (1, 8), (0,) * 4, (1, 1), 1, (0, 0)),  # frames to sound
    ((1, 4, 3, 4, 5), (4, 4, 3, 2, 3), (2, 1, 2), (1, 0, 1, 1, 0, 1), (1, 1, 1), 1, (1, 0, 1)),
    ((2, 4, 2, 3, 3), (4, 3, 2, 2, 1), (1, 2, 3), (0,) * 6, (2, 1, 1), 2, (0, 0, 0)),
    ((1, 18, 3, 2, 4), (18, 9, 2, 2, 2), (2, 2, 2), (0,) * 6, (1, 1, 1), 1, (0, 0, 0)),
]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("case", range(len(TRANSPOSED)))
def test_conv_transpose(engine, case, last):
    xs, ws, strides, pads, dilations, groups, extra = TRANSPOSED[case]
    x, w, bias = draw(xs), draw(ws, seed=1), draw((ws[1] * groups,), seed=2)
    want = onnx_runtime("ConvTranspose", [x, w, bias], strides=strides, pads=onnx_pads(pads), dilations=dilations,
                        group=groups, output_padding=extra)  # fmt: skip
    deep = len(xs) == 5
    attrs = {"strides": listed(strides, last), "dilations": listed(dilations, last), "pads": list(pads), "groups": groups,
             "data_format": ("NDHWC" if deep else "NHWC") if last else ("NCDHW" if deep else "NCHW")}  # fmt: skip
    if last:
        x, want = to_last(x), to_last(want)
        space = range(2, len(xs))
        w = Fmt(np.ascontiguousarray(w.transpose(*space, 1, 0)), "DHWCN" if deep else "HWCN")
    size = np.array(want.shape, np.int32)
    for op in ("Conv3DTranspose", "Conv3DTransposeV2") if deep else ("Conv2DTranspose",):
        close(engine(op, [size, x, w, bias], attrs, (want.shape, np.float32)), want, scale=50)
    for name, formula in ACTIVATIONS.items():
        fused = {**attrs, "activation": name, "alpha": -0.5, "beta": 0.7}
        got = engine("FusedConvTranspose", [size, x, w, bias], fused, (want.shape, np.float32))
        close(got, formula(want), scale=50)


def windows(x, ksize, strides, dilations, pads, out, combine, start):
    """y[n, c, d, h, w] = what the window holds, combined; and how many elements it holds, with and without padding."""
    y = np.full((*x.shape[:2], *out), start, np.float64)
    inside, padded = np.zeros(out), np.zeros(out)
    for at in np.ndindex(*out):
        for k in np.ndindex(*ksize):
            p = [a * s - b + t * d for a, s, b, t, d in zip(at, strides, pads[0::2], k, dilations)]
            padded[at] += all(-b <= v < n + e for v, n, b, e in zip(p, x.shape[2:], pads[0::2], pads[1::2]))
            if all(0 <= v < n for v, n in zip(p, x.shape[2:])):
                y[(..., *at)] = combine(y[(..., *at)], x[(..., *p)])
                inside[at] += 1
    return y, inside, padded


POOLS = [
    ((2, 2, 2), (2, 2, 2), (1, 1, 1), (0,) * 6, False),
    ((3, 2, 3), (1, 2, 2), (1, 1, 1), (1, 1, 0, 1, 1, 0), False),
    ((1, 3, 3), (1, 2, 2), (1, 1, 1), (0, 0, 1, 1, 1, 1), True),
    ((2, 3, 2), (2, 2, 3), (2, 1, 2), (1, 0, 1, 1, 0, 1), True),
    ((5, 6, 7), (1, 1, 1), (1, 1, 1), (0,) * 6, False),
]


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("channels", [3, 1])
@pytest.mark.parametrize("case", range(len(POOLS)))
def test_pool_3d(engine, case, channels, last):
    ksize, strides, dilations, pads, ceil = POOLS[case]
    x = draw((2, channels, 5, 6, 23), low=-9, high=-1)
    room = [n + b + e - (k - 1) * d - 1 for n, b, e, k, d in zip(x.shape[2:], pads[0::2], pads[1::2], ksize, dilations)]
    out = tuple(-(-r // s) + 1 if ceil else r // s + 1 for r, s in zip(room, strides))
    attrs = {"ksize": listed(ksize, last), "strides": listed(strides, last), "dilation": listed(dilations, last),
             "pads": list(pads), "ceil_mode": int(ceil), "data_format": "NDHWC" if last else "NCDHW"}  # fmt: skip

    def check(op, want, **more):
        given, expected = (to_last(x), to_last(want)) if last else (x, want)
        close(engine(op, [given], {**attrs, **more}, (expected.shape, np.float32)), expected, scale=4)

    lowest = float(np.finfo(np.float32).min)
    check("MaxPool3D", windows(x, ksize, strides, dilations, pads, out, np.maximum, lowest)[0], padding="CALCULATED")
    total, inside, padded = windows(x, ksize, strides, dilations, pads, out, np.add, 0.0)
    check("AvgPool3D", total / np.maximum(padded, 1), count_include_pad=True)
    check("AvgPool3D", total / np.maximum(inside, 1), count_include_pad=False)
    check("AvgPool3D", total / 5, count_include_pad=False, divisor_override=5)


def test_pool_3d_of_what_is_no_number(engine):
    x = draw((1, 2, 4, 4, 40))
    x[0, 0, 1, 1, [3, 39]] = np.nan
    x[0, 1, 0:2, 0:2, 0:2] = -np.inf
    attrs = {"ksize": [1, 1, 2, 2, 2], "strides": [1, 1, 2, 2, 2], "pads": [0] * 6, "data_format": "NCDHW",
             "padding": "CALCULATED"}  # fmt: skip
    got = engine("MaxPool3D", [x], attrs, ((1, 2, 2, 2, 20), np.float32))
    want = x.reshape(1, 2, 2, 2, 2, 2, 20, 2).max((3, 5, 7))
    np.testing.assert_array_equal(got, want)


def test_refusals(engine):
    x, w = draw((1, 4, 3, 4, 5)), draw((4, 4, 3, 3, 3))
    good = {"strides": [1] * 5, "dilations": [1] * 5, "pads": [1] * 6, "groups": 1, "data_format": "NCDHW"}

    def why(attrs=(), type="Conv3D", x=x, w=w, y=(1, 4, 3, 4, 5), extra=()):
        return engine.check(type, [*extra, x, w, None], {**good, **dict(attrs)}, [(y, np.float32)])

    assert why() is None
    assert "strides has 0" in why({"strides": [1, 1, 1, 0, 1]})
    assert "strides has 4 values, expected 5" in why({"strides": [1] * 4})
    assert "pads has -1" in why({"pads": [0, 0, -1, 0, 0, 0]})
    assert "groups is 0" in why({"groups": 0})
    assert "do not fit filter" in why({"groups": 2})
    assert "data_format NCHW is not supported" in why({"data_format": "NCHW"})
    assert "y's width is 6" in why(y=(1, 4, 3, 4, 6))
    assert "y has 5 channels, the filter 4" in why(y=(1, 5, 3, 4, 5))
    assert "DT_DOUBLE is not supported for x" in why(x=x.astype(np.float64))
    assert "x has rank 4" in why(x=x[0])
    size = np.array([1, 4, 3, 4, 5], np.int32)
    assert "a stride of 1000" in why({"strides": [1, 1, 1, 1, 1000]}, "Conv3DTranspose", extra=[size])
    assert 'activation "nope" is not supported' in why({"activation": "nope"}, "FusedConv3D")
    pool = {"ksize": [1, 1, 2, 2, 9999], "strides": [1] * 5, "pads": [0] * 6, "data_format": "NCDHW", "padding": "VALID"}
    assert "a window of width 9999 is above" in engine.check("MaxPool3D", [x], pool, [((1, 4, 2, 3, 1), np.float32)])
    with pytest.raises(EngineError, match="ksize has 4 values, expected 5"):
        engine("AvgPool3D", [x], {**pool, "ksize": [1] * 4}, ((1, 4, 2, 3, 1), np.float32))
