"""Kernels that serve all sizes of a class, and constants of which each size has the leading part: one plan for all of them,
beside ONNX Runtime."""

import os
import pathlib

import numpy as np
import onnxruntime
import pytest
from general_cases import load
from net_cases import nets, reference
from onnx import TensorProto, helper

from ge.error import GeError

ISA = os.environ.get("GE_MAX_ISA", "amx")
SCALAR = ISA == "scalar"  # the reference engine makes a kernel for each size
FLAGS = pathlib.Path("/proc/cpuinfo").read_text()
AVX512 = " avx512vl " in FLAGS and ISA in ("amx", "avx512")


def served(model, tmp_path, feeds, tolerance=1e-4, **options):
    """The first class of the model after all feeds, whose results are ONNX Runtime's."""
    opened = load(model, tmp_path, **options)
    for feed in feeds:
        for name, want in reference(model, feed).items():
            got = opened.run(feed)[name]
            assert got.shape == want.shape and got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * max(1, np.abs(want).max(initial=0)))
    found = opened.report()["size_classes"][0]
    return found


def outputs(writer, *values, elem=TensorProto.FLOAT):
    for k, value in enumerate(values):
        writer.nodes.append(helper.make_node("Identity", [value], [f"y{k}"], name=f"out{k}"))
        writer.outputs.append(helper.make_tensor_value_info(f"y{k}", elem, None))


# ---- positions ----

LONGEST = 60


def positions(form):
    """Token embeddings and positions in one of the forms that exporters write."""
    w = nets.Writer("positions", 3)
    ids = w.input("ids", [1, "s"], TensorProto.INT64)
    length = w.add("Slice", w.add("Shape", ids), w.const([1], np.int64), w.const([2], np.int64))
    zero, one = w.const([0], np.int64), w.const([1], np.int64)
    tokens = w.add("Gather", w.normal(50, 8), ids)
    if form == "a part of the table":
        at = w.add("Slice", w.normal(1, LONGEST, 8), zero, length, one)
    elif form == "a part of a flat table":
        at = w.add("Slice", w.normal(LONGEST, 8), zero, length, zero)
    elif form == "rows by constant numbers":
        numbers = w.const(np.arange(LONGEST)[None, ::-1].copy(), np.int64)
        at = w.add("Gather", w.normal(LONGEST + 2, 8), w.add("Slice", numbers, zero, length, one))
    elif form == "rows by counting":
        count = w.add("Range", w.const(0, np.int64), w.add("Squeeze", length), w.const(1, np.int64))
        at = w.add("Gather", w.normal(LONGEST, 8), w.add("Unsqueeze", count, zero))
    elif form == "counting from two":
        count = w.add("Range", w.const(2, np.int64), w.add("Add", w.add("Squeeze", length), w.const(2, np.int64)),
                      w.const(1, np.int64))  # fmt: skip
        at = w.add("Gather", w.normal(LONGEST + 2, 8), count)
    elif form == "from the second row":
        at = w.add("Slice", w.normal(1, LONGEST + 1, 8), one, w.add("Add", length, one), one)
    elif form == "every second row":
        at = w.add("Slice", w.normal(1, 2 * LONGEST, 8), zero, w.add("Mul", length, w.const([2], np.int64)), one,
                   w.const([2], np.int64))  # fmt: skip
    else:
        assert form == "the end of the table"
        at = w.add("Slice", w.normal(1, LONGEST, 8), w.add("Neg", length), w.const([LONGEST], np.int64), one)
    outputs(w, w.add("Relu", w.add("Add", tokens, at)))
    return w.finish()


def sentences(*lengths):
    random = np.random.default_rng(1)
    return [{"ids": random.integers(0, 50, (1, s))} for s in lengths]


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "form", ["a part of the table", "a part of a flat table", "rows by constant numbers", "rows by counting"]
)
def test_leading_parts_of_a_constant_are_read_in_it(tmp_path, form, threads):
    found = served(positions(form), tmp_path, sentences(5, 7, 40, 3, 41, 58, 2), threads=threads)
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")


