"""Reference kernels that move elements without computing."""

import numpy as np
import pytest
from engine_harness import VIEW, EngineError, Fmt, bfloat16
from engine_oracles import draw, onnx_reference, onnx_runtime

MOVABLE = [np.float32, np.float16, bfloat16, np.float64, np.int8, np.bool_, np.int64, np.uint16, np.complex128]


def same(actual, expected):
    assert actual.shape == expected.shape
    np.testing.assert_array_equal(actual, expected)


def any_type(shape, dtype, seed=0):
    return draw(shape, np.float32, -100, 100, seed).astype(dtype)


VIEWS = {
    "Reshape": [np.array([4, 6], np.int64)],
    "Flatten": [],
    "FlattenV2": [],
    "Squeeze": [],
    "SqueezeV2": [],
    "SqueezeV3": [np.array([1])],
    "Unsqueeze": [],
    "UnsqueezeV2": [],
    "UnsqueezeV3": [np.array([0])],
    "ExpandDims": [np.array(0)],
}


@pytest.mark.parametrize("op", VIEWS)
def test_views(cpu, op):
    for dtype in MOVABLE:
        for before, after in [((2, 1, 3, 4), (4, 6)), ((), (1, 1)), ((0, 3), (3, 0))]:
            x = any_type(before, dtype)
            same(cpu(op, [x, *VIEWS[op]], {}, (after, dtype)), x.reshape(after))
            assert cpu.info["flags"] & VIEW and cpu.info["aliases"] == [(0, 0, 0, 0)]
    with pytest.raises(EngineError, match="output of shape"):
        cpu(op, [np.zeros((2, 3), np.float32), *VIEWS[op]], {}, ((7,), np.float32))


@pytest.mark.parametrize("dtype", MOVABLE, ids=lambda d: np.dtype(d).name)
def test_transpose(cpu, dtype):
    for shape, perm in [((3, 4), [1, 0]), ((2, 3, 4, 5), [0, 2, 3, 1]), ((2, 3, 4), [2, 1, 0]), ((3, 1, 2), [1, 2, 0]),
                        ((), []), ((0, 3), [1, 0]), ((2, 3, 4, 5), [0, 1, 2, 3]), ((40, 500), [-1, 0])]:  # fmt: skip
        x = any_type(shape, dtype)
        want = x.transpose(perm)
        same(cpu("Transpose", [x, np.array(perm, np.int32)], {}, (want.shape, dtype)), want)
        same(cpu("TransposeD", [x], {"perm": perm}, (want.shape, dtype)), want)
        same(cpu("Permute", [x], {"order": perm}, (want.shape, dtype)), want)
    with pytest.raises(EngineError, match=r"perm \[0,0\] does not take"):
        cpu("Transpose", [x, np.array([0, 0])], {}, (x.shape, dtype))


def test_broadcast(cpu):
    for shape, target in [((3, 1), (2, 3, 4)), ((), (2, 2)), ((1, 4), (3, 4)), ((3,), (3,)), ((0, 1), (0, 5))]:
        for dtype in MOVABLE:
            x = any_type(shape, dtype)
            for op in ("Expand", "BroadcastTo"):
                same(cpu(op, [x, np.array(target)], {}, (target, dtype)), np.broadcast_to(x, target))
    # ONNX: the requested shape may be smaller where x is larger.
    x = draw((3, 4))
    same(cpu("Expand", [x, np.array([1, 1, 1])], {}, ((1, 3, 4), np.float32)), x[None])


def test_tile(cpu):
    for shape, times in [((2, 3), (2, 1)), ((2, 3), (1, 4)), ((2,), (3,)), ((2, 3), (0, 2)), ((2, 1, 3), (2, 3, 2))]:
        for dtype in MOVABLE:
            x = any_type(shape, dtype)
            want = np.tile(x, times)
            same(cpu("Tile", [x, np.array(times)], {}, (want.shape, dtype)), want)


