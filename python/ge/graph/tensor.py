"""Tensor: typed, shaped content for attributes and session input and output."""

import array
import os
import sys

from ge._native import NULL, c_text, failed, ffi, lib

from ._nocopy import NoCopy
from ._numeric import float_list_to_fp16_bits
from ._plain import check_shape, int_list, is_int_list, plain, shown
from .tensor_desc import Shape, TensorDesc, _dims
from .types import DataType, Format, Placement

_INT_CODES = {
    DataType.DT_INT8: "b",
    DataType.DT_INT16: "h",
    DataType.DT_INT32: "i",
    DataType.DT_INT64: "q",
    DataType.DT_UINT8: "B",
    DataType.DT_UINT16: "H",
    DataType.DT_UINT32: "I",
    DataType.DT_UINT64: "Q",
}
# struct codes for reading; memoryview.cast knows them all, 'e' included.
_READ_CODES = {**_INT_CODES, DataType.DT_FLOAT: "f", DataType.DT_DOUBLE: "d", DataType.DT_BOOL: "?"}
_NUMPY_NAMES = {
    DataType.DT_FLOAT: "float32",
    DataType.DT_FLOAT16: "float16",
    DataType.DT_DOUBLE: "float64",
    DataType.DT_BOOL: "bool",
    **{t: t.name[len("DT_") :].lower() for t in _INT_CODES},
}
_FILE_TYPES = {*_INT_CODES, DataType.DT_FLOAT, DataType.DT_FLOAT16, DataType.DT_BOOL}


