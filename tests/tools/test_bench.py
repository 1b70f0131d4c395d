"""`ge bench`: what bounds each node, the other library beside, and the page."""

import json
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "python"))
import models  # noqa: E402
from test_bf16 import computes_in_bf16  # noqa: E402


def ge(*args, code=0, env=None):
    run = subprocess.run(
        [sys.executable, "-m", "ge", "bench", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **(env or {})},
    )
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench")
    onnx.save(models.mlp(), str(path / "mlp.onnx"))
    onnx.save(models.convnet(), str(path / "conv.onnx"))
    # Three products of known size, one behind the other, and an addition that moves bytes only.
    w = np.random.default_rng(0).standard_normal((128, 128)).astype(np.float32)
    nodes = [helper.make_node("MatMul", [f"t{k}", "w"], [f"t{k + 1}"], name=f"product{k}") for k in range(3)]
    nodes.append(helper.make_node("Sin", ["t3"], ["y"], name="last"))
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "net",
        [info("t0", TensorProto.FLOAT, [64, 128])],
        [info("y", TensorProto.FLOAT, [64, 128])],
        [numpy_helper.from_array(w, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path / "net.onnx"))
    return path


def report(*args):
    return json.loads(ge(*args, "--json", "-t", 1, "--runs", 20).stdout)


def test_operations_and_bytes_of_nodes(folder):
    r = report(folder / "net.onnx", "--nodes", "all")
    assert len(r["nodes"]) == 4 and abs(sum(n["share"] for n in r["nodes"]) - 1) < 1e-6
    assert [n["ms"] for n in r["nodes"]] == sorted((n["ms"] for n in r["nodes"]), reverse=True)
    limits = r["limits"]
    assert limits["gflops_per_second"] > 0 and limits["gbytes_per_second"] > 0 and "thread" in limits["how_flops"]
    for node in r["nodes"]:
        seconds = node["ms"] / 1000
        if node["node"].startswith("product"):
            assert node["gflops_per_second"] * seconds * 1e9 == pytest.approx(2 * 64 * 128 * 128, rel=1e-6)
            moved = 4 * (64 * 128 + 128 * 128 + 64 * 128)
        else:
            moved = 4 * 2 * 64 * 128
        assert node["gbytes_per_second"] * seconds * 1e9 == pytest.approx(moved, rel=1e-6)
        shares = (
            node["gflops_per_second"] / limits["gflops_per_second"],
            node["gbytes_per_second"] / limits["gbytes_per_second"],
        )
        assert node["of_limit"] == pytest.approx(max(shares), rel=1e-6)
        assert node["bound_by"] in ("arithmetic", "memory", "cache", "call") and node["calls"] == 1
        if node["bound_by"] == "arithmetic":
            assert shares[0] >= shares[1]
        if node["bound_by"] == "cache":
            assert shares[1] > 1


def test_each_type_has_its_own_limit(folder, tmp_path):
    """bf16 and int8 multiply faster than fp32 where the processor has instructions for them: as many pairs as numbers fill
    a vector."""
    w = np.random.default_rng(0).integers(-100, 100, (256, 256)).astype(np.int8)
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"], name="quantize"),
        helper.make_node("MatMulInteger", ["q", "w", "zero"], ["sums"], name="product"),
        helper.make_node("Cast", ["sums"], ["y"], to=TensorProto.FLOAT),
    ]
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [256, 256]) for n in "xy"]
    graph = helper.make_graph(nodes, "q", ports[:1], ports[1:], [numpy_helper.from_array(w, "w")])
    path = tmp_path / "int8.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    runs = {"DT_INT8": report(path, "--nodes", "all")}
    if computes_in_bf16():
        runs["DT_BF16"] = report(folder / "net.onnx", "--nodes", "all", "--precision", "bf16")
    for data_type, r in runs.items():
        limits = r["limits"]
        assert limits["types"]["DT_FLOAT"]["gflops_per_second"] == limits["gflops_per_second"]
        limit = limits["types"][data_type]
        assert "thread" in limit["how_flops"]
        if "pairs as int16" not in limit["how_flops"]:  # which takes two instructions
            assert limit["gflops_per_second"] > 1.2 * limits["gflops_per_second"]
        counted = [node for node in r["nodes"] if node["flops_type"] == data_type and node["gflops_per_second"] > 0]
        assert counted, r["nodes"]
        for node in counted:
            shares = (
                node["gflops_per_second"] / limit["gflops_per_second"],
                node["gbytes_per_second"] / limits["gbytes_per_second"],
            )
            assert node["of_limit"] == pytest.approx(max(shares), rel=1e-6)
    table, limits = ge(path, "--runs", 5, "--nodes", "all").stdout.split("limits  at best")
    assert "int8" in limits and "bf16" not in limits
    assert all("DT_INT8" in line for line in table.splitlines() if "int8:" in line and "arithmetic" in line)


