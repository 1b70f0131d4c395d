"""Fixtures of the Python tests. They run against the package on PYTHONPATH: a build tree or an installed wheel."""

import gc

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


def raises(kind, message, reason=None):
    """pytest.raises with the whole message, to the letter.

    Where a native call failed, the library's own reason follows the message; `reason` is a pattern it must have.
    """
    import re

    if reason is not None:
        return pytest.raises(kind, match=f"^{re.escape(message)}: .*{reason}")
    native = message.startswith("Failed to ") or message == "Tensor handle cannot be None"
    return pytest.raises(kind, match="^" + re.escape(message) + ("(: .+)?$" if native else "$"))
