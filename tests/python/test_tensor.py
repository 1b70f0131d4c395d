"""Shape, TensorDesc and Tensor: results and messages."""

import copy
import math
import struct

import pytest
from conftest import raises

from ge.graph import DataType, Format, Placement, Shape, Tensor, TensorDesc
from ge.graph._numeric import float_to_fp16_bits
from ge.graph.tensor import _parse_str_list, unflatten_tensor_data


@pytest.mark.parametrize(
    "dims, size, unknown",
    [([], 0, False), ([2, 3], 6, False), ([2, 0], 0, False), ([-1, 3], -1, True), ([0, -2], -1, True), ([4], 4, False)],
)
def test_shape(dims, size, unknown):
    shape = Shape(dims)
    assert shape == dims and shape.get_shape_size() == size and shape.is_unknown_shape() is unknown
    assert shape is not dims


@pytest.mark.parametrize("bad", [(1, 2), "12", [1.0], 3])
def test_shape_refuses(bad):
    with raises(TypeError, "dims must be a list of integers"):
        Shape(bad)


def test_desc_defaults_and_setters():
    desc = TensorDesc()
    assert desc.shape == [] and desc.format is Format.FORMAT_ND and desc.data_type is DataType.DT_FLOAT
    desc = TensorDesc([1, 2])
    assert repr(desc) == "TensorDesc(shape=[1, 2], format=2, data_type=0)" == str(desc)
    assert desc.set_shape([-1, 4]).set_origin_shape([9]).set_format(Format.FORMAT_NHWC) is desc
    desc.set_origin_format(Format.FORMAT_NCHW).set_data_type(DataType.DT_INT8)
    assert (desc.shape, desc.origin_shape) == ([-1, 4], [9])
    assert (desc.format, desc.origin_format, desc.data_type) == (1, 0, 2)
    desc.shape.append(7)
    assert desc.shape == [-1, 4]  # a fresh list each time
    assert desc.set_shape(None).shape == []
    with pytest.raises(AttributeError):
        desc.shape = [1]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: TensorDesc(format=2), "Format must be a Format"),
        (lambda: TensorDesc(data_type=0), "Data type must be a DataType"),
        (lambda: TensorDesc((1,)), "shape must be a list of integers"),
        (lambda: TensorDesc().set_shape((1,)), "shape must be a list of integers"),
        (lambda: TensorDesc().set_origin_shape([1.5]), "origin shape must be a list of integers"),
        (lambda: TensorDesc().set_format(1), "Format must be a Format"),
        (lambda: TensorDesc().set_origin_format(1), "Format must be a Format"),
        (lambda: TensorDesc().set_data_type(1), "Data type must be a DataType"),
        (lambda: Tensor([1.0], shape=(1,)), "Shape must be a list of integers"),
        (lambda: Tensor([1.0], shape=[1], placement=0), "Placement must be a Placement"),
        (lambda: Tensor(1.0), "data should be List"),
        (lambda: Tensor().set_data_type(1), "Data_type must be a DataType"),
        (lambda: Tensor().set_format(1), "Format must be a Format"),
    ],
)
def test_type_errors(call, message):
    with raises(TypeError, message):
        call()


def test_tensor_values():
    t = Tensor([1, 2, 3, 4], None, DataType.DT_INT32, Format.FORMAT_ND, [2, 2])
    assert t.data == [[1, 2], [3, 4]] and t.shape == [2, 2] and t.data_type is DataType.DT_INT32
    assert str(t) == (
        "\n        Tensor format is 2,\n        data_type is 3,\n        shape is [2, 2],\n"
        "        data is [[1, 2], [3, 4]]\n        "
    )
    assert Tensor([2.5]).data == 2.5 and Tensor([0.5, 1], shape=[2]).data == [0.5, 1.0]
    assert Tensor([True, False], shape=[2]).data_type is DataType.DT_BOOL
    assert Tensor([True, False], data_type=DataType.DT_BOOL, shape=[2]).data == [True, False]
    assert Tensor([], shape=[0]).data == []
    assert Tensor(list(range(12)), data_type=DataType.DT_UINT8, shape=[2, 3, 2]).data == [
        [[0, 1], [2, 3], [4, 5]],
        [[6, 7], [8, 9], [10, 11]],
    ]


@pytest.mark.parametrize("code", "INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64".split())
def test_tensor_integers_keep_their_limits(code):
    bits, signed = int(code.lstrip("UINT")), code[0] != "U"
    limits = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] if signed else [0, 2**bits - 1]
    assert Tensor(limits, data_type=DataType["DT_" + code], shape=[2]).data == limits
    with pytest.raises(ValueError):
        Tensor([limits[1] + 1], data_type=DataType["DT_" + code])


