"""Operators of ONNX that are put together from others, also where extents and values are known at run time only.

The oracle is ONNX Runtime, or a definition written out with NumPy."""

import itertools

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import ge
from ge.error import GeError

F, D, I64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64


def rand(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed + sum(shape)).uniform(-2, 2, shape).astype(dtype)


def model(nodes, feed, outputs, opset=18, constants=(), open_dims=False, fixed=()):
    """A graph with an input for each array of `feed`; those named in `constants` are initializers. With `open_dims`
    the extents of all inputs but those in `fixed` are unknown. Outputs: names."""
    values = []
    for name, x in feed.items():
        if name not in constants:
            dims = [f"{name}{i}" for i in range(x.ndim)] if open_dims and name not in fixed else x.shape
            values.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), dims))
    made = [numpy_helper.from_array(feed[name], name) for name in constants]
    results = [o if isinstance(o, onnx.ValueInfoProto) else onnx.ValueInfoProto(name=o) for o in outputs]
    graph = helper.make_graph(nodes, "g", values, results, made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def ours(m, feed):
    given = {i.name for i in m.graph.input}
    return list(ge.load(m.SerializeToString()).run({k: v for k, v in feed.items() if k in given}).values())


def theirs(m, feed):
    given = {i.name for i in m.graph.input}
    session = onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {k: v for k, v in feed.items() if k in given})


def same(got, want, tolerance=2e-5):
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.dtype == b.dtype and a.shape == b.shape
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a.astype(float), b.astype(float), rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(a, b)


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs, outputs, **attrs)


def against_runtime(op, feed, outputs=1, opset=18, constants=(), tolerance=2e-5, fixed=(), **attrs):
    names = [f"y{i}" for i in range(outputs)]
    for open_dims in (False, True):
        m = model([node(op, list(feed), names, **attrs)], feed, names, opset, constants, open_dims, fixed)
        same(ours(m, feed), theirs(m, feed), tolerance)


# ---- recurrence


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_recurrent(kind, dtype, direction):
    gates, d = {"RNN": 1, "GRU": 3, "LSTM": 4}[kind], 2 if direction == "bidirectional" else 1
    feed = {"x": rand(5, 3, 4, dtype=dtype), "w": rand(d, gates * 6, 4, dtype=dtype, seed=1),
            "r": rand(d, gates * 6, 6, dtype=dtype, seed=2), "b": rand(d, 2 * gates * 6, dtype=dtype, seed=3),
            "lens": np.array([5, 2, 1], np.int32), "h": rand(d, 3, 6, dtype=dtype, seed=4)}  # fmt: skip
    want = recurrent(kind, feed, direction)
    names = ["y0", "y1", "y2"][: len(want)]
    m = model([node(kind, list(feed), names, hidden_size=6, direction=direction)], feed, names)
    same(ours(m, feed), want, 1e-5 if dtype == np.float32 else 1e-12)


def recurrent(kind, feed, direction):
    """By definition, in double: cells step by step."""
    dtype, x = feed["x"].dtype, feed["x"].astype(float)
    s = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    steps, batch, n = len(x), x.shape[1], 6
    ways = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    y, last, cells = np.zeros((steps, len(ways), batch, n)), np.zeros((len(ways), batch, n)), np.zeros((len(ways), batch, n))
    for way, back in enumerate(ways):
        w, r, b = (feed[k][way].astype(float) for k in "wrb")
        wb, rb = np.split(b, 2)
        for i, length in enumerate(feed["lens"]):
            h, c = feed["h"][way, i].astype(float), np.zeros(n)
            for t in range(length)[::-1] if back else range(length):
                a, q = w @ x[t, i] + wb, r @ h + rb
                if kind == "RNN":
                    h = np.tanh(a + q)
                elif kind == "GRU":
                    z, reset = s(a[:n] + q[:n]), s(a[n : 2 * n] + q[n : 2 * n])
                    g = np.tanh(a[2 * n :] + r[2 * n :] @ (reset * h) + rb[2 * n :])
                    h = (1 - z) * g + z * h
                else:
                    i_, o, f, g = np.split(a + q, 4)
                    c = s(f) * c + s(i_) * np.tanh(g)
                    h = s(o) * np.tanh(c)
                y[t, way, i] = h
            last[way, i], cells[way, i] = h, c
    out = [y, last] + ([cells] if kind == "LSTM" else [])
    return [v.astype(dtype) for v in out]


@pytest.mark.parametrize("options", [
    {"activations": ["Relu"], "clip": 0.3},
    {"activations": ["LeakyRelu"], "activation_alpha": [0.3], "clip": 0.7},
    {"activations": ["Affine"], "activation_alpha": [0.5], "activation_beta": [0.25]},
    {"activations": ["HardSigmoid"], "activation_alpha": [0.3], "activation_beta": [0.4], "clip": 0.05},
    {"activations": ["Softsign"]},
])  # fmt: skip
def test_plain_rnn_with_options(options):
    feed = {"x": rand(4, 2, 3), "w": rand(1, 5, 3, seed=1), "r": rand(1, 5, 5, seed=2), "b": rand(1, 10, seed=3)}
    against_runtime("RNN", feed, 2, constants=("w", "r", "b"), hidden_size=5, **options)


