"""Classical models of ONNX (ai.onnx.ml), optimisers, layers with a state. The oracle is ONNX Runtime, ONNX's reference
evaluator, or the definition written out with NumPy."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.ops.aionnxml._common_classifier import probit

import ge
from ge.error import GeError

F, D, I64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64
ML, TRAINING, PREVIEW = "ai.onnx.ml", "ai.onnx.preview.training", "ai.onnx.preview"


def model(nodes, feed, outputs, opset=21, ml=3, open_dims=False):
    values = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(x.dtype), [f"{name}{i}" for i in range(x.ndim)] if open_dims else x.shape
        )
        for name, x in feed.items()
    ]
    graph = helper.make_graph(nodes, "g", values, [onnx.ValueInfoProto(name=o) for o in outputs])
    opsets = [("", opset), (ML, ml), (TRAINING, 1), (PREVIEW, 1)]
    used = {"", *(n.domain for n in nodes)}
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*o) for o in opsets if o[0] in used], ir_version=10)


def node(op, inputs, outputs, domain=ML, **attrs):
    return helper.make_node(op, inputs, outputs, domain=domain, **attrs)


def ours(m, feed):
    return list(ge.load(m.SerializeToString()).run(feed).values())


def theirs(m, feed):
    return onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)


def reference(m, feed):
    return ReferenceEvaluator(m).run(None, feed)


def same(got, want, tolerance=1e-5):
    assert len(got) == len(want)
    for a, b in zip(got, want):
        b = np.asarray(b)
        assert a.shape == b.shape
        if b.dtype.kind in "OU":
            assert a.tolist() == b.tolist()
        else:
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def rand(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed + sum(shape)).uniform(-2, 2, shape).astype(dtype)


# ---- features ----


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_scaler(dtype):
    feed = {"x": (rand(4, 3) * 5).astype(dtype)}
    for attrs in ({"offset": [1.0, -2.0, 0.5], "scale": [2.0, 0.5, 3.0]}, {"offset": [1.0], "scale": [2.0]}):
        same(ours(m := model([node("Scaler", ["x"], ["y"], **attrs)], feed, ["y"]), feed), theirs(m, feed))


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
def test_normalizer(norm):
    feed = {"x": np.concatenate([rand(4, 3), -np.abs(rand(2, 3)), np.array([[0, 0, 0], [-3, 0, -1]], np.float32)])}
    same(ours(m := model([node("Normalizer", ["x"], ["y"], norm=norm)], feed, ["y"]), feed), theirs(m, feed))
    flat = {"x": feed["x"][0]}
    same(ours(m := model([node("Normalizer", ["x"], ["y"], norm=norm)], flat, ["y"]), flat), theirs(m, flat))


def test_imputer():
    x = rand(3, 3)
    x[0, 1] = x[2, 2] = np.nan
    feed = {"x": x}
    for values in ([7.0], [1.0, 2.0, 3.0]):
        attrs = {"imputed_value_floats": values, "replaced_value_float": float("nan")}
        same(ours(m := model([node("Imputer", ["x"], ["y"], **attrs)], feed, ["y"]), feed), theirs(m, feed))
    feed = {"x": np.array([[1, 5], [5, 2]])}
    attrs = {"imputed_value_int64s": [8, 9], "replaced_value_int64": 5}
    same(ours(m := model([node("Imputer", ["x"], ["y"], **attrs)], feed, ["y"]), feed), theirs(m, feed))


def test_binarizer_and_features():
    feed = {"x": rand(4, 3), "i": np.array([2, 0, 2])}
    nodes = [
        node("Binarizer", ["x"], ["a"], threshold=0.25),
        node("ArrayFeatureExtractor", ["x", "i"], ["b"]),
        node("FeatureVectorizer", ["x", "b"], ["c"], inputdimensions=[3, 3]),
    ]
    same(ours(m := model(nodes, feed, ["a", "b", "c"]), feed), theirs(m, feed))


def test_features_are_cut_and_filled_up():
    feed = {"x": rand(4, 3), "z": rand(4, 2)}
    m = model([node("FeatureVectorizer", ["x", "z"], ["y"], inputdimensions=[2, 4])], feed, ["y"])
    want = np.concatenate([feed["x"][:, :2], feed["z"], np.zeros((4, 2), np.float32)], 1)
    same(ours(m, feed), [want])


@pytest.mark.parametrize(
    ("key", "value"), [("int64s", "floats"), ("floats", "int64s"), ("int64s", "int64s"), ("floats", "floats")]
)
def test_label_encoder(key, value):
    keys = [1, 5, -3] if key == "int64s" else [1.5, float("nan"), -0.5]
    values = [10, 20, 30] if value == "int64s" else [0.25, 0.5, 0.75]
    x = np.array([*keys, 99, keys[0]], np.int64 if key == "int64s" else np.float32)
    attrs = {f"keys_{key}": keys, f"values_{value}": values, "default_int64": -4, "default_float": -4.5}
    feed = {"x": x}
    same(ours(m := model([node("LabelEncoder", ["x"], ["y"], **attrs)], feed, ["y"], ml=4), feed), theirs(m, feed))


def test_label_encoder_with_tensors():
    attrs = {
        "keys_tensor": numpy_helper.from_array(np.array([1, 2], np.int16)),
        "values_tensor": numpy_helper.from_array(np.array([0.5, 1.5], np.float64)),
        "default_tensor": numpy_helper.from_array(np.array([9], np.float64)),
    }
    feed = {"x": np.array([2, 7, 1], np.int16)}
    m = model([node("LabelEncoder", ["x"], ["y"], **attrs)], feed, ["y"], ml=4)
    same(ours(m, feed), [np.array([1.5, 9, 0.5])])


def test_one_hot():
    feed = {"x": np.array([[3, 1], [7, 2]])}
    same(ours(m := model([node("OneHotEncoder", ["x"], ["y"], cats_int64s=[1, 2, 3])], feed, ["y"]), feed), theirs(m, feed))


# ---- models ----

TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def of_two_classes(m, feed, transform):
    """Labels and scores where a file tells one score of two classes. ONNX Runtime leaves half of the scores of PROBIT
    unwritten: they are the probits of both shares, by ONNX's reference evaluator."""
    want = theirs(m, feed)
    if transform == "PROBIT":
        plain = onnx.ModelProto()
        plain.CopyFrom(m)
        next(a for a in plain.graph.node[0].attribute if a.name == "post_transform").s = b"NONE"
        second = ours(plain, feed)[1][:, 1]
        want[1] = np.stack([probit(1 - second), probit(second)], 1).astype(np.float32)
    return want


