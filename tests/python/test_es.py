"""ge.es: builder, holders, scopes, numbers as tensors, plug-ins, generated wrappers."""

import copy
import traceback

import numpy as np
import pytest
from conftest import raises

import ge
from ge.error import GeError
from ge.es import GraphBuilder, TensorHolder
from ge.es.graph_builder import InputType, attr_scope, control_dependency_scope
from ge.es.tensor_like import _flatten_and_infer_shape, _unflatten, convert_to_tensor_holder, resolve_builder
from ge.graph import DataType, Format, Graph, Tensor

SPENT = "Cannot {}: GraphBuilder has already been built. Create a new GraphBuilder to build another graph."


def names(graph):
    return [n.name for n in graph.get_direct_nodes()]


def test_builder_names():
    assert GraphBuilder().name == "graph" and GraphBuilder("").name == "graph" and GraphBuilder("n").name == "n"
    with raises(TypeError, "Graph name must be a string"):
        GraphBuilder(3)
    with raises(RuntimeError, "GraphBuilder does not support copy"):
        copy.copy(GraphBuilder())
    with pytest.raises(AttributeError):
        GraphBuilder().name = "x"


def test_create_input(builder):
    x = builder.create_input(0, name="x", data_type=DataType.DT_INT32, format=Format.FORMAT_NCHW, shape=[1, -1, 3, 4])
    ref = builder.create_input(index=1, type_str=InputType.REF_DATA)
    assert (x.name, ref.name) == ("x", "input_1")
    graph = builder.build_and_reset([x])
    node = graph.find_node_by_name("x")
    desc = node.get_output_desc(0)
    assert node.type == "Data" and node.get_attr("index") == 0
    assert (desc.shape, desc.origin_shape, desc.format, desc.data_type) == ([1, -1, 3, 4], [1, -1, 3, 4], 0, 3)
    assert node.get_input_desc(0).shape == [1, -1, 3, 4]  # aligned by the build
    assert graph.find_node_by_name("input_1").type == "RefData"
    assert graph.find_node_by_name("input_1").get_output_desc(0).shape == []


def test_create_input_refuses(builder):
    with raises(TypeError, "Input index must be an integer"):
        builder.create_input("0")
    with raises(TypeError, "Shape must be a list of integers"):
        builder.create_input(0, shape=(1,))
    with raises(RuntimeError, "Failed to create input"):
        builder.create_input(-1)
    builder.create_input(0)
    with raises(RuntimeError, "Failed to create input", "input 0 exists already"):
        builder.create_input(0)
    with pytest.raises(AttributeError):
        builder.create_input(1, data_type=0)
    for bad in (0, -1, 1.5, None):
        with raises(TypeError, "Number of inputs must be a positive integer"):
            builder.create_inputs(bad)
    for bad in (-1, "0"):
        with raises(TypeError, "Start index must be a non-negative integer"):
            builder.create_inputs(1, bad)
    assert [t.name for t in builder.create_inputs(2, 1)] == ["input_1", "input_2"]


@pytest.mark.parametrize(
    "kind, value, shape, dims, data",
    [
        ("int64", [1, 2, 3], None, [3], [1, 2, 3]),
        ("int64", 5, None, [], 5),
        ("int64", [5], [], [], 5),
        ("int64", [5], None, [1], [5]),
        ("int64", [], None, [0], []),
        ("int32", [1, 2, 3, 4], [2, 2], [2, 2], [[1, 2], [3, 4]]),
        ("uint64", [2**64 - 1, 0], None, [2], [2**64 - 1, 0]),
        ("uint32", [7], [1, 1], [1, 1], [[7]]),
        ("float", [1, 2.5], None, [2], [1.0, 2.5]),
        ("float", 3, None, [], 3.0),
        ("float", 3.5, [1], [1], [3.5]),
    ],
)
def test_constants(builder, kind, value, shape, dims, data):
    t = getattr(builder, f"create_const_{kind}")(value, shape)
    assert t.name == "Const_0"
    stored = builder.build_and_reset([t]).find_node_by_name("Const_0").get_attr("value")
    assert (stored.shape, stored.data) == (dims, data)
    assert stored.data_type is DataType["DT_" + kind.upper()] and stored.format is Format.FORMAT_ND


