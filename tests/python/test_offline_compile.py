"""ge.offline_compile and ge.utils: models ahead of time, and questions about graphs."""

import copy
import gc
import importlib

import numpy as np
import pytest

import ge
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Conv2D, Exp, MatMulV2, Relu
from ge.graph.types import DataType, Format
from ge.offline_compile import (
    GraphWithOptions,
    ModelBuffer,
    build_finalize,
    build_initialize,
    build_model,
    bundle_build_model,
    bundle_save_model,
    save_model,
)
from ge.utils import GeUtils


def net(rows=-1, name="net", op=Relu):
    b = GraphBuilder(name)
    x = b.create_input(0, name="x", shape=[rows, 3])
    w = b.create_const_float([1, 2, 3, 4, 5, 6], [3, 2])
    return b.build_and_reset([op(MatMulV2(x, w))])


X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
WANT = np.maximum(X @ np.array([[1, 2], [3, 4], [5, 6]], np.float32), 0)


@pytest.fixture
def started():
    build_initialize({"ge.socVersion": "CPU"})
    yield
    build_finalize()


def test_a_saved_model_computes_what_its_graph_says(started, tmp_path):
    model = build_model(net(), {"input_format": "ND"})
    assert model.length == model.get_length() > 100
    save_model(str(tmp_path / "a" / "net"), model)
    file = tmp_path / "a" / "net.om"
    assert file.stat().st_size == model.length
    build_finalize()
    gc.collect()
    np.testing.assert_allclose(next(iter(ge.load(file).run({"x": X}).values())), WANT, rtol=1e-6)
    save_model(str(tmp_path / "again"), model)  # buffers outlive the build
    assert (tmp_path / "again.om").read_bytes() == file.read_bytes()


def test_options_of_a_build(started):
    fixed = build_model(net(), {"input_shape": "x:2,3", "log": "debug", "ge.oo.level": "O1"})
    assert fixed.length
    for options, text in (
        ({"input_format": "NCWH"}, "option input_format is 'NCWH', allowed: NCHW, "),
        ({"ge.insertOpFile": "aipp.cfg"}, "option ge.insertOpFile is 'aipp.cfg', which is not supported: "),
        ({"ge.dynamicBatchSize": "1,2"}, "option ge.dynamicBatchSize is '1,2': it needs input_shape"),
        ({"ge.dynamicBatchSize": "a", "input_shape": "x:-1,3"}, "'a': it is a list of sizes"),
        ({"ge.dynamicBatchSize": "1", "ge.dynamicDims": "1", "input_shape": "x:-1,3"}, "exclude one another"),
        ({"input_shape": "y:2,3"}, "y"),
        ({"bogus": "1"}, "unknown option 'bogus'"),
        ({"ge.oo.level": "O7"}, "option ge.oo.level is 'O7', allowed: "),
    ):
        with pytest.raises(GeError) as caught:
            build_model(net(), options)
        assert str(caught.value).startswith("BuildModel failed; ") and text in str(caught.value), str(caught.value)
        assert caught.value.api_name == "BuildModel"


def test_bundles(started, tmp_path):
    graphs = [GraphWithOptions(net(2), {"input_format": "ND"}), GraphWithOptions(net(op=Exp), None)]
    assert graphs[1].build_options == {} and graphs[0] == graphs[0]
    bundle = bundle_build_model(graphs)
    bundle_save_model(str(tmp_path / "two"), bundle)
    assert (tmp_path / "two.om").stat().st_size == bundle.length > 2 * 100
    with pytest.raises(GeError, match="^SaveModel failed; output_file=.*two; the model is a bundle of several"):
        save_model(str(tmp_path / "two"), bundle)
    with pytest.raises(GeError, match="^BundleSaveModel failed; output_file=one; the model is no bundle"):
        bundle_save_model("one", build_model(net()))
    for value, kind, text in (
        ((), TypeError, "graph_with_options must be a list"),
        ([graphs[0]], ValueError, "graph_with_options size must be larger than 1"),
        ([graphs[0], net()], TypeError, "Each item in graph_with_options must be a GraphWithOptions"),
    ):
        with pytest.raises(kind) as caught:
            bundle_build_model(value)
        assert str(caught.value) == text
    graphs[1].build_options["bogus"] = "1"
    with pytest.raises(GeError, match="^BundleBuildModel failed; graph_count=2; unknown option 'bogus'"):
        bundle_build_model(graphs)


