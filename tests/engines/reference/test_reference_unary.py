"""Reference kernels with one input."""

import math

import ml_dtypes
import numpy as np
import pytest
from engine_harness import TRAIT_VIEW, TRAITS, EngineError
from engine_oracles import FLOATS, INTS, bfloat16, close, draw, erf, erfc, sigmoid, softplus

A = 0.79788456080286535588  # sqrt(2 / pi)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(A * (x + 0.044715 * x**3)))


def gelu_erf(x):
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


# operator: (formula in double, domain, attributes)
FLOAT_OPS = {
    "Acos": (np.arccos, (-1, 1), {}),
    "Acosh": (np.arccosh, (1, 5), {}),
    "Asin": (np.arcsin, (-1, 1), {}),
    "Asinh": (np.arcsinh, (-3, 3), {}),
    "Atan": (np.arctan, (-3, 3), {}),
    "Atanh": (np.arctanh, (-0.9, 0.9), {}),
    "Ceil": (np.ceil, (-3, 3), {}),
    "Cos": (np.cos, (-3, 3), {}),
    "Cosh": (np.cosh, (-2, 2), {}),
    "Erf": (erf, (-2, 2), {}),
    "Erfc": (erfc, (-2, 2), {}),
    "Exp": (np.exp, (-2, 2), {}),
    "Expm1": (np.expm1, (-1, 1), {}),
    "Floor": (np.floor, (-3, 3), {}),
    "Log": (np.log, (0.1, 9), {}),
    "Log1p": (np.log1p, (-0.5, 5), {}),
    "Reciprocal": (np.reciprocal, (0.5, 4), {}),
    "Rint": (np.rint, (-4, 4), {}),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), (0.2, 9), {}),
    "Sigmoid": (sigmoid, (-9, 9), {}),
    "Sin": (np.sin, (-3, 3), {}),
    "Sinh": (np.sinh, (-2, 2), {}),
    "Softplus": (softplus, (-9, 9), {}),
    "Softsign": (lambda x: x / (1 + np.abs(x)), (-5, 5), {}),
    "Sqrt": (np.sqrt, (0, 9), {}),
    "Tan": (np.tan, (-1, 1), {}),
    "Tanh": (np.tanh, (-3, 3), {}),
    "LeakyRelu": (lambda x: np.where(x > 0, x, 0.1 * x), (-3, 3), {"negative_slope": 0.1}),
    "Elu": (
        lambda x: np.where(x > 0, 1.5 * x, 1.5 * 0.7 * np.expm1(0.5 * x)),
        (-3, 3),
        {"alpha": 0.7, "scale": 1.5, "input_scale": 0.5},
    ),
    "Celu": (
        lambda x: 0.8 * np.maximum(x, 0) + np.minimum(0, 1.2 * np.expm1(x / 0.7)),
        (-3, 3),
        {"alpha1": 1.2, "alpha2": 0.7, "alpha3": 0.8},
    ),
    "CeluV2": (
        lambda x: np.maximum(x, 0) + np.minimum(0, 0.7 * np.expm1(x / 0.7)),
        (-3, 3),
        {"alpha": 0.7},
    ),
    "Selu": (
        lambda x: 1.05070098735548 * np.where(x > 0, x, 1.67326324235437 * np.expm1(x)),
        (-3, 3),
        {},
    ),
    "HardSigmoid": (lambda x: np.clip(0.2 * x + 0.5, 0, 1), (-4, 4), {"alpha": 0.2, "beta": 0.5}),
    "HardSwishV2": (lambda x: x * np.clip(x + 3, 0, 6) / 6, (-5, 5), {}),
    "Gelu": (gelu_tanh, (-4, 4), {}),
    "GeluV2": (gelu_erf, (-4, 4), {"approximate": "none"}),
    "FastGelu": (lambda x: x * sigmoid(1.702 * x), (-4, 4), {}),
    "Swish": (lambda x: x * sigmoid(1.5 * x), (-4, 4), {"scale": 1.5}),
    "Mish": (lambda x: x * np.tanh(softplus(x)), (-4, 4), {}),
    "LogSigmoid": (lambda x: -softplus(-x), (-9, 9), {}),
    "HardShrink": (lambda x: np.where(np.abs(x) <= 0.5, 0, x), (-2, 2), {"lambd": 0.5}),
    "SoftShrink": (lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), (-2, 2), {"lambd": 0.5}),
    "Threshold": (lambda x: (x > 0.25).astype(float), (-2, 2), {"threshold": 0.25}),
    "Power": (lambda x: (2 * x + 1) ** 1.5, (0, 3), {"power": 1.5, "scale": 2.0, "shift": 1.0}),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", FLOAT_OPS)
