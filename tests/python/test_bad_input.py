"""What ge.load and Model.run say to arguments that are wrong in every way: names, types, shapes, files, options."""

import gc
import random
import threading

import numpy as np
import pytest
from conftest import raises

import ge
from ge.error import GeError
from ge.es import GraphBuilder
from ge.graph import DataType


def graph(shape=(2, 3), dtype=DataType.DT_FLOAT, name="x"):
    b = GraphBuilder("g")
    x = b.create_input(0, name=name, data_type=dtype, shape=list(shape))
    return b.build_and_reset([x + x])


A = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(params=[(2, 3), (-1, 3)], ids=["static", "open"])
def model(request):
    return ge.load(graph(request.param))


def shape_of(model):
    return "[2, 3]" if model.inputs[0].is_static else "[?, 3]"


@pytest.mark.parametrize("code", [">f4", "<f4", "=f4"])
def test_byte_orders(model, code):
    (y,) = model.run({"x": A.astype(code)}).values()
    assert y.dtype == np.float32 and np.array_equal(y, 2 * A)


@pytest.mark.parametrize(
    "value, message",
    [
        (np.array([["a", "b", "c"]] * 2), "got dtype <U1, expected float32"),
        (np.array([[1, 2, 3]] * 2, object), "got dtype object, expected float32"),
        (np.zeros((2, 3), [("a", "f4")]), "got dtype [('a', '<f4')], expected float32"),
        (A.astype("M8[s]"), "got dtype datetime64[s], expected float32"),
        (A.astype(np.float64), "got dtype float64, expected float32"),
        (A.astype(">f8"), "got dtype float64, expected float32"),
        (np.ma.array(A, mask=A > 2), "got a masked array with masked values, expected an array of float32"),
        (None, "got NoneType, expected an array of float32"),
        ("hello", "got str, expected an array of float32"),
        (b"hello", "got bytes, expected an array of float32"),
        ({}, "got dict, expected an array of float32"),
        ([[1, 2, 3], ["a", "b", "c"]], "got values of dtype <U21, expected float32"),
        ([[1, 2, 3], [4, 5, 1j]], "got values of dtype complex128, expected float32"),
    ],
)
def test_values_that_are_no_numbers(model, value, message):
    with raises(TypeError, f"input 'x': {message}"):
        model.run({"x": value})
    assert np.array_equal(*[*model.run({"x": A}).values(), 2 * A])  # still usable


def test_nested_lists(model):
    assert np.array_equal(*[*model.run({"x": A.tolist()}).values(), 2 * A])
    assert np.array_equal(*[*model.run({"x": [[0, 1, 2], (3, 4, 5)]}).values(), 2 * A])
    with pytest.raises(ValueError, match="^input 'x': .*, expected an array of float32$"):
        model.run({"x": [[1, 2, 3], [4, 5]]})


def test_lists_keep_their_values():
    """Numbers in lists take the input's type only where that keeps what they say."""
    m = ge.load(graph([2], DataType.DT_INT32))
    assert np.array_equal(*[*m.run({"x": [1, -2]}).values(), [2, -4]])
    with raises(TypeError, "input 'x': got values of dtype float64, expected int32"):
        m.run({"x": [1.5, 2.5]})
    with pytest.raises((OverflowError, TypeError, ValueError), match="^input 'x': .*int32"):
        m.run({"x": [2**40, 0]})


def test_masked_array_without_masked_values(model):
    assert np.array_equal(*[*model.run({"x": np.ma.array(A)}).values(), 2 * A])


@pytest.mark.parametrize("feed", [[A], A, "x", 3, {"x"}, (("x", A),)], ids=lambda f: type(f).__name__)
def test_feeds_that_are_no_dictionary(model, feed):
    want = f"feed must be a dictionary of input names to arrays, got {type(feed).__name__}"
    with raises(TypeError, f"{want}; the model takes x: float32{shape_of(model)}"):
        model.run(feed)
    with raises(TypeError, f"{want}; the model takes x: float32{shape_of(model)}"):
        model.profile(feed)


def test_other_mappings(model, tmp_path):
    np.savez(tmp_path / "f.npz", x=A)
    with np.load(tmp_path / "f.npz") as feed:
        assert np.array_equal(*[*model.run(feed).values(), 2 * A])


def test_names(model):
    takes = f"the model takes x: float32{shape_of(model)}"
    for feed in (None, {}):
        with raises(ValueError, f"missing input 'x'; {takes}"):
            model.run(feed)
    with raises(ValueError, f"missing input 'x'; unknown input 'z'; unknown input 0; {takes}"):
        model.run({"z": A, 0: A})
    with raises(ValueError, f"unknown input 'z'; {takes}"):
        model.run({"x": A, "z": A})


def test_many_inputs_are_all_listed():
    b = GraphBuilder("g")
    x = b.create_input(0, name="ids", data_type=DataType.DT_INT64, shape=[1, -1])
    y = b.create_input(1, name="scale", shape=[])
    m = ge.load(b.build_and_reset([x, y]))
    with raises(ValueError, "missing input 'scale'; unknown input 'scales' (did you mean 'scale'?); the model takes "
                            "ids: int64[1, ?], scale: float32[]"):  # fmt: skip
        m.run({"ids": np.zeros((1, 2), np.int64), "scales": 1.0})


