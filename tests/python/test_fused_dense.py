"""Small dense layers of one row run in one call, and give what ONNX Runtime gives."""

import os
import subprocess
import sys
import time

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge
from ge.es import GraphBuilder
from ge.es.all import MatMulV2, Tanh
from ge.offline_compile import build_finalize, build_initialize, build_model, save_model

OPERATOR = "FusedDenseLayers"
PASS = "FuseDenseLayers"
FUSES = os.environ.get("GE_MAX_ISA") != "scalar"  # the plain engine alone is no reason to put nodes together


class Net:
    """x, then what the test adds; `last` is the result so far."""

    def __init__(self, columns=24, rows=(1,)):
        self.nodes, self.inits, self.outputs = [], [], []
        self.random = np.random.default_rng(0)
        self.x = self.random.standard_normal((*rows, columns)).astype(np.float32)
        self.last, self.columns = "x", columns

    def constant(self, value):
        self.inits.append(numpy_helper.from_array(np.asarray(value, np.float32), f"c{len(self.inits)}"))
        return self.inits[-1].name

    def op(self, kind, *inputs, **attrs):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attrs))
        return name

    def layer(self, columns=None, act="Tanh", bias=True, before=False, factor=None, after=False, gemm=False, **attrs):
        x, columns = self.last, columns or self.columns
        weight = self.random.standard_normal((self.columns, columns)) / np.sqrt(self.columns)
        bias = self.constant(self.random.standard_normal(columns)) if bias else None
        if gemm:
            y = self.op("Gemm", x, self.constant(weight.T), *([bias] if bias else []), transB=1)
        else:
            y = self.op("MatMul", x, self.constant(weight))
            y = self.op("Add", y, bias) if bias else y
        y = self.op("Add", x, y) if before else y
        if act == "Clip":
            y = self.op("Clip", y, self.constant(-0.5), self.constant(0.75))
        elif act:
            y = self.op(act, y, **attrs)
        y = self.op("Mul", self.constant(factor), y) if factor is not None else y
        self.last, self.columns = self.op("Add", x, y) if after else y, columns
        return self

    def model(self, *more, rows=None):
        dims = [rows or self.x.shape[0], *self.x.shape[1:]]
        outputs = [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in (self.last, *more)]
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)]
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.inits)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9).SerializeToString()


def check(net, *more, **options):
    """Compares with ONNX Runtime and with the nodes as they were; the types of the nodes that run."""
    m = net.model(*more)
    model, apart = ge.load(m, options), ge.load(m, {**options, "passes.disable": PASS})
    want = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"]).run(None, {"x": net.x})
    for each in (model, apart):
        for _ in range(2):  # what a call leaves in the workspace is not read by the next one
            for got, w in zip(each.run({"x": net.x}).values(), want):
                np.testing.assert_allclose(got, w, rtol=1e-5, atol=2e-6)
    assert OPERATOR not in [node["type"] for node in apart.placement()]
    return [node["type"] for node in model.placement()]


def counts(net, *more, **options):
    """How many fused operators there are, and how many products are beside them."""
    types = check(net, *more, **options)
    return types.count(OPERATOR), sum("MatMul" in t or t == "GEMM" for t in types)


ALL = (1, 0) if FUSES else (0, 2)


@pytest.mark.isa
@pytest.mark.parametrize(
    "act,attrs",
    [
        (None, {}),
        ("Relu", {}),
        ("LeakyRelu", {"alpha": 0.2}),
        ("Clip", {}),
        ("Sigmoid", {}),
        ("Tanh", {}),
        ("Gelu", {}),
        ("Gelu", {"approximate": "tanh"}),
        ("HardSwish", {}),
        ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
        ("Elu", {"alpha": 0.7}),
    ],
)
def test_activations(act, attrs):
    assert counts(Net().layer(17, act, **attrs).layer(33, act, **attrs)) == ALL


@pytest.mark.isa
@pytest.mark.parametrize("columns", [1, 3, 16, 31, 64, 65, 200])
def test_widths(columns):
    """Whole and partial vectors of results, with and without what is added."""
    net = Net(columns).layer(after=True, factor=0.5).layer(before=True, bias=False).layer(5).layer(columns, None)
    assert counts(net) == ((1, 0) if FUSES else (0, 4))


