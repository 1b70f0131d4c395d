"""Graphs, nodes, tensors and their descriptions."""

from .graph import DumpFormat, Graph
from .node import Node
from .operator import Operator
from .tensor import Tensor
from .tensor_desc import Shape, TensorDesc
from .types import DataType, Format, Placement

__all__ = [
    "Graph",
    "Node",
    "Operator",
    "DataType",
    "Format",
    "Placement",
    "Shape",
    "Tensor",
    "TensorDesc",
    "DumpFormat",
]
