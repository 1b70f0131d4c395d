"""Reference kernels that sort, generate, encode, and walk over sequences."""

import numpy as np
import onnx
import pytest
from engine_harness import DATA_DEPENDENT, DataType, EngineError
from engine_oracles import FLOATS, INTS, bfloat16, close, draw, onnx_reference, onnx_runtime, sigmoid
from trait_oracles import traits_of


def order(x, axis, largest):
    keys = -x.astype(np.float64) if largest else x.astype(np.float64)
    return np.argsort(keys, axis=axis, kind="stable")


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("shape", [(3, 9, 5), (2, 4, 3)])
def test_top_k_and_sort(cpu, shape, dtype):
    x = draw(shape, dtype, 0, 6)
    for axis in (0, 1, -1):
        for largest in (True, False):
            index = order(x, axis, largest)
            for k in (0, 2, x.shape[axis]):
                pick = np.take(index, range(k), axis)
                want = np.take_along_axis(x, pick, axis)
                attrs = {"dim": axis, "largest": largest}
                for op, kind in [("TopK", np.int32), ("TopKV2", np.int64)]:
                    outputs = [(want.shape, dtype), (want.shape, kind)]
                    values, indices = cpu.run(op, [x, np.array(k, np.int32)], attrs, outputs)
                    np.testing.assert_array_equal(values, want)
                    np.testing.assert_array_equal(indices, pick)
            outputs = [(x.shape, dtype), (x.shape, np.int32)]
            y1, y2 = cpu.run("Sort", [x], {"axis": axis, "descending": largest}, outputs)
            np.testing.assert_array_equal(y1, np.take_along_axis(x, index, axis))
            np.testing.assert_array_equal(y2, index)


def test_sort_puts_nan_last(cpu):
    x = np.array([2, np.nan, 1, np.inf], np.float32)
    y, i = cpu.run("Sort", [x], {}, [((4,), np.float32), ((4,), np.int32)])
    np.testing.assert_array_equal(y, np.sort(x))
    with pytest.raises(EngineError, match="k is 9, the axis has 4"):
        cpu.run("TopK", [x, np.int32(9)], {}, [((9,), np.float32), None])


@pytest.mark.parametrize("index", [np.int32, np.int64], ids=lambda d: np.dtype(d).name)
def test_in_top_k(cpu, index):
    x = np.array([[0.1, 0.5, 0.5, 0.3], [4, 3, 2, 1], [1, np.inf, 0, 2], [np.nan, 1, 0, 2]], np.float32)
    for classes in ([1, 2, 3, 1], [0, 0, 3, 4], [3, -1, 2, 0]):
        for k in (1, 2, 3):
            want = [0 <= c < 4 and bool(np.isfinite(row).all()) and int((row > row[c]).sum()) < k for c, row in zip(classes, x)]
            got = cpu("InTopK", [x, np.array(classes, index), np.array(k, index)], {}, ((4,), np.bool_))
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, np.float16, np.uint64])
def test_non_zero(cpu, dtype):
    for shape in [(4, 5, 3), (2, 2, 3), (300,), (0, 3)]:
        x = draw(shape, np.int8, -1, 1).astype(dtype)
        want = np.argwhere(x)
        for op in ("NonZero", "Where"):
            got = cpu(op, [x], {}, ((-1, len(shape)), np.int64))
            assert cpu.info["flags"] & DATA_DEPENDENT
            np.testing.assert_array_equal(got, want)
        got = cpu("NonZero", [x], {"transpose": True, "dtype": DataType(3)}, ((len(shape), -1), np.int32))
        np.testing.assert_array_equal(got, want.T)
        assert got.shape == want.T.shape


@pytest.mark.parametrize("dtype", [*FLOATS, *INTS], ids=lambda d: np.dtype(d).name)
def test_unique(cpu, dtype):
    for count in (0, 1, 40):
        x = draw((count,), dtype, 0, 9)
        if np.dtype(dtype).kind not in "iu":
            x = np.round(x.astype(np.float32)).astype(dtype)
        seen = list(dict.fromkeys(x.tolist()))
        outputs = [((-1,), dtype), ((count,), np.int32)]
        values, index = cpu.run("Unique", [x], {"out_idx": DataType(3)}, outputs)
        assert values.tolist() == seen and index.shape == (count,)
        np.testing.assert_array_equal(values[index], x)