@pytest.mark.isa
@pytest.mark.parametrize("form", ["counting from two", "from the second row", "every second row", "the end of the table"])
def test_other_parts_of_a_constant_belong_to_one_size(tmp_path, form):
    found = served(positions(form), tmp_path, sentences(5, 7, 40, 3, 41, 58, 2))
    assert found["one_size"].endswith("is computed from the size"), found


@pytest.mark.parametrize("form", ["rows by counting", "rows by constant numbers", "a part of the table"])
def test_sizes_beyond_the_table(tmp_path, form):
    """No plan that serves shorter sentences reads behind the table; the longer ones fail as they do alone, and leave others
    as they were."""
    model = positions(form)
    opened, alone = load(model, tmp_path), load(model, tmp_path, general_plans=0)
    before, after = sentences(5, 7, LONGEST), sentences(LONGEST - 1, 6)
    for feed in before:
        np.testing.assert_array_equal(opened.run(feed)["y0"], alone.run(feed)["y0"])
    for feed in sentences(LONGEST + 1, LONGEST + 40):
        messages = []
        for each in (opened, alone):
            with pytest.raises(GeError) as error:
                each.run(feed)
            messages.append(str(error.value))
        assert messages[0] == messages[1]
    for feed in after:
        np.testing.assert_array_equal(opened.run(feed)["y0"], alone.run(feed)["y0"])


# ---- dense layers ----


def dense(activation, residual, transposed, depth, columns):
    w = nets.Writer("dense", 5)
    x = w.input("x", ["b", "s", depth])
    matrix = w.normal(columns, depth, scale=depth**-0.5)
    matrix = w.add("Transpose", matrix, perm=[1, 0]) if transposed else w.normal(depth, columns, scale=depth**-0.5)
    y = w.add("Add", w.add("MatMul", x, matrix), w.normal(columns))
    if residual:
        y = w.add("Add", y, w.input("r", ["b", "s", columns]))
    if activation:
        y = w.add(activation, y)
    outputs(w, y)
    return w.finish()


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("activation", "residual", "transposed", "depth", "columns"),
    [
        ("Relu", False, False, 48, 72),
        (None, True, False, 100, 33),
        ("Sigmoid", False, True, 96, 160),
        ("Tanh", False, False, 1024, 1500),
        (None, True, True, 512, 64),
        ("Sigmoid", False, False, 200, 2),
        (None, True, True, 96, 1),
        ("Relu", True, False, 20, 5),
    ],
)
def test_dense_layers_of_any_number_of_rows(tmp_path, activation, residual, transposed, depth, columns, threads):
    """From a few rows, which wait for the matrix, to several blocks of them; depths that are a power of two make a copy."""
    random = np.random.default_rng(0)
    feeds = []
    for b, s in ((2, 3), (2, 5), (3, 4), (2, 8), (7, 2), (5, 5), (3, 67), (2, 200), (2, 2), (3, 301)):
        feeds.append({"x": random.standard_normal((b, s, depth)).astype(np.float32)})
        if residual:
            feeds[-1]["r"] = random.standard_normal((b, s, columns)).astype(np.float32)
    found = served(dense(activation, residual, transposed, depth, columns), tmp_path, feeds, threads=threads)
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")