def test_half_rounds_to_even():
    t = Tensor([1.0, 1.0 + 2**-11, 1.0 + 3 * 2**-11, 1e6, -1e6, 1e-8], data_type=DataType.DT_FLOAT16, shape=[6])
    assert t.data == [1.0, 1.0, 1.0 + 2**-9, math.inf, -math.inf, 0.0]
    for value in (0.1, -3.14159, 65504.0, 2**-24, 2**-14, 5e-7):
        assert float_to_fp16_bits(value) == struct.unpack("<H", struct.pack("<e", value))[0]
    assert float_to_fp16_bits(math.nan) == 0x7E00 and float_to_fp16_bits(-0.0) == 0x8000


def test_tensor_refuses():
    with raises(RuntimeError, "Tensor should be created either by data or by file"):
        Tensor([1.0], "file")
    with raises(RuntimeError, "DT_DOUBLE is not supported in python Tensor constructor"):
        Tensor([1.0], data_type=DataType.DT_DOUBLE)
    with raises(RuntimeError, "Failed to create Tensor with data type: 12"):
        Tensor([1, 2], data_type=DataType.DT_BOOL, shape=[2])
    with raises(RuntimeError, "Failed to create Tensor with data type: 27"):
        Tensor([1.0], data_type=DataType.DT_BF16)
    with raises(RuntimeError, "Failed to create Tensor"):
        Tensor([1.0], shape=[-1])
    with raises(ValueError, "Length of data 3 is less than shape [2, 2] needs (4)"):
        Tensor([1.0, 2.0, 3.0], shape=[2, 2])
    with raises(ValueError, "Input must start with '[' and end with ']'"):
        Tensor().get_data()
    with raises(ValueError, "Tensor pointer cannot be None"):
        Tensor._create_from(None)
    with raises(ValueError, "TensorDesc pointer cannot be None"):
        TensorDesc._create_from(None)


def test_tensor_from_file(tmp_path):
    path = tmp_path / "t.bin"
    path.write_bytes(struct.pack("<4f", 1, 2, 3, 4))
    assert Tensor(None, str(path), DataType.DT_FLOAT, Format.FORMAT_ND, [3]).data == [1.0, 2.0, 3.0]
    assert Tensor(file_path=str(path), data_type=DataType.DT_INT64, shape=[2]).shape == [2]
    (tmp_path / "empty").write_bytes(b"")
    for bad in (tmp_path / "missing", tmp_path / "empty"):
        with raises(RuntimeError, "Failed to create Tensor"):
            Tensor(file_path=str(bad), shape=[1])
    with raises(RuntimeError, "Failed to create Tensor"):
        Tensor(file_path=str(path), shape=[5])
    with raises(RuntimeError, "Failed to create Tensor"):
        Tensor(file_path=str(path), data_type=DataType.DT_STRING, shape=[1])


def test_relabel():
    t = Tensor([1.0, 2.0], shape=[2])
    assert t.set_data_type(DataType.DT_INT32) is t and t.data == [0x3F800000, 0x40000000]
    assert t.set_format(Format.FORMAT_NCHW).format is Format.FORMAT_NCHW
    with raises(RuntimeError, "Failed to set datatype 9"):
        t.set_data_type(DataType.DT_INT64)  # two elements of four bytes are not two of eight
    assert t.data_type is DataType.DT_INT32
    desc = t.get_tensor_desc()
    assert desc.set_shape([7]) and t.shape == [2]


def test_placement():
    t = Tensor([1.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, None, Placement.PLACEMENT_DEVICE)
    assert t.placement is Placement.PLACEMENT_DEVICE
    with raises(ValueError, "to_device() only supports host tensors"):
        t.to_device()
    assert t.to_host() is t and t.get_placement() is Placement.PLACEMENT_HOST and t.data == 1.0
    with raises(ValueError, "to_host() only supports device tensors"):
        t.to_host()


@pytest.mark.parametrize("make", [Tensor, TensorDesc])
def test_no_copy(make):
    for function, word in ((copy.copy, "copy"), (copy.deepcopy, "deepcopy")):
        with raises(RuntimeError, f"{make.__name__} does not support {word}"):
            function(make())


def test_text_helpers():
    assert _parse_str_list("[1,-2,3.5]") == [1, -2, 3.5] and _parse_str_list("[]") == []
    assert unflatten_tensor_data("[1,2,3,4]", [2, 2]) == [[1, 2], [3, 4]]
    with raises(ValueError, "Invalid item: 'true'"):
        _parse_str_list("[true]")
    with raises(ValueError, "Input must start with '[' and end with ']'"):
        _parse_str_list("1,2")
    with raises(ValueError, "Scalar tensor should contain exactly one element, got 2"):
        unflatten_tensor_data("[1,2]", [])
    with raises(ValueError, "Length of list 2 does not match shape [3]"):
        unflatten_tensor_data("[1,2]", [3])
