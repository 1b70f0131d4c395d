"""ScaledDotProductAttention and AppendKeyValue, of both engines that have them, against definitions in NumPy."""

import numpy as np
import pytest
from attention_oracle import OPERANDS, appended, in_front, random_case, wanted
from test_bf16 import computes_in_bf16

import ge
from ge._ge_cffi import ffi, lib
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Identity
from ge.graph import DataType

ENGINES = {"fast": "", "reference": "AIcoreEngine"}
DTYPES = {
    np.dtype(name): getattr(DataType, kind)
    for name, kind in {
        "float32": "DT_FLOAT",
        "float64": "DT_DOUBLE",
        "float16": "DT_FLOAT16",
        "bool": "DT_BOOL",
        "int32": "DT_INT32",
        "int64": "DT_INT64",
    }.items()
}


def graph_of(kind, shapes, types, names, attrs):
    """One node of an operator that has no wrapper, as only the library makes it."""
    b = GraphBuilder("g")
    given = {n: b.create_input(i, name=n, shape=list(s), data_type=types[n]) for i, (n, s) in enumerate(shapes.items())}
    g = b.build_and_reset([Identity(next(iter(given.values())))])
    made, kind_text, name = ffi.new("GeNode **"), ffi.new("char[]", kind.encode()), ffi.new("char[]", b"made")
    spec = ffi.new("GeNodeSpec *", {"struct_size": ffi.sizeof("GeNodeSpec"), "type": kind_text, "name": name})
    assert lib.GeGraphAddNode(g._handle, spec, made) == 0
    node = g.find_node_by_name("made")
    for key, value in attrs.items():
        node.set_attr(key, value)
    for port, n in enumerate(names):
        if n in given:
            g.add_data_edge(g.find_node_by_name(n), 0, node, port)
    assert lib.GeGraphSetOutputs(g._handle, made, ffi.new("int32_t[]", [0]), 1) == 0
    return g


def graph_for(kind, feed, names, attrs):
    return graph_of(kind, {n: x.shape for n, x in feed.items()}, {n: DTYPES[x.dtype] for n, x in feed.items()}, names, attrs)


def attend(feed, engine="fast", threads=2, **attrs):
    g = graph_for("ScaledDotProductAttention", feed, OPERANDS, attrs)
    options = {"threads": threads} | ({"engines.exclude": ENGINES[engine]} if ENGINES[engine] else {})
    (y,) = ge.load(g, options).run(feed).values()
    return y


def compare(operands, engine="fast", threads=2, tolerance=3e-5, **attrs):
    """Operands with heads in front; the layouts of `attrs` decide how they are given."""
    feed = {n: x for n, x in operands.items() if x is not None}
    want = wanted(*(operands.get(n) for n in OPERANDS), **attrs)
    for name in ("query", "key", "value"):
        feed[name] = in_front(feed[name], attrs.get(f"{name}_layout", "BNSH"))
    got = in_front(attend(feed, engine, threads, **attrs), attrs.get("output_layout", "BNSH"))
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=tolerance, atol=tolerance, err_msg=str(attrs))


@pytest.mark.isa
@pytest.mark.parametrize("engine", ENGINES)
def test_random_cases(engine):
    for seed in range(60):
        operands, attrs = random_case(seed)
        compare(operands, engine, 1 + seed % 2, **attrs)


def bits_of(x):
    """Nearest numbers of bf16, halves to even: their bits, and themselves as float32."""
    raw = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    raw = ((raw + 0x7FFF + (raw >> 16 & 1)) >> 16).astype(np.uint16)
    return raw, (raw.astype(np.uint32) << 16).view(np.float32)


