"""One node of ONNX Runtime's own domain, run by ONNX Runtime and by this library."""

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import ge

MICROSOFT = "com.microsoft"
TABLES = ("cos", "sin")


def model_of(nodes, feed, outputs, constants=(), open_dims=False, opset=17):
    """A graph whose inputs are the arrays of `feed`; those named in `constants` are initialisers. With `open_dims` of
    each input the last extent alone is known, and tables of angles are. `outputs`: name to element type and rank."""
    inputs = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(x.dtype),
            [*(f"{name}{i}" for i in range(x.ndim - 1)), *x.shape[-1:]] if open_dims and name not in TABLES else x.shape,
        )
        for name, x in feed.items()
        if name not in constants
    ]
    results = [helper.make_tensor_value_info(name, *of) for name, of in outputs.items()]
    graph = helper.make_graph(
        nodes, "g", inputs, results, [numpy_helper.from_array(np.ascontiguousarray(feed[n]), n) for n in constants]
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def inputs_of(model, feed):
    return {i.name: feed[i.name] for i in model.graph.input}


def ours(model, feed, options=None):
    return ge.load(model.SerializeToString(), options or {}).run(inputs_of(model, feed))


def theirs(model, feed):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, inputs_of(model, feed))))


def node(kind, inputs, outputs, domain=MICROSOFT, **attrs):
    """Inputs that are None are absent."""
    names = [name or "" for name in inputs]
    while names and not names[-1]:
        names.pop()
    return helper.make_node(kind, names, outputs, domain=domain, **attrs)


def both(kind, feed, inputs, outputs, domain=MICROSOFT, constants=(), open_dims=False, options=None, **attrs):
    """Results of both, of a model of one node. `outputs`: name to (element type, shape or None)."""
    m = model_of([node(kind, inputs, list(outputs), domain, **attrs)], feed, outputs, constants, open_dims)
    return ours(m, feed, options), theirs(m, feed)


def same(got, want, tolerance=2e-5):
    assert list(got) == list(want)
    for name, b in want.items():
        a = got[name]
        assert a.dtype == b.dtype and a.shape == b.shape, name
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=tolerance, atol=tolerance, err_msg=name)
        else:
            np.testing.assert_array_equal(a, b, err_msg=name)


FLOAT = onnx.TensorProto.FLOAT
F = (FLOAT, None)


def rand(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)