@pytest.mark.isa
@pytest.mark.parametrize(("depth", "columns"), [(64, 1), (300, 3), (33, 4), (700, 8)])
def test_few_columns_give_the_same_by_all_plans(tmp_path, depth, columns):
    """Lanes are rows, or dot products; one row and many, by a plan for all sizes and by plans for each."""
    w = nets.Writer("columns", 5)
    x = w.input("x", ["b", "s", depth])
    outputs(w, w.add("Add", w.add("MatMul", x, w.normal(depth, columns)), w.normal(columns)))
    model = w.finish()
    opened, alone = load(model, tmp_path), load(model, tmp_path, general_plans=0)
    random = np.random.default_rng(depth)
    for b, s in ((2, 20), (2, 30), (1, 1), (3, 5), (1, 16), (7, 11), (1, 2), (4, 100)):
        feed = {"x": random.standard_normal((b, s, depth)).astype(np.float32)}
        np.testing.assert_array_equal(opened.run(feed)["y0"], alone.run(feed)["y0"], err_msg=f"{b} x {s}")
    if not SCALAR:
        assert opened.report()["size_classes"][0]["plans"] == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_dense_layers_in_bf16_of_any_number_of_rows(tmp_path, threads):
    random = np.random.default_rng(0)
    w = nets.Writer("bf16", 5)
    y = w.input("x", ["b", "s", 512])
    for _ in range(3):
        y = w.add("Relu", w.linear(y, 512, 512))
    outputs(w, y)
    model = w.finish()
    opened = load(model, tmp_path, precision="bf16", threads=threads)
    for b, s in ((2, 3), (2, 5), (2, 8), (7, 2), (3, 67), (2, 200), (4, 2)):
        feed = {"x": random.standard_normal((b, s, 512)).astype(np.float32)}
        (want,) = reference(model, feed).values()
        np.testing.assert_allclose(opened.run(feed)["y0"], want, rtol=2e-2, atol=2e-2 * np.abs(want).max())
    if AVX512 and " avx512_bf16 " in FLAGS:
        (found,) = opened.report()["size_classes"]
        assert (found["plans"], found["one_size"]) == (1, "")
        ways = [row["implementation"] for row in opened.profile(feed).data]
        assert any(way.startswith("onednn:tiled:open:bf16") for way in ways)


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8, 11, 12, 13, 16, 17, 24, 25, 37])
def test_few_rows_against_a_large_matrix(tmp_path, rows, threads):
    """Tiles of about the same height; the only one of its panel asks for all of the next one."""
    w = nets.Writer("few", 5)
    x = w.input("x", [rows, 1030])
    outputs(w, w.add("Add", w.add("MatMul", x, w.normal(1030, 2050, scale=0.03)), w.normal(2050)))
    model = w.finish()
    feed = {"x": np.random.default_rng(rows).standard_normal((rows, 1030)).astype(np.float32)}
    (want,) = reference(model, feed).values()
    got = load(model, tmp_path, threads=threads).run(feed)["y0"]
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


# ---- elementwise ----


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_chains_that_broadcast_in_many_ways(tmp_path, threads):
    """Rows that are long, short, and one element; values of a row, a column, a plane and one for all."""
    w = nets.Writer("chains", 7)
    x, row = w.input("x", ["n", "h", "w"]), w.input("row", ["w"])
    column, plane = w.input("column", ["h", 1]), w.input("plane", ["n", 1, 1])
    a = w.add("Mul", w.add("Add", x, row), w.add("Sigmoid", column))
    b = w.add("Max", w.add("Sub", a, plane), w.const(0.25))
    c = w.add("Tanh", w.add("Mul", plane, column))
    outputs(w, b, w.add("Add", a, c), w.add("Neg", row), w.add("Mul", x, x))
    model = w.finish()
    random = np.random.default_rng(0)
    feeds = [
        {name: random.standard_normal(shape).astype(np.float32)
         for name, shape in (("x", (n, h, v)), ("row", (v,)), ("column", (h, 1)), ("plane", (n, 1, 1)))}
        for n, h, v in ((2, 3, 5), (3, 2, 700), (2, 300, 4), (5, 7, 127), (2, 2, 2), (40, 60, 90), (2, 9, 9000))
    ]  # fmt: skip
    found = served(model, tmp_path, feeds, threads=threads)
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_other_types_at_all_sizes(tmp_path, threads):
    """Casts, comparisons, selection and arithmetic of integers, with rows and columns that broadcast."""
    w = nets.Writer("types", 7)
    x, ids = w.input("x", ["n", "w"]), w.input("ids", ["n", 1], TensorProto.INT64)
    more = w.add("Add", w.add("Mul", ids, w.const([3], np.int64)), w.add("Cast", x, to=TensorProto.INT64))
    chosen = w.add("Where", w.add("Less", more, ids), x, w.add("Cast", ids, to=TensorProto.FLOAT))
    both = w.add("And", w.add("Greater", x, w.const(0.0)), w.add("Not", w.add("Equal", more, ids)))
    outputs(w, chosen, w.add("Cast", both, to=TensorProto.FLOAT), w.add("Cast", more, to=TensorProto.FLOAT))
    random = np.random.default_rng(0)
    feeds = [
        {"x": random.standard_normal((n, v)).astype(np.float32) * 5, "ids": random.integers(-3, 3, (n, 1))}
        for n, v in ((3, 5), (2, 40000), (300, 2), (7, 33), (2, 2), (90, 800))
    ]
    found = served(w.finish(), tmp_path, feeds, threads=threads)
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")


