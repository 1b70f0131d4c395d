"""Resizing, normalisations of maps, sampling, boxes, order and elements by index, against ONNX Runtime, ONNX's reference
evaluator and NumPy."""

import numpy as np
import pytest
from engine_harness import EngineError
from engine_oracles import close, draw, onnx_reference, onnx_runtime

RULES = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resize(vector, mode, rule):
    none = np.zeros(0, np.float32)
    for shape, factors in [((1, 2, 5, 6), (2.0, 3.0)), ((2, 1, 9, 7), (0.7, 0.5)), ((1, 3, 4, 5), (1.0, 2.7)),
                           ((1, 1, 3, 40), (1.3, 130.0)), ((1, 2, 30, 3), (2.0, 1.0))]:  # fmt: skip
        x, scales = draw(shape), np.array([1, 1, *factors], np.float32)
        for nearest in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"] if mode == "nearest" else ["floor"]:
            attrs = dict(mode=mode, coordinate_transformation_mode=rule, nearest_mode=nearest)
            want = onnx_runtime("Resize", [x, none, scales], opset=19, **attrs)
            got = vector.one("Resize", [x, none, scales], attrs, want.shape, constants=(2,))
            close(got, want, scale=20)
    x, sizes = draw((1, 2, 5, 6)), np.array([1, 2, 8, 7])
    attrs = dict(mode=mode, coordinate_transformation_mode=rule)
    want = onnx_runtime("Resize", [x, None, None, sizes], opset=19, **attrs)
    close(vector.one("Resize", [x, None, None, sizes], attrs, want.shape), want, scale=20)
    if mode == "cubic":
        return  # ONNX Runtime resizes no lines so
    line = draw((2, 3, 10))
    want = onnx_runtime("Resize", [line, None, np.array([1, 1, 2.5], np.float32)], opset=19, **attrs)
    close(
        vector.one("Resize", [line, None, np.array([1, 1, 2.5], np.float32)], attrs, want.shape, constants=(2,)), want, scale=20
    )


def test_resize_cubic_options(vector):
    x, scales = draw((1, 1, 6, 7)), np.array([1, 1, 1.7, 0.6], np.float32)
    attrs = dict(mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1)
    want = onnx_runtime("Resize", [x, np.zeros(0, np.float32), scales], opset=19, **attrs)
    close(vector.one("Resize", [x, None, scales], attrs, want.shape, constants=(2,)), want, scale=20)
    axes = dict(mode="linear", axes=[3, 2])
    want = onnx_runtime("Resize", [x, None, scales[2:]], opset=19, **axes)
    close(vector.one("Resize", [x, None, scales[2:]], axes, want.shape, constants=(2,)), want, scale=20)


def test_resize_refusals(vector):
    x, scales = draw((1, 2, 4, 4)), np.array([1, 1, 2, 2], np.float32)

    def why(attrs, y=(1, 2, 8, 8), scales=scales, constants=(2,)):
        return vector.check("Resize", [x, np.zeros(0, np.float32), scales], attrs, [(y, np.float32)], constants)

    assert why({"mode": "linear"}) is None
    assert "antialias" in why({"mode": "linear", "antialias": 1})
    assert "mode area is unknown" in why({"mode": "area"})
    assert "tf_crop_and_resize" in why({"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"})
    assert "other axes" in why({"mode": "linear"}, (1, 4, 8, 8))
    assert "not a constant" in why({"mode": "linear"}, constants=())
    assert "one value for each axis" in why({"mode": "linear"}, scales=scales[:3])
    assert "not positive" in why({"mode": "linear"}, scales=scales * np.float32(np.nan))


@pytest.mark.parametrize("shape", [(2, 12, 5, 7), (1, 6, 3000), (3, 4, 2, 3, 5), (2, 8, 1)])
def test_group_and_instance_norm(vector, shape):
    x, channels = draw(shape) + np.float32(3), shape[1]
    gamma, beta = draw((channels,), seed=1), draw((channels,), seed=2)
    along = (1, channels, *[1] * (len(shape) - 2))
    for groups in (1, 2, channels):
        rows = x.astype(np.float64).reshape(shape[0] * groups, -1)
        mean, variance = rows.mean(1), rows.var(1)
        want = ((rows - mean[:, None]) / np.sqrt(variance[:, None] + 1e-5)).reshape(shape)
        want = want * gamma.reshape(along) + beta.reshape(along)
        statistics = [((shape[0], groups), np.float32)] * 2
        got = vector.run("GroupNorm", [x, gamma, beta], {"num_groups": groups, "eps": 1e-5}, [(shape, np.float32), *statistics])
        close(got[0], want, scale=20)
        close(got[1].ravel(), mean, scale=5)
        close(got[2].ravel(), 1 / np.sqrt(variance + 1e-5), scale=20)
    attrs = {"data_format": "NCHW", "epsilon": 1e-5}
    statistics = [((*shape[:2], *[1] * (len(shape) - 2)), np.float32)] * 2
    got = vector.run("InstanceNorm", [x, gamma, beta], attrs, [(shape, np.float32), *statistics])
    close(got[0], want, scale=20)
    close(got[2].ravel(), variance, scale=20)


