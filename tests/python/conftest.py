"""Fixtures of the Python tests. They run against the package on PYTHONPATH: a build tree or an installed wheel."""

import gc
import re

import pytest


@pytest.fixture
def builder():
    from ge.es import GraphBuilder

    return GraphBuilder("g")


@pytest.fixture(autouse=True)
def collected():
    """What a test leaves behind dies with it, so that a bad release shows in the test that caused it."""
    yield
    gc.collect()


@pytest.fixture
def math():
    return pytest.importorskip("ge.es.math")


@pytest.fixture
def registry():
    """ge.passes; no pass is registered, before the test and after it."""
    from ge import passes

    passes.clear_registered_passes()
    passes.report(clear=True)
    yield passes
    passes.clear_registered_passes()


class raises:
    """pytest.raises with the whole text of the exception, to the letter; `reason` is a pattern of the library's own reason,
    which stands in the attribute of that name and in the exception's cause."""

    def __init__(self, kind, message, reason=None):
        self._kind, self._message, self._reason = kind, message, reason

    def __enter__(self):
        self._context = pytest.raises(self._kind)
        self._info = self._context.__enter__()
        return self._info

    def __exit__(self, *error):
        result = self._context.__exit__(*error)
        if result:
            value = self._info.value
            assert str(value) == self._message
            if self._reason is not None:
                assert re.search(self._reason, value.reason) and str(value.__cause__) == value.reason
        return result
