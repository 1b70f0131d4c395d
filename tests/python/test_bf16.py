"""Option precision bf16: convolutions and products against NumPy in double precision, of operands rounded beforehand."""

import os
import subprocess
import sys

import graphdef as tf
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import ge
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import MatMulV2
from ge.offline_compile import build_finalize, build_initialize, build_model, save_model

pytestmark = pytest.mark.isa


def computes_in_bf16():
    with open("/proc/cpuinfo", encoding="ascii") as f:
        flags = next((line.split() for line in f if line.startswith("flags")), [])
    return "avx512_bf16" in flags and os.environ.get("GE_MAX_ISA", "amx") in ("avx512", "amx")


needs_bf16 = pytest.mark.skipif(not computes_in_bf16(), reason="the processor does not compute in bf16")


def rounded(x):
    """To nearest, halves to even, as float32."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def model(nodes, inputs, outputs, constants):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node(kind, ins, outs, name, **attrs) for kind, ins, outs, name, attrs in nodes],
        "g",
        [value(n, TensorProto.FLOAT, shape) for n, shape in inputs.items()],
        [value(n, TensorProto.FLOAT, None) for n in outputs],
        [numpy_helper.from_array(v, n) for n, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def load(m, **options):
    return ge.load(m.SerializeToString(), options={k.replace("__", "."): v for k, v in options.items()})


def notes(loaded):
    return {name: n for n in loaded.report()["precision"] for name in n["node"].split(",")}


def kinds(loaded, x):
    """Types of the nodes of a run, with the kernels' names."""
    return [(row["type"], row["implementation"]) for row in loaded.profile(x).data]


def count(loaded, x, kind):
    return sum(t == kind for t, _ in kinds(loaded, x))


def near(got, want, size=1.0):
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * size)


def ends(last, residual, act):
    """Nodes for y = act(last + r)."""
    nodes = []
    if residual:
        nodes.append(("Add", [last, "r"], ["t"], "more", {}))
        last = "t"
    if act:
        nodes.append((act, [last], ["a"], "act", {}))
        last = "a"
    return [*nodes, ("Identity", [last], ["y"], "end", {})]


def dense(w, bias=None, residual=False, act=None, rows="rows", transposed=False):
    """y = act(x @ w + bias + r), node 'product'."""
    k, n = w.shape
    last, nodes = "p", []
    constants = {"w": np.ascontiguousarray(w.T) if transposed else w}
    if transposed:
        nodes.append(("Transpose", ["w"], ["wt"], "turn", {"perm": [1, 0]}))
    nodes.append(("MatMul", ["x", "wt" if transposed else "w"], ["p"], "product", {}))
    if bias is not None:
        constants["b"] = bias
        nodes.append(("Add", [last, "b"], ["s"], "sum", {}))
        last = "s"
    nodes += ends(last, residual, act)
    inputs = {"x": [rows, k], **({"r": [rows, n]} if residual else {})}
    return model(nodes, inputs, ["y"], constants)


ACTIVATIONS = {
    None: lambda v: v,
    "Relu": lambda v: np.maximum(v, 0),
    "Sigmoid": lambda v: 1 / (1 + np.exp(-v)),
    "Tanh": np.tanh,
}


@needs_bf16
@pytest.mark.parametrize("act", ACTIVATIONS)
@pytest.mark.parametrize("k, n", [(256, 96), (300, 70), (129, 400), (1000, 33), (1024, 64)])
def test_a_product(k, n, act):
    w, bias = random(k, n, seed=k) / np.float32(np.sqrt(k)), random(n, seed=n)
    for residual in (False, True):
        loaded = load(dense(w, bias, residual, act, transposed=k == 300), precision="bf16", precision__strict=1)
        note = notes(loaded)["product"]
        assert (note["ran"], note["why"]) == ("bf16", "x rounded to bf16, sums in fp32")
        assert note["bytes"] == k * n * 2 and note["fp32_bytes"] == k * n * 4
        for rows in (1, 2, 7, 20, 70):
            x, r = random(rows, k, seed=rows), random(rows, n, seed=k)
            feed = {"x": x, **({"r": r} if residual else {})}
            want = rounded(x).astype(np.float64) @ rounded(w) + bias + (r if residual else 0)
            near(loaded.run(feed)["y"], ACTIVATIONS[act](want))
        assert any("bf16" in kernel for kind, kernel in kinds(loaded, feed) if kind == "FusedMatMulV2")


