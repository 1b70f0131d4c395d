"""`ge passes` and `ge opt`: the pipeline, what passes did, and pipelines of one's own."""

import json
import os
import pathlib
import subprocess

import numpy
import onnx
import pytest
from onnx import TensorProto, helper

GE = pathlib.Path(os.environ["GE_BUILD_DIR"]) / "bin" / "ge"


def ge(*args, code=0, env=()):
    run = subprocess.run(
        [GE, *map(str, args)], capture_output=True, text=True, env={**os.environ, "COLUMNS": "100", **dict(env)}
    )
    assert run.returncode == code, run.stdout + run.stderr
    return run.stdout if code == 0 else run.stderr


@pytest.fixture
def model(tmp_path):
    info = helper.make_tensor_value_info
    nodes = [helper.make_node("Identity", ["x"], ["i"]), helper.make_node("Relu", ["i"], ["y"])]
    graph = helper.make_graph(nodes, "g", [info("x", TensorProto.FLOAT, [2])], [info("y", TensorProto.FLOAT, [2])])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, ir_version=8), path)
    return path


def test_the_list():
    lines = ge("passes").splitlines()
    names = [line.split()[0] for line in lines[1:]]
    assert names.index("VerifyGraph") < names.index("InferShape") < names.index("FuseMatMul") < names.index("FuseElementwise")
    assert names.count("Stage.AfterInferShape") == 1
    assert max(map(len, lines)) <= 100
    assert any(line.split()[0] == "InferShape" and "essential" in line for line in lines[1:])


def test_what_passes_did(model):
    lines = ge("passes", model, "-q").splitlines()
    assert lines[0].split() == ["pass", "ms", "runs", "tried", "matched", "applied", "declined"]
    assert lines[2].startswith("Compile ")
    (row,) = [line for line in lines if line.startswith("    RemoveIdentity ")]
    assert row.split()[2:] == ["1", "1", "1", "1"]
    told = json.loads(ge("passes", model, "-q", "--json"))
    assert told["times"][0]["name"] == "Compile"
    assert {p["name"]: p["applied"] for p in told["counts"]}["RemoveIdentity"] == 1


def test_the_scope_of_the_command_line(model):
    def ran(*args):
        return {line.split()[0] for line in ge("passes", model, "-q", *args).splitlines()[1:]}

    assert "FuseMatMul" in ran()
    assert "FuseMatMul" not in ran("--opt-level", 1)
    assert "FuseMatMul" in ran("--opt-level", 1, "--require-pass", "FuseMatMul")
    assert "FuseMatMul" not in ran("--disable-pass", "FuseMatMul")


def test_every_command_that_compiles_takes_them(model):
    assert "FuseMatMul" not in ge(
        "info", model, "--passes", "-q", "--no-run", "--opt-level", 1, "--pass-config", "passes.verify=true"
    )
    assert "FuseMatMul" in ge("info", model, "--passes", "-q", "--no-run")
    told = json.loads(ge("passes", "--json"))
    assert {p["other_name"]: p["name"] for p in told}["FoldConstant"] == "ConstantFolding"


