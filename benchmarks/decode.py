#!/usr/bin/env python3
"""Time of a decoder's steps while its caches grow: with a state, by copies, and ONNX Runtime; they take turns.

    benchmarks/decode.py [--steps N] [--threads N] [--layers N] [--width N] [--heads N] [--cpu]

The model is that of examples/generate_text with random weights. `--cpu` compares processor time, for machines that others
use meanwhile. `build/release/benchmarks/stream_read` tells how fast memory is read.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile
import time

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples" / "generate_text"))
import generate_text as example  # noqa: E402
import numpy as np  # noqa: E402

import ge  # noqa: E402


def by_copies(model):
    feed = {p.name: np.zeros((1, p.shape[1], 0, p.shape[3]), np.float32) for p in model.inputs if p.name.startswith("past")}

    def run(token, at):
        feed.update(input_ids=np.array([[token]]), position_ids=np.array([[at]]))
        out = model.run(feed)
        feed.update({n.replace("present", "past"): v for n, v in out.items() if n != "logits"})
        return out["logits"][0, -1]

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in {"steps": 96, "threads": 1, "layers": 12, "width": 768, "heads": 12}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    clock = time.process_time if options.cpu else time.perf_counter
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "gpt2.onnx")
        onnx.save(example.gpt2(options.layers, options.width, options.heads), path)
        models = [ge.load(path, {"threads": options.threads}) for _ in range(2)]
        ways = {"state": example.with_state(models[0], options.steps), "copies": by_copies(models[1])}
        ways["ONNX Runtime"] = example.with_onnxruntime(path, options.threads)
        times = {name: [] for name in ways}
        for at in range(options.steps):
            for name, run in ways.items():
                begin = clock()
                run(at % 256, at)
                times[name].append(clock() - begin)
    for name, taken in times.items():
        middle = statistics.median(taken[8:])
        ratio = statistics.median(times["ONNX Runtime"][8:]) / middle
        print(f"{name:13} {middle * 1e3:8.2f} ms a step, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