def test_one_hot(cpu):
    x = np.array([[0, 2], [-1, 5]], np.int32)
    for axis in (-1, 0, 1):
        for kind in (np.int32, np.int64):
            want = np.full((2, 2, 4), -1.5, np.float32)
            for i in range(2):
                for j in range(2):
                    if 0 <= x[i, j] < 4:
                        want[i, j, x[i, j]] = 2.5
            want = np.moveaxis(want, -1, axis)
            inputs = [x.astype(kind), np.array(4), np.float32(2.5), np.float32(-1.5)]
            np.testing.assert_array_equal(cpu("OneHot", inputs, {"axis": axis}, (want.shape, np.float32)), want)


def test_eye(cpu):
    for rows, columns, batch in [(3, 3, ()), (2, 5, ()), (4, 2, (2, 3))]:
        want = np.broadcast_to(np.eye(rows, columns), (*batch, rows, columns))
        for dtype in (np.float32, np.int64, np.bool_):
            attrs = {"num_rows": rows, "num_columns": columns, "batch_shape": list(batch)}
            np.testing.assert_array_equal(cpu("Eye", [], attrs, (want.shape, dtype)), want.astype(dtype))


def test_shapes(cpu):
    x, y = draw((2, 3, 4)), draw((), np.int8)
    for kind in (np.int32, np.int64):
        np.testing.assert_array_equal(cpu("Shape", [x], {}, ((3,), kind)), [2, 3, 4])
        assert cpu("Shape", [y], {}, ((0,), kind)).shape == (0,)
        a, b = cpu.run("ShapeN", [x, y], {}, [((3,), kind), ((0,), kind)])
        assert a.tolist() == [2, 3, 4] and b.tolist() == []
        assert cpu("Size", [x], {}, ((), kind)) == 24
    assert cpu("Rank", [x], {}, ((), np.int32)) == 3


def test_fill_range_and_lin_space(cpu):
    for dtype in (*FLOATS, *INTS, np.bool_):
        value = np.array(3).astype(dtype)
        np.testing.assert_array_equal(cpu("Fill", [np.array([2, 3]), value], {}, ((2, 3), dtype)), np.full((2, 3), value))
    for start, end, step, dtype in [(0, 10, 3, np.int32), (5, -5, -2, np.int64), (0.5, 2.0, 0.25, np.float32)]:
        want = np.arange(start, end, step, dtype)
        inputs = [np.array(v, dtype) for v in (start, end, step)]
        close(cpu("Range", inputs, {}, (want.shape, dtype)), want)
    for n in (1, 2, 7):
        want = np.linspace(-1, 3, n)
        inputs = [np.float32(-1), np.float32(3), np.array(n)]
        close(cpu("LinSpace", inputs, {}, ((n,), np.float32)), want)


def philox(counter, key):
    """Philox 4x32-10, written down from its definition."""
    c = [counter & 0xFFFFFFFF, counter >> 32, 0, 0]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k[1], p0 & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_philox_of_the_oracle_is_the_published_one():
    assert philox(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: np.dtype(d).name)
def test_random_uniform(cpu, dtype):
    shape = (100, 201)
    attrs = {"dtype": DataType(0), "seed": 7, "seed2": 3}
    x = cpu("RandomUniform", [np.array(shape)], attrs, (shape, dtype))
    assert 0 <= x.min() and x.max() < 1
    assert abs(x.astype(float).mean() - 0.5) < 0.01 and abs(x.astype(float).var() - 1 / 12) < 0.01
    np.testing.assert_array_equal(x, cpu("RandomUniform", [np.array(shape)], attrs, (shape, dtype)))
    other = cpu("RandomUniform", [np.array(shape)], {**attrs, "seed": 8}, (shape, dtype))
    assert (x != other).mean() > 0.9
    if dtype == np.float64:
        words = philox(1, 7 ^ (3 << 32))
        want = [((words[1] << 32 | words[0]) >> 11) / 2**53, ((words[3] << 32 | words[2]) >> 11) / 2**53]
        np.testing.assert_array_equal(x.ravel()[2:4], want)


@pytest.mark.parametrize("op", ["RandomUniform", "RandomStandardNormal"])
def test_without_a_seed_every_call_draws_anew(cpu, op):
    draws = [cpu.run_once(op, [np.array([40])], {}, [((40,), np.float32)])[0][0].tobytes() for _ in range(5)]
    assert len(set(draws)) == 5


