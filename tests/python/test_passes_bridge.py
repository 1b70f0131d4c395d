"""How an engine around the interpreter drives passes, and the native helper modules that one may bring."""

import json
import sys

import pytest
from pass_kit import STAGE, ReluPattern, chain, types

from ge import passes
from ge._internal import artifact_utils
from ge._native import ffi, lib
from ge.es.all import Abs, Relu
from ge.graph import Graph
from ge.passes import _artifact_utils, _bridge, _holders, runtime
from ge.passes._native import address

KEY = f"{__name__}:C:P"


@pytest.fixture(autouse=True)
def no_holders(registry):
    yield
    _bridge.clear_pass_holders()


def register(base=passes.FusionBasePass, **body):
    cls = type("C", (base,), body)
    if issubclass(cls, passes.DecomposePass):
        return passes.register_decompose_pass(name="P", stage=STAGE, op_types=["Relu"])(cls)
    return passes.register_fusion_pass(name="P", stage=STAGE)(cls)


@pytest.fixture
def match():
    """The address of a match of Relu."""
    target = chain(Relu)
    pattern = passes.Pattern(chain(Relu))
    matcher, found = ffi.new("GeMatcher **"), ffi.new("GeMatch **")
    assert lib.GeMatcherCreate(pattern._handle, target._live(), 0, matcher) == 0
    assert lib.GeMatcherNext(matcher[0], found) == 0 and found[0]
    yield address(found[0])
    lib.GeMatchDestroy(found[0])
    lib.GeMatcherDestroy(matcher[0])


def adopted(handle):
    """A graph at an address, which becomes this test's."""
    assert isinstance(handle, int)
    return Graph._create_from(ffi.cast("GeGraph *", handle))


def test_descriptors():
    register()
    assert _bridge.load_and_get_pass_descriptors() == passes.get_registered_pass_dicts()
    assert _bridge.load_and_get_pass_descriptors()[0]["descriptor_key"] == KEY


def test_holders():
    made = []
    register(__init__=lambda self: made.append(self))
    assert _bridge.create_pass_holder(7, KEY) is True
    assert _bridge.create_pass_holder(7, KEY) is True and _bridge.create_pass_holder(7, "no matter") is True
    assert len(made) == 1
    with pytest.raises(KeyError) as caught:
        _bridge.create_pass_holder(8, "no")
    assert caught.value.args == ("python pass descriptor_key not found: no",)
    assert _bridge.destroy_pass_holder(7) is True and _bridge.destroy_pass_holder(7) is False
    _bridge.create_pass_holder(1, KEY), _bridge.create_pass_holder(2, KEY)
    _bridge.clear_pass_holders()
    assert _holders._by_id == {} and _bridge.destroy_pass_holder(1) is False


def test_the_engine_takes_other_numbers():
    import ge

    register(run=lambda self, graph, context: None)
    taken = passes.report()[-1]["instance_id"] if passes.report() else 0
    numbers = range(taken + 1, taken + 200)
    for i in numbers:
        _bridge.create_pass_holder(i, KEY)
    passes.report(clear=True)
    ge.load(chain(Relu))
    assert passes.report()[-1]["instance_id"] not in numbers


def test_run():
    register(run=lambda self, graph, context: (graph.name, context))
    _bridge.create_pass_holder(1, KEY)
    graph = chain(Relu)
    assert _bridge.run_fusion_base_pass(1, graph) == ("g", None)
    assert _bridge.run_fusion_base_pass(1, address(graph._live())) == ("g", None)
    with pytest.raises(TypeError, match="^context type error$"):
        _bridge.run_fusion_base_pass(1, graph, 5)
    with pytest.raises(KeyError) as caught:
        _bridge.run_fusion_base_pass(2, graph)
    assert caught.value.args == ("python pass holder is not created: 2",)


def test_contexts():
    seen = []
    register(run=lambda self, graph, context: seen.append(context.get_pass_name()))
    _bridge.create_pass_holder(1, KEY)
    out = ffi.new("GePassContext **")
    assert lib.GePassContextCreate(b"ByHand", out) == 0
    from ge.passes._native import borrow_pass_context

    _bridge.run_fusion_base_pass(1, chain(Relu), borrow_pass_context(address(out[0])))
    lib.GePassContextDestroy(out[0])
    assert seen == ["ByHand"]


def test_patterns():
    register(passes.PatternFusionPass, patterns=lambda self: (chain(Relu), passes.Pattern(chain(Abs))))
    _bridge.create_pass_holder(1, KEY)
    handles = _bridge.get_pass_patterns(1)
    assert len(handles) == 2 and all(isinstance(h, int) and h for h in handles)
    for handle in handles:
        lib.GePatternDestroy(ffi.cast("GePattern *", handle))


