"""Passes in Python in C and C++ programs that know nothing of Python: the programs of this folder do steps and say what came of
them. A pass that took effect shows in the types of nodes that a pass of the program itself sees."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release")).resolve()
VARIABLE = "ASCEND_GE_PY_PASS_PATH"
LIBRARY = pathlib.Path(sysconfig.get_config_var("LIBDIR") or "/none") / (sysconfig.get_config_var("INSTSONAME") or "none")
pytestmark = pytest.mark.skipif(".so" not in LIBRARY.name or not LIBRARY.exists(), reason="this Python has no shared library")

UNCHANGED = "types: Abs Abs Mul Relu; values: 3 2"
IMPORTS = "from ge.passes import *\nfrom ge.es import GraphBuilder\nfrom ge.es.all import Abs, Neg, Relu\n"
PATTERN = (
    IMPORTS
    + """
@register_fusion_pass(name="MulOne", stage=PassStage.BEFORE_INFER_SHAPE)
class MulOne(PatternFusionPass):
    def __init__(self):
        super().__init__(PatternMatcherConfigBuilder().enable_const_value_match().build())
    @pattern
    def mul(self, inputs):
        return inputs[0] * inputs[0].get_owner_builder().create_scalar_float(1.0)
    def replacement(self, inputs):
        return inputs[0]
"""
)
DECOMPOSE = (
    IMPORTS
    + """
@register_decompose_pass(name="ReluOfNeg", stage=PassStage.BEFORE_INFER_SHAPE, op_types=["Relu"])
class ReluOfNeg(DecomposePass):
    def meet_requirements(self, node):
        return True
    def replacement(self, node):
        builder = GraphBuilder("twice")
        return builder.build_and_reset([Neg(Neg(builder.create_input(0)))])
"""
)
BASE = (
    IMPORTS
    + """
@register_fusion_pass(name="AbsOnce", stage=PassStage.BEFORE_INFER_SHAPE)
class AbsOnce(FusionBasePass):
    def run(self, graph, context):
        for node in [n for n in graph.get_direct_nodes() if n.type == "Abs"]:
            producer, port = node.get_in_data_nodes_and_port_indexes(0)
            if producer.type != "Abs":
                continue
            boundary = SubgraphBoundary()
            boundary.add_input(0, SubgraphInput([(node, 0)]))
            boundary.add_output(0, SubgraphOutput(node, 0))
            builder = GraphBuilder("same")
            SubgraphRewriter.replace(boundary, builder.build_and_reset([builder.create_input(0)]), context=context)
            return True
"""
)
ANY = IMPORTS + "@register_custom_pass(name='{name}', stage=PassStage.BEFORE_INFER_SHAPE)\ndef f(graph):\n    {body}\n"


def start(program, *steps, paths=(), **environment):
    """Starts one of the programs; variables that are None are left out."""
    given = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "ASCEND", "GE_", "VIRTUAL_ENV"))}
    given["GE_ENGINE_DIR"] = str(BUILD / "lib" / "ge" / "engines")
    if sys.prefix != sys.base_prefix:
        given["VIRTUAL_ENV"] = sys.prefix
    else:
        given["PATH"] = f"{pathlib.Path(sys.executable).parent}:{given['PATH']}"
    if paths:
        given[VARIABLE] = ":".join(str(p) for p in paths)
    given.update(environment)
    given = {k: v for k, v in given.items() if v is not None}
    command = [BUILD / "tests" / f"bridge_steps_{program}", *map(str, steps)]
    return subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(program, *steps, paths=(), code=0, **environment):
    """The program's output, line by line."""
    process = start(program, *steps, paths=paths, **environment)
    try:
        out, err = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"hangs after {process.communicate()}") from None
    assert process.returncode == code, (out, err)
    return out.splitlines()


@pytest.fixture
def files(tmp_path):
    """A function that writes a pass file."""

    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


# ---- what takes effect ----