def test_norm_of_large_constants(vector):
    """Nothing but the rounding of the mean would be left of a row without variance."""
    x = np.full((1, 2, 100), 12345.678, np.float32)
    got = vector.one("InstanceNorm", [x, np.ones(2, np.float32), np.zeros(2, np.float32)], {"data_format": "NCHW"}, x.shape)
    np.testing.assert_allclose(got, 0, atol=1e-5)


def test_norm_refusals(vector):
    x, p = draw((1, 6, 4)), draw((6,))
    assert "do not divide into 4 groups" in vector.check("GroupNorm", [x, p, p], {"num_groups": 4}, [(x.shape, np.float32)])
    assert "other than 6 values" in vector.check("GroupNorm", [x, p[:3], p], {"num_groups": 3}, [(x.shape, np.float32)])
    last = {"data_format": "NDHWC"}
    assert "channels last" in vector.check("InstanceNorm", [x, p, p], last, [(x.shape, np.float32)])


@pytest.mark.parametrize("beta", [0.75, 0.5, 1.3])
def test_lrn(vector, beta):
    for shape, size in [((2, 7, 3, 5), 5), ((1, 3, 50, 41), 3), ((1, 1, 2, 2), 7)]:
        x = draw(shape)
        around = [slice(max(0, c - size // 2), c + size // 2 + 1) for c in range(shape[1])]
        squares = np.stack([(x[:, at].astype(np.float64) ** 2).sum(1) for at in around], 1)
        want = x / (1.5 + 0.3 / size * squares) ** beta
        attrs = {"depth_radius": size // 2, "alpha": 0.3 / size, "beta": beta, "bias": 1.5}
        close(vector.one("LRN", [x], attrs, shape), want, scale=20)
    assert "norm_region" in vector.check("LRN", [x], {"norm_region": "WITHIN_CHANNEL"}, [(x.shape, np.float32)])


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("align", [0, 1])
def test_grid_sample(vector, mode, padding, align):
    for shape, out in [((2, 3, 5, 4), (6, 7)), ((1, 2, 1, 3), (2, 300)), ((1, 1, 8, 8), (1, 1))]:
        x, grid = draw(shape), draw((shape[0], *out, 2), low=-1.7, high=1.7, seed=1)
        want = onnx_runtime("GridSample", [x, grid], opset=16, mode=mode, padding_mode=padding, align_corners=align)
        attrs = {"interpolation_mode": mode, "padding_mode": padding, "align_corners": bool(align)}
        close(vector.one("GridSample", [x, grid], attrs, want.shape), want, scale=20)


def test_grid_sample_far_outside(vector):
    x, grid = draw((1, 1, 3, 3)), np.array([[[[1e30, 0], [-np.inf, 0], [0, 5], [np.nan, 0]]]], np.float32)
    got = vector.one("GridSample", [x, grid], {"padding_mode": "zeros"}, (1, 1, 1, 4))
    np.testing.assert_array_equal(got[..., :3], 0)
    assert np.isnan(got[..., 3]).all()
    assert "bicubic" in vector.check("GridSample", [x, grid], {"interpolation_mode": "bicubic"}, [((1, 1, 1, 4), np.float32)])
    assert "do not fit" in vector.check("GridSample", [x, grid], {}, [((1, 1, 2, 2), np.float32)])


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("end, transform", [(0, "output_half_pixel"), (2, "half_pixel")])
@pytest.mark.parametrize("samples", [0, 1, 5])
@pytest.mark.parametrize("shape", [(2, 5, 12, 9), (2, 8, 12, 9), (2, 21, 5, 3), (2, 35, 40, 41)])
def test_roi_align(vector, shape, mode, end, transform, samples):
    """Of features as they are (few channels, or more pixels than are read), and turned to channels last."""
    x = draw(shape)
    rois = np.array([[0, 1, 2, 8, 11], [1, -3, -2, 6, 5], [0, 5, 5, 30, 40], [1, 2, 2, 2.5, 2.5]], np.float32)
    want = onnx_runtime("RoiAlign", [x, rois[:, 1:], rois[:, 0].astype(np.int64)], opset=16, mode=mode, output_height=3,
                        output_width=4, sampling_ratio=samples, spatial_scale=0.75,
                        coordinate_transformation_mode=transform)  # fmt: skip
    attrs = {"spatial_scale": 0.75, "pooled_height": 3, "pooled_width": 4, "sample_num": samples, "roi_end_mode": end,
             "pool_mode": mode}  # fmt: skip
    close(vector.one("ROIAlign", [x, rois], attrs, want.shape), want, scale=20)


@pytest.mark.parametrize("channels", [5, 19])
@pytest.mark.parametrize("mode", ["avg", "max"])
def test_roi_align_reads_no_pixel_that_does_not_count(vector, mode, channels):
    """Samples that lie on pixels: those beside and below count nothing, and may hold anything."""
    x = np.full((1, channels, 4, 6), np.nan, np.float32)
    x[:, :, 1, 2] = draw((1, channels))
    rois = np.array([[0, 2, 1, 2, 1]] * 9, np.float32)
    attrs = {"spatial_scale": 1.0, "pooled_height": 1, "pooled_width": 1, "sample_num": 2, "roi_end_mode": 2, "pool_mode": mode}
    got = vector.one("ROIAlign", [x, rois + np.float32([0, 0.5, 0.5, 0.5, 0.5])], attrs, (9, channels, 1, 1))
    want = x[0, :, 1, 2] if mode == "avg" else np.maximum(x[0, :, 1, 2], 0)
    np.testing.assert_allclose(got[:, :, 0, 0], np.broadcast_to(want, (9, channels)), rtol=1e-6)


def test_roi_align_refusals(vector):
    x, attrs = draw((2, 1, 4, 4)), {"spatial_scale": 1.0, "pooled_height": 1, "pooled_width": 1, "roi_end_mode": 0}
    for rois, message in [([2, 0, 0, 1, 1], r"in image 2(\.0*)?, there are 2"), ([0, 0, 0, 1e9, 1], "the limit is 4096"),
                          ([np.nan, 0, 0, 1, 1], "in image nan")]:  # fmt: skip
        with pytest.raises(EngineError, match=message):
            vector.one("ROIAlign", [x, np.array([rois], np.float32)], attrs, (1, 1, 1, 1))


@pytest.mark.parametrize("centre", [0, 1])
@pytest.mark.parametrize("most", [3, 1000])
def test_non_max_suppression(vector, most, centre):
    rng = np.random.default_rng(most)
    corners = rng.uniform(0, 1, (2, 60, 2)).astype(np.float32)
    boxes = np.concatenate([corners, corners + rng.uniform(-0.3, 0.3, corners.shape)], 2).astype(np.float32)
    if centre:
        boxes[..., 2:] = np.abs(boxes[..., 2:])
    scores = rng.choice(np.linspace(0, 1, 40), (2, 3, 60)).astype(np.float32)
    limit, overlap, least = np.array([most]), np.array([0.3], np.float32), np.array([0.2], np.float32)
    want = onnx_runtime("NonMaxSuppression", [boxes, scores, limit, overlap, least], opset=11, center_point_box=centre)
    got = vector.run("NonMaxSuppressionV6", [boxes, scores, limit, overlap, least], {"center_point_box": centre},
                     [(want.shape, np.int64)])[0]  # fmt: skip
    np.testing.assert_array_equal(got, want)
    got = vector.run("NonMaxSuppressionV6", [boxes, scores, limit.astype(np.int32), overlap, least],
                     {"center_point_box": centre, "max_boxes_size": 4}, [((4, 3), np.int32)])[0]  # fmt: skip
    assert got.shape == (4, 3)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("largest", [True, False])
def test_top_k(vector, index, largest):
    rng = np.random.default_rng(0)
    for rows, n, k in [
        (3, 1, 1),
        (2, 7, 7),
        (1, 5000, 3),
        (4, 900, 400),
        (2, 3000, 3000),
        (2, 10, 0),
        (3, 4001, 20),
        (2, 70000, 1),
        (4, 255, 5),
        (4, 256, 5),
        (5, 300, 32),
        (5, 1000, 33),
    ]:
        x = rng.integers(-50, 50, (rows, n)).astype(np.float32)
        if n == 300:  # columns that have nothing but NaN, and a row that has
            x[1:, 64:] = np.where(np.arange(n - 64) % 64 < 40, np.nan, x[1:, 64:])
            x[2] = np.nan
        x[x == 7] = -0.0
        if n > 5:
            x[0, 5] = np.nan
            x[-1, 2] = np.inf
        order = np.lexsort((np.arange(n)[None].repeat(rows, 0), np.where(np.isnan(x), np.inf, x) * (-1 if largest else 1),
                            np.isnan(x) != largest if largest else np.isnan(x)), axis=1)[:, :k]  # fmt: skip
        got = vector.run(
            "TopKV2", [x, np.array(k, np.int32)], {"largest": largest}, [((rows, k), np.float32), ((rows, k), index)]
        )
        np.testing.assert_array_equal(got[1], order)
        np.testing.assert_array_equal(got[0], np.take_along_axis(x, order, 1))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
def test_cumsum(vector, dtype):
    for shape in [(5,), (3, 4, 5), (2, 3, 600), (4, 0)]:
        x = draw(shape, dtype)
        for axis in range(-len(shape), len(shape)):
            for reverse in (False, True):
                for exclusive in (False, True):
                    want = onnx_reference("CumSum", [x, np.array(axis)], reverse=int(reverse), exclusive=int(exclusive))
                    attrs = {"reverse": reverse, "exclusive": exclusive}
                    got = vector.one("Cumsum", [x, np.array(axis)], attrs, shape, dtype, constants=(1,))
                    close(got, want, scale=20)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_gather_elements_and_nd(vector, dtype, index):
    rng = np.random.default_rng(0)
    x = draw((4, 5, 6), dtype)
    for axis in (0, 1, 2, -1):
        shape = [4, 5, 6]
        shape[axis] = 9
        at = rng.integers(-x.shape[axis], x.shape[axis], shape).astype(index)
        want = np.take_along_axis(x, at, axis)
        got = vector.one("GatherElements", [x, at], {"dim": axis}, want.shape, dtype)
        np.testing.assert_array_equal(got, want)
    for depth in (1, 2, 3):
        at = np.stack([rng.integers(-n, n, (3, 7)) for n in x.shape[:depth]], -1).astype(index)
        want = x[tuple(np.moveaxis(at, -1, 0))]
        np.testing.assert_array_equal(vector.one("GatherNd", [x, at], {}, want.shape, dtype), want)
    with pytest.raises(EngineError, match="index 4 at position 1 is out of range, expected -4 to 3"):
        vector.one("GatherNd", [x, np.array([[0], [4]], index)], {}, (2, 5, 6), dtype)
    with pytest.raises(EngineError, match="index -5 at position 0 is out of range"):
        vector.one("GatherElements", [x, np.full((1, 1, 1), -5, index)], {"dim": 0}, (1, 1, 1), dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter_elements(vector, dtype, reduction):
    rng = np.random.default_rng(0)
    data = draw((4, 5, 6), dtype)
    combine = {"none": lambda a, b: b, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[reduction]
    for axis in (0, 1, 2, -1):
        shape = [3, 4, 5]
        shape[axis] = 8
        at = rng.integers(-data.shape[axis], data.shape[axis], shape)
        updates = draw(shape, dtype, seed=1)
        want = data.copy()
        for place in np.ndindex(*shape):
            to = list(place)
            to[axis] = at[place]
            want[tuple(to)] = combine(want[tuple(to)], updates[place])
        attrs = {"axis": axis, "reduction": reduction}
        if reduction == "mul" and dtype != np.float32:
            assert "products of integers" in vector.check("ScatterElements", [data, at, updates], attrs, [(data.shape, dtype)])
            continue
        got = vector.one("ScatterElements", [data, at, updates], attrs, data.shape, dtype)
        close(got, want, scale=5)
    with pytest.raises(EngineError, match="index 6 at position 0 is out of range"):
        vector.one("ScatterElements", [data, np.full((1, 1, 1), 6), updates[:1, :1, :1]], {"axis": 2}, data.shape, dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64])
def test_mirror_pad(vector, dtype):
    x = draw((2, 3, 4, 5), dtype)
    pads = [(0, 0), (1, 0), (2, 3), (3, 4)]
    flat = np.array(pads).ravel()
    for mode, name in [("reflect", "reflect"), ("edge", "edge"), ("wrap", "wrap"), ("symmetric", "symmetric")]:
        want = np.pad(x, pads, name)
        got = vector.one("PadV3", [x, flat, None], {"mode": mode}, want.shape, dtype, constants=(1,))
        np.testing.assert_array_equal(got, want)
    got = vector.one("PadV3", [x, np.array(pads).T.ravel(), None], {"mode": "reflect", "paddings_contiguous": False},
                     want.shape, dtype, constants=(1,))  # fmt: skip
    np.testing.assert_array_equal(got, np.pad(x, pads, "reflect"))
    got = vector.one("MirrorPad", [x, flat], {"mode": "SYMMETRIC"}, want.shape, dtype, constants=(1,))
    np.testing.assert_array_equal(got, np.pad(x, pads, "symmetric"))
    cut = np.array([0, 0, -1, 0, 1, -2, 0, 0])
    got = vector.one("PadV3", [x, cut, None], {"mode": "edge"}, (2, 2, 3, 5), dtype, constants=(1,))
    np.testing.assert_array_equal(got, np.pad(x, [(0, 0), (0, 0), (1, 0), (0, 0)], "edge")[:, 1:, :3])
    assert "do not take 5 to 6" in vector.check("PadV3", [x, flat * 0], {"mode": "edge"}, [((2, 3, 4, 6), dtype)], (1,))


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize("last", [False, True])
def test_blocks_of_pixels(vector, dtype, last):
    for b, c, h, w in [(2, 3, 4, 5), (2, 2, 3, 37), (3, 2, 5, 17), (1, 4, 2, 2)]:
        depth = draw((2, c * b * b, h, w), dtype)
        for mode in ("DCR", "CRD"):
            want = onnx_reference("DepthToSpace", [depth], blocksize=b, mode=mode)
            attrs = {"block_size": b, "mode": mode, "data_format": "NHWC" if last else "NCHW"}
            move = (lambda v: np.ascontiguousarray(np.moveaxis(v, 1, -1))) if last else (lambda v: v)
            got = vector.one("DepthToSpace", [move(depth)], attrs, move(want).shape, dtype)
            np.testing.assert_array_equal(got, move(want))
        space = draw((2, c, h * b, w * b), dtype)
        want = onnx_reference("SpaceToDepth", [space], blocksize=b)
        attrs = {"block_size": b, "data_format": "NHWC" if last else "NCHW"}
        np.testing.assert_array_equal(vector.one("SpaceToDepth", [move(space)], attrs, move(want).shape, dtype), move(want))
    bad = {"block_size": 2, "data_format": "NCHW"}
    assert "block_size 2 does not take" in vector.check("SpaceToDepth", [space], bad, [((2, 4, 1, 1), dtype)])


def test_arg_max_of_any_axis(vector):
    x = np.round(draw((3, 7, 600)) * 4)
    x[0, 3, 5], x[0, 5, 5] = np.nan, np.nan
    for axis in range(-3, 3):
        for dtype in (np.int32, np.int64):
            want = np.argmax(x, axis)
            got = vector.one("ArgMaxV2", [x, np.array(axis)], {}, want.shape, dtype, constants=(1,))
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.float16, np.float32, np.int64])
def test_fill(vector, dtype):
    for shape in [(), (3, 5), (0, 4), (300, 701)]:
        value = draw((), dtype)
        got = vector.one("Fill", [np.array(shape, np.int64), value], {}, shape, dtype)
        np.testing.assert_array_equal(got, np.full(shape, value))
    many = [((2,), np.float32)]
    assert "not one value" in vector.check("Fill", [np.array([2]), np.zeros(2, np.float32)], {}, many)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("ordered", [True, False])
def test_unique(vector, dtype, ordered):
    for shape in [(40,), (5, 8), (1,), (0,)]:
        x = draw(shape, dtype, low=-3, high=3)
        if dtype == np.float32:
            x = np.round(x * 2) / 2 * np.float32(-1)  # with zeros of both signs
            if x.size > 3:
                x.flat[[1, 3]] = np.nan
        values, first, inverse, counts = np.unique(x.ravel(), return_index=True, return_inverse=True, return_counts=True)
        order = np.arange(len(first)) if ordered else np.argsort(first, kind="stable")
        n, none = len(values), np.zeros(0, np.int64)
        outputs = [((n,), dtype), ((n,), np.int64), ((n,), np.int32), ((x.size,), np.int64)]
        got = vector.run("UniqueWithCountsExt2", [x, none], {"sorted": ordered}, outputs, constants=(1,))
        np.testing.assert_array_equal(got[0], values[order])
        np.testing.assert_array_equal(got[1], first[order])
        np.testing.assert_array_equal(got[2], counts[order])
        np.testing.assert_array_equal(got[3], np.argsort(order)[inverse.ravel()])
    slices = [np.zeros((2, 2), dtype), np.array([0])]
    assert "slices are not supported" in vector.check("UniqueWithCountsExt2", slices, {}, outputs, (1,))
