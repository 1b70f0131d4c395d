"""Attention operators of ONNX Runtime's own domain, against ONNX Runtime."""

import numpy as np
import pytest
from contrib_kit import F, both, model_of, node, ours, rand, same, theirs

import ge

INT32 = np.int32


def masks(batch, past, length):
    """A padding mask in each of its forms."""
    total = past + length
    ends = np.array([total - i for i in range(batch)], INT32)
    two = (np.arange(total)[None] < ends[:, None]).astype(INT32)
    three = np.repeat(two[:, None], length, 1) * np.tril(np.ones((length, total), INT32), past)
    forms = {"2d": two, "3d": three.astype(INT32)}
    if past == 0:
        starts = np.array([i % 2 for i in range(batch)], INT32)
        forms |= {"1d": ends, "ends-starts": np.concatenate([ends, starts])}
    return forms


@pytest.mark.parametrize("form", ["2d", "3d", "1d", None])
@pytest.mark.parametrize("past", [0, 3])
@pytest.mark.parametrize("unidirectional", [0, 1])
@pytest.mark.parametrize("open_dims", [False, True])
def test_multi_head_attention(form, past, unidirectional, open_dims):
    batch, length, heads, size = 2, 5, 3, 8
    hidden = heads * size
    feed = {name: rand(batch, length, hidden, seed=i) for i, name in enumerate("qkv")}
    feed["bias"] = rand(3 * hidden, seed=9)
    names = ["q", "k", "v", "bias", None, None, None, None]
    if form:
        mask = masks(batch, past, length).get(form)
        if mask is None:
            pytest.skip("this form is for attention without a past")
        feed["mask"] = mask
        names[4] = "mask"
    outputs = {"y": F}
    if past:
        feed["past_k"], feed["past_v"] = rand(batch, heads, past, size, seed=5), rand(batch, heads, past, size, seed=6)
        names[6:8] = "past_k", "past_v"
        outputs |= {"present_k": F, "present_v": F}
    same(
        *both(
            "MultiHeadAttention",
            feed,
            names,
            outputs,
            open_dims=open_dims,
            constants=("bias",),
            num_heads=heads,
            unidirectional=unidirectional,
        )
    )


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 3), (2, 3)])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_multi_head_attention_with_a_bias_of_the_scores_and_other_extents(shape, scale):
    batch, length, keys, heads, size, value_size = 2, 4, 7, 3, 8, 5
    feed = {
        "q": rand(batch, length, heads * size),
        "k": rand(batch, keys, heads * size, seed=1),
        "v": rand(batch, keys, heads * value_size, seed=2),
        "scores": rand(*shape, length, keys, seed=3),
    }
    attrs = {} if scale is None else {"scale": scale}
    same(*both("MultiHeadAttention", feed, ["q", "k", "v", None, None, "scores"], {"y": F}, num_heads=heads, **attrs))


def test_multi_head_attention_of_keys_that_are_cached():
    batch, length, keys, heads, size = 2, 1, 6, 2, 4
    feed = {
        "q": rand(batch, length, heads * size),
        "k": rand(batch, heads, keys, size, seed=1),
        "v": rand(batch, heads, keys, size, seed=2),
    }
    same(*both("MultiHeadAttention", feed, ["q", "k", "v"], {"y": F}, num_heads=heads))


def attention(q, k, v, allowed=None):
    """[batch, heads, length, size] in double precision."""
    scores = q.astype(float) @ k.astype(float).swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)) @ v.astype(float)


