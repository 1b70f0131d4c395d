"""docs/front-end-plugins.md lists what the ONNX importer calls operators: the table against models of the onnx package."""

import collections
import pathlib
import re

import numpy as np
import onnx
import onnx_backend
import pytest
from onnx import TensorProto, helper

import ge
from ge.error import GeError

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs/front-end-plugins.md"
BODIES = {"If", "Loop", "Scan"}


def imported_types(model, folder):
    """The operators of the graph as it is imported, before anything is changed."""
    try:
        ge.load(model, {"dump_dir": str(folder), "opt_level": "0"})
    except GeError:
        pass  # this test is about names alone
    file = folder / "000_input.txt"
    if not file.exists():
        return None
    return [t for t in re.findall(r"Node\[type=(\w+)", file.read_text()) if t not in ("Data", "Const", "NetOutput")]


def documented():
    """The table's rows: ONNX types, operators."""
    table = DOCUMENT.read_text(encoding="utf-8").split("## What the ONNX importer makes")[1]
    rows = []
    for names, made in re.findall(r"^\| ([A-Z][^|`]*) \| ([^|]*) \|$", table, re.M):
        if names != "ONNX":
            rows.append((names.split(", "), set(re.findall(r"`([A-Z]\w+)`", made))))
    return rows


@pytest.fixture(scope="module")
def one_node_models(tmp_path_factory):
    """ONNX type -> what models of one such node become."""
    found = collections.defaultdict(list)
    for name, case in onnx_backend.cases().items():
        nodes = case.model.graph.node
        if len(nodes) != 1 or nodes[0].domain not in ("", "ai.onnx") or nodes[0].op_type in BODIES:
            continue
        types = imported_types(case.model.SerializeToString(), tmp_path_factory.mktemp(name[:40]))
        if types is not None:
            found[nodes[0].op_type].append(types)
    return found


def test_what_gets_another_name_is_in_the_table_and_nothing_else(one_node_models):
    rows = documented()
    said = {name: made for names, made in rows for name in names}
    assert len(said) > 50
    unsaid = {}
    for name, cases in one_node_models.items():
        alone = {types[0] for types in cases if len(types) == 1} - {name}
        if alone - said.get(name, set()):
            unsaid[name] = alone - said.get(name, set())
    assert not unsaid
    for names, made in rows:
        seen = {t for name in names for types in one_node_models[name] for t in types}
        missing = made - seen - ({"Conv3D"} if "Conv" in names else set())
        assert not missing, names


@pytest.mark.parametrize("shapes", [([3, 4], [4, 5]), ([2, 3, 4], [4, 5]), ([4], [4, 5]), ([3, 4], [4]), (["n", 4], [4, 5])])
@pytest.mark.parametrize("kind", ["FLOAT", "INT32", "INT64", "DOUBLE", "FLOAT16"])
def test_products_have_one_name_whatever_the_ranks(shapes, kind, tmp_path):
    element = getattr(TensorProto, kind)
    inputs = [helper.make_tensor_value_info(n, element, s) for n, s in zip("ab", shapes)]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["a", "b"], ["y"])], "g", inputs, [helper.make_tensor_value_info("y", element, None)]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
    assert imported_types(model, tmp_path).count("BatchMatMulV2") == 1
    dtype = onnx.helper.tensor_dtype_to_np_dtype(element)
    values = [np.random.default_rng(1).integers(-4, 5, [3 if d == "n" else d for d in s]).astype(dtype) for s in shapes]
    (y,) = ge.load(model).run(dict(zip("ab", values))).values()
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, np.matmul(*values))
