"""Writes the small ONNX model that the examples' tests run: y = softmax(relu(x @ w + b)).

    python make_model.py OUT.onnx
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)
weights = [numpy_helper.from_array(rng.standard_normal(s).astype(np.float32), n) for n, s in (("w", (8, 4)), ("b", (4,)))]
nodes = [
    helper.make_node("MatMul", ["x", "w"], ["m"]),
    helper.make_node("Add", ["m", "b"], ["a"]),
    helper.make_node("Relu", ["a"], ["r"]),
    helper.make_node("Softmax", ["r"], ["y"], axis=-1),
]
io = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [2, 8]), ("y", [2, 4]))]
graph = helper.make_graph(nodes, "small", io[:1], io[1:], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 8
onnx.save(model, sys.argv[1])
