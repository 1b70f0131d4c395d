"""Inputs and outputs of a model, and the NumPy types of their elements."""

import numpy as np

from ge._native import lib

# By the numbers of GE's types: their names are an enumeration, which takes a while to make.
DTYPES = {
    lib.C_DT_FLOAT: np.dtype(np.float32),
    lib.C_DT_FLOAT16: np.dtype(np.float16),
    lib.C_DT_DOUBLE: np.dtype(np.float64),
    lib.C_DT_INT8: np.dtype(np.int8),
    lib.C_DT_INT16: np.dtype(np.int16),
    lib.C_DT_INT32: np.dtype(np.int32),
    lib.C_DT_INT64: np.dtype(np.int64),
    lib.C_DT_UINT8: np.dtype(np.uint8),
    lib.C_DT_UINT16: np.dtype(np.uint16),
    lib.C_DT_UINT32: np.dtype(np.uint32),
    lib.C_DT_UINT64: np.dtype(np.uint64),
    lib.C_DT_BOOL: np.dtype(np.bool_),
    lib.C_DT_COMPLEX64: np.dtype(np.complex64),
    lib.C_DT_COMPLEX128: np.dtype(np.complex128),
    # Types that NumPy lacks travel as raw bits inside. Arrays of these types of ml_dtypes are taken as input, too.
    lib.C_DT_BF16: np.dtype(np.uint16),
    lib.C_DT_FLOAT8_E5M2: np.dtype(np.uint8),
    lib.C_DT_FLOAT8_E4M3FN: np.dtype(np.uint8),
    lib.C_DT_FLOAT8_E4M3FNUZ: np.dtype(np.uint8),
    lib.C_DT_FLOAT8_E5M2FNUZ: np.dtype(np.uint8),
    lib.C_DT_FLOAT8_E8M0: np.dtype(np.uint8),
}
BITS = {
    lib.C_DT_BF16: "bfloat16",
    lib.C_DT_FLOAT8_E5M2: "float8_e5m2",
    lib.C_DT_FLOAT8_E4M3FN: "float8_e4m3fn",
    lib.C_DT_FLOAT8_E4M3FNUZ: "float8_e4m3fnuz",
    lib.C_DT_FLOAT8_E5M2FNUZ: "float8_e5m2fnuz",
    lib.C_DT_FLOAT8_E8M0: "float8_e8m0fnu",
}
# Types of which several share a byte, low bits first. Arrays have an element in each byte: of the type of ml_dtypes, or, where
# that is not installed, the code as uint8.
PACKED = {
    lib.C_DT_INT4: (4, "int4"),
    lib.C_DT_UINT4: (4, "uint4"),
    lib.C_DT_INT2: (2, "int2"),
    lib.C_DT_UINT2: (2, "uint2"),
    lib.C_DT_FLOAT4_E2M1: (4, "float4_e2m1fn"),
}
_found: dict = {}  # types of ml_dtypes that were looked for


def _of_ml_dtypes(name, otherwise):
    """The type of the package ml_dtypes where it is installed and has it, else another one with the bits."""
    if name not in _found:
        try:
            import ml_dtypes

            _found[name] = np.dtype(getattr(ml_dtypes, name))
        except (ImportError, AttributeError):
            _found[name] = otherwise
    return _found[name]


class PackedArray(np.ndarray):
    """Bytes that hold several elements each; `elements` is the shape of the array that they stand for."""

    elements = ()


def pack(array, bits):
    """An array with a code of so many bits in each byte as bytes that are full."""
    per = 8 // bits
    codes = np.zeros(-(-array.size // per) * per, np.uint8)
    codes[: array.size] = array.view(np.uint8).reshape(-1) & ((1 << bits) - 1)
    shifted = codes.reshape(-1, per) << (np.arange(per, dtype=np.uint8) * np.uint8(bits))
    packed = np.bitwise_or.reduce(shifted, axis=1, dtype=np.uint8).view(PackedArray)
    packed.elements = array.shape
    return packed


def unpack(packed, shape, port):
    """The reverse for an output, of the port's type."""
    per = 8 // port._bits
    codes = (packed.reshape(-1, 1) >> (np.arange(per, dtype=np.uint8) * np.uint8(port._bits))) & ((1 << port._bits) - 1)
    codes = codes.reshape(-1)[: int(np.prod(shape))].reshape(shape).astype(np.uint8)
    if port.dtype.name.startswith("int"):  # of ml_dtypes: the sign goes through the byte
        codes = (codes ^ (1 << (port._bits - 1))).view(np.int8) - np.int8(1 << (port._bits - 1))
    return codes.view(port.dtype)


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

    __slots__ = ("name", "dtype", "shape", "is_static", "_bits", "_storage", "_type")

    def __init__(self, name, data):
        self.name = name
        self._type = int(data.data_type)
        self._storage = DTYPES.get(self._type)  # what crosses the C edge
        self.dtype = self._storage
        self._bits, kind = PACKED.get(self._type, (0, None))  # of an element, where several share a byte
        if self._type == lib.C_DT_BF16:
            self.dtype = _of_ml_dtypes("bfloat16", self._storage)
        elif self._bits:
            self.dtype = _of_ml_dtypes(kind, np.dtype(np.uint8))
        known = data.rank >= 0
        self.shape = tuple(None if data.dims[i] < 0 else data.dims[i] for i in range(data.rank)) if known else None
        self.is_static = known and None not in self.shape

    def element(self, name):
        """A port of this type for an array of any shape."""
        port = object.__new__(Port)
        for field in ("dtype", "_bits", "_storage", "_type"):
            setattr(port, field, getattr(self, field))
        port.name, port.shape, port.is_static = name, None, False
        return port

    @property
    def data_type(self):
        """The element type as GE names it: a ge.graph.DataType."""
        from ge.graph.types import DataType

        return DataType(self._type)

    @property
    def kind(self):
        """The element type as text."""
        return self.data_type.name[3:].lower() if self.dtype is None else self.dtype.name

    def shape_text(self):
        """The shape as text: [2, ?], or […] when nothing is known."""
        return _shape_text(self.shape)

    def __repr__(self):
        return f"{self.name}: {self.kind}{self.shape_text()}"


def _shape_text(shape):
    return "[…]" if shape is None else str(["?" if d is None else d for d in shape]).replace("'", "")


class ValuePort:
    """An input or output that is no tensor: name, kind ("text", "sequence of float32", "optional …"), data_type and dtype of
    its numbers, shape (of texts; else None), ports (the tensors that it is)."""

    __slots__ = ("name", "kind", "data_type", "dtype", "shape", "is_static", "ports")

    def __init__(self, name, kind, content, ports):
        self.name, self.ports, self.is_static = name, tuple(ports), False
        values = ports[1] if kind == "optional" else ports[0]
        inner = content if kind == "optional" else kind
        text = inner == "text"
        from ge.graph.types import DataType

        self.data_type = DataType.DT_STRING if text else values.data_type
        self.dtype = np.dtype(object) if text else values.dtype
        self.shape = None if inner == "sequence" else values.shape
        described = {"text": "text", "sequence": f"sequence of {values.kind}", "tensor": values.kind}[inner]
        self.kind = f"optional {described}" if kind == "optional" else described

    def shape_text(self):
        """The shape as text, as a Port has it; of texts alone it says something."""
        return _shape_text(self.shape)

    def __repr__(self):
        return f"{self.name}: {self.kind}"
