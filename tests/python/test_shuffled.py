"""Random programs whose objects die in random order: what remains answers as before, whatever it was made from is gone.

`tests/python/CMakeLists.txt` runs this file under the address sanitizer, where a read of freed memory ends the process.
GE_SHUFFLED_SEEDS sets how many programs there are, GE_SHUFFLED_FIRST the first seed.
"""

import gc
import os
import pickle
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import ge
from ge.es import GraphBuilder
from ge.es.all import Add, BatchNorm, Cast, ConcatV2, Const, Conv2D, If, Relu, Reshape, Split
from ge.es.graph_builder import attr_scope, control_dependency_scope
from ge.graph import DataType, DumpFormat, Graph, Tensor, TensorDesc
from ge.session import Session

SEEDS = int(os.environ.get("GE_SHUFFLED_SEEDS", "24"))
FIRST = int(os.environ.get("GE_SHUFFLED_FIRST", "0"))
STEPS = 150


class Program:
    """A pool of objects, each with what can be asked of it for ever, and the actions that make more of them."""

    def __init__(self, seed, folder):
        self.r = random.Random(seed)
        self.folder = folder
        self.serial = 0
        self.pool = {}  # kind -> [(object, check)]
        self.refusals = 0

    # ---- the pool ----

    def put(self, kind, thing, check=None):
        self.pool.setdefault(kind, []).append((thing, check))
        return thing

    def any(self, kind):
        entries = self.pool.get(kind)
        if not entries:
            getattr(self, f"new_{kind}")()
            entries = self.pool[kind]
        return self.r.choice(entries)[0]

    def drop(self):
        kinds = [k for k, entries in self.pool.items() if entries]
        if kinds:
            entries = self.pool[self.r.choice(kinds)]
            entries.pop(self.r.randrange(len(entries)))

    def use(self):
        for entries in list(self.pool.values()):  # a check may add to the pool
            for thing, check in self.r.sample(entries, min(2, len(entries))):
                if check:
                    check(thing)

    def name(self, text):
        self.serial += 1
        return f"{text}{self.serial}"

    # ---- builders and their tensors ----

    def new_builder(self):
        name = self.name("b")
        builder = GraphBuilder(name)
        self.put("builder", builder, lambda b: self.same(b.name, name))
        for i in range(2):
            self.holder(builder.create_input(i, name=f"x{i}", shape=[1, 4, 4, 4]))

    def holder(self, tensor):
        name = tensor.name
        return self.put("holder", tensor, lambda t: self.same_holder(t, name))

    def same_holder(self, tensor, name):
        try:
            got = tensor.name
        except RuntimeError:
            self.refusals += 1  # an edit of the graph removed the node
        else:
            assert got == name

    def new_holder(self):
        builder = self.any("builder")
        self.holder(builder.create_const_float([self.r.random() for _ in range(4)], [1, 4, 1, 1]))

    def do_operator(self):
        a = self.any("holder")
        builder = a.get_owner_builder()
        mine = [t for t, _ in self.pool["holder"] if t.get_owner_builder() is builder]
        b = self.r.choice(mine)
        kind = self.r.randrange(9)
        if kind == 0:
            self.holder(Add(a, b))
        elif kind == 1:
            self.holder(a * 2.5 - b)
        elif kind == 2:
            out = BatchNorm(a, b, b, b, b)
            name = out.batch_mean.name.partition("_")[2]
            if self.r.random() < 0.5:
                self.put("outputs", out, lambda o: self.same_holder(o.y, "BatchNorm_" + name))
            else:
                self.holder(out.batch_variance)
        elif kind == 3:
            for part in Split(1, a, 3, num_split=3)[: self.r.randrange(4)]:
                self.holder(part)
        elif kind == 4:
            self.holder(ConcatV2([a, b, [[1.0]]], 0, N=3))
        elif kind == 5:
            self.holder(Conv2D(a, b, None, None, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0]))
        elif kind == 6:
            with control_dependency_scope([b]), attr_scope({"mark": [1, 2], "tensor": self.any("tensor")}):
                self.holder(Reshape(a, [4, -1]))
        elif kind == 7:
            self.holder(Const(builder, value=Tensor([1.0, 2.0], shape=[2])))
        else:
            self.holder(Cast(a, dst_type=DataType.DT_INT32).set_shape([2]).set_data_type(DataType.DT_INT32))

    def do_foreign_operator(self):
        a, b = self.any("holder"), self.any("holder")
        if a.get_owner_builder() is not b.get_owner_builder():
            with pytest.raises((ValueError, RuntimeError)):
                Add(a, b)

    def do_subgraph(self):
        a = self.any("holder")
        branches = []
        for side in "te":
            s = GraphBuilder(self.name(side))
            branches.append(s.build_and_reset([s.create_input(0) + 1.0]))
        try:
            (out,) = If(a, [a], 1, *branches)
        except (RuntimeError, ValueError):
            if not a.get_owner_builder()._is_built:
                raise
            self.refusals += 1
        else:
            self.holder(out)
            with pytest.raises(RuntimeError):
                If(a, [a], 1, *branches)
        self.graph(self.r.choice(branches))

    def do_build(self):
        a = self.any("holder")
        if a.get_owner_builder()._is_built:
            self.new_builder()
            a = self.pool["holder"][-1][0]
        self.graph(a.get_owner_builder().build_and_reset([a] if self.r.random() < 0.8 else []))

    # ---- graphs, nodes, descriptions ----

    def graph(self, graph):
        name = graph.name
        self.put("graph", graph, lambda g: self.same(g.name, name))

    def new_graph(self):
        self.do_build()

    def runnable(self):
        b = GraphBuilder(self.name("r"))
        x = b.create_input(0, name="x", shape=[4])
        graph = b.build_and_reset([Relu(x * 2.0 + [1.0, -1.0, 1.0, -1.0])])
        graph.set_attr("kept", [1, 2, 3])
        self.put("runnable", graph, lambda g: self.same(g.get_attr("kept"), [1, 2, 3]))

    new_runnable = runnable

    def new_node(self):
        for node in self.any("graph").get_all_nodes()[:6]:
            name, kind = node.name, node.type
            self.put("node", node, lambda n, want=(name, kind): self.same_node(n, want))

    def same_node(self, node, want):
        try:
            got = (node.name, node.type)
        except RuntimeError:
            self.refusals += 1  # removed, or its graph was loaded anew
        else:
            assert got == want

    do_more_nodes = new_node

    def do_edit(self):
        graph, a, b = self.any("graph"), self.any("node"), self.any("node")
        kind = self.r.randrange(8)
        try:
            if kind == 0:
                graph.remove_node(a)
            elif kind == 1:
                graph.add_control_edge(a, b)
            elif kind == 2:
                graph.remove_edge(a, 0, b, self.r.randrange(3))
            elif kind == 3:
                graph.add_data_edge(a, 0, b, self.r.randrange(3))
            elif kind == 4:
                graph.add_subgraph(self.any("graph"))
            elif kind == 5:
                graph.remove_subgraph(self.r.choice(graph.get_all_subgraphs() or [graph]).name)
            elif kind == 6:
                a.set_attr("value", self.any("tensor"))
            else:
                b.update_output_desc(0, self.any("desc"))
        except RuntimeError:
            self.refusals += 1

    def do_read(self):
        node = self.any("node")
        try:
            for other in (*node.get_in_control_nodes(), *node.get_out_control_nodes()):
                self.put("node", other, None)
            if node.get_inputs_size():
                self.put("node", node.get_in_data_nodes_and_port_indexes(0)[0], None)
            if node.get_outputs_size():
                for consumer, _ in node.get_out_data_nodes_and_port_indexes(0):
                    self.put("node", consumer, None)
                self.desc(node.get_output_desc(0))
            if node.has_attr("value"):
                self.tensor(node.get_attr("value"))
        except RuntimeError:
            self.refusals += 1

    def do_dump(self):
        graph = self.any("graph")
        try:
            text = graph.dump_to_stream(self.r.choice(list(DumpFormat)))
            assert text
        except RuntimeError:
            self.refusals += 1

    def do_file(self):
        path = str(self.folder / self.name("g"))
        try:
            self.any("graph").save_to_air(path)
        except RuntimeError:
            self.refusals += 1
            return
        loaded = Graph("empty") if self.r.random() < 0.7 else self.any("loaded")
        loaded.load_from_air(path)
        self.put("loaded", loaded, lambda g: g.get_direct_nodes())
        for node in loaded.get_direct_nodes()[:3]:
            self.put("node", node, None)

    def new_loaded(self):
        self.put("loaded", Graph("loaded"), lambda g: g.get_direct_nodes())

    def do_subgraphs(self):
        for sub in self.any("graph").get_all_subgraphs():
            self.graph(sub)

    def new_desc(self):
        self.desc(TensorDesc([1, 2, 3], data_type=DataType.DT_INT32))

    def desc(self, desc):
        text = repr(desc)
        self.put("desc", desc, lambda d: self.same(repr(d), text))

    # ---- tensors and views ----

    def new_tensor(self):
        self.tensor(Tensor([self.r.randrange(100) for _ in range(6)], None, DataType.DT_INT32, shape=[2, 3]))

    def tensor(self, tensor):
        data = tensor.data
        self.put("tensor", tensor, lambda t: self.same(t.data, data))

    do_tensor = new_tensor

    def do_view(self):
        tensor = self.any("tensor")
        view = np.asarray(tensor)
        view = self.r.choice([view, view.T, view.reshape(-1), view.reshape(-1)[1:]])
        want = view.copy()
        self.put("view", view, lambda v: self.same(v.tolist(), want.tolist()))

    def do_exported(self):
        view = np.from_dlpack(self.any("tensor"))
        want = view.tolist()
        self.put("view", view, lambda v: self.same(v.tolist(), want))

    def do_imported(self):
        array = np.array([[self.r.randrange(100) for _ in range(3)] for _ in range(4)], np.int32)
        self.tensor(Tensor.from_dlpack(self.r.choice([array, array[:, ::2], array.T, np.asarray(self.any("tensor")).copy()])))

    def do_pickle(self):
        graph = pickle.loads(pickle.dumps(self.any("runnable")))
        self.put("runnable", graph, lambda g: self.same(g.get_attr("kept"), [1, 2, 3]))
        if self.r.random() < 0.2:
            self.put("model", pickle.loads(pickle.dumps(self.any("model"))), self.run_model)

    def do_attribute_round_trip(self):
        node, tensor = self.any("node"), self.any("tensor")
        try:
            node.set_attr("kept", tensor)
            got = node.get_attr("kept")
            assert got.data == tensor.data
            self.tensor(got)
        except RuntimeError:
            self.refusals += 1

    # ---- models and sessions ----

    def new_model(self):
        model = ge.load(self.any("runnable"), options={"threads": 1})
        self.put("model", model, self.run_model)

    def run_model(self, model):
        x = np.array([1.0, 2.0, -3.0, 4.0], np.float32)
        (y,) = model.run({"x": x}).values()
        assert y.tolist() == [3.0, 3.0, 0.0, 7.0]
        self.put("view", y, lambda v: self.same(v.tolist(), [3.0, 3.0, 0.0, 7.0]))

    def do_model(self):
        if self.r.random() < 0.3:
            self.new_model()

    def new_session(self):
        session = Session()
        session.add_graph(1, self.any("runnable"))
        self.put("session", session, self.run_session)

    def run_session(self, session):
        (y,) = session.run_graph(1, [Tensor([1.0, 2.0, -3.0, 4.0], shape=[4])])
        assert y.data == [3.0, 3.0, 0.0, 7.0]
        self.tensor(y)

    def do_session(self):
        if self.r.random() < 0.3:
            self.new_session()

    @staticmethod
    def same(got, want):
        assert got == want

    def run(self, to_the_end=True):
        actions = [getattr(self, a) for a in dir(self) if a.startswith("do_")]
        for _ in range(STEPS):
            action = self.r.choice(actions)
            try:
                action()
            except RuntimeError as e:
                reason = getattr(e, "reason", "")
                if "already been built" not in str(e) and "was removed from its graph" not in reason:
                    raise
                self.refusals += 1
            except ValueError as e:
                if "Tensor handle cannot be None" not in str(e):
                    raise
                self.refusals += 1
            for _ in range(self.r.randrange(3)):
                self.drop()
            if self.r.random() < 0.1:
                gc.collect()
            if self.r.random() < 0.2:
                self.use()
        if not to_the_end:
            return
        # One by one, in any order.
        while any(self.pool.values()):
            for _ in range(5):
                self.drop()
            if self.r.random() < 0.2:
                gc.collect()
            if self.r.random() < 0.2:
                self.use()


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEEDS))
def test_shuffled(seed, tmp_path):
    Program(seed, tmp_path).run()


