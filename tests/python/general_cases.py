"""Models whose sizes are open, for tests of plans that serve many of them."""

import os

import numpy as np
from net_cases import reference
from onnx import TensorProto, helper, numpy_helper

import ge

SCALAR = os.environ.get("GE_MAX_ISA") == "scalar"


def right(model, feed):
    return list(reference(model, feed).values())


def load(model, tmp_path, **options):
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return ge.load(str(path), options=options)


def classes(model):
    return model.report()["size_classes"]


def one_plan(model, tmp_path, feeds, tolerance=1e-4, **options):
    """The model after all feeds: one plan gave the results of ONNX Runtime."""
    general = load(model, tmp_path, **options)
    for feed in feeds:
        for want, got in zip(right(model, feed), general.run(feed).values(), strict=True):
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    if not SCALAR:  # the plain engine has a kernel for each size
        assert (classes(general)[0]["plans"], classes(general)[0]["one_size"]) == (1, "")
    return general


def images(random, channels, sizes):
    """Feeds of one input: images of (number, height, width)."""
    return [{"x": random.standard_normal((n, channels, h, w)).astype(np.float32)} for n, h, w in sizes]


def several(nodes, inputs, outputs, constants, weights=None):
    """A model of (operator, inputs, output, attributes) whose outputs' shapes are unsaid; constants are int64."""
    made = [helper.make_node(op, i, [o], **attrs) for op, i, o, attrs in nodes]
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in inputs.items()]
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
    tensors = [numpy_helper.from_array(np.array(v, np.int64), n) for n, v in constants.items()]
    tensors += [numpy_helper.from_array(w, n) for n, w in (weights or {}).items()]
    model = helper.make_model(
        helper.make_graph(made, "g", values, results, tensors), opset_imports=[helper.make_opsetid("", 17)]
    )
    model.ir_version = 8
    return model
