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
