"""Passes of plug-ins take part in compiles: they are loaded before the first one, at no cost where there are none.

Plug-ins are files and folders of Python that a variable lists, entry points of installed packages, and vendors' libraries.
"""

import contextlib
import importlib
import os
import sys
import threading

from ge._native import NULL, check, ffi, lib

ENTRY_POINTS = "ge.passes.plugins"
# GNU readline writes them for itself, in a Python that imports it. Programs that are started would take them for the user's.
_OF_READLINE = (b"COLUMNS", b"LINES")
_lock = threading.RLock()
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]  # its holder is not in the child
_started = False  # plug-ins were looked for since the engine ended last
_is_loading = False
_present = None  # while plug-ins are being loaded: the threads that there were before
_has_vendors = False
_at_end: list = []  # what else ends with the engine: passes register theirs
_users: set = set()  # who has started the engine and not ended it


def before_compile():
    """Called before whatever may compile. Exceptions of plug-ins come out as themselves."""
    if not _started:
        _start()
    engine = sys.modules.get("ge.passes._engine")
    if engine is not None:
        engine.sync()


def load_files(passes):
    """Executes the Python files of option `passes`, so that what they raise comes out as itself. The compile asks for their
    passes, and tells of files that are not there."""
    items = [item.strip() for item in passes.split(os.pathsep)]
    items = [item for item in items if os.path.isdir(item) or (item.endswith(".py") and os.path.isfile(item))]
    if items:
        importlib.import_module("ge.passes.bootstrap").load_pass_files(items)


@contextlib.contextmanager
def loading():
    """One thread at a time loads; True for it. False for a thread that began meanwhile where loading does not end in a second:
    a plug-in may have started it and be waiting for it. What that compiles gets no passes of plug-ins."""
    thread = threading.current_thread()
    began_since = _present is not None and thread not in _present and not isinstance(thread, threading._DummyThread)
    if not _lock.acquire(timeout=1 if began_since else -1):
        yield False
        return
    try:
        yield True
    finally:
        _lock.release()


@contextlib.contextmanager
def _threads_noted():
    """Those that start inside are started by what is being loaded, as far as can be told."""
    global _present
    before, _present = _present, _present or set(threading.enumerate())
    try:
        yield
    finally:
        _present = before


def _start():
    global _started, _is_loading, _has_vendors
    with loading() as may_load:
        if not may_load or _started or _is_loading:  # a plug-in that is being loaded may compile
            return
        _is_loading = True
        try:
            if not _has_vendors:
                check(lib.GePassLibraryLoad(NULL))
                _has_vendors = True
            refresh_environment()
            if os.environ.get("ASCEND_GE_PY_PASS_PATH", "").strip(os.pathsep + " ") or has_entry_points():
                with _threads_noted():
                    importlib.import_module("ge.passes.bootstrap").load_pass_plugins()
            _started = True
        finally:
            _is_loading = False


@contextlib.contextmanager
def reloading():
    """Around loading anew: what other threads begin to compile meanwhile waits, what this one does not."""
    global _started, _is_loading
    with _lock:
        were, (_started, _is_loading) = (_started, _is_loading), (False, True)
        try:
            refresh_environment()
            with _threads_noted():
                yield
            were = True, were[1]
        finally:
            _started, _is_loading = were


def forget():
    """The next compile looks for plug-ins anew, vendors' libraries too."""
    global _started, _has_vendors
    with _lock:
        _started = False
        if _has_vendors:
            _has_vendors = False
            lib.GePassLibraryUnload(NULL)


def refresh_environment():
    """Makes os.environ what the process's environment is; a program around the interpreter may have changed that."""
    data = getattr(os.environ, "_data", None)
    if not isinstance(data, dict):  # another implementation of Python
        return
    now = {}
    index = 0
    while True:
        entry = lib.ge_py_environment(index)
        if entry == NULL:
            break
        name, is_entry, value = ffi.string(entry).partition(b"=")
        if is_entry:
            now.setdefault(name, value)
        index += 1
    for name in _OF_READLINE:
        if name not in data:
            now.pop(name, None)
    for name in [n for n in data if n not in now]:
        del data[name]
    data.update(now)


def has_entry_points():
    """True when a package on sys.path describes entry points with passes. Reads a file for each installed package."""
    # Python's own folders hold no packages, and reading their many names would take longer than all else here.
    own = os.fsencode(os.path.dirname(getattr(os, "__file__", "") or ""))
    group, seen = ENTRY_POINTS.encode(), {own, own + b"/lib-dynload"}
    for entry in sys.path:
        try:
            folder = os.fsencode(entry or ".")
        except (TypeError, ValueError):  # no path, or none that a file system has
            continue
        if folder in seen or b"\0" in folder:
            continue
        seen.add(folder)
        if lib.ge_py_packages_name(folder, group):
            return True
    return False


def start_engine(user, options):
    """Starts the engine for one of its users; the status. The first one's options count."""
    with _lock:
        status = lib.GeInitialize(options)
        if status == 0:
            _users.add(user)
        return status


def end_engine(user):
    """Ends the engine when no other user needs it, and takes passes back then; the status."""
    with _lock:
        was_started = user in _users or lib.GeIsInitialized() != 0
        _users.discard(user)
        if _users or not was_started:
            return 0
        status = lib.GeFinalize()
        forget()
        for take_back in _at_end:
            take_back()
        return status
