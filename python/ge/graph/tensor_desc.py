"""Shape and TensorDesc: what a tensor looks like."""

from ge._native import NULL, failed, ffi

from ._nocopy import NoCopy
from ._plain import int_list, is_int_list, shown
from .types import DataType, Format

UNKNOWN_DIM = -1
UNKNOWN_DIM_NUM = -2
UNKNOWN_DIM_SIZE = -1

_UNKNOWN_RANK = -1  # rank of GeTensorData when not even the number of dimensions is known
_MAX_RANK = 16


class Shape(list):
    """Dimensions: a list with helpers."""

    def __init__(self, dims=None):
        dims = int_list(dims)
        if dims is not None and not is_int_list(dims):
            raise TypeError("dims must be a list of integers")
        super().__init__(dims or ())

    def get_shape_size(self) -> int:
        """Number of elements; 0 for an empty shape, -1 when a dimension is unknown."""
        if not self:
            return 0
        size = 1
        for dim in self:
            if dim in (UNKNOWN_DIM, UNKNOWN_DIM_NUM):
                return UNKNOWN_DIM_SIZE
            size *= dim
        return size

    def is_unknown_shape(self) -> bool:
        """True when a dimension or the rank is unknown."""
        return any(dim in (UNKNOWN_DIM, UNKNOWN_DIM_NUM) for dim in self)


class TensorDesc(NoCopy):
    """Type, layout and shape. An independent value: give it back with Node.update_*_desc to make a change count."""

    # The handle is the plain C description itself; `_keep` owns the arrays it points to.
    __slots__ = ("_handle", "_keep", "__weakref__")

    def __init__(self, shape=None, format=Format.FORMAT_ND, data_type=DataType.DT_FLOAT):
        if not isinstance(format, Format):
            raise TypeError("Format must be a Format")
        if not isinstance(data_type, DataType):
            raise TypeError("Data type must be a DataType")
        shape = int_list(shape)
        if shape is not None and not is_int_list(shape):
            raise TypeError("shape must be a list of integers")
        self._handle = ffi.new("GeTensorData *")
        self._keep = [NULL, NULL]
        self._handle.data_type = data_type
        self._handle.format = format
        self._handle.origin_format = format
        if not (self._set_dims(shape) and self._set_origin_dims(shape)):
            raise failed("Failed to create TensorDesc", reason=_no_shape(shape))

    @classmethod
    def _create_from(cls, handle):
        """A copy of a GeTensorData; content is left out."""
        if handle is None or handle == NULL:
            raise ValueError("TensorDesc pointer cannot be None")
        self = cls.__new__(cls)
        self._handle = ffi.new("GeTensorData *")
        self._keep = [NULL, NULL]
        self._handle.data_type = handle.data_type
        self._handle.format = handle.format
        self._handle.origin_format = handle.origin_format
        self._set_dims(_dims(handle.rank, handle.dims))
        self._set_origin_dims(_dims(handle.origin_rank, handle.origin_dims))
        return self

    def _array(self, slot, shape):
        """(rank, dims) for a Python shape; [-2] stands for an unknown rank. None when it cannot be one."""
        dims = shape or []
        if dims == [UNKNOWN_DIM_NUM]:
            self._keep[slot] = NULL
            return _UNKNOWN_RANK, NULL
        if len(dims) > _MAX_RANK or any(not -1 <= d < 2**63 for d in dims):
            return None
        self._keep[slot] = ffi.new("int64_t[]", dims) if dims else NULL
        return len(dims), self._keep[slot]

    def _set_dims(self, shape):
        made = self._array(0, shape)
        if made:
            self._handle.rank, self._handle.dims = made
        return made is not None

    def _set_origin_dims(self, shape):
        made = self._array(1, shape)
        if made:
            self._handle.origin_rank, self._handle.origin_dims = made
        return made is not None

    def get_shape(self) -> Shape:
        """Dimensions (a fresh Shape)."""
        return Shape(_dims(self._handle.rank, self._handle.dims))

    def set_shape(self, shape) -> "TensorDesc":
        """Replaces the dimensions; [-2] says that not even their number is known."""
        shape = int_list(shape)
        if shape is not None and not is_int_list(shape):
            raise TypeError("shape must be a list of integers")
        if not self._set_dims(shape):
            raise failed("Failed to set shape", reason=_no_shape(shape))
        return self

    def get_origin_shape(self) -> Shape:
        """Dimensions in the origin format (a fresh Shape)."""
        return Shape(_dims(self._handle.origin_rank, self._handle.origin_dims))

    def set_origin_shape(self, shape) -> "TensorDesc":
        """Replaces the dimensions in the origin format."""
        shape = int_list(shape)
        if shape is not None and not is_int_list(shape):
            raise TypeError("origin shape must be a list of integers")
        if not self._set_origin_dims(shape):
            raise failed("Failed to set origin shape", reason=_no_shape(shape))
        return self

    def get_format(self) -> Format:
        """Layout."""
        return Format(self._handle.format)

    def set_format(self, format) -> "TensorDesc":
        """Replaces the layout."""
        if not isinstance(format, Format):
            raise TypeError("Format must be a Format")
        self._handle.format = format
        return self

    def get_origin_format(self) -> Format:
        """Layout before any conversion."""
        return Format(self._handle.origin_format)

    def set_origin_format(self, format) -> "TensorDesc":
        """Replaces the layout before any conversion."""
        if not isinstance(format, Format):
            raise TypeError("Format must be a Format")
        self._handle.origin_format = format
        return self

    def get_data_type(self) -> DataType:
        """Element type."""
        return DataType(self._handle.data_type)

    def set_data_type(self, data_type) -> "TensorDesc":
        """Replaces the element type."""
        if not isinstance(data_type, DataType):
            raise TypeError("Data type must be a DataType")
        self._handle.data_type = data_type
        return self

    shape = property(get_shape, doc="Dimensions (a fresh Shape).")
    origin_shape = property(get_origin_shape, doc="Dimensions in the origin format (a fresh Shape).")
    format = property(get_format, doc="Layout.")
    origin_format = property(get_origin_format, doc="Layout before any conversion.")
    data_type = property(get_data_type, doc="Element type.")

    def __repr__(self):
        return f"TensorDesc(shape={list(self.get_shape())}, format={self._handle.format}, data_type={self._handle.data_type})"


def _no_shape(dims):
    if len(dims) > _MAX_RANK:
        return f"the shape has {len(dims)} dimensions, expected at most {_MAX_RANK}"
    return f"shape {shown(dims)} has a dimension that is neither a size nor -1"


def _dims(rank, dims):
    if rank < 0:
        return [UNKNOWN_DIM_NUM]
    return [dims[i] for i in range(rank)]
