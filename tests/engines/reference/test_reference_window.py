"""Reference kernels that slide windows over images or resample them."""

import numpy as np
import pytest
from engine_harness import EngineError, Fmt
from engine_oracles import FLOATS, close, draw, erf, onnx_reference, onnx_runtime, sigmoid

ACTIVATIONS = {
    "": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "clip": lambda x: np.clip(x, -0.5, 0.75),
    "sigmoid": sigmoid,
    "tanh": np.tanh,
    "swish": lambda x: x * sigmoid(x),
    "gelu_erf": lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "leaky_relu": lambda x: np.where(x > 0, x, -0.5 * x),
    "hard_swish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "hard_sigmoid": lambda x: np.clip(-0.5 * x + 0.75, 0, 1),
    "elu": lambda x: np.where(x > 0, x, -0.5 * np.expm1(x)),
}


def conv(x, w, bias=None, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), groups=1):
    """Convolution in double by its definition. pads: top, bottom, left, right."""
    x, w = x.astype(float), w.astype(float)
    top, bottom, left, right = pads
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    kh, kw = ((k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations))
    oh, ow = (x.shape[2] - kh) // strides[0] + 1, (x.shape[3] - kw) // strides[1] + 1
    y = np.zeros((x.shape[0], w.shape[0], oh, ow))
    per_in, per_out = w.shape[1], w.shape[0] // groups
    for g in range(groups):
        xs, ws = x[:, g * per_in : (g + 1) * per_in], w[g * per_out : (g + 1) * per_out]
        for i in range(w.shape[2]):
            for j in range(w.shape[3]):
                h, v = i * dilations[0], j * dilations[1]
                cut = xs[:, :, h : h + (oh - 1) * strides[0] + 1 : strides[0], v : v + (ow - 1) * strides[1] + 1 : strides[1]]
                y[:, g * per_out : (g + 1) * per_out] += np.einsum("nchw,oc->nohw", cut, ws[:, :, i, j])
    return y if bias is None else y + bias.astype(float).reshape(-1, 1, 1)


