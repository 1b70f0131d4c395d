#!/usr/bin/env python3
"""Results, time and memory of an ONNX model for each value of option precision, beside fp32.

    precision.py MODEL.onnx … [--rounds N] [--threads N] [--cpu] [-s NAME=DIM,DIM …]

The difference is ‖y - y₀‖ / ‖y₀‖ of the last output, y₀ that of fp32, with random inputs. The models take turns, a run each;
time is the median of the ratios of neighbouring runs, of processor time with --cpu (for machines that others use). Open
dimensions are 1 unless -s says more.
"""

import argparse
import statistics
import time

import numpy as np

import ge

PRECISIONS = ("fp16_weights", "int8_weights", "int4_weights")


def feed_of(model, shapes):
    r = np.random.default_rng(0)
    feed = {}
    for port in model.inputs:
        dims = shapes.get(port.name) or [d if isinstance(d, int) and d >= 0 else 1 for d in port.shape]
        if np.issubdtype(port.dtype, np.floating):
            feed[port.name] = r.standard_normal(dims).astype(port.dtype)
        else:
            feed[port.name] = r.integers(0, 2, dims).astype(port.dtype)
    return feed


def timed(model, feed, clock):
    start = clock()
    model.run(feed)
    return clock() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("-s", "--shape", action="append", default=[])
    parser.add_argument("--cpu", action="store_true")
    args = parser.parse_args()
    clock = time.process_time if args.cpu else time.perf_counter
    shapes = {name: [int(d) for d in dims.split(",")] for name, dims in (s.split("=") for s in args.shape)}
    print("| model | precision | difference | speed | weights, MB | nodes |\n|---|---|---|---|---|---|")
    for path in args.models:
        plain = ge.load(path, options={"threads": args.threads})
        feed = feed_of(plain, shapes)
        want = np.asarray(list(plain.run(feed).values())[-1], np.float64)
        for precision in PRECISIONS:
            model = ge.load(path, options={"threads": args.threads}, precision=precision)
            got = np.asarray(list(model.run(feed).values())[-1], np.float64)
            ratios = []
            for _ in range(args.rounds):
                first = timed(plain, feed, clock)
                ratios.append(first / timed(model, feed, clock))
            notes = model.report()["precision"]
            done = [n for n in notes if n["ran"] == precision]
            now, before = (sum(n[key] for n in notes) / 1e6 for key in ("bytes", "fp32_bytes"))
            print(
                f"| {path.split('/')[-1].removesuffix('.onnx')} | {precision} | "
                f"{np.linalg.norm(got - want) / np.linalg.norm(want):.1e} | {statistics.median(ratios):.2f} | "
                f"{now:.0f} of {before:.0f} | {len(done)} of {len(notes)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
