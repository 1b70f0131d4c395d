"""ge.transform: contexts, passes as objects, sequences, and what a compile takes from the context."""

import threading

import numpy as np
import pytest
from onnx import TensorProto, helper

import ge
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Identity, Relu
from ge.graph import Graph
from ge.transform import (
    DiagnosticContext,
    FunctionPass,
    ModulePass,
    PassContext,
    PassInfo,
    Sequential,
    emit,
    find,
    function_pass,
    get_pass,
    list_configs,
    module_pass,
    register_config_option,
    why_not,
)


def small_graph():
    """x -> Identity -> Relu"""
    builder = GraphBuilder("net")
    x = builder.create_input(0, name="x", shape=[2, 3])
    return builder.build_and_reset([Relu(Identity(x))])


def types(graph):
    return sorted(node.type for node in graph.get_direct_nodes())


def noting(trace, name, opt_level=0, required=None):
    @module_pass(opt_level=opt_level, name=name, required=required)
    def run(mod, ctx):
        trace.append(name)
        return mod

    return run


def test_a_pass_gives_a_new_graph():
    graph = small_graph()
    out = Sequential([get_pass("InferShape"), get_pass("RemoveIdentity")])(graph)
    assert "Identity" not in types(out)
    assert "Identity" in types(graph)
    assert get_pass("RemoveIdentity").apply(graph) is True
    assert "Identity" not in types(graph)
    assert get_pass("RemoveIdentity").apply(graph) is False


def test_info():
    assert get_pass("FuseGelu").info == PassInfo("FuseGelu", 2, [], False)
    made = noting([], "mine", 3, ["DeadCode"])
    assert made.info == PassInfo("mine", 3, ["DeadCode"], False)
    assert Sequential([made]).info == PassInfo("sequential", 0, [], False)
    assert Sequential([made], opt_level=2, name="both", required=["DeadCode"]).info == PassInfo("both", 2, ["DeadCode"])


def test_kinds():
    made = noting([], "mine")
    per_graph = function_pass(opt_level=0, name="each")(lambda func, mod, ctx: func)
    kinds = [p.info.kind for p in (made, per_graph, Sequential([made]), get_pass("FuseGelu"), get_pass("InferShape"))]
    assert kinds == ["module", "per_graph", "sequence", "per_graph", "module"]


def test_threads_that_compile_and_are_waited_for_have_an_end():
    """A pass that runs itself on a thread of its own would start threads until the machine has none left."""
    errors = []

    @module_pass(opt_level=0, name="Spawning")
    def spawning(mod, ctx):
        def inner():
            try:
                spawning(small_graph())
            except GeError as e:
                errors.append(str(e))

        thread = threading.Thread(target=inner)
        thread.start()
        thread.join()
        return mod

    spawning(small_graph())
    assert len(errors) == 1
    assert "pass 'Spawning': passes run on 1024 threads, and on no more they may" in errors[0]
    spawning(small_graph())  # and all of them are given back
    assert len(errors) == 2


def test_unknown_names_are_errors_with_near_names():
    with pytest.raises(GeError, match="FuseGelu"):
        get_pass("FuseGelo")
    with pytest.raises(TypeError):
        get_pass(3)


def test_a_function_for_every_pass_of_the_library():
    assert ge.transform.FuseGelu().info.name == "FuseGelu"
    for tvm, ours in {
        "FoldConstant": "ConstantFolding",
        "EliminateCommonSubexpr": "CommonSubexpression",
        "FuseOps": "FuseElementwise",
        "InferType": "InferShape",
    }.items():
        assert getattr(ge.transform, tvm)().info.name == ours
        assert tvm in dir(ge.transform)
    assert "Identity" not in types(ge.transform.RemoveIdentity()(small_graph()))


