"""Elementwise operators of the vector engine against NumPy in double precision."""

import math

import numpy as np
import pytest
from simd_runner import Vector

INF, NAN = np.inf, np.nan
erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# operator: (formula in double, low, high, relative tolerance, absolute tolerance, attributes)
UNARY = {
    "Neg": (np.negative, -9, 9, 0, 0, {}),
    "Abs": (np.abs, -9, 9, 0, 0, {}),
    "Exp": (np.exp, -87, 88.7, 3e-7, 0, {}),
    "Log": (np.log, 1e-30, 1e3, 3e-7, 3e-7, {}),
    "Sqrt": (np.sqrt, 0, 99, 1e-7, 0, {}),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), 1e-3, 99, 2e-7, 0, {}),
    "Reciprocal": (lambda x: 1 / x, 0.01, 99, 1e-7, 0, {}),
    "Inv": (lambda x: 1 / x, -99, -0.01, 1e-7, 0, {}),
    "Square": (np.square, -9, 9, 1e-7, 0, {}),
    "Tanh": (np.tanh, -12, 12, 6e-7, 1e-30, {}),
    "Sigmoid": (sigmoid, -80, 80, 4e-7, 0, {}),
    "Erf": (erf, -5, 5, 3e-7, 3e-7, {}),
    "Relu": (lambda x: np.maximum(x, 0), -9, 9, 0, 0, {}),
    "Relu6": (lambda x: np.clip(x, 0, 6), -9, 9, 0, 0, {}),
    "Swish": (lambda x: x * sigmoid(x), -40, 40, 5e-7, 1e-12, {}),
    "GeluV2": (lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))), -9, 9, 5e-7, 1e-6, {"approximate": "none"}),
    "Gelu": (gelu_tanh, -9, 9, 1e-6, 1e-6, {}),
    "HardSwishV2": (lambda x: x * np.clip(x + 3, 0, 6) / 6, -9, 9, 3e-7, 1e-7, {}),
    "Softplus": (softplus, -20, 60, 4e-7, 1e-12, {}),
    "Floor": (np.floor, -9, 9, 0, 0, {}),
    "Ceil": (np.ceil, -9, 9, 0, 0, {}),
    "Rint": (np.rint, -9, 9, 0, 0, {}),
    "Sign": (np.sign, -9, 9, 0, 0, {}),
    "Mish": (lambda x: x * np.tanh(softplus(x)), -20, 40, 6e-7, 1e-9, {}),
    "Sin": (np.sin, -30, 30, 1e-6, 2e-7, {}),
    "Cos": (np.cos, -30, 30, 1e-6, 2e-7, {}),
    "Softsign": (lambda x: x / (1 + np.abs(x)), -9, 9, 3e-7, 0, {}),
    "LeakyRelu": (lambda x: np.where(x > 0, x, 0.1 * x), -9, 9, 2e-7, 0, {"negative_slope": 0.1}),
    "Elu": (lambda x: np.where(x > 0, x, 0.7 * np.expm1(x)), -9, 9, 1e-6, 2e-7,
            {"alpha": 0.7, "scale": 1.0, "input_scale": 1.0}),
    "HardSigmoid": (lambda x: np.clip(x * 0.2 + 0.5, 0, 1), -9, 9, 2e-7, 1e-7, {"alpha": 0.2, "beta": 0.5}),
}  # fmt: skip

BINARY = {
    "Add": np.add, "AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply, "RealDiv": np.divide, "Div": np.divide,
    "Maximum": np.maximum, "Minimum": np.minimum, "SquaredDifference": lambda a, b: (a - b) ** 2, "Pow": np.power,
}  # fmt: skip


