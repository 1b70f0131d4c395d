#!/usr/bin/env python3
"""Generates text with a GPT-2, token by token: the caches of attention stay in a state between the runs.

    generate_text.py [--model MODEL.onnx] [--prompt TEXT] [--tokens N] [--threads N] [--temperature T] [--seed N]
                     [--layers N] [--width N] [--heads N] [--save MODEL.onnx]

Without a model one is made: the layers of GPT-2 with random weights and one token for each byte, so that the text means
nothing and everything else is as it would be. A model of your own has inputs `input_ids` and `position_ids` ([batch,
step]) and for each layer i `past_k<i>`, `past_v<i>` and outputs `present_k<i>`, `present_v<i>` ([batch, heads, length,
size]), and `logits`; its tokens have to be bytes as well. Where ONNX Runtime is installed, it generates the same tokens
for comparison.
"""

import argparse
import importlib.util
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import ge

BYTES, POSITIONS = 256, 1024


def gpt2(layers, width, heads, seed=0):
    """GPT-2's graph for one step of any number of tokens after a past of any length."""
    rng, nodes, constants, size = np.random.default_rng(seed), [], [], width // heads
    ports = {"in": [], "out": []}

    def constant(value):
        name = f"c{len(constants)}"
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weight(*shape, gain=1.0):
        return constant((rng.standard_normal(shape) * gain / np.sqrt(shape[0])).astype(np.float32))

    def op(kind, *inputs, out=None, **attributes):
        name = out or f"v{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def port(side, name, shape, kind=TensorProto.FLOAT):
        ports[side].append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def dense(x, fan_in, fan_out, gain=1.0):
        return op("Add", op("MatMul", x, weight(fan_in, fan_out, gain=gain)), constant(np.zeros(fan_out, np.float32)))

    def norm(x):
        ones, zeros = constant(np.ones(width, np.float32)), constant(np.zeros(width, np.float32))
        return op("LayerNormalization", x, ones, zeros, axis=-1, epsilon=1e-5)

    split, joined = constant(np.array([0, 0, heads, size], np.int64)), constant(np.array([0, 0, width], np.int64))
    table = constant((rng.standard_normal((BYTES, width)) * 0.3).astype(np.float32))
    places = constant((rng.standard_normal((POSITIONS, width)) * 0.1).astype(np.float32))
    ids = port("in", "input_ids", ["batch", "step"], TensorProto.INT64)
    at = port("in", "position_ids", ["batch", "step"], TensorProto.INT64)
    x = op("Add", op("Gather", table, ids), op("Gather", places, at))
    for i in range(layers):
        y, parts = norm(x), {}
        for c in "qkv":
            parts[c] = op("Transpose", op("Reshape", dense(y, width, width), split), perm=[0, 2, 1, 3])
        for c in "kv":
            past = port("in", f"past_{c}{i}", ["batch", heads, "past", size])
            present = port("out", f"present_{c}{i}", ["batch", heads, "total", size])
            parts[c] = op("Concat", past, parts[c], out=present, axis=2)
        scores = op("MatMul", parts["q"], op("Transpose", parts["k"], perm=[0, 1, 3, 2]))
        scores = op("Softmax", op("Mul", scores, constant(np.float32(size**-0.5))), axis=-1)
        mixed = op("Transpose", op("MatMul", scores, parts["v"]), perm=[0, 2, 1, 3])
        x = op("Add", x, dense(op("Reshape", mixed, joined), width, width, 0.5))
        up = dense(norm(x), width, 4 * width)
        cube = op("Mul", op("Pow", up, constant(np.float32(3))), constant(np.float32(0.044715)))
        inner = op("Mul", op("Add", up, cube), constant(np.float32(0.7978845608)))
        half = op("Mul", up, constant(np.float32(0.5)))
        gelu = op("Mul", half, op("Add", op("Tanh", inner), constant(np.float32(1))))
        x = op("Add", x, dense(gelu, 4 * width, width, 0.5))
    port("out", op("MatMul", norm(x), weight(width, BYTES), out="logits"), ["batch", "step", BYTES])
    graph = helper.make_graph(nodes, "gpt2", ports["in"], ports["out"], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Choice:
    """The next token: the likeliest, or drawn at a temperature."""

    def __init__(self, temperature, seed):
        self.temperature, self.rng = temperature, np.random.default_rng(seed)

    def __call__(self, logits):
        if self.temperature == 0:
            return int(logits.argmax())
        p = np.exp((logits - logits.max()) / self.temperature, dtype=np.float64)
        return int(self.rng.choice(len(p), p=p / p.sum()))


def generate(run, prompt, count, choose):
    """Yields tokens; `run` takes token and position, and keeps what it has seen."""
    for at, token in enumerate(prompt):
        logits = run(token, at)
    for at in range(len(prompt), len(prompt) + count):
        token = choose(logits)
        yield token
        logits = run(token, at)


def with_state(model, capacity):
    pairs = {p.name: p.name.replace("past", "present") for p in model.inputs if p.name.startswith("past")}
    state = model.state(pairs, capacity=capacity, limit=POSITIONS)

    def run(token, at):
        feed = {"input_ids": np.array([[token]]), "position_ids": np.array([[at]])}
        return model.run(feed, state=state)["logits"][0, -1]

    return run


def with_onnxruntime(path, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    feed = {
        i.name: np.zeros((1, i.shape[1], 0, i.shape[3]), np.float32) for i in session.get_inputs() if i.name.startswith("past")
    }

    def run(token, at):
        feed.update(input_ids=np.array([[token]]), position_ids=np.array([[at]]))
        out = dict(zip(names, session.run(None, feed)))
        feed.update({n.replace("present", "past"): v for n, v in out.items() if n != "logits"})
        return out["logits"][0, -1]

    return run


def timed(run, prompt, options):
    begin = time.perf_counter()
    tokens = list(generate(run, prompt, options.tokens, Choice(options.temperature, options.seed)))
    return tokens, (len(prompt) + len(tokens)) / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model")
    parser.add_argument("--save", default="gpt2-bytes.onnx", help="where the model that is made is written")
    parser.add_argument("--prompt", default="In the beginning")
    for name, value in {"tokens": 64, "threads": 1, "seed": 0, "layers": 4, "width": 256, "heads": 4}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--temperature", type=float, default=0)
    options = parser.parse_args()
    path = options.model
    if path is None:
        path = options.save
        onnx.save(gpt2(options.layers, options.width, options.heads), path)
    prompt = options.prompt.encode()
    if not prompt or len(prompt) + options.tokens > POSITIONS:
        parser.error(f"prompt and tokens are {len(prompt)} and {options.tokens}, together 1 to {POSITIONS}")

    model = ge.load(path, options={"threads": options.threads})
    tokens, rate = timed(with_state(model, len(prompt) + options.tokens), prompt, options)
    print(options.prompt + bytes(tokens).decode("utf-8", "replace"))
    print(f"OpenGE: {rate:.1f} tokens a second")
    if importlib.util.find_spec("onnxruntime"):
        others, other = timed(with_onnxruntime(path, options.threads), prompt, options)
        print(f"ONNX Runtime: {other:.1f} tokens a second, {'the same' if others == tokens else 'other'} tokens")


if __name__ == "__main__":
    main()