def test_reverse(cpu):
    x = draw((3, 4, 5))
    for axes in ([0], [-1], [0, 2], [], [0, 1, 2]):
        same(cpu("ReverseV2", [x, np.array(axes, np.int32)], {}, (x.shape, np.float32)), np.flip(x, axes))
    with pytest.raises(EngineError, match="axis 0 appears twice"):
        cpu("ReverseV2", [x, np.array([0, -3])], {}, (x.shape, np.float32))


def test_reverse_sequence(cpu):
    x = draw((4, 3, 2))
    lengths = np.array([1, 4, 0])
    want = onnx_reference("ReverseSequence", [x, lengths], time_axis=0, batch_axis=1)
    same(cpu("ReverseSequence", [x, lengths], {"seq_dim": 0, "batch_dim": 1}, (x.shape, np.float32)), want)
    with pytest.raises(EngineError, match="sequence length 9 at position 1"):
        cpu("ReverseSequence", [x, np.array([1, 9, 0])], {"seq_dim": 0, "batch_dim": 1}, (x.shape, np.float32))


def test_roll(cpu):
    x = draw((3, 4, 5))
    for shifts, dims in [([1], [0]), ([-2, 7], [1, -1]), ([2], []), ([0], [1]), ([1, 1], [0, 0])]:
        want = np.roll(x, shifts if dims else shifts[0], tuple(dims) if dims else None)
        same(cpu("Roll", [x], {"shifts": shifts, "dims": dims}, (x.shape, np.float32)), want)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, np.int64])
def test_triangles(cpu, dtype):
    for shape in [(4, 6), (2, 5, 3), (0, 3)]:
        x = any_type(shape, dtype)
        for k in (-7, -1, 0, 2, 9, 2**63 - 1, -(2**63)):
            beyond = int(np.clip(k, -9, 9))
            same(cpu("Tril", [x], {"diagonal": k}, (shape, dtype)), np.tril(x, beyond))
            same(cpu("Triu", [x], {"diagonal": k}, (shape, dtype)), np.triu(x, beyond))


def test_repeat_interleave(cpu):
    x = draw((2, 3, 4))
    for repeats, axis in [(np.array([2]), 1), (np.array([1, 0, 3]), 1), (np.array(3), -1), (np.array([2]), 1000)]:
        want = np.repeat(x, repeats, None if axis == 1000 else axis)
        same(cpu("RepeatInterleave", [x, repeats], {"axis": axis}, (want.shape, np.float32)), want)
    with pytest.raises(EngineError, match="repeats add up to 4"):
        cpu("RepeatInterleave", [x, np.array([1, 1, 2])], {"axis": 1}, ((2, 5, 4), np.float32))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_and_split(cpu, axis):
    for dtype in MOVABLE:
        shapes = [[2, 3, 4] for _ in range(3)]
        for shape, n in zip(shapes, (1, 5, 0)):
            shape[axis] = n
        xs = [any_type(s, dtype, i) for i, s in enumerate(shapes)]
        whole = np.concatenate(xs, axis)
        out = (whole.shape, dtype)
        dim = np.array(axis, np.int32)
        same(cpu("ConcatV2", [*xs, dim], {"N": 3}, out), whole)
        same(cpu("Concat", [dim, *xs], {"N": 3}, out), whole)
        same(cpu("ConcatD", xs, {"N": 3, "concat_dim": axis}, out), whole)
        pieces = [(x.shape, dtype) for x in xs]
        sizes = np.array([x.shape[axis] for x in xs])
        for got, x in zip(cpu.run("SplitV", [whole, sizes, dim], {"num_split": 3}, pieces), xs):
            same(got, x)
        halves = np.concatenate([xs[1], xs[1]], axis)
        pieces = [(xs[1].shape, dtype)] * 2
        for op, inputs, attrs in [("Split", [dim, halves], {}), ("SplitD", [halves], {"split_dim": axis})]:
            for got in cpu.run(op, inputs, {"num_split": 2, **attrs}, pieces):
                same(got, xs[1])
    # An output nobody reads is not written.
    assert cpu.run("SplitD", [halves], {"num_split": 2, "split_dim": axis}, [pieces[0], pieces[1]])[0] is not None


