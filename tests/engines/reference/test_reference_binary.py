"""Reference kernels with two and more broadcast inputs, and fused chains."""

import numpy as np
import pytest
from engine_harness import EngineError
from engine_oracles import FLOATS, INTS, close, draw, erf, sigmoid, softplus

SHAPES = [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((3, 1), (1, 5)), ((), (2, 3)), ((4, 1, 6), (3, 1)), ((0, 3), (1, 3))]


def result_shape(*shapes):
    return np.broadcast_shapes(*shapes)


def nonzero(x):
    return np.where(x == 0, np.ones((), x.dtype), x)


ARITHMETIC = {
    "Add": np.add,
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "SquaredDifference": lambda a, b: np.square(a - b),
}


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic(cpu, op, dtype):
    for sa, sb in SHAPES:
        a, b = draw(sa, dtype, -8, 8), draw(sb, dtype, -8, 8, seed=1)
        expected = ARITHMETIC[op](a, b)
        if np.dtype(dtype).kind not in "iu":
            expected = np.asarray(ARITHMETIC[op](a.astype(np.float64), b.astype(np.float64))).astype(dtype)
        close(cpu(op, [a, b], {}, (result_shape(sa, sb), dtype)), expected, scale=20)


# Formulas on float64 or int64; division towards zero, floor, and remainders of both kinds.
DIVISION = {
    "Div": (np.true_divide, lambda a, b: np.trunc(a / b)),
    "RealDiv": (np.true_divide, lambda a, b: np.trunc(a / b)),
    "DivNoNan": (np.true_divide, lambda a, b: np.trunc(a / b)),
    "FloorDiv": (np.floor_divide, np.floor_divide),
    "FloorMod": (np.mod, np.mod),
    "Mod": (np.fmod, np.fmod),
    "TruncateMod": (np.fmod, np.fmod),
    "TruncateDiv": (lambda a, b: np.trunc(a / b), lambda a, b: np.trunc(a / b)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, *INTS], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", DIVISION)
def test_division(cpu, op, dtype):
    for sa, sb in SHAPES:
        a, b = draw(sa, dtype, -50, 50), nonzero(draw(sb, dtype, -9, 9, seed=1))
        if np.dtype(dtype).kind == "f":  # away from quotients where rounding decides the integer part
            a, b = np.round(a, 1), np.round(b) + b.dtype.type(0.25)
            expected = DIVISION[op][0](a, b)
        else:
            expected = np.asarray(DIVISION[op][1](a.astype(np.int64), b.astype(np.int64))).astype(dtype)
        close(cpu(op, [a, b], {}, (result_shape(sa, sb), dtype)), expected, scale=20)


def test_division_by_zero(cpu):
    a, z = np.array([5, -5, 0, -(2**31)], np.int32), np.array([0, 0, 0, -1], np.int32)
    assert cpu("DivNoNan", [a, z], {}, ((4,), np.int32))[:3].tolist() == [0, 0, 0]
    for op in ("Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"):
        for dtype in (np.int32, np.uint8, np.int64):
            ones = np.ones((3, 4), dtype)
            with pytest.raises(EngineError) as refused:
                cpu(op, [ones, np.array([1, 2, 0, 4], dtype)], {}, ((3, 4), dtype))
            assert f"{op}: division by zero: element 2 of the divisor" in str(refused.value)
        # Where nothing is divided there is nothing to refuse.
        assert cpu(op, [np.ones((0,), np.int32), np.zeros((1,), np.int32)], {}, ((0,), np.int32)).size == 0
    f, fz = np.array([1, -1, 0], np.float32), np.zeros(3, np.float32)
    np.testing.assert_array_equal(cpu("RealDiv", [f, fz], {}, ((3,), np.float32)), [np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(cpu("DivNoNan", [f, fz], {}, ((3,), np.float32)), [0, 0, 0])


def test_nan_wins(cpu):
    a, b = np.array([np.nan, 1, 2], np.float32), np.array([1, np.nan, 3], np.float32)
    np.testing.assert_array_equal(cpu("Maximum", [a, b], {}, ((3,), np.float32)), [np.nan, np.nan, 3])
    np.testing.assert_array_equal(cpu("Minimum", [a, b], {}, ((3,), np.float32)), [np.nan, np.nan, 2])


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
def test_floating_point_functions(cpu, dtype):
    a, b = draw((4, 5), dtype, 0.1, 3), draw((5,), dtype, 0.1, 3, seed=1)
    da, db = a.astype(np.float64), b.astype(np.float64)
    for op, expected in [
        ("Pow", da**db),
        ("Atan2", np.arctan2(da, db)),
        ("Xlogy", da * np.log(db)),
        ("Xdivy", da / db),
    ]:
        close(cpu(op, [a, b], {}, ((4, 5), dtype)), expected.astype(dtype), scale=4)


def test_xlogy_at_zero(cpu):
    a, b = np.array([0, 0, 1], np.float32), np.array([0, np.nan, 0], np.float32)
    np.testing.assert_array_equal(cpu("Xlogy", [a, b], {}, ((3,), np.float32)), [0, np.nan, -np.inf])
    np.testing.assert_array_equal(cpu("Xdivy", [a, b], {}, ((3,), np.float32)), [0, np.nan, np.inf])


def test_integer_power(cpu):
    a, b = np.array([2, -3, 7, -1, 2, 0], np.int64), np.array([10, 3, 0, -3, -1, 0], np.int64)
    np.testing.assert_array_equal(cpu("Pow", [a, b], {}, ((6,), np.int64)), [1024, -27, 1, -1, 0, 1])
    x, e = draw((4,), np.float32, 0.5, 2), np.array([2], np.int32)
    close(cpu("Pow", [x, e], {}, ((4,), np.float32)), x**2)


COMPARE = {
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
}


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS, np.bool_], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", COMPARE)
def test_comparison(cpu, op, dtype):
    for sa, sb in SHAPES:
        a, b = draw(sa, dtype, -2, 2), draw(sb, dtype, -2, 2, seed=1)
        if np.dtype(dtype).kind not in "iub":
            a, b = np.round(a.astype(np.float32)).astype(dtype), np.round(b.astype(np.float32)).astype(dtype)
        np.testing.assert_array_equal(cpu(op, [a, b], {}, (result_shape(sa, sb), np.bool_)), COMPARE[op](a, b))


def test_comparison_of_nan_and_large_unsigned(cpu):
    n = np.array([np.nan], np.float32)
    for op, expected in [("Equal", False), ("NotEqual", True), ("Less", False), ("GreaterEqual", False)]:
        assert cpu(op, [n, n], {}, ((1,), np.bool_))[0] == expected
    a, b = np.array([2**63 + 1], np.uint64), np.array([3], np.uint64)
    assert cpu("Greater", [a, b], {}, ((1,), np.bool_))[0]


def test_approximate_equal(cpu):
    a, b = np.array([1, 1, 5], np.float32), np.array([1.05, 1.2, 5], np.float32)
    got = cpu("ApproximateEqual", [a, b], {"tolerance": 0.1}, ((3,), np.bool_))
    np.testing.assert_array_equal(got, [True, False, True])


def test_logic(cpu):
    a, b = draw((4, 6), np.bool_), draw((6,), np.bool_, seed=3)
    for op, f in [("LogicalAnd", np.logical_and), ("LogicalOr", np.logical_or), ("LogicalXor", np.logical_xor)]:
        np.testing.assert_array_equal(cpu(op, [a, b], {}, ((4, 6), np.bool_)), f(a, b))


@pytest.mark.parametrize("dtype", INTS, ids=lambda d: np.dtype(d).name)
def test_bits(cpu, dtype):
    a, b = draw((5, 7), dtype, -100, 100), draw((7,), dtype, -100, 100, seed=1)
    for op, f in [("BitwiseAnd", np.bitwise_and), ("BitwiseOr", np.bitwise_or), ("BitwiseXor", np.bitwise_xor)]:
        np.testing.assert_array_equal(cpu(op, [a, b], {}, ((5, 7), dtype)), f(a, b))
    shift = draw((7,), dtype, 0, 6, seed=2)
    np.testing.assert_array_equal(cpu("LeftShift", [a, shift], {}, ((5, 7), dtype)), np.left_shift(a, shift))
    np.testing.assert_array_equal(cpu("RightShift", [a, shift], {}, ((5, 7), dtype)), np.right_shift(a, shift))


def test_shift_beyond_the_width(cpu):
    a, b = np.array([-5, 5], np.int32), np.array([40, 40], np.int32)
    np.testing.assert_array_equal(cpu("LeftShift", [a, b], {}, ((2,), np.int32)), [0, 0])
    np.testing.assert_array_equal(cpu("RightShift", [a, b], {}, ((2,), np.int32)), [-1, 0])


def test_add_n(cpu):
    xs = [draw((3, 5), np.float32, seed=i) for i in range(5)] + [draw((5,), np.float32)]
    close(cpu("AddN", xs, {"N": 6}, ((3, 5), np.float32)), sum(x.astype(float) for x in xs))
    assert cpu("AddN", [np.int32(3)], {"N": 1}, ((), np.int32)) == 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int16, np.bool_, np.int64, np.complex128])
