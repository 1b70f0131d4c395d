#!/usr/bin/env python3
"""How far results in each precision are from fp32, of the eight models of nets.py: the table in docs/performance.md.

    accuracy.py [--small] [--only NAME …] [--write]

Precisions are those of option `precision`, and the three forms that ONNX Runtime's quantiser writes (weights of int8; the
calibration sees the input that is measured). A cell is `ge compare`'s error of the last output, ‖y - y₀‖ / ‖y₀‖ with y₀ that of
fp32; behind "ort" that of ONNX Runtime with the same quantised file. --write puts the table into docs/performance.md.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import nets
import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

ROOT = pathlib.Path(__file__).resolve().parents[1]
GE = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release")) / "bin" / "ge"
PAGE = ROOT / "docs" / "performance.md"
MARK = re.compile(r"(<!-- table:accuracy -->\n)(.*?)(<!-- /table -->)", re.S)
OPTIONS = ("bf16", "fp16_weights", "int8_weights", "int4_weights")
FORMS = ("dynamic", "QDQ", "QOperator")


class Once(CalibrationDataReader):
    def __init__(self, feed):
        self.left = [feed]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantised(form, source, path, feed):
    if form == "dynamic":
        quantize_dynamic(source, path, weight_type=QuantType.QInt8)
    else:
        kind = getattr(QuantFormat, form)
        quantize_static(source, path, Once(feed), quant_format=kind, weight_type=QuantType.QInt8, per_channel=True)


def ort(path, feed):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, feed)[-1].astype(np.float64)


def compared(*args):
    """The error of the last output, or the reason why there is none."""
    run = subprocess.run([GE, "compare", "-q", "--json", *map(str, args)], capture_output=True, text=True)
    if not run.stdout:
        return run.stderr.strip().splitlines()[-1]
    return json.loads(run.stdout)["outputs"][-1]["error"]


def text(error):
    if isinstance(error, str):
        return error
    return "infinite" if error is None else "0" if error == 0 else f"{error:.1e}"


def row(name, small, folder):
    model, feed = nets.build(name, small=small)
    path, inputs = folder / f"{name}.onnx", folder / f"{name}.npz"
    onnx.save(model, path)
    np.savez(inputs, **feed)
    cells = [text(compared(path, "--precision", precision, "-i", inputs)) for precision in OPTIONS]
    prepared = folder / f"{name}-prepared.onnx"
    quant_pre_process(path, prepared, skip_symbolic_shape=True)
    full = ort(path, feed)
    for form in FORMS:
        made = folder / f"{name}-{form}.onnx"
        quantised(form, prepared, made, feed)
        theirs = float(np.linalg.norm(ort(made, feed) - full) / np.linalg.norm(full))
        cells.append(f"{text(compared(path, made, '-i', inputs))}, ort {text(theirs)}")
        made.unlink()
    return f"| {name} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="nets of the tests' size")
    parser.add_argument("--only", nargs="+", default=list(nets.NETS), choices=list(nets.NETS))
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write and (args.small or args.only != list(nets.NETS)):
        parser.error("--write is for all models in full size")
    lines = ["| | " + " | ".join(OPTIONS + FORMS) + " |", "|---" * (1 + len(OPTIONS) + len(FORMS)) + "|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.only:
            lines.append(row(name, args.small, pathlib.Path(folder)))
            print(lines[-1], flush=True)
    if args.write:
        page = PAGE.read_text(encoding="utf-8")
        if not MARK.search(page):
            sys.exit(f"{PAGE} has no <!-- table:accuracy -->")
        PAGE.write_text(MARK.sub(lambda m: m[1] + "\n".join(lines) + "\n" + m[3], page), encoding="utf-8")


if __name__ == "__main__":
    main()
