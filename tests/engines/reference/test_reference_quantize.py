"""QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear bit for bit, against NumPy and the ONNX reference evaluator."""

import ml_dtypes
import numpy as np
import pytest
from engine_harness import DATA_TYPES, EngineError, bfloat16
from onnx.reference.ops.op_dynamic_quantize_linear import DynamicQuantizeLinear

NUMBERS = [np.int8, np.uint8, np.int16, np.uint16]
FP8 = [ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn]
VALUES = [np.float32, np.float16, bfloat16]


def dst(dtype):
    return {"dst_type": DATA_TYPES[np.dtype(dtype).name]}


def spread(v, shape, axis, block):
    """Scales or zero points as they lie over a tensor."""
    v = np.asarray(v)
    if block:
        return np.repeat(v, block, axis).take(range(shape[axis]), axis)
    if v.size == 1:
        return v.reshape(())
    return v.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))])


def quantized(x, scale, zero, dtype, axis=1, block=0):
    info = np.iinfo(dtype)
    y = np.rint(x.astype(np.float32) / spread(scale, x.shape, axis, block).astype(np.float32)).astype(np.float64)
    y = np.where(np.isnan(y), -np.inf, y + spread(zero, x.shape, axis, block).astype(np.float64))
    return np.clip(y, info.min, info.max).astype(dtype)


def dequantized(x, scale, zero, dtype, axis=1, block=0):
    y = x.astype(np.float32) - spread(zero, x.shape, axis, block).astype(np.float32)
    return (y * spread(scale, x.shape, axis, block).astype(np.float32)).astype(dtype)


