#!/usr/bin/env python3
"""How soon a run ends that is cancelled, and what looking for it costs.

benchmarks/cancel.py           a loop that does not end; from Ctrl-C, a time limit and another thread to the error
"""

import argparse
import os
import signal
import statistics
import threading
import time

import numpy as np
from onnx import TensorProto, helper

import ge


def loop():
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["c2"]), helper.make_node("MatMul", ["v", "w"], ["v2"])],
        "body",
        [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), info("v", TensorProto.FLOAT, [256, 256])],
        [info("c2", TensorProto.BOOL, []), info("v2", TensorProto.FLOAT, [256, 256])],
    )
    weights = helper.make_tensor("w", TensorProto.FLOAT, [256, 256], np.eye(256, dtype=np.float32).ravel())
    go = helper.make_tensor("go", TensorProto.BOOL, [], [True])
    rounds = helper.make_tensor("rounds", TensorProto.INT64, [], [2**62])
    graph = helper.make_graph(
        [helper.make_node("Loop", ["rounds", "go", "x"], ["y"], body=body)],
        "loop",
        [info("x", TensorProto.FLOAT, [256, 256])],
        [info("y", TensorProto.FLOAT, [256, 256])],
        [weights, go, rounds],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def median_of(times, name):
    print(f"{name:12} median {1e3 * statistics.median(times):6.1f} ms, longest {1e3 * max(times):6.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    model = ge.load(loop().SerializeToString(), {"loop_limit": 0, "threads": 1})
    feed = {"x": np.ones((256, 256), np.float32)}
    begin = 0.0

    def interrupt():
        nonlocal begin
        begin = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    times = []
    for k in range(rounds):
        timer = threading.Timer(0.1 + 0.0037 * k, interrupt)
        timer.start()
        try:
            model.run(feed)
        except KeyboardInterrupt:
            times.append(time.perf_counter() - begin)
        timer.join()
    median_of(times, "Ctrl-C")
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        try:
            model.run(feed, timeout=0.1)
        except TimeoutError:
            times.append(time.perf_counter() - begin - 0.1)
    median_of(times, "time limit")


if __name__ == "__main__":
    main()
