"""Networks of volumes, decoders and heads beside ONNX Runtime: values, what is fused, and what is left to plain kernels."""

import pathlib
import sys

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

ge = pytest.importorskip("ge")
ort = pytest.importorskip("onnxruntime")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))
import architectures  # noqa: E402

F = TensorProto.FLOAT
# Operators that run on the reference engine in these networks, each a small part of a run.
PLAIN = {"Range", "Abs", "FloorMod"}


def session(model):
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def save(tmp_path, model):
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return str(path)


def check(model, loaded, feed):
    got = loaded.run(feed)
    for output, want in zip(model.graph.output, session(model).run(None, feed)):
        if want.dtype.kind in "iub":
            np.testing.assert_array_equal(got[output.name], want)
        else:
            scale = max(np.abs(want).max(), 1e-6)
            np.testing.assert_allclose(got[output.name] / scale, want / scale, atol=1e-4, err_msg=output.name)


@pytest.mark.parametrize("name", list(architectures.everything()))
def test_architectures(tmp_path, name):
    model, feed = architectures.build(name)
    loaded = ge.load(save(tmp_path, model), options={"threads": 2})
    check(model, loaded, feed)
    rows = loaded.placement()
    if any(row["engine"] == "VectorEngine" for row in rows):  # not below AVX2
        assert {row["type"] for row in rows if row["engine"] == "DNN_VM_HOST_CPU"} <= PLAIN


@pytest.mark.isa
@pytest.mark.parametrize(
    "name", ["autoencoder", "anchor_decode", "spatial_transformer", "einsum_attention", "graph_convolution"]
)
def test_small_architectures(tmp_path, name):
    model, feed = architectures.build(name)
    check(model, ge.load(save(tmp_path, model), options={"threads": 1}), feed)


def network(nodes, weights, x, opset=17):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", F, x)],
        [helper.make_tensor_value_info("y", F, [None] * len(x))],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 9
    return model


def norm(rng, c):
    parts = (rng.uniform(0.5, 1.5, c), rng.normal(0, 1, c), rng.normal(0, 1, c), rng.uniform(0.5, 1.5, c))
    return {f"n{i}": p.astype(np.float32) for i, p in enumerate(parts)}


def types(model):
    return [row["type"] for row in model.placement() if row["type"] not in ("Data", "Const", "NetOutput")]


def fast(model):
    return any(row["engine"] == "AIcoreEngine" for row in model.placement())


@pytest.mark.isa
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("kernel", [(3, 3), (2, 3, 2)])
def test_transposed_convolution_takes_norm_and_activation(tmp_path, kernel, groups):
    rng, n = np.random.default_rng(0), len(kernel)
    weights = {
        "w": rng.standard_normal((8, 6, *kernel)).astype(np.float32),
        "b": rng.standard_normal(6 * groups).astype(np.float32),
    }
    weights.update(norm(rng, 6 * groups))
    nodes = [
        helper.make_node("ConvTranspose", ["x", "w", "b"], ["c"], strides=[2] * n, group=groups, output_padding=[1] * n),
        helper.make_node("BatchNormalization", ["c", "n0", "n1", "n2", "n3"], ["d"]),
        helper.make_node("LeakyRelu", ["d"], ["y"], alpha=0.2),
    ]
    x = [2, 8, *[4] * n]
    model = network(nodes, weights, x)
    loaded = ge.load(save(tmp_path, model))
    check(model, loaded, {"x": rng.standard_normal(x).astype(np.float32)})
    if fast(loaded):
        assert types(loaded) == ["FusedConvTranspose"]


@pytest.mark.isa
def test_convolution_of_volumes_takes_norm_sum_and_activation(tmp_path):
    rng = np.random.default_rng(1)
    weights = {"w": rng.standard_normal((10, 10, 3, 3, 3)).astype(np.float32) * np.float32(0.1), **norm(rng, 10)}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 6),
        helper.make_node("BatchNormalization", ["c", "n0", "n1", "n2", "n3"], ["d"]),
        helper.make_node("Add", ["d", "x"], ["e"]),
        helper.make_node("Relu", ["e"], ["y"]),
    ]
    x = [2, 10, 4, 5, 6]
    model = network(nodes, weights, x)
    loaded = ge.load(save(tmp_path, model))
    check(model, loaded, {"x": rng.standard_normal(x).astype(np.float32)})
    if fast(loaded):
        assert types(loaded) == ["FusedConv3D"]


