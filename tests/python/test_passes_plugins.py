"""Plug-ins of passes: files, folders, packages and entry points; what is loaded when, and what reloads."""

import contextlib
import os
import pathlib
import shutil
import sys
import textwrap
import threading

import pytest
from pass_kit import STAGE, chain, compile_types, in_new_process

import ge
from ge import _plugins, passes
from ge._internal import plugin_loader
from ge._native import ffi, lib
from ge.es.all import Relu, Sigmoid
from ge.passes import _engine, bootstrap
from ge.passes import registry as passes_registry

VARIABLE = "ASCEND_GE_PY_PASS_PATH"
PASS = """
from ge.es.all import {to}, Relu
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass
@register_fusion_pass(name="{name}", stage=PassStage.BEFORE_INFER_SHAPE)
class ToOther(PatternFusionPass):
    @pattern
    def relu(self, inputs):
        return Relu(inputs[0])
    def replacement(self, inputs):
        return {to}(inputs[0])
"""
COUNT = "import sys\nsys.counted = getattr(sys, 'counted', []) + [__name__]\n"


@pytest.fixture
def plugins(registry, tmp_path, monkeypatch):
    """A folder for plug-ins; nothing is loaded, before the test and after it."""
    from ge.passes import _bridge

    def reset():
        _bridge.stop()
        bootstrap._loaded.clear()
        passes_registry._by_path.clear()
        bootstrap._by_plugins.clear()
        plugin_loader._MODULE_NAME_BY_CANONICAL_PATH.clear()
        sys.counted = []

    reset()
    monkeypatch.delenv(VARIABLE, raising=False)
    modules, path = set(sys.modules), list(sys.path)
    yield tmp_path
    reset()
    for name in set(sys.modules) - modules:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in sys.modules[name].__file__:
            del sys.modules[name]
    assert [p for p in sys.path if p in path] == path and set(sys.path) <= {*path, str(tmp_path)}


def write(path, text=COUNT):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def load(monkeypatch, *paths):
    monkeypatch.setenv(VARIABLE, os.pathsep.join(map(str, paths)))
    return passes.load_pass_plugins()


# ---- segments ----


@pytest.mark.parametrize("value", ["", ":", " : :", "   "])
def test_blank_segments(plugins, monkeypatch, value):
    monkeypatch.setenv(VARIABLE, value)
    assert passes.load_pass_plugins() == [] == plugin_loader.normalize_path_list(value)
    ge.load(chain(Relu))


def test_no_variable(plugins):
    assert bootstrap.ENV_PY_PASS_PATH == VARIABLE
    assert passes.load_pass_plugins() == []
    assert plugin_loader.normalize_path_list(None) == []
    assert plugin_loader.normalize_path_list(f" a {os.pathsep}{os.pathsep}b") == ["a", "b"]


def test_a_segment_that_does_not_exist(plugins, monkeypatch):
    with pytest.raises(FileNotFoundError) as caught:
        load(monkeypatch, plugins / "no.py")
    assert str(caught.value) == f"python pass path does not exist: {plugins / 'no.py'}"


def test_a_file_of_another_kind(plugins, monkeypatch):
    with pytest.raises(ValueError) as caught:
        load(monkeypatch, write(plugins / "a.txt"))
    assert str(caught.value) == f"python pass file must end with .py: {plugins / 'a.txt'}"


def test_what_is_no_file(plugins, monkeypatch):
    """A pipe is not waited for."""
    os.mkfifo(plugins / "pipe.py")
    with pytest.raises(ValueError, match=f"^python pass path is neither a file nor a folder: {plugins / 'pipe.py'}$"):
        load(monkeypatch, plugins / "pipe.py")
    assert load(monkeypatch, plugins) == []


def test_a_file(plugins, monkeypatch):
    (module,) = load(monkeypatch, f" {write(plugins / '_own.py')} ")
    assert module.__name__.startswith("_ge_py_pass__own_") and module.__name__.rsplit("_", 1)[1].isdigit()
    assert sys.modules[module.__name__] is module and module.__file__ == str(plugins / "_own.py")


