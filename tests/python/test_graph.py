"""Graph, Node and attribute values: results and messages."""

import copy

import pytest
from conftest import raises

from ge.es import GraphBuilder
from ge.es.all import Conv2D
from ge.graph import DataType, DumpFormat, Graph, Node, Operator, Tensor, TensorDesc
from ge.graph._attr import _AttrValue
from ge.graph.types import AttrValueType


@pytest.fixture
def graph(builder):
    """x, y -> Add -> Mul(…, y), and a constant beside them."""
    x, y = builder.create_inputs(2)
    s = x + y
    builder.set_graph_output(s * y, 0)
    builder.create_const_int64([1, 2, 3])
    return builder.build_and_reset()


def test_graph_queries(graph):
    assert graph.name == "g" and repr(graph) == "<Graph 'g': 6 nodes>"
    names = [n.name for n in graph.get_direct_nodes()]
    assert sorted(names) == sorted(["input_0", "input_1", "Add_0", "Mul_1", "Const_2", "NetOutput_g"])
    assert [n.name for n in graph.get_all_nodes()] == names
    add = graph.find_node_by_name("Add_0")
    assert add.type == "Add" and add.get_inputs_size() == 2 and add.get_outputs_size() == 1
    producer, port = add.get_in_data_nodes_and_port_indexes(1)
    assert (producer.name, port) == ("input_1", 0)
    assert [(n.name, p) for n, p in producer.get_out_data_nodes_and_port_indexes(0)] == [("Add_0", 1), ("Mul_1", 1)]
    assert graph.find_node_by_name("Const_2").get_out_data_nodes_and_port_indexes(0) == []
    assert graph.get_all_subgraphs() == [] and graph.get_subgraph("none") is None


def test_optional_inputs_count_when_they_are_used():
    builder = GraphBuilder("gaps")
    x, w, b = (builder.create_input(i) for i in range(3))
    few = Conv2D(x, w, None, None, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0])
    more = Conv2D(x, w, None, b, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0])
    graph = builder.build_and_reset([few, more])
    few, more = (n for n in graph.get_direct_nodes() if n.type == "Conv2D")
    assert (few.get_inputs_size(), more.get_inputs_size()) == (2, 3)
    assert more.get_in_data_nodes_and_port_indexes(3)[0].name == "input_2"  # ports keep their index
    with raises(RuntimeError, "Failed to get input data node for index 2"):
        more.get_in_data_nodes_and_port_indexes(2)
    few.update_input_desc(2, more.get_input_desc(0))
    assert few.get_inputs_size() == 3


def test_graph_edits(graph):
    add, mul = graph.find_node_by_name("Add_0"), graph.find_node_by_name("Mul_1")
    const = graph.find_node_by_name("Const_2")
    with raises(RuntimeError, "Failed to add DataEdge from Node Const_2, Port Index 0 to Node Mul_1, Port Index 1"):
        graph.add_data_edge(const, 0, mul, 1)
    graph.remove_edge(graph.find_node_by_name("input_1"), 0, mul, 1)
    with raises(RuntimeError, "Failed to get input data node for index 1"):
        mul.get_in_data_nodes_and_port_indexes(1)
    graph.add_data_edge(const, 0, mul, 1)
    assert mul.get_in_data_nodes_and_port_indexes(1)[0].name == "Const_2"
    with raises(RuntimeError, "Failed to remove Edge from Node Add_0, Port Index 0 to Node Mul_1, Port Index 1"):
        graph.remove_edge(add, 0, mul, 1)
    graph.add_control_edge(const, add)
    assert [n.name for n in add.get_in_control_nodes()] == ["Const_2"]
    assert [n.name for n in const.get_out_control_nodes()] == ["Add_0"]
    graph.remove_edge(const, -1, add, -1)
    assert add.get_in_control_nodes() == []
    graph.remove_node(mul)
    with raises(RuntimeError, "Failed to find Node name Mul_1"):
        graph.find_node_by_name("Mul_1")
    with pytest.raises(RuntimeError):
        graph.remove_node(mul)
    with raises(RuntimeError, "Failed to get Node name"):
        mul.name  # noqa: B018  removed, and refused while its graph lives
    assert add.get_out_data_nodes_and_port_indexes(0) == []


