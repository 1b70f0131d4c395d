from typing import Optional, Sequence, Union

from .graph_builder import GraphBuilder
from .tensor_holder import TensorHolder

Number = Union[int, float]
TensorLike = Union[Number, Sequence["TensorLike"]]
_Value = Union[TensorHolder, TensorLike]

def convert_to_tensor_holder(value: Optional[_Value], owner_builder: GraphBuilder) -> Optional[TensorHolder]: ...
def resolve_builder(*values: object) -> GraphBuilder: ...
