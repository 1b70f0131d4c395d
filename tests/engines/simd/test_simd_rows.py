"""Softmax, normalisations and reductions of the vector engine against NumPy in double precision."""

import itertools

import numpy as np
import pytest


def draw(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def test_softmax_every_tail(vector):
    for n in range(1, 71):
        x = draw((3, n), n) * 10
        got = vector.one("SoftmaxV2", [x], {"axes": [-1]}, x.shape)
        np.testing.assert_allclose(got, softmax(x.astype(np.float64), -1), rtol=2e-6, atol=1e-12)
        got = vector.one("LogSoftmaxV2", [x], {"axes": [1]}, x.shape)
        np.testing.assert_allclose(got, np.log(softmax(x.astype(np.float64), 1)), rtol=2e-6, atol=4e-6)


@pytest.mark.parametrize("shape", [(7,), (5, 1), (2, 300, 33), (1, 3, 4, 70), (2, 64, 17, 2), (0, 3), (40, 500), (2, 5, 1537)])
def test_softmax_all_axes(vector, shape):
    x = draw(shape)
    for axis in range(-len(shape), len(shape)):
        expected = softmax(x.astype(np.float64), axis) if x.size else x
        got = vector.one("SoftmaxV2", [x], {"axes": [axis]}, shape)
        np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-12)


