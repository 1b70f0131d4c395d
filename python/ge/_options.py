"""Option sets: dictionaries of text to text as the engine's GeOptions."""

import numbers
import os

from ge._errors import GeTypeError
from ge._native import ffi, lib


def fill(options):
    """A GeOptions with the entries of a dict (str to str), and the first status that was not success.

    Keys and values that are no text fail with AttributeError, by way of `.encode`.
    """
    out = ffi.new("GeOptions **")
    status = lib.GeOptionsCreate(out)
    if status != 0:
        return None, status
    handle = ffi.gc(out[0], lib.GeOptionsDestroy)
    for key, value in options.items():
        status = lib.GeOptionsSet(handle, key.encode(), value.encode())
        if status != 0:
            break
    return handle, status


def plain(key, value):
    """The Python value of an option as text: True is "1", a list is joined with commas, one of files with colons."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, (list, tuple)):
        return (os.pathsep if key == "passes" else ",").join(plain(key, v) for v in value)
    if isinstance(value, (str, numbers.Real)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    raise GeTypeError(f"option {key}: got {type(value).__name__}, expected text, a number, a truth value or a list of them")
