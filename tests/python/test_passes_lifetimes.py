"""Things that passes are lent and for how long, compiles inside of passes, threads, and the engine's life."""

import gc
import os
import sys
import threading
import weakref

import pytest
from pass_kit import ReluPattern, boom, branches, chain, compile_types, function_pass, in_new_process, recorded, register, types

import ge
from ge import passes
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Abs, Relu
from ge.passes import _holders

# ---- what is lent ----


@pytest.fixture
def kept(registry):
    """(graph, a node, a subgraph's node, a node beside the first one) of a run that has ended."""
    things = []

    def run(graph, context):
        if graph.name != "root":
            return
        node = [n for n in graph.get_direct_nodes() if n.type == "Sigmoid"][0]
        inner = graph.get_all_subgraphs()[0]
        things.extend([graph, node, inner.get_direct_nodes()[0], node.get_in_data_nodes_and_port_indexes(0)[0], inner])

    function_pass(run)
    model = ge.load(branches())
    passes.clear_registered_passes()
    return things, model


def test_everything_expires(kept):
    (graph, node, inner_node, neighbour, inner), model = kept
    before = str(model.placed_graph())
    uses = [
        lambda: graph.name,
        lambda: graph.get_direct_nodes(),
        lambda: graph.find_node_by_name("x"),
        lambda: graph.remove_node(node),
        lambda: graph.get_parent_graph(),
        lambda: graph.set_attr("a", 1),
        lambda: inner.name,
        lambda: graph._clone(),
        lambda: ge.load(graph),
        lambda: str(graph),
    ]
    for n in (node, inner_node, neighbour):
        uses += [lambda n=n: n.name, lambda n=n: n.set_attr("a", 1), lambda n=n: n.get_inputs_size(), lambda n=n: n.type]
    for use in uses:
        with pytest.raises(RuntimeError, match="^graph handle has expired$"):
            use()
    assert str(model.placed_graph()) == before
    assert (repr(graph), repr(node)) == ("<Graph, expired>", "<Node, expired>")


def test_a_copy_of_what_is_lent_stays(registry):
    copies = []
    function_pass(lambda graph, context: copies.append(graph._clone()))
    ge.load(chain(Relu))
    assert types(copies[0]) == ["Relu"]


def test_another_thread_is_refused_at_once(registry):
    """It could only wait for the compile, which may wait for it."""
    errors = []

    def use(thing):
        try:
            thing()
        except RuntimeError as e:
            errors.append(str(e))

    class C(ReluPattern):
        def meet_requirements(self, match, context):
            node = match.get_matched_nodes()[0]
            for thing in (match.get_matched_nodes, context.get_pass_name, lambda: node.name):
                thread = threading.Thread(target=use, args=(thing,))
                thread.start()
                thread.join(30)
                assert not thread.is_alive()
            return False

    register(C)
    ge.load(chain(Relu))
    assert errors == ["graph handle is used by another thread than the one that runs the pass"] * 3


def test_a_thread_that_outlives_its_pass(registry):
    go, errors = threading.Event(), []

    def run(graph, context):
        def later():
            go.wait(30)
            try:
                graph.set_attr("late", 1)
            except RuntimeError as e:
                errors.append(str(e))

        threads.append(threading.Thread(target=later))
        threads[0].start()

    threads = []
    function_pass(run)
    ge.load(chain(Relu))
    go.set()
    threads[0].join(30)
    assert errors == ["graph handle has expired"]


# ---- compiles inside of passes, threads ----


def test_compiling_from_inside(registry):
    depth = []

    def run(graph, context):
        if len(depth) < 3:
            depth.append(1)
            ge.load(chain(Relu))

    function_pass(run)
    ge.load(chain(Relu))
    assert len(depth) == 3 and _holders._by_id == {}


def test_compiling_from_inside_without_end(registry):
    function_pass(lambda graph, context: ge.load(chain(Relu)) and None)
    with pytest.raises(GeError, match="RecursionError: passes run 9 deep inside one another"):
        ge.load(chain(Relu))
    assert _holders._by_id == {}


def test_clearing_from_inside(registry):
    function_pass(lambda graph, context: passes.clear_registered_passes())
    ge.load(chain(Relu))
    assert passes.get_registered_passes() == []


def test_eight_threads(registry):
    """Each compile has instances of its own; what fails in one thread does not show in another."""

    class C(ReluPattern):
        def __init__(self):
            super().__init__()
            self.thread = threading.get_ident()

        def meet_requirements(self, match):
            assert self.thread == threading.get_ident()
            return True

        def replacement(self, inputs):
            assert self.thread == threading.get_ident()
            return Abs(inputs[0])

    def run(graph, context):
        if graph.name == "bad":
            raise ValueError(f"of {threading.get_ident()}")

    register(C)
    function_pass(run, "Q")
    problems = []

    def work(k):
        try:
            for i in range(20):
                if (i + k) % 4:
                    assert compile_types(chain(*[Relu] * 5)) == ["Abs"] * 5
                    continue
                builder = GraphBuilder("bad")
                with pytest.raises(GeError) as caught:
                    ge.load(builder.build_and_reset([Relu(builder.create_input(0, shape=[4]))]))
                assert str(caught.value.__cause__) == f"of {threading.get_ident()}"
        except BaseException as e:
            problems.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    with recorded() as found:
        for t in threads:
            t.start()
        for t in threads:
            t.join(120)
    assert problems == [] and _holders._by_id == {}
    assert len(found) == 2 * 160 and all(entry["destroyed"] for entry in found)


