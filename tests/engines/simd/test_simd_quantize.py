"""8-bit numbers on the vector engine, bit for bit against NumPy."""

import numpy as np
import pytest
from simd_runner import EngineError

NONE = -2147483648
IDS = {"int8": 2, "uint8": 4}


def spread(v, shape, axis):
    return v if v.size == 1 else v.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])


def quantized(x, scale, zero, dtype):
    info = np.iinfo(dtype)
    y = np.rint(x / scale)
    return np.clip(np.where(np.isnan(y), -np.inf, y + zero.astype(np.float32)), info.min, info.max).astype(dtype)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8], ids=["int8", "uint8"])
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 17), (4, 1500), (33, 4099), (0, 3)])
def test_quantize_and_back(vector, shape, dtype):
    rng = np.random.default_rng(len(shape))
    kind = IDS[np.dtype(dtype).name]
    for axis in (None, *range(len(shape))):
        count = () if axis is None else (shape[axis],)
        attrs = {} if axis is None else {"axis": axis - len(shape)}
        scale = rng.uniform(0.01, 0.2, count).astype(np.float32)
        zero = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, count).astype(dtype)
        s, z = (spread(v, shape, axis or 0) for v in (scale, zero))
        x = rng.uniform(-30, 30, shape).astype(np.float32)
        for constants in ((), (1,)):
            got = vector.one("QuantizeLinear", [x, scale, zero], {**attrs, "dst_type": kind}, shape, dtype, constants)
            np.testing.assert_array_equal(got, quantized(x, s, z, dtype))
        got = vector.one("QuantizeLinear", [x, scale], {**attrs, "dst_type": kind}, shape, dtype)
        np.testing.assert_array_equal(got, quantized(x, s, np.zeros((), dtype), dtype))
        y = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
        got = vector.one("DequantizeLinear", [y, scale, zero], {**attrs, "dst_type": 0}, shape)
        np.testing.assert_array_equal(got, (y.astype(np.float32) - z.astype(np.float32)) * s)


@pytest.mark.parametrize("at", [0, 5, 12])
def test_limits_and_nan(vector, at):
    x = np.zeros(13, np.float32)
    for value, signed, unsigned in [(np.nan, -128, 0), (np.inf, 127, 255), (-np.inf, -128, 0), (1e30, 127, 255), (2.5, 2, 2),
                                    (-3.5, -4, 0)]:  # fmt: skip
        x[at] = value
        for dtype, want in ((np.int8, signed), (np.uint8, unsigned)):
            y = vector.one("QuantizeLinear", [x, np.float32(1)], {"dst_type": IDS[np.dtype(dtype).name]}, x.shape, dtype)
            assert y[at] == want and y.sum(dtype=int) == want


@pytest.mark.parametrize("dtype", [np.int8, np.uint8], ids=["int8", "uint8"])
@pytest.mark.parametrize("zero", [0, 1, 126, 127])
def test_halves_beside_any_zero_point(vector, dtype, zero):
    """The quotient is rounded to even, not its sum with the zero point."""
    x = np.append(np.arange(-600, 600, dtype=np.float32) / 2, np.float32([np.inf, -np.inf, np.nan, 3e38, -3e38]))
    zero = np.array(zero, dtype)
    y = vector.one("QuantizeLinear", [x, np.float32(1), zero], {"dst_type": IDS[np.dtype(dtype).name]}, x.shape, dtype)
    np.testing.assert_array_equal(y, quantized(x, np.float32(1), zero, dtype))


@pytest.mark.parametrize("count", [1, 8, 4096, 4097, 100003])
@pytest.mark.parametrize("low,high", [(-3, 5), (1, 2), (-7, -2)])
def test_dynamic_range(vector, count, low, high):
    x = np.random.default_rng(count).uniform(low, high, count).astype(np.float32)
    least, most = min(x.min(), np.float32(0)), max(x.max(), np.float32(0))
    scale = (most - least) / np.float32(255)
    zero = np.clip(np.rint(0 - least / scale), 0, 255).astype(np.uint8)
    got = vector.run("DynamicQuantizeLinear", [x], {}, [(x.shape, np.uint8), ((), np.float32), ((), np.uint8)])
    np.testing.assert_array_equal(got[0], quantized(x, scale, zero, np.uint8))
    assert got[1] == scale and got[2] == zero


