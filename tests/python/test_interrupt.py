"""Work that is ended before it is done: by Ctrl-C, by other signal handlers, by time limits. Everything goes on afterwards."""

import signal
import subprocess
import sys
import time

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import ge
from ge.error import GeError


def counting_loop():
    """y = x + 1, as often as `rounds` says."""
    one = helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])
    go = helper.make_tensor("go", TensorProto.BOOL, [], [True])
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["c2"]), helper.make_node("Add", ["v", "one"], ["v2"])],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v", TensorProto.FLOAT, [2]),
        ],
        [
            helper.make_tensor_value_info("c2", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v2", TensorProto.FLOAT, [2]),
        ],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["rounds", "go", "x"], ["y"], name="counting", body=body)],
        "loop",
        [
            helper.make_tensor_value_info("rounds", TensorProto.INT64, []),
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
        [one, go],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def rounds(n):
    return {"rounds": np.array(n, np.int64), "x": np.array([0, 10], np.float32)}


FOR_EVER = rounds(2**62)


def counts(model):
    np.testing.assert_array_equal(model.run(rounds(3))["y"], [3, 13])


@pytest.fixture(scope="module")
def endless():
    return ge.load(counting_loop().SerializeToString(), {"loop_limit": 0})


class Rang(Exception):
    pass


@pytest.fixture
def alarm():
    """alarm(seconds): then a signal handler raises Rang."""

    def ring(number, frame):
        raise Rang(number)

    before = signal.signal(signal.SIGALRM, ring)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_what_a_signal_handler_raises_ends_a_run(endless, alarm):
    for _ in range(3):
        alarm(0.05)
        with pytest.raises(Rang):
            endless.run(FOR_EVER)
        counts(endless)


def test_a_signal_handler_that_does_not_raise_changes_nothing(endless):
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(time.perf_counter()))
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        n = 1000
        while not rang and n < 2**22:  # floats count so far
            n *= 2
            result = endless.run(rounds(n))["y"]
        assert rang
        np.testing.assert_array_equal(result, [n, n + 10])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_compile_and_an_import_are_ended(alarm):
    """The graph grows until the signal comes in the middle."""
    for length in (20000, 80000, 320000):
        nodes = [helper.make_node("Sin", [f"v{k}"], [f"v{k + 1}"], name=f"n{k}") for k in range(length)]
        graph = helper.make_graph(
            nodes,
            "chain",
            [helper.make_tensor_value_info("v0", TensorProto.FLOAT, [2])],
            [helper.make_tensor_value_info(f"v{length}", TensorProto.FLOAT, [2])],
        )
        raw = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString()
        alarm(0.04)
        try:
            ge.load(raw)
        except Rang:
            return
        finally:
            alarm(0)
    pytest.fail("no signal came while a graph was compiled")


def test_ctrl_c_ends_a_run_within_a_moment_and_the_program_goes_on(tmp_path):
    onnx.save(counting_loop(), str(tmp_path / "loop.onnx"))
    program = f"""
import numpy as np, time, ge
model = ge.load({str(tmp_path / "loop.onnx")!r}, {{"loop_limit": 0}})
feed = lambda n: {{"rounds": np.array(n, np.int64), "x": np.array([0, 10], np.float32)}}
model.run(feed(3))
for _ in range(2):
    print("runs", flush=True)
    try:
        model.run(feed(2**62))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
print(model.run(feed(3))["y"].tolist(), flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    took = []
    for _ in range(2):
        assert child.stdout.readline() == "runs\n"
        time.sleep(0.2)
        begin = time.perf_counter()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        took.append(time.perf_counter() - begin)
    assert child.stdout.readline() == "[3.0, 13.0]\n"
    assert child.wait(60) == 0
    assert min(took) < 10, took  # benchmarks/cancel.py measures it


def test_ctrl_c_ends_the_command_line(tmp_path):
    onnx.save(counting_loop(), str(tmp_path / "loop.onnx"))
    np.save(tmp_path / "rounds.npy", FOR_EVER["rounds"])
    command = [sys.executable, "-m", "ge", "run", tmp_path / "loop.onnx", "-i", f"rounds={tmp_path / 'rounds.npy'}"]
    child = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)  # until the loop runs; earlier is fine, too
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGINT, (child.returncode, out, err)
    assert out == ""
    assert err == "" or err.startswith("ge: interrupted: "), err


def test_a_run_has_a_time_limit(endless):
    with pytest.raises(TimeoutError, match="30 ms") as caught:
        endless.run(FOR_EVER, timeout=0.03)
    assert isinstance(caught.value, GeError)
    counts(endless)
    limited = ge.load(counting_loop().SerializeToString(), {"loop_limit": 0, "run_time_limit": 30})
    with pytest.raises(TimeoutError, match=r"30 ms \(run_time_limit\)"):
        limited.run(FOR_EVER)
    counts(limited)
    for wrong, kind in ((-1, ValueError), ("soon", TypeError), (float("nan"), ValueError)):
        with pytest.raises(kind, match="timeout"):
            endless.run(rounds(3), timeout=wrong)
    counts(endless)


def test_a_loop_has_limits():
    default = ge.load(counting_loop().SerializeToString(), {"loop_limit": 1000})
    with pytest.raises(GeError, match="'counting': it has made 1000 rounds and goes on; option loop_limit allows more"):
        default.run(FOR_EVER)
    counts(default)
