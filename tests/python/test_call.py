"""What people try first: m(x), models from everywhere, errors that are what Python would raise, completion, reprs."""

import inspect
import itertools
import os
import pathlib
import pkgutil
import rlcompleter
import subprocess
import sys

import models
import numpy as np
import onnx
import pytest
from conftest import raises
from models import F, node

import ge
from ge.error import GeError, GeKeyError, GeOverflowError, GeTypeError, GeValueError

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def two_in_two_out(first="x", second="y"):
    nodes = [node("Sub", [first, second], ["difference"]), node("Mul", [first, second], ["product"])]
    return models.make(nodes, {first: (F, [2, 3]), second: (F, [2, 3])}, {n: (F, [2, 3]) for n in ("difference", "product")})


def double():
    return models.make([node("Add", ["x", "x"], ["y"])], {"x": (F, [2, 3])}, {"y": (F, [2, 3])})


@pytest.fixture
def pair():
    return ge.load(two_in_two_out())


# ---- calling ----


def test_one_output_is_an_array():
    m = ge.load(double())
    for got in (m(X), m(x=X), m({"x": X}), m(X.tolist())):
        assert isinstance(got, np.ndarray) and np.array_equal(got, X + X)


def test_several_outputs_are_a_tuple_in_their_order(pair):
    y = X + 1
    for got in (pair(X, y), pair(X, y=y), pair(y=y, x=X), pair({"y": y, "x": X})):
        difference, product = got
        assert isinstance(got, tuple) and np.array_equal(difference, X - y) and np.array_equal(product, X * y)


@pytest.mark.parametrize("first, second", [("self", "args"), ("model", "feed"), ("a:0", "while")])
def test_any_name_of_an_input_can_be_given(first, second):
    m = ge.load(two_in_two_out(first, second))
    assert np.array_equal(m(**{first: X, second: X})[1], X * X)


def test_no_inputs_and_initializers():
    constant = models.make([node("Neg", ["c"], ["y"])], {}, {"y": (F, [2, 3])}, {"c": X})
    assert np.array_equal(ge.load(constant)(), -X)
    listed = models.make([node("Add", ["x", "w"], ["y"])], {"x": (F, [2, 3]), "w": (F, [2, 3])}, {"y": (F, [2, 3])}, {"w": X})
    m = ge.load(listed)
    assert np.array_equal(m(X), X + X) and np.array_equal(m(X, w=X * 3), X * 4)


def test_wrong_calls(pair):
    takes = "the model takes x: float32[2, 3], y: float32[2, 3]"
    with raises(GeTypeError, f"got 3 arrays by position; {takes}"):
        pair(X, X, X)
    with raises(GeTypeError, f"got input 'x' by position and by name; {takes}"):
        pair(X, x=X)
    with raises(GeKeyError, f"missing input 'y'; {takes}"):
        pair(X)
    with raises(GeKeyError, f"missing input 'y'; unknown input 'z'; {takes}"):
        pair(X, z=X)
    pair.close()
    with raises(RuntimeError, "the model is closed"):
        pair(X, X)


# ---- errors are GeError and what Python would raise ----

FEEDS = [
    ({"x": X.astype(np.float64)}, TypeError, GeTypeError),
    ({"x": "text"}, TypeError, GeTypeError),
    ({"x": None}, TypeError, GeTypeError),
    ({"x": object()}, TypeError, GeTypeError),
    ({"x": [["a"] * 3] * 2}, TypeError, GeTypeError),
    ({"x": np.ma.masked_array(X, X > 2)}, TypeError, GeTypeError),
    ([X], TypeError, GeTypeError),
    ({"x": X[0]}, ValueError, GeValueError),
    ({"x": [[1.0, 2.0], [3.0]]}, ValueError, GeValueError),
    ({}, KeyError, GeKeyError),
    ({"X": X}, KeyError, GeKeyError),
    ({"x": X, "z": X}, KeyError, GeKeyError),
    ({}, ValueError, GeKeyError),
]


