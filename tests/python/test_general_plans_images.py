"""One plan for images, volumes and sequences of all sizes, operator by operator, beside ONNX Runtime."""

import os

import numpy as np
import pytest
from general_cases import SCALAR, classes, images, load, one_plan, right, several
from onnx import TensorProto


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("pool", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize(
    "attrs",
    [
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        {"kernel_shape": [2, 3], "strides": [2, 3], "ceil_mode": 1},
        {"kernel_shape": [5, 5], "pads": [2, 2, 2, 2]},
        {"kernel_shape": [3, 2], "strides": [1, 3], "pads": [2, 0, 1, 1]},
        {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
    ],
)
def test_pooling_of_images_of_all_sizes(tmp_path, pool, attrs, threads):
    """Between convolutions, where images lie in blocks of channels."""
    random = np.random.default_rng(0)
    weights = {f"w{i}": random.standard_normal(s).astype(np.float32) / 8 for i, s in enumerate(((24, 4, 1, 1), (8, 24, 1, 1)))}
    nodes = [
        ("Conv", ["x", "w0"], "a", {}),
        (pool, ["a"], "b", attrs),
        ("Conv", ["b", "w1"], "y", {}),
    ]
    model = several(nodes, {"x": ["n", 4, "h", "w"]}, ["y"], {}, weights)
    general = load(model, tmp_path, threads=threads)
    for n, h, w in ((1, 64, 90), (1, 70, 84), (2, 30, 21), (1, 9, 8), (1, 66, 86), (1, 71, 91), (3, 12, 40)):
        x = random.standard_normal((n, 4, h, w)).astype(np.float32)
        (want,), (got,) = right(model, {"x": x}), general.run({"x": x}).values()
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    if "auto_pad" not in attrs:  # there sizes of other remainders are another class
        assert classes(general)[0]["plans"] < 6


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "filter, attrs",
    [
        ((3, 32, 3, 3), {"pads": [1, 1, 1, 1]}),  # an image is made
        ((1, 32, 5, 1), {"pads": [2, 0, 2, 0], "dilations": [1, 1]}),
        ((32, 32, 3, 3), {"pads": [6, 6, 6, 6], "dilations": [6, 6]}),
        ((32, 4, 3, 3), {"pads": [1, 1, 1, 1], "group": 8}),  # groups narrower than a block
        ((4, 8, 3, 3), {"pads": [1, 1, 1, 1], "group": 4}),
        ((32, 32, 3, 3), {"pads": [1, 1, 1, 1]}),
    ],
)
def test_convolutions_of_images_of_all_sizes(tmp_path, filter, attrs, threads):
    """Of images in blocks of channels, and of those in planes, which pooling leaves there."""
    random = np.random.default_rng(0)
    shapes = {"w0": (32, 32, 1, 1), "w1": filter, "b1": filter[:1]}
    weights = {n: random.standard_normal(s).astype(np.float32) / 8 for n, s in shapes.items()}
    nodes = [
        ("Conv", ["x", "w0"], "a", {}),
        ("Conv", ["a", "w1", "b1"], "b", attrs),
        ("Sigmoid", ["b"], "y", {}),
        ("MaxPool", ["x"], "c", {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
        ("Conv", ["c", "w1", "b1"], "z", attrs),
    ]
    model = several(nodes, {"x": ["n", 32, "h", "w"]}, ["y", "z"], {}, weights)
    feeds = images(random, 32, [(1, 20, 30), (2, 34, 70), (1, 21, 29), (1, 8, 9), (3, 41, 40), (1, 13, 102)])
    one_plan(model, tmp_path, feeds, threads=threads)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel, attrs", [(4, {"strides": [2, 2], "pads": [1, 1, 1, 1]}), (2, {"strides": [2, 2]})])
def test_transposed_convolutions_of_images_of_all_sizes(tmp_path, kernel, attrs, threads):
    """Between convolutions, by Winograd's algorithm where a filter has enough positions."""
    random = np.random.default_rng(0)
    shapes = {"w0": (128, 16, 1, 1), "w1": (128, 96, kernel, kernel), "b1": (96,), "w2": (16, 96, 1, 1)}
    weights = {n: random.standard_normal(s).astype(np.float32) / 8 for n, s in shapes.items()}
    nodes = [
        ("Conv", ["x", "w0"], "a", {}),
        ("ConvTranspose", ["a", "w1", "b1"], "b", attrs),
        ("Relu", ["b"], "c", {}),
        ("Conv", ["c", "w2"], "y", {}),
    ]
    model = several(nodes, {"x": ["n", 16, "h", "w"]}, ["y"], {}, weights)
    feeds = images(random, 16, [(1, 20, 30), (2, 34, 31), (1, 21, 29), (1, 3, 9), (3, 12, 40), (1, 1, 1), (1, 13, 33)])
    general = one_plan(model, tmp_path, feeds, threads=threads)
    if not SCALAR:
        ways = [row["implementation"] for row in general.profile(feeds[-1]).data if "Transpose" in row.get("type", "")]
        assert ["winograd" in way for way in ways] == [kernel == 4]


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("pads, residual", [([1, 1, 1, 1], True), ([0, 0, 1, 1], False)])
def test_strided_convolutions_of_images_of_all_sizes(tmp_path, pads, residual, threads):
    """By Winograd's algorithm where that is faster, also with a residual."""
    random = np.random.default_rng(0)
    shapes = {"w0": (96, 16, 1, 1), "w1": (96, 96, 3, 3), "b1": (96,), "w2": (96, 96, 1, 1), "w3": (16, 96, 1, 1)}
    weights = {n: random.standard_normal(s).astype(np.float32) / 12 for n, s in shapes.items()}
    nodes = [
        ("Conv", ["x", "w0"], "a", {}),
        ("Conv", ["a", "w1", "b1"], "b", {"strides": [2, 2], "pads": pads}),
        *([("Conv", ["a", "w2"], "c", {"strides": [2, 2]}), ("Add", ["b", "c"], "d", {})] if residual else []),
        ("Relu", ["d" if residual else "b"], "e", {}),
        ("Conv", ["e", "w3"], "y", {}),
    ]
    model = several(nodes, {"x": ["n", 16, "h", "w"]}, ["y"], {}, weights)
    feeds = images(random, 16, [(1, 20, 30), (2, 34, 31), (1, 21, 29), (1, 3, 9), (3, 12, 40), (1, 2, 5), (1, 62, 33)])
    general = one_plan(model, tmp_path, feeds, threads=threads)
    if not SCALAR:
        ways = [row["implementation"] for row in general.profile(feeds[-1]).data if "[96, 96, 3, 3]" in str(row.get("inputs"))]
        assert len(ways) == 1
        if "avx2" in ways[0]:
            assert ways[0].startswith("winograd")


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("scales", [(2.0, 2.0), (3.0, 1.0), (1.5, 2.0)])
@pytest.mark.parametrize("channels", [24, 5])
def test_upsampling_of_images_of_all_sizes(tmp_path, channels, scales, threads):
    """Of images in blocks of channels, which the last convolution leaves; and of images in planes."""
    random = np.random.default_rng(0)
    shapes = {"w0": (channels, 4, 3, 3), "w1": (channels, channels, 1, 1)}
    weights = {n: random.standard_normal(s).astype(np.float32) / 8 for n, s in shapes.items()}
    how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    nodes = [
        ("Conv", ["x", "w0"], "a", {"pads": [1, 1, 1, 1]}),
        ("Resize", ["a", "", "scales"], "b", how),
        ("Conv", ["b", "w1"], "y", {}),
        ("Resize", ["x", "", "scales"], "z", how),
    ]
    weights["scales"] = np.float32([1, 1, *scales])
    model = several(nodes, {"x": ["n", 4, "h", "w"]}, ["y", "z"], {}, weights)
    general = load(model, tmp_path, threads=threads)
    sizes = [(2, 20, 30), (2, 34, 70), (3, 6, 5), (5, 33, 8), (2, 101, 80), (3, 4, 2)]
    for n, h, w in sizes:
        x = random.standard_normal((n, 4, h, w)).astype(np.float32)
        for want, got in zip(right(model, {"x": x}), general.run({"x": x}).values(), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    (found,) = classes(general)
    assert found["plans"] == (1 if found["one_size"] == "" else len(sizes) - 1)
    if os.environ.get("GE_MAX_ISA") != "scalar":
        assert (found["one_size"] == "") == (scales[0] != 1.5)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sizes", [True, False])
@pytest.mark.parametrize(
    "how",
    [
        {"mode": "linear"},
        {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
        {"mode": "cubic", "coordinate_transformation_mode": "asymmetric"},
    ],
)
def test_smooth_upsampling_of_images_of_all_sizes(tmp_path, how, sizes, threads):
    """To the size of another image, as decoders do it, or by factors."""
    random = np.random.default_rng(0)
    weights = {"w0": random.standard_normal((24, 4, 3, 3)).astype(np.float32) / 8}
    weights |= {"zero": np.int64([0]), "two": np.int64([2]), "four": np.int64([4]), "scales": np.float32([1, 1, 2, 3])}
    nodes = [
        ("Conv", ["x", "w0"], "a", {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
        ("Shape", ["a"], "of_a", {}),
        ("Slice", ["of_a", "zero", "two"], "images", {}),
        ("Shape", ["x"], "of_x", {}),
        ("Slice", ["of_x", "two", "four"], "image", {}),
        ("Concat", ["images", "image"], "sizes", {"axis": 0}),
        ("Resize", ["a", "", "", "sizes"] if sizes else ["a", "", "scales"], "b", how),
        ("Relu", ["b"], "y", {}),
    ]
    model = several(nodes, {"x": ["n", 4, "h", "w"]}, ["y"], {}, weights)
    feeds = images(random, 4, [(2, 20, 30), (2, 34, 71), (3, 6, 5), (5, 33, 8), (2, 101, 80), (3, 4, 2)])
    one_plan(model, tmp_path, feeds, threads=threads)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_pyramids_of_all_sizes(tmp_path, threads):
    """A doubled map is added to the one of that size: that both are equal is a condition, and the convolution adds them."""
    random = np.random.default_rng(0)
    shapes = {"w0": (24, 8, 3, 3), "w1": (24, 24, 3, 3), "w2": (24, 24, 1, 1), "w3": (24, 24, 1, 1)}
    weights = {n: random.standard_normal(s).astype(np.float32) / 8 for n, s in shapes.items()}
    weights["scales"] = np.float32([1, 1, 2, 2])
    down = {"pads": [1, 1, 1, 1], "strides": [2, 2]}
    nodes = [
        ("Conv", ["x", "w0"], "a", down),
        ("Conv", ["a", "w1"], "b", down),
        ("Conv", ["b", "w2"], "c", {}),
        ("Resize", ["c", "", "scales"], "d", {"mode": "nearest"}),
        ("Conv", ["a", "w3"], "e", {}),
        ("Add", ["d", "e"], "f", {}),
        ("Relu", ["f"], "y", {}),
    ]
    model = several(nodes, {"x": ["n", 8, "h", "w"]}, ["y"], {}, weights)
    feeds = images(random, 8, [(1, 32, 48), (1, 64, 40), (2, 24, 24), (1, 16, 80)])
    general = one_plan(model, tmp_path, feeds, threads=threads)
    if not SCALAR:
        assert "Add" not in [row["type"] for row in general.profile(feeds[-1]).data if "type" in row]


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap", "constant"])
def test_padding_of_images_of_all_sizes(tmp_path, mode, threads):
    """Of images in blocks of channels, and of those in planes, whose channels are padded as well."""
    random = np.random.default_rng(0)
    weights = {n: random.standard_normal((24, 24, 3, 3)).astype(np.float32) / 8 for n in ("w0", "w1")}
    weights |= {"around": np.int64([0, 0, 2, 1, 0, 0, 1, 3]), "other": np.int64([0, 1, 1, 3, 0, 2, 0, 2])}
    weights |= {"zero": np.float32(0), "some": np.float32(1.5)}
    nodes = [
        ("Conv", ["x", "w0"], "a", {"pads": [1, 1, 1, 1]}),
        ("Pad", ["a", "around"] + ["zero"] * (mode == "constant"), "b", {"mode": mode}),
        ("Conv", ["b", "w1"], "y", {}),
        ("Pad", ["x", "other"] + ["some"] * (mode == "constant"), "z", {"mode": mode}),
    ]
    model = several(nodes, {"x": ["n", 24, "h", "w"]}, ["y", "z"], {}, weights)
    model.opset_import[0].version = 19
    feeds = images(random, 24, [(2, 20, 30), (2, 34, 71), (3, 6, 5), (5, 33, 8), (1, 50, 80), (3, 4, 9)])
    general = one_plan(model, tmp_path, feeds, threads=threads)
    if not SCALAR:
        ways = [row["implementation"] for row in general.profile(feeds[-1]).data if row["type"] == "PadV3"]
        # Zeros around an image are the convolution's.
        assert sorted("blocks" in way for way in ways) == ([False] if mode == "constant" else [False, True])


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "op, attrs",
    [
        ("MaxPool", {"kernel_shape": [2, 2, 2], "strides": [2, 2, 2]}),
        ("MaxPool", {"kernel_shape": [1, 3, 3], "strides": [1, 2, 2], "pads": [0, 1, 1, 0, 1, 1]}),
        ("AveragePool", {"kernel_shape": [2, 3, 2], "strides": [1, 2, 2], "pads": [1, 0, 0, 0, 1, 1]}),
        ("InstanceNormalization", {}),
        ("Slice", {}),
    ],
)
def test_volumes_of_all_sizes(tmp_path, op, attrs, threads):
    random = np.random.default_rng(0)
    weights = {"w0": random.standard_normal((8, 2, 3, 3, 3)).astype(np.float32) / 8}
    more = {"InstanceNormalization": ["some", "others"], "Slice": ["from", "to", "axes", "steps"]}.get(op, [])
    weights |= {"some": np.float32([1, 2] * 4), "others": np.float32([3, 1] * 4)}
    weights |= {"from": np.int64([1, 1, -3]), "to": np.int64([9, 2**40, 2**40]), "axes": np.int64([1, 3, 4])}
    weights |= {"steps": np.int64([3, 2, 1])}
    nodes = [
        ("Conv", ["x", "w0"], "a", {"pads": [1] * 6}),
        (op, ["a", *more], "b", attrs),
        ("Relu", ["b"], "y", {}),
    ]
    used = {n: w for n, w in weights.items() if n == "w0" or n in more}
    model = several(nodes, {"x": ["n", 2, "d", "h", "w"]}, ["y"], {}, used)
    feeds = [
        {"x": random.standard_normal((shape[0], 2, *shape[1:])).astype(np.float32)}
        for shape in ((1, 4, 12, 9), (2, 6, 5, 20), (1, 2, 30, 33), (1, 9, 4, 4), (3, 5, 8, 11))
    ]
    one_plan(model, tmp_path, feeds, threads=threads)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_slices_of_all_sizes(tmp_path, threads):
    """Whole vectors with steps of two, from the end, and with nothing left."""
    nodes = [
        ("Slice", ["x", "one", "most", "last", "two"], "y", {}),
        ("Slice", ["x", "zero", "behind", "last", "two"], "z", {}),
        ("Slice", ["x", "behind", "most", "first", "one"], "a", {}),
        ("Slice", ["x", "most", "most", "first", "one"], "b", {}),
        ("Slice", ["x", "one", "behind", "last", "one"], "c", {}),
    ]
    constants = {"zero": [0], "one": [1], "two": [2], "most": [2**40], "last": [-1], "first": [0], "behind": [-2]}
    model = several(nodes, {"x": ["n", 3, "w"]}, ["y", "z", "a", "b", "c"], constants)
    feeds = [
        {"x": np.random.default_rng(w).standard_normal((n, 3, w)).astype(np.float32)}
        for n, w in ((4, 40), (3, 71), (2, 9), (7, 3), (3, 1000))
    ]
    one_plan(model, tmp_path, feeds, tolerance=0, threads=threads)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("channels", [16, 5])
def test_regions_of_images_of_all_sizes(tmp_path, channels, mode, threads):
    """Few regions of a large image, and so many that its channels are turned to be last."""
    random = np.random.default_rng(0)
    attrs = {"mode": mode, "output_height": 3, "output_width": 5, "sampling_ratio": 2, "spatial_scale": 0.5}
    nodes = [
        ("Cast", ["which"], "image", {"to": TensorProto.INT64}),
        ("RoiAlign", ["x", "rois", "image"], "a", attrs),
        ("Relu", ["a"], "y", {}),
    ]
    model = several(nodes, {"x": ["n", channels, "h", "w"], "rois": ["r", 4], "which": ["r"]}, ["y"], {})
    feeds = []
    for n, h, w, r in ((2, 20, 30, 40), (1, 90, 70, 2), (3, 7, 5, 200), (2, 33, 34, 1), (1, 1, 1, 9)):
        corners = np.sort(random.uniform(0, 2, (r, 2, 2)), axis=1) * [w, h]
        x = random.standard_normal((n, channels, h, w))
        feed = {"x": x, "rois": corners.reshape(r, 4), "which": random.integers(0, n, r)}
        feeds.append({name: value.astype(np.float32) for name, value in feed.items()})
    one_plan(model, tmp_path, feeds, threads=threads)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("attrs", [{}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}])
def test_running_sums_of_all_sizes(tmp_path, attrs, threads):
    nodes = [
        ("CumSum", ["x", "zero"], "a", attrs),
        ("CumSum", ["x", "one"], "b", attrs),
        ("CumSum", ["x", "last"], "c", attrs),
    ]
    model = several(nodes, {"x": ["n", "m", "k"]}, ["a", "b", "c"], {"zero": 0, "one": 1, "last": -1})
    feeds = [
        {"x": np.random.default_rng(k).standard_normal((n, m, k)).astype(np.float32)}
        for n, m, k in ((4, 5, 40), (3, 71, 2), (2, 9, 300), (1, 1, 1), (7, 3, 1000))
    ]
    one_plan(model, tmp_path, feeds, tolerance=1e-3, threads=threads)