@pytest.mark.parametrize("value, got", [(A[0], "(3,)"), (A[:, :2], "(2, 2)"), (A[None], "(1, 2, 3)"), (1.0, "()")])
def test_shapes(model, value, got):
    want = "(2, 3)" if model.inputs[0].is_static else "(?, 3)"
    with raises(ValueError, f"input 'x': got shape {got}, expected {want}"):
        model.run({"x": value})


# ---- files ----


def test_files(tmp_path):
    with pytest.raises(IsADirectoryError, match="expected a model file, found a folder") as e:
        ge.load(tmp_path)
    assert e.value.filename == str(tmp_path)
    for nothing in ("", tmp_path / "none.onnx", str(tmp_path / "none")):
        with pytest.raises(FileNotFoundError):
            ge.load(nothing)
    with raises(ValueError, r"the path 'a\x00b.onnx' holds a null character"):
        ge.load("a\0b.onnx")
    with pytest.raises(GeError, match="empty"):
        ge.load(b"")
    with pytest.raises(GeError):
        ge.load(memoryview(b"nonsense")[::2])
    for nothing in (None, 3, [b""]):
        with raises(TypeError, f"ge.load takes a path, bytes, a ModelProto or a ge.graph.Graph, got {type(nothing).__name__}"):
            ge.load(nothing)


# ---- options ----


@pytest.mark.parametrize("value", ["two", "", -1, 10**6, 10**30, 1.5])
def test_threads_out_of_range(value):
    with raises(ValueError, f"option threads is '{value}', allowed: an integer from 0 to 1024"):
        ge.load(graph(), options={"threads": value})


@pytest.mark.parametrize("value", [None, {}, b"2", [{}], object], ids=repr)
def test_option_values_of_wrong_type(value):
    with pytest.raises(TypeError, match="^option threads: got .*, expected text, a number, a truth value or a list of them"):
        ge.load(graph(), options={"threads": value})


@pytest.mark.parametrize("value", [1, "1", np.int64(1), np.uint8(1), 0])
def test_threads(value):
    m = ge.load(graph(), options={"threads": value})
    assert np.array_equal(*[*m.run({"x": A}).values(), 2 * A])


def test_option_names():
    with raises(ValueError, "unknown option 'treads'; did you mean threads"):
        ge.load(graph(), options={"treads": 2})
    with raises(ValueError, "unknown option 'zzz'; ge.options() lists all there are"):
        ge.load(graph(), options={"zzz": 2})
    with raises(TypeError, "option names are text, got 3"):
        ge.load(graph(), options={3: 2})
    with raises(ValueError, r"option 'threads\x00' holds a null character"):
        ge.load(graph(), options={"threads\0": 2})
    for wrong in ("threads=2", [("threads", 2)], 2):
        with raises(TypeError, f"options must be a dictionary, got {type(wrong).__name__}"):
            ge.load(graph(), options=wrong)
    for none in ({}, None):
        ge.load(graph(), options=none)


# ---- lifetimes ----


def test_closed_model(model):
    assert np.array_equal(*[*model.run({"x": A}).values(), 2 * A])
    model.close()
    model.close()
    calls = (
        lambda: model.run({"x": A}),
        lambda: model.profile({"x": A}),
        model.placement,
        model.report,
        model.graph,
        lambda: model.memory_plan,
    )
    for call in calls:
        with raises(RuntimeError, "the model is closed"):
            call()
    assert [p.name for p in model.inputs] == ["x"] and "x: float32" in repr(model)


def test_model_as_context_manager():
    with ge.load(graph()) as m:
        (y,) = m.run({"x": A}).values()
    assert np.array_equal(y, 2 * A)
    with raises(RuntimeError, "the model is closed"):
        m.run({"x": A})


def test_closed_while_threads_run():
    m, seen = ge.load(graph((256, 256))), []
    feed = {"x": np.ones((256, 256), np.float32)}
    started = threading.Barrier(4)

    def work():
        started.wait()
        try:
            while True:
                (y,) = m.run(feed).values()
                assert y[0, 0] == y[-1, -1] == 2
        except RuntimeError as e:
            seen.append(str(e))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    started.wait()
    for _ in range(20):
        m.run(feed)
    m.close()
    for t in threads:
        t.join(60)
    assert seen == ["the model is closed"] * 3


@pytest.mark.parametrize("seed", range(6))
def test_objects_die_in_any_order(seed):
    """Models, outputs, profiles, plans, graphs, nodes, builders and holders go one by one in a random order."""
    r = random.Random(seed)
    things = []
    for i in range(8):
        b = GraphBuilder(f"g{i}")
        x = b.create_input(0, name="x", shape=[2, 3] if i % 2 else [-1, 3])
        y = x + 1.0
        g = b.build_and_reset([y])
        m = ge.load(g)
        out = m.run({"x": A})
        things += [b, x, y, g, *g.get_direct_nodes(), m, out, m.profile({"x": A}), m.memory_plan, m.placement()]
        if i % 3 == 0:
            m.close()
        del b, x, y, g, m, out
    r.shuffle(things)
    while things:
        thing = things.pop()
        if r.random() < 0.3:
            thing = [thing]
            thing.append(thing)  # only the collector can free it
        del thing
        if r.random() < 0.2:
            gc.collect()
    gc.collect()
    assert np.array_equal(*[*ge.load(graph()).run({"x": A}).values(), 2 * A])
