"""Operators of values of open rank or extents; `Reshape` with extents of 0. The oracle is ONNX Runtime, or NumPy."""

import itertools

import numpy as np
import onnx
import pytest
from onnx import helper
from test_onnx_operators import model, node, ours, rand, same, theirs

import ge


def of_unknown_rank(nodes, opset=18, weights=()):
    """z is x or x as a matrix: its rank is known to a run only."""
    keep = helper.make_graph([node("Identity", ["x"], ["t"])], "keep", [], [onnx.ValueInfoProto(name="t")])
    flat = helper.make_graph([node("Flatten", ["x"], ["e"])], "flat", [], [onnx.ValueInfoProto(name="e")])
    choose = node("If", ["c"], ["z"], then_branch=keep, else_branch=flat)
    feed = {"x": rand(2, 3, 4) + np.float32(2.5), **dict(weights)}
    m = model([choose, *nodes], {**feed, "c": np.array(True)}, ["y"], opset, dict(weights), True, ("c",))
    return [(m, {**feed, "c": np.array(flag)}) for flag in (True, False)]


REDUCTIONS = ["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "SumSquare", "LogSum", "LogSumExp"]


@pytest.mark.parametrize("kind", REDUCTIONS)
def test_reductions_of_everything_of_unknown_rank(kind):
    for keep, opset in itertools.product((0, 1), (11, 18)):
        for m, feed in of_unknown_rank([node("Reduce" + kind, ["z"], ["y"], keepdims=keep)], opset):
            same(ours(m, feed), theirs(m, feed))


def test_what_is_left_has_no_dimensions():
    (m, feed), _ = of_unknown_rank(
        [node("ReduceMax", ["z"], ["r"], keepdims=0), node("Add", ["r", "w"], ["y"])], weights={"w": rand(3)}
    )
    assert list(ge.load(m.SerializeToString()).outputs[0].shape) == [3]
    same(ours(m, feed), theirs(m, feed))


@pytest.mark.parametrize("kind", REDUCTIONS)
@pytest.mark.parametrize("noop", [0, 1])
def test_axes_that_a_run_tells(kind, noop):
    """Without any, everything is reduced or nothing."""
    x = rand(2, 3, 4) + np.float32(2.5)
    for axes, keep in itertools.product(([], [1], [0, -1]), (0, 1)):
        feed = {"x": x, "a": np.array(axes, np.int64)}
        m = model(
            [node("Reduce" + kind, ["x", "a"], ["y"], keepdims=keep, noop_with_empty_axes=noop)], feed, ["y"], open_dims=True
        )
        same(ours(m, feed), theirs(m, feed))


@pytest.mark.parametrize("op,opset,attrs,more", [
    ("Transpose", 17, {}, {}), ("Softmax", 11, {"axis": 1}, {}), ("Softmax", 11, {"axis": -1}, {}),
    ("LogSoftmax", 11, {"axis": 2}, {}),
    ("Hardmax", 17, {"axis": -1}, {}), ("Hardmax", 17, {"axis": 1}, {}), ("Hardmax", 11, {"axis": 1}, {}),
    ("GlobalAveragePool", 17, {}, {}), ("GlobalMaxPool", 17, {}, {}), ("GlobalLpPool", 17, {"p": 3}, {}),
    ("Pad", 18, {}, {"p": np.array([1, 2]), "v": np.float32(3), "a": np.array([-1])}), ("Flatten", 17, {"axis": 2}, {}),
])  # fmt: skip
def test_operators_of_a_value_whose_rank_a_run_tells(op, opset, attrs, more):
    for m, feed in of_unknown_rank([node(op, ["z", *more], ["y"], **attrs)], opset, more):
        if not feed["c"] and (op == "LogSoftmax" or op.startswith("Global")):
            continue  # a matrix has no axis 2 and no positions
        same(ours(m, feed), theirs(m, feed))


def test_normalizations_of_a_value_whose_rank_a_run_tells():
    weights = {"s": rand(4, seed=1), "b": rand(4, seed=2)}
    for axis in (-1, 2):
        normalize = [
            node("LayerNormalization", ["z", "s", "b"], ["y", "mean", "inverse"], axis=axis),
            node("Add", ["mean", "inverse"], ["m"]),
        ]
        m, feed = of_unknown_rank(normalize, 17, weights)[0]
        m.graph.output.append(onnx.ValueInfoProto(name="m"))
        same(ours(m, feed), theirs(m, feed))
    weights = {"s": rand(3, seed=1), "b": rand(3, seed=2)}
    m, feed = of_unknown_rank([node("InstanceNormalization", ["z", "s", "b"], ["y"])], 17, weights)[0]
    same(ours(m, feed), theirs(m, feed))


# ---- reshaping to nothing


@pytest.mark.parametrize("shape,target,want", [
    ((0, 8), [8, 0], (8, 0)), ((0, 8), [0, 2, 4], (0, 2, 4)), ((3, 0), [0, 3], (0, 3)), ((0, 3), [2, 0], (2, 0)),
    ((4, 2), [2, 4], (2, 4)), ((0,), [0, 0, 5], (0, 0, 5)), ((2, 0, 3), [0], (0,)), ((4, 2), [-1], (8,)),
    ((0, 8), [8, -1], (8, 0)),
])  # fmt: skip
@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("open_dims", [False, True])
@pytest.mark.parametrize("opset", [14, 19, 21])
def test_reshape_with_zeros_that_are_extents(shape, target, want, computed, open_dims, opset):
    feed = {"x": rand(*shape), "s": np.array(target, np.int64)}
    # Something before and behind, so that passes and views are at work.
    nodes = [
        node("Neg", ["x"], ["n"]),
        node("Reshape", ["n", "s"], ["r"], allowzero=1),
        node("Abs", ["r"], ["a"]),
        node("Identity", ["r"], ["y"]),
    ]
    m = model(nodes, feed, ["y", "a"], opset, () if computed else ("s",), open_dims, ("s",))
    for options in (None, {"opt_level": "0"}):
        loaded = ge.load(m.SerializeToString(), options=options)
        y, a = loaded.run({k: v for k, v in feed.items() if computed or k == "x"}).values()
        assert y.shape == a.shape == want
        np.testing.assert_array_equal(y.ravel(), -feed["x"].ravel())


def test_zeros_that_copy_and_zeros_that_are_refused():
    x = rand(2, 3, 4)
    for opset, attrs in ((5, {}), (13, {}), (14, {}), (14, {"allowzero": 0})):
        feed = {"x": x, "s": np.array([0, 0, 2, 2], np.int64)}
        for open_dims, constants in itertools.product((False, True), ((), ("s",))):
            m = model([node("Reshape", ["x", "s"], ["y"], **attrs)], feed, ["y"], opset, constants, open_dims, ("s",))
            same(ours(m, feed), [x.reshape(2, 3, 2, 2)])
    feed = {"x": rand(0, 3), "s": np.array([0, -1], np.int64)}
    m = model([node("Reshape", ["x", "s"], ["y"], allowzero=1)], feed, ["y"], 14, ("s",))
    with pytest.raises(RuntimeError, match="both 0 and -1"):
        ours(m, feed)
    m = model([node("Reshape", ["x", "s"], ["y"], allowzero=1)], feed, ["y"], 14, open_dims=True, fixed=("s",))
    with pytest.raises(RuntimeError, match="0 and -1"):
        ours(m, feed)
