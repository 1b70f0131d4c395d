"""The code in README.md and docs/*.md does what they say."""

import collections
import os
import pathlib
import re

import pytest
from document_blocks import ROOT, BadDocument, blocks_of, count_problems, is_excerpt, pages, read_counts
from document_runner import Page, make_folder

BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release")).resolve()
NAMES = [str(page.relative_to(ROOT)) for page in pages()]


def blocks(name):
    try:
        return blocks_of((ROOT / name).read_text(encoding="utf-8"), name)
    except BadDocument as error:
        pytest.fail(str(error), pytrace=False)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_run(name, tmp_path):
    to_run = [block for block in blocks(name) if block.runs]
    if not to_run:
        return
    page = Page(make_folder(tmp_path, BUILD), BUILD)
    try:
        problems = [problem for problem in map(page.run, to_run) if problem]
    finally:
        page.close()
    if problems:
        pytest.fail("\n\n".join(problems), pytrace=False)


@pytest.mark.parametrize("name", NAMES)
def test_excerpts_stand_in_their_files(name):
    for block in blocks(name):
        if not block.excerpt:
            continue
        file = ROOT / block.excerpt
        if not file.is_file():
            pytest.fail(f"{block.where}: there is no file {block.excerpt}", pytrace=False)
        if not is_excerpt(block.text, file.read_text(encoding="utf-8")):
            pytest.fail(f"{block.where}: {block.excerpt} has no such lines:\n{block.text}", pytrace=False)


def test_blocks_that_do_not_run_are_counted():
    counts = read_counts((ROOT / "tests/docs/not_run.txt").read_text(encoding="utf-8"))
    problems = count_problems([block for name in NAMES for block in blocks(name)], counts)
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def test_blocks_of_all_languages_run():
    kinds = collections.Counter(block.language for name in NAMES for block in blocks(name) if block.runs)
    assert all(kinds[language] for language in ("python", "c", "cpp", "sh")) and kinds.total() >= 50, kinds


def test_the_picture_shows_what_the_program_makes(tmp_path):
    """README.md's picture is what its program draws: the same words in the same order."""
    page = Page(make_folder(tmp_path, BUILD), BUILD)
    try:
        assert [page.run(block) for block in blocks("README.md") if block.language == "python"] == [None]
    finally:
        page.close()
    drawn, shown = ((folder / "mlp.svg").read_text() for folder in (tmp_path, ROOT / "docs/pictures"))
    words = [re.findall(r">([^<>]+)</", picture) for picture in (drawn, shown)]
    if words[0] != words[1] or "MatMul" not in shown:
        pytest.fail(f"docs/pictures/mlp.svg shows {words[1]}, the program draws {words[0]}: copy the new one", pytrace=False)