def test_plain_rnn_both_ways_with_different_functions():
    feed = {"x": rand(4, 2, 3), "w": rand(2, 5, 3, seed=1), "r": rand(2, 5, 5, seed=2)}
    against_runtime("RNN", feed, 2, constants=("w", "r"), hidden_size=5, direction="bidirectional",
                    activations=["LeakyRelu", "Elu"], activation_alpha=[0.2, 0.6])  # fmt: skip


# ---- loops


def scan(feed, open_dims, **attrs):
    body = helper.make_graph(
        [node("Add", ["s", "a"], ["s2"]), node("Mul", ["s2", "outer"], ["m"]), node("Sub", ["m", "b"], ["o"]),
         node("Identity", ["s2"], ["next"])], "body",
        [helper.make_tensor_value_info(n, F, [2]) for n in ("s", "a", "b")],
        [helper.make_tensor_value_info(n, F, [2]) for n in ("next", "o")])  # fmt: skip
    attrs = {"body": body, "num_scan_inputs": 2, **attrs}
    made = node("Scan", ["init", "a_all", "b_all"], ["last", "all"], **attrs)
    return model([made], feed, ["last", "all"], 17, ("outer",), open_dims)


@pytest.mark.parametrize("open_dims", [False, True])
@pytest.mark.parametrize("rounds", [1, 6, 3000])
def test_scan(rounds, open_dims):
    for back, axes in itertools.product(([0, 0], [1, 0]), ([0, 1], [1, -1])):
        shape = lambda axis: (2, rounds) if axis else (rounds, 2)  # noqa: E731
        feed = {"init": rand(2), "a_all": rand(*shape(axes[0])), "b_all": rand(*shape(axes[1])), "outer": np.float32(0.5)}
        feed["outer"] = np.array(0.5, np.float32)
        m = scan(feed, open_dims, scan_input_axes=axes, scan_input_directions=back, scan_output_axes=[-1],
                 scan_output_directions=[back[0]])  # fmt: skip
        same(ours(m, feed), theirs(m, feed), 2e-3 if rounds > 100 else 1e-5)


def test_scan_of_nothing():
    feed = {"init": rand(2), "a_all": np.zeros((0, 2), np.float32), "b_all": np.zeros((0, 2), np.float32)}
    feed["outer"] = np.array(0.5, np.float32)
    last, collected = ours(scan(feed, True), feed)
    np.testing.assert_array_equal(last, feed["init"])
    assert collected.shape == (0, 2)


