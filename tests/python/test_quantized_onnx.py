"""Quantised ONNX models: operators of ONNX and of ONNX Runtime, and what ONNX Runtime's own tools make of float models.

The oracle of ONNX's own operators is onnx's reference, else ONNX Runtime. Integers that come of rounded floats may lie one
step apart, where a quotient is halfway."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

import ge
from ge.error import GeError

BYTES = {"int8": np.int8, "uint8": np.uint8}


def numbers(seed, shape, kind, half=False):
    """Of the whole range, or of half of it for what ONNX Runtime multiplies: without VNNI it adds pairs of products in 16 bits,
    where larger ones saturate."""
    info = np.iinfo(kind)
    low, high = (info.min // 2, info.max // 2) if half and info.min < 0 else (info.min, info.max)
    return np.random.default_rng(seed).integers(low, high + 1, shape).astype(kind)


def floats(seed, *shape, low=-2.0, high=2.0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def sums(seed, *shape):
    return floats(seed, *shape, low=-900, high=900).astype(np.int32)


def number(value, kind=np.float32):
    return np.array(value, kind)


def model(nodes, feed, outputs, constants=(), open_dims=False):
    """A graph with an input for each array of `feed` that is not in `constants`."""
    values = []
    for name, x in feed.items():
        if name not in constants:
            dims = [f"{name}{i}" for i in range(x.ndim)] if open_dims else x.shape
            values.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), dims))
    made = [numpy_helper.from_array(feed[name], name) for name in constants]
    graph = helper.make_graph(nodes, "g", values, [onnx.ValueInfoProto(name=o) for o in outputs], made)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def ours(m, feed):
    given = {i.name for i in m.graph.input}
    return list(ge.load(m.SerializeToString()).run({k: v for k, v in feed.items() if k in given}).values())


def theirs(m, feed, runtime=False):
    given = {i.name for i in m.graph.input}
    feed = {k: v for k, v in feed.items() if k in given}
    if not runtime and not any(n.domain for n in m.graph.node):
        return ReferenceEvaluator(m).run(None, feed)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(m.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, feed)


def same(got, want, steps=0, tolerance=1e-5):
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1, np.abs(b).max(initial=0)))
        else:
            assert np.abs(a.astype(int) - b.astype(int)).max(initial=0) <= steps


def check(op, feed, steps=0, domain="", outputs=1, constants=None, tolerance=1e-5, runtime=False, **attrs):
    """With all but the first input constant, and with none; with known and with open extents."""
    names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, [n if x is not None else "" for n, x in feed.items()], names, domain=domain, **attrs)
    feed = {n: x for n, x in feed.items() if x is not None}
    known = list(feed)[1:] if constants is None else constants
    want = None
    for fixed in (known, []):
        for open_dims in (False, True):
            m = model([node], feed, names, fixed, open_dims)
            want = theirs(m, feed, runtime) if want is None else want
            same(ours(m, feed), want, steps, tolerance)


# ---- operators of ONNX


@pytest.mark.isa
@pytest.mark.parametrize("a", BYTES)
@pytest.mark.parametrize("b", BYTES)
def test_integer_products(a, b):
    x, w = numbers(0, (2, 7, 13), BYTES[a]), numbers(1, (13, 9), BYTES[b])
    za, zb = number(3, BYTES[a]), numbers(2, (9,), BYTES[b])
    check("MatMulInteger", {"x": x, "w": w}, constants=["w"])
    check("MatMulInteger", {"x": x, "w": w, "za": za, "zb": number(5, BYTES[b])}, constants=["w", "za", "zb"])
    check("MatMulInteger", {"x": x, "w": w, "za": za, "zb": zb}, constants=["w", "za", "zb"])


def test_integer_products_of_vectors():
    a, b = numbers(0, (13,), np.uint8), numbers(1, (13, 4), np.int8)
    for x, w in ((a, b), (a.reshape(1, 13), b[:, 0]), (a, b[:, 0])):
        node = helper.make_node("MatMulInteger", ["x", "w"], ["y"])
        want = np.matmul(x.astype(np.int32), w.astype(np.int32))
        same(ours(model([node], {"x": x, "w": w}, ["y"], ["w"]), {"x": x}), [want])


def test_zero_points_of_rows():
    x, w, z = numbers(0, (2, 3, 5), np.uint8), numbers(1, (2, 5, 4), np.uint8), numbers(2, (2, 3, 1), np.uint8)
    for zero in (z[0, :, 0], z[:1], z):
        node = helper.make_node("MatMulInteger", ["x", "w", "z"], ["y"])
        rows = zero.reshape(-1, 1) if zero.ndim == 1 else zero
        want = np.matmul(x.astype(np.int32) - rows.astype(np.int32), w.astype(np.int32))
        same(ours(model([node], {"x": x, "w": w, "z": zero}, ["y"], ["w", "z"]), {"x": x}), [want])


@pytest.mark.isa
@pytest.mark.parametrize("kind", BYTES)
@pytest.mark.parametrize("columns", [False, True])
def test_quantised_product(kind, columns):
    t = BYTES[kind]
    scale, zero = (floats(4, 9, low=0.001, high=0.01), numbers(5, (9,), t)) if columns else (number(0.004), number(2, t))
    feed = {"a": numbers(0, (3, 5, 13), t), "as": number(0.02), "az": number(1, t), "b": numbers(1, (13, 9), t), "bs": scale,
            "bz": zero, "ys": number(0.11), "yz": number(7, t)}  # fmt: skip
    check("QLinearMatMul", feed, steps=1)


@pytest.mark.isa
@pytest.mark.parametrize("shape,filter,attrs", [
    ((2, 3, 9, 8), (4, 3, 3, 3), {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    ((1, 6, 7, 7), (6, 1, 3, 3), {"group": 6, "pads": [1, 1, 1, 1]}),
    ((1, 8, 5, 5), (16, 8, 1, 1), {}),
    ((1, 4, 9, 9), (6, 2, 3, 3), {"group": 2, "dilations": [2, 2], "pads": [2, 1, 2, 2]}),
    ((2, 3, 11), (5, 3, 3), {"pads": [1, 1]}),
    ((1, 2, 5, 5, 5), (3, 2, 3, 3, 3), {"pads": [1, 1, 1, 1, 1, 1]}),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["uint8", "int8"])
@pytest.mark.parametrize("channels", [False, True])
def test_quantised_convolution(shape, filter, attrs, kind, channels):
    t, m = BYTES[kind], filter[0]
    runtime = channels and len(shape) != 4  # onnx's reference spreads scales over images only
    ws = floats(2, m, low=0.001, high=0.01) if channels else number(0.004)
    feed = {"x": numbers(0, shape, t), "xs": number(0.03), "xz": number(9, t), "w": numbers(1, filter, np.int8, runtime),
            "ws": ws, "wz": np.zeros(ws.shape, np.int8), "ys": number(0.2), "yz": number(4, t), "b": sums(3, m)}  # fmt: skip
    check("QLinearConv", feed, steps=1, runtime=runtime, **attrs)
    del feed["b"]
    check("QLinearConv", feed, steps=1, runtime=runtime, **attrs)


@pytest.mark.parametrize("shape,filter,attrs", [
    ((2, 3, 9, 8), (4, 3, 3, 3), {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    ((2, 3, 11), (5, 3, 3), {"pads": [1, 1]}),
    ((1, 2, 5, 5, 5), (3, 2, 3, 3, 3), {"pads": [1, 1, 1, 1, 1, 1]}),
])  # fmt: skip
def test_integer_convolution(shape, filter, attrs):
    feed = {
        "x": numbers(0, shape, np.uint8),
        "w": numbers(1, filter, np.uint8),
        "xz": number(9, np.uint8),
        "wz": number(3, np.uint8),
    }
    check("ConvInteger", feed, constants=["w", "xz", "wz"], **attrs)
    check("ConvInteger", {"x": feed["x"], "w": feed["w"]}, **attrs)


# ---- operators of ONNX Runtime

MS = "com.microsoft"


def quantised(seed, shape, kind=np.uint8, scale=0.03, zero=100, name="x"):
    return {name: numbers(seed, shape, kind), name + "s": number(scale), name + "z": number(zero, kind)}


def result(kind=np.uint8, scale=0.05, zero=90):
    return {"ys": number(scale), "yz": number(zero, kind)}


@pytest.mark.isa
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
@pytest.mark.parametrize("kind", [np.uint8, np.int8])
def test_elementwise(op, kind):
    for b in ((3, 5, 40), (40,), (5, 1), ()):
        feed = {**quantised(0, (3, 5, 40), kind, zero=3), **quantised(1, b, kind, 0.02, 7, "w"), **result(kind, zero=5)}
        check(op, feed, steps=1, domain=MS)


@pytest.mark.isa
def test_activations():
    feed = quantised(0, (3, 50))
    check("QLinearSigmoid", {**feed, **result(scale=1 / 256, zero=0)}, steps=1, domain=MS)
    check("QLinearLeakyRelu", {**feed, **result()}, steps=1, domain=MS, alpha=0.2)
    for axis, opset in ((-1, 13), (1, 13), (1, 11)):
        feed = quantised(2, (2, 7, 5))
        m = model([helper.make_node("QLinearSoftmax", [*feed, "ys", "yz"], ["y"], domain=MS, axis=axis, opset=opset)],
                  {**feed, **result(scale=1 / 256, zero=0)}, ["y"], ["xs", "xz", "ys", "yz"])  # fmt: skip
        x = (feed["x"].astype(np.float64) - 100) * 0.03
        rows = x.reshape(2, -1) if opset < 13 else x
        e = np.exp(rows - rows.max(axis, keepdims=True))
        want = np.rint((e / e.sum(axis, keepdims=True)).reshape(x.shape) * 256).clip(0, 255).astype(np.uint8)
        same(ours(m, feed), [want], steps=1)


def test_pools():
    x = quantised(0, (2, 5, 9, 8))
    last = {**x, "x": np.ascontiguousarray(x["x"].transpose(0, 2, 3, 1))}
    for layout, feed in ((0, x), (1, last)):
        check("QLinearGlobalAveragePool", {**feed, **result()}, steps=1, domain=MS, channels_last=layout)
        check("QLinearAveragePool", {**feed, **result()}, steps=1, domain=MS, channels_last=layout, kernel_shape=[3, 2],
              strides=[2, 1], pads=[1, 0, 1, 1])  # fmt: skip
    check("NhwcMaxPool", {"x": last["x"]}, domain=MS, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])


def test_mean_and_choice():
    feed = {**quantised(0, (3, 4, 5)), **result()}  # ONNX Runtime describes the operator and has no kernel for it
    for axes, keep in (([1], 0), ([0, -1], 1)):
        node = helper.make_node("QLinearReduceMean", list(feed), ["y"], domain=MS, axes=axes, keepdims=keep)
        mean = ((feed["x"].astype(np.float64) - 100) * 0.03).mean(tuple(axes), keepdims=bool(keep))
        want = np.clip(np.rint(mean / 0.05) + 90, 0, 255).astype(np.uint8)
        same(ours(model([node], feed, ["y"], list(feed)[1:]), feed), [want], steps=1)
    condition = np.random.default_rng(5).integers(0, 2, (3, 4)).astype(bool)
    feed = {"c": condition, **quantised(0, (3, 4)), **quantised(1, (4,), scale=0.02, name="w"), **result()}
    check("QLinearWhere", feed, steps=1, domain=MS)


def test_joined_parts():
    parts = [quantised(i, (2, 3 + i, 4), scale=0.03 + 0.01 * (i % 2), name=f"x{i}") for i in range(3)]
    feed = {"ys": number(0.03), "yz": number(100, np.uint8), **{k: v for p in parts for k, v in p.items()}}
    constants = [k for k in feed if k not in ("x0", "x1", "x2")]
    check("QLinearConcat", feed, steps=1, domain=MS, constants=constants, axis=1)


@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("out", [False, True])
def test_gemm(turned, out):
    w = numbers(1, (9, 13) if turned else (13, 9), np.uint8)
    feed = {"a": numbers(0, (5, 13), np.uint8), "as": number(0.03), "az": number(9, np.uint8), "b": w, "bs": number(0.01),
            "bz": number(120, np.uint8), "c": sums(2, 9)}  # fmt: skip
    if out:
        feed.update(result(scale=0.3))
    check("QGemm", feed, steps=1, domain=MS, transB=turned)
    check("QGemm", {**feed, "c": None}, steps=1, domain=MS, transB=turned, alpha=0.5)
    check("QGemm", {**feed, "c": sums(2, 5, 9)}, steps=1, domain=MS, transB=turned)


@pytest.mark.parametrize("kind", [np.uint8, np.int8])
@pytest.mark.parametrize("columns", [False, True])
def test_products_to_floats(kind, columns):
    scale, zero = (floats(4, 9, low=0.001, high=0.01), numbers(5, (9,), kind)) if columns else (number(0.004), number(2, kind))
    w, bias = numbers(1, (13, 9), kind, half=True), floats(6, 9)
    for b in (bias, None):
        feed = {"a": floats(0, 2, 5, 13), "b": w, "bs": scale, "bz": zero, "c": b}
        check("DynamicQuantizeMatMul", feed, domain=MS)
        feed = {
            "a": numbers(0, (2, 5, 13), np.uint8),
            "b": w,
            "as": number(0.02),
            "bs": scale,
            "az": number(8, np.uint8),
            "bz": zero,
            "c": b,
        }
        check("MatMulIntegerToFloat", feed, domain=MS)


@pytest.mark.parametrize("mask", [None, "lengths", "mask"])
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("past", [False, True])
def test_attention(mask, causal, past):
    if past and mask == "lengths":
        pytest.skip("ONNX Runtime counts the past otherwise")
    batch, length, width, heads, before = 2, 5, 8, 2, 3 if past else 0
    total = length + before
    index = {None: None, "lengths": np.array([4, 5], np.int32), "mask": np.tril(np.ones((batch, total), np.int32), 3)}[mask]
    feed = {"x": numbers(0, (batch, length, width), np.uint8), "w": numbers(1, (width, 3 * width), np.int8, half=True),
            "b": floats(2, 3 * width), "xs": number(0.02), "ws": number(0.01), "m": index, "xz": number(128, np.uint8),
            "wz": number(0, np.int8), "p": floats(3, 2, batch, heads, before, width // heads) if past else None}  # fmt: skip
    names, outputs = list(feed), 2 if past else 1
    feed = {n: x for n, x in feed.items() if x is not None}
    node = helper.make_node("QAttention", [n if n in feed else "" for n in names], ["y0", "y1"][:outputs], domain=MS,
                            num_heads=heads, unidirectional=causal)  # fmt: skip
    m = model([node], feed, ["y0", "y1"][:outputs], [n for n in ("w", "b", "xs", "ws", "xz", "wz") if n in feed])
    same(ours(m, feed), theirs(m, feed), tolerance=1e-4)


# ---- what ONNX Runtime's tools make of float models


class Weights:
    """Names and values of a network's parameters."""

    def __init__(self):
        self.tensors, self.random = [], np.random.default_rng(11)

    def __call__(self, *shape, spread=None):
        name = f"w{len(self.tensors)}"
        bound = spread or 1.5 / np.sqrt(max(1, int(np.prod(shape[1:] or (1,)))))
        self.tensors.append(numpy_helper.from_array(self.random.uniform(-bound, bound, shape).astype(np.float32), name))
        return name

    def ints(self, *values):
        name = f"w{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name


