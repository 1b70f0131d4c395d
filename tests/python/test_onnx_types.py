"""Types and ends of ranges where ONNX says more than the operator's name."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import ge


def model(node, inputs, outputs, constants=(), opset=18):
    graph = helper.make_graph([node], "g", inputs, outputs, list(constants))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


@pytest.mark.parametrize("kind, dtype", [(TensorProto.UINT8, np.uint8), (TensorProto.INT8, np.int8)])
def test_cubic_resize_of_integers_stops_at_the_ends(kind, dtype):
    ends = np.iinfo(dtype)
    row = np.array([ends.min, ends.min, ends.max, ends.max, ends.min, ends.min, 10, ends.max], np.int64)
    x = np.tile(row.astype(dtype), (1, 1, 4, 1))
    scales = helper.make_tensor("s", TensorProto.FLOAT, [4], [1, 1, 1, 2])
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="cubic")
    m = model(node, [value("x", kind, [1, 1, 4, 8])], [value("y", kind, [1, 1, 4, 16])], [scales])
    got = ge.load(m.SerializeToString()).run({"x": x})["y"]
    # The oracle in float, brought into the type's range.
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="cubic")
    f = TensorProto.FLOAT
    m = model(node, [value("x", f, [1, 1, 4, 8])], [value("y", f, [1, 1, 4, 16])], [scales])
    want = ReferenceEvaluator(m).run(None, {"x": x.astype(np.float32)})[0]
    assert want.min() < ends.min and want.max() > ends.max
    assert np.abs(got.astype(np.float64) - np.clip(want, ends.min, ends.max)).max() <= 0.51


@pytest.mark.parametrize("rank_known", [True, False])
def test_mean_of_half_layer_normalization_is_float(rank_known):
    half, single = TensorProto.FLOAT16, TensorProto.FLOAT
    node = helper.make_node("LayerNormalization", ["x", "s"], ["y", "mean", "inverse"])
    dims = [2, 4] if rank_known else [None, None]
    scale = onnx.numpy_helper.from_array(np.ones(4, np.float16), "s")
    outputs = [value("y", half, dims), value("mean", single, [None, 1]), value("inverse", single, [None, 1])]
    m = model(node, [value("x", half, dims)], outputs, [scale], 17)
    x = np.array([[1, 2, 3, 4], [0, 0, 4, 4]], np.float16)
    out = ge.load(m.SerializeToString()).run({"x": x})
    assert [out[k].dtype for k in ("y", "mean", "inverse")] == [np.float16, np.float32, np.float32]
    np.testing.assert_allclose(out["mean"][:, 0], [2.5, 2], atol=1e-3)
    np.testing.assert_allclose(out["inverse"][:, 0], 1 / np.sqrt(np.array([1.25, 4]) + 1e-5), rtol=2e-3)


@pytest.mark.parametrize("operator", ["Add", "Mul", "Sum", "Sub"])
def test_operands_of_two_types_are_refused(operator):
    """The standard and ONNX's checker refuse them; GE's operators of the same name promote."""
    inputs = [value("a", TensorProto.FLOAT, [2]), value("b", TensorProto.INT64, [2])]
    node = helper.make_node(operator, ["a", "b"], ["y"])
    with pytest.raises(ge.error.GeError, match=r"DT_FLOAT.*DT_INT64|DT_INT64.*DT_FLOAT"):
        ge.load(model(node, inputs, [value("y", TensorProto.FLOAT, [2])]).SerializeToString())
