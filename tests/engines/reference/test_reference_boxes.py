"""Reference kernels of boxes in images and of distinct slices."""

import itertools

import numpy as np
import pytest
from engine_harness import EngineError
from engine_oracles import close, draw, onnx_runtime


def boxes(rng, images, count):
    start = rng.uniform(0, 1, (images, count, 2))
    return np.concatenate([start, start + rng.uniform(0.02, 0.5, (images, count, 2))], -1).astype(np.float32)


@pytest.mark.parametrize("most", [0, 1, 5, 100])
def test_non_max_suppression(cpu, most):
    rng = np.random.default_rng(most)
    b, s = boxes(rng, 2, 30), rng.uniform(0, 1, (2, 3, 30)).astype(np.float32)
    s[0, 1] = 0.5  # equal scores: the first box comes first
    for iou, least in [(0.0, 0.0), (0.4, 0.3), (1.0, 0.9)]:
        scalars = [np.array([v], np.float32) for v in (iou, least)]
        want = onnx_runtime("NonMaxSuppression", [b, s, np.array([most], np.int64), *scalars], opset=11)
        inputs = [b, s, np.array([most], np.int32), *scalars]
        got = cpu("NonMaxSuppressionV6", inputs, {}, ((2 * 3 * 30, 3), np.int32))
        np.testing.assert_array_equal(got, want)
    cap = cpu("NonMaxSuppressionV6", inputs, {"max_boxes_size": 2}, ((2 * 3 * 30, 3), np.int32))
    np.testing.assert_array_equal(cap, want[:2])
    flipped = b[..., [2, 3, 0, 1]]  # any two opposite corners
    got = cpu("NonMaxSuppressionV6", [flipped, *inputs[1:]], {}, ((2 * 3 * 30, 3), np.int32))
    np.testing.assert_array_equal(got, want)


def test_non_max_suppression_refuses_what_does_not_fit(cpu):
    with pytest.raises(EngineError, match=r"boxes have shape \[1,5,3\]"):
        inputs = [draw((1, 5, 3)), draw((1, 2, 5)), np.array([1], np.int32), None, None]
        cpu("NonMaxSuppressionV6", inputs, {}, ((10, 3), np.int32))


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("end,transform", [(0, "output_half_pixel"), (2, "half_pixel")])
def test_roi_align(cpu, mode, end, transform):
    rng = np.random.default_rng(end)
    x, image = draw((3, 2, 7, 9)), rng.integers(0, 3, 6)
    start = rng.uniform(-3, 10, (6, 2))
    rois = np.concatenate([start, start + rng.uniform(0, 8, (6, 2))], 1).astype(np.float32)
    for samples in (0, 3):
        attrs = dict(spatial_scale=0.8, sampling_ratio=samples, output_height=2, output_width=4)
        want = onnx_runtime(
            "RoiAlign", [x, rois, image], opset=16, mode=mode, coordinate_transformation_mode=transform, **attrs
        )
        numbered = np.concatenate([image[:, None].astype(np.float32), rois], 1)
        mine = {"spatial_scale": 0.8, "sample_num": samples, "pooled_height": 2, "pooled_width": 4, "pool_mode": mode,
                "roi_end_mode": end}  # fmt: skip
        close(cpu("ROIAlign", [x, numbered, None], mine, (want.shape, np.float32)), want, scale=20)


def test_roi_align_refusals(cpu):
    attrs = {"spatial_scale": 1.0, "sample_num": 0, "pooled_height": 2, "pooled_width": 2, "roi_end_mode": 0}
    out = ((1, 1, 2, 2), np.float32)
    x = draw((1, 1, 4, 4))
    for roi, why in [((1, 0, 0, 2, 2), "is in image 1, there are 1"), ((0, 0, 0, 1e9, 2), "the limit is 4096"),
                     ((0, 0, 0, np.nan, 2), "the limit is 4096"), ((-1, 0, 0, 2, 2), "is in image -1")]:  # fmt: skip
        if np.isnan(roi[3]):
            roi = (0, np.nan, 0, 2, 2)
        with pytest.raises(EngineError, match=why):
            cpu("ROIAlign", [x, np.array([roi], np.float32), None], attrs, out)
    assert "roi_end_mode 1 is not supported" in cpu.check(
        "ROIAlign", [x, draw((1, 5)), None], {**attrs, "roi_end_mode": 1}, [out]
    )


def test_unique_slices(cpu):
    rng = np.random.default_rng(2)
    values = [rng.integers(0, 3, (7, 2, 3)), rng.integers(0, 4, (6, 9)).astype(np.float32)]
    values.append(np.array([[3, np.nan, 1, np.nan, 3, -np.inf]], np.float32))
    for x, axis in itertools.product(values, (None, 0, -1)):
        if axis is not None and x.dtype.kind == "f":
            x = np.nan_to_num(x, nan=7)  # NumPy counts each NaN of a slice on its own
        given = np.array([] if axis is None else [axis], np.int64)
        n = x.size if axis is None else x.shape[axis]
        y, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
        out = [(x.size if axis is None else x.shape, x.dtype), ((n,), np.int64), ((n,), np.int64), ((n,), np.int32)]
        out[0] = ((n,), x.dtype) if axis is None else out[0]
        got = cpu.run("UniqueWithCountsExt2", [x, given], {"sorted": True}, out)
        for a, b in zip(got, (y, first, counts, inverse.reshape(-1))):
            np.testing.assert_array_equal(a, b)
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        got = cpu.run("UniqueWithCountsExt2", [x, given], {"sorted": False}, out)
        want = (np.take(y, order, 0 if axis is None else axis), first[order], counts[order], number[inverse.reshape(-1)])
        for a, b in zip(got, want):
            np.testing.assert_array_equal(a, b)
