"""Every built-in operator through its Python wrapper, and what compiling says of one that no engine runs."""

import importlib
import inspect

import pytest

import ge
from ge.error import GeError
from ge.es import GraphBuilder
from ge.graph import DataType, Format, Tensor

FAMILIES = ("math", "nn", "cv", "transformer")


def wrappers(name):
    module = importlib.import_module(f"ge.es.{name}")
    found = {n: getattr(module, n) for n in dir(module) if n[0].isupper() and not n.endswith("Output")}
    return {n: f for n, f in found.items() if inspect.isfunction(f)}


def subgraph(name):
    inner = GraphBuilder(name)
    return inner.build_and_reset([inner.create_input(0)])


def argument(text, builder, tensor, serial):
    """Some value for a parameter of this annotation."""
    many = "List[" in text
    if "GraphBuilder" in text:
        return builder
    if "Graph" in text:
        return [subgraph(f"{serial}_0"), subgraph(f"{serial}_1")] if many else subgraph(serial)
    if "TensorHolder" in text:
        return [tensor] if many else tensor
    if "Tensor" in text:
        return Tensor([1.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, [1])
    if "DataType" in text:
        return [DataType.DT_FLOAT] if many else DataType.DT_FLOAT
    if "List[List[int]]" in text:
        return [[1, 2], [3]]
    for name, value in (("str", "a"), ("bool", True), ("float", 1.0), ("int", 1)):
        if name in text:
            return [value] if many else value
    raise AssertionError(f"no value for {text}")


def test_families_hold_what_programs_import():
    from ge.es.all import (  # noqa: F401
        GEMM,
        Add,
        BatchMatMulV2,
        BatchNorm,
        ConcatV2,
        Conv2D,
        HcomAllReduce,
        HcomAllToAllV,
        HcomBroadcast,
        HcomReceive,
        HcomSend,
        If,
        MatMul,
        Relu,
        Sigmoid,
        Split,
    )
    from ge.es.cv import ROIAlign  # noqa: F401
    from ge.es.math import Concat, Identity, TensorMove  # noqa: F401
    from ge.es.nn import ReluGrad  # noqa: F401
    from ge.es.transformer import (  # noqa: F401
        GroupedMatmulFinalizeRouting,
        MoeGatingTopKSoftmax,
        PromptFlashAttention,
    )

    everything = wrappers("all")
    assert len(everything) > 1140
    for family in FAMILIES:
        some = wrappers(family)
        assert some and all(everything[name] is function for name, function in some.items())


def test_every_wrapper_builds_its_node():
    for name, function in wrappers("all").items():
        builder = GraphBuilder(name)
        tensor = builder.create_input(0, shape=[2, 2])
        positional, named = [], {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.default is not parameter.empty:
                continue
            text = str(parameter.annotation).replace("typing.", "")
            value = argument(text, builder, tensor, f"{name}_{parameter.name}")
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            else:
                positional.append(value)
        function(*positional, **named)
        graph = builder.build_and_reset([tensor])
        types = [node.type for node in graph.get_direct_nodes()]
        assert types.count(name) == 1 + (name in ("Data", "NetOutput")), name


@pytest.mark.parametrize("module, name", [("nn", "EluGrad"), ("math", "AtanGrad"), ("transformer", "InterleaveRope")])
def test_an_operator_without_a_kernel_fails_at_compile(module, name):
    builder = GraphBuilder("g")
    function = wrappers(module)[name]
    x = builder.create_input(0, shape=[2, 4])
    count = len(inspect.signature(function).parameters)
    graph = builder.build_and_reset([function(*[x] * count)])
    with pytest.raises(GeError) as caught:
        ge.load(graph)
    text = str(caught.value)
    assert f"{name} '{name}_0'" in text
    for engine in ("DNN_VM_GE_LOCAL", "AIcoreEngine", "VectorEngine", "DNN_VM_HOST_CPU"):
        assert f"{engine}: " in text, text