@pytest.mark.isa
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("classes", [1, 3])
def test_linear_classifier(transform, classes):
    feed = {"x": rand(5, 4)}
    weights, offsets = rand(classes, 4, seed=1).ravel().tolist(), rand(classes, seed=2).tolist()
    attrs = {"coefficients": weights, "intercepts": offsets, "post_transform": transform}
    labels = [4, 7, 1] if classes == 3 else [4, 7]
    m = model([node("LinearClassifier", ["x"], ["l", "s"], classlabels_ints=labels, **attrs)], feed, ["l", "s"])
    of = of_two_classes if classes == 1 else lambda m, feed, _: theirs(m, feed)
    same(ours(m, feed), of(m, feed, transform))
    named = {"classlabels_strings": ["x", "é", "z"][: len(labels)]}
    m = model([node("LinearClassifier", ["x"], ["l", "s"], **named, **attrs)], feed, ["l", "s"])
    same(ours(m, feed), of(m, feed, transform))


@pytest.mark.parametrize("targets", [1, 2])
def test_linear_regressor(targets):
    feed = {"x": rand(5, 4)}
    attrs = {"coefficients": rand(targets, 4, seed=1).ravel().tolist(), "intercepts": rand(targets, seed=2).tolist()}
    m = model([node("LinearRegressor", ["x"], ["y"], targets=targets, **attrs)], feed, ["y"], open_dims=False)
    same(ours(m, feed), theirs(m, feed))


def svm_of_pairs(feed, attrs):
    """Scores of pairs and votes of classes, by libsvm's definition."""
    per_class, x = attrs["vectors_per_class"], feed["x"].astype(np.float64)
    classes, n = len(per_class), sum(per_class)
    alike = x @ np.array(attrs["support_vectors"]).reshape(n, -1).T
    rows = np.array(attrs["coefficients"]).reshape(classes - 1, n)
    start = np.cumsum([0, *per_class])
    scores, votes = [], np.zeros((len(x), classes))
    for i in range(classes):
        for j in range(i + 1, classes):
            of_i, of_j = slice(start[i], start[i + 1]), slice(start[j], start[j + 1])
            score = alike[:, of_i] @ rows[j - 1, of_i] + alike[:, of_j] @ rows[i, of_j] + attrs["rho"][len(scores)]
            scores.append(score)
            votes[np.arange(len(x)), np.where(score > 0, i, j)] += 1
    return np.stack(scores, 1), votes