def test_graph_type_errors(graph):
    add = graph.find_node_by_name("Add_0")
    for call, message in (
        (lambda: Graph(None), "Graph name must be a string"),
        (lambda: Graph(3), "Graph name must be a string"),
        (lambda: graph.get_attr(1), "Attribute key must be a string"),
        (lambda: graph.set_attr(1, 1), "Attribute key must be a string"),
        (lambda: graph.dump_to_file("x", 3), "Suffix must be a string"),
        (
            lambda: graph.dump_to_file("x"),
            "Format must be in [DumpFormat.kOnnx, DumpFormat.kTxt, DumpFormat.kReadable]",
        ),
        (
            lambda: graph.dump_to_stream(2),
            "Format must be in [DumpFormat.kOnnx, DumpFormat.kTxt, DumpFormat.kReadable]",
        ),
        (lambda: graph.save_to_air(1), "file_path must be a string"),
        (lambda: graph.load_from_air(1), "file_path must be a string"),
        (lambda: graph.remove_node("a"), "node must be a Node"),
        (lambda: graph.remove_edge(1, 0, add, 0), "src_node must be a Node"),
        (lambda: graph.remove_edge(add, "0", add, 0), "src_port_index must be an integer"),
        (lambda: graph.add_data_edge(add, 0, 1, 0), "dst_node must be a Node"),
        (lambda: graph.add_data_edge(add, 0, add, None), "dst_port_index must be an integer"),
        (lambda: graph.add_control_edge(1, add), "src_node must be a Node"),
        (lambda: graph.find_node_by_name(1), "name must be a string"),
        (lambda: graph.get_subgraph(1), "name must be a string"),
        (lambda: graph.add_subgraph(1), "subgraph must be a Graph"),
        (lambda: graph.remove_subgraph(1), "name must be a string"),
        (lambda: add.get_in_data_nodes_and_port_indexes("0"), "Input index must be an integer"),
        (lambda: add.get_out_data_nodes_and_port_indexes("0"), "Output index must be an integer"),
        (lambda: add.has_attr(1), "attr_name must be a string"),
        (lambda: add.get_attr(1), "Attribute key must be a string"),
        (lambda: add.set_attr(1, 1), "Attribute key must be a string"),
        (lambda: add.get_input_attr(1, 0), "Attribute name must be a string"),
        (lambda: add.get_input_attr("a", "0"), "Input index must be an integer"),
        (lambda: add.set_output_attr("a", "0", 1), "Output index must be an integer"),
        (lambda: add.get_input_desc("0"), "Input index must be an integer"),
        (lambda: add.get_output_desc("0"), "Output index must be an integer"),
        (lambda: add.update_input_desc(0, None), "tensor_desc must be a TensorDesc"),
        (lambda: add.update_output_desc(0, None), "tensor_desc must be a TensorDesc"),
    ):
        with raises(TypeError, message):
            call()


def test_runtime_errors(graph):
    add = graph.find_node_by_name("Add_0")
    for call, message in (
        (lambda: graph.get_attr("none"), "Failed to get attribute 'none' from Graph g"),
        (lambda: add.get_attr("none"), "Failed to get attribute 'none' from Node"),
        (lambda: add.get_input_attr("a", 0), "Failed to get Node Add_0 input attribute 'a' for index 0"),
        (lambda: add.get_output_attr("a", 9), "Failed to get Node Add_0 output attribute 'a' for index 9"),
        (lambda: add.set_input_attr("a", 9, 1), "Failed to set Node Add_0 input attribute 'a' for index 9"),
        (lambda: add.get_input_desc(2), "Failed to get input desc for index 2"),
        (lambda: add.get_output_desc(-1), "Failed to get output desc for index -1"),
        (lambda: add.update_input_desc(9, TensorDesc()), "Failed to update input desc for index 9"),
        (lambda: add.update_output_desc(9, TensorDesc()), "Failed to update output desc for index 9"),
        (lambda: add.get_in_data_nodes_and_port_indexes(5), "Failed to get input data node for index 5"),
        (lambda: add.get_out_data_nodes_and_port_indexes(5), "Failed to get output data node for index 5"),
        (lambda: graph.find_node_by_name("none"), "Failed to find Node name none"),
        (lambda: graph.remove_subgraph("s"), "Failed to remove subgraph 's' from graph 'g'"),
        (lambda: graph.load_from_air("/nonexistent/x.air"), "Failed to load graph from AIR format"),
        (lambda: graph.save_to_air("/nonexistent/x.air"), "Failed to save graph to AIR format"),
        (lambda: Node(), "Node objects should not be created directly."),
        (lambda: Operator(), "Operator objects should not be created directly."),
        (lambda: copy.copy(graph), "Graph does not support copy"),
        (lambda: copy.deepcopy(add), "Node does not support deepcopy"),
    ):
        with raises(RuntimeError, message):
            call()
    with raises(ValueError, "Node handle cannot be None"):
        Node._create_from(None)
    with raises(ValueError, "Graph pointer cannot be None"):
        Graph._create_from(None)


