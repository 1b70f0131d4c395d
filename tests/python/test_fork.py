"""A process that forks after a model ran in parallel: the child has one thread, and the pool's others are gone."""

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, sys, threading
import numpy as np
import ge
from ge.es import GraphBuilder
from ge.graph import Tensor
from ge.session import Session

N = 256

def graph():
    b = GraphBuilder("g")
    x, w = b.create_input(0, name="x", shape=[N, N]), b.create_const_float([0.5] * (N * N), shape=[N, N])
    from ge.es.math import MatMul
    from ge.es.nn import Sigmoid
    return b.build_and_reset([Sigmoid(MatMul(x, w) + 1.0)])

def load():
    return ge.load(graph(), options={"threads": 2})

def session():
    s = Session({"threads": "2"})
    s.add_graph(0, graph())
    return s

model, other = load(), session()
feed = {"x": np.full((N, N), 1 / N, np.float32)}
tensor = Tensor([1 / N] * (N * N), shape=[N, N])
want = 1 / (1 + np.exp(-1.5))

def check(array):
    np.testing.assert_allclose(np.asarray(array), want, rtol=1e-5)

def one(m):
    check(*m.run(feed).values())

def in_thread():
    failed = []
    def body():
        try:
            one(model)
        except BaseException as e:
            failed.append(e)
    t = threading.Thread(target=body)
    t.start()
    t.join()
    assert not failed, failed

WAYS = {
    "same": lambda: one(model),
    "new": lambda: one(load()),
    "thread": in_thread,
    "session": lambda: check(other.run_graph(0, [tensor])[0].data),
    "grandchild": lambda: fork(WAYS["same"]),
}

def fork(body):
    pid = os.fork()
    if pid == 0:
        try:
            body()
        except BaseException as e:
            print(repr(e), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0

one(model)
check(other.run_graph(0, [tensor])[0].data)
fork(WAYS[sys.argv[1]])
one(model)  # the parent goes on with its threads
print("done")
"""


@pytest.mark.parametrize("way", ["same", "new", "thread", "session", "grandchild"])
def test_forked_child_runs(way):
    """Without care the child would wait for ever for threads that the fork did not copy."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, way],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        try:
            out, err = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)  # the stuck child with it
            out, err = "", "the forked child hangs"
    assert out.splitlines()[-1:] == ["done"], err
