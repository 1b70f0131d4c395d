"""Attribute values: Python values to and from GeAttrData."""

from ge._native import c_text, failed, ffi, lib

from ._nocopy import NoCopy
from ._plain import check_int, plain
from .types import AttrValueType, DataType

_VT = AttrValueType


def classify(value):
    """The stored type of a Python value; the first rule that fits counts."""
    from .tensor import Tensor

    if isinstance(value, str):
        return _VT.VT_STRING
    if isinstance(value, float):
        return _VT.VT_FLOAT
    if isinstance(value, bool):
        return _VT.VT_BOOL
    if isinstance(value, DataType):
        return _VT.VT_DATA_TYPE
    if isinstance(value, Tensor):
        return _VT.VT_TENSOR
    if isinstance(value, int):
        return _VT.VT_INT
    if isinstance(value, list):
        for kind, stored in (
            (float, _VT.VT_LIST_FLOAT),
            (bool, _VT.VT_LIST_BOOL),
            (int, _VT.VT_LIST_INT),
            (str, _VT.VT_LIST_STRING),
        ):
            if all(isinstance(v, kind) for v in value):
                if not value:
                    raise ValueError("Empty list is not supported")
                return stored
    raise ValueError(f"Unsupported attribute type: {type(value)} for value: {value}")


def encode(name, value, kind=None):
    """(GeAttrData *, what it points to) for a value; `kind` is given when it is known already."""
    if kind is None:
        value = plain(value)
        kind = classify(value)
    attr = ffi.new("GeAttrData *")
    keep = [ffi.new("char[]", c_text(name))]
    attr.name = keep[0]
    attr.type = kind
    if kind == _VT.VT_STRING:
        raw = value.encode()
        keep.append(ffi.new("char[]", raw))
        attr.s, attr.count = keep[1], len(raw)
    elif kind == _VT.VT_FLOAT:
        attr.f = float(ffi.cast("float", value))
    elif kind in (_VT.VT_BOOL, _VT.VT_INT, _VT.VT_DATA_TYPE):
        attr.i = check_int(value, f"Value of attribute '{name}'")
    elif kind == _VT.VT_TENSOR:
        keep += [value, value._data()]
        attr.tensor = keep[2]
    elif kind == _VT.VT_LIST_STRING:
        value = list(value)
        texts = [ffi.new("char[]", c_text(v)) for v in value]
        keep += [texts, ffi.new("char *[]", texts)]
        attr.list, attr.count = keep[2], len(value)
    else:
        if kind == _VT.VT_LIST_FLOAT:
            value = list(value)
        else:
            value = [check_int(v, f"Element {i} of attribute '{name}'") for i, v in enumerate(value)]
        array = ffi.new(_C_LISTS[kind], value)
        keep.append(array)
        attr.list, attr.count = array, len(value)
    return attr, keep


_C_LISTS = {
    _VT.VT_LIST_FLOAT: "float[]",
    _VT.VT_LIST_BOOL: "uint8_t[]",
    _VT.VT_LIST_INT: "int64_t[]",
    _VT.VT_LIST_DATA_TYPE: "int32_t[]",
}


def decode(attr):
    """The Python value of a GeAttrData."""
    kind = attr.type
    if kind == _VT.VT_STRING:
        return ffi.unpack(attr.s, attr.count).decode("utf-8", "replace") if attr.s else ""
    if kind == _VT.VT_FLOAT:
        return attr.f
    if kind == _VT.VT_BOOL:
        return bool(attr.i)
    if kind == _VT.VT_INT:
        return attr.i
    if kind == _VT.VT_DATA_TYPE:
        return DataType(attr.i)
    if kind == _VT.VT_TENSOR:
        from .tensor import Tensor

        out = ffi.new("GeTensor **")
        if lib.GeTensorCreate(attr.tensor, out) != 0:
            raise failed("Failed to get Tensor value")
        return Tensor._create_from(out[0])
    if kind == _VT.VT_LIST_STRING:
        texts = ffi.cast("char **", attr.list)
        return [ffi.string(texts[i]).decode("utf-8", "replace") for i in range(attr.count)]
    if kind in _C_LISTS:
        if attr.count == 0:
            return []
        values = ffi.unpack(ffi.cast(_C_LISTS[kind].replace("[]", " *"), attr.list), attr.count)
        return [bool(v) for v in values] if kind == _VT.VT_LIST_BOOL else values
    raise RuntimeError(f"Unsupported attribute type: {kind}")


