"""Classes that own a native handle refuse to be copied."""

from typing import Optional


class NoCopy:
    """Mixin: copy.copy and copy.deepcopy raise RuntimeError."""

    __slots__ = ()
    _copy_name: Optional[str] = None  # name in the messages, when it is not the class's own

    def __copy__(self):
        raise RuntimeError(f"{self._copy_name or type(self).__name__} does not support copy")

    def __deepcopy__(self, memo):
        raise RuntimeError(f"{self._copy_name or type(self).__name__} does not support deepcopy")


_INT = {int}


def is_plain_int_list(value):
    """A list of nothing but int: the check of every shape and axis, so it is quick."""
    return value.__class__ is list and set(map(type, value)) == _INT


def is_int_list(value):
    return is_plain_int_list(value) or (isinstance(value, list) and all(isinstance(v, int) for v in value))


def int_list(value):
    """Dimensions as a list of int where NumPy made them: an array, or a list with NumPy integers."""
    if is_plain_int_list(value):
        return value
    if isinstance(value, list):
        return [int(v) if hasattr(v, "dtype") and v.dtype.kind in "iu" else v for v in value]
    if hasattr(value, "dtype") and value.dtype.kind in "iu" and value.ndim == 1:
        return value.tolist()
    return value


def check_shape(dims, what):
    """Refuses dimensions that no tensor can have and C could not take."""
    for i, dim in enumerate(dims):
        if not -(2**63) <= dim < 2**63:
            raise ValueError(f"{what}: dimension {i} of the shape is {dim}, expected at most {2**63 - 1}")