def test_arrays_of_the_standard_library():
    """Known without their module being imported before somebody has one."""
    import array

    m = ge.load(models.make([node("Add", ["x", "x"], ["y"])], {"x": (F, [3])}, {"y": (F, [3])}))
    assert np.array_equal(m(array.array("f", [1, 2, 3])), [2, 4, 6])
    assert np.array_equal(m(array.array("h", [1, 2, 3])), [2, 4, 6])  # integers that a float holds
    with pytest.raises(GeTypeError, match="got bytearray, expected an array of float32"):
        m(bytearray(12))


@pytest.mark.parametrize("feed, built_in, ours", FEEDS, ids=range(len(FEEDS)))
def test_feed_errors_are_both(feed, built_in, ours):
    m = ge.load(double())
    for run in (m.run, m.profile):
        with pytest.raises(built_in) as found:
            run(feed)
        assert type(found.value) is ours and isinstance(found.value, GeError)
        assert "input 'x'" in str(found.value) or "the model takes x: float32[2, 3]" in str(found.value)
    assert np.array_equal(m(X), X + X)


def test_a_number_that_does_not_fit_is_both():
    int8 = (onnx.TensorProto.INT8, [1])
    m = ge.load(models.make([node("Neg", ["x"], ["y"])], {"x": int8}, {"y": int8}))
    with pytest.raises(OverflowError) as found:
        m([1000])
    assert type(found.value) is GeOverflowError and isinstance(found.value, (GeError, ValueError))


def test_errors_of_load_are_both():
    for wrong, kind in ((lambda: ge.load(3), TypeError), (lambda: ge.load("a\0b"), ValueError),
                        (lambda: ge.load(double(), ["threads"]), TypeError), (lambda: ge.load(double(), {3: 1}), TypeError),
                        (lambda: ge.load(double(), {"threads": object()}), TypeError),
                        (lambda: ge.load(double(), {"thread": 1}), ValueError),
                        (lambda: ge.load(double()).graph("png"), ValueError)):  # fmt: skip
        with pytest.raises(kind) as found:
            wrong()
        assert isinstance(found.value, GeError)


def test_the_text_of_a_key_error_is_not_quoted():
    error = GeKeyError("missing input 'x'")
    assert str(error) == "missing input 'x'" and isinstance(error, KeyError) and error.code == 0


# ---- loading ----


class Path:  # os.PathLike, and nothing else
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return self.path


def test_every_form_of_a_model(tmp_path):
    proto = double()
    raw = proto.SerializeToString()
    path = tmp_path / "m.onnx"
    path.write_bytes(raw)
    forms = [proto, raw, bytearray(raw), memoryview(raw), memoryview(raw + raw)[: len(raw)], path, str(path),
             Path(str(path)), Path(os.fsencode(path))]  # fmt: skip
    for form in forms:
        assert np.array_equal(ge.load(form)(X), X + X)


def test_a_changed_proto_is_another_model():
    proto = double()
    m = ge.load(proto)
    proto.graph.node[0].op_type = "Mul"
    assert np.array_equal(m(X), X + X) and np.array_equal(ge.load(proto)(X), X * X)


def test_messages_that_are_no_model_are_refused():
    with pytest.raises(GeError):
        ge.load(double().graph)

    class TooLarge:
        def SerializeToString(self):  # what protobuf raises beyond 2 GiB
            raise ValueError("exceeds maximum protobuf size of 2GB")

    with raises(GeValueError, "the TooLarge is no bytes: exceeds maximum protobuf size of 2GB; save it with its weights in "
                              "another file, and load that file"):  # fmt: skip
        ge.load(TooLarge())


# ---- completion and texts ----


def python(script):
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ)


def test_dir_shows_modules_and_no_private_names():
    folder = pathlib.Path(ge.__file__).parent
    modules = {m.name for m in pkgutil.iter_modules([str(folder)]) if not m.name.startswith("_")}
    assert {"es", "graph", "session", "error"} <= modules
    run = python(
        "import ge\nprint(' '.join(n for n in dir(ge) if not n.startswith('__')))\n"
        "print(all(hasattr(ge, n) for n in dir(ge)))\n"
    )
    names, complete = run.stdout.splitlines()
    own = {"load", "Model", "Port", "State", "GeError", "options", "engines", "op_traits", "set_op_traits"}
    assert set(names.split()) == modules | own
    assert complete == "True" and not any(n.startswith("_") for n in names.split()), run.stderr


