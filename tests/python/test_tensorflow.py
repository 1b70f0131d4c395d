"""TensorFlow graphs that these tests write, compiled and run; NumPy and ONNX Runtime say what is right."""

import os

import graphdef as tf
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import ge
from ge.error import GeError

rng = np.random.default_rng(5)


def run(graph, feed, **options):
    options = {key.replace("__", "."): value for key, value in options.items()}
    return ge.load(graph.encode(), options=options).run(feed)


def one(op, *inputs, out=0, **attrs):
    """The result of one node whose inputs are fed."""
    g = tf.Graph()
    feed = {}
    names = []
    for i, x in enumerate(inputs):
        if isinstance(x, Fixed):
            names.append(g.const(x.value))
            continue
        x = np.asarray(x)
        feed[f"x{i}"] = x
        names.append(g.input(f"x{i}", x.shape, x.dtype))
    g.add(op, *names, name="y", **attrs)
    key = "y" if out == 0 else f"y:{out}"
    return run(g, feed)[key]


class Fixed:
    """An input that is a constant."""

    def __init__(self, value):
        self.value = np.asarray(value)


def f32(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def close(got, wanted, tolerance=1e-5):
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def onnx_run(nodes, feed, outputs=("y",), initializers=(), opset=17):
    inputs = [helper.make_tensor_value_info(k, TensorProto.FLOAT, v.shape) for k, v in feed.items()]
    made = [helper.make_tensor_value_info(o, TensorProto.FLOAT, None) for o in outputs]
    graph = helper.make_graph(nodes, "g", inputs, made, list(initializers))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(list(outputs), feed)


def first(x):
    """NHWC as NCHW."""
    return np.ascontiguousarray(np.moveaxis(x, -1, 1))


def last(x):
    return np.ascontiguousarray(np.moveaxis(x, 1, -1))


def test_mlp():
    g = tf.Graph()
    x, w1, b1, w2, b2 = f32(5, 8), f32(8, 16), f32(16), f32(4, 16), f32(4)
    h = g.add("Relu", g.add("BiasAdd", g.add("MatMul", g.input("x", (-1, 8)), w1), b1))
    y = g.add("BiasAdd", g.add("MatMul", h, w2, transpose_b=True, transpose_a=False), b2, name="logits")
    g.add("Softmax", y, name="probabilities", T=tf.Type("float32"))
    logits = np.maximum(x @ w1 + b1, 0) @ w2.T + b2
    e = np.exp(logits - logits.max(-1, keepdims=True))
    result = run(g, {"x": x})
    assert list(result) == ["probabilities"]
    close(result["probabilities"], e / e.sum(-1, keepdims=True))
    result = run(g, {"x": x}, ge__outputNodeName="logits:0")
    assert list(result) == ["logits:0"]
    close(result["logits:0"], logits)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("padding", ["SAME", "VALID", "EXPLICIT"])
@pytest.mark.parametrize("size,stride,dilation", [(3, 1, 1), (3, 2, 1), (2, 2, 1), (3, 1, 2), (1, 2, 1), (5, 3, 1)])
def test_conv2d(data_format, padding, size, stride, dilation):
    x, w = f32(2, 11, 14, 6), f32(size, size, 6, 5)
    if padding == "SAME":  # as many windows as strides fit in; the odd zero behind
        totals = [max(((n - 1) // stride) * stride + (size - 1) * dilation + 1 - n, 0) for n in (11, 14)]
        auto = {"pads": [t // 2 for t in totals] + [t - t // 2 for t in totals]}
    else:
        auto = {"pads": [1, 0, 2, 1] if padding == "EXPLICIT" else [0, 0, 0, 0]}
    conv = helper.make_node(
        "Conv", ["x", "w"], ["y"], strides=[stride] * 2, dilations=[dilation] * 2, kernel_shape=[size] * 2, **auto
    )
    (wanted,) = onnx_run([conv], {"x": first(x), "w": np.ascontiguousarray(w.transpose(3, 2, 0, 1))})
    image = data_format == "NHWC"
    order = (lambda s: [1, s, s, 1]) if image else (lambda s: [1, 1, s, s])
    attrs = {"strides": order(stride), "dilations": order(dilation), "padding": padding, "data_format": data_format}
    if padding == "EXPLICIT":
        attrs["explicit_paddings"] = [0, 0, 1, 2, 0, 1, 0, 0] if image else [0, 0, 0, 0, 1, 2, 0, 1]
    fed = x if image else first(x)
    y = one("Conv2D", fed, Fixed(w), **attrs)
    close(y if not image else first(y), wanted, 1e-4)
    close(one("Conv2D", fed, w, **attrs), y, 1e-4)  # the filter is no constant


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise(each, stride):
    x, w = f32(2, 9, 10, 16), f32(3, 3, 16, each)
    conv = helper.make_node("Conv", ["x", "w"], ["y"], strides=[stride] * 2, group=16, auto_pad="SAME_UPPER")
    filter_ = np.ascontiguousarray(w.reshape(3, 3, 1, -1).transpose(3, 2, 0, 1))
    (wanted,) = onnx_run([conv], {"x": first(x), "w": filter_})
    attrs = {"strides": [1, stride, stride, 1], "padding": "SAME"}
    close(first(one("DepthwiseConv2dNative", x, Fixed(w), **attrs)), wanted, 1e-4)
    close(first(one("DepthwiseConv2dNative", x, w, **attrs)), wanted, 1e-4)


@pytest.mark.parametrize("size", [(7, 8), (9, 12), (8, 8)])
def test_same_padding_of_extents_that_only_a_run_tells(size):
    w = f32(3, 3, 4, 8)
    g = tf.Graph()
    g.add("Relu", g.add("Conv2D", g.input("x", (-1, -1, -1, 4)), w, strides=[1, 2, 2, 1], padding="SAME"), name="y")
    x = f32(1, *size, 4)
    conv = helper.make_node("Conv", ["x", "w"], ["c"], strides=[2, 2], auto_pad="SAME_UPPER")
    nodes = [conv, helper.make_node("Relu", ["c"], ["y"])]
    (wanted,) = onnx_run(nodes, {"x": first(x), "w": np.ascontiguousarray(w.transpose(3, 2, 0, 1))})
    model = ge.load(g.encode())
    close(first(model.run({"x": x})["y"]), wanted, 1e-4)
    # With the extents, the plan has what a model of known shapes would have.
    assert [(row["type"], row["engine"]) for row in model.placement()] == [("FusedConv2D", "AIcoreEngine")]


@pytest.mark.parametrize("stride,size,padding", [(2, 4, "SAME"), (2, 3, "SAME"), (2, 3, "VALID"), (1, 3, "SAME")])
def test_conv_transpose(stride, size, padding):
    x, w = f32(2, 5, 6, 3), f32(size, size, 7, 3)  # to 7 channels
    extent = [n * stride + (max(size - stride, 0) if padding == "VALID" else 0) for n in (5, 6)]
    y = one("Conv2DBackpropInput", Fixed(np.array([2, *extent, 7], np.int32)), Fixed(w), x,
            strides=[1, stride, stride, 1], padding=padding)  # fmt: skip
    # By definition: the gradient of the forward convolution with respect to its input.
    total = [max((n - 1) * stride + size - e, 0) for n, e in zip((5, 6), extent, strict=True)]
    wide = np.zeros((2, extent[0] + total[0], extent[1] + total[1], 7))
    for i in range(5):
        for j in range(6):
            part = np.einsum("nc,hwoc->nhwo", x[:, i, j, :], w)
            wide[:, i * stride : i * stride + size, j * stride : j * stride + size] += part
    top, left = (t // 2 for t in total)
    close(y, wide[:, top : top + extent[0], left : left + extent[1]].astype(np.float32), 1e-4)


@pytest.mark.parametrize("op", ["MaxPool", "AvgPool"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("size,stride", [(2, 2), (3, 2), (3, 1)])
def test_pooling(op, padding, size, stride):
    x = f32(2, 9, 12, 5)
    pool = helper.make_node(
        {"MaxPool": "MaxPool", "AvgPool": "AveragePool"}[op], ["x"], ["y"], kernel_shape=[size] * 2,
        strides=[stride] * 2, auto_pad="SAME_UPPER" if padding == "SAME" else "VALID",
    )  # fmt: skip
    (wanted,) = onnx_run([pool], {"x": first(x)})
    y = one(op, x, ksize=[1, size, size, 1], strides=[1, stride, stride, 1], padding=padding)
    close(first(y), wanted)
    y = one(op, first(x), ksize=[1, 1, size, size], strides=[1, 1, stride, stride], padding=padding,
            data_format="NCHW")  # fmt: skip
    close(y, wanted)


@pytest.mark.parametrize("op", ["FusedBatchNorm", "FusedBatchNormV3"])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_batch_norm(op, data_format):
    x, scale, offset, mean, variance = f32(2, 4, 5, 6), f32(6), f32(6), f32(6), f32(6) ** 2 + 0.5
    wanted = (x - mean) / np.sqrt(variance + 1e-3) * scale + offset
    parameters = [Fixed(v) for v in (scale, offset, mean, variance)]
    attrs = {"epsilon": 1e-3, "is_training": False, "data_format": data_format}
    fed, wanted = (x, wanted) if data_format == "NHWC" else (first(x), first(wanted))
    close(one(op, fed, *parameters, **attrs), wanted)
    close(one(op, fed, scale, offset, mean, variance, **attrs), wanted)
    close(one(op, fed, *parameters, out=1, **attrs), mean)


def test_reductions():
    x = f32(3, 4, 5)
    for op, f in {"Mean": np.mean, "Sum": np.sum, "Max": np.max, "Min": np.min, "Prod": np.prod}.items():
        close(one(op, x, Fixed(np.int32([0, -1])), keep_dims=True), f(x, axis=(0, 2), keepdims=True), 1e-4)
        close(one(op, x, Fixed(np.int32(1))), f(x, axis=1), 1e-4)
    b = x > 0
    close(one("All", b, Fixed(np.int32([1]))), b.all(1))
    close(one("Any", b, Fixed(np.int32([0, 1, 2]))), b.any())
    close(one("ArgMax", x, Fixed(np.int32(1))), x.argmax(1))
    close(one("ArgMin", x, Fixed(np.int32(-1)), output_type=tf.Type("int32")), x.argmin(-1).astype(np.int32))


def test_elementwise():
    x, y = f32(3, 4), f32(4)
    p = np.abs(x) + 0.5
    for op, f in {
        "Relu": lambda a: np.maximum(a, 0), "Relu6": lambda a: np.clip(a, 0, 6), "Tanh": np.tanh, "Neg": np.negative,
        "Sigmoid": lambda a: 1 / (1 + np.exp(-a)), "Exp": np.exp, "Square": np.square, "Abs": np.abs, "Floor": np.floor,
        "Ceil": np.ceil, "Sin": np.sin, "Cos": np.cos, "Sign": np.sign, "Softplus": lambda a: np.log1p(np.exp(a)),
        "Elu": lambda a: np.where(a > 0, a, np.expm1(a)), "Rint": np.rint, "Round": np.rint, "Identity": lambda a: a,
        "Softsign": lambda a: a / (1 + np.abs(a)), "ZerosLike": np.zeros_like, "OnesLike": np.ones_like,
        "L2Loss": lambda a: np.float32((a * a).sum() / 2), "Erf": None,
    }.items():  # fmt: skip
        if f is not None:
            close(one(op, x), f(x).astype(np.float32))
    for op, f in {"Sqrt": np.sqrt, "Rsqrt": lambda a: 1 / np.sqrt(a), "Log": np.log, "Reciprocal": np.reciprocal,
                  "Inv": np.reciprocal, "Log1p": np.log1p, "Expm1": np.expm1}.items():  # fmt: skip
        close(one(op, p), f(p).astype(np.float32))
    close(one("LeakyRelu", x, alpha=0.1), np.where(x > 0, x, x * np.float32(0.1)))
    close(one("LeakyRelu", x), np.where(x > 0, x, x * np.float32(0.2)))
    for op, f in {"Add": np.add, "AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply, "RealDiv": np.divide,
                  "Div": np.divide, "Maximum": np.maximum, "Minimum": np.minimum, "FloorDiv": np.floor_divide,
                  "SquaredDifference": lambda a, b: (a - b) ** 2, "FloorMod": np.mod, "Less": np.less,
                  "GreaterEqual": np.greater_equal, "Equal": np.equal, "NotEqual": np.not_equal}.items():  # fmt: skip
        extra = {"incompatible_shape_error": True} if op in ("Equal", "NotEqual") else {}
        close(one(op, x, y, **extra), f(x, y))
    close(one("Pow", p, y), p**y, 1e-4)
    a, b = np.int32([7, -7, 7, -7]), np.int32([2, 2, -2, -2])
    close(one("FloorDiv", a, b), a // b)
    close(one("FloorMod", a, b), a % b)
    close(one("Mod", a, b), np.fmod(a, b))
    close(one("AddN", x, x, x, N=3), 3 * x)
    close(one("LogicalAnd", x > 0, x < 1), (x > 0) & (x < 1))
    close(one("LogicalNot", x > 0), ~(x > 0))
    close(one("Select", np.array([True, False, True]), x, -x), np.where([[True], [False], [True]], x, -x))
    close(one("SelectV2", y > 0, x, Fixed(np.float32(7))), np.where(y > 0, x, np.float32(7)))
    close(one("ClipByValue", x, Fixed(np.float32(-0.5)), Fixed(np.float32(0.25))), np.clip(x, -0.5, 0.25))
    for to in ("int32", "float64", "bool", "float16", "int64"):
        close(one("Cast", x, DstT=tf.Type(to), SrcT=tf.Type("float32"), Truncate=False), x.astype(to), 1e-3)


def test_movement():
    x = f32(2, 3, 4)
    close(one("Reshape", x, Fixed(np.int32([4, -1]))), x.reshape(4, -1))
    close(one("Transpose", x, Fixed(np.int32([2, 0, 1]))), x.transpose(2, 0, 1))
    close(one("ConcatV2", x, x, Fixed(np.int32(1)), N=2), np.concatenate([x, x], 1))
    close(one("Concat", Fixed(np.int32(2)), x, x, N=2), np.concatenate([x, x], 2))
    close(one("Pack", x, x, x, N=3, axis=1), np.stack([x, x, x], 1))
    close(one("Unpack", x, num=3, axis=1, out=2), x[:, 2])
    close(one("Split", Fixed(np.int32(2)), x, num_split=2, out=1), x[:, :, 2:])
    close(one("SplitV", x, Fixed(np.int32([1, 3])), Fixed(np.int32(-1)), num_split=2, out=1), x[:, :, 1:])
    close(one("Slice", x, Fixed(np.int32([0, 1, 1])), Fixed(np.int32([1, -1, 2]))), x[:1, 1:, 1:3])
    close(one("GatherV2", x, np.int32([2, 0]), Fixed(np.int32(1))), x[:, [2, 0]])
    close(one("Gather", x, np.int32([[1, 0]]), validate_indices=True), x[[[1, 0]]])
    close(one("GatherNd", x, np.int32([[1, 2], [0, 0]])), x[[1, 0], [2, 0]])
    close(one("Squeeze", x[:, None], squeeze_dims=[1]), x)
    close(one("Squeeze", x[:1, None]), x[0])
    close(one("ExpandDims", x, Fixed(np.int32(-1))), x[..., None])
    pads = np.int32([[0, 1], [2, 0], [1, 1]])
    close(one("Pad", x, Fixed(pads)), np.pad(x, pads))
    close(one("PadV2", x, Fixed(pads), Fixed(np.float32(3))), np.pad(x, pads, constant_values=3))
    close(one("MirrorPad", x, Fixed(np.int32([[0, 0], [1, 2], [1, 0]])), mode="REFLECT"),
          np.pad(x, [(0, 0), (1, 2), (1, 0)], mode="reflect"))  # fmt: skip
    close(one("Tile", x, Fixed(np.int32([1, 2, 1]))), np.tile(x, (1, 2, 1)))
    close(one("Fill", Fixed(np.int32([2, 3])), np.float32(1.5)), np.full((2, 3), 1.5, np.float32))
    close(one("Range", Fixed(np.int32(1)), Fixed(np.int32(9)), Fixed(np.int32(3))), np.arange(1, 9, 3, np.int32))
    close(one("BroadcastTo", x[0], Fixed(np.int32([2, 3, 4]))), np.broadcast_to(x[0], (2, 3, 4)))
    close(one("ReverseV2", x, Fixed(np.int32([1]))), x[:, ::-1])
    close(one("Roll", x, Fixed(np.int32([1])), Fixed(np.int32([2]))), np.roll(x, 1, 2))
    close(one("Cumsum", x, Fixed(np.int32(1))), np.cumsum(x, 1))
    close(one("Shape", x), np.int32([2, 3, 4]))
    close(one("Shape", x, out_type=tf.Type("int64")), np.int64([2, 3, 4]))
    close(one("ShapeN", x, x[0], N=2, out=1), np.int32([3, 4]))
    close(one("Rank", x), np.int32(3))
    close(one("Size", x), np.int32(24))
    close(one("OneHot", np.int32([1, 3, 0]), Fixed(np.int32(4)), Fixed(np.float32(5)), Fixed(np.float32(-1)), axis=-1),
          np.where(np.eye(4)[[1, 3, 0]] > 0, 5, -1).astype(np.float32))  # fmt: skip
    values = rng.permutation(20).reshape(2, 10).astype(np.float32)
    close(one("TopKV2", values, Fixed(np.int32(3)), sorted=True), -np.sort(-values, 1)[:, :3])
    close(one("TopKV2", values, Fixed(np.int32(3)), out=1), np.argsort(-values, 1)[:, :3].astype(np.int32))
    close(one("IdentityN", x, x[0], out=1, T=[tf.Type("float32")] * 2), x[0])


@pytest.mark.parametrize(
    "spec,masks",
    [
        (([0, 1, 1], [2, 3, 4], [1, 1, 2]), {}),
        (([0, 1, 3], [0, 0, 0], [1, 1, -1]), {"begin_mask": 1, "end_mask": 7}),
        (([1, 0], [2, 2], [1, 1]), {"shrink_axis_mask": 1, "ellipsis_mask": 2}),
        (([0, 0, 1], [0, 0, 2], [1, 1, 1]), {"ellipsis_mask": 1, "new_axis_mask": 2, "shrink_axis_mask": 4}),
    ],
)
def test_strided_slice(spec, masks):
    x = f32(2, 3, 4)
    index = []
    for i, (b, e, s) in enumerate(zip(*spec, strict=True)):
        bit = 1 << i
        if masks.get("ellipsis_mask", 0) & bit:
            index.append(Ellipsis)
        elif masks.get("new_axis_mask", 0) & bit:
            index.append(None)
        elif masks.get("shrink_axis_mask", 0) & bit:
            index.append(b)
        else:
            index.append(slice(None if masks.get("begin_mask", 0) & bit else b,
                               None if masks.get("end_mask", 0) & bit else e, s))  # fmt: skip
    close(one("StridedSlice", x, *(Fixed(np.int32(v)) for v in spec), **masks), x[tuple(index)])


def test_products():
    a, b = f32(2, 3, 4, 5), f32(2, 1, 5, 6)
    close(one("BatchMatMulV2", a, b), a @ b, 1e-4)
    close(one("BatchMatMul", a, a, adj_y=True, adj_x=False), a @ a.swapaxes(-1, -2), 1e-4)
    close(one("Einsum", a[0], b[0, 0], equation="abc,cd->abd", N=2), np.einsum("abc,cd->abd", a[0], b[0, 0]), 1e-4)
    close(one("MatMul", a[0, 0], a[0, 0], transpose_a=True), a[0, 0].T @ a[0, 0], 1e-4)
    close(one("LogSoftmax", a), a - np.log(np.exp(a).sum(-1, keepdims=True)), 1e-4)


def lerp(x, n, axis, source):
    at = np.clip(source(np.arange(n)), 0, x.shape[axis] - 1)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, x.shape[axis] - 1)
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    t = (at - low).reshape(shape)
    return np.take(x, low, axis) * (1 - t) + np.take(x, high, axis) * t


def test_images():
    x = f32(1, 4, 6, 3)
    size = Fixed(np.int32([8, 9]))
    half = {"half_pixel_centers": True, "align_corners": False}
    wanted = lerp(lerp(x, 8, 1, lambda i: (i + 0.5) * 4 / 8 - 0.5), 9, 2, lambda i: (i + 0.5) * 6 / 9 - 0.5)
    close(one("ResizeBilinear", x, size, **half), wanted.astype(np.float32))
    wanted = lerp(lerp(x, 8, 1, lambda i: i * 3 / 7), 9, 2, lambda i: i * 5 / 8)
    close(one("ResizeBilinear", x, size, align_corners=True), wanted.astype(np.float32))
    wanted = lerp(lerp(x, 8, 1, lambda i: i * 4 / 8), 9, 2, lambda i: i * 6 / 9)
    close(one("ResizeBilinear", x, size), wanted.astype(np.float32))
    rows, columns = np.arange(8) * 4 // 8, np.arange(9) * 6 // 9
    close(one("ResizeNearestNeighbor", x, size), x[:, rows][:, :, columns])
    d = x.reshape(1, 2, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(1, 2, 3, 12)
    close(one("SpaceToDepth", x, block_size=2), d)
    close(one("DepthToSpace", d, block_size=2), x)
    square = np.pad(x**2, [(0, 0)] * 3 + [(1, 1)])
    near = square[..., :-2] + square[..., 1:-1] + square[..., 2:]
    y = one("LRN", x, depth_radius=1, bias=2.0, alpha=0.5, beta=0.75)
    close(y, (x / (2 + 0.5 * near) ** 0.75).astype(np.float32))


def test_blocks():
    x = f32(2, 4, 7, 3)
    blocks, pads = Fixed(np.int32([2, 3])), np.int32([[0, 0], [1, 1]])
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 0)])
    wanted = padded.reshape(2, 2, 2, 3, 3, 3).transpose(2, 4, 0, 1, 3, 5).reshape(12, 2, 3, 3)
    y = one("SpaceToBatchND", x, blocks, Fixed(pads))
    close(y, wanted)
    close(one("BatchToSpaceND", y, blocks, Fixed(pads)), x)


def test_constants_in_every_form():
    g = tf.Graph()
    shape = tf.blob(2, tf.Shape(2, 3).encode())
    packed = tf.blob(5, np.float32([1, 2]).tobytes())  # float_val: the last value repeats
    g.nodes.append(tf.node("a", "Const", dtype=tf.Type("float32"), value=tf.Raw(tf.number(1, 1) + shape + packed)))
    single = b"".join(tf.number(7, v) for v in (3, -4))
    g.nodes.append(tf.node("b", "Const", dtype=tf.Type("int32"), value=tf.Raw(tf.number(1, 3) + shape + single)))
    g.nodes.append(tf.node("c", "Const", dtype=tf.Type("float32"), value=tf.Raw(tf.number(1, 1) + shape)))
    half = tf.number(13, 0x3E00)
    g.nodes.append(tf.node("d", "Const", dtype=tf.Type("float16"), value=tf.Raw(tf.number(1, 19) + shape + half)))
    x = g.input("x", ())
    g.add("Mul", "a", x, name="ya")
    g.add("Mul", g.add("Cast", "b", DstT=tf.Type("float32")), x, name="yb")
    g.add("Add", "c", x, name="yc")
    g.add("Mul", g.add("Cast", "d", DstT=tf.Type("float32")), x, name="yd")
    y = run(g, {"x": np.float32(2)})
    close(y["ya"], np.float32([[2, 4, 4], [4, 4, 4]]))
    close(y["yb"], np.float32([[6, -8, -8], [-8, -8, -8]]))
    close(y["yc"], np.full((2, 3), 2, np.float32))
    close(y["yd"], np.full((2, 3), 3, np.float32))


def test_order_defaults_and_controls():
    """Nodes before what they read, a default that stays one, control edges, what no output rests on."""
    g = tf.Graph()
    g.add("Mul", "sum", "factor", "^barrier", name="y")
    g.add("Add", "x:0", "keep", "^check", name="sum")
    g.add("PlaceholderWithDefault", np.float32(0.5), name="keep", dtype=tf.Type("float32"), shape=tf.Shape())
    g.add("NoOp", "^sum", name="barrier")
    g.add("Assert", "x", name="check")
    g.const(np.float32(3), "factor")
    g.input("x", (2,))
    g.input("unused", (2,))
    g.add("SomethingElse", "unused", "^y", name="elsewhere")
    model = ge.load(g.encode(), options={"ge.outputNodeName": "y"})
    assert [p.name for p in model.inputs] == ["x"]
    close(model.run({"x": np.float32([1, 2])})["y"], np.float32([4.5, 7.5]))


def branches():
    g = tf.Graph()
    body = [tf.node("two", "Const", dtype=tf.Type("float32"), value=np.float32(2)),
            tf.node("m", "Mul", ["a", "two:output:0"], T=tf.Placeholder("T"))]  # fmt: skip
    g.functions.append(tf.function("double", {"a": "$T"}, {"r": "$T"}, body, {"r": "m:z:0"}))
    g.functions.append(tf.function("negate", {"a": "$T"}, {"r": "$T"}, [tf.node("n", "Neg", ["a"])], {"r": "n:y:0"}))
    return g


@pytest.mark.parametrize("op", ["If", "StatelessIf"])
def test_branches(op):
    g = branches()
    double, negate = (tf.Func(n, T=tf.Type("float32")) for n in ("double", "negate"))
    types = [tf.Type("float32")]
    y = g.add(op, g.input("c", (), "bool"), g.input("x", (3,)), then_branch=double, else_branch=negate, Tin=types,
              Tout=types, Tcond=tf.Type("bool"), output_shapes=[tf.Shape(3)])  # fmt: skip
    g.add("Identity", y, name="y")
    model = ge.load(g.encode())
    x = f32(3)
    close(model.run({"c": np.bool_(True), "x": x})["y"], 2 * x)
    close(model.run({"c": np.bool_(False), "x": x})["y"], -x)


def test_case():
    g = branches()
    functions = [tf.Func(n, T=tf.Type("float32")) for n in ("negate", "double")]
    y = g.add("StatelessCase", g.input("i", (), "int32"), g.input("x", (3,)), branches=functions)
    g.add("Identity", y, name="y")
    model = ge.load(g.encode())
    x = f32(3)
    close(model.run({"i": np.int32(0), "x": x})["y"], -x)
    close(model.run({"i": np.int32(1), "x": x})["y"], 2 * x)


def test_calls_are_written_out():
    g = branches()
    types = [tf.Type("float32")]
    inner = tf.Func("double", T=tf.Placeholder("T"))
    nested = [tf.node("c", "PartitionedCall", ["a"], f=inner), tf.node("r", "negate", ["c:output:0"], T=tf.Placeholder("T"))]
    g.functions.append(tf.function("both", {"a": "$T"}, {"r": "$T"}, nested, {"r": "r:r:0"}))
    call = g.add("StatefulPartitionedCall", g.input("x", (3,)), f=tf.Func("both", T=tf.Type("float32")), Tin=types,
                 Tout=types, config="", executor_type="")  # fmt: skip
    g.add("Identity", call, name="y")
    model = ge.load(g.encode())
    x = f32(3)
    close(model.run({"x": x})["y"], -2 * x)
    assert not any("Call" in row["type"] for row in model.placement())


@pytest.mark.parametrize("op", ["While", "StatelessWhile"])
def test_loops(op):
    """A sum of squares, and a vector that grows."""
    g = tf.Graph()
    const = lambda name, value: tf.node(name, "Const", dtype=tf.Type(value.dtype), value=value)  # noqa: E731
    arguments = {"i": "int32", "n": "int32", "v": "float32"}
    g.functions.append(tf.function("more", arguments, {"r": "bool"}, [tf.node("l", "Less", ["i", "n"])], {"r": "l:z:0"}))
    body = [
        const("one", np.int32(1)), const("axis", np.int32(0)),
        tf.node("next", "AddV2", ["i", "one:output:0"]),
        tf.node("f", "Cast", ["next:z:0"], DstT=tf.Type("float32")),
        tf.node("square", "Mul", ["f:y:0", "f:y:0"]),
        tf.node("item", "ExpandDims", ["square:z:0", "axis:output:0"]),
        tf.node("longer", "ConcatV2", ["v", "item:output:0", "axis:output:0"], N=2),
    ]  # fmt: skip
    results = {"ri": "next:z:0", "rn": "n", "rv": "longer:output:0"}
    g.functions.append(tf.function("step", arguments, {"ri": "int32", "rn": "int32", "rv": "float32"}, body, results))
    loop = g.add(op, np.int32(0), g.input("n", (), "int32"), np.float32([10]), cond=tf.Func("more"),
                 body=tf.Func("step"), T=[tf.Type("int32"), tf.Type("int32"), tf.Type("float32")],
                 parallel_iterations=10, output_shapes=[tf.Shape(), tf.Shape(), tf.Shape(-1)])  # fmt: skip
    g.add("Identity", f"{loop}:2", name="squares")
    g.add("Sum", f"{loop}:2", np.int32(0), name="sum")
    model = ge.load(g.encode())
    for n in (3, 0, 5):
        y = model.run({"n": np.int32(n)})
        wanted = np.float32([10] + [i * i for i in range(1, n + 1)])
        close(y["squares"], wanted)
        close(y["sum"], wanted.sum(dtype=np.float32))


def mobile_net():
    """Convolutions, depthwise ones, normalisations, residuals: as TensorFlow graph and as ONNX nodes."""
    g = tf.Graph()
    nodes, initializers = [], []
    count = 0

    def value(array):
        nonlocal count
        count += 1
        initializers.append(onnx.numpy_helper.from_array(np.ascontiguousarray(array), f"v{count}"))
        return f"v{count}"

    def both(tf_name, op, inputs, **attrs):
        nodes.append(helper.make_node(op, inputs, [tf_name], **attrs))
        return tf_name

    def normalized(x, channels, relu):
        scale, offset, mean, variance = f32(channels), f32(channels), f32(channels), f32(channels) ** 2 + 1
        y = g.add("FusedBatchNormV3", x, scale, offset, mean, variance, epsilon=1e-3, is_training=False,
                  data_format="NHWC")  # fmt: skip
        both(y, "BatchNormalization", [x, *map(value, (scale, offset, mean, variance))], epsilon=1e-3)
        if not relu:
            return y
        r = g.add("Relu6", y)
        return both(r, "Clip", [y, value(np.float32(0)), value(np.float32(6))])

    def conv(x, a, b, size, stride, relu=True):
        w = f32(size, size, a, b) / np.float32(np.sqrt(size * size * a))
        y = g.add("Conv2D", x, w, strides=[1, stride, stride, 1], padding="SAME", data_format="NHWC")
        both(y, "Conv", [x, value(w.transpose(3, 2, 0, 1))], strides=[stride] * 2, auto_pad="SAME_UPPER")
        return normalized(y, b, relu)

    def depthwise(x, a, stride):
        w = f32(3, 3, a, 1) / 3
        if stride == 2:  # as Keras does it: padding of its own
            p = g.add("Pad", x, np.int32([[0, 0], [0, 1], [0, 1], [0, 0]]))
            y = g.add("DepthwiseConv2dNative", p, w, strides=[1, 2, 2, 1], padding="VALID")
            pads = {"pads": [0, 0, 1, 1]}
        else:
            y = g.add("DepthwiseConv2dNative", x, w, strides=[1, 1, 1, 1], padding="SAME")
            pads = {"auto_pad": "SAME_UPPER"}
        both(y, "Conv", [x, value(w.transpose(2, 3, 0, 1))], strides=[stride] * 2, group=a, **pads)
        return normalized(y, a, True)

    x = conv(g.input("image", (-1, 64, 64, 3)), 3, 16, 3, 2)
    for a, b, stride in [(16, 24, 2), (24, 24, 1), (24, 32, 2), (32, 32, 1)]:
        y = conv(depthwise(conv(x, a, 3 * a, 1, 1), 3 * a, stride), 3 * a, b, 1, 1, relu=False)
        if stride == 1:
            s = g.add("AddV2", x, y)
            y = both(s, "Add", [x, y])
        x = y
    pooled = g.add("MaxPool", x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME")
    both(pooled, "MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
    mean = g.add("Mean", pooled, np.int32([1, 2]), keep_dims=False)
    both(mean, "ReduceMean", [pooled], axes=[2, 3], keepdims=0)
    w, b = f32(32, 10), f32(10)
    product = g.add("MatMul", mean, w)
    both(product, "MatMul", [mean, value(w)])
    biased = g.add("BiasAdd", product, b)
    both(biased, "Add", [product, value(b)])
    g.add("Softmax", biased, name="probabilities")
    both("probabilities", "Softmax", [biased], axis=-1)
    return g, nodes, initializers


@pytest.mark.parametrize("batch", [1, 3])
def test_mobile_net(batch):
    g, nodes, initializers = mobile_net()
    image = f32(batch, 64, 64, 3)
    (wanted,) = onnx_run(nodes, {"image": first(image)}, ("probabilities",), initializers)
    model = ge.load(g.encode(), options={"ge.inputShape": f"image:{batch},64,64,3"})
    close(model.run({"image": image})["probabilities"], wanted, 2e-5)
    rows = model.placement()
    # Everything of weight runs on the fast engines, and nothing but convolutions is left of what could go into them.
    assert {row["engine"] for row in rows if "Conv" in row["type"] or "Pool" in row["type"]} == {"AIcoreEngine"}
    assert not any(row["type"] in ("BatchNorm", "Relu6", "Pad", "BiasAdd") for row in rows)


def test_files(tmp_path):
    g, nodes, initializers = mobile_net()
    path = tmp_path / "net.pb"
    path.write_bytes(g.encode())
    image = f32(2, 64, 64, 3)
    (wanted,) = onnx_run(nodes, {"image": first(image)}, ("probabilities",), initializers)
    close(ge.load(path).run({"image": image})["probabilities"], wanted, 2e-5)
    os.rename(path, tmp_path / "net")  # told by its content
    close(ge.load(tmp_path / "net").run({"image": image})["probabilities"], wanted, 2e-5)


TEXT = r"""
# a comment
node {
  name: "x" op: 'Placeholder'
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr < key: "shape" value: < shape { dim { size: -1 } dim { size: 3 name: "three" } } > >
}
node {
  name: "w"
  op: "Const"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } dim { size: 2 } }
    tensor_content: "\000\000\200?\000\000\000@" "\x00\x00@@\000\000\200@\000\000\240@\000\000\300@" } } }
}
node { name: "b" op: "Const" device: "/cpu:0"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [-1.5e1, 0.5f] } } } }
node { name: "m" op: "MatMul" input: "x" input: "w" attr { key: "transpose_a" value { b: false } } }
node { name: "y" op: "BiasAdd" input: ["m", "b"] experimental_debug_info { original_node_names: "y" } }
versions { producer: 27 }
library { }
"""


def test_text(tmp_path):
    path = tmp_path / "net.pbtxt"
    path.write_text(TEXT)
    x = f32(4, 3)
    wanted = x @ np.float32([[1, 2], [3, 4], [5, 6]]) + np.float32([-15, 0.5])
    close(ge.load(path).run({"x": x})["y"], wanted)
    close(ge.load(TEXT.encode()).run({"x": x})["y"], wanted)
    path.write_text(TEXT.replace('"MatMul"', '"MatMul'))
    with pytest.raises(GeError, match=r"line 18: .*does not end"):
        ge.load(path)


def refused(graph, *words, **options):
    with pytest.raises(GeError) as error:
        run(graph, {}, **options)
    for word in words:
        assert word in str(error.value), str(error.value)


def test_names_of_values_that_are_none():
    for name in ("x:", "x:0:0", "x:foo", "x::0", "x:99999999999999999999", "x:9223372036854775807", ":0", "x:-1"):
        g = tf.Graph()
        g.input("x", (2, 3))
        g.add("Relu", name, name="reader")
        refused(g, "reader", f"'{name}' is not the name of a value")


def test_problems():
    g = tf.Graph()
    x = g.input("x", (2, 3))
    g.add("Convv2D", x, name="typing_error")
    g.add("Conv2D", x, f32(3, 3, 1, 1), strides=[1, 1, 1, 1], padding="SAME", name="bad_rank")
    g.add("Transpose", "nowhere", np.int32([0]), name="lost")
    refused(g, "lost", "input 'nowhere' is not in the graph")
    g.nodes.pop()
    refused(g, "2 problems in the TensorFlow graph", "typing_error", "unknown operator 'Convv2D'", "nearest: Conv2D",
            "bad_rank", "the input has rank 2, expected 4")  # fmt: skip
    g = tf.Graph()
    g.add("Merge", g.add("Switch", g.input("x", ()), g.input("p", (), "bool"), name="s"), "s:1", name="m")
    refused(g, "Switch", "Merge", "control flow of TensorFlow 1")
    g = tf.Graph()
    g.add("ReadVariableOp", g.add("VarHandleOp", name="v"), name="r")
    refused(g, "freeze it")
    g = tf.Graph()
    g.add("Relu", "b", name="a")
    g.add("Relu", "a", name="b")
    g.add("Relu", "b", name="c")
    refused(g, "form a cycle", "'a'")
    g = tf.Graph()
    g.add("Relu", g.input("x", (1,)), name="y", speed=3)
    refused(g, "attribute 'speed' is not understood")
    refused(g, "no node 'yy'", "nearest: 'y'", ge__outputNodeName="yy:0")
    g.add("Relu", "x", name="fine")
    refused(g, "has 1 outputs", ge__outputNodeName="fine:1")
    g.nodes.pop()
    g.add("Split", np.int32(0), g.input("z", (4,)), num_split=2, name="s")
    g.add("Relu", "s:2", name="t")
    refused(g, "input 's:2'", "has 2 outputs")
    g = tf.Graph()
    g.functions.append(tf.function("f", {"a": "float32"}, {"r": "float32"}, [tf.node("n", "f", ["a"])], {"r": "n:r:0"}))
    g.add("f", g.input("x", (1,)), name="y")
    refused(g, "function 'f' calls itself")
    g.functions = [tf.function("f", {"a": "float32"}, {"r": "float32"}, [tf.node("n", "Nope", ["a"])], {"r": "n:r:0"})]
    refused(g, "1 problem in", "y/n", "unknown operator 'Nope'")
