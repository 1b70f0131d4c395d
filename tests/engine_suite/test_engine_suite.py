"""ge engine-test: the library's own engines and the simulated accelerator, and engines that misbehave."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build/release"))
V3 = {"abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # x86-64-v3, as Linux writes it


def engine_test(*arguments, code=0, env=None):
    done = subprocess.run(
        [BUILD / "bin/ge", "engine-test", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stdout + done.stderr


def engine(name):
    found = sorted((BUILD / "lib/ge/engines").rglob(f"libge_engine_{name}.so"))
    return found[-1]  # the one for better processors, where there are two


def reference():
    return BUILD / "lib/ge/engines/libge_engine_reference.so"


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Compiles an engine of a few lines: takes Relu, and `body` is what its kernel does."""
    folder = tmp_path_factory.mktemp("engines")

    def make(name, body, types='std::strcmp(op->type, "Relu") == 0 && op->inputs[0].data_type == 0'):
        source = folder / f"{name}.cpp"
        source.write_text(
            f"""
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>
#include "ge/engine.h"
struct State {{ int64_t n; }};
static GeStatus Run(void *state, const GeKernelArgs *args) {{
  const int64_t n = static_cast<State *>(state)->n;
  const float *x = static_cast<const float *>(args->inputs[0]);
  float *y = static_cast<float *>(args->outputs[0]);
  (void)x, (void)y, (void)n;
  {body}
  return GE_SUCCESS;
}}
static GeEngineTable table;
extern "C" __attribute__((visibility("default"))) const GeEngineTable *GeEngineQuery(uint32_t) {{
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof table;
  table.name = "{name}";
  table.version = "1";
  table.cost = 3;
  table.check = [](void *, const GeOpDesc *op, char *, size_t) -> GeStatus {{
    return {types} ? GE_SUCCESS : GE_UNSUPPORTED;
  }};
  table.create_kernel = [](void *, const GeOpDesc *op, const GeKernelEnv *, GeKernel *out) -> GeStatus {{
    State *s = new State{{1}};
    for (int32_t i = 0; i < op->inputs[0].rank; ++i) s->n *= op->inputs[0].dims[i];
    out->run = Run;
    out->state = s;
    out->destroy = [](void *p) {{ delete static_cast<State *>(p); }};
    return GE_SUCCESS;
  }};
  return &table;
}}
"""
        )
        library = folder / f"{name}.so"
        include = ROOT / "capi/include"
        subprocess.run(["c++", "-std=c++17", "-shared", "-fPIC", f"-I{include}", source, "-o", library], check=True)
        return library

    return make


RIGHT = "for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 || x[i] != x[i] ? x[i] : 0;"


def computes_in_bf16():
    return "avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text() and os.environ.get("GE_MAX_ISA", "amx") in (
        "amx",
        "avx512",
    )


@pytest.mark.parametrize("name", ["reference", "views", "simd", "onednn"])
def test_own_engines_run_what_their_lists_say(name, tmp_path):
    if name in ("simd", "onednn") and not V3 <= set(pathlib.Path("/proc/cpuinfo").read_text().split()):
        said = subprocess.run([BUILD / "bin/ge", "doctor"], capture_output=True, text=True, check=True).stdout
        assert f"{name}  not used: it needs what the processor or GE_MAX_ISA does not offer" in said
        return
    not_yet = HERE / f"{name}.not_yet"
    if name == "onednn" and computes_in_bf16():  # what it takes on such processors alone
        more = (HERE / "onednn.bf16").read_text().splitlines()
        lines = [line for line in not_yet.read_text().splitlines() if line not in more]
        not_yet = tmp_path / "not_yet"
        not_yet.write_text("".join(f"{line}\n" for line in lines))
    out = engine_test(engine(name), "--never", HERE / f"{name}.never", "--not-yet", not_yet)
    assert "all operators" in out


def test_the_plain_build_of_the_reference_engine_runs_everything():
    row = engine_test(reference()).splitlines()[-1].split()
    assert row[:2] == ["all", "operators"] and row[2] == row[3] and int(row[2]) > 1000 and row[4:] == ["0", "0"]


def test_the_suite_has_nearly_every_operator_of_the_reference_engine():
    rows = json.loads(subprocess.run([BUILD / "bin/ge", "ops", "--json"], capture_output=True, check=True).stdout)
    there = {line.split(":")[0] for line in engine_test("--list").splitlines()}
    missing = {r["type"] for r in rows if "DNN_VM_HOST_CPU" in r["engines"]} - there
    # Random numbers have no expected value, and these are tested alone with descriptions that no graph has.
    alone = "BatchNorm EnsureShape ExpandDims PlaceholderWithDefault UniqueWithCountsExt2 UnsqueezeV3"
    assert missing <= {"RandomStandardNormal", "RandomUniform", *alone.split()}