@needs_bf16
def test_a_scale_goes_into_the_weights_and_batches_are_rows():
    w, c = random(160, 512), random(160, seed=1)
    nodes = [("Gemm", ["x", "w", "c"], ["y"], "gemm", {"transB": 1, "alpha": 0.3})]
    x = random(40, 512, seed=2)
    got = load(model(nodes, {"x": [40, 512]}, ["y"], {"w": w, "c": c}), precision="bf16", threads=2).run({"x": x})["y"]
    near(got, rounded(x).astype(np.float64) @ rounded(w * np.float32(0.3)).T + c, size=30)
    batch = model([("MatMul", ["x", "w"], ["y"], "p", {})], {"x": ["b", 3, 160]}, ["y"], {"w": w})
    x = random(5, 3, 160, seed=3)
    near(load(batch, precision="bf16").run({"x": x})["y"], rounded(x).astype(np.float64) @ rounded(w), size=30)


@needs_bf16
def test_results_between_two_products_are_bf16_and_others_are_not():
    a, b, c = random(256, 512) / 16, random(512, 256, seed=1) / 16, random(256, 256, seed=2) / 16
    nodes = [
        ("MatMul", ["x", "a"], ["p"], "first", {}),
        ("Relu", ["p"], ["h"], "act", {}),
        ("MatMul", ["h", "b"], ["q"], "second", {}),
        ("Add", ["q", "x"], ["s"], "sum", {}),
        ("MatMul", ["s", "c"], ["t"], "third", {}),
    ]
    x = random(64, 256, seed=5)
    h = rounded(np.maximum(rounded(x).astype(np.float64) @ rounded(a), 0))
    for outputs in (["t"], ["s", "t"]):
        # Where s is only rounded for the last product, it is made in bf16, and so is what is added to it.
        s = h.astype(np.float64) @ rounded(b) + (x if "s" in outputs else rounded(x))
        t = rounded(s).astype(np.float64) @ rounded(c)
        loaded = load(model(nodes, {"x": [64, 256]}, outputs, {"a": a, "b": b, "c": c}), precision="bf16")
        got = loaded.run({"x": x})
        # A value of h whose fp32 sum lies at a tie may be rounded to the other side: a unit of 2^-8.
        np.testing.assert_allclose(got["t"], t, atol=np.abs(t).max() * 2.0**-7)
        assert (np.abs(got["t"] - t) > 1e-4).mean() < 0.2
        # h is made in bf16. s is rounded for the last product; where the program reads it as well, it is float32 itself.
        casts = count(loaded, {"x": x}, "Cast")
        if "s" in got:
            assert casts == 2  # of x and of s
            np.testing.assert_allclose(got["s"], s, atol=np.abs(s).max() * 2.0**-10)
        else:
            assert casts == 1  # of x, which the sum reads rounded too


CONVOLUTIONS = [
    # channels, outputs, kernel, stride, pads, groups, dilation
    (32, 48, 3, 1, [1, 1, 1, 1], 1, 1),
    (3, 32, 7, 2, [3, 3, 3, 3], 1, 1),
    (64, 24, 1, 1, [0, 0, 0, 0], 1, 1),
    (40, 70, 3, 2, [0, 1, 2, 1], 1, 1),
    (20, 33, 5, 1, [2, 2, 2, 2], 1, 2),
    (64, 96, 3, 1, [1, 1, 1, 1], 2, 1),
]


