"""Memory of the user's for runs on a stream."""

from .allocator import Allocator, MemBlock

__all__ = ["Allocator", "MemBlock"]
