"""Option precision: constants of products and tables in fewer bits, against NumPy in double precision."""

import json
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest
from decoder import HEADS, VOCABULARY, WIDTH, Decoder
from onnx import TensorProto, helper, numpy_helper

import ge
from ge.error import GeError, GeTypeError, GeValueError
from ge.es import GraphBuilder
from ge.es.all import MatMulV2
from ge.graph import Tensor
from ge.offline_compile import build_finalize, build_initialize, build_model, save_model
from ge.session import Session

pytestmark = pytest.mark.isa

BITS = {"fp16_weights": 16, "int8_weights": 8, "int4_weights": 4}


def block_of(bits, k):
    usual = {16: 256, 8: 64, 4: 32}[bits]
    return next((b for b in (256, 128, 64, 32, 16) if b <= usual and k % b == 0), min(usual, 64))


def lowered(w, bits):
    """The numbers that columns of w [k, n] become, and the largest distance from w that rounding allows."""
    w = w.astype(np.float64)
    k, n = w.shape
    if bits == 16:
        kept = w.astype(np.float16).astype(np.float64)
        return kept, np.maximum(np.abs(w) * 2.0**-11, 2.0**-25)
    block = block_of(bits, k)
    padded = np.zeros((-(-k // block) * block, n))
    padded[:k] = w
    blocks = padded.reshape(-1, block, n)
    high, low = np.maximum(blocks.max(1), 0), np.minimum(blocks.min(1), 0)
    most = 2**bits - 1
    if bits == 8:
        step, zero = np.maximum(high, -low) / 127, np.full(high.shape, 128.0)
    else:
        step = (high - low) / most
        zero = np.floor(-low / np.where(step, step, 1) + 0.5)
    step = np.where(step, step, 1)[:, None]
    codes = np.clip(np.floor(blocks / step + zero[:, None] + 0.5), 0, most)
    kept = ((codes - zero[:, None]) * step).reshape(-1, n)[:k]
    # From zero itself to the ends of an asymmetric range another half step may be missing.
    return kept, np.broadcast_to(step * (0.5 if bits == 8 else 1.0), blocks.shape).reshape(-1, n)[:k] * (1 + 1e-5)


def model(nodes, inputs, outputs, constants):
    value = helper.make_tensor_value_info
    types = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64}
    graph = helper.make_graph(
        [helper.make_node(kind, ins, outs, name, **attrs) for kind, ins, outs, name, attrs in nodes],
        "g",
        [value(n, types[np.dtype(t)], shape) for n, t, shape in inputs],
        [value(n, TensorProto.FLOAT, None) for n in outputs],
        [numpy_helper.from_array(v, n) for n, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def product(w, bias=None, act=False, rows="rows"):
    """y = relu(x @ w + bias), node 'product'."""
    k = w.shape[0]
    last, nodes = "p", [("MatMul", ["x", "w"], ["p"], "product", {})]
    if bias is not None:
        nodes.append(("Add", [last, "b"], ["s"], "sum", {}))
        last = "s"
    if act:
        nodes.append(("Relu", [last], ["r"], "act", {}))
        last = "r"
    constants = {"w": w, **({"b": bias} if bias is not None else {})}
    return model(nodes, [("x", np.float32, [rows, k])], [last], constants)


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def load(m, **options):
    return ge.load(m.SerializeToString(), options={k.replace("__", "."): v for k, v in options.items()})


def notes(loaded):
    """By the names of all nodes that a node was made of."""
    return {name: n for n in loaded.report()["precision"] for name in n["node"].split(",")}


def near(got, want, size=1.0):
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * size)


@pytest.mark.parametrize("precision", BITS)
@pytest.mark.parametrize("k, n", [(256, 96), (300, 70), (48, 400), (1000, 33)])
def test_a_product(precision, k, n):
    w, bias = random(k, n, seed=k), random(n, seed=n)
    kept, distance = lowered(w, BITS[precision])
    loaded = load(product(w, bias, act=True), precision=precision)
    assert notes(loaded)["product"]["ran"] == precision
    # Rows of the identity show the numbers that weights became.
    plain = load(product(w), precision=precision)
    seen = plain.run({"x": np.eye(k, dtype=np.float32)})["p"]
    assert (np.abs(seen - w.astype(np.float64)) <= distance + 1e-7).all()
    # Ties, and steps that differ in the last bit, may go either way; hardly any does.
    assert (np.abs(seen - kept) > 1e-5 * np.abs(w).max()).mean() < 0.01
    for rows in (1, 2, 3, 7, 20):
        x = random(rows, k, seed=rows)
        want = np.maximum(x.astype(np.float64) @ seen.astype(np.float64) + bias, 0)
        near(loaded.run({"x": x})["r"], want, size=np.sqrt(k))


def test_large_and_small_values_of_half_precision():
    w = random(256, 96)
    w[:, 0] *= 1e9
    w[:, 1] *= 1e-9
    got = load(product(w), precision="fp16_weights").run({"x": np.eye(256, dtype=np.float32)})["p"]
    assert (np.abs(got - w) <= np.abs(w) * 2.0**-11 + np.abs(w).max(0) * 2.0**-24).all()


def test_transposed_weights_of_gemm_and_two_threads():
    w, c = random(160, 512), random(160, seed=1)
    nodes = [("Gemm", ["x", "w", "c"], ["y"], "gemm", {"transB": 1, "alpha": 0.5})]
    m = model(nodes, [("x", np.float32, [40, 512])], ["y"], {"w": w, "c": c})
    for precision, bits in BITS.items():
        loaded = load(m, precision=precision, threads=2)
        assert notes(loaded)["gemm"]["ran"] == precision
        x = random(40, 512, seed=2)
        kept, _ = lowered(w.T, bits)
        want = 0.5 * (x.astype(np.float64) @ kept) + c
        np.testing.assert_allclose(loaded.run({"x": x})["y"], want, atol=0.05)


def tied(rows=200, d=256):
    """A table that rows are picked from and that is the weights of the last product."""
    nodes = [
        ("Gather", ["table", "ids"], ["x"], "pick", {}),
        ("Transpose", ["table"], ["t"], "turn", {"perm": [1, 0]}),
        ("MatMul", ["x", "t"], ["y"], "logits", {}),
    ]
    return model(nodes, [("ids", np.int64, ["n"])], ["x", "y"], {"table": random(rows, d)})


@pytest.mark.parametrize("precision", BITS)
def test_a_table(precision):
    table = random(200, 256)
    loaded = load(tied(), precision=precision)
    kept, _ = lowered(table.T, BITS[precision])
    ids = np.array([0, 199, 7, -1])
    out = loaded.run({"ids": ids})
    assert (np.abs(out["x"] - kept.T[ids]) > 1e-5).mean() < 0.01
    near(out["y"], out["x"].astype(np.float64) @ kept, size=500)
    assert {n["ran"] for n in notes(loaded).values()} == {precision} and len(notes(loaded)) == 2
    with pytest.raises(GeError, match="'pick.*index 200 at position 1 is out of range"):
        loaded.run({"ids": np.array([0, 200])})


def test_a_table_that_another_node_reads_in_fp32_stays():
    loaded = load(tied(), precision__nodes="pick=int8_weights")
    assert notes(loaded)["logits"]["ran"] == "fp32"
    note = notes(loaded)["pick"]
    # The transposed copy is folded, so the table itself has one reader; or none is folded, and it has two.
    assert note["ran"] == "int8_weights" or "others read the table" in note["why"]


def mixed():
    """Nodes of all fates."""
    w = {"small": random(16, 16), "big": random(64, 256), "back": random(256, 64), "left": random(256, 256)}
    w["bad"] = random(64, 256)
    w["bad"][3, 5] = np.nan
    nodes = [
        ("MatMul", ["x", "big"], ["a"], "layer/big", {}),
        ("MatMul", ["a", "back"], ["b"], "layer/back", {}),
        ("MatMul", ["x", "bad"], ["c"], "layer/bad", {}),
        ("Transpose", ["a"], ["t"], "turn", {"perm": [1, 0]}),
        ("MatMul", ["left", "t"], ["d"], "layer/left", {}),
        ("Reshape", ["b", "image"], ["i"], "shape", {}),
        ("Conv", ["i", "filter"], ["e"], "conv", {"pads": [1, 1, 1, 1]}),
        ("Reshape", ["b", "tiny"], ["f"], "shape2", {}),
        ("MatMul", ["f", "small"], ["g"], "layer/small", {}),
    ]
    shapes = {"image": np.array([1, 64, 2, 2], np.int64), "tiny": np.array([16, 16], np.int64)}
    constants = {**w, **shapes, "filter": random(64, 64, 3, 3)}
    return model(nodes, [("x", np.float32, [4, 64])], ["b", "c", "d", "e", "g"], constants)


def fate(loaded, name):
    note = notes(loaded)[name]
    return note["ran"], note["why"]


def test_the_report_says_why():
    loaded = load(mixed(), precision="int8_weights")
    assert fate(loaded, "layer/big") == ("int8_weights", "blocks of 64 values, sums in fp32")
    assert fate(loaded, "layer/bad") == ("fp32", "a value is no number")
    assert fate(loaded, "layer/left") == ("fp32", "its constant is the left operand")
    assert fate(loaded, "layer/small") == ("fp32", "it would save only 704 bytes")
    ran, why = fate(loaded, "conv")
    assert ran == "fp32" and "no kernel of" in why
    big = notes(loaded)["layer/big"]
    assert big["fp32_bytes"] == 64 * 256 * 4 and big["bytes"] == 64 * 256 + 256 * 4 and big["asked"] == "int8_weights"


def test_nothing_changes_without_the_option():
    x = {"x": random(4, 64)}
    plain, asked = load(mixed()), load(mixed(), precision="fp32", precision__strict=1)
    assert plain.report()["precision"] == [] == asked.report()["precision"]
    for name, value in plain.run(x).items():
        np.testing.assert_array_equal(value, asked.run(x)[name])


def test_nodes_by_name_and_pattern():
    loaded = load(
        mixed(), precision="int8_weights", precision__nodes="*/back=fp32; layer/b?g = int4_weights;*small=int8_weights"
    )
    assert fate(loaded, "layer/back") == ("fp32", "asked for")
    assert fate(loaded, "layer/big")[0] == "int4_weights"
    assert fate(loaded, "layer/small")[0] == "int8_weights"  # it is named, so what it saves does not count
    loaded = load(mixed(), precision__nodes="layer/b*=int8_weights;layer/big=int4_weights")
    assert fate(loaded, "layer/big")[0] == "int8_weights"  # the first that fits
    assert fate(loaded, "layer/small") == ("fp32", "asked for")
    assert fate(load(mixed(), precision__nodes="none=int8_weights"), "layer/big")[0] == "fp32"


def test_strict():
    good = "layer/big=int8_weights;layer/back=int4_weights"
    assert fate(load(mixed(), precision__nodes=good, precision__strict=1), "layer/back")[0] == "int4_weights"
    w = random(256, 256)
    assert load(product(w), precision="int4_weights", precision__strict=True).report()["precision"][0]["ran"] == "int4_weights"
    with pytest.raises(GeError, match=r"precision.strict: .*runs in fp32, not int8_weights: .*, and \d more"):
        load(mixed(), precision="int8_weights", precision__strict=1)
    with pytest.raises(GeError, match="pattern 'nowhere' of option precision.nodes decides for no node with weights"):
        load(product(w), precision__nodes="nowhere=int8_weights", precision__strict=1)


@pytest.mark.parametrize(
    "options, text",
    [
        ({"precision": "int3"}, "option precision is 'int3', allowed: fp32, bf16, fp16_weights, int8_weights, int4_weights"),
        ({"precision": ""}, "option precision is '', allowed: fp32"),
        ({"precision.nodes": "a=int3"}, "option precision.nodes asks for 'int3' for 'a', allowed: fp32, bf16, fp16_weights"),
        ({"precision.nodes": "a"}, "option precision.nodes has 'a', expected pattern=precision"),
        ({"precision.nodes": "b=fp32;=fp32"}, "option precision.nodes has '=fp32', expected pattern=precision"),
        ({"precision.strict": "yes"}, "option precision.strict is 'yes', allowed: 0, 1"),
    ],
)
def test_values_that_are_none(options, text):
    with pytest.raises(GeError) as e:
        ge.load(product(random(4, 4)), options=options)
    assert text in str(e.value)


@pytest.mark.parametrize(
    "options, ran",
    [
        ({"ge.exec.precision_mode": "force_fp16"}, ["fp16_weights"]),
        ({"ge.exec.precision_mode": "allow_mix_precision"}, ["fp16_weights"]),
        ({"ge.exec.precision_mode_v2": "mixed_float16"}, ["fp16_weights"]),
        ({"ge.exec.precision_mode": "force_fp16", "precision": "int4_weights"}, ["int4_weights"]),
        ({"ge.exec.precision_mode": "force_fp16", "precision": "fp32"}, []),
        ({"ge.exec.precision_mode": "allow_fp32_to_fp16"}, []),
        ({"ge.exec.precision_mode_v2": "origin"}, []),
    ],
)
def test_modes_of_ge(options, ran):
    loaded = ge.load(product(random(256, 96)).SerializeToString(), options=options)
    assert [n["ran"] for n in loaded.report()["precision"]] == ran


def test_the_keyword_of_load():
    w = random(256, 64)
    loaded = ge.load(product(w), precision="int8_weights")
    assert notes(loaded)["product"]["ran"] == "int8_weights"
    assert notes(ge.load(product(w), {"threads": 1}, precision="int4_weights"))["product"]["ran"] == "int4_weights"
    with pytest.raises(GeValueError, match="precision is given twice"):
        ge.load(product(w), {"precision": "fp32"}, precision="int8_weights")
    with pytest.raises(GeTypeError, match="precision"):
        ge.load(product(w), precision=8)


def test_no_passes_at_all_and_open_shapes():
    w, x = random(256, 96), random(5, 256)
    kept, _ = lowered(w, 8)
    loaded = load(product(w, random(96)), precision="int8_weights", opt_level=0)
    assert notes(loaded)["product"]["ran"] == "int8_weights"
    near(loaded.run({"x": x})["s"], x.astype(np.float64) @ kept + random(96), size=300)
    assert loaded.report()["memory"]["constant_bytes"] < w.nbytes / 2


def built(w):
    b = GraphBuilder("g")
    x = b.create_input(0, name="x", shape=[2, w.shape[0]])
    return b.build_and_reset([MatMulV2(x, b.create_const_float(w.ravel().tolist(), list(w.shape)))])


@pytest.mark.parametrize("precision", BITS)
def test_offline_models_built_strictly_load_strictly(tmp_path, precision):
    graph = built(random(512, 256))
    options = {"precision": precision, "precision.strict": "1"}
    build_initialize()
    try:
        save_model(str(tmp_path / "m"), build_model(graph, options))
    finally:
        build_finalize()
    loaded = ge.load(str(tmp_path / "m.om"), options=options)
    assert [n["ran"] for n in loaded.report()["precision"]] == [precision]
    x = random(2, 512, seed=5)
    want = x.astype(np.float64) @ lowered(random(512, 256), BITS[precision])[0]
    np.testing.assert_allclose(list(loaded.run({"x": x}).values())[0], want, atol=0.2 if precision == "int4_weights" else 0.01)


def shared(w, products):
    nodes = [("MatMul", ["x", "w"], [f"y{i}"], f"p{i}", {}) for i in range(products)]
    nodes[1:] = [(kind, [f"z{i}", "w"], outs, name, {}) for i, (kind, _, outs, name, _) in enumerate(nodes[1:], 1)]
    inputs = [("x", np.float32, [2, w.shape[0]])] + [(f"z{i}", np.float32, [2, w.shape[0]]) for i in range(1, products)]
    return model(nodes, inputs, [f"y{i}" for i in range(products)], {"w": w})


def test_weights_that_nodes_share_stay_shared():
    one, four = (load(shared(random(512, 256), n), precision="int8_weights") for n in (1, 4))
    assert [n["ran"] for n in four.report()["precision"]] == ["int8_weights"] * 4
    assert four.report()["memory"]["constant_bytes"] < 1.5 * one.report()["memory"]["constant_bytes"]


def gemm(w, alpha):
    return model([("Gemm", ["x", "w"], ["y"], "gemm", {"alpha": alpha})], [("x", np.float32, [2, w.shape[0]])], ["y"], {"w": w})


@pytest.mark.parametrize(
    "alpha, scale, why",
    [
        (1e38, 1, "its largest value is .*, beyond 1e"),
        (1, 1e-35, "its largest value is .*, below "),
    ],
)
def test_values_that_would_be_lost(alpha, scale, why):
    w, x = random(256, 96) * np.float32(scale), random(2, 256)
    loaded = load(gemm(w, float(alpha)), precision="int8_weights")
    if alpha != 1 and os.environ.get("GE_MAX_ISA") == "scalar":
        # No engine takes a product with its factor: that stays a node of its own, and the weights are small.
        assert notes(loaded)["gemm"]["ran"] == "int8_weights"
        want = np.float32(alpha) * load(gemm(w, 1.0), precision="int8_weights").run({"x": x})["y"]
        np.testing.assert_array_equal(loaded.run({"x": x})["y"], want)
        return
    assert notes(loaded)["gemm"]["ran"] == "fp32"
    with pytest.raises(GeError, match=f"'gemm.*' runs in fp32, not int8_weights: {why}"):
        load(gemm(w, float(alpha)), precision="int8_weights", precision__strict=1)
    np.testing.assert_array_equal(loaded.run({"x": x})["y"], load(gemm(w, float(alpha))).run({"x": x})["y"])


@pytest.mark.parametrize("precision", BITS)
def test_columns_of_zeros_stay_zero(precision):
    w = random(256, 96)
    w[:, ::3] = 0
    w[64:128, 1] = 0
    got = load(product(w), precision=precision).run({"x": random(9, 256) * 1e6})["p"]
    assert not got[:, ::3].any()


def test_weights_of_other_types_and_operators():
    w = numpy_helper.from_array(random(256, 96).astype(np.float16), "w")
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "product")],
        "g",
        [value("x", TensorProto.FLOAT16, [2, 256])],
        [value("y", TensorProto.FLOAT16, None)],
        [w],
    )
    half = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    ran, why = fate(load(half, precision="int8_weights"), "product")
    assert ran == "DT_FLOAT16" and why == "its weights are DT_FLOAT16, not DT_FLOAT"
    with pytest.raises(GeError, match="'product' runs in DT_FLOAT16, not int8_weights: its weights are DT_FLOAT16"):
        load(half, precision="int8_weights", precision__strict=1)
    with pytest.raises(GeError, match="'conv' runs in fp32, not int8_weights: no kernel of .* takes such weights"):
        load(mixed(), precision__nodes="conv=int8_weights", precision__strict=1)


