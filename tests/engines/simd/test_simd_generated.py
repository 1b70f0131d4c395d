"""Fused programs as generated code: the ways in which it goes through tensors, against NumPy and the loops of single
instructions. Its AVX-512 form is run by test_simd_generated_avx512.py on any processor."""

import numpy as np
import pytest
from test_simd_fused import BINARY, NONE, TERNARY, UNARY, assert_close, interpret, random_program, run

# Every instruction with a formula, by its number in capi/include/ge/elementwise.def.
QUICK = [12, 1, 2, 4, 5, 7, 11, 32, 33, 43, 96, 98]  # no long chains of functions, for which loops are faster
FORMULAS = sorted({*BINARY, *UNARY, *TERNARY, 3, 34, 36, 37, 38, 39, 44, 45, 46, 47, 48, 51, 52, 55, 99, 100, 101} - {35})
TWO, THREE = {*BINARY, 3, 99, 100}, {*TERNARY, 101}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-40, -1e-40, 88.0, 104.0, -87.0, -104.0, 3e38, -3e38, np.inf, -np.inf,
           np.nan]  # fmt: skip


def generated(vector):
    return "generated" in vector.info["implementation"]


def bits(x):
    return np.where(np.isnan(x), np.float32(np.nan), x).tobytes()  # a NaN's sign rests on the order of factors


@pytest.mark.parametrize("op", FORMULAS)
def test_the_same_bits_as_loops(vector, op):
    """A single instruction on a small tensor runs in a loop of its own, on a larger one in generated code."""
    rng = np.random.default_rng(op)
    n, small = 9001, 900
    count = 3 if op in THREE else 2 if op in TWO else 1
    inputs = []
    for _ in range(count):
        x = rng.uniform(-12, 12, n).astype(np.float32)
        x[rng.integers(0, n, 3000)] = rng.choice(np.array(SPECIAL, np.float32), 3000)
        inputs.append(x)
    program = [[op, count, *range(count), *[NONE] * (3 - count)]]
    whole = run(vector, program, [], [count], inputs, (n,))[0]
    assert generated(vector)
    for begin in range(0, n, small):
        part = [x[begin : begin + small] for x in inputs]
        loop = run(vector, program, [], [count], part, part[0].shape)[0]
        assert not generated(vector)
        assert bits(loop) == bits(whole[begin : begin + small])


# Channels in blocks with parameters of a channel; short, long, few and many rows.
SHAPES = [(1, 9, 8, 8, 8), (2, 3, 40, 8), (2, 3, 7, 16), (5, 4, 16), (1000, 5), (900, 7), (300, 17), (40, 3, 49), (3, 9001),
          (70, 5000), (2, 5, 130), (1, 3, 1, 12, 8), (6, 1, 9, 1, 40)]  # fmt: skip


@pytest.mark.parametrize("seed", range(104))
def test_programs_of_many_shapes(vector, seed):
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    count = int(rng.integers(1, 6))
    inputs = []
    for _ in range(count):
        kept = [d if rng.random() < 0.6 else 1 for d in shape]
        inputs.append(rng.uniform(-1, 1, kept).astype(np.float32))
    constants = rng.uniform(-1, 1, 3)
    program = random_program(rng, count, int(rng.integers(1, 16)), 3, QUICK)
    last = count + len(program) - 1
    outputs = [last] + [int(rng.integers(0, last + 1)) for _ in range(int(rng.integers(0, 3)))]
    got = run(vector, program, constants, outputs, inputs, shape)
    assert generated(vector)
    assert_close(got, interpret(program, constants, outputs, inputs, shape))


def test_channels_in_blocks(vector):
    """Normalisation and activation of DenseNets: exact, since there is one rounding only."""
    lanes = 8 if vector.isa == "avx2" else 16
    rng = np.random.default_rng(0)
    x = rng.integers(-50, 50, (2, 5, 9, 7, lanes)).astype(np.float32)
    scale, shift = (rng.integers(-4, 5, (1, 5, 1, 1, lanes)).astype(np.float32) for _ in range(2))
    program = [[98, 3, 0, 1, 2], [43, 4, 3, NONE, NONE]]
    got = run(vector, program, [], [4], [x, scale, shift], x.shape)[0]
    assert generated(vector)
    np.testing.assert_array_equal(got, np.maximum(x * scale + shift, 0))


