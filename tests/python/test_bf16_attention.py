"""Option precision bf16: attention between products in bf16 takes query, key and value from them and gives to the next."""

import os

import numpy as np
import onnx
import pytest
from attention_oracle import wanted
from test_bf16 import child, kinds, load, model, needs_bf16, notes, random, rounded

import ge
from ge._ge_cffi import ffi, lib
from ge.graph import Graph
from ge.offline_compile import build_finalize, build_initialize, build_model, save_model

pytestmark = pytest.mark.isa
OPERATOR = "ScaledDotProductAttention"


class Block:
    """y = attention(x Wq, x Wk, x Wv) Wo, as transformers are exported, and the same in NumPy."""

    def __init__(self, rows=40, heads=4, size=32, mask=False, causal=False, extra=()):
        self.rows, self.heads, self.size, self.extra = rows, heads, size, extra
        width = heads * size
        self.weights = {n: random(width, width, seed=i) / np.float32(np.sqrt(width)) for i, n in enumerate("qkvo")}
        self.x = random(2, rows, width, seed=9)
        self.mask = np.where(random(2, 1, 1, rows, seed=5) > -1, 0, -np.inf).astype(np.float32) if mask else None

    def model(self, batch=2, rows=None):
        width, nodes, constants = self.heads * self.size, [], {f"w{n}": w for n, w in self.weights.items()}
        constants |= {
            "split": np.array([0, 0, self.heads, self.size]),
            "join": np.array([0, 0, width]),
            "scale": np.float32(1 / np.sqrt(self.size)),
        }
        for n in "qkv":
            perm = [0, 2, 3, 1] if n == "k" else [0, 2, 1, 3]
            nodes.append(("MatMul", ["x", f"w{n}"], [f"{n}1"], f"make_{n}", {}))
            nodes.append(("Reshape", [f"{n}1", "split"], [f"{n}2"], f"split_{n}", {}))
            nodes.append(("Transpose", [f"{n}2"], [n], f"turn_{n}", {"perm": perm}))
        nodes.append(("MatMul", ["q", "k"], ["s1"], "scores", {}))
        nodes.append(("Mul", ["s1", "scale"], ["s2"], "scaled", {}))
        if self.mask is not None:
            nodes.append(("Add", ["s2", "mask"], ["s3"], "masked", {}))
        last = "s2" if self.mask is None else "s3"
        nodes.append(("Softmax", [last], ["p"], "soft", {"axis": -1}))
        nodes.append(("MatMul", ["p", "v"], ["a1"], "attended", {}))
        nodes.append(("Transpose", ["a1"], ["a2"], "back", {"perm": [0, 2, 1, 3]}))
        nodes.append(("Reshape", ["a2", "join"], ["a"], "joined", {}))
        nodes.append(("MatMul", ["a", "wo"], ["y"], "out", {}))
        inputs = {"x": [batch, rows or self.rows, width]}
        if self.mask is not None:
            inputs["mask"] = [2, 1, 1, self.rows]
        return model(nodes, inputs, ["y", *self.extra], constants)

    def feed(self):
        return {"x": self.x, **({} if self.mask is None else {"mask": self.mask})}

    def heads_of(self, made):
        return made.reshape(2, self.rows, self.heads, self.size).swapaxes(1, 2)

    def want(self, narrow=True):
        """Each value that is rounded, rounded: those between products, and the result of attention."""
        to = rounded if narrow else np.float32
        x = rounded(self.x).astype(np.float64)
        q, k, v = (self.heads_of(to(x @ rounded(self.weights[n]))) for n in "qkv")
        a = wanted(q, k, v, self.mask, scale=1 / np.sqrt(self.size))
        a = rounded(a.swapaxes(1, 2).reshape(self.x.shape))
        return a.astype(np.float64) @ rounded(self.weights["o"])


def attention_of(loaded, feed):
    (kernel,) = [implementation for kind, implementation in kinds(loaded, feed) if kind == OPERATOR]
    return kernel


@needs_bf16
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("rows, heads, size", [(40, 4, 32), (197, 3, 64), (9, 2, 128), (130, 8, 24)])
def test_a_block(rows, heads, size, mask, threads):
    block = Block(rows, heads, size, mask)
    loaded = load(block.model(), precision="bf16", precision__strict=1, threads=threads)
    feed, note = block.feed(), notes(loaded)["attended"]
    assert (note["asked"], note["ran"]) == ("bf16", "bf16") and "query, key and value rounded" in note["why"]
    assert attention_of(loaded, feed).startswith("onednn:attention:bf16")
    # One Cast, of x: what is between the products is made in bf16.
    assert [kind for kind, _ in kinds(loaded, feed)].count("Cast") == 1
    got, want = loaded.run(feed)["y"], block.want()
    assert np.abs(got - want).max() < 2.0**-8 * np.abs(want).max()
    plain = load(block.model()).run(feed)["y"]
    assert np.abs(got - plain).max() < 2.0**-5 * np.abs(plain).max()


