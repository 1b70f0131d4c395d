#!/usr/bin/env python3
"""The archive of releases: what extract_history writes, which releases the window holds, what becomes of bad files."""

import argparse
import datetime
import json
import shutil
import sys
import tempfile

import protokit
from protokit import Attr, Op

FAILURES = []
KR = Attr("k", "Int", required=True)
OLD, NEW = Op("Hist", (("x", "r"),), (KR,)), Op("Hist", (("x", "r"), ("b", "o")), (KR,))
OVERLOAD = "Hist(const EsTensorLike & x, int64_t k)"


def same(what, have, want):
    if have != want:
        FAILURES.append(f"{what}: {have!r}, expected {want!r}")


def says(result, code, *texts):
    said = result.stdout + result.stderr
    for text in texts:
        if text not in said:
            FAILURES.append(f"{result.args[1:]}: expected {text!r} in {said!r}")
    same(f"exit code of {result.args[1:]}", result.returncode, code)


def writer(tools):
    ops = [
        Op("Zeta", (("x", "r"), ("b", "o"), ("v", "d")), dtype="T"),
        Op(
            "Alpha",
            (),
            outputs=(("y", "r"), ("z", "d")),
            graphs=(("g", False), ("h", True)),
            dtype="",
            attrs=(
                Attr("i", "Int", default=7),
                Attr("r", "ListInt", required=True),
                Attr("one", "Float", default=1.0),
                Attr("tiny", "Float", default=1e-08),
                Attr("b", "Bool", default=True),
                Attr("s", "String", default='a"b'),
                Attr("t", "Type", default="DT_INT64"),
                Attr("v", "Tensor", default=None),
                Attr("li", "ListInt", default=[1, -2]),
                Attr("lf", "ListFloat", default=[0.5]),
                Attr("lb", "ListBool", default=[True]),
                Attr("lt", "ListType", default=["DT_FLOAT"]),
                Attr("ls", "ListString", default=["a", "b"]),
                Attr("none", "ListInt", default=[]),
            ),
        ),
    ]
    opp, package = tools.opp("writer_opp", ops), tools.folder / "pkg"
    extract = ("--es_mode=extract_history",)
    says(
        tools.generate(opp, package, *extract),
        1,
        "The required parameter release_version for history registry generator is not set.",
    )
    for date in ("2026-1-01", "2026-13-01", "2026-00-10", "1899-01-01", "2026-01-32", "20260101", "2026-01-01 "):
        says(
            tools.generate(opp, package, *extract, "--release_version=1", f"--release_date={date}"),
            1,
            "Given release_date parameter for history registry generator is not in the correct format (YYYY-MM-DD).",
            date,
        )
    says(tools.generate(opp, package, *extract, "--release_version=../up", "--release_date=2026-01-01"), 1, "../up")
    if package.exists():
        FAILURES.append("a refused release left files")
    says(tools.generate(opp, package, *extract, "--release_version=8.1", "--release_date=2026-05-02", "--branch_name=main"), 0)
    says(tools.generate(opp, package, *extract, "--release_version=8.0", "--release_date=2026-02-03"), 0)
    same(
        "index.json",
        (package / "index.json").read_text(),
        """{
  "releases": [
    {
      "release_date": "2026-02-03",
      "release_version": "8.0"
    },
    {
      "release_date": "2026-05-02",
      "release_version": "8.1"
    }
  ],
  "version": "1.0.0"
}""",
    )
    same(
        "metadata.json",
        (package / "registry/8.1/metadata.json").read_text(),
        '{\n  "branch_name": "main",\n  "release_version": "8.1"\n}',
    )
    same(
        "metadata.json without branch",
        json.loads((package / "registry/8.0/metadata.json").read_text()),
        {"release_version": "8.0"},
    )
    text = (package / "registry/8.0/operators.json").read_text()
    same("form of operators.json", text, json.dumps(json.loads(text), indent=2, sort_keys=True))
    alpha, zeta = json.loads(text)["operators"]
    same("sorted by type", (alpha["op_type"], zeta["op_type"]), ("Alpha", "Zeta"))
    same(
        "inputs",
        zeta["inputs"],
        [
            {"name": "x", "type": "INPUT", "dtype": "T"},
            {"name": "b", "type": "OPTIONAL_INPUT", "dtype": "T"},
            {"name": "v", "type": "DYNAMIC_INPUT", "dtype": "T"},
        ],
    )
    same("outputs without dtype", alpha["outputs"], [{"name": "y", "type": "OUTPUT"}, {"name": "z", "type": "DYNAMIC_OUTPUT"}])
    same("subgraphs", alpha["subgraphs"], [{"name": "g", "type": "STATIC"}, {"name": "h", "type": "DYNAMIC"}])
    attrs = {a["name"]: a for a in alpha["attrs"]}
    same("order of attrs", list(attrs), ["i", "r", "one", "tiny", "b", "s", "t", "v", "li", "lf", "lb", "lt", "ls", "none"])
    same("required attr", attrs["r"], {"name": "r", "type": "ListInt", "required": True})
    same(
        "default_value",
        {n: a["default_value"] for n, a in attrs.items() if not a["required"]},
        {
            "i": "7",
            "one": "1.0",
            "tiny": "9.99999993922529e-09",
            "b": "true",
            "s": '"a\\"b"',
            "t": '"DT_INT64"',
            "v": '"Tensor()"',
            "li": "[1,-2]",
            "lf": "[0.5]",
            "lb": "[true]",
            "lt": '["DT_FLOAT"]',
            "ls": '["a","b"]',
            "none": "[]",
        },
    )
    # The same version again: refused, and nothing of it is rewritten.
    before = {p: p.stat().st_mtime_ns for p in package.rglob("*") if p.is_file()}
    says(
        tools.generate(opp, package, *extract, "--release_version=8.0", "--release_date=2026-03-03"),
        1,
        "Given release_version already exists in index, please check index.json or use another version: 8.0",
    )
    same("files after a refused version", {p: p.stat().st_mtime_ns for p in package.rglob("*") if p.is_file()}, before)
    # Entries of the index that are no use are dropped; an index that is none is kept aside.
    index = json.loads((package / "index.json").read_text())
    index["releases"] += [{"release_version": "8.1", "release_date": "2026-06-01"}, {"release_version": "x"}]
    (package / "index.json").write_text(json.dumps(index))
    says(
        tools.generate(opp, package, *extract, "--release_version=8.2", "--release_date=2026-06-02"),
        0,
        "index.json': releases[2].release_version is '8.1', which the index has already",
        "releases[3] has no 'release_date'",
    )
    same(
        "releases",
        [r["release_version"] for r in json.loads((package / "index.json").read_text())["releases"]],
        ["8.0", "8.1", "8.2"],
    )
    (package / "index.json").write_text('{"version": "1.0.0", "rel')
    says(tools.generate(opp, package, *extract, "--release_version=8.3"), 0, "index.json' is not JSON", "index.json.invalid")
    same("the bad index", (package / "index.json.invalid").read_text(), '{"version": "1.0.0", "rel')
    today = json.loads((package / "index.json").read_text())["releases"][0]["release_date"]
    same("release_date without a flag", abs(datetime.date.fromisoformat(today) - datetime.date.today()).days <= 1, True)
    says(
        tools.generate(tools.opp("no_ops", []), tools.folder / "none", *extract, "--release_version=1"), 0, "no ops to generate"
    )
    if (tools.folder / "none").exists():
        FAILURES.append("an empty release was written")


