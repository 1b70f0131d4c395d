"""If, Loop and their kin with a body whose shapes do not fit: an error only when the body is entered.

The oracle is ONNX Runtime where it takes the model (extents that the run tells), else NumPy."""

import graphdef as tf
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge
from ge.error import GeError

F, B, I64 = TensorProto.FLOAT, TensorProto.BOOL, TensorProto.INT64
node, value = helper.make_node, helper.make_tensor_value_info


def body(name, nodes, output, dtype=F, inputs=()):
    outputs = output if isinstance(output, list) else [value(output, dtype, None)]
    return helper.make_graph(nodes, name, list(inputs), outputs)


def model(nodes, inputs, weights=(), outputs=("y",)):
    made = [numpy_helper.from_array(np.asarray(v), k) for k, v in dict(weights).items()]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=o) for o in outputs], made)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def ours(m, feed, **options):
    return ge.load(m.SerializeToString(), options=options or None).run(feed)["y"]


def theirs(m, feed):
    import onnxruntime

    session = onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["y"], feed)[0]


def same(got, want):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-6)


def x_of(*shape):
    return np.random.default_rng(sum(shape)).uniform(-2, 2, shape).astype(np.float32)


def squeeze_or_keep():
    return (
        body("t", [node("Squeeze", ["x", "axes"], ["o1"])], "o1"),
        body("e", [node("Identity", ["x"], ["o2"])], "o2"),
    )


def squeeze_if(condition_nodes, inputs, **weights):
    """What exporters make of `x.squeeze(2) if … else x`."""
    then, other = squeeze_or_keep()
    nodes = [*condition_nodes, node("If", ["c"], ["y"], then_branch=then, else_branch=other)]
    return model(nodes, inputs, {"axes": np.int64([2]), **weights})


SHAPE_IS_ONE = [
    node("Shape", ["x"], ["s"]),
    node("Gather", ["s", "two"], ["d"]),
    node("Equal", ["d", "one"], ["c"]),
]


@pytest.mark.parametrize("level", ["0", "1", "2", "3"])
@pytest.mark.parametrize("extent", [1, 2])
def test_condition_of_a_shape(extent, level):
    x = x_of(1, 3, extent)
    options = {"threads": "1", "opt_level": level}
    m = squeeze_if(SHAPE_IS_ONE, [value("x", F, ["n", "c", "w"])], two=np.int64(2), one=np.int64(1))
    same(ours(m, {"x": x}, **options), theirs(m, {"x": x}))
    # With the extents in the model the condition is known while it is compiled.
    m = squeeze_if(SHAPE_IS_ONE, [value("x", F, x.shape)], two=np.int64(2), one=np.int64(1))
    same(ours(m, {"x": x}, **options), x.squeeze(2) if extent == 1 else x)


@pytest.mark.parametrize("open_dims", [True, False])
def test_condition_that_is_an_input(open_dims):
    for shape, flag in (((1, 3, 1), True), ((1, 3, 1), False), ((1, 3, 2), False)):
        x = x_of(*shape)
        m = squeeze_if([], [value("x", F, ["n", "c", "w"] if open_dims else shape), value("c", B, [])])
        same(ours(m, {"x": x, "c": np.array(flag)}), x.squeeze(2) if flag else x)


@pytest.mark.parametrize("open_dims", [True, False])
def test_entering_says_which_branch_and_why(open_dims):
    x = x_of(1, 3, 2)
    m = squeeze_if([], [value("x", F, ["n", "c", "w"] if open_dims else x.shape), value("c", B, [])])
    loaded = ge.load(m.SerializeToString())
    for _ in range(2):
        with pytest.raises(GeError, match="then_branch.*Squeeze.*extent 2, expected extent 1"):
            loaded.run({"x": x, "c": np.array(True)})
        same(loaded.run({"x": x, "c": np.array(False)})["y"], x)


def test_constant_condition():
    x = x_of(1, 3, 2)
    for constant in (np.array(False), np.array([False])):
        m = squeeze_if([], [value("x", F, x.shape)], c=constant)
        same(ours(m, {"x": x}), x)
    m = squeeze_if([], [value("x", F, x.shape)], c=np.array(True))
    with pytest.raises(GeError, match="then_branch.*extent 2, expected extent 1"):
        ours(m, {"x": x})