@pytest.mark.parametrize("op", ["Select", "SelectV2"])
def test_select(cpu, op, dtype):
    c = draw((3, 4), np.bool_)
    a, b = draw((3, 4)).astype(dtype), draw((3, 4), seed=1).astype(dtype)
    np.testing.assert_array_equal(cpu(op, [c, a, b], {}, ((3, 4), dtype)), np.where(c, a, b))


def test_select_broadcast(cpu):
    c, a, b = draw((2, 1, 4), np.bool_), draw((3, 1)), np.float32(7)
    np.testing.assert_array_equal(cpu("SelectV2", [c, a, b], {}, ((2, 3, 4), np.float32)), np.where(c, a, b))
    rows = np.array([True, False, True])
    x, y = draw((3, 5)), draw((3, 5), seed=1)
    got = cpu("Select", [rows, x, y], {}, ((3, 5), np.float32))
    np.testing.assert_array_equal(got, np.where(rows[:, None], x, y))


def test_masked_fill(cpu):
    x, mask, value = draw((3, 4)), draw((4,), np.bool_), np.float32(-1e9)
    np.testing.assert_array_equal(cpu("MaskedFill", [x, mask, value], {}, ((3, 4), np.float32)), np.where(mask, value, x))


@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.uint8], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", ["ClipByValue", "ClipByValueV2"])
def test_clip(cpu, op, dtype):
    x, low, high = draw((4, 9), dtype, -9, 9), np.array(1, dtype), np.array([5], dtype)
    np.testing.assert_array_equal(cpu(op, [x, low, high], {}, ((4, 9), dtype)), np.clip(x, low, high))