def test_a_relative_segment(plugins, monkeypatch):
    write(plugins / "a.py")
    monkeypatch.chdir(plugins)
    (module,) = load(monkeypatch, "a.py")
    assert module.__file__ == str(plugins / "a.py")


def test_a_folder(plugins, monkeypatch):
    folder = plugins / "folder"
    for name in ("b.py", "_hidden.py", "_hidden/__init__.py", "c_pkg/__init__.py", "a.py", "plain/x.py", "notes.txt"):
        write(folder / name)
    write(folder / "c_pkg" / "inner.py", "value = 5")
    write(folder / "c_pkg" / "__init__.py", COUNT + "from .inner import value")
    modules = load(monkeypatch, folder)
    names = [m.__name__ for m in modules]
    assert [n.split("_")[4] if n.startswith("_ge") else n for n in names] == ["a", "b", "c_pkg"]
    assert sys.counted == names and modules[2].value == 5 and sys.modules["c_pkg"] is modules[2]
    assert str(folder) not in sys.path


def test_siblings_are_imported_from_folders_only(plugins, monkeypatch):
    folder = plugins / "folder"
    write(folder / "a.py", f"import sys\nassert sys.path[0] == {str(folder)!r}\nfrom helper_of_tests import value")
    write(folder / "helper_of_tests.py", "value = 1")
    assert len(load(monkeypatch, folder)) == 2
    del sys.modules["helper_of_tests"]
    passes.clear_registered_passes()
    plugin_loader.forget_modules("_ge_py_pass_")
    with pytest.raises((ImportError, AssertionError)):
        load(monkeypatch, folder / "a.py")


def test_a_folder_that_is_on_the_path_stays(plugins, monkeypatch):
    write(plugins / "a.py")
    monkeypatch.syspath_prepend(str(plugins))
    load(monkeypatch, plugins)
    assert str(plugins) in sys.path


def test_order_is_that_of_segments(plugins, monkeypatch):
    first, second = write(plugins / "z.py"), write(plugins / "a.py")
    assert [m.__file__ for m in load(monkeypatch, first, second)] == [str(first), str(second)]


def test_a_file_is_executed_once(plugins, monkeypatch):
    path = write(plugins / "folder" / "a.py")
    link = plugins / "link.py"
    link.symlink_to(path)
    (plugins / "linked").symlink_to(plugins / "folder")
    modules = load(monkeypatch, path, link, plugins / "folder", plugins / "linked", path)
    assert len(modules) == 1 and len(sys.counted) == 1
    assert load(monkeypatch, link) == modules and len(sys.counted) == 1
    other_kind = plugin_loader.scan_modules_from_path(path, module_prefix="_other_", plugin_kind="other")
    assert other_kind == modules and len(sys.counted) == 1


def test_a_package_is_executed_once(plugins, monkeypatch):
    write(plugins / "pkg_of_tests" / "__init__.py")
    (module,) = load(monkeypatch, plugins, plugins)
    passes.clear_registered_passes()
    plugin_loader.forget_modules("_ge_py_pass_")
    assert load(monkeypatch, plugins) == [module] and sys.counted == ["pkg_of_tests"]


def test_a_file_whose_module_is_gone_is_executed_again(plugins, monkeypatch):
    path = write(plugins / "a.py")
    (module,) = load(monkeypatch, path)
    del sys.modules[module.__name__]
    assert load(monkeypatch, path)[0] is not module and len(sys.counted) == 2


def test_two_folders_with_one_package_name(plugins, monkeypatch):
    write(plugins / "one" / "pkg_of_tests" / "__init__.py")
    write(plugins / "two" / "pkg_of_tests" / "__init__.py")
    with pytest.raises(ImportError, match="the name 'pkg_of_tests' is taken by .*one/pkg_of_tests/__init__.py"):
        load(monkeypatch, plugins / "one", plugins / "two")