def test_nothing_is_left_behind(registry):
    """Classes, objects and tables go when passes are cleared."""
    from ge import _native

    held = len(_native._held)
    references = []

    def make(i):
        class C(ReluPattern):
            def __init__(self):
                super().__init__()
                references.append(weakref.ref(self))

            def replacement(self, inputs):
                return boom() if i % 2 else Abs(inputs[0])

        references.append(weakref.ref(register(C, f"P{i}")))
        try:
            ge.load(chain(Relu))
        except GeError:
            pass
        passes.clear_registered_passes()

    for i in range(6):
        make(i)
    gc.collect()
    assert len(references) == 12 and [r for r in references if r() is not None] == []
    assert len(_native._held) == held


def test_a_stale_exception_is_no_cause_of_another_error(registry):
    function_pass(boom)
    with pytest.raises(GeError):
        ge.load(chain(Relu))
    passes.clear_registered_passes()
    with pytest.raises(GeError) as caught:
        ge.load(b"no model")
    assert caught.value.__cause__ is None


# ---- the engine's life ----


def test_offline_and_online_do_not_end_each_other():
    script = """
        from pass_kit import *
        from ge._native import lib
        from ge.ge_global import GeApi
        from ge.offline_compile import build_finalize, build_initialize
        register = passes.register_fusion_pass(name="C", stage=STAGE)
        cls = type("C", (passes.FusionBasePass,), {"run": lambda self, graph, context: None})
        for first, second in (("online", "offline"), ("offline", "online")):
            register(cls)
            for _ in range(2):
                GeApi.ge_initialize({"ge.exec.deviceId": "0"}), build_initialize()
            end = {"online": GeApi.ge_finalize, "offline": build_finalize}
            end[first]()
            assert lib.GeIsInitialized() == 1 and len(passes.get_registered_passes()) == 1
            end[second]()
            assert lib.GeIsInitialized() == 0 and passes.get_registered_passes() == []
            GeApi.ge_finalize(), build_finalize()
        register(cls)
        GeApi.ge_finalize()
        assert len(passes.get_registered_passes()) == 1  # nothing was started, so nothing ends
    """
    run = in_new_process(script)
    assert run.returncode == 0, run.stderr


def test_passes_at_exit():
    script = """
        from pass_kit import *
        from ge.session import Session
        function = passes.register_custom_pass(name="F", stage=STAGE)(lambda graph: None)
        session = Session()
        session.add_graph(1, chain(Relu))
        import atexit
        atexit.register(lambda: ge.load(chain(Relu)))
        ge.load(chain(Relu))
        print("end")
    """
    run = in_new_process(script)
    assert (run.returncode, run.stdout) == (0, "end\n"), run.stderr


def test_a_child_compiles_with_its_parents_passes(registry):
    function_pass(lambda graph, context: None)
    ge.load(chain(Relu))
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            ge.load(chain(Relu))
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_passes_need_no_numpy():
    script = """
        import sys
        sys.modules["numpy"] = None
        from pass_kit import *
        from ge.graph import Tensor
        from ge.session import Session
        seen = []
        passes.register_custom_pass(name="F", stage=STAGE)(lambda graph: seen.append(graph.name))
        session = Session()
        session.add_graph(1, chain(Relu))
        print(session.run_graph(1, [Tensor([-1.0] * 4, shape=[4])])[0].data, seen)
    """
    run = in_new_process(script)
    assert run.stdout == "[0.0, 0.0, 0.0, 0.0] ['g']\n", run.stderr


IN_A_SUBINTERPRETER = """
        import sys
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters

        def in_a_subinterpreter(text):
            if interpreters.__name__ == "_interpreters":
                number = interpreters.create("legacy")
            else:  # isolated ones, of Python 3.12, cannot import cffi
                number = interpreters.create(**({"isolated": False} if sys.version_info >= (3, 12) else {}))
            interpreters.run_string(number, text)
            interpreters.destroy(number)
"""