def test_ternary_arithmetic(cpu):
    x, a, b = draw((3, 4)), draw((4,), seed=1), draw((3, 1), low=0.5, seed=2)
    v = np.float32(0.7)
    close(cpu("Lerp", [x, a, b], {}, ((3, 4), np.float32)), x + b * (a - x))
    close(cpu("Addcmul", [x, a, b, v], {}, ((3, 4), np.float32)), x + v * a * b)
    close(cpu("Addcdiv", [x, a, b, v], {}, ((3, 4), np.float32)), x + v * a / b)
    close(cpu("Axpy", [x, a], {"alpha": 0.3}, ((3, 4), np.float32)), x + np.float32(0.3) * a)
    close(cpu("AxpyV2", [x, a, v], {}, ((3, 4), np.float32)), x + v * a)


def test_channel_parameters(cpu):
    x, slope = draw((2, 3, 4, 5)), draw((3,), seed=1)
    close(cpu("PRelu", [x, slope], {}, (x.shape, np.float32)), np.where(x > 0, x, x * slope.reshape(3, 1, 1)))
    close(cpu("PRelu", [x, slope[:1]], {}, (x.shape, np.float32)), np.where(x > 0, x, x * slope[0]))
    bias = draw((3,), seed=2)
    got = cpu("BiasAdd", [x, bias], {"data_format": "NCHW"}, (x.shape, np.float32))
    close(got, x + bias.reshape(3, 1, 1))
    last = draw((5,), seed=2)
    close(cpu("BiasAdd", [x, last], {"data_format": "NHWC"}, (x.shape, np.float32)), x + last)


def test_shapes_that_do_not_fit(cpu):
    a, b = draw((3, 4)), draw((5,))
    with pytest.raises(EngineError, match=r"Add: shape \[5\] of input 1 does not broadcast to .*\[3,4\]"):
        cpu("Add", [a, b], {}, ((3, 4), np.float32))


# ---- FusedElementwise ----

