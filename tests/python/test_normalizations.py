"""Normalisations where the mean is large beside the deviation, against double precision.

x - mean loses the mean's rounding: with x of size M in single precision that is up to M * 2^-24 (half a unit in the last
place), which 1 / sqrt(variance + epsilon) multiplies. What is computed here must stay far below that."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

F = TensorProto.FLOAT
MEANS = [0.0, 2.4867, 100.3, 1000.7, 1e4 + 0.1, 1e6]


def run(op, feed, outputs=("y",), opset=17, open_dims=False, options=None, **attrs):
    """All values but x are initializers."""
    x = feed["x"]
    dims = [f"d{i}" for i in range(x.ndim)] if open_dims else x.shape
    graph = helper.make_graph(
        [helper.make_node(op, list(feed), list(outputs), **attrs)],
        "g",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), dims)],
        [onnx.ValueInfoProto(name=o) for o in outputs],
        [numpy_helper.from_array(v, k) for k, v in feed.items() if k != "x"],
    )
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    results = ge.load(m.SerializeToString(), options=options).run({"x": x})
    return [results[o] for o in outputs]


def normalized(x, axes, epsilon):
    x = x.astype(np.float64)
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + epsilon), mean, 1 / np.sqrt(var + epsilon)


def values(shape, mean, spread, seed=0):
    return (mean + spread * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("n", [1, 7, 24, 768, 1000])
def test_constant_rows(n, mean):
    """Exactly: nothing but beta, for every length and on both engines."""
    x = np.full((3, n), mean, np.float32)
    feed = {"x": x, "scale": values(n, 1, 0.5), "bias": values(n, 0, 1, 1)}
    for options in (None, {"engines.exclude": "VectorEngine"}):
        y, m, inverse = run("LayerNormalization", feed, ("y", "m", "i"), options=options, epsilon=1e-5)
        np.testing.assert_allclose(y, np.tile(feed["bias"], (3, 1)), atol=1e-6)
        np.testing.assert_allclose(m, x[:, :1], rtol=1e-7)
        np.testing.assert_allclose(inverse, 1e-5**-0.5, rtol=1e-5)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("spread", [1e-3, 1.0, 50.0])
def test_layer_normalization(mean, spread):
    x = values((5, 4, 193), mean, spread)
    ones, nothing = np.ones(193, np.float32), np.zeros(193, np.float32)
    want, _, inverse = normalized(x, (2,), 1e-5)
    for open_dims in (False, True):
        y, _, i = run("LayerNormalization", {"x": x, "s": ones, "b": nothing}, ("y", "m", "i"), open_dims=open_dims)
        np.testing.assert_allclose(y, want, rtol=2e-6, atol=2e-6)
        np.testing.assert_allclose(i, inverse, rtol=2e-6)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("spread", [0.0, 1e-2, 1.0])
@pytest.mark.parametrize("open_dims", [False, True])
def test_channels_and_groups(open_dims, spread, mean):
    x = values((2, 6, 5, 7), mean, spread)
    scale, bias = values(6, 1, 0.3, 1), values(6, 0, 1, 2)
    c = (1, 6, 1, 1)
    want = normalized(x, (2, 3), 1e-5)[0] * scale.reshape(c) + bias.reshape(c)
    got = run("InstanceNormalization", {"x": x, "s": scale, "b": bias}, open_dims=open_dims)[0]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=5e-6)
    grouped = normalized(x.reshape(2, 3, -1), (2,), 1e-5)[0].reshape(x.shape)
    got = run("GroupNormalization", {"x": x, "s": scale, "b": bias}, opset=21, open_dims=open_dims, num_groups=3)[0]
    np.testing.assert_allclose(got, grouped * scale.reshape(c) + bias.reshape(c), rtol=1e-5, atol=5e-6)
    got = run("MeanVarianceNormalization", {"x": x}, opset=13, open_dims=open_dims, axes=[0, 2, 3])[0]
    wide = x.astype(np.float64)
    deviation = wide.std((0, 2, 3), keepdims=True) + 1e-9
    np.testing.assert_allclose(got, (wide - wide.mean((0, 2, 3), keepdims=True)) / deviation, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("open_dims", [False, True])
def test_a_single_position_has_no_deviation(open_dims, mean):
    """The result is the bias to the bit: formulas that multiply x and the mean apart leave a difference of both."""
    scale, bias = values(6, 1, 0.3, 1), values(6, 0, 1, 2)
    x = values((15, 6, 1, 1), mean, 1.0)
    got = run("InstanceNormalization", {"x": x, "s": scale, "b": bias}, open_dims=open_dims)[0]
    np.testing.assert_array_equal(got, np.broadcast_to(bias.reshape(1, 6, 1, 1), x.shape))


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("spread", [0.0, 1e-2, 1.0])
def test_batch_statistics(spread, mean):
    x = values((4, 3, 5, 7), mean, spread)
    feed = {"x": x, "s": values(3, 1, 0.3, 1), "b": values(3, 0, 1, 2), "m": values(3, 0, 1, 3), "v": np.ones(3, np.float32)}
    y, running, variance = run("BatchNormalization", feed, ("y", "rm", "rv"), opset=15, training_mode=1, momentum=0.9)
    c = (1, 3, 1, 1)
    want, own, _ = normalized(x, (0, 2, 3), 1e-5)
    np.testing.assert_allclose(y, want * feed["s"].reshape(c) + feed["b"].reshape(c), rtol=1e-5, atol=5e-6)
    np.testing.assert_allclose(running, feed["m"] * 0.9 + own.ravel() * 0.1, rtol=1e-6)
    np.testing.assert_allclose(variance, feed["v"] * 0.9 + x.astype(float).var((0, 2, 3)) * 0.1, rtol=1e-5)


@pytest.mark.parametrize("mean", [2.4867, 1000.7])
def test_written_out(mean):
    """What a pass makes of single operators is as good as the operator, also of E[x^2] - E[x]^2."""
    x = values((6, 320), mean, 0.5)
    n, const = helper.make_node, {"axes": np.int64([-1]), "eps": np.float32(1e-5), "two": np.float32(2)}
    centre = [n("ReduceMean", ["x"], ["m"], axes=[-1]), n("Sub", ["x", "m"], ["c"])]
    stable = [n("Pow", ["c", "two"], ["q"]), n("ReduceMean", ["q"], ["v"], axes=[-1])]
    moments = [
        n("Mul", ["x", "x"], ["q"]), n("ReduceMean", ["q"], ["e"], axes=[-1]), n("Mul", ["m", "m"], ["mm"]),
        n("Sub", ["e", "mm"], ["v"]),
    ]  # fmt: skip
    end = [n("Add", ["v", "eps"], ["ve"]), n("Sqrt", ["ve"], ["d"]), n("Div", ["c", "d"], ["y"])]
    for variance in (stable, moments):
        graph = helper.make_graph(
            [*centre, *variance, *end], "g", [helper.make_tensor_value_info("x", F, x.shape)], [onnx.ValueInfoProto(name="y")],
            [numpy_helper.from_array(np.asarray(v), k) for k, v in const.items()],
        )  # fmt: skip
        loaded = ge.load(
            helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
        )
        assert [row["type"] for row in loaded.placement()] == ["LayerNormV4"]
        np.testing.assert_allclose(loaded.run({"x": x})["y"], normalized(x, (1,), 1e-5)[0], rtol=2e-6, atol=2e-6)
        constant = np.full_like(x, mean)
        np.testing.assert_allclose(loaded.run({"x": constant})["y"], 0 * x, atol=1e-6)


def test_special_values_stay():
    x = values((4, 33), 0, 1)
    x[1, 5], x[2, 7] = np.nan, np.inf
    y = run("LayerNormalization", {"x": x, "s": np.ones(33, np.float32)})[0]
    assert np.isfinite(y[[0, 3]]).all() and np.isnan(y[[1, 2]]).all()


@pytest.mark.parametrize("open_dims", [False, True])
@pytest.mark.parametrize(
    "scale,bias",
    [
        ((1,), None),
        ((), None),
        ((1,), (1,)),
        ((4,), (1,)),
        ((1,), (4,)),
        ((4,), ()),
        ((1, 4), (4,)),
        ((3, 1), (1, 4)),
        ((2, 1, 4), None),
    ],
)
def test_scales_that_broadcast(scale, bias, open_dims):
    x = values((2, 3, 4), 0.5, 1)
    feed = {"x": x, "s": values(scale, 1, 0.3, 1).reshape(scale)}
    if bias is not None:
        feed["b"] = values(bias, 0, 1, 2).reshape(bias)
    want = normalized(x, (2,), 1e-5)[0] * feed["s"] + feed.get("b", 0)
    np.testing.assert_allclose(run("LayerNormalization", feed, open_dims=open_dims)[0], want, rtol=1e-5, atol=1e-5)
    if len(scale) < 3:
        want = normalized(x, (1, 2), 1e-5)[0] * feed["s"] + feed.get("b", 0)
        np.testing.assert_allclose(run("LayerNormalization", feed, open_dims=open_dims, axis=1)[0], want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype,tolerance", [(np.float16, 2e-3), (np.float32, 1e-6), (np.float64, 1e-12)])
@pytest.mark.parametrize("open_dims", [False, True])
def test_root_mean_square(dtype, tolerance, open_dims):
    x = (values((2, 3, 40), 300, 100)).astype(dtype)  # squares are beyond the range of float16
    for scale in (values(40, 1, 0.3), values((1,), 1, 0.3), values((3, 1), 1, 0.3)):
        got = run("RMSNormalization", {"x": x, "s": scale.astype(dtype)}, opset=23, open_dims=open_dims, epsilon=1e-5)[0]
        wide = x.astype(np.float64)
        want = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-5) * scale.astype(dtype)
        assert got.dtype == dtype
        np.testing.assert_allclose(got.astype(float), want, rtol=tolerance)
