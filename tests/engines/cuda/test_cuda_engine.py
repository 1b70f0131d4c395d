"""CudaEngine through the engine suite, shapes that the suite lacks, and whole networks: as it is emulated on the host, in every
build, and the real library where there is a GPU. Elsewhere the real one is reported as not run."""

import itertools
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ge = pytest.importorskip("ge")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from ge._native import ffi, lib  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "python"))
from net_cases import NetCases, check, nets  # noqa: E402

BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release"))
SUITE = ROOT / "tests" / "engine_suite"
EMULATED = BUILD / "tests" / "emulated_cuda_engine.so"
REAL = BUILD / "lib" / "ge" / "accelerators" / "libge_engine_cuda.so"
NO_DEVICE = "there is no CUDA device"


def run(*arguments):
    done = subprocess.run([BUILD / "bin/ge", *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module", params=[EMULATED, REAL], ids=["emulated_on_the_host", "on_a_gpu"])
def library(request):
    if request.param == REAL:
        if not REAL.exists():
            pytest.skip("not run: engines/cuda is not built (no CUDA compiler)")
        code, text = run("engine-test", REAL, "--operator", "Relu")
        if code and NO_DEVICE in text:
            pytest.skip(f"not run: no CUDA device: {text.split(NO_DEVICE)[1].strip(': ')}")
    return request.param


def test_the_engine_suite(library):
    code, text = run("engine-test", library, "--never", SUITE / "cuda.never", "--not-yet", SUITE / "cuda.not_yet")
    assert code == 0, text
    passed = int(text.splitlines()[-1].split()[3])
    assert passed > 140, text


class Cases:
    """Single nodes with what NumPy says of them, in the form of tests/engine_suite/case_writer.py."""

    def __init__(self):
        self.random = np.random.default_rng(7)
        self.lines = []

    def x(self, *shape, scale=1.0, offset=0.0):
        return (self.random.standard_normal(shape) * scale + offset).astype(np.float32)

    def add(self, op, inputs, outputs, **attrs):
        types = {bool: 3, int: 4, float: 2, str: 1, list: 1004}
        described = [{"name": n, "type": types[type(v)], "value": v} for n, v in sorted(attrs.items())]
        for attr in described:
            if attr["type"] == types[bool]:
                attr["value"] = int(attr["value"])  # JSON of a case has numbers only
        case = {
            "op": op,
            "attrs": described,
            "inputs": [None if t is None else self.tensor(t) for t in inputs],
            "outputs": [self.tensor(np.asarray(t, np.float32)) for t in outputs],
        }
        self.lines.append(json.dumps(case))

    @staticmethod
    def tensor(t):
        ids = {"float32": 0, "int32": 3, "int64": 9}
        return {"type": ids[t.dtype.name], "dims": list(t.shape), "data": np.ascontiguousarray(t).tobytes().hex()}


def add_elementwise(cases):
    functions = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "RealDiv": np.divide, "Maximum": np.maximum}
    shapes = [((3, 1, 5), (4, 1)), ((2, 3, 4, 5), (3, 1, 1)), ((1,), (2, 300)), ((7, 1), (1, 9)), ((), (4,))]
    for (op, f), (a, b) in itertools.product(functions.items(), shapes):
        left, right = cases.x(*a), cases.x(*b)
        cases.add(op, [left, right], [f(left, right)])
    nan = np.array([np.nan, 1, np.inf, -np.inf], np.float32)
    cases.add("Maximum", [nan, np.float32([0, np.nan, 0, 0])], [np.float32([np.nan, np.nan, np.inf, 0])])
    x = cases.x(5, 70)
    cases.add("LeakyRelu", [x], [np.where(x > 0, x, x * np.float32(0.25))], negative_slope=0.25)
    cases.add("HardSigmoid", [x], [np.clip(x * np.float32(0.5) + np.float32(0.25), 0, 1)], alpha=0.5, beta=0.25)
    low, high = np.float32(-0.5), np.float32(0.75)
    cases.add("ClipByValue", [x, np.array(low), np.array(high)], [np.clip(x, low, high)])
    tanh = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x.astype(np.float64) ** 3)))
    cases.add("GeluV2", [x], [tanh], approximate="tanh")
    extreme = np.float32([-1e4, -100, -20, 0, 20, 100, 1e4])
    cases.add("Sigmoid", [extreme], [1 / (1 + np.exp(-extreme.astype(np.float64).clip(-700, 700)))])


def add_products(cases):
    for ta, tb, bias in itertools.product((False, True), (False, True), (False, True)):
        a, b, c = cases.x(5, 9), cases.x(9, 6), cases.x(6)
        given = [a.T if ta else a, b.T if tb else b, c if bias else None, None]
        cases.add("MatMulV2", given, [a @ b + (c if bias else 0)], transpose_x1=ta, transpose_x2=tb)
    for (m, n), ta, tb in itertools.product((((2, 1), (5,)), ((3,), ()), ((), (2, 2))), (False, True), (False, True)):
        a, b = cases.x(*m, 3, 4), cases.x(*n, 4, 7)
        given = [np.swapaxes(a, -1, -2) if ta else a, np.swapaxes(b, -1, -2) if tb else b, None, None]
        cases.add("BatchMatMulV2", given, [a @ b], adj_x1=ta, adj_x2=tb)
    a, b, c = cases.x(2, 3, 4), cases.x(2, 4, 5), cases.x(5)
    cases.add("BatchMatMulV2", [a, b, c, None], [a @ b + c])
    a, b = cases.x(3, 700), cases.x(700, 2)  # sums of more than one part
    cases.add("MatMul", [a, b, None], [a.astype(np.float64) @ b])


