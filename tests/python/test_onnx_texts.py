"""Texts in ONNX models: at the borders, moved, compared, cut, joined, matched and turned into numbers. The oracle is Python's
own text functions, NumPy, or ONNX Runtime."""

import os
import re
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge
from ge.error import GeError

S, F, I64, B = TensorProto.STRING, TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
ML = "ai.onnx.ml"


def tensor(name, elem=S, shape=None):
    return helper.make_tensor_value_info(name, elem, shape)


def texts(*values, shape=None):
    made = np.array(values, object)
    return made if shape is None else made.reshape(shape)


def model(nodes, inputs, outputs, constants=(), opset=21):
    made = [
        helper.make_tensor(name, S, value.shape, [t.encode() for t in value.reshape(-1)])
        if value.dtype == object
        else numpy_helper.from_array(value, name)
        for name, value in constants
    ]
    graph = helper.make_graph(nodes, "g", inputs, outputs, made)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(ML, 4)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def node(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs, outputs, **attrs)


def run(m, feed):
    return ge.load(m.SerializeToString()).run(feed)


def theirs(m, feed):
    return onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)


WORDS = ["", "a", "Ähre", "日本", "two words", "x" * 300, "emoji 🙂", "tail\n"]


@pytest.mark.parametrize("shape", [(8,), (2, 4), (2, 2, 2)])
def test_texts_go_in_and_out(shape):
    x = texts(*WORDS, shape=shape)
    m = model([node("Identity", ["x"], ["y"])], [tensor("x", S, shape)], [tensor("y", S, shape)])
    got = run(m, {"x": x})["y"]
    assert got.shape == shape and got.tolist() == x.tolist()
    again = run(m, {"x": x.astype(str)})["y"]
    assert again.tolist() == x.tolist()


def test_one_text_and_none():
    m = model([node("Identity", ["x"], ["y"])], [tensor("x", S, [])], [tensor("y", S, [])])
    assert run(m, {"x": np.array("one", object)})["y"].item() == "one"
    m = model([node("Identity", ["x"], ["y"])], [tensor("x", S, ["n"])], [tensor("y", S, ["n"])])
    assert run(m, {"x": np.empty(0, object)})["y"].shape == (0,)


def test_nothing_of_a_text_is_lost():
    """NULs at the end, bytes that are no UTF-8."""
    m = model([node("Identity", ["x"], ["y"])], [tensor("x", S, ["n"])], [tensor("y", S, ["n"])])
    loaded = ge.load(m.SerializeToString())
    given = ["a\0", "\0", "b\0\0", ""]
    for value in (given, tuple(given), np.array(given, object)):
        assert loaded.run({"x": value})["y"].tolist() == given
    assert loaded.run({"x": [b"a\0", b"\xff\xfe"]})["y"].tolist() == ["a\0", "\udcff\udcfe"]
    back = loaded.run({"x": loaded.run({"x": [b"\xff\xc0\x80"]})["y"]})["y"]
    assert back[0].encode(errors="surrogateescape") == b"\xff\xc0\x80"
    with pytest.raises(ValueError, match=r"input 'x': the text at \[1\] is no Unicode: surrogates not allowed at 1"):
        loaded.run({"x": ["a", "b\ud800"]})


def test_bytes_that_are_no_characters():
    """Over-long forms, surrogates and what lies above U+10FFFF: each byte is one of its own, which no letter's case touches."""
    bad = [b"\xc1\x81", b"\xe0\x81\x81", b"\xf0\x80\x81\x81", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"A\xc3"]
    nodes = [
        node("StringNormalizer", ["x"], ["l"], case_change_action="LOWER"),
        *(node("RegexFullMatch", ["x"], [f"m{n}"], pattern="[^x]" * n) for n in range(1, 5)),
    ]
    m = model(nodes, [tensor("x", S, ["n"])], [tensor("l"), *(tensor(f"m{n}", B) for n in range(1, 5))])
    got = run(m, {"x": bad})
    assert [t.encode(errors="surrogateescape") for t in got["l"]] == [t.replace(b"A", b"a") for t in bad]
    for n in range(1, 5):  # one step takes one byte
        assert got[f"m{n}"].tolist() == [len(t) == n for t in bad]


