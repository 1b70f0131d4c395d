"""Convolutions and the pooling behind them run as one kernel, and give what the two give."""

import os

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

F = TensorProto.FLOAT
OPERATOR, PASS = "FusedConvPool2D", "FuseConvPool"
FUSES = os.environ.get("GE_MAX_ISA") != "scalar"  # the plain engine alone is no reason to put nodes together


class Net:
    """A convolution into blocks of channels, the one that the test is about, a pooling, and a convolution behind it."""

    def __init__(self, kernel=3, channels=24, made=32, size=(40, 36), batch=1, act="Relu", pool="MaxPool", after=True, **more):
        self.nodes, self.inits, self.random = [], [], np.random.default_rng(0)
        self.x = self.random.standard_normal((batch, 3, *size)).astype(np.float32)
        self.inits += [numpy_helper.from_array(np.float32(v), n) for n, v in (("low", -0.2), ("high", 0.5))]
        self.first = self.conv("x", 3, channels, 3)
        self.made = self.conv(self.first, channels, made, kernel, more.pop("groups", 1), more.pop("bias", True))
        if act:
            self.made = self.op(act, self.made, *(("low", "high") if act == "Clip" else ()))
        self.last = self.op(pool, self.made, **more)
        if after:
            self.last = self.conv(self.last, made, 16, 1)

    def op(self, kind, *inputs, **attrs):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attrs))
        return name

    def weight(self, *shape):
        values = self.random.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[1:])))
        self.inits.append(numpy_helper.from_array(values.astype(np.float32), f"w{len(self.inits)}"))
        return f"w{len(self.inits) - 1}"

    def conv(self, x, channels, made, kernel, groups=1, bias=True):
        inputs = [x, self.weight(made, channels // groups, kernel, kernel), *([self.weight(made)] if bias else [])]
        return self.op("Conv", *inputs, pads=[kernel // 2] * 4, group=groups)

    def model(self, *more, open_dims=False):
        shape = ["n", 3, "h", "w"] if open_dims else self.x.shape
        outputs = [helper.make_tensor_value_info(o, F, None) for o in (self.last, *more)]
        graph = helper.make_graph(self.nodes, "g", [helper.make_tensor_value_info("x", F, shape)], outputs, self.inits)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def runtime(model):
    return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


def side(height, width=None, **more):
    return {"kernel_shape": [height, width or height], "strides": [height, width or height]} | more


def check(net, *more, threads=2, exact=True, x=None):
    """Compares with ONNX Runtime and with the nodes as they were; returns how many were put together."""
    m = net.model(*more)
    model = ge.load(m, {"threads": threads})
    apart = ge.load(m, {"threads": threads, "passes.disable": PASS})
    x = net.x if x is None else x
    got, same, want = model.run({"x": x}), apart.run({"x": x}), runtime(m).run(None, {"x": x})
    for a, b, c in zip(got.values(), same.values(), want):
        if exact:
            np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6 * np.abs(b).max())
        np.testing.assert_allclose(a, c, rtol=1e-4, atol=1e-4 * np.abs(c).max())
    assert OPERATOR not in [node["type"] for node in apart.placement()]
    return [node["type"] for node in model.placement()].count(OPERATOR)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("pool", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize("window", [(2, 2), (1, 2), (2, 1), (4, 4), (4, 2)])
def test_windows(window, pool, kernel, threads):
    """Of a tile of 4 by 4 each, by Winograd's algorithm; averages are sums in the same order."""
    net = Net(kernel, 64, 64, pool=pool, **side(*window))
    assert check(net, threads=threads, exact=pool == "MaxPool" or window != (4, 4)) == FUSES


@pytest.mark.isa
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("size", [(41, 37), (27, 5), (3, 130), (130, 3), (130, 1), (2, 1030)])
def test_what_does_not_fill_a_window_is_left_out(size, kernel):
    window = side(2) if min(size) > 1 else side(2, 1)
    net = Net(kernel, 64, 48, size, batch=2, **window)
    assert check(net, exact=kernel == 1 or min(size) > 7) == FUSES  # tiles of small images may differ


@pytest.mark.isa
@pytest.mark.parametrize("kernel", [1, 3])
@pytest.mark.parametrize("act", ["Relu", "Clip", "LeakyRelu", "HardSwish", "Sigmoid", "Tanh", None])
def test_activations(act, kernel):
    assert check(Net(kernel, 64, 64, act=act, **side(2))) == FUSES


@pytest.mark.isa
def test_no_bias():
    assert check(Net(3, 64, 64, bias=False, **side(2))) == FUSES
    assert check(Net(1, 64, 64, bias=False, **side(2))) == FUSES


@pytest.mark.isa
@pytest.mark.parametrize("channels", [8, 20, 33, 40])
@pytest.mark.parametrize("kernel", [1, 3])
def test_channels_that_do_not_fill_blocks(kernel, channels):
    assert check(Net(kernel, 48, channels, **side(2))) in (0, 1)
    assert check(Net(kernel, channels, 56, **side(2))) in (0, 1)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    "size,window", [((90, 77), (9, 7)), ((64, 4), (1, 4)), ((64, 4), (2, 2)), ((40, 36), (20, 36)), ((12, 700), (6, 5))]
)
def test_rows_of_windows(size, window, threads):
    """Several of narrow images at a time, one of wide ones."""
    for pool in ("MaxPool", "AveragePool"):
        net = Net(1, 40, 72, size, batch=2, pool=pool, **side(*window))
        assert check(net, threads=threads, exact=pool == "MaxPool") == FUSES


@pytest.mark.isa
@pytest.mark.parametrize("kernel,window", [(1, (2, 2)), (1, (20, 36)), (3, (2, 2))])
def test_a_maximum_keeps_what_is_not_finite(kernel, window):
    net = Net(kernel, 64, 64, **side(*window))
    net.nodes[0].attribute[0].ints[:] = [1] * 4
    for bad in (np.nan, np.inf, -np.inf):
        x = net.x.copy()
        x[0, 1, 17, 9] = bad
        m = net.model()
        (got,), (same,) = (ge.load(m, more).run({"x": x}).values() for more in ({}, {"passes.disable": PASS}))
        np.testing.assert_array_equal(got, same)
        assert not np.isfinite(got).all()


def declined(net, *more):
    """What the report says of a pooling that stays apart."""
    assert check(net, *more) == 0
    if not FUSES:
        return ""
    (entry,) = [p for p in ge.load(net.model(*more)).report()["passes"] if p["name"] == PASS]
    rule = entry["rules"].get(PASS, {"declined": 0})
    return str(rule) if rule["declined"] else ""


def test_what_stays_apart_and_why():
    if not FUSES:
        return
    image = {"channels": 64, "made": 64}
    assert "overlap or lie apart" in declined(Net(**image, kernel_shape=[3, 3], strides=[2, 2]))
    assert "overlap or lie apart" in declined(Net(**image, kernel_shape=[2, 2], strides=[3, 3]))
    assert "padded" in declined(Net(**image, **side(2, pads=[0, 0, 1, 1])))
    assert "cut off" in declined(Net(**image, **side(2, ceil_mode=1)))
    assert "the whole image" in declined(Net(**image, kernel=1, **side(40, 36)))
    assert "the whole image" in declined(Net(**image, kernel=1, pool="GlobalMaxPool"))
    assert "overlap or lie apart" in declined(Net(**image, size=(20, 20), **side(20, strides=[1, 1])))
    assert "one pixel" in declined(Net(**image, **side(1)))
    assert "81 pixels are few" in declined(Net(**image, size=(9, 9), **side(2)))
    assert check(Net(**image, **side(2, dilations=[2, 2]))) == 0  # another operator
    assert "whole windows" in declined(Net(**image, **side(3)))
    assert "whole windows" in declined(Net(**image, kernel=5, **side(2)))
    assert "whole windows" in declined(Net(**image, groups=8, **side(2)))
    assert "other than zeros" in declined(Net(channels=64, made=60, act="Sigmoid", **side(2)))


def test_what_others_read_stays_apart():
    net = Net(3, 64, 64, **side(2))
    assert check(net, net.made) == 0
    net = Net(3, 64, 64, **side(2))
    assert check(net, net.op("Neg", net.made)) == 0


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel,pool", [(1, "MaxPool"), (3, "MaxPool"), (1, "AveragePool"), (3, "AveragePool")])
def test_extents_that_a_run_tells(kernel, pool, threads):
    """One kernel for images of all sizes."""
    m = Net(kernel, 64, 64, pool=pool, **side(2)).model(open_dims=True)
    model, session = ge.load(m, {"threads": threads}), runtime(m)
    for n, h, w in ((2, 40, 36), (3, 57, 61), (2, 9, 14), (2, 200, 31), (4, 3, 5), (2, 96, 300), (2, 40, 36)):
        x = np.random.default_rng(1).standard_normal((n, 3, h, w)).astype(np.float32)
        (got,), (want,) = model.run({"x": x}).values(), session.run(None, {"x": x})
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
    used = [row["implementation"] for row in model.profile({"x": x}) if row["type"] == OPERATOR]
    assert len(used) == FUSES
    (found,) = model.report()["size_classes"]
    if FUSES:
        assert (found["refusal"], found["one_size"], found["plans"]) == ("", "", 1)
        assert used[0].endswith(":max" if pool == "MaxPool" else ":average"), used


FIRST = [(2, 40, 36), (2, 28, 28), (2, 7, 7), (2, 8, 8), (2, 4, 4), (2, 112, 112)]


@pytest.mark.parametrize("first", [FIRST[0], (2, 8, 8), (2, 4, 4)])
@pytest.mark.parametrize("channels", [(64, 64), (8, 16), (24, 8)])
@pytest.mark.parametrize("window", [side(2), side(2, ceil_mode=1), side(7, strides=[1, 1]), side(4), side(8, strides=[2, 2])])
def test_whatever_size_comes_first_one_plan_serves_all(window, channels, first):
    """What is put together must not hang on the extents: the graph for all sizes would have other nodes than one."""
    least = window["kernel_shape"][0]
    for kernel in (1, 3):
        m = Net(kernel, *channels, pool="AveragePool" if least == 7 else "MaxPool", **window).model(open_dims=True)
        model, apart, session = ge.load(m), ge.load(m, {"passes.disable": PASS}), runtime(m)
        for shape in [first, *FIRST]:
            if min(shape[1:]) < least:
                continue
            x = np.random.default_rng(1).standard_normal((shape[0], 3, *shape[1:])).astype(np.float32)
            (got,), (want,) = model.run({"x": x}).values(), session.run(None, {"x": x})
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
            apart.run({"x": x})
        found, without = ([(c["inputs"], c["refusal"], c["plans"]) for c in m.report()["size_classes"]] for m in (model, apart))
        assert found == without


def test_profile():
    net = Net(3, 64, 64, **side(2))
    (row,) = [r for r in ge.load(net.model()).profile({"x": net.x}) if r.get("type") == OPERATOR]
    assert row["implementation"].startswith("winograd4x4:") and row["implementation"].endswith(":max")