KINDS = {
    "pattern": (PATTERN, "types: Abs Abs Relu; values: 3 2"),
    "decompose": (DECOMPOSE, "types: Abs Abs Mul Neg Neg; values: 3 2"),
    "base": (BASE, "types: Abs Mul Relu; values: 3 2"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program, steps", [("c", ["compile"]), ("cpp", ["initialize", "run"])])
def test_each_kind_takes_effect(files, kind, program, steps):
    text, expected = KINDS[kind]
    first, second = run(program, *steps, steps[-1], paths=[files("mine.py", text)])[-2:]
    types, values = expected.split("; ")
    assert sorted(first.split("; ")[0].split()) == sorted(types.split()) and first.endswith(values)
    assert second == first


def test_all_kinds_together_by_engine_start(files):
    paths = [files(f"{kind}.py", text) for kind, (text, _) in KINDS.items()]
    start_said, types = run("c", "start", "compile", paths=paths)
    assert start_said == "ok".join(["start: ", ""])
    assert sorted(types.split("; ")[0].split()[1:]) == ["Abs", "Neg", "Neg"]


def test_offline_builds(files):
    on, built, off = run("cpp", "offline-initialize", "offline-build", "offline-finalize", paths=[files("m.py", PATTERN)])
    assert (on, built, off) == ("ok", "types: Abs Abs Relu", "ok")


def test_the_command_line(files, tmp_path):
    import numpy
    from onnx import TensorProto, helper, save

    one = helper.make_tensor("one", TensorProto.FLOAT, [], numpy.float32([1]))
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Mul", ["x", "one"], ["y"])], "g", info[:1], info[1:], [one])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), tmp_path / "m.onnx")
    bad = files("bad.py", ANY.format(name="Stops", body="raise PassFatalError('seen by Stops')"))
    environment = {**os.environ, VARIABLE: str(bad), "VIRTUAL_ENV": sys.prefix}
    said = subprocess.run([BUILD / "bin" / "ge", "run", tmp_path / "m.onnx"], env=environment, capture_output=True, text=True)
    assert said.returncode != 0 and "seen by Stops" in said.stderr and "Stops" in said.stderr


# ---- nothing without ----


@pytest.mark.parametrize("value", [None, "", " : "])
def test_without_passes_there_is_no_python(value):
    assert run("c", "start", "compile", "stop", "maps", **{VARIABLE: value}) == [
        "start: ok",
        UNCHANGED,
        "stop: ok",
        "python: 0, bridge: 0",
    ]


def test_the_variable_counts_when_it_is_first_read(files):
    mine = files("m.py", PATTERN)
    lines = run("c", "compile", "set", VARIABLE, mine, "compile", "maps", "stop", "compile", "maps")
    changed = "types: Abs Abs Relu; values: 3 2"
    assert lines == [UNCHANGED, UNCHANGED, "python: 0, bridge: 0", "stop: ok", changed, "python: 1, bridge: 1"]


# ---- loading and unloading ----


def test_passes_come_and_go_with_the_engine(files):
    mine = files("m.py", "import sys\nprint('loaded')\n" + PATTERN)
    changed = "types: Abs Abs Relu; values: 3 2"
    lines = run("c", "start", "start", "compile", "stop", "stop", "set", VARIABLE, "", "compile", "stop",
                "set", VARIABLE, mine, "compile", "compile", "stop", paths=[mine])  # fmt: skip
    assert lines == ["loaded", "start: ok", "start: ok", changed, "stop: ok", "stop: ok", UNCHANGED, "stop: ok",
                     "loaded", changed, changed, "stop: ok"]  # fmt: skip


@pytest.mark.parametrize("last", [("initialize", "finalize"), ("offline-initialize", "offline-finalize")])
def test_ending_one_use_leaves_the_other(files, last):
    """Online and offline are counted: the first that ends takes nothing from the other."""
    mine = files("m.py", "print('loaded')\n" + PATTERN)
    first = ("offline-initialize", "offline-finalize") if last[0] == "initialize" else ("initialize", "finalize")
    work, expected = ("run", "types: Abs Abs Relu; values: 3 2")
    if last[0] != "initialize":
        work, expected = "offline-build", "types: Abs Abs Relu"
    lines = run("cpp", first[0], last[0], first[1], work, last[1], paths=[mine])
    assert lines == ["loaded", "ok", "ok", "ok", expected, "ok"]


@pytest.mark.parametrize("steps", [(), ("stop",), ("at-exit",), ("stop", "at-exit"), ("at-exit", "at-exit")])
def test_every_way_to_end(files, steps):
    mine = files("m.py", PATTERN + "print('printed', flush=False)\n")
    lines = run("c", "start", "compile", *steps, paths=[mine])
    assert lines[:3] == ["printed", "start: ok", "types: Abs Abs Relu; values: 3 2"]
    assert lines[3:] == ["stop: ok"] * len(steps)


# ---- bad files ----

BAD = {
    "syntax": ("def f(:\n", ["SyntaxError", "bad.py"]),
    "raises": ("def inner():\n    raise KeyError('nothing')\ninner()\n", ["KeyError: 'nothing'", "in inner", "Traceback"]),
    "exits": ("import sys\nsys.exit(7)\n", ["SystemExit: 7"]),
    "module": ("import no_such_module\n", ["No module named 'no_such_module'", "bad.py"]),
    "binary": (None, ["bad.py"]),
    "stage": (IMPORTS + "@register_custom_pass(name='A', stage=PassStage('Never'))\ndef f(graph): pass\n", ["Never"]),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_fail_start_and_compile(files, tmp_path, kind):
    text, expected = BAD[kind]
    bad = tmp_path / "bad.py"
    bad.write_bytes(b"\x00\xff\x7fELF" if text is None else text.encode())
    for step in ("start", "compile"):
        said = "\n".join(run("c", step, paths=[bad]))
        assert "E13029" in said and str(bad) in said and all(e in said for e in expected), said


def test_files_that_are_not_there(files, tmp_path):
    said = "\n".join(run("c", "start", paths=[tmp_path / "none.py"]))
    assert f"python pass path does not exist: {tmp_path / 'none.py'}" in said and "FileNotFoundError" in said
    said = "\n".join(run("c", "compile", paths=[files("pass.txt", "")]))
    assert "python pass file must end with .py" in said


def test_a_file_that_was_put_right_counts(files):
    bad, good = files("bad.py", "1 / 0\n"), files("good.py", PATTERN)
    lines = run("c", "compile", "set", VARIABLE, good, "compile", paths=[bad])
    assert "ZeroDivisionError" in "\n".join(lines[:-1]) and lines[-1] == "types: Abs Abs Relu; values: 3 2"


def test_a_pass_that_raises_fails_the_compile(files):
    said = "\n".join(run("c", "compile", paths=[files("bad.py", ANY.format(name="Raises", body="1 / 0"))]))
    assert "Raises" in said and "ZeroDivisionError" in said and "bad.py" in said


# ---- pythons ----


def test_no_python(files, tmp_path):
    said = run("c", "compile", paths=[files("m.py", PATTERN)], VIRTUAL_ENV=None, PATH=str(tmp_path))
    assert "there is no python3" in said[0]
    said = run("c", "compile", paths=[files("m.py", PATTERN)], VIRTUAL_ENV=str(tmp_path))
    assert f"VIRTUAL_ENV is '{tmp_path}', which has no program bin/python3" in said[0]


def program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


ANSWER = "printf 'ge-python-says\\n{version}\\n/p\\n{name}\\n{free}\\n/none\\nlib.a\\nlib.a\\n/none\\n'\n"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("exit 3\n", "does not start as a Python"),
        ("echo boom >&2\nexit 1\n", "boom"),
        (ANSWER.format(version="3.11", name="cpython", free=""), "has no shared library"),
        (ANSWER.format(version="3.13", name="cpython", free="1"), "free-threaded"),
        (ANSWER.format(version="3.10", name="pypy", free=""), "needs CPython"),
    ],
)
def test_programs_that_are_no_use(files, tmp_path, text, expected):
    program(tmp_path / "bin" / "python3", text)
    said = "\n".join(run("c", "compile", paths=[files("m.py", PATTERN)], VIRTUAL_ENV=str(tmp_path)))
    assert expected.replace("needs", "need") in said.replace("needs", "need")


def test_a_library_that_is_named(files, tmp_path):
    mine = files("m.py", PATTERN)
    changed = "types: Abs Abs Relu; values: 3 2"
    assert run("c", "compile", paths=[mine], GE_PYTHON_LIBRARY=str(LIBRARY)) == [changed]
    assert run("c", "option", "python.library", LIBRARY, "compile", paths=[mine]) == [changed]
    assert run("c", "option", "python.library", LIBRARY, "start", paths=[mine], GE_PYTHON_LIBRARY="/none") == ["start: ok"]
    said = run("c", "compile", paths=[mine], GE_PYTHON_LIBRARY="/none/libpython.so")
    assert "GE_PYTHON_LIBRARY is '/none/libpython.so', which cannot be read" in said[0]
    said = run("c", "option", "python.library", "/none/x.so", "compile", paths=[mine])
    assert "option python.library is '/none/x.so'" in said[0]
    broken = tmp_path / "libpython3.99.so"
    broken.write_bytes(LIBRARY.read_bytes()[:5000])
    assert "truncated" in run("c", "compile", paths=[mine], GE_PYTHON_LIBRARY=str(broken))[0]
    broken.write_text("no library")
    assert "cannot be loaded" in run("c", "compile", paths=[mine], GE_PYTHON_LIBRARY=str(broken))[0]
    said = run("c", "compile", paths=[mine], GE_PYTHON_LIBRARY=str(BUILD / "lib" / "libes_all.so"))
    assert "it is no libpython" in said[0]


def test_a_library_that_does_not_find_its_modules(files, tmp_path):
    """Python itself would end the process."""
    lost = tmp_path / LIBRARY.name
    lost.write_bytes(LIBRARY.read_bytes())  # bin/python3 is not beside it
    said = run("c", "compile", "compile", paths=[files("m.py", PATTERN)], GE_PYTHON_LIBRARY=str(lost), VIRTUAL_ENV=None,
               PATH=str(tmp_path), PYTHONPLATLIBDIR="none")  # fmt: skip
    text = "\n".join(said)
    assert text.count(f"E13029: Python passes ({VARIABLE}=") == 2 and f"'{lost}', Python" in text
    assert "does not start" in text and "No module named 'encodings'" in text
    changed = "types: Abs Abs Relu; values: 3 2"
    assert run("c", "compile", paths=[files("m.py", PATTERN)], GE_PYTHON_LIBRARY=str(lost)) == [changed]


# All functions of a libpython. The first of them that has no result and is called is Py_InitializeEx.
STUB = """
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include "bridge/python/python_api.h"
namespace {
template <class Result> Result Nothing() { return Result(); }
template <> const char *Nothing<const char *>() { return "3.11.7 (main)"; }
template <> void Nothing<void>() { %s }
}
using ge_bridge::Object;
using ge_bridge::FunctionEntry;
#define DEFINE(name, result, parameters) extern "C" result name parameters { return Nothing<result>(); }
GE_BRIDGE_PYTHON_FUNCTIONS(DEFINE)
"""


def stub(folder, body):
    """A libpython whose start does what the body says."""
    (folder / "stub.cpp").write_text(STUB % body)
    path = folder / "libpython3.11.so"
    subprocess.run(["c++", "-std=c++17", "-shared", "-fPIC", f"-I{ROOT}", "-o", path, folder / "stub.cpp"], check=True)
    return path


@pytest.mark.parametrize("before", [(), ("no-children",)])
@pytest.mark.parametrize(
    "body, expected",
    [
        ('puts("boom"); exit(1);', "boom"),
        ('fputs("boom", stderr); abort();', "boom"),
        ('puts("boom"); exit(0);', "boom"),
        ("_exit(0);", ""),
    ],
)
def test_a_library_whose_start_ends_the_process(files, tmp_path, before, body, expected):
    """It ends a child of the program, in which nothing of the program happens: no handler, no second output of what waits."""
    library = str(stub(tmp_path, body))
    lines = run("c", "buffered", *before, "at-exit", "compile", "compile", paths=[files("m.py", PATTERN)],
                GE_PYTHON_LIBRARY=library, VIRTUAL_ENV=None)  # fmt: skip
    text = "\n".join(lines)
    assert text.count(f"'{library}', Python 3.11, does not start") == 2 and expected in text
    assert lines.count("buffered") == lines.count("stop: ok") == 1


def alone(folder, *steps, paths=(), first=()):
    """The program with a copy of the libpython that bin/python3 is not beside: a child of the program shows that it starts."""
    library = folder / LIBRARY.name
    library.write_bytes(LIBRARY.read_bytes())
    packages = [*map(str, first), str(BUILD / "python"), *(p for p in sys.path if p.endswith("site-packages"))]
    return run("c", *steps, paths=paths, GE_PYTHON_LIBRARY=str(library), VIRTUAL_ENV=None, PYTHONPATH=os.pathsep.join(packages))


@pytest.mark.parametrize("before", [(), ("no-children",)])
def test_a_library_whose_program_is_not_beside_it(files, tmp_path, before):
    assert alone(tmp_path, *before, "compile", paths=[files("m.py", PATTERN)]) == ["types: Abs Abs Relu; values: 3 2"]


def test_a_start_file_that_starts_the_library(files, tmp_path):
    """It is told that it cannot, in the child and in the program, and neither waits for itself."""
    text = """
import ctypes
ge = ctypes.CDLL(None)
ge.GeLastErrorMessage.restype = ctypes.c_char_p
print(ge.GeInitialize(None), ge.GeLastErrorMessage().decode(), flush=True)
"""
    (tmp_path / "site").mkdir()
    files("site/sitecustomize.py", text)
    said, types = alone(tmp_path, "compile", paths=[files("m.py", PATTERN)], first=[tmp_path / "site"])
    assert said.startswith("-1 E13029") and said.endswith("a module that the interpreter imports at its start compiles a graph")
    assert types == "types: Abs Abs Relu; values: 3 2"


@pytest.mark.parametrize(
    "version, expected",
    [
        ("3.8.18 (default)", "passes need 3.9 or a later 3.x"),
        ("4.0.0 (main)", "passes need 3.9 or a later 3.x"),
        ("3.14.0 free-threading build (main)", "which has no global lock"),
        ("3.11.7 (main)", "has no function Py_IsInitialized"),
    ],
)
def test_pythons_that_are_no_use(files, tmp_path, version, expected):
    (tmp_path / "fake.c").write_text(f'const char *Py_GetVersion(void) {{ return "{version}"; }}\n')
    fake = tmp_path / "libpython3.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", fake, tmp_path / "fake.c"], check=True)
    said = "\n".join(run("c", "compile", paths=[files("m.py", PATTERN)], GE_PYTHON_LIBRARY=str(fake)))
    assert f"GE_PYTHON_LIBRARY is '{fake}': " in said and version in said and expected in said


