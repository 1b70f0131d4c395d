"""State between runs: caches that grow in place, against NumPy and against runs that copy them."""

import asyncio
import os
import threading
import typing

import numpy as np
import onnx
import pytest
from decoder import HEADS, VOCABULARY, WIDTH, Decoder, checked, mask
from onnx import TensorProto, helper

import ge
from ge.error import GeError

pytestmark = pytest.mark.isa


def tokens(count, batch=1, seed=1):
    return np.random.default_rng(seed).integers(0, VOCABULARY, (batch, count))


def close(got, want, what=""):
    np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-4 * max(1.0, float(np.abs(want).max())), err_msg=what)


@pytest.fixture(scope="module")
def plain():
    decoder = Decoder()
    return decoder, ge.load(checked(decoder.model()))


@pytest.fixture(scope="module")
def masked():
    decoder = Decoder(masked=True)
    return decoder, ge.load(checked(decoder.model()))


def rows(count, batch=1):
    return np.zeros((batch, HEADS, count, WIDTH), np.float32)


def step(model, state, ids):
    return model.run({"ids": ids}, state=state)["logits"]


def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096


def test_room_takes_memory_when_tokens_come(plain):
    decoder, model = plain
    count = (256 << 20) // (HEADS * WIDTH * 4)  # 256 MB for each cache
    before = resident()
    state = model.state(decoder.pairs, capacity=count)
    assert state.capacity >= count
    model.run({"ids": tokens(3)}, state=state)
    assert resident() - before < 100 << 20


def test_two_hundred_steps_are_the_prompt_at_once(plain):
    decoder, model = plain
    ids = tokens(200)
    want, caches = decoder.at_once(ids)
    state = model.state(decoder.pairs, capacity=16)
    for i in range(200):
        out = model.run({"ids": ids[:, i : i + 1]}, state=state)
        assert list(out) == ["logits"]
        close(out["logits"][:, 0], want[:, i], f"step {i}")
        assert state.length == i + 1 <= state.capacity
    for name, cache in caches.items():
        close(state[name], cache, name)


def test_in_place_and_by_copies_agree_to_the_bit(plain):
    decoder, model = plain
    ids, state = tokens(60, batch=2, seed=3), model.state(decoder.pairs)
    feed = {name: np.zeros((2, HEADS, 0, WIDTH), np.float32) for name in decoder.pairs}
    for name, empty in feed.items():
        state[name] = empty
    for i in range(60):
        out = model.run({"ids": ids[:, i : i + 1], **feed})
        kept = model.run({"ids": ids[:, i : i + 1]}, state=state)
        np.testing.assert_array_equal(kept["logits"], out["logits"])
        feed = {past: out[present] for past, present in decoder.pairs.items()}
    for name, cache in feed.items():
        np.testing.assert_array_equal(state[name], cache)


def test_prompt_then_steps_then_several_tokens(masked):
    decoder, model = masked
    ids = tokens(40)
    want, caches = decoder.at_once(ids)
    state, at = model.state(decoder.pairs, capacity=64), 0
    for count in (11, 1, 1, 4, 1, 16, 1, 5):
        feed = {"ids": ids[:, at : at + count], "mask": mask(count, at)}
        close(model.run(feed, state=state)["logits"], want[:, at : at + count], f"at {at}")
        at += count
    assert at == state.length == 40
    for name, cache in caches.items():
        close(state[name], cache, name)


def test_a_dictionary_is_the_state_of_the_thread(plain):
    decoder, model = plain
    ids = tokens(6)
    want, _ = decoder.at_once(ids)
    empty = {name: np.zeros((1, HEADS, 0, WIDTH), np.float32) for name in decoder.pairs}
    for _ in range(2):  # feeding its inputs begins anew
        for i in range(6):
            feed = {"ids": ids[:, i : i + 1], **(empty if i == 0 else {})}
            close(model.run(feed, state=decoder.pairs)["logits"][:, 0], want[:, i])
    other = []
    work = threading.Thread(target=lambda: other.append(model.run({"ids": ids[:, :1]}, state=decoder.pairs)["logits"]))
    work.start()
    work.join()
    close(other[0][:, 0], want[:, 0])  # that thread's was empty


def test_several_sequences_and_copies(plain):
    decoder, model = plain
    a, b = tokens(20, seed=5), tokens(20, seed=6)
    states, wants = [model.state(decoder.pairs), model.state(decoder.pairs)], [decoder.at_once(x)[0] for x in (a, b)]
    for i in range(10):
        for state, ids, want in zip(states, (a, b), wants):
            close(step(model, state, ids[:, i : i + 1])[:, 0], want[:, i])
    fork = states[0].copy()
    tail = np.concatenate([a[:, :10], b[:, 10:]], 1)
    for i in range(10, 20):
        close(step(model, fork, tail[:, i : i + 1])[:, 0], decoder.at_once(tail)[0][:, i])
        close(step(model, states[0], a[:, i : i + 1])[:, 0], wants[0][:, i])