def test_instruments(model, tmp_path):
    run = subprocess.run(
        [GE, "passes", model, "-q", "--instrument", "memory", "--instrument", f"dump={tmp_path / 'ir'}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "peak KiB" in run.stderr
    assert any("RemoveIdentity" in f.name for f in (tmp_path / "ir").iterdir())
    out = ge("passes", model, "-q", "--instrument", "print-after=RemoveIdentity")
    assert out.count("# after pass RemoveIdentity") == 1


def test_pipelines(model, tmp_path):
    text = ge("opt", model, "--pipeline", "InferShape")
    assert "Identity" in text
    text = ge("opt", model, "--pipeline", "InferShape, clean(RemoveIdentity, DeadCode)")
    assert "Identity" not in text and "Relu" in text
    air = tmp_path / "out.air"
    ge("opt", model, "--pipeline", "RemoveIdentity", "-o", air)
    assert "Identity" not in ge("opt", air, "--pipeline", "(DeadCode)")
    ge("opt", model, "--pipeline", "DeadCode", "-o", tmp_path / "g.svg")
    assert "<svg" in (tmp_path / "g.svg").read_text()


@pytest.mark.parametrize(
    "args, text",
    [
        (["--pipeline", "RemoveIdentiy"], "RemoveIdentity"),
        (["--pipeline", "a(DeadCode"], "'(' at 2 is not closed"),
        (["--pipeline", "DeadCode)"], "')' at 9 closes nothing"),
        (["--pipeline", "DeadCode,,DeadCode"], "a pass is missing at 10"),
        (["--pipeline", ""], "a pass is missing at 1"),
        (["--pipeline", "a()"], "a pass is missing at 3, in the '(' at 2"),
        (["--pipeline", "a(DeadCode)b"], "expected ',' at 12"),
        (["--pipeline", "DeadCode", "--pass-config", "passes.max_rewrites=many"], "a whole number"),
        (["--pipeline", "DeadCode", "--pass-config", "passes.max_rewrite=1"], "passes.max_rewrites"),
        (["--pipeline", "DeadCode", "--instrument", "timings"], "near names: timing"),
        (["--pipeline", "DeadCode", "--opt-level", "-1"], "opt-level"),
    ],
)
def test_wrong_usage(model, args, text):
    assert text in ge("opt", model, *args, code=2)


PASS_FILE = """
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass
from ge.es.all import Relu, Sigmoid

@register_fusion_pass(name="ReluToSigmoid", stage=PassStage.BEFORE_INFER_SHAPE)
class ReluToSigmoid(PatternFusionPass):
    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])

    def replacement(self, inputs):
        return Sigmoid(inputs[0])
"""


def test_passes_in_python(model, tmp_path):
    path = tmp_path / "to_sigmoid.py"
    path.write_text(PASS_FILE)
    assert any(line.split()[0] == "ReluToSigmoid" for line in ge("passes", "--pass", path).splitlines())
    assert "Sigmoid" in ge("opt", model, "--pass", path, "--pipeline", "ReluToSigmoid")
    assert "Sigmoid" in ge("dump", model, "--pass", path, "--optimized")
    assert "Sigmoid" not in ge("dump", model, "--optimized")
    (row,) = [line for line in ge("passes", model, "-q", "--pass", path).splitlines() if "ReluToSigmoid" in line]
    assert row.split()[2:] == ["1", "1", "1", "1"]


@pytest.mark.parametrize("name, text, code", [("none.py", "there is no such file", 2), ("m.onnx", "expected a library", 2)])
def test_pass_files_that_are_none(model, name, text, code):
    assert text in ge("opt", model, "--pipeline", "DeadCode", "--pass", model.parent / name, code=code)


def test_a_broken_pass_file(model, tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("def broken(:")
    for command in (["dump", model, "--optimized"], ["passes"], ["opt", model, "--pipeline", "DeadCode"]):
        said = ge(*command, "--pass", path, code=1)
        assert f"ge: --pass {path}: E13029: Python passes ('{path}') cannot be loaded: " in said and "SyntaxError" in said
        assert "ASCEND_GE_PY_PASS_PATH" not in said
        said = ge(*command, code=1, env={"ASCEND_GE_PY_PASS_PATH": str(path)})
        assert f"Python passes (ASCEND_GE_PY_PASS_PATH='{path}') cannot be loaded: " in said and "SyntaxError" in said
    library = tmp_path / "broken.so"
    library.write_text("no library")
    assert "broken.so" in ge("dump", model, "--optimized", "--pass", library, code=1)


def test_bisect(model, tmp_path):
    assert "no pass changes the outputs" in ge("bisect", model, "-q")
    path = tmp_path / "wrong.py"
    path.write_text(PASS_FILE)
    out = ge("bisect", model, "-q", "--pass", path)
    assert "the first pass after which outputs differ is ReluToSigmoid, number 1: output 0, element" in out
    assert "no pass changes" in ge("bisect", model, "-q", "--pass", path, "--disable-pass", "ReluToSigmoid")
    assert "no pass changes" in ge("bisect", model, "-q", "--pass", path, "--tolerance", 1000)
    assert "--tolerance is nan" in ge("bisect", model, "--tolerance", "nan", code=2)


@pytest.mark.parametrize("form", ["onnx", "air"])
def test_bisect_of_weights_that_kernels_pack(tmp_path, form):
    """A model gives large weights back once they are packed; the graphs behind its passes need them still."""
    info, random = helper.make_tensor_value_info, numpy.random.default_rng(0)
    weights = random.standard_normal((64, 64, 3, 3)).astype(numpy.float32)
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node("Relu", ["c"], ["y"])],
        "g",
        [info("x", TensorProto.FLOAT, [1, 64, 16, 16])],
        [info("y", TensorProto.FLOAT, [1, 64, 14, 14])],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    model = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), model)
    if form == "air":
        ge("opt", model, "--pipeline", "DeadCode", "-o", tmp_path / "m.air")
        model = tmp_path / "m.air"
    assert "no pass changes the outputs" in ge("bisect", model, "-q", "-t", 1)
    path = tmp_path / "wrong.py"
    path.write_text(PASS_FILE)
    assert "after which outputs differ is ReluToSigmoid" in ge("bisect", model, "-q", "-t", 1, "--pass", path)


