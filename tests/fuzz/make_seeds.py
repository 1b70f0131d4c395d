#!/usr/bin/env python3
"""Writes the first inputs of the fuzzers: make_seeds.py FOLDER makes FOLDER/onnx, FOLDER/tensorflow and FOLDER/air.

Small files that between them hold every construct the readers know: attributes of each kind, subgraphs, raw and typed
tensor data, free dimensions.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ge._native import NULL, ffi, last_error, lib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import graphdef as tf  # noqa: E402
import models  # noqa: E402


def branches():
    """If and Loop, with bodies that use values of the outer graph."""
    flag = helper.make_tensor_value_info("flag", TensorProto.BOOL, [])
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])

    def arm(name, op):
        out = helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])
        return helper.make_graph([helper.make_node(op, ["x"], [name])], name + "_graph", [], [out])

    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["c_out"]), helper.make_node("Add", ["v", "x"], ["v_out"])],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v", TensorProto.FLOAT, [2]),
        ],
        [
            helper.make_tensor_value_info("c_out", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v_out", TensorProto.FLOAT, [2]),
        ],
    )
    nodes = [
        helper.make_node("If", ["flag"], ["a"], then_branch=arm("t", "Relu"), else_branch=arm("e", "Neg")),
        helper.make_node("Loop", ["trips", "flag", "a"], ["y"], body=body),
    ]
    trips = numpy_helper.from_array(np.array(3, np.int64), "trips")
    return helper.make_model(helper.make_graph(nodes, "branches", [flag, x], [y], [trips]))


def typed():
    """Constants in each field that holds tensor data, and attributes of each kind."""
    nodes = [
        helper.make_node("Constant", [], ["k"], value=helper.make_tensor("k", TensorProto.FLOAT, [2], [1.0, 2.0])),
        helper.make_node("Constant", [], ["f"], value_floats=[0.5, 1.5]),
        helper.make_node("Constant", [], ["i"], value_ints=[0]),
        helper.make_node("Add", ["k", "f"], ["s"]),
        helper.make_node("Gather", ["s", "i"], ["g"], axis=0),
        helper.make_node("Cast", ["g"], ["h"], to=TensorProto.FLOAT16),
        helper.make_node("Mul", ["h", "w"], ["y"]),
    ]
    w = helper.make_tensor("w", TensorProto.FLOAT16, [1], np.array([2], np.float16).view(np.uint16).tolist())
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT16, ["n"])
    return helper.make_model(helper.make_graph(nodes, "typed", [], [y], [w]))


TEXT = b"""node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } # an input
  attr { key: "shape" value { shape { dim { size: 2 } unknown_rank: false } } } }
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value {
  tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "\\000\\x00\\200?" "\\000\\000\\000@" } } } }
node { name: "y" op: "Mul" input: ["x", "c"] device: '/cpu:0' }
"""


def tensorflow():
    """A network, functions with a branch and a loop, a text."""
    net = tf.Graph()
    kernel, factor = np.ones((3, 3, 2, 4), np.float32), np.ones(4, np.float32)
    y = net.add("Conv2D", net.input("x", (-1, 8, 8, 2)), kernel, strides=[1, 2, 2, 1], padding="SAME")
    y = net.add("FusedBatchNormV3", y, *[factor] * 4, is_training=False, epsilon=0.1)
    y = net.add("MaxPool", y, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    net.add("Softmax", net.add("Mean", y, np.int32([1, 2]), keep_dims=True, T=tf.Type("float32")))
    control = tf.Graph()
    one = tf.node("one", "Const", dtype=tf.Type("int32"), value=np.int32(1))
    state = {"i": "int32", "v": "$T"}
    less = [one, tf.node("l", "LessEqual", ["i", "one:output:0"])]
    step = [one, tf.node("a", "AddV2", ["i", "one:output:0"]), tf.node("m", "Mul", ["v", "v"], T=tf.Placeholder("T"))]
    control.functions = [
        tf.function("more", state, {"r": "bool"}, less, {"r": "l:z:0"}),
        tf.function("step", state, {"ri": "int32", "rv": "$T"}, step, {"ri": "a:z:0", "rv": "m:z:0"}),
        tf.function("same", {"a": "float32"}, {"r": "float32"}, [], {"r": "a"}),
    ]
    body = {name: tf.Func(name, T=tf.Type("float32")) for name in ("more", "step", "same")}
    x = control.add("PartitionedCall", control.input("x", (2,)), f=body["same"])
    control.add("While", np.int32(0), x, cond=body["more"], body=body["step"])
    control.add("If", control.input("c", (), "bool"), x, then_branch=body["same"], else_branch=body["same"])
    return {"net": net.encode(), "control": control.encode(), "text": TEXT}


def main():
    folder = pathlib.Path(sys.argv[1])
    made = {
        "mlp": models.mlp(),
        "free": models.mlp("n"),
        "convnet": models.convnet(),
        "attention": models.attention(),
        "branches": branches(),
        "typed": typed(),
    }
    for kind in ("onnx", "tensorflow", "air"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for name, model in made.items():
        path = folder / "onnx" / f"{name}.onnx"
        onnx.save(model, str(path))
        data = path.read_bytes()
        graph = ffi.new("GeGraph **")
        for status in (
            lib.GeOnnxImportBuffer(data, len(data), NULL, NULL, NULL, graph),
            lib.GeGraphSave(graph[0], str(folder / "air" / f"{name}.air").encode()),
        ):
            if status != 0:
                sys.exit(f"{name}: {last_error()}")
        lib.GeGraphDestroy(graph[0])
    for name, data in tensorflow().items():
        (folder / "tensorflow" / f"{name}.pb").write_bytes(data)


if __name__ == "__main__":
    main()
