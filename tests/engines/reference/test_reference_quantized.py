"""Reference kernels for products and convolutions of 8-bit integers, to the bit."""

import numpy as np
import pytest
from engine_harness import DATA_TYPES
from quantized_oracle import INT8S, conv, conv_attributes, conv_finished, full, matmul, scales

DST = {np.int32: 3, np.float32: 0, np.int8: 2, np.uint8: 4}


def product(cpu, x1, x2, dst, x1_scale=None, x1_zero=None, x2_scale=None, x2_zero=None, bias=None, y_scale=None, y_zero=None,
            adj=False, **activation):  # fmt: skip
    inputs = [x1, x1_scale, x1_zero, x2, x2_scale, x2_zero, bias, y_scale, y_zero]
    want = matmul(*inputs, dst, adj, **activation)
    attrs = {"adj_x2": adj, "dst_type": DST[dst], **activation}
    got = cpu("QuantizedMatMul", inputs, attrs, (want.shape, dst))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("t1", INT8S)
@pytest.mark.parametrize("t2", INT8S)
def test_sums(cpu, t1, t2):
    for m, k, n in [(1, 1, 1), (3, 70, 5), (17, 33, 130), (0, 3, 2), (2, 0, 3)]:
        for adj in (False, True):
            x1, x2 = full((m, k), t1), full((n, k) if adj else (k, n), t2, 1)
            product(cpu, x1, x2, np.int32, adj=adj)
            product(cpu, x1, x2, np.int32, x1_zero=full((m,), t1, 2), x2_zero=full((n,), t2, 3), adj=adj)
            zeros = {"x1_zero": full((), t1, 2), "x2_zero": full((1,), t2, 3)}
            product(cpu, x1, x2, np.int32, **zeros, bias=np.arange(n, dtype=np.int32) - 7, adj=adj)


def test_sums_wrap(cpu):
    k = 33100  # 255 * 255 * k is more than 2^31
    x1, x2 = np.full((1, k), 255, np.uint8), np.full((k, 2), 255, np.uint8)
    product(cpu, x1, x2, np.int32)
    product(cpu, x1[:, :10], x2[:10], np.int32, bias=np.array([2**31 - 1, -(2**31)], np.int32))


@pytest.mark.parametrize("dst", [np.float32, np.int8, np.uint8])
def test_scaled(cpu, dst):
    m, k, n = 5, 40, 19
    x1, x2 = full((m, k), np.uint8), full((k, n), np.int8, 1)
    quantised = {} if dst == np.float32 else {"y_scale": scales((), 8) * 40, "y_zero": np.array(3, dst)}
    for x1_scale, x2_scale in [(None, None), (scales(()), scales((1,), 2)), (scales((m,)), scales((n,), 2))]:
        for bias in (None, np.arange(n, dtype=np.int32) * 100, np.linspace(-2, 2, n, dtype=np.float32)):
            for more in ({}, {"activation": "relu"}, {"activation": "clip", "alpha": -0.5, "beta": 1.5}):
                product(cpu, x1, x2, dst, x1_scale, np.array(7, np.uint8), x2_scale, None, bias, **quantised, **more)


def test_batches(cpu):
    for sa, sb in [((2, 3, 4), (2, 4, 5)), ((4, 5), (3, 5, 2)), ((2, 1, 3, 4), (5, 4, 6)), ((2, 3, 4), (4, 5))]:
        x1, x2 = full(sa, np.int8), full(sb, np.uint8, 1)
        product(cpu, x1, x2, np.int32, x2_zero=np.array(128, np.uint8))
        product(cpu, x1, x2, np.float32, scales((sa[-2],)), full((sa[-2],), np.int8, 4), scales((sb[-1],), 1))
    x1, x2 = full((2, 3, 4), np.uint8), full((4, 5), np.int8, 1)  # one value per row of all matrices
    product(cpu, x1, x2, np.float32, scales((2, 3, 1)), full((6,), np.uint8, 5), scales((5,), 1))


