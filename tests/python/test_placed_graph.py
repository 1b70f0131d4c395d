"""The placed graph: where nodes run, as data, text and picture."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ge


def mlp(rows):
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((16, 8), dtype=np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "w"], ["y"], "product"),
            helper.make_node("Softmax", ["y"], ["s"], "normal", axis=-1),
            helper.make_node("Flatten", ["s"], ["f"], "flat", axis=0),
        ],
        "mlp",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 16])],
        [helper.make_tensor_value_info("f", TensorProto.FLOAT, None)],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString(), weights


def attrs(node):
    return {key: node.get_attr(key) for key in ("_engine", "_implementation", "_refusals") if node.has_attr(key)}


def placed(model):
    return {n.name: attrs(n) for n in model.placed_graph().get_all_nodes() if n.has_attr("_engine")}


def test_nodes_say_what_placement_says():
    model = ge.load(mlp(4)[0])
    nodes = placed(model)
    rows = {row["node"]: row for row in model.placement()}
    assert nodes.keys() == rows.keys() and len(rows) >= 3
    for name, row in rows.items():
        assert nodes[name]["_engine"] == row["engine"]
        assert nodes[name]["_implementation"] == row["implementation"]
        refusals = nodes[name].get("_refusals", "")
        assert dict(line.split(": ", 1) for line in refusals.splitlines()) == row["refusals"]
    assert any(row["refusals"] for row in rows.values())


def test_a_placed_graph_compiles_to_the_same_placement_and_results():
    raw, weights = mlp(4)
    model = ge.load(raw)
    again = ge.load(model.placed_graph())
    assert [(r["type"], r["engine"]) for r in again.placement()] == [(r["type"], r["engine"]) for r in model.placement()]
    x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(4, 16)
    e = np.exp(x.astype(np.float64) @ weights)
    want = (e / e.sum(-1, keepdims=True)).reshape(1, -1)
    for m in (model, again):
        np.testing.assert_allclose(m.run({"x": x})["f"], want, rtol=1e-5)


def test_an_open_model_names_engines_before_a_plan_and_kernels_after():
    model = ge.load(mlp("n")[0])
    before = placed(model)
    assert before and all("_engine" in n and "_implementation" not in n for n in before.values())
    model.run({"x": np.zeros((3, 16), np.float32)})
    assert all(n["_implementation"] for n in placed(model).values())


def test_text_and_pictures_show_engines():
    model = ge.load(mlp(4)[0])
    row = next(r for r in model.placement() if r["implementation"] != "view")
    where = f"{row['engine']}: {row['implementation']}"
    readable = model.graph("readable", placed=True)
    assert row["engine"] in readable and row["engine"] not in model.graph("readable")
    assert where in model.graph("dot", placed=True)
    texts = [t.text or "" for t in ElementTree.fromstring(model.graph("svg", placed=True)).iter() if t.tag.endswith("text")]
    assert row["engine"] in texts and any(t and row["implementation"].endswith(t.lstrip("…")) for t in texts)
    colours = re.findall(r'fillcolor="(#\w+)"', model.graph("dot", placed=True))
    assert len(set(colours)) > 2
    with pytest.raises(ValueError, match="format 'png' is none of readable, dot, svg"):
        model.graph("png", placed=True)


@pytest.mark.parametrize("excluded", ["", "AIcoreEngine,VectorEngine"])
def test_a_graph_whose_weights_are_gone_is_not_compiled_again(tmp_path, excluded):
    """A model from a file gives the memory of packed weights back. The reference engine reads them as they are: its graphs
    compile again."""
    weights = np.random.default_rng(0).standard_normal((128, 512), dtype=np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "product")],
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [16, 128])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [16, 512])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    path = str(tmp_path / "large.onnx")
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    options = {"engines.exclude": excluded}
    model = ge.load(path, options=options)
    engine = model.placement()[0]["engine"]
    packs = engine == "AIcoreEngine"  # which only processors of x86-64-v3 have
    assert packs or engine == "DNN_VM_HOST_CPU"
    assert model.report()["memory"]["discarded_constant_bytes"] == (weights.nbytes if packs else 0)
    x = np.linspace(-1, 1, 16 * 128, dtype=np.float32).reshape(16, 128)
    placed_graph = model.placed_graph()
    if packs:
        with pytest.raises(Exception, match="Const 'w' has lost its content of 262144 bytes"):
            ge.load(placed_graph, options=options)
    else:
        again = ge.load(placed_graph, options=options)
        np.testing.assert_allclose(again.run({"x": x})["y"], x @ weights, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(model.run({"x": x})["y"], x @ weights, rtol=1e-3, atol=1e-3)
