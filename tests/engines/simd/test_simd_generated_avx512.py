"""The code that is generated for AVX-512, as machine.py runs it, against NumPy: on processors that have no AVX-512, too."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from machine import DATA, ROWS, Machine
from test_simd_fused import BINARY, NONE, TERNARY, UNARY, assert_close, interpret, random_program

BUILD = Path(os.environ.get("GE_BUILD_DIR", Path(__file__).resolve().parents[3] / "build/release"))
DENSE, ONE, VECTOR = 0, 1, 2
RECORDED = [op for op in [*BINARY, *UNARY, *TERNARY] if op != 35]  # a logarithm has no code of its own


def generate(path, program, constants, outputs, access):
    words = [16, len(access), len(constants), len(outputs), len(program), *access, *constants, *outputs]
    words += [w for instruction in program for w in instruction]
    done = subprocess.run([BUILD / "tests/generated_code"], input=" ".join(str(w) for w in words).encode(), capture_output=True)
    if done.returncode == 0:
        path.write_bytes(done.stdout)
    return done.stderr.decode()


def run(path, rows, columns, inputs, outputs):
    """Rows of the output; inputs of rows, of one value or of one vector each."""
    machine, place = Machine(path), DATA
    call, results = [rows, 4 * columns], []
    for x in inputs:
        data = np.ascontiguousarray(x, np.float32)
        machine.write(place, data)
        call += [place, data.nbytes // rows]
        place += data.nbytes + 64
    for _ in range(outputs):
        results.append(place)
        machine.write(place, np.full(rows * columns + 16, 7, np.float32))
        call += [place, 4 * columns]
        place += 4 * rows * columns + 64
    machine.write(ROWS, np.array(call, np.int64))
    machine.run()
    for at in results:
        assert (machine.read(at + 4 * rows * columns, 16, np.float32) == 7).all(), "writes behind the output"
    return [machine.read(at, rows * columns, np.float32).reshape(rows, columns) for at in results]


def check(tmp_path, program, constants, outputs, access, rows, columns, rng, low=-1.0, high=1.0):
    inputs = [rng.uniform(low, high, (rows, {DENSE: columns, ONE: 1, VECTOR: 16}[way])).astype(np.float32) for way in access]
    assert generate(tmp_path / "code", program, constants, outputs, access) == ""
    got = run(tmp_path / "code", rows, columns, inputs, len(outputs))
    whole = [np.tile(x, (1, -(-columns // 16)))[:, :columns] if way == VECTOR else x for x, way in zip(inputs, access)]
    expected = interpret(program, constants, outputs, whole, (rows, columns))
    assert_close(got, expected)


@pytest.mark.parametrize("op", RECORDED)
def test_every_instruction(tmp_path, op):
    count = 1 if op in UNARY else 2 if op in BINARY else 3
    program = [[op, count, *range(count), *[NONE] * (3 - count)]]
    rng = np.random.default_rng(op)
    check(tmp_path, program, [], [count], [DENSE] * count, 2, 37, rng, -3.0, 3.0)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(tmp_path, seed):
    """Rows of every length beside whole vectors, inputs that move in every way, several outputs."""
    rng = np.random.default_rng(seed)
    access = [int(rng.integers(0, 3)) for _ in range(int(rng.integers(1, 5)))]
    constants = [float(c) for c in rng.uniform(-1, 1, 3).astype(np.float32)]
    program = random_program(rng, len(access), int(rng.integers(1, 12)), 3)
    last = len(access) + len(program) - 1
    outputs = [last] + [int(rng.integers(0, last)) for _ in range(int(rng.integers(0, 3)))]
    check(tmp_path, program, constants, outputs, access, int(rng.integers(1, 4)), int(rng.integers(1, 150)), rng)


def test_more_values_than_registers(tmp_path):
    """Forty values that are all needed at the end lie on the stack in part."""
    program = [[2, 1 + k, 0, -1 - k, NONE] for k in range(40)]
    program += [[12, 41 + k, 40 if k == 0 else 40 + k, 1 + k, NONE] for k in range(39)]
    constants = [round(0.5 + 0.01 * k, 2) for k in range(40)]
    check(tmp_path, program, constants, [79], [DENSE], 2, 50, np.random.default_rng(0))


def test_more_inputs_than_registers_to_point_at_them(tmp_path):
    program = [[12, 11 + k, 10 + k if k else 0, 1 + k, NONE] for k in range(10)]
    assert "registers to point" in generate(tmp_path / "code", program, [], [20], [DENSE] * 11)