def cnn():
    """Inverted residuals, a pool in the middle, a concatenation, squeezing by sigmoid, a classifier."""
    w, n = Weights(), []

    def conv(x, cin, cout, k, out, group=1, act=None):
        n.append(
            helper.make_node("Conv", [x, w(cout, cin // group, k, k), w(cout)], [out + "c"], pads=[k // 2] * 4, group=group)
        )
        n.append(helper.make_node(act or "Identity", [out + "c"], [out]))
        return out

    a = conv("x", 3, 16, 3, "a", act="Relu")
    n.append(helper.make_node("MaxPool", [a], ["p"], kernel_shape=[2, 2], strides=[2, 2]))
    b = conv("p", 16, 32, 1, "b", act="Relu")
    c = conv(b, 32, 32, 3, "c", group=32, act="Relu")
    d = conv(c, 32, 16, 1, "d")
    n.append(helper.make_node("Add", ["p", d], ["e"]))
    n.append(helper.make_node("Concat", ["e", "p"], ["f"], axis=1))
    g = conv("f", 32, 8, 1, "g", act="Sigmoid")
    n.append(helper.make_node("Mul", [g, g], ["h"]))
    n.append(helper.make_node("GlobalAveragePool", ["h"], ["i"]))
    n.append(helper.make_node("Flatten", ["i"], ["j"]))
    n.append(helper.make_node("Gemm", ["j", w(10, 8), w(10)], ["y"], transB=1))
    return n, w.tensors, {"x": (2, 3, 16, 16)}


def attention():
    """A transformer's layer on embedded tokens."""
    w, n, width, heads = Weights(), [], 32, 4

    def dense(x, cin, cout, out):
        n.append(helper.make_node("MatMul", [x, w(cin, cout, spread=1.5 / np.sqrt(cin))], [out + "m"]))
        n.append(helper.make_node("Add", [out + "m", w(cout)], [out]))
        return out

    for k, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        dense("x", width, width, k)
        n.append(helper.make_node("Reshape", [k, w.ints(0, 0, heads, width // heads)], [k + "r"]))
        n.append(helper.make_node("Transpose", [k + "r"], [k + "t"], perm=perm))
    n.append(helper.make_node("MatMul", ["qt", "kt"], ["s"]))
    n.append(helper.make_node("Softmax", ["s"], ["a"], axis=-1))
    n.append(helper.make_node("MatMul", ["a", "vt"], ["o"]))
    n.append(helper.make_node("Transpose", ["o"], ["ot"], perm=[0, 2, 1, 3]))
    n.append(helper.make_node("Reshape", ["ot", w.ints(0, 0, width)], ["or"]))
    dense("or", width, width, "z")
    n.append(helper.make_node("Add", ["z", "x"], ["r"]))
    n.append(helper.make_node("LayerNormalization", ["r", w(width), w(width)], ["l"], axis=-1))
    dense("l", width, 64, "f")
    n.append(helper.make_node("Gelu", ["f"], ["g"]))
    dense("g", 64, width, "y")
    return n, w.tensors, {"x": (2, 6, width)}


def normed():
    """Convolutions whose batch normalisation nobody folded before: the quantiser leaves it between two tensors of bytes."""
    w, n, x, channels = Weights(), [], "x", 3
    for i, (out, group) in enumerate([(24, 1), (24, 24), (16, 1), (8, 1)]):
        shape, pads = ((out, channels // group, 3, 3), [1] * 4) if i < 2 else ((out, channels, 1, 1), [0] * 4)
        n.append(helper.make_node("Conv", [x, w(*shape)], [f"c{i}"], pads=pads, group=group))
        variance = numpy_helper.from_array(np.linspace(0.5, 2, out, dtype=np.float32), f"v{i}")
        w.tensors.append(variance)
        n.append(helper.make_node("BatchNormalization", [f"c{i}", w(out), w(out), w(out), variance.name], [f"b{i}"]))
        n.append(helper.make_node("Relu", [f"b{i}"], [f"r{i}"]))
        x, channels = f"r{i}", out
    n.append(helper.make_node("Add", [x, x], ["y"]))
    return n, w.tensors, {"x": (2, 3, 9, 11)}


NETWORKS = {"cnn": cnn, "attention": attention, "normed": normed}


def float_model(network, path):
    nodes, tensors, inputs = NETWORKS[network]()
    values = [helper.make_tensor_value_info(k, TensorProto.FLOAT, s) for k, s in inputs.items()]
    graph = helper.make_graph(nodes, network, values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), path)
    return {k: floats(7, *s) for k, s in inputs.items()}


class Feeds(CalibrationDataReader):
    def __init__(self, feed):
        self.left = [{k: v * f for k, v in feed.items()} for f in (1, 0.7, -0.9)]

    def get_next(self):
        return self.left.pop() if self.left else None


def against_oracle(path, feed, activations=QuantType.QUInt8):
    """The oracle is onnx's reference, which computes as the standard says; for operators that it does not have, ONNX Runtime.
    A float that lies halfway between two steps may be rounded to either, and what depends on it follows."""
    if any(n.domain == MS for n in onnx.load(path).graph.node):
        options = onnxruntime.SessionOptions()
        if activations == QuantType.QUInt8:  # else sums of pairs saturate without VNNI; there is no such kernel for int8
            options.add_session_config_entry("session.x64quantprecision", "1")
        want = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, feed)[0]
    else:
        want = ReferenceEvaluator(path).run(None, feed)[0]
    got = ge.load(path).run(feed)["y"]
    assert got.dtype == want.dtype and got.shape == want.shape
    far = np.abs(got - want) > 1e-4 * np.abs(want).max()
    assert far.mean() <= 0.02, (far.mean(), np.abs(got - want).max())


@pytest.mark.isa
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("kind", [QuantFormat.QDQ, QuantFormat.QOperator], ids=["qdq", "qoperator"])
@pytest.mark.parametrize("activations", [QuantType.QUInt8, QuantType.QInt8], ids=["uint8", "int8"])
@pytest.mark.parametrize("per_channel,reduce_range", [(False, False), (True, False), (True, True)])
def test_static_tools(tmp_path, network, kind, activations, per_channel, reduce_range):
    start, path = str(tmp_path / "float.onnx"), str(tmp_path / "quantised.onnx")
    feed = float_model(network, start)
    quantize_static(start, path, Feeds(feed), quant_format=kind, activation_type=activations, weight_type=QuantType.QInt8,
                    per_channel=per_channel, reduce_range=reduce_range)  # fmt: skip
    against_oracle(path, feed, activations)


@pytest.mark.isa
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("weights", [QuantType.QUInt8, QuantType.QInt8], ids=["uint8", "int8"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_dynamic_tools(tmp_path, network, weights, per_channel):
    start, path = str(tmp_path / "float.onnx"), str(tmp_path / "quantised.onnx")
    feed = float_model(network, start)
    quantize_dynamic(start, path, weight_type=weights, per_channel=per_channel)
    against_oracle(path, feed)


def types_that_run(model):
    return [n.type for n in model.placed_graph().get_direct_nodes()]


def test_what_runs(tmp_path):
    """Nothing of a quantised network stays between its products but bytes."""
    start, path = str(tmp_path / "float.onnx"), str(tmp_path / "quantised.onnx")
    feed = float_model("cnn", start)
    for kind in (QuantFormat.QDQ, QuantFormat.QOperator):
        quantize_static(start, path, Feeds(feed), quant_format=kind, per_channel=True, weight_type=QuantType.QInt8)
        types = types_that_run(ge.load(path))
        assert types.count("QuantizedConv2D") == 5 and types.count("QuantizedMatMul") == 1
        assert "Conv2D" not in types and "FusedConv2D" not in types and "MatMulV2" not in types
    feed = float_model("normed", start)
    quantize_static(start, path, Feeds(feed), per_channel=True, weight_type=QuantType.QInt8)
    types = types_that_run(ge.load(path))
    assert types.count("QuantizedConv2D") == 4 and types.count("Transpose") == 2, types
    assert not {"BNInfer", "DequantizeLinear", "Mul", "Relu"} & set(types), types
    float_model("attention", start)
    quantize_dynamic(start, path, weight_type=QuantType.QInt8)
    types = types_that_run(ge.load(path))
    assert types.count("QuantizedMatMul") == 6 and "Cast" not in types
    # Queries, keys and values are quantised once.
    assert types.count("DynamicQuantizeLinear") == 4


# ---- chains of random operators between bytes


def random_chain(seed):
    rng = np.random.default_rng(seed)
    shape = (2, int(rng.integers(1, 5)), int(rng.choice([3, 8, 17])), int(rng.choice([4, 9])))
    n, feed = [], {"x": floats(seed, *shape)}
    constants, rank = {}, 4

    def const(value):
        name = f"c{len(constants)}"
        constants[name] = value
        return name

    def pair(x):
        kind = rng.choice([np.int8, np.uint8])
        scale = const(number(2.0 ** int(rng.integers(-6, -3))))
        zero = const(number(int(rng.integers(0, 20)) + (100 if kind == np.uint8 else -10), kind))
        k = len(n)
        n.append(helper.make_node("QuantizeLinear", [x, scale, zero], [f"q{k}"]))
        n.append(helper.make_node("DequantizeLinear", [f"q{k}", scale, zero], [f"d{k}"]))
        return f"d{k}"

    at = pair("x")
    values = [at]
    for i in range(int(rng.integers(3, 9))):
        op = rng.choice(["Relu", "Add", "Mul", "Sub", "Clip", "Neg", "Abs", "Max", "Transpose", "Reshape", "Concat", "Float"])
        out = f"v{i}"
        if op in ("Add", "Mul", "Sub", "Max"):
            n.append(helper.make_node(op, [at, values[int(rng.integers(len(values)))]], [out]))
        elif op == "Clip":
            n.append(helper.make_node(op, [at, const(number(-0.5)), const(number(1.25))], [out]))
        elif op == "Transpose":
            n.append(helper.make_node(op, [at], [out], perm=[int(p) for p in rng.permutation(rank)]))
        elif op == "Reshape":
            n.append(helper.make_node(op, [at, const(np.array([shape[0], -1], np.int64))], [out]))
        elif op == "Concat":
            n.append(helper.make_node(op, [at, values[int(rng.integers(len(values)))]], [out], axis=0))
        elif op == "Float":
            at = pair(at)
            values.append(at)
            continue
        else:
            n.append(helper.make_node(op, [at], [out]))
        rank = 2 if op == "Reshape" else rank
        at = pair(out) if rng.random() < 0.6 else out
        values = [at] if op in ("Transpose", "Reshape", "Concat") else [*values, at]
    return model(n, {**feed, **constants}, [at], list(constants)), feed


@pytest.mark.isa
@pytest.mark.parametrize("seed", range(60))
def test_random_chains(seed):
    """Scales are powers of two: floats are exact, and so is everything."""
    m, feed = random_chain(seed)
    for got, want in zip(ours(m, feed), theirs(m, feed)):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


# ---- what cannot be


def refused(op, feed, told, **attrs):
    node = helper.make_node(op, list(feed), ["y"], **attrs)
    with pytest.raises(GeError, match=told):
        ge.load(model([node], feed, ["y"], list(feed)[1:]).SerializeToString())


X, Q = np.ones((2, 4), np.float32), np.ones((2, 4), np.int8)


@pytest.mark.parametrize("bad", [0.0, -0.5, np.nan, np.inf])
def test_scales_that_are_no_divisors(bad):
    for scale in (number(bad), np.array([1, 1, bad, 1], np.float32)):
        refused("QuantizeLinear", {"x": X, "s": scale}, r"scale\[.\] is .*, expected a (positive|finite) number")
    if not np.isfinite(bad):
        refused("DequantizeLinear", {"x": Q, "s": number(bad)}, r"scale\[0\] is .*, expected a finite number")


def test_scales_that_a_run_tells():
    m = model([helper.make_node("QuantizeLinear", ["x", "s"], ["y"])], {"x": X, "s": number(0)}, ["y"])
    loaded = ge.load(m.SerializeToString())
    with pytest.raises(GeError, match="QuantizeLinear.*expected a positive number"):
        loaded.run({"x": X, "s": number(0)})
    np.testing.assert_array_equal(loaded.run({"x": X, "s": number(0.5)})["y"], np.full((2, 4), 2, np.uint8))


def test_scales_that_do_not_fit():
    refused("QuantizeLinear", {"x": X, "s": np.ones(3, np.float32)}, "scale has 3 values, expected 4")
    refused("QuantizeLinear", {"x": X, "s": np.ones(4, np.float32)}, "axis is 2, expected a value from -2 to 1", axis=2)
    refused("QuantizeLinear", {"x": X, "s": np.ones((2, 2, 1), np.float32)}, "as many dimensions as x", block_size=2)
    refused(
        "QuantizeLinear",
        {"x": X, "s": np.ones((2, 3), np.float32)},
        "scale has 3 values along axis 1, expected 2",
        block_size=2,
    )
    refused("DequantizeLinear", {"x": Q, "s": np.ones((2, 2), np.float32)}, "expected a scalar or a vector")
    refused("DequantizeLinear", {"x": Q, "s": np.ones(4, np.float32), "z": np.ones(2, np.int8)}, "zero_point has shape")


def test_zero_points_of_another_type():
    refused("DequantizeLinear", {"x": Q, "s": number(1), "z": number(1, np.uint8)}, "zero_point has another data type")
    refused(
        "QuantizeLinear",
        {"x": X, "s": number(1), "z": number(1, np.uint8)},
        "zero_point has another data type",
        output_dtype=TensorProto.INT8,
    )