def test_truncate_forgets_what_was_guessed(plain):
    decoder, model = plain
    ids, wrong = tokens(12, seed=7), tokens(5, seed=8)
    want, _ = decoder.at_once(ids)
    state = model.state(decoder.pairs, capacity=32)
    for i in range(8):
        step(model, state, ids[:, i : i + 1])
    for i in range(5):
        step(model, state, wrong[:, i : i + 1])
    state.truncate(8)
    for i in range(8, 12):
        close(step(model, state, ids[:, i : i + 1])[:, 0], want[:, i])
    state.clear()
    assert state.length == 0
    close(step(model, state, ids[:, :1])[:, 0], want[:, 0])


def test_threads_with_a_state_each(plain):
    decoder, model = plain
    problems = []

    def work(seed):
        try:
            ids = tokens(40, seed=seed)
            want, _ = decoder.at_once(ids)
            state = model.state(decoder.pairs)
            for i in range(40):
                close(step(model, state, ids[:, i : i + 1])[:, 0], want[:, i])
        except BaseException as e:
            problems.append(e)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not problems, problems


def test_a_step_makes_no_plan_and_moves_nothing(plain):
    decoder, _ = plain
    model = ge.load(checked(decoder.model()))
    state = model.state(decoder.pairs, capacity=512)
    for i in range(300):
        step(model, state, tokens(1, seed=i))
    report = model.report()
    if not {"AIcoreEngine", "VectorEngine"} <= {e["name"] for e in ge.engines() if not e["error"]}:
        pytest.skip("the reference engine has a kernel for each size")
    if os.environ.get("GE_MAX_ISA") == "scalar":
        pytest.skip("the fast engines take nothing")
    (sizes,) = [c for c in report["size_classes"] if c["plans"]]
    assert sizes["one_size"] == "" and sizes["plans"] == 1, sizes
    assert state.capacity == 512  # a cache that is written beside the old one has no room


def recurrent():
    """h = tanh(x + h): state that does not grow."""
    value = helper.make_tensor_value_info
    shape = [2, 3]
    nodes = [helper.make_node("Add", ["x", "h"], ["sum"]), helper.make_node("Tanh", ["sum"], ["next"])]
    ports = [[value(n, TensorProto.FLOAT, shape) for n in names] for names in (["x", "h"], ["next", "sum"])]
    graph = helper.make_graph(nodes, "recurrent", *ports)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_state_that_does_not_grow():
    model = ge.load(recurrent())
    state, want, x = model.state({"h": "next"}), np.zeros((2, 3), np.float32), np.ones((2, 3), np.float32)
    for _ in range(5):
        out = model.run({"x": x}, state=state)
        close(out["sum"], x + want)
        want = np.tanh(x + want)
        close(state["h"], want)
    state["h"] = np.full((2, 3), 7, np.float32)
    np.testing.assert_array_equal(model.run({"x": x}, state=state)["sum"], np.full((2, 3), 8, np.float32))
    assert state.length == 0 and model.run({"x": x, "h": x})["sum"][0, 0] == 2  # without it as ever


def test_timeout_and_asyncio(plain):
    decoder, model = plain
    ids = tokens(4)
    want, _ = decoder.at_once(ids)
    state = model.state(decoder.pairs)
    close(model.run({"ids": ids[:, :1]}, state=state, timeout=60)["logits"][:, 0], want[:, 0])
    out = asyncio.run(model.run_async({"ids": ids[:, 1:2]}, state=state))
    close(out["logits"][:, 0], want[:, 1])


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda m, p: m.state({}), "at least one pair"),
        (lambda m, p: m.state({"past_k9": "present_k0"}), "names input 'past_k9', the model has"),
        (lambda m, p: m.state({"past_k0": "present"}), "names output 'present', the model has"),
        (lambda m, p: m.state({"past_k0": "present_k0", "past_k1": "present_k0"}), "output 'present_k0' twice"),
        (lambda m, p: m.state({"ids": "logits"}), "cannot be input 'ids' of the next run"),
        (lambda m, p: m.state(p, capacity=-1), "capacity is -1"),
        (lambda m, p: m.state(p, capacity=20, limit=10), "capacity 20, its limit is 10"),
        (lambda m, p: m.state(p, axis=7), "grows along axis 7"),
        (lambda m, p: m.state([("past_k0", "present_k0")]), "dictionary of input names to output names"),
        (lambda m, p: m.run({"ids": tokens(1)}, state=3), "state is a State or a dictionary"),
        (lambda m, p: m.run({}, state=m.state(p)), "missing input 'ids'"),
        (lambda m, p: m.state(p).truncate(3), "has length 0 and cannot be cut to 3"),
        (lambda m, p: m.state(p)["x"], "has no input 'x'"),
        (lambda m, p: m.state(p).__setitem__("past_k0", np.zeros((1, 2, 3, WIDTH), np.float32)), "got shape"),
        (lambda m, p: m.state(p).__setitem__("past_k0", np.zeros((1, HEADS, 3, WIDTH))), "got dtype float64"),
        (lambda m, p: m.state(p, limit=2).__setitem__("past_k0", rows(3)), "length 3, its limit is 2"),
    ],
)  # fmt: skip
def test_what_is_refused(plain, make, text):
    decoder, model = plain
    with pytest.raises(GeError, match=text.replace("(", r"\(")):
        make(model, decoder.pairs)