def test_constants_are_read_in_bodies():
    yes = helper.make_graph([node("StringConcat", ["x", "c"], ["a"])], "yes", [], [tensor("a")])
    deep = helper.make_graph([node("Identity", ["c"], ["e"])], "deep", [], [tensor("e")])
    no = helper.make_graph([node("If", ["f"], ["b"], then_branch=deep, else_branch=yes)], "no", [], [tensor("b")])
    body = helper.make_graph(
        [node("Identity", ["go"], ["still"]), node("StringConcat", ["v", "c"], ["w"])],
        "body",
        [tensor("i", I64, []), tensor("go", B, []), tensor("v")],
        [tensor("still", B, []), tensor("w")],
    )
    nodes = [
        node("If", ["f"], ["y"], then_branch=yes, else_branch=no),
        node("Loop", ["n", "", "x"], ["z"], body=body),
        node("Loop", ["two", "", "x"], ["u"], body=body),
    ]
    constants = [("c", texts("ä", "-")), ("two", np.array(2))]
    inputs = [tensor("f", B, []), tensor("n", I64, []), tensor("x", S, ["k"])]
    loaded = ge.load(model(nodes, inputs, [tensor("y"), tensor("z"), tensor("u")], constants).SerializeToString())
    for f in (True, False):
        got = loaded.run({"f": np.array(f), "n": np.array(3), "x": texts("1", "2")})
        assert got["y"].tolist() == ["1ä", "2-"]
        assert got["z"].tolist() == ["1äää", "2---"]
        assert got["u"].tolist() == ["1ää", "2--"]


@pytest.mark.parametrize("first", [True, False])
def test_names_of_tensors_are_those_of_no_other_value(first):
    """A text and a tensor that is called like the text's bytes, in either order."""
    nodes = [node("Identity", ["x"], ["y"]), node("Identity", ["x.bytes"], ["y.bytes"])]
    inputs, outputs = [tensor("x", S, [1]), tensor("x.bytes", F, [1])], [tensor("y", S, [1]), tensor("y.bytes", F, [1])]
    step = 1 if first else -1
    loaded = ge.load(model(nodes, inputs[::step], outputs[::step]).SerializeToString())
    got = loaded.run({"x": ["a"], "x.bytes": np.array([2], np.float32)})
    assert list(got) == ["y", "y.bytes"][::step]
    assert got["y"].tolist() == ["a"] and got["y.bytes"].tolist() == [2]
    names = [p.name for p in loaded._outputs]
    assert len(set(names)) == len(names) == 3


@pytest.mark.parametrize("op", ["ScatterElements", "ScatterND"])
def test_texts_are_put_but_not_reduced(op):
    def of(**attrs):
        indices = np.array([[2], [0]]) if op == "ScatterND" else np.array([2, 0])
        return model([node(op, ["x", "i", "u"], ["y"], **attrs)], [tensor("x", S, [3]), tensor("u", S, [2])], [tensor("y", S)],
                     [("i", indices)])  # fmt: skip

    feed = {"x": texts("a", "b", "c"), "u": texts("d", "e")}
    for attrs in ({}, {"reduction": "none"}):
        assert run(of(**attrs), feed)["y"].tolist() == ["e", "b", "d"]
    for reduction in ("add", "mul", "min", "max"):
        with pytest.raises(GeError, match=f"{op}.*attribute 'reduction' is '{reduction}', which texts do not have"):
            ge.load(of(reduction=reduction).SerializeToString())


