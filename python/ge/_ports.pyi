from typing import Any, Optional, Sequence

import numpy as np

from ge.graph.types import DataType

class Port:
    def __init__(self, name: str, data: Any) -> None: ...
    name: str
    @property
    def data_type(self) -> DataType: ...
    dtype: Optional[np.dtype[Any]]
    shape: Optional[tuple[Optional[int], ...]]
    is_static: bool
    @property
    def kind(self) -> str: ...
    def shape_text(self) -> str: ...

class ValuePort:
    name: str
    kind: str
    data_type: DataType
    dtype: Optional[np.dtype[Any]]
    shape: Optional[tuple[Optional[int], ...]]
    is_static: bool
    ports: tuple[Port, ...]
    def __init__(self, name: str, kind: str, content: str, ports: Sequence[Port]) -> None: ...
    def shape_text(self) -> str: ...
