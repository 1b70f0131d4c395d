"""oneDNN's kernels do what the traits of their operators promise (trait_oracles.py)."""

import numpy as np
import pytest
from engine_harness import Engine, Fmt
from trait_oracles import TraitChecks

F = np.float32


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(F)


CONV = {"strides": [1, 1, 1, 1], "pads": [1, 1, 1, 1], "dilations": [1, 1, 1, 1], "groups": 1, "data_format": "NCHW"}
POOL = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "pads": [0, 0, 0, 0]}
CALLS = {
    "Conv2D": ([Fmt(draw(1, 16, 9, 9), "NCHW"), Fmt(draw(32, 16, 3, 3, seed=1), "NCHW"), None], CONV, (1, 32, 9, 9)),
    "MatMulV2": ([draw(70, 33), draw(33, 50, seed=1), None, None], {}, (70, 50)),
    "MaxPoolV3": ([Fmt(draw(1, 16, 8, 8), "NCHW")], {**POOL, "global_pooling": False}, (1, 16, 4, 4)),
}


@pytest.fixture(scope="module")
def onednn():
    return Engine("onednn")


@pytest.mark.parametrize("type", CALLS)
def test_traits(onednn, type):
    inputs, attrs, shape = CALLS[type]
    outputs = [Fmt((shape, F), "NCHW") if len(shape) == 4 else (shape, F)]
    results, _ = onednn.run_once(type, inputs, attrs, outputs)
    checks = TraitChecks()
    checks.check(onednn, type, inputs, attrs, outputs, results)
    assert checks.seen >= {(type, "PURE"), (type, "FOLDABLE")}