def test_floating_point(cpu, op, dtype):
    formula, (low, high), attrs = FLOAT_OPS[op]
    for shape in [(3, 5, 7), (), (0, 4), (1300,)]:
        x = draw(shape, dtype, low, high)
        y = cpu(op, [x], attrs, (shape, dtype))
        close(y, np.asarray(formula(x.astype(np.float64))).astype(dtype), scale=2)


ANY_OPS = {
    "Abs": np.abs,
    "Neg": np.negative,
    "Sign": np.sign,
    "Square": np.square,
    "Relu": lambda x: np.maximum(x, np.zeros((), x.dtype)),
    "Relu6": lambda x: np.clip(x, np.zeros((), x.dtype), np.full((), 6, x.dtype)),
    "Trunc": np.trunc,
    "OnesLike": np.ones_like,
    "ZerosLike": np.zeros_like,
}


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", ANY_OPS)
@pytest.mark.parametrize("shape", [(4, 33), (17,)])
def test_all_numbers(cpu, shape, op, dtype):
    x = draw(shape, dtype, -9, 9)
    expected = ANY_OPS[op](x).astype(dtype)
    np.testing.assert_array_equal(cpu(op, [x], {}, (x.shape, dtype)), expected)


def test_extreme_integers_wrap(cpu):
    x = np.array([np.iinfo(np.int64).min, -1, 0, np.iinfo(np.int64).max], np.int64)
    with np.errstate(over="ignore"):
        for op, f in [("Neg", np.negative), ("Abs", np.abs), ("Square", np.square)]:
            np.testing.assert_array_equal(cpu(op, [x], {}, (x.shape, x.dtype)), f(x))


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
def test_special_values(cpu, dtype):
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], dtype)
    for op, f in [("IsNan", np.isnan), ("IsInf", np.isinf), ("IsFinite", np.isfinite)]:
        np.testing.assert_array_equal(cpu(op, [x], {}, (x.shape, np.bool_)), f(x.astype(np.float64)))
    for op, expected in [
        ("Relu", [np.nan, np.inf, 0, 0, 0, 1]),
        ("Sigmoid", [np.nan, 1, 0, 0.5, 0.5, sigmoid(1.0)]),
        ("Tanh", [np.nan, 1, -1, 0, 0, math.tanh(1)]),
        ("Softplus", [np.nan, np.inf, 0, math.log(2), math.log(2), softplus(1.0)]),
        ("Sign", [np.nan, 1, -1, 0, 0, 1]),
    ]:
        close(cpu(op, [x], {}, (x.shape, dtype)), np.array(expected).astype(dtype))
    y = cpu("Neg", [x], {}, (x.shape, dtype))
    np.testing.assert_array_equal(np.signbit(y), np.signbit(-x))


def test_is_finite_of_integers(cpu):
    assert cpu("IsFinite", [np.array([1, -5], np.int32)], {}, ((2,), np.bool_)).all()


def test_gelu_v2_modes(cpu):
    x = draw((100,), np.float32, -4, 4)
    close(cpu("GeluV2", [x], {"approximate": "tanh"}, (x.shape, x.dtype)), gelu_tanh(x.astype(float)), scale=3)
    with pytest.raises(EngineError, match="approximate is 'fast'"):
        cpu("GeluV2", [x], {"approximate": "fast"}, (x.shape, x.dtype))


def test_exp_and_log_with_base(cpu):
    x = draw((50,), np.float32, 0.5, 2)
    attrs = {"base": 2.0, "scale": 0.5, "shift": 1.0}
    d = x.astype(float) * 0.5 + 1
    close(cpu("Exp", [x], attrs, (x.shape, x.dtype)), 2.0**d)
    close(cpu("Log", [x], attrs, (x.shape, x.dtype)), np.log2(d))
    with pytest.raises(EngineError, match="base is -3"):
        cpu("Exp", [x], {"base": -3.0}, (x.shape, x.dtype))


