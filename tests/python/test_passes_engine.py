"""The engine's work with passes written in Python: instances, loops, failures, what is lent, threads, statistics."""

import contextlib
import gc
import os
import re
import signal
import threading
import weakref

import numpy as np
import pytest
from pass_kit import (
    STAGE,
    ReluPattern,
    boom,
    branches,
    chain,
    compile_types,
    function_pass,
    in_new_process,
    recorded,
    register,
    types,
)

import ge
from ge import passes
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, Relu, Relu6, Sigmoid
from ge.graph import DataType, Graph, Tensor
from ge.offline_compile import build_finalize, build_initialize, build_model
from ge.passes import _holders
from ge.session import Session

# ---- results of run ----

NOT_CHANGED = 1343242304


@pytest.mark.parametrize("result", [None, True, 0, NOT_CHANGED])
def test_results_that_succeed(registry, result):
    function_pass(lambda graph, context: result)
    ge.load(chain(Relu))


@pytest.mark.parametrize(
    "result, code, text",
    [
        (False, 0xFFFFFFFF, "returned GE_FAILED"),
        (1, 1, r"returned .*\(1\)"),
        (50331649, 50331649, r"\(50331649\)"),
        (-1, 0xFFFFFFFF, "python pass returned status -1, expected 0 to 4294967295"),
        (2**32, 0xFFFFFFFF, "python pass returned status 4294967296, expected 0 to 4294967295"),
        ("x", 0xFFFFFFFF, "python pass returned unsupported type: <class 'str'>"),
        ([], 0xFFFFFFFF, "python pass returned unsupported type: <class 'list'>"),
        (1.0, 0xFFFFFFFF, "python pass returned unsupported type: <class 'float'>"),
    ],
)
def test_results_that_fail(registry, result, code, text):
    function_pass(lambda graph, context: result)
    with pytest.raises(GeError, match=f"pass 'P': .*{text}") as caught:
        ge.load(chain(Relu))
    assert caught.value.code == code


def test_what_a_pass_says_about_its_failure(registry):
    def run(graph, context):
        context.set_error_message("this is why")
        return False

    function_pass(run)
    with pytest.raises(GeError, match="pass 'P': .*: this is why$"):
        ge.load(chain(Relu))


# ---- exceptions ----


HOOKS = ["__init__", "run", "replacement", "decompose", "function"]


def failing(hook, call):
    """Registers a pass one of whose hooks is `call`."""
    if hook == "run":
        return function_pass(call)
    if hook == "function":
        return passes.register_custom_pass(name="P", stage=STAGE)(lambda graph: call())
    if hook == "decompose":
        cls = type("C", (passes.DecomposePass,), {"replacement": lambda self, node: call()})
        return passes.register_decompose_pass(name="P", stage=STAGE, op_types=["Relu"])(cls)
    body = {"replacement": lambda self, inputs: inputs[0]}
    body[hook] = (lambda self: call()) if hook == "__init__" else lambda self, match: call()
    return register(type("C", (ReluPattern,), body))


COMPILES = {
    "load": lambda g: ge.load(g),
    "session": lambda g: run_in_session(g),
    "offline": lambda g: build_offline(g),
}


def run_in_session(graph):
    session = Session()
    session.add_graph(1, graph)
    return session.run_graph(1, [Tensor([1.0] * 4, None, DataType.DT_FLOAT, shape=[4])])


def build_offline(graph):
    build_initialize()
    try:
        return build_model(graph)
    finally:
        registered = passes.get_registered_passes()
        build_finalize()
        assert passes.get_registered_passes() == [] or not registered


