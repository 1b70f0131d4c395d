"""Calls of the library that run passes or instruments: what Python code inside of them raised comes out as itself."""

from ge._native import c_text, ffi, last_error, lib, pass_error, text
from ge._native import check as _check

# A callback itself failed; the library is told so by the callback's result.
from ge.passes import _failures


def check(status):
    """Raises for a failure; returns whether anything was changed."""
    if status == 0:
        return True
    message = last_error() or text(lib.GeLastErrorMessage())
    if status == lib.GE_NOT_CHANGED:
        return False
    error = pass_error(message)
    if error is not None:
        raise error
    _check(status)
    return True


def lost(kind, error, traceback):
    """The body of a callback could not even begin."""
    _failures.fail(error)


def c_names(names, what):
    """(array of C strings, what keeps them) of a list of names."""
    if isinstance(names, (str, bytes)) or not hasattr(names, "__iter__"):
        raise TypeError(f"{what} must be a list of names, got {names!r}")
    held = []
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be a list of names, it has {name!r}")
        held.append(ffi.new("char[]", c_text(name)))
    return ffi.new("const char *[]", held), held
