#!/usr/bin/env python3
"""Time of one decoding step's cache updates: in the caller's memory, and copied there and back.

    benchmarks/cache.py [--layers N] [--length N] [--threads N]

Each layer has a cache of keys and one of values, [length, 16, 64] floats, given as RefData; a step writes one position
of each. The second way is the same graph with
`ge.exec.disableReuseMemory`, which keeps every value apart. Both take turns; the
figures are medians. NumPy's own assignment of the same rows is the lower limit.
"""

import argparse
import statistics
import time

import numpy as np

import ge
import ge.es.all as es
from ge.es import GraphBuilder, InputType
from ge.graph import DataType

HEADS, WIDTH = 16, 64


def step(caches, length):
    """One new row for every cache; the sum of the rows is the result, so that the graph has an output."""
    b = GraphBuilder("step")
    position = b.create_input(0, name="position", data_type=DataType.DT_INT32, shape=[1])
    row = b.create_input(1, name="row", shape=[1, HEADS, WIDTH])
    for i in range(caches):
        cache = b.create_input(
            i + 2, name=f"cache{i}", type_str=InputType.REF_DATA, data_type=DataType.DT_FLOAT, shape=[length, HEADS, WIDTH]
        )
        es.ScatterUpdate(cache, position, row)
    return b.build_and_reset([es.ReduceSum(row, b.create_vector_int64([0]))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    count = 2 * arguments.layers
    graph = step(count, arguments.length)
    ways = {"in place": {}, "copied": {"ge.exec.disableReuseMemory": "1"}}
    models = {name: ge.load(graph, {"threads": arguments.threads, **options}) for name, options in ways.items()}
    caches = [np.zeros((arguments.length, HEADS, WIDTH), np.float32) for _ in range(count)]
    feed = {"row": np.ones((1, HEADS, WIDTH), np.float32), **{f"cache{i}": c for i, c in enumerate(caches)}}

    def numpy_way(position):
        for cache in caches:
            cache[position] = feed["row"][0]

    def run(name, position):
        if name == "NumPy":
            return numpy_way(position)
        return models[name].run({**feed, "position": np.array([position], np.int32)})

    times = {name: [] for name in ("in place", "copied", "NumPy")}
    for turn in range(42):
        for name, taken in times.items():
            begin = time.perf_counter()
            run(name, turn)
            taken.append((time.perf_counter() - begin) * 1e6)
    size = caches[0].nbytes
    print(f"{count} caches of {size / 1e6:.1f} MB, {arguments.threads} thread(s)")
    for name, taken in times.items():
        moved = count * (2 * size if name == "copied" else feed["row"].nbytes)
        print(f"{name:9} {statistics.median(taken[2:]):10.0f} us a step, {moved / 1e6:8.1f} MB written")


if __name__ == "__main__":
    main()