@pytest.mark.parametrize(
    "value, kind",
    [
        ("text", str),
        ("", str),
        ("grün", str),
        (1.5, float),
        (True, bool),
        (-7, int),
        (2**62, int),
        (DataType.DT_INT8, DataType),
        ([0.5, -2.0], list),
        ([True, False, True], list),
        ([1, -2, 3], list),
        (["a", "", "c"], list),
    ],
)
def test_attribute_round_trip(graph, value, kind):
    add = graph.find_node_by_name("Add_0")
    add.set_attr("a", value)
    graph.set_attr("a", value)
    add.set_input_attr("a", 1, value)
    add.set_output_attr("a", 0, value)
    for got in (add.get_attr("a"), graph.get_attr("a"), add.get_input_attr("a", 1), add.get_output_attr("a", 0)):
        assert got == value and type(got) is kind
        if kind is list:
            assert [type(g) for g in got] == [type(v) for v in value]
    assert add.has_attr("a") and not add.has_attr("b")


def test_attribute_precision_and_lists_of_types(graph):
    add = graph.find_node_by_name("Add_0")
    add.set_attr("f", 0.1)
    assert add.get_attr("f") == pytest.approx(0.1, rel=1e-7) and add.get_attr("f") != 0.1  # float32
    add.set_attr("types", [DataType.DT_INT8, DataType.DT_BOOL])
    assert add.get_attr("types") == [2, 12] and type(add.get_attr("types")[0]) is int


def test_tensor_attribute_is_a_copy(graph):
    const = graph.find_node_by_name("Const_2")
    value = const.get_attr("value")
    assert isinstance(value, Tensor) and value.data == [1, 2, 3] and value.shape == [3]
    value.set_data_type(DataType.DT_UINT64)
    assert const.get_attr("value").data_type is DataType.DT_INT64
    mine = Tensor([5.0], shape=[1])
    graph.set_attr("t", mine)
    const.set_attr("value", mine)
    mine.set_data_type(DataType.DT_INT32)
    assert graph.get_attr("t").data == [5.0] and const.get_attr("value").data == [5.0]


@pytest.mark.parametrize("value", [None, {}, (1, 2), [1, 2.0], [[1]], object, b"x"])
def test_unsupported_attributes(graph, value):
    with raises(ValueError, f"Unsupported attribute type: {type(value)} for value: {value}"):
        graph.set_attr("a", value)


def test_empty_list_attribute(graph):
    with raises(ValueError, "Empty list is not supported"):
        graph.set_attr("a", [])


def test_list_of_list_attribute_reads_as_unsupported(graph):
    from ge._native import ffi, lib

    row = ffi.new("int64_t[]", [1, 2])
    attr = ffi.new("GeAttrData *")
    name, rows, counts = ffi.new("char[]", b"ll"), ffi.new("int64_t *[]", [row]), ffi.new("int64_t[]", [2])
    attr.name, attr.type, attr.list, attr.count, attr.inner_counts = name, 10, rows, 1, counts
    add = graph.find_node_by_name("Add_0")
    assert lib.GeNodeSetAttr(add._handle, attr) == 0
    with raises(RuntimeError, "Unsupported attribute type: 10"):
        add.get_attr("ll")


def test_descs_are_copies(graph):
    add = graph.find_node_by_name("Add_0")
    desc = add.get_output_desc(0)
    desc.set_shape([4, -1]).set_data_type(DataType.DT_INT32).set_origin_shape([4, -1])
    assert add.get_output_desc(0).shape != [4, -1]
    add.update_output_desc(0, desc)
    assert add.get_output_desc(0).shape == [4, -1] and add.get_output_desc(0).data_type is DataType.DT_INT32
    add.update_input_desc(1, desc)
    assert add.get_input_desc(index=1).shape == [4, -1]


