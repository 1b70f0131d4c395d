"""What arguments may be, and what is said of those that cannot be: operator, argument, value, limit."""

import numpy as np
import pytest
from conftest import raises

from ge.es import GraphBuilder
from ge.es.all import (
    Add,
    BatchNorm,
    Cast,
    ConcatV2,
    Const,
    Conv2D,
    If,
    Relu,
    Reshape,
    Split,
)
from ge.graph import DataType, Graph, Shape, Tensor, TensorDesc

BIG = 2**63


@pytest.fixture
def b():
    return GraphBuilder("g")


@pytest.fixture
def x(b):
    return b.create_input(0, name="x", shape=[2, 3])


def conv(x, **attrs):
    return Conv2D(x, x, None, None, **{"strides": [1, 1, 1, 1], "pads": [0, 0, 0, 0], **attrs})


@pytest.mark.parametrize("attrs, kind, message", [
    ({"groups": BIG}, ValueError, f"operator Conv2D: argument 'groups' is {BIG}, expected -{BIG} to {BIG - 1}"),
    ({"groups": -BIG - 1}, ValueError, f"operator Conv2D: argument 'groups' is -{BIG + 1}, expected"),
    ({"groups": 1.5}, TypeError, "operator Conv2D: argument 'groups' is 1.5 (float), expected an integer"),
    ({"groups": None}, TypeError, "operator Conv2D: argument 'groups' is None (NoneType), expected an integer"),
    ({"groups": "1"}, TypeError, "operator Conv2D: argument 'groups' is '1' (str), expected an integer"),
    ({"strides": [1, 1, BIG, 1]}, ValueError, f"operator Conv2D: argument 'strides'[2] is {BIG}, expected"),
    ({"strides": [1, 1, 0.5, 1]}, TypeError, "operator Conv2D: argument 'strides'[2] is 0.5 (float), expected an integer"),
    ({"strides": None}, TypeError, "operator Conv2D: argument 'strides' is None (NoneType), expected a list of integers"),
    ({"strides": 3}, TypeError, "operator Conv2D: argument 'strides' is 3 (int), expected a list of integers"),
    ({"strides": "1111"}, TypeError, "operator Conv2D: argument 'strides' is '1111' (str), expected a list of integers"),
    ({"dilations": [[1]]}, TypeError, "operator Conv2D: argument 'dilations'[0] is [1] (list), expected an integer"),
    ({"dilations": np.ones((2, 1), np.int64)}, TypeError, "operator Conv2D: argument 'dilations'[0] is "),
    ({"data_format": None}, TypeError, "operator Conv2D: argument 'data_format' is None (NoneType), expected text"),
    ({"data_format": b"NCHW"}, TypeError, "operator Conv2D: argument 'data_format' is b'NCHW' (bytes), expected text"),
    ({"data_format": "NC\0HW"}, ValueError, r"operator Conv2D: argument 'data_format' is 'NC\x00HW', which holds a NUL"),
    ({"data_format": "\ud800"}, ValueError, "operator Conv2D: argument 'data_format' is '\\ud800', which is no valid Unicode"),
])  # fmt: skip
def test_refused_attributes(b, x, attrs, kind, message):
    with pytest.raises(kind) as caught:
        conv(x, **attrs)
    assert str(caught.value).startswith(message)
    conv(x)  # the builder is as before
    assert b.build_and_reset([x]).find_node_by_name("Conv2D_0").type == "Conv2D"


def test_none_where_a_tensor_is_needed(b, x):
    for call, name, expected in (
        (lambda: Add(x, None), "Add: input 'x2'", "a tensor or numbers"),
        (lambda: Add(None, x), "Add: input 'x1'", "a tensor or numbers"),
        (lambda: ConcatV2([x, None], 0, N=2), "ConcatV2: input 'x'", "a tensor or numbers"),
        (lambda: Relu(None), "Relu: input 'x'", "a tensor"),
    ):
        with pytest.raises(AttributeError) as caught:
            call()
        assert str(caught.value) == f"operator {name} is None (NoneType), expected {expected}"
    with pytest.raises(AttributeError, match="^operator Relu: input 'x' is 1.5 .float., expected a tensor$"):
        Relu(1.5)
    for call in (lambda: x + None, lambda: None + x, lambda: x - None, lambda: None - x, lambda: None / x):
        with pytest.raises(AttributeError, match="^Cannot (add|sub|div): the other operand is None, expected a tensor or"):
            call()
    assert [n.type for n in b.build_and_reset([Relu(x)]).get_direct_nodes()] == ["Data", "Relu", "NetOutput"]


