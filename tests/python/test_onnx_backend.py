"""ONNX's own tests. onnx_backend_cases.txt lists those that must pass; the list only grows."""

import importlib.machinery
import importlib.util
import pathlib
import re
import types

import onnx_backend
import pytest

FEWEST = 1860
ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_list_does_not_shrink():
    names = onnx_backend.expected()
    assert len(names) >= FEWEST
    assert names == sorted(set(names))


def docs_onnx_tests():
    loader = importlib.machinery.SourceFileLoader("docs_onnx_tests", str(ROOT / "scripts/docs-onnx-tests"))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(script)
    return script


def test_the_page_says_why_the_others_do_not_pass():
    script = docs_onnx_tests()
    page = script.PAGE.read_text(encoding="utf-8")
    of = re.search(r"\(version (.+?)\)", page).group(1)
    assert of == onnx_backend.version(), "the page is of another version of the onnx package: scripts/docs-onnx-tests"
    text, problems = script.page(onnx_backend)
    assert not problems
    assert page == text, "scripts/docs-onnx-tests writes it anew"


@pytest.mark.parametrize("name", onnx_backend.expected())
def test_case(name):
    cases = onnx_backend.all_cases()
    assert name in cases, f"onnx {onnx_backend.version()} has no such test"
    onnx_backend.run(cases[name])


def test_reasons_that_no_test_needs_are_told():
    script = docs_onnx_tests()
    cases = {"test_a": "differs", "test_b": "", "test_c": ""}
    backend = types.SimpleNamespace(
        version=lambda: "1", expected=lambda kind="": [], cases=lambda kind: cases, all_cases=lambda: cases,
        run_apart=lambda case: case,
    )  # fmt: skip
    script.KNOWN = {r"test_a": "one", r"test_[bc]": "two", r"test_d.*": "three"}
    text, problems = script.page(backend)
    assert "## 1: one" in text
    assert [p.partition(":")[0] for p in problems] == ["KNOWN 'test_[bc]'", "KNOWN 'test_d.*'"]
