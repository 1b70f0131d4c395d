"""Models with sequences, texts and classical models whose parts a quadratic way of reading them would multiply: what loading
one takes is bounded as in test_bombs.py."""

import numpy as np
import pytest
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


def grown(count):
    """Each list is one longer than the one before; all of them together are quadratic."""
    nodes = [node("SequenceConstruct", ["x"], ["s0"])]
    nodes += [node("SequenceInsert", [f"s{k}", "x"], [f"s{k + 1}"]) for k in range(count)]
    return model([*nodes, node("SequenceLength", [f"s{count}"], ["n"])], [value("x", T.FLOAT, [2])], ["n"])


def kept(count):
    """The same, where others read every list, too."""
    nodes = [node("SequenceConstruct", ["x"], ["s0"])]
    for k in range(count):
        nodes += [node("SequenceInsert", [f"s{k}", "x"], [f"s{k + 1}"]), node("SequenceLength", [f"s{k}"], [f"n{k}"])]
    return model([*nodes, node("Max", [f"n{k}" for k in range(count)], ["n"])], [value("x", T.FLOAT, [2])], ["n"])


def shrunk(count):
    nodes = [node("SequenceConstruct", ["x"] * count, ["s0"])]
    nodes += [node("SequenceErase", [f"s{k}"], [f"s{k + 1}"]) for k in range(count - 1)]
    return model([*nodes, node("SequenceLength", [f"s{count - 1}"], ["n"])], [value("x", T.FLOAT, [2])], ["n"])


def read(count, op, shape):
    """One long list that many nodes read where only a run tells."""
    nodes = [node("SequenceConstruct", ["x"] * count, ["s"])]
    for k in range(count):
        if op == "SequenceAt":
            nodes.append(node(op, ["s", "i"], [f"y{k}"]))
        elif op == "ConcatFromSequence":
            nodes.append(node(op, ["s"], [f"y{k}"], axis=0))
        else:
            nodes += [node(op, ["s", "x", "i"], [f"t{k}"]), node("SequenceLength", [f"t{k}"], [f"y{k}"])]
    inputs = [value("x", T.FLOAT, shape), value("i", T.INT64, [])]
    return model([*nodes, node("Max", [f"y{k}" for k in range(count)], ["y"])], inputs, ["y"])


LISTS = {
    "grown": grown(10_000),
    "kept": kept(3_000),
    "shrunk": shrunk(10_000),
    "read, of one shape": read(1_500, "SequenceAt", [2]),
    "read, of open shapes": read(1_500, "SequenceAt", ["n"]),
    "joined": read(2_500, "ConcatFromSequence", [2]),
    "inserted into": read(1_500, "SequenceInsert", [2]),
}


@pytest.mark.parametrize("name", LISTS)
def test_long_lists(name):
    data = LISTS[name]
    said, more, _ = load(data)
    assert said == "" and more <= 64 * MIB + 20 * len(data), f"{more >> 20} MiB for {len(data)} bytes: {said}"


def test_lists_that_share_their_elements():
    """One list goes on in several ways: none sees what the others do, whoever read it last."""
    nodes = [
        node("SequenceConstruct", ["a", "b"], ["s"]),
        node("Identity", ["s"], ["t"]),
        node("SequenceInsert", ["s", "c"], ["u"]),
        node("SequenceInsert", ["t", "a", "zero"], ["v"]),
        node("SequenceErase", ["t"], ["w"]),
        node("SequenceInsert", ["w", "c"], ["z"]),
        *(node("ConcatFromSequence", [n], [f"{n}_"], axis=0) for n in "uvz"),
    ]
    data = model(nodes, [value(n, T.FLOAT, [1]) for n in "abc"], ["u_", "v_", "z_"], {"zero": np.array(0)})
    got = ge.load(data).run({n: np.array([k], np.float32) for k, n in enumerate("abc")})
    assert {n: v.tolist() for n, v in got.items()} == {"u_": [0, 1, 2], "v_": [0, 0, 1], "z_": [0, 2]}


def test_a_long_list_is_what_a_short_one_is():
    x, i = np.array([3, 5], np.float32), np.array(2)
    for op, want in (("SequenceAt", x), ("ConcatFromSequence", np.tile(x, 4)), ("SequenceInsert", np.array(5))):
        np.testing.assert_array_equal(ge.load(read(4, op, [2])).run({"x": x, "i": i})["y"], want)
    assert ge.load(grown(10_000)).run({"x": x})["n"] == 10_001
    assert ge.load(kept(300)).run({"x": x})["n"] == 300
    assert ge.load(shrunk(300)).run({"x": x})["n"] == 1


@pytest.mark.parametrize("pattern", ["(?i)(?:[!-\u1fff]{1000}){19}", "[" + "a-z" * 20_000 + "]{1000}"])
def test_classes_of_a_pattern_are_shared(pattern):
    """Every copy of a class with letters in both cases would have a thousand ranges of its own."""
    text = helper.make_tensor("value", T.STRING, [1], [b"a"])  # constant, so that loading matches it
    nodes = [node("Constant", [], ["c"], value=text), node("RegexFullMatch", ["c"], ["m"], pattern=pattern)]
    data = model([*nodes, node("And", ["m", "x"], ["y"])], [value("x", T.BOOL, [1])], ["y"], opset=20)
    said, more, spent = load(data)
    assert said == "" and more <= 16 * MIB and spent <= 2, f"{more} bytes, {spent} s: {said}"


def test_stop_words_are_found_in_one_look():
    """4 * 10^10 comparisons where each text is held against each word; a run, not a load."""
    n = 200_000
    nodes = [node("StringNormalizer", ["x"], ["y"], stopwords=[f"w{k}" for k in range(n)], case_change_action="UPPER")]
    loaded = ge.load(model(nodes, [value("x", T.STRING, ["n"])], ["y"]))
    assert loaded.run({"x": [f"W{k}" for k in range(n)] + ["é"]})["y"].tolist() == ["É"]