def test_builders_subgraphs_and_tensors_that_are_none(b, x):
    tensor = Tensor([1.0], shape=[1])
    for call, message in (
        (lambda: Const(None, value=tensor), "the owner builder is None (NoneType), expected a GraphBuilder"),
        (lambda: Const(3), "the owner builder is 3 (int), expected a GraphBuilder"),
        (lambda: Const(b, value=3), "a tensor attribute of an operator is 3 (int), expected a Tensor"),
        (lambda: If(x, [x], 1, None, None), "a subgraph of an operator is None (NoneType), expected a Graph"),
    ):
        with pytest.raises(AttributeError) as caught:
            call()
        assert str(caught.value) == message
    for value in (None, 3):
        with pytest.raises(TypeError, match=f"^a dynamic input of an operator is {value} .*, expected a list of tensors$"):
            ConcatV2(value, 0, N=2)
    Const(b, value=tensor)  # nothing was handed over before


def test_refused_floats_booleans_and_counts(x):
    def norm(**attrs):
        return BatchNorm(x, x, x, x, x, **attrs)

    for attrs, kind, message in (
        ({"epsilon": "1"}, TypeError, "operator BatchNorm: argument 'epsilon' is '1' (str), expected a number"),
        ({"epsilon": 10**400}, ValueError, "operator BatchNorm: argument 'epsilon' is 10000"),
        ({"is_training": 2}, TypeError, "operator BatchNorm: argument 'is_training' is 2 (int), expected True or False"),
        ({"is_training": None}, TypeError, "operator BatchNorm: argument 'is_training' is None (NoneType)"),
        ({"is_training": "yes"}, TypeError, "operator BatchNorm: argument 'is_training' is 'yes' (str)"),
    ):
        with pytest.raises(kind) as caught:
            norm(**attrs)
        assert str(caught.value).startswith(message)
    for count, kind in ((2**64, ValueError), ("2", TypeError), (None, TypeError)):
        with pytest.raises(kind, match="^operator Split: argument 'y_num' is "):
            Split(0, x, count, num_split=2)
    for count in (-1, 2**40):
        with raises(ValueError, "Tensor handle cannot be None", f"output 'y' has {count} elements"):
            Split(0, x, count, num_split=2)


def test_numpy_attributes_are_the_numbers_they_hold(b, x):
    plain = conv(x, strides=[1, 1, 2, 2], groups=3)
    for strides, groups in (
        (np.array([1, 1, 2, 2]), np.int64(3)),
        (np.array([1, 1, 2, 2], np.int8), np.uint8(3)),
        ([np.int32(1), 1, np.int64(2), 2], np.array(3)),
        ((1, 1, 2, 2), True + 2),
        (range(1, 2), 3),
    ):
        node = conv(x, strides=strides, groups=groups)._get_node_snapshot()
        want = list(strides) if isinstance(strides, range) else plain._get_node_snapshot().get_attr("strides")
        assert node.get_attr("strides") == want and node.get_attr("groups") == 3
    y = BatchNorm(x, x, x, x, x, epsilon=np.float32(0.5), is_training=np.bool_(False)).y._get_node_snapshot()
    assert y.get_attr("epsilon") == 0.5 and y.get_attr("is_training") is False
    y = BatchNorm(x, x, x, x, x, epsilon=1, is_training=0).y._get_node_snapshot()  # int as float, 0 as False
    assert y.get_attr("epsilon") == 1.0 and y.get_attr("is_training") is False
    cast = Cast(x, dst_type=DataType.DT_INT32)
    assert cast._get_node_snapshot().get_attr("dst_type") == 3


def content(tensor):
    value = tensor._get_node_snapshot().get_attr("value")
    return value.data_type.name, list(value.shape), value.data