@pytest.mark.parametrize("found", ["x", b"x", 5])
def test_patterns_that_are_no_list(found):
    register(passes.PatternFusionPass, patterns=lambda self: found)
    _bridge.create_pass_holder(1, KEY)
    with pytest.raises(TypeError, match="^PatternFusionPass.patterns must return an iterable of Pattern or Graph$"):
        _bridge.get_pass_patterns(1)


def test_patterns_of_other_things():
    register(passes.PatternFusionPass, patterns=lambda self: [5])
    _bridge.create_pass_holder(1, KEY)
    with pytest.raises(TypeError, match="^PatternFusionPass.patterns must return Pattern or Graph objects$"):
        _bridge.get_pass_patterns(1)


def test_no_patterns():
    register(passes.PatternFusionPass, patterns=lambda self: None)
    _bridge.create_pass_holder(1, KEY)
    assert _bridge.get_pass_patterns(1) == []


def test_configurations():
    config = passes.PatternMatcherConfigBuilder().enable_const_value_match().build()
    register(passes.PatternFusionPass, __init__=lambda self: passes.PatternFusionPass.__init__(self, config))
    _bridge.create_pass_holder(1, KEY)
    assert _bridge.get_pattern_matcher_config(1) == lib.GE_MATCH_CONST_VALUES
    passes.clear_registered_passes()
    register(passes.PatternFusionPass)
    _bridge.create_pass_holder(2, KEY)
    assert _bridge.get_pattern_matcher_config(2) is None
    passes.clear_registered_passes()
    register(passes.PatternFusionPass, __init__=lambda self: passes.PatternFusionPass.__init__(self, 5))
    with pytest.raises(TypeError, match="^PatternFusionPass.matcher_config must be PatternMatcherConfig or None$"):
        _bridge.create_pass_holder(3, KEY)


def test_hooks_of_patterns(match):
    seen = []

    def meet(self, match_result):
        seen.append(match_result)
        return [n.type for n in match_result.get_matched_nodes()]

    register(ReluPattern, meet_requirements=meet, replacement=lambda self, inputs: Abs(inputs[0]))
    _bridge.create_pass_holder(1, KEY)
    assert _bridge.call_meet_requirements(1, match) is True
    assert types(adopted(_bridge.call_replacement(1, match))) == ["Abs"]
    with pytest.raises(RuntimeError, match="^MatchResult handle has expired$"):
        seen[0].get_matched_nodes()
    for call in (_bridge.call_meet_requirements, _bridge.call_replacement):
        with pytest.raises(TypeError, match="^context type error$"):
            call(1, match, 5)


def test_matches_are_invalidated_after_exceptions(match, monkeypatch):
    seen = []
    real = _bridge.borrow_match_result
    monkeypatch.setattr(_bridge, "borrow_match_result", lambda handle: seen.append(real(handle)) or seen[-1])

    def fail(self, match_result):
        raise ValueError("boom")

    register(ReluPattern, meet_requirements=fail, replacement=fail)
    _bridge.create_pass_holder(1, KEY)
    for call in (_bridge.call_meet_requirements, _bridge.call_replacement):
        with pytest.raises(ValueError, match="^boom$"):
            call(1, match)
    for result in seen:
        with pytest.raises(RuntimeError, match="^MatchResult handle has expired$"):
            result.get_matched_nodes()
    assert len(seen) == 2


def test_replacements_that_are_no_graphs(match):
    register(ReluPattern, replacement=lambda self, match_result: 5)
    _bridge.create_pass_holder(1, KEY)
    with pytest.raises(TypeError, match="^PatternFusionPass.replacement must return ge.graph.Graph$"):
        _bridge.call_replacement(1, match)


def test_hooks_of_nodes():
    register(
        passes.DecomposePass,
        meet_requirements=lambda self, node: node.type == "Relu",
        replacement=lambda self, node: chain(Abs),
    )
    _bridge.create_pass_holder(1, KEY)
    graph = chain(Relu)
    nodes = {n.type: address(n._handle) for n in graph.get_direct_nodes()}
    assert _bridge.call_decompose_meet_requirements(1, nodes["Relu"]) is True
    assert _bridge.call_decompose_meet_requirements(1, nodes["Data"]) is False
    assert types(adopted(_bridge.call_decompose_replacement(1, nodes["Relu"]))) == ["Abs"]


