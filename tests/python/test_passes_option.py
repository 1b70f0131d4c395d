"""Option `passes`: files whose passes take part in one compile alone."""

import sys
import threading

import numpy as np
import pytest
from pass_kit import chain, in_new_process, placed
from test_passes_plugins import COUNT, LIBRARY, PASS, plugins, write  # noqa: F401  # a fixture

import ge
from ge import passes
from ge.error import GeError
from ge.es.all import Relu
from ge.session import Session

pytestmark = pytest.mark.usefixtures("plugins")


def types(graph, *files, **options):
    return placed(ge.load(graph, {"opt_level": 0, **({"passes": files} if files else {}), **options}))


def relu_to(folder, to, name=None):
    return write(folder / f"to_{to.lower()}.py", COUNT + PASS.format(to=to, name=name or "To" + to))


def test_acts_in_one_compile_alone(plugins):  # noqa: F811
    path = relu_to(plugins, "Sigmoid")
    assert types(chain(Relu)) == ["Relu"]
    assert types(chain(Relu), path) == ["Sigmoid"]
    assert types(chain(Relu)) == ["Relu"]
    assert types(chain(Relu), str(path)) == ["Sigmoid"]
    assert len(sys.counted) == 1  # the file was executed once
    assert passes.get_registered_passes() == []
    model = ge.load(chain(Relu), {"passes": path})
    np.testing.assert_allclose(model(np.float32([0, 0, 0, 0])), [0.5] * 4)


def test_files_in_their_order_folders_and_links(plugins):  # noqa: F811
    sigmoid = relu_to(plugins, "Sigmoid", "B")
    tanh = relu_to(plugins / "more", "Tanh", "A")
    link = plugins / "link.py"
    link.symlink_to(sigmoid)
    assert types(chain(Relu), sigmoid, link) == ["Sigmoid"]
    assert types(chain(Relu), plugins / "more") == ["Tanh"]
    assert types(chain(Relu), sigmoid, plugins / "more") == ["Tanh"]  # fusion passes of a stage run by name
    assert types(chain(Relu), passes=f" {sigmoid} : {tanh}::") == ["Tanh"]


def test_beside_registered_passes(plugins, monkeypatch):  # noqa: F811
    sigmoid = relu_to(plugins, "Sigmoid", "B")
    tanh = relu_to(plugins / "more", "Tanh", "A")
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(tanh))
    assert types(chain(Relu)) == ["Tanh"]
    assert types(chain(Relu), tanh) == ["Tanh"]  # the plug-in itself: it runs once
    assert types(chain(Relu), sigmoid) == ["Tanh"]
    assert types(chain(Relu), sigmoid, **{"passes.disable": "A"}) == ["Sigmoid"]


def test_names_of_these_passes_are_known(plugins):  # noqa: F811
    path = relu_to(plugins, "Sigmoid")
    assert types(chain(Relu), path, **{"passes.disable": "ToSigmoid"}) == ["Relu"]
    assert types(chain(Relu), path, **{"ge.optimizationSwitch": "ToSigmoid:off"}) == ["Relu"]
    with ge.transform.PassContext(disabled_pass=["ToSigmoid"]):
        assert types(chain(Relu), path) == ["Relu"]
    with pytest.raises(GeError, match="passes.disable: there is no pass 'ToSigmoid'"):
        types(chain(Relu), **{"passes.disable": "ToSigmoid"})


def test_sessions_and_functions(plugins):  # noqa: F811
    path = write(
        plugins / "functions.py",
        "from ge.passes import PassStage, register_custom_pass\nimport ge\nfrom ge.es.all import Relu\n"
        "from pass_kit import chain, placed\n"
        "seen = []\n@register_custom_pass(name='Look', stage=PassStage.BEFORE_INFER_SHAPE)\ndef look(graph):\n"
        "    seen.append(graph.name)\n    if len(seen) == 1:\n        placed(ge.load(chain(Relu)))\n",
    )
    session = Session({"passes": str(path)})
    session.add_graph(1, chain(Relu, shape=()))
    session.run_graph(1, [ge.graph.Tensor([1.0])])
    (module,) = (m for n, m in sys.modules.items() if n.startswith("_ge_py_pass_functions"))
    assert len(module.seen) == 1  # the compile that the function starts is another one


def test_classes_of_other_modules(plugins):  # noqa: F811
    folder = plugins / "folder"
    text = PASS.format(to="Sigmoid", name="X").replace("@register_fusion_pass", "# ")
    write(folder / "_impl_of_option.py", text)
    write(
        folder / "main.py",
        "import _impl_of_option\nfrom ge.passes import *\n"
        "register_fusion_pass(name='Mine', stage=PassStage.BEFORE_INFER_SHAPE)(_impl_of_option.ToOther)\n",
    )
    write(plugins / "other" / "_decorated_of_option.py", PASS.format(to="Tanh", name="Decorated"))
    write(plugins / "other" / "main.py", "import _decorated_of_option\n")
    for _ in range(2):
        assert types(chain(Relu), folder) == ["Sigmoid"]
        assert types(chain(Relu), plugins / "other") == ["Tanh"]