class TestGate:
    """disabled: no; required: yes; else by level."""

    CASES = [
        ({}, ["low"]),
        ({"opt_level": 3}, ["low", "high"]),
        ({"opt_level": 0}, []),
        ({"required_pass": ["high"]}, ["low", "high"]),
        ({"opt_level": 3, "disabled_pass": ["low"]}, ["high"]),
        ({"required_pass": ["low"], "disabled_pass": ["low"]}, []),
    ]

    @pytest.mark.parametrize("arguments, expected", CASES)
    def test_in_a_sequence(self, arguments, expected):
        trace = []
        both = Sequential([noting(trace, "low", 1), noting(trace, "high", 3)])
        with PassContext(**arguments):
            both(small_graph())
        assert trace == expected

    def test_a_pass_that_is_called_directly_runs(self):
        trace = []
        with PassContext(opt_level=0, disabled_pass=["high"]):
            noting(trace, "high", 3)(small_graph())
        assert trace == ["high"]

    def test_contexts_nest_and_belong_to_a_thread(self):
        trace = []
        pass_ = Sequential([noting(trace, "high", 3)])
        outer = PassContext(opt_level=3)
        with outer:
            assert PassContext.current() is outer
            with PassContext(opt_level=1) as inner:
                assert PassContext.current() is inner
                pass_(small_graph())
            assert trace == []
            other = threading.Thread(target=lambda: (pass_(small_graph()), trace.append(PassContext.current().opt_level)))
            other.start()
            other.join()
            assert trace == [2]
            pass_(small_graph())
        assert trace == [2, "high"]
        assert PassContext.current().opt_level == 2

    def test_fields_hold_from_entering(self):
        trace = []
        pass_ = Sequential([noting(trace, "high", 3)])
        context = PassContext()
        context.opt_level = 3
        with context:
            pass_(small_graph())
        assert trace == ["high"]
        context.disabled_pass.append("high")
        with context:
            pass_(small_graph())
        assert trace == ["high"]

    def test_one_context_may_be_entered_within_itself(self):
        trace = []
        context = PassContext(opt_level=3)
        with context, context:
            Sequential([noting(trace, "high", 3)])(small_graph())
        assert trace == ["high"]
        assert PassContext.current().opt_level == 2

    @pytest.mark.parametrize("field", ["required_pass", "disabled_pass", "instruments"])
    @pytest.mark.parametrize("wrong", ["DeadCode", 3])
    def test_what_is_no_list(self, field, wrong):
        with pytest.raises(TypeError, match=field):
            PassContext(**{field: wrong})

    def test_left_twice_or_on_another_thread(self):
        context = PassContext()
        with context:
            pass
        with pytest.raises(GeError, match="not the innermost"):
            context.__exit__(None, None, None)
        seen = []

        def leave():
            try:
                context.__exit__(None, None, None)
            except GeError as error:
                seen.append(str(error))

        with context:
            thread = threading.Thread(target=leave)
            thread.start()
            thread.join()
            assert PassContext.current() is context
        assert "not the innermost" in seen[0]


def test_required_passes_run_first_whatever_their_level():
    trace = []
    with noting(trace, "first", 9).register(ge.passes.PassStage.AFTER_INFER_SHAPE):
        needs = noting(trace, "second", 1, ["first"])
        Sequential([needs])(small_graph())
        assert trace == ["first", "second"]
        del trace[:]
        remarks = DiagnosticContext()
        with PassContext(disabled_pass=["first"], diag_ctx=remarks):
            Sequential([needs])(small_graph())
        assert trace == ["second"]
        assert [d.text for d in remarks.diagnostics] == ["pass 'second' requires pass 'first', which is disabled"]
        assert remarks.diagnostics[0].severity == "warning"


def test_passes_that_need_shapes_run_behind_inference():
    trace = []

    class Notes:
        def run_before_pass(self, mod, info):
            trace.append(info.name)

    with PassContext(instruments=[Notes()]):
        Sequential([get_pass("InferShape"), get_pass("FuseElementwise")])(small_graph())
        assert "FuseElementwise" in trace


def test_passes_for_streams_may_not_edit_whatever_they_are():
    @module_pass(opt_level=0, name="EditsLast")
    def last(mod, ctx):
        mod.get_direct_nodes()[-1].set_attr("touched", 1)
        return mod

    for edits in (last, Sequential([last], name="HoldsLast")):
        with edits.register("AfterAssignLogicStream"), pytest.raises(GeError, match="a stream pass may change streams only"):
            ge.load(small_graph())
    with noting(seen := [], "looks").register("AfterAssignLogicStream"):
        ge.load(small_graph())
    assert seen == ["looks"]


