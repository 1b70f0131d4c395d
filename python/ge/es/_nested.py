"""Nested lists of numbers, flat and back."""

from ge.graph._plain import plain


def _flatten_and_infer_shape(value):
    """(flat list, shape) of nested lists."""
    if not isinstance(value, list):
        value = plain(value)
        if isinstance(value, (int, float)):
            return [value], []
        if isinstance(value, list):
            return _flatten_and_infer_shape(value)
        raise TypeError("Value must be int|float or nested lists of int|float")
    if not value:
        return [], [0]
    flat, inner = [], None
    for item in value:
        if isinstance(item, list) and not item:
            raise TypeError("Value must be int|float or nested lists of int|float")
        values, shape = _flatten_and_infer_shape(item)
        if inner is None:
            inner = shape
        elif inner != shape:
            raise ValueError("Irregular nested list: all sub-lists must have the same shape")
        flat += values
    return flat, [len(value), *inner]


def _unflatten(value, shape):
    """A flat list as nested lists."""
    if not shape:
        raise ValueError("Shape cannot be empty")
    count = 1
    for dim in shape:
        count *= dim
    if len(value) != count:
        raise ValueError(f"Length of list {len(value)} does not match shape {shape}")
    for at in range(len(shape) - 1, 0, -1):
        outer = 1
        for dim in shape[:at]:
            outer *= dim
        step = shape[at]
        value = [value[i * step : (i + 1) * step] for i in range(outer)]
    return value