class _AttrValue(NoCopy):
    """A typed value, set and read by kind."""

    _copy_name = "AttrValue"

    def __init__(self):
        self._kind = _VT.VT_NONE
        self._value = None

    def _set(self, kind, value):
        if kind == _VT.VT_FLOAT:
            value = float(ffi.cast("float", value))
        elif kind == _VT.VT_LIST_FLOAT:
            value = [float(ffi.cast("float", v)) for v in value]
        self._kind, self._value = kind, list(value) if isinstance(value, list) else value
        return True

    def _get(self, kind, what):
        if self._kind != kind:
            raise RuntimeError(f"Failed to get {what} value")
        return list(self._value) if isinstance(self._value, list) else self._value

    def set_string(self, value) -> bool:
        return self._set(_VT.VT_STRING, _checked(value, str, "Value must be a string"))

    def set_float(self, value) -> bool:
        return self._set(_VT.VT_FLOAT, _checked(value, (int, float), "Value must be a number"))

    def set_bool(self, value) -> bool:
        return self._set(_VT.VT_BOOL, _checked(value, bool, "Value must be a boolean"))

    def set_int(self, value) -> bool:
        return self._set(_VT.VT_INT, check_int(_checked(plain(value), int, "Value must be an integer"), "Value"))

    def set_data_type(self, value) -> bool:
        return self._set(_VT.VT_DATA_TYPE, _checked(value, DataType, "Value must be a DataType"))

    def set_tensor(self, value) -> bool:
        from .tensor import Tensor

        return self._set(_VT.VT_TENSOR, _checked(value, Tensor, "Value must be a Tensor"))

    def set_list_float(self, values) -> bool:
        return self._set(_VT.VT_LIST_FLOAT, _checked_list(values, (int, float), "numbers"))

    def set_list_int(self, values) -> bool:
        return self._set(_VT.VT_LIST_INT, [int(v) for v in _checked_list(values, int, "integers")])

    def set_list_bool(self, values) -> bool:
        return self._set(_VT.VT_LIST_BOOL, _checked_list(values, bool, "booleans"))

    def set_list_data_type(self, values) -> bool:
        return self._set(_VT.VT_LIST_DATA_TYPE, [int(v) for v in _checked_list(values, DataType, "DataTypes")])

    def set_list_string(self, values) -> bool:
        return self._set(_VT.VT_LIST_STRING, _checked_list(values, str, "strings"))

    def get_string(self) -> str:
        return self._get(_VT.VT_STRING, "string")

    def get_float(self) -> float:
        return self._get(_VT.VT_FLOAT, "float")

    def get_bool(self) -> bool:
        return self._get(_VT.VT_BOOL, "bool")

    def get_int(self) -> int:
        return self._get(_VT.VT_INT, "int")

    def get_data_type(self) -> DataType:
        return self._get(_VT.VT_DATA_TYPE, "DataType")

    def get_tensor(self):
        return self._get(_VT.VT_TENSOR, "Tensor")

    def get_list_float(self) -> list:
        return self._get(_VT.VT_LIST_FLOAT, "list")

    def get_list_int(self) -> list:
        return self._get(_VT.VT_LIST_INT, "list")

    def get_list_bool(self) -> list:
        return self._get(_VT.VT_LIST_BOOL, "list")

    def get_list_data_type(self) -> list:
        return self._get(_VT.VT_LIST_DATA_TYPE, "list")

    def get_list_string(self) -> list:
        return self._get(_VT.VT_LIST_STRING, "list_string")

    def set_value(self, value):
        value = plain(value)
        self._set(classify(value), value)

    def get_value(self):
        if self._kind == _VT.VT_NONE:
            raise RuntimeError(f"Unsupported attribute type: {int(self._kind)}")
        return self._get(self._kind, "")

    def get_value_type(self) -> AttrValueType:
        return self._kind

    value_type = property(get_value_type, doc="Kind of the stored value.")

    def __str__(self):
        if self._kind == _VT.VT_NONE:
            return "AttrValue(type: none, value: None)"
        kind = self._kind.name[len("VT_") :].lower()
        value = f"'{self._value}'" if self._kind == _VT.VT_STRING else self._value
        return f"AttrValue(type: {kind}, value: {value})"


def _checked(value, kind, message):
    if not isinstance(value, kind):
        raise TypeError(message)
    return value


def _checked_list(values, kind, plural):
    if not isinstance(values, list):
        raise TypeError("Values must be a list")
    if not values:
        raise ValueError("Empty list is not supported")
    if not all(isinstance(v, kind) for v in values):
        raise TypeError(f"All values must be {plural}")
    return values