def test_a_limit_leaves_the_state_as_it_was(plain):
    decoder, model = plain
    ids = tokens(4)
    want, _ = decoder.at_once(ids)
    state = model.state(decoder.pairs, limit=3)
    for i in range(3):
        step(model, state, ids[:, i : i + 1])
    with pytest.raises(GeError, match="would have length 4, its limit is 3"):
        step(model, state, ids[:, 3:4])
    assert state.length == 3
    state.truncate(2)
    close(step(model, state, ids[:, 2:3])[:, 0], want[:, 2])


def test_states_of_other_models_and_lengths_that_differ(plain):
    decoder, model = plain
    other = ge.load(checked(decoder.model()))
    with pytest.raises(GeError, match="belongs to another model"):
        model.run({"ids": tokens(1)}, state=other.state(decoder.pairs))
    state = model.state(decoder.pairs)
    state["past_k0"] = np.zeros((1, HEADS, 3, WIDTH), np.float32)  # the other caches are empty
    with pytest.raises(GeError):
        step(model, state, tokens(1))
    assert state["past_k0"].shape == (1, HEADS, 3, WIDTH) and state["past_v0"].shape == (1, HEADS, 0, WIDTH)


def test_an_output_that_does_not_continue_the_state():
    value = helper.make_tensor_value_info
    node = helper.make_node("Concat", ["a", "a"], ["b"], axis=0)
    graph = helper.make_graph(
        [node], "g", [value("a", TensorProto.FLOAT, ["n", "m"])], [value("b", TensorProto.FLOAT, [None, None])]
    )
    model = ge.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    state = model.state({"a": "b"}, axis=1)
    state["a"] = np.ones((2, 3), np.float32)
    with pytest.raises(GeError, match="does not continue the state of input 'a'.*grows along axis 1"):
        model.run({}, state=state)
    grows = model.state({"a": "b"}, axis=0)
    grows["a"] = np.arange(6, dtype=np.float32).reshape(2, 3)
    for _ in range(3):
        model.run({}, state=grows)
    np.testing.assert_array_equal(grows["a"], np.tile(np.arange(6, dtype=np.float32).reshape(2, 3), (8, 1)))


def test_repr_and_pairs(plain):
    decoder, model = plain
    state = model.state({"past_k0": "present_k0"}, capacity=8)
    assert repr(state) == "<ge.State(past_k0 <- present_k0), length 0 of 8>"
    assert list(state) == ["past_k0"] and len(state) == 1 and "past_k0" in state and isinstance(state, ge.State)
    assert onnx.__version__


def test_a_state_beside_values_that_are_no_tensors():
    """A text goes in and out of every run, a cache stays."""
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Add", ["sum", "x"], ["more"]),
        helper.make_node("StringConcat", ["t", "t"], ["u"]),
        helper.make_node("SequenceLength", ["s"], ["n"]),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [
            value("sum", TensorProto.FLOAT, [2]), value("x", TensorProto.FLOAT, [2]), value("t", TensorProto.STRING, [1]),
            helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None),
        ],
        [value("more", TensorProto.FLOAT, [2]), value("u", TensorProto.STRING, [1]), value("n", TensorProto.INT64, [])],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 21)]
    model = ge.load(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())
    feed = {"x": np.array([1, 2], np.float32), "t": ["é"], "s": [np.zeros(1, np.float32)]}
    pairs = {"sum": "more"}
    for state in (model.state(pairs), pairs):
        for i in range(3):
            begin = {"sum": np.zeros(2, np.float32)} if i == 0 else {}
            out = model.run({**feed, **begin}, state=state)
            assert list(out) == ["u", "n"] and out["u"].tolist() == ["éé"] and out["n"] == 1
    state = model.state(pairs)
    state["sum"] = np.array([5, 5], np.float32)
    model.run(feed, state=state)
    assert state["sum"].tolist() == [6, 7]
    with pytest.raises(KeyError, match="missing input 't'"):
        model.run({"x": feed["x"], "s": []}, state=state)
    with pytest.raises(KeyError, match="unknown input 'y'"):
        model.run({**feed, "y": feed["x"]}, state=state)
    for bad, text in (
        ({"t": "u"}, "input 't' is a text, a state holds tensors"),
        ({"s.shapes": "n"}, "input 's' is a sequence of float32, a state holds tensors"),
        ({"x": "u.bytes"}, "output 'u' is a text, a state holds tensors"),
    ):
        with pytest.raises(TypeError, match=text):
            model.run(feed, state=bad)


def test_annotations_resolve():
    assert typing.get_type_hints(ge.Model.state)["return"] is ge.State
