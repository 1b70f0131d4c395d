"""Operators whose inputs may have different types, against NumPy on inputs that were cast by hand."""

import itertools

import numpy as np
import pytest

import ge
import ge.es.all as es
from ge.error import GeError
from ge.es import GraphBuilder
from ge.graph import DataType

TYPES = {
    "bool": DataType.DT_BOOL,
    "uint8": DataType.DT_UINT8,
    "int8": DataType.DT_INT8,
    "int16": DataType.DT_INT16,
    "int32": DataType.DT_INT32,
    "int64": DataType.DT_INT64,
    "float16": DataType.DT_FLOAT16,
    "float32": DataType.DT_FLOAT,
    "float64": DataType.DT_DOUBLE,
}
FLOATS = ["float16", "float32", "float64"]


def common(a, b):
    """PyTorch's rule, which differs from NumPy's where integers meet floats."""
    floats = [t for t in (a, b) if t in FLOATS]
    if len(floats) == 1:
        return floats[0]
    return np.promote_types(a, b).name


def graph_of(operator, *types, shapes=None):
    b = GraphBuilder("promotes")
    shapes = shapes or [[3]] * len(types)
    inputs = [b.create_input(i, name=f"x{i}", data_type=TYPES[t], shape=s) for i, (t, s) in enumerate(zip(types, shapes))]
    return b.build_and_reset([operator(*inputs)])


def only(result):
    (value,) = result.values()
    return value


OPERATORS = {"Add": (es.Add, np.add), "Mul": (es.Mul, np.multiply), "Pow": (es.Pow, np.power)}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("types", list(itertools.permutations(TYPES, 2)), ids="-".join)
def test_the_result_has_the_common_type(name, types):
    operator, oracle = OPERATORS[name]
    common_type = common(*types)
    values = [np.array([1, 0, 3]).astype(types[0]), np.array([2, 1, 0]).astype(types[1])]
    model = ge.load(graph_of(operator, *types))
    y = only(model.run({"x0": values[0], "x1": values[1]}))
    assert y.dtype == common_type
    np.testing.assert_array_equal(y, oracle(*(v.astype(common_type) for v in values)).astype(common_type))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_every_level_casts(level):
    model = ge.load(graph_of(es.Add, "int32", "float32"), options={"opt_level": level})
    y = only(model.run({"x0": np.array([1, 2, 3], np.int32), "x1": np.array([0.5, 0.25, 0], np.float32)}))
    np.testing.assert_array_equal(y, np.array([1.5, 2.25, 3], np.float32))


def test_a_scaled_sum_takes_three_types():
    model = ge.load(graph_of(es.AxpyV2, "int32", "float16", "float32", shapes=[[3], [2, 3], []]))
    x, y = np.array([1, 2, 3], np.int32), np.arange(6).reshape(2, 3).astype(np.float16)
    z = only(model.run({"x0": x, "x1": y, "x2": np.float32(0.3)}))
    assert z.dtype == np.float32
    np.testing.assert_allclose(z, x + np.float32(0.3) * y.astype(np.float32), rtol=1e-6)
    whole = ge.load(graph_of(es.AxpyV2, "int8", "uint8", "bool"))
    z = only(whole.run({"x0": np.full(3, -100, np.int8), "x1": np.full(3, 200, np.uint8), "x2": np.array([1, 0, 1], bool)}))
    assert z.dtype == np.int16
    np.testing.assert_array_equal(z, [100, -100, 100])


def test_constants_are_folded_in_the_common_type():
    b = GraphBuilder("constants")
    x = b.create_input(0, name="x", shape=[2])
    half = es.Mul(b.create_vector_int64([1, 3]), b.create_const_float([0.5, 0.5], [2]))
    model = ge.load(b.build_and_reset([es.Sub(x, half)]))
    np.testing.assert_array_equal(only(model.run({"x": np.array([1, 1], np.float32)})), [0.5, -0.5])
    assert "Mul" not in [node.type for node in model.placed_graph().get_all_nodes()]


def test_operators_that_do_not_promote_refuse():
    with pytest.raises(GeError, match="Sub 'Sub_0': x2 has data type DT_FLOAT, expected DT_INT64 like x1"):
        ge.load(graph_of(es.Sub, "int64", "float32"))


def test_types_without_a_common_one_are_named():
    b = GraphBuilder("none")
    x = b.create_input(0, name="x", data_type=DataType.DT_STRING, shape=[1])
    y = b.create_input(1, name="y", shape=[1])
    graph = b.build_and_reset([es.Add(x, y)])
    with pytest.raises(GeError, match="Add 'Add_0': x2 has data type DT_FLOAT and x1 DT_STRING: no type holds both"):
        ge.load(graph)


def test_an_inserted_cast_without_a_kernel_names_the_programs_node():
    b = GraphBuilder("complex")
    x = b.create_input(0, name="x", data_type=DataType.DT_COMPLEX64, shape=[2])
    y = b.create_input(1, name="y", shape=[2])
    with pytest.raises(GeError, match="Cast 'Add_0', made by pass PromoteTypes"):
        ge.load(b.build_and_reset([es.Add(x, y)]))