@pytest.mark.isa
@pytest.mark.parametrize("per_class", [[1, 2, 1, 3, 2], [2, 0, 1], [0, 0, 3]])
def test_pairs_of_classes(per_class):
    feed, classes, n = {"x": rand(6, 3)}, len(per_class), sum(per_class)
    pairs = classes * (classes - 1) // 2
    attrs = {
        "kernel_type": "LINEAR", "vectors_per_class": per_class, "coefficients": rand(classes - 1, n, seed=1).ravel().tolist(),
        "support_vectors": rand(n, 3, seed=2).ravel().tolist(), "rho": rand(pairs, seed=3).tolist(),
        "classlabels_ints": list(range(10, 10 + classes)), "kernel_params": [1.0, 0.0, 1.0],
    }  # fmt: skip
    scores, votes = svm_of_pairs(feed, attrs)
    m = model([node("SVMClassifier", ["x"], ["l", "s"], **attrs)], feed, ["l", "s"])
    labels, got = ours(m, feed)
    np.testing.assert_allclose(got, scores, rtol=1e-4, atol=1e-5)
    assert labels.tolist() == (10 + votes.argmax(1)).tolist()


KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]


@pytest.mark.isa
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("one_class", [0, 1])
def test_svm_regressor(kernel, one_class):
    feed = {"x": rand(6, 3)}
    attrs = {
        "kernel_type": kernel, "kernel_params": [0.3, 0.5, 3.0], "n_supports": 4, "rho": [0.25], "one_class": one_class,
        "coefficients": rand(4, seed=1).tolist(), "support_vectors": rand(4, 3, seed=2).ravel().tolist(),
    }  # fmt: skip
    same(ours(m := model([node("SVMRegressor", ["x"], ["y"], **attrs)], feed, ["y"]), feed), theirs(m, feed), 1e-4)


@pytest.mark.isa
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("probable", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_svm_classifier(kernel, probable, classes):
    feed = {"x": rand(6, 3)}
    per_class = [2, 3, 1][:classes]
    n, pairs = sum(per_class), classes * (classes - 1) // 2
    attrs = {
        "kernel_type": kernel, "kernel_params": [0.3, 0.5, 2.0], "vectors_per_class": per_class,
        "coefficients": rand(classes - 1, n, seed=1).ravel().tolist(), "support_vectors": rand(n, 3, seed=2).ravel().tolist(),
        "rho": rand(pairs, seed=3).tolist(), "classlabels_ints": [5, 3, 9][:classes],
    }  # fmt: skip
    if probable:
        attrs |= {"prob_a": [-1.0, -0.5, -2.0][:pairs], "prob_b": [0.1, -0.2, 0.3][:pairs]}
    m = model([node("SVMClassifier", ["x"], ["l", "s"], **attrs)], feed, ["l", "s"])
    same(ours(m, feed), theirs(m, feed), 1e-3)


def forest(role, ids, weights, modes=("BRANCH_LEQ", "BRANCH_GT"), missing=(0, 0)):
    """Two trees: one with two branches and three leaves, one that is a leaf."""
    return {
        "nodes_treeids": [0, 0, 0, 0, 0, 1], "nodes_nodeids": [0, 1, 2, 3, 4, 0],
        "nodes_featureids": [0, 0, 1, 0, 0, 0], "nodes_values": [0.25, 0.0, -0.5, 0.0, 0.0, 0.0],
        "nodes_modes": [modes[0], "LEAF", modes[1], "LEAF", "LEAF", "LEAF"],
        "nodes_truenodeids": [1, 0, 3, 0, 0, 0], "nodes_falsenodeids": [2, 0, 4, 0, 0, 0],
        "nodes_missing_value_tracks_true": [missing[0], 0, missing[1], 0, 0, 0],
        f"{role}_treeids": [0, 0, 0, 0, 1], f"{role}_nodeids": [1, 3, 3, 4, 0], f"{role}_ids": list(ids),
        f"{role}_weights": list(weights),
    }  # fmt: skip


ROWS = np.array([[0, 0], [0.25, -1], [1, -0.5], [1, 0], [np.nan, 0], [2, np.nan]], np.float32)


@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize(
    ("modes", "missing"),
    [
        (("BRANCH_LEQ", "BRANCH_GT"), (0, 0)),
        (("BRANCH_LT", "BRANCH_GTE"), (1, 1)),
        (("BRANCH_EQ", "BRANCH_NEQ"), (0, 1)),
        (("BRANCH_EQ", "BRANCH_NEQ"), (1, 0)),
    ],
)
def test_tree_regressor(aggregate, modes, missing):
    attrs = forest("target", [0, 0, 1, 1, 0], [1.0, -2.0, 3.0, 0.5, 0.25], modes, missing)
    m = model(
        [node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=2, aggregate_function=aggregate, **attrs)],
        {"x": ROWS}, ["y"],
    )  # fmt: skip
    same(ours(m, {"x": ROWS}), theirs(m, {"x": ROWS}))


