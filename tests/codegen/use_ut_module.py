"""A program over module ut_test (ut_test_protos.cpp): call forms of GE's own tests, and operators named like helpers."""

import inspect
import sys
import typing

import es_ut_test

import ge.es
from ge.es import GraphBuilder, get_plugin, list_plugins
from ge.graph import DataType, Graph, Tensor

# The plug-in is found by its entry point, after the built-in ones; both names lead to the same module.
assert list_plugins() == ["math", "nn", "cv", "transformer", "all", "ut_test"], list_plugins()
assert get_plugin("ut_test") is es_ut_test is ge.es.ut_test
import ge.es.ut_test  # noqa: E402
from ge.es.ut_test import (  # noqa: E402
    Add,
    Const,
    While,
    phony_1i1dyi_1o,
    phony_1i_1o,
    phony_1opi_1o,
    phony_3opi_1o,
    phony_If,
    phony_req_attrs,
)

assert sys.modules["ge.es.ut_test"] is es_ut_test

# One file per operator and one for all, with the same objects; what a star import of a generated file brings.
from es_ut_test.es_Add import Add as one  # noqa: E402
from es_ut_test.es_ut_test_ops import Add as two  # noqa: E402

assert one is two is Add is es_ut_test.Add
scope = {}
exec("from es_ut_test.es_phony_If import *", scope)
assert "phony_If" in scope and "Cphony_IfOutput" in scope
for name in (
    "GraphBuilder TensorHolder TensorLike convert_to_tensor_holder resolve_builder Format esb_generated_lib "
    "EsCTensorHolderPtr EsCGraphBuilderPtr EsCTensorPtr EsCGraph get_generated_lib ctypes os List Optional Union"
).split():
    assert scope[name] is getattr(sys.modules["es_ut_test.es_phony_If"], name), name


def sub(name, count=1):
    inner = GraphBuilder(name)
    return inner.build_and_reset([inner.create_input(0) for _ in range(count)])


b = GraphBuilder("g")
x, y = b.create_inputs(2)
made = [
    Add(x, y),
    Const(b, value=Tensor([1.0], shape=[1])),
    phony_1i_1o(x, index=3),
    phony_1i1dyi_1o(x, [y, 1]),
    phony_1opi_1o(owner_builder=b),
    phony_1opi_1o(x, flag=False),
    phony_1opi_1o(1, b),
    phony_3opi_1o(x2=y),
    phony_3opi_1o(None, None, 2.5, b),
    *While([x], 1, sub("cond"), sub("body")),
    *phony_If(x, [y], 1, sub("then"), sub("else")),
    phony_req_attrs(
        x,
        req_data_type=DataType.DT_INT8,
        req_list_data_type=[DataType.DT_INT8, DataType.DT_BOOL],
        req_list_list_int=[[1], [2, 3], []],
        req_tensor=Tensor([1, 2], data_type=DataType.DT_INT32, shape=[2]),
        req_list_string=["a", b"bc", ""],
    ),
]
node = made[-1]._get_node_snapshot()
assert node.get_attr("req_data_type") == DataType.DT_INT8 and node.get_attr("req_list_data_type") == [2, 12]
assert node.get_attr("req_list_string") == ["a", "bc", ""] and node.get_attr("req_tensor").data == [1, 2]
assert While.__kwdefaults__ == {"parallel_iterations": 10}
for call, text in (
    (lambda: phony_1i_1o(x, index=2**63), "operator phony_1i_1o: argument 'index' is 9223372036854775808"),
    (lambda: phony_1opi_1o(x, flag=3), "operator phony_1opi_1o: argument 'flag' is 3 (int)"),
):
    try:
        call()
    except (TypeError, ValueError) as e:
        assert str(e).startswith(text), e
    else:
        raise AssertionError(text)

# Operators with the names of types and helpers: the operator wins, and its own annotations still mean the types.
NAMED = (
    "List Optional Union Dict Any Graph Tensor DataType Format ctypes os len list dict str getattr globals TypeError "
    "OverflowError ImportError resolve_builder convert_to_tensor_holder get_generated_lib EsCTensorHolderPtr"
).split()
star = {}
exec("from ge.es.ut_test import *", star)
for name in NAMED:
    function = getattr(es_ut_test, name)
    assert inspect.isfunction(function) and function.__name__ == name, name
    assert star[name] is function and es_ut_test.__all__.count(name) == 1
    out = function(x, 2, 2, li=[7], lt=[DataType.DT_INT8], s="other")
    again = function(x, [[1.0]], 1)
    assert len(out.z) == 2 and len(again.z) == 1
    node = out.y._get_node_snapshot()
    assert node.type == name and node.get_attr("li") == [7] and node.get_attr("s") == "other"
    assert not again.y._get_node_snapshot().has_attr("li")  # left at its default
    made += [out.y, *out.z, again.y]
    hints = typing.get_type_hints(function)
    assert hints["li"] == typing.List[int] and hints["lt"] == typing.List[DataType] and hints["s"] is str, name
    assert hints["return"] is getattr(es_ut_test, f"{name}Output")
    try:
        function(x, y, 1, li=[2**70])
    except ValueError as e:
        assert str(e).startswith(f"operator {name}: argument 'li'[0] is 1180591620717411303424"), e
    else:
        raise AssertionError(name)
    structure = getattr(es_ut_test, f"C{name}Output")
    assert [f[0] for f in structure._fields_] == ["y", "z", "z_num"]
graph = b.build_and_reset(made)
assert type(graph) is Graph
types = [n.type for n in graph.get_direct_nodes()]
assert all(types.count(name) == 2 for name in NAMED)
print("ok")
