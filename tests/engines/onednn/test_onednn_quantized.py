"""Products and convolutions of 8-bit integers on the matrix engine, to the bit against NumPy: types, zero points, scales
per row and column, odd sizes, batches, one thread and several."""

from functools import lru_cache

import numpy as np
import pytest
from engine_harness import ISA, Engine, EngineError, aligned_copy, best_isa
from quantized_oracle import INT8S, conv, conv_attributes, conv_finished, full, matmul, scales

DST = {np.int32: 3, np.float32: 0, np.int8: 2, np.uint8: 4}
ISAS = ["avx2", "avx2_vnni", "avx512", "avx512_vnni", "amx"]
ISA["avx2_vnni"] = ISA["avx2"] | 1 << 13  # GE_CPU_AVX_VNNI
ISA["avx512_vnni"] = ISA["avx512"] | 1 << 19  # GE_CPU_AVX512_VNNI
ISA["amx"] = ISA["avx512_vnni"] | 1 << 20 | 7 << 22  # with GE_CPU_AVX512_BF16, GE_CPU_AMX_TILE, _INT8, _BF16
PROCESSOR = open("/proc/cpuinfo").read().split()


@lru_cache
def engine_of(isa, threads):
    return Engine("onednn", isa, threads)


@pytest.fixture(scope="module", params=ISAS)
def isa(request):
    has = {"avx2": best_isa() != "scalar", "avx2_vnni": "avx_vnni" in PROCESSOR, "avx512": best_isa() == "avx512",
           "avx512_vnni": best_isa() == "avx512" and "avx512_vnni" in PROCESSOR,
           "amx": {"amx_tile", "amx_int8", "amx_bf16"} <= set(PROCESSOR)}  # fmt: skip
    if not has[request.param]:
        pytest.skip(f"this processor has no {request.param}")
    return request.param


def run(isa, type, inputs, attrs, want, constants):
    """With one thread and several, and with what is constant known when the kernel is made or not."""
    spec = [(want.shape, want.dtype)]
    info = None
    for threads in (1, 2):
        got, info = engine_of(isa, threads).run_once(type, inputs, attrs, spec, constants)
        np.testing.assert_array_equal(got[0], want)
    return info


def product(isa, x1, x2, dst, x1_scale=None, x1_zero=None, x2_scale=None, x2_zero=None, bias=None, y_scale=None, y_zero=None,
            adj=False, constants=(3, 4, 5, 6), **activation):  # fmt: skip
    inputs = [x1, x1_scale, x1_zero, x2, x2_scale, x2_zero, bias, y_scale, y_zero]
    want = matmul(*inputs, dst, adj, **activation)
    return run(isa, "QuantizedMatMul", inputs, {"adj_x2": adj, "dst_type": DST[dst], **activation}, want, constants)


SIZES = [(1, 1, 1), (1, 64, 32), (1, 300, 70), (2, 7, 5), (5, 33, 17), (6, 64, 16), (7, 65, 31), (13, 130, 48), (40, 96, 100),
         (130, 72, 24), (300, 20, 9)]  # fmt: skip


@pytest.mark.parametrize("t1", INT8S)
@pytest.mark.parametrize("t2", INT8S)
@pytest.mark.parametrize("size", SIZES)
def test_sums(isa, t1, t2, size):
    m, k, n = size
    for adj in (False, True):
        x1, x2 = full((m, k), t1), full((n, k) if adj else (k, n), t2, 1)
        for zeros in ({}, {"x1_zero": full((), t1, 2), "x2_zero": full((1,), t2, 3)},
                      {"x1_zero": full((m,), t1, 4), "x2_zero": full((n,), t2, 5)}):  # fmt: skip
            for constants in ((3, 5), (), range(9)):
                product(isa, x1, x2, np.int32, **zeros, adj=adj, constants=constants)


def test_unsigned_weights_are_narrow_where_they_fit(isa):
    """Weights around 128 with that zero point are signed bytes; a zero point of 0 makes them too wide for that."""
    x1, x2 = full((9, 40), np.uint8), np.random.default_rng(1).integers(100, 156, (40, 20)).astype(np.uint8)
    for zero in (128, 0):
        product(isa, x1, x2, np.int32, x1_zero=np.array(3, np.uint8), x2_zero=np.array(zero, np.uint8))