@pytest.mark.parametrize(
    "content, kind",
    [
        (b"def f(:\n", SyntaxError),
        (b"raise RuntimeError('no')\n", RuntimeError),
        (b"raise SystemExit(3)\n", SystemExit),
        (b"import no_such_module_here\n", ModuleNotFoundError),
        (b"\x00\x01\x02", (SyntaxError, ImportError)),
        (b"\xff\xfe\x00", (SyntaxError, ImportError)),
    ],
)
def test_errors_come_out_and_half_loaded_modules_go(plugins, monkeypatch, content, kind):
    good, bad = write(plugins / "a.py"), plugins / "b.py"
    bad.write_bytes(content)
    with pytest.raises(kind) as caught:
        load(monkeypatch, good, bad)
    assert [n for n in sys.modules if n.startswith("_ge_py_pass_")] == sys.counted and len(sys.counted) == 1
    if isinstance(caught.value, ImportError) and not isinstance(caught.value, ModuleNotFoundError):
        assert "cannot load python pass file: " in str(caught.value) and str(bad) in str(caught.value)


def test_modules_without_passes(plugins, monkeypatch):
    load(monkeypatch, write(plugins / "a.py", "x = 1"))
    assert passes.get_registered_passes() == []


def test_dictionaries_of_the_bootstrap(plugins, monkeypatch):
    (module,) = load(monkeypatch, write(plugins / "a.py", PASS.format(name="N", to="Abs")))
    (found,) = bootstrap.get_registered_passes()
    assert found["module_name"] == module.__name__ and found["descriptor_key"] == f"{module.__name__}:ToOther:N"


# ---- when plug-ins are loaded ----


def test_the_first_compile_loads(plugins, monkeypatch):
    path = write(plugins / "a.py", PASS.format(name="N", to="Abs"))
    monkeypatch.setenv(VARIABLE, str(path))
    assert passes.get_registered_passes() == []
    assert compile_types(chain(Relu)) == ["Abs"]
    monkeypatch.setenv(VARIABLE, str(plugins / "later.py"))  # is not read any more
    assert compile_types(chain(Relu)) == ["Abs"]


def test_a_plugin_that_fails_fails_the_compile_until_it_is_right(plugins, monkeypatch):
    path = write(plugins / "a.py", "raise RuntimeError('no')")
    monkeypatch.setenv(VARIABLE, str(path))
    for _ in range(2):
        with pytest.raises(RuntimeError, match="^no$"):
            ge.load(chain(Relu))
    write(path, PASS.format(name="N", to="Abs"))
    assert compile_types(chain(Relu)) == ["Abs"]


def test_a_plugin_may_compile(plugins, monkeypatch):
    text = "import ge\nfrom pass_kit import chain, Relu\nge.load(chain(Relu))\n"
    monkeypatch.setenv(VARIABLE, str(write(plugins / "a.py", text + PASS.format(name="N", to="Abs"))))
    assert compile_types(chain(Relu)) == ["Abs"]


IMPORTS = "import sys\nfrom pass_kit import *\n"
WAYS = {
    "load": "model = ge.load(chain(Relu), {'opt_level': 0}); print(placed(model))",
    "session": """
        from ge.session import Session
        from ge.graph import DataType, Tensor
        session = Session()
        session.add_graph(1, chain(Relu))
        print(session.run_graph(1, [Tensor([-2.0] * 4, None, DataType.DT_FLOAT, shape=[4])])[0].data[0])""",
    "init": """
        from ge.ge_global import GeApi
        GeApi.ge_initialize({'ge.exec.deviceId': '0'})
        print(len(passes.get_registered_passes()))
        GeApi.ge_finalize()
        print(len(passes.get_registered_passes()), [n for n in sys.modules if n.startswith('_ge_py_pass_')])
        GeApi.ge_initialize({'ge.exec.deviceId': '0'})
        print(len(passes.get_registered_passes()))""",
    "offline": """
        from ge.offline_compile import build_finalize, build_initialize, build_model
        build_initialize()
        build_model(chain(Relu))
        print(len(passes.get_registered_passes()))""",
}
PRINTED = {"load": "['Abs']\n", "session": "2.0\n", "init": "1\n0 []\n1\n", "offline": "1\n"}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_compile_loads(plugins, way):
    path = write(plugins / "a.py", PASS.format(name="N", to="Abs"))
    found = in_new_process(
        "import sys\nfrom pass_kit import *\n" + textwrap.dedent(WAYS[way]).strip(), ASCEND_GE_PY_PASS_PATH=path
    )
    assert found.stdout == PRINTED[way], found.stderr


