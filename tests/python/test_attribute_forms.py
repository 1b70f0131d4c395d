"""Operators with attributes in place of constant inputs, against NumPy."""

import numpy as np
import pytest

import ge
import ge.es.all as es
from ge.error import GeError
from ge.es import GraphBuilder
from ge.graph import DataType

TYPES = {
    "bool": DataType.DT_BOOL,
    "uint8": DataType.DT_UINT8,
    "int32": DataType.DT_INT32,
    "int64": DataType.DT_INT64,
    "float16": DataType.DT_FLOAT16,
    "float32": DataType.DT_FLOAT,
}
RNG = np.random.default_rng(7)
X = RNG.normal(size=(2, 3, 4)).astype(np.float32)
TRUE = X > -0.5
SCORES = RNG.permutation(20).reshape(4, 5).astype(np.float32)
IDS = np.array([2, 0, 2, 1], np.int32)
ROWS = RNG.integers(-5, 6, size=(4, 3)).astype(np.float32)
VOLUME = RNG.normal(size=(1, 2, 4, 6, 3)).astype(np.float32)
IMAGE = RNG.normal(size=(1, 2, 3, 3)).astype(np.float32)


def segments(reduce, start, n=3):
    out = np.full((n, 3), start, np.float32)
    for i, row in zip(IDS, ROWS):
        out[i] = reduce(out[i], row)
    return out


def transposed_convolution(x, w, stride):
    """Every pixel adds its multiple of the filter, images NCHW, filter [in, out, height, width]."""
    n, c, height, width = x.shape
    y = np.zeros((n, w.shape[1], (height - 1) * stride + w.shape[2], (width - 1) * stride + w.shape[3]))
    for i in range(height):
        for j in range(width):
            part = np.einsum("nc,cokl->nokl", x[:, :, i, j], w)
            y[:, :, i * stride : i * stride + w.shape[2], j * stride : j * stride + w.shape[3]] += part
    return y.astype(np.float32)


KERNEL = RNG.normal(size=(2, 3, 2, 2)).astype(np.float32)
LARGEST = np.finfo(np.float32).max