def test_constant_refuses(builder):
    for kind in ("int64", "int32", "uint64", "uint32"):
        for bad in (1.5, [1.5], "1", None, (1,)):
            with raises(TypeError, "Value must be an integer or list of integers"):
                getattr(builder, f"create_const_{kind}")(bad)
    with raises(TypeError, "Value must be a float or list of floats"):
        builder.create_const_float("1")
    with raises(ValueError, "Value count (3) doesn't match shape [2, 2] (expected 4 elements)"):
        builder.create_const_float([1.0, 2.0, 3.0], [2, 2])
    with raises(ValueError, "Value count (1) doesn't match shape [2] (expected 2 elements)"):
        builder.create_const_int64(1, [2])
    with raises(TypeError, "Value must be a list of integers"):
        builder.create_vector_int64(3)
    for kind in ("int64", "int32", "uint64", "uint32"):
        with raises(TypeError, "Value must be an integer"):
            getattr(builder, f"create_scalar_{kind}")(1.0)
    with raises(TypeError, "Value must be a number"):
        builder.create_scalar_float("1")
    with raises(ValueError, "Value must be non-negative for uint64"):
        builder.create_const_uint64(-1)
    for bad in (-1, 2**32):
        with raises(ValueError, "Value must be in range [0, 2^32-1] for uint32"):
            builder.create_scalar_uint32(bad)
    with raises(TypeError, "Index must be an integer"):
        builder.create_variable("0", "v")
    with raises(TypeError, "Name must be a string"):
        builder.create_variable(0, 1)


def test_variable_and_vector(builder):
    assert builder.create_variable(0, "v").name == "v"
    graph = builder.build_and_reset([builder.create_vector_int64([4, 5])])
    assert graph.find_node_by_name("v").type == "Variable" and graph.find_node_by_name("v").get_attr("index") == 0
    assert graph.find_node_by_name("Const_0").get_attr("value").data == [4, 5]


def test_node_numbers_are_shared(builder):
    x = builder.create_input(0)
    y = (1.0 + x) * [2.0, 3.0] - x
    builder.set_graph_output(y / 4, 0)
    assert names(builder.build_and_reset()) == [
        "input_0", "Const_0", "Add_1", "Const_2", "Mul_3", "Sub_4", "Const_5", "Div_6", "NetOutput_g",
    ]  # fmt: skip


def test_names_may_repeat(builder, tmp_path):
    """Numbers depend on nothing but what was built before; a name finds the first node, a feed knows "#2"."""
    a = builder.create_input(0, name="Add_0", shape=[2])
    b = builder.create_input(1, name="Add_0", shape=[2])
    builder.create_variable(7, "v")
    builder.create_variable(8, "v")
    graph = builder.build_and_reset([(a + b) - a * 2.0, b])
    assert names(graph) == [
        "Add_0", "Add_0", "v", "v", "Add_0", "Const_1", "Mul_2", "Sub_3", "NetOutput_g",
    ]  # fmt: skip
    assert graph.find_node_by_name("Add_0").get_attr("index") == 0
    assert graph.find_node_by_name("v").get_attr("index") == 7
    graph.save_to_air(str(tmp_path / "repeated.air"))
    loaded = Graph("loaded")
    loaded.load_from_air(str(tmp_path / "repeated.air"))
    assert names(loaded) == names(graph) and str(loaded) == str(graph)
    assert "%Add_0#3 : [#users=1] = Node[type=Add] (inputs = (x1=%Add_0, x2=%Add_0#2))" in str(graph)
    feed = {"Add_0": np.float32([1, 2]), "Add_0#2": np.float32([10, 20])}
    for each in (graph, loaded):
        model = ge.load(each)
        assert [p.name for p in model.inputs] == ["Add_0", "Add_0#2"]
        assert [p.name for p in model.outputs] == ["Sub_3", "Add_0"]
        results = model.run(feed)
        np.testing.assert_array_equal(results["Sub_3"], [9, 18])
        np.testing.assert_array_equal(results["Add_0"], [10, 20])
        with pytest.raises(ValueError, match="missing input 'Add_0#2'"):
            model.run({"Add_0": feed["Add_0"]})