class Tensor(NoCopy):
    """A tensor with its content. Make one from a flat list, from a raw little-endian file, or empty."""

    def __init__(
        self,
        data=None,
        file_path=None,
        data_type=DataType.DT_FLOAT,
        format=Format.FORMAT_ND,
        shape=None,
        placement=Placement.PLACEMENT_HOST,
    ):
        self._handle = None
        self._owns_handle = True
        self._owner = None
        self._placement = Placement.PLACEMENT_HOST
        self._stream_result = False  # to_host() is fine, as programs for devices call it
        self._shared = False  # the handle is also held elsewhere: copy before a change
        shape = int_list(shape)
        if shape is not None and not is_int_list(shape):
            raise TypeError("Shape must be a list of integers")
        check_shape(shape or (), "Tensor")
        if not isinstance(placement, Placement):
            raise TypeError("Placement must be a Placement")
        if data is not None and file_path is not None:
            raise RuntimeError("Tensor should be created either by data or by file")
        if data is not None:
            if hasattr(data, "dtype") and getattr(data, "shape", ()) != ():  # a NumPy array: its values, in C order
                shape = list(data.shape) if shape is None else shape
                data = data.reshape(-1).tolist()
            if not isinstance(data, list):
                raise TypeError("data should be List")
            self._handle = _from_list(data if data.__class__ is list else list(data), data_type, format, shape)
        elif file_path is not None:
            self._handle = _from_file(file_path, data_type, format, shape)
        else:
            out = ffi.new("GeTensor **")
            if lib.GeTensorCreateEmpty(out) != 0:
                raise failed("Failed to create Tensor")
            self._handle = ffi.gc(out[0], lib.GeTensorDestroy)
            if shape or data_type != DataType.DT_FLOAT or format != Format.FORMAT_ND:
                self._relabel(_Description(data_type, format, shape), "Failed to create Tensor")
        if placement == Placement.PLACEMENT_DEVICE:
            self.to_device()

    @classmethod
    def _create_from(cls, handle):
        """Adopts a native tensor."""
        if handle is None or handle == NULL:
            raise ValueError("Tensor pointer cannot be None")
        return cls._wrap(ffi.gc(handle, lib.GeTensorDestroy))

    @classmethod
    def _wrap(cls, handle, shared=False):
        """A Tensor over a handle that frees itself."""
        self = cls.__new__(cls)
        self._handle = handle
        self._owns_handle = True
        self._owner = None
        self._placement = Placement.PLACEMENT_HOST
        self._stream_result = False  # to_host() is fine, as programs for devices call it
        self._shared = shared
        return self

    def _data(self):
        """The C description, content included; valid while self is unchanged."""
        data = ffi.new("GeTensorData *")
        if lib.GeTensorGetData(self._handle, data) != 0:
            raise failed("Failed to get Tensor data")
        return data

    def _relabel(self, description, message):
        if self._shared:
            out = ffi.new("GeTensor **")
            if lib.GeTensorClone(self._handle, out) != 0:
                raise failed(message)
            self._handle = ffi.gc(out[0], lib.GeTensorDestroy)
            self._shared = False
        if lib.GeTensorSetDesc(self._handle, description.c) != 0:
            raise failed(message)

    def get_data(self):
        """Nested lists shaped like the tensor; a plain value for a scalar."""
        data = self._data()
        shape = _dims(data.rank, data.dims)
        return _nested(_values(data), shape)

    def get_shape(self) -> Shape:
        """Dimensions (a fresh Shape)."""
        data = self._data()
        return Shape(_dims(data.rank, data.dims))

    def get_data_type(self) -> DataType:
        """Element type."""
        return DataType(self._data().data_type)

    def set_data_type(self, data_type) -> "Tensor":
        """Relabels the content; nothing is converted."""
        if not isinstance(data_type, DataType):
            raise TypeError("Data_type must be a DataType")
        data = self._data()
        data.data_type = data_type
        self._relabel(_Raw(data), f"Failed to set datatype {int(data_type)}")
        return self

    def get_format(self) -> Format:
        """Layout."""
        return Format(self._data().format)

    def set_format(self, format) -> "Tensor":
        """Says that the content has this layout; nothing is converted."""
        if not isinstance(format, Format):
            raise TypeError("Format must be a Format")
        data = self._data()
        data.format = format
        data.origin_format = format
        self._relabel(_Raw(data), f"Failed to set format {int(format)}")
        return self

    def get_tensor_desc(self) -> TensorDesc:
        """An independent description."""
        return TensorDesc._create_from(self._data())

    def get_placement(self) -> Placement:
        """Host or device: a label, as on a CPU all memory is the host's."""
        return self._placement

    def to_host(self) -> "Tensor":
        """Moves a device tensor to the host, in place. Results of a run on a stream are there already."""
        if self._placement != Placement.PLACEMENT_DEVICE and not self._stream_result:
            raise ValueError("to_host() only supports device tensors")
        self._placement = Placement.PLACEMENT_HOST  # on a CPU both are the same memory
        return self

    def to_device(self) -> "Tensor":
        """Labels a host tensor as one of the device. On a CPU all memory is the host's: nothing is moved."""
        if self._placement != Placement.PLACEMENT_HOST:
            raise ValueError("to_device() only supports host tensors")
        self._placement = Placement.PLACEMENT_DEVICE
        return self

    data = property(get_data, doc="Content as nested lists.")
    shape = property(get_shape, doc="Dimensions.")
    data_type = property(get_data_type, doc="Element type.")
    format = property(get_format, doc="Layout.")
    placement = property(get_placement, doc="Host or device: a label, as on a CPU all memory is the host's.")

    def __array__(self, dtype=None, copy=None):
        """A NumPy array over the content, without a copy where that is possible: read-only, and it keeps the content
        alive. Types that NumPy does not have raise TypeError."""
        import numpy

        data = self._data()
        name = _NUMPY_NAMES.get(data.data_type)
        if name is None:
            raise TypeError(f"NumPy has no type for {DataType(data.data_type).name}")
        shape = _dims(data.rank, data.dims)
        if data.size:
            content = ffi.gc(data.data, lambda _, kept=self._handle: None)
            array = numpy.frombuffer(ffi.buffer(content, data.size), dtype=name)[: _count(shape)].reshape(shape)
        else:
            array = numpy.empty(shape, name)
        array.flags.writeable = False
        if dtype is not None and numpy.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"a view of {name} content as {numpy.dtype(dtype)} needs a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    @classmethod
    def from_dlpack(cls, array) -> "Tensor":
        """A tensor over the memory of another library's array (PyTorch, NumPy, JAX, … on the host), without a copy.

        The memory stays as long as the tensor does. What is read-only, or does not lie row after row, is copied.
        """
        from ge._dlpack import tensor_from

        return tensor_from(array, lambda data_type, shape: cls(data_type=data_type, shape=shape))

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule over the content, without a copy: torch.from_dlpack(tensor), numpy.from_dlpack(tensor).

        What the other library writes is written here. A tensor that a graph holds, too, is read-only, or copied for a
        consumer that asks for a version of DLPack in which it cannot be told so.
        """
        from ge._dlpack import capsule_of

        return capsule_of(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self):
        """(1, 0), the host, as DLPack numbers it."""
        return 1, 0

    def __repr__(self):
        data = self._data()
        dtype, format = DataType(data.data_type), Format(data.format)
        return f"<Tensor {dtype.name}{list(_dims(data.rank, data.dims))}, {format.name}, {data.size} bytes>"

    def __str__(self):
        data = self.get_data()
        return (
            f"\n        Tensor format is {self.get_format():d},"
            f"\n        data_type is {self.get_data_type():d},"
            f"\n        shape is {list(self.get_shape())},"
            f"\n        data is {data}"
            "\n        "
        )

    def _transfer_ownership_when_pass_as_attr(self, builder):
        if self._owner is not None:
            raise RuntimeError(f"Tensor already has an new owner builder :{self._owner.name}, cannot transfer ownership again")
        self._owner = builder
        self._owns_handle = False
        self._shared = True


class _Raw:
    """A description that borrows its arrays from another one."""

    def __init__(self, data):
        self.c = data


class _Description:
    """A GeTensorData made from Python values; owns its arrays."""

    def __init__(self, data_type, format, shape, content=NULL, size=0):
        dims = shape or []
        self._dims = ffi.new("int64_t[]", dims) if dims else NULL
        self._content = content
        self.c = ffi.new("GeTensorData *")
        c = self.c
        c.data_type, c.format, c.origin_format = int(data_type), int(format), int(format)
        c.rank = c.origin_rank = len(dims)
        c.dims = c.origin_dims = self._dims
        c.data, c.size = content, size


def _count(shape):
    """Elements of a shape; 1 for a scalar."""
    count = 1
    for dim in shape or ():
        count *= dim
    return count


def _does_not_fit(data, data_type):
    bits = lib.GeDataTypeBits(int(data_type))
    low, high = (0, 2**bits - 1) if "UINT" in data_type.name else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    at, value = next((i, v) for i, v in enumerate(data) if not low <= int(v) <= high)
    return ValueError(f"A value does not fit {data_type.name}: element {at} is {shown(value)}, expected {low} to {high}")


def _pack(data, data_type):
    """(bytes, data type) of a flat list."""
    if any(hasattr(v, "dtype") for v in data):
        data = plain(data)
    if all(isinstance(v, bool) for v in data):
        return bytes(data), (DataType.DT_BOOL if data else data_type)
    if data_type in _INT_CODES:
        try:
            packed = array.array(_INT_CODES[data_type], [int(v) for v in data])
        except OverflowError:
            raise _does_not_fit(data, DataType(data_type)) from None
    elif data_type == DataType.DT_FLOAT:
        packed = array.array("f", [float(v) for v in data])
    elif data_type == DataType.DT_FLOAT16:
        packed = array.array("H", float_list_to_fp16_bits(data))
    elif data_type == DataType.DT_DOUBLE:
        raise RuntimeError("DT_DOUBLE is not supported in python Tensor constructor")
    else:
        raise RuntimeError(f"Failed to create Tensor with data type: {int(data_type)}")
    if sys.byteorder != "little":
        packed.byteswap()
    return packed.tobytes(), data_type


def _from_list(data, data_type, format, shape):
    content, data_type = _pack(data, data_type)
    if any(dim < 0 for dim in shape or ()):
        raise failed("Failed to create Tensor", reason=f"shape {shape} has a negative dimension")
    count = _count(shape)
    if len(data) < count:
        raise ValueError(f"Length of data {len(data)} is less than shape {shape or []} needs ({count})")
    size = count * (lib.GeDataTypeBits(int(data_type)) // 8)
    buffer = ffi.from_buffer(content) if content else NULL
    description = _Description(data_type, format, shape, buffer, size)
    out = ffi.new("GeTensor **")
    if lib.GeTensorCreate(description.c, out) != 0:
        raise failed("Failed to create Tensor")
    return ffi.gc(out[0], lib.GeTensorDestroy, size)


def _from_file(path, data_type, format, shape):
    if data_type not in _FILE_TYPES:
        raise failed("Failed to create Tensor", reason=f"a file cannot hold data type {int(data_type)}")
    description = _Description(data_type, format, shape)
    out = ffi.new("GeTensor **")
    if lib.GeTensorCreateFromFile(c_text(os.fspath(path)), description.c, out) != 0:
        raise failed("Failed to create Tensor")
    return ffi.gc(out[0], lib.GeTensorDestroy)


def _values(data):
    """Content of a GeTensorData as a flat list."""
    if data.data == NULL and _count(_dims(data.rank, data.dims)) != 0:
        raise ValueError("Input must start with '[' and end with ']'")
    if data.data == NULL or data.size == 0:
        return []
    raw = ffi.buffer(data.data, data.size)
    if data.data_type == DataType.DT_FLOAT16:
        import struct

        return list(struct.unpack(f"<{data.size // 2}e", raw))
    code = _READ_CODES.get(data.data_type)
    if code is None:
        raise ValueError("Input must start with '[' and end with ']'")
    return memoryview(raw).cast("B").cast(code).tolist()


def _nested(values, shape):
    """A flat list as nested lists of `shape`."""
    if not shape:
        if len(values) != 1:
            raise ValueError(f"Scalar tensor should contain exactly one element, got {len(values)}")
        return values[0]
    if len(values) != _count(shape):
        raise ValueError(f"Length of list {len(values)} does not match shape {list(shape)}")
    for at in range(len(shape) - 1, 0, -1):
        step = shape[at]
        outer = _count(shape[:at])
        values = [values[i * step : (i + 1) * step] for i in range(outer)]
    return values


def _parse_str_list(s) -> list:
    """Reads "[1,2.5]"."""
    s = s.strip()
    if not (s.startswith("[") and s.endswith("]")):
        raise ValueError("Input must start with '[' and end with ']'")
    inner = s[1:-1].strip()
    values = []
    for item in inner.split(",") if inner else ():
        item = item.strip()
        if item.lstrip("-").isdigit() and item.count("-") <= 1:
            values.append(int(item))
            continue
        try:
            values.append(float(item))
        except ValueError:
            raise ValueError(f"Invalid item: '{item}'") from None
    return values


def unflatten_tensor_data(text, shape):
    """Parses a flat list from text and gives it the shape."""
    return _nested(_parse_str_list(text), shape)
