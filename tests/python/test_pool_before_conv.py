"""Averages of what a 1 x 1 convolution makes are taken before it, where that spares multiplications."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

PASS = "PoolBeforeConv"


def model(conv=None, pool=None, dims=(2, 24, 17, 14), made=12, bias=True, between=None, kind="AveragePool", more=()):
    random = np.random.default_rng(0)
    conv = {"kernel_shape": [1, 1], **(conv or {})}
    pool = {"kernel_shape": [2, 2], "strides": [2, 2], **(pool or {})}
    group = conv.get("group", 1)
    filter_shape = (made, 24 // group, *conv["kernel_shape"])
    inits = [numpy_helper.from_array(random.standard_normal(s).astype(np.float32), n) for n, s in
             (("w", filter_shape), ("b", (made,)))]  # fmt: skip
    nodes = [helper.make_node("Conv", ["x", "w", "b"] if bias else ["x", "w"], ["made"], **conv)]
    if between:
        nodes.append(helper.make_node(between, ["made"], ["between"]))
    nodes.append(helper.make_node(kind, [nodes[-1].output[0]], ["y"], **pool))
    outputs = [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in ("y", *more)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)], outputs, inits)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=8).SerializeToString()


def check(m, *shapes):
    """Compares with ONNX Runtime; returns how often the pass moved a pooling, and what it says of those that stay."""
    loaded, session = ge.load(m), onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"])
    for shape in shapes or [(2, 24, 17, 14)]:
        x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        for got, want in zip(loaded.run({"x": x}).values(), session.run(None, {"x": x})):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())
    rules = [p["rules"].get(PASS, {}) for p in loaded.report()["passes"] if p["name"] == PASS]
    return sum(rule.get("applied", 0) for rule in rules), str(rules)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize(
    "pool", [{}, {"kernel_shape": [3, 3]}, {"strides": [3, 1]}, {"strides": [2, 3], "kernel_shape": [2, 3]}]
)
def test_moved(pool, group, bias):
    m = model({"group": group}, pool, bias=bias)
    assert check(m)[0] == 1
    for more, first in (({}, "Pool"), ({"passes.disable": PASS}, "Conv")):
        types = [n["type"] for n in ge.load(m, more).placement() if "Conv" in n["type"] or "Pool" in n["type"]]
        assert first in types[0], types


def test_extents_that_a_run_tells():
    m = model(dims=("n", 24, "h", "w"))
    assert check(m, (2, 24, 17, 14), (1, 24, 5, 40), (3, 24, 2, 2))[0] == 1


def test_no_pixel_fewer():
    applied, why = check(model(pool={"strides": [1, 1]}))
    assert applied == 0 and "no more than its additions" in why
    applied, why = check(model(pool={"kernel_shape": [5, 5]}, made=3))  # 25 additions for 18 products
    assert applied == 0 and "no more than its additions" in why


@pytest.mark.parametrize("conv", [{"kernel_shape": [3, 3]}, {"strides": [2, 1]}, {"pads": [1, 0, 0, 0]}])
def test_other_convolutions_stay(conv):
    applied, why = check(model(conv))
    assert applied == 0 and "no plain 1 x 1 convolution" in why


def test_activation_stays():
    applied, why = check(model(between="Relu"))
    assert applied == 0 and "no plain 1 x 1 convolution" in why


@pytest.mark.parametrize("pads", [[1, 1, 1, 1], [0, 0, 0, 1]])
@pytest.mark.parametrize("counted", [0, 1])
def test_padding_stays(pads, counted):
    """Its zeros would get the bias."""
    applied, why = check(model(pool={"pads": pads, "count_include_pad": counted}))
    assert applied == 0 and "padded" in why


def test_a_window_that_is_cut_off_stays():
    applied, why = check(model(pool={"ceil_mode": 1}))
    assert applied == 0 and "cut off" in why


def test_maxima_and_what_others_read_stay():
    assert check(model(kind="MaxPool"))[0] == 0
    assert check(model(more=["made"]))[0] == 0
