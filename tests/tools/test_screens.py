"""What the command line shows at 80 and 120 columns, kept as text in screens/: a change of a screen is a change of a file.

    python tests/tools/test_screens.py --renew [NAME …]    writes the files anew; look at the difference before keeping it

Screens are those of a processor without features (GE_MAX_ISA=scalar) or with AVX2, so that they are the same everywhere.
Times and what belongs to the machine are masked.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
SCREENS = HERE / "screens"
WIDTHS = (80, 120)
AVX2 = " avx2 " in pathlib.Path("/proc/cpuinfo").read_text()

# The screens: name → command lines in a folder with the models below.
CASES = {
    "help": ["ge --help", "ge run --help", "ge info --help", "ge ops --help", "ge doctor --help", "ge bench --help"],
    "info": ["ge info net.onnx --no-run", "ge info open.onnx --no-run", "ge info net.onnx --no-run --why --nodes"],
    "info_avx2": ["ge info net.onnx --no-run -t 1", "ge info net.onnx --no-run -t 1 --why --nodes"],
    # The model divides by random integers: its run fails, and so there are no times.
    "problems": ["ge info divide.onnx -O engines.path=broken", "ge info divide.onnx -q -i by=0"],
    "ops": ["ge ops --family control", "ge ops --family image", "ge ops Conv2D If Const", "ge ops Conv2d"],
    "doctor": ["ge doctor"],
    "options": ["ge doctor --options"],
    "run": [
        "ge run sum.onnx -i a=2 -i b=[[1,2,3],[4,5,6]]",
        "ge run sum.onnx -i a=2.5 -s b=1,3 -i b=0.5",
        "ge run open.onnx -i x=1",
    ],
    "run_errors": [
        "ge run sum.onnx -i aa=2",
        "ge run sum.onnx -i zebra=2",
        "ge run sum.onnx -i a=two",
        "ge run sum.onnx -i b=1,2,3,4",
        "ge run sum.onnx -i b=[[1,2],[3]]",
        "ge run sum.onnx -i n=300",
        "ge run sum.onnx -i n=1.5",
        "ge run sum.onnx -i a=@none.npy",
        "ge run sum.onnx -i a=cat.jpg",
        "ge run sum.onnx -i a=@cat.jpg",
        "ge run sum.onnx -i a",
        "ge run sum.onnx -i b=@double.npy",
        "ge run sum.onnx -i b=@long.npy",
        "ge run sum.onnx --imput a=1",
        "ge runn sum.onnx",
    ],
    "engines": [
        "ge run sum.onnx -O engines.path=none",
        "ge run sum.onnx -O engines.path=empty",
        "ge run sum.onnx -O engines.path=other",
        "ge run sum.onnx -O engines.path=other/engine.so",
        "GE_ENGINE_DIR=empty ge run sum.onnx",
        "GE_ENGINE_DIR=empty ge doctor",
    ],
}


def weights(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def save(path, nodes, inputs, outputs, constants=None):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        path.stem,
        [info(n, t, s) for n, (t, s) in inputs.items()],
        [info(n, t, s) for n, (t, s) in outputs.items()],
        [numpy_helper.from_array(a, n) for n, a in (constants or {}).items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def net(path):
    """Three layers with the long names that exporters write."""
    nodes, constants, last = [], {}, "images"
    for k in range(3):
        at = f"/model/backbone/encoder/layers.{k}/"
        constants |= {f"{at}w": weights(8, 3 if k == 0 else 8, 3, 3), f"{at}b": weights(8)}
        nodes += [
            helper.make_node("Conv", [last, f"{at}w", f"{at}b"], [f"{at}c"], f"{at}attention/projection/Conv", pads=[1] * 4),
            helper.make_node("Relu", [f"{at}c"], [f"{at}r"], f"{at}attention/projection/Relu"),
            helper.make_node("Erf", [f"{at}r"], [f"{at}e"], f"{at}activation/Erf"),
        ]
        last = f"{at}e"
    nodes += [
        helper.make_node("GlobalAveragePool", [last], ["pooled"], "/model/backbone/head/GlobalAveragePool"),
        helper.make_node("Flatten", ["pooled"], ["flat"], "/model/backbone/head/Flatten"),
        helper.make_node("Acos", ["flat"], ["scores"], "/model/backbone/head/Acos"),
    ]
    save(path, nodes, {"images": (TensorProto.FLOAT, [1, 3, 16, 16])}, {"scores": (TensorProto.FLOAT, [1, 8])}, constants)


def folder(path):
    net(path / "net.onnx")
    F = TensorProto.FLOAT
    layers = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    save(path / "open.onnx", layers, {"x": (F, ["n", 8])}, {"y": (F, ["n", 4])}, {"w": np.ones((8, 4), np.float32)})
    nodes = [helper.make_node("Add", ["a", "b"], ["sum"]), helper.make_node("Identity", ["n"], ["m"])]
    inputs = {"a": (F, []), "b": (F, ["rows", 3]), "n": (TensorProto.UINT8, [2])}
    save(path / "sum.onnx", nodes, inputs, {"sum": (F, ["rows", 3]), "m": (TensorProto.UINT8, [2])})
    nine = (TensorProto.INT32, [9])
    save(path / "divide.onnx", [helper.make_node("Div", ["of", "by"], ["y"], "halve")], {"of": nine, "by": nine}, {"y": nine})
    np.save(path / "double.npy", np.zeros((2, 3)))
    np.save(path / "long.npy", np.zeros((2, 4), np.float32))
    (path / "cat.jpg").write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF\0\0")
    for name in ("empty", "other", "broken"):
        (path / name).mkdir()
    (path / "broken" / "libge_engine_broken.so").write_text("no library")
    (path / "empty.c").write_text("int nothing;\n")
    subprocess.run(["cc", "-shared", "-o", path / "other" / "engine.so", path / "empty.c"], check=True)


def masked(text, path):
    text = text.replace(str(path), "FOLDER")
    text = re.sub(r"/\S*/lib/ge/engines", "LIBRARY/ge/engines", text)
    text = re.sub(r"/\S*/libge\.so\S*|/\S*/lib(?=['/])", "LIBRARY", text)
    text = re.sub(r"(?m)^(processor +).*", r"\1NAME", text)
    text = re.sub(r"(?m)^(threads +).*", r"\1NUMBERS", text)
    text = re.sub(r"\d+ threads?\b", "N threads", text)
    return re.sub(r"\d+\.\d+ ms", "TIME ms", text)


def shown(name, width, path):
    """The screen of a case: each command line, what it printed, and its exit status where that is not 0."""
    isa = "avx2" if name.endswith("avx2") else "scalar"
    environment = {**os.environ, "COLUMNS": str(width), "GE_MAX_ISA": isa}
    for variable in ("GE_ENGINE_DIR", "GE_LOG_LEVEL", "OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
        environment.pop(variable, None)
    text = ""
    for line in CASES[name]:
        extra, _, arguments = line.partition("ge ") if not line.startswith("ge ") else ("", "", line[3:])
        more = dict(pair.split("=", 1) for pair in extra.split())
        command = [sys.executable, "-m", "ge", *arguments.split()]
        run = subprocess.run(
            command, cwd=path, env={**environment, **more}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        status = f"(exit status {run.returncode})\n" if run.returncode else ""
        text += f"$ {line}\n{run.stdout}{status}\n"
    return masked(text, path)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    path = tmp_path_factory.mktemp("screens")
    folder(path)
    return path


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", CASES)
def test_screen(name, width, models):
    if name.endswith("avx2") and not AVX2:
        pytest.skip("not run: the processor has no AVX2")
    file = SCREENS / f"{name}.{width}.txt"
    assert shown(name, width, models) == file.read_text(encoding="utf-8"), (
        f"{file} is another; see {pathlib.Path(__file__).name} --renew {name}"
    )


def test_every_screen_has_a_case():
    assert {f.name for f in SCREENS.iterdir()} == {f"{name}.{width}.txt" for name in CASES for width in WIDTHS}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["help", "info", "info_avx2", "ops", "doctor", "options", "run"])
def test_screens_are_no_wider_than_they_may_be(name, width):
    lines = (SCREENS / f"{name}.{width}.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > width and not line.startswith(("$ ", "ge: "))] == []


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_whole_table_of_operators_fits(width, models):
    environment = {**os.environ, "COLUMNS": str(width)}
    run = subprocess.run([sys.executable, "-m", "ge", "ops"], env=environment, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert len(lines) > 1000 and max(map(len, lines)) <= width
    names = [line.split()[0] for line in lines[2:-2]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("long", [False, True])
def test_short_names_keep_their_ends_and_differ(long, models, tmp_path):
    """Names with parts, and names that are one long part: both differ at the beginning, in the middle, at the end."""
    F = (TensorProto.FLOAT, [2])
    slash, rest = ("", "x" * 30) if long else ("/", "/layers/block/inner")
    middles = [a + b + rest for a in "pq" for b in ("", slash + "left")]
    names = [f"n{k // 2}{slash}{m}{slash}end{k}" for k in range(4) for m in middles]
    nodes, last = [], "x"
    for name in names:
        nodes.append(helper.make_node("Acos", [last], [f"{name}/y"], name))
        last = f"{name}/y"
    save(tmp_path / "names.onnx", nodes, {"x": F}, {last: F})
    command = [sys.executable, "-m", "ge", "info", str(tmp_path / "names.onnx"), "--no-run", "--nodes"]
    shortened = 0
    for width in range(60, 120, 7):
        environment = {**os.environ, "COLUMNS": str(width), "GE_MAX_ISA": "scalar"}
        text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        shown = [line.split()[0] for line in text.splitlines() if line.split()[1:2] == ["Acos"]]
        assert len(shown) == len(set(shown)) == len(names)
        for short, name in zip(shown, names):
            assert short == name or ("…" in short and short[-4:] == name[-4:])
            shortened += short != name
    assert shortened >= len(names)


def test_times_are_those_of_the_kernels(models):
    """With a run: groups by time, shares that add up, on one screen."""
    run = subprocess.run(
        [sys.executable, "-m", "ge", "info", str(models / "net.onnx")],
        env={**os.environ, "COLUMNS": "100"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = run.stdout.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 100 and run.stderr == ""
    rows = [re.match(r"\S+ .* (\d+) +([\d.]+) +([\d.]+) ", line + " ") for line in lines]
    rows = [(int(row[1]), float(row[2]), float(row[3])) for row in rows if row]
    assert len(rows) >= 3 and abs(sum(share for _, _, share in rows) - 100) < 1
    assert [ms for _, ms, _ in rows] == sorted((ms for _, ms, _ in rows), reverse=True)
    total = float(re.search(r"(?m)^run +([\d.]+) ms", run.stdout)[1])
    assert sum(ms for _, ms, _ in rows) <= total * 1.01 + 0.01


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renew", action="store_true", required=True)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CASES)}")
    args = parser.parse_args()
    subprocess.run([sys.executable, "-m", "ge", "--version"], check=True)  # screens of nothing would be kept otherwise
    with tempfile.TemporaryDirectory() as made:
        folder(pathlib.Path(made))
        for name in args.names or CASES:
            for width in WIDTHS:
                (SCREENS / f"{name}.{width}.txt").write_text(shown(name, width, pathlib.Path(made)), encoding="utf-8")


if __name__ == "__main__":
    main()