def test_pythonhome_counts(files):
    mine = files("m.py", ANY.format(name="F", body="import sys; print(sys.base_prefix)"))
    packages = os.pathsep.join(p for p in sys.path if p.endswith("site-packages"))
    lines = run("c", "compile", paths=[mine], VIRTUAL_ENV=None, PYTHONHOME=sys.base_prefix, PYTHONPATH=packages)
    assert lines == [sys.base_prefix, UNCHANGED]
    said = "\n".join(run("c", "compile", paths=[mine], PYTHONHOME="/none"))
    assert "E13029" in said and "does not start as a Python (PYTHONHOME is '/none')" in said
    said = "\n".join(run("c", "compile", paths=[mine], VIRTUAL_ENV=None, PYTHONHOME="/none", GE_PYTHON_LIBRARY=str(LIBRARY)))
    assert "E13029" in said and "/none" in said


def test_the_virtual_environment_is_that_of_the_variable(files):
    mine = files("m.py", ANY.format(name="F", body="import sys, numpy; print(sys.prefix, numpy.arange(3).sum())"))
    assert run("c", "compile", paths=[mine]) == [f"{sys.prefix} 3", UNCHANGED]


def test_without_the_package(files, tmp_path):
    """The package that was built with the library is found; another folder has none."""
    lib = tmp_path / "lib"
    lib.mkdir()
    for name in ("libge.so.1", "libes_all.so", "libge_python_bridge.so"):
        (lib / name).write_bytes((BUILD / "lib" / name).read_bytes())
    said = "\n".join(run("c", "compile", paths=[files("m.py", PATTERN)], LD_LIBRARY_PATH=str(lib)))
    if "has no package ge" not in said:  # the environment has the wheel
        assert said == "types: Abs Abs Relu; values: 3 2" or "another libge" in said
    for folder in ("python", "python/site-packages"):  # of a build tree, of a prefix
        (tmp_path / folder).parent.mkdir(exist_ok=True)
        (tmp_path / folder).symlink_to(BUILD / "python")
        assert run("c", "compile", paths=[files("m.py", PATTERN)], LD_LIBRARY_PATH=str(lib)) == [
            "types: Abs Abs Relu; values: 3 2"
        ]
        (tmp_path / folder).unlink()
    (lib / "libge_python_bridge.so").unlink()
    said = "\n".join(run("c", "compile", "maps", paths=[files("m.py", PATTERN)], LD_LIBRARY_PATH=str(lib)))
    assert "libge_python_bridge.so" in said and "cannot be loaded" in said and "python: 0" in said


