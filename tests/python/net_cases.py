"""The networks of benchmarks/nets.py, small, with what ONNX Runtime says that they give."""

import pathlib
import sys

import numpy as np
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import nets  # noqa: E402

TOLERANCE = 1e-4  # of the largest output


def reference(model, feed):
    """{output name: value}"""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))


class NetCases:
    """name -> (path, feed, expected outputs), each made once in the folder."""

    def __init__(self, folder):
        self._folder, self._made = folder, {}

    def __call__(self, name):
        if name not in self._made:
            model, feed = nets.build(name, small=True)
            path = self._folder / f"{name}.onnx"
            path.write_bytes(model.SerializeToString())
            self._made[name] = (str(path), feed, reference(model, feed))
        return self._made[name]


def check(outputs, expected):
    assert list(outputs) == list(expected)
    for name, want in expected.items():
        got = outputs[name]
        assert got.shape == want.shape and got.dtype == want.dtype
        assert np.abs(got - want).max() <= TOLERANCE * np.abs(want).max(), name
