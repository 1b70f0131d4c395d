"""Reference kernels of packed sequences, texts, trees, labels, determinants and recurrent attention."""

import re

import numpy as np
import pytest
from engine_harness import EngineError
from engine_oracles import close, draw

ANY = (-1,)  # a shape that the kernel tells


def pack(elements, dtype=np.float32):
    rows = np.ones((len(elements), 8), np.int64)
    for row, x in zip(rows, elements):
        row[0] = x.ndim
        row[1 : 1 + x.ndim] = x.shape
    return np.concatenate([np.zeros(0, dtype), *(x.reshape(-1) for x in elements)]).astype(dtype), rows


def same(got, elements, dtype=np.float32):
    for a, b in zip(got, pack(elements, dtype)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.int64, np.bool_, np.complex64])
def test_sequences(cpu, dtype):
    x = [(draw(s) * 5).astype(dtype) for s in [(2, 3), (), (4,), (0, 2)]]
    values, rows = pack(x, dtype)
    same(cpu.run("SequencePack", x, {}, [(values.shape, dtype), (rows.shape, np.int64)]), x, dtype)
    new = (draw((3, 2)) * 5).astype(dtype)
    for at in (0, 2, 4, -1, -4, None):
        place = None if at is None else np.array(at, np.int32)
        want = list(x)
        want.insert(4 if at is None else at, new)
        outputs = [((values.size + 6,), dtype), ((5, 8), np.int64)]
        same(cpu.run("SequenceInsert", [values, rows, new, place], {}, outputs), want, dtype)
    for at in (0, 3, -1, -4, None):
        place = None if at is None else np.array(at, np.int64)
        want = list(x)
        want.pop(-1 if at is None else at)
        same(cpu.run("SequenceErase", [values, rows, place], {}, [(ANY, dtype), ((3, 8), np.int64)]), want, dtype)
        if at is not None:
            np.testing.assert_array_equal(cpu("SequenceAt", [values, rows, place], {}, (ANY, dtype)), x[at])
    for there in (True, False):
        inputs = [np.array(there), new]
        if there:
            np.testing.assert_array_equal(cpu("OptionalGet", inputs, {}, (new.shape, dtype)), new)
        else:
            with pytest.raises(EngineError, match="the optional value is empty"):
                cpu("OptionalGet", inputs, {}, (new.shape, dtype))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sequences_are_cut_and_joined(cpu, axis):
    x = draw((4, 6, 2))
    extent = x.shape[axis]
    out = [(ANY, np.float32), ((-1, 8), np.int64)]
    for split in (None, np.array(1), np.array(3), np.array([1, extent - 1]), np.array([0, extent], np.int32)):
        bounds = range(1, extent) if split is None else range(int(split), extent, int(split)) if split.ndim == 0 else split[:1]
        want = np.split(x, bounds, axis)
        attrs = {"axis": axis, "keep_dims": True}
        same(got := cpu.run("SequenceSplit", [x, split], attrs, out), want)
        np.testing.assert_array_equal(cpu("SequenceConcat", got, {"axis": axis}, (ANY, np.float32)), x)
    got = cpu.run("SequenceSplit", [x, None], {"axis": axis, "keep_dims": False}, out)
    same(got, [p.squeeze(axis) for p in np.split(x, extent, axis)])
    np.testing.assert_array_equal(cpu("SequenceConcat", got, {"axis": axis, "new_axis": True}, (ANY, np.float32)), x)


@pytest.mark.parametrize("sequences", [1, 2, 5])
def test_common_lengths(cpu, sequences):
    for length in (0, 1, 3):
        rows = [np.ones((length, 8), np.int64)] * sequences
        assert cpu("SequenceCommonLength", rows, {}, ((), np.int64)) == length


