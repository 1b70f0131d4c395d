#!/usr/bin/env python3
"""The time of a fresh process from `import ge` to the first result, by part; NumPy is imported before.

benchmarks/start.py net.onnx                 processor milliseconds, medians of fresh processes; open extents are fed as 1
benchmarks/start.py net.onnx --runs 41 --beside   in turns with ONNX Runtime

Parts that say "of it" are inside the one above them. Nobody collects garbage meanwhile: when that falls due depends on what
the process did before.
"""

import argparse
import json
import statistics
import subprocess
import sys

PARTS = """
import gc, json, sys, time
import numpy as np

gc.disable()
parts, clock = {}, time.process_time

def part(name, work):
    begin = clock()
    result = work()
    parts[name] = 1e3 * (clock() - begin)
    return result

def fed(ports):
    return {name: np.ones([d if isinstance(d, int) and d > 0 else 1 for d in shape], kind) for name, shape, kind in ports}
"""

OURS = (
    PARTS
    + """
part("import ge", lambda: __import__("ge"))
import ge
first = clock()
part("of it the extension module, with libge", lambda: __import__("ge._ge_cffi"))
load = ge.load
parts = {"import ge": parts.pop("import ge"), "ge.load, the name: modules": 1e3 * (clock() - first), **parts}
from ge import _plugins
part("ge.load, the call: looking for plug-ins", _plugins.before_compile)
model = part("ge.load, the call: the model", lambda: load(sys.argv[1], options={"threads": 1}))
stages = model.report()["stages"]
parts["of it optimising, placing and planning"] = sum(1e3 * stage["seconds"] for stage in stages)
feed = fed([(p.name, p.shape, p.dtype) for p in model.inputs])
part("the first run", lambda: model.run(feed))
total = parts["import ge"] + sum(ms for name, ms in parts.items() if name.startswith(("ge.load", "the first")))
parts["all"], parts["all but import ge"] = total, total - parts["import ge"]
part("for comparison: the same model once more", lambda: load(sys.argv[1], options={"threads": 1}))
part("for comparison: a second run", lambda: model.run(feed))
print(json.dumps(parts))
"""
)

THEIRS = (
    PARTS
    + """
part("import onnxruntime", lambda: __import__("onnxruntime"))
import onnxruntime as ort
options = ort.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 3
session = part("the session", lambda: ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"]))
kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_}
feed = fed([(i.name, i.shape, kinds[i.type]) for i in session.get_inputs()])
part("its first run", lambda: session.run(None, feed))
parts["all of it but the import"] = parts["the session"] + parts["its first run"]
print(json.dumps(parts))
"""
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--beside", action="store_true")
    args = parser.parse_args()
    found = {}
    for _ in range(args.runs):
        for program in (OURS, THEIRS)[: 1 + args.beside]:
            run = subprocess.run([sys.executable, "-c", program, args.model], capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(run.stderr)
            for name, ms in json.loads(run.stdout).items():
                found.setdefault(name, []).append(ms)
    for name, times in found.items():
        print(f"{statistics.median(times):9.2f} ms  {name}")


if __name__ == "__main__":
    main()
