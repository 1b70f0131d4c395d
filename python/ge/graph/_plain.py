"""Checks of Python values on their way to C; NumPy's scalars and arrays count as the numbers and lists they hold."""

_INT = {int}
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


def plain(value):
    """A NumPy scalar as the Python number, an array (or a list with NumPy scalars) as a list; all else unchanged. A list of
    a class of its own comes as a plain one: C goes by its length, which such a class may tell wrong."""
    if isinstance(value, list):
        return [v.item() if hasattr(v, "dtype") and not v.shape else v for v in value]
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return value.tolist()  # a scalar's is the number
    return value


def plain_int(value):
    """A NumPy integer as int; all else unchanged."""
    if not isinstance(value, int) and hasattr(value, "dtype") and not value.shape:
        return value.item()
    return value


def is_plain_int_list(value):
    """A list of nothing but int: the check of every shape and axis, so it is quick."""
    return value.__class__ is list and set(map(type, value)) == _INT


def is_int_list(value):
    """A list of integers, those of classes derived from int included."""
    return is_plain_int_list(value) or (isinstance(value, list) and all(isinstance(v, int) for v in value))


def int_list(value):
    """Dimensions as a list of int where NumPy made them: an array of integers, or a list with NumPy integers."""
    if value is None or is_plain_int_list(value):
        return value
    if isinstance(value, list):
        return [plain_int(v) for v in value]
    if hasattr(value, "dtype") and value.dtype.kind in "iu" and value.ndim == 1:
        return value.tolist()
    return value


def shown(value):
    """A value in a message, shortened."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def check_int(value, what, low=INT64_MIN, high=INT64_MAX):
    """The value as an int that lies within the limits."""
    number = int(value)
    if not low <= number <= high:
        raise ValueError(f"{what} is {shown(number)}, expected {low} to {high}")
    return number


def port(index):
    """A port number as C takes it; one that does not fit is no port either."""
    return index if -(2**31) <= index < 2**31 else 2**31 - 1


def check_shape(dims, what):
    """Refuses dimensions that C could not take."""
    for i, dim in enumerate(dims):
        if not INT64_MIN <= dim <= INT64_MAX:
            raise ValueError(f"{what}: dimension {i} of the shape is {shown(dim)}, expected at most {INT64_MAX}")
