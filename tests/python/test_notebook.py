"""The notebooks among the examples run from the first cell to the last, and show what is written into them."""

import json
import pathlib
import re

import pytest
from run_notebook import Kernel, run

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.rglob("*.ipynb"))


def shape(outputs):
    """What kinds of things a cell shows."""
    return [(o["output_type"], sorted(o.get("data", ()))) for o in outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_every_cell_shows_what_is_written_there(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = 0
    for cell, outputs in run(json.loads(path.read_text(encoding="utf-8"))):
        cells += 1
        if "varies" in cell["metadata"].get("tags", ()):  # times, kernels, pictures
            assert shape(outputs) == shape(cell["outputs"]), cell["id"]
        else:
            assert outputs == cell["outputs"], cell["id"]
    assert cells >= 8 and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_the_file_is_a_notebook(path):
    """What version 4.5 of the format asks for; and nothing of the machine it was made on."""
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5) and notebook["metadata"]["kernelspec"]["name"]
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", i) for i in ids)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    for cell in notebook["cells"]:
        wanted = {"cell_type", "id", "metadata", "source"} | ({"outputs", "execution_count"} if cell in code else set())
        assert set(cell) == wanted and cell["cell_type"] in ("code", "markdown") and cell["source"]
    assert not re.search(r"/(home|root|tmp|usr|opt|work)/", text)


def test_there_is_a_notebook_that_uses_every_page():
    text = "".join(path.read_text(encoding="utf-8") for path in NOTEBOOKS)
    for page in ("Model:", "Graph ", "Placement of", "Profile:", "<svg"):
        assert page in text


def test_the_kernel_is_like_jupyters():
    kernel = Kernel()
    try:
        assert kernel.execute("x = 1\nprint(x)\nx + 1") == ("1\n", {"text/plain": "2"})
        assert kernel.execute("x + 1;") == ("", None) and kernel.execute("# nothing") == ("", None)
        assert kernel.execute("import asyncio\nawait asyncio.sleep(0, result=[x])")[1] == {"text/plain": "[1]"}
        assert kernel.execute("for i in range(2):\n    print(i)") == ("0\n1\n", None)
        with pytest.raises(ZeroDivisionError):
            kernel.execute("1 / 0")
    finally:
        kernel.close()
