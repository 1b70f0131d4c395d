"""What notebooks show: pages of graphs, models, profiles, placements. They are parsed as a browser would, and must hold
what the objects hold, whatever names are in them."""

import base64
import html.parser
import re
import xml.etree.ElementTree as ElementTree

import models
import numpy as np
import pytest
from models import F, node

import ge
from ge._html import MOST_NODES, MOST_ROWS
from ge.graph import Graph

VOID = {"img", "br"}


class Page(html.parser.HTMLParser):
    """Elements that are open and closed in order, cells of tables, pictures."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.rows, self.pictures, self.text = [], set(), [], [], ""
        self.feed(text)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        attrs = dict(attrs)
        assert not any(name.startswith("on") for name in attrs)
        if tag == "img":
            kind, _, data = attrs["src"].partition(",")
            assert kind == "data:image/svg+xml;base64" and attrs["alt"]
            self.pictures.append(ElementTree.fromstring(base64.b64decode(data, validate=True)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def words(picture):
    return " ".join(t.text or "" for t in picture.iter() if t.tag.endswith("text"))


def page(value):
    text = value._repr_html_()
    found = Page(text)
    assert found.tags <= {"div", "b", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "img", "code"}
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    return found


def chain(count, name="n{}"):
    """Operators one after the other, none of which the compiler merges or removes."""
    nodes = [node(("Softmax", "LogSoftmax")[i % 2], [f"v{i}"], [f"v{i + 1}"], name=name.format(i)) for i in range(count)]
    return models.make(nodes, {"v0": (F, [4])}, {f"v{count}": (F, [4])})


@pytest.fixture
def mlp():
    return ge.load(models.mlp())


def test_a_model():
    m = ge.load(models.attention("n"))
    found = page(m)
    assert [r for r in found.rows if r[0] in ("input", "output")] == [
        [kind, p.name, p.dtype.name, str(["?" if d is None else d for d in p.shape]).replace("'", "")]
        for kind, ports in (("input", m.inputs), ("output", m.outputs))
        for p in ports
    ]
    assert f"Model: {len(m.placement())} nodes" in found.text and "details" in found.tags
    (picture,) = found.pictures
    assert all(engine in words(picture) for engine in m.placement().engines() if engine != "DNN_VM_GE_LOCAL")


def test_a_closed_model(mlp):
    mlp.close()
    found = page(mlp)
    assert "closed" in found.text and ["input", "x", "float32", "[4, 8]"] in found.rows and not found.pictures


def test_a_graph(mlp):
    graph = mlp.placed_graph()
    found = page(graph)
    nodes = graph.get_all_nodes()
    assert f"Graph {graph.name!r}: {len(nodes)} nodes" in found.text
    assert all(n.type in words(found.pictures[0]) for n in nodes if n.type not in ("Const", "Constant"))
    assert "Graph 'empty': 0 nodes" in page(Graph("empty")).text


def test_a_graph_that_was_handed_over():
    from ge.es import GraphBuilder

    graph = Graph("g")
    graph._handle = None
    assert page(graph).text == repr(graph) and GraphBuilder


def test_a_huge_graph_is_a_table_of_operators():
    m = ge.load(chain(MOST_NODES + 50))
    found = page(m.placed_graph())
    assert not found.pictures
    counts = {r[0]: int(r[1]) for r in found.rows[1:]}
    assert counts["LogSoftmaxV2"] == counts["SoftmaxV2"] == (MOST_NODES + 50) // 2
    assert list(counts)[:2] == ["LogSoftmaxV2", "SoftmaxV2"]
    model = page(m)
    assert not model.pictures and ["SoftmaxV2", str((MOST_NODES + 50) // 2)] in model.rows


def test_a_picture_that_is_too_large_is_not_drawn(mlp, monkeypatch):
    monkeypatch.setattr("ge._html._PICTURE_BYTES", 100)
    assert not page(mlp).pictures and ["operator", "nodes"] in page(mlp).rows


def test_a_placement(mlp):
    found = page(mlp.placement())
    for row in mlp.placement():
        assert any(r[:4] == [row["node"], row["type"], row["engine"], row["implementation"]] for r in found.rows)
    for engine, count in mlp.placement().engines().items():
        assert [engine, str(count)] in found.rows


def test_long_tables_say_what_they_leave_out():
    placement = ge.load(chain(MOST_ROWS + 30)).placement()
    found = page(placement)
    assert sum(len(r) == 5 for r in found.rows) == MOST_ROWS + 1
    assert f"… and {len(placement) - MOST_ROWS} more" in found.text


def test_a_profile(mlp):
    profile = mlp.profile({"x": np.zeros((4, 8), np.float32)})
    found = page(profile)
    assert f"Profile: {len(profile)} kernel" in found.text and len(found.rows) == len(profile) + 1
    times = [float(r[4]) for r in found.rows[1:]]
    assert times == sorted(times, reverse=True) and sum(len(r[6]) for r in found.rows[1:]) >= 10
    assert {r[0] for r in found.rows[1:]} == {row["name"] for row in profile}


def test_names_are_text_and_no_markup():
    evil = "<script>alert(1)</script>&\"'{}"
    m = ge.load(chain(3, evil))
    graph = m.placed_graph()
    for value in (m, graph, m.placement(), m.profile({"v0": np.zeros(4, np.float32)})):
        assert "<script" not in value._repr_html_()
        assert "script" not in page(value).tags
    assert any("<script>alert(1)</script>" in cell for row in page(m.placement()).rows for cell in row)
    named = Graph("<img src=x onerror=alert(1)>")
    assert "<img src=x" in page(named).text and "onerror" not in str(page(named).tags)
