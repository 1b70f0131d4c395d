"""Records cases for the engine suite: single nodes with the results that an engine must have.

The tests of the reference engine hold its results against NumPy and ONNX's reference evaluator. With the environment
variable GE_WRITE_ENGINE_CASES they also write down what passed: operator, attributes, inputs and results, the
best case of those with the same features. update.py chooses from them. One line is one case:

  {"op": "Add", "attrs": [{"name": …, "type": C_AttrValueType, "value": …}], "inputs": [tensor or null], "outputs": [tensor]}

A tensor has "type" (C_DataType), "format" (C_Format; ND where it is not said), "dims" and "data", its bytes as hexadecimal
digits.
"""

import json
import math

import numpy as np

FLOAT = 0  # C_DT_FLOAT
INTEGERS = (3, 9)  # C_DT_INT32, C_DT_INT64
ATTR_FLOAT = 2  # C_VT_FLOAT
MOST_BYTES = 1 << 12  # of one case: it is too large
ENOUGH_FLOATS, ENOUGH_OTHERS = 33, 9  # values: two registers of AVX-512 and a rest; more than one of AVX2
BYTES_FOR_A_VALUE = 12  # that a case may be larger, for one of these
BYTES_FOR_ANY = 1000  # and for having values at all


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _tensors(case):
    return [t for t in [*case["inputs"], *case["outputs"]] if t]


def first_type(case):
    return next((t["type"] for t in case["inputs"] if t), -1)


def _bytes(case):
    return sum(len(t["data"]) // 2 for t in _tensors(case))


def badness(case):
    """Of two cases alike the better one is smaller, as long as it has values enough for kernels with vectors."""
    enough = ENOUGH_FLOATS if first_type(case) == FLOAT else ENOUGH_OTHERS
    sizes = [math.prod(t["dims"]) for t in _tensors(case)]
    return _bytes(case) + BYTES_FOR_A_VALUE * max(0, enough - max(sizes)) + BYTES_FOR_ANY * (min(sizes) == 0)


def features(case):
    """Names what a case shows of its operator: types, ranks, formats, axes of one element, sizes that grow by whole factors,
    integers that are inputs, values of attributes."""
    inputs, to = case["inputs"], case["outputs"][0]
    shown = {("type", "output", to["type"])}
    for i, t in enumerate(inputs[:2]):
        shown.add(("type", "input", i, t["type"]) if t else ("none", i))
        if t:
            shown |= {("rank", i, len(t["dims"])), ("format", i, t.get("format")), ("one", i, t["dims"][:1] == [1])}
    for i, t in enumerate(inputs):
        if t and t["type"] in INTEGERS and math.prod(t["dims"]) == 1:
            shown.add(("integer", i, t["data"]))
    if inputs and inputs[0] and len(inputs[0]["dims"]) == len(to["dims"]):
        shown.add(("whole", all(a and b % a == 0 for a, b in zip(inputs[0]["dims"], to["dims"]))))
    return frozenset(shown | {("attr", a["name"], str(a["value"])) for a in case["attrs"] if a["type"] != ATTR_FLOAT})


class CaseWriter:
    def __init__(self, engine_module):
        self.harness = engine_module
        self.pending, self.kept = [], {}

    def add(self, op, inputs, attrs, results):
        """Takes down what one call of a kernel took and gave; it counts when the test that made it has passed."""
        h = self.harness
        if any(isinstance(v, float) and not math.isfinite(v) for v in attrs.values()):
            return  # JSON has no such numbers
        if any(isinstance(x, h.Fmt) and x.origin for x in inputs) or any(r is None for r in results):
            return
        # Attributes of graphs are 32-bit: what 64-bit results were made of must be one.
        if any(np.asarray(r).dtype in (np.float64, np.complex128) for r in results) and any(
            isinstance(v, float) and np.isfinite(v) and v != float(np.float32(v)) for v in attrs.values()
        ):
            return
        tensors = [None if x is None else self._tensor(x) for x in inputs]
        made = [self._tensor(r) for r in results]
        if not any(t["data"] for t in made):
            return  # nothing to compute: engines are not asked
        described = [self._attr(name, attrs[name]) for name in sorted(attrs)]
        case = {"op": op, "attrs": described, "inputs": tensors, "outputs": made}
        if _bytes(case) <= MOST_BYTES:
            self.pending.append((op, features(case), case))

    def _tensor(self, x):
        format = "ND"
        if isinstance(x, self.harness.Fmt):
            format, x = x.format, x.array
        x = np.ascontiguousarray(x) if np.ndim(x) else np.asarray(x)
        said = {} if format == "ND" else {"format": self.harness.FORMATS[format]}
        return {"type": self.harness.type_id(x.dtype), **said, "dims": list(x.shape), "data": x.tobytes().hex()}

    def _attr(self, name, value):
        if isinstance(value, self.harness.DataType):
            return {"name": name, "type": 11, "value": int(value)}
        if isinstance(value, (bool, np.bool_)):
            return {"name": name, "type": 3, "value": int(value)}
        if isinstance(value, (int, np.integer)):
            return {"name": name, "type": 4, "value": int(value)}
        if isinstance(value, (float, np.floating)):
            return {"name": name, "type": ATTR_FLOAT, "value": float(value)}
        if isinstance(value, str):
            return {"name": name, "type": 1, "value": value}
        values = [_plain(v) for v in value]
        if all(isinstance(v, int) for v in values):
            return {"name": name, "type": 1004, "value": values}
        return {"name": name, "type": 1001 if all(isinstance(v, str) for v in values) else 1002, "value": values}

    def finish_test(self, passed):
        pending, self.pending = self.pending, []
        for op, kind, case in pending if passed else ():
            kinds = self.kept.setdefault(op, {})
            if kind not in kinds or badness(case) < badness(kinds[kind]):
                kinds[kind] = case

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            for op in sorted(self.kept):
                for case in self.kept[op].values():
                    file.write(json.dumps(case, separators=(",", ":"), allow_nan=False) + "\n")