def test_sequences_that_are_refused(cpu):
    values, rows = pack([draw((2, 3)), draw((3, 2))])
    one = ((-1,), np.float32)
    for at in (2, -3):
        with pytest.raises(EngineError, match=f"position {at} is out of range for a sequence of 2 tensors"):
            cpu("SequenceAt", [values, rows, np.array(at)], {}, one)
    with pytest.raises(EngineError, match=r"element 1 has shape \[3,2\], element 0 has \[2,3\]"):
        cpu("SequenceConcat", [values, rows], {"axis": 0}, one)
    with pytest.raises(EngineError, match="the sequence is empty"):
        cpu("SequenceConcat", [values[:0], rows[:0]], {"axis": 0}, one)
    for place, number, why in [
        (0, 9, "rank 9"),
        (0, -1, "rank -1"),
        (1, 2**62, "has shape"),
        (1, -2, "has shape"),
        (1, 4, "values"),
    ]:
        bad = rows.copy()
        bad[0, place] = number
        with pytest.raises(EngineError, match=why):
            cpu("SequenceAt", [values, bad, np.array(1)], {}, one)
    empty = np.ones((3, 8), np.int64)
    for extents in ((0, -5), (0, 2**62, 4), (-1, 0)):  # behind an extent of 0, too
        empty[0, : len(extents) + 1] = [len(extents), *extents]
        for at in (0, 1):
            with pytest.raises(EngineError, match="element 0 has shape"):
                cpu("SequenceAt", [values[:2], empty, np.array(at)], {}, one)
    empty[:, :3] = 2, 0, 2**62  # together more than 2^63 rows
    with pytest.raises(EngineError, match="elements 0 to 1 have more than 9223372036854775807 rows along axis 1"):
        cpu("SequenceConcat", [values[:0], empty], {"axis": 1}, one)
    with pytest.raises(EngineError, match="sequence 2 has 2 tensors, sequence 0 has 3"):
        cpu("SequenceCommonLength", [empty, empty, rows], {}, ((), np.int64))
    with pytest.raises(EngineError, match="shapes1 has shape"):
        cpu("SequenceCommonLength", [empty, empty[:, :7]], {}, ((), np.int64))
    for split, why in [(np.array(0), "extent 0"), (np.array([1, 2]), "pieces have 3"), (np.array([5, -1]), "extent 5")]:
        with pytest.raises(EngineError, match=why):
            cpu.run("SequenceSplit", [draw((4, 2)), split], {"axis": 0}, [one, ((-1, 8), np.int64)])


# ---- texts ----


def encode(texts):
    texts = np.asarray(texts, object)
    places, content = np.empty(texts.shape, np.int64), b""
    for index, text in np.ndenumerate(texts):
        raw = text.encode()
        places[index] = len(content)
        content += len(raw).to_bytes(8, "little") + raw
    return [places, np.frombuffer(content, np.uint8)]


def decode(places, content):
    raw = content.tobytes()
    texts = np.empty(places.shape, object)
    for index, at in np.ndenumerate(places):
        texts[index] = raw[at + 8 : at + 8 + int.from_bytes(raw[at : at + 8], "little")].decode()
    return texts.tolist()


WORDS = ["", "a", "Ähre", "日本 x", "b,c,,", "  two words "]
TEXT = [(ANY, np.int64), (ANY, np.uint8)]


def test_texts_are_joined_and_compared(cpu):
    a, b = np.array(WORDS, object).reshape(2, 3), np.array(["a", "", "日本 x"], object)
    inputs = [*encode(a), *encode(b)]
    assert decode(*cpu.run("TextConcat", inputs, {}, TEXT)) == (a + b).tolist()
    np.testing.assert_array_equal(cpu("TextEqual", inputs, {}, ((2, 3), np.bool_)), a == b)
    with pytest.raises(EngineError, match="do not broadcast"):
        cpu("TextEqual", [*encode(a), *encode(["a", "b"])], {}, ((2, 3), np.bool_))


def test_texts_are_found(cpu):
    got = cpu("TextFind", encode(WORDS), {"keys": ["a", "日本 x", "", "a"]}, ((6,), np.int64))
    np.testing.assert_array_equal(got, [2, 3, -1, 1, -1, -1])


def test_texts_are_cut(cpu):
    for delimiter in ("", ",", "日"):
        want = [w.split(delimiter or None) for w in WORDS]
        width = max(map(len, want))
        out = [*TEXT, ((6,), np.int64)]
        places, content, counts = cpu.run("TextSplit", encode(WORDS), {"delimiter": delimiter}, out)
        assert decode(places, content) == [w + [""] * (width - len(w)) for w in want]
        np.testing.assert_array_equal(counts, [len(w) for w in want])