def joined(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def test_multi_head_attention_of_packed_operands():
    # ONNX Runtime packs for GPUs only.
    batch, length, heads, size = 2, 5, 3, 4
    qkv = rand(batch, length, heads, 3, size)
    m = model_of([node("MultiHeadAttention", ["qkv"], ["y"], num_heads=heads)], {"qkv": qkv}, {"y": F})
    q, k, v = (qkv[:, :, :, i].swapaxes(1, 2) for i in range(3))
    np.testing.assert_allclose(ours(m, {"qkv": qkv})["y"], joined(attention(q, k, v)), rtol=2e-5, atol=2e-5)
    feed = {"q": rand(batch, 2, heads * size, seed=1), "kv": rand(batch, length, heads, 2, size, seed=2)}
    m = model_of([node("MultiHeadAttention", ["q", "kv"], ["y"], num_heads=heads)], feed, {"y": F})
    q = feed["q"].reshape(batch, 2, heads, size).swapaxes(1, 2)
    k, v = (feed["kv"][:, :, :, i].swapaxes(1, 2) for i in range(2))
    np.testing.assert_allclose(ours(m, feed)["y"], joined(attention(q, k, v)), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("form", ["2d", "3d", "1d", "ends-starts", None])
@pytest.mark.parametrize("past", [0, 4])
@pytest.mark.parametrize("unidirectional", [0, 1])
def test_attention_with_merged_weights(form, past, unidirectional):
    batch, length, heads, size, width = 2, 5, 3, 8, 20
    hidden = heads * size
    feed = {"x": rand(batch, length, width), "w": rand(width, 3 * hidden, seed=1) / 4, "b": rand(3 * hidden, seed=2)}
    names, outputs = ["x", "w", "b", None, None], {"y": F}
    if form:
        mask = masks(batch, past, length).get(form)
        if mask is None:
            pytest.skip("this form is for attention without a past")
        feed["mask"] = mask
        names[3] = "mask"
    if past:
        feed["past"] = rand(2, batch, heads, past, size, seed=3)
        names[4] = "past"
        outputs |= {"present": F}
    got, want = both(
        "Attention",
        feed,
        names,
        outputs,
        constants=("w", "b"),
        num_heads=heads,
        unidirectional=unidirectional,
    )
    if form == "ends-starts" and unidirectional:  # rows that see nothing but padding are nobody's
        got["y"], want["y"] = got["y"][:, 1:], want["y"][:, 1:]
    same(got, want)


def test_attention_with_values_of_another_size_and_a_bias_of_the_scores():
    batch, length, heads, width, sizes = 2, 6, 2, 12, [16, 16, 10]
    feed = {
        "x": rand(batch, length, width),
        "w": rand(width, sum(sizes), seed=1) / 4,
        "b": rand(sum(sizes), seed=2),
        "scores": rand(1, heads, length, length, seed=3),
    }
    names = ["x", "w", "b", None, None, "scores"]
    got, want = both(
        "Attention", feed, names, {"y": F}, constants=("w", "b"), num_heads=heads, qkv_hidden_sizes=sizes, scale=0.4
    )
    same(got, want)


GROUPED = ["q", "k", "v", "past_k", "past_v", "seqlens", "total", "cos", "sin", "ids", "bias", "sink"]


def grouped(case, **attrs):
    """Feed and names of a GroupQueryAttention. `case`: batch, length, past, heads, kv_heads, size, and what else."""
    batch, length, past, heads, kv_heads, size = (case[n] for n in ("batch", "length", "past", "heads", "kv_heads", "size"))
    total = past + length
    feed = {
        "q": rand(batch, length, heads * size),
        "k": rand(batch, length, kv_heads * size, seed=1),
        "v": rand(batch, length, kv_heads * size, seed=2),
        "seqlens": np.asarray(case.get("seqlens", [total - 1] * batch), INT32),
        "total": np.array(total, INT32),
    }
    if case.get("packed"):
        feed["q"] = np.concatenate([feed["q"], feed.pop("k"), feed.pop("v")], -1)
    if "buffer" in case or past:
        extent = case.get("buffer", past)
        feed["past_k"], feed["past_v"] = (rand(batch, kv_heads, extent, size, seed=i) for i in (3, 4))
    if case.get("rotary"):
        angles = rand(64, case["rotary"], seed=5)
        feed |= {"cos": np.cos(angles), "sin": np.sin(angles)}
    if case.get("ids"):
        feed["ids"] = np.arange(past, total, dtype=np.int64)[None].repeat(batch, 0)
    if "bias" in case:
        feed["bias"] = rand(*case["bias"], length, total, seed=6)
    if case.get("sink"):
        feed["sink"] = rand(heads, seed=7)
    attrs |= {"num_heads": heads, "kv_num_heads": kv_heads}
    if case.get("rotary"):
        attrs["do_rotary"] = 1
    return feed, [n if n in feed else None for n in GROUPED], attrs


def compare_grouped(case, open_dims=False, constants=(), **attrs):
    feed, names, attrs = grouped(case, **attrs)
    outputs = {"y": F, "present_k": F, "present_v": F}
    m = model_of([node("GroupQueryAttention", names, list(outputs), **attrs)], feed, outputs, constants, open_dims)
    got, want = ours(m, feed), theirs(m, feed)
    after = feed["seqlens"] + 1
    for b, rows in enumerate(after):  # what comes behind is nobody's
        for name in ("present_k", "present_v"):
            assert got[name].shape == want[name].shape
            np.testing.assert_array_equal(got[name][b, :, :rows], want[name][b, :, :rows]) if not case.get(
                "rotary"
            ) else np.testing.assert_allclose(got[name][b, :, :rows], want[name][b, :, :rows], rtol=1e-5, atol=1e-5)
        valid = min(case["length"], rows)
        np.testing.assert_allclose(got["y"][b, :valid], want["y"][b, :valid], rtol=3e-5, atol=3e-5)


SMALL = {"batch": 1, "length": 1, "past": 7, "heads": 4, "kv_heads": 2, "size": 16}
PROMPT = SMALL | {"length": 6, "past": 0}
CASES = {
    "decode": SMALL,
    "decode-rotary": SMALL | {"rotary": 8},
    "decode-rotary-part": SMALL | {"rotary": 8, "size": 32},
    "decode-ids": SMALL | {"rotary": 8, "ids": True},
    "decode-buffer": SMALL | {"buffer": 20},
    "decode-buffer-rotary": SMALL | {"buffer": 20, "rotary": 8},
    "decode-packed": SMALL | {"packed": True, "rotary": 8},
    "decode-batch": SMALL | {"batch": 3, "buffer": 12, "seqlens": [7, 3, 5], "rotary": 8},
    "decode-bias": SMALL | {"bias": (1, 4)},
    "decode-sink": SMALL | {"sink": True},
    "prompt": PROMPT,
    "prompt-rotary": PROMPT | {"rotary": 8},
    "prompt-buffer": PROMPT | {"buffer": 20, "rotary": 8},
    "prompt-batch": PROMPT | {"batch": 3, "seqlens": [5, 2, 4], "rotary": 8},
    "prompt-packed": PROMPT | {"packed": True, "batch": 2},
    "prompt-bias": PROMPT | {"batch": 2, "bias": (2, 1)},
    "prompt-sink": PROMPT | {"sink": True},
    "chunk": PROMPT | {"past": 5, "rotary": 8},
    "chunk-buffer": PROMPT | {"past": 5, "buffer": 32, "bias": (1, 1)},
    "long": SMALL | {"length": 40, "past": 0, "heads": 6, "kv_heads": 1},
}


@pytest.mark.parametrize("case", CASES, ids=CASES)
@pytest.mark.parametrize("attrs", [{}, {"local_window_size": 4}, {"softcap": 1.5}, {"smooth_softmax": 1, "scale": 0.2}])
def test_grouped_queries(case, attrs):
    if "sink" in CASES[case] and "smooth_softmax" in attrs:
        pytest.skip("a sink and smooth_softmax exclude one another")
    compare_grouped(CASES[case], **attrs)


@pytest.mark.parametrize("case", ["decode-rotary", "decode-buffer-rotary", "prompt-rotary", "decode-batch"])
@pytest.mark.parametrize("constants", [(), ("total",)])
def test_grouped_queries_whose_extents_a_run_tells(case, constants):
    compare_grouped(CASES[case], open_dims=True, constants=constants)


def test_grouped_queries_turned_in_pairs():
    compare_grouped(CASES["decode-rotary"], rotary_interleaved=1)
    compare_grouped(CASES["prompt-batch"], rotary_interleaved=1)


@pytest.mark.parametrize("heads", [0, 3])
@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("flat", [True, False])
def test_rotary_embedding(heads, interleaved, offset, flat):
    batch, length, size, count = 2, 5, 8, 3
    if heads and not flat:
        pytest.skip("the shape tells the heads")
    x = rand(batch, length, count * size) if flat else rand(batch, count, length, size)
    angles = rand(32, size // 2, seed=1)
    ids = np.array([4]) if offset else np.array([[0, 1, 2, 3, 4], [7, 8, 9, 11, 10]])
    feed = {"x": x, "ids": ids, "cos": np.cos(angles), "sin": np.sin(angles)}
    attrs = {"num_heads": heads} if heads else {}
    names = ["x", "ids", "cos", "sin"]
    same(*both("RotaryEmbedding", feed, names, {"y": F}, constants=("cos", "sin"), interleaved=interleaved, **attrs))


def test_rotary_embedding_of_a_part_of_each_head():
    batch, length, heads, size, part = 2, 4, 3, 16, 6
    angles = rand(32, part // 2, seed=1)
    feed = {"x": rand(batch, length, heads * size), "ids": np.array([2]), "cos": np.cos(angles), "sin": np.sin(angles)}
    names = ["x", "ids", "cos", "sin"]
    same(*both("RotaryEmbedding", feed, names, {"y": F}, num_heads=heads, rotary_embedding_dim=part))


def refused(kind, feed, names, outputs=("y",), **attrs):
    m = model_of([node(kind, names, list(outputs), **attrs)], feed, {o: F for o in outputs})
    with pytest.raises(Exception) as error:
        ge.load(m.SerializeToString()).run(feed)
    return str(error.value)


def test_bad_input_is_named():
    q = {"q": rand(1, 2, 12), "k": rand(1, 2, 12, seed=1), "v": rand(1, 2, 12, seed=2)}
    assert "12 features, which 5 heads do not divide" in refused("MultiHeadAttention", q, list("qkv"), num_heads=5)
    assert "num_heads' is 0" in refused("MultiHeadAttention", q, list("qkv"), num_heads=0)
    assert "rank 2" in refused("MultiHeadAttention", q | {"q": rand(2, 12)}, list("qkv"), num_heads=3)
    assert "differs: 4 and 3" in refused("MultiHeadAttention", q | {"k": rand(1, 2, 9)}, list("qkv"), num_heads=3)
    assert "mask" in refused("MultiHeadAttention", q | {"m": np.ones((1, 9), INT32)}, ["q", "k", "v", None, "m"], num_heads=3)
    x = {"x": rand(1, 2, 6), "w": rand(6, 20)}
    assert "do not divide by 3" in refused("Attention", x, ["x", "w"], num_heads=2)
    assert "add up to 24" in refused("Attention", x, ["x", "w"], num_heads=2, qkv_hidden_sizes=[8, 8, 8])
    case = SMALL | {"heads": 3}
    feed, names, attrs = grouped(case)
    assert "3 heads of query do not divide among 2" in refused("GroupQueryAttention", feed, names, **attrs)


def test_a_cache_without_room_is_named():
    case = SMALL | {"buffer": 8, "seqlens": [11]}
    feed, names, attrs = grouped(case)
    text = refused("GroupQueryAttention", feed, names, ("y", "pk", "pv"), **attrs)
    assert "lengths[0] is 12" in text and "room for 8" in text