def others():
    """Other interpreters with the packages that ge needs: GE_TEST_PYTHONS lists them, separated by colons."""
    return [p for p in os.environ.get("GE_TEST_PYTHONS", "").split(":") if p]


@pytest.mark.parametrize("python", others() or [pytest.param(None, marks=pytest.mark.skip("GE_TEST_PYTHONS lists none"))])
@pytest.mark.parametrize("kind", KINDS)
def test_one_bridge_serves_other_versions(files, python, kind):
    text, expected = KINDS[kind]
    folder = pathlib.Path(python).parent.parent
    mine = files("m.py", "import sys\nprint(sys.prefix)\n" + text)
    for program, *steps in (("c", "compile"), ("cpp", "initialize", "run")):
        lines = run(program, *steps, paths=[mine], VIRTUAL_ENV=str(folder))
        if "has no shared library" in lines[-1]:
            pytest.skip(lines[-1])
        prefix, said = lines[0], lines[-1]
        assert prefix == str(folder) and sorted(said.split("; ")[0].split()) == sorted(expected.split("; ")[0].split())


# ---- threads, forks, interpreters of others ----


@pytest.mark.parametrize("before", [(), ("start",)])
def test_eight_threads_compile_at_once(files, before):
    paths = [files(f"{kind}.py", text) for kind, (text, _) in KINDS.items()]
    lines = run("c", *before, "threads", "stop", paths=paths)
    said = lines[len(before) : -1]
    assert len(said) == 8 and len(set(said)) == 1
    assert sorted(said[0].split("; ")[0].split()[1:]) == ["Abs", "Neg", "Neg"] and said[0].endswith("values: 3 2")