def test_softmax_of_large_values(vector):
    x = np.array([[1e30, -1e30, 0], [-np.inf, 0, 0], [-3e38, -3e38, -3e38]], np.float32)
    got = vector.one("SoftmaxV2", [x], {"axes": [-1]}, x.shape)
    np.testing.assert_allclose(got, [[1, 0, 0], [0, 0.5, 0.5], [1 / 3] * 3], rtol=1e-6)
    for n in (3, 40):
        x = np.zeros((1, n), np.float32)
        x[0, n // 2] = np.nan
        assert np.isnan(vector.one("SoftmaxV2", [x], {"axes": [-1]}, x.shape)).all()


@pytest.mark.parametrize("n", [*range(1, 71), 768, 1001])
def test_layer_norm(vector, n):
    x, gamma, beta = draw((5, n), n) * 3 + 7, draw(n, n + 1), draw(n, n + 2)
    wide = x.astype(np.float64)
    mean, variance = wide.mean(-1, keepdims=True), wide.var(-1, keepdims=True)
    rstd = 1 / np.sqrt(variance + 1e-3)
    shape = np.array([n], np.int64)
    outputs = [((5, n), np.float32), ((5, 1), np.float32), ((5, 1), np.float32)]
    y, m, r = vector.run("LayerNormV4", [x, shape, gamma, beta], {"epsilon": 1e-3}, outputs, constants=(1,))
    np.testing.assert_allclose(y, (wide - mean) * rstd * gamma + beta, rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(m, mean, rtol=1e-5)
    np.testing.assert_allclose(r, rstd, rtol=2e-4)
    y, _, _ = vector.run("LayerNormV4", [x, shape, None, None], {"epsilon": 1e-3}, [outputs[0], None, None], (1,))
    np.testing.assert_allclose(y, (wide - mean) * rstd, rtol=1e-4, atol=1e-4)
    attrs = {"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 1e-3}
    y, m, v = vector.run("LayerNorm", [x, gamma, beta], attrs, outputs)
    np.testing.assert_allclose(y, (wide - mean) * rstd * gamma + beta, rtol=1e-4, atol=2e-4)
    np.testing.assert_allclose(v, variance, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("n", [1, 7, 16, 33, 64, 1000])
def test_rms_norm(vector, n):
    x, gamma = draw((6, n)), draw(n, 1)
    r = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-5)
    y, rstd = vector.run("RmsNorm", [x, gamma], {"epsilon": 1e-5}, [((6, n), np.float32), ((6, 1), np.float32)])
    np.testing.assert_allclose(y, x * r * gamma, rtol=2e-6, atol=1e-6)
    np.testing.assert_allclose(rstd, r, rtol=2e-6)


REDUCE = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceProd": np.prod}


@pytest.mark.parametrize("op", REDUCE)
def test_reduce_all_sets_of_axes(vector, op):
    for shape in ((2, 3, 4, 5), (7,), (1, 33, 1, 9), (3, 1100)):
        x = draw(shape) * (1 if op != "ReduceProd" or len(shape) == 4 else 0.01)
        for count in range(len(shape) + 1):
            for axes in itertools.combinations(range(len(shape)), count):
                for keep in (True, False):
                    if op == "ReduceProd" and np.prod([shape[a] for a in axes]) > 200:
                        continue
                    expected = REDUCE[op](x.astype(np.float64), axis=axes, keepdims=keep) if axes else x
                    signed = [a - len(shape) if i % 2 else a for i, a in enumerate(axes)]
                    got = vector.one(op, [x, np.array(signed, np.int64)], {"keep_dims": keep,
                                     "noop_with_empty_axes": True}, np.shape(expected), constants=(1,))  # fmt: skip
                    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMax", "ReduceMean"])
def test_reduce_in_many_passes(vector, op):
    x = draw((3, 2, 5, 2, 7, 3, 2))
    for axes in ((0, 2, 4), (0, 2, 4, 6), (1, 3, 5), (1, 3, 6)):
        expected = REDUCE[op](x.astype(np.float64), axis=axes)
        got = vector.one(op, [x, np.array(axes)], {"keep_dims": False}, expected.shape, constants=(1,))
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=2e-5)


def test_reduce_passes_do_not_share_memory(vector):
    x = draw((4, 3, 200, 3, 50, 3))  # large enough for ranges that run in another order
    got = vector.one("ReduceSum", [x, np.array([1, 3, 5])], {"keep_dims": False}, (4, 200, 50), constants=(1,))
    np.testing.assert_allclose(got, x.sum(axis=(1, 3, 5), dtype=np.float64), rtol=1e-5, atol=2e-5)


def test_reduce_every_tail(vector):
    for n in range(1, 71):
        x = draw((2, n), n)
        for op, f in REDUCE.items():
            got = vector.one(op, [x, np.array([1])], {"keep_dims": False}, (2,), constants=(1,))
            np.testing.assert_allclose(got, f(x.astype(np.float64), axis=1), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
def test_reduce_with_nan_and_infinity(vector, op):
    for n in (1, 5, 16, 40, 67):
        for at in {0, n // 2, n - 1}:
            x = draw((3, n))
            x[1, at] = np.nan
            x[2, at] = -np.inf if op == "ReduceMax" else np.inf
            for axis in (0, 1):
                got = vector.one(op, [x, np.array([axis])], {"keep_dims": False}, (x.shape[1 - axis],), constants=(1,))
                np.testing.assert_array_equal(got, REDUCE[op](x, axis=axis))
    x = np.full((2, 20), -np.inf, np.float32)
    assert (vector.one("ReduceMax", [x, np.array([1])], {}, (2,), constants=(1,)) == -np.inf).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_reduce_empty(vector, axis):
    x = np.zeros((2, 0, 3), np.float32)
    shape = x.sum(axis=axis).shape
    got = vector.one("ReduceSum", [x, np.array([axis])], {}, shape, constants=(1,))
    np.testing.assert_array_equal(got, x.sum(axis=axis))
    if axis == 1:
        assert (vector.one("ReduceProd", [x, np.array([1])], {}, shape, constants=(1,)) == 1).all()
        assert np.isnan(vector.one("ReduceMean", [x, np.array([1])], {}, shape, constants=(1,))).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_arg_max(vector, dtype):
    for n in [*range(1, 71), 3000]:
        x = np.random.default_rng(n).integers(0, 9, (4, n)).astype(np.float32)
        if n > 2:
            x[1, n // 2] = np.nan
            x[2] = -np.inf
        got = vector.one("ArgMaxV2", [x, np.array(-1)], {}, (4,), dtype, constants=(1,))
        np.testing.assert_array_equal(got, x.argmax(-1))
    np.testing.assert_array_equal(vector.one("ArgMaxV2", [x, np.array(0)], {}, (3000,), dtype, constants=(1,)), x.argmax(0))
