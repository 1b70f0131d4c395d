#!/usr/bin/env python3
"""Products of few rows with large matrices, as requests of a batch and tokens guessed ahead make them, beside ONNX Runtime.

    few_rows.py [ROWS ...] [--layers N] [--depth N] [--columns N] [--threads N] [--seconds S]

Layers go from `depth` to `columns` values and back. GB/s are the bytes of all matrices over the time of a run; they should
exceed the caches by far, or caches are measured. The limit is what `build/release/benchmarks/stream_read` reads, or one row.
Both run in this process, in turns; medians; ratio = ONNX Runtime's time / OpenGE's.
"""

import argparse
import os
import tempfile

import numpy as np
import onnx
from nets import Writer
from ops_share import difference, peer, turns

import ge


def model(rows, layers, depth, columns):
    w = Writer("few_rows", 0)
    value = w.input("x", [rows, depth])
    for i in range(layers):
        shape = (depth, columns) if i % 2 == 0 else (columns, depth)
        value = w.add("MatMul", value, w.normal(*shape, scale=shape[0] ** -0.5))
    w.output(value, "y", [rows, columns if layers % 2 else depth])
    return w.finish()


def measure(path, rows, o):
    onnx.save(model(rows, o.layers, o.depth, o.columns), path)
    runs = [ge.load(path, options={"threads": o.threads}).run, peer(path, o.threads)]
    feed = {"x": np.random.default_rng(1).standard_normal((rows, o.depth), np.float32)}
    apart = difference(*(run(feed) for run in runs))
    ours, theirs = turns(runs, feed, o.seconds)
    gigabytes = 4e-6 * o.layers * o.depth * o.columns / ours
    print(
        f"{rows:3} rows: ge {ours:6.2f} ms ({gigabytes:4.1f} GB/s, {rows * gigabytes / 2:5.1f} GFLOP/s), ort {theirs:6.2f} ms, "
        f"ratio {theirs / ours:.2f}, difference {apart:.0e}",
        flush=True,
    )


def positive(text):
    if (value := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    p.add_argument("rows", nargs="*", type=positive, default=[1, 2, 3, 4, 5, 6, 8, 10, 12, 16], help="rows of the input")
    p.add_argument("--layers", type=positive, default=40, help="products one behind another")
    p.add_argument("--depth", type=positive, default=768, help="rows of the first matrix")
    p.add_argument("--columns", type=positive, default=3072, help="its columns")
    p.add_argument("--threads", type=positive, default=1, help="of each of the two")
    p.add_argument("--seconds", type=positive, default=3, help="for each number of rows")
    o = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for rows in o.rows:
            measure(os.path.join(folder, f"{rows}.onnx"), rows, o)
            os.remove(os.path.join(folder, f"{rows}.onnx"))


if __name__ == "__main__":
    main()
