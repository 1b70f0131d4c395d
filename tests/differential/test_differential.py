"""The fuzzer finds what is planted, and says where: a fuzzer that cannot fail proves nothing."""

import sys

import numpy as np
import pytest
from onnx import TensorProto, helper

pytest.importorskip("ge")
pytest.importorskip("onnxruntime")

from . import case, cli, compare, oracle, report  # noqa: E402
from .check import check, precision  # noqa: E402
from .pool import Pool, levels  # noqa: E402
from .reduce import reduce, trimmed  # noqa: E402

OPTIONS = [{"threads": 1}, {"threads": 2}]


def planted(kind, seconds=60.0):
    return Pool(["avx2"], [sys.executable, "-m", "tests.differential.planted", kind], seconds)


def chain(*types, kind=TensorProto.FLOAT):
    """A model of unary nodes, one after the other."""
    names = [f"v{k}" for k in range(len(types) + 1)]
    nodes = [helper.make_node(t, [a], [b]) for t, a, b in zip(types, names, names[1:])]
    ports = [helper.make_tensor_value_info(n, kind, [2, 3]) for n in (names[0], names[-1])]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model


FEEDS = [{"v0": np.array([[1, -2, 3], [0.5, -0.25, 4]], np.float32)}] * 2


@pytest.fixture(scope="module")
def pool():
    with Pool() as made:
        yield made


def test_a_seed_is_the_same_case_every_time():
    first, again = case.make(5), case.make(5)
    assert first.model.SerializeToString() == again.model.SerializeToString()
    for a, b in zip(first.feeds, again.feeds):
        assert all(np.array_equal(a[n], b[n], equal_nan=a[n].dtype.kind == "f") for n in a)


def test_every_family_is_made_and_taken_by_the_oracle():
    made = {}
    for seed in range(150):
        one = case.make(seed)
        try:
            oracle.run(one.model, one.feeds)
            made[one.family] = made.get(one.family, 0) + 1
        except oracle.Refused:
            pass
    assert set(made) == set(case.FAMILIES) and sum(made.values()) >= 143


def test_every_instruction_set_and_both_thread_counts_run(pool):
    assert set(pool.workers) == set(levels()) and "scalar" in levels()
    assert [o["threads"] for o in case.make(3).options][:2] == [1, 2]
    assert check(chain("Tanh", "Relu", "Sigmoid"), FEEDS, OPTIONS, pool) == []


@pytest.mark.parametrize(
    "kind, text",
    [
        ("wrong", "output v3: 1 of 6 differ, most at (1, 2)"),
        ("error", "planted"),
        ("wrong_type", "type float64, expected float32"),
        ("wrong_shape", "shape (2, 3, 1), expected (2, 3)"),
        ("nan", "nan, expected"),
        ("crash", "SIGABRT\nplanted crash"),
    ],
)
def test_a_planted_defect_is_found(kind, text):
    with planted(kind) as workers:
        failures = check(chain("Tanh", "Relu", "Sigmoid"), FEEDS, OPTIONS, workers)
        assert failures and text in failures[0].text and failures[0].level == "avx2"
        if kind == "crash":  # the next model has a worker again
            assert failures[0].kind == "crash" and check(chain("Tanh"), FEEDS, OPTIONS, workers) == []


def test_a_defect_with_two_threads_names_them():
    with planted("only_two_threads") as workers:
        failures = check(chain("Relu"), FEEDS, OPTIONS, workers)
        assert [f.options for f in failures] == [{"threads": 2}]


def test_a_hang_is_found_and_the_worker_replaced():
    with planted("hang", seconds=3.0) as workers:
        assert check(chain("Relu"), FEEDS, OPTIONS, workers)[0].kind == "hang"
        workers.workers["avx2"].seconds = 60.0
        assert check(chain("Tanh"), FEEDS, OPTIONS, workers) == []


def test_a_failure_is_reduced_to_the_node_at_fault():
    model = chain("Tanh", "Sigmoid", "Abs", "Relu", "Neg", "Exp")
    with planted("wrong") as workers:
        failure = check(model, FEEDS, OPTIONS, workers)[0]
        small, feeds, left = reduce(model, FEEDS, failure, workers)
    assert [n.op_type for n in small.graph.node] == ["Relu"] and len(feeds) == 1 and left.kind == failure.kind
    assert all(v.size == 1 for v in feeds[0].values())


def test_a_written_failure_can_be_run_again(tmp_path, monkeypatch, capsys):
    made = case.Case(7, "cnn", chain("Tanh", "Relu"), FEEDS, OPTIONS)
    with planted("wrong") as workers:
        text = report.write(made, check(made.model, made.feeds, OPTIONS, workers), workers, tmp_path, True)
    assert "--seed 7" in text and f"--rerun {tmp_path}/seed-7.onnx" in text
    assert report.rerun(tmp_path / "seed-7.onnx") == 0  # nothing is wrong with the library itself
    monkeypatch.setattr(report, "Pool", lambda: planted("wrong"))
    assert report.rerun(tmp_path / "seed-7.onnx") == 1 and "avx2" in capsys.readouterr().out


