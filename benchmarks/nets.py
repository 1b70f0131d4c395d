"""ONNX models of well-known architectures with seeded random weights, in two sizes.

`build(name, small=False)` returns (model, feed): small nets run in milliseconds and are what the tests compare with ONNX
Runtime; full ones are what the benchmarks measure. Weights are scaled so that activations stay in range; predictions mean
nothing.

    python nets.py OUT_DIR [NAME …]      write full models
"""

import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F, I64 = TensorProto.FLOAT, TensorProto.INT64


class Writer:
    """Collects nodes and constants; each method returns the name of its result."""

    def __init__(self, name, seed):
        self.name, self.rng = name, np.random.default_rng(seed)
        self.nodes, self.constants, self.inputs, self.outputs, self.n = [], [], [], [], 0

    def add(self, op, *inputs, outs=1, **attrs):
        self.n += 1
        names = [f"{op.lower()}{self.n}_{i}" for i in range(outs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"{op}{self.n}", **attrs))
        return names if outs > 1 else names[0]

    def const(self, value, dtype=np.float32):
        self.n += 1
        name = f"const{self.n}"
        self.constants.append(numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def normal(self, *shape, scale=1.0):
        return self.const(self.rng.standard_normal(shape) * scale)

    def input(self, name, shape, elem=F):
        self.inputs.append(helper.make_tensor_value_info(name, elem, shape))
        return name

    def output(self, value, name, shape):
        self.nodes.append(helper.make_node("Identity", [value], [name], name=f"out_{name}"))
        self.outputs.append(helper.make_tensor_value_info(name, F, shape))

    def finish(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        return model

    # convolutional parts
    def conv(self, x, cin, cout, k=1, stride=1, group=1, bias=False):
        fan = cin // group * k * k
        w = self.normal(cout, cin // group, k, k, scale=(2 / fan) ** 0.5)
        more = [self.normal(cout, scale=0.1)] if bias else []
        return self.add("Conv", x, w, *more, kernel_shape=[k, k], strides=[stride] * 2, pads=[k // 2] * 4, group=group)

    def norm(self, x, c):
        r = self.rng
        parts = (r.uniform(0.9, 1.1, c), r.normal(0, 0.05, c), r.normal(0, 0.05, c), r.uniform(0.9, 1.1, c))
        return self.add("BatchNormalization", x, *(self.const(p) for p in parts))

    def act(self, x, kind):
        if kind == "relu":
            return self.add("Relu", x)
        if kind == "relu6":
            return self.add("Clip", x, self.const(0), self.const(6))
        return self.add("Mul", x, self.add("Sigmoid", x))  # silu

    def block(self, x, cin, cout, k=1, stride=1, group=1, kind="relu"):
        y = self.norm(self.conv(x, cin, cout, k, stride, group), cout)
        return self.act(y, kind) if kind else y

    def head(self, x, c, classes):
        x = self.add("Flatten", self.add("GlobalAveragePool", x))
        return self.add("Gemm", x, self.normal(classes, c, scale=c**-0.5), self.normal(classes, scale=0.1), transB=1)

    # transformer parts
    def linear(self, x, cin, cout, gain=1.0):
        y = self.add("MatMul", x, self.normal(cin, cout, scale=gain * cin**-0.5))
        return self.add("Add", y, self.normal(cout, scale=0.02))

    def layer_norm(self, x, d):
        return self.add("LayerNormalization", x, self.const(self.rng.uniform(0.9, 1.1, d)), self.normal(d, scale=0.02), axis=-1)

    def gelu(self, x, tanh=False):
        if tanh:
            cube = self.add("Mul", self.add("Pow", x, self.const(3)), self.const(0.044715))
            t = self.add("Tanh", self.add("Mul", self.add("Add", x, cube), self.const((2 / np.pi) ** 0.5)))
            return self.add("Mul", self.add("Mul", x, self.const(0.5)), self.add("Add", t, self.const(1)))
        e = self.add("Erf", self.add("Div", x, self.const(2**0.5)))
        return self.add("Mul", self.add("Mul", x, self.add("Add", e, self.const(1))), self.const(0.5))

    def attention(self, x, d, heads, mask=None, past=None):
        def split(v):
            v = self.add("Reshape", v, self.const([0, -1, heads, d // heads], np.int64))
            return self.add("Transpose", v, perm=[0, 2, 1, 3])

        q, k, v = (split(self.linear(x, d, d)) for _ in range(3))
        if past:
            k, v = (self.add("Concat", p, t, axis=2) for p, t in zip(past, (k, v)))
        s = self.add("MatMul", q, self.add("Transpose", k, perm=[0, 1, 3, 2]))
        s = self.add("Div", s, self.const((d // heads) ** 0.5))
        if mask:
            s = self.add("Add", s, mask)
        o = self.add("Transpose", self.add("MatMul", self.add("Softmax", s, axis=-1), v), perm=[0, 2, 1, 3])
        o = self.add("Reshape", o, self.const([0, -1, d], np.int64))
        return self.linear(o, d, d, 0.5), (k, v)

    def mlp(self, x, d, tanh=False):
        return self.linear(self.gelu(self.linear(x, d, 4 * d), tanh), 4 * d, d, 0.5)


def image(size, seed=0):
    return np.random.default_rng(seed).standard_normal((1, 3, size, size)).astype(np.float32)


def resnet50(small):
    w, size = Writer("resnet50", 11), 64 if small else 224
    base, stages = (16, (1, 1)) if small else (64, (3, 4, 6, 3))
    x = w.block(w.input("x", [1, 3, size, size]), 3, base, 7, 2)
    x = w.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    c = base
    for stage, blocks in enumerate(stages):
        width = base << stage
        for b in range(blocks):
            stride = 2 if stage and b == 0 else 1
            y = w.block(w.block(w.block(x, c, width), width, width, 3, stride), width, 4 * width, kind=None)
            if b == 0:
                x = w.block(x, c, 4 * width, 1, stride, kind=None)
            c = 4 * width
            x = w.add("Relu", w.add("Add", y, x))
    classes = 10 if small else 1000
    w.output(w.head(x, c, classes), "y", [1, classes])
    return w.finish(), {"x": image(size)}


def mobilenet_v2(small):
    w, size = Writer("mobilenet_v2", 12), 64 if small else 224
    table = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    x, c = w.block(w.input("x", [1, 3, size, size]), 3, 32, 3, 2, kind="relu6"), 32
    for expand, out, repeat, stride in table[:3] if small else table:
        for i in range(min(repeat, 2) if small else repeat):
            y, mid = x, c * expand
            if expand > 1:
                y = w.block(y, c, mid, kind="relu6")
            y = w.block(y, mid, mid, 3, stride if i == 0 else 1, mid, kind="relu6")
            y = w.block(y, mid, out, kind=None)
            x = w.add("Add", x, y) if c == out and (i or stride == 1) else y
            c = out
    last, classes = (64, 10) if small else (1280, 1000)
    w.output(w.head(w.block(x, c, last, kind="relu6"), last, classes), "y", [1, classes])
    return w.finish(), {"x": image(size)}


def bert(small, layers=None):
    d, heads, usual, seq, vocab = (64, 4, 2, 16, 100) if small else (768, 12, 12, 128, 30522)
    layers = layers or usual
    w = Writer("bert", 13)
    ids, mask = w.input("ids", [1, seq], I64), w.input("mask", [1, seq], I64)
    x = w.add("Add", w.add("Gather", w.normal(vocab, d, scale=0.05), ids), w.normal(1, seq, d, scale=0.05))
    x = w.layer_norm(x, d)
    m = w.add("Unsqueeze", w.add("Cast", mask, to=F), w.const([1, 2], np.int64))
    m = w.add("Mul", w.add("Sub", w.const(1), m), w.const(-10000))
    for _ in range(layers):
        a, _kv = w.attention(x, d, heads, m)
        x = w.layer_norm(w.add("Add", a, x), d)
        x = w.layer_norm(w.add("Add", w.mlp(x, d), x), d)
    w.output(x, "y", [1, seq, d])
    r = np.random.default_rng(0)
    keep = np.ones((1, seq), np.int64)
    keep[:, seq * 3 // 4 :] = 0
    return w.finish(), {"ids": r.integers(0, vocab, (1, seq)), "mask": keep}


def vit(small):
    d, heads, layers, size, classes = (64, 4, 2, 64, 10) if small else (768, 12, 12, 224, 1000)
    w, n = Writer("vit", 14), (size // 16) ** 2
    x = w.input("x", [1, 3, size, size])
    k = w.normal(d, 3, 16, 16, scale=(3 * 256) ** -0.5)
    x = w.add("Conv", x, k, w.normal(d, scale=0.02), kernel_shape=[16, 16], strides=[16, 16])
    x = w.add("Transpose", w.add("Reshape", x, w.const([0, d, n], np.int64)), perm=[0, 2, 1])
    token = w.add("Expand", w.normal(1, 1, d, scale=0.05), w.const([1, 1, d], np.int64))
    x = w.add("Add", w.add("Concat", token, x, axis=1), w.normal(1, n + 1, d, scale=0.05))
    for _ in range(layers):
        a, _kv = w.attention(w.layer_norm(x, d), d, heads)
        x = w.add("Add", a, x)
        x = w.add("Add", w.mlp(w.layer_norm(x, d), d), x)
    x = w.add("Gather", w.layer_norm(x, d), w.const(0, np.int64), axis=1)
    w.output(w.linear(x, d, classes), "y", [1, classes])
    return w.finish(), {"x": image(size)}


def gpt2_decode(small, past=None):
    """One decoding step; the cache length is a dynamic dimension."""
    d, heads, layers, vocab = (64, 4, 2, 100) if small else (768, 12, 12, 50257)
    past = past or (5 if small else 128)
    w, dh = Writer("gpt2_decode", 15), d // heads
    ids, position = w.input("ids", ["batch", "step"], I64), w.input("position", ["batch", "step"], I64)
    words = w.normal(vocab, d, scale=0.02)
    x = w.add("Add", w.add("Gather", words, ids), w.add("Gather", w.normal(1024, d, scale=0.02), position))
    r = np.random.default_rng(0)
    feed = {"ids": r.integers(0, vocab, (1, 1)), "position": np.full((1, 1), past, np.int64)}
    for i in range(layers):
        kv = [w.input(f"past_{t}{i}", ["batch", heads, "past", dh]) for t in "kv"]
        for name in kv:
            feed[name] = r.standard_normal((1, heads, past, dh)).astype(np.float32)
        a, present = w.attention(w.layer_norm(x, d), d, heads, past=kv)
        for t, value in zip("kv", present):
            w.output(value, f"present_{t}{i}", ["batch", heads, "total", dh])
        x = w.add("Add", a, x)
        x = w.add("Add", w.mlp(w.layer_norm(x, d), d, tanh=True), x)
    w.output(w.add("MatMul", w.layer_norm(x, d), w.add("Transpose", words, perm=[1, 0])), "logits", ["batch", "step", vocab])
    return w.finish(), feed


def detector(small):
    """A small one-stage detector: split-and-concat blocks, pyramid pooling, up-sampling neck."""
    w, size = Writer("detector", 16), 64 if small else 640
    widths = (8, 16, 32) if small else (32, 64, 128)

    def cbs(x, cin, cout, k=1, stride=1):
        return w.block(x, cin, cout, k, stride, kind="silu")

    def split_block(x, cin, cout, shortcut):
        half = cout // 2
        parts = list(w.add("Split", cbs(x, cin, cout), w.const([half, half], np.int64), outs=2, axis=1))
        y = cbs(cbs(parts[-1], half, half, 3), half, half, 3)
        parts.append(w.add("Add", parts[-1], y) if shortcut else y)
        return cbs(w.add("Concat", *parts, axis=1), 3 * half, cout)

    def up(x):
        scales = w.const([1, 1, 2, 2])
        return w.add("Resize", x, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    a, b, c = widths
    x = split_block(cbs(cbs(w.input("x", [1, 3, size, size]), 3, a // 2, 3, 2), a // 2, a, 3, 2), a, a, True)
    p3 = split_block(cbs(x, a, b, 3, 2), b, b, True)
    p4 = split_block(cbs(p3, b, c, 3, 2), c, c, True)
    y = cbs(p4, c, c // 2)
    pools = [y]
    for _ in range(3):
        pools.append(w.add("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
    p4 = cbs(w.add("Concat", *pools, axis=1), 2 * c, c)
    n3 = split_block(w.add("Concat", up(p4), p3, axis=1), c + b, b, False)
    flat, cells = [], 0
    for f, ch, step in ((n3, b, 8), (p4, c, 16)):
        box = w.conv(cbs(f, ch, 16, 3), 16, 64, bias=True)
        score = w.conv(cbs(f, ch, 16, 3), 16, 20, bias=True)
        g = (size // step) ** 2
        flat.append(w.add("Reshape", w.add("Concat", box, score, axis=1), w.const([1, 84, g], np.int64)))
        cells += g
    box, score = w.add("Split", w.add("Concat", *flat, axis=2), w.const([64, 20], np.int64), outs=2, axis=1)
    box = w.add("Transpose", w.add("Reshape", box, w.const([1, 4, 16, cells], np.int64)), perm=[0, 2, 1, 3])
    box = w.add("Conv", w.add("Softmax", box, axis=1), w.const(np.arange(16).reshape(1, 16, 1, 1)), kernel_shape=[1, 1])
    box = w.add("Reshape", box, w.const([1, 4, cells], np.int64))
    w.output(w.add("Concat", box, w.add("Sigmoid", score), axis=1), "y", [1, 24, cells])
    return w.finish(), {"x": image(size)}


def lstm(small):
    hidden, steps = (16, 6) if small else (256, 64)
    w = Writer("lstm", 17)
    x, width = w.input("x", [steps, 1, hidden]), hidden
    for _ in range(2):
        weights = [w.normal(2, 4 * hidden, n, scale=n**-0.5) for n in (width, hidden)]
        weights.append(w.normal(2, 8 * hidden, scale=0.02))
        y = w.add("LSTM", x, *weights, outs=3, hidden_size=hidden, direction="bidirectional")[0]
        x = w.add("Reshape", w.add("Transpose", y, perm=[0, 2, 1, 3]), w.const([0, 0, 2 * hidden], np.int64))
        width = 2 * hidden
    w.output(w.add("Softmax", w.linear(x, width, 16), axis=-1), "y", [steps, 1, 16])
    return w.finish(), {"x": np.random.default_rng(0).standard_normal((steps, 1, hidden)).astype(np.float32)}


def mlp(small):
    w, layers = Writer("mlp", 18), 3 if small else 12
    x = w.input("x", [1, 64])
    for _ in range(layers):
        x = w.add("Add", x, w.add("Mul", w.add("Tanh", w.linear(x, 64, 64)), w.const(0.5)))
    w.output(w.add("Softmax", x, axis=-1), "y", [1, 64])
    return w.finish(), {"x": np.random.default_rng(0).standard_normal((1, 64)).astype(np.float32)}


NETS = {f.__name__: f for f in (resnet50, mobilenet_v2, bert, vit, gpt2_decode, detector, lstm, mlp)}


def build(name, small=False, **more):
    return NETS[name](small, **more)


if __name__ == "__main__":
    folder, names = sys.argv[1], sys.argv[2:] or list(NETS)
    os.makedirs(folder, exist_ok=True)
    for net in names:
        onnx.save(build(net)[0], os.path.join(folder, net + ".onnx"))
        print(os.path.join(folder, net + ".onnx"))