def test_concat_and_split_along_the_outside_are_views(cpu):
    a, b = draw((2, 3)), draw((4, 3))
    cpu("ConcatD", [a, b], {"concat_dim": 0}, ((6, 3), np.float32))
    assert cpu.info["flags"] & VIEW and cpu.info["aliases"] == [(1, 0, 0, 0), (1, 1, 0, 24)]
    x = draw((4, 3))
    for got, want in zip(cpu.run("SplitD", [x], {"split_dim": 0, "num_split": 2}, [((2, 3), np.float32)] * 2), (x[:2], x[2:])):
        same(got, want)
    cpu.run("SplitD", [draw((6, 3))], {"split_dim": 0}, [((2, 3), np.float32), ((4, 3), np.float32)])
    assert cpu.info["flags"] & VIEW and cpu.info["aliases"] == [(0, 0, 0, 0), (0, 0, 1, 24)]
    cpu("ConcatD", [a, a], {"concat_dim": 1}, ((2, 6), np.float32))
    assert not cpu.info["flags"] & VIEW
    with pytest.raises(EngineError, match="does not fit"):
        cpu("ConcatD", [a, draw((4, 2))], {"concat_dim": 0}, ((6, 3), np.float32))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_pack_and_unpack(cpu, axis):
    xs = [draw((3, 4), seed=i) for i in range(3)]
    want = np.stack(xs, axis)
    same(cpu("Pack", xs, {"axis": axis, "N": 3}, (want.shape, np.float32)), want)
    for got, x in zip(cpu.run("Unpack", [want], {"axis": axis, "num": 3}, [((3, 4), np.float32)] * 3), xs):
        same(got, x)
    same(cpu("Pack", [np.int32(4), np.int32(5)], {}, ((2,), np.int32)), np.array([4, 5]))


@pytest.mark.parametrize("dtype", MOVABLE, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("shape", [(4, 5, 6), (4,)])
def test_gather(cpu, shape, dtype):
    x = any_type(shape, dtype)
    for indices in (np.array([[3, 0], [1, -1]]), np.array(2), np.zeros((0,), np.int64)):
        for kind in (np.int32, np.int64):
            for axis in (0, 1, -1)[: x.ndim]:
                want = np.take(x, indices, axis)
                got = cpu("GatherV2", [x, indices.astype(kind), np.array([axis])], {}, (want.shape, dtype))
                same(got, want)
        same(cpu("Gather", [x, indices], {}, (np.take(x, indices, 0).shape, dtype)), np.take(x, indices, 0))


def test_gather_with_batch_dims(cpu):
    x, indices = draw((2, 3, 5, 4)), draw((2, 7), np.int32, 0, 4)
    want = np.stack([x[b][:, indices[b]] for b in range(2)])
    same(cpu("GatherV2", [x, indices, np.array([2])], {"batch_dims": 1}, (want.shape, np.float32)), want)
    x = draw((2, 5, 3))
    want = np.stack([x[b][indices[b]] for b in range(2)])
    same(cpu("Gather", [x, indices], {"batch_dims": 1}, (want.shape, np.float32)), want)


def test_index_out_of_range_is_named(cpu):
    x = draw((4, 5))
    message = r"GatherV2: index 4 at position 1 is out of range, expected -4 to 3"
    with pytest.raises(EngineError, match=message):
        cpu("GatherV2", [x, np.array([0, 4]), np.array([0])], {}, ((2, 5), np.float32))
    with pytest.raises(EngineError, match="index -6 at position 1"):
        cpu("GatherNd", [x, np.array([[0, -6]])], {}, ((1,), np.float32))
    with pytest.raises(EngineError, match="index 9 at position 0"):
        cpu("GatherElements", [x, np.full((4, 5), 9)], {"dim": 1}, ((4, 5), np.float32))
    with pytest.raises(EngineError, match="index 7 at position 0"):
        cpu("ScatterNdUpdate", [x, np.array([[7]]), draw((1, 5))], {}, ((4, 5), np.float32))


def test_gather_nd(cpu):
    x = draw((3, 4, 5))
    for indices in ([[0], [2]], [[0, 1], [2, -1]], [[[0, 1, 2]], [[2, 3, 4]]], [[], []]):
        indices = np.array(indices, np.int64)
        want = x[tuple(np.moveaxis(indices, -1, 0))] if indices.size else np.stack([x, x])
        same(cpu("GatherNd", [x, indices], {}, (want.shape, np.float32)), want)


def test_gather_elements(cpu):
    for dtype in MOVABLE:
        x = any_type((3, 4, 5), dtype)
        for axis in (0, 1, 2, -1):
            shape = [2, 3, 4]
            shape[axis] = 6
            index = draw(shape, np.int64, -x.shape[axis], x.shape[axis] - 1)
            same(cpu("GatherElements", [x, index], {"dim": axis}, (tuple(shape), dtype)),
                 np.take_along_axis(x[tuple(slice(s) if i != axis % 3 else slice(None) for i, s in enumerate(shape))],
                                    index, axis))  # fmt: skip


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float16], ids=lambda d: np.dtype(d).name)
def test_scatter_elements(cpu, reduction, dtype):
    data = draw((3, 6), dtype, -9, 9)
    for axis in (0, 1, -1):
        indices = np.array([[0, 2, 1, -1], [1, 0, 2, 0]])
        if reduction == "none":
            indices = np.array([[0, 1, 2, -1], [1, 2, 0, 1]]) if axis == 0 else np.array([[0, 2, 1, -1], [1, 0, 2, 5]])
        updates = draw(indices.shape, dtype, -5, 5, seed=1)
        want = onnx_reference("ScatterElements", [data, indices, updates], axis=axis, reduction=reduction)
        attrs = {"axis": axis, "reduction": reduction}
        same(cpu("ScatterElements", [data, indices, updates], attrs, (data.shape, dtype)), want)