# name: (what makes the node of its inputs, inputs, what NumPy says)
CASES = {
    "ReduceSumD": (lambda x: es.ReduceSumD(x, axes=[0, -1]), [X], X.sum((0, 2))),
    "ReduceSumD, keeping": (lambda x: es.ReduceSumD(x, axes=[1], keep_dims=True), [X], X.sum(1, keepdims=True)),
    "ReduceMeanD": (lambda x: es.ReduceMeanD(x, axes=[1]), [X], X.mean(1)),
    "ReduceMaxD": (lambda x: es.ReduceMaxD(x, axes=[2]), [X], X.max(2)),
    "ReduceMinD": (lambda x: es.ReduceMinD(x, axes=[0, 1]), [X], X.min((0, 1))),
    "ReduceProdD": (lambda x: es.ReduceProdD(x, axes=[2]), [X], X.prod(2)),
    "ReduceAllD": (lambda x: es.ReduceAllD(x, axes=[1]), [TRUE], TRUE.all(1)),
    "ReduceAnyD": (lambda x: es.ReduceAnyD(x, axes=[1], keep_dims=True), [TRUE], TRUE.any(1, keepdims=True)),
    "EuclideanNormD": (lambda x: es.EuclideanNormD(x, axes=[2]), [X], np.sqrt((X * X).sum(2))),
    "CumsumD": (lambda x: es.CumsumD(x, axis=1, reverse=True), [X], X[:, ::-1].cumsum(1)[:, ::-1]),
    "CumprodD": (lambda x: es.CumprodD(x, axis=-1), [X], X.cumprod(-1)),
    "CumulativeLogsumexpD": (lambda x: es.CumulativeLogsumexpD(x, axis=2), [X], np.logaddexp.accumulate(X, 2)),
    "TopKD": (
        lambda x, s: [t for r in [es.TopKD(x, s, k=2)] for t in (r.values, r.indices)],
        [SCORES, np.zeros(10, np.float16)],
        [np.sort(SCORES, 1)[:, :-3:-1], np.argsort(SCORES, 1)[:, :-3:-1].astype(np.int32)],
    ),
    "InTopKD": (
        lambda x, c: es.InTopKD(x, c, k=3),
        [SCORES, IDS],
        (SCORES > SCORES[np.arange(4), IDS][:, None]).sum(1) < 3,
    ),
    "UnsortedSegmentSumD": (lambda x, i: es.UnsortedSegmentSumD(x, i, num_segments=3), [ROWS, IDS], segments(np.add, 0)),
    "UnsortedSegmentProdD": (lambda x, i: es.UnsortedSegmentProdD(x, i, num_segments=3), [ROWS, IDS], segments(np.multiply, 1)),
    "UnsortedSegmentMaxD": (
        lambda x, i: es.UnsortedSegmentMaxD(x, i, num_segments=3),
        [ROWS, IDS],
        segments(np.maximum, -LARGEST),
    ),
    "UnsortedSegmentMinD": (
        lambda x, i: es.UnsortedSegmentMinD(x, i, num_segments=3),
        [ROWS, IDS],
        segments(np.minimum, LARGEST),
    ),
    "ConcatV2D": (lambda a, b: es.ConcatV2D([a, b], concat_dim=1, N=2), [X, X[:, :1]], np.concatenate([X, X[:, :1]], 1)),
    "SplitVD": (
        lambda x: list(es.SplitVD(x, 2, size_splits=[1, 3], split_dim=2, num_split=2)),
        [X],
        [X[..., :1], X[..., 1:]],
    ),
    "TileD": (lambda x: es.TileD(x, multiples=[1, 2, 3]), [X], np.tile(X, (1, 2, 3))),
    "PadD": (lambda x: es.PadD(x, paddings=[[1, 0], [0, 2], [3, 1]]), [X], np.pad(X, [(1, 0), (0, 2), (3, 1)])),
    "PadV2D": (
        lambda x, v: es.PadV2D(x, v, paddings=[[0, 0], [1, 2], [2, 0]]),
        [X, np.array(5, np.float32)],
        np.pad(X, [(0, 0), (1, 2), (2, 0)], constant_values=5),
    ),
    "PadV3D": (
        lambda x: es.PadV3D(x, paddings=[[0, 0], [1, 2], [2, 0]], constant_values=5),
        [X],
        np.pad(X, [(0, 0), (1, 2), (2, 0)], constant_values=5),
    ),
    "PadV3D, int32": (
        lambda x: es.PadV3D(x, paddings=[[1, 1]], constant_values=-3),
        [IDS],
        np.pad(IDS, [(1, 1)], constant_values=-3),
    ),
    "PadV3D, mirrored": (
        lambda x: es.PadV3D(x, paddings=[[0, 0], [1, 1], [2, 2]], mode="reflect"),
        [X],
        np.pad(X, [(0, 0), (1, 1), (2, 2)], mode="reflect"),
    ),
    "StridedSliceD": (
        lambda x: es.StridedSliceD(x, begin=[0, 2, 1], end=[2, 0, 4], strides=[1, -1, 2]),
        [X],
        X[0:2, 2:0:-1, 1:4:2],
    ),
    "StridedSliceD, masks": (
        lambda x: es.StridedSliceD(x, begin=[1, 0], end=[2, 2], strides=[1, 1], begin_mask=2, shrink_axis_mask=1),
        [X],
        X[1, :2],
    ),
    "InplaceAddD": (
        lambda x, v: es.InplaceAddD(x, v, indices=[3, 0, 3]),
        [ROWS, ROWS[:3]],
        np.stack([ROWS[0] + ROWS[1], ROWS[1], ROWS[2], ROWS[3] + ROWS[0] + ROWS[2]]),
    ),
    "InplaceSubD": (
        lambda x, v: es.InplaceSubD(x, v, indices=[2, 1]),
        [ROWS, ROWS[2:]],
        np.stack([ROWS[0], ROWS[1] - ROWS[3], np.zeros(3, np.float32), ROWS[3]]),
    ),
    "InplaceUpdateD": (
        lambda x, v: es.InplaceUpdateD(x, v, indices=[1, 3]),
        [ROWS, ROWS[:2]],
        ROWS[[0, 0, 2, 1]],
    ),
    "ResizeD": (
        lambda x: es.ResizeD(x, sizes=[6, 6], coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        [IMAGE],
        IMAGE.repeat(2, 2).repeat(2, 3),
    ),
    "SliceD": (lambda x: es.SliceD(x, offsets=[0, 1, 2], size=[2, -1, 1]), [X], X[:, 1:, 2:3]),
    "GatherV2D": (
        lambda x, i: es.GatherV2D(x, i, axis=2),
        [X, np.array([[3, 0], [1, 1]], np.int32)],
        X[:, :, [[3, 0], [1, 1]]],
    ),
    "ScatterNdD": (
        lambda i, x: es.ScatterNdD(i, x, shape=[4, 3]),
        [np.array([[1], [3], [1], [0]], np.int32), ROWS],
        np.stack([ROWS[3], ROWS[0] + ROWS[2], np.zeros(3, np.float32), ROWS[1]]),
    ),
    "ReverseV2D": (lambda x: es.ReverseV2D(x, axis=[0, 2]), [X], X[::-1, :, ::-1]),
    "BroadcastToD": (lambda x: es.BroadcastToD(x, shape=[2, 2, 3]), [X[0, :1, :3]], np.broadcast_to(X[0, :1, :3], (2, 2, 3))),
    "FillD": (lambda v: es.FillD(v, dims=[2, 3]), [np.array(7, np.int32)], np.full((2, 3), 7, np.int32)),
    "RangeD": (
        lambda x: es.RangeD(x, start=1.0, limit=3.0, delta=0.5),
        [np.zeros(4, np.float32)],
        np.arange(1, 3, 0.5, np.float32),
    ),
    "RangeD, int32": (
        lambda x: es.RangeD(x, start=2.0, limit=9.0, delta=3.0),
        [np.zeros(3, np.int32)],
        np.arange(2, 9, 3, np.int32),
    ),
    "ResizeNearestNeighborV2D": (
        lambda x: es.ResizeNearestNeighborV2D(x, size=[6, 6]),
        [IMAGE],
        IMAGE.repeat(2, 2).repeat(2, 3),
    ),
    "ResizeBilinearV2D": (
        lambda x: es.ResizeBilinearV2D(x, size=[5, 3], align_corners=True),
        [IMAGE],
        np.stack([IMAGE[:, :, 0], IMAGE[:, :, :2].mean(2), IMAGE[:, :, 1], IMAGE[:, :, 1:].mean(2), IMAGE[:, :, 2]], 2),
    ),
    "AvgPool3DD": (
        lambda x: es.AvgPool3DD(x, ksize=[1, 1, 2, 2, 1], strides=[1, 1, 2, 2, 1], pads=[0] * 6),
        [VOLUME],
        VOLUME.reshape(1, 2, 2, 2, 3, 2, 3).mean((3, 5)),
    ),
    "Conv2DTransposeD": (
        lambda x, w: es.Conv2DTransposeD(
            x, w, input_size=[1, 3, 6, 6], strides=[1, 1, 2, 2], pads=[0, 0, 0, 0], data_format="NCHW"
        ),
        [IMAGE, KERNEL],
        transposed_convolution(IMAGE, KERNEL, 2),
    ),
    "ArgMaxD": (lambda x: es.ArgMaxD(x, dimension=1, dtype=DataType.DT_INT32), [X], X.argmax(1).astype(np.int32)),
    "ArgMinD": (lambda x: es.ArgMinD(x, dimension=2, dtype=DataType.DT_INT32), [X], X.argmin(2).astype(np.int32)),
    "ConcatD": (lambda a, b: es.ConcatD([a, b], concat_dim=-1, N=2), [X, X], np.concatenate([X, X], -1)),
    "ExpandD": (lambda x: es.ExpandD(x, shape=[3, 2, 1, 4]), [X[:, :1]], np.broadcast_to(X[:, :1], (3, 2, 1, 4))),
    "OneHotD": (
        lambda x, on, off: es.OneHotD(x, on, off, depth=4),
        [IDS, np.array(1, np.float32), np.array(0, np.float32)],
        np.eye(4, dtype=np.float32)[IDS],
    ),
    "SplitD": (lambda x: list(es.SplitD(x, 2, split_dim=2, num_split=2)), [X], [X[..., :2], X[..., 2:]]),
    "TransposeD": (lambda x: es.TransposeD(x, perm=[2, 0, 1]), [X], X.transpose(2, 0, 1)),
}


def graph_of(make, values, shapes=None):
    b = GraphBuilder("forms")
    shapes = shapes or [list(v.shape) for v in values]
    inputs = [
        b.create_input(i, name=f"x{i}", data_type=TYPES[v.dtype.name], shape=s) for i, (v, s) in enumerate(zip(values, shapes))
    ]
    made = make(*inputs)
    return b.build_and_reset(made if isinstance(made, list) else [made])


def run(graph, values, **options):
    return list(ge.load(graph, **options).run({f"x{i}": v for i, v in enumerate(values)}).values())


def expect(got, want):
    want = want if isinstance(want, list) else [want]
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert g.dtype == w.dtype and g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("level", ["0", "2"])
@pytest.mark.parametrize("name", CASES)
def test_values(name, level):
    make, values, want = CASES[name]
    expect(run(graph_of(make, values), values, options={"opt_level": level}), want)


@pytest.mark.parametrize("name", ["ReduceSumD", "PadD", "StridedSliceD", "TileD", "ConcatV2D", "TransposeD"])
def test_shapes_that_a_run_brings(name):
    make, values, want = CASES[name]
    model = ge.load(graph_of(make, values, [[-1] * v.ndim for v in values]))
    expect(list(model.run({f"x{i}": v for i, v in enumerate(values)}).values()), want)


def test_a_program_sees_its_own_operator_and_passes_the_sibling():
    b = GraphBuilder("forms")
    x = b.create_input(0, name="x", data_type=DataType.DT_FLOAT, shape=[2, 3, 4])
    graph = b.build_and_reset([es.MatMul(es.TransposeD(es.ReduceSumD(x, axes=[0]), perm=[1, 0]), es.ReduceSumD(x, axes=[0]))])
    seen = [node.type for node in graph.get_all_nodes()]
    assert seen.count("ReduceSumD") == 2 and "TransposeD" in seen
    model = ge.load(graph)
    total = X.sum(0)
    (y,) = model.run({"x": X}).values()
    np.testing.assert_allclose(y, total.T @ total, rtol=1e-5)
    # The transposition became a flag of the product, which passes do for Transpose alone.
    placed = {row["type"] for row in model.placement().data}
    assert placed and not placed & {"ReduceSumD", "TransposeD", "Transpose"}


BAD = {
    "axes": (lambda x: es.ReduceSumD(x, axes=[3]), "ReduceSumD.*axes"),
    "ragged": (
        lambda x: es.PadD(x, paddings=[[1, 1], [0, 0], [0]]),
        "PadD.*attribute paddings has 1 numbers in list 2 and 2 in list 0",
    ),
    "rows": (lambda x: es.PadD(x, paddings=[[1, 1]]), "PadD.*paddings"),
    "large": (lambda x: es.SplitD(x, 2, split_dim=2**40, num_split=2), "SplitD.*split_dim"),
    "perm": (lambda x: es.TransposeD(x, perm=[0, 0, 1]), "TransposeD.*perm"),
    "shape": (lambda x: es.BroadcastToD(x, shape=[2, 5, 4]), "BroadcastToD"),
    "number": (lambda x: es.PadV3D(es.Cast(x, dst_type=1), paddings=[[0, 0]] * 3, mode="nowhere"), "PadV3D.*nowhere"),
    "segments": (
        lambda x: es.UnsortedSegmentSumD(x, es.ReduceSumD(es.Cast(x, dst_type=3), axes=[1, 2]), num_segments=-2),
        "UnsortedSegmentSumD.*num_segments is -2",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_errors_name_operator_and_attribute(name):
    make, message = BAD[name]
    with pytest.raises(GeError, match=message):
        ge.load(graph_of(make, [X]))


def test_rows_out_of_range_are_named():
    x = np.zeros((2, 3), np.float32)
    graph = graph_of(lambda x, v: es.InplaceAddD(x, v, indices=[0, 2]), [x, x])
    with pytest.raises(GeError, match="InplaceAdd.*index 2 at position 1 is out of range"):
        run(graph, [x, x])


@pytest.mark.parametrize("sibling", ["AvgPoolGrad", "StridedSliceAssign"])
def test_a_sibling_without_kernel_is_named(sibling):
    pool = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    slices = {"begin": [0] * 4, "end": [1, 2, 3, 3], "strides": [1] * 4}
    make = {
        "AvgPoolGrad": lambda x: es.AvgPoolGradD(x, orig_input_shape=[1, 4, 6, 3], **pool),
        "StridedSliceAssign": lambda x: es.StridedSliceAssignD(x, x, **slices),
    }
    with pytest.raises(GeError, match=sibling):
        ge.load(graph_of(make[sibling], [IMAGE]))
