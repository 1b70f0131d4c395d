"""A program with types, checked by `mypy --strict` in test_stubs.py; lines that must not pass carry an `expect` comment."""

from pathlib import Path
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

import ge
from ge import passes
from ge.allocator import Allocator, MemBlock
from ge.error import GeError, GeValueError, get_ge_error_msg, raise_ge_error
from ge.es import GraphBuilder, TensorHolder, get_plugin, list_plugins
from ge.es.all import BatchNorm, Const, If, SplitV
from ge.es.graph_builder import InputType, attr_scope, control_dependency_scope
from ge.es.math import Add, ConcatV2, MatMul
from ge.es.nn import Conv2D, Relu
from ge.ge_global import GeApi
from ge.graph import DataType, DumpFormat, Format, Graph, Node, Placement, Shape, Tensor, TensorDesc
from ge.passes.pattern import PatternInputs
from ge.session import Session


def build(name: str) -> Graph:
    builder = GraphBuilder(name)
    x: TensorHolder = builder.create_input(0, name="x", data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=[2, -1])
    y = builder.create_input(index=1, type_str=InputType.REF_DATA)
    w = builder.create_const_float([0.5] * 4, shape=[2, 2])
    with attr_scope({"_label": "a"}), control_dependency_scope([x]):
        z = Relu(Add(MatMul(x, w), 1.0) * 2 - y / 3.0)
    parts: list[TensorHolder] = SplitV(z, [1, 1], 0, 2, num_split=2)
    joined = ConcatV2(parts, np.int64(0), N=2) + np.ones(2, np.float32)
    builder.create_const_int32(np.arange(3), shape=np.array([3]))
    c = Const(builder, value=Tensor([1.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, [1]))
    conv = Conv2D(joined, c, None, None, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0])
    norm = BatchNorm(conv, c, c, epsilon=1e-5)
    mean: TensorHolder = norm.batch_mean
    builder.set_graph_attr_string("k", "v")
    builder.set_graph_output(mean.set_shape([2]).set_data_type(DataType.DT_FLOAT), 0)
    return builder.build_and_reset([joined, norm.y])


def branch(cond: TensorHolder, x: TensorHolder, then: Graph, other: Graph) -> list[TensorHolder]:
    return If(cond, [x], 1, then, other)


def inspect(graph: Graph) -> Optional[Node]:
    for node in graph.get_direct_nodes():
        producer, port = node.get_in_data_nodes_and_port_indexes(0)
        desc: TensorDesc = node.get_output_desc(port)
        shape: Shape = desc.shape
        if shape.is_unknown_shape() and desc.data_type == DataType.DT_FLOAT:
            node.set_attr("k", [1, 2])
            return producer
    graph.dump_to_file(format=DumpFormat.kOnnx, suffix="s")
    return None


def run(path: Path) -> NDArray[Any]:
    feed = {"x": np.ones((2, 2), np.float32)}
    with ge.load(path, options={"threads": 2}) as model:
        outputs = model.run(feed)
        model.profile(feed).save("trace.json")
        print(model.placement().engines(), [p.name for p in model.inputs], model.report()["inputs"], model.graph("dot"))
        model.memory_plan.save("plan.svg")
    print(ge.__version__, ge.engines(), ge.options(), list_plugins(), get_plugin("x"))
    return outputs["y"]


class Message:
    def SerializeToString(self) -> bytes:
        return b""


async def call(x: NDArray[np.float32]) -> NDArray[Any]:
    model = ge.load(Message(), keep_source=True)
    first, second = model(x, y=x)
    model({"x": x})
    model(ge.graph.Tensor.from_dlpack(x))
    for port in model.inputs:
        print(port.kind, port.shape_text(), ge.Port)
    try:
        outputs = await model.run_async({"x": first})
    except ge.GeError:
        print(second, ge.es.list_plugins(), ge.session.Session, ge.error.GeKeyError("x"))
        raise
    return outputs["y"]


class Pool(Allocator):
    def malloc(self, size: int) -> MemBlock:
        return MemBlock(64, size)

    def free(self, block: MemBlock) -> None:
        print(block.addr, block.size)


def session(graph: Graph) -> list[Tensor]:
    assert GeApi.ge_initialize({"ge.exec.deviceId": "0"}) == 0
    s = Session({"threads": "2"})
    try:
        assert s.add_graph(1, graph) == 0
        s.register_external_allocator(7, Pool())
        tensor = Tensor([1.0] * 4, shape=[2, 2], placement=Placement.PLACEMENT_HOST)
        return s.run_graph_with_stream_async(1, 7, [tensor]) + s.run_graph(1, [tensor.to_host()])
    except GeValueError as e:
        print(e.code)
        raise_ge_error("RunGraph", graph_id=1)
    except GeError as e:
        print(e.error_message, e.api_name, e.context, get_ge_error_msg())
        raise
    finally:
        GeApi.ge_finalize()


@passes.register_fusion_pass(name="MulOne", stage=passes.PassStage.BEFORE_INFER_SHAPE)
class MulOne(passes.PatternFusionPass):
    def __init__(self) -> None:
        super().__init__(passes.PatternMatcherConfigBuilder().enable_const_value_match().build())

    @passes.pattern
    def mul(self, inputs: PatternInputs) -> TensorHolder:
        x, y = inputs[:2]
        return Add(x, y) + inputs[0].get_owner_builder().create_scalar_float(1.0)

    def meet_requirements(self, match: passes.MatchResult, context: passes.PassContext) -> bool:
        return match.get_captured_tensor(0).node.type != context.get_pass_name()

    def replacement(self, inputs: PatternInputs) -> TensorHolder:
        return inputs[0]


@passes.register_custom_pass(name="ByHand", stage=passes.PassStage.AFTER_INFER_SHAPE)
def by_hand(graph: Graph, context: passes.PassContext) -> None:
    for node in graph.get_direct_nodes():
        boundary = passes.SubgraphBoundary()
        boundary.add_input(0, passes.SubgraphInput([(node, 0)]))
        boundary.add_output(0, passes.SubgraphOutput(node, 0))
        passes.SubgraphRewriter.replace(boundary, graph, context=context)
        if passes.can_fuse([node]).ok and passes.SubgraphRewriter.replace(boundary, graph) == 0:
            passes.report_fuse([node], [], context)
    print(passes.report(clear=True)[0]["descriptor_key"], graph.get_parent_graph(), passes.reload())


def mistakes(graph: Graph, x: TensorHolder) -> None:
    ge.load(3)  # expect: arg-type
    ge.load("m.onnx").run([x])  # expect: arg-type
    ge.load("m.onnx", keep_source="yes")  # expect: arg-type
    print(ge.load("m.onnx").run_async(3))  # expect: arg-type
    graph.dump_to_file("kOnnx")  # expect: arg-type
    GraphBuilder(7)  # expect: arg-type
    Add(x)  # expect: call-arg
    MatMul(x, x, transpose=True)  # expect: call-arg
    Relu("x")  # expect: arg-type
    passes.register_fusion_pass(stage=passes.PassStage.AFTER_INFER_SHAPE)  # expect: call-arg
    passes.can_fuse([graph])  # expect: list-item
    print(ge.nothing)  # expect: attr-defined
