"""Graphs whose shapes depend on values keep plans around the nodes where they do; ONNX Runtime is the oracle."""

import json

import numpy as np
import pytest
from net_cases import nets, reference
from onnx import TensorProto, helper

import ge

FEATURES = 16


def mlp(w, x, width, layers=3):
    for _ in range(layers):
        x = w.add("Relu", w.linear(x, width, width, gain=2**0.5))
    return x


def picked(w, x, keep):
    """The rows of x where `keep` is not 0: how many there are, only a run tells."""
    rows = w.add("Squeeze", w.add("NonZero", keep), w.const([0], np.int64))
    return w.add("Gather", x, rows, axis=0)


def detector(size):
    """Convolutions over an image, a choice of positions, and a head for those that were chosen."""
    w = nets.Writer("detector", 3)
    x, keep = w.input("x", [1, 3, *size]), w.input("keep", ["p" if size[0] == "h" else 80])
    y = x
    for cin, cout, stride in [(3, 16, 2), (16, 32, 1), (32, FEATURES, 2)]:
        y = w.block(y, cin, cout, 3, stride)
    # The count of features is asked here and used behind the choice.
    count = w.add("Slice", w.add("Shape", y), w.const([1], np.int64), w.const([2], np.int64))
    flat = w.add("Reshape", y, w.add("Concat", count, w.const([-1], np.int64), axis=0))
    chosen = picked(w, w.add("Transpose", flat, perm=[1, 0]), keep)
    shape = w.add("Concat", w.const([-1, 2], np.int64), w.add("Div", count, w.const([2], np.int64)), axis=0)
    folded = w.add("Reshape", mlp(w, chosen, FEATURES, layers=8), shape)
    w.output(w.add("Softmax", folded, axis=-1), "y", ["n", 2, "half"])
    return w.finish()


