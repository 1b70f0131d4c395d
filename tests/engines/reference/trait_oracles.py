"""Whether a kernel does what the traits of its operator promise (ge/op_traits.h).

Every test of the reference engine calls its kernel with inputs that make sense; each operator's first calls are repeated
here: the same way once more, with all axes turned round, with the operands swapped, with the output over an input.
"""

import numpy as np
from engine_harness import Fmt

import ge

CALLS = 4  # of one operator that are looked at


class TraitChecks:
    def __init__(self):
        self.calls = {}
        self.seen = set()  # (operator, trait) that some call could show

    def check(self, engine, type, inputs, attrs, outputs, results):
        if self.calls.setdefault(type, 0) >= CALLS:
            return
        self.calls[type] += 1
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
