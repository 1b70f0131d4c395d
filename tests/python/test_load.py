"""The front door: ge.load, Model.run and what a model tells about itself."""

import gc
import json
import threading

import models
import numpy as np
import onnx
import pytest
from conftest import raises

import ge
from ge.error import GeError


def save(model, folder, name="m"):
    path = folder / f"{name}.onnx"
    onnx.save(model, str(path))
    return path


def oracle(model, feed):
    import onnxruntime as ort

    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))


def random_feed(model, seed=0, **dims):
    r, feed = np.random.default_rng(seed), {}
    for i in model.graph.input:
        shape = [d.dim_value or dims[d.dim_param] for d in i.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(i.type.tensor_type.elem_type)
        feed[i.name] = r.standard_normal(shape).astype(dtype)
    return feed


def close(got, want):
    assert got.keys() == want.keys()
    for name, array in want.items():
        assert got[name].shape == array.shape and got[name].dtype == array.dtype
        np.testing.assert_allclose(got[name], array, rtol=0, atol=1e-4 * max(np.abs(array).max(), 1e-6))


@pytest.fixture
def mlp(tmp_path):
    return ge.load(save(models.mlp(), tmp_path))


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", models.ALL)
def test_models_match_onnxruntime(name, threads, tmp_path):
    model = models.ALL[name]()
    m = ge.load(str(save(model, tmp_path)), options={"threads": threads, "precision": "fp32"})
    for seed in range(3):
        feed = random_feed(model, seed)
        close(m.run(feed), oracle(model, feed))


@pytest.mark.isa
@pytest.mark.parametrize("name", ["mlp", "attention"])
def test_open_dimensions(name, tmp_path):
    model = models.ALL[name]("n")
    m = ge.load(save(model, tmp_path))
    assert None in m.inputs[0].shape
    for n in (1, 5, 2, 5, 1, 9):
        feed = random_feed(model, n, n=n)
        close(m.run(feed), oracle(model, feed))


def test_many_shapes_stay_bounded(tmp_path):
    model = models.mlp("n")
    m = ge.load(save(model, tmp_path), options={"max_plans": 4})
    for n in list(range(1, 100)) + [1, 2, 3]:
        feed = random_feed(model, n, n=n)
        assert m.run(feed)["y"].shape == (n, 3)
    assert len(m._pool[0].prepared) <= 64


def test_ports(mlp):
    (x,), (y,) = mlp.inputs, mlp.outputs
    assert (x.name, x.shape, x.dtype) == ("x", (4, 8), np.float32) and repr(x) == "x: float32[4, 8]"
    assert (y.name, y.shape, y.dtype) == ("y", (4, 3), np.float32)
    assert repr(mlp) == "<ge.Model(x: float32[4, 8]) -> (y: float32[4, 3])>"


def test_arrays_of_every_layout(mlp):
    a = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    want = mlp.run({"x": a})["y"]
    wide = np.zeros((4, 16), np.float32)
    wide[:, ::2] = a
    readonly = a.copy()
    readonly.flags.writeable = False
    for form in (np.asfortranarray(a), wide[:, ::2], readonly, a.tolist(), a.view(np.matrix)):
        assert np.array_equal(mlp.run({"x": form})["y"], want)


def test_no_copy_on_the_way_in_and_out(tmp_path):
    model = models.make([models.node("Neg", ["x"], ["y"])], {"x": (models.F, [1024])}, {"y": (models.F, [1024])})
    m = ge.load(save(model, tmp_path))
    x = np.arange(1024, dtype=np.float32)
    first, second = m.run({"x": x})["y"], m.run({"x": x + 1})["y"]
    assert first is not second and np.array_equal(first, -x) and np.array_equal(second, -x - 1)
    assert first.base is None and first.flags.owndata and first.flags.writeable
    x[0] = 7
    assert m.run({"x": x})["y"][0] == -7


def test_scalars_empty_and_every_dtype(tmp_path):
    from onnx import TensorProto as T

    kinds = {
        "f32": (T.FLOAT, np.float32),
        "f64": (T.DOUBLE, np.float64),
        "f16": (T.FLOAT16, np.float16),
        "i8": (T.INT8, np.int8),
        "i32": (T.INT32, np.int32),
        "i64": (T.INT64, np.int64),
        "u8": (T.UINT8, np.uint8),
        "b": (T.BOOL, np.bool_),
    }
    nodes = [models.node("Identity", [k], [k + "_out"]) for k in kinds]
    shapes = {k: [] if k == "f32" else [0, 3] if k == "f64" else [2] for k in kinds}
    model = models.make(
        nodes,
        {k: (t, shapes[k]) for k, (t, _) in kinds.items()},
        {k + "_out": (t, shapes[k]) for k, (t, _) in kinds.items()},
    )
    m = ge.load(save(model, tmp_path))
    feed = {k: np.ones(shapes[k], dtype) for k, (_, dtype) in kinds.items()}
    out = m.run(feed)
    for k in kinds:
        got = out[k + "_out"]
        assert got.dtype == feed[k].dtype and got.shape == feed[k].shape and np.array_equal(got, feed[k])


def test_feeding_errors(mlp):
    a = np.zeros((4, 8), np.float32)
    with raises(ValueError, "missing input 'x'; the model takes x: float32[4, 8]"):
        mlp.run({})
    with raises(ValueError, "missing input 'x'; unknown input 'X'; the model takes x: float32[4, 8]"):
        mlp.run({"X": a})
    with raises(ValueError, "unknown input 'xx' (did you mean 'x'?); the model takes x: float32[4, 8]"):
        mlp.run({"x": a, "xx": a})
    with raises(TypeError, "input 'x': got dtype float64, expected float32"):
        mlp.run({"x": a.astype(np.float64)})
    with raises(TypeError, "input 'x': got dtype int64, expected float32"):
        mlp.run({"x": a.astype(np.int64)})
    with raises(ValueError, "input 'x': got shape (4, 9), expected (4, 8)"):
        mlp.run({"x": np.zeros((4, 9), np.float32)})
    with raises(ValueError, "input 'x': got shape (32,), expected (4, 8)"):
        mlp.run({"x": a.reshape(32)})
    with pytest.raises((TypeError, ValueError), match="^input 'x': .*expected an array of float32"):
        mlp.run({"x": "text"})
    assert mlp.run({"x": a})["y"].shape == (4, 3)  # still usable


def test_feeding_errors_of_open_dimensions(tmp_path):
    m = ge.load(save(models.mlp("n"), tmp_path))
    with raises(ValueError, "input 'x': got shape (2, 9), expected (?, 8)"):
        m.run({"x": np.zeros((2, 9), np.float32)})
    with raises(ValueError, "input 'x': got shape (2,), expected (?, 8)"):
        m.run({"x": np.zeros(2, np.float32)})
    assert m.run({"x": np.zeros((2, 8), np.float32)})["y"].shape == (2, 3)


def test_loading_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothere.onnx"):
        ge.load(tmp_path / "nothere.onnx")
    for name, content in (("empty", b""), ("noise", bytes(range(256)) * 4), ("text", b"hello")):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(GeError) as e:
            ge.load(path)
        assert str(e.value)
    with raises(TypeError, "ge.load takes a path, bytes, a ModelProto or a ge.graph.Graph, got int"):
        ge.load(3)
    path = save(models.mlp(), tmp_path)
    with pytest.raises(ValueError, match="thread.*threads"):
        ge.load(path, options={"thread": 2})
    with pytest.raises(ValueError, match="fp32"):
        ge.load(path, options={"precision": "fp3"})
    with pytest.raises(ValueError, match="threads"):
        ge.load(path, options={"threads": "many"})
    with pytest.raises(TypeError, match="options"):
        ge.load(path, options=["threads"])
    with raises(TypeError, "use ge.load to make a Model"):
        ge.Model()


def test_unsupported_operators_are_all_listed(tmp_path):
    nodes = [models.node("NoSuchOp", ["x"], ["a"]), models.node("AlsoNone", ["a"], ["y"])]
    path = save(models.make(nodes, {"x": (models.F, [1])}, {"y": (models.F, [1])}), tmp_path)
    with pytest.raises(GeError) as e:
        ge.load(path)
    assert "NoSuchOp" in str(e.value) and "AlsoNone" in str(e.value)


def test_load_from_bytes_and_graph(tmp_path):
    from ge.es import GraphBuilder

    model = models.mlp()
    feed = random_feed(model)
    close(ge.load(model.SerializeToString()).run(feed), oracle(model, feed))
    b = GraphBuilder("g")
    x = b.create_input(0, name="x", shape=[2])
    graph = b.build_and_reset([x * x])
    m = ge.load(graph)
    del b, x, graph
    gc.collect()
    (y,) = m.run({"x": np.array([2.0, 3.0], np.float32)}).values()
    assert y.tolist() == [4.0, 9.0]


def test_model_without_inputs():
    from ge.es import GraphBuilder

    b = GraphBuilder("g")
    m = ge.load(b.build_and_reset([b.create_const_float([1.0, 2.0]) + 1.0]))
    assert [v.tolist() for v in m.run().values()] == [[2.0, 3.0]]


def test_placement(mlp):
    table = mlp.placement()
    assert len(table) == len(table.data) > 0
    for row in table:
        assert row["node"] and row["type"] and row["engine"] and isinstance(row["refusals"], dict)
    known = {e["name"] for e in ge.engines()}
    assert set(table.engines()) <= known and sum(table.engines().values()) == len(table)
    lines = str(table).splitlines()
    assert lines[0].split()[:3] == ["node", "type", "engine"] and len(lines) == len(table) + 2


def test_excluded_engine_is_not_used(tmp_path):
    path = save(models.mlp(), tmp_path)
    used = set(ge.load(path).placement().engines()) - {"DNN_VM_HOST_CPU", "DNN_VM_GE_LOCAL"}
    m = ge.load(path, options={"engines.exclude": sorted(used)})
    assert used.isdisjoint(m.placement().engines())
    feed = random_feed(models.mlp())
    close(m.run(feed), oracle(models.mlp(), feed))


def test_profile(mlp, tmp_path):
    feed = random_feed(models.mlp())
    profile = mlp.profile(feed)
    profile.save(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["cat"] == "kernel"]
    assert len(events) == len(profile) > 0 and all(e["dur"] >= 0 for e in events)
    assert np.array_equal(profile.outputs["y"], mlp.run(feed)["y"])
    assert str(profile).splitlines()[-1].startswith(f"{len(profile)} kernels, ")
    whole = next(e["dur"] for e in trace["traceEvents"] if e.get("name") == "run")
    assert profile.total_us == sum(e["dur"] for e in events) <= whole and "run" not in {r["name"] for r in profile}


def test_report_and_memory(mlp, tmp_path):
    mlp.run(random_feed(models.mlp()))
    report = mlp.report()
    assert report["inputs"][0]["name"] == "x" and "passes" in report and "memory" in report
    plan = mlp.memory_plan
    assert plan.svg.lstrip().startswith(("<svg", "<?xml")) and plan._repr_svg_() == plan.svg
    plan.save(tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").read_text() == plan.svg
    assert mlp.graph().startswith("graph(") and "digraph" in mlp.graph("dot")
    with raises(ValueError, "format 'png' is none of readable, dot, svg"):
        mlp.graph("png")


def test_runs_from_threads(tmp_path):
    model = models.attention("n")
    m = ge.load(save(model, tmp_path), options={"threads": 2})
    cases = [(f := random_feed(model, n, n=n), oracle(model, f)) for n in range(1, 7)]
    problems = []

    def work(offset):
        try:
            for i in range(60):
                feed, want = cases[(i + offset) % len(cases)]
                close(m.run(feed), want)
        except BaseException as e:
            problems.append(e)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert problems == [] and 1 <= len(m._pool) <= 4


def test_options_and_engines_are_listed():
    keys = {o["key"] for o in ge.options()}
    assert {"threads", "precision", "passes.disable", "engines.exclude"} <= keys
    assert all(e["name"] and e["error"] == "" for e in ge.engines())
    assert "DNN_VM_HOST_CPU" in {e["name"] for e in ge.engines()}


@pytest.mark.parametrize("name", ["m.ONNX", "m.Onnx", "m.pb", "m"])
def test_a_model_is_known_by_its_content(name, tmp_path):
    (tmp_path / name).write_bytes(models.mlp().SerializeToString())
    assert ge.load(tmp_path / name).run(random_feed(models.mlp())).keys() == {"y"}


def test_what_holds_no_model_is_refused_by_its_path(tmp_path):
    whole = models.mlp().SerializeToString()
    contents = {"text": b"hello", "empty": b"", "cut": whole[: len(whole) // 2], "no graph": b"\x08\x08"}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(GeError, match=f"'{tmp_path / name}' holds neither an ONNX model, nor a Tensor"):
            ge.load(tmp_path / name)
    (tmp_path / "text.onnx").write_bytes(b"hello")
    with pytest.raises(GeError, match="not an ONNX model"):
        ge.load(tmp_path / "text.onnx")


def test_declared_types_of_outputs_hold():
    value, f, i = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
    for op, declared, computed in (("Relu", i, "DT_FLOAT"), ("Shape", f, "DT_INT64")):
        nodes = [onnx.helper.make_node(op, ["x"], ["y"])]
        graph = onnx.helper.make_graph(nodes, "g", [value("x", f, [2])], [value("y", declared, None)])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
        with pytest.raises(GeError, match=f"output 'y' of the graph is declared .*, {computed} is computed"):
            ge.load(model.SerializeToString())


def test_no_name_or_path_ends_at_a_nul_byte(tmp_path):
    """Decoders that give C strings would read 'keep.b' here."""
    path = tmp_path / "m.onnx"
    onnx.save(models.mlp(), str(path), save_as_external_data=True, location="keep.bin", size_threshold=0)
    assert ge.load(path)
    path.write_bytes(path.read_bytes().replace(b"keep.bin", b"keep.b\0n"))
    (tmp_path / "keep.b").write_bytes((tmp_path / "keep.bin").read_bytes())
    with pytest.raises(GeError, match="NUL byte"):
        ge.load(path)
    whole = models.mlp().SerializeToString()
    for name in (b"Gemm", b"Relu", b"w1", b"b2"):
        assert name in whole
        with pytest.raises(GeError, match="NUL byte"):
            ge.load(whole.replace(name, name[:-1] + b"\0"))