def grids(shape):
    """(shape of the scales, attributes)"""
    yield (), {}
    yield (1,), {"axis": len(shape) - 1}
    for axis in range(len(shape)):
        yield (shape[axis],), {"axis": axis}
        yield (shape[axis],), {"axis": axis - len(shape)}
        for block in (1, 2, 3):
            yield tuple(-(-d // block) if i == axis else d for i, d in enumerate(shape)), {"axis": axis, "block_size": block}


def parameters(rng, shape, dtype, scale_type=np.float32):
    scale = rng.uniform(0.01, 0.2, shape).astype(scale_type)
    info = np.iinfo(dtype)
    return scale, rng.integers(max(info.min, -99), min(info.max, 99) + 1, shape).astype(dtype)


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("value", VALUES, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("shape", [(6,), (4, 5), (2, 3, 4), (3, 700)])
def test_quantize_and_back(cpu, shape, value, dtype):
    rng = np.random.default_rng(len(shape))
    for scales, attrs in grids(shape):
        scale, zero = parameters(rng, scales, dtype, value)
        for z in (zero, None):
            at = (attrs.get("axis", 1), attrs.get("block_size", 0))
            offset = np.zeros(scales, dtype) if z is None else z
            x = rng.uniform(-40, 40, shape).astype(value)
            got = cpu.run("QuantizeLinear", [x, scale, z], {**attrs, **dst(dtype)}, [(shape, dtype)])
            want = quantized(x, scale, offset, dtype, *at)
            np.testing.assert_array_equal(got[0], want)
            y = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
            got = cpu.run("DequantizeLinear", [y, scale, z], {**attrs, **dst(value)}, [(shape, value)])
            assert got[0].tobytes() == dequantized(y, scale, offset, value, *at).tobytes()


def test_halves_round_to_even_and_saturate(cpu):
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 300, -300, 1e30, -1e30, np.inf, -np.inf, np.nan], np.float32)
    for dtype, low, high in [(np.int8, -128, 127), (np.uint8, 0, 255)]:
        for zero in (0, 3):
            want = np.clip(np.array([0, 2, 2, 0, -2, 300, -300, 999, -999, 999, -999, -999]) + zero, low, high)
            z = np.array(zero, dtype)
            y = cpu.run("QuantizeLinear", [x, np.float32(1), z], dst(dtype), [(x.shape, dtype)])
            np.testing.assert_array_equal(y[0], want.astype(dtype))


@pytest.mark.parametrize("dtype", FP8, ids=lambda d: np.dtype(d).name)
def test_8_bit_floats(cpu, dtype):
    x = np.linspace(-900, 900, 301, dtype=np.float32)
    scale, largest = np.float32(2), float(ml_dtypes.finfo(dtype).max)
    y = cpu.run("QuantizeLinear", [x, scale], dst(dtype), [(x.shape, dtype)])
    want = np.clip(x / scale, -largest, largest).astype(dtype)
    assert y[0].tobytes() == want.tobytes()
    back = cpu.run("DequantizeLinear", [want, scale], {"dst_type": 0}, [(x.shape, np.float32)])
    np.testing.assert_array_equal(back[0], want.astype(np.float32) * scale)


def test_sums_of_products_are_dequantised_by_channel(cpu):
    x = np.random.default_rng(0).integers(-(2**31), 2**31, (3, 5)).astype(np.int32)
    scale = np.array([1e-4, 2e-5, 0.5], np.float32)
    y = cpu.run("DequantizeLinear", [x, scale], {"axis": 0, "dst_type": 0}, [(x.shape, np.float32)])
    np.testing.assert_array_equal(y[0], x.astype(np.float32) * scale[:, None])


def dynamic(cpu, x):
    return cpu.run("DynamicQuantizeLinear", [x], {}, [(x.shape, np.uint8), ((), np.float32), ((), np.uint8)])


@pytest.mark.parametrize("low,high", [(-3, 5), (1, 2), (-7, -2), (-1e-3, 1e3)])
def test_dynamic_range(cpu, low, high):
    x = np.random.default_rng(1).uniform(low, high, (37, 301)).astype(np.float32)
    want = DynamicQuantizeLinear.eval(x)
    for got, w in zip(dynamic(cpu, x), want):
        assert got.dtype == np.asarray(w).dtype
        np.testing.assert_array_equal(got, w)


def test_dynamic_range_of_nothing(cpu):
    for x in (np.zeros((3, 4), np.float32), np.zeros((0,), np.float32)):
        y, scale, zero = dynamic(cpu, x)
        assert (y == 0).all() and scale == 1 and zero == 0


def test_nan_shows_in_the_scale(cpu):
    x = np.ones(9000, np.float32)
    x[4500] = np.nan
    y, scale, zero = dynamic(cpu, x)
    assert np.isnan(scale) and zero == 0 and (y == 0).all()


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
@pytest.mark.parametrize("count", [1, 4])
def test_scales_that_are_no_divisors(cpu, bad, count):
    x, scale = np.ones((2, 4), np.float32), np.ones(count, np.float32)
    scale[-1] = bad
    with pytest.raises(EngineError, match="QuantizeLinear: a scale is .*, expected a positive number"):
        cpu.run("QuantizeLinear", [x, scale], {"dst_type": 2}, [(x.shape, np.int8)])
    if not np.isfinite(bad):
        with pytest.raises(EngineError, match="DequantizeLinear: a scale is .*, expected a finite number"):
            cpu.run("DequantizeLinear", [x.astype(np.int8), scale], {"dst_type": 0}, [(x.shape, np.float32)])


@pytest.mark.parametrize("scales,attrs,told", [
    ((3,), {}, "scale has shape .3., expected 4 values"),
    ((4,), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ((2, 4), {}, "scale has shape .2,4., expected 4 values"),
    ((2, 3), {"block_size": 3}, "scale has shape .2,3., expected one value for each 3 along axis 1"),
    ((2, 2), {"block_size": -2}, "block_size is -2"),
])  # fmt: skip
def test_scales_that_do_not_fit(cpu, scales, attrs, told):
    x = np.ones((2, 4), np.float32)
    with pytest.raises(EngineError, match=told):
        cpu.run("QuantizeLinear", [x, np.ones(scales, np.float32)], {**attrs, "dst_type": 2}, [(x.shape, np.int8)])
