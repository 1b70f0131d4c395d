#!/usr/bin/env python3
"""Writes the first inputs of the fuzzers: make_seeds.py FOLDER makes FOLDER/KIND for each KIND of scripts/fuzz.

Small files that between them hold every construct the readers know: attributes of each kind, subgraphs, raw and typed
tensor data, free dimensions. Targets that decode bytes into calls get bytes by chance, the same each time; what is worth
keeping of the inputs that were found from there is in tests/fuzz/corpus.
"""

import json
import pathlib
import random
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


def history():
    """A package's three files and an older operators.json, as history_fuzzer.cpp takes them."""
    root = pathlib.Path(__file__).resolve().parents[2] / "history_protos"
    operators = json.loads((root / "registry/0.1.0/operators.json").read_text())["operators"]
    named = {record["op_type"]: record for record in operators}
    index = {"version": "1.0.0", "releases": [{"release_version": "1.0.0", "release_date": "2026-01-02"}]}
    metadata = {"release_version": "1.0.0", "branch_name": "main"}
    made = {}
    for name, types in {"add": ["Add"], "several": ["Conv2D", "Concat", "If", "Cast"], "lists": ["Transpose", "Pad"]}.items():
        newer = [named[t] for t in types if t in named]
        older = json.loads(json.dumps(newer))
        older[0]["inputs"] = older[0]["inputs"][:1]
        parts = (index, metadata, {"operators": newer}, {"operators": older})
        made[name] = "\n====\n".join(json.dumps(part) for part in parts).encode()
    return made


POINT = {
    "point": {
        "name": "p",
        "type": "FUNCTION",
        "compile_config": "",
        "init_params": [{"name": "n", "type": "VT_LIST_LIST_INT", "value": [[1], [2, 3]]}],
        "invoked_closures": [{"key": "k", "point": {"name": "q", "type": "GRAPH", "compile_config": "c.json"}}],
    },
    "inputs": [[0, 0]],
    "outputs": [[0, 0]],
    "subgraphs": [{"key": "k", "subgraph": "s"}],
}
CONFIG = {
    "workspace": ".",
    "input_num": 1,
    "output_num": 1,
    "func_list": [{"func_name": "f", "inputs_index": [0], "outputs_index": [0], "stream_input": True}],
    "inputs_tensor_desc": [{"shape": [-1, 4], "data_type": "DT_FLOAT", "format": "ND"}],
    "build_options": {"ge.exec.precision_mode": "must_keep_origin_dtype", "threads": 1},
}


def texts():
    """The forms of text_fuzzer.cpp, which the first letter tells apart."""
    lines = [
        "ainput_shape=a:2,4;b:-1,4",
        "ainput_shape=1~8,4;2,4",
        "ainput_data_names=b,a",
        "age.outputNodeName=sum:0;out:0",
        "age.INPUT_NODES_SET_FP16=a;b",
        "ais_input_adjust_hw_layout=false,false",
        "aoutput=name",
        "ia:1,3,-1,224;b:1~8,8",
        "ia:[1,2];b:[2~-1]",
        "othreads=2\nopt_level=3\nge.oo.level=O1\nge.inputShape=a:1,2\npasses.disable=ConstantFolding",
        "orun_time_limit=100\nge.exec.exclude_engines=AiCore|AiVec\nge.disableOptimizations=RemoveSameConstPass",
        "w" + json.dumps({"Switch": {"GraphFusion": {"ALL": "off", "ConstantFolding": "on"}}}),
        "sConstantFolding:on;a::B:off; C : on",
        "f" + json.dumps(CONFIG),
        "p" + json.dumps(POINT),
        "nDT_FLOAT16",
        "nFRACTAL_NZ",
        "xs0 * (s1 + 2) / 3 - Max(s0, 4)",
        "dshape_range=1~8,4~4\nname=x\nsize=64\nplacement=1",
    ]
    return {f"{i:02}": line.encode() for i, line in enumerate(lines)} | {"tensorflow": b"t" + TEXT}


def chances(kind, count, longest):
    source = random.Random(kind)
    return {f"{i:02}": source.randbytes(source.randrange(8, longest)) for i in range(count)}


def offline(handle, path):
    data, size = ffi.new("void **"), ffi.new("size_t *")
    if lib.GeOfflineBuild(handle, NULL, data, size) != 0:
        sys.exit(f"{path.name}: {last_error()}")
    path.write_bytes(bytes(ffi.buffer(data[0], size[0])))
    bundle, models = ffi.new("void **"), ffi.new("const void *[2]", [data[0], data[0]])
    if lib.GeOfflineBundle(models, ffi.new("size_t[2]", [size[0], size[0]]), 2, bundle, size) != 0:
        sys.exit(f"{path.name}: {last_error()}")
    path.with_suffix(".bundle").write_bytes(bytes(ffi.buffer(bundle[0], size[0])))
    lib.GeBytesDestroy(bundle[0])
    lib.GeBytesDestroy(data[0])


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
    for kind in ("onnx", "tensorflow", "air", "offline", "history", "text", "plugin", "es", "infer"):
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
        if name != "convnet":  # the largest
            offline(graph[0], folder / "offline" / f"{name}.om")
        lib.GeGraphDestroy(graph[0])
    others = {
        "tensorflow": tensorflow(),
        "history": history(),
        "text": texts(),
        "plugin": chances("plugin", 60, 200),
        "es": chances("es", 40, 400),
        "infer": chances("infer", 80, 120),
    }
    for kind, files in others.items():
        for name, data in files.items():
            (folder / kind / name).write_bytes(data)


if __name__ == "__main__":
    main()
