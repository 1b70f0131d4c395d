"""Records cases for the engine suite: single nodes with the results that an engine must have.

The tests of the reference engine hold its results against NumPy and ONNX's reference evaluator. With the environment
variable GE_WRITE_ENGINE_CASES they also write down what passed: operator, attributes, inputs and results, a case for
each combination of data types and ranks. update.py chooses from them. One line is one case:

  {"op": "Add", "attrs": [{"name": …, "type": C_AttrValueType, "value": …}], "inputs": [tensor or null], "outputs": [tensor]}

A tensor has "type" (C_DataType), "format" (C_Format), "dims" and "data", its bytes as hexadecimal digits.
"""

import json

import numpy as np

FAIR_BYTES, MOST_BYTES = 512, 1 << 15  # of one case: it has values enough, it is too large


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


def _bytes(case):
    return sum(len(t["data"]) // 2 for t in [*case["inputs"], *case["outputs"]] if t)


def badness(case):
    """Of two cases alike the better one has more values, up to a size."""
    size = _bytes(case)
    return FAIR_BYTES - size if size <= FAIR_BYTES else size


class CaseWriter:
    def __init__(self, engine_module):
        self.harness = engine_module
        self.pending, self.kept = [], {}

    def add(self, op, inputs, attrs, results):
        """What one call of a kernel took and gave; counts when the test that made it has passed."""
        h = self.harness
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
        kind = tuple((t["type"], len(t["dims"])) if t else None for t in tensors[:2])
        case = {"op": op, "attrs": described, "inputs": tensors, "outputs": made}
        if _bytes(case) <= MOST_BYTES:
            self.pending.append((op, kind, case))

    def _tensor(self, x):
        format = "ND"
        if isinstance(x, self.harness.Fmt):
            format, x = x.format, x.array
        x = np.ascontiguousarray(x) if np.ndim(x) else np.asarray(x)
        return {
            "type": self.harness.type_id(x.dtype),
            "format": self.harness.FORMATS[format],
            "dims": list(x.shape),
            "data": x.tobytes().hex(),
        }

    def _attr(self, name, value):
        if isinstance(value, self.harness.DataType):
            return {"name": name, "type": 11, "value": int(value)}
        if isinstance(value, (bool, np.bool_)):
            return {"name": name, "type": 3, "value": int(value)}
        if isinstance(value, (int, np.integer)):
            return {"name": name, "type": 4, "value": int(value)}
        if isinstance(value, (float, np.floating)):
            return {"name": name, "type": 2, "value": float(value)}
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