def test_dynamic_range_of_nothing_and_of_nan(vector):
    outputs = lambda n: [((n,), np.uint8), ((), np.float32), ((), np.uint8)]  # noqa: E731
    for n in (0, 9):
        y, scale, zero = vector.run("DynamicQuantizeLinear", [np.zeros(n, np.float32)], {}, outputs(n))
        assert (y == 0).all() and scale == 1 and zero == 0
    x = np.ones(9000, np.float32)
    x[4500] = np.nan
    y, scale, zero = vector.run("DynamicQuantizeLinear", [x], {}, outputs(9000))
    assert np.isnan(scale) and zero == 0 and (y == 0).all()


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_scales_that_are_no_divisors(vector, bad):
    x = np.ones((2, 4), np.float32)
    for scale in (np.float32(bad), np.array([1, 1, 1, bad], np.float32)):
        for constants in ((), (1,)):
            with pytest.raises(EngineError, match=r"scale.* is .*, expected a positive number"):
                vector.one("QuantizeLinear", [x, scale], {"dst_type": 2}, x.shape, np.int8, constants)


# a * scale of bytes a, plus bytes b, rounded to bytes: what a chain of quantised operators becomes.
ADD, SUB, MUL, DIV, ROUND, CLIP = 12, 1, 2, 3, 52, 96


@pytest.mark.parametrize("shapes", [((5,), (5,)), ((3, 700), (3, 700)), ((6, 9), (9,)), ((2, 5, 3), (5, 1)), ((4, 2000), ())])
@pytest.mark.parametrize("out", [np.int8, np.uint8], ids=["int8", "uint8"])
def test_programs_on_bytes(vector, shapes, out):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-128, 128, shapes[0]).astype(np.int8), rng.integers(0, 256, shapes[1]).astype(np.uint8))
    f = rng.uniform(-1, 1, shapes[0]).astype(np.float32)
    constants = [0.11, 5.0, 0.07, 3.0]
    program = [[SUB, 3, 0, -2, NONE], [MUL, 4, 3, -1, NONE], [MUL, 5, 1, -3, NONE], [ADD, 6, 4, 5, NONE], [ADD, 7, 6, 2, NONE],
               [DIV, 8, 7, -1, NONE], [ROUND, 9, 8, NONE, NONE], [ADD, 10, 9, -4, NONE]]  # fmt: skip
    c = np.float32(constants)
    value = (a.astype(np.float32) - c[1]) * c[0] + b.astype(np.float32) * c[2] + f
    want = np.rint(value / c[0]) + c[3]
    info = np.iinfo(out)
    attrs = {"program": [w for i in program for w in i], "constants": constants, "outputs": [10, 7, 8],
             "output_types": [IDS[np.dtype(out).name], 0, IDS["int8"]]}  # fmt: skip
    outputs = [(shapes[0], out), (shapes[0], np.float32), (shapes[0], np.int8)]
    stored, floats, rounded = vector.run("FusedElementwise", [a, b, f], attrs, outputs)
    np.testing.assert_array_equal(stored, np.clip(want, info.min, info.max).astype(out))
    np.testing.assert_array_equal(floats, value)
    np.testing.assert_array_equal(rounded, np.clip(np.rint(value / c[0]), -128, 127).astype(np.int8))


def test_a_byte_may_be_stored_over_a_byte(vector):
    x = np.arange(-128, 128).astype(np.int8)
    attrs = {"program": [MUL, 1, 0, -1, NONE], "constants": [0.5], "outputs": [1], "output_types": [2]}
    y = vector.one("FusedElementwise", [x], attrs, x.shape, np.int8)
    np.testing.assert_array_equal(y, np.rint(x * np.float32(0.5)).astype(np.int8))
    assert vector.info["aliases"]


