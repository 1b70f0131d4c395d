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


def test_division_whose_quotient_is_rounded():
    """127.5 lies between two integers; a multiplication by 1 / 255 would miss it by one unit in the last place."""
    x = np.array([0.875, 1.5, 0.375, 0.75, 0, 2.125, 0], "f").reshape(7, 1, 1)
    nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
             helper.make_node("Cast", ["q"], ["y"], to=FLOAT)]  # fmt: skip
    same_as_onnx_runtime(model(nodes, {"x": (FLOAT, [7, 1, 1])}, ["y"], {}, 21), {"x": x}, tolerance=0)


@pytest.mark.isa
@pytest.mark.parametrize("value", [1.0, np.inf])
def test_maximum_of_padding_alone(value):
    """Windows whose positions all lie outside: the lowest finite number on every instruction set."""
    for extra in ({"dilations": [2, 2]}, {"strides": [2, 2], "ceil_mode": 1}):
        node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], pads=[1, 1, 1, 1], **extra)
        data = model([node], {"x": (FLOAT, [1, 16, 1, 1])}, ["y"], {}, 21)
        x = np.full((1, 16, 1, 1), value, "f")
        want = onnxruntime.InferenceSession(data).run(None, {"x": x})[0]
        got = ge.load(data).run({"x": x})["y"]
        empty = want == np.finfo("f").min
        assert got.shape == want.shape and np.all(got[empty] == np.finfo("f").min)


def test_positions_behind_an_unpooling():
    """MaxPool numbers positions of a value whose extents only MaxUnpool's attributes tell."""
    nodes = [helper.make_node("MaxUnpool", ["x", "i"], ["u"], kernel_shape=[2, 2]),
             helper.make_node("MaxPool", ["u"], ["y", "at"], kernel_shape=[2, 2])]  # fmt: skip
    inputs = {"x": (FLOAT, [1, 1, 1, 1]), "i": (INT64, [1, 1, 1, 1])}
    feed = {"x": np.full((1, 1, 1, 1), 3, "f"), "i": np.full((1, 1, 1, 1), 2)}
    same_as_onnx_runtime(model(nodes, inputs, ["y"], {}, 21), feed)


def test_range_of_a_value_of_unknown_rank():
    """DynamicQuantizeLinear looks at all elements, whatever shape the branch gives them."""

    def branch(name, op):
        made = helper.make_tensor_value_info(name, FLOAT, None)
        return helper.make_graph([helper.make_node(op, ["x"], [name])], name, [], [made])

    nodes = [helper.make_node("If", ["c"], ["z"], then_branch=branch("t", "Neg"), else_branch=branch("e", "Flatten")),
             helper.make_node("DynamicQuantizeLinear", ["z"], ["q", "scale", "zero"]),
             helper.make_node("Cast", ["q"], ["y"], to=FLOAT)]  # fmt: skip
    data = model(nodes, {"x": (FLOAT, [2, 3, 4]), "c": (TensorProto.BOOL, [])}, ["y", "scale"], {}, 21)
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype("f")
    same_as_onnx_runtime(data, {"x": x, "c": np.array(True)}, {"x": x, "c": np.array(False)}, tolerance=1e-6)