def test_texts_are_normalised(cpu):
    attrs = {"case_change": "UPPER", "case_sensitive": False, "stop_words": ["A", "ähre"]}
    assert decode(*cpu.run("TextNormalize", encode(WORDS), attrs, TEXT)) == [w.upper() for w in [WORDS[0], *WORDS[3:]]]
    attrs = {"case_change": "LOWER", "case_sensitive": True, "stop_words": ["A"]}
    assert decode(*cpu.run("TextNormalize", encode([WORDS]), attrs, TEXT)) == [[w.lower() for w in WORDS]]
    with pytest.raises(EngineError, match="case_change is 'TITLE'"):
        cpu.run("TextNormalize", encode(WORDS), {"case_change": "TITLE"}, TEXT)


def test_letters_have_the_case_that_python_gives_them(cpu):
    letters = [chr(c) for c in [*range(0x20, 0x530), *range(0x531, 0x588)] if not 0xD800 <= c < 0xE000]
    wrong = {"İ", "ŉ", "ǰ", "ΐ", "ΰ", "և", "ß"}  # of two letters in the other case
    for case, change in (("LOWER", str.lower), ("UPPER", str.upper)):
        got = decode(*cpu.run("TextNormalize", encode(letters), {"case_change": case}, TEXT))
        for letter, mine in zip(letters, got):
            scripts = letter.isascii() or letter in "àéîõüÀÉÎÕÜçÇñÑåÅøØœŒšŠžŽłŁαΑωΩσΣάΆέΈόΌύΎώΏжЖяЯёЁіІґҐаАЀѐաԱֆՖ"
            if scripts and letter not in wrong:
                assert mine == change(letter), letter


@pytest.mark.parametrize("pattern", ["a*", r"\s*\w+ \w+\s*", "[^,]*(,[^,]*){3}", "Ähre|日本.x"])
def test_texts_are_matched(cpu, pattern):
    got = cpu("TextFullMatch", encode(WORDS), {"pattern": pattern}, ((6,), np.bool_))
    np.testing.assert_array_equal(got, [re.fullmatch(pattern, w, re.ASCII) is not None for w in WORDS])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int8, np.uint8, np.int64, np.uint64, np.bool_])
