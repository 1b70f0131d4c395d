"""The passes that programs and plug-ins registered, in that order."""

import contextlib
import os
import threading
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Callable, Iterable, Optional, TypeVar

from ge import _plugins
from ge._internal import plugin_loader
from ge.passes._kinds import DECOMPOSE, FUSION_BASE, LEGACY_CUSTOM, MODULE_PREFIX, PATTERN_FUSION

_Class = TypeVar("_Class", bound=type)
_Function = TypeVar("_Function", bound=Callable[..., Any])


class PassStage(str, Enum):
    """When a pass runs."""

    BEFORE_INFER_SHAPE = "BeforeInferShape"
    AFTER_INFER_SHAPE = "AfterInferShape"
    AFTER_BUILTIN_FUSION_PASS = "AfterBuiltinFusionPass"
    AFTER_ORIGIN_GRAPH_OPTIMIZE = "AfterOriginGraphOptimize"


@dataclass(frozen=True)
class PassDescriptor:
    """A registered pass: its keys, when it runs, how it is run, and its class (its function, of kind legacy_custom)."""

    descriptor_key: str
    pass_name: str
    module_name: str
    class_name: str
    stage: Any
    kind: str
    cls: Any
    op_types: list = field(default_factory=list)

    def to_bridge_dict(self) -> dict:
        """The same in plain texts, without the class."""
        return {
            "descriptor_key": self.descriptor_key,
            "pass_name": self.pass_name,
            "module_name": self.module_name,
            "class_name": self.class_name,
            "stage": self.stage.value,
            "kind": self.kind,
            "op_types": list(self.op_types),
        }


_lock = threading.RLock()
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]  # its holder is not in the child
_by_key: dict = {}  # descriptor_key -> PassDescriptor
_by_path: dict = {}  # what was executed -> the descriptors that came of it
_local = threading.local()


@contextlib.contextmanager
def collecting():
    """Passes that this thread registers inside go into the dictionary and take part in nothing by themselves."""
    before = getattr(_local, "collected", None)
    _local.collected = collected = {}
    try:
        yield collected
    finally:
        _local.collected = before


@contextlib.contextmanager
def noticing(path):
    """Remembers for `passes_of` which passes this thread registers inside: what executing a file brings, of whatever module."""
    before = getattr(_local, "noticed", None)
    _local.noticed = noticed = []
    try:
        yield
        _by_path[path] = noticed
    except BaseException:
        _take_back(noticed)  # what is executed in part is not there, and can be executed anew
        noticed.clear()
        raise
    finally:
        _local.noticed = before
        if before is not None:
            before += noticed  # a package brings what its modules bring


def _take_back(descriptors):
    from ge.passes import _engine

    collected = getattr(_local, "collected", None)
    with _lock:
        for descriptor in descriptors:
            key = descriptor.descriptor_key
            if collected is not None and collected.get(key) is descriptor:
                del collected[key]
            if _by_key.get(key) is descriptor:
                _engine.deactivate(_by_key.pop(key))


def passes_of(path):
    """The passes that a file, a package or an entry point brought when it was executed."""
    return list(_by_path.get(path, ()))


def adopt(descriptors):
    """Makes passes that were registered before, or only collected, take part in all compiles."""
    for descriptor in descriptors:
        with _lock:
            if descriptor.descriptor_key not in _by_key:
                _enlist(descriptor, _by_key)


def _enlist(descriptor, others):
    if descriptor.descriptor_key in others:
        raise ValueError(f"python pass descriptor_key already exists: {descriptor.descriptor_key}")
    if any(d.pass_name == descriptor.pass_name for d in others.values()):
        raise ValueError(f"python pass name already exists: {descriptor.pass_name}")
    if others is _by_key:
        from ge.passes import _engine

        _engine.activate(descriptor)
    others[descriptor.descriptor_key] = descriptor


def _register(cls, name, stage, kind, op_types=()):
    class_name = getattr(cls, "__name__", type(cls).__name__)
    module = getattr(cls, "__module__", "")
    key = f"{module}:{class_name}:{name}"
    descriptor = PassDescriptor(key, name, module, class_name, stage, kind, cls, list(op_types))
    collected = getattr(_local, "collected", None)
    with _lock:
        _enlist(descriptor, _by_key if collected is None else collected)
    if getattr(_local, "noticed", None) is not None:
        _local.noticed.append(descriptor)
    with contextlib.suppress(AttributeError):  # a bound method takes no attributes
        cls.__ge_pass_descriptor__ = descriptor
    return cls


