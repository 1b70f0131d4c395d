"""DLPack: arrays of other libraries are read where they are, and tensors are handed to other libraries without a copy."""

import ctypes

from ge._native import NULL, failed, ffi, lib
from ge.graph.types import DataType

_HOST, _PINNED = 1, (3, 11)  # device numbers of DLPack; pinned memory is the host's, too
_READ_ONLY, _COPIED = 1, 2  # flags
_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL, _E4M3FN, _E5M2 = 0, 1, 2, 4, 5, 6, 10, 12
_ELEMENTS = {  # (code, bits)
    DataType.DT_INT8: (_INT, 8),
    DataType.DT_INT16: (_INT, 16),
    DataType.DT_INT32: (_INT, 32),
    DataType.DT_INT64: (_INT, 64),
    DataType.DT_UINT8: (_UINT, 8),
    DataType.DT_UINT16: (_UINT, 16),
    DataType.DT_UINT32: (_UINT, 32),
    DataType.DT_UINT64: (_UINT, 64),
    DataType.DT_FLOAT16: (_FLOAT, 16),
    DataType.DT_FLOAT: (_FLOAT, 32),
    DataType.DT_DOUBLE: (_FLOAT, 64),
    DataType.DT_BF16: (_BFLOAT, 16),
    DataType.DT_COMPLEX64: (_COMPLEX, 64),
    DataType.DT_COMPLEX128: (_COMPLEX, 128),
    DataType.DT_BOOL: (_BOOL, 8),
    DataType.DT_FLOAT8_E4M3FN: (_E4M3FN, 8),
    DataType.DT_FLOAT8_E5M2: (_E5M2, 8),
}
_NUMPY_LACKS = {_BFLOAT: "bfloat16", _E4M3FN: "float8_e4m3fn", _E5M2: "float8_e5m2"}
_NUMPY_KINDS = {_INT: "i", _UINT: "u", _FLOAT: "f", _COMPLEX: "c", _BOOL: "b"}


class _View(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("view", _View),
    ]


_api = ctypes.pythonapi
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _api))
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("PyCapsule_New", _api))


def _address(pointer):
    return int(ffi.cast("uintptr_t", pointer))


# ---- in ----


def view_of(value):
    """(an array over the memory of a DLPack object, the name of its element type where NumPy has none: it holds bits)."""
    import numpy

    try:
        return numpy.from_dlpack(value), None
    except (AttributeError, BufferError, RuntimeError, TypeError):  # an old NumPy, a type that it does not have, a device
        return _parsed(value, numpy)


class _Opened:
    """A capsule that nobody has taken the content of, and what it says."""

    def __init__(self, value):
        try:
            capsule = value.__dlpack__(max_version=(1, 0))
        except TypeError:  # made before there were versions
            capsule = value.__dlpack__()
        self.versioned = bool(_is_valid(capsule, b"dltensor_versioned"))
        if not self.versioned and not _is_valid(capsule, b"dltensor"):
            raise BufferError("its __dlpack__ gave no DLPack capsule, or one that was used already")
        self.capsule = capsule
        self.held = _pointer(capsule, b"dltensor_versioned" if self.versioned else b"dltensor")
        self.flags = 0
        self.view = _View.from_address(self.held)
        if self.versioned:
            whole = _Versioned.from_address(self.held)
            if whole.major > 1:
                raise BufferError(f"it speaks DLPack {whole.major}.{whole.minor}, expected 1")
            self.view, self.flags = whole.view, whole.flags
        view = self.view
        if view.device_type != _HOST and view.device_type not in _PINNED:
            raise BufferError(f"it lies on device {view.device_type}:{view.device_id} of DLPack, expected memory of the host")
        if view.lanes != 1 or view.bits % 8:
            raise BufferError(f"its elements have DLPack's type {view.code} with {view.lanes} x {view.bits} bits")
        self.shape = view.shape[: view.rank] if view.rank else []
        self.strides = view.strides[: view.rank] if view.rank and view.strides else _dense(self.shape)

    def is_dense(self):
        """Whether elements follow one another in the order of rows."""
        return all(dim == 1 or a == b for dim, a, b in zip(self.shape, self.strides, _dense(self.shape)))

    def taken(self):
        """The content is another's from here on."""
        _rename(self.capsule, b"used_dltensor_versioned" if self.versioned else b"used_dltensor")


def _dense(shape):
    strides = [1] * len(shape)
    for i in range(len(shape) - 1, 0, -1):
        strides[i - 1] = strides[i] * shape[i]
    return strides


