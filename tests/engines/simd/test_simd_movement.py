"""Operators that move elements, for every element size, against NumPy."""

import numpy as np
import pytest

TYPES = [np.uint8, np.float16, np.float32, np.int64]


def fill(shape, dtype):
    return (np.arange(int(np.prod(shape)), dtype=np.int64) * 7 % 251).astype(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", TYPES)
def test_transpose_random(vector, dtype):
    rng = np.random.default_rng(0)
    for _ in range(40):
        rank = int(rng.integers(0, 6))
        shape = tuple(int(v) for v in rng.choice([1, 2, 3, 5, 8, 9, 17], rank))
        perm = rng.permutation(rank).astype(np.int64)
        x = fill(shape, dtype)
        expected = x.transpose(perm)
        got = vector.one("Transpose", [x, perm], {}, expected.shape, dtype, constants=(1,))
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape, perm", [((1, 128, 12, 64), (0, 2, 1, 3)), ((1, 128, 12, 64), (0, 2, 3, 1)),
                                         ((257, 130), (1, 0)), ((3, 70, 71), (2, 1, 0)), ((0, 3), (1, 0)),
                                         ((2, 1000, 3), (0, 2, 1)), ((2, 3, 1000), (0, 2, 1))])  # fmt: skip
def test_transpose_large(vector, dtype, shape, perm):
    x = fill(shape, dtype)
    expected = x.transpose(perm)
    got = vector.one("TransposeD", [x], {"perm": list(perm)}, expected.shape, dtype)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_transpose_every_edge(vector, dtype):
    for rows in range(1, 20):
        for cols in range(1, 20):
            x = fill((rows, cols), dtype)
            got = vector.one("TransposeD", [x], {"perm": [1, 0]}, (cols, rows), dtype)
            np.testing.assert_array_equal(got, x.T)


def test_transpose_bad_perm(vector):
    x = fill((2, 3), np.float32)
    for perm, reason in (([0, 0], "twice"), ([0], "expected 2"), ([0, 2], "out of range")):
        assert reason in vector.check("TransposeD", [x], {"perm": perm}, [((2, 3), np.float32)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_concat_and_split(vector, dtype, axis):
    shapes = [[4, 5, 6] for _ in range(4)]
    for shape, n in zip(shapes, (1, 0, 33, 7)):
        shape[axis] = n
    parts = [fill(s, dtype) for s in shapes]
    whole = np.concatenate(parts, axis)
    at = np.array(axis, np.int32)
    got = vector.one("ConcatV2", [*parts, at], {}, whole.shape, dtype, constants=(4,))
    np.testing.assert_array_equal(got, whole)
    sizes = np.array([1, 0, 33, 7], np.int64)
    outputs = [(tuple(s), dtype) for s in shapes]
    for a, b in zip(vector.run("SplitV", [whole, sizes, at], {"num_split": 4}, outputs, (1, 2)), parts):
        np.testing.assert_array_equal(a, b)
    if axis in (0, -3):
        assert {k for k, *_ in vector.info["aliases"]} == {0} and vector.info["flags"] & 1


@pytest.mark.parametrize("dtype", TYPES)
def test_slice_random(vector, dtype):
    rng = np.random.default_rng(1)
    for _ in range(60):
        rank = int(rng.integers(1, 5))
        shape = tuple(int(v) for v in rng.choice([1, 3, 8, 17, 70], rank))
        x = fill(shape, dtype)
        axes = sorted(int(a) for a in rng.choice(rank, int(rng.integers(1, rank + 1)), replace=False))
        steps = [int(s) for s in rng.choice([-3, -2, -1, 1, 2, 3], len(axes))]
        begin = [int(rng.integers(-shape[a] - 2, shape[a] + 2)) for a in axes]
        end = [int(rng.choice([-(2**62), 2**62, *rng.integers(-shape[a], shape[a] + 1, 1)])) for a in axes]
        index = [slice(None)] * rank
        for a, b, e, s in zip(axes, begin, end, steps):
            index[a] = slice(b, e, s)
        expected = x[tuple(index)]
        inputs = [x, *(np.array(v, np.int64) for v in (begin, end, axes, steps))]
        got = vector.one("StridedSliceV2", inputs, {}, expected.shape, dtype, constants=(1, 2, 3, 4))
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape, out", [((3, 1), (3, 70)), ((1, 70), (3, 70)), ((70,), (4, 3, 70)), ((), (2, 3)),
                                        ((2, 1, 5, 1), (2, 9, 5, 6)), ((3, 4), (3, 4)), ((1,), (0,))])  # fmt: skip