def test_what_follows_an_unknown_node_is_no_problem():
    inner = helper.make_graph([node("SequenceAt", ["u", "i"], ["d"])], "yes", [], [tensor("d", F)])
    other = helper.make_graph([node("Identity", ["f"], ["e"])], "no", [], [tensor("e", F)])
    listed = helper.make_graph([node("Identity", ["u"], ["k"])], "yes", [], [tensor("k", F)])
    empty = helper.make_graph(
        [node("SequenceEmpty", [], ["l"])], "no", [], [helper.make_tensor_sequence_value_info("l", F, None)]
    )
    nodes = [
        helper.make_node("Nothing", ["x"], ["u"], domain="nowhere"),
        node("SequenceAt", ["u", "i"], ["a"]),
        node("RegexFullMatch", ["u"], ["b"], pattern="a"),
        node("StringConcat", ["u", "x"], ["c"]),
        node("If", ["g"], ["h"], then_branch=inner, else_branch=other),
        node("If", ["g"], ["m"], then_branch=listed, else_branch=empty),
    ]
    outputs = [tensor(n, F) for n in "abchm"]
    m = model(nodes, [tensor("x", S, [1]), tensor("i", I64, []), tensor("g", B, []), tensor("f", F, [1])], outputs)
    m.opset_import.append(helper.make_opsetid("nowhere", 1))
    with pytest.raises(GeError, match="1 problem in the ONNX model"):
        ge.load(m.SerializeToString())


def test_texts_are_moved_like_numbers():
    x = texts(*WORDS, shape=(2, 4))
    nodes = [
        node("Transpose", ["x"], ["t"], perm=[1, 0]),
        node("Reshape", ["t", "flat"], ["r"]),
        node("Gather", ["r", "some"], ["g"]),
        node("Concat", ["g", "more"], ["c"], axis=0),
        node("Slice", ["c", "from", "to"], ["s"]),
        node("Unsqueeze", ["s", "from"], ["u"]),
        node("Tile", ["u", "times"], ["y"]),
        node("Shape", ["y"], ["n"]),
        node("Where", ["flag", "s", "g"], ["w"]),
    ]
    constants = [
        ("flat", np.array([-1])),
        ("some", np.array([5, 0, -1])),
        ("more", texts("später", "")),
        ("from", np.array([1])),
        ("to", np.array([4])),
        ("times", np.array([1, 2])),
        ("flag", np.array([True, False, True])),
    ]
    m = model(nodes, [tensor("x", S, [2, 4])], [tensor("y"), tensor("n", I64), tensor("w")], constants)
    flat = x.T.reshape(-1)
    g = flat[[5, 0, -1]]
    s = np.concatenate([g, texts("später", "")])[1:4]
    got = run(m, {"x": x})
    want = np.tile(s[:, None], (1, 2))
    assert got["y"].tolist() == want.tolist()
    assert got["n"].tolist() == list(want.shape)
    assert got["w"].tolist() == np.where([True, False, True], s, g).tolist()


def test_texts_in_branches_and_loops():
    yes = helper.make_graph([node("StringConcat", ["x", "x"], ["a"])], "yes", [], [tensor("a")])
    no = helper.make_graph([node("Identity", ["x"], ["b"])], "no", [], [tensor("b")])
    body = helper.make_graph(
        [node("Identity", ["go"], ["still"]), node("StringConcat", ["v", "x"], ["w"])],
        "body",
        [tensor("i", I64, []), tensor("go", B, []), tensor("v")],
        [tensor("still", B, []), tensor("w")],
    )
    nodes = [
        node("If", ["c"], ["y"], then_branch=yes, else_branch=no),
        node("Loop", ["n", "", "x"], ["z"], body=body),
    ]
    inputs = [tensor("c", B, []), tensor("n", I64, []), tensor("x", S, ["k"])]
    loaded = ge.load(model(nodes, inputs, [tensor("y"), tensor("z")]).SerializeToString())
    x = texts("é", "bc")
    for c, n in ((True, 0), (False, 3)):
        got = loaded.run({"c": np.array(c), "n": np.array(n), "x": x})
        assert got["y"].tolist() == [t * (2 if c else 1) for t in x]
        assert got["z"].tolist() == [t * (n + 1) for t in x]


