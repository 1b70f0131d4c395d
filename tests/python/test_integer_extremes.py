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
    (
        "accepted",
        r"tree_ensemble.*:nodes_(true|false)leafs",
        "ways that meet in one node are no circle; ONNX Runtime wants trees",
    ),
    ("accepted", r"window.*:x\[0\]=0:const", "an empty window; ONNX Runtime takes it where a run tells the size"),
    ("accepted", r"cast.*:saturate=0", "it has no effect on these types; ONNX Runtime wants it unset"),
    ("accepted", r"unique_bfloat16|cast_BFLOAT16", "NumPy lacks bfloat16, so ONNX Runtime is fed integers"),
    ("accepted", r"convinteger_with_padding:pads", "ONNX Runtime refuses pads that differ"),
    ("accepted", r"edge_pad:pads\[0\]=-1", "nothing is left, and the result is empty"),
    ("accepted", r"expand.*=-1:fed", "Expand of GE keeps extents at -1, and a run does not know who asks"),
    ("accepted", r"_batchwise:", "ONNX Runtime has no recurrent network with the batch first"),
    ("accepted", r"split_to_sequence_1:keepdims", "ONNX looks at keepdims only where there is no split"),
    ("accepted", r"strnormalizer.*:is_case_sensitive=0", "ONNX Runtime wants the locale en_US.UTF-8 of the system"),
    ("accepted", r"tfidf.*:max_gram_length", "ONNX Runtime refuses lengths beyond those in the pool"),
    ("wrong", r"tfidf.*:max_skip_count=9223372036854775807", "ONNX Runtime adds one to it, past the end of its type"),
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


def test_the_least_number_stays_what_it_is():
    """Shape inference computes with small integers, and has no number to spare for those that it does not know."""
    from onnx import TensorProto, helper, numpy_helper

    import ge

    a, b = np.array([-(2**63), 1]), np.array([-(2**63) + 1, -(2**63)])
    y = helper.make_tensor_value_info("y", TensorProto.INT64, [4])
    constants = [numpy_helper.from_array(a, "a"), numpy_helper.from_array(b, "b")]
    graph = helper.make_graph([helper.make_node("Concat", ["a", "b"], ["y"], axis=0)], "g", [], [y], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    np.testing.assert_array_equal(ge.load(model.SerializeToString()).run({})["y"], np.concatenate([a, b]))