def test_reflected_arithmetic(builder):
    x = builder.create_input(0)
    for t, inputs in ((1.0 + x, "input_0 Const_0"), (1.0 - x, "Const_2 input_0"), (2 / x, "Const_4 input_0")):
        node = t._get_node_snapshot()
        assert " ".join(node.get_in_data_nodes_and_port_indexes(i)[0].name for i in (0, 1)) == inputs
    assert x.add(x)._get_node_snapshot().type == "Add"
    assert x == x and x != builder.create_input(1) and hash(x) == hash(x)
    for twin in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": [x]})["x"][0]):  # not blocked
        assert twin is not x and twin.get_owner_builder() is builder and (twin + 1)._get_node_snapshot().type == "Add"


def test_arithmetic_refuses(builder):
    x = builder.create_input(0)
    other = GraphBuilder("h").create_input(0)
    for op in ("add", "sub", "mul", "div"):
        with raises(ValueError, f"Cannot perform {op}: tensors from different GraphBuilders ('g' vs 'h')"):
            getattr(x, op)(other)
    with raises(TypeError, "Value must be TensorHolder or int|float or nested lists of int|float or None"):
        x + "1"
    with pytest.raises(AttributeError):
        x + None
    with raises(RuntimeError, "TensorHolder objects should not be created directly"):
        TensorHolder()
    with raises(ValueError, "Tensor handle cannot be None"):
        TensorHolder._create_from(None, builder)
    with raises(ValueError, "Owner builder cannot be None"):
        TensorHolder._create_from(x._handle, None)


def test_holder_setters(builder):
    x = builder.create_input(0)
    assert x.set_data_type(DataType.DT_INT8).set_format(Format.FORMAT_NHWC).set_shape([1, -1]) is x
    desc = x._get_node_snapshot().get_output_desc(0)
    assert (desc.data_type, desc.format, desc.origin_format) == (2, 1, 1)
    assert desc.shape == desc.origin_shape == [1, -1]
    assert x.set_shape([]) is x and x.get_owner_builder() is builder
    for call, message in (
        (lambda: x.set_data_type(0), "Data type must be a DataType enum"),
        (lambda: x.set_format(0), "Format must be a Format enum"),
        (lambda: x.set_shape((1,)), "Shape must be a list of integers"),
        (lambda: x.set_shape([1.0]), "All shape dimensions must be integers"),
    ):
        with raises(TypeError, message):
            call()


def test_attributes(builder):
    x = builder.create_input(0)
    builder.set_graph_attr_int64("gi", 7)
    builder.set_graph_attr_string("gs", "ü")
    builder.set_graph_attr_bool("gb", True)
    builder.set_node_attr_int64(x, "ni", -7)
    builder.set_node_attr_string(x, "ns", "n")
    builder.set_node_attr_bool(x, "nb", False)
    builder.set_tensor_attr_int64(x, "ti", 1)
    builder.set_tensor_attr_string(x, "ts", "t")
    builder.set_tensor_attr_bool(x, "tb", True)
    for call, message in (
        (lambda: builder.set_graph_attr_int64(1, 1), "Attribute name must be a string"),
        (lambda: builder.set_graph_attr_int64("a", "1"), "Value must be an integer"),
        (lambda: builder.set_graph_attr_string("a", 1), "Value must be a string"),
        (lambda: builder.set_graph_attr_bool("a", 1), "Value must be a boolean"),
        (lambda: builder.set_tensor_attr_int64(1, "a", 1), "Tensor must be a TensorHolder"),
        (lambda: builder.set_node_attr_bool(x, "a", 1), "Value must be a boolean"),
        (lambda: builder.set_node_attr_bool(x, 1, True), "Attribute name must be a string"),
    ):
        with raises(TypeError, message):
            call()
    graph = builder.build_and_reset([x])
    node = graph.find_node_by_name("input_0")
    assert [graph.get_attr(a) for a in ("gi", "gs", "gb")] == [7, "ü", True]
    assert [node.get_attr(a) for a in ("ni", "ns", "nb")] == [-7, "n", False]
    assert [node.get_output_attr(a, 0) for a in ("ti", "ts", "tb")] == [1, "t", True]


def test_control_dependency(builder):
    a, b, c = builder.create_inputs(3)
    s = a + b
    builder.add_control_dependency(s, [c, a])
    assert sorted(n.name for n in s._get_node_snapshot().get_in_control_nodes()) == ["input_0", "input_2"]
    for call, message in (
        (lambda: builder.add_control_dependency(1, [a]), "dst_tensor must be a TensorHolder"),
        (lambda: builder.add_control_dependency(a, (b,)), "src_tensors must be a list"),
        (lambda: builder.add_control_dependency(a, [1]), "src_tensors must be a list of TensorHolder"),
    ):
        with raises(TypeError, message):
            call()