@pytest.mark.isa
@pytest.mark.parametrize("gemm", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_forms_of_a_layer(gemm, bias):
    """Weights by rows or by columns, a factor alone, a residual alone, all of them."""
    for more in ({}, {"factor": 0.25}, {"after": True}, {"factor": -2.0, "after": True}, {"before": True}):
        net = Net().layer(gemm=gemm, bias=bias, **more).layer(gemm=gemm, bias=bias, **more)
        assert counts(net) == ALL, more
    net = Net().layer(gemm=gemm, bias=bias, before=True, after=True, factor=0.5)  # only the first sum is the kernel's
    assert counts(net.layer(gemm=gemm)) == ((0, 2))


@pytest.mark.isa
def test_leading_ones():
    assert counts(Net(rows=(1, 1)).layer().layer(after=True)) == ALL


def test_what_others_read_stays():
    net = Net().layer()
    middle = net.last
    assert counts(net.layer(), middle) == (0, 2)  # an output of the graph
    net = Net().layer()
    relu = net.op("Relu", net.last)
    assert counts(net.layer(), relu) == (0, 2)  # another node reads it
    net = Net().layer().layer()
    middle = net.last
    net.layer().layer()
    assert counts(net, middle) == ((2, 0) if FUSES else (0, 4))  # what is before it and behind it


def test_several_rows_stay():
    assert counts(Net(rows=(2,)).layer().layer()) == (0, 2)
    net = Net().layer().layer(3)
    model = ge.load(net.model(rows="n"))
    session = onnxruntime.InferenceSession(net.model(rows="n"), providers=["CPUExecutionProvider"])
    for rows in (1, 5, 1):
        x = np.random.default_rng(rows).standard_normal((rows, 24)).astype(np.float32)
        np.testing.assert_allclose(*model.run({"x": x}).values(), *session.run(None, {"x": x}), rtol=1e-5, atol=2e-6)


def test_large_layers_stay_and_the_report_says_why():
    net = Net().layer(600).layer(600)
    assert counts(net) == (0, 2)
    if FUSES:
        (entry,) = [p for p in ge.load(net.model()).report()["passes"] if p["name"] == PASS]
        rule = entry["rules"][PASS]
        assert (rule["tried"], rule["applied"], rule["declined"]) == (1, 0, 1)
        assert "a weight of 360000 values is not supported, at most 65536" in str(rule)


@pytest.mark.parametrize(
    "columns, fused, apart",
    [
        ([64, 64, 64, 64, 600, 600, 64, 64], 2, 1),
        ([64, 64, 2048], 1, 1),
        ([2048, 64, 64, 64], 1, 2),
        ([64, 64, 64, 2048], 1, 1),
        ([64, 64, 2048, 64, 64], 1, 3),
        ([64] * 6 + [2048, 64] + [64] * 6, 2, 2),
        ([64, 2048, 64, 2048, 64], 0, 5),
    ],
)
def test_layers_around_large_ones(columns, fused, apart):
    """Chains are cut at the layers that are too large, wherever they stand."""
    net = Net(64)
    for made in columns:
        net.layer(made)
    assert counts(net) == ((fused, apart) if FUSES else (0, len(columns)))


def test_long_chains():
    net = Net(16)
    for k in range(3000):
        net.layer(factor=0.5 if k % 7 else None, after=k % 3 == 0, act="Tanh", gemm=k % 2 == 0)
    began = time.monotonic()
    fused, apart = counts(net)
    assert (apart == 0 and 2 < fused < 10) if FUSES else apart == 3000
    assert time.monotonic() - began < 60


def test_more_than_the_cache_holds():
    net = Net(256)
    for _ in range(9):  # 256 KiB each, 1 MiB at most
        net.layer(after=True, factor=0.5)
    fused, apart = counts(net)
    assert (fused, apart) == ((2, 1) if FUSES else (0, 9))


def test_weights_that_are_inputs_stay():
    net = Net().layer().layer()
    model = ge.load(net.model())
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("MatMul", ["a", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, d) for n, d in (("x", [1, 8]), ("w", [8, 8]))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    model = ge.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9).SerializeToString())
    assert OPERATOR not in [node["type"] for node in model.placement()]
    x, w = np.ones((1, 8), np.float32), np.random.default_rng(0).standard_normal((8, 8)).astype(np.float32)
    np.testing.assert_allclose(model.run({"x": x, "w": w})["y"], x @ w @ w, rtol=1e-5, atol=1e-5)


@pytest.mark.isa
def test_placed_graph_and_profile():
    net = Net().layer(after=True, factor=0.5).layer(5, "Relu")
    model = ge.load(net.model())
    (want,) = model.run({"x": net.x}).values()
    (got,) = ge.load(model.placed_graph()).run({"x": net.x}).values()
    np.testing.assert_array_equal(want, got)
    if FUSES:
        (row,) = [r for r in model.profile({"x": net.x}) if r.get("type") == OPERATOR]
        assert row["implementation"].startswith("onednn:layers:")


def test_offline_models_run_on_any_processor(tmp_path):
    random = np.random.default_rng(0)
    weights = [random.standard_normal(shape).astype(np.float32) for shape in ((7, 19), (19, 19), (19, 3))]
    x = random.standard_normal((1, 7)).astype(np.float32)
    b = GraphBuilder("g")
    y, want = b.create_input(0, name="x", shape=[1, 7]), x.astype(np.float64)
    for w in weights:
        y = Tanh(MatMulV2(y, b.create_const_float(w.ravel().tolist(), list(w.shape))))
        want = np.tanh(want @ w)
    build_initialize()
    try:
        save_model(str(tmp_path / "m"), build_model(b.build_and_reset([y]), {}))
    finally:
        build_finalize()
    path = tmp_path / "m.om"
    assert (OPERATOR.encode() in path.read_bytes()) == FUSES
    program = "import sys, numpy as np, ge; m = ge.load(sys.argv[1]); y, = m.run({'x': np.load(sys.argv[2])}).values(); "
    program += "np.save(sys.argv[3], y)"
    np.save(tmp_path / "x.npy", x)
    for isa in ("scalar", "avx2", "avx512"):
        command = [sys.executable, "-c", program, str(path), str(tmp_path / "x.npy"), str(tmp_path / "y.npy")]
        run = subprocess.run(command, env={**os.environ, "GE_MAX_ISA": isa}, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), want, rtol=1e-4, atol=1e-5)


@pytest.mark.isa
def test_random_nets():
    random = np.random.default_rng(7)
    for _ in range(60):
        net = Net(int(random.integers(1, 80)))
        for _ in range(int(random.integers(2, 8))):
            same = random.random() < 0.5
            net.layer(
                None if same else int(random.integers(1, 80)),
                [None, "Relu", "Tanh", "Sigmoid"][random.integers(4)],
                bias=bool(random.integers(2)),
                before=same and random.random() < 0.3,
                factor=[None, 0.5, -1.5][random.integers(3)],
                after=same and random.random() < 0.5,
                gemm=bool(random.integers(2)),
            )
        check(net, threads=int(random.integers(1, 3)))
