"""Modules of operators that ge.es finds by their entry points: the built-in ones and those of other packages."""

import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
import sys
import types

import pytest

import ge
from ge.es import _plugin_loader

BUILT_IN = ["math", "nn", "cv", "transformer", "all"]
LINES = [f"[ge info] [ge.es._plugin_loader] ES plugin '{name}' loaded: es_{name}" for name in BUILT_IN]
SITE = pathlib.Path(ge.__file__).parent.parent  # the folder with the packages and their description


def run(script, *paths):
    """What a fresh interpreter logs and then what it prints, with these folders first on its path."""
    path = os.pathsep.join([*map(str, paths), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "GE_LOG_LEVEL": "info"},
    )
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "_plugin_loader" in line] + done.stdout.splitlines()


def test_an_import_prints_nothing():
    environment = {k: v for k, v in os.environ.items() if k != "GE_LOG_LEVEL"}
    done = subprocess.run(
        [sys.executable, "-c", "import ge, ge.es, ge.es.all"], capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def link_packages(folder):
    for name in ["ge", *(f"es_{module}" for module in BUILT_IN)]:
        (folder / name).symlink_to(SITE / name)


def test_built_in_modules_are_plugins():
    script = """
import sys, ge.es
assert ge.es.list_plugins() == ["math", "nn", "cv", "transformer", "all"]
assert ge.es.__all__[4:] == ge.es.list_plugins() and set(ge.es.__all__) <= set(dir(ge.es))
for name in ge.es.list_plugins():
    module = getattr(ge.es, name)
    assert module is ge.es.get_plugin(name) is sys.modules["ge.es." + name] is sys.modules["es_" + name]
assert not [name for name in sys.modules if name.startswith("es_all.es_") and name != "es_all.es_all_ops"]
assert ge.es.math.Add is ge.es.all.Add
"""
    assert run(script) == LINES


@pytest.mark.parametrize("first", ["es_all", "es_nn", "es_math.es_Add", "ge.es.all", "ge.es._generated_support"])
def test_any_module_may_be_first(first):
    lines = run(f"import {first}, ge.es, es_nn\nassert ge.es.nn is es_nn and es_nn.Relu is ge.es.all.Relu")
    assert sorted(lines) == sorted(LINES)


def test_the_description_is_that_of_the_wheel():
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((pathlib.Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    found = importlib.metadata.distribution(project["name"])
    assert found.version == project["version"] == ge.__version__
    wanted = {(group, name, value) for group, points in project["entry-points"].items() for name, value in points.items()}
    wanted |= {("console_scripts", name, value) for name, value in project["scripts"].items()}
    assert {(e.group, e.name, e.value) for e in found.entry_points} == wanted
    assert found.metadata["Summary"] == project["description"]
    assert found.metadata["Requires-Python"] == project["requires-python"]
    assert [r.replace(" ", "") for r in found.requires] == project["dependencies"]


def test_found_once_when_twice_on_the_path(tmp_path):
    """A wheel and a build tree, say: the first on the path counts."""
    link_packages(tmp_path)
    (description,) = SITE.glob("ge_py-*.dist-info")
    shutil.copytree(description, tmp_path / description.name)
    lines = run("import ge, ge.es\nprint(ge.__file__)\nassert len(ge.es.list_plugins()) == 5", tmp_path)
    assert lines == [*LINES, str(tmp_path / "ge" / "__init__.py")]


def test_pip_lists_the_package_once():
    pytest.importorskip("pip")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    ours = [p for p in json.loads(done.stdout) if p["name"].lower().replace("_", "-") in ("ge-py", "openge")]
    assert ours == [{"name": ours[0]["name"], "version": ge.__version__}] and ours[0]["name"] in ("ge-py", "ge_py")


def test_attributes_without_a_description(tmp_path):
    """Packages that lie there alone, as in a frozen program: nothing is announced, the modules are found by name."""
    link_packages(tmp_path)
    script = """
import importlib.metadata
importlib.metadata.entry_points = lambda **_: []
import ge.es
assert ge.es.list_plugins() == [] and ge.es.get_plugin("math") is None
assert set(dir(ge.es)) >= {"math", "nn", "cv", "transformer", "all"}
assert ge.es.math.Add is ge.es.all.Add and ge.es.nn.Relu
from ge.es import cv
try:
    ge.es.nosuch
except AttributeError as e:
    print(e)
"""
    assert run(script, tmp_path) == ["module 'ge.es' has no attribute 'nosuch'"]


class Entry:
    def __init__(self, name, value):
        self.name, self.value = name, value

    def load(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def test_plugin_loading(monkeypatch, capfd):
    module = types.ModuleType("es_mine")
    second = types.ModuleType("es_second")
    entries = [
        Entry("mine", module),
        Entry("called", lambda: module),
        Entry("text", "json"),
        Entry("", module),
        Entry("number", 3),
        Entry("gone", ImportError("no such")),
        Entry("broken", AttributeError("attr")),
        Entry("bad", ZeroDivisionError("zero")),
        Entry("mine", second),
    ]
    monkeypatch.setattr(_plugin_loader, "entry_points", lambda group: entries if group == "ge.es.plugins" else [])
    for name in ("mine", "called", "text"):
        monkeypatch.delitem(sys.modules, f"ge.es.{name}", raising=False)
    lines = []
    monkeypatch.setattr(_plugin_loader, "debug_print", lambda level, text, *args: lines.append((level, text % args)))
    loaded = _plugin_loader.load_all_plugins()
    assert loaded == {"mine": second, "called": module, "text": json} and sys.modules["ge.es.mine"] is module
    assert lines[0] == ("INFO", "ES plugin 'mine' loaded: es_mine")
    assert [level for level, _ in lines] == "INFO INFO INFO WARNING ERROR ERROR ERROR ERROR INFO".split()
    assert "Plugin 'number' returned unexpected type: <class 'int'>. Expected ModuleType, str, or callable" in lines[4][1]
    monkeypatch.undo()
    _plugin_loader.debug_print("ERROR", "a line for %s", "people")
    out, err = capfd.readouterr()
    assert out == "" and "[ge.es._plugin_loader] a line for people" in err
    for name in ("mine", "called", "text"):
        sys.modules.pop(f"ge.es.{name}", None)


def test_older_entry_point_interfaces(monkeypatch):
    entry = Entry("m", types.ModuleType("m"))
    monkeypatch.setattr(_plugin_loader, "entry_points", lambda group=None: {"ge.es.plugins": [entry]})
    assert _plugin_loader._iter_plugin_entry_points() == [entry]

    def old():
        return {"ge.es.plugins": [entry]}

    monkeypatch.setattr(_plugin_loader, "entry_points", old)
    assert _plugin_loader._iter_plugin_entry_points() == [entry]


def test_repeated_entry_points_count_once(monkeypatch):
    """Up to Python 3.9 the standard library shows the entry points of every copy of a package."""
    same = [Entry("m", "es_m:get_module"), Entry("m", "es_m:get_module")]
    other = Entry("m", "es_other:get_module")
    monkeypatch.setattr(_plugin_loader, "entry_points", lambda: {"ge.es.plugins": [*same, other]})
    assert _plugin_loader._iter_plugin_entry_points() == [same[0], other]


def test_installed_plugin(tmp_path):
    (tmp_path / "es_toy.py").write_text(
        "import sys\nfrom ge.es import GraphBuilder, TensorHolder\n"
        "def Twice(x):\n    return x + x\n"
        "def get_module():\n    return sys.modules[__name__]\n"
    )
    info = tmp_path / "es_toy-1.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: es-toy\nVersion: 1.0.0\n")
    (info / "entry_points.txt").write_text("[ge.es.plugins]\ntoy = es_toy:get_module\n")
    script = (
        "import ge.es\nfrom ge.es.toy import Twice\nimport es_toy\n"
        "assert Twice is es_toy.Twice and ge.es.get_plugin('toy') is es_toy and 'toy' in ge.es.list_plugins()\n"
        "assert ge.es.get_plugin('none') is None and ge.es.get_plugin(None) is None and 'toy' in ge.es.__all__\n"
        "print(Twice(ge.es.GraphBuilder().create_input(0)).name)\n"
    )
    toy = "[ge info] [ge.es._plugin_loader] ES plugin 'toy' loaded: es_toy"
    assert run(script, tmp_path) == [toy, *LINES, "Add_0"]
