"""The package as pip has installed it, for scripts/checks/wheel.sh: no build tree, no onnx, the wheel's own libraries."""

import importlib.metadata
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

CASES = os.environ.get("GE_WHEEL_CASES")
if CASES is None:
    pytest.skip("scripts/checks/wheel.sh runs these", allow_module_level=True)

import ge  # noqa: E402

FOLDER = pathlib.Path(CASES)
NETS = sorted(p.stem for p in FOLDER.glob("*.onnx"))
PACKAGES = pathlib.Path(ge.__file__).resolve().parents[1]


def check(outputs, name):
    with np.load(FOLDER / f"{name}.out.npz") as expected:
        assert sorted(outputs) == sorted(expected)
        for output, want in expected.items():
            assert outputs[output].shape == want.shape
            np.testing.assert_allclose(outputs[output], want, rtol=0, atol=1e-4 * np.abs(want).max())


def test_there_are_cases():
    assert len(NETS) >= 5


def test_it_is_the_installed_one():
    assert str(PACKAGES).startswith(sys.prefix)
    assert importlib.metadata.version("ge-py") == ge.__version__
    tags = importlib.metadata.distribution("ge-py").read_text("WHEEL")
    assert "Tag: cp39-abi3-manylinux" in tags and "Root-Is-Purelib: false" in tags


@pytest.mark.parametrize("name", NETS)
def test_model(name):
    with np.load(FOLDER / f"{name}.in.npz") as feed:
        check(ge.load(FOLDER / f"{name}.onnx", options={"threads": 2}).run(feed), name)


def test_every_engine_is_there():
    found = {e["name"]: e["error"] for e in ge.engines()}
    for engine in ("AIcoreEngine", "VectorEngine", "DNN_VM_GE_LOCAL", "DNN_VM_HOST_CPU"):
        assert found[engine] == ""
    assert all(pathlib.Path(e["path"]).resolve().is_relative_to(PACKAGES) for e in ge.engines() if e["path"])


# Libraries that every Linux of the wheel's tag has (PEP 600); all others must come with the wheel or with the interpreter.
SYSTEM = ("libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libutil.so", "libstdc++.so", "libgcc_s.so",
          "libz.so", "libexpat.so", "ld-linux-x86-64.so")  # fmt: skip

MAPPED = """
import importlib.metadata
import sys
import numpy

def mapped():
    lines = (line.split(maxsplit=5) for line in open("/proc/self/maps"))
    return {line[5].strip() for line in lines if len(line) > 5 and ".so" in line[5]}

with numpy.load(sys.argv[2]) as file:
    feed = dict(file)
importlib.metadata.entry_points()
before = mapped()  # NumPy, and what it and the interpreter need
import ge
ge.load(sys.argv[1]).run(feed)
from ge.es import all
print("\\n".join(mapped() - before))
"""


def test_only_its_own_libraries_are_loaded():
    name = "resnet50" if "resnet50" in NETS else NETS[0]
    run = subprocess.run(
        [sys.executable, "-c", MAPPED, FOLDER / f"{name}.onnx", FOLDER / f"{name}.in.npz"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    mapped = {pathlib.Path(line) for line in run.stdout.splitlines() if line[0] == "/"}
    own = {p for p in mapped if p.is_relative_to(PACKAGES)}
    assert any(p.name.startswith("libdnnl-") for p in own), mapped
    assert any(p.name.startswith("libgomp-") for p in own) and any(p.name == "libge.so.1" for p in own)
    roots = (sys.base_prefix if sys.base_prefix != "/usr" else "/usr/lib/python3",)
    foreign = {p for p in mapped - own if not str(p).startswith(roots) and not p.name.startswith(SYSTEM)}
    assert not foreign


def tool(*args):
    return subprocess.run(["ge", *map(str, args)], capture_output=True, text=True)


def test_tool(tmp_path):
    """The `ge` of the virtual environment, which stands first on PATH."""
    assert tool("--version").stdout == f"ge {ge.__version__}\n"
    for name in NETS[:3]:
        run = tool("run", FOLDER / f"{name}.onnx", "--input", FOLDER / f"{name}.in.npz", "--output", tmp_path / "out.npz")
        assert run.returncode == 0, run.stderr
        with np.load(tmp_path / "out.npz") as outputs:
            check(outputs, name)
    doctor = tool("doctor")
    assert doctor.returncode == 0 and "AIcoreEngine" in doctor.stdout, doctor.stderr
    assert tool("run", tmp_path / "missing.onnx").returncode != 0


def test_operators():
    from ge.es import GraphBuilder
    from ge.es.all import SoftmaxV2  # noqa: F401
    from ge.es.math import Add, MatMul
    from ge.es.nn import Relu

    b = GraphBuilder("g")
    x, w = b.create_input(0, name="x", shape=[2, 3]), b.create_const_float([1.0, -1.0, 0.5, 2.0, 0.0, -3.0], [3, 2])
    graph = b.build_and_reset([Relu(Add(MatMul(x, w), 1.0))])
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    (y,) = ge.load(graph).run({"x": a}).values()
    np.testing.assert_allclose(y, np.maximum(a @ np.array([[1, -1], [0.5, 2], [0, -3]], np.float32) + 1, 0), rtol=1e-6)
