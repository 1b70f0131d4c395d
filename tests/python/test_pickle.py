"""Models and graphs as pickles: bytes that need no file and no other process, and compile again where they are read."""

import concurrent.futures
import gc
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys

import models
import numpy as np
import onnx
import pytest
from models import F, node

import ge
import ge._source
from ge.es import GraphBuilder
from ge.graph import Graph, Tensor

X = np.random.default_rng(3).standard_normal((4, 8)).astype(np.float32)


def again(value):
    return pickle.loads(pickle.dumps(value))


def affine():
    b = GraphBuilder("affine")
    x = b.create_input(0, name="x", shape=[4, 8])
    w = b.create_const_float(np.arange(8, dtype=np.float32))
    return b.build_and_reset([x * w + 1.0])


# ---- graphs ----


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_graph_is_the_same_again(protocol):
    graph = affine()
    graph.set_attr("owner", "me")
    copy = pickle.loads(pickle.dumps(graph, protocol))
    assert type(copy) is Graph and copy.name == "affine" and copy.get_attr("owner") == "me"
    assert copy._to_bytes() == graph._to_bytes() and str(copy) == str(graph)
    np.testing.assert_array_equal(ge.load(copy)(X), X * np.arange(8, dtype=np.float32) + 1)


def test_a_pickled_graph_is_independent():
    graph = affine()
    raw = pickle.dumps(graph)
    copy = pickle.loads(raw)
    copy.set_attr("owner", "copy")
    with pytest.raises(RuntimeError):
        graph.get_attr("owner")
    del graph, copy
    gc.collect()
    assert len(pickle.loads(raw).get_all_nodes()) > 3


def test_subgraphs_come_along():
    flag = onnx.helper.make_tensor_value_info("flag", onnx.TensorProto.BOOL, [])
    branches = {
        name: onnx.helper.make_graph([node(op, ["x"], ["t"])], name, [], [onnx.helper.make_tensor_value_info("t", F, [4, 8])])
        for name, op in (("then_branch", "Neg"), ("else_branch", "Abs"))
    }
    graph = onnx.helper.make_graph(
        [node("If", ["flag"], ["y"], **branches)], "g", [flag, onnx.helper.make_tensor_value_info("x", F, [4, 8])],
        [onnx.helper.make_tensor_value_info("y", F, [4, 8])])  # fmt: skip
    proto = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    m = ge.load(proto)
    imported = m.placed_graph()
    assert len(again(imported).get_all_subgraphs()) == len(imported.get_all_subgraphs()) == 2
    for flag in (True, False):
        np.testing.assert_array_equal(again(m)(x=X, flag=np.bool_(flag)), -X if flag else np.abs(X))


def test_other_ways_of_copying_stay_refused():
    import copy

    for call in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match="Graph does not support"):
            call(affine())
    with pytest.raises(TypeError):
        pickle.dumps(Tensor([1.0], shape=[1]))


def test_a_damaged_pickle_is_refused():
    raw = affine()._to_bytes()
    for cut in (0, 1, len(raw) // 2, len(raw) - 1):
        with pytest.raises(RuntimeError, match="Failed to load Graph"):
            Graph._from_bytes(raw[:cut])


# ---- models ----


@pytest.fixture(params=["path", "bytes", "bytearray", "proto", "graph", "offline"])
def loaded(request, tmp_path):
    proto = models.mlp()
    raw = proto.SerializeToString()
    path = tmp_path / "m.onnx"
    path.write_bytes(raw)
    if request.param == "graph":
        return ge.load(affine())
    if request.param == "offline":
        from ge.offline_compile import build_finalize, build_initialize, build_model, save_model

        build_initialize({})
        save_model(str(tmp_path / "m"), build_model(affine()))
        build_finalize()
        return ge.load(tmp_path / "m.om")
    return ge.load({"path": path, "bytes": raw, "bytearray": bytearray(raw), "proto": proto}[request.param])


def test_a_model_is_the_same_again(loaded, tmp_path):
    raw = pickle.dumps(loaded)
    want = loaded(X)
    for file in tmp_path.iterdir():
        file.unlink()
    copy = pickle.loads(raw)
    assert repr(copy) == repr(loaded) and np.array_equal(copy(X), want)
    loaded.close()
    assert np.array_equal(again(copy)(X), want)  # and once more, from a pickle


def test_another_process_reads_it(tmp_path):
    m = ge.load(models.mlp(), {"threads": 2})
    file = tmp_path / "m.pickle"
    file.write_bytes(pickle.dumps(m))
    np.save(tmp_path / "x.npy", X)
    script = (
        "import pickle, sys, numpy\n"
        "m = pickle.load(open(sys.argv[1], 'rb'))\n"
        "numpy.save(sys.argv[3], m(numpy.load(sys.argv[2])))\n"
    )
    args = [file, tmp_path / "x.npy", tmp_path / "y.npy"]
    run = subprocess.run([sys.executable, "-c", script, *map(str, args)], capture_output=True, text=True, env=os.environ)
    assert run.returncode == 0, run.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), m(X))


def _apply(m, x):
    return m(x)


def test_a_pool_of_processes_gets_it():
    m = ge.load(models.mlp())
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        np.testing.assert_array_equal(pool.submit(_apply, m, X).result(120), m(X))