@pytest.mark.parametrize("steps", [("compile", "fork", "compile"), ("threads", "fork", "threads"), ("start", "fork", "stop")])
def test_fork(files, steps):
    mine = files("m.py", PATTERN)
    lines = run("c", *steps, paths=[mine])
    assert "child" in lines and "parent, 0" in lines
    child = lines[lines.index("child") + 1 : lines.index("parent, 0")]
    parent = lines[lines.index("parent, 0") + 1 :]
    assert child == parent and len(child) > 0 and not any("error" in line for line in child)
    if steps[-1] != "stop":
        assert set(child) == {"types: Abs Abs Relu; values: 3 2"}


def test_fork_before_the_first_pass(files):
    lines = run("c", "fork", "compile", paths=[files("m.py", PATTERN)])
    assert lines == ["child", "types: Abs Abs Relu; values: 3 2", "parent, 0", "types: Abs Abs Relu; values: 3 2"]


def test_passes_come_and_go_while_threads_compile(files):
    lines = run("c", "churn", "compile", paths=[files("m.py", PATTERN)])
    assert len(lines) == 5 and set(lines) <= {UNCHANGED, "types: Abs Abs Relu; values: 3 2"}
    assert lines[-1] == "types: Abs Abs Relu; values: 3 2"


TICKS = """
import threading, time
ticks = []
def tick():
    while True:
        ticks.append(1)
        time.sleep(0.01)
threading.Thread(target=tick, daemon=True).start()
"""


