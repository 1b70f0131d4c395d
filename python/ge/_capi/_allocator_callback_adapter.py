"""A Python allocator as C callbacks: blocks are known to C by the identity of their Python objects."""

import threading
import traceback

from ge.allocator.allocator import Allocator, MemBlock

from .pysession_wrapper import c_func_t_free, c_func_t_get_addr, c_func_t_malloc, c_func_t_on_destroy

# key -> (allocator, its blocks in use, the callbacks): what C may still call stays alive.
_prevent_gc: dict = {}
_lock = threading.Lock()
_next_key = [1]


def create_allocator_c_callbacks(allocator):
    """(callbacks, key, on_destroy): malloc, free and get_addr for C, the key of the adapter, and what C calls at its end.

    An exception inside the allocator is printed and counts as a failed allocation.
    """
    if not isinstance(allocator, Allocator):
        raise TypeError("allocator must be an Allocator instance")
    blocks = {}

    def malloc(_, size):
        try:
            block = allocator.malloc(size)
            if not isinstance(block, MemBlock):
                raise TypeError(f"malloc returned {block!r}, expected a MemBlock")
        except Exception:
            traceback.print_exc()
            return None
        blocks[id(block)] = block
        return id(block)

    def free(_, key):
        block = blocks.pop(key, None)
        if block is None:
            return
        try:
            allocator.free(block)
        except Exception:
            traceback.print_exc()

    def get_addr(key):
        block = blocks.get(key)
        return None if block is None else block.addr

    callbacks = (c_func_t_malloc(malloc), c_func_t_free(free), c_func_t_get_addr(get_addr))
    with _lock:
        key = _next_key[0]
        _next_key[0] += 1
        _prevent_gc[key] = (allocator, blocks, callbacks)
    return callbacks, key, _on_destroy


def rollback_allocator_c_callbacks(key):
    """Forgets an adapter that C never took over."""
    _on_allocator_destroy(key)


def _on_allocator_destroy(key):
    with _lock:
        _prevent_gc.pop(key, None)


_on_destroy = c_func_t_on_destroy(_on_allocator_destroy)  # for all adapters: a callback must outlive its own call
