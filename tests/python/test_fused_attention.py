"""Attention written out becomes one operator where nobody reads what lies between, and gives the same."""

import os

import net_cases
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

F = TensorProto.FLOAT
OPERATOR = "ScaledDotProductAttention"
FUSES = os.environ.get("GE_MAX_ISA") != "scalar"  # the plain engine alone is no reason to put nodes together


class Net:
    """Attention as exporters write it. Operands are [batch, length, heads, size], or with heads in front."""

    def __init__(self, batch=2, heads=3, queries=5, keys=7, size=8, lengths_first=True):
        self.nodes, self.inits, self.feed, self.count = [], [], {}, 0
        self.extents = batch, heads, queries, keys, size
        self.lengths_first = lengths_first
        self.outputs = []

    def input(self, name, shape, dtype=np.float32):
        r = np.random.default_rng(len(self.feed))
        self.feed[name] = r.standard_normal(shape).astype(np.float32) if dtype == np.float32 else r.integers(0, 3, shape) > 0
        return name

    def const(self, value):
        self.count += 1
        self.inits.append(numpy_helper.from_array(np.asarray(value), f"c{self.count}"))
        return f"c{self.count}"

    def op(self, kind, *inputs, **attrs):
        self.count += 1
        self.nodes.append(helper.make_node(kind, inputs, [f"v{self.count}"], **attrs))
        return f"v{self.count}"

    def operand(self, name, length):
        batch, heads, _, _, size = self.extents
        if self.lengths_first:
            return self.input(name, (batch, length, heads, size))
        return self.input(name, (batch, heads, length, size))

    def forward(self, x, *more):
        """With heads in front, then more of an order."""
        order = [0, 2, 1, 3] if self.lengths_first else [0, 1, 2, 3]
        order = [order[i] for i in more] if more else order
        return x if order == [0, 1, 2, 3] else self.op("Transpose", x, perm=order)

    def scores(self, scale="Div"):
        _, _, queries, keys, size = self.extents
        q = self.forward(self.operand("q", queries))
        k = self.forward(self.operand("k", keys), 0, 1, 3, 2)
        if scale == "before":
            q = self.op("Mul", q, self.const(np.float32(0.5)))
            k = self.op("Mul", k, self.const(np.float32(0.6)))
        s = self.op("MatMul", q, k)
        if scale in ("Div", "Mul"):
            s = self.op(scale, s, self.const(np.float32(3 if scale == "Div" else 0.3)))
        return s

    def finish(self, scores, back=True):
        weights = self.op("Softmax", scores, axis=-1)
        y = self.op("MatMul", weights, self.forward(self.operand("v", self.extents[3])))
        self.weights = weights
        return self.op("Transpose", y, perm=[0, 2, 1, 3]) if back else y

    def model(self, *outputs, open_dims=False):
        inputs = [
            helper.make_tensor_value_info(
                n, helper.np_dtype_to_tensor_dtype(x.dtype), [f"{n}{i}" for i in range(x.ndim)] if open_dims else x.shape
            )
            for n, x in self.feed.items()
        ]
        results = [helper.make_tensor_value_info(o, F, None) for o in outputs]
        graph = helper.make_graph(self.nodes, "g", inputs, results, self.inits)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def compare(net, *outputs, options=None, open_dims=False):
    """Compares with ONNX Runtime; returns the types of nodes."""
    m = net.model(*outputs, open_dims=open_dims).SerializeToString()
    model = ge.load(m, options or {})
    got = model.run(net.feed)
    want = onnxruntime.InferenceSession(m, providers=["CPUExecutionProvider"]).run(None, net.feed)
    for a, b in zip(got.values(), want):
        np.testing.assert_allclose(a, b, rtol=3e-5, atol=3e-5)
    return [node["type"] for node in model.placement()] if not open_dims else []


def masked(net, kind, scores):
    batch, heads, queries, keys, _ = net.extents
    if kind == "add":
        return net.op("Add", scores, net.input("m", (batch, 1, 1, keys)))
    if kind == "add-first":
        return net.op("Add", net.input("m", (heads, queries, keys)), scores)
    if kind in ("where", "where-finite"):
        fill = -np.inf if kind == "where" else np.finfo(np.float32).min
        seen = np.tril(np.ones((queries, keys), bool))[None, None]
        return net.op("Where", net.const(seen), scores, net.const(np.float32(fill)))
    return scores


@pytest.mark.isa
@pytest.mark.parametrize("lengths_first", [True, False])
@pytest.mark.parametrize("scale", ["Div", "Mul", "before", None])
@pytest.mark.parametrize("mask", ["add", "add-first", "where", "where-finite", None])
@pytest.mark.parametrize("back", [True, False])
def test_one_operator(lengths_first, scale, mask, back):
    net = Net(lengths_first=lengths_first)
    y = net.finish(masked(net, mask, net.scores(scale)), back)
    types = compare(net, y)
    if not FUSES:
        return
    assert OPERATOR in types and not {"SoftmaxV2", "BatchMatMulV2", "FusedMatMulV2"} & set(types)
    if lengths_first and back:
        assert "Transpose" not in types


