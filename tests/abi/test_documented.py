"""scripts/checks/documented.py finds each function that lost its comment, and each name that hides who owns what."""

import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "checks"))

import documented  # noqa: E402

HEADERS = sorted((ROOT / "capi" / "include").rglob("*.h"))


@pytest.mark.parametrize("header", HEADERS, ids=lambda p: p.name)
def test_every_comment_is_missed(header):
    text = header.read_text(encoding="utf-8")
    found, names = documented.problems(text)
    assert not found
    missed = []
    for _, name, comment in documented.declarations(text):
        assert comment
        lines = text.split("\n")
        at = next(i for i, line in enumerate(lines) if re.match(rf"GE_API\b.*\b{name}\(", line))
        lines[at - comment.count("\n") - 1 : at] = []
        found, _ = documented.problems("\n".join(lines))
        assert [line.split()[1] for line in found] == [name]
        missed.append(name)
    assert missed == names


def test_the_functions_are_those_that_are_exported():
    exported = (ROOT / "capi" / "exported_symbols.txt").read_text(encoding="utf-8").split()
    names = [name for header in HEADERS for name in documented.problems(header.read_text(encoding="utf-8"))[1]]
    assert documented.unlike(names, exported) == []
    assert documented.unlike(names[1:], exported) == [f"{names[0]} is exported and not declared"]
    assert documented.unlike([*names, "GeNew"], exported) == ["GeNew is declared and not exported"]
    assert documented.unlike([*names, names[0]], exported) == [f"{names[0]} is declared twice"]
    assert documented.unlike([*names, "EsAdd"], exported) == ["EsAdd is no exception any more: see IN_GENERATED_HEADERS"]
    exported.remove("EsDiv")
    assert documented.unlike(names, exported) == ["EsDiv is no exception any more: see IN_GENERATED_HEADERS"]


COMMENT = "/** Does it. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */"


@pytest.mark.parametrize("first", ["GE_API int GeOne(void);", "GE_API int GeOne(int first,\n                  int second);"])
def test_a_shared_comment_is_refused(first):
    text = f"{COMMENT}\n{first}\nGE_API int GeTwo(void);\n"
    assert documented.problems(text) == ([f"{text.count(chr(10))}: GeTwo has no comment directly above"], ["GeOne", "GeTwo"])
    own = f"{COMMENT}\n{first}\n{COMMENT}\nGE_API int GeTwo(void);\n"
    assert documented.problems(own) == ([], ["GeOne", "GeTwo"])


@pytest.mark.parametrize("between", ["", "#define GE_ONE 1", "typedef int GeInt;", "// more"])
def test_a_line_between_is_refused(between):
    found, _ = documented.problems(f"{COMMENT}\n{between}\nGE_API int GeOne(void);\n")
    assert found == ["3: GeOne has no comment directly above"]


@pytest.mark.parametrize("question", documented.QUESTIONS)
def test_every_question_is_asked(question):
    answers = "".join(f" {q}: text." for q in documented.QUESTIONS if q != question)
    found, _ = documented.problems(f"/** Does it.{answers} */\nGE_API GeStatus GeOne(\n    int a);\n")
    assert found == [f"2: the comment of GeOne does not say {question}"]


@pytest.mark.parametrize(
    "name, owner, why",
    [
        ("GeGraphGetPart", "caller destroys *out", "Retain, Create or Clone, not Get"),
        ("GeGraphGetPart", "*out is a new\n * reference", "Retain, Create or Clone, not Get"),
        ("GePartRelease", "consumes", "another word than Destroy"),
        ("esb_part_free", "consumes", "another word than Destroy"),
    ],
)
def test_names_that_hide_the_owner(name, owner, why):
    comment = f"/** Does it. Owner: {owner}. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */"
    found, _ = documented.problems(f"{comment}\nGE_API GeStatus {name}(int a);\n")
    assert len(found) == 1
    assert why in found[0]


def test_a_comment_says_what_the_function_does():
    comment = "/** Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */"
    found, _ = documented.problems(f"{comment}\nGE_API int GeOne(void);\n")
    assert found == ["2: the comment of GeOne does not say what it does"]


def test_names_that_do_not():
    comment = "/** Does it. Owner: caller destroys *out. Nulls: fine. Threads: any. Errors: none. Since: ABI 1. */"
    for name in ("GeGraphRetainPart", "GeGraphCreate", "GeGraphClone", "GeTargetGroupCreate", "GeFreezeCreate"):
        assert documented.problems(f"{comment}\nGE_API GeStatus {name}(int a);\n") == ([], [name])
