"""Dump formats and AIR files as other programs read them: the text parser of onnx, protoc with core/serialize/air.proto."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

PROTO = Path(__file__).resolve().parents[2] / "core" / "model" / "air.proto"


@pytest.fixture
def graph(builder):
    math = pytest.importorskip("ge.es.math")
    x = builder.create_input(0, shape=[2, 3])
    y = math.Add(x, builder.create_const_float([1.0, 2.0, 3.0], shape=[3]))
    return builder.build_and_reset([math.Mul(y, y)])


def protoc(graph_bytes, *args):
    if not shutil.which("protoc") or not PROTO.exists():
        pytest.skip("no protoc or no sources here")
    command = ["protoc", f"--proto_path={PROTO.parent}", *args, PROTO.name]
    return subprocess.run(command, input=graph_bytes, capture_output=True, check=True).stdout


def test_air_file_is_what_its_schema_says(graph, tmp_path):
    path = tmp_path / "g.air"
    graph.save_to_air(str(path))
    text = protoc(path.read_bytes(), "--decode=ge.air.Model").decode()
    assert not re.search(r"^\s*\d+:", text, re.M), "a field that the schema does not have"
    assert [m for m in re.findall(r'\n    type: "(\w+)"', text) if m in ("Add", "Mul")] == ["Add", "Mul"]
    assert "data: " in text  # the weights are inside


def test_text_dump_is_the_schemas_text_form(graph):
    from ge.graph import DumpFormat

    text = graph.dump_to_stream(DumpFormat.kTxt)
    encoded = protoc(text.encode(), "--encode=ge.air.Model")
    assert protoc(encoded, "--decode=ge.air.Model").decode().count("node {") == text.count("node {") == 5


def test_onnx_dump_is_a_model_that_onnx_reads(graph):
    onnx = pytest.importorskip("onnx")
    from google.protobuf import text_format

    from ge.graph import DumpFormat

    model = text_format.Parse(graph.dump_to_stream(DumpFormat.kOnnx), onnx.ModelProto())
    assert [n.op_type for n in model.graph.node if n.op_type not in ("Const", "NetOutput")] == ["Add", "Mul"]
    assert [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim] == [2, 3]
    producers = {o for n in model.graph.node for o in n.output} | {i.name for i in model.graph.input}
    assert all(i in producers for n in model.graph.node for i in n.input)


def test_loading_what_was_saved(graph, tmp_path):
    from ge.graph import Graph

    path = tmp_path / "g.air"
    graph.save_to_air(str(path))
    other = Graph("other")
    other.load_from_air(str(path))
    assert other.name == graph.name
    assert str(other) == str(graph)


def test_picture_is_well_formed(graph):
    from ge._native import ffi, lib

    pieces = []

    @ffi.callback("void(void *, const char *, size_t)")
    def write(_, data, size):
        pieces.append(ffi.buffer(data, size)[:])

    assert lib.GeGraphDump(graph._live(), 4, write, ffi.NULL) == 0
    root = ElementTree.fromstring(b"".join(pieces).decode())
    assert root.tag.endswith("svg")
    assert len(list(root.iter("{http://www.w3.org/2000/svg}title"))) >= 3