def test_how_many_nodes(folder):
    assert len(report(folder / "net.onnx", "--nodes", 2)["nodes"]) == 2
    none = report(folder / "net.onnx", "--nodes", 0)
    assert "nodes" not in none and "limits" not in none
    text = ge(folder / "net.onnx", "--runs", 5, "--nodes", 2).stdout
    assert "and 2 nodes more" in text and "bound by" in text and "limits  at best" in text
    assert "clock around each kernel" in text
    assert "more with" not in ge(folder / "net.onnx", "--runs", 5, "--nodes", "all").stdout
    for wrong in ("some", "-1", "1.5"):
        run = ge(folder / "net.onnx", f"--nodes={wrong}", code=2)
        assert "--nodes" in run.stderr and "neither a number nor all" in run.stderr


def test_a_clock_around_each_kernel_is_told(folder):
    r = report(folder / "conv.onnx")
    clock = r["clock"]
    assert clock["turns"] == 20 and clock["p50_without_ms"] > 0
    assert 0 < r["profiled_run_ms"] <= clock["p50_with_ms"]
    assert r["clock_cost"] == pytest.approx(clock["p50_with_ms"] / clock["p50_without_ms"] - 1, rel=1e-9)
    timed = json.loads(ge(folder / "conv.onnx", "--json", "-t", 1, "--seconds", 0.01).stdout)
    assert timed["clock"]["turns"] >= 5


def test_onnx_runtime_beside(folder):
    import onnxruntime

    for name in ("mlp", "conv", "net"):
        r = report(folder / f"{name}.onnx", "--compare", "ort")
        other = r["compare"]
        assert other["version"] == onnxruntime.__version__ and other["runs"] == r["runs"] == 20
        assert other["ratio_p50"] == pytest.approx(other["p50_ms"] / r["p50_ms"]) and other["load_ms"] > 0
        assert other["difference"] < 1e-4
    text = ge(folder / "mlp.onnx", "--runs", 5, "--compare", "ort").stdout
    assert "ratio" in text.splitlines()[0] and f"ONNX Runtime {onnxruntime.__version__}" in text


def test_where_onnx_runtime_is_not(folder, tmp_path):
    lone = tmp_path / "lone"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(lone)], check=True)
    run = ge(folder / "mlp.onnx", "--compare", "ort", code=1, env={"GE_PYTHON": str(lone / "bin" / "python")})
    assert "has no package" in run.stderr and "pip install onnxruntime" in run.stderr and run.stdout == ""
    run = ge(folder / "mlp.onnx", "--compare", "ort", code=1, env={"GE_PYTHON": str(tmp_path / "none")})
    assert "cannot start" in run.stderr and "GE_PYTHON" in run.stderr
    run = ge(folder / "mlp.om", "--compare", "ort", code=2)
    assert "--compare ort is for ONNX files" in run.stderr


def test_a_page(folder, tmp_path):
    page = tmp_path / "page.html"
    ge(folder / "conv.onnx", "--runs", 5, "--html", page)
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>") and all(part in text for part in ("Roofline", "Timeline", "Memory"))
    assert ge(folder / "conv.onnx", "--runs", 5, "--html", tmp_path / "no" / "page.html", code=2).stderr