def test_the_command_line_counts_and_answers(tmp_path, capsys):
    args = ["--seeds", "6", "--jobs", "1", "--out", str(tmp_path)]
    assert cli.main(args) in (0, 1)
    assert "6 seeds in" in capsys.readouterr().out
    assert cli.summary({("cnn", "ok"): 10}, cli.collections.Counter(), [], 1.0) == 0
    assert cli.summary({("cnn", "failed"): 1}, cli.collections.Counter(), [3], 1.0) == 1
    assert cli.summary({("cnn", "ok"): 80, ("cnn", "skipped"): 20}, cli.collections.Counter(), [], 1.0) == 1


@pytest.mark.parametrize("kind, step", [("float32", 1e-4), ("float64", 1e-9), ("float16", 0.05)])
def test_what_rounding_does_not_explain_is_a_difference(kind, step):
    want = np.linspace(-1, 1, 7).astype(kind)
    got = want.copy()
    got[3] += step
    assert compare.difference("y", want, want, kind) is None
    assert compare.difference("y", got, want, kind)[0] == "values"


def test_integers_and_truth_values_are_compared_to_the_bit():
    assert compare.difference("y", np.array([1, 2]), np.array([1, 3]), "float32")[0] == "values"
    assert compare.difference("y", np.array([True]), np.array([False]), "float32")[0] == "values"


def test_what_is_not_finite_has_to_be_so_in_both():
    want = np.array([1, np.nan, np.inf, -np.inf], np.float32)
    assert compare.difference("y", want.copy(), want, "float32") is None
    for at, wrong in ((0, np.nan), (1, 0.0), (2, -np.inf), (3, np.nan)):
        got = want.copy()
        got[at] = wrong
        assert compare.difference("y", got, want, "float32")[0] == "not finite"


def test_cancellation_is_allowed_for_but_no_more():
    """(x + 1000) - 1000: what rounding may do to it is measured, and an error beyond it is none of rounding's."""
    big = helper.make_tensor("big", TensorProto.FLOAT, [], [1000.0])
    model = chain("Tanh", "Neg")
    nodes = [helper.make_node("Add", ["v0", "big"], ["a"]), helper.make_node("Sub", ["a", "big"], ["v2"])]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.append(big)
    feed = FEEDS[0]
    moved = oracle.spread(model, feed, compare.STEP["float32"])["v2"]
    want = oracle.run(model, [feed])[0]["v2"]
    assert compare.difference("v2", want + np.float32(2e-4), want, "float32") is not None
    assert compare.difference("v2", want + np.float32(2e-4), want, "float32", moved) is None
    assert compare.difference("v2", want + np.float32(2e-2), want, "float32", moved) is not None


def test_an_element_that_stayed_by_chance_may_move_as_its_neighbours_do():
    want, moved = np.zeros(100, np.float32), np.full(100, 1e-3)
    want[0], moved[3] = 1, 0
    got = want.copy()
    got[3] = 2e-3
    assert compare.difference("y", got, want, "float32", moved) is None
    got[3] = 2e-2
    assert compare.difference("y", got, want, "float32", moved) is not None


def test_the_standards_own_evaluator_has_a_say_where_the_runtime_is_coarse(pool):
    """The deviation of a single value is 0: ONNX Runtime leaves 6e-5 of cancellation, the exact result is the bias."""
    made = helper.make_node("InstanceNormalization", ["v0", "one", "bias"], ["v1"])
    model = chain("Tanh")
    del model.graph.node[:]
    model.graph.node.append(made)
    for port in (*model.graph.input, *model.graph.output):
        port.CopyFrom(helper.make_tensor_value_info(port.name, TensorProto.FLOAT, [6, 1, 1, 1]))
    model.graph.initializer.append(helper.make_tensor("one", TensorProto.FLOAT, [1], [1.5]))
    model.graph.initializer.append(helper.make_tensor("bias", TensorProto.FLOAT, [1], [-1.184751]))
    feed = {"v0": np.array([-2.9215, 0.5655, 1.921, -0.4766, 100.1, 1000.3], np.float32).reshape(6, 1, 1, 1)}
    second = oracle.second(model, feed)["v1"]
    np.testing.assert_allclose(second, np.float32(-1.184751), atol=1e-7)
    assert check(model, [feed], OPTIONS, pool) == []
    assert check(model, [feed], OPTIONS, planted("nan")) != []


def test_the_coarsest_type_decides():
    assert precision(chain("Tanh")) == "float32"
    assert precision(chain("Tanh", kind=TensorProto.DOUBLE)) == "float64"
    model = chain("Tanh")
    model.graph.node[0].CopyFrom(helper.make_node("Cast", ["v0"], ["v1"], to=TensorProto.FLOAT16))
    assert precision(model) == "float16"


def test_trimming_keeps_what_bodies_read():
    model = chain("Tanh", "Relu")
    body = helper.make_graph(
        [helper.make_node("Neg", ["v1"], ["n"])], "b", [], [helper.make_tensor_value_info("n", TensorProto.FLOAT, None)]
    )
    condition = helper.make_tensor("c", TensorProto.BOOL, [], [True])
    model.graph.initializer.append(condition)
    model.graph.node.append(helper.make_node("If", ["c"], ["z"], then_branch=body, else_branch=body))
    model.graph.output.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, None))
    del model.graph.output[0]
    assert [n.op_type for n in trimmed(model).graph.node] == ["Tanh", "If"]