def test_a_named_table_that_others_read_is_refused_strictly():
    nodes = [
        ("Gather", ["table", "ids"], ["x"], "pick", {}),
        ("Gather", ["table", "ids"], ["z"], "columns", {"axis": 1}),
    ]
    m = model(nodes, [("ids", np.int64, ["n"])], ["x", "z"], {"table": random(200, 256)})
    with pytest.raises(GeError, match="'pick' runs in fp32, not int8_weights: others read the table in another precision"):
        load(m, precision__nodes="pick=int8_weights", precision__strict=1)
    assert fate(load(m, precision="int8_weights"), "pick")[0] == "fp32"


def test_the_pass_can_be_switched_off():
    m = product(random(256, 96))
    off = load(m, precision="int8_weights", ge__optimizationSwitch="LowerPrecision:off")
    assert off.report()["precision"] == []


def test_offline_models_hold_few_bits(tmp_path):
    graph, x = built(random(256, 64)), {"x": random(2, 256, seed=3)}
    build_initialize()
    try:
        for name, options in {"full": {}, "less": {"precision": "int8_weights"}}.items():
            save_model(str(tmp_path / name), build_model(graph, options))
    finally:
        build_finalize()
    full, less = ((tmp_path / f"{name}.om").stat().st_size for name in ("full", "less"))
    assert less < full / 2
    loaded = ge.load(str(tmp_path / "less.om"))
    assert [n["ran"] for n in loaded.report()["precision"]] == ["int8_weights"]
    want = list(ge.load(graph, precision="int8_weights").run(x).values())[0]
    np.testing.assert_array_equal(list(loaded.run(x).values())[0], want)
    # A model that was built in full is lowered when it is loaded.
    later = ge.load(str(tmp_path / "full.om"), precision="int8_weights")
    np.testing.assert_array_equal(list(later.run(x).values())[0], want)


