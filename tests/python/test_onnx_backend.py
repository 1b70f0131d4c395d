"""ONNX's own tests. onnx_backend_cases.txt lists those that must pass; the list only grows."""

import onnx_backend
import pytest

FEWEST = 1700


def test_the_list_does_not_shrink():
    names = onnx_backend.expected()
    assert len(names) >= FEWEST
    assert names == sorted(set(names))


@pytest.mark.parametrize("name", onnx_backend.expected())
def test_case(name):
    cases = onnx_backend.all_cases()
    if name not in cases:
        pytest.skip("not in this version of the onnx package")
    onnx_backend.run(cases[name])
