#!/usr/bin/env python3
"""Compiles the generated C wrappers in groups of neighbours and puts them with the builder into libesb.a.

A group is one member of the archive: a program takes those with wrappers that it calls, and --gc-sections drops the others
of the group. The wrappers are weak, so a program may define one of its own. A group is compiled again when what it is made
of is newer. The archive is deterministic.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

GROUP = 8
FLAGS = (
    "-std=c++17 -O2 -fPIC -fvisibility=hidden -march=x86-64 -fno-exceptions -fno-rtti "
    "-ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -Wall -Werror"
).split()


def newest_of(files):
    return max(pathlib.Path(f).stat().st_mtime for f in files)


def headers_of(compiler, flags, source):
    """The headers that every wrapper includes beside its own."""
    rule = subprocess.run([compiler, *flags, "-MM", str(source)], check=True, capture_output=True, text=True).stdout
    own = {source.name, source.stem + "_c.h"}
    return [f for f in rule.replace("\\\n", " ").split()[1:] if pathlib.Path(f).name not in own]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("compiler", "ar", "objcopy", "sources", "objects", "builder", "output", "first"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--include", action="append", default=[])
    args = parser.parse_args()
    sources = sorted(p for p in pathlib.Path(args.sources).glob("es_*.cpp") if "_chunk" not in p.name)
    if not sources:
        sys.exit(f"{args.sources} holds no wrapper")
    objects = pathlib.Path(args.objects)
    objects.mkdir(parents=True, exist_ok=True)
    ccache = [tool] if (tool := shutil.which("ccache")) else []
    flags = [*FLAGS, "-include", args.first, *(flag for folder in [*args.include, args.sources] for flag in ("-I", folder))]
    shared = newest_of([__file__, *headers_of(args.compiler, flags, sources[0])])  # this file holds the flags
    groups = {}
    for i in range(0, len(sources), GROUP):
        members = sources[i : i + GROUP]
        groups[objects / f"group_{members[0].stem}.o"] = members

    def compile_group(made, members):
        parts = [*members, *(p.with_name(p.stem + "_c.h") for p in members)]
        text = "".join(f'#include "{p.name}"\n' for p in members)
        source = made.with_suffix(".cpp")
        if not source.exists() or source.read_text() != text:
            source.write_text(text)
        if made.exists() and made.stat().st_mtime >= max(shared, newest_of([*parts, source])):
            return
        fresh = made.with_suffix(".new")
        subprocess.run([*ccache, args.compiler, *flags, "-c", str(source), "-o", str(fresh)], check=True)
        subprocess.run([args.objcopy, "--weaken", str(fresh)], check=True)
        fresh.replace(made)

    try:
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(compile_group, groups.keys(), groups.values()))
    except subprocess.CalledProcessError as error:
        sys.exit(f"libesb.a: wrappers do not compile: {' '.join(error.cmd)}")
    made = list(groups)
    for stale in set(objects.glob("*.o")) - set(made):
        stale.unlink()
    part = pathlib.Path(args.output + ".part")
    part.unlink(missing_ok=True)
    listing = objects / "members.rsp"
    listing.write_text("\n".join([args.builder, *map(str, made)]) + "\n")
    subprocess.run([args.ar, "qcsD", str(part), f"@{listing}"], check=True)
    part.replace(args.output)


if __name__ == "__main__":
    main()
