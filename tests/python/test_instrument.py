"""ge.instrument: the order of calls, errors in each of them, and the built-in instruments."""

import pathlib
import threading
import time

import pytest
from test_transform import model, noting, small_graph, types

import ge
from ge.instrument import (
    DumpIR,
    PassCounterInstrument,
    PassInstrument,
    PassMemoryInstrument,
    PassPrintingInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    pass_instrument,
)
from ge.transform import PassContext, Sequential, get_pass

CALLS = ["enter_pass_ctx", "exit_pass_ctx", "should_run", "run_before_pass", "run_after_pass"]


class Mine(Exception):
    """Raised by instruments of these tests."""


class Tracer:
    """Notes every call; raises in one of them."""

    def __init__(self, trace, name, raises=None):
        self.trace, self.name, self.raises = trace, name, raises

    def _note(self, call, info=None):
        text = f"{self.name}.{call}" + (f":{info.name}" if info else "")
        self.trace.append(text)
        if self.raises in (call, text):
            raise Mine(text)

    def enter_pass_ctx(self):
        self._note("enter")

    def exit_pass_ctx(self):
        self._note("exit")

    def should_run(self, mod, info):
        self._note("should", info)
        return True

    def run_before_pass(self, mod, info):
        self._note("before", info)

    def run_after_pass(self, mod, info):
        self._note("after", info)


def run(trace, instruments):
    context = PassContext(instruments=instruments)
    try:
        with context:
            Sequential([noting(trace, "x")])(small_graph())
    finally:
        trace.append("done")
    return context


def test_the_order():
    trace = []
    run(trace, [Tracer(trace, "a"), Tracer(trace, "b")])
    assert (
        trace
        == (
            "a.enter b.enter a.should:sequential b.should:sequential a.before:sequential b.before:sequential a.should:x "
            "b.should:x a.before:x b.before:x x a.after:x b.after:x a.after:sequential b.after:sequential a.exit b.exit done"
        ).split()
    )


@pytest.mark.parametrize(
    "raises, last, cleared",
    [
        ("b.enter", "a.enter b.enter a.exit", True),
        ("a.exit", "a.after:sequential b.after:sequential a.exit", True),
        ("a.should:x", "a.should:x a.exit b.exit", False),
        ("a.before:x", "a.before:x a.exit b.exit", False),
        ("a.after:x", "x a.after:x a.exit b.exit", False),
    ],
)
def test_errors(raises, last, cleared):
    trace = []
    a, b = Tracer(trace, "a", raises), Tracer(trace, "b", raises)
    context = PassContext(instruments=[a, b])
    with pytest.raises(Mine, match=raises), context:
        Sequential([noting(trace, "x")])(small_graph())
    assert " ".join(trace).endswith(last)
    assert (context.instruments == []) is cleared
    assert PassContext.current() is not context
    del trace[:]
    Sequential([noting(trace, "x")])(small_graph())
    assert trace == ["x"]


def test_an_error_after_a_pass_undoes_it():
    graph = small_graph()
    with pytest.raises(Mine), PassContext(instruments=[Tracer([], "a", "after")]):
        get_pass("RemoveIdentity").apply(graph)
    assert "Identity" in types(graph)


def test_an_error_inside_still_exits():
    trace = []
    with pytest.raises(Mine), PassContext(instruments=[Tracer(trace, "a")]):
        raise Mine("inside")
    assert trace == ["a.enter", "a.exit"]


def test_any_may_skip_a_pass_that_is_not_required():
    class Skips(PassInstrument):
        def should_run(self, mod, info):
            return info.name != "RemoveIdentity"

    for required, left in (([], True), (["RemoveIdentity"], False)):
        graph = small_graph()
        with PassContext(instruments=[Skips()], required_pass=required):
            get_pass("RemoveIdentity").apply(graph)
        assert ("Identity" in types(graph)) is left


def test_override():
    trace = []
    with PassContext(instruments=[Tracer(trace, "a")]) as context:
        context.override_instruments([Tracer(trace, "b")])
        assert [t.name for t in context.instruments] == ["b"]
    assert trace == ["a.enter", "a.exit", "b.enter", "b.exit"]
    with pytest.raises(ge.error.GeError, match="not entered"):
        context.override_instruments([])


