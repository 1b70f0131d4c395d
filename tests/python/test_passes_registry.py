"""Registering passes: names, stages, descriptors and queries."""

import contextlib
import dataclasses
import enum
import importlib
import re
import subprocess
import sys

import pytest
from pass_kit import STAGE, chain, compile_types

import ge
from ge import passes
from ge.es.all import Abs, Relu

NAMES = """DecomposePass FuseCheckResult FusionBasePass MatchResult NodeIo PassStage PassContext Pattern PatternMatcherConfig
PatternMatcherConfigBuilder PatternFusionPass SubgraphInput SubgraphOutput SubgraphBoundary SubgraphRewriter can_fuse
clear_registered_passes create_pattern create_replacement get_registered_pass_by_descriptor_key get_registered_pass_dicts
get_registered_passes infer_shape pattern register_decompose_pass register_fusion_pass report_fuse""".split()


def test_names():
    assert len(NAMES) == 27 and set(NAMES) <= set(passes.__all__) == set(dir(passes)) - {n for n in dir(passes) if n[0] == "_"}
    for name in passes.__all__:
        assert getattr(passes, name) is not None
    with pytest.raises(AttributeError, match="^module 'ge.passes' has no attribute 'X'$"):
        passes.X  # noqa: B018


def test_importing_the_package_loads_nothing():
    script = (
        "import sys\nfrom ge import passes\nassert 'ge._ge_cffi' not in sys.modules, 1\n"
        "import ge.passes.pattern\nassert callable(passes.pattern)\n"
        "from ge.passes import pattern\nassert callable(pattern) and not hasattr(pattern, '__path__')\n"
        "import importlib\nassert importlib.import_module('ge.passes.pattern').Pattern is passes.Pattern\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout == "", run.stderr


@pytest.mark.parametrize(
    "module",
    "base pattern replacement registry bootstrap fuse_inspector runtime _bridge _native _artifact_utils".split(),
)
def test_modules(module):
    assert importlib.import_module(f"ge.passes.{module}").__doc__


@pytest.mark.parametrize(
    "member, value",
    [
        ("BEFORE_INFER_SHAPE", "BeforeInferShape"),
        ("AFTER_INFER_SHAPE", "AfterInferShape"),
        ("AFTER_BUILTIN_FUSION_PASS", "AfterBuiltinFusionPass"),
        ("AFTER_ORIGIN_GRAPH_OPTIMIZE", "AfterOriginGraphOptimize"),
    ],
)
def test_stages(registry, member, value):
    stage = passes.PassStage[member]
    assert stage == value and stage.value == value and isinstance(stage, str)
    ran = []

    @passes.register_fusion_pass(name="Ran", stage=stage)
    class Ran(passes.FusionBasePass):
        def run(self, graph, context):
            ran.append([n.get_output_desc(0).get_shape() for n in graph.get_direct_nodes() if n.type == "Relu"][0])

    ge.load(chain(Relu))
    assert len(ran) == 1
    assert (ran[0] == [4]) == (member != "BEFORE_INFER_SHAPE")


def test_stages_are_all():
    assert len(passes.PassStage) == 4


def test_descriptor(registry):
    @passes.register_fusion_pass(name="N", stage=STAGE)
    class C(passes.PatternFusionPass):
        pass

    found = C.__ge_pass_descriptor__
    assert passes.get_registered_passes() == [found]
    key = f"{__name__}:C:N"
    assert passes.get_registered_pass_by_descriptor_key(key) is found
    assert passes.get_registered_pass_by_descriptor_key("no") is None
    assert found.cls is C
    expected = {
        "descriptor_key": key,
        "pass_name": "N",
        "module_name": __name__,
        "class_name": "C",
        "stage": "BeforeInferShape",
        "kind": "pattern_fusion",
        "op_types": [],
    }
    assert passes.get_registered_pass_dicts() == [expected] == [found.to_bridge_dict()]
    assert type(found.to_bridge_dict()["stage"]) is str
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.pass_name = "x"
    passes.clear_registered_passes()
    assert passes.get_registered_passes() == []


class Base(passes.FusionBasePass):
    def run(self, graph, context):
        pass


class Decompose(passes.DecomposePass):
    pass


@pytest.mark.parametrize("what", [int, Base(), "x", lambda: None])
def test_what_is_no_fusion_pass_is_refused(registry, what):
    with pytest.raises(TypeError, match="^register_fusion_pass expects a FusionBasePass subclass$"):
        passes.register_fusion_pass(name="N", stage=STAGE)(what)
    assert passes.get_registered_passes() == []


@pytest.mark.parametrize("what", [int, Base, passes.PatternFusionPass])
def test_what_is_no_decompose_pass_is_refused(registry, what):
    with pytest.raises(TypeError, match="^register_decompose_pass expects a DecomposePass subclass$"):
        passes.register_decompose_pass(name="N", stage=STAGE, op_types=["Relu"])(what)


@pytest.mark.parametrize("op_types", ["Relu", b"Relu", 5, None])
def test_op_types_must_be_iterable(op_types):
    with pytest.raises(TypeError, match="^register_decompose_pass op_types must be an iterable of strings$"):
        passes.register_decompose_pass(name="N", stage=STAGE, op_types=op_types)


def test_op_types_must_not_be_empty():
    with pytest.raises(ValueError, match="^register_decompose_pass requires at least one op type$"):
        passes.register_decompose_pass(name="N", stage=STAGE, op_types=[])


@pytest.mark.parametrize("op_types", [[""], ["Relu", 5], [None], [b"Relu"]])
def test_op_types_must_be_texts(op_types):
    with pytest.raises(TypeError, match="^register_decompose_pass op_types must contain non-empty strings$"):
        passes.register_decompose_pass(name="N", stage=STAGE, op_types=op_types)


def test_op_types_are_a_new_list(registry):
    types = ("Relu", "Abs")
    cls = passes.register_decompose_pass(name="N", stage=STAGE, op_types=types)(type("D", (passes.DecomposePass,), {}))
    assert passes.DecomposePass.op_types is None
    assert cls.op_types == ["Relu", "Abs"] and cls.__ge_pass_descriptor__.op_types == ["Relu", "Abs"]
    assert cls.op_types is not cls.__ge_pass_descriptor__.op_types
    assert cls.__ge_pass_descriptor__.kind == "decompose"


@pytest.mark.parametrize("base, kind", [(passes.FusionBasePass, "fusion_base"), (passes.PatternFusionPass, "pattern_fusion")])
def test_kinds(registry, base, kind):
    cls = passes.register_fusion_pass(name="N", stage=STAGE)(type("C", (base,), {}))
    assert cls.__ge_pass_descriptor__.kind == kind
    forced = passes.register_fusion_pass(name="M", stage=STAGE, kind="anything")(type("D", (base,), {}))
    assert forced.__ge_pass_descriptor__.kind == "anything"


def test_a_forced_kind_fails_when_it_runs(registry):
    passes.register_fusion_pass(name="M", stage=STAGE, kind="anything")(type("D", (Base,), {}))
    with pytest.raises(ge.GeError, match="pass 'M' is of kind 'anything', which cannot run"):
        ge.load(chain(Relu))


def test_a_decompose_pass_as_a_fusion_pass_fails_when_it_runs(registry):
    cls = passes.register_fusion_pass(name="N", stage=STAGE)(type("D", (passes.DecomposePass,), {}))
    assert cls.__ge_pass_descriptor__.kind == "fusion_base"
    with pytest.raises(ge.GeError, match="NotImplementedError: FusionBasePass.run must be implemented") as caught:
        ge.load(chain(Relu))
    assert isinstance(caught.value.__cause__, NotImplementedError)


def test_duplicates(registry):
    register = passes.register_fusion_pass(name="N", stage=STAGE)
    cls = type("C", (Base,), {})
    register(cls)
    key = f"{__name__}:C:N"
    with pytest.raises(ValueError, match=f"^{re.escape(f'python pass descriptor_key already exists: {key}')}$"):
        register(cls)
    other = type("D", (Base,), {})
    with pytest.raises(ValueError, match="^python pass name already exists: N$"):
        register(other)
    assert len(passes.get_registered_passes()) == 1 and not hasattr(other, "__ge_pass_descriptor__")
    passes.clear_registered_passes()
    assert register(cls) is cls


def test_a_refused_decompose_pass_keeps_its_types(registry):
    passes.register_fusion_pass(name="N", stage=STAGE)(type("C", (Base,), {}))
    cls = type("D", (passes.DecomposePass,), {})
    with pytest.raises(ValueError, match="already exists"):
        passes.register_decompose_pass(name="N", stage=STAGE, op_types=["Relu"])(cls)
    assert cls.op_types is None


def test_a_stage_that_is_a_plain_string_breaks_when_passes_are_exported(registry):
    cls = passes.register_fusion_pass(name="N", stage="BeforeInferShape")(type("C", (Base,), {}))
    assert passes.get_registered_passes()[0].cls is cls
    with pytest.raises(AttributeError, match="value"):
        passes.get_registered_pass_dicts()
    with pytest.raises(AttributeError, match="value"):
        ge.load(chain(Relu))
    passes.clear_registered_passes()
    ge.load(chain(Relu))


def test_an_unknown_stage_is_named(registry):
    stage = enum.Enum("Stage", {"OTHER": "Other"}).OTHER
    passes.register_fusion_pass(name="N", stage=stage)(type("C", (Base,), {}))
    with pytest.raises(ValueError, match="^pass 'N': stage 'Other' is unknown, expected one of BeforeInferShape, "):
        ge.load(chain(Relu))


def test_functions(registry):
    calls = []

    @passes.register_custom_pass(name="B", stage=STAGE)
    def second(graph):
        calls.append(("B", graph.name))

    @passes.register_custom_pass(name="A", stage=STAGE)
    def first(graph, context):
        calls.append((context.get_pass_name(), graph.name))

    assert second.__ge_pass_descriptor__.kind == "legacy_custom"
    ge.load(chain(Relu))
    assert calls == [("B", "g"), ("A", "g")]  # as registered, not by name


@pytest.mark.parametrize(
    "result, fails", [(None, False), (True, False), (0, False), (False, True), (5, True), (1343242304, True)]
)
def test_results_of_functions(registry, result, fails):
    passes.register_custom_pass(name="F", stage=STAGE)(lambda graph: result)
    expected = pytest.raises(ge.GeError, match="E13028: custom pass 'F' returned") if fails else contextlib.nullcontext()
    with expected:
        ge.load(chain(Relu))


@pytest.mark.parametrize("what", [int, 5, None])
def test_what_is_no_function_is_refused(what):
    with pytest.raises(TypeError, match="^register_custom_pass expects a function$"):
        passes.register_custom_pass(name="F", stage=STAGE)(what)


def test_functions_of_other_forms_are_refused():
    def named():
        pass

    with pytest.raises(TypeError, match=r"^register_custom_pass only supports named\(graph\) or named\(graph, context\)$"):
        passes.register_custom_pass(name="F", stage=STAGE)(named)


def test_a_pass_takes_part_from_its_registration_to_its_clearing(registry):
    class ToAbs(passes.PatternFusionPass):
        @passes.pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, inputs):
            return Abs(inputs[0])

    assert compile_types(chain(Relu)) == ["Relu"]
    passes.register_fusion_pass(name="N", stage=STAGE)(ToAbs)
    assert compile_types(chain(Relu)) == ["Abs"]
    passes.clear_registered_passes()
    passes.clear_registered_passes()
    assert compile_types(chain(Relu)) == ["Relu"]


def test_order_within_a_stage_is_by_name(registry):
    order = []
    for name in ("Zeta", "Alpha", "Mid"):

        def run(self, graph, context):
            order.append(context.get_pass_name())

        passes.register_fusion_pass(name=name, stage=STAGE)(type(name, (passes.FusionBasePass,), {"run": run}))
    ge.load(chain(Relu))
    assert order == ["Alpha", "Mid", "Zeta"]


def test_passes_are_switched_off_by_name(registry):
    made = []

    @passes.register_fusion_pass(name="Off", stage=STAGE)
    class Off(passes.FusionBasePass):
        def __init__(self):
            made.append(1)

        def run(self, graph, context):
            pass

    ge.load(chain(Relu), {"ge.optimizationSwitch": "Off:off"})
    assert made == []
    ge.load(chain(Relu))
    assert made == [1]