def close(actual, expected, rtol, atol):
    assert actual.shape == expected.shape
    np.testing.assert_allclose(actual.astype(np.float64), expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("op", UNARY)
def test_unary_every_tail(vector, op):
    f, low, high, rtol, atol, attrs = UNARY[op]
    rng = np.random.default_rng(1)
    for n in [*range(1, 71), 511, 513, 4097, 70001]:
        x = rng.uniform(low, high, n).astype(np.float32)
        close(vector.one(op, [x], attrs, (n,)), f(x.astype(np.float64)), rtol, atol)


@pytest.mark.parametrize("op", UNARY)
def test_unary_scalar_and_empty(vector, op):
    f, low, high, rtol, atol, attrs = UNARY[op]
    x = np.float32(0.25 * low + 0.75 * high)
    close(vector.one(op, [x], attrs, ()), np.asarray(f(np.float64(x))), rtol, atol)
    assert vector.one(op, [np.zeros((3, 0, 2), np.float32)], attrs, (3, 0, 2)).size == 0


@pytest.mark.parametrize("op", [op for op in UNARY if op not in ("Sign",)])
def test_nan_stays_nan(vector, op):
    x = np.full(21, NAN, np.float32)
    assert np.isnan(vector.one(op, [x], UNARY[op][5], (21,))).all()


LIMITS = {
    "Exp": ([INF, -INF, 89, 88.5, -103, -200, 0, -0.0], [INF, 0, INF, math.exp(88.5), math.exp(-103), 0, 1, 1]),
    "Log": ([INF, 0, -1, 1, 1e-40], [INF, -INF, NAN, 0, math.log(1e-40)]),
    "Tanh": ([INF, -INF, 20, -20, 1e-10, 0], [1, -1, 1, -1, 1e-10, 0]),
    "Sigmoid": ([INF, -INF, 100, -200, 0], [1, 0, 1, 0, 0.5]),
    "Erf": ([INF, -INF, 4, -6, 0], [1, -1, 1, -1, 0]),
    "GeluV2": ([INF, 1e10, -1e10, -1000, 0], [INF, 1e10, 0, 0, 0]),
    "Gelu": ([1e10, -1e10, 0], [1e10, 0, 0]),
    "Swish": ([INF, 1e30, -1e38, 0], [INF, 1e30, 0, 0]),
    "Softplus": ([INF, -INF, 1e10, -200], [INF, 0, 1e10, 0]),
    "Mish": ([1e10, INF, -200], [1e10, INF, 0]),
    "Sqrt": ([INF, 0, -1], [INF, 0, NAN]),
    "Reciprocal": ([INF, 0, -0.0], [0, INF, -INF]),
    "Rsqrt": ([INF, 0, -1], [0, INF, NAN]),
    "Relu": ([INF, -INF, -0.0], [INF, 0, 0]),
    "Rint": ([0.5, 1.5, -2.5, 1e30, INF], [0, 2, -2, 1e30, INF]),
    "Sign": ([INF, -INF, 0, -3], [1, -1, 0, -1]),
    "Sin": ([INF, 38999.5, -39000.5, 5e7, 0], [NAN, math.sin(38999.5), math.sin(-39000.5), math.sin(5e7), 0]),
    "Cos": ([-INF, 38999.5, -39000.5, 5e7, 0], [NAN, math.cos(38999.5), math.cos(-39000.5), math.cos(5e7), 1]),
    "HardSwishV2": ([INF, 3e38, 1e38, -1e38, -0.0], [INF, 3e38, 1e38, 0, 0]),
}


@pytest.mark.parametrize("op", LIMITS)
def test_limits(vector, op):
    x, expected = LIMITS[op]
    x = np.array(x, np.float32)
    for repeat in (1, 7):
        got = vector.one(op, [np.tile(x, repeat)], UNARY[op][5], (len(x) * repeat,))
        np.testing.assert_allclose(got, np.tile(expected, repeat), rtol=2e-5, atol=1e-37)


def test_a_negative_zero_stays_one(vector):
    x = np.array([-0.0, 0.0] * 9, np.float32)
    np.testing.assert_array_equal(np.signbit(vector.one("Sin", [x], {}, x.shape)), np.signbit(x))


SHAPES = [
    ((), (), ()), ((5,), (), (5,)), ((), (3, 7), (3, 7)), ((3, 7), (7,), (3, 7)), ((3, 7), (3, 1), (3, 7)),
    ((3, 1), (1, 7), (3, 7)), ((2, 1, 5), (1, 3, 1), (2, 3, 5)), ((2, 3, 4, 5), (3, 1, 1), (2, 3, 4, 5)),
    ((2, 3, 4, 5), (4, 5), (2, 3, 4, 5)), ((1, 300), (5, 300), (5, 300)), ((3, 2000), (3, 1), (3, 2000)),
    ((4, 5000), (5000,), (4, 5000)), ((40, 1, 3), (1, 50, 3), (40, 50, 3)), ((700, 3), (3,), (700, 3)),
    ((700, 3), (700, 1), (700, 3)), ((2, 0, 3), (1, 1, 3), (2, 0, 3)), ((70000,), (1,), (70000,)),
    ((129, 131), (129, 1), (129, 131)), ((65, 127), (127,), (65, 127)),
    # Blocks of channels times a factor for each channel: rows of a block repeat.
    ((6, 40, 16), (6, 1, 16), (6, 40, 16)), ((5, 33, 48), (5, 1, 48), (5, 33, 48)), ((3, 90, 7), (3, 1, 7), (3, 90, 7)),
    ((2, 3, 50, 16), (1, 3, 1, 16), (2, 3, 50, 16)), ((2, 3, 50, 16), (2, 1, 1, 16), (2, 3, 50, 16)),
    ((40, 300, 16), (40, 1, 16), (40, 300, 16)), ((9, 2, 5), (9, 1, 5), (9, 2, 5)), ((3, 700, 3), (3, 1, 1), (3, 700, 3)),
]  # fmt: skip


@pytest.mark.parametrize("op", BINARY)
def test_binary_broadcast(vector, op):
    rng = np.random.default_rng(2)
    for a_shape, b_shape, out in SHAPES:
        a = rng.uniform(0.5, 3, a_shape).astype(np.float32)
        b = rng.uniform(0.5, 3, b_shape).astype(np.float32)
        for x, y in ((a, b), (b, a)):
            expected = BINARY[op](x.astype(np.float64), y.astype(np.float64))
            close(vector.one(op, [x, y], {}, out), expected, 4e-7, 2e-7)


def test_binary_tails(vector):
    for n in range(1, 71):
        a, b = np.arange(n, dtype=np.float32), np.full(n, 2, np.float32)
        np.testing.assert_array_equal(vector.one("Sub", [a, b], {}, (n,)), a - 2)


@pytest.mark.parametrize("op", ["Maximum", "Minimum"])
def test_largest_with_nan(vector, op):
    a = np.array([NAN, 1, NAN, INF, -INF] * 5, np.float32)
    b = np.array([1, NAN, NAN, 0, 0] * 5, np.float32)
    np.testing.assert_array_equal(vector.one(op, [a, b], {}, (25,)), BINARY[op](a, b))


@pytest.mark.parametrize("exponent", [2.0, 3.0, 0.5, 0.75, -0.5, -1.0, 1.0, 2.5, 0.0])
def test_power_of_constant(vector, exponent):
    x = np.linspace(0.1, 5, 37, dtype=np.float32)
    close(vector.one("Pow", [x, np.float32(exponent)], {}, (37,)), x.astype(np.float64) ** exponent, 4e-7, 0)


@pytest.mark.parametrize("exponent", [2.0, 3.0, 0.5, 0.75, -0.5, -1.0, 1.0, 2.5, 0.0])
def test_power_of_limits(vector, exponent):
    x = np.array([INF, -INF, 0.0, -0.0, NAN, -2, 4] * 5, np.float32)
    with np.errstate(all="ignore"):
        want = np.power(x, np.full_like(x, exponent))  # NumPy takes the root for a scalar 0.5
    got = vector.one("Pow", [x, np.float32(exponent)], {}, x.shape)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(want)]), np.signbit(want[~np.isnan(want)]))