def test_scatter_slices(cpu):
    x = draw((4, 5, 3))
    for indices in ([[0], [2]], [[3, 1], [0, -1]]):
        indices = np.array(indices)
        updates = draw((2, *x.shape[indices.shape[-1] :]), seed=1)
        want = x.copy()
        want[tuple(indices.T)] = updates
        for op in ("ScatterNdUpdate", "TensorScatterUpdate"):
            same(cpu(op, [x, indices, updates], {}, (x.shape, np.float32)), want)
    rows = np.array([[2], [0]], np.int32)
    updates = draw((2, 1, 5, 3), seed=2)
    want = x.copy()
    want[rows[:, 0]] = updates[:, 0]
    same(cpu("ScatterUpdate", [x, rows, updates], {}, (x.shape, np.float32)), want)


def test_scatter_nd_adds(cpu):
    indices, updates = np.array([[1], [3], [1]], np.int32), draw((3, 4))
    want = np.zeros((5, 4), np.float32)
    np.add.at(want, indices[:, 0], updates)
    same(cpu("ScatterNd", [indices, updates, np.array([5, 4], np.int32)], {}, ((5, 4), np.float32)), want)


def test_rows_in_place(cpu):
    for dtype in (np.float32, np.int32, np.int8, np.float16):
        x, v, rows = any_type((5, 2, 3), dtype), any_type((3, 2, 3), dtype), np.array([4, -5, 4], np.int32)
        added, less = x.copy(), x.copy()
        np.add.at(added, rows, v)
        np.subtract.at(less, rows, v)
        same(cpu("InplaceAdd", [x, rows, v], {}, (x.shape, dtype)), added)
        same(cpu("InplaceSub", [x, rows, v], {}, (x.shape, dtype)), less)
        last = x.copy()
        last[4], last[0] = v[2], v[1]
        same(cpu("InplaceUpdate", [x, rows, v], {}, (x.shape, dtype)), last)
    with pytest.raises(EngineError, match="InplaceSub.*index 5 at position 0 is out of range, expected -5 to 4"):
        cpu("InplaceSub", [x, np.array([5], np.int32), v[:1]], {}, (x.shape, dtype))


