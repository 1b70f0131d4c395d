"""The way from a file to the first result: what is opened on it, what is read, and packed weights that a file keeps."""

import os
import pathlib
import resource
import subprocess
import sys
import time

import graphdef as tf
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

AVX2 = " avx2 " in pathlib.Path("/proc/cpuinfo").read_text() and os.environ.get("GE_MAX_ISA") != "scalar"
needs_avx2 = pytest.mark.skipif(not AVX2, reason="the engine that packs weights needs AVX2")


def weights(seed, *shape):
    scale = np.sqrt(2 / max(1, np.prod(shape[1:])))
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(np.float32)


def model(nodes, inputs, outputs, constants, doc=""):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "net",
        [info(n, TensorProto.FLOAT, s) for n, s in inputs.items()],
        [info(n, TensorProto.FLOAT, s) for n, s in outputs.items()],
        [numpy_helper.from_array(v, n) for n, v in constants.items()],
        doc_string=doc,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def convnet(doc="", seed=0):
    """Convolutions of every kind that packs: 3 x 3 and its scaled form, 1 x 1, and a dense layer behind them."""
    c = {
        "w0": weights(seed, 64, 3, 3, 3),
        "w1": weights(seed + 1, 64, 64, 3, 3),
        "scale": np.linspace(0.5, 1.5, 64).astype(np.float32),
        "shift": np.linspace(-0.1, 0.1, 64).astype(np.float32),
        "mean": weights(seed + 2, 64),
        "var": np.abs(weights(seed + 3, 64)) + 1,
        "w2": weights(seed + 4, 384, 64, 1, 1),
        "w3": weights(seed + 5, 384, 100),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Conv", ["b", "w1"], ["d"], kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("BatchNormalization", ["d", "scale", "shift", "mean", "var"], ["e"]),
        helper.make_node("Relu", ["e"], ["f"]),
        helper.make_node("Conv", ["f", "w2"], ["g"], kernel_shape=[1, 1]),
        helper.make_node("GlobalAveragePool", ["g"], ["h"]),
        helper.make_node("Flatten", ["h"], ["i"]),
        helper.make_node("MatMul", ["i", "w3"], ["y"]),
    ]
    return model(nodes, {"x": [1, 3, 32, 32]}, {"y": [1, 100]}, c, doc)


def dense(rows=16, open_rows=False, doc="", seed=0):
    c = {"a": weights(seed, 192, 256).T.copy(), "b": weights(seed + 1, 256, 192).T.copy(), "c": weights(seed + 2, 30000)}
    nodes = [
        helper.make_node("MatMul", ["x", "a"], ["t"]),
        helper.make_node("Relu", ["t"], ["u"]),
        helper.make_node("MatMul", ["u", "b"], ["v"]),
        helper.make_node("ReduceSum", ["c"], ["s"], keepdims=0),
        helper.make_node("Add", ["v", "s"], ["y"]),
    ]
    n = "n" if open_rows else rows
    return model(nodes, {"x": [n, 256]}, {"y": [n, 256]}, c, doc)


def feed_of(proto, rows=16):
    shape = [d.dim_value or rows for d in proto.graph.input[0].type.tensor_type.shape.dim]
    return {"x": np.random.default_rng(7).standard_normal(shape).astype(np.float32)}


def oracle(proto, feed):
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feed)[0]


def close(got, want):
    assert np.abs(got - want).max() <= 2e-5 * np.abs(want).max()


def save(proto, path, age=60):
    """Old enough for its times to tell whether it has changed."""
    onnx.save(proto, str(path))
    before = path.stat().st_mtime - age
    os.utime(path, (before, before))
    return path


def fresh(program, *args, env=None, code=0):
    run = subprocess.run(
        [sys.executable, "-c", program, *map(str, args)], capture_output=True, text=True, env={**os.environ, **(env or {})}
    )
    assert run.returncode == code, run.stderr
    return run.stdout


# ---- what is read ----


