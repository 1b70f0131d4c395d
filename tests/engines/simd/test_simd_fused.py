"""FusedElementwise: random programs against an interpreter in NumPy."""

import math

import numpy as np
import pytest

NONE = -2147483648
erf = np.vectorize(math.erf, otypes=[np.float64])
BINARY = {12: np.add, 1: np.subtract, 2: np.multiply, 4: np.maximum, 5: np.minimum, 7: lambda a, b: (a - b) ** 2,
          8: lambda a, b: (a == b) * 1.0, 9: lambda a, b: (a < b) * 1.0, 10: lambda a, b: (a <= b) * 1.0,
          11: lambda a, b: np.where(a > 0, a, a * b)}  # fmt: skip
UNARY = {32: np.negative, 33: np.abs, 35: lambda a: np.log(np.abs(a) + 1), 40: np.tanh, 43: lambda a: np.maximum(a, 0),
         41: lambda a: 1 / (1 + np.exp(-a)), 42: erf, 50: np.floor, 53: np.sign, 54: lambda a: (a == 0) * 1.0,
         58: lambda a: a / (1 + np.abs(a))}  # fmt: skip
TERNARY = {96: lambda a, b, c: np.minimum(np.maximum(a, b), c), 97: lambda a, b, c: np.where(a != 0, b, c),
           98: lambda a, b, c: a * b + c}  # fmt: skip
# No jumps: rounding in single and double precision must lead to nearly the same results.
SMOOTH = [12, 1, 2, 4, 5, 7, 11, 32, 33, 40, 43, 41, 42, 58, 96, 98]


def interpret(program, constants, outputs, inputs, shape):
    values = [np.broadcast_to(x.astype(np.float64), shape) for x in inputs]

    def value(v):
        return np.float64(np.float32(constants[-1 - v])) if v < 0 else values[v]

    for op, _dst, a, b, c in program:
        f = BINARY.get(op) or UNARY.get(op) or TERNARY[op]
        operands = [value(v) for v in (a, b, c) if v != NONE]
        values.append(np.broadcast_to(f(*operands), shape))
    return [values[v] for v in outputs]


def assert_close(got, expected):
    """Outputs of a program of SMOOTH instructions, whose intermediate values may be large."""
    for g, want in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, want, rtol=2e-4, atol=2e-4 * max(1.0, float(np.abs(want).max(initial=0))))


def run(vector, program, constants, outputs, inputs, shape):
    attrs = {"program": [int(w) for i in program for w in i], "constants": [float(c) for c in constants],
             "outputs": [int(o) for o in outputs]}  # fmt: skip
    return vector.run("FusedElementwise", inputs, attrs, [(shape, np.float32)] * len(outputs))


def random_program(rng, inputs, length, constants, ops=SMOOTH):
    program = []
    for k in range(length):
        op = int(rng.choice(ops))
        count = 1 if op in UNARY else 2 if op in BINARY else 3
        operands = [int(rng.integers(-constants, inputs + k)) for _ in range(count)] + [NONE] * (3 - count)
        program.append([op, inputs + k, *operands])
    # Bounded at the end, whatever has grown before.
    program.append([40, inputs + length, inputs + length - 1, NONE, NONE])
    return program


SHAPES = [(5,), (), (3, 70), (1, 64), (2, 300, 5), (129, 131), (2, 3, 4, 33), (9000,), (3, 5000), (0, 4), (600, 1, 7),
          (7, 90, 16), (3, 5, 60, 4), (50, 40, 16)]  # fmt: skip


@pytest.mark.parametrize("seed", range(140))
def test_random_programs(vector, seed):
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    count = int(rng.integers(1, 5))
    inputs = []
    for _ in range(count):
        kept = [d if rng.random() < 0.6 else 1 for d in shape]
        inputs.append(rng.uniform(-1, 1, kept[int(rng.integers(0, len(kept) + 1)) :]).astype(np.float32))
    constants = rng.uniform(-1, 1, 3)
    program = random_program(rng, count, int(rng.integers(1, 12)), 3)
    last = count + len(program) - 1
    outputs = [last] + [int(rng.integers(0, last)) for _ in range(int(rng.integers(0, 3)))]
    got = run(vector, program, constants, outputs, inputs, shape)
    assert_close(got, interpret(program, constants, outputs, inputs, shape))


