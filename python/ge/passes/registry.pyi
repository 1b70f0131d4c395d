from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Callable, Iterable, Optional, TypeVar

_Class = TypeVar("_Class", bound=type)
_Function = TypeVar("_Function", bound=Callable[..., Any])

class PassStage(str, Enum):
    def __new__(cls, value: object) -> PassStage: ...  # an enumeration's, not that of str
    BEFORE_INFER_SHAPE = "BeforeInferShape"
    AFTER_INFER_SHAPE = "AfterInferShape"
    AFTER_BUILTIN_FUSION_PASS = "AfterBuiltinFusionPass"
    AFTER_ORIGIN_GRAPH_OPTIMIZE = "AfterOriginGraphOptimize"

@dataclass(frozen=True)
class PassDescriptor:
    descriptor_key: str
    pass_name: str
    module_name: str
    class_name: str
    stage: PassStage
    kind: str
    cls: Any
    op_types: list[str] = field(default_factory=list)
    def to_bridge_dict(self) -> dict[str, Any]: ...

def register_fusion_pass(*, name: str, stage: PassStage, kind: Optional[str] = None) -> Callable[[_Class], _Class]: ...
def register_decompose_pass(*, name: str, stage: PassStage, op_types: Iterable[str]) -> Callable[[_Class], _Class]: ...
def register_custom_pass(*, name: str, stage: PassStage) -> Callable[[_Function], _Function]: ...
def get_registered_passes() -> list[PassDescriptor]: ...
def get_registered_pass_dicts() -> list[dict[str, Any]]: ...
def get_registered_pass_by_descriptor_key(descriptor_key: str) -> Optional[PassDescriptor]: ...
def clear_registered_passes() -> None: ...
def collecting() -> AbstractContextManager[dict[str, PassDescriptor]]: ...
def _engine_ended() -> None: ...
def _keep(descriptors: Iterable[PassDescriptor]) -> None: ...