@pytest.mark.parametrize("way", COMPILES)
@pytest.mark.parametrize("hook", HOOKS)
def test_exceptions_fail_the_compile(registry, hook, way):
    """The text names the pass and has the traceback; the exception is the cause; objects are freed, the graph is as before."""
    failing(hook, boom)
    graph = chain(Abs, Relu)
    before = str(graph)
    with recorded() as found, pytest.raises(GeError, match="(?s)pass 'P'.*ValueError: boom\nTraceback.*in boom") as caught:
        COMPILES[way](graph)
    assert isinstance(caught.value.__cause__, ValueError)
    assert str(graph) == before and _holders._by_id == {}
    assert [bool(entry["destroyed"]) for entry in found] == [True]
    if hook in ("replacement", "decompose"):
        assert re.search(r"rule '\w+': node 'Relu_\d+'", str(caught.value))


@pytest.mark.parametrize("hook", [*HOOKS, "meet_requirements", "patterns"])
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, type("Own", (BaseException,), {})])
@pytest.mark.parametrize("way", ["load", "session"])
def test_what_is_no_exception_comes_out_as_itself(registry, hook, kind, way):
    error = kind("why")

    def call(*_):
        raise error

    if hook == "patterns":
        register(type("C", (passes.PatternFusionPass,), {"patterns": call}))
    else:
        failing(hook, call)
    with pytest.raises(kind) as caught:
        COMPILES[way](chain(Relu))
    assert caught.value is error and _holders._by_id == {}
    passes.clear_registered_passes()
    COMPILES[way](chain(Relu))


def test_signals_in_a_hook(registry):
    def run(graph, context):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10**6):
            pass

    function_pass(run)
    with pytest.raises(KeyboardInterrupt):
        ge.load(chain(Relu))


@pytest.mark.parametrize("hook", [*HOOKS, "meet_requirements"])
@pytest.mark.parametrize(
    "error, code",
    [(GeError("own", code=1343225860), 1343225860), (GeError("own"), 0xFFFFFFFF), (passes.PassFatalError("own"), 0xFFFFFFFF)],
)
def test_errors_that_fail_from_everywhere(registry, hook, error, code):
    def call(*_):
        raise error

    failing(hook, call)
    with pytest.raises(GeError, match="own") as caught:
        ge.load(chain(Relu))
    assert caught.value.__cause__ is error
    assert caught.value.code == code


@pytest.mark.parametrize("error", [passes.PassFatalError("own"), GeError("own")])
def test_patterns_that_fail_the_pass(registry, error):
    def patterns(self):
        raise error

    register(type("C", (passes.PatternFusionPass,), {"patterns": patterns}))
    with pytest.raises(GeError, match="own") as caught:
        ge.load(chain(Relu))
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("hook", ["meet_requirements", "replacement"])
@pytest.mark.parametrize("style", ["match", "inputs"])
def test_skipping_a_match(registry, hook, style):
    calls = []

    class C(ReluPattern):
        def meet_requirements(self, match):
            return self.skip("meet_requirements")

        if style == "match":

            def replacement(self, match):
                self.skip("replacement")
                return chain(Abs)

        else:

            def replacement(self, inputs):
                self.skip("replacement")
                return Abs(inputs[0])

        def skip(self, where):
            calls.append(where)
            if where == hook and calls.count(where) == 1:
                raise passes.PassSkipException("leave it")
            return True

    register(C)
    assert compile_types(chain(Relu, Sigmoid, Relu)) == ["Abs", "Relu", "Sigmoid"]
    entry = passes.report()[0]
    assert (entry["matches_tried"], entry["matches_applied"], entry["error"]) == (2, 1, "")


def test_the_reason_for_skipping_is_in_the_report(registry):
    class C(ReluPattern):
        def replacement(self, inputs):
            raise passes.PassSkipException("not worth it")

    register(C)
    rules = [p for p in ge.load(chain(Relu)).report()["passes"] if p["name"] == "P"][0]["rules"]
    assert rules["ReluPattern_relu_pattern"]["last_refusal"] == "not worth it"


