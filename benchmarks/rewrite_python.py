#!/usr/bin/env python3
"""Time of a rewrite by a pass that is written in Python: a match found, checked and replaced, in expression style.

    benchmarks/rewrite_python.py [--nodes N,N,…] [--rounds N]

The graph is a chain of Relu and of multiplications by 1 that the pass takes out, one match for every three nodes. Figures are
medians over the rounds of the pass's own time, in microseconds a match.
"""

import argparse
import statistics

import ge
from ge import passes
from ge.es import GraphBuilder
from ge.es.all import Relu

NAME = "RewriteBenchmark"


class MulOne(passes.PatternFusionPass):
    """x * 1 becomes x."""

    def __init__(self):
        super().__init__(passes.PatternMatcherConfigBuilder().enable_const_value_match().build())

    @passes.pattern
    def mul(self, inputs):
        return inputs[0] * inputs[0].get_owner_builder().create_scalar_float(1.0)

    def replacement(self, inputs):
        return inputs[0]


class Checked(MulOne):
    """The same with a look at what the match reads."""

    def meet_requirements(self, match):
        return match.get_captured_tensor(0).node.type != "Const"


class Renewed(MulOne):
    """Relu(x) * 1 becomes Relu(x) of a new node."""

    @passes.pattern
    def mul(self, inputs):
        return Relu(inputs[0]) * inputs[0].get_owner_builder().create_scalar_float(1.0)

    def replacement(self, inputs):
        return Relu(inputs[0])


PASSES = {"removes": MulOne, "removes, checked": Checked, "replaces": Renewed}


def chain(nodes):
    """A graph of about so many nodes."""
    builder = GraphBuilder("chain")
    tensor = builder.create_input(0, shape=[4])
    for _ in range(nodes // 3):
        tensor = Relu(tensor) * builder.create_scalar_float(1.0)
    return builder.build_and_reset([tensor])


def measure(cls, nodes, rounds=5):
    """Microseconds a match: the median of the rounds."""
    times = []
    passes.register_fusion_pass(name=NAME, stage=passes.PassStage.BEFORE_INFER_SHAPE)(cls)
    try:
        graph = chain(nodes)
        for _ in range(rounds):
            passes.report(clear=True)
            ge.load(graph, {"opt_level": 0})
            (found,) = passes.report(clear=True)
            assert found["matches_applied"] == nodes // 3
            times.append(found["ms"] * 1000 / found["matches_applied"])
    finally:
        passes.clear_registered_passes()
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    sizes = [int(n) for n in arguments.nodes.split(",")]
    print(f"{'us a match':<18}" + "".join(f"{n:>10}" for n in sizes))
    for name, cls in PASSES.items():
        print(f"{name:<18}" + "".join(f"{measure(cls, n, arguments.rounds):>10.1f}" for n in sizes), flush=True)


if __name__ == "__main__":
    main()