def conv(c, o, kernel, stride, pads, groups, dilation, act=None, bias=True, residual=False, size=14):
    w = random(o, c // groups, kernel, kernel, seed=o) / np.float32(np.sqrt(c // groups) * kernel)
    inputs = ["x", "w", *(["b"] if bias else [])]
    attrs = {"strides": [stride] * 2, "pads": pads, "group": groups, "dilations": [dilation] * 2}
    nodes = [("Conv", inputs, ["v"], "conv", attrs), *ends("v", residual, act)]
    constants = {"w": w, **({"b": random(o, seed=1)} if bias else {})}
    out = (size + pads[0] + pads[2] - dilation * (kernel - 1) - 1) // stride + 1
    wide = (size + 3 + pads[1] + pads[3] - dilation * (kernel - 1) - 1) // stride + 1
    shapes = {"x": [2, c, size, size + 3], **({"r": [2, o, out, wide]} if residual else {})}
    return model(nodes, shapes, ["y"], constants)


def reference(m, feed):
    """onnx's own evaluation of the same model, with operands of the first convolution rounded."""
    exact = onnx.ModelProto.FromString(m.SerializeToString())
    for tensor in exact.graph.initializer:
        if tensor.name.startswith("w"):
            tensor.CopyFrom(numpy_helper.from_array(rounded(numpy_helper.to_array(tensor)), tensor.name))
    return ReferenceEvaluator(exact).run(None, {**feed, "x": rounded(feed["x"])})[0]


@needs_bf16
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_a_convolution(case):
    for act, bias, residual in ((None, True, False), ("Relu", True, True), ("Sigmoid", False, False)):
        m = conv(*case, act=act, bias=bias, residual=residual)
        loaded = load(m, precision="bf16", precision__strict=1)
        assert notes(loaded)["conv"]["ran"] == "bf16"
        feed = {i.name: random(*i.shape, seed=7) for i in loaded.inputs}
        got = loaded.run(feed)["y"]
        np.testing.assert_allclose(got, reference(m, feed), rtol=1e-4, atol=1e-4)
        assert any("bf16" in kernel for kind, kernel in kinds(loaded, feed) if "Conv" in kind)


def blocks(channels=40, size=12, depthwise=True):
    """Residual blocks with pooling between them: results in blocks of channels, some of which are read twice."""
    c, d = channels, 2 * channels
    nodes = [
        ("Conv", ["x", "w0"], ["a"], "stem", {"pads": [1, 1, 1, 1]}),
        ("Relu", ["a"], ["a1"], "act0", {}),
        ("MaxPool", ["a1"], ["m"], "pool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("Conv", ["m", "w1"], ["b"], "expand", {}),
        ("Relu", ["b"], ["b1"], "act1", {}),
        ("Conv", ["b1", "w2"], ["c"], "depthwise", {"pads": [1, 1, 1, 1], "group": d if depthwise else 1}),
        ("Relu", ["c"], ["c1"], "act2", {}),
        ("Conv", ["c1", "w3"], ["e"], "project", {}),
        ("Add", ["e", "m"], ["f"], "sum", {}),
        ("Conv", ["f", "w1"], ["g"], "expand2", {}),
        ("Conv", ["g", "w3"], ["h"], "project2", {}),
        ("Add", ["h", "f"], ["i"], "sum2", {}),
        ("Relu", ["i"], ["i1"], "act3", {}),
        ("GlobalAveragePool", ["i1"], ["j"], "mean", {}),
        ("Flatten", ["j"], ["k"], "flat", {}),
        ("MatMul", ["k", "w4"], ["y"], "classes", {}),
    ]

    def weight(*shape):
        return random(*shape, seed=shape[0]) / np.float32(np.sqrt(np.prod(shape[1:])))

    constants = {
        "w0": weight(c, 3, 3, 3),
        "w1": weight(d, c, 1, 1),
        "w2": weight(d, 1 if depthwise else d, 3, 3),
        "w3": weight(c, d, 1, 1),
        "w4": random(c, 1000) / np.float32(np.sqrt(c)),
    }
    return model(nodes, {"x": ["n", 3, size, size]}, ["y"], constants)


@needs_bf16
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("channels, depthwise", [(40, True), (64, True), (24, False)])
def test_a_network(channels, depthwise, threads):
    m = blocks(channels, depthwise=depthwise)
    loaded, plain = load(m, precision="bf16", threads=threads), load(m)
    for n in (1, 3):
        x = {"x": random(n, 3, 12, 12, seed=n)}
        want = plain.run(x)["y"]
        assert np.abs(loaded.run(x)["y"] - want).max() < 0.03 * np.abs(want).max()
    ran = {name: note["ran"] for name, note in notes(loaded).items()}
    assert {ran[name] for name in ("stem", "expand", "depthwise", "project", "expand2", "project2", "classes")} == {"bf16"}
    # Of the picture, of what is pooled, of the means; back for the pooling of the last sum. Nothing between convolutions.
    assert count(loaded, x, "Cast") <= 4


@needs_bf16
@pytest.mark.parametrize("reader", ["node", "named", "output"])
def test_what_others_read_is_not_rounded(reader):
    """Not by a pass that has another reader in mind, whatever the program asks of that one."""
    a, b, c = random(64, 256) / 8, random(256, 256, seed=1) / 16, random(256, 128, seed=2) / 16
    nodes = [("MatMul", ["x", "a"], ["h"], "first", {}), ("MatMul", ["h", "b"], ["t"], "second", {})]
    nodes.append(("MatMul", ["h", "c"], ["e"], "head", {}) if reader == "named" else ("Exp", ["h"], ["e"], "exp", {}))
    outputs = ["t", "e", *(["h"] if reader == "output" else [])]
    m = model(nodes, {"x": [8, 64]}, outputs, {"a": a, "b": b, "c": c})
    loaded = load(m, precision="bf16", precision__nodes="head=fp32")
    x = random(8, 64, seed=3)
    got = loaded.run({"x": x})
    h = rounded(x).astype(np.float64) @ rounded(a)
    near(got["e"], h @ c if reader == "named" else np.exp(h))
    assert np.abs(got["t"] - rounded(h) @ rounded(b).astype(np.float64)).max() < 2.0**-7
    if reader == "output":
        near(got["h"], h)


@needs_bf16
def test_sums_of_residual_blocks():
    """A chain of them that another node reads stays float32; one that ends in a product does not."""
    nodes, last = [], "x"
    for i in range(8):
        nodes += [("MatMul", [last, f"w{i}"], [f"p{i}"], f"block{i}", {}), ("Add", [f"p{i}", last], [f"s{i}"], f"sum{i}", {})]
        last = f"s{i}"
    constants = {f"w{i}": random(128, 128, seed=i) / np.float32(60) for i in range(8)}
    x = random(32, 128, seed=9)
    want = x.astype(np.float64)
    for w in constants.values():
        want = rounded(want).astype(np.float64) @ rounded(w) + want
    loaded = load(model([*nodes, ("Tanh", [last], ["y"], "end", {})], {"x": [32, 128]}, ["y"], constants), precision="bf16")
    assert np.abs(loaded.run({"x": x})["y"] - np.tanh(want)).max() < 1e-3
    constants["w8"] = random(128, 300, seed=20) / np.float32(10)
    loaded = load(
        model([*nodes, ("MatMul", [last, "w8"], ["y"], "end", {})], {"x": [32, 128]}, ["y"], constants), precision="bf16"
    )
    assert count(loaded, {"x": x}, "Cast") == 1
    y = want @ constants["w8"]
    assert np.abs(loaded.run({"x": x})["y"] - y).max() < 0.03 * np.abs(y).max()


@needs_bf16
@pytest.mark.parametrize("open_sizes", [False, True])
@pytest.mark.parametrize("k, ci, co", [(3, 3, 64), (3, 3, 3), (5, 5, 5), (1, 64, 64), (3, 32, 32)])
def test_tensorflow_convolutions(k, ci, co, open_sizes):
    """Channels last, and filters in HWCN."""
    g = tf.Graph()
    g.input("x", [-1, -1, -1, ci] if open_sizes else [2, 11, 13, ci])
    w = random(k, k, ci, co, seed=k) / np.float32(k * np.sqrt(ci))
    y = g.add("Conv2D", "x", w, name="conv", strides=[1, 1, 1, 1], padding="SAME", data_format="NHWC", dilations=[1, 1, 1, 1])
    g.add("Relu", y, name="y")
    loaded = ge.load(g.encode(), options={"precision": "bf16"})
    assert notes(loaded)["conv"]["ran"] == "bf16"
    x = random(2, 11, 13, ci, seed=1)
    (got,) = loaded.run({"x": x}).values()
    nchw = conv(ci, co, k, 1, [k // 2] * 4, 1, 1, act="Relu", bias=False)
    del nchw.graph.initializer[:]
    nchw.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(w.transpose(3, 2, 0, 1)), "w"))
    want = reference(nchw, {"x": np.ascontiguousarray(x.transpose(0, 3, 1, 2))}).transpose(0, 2, 3, 1)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@needs_bf16
@pytest.mark.parametrize("open_sizes", [False, True])
def test_groups_that_have_no_kernel(open_sizes):
    for groups, act in ((4, "Sigmoid"), (8, "Elu")):
        m = conv(32, 32, 3, 1, [1, 1, 1, 1], groups, 1, act=act)
        for axis in (0, 2, 3) if open_sizes else ():
            m.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = "nchw"[axis]
        loaded = load(m, precision="bf16")
        note = notes(loaded)["conv"]
        assert note["ran"] == "fp32" and "channels are not supported in DT_BF16, only multiples of 16" in note["why"]
        x = {"x": random(2, 32, 14, 17)}
        np.testing.assert_array_equal(loaded.run(x)["y"], load(m).run(x)["y"])


@needs_bf16
def test_one_constant_of_two_shapes():
    """A product and a convolution of one dimension, whose filter is the same values with an extent more."""
    w = random(1, 64, 48) / 8
    nodes = [("MatMul", ["x", "w"], ["a"], "product", {}), ("Conv", ["z", "w"], ["b"], "line", {"pads": [24, 23]})]
    m = model(nodes, {"x": [1, 8, 64], "z": [1, 64, 60]}, ["a", "b"], {"w": w})
    loaded = load(m, precision="bf16", precision__nodes="product=bf16;line=bf16")
    feed = {"x": random(1, 8, 64), "z": random(1, 64, 60, seed=2)}
    assert {n["ran"] for n in notes(loaded).values()} == {"bf16"}
    got = loaded.run(feed)
    near(got["a"], rounded(feed["x"]).astype(np.float64) @ rounded(w), size=10)
    z = np.pad(rounded(feed["z"])[0].astype(np.float64), ((0, 0), (24, 23)))
    want = sum(rounded(w)[0, :, i].astype(np.float64) @ z[:, i : i + 60] for i in range(48))
    near(got["b"][0, 0], want, size=50)


@needs_bf16
def test_nodes_by_name():
    m = blocks()
    loaded = load(m, precision__nodes="expand*=bf16;classes=fp32")
    ran = {name: note["ran"] for name, note in notes(loaded).items()}
    assert ran["expand"] == ran["expand2"] == "bf16" and ran["classes"] == "fp32" and "project" not in ran
    loaded = load(m, precision="bf16", precision__nodes="stem=fp32")
    assert notes(loaded)["stem"]["why"] == "asked for" and notes(loaded)["project"]["ran"] == "bf16"


@needs_bf16
def test_what_does_not_run_in_bf16_says_why():
    w = {"big": random(64, 256), "left": random(256, 256), "small": random(16, 16), "huge": random(64, 256)}
    w["huge"][3, 5] = 3.4e38
    nodes = [
        ("MatMul", ["x", "big"], ["a"], "big", {}),
        ("Transpose", ["a"], ["t"], "turn", {"perm": [1, 0]}),
        ("MatMul", ["left", "t"], ["b"], "left", {}),
        ("Reshape", ["x", "tiny"], ["f"], "shape", {}),
        ("MatMul", ["f", "small"], ["c"], "small", {}),
        ("MatMul", ["x", "huge"], ["d"], "huge", {}),
    ]
    m = model(nodes, {"x": [4, 64]}, ["a", "b", "c", "d"], {**w, "tiny": np.array([16, 16], np.int64)})
    loaded = load(m, precision="bf16")
    fate = {name: (n["ran"], n["why"]) for name, n in notes(loaded).items()}
    assert fate["big"][0] == "bf16"
    assert fate["left"] == ("fp32", "its constant is the left operand")
    assert fate["small"] == ("fp32", "it would save only 512 bytes")
    assert fate["huge"] == ("fp32", "a weight is beyond the range of bf16")
    x = {"x": random(4, 64)}
    np.testing.assert_array_equal(loaded.run(x)["d"], load(m).run(x)["d"])
    with pytest.raises(GeError, match="precision.strict: .* 'left_1' runs in fp32, not bf16: .*, and 1 more"):
        load(m, precision="bf16", precision__strict=1)


@needs_bf16
@pytest.mark.parametrize(
    "options, ran",
    [
        ({"ge.exec.precision_mode": "allow_mix_precision_bf16"}, ["bf16"]),
        ({"ge.exec.precision_mode_v2": "mixed_bfloat16"}, ["bf16"]),
        ({"ge.exec.precision_mode": "allow_mix_precision_bf16", "precision": "int8_weights"}, ["int8_weights"]),
        ({"ge.exec.precision_mode": "allow_fp32_to_bf16"}, []),
    ],
)
def test_modes_of_ge(options, ran):
    loaded = ge.load(dense(random(256, 96)).SerializeToString(), options=options)
    assert [n["ran"] for n in loaded.report()["precision"]] == ran


BITS = np.concatenate(
    [
        np.arange(1 << 16, dtype=np.uint32) << 16,
        (np.arange(1 << 16, dtype=np.uint32) << 16) + 0x8000,
        (np.arange(1 << 16, dtype=np.uint32) << 16) + 0x7FFF,
        (np.arange(1 << 16, dtype=np.uint32) << 16) + 0x8001,
    ]
)


def test_casts_of_all_kinds_of_numbers():
    x = BITS.view(np.float32)

    def cast(a, b, to):
        return helper.make_node("Cast", [a], [b], to=to)

    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [cast("x", "b", TensorProto.BFLOAT16), cast("b", "y", TensorProto.FLOAT)],
        "g",
        [value("x", TensorProto.FLOAT, [x.size])],
        [value("b", TensorProto.BFLOAT16, [x.size]), value("y", TensorProto.FLOAT, [x.size])],
    )
    loaded = load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    got, nan = loaded.run({"x": x}), np.isnan(x)
    assert np.isnan(got["y"][nan]).all()
    np.testing.assert_array_equal(got["y"][~nan].view(np.uint32), rounded(x[~nan]).view(np.uint32))
    np.testing.assert_array_equal(got["b"].view(np.uint16)[~nan], (rounded(x[~nan]).view(np.uint32) >> 16).astype(np.uint16))
    if os.environ.get("GE_MAX_ISA") != "scalar":
        assert {kernel.split(":")[0] for _, kernel in kinds(loaded, {"x": x})} == {"typed elementwise"}


def child(program, isa, *arguments):
    env = {**os.environ, "GE_MAX_ISA": isa}
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=env, check=False)


