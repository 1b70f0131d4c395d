"""Enumerations: values, text and lookup."""

import pytest

from ge.graph import DataType, Format, Placement
from ge.graph.types import AttrValueType

DATA_TYPES = (
    "FLOAT FLOAT16 INT8 INT32 UINT8 - INT16 UINT16 UINT32 INT64 UINT64 DOUBLE BOOL STRING DUAL_SUB_INT8 DUAL_SUB_UINT8 "
    "COMPLEX64 COMPLEX128 QINT8 QINT16 QINT32 QUINT8 QUINT16 RESOURCE STRING_REF DUAL VARIANT BF16 UNDEFINED INT4 UINT1 "
    "INT2 UINT2 COMPLEX32 HIFLOAT8 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E8M0 FLOAT6_E3M2 FLOAT6_E2M3 FLOAT4_E2M1 FLOAT4_E1M2 "
    "HIFLOAT4 MAX"
).split()
FORMATS = (
    "NCHW NHWC ND NC1HWC0 FRACTAL_Z NC1C0HWPAD NHWC1C0 FSR_NCHW FRACTAL_DECONV C1HWNC0 FRACTAL_DECONV_TRANSPOSE "
    "FRACTAL_DECONV_SP_STRIDE_TRANS NC1HWC0_C04 FRACTAL_Z_C04 CHWN FRACTAL_DECONV_SP_STRIDE8_TRANS HWCN NC1KHKWHWC0 "
    "BN_WEIGHT FILTER_HWCK HASHTABLE_LOOKUP_LOOKUPS HASHTABLE_LOOKUP_KEYS HASHTABLE_LOOKUP_VALUE HASHTABLE_LOOKUP_OUTPUT "
    "HASHTABLE_LOOKUP_HITS C1HWNCoC0 MD NDHWC FRACTAL_ZZ FRACTAL_NZ NCDHW DHWCN NDC1HWC0 FRACTAL_Z_3D CN NC DHWNC "
    "FRACTAL_Z_3D_TRANSPOSE FRACTAL_ZN_LSTM FRACTAL_Z_G RESERVED ALL NULL ND_RNN_BIAS FRACTAL_ZN_RNN NYUV NYUV_A NCL "
    "FRACTAL_Z_WINO C1HWC0 FRACTAL_NZ_C0_16 FRACTAL_NZ_C0_32 END MAX"
).split()


OWN_DATA_TYPES = {"DT_UINT4": 60, "DT_FLOAT8_E4M3FNUZ": 61, "DT_FLOAT8_E5M2FNUZ": 62}  # that GE does not have


def test_data_type_numbers():
    of_ge = {f"DT_{n}": i for i, n in enumerate(DATA_TYPES) if n != "-"}
    assert {m.name: int(m) for m in DataType} == {**of_ge, **OWN_DATA_TYPES}


def test_format_numbers():
    assert [Format[f"FORMAT_{n}"].value for n in FORMATS] == list(range(54))


def test_attr_value_type_numbers():
    scalars = "NONE STRING FLOAT BOOL INT TENSOR_DESC TENSOR BYTES GRAPH NAMED_ATTRS".split()
    wanted = {f"VT_{n}": i for i, n in enumerate(scalars)}
    wanted.update({f"VT_LIST_{n}": 1000 + i for i, n in enumerate(scalars) if i})
    wanted.update(VT_LIST_LIST_INT=10, VT_DATA_TYPE=11, VT_LIST_LIST_FLOAT=12, VT_LIST_BASE=1000, VT_LIST_DATA_TYPE=1011)
    assert {m.name: int(m) for m in AttrValueType} == wanted


def test_text_is_the_number():
    assert f"{DataType.DT_BOOL}" == "12" and f"{Format.FORMAT_ND:>3}" == "  2"
    assert repr(DataType.DT_FLOAT) == "<DataType.DT_FLOAT: 0>"
    assert DataType.DT_INT32.name == "DT_INT32"
    assert Placement.PLACEMENT_DEVICE == 1 and DataType(12) is DataType.DT_BOOL


@pytest.mark.parametrize("value", [5, 44, 59, 63, -1])
def test_unknown_numbers_are_refused(value):
    with pytest.raises(ValueError):
        DataType(value)
