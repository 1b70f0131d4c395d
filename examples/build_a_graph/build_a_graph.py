"""Builds y = relu(x * 2 - 3) with the functional builder and runs it."""

import numpy as np

import ge
from ge.es import GraphBuilder
from ge.es.all import Mul, Relu, Sub

builder = GraphBuilder("affine")
x = builder.create_input(0, name="x", shape=[4])
graph = builder.build_and_reset([Relu(Sub(Mul(x, 2.0), 3.0))])

model = ge.load(graph)
(y,) = model.run({"x": np.arange(4, dtype=np.float32)}).values()
print(" ".join(f"{v:g}" for v in y))
