"""The command line tool: results, machine-readable output, exit codes and messages."""

import json
import os
import re
import struct
import subprocess
import sys
import zlib
from io import BytesIO

import numpy as np
import onnx
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "python"))
import models  # noqa: E402

TOOL = os.path.join(os.environ.get("GE_BUILD_DIR", "build/release"), "bin", "ge")


def ge(*args, code=0, env=None, **options):
    # Always given: readline, where something imports it, puts the width of a screen into what processes get otherwise.
    options["env"] = {**os.environ, **{k: str(v) for k, v in (env or {}).items()}}
    run = subprocess.run([sys.executable, "-m", "ge", *map(str, args)], capture_output=True, text=True, timeout=300, **options)
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    return run


def refused(*args, code=2, **options):
    """The text on standard error."""
    run = ge(*args, code=code, **options)
    first = run.stderr.splitlines()[0]
    assert first.startswith("ge: ") and run.stdout == ""
    return run.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli")
    onnx.save(models.mlp(), str(path / "mlp.onnx"))
    onnx.save(models.mlp("n"), str(path / "open.onnx"))
    onnx.save(models.convnet(), str(path / "conv.onnx"))
    return path


def oracle(path, feed):
    import onnxruntime as ort

    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))


def test_version_and_help():
    assert ge("--version").stdout == "ge 0.1.0\n"
    text = ge("--help").stdout
    assert all(c in text for c in ("run", "bench", "info", "dump", "ops", "doctor", "engine-test"))
    assert "--seed" in ge("run", "--help").stdout


@pytest.mark.parametrize("compressed", [False, True])
def test_run_with_npz(folder, tmp_path, compressed):
    x = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    (np.savez_compressed if compressed else np.savez)(tmp_path / "in.npz", x=x)
    run = ge("run", folder / "mlp.onnx", "--input", tmp_path / "in.npz", "-o", tmp_path / "out.npz", "--threads", 1)
    want = oracle(folder / "mlp.onnx", {"x": x})["y"]
    with np.load(tmp_path / "out.npz") as out:
        assert out.files == ["y"] and out["y"].dtype == np.float32
        np.testing.assert_allclose(out["y"], want, atol=1e-5)
    header, _, row = run.stdout.splitlines()
    assert header.split()[:3] == ["output", "type", "shape"] and row.startswith("y ")
    assert "[4, 3]" in row and f"{want.max():.4g}"[:5] in row
    import zipfile

    assert zipfile.ZipFile(tmp_path / "out.npz").testzip() is None


def test_run_with_npy_and_open_shape(folder, tmp_path):
    x = np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    ge("run", folder / "open.onnx", "-i", f"x={tmp_path}/x.npy", "-o", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as out:
        np.testing.assert_allclose(out["y"], oracle(folder / "open.onnx", {"x": x})["y"], atol=1e-5)


def test_random_inputs_follow_the_seed(folder, tmp_path):
    results = []
    for seed in (1, 1, 2):
        ge("run", folder / "open.onnx", "--shape", "x=5,8", "--seed", seed, "-o", tmp_path / "o.npz")
        with np.load(tmp_path / "o.npz") as out:
            results.append(out["y"])
    assert results[0].shape == (5, 3) and np.array_equal(results[0], results[1])
    assert not np.array_equal(results[0], results[2])


def test_left_overs_of_killed_writers_go(folder, tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    names = [f"out.npz.part{gone.pid}", f"out.npz.part{os.getpid()}", f"out.npz.part{gone.pid}x", f"o.npz.part{gone.pid}"]
    for name in names:
        (tmp_path / name).write_text("half")
    ge("run", folder / "mlp.onnx", "-o", tmp_path / "out.npz", "--threads", 1)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["out.npz", *names[1:]])


def zip_of(entries, packed, claim):
    """A .npz of entries that all lie at one place: `packed` deflated bytes that claim to be `claim`."""
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 0, 0, len(packed), claim, 5, 0) + b"x.npy" + packed
    rows = b""
    for k in range(entries):
        name = b"x%d.npy" % k
        sizes = (len(packed), claim, len(name), 0, 0, 0, 0, 0, 0)
        rows += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 0, 0, *sizes) + name
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, entries, entries, len(rows), len(local), 0)
    return local + rows + end


def test_npz_that_claims_more_than_it_holds(folder, tmp_path):
    file = tmp_path / "in.npz"
    file.write_bytes(zip_of(1, zlib.compress(b"\0" * 100)[2:-4], 0xFFFFFFF0))
    text = refused("run", folder / "mlp.onnx", "--input", file)
    assert "entry 'x0.npy' claims 4294967280 bytes, its" in text
    io = BytesIO()
    np.save(io, np.zeros(4_000_000, np.float32))
    deflate = zlib.compressobj(9, wbits=-15)
    file.write_bytes(zip_of(1000, deflate.compress(io.getvalue()) + deflate.flush(), len(io.getvalue())))
    assert "claims more than its" in refused("run", folder / "mlp.onnx", "--input", file)


