"""Loads the engines of a folder, compiles a graph, and shows which engine each node runs on.

use_null_engine.py FOLDER    the folder with libge_engine_null.so
"""

import sys

import numpy as np

import ge
from ge.es import GraphBuilder
from ge.es.all import Neg, Relu

builder = GraphBuilder("two_nodes")
x = builder.create_input(0, name="x", shape=[4])
graph = builder.build_and_reset([Neg(Relu(x))])

model = ge.load(graph, options={"engines.path": sys.argv[1]})
for row in model.placement():
    print(f"{row['node']} ({row['type']}) runs on {row['engine']}: {row['implementation']}")
    for engine, reason in row["refusals"].items():
        print(f"  refused: {engine}: {reason}")
(y,) = model.run({"x": np.array([-2, -1, 1, 2], dtype=np.float32)}).values()
print("result", " ".join(f"{v:g}" for v in y))
