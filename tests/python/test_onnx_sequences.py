"""Sequences and optional values of ONNX: as lists that the import resolves, packed where only a run tells them, and at a
model's borders. The oracle is NumPy or ONNX Runtime."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge
from ge.error import GeError

F, I64, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def seq(name, elem=F, shape=None):
    return helper.make_tensor_sequence_value_info(name, elem, shape)


def tensor(name, elem=F, shape=None):
    return helper.make_tensor_value_info(name, elem, shape)


def optional(name, inner):
    return helper.make_value_info(name, helper.make_optional_type_proto(inner))


def model(nodes, inputs, outputs, constants=(), opset=21):
    made = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants]
    graph = helper.make_graph(nodes, "g", inputs, outputs, made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs, outputs, **attrs)


def run(m, feed):
    return ge.load(m.SerializeToString()).run(feed)


def theirs(m, feed):
    session = onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feed)


def same(got, want):
    if isinstance(want, list):
        assert isinstance(got, list) and len(got) == len(want)
        for a, b in zip(got, want):
            same(a, b)
        return
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-6)


def arrays(*shapes, dtype=np.float32):
    return [np.random.default_rng(i).uniform(-2, 2, shape).astype(dtype) for i, shape in enumerate(shapes)]


MIXED = [(2, 3), (4,), (), (0, 2), (1, 2, 3)]


@pytest.mark.parametrize("shapes", [MIXED, [], [(3,)]])
def test_a_sequence_goes_in_and_out(shapes):
    x = arrays(*shapes)
    m = model([node("Identity", ["s"], ["t"])], [seq("s")], [seq("t")])
    same(run(m, {"s": x})["t"], x)


@pytest.mark.parametrize("place", [0, 2, -1, -5, None])
@pytest.mark.parametrize("fed", [True, False])
def test_insert_into_a_fed_sequence(place, fed):
    x = arrays(*MIXED)
    new = np.arange(6, dtype=np.float32).reshape(3, 2)
    at = ["at"] if place is not None else []
    inputs = [seq("s"), tensor("x", F, [3, 2])]
    constants = []
    feed = {"s": x, "x": new}
    if at and fed:
        inputs.append(tensor("at", I64, []))
        feed["at"] = np.array(place, np.int64)
    elif at:
        constants.append(("at", np.array(place, np.int64)))
    m = model([node("SequenceInsert", ["s", "x", *at], ["t"])], inputs, [seq("t")], constants)
    want = list(x)
    want.insert(len(x) if place is None else place, new)
    same(run(m, feed)["t"], want)


@pytest.mark.parametrize("place", [0, 3, -1, -2, None])
def test_erase_at_and_length(place):
    x = arrays(*MIXED)
    at = ["at"] if place is not None else []
    nodes = [
        node("SequenceErase", ["s", *at], ["t"]),
        node("SequenceLength", ["t"], ["n"]),
        node("SequenceAt", ["t", "first"], ["y"]),
    ]
    inputs = [seq("s"), tensor("first", I64, [])] + ([tensor("at", I64, [])] if at else [])
    m = model(nodes, inputs, [seq("t"), tensor("n", I64, []), tensor("y", F)])
    want = list(x)
    del want[-1 if place is None else place]
    feed = {"s": x, "first": np.array(1, np.int64), **({"at": np.array(place, np.int64)} if at else {})}
    got = run(m, feed)
    same(got["t"], want)
    assert got["n"] == len(want) and got["n"].shape == ()
    same(got["y"], want[1])


def test_lists_that_the_import_knows_cost_no_node():
    nodes = [
        node("SequenceConstruct", ["a", "b"], ["s"]),
        node("SequenceInsert", ["s", "c", "one"], ["t"]),
        node("SequenceErase", ["t", "zero"], ["u"]),
        node("SequenceAt", ["u", "zero"], ["first"]),
        node("SequenceLength", ["u"], ["n"]),
        node("ConcatFromSequence", ["u"], ["y"], axis=-1),
        node("ConcatFromSequence", ["u"], ["z"], axis=-1, new_axis=1),
    ]
    a, b, c = arrays((2, 3), (2, 3), (2, 3))
    constants = [("one", np.array(1)), ("zero", np.array(0))]
    m = model(
        nodes,
        [tensor(n, F, [2, 3]) for n in "abc"],
        [tensor("first"), tensor("n", I64), tensor("y"), tensor("z")],
        constants,
    )
    loaded = ge.load(m.SerializeToString())
    assert not {row["type"] for row in loaded.placement()} & {"SequencePack", "SequenceAt", "SequenceInsert"}
    got = loaded.run({"a": a, "b": b, "c": c})
    same(got["first"], c)
    assert got["n"] == 2
    same(got["y"], np.concatenate([c, b], -1))
    same(got["z"], np.stack([c, b], -1))


@pytest.mark.parametrize("alike", [True, False])
def test_a_list_is_read_where_a_run_says(alike):
    a, b = arrays((2, 3), (2, 3) if alike else (5,))
    nodes = [node("SequenceConstruct", ["a", "b"], ["s"]), node("SequenceAt", ["s", "i"], ["y"])]
    m = model(nodes, [tensor("a", F, a.shape), tensor("b", F, b.shape), tensor("i", I64, [])], [tensor("y")])
    loaded = ge.load(m.SerializeToString())
    for i in (0, 1, -1, -2):
        same(loaded.run({"a": a, "b": b, "i": np.array(i)})["y"], [a, b][i])
    for i in (2, -3):
        with pytest.raises(GeError, match="range|2"):
            loaded.run({"a": a, "b": b, "i": np.array(i)})


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("split", [None, 1, 5, [2, 4], [1, 0, 5]])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("keep", [0, 1])
def test_split_to_sequence(axis, split, known, keep):
    (x,) = arrays((6, 6))
    names = ["x"] + (["split"] if split is not None else [])
    inputs, constants, feed = [tensor("x", F, x.shape if known else ["a", "b"])], [], {"x": x}
    if split is not None and known:
        constants.append(("split", np.array(split, np.int64)))
    elif split is not None:
        inputs.append(tensor("split", I64, np.array(split).shape))
        feed["split"] = np.array(split, np.int64)
    m = model([node("SplitToSequence", names, ["s"], axis=axis, keepdims=keep)], inputs, [seq("s")], constants)
    if split is None or isinstance(split, int):
        bounds = range(split or 1, 6, split or 1)
    else:
        bounds = np.cumsum(split)[:-1]
    want = np.split(x, bounds, axis)
    if split is None and not keep:
        want = [p.squeeze(axis) for p in want]
    same(run(m, feed)["s"], [np.ascontiguousarray(p) for p in want])


@pytest.mark.parametrize(("axis", "fresh"), [(0, 0), (1, 0), (-1, 0), (0, 1), (1, 1), (2, 1), (-1, 1)])
def test_concat_from_a_fed_sequence(axis, fresh):
    x = arrays((2, 3), (2, 3), (2, 3))
    m = model([node("ConcatFromSequence", ["s"], ["y"], axis=axis, new_axis=fresh)], [seq("s")], [tensor("y")])
    same(run(m, {"s": x})["y"], (np.stack if fresh else np.concatenate)(x, axis))


def test_concat_of_different_extents():
    x = arrays((2, 3), (2, 1), (2, 4))
    m = model([node("ConcatFromSequence", ["s"], ["y"], axis=1)], [seq("s")], [tensor("y")])
    same(run(m, {"s": x})["y"], np.concatenate(x, 1))


@pytest.mark.parametrize("listed", [True, False])
def test_sequence_map(listed):
    body = helper.make_graph(
        [node("Mul", ["a", "b"], ["p"]), node("Shape", ["a"], ["q"])],
        "body",
        [tensor("a"), tensor("b")],
        [tensor("p"), tensor("q", I64)],
    )
    mapped = node("SequenceMap", ["s", "t"], ["u", "v"], body=body)
    x, (scale,) = arrays((2, 3), (4, 3), (1, 3)), arrays((3,))
    outputs = [seq("u"), seq("v", I64)]
    if listed:
        names = ["x0", "x1", "x2"]
        m = model(
            [node("SequenceConstruct", names, ["s"]), mapped],
            [*(tensor(n, F, a.shape) for n, a in zip(names, x)), tensor("t", F, [3])],
            outputs,
        )
        got = run(m, {**dict(zip(names, x)), "t": scale})
    else:
        got = run(model([mapped], [seq("s"), tensor("t", F, [3])], outputs), {"s": x, "t": scale})
    same(got["u"], [a * scale for a in x])
    same(got["v"], [np.array(a.shape) for a in x])


@pytest.mark.parametrize("lengths", [(2, 3), (3, 2), (0, 2), (2, 0)])
def test_sequences_of_different_lengths_are_not_mapped(lengths):
    body = helper.make_graph([node("Add", ["a", "b"], ["p"])], "body", [tensor("a"), tensor("b")], [tensor("p")])
    mapped = node("SequenceMap", ["s", "t"], ["u"], body=body)
    loaded = ge.load(model([mapped], [seq("s"), seq("t")], [seq("u")]).SerializeToString())
    one, two = (arrays(*[(2,)] * n) for n in lengths)
    with pytest.raises(GeError, match=f"sequence 1 has {lengths[1]} tensors, sequence 0 has {lengths[0]}"):
        loaded.run({"s": one, "t": two})
    same(loaded.run({"s": one, "t": one})["u"], [a + a for a in one])
    parts = [node("SequenceConstruct", ["x"] * n, [s]) for n, s in zip(lengths, "st") if n]
    if len(parts) == 2:
        with pytest.raises(GeError, match=f"sequences of {lengths[0]} and of {lengths[1]} tensors are mapped"):
            ge.load(model([*parts, mapped], [tensor("x", F, [2])], [seq("u")]).SerializeToString())


def growing(kind):
    """A loop that appends x[:i+1] in round i."""
    body = helper.make_graph(
        [
            node("Identity", ["go"], ["still"]),
            node("Add", ["i", "one"], ["end"]),
            node("Unsqueeze", ["end", "zero"], ["ends"]),
            node("Slice", ["x", "zero", "ends"], ["piece"]),
            node("SequenceInsert", ["before", "piece"], ["after"]),
        ],
        "body",
        [tensor("i", I64, []), tensor("go", B, []), kind],
        [tensor("still", B, []), seq("after")],
    )
    return node("Loop", ["n", "", "start"], ["s"], body=body)


@pytest.mark.parametrize("known", [True, False])
def test_a_loop_grows_a_sequence(known):
    (x,) = arrays((5,))
    constants = [("one", np.array(1)), ("zero", np.array([0]))]
    inputs, feed = [tensor("x", F, [5])], {"x": x}
    if known:
        constants.append(("n", np.array(4)))
    else:
        inputs.append(tensor("n", I64, []))
        feed["n"] = np.array(4)
    nodes = [node("SequenceEmpty", [], ["start"]), growing(seq("before"))]
    m = model(nodes, inputs, [seq("s")], constants)
    loaded = ge.load(m.SerializeToString())
    same(loaded.run(feed)["s"], [x[: i + 1] for i in range(4)])
    if not known:
        same(loaded.run({"x": x, "n": np.array(0)})["s"], [])


@pytest.mark.parametrize("choice", [True, False])
@pytest.mark.parametrize("lengths", [(2, 2), (1, 3), (0, 2)])
def test_branches_give_sequences(choice, lengths):
    def branch(name, count):
        if not count:
            nodes = [node("SequenceEmpty", [], [name])]
        else:
            nodes = [node("SequenceConstruct", ["x"] * count, [name])]
        return helper.make_graph(nodes, name, [], [seq(name)])

    chosen = node("If", ["c"], ["s"], then_branch=branch("yes", lengths[0]), else_branch=branch("no", lengths[1]))
    m = model([chosen], [tensor("c", B, []), tensor("x", F, [2])], [seq("s")])
    (x,) = arrays((2,))
    same(run(m, {"c": np.array(choice), "x": x})["s"], [x] * lengths[0 if choice else 1])


def test_sequences_as_onnx_runtime_has_them():
    nodes = [
        node("SplitToSequence", ["x", "two"], ["s"], axis=0),
        node("SequenceInsert", ["s", "y", "at"], ["t"]),
        node("SequenceErase", ["t", "out"], ["u"]),
        node("ConcatFromSequence", ["u"], ["z"], axis=0),
        node("SequenceLength", ["u"], ["n"]),
    ]
    inputs = [tensor("x", F, ["a", 3]), tensor("y", F, ["b", 3]), tensor("at", I64, []), tensor("out", I64, [])]
    m = model(nodes, inputs, [tensor("z", F, ["c", 3]), tensor("n", I64, [])], [("two", np.array(2))], 13)
    x, y = arrays((7, 3), (2, 3))
    for at, out in ((0, 0), (-1, 2), (4, -1)):
        feed = {"x": x, "y": y, "at": np.array(at), "out": np.array(out)}
        want = theirs(m, feed)
        got = run(m, feed)
        same([got["z"], got["n"]], [want[0], np.asarray(want[1])])


# ---- optional values ----

ASK = [
    node("OptionalHasElement", ["o"], ["has"]),
    node(
        "If",
        ["has"],
        ["y"],
        then_branch=helper.make_graph([node("OptionalGetElement", ["o"], ["v"])], "yes", [], [tensor("v")]),
        else_branch=helper.make_graph([node("Identity", ["d"], ["w"])], "no", [], [tensor("w")]),
    ),
]


def test_an_optional_tensor_is_asked():
    inner = helper.make_tensor_type_proto(F, [2])
    m = model(ASK, [optional("o", inner), tensor("d", F, [2])], [tensor("has", B, []), tensor("y", F)])
    loaded = ge.load(m.SerializeToString())
    o, d = arrays((2,), (2,))
    for given in (o, None):
        got = loaded.run({"o": given, "d": d})
        assert got["has"] == (given is not None)
        same(got["y"], d if given is None else o)


def test_an_optional_sequence_goes_through():
    inner = helper.make_sequence_type_proto(helper.make_tensor_type_proto(F, None))
    m = model([node("Identity", ["o"], ["p"])], [optional("o", inner)], [optional("p", inner)])
    loaded = ge.load(m.SerializeToString())
    x = arrays(*MIXED)
    same(loaded.run({"o": x})["p"], x)
    same(loaded.run({"o": []})["p"], [])
    assert loaded.run({"o": None})["p"] is None


def test_what_is_not_there_is_not_got():
    inner = helper.make_tensor_type_proto(F, [2])
    m = model([node("OptionalGetElement", ["o"], ["y"])], [optional("o", inner)], [tensor("y", F, [2])])
    loaded = ge.load(m.SerializeToString())
    (x,) = arrays((2,))
    same(loaded.run({"o": x})["y"], x)
    with pytest.raises(GeError, match="optional value is empty"):
        loaded.run({"o": None})


def test_optionals_that_the_import_knows():
    inner = helper.make_tensor_type_proto(F, [2])
    nodes = [
        node("Optional", ["x"], ["o"]),
        node("Optional", [], ["none"], type=inner),
        node("OptionalHasElement", ["o"], ["a"]),
        node("OptionalHasElement", ["none"], ["b"]),
        node("OptionalGetElement", ["o"], ["y"]),
    ]
    m = model(nodes, [tensor("x", F, [2])], [tensor("a", B), tensor("b", B), tensor("y")])
    (x,) = arrays((2,))
    got = run(m, {"x": x})
    assert got["a"] and not got["b"]
    same(got["y"], x)


# ---- how programs see them, and what is refused ----


def test_ports_say_what_they_are():
    inner = helper.make_sequence_type_proto(helper.make_tensor_type_proto(I64, None))
    m = model(
        [node("Identity", ["s"], ["t"]), node("OptionalHasElement", ["o"], ["has"])],
        [seq("s"), tensor("x", F, [2]), optional("o", inner)],
        [seq("t"), tensor("has", B, [])],
    )
    loaded = ge.load(m.SerializeToString())
    assert [str(p) for p in loaded.inputs] == ["s: sequence of float32", "x: float32[2]", "o: optional sequence of int64"]
    assert [str(p) for p in loaded.outputs] == ["t: sequence of float32", "has: bool[]"]
    assert [p.shape_text() for p in loaded.inputs] == ["[…]", "[2]", "[…]"]
    assert [p.name for p in loaded.inputs[2].ports] == ["o.given", "o", "o.shapes"]
    (x,) = arrays((2,))
    t, has = loaded([x, x], x, None)
    same(t, [x, x])
    assert not has


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros(3, np.float32), "input 's': got ndarray, expected a list"),
        ([np.zeros(3, np.int8)], r"input 's\[0\]': got dtype int8, expected float32"),
        ([np.zeros((1,) * 8, np.float32)], "rank 8"),
        ([None], r"input 's\[0\]': got NoneType"),
    ],
)
def test_values_that_are_no_sequence(value, text):
    loaded = ge.load(model([node("Identity", ["s"], ["t"])], [seq("s")], [seq("t")]).SerializeToString())
    with pytest.raises((GeError, ValueError, TypeError), match=text):
        loaded.run({"s": value})
    with pytest.raises(KeyError, match="missing input 's'"):
        loaded.run({})


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        ([node("SequenceAt", ["s", "i"], ["y"])], "position 3 is out of range for a sequence of 2"),
        ([node("SequenceErase", ["s", "i"], ["t"]), node("SequenceLength", ["t"], ["y"])], "position 3"),
        ([node("SequenceAt", ["x", "i"], ["y"])], "input 0 'x' is a tensor, a sequence is needed"),
        ([node("Relu", ["s"], ["y"])], "is a sequence, the operator takes tensors"),
        ([node("SequenceInsert", ["s", "i"], ["t"]), node("SequenceLength", ["t"], ["y"])], "the sequence of"),
        ([node("SequenceEmpty", [], ["e"]), node("ConcatFromSequence", ["e"], ["y"], axis=0)], "is empty"),
    ],
)
def test_models_that_are_refused(nodes, text):
    m = model(
        [node("SequenceConstruct", ["x", "x"], ["s"]), *nodes],
        [tensor("x", F, [2])],
        [helper.make_empty_tensor_value_info("y")],
        [("i", np.array(3))],
    )
    with pytest.raises(GeError, match=text):
        ge.load(m.SerializeToString())


def test_elements_of_less_than_a_byte():
    body = model([node("Identity", ["s"], ["t"])], [seq("s", TensorProto.INT4)], [seq("t", TensorProto.INT4)])
    with pytest.raises(GeError, match="elements of sequences take whole bytes"):
        ge.load(body.SerializeToString())
    nodes = [node("SequenceConstruct", ["x", "z"], ["s"]), node("SequenceAt", ["s", "i"], ["y"])]
    inputs = [tensor("x", TensorProto.INT4, [2]), tensor("z", TensorProto.INT4, [3]), tensor("i", I64, [])]
    with pytest.raises(GeError, match="sequences of .*INT4 are not supported"):
        ge.load(model(nodes, inputs, [tensor("y", TensorProto.INT4)]).SerializeToString())


def test_positions_beyond_a_fed_sequence():
    m = model([node("SequenceAt", ["s", "i"], ["y"])], [seq("s"), tensor("i", I64, [])], [tensor("y")])
    loaded = ge.load(m.SerializeToString())
    for i in (2, -3):
        with pytest.raises(GeError, match=f"position {i} is out of range for a sequence of 2 tensors"):
            loaded.run({"s": arrays((2,), (3,)), "i": np.array(i)})


def test_tensors_that_do_not_join():
    m = model([node("ConcatFromSequence", ["s"], ["y"], axis=0)], [seq("s")], [tensor("y")])
    loaded = ge.load(m.SerializeToString())
    with pytest.raises(GeError, match=r"element 1 has shape \[3,2\], element 0 has \[2,3\]"):
        loaded.run({"s": arrays((2, 3), (3, 2))})
    with pytest.raises(GeError, match="the sequence is empty"):
        loaded.run({"s": []})


def test_a_loop_goes_on_with_a_fed_sequence():
    nodes = [growing(seq("before")), node("ConcatFromSequence", ["s"], ["y"], axis=0)]
    constants = [("one", np.array(1)), ("zero", np.array([0]))]
    m = model(nodes, [tensor("x", F, [5]), tensor("n", I64, []), seq("start")], [tensor("y")], constants)
    (x,), start = arrays((5,)), arrays((2,), (1,))
    got = run(m, {"x": x, "n": np.array(3), "start": start})["y"]
    same(got, np.concatenate([*start, x[:1], x[:2], x[:3]]))
