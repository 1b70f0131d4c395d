"""Objects die in any order; nothing reaches memory that is gone."""

import gc
import random
import threading

import numpy as np
import pytest

from ge.es import GraphBuilder
from ge.graph import DataType, Format, Graph, Tensor
from ge.session import Session


def build(seed=0):
    b = GraphBuilder(f"g{seed}")
    x = b.create_input(0, name="x", shape=[4])
    c = b.create_const_float([1.0, 2.0, 3.0, 4.0])
    y = x * c + 1.0
    return b, x, c, y


def test_holder_outlives_builder_and_graph():
    b, x, c, y = build()
    graph = b.build_and_reset([y])
    del b, graph
    gc.collect()
    assert (x.name, c.name, y.name) == ("x", "Const_0", "Add_3")
    node = y._get_node_snapshot()
    del x, c, y
    gc.collect()
    assert node.name == "Add_3" and node.get_in_data_nodes_and_port_indexes(0)[0].name == "Mul_1"


def test_graph_outlives_builder():
    b, x, c, y = build()
    graph = b.build_and_reset([y])
    del b, x, c, y
    gc.collect()
    assert len(graph.get_direct_nodes()) == 6 and graph.name == "g0"


def test_node_and_tensor_outlive_graph():
    b, _, c, y = build()
    graph = b.build_and_reset([y])
    const = graph.find_node_by_name("Const_0")
    del b, c, y, graph, _
    gc.collect()
    value = const.get_attr("value")
    del const
    gc.collect()
    assert value.data == [1.0, 2.0, 3.0, 4.0]


def test_unbuilt_builder_goes_quietly():
    for _ in range(100):
        b, x, c, y = build()
        del b
        assert y.name == "Add_3"


def test_subgraph_outlives_everything():
    from ge.es.all import If

    b = GraphBuilder("outer")
    cond, x = b.create_input(0, data_type=DataType.DT_BOOL), b.create_input(1, shape=[4])
    then, other = (build(i)[0] for i in (1, 2))
    graphs = []
    for name in ("t", "e"):
        s = GraphBuilder(name)
        graphs.append(s.build_and_reset([s.create_input(0, shape=[4]) + 1.0]))
    (y,) = If(cond, [x], 1, *graphs)
    del b, cond, x, then, other
    gc.collect()
    assert y.name == "If_0"
    outer = y.get_owner_builder().build_and_reset([y])
    nodes = graphs[0].get_direct_nodes()
    sub = outer.get_subgraph("t")
    del y, graphs, outer
    gc.collect()
    assert "Add_1" in [n.name for n in nodes] and sub.name == "t"


def test_loading_over_a_graph_with_live_nodes(tmp_path):
    b, _, _, y = build()
    graph = b.build_and_reset([y])
    path = str(tmp_path / "g.air")
    graph.save_to_air(path)
    old = graph.get_direct_nodes()
    graph.load_from_air(path)
    for node in old:  # refused or answered, never a crash
        try:
            node.name  # noqa: B018
        except RuntimeError:
            pass
    assert len(graph.get_direct_nodes()) == 6


def test_removed_node_is_refused():
    b, _, _, y = build()
    graph = b.build_and_reset([y])
    add, mul = graph.find_node_by_name("Add_3"), graph.find_node_by_name("Mul_1")
    graph.remove_node(add)
    for call, args in (
        (add.get_attr, ("a",)),
        (add.set_attr, ("a", 1)),
        (add.get_input_desc, (0,)),
        (add.get_in_data_nodes_and_port_indexes, (0,)),
        (graph.remove_node, (add,)),
        (graph.add_control_edge, (add, mul)),
        (graph.add_data_edge, (mul, 0, add, 0)),
    ):
        with pytest.raises(RuntimeError):
            call(*args)
    del graph, mul, call
    gc.collect()
    with pytest.raises(RuntimeError):
        add.set_attr("a", 1)


def test_node_of_another_graph_is_refused():
    first, second = (build(i) for i in (0, 1))
    g, h = first[0].build_and_reset([first[3]]), second[0].build_and_reset([second[3]])
    stranger, own = h.find_node_by_name("Add_3"), g.find_node_by_name("Add_3")
    for call in (
        lambda: g.remove_node(stranger),
        lambda: g.add_control_edge(stranger, own),
        lambda: g.add_data_edge(stranger, 0, own, 0),
        lambda: g.remove_edge(stranger, 0, own, 0),
    ):
        with pytest.raises(RuntimeError):
            call()


