"""Model.run_async: awaits like any coroutine, overlaps, and a cancelled await leaves everything usable."""

import asyncio
import threading
import time

import models
import numpy as np
import pytest
from models import F, I, node

import ge
from ge.error import GeKeyError, GeTypeError

X = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)


def long_model():
    """Rounds of a loop, each a product of matrices: as many as an input says."""
    import onnx

    value = onnx.helper.make_tensor_value_info
    body = onnx.helper.make_graph(
        [node("MatMul", ["v", "w"], ["p"]), node("Tanh", ["p"], ["next"]), node("Identity", ["going"], ["on"])],
        "body",
        [value("i", I, []), value("going", onnx.TensorProto.BOOL, []), value("v", F, [256, 256])],
        [value("on", onnx.TensorProto.BOOL, []), value("next", F, [256, 256])],
    )
    weights = {"w": np.eye(256, dtype=np.float32) * 0.99, "yes": np.bool_(True)}
    return models.make([node("Loop", ["count", "yes", "x"], ["y"], body=body)], {"count": (I, []), "x": (F, [256, 256])},
                       {"y": (F, [256, 256])}, weights)  # fmt: skip


@pytest.fixture(scope="module")
def long_run():
    """(model, feed of a run that takes a second or more)."""
    m = ge.load(long_model(), {"threads": 1})
    x = np.full((256, 256), 0.5, np.float32)
    count = 64
    while True:
        feed = {"count": np.int64(count), "x": x}
        begin = time.perf_counter()
        m.run(feed)
        if time.perf_counter() - begin > 1:
            return m, feed
        count *= 2


def test_results_are_those_of_run():
    m = ge.load(models.mlp())
    got = asyncio.run(m.run_async({"x": X}))
    assert got.keys() == {"y"} and np.array_equal(got["y"], m.run({"x": X})["y"])


def test_many_at_once():
    m = ge.load(models.mlp("n"))
    feeds = [{"x": np.full((n, 8), n, np.float32)} for n in range(1, 40)]

    async def work():
        return await asyncio.gather(*(m.run_async(f) for f in feeds))

    for feed, got in zip(feeds, asyncio.run(work())):
        assert np.array_equal(got["y"], m.run(feed)["y"])


def test_the_loop_goes_on_meanwhile(long_run):
    m, feed = long_run

    async def work():
        ticks = 0
        run = asyncio.ensure_future(m.run_async(feed))
        while not run.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks

    assert asyncio.run(work()) > 10


def test_errors_come_with_the_await():
    m = ge.load(models.mlp())

    async def work(feed, kind):
        with pytest.raises(kind):
            await m.run_async(feed)
        return (await m.run_async({"x": X}))["y"]

    for feed, kind in (([X], GeTypeError), ({}, GeKeyError), ({"x": X.astype(np.int32)}, GeTypeError)):
        assert np.array_equal(asyncio.run(work(feed, kind)), m(X))
    m.close()
    with pytest.raises(RuntimeError, match="the model is closed"):
        asyncio.run(m.run_async({"x": X}))


def test_a_dictionary_that_changes_later_does_not_count():
    m = ge.load(models.mlp())

    async def work():
        feed = {"x": X}
        run = asyncio.ensure_future(m.run_async(feed))
        await asyncio.sleep(0)
        feed.clear()
        return await run

    assert np.array_equal(asyncio.run(work())["y"], m(X))


def test_initializers_may_be_fed():
    shapes = {"x": (F, [2]), "w": (F, [2])}
    m = ge.load(models.make([node("Add", ["x", "w"], ["y"])], shapes, {"y": (F, [2])}, {"w": np.ones(2, np.float32)}))
    x = np.float32([3, 4])
    assert asyncio.run(m.run_async({"x": x, "w": x}))["y"].tolist() == [6, 8]


def test_cancelling_ends_the_await_at_once_and_leaves_the_model_usable(long_run):
    m, feed = long_run
    want = m.run(feed)["y"]
    inputs = {"count": feed["count"], "x": feed["x"].copy()}

    async def work():
        run = asyncio.ensure_future(m.run_async(inputs))
        await asyncio.sleep(0.1)
        begin = time.perf_counter()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        took = time.perf_counter() - begin
        again = await m.run_async(feed)  # while the first may still be under way
        return took, again["y"]

    took, again = asyncio.run(work())
    assert took < 0.5 and np.array_equal(again, want) and np.array_equal(m.run(feed)["y"], want)
    assert threading.active_count() < 20 and all(c.handle for c in m._pool)


def test_wait_for_ends_a_run_that_takes_too_long(long_run):
    m, feed = long_run

    async def work():
        begin = time.perf_counter()
        with pytest.raises((asyncio.TimeoutError, TimeoutError)):
            await asyncio.wait_for(m.run_async(feed), 0.05)
        return time.perf_counter() - begin

    assert asyncio.run(work()) < 0.5
    assert m.run(feed)["y"].shape == (256, 256)


def test_a_run_that_has_not_begun_is_dropped():
    from concurrent.futures import ThreadPoolExecutor

    m = ge.load(models.mlp())
    m(X)
    began = []
    take = m._take
    m._take = lambda: began.append(1) or take()

    async def work():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        door = threading.Event()
        busy = loop.run_in_executor(None, door.wait)
        run = asyncio.ensure_future(m.run_async({"x": X}))
        await asyncio.sleep(0.05)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        door.set()
        await busy
        assert began == []
        return await m.run_async({"x": X})

    assert np.array_equal(asyncio.run(work())["y"], m(X)) and len(began) == 1


def test_every_context_comes_back():
    m = ge.load(models.mlp())

    async def work():
        for _ in range(30):
            runs = [asyncio.ensure_future(m.run_async({"x": X})) for _ in range(8)]
            await asyncio.sleep(0)
            for run in runs[::2]:
                run.cancel()
            await asyncio.gather(*runs, return_exceptions=True)

    asyncio.run(work())
    contexts = len(m._pool)
    assert 1 <= contexts <= 40 and len({id(c) for c in m._pool}) == contexts
    for _ in range(contexts):
        assert np.array_equal(m(X), m(X))


def test_cancelling_ends_the_run_itself(long_run):
    m, feed = long_run
    many = {"count": np.int64(int(feed["count"]) * 50), "x": feed["x"]}

    async def work():
        run = asyncio.ensure_future(m.run_async(many))
        await asyncio.sleep(0.1)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    begin = time.perf_counter()
    asyncio.run(work())  # waits for the thread
    assert time.perf_counter() - begin < 5
