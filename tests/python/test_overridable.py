"""Initializers that an ONNX graph lists as inputs, too: constants unless they are fed. ONNX Runtime is the oracle."""

import threading

import models
import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import raises
from models import F, I, node

import ge


def affine(ir_version=8, listed=("w", "b")):
    """y = x w + b and a branch that reads w from inside; w and b may be replaced, c may not."""
    r = np.random.default_rng(0)
    weights = {
        "w": r.standard_normal((4, 3)).astype(np.float32),
        "b": r.standard_normal(3).astype(np.float32),
        "c": np.float32([2.0]),
    }
    shapes = {"w": (F, [4, 3]), "b": (F, ["n"])}
    branch = {
        name: onnx.helper.make_graph([node(op, ["w"], ["t"], axes=[0])], name, [], [models_value("t", F, [1, 3])])
        for name, op in (("big", "ReduceMax"), ("small", "ReduceMean"))
    }
    nodes = [
        node("MatMul", ["x", "w"], ["p"]),
        node("Add", ["p", "b"], ["q"]),
        node("Mul", ["q", "c"], ["y"]),
        node("ReduceSum", ["x"], ["s"], keepdims=0),
        node("Greater", ["s", "zero"], ["positive"]),
        node("If", ["positive"], ["z"], then_branch=branch["big"], else_branch=branch["small"]),
    ]
    weights["zero"] = np.float32(0)
    inputs = {"x": (F, [2, 4]), **{n: shapes[n] for n in listed}}
    model = models.make(nodes, inputs, {"y": (F, [2, 3]), "z": (F, [1, 3])}, weights, opset=13)
    model.ir_version = ir_version
    return model


def models_value(name, kind, shape):
    return onnx.helper.make_tensor_value_info(name, kind, shape)


@pytest.fixture
def feeds():
    r = np.random.default_rng(1)
    x = r.standard_normal((2, 4)).astype(np.float32)
    w, b = r.standard_normal((4, 3)).astype(np.float32), r.standard_normal(3).astype(np.float32)
    return [{"x": x}, {"x": x, "w": w}, {"b": b, "x": x}, {"w": w, "x": -x, "b": b}, {"x": x}, {"x": x, "w": 2 * w}]


def runtime(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it warns of initializers among the inputs
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def check(loaded, model, feeds):
    session = runtime(model)
    assert [p.name for p in loaded.overridable_initializers] == [p.name for p in session.get_overridable_initializers()]
    for feed in feeds:
        want, got = session.run(None, feed), loaded.run(feed)
        for name, array in zip(("y", "z"), want):
            np.testing.assert_allclose(got[name], array, rtol=0, atol=1e-5)


def test_fed_and_not_fed_like_onnxruntime(tmp_path, feeds):
    model = affine()
    path = tmp_path / "affine.onnx"
    onnx.save(model, path)
    loaded = ge.load(path, options={"threads": 1})
    check(loaded, model, feeds)
    assert [p.name for p in loaded.inputs] == ["x"]
    assert repr(loaded.overridable_initializers) == "[w: float32[4, 3], b: float32[?]]"
    check(ge.load(str(path)), model, feeds)
    check(ge.load(model.SerializeToString()), model, feeds)


def test_not_fed_they_are_folded_and_packed(tmp_path):
    model = models.mlp()
    plain = ge.load(model.SerializeToString())
    for weight in model.graph.initializer:
        model.graph.input.append(models_value(weight.name, F, weight.dims))
    loaded = ge.load(model.SerializeToString())
    assert len(loaded.overridable_initializers) == 4 and plain.overridable_initializers == []
    assert loaded.placement().data == plain.placement().data
    assert loaded.report()["memory"] == plain.report()["memory"]


def test_files_of_ir_version_3_list_every_initializer(feeds):
    """There the listing is a must; ONNX Runtime then takes none of them in a feed, here all of them may be fed."""
    model = affine(ir_version=3, listed=("w", "b"))
    for name, shape in (("c", [1]), ("zero", [])):
        model.graph.input.append(models_value(name, F, shape))
    loaded, newer = ge.load(model.SerializeToString()), ge.load(affine().SerializeToString())
    assert [p.name for p in loaded.inputs] == ["x"]
    assert {p.name for p in loaded.overridable_initializers} == {"w", "b", "c", "zero"}
    for feed in feeds:
        for name, array in newer.run(feed).items():
            np.testing.assert_array_equal(loaded.run(feed)[name], array)


def test_a_default_that_shapes_depend_on():
    nodes = [node("Reshape", ["x", "shape"], ["y"])]
    inputs = {"x": (F, [2, 6]), "shape": (I, [2])}
    model = models.make(nodes, inputs, {"y": (F, None)}, {"shape": np.int64([3, 4])})
    session = runtime(model)
    loaded = ge.load(model.SerializeToString())
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    assert loaded.outputs[0].shape == (3, 4)
    for feed in ({"x": x}, {"x": x, "shape": np.int64([4, 3])}, {"x": x, "shape": np.int64([12, -1])}, {"x": x}):
        (want,) = session.run(None, feed)
        np.testing.assert_array_equal(loaded.run(feed)["y"], want)


def test_mistakes_are_named():
    loaded = ge.load(affine().SerializeToString())
    x, w = np.zeros((2, 4), np.float32), np.zeros((4, 3), np.float32)
    with raises(ValueError, "input 'w': got shape (3, 4), expected (4, 3)"):
        loaded.run({"x": x, "w": w.T.copy()})
    with raises(TypeError, "input 'w': got dtype float64, expected float32"):
        loaded.run({"x": x, "w": w.astype(float)})
    with raises(ValueError, "unknown input 'c'; the model takes x: float32[2, 4]"):
        loaded.run({"x": x, "c": np.zeros(1, np.float32)})
    with raises(ValueError, "missing input 'x'; the model takes x: float32[2, 4]"):
        loaded.run({"w": w})


def test_the_option_makes_them_inputs():
    raw = affine().SerializeToString()
    loaded = ge.load(raw, options={"input_initializers": "b,w"})
    assert [p.name for p in loaded.inputs] == ["x", "b", "w"] and loaded.overridable_initializers == []
    for wrong in ("c", "nosuch", "w,w"):
        with pytest.raises(ValueError, match="option input_initializers names"):
            ge.load(raw, options={"input_initializers": wrong})
    from ge.es import GraphBuilder

    b = GraphBuilder("g")
    graph = b.build_and_reset([b.create_input(0, name="x", shape=[1])])
    with pytest.raises(ValueError, match="input_initializers is for models compiled from an ONNX file"):
        ge.load(graph, options={"input_initializers": "x"})


def test_threads_share_what_was_compiled(feeds):
    loaded = ge.load(affine().SerializeToString(), options={"threads": 1})
    want = [loaded.run(feed)["y"] for feed in feeds]
    fresh, wrong = ge.load(affine().SerializeToString(), options={"threads": 1}), []

    def work():
        for _ in range(5):
            for feed, y in zip(feeds, want):
                if not np.array_equal(fresh.run(feed)["y"], y):
                    wrong.append(feed)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(fresh._variants) == 3
    fresh.close()
    with raises(RuntimeError, "the model is closed"):
        fresh.run(feeds[1])


def test_profiles_take_them_too(feeds):
    loaded = ge.load(affine().SerializeToString())
    profile = loaded.profile(feeds[3])
    np.testing.assert_array_equal(profile.outputs["y"], loaded.run(feeds[3])["y"])
