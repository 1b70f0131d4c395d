"""Where GE's package has one native library per part, here each part is libge: what those modules share."""

import os

from ._lib_loader import load_ge

_dir = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_lib")


class Part:
    """A module's library: opened when it is first asked for."""

    def __init__(self):
        self._lib = None

    def get(self):
        if self._lib is None:
            self._lib = load_ge(_dir)
        return self._lib

    def is_loaded(self) -> bool:
        return self._lib is not None