def test_round(cpu):
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4999], np.float32)
    np.testing.assert_array_equal(cpu("Round", [x], {}, (x.shape, x.dtype)), [0, 2, 2, 0, -2, 2])
    x = np.array([1.255, -3.14159, 1234.5678], np.float64)
    close(cpu("Round", [x], {"decimals": 2}, (x.shape, x.dtype)), np.round(x, 2))
    x = np.array([15, 25, -149, 2**62 + 1], np.int64)
    np.testing.assert_array_equal(cpu("Round", [x], {}, (x.shape, x.dtype)), x)
    np.testing.assert_array_equal(cpu("Round", [x[:3]], {"decimals": -1}, ((3,), x.dtype)), [20, 20, -150])


def test_inv(cpu):
    x = np.array([1, 2, -1, 0], np.int32)
    np.testing.assert_array_equal(cpu("Inv", [x], {}, (x.shape, x.dtype)), [1, 0, -1, 0])
    f = np.array([0.5, -4], np.float32)
    np.testing.assert_array_equal(cpu("Inv", [f], {}, (f.shape, f.dtype)), [2, -0.25])


def test_logic_and_bits(cpu):
    b = np.array([True, False, True])
    np.testing.assert_array_equal(cpu("LogicalNot", [b], {}, ((3,), np.bool_)), ~b)
    np.testing.assert_array_equal(cpu("BitwiseNot", [b], {}, ((3,), np.bool_)), ~b)
    for dtype in INTS:
        x = draw((20,), dtype, -100, 100)
        for op in ("BitwiseNot", "Invert"):
            np.testing.assert_array_equal(cpu(op, [x], {}, (x.shape, dtype)), ~x)


def test_scalar_arithmetic(cpu):
    x = draw((3, 7), np.float32)
    close(cpu("Muls", [x], {"value": 2.5}, (x.shape, x.dtype)), x * np.float32(2.5))
    close(cpu("Adds", [x], {"value": -1.5}, (x.shape, x.dtype)), x + np.float32(-1.5))
    np.testing.assert_array_equal(cpu("Fills", [x], {"value": 0.25}, (x.shape, x.dtype)), np.full_like(x, 0.25))
    i = draw((9,), np.int32, -50, 50)
    np.testing.assert_array_equal(cpu("Muls", [i], {"value": 3.0}, (i.shape, i.dtype)), i * 3)
    np.testing.assert_array_equal(cpu("Adds", [i], {"value": 3.0}, (i.shape, i.dtype)), i + 3)
    np.testing.assert_array_equal(cpu("Fills", [i], {"value": 7.0}, (i.shape, i.dtype)), np.full_like(i, 7))


CASTABLE = [*FLOATS, *INTS, np.bool_]