def test_the_lock_is_free_between_calls(files):
    """A thread of Python goes on while the program does other things."""
    text = TICKS + ANY.format(name="Ticks", body="print(len(ticks) >= 5); ticks.clear()")
    lines = run("c", "start", "wait", "compile", "wait", "compile", paths=[files("m.py", text)])
    assert lines == ["start: ok", "True", UNCHANGED, "True", UNCHANGED]


def test_fork_while_another_thread_loads(files):
    """The child has half of the passes and none of the thread that would load the rest: it says so."""
    slow = files("slow.py", "import time\ntime.sleep(1.5)\n" + PATTERN)
    lines = run("c", "behind", "fork", "compile", "exit", paths=[slow])
    said = "\n".join(lines[lines.index("child") + 1 :])
    assert "this process was forked while another thread loaded passes" in said and "parent, 0" in lines
    assert lines[-1] == "types: Abs Abs Relu; values: 3 2"
    lines = run("c", "behind", "compile", "join", paths=[slow])
    assert lines == ["types: Abs Abs Relu; values: 3 2"] * 2


def test_the_process_ends_while_another_thread_loads(files):
    run("c", "at-exit", "behind", "exit", paths=[files("slow.py", "import time\ntime.sleep(1.5)\n" + PATTERN)])


def test_code_of_a_pass_forks(files):
    body = "import os, sys; sys.stdout.flush(); pid = os.fork(); os._exit(5) if pid == 0 else print(os.waitpid(pid, 0)[1] >> 8)"
    lines = run("c", "compile", "compile", paths=[files("m.py", ANY.format(name="Forks", body=body))])
    assert lines == ["5", UNCHANGED, "5", UNCHANGED]


