"""`ge compare`: errors of another precision or model, against NumPy."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import nets  # noqa: E402

GE = pathlib.Path(os.environ["GE_BUILD_DIR"]) / "bin" / "ge"
FLOAT, HALF, INT64 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64


def ge(*args, code=0):
    run = subprocess.run([GE, "compare", *map(str, args)], capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"})
    assert run.returncode == code, run.stdout + run.stderr
    return run.stdout, run.stderr


def written(path, nodes, inputs, outputs, **constants):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node(*node[:3], **node[3]) for node in nodes],
        "g",
        [info(*port) for port in inputs],
        [info(*port) for port in outputs],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def product(path, w, kind=FLOAT):
    """y = x @ w and the place of the largest value of each row."""
    nodes = [("MatMul", ["x", "w"], ["y"], {}), ("ArgMax", ["y"], ["best"], {"axis": 1, "keepdims": 0})]
    ports = [("x", kind, [8, w.shape[0]])], [("y", kind, [8, w.shape[1]]), ("best", INT64, [8])]
    return written(path, nodes, *ports, w=w.astype(np.float16 if kind == HALF else np.float32))


@pytest.fixture
def pair(tmp_path):
    """Two models, and inputs for them."""
    w = random(32, 10)
    np.save(tmp_path / "x.npy", random(8, 32, seed=1))
    near = w + 0.8 * random(32, 10, seed=2)
    return product(tmp_path / "a.onnx", w), product(tmp_path / "b.onnx", near), f"x=@{tmp_path / 'x.npy'}", w, near


def test_numbers_are_those_of_numpy(pair):
    first, second, x, w, near = pair
    out = json.loads(ge(first, second, "-i", x, "--limit", 10, "--json")[0])
    want, got = (random(8, 32, seed=1).astype(np.float64) @ m for m in (w, near))
    y, best = out["outputs"]
    np.testing.assert_allclose(y["error"], np.linalg.norm(got - want) / np.linalg.norm(want), rtol=1e-5)
    apart = np.abs(got - want) / np.maximum(1, np.abs(want))
    assert y["largest"]["element"] == apart.argmax()
    np.testing.assert_allclose(
        [y["largest"]["want"], y["largest"]["got"]], [want.flat[apart.argmax()], got.flat[apart.argmax()]], rtol=1e-5
    )
    moved = (want.argmax(1) != got.argmax(1)).sum()
    assert (y["rows"], y["argmax_elsewhere"]) == (8, moved) and moved > 0
    assert best["error"] == moved / 8 and best["rows"] == 0
    assert out["within"] and out["precision"]["nodes"] == {}


def test_beyond_the_limit(pair):
    first, second, x, *_ = pair
    shown, said = ge(first, second, "-i", x, code=1)
    assert "2 outputs of 2 beyond the limit of 0.05: 'y' by 0." in said
    assert "element " in shown and "argmax elsewhere" in shown and max(map(len, shown.splitlines())) <= 100
    out = json.loads(ge(first, second, "-i", x, "--json", code=1)[0])
    assert not out["within"] and not any(o["within"] for o in out["outputs"])
    ge(first, second, "-i", x, "--limit", 1)


def test_equal_models(pair):
    out = json.loads(ge(pair[0], pair[0], "--runs", 3, "--limit", 0, "--json")[0])
    assert [o["error"] for o in out["outputs"]] == [0, 0] and out["outputs"][0]["rows"] == 24


def test_a_precision(tmp_path):
    w = random(256, 96)
    model = product(tmp_path / "m.onnx", w)
    shown, _ = ge(model, "--precision", "int8_weights", "--limit", 1)
    assert f"compared  {model} with precision int8_weights\nprecision int8_weights 1 node; weights" in shown
    errors = {}
    for precision in ("fp16_weights", "int8_weights", "int4_weights"):
        out = json.loads(ge(model, "-O", f"precision={precision}", "--limit", 1, "--json")[0])
        assert out["precision"]["nodes"] == {precision: 1} and out["precision"]["fp32_bytes"] == w.nbytes
        errors[precision] = out["outputs"][0]["error"]
    assert 0 < 10 * errors["fp16_weights"] < errors["int8_weights"] < errors["int4_weights"] < 0.2
    ge(model, "--precision", "fp32", "--limit", 0)
    assert "'y' by 0." in ge(model, "-O", "ge.exec.precision_mode=force_fp16", "--limit", "1e-6", code=1)[1]


def test_models_of_half_precision(tmp_path):
    w = random(32, 10)
    full, half = product(tmp_path / "m.onnx", w), product(tmp_path / "h.onnx", w, HALF)
    out = json.loads(ge(full, half, "--limit", 0.2, "--json")[0])
    assert 1e-5 < out["outputs"][0]["error"] < 2e-3


def test_values_that_are_no_numbers(tmp_path):
    good, bad = random(4, 4), random(4, 4)
    bad[1, 1] = np.nan
    a, b = (
        written(tmp_path / f"{n}.onnx", [("Mul", ["x", "w"], ["y"], {})], [("x", FLOAT, [4, 4])], [("y", FLOAT, [4, 4])], w=w)
        for n, w in (("a", good), ("b", bad))
    )
    assert "'y' by inf" in ge(a, b, "--limit", 1000, code=1)[1]
    assert json.loads(ge(a, b, "--json", code=1)[0])["outputs"][0]["error"] is None
    ge(b, b, "--limit", 0)  # NaN equals NaN


def test_large_numbers(tmp_path):
    double = TensorProto.DOUBLE
    values = {"a": np.array([1e200, 5, 1]), "b": np.array([1e200, 500, 1]), "c": np.array([2e200, 5, 1])}
    a, b, c = (
        written(tmp_path / f"{n}.onnx", [("Mul", ["x", "w"], ["y"], {})], [("x", double, [3])], [("y", double, [3])], w=w)
        for n, w in values.items()
    )
    np.save(tmp_path / "x.npy", np.ones(3))
    x = f"x=@{tmp_path / 'x.npy'}"
    assert "element 1: 5 became 500" in ge(a, b, "-i", x)[0]  # as small as it is beside the first one
    assert ge(a, c, "-i", x, code=1)[1].strip().endswith("'y' by 1")


def test_other_shapes(tmp_path):
    def places(name, op):
        nodes = [(op, ["x"], ["r"], {}), ("NonZero", ["r"], ["y"], {})]
        return written(tmp_path / name, nodes, [("x", FLOAT, [64])], [("y", INT64, [1, None])])

    shown, said = ge(places("a.onnx", "Relu"), places("b.onnx", "Abs"), code=1)
    assert "became int64[1, 64]" in " ".join(shown.split()) and "'y' by inf" in said


def test_what_cannot_be_compared(pair, tmp_path):
    first = pair[0]
    assert "nothing to compare: give another model, --precision" in ge(first, code=2)[1]
    other = written(tmp_path / "o.onnx", [("Relu", ["x"], ["z"], {})], [("x", FLOAT, [8, 32])], [("z", FLOAT, [8, 32])])
    assert f"{other} has no output 'y'" in ge(first, other, code=2)[1]
    more = written(
        tmp_path / "i.onnx",
        [("Relu", ["u"], ["y"], {}), ("ArgMax", ["u"], ["best"], {})],
        [("u", FLOAT, [8, 32])],
        [("y", FLOAT, [8, 32]), ("best", INT64, None)],
    )
    assert f"{first} has no input 'u'" in ge(first, more, code=2)[1]
    cast = [("Cast", ["x"], ["y"], {"to": FLOAT}), ("ArgMax", ["y"], ["best"], {})]
    ints = written(tmp_path / "t.onnx", cast, [("x", INT64, [8, 32])], [("y", FLOAT, [8, 32]), ("best", INT64, None)])
    assert "input 'x' is float in" in ge(first, ints, code=2)[1]
    assert "none.onnx" in ge(first, tmp_path / "none.onnx", code=2)[1]
    ge(first, "--precision", "int8_weights", "--limit", "-1", code=2)
    assert "allowed: fp32" in ge(first, "--precision", "int3", code=2)[1]


def test_the_table_of_the_documents():
    """Each model and precision has a cell, and what the table is made with still runs."""
    root = pathlib.Path(__file__).resolve().parents[2]
    page = (root / "docs" / "performance.md").read_text(encoding="utf-8")
    written = page.split("<!-- table:accuracy -->\n")[1].split("<!-- /table -->")[0].splitlines()
    run = subprocess.run(
        [sys.executable, root / "benchmarks" / "accuracy.py", "--small", "--only", "lstm", "mlp"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    made = run.stdout.splitlines()
    assert written[:2] == made[:2]
    assert [line.split(" | ")[0] for line in written[2:]] == [f"| {name}" for name in nets.NETS]
    for line in made[2:]:
        cells = line.strip("| ").split(" | ")[1:]
        assert len(cells) == 7 and cells[0] == "0"
        for cell in cells[4:]:
            ours, theirs = (float(number) for number in cell.split(", ort "))
            assert 0 < ours < 1.2 * theirs + 1e-3