@pytest.mark.isa
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_rows_of_tensors_of_all_sizes(tmp_path, axis):
    w = nets.Writer("gather", 7)
    x, ids = w.input("x", ["n", "h", "w"]), w.input("ids", ["k", 2], TensorProto.INT64)
    outputs(w, w.add("Gather", x, ids, axis=axis))
    model = w.finish()
    random = np.random.default_rng(0)
    feeds = []
    for shape, k in (((3, 4, 5), 2), ((2, 9, 30), 7), ((8, 2, 2), 40), ((2, 2, 700), 3)):
        ids = random.integers(-shape[axis], shape[axis], (k, 2))
        feeds.append({"x": random.standard_normal(shape).astype(np.float32), "ids": ids})
    found = served(model, tmp_path, feeds)
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")
    opened = load(model, tmp_path)
    for feed in feeds[:2]:
        opened.run(feed)
    beyond = feeds[1]["x"].shape[axis]
    with pytest.raises(GeError, match=f"index {beyond} at position 0 is out"):
        opened.run({"x": feeds[1]["x"], "ids": np.full_like(feeds[1]["ids"], beyond)})


# ---- recurrent layers ----


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [1, "b"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "GRU with reset behind"])
def test_recurrent_layers_over_sequences_of_all_lengths(tmp_path, kind, direction, batch, threads):
    """One sequence reads wide panels of weights, several are tiles."""
    w = nets.Writer("recurrent", 9)
    x = w.input("x", ["s", batch, 20])
    directions, width = (2 if direction == "bidirectional" else 1), 24 * (4 if kind == "LSTM" else 3)
    more = {"linear_before_reset": 1} if kind.endswith("behind") else {}
    parts = [w.normal(directions, width, 20, scale=0.2), w.normal(directions, width, 24, scale=0.2)]
    parts.append(w.normal(directions, 2 * width, scale=0.1))
    y, last, *_ = w.add(kind[:4].strip(), x, *parts, outs=3 if kind == "LSTM" else 2, hidden_size=24, direction=direction,
                        **more)  # fmt: skip
    outputs(w, w.add("Tanh", y), last)
    random = np.random.default_rng(0)
    sizes = [(5, 3), (7, 2), (2, 9), (60, 4), (3, 13), (31, 5), (4, 2)]
    feeds = [{"x": random.standard_normal((s, 1 if batch == 1 else b, 20)).astype(np.float32)} for s, b in sizes]
    found = served(w.finish(), tmp_path, feeds, threads=threads)
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")


# ---- what is cut, joined and turned ----


def model_of(writer, *values):
    outputs(writer, *values)
    return writer.finish()


def split(w, x, axis, *parts):
    return w.add("Split", x, w.const(parts, np.int64), outs=len(parts), axis=axis)


def bottleneck():
    """Half of the channels go on to convolutions, and all that comes of them is joined: some parts lie in what is cut, others
    in what is joined."""
    w = nets.Writer("bottleneck", 11)
    x = w.add("Relu", w.conv(w.input("x", [1, 3, "h", "w"]), 3, 64, 3))
    a, b = split(w, w.add("Relu", w.conv(x, 64, 64)), 1, 32, 32)
    c = w.add("Add", w.add("Relu", w.conv(b, 32, 32, 3)), b)
    d = w.add("Relu", w.conv(c, 32, 32, 3))
    return model_of(w, w.conv(w.add("Concat", a, b, c, d, axis=1), 128, 8))


def parts_of_parts():
    """Rows that are cut, of which some are cut again and joined anew in another order, in the memory of the caller as well."""
    w = nets.Writer("parts", 11)
    x = w.input("x", [1, 96, "s"])
    a, b, c = split(w, x, 1, 16, 48, 32)
    d, e = split(w, w.add("Relu", b), 1, 16, 32)
    f = w.add("Concat", w.add("Tanh", c), w.add("Sigmoid", e), axis=1)
    g = w.add("Concat", w.add("Neg", d), f, w.add("Reshape", w.add("Exp", a), w.const([1, 16, -1], np.int64)), axis=1)
    return model_of(w, g, w.add("Neg", f), w.add("Abs", b))


