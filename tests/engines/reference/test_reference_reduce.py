"""Reference kernels for reductions, running sums, softmax and normalisation."""

import ml_dtypes
import numpy as np
import pytest
from engine_harness import DataType, EngineError, Fmt
from engine_oracles import FLOATS, INTS, close, draw, onnx_reference, onnx_runtime

CASES = [((2, 3, 4), [1]), ((2, 3, 4), [-1]), ((2, 3, 4), [0, 2]), ((5, 600), [0]), ((600, 5), [0, 1]),
         ((3, 1, 4), [1]), ((), []), ((2, 3, 4, 5), [1, 3]), ((0, 3), [1]), ((4, 700), [1])]  # fmt: skip
REDUCTIONS = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "EuclideanNorm": lambda x, **k: np.sqrt(np.sum(x * x, **k)),
    "ReduceLogSumExp": lambda x, **k: np.log(np.sum(np.exp(x), **k)),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", REDUCTIONS)
def test_floating_point(cpu, op, dtype):
    for shape, axes in CASES:
        x = draw(shape, dtype, 0.5, 1.5)
        if op == "ReduceProd":
            x = np.ones_like(x) if x.size > 100 else x
        for keep in (False, True):
            expected = np.asarray(REDUCTIONS[op](x.astype(np.float64), axis=tuple(axes), keepdims=keep))
            for index in (np.int32, np.int64):
                got = cpu(op, [x, np.array(axes, index)], {"keep_dims": keep}, (expected.shape, dtype))
            close(got, expected.astype(dtype))


@pytest.mark.parametrize("dtype", INTS, ids=lambda d: np.dtype(d).name)
def test_integers_of_nothing(cpu, dtype):
    """The neutral element of the output's own type."""
    x = np.zeros((0, 3), dtype)
    for op, value in [("ReduceMax", np.iinfo(dtype).min), ("ReduceMin", np.iinfo(dtype).max)]:
        got = cpu(op, [x, np.array([0])], {"keep_dims": False}, ((3,), dtype))
        np.testing.assert_array_equal(got, np.full(3, value, dtype))


@pytest.mark.parametrize("dtype", INTS, ids=lambda d: np.dtype(d).name)
def test_integers(cpu, dtype):
    x = draw((3, 4, 5), dtype, -4, 4)
    for op, f in [("ReduceSum", np.sum), ("ReduceMax", np.max), ("ReduceMin", np.min), ("ReduceProd", np.prod)]:
        with np.errstate(over="ignore"):
            expected = f(x, axis=1, dtype=dtype) if op in ("ReduceSum", "ReduceProd") else f(x, axis=1)
        np.testing.assert_array_equal(cpu(op, [x, np.array([1])], {}, ((3, 5), dtype)), expected)


def test_logic(cpu):
    x = draw((4, 6), np.bool_)
    for op, f in [("ReduceAll", np.all), ("ReduceAny", np.any)]:
        for axes in ([0], [1], [0, 1]):
            expected = np.asarray(f(x, axis=tuple(axes)))
            np.testing.assert_array_equal(cpu(op, [x, np.array(axes)], {}, (expected.shape, np.bool_)), expected)


def test_empty_axes(cpu):
    """Without axes the output's shape says whether everything or nothing is reduced."""
    x, none = draw((3, 4)), np.zeros(0, np.int64)
    close(cpu("ReduceSum", [x, none], {}, ((3, 4), np.float32)), x)
    close(cpu("ReduceSum", [x, none], {"noop_with_empty_axes": False}, ((), np.float32)), x.sum(dtype=float))


def test_special_values(cpu):
    x = np.array([[1, np.nan, 3], [-np.inf, -np.inf, -np.inf]], np.float32)
    axis = np.array([1])
    np.testing.assert_array_equal(cpu("ReduceMax", [x, axis], {}, ((2,), np.float32)), [np.nan, -np.inf])
    np.testing.assert_array_equal(cpu("ReduceLogSumExp", [x, axis], {}, ((2,), np.float32)), [np.nan, -np.inf])
    empty = np.zeros((2, 0), np.float32)
    np.testing.assert_array_equal(cpu("ReduceSum", [empty, axis], {}, ((2,), np.float32)), [0, 0])
    np.testing.assert_array_equal(cpu("ReduceMax", [empty, axis], {}, ((2,), np.float32)), [-np.inf, -np.inf])
    with pytest.raises(EngineError, match="axis 5 is out of range for rank 2"):
        cpu("ReduceSum", [x, np.array([5])], {}, ((2,), np.float32))


