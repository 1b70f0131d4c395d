"""The prototypes of an invented later release: those of this one, some of them grown the way releases may grow them.

next_release.py PROTOS FOLDER    writes FOLDER/include/op_proto and the table that protos/table/prototypes.cpp includes
"""

import pathlib
import re
import subprocess
import sys

# Operator: what the later release appends to it.
GROWN = {
    "MatMul": ".OPTIONAL_INPUT(scale, TensorType({DT_FLOAT}))\n    .ATTR(alpha, Float, 1.0f)",
    "SoftmaxV2": ".OPTIONAL_INPUT(temperature, TensorType({DT_FLOAT}))",
    "ConcatD": ".ATTR(align, Bool, false)",
    "Conv2D": '.OPTIONAL_INPUT(scale, TensorType({DT_FLOAT}))\n    .ATTR(rounding, String, "rint")',
    "LayerNorm": ".ATTR(keep_stats, Bool, true)",
    "ResizeBilinearV2": ".ATTR(antialias, Bool, false)",
    "LeakyRelu": ".ATTR(ceiling, Float, 0.0f)",
    "Maximum": ".ATTR(propagate_nan, Bool, true)",
    "Gelu": '.ATTR(approximate, String, "none")',
}
NEW = """
/// @brief A mix of two tensors, of the later release alone.
REG_OP(NextBlend)
    .INPUT(a, TensorType({DT_FLOAT}))
    .INPUT(b, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(mask, TensorType({DT_BOOL}))
    .OUTPUT(y, TensorType({DT_FLOAT}))
    .ATTR(mode, String, "linear")
    .OP_END_FACTORY_REG(NextBlend)
"""


def main():
    protos, folder = map(pathlib.Path, sys.argv[1:])
    target = folder / "include" / "op_proto"
    target.mkdir(parents=True, exist_ok=True)
    (folder / "table").mkdir(exist_ok=True)
    grown, headers = set(), sorted((protos / "include" / "op_proto").glob("*.h"))
    for header in headers:
        text = header.read_text()
        for op, more in GROWN.items():
            text, found = re.subn(rf"(\.OP_END_FACTORY_REG\({op}\))", rf"{more}\n    \1", text)
            if found:
                grown.add(op)
        if header.name == "nn_activation_ops.h":
            end = text.rindex("}  // namespace")
            text = text[:end] + NEW + text[end:]
        (target / header.name).write_text(text)
    if grown != set(GROWN):
        sys.exit(f"no prototype of {sorted(set(GROWN) - grown)}")
    written = sorted(target.glob("*.h"))
    subprocess.run([sys.executable, protos / "table" / "extract_table.py", folder / "table", *written], check=True)


if __name__ == "__main__":
    main()