@pytest.mark.isa
@pytest.mark.parametrize("shift", range(4))
@pytest.mark.parametrize("make", [convnet, dense])
@pytest.mark.parametrize("threads", [1, 2])
def test_weights_at_any_address_of_the_file(tmp_path, make, shift, threads):
    proto = make()
    proto.graph.name = "g" * (5 + shift)  # it lies before the weights
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    want = oracle(proto, feed)
    with ge.load(path, options={"threads": threads}) as m:
        close(m.run(feed)["y"], want)
    with ge.load(path.read_bytes(), options={"threads": threads}) as m:
        close(m.run(feed)["y"], want)


@pytest.mark.parametrize("make", [convnet, dense, lambda: dense(open_rows=True)])
def test_the_file_may_change_once_the_model_is_loaded(tmp_path, make):
    proto = make()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    want = oracle(proto, feed)
    m = ge.load(path)
    with open(path, "r+b") as f:
        f.write(b"\0" * os.path.getsize(path))
    close(m.run(feed)["y"], want)
    held = bytearray(proto.SerializeToString())
    m = ge.load(held)
    held[:] = b"\0" * len(held)
    close(m.run(feed)["y"], want)


def test_one_constant_for_two_layers_of_which_one_is_scaled(tmp_path):
    c = {"w": weights(1, 64, 64, 3, 3), **{n: np.abs(weights(k, 64)) + 0.5 for k, n in enumerate("pqrs")}}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("Conv", ["a", "w"], ["b"], kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("BatchNormalization", ["b", *"pqrs"], ["y"]),
    ]
    proto = model(nodes, {"x": [1, 64, 8, 8]}, {"y": [1, 64, 8, 8]}, c)
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    close(ge.load(path).run(feed)["y"], oracle(proto, feed))


# ---- what is opened ----

OPENED = """
import json, sys
import numpy as np
import ge
x = np.load(sys.argv[2])
m = ge.load(sys.argv[1], options=json.loads(sys.argv[3]) if len(sys.argv) > 3 else {})
y = m.run({"x": x})["y"]
np.save(sys.argv[2] + ".out.npy", y)
libraries = {e["name"]: e["libraries"] for e in ge.engines()}
print(json.dumps([libraries, "libdnnl" in open("/proc/self/maps").read(), m.report(), m.placement().data]))
"""


def opened(tmp_path, proto, options=None, **env):
    import json

    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    np.save(tmp_path / "x.npy", feed["x"])
    out = fresh(OPENED, path, tmp_path / "x.npy", json.dumps(options or {}), env=env)
    close(np.load(str(tmp_path / "x.npy.out.npy")), oracle(proto, feed))
    return json.loads(out)


@needs_avx2
def test_a_library_is_opened_with_the_first_kernel_that_needs_it(tmp_path):
    libraries, mapped, *_ = opened(tmp_path, dense(rows=1))  # products of one row have kernels of our own
    assert libraries["AIcoreEngine"] == "" and not mapped
    libraries, mapped, *_ = opened(tmp_path, convnet())
    assert libraries["AIcoreEngine"].startswith("libdnnl") and mapped


@needs_avx2
def test_a_library_that_is_missing_concerns_those_who_need_it(tmp_path):
    missing = {"GE_DNNL_LIBRARY": str(tmp_path / "libdnnl_missing.so")}
    opened(tmp_path, dense(rows=1), **missing)
    *_, report, placement = opened(tmp_path, convnet(), **missing)
    refused = [row for row in placement if any("oneDNN cannot be loaded" in why for why in row["refusals"].values())]
    assert refused and all(row["engine"] != "AIcoreEngine" for row in refused)
    tool, wide = [sys.executable, "-m", "ge", "doctor"], {**os.environ, "COLUMNS": "200"}
    run = subprocess.run(tool, capture_output=True, text=True, env={**wide, **missing})
    assert run.returncode == 1 and "problem: engine AIcoreEngine: oneDNN cannot be loaded" in run.stdout
    run = subprocess.run(tool, capture_output=True, text=True, env=wide)
    assert run.returncode == 0 and "opens libdnnl" in run.stdout


