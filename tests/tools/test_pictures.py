"""Pictures of the benchmark networks: well-formed, boxes apart from one another, text inside of them, blocks folded."""

import html
import json
import os
import pathlib
import subprocess
import sys
from xml.etree import ElementTree

import browser
import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import nets  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
TOOL = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release")) / "bin" / "ge"
IN_DOCS = ROOT / "docs" / "pictures" / "graph.svg"


@pytest.fixture(scope="module")
def draw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nets")

    def draw(name, *more):
        path = folder / f"{name}.onnx"
        if not path.exists():
            onnx.save(nets.build(name, small=True)[0], path)
        done = subprocess.run([TOOL, "dump", path, "-f", "svg", *more], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return draw


def boxes(element, x=0.0, y=0.0):
    """(left, top, right, bottom, is a frame) of every box, wherever its group is moved to."""
    for child in element:
        dx = dy = 0.0
        if child.get("transform"):
            dx, dy = map(float, child.get("transform")[len("translate(") : -1].split())
        if child.tag == SVG + "rect" and child.get("class") != "paper":
            left, top = x + float(child.get("x", 0)), y + float(child.get("y", 0))
            frame = child.get("class") == "frame"
            yield left, top, left + float(child.get("width")), top + float(child.get("height")), frame
        yield from boxes(child, x + dx, y + dy)


@pytest.mark.parametrize("more", [(), ("--placed",)])
@pytest.mark.parametrize("name", nets.NETS)
def test_boxes_do_not_meet(draw, name, more):
    root = ElementTree.fromstring(draw(name, *more))
    width, height = float(root.get("width")), float(root.get("height"))
    found = list(boxes(root))
    assert len(found) > 3
    for i, (left, top, right, bottom, frame) in enumerate(found):
        assert 0 <= left < right <= width and 0 <= top < bottom <= height
        for x, y, to_x, to_y, other_frame in found[:i]:  # another one, with a tenth of a pixel lost in each number
            apart = right <= x + 0.2 or to_x <= left + 0.2 or bottom <= y + 0.2 or to_y <= top + 0.2
            inside = other_frame and x < left and right < to_x and y < top and bottom < to_y
            around = frame and left < x and to_x < right and top < y and to_y < bottom
            assert apart or inside or around


def test_the_picture_in_the_documents_is_what_the_tool_draws(draw):
    """GE_WRITE_PICTURES=1 draws it anew."""
    picture = draw("bert")
    if os.environ.get("GE_WRITE_PICTURES"):
        IN_DOCS.write_text(picture, encoding="utf-8")
    assert IN_DOCS.read_text(encoding="utf-8") == picture
    frames = [b for b in boxes(ElementTree.fromstring(picture)) if b[4]]
    assert frames and "× " in picture


@pytest.mark.skipif(browser.find() is None, reason="no browser: " + ", ".join(browser.NAMES) + " or GE_BROWSER")
@pytest.mark.parametrize("name", nets.NETS)
def test_text_fits_into_its_box(draw, tmp_path, name):
    policy = '<meta http-equiv="Content-Security-Policy" content=""/>'
    page = f"<!DOCTYPE html><html><head>{policy}</head><body>{draw(name)}{draw(name, '--placed')}</body></html>"
    found = json.loads(html.unescape(browser.ask(page, tmp_path)))
    assert found["wide"] == [] and found["outside"] == [] and found["boxes"] > 6
