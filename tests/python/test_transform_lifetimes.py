"""Contexts, instruments and matches that are used beyond what they are for."""

import re
import threading

import pytest
from pass_kit import chain, in_new_process, types

import ge
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Identity, Relu
from ge.transform import PassContext, find, get_pass, module_pass, register_config_option


def small_graph():
    return chain(Identity, Relu)


def test_one_context_on_two_threads():
    context = PassContext(disabled_pass=["FuseGelu"])
    entered, may_leave = threading.Event(), threading.Event()
    said = []

    def other():
        with context:
            entered.set()
            may_leave.wait(60)
        said.append(PassContext.current().disabled_pass)

    thread = threading.Thread(target=other)
    with context:
        thread.start()
        entered.wait(60)
    assert PassContext.current().disabled_pass == []
    may_leave.set()
    thread.join()
    assert said == [[]]


def test_a_pass_that_leaves_a_context_behind():
    @module_pass(opt_level=0)
    def enters(mod, ctx):
        PassContext(opt_level=1).__enter__()
        return mod

    @module_pass(opt_level=0)
    def leaves(mod, ctx):
        ctx.__exit__(None, None, None)
        return mod

    with PassContext(opt_level=3) as context:
        enters(small_graph())
        assert PassContext.current() is context
        with pytest.raises(GeError, match="the one under which a pass is running"):
            leaves(small_graph())
        assert PassContext.current() is context


def test_an_instrument_that_edits_the_graph():
    for method in ("should_run", "run_before_pass", "run_after_pass"):

        def edit(self, mod, info):
            if info.name in ("InferShape", "RemoveIdentity"):
                for node in mod.get_direct_nodes():
                    if node.type == "Relu":
                        mod.remove_node(node)
            return True

        instrument = type("Edits", (), {method: edit})()
        graph = small_graph()
        before = types(graph)
        with (
            PassContext(instruments=[instrument]),
            pytest.raises(GeError, match="'Edits' edited the graph at pass 'InferShape'"),
        ):
            ge.load(graph)
        with PassContext(instruments=[instrument]), pytest.raises(GeError, match="edited the graph at pass 'RemoveIdentity'"):
            get_pass("RemoveIdentity").apply(graph)
        assert types(graph) == before


def test_matches_that_a_pass_keeps():
    kept = []

    @module_pass(opt_level=0)
    def looks(mod, ctx):
        builder = GraphBuilder("pattern")
        found = find(builder.build_and_reset([Relu(builder.create_input(0))]), mod)
        match = next(found)
        kept.extend([found, match, match.get_matched_nodes()[0]])
        return mod

    looks(small_graph())
    for use in (lambda: next(kept[0]), lambda: kept[1].get_matched_nodes(), lambda: kept[2].set_attr("hi", 7)):
        with pytest.raises(RuntimeError, match="expired"):
            use()


def test_names_of_arguments_and_types_of_options():
    assert module_pass(func=lambda mod, ctx: mod, opt_level=1, name="M").info.name == "M"
    with pytest.raises(TypeError, match="config must be a dictionary, got 'abc'"):
        PassContext(config="abc")
    with pytest.raises(ValueError, match="holds a NUL character"):
        PassContext(disabled_pass=["FuseGelu\0"])


def test_passes_that_live_until_the_interpreter_ends():
    script = """
        import ge
        from ge.transform import module_pass
        @module_pass(opt_level=1)
        def same(mod, ctx):
            return mod
    """
    run = in_new_process(script)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("field, value", [("opt_level", "x"), ("opt_level", True), ("diag_ctx", 5), ("config", [1])])
def test_fields_that_a_program_changes_are_looked_at_again(field, value):
    context = PassContext()
    setattr(context, field, value)
    with pytest.raises(TypeError, match=f"{field} must be .*, got {re.escape(repr(value))}"), context:
        pass
    assert PassContext.current().opt_level == 2


@pytest.mark.parametrize("key, doc", [(5, ""), ("test.text", None)])
def test_keys_and_documents_are_texts(key, doc):
    with pytest.raises(TypeError, match="register_config_option: the (config key|doc) is a string, got (5|None)"):
        register_config_option(key, float, doc)
