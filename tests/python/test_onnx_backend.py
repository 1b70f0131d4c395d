"""ONNX's own tests. onnx_backend_cases.txt lists those that must pass; the list only grows."""

import importlib.machinery
import importlib.util
import pathlib

import onnx_backend
import pytest

FEWEST = 1860
ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_list_does_not_shrink():
    names = onnx_backend.expected()
    assert len(names) >= FEWEST
    assert names == sorted(set(names))


def test_the_page_says_why_the_others_do_not_pass():
    loader = importlib.machinery.SourceFileLoader("docs_onnx_tests", str(ROOT / "scripts/docs-onnx-tests"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(script)
    page = script.PAGE.read_text(encoding="utf-8")
    if f"(version {onnx_backend.version()})" not in page:
        pytest.skip("the page is of another version of the onnx package")
    text, problems = script.page(onnx_backend)
    assert not problems
    assert page == text, "scripts/docs-onnx-tests writes it anew"


@pytest.mark.parametrize("name", onnx_backend.expected())
def test_case(name):
    cases = onnx_backend.all_cases()
    if name not in cases:
        pytest.skip("not in this version of the onnx package")
    onnx_backend.run(cases[name])