def test_options_come_along():
    m = ge.load(models.mlp(), {"engines.exclude": ["AIcoreEngine"]})
    copy = again(m)
    assert "AIcoreEngine" not in copy.placement().engines()
    assert copy.placement().data == m.placement().data


def test_changes_of_what_was_loaded_do_not_count(tmp_path):
    graph = affine()
    m = ge.load(graph)
    for n in graph.get_all_nodes():
        if n.type == "Mul":
            graph.remove_node(n)
    raw = bytearray(models.mlp().SerializeToString())
    other = ge.load(raw)
    want = other(X)
    raw[:] = bytes(len(raw))
    np.testing.assert_array_equal(again(m)(X), X * np.arange(8, dtype=np.float32) + 1)
    np.testing.assert_array_equal(again(other)(X), want)


def test_initializers_that_may_be_fed_stay_so(tmp_path):
    shapes = {"x": (F, [4]), "w": (F, [4])}
    proto = models.make([node("Add", ["x", "w"], ["y"])], shapes, {"y": (F, [4])}, {"w": np.ones(4, np.float32)})
    x = np.arange(4, dtype=np.float32)
    for m in (ge.load(proto), ge.load(models_file(proto, tmp_path))):
        copy = again(m)
        assert np.array_equal(copy(x), x + 1) and np.array_equal(copy(x, w=x), x + x)
    onnx.save(proto, str(tmp_path / "far.onnx"), save_as_external_data=True, location="far.bin", size_threshold=0)
    with pytest.raises(pickle.PicklingError, match=r"weights in other files, and initializers that may be fed: \['w'\]"):
        pickle.dumps(ge.load(tmp_path / "far.onnx"))


def models_file(proto, folder):
    onnx.save(proto, str(folder / "m.onnx"))
    return folder / "m.onnx"


def test_weights_in_other_files_come_along(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(models.mlp(), str(path), save_as_external_data=True, location="weights.bin", size_threshold=0)
    m = ge.load(path)
    want, raw = m(X), pickle.dumps(m)
    for file in list(tmp_path.iterdir()):
        file.unlink()
    copy = pickle.loads(raw)
    assert repr(copy) == repr(m)
    np.testing.assert_allclose(copy(X), want, rtol=1e-6)


def test_chosen_outputs_stay_chosen(tmp_path):
    proto, options = models.mlp(), {"ge.outputNodeName": "act:0"}
    proto.graph.node[1].name = "act"
    raw = proto.SerializeToString()
    path = tmp_path / "m.onnx"
    onnx.save(proto, str(path), save_as_external_data=True, location="weights.bin", size_threshold=0)
    for m in (ge.load(path, options), ge.load(raw, options)):
        copy = again(m)
        assert repr(copy) == repr(m) and copy.outputs[0].shape == (4, 16)
        np.testing.assert_allclose(copy(X), m(X), rtol=1e-6)


def test_graphs_of_tensorflow(tmp_path):
    import graphdef as tf

    g = tf.Graph()
    x = g.input("x", (2, 2), np.float32)
    g.add("Relu", x, name="y")
    (tmp_path / "net.pb").write_bytes(g.encode())
    (tmp_path / "net.pbtxt").write_text(
        'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape '
        '{ dim { size: 2 } dim { size: 2 } } } } } node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: '
        "DT_FLOAT } } }"
    )
    a = np.float32([[-1, 2], [3, -4]])
    for name in ("net.pb", "net.pbtxt"):
        assert again(ge.load(tmp_path / name))(a).tolist() == [[0, 2], [3, 0]], name


def test_a_file_that_changed_is_not_another_model(tmp_path):
    path = models_file(models.mlp(), tmp_path)
    m = ge.load(path)
    path.write_bytes(models.convnet().SerializeToString())
    with pytest.raises(pickle.PicklingError, match="the model's file '.*m.onnx' has changed since it was loaded"):
        pickle.dumps(m)
    path.unlink()
    with pytest.raises(pickle.PicklingError, match="has changed"):
        pickle.dumps(m)


def test_a_path_counts_from_the_folder_of_loading(tmp_path, monkeypatch):
    models_file(models.mlp(), tmp_path)
    monkeypatch.chdir(tmp_path)
    m = ge.load("m.onnx")
    monkeypatch.chdir(pathlib.Path("/"))
    np.testing.assert_array_equal(again(m)(X), m(X))


def test_what_is_not_kept_is_said(monkeypatch):
    raw = models.mlp().SerializeToString()
    forgot = f"the model has not kept the {len(raw)} bytes it was loaded from, .* load it from a file, or with keep_source=True"
    with pytest.raises(pickle.PicklingError, match=forgot):
        pickle.dumps(ge.load(raw, keep_source=False))
    with pytest.raises(pickle.PicklingError, match="has not kept its graph: keep_source=False"):
        pickle.dumps(ge.load(affine(), keep_source=False))
    monkeypatch.setattr(ge._source, "KEPT_BYTES", len(raw) - 1)
    with pytest.raises(pickle.PicklingError, match=forgot):
        pickle.dumps(ge.load(raw))
    np.testing.assert_array_equal(again(ge.load(raw, keep_source=True))(X), ge.load(raw)(X))


def test_a_closed_model_is_not_pickled():
    m = ge.load(models.mlp())
    m.close()
    with pytest.raises(RuntimeError, match="the model is closed"):
        pickle.dumps(m)
