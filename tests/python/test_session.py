"""Start and end of the engine, sessions, allocators and their errors."""

import copy
import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest
from conftest import raises

from ge.allocator import Allocator, MemBlock
from ge.error import GeError, get_ge_error_msg, raise_ge_error
from ge.es import GraphBuilder
from ge.ge_global import GeApi
from ge.graph import DataType, Format, Graph, Placement, Tensor
from ge.session import Session


def square(name="g", shape=(2, 3)):
    b = GraphBuilder(name)
    x = b.create_input(0, name="x", shape=list(shape))
    return b.build_and_reset([x * x + 1.0, x - 1.0])


def feed(values, shape):
    return Tensor(values, None, DataType.DT_FLOAT, Format.FORMAT_ND, shape)


def test_initialize_and_finalize():
    api = GeApi()
    assert GeApi.ge_finalize() == 0  # never started
    assert api.ge_initialize({"ge.exec.deviceId": "0", "ge.graphRunMode": "0"}) == 0
    assert api.ge_initialize(config={"ge.exec.deviceId": "0"}) == 0
    session = Session()
    session.add_graph(1, square())
    assert api.ge_finalize() == 0 and api.ge_finalize() == 0
    del session  # after the end
    for bad in (None, [], "x"):
        with raises(TypeError, "Ge init config must be a dictionary"):
            api.ge_initialize(bad)
    with raises(TypeError, "Ge init config must not be empty"):
        api.ge_initialize({})
    for bad in ({"a": 1}, {1: "a"}):
        with pytest.raises(AttributeError):
            api.ge_initialize(bad)
    with pytest.raises(GeError, match="^GEInitialize failed; ") as e:
        api.ge_initialize({"ge.graphRunMode": "7"})
    assert e.value.api_name == "GEInitialize" and e.value.context == {} and e.value.error_message


def test_error_text():
    from ge._native import lib

    e = GeError("m")
    assert str(e) == "m" and e.context == {} and e.error_message is None and isinstance(e, RuntimeError)
    lib.GeSetLastError(lib.GE_FAILED, b"E10062: invalid input")
    assert get_ge_error_msg() == "E10062: invalid input"
    with raises(GeError, "RunGraph failed; graph_id=7; E10062: invalid input") as e:
        raise_ge_error("RunGraph", 3, graph_id=7)
    assert (e.value.api_name, e.value.context) == ("RunGraph", {"graph_id": 7})
    lib.GeSetLastError(lib.GE_FAILED, b"bad \xff")
    assert get_ge_error_msg() == "bad \ufffd"
    lib.GeClearLastError()
    with raises(GeError, "CreateSession failed"):
        raise_ge_error("CreateSession")


def test_run(tmp_path):
    session = Session({})
    graph = square()
    assert session.add_graph(1, graph) == 0 and session.add_graph(graph_id=2, add_graph=graph, options={}) == 0
    a = np.arange(6, dtype=np.float32)
    y, z = session.run_graph(1, [feed(a.tolist(), [2, 3])])
    assert np.allclose(y.data, (a * a + 1).reshape(2, 3)) and np.allclose(z.data, (a - 1).reshape(2, 3))
    assert y.shape == [2, 3] and y.data_type is DataType.DT_FLOAT and y.placement is Placement.PLACEMENT_HOST
    first = session.run_graph(2, [feed(a.tolist(), [2, 3])])[0]
    session.run_graph(2, [feed((a + 1).tolist(), [2, 3])])
    assert np.allclose(first.data, (a * a + 1).reshape(2, 3))  # its own memory
    session.remove_graph(1)
    with pytest.raises(GeError, match="^RunGraph failed; graph_id=1; "):
        session.run_graph(1, [])
    assert str(graph).startswith('graph("g")')  # not consumed


def test_graph_without_outputs():
    b = GraphBuilder("none")
    b.create_const_int64(1)
    session = Session()
    session.add_graph(0, b.build_and_reset())
    assert session.run_graph(0, []) == []


def test_many_outputs():
    b = GraphBuilder("many")
    x = b.create_input(0, shape=[1])
    session = Session()
    session.add_graph(0, b.build_and_reset([x + float(i) for i in range(40)]))
    outputs = session.run_graph(0, [feed([1.0], [1])])
    assert [o.data[0] for o in outputs] == [1.0 + i for i in range(40)]


def test_type_errors():
    session, graph, t = Session(), square(), Tensor([1.0])
    for call, message in (
        (lambda: Session([]), "option must be a dictionary"),
        (lambda: session.add_graph("1", graph), "Graph_id must be an integer"),
        (lambda: session.add_graph(1, "g"), "Add_graph must be a Graph"),
        (lambda: session.add_graph(1, graph, []), "options must be a dictionary"),
        (lambda: session.remove_graph("1"), "Graph_id must be an integer"),
        (lambda: session.run_graph("1", []), "Graph_id must be an integer"),
        (lambda: session.run_graph(1, (t,)), "inputs must be a list of Tensor"),
        (lambda: session.run_graph(1, [1]), "All elements in inputs must be the type of Tensor"),
        (lambda: session.run_graph_with_stream_async("1", "2", 3), "Graph_id must be an integer"),
        (lambda: session.run_graph_with_stream_async(1, "2", 3), "Stream must be an integer"),
        (lambda: session.run_graph_with_stream_async(1, 2, 3), "inputs must be a list of Tensor"),
        (lambda: session.register_external_allocator("1", 2), "stream must be an integer"),
        (lambda: session.register_external_allocator(1, 2), "allocator must be an Allocator instance"),
        (lambda: session.unregister_external_allocator("1"), "stream must be an integer"),
    ):
        with raises(TypeError, message):
            call()
    for bad in ({"a": 1}, {1: "a"}):
        with pytest.raises(AttributeError):
            Session(bad)
    with raises(RuntimeError, "Session does not support copy"):
        copy.copy(session)


