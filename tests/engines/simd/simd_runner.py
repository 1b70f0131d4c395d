"""Runs an operator on the vector engine in every way a runtime may, and compares the results to the bit."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reference"))

from engine_harness import OVERWRITES, Engine, EngineError  # noqa: E402
from trait_oracles import TraitChecks, check_aliases  # noqa: E402


class Vector:
    """One engine per instruction set; each run with one thread, with split ranges and in place where allowed."""

    def __init__(self, isa):
        self.isa = isa
        self.traits = TraitChecks()
        self.single, self.split = Engine("simd", isa, threads=1), Engine("simd", isa, threads=2)

    def run(self, type, inputs, attrs=None, outputs=(), constants=()):
        inputs = [x if x is None else np.asarray(x) for x in inputs]
        attrs = attrs or {}
        results, self.info = self.single.run_once(type, inputs, attrs, outputs, constants)
        check_aliases(type, self.info, inputs, outputs)
        ways = [(self.split, None)]
        for kind, i, o, _ in self.info["aliases"]:
            if kind in OVERWRITES and i not in constants:
                ways.append((self.single, (i, o)))
        for engine, in_place in ways:
            again, _ = engine.run_once(type, inputs, attrs, outputs, constants, in_place)
            for a, b in zip(results, again):
                assert a is b or a.tobytes() == b.tobytes(), f"{type}: differs with threads or in place {in_place}"
        if not constants:
            self.traits.check(self.single, type, inputs, attrs, outputs, results)
        return results

    def one(self, type, inputs, attrs=None, shape=(), dtype=np.float32, constants=()):
        return self.run(type, inputs, attrs, [(tuple(shape), dtype)], constants)[0]

    def check(self, type, inputs, attrs=None, outputs=(), constants=()):
        """The reason to refuse, or None."""
        try:
            self.single.run_once(type, [np.asarray(x) for x in inputs], attrs or {}, outputs, constants)
        except EngineError as e:
            return str(e)
        return None