def test_without_the_instructions_all_is_fp32_and_says_so(tmp_path):
    path = str(tmp_path / "m.onnx")
    onnx.save(dense(random(64, 256)), path)
    program = """
import sys, numpy as np, ge
x = {"x": np.ones((4, 64), np.float32)}
loaded, plain = ge.load(sys.argv[1], precision="bf16"), ge.load(sys.argv[1])
assert np.array_equal(loaded.run(x)["y"], plain.run(x)["y"])
note, = loaded.report()["precision"]
print(note["ran"], note["why"])
try:
    ge.load(sys.argv[1], {"precision.strict": 1}, precision="bf16")
except ge.error.GeError as e:
    print(e)
"""
    run = child(program, "avx2", path)
    assert run.returncode == 0, run.stderr
    ran, refused = run.stdout.split("\n", 1)
    reason = "does not compute in bf16 (AVX512-BF16)"
    assert ran.startswith("fp32 no fast engine takes") and reason in ran
    assert "precision.strict: " in refused and reason in refused and "runs in fp32, not bf16" in run.stderr


@needs_bf16
def test_offline_models(tmp_path):
    w, x = random(512, 256), random(2, 512, seed=5)
    b = GraphBuilder("g")
    data = b.create_input(0, name="x", shape=[2, 512])
    graph = b.build_and_reset([MatMulV2(data, b.create_const_float(w.ravel().tolist(), list(w.shape)))])
    options = {"precision": "bf16", "precision.strict": "1"}
    build_initialize()
    try:
        save_model(str(tmp_path / "m"), build_model(graph, options))
    finally:
        build_finalize()
    path = str(tmp_path / "m.om")
    assert os.path.getsize(path) < w.size * 2 + 20000
    loaded = ge.load(path, options=options)
    assert [n["ran"] for n in loaded.report()["precision"]] == ["bf16"]
    want = rounded(x).astype(np.float64) @ rounded(w)
    near(next(iter(loaded.run({"x": x}).values())), want, size=30)
    # Another processor computes the same with the plain kernels.
    np.save(tmp_path / "x.npy", x)
    program = "import sys, numpy as np, ge; m = ge.load(sys.argv[1]); y, = m.run({'x': np.load(sys.argv[2])}).values(); "
    program += "np.save(sys.argv[3], y); print(m.report()['precision'][0]['ran'])"
    run = child(program, "avx2", path, str(tmp_path / "x.npy"), str(tmp_path / "y.npy"))
    assert run.returncode == 0, run.stderr
    near(np.load(tmp_path / "y.npy"), want, size=30)
