"""Products with weights of 2, 4 and 8 bits (MatMulNBits of com.microsoft), against NumPy in double precision."""

import os

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

pytestmark = pytest.mark.isa


def pack(values, bits):
    """Rows of small numbers as bytes, low bits first."""
    per = 8 // bits
    padded = np.zeros((values.shape[0], -(-values.shape[1] // per) * per), np.uint8)
    padded[:, : values.shape[1]] = values
    parts = padded.reshape(values.shape[0], -1, per)
    return np.bitwise_or.reduce(parts << (np.arange(per, dtype=np.uint8) * bits), axis=2).astype(np.uint8)


class Weights:
    """A random matrix [n, k] in blocks: as it is stored, and as numbers."""

    def __init__(self, n, k, bits, block, zeros="none", seed=0, groups=None):
        r = np.random.default_rng(seed)
        self.n, self.k, self.bits, self.block = n, k, bits, block
        self.blocks = -(-k // block)
        q = r.integers(0, 1 << bits, (n, self.blocks * block)).astype(np.uint8)
        self.data = pack(q.reshape(n * self.blocks, block), bits).reshape(n, self.blocks, -1)
        self.scales = r.uniform(-0.2, 0.2, (n, self.blocks)).astype(np.float32)
        self.zeros = None
        points = np.full((n, self.blocks), 1 << (bits - 1), np.float64)
        if zeros == "packed":
            given = r.integers(0, 1 << bits, points.shape).astype(np.uint8)
            self.zeros, points = pack(given, bits), given.astype(np.float64)
        elif zeros == "float":
            self.zeros = r.uniform(0, 1 << bits, points.shape).astype(np.float32)
            points = self.zeros.astype(np.float64)
        self.groups = groups
        at = np.arange(k) // block if groups is None else groups
        self.numbers = (q[:, :k] - points[:, at]) * self.scales[:, at].astype(np.float64)
        self.size = (q[:, :k] + np.abs(points[:, at])) * np.abs(self.scales[:, at])  # what is added up on the way

    def initializers(self):
        named = {"b": self.data, "s": self.scales, "z": self.zeros, "g": self.groups}
        return [numpy_helper.from_array(v, k) for k, v in named.items() if v is not None]

    def inputs(self):
        return ["b", "s", "z" if self.zeros is not None else "", "g" if self.groups is not None else ""]

    def bound(self, x):
        """Rounding of single precision: a few units in the last place of what is added up."""
        return 1e-6 * (np.abs(x.astype(np.float64)) @ self.size.T) + 1e-12


def model(w, dims, bias=None, kind=TensorProto.FLOAT, more=(), constants=None, names=None, **attrs):
    given = {"K": w.k, "N": w.n, "bits": w.bits, "block_size": w.block, **attrs}
    inputs = ["x", *(names or w.inputs()), "bias" if bias is not None else ""]
    while not inputs[-1]:
        inputs.pop()
    out = "y" if not more else "product"
    node = helper.make_node("MatMulNBits", inputs, [out], "node", domain="com.microsoft", **given)
    held = w.initializers() if constants is None else list(constants)
    if bias is not None:
        held.append(numpy_helper.from_array(bias, "bias"))
    x, y = helper.make_tensor_value_info("x", kind, dims), helper.make_tensor_value_info("y", kind, None)
    graph = helper.make_graph([node, *more], "g", [x], [y], held)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def rows(n, k, seed=1):
    return np.random.default_rng(seed).standard_normal((n, k)).astype(np.float32)


def close(got, w, x, bias=0.0):
    want = x.astype(np.float64) @ w.numbers.T + bias
    assert got.dtype == np.float32 and got.shape == want.shape
    excess = np.abs(got - want) / w.bound(x)
    assert excess.max() <= 1, f"{excess.max()} times the bound at {np.unravel_index(excess.argmax(), excess.shape)}"


SHAPES = [(1, 16), (5, 33), (37, 96), (16, 129), (70, 300), (33, 1000)]


@pytest.mark.parametrize("zeros", ["none", "packed", "float"])
@pytest.mark.parametrize("block", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_numbers(bits, block, zeros):
    for n, k in SHAPES:
        w = Weights(n, k, bits, block, zeros, n)
        m = ge.load(model(w, ["rows", k]).SerializeToString(), options={"threads": 1})
        for count in [*range(1, 10), 20, 67]:
            x = rows(count, k)
            close(m.run({"x": x})["y"], w, x)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_two_threads_and_many_rows(bits):
    w = Weights(531, 1024, bits, 32, "packed")
    m = ge.load(model(w, ["rows", 1024]).SerializeToString(), options={"threads": 2})
    for count in [*range(1, 21), 300]:
        x = rows(count, 1024)
        close(m.run({"x": x})["y"], w, x)


def test_known_rows_and_other_ranks():
    w = Weights(40, 96, 4, 32)
    for dims in [(96,), (3, 96), (2, 3, 96), (2, 1, 5, 96)]:
        x = rows(int(np.prod(dims[:-1])), 96).reshape(dims)
        got = ge.load(model(w, dims).SerializeToString()).run({"x": x})["y"]
        close(got.reshape(-1, 40), w, x.reshape(-1, 96))
        assert got.shape == (*dims[:-1], 40)


def test_no_rows():
    w = Weights(40, 96, 4, 32)
    m = ge.load(model(w, ["rows", 96]).SerializeToString())
    assert m.run({"x": np.zeros((0, 96), np.float32)})["y"].shape == (0, 40)


@pytest.mark.parametrize("order", ["own", "shuffled", "uneven"])
@pytest.mark.parametrize("padded", [False, True])
def test_group_index(order, padded):
    r, k = np.random.default_rng(3), 90
    own = (np.arange(k) // 32).astype(np.int32)
    groups = {"own": own, "shuffled": r.permutation(own), "uneven": r.integers(0, 3, k).astype(np.int32)}[order]
    for zeros in ["none", "packed", "float"]:
        w = Weights(21, k, 4, 32, zeros, groups=groups)
        if padded:
            w.groups = np.concatenate([groups, np.full(96 - k, 2, np.int32)])
        m = ge.load(model(w, ["rows", k]).SerializeToString())
        for count in (1, 3, 18):
            x = rows(count, k)
            close(m.run({"x": x})["y"], w, x)


def test_flat_scales_and_zero_points():
    """Older models have them with one dimension."""
    w = Weights(21, 80, 4, 16, "packed")
    w.scales, w.zeros = w.scales.reshape(-1), w.zeros.reshape(-1)
    x = rows(4, 80)
    close(ge.load(model(w, [4, 80]).SerializeToString()).run({"x": x})["y"], w, x)


@pytest.mark.parametrize("kind, dtype", [(TensorProto.FLOAT16, np.float16), (TensorProto.BFLOAT16, None)])
def test_half_types(kind, dtype):
    dtype = dtype or pytest.importorskip("ml_dtypes").bfloat16
    w = Weights(21, 80, 4, 16, "float")
    scales, zeros = w.scales.astype(dtype), w.zeros.astype(dtype)
    m = model(w, [4, 80], kind=kind)
    for held in m.graph.initializer:
        if held.name in "sz":
            held.CopyFrom(numpy_helper.from_array(scales if held.name == "s" else zeros, held.name))
    x = rows(4, 80).astype(dtype)
    got = ge.load(m.SerializeToString()).run({"x": x})["y"]
    assert got.dtype == dtype
    q = w.numbers / w.scales.repeat(16, 1) + w.zeros.repeat(16, 1)  # as stored
    numbers = (np.rint(q) - zeros.astype(np.float64).repeat(16, 1)) * scales.astype(np.float64).repeat(16, 1)
    want = x.astype(np.float64) @ numbers.T
    assert np.abs(got.astype(np.float64) - want).max() <= float(ge_epsilon(dtype)) * np.abs(want).max()


def ge_epsilon(dtype):
    return 1e-3 if dtype == np.float16 else 8e-3


@pytest.mark.parametrize("dims", [[1, 64], ["rows", 64], [20, 64]])
def test_what_follows_is_taken_in(dims):
    """Bias, residual and activation run inside the product, and give what they give behind it."""
    w, r = Weights(48, 64, 4, 32), np.random.default_rng(5)
    bias, residual = r.standard_normal(48).astype(np.float32), r.standard_normal((1, 48)).astype(np.float32)
    count = dims[0] if isinstance(dims[0], int) else 3
    residual = np.repeat(residual, count, 0)
    more = [
        helper.make_node("Add", ["product", "bias2"], ["biased"]),
        helper.make_node("Add", ["biased", "residual"], ["sum"]),
        helper.make_node("Relu", ["sum"], ["y"]),
    ]
    m = model(w, dims, more=more)
    m.graph.initializer.extend([numpy_helper.from_array(bias, "bias2")])
    m.graph.input.append(helper.make_tensor_value_info("residual", TensorProto.FLOAT, [dims[0], 48]))
    loaded, x = ge.load(m.SerializeToString()), rows(count, 64)
    got = loaded.run({"x": x, "residual": residual})["y"]
    want = np.maximum(x.astype(np.float64) @ w.numbers.T + bias + residual, 0)
    assert (np.abs(got - want) <= w.bound(x) + 1e-6).all()
    if isinstance(dims[0], int) and os.environ.get("GE_MAX_ISA") != "scalar":
        assert [n.type for n in loaded.placed_graph().get_all_nodes() if "MatMul" in n.type] == ["WeightOnlyQuantizedMatMul"]
        assert not [n for n in loaded.placed_graph().get_all_nodes() if n.type in ("Add", "Relu", "FusedElementwise")]


def test_bias_of_the_operator():
    w, bias = Weights(48, 64, 4, 32), np.linspace(-1, 1, 48, dtype=np.float32)
    for count in (1, 9):
        x = rows(count, 64)
        close(ge.load(model(w, [count, 64], bias=bias).SerializeToString()).run({"x": x})["y"], w, x, bias)


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4])
def test_levels_of_accuracy_are_kept(level):
    """A level is the least that the model asks for: single precision serves each of them."""
    w = Weights(48, 64, 4, 32)
    x = rows(3, 64)
    close(ge.load(model(w, [3, 64], accuracy_level=level).SerializeToString()).run({"x": x})["y"], w, x)


def test_weights_that_a_run_gives():
    w = Weights(21, 80, 4, 16, "packed")
    m = model(w, ["rows", 80], constants=[])
    kinds = {"b": TensorProto.UINT8, "s": TensorProto.FLOAT, "z": TensorProto.UINT8}
    feed = {"b": w.data, "s": w.scales, "z": w.zeros}
    m.graph.input.extend(helper.make_tensor_value_info(k, kinds[k], v.shape) for k, v in feed.items())
    loaded = ge.load(m.SerializeToString())
    for count in (1, 9):
        x = rows(count, 80)
        close(loaded.run({"x": x, **feed})["y"], w, x)


def test_a_block_larger_than_the_matrix():
    w = Weights(9, 40, 4, 1024, "packed")
    x = rows(2, 40)
    close(ge.load(model(w, [2, 40]).SerializeToString()).run({"x": x})["y"], w, x)


def oracle(m, feed):
    ort = pytest.importorskip("onnxruntime")
    return ort.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)[0]


# ONNX Runtime has no 8-bit weights with float zero points.
@pytest.mark.parametrize(
    "bits, block, zeros",
    [
        (b, n, z)
        for b, n in [(4, 16), (4, 32), (4, 128), (8, 32), (8, 64), (2, 32)]
        for z in ("none", "packed", "float")
        if (b, z) != (8, "float")
    ],
)
def test_as_onnx_runtime(bits, block, zeros):
    w = Weights(64, 256, bits, block, zeros)
    for count in (1, 4, 33):
        m, x = model(w, [count, 256]), rows(count, 256)
        want = oracle(m, {"x": x})
        got = ge.load(m.SerializeToString()).run({"x": x})["y"]
        assert (np.abs(got - want) <= 4 * w.bound(x)).all()


def changed(**what):
    w = Weights(8, 64, 4, 32, "packed", groups=(np.arange(64) // 32).astype(np.int32))
    attrs = {k: what.pop(k) for k in list(what) if k in ("K", "N", "bits", "block_size", "accuracy_level", "weight_prepacked")}
    m = model(w, [2, 64], bias=np.zeros(8, np.float32), **attrs)
    for name, array in what.items():
        for held in m.graph.initializer:
            if held.name == name:
                held.CopyFrom(numpy_helper.from_array(array, name))
    return m


F32, U8, I32 = np.float32, np.uint8, np.int32


@pytest.mark.parametrize(
    "what, text",
    [
        ({"bits": 3}, "'bits' is 3, expected 2, 4 or 8"),
        ({"bits": 0}, "'bits' is 0, expected 2, 4 or 8"),
        ({"block_size": 48}, "'block_size' is 48, expected a power of two from 16"),
        ({"block_size": 8}, "'block_size' is 8, expected a power of two from 16"),
        ({"block_size": 0}, "'block_size' is 0, expected 1 to"),
        ({"block_size": -(2**63)}, "'block_size' is -9223372036854775808"),
        ({"block_size": 64}, r"B has shape \[8, ?2, ?16\], expected \[8, ?1, ?32\]"),
        ({"K": 0}, "'K' is 0"),
        ({"K": 2**62}, "'K' is 4611686018427387904, expected 1 to 2147483648"),
        ({"N": -1}, "'N' is -1"),
        ({"N": 9}, r"B has shape \[8, ?2, ?16\], expected \[9, ?2, ?16\]"),
        ({"K": 96}, r"B has shape \[8, ?2, ?16\], expected \[8, ?3, ?16\]"),
        ({"K": 63}, "its last extent must be k, which is 63|g_idx"),
        ({"accuracy_level": 5}, "'accuracy_level' is 5, expected 0 to 4"),
        ({"weight_prepacked": 1}, "'weight_prepacked' is 1, expected 0"),
        ({"b": np.zeros((8, 2, 15), U8)}, r"B has shape \[8, ?2, ?15\], expected \[8, ?2, ?16\]"),
        ({"b": np.zeros((8, 0, 16), U8)}, "weights that are left out are not supported"),
        ({"b": np.zeros((8, 2, 16), np.int8)}, "B is of type DT_INT8, expected DT_UINT8"),
        ({"s": np.zeros((8, 3), F32)}, r"scales has shape \[8, ?3\], expected \[8, ?2\]"),
        ({"s": np.zeros((17,), F32)}, r"scales has shape \[17\], expected \[8, ?2\]"),
        ({"z": np.zeros((8, 2), U8)}, r"zero_points has shape \[8, ?2\], expected \[8, ?1\]"),
        ({"z": np.zeros((8, 1), F32)}, r"zero_points has shape \[8, ?1\], expected \[8, ?2\]"),
        ({"z": np.zeros((8, 2), np.int32)}, "zero_points is of type DT_INT32"),
        ({"g": np.zeros((63,), I32)}, r"g_idx has shape \[63\], expected \[64\]"),
        ({"g": np.full((64,), 2, I32)}, "g_idx 0 is 2, expected 0 to 1"),
        ({"g": np.full((64,), -1, I32)}, "g_idx 0 is -1, expected 0 to 1"),
        ({"g": np.zeros((64,), np.int64)}, "g_idx is of type DT_INT64, expected DT_INT32"),
        ({"bias": np.zeros((7,), F32)}, r"bias has shape \[7\], expected \[8\]"),
    ],
)
def test_what_does_not_fit_is_refused(what, text):
    with pytest.raises(ge.error.GeError, match=text) as caught:
        ge.load(changed(**what).SerializeToString())
    assert "node" in str(caught.value) and "MatMulNBits" in str(caught.value)


def test_group_index_that_a_run_gives_is_checked():
    w = Weights(8, 64, 4, 32, groups=(np.arange(64) // 32).astype(np.int32))
    m = model(w, [2, 64], constants=[h for h in w.initializers() if h.name != "g"])
    m.graph.input.append(helper.make_tensor_value_info("g", TensorProto.INT32, [64]))
    loaded, x = ge.load(m.SerializeToString()), rows(2, 64)
    close(loaded.run({"x": x, "g": w.groups})["y"], w, x)
    with pytest.raises(ge.error.GeError, match="group_index 63 is 2, expected 0 to 1"):
        loaded.run({"x": x, "g": np.where(np.arange(64) == 63, 2, 0).astype(np.int32)})


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("kind", ["INT4", "UINT4", "INT8", "UINT8", "INT2"])
def test_dequantised_weights_stay_packed(kind, transposed, zeros):
    """Another tool's form: DequantizeLinear in blocks along the inner axis, and a product."""
    types = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(types, kind.lower(), None) or kind.lower())
    info, r, (k, n, block) = types.iinfo(dtype), np.random.default_rng(6), (80, 37, 16)
    q = r.integers(int(info.min), int(info.max) + 1, (k, n)).astype(dtype)
    z = r.integers(int(info.min), int(info.max) + 1, (k // block, n)).astype(dtype) if zeros else None
    scale = r.uniform(0.1, 1, (k // block, n)).astype(np.float32)
    numbers = q.astype(np.float64) - (z.astype(np.float64).repeat(block, 0) if zeros else 0)
    numbers = numbers * scale.astype(np.float64).repeat(block, 0)
    flip = (lambda v: np.ascontiguousarray(v.T)) if transposed else (lambda v: v)
    held = {"q": flip(q), "s": flip(scale), **({"z": flip(z)} if zeros else {})}
    nodes = [helper.make_node("DequantizeLinear", list(held), ["w"], axis=int(transposed), block_size=block)]
    if transposed:
        nodes.append(helper.make_node("Gemm", ["x", "w"], ["y"], transB=1))
    else:
        nodes.append(helper.make_node("MatMul", ["x", "w"], ["y"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", d]) for name, d in (("x", k), ("y", n))]
    constants = [numpy_helper.from_array(v, name) for name, v in held.items()]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=13)
    loaded = ge.load(m.SerializeToString())
    for count in (1, 3, 20):
        x = rows(count, k)
        got, want = loaded.run({"x": x})["y"], x.astype(np.float64) @ numbers
        bound = 2e-6 * (np.abs(x) @ (np.abs(numbers) + 256 * np.abs(scale).repeat(block, 0)))
        assert (np.abs(got - want) <= bound).all()


@pytest.mark.parametrize("bits", [4, 8])
def test_memory_of_packed_weights(bits, tmp_path):
    """A loaded model holds its weights once, packed: with open shapes and with known ones, before and after runs."""
    import os
    import subprocess
    import sys

    w = Weights(4096, 4096, bits, 32, "packed")
    for dims in (["rows", 4096], [1, 4096]):
        path = tmp_path / f"m{len(str(dims[0]))}.onnx"
        path.write_bytes(model(w, dims).SerializeToString())
        code = f"""
import numpy as np, ge
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
x = np.ones((1, 4096), np.float32)
small = ge.load({str(tmp_path / "small.onnx")!r}); small.run({{"x": np.ones((1, 64), np.float32)}})
before = resident()
m = ge.load({str(path)!r}); m.run({{"x": x}}); m.run({{"x": x}})
print(resident() - before)
"""
        (tmp_path / "small.onnx").write_bytes(model(Weights(8, 64, bits, 32, "packed"), [1, 64]).SerializeToString())
        env = {**os.environ, "MALLOC_ARENA_MAX": "1"}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=120)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) <= 1.15 * path.stat().st_size + (4 << 20), (dims, int(done.stdout), path.stat().st_size)