@pytest.mark.parametrize("method", CALLS)
def test_any_subset_of_methods(method):
    calls = []
    kind = type("Some", (), {method: lambda self, *args: calls.append(len(args)) or True})
    with PassContext(instruments=[kind()]):
        get_pass("DeadCode")(small_graph())
    assert calls == ([0] if method.endswith("ctx") else [2])


@pytest.mark.parametrize("wrong", [3, "timing", object(), Tracer])
def test_what_is_no_instrument(wrong):
    with pytest.raises(TypeError, match="no pass instrument"):
        PassContext(instruments=[wrong])


def test_the_decorator():
    @pass_instrument
    class Counts:
        """Counts passes."""

        def __init__(self):
            self.count = 0

        def run_after_pass(self, mod, info):
            self.count += 1

    counts = Counts()
    assert isinstance(counts, PassInstrument)
    assert Counts.__doc__ == "Counts passes."
    with PassContext(instruments=[counts]):
        Sequential([get_pass("DeadCode"), get_pass("RemoveIdentity")])(small_graph())
    assert counts.count == 3


def test_timing_counts_and_memory_of_a_compile():
    timing, counter, memory = PassTimingInstrument(), PassCounterInstrument(), PassMemoryInstrument()
    with PassContext(instruments=[timing, counter, memory]):
        ge.load(model())
    whole = timing.to_dict()["passes"]
    assert [p["name"] for p in whole] == ["Compile"]
    steps = {p["name"]: p for p in whole[0]["passes"]}
    assert list(steps)[:3] == ["verify", "passes before inference", "infer"]
    assert {"RemoveIdentity", "FuseMatMul"} <= {p["name"] for p in steps["passes"]["passes"]}
    assert sum(s["total_ms"] for s in steps.values()) <= whole[0]["total_ms"]
    assert whole[0]["own_ms"] <= whole[0]["total_ms"]
    lines = timing.render().splitlines()
    assert lines[0].split() == ["pass", "total", "ms", "own", "ms", "calls"]
    assert lines[1].startswith("Compile ") and lines[2].startswith("  verify ")
    found = {p["name"]: p for p in counter.to_dict()["passes"]}["RemoveIdentity"]
    assert (found["tried"], found["matched"], found["applied"], found["declined"]) == (1, 1, 1, 0)
    assert memory.to_dict()["passes"][0]["peak_bytes"] >= 0
    assert str(memory) == memory.render()


def test_printing(capsys):
    with PassContext(instruments=[PrintBeforeAll(), PrintAfterAll()]):
        get_pass("RemoveIdentity")(small_graph())
    out = capsys.readouterr().out
    assert out.index("# before pass RemoveIdentity") < out.index("# after pass RemoveIdentity")
    assert out.count("type=Identity") == 1
    some = PassPrintingInstrument(["DeadCode"], ["RemoveIdentity"])
    with PassContext(instruments=[some]):
        Sequential([get_pass("RemoveIdentity"), get_pass("DeadCode")])(small_graph())
    printed = [(p["pass"], p["when"]) for p in some.to_dict()["printed"]]
    assert printed == [("RemoveIdentity", "after"), ("DeadCode", "before")]
    other_names = PassPrintingInstrument(["FoldConstant"], ["FoldConstant"])
    with PassContext(instruments=[other_names]):
        Sequential([get_pass("FoldConstant")])(small_graph())
    assert [p["pass"] for p in other_names.to_dict()["printed"]] == ["ConstantFolding"] * 2
    with pytest.raises(TypeError, match="print_before_pass_names is a list of names, got 'DeadCode'"):
        PassPrintingInstrument("DeadCode")


def test_dumps(tmp_path):
    dump = DumpIR(tmp_path / "ir")
    with PassContext(instruments=[dump]):
        Sequential([get_pass("RemoveIdentity"), get_pass("DeadCode")])(small_graph())
    files = [pathlib.Path(f) for f in dump.to_dict()["files"]]
    assert [f.name for f in files] == ["000_RemoveIdentity.txt"]
    assert "Relu" in files[0].read_text() and dump.render() == f"{files[0]}\n"


class Edits:
    """Sets an attribute in one of its calls."""

    def __init__(self, call):
        self.call = call

    def _edit(self, call, mod):
        if call == self.call:
            mod.get_direct_nodes()[-1].set_attr("touched", 1)
        return True

    def should_run(self, mod, info):
        return self._edit("should_run", mod)

    def run_before_pass(self, mod, info):
        self._edit("run_before_pass", mod)

    def run_after_pass(self, mod, info):
        self._edit("run_after_pass", mod)