def test_random_normal(cpu):
    shape = (300, 101)
    x = cpu("RandomStandardNormal", [np.array(shape)], {"seed": 5}, (shape, np.float32)).astype(float)
    assert abs(x.mean()) < 0.02 and abs(x.std() - 1) < 0.02
    assert abs((x**3).mean()) < 0.06 and abs((x**4).mean() - 3) < 0.15
    assert abs((np.abs(x) < 1).mean() - 0.6827) < 0.01


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("width", [40, 2])
def test_swiglu(cpu, width, dtype):
    x = draw((3, 8, width), dtype)
    for dim in (-1, 1):
        a, b = np.split(x.astype(float), 2, dim)
        want = (a * sigmoid(a) * b).astype(dtype)
        close(cpu("SwiGlu", [x], {"dim": dim}, (want.shape, dtype)), want, scale=2)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("width", [600, 5])
def test_dynamic_quant(cpu, width, smooth):
    x = draw((3, 4, width), np.float16)
    x[0, 0] = 0
    factor = draw((width,), np.float16, 0.5, 2) if smooth else None
    scaled = x.astype(np.float32) * (factor.astype(np.float32) if smooth else np.float32(1))
    scale = np.abs(scaled).max(-1) / np.float32(127)
    want = np.round(scaled / np.where(scale == 0, np.float32(1), scale)[..., None])
    y, got = cpu.run("DynamicQuant", [x, factor, None], {}, [(x.shape, np.int8), ((3, 4), np.float32)])
    np.testing.assert_array_equal(y, want.astype(np.int8))
    close(got, scale)


# ---- CommonLSTM and CommonGRU ----

DIRECTIONS = ["forward", "reverse", "bidirectional"]


def cell(gates, direction, steps=5, batch=3, inputs=4, hidden=6):
    d = 2 if direction == "bidirectional" else 1
    return d, dict(
        x=draw((steps, batch, inputs), seed=1),
        w=draw((d, gates * hidden, inputs), low=-1, high=1, seed=2),
        r=draw((d, gates * hidden, hidden), low=-1, high=1, seed=3),
        b=draw((d, 2 * gates * hidden), low=-1, high=1, seed=4),
        h0=draw((d, batch, hidden), seed=5),
        c0=draw((d, batch, hidden), seed=6),
        p=draw((d, 3 * hidden), low=-1, high=1, seed=7),
    )


def shapes(x, d, hidden, count):
    steps, batch, _ = x.shape
    return [((steps, d, batch, hidden), np.float32)] + [((d, batch, hidden), np.float32)] * count


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("full", [False, True])
def test_lstm(cpu, direction, full):
    d, t = cell(4, direction)
    lengths = np.array([5, 2, 1], np.int32) if full else None
    inputs = [t["x"], t["w"], t["r"]] + ([t["b"], lengths, t["h0"], t["c0"], t["p"]] if full else [None] * 5)
    want = onnx_runtime("LSTM", inputs, outputs=3, hidden_size=6, direction=direction)
    attrs = {"hidden_size": 6, "direction": direction}
    for got, y in zip(cpu.run("CommonLSTM", inputs, attrs, shapes(t["x"], d, 6, 2)), want):
        close(got, y, scale=5)
    if full:  # a sequence without steps keeps its initial state
        inputs[4] = np.array([5, 2, 0], np.int32)
        y, h, c = cpu.run("CommonLSTM", inputs, attrs, shapes(t["x"], d, 6, 2))
        np.testing.assert_array_equal(y[:, :, 2], 0)
        np.testing.assert_array_equal(h[:, 2], t["h0"][:, 2])
        np.testing.assert_array_equal(c[:, 2], t["c0"][:, 2])
        inputs[4] = lengths
    # Only the last state is read.
    last = cpu.run("CommonLSTM", inputs, attrs, [None, *shapes(t["x"], d, 6, 1)[1:], None])[1]
    close(last, want[1], scale=5)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("before_reset", [0, 1])
@pytest.mark.parametrize("full", [False, True])
def test_gru(cpu, direction, before_reset, full):
    d, t = cell(3, direction)
    lengths = np.array([3, 5, 1], np.int32) if full else None
    inputs = [t["x"], t["w"], t["r"]] + ([t["b"], lengths, t["h0"]] if full else [None] * 3)
    options = dict(hidden_size=6, direction=direction, linear_before_reset=before_reset)
    want = onnx_runtime("GRU", inputs, outputs=2, **options)
    for got, y in zip(cpu.run("CommonGRU", inputs, options, shapes(t["x"], d, 6, 1)), want):
        close(got, y, scale=5)


