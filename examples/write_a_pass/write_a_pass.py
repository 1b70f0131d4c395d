#!/usr/bin/env python3
"""Compiles a graph with the pass of product_with_bias.py, which it finds through the environment, and tells what that did."""

import os
import pathlib

import numpy as np

import ge
from ge import passes
from ge.es import GraphBuilder
from ge.es.all import Add, MatMulV2


def main():
    # The variable is read when the first graph is compiled.
    os.environ.setdefault("ASCEND_GE_PY_PASS_PATH", str(pathlib.Path(__file__).with_name("product_with_bias.py")))
    builder = GraphBuilder("net")
    x = builder.create_input(0, name="x", shape=[1, 2])
    w = builder.create_const_float([1.0, 2.0, 3.0, 4.0], [2, 2])
    bias = builder.create_const_float([10.0, 20.0])
    model = ge.load(builder.build_and_reset([Add(bias, MatMulV2(x, w))]))
    first, second = model(np.ones((1, 2), np.float32))[0]
    (instance,) = passes.report()
    print(f"{first:g} {second:g}, {instance['matches_applied']} fused")  # 14 26, 1 fused


if __name__ == "__main__":
    main()
