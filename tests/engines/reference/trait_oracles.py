"""Whether a kernel does what the traits of its operator promise (ge/op_traits.h).

Every test of an engine calls its kernel with inputs that make sense; each operator's first calls are repeated here: the
same way once more, with all axes turned round, with the operands swapped, with the output over an input, as an
instruction of a fused program, under another layout, with constants, with another seed.
"""

import numpy as np
from engine_harness import OVERWRITES, Fmt

import ge
from ge._native import ffi, lib

CALLS = 4  # of one operator and one type that are looked at
KERNEL_VIEW = 1
NONE = -(2**31)  # no operand of an instruction
# Attributes of built-in operators that are operands of the instruction, behind the inputs, with their defaults.
OPERANDS = {
    "LeakyRelu": [("negative_slope", 0.0)],
    "Elu": [("alpha", 1.0)],
    "HardSigmoid": [("alpha", 0.16666666), ("beta", 0.5)],
}


def traits_of(type):
    out = ffi.new("const GeOpTraits **")
    assert lib.GeOpFindTraits(type.encode(), out) == 0
    return out[0]


def as_instruction(type, count, attrs):
    """Attributes of the FusedElementwise that computes the same of `count` inputs, for attributes that are operands."""
    constants = [float(attrs.get(name, default)) for name, default in OPERANDS.get(type, [])]
    values = [*range(count), *(-1 - i for i in range(len(constants)))]
    program = [traits_of(type).fused_opcode, count, *values, *[NONE] * (3 - len(values))]
    return {"program": program, "constants": constants, "outputs": [count]}


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
        # An update of a variable may be written where the variable lies; nothing else may share memory with an effect.
        assert "EFFECT" not in traits or kind in OVERWRITES, f"{told}, but the operator has effects"
        if kind in OVERWRITES:
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

        seeded = "RANDOM" in traits and any((attrs or {}).get(name, 0) for name in ("seed", "seed2"))
        if "PURE" in traits or seeded:  # random kernels repeat themselves for equal seeds
            same("PURE" if "PURE" in traits else "RANDOM", run(inputs), results)
        if "RANDOM" in traits and not seeded and results[0].size > 8:
            assert run(inputs)[0].tobytes() != results[0].tobytes(), f"{type} is said to be RANDOM, but repeats itself"
        if "FOLDABLE" in traits:
            same("FOLDABLE", run(inputs, constants=range(len(inputs))), results)
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
        if "RANDOM" in traits and results[0].size > 8:
            other = engine.run_once(type, inputs, {**(attrs or {}), "seed": 12345}, outputs)[0]
            assert other[0].tobytes() != results[0].tobytes(), f"{type} draws the same for another seed"
        if "FUSED" in traits:
            self._fused(engine, type, inputs, attrs or {}, results)
        if {"ELEMENTWISE", "LAYOUT_AGNOSTIC"} <= traits and all(x is None or x.ndim <= 4 for x in inputs):
            for layout in ("NCHW", "NHWC"):
                four = [None if x is None else Fmt(x.reshape((1,) * (4 - x.ndim) + x.shape), layout) for x in inputs]
                specs = [Fmt(((1,) * (4 - y.ndim) + y.shape, y.dtype), layout) for y in results]
                got = engine.run_once(type, four, attrs or {}, specs)[0]
                same("LAYOUT_AGNOSTIC", [y.reshape(z.shape) for y, z in zip(got, results)], results)

    def _fused(self, engine, type, inputs, attrs, results):
        """The instruction is float32's and that of the default attributes; its rounding may be another than the kernel's."""
        inputs = [x.astype(np.float32) for x in inputs]
        attrs = {name: attrs[name] for name, _ in OPERANDS.get(type, []) if name in attrs}
        outputs = [(results[0].shape, np.float32)]
        want = engine.run_once(type, inputs, attrs, outputs)[0]
        got = engine.run_once("FusedElementwise", inputs, as_instruction(type, len(inputs), attrs), outputs)[0]
        self.seen.add((type, "FUSED"))
        other = f"{type} computes something else than its opcode"
        np.testing.assert_allclose(got[0], want[0], rtol=1e-5, atol=1e-6, err_msg=other)

    def missing(self, operators):
        """(operator, trait) that was promised and that no call has shown."""
        shown = {"PURE", "RANDOM", "VIEW", "ELEMENTWISE", "COMMUTATIVE", "IN_PLACE", "FOLDABLE", "FUSED"}
        promised = {(op, trait) for op in operators for trait in ge.op_traits(op) & shown}
        return sorted(promised - self.seen)
