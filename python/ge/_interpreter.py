"""Which of the process's interpreters this is: the library's callbacks come to the main one only."""

from ge._native import interpreter_number


def require_main(who):
    """Raises ImportError in a subinterpreter. `who`: "passes in Python need"."""
    if interpreter_number() != 0:
        raise ImportError(f"{who} the main interpreter: the library's callbacks do not come to a subinterpreter")