CONVS = [
    # x, filter, strides, pads, dilations, groups
    ((1, 3, 7, 9), (4, 3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((2, 4, 8, 8), (10, 4, 3, 3), (2, 2), (1, 0, 0, 1), (1, 1), 1),
    ((1, 5, 6, 6), (9, 5, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 6, 9, 11), (6, 1, 3, 5), (1, 2), (2, 1, 3, 0), (2, 1), 6),
    ((2, 4, 5, 300), (8, 2, 2, 3), (1, 1), (0, 1, 1, 1), (1, 2), 2),
    ((1, 2, 3, 3), (3, 2, 5, 5), (1, 1), (4, 4, 4, 4), (1, 1), 1),
    ((0, 2, 3, 3), (3, 2, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
]


def attributes(strides, pads, dilations, groups, last=False, **more):
    order = (lambda h, w: [1, h, w, 1]) if last else (lambda h, w: [1, 1, h, w])
    return {"strides": order(*strides), "dilations": order(*dilations), "pads": list(pads), "groups": groups,
            "data_format": "NHWC" if last else "NCHW", **more}  # fmt: skip


@pytest.mark.parametrize("case", range(len(CONVS)))
def test_conv(cpu, case):
    xs, ws, strides, pads, dilations, groups = CONVS[case]
    for dtype in (*FLOATS, np.int8):
        x, w = draw(xs, dtype, -1, 1), draw(ws, dtype, -1, 1, seed=1)
        out = np.int32 if dtype == np.int8 else dtype
        bias = draw((ws[0],), out, -1, 1, seed=2)
        want = conv(x, w, bias, strides, pads, dilations, groups).astype(out)
        scale = 2 if np.dtype(dtype).itemsize == 2 else 20
        got = cpu("Conv2D", [x, w, bias], attributes(strides, pads, dilations, groups), (want.shape, out))
        close(got, want, scale=scale)
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        hwcn = Fmt(np.ascontiguousarray(w.transpose(2, 3, 1, 0)), "HWCN")
        shape = want.transpose(0, 2, 3, 1).shape
        got = cpu("Conv2D", [last, hwcn, bias], attributes(strides, pads, dilations, groups, True), (shape, out))
        close(got, want.transpose(0, 2, 3, 1), scale=scale)
        ohwi = Fmt(np.ascontiguousarray(w.transpose(0, 2, 3, 1)), "NHWC")
        got = cpu("Conv2D", [x, ohwi, None], attributes(strides, pads, dilations, groups), (want.shape, out))
        close(got, (conv(x, w, None, strides, pads, dilations, groups)).astype(out), scale=scale)


def test_conv_v2_pad_modes(cpu):
    x, w = draw((1, 2, 7, 8)), draw((3, 2, 3, 2), seed=1)
    for mode, pads in [("SAME", (1, 1, 0, 1)), ("SAME_LOWER", (1, 1, 1, 0)), ("VALID", (0, 0, 0, 0))]:
        want = conv(x, w, pads=pads)
        attrs = {**attributes((1, 1), (9, 9, 9, 9), (1, 1), 1), "pad_mode": mode}
        close(cpu("Conv2DV2", [x, w], attrs, (want.shape, np.float32)), want, scale=10)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("n, channels, filters", [(2, 4, 9), (1, 2, 3)])
def test_fused_conv(cpu, n, channels, filters, activation):
    x, bias = draw((n, channels, 6, 7)), draw((filters,), seed=2)
    w = draw((filters, channels, 3, 3), low=-0.5, high=0.5, seed=1)
    residual = draw((n, filters, 6, 7), seed=3)
    attrs = attributes((1, 1), (1, 1, 1, 1), (1, 1), 1, activation=activation, alpha=-0.5, beta=0.75)
    want = conv(x, w, bias, pads=(1, 1, 1, 1)) + residual
    got = cpu("FusedConv2D", [x, w, bias, residual], attrs, (want.shape, np.float32))
    close(got, ACTIVATIONS[activation](want), scale=10)
    bare = cpu("FusedConv2D", [x, w, None, None], attrs, (want.shape, np.float32))
    close(bare, ACTIVATIONS[activation](conv(x, w, pads=(1, 1, 1, 1))), scale=10)


def test_conv_refusals(cpu):
    x, w = draw((1, 3, 5, 5)), draw((4, 2, 3, 3))
    attrs = attributes((1, 1), (0, 0, 0, 0), (1, 1), 1)
    with pytest.raises(EngineError, match="3 input channels"):
        cpu("Conv2D", [x, w], attrs, ((1, 4, 3, 3), np.float32))
    with pytest.raises(EngineError, match="output is 4 x 4, the window gives 3 x 3"):
        cpu("Conv2D", [x, draw((4, 3, 3, 3))], attrs, ((1, 4, 4, 4), np.float32))
    bad = {**attrs, "strides": [1, 1, 0, 1]}
    with pytest.raises(EngineError, match="strides has the values 0 and 1"):
        cpu("Conv2D", [x, draw((4, 3, 3, 3))], bad, ((1, 4, 3, 3), np.float32))
    assert "activation 'nope'" in cpu.check(
        "FusedConv2D", [x, w, None, None], {**attrs, "activation": "nope"}, [((1, 4, 3, 3), np.float32)]
    )


def pool(x, window, mode):
    """Windows side by side."""
    h, w = window
    rows, columns = x.shape[2] // h, x.shape[3] // w
    cut = x[:, :, : rows * h, : columns * w].reshape(*x.shape[:2], rows, h, columns, w)
    return cut.max((3, 5)) if mode == "max" else cut.mean((3, 5))


@pytest.mark.parametrize("mode", ["max", "average"])
@pytest.mark.parametrize("window", [(2, 2), (1, 3), (2, 1), (3, 2)])
@pytest.mark.parametrize("case", range(4))
def test_conv_pool(cpu, case, window, mode):
    xs, ws, strides, pads, dilations, groups = CONVS[case]
    attrs = attributes(
        strides, pads, dilations, groups, window=list(window), mode=mode, activation="clip", alpha=-0.5, beta=0.75
    )
    for dtype in (np.float32, np.float16):
        x, w, bias = draw(xs, dtype, -1, 1), draw(ws, dtype, -1, 1, seed=1), draw(ws[:1], dtype, -1, 1, seed=2)
        for b in (bias, None):
            made = ACTIVATIONS["clip"](conv(x, w, b, strides, pads, dilations, groups))
            want = pool(made, window, mode).astype(dtype)
            scale = 20 if dtype == np.float32 else 2
            close(cpu("FusedConvPool2D", [x, w, b], attrs, (want.shape, dtype)), want, scale=scale)
            hwcn = Fmt(np.ascontiguousarray(w.transpose(2, 3, 1, 0)), "HWCN")
            close(cpu("FusedConvPool2D", [x, hwcn, b], attrs, (want.shape, dtype)), want, scale=scale)


def test_conv_pool_keeps_nan(cpu):
    x, w = draw((1, 1, 4, 4)), np.ones((1, 1, 1, 1), np.float32)
    x[0, 0, 1, 2] = np.nan
    attrs = attributes((1, 1), (0, 0, 0, 0), (1, 1), 1, window=[2, 2], mode="max")
    got = cpu("FusedConvPool2D", [x, w, None], attrs, ((1, 1, 2, 2), np.float32))
    assert np.array_equal(np.isnan(got), [[[[False, True], [False, False]]]])


def test_conv_pool_refusals(cpu):
    x, w = draw((1, 3, 6, 7)), draw((4, 3, 3, 3))
    base, y = attributes((1, 1), (0, 0, 0, 0), (1, 1), 1, window=[2, 2], mode="max"), ((1, 4, 2, 2), np.float32)

    def fails(message, inputs=(x, w, None), shape=y, **more):
        with pytest.raises(EngineError, match=message):
            cpu("FusedConvPool2D", list(inputs), {**base, **more}, shape)

    fails("height of y is 2, the convolution makes 4 and a window takes 3", window=[3, 2])
    fails("width of y is 2, the convolution makes 5 and a window takes 6", window=[2, 6])
    fails("window has 3 values", window=[2, 2, 2])
    fails("a window takes -2", window=[-2, 2])
    fails("a window takes 0", window=[0, 2])
    fails("pads has the value 4611686018427387904", pads=[2**62, 0, 0, 0])
    fails("pads has the value -1", pads=[-1, 0, 0, 0])
    huge = 2**31 - 1  # the convolution would make 2^64 values, of which 64 bits tell nothing
    side = (6 + 2 * huge - 2, 7 + 2 * huge - 2)
    fails("makes 7.38e\\+19 values", window=list(side), pads=[huge] * 4, shape=((1, 4, 1, 1), np.float32))
    fails("3 input channels", (x, draw((4, 2, 3, 3)), None))
    fails("bias has 5 values", (x, w, draw((5,))))
    fails("the convolution makes 0", (x, draw((4, 3, 7, 3)), None), ((1, 4, 0, 2), np.float32))
    for name, value in (("mode", "median"), ("activation", "nope")):
        assert f"'{value}'" in cpu.check("FusedConvPool2D", [x, w, None], {**base, name: value}, [y])


SEPARABLE = [
    # x, expanded and made channels, filter, strides, pads
    ((1, 3, 7, 9), 5, 4, (3, 3), (1, 1), (1, 1, 1, 1)),
    ((2, 4, 8, 7), 10, 4, (3, 5), (2, 1), (1, 0, 2, 1)),
    ((1, 5, 6, 6), None, 9, (1, 2), (1, 2), (0, 0, 0, 1)),
    ((0, 2, 3, 3), 4, 3, (3, 3), (1, 1), (1, 1, 1, 1)),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("case", range(len(SEPARABLE)))
def test_separable_conv(cpu, case, dtype):
    xs, expanded, made, window, strides, pads = SEPARABLE[case]
    channels = expanded or xs[1]
    x = draw(xs, dtype, -1, 1)
    shapes = [(channels, xs[1], 1, 1), (channels, 1, *window), (made, channels, 1, 1)]
    filters = [draw(s, dtype, -0.5, 0.5, seed=1 + i) for i, s in enumerate(shapes)]
    biases = [draw(s[:1], dtype, -1, 1, seed=5 + i) for i, s in enumerate(shapes)]
    attrs = {"strides": [1, 1, *strides], "pads": list(pads), "expand_activation": "clip", "expand_alpha": -0.5,
             "expand_beta": 0.75, "depthwise_activation": "relu", "activation": "leaky_relu", "alpha": -0.5}  # fmt: skip
    for bias in (True, False):
        e, d, p = biases if bias else (None, None, None)
        y = x
        if expanded:
            y = ACTIVATIONS["clip"](conv(y, filters[0], e))
        y = ACTIVATIONS["relu"](conv(y, filters[1], d, strides, pads, groups=channels))
        y = conv(y, filters[2], p)
        residual = draw(y.shape, dtype, seed=9) if bias else None
        want = ACTIVATIONS["leaky_relu"](y if residual is None else y + residual.astype(float)).astype(dtype)
        expand = [filters[0], e] if expanded else [None, None]
        inputs = [x, filters[1], filters[2], *expand, d, p, residual]
        scale = 20 if dtype == np.float32 else 2
        close(cpu("FusedSeparableConv2D", inputs, attrs, (want.shape, dtype)), want, scale=scale)
        hwcn = [None if f is None else Fmt(np.ascontiguousarray(f.transpose(2, 3, 1, 0)), "HWCN") for f in filters]
        inputs = [x, hwcn[1], hwcn[2], hwcn[0] if expanded else None, *inputs[4:]]
        close(cpu("FusedSeparableConv2D", inputs, attrs, (want.shape, dtype)), want, scale=scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_separable_conv_with_squeeze_and_excitation(cpu, dtype):
    x, expand, depthwise, project = (draw(s, dtype, -1, 1, seed=1 + i) for i, s in enumerate(
        [(2, 3, 7, 9), (6, 3, 1, 1), (6, 1, 3, 3), (4, 6, 1, 1)]))  # fmt: skip
    squeeze, excite = draw((2, 6, 1, 1), dtype, -2, 2, seed=5), draw((6, 2, 1, 1), dtype, -2, 2, seed=6)
    biases = draw((2,), dtype, -1, 1, seed=7), draw((6,), dtype, -1, 1, seed=8)
    attrs = {"strides": [1, 1, 2, 1], "pads": [1, 1, 1, 1], "depthwise_activation": "relu", "squeeze_activation": "swish",
             "excite_activation": "sigmoid"}  # fmt: skip
    for squeeze_bias, excite_bias in (biases, (None, None)):
        y = ACTIVATIONS["relu"](conv(conv(x, expand, None), depthwise, None, (2, 1), (1, 1, 1, 1), groups=6))
        hidden = ACTIVATIONS["swish"](conv(y.mean((2, 3), keepdims=True), squeeze, squeeze_bias))
        want = conv(y * ACTIVATIONS["sigmoid"](conv(hidden, excite, excite_bias)), project, None).astype(dtype)
        inputs = [x, depthwise, project, expand, None, None, None, None, squeeze, squeeze_bias, excite, excite_bias]
        scale = 20 if dtype == np.float32 else 4
        close(cpu("FusedSeparableConv2D", inputs, attrs, (want.shape, dtype)), want, scale=scale)
    y = ((2, 4, 4, 9), dtype)
    with pytest.raises(EngineError, match="one is missing"):
        cpu("FusedSeparableConv2D", inputs[:9], attrs, y)
    with pytest.raises(EngineError, match="excite_filter has 6 output and 3 input channels"):
        cpu("FusedSeparableConv2D", [*inputs[:10], draw((6, 3, 1, 1), dtype), None], attrs, y)
    with pytest.raises(EngineError, match="squeeze_bias has 3 values"):
        cpu("FusedSeparableConv2D", [*inputs[:9], draw((3,), dtype), excite, None], attrs, y)


def test_separable_conv_refusals(cpu):
    x, expand, depthwise, project = draw((1, 3, 5, 6)), draw((4, 3, 1, 1)), draw((4, 1, 3, 3)), draw((2, 4, 1, 1))
    attrs, y = {"strides": [1, 1, 1, 1], "pads": [1, 1, 1, 1]}, ((1, 2, 5, 6), np.float32)

    def fails(message, inputs, shape=y, **more):
        with pytest.raises(EngineError, match=message):
            cpu("FusedSeparableConv2D", inputs, {**attrs, **more}, shape)

    fails("expand_filter has 4 output and 2 input channels", [x, depthwise, project, draw((4, 2, 1, 1))])
    fails("depthwise_filter has 4 output and 1 input channels, expected 3 and 1", [x, depthwise, project])
    fails("project_filter has 3 by 1 positions", [x, depthwise, draw((2, 4, 3, 1)), expand])
    fails("expand_bias has 5 values", [x, depthwise, project, expand, draw((5,))])
    fails("y is 1 images of 5 x 6, x and the window give 1 of 3 x 4", [x, depthwise, project, expand], pads=[0, 0, 0, 0])
    fails("residual has shape", [x, depthwise, project, expand, None, None, None, draw((1, 2, 5, 5))])
    assert "expand_activation 'nope'" in cpu.check(
        "FusedSeparableConv2D", [x, depthwise, project, expand], {**attrs, "expand_activation": "nope"}, [y]
    )


@pytest.mark.parametrize("last", [False, True])
def test_conv_transpose(cpu, last):
    for xs, ws, strides, pads, dilations, groups, extra in [
        ((1, 3, 4, 5), (3, 4, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1, (1, 1)),
        ((2, 4, 3, 3), (4, 3, 2, 4), (1, 3), (0, 1, 2, 0), (1, 1), 2, (0, 0)),
        ((1, 2, 5, 5), (2, 1, 3, 3), (2, 1), (1, 0, 0, 1), (2, 2), 2, (0, 0)),
        ((1, 2, 3, 200), (2, 3, 3, 3), (1, 2), (0, 0, 0, 0), (1, 1), 1, (0, 0)),
    ]:
        x, w, bias = draw(xs), draw(ws, seed=1), draw((ws[1] * groups,), seed=2)
        top, bottom, left, right = pads
        want = onnx_runtime("ConvTranspose", [x, w, bias], strides=strides, pads=[top, left, bottom, right],
                            dilations=dilations, group=groups, output_padding=extra)  # fmt: skip
        attrs = attributes(strides, pads, dilations, groups, last, output_padding=[0, 0, 0, 0])
        if last:
            x, want = (np.ascontiguousarray(v.transpose(0, 2, 3, 1)) for v in (x, want))
        size = np.array(want.shape, np.int32)
        close(cpu("Conv2DTranspose", [size, x, w, bias], attrs, (want.shape, np.float32)), want, scale=10)
        fused = {**attrs, "activation": "leaky_relu", "alpha": 0.2, "beta": 0.0}
        got = cpu("FusedConvTranspose", [size, x, w, bias], fused, (want.shape, np.float32))
        close(got, np.where(want > 0, want, want * np.float32(0.2)), scale=10)


def windows(x, ksize, strides, pads, fill):
    top, bottom, left, right = pads
    x = np.pad(x.astype(float), ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(x, ksize, (2, 3))
    return view[:, :, :: strides[0], :: strides[1]]


@pytest.mark.parametrize("dtype", [*FLOATS, np.int8], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("shape", [(2, 3, 9, 11), (1, 1, 3, 5)])
def test_max_pool(cpu, shape, dtype):
    x = draw(shape, dtype, -9, -1)
    for ksize, strides, pads in [
        ((3, 3), (2, 2), (1, 1, 1, 1)),
        ((2, 4), (1, 3), (0, 1, 2, 0)),
        (shape[2:], (1, 1), (0,) * 4),
    ]:
        want = windows(x, ksize, strides, pads, -np.inf).max((-1, -2)).astype(dtype)
        attrs = {"ksize": [1, 1, *ksize], "strides": [1, 1, *strides], "pads": list(pads)}
        np.testing.assert_array_equal(cpu("MaxPoolV3", [x], attrs, (want.shape, dtype)), want)
        attrs = {"mode": 0, "window": list(ksize), "stride": list(strides), "pad": list(pads)}
        np.testing.assert_array_equal(cpu("Pooling", [x], attrs, (want.shape, dtype)), want)


def test_max_pool_with_ceil_mode(cpu):
    x = draw((1, 2, 6, 6))
    want = onnx_runtime("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    attrs = {"ksize": [1, 1, 3, 3], "strides": [1, 1, 2, 2], "pads": [0, 0, 0, 0], "ceil_mode": True}
    np.testing.assert_array_equal(cpu("MaxPoolV3", [x], attrs, (want.shape, np.float32)), want)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("shape", [(2, 3, 9, 11), (1, 1, 3, 5)])
def test_avg_pool(cpu, shape, exclusive, dtype):
    x = draw(shape, dtype)
    for ksize, strides, pads in [((3, 3), (2, 2), (1, 1, 1, 1)), ((2, 4), (1, 3), (0, 1, 2, 0))]:
        total = windows(x, ksize, strides, pads, 0).sum((-1, -2))
        count = windows(np.ones_like(x), ksize, strides, pads, 0 if exclusive else 1).sum((-1, -2))
        want = (total / count).astype(dtype)
        attrs = {"ksize": [1, 1, *ksize], "strides": [1, 1, *strides], "pads": list(pads), "exclusive": exclusive}
        close(cpu("AvgPoolV2", [x], attrs, (want.shape, dtype)), want)
        if not exclusive:
            attrs = {"mode": 1, "window": list(ksize), "stride": list(strides), "pad": list(pads)}
            close(cpu("Pooling", [x], attrs, (want.shape, dtype)), want)
    want = (windows(x, (2, 2), (2, 2), (0,) * 4, 0).sum((-1, -2)) / 7).astype(dtype)
    attrs = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "divisor_override": 7}
    close(cpu("AvgPoolV2", [x], attrs, (want.shape, dtype)), want)
    whole = x.astype(float).mean((2, 3), keepdims=True).astype(dtype)
    attrs = {"ksize": [1, 1, 1, 1], "strides": [1, 1, 1, 1], "global_pooling": True}
    close(cpu("AvgPoolV2", [x], attrs, (whole.shape, dtype)), whole)


@pytest.mark.parametrize("include", [0, 1])
def test_avg_pool_with_ceil_mode(cpu, include):
    x = draw((1, 2, 7, 7))
    want = onnx_runtime("AveragePool", [x], opset=19, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1,
                        pads=[1, 1, 1, 1], count_include_pad=include)  # fmt: skip
    attrs = {"ksize": [1, 1, 3, 3], "strides": [1, 1, 2, 2], "pads": [1, 1, 1, 1], "ceil_mode": True,
             "exclusive": not include}  # fmt: skip
    close(cpu("AvgPoolV2", [x], attrs, (want.shape, np.float32)), want)


@pytest.mark.parametrize("last", [False, True])
def test_pools_with_named_padding(cpu, last):
    x = draw((1, 3, 7, 8))
    for padding, pads in [("SAME", (1, 1, 0, 1)), ("VALID", (0, 0, 0, 0))]:
        attrs = {"ksize": [1, 1, 3, 2], "strides": [1, 1, 2, 2], "padding": padding, "data_format": "NCHW"}
        pads = (1, 1, 0, 0) if padding == "SAME" else pads
        top = windows(x, (3, 2), (2, 2), pads, -np.inf).max((-1, -2))
        counts = windows(np.ones_like(x), (3, 2), (2, 2), pads, 0).sum((-1, -2))
        mean = windows(x, (3, 2), (2, 2), pads, 0).sum((-1, -2)) / counts
        data = x
        if last:
            data, top, mean = (np.ascontiguousarray(v.transpose(0, 2, 3, 1)) for v in (x, top, mean))
            attrs = {**attrs, "ksize": [1, 3, 2, 1], "strides": [1, 2, 2, 1], "data_format": "NHWC"}
        close(cpu("MaxPool", [data], attrs, (top.shape, np.float32)), top)
        close(cpu("AvgPool", [data], attrs, (mean.shape, np.float32)), mean)


def test_pooling_with_dilation(cpu):
    x = draw((1, 2, 9, 9))
    want = onnx_runtime("MaxPool", [x], kernel_shape=[3, 3], strides=[1, 2], dilations=[2, 3], pads=[1, 2, 1, 2])
    attrs = {"window": [3, 3], "stride": [1, 2], "dilation": [1, 1, 2, 3], "pad": [1, 1, 2, 2]}
    np.testing.assert_array_equal(cpu("Pooling", [x], attrs, (want.shape, np.float32)), want)
    top = x.max((2, 3), keepdims=True)
    np.testing.assert_array_equal(cpu("Pooling", [x], {"global_pooling": True}, (top.shape, np.float32)), top)


def test_global_average_pool(cpu):
    for shape in [(2, 3, 4, 5), (2, 3, 7), (1, 4, 2, 3, 5)]:
        x = draw(shape)
        want = x.astype(float).mean(tuple(range(2, x.ndim)), keepdims=True)
        close(cpu("GlobalAveragePool", [x], {}, (want.shape, np.float32)), want)
    last = draw((2, 4, 5, 3))
    want = last.astype(float).mean((1, 2), keepdims=True)
    close(cpu("GlobalAveragePool", [Fmt(last, "NHWC")], {}, (want.shape, np.float32)), want)


def test_adaptive_avg_pool(cpu):
    x = draw((2, 3, 7, 10))
    want = np.empty((2, 3, 3, 4))
    for i in range(3):
        for j in range(4):
            rows = slice(i * 7 // 3, -(-(i + 1) * 7 // 3))
            columns = slice(j * 10 // 4, -(-(j + 1) * 10 // 4))
            want[:, :, i, j] = x[:, :, rows, columns].astype(float).mean((2, 3))
    close(cpu("AdaptiveAvgPool2d", [x], {"output_size": [3, 4]}, (want.shape, np.float32)), want)
    close(cpu("AdaptiveAvgPool2d", [x[0]], {"output_size": [3, 4]}, (want[0].shape, np.float32)), want[0])


TRANSFORMS = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]


@pytest.mark.parametrize("transform", [*TRANSFORMS, "half_pixel_symmetric"])
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resize(cpu, mode, transform):
    x = draw((1, 2, 5, 6))
    none = np.zeros(0, np.float32)
    # 0.6 puts positions exactly between pixels; symmetric pixels round there as they like.
    shrink = 0.7 if transform == "half_pixel_symmetric" else 0.6
    for h, w in [(1.0, 1.0), (2.0, 3.0), (shrink, 0.5), (1.3, 2.7)]:
        scales = np.array([1, 1, h, w], np.float32)
        for nearest in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"] if mode == "nearest" else ["floor"]:
            options = dict(mode=mode, coordinate_transformation_mode=transform, nearest_mode=nearest)
            want = onnx_runtime("Resize", [x, none, scales], opset=19, **options)
            got = cpu("Resize", [x, none, scales], options, (want.shape, np.float32))
            close(got, want, scale=10)
    sizes = np.array([1, 2, 8, 7])
    options = dict(mode=mode, coordinate_transformation_mode=transform)
    want = onnx_runtime("Resize", [x, None, None, sizes], opset=19, **options)
    close(cpu("Resize", [x, None, None, sizes], options, (want.shape, np.float32)), want, scale=10)
    attrs = {**options, "sizes": [8, 7], "data_format": "NCHW"}
    close(cpu("ResizeD", [x], attrs, (want.shape, np.float32)), want, scale=10)


def test_resize_options(cpu):
    x, none = draw((1, 1, 6, 7)), np.zeros(0, np.float32)
    scales = np.array([1, 1, 1.7, 0.6], np.float32)
    options = dict(mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1)
    want = onnx_runtime("Resize", [x, none, scales], opset=19, **options)
    close(cpu("Resize", [x, none, scales], options, (want.shape, np.float32)), want, scale=10)
    roi = np.array([0, 0, 0.2, -0.3, 1, 1, 0.8, 1.2], np.float32)
    sizes = np.array([1, 1, 5, 8])
    for mode in ("linear", "nearest"):
        options = dict(mode=mode, coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0)
        want = onnx_runtime("Resize", [x, roi, None, sizes], opset=19, **options)
        close(cpu("Resize", [x, roi, None, sizes], options, (want.shape, np.float32)), want, scale=10)
    options = dict(mode="nearest", coordinate_transformation_mode="tf_half_pixel_for_nn", nearest_mode="floor")
    want = onnx_runtime("Resize", [x, none, scales], opset=11, **options)
    close(cpu("Resize", [x, none, scales], options, (want.shape, np.float32)), want)


def test_resize_of_some_axes(cpu):
    x, roi = draw((1, 2, 6, 7)), np.array([0.1, 0.2, 0.9, 0.7], np.float32)
    scales, sizes = np.array([0.5, 1.7], np.float32), np.array([4, 9])
    options = dict(mode="linear", axes=[3, 2])
    want = onnx_runtime("Resize", [x, None, scales], opset=19, **options)
    close(cpu("Resize", [x, None, scales, None], options, (want.shape, np.float32)), want, scale=10)
    options = dict(mode="linear", axes=[-2, -1], coordinate_transformation_mode="tf_crop_and_resize")
    want = onnx_runtime("Resize", [x, roi, None, sizes], opset=19, **options)
    close(cpu("Resize", [x, roi, None, sizes], options, (want.shape, np.float32)), want, scale=10)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("outside", [0, 1])
def test_resize_with_antialias(cpu, mode, outside):
    x = draw((1, 2, 11, 7))
    for factors in ((0.45, 0.3), (0.9, 2.0), (0.1, 1.0)):
        scales = np.array([1, 1, *factors], np.float32)
        options = dict(mode=mode, antialias=1, exclude_outside=outside)
        want = onnx_reference("Resize", [x, None, scales], opset=19, **options)
        close(cpu("Resize", [x, None, scales, None], options, (want.shape, np.float32)), want, scale=20)


def test_resize_by_whole_factors_repeats_pixels(cpu):
    x = draw((1, 1, 2, 3))
    options = dict(mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    want = x.repeat(2, 2).repeat(3, 3)
    np.testing.assert_array_equal(cpu("Resize", [x, None, None, np.array(want.shape)], options, (want.shape, np.float32)), want)


def test_resize_of_integers_and_other_ranks(cpu):
    x = draw((4, 6), np.uint8, 0, 200)
    sizes = np.array([8, 3])
    options = dict(mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    got = cpu("Resize", [x, None, None, sizes], options, ((8, 3), np.uint8))
    np.testing.assert_array_equal(got, x[np.arange(8) // 2][:, np.arange(3) * 2])
    x = draw((2, 3, 4), np.float64)
    options = dict(mode="linear")
    want = onnx_reference("Resize", [x, np.zeros(0, np.float32), np.zeros(0, np.float32), np.array([3, 5, 4])], **options)
    close(cpu("Resize", [x, None, None, np.array([3, 5, 4])], options, (want.shape, np.float64)), want, "float32")
    half = draw((1, 2, 3, 3), np.float16)
    scales = np.array([1, 1, 2, 2], np.float32)
    want = onnx_reference("Resize", [half.astype(np.float32), np.zeros(0, np.float32), scales], **options)
    got = cpu("Resize", [half, None, scales], options, (want.shape, np.float16))
    close(got, want.astype(np.float16))


def tf_positions(n_in, n_out, align, half):
    scale = (n_in - 1) / (n_out - 1) if align and n_out > 1 else n_in / n_out
    return (np.arange(n_out) + 0.5) * scale - 0.5 if half else np.arange(n_out) * scale


@pytest.mark.parametrize("align,half", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("last", [False, True])
def test_tensorflow_resizers(cpu, last, align, half):
    x = draw((1, 2, 5, 6))
    h, w = tf_positions(5, 8, align, half), tf_positions(6, 4, align, half)

    def axis(v, p, n):
        low = np.clip(np.floor(p).astype(int), 0, n - 1)
        high = np.clip(np.floor(p).astype(int) + 1, 0, n - 1)
        return np.take(v, low, -1) * (1 - (p - np.floor(p))) + np.take(v, high, -1) * (p - np.floor(p))

    linear = axis(np.swapaxes(axis(x.astype(float), w, 6), 2, 3), h, 5).swapaxes(2, 3)
    if align:
        i, j = (np.floor(p + 0.5).astype(int) for p in (h, w))
    elif half:
        i, j = np.floor((np.arange(8) + 0.5) * 5 / 8).astype(int), np.floor((np.arange(4) + 0.5) * 6 / 4).astype(int)
    else:
        i, j = np.floor(h).astype(int), np.floor(w).astype(int)
    nearest = x[:, :, np.minimum(i, 4)][:, :, :, np.minimum(j, 5)]
    attrs = {"align_corners": align, "half_pixel_centers": half}
    data = x
    if last:
        data, linear, nearest = (np.ascontiguousarray(v.transpose(0, 2, 3, 1)) for v in (x, linear, nearest))
    data, size = Fmt(data, "NHWC" if last else "NCHW"), np.array([8, 4], np.int32)
    close(cpu("ResizeBilinearV2", [data, size], attrs, (linear.shape, np.float32)), linear, scale=3)
    np.testing.assert_array_equal(cpu("ResizeNearestNeighborV2", [data, size], attrs, (nearest.shape, np.float32)), nearest)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("align", [False, True])
def test_grid_sample(cpu, mode, padding, align):
    x, grid = draw((2, 3, 5, 6)), draw((2, 4, 7, 2), low=-1.4, high=1.4, seed=1)
    want = onnx_runtime("GridSample", [x, grid], opset=16, mode=mode, padding_mode=padding, align_corners=int(align))
    attrs = {"interpolation_mode": mode, "padding_mode": padding, "align_corners": align}
    close(cpu("GridSample", [x, grid], attrs, (want.shape, np.float32)), want, scale=20)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    got = cpu("GridSample", [last, grid], {**attrs, "channel_last": True}, (want.transpose(0, 2, 3, 1).shape, np.float32))
    close(got, want.transpose(0, 2, 3, 1), scale=20)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
@pytest.mark.parametrize("shape", [(2, 12, 3, 5), (1, 8, 2, 3)])
def test_depth_to_space(cpu, shape, mode):
    x = draw(shape)
    want = onnx_reference("DepthToSpace", [x], blocksize=2, mode=mode)
    attrs = {"block_size": 2, "mode": mode, "data_format": "NCHW"}
    np.testing.assert_array_equal(cpu("DepthToSpace", [x], attrs, (want.shape, np.float32)), want)
    last, want_last = (np.ascontiguousarray(v.transpose(0, 2, 3, 1)) for v in (x, want))
    attrs["data_format"] = "NHWC"
    np.testing.assert_array_equal(cpu("DepthToSpace", [last], attrs, (want_last.shape, np.float32)), want_last)


def test_space_to_depth(cpu):
    x = draw((2, 3, 6, 4), np.int16, -99, 99)
    want = onnx_runtime("SpaceToDepth", [x.astype(np.float32)], blocksize=2).astype(np.int16)
    attrs = {"block_size": 2, "data_format": "NCHW"}
    np.testing.assert_array_equal(cpu("SpaceToDepth", [x], attrs, (want.shape, np.int16)), want)
    last, want_last = (np.ascontiguousarray(v.transpose(0, 2, 3, 1)) for v in (x, want))
    attrs["data_format"] = "NHWC"
    np.testing.assert_array_equal(cpu("SpaceToDepth", [last], attrs, (want_last.shape, np.int16)), want_last)