@pytest.mark.parametrize("way", ["load", "init"])
def test_every_way_to_compile_fails_with_a_broken_plugin(plugins, way):
    path = write(plugins / "a.py", "raise RuntimeError('broken plug-in')")
    found = in_new_process(
        "import sys\nfrom pass_kit import *\n" + textwrap.dedent(WAYS[way]).strip(), ASCEND_GE_PY_PASS_PATH=path
    )
    assert found.returncode == 1 and "RuntimeError: broken plug-in" in found.stderr and found.stdout == ""


def test_a_program_without_passes_loads_nothing_of_them():
    found = in_new_process("import sys, ge\nfrom pass_kit import Relu\n", ASCEND_GE_PY_PASS_PATH="")
    assert found.returncode == 0
    script = """
        import sys, ge
        from ge.es import GraphBuilder
        b = GraphBuilder()
        ge.load(b.build_and_reset([b.create_input(0, shape=[2]) + 1.0]))
        print([n for n in sys.modules if n.startswith('ge.passes')])
    """
    assert in_new_process(script).stdout == "[]\n"


def test_the_environment_is_read_from_the_process(plugins):
    """A variable that C code has set since the interpreter's start counts."""
    path = write(plugins / "a.py", PASS.format(name="N", to="Abs"))
    script = f"""
        import ctypes, os
        ctypes.CDLL(None).setenv(b"{VARIABLE}", {str(path).encode()!r}, 1)
        assert "{VARIABLE}" not in os.environ
        from pass_kit import *
        print(compile_types(chain(Relu)), os.environ["{VARIABLE}"] == {str(path)!r})
    """
    assert in_new_process(script).stdout == "['Abs'] True\n"


# ---- entry points ----