def header(tools, opp, package, *flags):
    out = tools.folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    result = tools.generate(opp, out, f"--history_registry={package}", *flags)
    same("exit code", result.returncode, 0)
    return (out / "es_Hist.h").read_text(), result.stderr


def window(tools, opp):
    package = protokit.write_package(
        tools.folder / "window",
        [
            ("first", "2025-01-14", [OLD]),
            ("year", "2026-01-14", [NEW]),
            ("day", "2026-01-15", [NEW]),
            ("next", "2026-01-16", [NEW]),
        ],
    )
    # 2026-01-14 is 365 days after 2025-01-14.
    for anchor, inside in (("first", True), ("year", True), ("day", False), ("next", False)):
        same(f"window of {anchor}", OVERLOAD in header(tools, opp, package, f"--release_version={anchor}")[0], inside)
    # A release after the anchor is left out.
    late = protokit.write_package(tools.folder / "late", [("a", "2026-01-01", [NEW]), ("b", "2026-01-02", [OLD])])
    same("a later release", OVERLOAD in header(tools, opp, late, "--release_version=a")[0], False)
    text, said = header(tools, opp, late, "--release_version=z")
    same("an unknown anchor", (OVERLOAD in text, "'z' is not in" in said), (False, True))
    # Without an anchor the window ends today.
    day = datetime.date.today()
    for age, inside in ((10, True), (364, True), (367, False)):
        date = (day - datetime.timedelta(days=age)).isoformat()
        now = protokit.write_package(tools.folder / f"now{age}", [("a", date, [OLD])])
        same(f"{age} days ago", OVERLOAD in header(tools, opp, now)[0], inside)
    future = protokit.write_package(tools.folder / "future", [("a", (day + datetime.timedelta(days=9)).isoformat(), [OLD])])
    text, said = header(tools, opp, future)
    same("a future release", (OVERLOAD in text, "lies in the future" in said and "'a'" in said), (False, True))


