#!/usr/bin/env python3
"""Writes the first inputs of the fuzzers: make_seeds.py FOLDER makes FOLDER/onnx and FOLDER/air.

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
    for kind in ("onnx", "air"):
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


if __name__ == "__main__":
    main()
