"""Convolutions take their layout from their tensors' formats where set, else from data_format; ONNX Runtime as oracle."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

import ge
import ge.es.all as es
from ge.error import GeError
from ge.es import GraphBuilder
from ge.graph import DataType, Format, TensorDesc

FIRST = {2: Format.FORMAT_NCHW, 3: Format.FORMAT_NCDHW}
LAST = {2: Format.FORMAT_NHWC, 3: Format.FORMAT_NDHWC}
NAMES = {Format.FORMAT_NCHW: "NCHW", Format.FORMAT_NHWC: "NHWC", Format.FORMAT_NCDHW: "NCDHW", Format.FORMAT_NDHWC: "NDHWC"}


def channels_last(array):
    return np.moveaxis(array, 1, -1)


def oracle(op, x, w, stride):
    node = helper.make_node(op, ["x", "w"], ["y"], strides=[stride] * (x.ndim - 2))
    io = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, None) for n in "xwy"]
    model = helper.make_model(helper.make_graph([node], "g", io[:2], io[2:]), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x, "w": w})[0]


def convolution(op, spatial, b, x, w, data_format, stride):
    weights = b.create_const_float(w.ravel().tolist(), list(w.shape))
    # The entries of strides are in the order of the layout; here they are the same along all spatial axes.
    last = data_format[-1] == "C"
    strides = [1, *[stride] * spatial, 1] if last else [1, 1, *[stride] * spatial]
    options = {"strides": strides, "pads": [0] * (2 * spatial), "data_format": data_format}
    if op == "Conv":
        return (es.Conv2D if spatial == 2 else es.Conv3D)(x, weights, **options)
    size = b.create_vector_int64([0] * (spatial + 2))
    return (es.Conv2DTranspose if spatial == 2 else es.Conv3DTranspose)(size, x, weights, **options)


def values(spatial, op):
    r = np.random.default_rng(0)
    x = r.standard_normal((2, 3, *[5, 6, 7][:spatial])).astype(np.float32)
    w = r.standard_normal(((4, 3) if op == "Conv" else (3, 4)) + (2,) * spatial).astype(np.float32)
    return x, w


# Where no format is set, only the attribute tells how the tensor lies.
CASES = [
    (layout, stated, said)
    for layout in ("first", "last")
    for stated in ("first", "last")
    for said in ("format", "nothing")
    if said == "format" or layout == stated
]


@pytest.mark.parametrize(("layout", "stated", "said"), CASES)
@pytest.mark.parametrize("spatial", [2, 3])
@pytest.mark.parametrize("op", ["Conv", "ConvTranspose"])
def test_the_layout_of_a_convolution(op, spatial, layout, stated, said):
    """`layout` is that of the tensor, `stated` that of the attribute, `said` what tells the former."""
    x, w = values(spatial, op)
    wanted = oracle(op, x, w, 1)
    if layout == "last":
        x, wanted = channels_last(x), channels_last(wanted)
    formats = FIRST if layout == "first" else LAST
    b = GraphBuilder("conv")
    data = b.create_input(0, name="x", shape=list(x.shape), format=formats[spatial] if said == "format" else Format.FORMAT_ND)
    attr = NAMES[(FIRST if stated == "first" else LAST)[spatial]]
    model = ge.load(b.build_and_reset([convolution(op, spatial, b, data, w, attr, 1)]))
    (y,) = model.run({"x": np.ascontiguousarray(x)}).values()
    assert y.shape == wanted.shape
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-4)


def test_strides_are_in_the_order_of_the_formats_layout():
    x, w = values(2, "Conv")
    wanted = oracle("Conv", x, w, 2)
    b = GraphBuilder("strided")
    data = b.create_input(0, name="x", shape=list(x.shape), format=Format.FORMAT_NCHW)
    weights = b.create_const_float(w.ravel().tolist(), list(w.shape))
    y = es.Conv2D(data, weights, strides=[1, 1, 2, 2], pads=[0, 0, 0, 0], data_format="NHWC")
    (got,) = ge.load(b.build_and_reset([y])).run({"x": x}).values()
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("between", ["nothing", "Relu", "scaled"])
@pytest.mark.parametrize("side", [5, 3])  # with as many channels as pixels nothing but the layout tells them apart
def test_a_layout_goes_on_through_a_chain(between, side):
    r = np.random.default_rng(3)
    x = r.standard_normal((1, 3, side, side)).astype(np.float32)
    w = [r.standard_normal((3, 3, 1, 1)).astype(np.float32) for _ in range(2)]
    wanted = oracle("Conv", x, w[0], 1)
    b = GraphBuilder("chain")
    data = b.create_input(0, name="x", shape=list(x.shape), format=Format.FORMAT_NCHW)
    y = convolution("Conv", 2, b, data, w[0], "NHWC", 1)
    if between == "Relu":
        y, wanted = es.Relu(y), np.maximum(wanted, 0)
    elif between == "scaled":
        y, wanted = es.Mul(y, 2.0), wanted * 2
    y = convolution("Conv", 2, b, y, w[1], "NHWC", 1)
    wanted = oracle("Conv", wanted, w[1], 1)
    (got,) = ge.load(b.build_and_reset([y])).run({"x": x}).values()
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("stated", ["NCHW", "NHWC"])
def test_a_layout_goes_on_through_pooling_and_normalisation(stated):
    """Their data_format decides for themselves; a tensor that lies otherwise ends the chain."""
    r = np.random.default_rng(4)
    x = r.standard_normal((2, 4, 4, 4)).astype(np.float32)
    w = r.standard_normal((4, 4, 1, 1)).astype(np.float32)
    scale, offset, mean, variance = (np.arange(1, 5, dtype=np.float32) / k for k in (2, 3, 5, 7))
    b = GraphBuilder("pool")
    data = b.create_input(0, name="x", shape=list(x.shape), format=Format.FORMAT_NCHW)
    steps = [1, 1, 2, 2] if stated == "NCHW" else [1, 2, 2, 1]
    y = es.MaxPool(data, ksize=steps, strides=steps, padding="VALID", data_format=stated)
    parts = [b.create_const_float(v.tolist(), [4]) for v in (scale, offset, mean, variance)]
    y = es.BatchNorm(y, *parts, epsilon=0.0, data_format=stated, is_training=False).y
    y = convolution("Conv", 2, b, y, w, "NHWC", 1)

    images = x if stated == "NCHW" else np.moveaxis(x, 3, 1)
    wanted = images.reshape(2, 4, *[n for e in images.shape[2:] for n in (e // 2, 2)]).max((3, 5))
    channel = (slice(None), None, None)
    wanted = (wanted - mean[channel]) / np.sqrt(variance[channel]) * scale[channel] + offset[channel]
    wanted = oracle("Conv", wanted.astype(np.float32), w, 1)
    if stated == "NHWC":
        wanted = channels_last(wanted)
    (got,) = ge.load(b.build_and_reset([y])).run({"x": x}).values()
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("outer", [Format.FORMAT_ND, Format.FORMAT_NCHW])
def test_a_layout_stated_inside_a_body_holds_there(outer):
    x, w = values(2, "Conv")
    inside = GraphBuilder("body")
    image = inside.create_input(0, name="image", shape=list(x.shape), format=Format.FORMAT_NCHW)
    then = inside.build_and_reset([convolution("Conv", 2, inside, image, w, "NHWC", 1)])
    inside = GraphBuilder("other")
    image = inside.create_input(0, name="image", shape=list(x.shape))
    other = inside.build_and_reset([convolution("Conv", 2, inside, image, -w, "NCHW", 1)])
    b = GraphBuilder("main")
    cond = b.create_input(0, name="cond", data_type=DataType.DT_BOOL, shape=[])
    data = b.create_input(1, name="x", shape=list(x.shape), format=outer)
    (y,) = es.If(cond, [data], 1, then_branch=then, else_branch=other)
    model = ge.load(b.build_and_reset([y]))
    for flag in (True, False):
        (got,) = model.run({"cond": np.array(flag), "x": x}).values()
        np.testing.assert_allclose(got, oracle("Conv", x, w, 1) * (1 if flag else -1), rtol=1e-4, atol=1e-4)


def test_a_format_set_on_the_port_counts():
    x, w = values(2, "Conv")
    b = GraphBuilder("port")
    data = b.create_input(0, name="x", shape=list(x.shape))
    y = convolution("Conv", 2, b, data, w, "NHWC", 1)
    graph = b.build_and_reset([y])
    (node,) = [n for n in graph.get_all_nodes() if n.type == "Conv2D"]
    node.update_input_desc(0, TensorDesc(shape=list(x.shape), data_type=DataType.DT_FLOAT, format=Format.FORMAT_NCHW))
    (got,) = ge.load(graph).run({"x": x}).values()
    np.testing.assert_allclose(got, oracle("Conv", x, w, 1), rtol=1e-4, atol=1e-4)


def test_a_format_that_does_not_fit_names_the_operator():
    b = GraphBuilder("wrong")
    data = b.create_input(0, name="x", shape=[1, 5, 5, 3], format=Format.FORMAT_NCHW)
    w = np.ones((4, 3, 2, 2), np.float32)
    with pytest.raises(GeError, match=r"Conv2D 'Conv2D_\d': x has 5 channels, expected 3"):
        ge.load(b.build_and_reset([convolution("Conv", 2, b, data, w, "NHWC", 1)]))