def test_no_branch_fits():
    then = body("t", [node("Squeeze", ["x", "axes"], ["o1"])], "o1")
    other = body("e", [node("Squeeze", ["x", "axes"], ["o2"])], "o2")
    m = model(
        [node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
        [value("x", F, [1, 3, 2]), value("c", B, [])],
        {"axes": np.int64([2])},
    )
    with pytest.raises(GeError, match="then_branch.*; .*else_branch"):
        ours(m, {"x": x_of(1, 3, 2), "c": np.array(True)})


@pytest.mark.parametrize("open_dims", [True, False])
def test_weights_of_another_width(open_dims):
    """A branch per sample rate, each with weights for its own width."""

    def arm(name, weights, out):
        nodes = [node("MatMul", ["x", weights], [out + "m"]), node("Add", [out + "m", "b"], [out + "s"])]
        return body(name, [*nodes, node("Relu", [out + "s"], [out])], out)

    weights = {"w4": x_of(4, 3), "w6": x_of(6, 3), "b": x_of(3)}
    for width, flag in ((4, True), (6, False)):
        m = model(
            [
                node("If", ["c"], ["z"], then_branch=arm("t", "w4", "p"), else_branch=arm("e", "w6", "q")),
                node("Neg", ["z"], ["y"]),
            ],
            [value("x", F, ["n", "k"] if open_dims else [2, width]), value("c", B, [])],
            weights,
        )
        feed = {"x": x_of(2, width), "c": np.array(flag)}
        same(ours(m, feed), -np.maximum(feed["x"] @ weights[f"w{width}"] + weights["b"], 0))
        with pytest.raises(GeError, match="else_branch" if flag else "then_branch"):
            ours(m, {**feed, "c": np.array(not flag)})


def test_networks_in_both_branches():
    """Passes run over what fits and leave alone what does not."""

    def arm(name, channels, p):
        nodes = [
            node("Conv", ["x", f"w{channels}"], [p + "c"], pads=[1, 1, 1, 1]),
            node("BatchNormalization", [p + "c", "v", "v", "v", "v"], [p + "n"]),
            node("Relu", [p + "n"], [p + "r"]),
            node("LayerNormalization", [p + "r", "g"], [p + "l"]),
            node("GlobalAveragePool", [p + "l"], [p]),
        ]
        return body(name, nodes, p)

    weights = {"w3": x_of(5, 3, 3, 3), "w4": x_of(5, 4, 3, 3), "v": np.abs(x_of(5)) + 1, "g": x_of(6)}
    m = model(
        [node("If", ["c"], ["y"], then_branch=arm("t", 3, "p"), else_branch=arm("e", 4, "q"))],
        [value("x", F, [2, 4, 6, 6]), value("c", B, [])],
        weights,
    )
    feed = {"x": x_of(2, 4, 6, 6), "c": np.array(False)}
    plain = model(
        [node("If", ["c"], ["y"], then_branch=arm("t", 4, "p"), else_branch=arm("e", 4, "q"))],
        [value("x", F, [2, 4, 6, 6]), value("c", B, [])],
        weights,
    )
    np.testing.assert_allclose(ours(m, feed), theirs(plain, feed), rtol=1e-4, atol=1e-6)
    with pytest.raises(GeError, match="then_branch.*Conv"):
        ours(m, {**feed, "c": np.array(True)})


def test_branches_of_other_types_under_a_known_condition():
    then = body("t", [node("Cast", ["x"], ["o1"], to=I64)], "o1", I64)
    other = body("e", [node("Flatten", ["x"], ["o2"])], "o2")
    x = x_of(2, 3, 4)
    for flag, want in ((True, x.astype(np.int64)), (False, x.reshape(2, 12))):
        m = model(
            [node("If", ["c"], ["y"], then_branch=then, else_branch=other)], [value("x", F, x.shape)], {"c": np.array(flag)}
        )
        same(ours(m, {"x": x}), want)


@pytest.mark.parametrize("open_dims", [True, False])
def test_nested(open_dims):
    """The failure is in the branch of a branch; types behind it are those of comparisons, not of their operands."""
    inner_then = body("it", [node("Equal", ["x", "w"], ["e"]), node("Cast", ["e"], ["i1"], to=F)], "i1")
    inner_else = body("ie", [node("Neg", ["x"], ["i2"])], "i2")
    outer_then = body("ot", [node("If", ["d"], ["o1"], then_branch=inner_then, else_branch=inner_else)], "o1")
    outer_else = body("oe", [node("Abs", ["x"], ["o2"])], "o2")
    x = x_of(2, 3)
    m = model(
        [node("If", ["c"], ["y"], then_branch=outer_then, else_branch=outer_else)],
        [value("x", F, ["n", "k"] if open_dims else x.shape), value("c", B, []), value("d", B, [])],
        {"w": x_of(2, 4)},
    )
    feed = {"x": x, "c": np.array(True), "d": np.array(False)}
    same(ours(m, feed), -x)
    same(ours(m, {**feed, "c": np.array(False), "d": np.array(True)}), np.abs(x))
    with pytest.raises(GeError, match="then_branch.*then_branch.*Equal"):
        ours(m, {**feed, "d": np.array(True)})


def loop(nodes, trips, carried, out, weights=(), x=(2, 3), inputs=()):
    given = [value("i", I64, []), value("go", B, []), value("v", F, carried)]
    graph = body("b", [node("Identity", ["go"], ["more"]), *nodes], [value("more", B, []), value(out, F, None)], inputs=given)
    return model([node("Loop", ["trips", "", "x"], ["y"], body=graph)], [value("x", F, x), *inputs], {**dict(weights), **trips})


@pytest.mark.parametrize("open_dims", [True, False])
def test_a_loop_without_rounds(open_dims):
    x = x_of(2, 3)
    m = loop(
        [node("MatMul", ["v", "w"], ["next"])], {}, None, "next", {"w": x_of(4, 3)},
        x=["n", "k"] if open_dims else [2, 3], inputs=[value("trips", I64, [])],
    )  # fmt: skip
    same(ours(m, {"x": x, "trips": np.array(0)}), x)
    with pytest.raises(GeError, match="body.*MatMul"):
        ours(m, {"x": x, "trips": np.array(1)})


def test_a_loop_with_a_known_number_of_rounds():
    nodes, weights = [node("MatMul", ["v", "w"], ["next"])], {"w": x_of(4, 3)}
    x = x_of(2, 3)
    same(ours(loop(nodes, {"trips": np.array(0)}, None, "next", weights), {"x": x}), x)
    with pytest.raises(GeError, match="body.*MatMul"):
        ge.load(loop(nodes, {"trips": np.array(3)}, None, "next", weights).SerializeToString())


def test_a_branch_in_a_loop():
    """The first round widens the value, the later ones keep it: each branch fits only its own rounds."""
    first = body("first", [node("MatMul", ["v", "w34"], ["o1"])], "o1")
    later = body("later", [node("MatMul", ["v", "w44"], ["o2"])], "o2")
    nodes = [
        node("Equal", ["i", "zero"], ["c"]),
        node("If", ["c"], ["next"], then_branch=first, else_branch=later),
    ]
    w34, w44 = x_of(3, 4), x_of(4, 4)
    x = x_of(2, 3)
    m = loop(nodes, {}, None, "next", {"w34": w34, "w44": w44, "zero": np.int64(0)}, inputs=[value("trips", I64, [])])
    want = x
    for trips in range(4):
        np.testing.assert_allclose(ours(m, {"x": x, "trips": np.array(trips)}), want, rtol=1e-5)
        want = want @ (w34 if trips == 0 else w44)


@pytest.mark.parametrize("shape", [(2, 6), (-1, -1)])
def test_tensorflow(shape):
    g = tf.Graph()
    weights = {name: np.ones((k, 3), np.float32) for name, k in (("four", 4), ("six", 6))}
    for name, w in weights.items():
        nodes = [
            tf.node("w", "Const", dtype=tf.Type("float32"), value=w),
            tf.node("m", "MatMul", ["a", "w:output:0"], T=tf.Type("float32")),
        ]
        g.functions.append(tf.function(name, {"a": "float32"}, {"r": "float32"}, nodes, {"r": "m:product:0"}))
    types = [tf.Type("float32")]
    y = g.add("If", g.input("c", (), "bool"), g.input("x", shape), then_branch=tf.Func("four"), else_branch=tf.Func("six"),
              Tin=types, Tout=types, Tcond=tf.Type("bool"))  # fmt: skip
    g.add("Identity", y, name="y")
    loaded = ge.load(g.encode())
    x = x_of(2, 6)
    same(loaded.run({"c": np.array(False), "x": x})["y"], x @ weights["six"])
    with pytest.raises(GeError, match="then_branch.*MatMul"):
        loaded.run({"c": np.array(True), "x": x})