# Rows whose length is no divisor of a tile, a tile of whole rows and less, long rows; with several threads, too.
@pytest.mark.parametrize("shape", [(1, 7, 5, 3), (40, 40, 24), (300, 97), (3, 511, 16), (5, 1000), (2, 300), (2, 3)], ids=str)
@pytest.mark.parametrize("zeros", [(0, 0), (-3, 0), (0, 7), (5, 9)], ids=str)
@pytest.mark.parametrize("out", [np.int8, np.uint8], ids=["int8", "uint8"])
@pytest.mark.parametrize("per", ["last last", "number last", "last number", "number number", "first first", "last first"])
def test_channels_between_quantised_tensors(vector, shape, zeros, out, per):
    rng = np.random.default_rng(4)
    x = rng.integers(-128, 128, shape).astype(np.int8)
    sizes = {"last": shape[-1:], "number": (), "first": (shape[0],) + (1,) * (len(shape) - 1)}
    factor, shift = (rng.uniform(-1, 1, sizes[p]).astype(np.float32) for p in per.split())
    constants = np.float32([zeros[0], 0.05, 0.013, zeros[1]])
    code, value = [], 0
    for op, operand in (((SUB, -1),) if zeros[0] else ()) + ((MUL, -2), (MUL, 1), (ADD, 2), (DIV, -3)):
        code.append([op, 3 + len(code), value, operand, NONE])
        value = 2 + len(code)
    if zeros[1]:
        code += [[ROUND, value + 1, value, NONE, NONE], [ADD, value + 2, value + 1, -4, NONE]]
        value += 2
    attrs = {"program": [w for i in code for w in i], "constants": constants, "outputs": [value],
             "output_types": [IDS[np.dtype(out).name]]}  # fmt: skip
    got = vector.one("FusedElementwise", [x, factor, shift], attrs, shape, out)
    real = (x.astype(np.float32) - constants[0]) * constants[1] * factor + shift
    info = np.iinfo(out)
    np.testing.assert_array_equal(got, np.clip(np.rint(real / constants[2]) + constants[3], info.min, info.max).astype(out))


def test_quantisation_that_others_read_stays(vector):
    """The quotient is an output of its own, the dequantised number is read twice, a scale is no constant."""
    rng = np.random.default_rng(5)
    x, y = (rng.integers(-128, 128, (50, 30)).astype(np.int8) for _ in range(2))
    scale = np.float32(0.3)
    program = [[SUB, 3, 0, -1, NONE], [MUL, 4, 3, -2, NONE], [ADD, 5, 3, 4, NONE], [MUL, 6, 1, 2, NONE], [ADD, 7, 5, 6, NONE],
               [DIV, 8, 7, -3, NONE], [ROUND, 9, 8, NONE, NONE], [ADD, 10, 9, -4, NONE], [MUL, 11, 10, 10, NONE]]  # fmt: skip
    c = np.float32([4, 0.2, 0.7, 2])
    attrs = {"program": [w for i in program for w in i], "constants": c, "outputs": [10, 8, 11],
             "output_types": [2, 0, 0]}  # fmt: skip
    outputs = [(x.shape, np.int8), (x.shape, np.float32), (x.shape, np.float32)]
    got = vector.run("FusedElementwise", [x, y, scale], attrs, outputs)
    centred = x.astype(np.float32) - c[0]
    quotient = (centred + centred * c[1] + y.astype(np.float32) * scale) / c[2]
    number = np.rint(quotient) + c[3]
    np.testing.assert_array_equal(got[0], np.clip(number, -128, 127).astype(np.int8))
    np.testing.assert_array_equal(got[1], quotient)
    np.testing.assert_array_equal(got[2], number * number)