@pytest.mark.isa
@pytest.mark.parametrize("aggregate", ["SUM", "AVERAGE", "MIN", "MAX"])
def test_a_target_without_scores_is_0(aggregate):
    attrs = forest("target", [1] * 5, [1.0, -2.0, 3.0, 0.5, 0.25])
    m = model(
        [node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=2, aggregate_function=aggregate, **attrs)],
        {"x": ROWS}, ["y"],
    )  # fmt: skip
    got, want = ours(m, {"x": ROWS}), theirs(m, {"x": ROWS})
    assert not want[0][:, 0].any()
    same(got, want)


def equals_one_of(members, features=1):
    """One tree as LightGBM's converter writes membership: a comparison for each member, all with one node behind them."""
    n = len(members)
    return {
        "nodes_treeids": [0] * (n + 2), "nodes_nodeids": list(range(n + 2)), "nodes_featureids": [0] * (n + 2),
        "nodes_values": [*map(float, members), 0.0, 0.0], "nodes_modes": ["BRANCH_EQ"] * n + ["LEAF"] * 2,
        "nodes_truenodeids": [n] * n + [0, 0], "nodes_falsenodeids": [*range(1, n), n + 1, 0, 0],
        "target_treeids": [0, 0], "target_nodeids": [n, n + 1], "target_ids": [0, 0], "target_weights": [1.0, -1.0],
    }  # fmt: skip


def test_ways_of_a_tree_may_meet():
    feed = {"x": np.array([[1], [2], [5], [7], [8]], np.float32)}
    m = model([node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=1, **equals_one_of([2, 5, 7]))], feed, ["y"])
    same(ours(m, feed), theirs(m, feed))


def version_5(roots, yes, no, yes_leaf, no_leaf):
    n = len(yes)
    return node(
        "TreeEnsemble", ["x"], ["y"], n_targets=1, aggregate_function=1, post_transform=0, tree_roots=roots,
        nodes_modes=numpy_helper.from_array(np.full(n, 4, np.uint8)), nodes_featureids=[0] * n,
        nodes_splits=numpy_helper.from_array(np.zeros(n, np.float32)), nodes_truenodeids=yes, nodes_trueleafs=yes_leaf,
        nodes_falsenodeids=no, nodes_falseleafs=no_leaf, leaf_targetids=[0],
        leaf_weights=numpy_helper.from_array(np.ones(1, np.float32)),
    )  # fmt: skip


@pytest.mark.parametrize("yes", [[0, 0], [1, 0]])
def test_circles_of_a_tree_are_refused(yes):
    feed = {"x": np.zeros((1, 1), np.float32)}
    m = model([version_5([0], yes, [0, 0], [0, 0], [1, 1])], feed, ["y"], ml=5)
    with pytest.raises(GeError, match="node 0 of a tree is reached from itself"):
        ours(m, feed)


def test_many_roots_on_one_long_way():
    """Each root by itself would be 4 * 10^10 steps."""
    n = 200_000
    way = [*range(1, n), 0]
    feed = {"x": np.ones((1, 1), np.float32)}  # leaves at the first node
    m = model([version_5([0] * n, way, [0] * n, [0] * (n - 1) + [1], [1] * n)], feed, ["y"], ml=5)
    same(ours(m, feed), [np.array([[n]], np.float32)])