def test_the_cases_are_those_that_the_tests_of_the_reference_engine_give():
    environment = {**os.environ, "GE_BUILD_DIR": str(BUILD)}
    done = subprocess.run([sys.executable, HERE / "update.py", "--check"], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_an_accelerator_with_memory_of_its_own_runs_the_suite():
    options = ("-O", f"kernels={reference()}", "-O", "share=100")
    rows = json.loads(engine_test(BUILD / "tests/simulated_engine.so", *options, "--json"))["cases"]
    refused = [r for r in rows if r["result"] == "refused"]
    assert not [r for r in rows if r["result"] == "failed"] and len(rows) - len(refused) > 1000
    assert all("output shapes depend on data" in r["text"] for r in refused)


def test_a_small_engine_is_counted(build):
    out = engine_test(build("Small", RIGHT))
    assert out.startswith("Small: ")
    relu = next(line.split() for line in out.splitlines() if line.startswith("Relu "))
    assert int(relu[2]) >= 1 and int(relu[2]) + int(relu[3]) == int(relu[1]) and relu[4] == "0"
    assert sum(line.startswith("Relu") for line in out.splitlines()) == 1 and "Tanh" not in out


def test_wrong_values_are_named_with_element_and_value(build):
    out = engine_test(build("Wrong", RIGHT + " y[n - 1] = 2 * y[n - 1] + 1;"), code=1)
    assert "Relu:DT_FLOAT[" in out and "fails: output 0 is " in out and " at element " in out and ", expected " in out


def test_values_that_a_second_run_changes_are_found(build):
    out = engine_test(
        build("Second", "static int runs = 0; " + RIGHT + " if (++runs % 2 == 0) y[n - 1] = 2 * y[n - 1] + 1;"), code=1
    )
    assert "Relu:DT_FLOAT[" in out


def test_lists_are_held_to(build, tmp_path):
    library = build("Listed", RIGHT)
    never, not_yet = tmp_path / "never", tmp_path / "not_yet"
    operators = sorted({line.split(":")[0] for line in engine_test("--list").splitlines()})
    relu = [line for line in engine_test("--list").splitlines() if line.startswith("Relu:")]
    never.write_text("".join(f"{op}\n" for op in operators if op != "Relu"))
    kinds = sorted({line.split("[")[0] for line in relu} - {"Relu:DT_FLOAT"})
    not_yet.write_text("# types that it will get\n" + "".join(f"{k}\n" for k in kinds))
    engine_test(library, "--never", never, "--not-yet", not_yet)
    # Refused and in no list; passes and in one.
    not_yet.write_text("".join(f"{k}\n" for k in kinds[1:]))
    assert f"{kinds[0]}[" in engine_test(library, "--never", never, "--not-yet", not_yet, code=1)
    not_yet.write_text("".join(f"{k}\n" for k in [*kinds, "Relu:DT_FLOAT"]))
    out = engine_test(library, "--never", never, "--not-yet", not_yet, code=1)
    assert "passes, and stands in the list --not-yet" in out


def test_bad_lists_and_arguments_are_refused(build, tmp_path):
    library = build("Refuses", RIGHT)
    path = tmp_path / "list"
    path.write_text("Relu\nNoSuchOperator\n")
    assert f"'{path}' line 2: there is no operator or case 'NoSuchOperator'" in engine_test(library, "--never", path, code=2)
    assert "No such file" in engine_test(library, "--not-yet", tmp_path / "nowhere", code=2)
    assert "there is no file" in engine_test(tmp_path / "nowhere.so", code=2)
    assert "there are no cases of these operators" in engine_test(library, "--operator", "Rellu", code=2)
    assert "needs the library" in engine_test(code=2)
    path.write_text("{\n")
    assert f"'{path}' line 1 is no case" in engine_test(library, "--cases", path, code=2)
    path.write_text(
        '{"op": "Relu", "attrs": [], "inputs": [{"type": 0, "format": 2, "dims": [1], "data": "xyz00000"}], "outputs": []}\n'
    )
    assert "expected hexadecimal digits" in engine_test(library, "--cases", path, code=2)
    other = tmp_path / "text.so"
    other.write_text("no library")
    assert str(other) in engine_test(other, code=2)


def test_an_engine_that_dies_or_hangs_is_named_with_the_case(build):
    out = engine_test(build("Dies", "raise(SIGSEGV);"), code=1)
    assert "case Relu:DT_FLOAT[" in out and "ended the process" in out
    out = engine_test(build("Overflows", "volatile char big[4096]; big[0] = 1; Run(state, args); big[1] = 1;"), code=1)
    assert "case Relu:DT_FLOAT[" in out and "ended the process" in out
    out = engine_test(build("Hangs", "for (;;) pause();"), "--timeout", 1, code=1)
    assert "case Relu:DT_FLOAT[" in out and "did not end in time" in out


def test_an_engine_that_throws_fails_the_case(build):
    out = engine_test(build("Throws", "throw std::bad_alloc();"), code=1)
    assert "Relu:DT_FLOAT[" in out and "Throws" in out


def test_cases_of_a_program(build, tmp_path):
    """An own case: Relu of [-1, 2]."""
    case = {
        "op": "Relu",
        "attrs": [],
        "inputs": [{"type": 0, "format": 2, "dims": [2], "data": "000080bf00000040"}],
        "outputs": [{"type": 0, "format": 2, "dims": [2], "data": "0000000000000040"}],
    }
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case) + "\n")
    library = build("Own", RIGHT)
    assert engine_test(library, "--cases", path).splitlines()[-1].split() == ["all", "operators", "1", "1", "0", "0"]
    case["outputs"][0]["data"] = "0000803f00000040"
    path.write_text(json.dumps(case) + "\n")
    assert "output 0 is 0 at element 0, expected 1 within" in engine_test(library, "--cases", path, code=1)
    case["outputs"][0]["data"] = "0000807f00000040"  # infinity, which no finite value is near
    path.write_text(json.dumps(case) + "\n")
    assert "output 0 is 0 at element 0, expected inf" in engine_test(library, "--cases", path, code=1)
    for change, text in (
        ({"dims": [1000000]}, "has 16 digits, shape [1000000] of DT_FLOAT needs 8000000"),
        ({"dims": [-1]}, "has shape [-1]"),
        ({"dims": [1 << 62, 1 << 62]}, "has shape [46"),
        ({"type": 9999}, "has type 9999"),
    ):
        path.write_text(json.dumps({**case, "inputs": [{**case["inputs"][0], **change}]}) + "\n")
        assert text in engine_test(library, "--cases", path, code=2)