def register_fusion_pass(*, name: str, stage: PassStage, kind: Optional[str] = None) -> Callable[[_Class], _Class]:
    """Class decorator: registers a FusionBasePass or a PatternFusionPass under a name that no other pass has."""

    def decorate(cls):
        from ge.passes.base import FusionBasePass, PatternFusionPass

        if not (isinstance(cls, type) and issubclass(cls, FusionBasePass)):
            raise TypeError("register_fusion_pass expects a FusionBasePass subclass")
        by_class = PATTERN_FUSION if issubclass(cls, PatternFusionPass) else FUSION_BASE
        return _register(cls, name, stage, by_class if kind is None else kind)

    return decorate


def _checked_op_types(op_types):
    try:
        types = None if isinstance(op_types, (str, bytes)) else list(op_types)
    except TypeError:
        types = None
    if types is None:
        raise TypeError("register_decompose_pass op_types must be an iterable of strings")
    if not types:
        raise ValueError("register_decompose_pass requires at least one op type")
    if not all(isinstance(t, str) and t for t in types):
        raise TypeError("register_decompose_pass op_types must contain non-empty strings")
    return types


def register_decompose_pass(*, name: str, stage: PassStage, op_types: Iterable[str]) -> Callable[[_Class], _Class]:
    """Class decorator: registers a DecomposePass for nodes of these types."""
    types = _checked_op_types(op_types)

    def decorate(cls):
        from ge.passes.base import DecomposePass

        if not (isinstance(cls, type) and issubclass(cls, DecomposePass)):
            raise TypeError("register_decompose_pass expects a DecomposePass subclass")
        before = cls.__dict__.get("op_types")
        cls.op_types = list(types)
        try:
            return _register(cls, name, stage, DECOMPOSE, types)
        except BaseException:
            cls.op_types = before
            raise

    return decorate


def register_custom_pass(*, name: str, stage: PassStage) -> Callable[[_Function], _Function]:
    """Function decorator: registers a function of (graph), or of (graph, context), that is called once with the root graph.

    Functions of a stage run in the order in which they were registered, before its fusion passes. What they return means what
    `FusionBasePass.run` returning it means, except the code for "not changed", which is a failure.
    """

    def decorate(function):
        from ge.passes._signatures import custom_pass

        if isinstance(function, type) or not callable(function):
            raise TypeError("register_custom_pass expects a function")
        custom_pass(function)
        return _register(function, name, stage, LEGACY_CUSTOM)

    return decorate


def get_registered_passes() -> list:
    """All PassDescriptor in the order in which they were registered."""
    with _lock:
        return list(_by_key.values())


def get_registered_pass_dicts() -> list:
    """The same as dictionaries of plain texts."""
    return [d.to_bridge_dict() for d in get_registered_passes()]


def get_registered_pass_by_descriptor_key(descriptor_key: str) -> Optional[PassDescriptor]:
    """The pass of this key, or None."""
    with _lock:
        return _by_key.get(descriptor_key)


def clear_registered_passes() -> None:
    """Takes all passes back; those of a compile under way finish it."""
    _keep(())


def _keep(descriptors):
    """Makes these all that is registered."""
    from ge.passes import _engine

    with _lock:
        kept = {d.descriptor_key: d for d in descriptors}
        for key in [k for k, d in _by_key.items() if kept.get(k) is not d]:
            _engine.deactivate(_by_key.pop(key))
        for key, descriptor in kept.items():
            if key not in _by_key:
                _engine.activate(descriptor)
                _by_key[key] = descriptor


def _engine_ended():
    """Registered passes are cleared, objects are let go of, and modules of plug-ins that are files are forgotten."""
    from ge.passes import _holders

    _holders.clear(by_hand_only=True)
    clear_registered_passes()
    plugin_loader.forget_modules(MODULE_PREFIX)


_plugins._at_end.append(_engine_ended)
