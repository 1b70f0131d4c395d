"""Measures what a rewrite costs a match, beside onnxscript's rewriter where that is installed.

    python benchmarks/rewrite.py [--program build/release/benchmarks/rewrite] [--runs 5] [--nodes 1000 10000]

Runs the program benchmarks/rewrite.cpp, and in the same run onnxscript on an equal ONNX graph: blocks of Add, Relu, Neg
and Abs, of which Relu(Add(x, y)) becomes Max(x, y). Prints microseconds a match, medians of the runs. onnxscript is no
dependency of the project: install it only where you measure.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

PROGRAM = os.path.join("build", "release", "benchmarks", "rewrite")


def ours(program: str, runs: int) -> list[dict]:
    """One record per measurement of the C++ program."""
    done = subprocess.run([program, str(runs)], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line]


def chain(nodes: int):
    """The benchmark's graph as an ONNX model."""
    from onnx import TensorProto, helper

    value, made = "x", []
    for i in range(nodes // 4):
        for op in ("Add", "Relu", "Neg", "Abs"):
            inputs = [value, "y"] if op == "Add" else [value]
            value = f"{op}_{i}"
            made.append(helper.make_node(op, inputs, [value]))
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in ("x", "y", value)]
    graph = helper.make_graph(made, "chain", infos[:2], infos[2:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


def onnxscript_us(nodes: int, runs: int) -> float | None:
    """Microseconds a match that onnxscript's rewriter needs, or None where it is not installed."""
    try:
        from onnxscript import ir
        from onnxscript.rewriter import pattern
    except ImportError:
        return None

    def looked_for(op, x, y):
        return op.Relu(op.Add(x, y))

    def instead(op, x, y):
        return op.Max(x, y)

    rules = pattern.RewriteRuleSet([pattern.RewriteRule(looked_for, instead)])
    model, times = chain(nodes), []
    for _ in range(runs):
        fresh = ir.serde.deserialize_model(model)
        start = time.perf_counter()
        count = rules.apply_to_model(fresh)
        times.append((time.perf_counter() - start) / max(1, count))
    return statistics.median(times) * 1e6


def main() -> int:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--nodes", type=int, nargs="*", default=[1000, 10000])
    given = parser.parse_args()
    for record in ours(given.program, given.runs):
        cost = f"{record['us']:10.2f} us a match" if "us" in record else f"{record['ms']:10.1f} ms together"
        print(f"{record['what']:12} {record['nodes']:8} nodes {cost}")
    for nodes in given.nodes:
        us = onnxscript_us(nodes, given.runs)
        if us is None:
            print("onnxscript is not installed")
            break
        print(f"{'onnxscript':12} {nodes:8} nodes {us:10.2f} us a match")
    return 0


if __name__ == "__main__":
    sys.exit(main())