@pytest.mark.isa
@pytest.mark.parametrize("queries,keys", [(1, 2), (1, 300), (1, 5000), (3, 2100), (9, 17), (40, 40), (130, 500), (200, 900)])
@pytest.mark.parametrize("threads", [1, 2])
def test_lengths(queries, keys, threads):
    net = Net(1, 2, queries, keys, 16)
    y = net.finish(masked(net, "add", net.scores()))
    types = compare(net, y, options={"threads": threads})
    assert OPERATOR in types or not FUSES


def test_sizes_of_heads():
    for size in (1, 3, 8, 17, 40, 128):
        net = Net(1, 2, 20, 33, size)
        assert OPERATOR in compare(net, net.finish(net.scores()))


@pytest.mark.parametrize("mask", ["add", None])
def test_extents_that_a_run_tells(mask):
    net = Net()
    compare(net, net.finish(masked(net, mask, net.scores())), open_dims=True)


@pytest.mark.parametrize("read", ["scores", "weights", "product"])
def test_what_others_read_stays(read):
    net = Net()
    scores = net.scores()
    y = net.finish(scores, back=read != "product")
    if read == "product":  # with the heads in front, too
        back = net.op("Transpose", y, perm=[0, 2, 1, 3])
        types = compare(net, y, back)
        assert OPERATOR in types and "Transpose" in types
        return
    others = net.op("Relu", scores if read == "scores" else net.weights)
    assert OPERATOR not in compare(net, y, others)


def test_what_is_something_else_stays():
    # Scores that are not the last axis, operands that are spread, a factor that is no constant.
    net = Net(1, 2, 7, 7)
    y = net.op("MatMul", net.op("Softmax", net.scores(), axis=2), net.forward(net.operand("v", 7)))
    assert OPERATOR not in compare(net, y)
    net = Net(2, 2, 5, 7)
    net.extents = 1, 2, 5, 7, 8
    q = net.forward(net.operand("q", 5))
    net.extents = 2, 2, 5, 7, 8
    s = net.op("MatMul", q, net.forward(net.operand("k", 7), 0, 1, 3, 2))
    assert OPERATOR not in compare(net, net.finish(s))
    net = Net()
    s = net.op("Mul", net.scores(None), net.input("f", (1,)))
    assert OPERATOR not in compare(net, net.finish(s))


def test_it_can_be_switched_off_and_is_reported():
    net = Net()
    y = net.finish(net.scores())
    assert OPERATOR not in compare(net, y, options={"passes.disable": "FuseAttention"})
    report = ge.load(net.model(y).SerializeToString()).report()
    (entry,) = [p for p in report["passes"] if p["name"] == "FuseAttention"]
    assert entry["rules"]["FuseAttention"]["applied"] == 1


def test_a_row_that_sees_nothing_is_what_it_was():
    net = Net()
    seen = np.ones((5, 7), bool)
    seen[2] = False
    s = net.op("Where", net.const(seen), net.scores(), net.const(np.float32(-np.inf)))
    y = net.finish(s, back=False)
    assert OPERATOR in compare(net, y)  # NaN there, in both
    m = net.model(y).SerializeToString()
    assert np.isnan(ge.load(m).run(net.feed)[y][:, :, 2]).all()


@pytest.mark.parametrize("name,count", [("bert", 2), ("vit", 2), ("gpt2_decode", 2)])
def test_networks(tmp_path, name, count):
    path, feed, want = net_cases.NetCases(tmp_path)(name)
    model = ge.load(path)
    net_cases.check(model.run(feed), want)
    if name == "gpt2_decode":  # extents are open: the graph of a class of sizes is told of, made behind earlier passes
        made = model.report()["specializations"]
        assert max(p["applied"] for s in made for p in s["passes"] if p["name"] == "FuseAttention") == count
    else:
        types = [node["type"] for node in model.placement()]
        assert types.count(OPERATOR) >= count and "SoftmaxV2" not in types


@pytest.mark.parametrize("level", ["ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"])
@pytest.mark.parametrize("name", list(net_cases.nets.NETS))
def test_models_that_onnx_runtime_saved(tmp_path, name, level):
    path, feed, want = net_cases.NetCases(tmp_path)(name)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.optimized_model_filepath = str(tmp_path / "saved.onnx")
    onnxruntime.InferenceSession(path, options, disabled_optimizers=["NchwcTransformer"], providers=["CPUExecutionProvider"])
    saved = onnx.load(tmp_path / "saved.onnx")
    domains = {n.domain for n in saved.graph.node}
    assert domains <= {"", "com.microsoft"}
    net_cases.check(ge.load(str(tmp_path / "saved.onnx")).run(feed), want)


@pytest.mark.parametrize("name,kind", [("bert", "bert"), ("vit", "vit"), ("gpt2_decode", "gpt2")])
def test_models_that_the_transformer_optimizer_wrote(tmp_path, name, kind):
    pytest.importorskip("sympy")
    optimizer = pytest.importorskip("onnxruntime.transformers.optimizer")
    path, feed, _ = net_cases.NetCases(tmp_path)(name)
    written = optimizer.optimize_model(path, model_type=kind, opt_level=0, only_onnxruntime=False)
    saved = tmp_path / "written.onnx"
    written.save_model_to_file(str(saved))
    model = onnx.load(saved)
    assert any(n.domain == "com.microsoft" for n in model.graph.node)
    net_cases.check(ge.load(str(saved)).run(feed), net_cases.reference(model, feed))
