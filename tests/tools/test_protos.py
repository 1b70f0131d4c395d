"""ge protos: what changed between two sets of prototypes, for whom, and one operator through the releases."""

import copy
import json
import pathlib
import re
import sys

import pytest
from test_cli import ge, refused

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "codegen"))
from protokit import Attr, Op, record, write_package  # noqa: E402

CALLERS = ("c", "cpp", "python", "static", "dynamic", "ir")
X = (("x", "r"),)
K = Attr("k", "Int", default=3)
OPEN = {"c", "dynamic"}  # what an addition at the end breaks: the C function has one more parameter
ALL = set(CALLERS)


def operators(folder, name, *ops):
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"operators": [record(op) for op in ops]}))
    return path


def compare(folder, old, new, *flags, code=None):
    """(change, item): who is broken."""
    paths = operators(folder, "old", *old), operators(folder, "new", *new)
    result = json.loads(ge("protos", "diff", *paths, "--json", *flags, code=code or 0).stdout)
    found = {}
    for change in result["changes"]:
        verdicts = {**change["source"], **change["binary"], **change["graph"]}
        assert tuple(verdicts) == CALLERS
        broken = {name for name, v in verdicts.items() if v["verdict"] == "breaking"}
        assert all(verdicts[name]["reason"] for name in broken)
        found[(change["change"], change.get("item"))] = broken
    assert result["compatible"] == (code in (None, 0))
    for name in CALLERS:
        assert result["breaking"][name] == sum(name in broken for broken in found.values())
    return found


M = Attr("m", "String", default="a")
TYPED = Op("T", X, dtype="TensorType({DT_FLOAT})")


def typed(dtype):
    return Op("T", X, dtype=dtype)


def both(change, who):
    """The input and the output of T have one text."""
    return {(change, "input x"): who, (change, "output y"): who}


