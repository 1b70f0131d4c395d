"""Option precision bf16: rounding goes before what only moves numbers (maxima, joins, transposes), so that these move half
the bytes, and convolutions of 3 x 3 may run by Winograd's algorithm. Integers that bf16 holds make results exact."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from test_bf16 import kinds, load, model, needs_bf16, notes, random

pytestmark = [pytest.mark.isa, needs_bf16]


class Net:
    def __init__(self, channels=32, size=(20, 24), batch=1, floats=False):
        self.random, self.floats = np.random.default_rng(0), floats
        self.nodes, self.inits, self.last, self.channels = [], [], "x", channels
        self.x = self.numbers((batch, channels, *size), 3)
        self.outputs = []

    def numbers(self, shape, most):
        if self.floats:
            return self.random.standard_normal(shape).astype(np.float32)
        return self.random.integers(-most, most + 1, shape).astype(np.float32)

    def op(self, kind, *inputs, **attrs):
        self.last = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [self.last], **attrs))
        return self.last

    def conv(self, x=None, made=32, kernel=1, channels=None, act="Relu", **attrs):
        """Weights are few and small: sums stay within 256, which bf16 holds exactly."""
        w = self.numbers((made, channels or self.channels, kernel, kernel), 1)
        w *= 1 / np.sqrt(w[0].size) if self.floats else self.random.random(w.shape) < 8 / w[0].size
        name = f"w{len(self.inits)}"
        self.inits.append(numpy_helper.from_array(w, name))
        y = self.op("Conv", x or self.last, name, name=f"conv{len(self.inits)}", pads=[kernel // 2] * 4, **attrs)
        return self.op(act, y) if act else y

    def model(self):
        value = helper.make_tensor_value_info
        outputs = [value(o, TensorProto.FLOAT, None) for o in self.outputs or [self.last]]
        graph = helper.make_graph(self.nodes, "g", [value("x", TensorProto.FLOAT, self.x.shape)], outputs, self.inits)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def check(self, limit=None, **options):
        """The types of the nodes that run, after a comparison with ONNX Runtime: exactly, or within a limit."""
        m, feed = self.model(), {"x": self.x}
        loaded = load(m, precision="bf16", precision__nodes="conv*=bf16", **options)
        session = onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
        for got, want in zip(loaded.run(feed).values(), session.run(None, feed)):
            if limit is None:
                np.testing.assert_array_equal(got, want)
            else:
                assert np.abs(got - want).max() <= limit * np.abs(want).max()
        return kinds(loaded, feed), notes(loaded)


def casts(ran):
    return [kind for kind, _ in ran].count("Cast")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("readers", [1, 2])
@pytest.mark.parametrize(
    "attrs",
    [
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
        {"kernel_shape": [5, 5], "pads": [2, 2, 2, 2]},
        {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1},
    ],
)
def test_maxima(attrs, readers, threads):
    net = Net(size=(21, 27), batch=2)
    net.conv()
    pooled = net.op("MaxPool", net.last, **attrs)
    ends = [net.conv(pooled, 32) for _ in range(readers)]
    if readers == 2:
        net.op("Add", *ends)
    ran, _ = net.check(threads=threads)
    assert ("MaxPoolV3", "direct:max:bf16") in ran and casts(ran) == 1  # that of x


def test_joins_and_transposes():
    net = Net()
    a, b = net.conv(), net.conv("x")
    net.op("Transpose", net.op("Concat", a, b, axis=1), perm=[0, 1, 3, 2])
    net.conv(channels=64)
    ran, _ = net.check()
    assert casts(ran) == 1
    net = Net()
    a = net.conv()
    b = net.op("Sigmoid", net.conv("x"))  # float32: it is rounded for the join alone
    net.op("Concat", a, b, "x", axis=1)
    net.conv(channels=96)
    ran, _ = net.check(limit=2.0**-6)
    assert casts(ran) == 2


def test_what_others_read_is_not_rounded():
    net = Net(floats=True)
    a = net.conv()
    pooled = net.op("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2])
    net.outputs = [net.conv(pooled), pooled]
    ran, _ = net.check(limit=2.0**-5)
    assert ("MaxPoolV3", "direct:max:bf16") not in ran
    net = Net(floats=True)
    a = net.conv()
    net.outputs = [net.conv(net.op("MaxPool", a, kernel_shape=[2, 2], strides=[2, 2])), a]
    ran, _ = net.check(limit=2.0**-5)  # fewer numbers are rounded behind the maxima
    assert ("MaxPoolV3", "direct:max:bf16") not in ran and casts(ran) == 2


def test_branches_that_are_added():
    """A result that is a residual alone is rounded with the sum."""
    net = Net()
    main, other = net.conv(act=None), net.conv("x", act=None)
    net.op("Relu", net.op("Add", main, other))
    net.conv()
    ran, _ = net.check()
    assert casts(ran) == 1 and [kind for kind, _ in ran].count("FusedConv2D") == 3


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("act", [None, "Relu", "Sigmoid"])
@pytest.mark.parametrize("size", [(40, 44), (33, 47), (80, 80)])
def test_winograd(size, act, residual, threads):
    """Against ONNX Runtime in fp32; each value is rounded once before the convolution and once behind it."""
    net = Net(64, size, floats=True)
    first = net.conv(made=64, act=None)
    net.conv(first, 64, kernel=3, channels=64, act=None)
    if residual:
        net.op("Add", net.last, first)
    if act:
        net.op(act, net.last)
    net.conv(channels=64, act=None)
    ran, said = net.check(limit=2.0**-5, threads=threads)
    assert any("winograd" in kernel and "bf16" in kernel for _, kernel in ran)
    assert [said[f"conv{i}"]["ran"] for i in (1, 2, 3)] == ["bf16"] * 3


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("residual", [False, True])
def test_threads_share_the_few_tiles_of_a_small_image(residual, threads):
    net = Net(64, (14, 13), floats=True)
    first = net.conv(made=256, act=None)
    net.conv(first, 250, kernel=3, channels=256, act=None)
    if residual:
        net.op("Add", net.last, net.conv(net.last, 250, channels=250, act=None))
    net.op("Relu", net.last)
    ran, _ = net.check(limit=2.0**-5, threads=threads)
    assert any("winograd" in kernel and "bf16" in kernel for _, kernel in ran)


def test_winograd_with_a_result_in_float32_and_channels_that_do_not_fill_a_block():
    net = Net(64, (40, 44), floats=True)
    net.conv(made=60, act=None)
    net.conv(channels=60, made=50, kernel=3, act=None)
    ran, _ = net.check(limit=2.0**-6)
    assert any("winograd" in kernel and "bf16" in kernel for _, kernel in ran)


def test_tune_chooses_among_kernels_in_bf16():
    net = Net(64, (40, 44), floats=True)
    net.conv(made=64, act=None)
    net.conv(channels=64, made=64, kernel=3, act=None)
    net.conv(channels=64, act=None)
    ran, _ = net.check(limit=2.0**-5, tune=1)
    assert all("bf16" in kernel for kind, kernel in ran if kind == "FusedConv2D")


def test_exact_sums_by_winograd():
    """Sums of its transforms are exact but for the last bits, which rounding to bf16 takes away."""
    net = Net(64, (32, 32))
    net.conv(made=64, kernel=3)
    net.conv(channels=64, act=None)
    ran, _ = net.check(limit=1e-5)
    assert casts(ran) >= 1


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("channels, made, size, batch", [
    (16, 16, (7, 9), 1), (32, 48, (14, 14), 2), (40, 24, (13, 29), 1), (96, 112, (28, 30), 1), (320, 80, (5, 5), 3)
])  # fmt: skip
def test_pointwise(channels, made, size, batch, residual, threads):
    """One, two and three blocks of results together, channels that fill no block, results that are rounded or not."""
    for act in ("Relu", None):
        for last in (True, False):  # whether a convolution reads the result
            net = Net(32, size, batch)
            first, other = net.conv(made=channels), net.conv("x", made=made)
            net.conv(first, made, channels=channels, act=None)
            if residual:
                net.op("Add", net.last, other)
            if act:
                net.op(act, net.last)
            if last:
                net.conv(channels=made, act=None)
            ran, _ = net.check(threads=threads)
            assert len([k for _, k in ran if k.startswith("direct:1x1:bf16")]) >= 2


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("act", ["Sigmoid", "HardSwish", "Tanh"])
def test_pointwise_with_activations_that_need_all_of_a_sum(act, residual, threads):
    net = Net(64, (30, 34), 2, floats=True)
    first = net.conv(made=64, act=None)
    net.conv(first, 64, channels=64, act=None)
    if residual:
        net.op("Add", net.last, first)
    net.op(act, net.last)
    net.conv(channels=64, act=None)
    ran, _ = net.check(limit=2.0**-6, threads=threads)
    assert len([k for _, k in ran if k.startswith("direct:1x1:bf16")]) == 3


def test_what_is_less_work_behind():
    """Of values that are not made in bf16, or are read elsewhere, fewer are rounded behind what picks some of them."""
    net = Net(64, (32, 32), floats=True)
    first = net.conv(made=64, act=None)
    other = net.op("Sigmoid", first)
    net.op("MaxPool", first, kernel_shape=[4, 4], strides=[4, 4])
    net.outputs = [net.conv(channels=64, act=None), other]
    ran, _ = net.check(limit=2.0**-5)
    assert ("MaxPoolV3", "direct:max:bf16") not in ran
    w = random(64, 64)
    nodes = [("Sigmoid", ["x"], ["s"], "s", {}), ("Slice", ["s", "from", "to", "axes"], ["c"], "c", {}),
             ("MatMul", ["c", "w"], ["y"], "y", {})]  # fmt: skip
    constants = {"w": w, "from": np.array([0]), "to": np.array([1]), "axes": np.array([1])}
    loaded = load(model(nodes, {"x": [1, 500, 64]}, ["y"], constants), precision__nodes="y=bf16")
    rows = loaded.profile({"x": random(1, 500, 64)}).data
    (cast,) = [row for row in rows if row["type"] == "Cast"]
    assert "1,1,64" in str(cast["shapes"] if "shapes" in cast else cast).replace(" ", "")


def test_constants_are_rounded_once():
    net = Net(32)
    part = net.numbers((1, 32, *net.x.shape[2:]), 3)
    net.inits.append(numpy_helper.from_array(part, "part"))
    net.op("Concat", net.conv(), "part", axis=1)
    net.conv(channels=64)
    ran, _ = net.check()
    assert casts(ran) == 1
