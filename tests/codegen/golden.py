#!/usr/bin/env python3
"""gen_esb on invented prototypes gives exactly the committed files; they compile; a second run touches nothing.

    golden.py --gen_esb PROGRAM --opp FOLDER --cxx COMPILER --source ROOT [--accept]

--accept takes the present output as the new golden files: read the difference before committing it.
"""

import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).parent / "golden"


def generate(args, out):
    env = dict(os.environ, ASCEND_OPP_PATH=args.opp, ASCEND_CUSTOM_OPP_PATH="")
    command = [args.gen_esb, "--module_name", "tiny", "--output_dir", str(out)]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser()
    for name in ("gen_esb", "opp", "cxx", "source"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--accept", action="store_true")
    args = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        generate(args, out)
        files = {p.name: p.read_text() for p in sorted(out.iterdir()) if not p.name.startswith(".")}
        if args.accept:
            for old in GOLDEN.glob("*.golden"):
                old.unlink()
            GOLDEN.mkdir(exist_ok=True)
            for name, text in files.items():
                (GOLDEN / (name + ".golden")).write_text(text)
        wanted = {p.name[: -len(".golden")]: p.read_text() for p in GOLDEN.glob("*.golden")}
        for name in sorted(set(files) | set(wanted)):
            difference = list(
                difflib.unified_diff(
                    wanted.get(name, "").splitlines(), files.get(name, "").splitlines(), "golden/" + name, name, lineterm=""
                )
            )
            if difference:
                failures.append("\n".join(difference[:60]))
        before = {p: p.stat().st_mtime_ns for p in out.iterdir()}
        generate(args, out)
        changed = [p.name for p, t in before.items() if p.stat().st_mtime_ns != t]
        if changed:
            failures.append(f"a second run rewrote {changed}")
        root = pathlib.Path(args.source)
        includes = [f"-I{root / p}" for p in ("capi/include", "cxx/include", "cxx/include/ge")] + [f"-I{out}"]
        # The C headers are for C++ as well, with the C++ interface beside them and without.
        full, bare = includes, [f"-I{root / 'capi/include'}", f"-I{out}"]
        for source, language, standard, paths in (
            ("es_tiny_ops.h", "c++", "c++17", full),
            ("es_tiny_ops_c.h", "c", "c11", full),
            ("es_tiny_ops_c.h", "c", "c99", bare),
            ("es_tiny_ops_c.h", "c++", "c++17", full),
            ("es_tiny_ops_c.h", "c++", "c++17", bare),
        ):
            compiler = args.cxx if language == "c++" else args.cxx.replace("g++", "gcc").replace("c++", "cc")
            result = subprocess.run(
                [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *paths, "-x", language, "-"],
                input=f'#include "{source}"\n',
                capture_output=True,
                text=True,
            )
            if result.returncode:
                failures.append(f"{source} does not compile:\n{result.stderr[:3000]}")
        sources = "".join(f'#include "{p.name}"\n' for p in sorted(out.glob("es_*.cpp")))
        result = subprocess.run(
            [args.cxx, "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", *includes, "-x", "c++", "-"],
            input=sources,
            capture_output=True,
            text=True,
        )
        if result.returncode:
            failures.append(f"the sources do not compile:\n{result.stderr[:3000]}")
        for source in out.glob("*.py"):
            compile(source.read_text(), source.name, "exec")
    if failures:
        print("\n\n".join(failures))
        print("\nif intended: add --accept to the command of the test gen_esb_golden (ctest -V -R gen_esb_golden shows it)")
        return 1
    print(f"{len(files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
