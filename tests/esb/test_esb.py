"""libesb.a: programs that freeze the builder into themselves, and graphs that say the same whoever built them."""

import math
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import ge
from ge.graph import Graph

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release"))
LIB = BUILD / "lib"
INCLUDES = [f"-I{d}" for d in (ROOT / "capi" / "include", BUILD / "generated" / "es_all", HERE)]
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2"]
FROZEN = [f"-L{LIB}", "-lesb", "-lm", "-lpthread", "-ldl"]
LIMITS = (ROOT / "docs" / "limits.md").read_text()

pytestmark = pytest.mark.skipif(not (LIB / "libesb.a").exists(), reason="this build has no libesb.a")


def run(*command, **kwargs):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300, **kwargs)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def program(folder, name, *sources, flags=(), link=FROZEN):
    """Compiles C sources as C99 and links them with the C compiler."""
    target = folder / name
    run("cc", *STRICT, *flags, *INCLUDES, *(HERE / s for s in sources), "-o", target, *link)
    return target


def budget(what):
    """A size in docs/limits.md, in bytes: "| what | 512 KiB |"."""
    number, unit = re.search(rf"^\| {re.escape(what)} \| ([\d.]+) (KiB|MiB) \|", LIMITS, re.MULTILINE).groups()
    return float(number) * {"KiB": 1 << 10, "MiB": 1 << 20}[unit]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("esb")


@pytest.fixture(scope="module")
def frozen(folder):
    """What the frozen C program wrote."""
    run(program(folder, "save", "save.c", "fifty.c"), folder / "frozen.air")
    return folder / "frozen.air"


KINDS = {
    "dynamic": (),
    "static-pie": ("-static-pie", "-fPIE"),
    "static": ("-static", "-Wl,--eh-frame-hdr"),
    "gc-sections": ("-Wl,--gc-sections",),
    "no-pie": ("-no-pie", "-fno-pie"),
}


@pytest.mark.parametrize("flags", KINDS.values(), ids=KINDS.keys())
def test_a_c_program_freezes_the_builder(folder, frozen, flags):
    save = program(folder, "save_kind", "save.c", "fifty.c", flags=flags)
    path = folder / "kind.air"
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run(save, path))
    assert path.read_bytes() == frozen.read_bytes()
    errors = program(folder, "errors", "errors.c", flags=flags)
    repeated = folder / "repeated.air"
    assert run(errors, repeated) == "0 failures\n"
    graph = Graph("repeated")
    graph.load_from_air(str(repeated))
    assert [n.name for n in graph.get_direct_nodes()] == ["Sub_0", "Sub_0", "Sub_0", "NetOutput_c"]
    feed = {"Sub_0": np.float32([1, 2]), "Sub_0#2": np.float32([10, 30])}
    (result,) = ge.load(graph).run(feed).values()
    assert result.tolist() == [9, 28]


def test_threads_that_share_a_builder_are_refused(folder):
    path = folder / "shared.air"
    done, refused = map(int, run(program(folder, "threads", "threads.c"), path).split())
    assert done + refused == 4 * 20000
    graph = Graph("shared")
    graph.load_from_air(str(path))
    assert len(graph.get_direct_nodes()) == done + 1  # and NetOutput


def test_a_frozen_program_needs_the_c_library_alone(folder, frozen):
    needed = set(re.findall(r"NEEDED\s+Shared library: \[(.+?)\]", run("readelf", "-dW", folder / "save")))
    assert needed <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"}


def test_names_in_the_archive():
    exported = set((ROOT / "capi" / "esb" / "exported_symbols.txt").read_text().split())
    builder = run("ar", "t", LIB / "libesb.a").split()
    assert builder[0] == "esb_builder.o"
    defined, undefined = {}, set()
    for line in run("nm", "-A", LIB / "libesb.a").splitlines():
        member, rest = line.split(":", 2)[1:]
        *_, kind, name = rest.split()
        if kind == "U":
            undefined.add((member, name))
        elif kind.isupper():
            defined.setdefault(member, {})[name] = kind
    mine = defined.pop("esb_builder.o")
    assert set(mine) == exported
    wrappers = {n for names in defined.values() for n in names}
    generated = run("nm", "-D", "--defined-only", LIB / "libes_all.so").split()[2::3]
    assert wrappers == {n for n in generated if n.startswith("Es")}
    # Of the C++ library nothing is left to find: no mangled name, no run-time support.
    foreign = {name for m, name in undefined if m == "esb_builder.o"}
    assert not {n for n in foreign if re.match(r"_Z|__cxa_(?!atexit|thread_atexit_impl)|_Unwind|__gxx", n)}
    assert {name for m, name in undefined if m != "esb_builder.o"} <= {
        "GeEsAddNode",
        "memset",
        "memcmp",
        "strcmp",
        "strlen",
        "memcpy",
        "fabsf",
        "round",
        "rint",
    }