def test_code_of_a_pass_compiles(files):
    body = ("import ge; b = GraphBuilder('inner'); x = b.create_input(0, name='x', shape=[2]);"
            "g = b.build_and_reset([Abs(x)]) if graph.name == '8' else None;"
            "print(ge.load(g)([-1, 2]).tolist()) if g else None")  # fmt: skip
    lines = run("c", "compile", paths=[files("m.py", ANY.format(name="Compiles", body=body))])
    assert lines == ["[1.0, 2.0]", UNCHANGED]


def test_a_file_that_compiles_while_it_is_loaded(files):
    text = PATTERN + ("import ge\nb = GraphBuilder('inner')\nx = b.create_input(0, name='x', shape=[2])\n"
                      "print(ge.load(b.build_and_reset([Abs(x)]))([-1, 2]).tolist())\n")  # fmt: skip
    assert run("c", "compile", paths=[files("m.py", text)]) == ["[1.0, 2.0]", "types: Abs Abs Relu; values: 3 2"]


def own(*steps, **arguments):
    packages = os.pathsep.join([str(BUILD / "python"), *(p for p in sys.path if p.endswith("site-packages"))])
    return run("c", "python", LIBRARY, *steps, VIRTUAL_ENV=None, PYTHONHOME=sys.base_prefix, PYTHONPATH=packages, **arguments)


def test_an_interpreter_that_is_there_is_used_and_never_ended(files):
    mine = files("m.py", PATTERN)
    changed = "types: Abs Abs Relu; values: 3 2"
    lines = own("start", "compile", "stop", "python-up", "compile", "at-exit", paths=[mine], GE_PYTHON_LIBRARY="/none")
    assert lines == ["start: ok", changed, "stop: ok", "python-up: 1", changed, "stop: ok"]


def test_a_library_that_is_there_is_used(files):
    mine = files("m.py", ANY.format(name="F", body="import sys; print(sys.prefix)"))
    assert run("c", "load", LIBRARY, "compile", paths=[mine], GE_PYTHON_LIBRARY="/none") == [sys.prefix, UNCHANGED]


@pytest.mark.parametrize("rest", [("stop",), ("stop", "stop"), ("at-exit",), ()])
def test_the_interpreter_ends_first(files, rest):
    lines = own("start", "compile", "python-end", *rest, paths=[files("m.py", PATTERN)])
    assert lines == ["start: ok", "types: Abs Abs Relu; values: 3 2", "python-end: 0", *["stop: ok"] * len(rest)]


