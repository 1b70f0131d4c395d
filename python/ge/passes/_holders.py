"""The objects of passes that run: each belongs to one instance that the engine has made."""

import itertools
import os
import threading
import time

from ge._native import lib
from ge.passes import _failures, _signatures, statistics
from ge.passes._kinds import LEGACY_CUSTOM, PATTERN_FUSION
from ge.passes.base import DecomposePass, PatternFusionPass
from ge.passes.matcher_config import PatternMatcherConfig

_numbers = itertools.count(1)
_lock = threading.Lock()
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]  # its holder is not in the child
_by_id: dict = {}


class Holder:
    """One object of a pass. `flags`: how its patterns are compared."""

    __slots__ = ("instance_id", "descriptor", "object", "record", "flags", "warned", "is_by_hand")

    def __init__(self, descriptor, instance_id, is_by_hand):
        self.is_by_hand = is_by_hand
        self.instance_id = instance_id
        self.descriptor = descriptor
        self.record = statistics.open_record(descriptor, instance_id)
        self.warned = False
        self.flags = 0
        try:
            if descriptor.kind == LEGACY_CUSTOM:
                self.object = _signatures.custom_pass(descriptor.cls)
                return
            self.object = descriptor.cls()
            if descriptor.kind == PATTERN_FUSION:
                self.flags = self._flags()
        except BaseException as error:
            self.record.error = _failures.describe(error)
            self.record.destroyed = time.time()
            raise

    def _flags(self):
        config = self.as_pattern_pass().matcher_config
        if config is None:
            return 0
        if not isinstance(config, PatternMatcherConfig):
            raise TypeError("PatternFusionPass.matcher_config must be PatternMatcherConfig or None")
        return config._flags

    def as_pattern_pass(self):
        """The object, if it is one of this kind."""
        if not isinstance(self.object, PatternFusionPass):
            raise TypeError(f"python pass holder is not PatternFusionPass: {self.instance_id}")
        return self.object

    def as_decompose_pass(self):
        """The object, if it is one of this kind."""
        if not isinstance(self.object, DecomposePass):
            raise TypeError(f"python pass holder is not DecomposePass: {self.instance_id}")
        return self.object


def log(level, message):
    """A line of the library's log."""
    lib.GeLogMessage(level, message.encode("utf-8", "backslashreplace").replace(b"\0", b"\\0"))


def free_number():
    """A number that no object has."""
    number = next(_numbers)
    while number in _by_id:
        number = next(_numbers)
    return number


def make(descriptor, instance_id, *, is_by_hand):
    """A new object under this number."""
    holder = Holder(descriptor, instance_id, is_by_hand)
    with _lock:
        _by_id[instance_id] = holder
    log(lib.GE_LOG_INFO, f"pass instance {instance_id} of '{descriptor.descriptor_key}' created")
    return holder


def find(instance_id):
    """The holder of a number, or None."""
    return _by_id.get(instance_id)


def get(instance_id):
    """The holder of a number."""
    holder = _by_id.get(instance_id)
    if holder is None:
        raise KeyError(f"python pass holder is not created: {instance_id}")
    return holder


def destroy(instance_id):
    """True when there was one."""
    with _lock:
        holder = _by_id.pop(instance_id, None)
    if holder is None:
        return False
    record = holder.record
    record.destroyed = time.time()
    log(
        lib.GE_LOG_INFO,
        f"pass instance {instance_id} of '{record.descriptor_key}' destroyed: {record.graphs} graphs, "
        f"{record.matches_tried} matches tried, {record.matches_applied} applied, {record.nodes_added} nodes added, "
        f"{record.nodes_removed} removed, {record.ms:.3f} ms",
    )
    return True


def clear(*, by_hand_only=False):
    """Destroys all, or those that no compile has made, which destroys its own."""
    for instance_id, holder in list(_by_id.items()):
        if holder.is_by_hand or not by_hand_only:
            destroy(instance_id)