def test_arguments(started, tmp_path):
    for call, kind, text in (
        (lambda: ModelBuffer(), RuntimeError, "ModelBuffer objects should not be created directly"),
        (lambda: ModelBuffer._create_from(None), ValueError, "Failed to create ModelBuffer"),
        (lambda: build_model("g"), TypeError, "graph must be a Graph"),
        (lambda: build_model(net(), []), TypeError, "build_options must be a dictionary"),
        (lambda: build_model(net(), {"a": 1}), TypeError, "build_options keys and values must be strings"),
        (lambda: build_initialize(3), TypeError, "global_options must be a dictionary"),
        (lambda: build_initialize({1: "a"}), TypeError, "global_options keys and values must be strings"),
        (lambda: GraphWithOptions(3), TypeError, "graph must be a Graph"),
        (lambda: GraphWithOptions(net(), 3), TypeError, "build_options must be a dictionary"),
        (lambda: GraphWithOptions(net(), {"a": None}), TypeError, "build_options keys and values must be strings"),
        (lambda: save_model(3, None), TypeError, "output_file must be a string"),
        (lambda: save_model("a", None), TypeError, "model must be a ModelBuffer"),
        (lambda: bundle_save_model("a", b"x"), TypeError, "model must be a ModelBuffer"),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == text
    model = build_model(net())
    for copier in (copy.copy, copy.deepcopy):
        with pytest.raises(RuntimeError, match="ModelBuffer does not support"):
            copier(model)
    with pytest.raises(GeError, match="SaveModel failed; output_file=; the file has no name"):
        save_model("", model)
    (tmp_path / "file").write_text("")
    with pytest.raises(GeError, match="cannot make folder"):
        save_model(str(tmp_path / "file" / "net"), model)
    with pytest.raises(GeError, match="^BuildModel failed; .*MatMulV2"):
        build_model(net(), {"input_shape": "x:2,4"})


def test_start_and_end(tmp_path):
    build_finalize()
    with pytest.raises(GeError, match="^BuildModel failed; E10062: build_initialize was not called"):
        build_model(net())
    with pytest.raises(GeError, match="^BuildInitialize failed; option ge.oo.level is 'O7'"):
        build_initialize({"ge.oo.level": "O7"})
    build_initialize()
    build_initialize({"ge.oo.level": "O7"})  # it is started; nothing is looked at
    assert build_model(net()).length
    build_finalize()
    build_finalize()
    for module in ("ge.offline_compile.offline_compile", "ge.utils.ge_utils"):
        importlib.import_module(module)


def test_the_modules_of_ctypes():
    from ge._capi import pyge_utils_wrapper, pyoffline_compile_wrapper, pypyatc_wrapper

    assert pyoffline_compile_wrapper.offline_compile_lib is pyoffline_compile_wrapper.get_offline_compile_lib()
    assert pyge_utils_wrapper.ge_utils_lib is pyge_utils_wrapper.get_ge_utils_lib()
    assert pypyatc_wrapper.pyatc_lib is pypyatc_wrapper.get_pyatc_lib() and pypyatc_wrapper.is_pyatc_lib_loaded()
    assert pyoffline_compile_wrapper.is_offline_compile_lib_loaded() and pyge_utils_wrapper.is_ge_utils_lib_loaded()
    assert ge.offline_compile.offline_compile.ModelBufferDataPtr is pyoffline_compile_wrapper.ModelBufferDataPtr
    assert ge.offline_compile.offline_compile.offline_compile_lib and ge.utils.ge_utils.ge_utils_lib


def test_shapes_are_inferred_in_place():
    graph = net()
    GeUtils.infer_shape(graph, [[5, 3]])
    relu = next(n for n in graph.get_direct_nodes() if n.type == "Relu")
    assert list(relu.get_output_desc(0).shape) == [5, 2]
    for shapes, kind, text in (
        ("x", TypeError, "input_shapes must be a list of shape lists"),
        ([3], TypeError, "input_shapes must be a list of shape lists"),
        ([[1.5]], TypeError, "each shape dim must be an integer"),
        ([[True]], TypeError, "each shape dim must be an integer"),
        ([], RuntimeError, "Failed to infer shape"),
        ([[5, 4]], RuntimeError, "Failed to infer shape"),
        ([[2**70, 3]], RuntimeError, "Failed to infer shape"),
        ([[1, 3], [1, 3]], RuntimeError, "Failed to infer shape"),
    ):
        with pytest.raises(kind) as caught:
            GeUtils.infer_shape(graph, shapes)
        assert str(caught.value) == text
    with pytest.raises(RuntimeError) as caught:
        GeUtils.infer_shape(graph, [[5, 4]])
    assert "MatMulV2" in caught.value.reason
    b = GraphBuilder("none")
    without = b.build_and_reset([Exp(b.create_const_float([1.0], [1]))])
    GeUtils.infer_shape(without, [])
    assert list(next(n for n in without.get_direct_nodes() if n.type == "Exp").get_output_desc(0).shape) == [1]


def test_the_main_engine_is_asked():
    b = GraphBuilder("g")
    x = b.create_input(0, shape=[1, 16, 8, 8], format=Format.FORMAT_NCHW)
    f = b.create_const_float([0.1] * 16 * 16 * 9, [16, 16, 3, 3])
    conv = Conv2D(x, f, strides=[1, 1, 1, 1], pads=[0, 0, 0, 0], data_format="NCHW")
    graph = b.build_and_reset([conv])
    GeUtils.infer_shape(graph, [[1, 16, 8, 8]])
    nodes = {n.type: n for n in graph.get_direct_nodes()}
    supported, reason = GeUtils.check_node_support_on_aicore(nodes["Conv2D"])
    assert (supported, reason) == (True, "")
    supported, reason = GeUtils.check_node_support_on_aicore(nodes["Data"])
    assert supported is False and "Data" in reason
    assert DataType.DT_FLOAT == nodes["Conv2D"].get_output_desc(0).data_type
