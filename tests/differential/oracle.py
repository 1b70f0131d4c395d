"""ONNX Runtime as the oracle."""

import itertools

import numpy as np
import onnx
import onnxruntime

SAMPLES = 3
_FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16)
# Operators that move, choose or compare values and round none.
EXACT = set(
    "Abs ArgMax ArgMin Cast Ceil Clip Compress Concat Constant ConstantOfShape DepthToSpace DequantizeLinear"
    " DynamicQuantizeLinear Equal Expand Flatten Floor Gather GatherElements GatherND GlobalMaxPool Greater GreaterOrEqual"
    " Hardmax Identity If IsInf IsNaN Less LessOrEqual Loop Max MaxPool Min Neg NonZero OneHot Pad QuantizeLinear Range"
    " ReduceMax ReduceMin Relu Reshape ReverseSequence Round Scan ScatterElements ScatterND Shape Sign Size Slice SpaceToDepth"
    " Split Squeeze Tile TopK Transpose Trilu Unsqueeze Where".split()
)


class Refused(Exception):
    """The oracle does not take a model, or fails in its first run."""


def session(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # Its own optimisations would hide behind the same mistakes as ours, and have mistakes of their own.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as e:
        raise Refused(reason(e)) from None


def reason(error):
    return f"{type(error).__name__}: {str(error).splitlines()[0][:300] if str(error) else ''}"


def run(model, feeds):
    """[name -> array, or None where the oracle cannot run those shapes] for each run; Refused where it takes none."""
    made = session(model)
    names = [o.name for o in made.get_outputs()]
    results, failure = [], "no runs"
    with np.errstate(all="ignore"):
        for feed in feeds:
            try:
                results.append(dict(zip(names, made.run(None, feed))))
            except Exception as e:
                results.append(None)
                failure = reason(e)
    if all(r is None for r in results):
        raise Refused(failure)
    return results


def spread(model, feed, step):
    """How far each output moves, element by element, when what every node reads moves by up to `step` of itself, unless the
    node only moves or chooses values: the error that any correct implementation may have. {} where the oracle fails."""
    try:
        rest = run(model, [feed])[0]
        moved = {name: np.zeros(np.shape(value)) for name, value in rest.items()}
        for k in range(SAMPLES):
            other = run(_nudged(model, step, k), [feed])[0]
            for name in moved:
                if np.shape(other[name]) != moved[name].shape:
                    return {}
                with np.errstate(all="ignore"):
                    far = np.abs(np.float64(other[name]) - np.float64(rest[name]))
                moved[name] = np.maximum(moved[name], np.where(np.isnan(far), np.inf, far))
        return moved
    except Refused:
        return {}


def _nudged(model, step, seed):
    """The model with noise on what nodes read, in bodies as well."""
    made = onnx.ModelProto()
    made.CopyFrom(onnx.shape_inference.infer_shapes(model))
    floats = set()
    _find_floats(made.graph, floats)
    counter = itertools.count()
    _nudge(made.graph, floats, {"low": 1 - step, "high": 1 + step}, float(seed), counter)
    return made


def _find_floats(graph, found):
    """Names of values of floating-point types, here and in bodies."""
    for tensor in graph.initializer:
        if tensor.data_type in _FLOATS:
            found.add(tensor.name)
    for info in (*graph.input, *graph.output, *graph.value_info):
        if info.type.tensor_type.elem_type in _FLOATS:
            found.add(info.name)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _find_floats(attribute.g, found)


def _nudge(graph, floats, ends, seed, counter):
    nodes = []
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _nudge(attribute.g, floats, ends, seed, counter)
        for k, name in enumerate(node.input):
            if name not in floats or node.op_type in EXACT or (node.op_type in ("Resize", "Pow") and k > 0):
                continue
            stem = f"{name}/{next(counter)}"
            nodes.append(
                onnx.helper.make_node("RandomUniformLike", [name], [stem + "/factor"], seed=seed + next(counter), **ends)
            )
            nodes.append(onnx.helper.make_node("Mul", [name, stem + "/factor"], [stem]))
            node.input[k] = stem
        nodes.append(node)
    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
    del graph.node[:]
    graph.node.extend(nodes)
