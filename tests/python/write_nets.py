"""Writes the small networks for tests in C++: python tests/python/write_nets.py FOLDER

NAME.onnx, NAME.txt with a line for each tensor (input or output, its name, data type, dimensions), and NAME.bin with their
numbers one after the other. The outputs are ONNX Runtime's.
"""

import pathlib
import sys

import numpy as np
from net_cases import NetCases, nets

TYPES = {"float32": 0, "int32": 3, "int64": 9}  # GE's numbers


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cases = NetCases(folder)
    for name in nets.NETS:
        _, feed, expected = cases(name)
        lines, numbers = [], b""
        for kind, tensors in (("input", feed), ("output", expected)):
            for tensor, value in tensors.items():
                lines.append(" ".join(map(str, (kind, tensor, TYPES[value.dtype.name], value.ndim, *value.shape))))
                numbers += np.ascontiguousarray(value).tobytes()
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / f"{name}.bin").write_bytes(numbers)


if __name__ == "__main__":
    main(sys.argv[1])