def test_engine_errors():
    session, graph = Session(), square()
    session.add_graph(1, graph)
    with pytest.raises(GeError, match="^AddGraph failed; graph_id=1; ") as e:
        session.add_graph(1, graph)
    assert e.value.context == {"graph_id": 1}
    with pytest.raises(GeError, match="^RemoveGraph failed; graph_id=9; "):
        session.remove_graph(9)
    with pytest.raises(GeError, match="^RunGraph failed; graph_id=-1; "):
        session.run_graph(-1, [])
    with pytest.raises(GeError, match="^RunGraph failed; graph_id=1; "):
        session.run_graph(1, [])
    with pytest.raises(GeError, match="^RunGraph failed; graph_id=1; .*x"):
        session.run_graph(1, [feed([1.0], [1])])
    with pytest.raises(GeError, match="^CreateSession failed; ") as e:
        Session({"ge.graphRunMode": "7"})
    assert "ge.graphRunMode" in e.value.error_message
    with pytest.raises(GeError, match="^RunGraphWithStreamAsync failed; graph_id=9, stream=0xff; "):
        session.run_graph_with_stream_async(9, 255, [])
    with pytest.raises(GeError, match="^UnregisterExternalAllocator failed; stream=0x7; "):
        session.unregister_external_allocator(7)


class Pool(Allocator):
    def __init__(self):
        self.live, self.freed, self.buffers = [], [], {}

    def malloc(self, size):
        buffer = ctypes.create_string_buffer(size)
        block = MemBlock(ctypes.addressof(buffer), size)
        self.live.append(block)
        self.buffers[id(block)] = buffer
        return block

    def free(self, block):
        self.live.remove(block)
        self.freed.append(block)


def test_external_allocator():
    session, pool = Session(), Pool()
    session.add_graph(1, square())
    session.register_external_allocator(5, pool)
    a = feed([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]).to_device()
    outputs = session.run_graph_with_stream_async(1, 5, [a])
    assert len(pool.live) == 2 and all(b.size == 24 for b in pool.live)
    assert all(o.placement is Placement.PLACEMENT_HOST for o in outputs)
    assert outputs[0].data == [[2.0, 5.0, 10.0], [17.0, 26.0, 37.0]]
    assert outputs[0].to_host().data == [[2.0, 5.0, 10.0], [17.0, 26.0, 37.0]]
    blocks = list(pool.live)
    del outputs
    gc.collect()
    assert pool.live == [] and sorted(map(id, pool.freed)) == sorted(map(id, blocks))
    alive = weakref.ref(pool)
    session.unregister_external_allocator(5)
    del pool, blocks
    gc.collect()
    assert alive() is None
    assert len(session.run_graph_with_stream_async(1, 5, [a])) == 2  # the engine's own again


def test_allocator_failure(capfd):
    class Failing(Pool):
        def malloc(self, size):
            raise MemoryError("none left")

    session = Session()
    session.add_graph(1, square())
    session.register_external_allocator(0, Failing())
    with pytest.raises(GeError, match="^RunGraphWithStreamAsync failed; graph_id=1, stream=0x0; "):
        session.run_graph_with_stream_async(1, 0, [feed([0.0] * 6, [2, 3])])
    assert "none left" in capfd.readouterr().err


def test_allocator_is_abstract():
    with pytest.raises(TypeError):
        Allocator()

    class Half(Allocator):
        def malloc(self, size):
            return None

    with pytest.raises(TypeError):
        Half()
    block = MemBlock(16, 8)
    assert (block.addr, block.size) == (16, 8)
    with pytest.raises(AttributeError):
        block.addr = 1


def test_runs_from_threads():
    session = Session()
    session.add_graph(1, square(shape=(4,)))
    problems = []

    def work(seed):
        a = np.random.default_rng(seed).standard_normal(4).astype(np.float32)
        for _ in range(50):
            y = session.run_graph(1, [feed(a.tolist(), [4])])[0]
            if not np.allclose(y.data, a * a + 1, atol=1e-6):
                problems.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert problems == []


def test_session_keeps_its_own_copy():
    session, graph = Session(), square()
    session.add_graph(1, graph)
    graph.remove_node(graph.find_node_by_name("Mul_0"))
    del graph
    gc.collect()
    assert session.run_graph(1, [feed([2.0] * 6, [2, 3])])[0].data == [[5.0] * 3] * 2


def test_broken_graph_is_refused_at_the_first_run():
    graph = square()
    graph.remove_edge(graph.find_node_by_name("x"), 0, graph.find_node_by_name("Mul_0"), 0)
    session = Session()
    session.add_graph(1, graph)
    with pytest.raises(GeError, match="^RunGraph failed; graph_id=1; .*Mul_0"):
        session.run_graph(1, [feed([2.0] * 6, [2, 3])])
    assert isinstance(graph, Graph)
