"""Passes written in Python as passes of the library: a table of callbacks each, whose user pointer says which class it is.

The library calls them on the thread that compiles, with the interpreter's lock taken for the time of the call. The user pointer
carries the descriptor, so that making an instance needs to know nothing about the thread it is made on.
"""

import _thread
import atexit
import os
import sys
import threading
import time

from ge._interpreter import require_main
from ge._native import c_text, callback, check, ffi, forget_pass_errors, hold, lib
from ge.passes import _failures, _holders, _hooks
from ge.passes._borrowed import Run
from ge.passes._kinds import DECOMPOSE, FUSION_BASE, LEGACY_CUSTOM, PATTERN_FUSION
from ge.passes.context import PassContext

require_main("passes in Python need")

_STAGES = {
    "BeforeInferShape": lib.GE_STAGE_BEFORE_INFER_SHAPE,
    "AfterInferShape": lib.GE_STAGE_AFTER_INFER_SHAPE,
    "AfterAssignLogicStream": lib.GE_STAGE_AFTER_ASSIGN_LOGIC_STREAM,
    "AfterBuiltinFusionPass": lib.GE_STAGE_AFTER_BUILTIN_FUSION_PASS,
    "AfterOriginGraphOptimize": lib.GE_STAGE_AFTER_ORIGIN_GRAPH_OPTIMIZE,
    "CompatibleInherited": lib.GE_STAGE_COMPATIBLE_INHERITED,
}
_DEEPEST = 8  # runs of passes inside one another: a pass may compile, and that compile runs it again

_lock = threading.RLock()
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]  # its holder is not in the child
_active: dict = {}  # descriptor_key -> what takes the pass back
_waiting: dict = {}  # descriptor_key -> descriptor that the library does not take as it is
_local = threading.local()


class _Registered:
    """The object that a table's user pointer leads to. The library releases it by calling it."""

    def __init__(self, descriptor):
        self.descriptor = descriptor

    def __call__(self):
        pass


def activate(descriptor):
    """Makes a pass take part in compiles. One that cannot is kept for `sync`, which says why."""
    with _lock:
        try:
            _register(descriptor)
        except Exception:
            _waiting[descriptor.descriptor_key] = descriptor


def sync():
    """Called before a compile: raises what is wrong with a pass that was registered."""
    if not _waiting:
        return
    with _lock:
        for key, descriptor in list(_waiting.items()):
            _register(descriptor)
            _waiting.pop(key, None)


def stage_number(stage, pass_name):
    """The library's number of a stage by its name."""
    name = getattr(stage, "value", stage)
    if name not in _STAGES:
        raise ValueError(f"pass '{pass_name}': stage {name!r} is unknown, expected one of {', '.join(_STAGES)}")
    return _STAGES[name]


def table(descriptor):
    """(GeCustomPassTable, what keeps its texts alive) of a pass, for whatever function of the library takes one. The function
    releases `user` by `destroy`, also when it fails."""
    stage = stage_number(descriptor.stage.value, descriptor.pass_name)
    if not isinstance(descriptor.pass_name, str):
        raise TypeError(f"pass name must be a string, got {descriptor.pass_name!r}")
    name = ffi.new("char[]", c_text(descriptor.pass_name))
    made = ffi.new("GeCustomPassTable *", {"struct_size": ffi.sizeof("GeCustomPassTable")})
    made.name = name
    made.stage = stage
    made.kind = lib.GE_PASS_FUNCTION if descriptor.kind == LEGACY_CUSTOM else lib.GE_PASS_FUSION
    made.create = callback("ge_py_pass_create")
    made.run = callback("ge_py_pass_run")
    made.destroy_instance = callback("ge_py_pass_destroy")
    made.destroy, made.user = hold(_Registered(descriptor))
    return made, name


def offer(descriptor):
    """Hands a pass to the library; what takes it back, 0 for a pass that never runs."""
    made, name = table(descriptor)
    token = ffi.new("uint64_t *")
    check(lib.GeCustomPassRegister(made, token))
    del name
    if token[0] == 0:
        _holders.log(
            lib.GE_LOG_WARNING,
            f"pass '{descriptor.pass_name}' of {descriptor.module_name} does not run: other code has registered one of that "
            "name, or its stage takes no such pass",
        )
    return token[0]