def test_nan_is_the_lowest(cpu):
    x1, x2, scale = full((2, 3), np.uint8), full((3, 4), np.int8, 1), np.array(np.nan, np.float32)
    product(cpu, x1, x2, np.int8, x1_scale=scale, y_zero=np.array(5, np.int8))
    product(cpu, x1, x2, np.uint8, x1_scale=scale)


def test_ties_go_to_even(cpu):
    x1, x2 = np.arange(1, 9, dtype=np.int8).reshape(1, 8), np.eye(8, dtype=np.int8)
    got = cpu("QuantizedMatMul", [x1, None, None, x2, None, None, None, np.array(2, np.float32), None],
              {"dst_type": DATA_TYPES["int8"]}, ((1, 8), np.int8))  # fmt: skip
    assert got.tolist() == [[0, 1, 2, 2, 2, 3, 4, 4]]


CONVS = [  # x, filter, strides, pads, dilations, groups
    ((1, 3, 9, 8), (4, 3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((2, 5, 7, 6), (6, 5, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),
    ((1, 4, 10, 11), (4, 1, 3, 3), (2, 2), (0, 1, 0, 1), (1, 1), 4),
    ((1, 6, 8, 8), (4, 3, 2, 3), (1, 2), (1, 0, 2, 1), (2, 1), 2),
]


@pytest.mark.parametrize("case", CONVS)
@pytest.mark.parametrize("last", [False, True])
def test_conv(cpu, case, last):
    xs, ws, *geometry = case
    turned = (lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1))) if last else (lambda a: a)
    for tx, tw, dst in [(np.uint8, np.int8, np.int32), (np.int8, np.uint8, np.float32), (np.uint8, np.uint8, np.uint8),
                        (np.int8, np.int8, np.int8)]:  # fmt: skip
        x, w = full(xs, tx), full(ws, tw, 1)
        x_zero, w_zero = full((), tx, 2), full((ws[0],), tw, 3)
        bias = np.arange(ws[0], dtype=np.int32) - 1 if dst != np.uint8 else np.linspace(-1, 1, ws[0], dtype=np.float32)
        scaled = (None, None) if dst == np.int32 else (scales(()), scales((ws[0],), 5))
        out = (scales((), 6) * 30, np.array(4, dst)) if dst in INT8S else (None, None)
        act = {} if dst == np.int32 else {"activation": "relu"}
        want = turned(conv_finished(conv(x, x_zero, w, w_zero, *geometry), *scaled, bias, *out, dst, **act))
        inputs = [turned(x), scaled[0], x_zero, w, scaled[1], w_zero, bias, *out]
        got = cpu("QuantizedConv2D", inputs, conv_attributes(*geometry, DST[dst], last, **act), (want.shape, dst))
        np.testing.assert_array_equal(got, want)


def test_refusals(cpu):
    x1, x2 = full((2, 3), np.uint8), full((3, 4), np.int8)

    def reason(x1=x1, x2=x2, out=np.int32, dst=None, **ports):
        names = ["x1_scale", "x1_zero", "x2_scale", "x2_zero", "bias", "y_scale", "y_zero"]
        a, b, c, d, e, f, g = (ports.get(name) for name in names)
        attrs = {"dst_type": DST[out] if dst is None else dst, **ports.get("attrs", {})}
        return cpu.check("QuantizedMatMul", [x1, a, b, x2, c, d, e, f, g], attrs, [((2, 4), out)])

    assert reason() is None
    assert "DT_FLOAT is not supported for the weights" in reason(x2=x2.astype(np.float32))
    assert "DT_INT8 is not supported for the zero point of x" in reason(x1_zero=np.array(1, np.int8))
    assert "dst_type DT_INT32 goes without scales" in reason(x1_scale=np.array(1, np.float32))
    assert "dst_type DT_INT64 is not supported" in reason(dst=9)
    assert "y is DT_INT32, but dst_type DT_FLOAT" in reason(dst=0)
    assert "goes without y_scale" in reason(out=np.float32, y_scale=np.array(1, np.float32))
    assert "DT_FLOAT is not supported for the bias" in reason(bias=np.zeros(4, np.float32))
    assert "activation 'mish'" in reason(out=np.float32, attrs={"activation": "mish"})