# Prototype before, prototype after, what is found.
CASES = {
    "same": (Op("T", X), Op("T", X), {}),
    "input": (Op("T", X), Op("T", (*X, ("b", "o"))), {("optional input added", "input b"): OPEN}),
    "input before a count": (
        Op("T", X, (), (("y", "d"),)),
        Op("T", (*X, ("b", "o")), (), (("y", "d"),)),
        {("optional input added", "input b"): {*OPEN, "python"}},
    ),
    "input after optional ones": (
        Op("T", (("a", "o"),)),
        Op("T", (("a", "o"), ("b", "o"))),
        {("optional input added", "input b"): {*OPEN, "python"}},
    ),
    "input where there was none": (
        Op("T", ()),
        Op("T", (("a", "o"),)),
        {("optional input added", "input a"): {*OPEN, "python"}},
    ),
    "required input": (Op("T", X), Op("T", (*X, ("b", "r"))), {("required input added", "input b"): ALL}),
    "input gone": (Op("T", (*X, ("b", "o"))), Op("T", X), {("input removed", "input b"): ALL}),
    "input renamed": (Op("T", X), Op("T", (("z", "r"),)), {("input renamed or moved", "input x"): ALL}),
    "input kind": (Op("T", X), Op("T", (("x", "o"),)), {("kind of input changed", "input x"): ALL}),
    "input types": (Op("T", X), Op("T", X, dtype="T"), {("data types changed", "input x"): set(), ("data types changed", "output y"): set()}),  # noqa: E501
    "types widened": (TYPED, typed("TensorType({DT_FLOAT, DT_INT8})"), both("data types widened", set())),
    "types narrowed": (typed("TensorType({DT_INT8,DT_FLOAT})"), TYPED, both("data types narrowed", {"static", "ir"})),
    "types exchanged": (TYPED, typed("DT_INT8"), both("data types changed", {"static", "ir"})),
    "types said otherwise": (TYPED, typed("DT_FLOAT"), {}),
    "a named set widened": (
        typed("TensorType::FLOAT()"),
        typed("TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_DOUBLE})"),
        both("data types widened", set()),
    ),
    "a named set narrowed": (
        typed("TensorType::RealNumberType()"),
        typed("TensorType::IntegerDataType()"),
        both("data types narrowed", {"static", "ir"}),
    ),
    "inputs exchanged": (
        Op("T", (("a", "r"), ("b", "r"))),
        Op("T", (("b", "r"), ("a", "r"))),
        {("input renamed or moved", "input a"): ALL, ("input renamed or moved", "input b"): ALL},
    ),
    "dynamic input": (Op("T", X), Op("T", (*X, ("b", "d"))), {("dynamic input added", "input b"): ALL}),
    "attrs exchanged": (
        Op("T", X, (K, M)),
        Op("T", X, (M, K)),
        {("attr renamed or moved", "attr k"): ALL, ("attr renamed or moved", "attr m"): ALL},
    ),
    "outputs exchanged": (
        Op("T", X, (), (("y", "r"), ("z", "r"))),
        Op("T", X, (), (("z", "r"), ("y", "r"))),
        {("output renamed or moved", "output y"): ALL, ("output renamed or moved", "output z"): ALL},
    ),
    "output renamed": (Op("T", X), Op("T", X, (), (("z", "r"),)), {("output renamed or moved", "output y"): ALL}),
    "dynamic output": (Op("T", X), Op("T", X, (), (("y", "r"), ("z", "d"))), {("output added", "output z"): ALL}),
    "subgraph gone": (Op("T", X, graphs=(("g", False),)), Op("T", X), {("subgraph removed", "subgraph g"): ALL}),
    "subgraph renamed": (
        Op("T", X, graphs=(("g", False),)),
        Op("T", X, graphs=(("h", False),)),
        {("subgraph changed", "subgraph g"): ALL},
    ),
    "arithmetic": (
        Op("Add", (("x1", "r"), ("x2", "r"))),
        Op("Add", (("x1", "r"), ("x2", "r")), (K,)),
        {
            ("optional attr added", "attr k"): OPEN,
            ("parameters of an arithmetic operator changed", None): {"cpp", "python", "dynamic"},
        },
    ),
    "attr": (Op("T", X), Op("T", X, (K,)), {("optional attr added", "attr k"): OPEN}),
    "required attr": (Op("T", X), Op("T", X, (Attr("k", "Int", True),)), {("required attr added", "attr k"): ALL}),
    "attr gone": (Op("T", X, (K,)), Op("T", X), {("attr removed", "attr k"): ALL}),
    "attr renamed": (Op("T", X, (K,)), Op("T", X, (Attr("z", "Int", default=3),)), {("attr renamed or moved", "attr k"): ALL}),
    "attr type": (Op("T", X, (K,)), Op("T", X, (Attr("k", "Float", default=3.0),)), {("type of attr changed", "attr k"): ALL}),
    "default": (Op("T", X, (K,)), Op("T", X, (Attr("k", "Int", default=4),)), {("default changed", "attr k"): set()}),
    "attr required": (Op("T", X, (K,)), Op("T", X, (Attr("k", "Int", True),)), {("attr became required", "attr k"): ALL}),
    "attr optional": (
        Op("T", X, (Attr("k", "Int", True),)),
        Op("T", X, (K,)),
        {("attr became optional", "attr k"): ALL - {"static", "ir"}},
    ),
    "output": (Op("T", X), Op("T", X, (), (("y", "r"), ("z", "r"))), {("output added", "output z"): ALL - {"ir"}}),
    "output gone": (Op("T", X, (), (("y", "r"), ("z", "r"))), Op("T", X), {("output removed", "output z"): ALL}),
    "output kind": (Op("T", X), Op("T", X, (), (("y", "d"),)), {("kind of output changed", "output y"): ALL}),
    "subgraph": (Op("T", X), Op("T", X, graphs=(("g", False),)), {("subgraph added", "subgraph g"): ALL}),
    "subgraph kind": (Op("T", X, graphs=(("g", True),)), Op("T", X, graphs=(("g", False),)), {("subgraph changed", "subgraph g"): ALL}),  # noqa: E501
    "both ways": (
        Op("T", X, (K,)),
        Op("T", (*X, ("b", "o"))),
        {
            ("optional input added", "input b"): {*OPEN, "cpp"},
            ("attr removed", "attr k"): ALL,
            ("inputs and attrs changed in opposite directions", None): {"static", "ir"},
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_change(tmp_path, name):
    old, new, wanted = CASES[name]
    assert compare(tmp_path, [old], [new], code=3 if any(wanted.values()) else 0) == wanted


def test_operators_come_and_go(tmp_path):
    a, b = Op("A", X), Op("B", X)
    assert compare(tmp_path, [a], [a, b]) == {("operator added", None): set()}
    assert compare(tmp_path, [a, b], [a], code=3) == {("operator removed", None): ALL}


def test_ignored_callers_do_not_count(tmp_path):
    old, new = [Op("T", X)], [Op("T", X, (K,))]
    assert compare(tmp_path, old, new, "--ignore", "c,dynamic") == {("optional attr added", "attr k"): OPEN}
    compare(tmp_path, old, new, "--ignore", "c", code=3)
    assert "--ignore is 'java'" in refused("protos", "diff", "builtin", "builtin", "--ignore", "java")


def test_text(tmp_path):
    paths = operators(tmp_path, "old", Op("T", X)), operators(tmp_path, "new", Op("T", X, (K,)))
    run = ge("protos", "diff", *paths, code=3)
    assert "T: optional attr added, attr k" in run.stdout
    assert "breaking for c: the C function has one more parameter" in run.stdout
    assert "compatible for cpp, python: it has the default 3" in run.stdout
    assert "1 changes; breaking: c 1 cpp 0 python 0 static 0 dynamic 1 ir 0" in run.stdout
    assert "breaking changes" in run.stderr


def test_the_builder_of_an_operator_without_inputs_gets_another_name(tmp_path):
    sets = operators(tmp_path, "old", Op("T", ())), operators(tmp_path, "new", Op("T", (("a", "o"),)))
    said = ge("protos", "diff", *sets, code=3).stdout
    assert "breaking for python: the builder was the first parameter, owner_graph_builder, and is owner_builder now" in said


def test_where_sets_come_from(tmp_path):
    package = write_package(
        tmp_path / "package", [("1.0", "2026-01-01", [Op("T", X)]), ("1.1", "2026-02-01", [Op("T", X, (K,))])]
    )
    last = operators(tmp_path, "last", Op("T", X, (K,)))
    for name in (package, f"{package}@1.1", package / "registry" / "1.1", package / "registry" / "1.1" / "operators.json"):
        assert ge("protos", "diff", name, last).stdout.startswith("0 changes")
    ge("protos", "diff", f"{package}@1.0", last, code=3)
    assert "has no release '2'; it has 1.0, 1.1" in refused("protos", "diff", f"{package}@2", last)
    assert "does not exist" in refused("protos", "diff", tmp_path / "gone", last)
    both = refused("protos", "diff", tmp_path / "gone", tmp_path / "lost")
    assert re.findall(r"^ge: '\S+/(\w+)' does not exist", both, re.M) == ["gone", "lost"]
    assert refused("protos", "diff", tmp_path / "gone", tmp_path / "gone").count("does not exist") == 1
    (tmp_path / "lib.so").write_text("no library")
    assert "lib.so' cannot be loaded" in refused("protos", "diff", tmp_path / "lib.so", last)
    (tmp_path / "cut.json").write_text('{"operators": [')
    assert "cut.json' is not JSON" in refused("protos", "diff", tmp_path / "cut.json", last)
    (tmp_path / "empty").mkdir()
    assert "registers no prototypes" in refused("protos", "diff", tmp_path / "empty", last)
    bad = json.loads(last.read_text())
    bad["operators"].append(copy.deepcopy(bad["operators"][0]))
    (tmp_path / "twice.json").write_text(json.dumps(bad))
    assert "duplicate op T" in refused("protos", "diff", tmp_path / "twice.json", last)


def test_show(tmp_path):
    text = ge("protos", "show", "Conv2D").stdout
    assert text.startswith("REG_OP(Conv2D)\n  .INPUT(x, ") and "  .REQUIRED_ATTR(strides, ListInt)\n" in text
    assert "  .ATTR(groups, Int, 1)\n" in text
    refused("protos", "show", "Conv2", code=1)
    assert "did you mean" in refused("protos", "show", "Conv2d", code=1)
    package = write_package(
        tmp_path, [("1.0", "2026-01-01", [Op("T", X)]), ("1.1", "2026-02-01", [Op("T", X, (K,))]), ("1.2", "2026-03-01", [])]
    )
    text = ge("protos", "show", "T", "--history", package).stdout
    assert [line for line in text.splitlines() if line[0] in "1t"] == [
        "1.0, 2026-01-01: added", "1.1, 2026-02-01: 1 changes", "1.2, 2026-03-01: not there", "this installation: not there",
    ]  # fmt: skip
    rows = json.loads(ge("protos", "show", "T", "--history", package, "--json").stdout)["history"]
    assert [r["present"] for r in rows] == [True, True, False, False]
    assert rows[1]["changes"][0]["change"] == "optional attr added"
    assert "cannot be opened" in refused("protos", "show", "T", "--history", tmp_path / "gone")


def test_wrong_usage():
    refused("protos")
    refused("protos", "diff", "builtin")
    assert "diff" in ge("protos", "--help").stdout


def test_built_in_prototypes_keep_the_promise_of_the_last_release():
    """A change of a built-in prototype that breaks C++ or Python programs, frozen programs or saved graphs is refused."""
    package = pathlib.Path(__file__).parents[2] / "history_protos"
    ge("protos", "diff", package, "builtin", "--ignore", "c,dynamic")
