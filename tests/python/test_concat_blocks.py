"""Concatenations of channels that do not fill their blocks stay in blocks: lanes move, and no value changes."""

import os

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

FAST = os.environ.get("GE_MAX_ISA") != "scalar"  # the plain engine alone takes no blocks


def branches(channels, size, axis=1, batch=1, more=("joined",)):
    """x goes through a convolution for each number of channels; their results, joined, through another one."""
    random = np.random.default_rng(sum(channels))
    shape = lambda *s: random.standard_normal(s).astype(np.float32) / 4  # noqa: E731
    weights, nodes, parts = {}, [], []
    for i, c in enumerate(channels):
        weights[f"w{i}"] = shape(c, 32, 1, 1)
        nodes.append(helper.make_node("Conv", ["stem", f"w{i}"], [f"p{i}"]))
        parts.append(f"p{i}")
    weights["first"] = shape(32, 3, 3, 3)
    total = sum(channels) if axis == 1 else channels[0]
    weights["last"] = shape(16, total, 1, 1)
    nodes.insert(0, helper.make_node("Conv", ["x", "first"], ["stem"], pads=[1, 1, 1, 1]))
    nodes.append(helper.make_node("Concat", parts, ["joined"], axis=axis))
    nodes.append(helper.make_node("Conv", ["joined", "last"], ["y"]))
    dims = [batch, 3, *size]
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)]
    outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("y", *more)]
    tensors = [numpy_helper.from_array(v, n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, "g", values, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def kernels(model, feed):
    return [row["implementation"] for row in model.profile(feed).data if row["type"] == "ConcatV2"]


def compare(m, model, x, tolerance=1e-4):
    want = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    for a, b in zip(model.run({"x": x}).values(), want, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max())


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "channels", [(24, 24), (17, 31), (20, 16, 44), (33, 40, 24, 19), (16, 23), (18, 17, 1, 30), (100, 60), (24, 24, 16)]
)
def test_parts_that_do_not_fill_their_blocks(channels, threads):
    m = branches(channels, (14, 19))
    model = ge.load(m, {"threads": threads})
    x = np.random.default_rng(1).standard_normal((1, 3, 14, 19)).astype(np.float32)
    compare(m, model, x)
    if FAST:
        whole = all(c % (8 if os.environ.get("GE_MAX_ISA") == "avx2" else model_block()) == 0 for c in channels[:-1])
        assert whole or any(k.startswith("concat lanes") for k in kernels(model, {"x": x}))


def model_block():
    """Channels in a block on this processor."""
    with open("/proc/cpuinfo") as file:
        return 16 if "avx512vl" in file.read() else 8


@pytest.mark.isa
def test_images_of_all_sizes():
    """Larger than a tile of pixels, and smaller; several images."""
    m = branches((24, 20, 30), ("h", "w"), batch="n")
    model = ge.load(m)
    for n, h, w in ((2, 20, 9), (2, 33, 40), (3, 5, 7), (4, 64, 61), (2, 3, 4)):
        x = np.random.default_rng(h).standard_normal((n, 3, h, w)).astype(np.float32)
        compare(m, model, x)
    if FAST:
        (found,) = model.report()["size_classes"]
        assert (found["plans"], found["one_size"], found["refusal"]) == (1, "", "")
        assert [k.split(":")[0] for k in kernels(model, {"x": x})] == ["concat lanes"]


def test_in_bf16():
    m = branches((24, 17, 40), (21, 13), more=())
    x = np.random.default_rng(2).standard_normal((1, 3, 21, 13)).astype(np.float32)
    compare(m, ge.load(m, {"precision": "bf16"}), x, 2e-2)


def test_batches_are_no_channels():
    m = branches((24, 24), (9, 9), axis=0)
    model = ge.load(m)
    x = np.random.default_rng(3).standard_normal((1, 3, 9, 9)).astype(np.float32)
    compare(m, model, x)
    assert not any(k.startswith("concat lanes") for k in kernels(model, {"x": x}))


@pytest.mark.isa
@pytest.mark.parametrize("channels", [(32, 16, 48), (64, 30)])
def test_whole_blocks_of_images_of_all_sizes(channels):
    """They lie one behind the other, whatever the size."""
    m = branches(channels, ("h", "w"), batch="n", more=())
    model = ge.load(m)
    for n, h, w in ((2, 20, 9), (2, 33, 40), (3, 5, 7), (2, 3, 4)):
        x = np.random.default_rng(h).standard_normal((n, 3, h, w)).astype(np.float32)
        compare(m, model, x)
    if FAST:
        (found,) = model.report()["size_classes"]
        assert (found["plans"], found["one_size"], found["refusal"]) == (1, "", "")
        assert not [row for row in model.profile({"x": x}).data if row["type"] == "TransData"][1:]  # of the output alone
