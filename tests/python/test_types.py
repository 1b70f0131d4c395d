"""Enumerations: values, text and lookup."""

import pytest

from ge.graph import DataType, Format, Placement
from ge.graph.types import AttrValueType


def test_data_type_numbers():
    wanted = {
        "DT_FLOAT": 0, "DT_FLOAT16": 1, "DT_INT8": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 6, "DT_UINT16": 7,
        "DT_UINT32": 8, "DT_INT64": 9, "DT_UINT64": 10, "DT_DOUBLE": 11, "DT_BOOL": 12, "DT_STRING": 13,
        "DT_COMPLEX64": 16, "DT_COMPLEX128": 17, "DT_QINT8": 18, "DT_RESOURCE": 23, "DT_VARIANT": 26, "DT_BF16": 27,
        "DT_UNDEFINED": 28, "DT_INT4": 29, "DT_UINT1": 30, "DT_COMPLEX32": 33, "DT_HIFLOAT8": 34,
        "DT_FLOAT8_E4M3FN": 36, "DT_FLOAT4_E1M2": 41, "DT_HIFLOAT4": 42, "DT_MAX": 43,
    }  # fmt: skip
    assert {n: DataType[n].value for n in wanted} == wanted
    assert len(DataType) == 43  # 0 … 43 without the reserved 5


def test_format_numbers():
    wanted = {
        "FORMAT_NCHW": 0, "FORMAT_NHWC": 1, "FORMAT_ND": 2, "FORMAT_NC1HWC0": 3, "FORMAT_HWCN": 16,
        "FORMAT_C1HWNCoC0": 25, "FORMAT_NDHWC": 27, "FORMAT_FRACTAL_NZ": 29, "FORMAT_NULL": 42, "FORMAT_NCL": 47,
        "FORMAT_FRACTAL_NZ_C0_32": 51, "FORMAT_END": 52, "FORMAT_MAX": 53,
    }  # fmt: skip
    assert {n: Format[n].value for n in wanted} == wanted


def test_attr_value_type_numbers():
    assert AttrValueType.VT_INT == 4 and AttrValueType.VT_LIST_LIST_INT == 10 and AttrValueType.VT_LIST_INT == 1004
    assert AttrValueType.VT_LIST_DATA_TYPE == 1011
    assert {1010, 1012}.isdisjoint(t.value for t in AttrValueType)


def test_text_is_the_number():
    assert f"{DataType.DT_BOOL}" == "12" and f"{Format.FORMAT_ND:>3}" == "  2"
    assert repr(DataType.DT_FLOAT) == "<DataType.DT_FLOAT: 0>"
    assert DataType.DT_INT32.name == "DT_INT32"
    assert Placement.PLACEMENT_DEVICE == 1 and DataType(12) is DataType.DT_BOOL


@pytest.mark.parametrize("value", [5, 44, -1])
def test_unknown_numbers_are_refused(value):
    with pytest.raises(ValueError):
        DataType(value)
