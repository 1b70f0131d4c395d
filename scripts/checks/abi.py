#!/usr/bin/env python3
"""The C ABI does not change by accident.

Every exported function, every public struct and enum and every numeric constant of capi/include becomes a variable of one
small shared object with debug information. `abidw` (Debian: abigail-tools) dumps it; `abidiff` compares the dump with the
committed baseline. What was added is fine; whatever else differs fails.

    scripts/checks/abi.py             compares with tests/abi/libge.abi
    scripts/checks/abi.py --accept    writes a new baseline, for a change that is meant

The baseline speaks of types alone: no path, no file position, no compiler, so it is the same on every machine.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASELINE = ROOT / "tests" / "abi" / "libge.abi"


# Exported for the operators of C++ tensors; the generated headers declare them.
HOOKS = ("EsAdd", "EsSub", "EsMul", "EsDiv")


# Object-like macros that are no numbers: how something is declared, and texts.
NO_NUMBERS = re.compile(r'^$|^"|__attribute__|\bextern\b|_Static_assert|\b__\w+\b')


def constants(include, headers, plain):
    """Names of the numeric constants: macros without parameters whose text, as the preprocessor has it, is a number."""
    source = "".join(f'#include "{h.relative_to(include)}"\n' for h in headers)
    command = ["cc", "-std=gnu11", "-E", "-dM", "-I", str(include.resolve()), "-x", "c", "-"]
    defined = subprocess.run(command, input=source, check=True, capture_output=True, text=True).stdout
    ours = set(re.findall(r"^#define (\w+)(?!\()(?:\s|$)", plain, re.M))
    names, strange = [], []
    for name, text in re.findall(r"^#define (\w+)(?: (.*))?$", defined, re.M):
        if name not in ours or NO_NUMBERS.search(text):
            continue
        if re.fullmatch(r"[\w\s()|&~<>+*/-]+", text):
            names.append(name)
        else:
            strange.append(f"{name}: {text}")
    if strange:
        sys.exit("constants that cannot be read as numbers:\n" + "\n".join(strange))
    return sorted(names)


def surface(capi):
    """C source that mentions all of the ABI once."""
    include = capi / "include"
    headers = sorted(include.rglob("*.h"))
    text = "\n".join(h.read_text(encoding="utf-8") for h in headers)
    lines = [f'#include "{h.relative_to(include)}"' for h in headers]
    lines += [f"EsCTensorHolder *{name}(EsCTensorHolder *, EsCTensorHolder *);" for name in HOOKS]
    for name in (capi / "exported_symbols.txt").read_text().split():
        lines.append(f"__typeof__(&{name}) function_{name};")
    plain = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for kind, name in re.findall(r"^typedef (struct|enum)\b[^;{]*\{[^}]*\}\s*(\w+);", plain, re.M):
        lines.append(f"{name} {kind}_{name};")
    for name in re.findall(r"^typedef [^;]*?\(\*(\w+)\)\(", plain, re.M):
        lines.append(f"{name} callback_{name};")
    for name in constants(include, headers, plain):
        # The value is in the type, where a dump of types sees it.
        lines.append(f"enum constant_of_{name} {{ value_of_{name} = (long long)({name}) }} constant_{name};")
    return "\n".join(lines) + "\n"


def dump(capi, folder):
    source, library = folder / "abi.c", folder / "abi.so"
    source.write_text(surface(capi))
    # Compiled by its bare name: the dump repeats the name that the compiler was given.
    command = ["cc", "-std=gnu11", "-g", "-O0", "-fPIC", "-shared", "-I", (capi / "include").resolve(), source.name]
    subprocess.run([*command, "-o", library.name], check=True, cwd=folder)
    out = folder / "libge.abi"
    options = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--no-architecture"]
    subprocess.run(["abidw", *options, library, "--out-file", out], check=True)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true", help="write the baseline anew")
    capi_help = "folder with include/ and exported_symbols.txt"
    parser.add_argument("--capi", type=pathlib.Path, default=ROOT / "capi", help=capi_help)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        now = dump(options.capi, pathlib.Path(name))
        if options.accept:
            BASELINE.write_bytes(now.read_bytes())
            return 0
        report = subprocess.run(
            ["abidiff", "--no-added-syms", "--harmless", "--no-corpus-path", BASELINE, now], capture_output=True, text=True
        )
    print(report.stdout, end="")
    print(report.stderr, end="", file=sys.stderr)
    if report.returncode:
        print("the C ABI changed; if this is meant: scripts/checks/abi.py --accept", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
