"""Whole networks beside ONNX Runtime: threads, instruction sets, dynamic shapes, every pass on and off."""

import collections
import os

import numpy as np
import onnx
import pytest

ge = pytest.importorskip("ge")
pytest.importorskip("onnxruntime")
from net_cases import NetCases, check, nets, reference  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return NetCases(tmp_path_factory.mktemp("nets"))


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", nets.NETS)
def test_equals_onnx_runtime(cases, name, threads):
    path, feed, expected = cases(name)
    model = ge.load(path, options={"threads": threads})
    check(model.run(feed), expected)
    check(model.run(feed), expected)  # memory that a first run left behind must not show


@pytest.mark.parametrize("name", nets.NETS)
def test_reference_engine_alone_agrees(cases, name):
    path, feed, expected = cases(name)
    model = ge.load(path, options={"opt_level": 0, "engines.exclude": "AIcoreEngine,VectorEngine"})
    check(model.run(feed), expected)


def built_in_passes():
    from ge._native import ffi, lib

    info = ffi.new("GePassInfo *", {"struct_size": ffi.sizeof("GePassInfo")})
    names = []
    for i in range(lib.GePassCount()):
        assert lib.GePassAt(i, info) == 0
        if info.builtin and not info.flags & lib.GE_PASS_ESSENTIAL:
            names.append(ffi.string(info.name).decode())
    return names


@pytest.mark.parametrize("name", nets.NETS)
def test_every_pass_can_be_switched_off(cases, name):
    path, feed, expected = cases(name)
    passes = built_in_passes()
    assert len(passes) >= 10
    for off in passes:
        model = ge.load(path, options={"passes.disable": off, "threads": 1})
        check(model.run(feed), expected)


@pytest.mark.parametrize("name", nets.NETS)
def test_unknown_shapes_run_like_known_ones(cases, tmp_path, name):
    """With every dimension of every input unknown, the plan made for a run has the nodes of the static model."""
    path, feed, expected = cases(name)
    model = onnx.load(path)
    for port in model.graph.input:
        for k, dim in enumerate(port.type.tensor_type.shape.dim):
            dim.dim_param = f"{port.name}_{k}"
    unknown = tmp_path / "unknown.onnx"
    onnx.save(model, unknown)
    shapes = ";".join(f"{k}:{','.join(map(str, v.shape))}" for k, v in feed.items())
    dynamic, static = ge.load(str(unknown)), ge.load(path, options={"ge.inputShape": shapes})
    check(dynamic.run(feed), expected)
    types = [collections.Counter(p["type"] for p in m.placement()) for m in (dynamic, static)]
    assert types[0] == types[1]


def test_cache_length_grows(tmp_path):
    """The decoder over a sequence of growing caches, each step fed with what the last one gave."""
    model, feed = nets.build("gpt2_decode", small=True, past=1)
    path = tmp_path / "decode.onnx"
    path.write_bytes(model.SerializeToString())
    ours = ge.load(str(path))
    for step in range(6):
        expected = reference(model, feed)
        outputs = ours.run(feed)
        check(outputs, expected)
        feed = {
            "ids": outputs["logits"].argmax(axis=-1).astype(np.int64),
            "position": np.full((1, 1), step + 2, np.int64),
            **{k.replace("present", "past"): v for k, v in outputs.items() if k.startswith("present")},
        }


def test_a_shape_seen_before_gives_the_same_numbers(tmp_path):
    path = tmp_path / "decode.onnx"
    path.write_bytes(nets.build("gpt2_decode", small=True)[0].SerializeToString())
    ours = ge.load(str(path), options={"max_plans": 2})
    feeds = [nets.build("gpt2_decode", small=True, past=n)[1] for n in (3, 4, 5)]
    first = [ours.run(f)["logits"].copy() for f in feeds]
    for _ in range(2):  # with room for two plans, the third is made anew each time
        for feed, want in zip(feeds, first):
            np.testing.assert_array_equal(ours.run(feed)["logits"], want)


@pytest.mark.isa
@pytest.mark.parametrize("kernel, stride, groups", [(1, 1, 1), (3, 1, 1), (3, 2, 1), (3, 1, 64)])
def test_a_filter_that_is_packed_is_not_kept_as_well(kernel, stride, groups):
    """Its bias, which is read as it is, does not hold it."""
    random = np.random.default_rng(0)
    w = random.standard_normal((64, 64 // groups, kernel, kernel)).astype(np.float32)
    big = random.standard_normal((64, 640, 1, 1)).astype(np.float32)  # so that there are blocks of channels
    attrs = {"strides": [stride] * 2, "pads": [kernel // 2] * 4, "group": groups}
    nodes = [
        helper.make_node("Conv", ["x", "big", "b"], ["y"]),
        helper.make_node("Conv", ["y", "w", "b"], ["z"], **attrs),
        helper.make_node("Conv", ["z", "w2", "b"], ["v"]),
    ]
    constants = {"big": big, "w": w, "w2": big[:, :64].copy(), "b": random.standard_normal(64).astype(np.float32)}
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 640, 16, 16])],
        [helper.make_tensor_value_info("v", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(v, k) for k, v in constants.items()],
    )
    model = ge.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())
    memory = model.report()["memory"]
    if os.environ.get("GE_MAX_ISA") != "scalar":
        assert memory["discarded_constant_bytes"] >= big.nbytes + (w.nbytes if w.nbytes >= 65536 else 0)