def test_values_of_an_unknown_number_of_rounds():
    """The limit is an input, and the loop may end before by its condition; what is collected grows with the rounds."""
    body = helper.make_graph(
        [node("Add", ["v", "step"], ["v2"]), node("Less", ["v2", "most"], ["more"]), node("Cast", ["i"], ["f"], to=F),
         node("Concat", ["v2", "f1"], ["row"], axis=0), node("Unsqueeze", ["f", "zero"], ["f1"])], "body",
        [helper.make_tensor_value_info("i", I64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
         helper.make_tensor_value_info("v", F, [1])],
        [helper.make_tensor_value_info("more", TensorProto.BOOL, []), helper.make_tensor_value_info("v2", F, [1]),
         helper.make_tensor_value_info("row", F, [2]), helper.make_tensor_value_info("i2", I64, [])],
        [numpy_helper.from_array(np.array([0], np.int64), "zero")])  # fmt: skip
    body.node.append(node("Mul", ["i", "i"], ["i2"]))
    for limit, most, rounds in [(4, 99, 4), (50, 2.0, 4), (0, 99, 0), (1, 99, 1)]:
        feed = {"n": np.array(limit, np.int64), "v0": np.zeros(1, np.float32), "step": np.array([0.5], np.float32),
                "most": np.array([most], np.float32)}  # fmt: skip
        m = model([node("Loop", ["n", "", "v0"], ["last", "rows", "squares"], body=body)], feed, ["last", "rows", "squares"])
        last, rows, squares = ours(m, feed)
        v = 0.5 * np.arange(1, rounds + 1, dtype=np.float32)
        np.testing.assert_array_equal(last, v[-1:] if rounds else [0])
        np.testing.assert_array_equal(rows, np.stack([v, np.arange(rounds, dtype=np.float32)], 1))
        np.testing.assert_array_equal(squares, np.arange(rounds) ** 2)


# ---- pooling


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("ceil", [0, 1])
def test_dilated_pooling(rank, ceil):
    x = rand(2, 3, *(9, 8, 7)[:rank])
    common = dict(kernel_shape=[3, 2, 2][:rank], dilations=[2, 3, 1][:rank], strides=[2, 1, 2][:rank],
                  pads=[1, 0, 1][:rank] + [1, 1, 0][:rank], ceil_mode=ceil)  # fmt: skip
    m = model([node("MaxPool", ["x"], ["y"], **common)], {"x": x}, ["y"])
    same(ours(m, {"x": x}), theirs(m, {"x": x}))
    for count in (0, 1):
        m = model([node("AveragePool", ["x"], ["y"], count_include_pad=count, **common)], {"x": x}, ["y"], 19)
        same(ours(m, {"x": x}), theirs(m, {"x": x}), 1e-5)


def test_dilated_pooling_of_unknown_extents():
    feed = {"x": rand(2, 3, 9, 8)}
    against_runtime("MaxPool", feed, kernel_shape=[3, 2], dilations=[2, 3], strides=[2, 1])
    against_runtime("AveragePool", feed, opset=19, kernel_shape=[3, 2], dilations=[2, 3], pads=[1, 0, 2, 1])
    against_runtime("LpPool", feed, opset=18, kernel_shape=[3, 2], dilations=[2, 3], p=3)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_positions_of_maxima(rank):
    x = rand(2, 3, *(6, 5, 4)[:rank])
    for order in (0, 1) if rank > 1 else (0,):
        attrs = dict(kernel_shape=[2] * rank, strides=[2, 1, 2][:rank], storage_order=order)
        m = model([node("MaxPool", ["x"], ["y", "i"], **attrs)], {"x": x}, ["y", "i"])
        y, where = ours(m, {"x": x})
        want = theirs(m, {"x": x})
        np.testing.assert_array_equal(y, want[0])
        if order == 0:
            np.testing.assert_array_equal(where, want[1])
        else:  # inside each channel the first dimension varies fastest
            plane = int(np.prod(x.shape[2:]))
            inside = np.array(np.unravel_index(want_rows(x, attrs) % plane, x.shape[2:]))
            columns = sum(inside[i] * int(np.prod(x.shape[2 : 2 + i])) for i in range(rank))
            np.testing.assert_array_equal(where, want_rows(x, attrs) // plane * plane + columns)


@pytest.mark.parametrize("attrs", [
    dict(kernel_shape=[2, 3], strides=[2, 1]),
    dict(kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], ceil_mode=1),
    dict(kernel_shape=[2, 2], dilations=[2, 1], storage_order=1),
    dict(kernel_shape=[3, 2], strides=[2, 3], auto_pad="SAME_UPPER"),
    dict(kernel_shape=[3, 2], strides=[2, 3], auto_pad="SAME_LOWER", storage_order=1),
])  # fmt: skip
def test_positions_of_maxima_of_unknown_extents(attrs):
    """The same model for several extents. ONNX Runtime counts columns of single channels only, so there is one channel."""
    m = model([node("MaxPool", ["x"], ["y", "i"], **attrs)], {"x": rand(1, 1, 2, 2)}, ["y", "i"], open_dims=True)
    loaded = ge.load(m.SerializeToString())
    for shape in ((1, 1, 7, 9), (1, 1, 8, 6), (2, 3, 5, 7)):
        feed = {"x": rand(*shape)}
        if shape[0] == 1 or "storage_order" not in attrs:
            same(list(loaded.run(feed).values()), theirs(m, feed))
    for shape in ((2, 3, 9), (2, 2, 3, 4, 5)):
        feed = {"x": rand(*shape)}
        rank = len(shape) - 2
        against_runtime("MaxPool", feed, outputs=2, kernel_shape=[2] * rank, strides=[2] * rank)


def test_positions_of_maxima_that_nobody_reads():
    feed = {"x": rand(2, 3, 8, 6)}
    for open_dims in (False, True):
        m = model([node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2])], feed, ["y"], open_dims=open_dims)
        same(ours(m, feed), theirs(m, feed))
    placed = ge.load(
        model([node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2])], feed, ["y"]).SerializeToString()
    ).placement()
    assert not any("Argmax" in row["type"] for row in placed)
    # A body reads what the graph around it makes.
    inner = helper.make_graph([node("Identity", ["i"], ["r"])], "t", [], [onnx.ValueInfoProto(name="r")])
    other = helper.make_graph([node("Neg", ["i"], ["s"])], "e", [], [onnx.ValueInfoProto(name="s")])
    nodes = [
        node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2]),
        node("If", ["c"], ["z"], then_branch=inner, else_branch=other),
    ]
    feed["c"] = np.array(True)
    m = model(nodes, feed, ["y", "z"])
    same(ours(m, feed), theirs(m, feed))


def want_rows(x, attrs):
    m = model([node("MaxPool", ["x"], ["y", "i"], **{**attrs, "storage_order": 0})], {"x": x}, ["y", "i"])
    return theirs(m, {"x": x})[1]


# ---- indices


