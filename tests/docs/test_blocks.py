"""What the test of the documents' code finds, on documents with planted defects."""

import os
import pathlib

import pytest
from document_blocks import ROOT, BadDocument, blocks_of, count_problems, is_excerpt, matches, read_counts
from document_runner import Page, make_folder

BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release")).resolve()


def fenced(*blocks):
    return "# Title\n\n" + "\n\n".join(f"```{info}\n{text}\n```" for info, text in blocks) + "\n"


def run(document, folder):
    page = Page(make_folder(folder, BUILD), BUILD)
    try:
        return [page.run(block) for block in blocks_of(document, "page.md") if block.runs]
    finally:
        page.close()


def test_good_blocks_pass(tmp_path):
    document = fenced(
        ("sh", "echo 3 > number; ge --version"),
        ("output", "ge …"),
        ("python", "import ge\nn = int(open('number').read())"),
        ("python", "print(n + 1, ge.__version__)"),
        ("output", "4 …"),
        ("c", '#include <stdio.h>\n#include "ge/version.h"\nint main(void) { printf("%s\\n", GeVersionString()); return 0; }'),
        ("output", "0.…"),
        ("cpp", '#include "graph/graph.h"\ninline ge::Graph Make() { return ge::Graph("g"); }'),
    )
    assert run(document, tmp_path) == [None] * 5


@pytest.mark.parametrize(
    ("block", "line", "says"),
    [
        (("sh", "echo before\nfalse\necho after"), 4, "before"),
        (("sh", "false | cat"), 4, "exit status 1"),
        (("python", "x = 1\ny = x / 0"), 4, 'File "page.md", line 5'),
        (("python", "raise SystemExit(0)"), 4, "SystemExit"),
        (("python", "import os; os._exit(3)"), 4, "the interpreter ended with 3"),
        (("c", "int f(void) { return missing; }"), 4, "page.md:4"),
        (("c", "int main(void) { return 7; }"), 4, "exit status 7"),
        (("cpp", "int main() {\n  return nothing::at_all();\n}"), 4, "page.md:5"),
    ],
)
def test_bad_blocks_are_found(block, line, says, tmp_path):
    (problem,) = run(fenced(block), tmp_path)
    assert problem.startswith(f"page.md:{line}: this {block[0]} block failed") and says in problem


def test_other_output_is_found(tmp_path):
    (problem,) = run(fenced(("sh", "echo yes"), ("output", "no")), tmp_path)
    assert problem.startswith("page.md:4: this sh block prints something else") and "page.md:8 says" in problem


def test_output():
    assert matches("a … c\n", "a b c\n") and not matches("a … c\n", "a b\n")
    assert matches("first\n…\nlast\n", "first\n1\n2\nlast\n") and matches("first\n…\nlast\n", "first\nlast\n")
    assert not matches("first\n…\nlast\n", "first\n1\nlast\nmore\n")
    assert matches("x", "x   \n\n") and not matches("a.c", "abc")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("```\nx\n```\n", "page.md:1: a block without a language"),
        ("```sh\nx\n", "page.md:1: the block does not end"),
        (fenced(("output", "x")), "page.md:3: `output` stands right behind"),
        (fenced(("java", "x"), ("output", "x")), "page.md:7: `output` stands right behind"),
        ("```sh\nx\n```\nwords\n```output\nx\n```\n", "page.md:5: `output` stands right behind"),
    ],
)
def test_bad_documents_are_found(document, says):
    with pytest.raises(BadDocument, match="^" + says.replace("(", "[(]")):
        blocks_of(document, "page.md")


def test_blocks_in_lists_are_taken_out():
    (block,) = blocks_of("1. words:\n\n   ```python\n   if 1:\n       x = 2\n   ```\n", "page.md")
    assert (block.text, block.line, block.runs) == ("if 1:\n    x = 2\n", 4, True)


def test_blocks_in_comments_are_blocks():
    (block,) = blocks_of("words\n<!--\n```sh\ntrue\n```\n-->\n", "page.md")
    assert (block.text, block.line, block.runs) == ("true\n", 4, True)


def test_blocks_that_nothing_checks_are_counted():
    document = fenced(("python other", "x"), ("python other", "y"), ("java", "z"), ("sh", "true"), ("c excerpt=a.c", "int"))
    counts = read_counts("# PAGE NUMBER\npage.md 2 `python other` is not here\npage.md 1 `java` no compiler\n")
    assert count_problems(blocks_of(document, "page.md"), counts) == []
    fewer = {**counts, ("page.md", "python other"): 1, ("page.md", "lua"): 1}
    first, second = count_problems(blocks_of(document, "page.md"), fewer)
    assert "0 blocks `lua` do not run (lines -), tests/docs/not_run.txt says 1" in first
    assert "2 blocks `python other` do not run (lines 4, 8), tests/docs/not_run.txt says 1" in second
    with pytest.raises(BadDocument, match="not_run.txt:1"):
        read_counts("page.md `java` 1\n")


def test_excerpts():
    file = "a\n  if (x) {\n    y();\n  }\nb\n"
    assert is_excerpt("if (x) {\n  y();\n}\n", file) and is_excerpt("a\nb\n", file)
    assert not is_excerpt("if (x) {\n  z();\n}\n", file) and not is_excerpt("b\na\n", file)
