"""One graph for all sizes of a class: general plans beside exact ones, bit for bit where both have the same kernels, and
beside ONNX Runtime."""

import pathlib
import sys

import graphdef as tf
import numpy as np
import pytest
from general_cases import SCALAR, classes, load, right, several
from net_cases import nets
from onnx import TensorProto, helper, numpy_helper

import ge
from ge._native import NULL, check, ffi, lib
from ge.error import GeError

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import shapes  # noqa: E402


def opened(model, axes):
    """The model with these axes of its first input open, and its outputs' shapes unsaid."""
    for axis, name in axes.items():
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
    for output in model.graph.output:
        for dim in output.type.tensor_type.shape.dim:
            dim.dim_param = "?"
    return model


def images(name, sizes, **more):
    model, _ = nets.build(name, small=True, **more)
    channels = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    opened(model, {0: "n", 2: "h", 3: "w"})
    random = np.random.default_rng(3)
    feed = model.graph.input[0].name
    return model, [{feed: random.standard_normal((n, channels, h, w)).astype(np.float32)} for n, h, w in sizes]


def u_net():
    """Halved twice and doubled twice, with the feature maps of the way down joined on the way up."""
    w = nets.Writer("u", 4)
    x = w.input("x", ["n", 3, "h", "w"])
    first = w.add("Relu", w.conv(x, 3, 16, 3, bias=True))
    second = w.add("Relu", w.conv(w.add("MaxPool", first, kernel_shape=[2, 2], strides=[2, 2]), 16, 32, 3, bias=True))
    low = w.add("Relu", w.conv(second, 32, 32, 3, 2, bias=True))

    def up(value, like):
        shape = w.add("Shape", like)
        sizes = w.add("Concat", w.const([1], np.int64), w.const([32], np.int64),
                      w.add("Slice", shape, w.const([2], np.int64), w.const([4], np.int64)), axis=0)  # fmt: skip
        sizes = w.add("Concat", w.add("Slice", shape, w.const([0], np.int64), w.const([1], np.int64)),
                      w.add("Slice", sizes, w.const([1], np.int64), w.const([4], np.int64)), axis=0)  # fmt: skip
        return w.add(
            "Resize", value, "", "", sizes, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"
        )

    middle = w.add("Relu", w.conv(w.add("Concat", up(low, second), second, axis=1), 64, 32, 3, bias=True))
    last = w.conv(w.add("Concat", up(middle, first), first, axis=1), 48, 8, 3, bias=True)
    w.output(last, "y", ["n", 8, "h", "w"])
    return w.finish()