def test_gather_nd_with_batches():
    feed = {"x": rand(2, 3, 4, 5), "i": np.random.default_rng(0).integers(-4, 4, (2, 3, 6, 1))}
    against_runtime("GatherND", feed, opset=13, batch_dims=2)
    feed = {"x": rand(2, 3, 4), "i": np.array([[1], [-1]])}
    against_runtime("GatherND", feed, opset=13, batch_dims=1)


@pytest.mark.parametrize("reduction", ["add", "mul", "max", "min"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_scatter_nd_combines(reduction, depth):
    rng = np.random.default_rng(depth)
    x = rand(3, 4, 5)
    indices = np.stack([rng.integers(-n, n, (2, 4)) for n in x.shape[:depth]], -1)
    feed = {"x": x, "i": indices, "u": rand(2, 4, *x.shape[depth:])}
    against_runtime("ScatterND", feed, opset=18, fixed=("i",), reduction=reduction)


def test_unique():
    rng = np.random.default_rng(1)
    for x in (rng.integers(0, 5, (4, 6)), rng.integers(0, 3, (6, 2, 2)).astype(np.float32)):
        for axis, ordered in itertools.product((None, 0, -1), (0, 1)):
            attrs = {"sorted": ordered, **({} if axis is None else {"axis": axis})}
            against_runtime("Unique", {"x": x}, 4, 11, **attrs)


def test_max_unpool():
    pool = node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2], strides=[2, 2])
    back = node("MaxUnpool", ["y", "i"], ["z"], kernel_shape=[2, 2], strides=[2, 2])
    feed = {"x": rand(2, 3, 6, 8)}
    m = model([pool, back], feed, ["z"])
    same(ours(m, feed), theirs(m, feed))


@pytest.mark.parametrize("size", [0.0003, 1, 300])
@pytest.mark.parametrize(
    "made, over, divides",
    [
        (node("ReduceL2", ["x"], ["y"], axes=[3]), 3, False),
        (node("LpNormalization", ["x"], ["y"], axis=3), 3, True),
        (node("LpPool", ["x"], ["y"], kernel_shape=[4, 4]), (2, 3), False),
        (node("GlobalLpPool", ["x"], ["y"]), (2, 3), False),
    ],
    ids=lambda v: getattr(v, "op_type", ""),
)
def test_norms_of_half_floats_whose_squares_are_none(made, over, divides, size):
    """The norm of float16 is one, the squares of its elements are not: too small or too large."""
    x = (rand(2, 3, 4, 4) * size).astype(np.float16)
    wide = x.astype(np.float64)
    norm = np.sqrt((wide**2).sum(over, keepdims=True))
    (got,) = ours(model([made], {"x": x}, ["y"], 13), {"x": x})
    assert got.dtype == np.float16
    np.testing.assert_allclose(got.astype(float), wide / norm if divides else norm, rtol=4e-3, atol=6e-8)


def test_a_constant_of_one_element_may_bring_the_rank():
    """A scalar state and a constant [1]: the result has rank 1, also where it is fused and nodes run one by one."""
    body = helper.make_graph(
        [node("Mean", ["s", "k"], ["m"]), node("Tanh", ["s"], ["t"]), node("Identity", ["go"], ["on"])],
        "body",
        [helper.make_tensor_value_info("i", 7, []), helper.make_tensor_value_info("go", 9, []),
         helper.make_tensor_value_info("s", 1, [])],
        [helper.make_tensor_value_info("on", 9, []), helper.make_tensor_value_info("t", 1, []),
         helper.make_tensor_value_info("m", 1, [1])],
    )  # fmt: skip
    feed = {"n": np.array(3, np.int64), "s0": np.array(0.5, np.float32), "k": np.array([0.25], np.float32)}
    m = model([node("Loop", ["n", "", "s0"], ["last", "all"], body=body)], feed, ["last", "all"], 13, ("k",))
    state, seen = np.float32(0.5), []
    for _ in range(3):
        seen.append([(state + np.float32(0.25)) / 2])
        state = np.tanh(state)
    same(ours(m, feed), [np.array(state, np.float32), np.array(seen, np.float32)])


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("part", [0, 4, 2])
def test_rotation_of_a_size_that_a_run_tells(part, interleaved):
    """The size of a head, 4, is computed; the cosines are of half of what turns."""
    half = (part or 4) // 2
    feed = {"x": rand(1, 3, 1), "extents": np.array([1, 3, 8]), "c": rand(1, 3, half), "s": rand(1, 3, half)}
    attrs = {"num_heads": 2, "interleaved": interleaved, "rotary_embedding_dim": part}
    nodes = [node("Expand", ["x", "extents"], ["wide"]), node("RotaryEmbedding", ["wide", "c", "s"], ["y"], **attrs)]
    m = model(nodes, feed, ["y"], 23)
    m.ir_version = 11
    same(ours(m, feed), ReferenceEvaluator(m).run(None, feed))


def test_rotation_of_another_rank_is_refused():
    feed = {"x": rand(6, 4), "c": rand(1, 3, 2), "s": rand(1, 3, 2)}
    with pytest.raises(GeError, match="the input has rank 2, 3 or 4 is needed"):
        ours(model([node("RotaryEmbedding", ["x", "c", "s"], ["y"])], feed, ["y"], 23), feed)


