"""One model, four threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import ge
from ge.es import GraphBuilder

builder = GraphBuilder("square")
x = builder.create_input(0, name="x", shape=[8])
model = ge.load(builder.build_and_reset([x * x + 1.0]))


def work(number):
    wrong = 0
    value = np.arange(8, dtype=np.float32) + number * 100
    for _ in range(100):
        (y,) = model.run({"x": value}).values()
        wrong += int((y != value * value + 1).sum())
    return wrong


with ThreadPoolExecutor(4) as pool:
    failures = sum(pool.map(work, range(4)))
print(f"4 threads, {failures} wrong values")
raise SystemExit(failures != 0)
