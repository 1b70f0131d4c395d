"""ONNX Runtime as the oracle."""

import numpy as np
import onnx
import onnx.reference
import onnxruntime

SAMPLES = 4
_FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16)
# Operators that move, choose or compare values and round none.
EXACT = set(
    "Abs ArgMax ArgMin Cast Ceil Clip Compress Concat Constant ConstantOfShape DepthToSpace DequantizeLinear"
    " DynamicQuantizeLinear Equal Expand Flatten Floor Gather GatherElements GatherND GlobalMaxPool Greater GreaterOrEqual"
    " Hardmax Identity If IsInf IsNaN Less LessOrEqual Loop Max MaxPool Min Neg NonZero OneHot Pad QuantizeLinear Range"
    " ReduceMax ReduceMin Relu Reshape ReverseSequence Round Scan ScatterElements ScatterND Shape Sign Size Slice SpaceToDepth"
    " Split Squeeze Tile TopK Transpose Trilu Unsqueeze Where".split()
)

# Operators whose formulas pass through values of magnitude 1 on the way to small results.
COMPOSITE = set(
    "Acosh Asinh Atan Atanh BatchNormalization Celu Cos DFT Elu Erf GRU Gelu GroupNormalization InstanceNormalization"
    " LSTM LayerNormalization Log LogSoftmax MeanVarianceNormalization Mish RNN ReduceLogSum ReduceLogSumExp STFT Selu Sigmoid"
    " Sin SoftmaxCrossEntropyLoss Softplus Swish Tan Tanh".split()
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


def second(model, feed):
    """What the standard's own evaluator says, for values that the first oracle computes badly: {} where it fails."""
    try:
        with np.errstate(all="ignore"):
            evaluator = onnx.reference.ReferenceEvaluator(model)
            return dict(zip((o.name for o in model.graph.output), evaluator.run(None, feed)))
    except Exception:
        return {}


def spread(model, feed, step):
    """How far each output moves, element by element, when what every node reads moves by up to `step` of itself, unless the
    node only moves or chooses values, and what a composite one gives by up to `step`: the error that any correct implementation
    may have. {} where the oracle fails."""
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
    floats = {}
    _find_floats(made.graph, floats)
    noise = _Noise(made.opset_import[0].version, seed)
    _nudge(made.graph, floats, noise)
    for kind in sorted(set(floats.values())):
        factors = 1 + step * noise.generator.uniform(-1, 1, noise.LENGTH)
        tensor = onnx.helper.make_tensor(f"/noise{kind}", kind, [noise.LENGTH], factors)
        made.graph.initializer.append(tensor)
        made.graph.initializer.append(onnx.helper.make_tensor(f"/unit{kind}", kind, [], [1.0]))
    for name, number in noise.numbers.items():
        made.graph.initializer.append(onnx.helper.make_tensor(name, onnx.TensorProto.INT64, [1], [number]))
    return made


class _Noise:
    """Nodes that multiply a value, whatever its shape, with a piece of a long list of factors. (ONNX Runtime's operators that
    draw numbers end at opset 21.)"""

    LENGTH = 1 << 18
    LARGEST = 1 << 17

    def __init__(self, opset, seed):
        self.generator = np.random.default_rng(seed)
        self.reshape = {"allowzero": 1} if opset >= 14 else {}
        self.numbers = {"/one": -1}
        self.count = 0

    def nodes(self, name, kind):
        """(name of the value with noise, the nodes that make it)"""
        self.count += 1
        out = f"{name}/{self.count}"
        self.numbers[out + "/from"] = int(self.generator.integers(0, self.LENGTH - self.LARGEST))
        node = onnx.helper.make_node
        return out, [
            node("Shape", [name], [out + "/shape"]),
            node("Size", [name], [out + "/size"]),
            node("Reshape", [out + "/size", "/one"], [out + "/count"]),
            node("Add", [out + "/from", out + "/count"], [out + "/to"]),
            node("Slice", [f"/noise{kind}", out + "/from", out + "/to"], [out + "/flat"]),
            node("Reshape", [out + "/flat", out + "/shape"], [out + "/factor"], **self.reshape),
            node("Mul", [name, out + "/factor"], [out]),
        ]

    def added(self, name, kind):
        """The same for noise that is added to a value of another name."""
        out, made = self.nodes(name, kind)
        made[-1] = onnx.helper.make_node("Sub", [out + "/factor", f"/unit{kind}"], [out + "/term"])
        return [*made, onnx.helper.make_node("Add", [name, out + "/term"], [name.removesuffix("/exact")])]


def _find_floats(graph, found):
    """The types of values that are floating-point, here and in bodies."""
    for tensor in graph.initializer:
        if tensor.data_type in _FLOATS:
            found[tensor.name] = tensor.data_type
    for info in (*graph.input, *graph.output, *graph.value_info):
        if info.type.tensor_type.elem_type in _FLOATS:
            found[info.name] = info.type.tensor_type.elem_type
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _find_floats(attribute.g, found)


def _nudge(graph, floats, noise):
    nodes = []
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                _nudge(attribute.g, floats, noise)
        for k, name in enumerate(node.input):
            if name not in floats or node.op_type in EXACT or (node.op_type in ("Resize", "Pow") and k > 0):
                continue
            node.input[k], made = noise.nodes(name, floats[name])
            nodes += made
        nodes.append(node)
        for k, name in enumerate(node.output):
            if node.op_type in COMPOSITE and name in floats:
                node.output[k] = name + "/exact"
                nodes += noise.added(name + "/exact", floats[name])
    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
    del graph.node[:]
    graph.node.extend(nodes)