@pytest.mark.parametrize("target", CASTABLE, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("source", CASTABLE, ids=lambda d: np.dtype(d).name)
def test_cast(cpu, source, target):
    """Values every type can hold keep their value; the rest is what NumPy does where that is defined."""
    for size in (100, 9):
        x = draw((size,), source, 0, 100) if np.dtype(source).kind != "b" else draw((size,), np.bool_)
        y = cpu("Cast", [x], {"dst_type": 0}, (x.shape, target))
        np.testing.assert_array_equal(y, x.astype(target))
        np.testing.assert_array_equal(cpu("CastLike", [x, np.zeros(1, target)], {}, (x.shape, target)), y)


def test_cast_saturates(cpu):
    x = np.array([1e10, -1e10, np.nan, 300.7, -0.9, np.inf], np.float32)
    np.testing.assert_array_equal(cpu("Cast", [x], {}, ((6,), np.int8)), [127, -128, 0, 127, 0, 127])
    np.testing.assert_array_equal(cpu("Cast", [x], {}, ((6,), np.uint8)), [255, 0, 0, 255, 0, 255])
    big, small = 2**63 - 1, -(2**63)
    far = np.array([1e22, -1e22, np.nan, 2.0**40, -(2.0**40), np.inf], np.float32)
    np.testing.assert_array_equal(cpu("Cast", [far], {}, ((6,), np.int64)), [big, small, 0, 2**40, -(2**40), big])
    np.testing.assert_array_equal(cpu("Cast", [x], {}, ((6,), np.bool_)), [True] * 6)
    wide = np.array([300, -1, 2**40 + 5], np.int64)
    np.testing.assert_array_equal(cpu("Cast", [wide], {}, ((3,), np.int8)), wide.astype(np.int8))


def test_half_conversion_is_exact(cpu):
    """All 16-bit patterns widen exactly, and doubles around every rounding boundary narrow as NumPy does."""
    bits = np.arange(65536, dtype=np.uint16)
    for dtype in (np.dtype(np.float16), bfloat16):
        half = bits.view(dtype)
        wide = cpu("Cast", [half], {}, (half.shape, np.float32))
        np.testing.assert_array_equal(wide, half.astype(np.float32))
        finite = half[np.isfinite(half.astype(np.float32))].astype(np.float64)
        finite = np.sort(finite)
        middle = (finite[1:] + finite[:-1]) / 2
        for x in (middle, middle * (1 + 2**-40), middle * (1 - 2**-40)):
            expected = x.astype(dtype) if dtype == np.float16 else round_to_bf16(x)
            np.testing.assert_array_equal(cpu("Cast", [x], {}, (x.shape, dtype)).view(np.uint16), expected.view(np.uint16))


def round_to_bf16(x):
    """Nearest, ties to even, straight from double."""
    below = np.abs(x).astype(np.float32)
    below = np.where(below.astype(np.float64) > np.abs(x), np.nextafter(below, np.float32(0)), below)
    low = (below.view(np.uint32) & 0xFFFF0000).view(np.float32)
    high = ((below.view(np.uint32) & 0xFFFF0000) + np.uint32(0x10000)).view(np.float32)
    to_low, to_high = np.abs(x) - low.astype(np.float64), high.astype(np.float64) - np.abs(x)
    even = (low.view(np.uint32) >> 16) % 2 == 0
    take_low = (to_low < to_high) | ((to_low == to_high) & even)
    return np.copysign(np.where(take_low, low, high), x).astype(ml_dtypes.bfloat16)


@pytest.mark.parametrize("op", sorted(op for op, flags in TRAITS.items() if flags & TRAIT_VIEW))
def test_views_copy_where_they_run(cpu, op):
    for dtype in (np.float32, np.int8, np.bool_, np.complex64, np.float64):
        x = draw((3, 4), np.float32).astype(dtype)
        np.testing.assert_array_equal(cpu(op, [x], {}, (x.shape, dtype)), x)


def test_identity_n(cpu):
    x, y = draw((3,), np.float32), draw((2, 2), np.int32)
    a, b = cpu.run("IdentityN", [x, y], {}, [(x.shape, x.dtype), (y.shape, y.dtype)])
    np.testing.assert_array_equal(a, x)
    np.testing.assert_array_equal(b, y)


def test_bitcast(cpu):
    x = draw((3, 4), np.float32)
    np.testing.assert_array_equal(cpu("Bitcast", [x], {}, (x.shape, np.int32)), x.view(np.int32))
    np.testing.assert_array_equal(cpu("Bitcast", [x], {}, ((3, 8), np.int16)), x.view(np.int16))


def test_refusals_say_why(cpu):
    x = np.zeros(3, np.complex64)
    assert "DT_COMPLEX64 is not supported for input 0" in cpu.check("Exp", [x], {}, [((3,), np.complex64)])
    i = np.zeros(3, np.int32)
    assert "DT_INT32" in cpu.check("Exp", [i], {}, [((3,), np.int32)])
    assert "no reference kernel" in cpu.check("NoSuchOperator", [i], {}, [((3,), np.int32)])
    assert cpu.check("Exp", [((-1, 4), np.float32)], {}, [((-1, 4), np.float32)]) is None


@pytest.mark.parametrize(
    "name,dtype", [("DT_FLOAT8_E5M2", ml_dtypes.float8_e5m2), ("DT_FLOAT8_E4M3FN", ml_dtypes.float8_e4m3fn)]
)
def test_cast_of_eight_bit_floats(cpu, name, dtype):
    every = np.arange(256, dtype=np.uint8).view(dtype)
    for wide in (np.float32, np.float16, np.float64):
        np.testing.assert_array_equal(cpu("Cast", [every], {}, (every.shape, wide)), every.astype(wide))
    top = float(ml_dtypes.finfo(dtype).max)
    edges = np.array([0, -0.0, top, -top, 1e9, -np.inf, np.inf, np.nan, 1e-9], np.float32)
    # Halfway between neighbours and just beside it.
    codes = every.astype(np.float32)
    codes = np.unique(codes[np.isfinite(codes)])
    middle = (codes[1:] + codes[:-1]) / 2
    x = np.concatenate([edges, middle, np.nextafter(middle, np.float32(9e9)), np.nextafter(middle, np.float32(-9e9)), codes])
    want = np.clip(x, -top, top).astype(dtype)
    got = cpu("Cast", [x.astype(np.float32)], {}, (x.shape, dtype))
    np.testing.assert_array_equal(got.astype(np.float32), want.astype(np.float32))
