"""What importing costs and prints, what names are there, the conformance programs."""

import os
import subprocess
import sys

import pytest


def python(script, *args, **env):
    return subprocess.run([sys.executable, *args, "-c", script], capture_output=True, text=True, env={**os.environ, **env})


def test_import_is_light_and_quiet():
    run = python(
        "import sys, ge\n"
        "assert 'numpy' not in sys.modules and 'cffi' not in sys.modules and 'ge._ge_cffi' not in sys.modules\n"
        "assert ge.__version__ == '0.1.0' and {'load', 'Model'} <= set(dir(ge))\n"
        "try:\n    ge.nothing\nexcept AttributeError as e:\n    print(e)\n"
    )
    assert run.stdout == "module 'ge' has no attribute 'nothing'\n" and run.stderr == ""


def test_graph_parts_need_no_numpy():
    run = python(
        "import sys\nsys.modules['numpy'] = None\n"
        "from ge.es import GraphBuilder\nfrom ge.session import Session\nfrom ge.graph import Tensor\n"
        "b = GraphBuilder()\nx = b.create_input(0, shape=[2])\n"
        "s = Session()\ns.add_graph(0, b.build_and_reset([x + x]))\n"
        "print(s.run_graph(0, [Tensor([1.0, 2.0], shape=[2])])[0].data)\n"
    )
    assert run.stdout.splitlines()[-1] == "[2.0, 4.0]", run.stderr


def without(module):
    """Lines of a script that make Python find no such module."""
    return (
        f"import sys, importlib.machinery as m\n"
        f"class Hidden(m.PathFinder):\n"
        f"    @classmethod\n"
        f"    def find_spec(cls, name, *args):\n"
        f"        return None if name == '{module}' else m.PathFinder.find_spec(name, *args)\n"
        f"sys.meta_path[:] = [Hidden if f is m.PathFinder else f for f in sys.meta_path]\n"
    )


@pytest.mark.parametrize("statement", ["import ge", "from ge.es import GraphBuilder", "import ge.session"])
def test_missing_cffi_is_named(statement):
    run = python(without("_cffi_backend") + f"try:\n    {statement}\nexcept ImportError as e:\n    print(e.name, e)\n")
    words = f"cffi ge needs the Python package cffi, which {sys.executable} does not have: pip install cffi\n"
    assert run.stdout == words, run.stderr


def test_sources_without_the_extension_module_are_named():
    run = python(without("ge._ge_cffi") + "import ge\ntry:\n    ge.load\nexcept ImportError as e:\n    print(e)\n")
    assert "its Python sources alone" in run.stdout and "set_env.sh" in run.stdout, run.stderr


def test_importing_starts_no_threads():
    run = python(
        "import os\nimport ge.es, ge.session, ge.graph\n"
        "from ge.es import GraphBuilder\nGraphBuilder().create_input(0)\n"
        "print(len(os.listdir('/proc/self/task')))\n"
    )
    assert run.stdout.splitlines()[-1] == "1", run.stderr


IMPORTS = """
from ge.ge_global import GeApi
from ge.session import Session
from ge.allocator import Allocator, MemBlock
from ge.graph import DumpFormat, Tensor
from ge.graph import DumpFormat, Graph, Tensor
from ge.graph import DataType, Format, Graph, Node, TensorDesc
from ge.graph.types import DataType, Format, Placement
from ge.es import GraphBuilder, TensorHolder
from ge.es.graph_builder import GraphBuilder, TensorHolder
from ge.es.graph_builder import GraphBuilder, attr_scope
from ge.es.graph_builder import GraphBuilder, control_dependency_scope
from ge.es.graph_builder import InputType
from ge.es import InputType
from ge.es.all import *
from ge.es.all import Add, Relu, Sigmoid, If, Split, ConcatV2, BatchNorm, Conv2D, MatMul, GEMM, BatchMatMulV2
from ge.es.math import GEMM, Add, MatMul
from ge.es.nn import Relu, Conv2D
from ge.error import GeError, get_ge_error_msg, raise_ge_error
from ge.graph import Shape, TensorDesc, Operator, Placement
from ge.graph.types import AttrValueType
from ge.graph._attr import _AttrValue
from ge.es import get_plugin, list_plugins
from ge.es.tensor_like import TensorLike, convert_to_tensor_holder, resolve_builder
"""


@pytest.mark.parametrize("line", IMPORTS.strip().splitlines())
def test_imports(line):
    exec(line, {})


def test_public_names():
    import ge.allocator
    import ge.es
    import ge.ge_global
    import ge.graph
    import ge.session

    assert ge.graph.__all__ == [
        "Graph", "Node", "Operator", "DataType", "Format", "Placement", "Shape", "Tensor", "TensorDesc", "DumpFormat",
    ]  # fmt: skip
    assert ge.session.__all__ == ["GeError", "Session"] and ge.ge_global.__all__ == ["GeApi"]
    assert ge.allocator.__all__ == ["Allocator", "MemBlock"]
    assert ge.es.__all__[:4] == ["GraphBuilder", "TensorHolder", "list_plugins", "get_plugin"]


CONFORMANCE = """
from ge.es import GraphBuilder
from ge.ge_global import GeApi
from ge.graph import DataType, DumpFormat, Format, Tensor
from ge.session import Session
b = GraphBuilder("g")
x = b.create_input(index=0, name="x", data_type=DataType.DT_FLOAT, shape=[2, 3])
b.set_graph_output(x + 1.0, 0)
g = b.build_and_reset()
g.dump_to_file(format=DumpFormat.kOnnx, suffix="demo")
api = GeApi()
assert api.ge_initialize({"ge.exec.deviceId": "0", "ge.graphRunMode": "0"}) == 0
try:
    s = Session()
    assert s.add_graph(1, g) == 0
    out = s.run_graph(1, [Tensor([1.0] * 6, None, DataType.DT_FLOAT, Format.FORMAT_ND, [2, 3])])
    print(out[0], out[0].data, out[0].shape)
finally:
    api.ge_finalize()
"""


def test_conformance_program(tmp_path):
    run = subprocess.run([sys.executable, "-c", CONFORMANCE], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.rstrip().endswith("[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]] [2, 3]")
    assert [p.name.startswith("ge_onnx_") for p in tmp_path.iterdir()] == [True]


def test_issue_program():
    """The program of the README: numbers as tensors, a matrix product, an ES graph through the front door."""
    import numpy as np

    import ge
    from ge.es import GraphBuilder
    from ge.es.math import Add, MatMul

    b = GraphBuilder("mlp")
    x = b.create_input(0, shape=[8, 64])
    w = b.create_const_float([0.1] * 4096, shape=[64, 64])
    g = b.build_and_reset([Add(MatMul(x, w), 1.0)])
    m = ge.load(g)
    a = np.random.default_rng(0).standard_normal((8, 64)).astype(np.float32)
    (y,) = m.run({"input_0": a}).values()
    np.testing.assert_allclose(y, a @ np.full((64, 64), 0.1, np.float32) + 1, atol=1e-4)


def test_module_runs_the_tool():
    run = subprocess.run([sys.executable, "-m", "ge", "--version"], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "ge 0.1.0\n"), run.stderr
    assert subprocess.run([sys.executable, "-m", "ge", "nosuch"], capture_output=True).returncode == 2