def test_outputs(builder):
    x = builder.create_input(0)
    for call, message in (
        (lambda: builder.set_graph_output(1, 0), "Tensor must be a TensorHolder"),
        (lambda: builder.set_graph_output(x, "0"), "Output index must be an integer"),
        (lambda: builder.build_and_reset((x,)), "Outputs must be a list"),
        (lambda: builder.build_and_reset([1]), "All outputs must be TensorHolder objects"),
    ):
        with raises(TypeError, message):
            call()
    builder.set_graph_output(x, 0)
    for index in (0, -1):
        with raises(RuntimeError, f"Failed to set graph output for graph g output index {index}"):
            builder.set_graph_output(x, index)
    with raises(RuntimeError, "Failed to set graph output for graph g output index 0"):
        builder.build_and_reset([x])
    builder.set_graph_output(x, 1)
    net = builder.build_and_reset().find_node_by_name("NetOutput_g")
    assert net.type == "NetOutput" and net.get_inputs_size() == 2 and net.get_outputs_size() == 0


@pytest.mark.parametrize(
    "inputs, outputs, reason",
    [
        ([1], [], "input 0 is missing"),
        ([0, 2], [], "input 1 is missing"),
        ([0], [1], "output 0 is missing"),
        ([0], [0, 2], "output 1 is missing"),
    ],
)
def test_gaps_are_reported_by_the_build(builder, inputs, outputs, reason):
    tensors = [builder.create_input(i) for i in inputs]
    for i in outputs:
        builder.set_graph_output(tensors[0], i)
    with raises(RuntimeError, "Failed to build graph", reason):
        builder.build_and_reset()
    builder.create_const_int64(1)  # not marked as built


def test_outputs_of_another_builder(builder):
    other = GraphBuilder("other")
    x, y = builder.create_input(0), other.create_input(0)
    message = "Cannot {}: tensors from different GraphBuilders ('g' vs 'other')"
    with raises(ValueError, message.format("set graph output")):
        builder.set_graph_output(y, 0)
    with raises(ValueError, message.format("build_and_reset")):
        builder.build_and_reset([x, y])
    with raises(ValueError, message.format("set tensor attribute")):
        builder.set_tensor_attr_int64(y, "a", 1)
    with raises(ValueError, message.format("set node attribute")):
        builder.set_node_attr_bool(y, "a", True)
    assert names(other.build_and_reset()) == ["input_0", "NetOutput_other"]  # untouched
    assert names(builder.build_and_reset([x])) == ["input_0", "NetOutput_g"]


def test_no_outputs_by_name(builder):
    """An empty list names no outputs: the same as no list."""
    x = builder.create_input(0)
    graph = builder.build_and_reset([])
    assert names(graph) == ["input_0", "NetOutput_g"]
    assert "return" not in str(graph)
    other = GraphBuilder("h")
    other.set_graph_output(other.create_input(0), 0)
    assert "return (%input_0)" in str(other.build_and_reset([]))
    assert x.name == "input_0"


def test_empty_build():
    assert names(GraphBuilder("e").build_and_reset()) == ["NetOutput_e"]


def test_spent_builder(builder):
    x = builder.create_input(0)
    graph = builder.build_and_reset([x])
    for call, operation in (
        (lambda: builder.create_input("bad"), "create input"),
        (lambda: builder.create_inputs(-1), "create inputs"),
        (lambda: builder.create_const_int64("bad"), "create constant"),
        (lambda: builder.create_const_float("bad"), "create constant"),
        (lambda: builder.create_vector_int64("bad"), "create vector"),
        (lambda: builder.create_scalar_float("bad"), "create scalar"),
        (lambda: builder.create_variable("bad", 1), "create variable"),
        (lambda: builder.set_graph_output("bad", 0), "set graph output"),
        (lambda: builder.set_graph_attr_int64(1, 1), "set graph attribute"),
        (lambda: builder.set_tensor_attr_bool(1, 1, 1), "set tensor attribute"),
        (lambda: builder.set_node_attr_string(1, 1, 1), "set node attribute"),
        (lambda: builder.add_control_dependency(1, 1), "add control dependency"),
        (lambda: builder.build_and_reset(1), "build_and_reset"),
        (lambda: x.set_data_type(1), "set data type"),
        (lambda: x.set_format(1), "set format"),
        (lambda: x.set_shape(1), "set shape"),
        (lambda: x + "bad", "add"),
        (lambda: 1 - x, "sub"),
        (lambda: x * x, "mul"),
        (lambda: 1 / x, "div"),
    ):
        with raises(RuntimeError, SPENT.format(operation)):
            call()
    assert builder.name == "g" and x.name == "input_0" and graph.name == "g"