@pytest.mark.parametrize("op", ["RandomUniformLike", "RandomNormalLike", "Bernoulli"])
def test_random_numbers(op):
    """Without a seed each node draws anew in each run, with one a node repeats itself."""
    feed = {"x": np.full((8, 8), 0.5, np.float32)}
    plain = [node(op, ["x"], ["a"]), node(op, ["x"], ["b"])]
    loaded = ge.load(model(plain, feed, ["a", "b"]).SerializeToString())
    draws = [y.tobytes() for _ in range(3) for y in loaded.run(feed).values()]
    assert len(set(draws)) == 6
    loaded = ge.load(model([node(op, ["x"], ["a"], seed=3.0)], feed, ["a"]).SerializeToString())
    assert loaded.run(feed)["a"].tobytes() == loaded.run(feed)["a"].tobytes()


# ---- shapes told at run time


def test_a_piece_without_elements_of_a_split_that_moves_nothing():
    """As NonZero is in the way, nodes run one by one; the second piece lies in the input, the first one nowhere."""
    x = rand(2, 4, 1)
    feed = {"x": x, "keep": np.array([False, True, False, True]), "parts": np.array([0, 1])}
    nodes = [
        node("Compress", ["x", "keep"], ["some"], axis=1),
        node("Transpose", ["some"], ["turned"], perm=[2, 0, 1]),
        node("Split", ["turned", "parts"], ["none", "all"], axis=0),
    ]
    m = model(nodes, feed, ["none", "all"], constants=("keep", "parts"))
    same(ours(m, feed), [np.zeros((0, 2, 2), np.float32), x[:, 1::2].transpose(2, 0, 1)])


@pytest.mark.parametrize("extent", [1, 5, 7, 8])
def test_split_into_parts(extent):
    feed = {"x": rand(3, extent)}
    names = ["a", "b", "c"]
    m = model([node("Split", ["x"], names, axis=-1, num_outputs=3)], feed, names, 18, open_dims=True)
    part = -(-extent // 3)
    want = [feed["x"][:, min(i * part, extent) : min((i + 1) * part, extent)] for i in range(3)]
    same(ours(m, feed), want)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_range_of_short_floats(dtype):
    kind = {"float16": TensorProto.FLOAT16, "bfloat16": TensorProto.BFLOAT16}[dtype]
    values = [helper.make_tensor_value_info(n, kind, []) for n in "abc"]
    graph = helper.make_graph(
        [node("Range", ["a", "b", "c"], ["y"])], "g", values, [helper.make_tensor_value_info("y", kind, [None])]
    )
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=9)
    import ml_dtypes

    real = np.float16 if dtype == "float16" else ml_dtypes.bfloat16
    bits = (lambda v: np.array(v, real)) if dtype == "float16" else (lambda v: np.array(v, real).view(np.uint16))
    (y,) = ge.load(m.SerializeToString()).run({"a": bits(-1), "b": bits(2), "c": bits(0.5)}).values()
    np.testing.assert_array_equal(y.view(real).astype(float), np.arange(-1, 2, 0.5))
    with pytest.raises(Exception, match="the range from 0 to inf is too long"):
        ge.load(m.SerializeToString()).run({"a": bits(0), "b": bits(np.inf), "c": bits(1)})


def test_eye_like_of_unknown_extents():
    for k in (-1, 0, 2):
        against_runtime("EyeLike", {"x": rand(3, 5)}, opset=9, k=k)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("auto", ["NOTSET", "SAME_UPPER"])
def test_conv_transpose_to_a_shape(rank, auto):
    feed = {"x": rand(2, 3, *(4, 5, 3)[:rank]), "w": rand(3, 2, *(3, 2, 2)[:rank], seed=1), "b": rand(2, seed=2)}
    shape = [7, 9, 5][:rank]
    attrs = dict(strides=[2] * rank, output_shape=shape, auto_pad=auto)
    against_runtime("ConvTranspose", feed, opset=11, constants=("w", "b"), **attrs)


