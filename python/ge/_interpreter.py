"""Which of the process's interpreters this is: the library's callbacks come to the main one only."""

import contextlib
import importlib


def number():
    """0 is the main one."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        with contextlib.suppress(ImportError):
            current = importlib.import_module(name).get_current()
            return int(current[0] if isinstance(current, tuple) else current)
    return 0


def require_main(who):
    """Raises ImportError in a subinterpreter. `who`: "passes in Python need"."""
    if number() != 0:
        raise ImportError(f"{who} the main interpreter: the library's callbacks do not come to a subinterpreter")