def test_slice(cpu):
    for dtype in MOVABLE:
        for shape in ((3, 4, 3), (4, 5, 6)):
            x = any_type(shape, dtype)
            want = x[1:3, :, 2:]
            inputs = [x, np.array([1, 0, 2]), np.array([2, shape[1], -1])]
            same(cpu("Slice", inputs, {}, (want.shape, dtype)), want)
            want = x[:, 1:4, :2]
            inputs = [x, np.array([0, 1]), np.array([2, 3])]
            same(cpu("SliceWithAxes", inputs, {"axes": [-1, 1]}, (want.shape, dtype)), want)
    with pytest.raises(EngineError, match="offset 3 and size 2 exceed dimension 0 of extent 4"):
        cpu("Slice", [x, np.array([3, 0, 0]), np.array([2, 5, 6])], {}, ((2, 5, 6), dtype))


@pytest.mark.parametrize("shape", [(4, 5, 6, 7), (4, 5, 1, 3)])
def test_strided_slice(cpu, shape):
    x = draw(shape)
    cases = [
        # begin, end, strides, masks, the same in NumPy
        ([1, 0], [3, 5], [1, 2], {}, np.s_[1:3, 0:5:2]),
        ([-1, 4], [-9, 0], [-1, -2], {}, np.s_[-1:-9:-1, 4:0:-2]),
        ([0, 9], [9, -99], [1, -1], {"begin_mask": 1, "end_mask": 2}, np.s_[:9, 9::-1]),
        ([1, 0, 2], [2, 0, 3], [1, 1, 1], {"ellipsis_mask": 2}, np.s_[1:2, ..., 2:3]),
        ([0, 1, 0], [0, 2, 0], [1, 1, 1], {"new_axis_mask": 5, "shrink_axis_mask": 2}, np.s_[None, 1, None]),
        ([1, 0, -1], [2, 0, 0], [1, 1, 1], {"ellipsis_mask": 2, "shrink_axis_mask": 5}, np.s_[1, ..., -1]),
        ([3, 0], [1, 5], [1, 1], {}, np.s_[3:1]),
    ]
    for begin, end, strides, masks, key in cases:
        want = x[key]
        parts = [np.array(v, np.int32) for v in (begin, end, strides)]
        same(cpu("StridedSlice", [x, *parts], masks, (want.shape, np.float32)), want)
        b, e, s = parts
        same(cpu("StridedSliceV2", [x, b, e, None, s], masks, (want.shape, np.float32)), want)


def test_strided_slice_with_axes(cpu):
    x = draw((4, 5, 6))
    big = np.iinfo(np.int64)
    for starts, ends, axes, steps in [
        ([1], [3], [0], [1]),
        ([0, -2], [big.max, big.min], [-1, 1], [2, -1]),
        ([big.max], [big.min], [2], [-2]),
        ([-100, 5], [100, 2], [0, 1], [3, 1]),
    ]:
        inputs = [np.array(v) for v in (starts, ends, axes, steps)]
        want = onnx_runtime("Slice", [x, *inputs])
        same(cpu("StridedSliceV2", [x, *inputs], {}, (want.shape, np.float32)), want)
    no_steps = [np.array([1]), np.array([3]), np.array([1]), None]
    same(cpu("StridedSliceV2", [x, *no_steps], {}, ((4, 2, 6), np.float32)), x[:, 1:3])


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap", "symmetric"])
@pytest.mark.parametrize("shape, pads", [((3, 4, 5), [(0, 2), (1, 0), (2, 3)]), ((2, 3), [(1, 0), (0, 2)])])
def test_pad(cpu, shape, pads, mode):
    for dtype in MOVABLE:
        x = any_type(shape, dtype)
        want = np.pad(x, pads, mode=mode, **({"constant_values": 0} if mode == "constant" else {}))
        out = (want.shape, dtype)
        pairs, apart = np.array(pads).ravel(), np.array(pads).T.ravel()
        same(cpu("PadV3", [x, pairs, None], {"mode": mode, "paddings_contiguous": True}, out), want)
        same(cpu("PadV3", [x, apart, None], {"mode": mode, "paddings_contiguous": False}, out), want)
        if mode in ("reflect", "symmetric"):
            same(cpu("MirrorPad", [x, np.array(pads)], {"mode": mode.upper()}, out), want)
        if mode == "constant":
            value = np.array(7).astype(dtype)
            filled = np.pad(x, pads, constant_values=value)
            same(cpu("PadV3", [x, pairs, value], {"mode": mode}, out), filled)
            same(cpu("PadV2", [x, np.array(pads), value], {}, out), filled)
            same(cpu("Pad", [x, np.array(pads)], {}, out), want)