def test_exceptions_that_count_as_no_are_logged():
    """The first of an instance is a warning; others are for those who ask."""
    script = """
        from pass_kit import *
        class C(ReluPattern):
            def meet_requirements(self, match):
                raise ValueError("not here")
            def replacement(self, inputs):
                return inputs[0]
        class D(passes.PatternFusionPass):
            def patterns(self):
                return 5
        passes.register_fusion_pass(name="C", stage=STAGE)(C)
        passes.register_fusion_pass(name="D", stage=STAGE)(D)
        print(compile_types(chain(Relu, Relu)))
    """
    run = in_new_process(script)
    assert run.stdout == "['Relu', 'Relu']\n", run.stderr
    assert run.stderr.count("meet_requirements raised, which counts as no: ValueError: not here\nTraceback") == 1
    assert "pass 'C': rule 'ReluPattern_relu_pattern': node 'Relu_" in run.stderr
    assert (
        "pass 'D': patterns raised, which counts as no: TypeError: PatternFusionPass.patterns must return an iterable"
        in run.stderr
    )


def test_instances_are_logged_on_request():
    script = """
        from pass_kit import *
        class C(ReluPattern):
            def replacement(self, inputs):
                return inputs[0]
        passes.register_fusion_pass(name="C", stage=STAGE)(C)
        ge.load(chain(Relu, Relu))
    """
    quiet, told = in_new_process(script), in_new_process(script, GE_LOG_LEVEL="info")
    assert "pass instance" not in quiet.stderr
    assert "pass instance 1 of '__main__:C:C' created" in told.stderr
    line = r"destroyed: 1 graphs, 2 matches tried, 2 applied, 0 nodes added, 2 removed, [0-9.]+ ms"
    assert re.search(line, told.stderr), told.stderr


# ---- replacements that are wrong ----


@pytest.mark.parametrize("result", [None, 5, "graph", passes.FuseCheckResult(True)])
def test_replacements_that_are_no_graphs(registry, result):
    register(type("C", (ReluPattern,), {"replacement": lambda self, match: result}))
    with pytest.raises(GeError, match="TypeError: PatternFusionPass.replacement must return ge.graph.Graph"):
        ge.load(chain(Relu))


def test_a_graph_that_was_handed_over(registry):
    graph = chain(Abs)
    register(type("C", (ReluPattern,), {"replacement": lambda self, match: graph}))
    with pytest.raises(GeError, match="the replacement graph was handed over before: build a new one for each match"):
        ge.load(chain(Relu, Relu))


def test_the_graph_that_is_compiled_is_no_replacement(registry):
    class C(passes.FusionBasePass):
        def run(self, graph, context):
            with pytest.raises(RuntimeError, match="it is the one that the pass looks at"):
                passes.Pattern(graph)
            outer.append(graph)
            with pytest.raises(RuntimeError, match="cannot become a subgraph"):
                graph._transfer_ownership_when_pass_as_subgraph(GraphBuilder("b"))

    outer = []
    register(C)
    ge.load(chain(Relu))
    from ge.passes._borrowed import Run
    from ge.passes._expressions import owned

    source = chain(Relu)
    with pytest.raises(RuntimeError, match="that is compiled itself: build a new one"):
        owned(Run(None).graph(source._live()))


@pytest.mark.parametrize(
    "outputs, text",
    [
        (lambda inputs: [inputs[0], inputs[0]], "has 2 outputs, the part that it replaces 1"),
        (lambda inputs: Add(inputs[0], inputs[1]), "has 2 inputs, the part that it replaces 1"),
    ],
)
def test_replacements_of_another_arity(registry, outputs, text):
    register(type("C", (ReluPattern,), {"replacement": lambda self, inputs: outputs(inputs)}))
    graph = chain(Relu)
    with pytest.raises(GeError, match=f"pass 'P': .*rule 'ReluPattern_relu_pattern': node 'Relu_.*{text}"):
        ge.load(graph)
    assert types(graph) == ["Relu"]


