#!/usr/bin/env python3
"""Writes networks with inputs and ONNX Runtime's outputs into a folder: NAME.onnx, NAME.in.npz, NAME.out.npz.

The tests of an installed wheel read them where neither onnx nor ONNX Runtime is installed.
"""

import pathlib
import sys

import numpy as np
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "benchmarks"))
import nets  # noqa: E402


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in nets.NETS:
        model, feed = nets.build(name, small=True)
        data = model.SerializeToString()
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        outputs = dict(zip([o.name for o in session.get_outputs()], session.run(None, feed)))
        (folder / f"{name}.onnx").write_bytes(data)
        np.savez(folder / f"{name}.in.npz", **feed)
        np.savez(folder / f"{name}.out.npz", **outputs)


if __name__ == "__main__":
    main()
