"""Types of 4 and 2 bits and the 8-bit floating-point types: casts, quantisation and moves, against ml_dtypes and NumPy."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import ge

ml_dtypes = pytest.importorskip("ml_dtypes")

T = TensorProto
INTEGERS = {T.INT4: ml_dtypes.int4, T.UINT4: ml_dtypes.uint4, T.INT2: ml_dtypes.int2, T.UINT2: ml_dtypes.uint2}
PACKED = {**INTEGERS, T.FLOAT4E2M1: ml_dtypes.float4_e2m1fn}
FLOAT8 = {
    T.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
    T.FLOAT8E5M2: ml_dtypes.float8_e5m2,
    T.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
    T.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
}
BITS = {T.INT4: 4, T.UINT4: 4, T.INT2: 2, T.UINT2: 2, T.FLOAT4E2M1: 4}
ids = T.DataType.Name


def model(nodes, inputs, outputs, constants=(), opset=25, domains=()):
    """inputs and outputs: name → (type, dimensions or None)."""

    def values(given):
        return [helper.make_tensor_value_info(k, t, d) for k, (t, d) in given.items()]

    graph = helper.make_graph(nodes, "g", values(inputs), values(outputs), list(constants))
    opsets = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=13)


def run(m, feed, **options):
    return list(ge.load(m.SerializeToString(), options=options).run(feed).values())


def cast(x, from_type, to, threads=1, **attrs):
    node = helper.make_node("Cast", ["x"], ["y"], to=to, **attrs)
    m = model([node], {"x": (from_type, ["n"])}, {"y": (to, ["n"])})
    return run(m, {"x": x}, threads=threads)[0]


def same(got, want):
    assert got.shape == want.shape
    if got.dtype != want.dtype:  # 8-bit floating point comes as bits
        got = got.view(want.dtype)
    a, b = got.astype(np.float32), want.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    keep = ~np.isnan(a)
    np.testing.assert_array_equal(a[keep], b[keep])
    np.testing.assert_array_equal(np.signbit(a[keep]), np.signbit(b[keep]))


def hard_floats():
    """Every sign, ends of ranges, halves between numbers, NaN and infinities; an odd number of them."""
    steps = np.concatenate([np.arange(-520, 520) / 32, np.ldexp(1 + np.arange(32) / 32, np.arange(-20, 20)[:, None]).ravel()])
    ends = [np.nan, np.inf, -np.inf, 448, 464, 465, 480, 240, 248, 249, 57344, 61440, 61441, 65536, 1e30, -1e30, 5, 7, -0.0]
    values = np.concatenate([steps, -steps, ends]).astype(np.float32)
    return values if values.size % 2 else values[:-1]


@pytest.mark.parametrize("kind", [*FLOAT8, T.FLOAT4E2M1], ids=ids)
def test_floats_become_small_floats(kind):
    x, dtype = hard_floats(), {**FLOAT8, **PACKED}[kind]
    largest = float(ml_dtypes.finfo(dtype).max)
    same(cast(x, T.FLOAT, kind), np.clip(x, -largest, largest).astype(dtype))


@pytest.mark.parametrize("kind", FLOAT8, ids=ids)
def test_without_saturation_what_is_too_large_is_no_number(kind):
    x = hard_floats()
    same(cast(x, T.FLOAT, kind, saturate=0), x.astype(FLOAT8[kind]))


@pytest.mark.parametrize("kind", FLOAT8, ids=ids)
def test_every_small_float_is_read(kind):
    x = np.arange(256, dtype=np.uint8)
    same(cast(x, kind, T.FLOAT), x.view(FLOAT8[kind]).astype(np.float32))
    same(cast(x.view(FLOAT8[kind]), kind, T.FLOAT16), x.view(FLOAT8[kind]).astype(np.float16))


@pytest.mark.parametrize("kind", PACKED, ids=ids)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 255, 100_003])
def test_every_packed_number_is_read_and_written(kind, count):
    codes = np.random.default_rng(count).integers(0, 1 << BITS[kind], count).astype(np.uint8)
    if kind in (T.INT4, T.INT2):
        half = 1 << (BITS[kind] - 1)
        x = ((codes ^ half).astype(np.int8) - half).astype(PACKED[kind])
    else:
        x = codes.view(PACKED[kind]) if kind == T.FLOAT4E2M1 else codes.astype(PACKED[kind])
    numbers = x.astype(np.float32)
    same(cast(x, kind, T.FLOAT, threads=2), numbers)
    back = cast(numbers, T.FLOAT, kind, threads=2)
    assert back.dtype == PACKED[kind]
    same(back, x)


@pytest.mark.parametrize("kind", INTEGERS, ids=ids)
def test_integers_keep_their_low_bits(kind):
    x = np.arange(-300, 301, dtype=np.int32)
    same(cast(x, T.INT32, kind), x.astype(INTEGERS[kind]))
    same(cast(x.astype(np.int64), T.INT64, kind), x.astype(INTEGERS[kind]))


@pytest.mark.parametrize("mode, saturate", [("up", 1), ("down", 1), ("nearest", 1), ("up", 0), ("nearest", 0)])
def test_powers_of_two(mode, saturate):
    x = np.ldexp(np.float32(1) + np.arange(64, dtype=np.float32) / 64, np.arange(-126, 128)[:, None]).ravel()
    want = onnx.numpy_helper.to_float8e8m0(x, bool(saturate), mode)
    got = cast(x, T.FLOAT, T.FLOAT8E8M0, round_mode=mode, saturate=saturate)
    np.testing.assert_array_equal(got, want.view(np.uint8))
    back = cast(np.arange(256, dtype=np.uint8), T.FLOAT8E8M0, T.FLOAT)
    np.testing.assert_array_equal(back, np.append(np.ldexp(1.0, np.arange(-127, 128)), np.nan).astype(np.float32))


def test_ends_of_powers_of_two():
    x = np.array([0, np.inf, np.nan, 1e-45], np.float32)
    np.testing.assert_array_equal(cast(x, T.FLOAT, T.FLOAT8E8M0), [0, 254, 255, 0])
    np.testing.assert_array_equal(cast(x, T.FLOAT, T.FLOAT8E8M0, round_mode="nearest", saturate=0), [255] * 4)


def numbers_of(kind, shape, seed=0):
    r = np.random.default_rng(seed)
    if kind == T.FLOAT4E2M1:
        return r.integers(0, 16, shape).astype(np.uint8).view(PACKED[kind])
    low, high = int(ml_dtypes.iinfo(PACKED[kind]).min), int(ml_dtypes.iinfo(PACKED[kind]).max)
    return r.integers(low, high + 1, shape).astype(PACKED[kind])


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("kind", PACKED, ids=ids)
def test_constants_of_a_file(kind, raw):
    x = numbers_of(kind, (3, 5))
    made = helper.make_tensor("c", kind, x.shape, numpy_helper.from_array(x).raw_data if raw else x.astype(np.float32), raw=raw)
    assert made.HasField("raw_data") == raw
    nodes = [helper.make_node("Identity", ["c"], ["y"]), helper.make_node("Cast", ["c"], ["f"], to=T.FLOAT)]
    y, f = run(model(nodes, {}, {"y": (kind, [3, 5]), "f": (T.FLOAT, [3, 5])}, [made]), {})
    same(y, x)
    np.testing.assert_array_equal(f, x.astype(np.float32))


@pytest.mark.parametrize("length", [0, 7, 9, 15])
def test_a_wrong_number_of_bytes_is_refused(length):
    made = helper.make_tensor("c", T.INT4, (3, 5), bytes(8), raw=True)
    made.raw_data = bytes(length)
    m = model([helper.make_node("Identity", ["c"], ["y"])], {}, {"y": (T.INT4, [3, 5])}, [made])
    with pytest.raises(ge.error.GeError, match=f"'c': raw_data has {length} bytes, its dimensions ask for 8"):
        ge.load(m.SerializeToString())


@pytest.mark.parametrize("dims", [(3, 5), ("a", "b")])
@pytest.mark.parametrize("kind", PACKED, ids=ids)
def test_elements_are_moved(kind, dims):
    x = numbers_of(kind, (3, 5))
    start, end, axis = (numpy_helper.from_array(np.array([v], np.int64), n) for n, v in [("s", 1), ("e", 4), ("a", 1)])
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
        helper.make_node("Concat", ["t", "t"], ["c"], axis=1),
        helper.make_node("Slice", ["x", "s", "e", "a"], ["l"]),
        helper.make_node("Gather", ["x", "e0"], ["g"], axis=1),
        helper.make_node("Reshape", ["x", "flat"], ["r"]),
        helper.make_node("Identity", ["x"], ["i"]),
    ]
    outputs = dict.fromkeys("tclgri", (kind, None))
    index = numpy_helper.from_array(np.array([4, 0], np.int64), "e0")
    flat = numpy_helper.from_array(np.array([-1], np.int64), "flat")
    m = model(nodes, {"x": (kind, dims)}, outputs, [start, end, axis, index, flat])
    for got, want in zip(run(m, {"x": x}), [x.T, np.concatenate([x.T, x.T], 1), x[:, 1:4], x[:, [4, 0]], x.reshape(-1), x]):
        same(got, want)


LINEAR = {**PACKED, **FLOAT8}


@pytest.mark.parametrize("form", ["tensor", "axis", "blocks"])
@pytest.mark.parametrize("kind", LINEAR, ids=ids)
def test_quantisation(kind, form):
    r = np.random.default_rng(2)
    x = (20 * r.standard_normal((3, 7, 5))).astype(np.float32)
    shape, attrs = {"tensor": ((), {}), "axis": ((7,), {"axis": 1}), "blocks": ((3, 4, 5), {"axis": 1, "block_size": 2})}[form]
    scale = r.uniform(0.5, 3, shape).astype(np.float32)
    zero = numbers_of(kind, shape, 3) if kind in INTEGERS else np.zeros(shape, LINEAR[kind])
    if shape == ():
        zero = np.array(zero, LINEAR[kind])
    held = [numpy_helper.from_array(scale, "s"), numpy_helper.from_array(zero, "z")]
    q = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], **attrs)
    d = helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], **attrs)
    m = model([q, d], {"x": (T.FLOAT, x.shape)}, {"q": (kind, x.shape), "d": (T.FLOAT, x.shape)}, held)
    got_q, got_d = run(m, {"x": x}, threads=2)
    want_q, want_d = ReferenceEvaluator(m).run(None, {"x": x})
    same(got_q, want_q)
    np.testing.assert_allclose(got_d, want_d, rtol=1e-6)


@pytest.mark.parametrize("kind", FLOAT8, ids=ids)
def test_quantisation_without_saturation(kind):
    x = hard_floats()
    held = [numpy_helper.from_array(np.float32(0.5), "s"), numpy_helper.from_array(np.zeros((), FLOAT8[kind]), "z")]
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], saturate=0)
    got = run(model([node], {"x": (T.FLOAT, x.shape)}, {"y": (kind, x.shape)}, held), {"x": x})[0]
    same(got, (x / np.float32(0.5) + np.float32(0)).astype(FLOAT8[kind]))


def test_numbers_that_an_input_does_not_hold_are_refused():
    m = model([helper.make_node("Identity", ["x"], ["y"])], {"x": (T.INT4, [3])}, {"y": (T.INT4, [3])})
    loaded = ge.load(m.SerializeToString())
    want = np.array([-8, 0, 7], ml_dtypes.int4)
    for given in (want, want.astype(np.int8), [-8, 0, 7]):
        same(loaded.run({"x": given})["y"], want)
    same(loaded.run({"x": np.array([8, 0, 7], np.uint8)})["y"], want)  # codes
    for given in ([-9, 0, 0], [0, 0, 8], np.array([0, 0, 8], np.int8), np.array([16, 0, 0], np.uint8)):
        with pytest.raises(OverflowError, match="input 'x': values from .* expected "):
            loaded.run({"x": given})
    with pytest.raises(TypeError, match="input 'x': got dtype float32"):
        loaded.run({"x": np.zeros(3, np.float32)})
    with pytest.raises(ValueError, match="got shape"):
        loaded.run({"x": want[:2]})


# ---- GatherBlockQuantized ----


def pack(codes, bits):
    per = 8 // bits
    parts = np.zeros((*codes.shape[:-1], -(-codes.shape[-1] // per) * per), np.uint8)
    parts[..., : codes.shape[-1]] = codes
    parts = parts.reshape(*parts.shape[:-1], -1, per) << (np.arange(per, dtype=np.uint8) * np.uint8(bits))
    return np.bitwise_or.reduce(parts, axis=-1).astype(np.uint8)


def gather_model(kind, data, indices, scales, zeros, out, **attrs):
    inputs = ["data", "i", "s"] + (["z"] if zeros is not None else [])
    node = helper.make_node("GatherBlockQuantized", inputs, ["y"], "node", domain="com.microsoft", **attrs)
    held = [numpy_helper.from_array(data, "data"), numpy_helper.from_array(scales, "s")]
    if zeros is not None:
        held.append(numpy_helper.from_array(zeros, "z"))
    kind = helper.np_dtype_to_tensor_dtype(scales.dtype)
    i = {"i": (helper.np_dtype_to_tensor_dtype(indices.dtype), indices.shape)}
    return model([node], i, {"y": (kind, None)}, held, 21, ["com.microsoft"])


@pytest.mark.parametrize("with_zeros", [False, True])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_rows_of_packed_bytes(bits, with_zeros):
    r = np.random.default_rng(bits)
    codes, block = r.integers(0, 1 << bits, (9, 96)).astype(np.uint8), 32
    scales = r.uniform(0.1, 1, (9, 3)).astype(np.float32)
    points = r.integers(0, 1 << bits, (9, 3)).astype(np.uint8) if with_zeros else np.full((9, 3), 1 << (bits - 1))
    indices = np.array([[3, 0, -1], [8, 8, 1]], np.int64)
    table = (codes - points.repeat(32, 1).astype(np.float32)) * scales.repeat(32, 1)
    zeros = pack(points, bits) if with_zeros else None
    m = gather_model(T.UINT8, pack(codes, bits), indices, scales, zeros, None, bits=bits, block_size=block, quantize_axis=1)
    np.testing.assert_array_equal(run(m, {"i": indices})[0], table[indices])


@pytest.mark.parametrize("gather, quantize", [(0, 1), (1, 0), (1, 2), (2, 1), (-1, -3)])
@pytest.mark.parametrize("kind", [T.INT4, T.UINT4], ids=ids)
def test_slices_of_packed_numbers(kind, gather, quantize):
    r = np.random.default_rng(4)
    shape, block = (17, 20, 19), 16
    x, zeros_shape = numbers_of(kind, shape), [*shape]
    zeros_shape[quantize] = -(-shape[quantize] // block)
    scales, zeros = r.uniform(0.1, 1, zeros_shape).astype(np.float32), numbers_of(kind, zeros_shape, 1)

    def spread(v):
        return np.take(v.astype(np.float32), np.arange(shape[quantize]) // block, axis=quantize)

    table = (x.astype(np.float32) - spread(zeros)) * spread(scales)
    indices = np.array([0, 5, -1, 16], np.int32)
    m = gather_model(kind, x, indices, scales, zeros, None, block_size=block, gather_axis=gather, quantize_axis=quantize)
    got = run(m, {"i": indices})[0]
    np.testing.assert_array_equal(got, np.take(table, indices, axis=gather))
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(got, session.run(None, {"i": indices})[0], rtol=1e-6)


def test_an_index_out_of_range_gives_zeros():
    """As the operator's description has it."""
    x, scales = numbers_of(T.UINT4, (4, 16)), np.ones((4, 1), np.float32)
    indices = np.array([1, 4, -5], np.int64)
    m = gather_model(T.UINT4, x, indices, scales, None, None, block_size=16)
    got = run(m, {"i": indices})[0]
    np.testing.assert_array_equal(got[0], x[1].astype(np.float32))
    assert not got[1:].any()


@pytest.mark.parametrize(
    "change, text",
    [
        ({"bits": 3}, "'bits' is 3, expected 2, 4 or 8"),
        ({"block_size": 24}, "'block_size' is 24, expected a power of two from 16"),
        ({"block_size": 0}, "'block_size' is 0"),
        ({"gather_axis": 1}, "'gather_axis' is 1, expected 0"),
        ({"quantize_axis": 0}, "'gather_axis' and 'quantize_axis' are both 0"),
        ({"quantize_axis": 2}, "axis 2 is out of range for rank 2"),
        ({"block_size": 16}, r"scale has shape \[9, ?3\], expected \[9, ?6\]"),
    ],
)
def test_what_does_not_fit_is_refused(change, text):
    attrs = {"bits": 4, "block_size": 32, **change}
    data, scales = np.zeros((9, 48), np.uint8), np.ones((9, 3), np.float32)
    with pytest.raises(ge.error.GeError, match=text) as caught:
        ge.load(gather_model(T.UINT8, data, np.zeros(1, np.int64), scales, None, None, **attrs).SerializeToString())
    assert "node" in str(caught.value)