def test_every_name_is_hidden(folder):
    plugin = program(folder, "names.so", "plugin.c", flags=("-shared", "-fPIC", "-DPLUGIN_VERSION=1"))
    exported = set(run("nm", "-D", "--defined-only", plugin).split()[2::3])
    assert exported == {"plugin_graph", "plugin_bytes", "plugin_failure", "plugin_free", "plugin_destroy"}


def test_sizes(folder):
    smallest = program(folder, "smallest", "smallest.c")
    run("strip", smallest)
    assert run(smallest, folder / "smallest.air") == ""
    assert (folder / "smallest.air").stat().st_size > 0
    assert smallest.stat().st_size <= budget("smallest program with libesb.a, stripped")
    assert (LIB / "libesb.a").stat().st_size <= budget("libesb.a")


def check_fifty(file):
    graph = Graph("")
    graph.load_from_air(str(file))
    assert len(graph.get_direct_nodes()) == 50
    assert {"QueueData", "Bucketize", "LayerNormGradV3", "TfIdfVectorizer", "GatherShapes"} <= {
        n.type for n in graph.get_direct_nodes()
    }
    x = np.array([[-3, 0.5, 2, 1], [4, -1, 0, 0.125]], np.float32)
    scale = np.array([1, 2, 0.5, -1], np.float32)
    shift = np.array([[0.5, -0.5, 1, -1], [2, -2, 0.25, -0.25]], np.float32)
    h = x * scale + shift
    h = np.where(h > 0, h, h * np.float32(0.25)) + np.array([10, 20, 30, 40], np.float32)
    for _ in range(11):
        h = np.maximum(h - shift, x)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x.astype(np.float64) ** 3)
    for flag in (True, False):
        out = list(ge.load(graph, options={"threads": 1}).run({"x": x, "flag": np.array(flag)}).values())
        expected = [
            h,
            h.sum(axis=1, keepdims=True),
            h.argmax(axis=1),
            0.5 * x * (1 + np.tanh(inner)),
            h[None, :, :, None],
            h.T,
            np.maximum(h, 0) if flag else -h,
            np.array(3),
            h + 3,
        ]
        assert [o.dtype for o in out] == [np.float32] * 2 + [np.int32] + [np.float32] * 4 + [np.int64, np.float32]
        for got, want in zip(out, expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
            assert got.shape == want.shape


def test_libge_runs_what_a_frozen_program_saved(frozen):
    check_fifty(frozen)


STORED = sorted((ROOT / "tests" / "abi" / "consumers").glob("*/fifty.air"))


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_libge_runs_what_programs_of_earlier_releases_saved(file):
    check_fifty(file)


def test_the_same_bytes_from_every_language(folder, frozen):
    linked = program(folder, "save_ge", "save.c", "fifty.c", link=[f"-L{LIB}", "-les_all", "-lge", f"-Wl,-rpath,{LIB}"])
    run(linked, folder / "c.air")
    cxx = folder / "fifty_cxx"
    run(
        "c++",
        "-std=c++17",
        "-O1",
        *INCLUDES,
        f"-I{ROOT / 'cxx' / 'include'}",
        f"-I{ROOT / 'cxx' / 'include' / 'ge'}",
        HERE / "fifty.cpp",
        "-o",
        cxx,
        f"-L{LIB}",
        "-les_all",
        "-lge",
        f"-Wl,-rpath,{LIB}",
    )
    run(cxx, folder / "cxx.air")
    import fifty

    fifty.fifty().save_to_air(str(folder / "python.air"))
    for name in ("c", "cxx", "python"):
        assert (folder / f"{name}.air").read_bytes() == frozen.read_bytes(), name
    # Reading and writing again changes nothing.
    graph = Graph("")
    graph.load_from_air(str(frozen))
    graph.save_to_air(str(folder / "again.air"))
    assert (folder / "again.air").read_bytes() == frozen.read_bytes()


def test_copies_live_side_by_side(folder):
    plugins = [
        program(folder, f"plugin{v}.so", "plugin.c", flags=("-shared", "-fPIC", f"-DPLUGIN_VERSION={v}")) for v in (1, 2, 3)
    ]
    host = folder / "host"
    run(
        "c++",
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        *INCLUDES,
        HERE / "host.cpp",
        "-o",
        host,
        f"-L{LIB}",
        "-lge",
        "-lpthread",
        "-ldl",
        f"-Wl,-rpath,{LIB}",
    )
    assert run(host, *plugins, env=dict(os.environ, GE_ENGINE_DIR=str(LIB / "ge" / "engines"))) == "ok\n"
