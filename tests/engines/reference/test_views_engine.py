"""The engine for views asks the traits: it serves every operator that they call a view, and no name alone."""

import numpy as np
import pytest
from engine_harness import TRAIT_VIEW, TRAITS, Engine

X = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture(scope="module")
def views():
    return Engine("views")


@pytest.mark.parametrize("op", sorted(op for op, flags in TRAITS.items() if flags & TRAIT_VIEW))
def test_every_view_lies_inside_its_input(views, op):
    results, info = views.run_once(op, [X], {}, [((2, 6), np.float32)])
    assert info["aliases"] == [(0, 0, 0, 0)] and info["flags"] == 1
    np.testing.assert_array_equal(results[0], X.reshape(2, 6))


def test_a_program_s_view_is_served_like_the_library_s(views, cpu, monkeypatch):
    reason = views.check("MyView", [X], {}, [((12,), np.float32)])
    assert reason == "not a view operator"
    assert "no reference kernel" in cpu.check("MyView", [X], {}, [((12,), np.float32)])
    monkeypatch.setitem(TRAITS, "MyView", TRAIT_VIEW)
    for engine in (views, cpu):
        assert engine.check("MyView", [X], {}, [((12,), np.float32)]) is None
        np.testing.assert_array_equal(engine.run_once("MyView", [X], {}, [((12,), np.float32)])[0][0], X.reshape(-1))


def test_what_is_no_view_is_refused(views, cpu, monkeypatch):
    monkeypatch.setitem(TRAITS, "MyView", TRAIT_VIEW)
    two = [((12,), np.float32), ((12,), np.float32)]
    assert views.check("MyView", [X], {}, two) == "not a view operator"  # only output 0 is one
    assert "no reference kernel" in cpu.check("MyView", [X], {}, two)
    assert "differ in size" in views.check("MyView", [X], {}, [((3, 4), np.float64)])
    assert "repeated" in views.check("Tile", [X, np.array([2, 1])], {}, [((6, 4), np.float32)])
