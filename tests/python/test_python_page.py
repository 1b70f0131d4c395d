"""The errors that docs/python.md lists; tests/docs runs its code."""

import pathlib
import re

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_the_errors_of_the_page_are_those_there_are():
    import builtins

    import ge.error

    rows = re.findall(r"^\|[^|]+\| `(Ge\w+)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert {name for name, _ in rows} == {n for n in dir(ge.error) if n.startswith("Ge")}
    for name, bases in rows:
        for base in re.findall(r"`(\w+)`", bases):
            assert issubclass(getattr(ge.error, name), getattr(builtins, base))
        assert issubclass(getattr(ge.error, name), ge.GeError)
