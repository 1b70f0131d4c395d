"""The package's types: a typed program passes the strictest check, its mistakes are found, stubs say what is there."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import ge

pytest.importorskip("mypy")
CONSUMER = pathlib.Path(__file__).parent / "stubs" / "consumer.py"
PACKAGES = pathlib.Path(ge.__file__).parent.parent  # not resolved: a build tree links to the sources


def mypy(module, *args, folder):
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, args)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(PACKAGES), "PYTHONPATH": str(PACKAGES)},
    )


def test_typed_program(tmp_path):
    run = mypy("mypy", "--strict", "--cache-dir", tmp_path / "cache", "--show-error-codes", CONSUMER, folder=tmp_path)
    found = {(int(m[1]), m[2]) for m in re.finditer(r"consumer\.py:(\d+): error: .*\[([a-z-]+)\]", run.stdout)}
    lines = CONSUMER.read_text().splitlines()
    expected = {(i, m[1]) for i, line in enumerate(lines, 1) for m in [re.search(r"# expect: ([a-z-]+)", line)] if m}
    assert len(expected) >= 8
    assert found == expected, run.stdout + run.stderr
    assert all("consumer.py" in line for line in run.stdout.splitlines() if ": error:" in line), run.stdout


MODULES = [
    "ge.error",
    "ge.allocator",
    "ge.ge_global.geapi",
    "ge.graph.graph",
    "ge.graph.node",
    "ge.graph.tensor",
    "ge.graph.tensor_desc",
    "ge.es.graph_builder",
    "ge.es.tensor_holder",
    "ge.session.session",
    "ge._model",
    "ge._ports",
    "ge._tables",
    "ge.passes",  # and all that is in it
]


def test_stubs_say_what_is_there(tmp_path):
    """Every function and parameter of a stub exists, with the same kind and default."""
    run = mypy("mypy.stubtest", "--ignore-missing-stub", "--concise", *MODULES, folder=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