@pytest.mark.parametrize("name,alpha,beta", [
    ("Affine", [0.5], [0.25]), ("LeakyRelu", [0.1], []), ("ThresholdedRelu", [0.3], []), ("ScaledTanh", [1.5], [0.6]),
    ("HardSigmoid", [0.3], [0.4]), ("Elu", [0.7], []), ("Softsign", [], []), ("Softplus", [], []), ("Relu", [], []),
])  # fmt: skip
def test_cell_activations(cpu, name, alpha, beta):
    d, t = cell(4, "forward")
    inputs = [t["x"], t["w"], t["r"]]
    options = dict(hidden_size=6, activations=["Sigmoid", name, "Tanh"], clip=0.9)
    options.update(**({"activation_alpha": alpha} if alpha else {}), **({"activation_beta": beta} if beta else {}))
    want = onnx_runtime("LSTM", inputs, outputs=3, **options)
    got = cpu.run("CommonLSTM", [*inputs, None, None, None, None, None], options, shapes(t["x"], d, 6, 2))
    for a, b in zip(got, want):
        close(a, b, scale=10)


def test_lstm_with_coupled_gates_and_halves(cpu):
    d, t = cell(4, "forward")
    half = {k: v.astype(np.float16) for k, v in t.items()}
    inputs = [half["x"], half["w"], half["r"], half["b"], None, None, None, None]
    wide = [None if v is None else v.astype(np.float32) for v in inputs]
    want = onnx_runtime("LSTM", wide, outputs=3, hidden_size=6)[0].astype(np.float16)
    outputs = [(s, np.float16) for s, _ in shapes(t["x"], d, 6, 2)]
    close(cpu.run("CommonLSTM", inputs, {"hidden_size": 6}, outputs)[0], want, scale=2)
    # Coupled: the forget gate is 1 - input gate; one step by hand.
    x, w, r = t["x"][:1], t["w"], t["r"]
    gates = x[0].astype(float) @ w[0].T
    i, o, g = sigmoid(gates[:, :6]), sigmoid(gates[:, 6:12]), np.tanh(gates[:, 18:])
    c0 = draw((1, 3, 6), seed=8)
    want = o * np.tanh((1 - i) * c0[0] + i * g)
    inputs = [x, w, r, None, None, None, c0, None]
    got = cpu.run("CommonLSTM", inputs, {"hidden_size": 6, "input_forget": 1}, shapes(x, d, 6, 2))
    close(got[1][0], want, scale=3)


def test_cell_refusals(cpu):
    d, t = cell(4, "forward")
    inputs = [t["x"], t["w"], t["r"], None, None, None, None, None]
    with pytest.raises(EngineError, match="activation 'Nope' is unknown"):
        attrs = {"hidden_size": 6, "activations": ["Nope", "Tanh", "Tanh"]}
        cpu.run("CommonLSTM", inputs, attrs, shapes(t["x"], d, 6, 2))
    with pytest.raises(EngineError, match="sequence length 6 at position 0"):
        inputs[4] = np.array([6, 1, 1], np.int32)
        cpu.run("CommonLSTM", inputs, {"hidden_size": 6}, shapes(t["x"], d, 6, 2))


def test_references_are_current():
    """The oracles above rely on operators of this ONNX opset."""
    assert onnx.defs.onnx_opset_version() >= 19
    assert onnx_reference("Abs", [np.array([-1.0], np.float32)])[0] == 1


def test_every_operator_is_exercised(cpu, request):
    """Runs last. Every operator in the engine's table has run in some test of this session."""
    files = {item.path.name for item in request.session.items}
    here = {p.name for p in request.path.parent.glob("test_reference_*.py")}
    if not here <= files or request.config.option.keyword:
        pytest.skip("only some of the tests were selected")
    assert sorted(set(cpu.operators()) - cpu.exercised) == []


def test_every_operator_shows_its_traits(cpu, request):
    """Runs last. What the traits of each operator promise was tried on its kernel (trait_oracles.py)."""
    files = {item.path.name for item in request.session.items}
    here = {p.name for p in request.path.parent.glob("test_reference_*.py")}
    if not here <= files or request.config.option.keyword:
        pytest.skip("only some of the tests were selected")
    assert cpu.traits.missing(cpu.operators()) == []
    # The interpreter runs subgraphs, and an operator with effects computes no value by a kernel alone.
    assert [op for op in cpu.operators() if traits_of(op).control_flow] == []
