"""ONNX models that lie, cut too much, or count from where nothing is."""

import re

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge
from ge.error import GeError

MAX = 2**63 - 1


def refused(text):
    return pytest.raises(GeError, match=re.escape(text))


def model(op, inputs, constants=None, sparse=(), opset=18, **attrs):
    """One node `op`; inputs: name -> (type, shape), constants: name -> array, in the order of the node's inputs."""
    constants = constants or {}
    names = [*inputs, *constants]
    node = helper.make_node(op, names, ["y"], **attrs)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info(n, t, s) for n, (t, s) in inputs.items()],
        [helper.make_tensor_value_info("y", inputs[names[0]][0] if inputs else TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )
    graph.sparse_initializer.extend(sparse)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9).SerializeToString()


X = np.arange(6, dtype=np.float32).reshape(2, 3) + 1
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def run(data, **feed):
    return ge.load(data).run(feed)["y"]


@pytest.mark.parametrize("k", [MAX, MAX - 1, 2**31, 3, -(2**31), -MAX, -MAX - 1])
@pytest.mark.parametrize("upper", [0, 1])
def test_trilu_beyond_the_matrix(k, upper):
    want = (np.triu if upper else np.tril)(X, int(np.clip(k, -10, 10)))
    np.testing.assert_array_equal(run(model("Trilu", {"x": (FLOAT, [2, 3])}, {"k": np.int64(k)}, upper=upper), x=X), want)
    fed = model("Trilu", {"x": (FLOAT, [2, 3]), "k": (INT64, [])}, upper=upper)
    np.testing.assert_array_equal(run(fed, x=X, k=np.int64(k)), want)


@pytest.mark.parametrize("pads", [[-5, 3, 5, -3], [3, 0, -2, 0], [-1, 0, 2, -1], [5, 0, -4, 0], [-1, -1, -1, -1]])
@pytest.mark.parametrize("shape", [[2, 3], ["a", "b"]])
def test_pads_that_cut(pads, shape):
    onnxruntime = pytest.importorskip("onnxruntime")
    data = model("Pad", {"x": (FLOAT, shape)}, {"pads": np.int64(pads)})
    want = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, {"x": X})[0]
    np.testing.assert_array_equal(run(data, x=X), want)
    fed = model("Pad", {"x": (FLOAT, shape), "pads": (INT64, [4])})
    np.testing.assert_array_equal(run(fed, x=X, pads=np.int64(pads)), want)


def test_other_modes_cannot_cut_more_than_there_is():
    data = model("Pad", {"x": (FLOAT, [2, 3])}, {"pads": np.int64([-5, 0, 5, 0])}, mode="edge")
    with refused("pads cut 5 off dimension 0 of extent 2"):
        ge.load(data)


def test_max_unpool_counts_from_the_front():
    x, at = np.ones((1, 1, 1, 2), np.float32), np.int64([[[[-3, 1]]]])
    attrs = {"kernel_shape": [1, 2], "strides": [1, 2]}
    with refused("an index is -3, at least 0 is needed"):
        ge.load(model("MaxUnpool", {"x": (FLOAT, x.shape)}, {"at": at}, **attrs))
    fed = model("MaxUnpool", {"x": (FLOAT, x.shape), "at": (INT64, at.shape)}, **attrs)
    with refused("at position 0 is out of range, expected -4 to 3"):
        run(fed, x=x, at=at)
    with refused("output_shape 3 is 3, at least 4 is needed"):
        ge.load(model("MaxUnpool", {"x": (FLOAT, x.shape)}, {"at": abs(at), "s": np.int64([1, 1, 1, 3])}, **attrs))


@pytest.mark.parametrize("step, length, what", [(-1, 4, "frame_step"), (0, 4, "frame_step"), (2, -4, "frame_length")])
def test_frames_have_an_extent(step, length, what):
    x = np.ones((1, 8, 1), np.float32)
    # No window: the third input stays empty.
    node = helper.make_node("STFT", ["x", "step", "", "length"], ["y"])
    for known in (True, False):
        inputs = [helper.make_tensor_value_info("x", FLOAT, x.shape)]
        values = {"step": np.int64(step), "length": np.int64(length)}
        if not known:
            inputs += [helper.make_tensor_value_info(n, INT64, []) for n in values]
        graph = helper.make_graph(
            [node], "g", inputs, [helper.make_tensor_value_info("y", FLOAT, None)],
            [numpy_helper.from_array(np.asarray(v), n) for n, v in values.items()] if known else [],
        )  # fmt: skip
        data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()
        with refused(what if known else "is outside"):
            ge.load(data).run({"x": x} if known else {"x": x, **values})


@pytest.mark.parametrize(
    "pads, ok", [([2, 0, 0, 0], False), ([0, 0, 0, 5], False), ([-1, 0, 0, 0], False), ([1, 1, 1, 1], True)]
)
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
def test_pads_of_pools_stay_below_the_kernel(op, pads, ok):
    data = model(op, {"x": (FLOAT, [1, 1, 4, 4])}, kernel_shape=[2, 2], pads=pads)
    if ok:
        assert run(data, x=np.ones((1, 1, 4, 4), np.float32)).shape == (1, 1, 5, 5)
    else:
        with refused("for a kernel of 2"):
            ge.load(data)


@pytest.mark.parametrize(
    "indices, message",
    [([0, 2], None), ([2, 0], "index 1 lies before the one before it"), ([2, 2], "index 1 is the same as the one before it")],
)
@pytest.mark.parametrize("linear", [True, False])
def test_sparse_indices_ascend(indices, message, linear):
    places = np.int64(indices) if linear else np.stack([np.zeros(2, np.int64), np.int64(indices)], 1)
    values = numpy_helper.from_array(np.float32([5, 6]), "w")
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(places, "i"), [1, 3])
    node = helper.make_node("Add", ["x", "w"], ["y"])
    info = [helper.make_tensor_value_info(n, FLOAT, [1, 3]) for n in "xy"]
    graph = helper.make_graph([node], "g", info[:1], info[1:], sparse_initializer=[sparse])
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    if message is None:
        np.testing.assert_array_equal(run(data, x=np.zeros((1, 3), np.float32)), [[5, 0, 6]])
    else:
        with refused(message):
            ge.load(data)


@pytest.mark.parametrize("value", [-1, 2, MAX, -MAX - 1])
def test_switches_are_0_or_1(value):
    with refused(f"attribute 'keepdims' is {value}, expected 0 or 1"):
        ge.load(model("ReduceSum", {"x": (FLOAT, [2, 3])}, keepdims=value))
