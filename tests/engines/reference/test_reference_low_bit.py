"""Products with packed weights, slices of packed tables and casts to small floating-point types, against NumPy."""

import numpy as np
import pytest
from engine_harness import DATA_TYPES, EngineError


def codes_of(rng, bits, *shape):
    return rng.integers(0, 1 << bits, shape).astype(np.uint8)


def packed(codes, bits):
    """Along the last axis, low bits first."""
    per = 8 // bits
    parts = codes.reshape(*codes.shape[:-1], -1, per).astype(np.uint16)
    return (parts << (np.arange(per, dtype=np.uint16) * bits)).sum(-1).astype(np.uint8)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zero", ["none", "packed", "float"])
@pytest.mark.parametrize("rows", [1, 5])
def test_product_with_packed_weights(cpu, bits, zero, rows):
    rng = np.random.default_rng(bits)
    k, n, block = 96, 7, 32
    blocks = k // block
    codes = codes_of(rng, bits, n, blocks, block)
    scale = rng.uniform(0.01, 0.1, (n, blocks)).astype(np.float32)
    offset, given = np.full((n, blocks), 1 << (bits - 1), np.float64), None
    if zero == "packed":
        stored = codes_of(rng, bits, n, -(-blocks * bits // 8) * 8 // bits)
        offset, given = stored[:, :blocks].astype(np.float64), packed(stored, bits)
    elif zero == "float":
        given = rng.uniform(0, 3, (n, blocks)).astype(np.float32)
        offset = given.astype(np.float64)
    x, bias = rng.standard_normal((rows, k)).astype(np.float32), rng.standard_normal(n).astype(np.float32)
    weights = ((codes - offset[..., None]) * scale[..., None]).reshape(n, k)
    attrs = {"k": k, "block_size": block, "bits": bits}
    inputs = [x, packed(codes, bits), scale, given, None, bias, None]
    got = cpu.run("WeightOnlyQuantizedMatMul", inputs, attrs, [((rows, n), np.float32)])[0]
    np.testing.assert_allclose(got, x.astype(np.float64) @ weights.T + bias, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("indices", [[0, 4, 2], [[1, -1], [3, 0]]])
def test_slices_of_a_packed_table(cpu, bits, indices):
    rng = np.random.default_rng(bits)
    rows, width, block = 5, 64, 16
    codes, zeros = codes_of(rng, bits, rows, width), codes_of(rng, bits, rows, width // block)
    scale = rng.uniform(0.01, 0.1, (rows, width // block)).astype(np.float32)
    at = np.array(indices, np.int64)
    table = (codes.astype(np.float32) - zeros.repeat(block, 1)) * scale.repeat(block, 1)
    attrs = {"bits": bits, "block_size": block, "gather_axis": 0, "quantize_axis": 1}
    inputs = [packed(codes, bits), at, scale, packed(zeros, bits)]
    got = cpu.run("GatherBlockQuantized", inputs, attrs, [((*at.shape, width), np.float32)])[0]
    np.testing.assert_allclose(got, table[at], rtol=1e-6)


@pytest.mark.parametrize("rows", [1, 9])
def test_weights_of_half_precision(cpu, rows):
    rng = np.random.default_rng(rows)
    k, n, block = 90, 5, 32
    halves = np.zeros((n, 96), np.float16)
    halves[:, :k] = rng.standard_normal((n, k))
    scale = np.exp2(rng.integers(-3, 3, (n, 3))).astype(np.float32)
    weights = (halves.astype(np.float64) * scale.repeat(block, 1))[:, :k]
    x = rng.standard_normal((rows, k)).astype(np.float32)
    attrs = {"k": k, "block_size": block, "bits": 16}
    inputs = [x, halves.view(np.uint8).reshape(n, 3, 64), scale, None, None, None, None]
    got = cpu.run("WeightOnlyQuantizedMatMul", inputs, attrs, [((rows, n), np.float32)])[0]
    np.testing.assert_allclose(got, x.astype(np.float64) @ weights.T, rtol=1e-5, atol=1e-5)
    inputs[3] = np.zeros((n, 3), np.float32)
    with pytest.raises(EngineError, match="numbers of 16 bits have none"):
        cpu.run("WeightOnlyQuantizedMatMul", inputs, attrs, [((rows, n), np.float32)])


@pytest.mark.parametrize("checked", [False, True])
def test_slices_of_a_table_of_half_precision(cpu, checked):
    rng = np.random.default_rng(3)
    table, at = rng.standard_normal((5, 32)).astype(np.float16), np.array([0, 4, -1])
    scale = np.exp2(rng.integers(-3, 3, (5, 2))).astype(np.float32)
    attrs = {"block_size": 16, "gather_axis": 0, "quantize_axis": 1, "checked": checked}
    inputs = [table, at, scale, None]
    got = cpu.run("GatherBlockQuantized", inputs, attrs, [((3, 32), np.float32)])[0]
    np.testing.assert_array_equal(got, (table.astype(np.float32) * scale.repeat(16, 1))[at])
    inputs[1] = np.array([0, 5, 1])
    if checked:
        with pytest.raises(EngineError, match="index 5 at position 1 is out of range, expected -5 to 4"):
            cpu.run("GatherBlockQuantized", inputs, attrs, [((3, 32), np.float32)])
    else:
        assert not cpu.run("GatherBlockQuantized", inputs, attrs, [((3, 32), np.float32)])[0][1].any()


def test_packed_weights_of_wrong_bits(cpu):
    with pytest.raises(EngineError, match="bits"):
        cpu.run("GatherBlockQuantized", [np.zeros((2, 8), np.uint8), np.array([0]), np.ones((2, 1), np.float32)],
                {"bits": 3, "block_size": 16}, [((1, 16), np.float32)])  # fmt: skip


@pytest.mark.parametrize("saturate", [False, True])
def test_casts_to_small_floats(cpu, saturate):
    """E5M2 is the upper half of float16: rounding to nearest even there, 57344 the largest number."""
    x = np.array([0.0, -1.0, 1.125, 1.375, 57344.0, 61439.0, 1e6, -1e6], np.float32)
    limit = 0x7B if saturate else 0x7C
    want = np.array([0x00, 0xBC, 0x3C, 0x3E, 0x7B, 0x7B, limit, limit | 0x80], np.uint8)
    attrs = {"dst_type": DATA_TYPES["float8_e5m2"], "saturate": saturate}
    got = cpu.run("SmallFloatCast", [x], attrs, [(x.shape, "float8_e5m2")])[0]
    np.testing.assert_array_equal(np.asarray(got).view(np.uint8), want)