@pytest.mark.parametrize("k", [33100, 66000])
def test_sums_wrap(isa, k):
    x1, x2 = np.full((2, k), 255, np.uint8), np.full((k, 3), 255, np.uint8)
    product(isa, x1, x2, np.int32)
    product(isa, x1, x2, np.int32, constants=())
    product(isa, x1[:, :10], x2[:10], np.int32, bias=np.array([2**31 - 1, -(2**31), 0], np.int32))


def test_extreme_pairs_are_exact(isa):
    """255 * 127 + 255 * 127 is more than 16 bits hold."""
    for value in (127, -128):
        product(isa, np.full((7, 32), 255, np.uint8), np.full((32, 20), value, np.int8), np.int32)
        product(isa, np.full((7, 32), -128, np.int8), np.full((32, 20), value, np.int8), np.int32)


@pytest.mark.parametrize("dst", [np.float32, np.int8, np.uint8])
@pytest.mark.parametrize("m", [1, 13])
def test_scaled(isa, dst, m):
    k, n = 40, 37
    x1, x2 = full((m, k), np.uint8), full((k, n), np.int8, 1)
    quantised = {} if dst == np.float32 else {"y_scale": scales((), 8) * 40, "y_zero": np.array(3, dst)}
    for x1_scale, x2_scale in [(None, None), (scales(()), scales((1,), 2)), (scales((m,)), scales((n,), 2))]:
        for bias in (None, np.arange(n, dtype=np.int32) * 100, np.linspace(-2, 2, n, dtype=np.float32)):
            for more in ({}, {"activation": "relu"}, {"activation": "clip", "alpha": -0.5, "beta": 1.5},
                         {"activation": "leaky_relu", "alpha": 0.1}):  # fmt: skip
                for constants in ((3, 4, 5, 6, 7, 8), (3,), range(9)):
                    product(isa, x1, x2, dst, x1_scale, np.array(7, np.uint8), x2_scale, None, bias, **quantised, **more,
                            constants=constants)  # fmt: skip


def test_other_activations(isa):
    """Within what their own rounding explains."""
    formulas = {
        "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
        "tanh": np.tanh,
        "swish": lambda v: v / (1 + np.exp(-v)),
        "gelu_tanh": lambda v: 0.5 * v * (1 + np.tanh(np.sqrt(2 / np.pi) * (v + 0.044715 * v**3))),
        "hard_swish": lambda v: v * np.clip(v / 6 + 0.5, 0, 1),
    }
    x1, x2 = full((13, 20), np.int8), full((20, 33), np.int8, 1)
    inputs = [x1, np.array(0.002, np.float32), None, x2, np.array(0.05, np.float32), None, None, None, None]
    plain = matmul(*inputs, np.float32)
    for name, formula in formulas.items():
        attrs = {"dst_type": 0, "activation": name}
        got, _ = engine_of(isa, 2).run_once("QuantizedMatMul", inputs, attrs, [(plain.shape, np.float32)], (3,))
        np.testing.assert_allclose(got[0], formula(plain.astype(np.float64)), atol=1e-5, rtol=1e-5)


def test_batches(isa):
    for sa, sb in [((2, 3, 40), (2, 40, 50)), ((4, 5), (3, 5, 2)), ((2, 1, 3, 4), (5, 4, 6)), ((2, 3, 4), (4, 5)),
                   ((3, 30, 24), (24, 40))]:  # fmt: skip
        x1, x2 = full(sa, np.int8), full(sb, np.uint8, 1)
        for constants in ((3, 5), ()):
            product(isa, x1, x2, np.int32, x2_zero=np.array(128, np.uint8), constants=constants)
            product(isa, x1, x2, np.float32, scales((sa[-2],)), full((sa[-2],), np.int8, 4), scales((sb[-1],), 1),
                    constants=constants)  # fmt: skip
    x1, x2 = full((2, 3, 4), np.uint8), full((4, 5), np.int8, 1)  # one value per row of all matrices
    product(isa, x1, x2, np.float32, scales((2, 3, 1)), full((6,), np.uint8, 5), scales((5,), 1))
    x1, x2 = full((2, 3, 4), np.uint8), full((2, 4, 5), np.int8, 1)
    product(isa, x1, x2, np.float32, scales((6,)), full((6,), np.uint8, 5), scales((5,), 1))


def test_nan_is_the_lowest(isa):
    x1, x2, scale = full((2, 3), np.uint8), full((3, 4), np.int8, 1), np.array(np.nan, np.float32)
    product(isa, x1, x2, np.int8, x1_scale=scale, y_zero=np.array(5, np.int8))
    product(isa, x1, x2, np.uint8, x1_scale=scale)
    product(isa, x1, x2, np.float32, x1_scale=scale, activation="relu")


