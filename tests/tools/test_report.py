"""ge report and Model.html_report: one page that is valid, whole and safe, as a browser sees it."""

import html
import json
import os
import pathlib
import re
import struct
import subprocess
import zlib
from xml.etree import ElementTree

import browser
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge

XHTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}"
SECTIONS = ["graph", "timeline", "times", "memory", "roofline", "reasons"]
EVIL = "<script>window.injected=1</script>\"'&]]>--><img src=x onerror=window.injected=2>"

needs_browser = pytest.mark.skipif(browser.find() is None, reason="no browser: " + ", ".join(browser.NAMES) + " or GE_BROWSER")


def ge_tool(*arguments):
    tool = pathlib.Path(os.environ.get("GE_BUILD_DIR", "build/release")) / "bin" / "ge"
    return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def save(path, nodes, inputs, outputs, weights):
    def ports(shapes):
        return [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()]

    tensors = [numpy_helper.from_array(np.asarray(v), n) for n, v in weights.items()]
    graph = helper.make_graph(nodes, path.stem, ports(inputs), ports(outputs), tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)

    def weight(*shape):
        return rng.standard_normal(shape, dtype=np.float32) / 4

    save(
        folder / "evil.onnx",
        [
            helper.make_node("MatMul", ["x", "w"], ["a"], EVIL),
            helper.make_node("Softmax", ["a"], [EVIL + "y"], "</svg></html>"),
            helper.make_node("CumSum", [EVIL + "y", "axis"], ["z"], "ünï層😀"),
        ],
        {"x": [4, 16]},
        {"z": [4, 8]},
        {"w": weight(16, 8), "axis": np.int64(1)},
    )
    nodes, weights, x = [], {}, "x"
    for i in range(100):  # towers of layers, as a network for text has them
        names = [f"tower/layer.{i}/{part}" for part in ("in", "act", "out", "sum")]
        weights |= {f"a{i}": weight(32, 64), f"b{i}": weight(64, 32)}
        nodes += [
            helper.make_node("MatMul", [x, f"a{i}"], [names[0]], names[0]),
            helper.make_node("Relu", [names[0]], [names[1]], names[1]),
            helper.make_node("MatMul", [names[1], f"b{i}"], [names[2]], names[2]),
            helper.make_node("Softmax", [names[2]], [names[2] + "s"], names[2] + "s"),
            helper.make_node("Add", [names[2] + "s", x], [names[3]], names[3]),
        ]
        x = names[3]
    save(folder / "tower.onnx", nodes, {"x": [8, 32]}, {x: [8, 32]}, weights)
    branches = []
    for kind in ("Relu", "Neg"):
        result = helper.make_tensor_value_info(kind, TensorProto.FLOAT, [4])
        branches.append(helper.make_graph([helper.make_node(kind, ["x"], [kind], kind)], kind, [], [result]))
    save(
        folder / "choice.onnx",
        [
            helper.make_node("ReduceMean", ["x"], ["m"], "mean", keepdims=0),
            helper.make_node("Greater", ["m", "zero"], ["c"], "greater"),
            helper.make_node("If", ["c"], ["y"], "choose", then_branch=branches[0], else_branch=branches[1]),
        ],
        {"x": [4]},
        {"y": [4]},
        {"zero": np.float32(0)},
    )
    return folder


@pytest.fixture(scope="module")
def pages(folder):
    pages = {}
    for model in folder.glob("*.onnx"):
        done = ge_tool("report", model, "-o", folder / f"{model.stem}.html")
        assert done.returncode == 0, done.stderr
        pages[model.stem] = (folder / f"{model.stem}.html").read_text(encoding="utf-8")
    return pages


NAMES = ["evil", "tower", "choice"]


