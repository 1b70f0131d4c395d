"""Independent answers: NumPy, ONNX's reference evaluator, and tolerances per data type."""

import math

import ml_dtypes
import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

bfloat16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.float32, np.float64, np.float16, bfloat16]
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
TOLERANCE = {"float32": 2e-6, "float64": 1e-12, "float16": 2e-3, "bfloat16": 1.6e-2}

erf = np.vectorize(math.erf, otypes=[np.float64])
erfc = np.vectorize(math.erfc, otypes=[np.float64])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


def close(actual, expected, dtype=None, scale=1.0):
    """Equal for integers, else within `scale` times the rounding of the data type."""
    expected = np.asarray(expected)
    assert actual.shape == expected.shape, f"shape {actual.shape}, expected {expected.shape}"
    dtype = np.dtype(dtype or actual.dtype)
    if dtype.name not in TOLERANCE:
        np.testing.assert_array_equal(actual, expected)
        return
    tolerance = TOLERANCE[dtype.name] * scale
    np.testing.assert_allclose(actual.astype(np.float64), expected.astype(np.float64), rtol=tolerance, atol=tolerance)


def draw(shape, dtype=np.float32, low=-2.0, high=2.0, seed=0):
    rng = np.random.default_rng(seed + 17 * len(shape) + int(np.prod(shape, dtype=np.int64)))
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        low, high = (0 if dtype.kind == "u" else int(low)), int(high) + 1
        return rng.integers(low, high, shape).astype(dtype)
    return np.asarray(rng.uniform(low, high, shape)).astype(dtype)


def onnx_reference(type, inputs, outputs=1, opset=18, **attrs):
    """Runs one ONNX operator in the reference evaluator; None is an absent input."""
    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    values = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in zip(names, inputs) if n
    ]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(type, names, results, **attrs)
    graph = helper.make_graph([node], "g", values, [onnx.ValueInfoProto(name=r) for r in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    feeds = {n: x for n, x in zip(names, inputs) if n}
    got = ReferenceEvaluator(model).run(None, feeds)
    return got[0] if outputs == 1 else got


def onnx_runtime(type, inputs, outputs=1, opset=18, **attrs):
    """The same in ONNX Runtime, where the reference evaluator is incomplete."""
    import onnxruntime

    names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
    values = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in zip(names, inputs) if n
    ]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(type, names, results, **attrs)
    graph = helper.make_graph([node], "g", values, [onnx.ValueInfoProto(name=r) for r in results])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    got = session.run(None, {n: x for n, x in zip(names, inputs) if n})
    return got[0] if outputs == 1 else got