NONE = -(2**31)
FUSED = {
    "add": (12, lambda a, b, c: a + b), "sub": (1, lambda a, b, c: a - b), "mul": (2, lambda a, b, c: a * b),
    "div": (3, lambda a, b, c: a / b), "max": (4, lambda a, b, c: np.maximum(a, b)),
    "min": (5, lambda a, b, c: np.minimum(a, b)), "pow": (6, lambda a, b, c: np.abs(a) ** b),
    "sqdiff": (7, lambda a, b, c: (a - b) ** 2), "equal": (8, lambda a, b, c: a == b),
    "less": (9, lambda a, b, c: a < b), "less_equal": (10, lambda a, b, c: a <= b),
    "prelu": (11, lambda a, b, c: np.where(a > 0, a, a * b)),
    "neg": (32, lambda a, b, c: -a), "abs": (33, lambda a, b, c: np.abs(a)), "exp": (34, lambda a, b, c: np.exp(a)),
    "log": (35, lambda a, b, c: np.log(a)), "sqrt": (36, lambda a, b, c: np.sqrt(a)),
    "rsqrt": (37, lambda a, b, c: 1 / np.sqrt(a)), "reciprocal": (38, lambda a, b, c: 1 / a),
    "square": (39, lambda a, b, c: a * a), "tanh": (40, lambda a, b, c: np.tanh(a)),
    "sigmoid": (41, lambda a, b, c: sigmoid(a)), "erf": (42, lambda a, b, c: erf(a)),
    "relu": (43, lambda a, b, c: np.maximum(a, 0)), "relu6": (44, lambda a, b, c: np.clip(a, 0, 6)),
    "swish": (45, lambda a, b, c: a * sigmoid(a)),
    "gelu_erf": (46, lambda a, b, c: 0.5 * a * (1 + erf(a / np.sqrt(2)))),
    "gelu_tanh": (47, lambda a, b, c: 0.5 * a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3)))),
    "hard_swish": (48, lambda a, b, c: a * np.clip(a + 3, 0, 6) / 6), "softplus": (49, lambda a, b, c: softplus(a)),
    "floor": (50, lambda a, b, c: np.floor(a)), "ceil": (51, lambda a, b, c: np.ceil(a)),
    "round": (52, lambda a, b, c: np.round(a)), "sign": (53, lambda a, b, c: np.sign(a)),
    "not": (54, lambda a, b, c: a == 0), "mish": (55, lambda a, b, c: a * np.tanh(softplus(a))),
    "sin": (56, lambda a, b, c: np.sin(a)), "cos": (57, lambda a, b, c: np.cos(a)),
    "softsign": (58, lambda a, b, c: a / (1 + np.abs(a))),
    "clip": (96, lambda a, b, c: np.minimum(np.maximum(a, b), c)),
    "select": (97, lambda a, b, c: np.where(a != 0, b, c)), "fma": (98, lambda a, b, c: a * b + c),
    "leaky_relu": (99, lambda a, b, c: np.where(a > 0, a, a * b)),
    "elu": (100, lambda a, b, c: np.where(a > 0, a, b * np.expm1(a))),
    "hard_sigmoid": (101, lambda a, b, c: np.clip(a * b + c, 0, 1)),
}  # fmt: skip
POSITIVE = {"log", "sqrt", "rsqrt", "reciprocal", "pow"}


@pytest.mark.parametrize("width", [300, 9])
@pytest.mark.parametrize("name", FUSED)
def test_fused_instruction(cpu, name, width):
    opcode, formula = FUSED[name]
    a = draw((4, width), low=0.3 if name in POSITIVE else -3, high=3)
    b, c = draw((width,), low=0.2, seed=1), draw((4, 1), seed=2)
    operands = 1 if 32 <= opcode < 96 else 2 if opcode < 32 or opcode in (99, 100) else 3
    program = [opcode, 3, *[i if i < operands else NONE for i in range(3)]]
    got = cpu("FusedElementwise", [a, b, c], {"program": program, "outputs": [3]}, ((4, width), np.float32))
    close(got, np.asarray(formula(a.astype(float), b.astype(float), c.astype(float)), np.float64), "float32", 4)


def test_fused_chain_with_constants_and_two_outputs(cpu):
    x, bias = draw((3, 700)), draw((700,), seed=1)
    # v2 = x + bias; v3 = max(v2, 0.5); v4 = v3 * 2
    program = [12, 2, 0, 1, NONE, 4, 3, 2, -1, NONE, 2, 4, 3, -2, NONE]
    attrs = {"program": program, "constants": [0.5, 2.0], "outputs": [4, 2]}
    y, v2 = cpu.run("FusedElementwise", [x, bias], attrs, [((3, 700), np.float32)] * 2)
    close(v2, x + bias)
    close(y, np.maximum(x + bias, 0.5) * 2)


def test_fused_program_is_checked(cpu):
    x = draw((3,))
    for program, message in [
        ([200, 1, 0, NONE, NONE], "unknown opcode 200"),
        ([0, 1, 0, NONE, NONE], "unknown opcode 0"),
        ([12, 1, 0, 5, NONE], "unknown value 5"),
        ([12, 1, 0, -1, NONE], "unknown value -1"),
        ([12, 3, 0, 0, NONE], "writes value 3, expected 1"),
        ([12, 1, 0], "multiple of 5"),
    ]:
        reason = cpu.check("FusedElementwise", [x], {"program": program, "outputs": [1]}, [((3,), np.float32)])
        assert message in reason
