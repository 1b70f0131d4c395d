"""Classes that own a native handle refuse to be copied."""

from typing import Optional


class NoCopy:
    """Mixin: copy.copy and copy.deepcopy raise RuntimeError."""

    __slots__ = ()
    _copy_name: Optional[str] = None  # name in the messages, when it is not the class's own

    def __copy__(self):
        raise RuntimeError(f"{self._copy_name or type(self).__name__} does not support copy")

    def __deepcopy__(self, memo):
        raise RuntimeError(f"{self._copy_name or type(self).__name__} does not support deepcopy")