@pytest.mark.parametrize("value, want", [
    (2, ("DT_INT64", [], 2)),
    (True, ("DT_INT64", [], 1)),
    (2.5, ("DT_FLOAT", [], 2.5)),
    ([2, 3], ("DT_INT64", [2], [2, 3])),
    ([True, 2], ("DT_INT64", [2], [1, 2])),
    ([2, 3.5], ("DT_FLOAT", [2], [2.0, 3.5])),
    ([[1, 2], [3, 4]], ("DT_INT64", [2, 2], [[1, 2], [3, 4]])),
    ([], ("DT_INT64", [0], [])),
    ([7], ("DT_INT64", [1], [7])),
    (np.int32(2), ("DT_INT32", [], 2)),
    (np.int64(2), ("DT_INT64", [], 2)),
    (np.uint8(2), ("DT_INT64", [], 2)),
    (np.bool_(True), ("DT_INT64", [], 1)),
    (np.float32(2.5), ("DT_FLOAT", [], 2.5)),
    (np.float64(2.5), ("DT_FLOAT", [], 2.5)),
    (np.float16(2.5), ("DT_FLOAT", [], 2.5)),
    (np.array([[1, 2], [3, 4]]), ("DT_INT64", [2, 2], [[1, 2], [3, 4]])),
    (np.array([[1, 2], [3, 4]]).T, ("DT_INT64", [2, 2], [[1, 3], [2, 4]])),
    (np.array([1, 2], np.uint32), ("DT_UINT32", [2], [1, 2])),
    (np.array([2**64 - 1], np.uint64), ("DT_UINT64", [1], [2**64 - 1])),
    (np.array([1.5, 2]), ("DT_FLOAT", [2], [1.5, 2.0])),
    (np.array(3), ("DT_INT64", [], 3)),
    (np.zeros((0, 4), np.float32), ("DT_FLOAT", [0, 4], [])),
    ([np.int64(3), 4], ("DT_INT64", [2], [3, 4])),
    ([np.float32(3), 4], ("DT_FLOAT", [2], [3.0, 4.0])),
    ([np.array([1, 2]), [3, 4]], ("DT_INT64", [2, 2], [[1, 2], [3, 4]])),
], ids=str)  # fmt: skip
def test_numbers_and_arrays_as_tensors(b, x, value, want):
    Add(x, value)
    const = b.build_and_reset([x]).find_node_by_name("Const_0")
    tensor = const.get_attr("value")
    assert (tensor.data_type.name, list(tensor.shape), tensor.data) == want


def test_arithmetic_with_arrays(b, x):
    a = np.ones((2, 3), np.float32)
    made = [a + x, x + a, a - x, x / a, np.float32(2) * x, np.int64(2) - x, 2 - x]
    assert [t._get_node_snapshot().type for t in made] == ["Add", "Add", "Sub", "Div", "Mul", "Sub", "Sub"]
    graph = b.build_and_reset(made)
    inputs = [n.get_in_data_nodes_and_port_indexes(0)[0].type for n in graph.get_direct_nodes() if n.type in ("Sub", "Div")]
    assert inputs == ["Const", "Data", "Const", "Const"]


@pytest.mark.parametrize("value, kind, message", [
    (BIG, ValueError, f"Value {BIG} does not fit int64: expected -{BIG} to {BIG - 1}"),
    ([1, BIG], ValueError, f"Value {BIG} (element 1) does not fit int64"),
    ([[1], [-BIG - 1]], ValueError, f"Value -{BIG + 1} (element 1) does not fit int64"),
    ([1.0, 10**400], ValueError, "Value 1000"),
    ("12", TypeError, "Value must be TensorHolder or int|float"),
    (b"12", TypeError, "Value must be TensorHolder or int|float"),
    ({}, TypeError, "Value must be TensorHolder or int|float"),
    (1j, TypeError, "Value must be TensorHolder or int|float"),
    (["a"], TypeError, "Value must be int|float or nested lists"),
    ([None], TypeError, "Value must be int|float or nested lists"),
    ([[1], [2, 3]], ValueError, "Irregular nested list"),
    (np.array(["a"]), TypeError, "Value is a NumPy array of <U1"),
    (np.array([1j]), TypeError, "Value is a NumPy array of complex128"),
], ids=str)  # fmt: skip
def test_refused_tensors(x, value, kind, message):
    with pytest.raises(kind) as caught:
        Add(x, value)
    assert str(caught.value).startswith(message)


def test_a_list_makes_the_same_constant_on_every_way(b):
    for value in ([2, 3], [2], [2.5], [1, 2.5]):
        kind = "float" if any(isinstance(v, float) for v in value) else "int64"
        first = getattr(b, f"create_const_{kind}")(value)
        second = getattr(b, f"create_const_{kind}")(value, [len(value)])
        third = getattr(b, f"create_const_{kind}")(np.array(value, np.float32 if kind == "float" else np.int64))
        assert content(first) == content(second) == content(third)


