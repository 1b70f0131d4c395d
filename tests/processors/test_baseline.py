"""What the library promises about processors: everything but the engines for x86-64-v3 runs on every x86-64 processor.

Looked at from both sides: no instruction beyond that baseline is in the files, and the files run on emulated old processors.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
import models  # noqa: E402

BUILD = Path(os.environ["GE_BUILD_DIR"])
LIB, ENGINES = BUILD / "lib", BUILD / "lib" / "ge" / "engines"
BASELINE = [
    LIB / "libge.so",
    LIB / "libes_all.so",
    LIB / "libesb.a",
    BUILD / "bin" / "ge",
    BUILD / "bin" / "gen_esb",
    ENGINES / "libge_engine_reference.so",
    ENGINES / "libge_engine_views.so",
]
# AVX and everything after it starts with v or works on its registers; the others came between SSE3 and AVX2.
BEYOND = re.compile(
    r"^\s+[0-9a-f]+:\s+(?:(?:rep|repz|lock|data16|bnd|notrack)\s+)*"
    r"(?:v(?!er[rw]\b|mcall\b|mrun\b)[a-z]\w*|k(?:mov|and|or|xor|not|test|shift|unpck|add)\w*|.*%[yz]mm|"
    r"andn|bextr|bls(?:i|r|msk)|mulx|pdep|pext|rorx|s(?:ar|hl|hr)x|lzcnt|movbe|popcnt|crc32|aes\w+|pclmul\w*|"
    r"pshufb|palignr|pabs[bwd]|pmaddubsw|pmulhrsw|phadd\w+|phsub\w+|psign[bwd]|hadd\w+|hsub\w+|addsubp[sd]|lddqu|movddup|movs[hl]dup|"
    r"p?blend\w+|dpp[sd]|insertps|extractps|pinsr[bdq]|pextr[bdq]|pm(?:ax|in)(?:sb|sd|uw|ud)|pmov[sz]x\w+|pmuldq|pmulld|ptest|"
    r"round[sp][sd]|packusdw|pcmpeqq|pcmpgtq|pcmp[ei]str[im]|mpsadbw|phminposuw)\b"
)


# They measure what the processor can do (runtime/page/machine_rates.cpp), called where it says that it has the instructions.
ASKED_FIRST = (
    "Multiply256",
    "Multiply512",
    "MultiplyBf16",
    "MultiplyPairs256",
    "MultiplyPairs512",
    "MultiplyQuads256",
    "MultiplyQuads512",
)


def beyond(path):
    """Instructions of a file that not every x86-64 processor has."""
    command = ["objdump", "-d", "--no-show-raw-insn", "-M", "att", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as run:
        found, where = [], ""
        for line in run.stdout:
            if line.endswith(">:\n"):
                where = line.strip()
            elif BEYOND.match(line):
                found.append(f"{where} {line.strip()}")
    return found


@pytest.mark.parametrize("path", BASELINE, ids=lambda p: p.name)
def test_nothing_beyond_the_baseline(path):
    found = beyond(path)
    asked = [line for line in found if any(name in line.split(">:")[0] for name in ASKED_FIRST)]
    assert [line for line in found if line not in asked][:5] == []
    assert bool(asked) == (path.name == "libge.so")


def test_the_check_finds_what_is_beyond():
    assert len(beyond(ENGINES / "x86-64-v3" / "libge_engine_reference.so")) > 1000


QEMU = shutil.which("qemu-x86_64")
emulated = pytest.mark.skipif(QEMU is None, reason="the emulator (Debian package qemu-user) is not installed")
# Core 2: SSSE3, no SSE4.2 and no POPCNT. Nehalem: SSE4.2. Haswell: AVX2, as far as the emulator does it.
OLD = ["core2duo", "Nehalem"]


def on(processor, *command, code=0, **env):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(LIB), "GE_ENGINE_DIR": str(ENGINES), **env}
    environment.pop("GE_MAX_ISA", None)
    environment.update(env)
    run = subprocess.run(
        [QEMU, "-cpu", processor, *map(str, command)], capture_output=True, text=True, timeout=300, env=environment
    )
    assert run.returncode == code, (run.returncode, run.stdout, run.stderr)
    return run


@emulated
@pytest.mark.parametrize("processor", OLD)
def test_a_model_runs_on_an_old_processor(processor, tmp_path):
    import onnxruntime as ort

    onnx.save(models.convnet(), str(tmp_path / "conv.onnx"))
    session = ort.InferenceSession(str(tmp_path / "conv.onnx"), providers=["CPUExecutionProvider"])
    shape = session.get_inputs()[0].shape
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    name = session.get_inputs()[0].name
    np.savez(tmp_path / "in.npz", **{name: x})
    on(processor, BUILD / "bin" / "ge", "run", tmp_path / "conv.onnx", "-i", tmp_path / "in.npz",
       "-o", tmp_path / "out.npz", "-t", 1)  # fmt: skip
    with np.load(tmp_path / "out.npz") as out:
        for port, want in zip(session.get_outputs(), session.run(None, {name: x})):
            np.testing.assert_allclose(out[port.name], want, atol=1e-4)


@emulated
def test_doctor_names_what_an_old_processor_lacks():
    text = on("Nehalem", BUILD / "bin" / "ge", "doctor").stdout
    assert re.search(r"^instruction set +scalar$", text, re.M)
    features = re.search(r"^features +(.*)$", text, re.M)[1].split(", ")
    assert "SSE4.2" in features and "POPCNT" in features and "AVX" not in features
    for engine in ("onednn", "simd"):
        line = re.search(rf"^ +{engine} +not used: (.*)$", text, re.M)[1]
        assert line.startswith("it needs what the processor or GE_MAX_ISA does not offer: ") and "AVX2" in line


@emulated
def test_features_are_those_of_the_emulated_processor():
    """Haswell has AVX2 but no AVX-512; without AVX the operating system's part (XGETBV) takes AVX2 away as well."""

    def features(processor):
        text = on(processor, BUILD / "bin" / "ge", "doctor").stdout
        return set(re.search(r"^features +(.*)$", text, re.M)[1].split(", "))

    haswell = features("Haswell")
    assert {"AVX2", "FMA", "BMI2", "MOVBE"} <= haswell and not any("512" in f for f in haswell)
    assert not {"AVX", "AVX2", "FMA", "F16C"} & features("Haswell,-xsave")


@emulated
def test_a_frozen_builder_runs_on_an_old_processor(tmp_path):
    program = tmp_path / "smallest"
    command = ["cc", "-march=x86-64", f"-I{ROOT}/capi/include", f"-I{BUILD}/generated/es_all", f"-L{LIB}", "-o", program]
    subprocess.run([*command, ROOT / "tests/esb/smallest.c", "-lesb", "-lm", "-lpthread", "-ldl"], check=True)
    on("core2duo", program, tmp_path / "graph.air")