def test_clip(vector):
    x = np.array([*np.linspace(-5, 5, 30), NAN, INF, -INF], np.float32)
    got = vector.one("ClipByValueV2", [x, np.float32(-1), np.float32(2)], {}, x.shape)
    np.testing.assert_array_equal(got, np.clip(x, np.float32(-1), np.float32(2)))


def test_prelu(vector):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2, 3, 4, 5)).astype(np.float32)
    for w_shape, wide in (((3,), (3, 1, 1)), ((1,), (1,)), ((3, 1, 1), (3, 1, 1)), ((1, 3, 4, 5), (1, 3, 4, 5))):
        w = rng.normal(size=w_shape).astype(np.float32)
        expected = np.where(x > 0, x, x * w.reshape(wide))
        np.testing.assert_array_equal(vector.one("PRelu", [x, w], {}, x.shape), expected)


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (4, 33), (1, 16, 40, 40), (2, 5, 9)])
def test_batch_norm(vector, shape):
    rng = np.random.default_rng(4)
    x = rng.normal(size=shape).astype(np.float32)
    scale, offset, mean = rng.normal(size=(3, shape[1])).astype(np.float32)
    variance = rng.uniform(0.1, 2, shape[1]).astype(np.float32)
    wide = (shape[1],) + (1,) * (len(shape) - 2)
    s, o, m, v = (p.astype(np.float64).reshape(wide) for p in (scale, offset, mean, variance))
    expected = (x - m) / np.sqrt(v + 1e-3) * s + o
    got = vector.one("BNInfer", [x, scale, offset, mean, variance], {"epsilon": 1e-3}, shape)
    close(got, expected, 2e-6, 2e-6)


def test_bias_follows_the_format(vector):
    x, b = np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.array([1, 2, 3], np.float32)
    got = vector.one("BiasAdd", [x, b], {"data_format": "NCHW"}, x.shape)
    np.testing.assert_array_equal(got, x + b.reshape(3, 1))
    b = np.array([1, 2, 3, 4], np.float32)
    np.testing.assert_array_equal(vector.one("BiasAdd", [x, b], {"data_format": "NHWC"}, x.shape), x + b)


def test_needs_avx2():
    x = np.zeros(3, np.float32)
    assert "needs x86-64-v3" in Vector("scalar").check("Exp", [x], {}, [((3,), np.float32)])


def test_refusals(vector):
    x = np.zeros(3, np.float16)
    assert "DT_FLOAT16" in vector.check("Exp", [x], {}, [((3,), np.float16)])
    x = np.zeros(3, np.float32)
    assert "broadcast" in vector.check("Add", [x, np.zeros(2, np.float32)], {}, [((3,), np.float32)])


def test_operators_show_their_traits(vector, request):
    """Runs last. What the traits of operators promise was tried on the kernels that the tests ran (trait_oracles.py)."""
    files = {item.path.name for item in request.session.items}
    if not {p.name for p in request.path.parent.glob("test_simd_*.py")} <= files or request.config.option.keyword:
        pytest.skip("only some of the tests were selected")
    shown = {trait for _, trait in vector.traits.seen}
    assert shown >= {"PURE", "ELEMENTWISE", "COMMUTATIVE", "IN_PLACE", "FOLDABLE", "FUSED", "LAYOUT_AGNOSTIC"}
    assert len({op for op, trait in vector.traits.seen if trait == "FUSED"}) > 30
