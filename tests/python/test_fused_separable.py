"""Inverted residuals run tile by tile, and give what the single convolutions give, bit for bit."""

import os

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

F = TensorProto.FLOAT
OPERATOR = "FusedSeparableConv2D"
PASS = "FuseSeparableConv"
FUSES = os.environ.get("GE_MAX_ISA") != "scalar"  # the plain engine alone is no reason to put nodes together


class Net:
    """x, a convolution of 3 x 3, then what the test adds."""

    def __init__(self, channels=16, size=(96, 100), batch=1):
        self.nodes, self.inits, self.count, self.outputs = [], [], 0, []
        self.random = np.random.default_rng(0)
        self.x = self.random.standard_normal((batch, 3, *size)).astype(np.float32)
        self.inits += [numpy_helper.from_array(np.float32(v), n) for n, v in (("low", 0), ("high", 6))]
        self.last = self.conv("x", 3, channels, 3)
        self.channels = channels

    def weight(self, *shape):
        self.count += 1
        self.inits.append(
            numpy_helper.from_array(self.random.standard_normal(shape).astype(np.float32) * 0.3, f"w{self.count}")
        )
        return f"w{self.count}"

    def op(self, kind, *inputs, **attrs):
        self.count += 1
        self.nodes.append(helper.make_node(kind, inputs, [f"v{self.count}"], **attrs))
        return f"v{self.count}"

    def conv(self, x, channels, made, kernel=1, stride=1, groups=1, dilation=1, act=None):
        pad = dilation * (kernel // 2)
        y = self.op("Conv", x, self.weight(made, channels // groups, kernel, kernel), self.weight(made), group=groups,
                    strides=[stride] * 2, pads=[pad] * 4, dilations=[dilation] * 2)  # fmt: skip
        if act == "clip":
            return self.op("Clip", y, "low", "high")
        return self.op(act, y) if act else y

    def block(self, expanded=96, made=24, stride=1, kernel=3, expand=True, add=False, act="clip", dilation=1):
        x = self.last
        self.expanded = self.conv(x, self.channels, expanded, act=act) if expand else x
        expanded = expanded if expand else self.channels
        self.depthwise = self.conv(self.expanded, expanded, expanded, kernel, stride, expanded, dilation, act)
        self.last = self.conv(self.depthwise, expanded, made)
        if add:
            self.last = self.op("Add", self.last, x)
        self.channels = made
        return self

    def excited(self, x, channels, squeezed, act="Relu", gate="Sigmoid", swap=False):
        """x times what its means make."""
        self.means = self.op("GlobalAveragePool", x)
        self.factors = self.op(gate, self.conv(self.conv(self.means, channels, squeezed, act=act), squeezed, channels))
        return self.op("Mul", *((self.factors, x) if swap else (x, self.factors)))

    def excited_block(self, expanded=96, made=24, stride=1, kernel=3, expand=True, add=False, act="HardSwish", **more):
        x = self.last
        self.expanded = self.conv(x, self.channels, expanded, act=act) if expand else x
        expanded = expanded if expand else self.channels
        self.depthwise = self.conv(self.expanded, expanded, expanded, kernel, stride, expanded, act=act)
        squeezed = more.pop("squeezed", expanded // 4)
        self.last = self.conv(self.excited(self.depthwise, expanded, squeezed, **more), expanded, made)
        if add:
            self.last = self.op("Add", self.last, x)
        self.channels = made
        return self

    def model(self, *more, open_dims=False):
        shape = ["n", 3, "h", "w"] if open_dims else self.x.shape
        outputs = [helper.make_tensor_value_info(o, F, None) for o in (self.last, *more)]
        graph = helper.make_graph(self.nodes, "g", [helper.make_tensor_value_info("x", F, shape)], outputs, self.inits)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


def check(net, *more, threads=2, same_bits=True, **options):
    """Compares with ONNX Runtime and with the nodes as they were; returns how many were put together."""
    m = net.model(*more)
    model = ge.load(m, {"threads": threads, **options})
    apart = ge.load(m, {"threads": threads, **options, "passes.disable": PASS})
    got, same = model.run({"x": net.x}), apart.run({"x": net.x})
    want = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"]).run(None, {"x": net.x})
    for a, b, c in zip(got.values(), same.values(), want):
        if same_bits:
            np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5 * np.abs(b).max())
        np.testing.assert_allclose(a, c, rtol=1e-4, atol=1e-4 * np.abs(c).max())
    assert OPERATOR not in [node["type"] for node in apart.placement()]
    return [node["type"] for node in model.placement()].count(OPERATOR)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("stride,kernel", [(1, 3), (2, 3), (2, 5)])
def test_one_operator(stride, kernel, threads):
    assert check(Net().block(stride=stride, kernel=kernel), threads=threads) == FUSES


@pytest.mark.isa
@pytest.mark.parametrize("act", ["clip", "Relu", "HardSwish", "Sigmoid", None])
def test_activations(act):
    assert check(Net().block(act=act)) == FUSES


@pytest.mark.isa
def test_residual_is_x():
    assert check(Net(24).block(144, 24, add=True).block(96, 24, add=True), threads=3) == 2 * FUSES


@pytest.mark.isa
def test_without_expansion():
    assert check(Net(32, (112, 113)).block(made=16, expand=False)) == FUSES


@pytest.mark.isa
def test_batches():
    """As whole images, one after the other."""
    assert check(Net(40, (20, 21), 1).block(200, 40)) == FUSES
    assert check(Net(40, (20, 21), 12).block(200, 40, add=True)) == FUSES


def test_channels_that_do_not_fill_a_block():
    assert check(Net(20).block(90, 21)) == 1


@pytest.mark.isa
@pytest.mark.parametrize("size", [(14, 14), (7, 7), (1, 1), (30, 3)])
def test_small_maps(size):
    assert check(Net(32, size).block(192, 32, add=True).block(96, 24, kernel=5)) == 2 * FUSES


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_wide_maps_and_heavy_weights(threads):
    """A row that no cache holds, and weights that would be read again for every few rows: as whole images."""
    assert check(Net(24, (9, 1100)).block(144, 24, add=True), threads=threads) == FUSES
    assert check(Net(160, (40, 40)).block(640, 160, add=True), threads=threads) == FUSES


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("size,batch", [((96, 100), 1), ((20, 21), 3), ((7, 7), 2), ((1, 1), 1)])
def test_squeeze_and_excitation(size, batch, threads):
    net = Net(24, size, batch).excited_block(144, 24, add=True).excited_block(144, 40, stride=2, kernel=5, swap=True)
    net.excited_block(made=160, expand=False, act="Relu", gate="HardSigmoid")
    assert check(net, threads=threads, same_bits=False) == 3 * FUSES


@pytest.mark.isa
def test_squeeze_and_excitation_of_channels_that_do_not_fill_a_block():
    assert check(Net(20).excited_block(90, 21), same_bits=False) == FUSES
    net = Net(16).excited_block(96, 24, squeezed=4).excited_block(90, 24, squeezed=6).excited_block(96, 16, squeezed=1)
    assert check(net, same_bits=False) == 3 * FUSES


def test_squeeze_and_excitation_that_others_read_stays():
    for read in ("means", "factors", "depthwise"):
        net = Net().excited_block()
        assert check(net, getattr(net, read), same_bits=False) == 0
    net = Net()
    net.depthwise = net.conv(net.conv(net.last, 16, 96, act="Relu"), 96, 96, 3, groups=96, act="Relu")
    other = net.conv(net.last, 16, 96, act="Relu")
    net.means = net.op("GlobalAveragePool", other)
    factors = net.op("Sigmoid", net.conv(net.conv(net.means, 96, 8, act="Relu"), 8, 96))
    net.last = net.conv(net.op("Mul", net.depthwise, factors), 96, 24)
    assert check(net, same_bits=False) == 0  # the means are of another map


def test_a_block_that_stays_apart_and_the_report_says_why():
    net = Net(32).block(90, 32, act="Sigmoid")
    assert check(net) == 0
    if not FUSES:
        return
    (entry,) = [p for p in ge.load(net.model()).report()["passes"] if p["name"] == PASS]
    assert "fills the last block with other than zeros" in str(entry["rules"][PASS])
    rule = entry["rules"][PASS]
    assert (rule["tried"], rule["applied"], rule["declined"]) == (1, 0, 1)  # a block counts once, with its expansion or not


def test_what_others_read_stays():
    net = Net().block()
    assert check(net, net.depthwise) == 0
    net = Net().block()
    assert check(net, net.op("Relu", net.depthwise)) == 0
    net = Net().block(32)
    assert check(net, net.expanded) == 1
    (node,) = [n for n in ge.load(net.model(net.expanded)).placement() if n["type"] == OPERATOR]
    assert ":dw+1x1" in node["implementation"]


def test_what_is_something_else_stays():
    assert check(Net().block(dilation=2)) == 0
    net = Net()
    net.last = net.conv(net.conv(net.conv(net.last, 16, 96), 96, 96, 3, groups=32), 96, 24)  # groups of three
    assert check(net) == 0


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_extents_that_a_run_tells(threads):
    """One kernel for images of all sizes: rows in a ring, and whole images."""
    net = Net().block(144, 16, add=True).block(96, 24, stride=2, kernel=5).block(made=40, expand=False)
    m = net.model(open_dims=True)
    model, apart = (ge.load(m, {"threads": threads, **more}) for more in ({}, {"passes.disable": PASS}))
    session = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"])
    for n, h, w in ((2, 96, 100), (2, 57, 61), (3, 200, 31), (3, 9, 14), (2, 96, 100), (2, 260, 270), (4, 3, 5)):
        shape = (n, 3, h, w)
        x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
        (got,), (same,), (want,) = model.run({"x": x}).values(), apart.run({"x": x}).values(), session.run(None, {"x": x})
        np.testing.assert_array_equal(got, same)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
    (found,) = model.report()["size_classes"]
    assert found["refusal"] == ""
    used = [row["implementation"] for row in model.profile({"x": x}) if row["type"] == OPERATOR]
    assert len(used) == 3 * FUSES
    if FUSES:
        assert (found["one_size"], found["plans"]) == ("", 1)
        assert all(name.startswith("tiles:1x1+dw") or name.startswith("tiles:dw") for name in used), used


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_squeeze_and_excitation_of_extents_that_a_run_tells(threads):
    net = Net().excited_block(144, 16, add=True).excited_block(96, 24, stride=2).excited_block(made=40, expand=False)
    m = net.model(open_dims=True)
    model = ge.load(m, {"threads": threads})
    session = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"])
    for n, h, w in ((2, 96, 100), (2, 57, 61), (3, 200, 31), (3, 9, 14), (2, 96, 100), (2, 260, 270), (4, 3, 5)):
        x = np.random.default_rng(1).standard_normal((n, 3, h, w)).astype(np.float32)
        (got,), (want,) = model.run({"x": x}).values(), session.run(None, {"x": x})
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
    (found,) = model.report()["size_classes"]
    assert (found["refusal"], found["plans"]) == ("", 1 if FUSES else found["plans"])
    used = [row["implementation"] for row in model.profile({"x": x}) if row["type"] == OPERATOR]
    assert len(used) == 3 * FUSES and all("dw+se+1x1" in name for name in used), used


def test_profile_and_placed_graph():
    net = Net().block()
    model = ge.load(net.model())
    (node,) = [n for n in model.placement() if n["type"] == OPERATOR]
    assert node["implementation"].startswith("tiles:rows:1x1+dw+1x1:")
    (want,) = model.run({"x": net.x}).values()
    (got,) = ge.load(model.placed_graph()).run({"x": net.x}).values()
    np.testing.assert_array_equal(want, got)
    (row,) = [r for r in model.profile({"x": net.x}) if r.get("type") == OPERATOR]
    assert row["implementation"] == node["implementation"]
