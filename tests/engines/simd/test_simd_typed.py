"""Casts, comparisons, logic, selection and integer arithmetic against NumPy."""

import numpy as np
import pytest
from engine_harness import EngineError, type_id

TYPES = [np.float32, np.float64, np.int32, np.int64, np.int8, np.uint8, np.bool_]
SHAPES = [
    ((), ()),
    ((7,), ()),
    ((3, 1), (1, 70)),
    ((2, 3, 4), (3, 1)),
    ((40000,), (1,)),
    ((64, 1), (257,)),
    ((0, 3), (3,)),
]


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_cast(vector, source, target):
    rng = np.random.default_rng(0)
    for n in [*range(0, 40), 4097]:
        x = (rng.random(n) < 0.5) if source == np.bool_ else rng.integers(0, 100, n).astype(source)
        if np.dtype(source).kind == "f":
            x = x + np.asarray(rng.choice([0, 0.25, 0.75], n), source)
        got = vector.one("Cast", [x], {"dst_type": type_id(target)}, (n,), target)
        np.testing.assert_array_equal(got, x.astype(target))


def test_cast_limits(vector):
    x = np.array([np.nan, np.inf, -np.inf, 3e9, -3e9, 1e19, -1e19, -1.9, 2147483520.0], np.float32)
    big, small = 2**31 - 1, -(2**31)
    got = vector.one("Cast", [x], {"dst_type": 3}, x.shape, np.int32)
    assert got.tolist() == [0, big, small, big, small, big, small, -1, 2147483520]
    got = vector.one("Cast", [x], {"dst_type": 9}, x.shape, np.int64)
    assert got.tolist() == [0, 2**63 - 1, -(2**63), 3 * 10**9, -3 * 10**9, 2**63 - 1, -(2**63), -1, 2147483520]
    got = vector.one("Cast", [np.array([300, -1, 255, -129], np.int32)], {"dst_type": 4}, (4,), np.uint8)
    assert got.tolist() == [44, 255, 255, 127]
    assert vector.one("Cast", [np.array([0, 0.5, np.nan], np.float32)], {}, (3,), np.bool_).tolist() == [0, 1, 1]


COMPARE = {
    "Equal": np.equal, "NotEqual": np.not_equal, "Less": np.less, "LessEqual": np.less_equal,
    "Greater": np.greater, "GreaterEqual": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("op", COMPARE)
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint8, np.int8, np.bool_])
def test_compare(vector, op, dtype):
    rng = np.random.default_rng(1)
    for a_shape, b_shape in SHAPES:
        a, b = (np.asarray(rng.integers(0, 2 if dtype == np.bool_ else 5, s)).astype(dtype) for s in (a_shape, b_shape))
        if dtype == np.float32 and a.size > 2:
            a.flat[1] = np.nan
        for x, y in ((a, b), (b, a)):
            expected = COMPARE[op](x, y)
            np.testing.assert_array_equal(vector.one(op, [x, y], {}, expected.shape, np.bool_), expected)


def test_logic(vector):
    rng = np.random.default_rng(2)
    for a_shape, b_shape in SHAPES:
        a, b = (np.asarray(rng.random(s) < 0.5) for s in (a_shape, b_shape))
        for op, f in (("LogicalAnd", np.logical_and), ("LogicalOr", np.logical_or)):
            expected = f(a, b)
            np.testing.assert_array_equal(vector.one(op, [a, b], {}, expected.shape, np.bool_), expected)
        np.testing.assert_array_equal(vector.one("LogicalNot", [a], {}, a.shape, np.bool_), ~a)


ARITHMETIC = {"Add": np.add, "AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply, "Maximum": np.maximum,
              "Minimum": np.minimum}  # fmt: skip


@pytest.mark.parametrize("op", ARITHMETIC)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_wrap_around(vector, op, dtype):
    rng, limits = np.random.default_rng(3), np.iinfo(dtype)
    for a_shape, b_shape in SHAPES:
        a, b = (np.asarray(rng.integers(limits.min, limits.max, s, dtype=dtype)) for s in (a_shape, b_shape))
        with np.errstate(over="ignore"):
            for x, y in ((a, b), (b, a)):
                expected = np.asarray(ARITHMETIC[op](x, y))
                np.testing.assert_array_equal(vector.one(op, [x, y], {}, expected.shape, dtype), expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rests_of_powers_of_two(vector, dtype):
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.min + 1, -17, -16, -1, 0, 1, 15, 16, limits.max], dtype)
    for by in (1, 2, 16, limits.max // 2 + 1):
        for shape in ((), (1,)):
            divisor = np.full(shape, by, dtype)
            got = vector.one("FloorMod", [x, divisor], {}, x.shape, dtype, constants=(1,))
            np.testing.assert_array_equal(got, np.mod(x, divisor))
    x = x[:8].reshape(2, 4)
    got = vector.one("FloorMod", [x, np.full((1, 1, 1), 8, dtype)], {}, (1, 2, 4), dtype, constants=(1,))
    np.testing.assert_array_equal(got, np.mod(x, 8)[None])


def test_other_rests_are_refused(vector):
    x = np.arange(4, dtype=np.int64)
    for by in (0, -2, 3, [2, 2, 2, 2]):
        divisor = np.array(by, np.int64)
        with pytest.raises(EngineError, match="power of two"):
            vector.one("FloorMod", [x, divisor], {}, (4,), np.int64, constants=(1,))
    with pytest.raises(EngineError, match="constant"):
        vector.one("FloorMod", [x, np.array(2)], {}, (4,), np.int64)


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.float32, np.int64])
@pytest.mark.parametrize("shapes", [
    ((3, 70), (3, 70), (3, 70)), ((3, 1), (70,), (3, 70)), ((70,), (), (3, 70)), ((), (3, 70), ()), ((3, 70), (), ()),
    ((1, 70), (3, 1), (1, 70)), ((), (), ()), ((2, 1, 33), (2, 4, 33), (1,)), ((3, 70), (1,), (70,)),
])  # fmt: skip
def test_select(vector, dtype, shapes):
    rng = np.random.default_rng(4)
    c = np.asarray(rng.random(shapes[0]) < 0.5)
    a, b = (np.asarray(rng.integers(0, 100, s)).astype(dtype) for s in shapes[1:])
    expected = np.where(c, a, b)
    np.testing.assert_array_equal(vector.one("SelectV2", [c, a, b], {}, expected.shape, dtype), expected)


def test_select_of_rows(vector):
    c, a, b = np.array([True, False, True]), np.arange(12).reshape(3, 4), -np.arange(12).reshape(3, 4)
    got = vector.one("Select", [c, a, b], {}, (3, 4), np.int64)
    np.testing.assert_array_equal(got, np.where(c[:, None], a, b))