def test_the_interpreter_ends_while_another_thread_loads_or_compiles(files):
    """It waits for those who are in the middle of a call. What they begin later says why it cannot be."""
    slow = files("slow.py", "import time\ntime.sleep(1.5)\n" + PATTERN)
    ended, said, stopped = own("behind", "python-end", "join", "stop", paths=[slow])
    assert (ended, stopped) == ("python-end: 0", "stop: ok")
    assert said.endswith("the Python interpreter of this process ends")
    asked = PATTERN.replace("    def replacement", "    def meet_requirements(self, match):\n        import time\n"
                            "        time.sleep(0.35)\n        return True\n    def replacement")  # fmt: skip
    lines = own("start", "behind", "python-end", "join", "stop", paths=[files("asked.py", asked)])
    assert lines == ["start: ok", "python-end: 0", UNCHANGED, "stop: ok"]


def test_an_interpreter_that_is_started_again(files):
    """All that belonged to the first one is gone: no pass runs in the second."""
    lines = own("compile", "python-end", "python", LIBRARY, "stop", "compile", "stop", paths=[files("m.py", PATTERN)])
    assert lines[:3] == ["types: Abs Abs Relu; values: 3 2", "python-end: 0", "stop: ok"]
    assert "the Python interpreter of this process has ended" in "\n".join(lines[3:]) and lines[-1] == "stop: ok"


def test_a_compile_after_the_interpreter_has_ended(files):
    lines = own("compile", "python-end", "compile", "stop", "compile", paths=[files("m.py", PATTERN)])
    assert lines[:4] == ["types: Abs Abs Relu; values: 3 2", "python-end: 0", UNCHANGED, "stop: ok"]
    assert "the Python interpreter of this process has ended" in "\n".join(lines[4:])


def test_a_subinterpreter(files):
    """Since Python 3.12 the thread is in it; before, a thread that asks for the lock comes to the main one."""
    said = "\n".join(own("sub", "compile", paths=[files("m.py", PATTERN)]))
    if sys.version_info < (3, 12):
        assert said == "types: Abs Abs Relu; values: 3 2"
    else:
        assert "this thread is in a subinterpreter; passes run in the main interpreter only" in said


def test_in_a_process_of_python_the_package_loads(files):
    """ge.load has loaded the passes when the library asks: nothing is loaded twice, and errors are Python's own."""
    text = "print('loaded')\n" + PATTERN
    code = """
import ge
from ge.es import GraphBuilder
from ge.ge_global import GeApi
b = GraphBuilder("n")
g = b.build_and_reset([b.create_input(0, name="x", shape=[2]) * 1.0])
assert "Mul" not in ge.load(g).graph()
GeApi().ge_initialize({"ge.exec.deviceId": "0"})
assert "Mul" not in ge.load(g).graph()
GeApi().ge_finalize()
"""
    environment = {**os.environ, VARIABLE: str(files("m.py", text)), "PYTHONPATH": str(BUILD / "python")}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert (said.returncode, said.stdout.split()) == (0, ["loaded"]), said.stderr


def test_the_first_pass_comes_quickly(files):
    """All but Python's own start and the imports of the pass costs 60 ms at most; the bound is loose for busy machines."""

    def best(*steps, **arguments):
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            run("c", *steps, **arguments)
            times.append(time.perf_counter() - begin)
        return min(times)

    mine = files("m.py", PATTERN)
    imports = "import ge.passes._bridge as b; b.start()"
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "python"), VARIABLE: str(mine)}
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", imports], env=environment, check=True)
    python = time.perf_counter() - begin
    assert best("compile", paths=[mine]) - best("compile") < python + 0.3


# ---- option passes ----


def test_option_passes_acts_in_a_program_without_python(files):
    path = files("mine.py", PATTERN)
    with_pass, both, without = run("c", "option", "passes", path, "compile", "compile", "option", "passes", "", "compile")
    assert with_pass == both == "types: Abs Abs Relu; values: 3 2" and without == UNCHANGED
    assert run("c", "option", "passes", path, "threads")[:1] == ["types: Abs Abs Relu; values: 3 2"]


def test_option_passes_tells_what_is_wrong(files):
    said = "\n".join(run("c", "option", "passes", files("bad.py", "def"), "compile"))
    assert "E13029: Python passes (option passes='" in said and "SyntaxError" in said
    (said,) = run("c", "option", "passes", "/no/such.py", "compile")
    assert said.endswith("option passes: '/no/such.py': there is no such file")
