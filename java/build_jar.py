#!/usr/bin/env python3
"""Compiles Java sources into a jar; with --layout, tells the jar in which folders its native library may lie."""

import argparse
import pathlib
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jdk", required=True)
    parser.add_argument("--layout", help="folders relative to the jar, separated by colons")
    parser.add_argument("--class-path", help="what the sources use")
    parser.add_argument("--classes", required=True, help="folder for class files; emptied first")
    parser.add_argument("--output", required=True)
    parser.add_argument("sources", nargs="+", help="folders or files")
    args = parser.parse_args()

    classes = pathlib.Path(args.classes)
    shutil.rmtree(classes, ignore_errors=True)
    classes.mkdir(parents=True)
    files = []
    for source in map(pathlib.Path, args.sources):
        files += [source] if source.is_file() else sorted(source.rglob("*.java"))
    # One argument file: a path with spaces is quoted, backslashes are escapes there.
    listing = classes.parent / (classes.name + ".sources")
    listing.write_text("".join('"{}"\n'.format(str(f).replace("\\", "\\\\")) for f in files), encoding="utf-8")
    bin_folder = pathlib.Path(args.jdk) / "bin"
    # -try: close() of these objects throws nothing; the check warns about InterruptedException. Warnings are no errors: a newer
    # compiler knows new ones.
    compile_command = [bin_folder / "javac", "--release", "11", "-encoding", "UTF-8", "-Xlint:all,-try,-options"]
    if args.class_path:
        compile_command += ["-cp", args.class_path]
    if subprocess.run([*compile_command, "-d", classes, f"@{listing}"]).returncode != 0:
        sys.exit(f"{compile_command[0]} refused the sources")
    if args.layout:
        folder = classes / "org" / "openge" / "c"
        (folder / "layout.properties").write_text(f"folders={args.layout}\n", encoding="utf-8")
    output = pathlib.Path(args.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    aside = output.with_suffix(".new")
    subprocess.run([bin_folder / "jar", "--create", "--file", aside, "-C", classes, "."], check=True)
    aside.replace(output)


if __name__ == "__main__":
    main()