def test_long_sums_are_accurate(cpu):
    x = np.full((1 << 20,), 0.1, np.float32)
    close(cpu("ReduceSum", [x, np.array([0])], {}, ((), np.float32)), np.sum(x, dtype=np.float64))


@pytest.mark.parametrize("dims", [[1], [], [0, -1]])
@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("width", [50, 3])
def test_variance(cpu, width, dims, correction):
    x = draw((3, 4, width))
    axes = tuple(dims) or None
    mean = np.asarray(x.astype(float).mean(axis=axes))
    variance = np.asarray(x.astype(float).var(axis=axes, ddof=correction))
    attrs = {"dim": dims, "correction": correction}
    for op, expected in [("ReduceVar", variance), ("ReduceStdV2", np.sqrt(variance))]:
        got, got_mean = cpu.run(op, [x], attrs, [(expected.shape, np.float32), (mean.shape, np.float32)])
        close(got, expected)
        close(got_mean, mean)
        close(cpu.run(op, [x], attrs, [(expected.shape, np.float32), None])[0], expected)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, 0.0, np.inf, -np.inf])
def test_lp_norm(cpu, p):
    x = draw((4, 30))
    expected = np.linalg.norm(x.astype(float), ord=p, axis=1)
    close(cpu("LpNormV2", [x], {"p": p, "axes": [1]}, ((4,), np.float32)), expected, scale=3)


@pytest.mark.parametrize("width", [300, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint64, np.int8])
def test_arg(cpu, dtype, width):
    x = draw((3, 7, width), dtype, -20, 20)
    for axis in (0, 1, -1):
        for out in (np.int32, np.int64):
            expected = np.argmax(x, axis).astype(out), np.argmin(x, axis).astype(out)
            dimension = np.array(axis, np.int32)
            for op, want in zip(("ArgMaxV2", "ArgMin"), expected):
                np.testing.assert_array_equal(cpu(op, [x, dimension], {}, (want.shape, out)), want)
            for op, want in zip(("ArgMaxD", "ArgMinD"), expected):
                np.testing.assert_array_equal(cpu(op, [x], {"dimension": axis}, (want.shape, out)), want)


def test_arg_takes_the_first_and_finds_nan(cpu):
    x = np.array([[3, 3, 1], [1, np.nan, 5]], np.float32)
    np.testing.assert_array_equal(cpu("ArgMaxV2", [x, np.int64(1)], {}, ((2,), np.int64)), np.argmax(x, 1))


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative(cpu, exclusive, reverse):
    x = draw((3, 5, 4), low=0.5, high=1.5)
    attrs = {"exclusive": exclusive, "reverse": reverse}
    for axis in (0, 1, -1):
        d = np.flip(x.astype(float), axis) if reverse else x.astype(float)
        for op, f, neutral in [("Cumsum", np.cumsum, 0), ("Cumprod", np.cumprod, 1)]:
            y = f(d, axis=axis)
            if exclusive:
                y = np.roll(y, 1, axis)
                np.moveaxis(y, axis, 0)[0] = neutral
            y = np.flip(y, axis) if reverse else y
            close(cpu(op, [x, np.array(axis, np.int64)], attrs, (x.shape, np.float32)), y)
    i = draw((4, 6), np.int32, -9, 9)
    want = onnx_reference("CumSum", [i, np.int64(1)], exclusive=int(exclusive), reverse=int(reverse))
    np.testing.assert_array_equal(cpu("Cumsum", [i, np.int64(1)], attrs, (i.shape, np.int32)), want)


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("reverse", [False, True])
def test_running_log(cpu, reverse, dtype):
    for x in (draw((3, 5, 4), dtype, -30, 30), np.full((2, 3, 1), 2, dtype)):
        for axis in (0, 1, -1):
            d = np.flip(x, axis).astype(float) if reverse else x.astype(float)
            y = np.logaddexp.accumulate(d, axis)
            shifted = np.roll(y, 1, axis)
            np.moveaxis(shifted, axis, 0)[0] = np.finfo(dtype).min
            for exclusive, want in ((False, y), (True, shifted)):
                want = (np.flip(want, axis) if reverse else want).astype(dtype)
                attrs = {"exclusive": exclusive, "reverse": reverse}
                close(cpu("CumulativeLogsumexp", [x, np.int64(axis)], attrs, (x.shape, dtype)), want)


