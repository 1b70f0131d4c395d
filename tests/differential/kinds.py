"""Element types: their names, and which of them ONNX Runtime's CPU kernels take."""

import functools

import ml_dtypes
import numpy as np
import onnx
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def

FLOATS = ("float32", "float16", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
ALL = FLOATS + INTEGERS + ("bool",)

_TENSOR = {
    "float32": onnx.TensorProto.FLOAT,
    "float64": onnx.TensorProto.DOUBLE,
    **{k: getattr(onnx.TensorProto, k.upper()) for k in ("float16", "bfloat16", "bool", *INTEGERS)},
}
_OPEN = 2**31 - 1  # a kernel without a last opset is for the operator of its first opset only
_SHORT = {"float32": "float", "float64": "double"}


def number(kind):
    """TensorProto's number of a type."""
    return _TENSOR[kind]


def dtype(kind):
    return np.dtype(ml_dtypes.bfloat16 if kind == "bfloat16" else kind)


@functools.lru_cache(None)
def _kernels():
    """(operator, constraint) -> [(first opset, last opset, types)] of ONNX Runtime's CPU kernels."""
    table = {}
    for kernel in get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider" and kernel.domain in ("", "ai.onnx"):
            for constraint, types in kernel.type_constraints.items():
                found = frozenset(t[len("tensor(") : -1] for t in types)
                table.setdefault((kernel.op_name, constraint), []).append((*kernel.version_range, found))
    return table


@functools.lru_cache(None)
def runs(op, kind, opset, constraint="T"):
    """Whether ONNX Runtime has a kernel of that type. Half floats it computes in float where it has no kernel of their own; an
    operator without kernels is a function of others, which all exist for floats."""
    table = _kernels().get((op, constraint))
    try:
        since = onnx.defs.get_schema(op, opset).since_version
    except onnx.defs.SchemaError:
        return False
    if table is None:
        return kind in ("float32", "float16")
    wanted = {_SHORT.get(kind, kind)} | ({"float"} if kind == "float16" else set())
    return any((first == since or first <= since <= last < _OPEN) and wanted & types for first, last, types in table)
