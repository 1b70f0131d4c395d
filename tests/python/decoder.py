"""A small decoder with caches, as an ONNX model and in NumPy."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

VOCABULARY, HEADS, WIDTH = 61, 3, 16


class Decoder:
    """Layers of attention (causal by its caches, or by a mask) and of a feed-forward net."""

    def __init__(self, layers=2, masked=False, seed=0):
        self.layers, self.masked = layers, masked
        rng = np.random.default_rng(seed)
        d = HEADS * WIDTH
        self.size = d
        self.weights = {"table": rng.standard_normal((VOCABULARY, d)).astype(np.float32)}
        for i in range(layers):
            for name, shape in {
                "q": (d, d),
                "k": (d, d),
                "v": (d, d),
                "o": (d, d),
                "up": (d, 2 * d),
                "down": (2 * d, d),
            }.items():
                self.weights[f"{name}{i}"] = (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        self.pairs = {f"past_{c}{i}": f"present_{c}{i}" for i in range(layers) for c in "kv"}

    def model(self):
        nodes, make = [], helper.make_node
        constants = dict(
            self.weights, heads=np.array([0, 0, HEADS, WIDTH], np.int64), joined=np.array([0, 0, self.size], np.int64),
            scale=np.float32(WIDTH**-0.5), table_t=self.weights["table"].T.copy()
        )  # fmt: skip

        def op(kind, inputs, out, **attributes):
            nodes.append(make(kind, inputs, [out], **attributes))
            return out

        x = op("Gather", ["table", "ids"], "x")
        for i in range(self.layers):
            heads = {}
            for c in "qkv":
                y = op("Reshape", [op("MatMul", [x, f"{c}{i}"], f"{c}_{i}"), "heads"], f"{c}_split{i}")
                heads[c] = op("Transpose", [y], f"{c}_heads{i}", perm=[0, 2, 1, 3])
            for c in "kv":
                heads[c] = op("Concat", [f"past_{c}{i}", heads[c]], f"present_{c}{i}", axis=2)
            turned = op("Transpose", [heads["k"]], f"turned{i}", perm=[0, 1, 3, 2])
            s = op("Mul", [op("MatMul", [heads["q"], turned], f"scores{i}"), "scale"], f"scaled{i}")
            if self.masked:
                s = op("Add", [s, "mask"], f"masked{i}")
            a = op("MatMul", [op("Softmax", [s], f"soft{i}", axis=-1), heads["v"]], f"mixed{i}")
            a = op("Reshape", [op("Transpose", [a], f"back{i}", perm=[0, 2, 1, 3]), "joined"], f"a{i}")
            x = op("Add", [x, op("MatMul", [a, f"o{i}"], f"ao{i}")], f"x_a{i}")
            up = op("Relu", [op("MatMul", [x, f"up{i}"], f"up_{i}")], f"act{i}")
            x = op("Add", [x, op("MatMul", [up, f"down{i}"], f"down_{i}")], f"x_f{i}")
        op("MatMul", [x, "table_t"], "logits")
        value = helper.make_tensor_value_info
        inputs = [value("ids", TensorProto.INT64, ["batch", "step"])]
        if self.masked:
            inputs.append(value("mask", TensorProto.FLOAT, [1, 1, "step", "total"]))
        outputs = [value("logits", TensorProto.FLOAT, ["batch", "step", VOCABULARY])]
        for past, present in self.pairs.items():
            inputs.append(value(past, TensorProto.FLOAT, ["batch", HEADS, "past", WIDTH]))
            outputs.append(value(present, TensorProto.FLOAT, ["batch", HEADS, "total", WIDTH]))
        tensors = [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()]
        graph = helper.make_graph(nodes, "decoder", inputs, outputs, tensors)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def at_once(self, ids):
        """Logits of all positions of [batch, length], and the caches, in double precision."""
        w = {n: v.astype(np.float64) for n, v in self.weights.items()}
        batch, length = ids.shape
        x, caches = w["table"][ids], {}
        unseen = np.triu(np.full((length, length), -np.inf), 1)
        for i in range(self.layers):
            q, k, v = ((x @ w[f"{c}{i}"]).reshape(batch, length, HEADS, WIDTH).transpose(0, 2, 1, 3) for c in "qkv")
            caches[f"past_k{i}"], caches[f"past_v{i}"] = k, v
            s = q @ k.transpose(0, 1, 3, 2) * WIDTH**-0.5 + unseen
            p = np.exp(s - s.max(-1, keepdims=True))
            a = (p / p.sum(-1, keepdims=True)) @ v
            x = x + a.transpose(0, 2, 1, 3).reshape(batch, length, self.size) @ w[f"o{i}"]
            x = x + np.maximum(x @ w[f"up{i}"], 0) @ w[f"down{i}"]
        return x @ w["table"].T, caches


def mask(step, past):
    """Position i of a step sees the past and those of the step up to its own."""
    shown = np.zeros((step, past), np.float32)
    return np.concatenate([shown, np.triu(np.full((step, step), -np.inf, np.float32), 1)], 1)[None, None]


def checked(model):
    onnx.checker.check_model(model)
    return model