def test_expand(vector, dtype, shape, out):
    x = fill(shape, dtype)
    got = vector.one("Expand", [x, np.array(out, np.int64)], {}, out, dtype, constants=(1,))
    np.testing.assert_array_equal(got, np.broadcast_to(x, out))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("times", [(1, 1, 1), (2, 1, 1), (1, 3, 1), (1, 1, 4), (2, 3, 4), (2, 0, 1)])
def test_tile(vector, dtype, times):
    x = fill((2, 3, 5), dtype)
    expected = np.tile(x, times)
    got = vector.one("Tile", [x, np.array(times, np.int64)], {}, expected.shape, dtype, constants=(1,))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (1, 2, 3, 4), (0, 5, 0, 0), (-1, 2, 0, -1), (3, 0, 0, 0)])
def test_pad(vector, dtype, pads):
    x = fill((4, 6), dtype)
    before, after = np.array(pads[:2]), np.array(pads[2:])
    inner = x[max(-before[0], 0) : 4 + min(after[0], 0), max(-before[1], 0) : 6 + min(after[1], 0)]
    for value in (0, 3):
        widths = [(max(int(b), 0), max(int(a), 0)) for b, a in zip(before, after)]
        expected = np.pad(inner, widths, constant_values=value)
        inputs = [x, np.array(pads, np.int64), np.array(value, dtype)]
        attrs = {"mode": "constant", "paddings_contiguous": False}
        got = vector.one("PadV3", inputs, attrs, expected.shape, dtype, constants=(1, 2))
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_gather(vector, dtype, index_type):
    x = fill((5, 6, 7), dtype)
    for axis in range(-3, 3):
        n = x.shape[axis]
        for index in (np.array(1), np.array([0, n - 1, -1, -n]), np.zeros((2, 0), int), np.array([[2, 3], [1, 0]])):
            index = index.astype(index_type)
            expected = np.take(x, index, axis)
            got = vector.one("GatherV2", [x, index, np.array(axis)], {}, expected.shape, dtype, constants=(2,))
            np.testing.assert_array_equal(got, expected)


def test_gather_bad_index(vector):
    x = fill((5, 6), np.float32)
    for bad in (5, -6, 2**40):
        inputs = [x, np.array([0, bad], np.int64), np.array(0)]
        message = vector.check("GatherV2", inputs, {}, [((2, 6), np.float32)], (2,))
        assert str(bad) in message and "position 1" in message


@pytest.mark.parametrize(
    "type, inputs, constants, outputs",
    [
        # The output is smaller or larger than the parts, or has another rank: a graph may say so where inference is silent.
        ("ConcatD", [(2, 3), (2, 3)], (), [(3, 3)]),
        ("ConcatD", [(2, 3), (3,)], (), [(4, 3)]),
        ("ConcatV2", [(2, 3), (2, 4), np.int64(0)], (2,), [(4, 3)]),
        ("SplitD", [(4, 3)], (), [(4, 3), (4, 3)]),
        ("SplitD", [(4, 3)], (), [(2, 3), (6,)]),
        ("StridedSliceV2", [(4, 3), np.int64([3, 0]), np.int64([9, 3])], (1, 2), [(6, 3)]),
        ("Slice", [(4, 3), np.int64([3, 0]), np.int64([6, 3])], (1, 2), [(6, 3)]),
        ("PadV3", [(2, 3), np.int64([5, 0, 0, 0])], (1,), [(2, 3)]),
        ("PadV3", [(2, 3), np.int64([5, 0])], (1,), [(7, 3)]),
        ("Expand", [(4, 3), np.int64([3])], (1,), [(3,)]),
        ("Expand", [(4, 3), np.int64([2, 3])], (1,), [(2, 3)]),
        ("Tile", [(4, 3), np.int64([2**62, 1])], (1,), [(4, 3)]),
    ],
)
def test_shapes_that_contradict_one_another_are_refused(vector, type, inputs, constants, outputs):
    attrs = {"concat_dim": 0, "split_dim": 0, "num_split": 2, "N": 2}
    values = [fill(x, np.float32) if isinstance(x, tuple) else x for x in inputs]
    assert vector.check(type, values, attrs, [(o, np.float32) for o in outputs], constants)