def detector_feed(h, w, seed):
    random = np.random.default_rng(seed)
    positions = ((h + 1) // 2 + 1) // 2 * (((w + 1) // 2 + 1) // 2)
    keep = (random.random(positions) < 0.4).astype(np.float32)
    keep[0] = 1
    return {"x": random.standard_normal((1, 3, h, w)).astype(np.float32), "keep": keep}


def load(model, **options):
    return ge.load(model.SerializeToString(), options={k: str(v) for k, v in options.items()})


def check(model, feed, loaded):
    for name, want in reference(model, feed).items():
        got = loaded.run(feed)[name]
        assert got.shape == want.shape and got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def islands(loaded):
    return [(i["graph"], i["nodes"]) for i in loaded.report()["islands"]]


@pytest.mark.parametrize("size", [(32, 40), ("h", "w")])
def test_a_choice_of_positions_leaves_a_plan_before_and_behind_it(size):
    model = detector(size)
    loaded, alone = load(model), load(model, islands=0)
    sizes = [size] * 4 if size[0] == 32 else [(32, 40), (17, 64), (32, 40), (50, 9)]
    for seed, (h, w) in enumerate(sizes):
        feed = detector_feed(h, w, seed)
        check(model, feed, loaded)
        check(model, feed, alone)
    report = loaded.report()
    assert [i["graph"] for i in report["islands"]] == ["", ""]
    assert all(i["plans"] > 0 for i in report["islands"])
    assert islands(alone) == []
    kinds = [p["type"] for p in report["placement"]]
    assert "TransData" in kinds  # blocked, as in a graph of known shapes
    assert "TransData" not in [p["type"] for p in alone.report()["placement"]]
    assert kinds.count("NonZero") == 1


def test_what_is_certain_is_planned_when_the_model_is_loaded():
    loaded = load(detector((32, 40)))
    before, behind = loaded.report()["islands"]
    assert before["plans"] == 1 and behind["plans"] == 0


def test_the_placed_graph_shows_islands_and_compiles_again():
    model = detector((32, 40))
    loaded = load(model)
    feed = detector_feed(32, 40, 1)
    graph = loaded.placed_graph()
    assert sorted(g.name for g in graph.get_all_subgraphs()) == sorted(i["name"] for i in loaded.report()["islands"])
    again = ge.load(graph)
    check(model, feed, again)
    assert islands(again) == islands(loaded)


def test_a_branch_in_the_middle():
    w = nets.Writer("branch", 5)
    x, which = w.input("x", [6, 8]), w.input("which", [], TensorProto.BOOL)
    y = mlp(w, x, 8)
    branches = []
    for op in ("Neg", "Abs"):
        out = helper.make_tensor_value_info(f"{op}_out", TensorProto.FLOAT, [6, 8])
        branches.append(helper.make_graph([helper.make_node(op, [y], [f"{op}_out"])], op, [], [out]))
    z = w.add("If", which, then_branch=branches[0], else_branch=branches[1])
    w.output(mlp(w, z, 8), "y", [6, 8])
    model = w.finish()
    loaded = load(model)
    for seed in range(4):
        x = np.random.default_rng(seed).standard_normal((6, 8)).astype(np.float32)
        check(model, {"x": x, "which": np.array(seed % 2 == 0)}, loaded)
    assert [graph for graph, _ in islands(loaded)] == ["", ""]
    assert all(i["plans"] == 1 for i in loaded.report()["islands"])


def test_a_body_that_chooses():
    """for i in range(n): x = mlp(some rows of mlp(x)): the body of a loop has islands of its own."""
    body = nets.Writer("body", 9)
    body.input("i", [], TensorProto.INT64)
    go, x = body.input("go", [], TensorProto.BOOL), body.input("v", ["r", 8])
    y = mlp(body, x, 8)
    size = body.add("ReduceSum", body.add("Abs", x), body.const([1], np.int64), keepdims=0)
    z = picked(body, y, body.add("Relu", body.add("Sub", size, body.const(3.0))))
    body.nodes.append(helper.make_node("Identity", [go], ["go_out"]))
    body.outputs.append(helper.make_tensor_value_info("go_out", TensorProto.BOOL, []))
    body.output(mlp(body, z, 8), "v_out", ["r", 8])
    graph = body.finish().graph
    w = nets.Writer("loop", 1)
    n, x = w.input("n", [], TensorProto.INT64), w.input("x", ["r", 8])
    w.output(w.add("Loop", n, "", x, body=graph), "y", ["r", 8])
    model = w.finish()
    loaded = load(model)
    for rounds, rows in [(3, 4), (1, 7), (0, 2), (5, 4)]:
        x = np.random.default_rng(rows).standard_normal((rows, 8)).astype(np.float32)
        check(model, {"n": np.array(rounds), "x": x}, loaded)
    assert len(islands(loaded)) >= 2 and all(graph != "" for graph, _ in islands(loaded))


@pytest.mark.parametrize("seed", range(16))
def test_random_graphs(seed):
    """Chains that split, choose rows, and join again, in three runs of different sizes."""
    random = np.random.default_rng(seed)
    w = nets.Writer("random", seed)
    rows = "r" if seed % 2 else 12
    pool = [(w.input("x", [rows, 8]), 0)]  # value, which count of rows it has
    keep = w.input("keep", [rows])
    keeps, counts = {0: keep}, 1
    for _ in range(int(random.integers(20, 45))):
        value, count = pool[random.integers(len(pool))]
        kind = random.random()
        if kind < 0.12:
            keeps[counts] = picked(w, keeps[count], w.add("Relu", keeps[count]))
            pool.append((picked(w, value, w.add("Relu", keeps[count])), counts))
            counts += 1
        elif kind < 0.3:
            pool.append((w.linear(value, 8, 8), count))
        elif kind < 0.55:
            others = [v for v, c in pool if c == count]
            pool.append((w.add(random.choice(["Add", "Sub", "Max"]), value, others[random.integers(len(others))]), count))
        elif kind < 0.65:
            shape = w.add("Shape", value)
            pool.append((w.add("Reshape", w.add("Reshape", value, w.const([-1], np.int64)), shape), count))
        else:
            pool.append((w.add(random.choice(["Relu", "Tanh", "Neg", "Sigmoid"]), value), count))
    for k, (value, _) in enumerate([pool[-1], pool[len(pool) // 2], pool[-2]]):
        w.output(value, f"y{k}", ["?", 8])
    model = w.finish()
    loaded = load(model)
    for _ in range(3):
        r = 12 if rows == 12 else int(random.integers(3, 20))
        feed = {"x": random.standard_normal((r, 8)).astype(np.float32), "keep": random.choice([-1, 1, 2], r).astype(np.float32)}
        check(model, feed, loaded)
    json.dumps(loaded.report())


def test_islands_that_work_out_the_same_values():
    """A value that follows from shapes is computed in both islands, whichever of them has the nodes."""
    w = nets.Writer("values", 7)
    x, v = w.input("x", ["m", "m"]), w.input("v", ["m", "k", "k"])
    rows = w.add("Gather", w.add("Shape", x), w.const([0], np.int64))
    branches = []
    for op, inputs, more in (("Neg", [v], {}), ("Concat", [v, v], {"axis": 0})):
        out = helper.make_tensor_value_info(f"{op}_out", TensorProto.FLOAT, None)
        branches.append(helper.make_graph([helper.make_node(op, inputs, [f"{op}_out"], **more)], op, [], [out]))
    few = w.add("Squeeze", w.add("Greater", rows, w.const([4], np.int64)))
    y = w.add("If", few, then_branch=branches[0], else_branch=branches[1])
    same = w.add("ConstantOfShape", w.add("Shape", y))
    columns = w.add("Gather", w.add("Shape", y), w.const([2], np.int64))
    plane = w.add("ConstantOfShape", w.add("Concat", rows, columns, axis=0))
    body = nets.Writer("body", 9)
    body.input("i", [], TensorProto.INT64)
    go, c = body.input("go", [], TensorProto.BOOL), body.input("c", None)
    body.nodes.append(helper.make_node("Identity", [go], ["go_out"]))
    body.outputs.append(helper.make_tensor_value_info("go_out", TensorProto.BOOL, []))
    body.output(body.add("Mul", c, same), "c_out", None)
    times = w.add("Min", w.const([2], np.int64), w.const(3, np.int64))
    z = w.add("Loop", times, "", same, body=body.finish().graph)
    wide = w.add("Expand", w.add("Gather", w.add("Shape", z), w.const([1], np.int64)), w.const([2], np.int64))
    padded = w.add("Pad", plane, w.add("Concat", w.const([0, 0], np.int64), wide, axis=0))
    w.output(w.add("Identity", z), "z", ["?", "?", "?"])
    w.output(w.add("Identity", padded), "padded", ["?", "?"])
    model = w.finish()
    loaded = load(model)
    for m, k in [(6, 6), (6, 5), (2, 4)]:
        random = np.random.default_rng(m * k)
        feed = {"x": random.standard_normal((m, m)), "v": random.standard_normal((m, k, k))}
        check(model, {name: value.astype(np.float32) for name, value in feed.items()}, loaded)
    assert len(islands(loaded)) > 1
