"""Inputs and outputs of a model, and the NumPy types of their elements."""

import numpy as np

from ge.graph.types import DataType

DTYPES = {
    DataType.DT_FLOAT: np.dtype(np.float32),
    DataType.DT_FLOAT16: np.dtype(np.float16),
    DataType.DT_DOUBLE: np.dtype(np.float64),
    DataType.DT_INT8: np.dtype(np.int8),
    DataType.DT_INT16: np.dtype(np.int16),
    DataType.DT_INT32: np.dtype(np.int32),
    DataType.DT_INT64: np.dtype(np.int64),
    DataType.DT_UINT8: np.dtype(np.uint8),
    DataType.DT_UINT16: np.dtype(np.uint16),
    DataType.DT_UINT32: np.dtype(np.uint32),
    DataType.DT_UINT64: np.dtype(np.uint64),
    DataType.DT_BOOL: np.dtype(np.bool_),
    DataType.DT_COMPLEX64: np.dtype(np.complex64),
    DataType.DT_COMPLEX128: np.dtype(np.complex128),
    # Types that NumPy lacks travel as raw bits inside. Arrays of these types of ml_dtypes are taken as input, too.
    DataType.DT_BF16: np.dtype(np.uint16),
    DataType.DT_FLOAT8_E5M2: np.dtype(np.uint8),
    DataType.DT_FLOAT8_E4M3FN: np.dtype(np.uint8),
}
BITS = {
    DataType.DT_BF16: "bfloat16",
    DataType.DT_FLOAT8_E5M2: "float8_e5m2",
    DataType.DT_FLOAT8_E4M3FN: "float8_e4m3fn",
}
_found_bfloat16: list = []  # once it was looked for


def _bfloat16():
    """The type of bfloat16 arrays: that of the package ml_dtypes where it is installed, else uint16 with the bits."""
    if not _found_bfloat16:
        try:
            import ml_dtypes
        except ImportError:
            _found_bfloat16.append(DTYPES[DataType.DT_BF16])
        else:
            _found_bfloat16.append(np.dtype(ml_dtypes.bfloat16))
    return _found_bfloat16[0]


class Bits(np.ndarray):
    """An array of a type that NumPy lacks, of ml_dtypes: DLPack hands it out under its own type."""

    def __dlpack__(self, **given):
        from ge._dlpack import named_bits

        if self.dtype.name not in BITS.values():
            return super().__dlpack__(**given)
        return named_bits(self.view(np.ndarray).view(f"u{self.itemsize}"), self.dtype.name, given)

    def __reduce__(self):
        return self.view(np.ndarray).__reduce__()  # a pickle of it is one of NumPy's


class Port:
    """An input or output of a model: name, data_type (of GE), dtype (of NumPy), shape, is_static.

    An open dimension is None in the shape; the shape is None when not even the number of dimensions is known.
    """

    __slots__ = ("name", "data_type", "dtype", "shape", "is_static", "_storage")

    def __init__(self, name, data):
        self.name = name
        self.data_type = DataType(data.data_type)
        self._storage = DTYPES.get(self.data_type)  # what crosses the C edge
        self.dtype = _bfloat16() if self.data_type == DataType.DT_BF16 else self._storage
        known = data.rank >= 0
        self.shape = tuple(None if data.dims[i] < 0 else data.dims[i] for i in range(data.rank)) if known else None
        self.is_static = known and None not in self.shape

    def element(self, name):
        """A port of this type for an array of any shape."""
        port = object.__new__(Port)
        for field in ("data_type", "dtype", "_storage"):
            setattr(port, field, getattr(self, field))
        port.name, port.shape, port.is_static = name, None, False
        return port

    @property
    def kind(self):
        """The element type as text."""
        return self.data_type.name[3:].lower() if self.dtype is None else self.dtype.name

    def shape_text(self):
        """The shape as text: [2, ?], or […] when nothing is known."""
        return "[…]" if self.shape is None else str(["?" if d is None else d for d in self.shape]).replace("'", "")

    def __repr__(self):
        return f"{self.name}: {self.kind}{self.shape_text()}"


class ValuePort:
    """An input or output that is no tensor: name, kind ("text", "sequence of float32", "optional …"), data_type and dtype of
    its numbers, shape (of texts; else None), ports (the tensors that it is)."""

    __slots__ = ("name", "kind", "data_type", "dtype", "shape", "is_static", "ports")

    def __init__(self, name, kind, content, ports):
        self.name, self.ports, self.is_static = name, tuple(ports), False
        values = ports[1] if kind == "optional" else ports[0]
        inner = content if kind == "optional" else kind
        text = inner == "text"
        self.data_type = DataType.DT_STRING if text else values.data_type
        self.dtype = np.dtype(object) if text else values.dtype
        self.shape = None if inner == "sequence" else values.shape
        described = {"text": "text", "sequence": f"sequence of {values.kind}", "tensor": values.kind}[inner]
        self.kind = f"optional {described}" if kind == "optional" else described

    def __repr__(self):
        return f"{self.name}: {self.kind}"
