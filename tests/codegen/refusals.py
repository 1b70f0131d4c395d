#!/usr/bin/env python3
"""gen_esb refuses bad calls with a non-zero code and a message that names the thing."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gen_esb", required=True)
    parser.add_argument("--opp", required=True)
    args = parser.parse_args()
    failures = []

    def expect(text, *flags, env=None):
        result = subprocess.run([args.gen_esb, *flags], env={**os.environ, **(env or {})}, capture_output=True, text=True)
        if result.returncode == 0 or text not in result.stderr:
            failures.append(f"{flags}: code {result.returncode}, expected '{text}' in: {result.stderr!r}")

    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        expect("--no_such_flag", "--no_such_flag=1")
        expect("stray", "stray")
        expect("needs a value", "--output_dir")
        expect("no ops to generate", "--only_ops", "NoSuchOperator", "--output_dir", str(out / "a"))
        (out / "file").write_text("in the way")
        expect("file", "--output_dir", str(out / "file" / "below"))
        (out / "opp" / "op_proto").mkdir(parents=True)
        (out / "opp" / "op_proto" / "libbroken.so").write_bytes(b"not a library")
        expect("libbroken.so", "--output_dir", str(out / "b"), env={"ASCEND_CUSTOM_OPP_PATH": str(out / "opp")})
        help_text = subprocess.run([args.gen_esb, "-help"], capture_output=True, text=True)
        if help_text.returncode != 0 or "usage" not in help_text.stdout:
            failures.append("-help does not print the usage")
    print("\n".join(failures) or "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