@pytest.mark.parametrize("shapes", [((8,), (8,)), ((2, 4), (4,)), ((2, 1), (1, 4)), ((8,), ())])
def test_concat_and_equal_broadcast(shapes):
    a, b = (texts(*WORDS[: int(np.prod(s))], shape=s) for s in shapes)
    b = np.array(b[..., ::-1] if b.ndim else b, object)
    nodes = [node("StringConcat", ["a", "b"], ["c"]), node("Equal", ["a", "b"], ["e"])]
    inputs = [tensor("a", S, a.shape), tensor("b", S, b.shape)]
    got = run(model(nodes, inputs, [tensor("c"), tensor("e", B)]), {"a": a, "b": b})
    wide_a, wide_b = np.broadcast_arrays(a, b)
    assert got["c"].tolist() == (wide_a + wide_b).tolist()
    assert got["e"].tolist() == (wide_a == wide_b).tolist()


@pytest.mark.parametrize("delimiter", [None, "", ",", "ab", "é"])
@pytest.mark.parametrize("most", [None, 0, 1, 2])
def test_split(delimiter, most):
    x = texts("a,b,,c", " two  words ", "", "abcabab", "éaé", "   ")
    attrs = {k: v for k, v in (("delimiter", delimiter), ("maxsplit", most)) if v is not None}
    m = model([node("StringSplit", ["x"], ["y", "n"], **attrs)], [tensor("x", S, [6])], [tensor("y"), tensor("n", I64)])
    got = run(m, {"x": x})
    want = [t.split(delimiter or None, -1 if most is None else most) for t in x]
    width = max(map(len, want))
    assert got["n"].tolist() == [len(w) for w in want]
    assert got["y"].tolist() == [w + [""] * (width - len(w)) for w in want]


@pytest.mark.parametrize("action", ["NONE", "LOWER", "UPPER"])
@pytest.mark.parametrize("sensitive", [0, 1])
@pytest.mark.parametrize("shape", [(7,), (1, 7)])
def test_normalize(action, sensitive, shape):
    x = texts("Monday", "tuesday", "MONDAY", "Ähre", "ΑΣΔ", "Привет", "ʼn?", shape=shape)
    stops = ["monday", "Tuesday"]
    m = model(
        [node("StringNormalizer", ["x"], ["y"], case_change_action=action, is_case_sensitive=sensitive, stopwords=stops)],
        [tensor("x", S, shape)],
        [tensor("y")],
    )
    kept = [t for t in x.reshape(-1) if (t if sensitive else t.lower()) not in [s if sensitive else s.lower() for s in stops]]
    change = {"NONE": str, "LOWER": str.lower, "UPPER": lambda t: t.upper() if len(t.upper()) == len(t) else t}[action]
    got = run(m, {"x": x})["y"]
    want = [change(t) for t in kept]
    if action == "LOWER":
        want = [t.replace("ς", "σ") for t in want]  # Python looks at where in a word it is
    assert got.shape == ((1, len(want)) if len(shape) == 2 else (len(want),))
    assert got.reshape(-1).tolist() == want


def test_normalize_leaves_one_empty_text():
    m = model([node("StringNormalizer", ["x"], ["y"], stopwords=["a"])], [tensor("x", S, [2])], [tensor("y")])
    got = run(m, {"x": texts("a", "A")})["y"]
    assert got.tolist() == [""]


PATTERNS = [
    r"a*b", r"(a|bc)+", r"[a-c]{2,3}", r"\d+(\.\d*)?", r"\w+@\w+\.(com|org)", r"", r".*", r"x?y?z?", r"[^\s]+", r"(?:ab){2}c?",
    r"(a|ab)(c|bcd)(d*)", r"^abc$", r"\bword\b", r"a{0}b", r"[\]a]+", r"\x41\x{e9}", r"(?i)HeLLo", r"é+", r"a|b|cd|",
    r"((a*)*)*b", r"(?P<n>x)y", r"a+?b", r"\Bx", r"[a\-z]+", r"(?s).+", r"[[:alpha:]]+",
]  # fmt: skip
SUBJECTS = [
    "", "b", "aab", "abc", "bcbc", "abcabc", "12", "3.", "4.50", "me@x.com", "me@x.net", "xyz", "a b", "abab", "ababc", "abcd",
    "word", "]a", "Aé", "hello", "HELLO", "éé", "cd", "aaaaaa", "xy", "x", "a-z", "line\nbreak", "acd", "abbcd",
]  # fmt: skip


