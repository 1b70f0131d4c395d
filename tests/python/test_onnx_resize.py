"""Resize of ONNX: positions, weights, ties, ratios. The oracle is ONNX Runtime, or the evaluator of the onnx package."""

import itertools

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator
from test_onnx_operators import model, node, ours, rand, same, theirs


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("scales", [[1, 1, 0.5, 0.4], [1, 1, 0.7, 1.6]])
def test_resize_without_aliases(mode, scales):
    feed = {"x": rand(1, 2, 12, 10), "scales": np.array(scales, np.float32)}
    for outside in (0, 1):
        m = model([node("Resize", ["x", "", "scales"], ["y"], mode=mode, antialias=1, exclude_outside=outside)], feed, ["y"],
                  18, ("scales",))  # fmt: skip
        same(ours(m, feed), ReferenceEvaluator(m).run(None, feed), 1e-4)


@pytest.mark.parametrize("nearest", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
@pytest.mark.parametrize("transform", ["asymmetric", "half_pixel"])
def test_resize_half_way_between_two_elements(nearest, transform):
    """7 -> 2: the second element lies at 3.5, which float32 computes as 3.4999998."""
    attrs = {"mode": "nearest", "nearest_mode": nearest, "coordinate_transformation_mode": transform}
    made = node("Resize", ["x", "", "", "sizes"], ["y"], **attrs)
    for before, after in itertools.product((7, 14, 26, 38), (1, 2, 12, 18, 28, 34)):
        feed = {"x": np.arange(before, dtype=np.float32).reshape(1, 1, 1, before), "sizes": np.array([1, 1, 1, after])}
        m = model([made], feed, ["y"], 18, ("sizes",))
        np.testing.assert_array_equal(ours(m, feed)[0], theirs(m, feed)[0])


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_resize_keeps_its_aspect_ratio(policy):
    feed = {"x": rand(1, 2, 8, 6), "sizes": np.array([5, 9], np.int64)}
    for axes in ([2, 3], [3, 2]):
        for constants in ((), ("sizes",)):
            made = node("Resize", ["x", "", "", "sizes"], ["y"], mode="nearest", keep_aspect_ratio_policy=policy, axes=axes)
            m = model([made], feed, ["y"], 18, constants)
            (y,) = ours(m, feed)
            ratios = [feed["sizes"][i] / feed["x"].shape[a] for i, a in enumerate(axes)]
            best = min(ratios) if policy == "not_larger" else max(ratios)
            assert y.shape == (1, 2, int(8 * best + 0.5), int(6 * best + 0.5))


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
@pytest.mark.parametrize("options", [{"mode": "linear"}, {"mode": "cubic"}, {"mode": "linear", "antialias": 1}], ids=str)
def test_resize_reads_at_positions_of_the_chosen_ratio(policy, options):
    """Not of the sizes, which are rounded: 5 * 7 / 6 gives 6."""
    for sizes, axes in (((7, 9), (2, 3)), ((9, 7), (3, 2)), ((3, 2), (2, 3)), ((1, 2, 5, 9), (0, 1, 2, 3))):
        feed = {"x": np.arange(60, dtype=np.float32).reshape(1, 2, 6, 5) ** 2, "sizes": np.array(sizes, np.int64)}
        made = node("Resize", ["x", "", "", "sizes"], ["y"], keep_aspect_ratio_policy=policy, axes=axes, **options)
        for open_dims, constants in itertools.product((False, True), ((), ("sizes",))):
            m = model([made], feed, ["y"], 18, constants, open_dims)
            got = ours(m, feed)
            if constants and len(sizes) == 2 and "antialias" not in options:
                same(got, theirs(m, feed), 1e-3)
            same(got, ReferenceEvaluator(m).run(None, feed), 1e-3)