def test_a_graph_that_a_pass_breaks_is_refused(registry):
    def run(graph, context):
        graph.remove_node([n for n in graph.get_direct_nodes() if n.type == "Relu"][0])

    function_pass(run)
    graph = chain(Relu)
    with pytest.raises(GeError, match="pass 'P'"):
        ge.load(graph)
    assert types(graph) == ["Relu"]


# ---- instances ----


def test_one_object_per_instance(registry):
    objects = []

    @register
    class C(passes.FusionBasePass):
        def __init__(self):
            objects.append(weakref.ref(self))
            self.calls = 0

        def run(self, graph, context):
            self.calls += 1

    with recorded() as found:
        for _ in range(3):
            ge.load(chain(Relu))
    gc.collect()
    assert len(objects) == 3 and all(ref() is None for ref in objects)
    ids = [entry["instance_id"] for entry in found]
    assert len(set(ids)) == 3 and ids == sorted(ids)
    for entry in found:
        assert entry["descriptor_key"] == f"{__name__}:C:P" and entry["pass_name"] == "P" and entry["graphs"] == 1
        assert 0 < entry["created"] <= entry["destroyed"] and entry["ms"] > 0 and entry["error"] == ""
    assert _holders._by_id == {}


def test_the_report_holds_errors(registry):
    function_pass(boom)
    with recorded() as found, pytest.raises(GeError):
        ge.load(chain(Relu))
    assert found[0]["error"].startswith("ValueError: boom\nTraceback") and "in boom" in found[0]["error"]


@pytest.mark.parametrize("where", ["__init__", "matcher_config", "patterns", "meet_requirements"])
def test_the_report_holds_errors_of_all_hooks(registry, where):
    def here(name):
        if where == name:
            raise OSError(name)

    class Fails(passes.PatternFusionPass):
        def __init__(self):
            here("__init__")
            super().__init__()

        @property
        def matcher_config(self):
            here("matcher_config")

        def patterns(self):
            here("patterns")
            return [passes.Pattern(chain(Relu))]

        def meet_requirements(self, match):
            here("meet_requirements")
            return True

        def replacement(self, match):
            return chain(Abs)

    register(Fails)
    fails = where in ("__init__", "matcher_config")
    with recorded() as found, pytest.raises(GeError) if fails else contextlib.nullcontext():
        ge.load(chain(Relu))
    assert found[0]["error"].startswith(f"OSError: {where}\nTraceback") and found[0]["destroyed"]


def test_the_report_is_bounded():
    from ge.passes import statistics

    assert statistics._records.maxlen == 1000
    passes.report(clear=True)
    assert passes.report() == []


def test_the_root_comes_first_and_then_each_subgraph(registry):
    seen, parents = [], []

    def run(graph, context):
        seen.append(graph.name)
        parent, node = graph.get_parent_graph(), graph.get_parent_node()
        parents.append((parent and parent.name, node and node.type))

    function_pass(run)
    with recorded() as found:
        ge.load(branches())
    assert seen[0] == "root" and sorted(seen[1:]) == ["else", "then"]
    assert parents[0] == (None, None) and parents[1:] == [("root", "If")] * 2
    assert [entry["graphs"] for entry in found] == [3]


def test_parents_outside_of_a_pass():
    graph = branches()
    assert graph.get_parent_graph() is None and graph.get_parent_node() is None
    subgraph = graph.get_subgraph("then") or graph.get_all_subgraphs()[0]
    assert subgraph.get_parent_graph().name == "root" and subgraph.get_parent_node().type == "If"
    assert type(subgraph.get_parent_graph()) is Graph


def test_patterns_are_made_anew_for_each_graph(registry):
    calls = []

    class C(passes.PatternFusionPass):
        def patterns(self):
            calls.append(1)
            return [chain(Relu), chain(Relu6)]

        def replacement(self, inputs):
            return Abs(inputs[0])

    register(C)
    ge.load(branches())
    assert len(calls) == 3 and passes.report()[0]["matches_applied"] == 2


