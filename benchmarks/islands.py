#!/usr/bin/env python3
"""Measures what islands are worth: a network in the middle of which values decide how many rows there are.

    python islands.py [--threads N]

A backbone of convolutions over a picture, and convolutional heads over those of twenty crops that a mask chooses. Every count
of crops runs six times; OpenGE with islands, without them (option islands=0) and ONNX Runtime take turns. The figures are
medians of milliseconds by crop: of the first run of a count, and of those that follow.
"""

import argparse
import statistics
import time

import nets
import numpy as np

CROPS = 20


def network():
    w = nets.Writer("heads", 1)
    x, crops, keep = w.input("x", [1, 3, 128, 128]), w.input("crops", [CROPS, 64, 14, 14]), w.input("keep", [CROPS])
    for cin, cout, stride in [(3, 32, 2), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1)]:
        x = w.block(x, cin, cout, 3, stride)
    rows = w.add("Squeeze", w.add("NonZero", keep), w.const([0], np.int64))
    y = w.add("Gather", crops, rows, axis=0)
    for _ in range(6):
        y = w.block(y, 64, 64, 3)
    w.output(w.add("Softmax", w.head(y, 64, 10), axis=-1), "classes", ["n", 10])
    w.output(w.add("GlobalAveragePool", x), "features", [1, 128, 1, 1])
    return w.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    import onnxruntime

    import ge

    model = network().SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = args.threads, 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    loaded = [ge.load(model, options={"threads": args.threads, "islands": k}) for k in (1, 0)]
    runs = {
        "with islands": loaded[0].run,
        "without": loaded[1].run,
        "ONNX Runtime": lambda feed: dict(zip(("classes", "features"), session.run(None, feed))),
    }
    times = {name: ([], []) for name in runs}
    random = np.random.default_rng(0)
    for count in random.permutation(np.arange(3, CROPS)):
        feed = {
            "x": random.standard_normal((1, 3, 128, 128)).astype(np.float32),
            "crops": random.standard_normal((CROPS, 64, 14, 14)).astype(np.float32),
            "keep": (np.arange(CROPS) < count).astype(np.float32),
        }
        for turn in range(6):
            results = []
            for name, run in runs.items():
                start = time.perf_counter()
                results.append(run(feed))
                times[name][min(turn, 1)].append((time.perf_counter() - start) * 1e3 / count)
        for name, want in results[-1].items():
            np.testing.assert_allclose(results[0][name], want, rtol=1e-3, atol=1e-4)
    for name, (new, again) in times.items():
        print(f"{name:14s} new count {statistics.median(new):6.3f} ms a crop, again {statistics.median(again):6.3f}")


if __name__ == "__main__":
    main()