def test_a_circle_through_a_sequence():
    @module_pass(opt_level=0, required=["Holder"])
    def member(mod, ctx):
        return mod

    holder = Sequential([member], name="Holder")
    with holder.register(ge.passes.PassStage.AFTER_INFER_SHAPE), pytest.raises(GeError, match="in a circle"):
        holder(small_graph())


def test_remarks_keep_their_order():
    found = DiagnosticContext()
    with PassContext(diag_ctx=found):
        emit("info", "a")
        with PassContext(diag_ctx=found):
            emit("info", "b")
        emit("info", "c")
    assert [d.text for d in found.diagnostics] == ["a", "b", "c"]


def test_remarks_of_passes():
    @module_pass(opt_level=0)
    def remarks(mod, ctx):
        emit("info", "looked at it", node="relu")
        return mod

    found = DiagnosticContext()
    remarks(small_graph())  # nobody collects
    with PassContext(diag_ctx=found):
        remarks(small_graph())
    assert [(d.severity, d.node, d.text) for d in found.diagnostics] == [("info", "relu", "looked at it")]
    with pytest.raises(ValueError):
        emit("loud", "no")


class TestConfig:
    def test_keys_are_known_and_typed(self):
        register_config_option("test.limit", int, "how many")
        register_config_option("test.limit", int)
        assert list_configs()["test.limit"] == {"type": "int", "doc": "how many"}
        assert list_configs()["passes.max_rewrites"]["type"] == "int"
        with PassContext(config={"test.limit": 3}) as ctx:
            assert ctx.config == {"test.limit": 3}
        with pytest.raises(GeError, match="already"):
            register_config_option("test.limit", str)

    @pytest.mark.parametrize(
        "config, kind, text",
        [
            ({"passes.max_rewrite": 1}, GeError, "near keys: passes.max_rewrites"),
            ({"passes.max_rewrites": "many"}, GeError, "takes a whole number, not a text"),
            ({"passes.max_rewrites": True}, GeError, "a whole number"),
            ({"passes.max_rewrites": 0}, GeError, "1 or more"),
            ({"passes.max_rewrites": 2**64}, OverflowError, "64 bits"),
            ({"passes.max_rewrites": None}, TypeError, "None"),
            ({3: 1}, TypeError, "strings"),
        ],
    )
    def test_refused_at_construction(self, config, kind, text):
        with pytest.raises(kind, match=text):
            PassContext(config=config)

    @pytest.mark.parametrize("level", [-1, "2", 2.0, True])
    def test_levels(self, level):
        with pytest.raises((GeError, TypeError)):
            PassContext(opt_level=level)

    def test_unknown_types(self):
        with pytest.raises(TypeError):
            register_config_option("test.list", list)