ONLY_MODELS = """
import sys
import numpy as np
import ge
m = ge.load(sys.argv[1])
m.run({"x": np.load(sys.argv[2])})
assert "ge._es_cffi" not in sys.modules and "libes_all" not in open("/proc/self/maps").read()
from ge.es import GraphBuilder
b = GraphBuilder()
x = b.create_input(0, shape=[2])
b.build_and_reset([x + x])
assert "ge._es_cffi" in sys.modules and "libes_all" in open("/proc/self/maps").read()
"""


def test_operators_are_opened_by_who_builds_graphs(tmp_path):
    proto = dense()
    np.save(tmp_path / "x.npy", feed_of(proto)["x"])
    fresh(ONLY_MODELS, save(proto, tmp_path / "net.onnx"), tmp_path / "x.npy")


ALL_AT_ONCE = """
import sys, threading
import numpy as np
import ge
x = np.load(sys.argv[2])
results, go = [], threading.Barrier(8)

def first():
    go.wait()
    results.append(ge.load(sys.argv[1])(x))

threads = [threading.Thread(target=first) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(results) == 8 and all(np.array_equal(r, results[0]) for r in results)
np.save(sys.argv[2] + ".out.npy", results[0])
"""


def test_threads_that_load_first_of_all_at_once(tmp_path):
    proto = dense()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    np.save(tmp_path / "x.npy", feed["x"])
    for _ in range(5):
        fresh(ALL_AT_ONCE, path, tmp_path / "x.npy")
        close(np.load(str(tmp_path / "x.npy.out.npy")), oracle(proto, feed))


def test_a_load_imports_no_more_than_it_needs(tmp_path):
    """Modules of other formats, of state, of values that are no tensors, and of arrays of the standard library."""
    program = """
import sys
import numpy as np
before = set(sys.modules)
import ge
ge.load(sys.argv[1])(np.load(sys.argv[2]))
new = {name for name in set(sys.modules) - before if not name.startswith("_")}
assert not new & {"array", "json", "numpy.ma", "ge._state", "ge._values", "ge._tables", "ge.graph", "ge.passes"}, new
"""
    proto = dense()
    np.save(tmp_path / "x.npy", feed_of(proto)["x"])
    fresh(program, save(proto, tmp_path / "net.onnx"), tmp_path / "x.npy")


TOGETHER = """
import threading
import ge.es
from ge._native import operators
builders = [ge.es.GraphBuilder(f"g{i}") for i in range(8)]
inputs, made, go = [b.create_input(0, shape=[2]) for b in builders], [], threading.Barrier(8)

def build(b, x):
    go.wait()
    made.append((len(b.build_and_reset([x * 2.0 + x]).get_all_nodes()), operators()))

threads = [threading.Thread(target=build, args=pair) for pair in zip(builders, inputs)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(set(made)) == 1 and len(made) == 8, made
"""


def test_operators_are_opened_by_many_threads_at_once():
    for _ in range(5):
        fresh(TOGETHER)


# ---- packed weights in a file ----


def load(path, **options):
    return ge.load(path, options={"threads": 1, **options})


def stores(folder):
    return sorted(p for p in folder.iterdir() if p.suffix == ".gepack")


@needs_avx2
@pytest.mark.parametrize("make", [convnet, dense])
@pytest.mark.parametrize("beside", [True, False])
def test_a_second_start_packs_nothing(tmp_path, make, beside):
    proto = make()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    option = {"weights.store": "on" if beside else str(tmp_path / "kept")}
    want = load(path).run(feed)["y"]
    close(want, oracle(proto, feed))
    first = load(path, **option)
    kept = first.report()["weights_store"]
    assert kept["packed"] > 0 and kept["found"] == 0 and kept["written"] and kept["note"] == ""
    assert stores(tmp_path if beside else tmp_path / "kept") == [pathlib.Path(kept["file"])]
    assert np.array_equal(first.run(feed)["y"], want)
    second = load(path, **option)
    again = second.report()["weights_store"]
    assert again["packed"] == 0 and again["found"] == kept["packed"] and not again["written"]
    assert np.array_equal(second.run(feed)["y"], want)
    assert "weights_store" not in load(path).report()