# ---- numbers as tensors ----


def test_convert(builder):
    x = builder.create_input(0)
    assert convert_to_tensor_holder(None, builder) is None and convert_to_tensor_holder(x, builder) is x
    for value, data_type, shape, data in (
        (3, DataType.DT_INT64, [], 3),
        (True, DataType.DT_INT64, [], 1),
        (1.5, DataType.DT_FLOAT, [], 1.5),
        ([2, 3], DataType.DT_INT64, [2], [2, 3]),
        ([[1, 2.5]], DataType.DT_FLOAT, [1, 2], [[1.0, 2.5]]),
        ([], DataType.DT_INT64, [0], []),
    ):
        stored = convert_to_tensor_holder(value, builder)._get_node_snapshot().get_attr("value")
        assert (stored.data_type, stored.shape, stored.data) == (data_type, shape, data)
    with raises(ValueError, "Irregular nested list: all sub-lists must have the same shape"):
        convert_to_tensor_holder([[1], [1, 2]], builder)
    for bad in ([["a"]], [[], []]):
        with raises(TypeError, "Value must be int|float or nested lists of int|float"):
            convert_to_tensor_holder(bad, builder)


def test_resolve(builder):
    x = builder.create_input(0)
    other = GraphBuilder("h")
    assert resolve_builder(None, 1, x, other) is builder and resolve_builder(1, other, x) is other
    with raises(ValueError, "At least one argument is required to resolve GraphBuilder"):
        resolve_builder()
    with raises(ValueError, "Please ensure at least one input tensor or an explicit owner_builder is provided when supported"):
        resolve_builder(1, None, [x])


def test_flatten():
    assert _flatten_and_infer_shape([[1, 2], [3, 4]]) == ([1, 2, 3, 4], [2, 2])
    assert _flatten_and_infer_shape([]) == ([], [0])
    assert _unflatten([1, 2, 3, 4, 5, 6], [1, 3, 2]) == [[[1, 2], [3, 4], [5, 6]]]
    with raises(ValueError, "Shape cannot be empty"):
        _unflatten([1], [])
    with raises(ValueError, "Length of list 1 does not match shape [2]"):
        _unflatten([1], [2])


# ---- scopes ----


def test_attr_scope(builder):
    with attr_scope({"a": 1, "b": "outer"}):
        x = builder.create_input(0)
        with attr_scope({"b": "inner", "c": [1.5]}):
            y = x + 1.0
        z = x * x
    w = x - x
    nodes = [t._get_node_snapshot() for t in (x, y, z, w)]
    assert [n.has_attr("a") for n in nodes] == [True, True, True, False]
    assert [n.get_attr("b") for n in nodes[:3]] == ["outer", "inner", "outer"]
    assert nodes[1].get_attr("c") == [1.5] and not nodes[2].has_attr("c")
    const = nodes[1].get_in_data_nodes_and_port_indexes(1)[0]
    assert const.type == "Const" and const.get_attr("b") == "inner"


def test_attr_scope_errors(builder):
    with raises(ValueError, "Unsupported attribute type: <class 'dict'> for value: {'key': 'value'}"):
        with attr_scope({"a": {"key": "value"}}):
            builder.create_input(0)
    assert not builder.create_input(1)._get_node_snapshot().has_attr("a")  # restored


def test_control_dependency_scope(builder):
    a, b = builder.create_inputs(2)
    with control_dependency_scope([a]):
        with control_dependency_scope([b]):
            inner = a + b
        outer = a * b
    after = a - b
    got = [sorted(n.name for n in t._get_node_snapshot().get_in_control_nodes()) for t in (inner, outer, after)]
    assert got == [["input_0", "input_1"], ["input_0"], []]