def test_results_saturate(isa):
    x1, x2 = full((9, 64), np.int8), full((64, 40), np.int8, 1)
    for dst in (np.int8, np.uint8):
        for zero in (np.iinfo(dst).min, 0, np.iinfo(dst).max):
            product(isa, x1, x2, dst, y_scale=np.array(1e-3, np.float32), y_zero=np.array(zero, dst))
            product(isa, x1, x2, dst, y_scale=np.array(300, np.float32), y_zero=np.array(zero, dst))


CONVS = [  # x, filter, strides, pads, dilations, groups
    ((1, 3, 19, 18), (20, 3, 3, 3), (2, 2), (0, 1, 0, 1), (1, 1), 1),  # the first layer of a network
    ((1, 3, 23, 20), (8, 3, 7, 7), (2, 2), (3, 3, 3, 3), (1, 1), 1),
    ((2, 16, 7, 6), (24, 16, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 17, 9, 11), (33, 17, 1, 1), (2, 2), (0, 0, 0, 0), (1, 1), 1),
    ((1, 8, 5, 5), (16, 8, 1, 1), (2, 3), (1, 1, 1, 2), (1, 1), 1),  # a filter of one pixel that sees padding
    ((2, 32, 14, 14), (32, 32, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((1, 5, 8, 9), (7, 5, 3, 2), (1, 2), (2, 0, 1, 3), (2, 3), 1),
    ((1, 12, 10, 9), (18, 4, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 3),
    ((1, 20, 30, 1), (6, 20, 5, 1), (2, 1), (2, 2, 0, 0), (1, 1), 1),  # columns
    ((1, 4, 40, 40), (64, 4, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((1, 16, 12, 13), (16, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 16),  # depthwise
    ((2, 35, 13, 12), (35, 1, 3, 3), (2, 2), (0, 1, 1, 1), (1, 1), 35),
    ((1, 50, 20, 9), (50, 1, 5, 5), (1, 1), (2, 2, 2, 2), (1, 1), 50),
    ((1, 33, 9, 9), (33, 1, 2, 3), (1, 1), (1, 2, 0, 2), (2, 3), 33),
    ((1, 8, 9, 9), (16, 1, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 8),  # two filters for each channel
]


@pytest.mark.parametrize("case", CONVS)
def test_conv(isa, case):
    xs, ws, *geometry = case
    turned = lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1))  # noqa: E731
    for tx, tw, dst in [(np.uint8, np.int8, np.int32), (np.int8, np.uint8, np.float32), (np.uint8, np.uint8, np.uint8),
                        (np.int8, np.int8, np.int8)]:  # fmt: skip
        x, w = full(xs, tx), full(ws, tw, 1)
        for zeros in (True, False):
            x_zero, w_zero = (full((), tx, 2), full((ws[0],), tw, 3)) if zeros else (None, None)
            bias = np.arange(ws[0], dtype=np.int32) - 1 if dst != np.uint8 else np.linspace(-1, 1, ws[0], dtype=np.float32)
            scaled = (None, None) if dst == np.int32 else (scales(()), scales((ws[0],), 5))
            out = (scales((), 6) * 30, np.array(4, dst)) if dst in INT8S else (None, None)
            act = {} if dst == np.int32 else {"activation": "relu"}
            want = turned(conv_finished(conv(x, x_zero, w, w_zero, *geometry), *scaled, bias, *out, dst, **act))
            inputs = [turned(x), scaled[0], x_zero, w, scaled[1], w_zero, bias, *out]
            for constants in ((3, 5), range(9)):
                run(isa, "QuantizedConv2D", inputs, conv_attributes(*geometry, DST[dst], True, **act), want, constants)


def test_images_of_several_sizes_share_packed_filters(isa):
    """A few large weights, so that without VNNI their groups are there twice: what lies where depends on the image."""
    w = np.random.default_rng(0).integers(-20, 21, (40, 16, 3, 3)).astype(np.int8)
    w[3, :2, 1, 1] = 127
    w = aligned_copy(w)
    engine = Engine("onednn", isa, 1)
    for size in ((9, 12), (12, 9), (5, 30), (9, 12)):
        x = full((1, 16, *size), np.uint8)
        geometry = ((1, 1), (1, 1, 1, 1), (1, 1), 1)
        want = np.ascontiguousarray(conv(x, None, w, None, *geometry).transpose(0, 2, 3, 1)).astype(np.int32)
        inputs = [np.ascontiguousarray(x.transpose(0, 2, 3, 1)), None, None, w, None, None, None, None, None]
        attrs = conv_attributes(*geometry, DST[np.int32], True)
        (got,), _ = engine.run_once("QuantizedConv2D", inputs, attrs, [(want.shape, want.dtype)], (3, 5), kept=(3,))
        np.testing.assert_array_equal(got, want)


def test_refusals():
    """Each by name, also while shapes are not known."""
    engine = engine_of("avx2", 1)
    x, w = full((1, 5, 5, 4), np.uint8), full((8, 4, 3, 3), np.int8)
    geometry = ((1, 1), (0, 0, 0, 0), (1, 1), 1)

    def reason(x=x, w=w, y=((1, 3, 3, 8), np.int32), attrs=None, **ports):
        names = ["x_scale", "x_zero", "w_scale", "w_zero", "bias", "y_scale", "y_zero"]
        a, b, c, d, e, f, g = (ports.get(name) for name in names)
        attrs = {**conv_attributes(*geometry, DST[y[1]], True), **(attrs or {})}
        with pytest.raises(EngineError) as error:
            engine.run_once("QuantizedConv2D", [x, a, b, w, c, d, e, f, g], attrs, [y], (3, 5))
        return str(error.value)

    assert "data_format NCHW is not supported" in reason(attrs={"data_format": "NCHW"})
    assert "DT_FLOAT is not supported for the weights" in reason(w=w.astype(np.float32))
    assert "x has 4 channels, filter takes 2 times 1 groups" in reason(w=w[:, :2])
    assert "y has 9 channels, the filter 8" in reason(y=((1, 3, 3, 9), np.int32))
    assert "do not follow" in reason(y=((1, 4, 3, 8), np.int32))
    assert "strides must be positive" in reason(attrs={"strides": [1, 0, 1, 1]})
    assert "negative pads" in reason(attrs={"pads": [-1, 0, 0, 0]})
    assert "bias has 7 values, expected 8" in reason(bias=np.zeros(7, np.int32))
    assert "the zero point of the weights has 3 values, expected 1 or 8" in reason(w_zero=np.zeros(3, np.int8))
    assert "goes without scales" in reason(x_scale=np.array(1, np.float32))
    with pytest.raises(EngineError, match="a filter that is not constant"):
        attrs = conv_attributes(*geometry, 3, True)
        engine.run_once("QuantizedConv2D", [x, None, None, w, *[None] * 5], attrs, [((1, 3, 3, 8), np.int32)], ())
    a, b = full((2, 3), np.uint8), full((4, 5), np.int8)
    with pytest.raises(EngineError, match="the inner extents differ: 3 and 4"):
        engine.run_once("QuantizedMatMul", [a, None, None, b, *[None] * 5], {"dst_type": 3}, [((2, 5), np.int32)], (3,))


@pytest.mark.parametrize("large", [0, 1, 3])
def test_few_large_pairs(isa, large):
    """Weights that are small but for a few: what they add to one another in 16 bits is exact, too."""
    x1 = full((13, 200), np.uint8)
    x2 = np.clip(np.random.default_rng(3).normal(0, 18, (200, 100)), -60, 60).astype(np.int8)
    for i in range(large):
        x2[20 * i : 20 * i + 4, 7 * i] = (127, 127, -128, -128)
    x1[0] = 255
    assert ":quads:" in product(isa, x1, x2, np.int32, x1_zero=np.array(9, np.uint8))["implementation"]
    product(isa, x1.astype(np.int8), x2, np.int32, x1_zero=full((13,), np.int8, 4))
    batch = np.stack([x2, x2[::-1]])
    product(isa, np.stack([x1, x1]), batch, np.int32, x1_zero=np.array(9, np.uint8))
    filter = np.ascontiguousarray(x2.reshape(8, 5, 5, 100).transpose(3, 0, 1, 2))
    x = full((1, 8, 9, 9), np.uint8)
    geometry = ((1, 1), (2, 2, 2, 2), (1, 1), 1)
    want = conv_finished(conv(x, np.array(3, np.uint8), filter, None, *geometry), None, None, None, None, None, np.int32)
    inputs = [x.transpose(0, 2, 3, 1), None, np.array(3, np.uint8), filter, *[None] * 5]
    run(isa, "QuantizedConv2D", inputs, conv_attributes(*geometry, 3, True), want.transpose(0, 2, 3, 1), (3,))
