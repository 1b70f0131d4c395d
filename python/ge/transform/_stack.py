"""The pass contexts that this thread has entered and not left."""

import threading

from ge._native import lib

_local = threading.local()


def entered():
    """A list of (PassContext, its native scope), the innermost last. Those that the library has dropped, since a pass or an
    instrument entered and never left them, are not in it."""
    if not hasattr(_local, "stack"):
        _local.stack = []
    stack = _local.stack
    for i in range(len(stack) - 1, -1, -1):
        if lib.GePassScopeIsCurrent(stack[i][1]):
            del stack[i + 1 :]
            break
    return stack