def attention():
    """With positions cut out of a table, a mask, and a view of heads by -1."""
    w = nets.Writer("a", 5)
    x, mask = w.input("x", ["b", "s", 32]), w.input("mask", ["b", "s"])
    s = w.add("Slice", w.add("Shape", x), w.const([1], np.int64), w.const([2], np.int64))
    table = w.add("Slice", w.normal(1, 40, 32), w.const([0], np.int64), s, w.const([1], np.int64))
    x = w.add("Add", x, table)
    heads = w.add("Concat", w.add("Slice", w.add("Shape", x), w.const([0], np.int64), w.const([2], np.int64)),
                  w.const([4, -1], np.int64), axis=0)  # fmt: skip
    q, k, v = (w.add("Reshape", w.add("MatMul", x, w.normal(32, 32, scale=0.2)), heads) for _ in range(3))
    q, v = (w.add("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    scores = w.add("MatMul", q, w.add("Transpose", k, perm=[0, 2, 3, 1]))
    bias = w.add("Mul", w.add("Sub", w.const(1.0), w.add("Unsqueeze", mask, w.const([1, 2], np.int64))), w.const(-1e4))
    scores = w.add("Softmax", w.add("Add", w.add("Mul", scores, w.const(0.35)), bias), axis=-1)
    y = w.add("Transpose", w.add("MatMul", scores, v), perm=[0, 2, 1, 3])
    y = w.add("Reshape", y, w.const([0, 0, 32], np.int64))
    w.output(w.add("Add", w.add("MatMul", y, w.normal(32, 32)), x), "y", ["b", "s", 32])
    return w.finish()


def cases(name):
    random = np.random.default_rng(8)
    if name == "text":
        return shapes.text(layers=1, small=True)
    if name == "attention":
        sizes = [(2, 7), (3, 9), (2, 31), (5, 6), (3, 38), (2, 12)]
        return attention(), [
            {
                "x": random.standard_normal((b, s, 32)).astype(np.float32),
                "mask": (random.random((b, s)) < 0.8).astype(np.float32),
            }
            for b, s in sizes
        ]
    if name == "u_net":
        sizes = [(2, 20, 30), (3, 21, 17), (2, 64, 33), (4, 22, 18), (2, 9, 50), (3, 41, 8)]
        return u_net(), [{"x": random.standard_normal((n, 3, h, w)).astype(np.float32)} for n, h, w in sizes]
    return images(name, [(2, 32, 40), (3, 64, 48), (2, 37, 51), (4, 33, 65), (5, 48, 32), (3, 90, 41)])


def kernels(model, feed):
    return sorted(row["implementation"] for row in model.profile(feed).data)


def like_exact(general, exact, feed):
    """Results of both, which are equal; where convolutions of one size run in another way, nearly so."""
    got, want = general.run(feed), exact.run(feed)
    same = kernels(general, feed) == kernels(exact, feed)
    for name, value in want.items():
        if same or not np.isfinite(value).all():
            np.testing.assert_array_equal(got[name], value)
        else:
            np.testing.assert_allclose(got[name], value, rtol=1e-5, atol=1e-5 * np.abs(value).max())
    return got


@pytest.mark.isa
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["attention", "u_net", "text", "resnet50", "mobilenet_v2"])
def test_all_sizes_are_served_by_one_graph(tmp_path, name, threads):
    model, feeds = cases(name)
    general = load(model, tmp_path, threads=threads)
    exact = load(model, tmp_path, threads=threads, general_plans=0)
    for k, feed in enumerate(feeds):
        got = like_exact(general, exact, feed)
        for output, want in zip(model.graph.output, right(model, feed), strict=True):
            np.testing.assert_allclose(got[output.name], want, rtol=1e-4, atol=1e-4 * np.abs(want).max(), err_msg=f"size {k}")
    (found,) = classes(general)
    assert found["refusal"] == ""
    # The reference engine has a kernel of dense layers for each number of rows, which for images is that of the images.
    alike = {next(iter(feed.values())).shape[0] for feed in feeds[1:]}
    assert found["plans"] == (len(feeds) - 1 if found["one_size"] else len(alike) if SCALAR else 1)
    assert classes(exact) == []


@pytest.mark.parametrize("seed", range(12))
def test_random_sizes(tmp_path, seed):
    """Whatever class a size falls into, and wherever a condition of a class fails."""
    random = np.random.default_rng(seed)
    name = ["attention", "u_net"][seed % 2]
    model, _ = cases(name)
    general, exact = load(model, tmp_path), load(model, tmp_path, general_plans=0)
    for _ in range(15):
        n, s, h, w = random.integers(1, 4), random.integers(1, 44), *random.integers(4, 30, 2)
        if name == "attention":
            feed = {"x": random.standard_normal((n, s, 32)), "mask": random.integers(0, 2, (n, s))}
        else:
            feed = {"x": random.standard_normal((n, 3, h, w))}
        feed = {k: v.astype(np.float32) for k, v in feed.items()}
        try:
            exact.run(feed)
        except GeError as e:
            with pytest.raises(GeError) as refused:
                general.run(feed)
            assert str(refused.value) == str(e)
            continue
        like_exact(general, exact, feed)


def one(op, inputs, attrs=None, weights=(), types=TensorProto.FLOAT):
    """A model of one operator whose first inputs have open shapes."""
    values = [helper.make_tensor_value_info(n, types, s) for n, s in inputs.items()]
    tensors = [numpy_helper.from_array(np.asarray(v), n) for n, v in weights]
    node = helper.make_node(op, [*inputs, *(n for n, _ in weights)], ["y"], **(attrs or {}))
    graph = helper.make_graph([node], "g", values, [helper.make_tensor_value_info("y", types, None)], tensors)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 8
    return made


def ran(model, tmp_path, *sizes):
    loaded = load(model, tmp_path)
    for dims in sizes:
        feed = {v.name: np.random.default_rng(1).standard_normal(d).astype(np.float32) for v, d in zip(model.graph.input, dims)}
        np.testing.assert_allclose(loaded.run(feed)["y"], right(model, feed)[0], rtol=1e-5, atol=1e-5)
    return classes(loaded)


def test_an_extent_of_one_is_not_symbolic(tmp_path):
    """An extent of 1 is spread over another: it is of another class."""
    found = ran(one("Add", {"a": ["n", 4], "b": ["m", 4]}), tmp_path, [(3, 4), (3, 4)], [(1, 4), (5, 4)], [(6, 4), (6, 4)])
    assert [c["inputs"] for c in found] == ["a [s0, 4], b [s0, 4]", "a [1, 4], b [s0, 4]"]
    assert [c["plans"] for c in found] == [1, 0]


def test_conditions_of_a_class(tmp_path):
    """A range that ends inside the axis, and behind it: two classes."""
    ends = [("first", np.array([2])), ("end", np.array([10])), ("axes", np.array([0]))]
    sizes = [[(n,)] for n in (20, 30, 8, 12, 6, 10, 9)]
    found = ran(one("Slice", {"x": ["n"]}, weights=ends), tmp_path, *sizes)
    assert [c["plans"] for c in found] == [1, 1]
    assert all(c["conditions"] > 0 for c in found)


def test_padding_by_name_is_a_condition(tmp_path):
    """Even and odd extents are padded differently, and are of different classes."""
    w = np.random.default_rng(0).standard_normal((3, 3, 4, 8)).astype(np.float32)
    g = tf.Graph()
    g.add("Relu", g.add("Conv2D", g.input("x", (-1, -1, -1, 4)), w, strides=[1, 2, 2, 1], padding="SAME"), name="y")
    general, exact = (ge.load(g.encode(), options={"general_plans": k}) for k in (1, 0))
    for h, v in ((8, 12), (10, 16), (9, 12), (11, 14), (7, 9), (13, 6), (6, 14)):
        x = np.random.default_rng(h).standard_normal((2, h, v, 4)).astype(np.float32)
        like_exact(general, exact, {"x": x})
    assert [c["plans"] for c in classes(general)] == [1, 1, 0]
    assert [row["type"] for row in general.placement()] == ["FusedConv2D"]


def test_a_graph_that_would_do_more_work_is_refused(tmp_path):
    """Padding computed from the shape joins its convolution in a plan for one size only."""
    w = np.random.default_rng(0).standard_normal((8, 3, 3, 3)).astype(np.float32)
    model = one("Conv", {"x": [1, 3, "h", "w"]}, {"auto_pad": "SAME_UPPER", "strides": [2, 2]}, [("w", w)])
    (found,) = ran(model, tmp_path, *([(1, 3, h, v)] for h, v in ((8, 12), (10, 16), (9, 12))))
    assert found["plans"] == 0 and "2 nodes" in found["refusal"]


def test_a_loop_of_classes_ends(tmp_path):
    """Conditions that fail at every size must not keep a graph for each."""
    nodes = [helper.make_node("Slice", ["x", "first", "end"], ["y"])]
    tensors = [numpy_helper.from_array(np.array([0]), "first")]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"]),
        helper.make_tensor_value_info("end", TensorProto.INT64, [1]),
    ]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    loaded = load(model, tmp_path)
    for n in range(2, 60):
        x = np.arange(n, dtype=np.float32)
        np.testing.assert_array_equal(loaded.run({"x": x, "end": np.array([n // 2])})["y"], x[: n // 2])
    assert len(classes(loaded)) <= 16


def test_sizes_that_do_not_fit_say_what_the_exact_way_says(tmp_path):
    model, feeds = cases("attention")
    general = load(model, tmp_path)
    general.run(feeds[0])
    bad = {"x": np.zeros((3, 6, 32), np.float32), "mask": np.zeros((3, 5), np.float32)}
    with pytest.raises(GeError, match="(?s)broadcast|cannot be"):
        general.run(bad)
    for feed in feeds:  # and the model goes on
        np.testing.assert_allclose(general.run(feed)["y"], right(model, feed)[0], rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("option", ["input_shape_range", "ge.inputShape"])
def test_extents_outside_of_their_bounds(tmp_path, option):
    loaded = load(one("Relu", {"x": ["n", 4, "m"]}), tmp_path, **{option: "x:[2~8,4,3~-1]"})
    for n, m, message in (
        (2, 3, None),
        (8, 99, None),
        (9, 5, "dimension 0 is to be from 2 to 8"),
        (4, 2, "2 is to be at least 3"),
    ):
        x = np.full((n, 4, m), -1, np.float32)
        if message is None:
            assert loaded.run({"x": x})["y"].shape == x.shape
            continue
        with pytest.raises(GeError, match=message) as refused:
            loaded.run({"x": x})
        assert f"input 'x' has shape [{n}, 4, {m}]" in str(refused.value)
    assert loaded.run({"x": np.ones((3, 4, 5), np.float32)})["y"].sum() == 60


@pytest.mark.parametrize("text", ["x:8~2", "x:a~3", "x:1~", "x:-2~4", "x:1~-2", "x:1~2~3"])
def test_ranges_that_are_none(tmp_path, text):
    with pytest.raises(GeError, match="input_shape_range"):
        load(one("Relu", {"x": ["n"]}), tmp_path, input_shape_range=text)


def rows_of(op, attrs=None):
    """min(rows of op(x, y), 3) rows of x: once there are more than 3 rows, nobody needs op, which still checks."""
    nodes = [
        (op, ["x", "y"], "a", attrs or {}),
        ("Shape", ["a"], "shape", {}),
        ("Gather", ["shape", "zero"], "rows", {}),
        ("Min", ["rows", "three"], "few", {}),
        ("Slice", ["x", "zero", "few", "zero"], "z", {}),
    ]
    return nodes, {"zero": [0], "three": [3]}


# What inference checks of a node that is gone from the graph of its class: the model, sizes that fit, sizes that do not.
UNEQUAL = {
    "Add": (*rows_of("Add"), {"x": ["n", "k"], "y": ["n", 4]}, [[(5, 4), (5, 4)], [(6, 4), (6, 4)]], [(5, 7), (5, 4)]),
    "Where": (
        [("Greater", ["x", "y"], "c", {}), ("Where", ["c", "x", "y"], "a", {}), *rows_of("Add")[0][1:]],
        rows_of("Add")[1],
        {"x": ["n", 4], "y": ["m", "k"]},
        [[(5, 4), (5, 4)], [(7, 4), (7, 4)]],
        [(5, 4), (5, 6)],
    ),
    "MatMul": (
        *rows_of("MatMul"),
        {"x": ["n", "k"], "y": [6, "m"]},
        [[(5, 6), (6, 4)], [(7, 6), (6, 8)]],
        [(5, 7), (6, 4)],
    ),
    "Concat": (
        *rows_of("Concat", {"axis": 0}),
        {"x": ["n", "k"], "y": ["n", 4]},
        [[(5, 4), (5, 4)], [(6, 4), (6, 4)]],
        [(5, 7), (5, 4)],
    ),
    "Reshape": (
        [("Reshape", ["x", "by_three"], "a", {}), *rows_of("Add")[0][1:]],
        {**rows_of("Add")[1], "by_three": [-1, 3]},
        {"x": ["n", "k"], "y": ["m"]},
        [[(5, 6), (2,)], [(7, 9), (2,)]],
        [(5, 8), (2,)],
    ),
}


@pytest.mark.parametrize("case", UNEQUAL)
def test_sizes_that_nodes_refuse_which_are_gone(tmp_path, case):
    """After sizes that fit, as before any."""
    nodes, constants, inputs, fit, unfit = UNEQUAL[case]
    model = several(nodes, inputs, ["z"], constants)
    general, exact = load(model, tmp_path), load(model, tmp_path, general_plans=0)
    feeds = [{n: np.ones(s, np.float32) for n, s in zip(inputs, sizes, strict=True)} for sizes in (*fit, unfit, fit[-1])]
    for feed in (feeds[0], feeds[1], feeds[3]):
        np.testing.assert_array_equal(general.run(feed)["z"], right(model, feed)[0])
    with pytest.raises(GeError) as want:
        exact.run(feeds[2])
    with pytest.raises(GeError) as refused:
        general.run(feeds[2])
    assert str(refused.value) == str(want.value)
    assert [c["plans"] for c in classes(general)] == [1]


def test_an_empty_tensor_is_of_another_class(tmp_path):
    """A view of heads of a tensor with rows, and of one without: what is left of no elements is nothing."""
    nodes = [
        ("Slice", ["x", "two", "far", "zero"], "y", {}),
        ("Shape", ["y"], "shape", {}),
        ("Gather", ["shape", "zero"], "rows", {}),
        ("Concat", ["rows", "rest"], "wanted", {"axis": 0}),
        ("Reshape", ["y", "wanted"], "a", {}),
        ("Relu", ["a"], "z", {}),
    ]
    constants = {"zero": [0], "two": [2], "far": [99], "rest": [-1]}
    model = several(nodes, {"x": ["n", "k"]}, ["z"], constants)
    general, exact = load(model, tmp_path), load(model, tmp_path, general_plans=0)
    for size in [(5, 6), (6, 7), (2, 8), (2, 9), (3, 4), (9, 3)]:
        feed = {"x": np.random.default_rng(1).standard_normal(size).astype(np.float32)}
        got = general.run(feed)["z"]
        np.testing.assert_array_equal(got, exact.run(feed)["z"])
        if size[0] > 2:  # ONNX leaves open what -1 stands for beside 0
            np.testing.assert_array_equal(got, right(model, feed)[0])


@pytest.mark.isa
@pytest.mark.parametrize("kernel", [1, 3])
def test_sizes_that_shrink_and_grow_within_one_plan(tmp_path, kernel):
    """A plan with room serves both, and what the inputs have to have follows the size of the run."""
    w = np.random.default_rng(0).standard_normal((8, 4, kernel, kernel)).astype(np.float32)
    attrs = {"pads": [kernel // 2] * 4}
    model = one("Conv", {"x": ["n", 4, "h", "w"]}, attrs, [("w", w)])
    general = load(model, tmp_path)
    random = np.random.default_rng(1)
    for n, h, v in ((1, 64, 96), (1, 72, 96), (1, 60, 90), (1, 60, 90), (1, 75, 96), (1, 30, 17), (1, 76, 97)):
        x = random.standard_normal((n, 4, h, v)).astype(np.float32)
        (want,) = right(model, {"x": x})
        (got,) = general.run({"x": x}).values()
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())
    (found,) = classes(general)
    assert found["plans"] == (1 if found["one_size"] == "" else 5)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


VIEWS = {  # nodes, constants, open extents, what they compute, sizes: at one of them a node is a view of all of its input
    "a slice that takes all": (
        [("Slice", ["x", "zero", "eight", "one"], "y", {}), ("Softmax", ["x"], "z", {"axis": -1})],
        {"zero": [0], "one": [1], "eight": [8]},
        ["n", "w"],
        lambda x: x[:, :8],
        [(3, 20), (3, 8), (2, 30), (4, 9), (5, 300)],
    ),
    "a slice from behind": (
        [("Softmax", ["x"], "a", {"axis": -1}), ("Slice", ["a", "start", "end", "zero"], "b", {}), ("Softmax", ["b"], "y", {})],
        {"start": [-5], "end": [2**31 - 1], "zero": [0]},
        ["n", "s", 8],
        lambda x: softmax(softmax(x)[-5:]),
        [(10, 6, 8), (5, 6, 8), (7, 6, 8), (8, 9, 8)],
    ),
    "a slice that an output begins with": (
        [("Softmax", ["x"], "a", {"axis": -1}), ("Slice", ["a", "zero", "two", "zero"], "b", {}), ("Softmax", ["b"], "y", {})],
        {"zero": [0], "two": [2]},
        ["n", "s", 8],
        lambda x: softmax(softmax(x)[:2]),
        [(4, 6, 8), (2, 6, 8), (9, 6, 8), (300, 6, 8)],
    ),
    "a transpose that moves ones": (
        [("MaxPool", ["x"], "a", {"kernel_shape": [2, 2], "strides": [2, 2]}),
         ("Transpose", ["a"], "b", {"perm": [0, 2, 3, 1]}), ("Softmax", ["b"], "y", {})],
        {},
        ["n", 16, "h", "w"],
        lambda x: softmax(x.reshape(*x.shape[:2], x.shape[2] // 2, 2, -1, 2).max((3, 5)).transpose(0, 2, 3, 1)),
        [(4, 8, 10), (300, 2, 2), (5, 8, 8), (3, 4, 6)],
    ),
    "rows from behind": (
        [("Slice", ["x", "start", "end", "zero"], "b", {}), ("Softmax", ["b"], "y", {})],
        {"start": [-3], "end": [2**31 - 1], "zero": [0]},
        ["s", 8],
        lambda x: softmax(x[-3:]),
        [(40, 8), (40, 8), (3, 8), (48, 8), (7, 8)],
    ),
    "a transpose of a square of one": (
        [("MaxPool", ["x"], "a", {"kernel_shape": [2, 2], "strides": [2, 2]}),
         ("Transpose", ["a"], "b", {"perm": [0, 1, 3, 2]}), ("Softmax", ["b"], "y", {})],
        {},
        [1, 1, "h", "h"],
        lambda x: softmax(x.reshape(1, 1, x.shape[2] // 2, 2, -1, 2).max((3, 5)).transpose(0, 1, 3, 2)),
        [(1, 1, 40, 40), (1, 1, 2, 2), (1, 1, 8, 8), (1, 1, 6, 6)],
    ),
}  # fmt: skip


@pytest.mark.isa
@pytest.mark.parametrize("case", VIEWS)
def test_what_is_a_view_at_one_size_alone(tmp_path, case):
    nodes, constants, open_dims, right_result, sizes = VIEWS[case]
    model = several(nodes, {"x": open_dims}, ["y"], constants)
    general = load(model, tmp_path)
    for size in sizes:
        if case == "a transpose that moves ones":
            size = (size[0], 16, *size[1:])
        x = np.random.default_rng(1).standard_normal(size).astype(np.float32)
        np.testing.assert_allclose(general.run({"x": x})["y"], right_result(x), rtol=1e-5, atol=1e-6, err_msg=str(size))


class GivenMemory:
    """Runs of a model in memory of the caller, through the C functions."""

    def __init__(self, model):
        self.model, self.kept = model, []
        out = ffi.new("GeRunContext **")
        check(lib.GeRunContextCreate(model._handle, out))
        self.context = ffi.gc(out[0], lib.GeRunContextDestroy)

    def give(self, size):
        self.kept = [np.empty(size + 64, np.uint8)]
        at = self.kept[0].ctypes.data
        check(lib.GeRunContextSetMemory(self.context, ffi.cast("void *", at + -at % 64), size))

    def call(self, run, x):
        dims = ffi.new("int64_t[]", x.shape)
        feed, out = ffi.new("GeTensorData *"), ffi.new("GeTensorData *")
        feed.data_type, feed.rank, feed.dims = lib.C_DT_FLOAT, x.ndim, dims
        feed.format = feed.origin_format = lib.C_FORMAT_ND
        feed.data, feed.size = ffi.from_buffer(x), x.nbytes
        check(run(self.context, feed, 1, out, 1))
        if run is lib.GeRun:
            shape = [out.dims[i] for i in range(out.rank)]
            return np.frombuffer(ffi.buffer(out.data, out.size), np.float32).reshape(shape)

    def needed(self, x):
        check(lib.GeRunContextSetMemory(self.context, NULL, 0))
        self.call(lib.GeRunContextPrepare, x)
        memory = ffi.new("GeModelMemory *")
        memory.struct_size = ffi.sizeof("GeModelMemory")
        check(lib.GeModelGetMemory(self.model._handle, memory))
        return memory.arena_bytes


def chain(tmp_path):
    """Convolutions of images of all sizes."""
    w = (np.random.default_rng(0).standard_normal((16, 16, 3, 3)) / 9).astype(np.float32)
    nodes = [("Conv", ["x", "w"], "a", {"pads": [1] * 4}), ("Conv", ["a", "w"], "b", {"pads": [1] * 4}),
             ("Conv", ["b", "w"], "y", {"pads": [1] * 4})]  # fmt: skip
    model = several(nodes, {"x": ["n", 16, "h", "w"]}, ["y"], {})
    model.graph.initializer.append(numpy_helper.from_array(w, "w"))
    return model, load(model, tmp_path, threads=1)


def test_memory_of_the_caller_follows_the_size(tmp_path):
    model, general = chain(tmp_path)
    runs = GivenMemory(general)
    for n, h, w in ((2, 8, 9), (3, 10, 7), (4, 40, 50), (2, 16, 17), (2, 8, 9), (3, 10, 7)):
        x = np.random.default_rng(h).standard_normal((n, 16, h, w)).astype(np.float32)
        runs.give(runs.needed(x))
        np.testing.assert_allclose(runs.call(lib.GeRun, x), right(model, {"x": x})[0], rtol=1e-4, atol=1e-4)


def test_a_size_that_has_no_memory_leaves_others_theirs(tmp_path):
    model, general = chain(tmp_path)
    runs = GivenMemory(general)
    image = lambda n, h, w: np.random.default_rng(h).standard_normal((n, 16, h, w)).astype(np.float32)  # noqa: E731
    small = [image(2, 8, 9), image(3, 10, 7), image(3, 9, 8)]
    needed = [runs.needed(x) for x in small]
    runs.give(max(needed))
    for x in (*small, image(4, 400, 500), *small):
        if x.shape[2] == 400:
            with pytest.raises(MemoryError, match="the memory given for runs has"):
                runs.call(lib.GeRun, x)
        else:
            np.testing.assert_allclose(runs.call(lib.GeRun, x), right(model, {"x": x})[0], rtol=1e-4, atol=1e-4)