def test_node_replacements_that_are_no_graphs(monkeypatch):
    register(passes.DecomposePass, replacement=lambda self, node: node)
    _bridge.create_pass_holder(1, KEY)
    monkeypatch.setattr(_bridge, "borrow_node", lambda handle: handle)
    with pytest.raises(TypeError, match="^DecomposePass.replacement must return ge.graph.Graph$"):
        _bridge.call_decompose_replacement(1, 5)


def test_release_graph_is_looked_up_when_it_is_called(monkeypatch, match):
    register(ReluPattern, replacement=lambda self, inputs: Abs(inputs[0]))
    _bridge.create_pass_holder(1, KEY)
    monkeypatch.setattr(_bridge, "release_graph", lambda graph: 42)
    assert _bridge.call_replacement(1, match) == 42


@pytest.mark.parametrize(
    "base, call, text",
    [
        (passes.FusionBasePass, lambda: _bridge.get_pass_patterns(1), "python pass holder is not PatternFusionPass: 1"),
        (
            passes.FusionBasePass,
            lambda: _bridge.get_pattern_matcher_config(1),
            "python pass holder is not PatternFusionPass: 1",
        ),
        (passes.DecomposePass, lambda: _bridge.call_meet_requirements(1, 0), "python pass holder is not PatternFusionPass: 1"),
        (passes.DecomposePass, lambda: _bridge.call_replacement(1, 0), "python pass holder is not PatternFusionPass: 1"),
        (
            passes.PatternFusionPass,
            lambda: _bridge.call_decompose_meet_requirements(1, 0),
            "python pass holder is not DecomposePass: 1",
        ),
        (
            passes.PatternFusionPass,
            lambda: _bridge.call_decompose_replacement(1, 0),
            "python pass holder is not DecomposePass: 1",
        ),
    ],
)
def test_holders_of_another_kind(base, call, text):
    register(base)
    _bridge.create_pass_holder(1, KEY)
    with pytest.raises(TypeError, match=f"^{text}$"):
        call()


def test_loaded_modules_are_cleared():
    sys.modules["_ge_py_pass_of_a_test"] = sys
    _bridge.clear_loaded_pass_modules()
    assert "_ge_py_pass_of_a_test" not in sys.modules


def test_start_and_stop_are_idempotent():
    _bridge.start(), _bridge.start()
    register()
    _bridge.create_pass_holder(1, KEY)
    _bridge.stop(), _bridge.stop()
    assert passes.get_registered_passes() == [] and _holders._by_id == {}
    _bridge.start()


# ---- artifacts ----


def test_tags():
    assert artifact_utils.current_python_tag() == f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert artifact_utils.current_platform_tag().startswith("linux-")
    assert (_artifact_utils.BRIDGE_ABI_VERSION, _artifact_utils.NATIVE_MODULE_NAME) == (1, "ge.passes._ge_pass_native")
    assert _artifact_utils.artifacts_root().parts[-2:] == ("passes", "python_pass_artifacts")


def manifest(folder, key="bridge_abi", files=("bridge.so", "native.so"), **changes):
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).write_bytes(b"")
    content = {
        "python_tag": artifact_utils.current_python_tag(),
        "platform": artifact_utils.current_platform_tag(),
        key: 1,
        "artifacts": {"bridge": "bridge.so", "native": "native.so"},
        **changes,
    }
    (folder / "manifest.json").write_text(json.dumps(content))
    return folder / "manifest.json"


def test_manifests_are_found_in_order(tmp_path):
    paths = [manifest(tmp_path / name) for name in ("b", "a")]
    own = manifest(tmp_path)
    (tmp_path / "c").mkdir()
    assert list(artifact_utils.iter_manifest_paths(tmp_path)) == [own, paths[1], paths[0]]
    found = list(_artifact_utils.iter_artifacts(tmp_path))
    assert [a.root for a in found] == [tmp_path, tmp_path / "a", tmp_path / "b"]
    assert (
        found[0].native_path == tmp_path / "native.so" and found[0].bridge_path == tmp_path / "bridge.so" and found[0].abi == 1
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"python_tag": 5},
        {"platform": None},
        {"bridge_abi": "1"},
        {"bridge_abi": True},
        {"artifacts": {}},
        {"artifacts": {"native": "native.so"}},
        {"artifacts": {"bridge": "no.so", "native": "native.so"}},
        {"artifacts": "x"},
    ],
)
def test_broken_manifests(tmp_path, changes):
    assert artifact_utils.load_bridge_artifact_manifest(manifest(tmp_path, **changes)) is None


