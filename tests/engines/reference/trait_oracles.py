"""Whether a kernel does what the traits of its operator promise (ge/op_traits.h).

Every test of the reference engine calls its kernel with inputs that make sense; each operator's first calls are repeated
here: the same way once more, with all axes turned round, with the operands swapped, with the output over an input.
"""

import numpy as np
from engine_harness import ALIAS_IN_PLACE, Fmt

import ge

CALLS = 4  # of one operator and one type that are looked at
KERNEL_VIEW = 1


def dtype_of(x):
    """Of an array, one with a layout, or (shape, type)."""
    x = x.array if isinstance(x, Fmt) else x
    return np.dtype(x[1]) if isinstance(x, tuple) else np.asarray(x).dtype


def check_aliases(type, info, inputs, outputs):
    """What a kernel tells the planner agrees with the traits of its operator; it may promise less than they do."""
    traits = ge.op_traits(type)
    if info["flags"] & KERNEL_VIEW:
        assert "PURE" in traits, f"{type}: a kernel with nothing to do, but the operator is not pure"
    for kind, i, o, offset in info["aliases"]:
        told = f"{type}: alias {kind} of input {i} and output {o}"
        assert "EFFECT" not in traits, f"{told}, but the operator has effects"
        if kind == ALIAS_IN_PLACE:
            sizes = [dtype_of(x).itemsize for x in (inputs[i], outputs[o])]
            assert sizes[0] == sizes[1], f"{told}, whose elements have {sizes} bytes"
            assert "ELEMENTWISE" not in traits or {"IN_PLACE", "VIEW"} & traits, f"{told}, but it is not IN_PLACE"
        elif "VIEW" in traits:
            assert (i, o, offset) == (0, 0, 0), f"{told} at {offset}, but the operator is a view"


class TraitChecks:
    def __init__(self):
        self.calls = {}
        self.seen = set()  # (operator, trait) that some call could show

    def check(self, engine, type, inputs, attrs, outputs, results):
        key = type, dtype_of(inputs[0]) if inputs and inputs[0] is not None else None
        if self.calls.setdefault(key, 0) >= CALLS:
            return
        self.calls[key] += 1
        inputs = [engine._array(x) for x in inputs]
        traits = ge.op_traits(type)
        plain = not any(isinstance(x, Fmt) for x in [*inputs, *outputs]) and all(x is not None for x in outputs)

        def run(arrays, **how):
            return engine.run_once(type, arrays, attrs or {}, outputs, **how)[0]

        def same(trait, got, wanted):
            self.seen.add((type, trait))
            for o, (a, b) in enumerate(zip(got, wanted)):
                equal = a is b or (a.shape == b.shape and a.tobytes() == b.tobytes())
                assert equal, f"{type} is said to be {trait}, but output {o} tells otherwise"

        if "PURE" in traits or "RANDOM" in traits:  # random kernels repeat themselves for equal seeds
            same("PURE" if "PURE" in traits else "RANDOM", run(inputs), results)
        if not plain:
            return
        if "VIEW" in traits:
            same("VIEW", *([np.ascontiguousarray(x).reshape(-1).view(np.uint8)] for x in (results[0], inputs[0])))
        if "ELEMENTWISE" in traits:
            turned = [None if x is None else np.flip(x).copy() for x in inputs]
            same("ELEMENTWISE", [np.flip(y).copy() for y in run(turned)], results)
        if "COMMUTATIVE" in traits:
            same("COMMUTATIVE", run([inputs[1], inputs[0], *inputs[2:]]), results)
        if "IN_PLACE" in traits:
            for i, x in enumerate(inputs):
                if x is not None and x.shape == results[0].shape and x.dtype == results[0].dtype:
                    same("IN_PLACE", run(inputs, in_place=(i, 0)), results)

    def missing(self, operators):
        """(operator, trait) that was promised and that no call has shown."""
        shown = {"PURE", "RANDOM", "VIEW", "ELEMENTWISE", "COMMUTATIVE", "IN_PLACE"}
        promised = {(op, trait) for op in operators for trait in ge.op_traits(op) & shown}
        return sorted(promised - self.seen)