def test_scopes_are_per_thread(builder):
    import threading

    seen = []

    def work():
        b = GraphBuilder("t")
        seen.append(b.create_input(0)._get_node_snapshot().has_attr("a"))

    with attr_scope({"a": 1}):
        t = threading.Thread(target=work)
        t.start()
        t.join()
    assert seen == [False]


# ---- generated wrappers ----


def test_generated_modules_are_one():
    import es_all
    import es_math

    import ge.es.all
    import ge.es.math

    assert ge.es.math is es_math and ge.es.all is es_all and es_math.Add is es_all.Add
    with pytest.raises(ImportError):
        from ge.es.math import NoSuchOperator  # noqa: F401
    with pytest.raises(ImportError):
        import ge.es.nosuch  # noqa: F401


def test_wrappers(builder, math):
    from ge.es.all import Cast, Concat, ReduceSum, Split

    x = builder.create_input(0, shape=[2, 3])
    y = math.Add(x, 1.0)
    assert y.name == "Add_1" and math.Add([1.0, 2.0, 3.0], x).name == "Add_3"
    cast = Cast(x, dst_type=DataType.DT_INT32)._get_node_snapshot()
    assert cast.get_attr("dst_type") == 3
    parts = Split(1, x, 3, num_split=3)
    assert len(parts) == 3 and len({p.name for p in parts}) == 1
    joined = Concat(1, parts, N=3)
    inputs = [joined._get_node_snapshot().get_in_data_nodes_and_port_indexes(i) for i in range(1, 4)]
    assert [port for _, port in inputs] == [0, 1, 2]
    total = ReduceSum(joined, [0, 1])
    assert builder.build_and_reset([total]).name == "g"


def test_wrapper_errors(builder, math):
    from ge.es.all import Relu

    x = builder.create_input(0)
    other = GraphBuilder("h").create_input(0)
    with raises(ValueError, "Tensor handle cannot be None", "operator Add: input 'x2' belongs to another graph builder"):
        math.Add(x, other)
    with pytest.raises(ValueError, match="explicit owner_builder"):
        math.Add(1.0, 2.0)
    with pytest.raises(AttributeError):
        math.Add(x, None)
    with pytest.raises(AttributeError):
        Relu(1.0)
    builder.build_and_reset([x])
    with raises(ValueError, "Tensor handle cannot be None"):
        math.Add(x, x)
    with raises(RuntimeError, SPENT.format("create scalar")):
        math.Add(x, 1.0)


def test_multi_output_wrapper(builder):
    from ge.es.all import TopKV2

    with attr_scope({"tag": 1}):
        out = TopKV2(builder.create_input(0, shape=[5]), 2)
    assert type(out).__name__ == "TopKV2Output"
    assert out.values._get_node_snapshot().get_attr("tag") == 1 and out.indices.name == out.values.name


def test_outputs_of_one_node(builder):
    """The object of a node with several outputs is plain: attributes, all of them, in the order of the prototype."""
    from ge.es.all import TopKV2, TopKV2Output

    x = builder.create_input(0, shape=[5])
    out = TopKV2(x, 2)
    assert list(vars(out)) == ["values", "indices"] and vars(out)["values"] is out.values
    assert [t._get_node_snapshot().type for t in vars(out).values()] == ["TopKV2", "TopKV2"]
    read = TopKV2(x, 2)
    indices = read.indices
    assert list(vars(read)) == ["values", "indices"] and read.indices is indices  # not the order of reading
    assert [n for n in dir(TopKV2(x, 2)) if n[:2] != "__"] == ["indices", "values"]
    holders = f"values={read.values!r}, indices={indices!r}"
    assert repr(read) == f"TopKV2Output({holders})" and repr(TopKV2(x, 2)).count("<TensorHolder of 'TopKV2_") == 2
    changed = TopKV2(x, 2)
    changed.indices, changed.note = 7, "mine"
    twin = copy.copy(changed)
    assert vars(twin) == vars(changed) and list(vars(twin)) == ["values", "indices", "note"] and twin.indices == 7
    made = TopKV2Output(1, indices=2)
    assert vars(made) == {"values": 1, "indices": 2} and vars(copy.deepcopy(made)) == vars(made)
    for lacking in (out, TopKV2(x, 2), made):
        with raises(AttributeError, "'TopKV2Output' object has no attribute 'other'"):
            _ = lacking.other
    del made.values
    with raises(AttributeError, "'TopKV2Output' object has no attribute 'values'"):
        _ = made.values


