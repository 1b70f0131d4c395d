"""Nodes that share a kernel must be equal in all that the kernel reads; ONNX Runtime says what is right."""

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge


def squeeze_model(channels, blocks, pool):
    """Branches conv -> pool -> conv whose pooled tensors have `channels` channels each; all read x."""
    rng = np.random.default_rng(sum(channels))
    nodes, weights, outputs = [], [], []
    for k, c in enumerate(channels):
        for name, shape in ((f"w{k}", (c, blocks, 1, 1)), (f"v{k}", (blocks, c, 1, 1))):
            w = rng.standard_normal(shape).astype(np.float32) / np.sqrt(shape[1], dtype=np.float32)
            weights.append(numpy_helper.from_array(w, name))
        nodes += [helper.make_node("Conv", ["x", f"w{k}"], [f"a{k}"])]
        nodes += [helper.make_node(pool, [f"a{k}"], [f"p{k}"])]
        nodes += [helper.make_node("Conv", [f"p{k}", f"v{k}"], [f"y{k}"])]
        outputs.append(helper.make_tensor_value_info(f"y{k}", TensorProto.FLOAT, [1, blocks, 1, 1]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, blocks, 6, 6])
    graph = helper.make_graph(nodes, "g", [x], outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    return model


@pytest.mark.isa
@pytest.mark.parametrize("pool", ["GlobalAveragePool", "GlobalMaxPool"])
@pytest.mark.parametrize("channels", [(40, 48), (48, 40), (20, 24), (17, 31), (3, 5, 7, 33, 40, 48)])
def test_pools_of_equal_blocks_and_other_channels(tmp_path, channels, pool):
    model = squeeze_model(channels, 16, pool)
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    feed = {"x": np.random.default_rng(1).standard_normal((1, 16, 6, 6)).astype(np.float32)}
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    got = ge.load(str(path), options={"threads": 1}).run(feed)
    for output, right in zip(model.graph.output, session.run(None, feed)):
        np.testing.assert_allclose(got[output.name], right, rtol=1e-4, atol=1e-5, err_msg=output.name)


def filters_of_equal_bytes(first, second, groups):
    """Two convolutions whose filters are the same numbers in other shapes, and known only with the batch: their
    constants share memory then."""
    channels = first[1] if groups == (1, 1) else groups[0]
    w = np.random.default_rng(5).standard_normal(first).astype(np.float32) * np.float32(0.3)
    weights = [numpy_helper.from_array(v, n) for v, n in ((w, "w1"), (w.reshape(second), "w2"), (np.int64(0), "zero"))]
    weights.append(numpy_helper.from_array(np.eye(channels, dtype=np.float32)[:, :, None, None], "w0"))
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"]),
        helper.make_node("Cast", ["n"], ["nf"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["w1", "nf"], ["u1"]),
        helper.make_node("Mul", ["w2", "nf"], ["u2"]),
        helper.make_node("Conv", ["x", "w0"], ["a"]),
        helper.make_node("Conv", ["a", "u1"], ["b"], group=groups[0], pads=[0, 0, 0, 0]),
        helper.make_node("Conv", ["b" if groups == (1, 1) else "z", "u2"], ["y"], group=groups[1]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", channels, 14, 14])]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("b", "y")]
    if groups != (1, 1):
        inputs.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", groups[1], 14, 14]))
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


@pytest.mark.isa
@pytest.mark.parametrize(
    "first, second, groups",
    [
        ((32, 64, 1, 1), (64, 32, 1, 1), (1, 1)),
        ((40, 16, 1, 1), (16, 40, 1, 1), (1, 1)),
        ((64, 1, 3, 3), (32, 1, 3, 6), (64, 32)),
        ((64, 1, 3, 3), (32, 1, 6, 3), (64, 32)),
    ],
)
def test_filters_of_equal_bytes_and_other_shapes(first, second, groups):
    model = filters_of_equal_bytes(first, second, groups)
    rng = np.random.default_rng(1)
    feed = {
        i.name: rng.standard_normal((2, i.type.tensor_type.shape.dim[1].dim_value, 14, 14)).astype(np.float32)
        for i in model.graph.input
    }
    right = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)
    got = ge.load(model.SerializeToString(), options={"threads": 1}).run(feed)
    for output, value in zip(model.graph.output, right, strict=True):
        np.testing.assert_allclose(got[output.name], value, rtol=1e-3, atol=1e-3, err_msg=output.name)