def test_a_subinterpreter_is_refused():
    """Callbacks come to the main interpreter, so that a pass of another one would be left out silently."""
    script = f"""
        {IN_A_SUBINTERPRETER}
        in_a_subinterpreter('''if True:
            from ge import passes
            try:
                passes.register_custom_pass(name="F", stage=passes.PassStage.BEFORE_INFER_SHAPE)(lambda graph: None)
            except ImportError as e:
                print(e, flush=True)
            import ge.transform
            for make in (
                lambda: ge.transform.module_pass(lambda mod, ctx: mod, opt_level=1, name="M"),
                lambda: ge.transform.PassContext(instruments=[type("I", (), {{"exit_pass_ctx": lambda self: None}})()]),
            ):
                try:
                    make()
                except ImportError as e:
                    print(e, flush=True)
        ''')
        from pass_kit import *
        seen = []
        passes.register_custom_pass(name="F", stage=STAGE)(lambda graph: seen.append(graph.name))
        ge.load(chain(Relu))
        print(seen)
    """
    run = in_new_process(script)
    assert run.stdout.splitlines()[-1:] == ["['g']"], run.stderr
    assert run.stdout.count("passes in Python need the main interpreter") == 2, run.stdout + run.stderr
    assert "instruments in Python need the main interpreter" in run.stdout, run.stdout + run.stderr


def test_a_compile_in_a_subinterpreter():
    """Passes of the main interpreter are not left out: up to Python 3.11 they run, later the compile says why not."""
    script = f"""
        from pass_kit import *
        class ToSigmoid(ReluPattern):
            def replacement(self, inputs):
                return Sigmoid(inputs[0])
        register(ToSigmoid)
        {IN_A_SUBINTERPRETER}
        in_a_subinterpreter('''if True:
            import ge
            from ge.es import GraphBuilder
            from ge.es.all import Relu
            builder = GraphBuilder('g')
            graph = builder.build_and_reset([Relu(builder.create_input(0, name='x', shape=[4]))])
            try:
                print([n.type for n in ge.load(graph, {{'opt_level': 0}}).placed_graph().get_direct_nodes()], flush=True)
            except ge.GeError as error:
                print(error, flush=True)
        ''')
    """
    run = in_new_process(script)
    refused = "passes and instruments run in the main interpreter only"
    assert ("Sigmoid" if sys.version_info < (3, 12) else refused) in run.stdout, run.stdout + run.stderr
    assert "def_extern" not in run.stderr


@pytest.mark.parametrize("is_slow", [False, True])
def test_threads_that_compile_when_the_program_ends(is_slow):
    """Python ends the threads that it does not wait for: not in the middle of the library, which would end the process."""
    script = f"""
        import threading, time
        from pass_kit import *
        begun = threading.Semaphore(0)
        class Slow(ReluPattern):
            def meet_requirements(self, match):
                begun.release()
                time.sleep(0.3 if {is_slow} else 0.001)
                return True
            def replacement(self, inputs):
                return Sigmoid(inputs[0])
        register(Slow)
        def work():
            while True:
                ge.load(chain(Relu))
        for _ in range(8):
            threading.Thread(target=work, daemon=True).start()
        for _ in range(8):
            begun.acquire()
        print("ends", flush=True)
    """
    for _ in range(3):
        run = in_new_process(script)
        assert (run.returncode, run.stdout) == (0, "ends\n"), run.stderr


def test_text_that_comes_while_the_program_ends_is_whole_or_an_error():
    """The library calls Python no more on other threads: what it would have said is lost."""
    script = """
        import atexit, numpy, threading
        go = threading.Event()
        def last():  # after what the package does at the end, since it was registered before
            go.set()
            thread.join(60)
        atexit.register(last)
        from pass_kit import *
        from ge.graph import DumpFormat
        graph, model = chain(Relu), ge.load(chain(Relu))
        feed = dict(x=numpy.ones(4, numpy.float32))
        def tell():
            return [lambda: str(graph), lambda: model.profile(feed), lambda: model.html_report(feed)]
        for call in tell():
            call()
        def work():
            go.wait(60)
            for call in tell():
                try:
                    print("text", repr(call()))
                except ge.GeError as error:
                    print(error)
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
    """
    run = in_new_process(script)
    assert run.stdout.splitlines() == ["the Python interpreter of this process ends"] * 3, run.stdout + run.stderr


def test_a_child_that_native_code_forked_waits_for_no_thread_of_its_parent():
    """A callback of another thread is not in the child, and never ends there."""
    script = """
        import ctypes, os, threading, time
        from pass_kit import *
        from ge._native import lib
        begun, go = threading.Event(), threading.Event()
        def run(graph, context):
            begun.set()
            go.wait(60)
        function_pass(run)
        thread = threading.Thread(target=lambda: ge.load(chain(Relu)))
        thread.start()
        begun.wait(60)
        pid = ctypes.PyDLL(None).fork()
        if pid == 0:
            begin = time.monotonic()
            lib.ge_py_close()
            os._exit(time.monotonic() - begin > 4)  # it gives up after 5 s
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        go.set()
        thread.join(60)
    """
    run = in_new_process(script)
    assert (run.returncode, run.stdout) == (0, "0\n"), run.stdout + run.stderr
