from dataclasses import dataclass
from typing import Any, Optional

@dataclass
class InstanceStatistics:
    descriptor_key: str
    pass_name: str
    instance_id: int
    created: float
    destroyed: Optional[float] = None
    graphs: int = 0
    matches_tried: int = 0
    matches_applied: int = 0
    nodes_added: int = 0
    nodes_removed: int = 0
    ms: float = 0.0
    error: str = ""

def open_record(descriptor: Any, instance_id: int) -> InstanceStatistics: ...
def report(*, clear: bool = False) -> list[dict[str, Any]]: ...
