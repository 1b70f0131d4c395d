"""DynamicQuantizeLSTM, as ONNX Runtime's dynamic quantisation writes it, against ONNX Runtime.

ONNX Runtime rounds inputs and states to 8 bits at each step, this library does not: results are those of its float LSTM on
the dequantised weights, and near those of its quantised one."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from contrib_kit import F, model_of, node, ours, rand, same, theirs
from onnxruntime.quantization import QuantType, quantize_dynamic

import ge
from ge.error import GeError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import nets  # noqa: E402

NAMES = ["x", "w", "r", "b", "lengths", "h", "c", "p", "ws", "wz", "rs", "rz"]
OUTPUTS = {"y": F, "y_h": F, "y_c": F}


def case(directions=1, kind=np.int8, columns=False, steps=5, batch=2, inputs=7, hidden=6):
    low, high = np.iinfo(kind).min // 2, np.iinfo(kind).max // 2
    r = np.random.default_rng(3)
    scales = (directions, 4 * hidden) if columns else (directions,)

    def zeros(r):
        """ONNX Runtime wants the same in all columns, of int8 only 0."""
        value = r.integers(-9 if low else 3, 9, directions).astype(kind)
        return np.repeat(value[:, None] * (low == 0), 4 * hidden, 1).astype(kind) if columns else value

    return {
        "x": rand(steps, batch, inputs),
        "w": r.integers(low, high, (directions, inputs, 4 * hidden)).astype(kind),
        "r": r.integers(low, high, (directions, hidden, 4 * hidden)).astype(kind),
        "b": rand(directions, 8 * hidden, seed=1),
        "h": rand(directions, batch, hidden, seed=2),
        "c": rand(directions, batch, hidden, seed=3),
        "ws": r.uniform(0.002, 0.01, scales).astype(np.float32),
        "wz": zeros(r),
        "rs": r.uniform(0.002, 0.01, scales).astype(np.float32),
        "rz": zeros(r),
    }


def dequantized(feed, name):
    scale, zero = (feed[name + end] for end in "sz")
    if scale.ndim == 1:
        scale, zero = scale[:, None], zero[:, None]
    return ((feed[name].astype(np.float32) - zero[:, None].astype(np.float32)) * scale[:, None]).transpose(0, 2, 1)


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
@pytest.mark.parametrize("columns", [False, True])
def test_a_node(direction, kind, columns):
    feed = case(2 if direction == "bidirectional" else 1, kind, columns)
    inputs = [name if name in feed else None for name in NAMES]
    fixed = [name for name in feed if name not in "xhc"]
    attrs = {"hidden_size": 6, "direction": direction}
    m = model_of([node("DynamicQuantizeLSTM", inputs, list(OUTPUTS), **attrs)], feed, OUTPUTS, fixed)
    got = ours(m, feed)
    plain = {**feed, "w": dequantized(feed, "w"), "r": dequantized(feed, "r")}
    want = theirs(model_of([node("LSTM", inputs[:7], list(OUTPUTS), "", **attrs)], plain, OUTPUTS, ["w", "r", "b"]), plain)
    same(got, want)
    for name, value in theirs(m, feed).items():
        np.testing.assert_allclose(got[name], value, atol=0.05)


def test_weights_that_are_inputs_and_no_zero_points():
    feed = {k: v for k, v in case().items() if k not in ("wz", "rz")}
    inputs = [name if name in feed else None for name in NAMES]
    m = model_of([node("DynamicQuantizeLSTM", inputs, ["y"], hidden_size=6)], feed, {"y": F})
    plain = {
        **feed,
        "w": feed["w"].astype(np.float32).transpose(0, 2, 1) * feed["ws"],
        "r": feed["r"].astype(np.float32).transpose(0, 2, 1) * feed["rs"],
    }
    same(ours(m, feed), theirs(model_of([node("LSTM", inputs[:7], ["y"], "", hidden_size=6)], plain, {"y": F}), plain))


def test_what_the_quantiser_writes(tmp_path):
    float_model, feed = nets.build("lstm", small=True)
    onnx.save(float_model, tmp_path / "f.onnx")
    quantize_dynamic(tmp_path / "f.onnx", tmp_path / "q.onnx", weight_type=QuantType.QInt8)
    made = onnx.load(tmp_path / "q.onnx")
    assert any(n.op_type == "DynamicQuantizeLSTM" for n in made.graph.node)
    (got,) = ours(made, feed).values()
    full = theirs(float_model, feed)["y"]
    assert np.linalg.norm(got - full) < 0.02 * np.linalg.norm(full)
    np.testing.assert_allclose(got, theirs(made, feed)["y"], atol=0.01)


def test_large_weights_are_floats_before_any_run():
    feed = case(inputs=600, hidden=640)
    inputs = [name if name in feed else None for name in NAMES]
    m = model_of(
        [node("DynamicQuantizeLSTM", inputs, ["y"], hidden_size=640)], feed, {"y": F}, [n for n in feed if n not in "xhc"]
    )
    assert {p["type"] for p in ge.load(m.SerializeToString()).placement()} == {"CommonLSTM"}


def test_scales_of_a_wrong_rank():
    feed = {**case(), "ws": np.ones((1, 1, 24), np.float32)}
    inputs = [name if name in feed else None for name in NAMES]
    m = model_of([node("DynamicQuantizeLSTM", inputs, ["y"], hidden_size=6)], feed, {"y": F})
    with pytest.raises(GeError, match="input 8 has rank 3, expected 1 or 2"):
        ge.load(m.SerializeToString())