def test_modules_come_with_the_first_use():
    run = python("import ge, sys; print('ge.graph' in sys.modules); print(ge.graph.Graph('g').name, ge.es.math.__name__)")
    assert run.stdout == "False\ng es_math\n", run.stderr


def test_completion():
    completer = rlcompleter.Completer({"ge": ge, "m": ge.load(double())})

    def complete(text):
        state = itertools.count()
        return {found.rstrip("()") for found in iter(lambda: completer.complete(text, next(state)), None)}

    assert {"ge.es", "ge.error", "ge.engines"} <= complete("ge.e")
    assert {"ge.load"} == complete("ge.lo") and {"m.run", "m.run_async"} == complete("m.ru")


def test_stub_of_the_package_names_what_dir_shows():
    stub = (pathlib.Path(ge.__file__).parent / "__init__.pyi").read_text()
    for name in dir(ge):
        assert name.startswith("__") or f" as {name}\n" in stub, name


def test_texts_of_objects():
    from ge.allocator import MemBlock
    from ge.es import GraphBuilder
    from ge.graph import DataType, Graph, Tensor
    from ge.graph.operator import add_record, create_operator, remove_record
    from ge.session import Session

    b = GraphBuilder("net")
    assert repr(b) == "<GraphBuilder 'net'>"
    x = b.create_input(0, name="x", shape=[2])
    graph = b.build_and_reset([x + x])
    assert repr(b) == "<GraphBuilder 'net', built>" and repr(Graph("empty")) == "<Graph 'empty': 0 nodes>"
    assert repr(graph).startswith("<Graph 'net': ")
    session = Session()
    assert repr(session) == "<Session without graphs>"
    session.add_graph(7, graph)
    session.add_graph(3, graph)
    assert repr(session) == "<Session with graphs [3, 7]>"
    session.remove_graph(7)
    assert repr(session) == "<Session with graphs [3]>"
    assert repr(Tensor([1, 2], data_type=DataType.DT_INT32, shape=[2])) == "<Tensor DT_INT32[2], FORMAT_ND, 8 bytes>"
    assert repr(MemBlock(4096, 64)) == "MemBlock(addr=4096, size=64)"
    handle, _ = add_record("Relu", "r")
    operator = create_operator(handle)
    assert repr(operator) == "<Operator 'r' of type Relu>"
    remove_record(handle)
    assert repr(operator) == "<Operator, its callback is over>"
    m = ge.load(double())
    m.close()
    assert repr(m) == "<ge.Model(x: float32[2, 3]) -> (y: float32[2, 3]), closed>"


def test_no_public_class_has_the_text_of_object():
    """Classes whose objects a program holds; GeApi, GeUtils, Allocator and SubgraphRewriter have no state to tell of."""
    import importlib

    bare = []
    for info in pkgutil.walk_packages(ge.__path__, "ge."):
        if any(part.startswith("_") for part in info.name.split(".")):
            continue
        module = importlib.import_module(info.name)
        for name, cls in vars(module).items():
            own = inspect.isclass(cls) and cls.__module__ == module.__name__ and not name.startswith("_")
            if own and cls.__repr__ is object.__repr__:
                bare.append(name)
    assert sorted(bare) == ["Allocator", "GeApi", "GeUtils", "SubgraphRewriter"]


def test_long_tables_are_cut_where_nobody_asked_for_all_of_them():
    from ge._tables import Placement

    rows = [{"node": f"n{i}", "type": "Add", "engine": "E", "implementation": "i", "refusals": {}} for i in range(500)]
    table = Placement(rows)
    assert len(str(table).splitlines()) == 502
    lines = repr(table).splitlines()
    assert len(lines) == 61 and lines[30] == "… 442 more; print() shows them" and "n499" in lines[-1]
    assert repr(Placement(rows[:5])) == str(Placement(rows[:5]))