@pytest.mark.isa
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize(("ids", "weights"), [
    ([0, 0, 1, 2, 1], [1.0, 2.0, 3.0, 0.5, 0.25]),
    ([0, 0, 0, 0, 0], [0.3, 0.2, 0.1, 0.9, 0.05]),
    ([0, 0, 0, 0, 0], [0.3, -0.2, 0.1, -0.9, 0.05]),
    ([1, 1, 1, 1, 1], [0.3, -0.2, 0.1, -0.9, 0.05]),
    ([1, 1, 1, 1, 1], [0.3, 0.2, 0.1, 0.9, 0.05]),
])  # fmt: skip
def test_tree_classifier(transform, ids, weights):
    labels = [3, 8, 5] if max(ids) == 2 else [3, 8]
    m = model(
        [
            node(
                "TreeEnsembleClassifier", ["x"], ["l", "s"], classlabels_int64s=labels, post_transform=transform,
                **forest("class", ids, weights),
            )
        ],
        {"x": ROWS}, ["l", "s"],
    )  # fmt: skip
    of = of_two_classes if max(ids) == 0 else lambda m, feed, _: theirs(m, feed)
    same(ours(m, {"x": ROWS}), of(m, {"x": ROWS}, transform))


@pytest.mark.parametrize("weights", [[0.3, 0.2, 0.1, 0.9, 0.05], [0.3, -0.2, 0.1, -0.9, 0.05]])
def test_two_base_values_of_one_score(weights):
    """The first one counts, as it is what the leaves call their class."""
    attrs = {"classlabels_int64s": [3, 8], "base_values": [0.2, -0.3], **forest("class", [0] * 5, weights)}
    m = model([node("TreeEnsembleClassifier", ["x"], ["l", "s"], **attrs)], {"x": ROWS}, ["l", "s"])
    (labels, scores), want = ours(m, {"x": ROWS}), theirs(m, {"x": ROWS})
    assert labels.tolist() == want[0].tolist()
    np.testing.assert_allclose(scores[:, 1], reference(m, {"x": ROWS})[1][:, 1], rtol=1e-5, atol=1e-6)


def test_trees_of_double_precision():
    x = ROWS.astype(np.float64)
    m = model(
        [node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=2, **forest("target", [0, 0, 1, 1, 0], [1.0] * 5))],
        {"x": x}, ["y"],
    )  # fmt: skip
    same(ours(m, {"x": x}), theirs(m, {"x": x}))


def test_a_large_forest():
    rng = np.random.default_rng(5)
    trees, depth, features = 50, 6, 7
    lists = {k: [] for k in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids")}
    targets = {k: [] for k in ("treeids", "nodeids", "ids", "weights")}
    for t in range(trees):
        for n in range(2 ** (depth + 1) - 1):
            leaf = n >= 2**depth - 1
            down = (0, 0) if leaf else (2 * n + 1, 2 * n + 2)
            mode = "LEAF" if leaf else "BRANCH_LEQ"
            for k, v in zip(lists, (t, n, int(rng.integers(features)), float(np.float32(rng.normal())), mode, *down)):
                lists[k].append(v)
            if leaf:
                for k, v in zip(targets, (t, n, int(rng.integers(3)), float(np.float32(rng.normal())))):
                    targets[k].append(v)
    attrs = {f"nodes_{k}": v for k, v in lists.items()} | {f"target_{k}": v for k, v in targets.items()}
    feed = {"x": rng.normal(size=(64, features)).astype(np.float32)}
    m = model([node("TreeEnsembleRegressor", ["x"], ["y"], n_targets=3, base_values=[1.0, 2.0, 3.0], **attrs)], feed, ["y"])
    same(ours(m, feed), theirs(m, feed), 1e-4)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"nodes_truenodeids": [1, 0, 9, 0, 0, 0]}, "tree 0 has no node 9"),
        ({"nodes_featureids": [0, 0, 5, 0, 0, 0]}, "a feature is 5, expected 0 to 1"),
        ({"nodes_featureids": [0, 0, -1, 0, 0, 0]}, "'nodes_featureids' has -1"),
        ({"nodes_modes": ["LEAF", "LEAF", "BRANCH", "LEAF", "LEAF", "LEAF"]}, "nodes_modes has 'BRANCH'"),
        ({"nodes_values": [0.0]}, "'nodes_values' has 1 values, expected 6"),
        ({"target_ids": [0, 0, 1, 7, 0]}, "a target is 7, expected 0 to 1"),
        ({"nodes_nodeids": [0, 1, 2, 3, 3, 0]}, "node 3 of tree 0 is there twice"),
        ({"nodes_truenodeids": [2, 0, 0, 0, 0, 0]}, "is reached from itself"),
        ({"n_targets": 0}, "'n_targets' is 0"),
    ],
)
def test_trees_that_are_refused(change, text):
    attrs = {"n_targets": 2, **forest("target", [0, 0, 1, 1, 0], [1.0, -2.0, 3.0, 0.5, 0.25]), **change}
    m = model([node("TreeEnsembleRegressor", ["x"], ["y"], **attrs)], {"x": ROWS}, ["y"])
    with pytest.raises(GeError, match=text):
        ours(m, {"x": ROWS})