def distribution(folder, module, text, name=None, target=""):
    write(folder / f"{module}.py", text)
    info = folder / f"{module}-1.dist-info"
    write(info / "METADATA", f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
    write(info / "entry_points.txt", f"[ge.passes.plugins]\n{name or module} = {module}{target}\n")


def test_entry_points(plugins, monkeypatch, capfd):
    distribution(plugins, "team_passes", PASS.format(name="N", to="Abs"))
    distribution(plugins, "broken_passes", "raise RuntimeError('broken')")
    assert not _plugins.has_entry_points()
    monkeypatch.syspath_prepend(str(plugins))
    assert _plugins.has_entry_points()
    assert compile_types(chain(Relu)) == ["Abs"]
    assert "entry point 'broken_passes = broken_passes' of group 'ge.passes.plugins'" in capfd.readouterr().err


@pytest.mark.parametrize("text", ["{passes}\nraise RuntimeError('broken')\n", "{passes}\n"])
def test_entry_points_of_one_name_that_fail_leave_no_pass(plugins, monkeypatch, capfd, text):
    """Of several packages that use one name."""
    distribution(plugins, "team_passes", PASS.format(name="N", to="Abs"), name="same")
    passes_of = PASS.replace("Relu", "Sigmoid")
    target = "" if "raise" in text else ":missing"
    distribution(plugins, "wrong_passes", text.format(passes=passes_of.format(name="M", to="Abs")), name="same", target=target)
    monkeypatch.syspath_prepend(str(plugins))
    assert compile_types(chain(Relu, Sigmoid)) == ["Abs", "Sigmoid"]
    said = capfd.readouterr().err
    assert f"entry point 'same = wrong_passes{target}' of group 'ge.passes.plugins'" in said and "'wrong_passes' failed" in said
    assert [d.pass_name for d in passes.get_registered_passes()] == ["N"]
    passes.reload()
    assert [d.pass_name for d in passes.get_registered_passes()] == ["N"]


def test_packages_whose_entry_points_cannot_be_read(plugins, monkeypatch, capfd):
    distribution(plugins, "team_passes", PASS.format(name="N", to="Abs"))
    distribution(plugins, "bad_passes", "raise RuntimeError('never read')")
    write(plugins / "bad_passes-1.dist-info" / "entry_points.txt", "[ge.passes.plugins]\nno entry\n")
    monkeypatch.syspath_prepend(str(plugins))
    assert compile_types(chain(Relu)) == ["Abs"]
    assert "never read" not in capfd.readouterr().err


def test_an_entry_point_that_exits_ends_no_program(plugins, monkeypatch, capfd):
    distribution(plugins, "exits_passes", "import sys\nsys.exit(3)\n")
    monkeypatch.syspath_prepend(str(plugins))
    assert compile_types(chain(Relu)) == ["Relu"]
    assert "entry point 'exits_passes = exits_passes' of group 'ge.passes.plugins'" in capfd.readouterr().err


@pytest.mark.parametrize("before", [0, 1, 4078, 4079, 4090, 4095, 4096, 8185, 100_000])
@pytest.mark.parametrize("kind", ["dist-info", "egg-info"])
def test_a_group_is_found_wherever_it_stands(tmp_path, monkeypatch, before, kind):
    """The file is read in pieces of 4096 bytes."""
    text = "#" * before + "[ge.passes.plugins]\nname = module\n"
    write(tmp_path / f"some-1.{kind}" / "entry_points.txt", text)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert _plugins.has_entry_points()
    write(tmp_path / f"some-1.{kind}" / "entry_points.txt", text.replace("plugins", "plugin_"))
    assert not _plugins.has_entry_points()


def test_what_is_no_package_has_no_entry_points(tmp_path, monkeypatch):
    entry = "[ge.passes.plugins]\nname = module\n"
    write(tmp_path / "one" / "entry_points.txt", entry)  # no package's folder
    write(tmp_path / "two.dist-info" / "METADATA", "Name: two\n")  # a package without entry points
    write(tmp_path / "three.egg-info", entry)  # old packages: a file
    write(tmp_path / "four.dist-info" / "entry_points.txt" / "five", entry)  # a folder of that name
    write(tmp_path / "archive.zip", "PK")
    missing = [str(tmp_path / "missing"), str(tmp_path / "archive.zip"), str(tmp_path / ("n" * 5000))]
    monkeypatch.setattr(sys, "path", [str(tmp_path), *missing])
    assert not _plugins.has_entry_points()
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ü.dist-info" / "entry_points.txt", entry)
    monkeypatch.setattr(sys, "path", [*missing, ""])  # "": the folder that the process is in
    assert _plugins.has_entry_points()


def test_what_is_no_path_is_passed_over(tmp_path, monkeypatch):
    write(tmp_path / "one.dist-info" / "entry_points.txt", "[ge.passes.plugins]\nname = module\n")
    no_paths = [5, None, ["a"], "\ud800\ud800", str(tmp_path) + "\0x"]
    monkeypatch.setattr(sys, "path", no_paths)
    monkeypatch.chdir(tmp_path.parent)
    assert not _plugins.has_entry_points()
    monkeypatch.setattr(sys, "path", [*no_paths, tmp_path])
    assert _plugins.has_entry_points()


@pytest.mark.parametrize("error", ["ValueError('half')", "SystemExit(4)", "KeyboardInterrupt()"])
def test_a_file_that_fails_leaves_no_pass_and_is_loaded_anew(plugins, monkeypatch, error):
    good, file = PASS.format(name="N", to="Abs"), plugins / "half.py"
    write(file, good + f"\nraise {error}\n")
    monkeypatch.setenv(VARIABLE, str(file))
    for _ in range(2):
        with pytest.raises((ge.error.GeError, ValueError, SystemExit, KeyboardInterrupt), match="half|4|"):
            compile_types(chain(Relu))
        assert not passes_registry.get_registered_passes()
    write(file, good)
    assert compile_types(chain(Relu)) == ["Abs"]


def test_an_entry_point_that_fails_leaves_no_pass(plugins, monkeypatch, capfd):
    distribution(plugins, "half_passes", PASS.format(name="N", to="Abs") + "\nraise RuntimeError('half')\n")
    monkeypatch.syspath_prepend(str(plugins))
    assert compile_types(chain(Relu)) == ["Relu"]
    assert "failed: RuntimeError: half" in capfd.readouterr().err


# ---- reload ----


def test_a_reload_that_fails_brings_the_old_passes_back(plugins, monkeypatch):
    file = plugins / "team.py"
    write(file, PASS.format(name="N", to="Abs"))
    monkeypatch.setenv(VARIABLE, str(file))
    assert compile_types(chain(Relu)) == ["Abs"]
    write(file, PASS.format(name="N", to="Neg") + "\nraise ValueError('half')\n")
    with pytest.raises(ValueError, match="half"):
        passes.reload()
    assert compile_types(chain(Relu)) == ["Abs"]  # not the one of the same key in the file that failed
    write(file, PASS.format(name="N", to="Neg"))
    passes.reload()
    assert compile_types(chain(Relu)) == ["Neg"]


def test_reload(plugins, monkeypatch):
    path = write(plugins / "a.py", PASS.format(name="N", to="Abs"))
    monkeypatch.setenv(VARIABLE, str(path))
    own = passes.register_custom_pass(name="Own", stage=passes.PassStage.AFTER_INFER_SHAPE)(lambda graph: None)
    assert compile_types(chain(Relu)) == ["Abs"]
    write(path, PASS.format(name="Longer", to="Sigmoid"))
    (module,) = passes.reload()
    assert module.__file__ == str(path)
    assert compile_types(chain(Relu)) == ["Sigmoid"]
    assert [p.pass_name for p in passes.get_registered_passes()] == ["Own", "Longer"]
    assert passes.get_registered_passes()[0].cls is own


def test_reload_of_packages(plugins, monkeypatch):
    folder = plugins / "folder"
    write(folder / "pkg_of_tests" / "rules.py", PASS.format(name="N", to="Abs"))
    write(folder / "pkg_of_tests" / "__init__.py", "from . import rules")
    monkeypatch.setenv(VARIABLE, str(folder))
    assert compile_types(chain(Relu)) == ["Abs"]
    write(folder / "pkg_of_tests" / "rules.py", PASS.format(name="Longer", to="Sigmoid"))
    passes.reload()
    assert compile_types(chain(Relu)) == ["Sigmoid"]


def reload_quietly():
    with contextlib.suppress(ZeroDivisionError):
        passes.reload()


def test_what_begins_during_a_reload_waits_for_it(plugins, monkeypatch):
    sys.loads = threading.Semaphore(0)
    slow = "import sys, time\nsys.loads.release()\ntime.sleep(0.3)\n"
    path = write(plugins / "a.py", PASS.format(name="N", to="Abs"))
    monkeypatch.setenv(VARIABLE, str(path))
    assert compile_types(chain(Relu)) == ["Abs"]
    for text, expected in ((PASS.format(name="N", to="Neg"), "Neg"), ("1 / 0\n", "Neg")):
        write(path, slow + text)
        thread = threading.Thread(target=reload_quietly)
        thread.start()
        sys.loads.acquire()
        assert compile_types(chain(Relu)) == [expected]
        thread.join()
    del sys.loads


def test_a_reload_that_fails_changes_nothing(plugins, monkeypatch):
    path = write(plugins / "a.py", PASS.format(name="N", to="Abs"))
    monkeypatch.setenv(VARIABLE, str(path))
    assert compile_types(chain(Relu)) == ["Abs"]
    before = passes.get_registered_passes()
    write(path, PASS.format(name="M", to="Sigmoid") + "raise RuntimeError('half')\n")
    with pytest.raises(RuntimeError, match="^half$"):
        passes.reload()
    assert passes.get_registered_passes() == before and compile_types(chain(Relu)) == ["Abs"]
    assert sys.modules[before[0].module_name]


def test_the_same_name_in_two_files(plugins, monkeypatch):
    first, second = plugins / "a.py", plugins / "b.py"
    for path in (first, second):
        write(path, PASS.format(name="N", to="Abs"))
    monkeypatch.setenv(VARIABLE, os.pathsep.join((str(first), str(second))))
    with pytest.raises(ValueError, match="^python pass name already exists: N$"):
        ge.load(chain(Relu))
    with pytest.raises(ValueError, match="^python pass name already exists: N$"):
        ge.load(chain(Relu))


# ---- passes of some compiles ----


def test_files_that_are_not_for_all_compiles(plugins):
    path = write(plugins / "a.py", COUNT + PASS.format(name="N", to="Abs"))
    (found,) = bootstrap.load_pass_files([path])
    assert found.pass_name == "N" and passes.get_registered_passes() == []
    assert bootstrap.load_pass_files([path, plugins]) == [found] and len(sys.counted) == 1
    assert compile_types(chain(Relu)) == ["Relu"]
    made, _ = _engine.table(found)
    token = ffi.new("uint64_t *")
    assert lib.GeCustomPassRegister(made, token) == 0
    assert compile_types(chain(Relu)) == ["Abs"]
    lib.GeCustomPassUnregister(token[0])
    assert compile_types(chain(Relu)) == ["Relu"]


def test_collecting_is_of_one_thread(plugins):
    with passes_registry.collecting() as collected:
        thread = threading.Thread(target=lambda: passes.register_custom_pass(name="A", stage=STAGE)(lambda graph: None))
        thread.start()
        thread.join()
        passes.register_custom_pass(name="B", stage=STAGE)(lambda graph: None)
        with pytest.raises(ValueError, match="already exists"):
            passes.register_custom_pass(name="B", stage=STAGE)(lambda graph, context: None)
    assert [d.pass_name for d in collected.values()] == ["B"]
    assert [d.pass_name for d in passes.get_registered_passes()] == ["A"]


def test_entry_points_come_again_with_the_next_start(plugins, monkeypatch):
    from ge.ge_global import GeApi

    distribution(plugins, "again_passes", PASS.format(to="Sigmoid", name="Again"))
    monkeypatch.syspath_prepend(str(plugins))
    for _ in range(2):
        assert GeApi.ge_initialize({"ge.exec.deviceId": "0"}) == 0
        assert compile_types(chain(Relu)) == ["Sigmoid"]
        assert GeApi.ge_finalize() == 0


def test_a_plugin_that_waits_for_a_thread_that_compiles(plugins):
    path = write(
        plugins / "waits.py",
        "import ge, threading\nfrom pass_kit import *\nt = threading.Thread(target=lambda: ge.load(chain(Relu)))\n"
        "t.start()\nt.join(60)\nassert not t.is_alive()\n" + PASS.format(to="Sigmoid", name="ToSigmoid"),
    )
    script = "from pass_kit import *\nprint(compile_types(chain(Relu)))"
    assert in_new_process(script, **{VARIABLE: str(path)}).stdout == "['Sigmoid']\n"
    script = f"from pass_kit import *\nprint(placed(ge.load(chain(Relu), {{'opt_level': 0, 'passes': {str(path)!r}}})))"
    run = in_new_process(script)
    assert run.stdout == "['Sigmoid']\n", run.stderr


def test_reload_of_passes_whose_class_another_module_has(plugins, monkeypatch):
    folder = plugins / "folder"
    write(folder / "_impl_of_reload.py", PASS.format(to="Sigmoid", name="X").replace("@register_fusion_pass", "# "))
    text = "import _impl_of_reload\nfrom ge.passes import *\n"
    text += "register_fusion_pass(name='Mine', stage=PassStage.BEFORE_INFER_SHAPE)(_impl_of_reload.ToOther)\n"
    write(folder / "main.py", text)
    load(monkeypatch, folder)
    assert compile_types(chain(Relu)) == ["Sigmoid"]
    for _ in range(2):
        passes.reload()
        assert compile_types(chain(Relu)) == ["Sigmoid"]


# ---- vendors' libraries ----

LIBRARY = pathlib.Path(os.environ.get("GE_BUILD_DIR", "")) / "tests" / "libcxx_pass_library.so"


@pytest.mark.skipif(not LIBRARY.is_file(), reason="needs the library of the C++ tests")
def test_vendors_libraries_act_in_load(plugins):
    folder = plugins / "vendors" / "acme" / "custom_fusion_passes"
    folder.mkdir(parents=True)
    shutil.copy(LIBRARY, folder)
    script = "from pass_kit import *\nprint(compile_types(chain(Relu6)))"
    alone, with_vendor = in_new_process(script), in_new_process(script, ASCEND_OPP_PATH=plugins)
    assert alone.stdout == "['Relu6']\n" and "Relu6" not in with_vendor.stdout and with_vendor.stdout, with_vendor.stderr


@pytest.mark.skipif(not LIBRARY.is_file(), reason="needs the library of the C++ tests")
def test_libraries_by_path_are_counted():
    script = f"""
        from pass_kit import *
        from ge._native import NULL, lib
        path = {str(LIBRARY)!r}.encode()
        def splits():
            return compile_types(chain(Relu6)) != ["Relu6"]
        assert not splits()
        for _ in range(2):
            assert lib.GePassLibraryLoad(path) == 0 and splits()
        assert lib.GePassLibraryUnload(path) == 0 and splits()
        assert lib.GePassLibraryUnload(path) == 0 and not splits()
        assert lib.GePassLibraryUnload(path) == lib.GE_NOT_FOUND
        assert lib.GePassLibraryLoad(path) == 0 and splits()
        assert lib.GePassLibraryLoad(b"/no/such.so") == lib.GE_FAILED
        assert lib.GePassLibraryLoad(b"") == lib.GE_PARAM_INVALID
    """
    run = in_new_process(script)
    assert run.returncode == 0, run.stderr


def test_a_library_of_a_vendor_that_cannot_be_loaded(plugins):
    write(plugins / "vendors" / "acme" / "custom_fusion_passes" / "libbad.so", "no library")
    run = in_new_process("from pass_kit import *\nge.load(chain(Relu))", ASCEND_OPP_PATH=plugins)
    assert run.returncode == 1 and "GeError: E13029: pass library '" in run.stderr and "libbad.so" in run.stderr


def test_python_files_as_libraries_of_passes(plugins):
    """GePassLibraryLoad takes them for all compiles, counted, by any link to a file."""
    path, link = write(plugins / "a.py", COUNT + PASS.format(name="N", to="Abs")), plugins / "link.py"
    link.symlink_to(path)
    folder = plugins / "more"
    write(folder / "b.py", PASS.format(name="M", to="Sigmoid"))
    for each in (path, link):
        assert lib.GePassLibraryLoad(os.fsencode(each)) == 0 and compile_types(chain(Relu)) == ["Abs"]
    assert len(sys.counted) == 1 and passes.get_registered_passes() == []
    assert lib.GePassLibraryUnload(os.fsencode(path)) == 0 and compile_types(chain(Relu)) == ["Abs"]
    assert lib.GePassLibraryUnload(os.fsencode(link)) == 0 and compile_types(chain(Relu)) == ["Relu"]
    assert lib.GePassLibraryUnload(os.fsencode(path)) == lib.GE_NOT_FOUND
    assert lib.GePassLibraryLoad(os.fsencode(folder)) == 0 and compile_types(chain(Relu)) == ["Sigmoid"]
    assert lib.GePassLibraryUnload(os.fsencode(folder)) == 0 and compile_types(chain(Relu)) == ["Relu"]
    for wrong, reason in ((plugins / "none.py", "there is no such file"), (write(plugins / "bad.py", "1 / 0"), "ZeroDivision")):
        assert lib.GePassLibraryLoad(os.fsencode(wrong)) == lib.GE_FAILED
        message = ffi.string(lib.GeLastErrorMessage()).decode()
        assert message.startswith("E13029: Python passes ") and f"'{wrong}'" in message and reason in message
    assert lib.GePassLibraryLoad(os.fsencode(path)) == 0 and compile_types(chain(Relu)) == ["Abs"]
    assert lib.GePassLibraryUnload(os.fsencode(path)) == 0