def bad_files(tools, opp):
    def package(name, change):
        folder = protokit.write_package(tools.folder / name, [("a", "2026-01-01", [OLD]), ("b", "2026-01-02", [OLD])])
        history = (f"--history_registry={folder}", "--release_version=b", "--strict")
        says(tools.generate(opp, tools.folder / f"{name}_whole", *history), 0)
        change(folder)
        text, said = header(tools, opp, folder, "--release_version=b")
        result = tools.generate(opp, tools.folder / f"{name}_strict", *history)
        if str(folder) in said:  # something in it is damaged
            says(result, 1, "is damaged, and --strict was given")
        else:
            says(result, 0)
        return text, said

    def edit(path, function):
        def change(folder):
            data = json.loads((folder / path).read_text())
            function(data)
            (folder / path).write_text(json.dumps(data))

        return change

    def cut(path):
        return lambda folder: (folder / path).write_text((folder / path).read_text()[:-5])

    def instead(path, content):
        return lambda folder: (folder / path).write_bytes(content)

    def lost(path):
        return lambda folder: (folder / path).unlink()

    ops_b = "registry/b/operators.json"
    # name, change, does a release remain, texts of the message, text of the header
    for name, change, remains, texts, note in (
        ("cut_index", cut("index.json"), False, ["index.json' is not JSON (or cut short) at byte"], ""),
        (
            "number_in_index",
            instead("index.json", b'{"version": 1e999}'),
            False,
            ["index.json' cannot be read: number overflow"],
            "",
        ),
        ("deep_index", instead("index.json", b'{"version": ' + b"[" * 300000), False, ["300001 levels deep, at most 64"], ""),
        (
            "deep_ops",
            instead(ops_b, b'{"operators": [{"op_type": ' + b"[" * 300000 + b"]" * 300000 + b"}]}"),
            True,
            ["operators.json' has lists and objects 300003 levels deep"],
            "op Hist skip version b: Failed to load operators.json: ",
        ),
        ("no_index", lost("index.json"), False, ["index.json' cannot be opened"], ""),
        ("no_version", edit("index.json", lambda d: d.pop("version")), False, ["index.json' has no 'version'"], ""),
        (
            "schema",
            edit("index.json", lambda d: d.update(version="2.0")),
            False,
            ["index.json'.version is '2.0', expected 1.x"],
            "",
        ),
        (
            "releases",
            edit("index.json", lambda d: d.update(releases={})),
            False,
            ["index.json'.releases is {}, expected a list"],
            "",
        ),
        (
            "number",
            edit("index.json", lambda d: d["releases"][0].update(release_version=1)),
            True,
            ["releases[0].release_version is 1, expected text"],
            "",
        ),
        (
            "date",
            edit("index.json", lambda d: d["releases"][0].update(release_date="soon")),
            True,
            ["releases[0].release_date is 'soon', expected YYYY-MM-DD"],
            "",
        ),
        (
            "twice",
            edit("index.json", lambda d: d["releases"].append(d["releases"][0])),
            True,
            ["releases[2].release_version is 'a', which the index has already"],
            "",
        ),
        (
            "no_metadata",
            lost("registry/a/metadata.json"),
            True,
            ["registry/a/metadata.json' cannot be opened", "release 'a'"],
            "",
        ),
        (
            "metadata",
            edit("registry/a/metadata.json", lambda d: d.update(release_version="c")),
            True,
            ["registry/a/metadata.json'.release_version is 'c', expected 'a', the name of its folder"],
            "",
        ),
        (
            "cut_ops",
            cut(ops_b),
            True,
            ["registry/b/operators.json' is not JSON"],
            "op Hist skip version b: Failed to load operators.json: ",
        ),
        (
            "ops",
            edit(ops_b, lambda d: d.update(operators=3)),
            True,
            ["operators.json'.operators is 3, expected a list"],
            "op Hist skip version b: Failed to load operators.json: ",
        ),
        (
            "absent",
            edit(ops_b, lambda d: d.update(operators=[])),
            True,
            [],
            "op Hist skip version b: Op Hist not found in operators.json",
        ),
        (
            "double",
            edit(ops_b, lambda d: d["operators"].append(d["operators"][0])),
            True,
            ["Found duplicate op Hist"],
            "op Hist skip version b: Found duplicate op Hist in operators.json",
        ),
        (
            "record",
            edit(ops_b, lambda d: d["operators"][0]["inputs"][0].update(type="INPT")),
            True,
            ["inputs[0].type is 'INPT', expected one of INPUT, OPTIONAL_INPUT, DYNAMIC_INPUT"],
            "op Hist skip version b: Failed to parse json for op Hist: inputs[0].type is 'INPT'",
        ),
        (
            "required",
            edit(ops_b, lambda d: d["operators"][0]["attrs"][0].update(required="yes")),
            True,
            ['attrs[0].required is "yes", expected true or false'],
            "op Hist skip version b: Failed to parse json for op Hist: attrs[0]",
        ),
    ):
        text, said = package(name, change)
        same(f"{name}: overload", OVERLOAD in text, remains)
        for t in (*texts,):
            if t not in said:
                FAILURES.append(f"{name}: expected {t!r} in {said!r}")
        if note and f" * @warning {note}" not in text:
            FAILURES.append(f"{name}: the header lacks the warning {note!r}")
    # Defaults of attributes that a release added must be usable.
    for value, why in (
        (None, "missing default_value"),
        ("{", "default_value is not valid json"),
        ('"x"', "default_value type mismatch for Int"),
    ):

        def change(data, value=value):
            data["operators"][0]["attrs"].append({"name": "n", "type": "Int", "required": False, "default_value": value})

        text, _ = package(f"default_{value and len(value)}_{why[-3:]}", edit(ops_b, change))
        want = f"at step 1: new optional attr 'n' has invalid default_value: {why}. Action: fall back to A0"
        if want not in text:
            FAILURES.append(f"default {value!r}: the header lacks {want!r}")


def main():
    parser = argparse.ArgumentParser()
    protokit.Tools.arguments(parser)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tools = protokit.Tools(args, folder)
        writer(tools)
        opp = tools.opp("opp", [NEW])
        window(tools, opp)
        bad_files(tools, opp)
    print("\n".join(FAILURES) or "ok")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