def _parsed(value, numpy):
    opened = _Opened(value)
    view = opened.view
    lacks = _NUMPY_LACKS.get(view.code)
    kind = "u" if lacks else _NUMPY_KINDS.get(view.code)
    if kind is None:
        raise BufferError(f"its elements have DLPack's type {view.code} with {view.bits} bits")
    return _array(opened, numpy.dtype(f"{kind}{view.bits // 8}"), numpy), lacks


def _array(opened, dtype, numpy):
    """An array over the content. Nobody takes the content out of the capsule, which frees it when the array is gone."""
    shape, view = opened.shape, opened.view
    if 0 in shape:
        return numpy.empty(shape, dtype)
    steps = [stride * (dim - 1) * dtype.itemsize for stride, dim in zip(opened.strides, shape)]
    before = -sum(min(step, 0) for step in steps)
    size = before + sum(max(step, 0) for step in steps) + dtype.itemsize
    first = ffi.cast("char *", view.data + view.byte_offset - before)
    content = ffi.buffer(ffi.gc(first, lambda _, kept=opened.capsule: None), size)
    return numpy.ndarray(shape, dtype, content, before, [stride * dtype.itemsize for stride in opened.strides])


def tensor_from(value, make):
    """Tensor.from_dlpack. make(data type, shape): an empty tensor."""
    opened = _Opened(value)
    view = opened.view
    kind = next((k for k, element in _ELEMENTS.items() if element == (view.code, view.bits)), None)
    if kind is None:
        raise BufferError(f"its elements have DLPack's type {view.code} with {view.bits} bits, which has no DataType")
    tensor = make(kind, opened.shape)
    size = view.bits // 8
    for dim in opened.shape:
        size *= dim
    if size and opened.is_dense() and not opened.flags & _READ_ONLY:
        data = ffi.cast("void *", view.data + view.byte_offset)
        status = lib.ge_py_dlpack_take(tensor._handle, ffi.cast("void *", opened.held), opened.versioned, data, size)
        if status == 0:
            opened.taken()
    else:
        import numpy

        bits = numpy.ascontiguousarray(_array(opened, numpy.dtype(f"V{view.bits // 8}"), numpy))
        content = ffi.from_buffer(bits) if size else NULL
        status = lib.GeTensorSetBytes(tensor._handle, content, size)
    if status != 0:
        raise failed("Failed to create Tensor")
    return tensor


# ---- out ----


def named_bits(array, dtype_name, given):
    """A capsule over an array of bits that says the type of its elements, one that NumPy lacks."""
    capsule = array.__dlpack__(**given)
    code = next(code for code, name in _NUMPY_LACKS.items() if name == dtype_name)
    if _is_valid(capsule, b"dltensor_versioned"):
        view = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned")).view
    else:
        view = _View.from_address(_pointer(capsule, b"dltensor"))
    view.code = code
    return capsule


def capsule_of(tensor, stream, max_version, dl_device, copy):
    """Tensor.__dlpack__. What a graph holds as well is read-only, or a copy where the consumer cannot be told so."""
    data = tensor._data()
    element = _ELEMENTS.get(data.data_type)
    if element is None:
        raise BufferError(f"DLPack has no type for {DataType(data.data_type).name}")
    if stream is not None:
        raise BufferError(f"stream is {stream!r}, expected None: the memory is the host's")
    if dl_device is not None and tuple(dl_device) != (_HOST, 0):
        raise BufferError(f"dl_device is {tuple(dl_device)!r}, expected {(_HOST, 0)}: the memory is the host's")
    elements = 1 if data.rank >= 0 else -1
    for i in range(max(data.rank, 0)):
        elements = -1 if data.dims[i] < 0 or elements < 0 else elements * data.dims[i]
    if elements < 0 or data.size < elements * element[1] // 8:
        raise BufferError("the tensor has no content of a known shape")
    versioned = max_version is not None and max_version[0] >= 1
    copies = copy or (copy is None and tensor._shared and not versioned)
    if tensor._shared and not versioned and not copies:
        raise BufferError("a graph holds the tensor, too: without a copy it is read-only, which this consumer does not know")
    handle, flags = tensor._handle, 0
    if copies:
        out = ffi.new("GeTensor **")
        if lib.GeTensorClone(handle, out) != 0:
            raise MemoryError("no memory for a copy of the tensor")
        handle, flags = ffi.gc(out[0], lib.GeTensorDestroy), _COPIED
    elif tensor._shared:
        flags = _READ_ONLY
    made = lib.ge_py_dlpack_make(handle, *element, versioned, flags)
    if not made:
        raise MemoryError("no memory for a DLPack capsule")
    name, free = lib.ge_py_dlpack_name(versioned), ffi.addressof(lib, "ge_py_dlpack_free")
    return _new(_address(made), _address(name), _address(free))