@pytest.mark.parametrize("seed", range(84))
def test_truth_values_in_and_out(vector, seed):
    """Comparisons, logic and selections of small whole numbers: exact, so they are compared to the bit."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    count = int(rng.integers(2, 7))
    inputs = []
    for k in range(count):
        kept = [d if rng.random() < 0.6 else 1 for d in shape]
        kept = kept[int(rng.integers(0, len(kept) + 1)) :]
        inputs.append(rng.random(kept) < 0.5 if k % 2 else rng.integers(-2, 3, kept).astype(np.float32))
    program = []
    for k in range(int(rng.integers(1, 10))):
        op = int(rng.choice([4, 5, 8, 9, 10, 54, 97]))
        used = 1 if op in UNARY else 2 if op in BINARY else 3
        operands = [int(rng.integers(-2, count + k)) for _ in range(used)] + [NONE] * (3 - used)
        program.append([op, count + k, *operands])
    last = count + len(program) - 1
    outputs = [last] + [int(rng.integers(0, last + 1)) for _ in range(int(rng.integers(0, 4)))]
    kinds = [bool if rng.random() < 0.6 else np.float32 for _ in outputs]
    attrs = {"program": [w for i in program for w in i], "constants": [0.0, 1.0], "outputs": outputs,
             "output_types": [12 if kind is bool else 0 for kind in kinds]}  # fmt: skip
    got = vector.run("FusedElementwise", inputs, attrs, [(shape, kind) for kind in kinds])
    for g, want, kind in zip(got, interpret(program, [0.0, 1.0], outputs, inputs, shape), kinds):
        np.testing.assert_array_equal(g, (want != 0) if kind is bool else want.astype(np.float32))


def test_truth_values_are_not_overwritten_by_floats(vector):
    x = np.arange(600) % 3 == 0
    attrs = {"program": [54, 1, 0, NONE, NONE], "outputs": [1], "output_types": [0]}
    assert vector.one("FusedElementwise", [x], attrs, (600,)).tolist() == (~x).tolist()
    assert not vector.info["aliases"]
    attrs["output_types"] = [12]
    assert vector.one("FusedElementwise", [x], attrs, (600,), bool).tolist() == (~x).tolist()
    assert vector.info["aliases"]


def test_more_truth_values_than_there_is_room_for(vector):
    inputs = [np.ones(300, bool)] * 17
    attrs = {"program": [4, 17, 0, 16, NONE], "outputs": [17]}
    assert "more than 16" in vector.check("FusedElementwise", inputs, attrs, [((300,), np.float32)])


@pytest.mark.parametrize("op", [*BINARY, *UNARY, *TERNARY])
def test_single_instruction(vector, op):
    count = 1 if op in UNARY else 2 if op in BINARY else 3
    inputs = [np.linspace(-2 + k, 2, 41, dtype=np.float32) for k in range(count)]
    if op == 35:
        inputs[0] = np.abs(inputs[0]) + 1
    program = [[op, count, *range(count), *[NONE] * (3 - count)]]
    expected = np.log(inputs[0]) if op == 35 else interpret(program, [], [count], inputs, (41,))[0]
    got = run(vector, program, [], [count], inputs, (41,))[0]
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6)


def test_outputs_that_are_inputs_or_twice_the_same(vector):
    x, y = np.arange(700, dtype=np.float32), np.float32(3)
    program = [[12, 2, 0, 1, NONE], [2, 3, 2, 2, NONE]]
    got = run(vector, program, [], [0, 3, 3, 2, 1], [x, y], (700,))
    for a, b in zip(got, [x, (x + 3) ** 2, (x + 3) ** 2, x + 3, np.full(700, 3)]):
        np.testing.assert_array_equal(a, b)


def test_in_place_only_while_nobody_reads_the_input_later(vector):
    x = np.arange(700, dtype=np.float32)
    early = [[12, 1, 0, -1, NONE], [2, 2, 1, 0, NONE]]  # the output is written last
    np.testing.assert_array_equal(run(vector, early, [1.0], [2], [x], (700,))[0], (x + 1) * x)
    assert vector.info["aliases"]
    late = [[12, 1, 0, -1, NONE], [2, 2, 1, 0, NONE]]  # the output is written first, x is read after it
    np.testing.assert_array_equal(run(vector, late, [1.0], [1], [x], (700,))[0], x + 1)
    assert not vector.info["aliases"]


def wide(n):
    """n values that all live until the end."""
    program = [[2, 1 + k, 0, -1, NONE] for k in range(n)]
    total = 1
    for k in range(1, n):
        program.append([12, 1 + len(program), total, 1 + k, NONE])
        total = len(program)
    return program


def test_many_live_values(vector):
    x = np.ones(600, np.float32)
    program = wide(40)
    assert run(vector, program, [2.0], [len(program)], [x], (600,))[0].tolist() == [80.0] * 600
    program = wide(60)
    attrs = {"program": [w for i in program for w in i], "constants": [2.0], "outputs": [len(program)]}
    assert "48 values" in vector.check("FusedElementwise", [x], attrs, [((600,), np.float32)])


@pytest.mark.parametrize("program, outputs, reason", [
    ([12, 1, 0, 0], [1], "multiple of 5"), ([], [0], "multiple of 5"), ([12, 2, 0, 0, NONE], [1], "writes value 2"),
    ([12, 1, 0, 1, NONE], [1], "reads value 1"), ([12, 1, 0, -2, NONE], [1], "reads value -2"),
    ([12, 1, 0, 0, NONE], [2], "outputs names value 2"), ([12, 1, 0, 0, NONE], [1, 1], "outputs has 2"),
])  # fmt: skip
def test_bad_programs(vector, program, outputs, reason):
    attrs = {"program": program, "constants": [1.0], "outputs": outputs}
    assert reason in vector.check("FusedElementwise", [np.zeros(3, np.float32)], attrs, [((3,), np.float32)])