@needs_bf16
@pytest.mark.parametrize("reader", ["q1", "a", "k"])
def test_what_others_read_is_not_rounded(reader):
    """The product itself, what a view makes of it, and the result of attention, as outputs of the graph."""
    block = Block(extra=(reader,))
    loaded, plain = load(block.model(), precision="bf16"), load(block.model())
    got = loaded.run(block.feed())
    want = plain.run(block.feed())
    for name in ("y", reader):
        assert np.abs(got[name] - want[name]).max() < 2.0**-5 * np.abs(want[name]).max()
    if reader != "a":
        x, w = rounded(block.x).astype(np.float64), rounded(block.weights[reader[0]])
        made = x @ w
        made = made if reader == "q1" else block.heads_of(made).swapaxes(2, 3)
        np.testing.assert_allclose(got[reader], made, rtol=2e-5, atol=1e-4)
    else:
        assert not np.array_equal(got[reader], rounded(got[reader]))


@needs_bf16
@pytest.mark.parametrize("rows", [2, 3, 8])
def test_few_rows(rows):
    """They read keys and values once, which become float32 for that."""
    block = Block(rows=rows)
    loaded = load(block.model(), precision="bf16", precision__strict=1)
    assert attention_of(loaded, block.feed()).startswith("onednn:attention:bf16")
    want = block.want()
    assert np.abs(loaded.run(block.feed())["y"] - want).max() < 2.0**-8 * np.abs(want).max()


@needs_bf16
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [2, "b"])
def test_sizes_that_a_run_tells(batch, threads):
    """With an open batch the graph does not tell that the operands belong together: copies for sizes find it out."""
    block = Block()
    loaded = load(block.model(batch=batch, rows="n"), precision="bf16", precision__strict=1, threads=threads)
    for rows in (40, 3, 130, 41, 8, 9):
        block = Block(rows=rows)
        assert attention_of(loaded, block.feed()).startswith("onednn:attention:bf16")
        assert [kind for kind, _ in kinds(loaded, block.feed())].count("Cast") == 1
        got, want = loaded.run(block.feed())["y"], block.want()
        assert np.abs(got - want).max() < 2.0**-7 * np.abs(want).max(), rows


@needs_bf16
def test_what_stays_in_fp32():
    block = Block(size=33)
    loaded = load(block.model(), precision="bf16", precision__strict=1)
    assert attention_of(loaded, block.feed()).startswith("onednn:attention:avx512")
    note = notes(loaded)["attended"]
    assert note["ran"] == "fp32" and "heads of other than a known even size" in note["why"]


@needs_bf16
def test_by_name():
    block = Block()
    loaded = load(block.model(), precision="bf16", precision__nodes="attended=fp32")
    assert attention_of(loaded, block.feed()).startswith("onednn:attention:avx512")
    assert (notes(loaded)["attended"]["ran"], notes(loaded)["make_q"]["ran"]) == ("fp32", "bf16")
    loaded = load(block.model(), precision="bf16", precision__nodes="make_v=fp32")
    assert attention_of(loaded, block.feed()).startswith("onednn:attention:avx512")
    assert "its input 2 is no result of a node in bf16" in notes(loaded)["attended"]["why"]
    loaded = load(block.model(), precision__nodes="attended=bf16", precision__strict=1)  # it has no weights to be strict about
    assert "its input 0 is no result of a node in bf16" in notes(loaded)["attended"]["why"]
    for precision in ("int8_weights", "*=int8_weights"):  # that of weights is not for it
        options = {"precision__nodes": precision} if "=" in precision else {"precision": precision}
        loaded = load(block.model(), precision__strict=1, **options)
        assert "attended" not in notes(loaded) and notes(loaded)["make_q"]["ran"] == "int8_weights"


@needs_bf16
def test_offline_models_run_on_other_processors(tmp_path):
    block = Block()
    onnx.save(block.model(), str(tmp_path / "m.onnx"))
    imported = ffi.new("GeGraph **")
    assert lib.GeOnnxImport(str(tmp_path / "m.onnx").encode(), ffi.NULL, ffi.NULL, imported) == 0
    build_initialize()
    try:
        save_model(str(tmp_path / "m"), build_model(Graph._create_from(imported[0]), {"precision": "bf16"}))
    finally:
        build_finalize()
    path = str(tmp_path / "m.om")
    (got,) = ge.load(path).run(block.feed()).values()
    want = block.want()
    assert np.abs(got - want).max() < 2.0**-8 * np.abs(want).max()
    np.save(tmp_path / "x.npy", block.x)
    program = "import sys, numpy as np, ge; m = ge.load(sys.argv[1]); y, = m.run({'x': np.load(sys.argv[2])}).values(); "
    program += "np.save(sys.argv[3], y)"
    for isa in ("avx2", "scalar"):
        run = child(program, isa, path, str(tmp_path / "x.npy"), str(tmp_path / "y.npy"))
        assert run.returncode == 0, run.stderr
        assert np.abs(np.load(tmp_path / "y.npy") - want).max() < 2.0**-8 * np.abs(want).max()


def test_without_the_instructions():
    block = Block()
    isa = os.environ.get("GE_MAX_ISA", "")
    loaded, plain = load(block.model(), precision="bf16"), load(block.model())
    if isa in ("scalar", "avx2"):
        np.testing.assert_array_equal(loaded.run(block.feed())["y"], plain.run(block.feed())["y"])