@pytest.mark.parametrize("seed", range(FIRST, FIRST + 3))
def test_what_is_left_when_the_process_ends(seed, tmp_path):
    """The interpreter takes modules and globals apart in its own order."""
    script = (
        f"import sys, pathlib; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_shuffled\n"
        f"left = test_shuffled.Program({seed}, pathlib.Path({str(tmp_path)!r})); left.run(False)\n"
        "left.cycle = [left]; print(sum(map(len, left.pool.values())) > 20)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (run.returncode, run.stdout.splitlines()[-1:]) == (0, ["True"]), run.stderr


def test_shuffled_from_threads(tmp_path):
    """Programs of their own in several threads; objects of one die in the collections that another one starts."""
    failures = []

    def work(seed):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            Program(seed, folder).run()
        except BaseException as e:
            failures.append((seed, repr(e)))

    threads = [threading.Thread(target=work, args=(1000 + i,)) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


@pytest.mark.skipif("libasan" not in os.environ.get("LD_PRELOAD", ""), reason="only the address sanitizer sees it")
def test_the_sanitizer_sees_what_python_does():
    """A read of freed memory, made on purpose below the package, ends the process: the tests above mean something."""
    script = (
        "from ge._native import ffi, lib\n"
        "builder = lib.EsCreateGraphBuilder(b'g')\n"
        "lib.EsDestroyGraphBuilder(builder)\n"
        "print(ffi.buffer(ffi.cast('char *', builder), 8)[:])\n"
        "lib.EsCreateGraphInput(builder, 0)\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode != 0 and "AddressSanitizer: heap-use-after-free" in run.stderr