def elements(page):
    """The page as XML, which it is as well."""
    return ElementTree.fromstring(page.split("\n", 1)[1])


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_valid_and_has_all_sections(pages, name):
    page = pages[name]
    assert page.startswith("<!DOCTYPE html>\n<html ")
    root = elements(page)
    assert [s.get("id") for s in root.iter(XHTML + "section")] == SECTIONS
    assert [a.get("href") for a in root.iter(XHTML + "a")] == ["#" + s for s in SECTIONS]
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert {label.get("for") for label in root.iter(XHTML + "label")} <= set(ids)
    for table in root.iter(XHTML + "table"):
        assert len({len(row) for row in table.iter(XHTML + "tr")}) == 1
    for parent in root.iter():  # a paragraph ends where a block begins: HTML would close it, XML would not
        if parent.tag == XHTML + "p":
            assert all(c.tag in (XHTML + "br", XHTML + "span", XHTML + "b") for c in parent)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_needs_nothing_else(pages, name):
    root = elements(pages[name])
    assert not list(root.iter(XHTML + "script")) and not list(root.iter(XHTML + "img"))
    assert not list(root.iter(XHTML + "link"))
    for e in root.iter():
        for key, value in e.attrib.items():
            assert not key.startswith("on") and key not in ("src", "{http://www.w3.org/1999/xlink}href")
            assert key != "href" or value.startswith("#")
    style = "".join(s.text for s in root.iter() if s.tag in (XHTML + "style", SVG + "style"))
    assert "url(" not in style and "@import" not in style
    text = re.sub(r'xmlns="http://www\.w3\.org/(1999/xhtml|2000/svg)"', "", pages[name])
    assert "http://" not in text and "https://" not in text
    assert "default-src 'none'" in text


def test_names_stay_text(pages):
    assert html.escape(EVIL).replace("&#x27;", "&#39;") in pages["evil"]
    titles = "".join(t.text or "" for t in elements(pages["evil"]).iter(SVG + "title"))
    assert EVIL in titles and "ünï層😀" in titles and "</svg></html>" in titles


def test_repeated_blocks_show_once(pages):
    root = elements(pages["tower"])
    texts = [t.text for t in root.iter(SVG + "text")]
    assert "× 100" in texts and any("tower/layer.0/" in t and "tower/layer.99/" in t for t in texts)
    boxes = [g for g in root.iter(SVG + "g") if (g.get("class") or "").startswith("n ") and g.find(SVG + "rect") is not None]
    graph = next(root.iter(SVG + "svg"))
    assert len([g for g in graph.iter(SVG + "g") if (g.get("class") or "").startswith("n ")]) < 10 < len(boxes)
    assert len(pages["tower"]) < 2_000_000


def test_graphs_that_nodes_call_are_folded(pages):
    section = next(s for s in elements(pages["choice"]).iter(XHTML + "section") if s.get("id") == "graph")
    summaries = [s.text for d in section.findall(XHTML + "details") for s in d.findall(XHTML + "summary")]
    assert len(summaries) == 2 and "then_branch of If" in summaries[0] and "else_branch of If" in summaries[1]
    assert not any(d.get("open") for d in section.iter(XHTML + "details"))


def test_numbers_are_those_of_the_model(folder):
    model = ge.load(folder / "tower.onnx")
    page = elements(model.html_report({"x": np.zeros((8, 32), np.float32)}).html)
    table = next(t for s in page.iter(XHTML + "section") if s.get("id") == "times" for t in s.iter(XHTML + "table"))
    rows = [["".join(c.itertext()) for c in row] for row in table.find(XHTML + "tbody")]
    placed = {}
    for row in model.placement():
        if row["implementation"] != "view":
            key = (row["type"], row["engine"], row["implementation"])
            placed[key] = placed.get(key, 0) + 1
    assert {(r[0], r[1], r[2]): int(r[3]) for r in rows} == placed
    assert abs(sum(float(r[5].split()[0]) for r in rows) - 100) < 1


def test_the_roof_is_measured(pages):
    text = "".join(next(s for s in elements(pages["tower"]).iter(XHTML + "section") if s.get("id") == "roofline").itertext())
    found = re.search(r"measured on this machine.*?: ([\d.]+) ([GT])operations/s \(.*? and ([\d.]+) ([GT])B/s", text, re.S)
    assert found, text
    flops, read = (float(n) * {"G": 1e9, "T": 1e12}[u] for n, u in (found.groups()[:2], found.groups()[2:]))
    assert 1e8 < flops < 1e14 and 1e8 < read < 1e13


def test_python_writes_the_same_kind_of_page(folder, tmp_path):
    report = ge.load(folder / "choice.onnx").html_report({"x": np.ones(4, np.float32)})
    report.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report.html
    assert [s.get("id") for s in elements(report.html).iter(XHTML + "section")] == SECTIONS
    frame = ElementTree.fromstring(report._repr_html_())
    assert frame.get("srcdoc") == report.html.replace("\n", " ") and frame.get("sandbox") == ""
    assert repr(report).startswith("<Report, ")