OF_RE2 = [
    r"\Qa+\E+", r"\Qab\E{2}", r"a\Q\E+", r"\Q(a", r"(\Qa|b\E|c)*", r"(?m)a$\n^b", r"(?m)^a$", r"\101+", r"\07", r"\_",
    r"[\101-C]+", r"(?i)k+", r"(?i)[^k]+", r"(?i)s", r"(?i)Σ+", r"(?i)µ", r"(?i)\W+", r"(?i)ß", r"(?im-s:A.)",
    r"(?P<n>a)(?P<m>b)", r"[^a]", r"(?s).", r"x{2", r"a{,2}", r"[]a]+", r"(|a)*", r"\x{212a}",
]  # fmt: skip
SUBJECTS_OF_RE2 = [
    "", "a", "b", "aa", "a+", "a+++", "abab", "(a", "a|bc", "a\nb", "ab", "A", "AB", "\x07", "_", "k", "K", "\u212a", "s", "ſ",
    "Σ", "σ", "ς", "µ", "μ", "Μ", "ß", "ẞ", "\n", "x{2", "a{,2}", "]", "b|c", "日", "Ab", "a\n",
]  # fmt: skip


@pytest.mark.parametrize("pattern", OF_RE2)
def test_full_match_as_re2_has_it(pattern):
    """ONNX Runtime matches by RE2."""
    m = model([node("RegexFullMatch", ["x"], ["y"], pattern=pattern)], [tensor("x", S, ["n"])], [tensor("y", B)])
    x = texts(*SUBJECTS_OF_RE2)
    assert run(m, {"x": x})["y"].tolist() == theirs(m, {"x": x})[0].tolist()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_full_match(pattern):
    m = model([node("RegexFullMatch", ["x"], ["y"], pattern=pattern)], [tensor("x", S, ["n"])], [tensor("y", B)])
    got = run(m, {"x": texts(*SUBJECTS)})["y"]
    python = pattern.replace("[[:alpha:]]", "[a-zA-Z]").replace(r"\x{e9}", "é")
    assert got.tolist() == [re.fullmatch(python, t, re.ASCII) is not None for t in SUBJECTS]


def test_a_match_takes_no_time_that_explodes():
    m = model([node("RegexFullMatch", ["x"], ["y"], pattern="(a*)*(a|aa)+c")], [tensor("x", S, [1])], [tensor("y", B)])
    assert not run(m, {"x": texts("a" * 20000)})["y"][0]


