#!/usr/bin/env python3
"""How cost grows with the number of nodes: building, compiling and running a chain v = (v + x) * x, beside ONNX Runtime.

    python scale.py [--nodes 1000,10000,100000]

Microseconds per node, best of three, one thread. "run, unfused" switches the elementwise fusion off: what a node costs when it
is a kernel of its own.
"""

import argparse
import gc
import os
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import helper

import ge
from ge.es import GraphBuilder
from ge.es.math import Add, Mul


def best(function, times=3):
    seconds, value = [], None
    for _ in range(times):
        value = None
        gc.collect()
        start = time.perf_counter()
        value = function()
        seconds.append(time.perf_counter() - start)
    return min(seconds) * 1e6, value


def chain_in_ge(n):
    b = GraphBuilder("chain")
    x = b.create_input(0, name="x", shape=[4, 4])
    v = x
    for _ in range(n // 2):
        v = Mul(Add(v, x), x)
    return b.build_and_reset([v])


def chain_in_onnx(n):
    nodes, v = [], "x"
    for i in range(n // 2):
        nodes.append(helper.make_node("Add", [v, "x"], [f"a{i}"]))
        nodes.append(helper.make_node("Mul", [f"a{i}", "x"], [f"m{i}"]))
        v = f"m{i}"
    io = [helper.make_tensor_value_info(name, 1, [4, 4]) for name in ("x", v)]
    model = helper.make_model(helper.make_graph(nodes, "chain", io[:1], io[1:]), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", default="1000,10000,100000")
    args = parser.parse_args()
    feed = {"x": np.full((4, 4), 0.1, np.float32)}
    print(f"{'nodes':>8} {'':14} {'build':>8} {'compile':>8} {'run':>8} {'run, unfused':>13}")
    for n in map(int, args.nodes.split(",")):
        built, _graph = best(lambda n=n: chain_in_ge(n))
        by_helper, proto = best(lambda n=n: chain_in_onnx(n))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "chain.onnx")
            onnx.save(proto, path)
            compiled, model = best(lambda path=path: ge.load(path, options={"threads": 1}))
            plain = ge.load(path, options={"threads": 1, "passes.disable": "FuseElementwise"})
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        data = proto.SerializeToString()
        theirs, session = best(lambda d=data, o=options: onnxruntime.InferenceSession(d, o, ["CPUExecutionProvider"]))
        for run in (lambda m=model: m.run(feed), lambda m=plain: m.run(feed), lambda s=session: s.run(None, feed)):
            run()
        ours = best(lambda m=model: m.run(feed), 7)[0]
        unfused = best(lambda m=plain: m.run(feed), 7)[0]
        peer = best(lambda s=session: s.run(None, feed), 7)[0]
        print(f"{n:8} {'OpenGE':14} {built / n:8.2f} {compiled / n:8.2f} {ours / n:8.3f} {unfused / n:13.3f}")
        print(f"{'':8} {'ONNX Runtime':14} {by_helper / n:8.2f} {theirs / n:8.2f} {peer / n:8.3f}", flush=True)


if __name__ == "__main__":
    main()
