"""Replacements before inference, where no tensor is described yet, keep data types and shapes."""

import re

import pytest
from pass_kit import STAGE, ReluPattern, chain, compile_types, plain_options, types

import ge
from ge import passes
from ge.error import GeError
from ge.es.all import Abs, Cast, MatMul, ReduceSum, Relu, Sigmoid
from ge.graph import DataType


def to(dtype):
    return lambda x: Cast(x, dst_type=dtype)


def register_replacing(make, decompose):
    """A pass that puts what `make` makes in the place of each Relu."""
    if decompose:

        class Replacing(passes.DecomposePass):
            def replacement(self, node):
                return chain(make)

        passes.register_decompose_pass(name="Replacing", stage=STAGE, op_types=["Relu"])(Replacing)
    else:

        class Replacing(ReluPattern):
            def replacement(self, inputs):
                return make(inputs[0])

        passes.register_fusion_pass(name="Replacing", stage=STAGE)(Replacing)


KEEPING = [Abs, lambda x: to(DataType.DT_FLOAT)(to(DataType.DT_FLOAT16)(x))]
CHANGING = [
    (to(DataType.DT_FLOAT16), "DT_FLOAT16 [4]"),
    (lambda x: ReduceSum(x, [0], keep_dims=True), "DT_FLOAT [1]"),
    (lambda x: ReduceSum(x, [0], keep_dims=False), "DT_FLOAT []"),
]


@pytest.mark.parametrize("make", KEEPING)
@pytest.mark.parametrize("decompose", [False, True])
def test_those_that_keep_types(registry, decompose, make):
    register_replacing(make, decompose)
    assert "Relu" not in compile_types(chain(Sigmoid, Relu, Sigmoid, Relu))


@pytest.mark.parametrize("make, got", CHANGING)
@pytest.mark.parametrize("decompose", [False, True])
def test_those_that_change_types_fail(registry, decompose, make, got):
    register_replacing(make, decompose)
    rule = "Relu" if decompose else "ReluPattern_relu_pattern"
    for graph, place in ((chain(Relu), "output 0 of graph 'g'"), (chain(Sigmoid, Relu, Abs), "output 0 of Abs '")):
        with pytest.raises(GeError) as caught:
            ge.load(graph, plain_options())
        text = str(caught.value)
        assert re.search(f"'Replacing'.*rule '{rule}' \\(first at Relu '", text), text
        assert place in text and f" is {got} with its replacements, and DT_FLOAT [4] without them" in text
        assert types(graph).count("Relu") == 1  # as it was


def test_a_replacement_that_cannot_be_inferred(registry):
    """Sigmoid of integers has no type."""
    register_replacing(to(DataType.DT_STRING), False)
    with pytest.raises(GeError, match=r"'Replacing'.*rule '.*' \(first at Relu '"):
        ge.load(chain(Relu, Sigmoid), plain_options())


def test_a_pass_may_replace_what_cannot_be_inferred(registry):
    """There is nothing to compare with, and the graph is better afterwards."""

    class Repairing(passes.DecomposePass):
        def replacement(self, node):
            return chain(Abs)

    passes.register_decompose_pass(name="Repairing", stage=STAGE, op_types=["MatMul"])(Repairing)
    graph = chain(lambda x: MatMul(x, x), shape=(2, 3))
    with pytest.raises(GeError, match="MatMul"):
        ge.load(graph, {**plain_options(), "passes.disable": "Repairing"})
    assert compile_types(graph) == ["Abs"]
