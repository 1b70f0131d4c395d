"""Allocator: a base class for memory that a program manages itself."""

from abc import ABC, abstractmethod


class MemBlock:
    """An address and its size in bytes."""

    def __init__(self, addr, size):
        self._addr = addr
        self._size = size

    @property
    def addr(self) -> int:
        """Address of the first byte."""
        return self._addr

    @property
    def size(self) -> int:
        """Bytes."""
        return self._size

    def __repr__(self):
        return f"MemBlock(addr={self._addr!r}, size={self._size!r})"


class Allocator(ABC):
    """Gives memory to the engine and takes it back. Called from engine threads."""

    @abstractmethod
    def malloc(self, size) -> MemBlock:
        """A block of at least `size` bytes; it comes back once through free."""

    @abstractmethod
    def free(self, block) -> None:
        """Takes back a block that malloc returned."""
