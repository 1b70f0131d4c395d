"""Exceptions of hooks on their way through the library."""

import os
import traceback

from ge._native import c_text, ffi, keep_pass_error, lib
from ge.error import GeError

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LONGEST = 8000  # characters of a traceback
_FRAMES = 30  # of a traceback: a pass that calls itself would fill the log


def _shortened(text, most):
    return text if len(text) <= most else f"{text[: most // 2]}\n[...]\n{text[-(most // 2) :]}"


def told(error):
    """(type and text of the exception, its traceback from the pass's own code on)"""
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None and frames.tb_frame.f_code.co_filename.startswith(_OWN):
        frames = frames.tb_next
    try:
        told = traceback.TracebackException(type(error), error, frames, limit=-_FRAMES)
        head = "".join(told.format_exception_only()).strip()
        whole = "".join(told.format()).strip()
    except Exception:  # its own __str__ fails, or there is no memory
        head, whole = type(error).__name__, ""
    # The text of a compile's error inside of the pass is in it already, several times over.
    return _plain(_shortened(head, _LONGEST // 4)), _plain(_shortened(whole, _LONGEST))


def _plain(text):
    return text.encode("utf-8", "backslashreplace").replace(b"\0", b"\\0").decode()


def describe(error):
    """The exception in one line, then its traceback."""
    head, whole = told(error)
    return f"{head}\n{whole}" if whole else head


def refuse(context, hook, error=None, result=False):
    """Tells `why_not`, where it asks, which hook says no: what it raised, or returned."""
    handle = context._handle
    if not lib.GePassContextWantsReasons(handle):
        return
    actual, trace = (f"returned {_result(result)}", "") if error is None else told(error)
    tell_refusal(handle, hook, actual, trace)


def tell_refusal(handle, expected, actual, trace="", node=ffi.NULL):
    """GePassContextRefuse; its status."""
    texts = [ffi.new("char[]", c_text(t)) for t in (expected, actual, trace)]
    why = ffi.new("GeRefusal *", {"struct_size": ffi.sizeof("GeRefusal"), "node": node})
    why.expected, why.actual, why.traceback = texts
    return lib.GePassContextRefuse(handle, why)


def _result(result):
    kind = type(result).__name__
    try:
        return f"an empty {kind}" if hasattr(result, "__len__") and len(result) == 0 else repr(result)
    except Exception:  # of the program's own class
        return f"an object of type {kind}"


def fail(error, where=""):
    """Makes an exception the thread's last error; the status for the library."""
    message = describe(error)
    keep_pass_error(message, error)
    status = lib.GE_FAILED
    if isinstance(error, GeError) and isinstance(error.code, int):
        is_own = 0 < error.code < 2**32 and error.code != lib.GE_NOT_CHANGED
        status = error.code if is_own else status
    lib.GeSetLastError(status, (where + message).encode())
    return status


def last_text():
    """The thread's last error; unlike ge._native.last_error it raises nothing."""
    return ffi.string(lib.GeLastErrorMessage()).decode("utf-8", "replace")


def tell(run):
    """The last error becomes the pass's error message, behind what the pass has said itself."""
    said, reason = run.context._message, last_text()
    run.record.error = reason
    lib.GePassContextSetError(run.context._handle, (f"{said}: {reason}" if said else reason).encode())