def test_windows_and_mel_matrix_of_computed_size():
    for op, periodic in itertools.product(("HannWindow", "HammingWindow", "BlackmanWindow"), (0, 1)):
        feed = {"n": np.array(11, np.int64)}
        m = model([node(op, ["n"], ["y"], periodic=periodic)], feed, ["y"], 17)
        same(ours(m, feed), theirs(m, feed), 1e-6)
    feed = {"bins": np.array(8, np.int64), "n": np.array(64, np.int64), "rate": np.array(8192, np.int64),
            "low": np.array(20, np.float32), "high": np.array(4000, np.float32)}  # fmt: skip
    m = model([node("MelWeightMatrix", list(feed), ["y"])], feed, ["y"], 17)
    same(ours(m, feed), ReferenceEvaluator(m).run(None, feed), 1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("length", [None, 5, 12])
def test_fourier(dtype, parts, length):
    x = rand(2, 9, 3, parts, dtype=dtype)
    signal = x[..., 0] + (1j * x[..., 1] if parts == 2 else 0)
    feed = {"x": x, **({} if length is None else {"n": np.array(length, np.int64)}), "axis": np.array(-3, np.int64)}
    inputs = ["x", "n" if length else "", "axis"]
    for inverse, onesided in ((0, 0), (1, 0)) + (((0, 1),) if parts == 1 else ()):
        y = (np.fft.ifft if inverse else np.fft.fft)(signal, length, axis=1)
        y = y[:, : (length or 9) // 2 + 1] if onesided else y
        want = np.stack([y.real, y.imag], -1).astype(dtype)
        for constants in ((), ("axis",)):
            m = model([node("DFT", inputs, ["y"], inverse=inverse, onesided=onesided)], feed, ["y"], 20, constants)
            same(ours(m, feed), [want], 1e-4 if dtype == np.float32 else 1e-12)


def test_short_time_fourier():
    feed = {"s": rand(2, 33, 1), "step": np.array(5, np.int64), "w": np.hanning(8).astype(np.float32)}
    want = np.stack([feed["s"][:, i : i + 8, 0] for i in range(0, 26, 5)], 1) * feed["w"]
    for onesided in (0, 1):
        y = (np.fft.rfft if onesided else np.fft.fft)(want.astype(float))
        m = model([node("STFT", list(feed), ["y"], onesided=onesided)], feed, ["y"], 17)
        same(ours(m, feed), [np.stack([y.real, y.imag], -1).astype(np.float32)], 1e-4)


# ---- regions


@pytest.mark.parametrize("centre", [0, 1])
def test_non_max_suppression(centre):
    rng = np.random.default_rng(3)
    corner = rng.uniform(0, 1, (2, 40, 2))
    boxes = np.concatenate([corner, (corner if not centre else 0) + rng.uniform(0.05, 0.5, (2, 40, 2))], -1)
    feed = {"b": boxes.astype(np.float32), "s": rng.uniform(0, 1, (2, 3, 40)).astype(np.float32),
            "n": np.array([7], np.int64), "iou": np.array([0.3], np.float32), "low": np.array([0.2], np.float32)}  # fmt: skip
    against_runtime("NonMaxSuppression", feed, opset=11, center_point_box=centre)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("transform", ["half_pixel", "output_half_pixel"])
def test_roi_align(mode, transform):
    rng = np.random.default_rng(4)
    start = rng.uniform(-2, 12, (5, 2))
    feed = {"x": rand(2, 3, 9, 11), "rois": np.concatenate([start, start + rng.uniform(0, 9, (5, 2))], 1).astype(np.float32),
            "batch": np.array([0, 1, 1, 0, 1])}  # fmt: skip
    for samples in (0, 2):
        against_runtime("RoiAlign", feed, opset=16, mode=mode, coordinate_transformation_mode=transform, output_height=3,
                        output_width=2, sampling_ratio=samples, spatial_scale=0.7)  # fmt: skip


@pytest.mark.parametrize("mode", ["linear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample_of_volumes(mode, padding):
    feed = {"x": rand(2, 3, 4, 5, 6), "g": rand(2, 3, 4, 2, 3, seed=1) * np.float32(0.7)}
    for corners in (0, 1):
        against_runtime("GridSample", feed, opset=20, mode=mode, padding_mode=padding, align_corners=corners)


@pytest.mark.parametrize("corners", [0, 1])
def test_affine_grid(corners):
    for rank, size in ((2, [2, 3, 4, 5]), (3, [2, 3, 4, 5, 3]), (2, [2, 3, 1, 2]), (3, [2, 3, 2, 1, 1])):
        feed = {"t": rand(2, rank, rank + 1), "n": np.array(size, np.int64)}
        against_runtime("AffineGrid", feed, opset=20, fixed=("t",), align_corners=corners)


def test_columns_to_images():
    attrs = dict(pads=[1, 0, 0, 2], strides=[2, 1], dilations=[1, 2])
    feed = {"x": rand(2, 3 * 6, 3 * 6), "image": np.array([6, 6]), "block": np.array([2, 3])}
    steps = [(6 + 1 - 1 - 1) // 2 + 1, (6 + 2 - 4 - 1) // 1 + 1]
    feed["x"] = rand(2, 3 * 6, steps[0] * steps[1])
    for constants in ((), ("image", "block")):
        m = model([node("Col2Im", ["x", "image", "block"], ["y"], **attrs)], feed, ["y"], 18, constants)
        same(ours(m, feed), theirs(m, feed))


def test_center_crop_pad():
    feed = {"x": rand(5, 8, 3), "n": np.array([9, 5])}
    m = model([node("CenterCropPad", ["x", "n"], ["y"], axes=[0, -2])], feed, ["y"], 18, open_dims=True)
    want = np.zeros((9, 5, 3), np.float32)
    want[2:7] = feed["x"][:, 1:6]
    same(ours(m, feed), [want])


def test_deformed_convolution_without_offsets_is_a_convolution():
    x, w, b = rand(2, 4, 7, 8), rand(6, 2, 3, 2, seed=1), rand(6, seed=2)
    attrs = dict(pads=[1, 0, 2, 1], strides=[2, 1], dilations=[1, 2], group=2)
    plain = model([node("Conv", ["x", "w", "b"], ["y"], **attrs)], {"x": x, "w": w, "b": b}, ["y"])
    (want,) = theirs(plain, {"x": x, "w": w, "b": b})
    offset = np.zeros((2, 2 * 2 * 6, *want.shape[2:]), np.float32)
    feed = {"x": x, "w": w, "o": offset, "b": b, "m": np.full((2, 12, *want.shape[2:]), 0.5, np.float32)}
    m = model([node("DeformConv", list(feed), ["y"], offset_group=2, **attrs)], feed, ["y"], 19)
    same(ours(m, feed), [(want - b[:, None, None]) / 2 + b[:, None, None]])
    # One row down and half a column to the right.
    offset[:, 0::2] = 1
    offset[:, 1::2] = 0.5
    moved = np.zeros_like(x)
    moved[:, :, :-1] = x[:, :, 1:]
    right = np.zeros_like(x)
    right[:, :, :, :-1] = moved[:, :, :, 1:]
    wide = np.pad((moved + right) / 2, ((0, 0), (0, 0), (1, 2), (1, 1)))
    wide[:, :, 1:-2, 0] = moved[:, :, :, 0] / 2  # the column before the image reaches half into it
    wide[:, :, 0, 1:-1] = (x[:, :, 0] + np.pad(x[:, :, 0, 1:], ((0, 0), (0, 0), (0, 1)))) / 2  # the row above it
    wide[:, :, 0, 0] = x[:, :, 0, 0] / 2
    wide = wide[:, :, :, 1:]
    m2 = model([node("Conv", ["x", "w", "b"], ["y"], **{**attrs, "pads": [0, 0, 0, 0]})], {"x": wide, "w": w, "b": b}, ["y"])
    feed["m"][:] = 1
    same(ours(m, {**feed, "o": offset}), theirs(m2, {"x": wide, "w": w, "b": b}))


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("spatial", [(7,), (6, 5), (5, 4, 6)], ids=len)
def test_windows_that_pad_themselves(spatial, auto_pad):
    """Also when only a run tells the extents of the input, and of the filter."""
    n = len(spatial)
    x, w = rand(2, 4, *spatial), rand(6, 4, *(3, 2, 4)[:n], seed=1)
    window = {"strides": [2, 3, 1][:n], "auto_pad": auto_pad}
    against_runtime("Conv", {"x": x, "w": w}, **window)
    against_runtime("Conv", {"x": x, "w": w, "b": rand(6)}, constants=("w", "b"), **window)
    window["kernel_shape"] = [3, 2, 4][:n]
    against_runtime("MaxPool", {"x": x - 9}, **window)
    against_runtime("LpPool", {"x": x}, **window)
    for counted in (0, 1):
        against_runtime("AveragePool", {"x": x}, count_include_pad=counted, **window)
    if n == 2:
        for low, high, dtype in ((-100, -1, np.int8), (0, 9, np.uint8)):
            feed = {"x": np.random.default_rng(5).integers(low, high, x.shape).astype(dtype)}
            against_runtime("MaxPool", feed, **window)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("op", ["Conv", "AveragePool", "MaxPool", "LpPool"])
def test_dilated_windows_that_pad_themselves(op, upper):
    """ONNX Runtime gets the pads of the definition: it refuses some of these, and overlooks the dilations of others."""
    feed = {"x": rand(1, 2, 7, 8), "w": rand(3, 2, 3, 2)} if op == "Conv" else {"x": rand(1, 2, 7, 8)}
    window = {"kernel_shape": [3, 2], "strides": [2, 3], "dilations": [2, 3]}
    total = [max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0) for n, k, s, d in zip((7, 8), *window.values())]
    less, more = [t // 2 for t in total], [t - t // 2 for t in total]
    pads = less + more if upper else more + less
    for counted in (0, 1) if op == "AveragePool" else (None,):
        attrs = window if counted is None else {**window, "count_include_pad": counted}
        want = theirs(model([node(op, list(feed), ["y"], pads=pads, **attrs)], feed, ["y"], 19), feed)
        for open_dims in (False, True):
            made = node(op, list(feed), ["y"], auto_pad="SAME_UPPER" if upper else "SAME_LOWER", **attrs)
            same(ours(model([made], feed, ["y"], 19, open_dims=open_dims), feed), want)


def test_convolution_with_a_filter_of_any_extent():
    feed = {"x": rand(2, 4, 6, 5), "w": rand(6, 2, 3, 2), "b": rand(6)}
    against_runtime("Conv", feed, pads=[1, 0, 2, 1], strides=[1, 2], group=2)
    against_runtime("Conv", {"x": rand(2, 4, 9), "w": rand(6, 4, 3)}, pads=[1, 1])


# ---- numbers


@pytest.mark.parametrize("exponent", [0.5, -0.5, 2, 3, -1, 1, 0])
def test_power_of_extreme_values(exponent):
    x = np.array([np.inf, -np.inf, 0.0, -0.0, np.nan, -2, 4, 1e30], np.float32)
    feed = {"x": x, "e": np.float32(exponent)}
    m = model([node("Pow", ["x", "e"], ["y"])], feed, ["y"], constants=("e",))
    with np.errstate(all="ignore"):
        want = np.power(x, np.full_like(x, exponent))  # NumPy takes the root for a scalar 0.5
    (got,) = ours(m, feed)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(want)]), np.signbit(want[~np.isnan(want)]))


def test_hard_swish_of_large_values():
    x = np.array([1e38, 3e38, np.inf, -1e38, 88, 3, 0], np.float32).reshape(1, 1, 1, 7)
    nodes = [node("HardSwish", ["x"], ["plain"]), node("Conv", ["x", "one"], ["c"]), node("HardSwish", ["c"], ["fused"])]
    feed = {"x": x, "one": np.ones((1, 1, 1, 1), np.float32)}
    for got in ours(model(nodes, feed, ["plain", "fused"], constants=("one",)), feed):
        np.testing.assert_allclose(got, np.where(x > 0, x, 0), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
def test_logarithms_of_integer_sums(dtype):
    x = np.array([[1, 2, 3], [40, 50, 60]], dtype)
    for op, want in (("ReduceLogSum", np.log(x.sum(1))), ("ReduceLogSumExp", np.log(np.exp(x.astype(float)).sum(1)))):
        m = model([node(op, ["x", "axes"], ["y"], keepdims=0)], {"x": x, "axes": np.array([1])}, ["y"], 18, ("axes",))
        same(ours(m, {"x": x}), [want.astype(dtype)])


def test_integer_convolution():
    rng = np.random.default_rng(5)
    feed = {"x": rng.integers(0, 255, (1, 2, 6, 7)).astype(np.uint8), "w": rng.integers(0, 255, (3, 2, 3, 3)).astype(np.uint8),
            "xz": np.array(7, np.uint8), "wz": np.array(100, np.uint8)}  # fmt: skip
    against_runtime("ConvInteger", feed, opset=10, constants=("w", "wz"), pads=[1, 0, 1, 2], strides=[2, 1])


def test_negative_log_likelihood():
    feed = {"x": rand(3, 5, 4), "t": np.random.default_rng(6).integers(0, 5, (3, 4)), "w": np.abs(rand(5)) + np.float32(0.1)}
    for reduction, ignored in itertools.product(("none", "mean", "sum"), ({}, {"ignore_index": 2})):
        against_runtime("SoftmaxCrossEntropyLoss", feed, opset=13, reduction=reduction, **ignored)
        against_runtime("NegativeLogLikelihoodLoss", feed, opset=13, reduction=reduction, **ignored)


def test_batch_normalization_in_training():
    feed = {"x": rand(3, 4, 5), "s": rand(4, seed=1), "b": rand(4, seed=2), "m": rand(4, seed=3), "v": np.abs(rand(4, seed=4))}
    x, axes = feed["x"].astype(float), (0, 2)
    mean, var = x.mean(axes), x.var(axes)
    c = lambda v: v.reshape(1, -1, 1)  # noqa: E731
    y = (x - c(mean)) / np.sqrt(c(var) + 1e-5) * c(feed["s"]) + c(feed["b"])
    want = [y, feed["m"] * 0.8 + mean * 0.2, feed["v"] * 0.8 + var * 0.2]
    m = model(
        [node("BatchNormalization", list(feed), ["y", "rm", "rv"], momentum=0.8, training_mode=1)], feed, ["y", "rm", "rv"], 15
    )
    same(ours(m, feed), [v.astype(np.float32) for v in want])


# ---- reductions


@pytest.mark.parametrize("open_dims", [False, True])
@pytest.mark.parametrize("least", [-(2**63), -(2**62), -(2**31)])
def test_a_backward_slice_may_end_before_everything(least, open_dims):
    """ONNX recommends the least number for it."""
    feed = {
        "x": rand(5, 4),
        "starts": np.array([2**63 - 1, 1], np.int64),
        "ends": np.array([least, 2**63 - 1], np.int64),
        "axes": np.array([0, 1], np.int64),
        "steps": np.array([-2, 1], np.int64),
    }
    m = model(
        [helper.make_node("Slice", list(feed), ["y"])],
        feed, ["y"], constants=("starts", "ends", "axes", "steps"), open_dims=open_dims,
    )  # fmt: skip
    (got,) = ours(m, feed)
    np.testing.assert_array_equal(got, feed["x"][::-2, 1:])