@pytest.mark.parametrize("channels, groups", [(32, 1), (3, 1), (1, 1), (32, 2), (24, 8)])
def test_decoder_of_images_keeps_blocks(tmp_path, channels, groups):
    rng = np.random.default_rng(2)

    def filter(*shape):
        return rng.standard_normal(shape).astype(np.float32) * np.float32(0.1)

    weights = {"a": filter(32, 32, 3, 3), "b": filter(32, channels // groups, 2, 2), "c": filter(32, channels, 3, 3)}
    nodes = [
        helper.make_node("Conv", ["x", "a"], ["1"], pads=[1] * 4),
        helper.make_node("ConvTranspose", ["1", "b"], ["2"], strides=[2, 2], group=groups),
        helper.make_node("Conv", ["2", "c"], ["y"], pads=[1] * 4),
    ]
    model = network(nodes, weights, [1, 32, 9, 7])
    loaded = ge.load(save(tmp_path, model))
    check(model, loaded, {"x": rng.standard_normal((1, 32, 9, 7)).astype(np.float32)})
    if fast(loaded) and channels == 32 and groups == 1:
        assert types(loaded).count("TransData") <= 2  # into blocks, and out of them


@pytest.mark.isa
@pytest.mark.parametrize("open_batch", [False, True])
def test_open_extents(tmp_path, open_batch):
    rng = np.random.default_rng(3)
    weights = {
        "w": rng.standard_normal((12, 3, 3, 3, 3)).astype(np.float32),
        "v": rng.standard_normal((12, 4, 2, 2, 2)).astype(np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 6),
        helper.make_node("Relu", ["c"], ["d"]),
        helper.make_node("MaxPool", ["d"], ["e"], kernel_shape=[2, 2, 2], strides=[2, 2, 2]),
        helper.make_node("ConvTranspose", ["e", "v"], ["y"], strides=[2, 2, 2]),
    ]
    model = network(nodes, weights, ["n" if open_batch else 1, 3, "d", "h", "w"])
    loaded = ge.load(save(tmp_path, model))
    for shape in [(4, 6, 8), (5, 5, 5), (4, 6, 8), (2, 9, 3), (7, 2, 30)]:
        batch = int(shape[0]) if open_batch else 1
        check(model, loaded, {"x": rng.standard_normal((batch, 3, *shape)).astype(np.float32)})


EQUATIONS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("btd,dhk->bhtk", (2, 3, 8), (8, 4, 5)),
    ("bhtk,bhsk->bhts", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bhts,bhsk->bthk", (2, 3, 4, 6), (2, 3, 6, 5)),
    ("bthk,hkd->btd", (2, 3, 4, 5), (4, 5, 7)),
    ("ab,cb->ca", (3, 4), (5, 4)),
    ("i,i->", (6,), (6,)),
    ("bij,bjk->kbi", (2, 3, 4), (2, 4, 5)),
    ("kb,bm->mk", (4, 3), (3, 2)),
]


@pytest.mark.isa
@pytest.mark.parametrize("equation, a, b", EQUATIONS)
def test_einsum_is_a_product(tmp_path, equation, a, b):
    rng = np.random.default_rng(4)
    w = rng.standard_normal(b).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Einsum", ["x", "w"], ["y"], equation=equation)],
        "g",
        [helper.make_tensor_value_info("x", F, a)],
        [helper.make_tensor_value_info("y", F, None)],
        [numpy_helper.from_array(w, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    loaded = ge.load(save(tmp_path, model))
    x = rng.standard_normal(a).astype(np.float32)
    np.testing.assert_allclose(loaded.run({"x": x})["y"], np.einsum(equation, x, w), rtol=1e-5, atol=1e-5)
    assert "Einsum" not in types(loaded)


@pytest.mark.parametrize(
    "equation, a, b", [("ij,kl->ijkl", (2, 3), (4, 5)), ("ij,j->", (2, 3), (3,)), ("ii,ij->j", (3, 3), (3, 2))]
)
def test_other_einsums_stay(tmp_path, equation, a, b):
    rng = np.random.default_rng(5)
    w, x = rng.standard_normal(b).astype(np.float32), rng.standard_normal(a).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Einsum", ["x", "w"], ["y"], equation=equation)],
        "g",
        [helper.make_tensor_value_info("x", F, a)],
        [helper.make_tensor_value_info("y", F, None)],
        [numpy_helper.from_array(w, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    loaded = ge.load(save(tmp_path, model))
    np.testing.assert_allclose(loaded.run({"x": x})["y"], np.einsum(equation, x, w), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("channels, folded", [(512, True), (1024, False)])
def test_computed_filters_are_folded_up_to_a_limit(tmp_path, channels, folded):
    """9 MiB of filter that nothing but constants decide, and 36 MiB."""
    nodes = [
        helper.make_node("ConstantOfShape", ["shape"], ["f"], value=numpy_helper.from_array(np.array([0.5], np.float32))),
        helper.make_node("Mul", ["f", "scale"], ["w"]),
        helper.make_node("Conv", ["x", "w"], ["y"], pads=[1] * 4),
    ]
    scale = np.linspace(0, 1e-3, channels, dtype=np.float32).reshape(-1, 1, 1, 1)
    weights = {"shape": np.array([channels, channels, 3, 3], np.int64), "scale": scale}
    model = network(nodes, weights, [1, channels, 4, 4])
    loaded = ge.load(save(tmp_path, model))
    check(model, loaded, {"x": np.random.default_rng(6).standard_normal((1, channels, 4, 4)).astype(np.float32)})
    assert ("Fill" not in types(loaded)) == folded