def along_an_open_axis():
    w = nets.Writer("along", 11)
    x, y = w.input("x", [1, "s", 64]), w.input("y", [1, "t", 64])
    joined = w.add("Concat", w.add("Relu", x), w.add("Neg", y), w.add("Tanh", x), axis=1)
    return model_of(w, joined, w.add("Softmax", joined, axis=-1))


def rows_beside_each_other():
    w = nets.Writer("beside", 11)
    x, y = w.input("x", ["n", 64, "s"]), w.input("y", ["n", 64, "t"])
    joined = w.add("Concat", w.add("Relu", x), y, axis=2)
    a, b = split(w, w.add("Transpose", joined, perm=[1, 0, 2]), 0, 24, 40)
    return model_of(w, w.add("Sub", a, w.const(1)), b)


def turned():
    """With dimensions of one element, which make some of them views at some sizes."""
    w = nets.Writer("turned", 11)
    x = w.input("x", ["b", "s", 6, 5])
    heads = w.add("Relu", w.add("Transpose", x, perm=[0, 2, 1, 3]))
    flat = w.add("Cast", w.add("Transpose", x, perm=[3, 1, 0, 2]), to=TensorProto.INT64)
    back = w.add("Cast", w.add("Transpose", flat, perm=[2, 1, 3, 0]), to=TensorProto.FLOAT)
    return model_of(w, heads, w.add("Transpose", heads, perm=[3, 2, 1, 0]), back)


def pixels_of_channels():
    w = nets.Writer("pixels", 11)
    x = w.input("x", ["n", 16, "h", "w"])
    up = [w.add("DepthToSpace", x, blocksize=b, mode=mode) for b, mode in ((2, "DCR"), (2, "CRD"), (4, "DCR"))]
    return model_of(w, *(w.add("Relu", v) for v in up))


MOVED = {  # model, sizes by input, whether one plan serves them all
    "bottleneck": (bottleneck, [{"x": (1, 3, h, v)} for h, v in ((20, 30), (9, 17), (64, 33), (33, 8), (10, 40), (50, 51))]),
    "parts of parts": (parts_of_parts, [{"x": (1, 96, s)} for s in (4, 8, 16, 300, 7, 64, 2, 1000, 33)]),
    "along an open axis": (
        along_an_open_axis,
        [{"x": (1, s, 64), "y": (1, t, 64)} for s, t in ((3, 5), (7, 2), (40, 90), (2, 3), (5, 100))],
    ),
    "rows beside each other": (
        rows_beside_each_other,
        [{"x": (n, 64, s), "y": (n, 64, t)} for n, s, t in ((3, 5, 9), (2, 40, 8), (5, 3, 6), (4, 70, 90))],
    ),
    "turned": (turned, [{"x": (b, s, 6, 5)} for b, s in ((3, 4), (2, 9), (7, 3), (5, 80), (2, 3))]),
    "pixels of channels": (
        pixels_of_channels,
        [{"x": (n, 16, h, v)} for n, h, v in ((3, 4, 5), (2, 9, 8), (4, 30, 7), (5, 2, 3))],
    ),
}


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", MOVED)
def test_what_is_cut_joined_and_turned_at_all_sizes(tmp_path, case, threads):
    """In the memory of other values, whose places follow the size; sizes at which a place suits no buffer have a plan of
    their own, and give the same."""
    make, sizes = MOVED[case]
    random = np.random.default_rng(2)
    feeds = [{name: random.standard_normal(shape).astype(np.float32) for name, shape in size.items()} for size in sizes]
    found = served(make(), tmp_path, [*feeds, *reversed(feeds)], threads=threads)
    assert found["refusal"] == ""
    if not SCALAR:
        assert found["one_size"] == "" and found["plans"] < len(feeds) - 1


# ---- 8-bit integers ----


