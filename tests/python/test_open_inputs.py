"""Inputs whose descriptions a graph leaves to its runs, against NumPy."""

import threading

import numpy as np
import pytest

import ge.es.all as es
from ge.error import GeError
from ge.es import GraphBuilder
from ge.graph import DataType, Format, Tensor
from ge.session import Session

TYPES = {np.dtype(np.float32): DataType.DT_FLOAT, np.dtype(np.int32): DataType.DT_INT32, np.dtype(np.int64): DataType.DT_INT64}


def feed(array, format=Format.FORMAT_ND):
    return Tensor(array.ravel().tolist(), None, TYPES[array.dtype], format, list(array.shape))


def session_of(graph):
    session = Session({})
    session.add_graph(1, graph)
    return session


def sum_of_two():
    b = GraphBuilder("sum")
    return b.build_and_reset([es.Add(b.create_input(0), b.create_input(1))])


def run(session, *arrays):
    y = session.run_graph(1, [feed(a) for a in arrays])[0]
    return np.asarray(y.data, dtype={v: k for k, v in TYPES.items()}[y.data_type]).reshape(y.shape)


def test_a_run_says_type_and_shape():
    session = session_of(sum_of_two())
    a, b = np.arange(6, dtype=np.int32).reshape(2, 3), np.array([10, 20, 30], np.int32)
    y = run(session, a, b)
    assert y.dtype == np.int32 and y.shape == (2, 3)
    np.testing.assert_array_equal(y, a + b)


def test_later_runs_may_bring_other_shapes_ranks_and_types():
    session = session_of(sum_of_two())
    r = np.random.default_rng(0)
    cases = [((2, 3), (3,), np.float32), ((4, 3), (3,), np.float32), ((4, 5), (5,), np.float32), ((2, 3), (3,), np.float32)]
    cases += [((2, 1, 3), (4, 3), np.float32), ((3,), (1,), np.int64), ((), (), np.int32), ((2, 3), (3,), np.float32)]
    for first, second, dtype in cases:
        a, b = (r.integers(-9, 9, shape).astype(dtype) for shape in (first, second))
        y = run(session, a, b)
        assert y.dtype == dtype
        np.testing.assert_array_equal(y, a + b)


def test_the_layout_of_a_run_decides_a_convolution():
    b = GraphBuilder("conv")
    w = b.create_const_float([1.0] * 2 * 3 * 2 * 2, [2, 3, 2, 2])
    x = b.create_input(0, name="image")
    y = es.Conv2D(x, w, None, None, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0], data_format="NHWC")
    session = session_of(b.build_and_reset([y]))
    image = np.arange(48, dtype=np.float32).reshape(1, 3, 4, 4)
    (got,) = session.run_graph(1, [feed(image, Format.FORMAT_NCHW)])
    windows = np.lib.stride_tricks.sliding_window_view(image, (2, 2), axis=(2, 3)).sum(axis=(1, 4, 5))
    assert got.shape == [1, 2, 3, 3]
    np.testing.assert_array_equal(np.asarray(got.data).reshape(2, 3, 3), np.stack([windows[0], windows[0]]))


def layouts():
    """A convolution over an open input, and what NumPy says of an image of 3 x 3 x 3 as NCHW and as NHWC."""
    r = np.random.default_rng(1)
    w, image = r.integers(-3, 4, (2, 3, 2, 2)).astype(np.float32), r.integers(-3, 4, (1, 3, 3, 3)).astype(np.float32)

    def graph(**stated):
        b = GraphBuilder("conv")
        x = b.create_input(0, name="image", **stated)
        weights = b.create_const_float(w.ravel().tolist(), [2, 3, 2, 2])
        y = es.Conv2D(x, weights, None, None, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0], data_format="NHWC")
        return b.build_and_reset([y])

    def windows(channels_first):
        views = np.lib.stride_tricks.sliding_window_view(channels_first, (2, 2), axis=(2, 3))
        return np.einsum("nchwij,ocij->nohw", views, w)

    first, last = windows(image), np.moveaxis(windows(np.moveaxis(image, -1, 1)), 1, -1)
    return graph, image, {Format.FORMAT_NCHW: first, Format.FORMAT_NHWC: last}


def test_every_run_says_its_layout():
    graph, image, wanted = layouts()
    session = session_of(graph())
    for format in (Format.FORMAT_NCHW, Format.FORMAT_NHWC, Format.FORMAT_NCHW):
        (got,) = session.run_graph(1, [feed(image, format)])
        assert got.shape == list(wanted[format].shape)
        np.testing.assert_array_equal(np.asarray(got.data).ravel(), wanted[format].ravel())


def test_a_stated_layout_is_checked():
    graph, image, wanted = layouts()
    session = session_of(graph(format=Format.FORMAT_NCHW, shape=[1, 3, 3, 3]))
    message = r"RunGraph failed; graph_id=1; .*input 0 \('image'\) has format NHWC, expected NCHW"
    with pytest.raises(GeError, match=message):
        session.run_graph(1, [feed(image, Format.FORMAT_NHWC)])
    for format in (Format.FORMAT_NCHW, Format.FORMAT_ND):
        (got,) = session.run_graph(1, [feed(image, format)])
        np.testing.assert_array_equal(np.asarray(got.data).ravel(), wanted[Format.FORMAT_NCHW].ravel())


def test_what_the_graph_states_is_checked():
    b = GraphBuilder("stated")
    x = b.create_input(0, name="x", data_type=DataType.DT_INT32, shape=[2, -1])
    session = session_of(b.build_and_reset([es.Add(x, b.create_input(1, name="open"))]))
    whole = np.ones((2, 3), np.int32)
    np.testing.assert_array_equal(run(session, whole, whole), whole + whole)
    with pytest.raises(GeError, match=r"RunGraph failed; graph_id=1; .*'x'.*DT_FLOAT.*DT_INT32"):
        run(session, whole.astype(np.float32), whole)
    with pytest.raises(GeError, match=r"RunGraph failed; graph_id=1; .*'x'.*3.*2"):
        run(session, np.ones((3, 3), np.int32), whole)
    np.testing.assert_array_equal(run(session, whole, whole), whole + whole)


def test_tensors_that_do_not_fit_name_the_operator_and_leave_the_session_intact():
    session = session_of(sum_of_two())
    a = np.ones((2, 3), np.float32)
    with pytest.raises(GeError, match=r"RunGraph failed; graph_id=1; .*Add 'Add_0'.*3.*4"):
        run(session, a, np.ones(4, np.float32))
    np.testing.assert_array_equal(run(session, a, a), a + a)
    with pytest.raises(GeError, match=r"RunGraph failed; graph_id=1; .*"):
        session.run_graph(1, [feed(a)])
    np.testing.assert_array_equal(run(session, a, a), a + a)


def test_the_callers_graph_stays_as_it_is():
    graph = sum_of_two()
    before = str(graph)
    session = session_of(graph)
    run(session, np.ones((2, 3), np.int32), np.ones((2, 3), np.int32))
    assert str(graph) == before


def test_threads_with_shapes_of_their_own():
    session = session_of(sum_of_two())
    failures = []

    def work(seed):
        r = np.random.default_rng(seed)
        try:
            for _ in range(20):
                shape = tuple(r.integers(1, 5, size=int(r.integers(1, 4))))
                a = r.integers(-9, 9, shape).astype([np.float32, np.int32][seed % 2])
                np.testing.assert_array_equal(run(session, a, a), a + a)
        except Exception as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