def test_errors_tell_the_reason_beside_the_text(builder):
    """The text is GE's and nothing else; the reason is an attribute, the cause, and in the traceback."""
    builder.create_input(0)
    with pytest.raises(RuntimeError) as caught:
        builder.create_input(0)
    error = caught.value
    assert str(error) == "Failed to create input" and error.args == ("Failed to create input",)
    assert "input 0 exists already" in error.reason
    assert type(error.__cause__) is GeError and str(error.__cause__) == error.reason
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    assert f"GeError: {error.reason}\n" in text and text.endswith("\nRuntimeError: Failed to create input\n")


def branch(name, add):
    b = GraphBuilder(name)
    x = b.create_input(0, shape=[2])
    return b.build_and_reset([x + add])


def test_subgraphs_go_to_the_builder(builder):
    from ge.es.all import If

    cond, x = builder.create_input(0, data_type=DataType.DT_BOOL), builder.create_input(1, shape=[2])
    then, other = branch("then", 1.0), branch("else", 2.0)
    (y,) = If(cond, [x], 1, then, other)
    assert then.name == "then" and names(then)[0] == "input_0"  # still readable
    with raises(RuntimeError, "Graph :then already has an new owner builder :g, cannot transfer ownership again"):
        If(cond, [x], 1, then, other)
    graph = builder.build_and_reset([y])
    assert sorted(g.name for g in graph.get_all_subgraphs()) == ["else", "then"]
    assert len(graph.get_all_nodes()) == len(graph.get_direct_nodes()) + 2 * len(names(then))
    assert [node.name for node in then.get_all_nodes()] == names(then)


def test_all_nodes_of_a_subgraph_are_its_own_and_those_of_the_graphs_that_it_calls():
    from ge.es.all import If

    inner = GraphBuilder("middle")
    cond, x = inner.create_input(0, data_type=DataType.DT_BOOL), inner.create_input(1, shape=[2])
    middle = inner.build_and_reset(If(cond, [x], 1, branch("a", 1.0), branch("b", 2.0)))
    outer = GraphBuilder("root")
    cond, x = outer.create_input(0, data_type=DataType.DT_BOOL), outer.create_input(1, shape=[2])
    other = GraphBuilder("other")
    other.create_input(0, data_type=DataType.DT_BOOL)
    other = other.build_and_reset([other.create_input(1, shape=[2])])
    graph = outer.build_and_reset(If(cond, [cond, x], 1, middle, other))
    leaf = len(names(graph.get_subgraph("a")))
    assert len(graph.get_all_nodes()) == sum(map(len, (names(graph), names(middle), names(other)))) + 2 * leaf
    for each in (middle, graph.get_subgraph("middle")):
        found = [node.name for node in each.get_all_nodes()]
        assert found == names(middle) + names(graph.get_subgraph("a")) + names(graph.get_subgraph("b"))
    assert [node.name for node in other.get_all_nodes()] == names(other)


def test_failed_subgraph_call_leaves_no_leak(builder):
    from ge.es.all import If

    x = builder.create_input(0)
    with raises(ValueError, "Tensor handle cannot be None"):
        If(x, [x], 2, branch("then", 1.0), branch("else", 2.0))  # two outputs asked for, the branches have one
    assert builder._pending == []


def test_tensor_attribute(builder):
    from ge.es.all import Const

    t = Tensor([1, 2], data_type=DataType.DT_INT32, shape=[2])
    c = Const(builder, value=t)
    assert c._get_node_snapshot().get_attr("value").data == [1, 2] and t.data == [1, 2]
    with raises(RuntimeError, "Tensor already has an new owner builder :g, cannot transfer ownership again"):
        Const(builder, value=t)


def test_graph_type_is_the_public_one(builder):
    assert type(builder.build_and_reset()) is Graph


def test_a_parameter_may_be_called_self():
    from ge.es.nn import HardSwishGradV2

    builder = GraphBuilder("g")
    x = builder.create_input(0, shape=[2])
    out = HardSwishGradV2(gradOutput=x, self=x)
    assert out._get_node_snapshot().type == "HardSwishGradV2"