def test_patterns_that_are_none(registry):
    register(type("C", (passes.PatternFusionPass,), {"patterns": lambda self: None}))
    assert compile_types(chain(Relu)) == ["Relu"]


def test_patterns_come_in_the_order_returned(registry):
    class C(passes.PatternFusionPass):
        def patterns(self):
            return (chain(op) for op in (Relu, Abs))

        def replacement(self, match_result):
            seen.append(match_result.get_matched_nodes()[0].type)
            return chain(Sigmoid)

    seen = []
    register(C)
    assert compile_types(chain(Abs, Relu)) == ["Sigmoid", "Sigmoid"] and seen == ["Relu", "Abs"]


@pytest.mark.parametrize(
    "answer, taken", [(1, True), ("x", True), ([], False), (None, False), (0, False), (np.bool_(True), True)]
)
def test_answers_are_truth_values(registry, answer, taken):
    class C(ReluPattern):
        def meet_requirements(self, match):
            return answer

        def replacement(self, inputs):
            return Abs(inputs[0])

    register(C)
    assert compile_types(chain(Relu)) == ["Abs" if taken else "Relu"]


# ---- patterns that are wrong, passes that do not end ----


def without_output():
    builder = GraphBuilder("none")
    Relu(builder.create_input(0))
    return builder.build_and_reset()


def with_control_edge():
    builder = GraphBuilder("control")
    x = builder.create_input(0)
    first, second = Relu(x), Abs(x)
    builder.add_control_dependency(second, [first])
    return builder.build_and_reset([second, first])


@pytest.mark.parametrize(
    "make, text", [(without_output, "has no output"), (with_control_edge, "control edges"), (branches, "subgraphs")]
)
def test_patterns_that_cannot_match(registry, capfd, make, text):
    """They are passed over with a warning; the others of the pass are looked for."""

    class C(passes.PatternFusionPass):
        def patterns(self):
            return [make(), chain(Relu)]

        def replacement(self, match_result):
            return chain(Sigmoid)

    register(C)
    assert compile_types(chain(Relu)) == ["Sigmoid"]
    assert text in capfd.readouterr().err


def test_a_pass_that_feeds_itself_can_be_interrupted(registry):
    """Each replacement holds what the pattern looks for."""

    class C(ReluPattern):
        def replacement(self, inputs):
            return Relu(Abs(inputs[0]))

    register(C)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises((KeyboardInterrupt, GeError)):
            ge.load(chain(Relu))
    finally:
        timer.join()
    assert _holders._by_id == {}


def test_signals_at_any_moment(registry):
    """However the signal falls among callbacks, it comes out, and no object stays."""

    class C(ReluPattern):
        def meet_requirements(self, match):
            return True

        def replacement(self, inputs):
            return Abs(inputs[0])

    register(C)
    graph = chain(*[Relu] * 300)
    armed, seen = [], []

    def stop(*_):
        if armed:
            seen.append(1)
            raise KeyboardInterrupt

    def load(seconds):
        try:
            armed.append(1)
            signal.setitimer(signal.ITIMER_REAL, seconds)
            ge.load(graph)
        finally:
            armed.clear()

    before = signal.signal(signal.SIGALRM, stop)
    try:
        for i in range(40):
            with contextlib.suppress(KeyboardInterrupt):
                load(0.0004 * (i + 1))
            armed.clear()
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert _holders._by_id == {}
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen


def test_foreign_nodes_cannot_be_removed(registry):
    other = chain(Abs)
    node = [n for n in other.get_direct_nodes() if n.type == "Abs"][0]
    function_pass(lambda graph, context: graph.remove_node(node))
    with pytest.raises(GeError, match="RuntimeError: Failed to remove Node Abs_"):
        ge.load(chain(Relu))
    assert types(other) == ["Abs"]
