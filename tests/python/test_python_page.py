"""The code of docs/python.md runs, block after block, as one program."""

import pathlib
import re

import models
import onnx

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    onnx.save(models.mlp(), "model.onnx")
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.S | re.M))
    assert len(blocks) >= 6
    names = {"__name__": "page"}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)  # errors name the line of the page


def test_the_errors_of_the_page_are_those_there_are():
    import builtins

    import ge.error

    rows = re.findall(r"^\|[^|]+\| `(Ge\w+)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert {name for name, _ in rows} == {n for n in dir(ge.error) if n.startswith("Ge")}
    for name, bases in rows:
        for base in re.findall(r"`(\w+)`", bases):
            assert issubclass(getattr(ge.error, name), getattr(builtins, base))
        assert issubclass(getattr(ge.error, name), ge.GeError)
