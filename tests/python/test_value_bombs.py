"""Models with sequences, texts and classical models whose parts a quadratic way of reading them would multiply: what loading
one takes is bounded as in test_bombs.py."""

import numpy as np
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from test_bombs import MIB, load

import ge


def node(*args, **attrs):
    return helper.make_node(*args, **attrs)


def value(name, elem=T.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, elem, shape)


def model(nodes, inputs, outputs, constants=None, opset=18):
    made = [numpy_helper.from_array(np.asarray(v), k) for k, v in (constants or {}).items()]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_empty_tensor_value_info(o) for o in outputs], made)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 5)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def svm(classes, **attrs):
    """Two vectors for each class."""
    n, pairs = 2 * classes, classes * (classes - 1) // 2
    return node(
        "SVMClassifier", ["x"], ["l", "s"], domain="ai.onnx.ml", kernel_type="LINEAR", vectors_per_class=[2] * classes,
        coefficients=[0.0] * ((classes - 1) * n), support_vectors=[0.0] * n, classlabels_ints=list(range(classes)),
        rho=np.linspace(-1, 1, pairs).astype(np.float32).tolist(), **attrs,
    )  # fmt: skip


def classes(count):
    """A matrix with a row for each pair and a column for each vector has count ** 3 numbers, the file count ** 2."""
    return model([svm(count)], [value("x", T.FLOAT, [2, 1])], ["l", "s"])


def test_pairs_of_many_classes():
    count, data = 300, classes(300)
    said, grown, _ = load(data)
    assert said == "" and grown <= 64 * MIB + 20 * len(data), f"{grown >> 20} MiB"
    x = np.zeros((2, 1), np.float32)
    labels, scores = ge.load(data).run({"x": x}).values()
    rho = np.linspace(-1, 1, count * (count - 1) // 2).astype(np.float32)
    first, second = np.triu_indices(count, 1)
    votes = np.bincount(np.where(rho > 0, first, second), minlength=count)
    np.testing.assert_allclose(scores, [rho, rho], atol=1e-6)
    assert labels.tolist() == [votes.argmax()] * 2


def scans(batch):
    """Opset 8: every scan of the batch has a body of its own."""
    s, e, t, u = (value(name, T.FLOAT, [1]) for name in "setu")
    body = helper.make_graph([node("Add", ["s", "e"], ["t"]), node("Add", ["t", "e"], ["u"])], "body", [s, e], [t, u])
    scan = node("Scan", ["", "start", "x"], ["y", "z"], body=body, num_scan_inputs=1)
    inputs = [value("start", T.FLOAT, [batch, 1]), value("x", T.FLOAT, [batch, "n", 1])]
    return model([scan], inputs, ["y", "z"], opset=8)


def test_scans_of_a_large_batch():
    said, grown, spent = load(scans(10_000_000))
    assert "the body, written for each of 10000000 scans, has" in said and "import_limit" in said
    assert grown <= 64 * MIB and spent <= 2
    start, x = np.zeros((2, 1), np.float32), np.arange(6, dtype=np.float32).reshape(2, 3, 1)
    got = ge.load(scans(2)).run({"start": start, "x": x})
    np.testing.assert_array_equal(got["y"], x.sum(1))
