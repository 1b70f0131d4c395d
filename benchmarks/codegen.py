#!/usr/bin/env python3
"""What generated wrappers cost: generating, compiling, loading, importing, and adding a node.

    python codegen.py [--build build/release]

Every figure stands beside its goal. Compilers run without a compiler cache.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]

C_CALLS = """
#include <stdio.h>
#include <time.h>
#include "es_Add_c.h"
int main(void) {
  double best = 1e9;
  for (int round = 0; round < 25; ++round) {
    EsCGraphBuilder *b = EsCreateGraphBuilder("g");
    EsCTensorHolder *x = EsCreateGraphInput(b, 0), *v = x;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < 100000; ++i) v = EsAdd(v, x);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double us = ((to.tv_sec - from.tv_sec) * 1e6 + (to.tv_nsec - from.tv_nsec) * 1e-3) / 100000;
    if (us < best) best = us;
    EsDestroyGraphBuilder(b);
  }
  printf("%f", best);
  return 0;
}
"""
PY_CALLS = """
import sys, time
from ge.es import GraphBuilder
from ge.es.all import Add, BatchNorm, ConcatV2, Conv2D, Reshape, Split
call = eval("lambda x, w: " + sys.argv[1])
best = 1e9
for _ in range(60):
    b = GraphBuilder("g")
    x, w = b.create_inputs(2)
    start = time.perf_counter()
    for _ in range(1000):
        call(x, w)
    best = min(best, (time.perf_counter() - start) / 1000 * 1e6)
print(best)
"""
# Each benchmark names the call and the number of nodes it adds.
PY_CASES = {
    "Add(x, w)": 1,
    "Conv2D(x, w, None, None, strides=[1, 1, 2, 2], pads=[1] * 4)": 1,
    "Split(w, x, 2, num_split=2)": 1,
    "ConcatV2([x, x], w, N=2)": 1,
    "BatchNorm(x, w, w, w, w, is_training=False)": 1,
    "Reshape(x, [2, 3])": 2,
}
DLOPEN = """
import ctypes, sys, time
start = time.perf_counter()
ctypes.CDLL(sys.argv[1])
print((time.perf_counter() - start) * 1e3)
"""
IMPORT = "import time; start = time.perf_counter(); import ge.es.all; print((time.perf_counter() - start) * 1e3)"


def show(what, value, unit, goal):
    print(f"{what:58} {value:8.2f} {unit:3}  goal {goal:g}", flush=True)


def seconds(*command, **kwargs):
    start = time.perf_counter()
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kwargs)
    return time.perf_counter() - start


def printed(*command, env, times=7):
    runs = (
        subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True, env=env) for _ in range(times)
    )
    return statistics.median(float(r.stdout.split()[-1]) for r in runs)  # after the lines about plug-ins


def touched(folder):
    return {p: p.stat().st_mtime_ns for p in folder.rglob("*")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    build = parser.parse_args().build.resolve()
    lib = build / "lib"
    env = {
        **os.environ,
        "ASCEND_OPP_PATH": str(build / "opp"),
        "GE_ENGINE_DIR": str(lib / "ge" / "engines"),
        "LD_LIBRARY_PATH": str(lib),
        "PYTHONPATH": str(build / "python"),
    }
    includes = [f"-I{ROOT / d}" for d in ("capi/include", "cxx/include", "cxx/include/ge")]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        out = work / "es_all"
        generate = [build / "bin" / "gen_esb", "--module_name=all", "--chunks=4", f"--output_dir={out}/"]
        show("generate all operators, three languages", seconds(*generate, env=env), "s", 3)
        before = touched(out)
        show("generate again", seconds(*generate, env=env), "s", 1)
        show("files touched by that", sum(before.get(p) != t for p, t in touched(out).items()), "", 0)

        chunks = sorted(out.glob("es_all_chunk*.cpp"))
        compile_one = ["c++", "-std=c++17", "-O2", "-fPIC", *includes, f"-I{out}", "-c"]
        start = time.perf_counter()
        running = []
        for chunk in chunks:  # two at a time
            if len(running) == 2:
                assert running.pop(0).wait() == 0
            running.append(subprocess.Popen([*compile_one, chunk, "-o", chunk.with_suffix(".o")]))
        assert all(p.wait() == 0 for p in running)
        objects = [c.with_suffix(".o") for c in chunks]
        subprocess.run(["c++", "-shared", *objects, "-o", work / "libes_all.so", f"-L{lib}", "-lge"], check=True)
        show("compile libes_all from nothing, two cores", time.perf_counter() - start, "s", 90)
        subprocess.run(["strip", work / "libes_all.so"], check=True)
        show("its size, stripped", (work / "libes_all.so").stat().st_size / 1e6, "MB", 6)

        math = work / "es_math"
        flags = ["--module_name=math", "--families=math", f"--output_dir={math}/"]
        seconds(build / "bin" / "gen_esb", *flags, env=env)
        unit = work / "math.cpp"
        unit.write_text('#include "es_math_ops.h"\nint main() {}\n')
        command = ["c++", "-std=c++17", *includes, f"-I{math}", "-c", unit, "-o", work / "math.o"]
        show("compile one file that includes all of math", statistics.median(seconds(*command) for _ in range(5)), "s", 2)

        (work / "calls.c").write_text(C_CALLS)
        command = ["cc", "-O2", *includes, f"-I{out}", work / "calls.c", "-o", work / "calls", f"-L{lib}", "-les_all", "-lge"]
        subprocess.run(command, check=True)
        show("one wrapper call in C", printed(work / "calls", env=env, times=1), "us", 0.5)
    for call, nodes in PY_CASES.items():
        best = printed(sys.executable, "-c", PY_CALLS, call, env=env, times=1)
        more = f", {nodes} nodes" if nodes > 1 else ""
        show(f"{call.partition('(')[0]} in Python{more}", best, "us", 2 * nodes)
    show("import ge.es.all in a new process", printed(sys.executable, "-c", IMPORT, env=env), "ms", 120)
    show("load libge.so in a new process", printed(sys.executable, "-c", DLOPEN, lib / "libge.so", env=env), "ms", 5)


if __name__ == "__main__":
    main()