class TestDecorators:
    def test_without_a_level(self):
        with pytest.raises(ValueError, match=r"^Please provide opt_level for the module pass\.$"):
            module_pass()
        with pytest.raises(ValueError, match=r"^Please provide opt_level for the function pass\.$"):
            function_pass()

    def test_names(self):
        @module_pass(opt_level=1)
        def by_function(mod, ctx):
            """What it does."""
            return mod

        @module_pass(opt_level=1)
        class ByClass:
            """What it does."""

            def __init__(self, low=1):
                self.low = low

            def transform_module(self, mod, ctx):
                assert isinstance(ctx, PassContext)
                return mod

        assert by_function.info.name == "by_function"
        assert isinstance(by_function, ModulePass)
        made = ByClass(low=4)
        assert made.info.name == "ByClass"
        assert made.low == 4
        assert ByClass.__doc__ == "What it does."
        made(small_graph())

    def test_function_passes_run_once_per_graph(self):
        graph = small_graph()
        for name in ("left_alone", "body"):
            sub = small_graph()
            sub = Graph._from_bytes(sub._to_bytes().replace(b"net", name[:3].encode()))
            graph.add_subgraph(sub)
            if name == "left_alone":
                sub.set_attr("SkipOptimization", True)
        seen = []

        @function_pass(opt_level=0)
        class Look:
            def transform_function(self, func, mod, ctx):
                seen.append((func.name, mod.name))
                return func

        assert isinstance(Look(), FunctionPass)
        Look()(graph)
        assert [name for name, _ in seen] == ["net", "bod"]

    def test_another_graph_takes_the_place(self):
        other = small_graph()
        get_pass("RemoveIdentity").apply(other)

        @module_pass(opt_level=0)
        def swap(mod, ctx):
            return other

        graph = small_graph()
        swap.apply(graph)
        assert types(graph) == types(other)
        assert graph.name == "net"

    @pytest.mark.parametrize("result", [None, 3, "graph"])
    def test_what_is_no_graph(self, result):
        graph = small_graph()

        @module_pass(opt_level=0)
        def wrong(mod, ctx):
            for node in mod.get_direct_nodes():
                if node.type == "Relu":
                    mod.remove_node(node)
            return result

        before = types(graph)
        with pytest.raises(TypeError, match="pass 'wrong' must return a Graph"):
            wrong.apply(graph)
        assert types(graph) == before

    def test_sequential_takes_a_list_of_passes(self):
        for wrong in ("DeadCode", 3, [3], {"a": 1}, (get_pass("DeadCode"),)):
            with pytest.raises(TypeError, match=r"^passes must be a list of Pass objects\.$"):
                Sequential(wrong)
        assert Sequential()(small_graph()).name == "net"


class TestErrors:
    def test_what_a_pass_raises_comes_out_as_itself(self):
        class Mine(Exception):
            pass

        graph = small_graph()

        @module_pass(opt_level=0)
        def fails(mod, ctx):
            raise Mine("here")

        with pytest.raises(Mine, match="here"):
            Sequential([get_pass("RemoveIdentity"), fails]).apply(graph)
        assert "Identity" in types(graph)

    def test_what_was_lent_expires(self):
        kept = []

        @module_pass(opt_level=0)
        def keeps(mod, ctx):
            kept.append(mod)
            kept.extend(mod.get_direct_nodes())
            return mod

        keeps(small_graph())
        with pytest.raises(RuntimeError, match="graph handle has expired"):
            kept[0].get_direct_nodes()
        with pytest.raises(RuntimeError, match="graph handle has expired"):
            _ = kept[1].name

    def test_a_subgraph_is_refused(self):
        root, sub = small_graph(), Graph("body")
        root.add_subgraph(sub)
        with pytest.raises(GeError, match="'body' is a subgraph"):
            get_pass("DeadCode").apply(sub)

    def test_what_is_no_graph(self):
        with pytest.raises(TypeError):
            get_pass("DeadCode")("graph")
        with pytest.raises(TypeError):
            get_pass("DeadCode").apply(None)


def model():
    info = helper.make_tensor_value_info
    x = info("x", TensorProto.FLOAT, [2, 3])
    nodes = [helper.make_node("Identity", ["x"], ["i"]), helper.make_node("Relu", ["i"], ["y"])]
    made = helper.make_model(helper.make_graph(nodes, "g", [x], [info("y", TensorProto.FLOAT, [2, 3])]))
    made.ir_version = 8
    return made.SerializeToString()


