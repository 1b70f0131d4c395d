"""A server loads models for years: what a closed model has brought is given back, the names of its nodes included."""

import gc
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ge

PLACE = b"ROUND_00000000"
DIMS = [2, 16]


def numbered():
    """A function from a number to an ONNX model in bytes whose names hold that number: 60 nodes with long names."""
    names = [f"{PLACE.decode()}_{'layer' * 8}_{i}" for i in range(60)]
    nodes = [
        helper.make_node(("Relu", "Tanh", "Add", "Identity")[i % 4], [source] * (2 if i % 4 == 2 else 1), [name], name=name)
        for i, (source, name) in enumerate(zip(["x", *names], names))
    ]
    value = [helper.make_tensor_value_info(n, TensorProto.FLOAT, DIMS) for n in ("x", names[-1])]
    graph = helper.make_graph(nodes, "net", value[:1], value[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    data = model.SerializeToString()
    onnx.checker.check_model(model)
    return lambda number: data.replace(PLACE, b"ROUND_%08d" % number)


def resident():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def load(data):
    model = ge.load(data, options={"threads": 1})
    assert model.run({"x": np.ones(DIMS, np.float32)})


def growth():
    """Resident bytes that 1,500 models leave behind, after 200 that fill caches and the allocator's free lists."""
    made = numbered()
    for number in range(200):
        load(made(number))
    before = resident()
    for number in range(200, 1700):
        load(made(number))
    return resident() - before


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs Linux's /proc")
def test_names_of_loaded_models():
    # In a process of its own: among other tests, what those left in the allocator's lists comes into the measurement.
    program = "import test_closed_models; print(test_closed_models.growth())"
    place = os.path.dirname(os.path.abspath(__file__))
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=place, timeout=300)
    assert run.returncode == 0, run.stderr
    # 1,500 models bring 5 MiB of names, most of them three times: of the node, of its output and of what it stands for.
    assert int(run.stdout) < 2 << 20
