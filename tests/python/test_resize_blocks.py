"""Resizing of images that lie in blocks of channels: they stay there where what follows goes on with them."""

import os

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

FAST = os.environ.get("GE_MAX_ISA") != "scalar"  # the plain engine alone takes no blocks


def net(channels, size, last, scales=None, sizes=None, **how):
    """Between convolutions; with `last` false the resized image is the result."""
    random = np.random.default_rng(channels)
    weights = {
        "first": random.standard_normal((channels, 3, 3, 3)).astype(np.float32) / 4,
        "second": random.standard_normal((16, channels, 1, 1)).astype(np.float32) / 4,
    }
    if scales:
        weights["scales"] = np.float32([1, 1, *scales])
    else:
        weights["sizes"] = np.int64([2, channels, *sizes])
    factors = ["", "scales"] if scales else ["", "", "sizes"]
    nodes = [
        helper.make_node("Conv", ["x", "first"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Resize", ["a", *factors], ["b"], **how),
    ]
    if last:
        nodes.append(helper.make_node("Conv", ["b", "second"], ["y"]))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, *size])]
    outputs = [helper.make_tensor_value_info("y" if last else "b", TensorProto.FLOAT, None)]
    tensors = [numpy_helper.from_array(v, n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9).SerializeToString()


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("channels", [20, 32, 49])
@pytest.mark.parametrize(
    "how",
    [
        {"mode": "linear"},
        {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
        {"mode": "linear", "coordinate_transformation_mode": "asymmetric"},
        {"mode": "cubic", "coordinate_transformation_mode": "pytorch_half_pixel"},
        {"mode": "cubic", "cubic_coeff_a": -0.5, "exclude_outside": 1},
        {"mode": "nearest", "coordinate_transformation_mode": "asymmetric"},
        {"mode": "nearest", "nearest_mode": "ceil"},
    ],
)
def test_resizing_in_blocks(how, channels, threads):
    x = np.random.default_rng(1).standard_normal((2, 3, 14, 19)).astype(np.float32)
    for factors in ({"scales": (2, 2)}, {"scales": (1, 3)}, {"scales": (0.5, 1.5)}, {"sizes": (29, 12)}, {"sizes": (1, 40)}):
        for last in (True, False):
            m = net(channels, (14, 19), last, **factors, **how)
            model = ge.load(m, {"threads": threads})
            (got,) = model.run({"x": x}).values()
            (want,) = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"]).run(None, {"x": x})
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max(), err_msg=str(factors))
            ways = [row["implementation"] for row in model.profile({"x": x}).data if row["type"] == "Resize"]
            if FAST and how["mode"] != "nearest":
                assert ["blocks" in way for way in ways] == [last]


@pytest.mark.isa
def test_very_wide_rows():
    """Of more elements than are widened at a time."""
    x = np.random.default_rng(1).standard_normal((2, 3, 2, 900)).astype(np.float32)
    m = net(16, (2, 900), True, scales=(1.5, 3), mode="linear")
    (got,) = ge.load(m).run({"x": x}).values()
    (want,) = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


@pytest.mark.isa
@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize(("channels", "factors"), [
    (20, {"sizes": np.int64([2, 24, 28, 19])}),  # other channels in as many blocks
    (23, {"sizes": np.int64([2, 17, 28, 19])}),
    (20, {"scales": np.float32([1, 24.01 / 20, 2, 1.5])}),
    (24, {"scales": np.float32([1.2, 1, 2, 1.5])}),  # two images stay two by their extent alone
])  # fmt: skip
def test_other_axes_are_resized(channels, factors, symbolic):
    ((name, values),) = factors.items()
    made = int(values[1] if name == "sizes" else channels * values[1])
    random = np.random.default_rng(channels)
    weights = {
        "first": random.standard_normal((channels, 3, 3, 3)).astype(np.float32),
        "second": random.standard_normal((16, made, 1, 1)).astype(np.float32),
        name: values,
    }
    nodes = [
        helper.make_node("Conv", ["x", "first"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("Resize", ["a", "", "scales"] if name == "scales" else ["a", "", "", "sizes"], ["b"], mode="nearest"),
        helper.make_node("Conv", ["b", "second"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, "h", "w"] if symbolic else [2, 3, 14, 19])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(v, n) for n, v in weights.items()])
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9).SerializeToString()
    model, session = ge.load(m), onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"])
    for size in ((14, 19), (20, 13), (15, 8)) if symbolic else ((14, 19),):
        x = random.standard_normal((2, 3, *size)).astype(np.float32)
        (got,), (want,) = model.run({"x": x}).values(), session.run(None, {"x": x})
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
