"""Programs and plug-ins compiled against earlier releases run unchanged on this one (consumers/<version>/)."""

import hashlib
import os
import pathlib
import platform
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", HERE.parents[1] / "build" / "release"))
VERSIONS = sorted(p for p in (HERE / "consumers").iterdir() if p.name[0].isdigit())
PROGRAMS = [p.with_suffix("") for version in VERSIONS for p in sorted(version.glob("*.out"))]

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the stored programs are x86-64 ones")


def test_every_release_is_kept():
    assert [v.name for v in VERSIONS][:1] == ["0.1.0"]
    for version in VERSIONS:  # the C ABI, the facade with either string ABI, the engine ABI, the file format
        assert {"c_program", "cxx_program_abi0", "cxx_program_abi1", "engine.so", "fifty.air"} <= {
            p.name for p in version.iterdir()
        }


@pytest.mark.parametrize("version", VERSIONS, ids=lambda v: v.name)
def test_recorded_files_are_as_recorded(version):
    sums = dict(reversed(line.split("  ", 1)) for line in (version / "SHA256SUMS").read_text().splitlines())
    found = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in version.iterdir() if p.name != "SHA256SUMS"}
    assert found == sums, f"{version.name} was recorded with a release and is never changed"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_stored_program_runs(program):
    env = dict(os.environ, LD_LIBRARY_PATH=str(BUILD / "lib"), GE_ENGINE_DIR=str(BUILD / "lib" / "ge" / "engines"))
    arguments = [program.parent / "engine.so"] if program.name == "c_program" else []
    result = subprocess.run([program, *arguments], env=env, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout == program.with_suffix(".out").read_text()