@pytest.mark.parametrize("kind, low, high", [
    ("int32", -(2**31), 2**31 - 1),
    ("int64", -(2**63), 2**63 - 1),
    ("uint32", 0, 2**32 - 1),
    ("uint64", 0, 2**64 - 1),
])  # fmt: skip
def test_limits_of_constants(b, kind, low, high):
    scalar = getattr(b, f"create_scalar_{kind}")
    const = getattr(b, f"create_const_{kind}")
    assert content(scalar(low))[2] == low and content(scalar(high))[2] == high
    assert content(const([low, high]))[2] == [low, high]
    for value in (low - 1, high + 1):
        with pytest.raises(ValueError, match="Value"):
            scalar(value)
        with pytest.raises(ValueError, match="Value"):
            const(value)
        if kind[0] == "i":
            with pytest.raises(ValueError, match=rf"Value {value} \(element 1\) does not fit {kind}: expected {low} to {high}"):
                const([low, value])
    for value in ("1", None, 1.5, [1], np.float32(1)):
        with pytest.raises(TypeError, match="Value must be an integer"):
            scalar(value)
    assert content(scalar(np.uint8(7)))[2] == 7
    with pytest.raises(ValueError, match="^Value count"):
        const([1, 2], [3])
    with pytest.raises(ValueError):
        const([], [BIG, 0])


def test_shapes(b):
    x = b.create_input(0, shape=np.array([2, 3]))
    assert list(x._get_node_snapshot().get_output_desc(0).shape) == [2, 3]
    x.set_shape([np.int64(4), 5])
    assert list(x._get_node_snapshot().get_output_desc(0).shape) == [4, 5]
    assert Shape(np.array([1, 2])) == [1, 2] and TensorDesc(np.array([1, 2])).shape == [1, 2]
    assert Tensor([1, 2], data_type=DataType.DT_INT32, shape=np.array([2])).shape == [2]
    with pytest.raises(ValueError, match=f"create_input: dimension 1 of the shape is {BIG}, expected at most {BIG - 1}"):
        b.create_input(1, shape=[1, BIG])
    with pytest.raises(ValueError, match=f"set_shape: dimension 0 of the shape is {BIG}"):
        x.set_shape([BIG])
    with pytest.raises(ValueError, match="Tensor: dimension 0 of the shape is"):
        Tensor([1.0], shape=[BIG])
    for bad in ((2, 3), "23", [2.0], [None], np.array([1.5]), np.ones((1, 1), np.int64)):
        with pytest.raises(TypeError, match="hape must be a list of integers"):
            b.create_input(1, shape=bad)
        with pytest.raises(TypeError, match="must be a list of integers"):
            TensorDesc(bad)
    with pytest.raises(ValueError, match=f"create_input: index is {BIG}"):
        b.create_input(BIG)


def test_texts_with_nul_are_refused(b, x):
    graph = Graph("g")
    for call in (
        lambda: GraphBuilder("a\0b"),
        lambda: Graph("a\0b"),
        lambda: b.create_input(5, name="a\0b"),
        lambda: b.create_variable(0, "a\0b"),
        lambda: b.set_graph_attr_string("a", "b\0c"),
        lambda: b.set_node_attr_int64(x, "a\0b", 1),
        lambda: graph.set_attr("a\0b", 1),
        lambda: graph.set_attr("a", ["b\0c"]),
        lambda: graph.find_node_by_name("a\0b"),
        lambda: graph.save_to_air("a\0b"),
    ):
        with pytest.raises(ValueError, match="holds a NUL character"):
            call()