def test_print_instruments_take_other_names(model):
    args = ["opt", model, "--instrument", "print-before=FoldConstant", "--pipeline", "InferShape,ConstantFolding"]
    assert "# before pass ConstantFolding" in ge(*args, "-o", "-")


def test_why_not(model, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(PASS_FILE.replace("return Relu(inputs[0])", "return Relu(Sigmoid(inputs[0]))"))
    told = json.loads(ge("why-not", "ReluToSigmoid", model, "--pass", path, "--json"))
    assert told["misses"] and told["applied"] == {}
    assert "ReluToSigmoid" in ge("why-not", "ReluToSigmoid", model, "--pass", path)
    path.write_text(PASS_FILE)
    assert "was applied 1 time" in ge("why-not", "ReluToSigmoid", model, "--pass", path)
    assert "has no node 'nobody'" in ge("why-not", "FuseGelu", model, "--node", "nobody", code=1)
    assert "FuseGelu" in ge("why-not", "FuseGelo", model, code=2)


def test_reproducer(model, tmp_path):
    path, bug = tmp_path / "wrong.py", tmp_path / "bug.air"
    path.write_text(PASS_FILE.replace("return Sigmoid(inputs[0])", "raise ValueError('boom')"))
    said = ge("info", model, "-q", "--no-run", "--pass", path, "-O", f"passes.reproducer={bug}", code=1)
    assert f"; to see the failure again: ge opt '{bug}' --pass '{path}'" in said and "boom" in said
    again = ge("opt", bug, "--pass", path, code=1)
    assert "pass 'ReluToSigmoid'" in again and "boom" in again
    assert "there is no pass 'ReluToSigmoid'" in ge("opt", bug, code=2)  # a graph does not say which code is loaded
    path.write_text(PASS_FILE)
    assert "Sigmoid" in ge("opt", bug, "--pass", path)
    assert "Sigmoid" not in ge("opt", bug, "--pipeline", "DeadCode")
    plain = tmp_path / "plain.air"
    ge("opt", bug, "--pipeline", "DeadCode", "-o", plain)
    bug.unlink()
    assert "boom" not in ge("info", model, "-q", "--no-run", "--pass", path, "-O", f"passes.reproducer={bug}")
    assert not bug.exists()


def test_reproducer_that_cannot_be_written(model, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(PASS_FILE.replace("return Sigmoid(inputs[0])", "raise ValueError('boom')"))
    said = ge("info", model, "-q", "--no-run", "--pass", path, "-O", "passes.reproducer=/no/such/folder/bug.air", code=1)
    assert "boom" in said and "ge opt" not in said


def test_why_not_of_passes_that_are_code(model, tmp_path):
    builder = [helper.make_node("Relu", ["x"], ["y"], name="relu"), helper.make_node("Identity", ["x"], ["z"], name="same")]
    info = helper.make_tensor_value_info
    outputs = [info("y", TensorProto.FLOAT, [2]), info("z", TensorProto.FLOAT, [2])]
    path = tmp_path / "two.onnx"
    onnx.save(
        helper.make_model(helper.make_graph(builder, "g", [info("x", TensorProto.FLOAT, [2])], outputs), ir_version=8), path
    )
    told = json.loads(ge("why-not", "RemoveIdentity", path, "--node", "same", "--json"))
    (miss,) = told["misses"]
    assert (
        miss["constraint"] == "predicate" and "makes a graph output of Data 'x'" in miss["actual"] and "'same'" in miss["node"]
    )
    assert json.loads(ge("why-not", "RemoveIdentity", model, "--json"))["applied"] == {"Identity": 1}


def test_why_not_of_conditions_and_gates(model, tmp_path):
    path = tmp_path / "says_no.py"
    text = PASS_FILE.replace(
        "    def replacement",
        "    def meet_requirements(self, match):\n        raise ValueError('boom')\n\n    def replacement",
    )
    path.write_text(text)
    (miss,) = json.loads(ge("why-not", "ReluToSigmoid", model, "--pass", path, "--json"))["misses"]
    assert (miss["constraint"], miss["actual"]) == ("predicate", "ValueError: boom")
    assert miss["expected"].endswith(".meet_requirements") and "says_no.py" in miss["traceback"]
    said = ge("why-not", "ReluToSigmoid", model, "--pass", path)
    assert "predicate" in said and "ValueError: boom" in said and "Traceback" in said
    path.write_text(PASS_FILE)
    (miss,) = json.loads(ge("why-not", "ReluToSigmoid", model, "--pass", path, "--disable-pass", "ReluToSigmoid", "--json"))[
        "misses"
    ]
    assert miss["constraint"] == "gate" and miss["actual"].startswith("disabled: ")
    told = json.loads(ge("why-not", "FuseGelu", model, "--opt-level", 0, "--json"))["misses"]
    assert ("gate", "opt_level 2 or more", "opt_level is 0") in [(m["constraint"], m["expected"], m["actual"]) for m in told]


def test_reproducer_of_a_pass_that_the_scope_required(model, tmp_path):
    path, bug = tmp_path / "wrong.py", tmp_path / "bug.air"
    text = PASS_FILE.replace("return Sigmoid(inputs[0])", "raise ValueError('boom')")
    path.write_text(text)
    options = ("--require-pass", "ReluToSigmoid", "--disable-pass", "FuseGelu", "--opt-level", 0)
    ge("info", model, "-q", "--no-run", "--pass", path, *options, "-O", f"passes.reproducer={bug}", code=1)
    assert "boom" in ge("opt", bug, "--pass", path, code=1)
    said = ge("info", model, "-q", "--no-run", "--pass", path, "-O", "passes.reproducer=bug.onnx", code=2)
    assert "option passes.reproducer is 'bug.onnx', expected a name that ends in .air" in said


def test_numbers_and_depths_beyond_their_limits(model):
    assert "not in range 0 to 2147483647" in ge("opt", model, "--pipeline", "DeadCode", "--opt-level", "-1", code=2)
    assert len(ge("bisect", model, "--tolerance", "-1", code=2)) < 200
    assert "at most 90 are allowed" in ge("opt", model, "--pipeline", "(" * 20000, code=2)


def test_a_pass_file_whose_name_has_a_colon(model, tmp_path):
    path = tmp_path / "a:b.py"
    path.write_text(PASS_FILE)
    assert "Sigmoid" in ge("dump", model, "--pass", path, "--optimized")


def test_pass_files_beside_those_of_the_environment(model, tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text(PASS_FILE)
    second.write_text(PASS_FILE.replace("ReluToSigmoid", "Other"))
    listed = [
        line.split()[0] for line in ge("passes", "--pass", second, env={"ASCEND_GE_PY_PASS_PATH": str(first)}).splitlines()
    ]
    assert listed.count("ReluToSigmoid") == listed.count("Other") == 1
    listed = [
        line.split()[0] for line in ge("passes", "--pass", first, env={"ASCEND_GE_PY_PASS_PATH": str(first)}).splitlines()
    ]
    assert listed.count("ReluToSigmoid") == 1


def test_the_python_that_an_option_names(model, tmp_path):
    path = tmp_path / "m.py"
    path.write_text(PASS_FILE)
    for command in (["dump", "--optimized"], ["opt", "--pipeline", "DeadCode"]):
        said = ge(command[0], model, *command[1:], "--pass", path, "-O", "python.library=/first.so",
                  "-O", "python.library=/none.so", code=1)  # fmt: skip
        assert "option python.library is '/none.so'" in said
