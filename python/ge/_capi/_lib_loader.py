"""Finds shared libraries."""

import ctypes
import os


def load_lib_from_path(lib_name, lib_dir, mode=None):
    """The library lib_dir/lib_name, or what the dynamic loader knows as lib_name; OSError tells every attempt."""
    failures = []
    for name in (os.path.join(str(lib_dir), lib_name), lib_name):
        try:
            return ctypes.CDLL(name) if mode is None else ctypes.CDLL(name, mode=mode)
        except OSError as e:
            failures.append(f"{name}: {e}")
    raise OSError(f"Cannot load {lib_name}. Tried: " + "; ".join(failures))


def load_ge(lib_dir):
    """libge, which the extension module has brought into the process."""
    import ge._native  # noqa: F401

    return load_lib_from_path("libge.so.1", lib_dir)
