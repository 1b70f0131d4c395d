from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from .graph_builder import GraphBuilder
from .tensor_holder import TensorHolder

Number = Union[int, float]
TensorLike = Union[Number, Sequence["TensorLike"], NDArray[Any], np.generic]
_Value = Union[TensorHolder, TensorLike]

def convert_to_tensor_holder(value: Optional[_Value], owner_builder: GraphBuilder) -> Optional[TensorHolder]: ...
def resolve_builder(*values: object) -> GraphBuilder: ...
