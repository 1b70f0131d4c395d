"""scripts/checks/documented.py finds each function that lost its comment, and each name that hides who owns what."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "checks"))

import documented  # noqa: E402

HEADERS = sorted((ROOT / "capi" / "include").rglob("*.h"))


@pytest.mark.parametrize("header", HEADERS, ids=lambda p: p.name)
def test_every_comment_is_missed(header):
    text = header.read_text(encoding="utf-8")
    found, count = documented.problems(text)
    assert not found
    comments = {comment for _, _, comment in documented.declarations(text)}
    missed = set()
    for comment in comments:
        assert text.count(comment) == 1
        below = {name for _, name, of in documented.declarations(text) if of == comment}
        found, _ = documented.problems(text.replace(comment, ""))
        names = {line.split()[1] for line in found}
        assert names == below
        missed |= names
    assert len(missed) == count


def test_a_blank_line_separates():
    comment = "/** Does it. Owner: n/a. Nulls: n/a. Threads: any. Errors: none. Since: ABI 1. */"
    text = comment + "\nGE_API int GeOne(void);\n{}GE_API int GeTwo(void);\n"
    assert documented.problems(text.format("")) == ([], 2)
    assert documented.problems(text.format("\n"))[0] == ["4: GeTwo has no comment directly above"]


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
        assert documented.problems(f"{comment}\nGE_API GeStatus {name}(int a);\n") == ([], 1)