@pytest.mark.parametrize(
    ("op", "attrs", "text"),
    [
        ("Normalizer", {"norm": "L3"}, "'norm' is 'L3'"),
        ("Scaler", {"offset": [1.0, 2.0]}, "'offset' has 2 values, expected 3"),
        ("Imputer", {}, "imputed_value_floats"),
        ("LabelEncoder", {"keys_floats": [1.0], "values_floats": [1.0, 2.0]}, "1 keys and 2 values"),
        ("LinearRegressor", {"coefficients": [1.0, 2.0]}, "'coefficients' has 2 values for 1 outputs of 3 features"),
        ("LinearRegressor", {"coefficients": [1.0] * 3, "post_transform": "TANH"}, "'post_transform' is 'TANH'"),
        ("SVMRegressor", {"rho": [0.0], "coefficients": [1.0], "n_supports": 1, "support_vectors": [1.0] * 3,
                          "kernel_type": "SINE"}, "'kernel_type' is 'SINE'"),
    ],
)  # fmt: skip
def test_attributes_that_are_refused(op, attrs, text):
    feed = {"x": rand(2, 3)}
    with pytest.raises(GeError, match=text):
        ours(model([node(op, ["x"], ["y"], **attrs)], feed, ["y"]), feed)


# ---- determinants, n-grams ----


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 3, 5, 5), (0, 0), (4, 0, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_det(shape, dtype):
    feed = {"x": rand(*shape, dtype=dtype)}
    m = model([node("Det", ["x"], ["y"], "")], feed, ["y"])
    same(ours(m, feed), [np.linalg.det(feed["x"]).astype(dtype)], 1e-4)


def test_det_of_singular_and_strange_matrices():
    x = np.array([[[1, 2], [2, 4]], [[0, 1], [1, 0]], [[np.nan, 1], [1, 1]]], np.float32)
    (y,) = ours(model([node("Det", ["x"], ["y"], "")], {"x": x}, ["y"]), {"x": x})
    assert y[0] == 0 and y[1] == -1 and np.isnan(y[2])
    with pytest.raises(GeError, match="square"):
        ours(model([node("Det", ["x"], ["y"], "")], {"x": rand(2, 3)}, ["y"]), {"x": rand(2, 3)})


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("skips", [0, 5])
@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (1, 3)])
def test_ngrams(mode, skips, sizes):
    feed = {"x": np.random.default_rng(1).integers(0, 5, (3, 9))}
    attrs = {
        "mode": mode, "max_skip_count": skips, "min_gram_length": sizes[0], "max_gram_length": sizes[1],
        "ngram_counts": [0, 3, 7], "ngram_indexes": [2, 0, 1, 4, 3, 5], "weights": [1.0, 0.5, 2.0, 3.0, 1.5, 0.25],
        "pool_int64s": [0, 1, 2, 1, 2, 0, 4, 1, 1, 3],
    }  # fmt: skip
    same(ours(m := model([node("TfIdfVectorizer", ["x"], ["y"], "", **attrs)], feed, ["y"]), feed), theirs(m, feed))


# ---- optimisers ----