def test_refusals(folder, tmp_path):
    done = ge_tool("report", folder / "tower.onnx")
    assert done.returncode == 2 and "--output" in done.stderr
    done = ge_tool("report", tmp_path / "none.onnx", "-o", tmp_path / "page.html")
    assert done.returncode != 0 and "none.onnx" in done.stderr and not (tmp_path / "page.html").exists()
    done = ge_tool("report", folder / "tower.onnx", "-o", tmp_path / "no folder" / "page.html")
    assert done.returncode != 0 and "no folder" in done.stderr
    assert ge_tool("report", folder / "choice.onnx", "-o", "-").stdout.endswith("</html>\n")


# ---- in a browser ----


@needs_browser
@pytest.mark.parametrize("name", NAMES)
def test_a_browser_shows_it_whole_and_runs_nothing(pages, tmp_path, name):
    found = json.loads(html.unescape(browser.ask(pages[name], tmp_path)))
    assert found["loaded"] == 0 and found["injected"] == 0
    assert found["wide"] == [] and found["outside"] == []
    assert found["boxes"] > 3


@needs_browser
@pytest.mark.parametrize("scheme, dark", [(0, True), (1, False)])
def test_light_and_dark_screens(pages, tmp_path, scheme, dark):
    answer = browser.ask(pages["choice"], tmp_path, f"--blink-settings=preferredColorScheme={scheme}")
    found = json.loads(html.unescape(answer))
    assert found["ink"] and found["paper"] != found["ink"]
    for paper in (found["paper"], found["boxes_paper"]):
        assert (sum(map(int, re.findall(r"\d+", paper)[:3])) < 3 * 128) == dark, found
    for ink in (found["ink"], found["boxes_ink"]):
        assert (sum(map(int, re.findall(r"\d+", ink)[:3])) > 3 * 128) == dark, found


@needs_browser
def test_the_probe_finds_what_is_wrong(pages, tmp_path):
    """A test that cannot fail would be none: boxes too small, a script, something to load."""
    page = re.sub(r'<rect width="\d+', '<rect width="9', pages["choice"]).replace('viewBox="-8 -8', 'viewBox="200 -8')
    page = page.replace("<main>", "<main><script>window.injected = 1</script><img src='data:image/png;base64,xx'/>")
    found = json.loads(html.unescape(browser.ask(page, tmp_path)))
    assert found["wide"] and found["outside"] and found["injected"] == 1


@needs_browser
def test_a_browser_keeps_the_structure(folder, pages):
    """The page as HTML means what it means as XML."""
    seen = browser.start(folder / "evil.html", "--dump-dom")
    assert seen.count("<section") == len(SECTIONS) and "<script" not in seen
    for tag in ("svg", "details", "table", "tr", "td", "p", "title"):
        assert len(re.findall(rf"<{tag}[\s>]", seen)) == len(re.findall(rf"<{tag}[\s>]", pages["evil"])), tag


def pixels(path):
    """Rows of (r, g, b, …) bytes of a PNG with eight bits and no interlacing, which is what browsers write."""
    data = path.read_bytes()
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    assert depth == 8 and colours in (2, 6) and interlaced == 0
    at, packed = 8, b""
    while at < len(data):
        (size,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    raw, channels = zlib.decompress(packed), 3 if colours == 2 else 4
    rows, before = [], np.zeros(width * channels, np.uint8)
    for y in range(height):
        line = np.frombuffer(raw, np.uint8, width * channels, y * (width * channels + 1) + 1).copy()
        kind = raw[y * (width * channels + 1)]
        for x in range(width * channels):
            left = int(line[x - channels]) if x >= channels else 0
            above, corner = int(before[x]), int(before[x - channels]) if x >= channels else 0
            guess = left + above - corner
            paeth = min((left, above, corner), key=lambda v: abs(guess - v))
            line[x] = (int(line[x]) + (0, left, above, (left + above) // 2, paeth)[kind]) & 255
        rows.append(line)
        before = line
    return np.array(rows).reshape(height, width, channels)[:, :, :3].astype(int)


@needs_browser
def test_a_picture_of_the_page_shows_something(folder, tmp_path):
    browser.shoot(folder / "tower.html", tmp_path / "page.png", 640, 480)
    seen = pixels(tmp_path / "page.png")
    paper = seen[2, 2]
    assert seen.shape == (480, 640, 3)
    painted = (abs(seen - paper).sum(-1) > 60).mean()
    assert 0.01 < painted < 0.6