class TestCompile:
    def passes_of(self, loaded):
        return {run["name"] for run in loaded.report()["passes"]}

    def test_a_compile_takes_the_context_of_its_thread(self):
        with PassContext(opt_level=0):
            assert "FuseMatMul" not in self.passes_of(ge.load(model()))
        with PassContext(disabled_pass=["FuseMatMul"]):
            loaded = ge.load(model())
            assert "FuseMatMul" not in self.passes_of(loaded)
            assert "FuseConv" in self.passes_of(loaded)
            x = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
            np.testing.assert_array_equal(loaded(x), np.maximum(x, 0))
        with PassContext(opt_level=1, required_pass=["FuseGelu"]):
            ran = self.passes_of(ge.load(model()))
            assert "FuseGelu" in ran and "FuseMatMul" not in ran

    def test_a_pass_sees_what_holds_in_its_compile(self):
        seen = []

        @module_pass(opt_level=0, name="asks")
        def asks(mod, ctx):
            seen.append((ctx.opt_level, ctx.disabled_pass, ctx.config, ctx is outer))
            return mod

        with asks.register(ge.passes.PassStage.AFTER_INFER_SHAPE):
            with PassContext(config={"passes.max_rewrites": 7}) as outer:
                ge.load(model(), options={"opt_level": 1, "passes.disable": "FuseGelu"})
        assert seen == [(1, ["FuseGelu"], {"passes.max_rewrites": 7}, False)]

    def test_names_that_the_compile_does_not_know(self):
        found = DiagnosticContext()
        with PassContext(disabled_pass=["FoldConstant", "mine"], required_pass=["FuseGelo"], diag_ctx=found):
            assert "ConstantFolding" not in self.passes_of(ge.load(model()))
        texts = [d.text for d in found.diagnostics]
        assert any("'mine'" in t for t in texts) and any("FuseGelu" in t for t in texts)
        with pytest.raises(GeError, match="passes.disable"):
            ge.load(model(), options={"passes.disable": "mine"})

    def test_a_pass_that_only_looks_changes_nothing(self):
        graph = small_graph()
        assert noting([], "looks").apply(graph) is False

        @module_pass(opt_level=0)
        def marks(mod, ctx):
            mod.set_attr("mark", 1)
            return mod

        assert marks.apply(graph) is True

    def test_override_inside_a_compile(self):
        from test_instrument import Tracer

        trace = []
        old, new = Tracer(trace, "old"), Tracer(trace, "new")

        @module_pass(opt_level=0, name="overrides")
        def overrides(mod, ctx):
            context.override_instruments([new])
            return mod

        context = PassContext(instruments=[old])
        with overrides.register(ge.passes.PassStage.AFTER_INFER_SHAPE), context:
            ge.load(model())
        at = trace.index("old.exit")
        assert not any(t.startswith("old.before") for t in trace[at:])
        assert "new.before:FuseMatMul" in trace

    @pytest.mark.parametrize("option", ["engine_time_limit"])
    def test_compiles_on_other_threads(self, option):
        from ge.instrument import PassTimingInstrument

        timing = PassTimingInstrument()
        with PassContext(instruments=[timing], disabled_pass=["FuseMatMul"]):
            loaded = ge.load(model(), options={option: 10000})
        assert "FuseMatMul" not in self.passes_of(loaded)
        assert [p["name"] for p in timing.to_dict()["passes"]] == ["Compile"]

    def test_explicit_options_are_stronger(self):
        with PassContext(opt_level=0):
            assert "FuseMatMul" in self.passes_of(ge.load(model(), options={"opt_level": 2}))

    def test_an_essential_pass_cannot_be_disabled(self):
        with PassContext(disabled_pass=["InferShape"]), pytest.raises(GeError, match="'InferShape' cannot be disabled"):
            ge.load(model())

    def test_a_registered_pass_runs_in_its_stage(self):
        trace = []
        with noting(trace, "in_stage").register(ge.passes.PassStage.AFTER_INFER_SHAPE) as registration:
            ge.load(model())
            assert trace == ["in_stage"]
            registration.unregister()
            ge.load(model())
        assert trace == ["in_stage"]