@pytest.mark.parametrize("kind", [onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16])
def test_random_inputs_of_half_precision_are_spread_out(tmp_path, kind):
    x = onnx.helper.make_tensor_value_info("x", kind, [1000])
    y = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1000])
    cast = onnx.helper.make_node("Cast", ["x"], ["y"], to=onnx.TensorProto.FLOAT)
    graph = onnx.helper.make_graph([cast], "g", [x], [y])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    onnx.save(model, tmp_path / "m.onnx")
    ge("run", tmp_path / "m.onnx", "-o", tmp_path / "o.npz")
    with np.load(tmp_path / "o.npz") as out:
        values = out["y"]
    assert abs(values.mean()) < 0.2 and abs(values.std() - 1) < 0.1 and len(np.unique(values)) > 300


@pytest.mark.parametrize("kind, smallest", [(onnx.TensorProto.FLOAT16, 2.0**-24), (onnx.TensorProto.BFLOAT16, 2.0**-40)])
def test_values_of_half_precision_are_shown(tmp_path, kind, smallest):
    values = np.array([-2.5, smallest, 0.15625, np.nan, np.inf], np.float32)  # exact in both
    model = models.make([models.node("Cast", ["x"], ["y"], to=kind)], {"x": (onnx.TensorProto.FLOAT, [5])}, {"y": (kind, [5])})
    onnx.save(model, tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", values)
    row = ge("run", tmp_path / "m.onnx", "-i", f"x={tmp_path}/x.npy", env={"COLUMNS": 200}).stdout.splitlines()[-1].split()
    shown = [float(v) for v in row[-7:-2]]
    np.testing.assert_allclose(shown, values, rtol=1e-4)
    assert [float(v) for v in row[3:5]] == [-2.5, np.inf] and row[-2:] == ["(1", "NaN)"]


def png(path, pixels, depth=8, colours=2):
    """`pixels`: height x width x samples of `depth` bits; `colours` is the header's colour type."""
    import struct

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = pixels.shape
    samples = pixels.astype(">u2" if depth == 16 else "u1")
    rows = b"".join(b"\0" + samples[y].tobytes() for y in range(height))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def test_run_with_png(folder, tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    png(tmp_path / "p.png", pixels)
    ge("run", folder / "conv.onnx", "-i", f"x={tmp_path}/p.png", "-o", tmp_path / "o.npz")
    x = (pixels.transpose(2, 0, 1)[None] / np.float32(255)).astype(np.float32)
    want = oracle(folder / "conv.onnx", {"x": x})["y"]
    with np.load(tmp_path / "o.npz") as out:
        np.testing.assert_allclose(out["y"], want, atol=1e-4)


def test_samples_of_pictures_are_taken_as_they_are_stored(tmp_path):
    """No gamma, no blending: the high byte of 16 bits, colours beside an alpha channel, BT.601 luma for one channel."""
    for channels in (1, 3):
        model = models.make(
            [models.node("Identity", ["x"], ["y"])],
            {"x": (onnx.TensorProto.FLOAT, [1, channels, 5, 7])},
            {"y": (onnx.TensorProto.FLOAT, [1, channels, 5, 7])},
        )
        onnx.save(model, str(tmp_path / f"m{channels}.onnx"))
    r = np.random.default_rng(0)

    def run(channels):
        ge("run", tmp_path / f"m{channels}.onnx", "-i", f"x={tmp_path}/p.png", "-o", tmp_path / "o.npz")
        with np.load(tmp_path / "o.npz") as out:
            return np.rint(out["y"][0].transpose(1, 2, 0) * 255).astype(np.int64)

    for depth in (8, 16):
        for colours, samples in ((0, 1), (4, 2), (2, 3), (6, 4)):
            pixels = r.integers(0, 1 << depth, (5, 7, samples))
            png(tmp_path / "p.png", pixels, depth, colours)
            stored = pixels >> (depth - 8)
            if samples < 3:
                assert np.array_equal(run(3), stored[:, :, :1].repeat(3, 2))
                assert np.array_equal(run(1), stored[:, :, :1])
            else:
                assert np.array_equal(run(3), stored[:, :, :3])
                luma = stored[:, :, :3] @ np.array([0.299, 0.587, 0.114])
                assert np.abs(run(1)[:, :, 0] - luma).max() <= 0.51


def echo(path, kind, shape):
    """A model that gives its input back."""
    onnx.save(models.make([models.node("Identity", ["x"], ["y"])], {"x": (kind, shape)}, {"y": (kind, shape)}), str(path))
    return path


def given(path, *inputs):
    """What the model received."""
    ge("run", path, *(word for text in inputs for word in ("-i", text)), "-o", path.parent / "echo.npz")
    with np.load(path.parent / "echo.npz") as out:
        return out["y"]


VALUES = {
    "BOOL": ["true", "False", "1,0,true"], "INT8": ["-128", "1,-2,127"], "UINT8": ["255"], "INT16": ["-32768"],
    "UINT16": ["65535"], "INT32": ["-2147483648,7"], "UINT32": ["4294967295"], "UINT64": ["18446744073709551615"],
    "INT64": ["-9223372036854775808", "9223372036854775807"], "DOUBLE": ["0.1", "-1e300,inf"], "FLOAT": ["0.1", "1e-45,-inf"],
    "FLOAT16": ["0.1", "65504,6e-8,5.9e-5,1.00048828125,1.0014648,-2049", "1e-9,2.98e-8"],
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_values_are_converted_as_numpy_does(name, tmp_path):
    kind = getattr(onnx.TensorProto, name)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)
    model = echo(tmp_path / "echo.onnx", kind, ["n"])
    for text in VALUES[name]:
        words = [word.lower() in ("true", "1") for word in text.split(",")] if name == "BOOL" else text.split(",")
        want = np.array([int(w) for w in words] if np.issubdtype(dtype, np.integer) else words).astype(dtype)
        got = given(model, f"x={text}")
        assert got.dtype == dtype and np.array_equal(got, want), (text, got, want)


def test_values_are_given_the_shape_of_the_input(tmp_path):
    F = onnx.TensorProto.FLOAT
    for shape, text, want in (
        ([], "3", np.float32(3)),
        ([], "[3]", np.float32(3)),
        ([2, 3], "3", np.full((2, 3), 3)),
        ([2, 3], "1,2,3,4,5,6", np.arange(1, 7).reshape(2, 3)),
        ([2, 3], "[[1, 2, 3], [4, 5, 6]]", np.arange(1, 7).reshape(2, 3)),
        (["n", 3], "1,2,3,4,5,6", np.arange(1, 7).reshape(2, 3)),
        (["n", "m"], "1,2,3", np.arange(1, 4).reshape(3, 1)),
        (["n", "m"], "7", np.full((1, 1), 7)),
        (["n", 2], "[[1,2],[3,4],[5,6]]", np.arange(1, 7).reshape(3, 2)),
        (["n"], "[]", np.zeros(0)),
    ):
        got = given(echo(tmp_path / "echo.onnx", F, shape), f"x={text}")
        assert got.shape == np.shape(want) and np.array_equal(got, want), (shape, text, got)
    model = echo(tmp_path / "echo.onnx", F, [2, 3])
    for text in ("1,2", "[[1,2],[3,4]]", "[1,2", "1,,2", "[[1,2,3],4]", "1 2", "", "[1,2]]", "[" * 20):
        assert "input 'x': " in refused("run", model, "-i", f"x={text}"), text
    assert "beyond" in refused("run", echo(tmp_path / "echo.onnx", F, [1]), "-i", "x=1e39")
    assert "beyond" in refused("run", echo(tmp_path / "echo.onnx", onnx.TensorProto.FLOAT16, [1]), "-i", "x=70000")
    message = refused("run", echo(tmp_path / "echo.onnx", F, ["n", 4]), "-i", "x=1", "-s", f"x={1 << 50},4")
    assert "bytes of memory are available" in message


def test_open_dimensions_are_told_in_one_line(tmp_path):
    F = onnx.TensorProto.FLOAT
    names = [f"x{k}" for k in range(6)]
    model = models.make([models.node("Sum", names, ["y"])], {n: (F, ["n", 2]) for n in names}, {"y": (F, ["n", 2])})
    onnx.save(model, str(tmp_path / "six.onnx"))
    run = ge("run", tmp_path / "six.onnx", "-i", "x1=[[1,2]]")
    said = "x0 [?, 2], x2 [?, 2], x3 [?, 2], x4 [?, 2] and those of 1 more"
    assert run.stderr == f"ge: open dimensions are 1: {said}; --shape NAME=… says others\n"
    assert "and 3 more" not in refused("run", tmp_path / "six.onnx", "-i", "z=1")
    model = models.make([models.node("Relu", ["x"], ["y"])], {"x": (F, None)}, {"y": (F, None)})
    onnx.save(model, str(tmp_path / "any.onnx"))
    assert "input 'x' has no known rank: say --shape x=" in refused("run", tmp_path / "any.onnx")
    assert "[1, 2]" in ge("run", tmp_path / "any.onnx", "-s", "x=1,2").stdout
    assert "has no known rank" in ge("info", tmp_path / "any.onnx").stdout


def test_files_by_content(folder, tmp_path):
    x = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    want = oracle(folder / "mlp.onnx", {"x": x})["y"]
    np.savez(tmp_path / "one.npz", other=x)
    np.savez(tmp_path / "two.npz", x=x, z=x)
    np.save(tmp_path / "x.npy", x)
    for name in ("one.npz", "two.npz", "x.npy"):
        (tmp_path / f"{name}.data").write_bytes((tmp_path / name).read_bytes())
        for given_as in (name, f"{name}.data"):
            ge("run", folder / "mlp.onnx", "-i", f"x=@{tmp_path}/{given_as}", "-o", tmp_path / "out.npz")
            with np.load(tmp_path / "out.npz") as out:
                np.testing.assert_allclose(out["y"], want, atol=1e-5)
    png(tmp_path / "cat.png", np.zeros((16, 16, 3), np.uint8))
    (tmp_path / "cat").write_bytes((tmp_path / "cat.png").read_bytes())
    assert (
        ge("run", folder / "conv.onnx", "-i", f"x=@{tmp_path}/cat").stdout
        == ge("run", folder / "conv.onnx", "-i", f"x=@{tmp_path}/cat.png").stdout
    )
    np.savez(tmp_path / "none.npz", a=x, b=x)
    assert "holds 2 arrays and none of that name: a, b" in refused("run", folder / "mlp.onnx", "-i", f"x=@{tmp_path}/none.npz")
    (tmp_path / "text").write_text("words")
    assert "is no file of a known kind" in refused("run", folder / "mlp.onnx", "-i", f"x=@{tmp_path}/text")


def test_dtypes_of_files(tmp_path):
    from onnx import TensorProto as T

    kinds = {
        "f2": T.FLOAT16, "f8": T.DOUBLE, "i1": T.INT8, "i4": T.INT32, "i8": T.INT64, "u1": T.UINT8, "b1": T.BOOL,
    }  # fmt: skip
    nodes = [models.node("Identity", [k], [f"{k}_out"]) for k in kinds]
    inputs, outputs = ({k + tail: (t, [2, 3]) for k, t in kinds.items()} for tail in ("", "_out"))
    model = models.make(nodes, inputs, outputs)
    onnx.save(model, str(tmp_path / "m.onnx"))
    r = np.random.default_rng(0)
    arrays = {k: r.integers(0, 2, (2, 3)).astype(k if k != "b1" else "?") for k in kinds}
    np.savez(tmp_path / "in.npz", **arrays)
    ge("run", tmp_path / "m.onnx", "-i", tmp_path / "in.npz", "-o", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as out:
        for k, a in arrays.items():
            assert out[f"{k}_out"].dtype == a.dtype and np.array_equal(out[f"{k}_out"], a)


def test_trace(folder, tmp_path):
    ge("run", folder / "conv.onnx", "--trace", tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    named = {(e["name"], e.get("tid")): e["args"] for e in events if e["ph"] == "M"}
    assert named["process_name", None] == {"name": "OpenGE, graph 'g'"}
    kernels = [e for e in events if e.get("cat") == "kernel"]
    assert kernels and {e["pid"] for e in events} == {kernels[0]["pid"]}
    engines = {e["args"]["engine"] for e in kernels}
    assert set(named["process_labels", None]["labels"].split(", ")) == engines
    for e in kernels:  # in the row of its engine, with shapes
        assert named["thread_name", e["tid"]]["name"].startswith(e["args"]["engine"] + " in thread ")
        assert re.match(r"DT_FLOAT (ND|NC1HWC0) \[1, ", e["args"]["outputs"][0]) and e["args"]["inputs"]
    (run,) = [e for e in events if e["name"] == "run"]
    assert named["thread_name", run["tid"]]["name"] == f"thread {run['tid']}"
    rows = [e["tid"] for e in events if e["name"] == "thread_sort_index"]
    assert rows[0] == run["tid"] and len(rows) == len(set(rows)) == 1 + len(engines)
    assert all(run["ts"] <= e["ts"] and e["ts"] + e["dur"] <= run["ts"] + run["dur"] + 0.01 for e in kernels)


def test_bench(folder):
    report = json.loads(ge("bench", folder / "mlp.onnx", "--runs", 50, "--json", "-t", 1).stdout)
    assert report["runs"] == 50 and report["inputs"] == {"x": [4, 8]}
    assert 0 < report["min_ms"] <= report["p50_ms"] <= report["p95_ms"] <= report["p99_ms"] <= report["max_ms"]
    assert report["load_ms"] > 0 and report["first_run_ms"] > 0 and report["peak_rss_mb"] > report["model_rss_mb"]
    text = ge("bench", folder / "mlp.onnx", "--seconds", 0.05).stdout
    assert all(word in text for word in ("load", "first run", "p50", "p95", "p99", "peak memory"))


def test_info(folder):
    text = ge("info", folder / "conv.onnx").stdout
    assert "x: float[1, 3, 16, 16]" in text and "y: float[1, 5]" in text
    assert "AIcoreEngine" in text and "memory    weights " in text and "refused by" not in text
    assert "not a view operator" in ge("info", folder / "conv.onnx", "--why", env={"COLUMNS": 200}).stdout
    assert "GlobalAveragePool:g" in ge("info", folder / "conv.onnx", "--nodes", env={"COLUMNS": 200}).stdout
    assert "FuseConvBatchNorm" in ge("info", folder / "conv.onnx", "--passes").stdout
    report = json.loads(ge("info", folder / "conv.onnx", "--json").stdout)
    assert report["inputs"][0]["name"] == "x" and {"placement", "passes", "memory"} <= report.keys()
    assert ge("info", folder / "open.onnx").stderr == "ge: open dimensions are 1: x [?, 8]; --shape NAME=… says others\n"
    assert ge("info", folder / "open.onnx", "--shape", "x=2,8").stderr == ""


@pytest.mark.parametrize("form, start", [("readable", "graph("), ("onnx", ""), ("txt", ""), ("dot", "digraph"), ("svg", "<")])
def test_dump(folder, tmp_path, form, start):
    text = ge("dump", folder / "mlp.onnx", "--format", form).stdout
    assert text.lstrip().startswith(start) and "Softmax" in text
    ge("dump", folder / "mlp.onnx", "-f", form, "-o", tmp_path / "out")
    assert (tmp_path / "out").read_text() == text


def test_dump_optimized(folder):
    plain, optimized = ge("dump", folder / "conv.onnx").stdout, ge("dump", folder / "conv.onnx", "--optimized").stdout
    assert "BNInfer" in plain and "BNInfer" not in optimized and "FusedConv2D" in optimized
    assert "<svg" in ge("dump", folder / "conv.onnx", "--optimized", "-f", "svg").stdout
    assert "not as onnx" in refused("dump", folder / "conv.onnx", "--optimized", "-f", "onnx")


def test_dump_placed(folder):
    engines = json.loads(ge("info", folder / "conv.onnx", "--json").stdout)["engines"]
    for form in ("readable", "txt", "onnx", "dot", "svg"):
        text = ge("dump", folder / "conv.onnx", "--placed", "-f", form).stdout
        assert all(engine in text for engine in engines), form
    # Before shapes are known there is no plan, and engines are known all the same.
    assert "VectorEngine" in ge("dump", folder / "open.onnx", "--placed").stdout


def test_ops():
    rows = {r["type"]: r for r in json.loads(ge("ops", "--json").stdout)}
    assert len(rows) >= 100
    add, conv = rows["Add"], rows["Conv2D"]
    assert [i["name"] for i in add["inputs"]] == ["x1", "x2"] and add["family"] == "math"
    assert "DNN_VM_HOST_CPU" in add["engines"]
    assert {"name": "groups", "type": "Int", "required": False, "default": 1} in conv["attrs"]
    assert [i["kind"] for i in conv["inputs"]] == ["required", "required", "optional", "optional"]
    assert all(r["engines"] or r["refusals"] for r in rows.values())
    control = {"If", "While", "For", "Case", "PartitionedCall"}
    assert {t for t, r in rows.items() if r["without_engine"] == "runtime"} > control
    assert {t for t, r in rows.items() if r["without_engine"] == "graph"} > {"Data", "Const", "NetOutput"}
    assert not any(r["engines"] for r in rows.values() if r["without_engine"] == "runtime")
    table = {line.split()[0]: line.split()[-1] for line in ge("ops").stdout.splitlines()[2:-2]}
    assert table["If"] == "runtime" and table["Const"] == "graph"
    text = ge("ops", "If", "Data").stdout
    assert "runs in the runtime itself" in text and "part of the graph" in text and "not on" not in text
    assert "there is no family 'nosuch'; the families are " in refused("ops", "--family", "nosuch")
    assert "math" in refused("ops", "--family", "nosuch")
    text = ge("ops", "Add", "Conv2D").stdout
    assert "input    x1 " in text and "runs on  DNN_VM_HOST_CPU" in text
    assert all(line.split()[1] == "math" for line in ge("ops", "--family", "math").stdout.splitlines()[2:-2])
    assert "Conv2D" in refused("ops", "Conv2DD", code=1)  # near names


def test_doctor():
    text = ge("doctor").stdout
    assert "0.1.0" in text and "DNN_VM_HOST_CPU" in text
    options = ge("doctor", "--options").stdout
    assert "threads: " in options and "ge.exec.enableDump" not in options and "ge.topoSortingMode" not in options
    options = ge("doctor", "--options", "--all").stdout
    heads = {line.split(":")[0]: line for line in options.splitlines() if not line.startswith(" ")}
    assert "; acts" in heads["threads"] and "not there: refused" in heads["ge.exec.enableDump"]
    assert "nothing to do on a CPU" in heads["ge.graphRunMode"] and "not there: warns" in heads["ge.topoSortingMode"]


def test_options_without_an_effect(folder, tmp_path):
    model = folder / "mlp.onnx"
    told = refused("run", model, "-O", "ge.exec.enableDump=1", code=2)
    assert "option ge.exec.enableDump is '1', which is not supported: Tensors of a run are not written" in told
    run = ge("run", model, "-q", "-O", "ge.topoSortingMode=2", "-O", "ge.exec.deviceId=0")
    assert run.stderr.count("option ge.topoSortingMode is '2' and has no effect: ") == 1
    assert "deviceId" not in run.stderr


def test_an_unknown_cap_is_named(folder):
    told = refused("run", folder / "mlp.onnx", env={"GE_MAX_ISA": "sse9"})
    assert "environment variable GE_MAX_ISA is 'sse9', allowed: scalar, avx2, avx512, amx" in told
    assert "GE_MAX_ISA is 'sse9'" in ge("doctor", code=1, env={"GE_MAX_ISA": "sse9"}).stdout


def test_usage_errors(folder, tmp_path):
    model = folder / "mlp.onnx"
    assert "subcommand" in refused()
    assert "nosuch" in refused("nosuch")
    assert "--bad" in refused("run", model, "--bad")
    assert "model is required" in refused("run")
    assert "unknown input 'z'; the model takes x: float[4, 8]" in refused("run", model, "-s", "z=1")
    assert "shape [4, 9] does not fit [4, 8]" in refused("run", model, "-s", "x=4,9")
    assert "'a' is no dimension" in refused("run", model, "-s", "x=a")
    run = ge("run", folder / "open.onnx")
    assert "[1, 3]" in run.stdout and run.stderr == "ge: open dimensions are 1: x [?, 8]; --shape NAME=… says others\n"
    assert ge("run", folder / "open.onnx", "-q").stderr == ""
    assert "cannot be read" in refused("run", model, "-i", f"x={tmp_path}/none.npy")
    assert "cannot be written" in refused("dump", model, "-o", tmp_path / "no" / "where")
    (tmp_path / "bad.npy").write_bytes(b"not numpy at all")
    assert "is not a .npy file" in refused("run", model, "-i", f"x={tmp_path}/bad.npy")
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "not a readable PNG" in refused("run", folder / "conv.onnx", "-i", f"x={tmp_path}/bad.png")
    assert "does not take a picture" in refused("run", model, "-i", f"x={tmp_path}/bad.png")


def test_engine_errors(folder, tmp_path):
    model = folder / "mlp.onnx"
    np.save(tmp_path / "x.npy", np.zeros((4, 8)))
    assert "'x'" in refused("run", model, "-i", f"x={tmp_path}/x.npy", code=1)
    assert "nothere.onnx" in refused("info", tmp_path / "nothere.onnx", code=2)
    assert "threads" in refused("run", model, "-O", "thread=1", code=2)
    assert "fp32" in refused("run", model, "--precision", "fp9", code=2)
    (tmp_path / "noise.onnx").write_bytes(os.urandom(500))
    refused("info", tmp_path / "noise.onnx", code=2)


def damaged(data):
    """Truncations and changed bytes, the same in every run."""
    r = np.random.default_rng(7)
    for _ in range(60):
        yield data[: r.integers(0, len(data))]
        changed = bytearray(data)
        for at in r.integers(0, len(data), 4):
            changed[at] = r.integers(0, 256)
        yield bytes(changed)


def test_damaged_archives_never_crash(folder, tmp_path):
    np.savez_compressed(tmp_path / "in.npz", x=np.zeros((4, 8), np.float32))
    for i, data in enumerate(damaged((tmp_path / "in.npz").read_bytes())):
        if i % 8:  # a sample: each costs a process
            continue
        (tmp_path / "bad.npz").write_bytes(data)
        run = subprocess.run(
            [sys.executable, "-m", "ge", "run", str(folder / "mlp.onnx"), "-i", str(tmp_path / "bad.npz")],
            capture_output=True,
            text=True,
        )
        assert run.returncode in (0, 1, 2), run.stderr


def test_quiet_when_not_on_a_terminal(folder):
    assert ge("info", folder / "conv.onnx").stderr == ""


def test_closed_pipe(folder):
    run = subprocess.run(f"{sys.executable} -m ge ops --json | head -c 10", shell=True, capture_output=True, text=True)
    assert run.stderr == "" and len(run.stdout) == 10


def test_engine_folder_that_is_wrong(folder, tmp_path):
    model = folder / "mlp.onnx"
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    missing = refused("run", model, code=1, env={"GE_ENGINE_DIR": tmp_path / "none"})
    assert f"engine folder '{tmp_path}/none' (from GE_ENGINE_DIR): No such file or directory" in missing
    empty = refused("run", model, code=1, env={"GE_ENGINE_DIR": tmp_path / "empty"})
    assert f"engine folder '{tmp_path}/empty' (from GE_ENGINE_DIR): it holds no libge_engine_*.so" in empty
    assert "Not a directory" in refused("run", model, code=1, env={"GE_ENGINE_DIR": tmp_path / "file"})
    (tmp_path / "empty" / "libge_engine_broken.so").write_text("no library")
    broken = refused("run", model, code=1, env={"GE_ENGINE_DIR": tmp_path / "empty"})
    assert f"engine {tmp_path}/empty/libge_engine_broken.so cannot be loaded" in broken
    assert "it holds no" not in broken
    case = os.path.join(os.environ["GE_BUILD_DIR"], "tests", "engine_cases", "wrong_abi.so")
    os.symlink(case, tmp_path / "empty" / "libge_engine_old.so")
    assert "has engine ABI" in refused("run", model, code=1, env={"GE_ENGINE_DIR": tmp_path / "empty"})
    told = ge("doctor", code=1, env={"GE_ENGINE_DIR": tmp_path / "none"})  # a doctor that finds something says so
    assert f"engine folder '{tmp_path}/none' (from GE_ENGINE_DIR): No such file or directory" in told.stdout
    assert "there are problems" in told.stderr


@pytest.mark.parametrize("form", ["fortran", "big", "both"])
def test_other_layouts_of_npy(folder, tmp_path, form):
    x = np.random.default_rng(1).standard_normal((4, 8)).astype(np.float32)
    other = x if form == "fortran" else x.astype(">f4")
    np.save(tmp_path / "x.npy", other if form == "big" else np.asfortranarray(other))
    ge("run", folder / "mlp.onnx", "-i", f"x={tmp_path}/x.npy", "-o", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as out:
        np.testing.assert_allclose(out["y"], oracle(folder / "mlp.onnx", {"x": x})["y"], atol=1e-5)


def test_input_files_that_are_none(folder, tmp_path):
    model = folder / "mlp.onnx"
    np.save(tmp_path / "x.npy", np.zeros((4, 8), np.float32))
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(whole[:-4])
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "folder.npy").mkdir()
    os.mkfifo(tmp_path / "pipe.npy")
    for name, text in (
        ("short", "is truncated: it holds 124 bytes of data, expected 128"),
        ("empty", "is empty"),
        ("folder", "is a directory"),
        ("pipe", "is not a regular file"),
        ("none", "No such file or directory"),
    ):
        message = refused("run", model, "-i", f"x={tmp_path}/{name}.npy")
        assert f"{name}.npy'" in message and text in message
    np.savez(tmp_path / "x.npz", x=np.zeros((4, 8), np.float32))
    (tmp_path / "short.npz").write_bytes((tmp_path / "x.npz").read_bytes()[:-30])
    assert "short.npz' is not a .npz file" in refused("run", model, "-i", tmp_path / "short.npz")
    (tmp_path / "x.png").mkdir()
    assert "x.png' is a directory" in refused("run", folder / "conv.onnx", "-i", f"x={tmp_path}/x.png")
    np.save(tmp_path / "d.npy", np.zeros((4, 8)))
    wrong = refused("run", model, "-i", f"x={tmp_path}/d.npy", code=1)
    assert "input 'x' is DT_DOUBLE, expected DT_FLOAT" in wrong


def test_model_files_that_are_none(folder, tmp_path):
    (tmp_path / "folder.onnx").mkdir()
    (tmp_path / "plain").mkdir()
    (tmp_path / "empty.onnx").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe.onnx")
    for name, text in (
        ("folder.onnx", "is a directory"),
        ("plain", "is a directory"),
        ("empty.onnx", "empty"),
        ("pipe.onnx", "is not a regular file"),
        ("none.onnx", "No such file or directory"),
    ):
        for command in ("run", "info", "dump"):
            message = refused(command, tmp_path / name, code=2)
            assert name in message and text in message
    if os.getuid() != 0:  # root may read everything
        (tmp_path / "secret.onnx").write_bytes(b"x")
        (tmp_path / "secret.onnx").chmod(0)
        assert "Permission denied" in refused("run", tmp_path / "secret.onnx", code=2)


def test_shapes_beyond_memory(folder):
    model = folder / "open.onnx"
    for rows in (1 << 40, 1 << 61, 9223372036854775807):
        message = refused("run", model, "-s", f"x={rows},8")
        assert f"input 'x': shape [{rows}, 8] of float needs " in message
        assert "bytes of memory are available" in message and "bad_alloc" not in message
    assert "'-4' is no dimension" in refused("run", model, "-s", "x=-4,8")
    assert "is no dimension" in refused("run", model, "-s", "x=99999999999999999999,8")


@pytest.mark.skipif("san.so" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers map more than any limit")
def test_out_of_memory_says_for_what_and_how_much(tmp_path):
    """From a limit that lets nothing be loaded to one that lets all be done."""
    r = np.random.default_rng(0)
    weights = {f"w{k}": r.standard_normal((2000, 2000)).astype(np.float32) for k in range(4)}
    last, nodes = "x", []
    for k in range(4):
        nodes.append(models.node("MatMul", [last, f"w{k}"], [f"h{k}"]))
        last = f"h{k}"
    model = models.make(nodes, {"x": (1, ["n", 2000])}, {last: (1, ["n", 2000])}, weights)
    onnx.save(model, str(tmp_path / "large.onnx"))
    told = set()
    # Small steps where all weights are in and engines are loaded, which takes three megabytes.
    for megabytes in [*range(40, 120, 10), *range(120, 600, 2)]:
        command = f"ulimit -v {megabytes * 1024}; exec {TOOL} run {tmp_path}/large.onnx -q -t 1 -s x=1000,2000"
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        if run.returncode == 0:
            break
        if "error while loading shared libraries" in run.stderr or "could not create a primitive" in run.stderr:
            continue  # the loader speaks, or oneDNN, which says of memory only that there is no primitive
        told.add(run.stderr)
        assert re.search(r"out of memory(: | in )", run.stderr), run.stderr
        assert re.search(r"; the process has [\d.]+ MB of address space, its limit is [\d.]+ MB$", run.stderr), run.stderr
    assert run.returncode == 0 and len(told) >= 3
    assert any("large.onnx" in text for text in told) and any("tensors of a run" in text for text in told)


def test_output_files_are_whole_or_not_there(folder, tmp_path):
    model = folder / "mlp.onnx"
    before = set(os.listdir(tmp_path))
    for arguments in (("run", model, "-o"), ("run", model, "--trace"), ("dump", model, "-o")):
        run = subprocess.run([sys.executable, "-m", "ge", *map(str, arguments), "/dev/full"], capture_output=True, text=True)
        assert run.returncode != 0 and "'/dev/full' cannot be written: No space left on device" in run.stderr
        run = subprocess.run([sys.executable, "-m", "ge", *map(str, arguments), str(tmp_path)], capture_output=True, text=True)
        assert run.returncode != 0 and "cannot be written: Is a directory" in run.stderr
        # A file system that is full in the middle: the limit on file sizes acts alike.
        limited = f"trap '' XFSZ; ulimit -f 0; exec {sys.executable} -m ge " + " ".join(map(str, arguments))
        run = subprocess.run(["sh", "-c", f"{limited} {tmp_path}/out"], capture_output=True, text=True)
        assert run.returncode != 0 and "out' cannot be written: File too large" in run.stderr
        assert set(os.listdir(tmp_path)) == before
    (tmp_path / "kept").write_text("old")
    run = subprocess.run(
        ["sh", "-c", f"trap '' XFSZ; ulimit -f 0; exec {sys.executable} -m ge dump {model} -o {tmp_path}/kept"]
    )
    assert run.returncode != 0 and (tmp_path / "kept").read_text() == "old"
    run = subprocess.run(f"{sys.executable} -m ge ops > /dev/full", shell=True, stderr=subprocess.PIPE, text=True)
    assert run.returncode != 0 and "standard output cannot be written: No space left on device" in run.stderr


def test_near_names(folder):
    model = folder / "mlp.onnx"
    assert "the nearest are run" in refused("runn")
    assert "--shape" in refused("run", model, "--shap", "x=1").split("nearest are")[1]
    assert "did you mean threads" in refused("run", model, "-O", "treads=1", code=2)
    assert "`ge doctor --options` lists those that act" in refused("run", model, "-O", "zzzzzzzzzz=1", code=2)


def test_nothing_is_said_twice(folder, tmp_path):
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", np.zeros((4, 8), np.float32))
    np.savez(tmp_path / "c.npz", x=np.zeros((4, 8), np.float32))
    a, b, c = f"x={tmp_path}/a.npy", f"x={tmp_path}/b.npy", tmp_path / "c.npz"
    for first, second, names in ((a, b, ("a.npy", "b.npy")), (a, c, ("a.npy", "c.npz")), (c, b, ("c.npz", "b.npy"))):
        text = refused("run", folder / "mlp.onnx", "-i", first, "-i", second)
        assert "input 'x' is given twice" in text and all(name in text for name in names)
    text = refused("run", folder / "open.onnx", "-s", "x=2,8", "-s", "x=3,8")
    assert "shape of input 'x' is given twice: '2,8' and '3,8'" in text
    text = refused("run", folder / "mlp.onnx", "-O", "threads=3", "-t", "2")
    assert "option 'threads' is set twice: by '--threads 2' and by '--option threads=3'" in text
    text = refused("run", folder / "mlp.onnx", "-O", "max_plans=3", "-O", "max_plans=4")
    assert "option 'max_plans' is set twice" in text and "max_plans=3" in text and "max_plans=4" in text
    assert "twice" in refused("run", folder / "mlp.onnx", "--precision", "fp32", "-O", "precision=fp32")


def test_a_model_of_any_name(folder, tmp_path):
    for name in ("m.ONNX", "m.bin", "m"):
        (tmp_path / name).write_bytes((folder / "mlp.onnx").read_bytes())
        assert "[4, 3]" in ge("run", tmp_path / name).stdout
    (tmp_path / "notes.txt").write_text("no model")
    assert "holds neither an ONNX model, nor a TensorFlow graph, nor an off" in refused("run", tmp_path / "notes.txt", code=1)