def _register(descriptor):
    _active[descriptor.descriptor_key] = offer(descriptor)


def deactivate(descriptor):
    """Takes a pass back. A compile under way finishes with it."""
    with _lock:
        _waiting.pop(descriptor.descriptor_key, None)
        token = _active.pop(descriptor.descriptor_key, 0)
    lib.GeCustomPassUnregister(token)


@atexit.register
def _deactivate_all():
    """The library outlives the interpreter in a program that is not Python's."""
    with _lock:
        tokens = list(_active.values())
        _active.clear()
    for token in tokens:
        lib.GeCustomPassUnregister(token)


def _contexts():
    """The pass contexts that this thread has entered."""
    module = sys.modules.get("ge.transform._stack")
    return module.entered() if module is not None else []


# ---- called by the library ----


def _lost(kind, error, traceback):
    """The callback itself failed, so nothing else tells of it."""
    _failures.fail(error)


@ffi.def_extern(error=lib.GE_FAILED, onerror=_lost)
def py_pass_create(user, instance):
    if getattr(_local, "depth", 0) == 0:
        forget_pass_errors()
    number = _holders.free_number()
    try:
        _holders.make(ffi.from_handle(user).descriptor, number, is_by_hand=False)
        instance[0] = ffi.cast("void *", number)
    except BaseException as error:  # a signal's may come when the object is there already
        _holders.destroy(number)
        return _failures.fail(error)
    return 0


def _destroy_again(kind, error, traceback):
    """A signal's exception came first. It cannot come out of here: the signal is sent once more."""
    _holders.destroy(int(ffi.cast("uintptr_t", traceback.tb_frame.f_locals["instance"])))
    if isinstance(error, KeyboardInterrupt):
        _thread.interrupt_main()


@ffi.def_extern(onerror=_destroy_again)
def py_pass_destroy(user, instance):
    _holders.destroy(int(ffi.cast("uintptr_t", instance)))


@ffi.def_extern(error=lib.GE_FAILED, onerror=_lost)
def py_pass_run(user, instance, graph, context):
    holder = _holders.get(int(ffi.cast("uintptr_t", instance)))
    record = holder.record
    run = Run(graph, record)
    run.context = PassContext._borrow(context, run)
    made, count = lib.GeGraphMadeNodeCount(graph), lib.GeGraphNodeCount(graph)
    _local.depth = depth = getattr(_local, "depth", 0) + 1
    entered = len(_contexts())
    begin = time.perf_counter()
    try:
        if depth > _DEEPEST:
            raise RecursionError(f"passes run {depth} deep inside one another: a pass compiles a graph that runs it again")
        status = _RUNS.get(holder.descriptor.kind, _unknown_kind)(holder, run)
    except BaseException as error:
        status = _failures.fail(error)
        _failures.tell(run)
    finally:
        run.end()
        del _contexts()[entered:]  # the library drops those that the pass left behind, too
        record.ms += (time.perf_counter() - begin) * 1000
        _local.depth = depth - 1
    record.graphs += 1
    added = lib.GeGraphMadeNodeCount(graph) - made
    record.nodes_added += added
    record.nodes_removed += count + added - lib.GeGraphNodeCount(graph)
    return status


def _unknown_kind(holder, run):
    raise ValueError(f"pass '{holder.descriptor.pass_name}' is of kind {holder.descriptor.kind!r}, which cannot run")


def _status_of(result, run):
    """The status that a pass returned in one of the forms that there are."""
    if result is None or result is True:
        return 0
    if result is False:
        return lib.GE_FAILED
    if isinstance(result, int):
        if 0 <= result < 2**32:
            return int(result)
        run.context.set_error_message(f"python pass returned status {result}, expected 0 to {2**32 - 1}")
    else:
        run.context.set_error_message(f"python pass returned unsupported type: {type(result)}")
    run.record.error = run.context._message
    return lib.GE_FAILED


def _run_fusion_base(holder, run):
    return _status_of(holder.object.run(run.graph(run.handle), run.context), run)


def _run_custom(holder, run):
    return _status_of(holder.object(run.graph(run.handle), run.context), run)


_RUNS = {
    FUSION_BASE: _run_fusion_base,
    PATTERN_FUSION: _hooks.fuse,
    DECOMPOSE: _hooks.decompose,
    LEGACY_CUSTOM: _run_custom,
}
