"""What a run refuses: the message names node, element, value and limit."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ge
from ge.error import GeError


def save(path, nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, t, s) for n, t, s in inputs],
        [helper.make_tensor_value_info(n, t, s) for n, t, s in outputs],
        [onnx.numpy_helper.from_array(v, n) for n, v in constants],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return str(path)


def test_integer_division_by_zero(tmp_path):
    node = helper.make_node("Div", ["a", "b"], ["y"], name="halve")
    ports = [("a", TensorProto.INT32, [4]), ("b", TensorProto.INT32, [4])]
    model = ge.load(save(tmp_path / "m.onnx", [node], ports, [("y", TensorProto.INT32, [4])]))
    a, b = np.array([7, -7, 8, 9], np.int32), np.array([2, 2, 2, 0], np.int32)
    with pytest.raises(GeError, match="'halve' failed on DNN_VM_HOST_CPU: Div: division by zero: element 3 of the divisor"):
        model.run({"a": a, "b": b})
    b[3] = 3  # the model works as before
    np.testing.assert_array_equal(model.run({"a": a, "b": b})["y"], [3, -3, 4, 3])


def test_folding_leaves_a_division_by_zero_to_the_run(tmp_path):
    nodes = [
        helper.make_node("Div", ["c", "zero"], ["q"], name="never"),
        helper.make_node("Add", ["x", "q"], ["y"], name="sum"),
    ]
    constants = [("c", np.array([1, 2], np.int64)), ("zero", np.array([1, 0], np.int64))]
    path = save(tmp_path / "m.onnx", nodes, [("x", TensorProto.INT64, [2])], [("y", TensorProto.INT64, [2])], constants)
    model = ge.load(path)
    with pytest.raises(GeError, match="'never' failed on DNN_VM_HOST_CPU: Div: division by zero: element 1 of the divisor"):
        model.run({"x": np.zeros(2, np.int64)})


def test_reshape_beyond_64_bits(tmp_path):
    node = helper.make_node("Reshape", ["x", "shape"], ["y"], name="blow")
    constants = [("shape", np.array([1 << 40, 1 << 40], np.int64))]
    ports = [("x", TensorProto.FLOAT, [4])], [("y", TensorProto.FLOAT, None)]
    path = save(tmp_path / "m.onnx", [node], *ports, constants)
    with pytest.raises(GeError, match="more elements than 64 bits can count") as refused:
        ge.load(path)
    assert "(from blow)" in str(refused.value) and "-1 elements" not in str(refused.value)


def test_reshape_to_a_negative_dimension(tmp_path):
    node = helper.make_node("Reshape", ["x", "shape"], ["y"], name="below")
    constants = [("shape", np.array([-4, 1], np.int64))]
    ports = [("x", TensorProto.FLOAT, [4])], [("y", TensorProto.FLOAT, None)]
    path = save(tmp_path / "m.onnx", [node], *ports, constants)
    with pytest.raises(GeError, match=r"shape\[0\] is -4, expected -1 or more"):
        ge.load(path)