def test_attributes_of_graphs_and_nodes(b, x):
    graph = Graph("g")
    for value, want in (
        (np.int32(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.array([1, 2]), [1, 2]),
        (np.array([0.5]), [0.5]),
        ([np.int64(1), 2], [1, 2]),
        ([True, False], [True, False]),
        ("a\0b", "a\0b"),
    ):
        graph.set_attr("a", value)
        got = graph.get_attr("a")
        assert got == want and type(got) is type(want)
    with pytest.raises(ValueError, match=f"Value of attribute 'a' is {BIG}, expected -{BIG} to {BIG - 1}"):
        graph.set_attr("a", BIG)
    with pytest.raises(ValueError, match=f"Element 1 of attribute 'a' is -{BIG + 1}"):
        graph.set_attr("a", [1, -BIG - 1])
    for bad in (None, {}, (1,), [1, "a"], [[1]], 1j):
        with pytest.raises(ValueError, match="Unsupported attribute type"):
            graph.set_attr("a", bad)
    with pytest.raises(ValueError, match="Value of attribute 'a' is"):
        b.set_node_attr_int64(x, "a", BIG)


def test_tensor_content():
    a = np.arange(6, dtype=np.int32).reshape(2, 3)
    t = Tensor(a.T, data_type=DataType.DT_INT32)
    assert t.shape == [3, 2] and t.data == a.T.tolist()
    assert Tensor(a, shape=[6]).data == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert Tensor([np.int64(1), 2], data_type=DataType.DT_INT8, shape=[2]).data == [1, 2]
    assert Tensor([np.bool_(True), False], data_type=DataType.DT_BOOL, shape=[2]).data == [True, False]
    with pytest.raises(ValueError, match="does not fit DT_INT8: element 1 is 128, expected -128 to 127"):
        Tensor([0, 128], data_type=DataType.DT_INT8, shape=[2])
    with pytest.raises(ValueError, match="does not fit DT_UINT32: element 0 is -1, expected 0 to 4294967295"):
        Tensor([-1], data_type=DataType.DT_UINT32, shape=[1])


@pytest.mark.parametrize("dtype", "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 bool".split())
def test_tensors_are_arrays(dtype):
    a = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    code = DataType.DT_FLOAT if dtype == "float32" else DataType[f"DT_{dtype.upper()}"]
    t = Tensor(a.reshape(-1).tolist(), data_type=code, shape=[2, 3])
    view = np.asarray(t)
    assert view.dtype == a.dtype and (view == a).all() and not view.flags.writeable
    del t
    assert (view == a).all()
    assert np.array(Tensor([1.5], shape=[]), np.float64) == 1.5
    assert np.asarray(Tensor([], shape=[0, 3])).shape == (0, 3)


def test_arrays_of_unknown_types():
    desc = Tensor([1, 2], data_type=DataType.DT_INT16, shape=[2]).set_data_type(DataType.DT_BF16)
    with pytest.raises(TypeError, match="NumPy has no type for DT_BF16"):
        np.asarray(desc)


def test_what_a_failed_call_took_is_given_back(b, x):
    def branch(name):
        s = GraphBuilder(name)
        return s.build_and_reset([s.create_input(0)])

    t, e = branch("t"), branch("e")
    with pytest.raises(RuntimeError, match="already has an new owner"):
        If(x, [x], 1, t, t)
    with pytest.raises(ValueError, match="argument 'output_num'"):
        If(x, [x], 2**70, t, e)
    with raises(ValueError, "Tensor handle cannot be None", "it has 1 outputs, the operator has 2"):
        If(x, [x], 2, t, e)
    (y,) = If(x, [x], 1, t, e)
    value = Tensor([1.0], shape=[1])
    other = GraphBuilder("other")
    other.build_and_reset([])
    with pytest.raises(ValueError):
        Const(other, value=value)
    constant = Const(b, value=value)
    with pytest.raises(RuntimeError, match="already has an new owner"):
        Const(b, value=value)
    assert len(b.build_and_reset([y, constant]).get_all_subgraphs()) == 2


def test_required_inputs_and_wrong_kinds(b, x):
    for call in (lambda: Relu(None), lambda: Relu(1.0), lambda: Add(x, None), lambda: Cast(x, dst_type=None)):
        with pytest.raises((AttributeError, TypeError)):
            call()
    with pytest.raises(ValueError, match="at least one input tensor"):
        Add(1, 2)
    with pytest.raises(ValueError, match="at least one input tensor"):
        ConcatV2([], 1, N=0)
    with raises(ValueError, "Tensor handle cannot be None", "belongs to another graph builder"):
        Add(x, GraphBuilder("other").create_input(0))
    y = ConcatV2([x, 1, np.ones((2, 3), np.float32)], concat_dim=0, N=3)
    z = ConcatV2((x, x), 0, N=2)
    w = Reshape(x, np.array([3, 2]))
    types = [n.type for n in b.build_and_reset([y, z, w]).get_direct_nodes()]
    assert types.count("Const") == 5 and types.count("ConcatV2") == 2


def test_outputs_are_plain_attributes(b, x):
    out = BatchNorm(x, x, x, x, x)
    assert type(out).__name__ == "BatchNormOutput" and out.y is out.y and out.y.name == out.batch_mean.name
    assert {"y", "batch_mean", "batch_variance"} <= set(dir(out)) and not hasattr(out, "nothing")
    assert not hasattr(out, "__iter__")
    out.y = x
    assert out.y is x
    made = type(out)(*range(6))
    assert (made.y, made.batch_mean) == (0, 1)
    with pytest.raises(TypeError):
        type(out)()


def test_integers_of_a_feed(b):
    import ge

    i = b.create_input(0, name="i", data_type=DataType.DT_INT64, shape=[2])
    m = ge.load(b.build_and_reset([Add(i, 1)]))
    for bad in ([1, BIG], [1, None], None, "ab", [1, 0.5], [1]):
        with pytest.raises((TypeError, ValueError), match="'i'"):
            m.run({"i": bad})
    assert m.run({"i": [1, BIG - 2]}).popitem()[1].tolist() == [2, BIG - 1]
    tensor = Tensor([5, 6], data_type=DataType.DT_INT64, shape=[2])
    assert m.run({"i": tensor}).popitem()[1].tolist() == [6, 7]
