"""A run whose shapes are all known is one call of C from its third time on (ge._runner); whatever is not the plain case
is converted or refused by Python, as at the first time."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.helper import np_dtype_to_tensor_dtype

import ge


def model(inputs, nodes, outputs):
    """inputs: {name: (NumPy type, shape)}."""
    taken = [helper.make_tensor_value_info(n, np_dtype_to_tensor_dtype(np.dtype(t)), s) for n, (t, s) in inputs.items()]
    made = [helper.make_tensor_value_info(n, np_dtype_to_tensor_dtype(np.dtype(t)), None) for n, t in outputs.items()]
    graph = helper.make_graph([helper.make_node(kind, list(i), list(o)) for kind, i, o in nodes], "g", taken, made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9).SerializeToString()


def added(dtype=np.float32, shape=(2, 3)):
    """y = a + b, from its third run on in one call."""
    inputs = {"a": (dtype, shape), "b": (dtype, shape)}
    m = ge.load(model(inputs, [("Add", "ab", "y")], {"y": dtype}), options={"threads": 1})
    a, b = (np.arange(np.prod(shape)).reshape(shape).astype(dtype) * k for k in (1, 2))
    for _ in range(3):
        np.testing.assert_array_equal(m.run({"a": a, "b": b})["y"], a + b)
    return m, a, b


def is_fast(m):
    return [context.fast is not None for context in m._pool] == [True]


@pytest.mark.parametrize("shape", [(2, 3), (1,), (0, 4), (2, 1, 3, 1, 2)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.float16])
def test_values(dtype, shape):
    m, a, b = added(dtype, shape)
    assert is_fast(m)
    for k in range(3):
        got = m.run({"b": b, "a": a + dtype(k)})
        assert list(got) == ["y"] and got["y"].dtype == dtype and got["y"].shape == shape
        np.testing.assert_array_equal(got["y"], a + dtype(k) + b)


def test_scalars_and_truths():
    inputs = {"a": (np.bool_, ()), "b": (np.bool_, ())}
    m = ge.load(model(inputs, [("Or", "ab", "y"), ("And", "ab", "z")], {"y": np.bool_, "z": np.bool_}))
    for _ in range(4):
        got = m.run({"a": np.array(True), "b": np.array(False)})
        assert (bool(got["y"]), bool(got["z"])) == (True, False) and list(got) == ["y", "z"]
        assert got["y"].shape == () and got["y"].dtype == np.bool_
    assert is_fast(m)


def test_results_are_new_arrays():
    m, a, b = added()
    first, second = m.run({"a": a, "b": b})["y"], m.run({"a": b, "b": b})["y"]
    np.testing.assert_array_equal(first, a + b)
    np.testing.assert_array_equal(second, b + b)
    assert first.flags.owndata and first.flags.writeable
    second[:] = 0
    np.testing.assert_array_equal(m.run({"a": a, "b": b})["y"], a + b)


def test_what_is_converted():
    """Other layouts, byte orders, read-only memory, subclasses and lists are read as before, and the next plain run is fast."""
    m, a, b = added()

    class Own(np.ndarray):
        pass

    locked = a.copy()
    locked.flags.writeable = False
    wide = np.zeros((2, 6), np.float32)
    wide[:, ::2] = a
    for other in (np.asfortranarray(a), wide[:, ::2], a.astype(">f4"), locked, a.view(Own), a.tolist(), a[::-1][::-1]):
        np.testing.assert_array_equal(m.run({"a": other, "b": b})["y"], a + b)
        np.testing.assert_array_equal(m.run({"a": a, "b": b})["y"], a + b)
    assert is_fast(m)


def test_what_is_refused():
    m, a, b = added()
    wrong = [
        ({"a": a}, KeyError, "missing input 'b'"),
        ({}, KeyError, "missing input 'a'"),
        ({"a": a, "b": b, "c": b}, KeyError, "unknown input 'c'"),
        ({"a": a, "x": b}, KeyError, "missing input 'b'; unknown input 'x'"),
        ({"a": a, "b": b.astype(np.float64)}, TypeError, "input 'b': got dtype float64, expected float32"),
        ({"a": a.astype(np.int32), "b": b}, TypeError, "input 'a': got dtype int32"),
        ({"a": a, "b": b[:1]}, ValueError, "input 'b': got shape"),
        ({"a": a.reshape(3, 2), "b": b}, ValueError, r"got shape \(3, 2\), expected \(2, 3\)"),
        ({"a": a.ravel(), "b": b}, ValueError, "got shape"),
        ({"a": a[None], "b": b}, ValueError, "got shape"),
        ({"a": None, "b": b}, TypeError, "input 'a'"),
        ({1: a, 2: b}, KeyError, "missing input 'a'"),
        ([a, b], TypeError, "feed must be a dictionary"),
    ]
    for feed, error, message in wrong:
        with pytest.raises(error, match=message):
            m.run(feed)
        np.testing.assert_array_equal(m.run({"a": a, "b": b})["y"], a + b)
    assert is_fast(m)


def test_a_dictionary_of_ones_own():
    m, a, b = added()

    class Late(dict):
        def __missing__(self, name):
            return b

    np.testing.assert_array_equal(m.run(Late(a=a, b=b))["y"], a + b)


def test_errors_of_a_kernel():
    inputs = {"x": (np.float32, [4]), "i": (np.int64, [2])}
    m = ge.load(model(inputs, [("Gather", "xi", "y")], {"y": np.float32}), options={"threads": 1})
    x = np.arange(4, dtype=np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(m.run({"x": x, "i": np.array([3, 0])})["y"], [3, 0])
    assert is_fast(m)
    for _ in range(2):
        with pytest.raises(ge.GeError, match="9"):
            m.run({"x": x, "i": np.array([0, 9])})
        np.testing.assert_array_equal(m.run({"x": x, "i": np.array([1, 2])})["y"], [1, 2])


def test_shapes_that_are_open_take_the_other_way():
    inputs = {"a": (np.float32, ["n"]), "b": (np.float32, ["n"])}
    m = ge.load(model(inputs, [("Add", "ab", "y")], {"y": np.float32}))
    for size in (3, 3, 3, 5, 3):
        np.testing.assert_array_equal(*m.run({n: np.ones(size, np.float32) for n in "ab"}).values(), np.full(size, 2))
    assert [context.fast for context in m._pool] == [None]


def test_types_that_numpy_lacks_take_the_other_way():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    info = [helper.make_tensor_value_info(n, TensorProto.BFLOAT16, [3]) for n in "aby"]
    graph = helper.make_graph([helper.make_node("Add", ["a", "b"], ["y"])], "g", info[:2], info[2:])
    m = ge.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9).SerializeToString())
    x = np.array([1, 2, 3], ml_dtypes.bfloat16)
    for _ in range(4):
        np.testing.assert_array_equal(m.run({"a": x, "b": x})["y"].astype(np.float32), [2, 4, 6])


def test_many_threads_at_once():
    m, a, b = added(shape=(64, 64))
    failed = []

    def work(k):
        for _ in range(300):
            if not np.array_equal(m.run({"a": a + np.float32(k), "b": b})["y"], a + np.float32(k) + b):
                failed.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


def test_nothing_is_kept():
    """Neither arrays nor their buffers: each may be resized, and counts of references stay."""
    m, a, b = added(shape=(50,))
    feed = {"a": a, "b": b}
    before = [sys.getrefcount(x) for x in (a, b, feed)]
    for _ in range(50):
        y = m.run(feed)["y"]
        with pytest.raises(ValueError):
            m.run({"a": a, "b": b[:3]})
    assert [sys.getrefcount(x) for x in (a, b, feed)] == before
    a.resize((60,), refcheck=False)
    y.resize((60,), refcheck=False)
    del y
    gc.collect()
    objects = len(gc.get_objects())
    for _ in range(200):
        m.run({"a": b, "b": b})
    gc.collect()
    assert len(gc.get_objects()) < objects + 50


def test_a_closed_model():
    m, a, b = added()
    m.close()
    with pytest.raises(RuntimeError, match="closed"):
        m.run({"a": a, "b": b})


def test_state_time_limits_and_profiles_between():
    m, a, b = added()
    feed = {"a": a, "b": b}
    for _ in range(3):
        np.testing.assert_array_equal(m.run(feed, timeout=30)["y"], a + b)
        np.testing.assert_array_equal(m.run(feed)["y"], a + b)
        assert m.profile(feed)
    state = m.state({"a": "y"})
    state["a"] = a
    for k in range(1, 4):
        assert m.run({"b": b}, state=state) == {}
        np.testing.assert_array_equal(m.run(feed)["y"], a + b)
        np.testing.assert_array_equal(state["a"], a + k * b)


def test_a_run_at_the_end_of_the_interpreter():
    """The second run would open the module of the fast way, which is late then."""
    program = "import sys, numpy as np, ge\n"
    program += "class AtEnd:\n    def __del__(self):\n        print(self.m.run({'a': self.x, 'b': self.x})['y'].tolist())\n"
    program += (
        "o = AtEnd(); o.x = np.ones(2, np.float32); o.m = ge.load(sys.stdin.buffer.read()); o.m.run({'a': o.x, 'b': o.x})\n"
    )
    data = model({"a": (np.float32, (2,)), "b": (np.float32, (2,))}, [("Add", "ab", "y")], {"y": np.float32})
    run = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True)
    assert run.returncode == 0 and run.stdout == b"[2.0, 2.0]\n", run.stderr
