"""Integers of every ONNX operator at their extremes: refused, or computed as ONNX Runtime does; never a crash."""

import re
import threading

import integer_extremes
import numpy as np
import pytest

# Where ONNX Runtime is not what ONNX says, or the difference is known (docs/limits.md).
ALLOWED = [
    ("wrong", r"maxunpool_export_with_output_shape", "ONNX counts the indices in the shape before the pads"),
    ("wrong", r"top_k.*:sorted=0", "any order will do"),
    ("accepted", r"window.*:x\[0\]=0:const", "an empty window; ONNX Runtime takes it where a run tells the size"),
    ("accepted", r"cast.*:saturate=0", "it has no effect on these types; ONNX Runtime wants it unset"),
    ("accepted", r"unique_bfloat16|cast_BFLOAT16", "NumPy lacks bfloat16, so ONNX Runtime is fed integers"),
    ("accepted", r"convinteger_with_padding:pads", "ONNX Runtime refuses pads that differ"),
    ("accepted", r"edge_pad:pads\[0\]=-1", "nothing is left, and the result is empty"),
    ("accepted", r"expand.*=-1:fed", "Expand of GE keeps extents at -1, and a run does not know who asks"),
    ("accepted", r"_batchwise:", "ONNX Runtime has no recurrent network with the batch first"),
]


def allowed(kind, name):
    return any(kind == k and re.search(pattern, name) for k, pattern, _ in ALLOWED)


def both(cases):
    """Answers of the two sides, which work at the same time."""
    theirs = []
    oracle = threading.Thread(target=lambda: theirs.extend(integer_extremes.answers(integer_extremes.onnx_runtime, cases)))
    oracle.start()
    ours = integer_extremes.answers(integer_extremes.open_ge, cases)
    oracle.join()
    return ours, theirs


def test_every_operator():
    pytest.importorskip("onnxruntime")
    cases = list(integer_extremes.generate())
    assert len(cases) > 3000
    wrong = []
    for case, ours, theirs in zip(cases, *both(cases)):
        verdict = integer_extremes.judge(ours, theirs)
        if verdict and verdict[0] != "refused" and not allowed(verdict[0], case.name):
            wrong.append(f"{verdict[0]} {case.name}: {verdict[1]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "ours, theirs, kind",
    [
        ("crash: signal 11", "Fail: no", "crash"),
        ("UnicodeError: no", "Fail: no", "odd"),
        ({"y": np.zeros(2)}, "Fail: no", "accepted"),
        ({"y": np.zeros(2)}, {"y": np.ones(2)}, "wrong"),
        ({"y": np.zeros(2)}, {"y": np.zeros((2, 1))}, "wrong"),
        ("GeError: no", {"y": np.zeros(2)}, "refused"),
        ("GeError: no", "Fail: no", None),
        ({"y": np.zeros(2)}, {"y": np.zeros(2)}, None),
        ({"y": np.zeros(2)}, "Fail: NOT_IMPLEMENTED", None),
    ],
)
def test_the_judge_can_say_all(ours, theirs, kind):
    verdict = integer_extremes.judge(ours, theirs)
    assert (verdict[0] if verdict else None) == kind