def compare_bf16(operands, narrow, threads=2, **attrs):
    """Query, key and value in bf16, the result in float32, or in bf16 where it is `narrow`; probabilities are rounded once."""
    exact = {n: x for n, x in operands.items() if x is not None}
    feed = dict(exact)
    for name in OPERANDS[:3]:
        exact[name] = bits_of(exact[name])[1]
        feed[name] = bits_of(in_front(exact[name], attrs.get(f"{name}_layout", "BNSH")))[0]
    want = wanted(*(exact.get(n) for n in OPERANDS), **attrs)
    size = wanted(*(np.abs(exact[n]) if n == "value" else exact.get(n) for n in OPERANDS), **attrs)
    types = {n: DataType.DT_BF16 if n in OPERANDS[:3] else DTYPES[x.dtype] for n, x in feed.items()}
    kind = int(DataType.DT_BF16 if narrow else DataType.DT_FLOAT)
    g = graph_of("ScaledDotProductAttention", {n: x.shape for n, x in feed.items()}, types, OPERANDS, {**attrs, "dtype": kind})
    model = ge.load(g, {"threads": threads})
    (got,) = model.run(feed).values()
    if narrow:
        got = (np.asarray(got).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    got = in_front(got, attrs.get("output_layout", "BNSH")).astype(np.float64)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    seen = ~np.isnan(want)
    limit = 2.0**-8 * (size + (np.abs(want) if narrow else 0)) + 1e-4
    assert (np.abs(got - want) <= limit)[seen].all(), (attrs, np.abs(got - want)[seen].max())
    return [n["implementation"] for n in model.placement() if n["type"] == "ScaledDotProductAttention"]


@pytest.mark.isa
def test_random_cases_in_bf16():
    """On processors that do not compute in it, and in cases that the fast kernel leaves, by the reference engine."""
    fast = 0
    for seed in range(120):
        operands, attrs = random_case(seed)
        attrs["scale"] = [attrs["scale"], 0.25, 1.0][seed % 3]
        (implementation,) = compare_bf16(operands, seed % 2 == 0, 1 + seed % 2, **attrs)
        fast += "attention:bf16" in implementation
    assert fast > 30 or not computes_in_bf16()


@pytest.mark.isa
@pytest.mark.parametrize("keys", [1, 31, 32, 33, 197, 384, 385, 800])
def test_lengths_in_bf16(keys):
    """Odd numbers of keys, and what lies behind them in memory: pairs of rows end there."""
    r = np.random.default_rng(keys)
    operands = {n: r.standard_normal((1, 3, length, 64)) for n, length in (("query", 40), ("key", keys), ("value", keys))}
    for more in ({}, {"right_window": 0}, {"left_window": 2, "align": "end"}):
        compare_bf16(operands, False, scale=0.125, **more)
        compare_bf16(operands, True, scale=0.3, value_layout="BSNH", **more)


def operands_of(queries=3, keys=5, heads=2, kv_heads=2, size=8, dtype=np.float32):
    r = np.random.default_rng(7)
    shapes = ((2, heads, queries, size), (2, kv_heads, keys, size), (2, kv_heads, keys, size))
    return {n: r.standard_normal(s).astype(dtype) for n, s in zip(OPERANDS, shapes)}


@pytest.mark.parametrize("dtype,tolerance", [(np.float64, 1e-12), (np.float16, 2e-3)])
def test_other_types(dtype, tolerance):
    compare(operands_of(dtype=dtype), "reference", tolerance=tolerance, scale=0.5)


@pytest.mark.parametrize("engine", ENGINES)
def test_scores_that_grow_from_block_to_block(engine):
    # Each block of keys raises the highest score, so that all sums are corrected.
    x = operands_of(20, 2000)
    x["mask"] = np.linspace(-300, 300, 2000, dtype=np.float32)[None]
    compare(x, engine)
    compare({**x, "query": x["query"][:, :, :1]}, engine)
    x["mask"] = x["mask"][:, ::-1].copy()
    compare(x, engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("queries", [1, 12])
def test_numbers_that_are_none(engine, queries):
    x = operands_of(queries, 40)
    x["query"][0, 0, 0, 0] = np.nan
    compare(x, engine)
    x = operands_of(queries, 40)
    x["mask"] = np.full((40,), -np.inf, np.float32)
    for unseen in (True, False):
        compare(x, engine, zero_unseen=unseen)
    x["key"][:, :, 5:] = np.nan  # not read
    x["value"][:, :, 5:] = np.nan
    del x["mask"]
    x["lengths"] = np.array([5, 3], np.int32)
    y = attend(x, engine)
    assert np.isfinite(y).all()


def test_extents_that_a_run_tells():
    names = OPERANDS[:3]
    shapes, types = dict.fromkeys(names, (-1, 2, -1, 8)), dict.fromkeys(names, DataType.DT_FLOAT)
    m = ge.load(graph_of("ScaledDotProductAttention", shapes, types, names, {"scale": 0.5}))
    for queries, keys in [(1, 5), (1, 6), (20, 20), (1, 3000), (130, 400)]:
        x = operands_of(queries, keys)
        (y,) = m.run(x).values()
        np.testing.assert_allclose(y, wanted(*x.values(), scale=0.5), rtol=3e-5, atol=3e-5)


def refusal(feed, **attrs):
    with pytest.raises((GeError, ValueError, RuntimeError)) as error:
        attend(feed, **attrs)
    return str(error.value)


def test_bad_input_is_named():
    assert "3 heads of query do not divide among 2 heads of key" in refusal(operands_of(heads=3))
    x = operands_of()
    assert "broadcasts" in refusal(x | {"mask": np.zeros((2, 3, 6), bool)})
    assert "size of heads of query and key differs: 8 and 7" in refusal(x | {"key": x["key"][..., :7].copy()})
    assert "length of key and value differs" in refusal(x | {"value": x["value"][:, :, :4].copy()})
    assert "the batch of query and key differs" in refusal(x | {"key": x["key"][:1], "value": x["value"][:1]})
    assert "extent of lengths and the batch" in refusal(x | {"lengths": np.zeros(3, np.int32)})
    assert "extent of sink and the heads" in refusal(x | {"sink": np.zeros(3, np.float32)})
    assert "left_window is -2" in refusal(x, left_window=-2)
    assert "align is 'middle'" in refusal(x, align="middle")
    assert "query_layout is 'SBNH'" in refusal(x, query_layout="SBNH")
    assert "expected 4 dimensions" in refusal(x | {"query": x["query"][0]})


def append(cache, rows, lengths, extent=None, **attrs):
    feed = {"cache": cache, "rows": rows, "lengths": np.asarray(lengths, np.int64)}
    if extent is not None:
        feed["extent"] = np.array(extent, np.int64)
    g = graph_for("AppendKeyValue", feed, ("cache", "rows", "lengths", "extent"), attrs)
    (y,) = ge.load(g).run(feed).values()
    return y


@pytest.mark.parametrize("layout", ["BNSH", "BSNH"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_append(layout, dtype):
    r = np.random.default_rng(1)
    cache, rows = r.standard_normal((3, 2, 9, 4)).astype(dtype), r.standard_normal((3, 2, 3, 4)).astype(dtype)
    for lengths, extent in (([9, 5, 3], None), ([9, 3, 1], 7), ([12, 4, 3], 12)):
        got = append(cache, in_front(rows, layout), lengths, extent, rows_layout=layout)
        np.testing.assert_array_equal(got, appended(cache, rows, lengths, extent))


def test_append_names_what_does_not_fit():
    cache, rows = np.zeros((2, 1, 4, 3), np.float32), np.zeros((2, 1, 2, 3), np.float32)
    for lengths in ([4, 5], [4, -1]):
        with pytest.raises(Exception, match=rf"lengths\[1\] is {lengths[1]} with 2 new rows, the cache has room for 4"):
            append(cache, rows, lengths)
    with pytest.raises(Exception, match="size of heads of cache and rows"):
        append(cache, rows[..., :2].copy(), [4, 4])
