"""Options by every way into the library: those without an effect say so, and those that would change results are refused."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ge
from ge.error import GeError
from ge.es import GraphBuilder
from ge.ge_global import GeApi
from ge.graph import Format
from ge.session import Session

REFUSED = [
    ("ge.exec.enableDump", "1"),
    ("ge.externalWeight", "1"),
    ("ge.outputDatatype", "FP16"),
    ("ge.exec.frozenInputIndexes", "0;1"),
    ("ge.exec.precision_mode_v2", "cube_hif8"),
    ("ge.exec.profilingMode", "1"),
    ("ge.insertOpFile", "aipp.cfg"),
    ("ge.encryptMode", "0"),
    ("ge.host_env_cpu", "riscv64"),
    ("ge.runFlag", "0"),
    ("execute_times", "5"),
]


def graph(name="g"):
    b = GraphBuilder(name)
    x = b.create_input(0, name="x", shape=[2])
    return b.build_and_reset([x + 1.0])


@pytest.mark.parametrize("key, value", REFUSED, ids=[k for k, _ in REFUSED])
def test_what_would_change_results_or_files_is_refused(key, value):
    text = f"option {key} is '{value}', which is not supported: "
    with pytest.raises(GeError) as e:
        ge.load(graph(), options={key: value})
    assert text in str(e.value)
    with pytest.raises(GeError) as e:
        Session({key: value})
    assert text in str(e.value)
    session = Session()
    with pytest.raises(GeError) as e:
        session.add_graph(1, graph(), {key: value})
    assert text in str(e.value) and str(e.value).startswith("AddGraph failed; graph_id=1; ")
    with pytest.raises(GeError) as e:
        GeApi().ge_initialize({key: value})
    assert text in str(e.value)


def test_defaults_are_always_accepted():
    for row in ge.options():
        if row["default"]:
            Session({row["key"]: row["default"]})


def test_every_row_says_what_it_does():
    effects = {"acts", "nothing to do on a CPU", "not there: warns", "not there: refused"}
    rows = ge.options()
    assert {row["effect"] for row in rows} == effects and all(row["doc"] for row in rows)
    assert [row["key"] for row in rows] == sorted(row["key"] for row in rows)


SAMPLE = """
import numpy as np, ge
from ge.es import GraphBuilder
from ge.session import Session
b = GraphBuilder("g")
g = b.build_and_reset([b.create_input(0, name="x", shape=[2]) + 1.0])
options = {"ge.exec.deviceId": "0", "ge.graphRunMode": "0", "ge.opSelectImplmode": "high_precision",
           "ge.socVersion": "Ascend910B1", "ge.jit_compile": "1"}
for i in range(3):
    session = Session(options)
    session.add_graph(1, g)
print(ge.load(g, options=options).run({"x": np.float32([1, 2])}))
"""


def test_programs_for_devices_keep_running_and_hear_it_once():
    run = subprocess.run([sys.executable, "-c", SAMPLE], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and "[2., 3.]" in run.stdout, run.stderr
    assert run.stderr.count("option ge.opSelectImplmode is 'high_precision' and has no effect") == 1
    assert run.stderr.count("has no effect") == 1


STREAMS = """
from ge.es import GraphBuilder
from ge.ge_global import GeApi
from ge.graph import Tensor
from ge.session import Session
GeApi.ge_initialize({"threads": "1"})
GeApi.ge_initialize({"threads": "2"})
b = GraphBuilder("g")
g = b.build_and_reset([b.create_input(0, name="x", shape=[2]) + 1.0])
session = Session({})
session.add_graph(1, g)
for i in range(3):
    (out,) = session.run_graph_with_stream_async(1, 7, [Tensor([1.0, 2.0], shape=[2]).to_device()])
print(out.data, out.placement.name)
"""


def test_streams_and_a_second_start_are_told_of_once():
    run = subprocess.run([sys.executable, "-c", STREAMS], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and run.stdout.endswith("[2.0, 3.0] PLACEMENT_HOST\n"), run.stdout + run.stderr
    assert run.stderr.count("there are no streams on a CPU") == 1
    assert run.stderr.count("GeInitialize: option threads is '2' and has no effect") == 1


def test_a_format_that_the_inputs_do_not_have_is_refused():
    b = GraphBuilder("picture")
    x = b.create_input(0, name="x", format=Format.FORMAT_NHWC, shape=[1, 2, 2, 3])
    nhwc = b.build_and_reset([x + 1.0])
    assert ge.load(nhwc, options={"input_format": "NHWC"})
    with pytest.raises(ValueError, match="option input_format is 'NCHW', input 'x' of graph 'picture' is NHWC"):
        ge.load(nhwc, options={"input_format": "NCHW"})


def test_engines_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="option engines.exclude: there is no engine 'Nobody', there are: .*VectorEngine"):
        ge.load(graph(), options={"engines.exclude": "Nobody"})


def test_outputs_by_name(tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    nodes = [helper.make_node("Neg", ["x"], ["a"], name="na"), helper.make_node("Abs", ["a"], ["b"], name="nb")]
    ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in ("x", "b")]
    model = helper.make_model(helper.make_graph(nodes, "g", ports[:1], ports[1:]), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    x = np.float32([1, -2])
    loaded = ge.load(model.SerializeToString(), options={"ge.outputNodeName": "na:0;nb:0"})
    first, second = loaded.run({"x": x}).values()
    assert first.tolist() == [-1, 2] and second.tolist() == [1, 2]
    onnx.save(model, str(tmp_path / "m.onnx"))
    (only,) = ge.load(str(tmp_path / "m.onnx"), options={"ge.outputNodeName": "na:0"}).run({"x": x}).values()
    assert only.tolist() == [-1, 2]
    with pytest.raises(ValueError, match="option ge.outputNodeName is 'y:0': it is for models compiled from a file"):
        ge.load(graph(), options={"ge.outputNodeName": "y:0"})


def test_the_page_is_written_from_the_table():
    import os

    root = Path(__file__).resolve().parents[2]
    check = [sys.executable, root / "scripts" / "checks" / "options_page.py", os.environ["GE_BUILD_DIR"]]
    run = subprocess.run(check, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