class TestWhyNot:
    def pattern_pass(self, meets=True):
        from ge import passes
        from ge.es.all import Sigmoid

        class ReluOfSigmoid(passes.PatternFusionPass):
            @passes.pattern
            def both(self, inputs):
                return Relu(Sigmoid(inputs[0]))

            def meet_requirements(self, match):
                return meets

            def replacement(self, inputs):
                return inputs[0]

        return passes.register_fusion_pass(name="ReluOfSigmoid", stage=passes.PassStage.BEFORE_INFER_SHAPE)(ReluOfSigmoid)

    @pytest.fixture(autouse=True)
    def clear(self):
        yield
        ge.passes.clear_registered_passes()

    def test_the_constraint_that_failed(self):
        from ge.es.all import Sigmoid

        self.pattern_pass()
        builder = GraphBuilder("net")
        x = builder.create_input(0, name="x", shape=[2])
        graph = builder.build_and_reset([Relu(Identity(x)), Sigmoid(x)])
        before = types(graph)
        (miss,) = why_not("ReluOfSigmoid", graph)
        assert miss.constraint == "operator"
        assert miss.root.startswith("Relu ") and miss.node.startswith("Identity ")
        assert "Sigmoid" in miss.pattern_node
        assert ("Sigmoid" in miss.expected) and ("Identity" in miss.actual)
        assert types(graph) == before

    def test_values_of_constants(self):
        from ge import passes
        from ge.es.all import Mul
        from ge.passes import PatternMatcherConfigBuilder

        @passes.register_fusion_pass(name="MulOne", stage=passes.PassStage.BEFORE_INFER_SHAPE)
        class MulOne(passes.PatternFusionPass):
            def __init__(self):
                super().__init__(PatternMatcherConfigBuilder().enable_const_value_match().build())

            @passes.pattern
            def mul(self, inputs):
                return inputs[0] * inputs[0].get_owner_builder().create_scalar_float(1.0)

            def replacement(self, inputs):
                return inputs[0]

        builder = GraphBuilder("net")
        x = builder.create_input(0, name="x", shape=[6])
        graph = builder.build_and_reset([Mul(x, builder.create_const_float([2, 3, 4, 5, 6, 7], [6]))])
        (miss,) = why_not("MulOne", graph)
        assert miss.constraint == "constant"
        assert miss.expected.endswith("FLOAT [] of 1") and miss.actual.endswith("FLOAT [6] of 2, 3, 4, 5, …")

    def test_a_reader_outside(self):
        from ge.es.all import Sigmoid

        self.pattern_pass()
        builder = GraphBuilder("net")
        inner = Sigmoid(builder.create_input(0, name="x", shape=[2]))
        (miss,) = why_not("ReluOfSigmoid", builder.build_and_reset([Relu(inner), Identity(inner)]))
        assert miss.constraint == "reader"

    def test_what_the_pass_declines(self):
        from ge.es.all import Sigmoid

        self.pattern_pass(meets=False)
        builder = GraphBuilder("net")
        x = builder.create_input(0, name="x", shape=[2])
        graph = builder.build_and_reset([Relu(Sigmoid(x))])
        (miss,) = why_not(get_pass("ReluOfSigmoid"), graph)
        assert (miss.constraint, miss.actual) == ("predicate", "returned False")

    def test_what_matches_has_no_miss(self):
        from ge.es.all import Sigmoid

        self.pattern_pass()
        builder = GraphBuilder("net")
        graph = builder.build_and_reset([Relu(Sigmoid(builder.create_input(0, name="x", shape=[2])))])
        assert why_not("ReluOfSigmoid", graph) == []

    def test_a_rule_of_the_library(self):
        graph = small_graph()
        found = why_not("FuseGelu", graph)
        assert found and all(m.rule for m in found)
        with pytest.raises(GeError, match="no node 'nobody'"):
            why_not("FuseGelu", graph, "nobody")
        with pytest.raises(GeError, match="FuseGelu"):
            why_not("FuseGelo", graph)


class TestFind:
    def pattern(self):
        builder = GraphBuilder("relu")
        return builder.build_and_reset([Relu(builder.create_input(0))])

    def test_each_match(self):
        builder = GraphBuilder("net")
        x = builder.create_input(0, name="x", shape=[2])
        graph = builder.build_and_reset([Relu(Identity(Relu(x)))])
        names, kept = [], []
        for match in find(self.pattern(), graph):
            names.append(match.get_matched_nodes()[0].name)
            kept.append(match)
        assert len(names) == len(set(names)) == 2
        with pytest.raises(RuntimeError, match="expired"):
            kept[0].get_matched_nodes()
        assert list(find(self.pattern(), Graph("empty"))) == []

    def test_wrong_arguments(self):
        with pytest.raises(TypeError):
            find(self.pattern(), "graph")
        with pytest.raises(TypeError):
            find("pattern", small_graph())
        with pytest.raises(TypeError):
            find(self.pattern(), small_graph(), config=3)