@pytest.mark.parametrize("dtype", FLOATS + INTS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("index", [np.int32, np.int64], ids=lambda d: np.dtype(d).name)
def test_segments(cpu, dtype, index):
    # Row 3 gets nothing, a negative position belongs to no row.
    ids = np.array([[2, 0, 2], [-1, 1, 0]], index)
    lowest, largest = limits_of(dtype)
    for columns in (1, 150):
        x = draw((2, 3, columns), dtype, 1, 4)
        for op, f, empty in [
            ("UnsortedSegmentSum", np.add, 0),
            ("UnsortedSegmentProd", np.multiply, 1),
            ("UnsortedSegmentMax", np.maximum, lowest),
            ("UnsortedSegmentMin", np.minimum, largest),
        ]:
            want = np.full((4, columns), empty, np.float64 if np.dtype(dtype) in map(np.dtype, FLOATS) else dtype)
            for at in np.ndindex(ids.shape):
                if ids[at] >= 0:
                    want[ids[at]] = f(want[ids[at]], x[at].astype(want.dtype))
            got = cpu(op, [x, ids, np.array(4, np.int32)], {}, ((4, columns), dtype))
            close(got, want.astype(dtype))
    with pytest.raises(EngineError, match="segment_ids holds 2 at position 0, but there are 2 segments"):
        cpu("UnsortedSegmentSum", [x, ids, np.array(2, np.int32)], {}, ((2, columns), dtype))


def limits_of(dtype):
    """Lowest and highest finite number."""
    info = np.iinfo(dtype) if np.issubdtype(dtype, np.integer) else ml_dtypes.finfo(dtype)
    return info.min, info.max


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("axes", [[-1], [0], [1], [1, 2]])
@pytest.mark.parametrize("width", [70, 3])
def test_softmax(cpu, width, axes, dtype):
    x = draw((3, 4, width), dtype, -5, 5)
    want = softmax(x.astype(float), tuple(axes))
    close(cpu("SoftmaxV2", [x], {"axes": axes}, (x.shape, dtype)), want.astype(dtype))
    close(cpu("LogSoftmaxV2", [x], {"axes": axes}, (x.shape, dtype)), np.log(want).astype(dtype))


def test_softmax_of_large_values(cpu):
    x = np.array([[1e4, 1e4 + 1, -1e4], [-np.inf, 0, 0]], np.float32)
    close(cpu("SoftmaxV2", [x], {}, (x.shape, np.float32)), softmax(x.astype(float), 1))


def test_l2_normalize(cpu):
    x = draw((2, 3, 4))
    norm = np.sqrt(np.maximum((x.astype(float) ** 2).sum(1, keepdims=True), 1e-4))
    close(cpu("L2Normalize", [x], {"axis": [1], "eps": 1e-4}, (x.shape, np.float32)), x / norm)
    zero = np.zeros((2, 3), np.float32)
    np.testing.assert_array_equal(cpu("L2Normalize", [zero], {"axis": [1]}, (zero.shape, np.float32)), zero)


def rows(x, axis, epsilon):
    axes = tuple(range(axis, x.ndim))
    x = x.astype(float)
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon), mean, variance


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("width", [300, 7])
def test_layer_norm(cpu, width, axis, dtype):
    x = draw((2, 3, width), dtype)
    axis %= 3
    gamma, beta = draw(x.shape[axis:], dtype, seed=1), draw(x.shape[axis:], dtype, seed=2)
    y, mean, variance = rows(x, axis, 1e-5)
    y = (y * gamma.astype(float) + beta.astype(float)).astype(dtype)
    outputs = [(x.shape, dtype), (mean.shape, dtype), (mean.shape, dtype)]
    attrs = {"begin_norm_axis": axis, "begin_params_axis": axis, "epsilon": 1e-5}
    for op, inputs, a, spread in [
        ("LayerNorm", [x, gamma, beta], attrs, variance),
        ("LayerNormV3", [x, gamma, beta], attrs, 1 / np.sqrt(variance + 1e-5)),
        ("LayerNormV4", [x, np.array(gamma.shape), gamma, beta], {"epsilon": 1e-5}, 1 / np.sqrt(variance + 1e-5)),
    ]:
        got = cpu.run(op, inputs, a, outputs)
        close(got[0], y, scale=2)
        close(got[1], mean.astype(dtype), scale=2)
        close(got[2], spread.astype(dtype), scale=2)


