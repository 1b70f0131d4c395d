"""Small ONNX models for the tests."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def make(nodes, inputs, outputs, weights=None, opset=17):
    """inputs and outputs: {name: (element type, shape)}; weights: {name: array}."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, t, s) for n, (t, s) in inputs.items()],
        [helper.make_tensor_value_info(n, t, s) for n, (t, s) in outputs.items()],
        [numpy_helper.from_array(a, n) for n, a in (weights or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8
    return model


F, I = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def mlp(batch=4):
    r = np.random.default_rng(1)
    weights = {
        "w1": r.standard_normal((8, 16)).astype(np.float32),
        "b1": r.standard_normal(16).astype(np.float32),
        "w2": r.standard_normal((16, 3)).astype(np.float32),
        "b2": r.standard_normal(3).astype(np.float32),
    }
    nodes = [
        node("Gemm", ["x", "w1", "b1"], ["h"]),
        node("Relu", ["h"], ["a"]),
        node("Gemm", ["a", "w2", "b2"], ["l"]),
        node("Softmax", ["l"], ["y"], axis=-1),
    ]
    return make(nodes, {"x": (F, [batch, 8])}, {"y": (F, [batch, 3])}, weights)


def convnet():
    r = np.random.default_rng(2)
    weights = {
        "w1": r.standard_normal((8, 3, 3, 3)).astype(np.float32) * 0.2,
        "b1": r.standard_normal(8).astype(np.float32),
        "scale": r.uniform(0.5, 1.5, 8).astype(np.float32),
        "shift": r.standard_normal(8).astype(np.float32),
        "mean": r.standard_normal(8).astype(np.float32),
        "var": r.uniform(0.5, 1.5, 8).astype(np.float32),
        "w2": r.standard_normal((8, 1, 3, 3)).astype(np.float32) * 0.3,
        "w3": r.standard_normal((8, 5)).astype(np.float32),
    }
    nodes = [
        node("Conv", ["x", "w1", "b1"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2]),
        node("BatchNormalization", ["c", "scale", "shift", "mean", "var"], ["n"]),
        node("Relu", ["n"], ["r"]),
        node("Conv", ["r", "w2"], ["d"], pads=[1, 1, 1, 1], group=8),
        node("Add", ["d", "r"], ["s"]),
        node("MaxPool", ["s"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", ["p"], ["g"]),
        node("Flatten", ["g"], ["f"]),
        node("MatMul", ["f", "w3"], ["y"]),
    ]
    return make(nodes, {"x": (F, [1, 3, 16, 16])}, {"y": (F, [1, 5])}, weights)


def attention(length=6):
    r = np.random.default_rng(3)
    w = {k: r.standard_normal((8, 8)).astype(np.float32) * 0.3 for k in ("wq", "wk", "wv")}
    w.update(gamma=r.uniform(0.5, 1.5, 8).astype(np.float32), beta=r.standard_normal(8).astype(np.float32))
    w["scale"] = np.float32(8**-0.5)
    nodes = [
        node("LayerNormalization", ["x", "gamma", "beta"], ["n"], axis=-1),
        node("MatMul", ["n", "wq"], ["q"]),
        node("MatMul", ["n", "wk"], ["k"]),
        node("MatMul", ["n", "wv"], ["v"]),
        node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        node("MatMul", ["q", "kt"], ["s0"]),
        node("Mul", ["s0", "scale"], ["s1"]),
        node("Softmax", ["s1"], ["p"], axis=-1),
        node("MatMul", ["p", "v"], ["o"]),
        node("Add", ["o", "x"], ["y"]),
    ]
    return make(nodes, {"x": (F, [2, length, 8])}, {"y": (F, [2, length, 8])}, w)


ALL = {"mlp": mlp, "convnet": convnet, "attention": attention}