def quantised_rows(dynamic):
    """A dense layer of integers, with a scale that a run finds, or with constant ones around it."""
    w = nets.Writer("quantised", 13)
    x = w.input("x", ["b", "s", 48])
    weights = w.const(w.rng.integers(-60, 61, (48, 40)), np.int8)
    zero, scale = w.const(128, np.uint8), w.const(0.03)
    if dynamic:
        q, x_scale, x_zero = w.add("DynamicQuantizeLinear", x, outs=3)
        sums = w.add("Cast", w.add("MatMulInteger", q, weights, x_zero, w.const(0, np.int8)), to=TensorProto.FLOAT)
        return model_of(w, w.add("Relu", w.add("Add", w.add("Mul", sums, w.add("Mul", x_scale, w.const(0.01))), w.normal(40))))

    def numbers(value):
        return w.add("DequantizeLinear", w.add("QuantizeLinear", value, scale, zero), scale, zero)

    y = w.add("MatMul", numbers(x), w.add("DequantizeLinear", weights, w.const(0.01), w.const(0, np.int8)))
    y = numbers(w.add("Relu", numbers(w.add("Add", y, w.normal(40)))))
    return model_of(w, w.add("Mul", y, w.const(2)))


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dynamic", [True, False])
def test_integers_of_any_number_of_rows(tmp_path, dynamic, threads):
    random = np.random.default_rng(5)
    sizes = [(2, 3), (3, 5), (7, 2), (2, 70), (4, 3), (3, 200), (2, 9)]
    feeds = [{"x": random.standard_normal((b, s, 48)).astype(np.float32)} for b, s in sizes]
    model = quantised_rows(dynamic)
    # One step of the output's scale beside ONNX Runtime, which rounds sums of another order; none beside kernels of one size.
    found = served(model, tmp_path, feeds, tolerance=1e-4 if dynamic else 0.061, threads=threads)
    opened, alone = (load(model, tmp_path, threads=threads, general_plans=k) for k in (1, 0))
    for feed in feeds:
        np.testing.assert_array_equal(opened.run(feed)["y0"], alone.run(feed)["y0"])
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")


