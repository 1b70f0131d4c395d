"""Option precision bf16: recurrent layers round x, their state and the weights, against NumPy in double precision."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from test_bf16 import child, kinds, load, needs_bf16, notes, random, rounded

import ge

pytestmark = pytest.mark.isa


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


class Layer:
    def __init__(self, kind, steps=9, batch=1, width=24, hidden=34, direction="forward", bias=True, initial=False, before=0):
        self.kind, self.steps, self.batch, self.hidden, self.direction = kind, steps, batch, hidden, direction
        self.initial, self.before = initial, before
        gates, directions = 4 if kind == "LSTM" else 3, 2 if direction == "bidirectional" else 1
        self.x = random(steps, batch, width, seed=1)
        self.w = random(directions, gates * hidden, width, seed=2) / np.float32(np.sqrt(width))
        self.r = random(directions, gates * hidden, hidden, seed=3) / np.float32(np.sqrt(hidden))
        self.b = random(directions, 2 * gates * hidden, seed=4) if bias else None
        self.h0, self.c0 = (random(directions, batch, hidden, seed=s) for s in (5, 6))

    def model(self, steps=None, batch=None):
        inputs, given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [steps or self.steps, *self.x.shape[1:]])], []
        constants = {"w": self.w, "r": self.r}
        if self.b is not None:
            constants["b"] = self.b
        if self.initial:
            constants["h0"] = self.h0
            constants |= {"c0": self.c0} if self.kind == "LSTM" else {}
            given = ["", "h0"] + (["c0"] if self.kind == "LSTM" else [])
        names = ["y", "h", "c"] if self.kind == "LSTM" else ["y", "h"]
        attrs = {"direction": self.direction, "hidden_size": self.hidden}
        attrs |= {"linear_before_reset": self.before} if self.kind == "GRU" else {}
        node = helper.make_node(self.kind, ["x", "w", "r", "b" if self.b is not None else "", *given], names, "layer", **attrs)
        outputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in names]
        graph = helper.make_graph([node], "g", inputs, outputs, [numpy_helper.from_array(v, n) for n, v in constants.items()])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def want(self, to=rounded):
        """y, the last states and cells; `to` rounds what is multiplied."""
        ys, states, cells = [], [], []
        for d in range(self.w.shape[0]):
            h, c = (
                v[d].astype(np.float64) if self.initial else np.zeros((self.batch, self.hidden)) for v in (self.h0, self.c0)
            )
            w, r = (to(m[d]).astype(np.float64) for m in (self.w, self.r))
            b = np.zeros(2 * len(w)) if self.b is None else self.b[d].astype(np.float64)
            backwards = d == 1 or self.direction == "reverse"
            y = np.zeros((self.steps, self.batch, self.hidden))
            for t in range(self.steps)[:: -1 if backwards else 1]:
                h, c = self.step(to, to(self.x[t]).astype(np.float64) @ w.T + b[: len(w)], h, c, r, b[len(w) :])
                y[t] = h
            ys.append(y)
            states.append(h)
            cells.append(c)
        return [np.stack(ys, 1), np.stack(states), np.stack(cells)]

    def step(self, to, now, h, c, r, b):
        n = self.hidden
        if self.kind == "LSTM":
            i, o, f, g = np.split(now + to(h) @ r.T + b, 4, 1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            return sigmoid(o) * np.tanh(c), c
        z, reset = (sigmoid(v) for v in np.split(now[:, : 2 * n] + to(h) @ r[: 2 * n].T + b[: 2 * n], 2, 1))
        state = reset * (to(h) @ r[2 * n :].T + b[2 * n :]) if self.before else to(reset * h) @ r[2 * n :].T + b[2 * n :]
        return (1 - z) * np.tanh(now[:, 2 * n :] + state) + z * h, c


CASES = [
    {},
    {"batch": 3, "bias": False},
    {"direction": "reverse", "initial": True},
    {"direction": "bidirectional", "batch": 2, "hidden": 66, "initial": True},
    {"direction": "bidirectional", "hidden": 256, "width": 130, "steps": 20},
    {"batch": 13, "hidden": 2, "width": 2, "steps": 3},
    {"batch": 33, "hidden": 40, "width": 18, "steps": 3},
    {"hidden": 100, "width": 6, "steps": 1},
]


@needs_bf16
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("kind, before", [("LSTM", 0), ("GRU", 0), ("GRU", 1)])
def test_layers(kind, before, case, threads):
    layer = Layer(kind, before=before, **CASES[case])
    loaded = load(layer.model(), precision="bf16", precision__nodes="layer=bf16", precision__strict=1, threads=threads)
    note = notes(loaded)["layer"]
    assert (note["ran"], note["why"]) == ("bf16", "x, the state and weights rounded to bf16, sums in fp32")
    ((_, kernel),) = kinds(loaded, {"x": layer.x})
    assert kernel.startswith(f"onednn:{kind.lower()}:bf16")
    got, plain = loaded.run({"x": layer.x}), ReferenceEvaluator(layer.model()).run(None, {"x": layer.x})
    assert not np.array_equal(got["y"], plain[0])
    for value, exact, want, fp32 in zip(got.values(), layer.want(np.float64), layer.want(), plain):
        # The definition above is ONNX's. A state that lies between two numbers of bf16 may be rounded to the other one.
        np.testing.assert_allclose(fp32.reshape(exact.shape), exact, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(value, want, atol=2e-3)
    # Without rounding of states there is nothing to sum up: the first step is exact.
    first = -1 if layer.direction == "reverse" else 0
    if not layer.initial:
        np.testing.assert_allclose(got["y"][first, 0], layer.want()[0][first, 0], rtol=1e-4, atol=2e-6)


@needs_bf16
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_sequences_of_any_length(kind):
    layer = Layer(kind, hidden=64, width=128)
    loaded = load(layer.model(steps="n"), precision="bf16", precision__strict=1)
    assert notes(loaded)["layer"]["ran"] == "bf16"
    for steps in (3, 9, 5, 9):
        layer.steps, layer.x = steps, random(steps, 1, 128, seed=steps)
        np.testing.assert_allclose(loaded.run({"x": layer.x})["y"], layer.want()[0], atol=2e-3)


@needs_bf16
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_all_weights_count(kind):
    """Those of the state are most of a layer with a narrow x."""
    layer = Layer(kind, width=4, hidden=512)
    loaded = load(layer.model(), precision="bf16", precision__strict=1)
    note, count = notes(loaded)["layer"], layer.w.size + layer.r.size
    assert (note["ran"], note["bytes"], note["fp32_bytes"]) == ("bf16", 2 * count, 4 * count)


@needs_bf16
@pytest.mark.parametrize("which", ["w", "r"])
def test_weights_beyond_the_range_stay_in_fp32(which):
    layer = Layer("LSTM", hidden=64, width=128)
    getattr(layer, which)[0, 3, 5] = 3.4e38
    layer.x[:, :, 5] = 0
    loaded = load(layer.model(), precision="bf16")
    assert notes(loaded)["layer"]["ran"] == "fp32" and "beyond the range of bf16" in notes(loaded)["layer"]["why"]
    np.testing.assert_array_equal(loaded.run({"x": layer.x})["y"], load(layer.model()).run({"x": layer.x})["y"])


@needs_bf16
def test_odd_lengths_stay_in_fp32():
    layer = Layer("LSTM", hidden=33, width=200)
    loaded = load(layer.model(), precision="bf16")
    note = notes(loaded)["layer"]
    assert note["ran"] == "fp32" and "rows of r of other than a known even length" in note["why"]
    want = load(layer.model()).run({"x": layer.x})["y"]
    np.testing.assert_array_equal(loaded.run({"x": layer.x})["y"], want)
    with pytest.raises(ge.error.GeError, match="rows of r of other than a known even length"):
        load(layer.model(), precision="bf16", precision__strict=1)


@needs_bf16
def test_packed_forms_of_both_precisions_are_kept_apart(tmp_path):
    """One file, one store: each model takes its own form."""
    layer = Layer("LSTM", hidden=128, width=128)
    path = tmp_path / "m.onnx"
    path.write_bytes(layer.model().SerializeToString())
    exact, want = layer.want(np.float64)[0], layer.want()[0]
    for _ in range(2):
        for precision, y, limit in (("fp32", exact, 1e-5), ("bf16", want, 2e-3)):
            with ge.load(str(path), options={"weights.store": "on", "precision": precision}) as m:
                np.testing.assert_allclose(m.run({"x": layer.x})["y"], y, atol=limit)


def test_without_the_instructions(tmp_path):
    layer = Layer("LSTM", hidden=64, width=128)
    path = tmp_path / "m.onnx"
    path.write_bytes(layer.model().SerializeToString())
    program = "import sys, numpy as np, ge; m = ge.load(sys.argv[1], precision='bf16'); n, = m.report()['precision']; "
    program += "print(n['ran'], n['why']); print(m.placement()[0]['implementation'])"
    run = child(program, "avx2", str(path))
    assert run.returncode == 0, run.stderr
    said, kernel = run.stdout.splitlines()
    assert said.startswith("fp32") and "does not compute in bf16" in said and kernel == "onednn:lstm:avx2"