READABLE = """
graph("g"):
  %input_0 : [#users=1] = Node[type=Data] (attrs = {index: 0})
  %input_1 : [#users=1] = Node[type=Data] (attrs = {index: 1})
  %Add_0 : [#users=1] = Node[type=Add] (inputs = (x1=%input_0, x2=%input_1))
  %Mul_1 : [#users=1] = Node[type=Mul] (inputs = (x1=%Add_0, x2=%input_1))
  %Const_2 : [#users=1] = Node[type=Const] (attrs = {value: [1 2 3]})

  return (%Mul_1)
"""


def test_dumps(graph, tmp_path, monkeypatch):
    assert str(graph).strip() == READABLE.strip()
    assert graph.dump_to_stream() == str(graph)
    assert "Add_0" in graph.dump_to_stream(DumpFormat.kOnnx) and "Add_0" in graph.dump_to_stream(DumpFormat.kTxt)


def test_dump_files(tmp_path):
    """In its own process: the folder is chosen once."""
    import subprocess
    import sys

    script = (
        "from ge.graph import DumpFormat, Graph\n"
        "g = Graph('d')\n"
        "g.dump_to_file(DumpFormat.kOnnx, 'a/b')\n"
        "g.dump_to_file(format=DumpFormat.kTxt, suffix='t')\n"
        "g.dump_to_file(suffix='r')\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    names = sorted(p.name for p in tmp_path.iterdir())
    assert [n.split("_")[1] for n in names] == ["onnx", "proto", "readable"]
    assert names[1].endswith("_graph_0_t.txt") and names[2].endswith("_graph_0_r.txt")
    assert names[0].startswith("ge_onnx_0000000") and names[0].endswith(".pbtxt")


def test_air_round_trip(graph, tmp_path):
    path = str(tmp_path / "g.air")
    graph.save_to_air(path)
    other = Graph("other")
    other.load_from_air(path)
    assert other.name == "g" and str(other) == str(graph)
    assert other.find_node_by_name("Const_2").get_attr("value").data == [1, 2, 3]


def test_subgraphs(graph):
    sub = Graph("sub")
    graph.add_subgraph(sub)
    with raises(RuntimeError, "Failed to add subgraph 'sub' to graph 'g'"):
        graph.add_subgraph(Graph("sub"))
    assert [g.name for g in graph.get_all_subgraphs()] == ["sub"] and graph.get_subgraph("sub").name == "sub"
    graph.remove_subgraph("sub")
    assert graph.get_all_subgraphs() == [] and sub.name == "sub"


def test_graph_handed_over_once():
    g = Graph("s")

    class Owner:
        name = "b"

    g._transfer_ownership_when_pass_as_subgraph(Owner())
    assert g.name == "s"
    with raises(RuntimeError, "Graph :s already has an new owner builder :b, cannot transfer ownership again"):
        g._transfer_ownership_when_pass_as_subgraph(Owner())
    t = Tensor([1.0])
    t._transfer_ownership_when_pass_as_attr(Owner())
    with raises(RuntimeError, "Tensor already has an new owner builder :b, cannot transfer ownership again"):
        t._transfer_ownership_when_pass_as_attr(Owner())


def test_attr_value():
    v = _AttrValue()
    assert v.value_type is AttrValueType.VT_NONE
    assert v.set_int(3) and v.get_int() == 3 and str(v) == "AttrValue(type: int, value: 3)"
    assert v.set_string("s") and str(v) == "AttrValue(type: string, value: 's')"
    assert v.set_list_float([1, 0.5]) and v.get_list_float() == [1.0, 0.5]
    v.set_value([True])
    assert v.get_value_type() is AttrValueType.VT_LIST_BOOL and v.get_value() == [True]
    with raises(RuntimeError, "Failed to get float value"):
        v.get_float()
    with raises(RuntimeError, "Failed to get list value"):
        v.get_list_int()
    for call, message in (
        (lambda: v.set_string(1), "Value must be a string"),
        (lambda: v.set_float("1"), "Value must be a number"),
        (lambda: v.set_bool(1), "Value must be a boolean"),
        (lambda: v.set_int(1.0), "Value must be an integer"),
        (lambda: v.set_data_type(1), "Value must be a DataType"),
        (lambda: v.set_tensor(1), "Value must be a Tensor"),
        (lambda: v.set_list_int((1,)), "Values must be a list"),
        (lambda: v.set_list_int(["1"]), "All values must be integers"),
        (lambda: v.set_list_string([1]), "All values must be strings"),
    ):
        with raises(TypeError, message):
            call()
    with raises(RuntimeError, "AttrValue does not support copy"):
        copy.copy(v)