@pytest.mark.parametrize("text", ["", "[]", "{", "5"])
def test_manifests_that_are_no_json(tmp_path, text):
    path = manifest(tmp_path)
    path.write_text(text)
    assert artifact_utils.load_bridge_artifact_manifest(path) is None
    assert artifact_utils.load_manifest_json(tmp_path / "no") is None
    assert _artifact_utils.load_artifact_from_dir(tmp_path) is None


def test_native_manifests(tmp_path):
    path = manifest(tmp_path, "native_abi", ("native.so",), artifacts={"native": "native.so"})
    assert artifact_utils.load_native_artifact_manifest(path).bridge_path is None
    assert artifact_utils.load_bridge_artifact_manifest(path) is None


@pytest.mark.parametrize("changes", [{"python_tag": "cp27"}, {"platform": "other"}, {"bridge_abi": 2}])
def test_artifacts_of_others(tmp_path, changes):
    manifest(tmp_path / "a", **changes)
    assert artifact_utils.find_compatible_artifact(_artifact_utils.iter_artifacts(tmp_path), 1) is None
    manifest(tmp_path / "b")
    assert artifact_utils.find_compatible_artifact(_artifact_utils.iter_artifacts(tmp_path), 1).root == tmp_path / "b"


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setattr(_artifact_utils, "artifacts_root", lambda: tmp_path)
    yield tmp_path
    sys.modules.pop(_artifact_utils.NATIVE_MODULE_NAME, None)


def test_the_helper_is_built_once(root, monkeypatch):
    import os

    module = runtime.ensure_native_module()
    assert module.BRIDGE_ABI_VERSION == 1 and runtime.ensure_native_module() is module
    assert module.environment()[b"PATH"] == os.environb[b"PATH"]
    artifact = _artifact_utils.find_prebuilt_artifact()
    assert artifact.root.parent == root and [p.name for p in root.iterdir() if p.name.startswith(".build")] == []
    monkeypatch.setenv("CXX", "/no/compiler")
    assert runtime.run_fallback_codegen() == artifact
    del sys.modules[_artifact_utils.NATIVE_MODULE_NAME]
    assert runtime.ensure_native_module().BRIDGE_ABI_VERSION == 1


def test_no_compiler(root, monkeypatch):
    manifest(root / "other", python_tag="cp27")
    monkeypatch.setenv("CXX", "/no/compiler")
    with pytest.raises(ImportError) as caught:
        runtime.ensure_native_module()
    text = str(caught.value)
    for part in (artifact_utils.current_python_tag(), str(root), "native.so (cp27", "there is no compiler '/no/compiler'"):
        assert part in text
    assert list(root.glob(".build*")) == []


def test_a_compiler_that_fails(root, monkeypatch):
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(RuntimeError, match="false cannot build the native helper"):
        runtime.run_fallback_codegen()
    assert list(root.glob(".build*")) == []


@pytest.mark.parametrize("folder", ["own", "0"])
def test_a_helper_that_is_damaged_is_built_anew_once(root, folder, monkeypatch):
    """In the folder of the library's own it is replaced. In another, which comes first by name, it stays, and costs no program
    that starts another compilation."""
    damaged = runtime.run_fallback_codegen()
    if folder == "0":
        damaged.root.rename(root / folder)
        damaged = _artifact_utils.find_prebuilt_artifact()
        assert damaged.root == root / folder
    damaged.native_path.unlink()  # a file of its own
    damaged.native_path.write_bytes(b"no library")
    assert runtime.ensure_native_module().BRIDGE_ABI_VERSION == 1
    del sys.modules[_artifact_utils.NATIVE_MODULE_NAME]
    monkeypatch.setenv("CXX", "/no/compiler")
    assert runtime.ensure_native_module().BRIDGE_ABI_VERSION == 1
    assert (damaged.native_path.read_bytes() == b"no library") == (folder == "0")


def test_a_damaged_helper_and_no_compiler(root, monkeypatch):
    runtime.run_fallback_codegen().native_path.write_bytes(b"no library")
    monkeypatch.setenv("CXX", "/no/compiler")
    with pytest.raises(ImportError, match="find_prebuilt_artifact: .*there is no compiler '/no/compiler'"):
        runtime.ensure_native_module()


def test_a_variable_that_is_no_command(root, monkeypatch):
    monkeypatch.setenv("CXX", "'cc")
    with pytest.raises(ImportError, match="variable CXX is ''cc', which is no command: No closing quotation"):
        runtime.ensure_native_module()