@pytest.mark.parametrize("call", ["should_run", "run_before_pass", "run_after_pass"])
def test_an_instrument_may_not_set_attributes_either(call):
    graph = small_graph()
    with PassContext(instruments=[pass_instrument(Edits)(call)]):
        with pytest.raises(ge.error.GeError, match="edited the graph at pass 'RemoveIdentity': instruments may only look"):
            get_pass("RemoveIdentity").apply(graph)
        with pytest.raises(ge.error.GeError, match="instruments may only look"):
            ge.load(small_graph())
    assert types(graph) == types(small_graph())
    assert not any(node.has_attr("touched") for node in graph.get_direct_nodes())


BUILT_IN = [PassTimingInstrument, PassCounterInstrument, PassMemoryInstrument]


@pytest.mark.parametrize("make", BUILT_IN)
def test_one_instrument_of_several_threads(make):
    """Each thread has passes open of its own; one only asks. What is gathered stays while any thread is inside."""
    shared, errors, ends = make(), [], threading.Event()

    def compiles():
        try:
            for _ in range(5):
                with PassContext(instruments=[shared]):
                    ge.load(small_graph())
        except BaseException as error:
            errors.append(error)

    def asks():
        while not ends.is_set():
            shared.render()
            shared.to_dict()

    threads, asking = [threading.Thread(target=compiles) for _ in range(4)], threading.Thread(target=asks)
    asking.start()
    with PassContext(instruments=[shared]):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gathered = shared.to_dict()["passes"]
    ends.set()
    asking.join()
    assert not errors
    if make is not PassCounterInstrument:
        (calls,) = [entry["calls"] for entry in gathered if entry["name"] == "Compile"]
        assert calls == 20
    with PassContext(instruments=[shared]):
        assert not shared.to_dict()["passes"]  # nobody else is inside


class Leaving:
    """Enters a context in one of its calls and never leaves it."""


@pytest.mark.parametrize("call", ["enter_pass_ctx", "should_run", "run_before_pass", "run_after_pass"])
def test_a_context_that_an_instrument_leaves_behind(call):
    instrument = Leaving()
    setattr(instrument, call, lambda *arguments: PassContext(opt_level=3).__enter__() and True)
    context = PassContext(opt_level=1, instruments=[instrument])
    with context:
        get_pass("DeadCode")(small_graph())
        assert PassContext.current() is context
    assert PassContext.current().opt_level != 3
    setattr(instrument, call, None)
    with PassContext(opt_level=1) as after:
        assert PassContext.current() is after


def calls_of(instrument):
    return sum(entry["calls"] for entry in instrument.to_dict()["passes"])


def test_a_thread_is_no_longer_inside_however_it_left():
    """A scope that a thread took with it to its end, one that a pass left behind, and one in which an instrument failed."""
    timing = PassTimingInstrument()

    def once():
        with PassContext(instruments=[timing]):
            get_pass("DeadCode")(small_graph())
        return calls_of(timing)

    def behind(graph, context):
        PassContext(instruments=[timing]).__enter__()
        return graph

    def failing():
        with pytest.raises(Mine), PassContext(instruments=[Tracer([], "t", "exit"), timing]):
            pass

    def leaving():
        ge.transform.module_pass(behind, opt_level=0, name="Behind")(small_graph())

    for left in (lambda: PassContext(instruments=[timing]).__enter__(), leaving, failing):
        thread = threading.Thread(target=left)
        thread.start()
        thread.join()
        end = time.monotonic() + 10
        while [once(), once()] != [1, 1]:  # Python's end of the thread comes before the system's
            assert time.monotonic() < end


def test_a_context_from_before_a_pass_to_its_end():
    class Around:
        def run_before_pass(self, graph, info):
            self.context = PassContext(opt_level=3)
            self.context.__enter__()

        def run_after_pass(self, graph, info):
            self.seen = PassContext.current() is self.context
            self.context.__exit__(None, None, None)

    around = Around()
    with PassContext(instruments=[around]) as context:
        get_pass("DeadCode")(small_graph())
        assert around.seen and PassContext.current() is context