def test_more_values_than_registers(vector):
    x = np.linspace(-1, 1, 9001, dtype=np.float32)
    for count in (40, 46):
        program = [[2, 1 + k, 0, -1 - k, NONE] for k in range(count)]
        program += [[12, 1 + count + k, count + k, 1 + k, NONE] for k in range(count - 1)]
        constants = [0.5 + 0.01 * k for k in range(count)]
        got = run(vector, program, constants, [2 * count - 1], [x], x.shape)[0]
        assert generated(vector)
        want = interpret(program, constants, [2 * count - 1], [x], x.shape)[0]
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_loops_are_faster_for_long_chains_of_functions(vector):
    x = np.linspace(-2, 2, 5000, dtype=np.float32)
    for length, quick in ((1, True), (10, False)):
        got = run(vector, [[40, 1 + k, k, NONE, NONE] for k in range(length)], [], [length], [x], x.shape)[0]
        assert generated(vector) == quick
        want = x.astype(np.float64)
        for _ in range(length):
            want = np.tanh(want)
        np.testing.assert_allclose(got, want, rtol=2e-6)


def test_programs_that_differ_in_where_their_parts_end(vector):
    """The second output of one is the bits of the other's first constant; both kernels are there at the same time."""
    x = np.arange(5000, dtype=np.float32)
    program = [12, 1, 0, -1, NONE, 2, 2, 1, 1, NONE]
    engine, kept = vector.single, []
    for constants, outputs in (([1.0], [2, 0]), ([0.0, 1.0], [2])):
        attrs = {"program": program, "constants": constants, "outputs": outputs}
        kept.append(engine.describe("FusedElementwise", [x], attrs, [(x.shape, np.float32)] * len(outputs), [x], ()))
        kernel = engine.ffi.new("char[]", engine.ffi.sizeof("GeKernel") + 256)
        kept.append(kernel)
        kernel = engine.ffi.cast("GeKernel *", kernel)
        assert engine.table.create_kernel(engine.engine, kept[-2][0], engine.env, kernel) == 0
        kept.append(kernel)
        (got, *rest) = vector.run("FusedElementwise", [x], attrs, [(x.shape, np.float32)] * len(outputs))
        np.testing.assert_array_equal(got, (x + constants[0]) ** 2)
        for other in rest:
            np.testing.assert_array_equal(other, x)
    for kernel in kept[2::3]:
        kernel.destroy(kernel.state)


def test_more_inputs_than_registers_to_point_at_them(vector):
    """Loops of single instructions take them."""
    inputs = [np.full(5000, k, np.float32) for k in range(11)]
    program = [[12, 11 + k, 10 + k if k else 0, 1 + k, NONE] for k in range(10)]
    got = run(vector, program, [], [20], inputs, (5000,))[0]
    assert not generated(vector)
    np.testing.assert_array_equal(got, np.full(5000, 55, np.float32))


def test_an_instruction_without_a_formula(vector):
    x = np.linspace(0.5, 4, 5000, dtype=np.float32)
    program = [[35, 1, 0, NONE, NONE], [2, 2, 1, 0, NONE]]
    got = run(vector, program, [], [2], [x], x.shape)[0]
    assert not generated(vector)
    np.testing.assert_allclose(got, np.log(x) * x, rtol=1e-6, atol=1e-6)


def test_powers(vector):
    x = np.linspace(0.5, 4, 5000, dtype=np.float32)
    for exponent, has_formula in ((0.5, True), (2.0, True), (0.75, True), (1.7, False)):
        got = run(vector, [[6, 1, 0, -1, NONE], [12, 2, 1, 0, NONE]], [exponent], [2], [x], x.shape)[0]
        assert generated(vector) == has_formula
        np.testing.assert_allclose(got, x.astype(np.float64) ** exponent + x, rtol=1e-6)
