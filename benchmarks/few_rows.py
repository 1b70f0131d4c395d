#!/usr/bin/env python3
"""Products of few rows with large matrices, as requests of a batch and tokens guessed ahead make them, beside ONNX Runtime.

    few_rows.py [ROWS ...] [--layers N] [--depth N] [--columns N] [--threads N] [--seconds S]

The two take turns. Layers go from `depth` to `columns` values and back; all matrices together should exceed the caches by
far, or their reading shows caches. GB/s are those of the matrices, which one run reads once: more rows than one ask for as
many from memory and for more arithmetic. ratio = ONNX Runtime's time / OpenGE's.
"""

import argparse
import os
import statistics
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import ge


def model(rows, layers, depth, columns):
    random, nodes, weights, value = np.random.default_rng(0), [], [], "x"
    for i in range(layers):
        shape = (depth, columns) if i % 2 == 0 else (columns, depth)
        matrix = random.standard_normal(shape, np.float32) / np.float32(np.sqrt(shape[0]))
        weights += [numpy_helper.from_array(matrix, f"w{i}")]
        nodes += [helper.make_node("MatMul", [value, f"w{i}"], [f"y{i}"])]
        value = f"y{i}"
    width = columns if layers % 2 else depth
    ends = [
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [rows, n]) for name, n in (("x", depth), (value, width))
    ]
    graph = helper.make_graph(nodes, "few_rows", ends[:1], ends[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def seconds_of(runs, feed, seconds):
    times = [[] for _ in runs]
    for run in runs:
        run(feed)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 6:
        for run, of in zip(runs, times):
            for _ in range(2):
                start = time.perf_counter()
                run(feed)
                of.append(time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", type=int, default=[1, 2, 3, 4, 5, 6, 8, 10, 12, 16])
    parser.add_argument("--layers", type=int, default=40)
    parser.add_argument("--depth", type=int, default=768)
    parser.add_argument("--columns", type=int, default=3072)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3, help="of each number of rows, both peers together")
    o = parser.parse_args()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = o.threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    values = o.layers * o.depth * o.columns
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "few_rows.onnx")
        for rows in o.rows:
            onnx.save(model(rows, o.layers, o.depth, o.columns), path)
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
            runs = [ge.load(path, options={"threads": o.threads}).run, lambda feed, s=session: s.run(None, feed)]
            feed = {"x": np.random.default_rng(1).standard_normal((rows, o.depth), np.float32)}
            ours, theirs = seconds_of(runs, feed, o.seconds)
            best, other, macs = min(ours), min(theirs), rows * values
            print(
                f"{rows:3} rows: ge {best * 1e3:6.2f} ms ({4 * values / best / 1e9:4.1f} GB/s, {2 * macs / best / 1e9:5.1f} "
                f"GFLOP/s), ort {other * 1e3:6.2f} ms, ratio {other / best:.2f}, of medians "
                f"{statistics.median(theirs) / statistics.median(ours):.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