@needs_avx2
def test_sizes_that_runs_meet_are_kept_as_well(tmp_path):
    proto = dense(open_rows=True)
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto, 40)
    for packs in (True, False):
        m = load(path, **{"weights.store": "on"})
        close(m.run(feed)["y"], oracle(proto, feed))
        kept = m.report()["weights_store"]
        assert (kept["packed"] > 0) == packs and (kept["found"] > 0) != packs


@needs_avx2
def test_a_model_that_changed_is_packed_anew(tmp_path):
    on = {"weights.store": "on"}
    proto = convnet()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    packed = load(path, **on).report()["weights_store"]["packed"]
    os.utime(path, (1e9, 1e9))  # its content is as it was
    time.sleep(2.5)  # until the time of that change tells it from a later one
    kept = load(path, **on).report()["weights_store"]
    assert kept["packed"] == 0 and kept["found"] == packed and kept["written"]
    assert not load(path, **on).report()["weights_store"]["written"]
    other = convnet(seed=50)
    save(other, path)
    m = load(path, **on)
    assert m.report()["weights_store"]["packed"] == packed
    close(m.run(feed)["y"], oracle(other, feed))
    close(load(path, **on).run(feed)["y"], oracle(other, feed))


def damages(size):
    def at(place, value):
        return lambda raw: raw[:place] + value + raw[place + len(value) :]

    return {
        "empty": lambda raw: b"",
        "cut in the header": lambda raw: raw[:40],
        "cut in the middle": lambda raw: raw[: len(raw) // 2],
        "cut at the end": lambda raw: raw[:-1],
        "longer": lambda raw: raw + b"\0",
        "another file": lambda raw: b"\x7fELF" + raw[4:],
        "another version": at(8, b"\x63\0\0\0"),
        "a garbled header": at(30, b"\xff\xff"),
        "a garbled index": at(size - 20, b"\x01\x02\x03\x04"),
        "nothing but noise": lambda raw: np.random.default_rng(1).bytes(len(raw)),
    }


@needs_avx2
@pytest.mark.parametrize("damage", damages(0))
def test_a_file_that_is_no_good_is_made_anew(tmp_path, damage):
    proto = dense()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    on = {"weights.store": "on"}
    packed = load(path, **on).report()["weights_store"]["packed"]
    (store,) = stores(tmp_path)
    raw = store.read_bytes()
    bad = damages(len(raw))[damage](raw)
    assert bad != raw
    store.write_bytes(bad)
    m = load(path, **on)
    kept = m.report()["weights_store"]
    assert kept["packed"] == packed and kept["found"] == 0 and "made anew" in kept["note"] and kept["written"]
    close(m.run(feed)["y"], oracle(proto, feed))
    assert load(path, **on).report()["weights_store"]["found"] == packed


@needs_avx2
def test_the_file_of_another_configuration_is_not_taken(tmp_path):
    proto = dense()
    path, on = save(proto, tmp_path / "net.onnx"), {"weights.store": "on"}
    load(path, **on)
    (one,) = stores(tmp_path)
    ge.load(path, options={"threads": 2, **on})
    (two,) = set(stores(tmp_path)) - {one}
    one.write_bytes(two.read_bytes())
    assert "another library, processor or set of options" in load(path, **on).report()["weights_store"]["note"]


WRITER = """
import sys
import numpy as np
import ge
m = ge.load(sys.argv[1], options={"threads": 1, "weights.store": "on"})
print(m.run({"x": np.load(sys.argv[2])})["y"].tobytes().hex(), m.report()["weights_store"]["note"])
"""


@needs_avx2
def test_processes_that_write_at_once(tmp_path):
    proto = convnet()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    np.save(tmp_path / "x.npy", feed["x"])
    command = [sys.executable, "-c", WRITER, str(path), str(tmp_path / "x.npy")]
    for _ in range(2):
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        said = {process.communicate()[0] for process in running}
        assert len(said) == 1 and all(process.returncode == 0 for process in running)
    assert len(stores(tmp_path)) == 1 and not list(tmp_path.glob("*.tmp"))
    assert load(path, **{"weights.store": "on"}).report()["weights_store"]["packed"] == 0


@needs_avx2
def test_where_nothing_can_be_written(tmp_path):
    proto = dense()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", "/proc/self", tmp_path / "none" / "deeper"):  # no folder, read-only, not there
        m = load(path, **{"weights.store": str(folder)})
        close(m.run(feed)["y"], oracle(proto, feed))
        assert "packed weights are not kept" in m.report()["weights_store"]["note"]
        assert not m.report()["weights_store"]["written"]


FULL = """
import resource, sys
import ge
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, resource.RLIM_INFINITY))
print(ge.load(sys.argv[1], options={"threads": 1, "weights.store": "on"}).report()["weights_store"]["note"])
"""


@needs_avx2
def test_a_disk_that_is_full(tmp_path):
    path = save(dense(), tmp_path / "net.onnx")
    assert "cannot write" in fresh(FULL, path)
    assert [p.name for p in tmp_path.iterdir()] == ["net.onnx"]


def test_on_is_for_files(tmp_path):
    proto = dense()
    feed = feed_of(proto)
    m = load(proto, **{"weights.store": "on"})
    close(m.run(feed)["y"], oracle(proto, feed))
    assert "weights_store" not in m.report()


@needs_avx2
def test_bytes_have_a_store_in_a_folder(tmp_path):
    proto = dense()
    for packs in (True, False):
        m = load(proto, **{"weights.store": str(tmp_path)})
        assert (m.report()["weights_store"]["packed"] > 0) == packs
        close(m.run(feed_of(proto))["y"], oracle(proto, feed_of(proto)))


@needs_avx2
def test_loading_again_and_again_leaves_nothing_behind(tmp_path):
    proto = convnet()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)

    def state():
        return len(os.listdir("/proc/self/fd")), sum(str(tmp_path) in line for line in open("/proc/self/maps"))

    for _ in range(3):
        with load(path, **{"weights.store": "on"}) as m:
            m.run(feed)
    before, peak = state(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(30):
        with load(path, **{"weights.store": "on"}) as m:
            m.run(feed)
    assert state() == before and before[1] == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < peak + 16 * 1024  # kilobytes


@needs_avx2
def test_fresh_processes_one_after_the_other(tmp_path):
    proto = convnet()
    path, feed = save(proto, tmp_path / "net.onnx"), feed_of(proto)
    np.save(tmp_path / "x.npy", feed["x"])
    said = {fresh(WRITER, path, tmp_path / "x.npy") for _ in range(4)}
    assert len(said) == 1
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".gepack", ".npy", ".onnx"]


@pytest.mark.isa
def test_the_store_tells_filters_of_the_same_values_apart(tmp_path):
    """Volumes with channels last: the same numbers, as filters of other shapes, are packed in another order."""
    random = np.random.default_rng(0)
    values = random.standard_normal(3 * 3 * 16 * 32).astype(np.float32)

    def load(shape, **options):
        g = tf.Graph()
        g.input("x", [1, 4, 5, 6, shape[3]])
        w = values.reshape(shape)
        g.add("Conv3D", "x", w, name="y", strides=[1] * 5, padding="SAME", data_format="NDHWC", dilations=[1] * 5)
        (tmp_path / "m.pb").write_bytes(g.encode())
        return ge.load(str(tmp_path / "m.pb"), options=options)

    for shape in ((1, 1, 3, 48, 32), (1, 3, 3, 16, 32), (3, 3, 1, 16, 32), (3, 1, 1, 48, 32)):
        x = random.standard_normal((1, 4, 5, 6, shape[3])).astype(np.float32)
        (want,) = load(shape).run({"x": x}).values()
        (got,) = load(shape, **{"weights.store": str(tmp_path / "store")}).run({"x": x}).values()
        np.testing.assert_array_equal(got, want)