@pytest.mark.isa
@pytest.mark.parametrize("updates", [0, 1, 7])
@pytest.mark.parametrize(("op", "groups", "attrs"), [
    ("Adagrad", 3, {"decay_factor": 0.1, "epsilon": 1e-5, "norm_coefficient": 0.01}),
    ("Adam", 4, {"alpha": 0.9, "beta": 0.95, "epsilon": 1e-5, "norm_coefficient": 0.01, "norm_coefficient_post": 0.1}),
    ("Momentum", 3, {"alpha": 0.9, "beta": 0.8, "norm_coefficient": 0.01, "mode": "standard"}),
    ("Momentum", 3, {"alpha": 0.9, "beta": 0.8, "norm_coefficient": 0.01, "mode": "nesterov"}),
])  # fmt: skip
def test_optimisers(op, groups, attrs, updates):
    feed = {"r": np.array(0.1, np.float32), "t": np.array(updates)}
    for g in range(groups):
        for k, shape in enumerate([(2, 3), (4,)]):
            feed[f"g{g}{k}"] = np.abs(rand(*shape, seed=g)) if g >= 2 else rand(*shape, seed=g)
    outputs = [f"o{i}" for i in range(2 * (groups - 1))]
    m = model([node(op, list(feed), outputs, TRAINING, **attrs)], feed, outputs)
    same(ours(m, feed), [np.asarray(v, np.float32) for v in reference(m, feed)])


def test_optimisers_that_are_refused():
    feed = {"r": np.array(0.1, np.float32), "t": np.array(0), "x": rand(2), "g": rand(2)}
    with pytest.raises(GeError, match="4 inputs, expected 2 and then 3"):
        ours(model([node("Adagrad", list(feed), ["y"], TRAINING)], feed, ["y"]), feed)
    feed["v"] = rand(2)
    with pytest.raises(GeError, match="'mode' is 'plain'"):
        ours(
            model([node("Momentum", list(feed), ["y", "z"], TRAINING, mode="plain", alpha=1.0, beta=1.0)], feed, ["y", "z"]),
            feed,
        )


# ---- layers with a state ----


def attention_feed(batch=2, length=5, q=4, kv=2, keys=3, values=6, dtype=np.float32):
    return {
        "q": rand(batch, length, q * keys, dtype=dtype), "k": rand(batch, length, kv * keys, dtype=dtype, seed=1),
        "v": rand(batch, length, kv * values, dtype=dtype, seed=2), "s": rand(batch, kv, keys, values, dtype=dtype, seed=3),
        "d": -np.abs(rand(batch, length, kv, dtype=dtype, seed=4)), "b": np.abs(rand(batch, length, 1, dtype=dtype, seed=5)),
    }  # fmt: skip


@pytest.mark.isa
@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize("open_dims", [True, False])
def test_linear_attention(rule, past, open_dims):
    feed = attention_feed()
    if rule == "gated":
        feed["d"] = -np.abs(rand(2, 5, 6, seed=9))  # for each key
    if rule == "delta":
        feed["b"] = np.abs(rand(2, 5, 2, seed=9))  # for each head
    names = ["q", "k", "v", "s" if past else "", "d" if "gated" in rule else "", "b" if "delta" in rule else ""]
    feed = {k: v for k, v in feed.items() if k in names}
    n = node("LinearAttention", names, ["y", "z"], "", q_num_heads=4, kv_num_heads=2, update_rule=rule, scale=0.7)
    m = model([n], feed, ["y", "z"], 27, open_dims=open_dims)
    same(ours(m, feed), reference(m, feed), 1e-4)