def softmax(x, axis):
    e = np.exp(x.astype(np.float64) - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def add_rows(cases):
    x = cases.x(3, 4, 5, scale=3)
    for axis in (0, 1, 2, -2):
        cases.add("SoftmaxV2", [x], [softmax(x, axis)], axes=[axis])
        cases.add("LogSoftmaxV2", [x], [np.log(softmax(x, axis))], axes=[axis])
    large = np.float32([[1000, 999, -1000], [-1e30, 0, -np.inf]])
    cases.add("SoftmaxV2", [large], [softmax(large, 1)])
    x = cases.x(4, 6, 10, scale=2, offset=300)
    for axes, op in itertools.product((1, 2), ("LayerNorm", "LayerNormV3", "LayerNormV4")):
        shape = x.shape[axes:]
        over = tuple(range(axes, 3))
        mean, variance = x.mean(over, np.float64, keepdims=True), x.var(over, np.float64, keepdims=True)
        gamma, beta, rstd = cases.x(*shape), cases.x(*shape), 1 / np.sqrt(variance + 1e-3)
        y = (x - mean) * rstd * gamma + beta
        if op == "LayerNormV4":
            cases.add(op, [x, np.int64(shape), gamma, beta], [y, mean, rstd], epsilon=1e-3)
            cases.add(op, [x, np.int64(shape), None, None], [(x - mean) * rstd, mean, rstd], epsilon=1e-3)
        else:
            spread = variance if op == "LayerNorm" else rstd
            axis = {"begin_norm_axis": axes, "begin_params_axis": axes}
            cases.add(op, [x, gamma, beta], [y, mean, spread], epsilon=1e-3, **axis)
    mean, variance = x.mean((1, 2), np.float64, keepdims=True), x.var((1, 2), np.float64, keepdims=True)
    gamma, beta = cases.x(10), cases.x(10)  # for a part of the row, again and again
    y = (x - mean) / np.sqrt(variance + 1e-3) * gamma + beta
    cases.add("LayerNorm", [x, gamma, beta], [y, mean, variance], epsilon=1e-3, begin_norm_axis=1, begin_params_axis=2)
    gamma = cases.x(6, 10)
    rstd = 1 / np.sqrt((x.astype(np.float64) ** 2).mean((1, 2), keepdims=True) + 1e-6)
    cases.add("RmsNorm", [x, gamma], [x * rstd * gamma, rstd])


@pytest.mark.parametrize("add", [add_elementwise, add_products, add_rows])
def test_shapes_that_the_suite_lacks(library, add, tmp_path):
    cases = Cases()
    with np.errstate(all="ignore"):
        add(cases)
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(cases.lines))
    code, text = run("engine-test", library, "--cases", path, "--json")
    assert code == 0, text
    rows = json.loads(text)["cases"]
    assert len(rows) == len(cases.lines)
    assert not [row for row in rows if row["result"] != "passed"]


@pytest.fixture
def loaded(library):
    status = lib.GeEngineLoad(str(library).encode(), b"")
    assert status == 0, ffi.string(lib.GeLastErrorMessage()).decode()
    yield
    lib.GeEngineUnload(b"CudaEngine")


@pytest.fixture(scope="module")
def nets_with_results(tmp_path_factory):
    return NetCases(tmp_path_factory.mktemp("nets"))


@pytest.mark.parametrize("name", nets.NETS)
def test_networks_equal_onnx_runtime(nets_with_results, loaded, name):
    path, feed, expected = nets_with_results(name)
    model = ge.load(path, options={"threads": 2})
    for _ in range(2):  # memory that a first run left behind must not show
        check(model.run(feed), expected)
    if len(model.placement()) > 10:
        assert "CudaEngine" in {row["engine"] for row in model.placement()}


def test_more_elements_than_a_grid_has_threads(loaded, tmp_path):
    count = 65535 * 256 + 1000
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Neg", ["x"], ["y"])], "g", [value("x", 1, [count])], [value("y", 1, [count])]
    )
    path = tmp_path / "neg.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    x = np.arange(count, dtype=np.float32)
    model = ge.load(str(path))
    assert [row["engine"] for row in model.placement()] == ["CudaEngine"]
    assert np.array_equal(model.run({"x": x})["y"], -x)


@pytest.mark.skipif(not REAL.exists(), reason="not run: engines/cuda is not built (no CUDA compiler)")
def test_the_real_library_runs_or_says_why_not_and_the_rest_goes_on(nets_with_results):
    path, _, _ = nets_with_results(next(iter(nets.NETS)))
    code, text = run("run", path, "-q", "-O", f"engines.path={REAL.parent}")
    assert code == 0, text  # folders with engines that cannot be used do not stop a model
    code, text = run("engine-test", REAL, "--operator", "Relu")
    if code:
        assert f"engine CudaEngine ({REAL}) failed to open: {NO_DEVICE}: cudaGetDeviceCount: " in text
        assert "(cudaError" in text
