"""The pass contexts that this thread has entered and not left."""

import threading

_local = threading.local()


def entered():
    """A list of (PassContext, its native scope), the innermost last."""
    if not hasattr(_local, "stack"):
        _local.stack = []
    return _local.stack