def test_sessions():
    w, value = random(256, 64), random(2, 256, seed=3)
    session = Session({"precision": "int8_weights"})
    session.add_graph(1, built(w))
    (out,) = session.run_graph(1, [Tensor(value.ravel().tolist(), shape=[2, 256])])
    got = np.asarray(out.data, np.float32).reshape(2, 64)
    near(got, value.astype(np.float64) @ lowered(w, 8)[0], size=300)
    assert np.abs(got - value @ w).max() > 1e-3


def test_a_decoder_with_state():
    decoder, less = Decoder(), Decoder()
    loaded = load(decoder.model(), precision__nodes="*=int8_weights")
    assert sum(n["ran"] == "int8_weights" for n in loaded.report()["precision"]) >= 13
    for name, w in less.weights.items():
        kept, _ = lowered(w.T if name == "table" else w, 8)
        less.weights[name] = (kept.T if name == "table" else kept).astype(np.float32)
    ids = np.random.default_rng(1).integers(0, VOCABULARY, (1, 40))
    want, _ = less.at_once(ids)
    state = loaded.state(decoder.pairs, capacity=16)
    for i in range(40):
        got = loaded.run({"ids": ids[:, i : i + 1]}, state=state)["logits"][:, 0]
        assert np.abs(got - want[:, i]).max() < 2e-3 * np.abs(want).max()
    empty = np.zeros((1, HEADS, 0, WIDTH), np.float32)
    assert np.abs(decoder.at_once(ids)[0] - want).max() > 1e-3  # and not what fp32 gives
    assert loaded.run({"ids": ids, **dict.fromkeys(decoder.pairs, empty)})["logits"].shape == want.shape


def test_the_command_line(tmp_path):
    onnx.save(mixed(), str(tmp_path / "m.onnx"))
    tool = [sys.executable, "-m", "ge"]

    def run(*args):
        return subprocess.run([*tool, *args], capture_output=True, text=True, timeout=120, cwd=tmp_path, env=dict(os.environ))

    shown = run("info", "m.onnx", "--no-run", "--json", "--precision", "int8_weights")
    asked = {n["node"]: n["ran"] for n in json.loads(shown.stdout)["precision"]}
    assert asked["layer/big"] == "int8_weights" and asked["conv"] == "fp32"
    text = run("info", "m.onnx", "--no-run", "--precision", "int8_weights").stdout
    assert "precision " in text and "int8_weights" in text and "no kernel of" in text
    done = run("run", "m.onnx", "--precision", "int4_weights", "-O", "precision.nodes=*big=fp32")
    assert done.returncode == 0, done.stderr
    refused = run("run", "m.onnx", "--precision", "int4_weights", "-O", "precision.strict=1")
    assert refused.returncode == 1 and "precision.strict" in refused.stderr
    assert "allowed: fp32, bf16" in run("run", "m.onnx", "--precision", "int5").stderr
