"""What differential fuzzing found (tests/differential), beside ONNX Runtime."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

ge = pytest.importorskip("ge")
onnxruntime = pytest.importorskip("onnxruntime")

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def model(nodes, inputs, outputs, constants, opset):
    """inputs: name -> (type, shape); outputs: names; constants: name -> array"""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, *about) for n, about in inputs.items()],
        [helper.make_tensor_value_info(n, FLOAT, None) for n in outputs],
        [onnx.numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 10
    return made.SerializeToString()


def same_as_onnx_runtime(data, *feeds, tolerance=1e-5):
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    loaded = ge.load(data)
    for feed in feeds:
        results = loaded.run(feed)
        for port, want in zip(session.get_outputs(), session.run(None, feed)):
            got = results[port.name]
            assert got.shape == want.shape and got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def test_deformable_convolution_of_unknown_channels():
    """The weights tell how many channels there are where the value before does not."""
    g = np.random.default_rng(0)
    constants = {"w": g.standard_normal((2, 2, 1, 1)).astype("f"), "offset": g.standard_normal((3, 8, 3, 2)).astype("f")}
    nodes = [
        helper.make_node("Reshape", ["x", "shape"], ["r"]),
        helper.make_node("DeformConv", ["r", "w", "offset"], ["y"], offset_group=4, group=2),
    ]
    feed = {"x": g.standard_normal(72).astype("f"), "shape": np.array([3, 4, 3, 2])}
    same_as_onnx_runtime(model(nodes, {"x": (FLOAT, [72]), "shape": (INT64, [4])}, ["y"], constants, 21), feed)