def test_negative_padding_and_empty_inputs(cpu):
    x = draw((4, 5))
    pads = np.array([-1, 2, 0, -2])
    want = np.pad(x[1:, :3], [(0, 2), (0, 0)])
    same(cpu("PadV3", [x, pads, None], {}, (want.shape, np.float32)), want)
    empty = np.zeros((0, 2), np.float32)
    same(cpu("PadV3", [empty, np.array([1, 1, 0, 0]), None], {}, ((2, 2), np.float32)), np.zeros((2, 2)))
    scalar = np.float32(3)
    same(cpu("PadV3", [scalar, np.zeros(0, np.int64), None], {}, ((), np.float32)), np.array(3, np.float32))
    assert "mode 'nope' is unknown" in cpu.check("PadV3", [x, pads, None], {"mode": "nope"}, [((5, 3), np.float32)])


def blocked(x, c0):
    n, c, h, w = x.shape
    full = np.zeros((n, -(-c // c0) * c0, h, w), x.dtype)
    full[:, :c] = x
    return np.ascontiguousarray(full.reshape(n, -1, c0, h, w).transpose(0, 1, 3, 4, 2))


@pytest.mark.parametrize("c0", [8, 16])
@pytest.mark.parametrize("channels", [3, 8, 21, 32])
def test_trans_data_blocked(cpu, channels, c0):
    for dtype in (np.float32, np.float16, np.int8):
        x = any_type((2, channels, 3, 5), dtype)
        want = blocked(x, c0)
        origin = ("NCHW", x.shape)
        to = {"src_format": "NCHW", "dst_format": "NC1HWC0"}
        got = cpu("TransData", [Fmt(x, "NCHW")], to, Fmt((want.shape, dtype), "NC1HWC0", origin))
        same(got, want)
        back = {"src_format": "NC1HWC0", "dst_format": "NCHW"}
        same(cpu("TransData", [Fmt(want, "NC1HWC0", origin)], back, Fmt((x.shape, dtype), "NCHW")), x)
        nhwc = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        back["dst_format"] = "NHWC"
        same(cpu("TransData", [Fmt(want, "NC1HWC0", origin)], back, Fmt((nhwc.shape, dtype), "NHWC")), nhwc)


def test_trans_data_plain(cpu):
    x = draw((2, 3, 4, 5))
    formats = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1), "HWCN": (2, 3, 1, 0)}
    for a, pa in formats.items():
        for b, pb in formats.items():
            source, want = (np.ascontiguousarray(x.transpose(p)) for p in (pa, pb))
            attrs = {"src_format": a, "dst_format": b}
            same(cpu("TransData", [Fmt(source, a)], attrs, Fmt((want.shape, np.float32), b)), want)
    spec = [(x.shape, np.float32)]
    assert "FRACTAL_Z" in cpu.check("TransData", [x], {"src_format": "NCHW", "dst_format": "FRACTAL_Z"}, spec)


def test_blocked_tensors_are_refused_elsewhere(cpu):
    x = Fmt(draw((1, 1, 2, 2, 16)), "NC1HWC0", ("NCHW", (1, 16, 2, 2)))
    assert "blocked format" in cpu.check("Relu", [x], {}, [((1, 1, 2, 2, 16), np.float32)])
