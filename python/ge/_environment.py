"""The environment as the process has it now: Python reads it once, at its own start."""

import os

from ge._native import NULL, ffi, lib

# GNU readline writes them for itself, in a Python that imports it. Programs that are started would take them for the user's.
_OF_READLINE = (b"COLUMNS", b"LINES")


def refresh() -> None:
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
