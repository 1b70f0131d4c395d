"""Numbers and lists where a tensor is expected."""

from typing import List, Union

from ._nested import _flatten_and_infer_shape, _unflatten  # noqa: F401 (programs take them from here)
from .graph_builder import GraphBuilder
from .tensor_holder import TensorHolder, convert_to_tensor_holder

Number = Union[int, float]
TensorLike = Union[Number, List["TensorLike"]]

__all__ = ["Number", "TensorLike", "convert_to_tensor_holder", "resolve_builder"]


def resolve_builder(*values):
    """The builder among the values: the first GraphBuilder, or that of the first TensorHolder."""
    if not values:
        raise ValueError("At least one argument is required to resolve GraphBuilder")
    for value in values:
        if isinstance(value, TensorHolder):
            return value._builder
        if isinstance(value, GraphBuilder):
            return value
    raise ValueError("Please ensure at least one input tensor or an explicit owner_builder is provided when supported")
