"""ge._capi: the native libraries through ctypes, as wrappers written against it use them."""

import ctypes
import gc

import pytest

from ge._capi import _lib_loader
from ge._capi import pyes_graph_builder_wrapper as wrapper
from ge.allocator import Allocator, MemBlock


def test_a_graph_through_ctypes():
    esb = wrapper.esb_lib
    library = wrapper.get_generated_lib()
    assert library is wrapper.get_generated_lib(wrapper.DEFAULT_GENERATED_LIB_NAME) is wrapper._default_lib
    assert wrapper.is_generated_lib_available() and wrapper._default_lib_available
    builder = esb.EsCreateGraphBuilder(b"g")
    x = esb.EsCreateGraphInput(builder, 0)
    y = library.EsAdd(x, x)
    assert isinstance(y, wrapper.EsCTensorHolderPtr) and y
    assert not library.EsAdd(x, None)
    assert esb.EsSetGraphOutput(y, 0) == 0
    assert ctypes.addressof(esb.EsGetOwnerBuilder(y).contents) == ctypes.addressof(builder.contents)
    assert esb.EsBuildGraphAndReset(builder)
    esb.EsDestroyGraphBuilder(builder)


def test_generated_libraries():
    wrapper.clear_lib_cache()
    assert wrapper.get_loaded_lib_names() == []
    math = wrapper.get_generated_lib(wrapper.MATH_LIB_NAME)
    assert math.EsMul and wrapper.get_loaded_lib_names() == [wrapper.MATH_LIB_NAME]
    with pytest.raises(RuntimeError, match=r"^Generated library libes_nosuch\.so is not available: .*nosuch.*nosuch"):
        wrapper.get_generated_lib("libes_nosuch.so")
    with pytest.raises(OSError, match=r"Cannot load libnosuch\.so.*/nowhere/libnosuch\.so: .*; libnosuch\.so: "):
        _lib_loader.load_lib_from_path("libnosuch.so", "/nowhere")


def test_parts_share_one_library():
    from ge._capi import pygeapi_wrapper, pygraph_wrapper, pysession_wrapper, pytensor_runtime_wrapper

    for lib in (
        pygraph_wrapper.graph_lib,
        pygeapi_wrapper.get_geapi_lib(),
        pysession_wrapper.session_lib,
        pytensor_runtime_wrapper.get_tensor_runtime_lib(),
    ):
        lib.GeVersionString.restype = ctypes.c_char_p
        assert lib.GeVersionString().decode().startswith("0.")
    assert pygeapi_wrapper.is_geapi_lib_loaded() and pytensor_runtime_wrapper.is_tensor_runtime_lib_loaded()


class Pool(Allocator):
    def __init__(self):
        self.freed = []

    def malloc(self, size):
        if size == 13:
            raise MemoryError("no")
        return "no block" if size == 14 else MemBlock(4096, size)

    def free(self, block):
        self.freed.append(block)


def test_allocator_callbacks(capsys):
    from ge._capi import _allocator_callback_adapter as adapter

    pool = Pool()
    (malloc, free, get_addr), key, on_destroy = adapter.create_allocator_c_callbacks(pool)
    assert key in adapter._prevent_gc
    first, second = malloc(None, 8), malloc(None, 16)
    assert first != second and get_addr(first) == get_addr(second) == 4096
    gc.collect()
    free(None, second)
    free(None, first)
    free(None, first)
    assert [b.size for b in pool.freed] == [16, 8]
    assert malloc(None, 13) is None and malloc(None, 14) is None and get_addr(first) is None
    assert "MemoryError: no" in capsys.readouterr().err
    on_destroy(key)
    assert key not in adapter._prevent_gc
    _, key, _ = adapter.create_allocator_c_callbacks(pool)
    adapter.rollback_allocator_c_callbacks(key)
    adapter.rollback_allocator_c_callbacks(key)
    assert key not in adapter._prevent_gc
    with pytest.raises(TypeError):
        adapter.create_allocator_c_callbacks(object())


def test_operator():
    from ge.graph import DataType, Operator
    from ge.graph.operator import add_record, create_operator, remove_record

    handle, record = add_record("Conv2D", "conv")
    op = create_operator(handle)
    assert (op.name, op.type) == ("conv", "Conv2D") and create_operator(ctypes.c_void_p(handle)).name == "conv"
    op.register_input("x")
    op.register_optional_input("bias")
    op.register_dynamic_input("more", 3)
    op.register_output("y")
    op.register_dynamic_output("z", 0)
    op.set_attr("a", [1, 2])
    op.set_attr("t", DataType.DT_INT8)
    assert record.inputs == [("x", "required", 1), ("bias", "optional", 1), ("more", "dynamic", 3)]
    assert record.outputs == [("y", "required", 1), ("z", "dynamic", 0)]
    assert record.attrs == {"a": [1, 2], "t": DataType.DT_INT8}
    for call, kind, message in (
        (lambda: op.set_attr("", 1), TypeError, "Operator attribute name must be a non-empty string"),
        (lambda: op.register_input(1), TypeError, "Operator input name must be a non-empty string"),
        (lambda: op.register_optional_input(""), TypeError, "Operator optional input name must be a non-empty string"),
        (lambda: op.register_output(None), TypeError, "Operator output name must be a non-empty string"),
        (lambda: op.register_dynamic_input("", 1), TypeError, "Operator dynamic port name must be a non-empty string"),
        (lambda: op.register_dynamic_input("d", True), TypeError, "Operator dynamic port count must be an integer"),
        (lambda: op.register_dynamic_output("d", -1), ValueError, "Operator dynamic port count must be in uint32 range"),
        (lambda: op.register_dynamic_output("d", 2**32), ValueError, "Operator dynamic port count must be in uint32 range"),
        (lambda: op.register_input("x"), RuntimeError, "Failed to register_input 'x' on Operator conv"),
        (lambda: op.register_dynamic_input("x", 1), RuntimeError, "Failed to register dynamic input 'x' on Operator conv"),
        (lambda: op.set_attr("a", {}), ValueError, "Unsupported attribute type: <class 'dict'>"),
        (lambda: op.set_attr("a", [2**63]), ValueError, "Value of attribute 'a' is 9223372036854775808"),
        (lambda: create_operator(None), ValueError, "Operator handle cannot be None"),
        (lambda: create_operator(0), ValueError, "Operator handle cannot be null"),
        (lambda: create_operator(ctypes.c_void_p()), ValueError, "Operator handle cannot be null"),
        (Operator, RuntimeError, "Operator objects should not be created directly."),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value).startswith(message)
    with op:
        pass
    for call in (lambda: op.name, lambda: op.set_attr("a", 1), lambda: op.register_input("w"), op.__enter__):
        with pytest.raises(RuntimeError, match="^Operator is only valid inside parse_node$"):
            call()
    remove_record(handle)
