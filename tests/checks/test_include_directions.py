"""scripts/checks/include_directions.py sees forbidden includes, circles of folders and grants without use."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("include_directions", ROOT / "scripts/checks/include_directions.py")
directions = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(directions)

TABLE = {
    "part": [],
    "core/a": [],
    "core/b": ["core/a"],
    "core/b/c": ["core/a", "core/b"],
    "top": ["core", "part/one.h"],
}


@pytest.fixture
def tree(tmp_path):
    def put(name, *included):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{i}"\n' for i in included))

    put("core/a/a.h")
    put("part/one.h")
    put("core/b/b.cpp", "core/b/b.h", "core/a/a.h", "ge/status.h")
    put("core/b/b.h")
    put("core/b/c/c.cpp", "core/a/a.h", "core/b/b.h")
    put("top/top.cpp", "core/a/a.h", "core/b/c/c.h", "part/one.h")
    put.root = tmp_path
    return put


def problems(tree, table=TABLE):
    return directions.check(tree.root, table)[0]


@pytest.fixture(autouse=True)
def names_of_the_table(monkeypatch):
    monkeypatch.setattr(directions, "TOP", ("core/", "top/", "part/"))


def test_a_right_tree_passes(tree):
    assert directions.check(tree.root, TABLE) == ([], 7)


def test_the_project_passes(monkeypatch):
    monkeypatch.undo()
    found, count = directions.check(ROOT)
    assert found == [] and count > 500


def test_an_include_without_a_grant(tree):
    tree("core/a/wrong.cpp", "part/one.h")
    assert problems(tree) == ["core/a/wrong.cpp:1: core/a may not include part/one.h"]


def test_a_grant_of_a_file_is_no_grant_of_its_folder(tree):
    tree("top/wrong.cpp", "part/two.h")
    assert problems(tree) == ["top/wrong.cpp:1: top may not include part/two.h"]


def test_a_grant_of_a_folder_is_none_of_those_below_it(tree):
    table = {**TABLE, "top": ["core/b", "core/a", "part/one.h"]}
    assert "top/top.cpp:2: top may not include core/b/c/c.h" in problems(tree, table)


def test_a_circle_of_folders(tree):
    tree("core/a/back.cpp", "core/b/c/c.h")
    assert problems(tree) == [
        "core/a/back.cpp:1: core/a may not include core/b/c/c.h",
        "folders include one another: core/a -> core/b/c -> core/a",
    ]


def test_a_circle_cannot_be_granted(tree):
    tree("core/a/back.cpp", "core/b/b.h")
    found = problems(tree, {**TABLE, "core/a": ["core/b"]})
    assert "core/a is granted core/b, which does not stand above it in the table" in found
    assert "folders include one another: core/a -> core/b -> core/a" in found


def test_a_grant_that_nobody_uses(tree):
    assert problems(tree, {**TABLE, "core/b": ["core/a", "part"]}) == ["core/b has no use for the grant of part"]


def test_a_grant_of_a_folder_that_is_not_there(tree):
    found = problems(tree, {**TABLE, "core/b": ["core/a", "gone"]})
    assert found[0] == "core/b is granted gone, which does not stand above it in the table"
