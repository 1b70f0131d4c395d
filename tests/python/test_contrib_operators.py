"""Operators of ONNX Runtime's own domain, but attention, against ONNX Runtime or a definition in NumPy."""

import math

import numpy as np
import onnx
import pytest
from contrib_kit import F, both, model_of, node, ours, rand, same

import ge

I32, I64, BOOL = (onnx.TensorProto.INT32, None), (onnx.TensorProto.INT64, None), (onnx.TensorProto.BOOL, None)
erf = np.vectorize(math.erf)


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


# ---- normalisations


@pytest.mark.parametrize("kind", ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
@pytest.mark.parametrize("skip", [(2, 5, 16), (1, 5, 16), (5, 16)])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("open_dims", [False, True])
def test_skip_normalizations(kind, skip, bias, open_dims):
    feed = {"x": rand(2, 5, 16), "skip": rand(*skip, seed=1), "gamma": rand(16, seed=2), "bias": rand(16, seed=4)}
    names = ["x", "skip", "gamma"]
    if kind == "SkipLayerNormalization":
        feed["beta"] = rand(16, seed=3)
        names.append("beta")
    names.append("bias" if bias else None)
    feed = {n: x for n, x in feed.items() if n in names}
    constants = [n for n in ("gamma", "beta", "bias") if n in feed]
    nodes = [node(kind, names, ["y", "", "", "sum"], epsilon=1e-5)]
    m = model_of(nodes, feed, {"y": F, "sum": F}, constants, open_dims)
    from contrib_kit import theirs

    same(ours(m, feed), theirs(m, feed))


@pytest.mark.parametrize("domain", ["", "com.microsoft"])
@pytest.mark.parametrize("axis", [-1, 2, 1])
def test_simplified_layer_normalization(domain, axis):
    if domain and axis != -1:
        pytest.skip("one domain is enough for the axes")
    x = rand(2, 3, 8)
    scale = rand(*x.shape[axis:], seed=1)
    m = model_of(
        [node("SimplifiedLayerNormalization", ["x", "s"], ["y"], domain, axis=axis, epsilon=1e-4)],
        {"x": x, "s": scale},
        {"y": F},
        ("s",),
    )
    axes = tuple(range(axis % 3, 3))
    want = x / np.sqrt((x.astype(float) ** 2).mean(axes, keepdims=True) + 1e-4) * scale
    np.testing.assert_allclose(ours(m, {"x": x})["y"], want, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("segments", [False, True])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("positions", [False, True])
def test_embed_layer_normalization(segments, mask, positions):
    r = np.random.default_rng(3)
    feed = {
        "ids": r.integers(0, 20, (2, 6)).astype(np.int32),
        "segments": r.integers(0, 2, (2, 6)).astype(np.int32),
        "words": rand(20, 16),
        "places": rand(12, 16, seed=1),
        "kinds": rand(2, 16, seed=2),
        "gamma": rand(16, seed=3),
        "beta": rand(16, seed=4),
        "mask": (np.arange(6)[None] < np.array([[6], [4]])).astype(np.int32),
        "at": r.integers(0, 12, (2, 6)).astype(np.int32),
    }
    names = [
        "ids",
        "segments" if segments else None,
        "words",
        "places",
        "kinds" if segments else None,
        "gamma",
        "beta",
        "mask" if mask else None,
        "at" if positions else None,
    ]
    feed = {n: x for n, x in feed.items() if n in names}
    outputs = {"y": F, "counts": I32, "sum": F}
    constants = [n for n in ("words", "places", "kinds", "gamma", "beta") if n in feed]
    same(*both("EmbedLayerNormalization", feed, names, outputs, constants=constants, epsilon=1e-5))


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("activation", [0, 1])
@pytest.mark.parametrize("skip", [False, True])
def test_group_norm(last, activation, skip):
    # ONNX Runtime has it for GPUs only.
    x, gamma, beta = rand(2, 4, 5, 6), rand(6, seed=1), rand(6, seed=2)
    other, bias = rand(2, 4, 5, 6, seed=3), rand(6, seed=4)
    feed = {"x": x if last or skip else x.transpose(0, 3, 1, 2), "gamma": gamma, "beta": beta}
    attrs = {"groups": 3, "activation": activation, "epsilon": 1e-4, "channels_last": 1 if skip else last}
    if skip:
        feed |= {"other": other, "bias": bias}
        nodes = [node("SkipGroupNorm", list(feed), ["y", "sum"], **attrs)]
        got = ours(model_of(nodes, feed, {"y": F, "sum": F}), feed)
        x = x + other + bias
        np.testing.assert_allclose(got["sum"], x, rtol=1e-6)
    else:
        got = ours(model_of([node("GroupNorm", list(feed), ["y"], **attrs)], feed, {"y": F}), feed)
    g = x.astype(float).reshape(2, 20, 3, 2)
    g = (g - g.mean((1, 3), keepdims=True)) / np.sqrt(g.var((1, 3), keepdims=True) + 1e-4)
    want = g.reshape(2, 4, 5, 6) * gamma + beta
    if activation:
        want = want / (1 + np.exp(-want))
    if not (last or skip):
        want = want.transpose(0, 3, 1, 2)
    np.testing.assert_allclose(got["y"], want, rtol=2e-5, atol=2e-5)


# ---- activations and sums


@pytest.mark.parametrize("kind", ["BiasGelu", "FastGelu", "Gelu", "QuickGelu"])
@pytest.mark.parametrize("open_dims", [False, True])
def test_gelus(kind, open_dims):
    feed = {"x": 3 * rand(3, 4, 10)}
    if kind in ("BiasGelu", "FastGelu"):
        feed["b"] = rand(10, seed=1)
    same(*both(kind, feed, list(feed), {"y": F}, open_dims=open_dims))


def test_gelus_otherwise():
    same(*both("FastGelu", {"x": rand(3, 4)}, ["x"], {"y": F}))
    same(*both("QuickGelu", {"x": rand(3, 4)}, ["x"], {"y": F}, alpha=1.0))


def test_split_gelu_and_sums():
    x, b, skip = rand(2, 3, 12), rand(12, seed=1), rand(2, 3, 12, seed=2)
    feed = {"x": x, "b": b}
    got = ours(model_of([node("BiasSplitGelu", ["x", "b"], ["y"])], feed, {"y": F}), feed)["y"]
    left, right = np.split((x + b).astype(float), 2, -1)
    np.testing.assert_allclose(got, left * gelu(right), rtol=2e-5, atol=2e-5)
    feed["s"] = skip
    got = ours(model_of([node("BiasAdd", ["x", "b", "s"], ["y"])], feed, {"y": F}), feed)["y"]
    np.testing.assert_allclose(got, x + b + skip, rtol=1e-6)


@pytest.mark.parametrize("residual", [False, True])
def test_bias_dropout(residual):
    feed = {"x": rand(2, 3, 12), "b": rand(12, seed=1)} | ({"r": rand(2, 3, 12, seed=2)} if residual else {})
    outputs = {"y": F, "mask": BOOL}
    m = model_of([node("BiasDropout", ["x", "b", "r" if residual else None], list(outputs))], feed, outputs)
    got = ours(m, feed)
    np.testing.assert_allclose(got["y"], feed["x"] + feed["b"] + (feed["r"] if residual else 0), rtol=1e-6)
    assert got["mask"].all() and got["mask"].shape == (2, 3, 12)


@pytest.mark.parametrize(
    "x,bias,axis,inner",
    [
        ((2, 3, 4, 5), (2, 1, 1, 5), 3, 0),
        ((2, 3, 4, 5), (4, 5), 2, 1),
        ((4, 6), (6,), 1, 1),
    ],
)
def test_bias_softmax(x, bias, axis, inner):
    feed = {"x": rand(*x), "b": rand(*bias, seed=1)}
    m = model_of([node("BiasSoftmax", ["x", "b"], ["y"], axis=axis, is_inner_broadcast=inner)], feed, {"y": F})
    s = (feed["x"].astype(float) + feed["b"]).reshape(*x[:axis], -1)
    e = np.exp(s - s.max(-1, keepdims=True))
    np.testing.assert_allclose(ours(m, feed)["y"], (e / e.sum(-1, keepdims=True)).reshape(x), rtol=2e-5, atol=1e-6)


# ---- products


@pytest.mark.parametrize("trans_a", [0, 1])
@pytest.mark.parametrize("trans_b", [0, 1])
@pytest.mark.parametrize("batch_a", [0, 1])
@pytest.mark.parametrize("batch_b", [0, 1])
@pytest.mark.parametrize("open_dims", [False, True])
def test_fused_mat_mul(trans_a, trans_b, batch_a, batch_b, open_dims):
    def operand(rows, columns, transposed, batch_moved, seed):
        shape = [columns, rows] if transposed else [rows, columns]
        batch = [2, 3]
        return rand(*([shape[0], *batch, shape[1]] if batch_moved else [*batch, *shape]), seed=seed)

    feed = {"a": operand(4, 5, trans_a, batch_a, 0), "b": operand(5, 6, trans_b, batch_b, 1)}
    attrs = {"transA": trans_a, "transB": trans_b, "transBatchA": batch_a, "transBatchB": batch_b, "alpha": 0.5}
    same(*both("FusedMatMul", feed, ["a", "b"], {"y": F}, open_dims=open_dims, **attrs))


@pytest.mark.parametrize("shapes", [((4, 5), (5,)), ((5,), (2, 5, 3)), ((5,), (5,)), ((2, 1, 4, 5), (3, 5, 6))])
def test_fused_mat_mul_of_vectors_and_spread_batches(shapes):
    feed = {"a": rand(*shapes[0]), "b": rand(*shapes[1], seed=1)}
    same(*both("FusedMatMul", feed, ["a", "b"], {"y": F}, alpha=2.0))
    same(*both("TransposeMatMul", feed, ["a", "b"], {"y": F}, alpha=2.0))


@pytest.mark.parametrize(
    "name,parameters",
    [
        ("Relu", {}),
        ("Sigmoid", {}),
        ("Tanh", {}),
        ("LeakyRelu", {"activation_alpha": 0.2}),
        ("HardSigmoid", {"activation_alpha": 0.3, "activation_beta": 0.4}),
        ("Elu", {"activation_alpha": 0.7}),
        ("Softplus", {}),
        ("Softsign", {}),
    ],
)
@pytest.mark.parametrize("bias", [False, True])
def test_fused_gemm(name, parameters, bias):
    feed = {"a": rand(5, 4), "b": rand(6, 5, seed=1)} | ({"c": rand(6, seed=2)} if bias else {})
    attrs = {"transA": 1, "transB": 1, "alpha": 0.7, "beta": 1.3, "activation": name}
    same(*both("FusedGemm", feed, list(feed), {"y": F}, **attrs, **parameters))


def test_gemm_fast_gelu():
    feed = {"x": rand(2, 4, 5), "w": rand(5, 6, seed=1), "b": rand(6, seed=2)}
    m = model_of([node("GemmFastGelu", list(feed), ["y"])], feed, {"y": F})
    y = feed["x"].astype(float) @ feed["w"] + feed["b"]
    want = y * (1 + np.tanh(0.7978845608 * (y + 0.044715 * y**3))) / 2
    np.testing.assert_allclose(ours(m, feed)["y"], want, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_cdist(metric):
    feed = {"a": rand(5, 7), "b": rand(4, 7, seed=1)}
    same(*both("CDist", feed, ["a", "b"], {"y": F}, metric=metric), tolerance=1e-4)


# ---- convolutions

ACTIVATIONS = {
    "Relu": [],
    "Sigmoid": [],
    "Tanh": [],
    "LeakyRelu": [0.1],
    "Clip": [0.0, 1.5],
    "HardSigmoid": [0.2, 0.4],
}


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("inputs", [2, 3, 4])
def test_fused_conv(name, inputs):
    feed = {
        "x": rand(1, 8, 9, 9),
        "w": rand(16, 4, 3, 3, seed=1) / 6,
        "b": rand(16, seed=2),
        "z": rand(1, 16, 5, 5, seed=3),
    }
    feed = dict(list(feed.items())[:inputs])
    attrs = {"activation": name, "group": 2, "pads": [1, 1, 1, 1], "strides": [2, 2], "kernel_shape": [3, 3]}
    if ACTIVATIONS[name]:
        attrs["activation_params"] = ACTIVATIONS[name]
    constants = [n for n in ("w", "b") if n in feed]
    same(*both("FusedConv", feed, list(feed), {"y": F}, constants=constants, **attrs))


@pytest.mark.parametrize("kind", ["NhwcConv", "NhwcFusedConv"])
def test_conv_with_channels_last(kind):
    x, w, b = rand(2, 7, 8, 4), rand(6, 4, 3, 3, seed=1) / 6, rand(6, seed=2)
    feed = {"x": x, "w": w, "b": b}
    attrs = {"pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}
    fused = {"activation": "Relu"} if kind == "NhwcFusedConv" else {}
    got = ours(model_of([node(kind, list(feed), ["y"], **attrs, **fused)], feed, {"y": F}, ("w", "b")), feed)["y"]
    plain = {"x": x.transpose(0, 3, 1, 2), "w": w, "b": b}
    _, want = both("Conv", plain, list(plain), {"y": F}, domain="", **attrs)
    want = want["y"].transpose(0, 2, 3, 1)
    np.testing.assert_allclose(got, np.maximum(want, 0) if fused else want, rtol=2e-5, atol=2e-5)


# ---- movements


def test_expand_dims():
    feed = {"x": rand(2, 3), "axis": np.array(1, np.int32)}
    same(*both("ExpandDims", feed, ["x", "axis"], {"y": F}, constants=("axis",)))


def test_unique():
    feed = {"x": np.array([3, 1, 3, 2, 1, 3], np.float32)}
    same(*both("Unique", feed, ["x"], {"y": F, "places": I64, "counts": I64}))


@pytest.mark.parametrize("upper", [0, 1])
def test_trilu(upper):
    feed = {"x": rand(4, 5), "k": np.array(1, np.int64)}
    same(*both("Trilu", feed, ["x", "k"], {"y": F}, upper=upper))


def test_pad_and_gather():
    feed = {"x": rand(2, 3), "pads": np.array([0, 1, 2, 0], np.int64), "value": np.array([1.5], np.float32)}
    same(*both("Pad", feed, list(feed), {"y": F}))
    same(*both("GatherND", {"x": rand(3, 4), "i": np.array([[0, 1], [2, 3]])}, ["x", "i"], {"y": F}))
    feed = {n: np.array(v, np.float32) for n, v in (("a", 1), ("b", 7), ("c", 2))}
    same(*both("Range", feed, list(feed), {"y": F}))


@pytest.mark.parametrize("attrs", [{}, {"isinf_only": 1}, {"isnan_only": 1}])
def test_is_all_finite(attrs):
    for value in (0, np.inf, np.nan):
        x = np.array([1, value, 3], np.float32)
        m = model_of([node("IsAllFinite", ["x"], ["y"], **attrs)], {"x": x}, {"y": BOOL})
        bad = (np.isinf(value) and "isnan_only" not in attrs) or (np.isnan(value) and "isinf_only" not in attrs)
        assert bool(ours(m, {"x": x})["y"]) is not bad


# ---- what cannot be


def refusal(kind, feed, names, **attrs):
    m = model_of([node(kind, names, ["y"], **attrs)], feed, {"y": F})
    with pytest.raises(Exception) as error:
        ge.load(m.SerializeToString()).run(feed)
    return str(error.value)


def test_bad_input_is_named():
    x = {"x": rand(2, 3, 5), "b": rand(5)}
    assert "5 features cannot be halved" in refusal("BiasSplitGelu", x, ["x", "b"])
    assert "activation 'Nothing'" in refusal("FusedGemm", {"a": rand(2, 3), "b": rand(3, 4)}, ["a", "b"], activation="Nothing")
    assert "metric" in refusal("CDist", {"a": rand(2, 3), "b": rand(4, 3)}, ["a", "b"], metric="cosine")
    assert "transBatchA needs rank 3" in refusal("FusedMatMul", {"a": rand(2, 3), "b": rand(3, 4)}, ["a", "b"], transBatchA=1)
    groups = {"x": rand(1, 2, 2, 5), "g": rand(5), "b": rand(5, seed=1)}
    assert "5 channels do not divide into 2 groups" in refusal("GroupNorm", groups, list(groups), groups=2, activation=0)
    assert "scale has shape" in refusal(
        "SimplifiedLayerNormalization", {"x": rand(2, 3, 4), "s": rand(3, 4)}, ["x", "s"], axis=-1
    )