def test_layer_norm_with_parameters_of_other_dimensions(cpu):
    x, gamma, beta = draw((2, 3, 4)), draw((3, 4), seed=1), draw((3, 4), seed=2)
    y, mean, _ = rows(x, 2, 1e-7)
    attrs = {"begin_norm_axis": 2, "begin_params_axis": 1}
    got = cpu.run("LayerNorm", [x, gamma, beta], attrs, [(x.shape, np.float32), None, None])
    close(got[0], y * gamma + beta, scale=3)
    only_scale = cpu.run("LayerNormV4", [x, np.array([4]), None, None], {}, [(x.shape, np.float32), None, None])
    close(only_scale[0], rows(x, 2, 1e-5)[0], scale=3)


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("width", [64, 3])
def test_rms_norm(cpu, width, dtype):
    shape = (3, 5, width)
    x, other, gamma = draw(shape, dtype), draw(shape, dtype, seed=1), draw((width,), dtype, seed=2)
    rstd = 1 / np.sqrt((x.astype(float) ** 2).mean(-1, keepdims=True) + 1e-6)
    y, got = cpu.run("RmsNorm", [x, gamma], {"epsilon": 1e-6}, [(x.shape, dtype), ((3, 5, 1), np.float32)])
    close(y, (x.astype(float) * rstd * gamma.astype(float)).astype(dtype))
    close(got, rstd, "float32")
    total = x.astype(float) + other.astype(float)
    rstd = 1 / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-6)
    outputs = [(x.shape, dtype), ((3, 5, 1), np.float32), (x.shape, dtype)]
    y, got, sum_out = cpu.run("AddRmsNorm", [x, other, gamma], {"epsilon": 1e-6}, outputs)
    close(y, (total * rstd * gamma.astype(float)).astype(dtype))
    close(got, rstd, "float32")
    close(sum_out, total.astype(dtype))


@pytest.mark.parametrize("bias_shape", [None, (8,), (2, 3, 8)])
def test_add_layer_norm(cpu, bias_shape):
    x1, x2, gamma, beta = draw((2, 3, 8)), draw((2, 3, 8), seed=1), draw((8,), seed=2), draw((8,), seed=3)
    bias = None if bias_shape is None else draw(bias_shape, seed=4)
    total = x1.astype(float) + x2 + (0 if bias is None else bias)
    y, mean, variance = rows(total, 2, 1e-5)
    outputs = [(x1.shape, np.float32)] + [(mean.shape, np.float32)] * 2 + [(x1.shape, np.float32)]
    got = cpu.run("AddLayerNorm", [x1, x2, gamma, beta, bias], {"epsilon": 1e-5}, outputs)
    for a, b in zip(got, [y * gamma + beta, mean, 1 / np.sqrt(variance + 1e-5), total]):
        close(a, b, scale=3)


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=lambda d: np.dtype(d).name)
def test_batch_norm_inference(cpu, dtype):
    x = draw((2, 5, 3, 4), dtype)
    scale, offset, mean, variance = (draw((5,), low=0.5, seed=i) for i in range(4))
    c = [p.reshape(5, 1, 1).astype(float) for p in (scale, offset, mean, variance)]
    want = (x - c[2]) / np.sqrt(c[3] + 1e-3) * c[0] + c[1]
    got = cpu("BNInfer", [x, scale, offset, mean, variance], {"epsilon": 1e-3}, (x.shape, dtype))
    close(got, want.astype(dtype))
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    got = cpu("BNInfer", [Fmt(last, "NHWC"), scale, offset, mean, variance], {"epsilon": 1e-3}, (last.shape, dtype))
    close(got, want.transpose(0, 2, 3, 1).astype(dtype))
    attrs = {"epsilon": 1e-3, "data_format": "NHWC", "is_training": False}
    outputs = [(last.shape, dtype)] + [((5,), np.float32)] * 4 + [None]
    got = cpu.run("BatchNorm", [last, scale, offset, mean, variance], attrs, outputs)
    close(got[0], want.transpose(0, 2, 3, 1).astype(dtype))
    close(got[1], mean)
    close(got[2], variance)