@pytest.mark.parametrize("seed", range(20))
def test_everything_dies_in_random_order(seed):
    r = random.Random(seed)
    b, x, c, y = build(seed)
    graph = b.build_and_reset([y])
    session = Session()
    session.add_graph(1, graph)
    output = session.run_graph(1, [Tensor([1.0] * 4, shape=[4])])[0]
    nodes = graph.get_all_nodes()
    objects = [b, x, c, y, graph, session, output, *nodes, nodes[0].get_output_desc(0)]
    objects += [n.get_attr("value") for n in nodes if n.type == "Const"]
    objects += [Graph("sub"), Tensor([1, 2], data_type=DataType.DT_INT32, shape=[2])]
    graph.add_subgraph(objects[-2])
    del b, x, c, y, graph, session, output, nodes
    r.shuffle(objects)
    while objects:
        objects.pop()
        if r.random() < 0.3:
            gc.collect()
        for o in r.sample(objects, min(3, len(objects))):
            str(o)


def test_cycles_are_collected():
    class Box:
        pass

    for _ in range(20):
        b, x, c, y = build()
        box = Box()
        box.self, box.things = box, [y, c, x, b, b.build_and_reset([y])]
        del box, b, x, c, y
    gc.collect()


def test_tensor_input_may_die_after_the_run():
    b, x, _, y = build()
    session = Session()
    session.add_graph(1, b.build_and_reset([y]))
    outputs = []
    for i in range(10):
        t = Tensor([float(i)] * 4, shape=[4])
        outputs.append(session.run_graph(1, [t])[0])
        del t
    del session
    gc.collect()
    assert [o.data for o in outputs] == [[i * k + 1.0 for k in (1, 2, 3, 4)] for i in range(10)]


def test_model_dies_while_threads_run():
    import ge

    b, _, _, y = build()
    m = ge.load(b.build_and_reset([y]))
    x = np.ones(4, np.float32)
    results = []

    def work(model):
        for _ in range(200):
            results.append(next(iter(model.run({"x": x}).values())).tolist())

    threads = [threading.Thread(target=work, args=(m,)) for _ in range(3)]
    for t in threads:
        t.start()
    del m
    for t in threads:
        t.join()
    assert len(results) == 600 and all(r == [2.0, 3.0, 4.0, 5.0] for r in results)


class Boastful(list):
    def __len__(self):
        return 10**6


def test_a_list_that_lies_about_its_length_is_read_no_further():
    b = GraphBuilder("g")
    x = b.create_input(0, shape=Boastful([2]))
    made = [
        b.create_const_float(Boastful([1.0])),
        b.create_const_int32(Boastful([1])),
        b.create_const_int64(Boastful([1])),
        b.create_vector_int64(Boastful([1])),
        b.create_const_float([1.0, 2.0], shape=Boastful([2])),
    ]
    shapes = [t._get_node_snapshot().get_attr("value").shape for t in made]
    assert shapes == [[1], [1], [1], [1], [2]]
    node = x.set_shape(Boastful([3]))._get_node_snapshot()
    assert node.get_output_desc(0).shape == [3]
    for value in ([1], [1.5], [True], ["a"]):
        node.set_attr("a", Boastful(value))
        assert node.get_attr("a") == value
    with pytest.raises(ValueError, match="Length of data 1 is less than shape"):
        Tensor(Boastful([1.0]), None, DataType.DT_FLOAT, Format.FORMAT_ND, [1000])


def test_threads_may_share_a_builder():
    from ge.es.all import Relu, Split

    b = GraphBuilder("g")
    x = b.create_input(0, shape=[4])
    problems = []

    def work():
        try:
            for i in range(1500):
                y = Relu(x + 1.0)
                b.create_const_float([float(i), 2.0])
                Split(0, y, 2, num_split=2)
                y.set_shape([4])._get_node_snapshot().set_attr("i", i)
                assert y.name.startswith("Relu_")
        except Exception as e:
            problems.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems
    graph = b.build_and_reset([x])
    found = [node.name for node in graph.get_direct_nodes()]
    # Each time two constants, Add, Relu and Split with a constant of its own; the input and the output.
    assert len(found) == len(set(found)) == 4 * 1500 * 6 + 2
