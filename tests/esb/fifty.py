"""The graph of fifty.c, built in Python."""

import sys

import numpy as np

from ge.es import GraphBuilder
from ge.es.all import (
    Add,
    ArgMaxV2,
    Bucketize,
    Const,
    GatherShapes,
    GeluV2,
    If,
    LayerNormGradV3,
    LeakyRelu,
    Less,
    Maximum,
    Mul,
    Neg,
    QueueData,
    ReduceSum,
    Relu,
    Sub,
    TfIdfVectorizer,
    TransposeD,
    Unsqueeze,
    While,
)
from ge.graph import DataType, Format, Tensor


def branch(name, operator):
    b = GraphBuilder(name)
    return b.build_and_reset([operator(b.create_input(0))])


def loop_cond():
    b = GraphBuilder("loop_cond")
    i = b.create_input(0, name="i", data_type=DataType.DT_INT64)
    b.create_input(1)
    return b.build_and_reset([Less(i, b.create_scalar_int64(3))])


def loop_body():
    b = GraphBuilder("loop_body")
    i = b.create_input(0, name="i", data_type=DataType.DT_INT64)
    h = b.create_input(1)
    return b.build_and_reset([Add(i, b.create_scalar_int64(1)), Add(h, b.create_scalar_float(1.0))])


def fifty():
    b = GraphBuilder("fifty")
    x = b.create_input(0, name="x", shape=[2, 4])
    flag = b.create_input(1, data_type=DataType.DT_BOOL, name="flag")
    scale = b.create_const_float([1.0, 2.0, 0.5, -1.0])
    shift = b.create_const_float([0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 0.25, -0.25], shape=[2, 4])
    axis = b.create_vector_int64([1])
    zero = b.create_scalar_int64(0)
    dimension = b.create_scalar_int32(1)
    int32s = b.create_const_int32([-2147483647, 7])
    b.create_const_uint32([4294967295])
    b.create_const_uint64([18446744073709551615, 0])
    h = Add(Mul(x, scale), shift)
    h = LeakyRelu(h, negative_slope=0.25)
    table = Const(b, value=Tensor([10.0, 20.0, 30.0, 40.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, [4]))
    h = Add(h, table)
    for _ in range(11):
        h = Maximum(Sub(h, shift), x)
    total = ReduceSum(h, axis, keep_dims=True)
    best = ArgMaxV2(h, dimension, dtype=DataType.DT_INT32)
    smooth = GeluV2(x, approximate="tanh")
    wide = Unsqueeze(h, axes=[0, -1])
    turned = TransposeD(h, perm=[1, 0])
    chosen = If(flag, [h], 1, branch("then_graph", Relu), branch("else_graph", Neg))
    looped = While([zero, h], 2, loop_cond(), loop_body(), parallel_iterations=10)
    QueueData(b, index=3, queue_name="queue", output_types=[DataType.DT_FLOAT, DataType.DT_INT8], output_shapes=[[4, 8], []])
    Bucketize(x, boundaries=[0.5, 1e-7, float(np.float32(3.0e38))], dtype=DataType.DT_INT64, right=False)
    LayerNormGradV3(x, x, total, total, scale, output_mask=[True, False, True])
    TfIdfVectorizer(
        int32s,
        max_gram_length=1,
        max_skip_count=0,
        min_gram_length=1,
        mode="TF",
        ngram_counts=[0, 1],
        ngram_indexes=[0, 1],
        pool_strings=["", "two words", "été"],
    )
    GatherShapes([x, h], axes=[[0, 0], [1, 1]], dtype=DataType.DT_INT64.value)
    b.add_control_dependency(total, [best, smooth])
    b.set_graph_attr_int64("_revision", -5)
    b.set_graph_attr_string("_author", "fifty.c")
    b.set_graph_attr_bool("_final", True)
    b.set_tensor_attr_int64(h, "_rank", 2)
    b.set_tensor_attr_string(h, "_what", "hidden")
    b.set_tensor_attr_bool(h, "_last", False)
    b.set_node_attr_int64(total, "_group", -(2**63))
    b.set_node_attr_string(total, "_label", "")
    b.set_node_attr_bool(total, "_keep", True)
    wide.set_shape([1, 2, 4, 1]).set_format(Format.FORMAT_NCHW).set_data_type(DataType.DT_FLOAT)
    return b.build_and_reset([h, total, best, smooth, wide, turned, chosen[0], looped[0], looped[1]])


if __name__ == "__main__":
    fifty().save_to_air(sys.argv[1])
