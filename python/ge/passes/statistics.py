"""The work of each instance of a pass, the newest instances of this process."""

import os
import threading
import time
from collections import deque
from dataclasses import asdict, dataclass
from typing import Optional

_MOST = 1000
_lock = threading.Lock()
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]  # its holder is not in the child
_records: deque = deque(maxlen=_MOST)


@dataclass
class InstanceStatistics:
    """One instance of a pass: the engine makes one for each run of a stage, and calls it with each graph."""

    descriptor_key: str  # says which class
    pass_name: str
    instance_id: int
    created: float  # seconds since the epoch, as time.time()
    destroyed: Optional[float] = None
    graphs: int = 0
    matches_tried: int = 0
    matches_applied: int = 0
    nodes_added: int = 0
    nodes_removed: int = 0
    ms: float = 0.0
    error: str = ""  # the exception that failed it, with its traceback


def open_record(descriptor, instance_id):
    """The statistics of a new instance."""
    record = InstanceStatistics(descriptor.descriptor_key, descriptor.pass_name, instance_id, time.time())
    with _lock:
        _records.append(record)
    return record


def report(*, clear: bool = False) -> list:
    """Statistics of the newest instances (up to 1000) as dictionaries, in the order in which they were made: descriptor_key,
    pass_name, instance_id, created, destroyed, graphs, matches_tried, matches_applied, nodes_added, nodes_removed, ms, error.

    clear: forget them afterwards.
    """
    with _lock:
        found = [asdict(r) for r in _records]
        if clear:
            _records.clear()
    return found