def test_linear_attention_goes_on_where_it_stopped():
    feed = attention_feed(length=6)
    n = node("LinearAttention", ["q", "k", "v", "s", "d", "b"], ["y", "z"], "", q_num_heads=4, kv_num_heads=2)
    loaded = ge.load(model([n], feed, ["y", "z"], 27, open_dims=True).SerializeToString())
    whole = loaded.run(feed)
    state, parts = feed["s"], []
    for at in range(6):
        step = loaded.run({k: state if k == "s" else np.ascontiguousarray(v[:, at : at + 1]) for k, v in feed.items()})
        parts.append(step["y"])
        state = step["z"]
    np.testing.assert_allclose(np.concatenate(parts, 1), whole["y"], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(state, whole["z"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("attrs", "names", "text"),
    [
        ({"q_num_heads": 3}, ["q", "k", "v", "s", "d", "b"], "3 query heads do not divide into 2 key heads"),
        ({"update_rule": "sum"}, ["q", "k", "v"], "'update_rule' is 'sum'"),
        ({"update_rule": "linear"}, ["q", "k", "v", "", "d"], "takes no decay"),
        ({}, ["q", "k", "v", "s", "d"], "needs beta"),
        ({}, ["q", "k", "v", "s", "b", "b"], "decay has shape"),
        ({}, ["q", "q", "v", "s", "d", "b"], "key has shape"),
    ],
)
def test_linear_attention_that_is_refused(attrs, names, text):
    feed = {k: v for k, v in attention_feed().items() if k in names}
    n = node("LinearAttention", names, ["y", "z"], "", **{"q_num_heads": 4, "kv_num_heads": 2, **attrs})
    with pytest.raises(GeError, match=text):
        ours(model([n], feed, ["y", "z"], 27), feed)


@pytest.mark.isa
@pytest.mark.parametrize("kernel", [1, 4])
@pytest.mark.parametrize(("past", "bias"), [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("activation", ["none", "silu"])
@pytest.mark.parametrize("open_dims", [True, False])
def test_causal_convolution(kernel, past, bias, activation, open_dims):
    feed = {"x": rand(2, 3, 5), "w": rand(3, 1, kernel, seed=1), "b": rand(3, seed=2), "s": rand(2, 3, kernel - 1, seed=3)}
    names = ["x", "w", "b" if bias else "", "s" if past else ""]
    feed = {k: v for k, v in feed.items() if k in names}
    m = model([node("CausalConvWithState", names, ["y", "z"], "", activation=activation)], feed, ["y", "z"], 27)
    if open_dims:
        for dim, name in zip(m.graph.input[0].type.tensor_type.shape.dim, "bcl"):
            dim.dim_param = name
    same(ours(m, feed), reference(m, feed), 1e-4)


@pytest.mark.isa
@pytest.mark.parametrize("heads", [(4, 4), (4, 2), (4, 1)])
def test_flex_attention(heads):
    def graph(name, op, number):
        c = numpy_helper.from_array(np.array(number, np.float32), "c")
        values = [helper.make_tensor_value_info(n, F, ["a", "b", "c", "d"]) for n in ("in", "out")]
        return helper.make_graph([helper.make_node(op, ["in", "c"], ["out"])], name, values[:1], values[1:], [c])

    feed = {"q": rand(2, heads[0], 3, 8), "k": rand(2, heads[1], 5, 8, seed=1), "v": rand(2, heads[1], 5, 6, seed=2)}
    for attrs in ({}, {"scale": 0.3}, {"score_mod": graph("s", "Min", 0.2), "prob_mod": graph("p", "Mul", 2.0)}):
        m = model([node("FlexAttention", ["q", "k", "v"], ["y"], PREVIEW, **attrs)], feed, ["y"], 26)
        q, k, v = (feed[n].astype(float) for n in "qkv")
        k, v = (np.repeat(x, heads[0] // heads[1], 1) for x in (k, v))
        scores = q @ k.swapaxes(2, 3) * attrs.get("scale", 8**-0.5)
        if "score_mod" in attrs:
            scores = np.minimum(scores, 0.2)
        weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True) * (2 if "prob_mod" in attrs else 1)
        same(ours(m, feed), [(weights @ v).astype(np.float32)])


# ---- Scan as it was at first ----


def test_scan_of_opset_8():
    body = helper.make_graph(
        [helper.make_node("Add", ["sum", "next"], ["total"]), helper.make_node("Mul", ["total", "next"], ["out"])],
        "body",
        [helper.make_tensor_value_info(n, F, [2]) for n in ("sum", "next")],
        [helper.make_tensor_value_info(n, F, [2]) for n in ("total", "out")],
    )
    feed = {"a": rand(3, 2), "x": rand(3, 4, 2)}
    for direction in (0, 1):
        n = helper.make_node("Scan", ["", "a", "x"], ["y", "z"], num_scan_inputs=1, body=body, directions=[direction])
        m = model([n], feed, ["y", "z"], 8)
        x = feed["x"][:, ::-1] if direction else feed["x"]
        totals = feed["a"][:, None] + np.cumsum(x, 1)
        same(ours(m, feed), [totals[:, -1], totals * x])
