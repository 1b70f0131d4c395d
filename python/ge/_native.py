"""The extension module, and the few things every part of the package needs from it."""

import atexit
import contextlib
import functools
import importlib
import os
import threading

try:
    from ge._ge_cffi import ffi, lib
except ImportError as e:  # say what is missing instead of a bare module name
    hint = ""
    if e.name == "ge._ge_cffi":
        hint = ": these are its Python sources alone. Install the wheel, or source set_env.sh of an installed prefix"
    raise ImportError(f"The native part of ge cannot be loaded: {e}{hint}", name=e.name) from e

from ge._errors import GeCancelledError, GeError, GeTimeoutError, GeValueError

NULL = ffi.NULL


@functools.cache
def callback(name):
    """A C function that the library is to call, as its address: what `lib` gives is a pointer from cffi 1.17 on only."""
    return ffi.addressof(lib, name)


# Threads may share a builder or a graph in Python: the library makes one wait while another is inside.
lib.ge_py_wait_for_threads()


@functools.cache
def operators():
    """The C functions of the generated operators; None in a build without them. Their module is opened by the first who asks:
    models are loaded and run without it."""
    try:
        from ge._es_cffi import lib as functions
    except ModuleNotFoundError:
        return None
    except ImportError as e:
        raise ImportError(f"The native part of ge cannot be loaded: {e}", name=e.name) from e
    return functions


def text(pointer):
    """A C string as str; undecodable bytes are replaced."""
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def c_text(value):
    """Text (or bytes) for a C function that takes a string up to its first NUL."""
    raw = value if isinstance(value, bytes) else value.encode()
    if b"\0" in raw:
        raise ValueError(f"{value!r} holds a NUL character, where C strings end")
    return raw


class _PassErrors(threading.local):
    """Exceptions of passes written in Python, which failed a call of this thread: (text in the call's error, exception)."""

    def __init__(self):
        self.kept = []


_pass_errors = _PassErrors()


def keep_pass_error(message, error):
    """A pass failed with this exception; the library tells the call around it no more than the text."""
    _pass_errors.kept[:] = [*_pass_errors.kept[-7:], (message, error)]


def forget_pass_errors():
    """Exceptions that failed calls before did not ask for are nobody's."""
    _pass_errors.kept.clear()


def pass_error(message, keep=False):
    """The exception of a pass that is the reason for a call's error, or None. One that no program catches as an error
    (KeyboardInterrupt, SystemExit) is raised. keep: somebody will ask again."""
    kept = _pass_errors.kept
    found = next((error for text_of, error in reversed(kept) if text_of in message), None)
    if found is not None and not (keep and isinstance(found, Exception)):
        kept.clear()
    if found is not None and not isinstance(found, Exception):
        raise found
    return found


# The exception that a signal handler has raised while the library worked; it ended that work.
_raised: list = []


def _keep_raised(kind, error, traceback):
    _raised.append(error)


@ffi.def_extern(error=1, onerror=_keep_raised)
def py_interrupted(user):
    """Signal handlers run when Python code does, and on the main thread only; here they run in the middle of a call."""
    return 0


def watch_signals():
    """Ctrl-C, and what other signal handlers raise, ends the library's work on this thread, if it is the main one."""
    if threading.current_thread() is threading.main_thread():
        lib.GeSetInterruptCheck(callback("ge_py_interrupted"), NULL)


watch_signals()
os.register_at_fork(after_in_child=watch_signals)
atexit.register(lambda: lib.GeSetInterruptCheck(NULL, NULL))  # a program around the interpreter goes on without it


def last_error():
    """The text of the call that failed. Where a signal handler ended it, what that has raised is raised here."""
    if _raised and threading.current_thread() is threading.main_thread():
        error = _raised.pop()
        _raised.clear()
        raise error
    message = text(lib.GeLastErrorMessage())
    if _pass_errors.kept:
        pass_error(message, keep=True)
    return message


def check(status):
    """Raises what the status and the library's message say, unless it is success."""
    if status == 0:
        return
    message = last_error() or text(lib.GeStatusName(status))
    kind = {lib.GE_TIMEOUT: GeTimeoutError, lib.GE_CANCELLED: GeCancelledError}.get(status, GeError)
    if status in (lib.GE_OPTION_INVALID, lib.GE_DATA_MISMATCH, lib.GE_PARAM_INVALID):
        kind = GeValueError
    if status == lib.GE_OUT_OF_MEMORY:
        raise MemoryError(message)
    raise kind(message, message, code=status) from pass_error(message)


def failed(message, kind=RuntimeError, reason=None):
    """The exception for a call that failed. Its text is `message` and no more: programs compare it.

    The reason (the library's own, when none is given) is its attribute `reason`, and its cause: tracebacks show that.
    """
    error = kind(message)
    error.reason = last_error() if reason is None else reason
    if error.reason:
        error.__cause__ = GeError(error.reason, error.reason)
        error.__cause__.__cause__ = pass_error(error.reason)
    return error


def collect(call, *args):
    """Runs call(*args, write, user), a function that delivers text, and returns (status, text)."""
    pieces = []
    handle = ffi.new_handle(pieces)
    status = call(*args, callback("ge_py_text"), handle)
    return status, whole(pieces).decode("utf-8", "replace")


def whole(pieces):
    """The text of ge_py_text. While the interpreter ends the library calls Python no more, and text is lost."""
    reason = text(lib.ge_py_refusal())
    if reason:
        raise GeError(reason, reason)
    return b"".join(pieces)


@ffi.def_extern()
def py_text(user, data, length):
    ffi.from_handle(user).append(ffi.buffer(data, length)[:])


# Objects that native code holds and gives back through ge_py_release, by the address it knows them by.
_held: dict = {}


def hold(release):
    """Makes `release` a thing that native code frees once: returns (function, user) for a release callback."""
    handle = ffi.new_handle(release)
    _held[handle] = release
    return _release_held, handle


@ffi.def_extern()
def py_release(user):
    release = _held.pop(user, None)
    if release is not None:
        release()


lib.ge_py_release_with(callback("ge_py_release"))
_release_held = callback("ge_py_release_held")


def interpreter_number():
    """Which of the process's interpreters this is; 0 is the main one."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        with contextlib.suppress(ImportError):
            current = importlib.import_module(name).get_current()
            return int(current[0] if isinstance(current, tuple) else current)
    return 0


@atexit.register
def _end():
    """Objects that native code still holds die with the process, and it calls Python no more on other threads. A
    subinterpreter's end is not that of the main one."""
    if interpreter_number() == 0:
        lib.ge_py_release_with(NULL)
        lib.ge_py_close()


lib.ge_py_watch_forks()