@pytest.mark.parametrize(
    "pattern",
    [
        "(", "a)", "[a", "*a", "a**", r"\p{L}", r"a{2,1}", r"(?=a)", "a\\", "[z-a]", r"(a)\1", "a{1001}", r"\é", r"\x{110000}",
        "(?P<a>x)(?P<a>y)", "(?P<->x)", "(?i)*", r"\E", r"\Q\E+", r"(\Qa)", "a|{2}",
    ],
)  # fmt: skip
def test_patterns_that_are_refused(pattern):
    m = model([node("RegexFullMatch", ["x"], ["y"], pattern=pattern)], [tensor("x", S, [1])], [tensor("y", B)])
    with pytest.raises(GeError, match="pattern"):
        run(m, {"x": texts("a")})


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.uint64, np.bool_])
def test_cast_to_texts_and_back(dtype):
    info = np.finfo(dtype) if np.dtype(dtype).kind == "f" else None
    if info is not None:
        x = np.array([0.1, -2.5, 1e30, info.max, info.tiny, np.inf, np.nan, 3], dtype)
    elif dtype == np.bool_:
        x = np.array([True, False])
    else:
        x = np.array([0, 1, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    nodes = [node("Cast", ["x"], ["t"], to=S), node("Cast", ["t"], ["y"], to=elem)]
    got = run(model(nodes, [tensor("x", elem, x.shape)], [tensor("t"), tensor("y", elem)]), {"x": x})
    if dtype == np.float32:
        np.testing.assert_allclose(got["y"], x, rtol=1e-7)
    else:
        np.testing.assert_array_equal(got["y"], x)
    if info is None:
        assert got["t"].tolist() == [str(int(v)) for v in x]


@pytest.mark.parametrize(
    ("text", "elem"),
    [
        ("one", I64), ("", F), ("1.5", I64), ("300", TensorProto.INT8), (" 1", F), ("-1", TensorProto.UINT64), ("0x10", F),
        ("0x10", I64), ("1,5", F), ("nan(1)", F), ("+-1", F), ("++1", I64), ("1e", F), ("1" * 70, I64), ("1f", F), ("+", F),
    ],
)  # fmt: skip
def test_texts_that_are_no_numbers(text, elem):
    m = model([node("Cast", ["x"], ["y"], to=elem)], [tensor("x", S, [2])], [tensor("y", elem)])
    with pytest.raises(GeError, match=f"text 1, '{re.escape(text[:40])}', is no "):
        run(m, {"x": texts("1", text)})


NUMBERS = [
    "1", "+1", "-1", ".5", "5.", "1e3", "1E-5", "3.14", "inf", "-INF", "+inf", "Infinity", "NaN", "nan", "1e400", "-1e400",
    "1e-400", "-1e-400", "1e39", "1e-46", "1e-320", "1" + "0" * 100, "1" * 80 + "e-80", "0." + "0" * 400 + "1",
    "0." + "0" * 70 + "1", "1e99999999999999999999", "1e-99999999999999999999", "0.1000000014901161193847656250001", "16777217",
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_texts_that_are_numbers(dtype):
    """Of any length, rounded once; the oracle is Python's and NumPy's reading."""
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    m = model([node("Cast", ["x"], ["y"], to=elem)], [tensor("x", S, ["n"])], [tensor("y", elem)])
    want = np.array([t.encode() for t in NUMBERS]).astype(dtype)
    got = run(m, {"x": NUMBERS})["y"]
    np.testing.assert_array_equal(got, want)
    assert np.signbit(got[~np.isnan(got)]).tolist() == np.signbit(want[~np.isnan(want)]).tolist()
    # A little above the middle between two numbers of float32, which is the middle in float64.
    middle = "1.00000005960464477540"
    assert run(m, {"x": [middle]})["y"][0] == (np.float32(1) + np.float32(2**-23) if dtype == np.float32 else float(middle))


LOCALE = """
import ctypes, sys
import numpy as np
class Convention(ctypes.Structure):
    _fields_ = [("decimal_point", ctypes.c_char_p)]
libc = ctypes.CDLL(None)
libc.setlocale.restype = ctypes.c_char_p
libc.localeconv.restype = ctypes.POINTER(Convention)
assert libc.setlocale(6, sys.argv[1].encode())
assert libc.localeconv().contents.decimal_point == b","
import ge
got = ge.load(sys.argv[2]).run({"x": np.array([1.5, -0.25], np.float32)})
assert got["t"].tolist() == ["1.5", "-0.25"], got
assert got["y"].tolist() == [1.5, -0.25], got
"""


def test_numbers_have_a_point_in_every_locale(tmp_path):
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")], capture_output=True, text=True, check=False
    )
    assert (tmp_path / "de_DE.UTF-8").is_dir(), made.stderr
    m = model([node("Cast", ["x"], ["t"], to=S), node("Cast", ["t"], ["y"], to=F)], [tensor("x", F, [2])],
              [tensor("t"), tensor("y", F)])  # fmt: skip
    path = tmp_path / "m.onnx"
    path.write_bytes(m.SerializeToString())
    environment = {**os.environ, "LOCPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", LOCALE, "de_DE.UTF-8", str(path)], env=environment, check=True, timeout=60)


def ml(op, inputs, outputs, **attrs):
    return helper.make_node(op, inputs, outputs, domain=ML, **attrs)


def test_labels():
    nodes = [
        ml("LabelEncoder", ["x"], ["a"], keys_strings=["a", "é"], values_int64s=[3, 4], default_int64=9),
        ml("LabelEncoder", ["a"], ["b"], keys_int64s=[3, 4], values_strings=["drei", ""], default_string="?"),
        ml("LabelEncoder", ["x"], ["c"], keys_strings=["a"], values_strings=["A"]),
        ml("LabelEncoder", ["x"], ["d"], keys_strings=["a"], values_floats=[0.5], default_float=-1.0),
    ]
    outputs = [tensor("a", I64), tensor("b"), tensor("c"), tensor("d", F)]
    m = model(nodes, [tensor("x", S, ["n"])], outputs)
    x = texts("é", "a", "b")
    for got, want in zip(run(m, {"x": x}).values(), theirs(m, {"x": x})):
        assert np.asarray(got).tolist() == want.tolist()


def test_one_hot_of_texts():
    m = model([ml("OneHotEncoder", ["x"], ["y"], cats_strings=["u", "v", "w"])], [tensor("x", S, [4])], [tensor("y", F)])
    x = texts("w", "u", "no", "v")
    np.testing.assert_array_equal(run(m, {"x": x})["y"], theirs(m, {"x": x})[0])
    strict = model(
        [ml("OneHotEncoder", ["x"], ["y"], cats_strings=["u", "v", "w"], zeros=0)], [tensor("x", S, [4])], [tensor("y", F)]
    )
    with pytest.raises(GeError, match="index|out of range"):
        run(strict, {"x": x})


def test_categories():
    attrs = {"cats_strings": ["low", "high"], "cats_int64s": [1, 5], "default_int64": -7, "default_string": "none"}
    nodes = [ml("CategoryMapper", ["x"], ["n"], **attrs), ml("CategoryMapper", ["n"], ["y"], **attrs)]
    m = model(nodes, [tensor("x", S, [3])], [tensor("n", I64), tensor("y")])
    got = run(m, {"x": texts("high", "mid", "low")})
    assert got["n"].tolist() == [5, -7, 1]
    assert got["y"].tolist() == ["high", "none", "low"]


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
def test_ngrams_of_texts(mode):
    m = model(
        [
            node(
                "TfIdfVectorizer", ["x"], ["y"], mode=mode, min_gram_length=1, max_gram_length=2, max_skip_count=1,
                ngram_counts=[0, 3], ngram_indexes=[0, 1, 2, 3, 4], weights=[1.0, 2.0, 0.5, 3.0, 1.5],
                pool_strings=["a", "b", "c", "a", "b", "b", "a"],
            )
        ],
        [tensor("x", S, ["n", "k"])],
        [tensor("y", F)],
    )  # fmt: skip
    x = texts("a", "b", "a", "b", "d", "c", "b", "a", shape=(2, 4))
    np.testing.assert_allclose(run(m, {"x": x})["y"], theirs(m, {"x": x})[0])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros(2, np.float32), "input 'x': got dtype float32, expected texts"),
        (np.array(["a", 3], object), r"input 'x': got int at \[1\]"),
        (np.array(["a"], object), "shape"),
    ],
)
def test_values_that_are_no_texts(value, text):
    m = model([node("Identity", ["x"], ["y"])], [tensor("x", S, [2])], [tensor("y", S, [2])])
    with pytest.raises((GeError, ValueError, TypeError), match=text):
        run(m, {"x": value})


def test_operators_that_take_no_texts():
    m = model([node("Relu", ["x"], ["y"])], [tensor("x", S, [2])], [tensor("y", S, [2])])
    with pytest.raises(GeError, match="is a text tensor, the operator takes tensors"):
        ge.load(m.SerializeToString())


def test_places_that_lead_nowhere():
    """Programs of other languages give the tensors themselves."""
    m = model([node("StringConcat", ["x", "x"], ["y"])], [tensor("x", S, [1])], [tensor("y")])
    loaded = ge.load(m.SerializeToString())
    loaded._values._inputs[0].split = lambda value: value
    good = np.frombuffer((1).to_bytes(8, "little") + b"a", np.uint8)
    assert loaded.run({"x": [np.array([0]), good]})["y"].tolist() == ["aa"]
    for place in (-1, 1, 2, 9, 2**62):
        with pytest.raises(GeError, match="text 0 is at byte"):
            loaded.run({"x": [np.array([place]), good]})
    long = np.frombuffer((2**63 - 1).to_bytes(8, "little") + b"a", np.uint8)
    with pytest.raises(GeError, match="text 0 is at byte"):
        loaded.run({"x": [np.array([0]), long]})