def test_numbers_become_texts_and_back(cpu, dtype):
    x = (draw((2, 5)) * 50).astype(dtype)
    if np.dtype(dtype).kind in "iu":
        x[0, :2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    texts = cpu.run("TextOfNumbers", [x], {}, TEXT)
    codes = {"float32": 0, "float16": 1, "int8": 2, "uint8": 4, "int64": 9, "uint64": 10, "float64": 11, "bool": 12}
    back = cpu("NumbersOfText", list(texts), {"dst_type": codes[np.dtype(dtype).name]}, (x.shape, dtype))
    close(back, x)
    for bad in ("", "x", "1 ", "0x10", "1,5", *(["9" * 70] if np.dtype(dtype).kind in "iu" else ["nan(1)"])):
        with pytest.raises(EngineError, match="is no "):
            cpu("NumbersOfText", encode([bad]), {"dst_type": codes[np.dtype(dtype).name]}, ((1,), dtype))


# ---- models ----


def test_trees(cpu):
    x = draw((9, 3))
    x[0, 0] = np.nan
    roots, nodes = np.array([0, -1], np.int32), np.array([[0, 0, 1, -2, 1, 0, 0], [6, 2, -3, -1, 0, 0, 2]], np.int32)
    splits, members = np.array([0.25, 0], np.float32), np.array([x[0, 2], x[3, 2]], np.float32)
    leaves, targets = np.array([[0, 1], [1, 3], [3, 4]], np.int32), np.array([0, 0, 1, 1], np.int32)
    weights = np.array([1, 2, 4, 8], np.float32)

    def leaf(row):
        if row[0] <= 0.25 or np.isnan(row[0]):
            return 2 if row[2] in members else 0
        return 1

    want = np.zeros((9, 2))
    for y, row in zip(want, x):
        for at in (leaf(row), 0):
            for i in range(*leaves[at]):
                y[targets[i]] += weights[i]
    inputs = [x, roots, nodes, splits, members, leaves, targets, weights]
    close(cpu("TreeEnsemble", inputs, {"target_count": 2}, ((9, 2), np.float32)), want.astype(np.float32))
    got = cpu("TreeEnsemble", inputs, {"target_count": 2, "aggregate": 0}, ((9, 2), np.float32))
    close(got, (want / 2).astype(np.float32))
    for i, at, number, why in [(1, 0, 2, "a root is 2"), (2, (0, 0), 7, "a comparison is 7"), (2, (0, 2), 0, "from itself"),
                               (5, (0, 1), 9, "a last weight is 9"), (6, 0, 2, "a target is 2"),
                               (2, (1, 6), 3, "a last member is 3")]:  # fmt: skip
        bad = [a.copy() for a in inputs]
        bad[i][at] = number
        with pytest.raises(EngineError, match=why):
            cpu("TreeEnsemble", bad, {"target_count": 2}, ((9, 2), np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.uint64])
def test_keys(cpu, dtype):
    x = (draw((4, 5)) * 3).astype(dtype)
    keys = np.array([x[0, 0], x[1, 1], x[0, 0], 100], dtype)
    if np.dtype(dtype).kind == "f":
        keys[3] = x[2, 2] = np.nan
    want = [[max((i for i, k in enumerate(keys) if k == v or (k != k and v != v)), default=-1) for v in row] for row in x]
    np.testing.assert_array_equal(cpu("FindKeys", [x, keys], {}, (x.shape, np.int64)), want)


def test_probabilities_of_pairs(cpu):
    """Those that come of a ranking are found again."""
    p = np.array([[0.5, 0.3, 0.2], [0.9, 0.05, 0.05]])
    pairs = np.stack([p[:, i] / (p[:, i] + p[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))], 1).astype(np.float32)
    got = cpu("CoupleProbabilities", [pairs], {"classes": 3}, ((2, 3), np.float32))
    np.testing.assert_allclose(got, p, atol=0.01)
    np.testing.assert_allclose(got.sum(1), 1, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_determinants(cpu, dtype):
    for shape in [(3, 3), (2, 4, 5, 5), (0, 0)]:
        x = draw(shape, dtype=dtype) if 0 not in shape else np.zeros(shape, dtype)
        got = cpu("MatrixDeterminant", [x], {}, (shape[:-2], dtype))
        np.testing.assert_allclose(got, np.linalg.det(x), rtol=1e-3)


def test_ngrams(cpu):
    x = np.array([[1, 1, 3, 3, 3, 7], [8, 6, 7, 5, 6, 8]], np.int32)
    attrs = {"max_gram_length": 2, "max_skip_count": 5, "min_gram_length": 1, "mode": "TF", "ngram_counts": [0, 4],
             "ngram_indexes": [0, 1, 2, 3, 4, 5, 6], "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7]}  # fmt: skip
    want = np.array([[0, 3, 0, 0, 0, 0, 0], [0, 0, 1, 0, 1, 1, 1]], np.float32)  # the example of ONNX
    np.testing.assert_array_equal(cpu("TfIdfVectorizer", [x], attrs, ((2, 7), np.float32)), want)
    with pytest.raises(EngineError, match="more n-grams than the 2"):
        cpu("TfIdfVectorizer", [x], {**attrs, "ngram_indexes": [0, 6]}, ((2, 7), np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_linear_attention(cpu, dtype):
    q, k, v = (draw((2, 5, n), dtype=np.float32, seed=n).astype(dtype) for n in (12, 6, 8))
    decay, beta = -np.abs(draw((2, 5, 2))).astype(dtype), np.abs(draw((2, 5, 2), seed=3)).astype(dtype)
    state = draw((2, 2, 3, 4), seed=4).astype(np.float32)
    s, want = state.copy(), np.zeros((2, 5, 4, 4), np.float32)
    for t in range(5):
        kt, vt = k[:, t].reshape(2, 2, 3).astype(np.float32), v[:, t].reshape(2, 2, 4).astype(np.float32)
        s = s * np.exp(decay[:, t].astype(np.float32))[..., None, None]
        vt = beta[:, t].astype(np.float32)[..., None] * (vt - np.einsum("bhdm,bhd->bhm", s, kt))
        s = s + kt[..., None] * vt[..., None, :]
        qt = q[:, t].reshape(2, 4, 3).astype(np.float32)
        want[:, t] = np.einsum("bhd,bhdm->bhm", qt, np.repeat(s, 2, 1)) / np.sqrt(3)
    outputs = [((2, 5, 16), dtype), ((2, 2, 3, 4), np.float32)]
    got = cpu.run("LinearAttention", [q, k, v, state, decay, beta], {"q_num_heads": 4, "kv_num_heads": 2}, outputs)
    tolerance = 1e-4 if dtype == np.float32 else 5e-3
    np.testing.assert_allclose(got[0].astype(float), want.reshape(2, 5, 16), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(got[1], s, rtol=1e-4, atol=1e-4)
