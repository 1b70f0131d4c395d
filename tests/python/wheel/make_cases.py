#!/usr/bin/env python3
"""Writes networks with inputs and ONNX Runtime's outputs into a folder: NAME.onnx, NAME.in.npz, NAME.out.npz.

The tests of an installed wheel read them where neither onnx nor ONNX Runtime is installed.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from net_cases import nets, reference  # noqa: E402


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in nets.NETS:
        model, feed = nets.build(name, small=True)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
        np.savez(folder / f"{name}.in.npz", **feed)
        np.savez(folder / f"{name}.out.npz", **reference(model, feed))


if __name__ == "__main__":
    main()