def test_a_name_that_two_files_have(plugins):  # noqa: F811
    first, second = relu_to(plugins / "a", "Sigmoid", "Same"), relu_to(plugins / "b", "Tanh", "Same")
    with pytest.raises(ValueError, match="python pass name already exists: Same"):
        types(chain(Relu), first, second)
    assert types(chain(Relu), second) == ["Tanh"]
    assert types(chain(Relu), first) == ["Sigmoid"]
    with pytest.raises(ValueError, match="python pass name already exists: Same"):
        types(chain(Relu), first, second)


def test_a_file_that_becomes_a_plugin(plugins, monkeypatch):  # noqa: F811
    path = relu_to(plugins, "Sigmoid")
    assert types(chain(Relu), path) == ["Sigmoid"] and types(chain(Relu)) == ["Relu"]
    monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(path))
    passes.reload()
    assert types(chain(Relu)) == ["Sigmoid"]


@pytest.mark.parametrize("becomes_plugin", [False, True])
def test_packages_in_a_folder_after_a_reload(plugins, monkeypatch, becomes_plugin):  # noqa: F811
    folder = plugins / "folder"
    write(folder / "pkg_of_option" / "__init__.py", PASS.format(to="Sigmoid", name="InPackage"))
    assert types(chain(Relu), folder) == ["Sigmoid"]
    if becomes_plugin:
        monkeypatch.setenv("ASCEND_GE_PY_PASS_PATH", str(folder))
    passes.reload()
    assert types(chain(Relu)) == (["Sigmoid"] if becomes_plugin else ["Relu"])
    assert types(chain(Relu), folder) == ["Sigmoid"]


def test_a_package_that_failed_is_imported_anew(plugins):  # noqa: F811
    folder, helper = plugins / "folder", plugins / "folder" / "pkg_that_fails" / "helper.py"
    text = "from .helper import GOOD\n" + PASS.format(to="Sigmoid", name="InPackage")
    write(folder / "pkg_that_fails" / "__init__.py", text)
    for broken in ("BAD = 1\n", "BAD = 12\n"):
        write(helper, broken)
        with pytest.raises(ImportError, match="cannot import name 'GOOD'"):
            types(chain(Relu), folder)
        write(helper, f"GOOD = {len(broken)}\n")
        passes.reload()
        assert types(chain(Relu), folder) == ["Sigmoid"]
        passes.reload()


def test_instruments_see_these_passes(plugins):  # noqa: F811
    path = relu_to(plugins, "Sigmoid")
    timing = ge.instrument.PassTimingInstrument()
    with ge.transform.PassContext(instruments=[timing]):
        types(chain(Relu), path)
    assert "ToSigmoid" in timing.render()


def test_threads_with_different_files(plugins):  # noqa: F811
    files = [relu_to(plugins, to) for to in ("Sigmoid", "Tanh", "Abs")]
    found = {}

    def work(i):
        found[i] = [types(chain(Relu), files[i]) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == {0: [["Sigmoid"]] * 20, 1: [["Tanh"]] * 20, 2: [["Abs"]] * 20}


def test_errors(plugins):  # noqa: F811
    with pytest.raises(GeError, match="option passes: '/no/such.py': there is no such file"):
        types(chain(Relu), "/no/such.py")
    with pytest.raises(GeError, match=r"option passes: '.*notes.txt': expected a library \(.so\), a Python file"):
        types(chain(Relu), write(plugins / "notes.txt"))
    with pytest.raises(SyntaxError):
        types(chain(Relu), write(plugins / "bad.py", "def"))
    with pytest.raises((ImportError, SyntaxError), match="nul.py"):
        types(chain(Relu), write(plugins / "nul.py", "a = '\0'"))
    with pytest.raises(ZeroDivisionError):
        types(chain(Relu), write(plugins / "zero.py", "1 / 0"))
    with pytest.raises(GeError, match="E13029: pass library '.*broken.so' cannot be loaded"):
        types(chain(Relu), write(plugins / "broken.so", "no library"))
    assert types(chain(Relu)) == ["Relu"]


@pytest.mark.skipif(not LIBRARY.is_file(), reason="needs the library of the C++ tests")
def test_libraries(plugins):  # noqa: F811
    script = f"""
        import os
        from pass_kit import *
        from ge._native import lib
        path = {str(LIBRARY)!r}
        def splits(**options):
            return placed(ge.load(chain(Relu6), {{"opt_level": 0, **options}})) != ["Relu6"]
        assert not splits() and splits(passes=path) and not splits() and splits(passes=path)
        link = {str(plugins / "link.so")!r}
        os.symlink(path, link)
        assert splits(passes=[link, path]) and not splits()
        assert lib.GePassLibraryLoad(path.encode()) == 0 and splits() and splits(passes=path)
        assert lib.GePassLibraryUnload(link.encode()) == 0 and not splits() and splits(passes=path)
        assert not splits(passes=path, **{{"passes.disable": "VendorRelu6"}})
    """
    run = in_new_process(script)
    assert run.returncode == 0, run.stderr