def test_batch_norm_training(cpu):
    x, scale, offset = draw((4, 3, 5, 5)), draw((3,), seed=1), draw((3,), seed=2)
    running_mean, running_variance = draw((3,), seed=3), draw((3,), low=0.5, seed=4)
    mean, variance = x.astype(float).mean((0, 2, 3)), x.astype(float).var((0, 2, 3))
    c = (3, 1, 1)
    y = (x - mean.reshape(c)) / np.sqrt(variance.reshape(c) + 1e-4) * scale.reshape(c) + offset.reshape(c)
    attrs = {"epsilon": 1e-4, "data_format": "NCHW", "is_training": True, "exponential_avg_factor": 0.25}
    outputs = [(x.shape, np.float32)] + [((3,), np.float32)] * 4 + [None]
    got = cpu.run("BatchNorm", [x, scale, offset, running_mean, running_variance], attrs, outputs)
    close(got[0], y, scale=3)
    close(got[1], 0.75 * running_mean + 0.25 * mean)
    close(got[2], 0.75 * running_variance + 0.25 * variance * 100 / 99)
    close(got[3], mean)
    close(got[4], variance)


@pytest.mark.parametrize("groups", [1, 2, 6])
def test_group_norm(cpu, groups):
    x, gamma, beta = draw((2, 6, 3, 5)), draw((6,), seed=1), draw((6,), seed=2)
    g = x.astype(float).reshape(2, groups, -1)
    mean, rstd = g.mean(-1), 1 / np.sqrt(g.var(-1) + 1e-5)
    y = ((g - mean[..., None]) * rstd[..., None]).reshape(x.shape)
    outputs = [(x.shape, np.float32), ((2, groups), np.float32), ((2, groups), np.float32)]
    attrs = {"num_groups": groups, "eps": 1e-5}
    got = cpu.run("GroupNorm", [x, gamma, beta], attrs, outputs)
    close(got[0], y * gamma.reshape(6, 1, 1) + beta.reshape(6, 1, 1), scale=3)
    close(got[1], mean)
    close(got[2], rstd)
    close(cpu.run("GroupNorm", [x, None, None], attrs, outputs)[0], y, scale=3)


@pytest.mark.parametrize("width", [50, 2])
def test_instance_norm(cpu, width):
    x, gamma, beta = draw((2, 3, 4, width)), draw((3,), seed=1), draw((3,), seed=2)
    want = onnx_reference("InstanceNormalization", [x, gamma, beta], epsilon=1e-5)
    statistics = ((2, 3, 1, 1), np.float32)
    attrs = {"data_format": "NCHW", "epsilon": 1e-5}
    y, mean, variance = cpu.run("InstanceNorm", [x, gamma, beta], attrs, [(x.shape, np.float32), statistics, statistics])
    close(y, want, scale=5)
    close(mean, x.astype(float).mean((2, 3), keepdims=True))
    close(variance, x.astype(float).var((2, 3), keepdims=True))
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    attrs["data_format"] = "NHWC"
    y = cpu.run("InstanceNorm", [last, gamma, beta], attrs, [(last.shape, np.float32), None, None])[0]
    close(y, want.transpose(0, 2, 3, 1), scale=5)


def test_lrn(cpu):
    x = draw((2, 7, 3, 4))
    want = onnx_runtime("LRN", [x], size=5, alpha=0.5, beta=0.75, bias=1.5)
    attrs = {"depth_radius": 2, "alpha": 0.1, "beta": 0.75, "bias": 1.5}  # ONNX divides alpha by size
    close(cpu("LRN", [x], attrs, (x.shape, np.float32)), want)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
    close(cpu("LRN", [Fmt(last, "NHWC")], attrs, (last.shape, np.float32)), want.transpose(0, 2, 3, 1))
    assert "WITHIN_CHANNEL" in cpu.check("LRN", [x], {"norm_region": "WITHIN_CHANNEL"}, [(x.shape, np.float32)])


def test_dtype_attributes_do_not_disturb(cpu):
    x = draw((3, 4))
    got = cpu("ArgMaxV2", [x, np.int32(1)], {"dtype": DataType(9)}, ((3,), np.int64))
    np.testing.assert_array_equal(got, np.argmax(x, 1))