def quantised_images():
    """Convolutions of integers, whole, of each channel and of one pixel, with a factor and a shift between two of them. All
    scales are powers of two, so that floats give the same numbers."""
    w = nets.Writer("images", 17)
    zero, scale = w.const(128, np.uint8), w.const(1 / 16)

    def numbers(value):
        return w.add("DequantizeLinear", w.add("QuantizeLinear", value, scale, zero), scale, zero)

    def conv(value, cin, cout, k, stride=1, group=1):
        weights = w.const(w.rng.integers(-25, 26, (cout, cin // group, k, k)), np.int8)
        weights = w.add("DequantizeLinear", weights, w.const(1 / 128), w.const(0, np.int8))
        pads, strides = [k // 2] * 4, [stride] * 2
        return numbers(w.add("Conv", value, weights, kernel_shape=[k, k], pads=pads, strides=strides, group=group))

    x = conv(numbers(w.input("x", ["n", 5, "h", "w"])), 5, 24, 3, 2)
    x = w.add("Mul", conv(x, 24, 24, 3, 1, 24), w.const(2.0 ** w.rng.integers(-1, 2, (24, 1, 1))))
    x = numbers(w.add("Add", x, w.const(w.rng.integers(-9, 10, (24, 1, 1)) / 16)))
    x = conv(conv(x, 24, 40, 1), 40, 16, 3, 1, 2)
    return model_of(w, w.add("Mul", conv(x, 16, 12, 5, 2), w.const(2)))


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
def test_integer_convolutions_of_images_of_all_sizes(tmp_path, threads):
    random = np.random.default_rng(5)
    sizes = [(2, 20, 30), (3, 21, 17), (2, 64, 33), (4, 22, 18), (2, 9, 50), (3, 41, 8), (2, 3, 4)]
    feeds = [{"x": random.standard_normal((n, 5, h, v)).astype(np.float32)} for n, h, v in sizes]
    model = quantised_images()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # computes in float32
    floats = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    opened, alone = (load(model, tmp_path, threads=threads, general_plans=k) for k in (1, 0))
    for feed in [*feeds, *reversed(feeds)]:
        got = opened.run(feed)["y0"]
        np.testing.assert_array_equal(got, alone.run(feed)["y0"])
        np.testing.assert_array_equal(got, *floats.run(None, feed))
    found = opened.report()["size_classes"][0]
    if AVX512 and " avx512_vnni " in FLAGS:
        assert (found["plans"], found["one_size"]) == (1, "")


# ---- reductions, and shapes that are computed from the size ----


def sentence_embedding():
    """The mean over the words that a mask leaves, of length one: the mask is expanded to a shape that a run tells."""
    w = nets.Writer("embedding", 19)
    x, mask = w.input("x", ["b", "s", 64]), w.input("mask", ["b", "s"])
    y = w.layer_norm(w.add("Relu", w.linear(x, 64, 64)), 64)
    weight = w.add("Expand", w.add("Unsqueeze", mask, w.const([-1], np.int64)), w.add("Shape", y))
    one = w.const([1], np.int64)
    sums, count = (w.add("ReduceSum", v, one, keepdims=0) for v in (w.add("Mul", y, weight), weight))
    mean = w.add("Div", sums, w.add("Max", count, w.const(1e-9)))
    return model_of(w, w.add("Div", mean, w.add("ReduceL2", mean, axes=[1], keepdims=1)))


def reductions():
    w = nets.Writer("reductions", 19)
    x = w.input("x", ["a", "b", "c", "d"])
    made = [
        w.add(kind, x, axes=axes, keepdims=keep)
        for kind in ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
        for axes, keep in (([3], 1), ([0], 0), ([1, 2], 1), ([0, 2], 0), ([1, 3], 0), ([0, 1, 2, 3], 0))
    ]
    return model_of(w, *made)


def shapes_of_shapes():
    """Views whose shape is put together of extents, and what is expanded in several ways."""
    w = nets.Writer("shapes", 19)
    x = w.input("x", ["b", "s", 24])
    b, s = (w.add("Slice", w.add("Shape", x), w.const([k], np.int64), w.const([k + 1], np.int64)) for k in (0, 1))
    heads = w.add("Reshape", x, w.add("Concat", b, s, w.const([4, 6], np.int64), axis=0))
    flat = w.add("Reshape", w.add("Relu", heads), w.add("Concat", w.add("Mul", b, s), w.const([24], np.int64), axis=0))
    row = w.add("Expand", w.add("ReduceMin", x, axes=[0, 1], keepdims=0), w.add("Shape", x))
    column = w.add("Expand", w.add("ReduceMax", x, axes=[2], keepdims=1), w.add("Concat", b, s, w.const([3], np.int64), axis=0))
    plane = w.add(
        "Expand", w.add("ReduceMean", x, axes=[0], keepdims=1), w.add("Concat", b, s, w.const([24], np.int64), axis=0)
    )
    return model_of(w, w.add("Neg", flat), row, column, plane)


REDUCED = {
    "sentence embedding": (
        sentence_embedding,
        [{"x": (b, s, 64), "mask": (b, s)} for b, s in ((2, 5), (3, 7), (5, 40), (4, 3))],
    ),
    "reductions": (reductions, [{"x": s} for s in ((2, 3, 4, 5), (3, 2, 5, 4), (2, 9, 3, 70), (40, 3, 2, 6), (5, 4, 300, 2))]),
    "shapes of shapes": (shapes_of_shapes, [{"x": (b, s, 24)} for b, s in ((2, 5), (3, 7), (5, 40), (4, 3), (2, 90))]),
}


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", REDUCED)
def test_reductions_and_computed_shapes_at_all_sizes(tmp_path, case, threads):
    make, sizes = REDUCED[case]
    random = np.random.default_rng(4)
    feeds = [{name: random.standard_normal(shape).astype(np.float32) for name, shape in size.items()} for size in sizes]
    for feed in feeds:
        if "mask" in feed:
            feed["mask"] = (feed["mask"] < 0.5).astype(np.float32)
    found = served(make(), tmp_path, [*feeds, *reversed(feeds)], threads=threads)
    assert found["refusal"] == ""
    if not SCALAR:
        assert (found["plans"], found["one_size"]) == (1, "")
