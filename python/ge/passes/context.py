"""PassContext: what a pass may ask and say while it runs."""

from threading import get_ident

from ge._native import c_text, failed, ffi, lib, text
from ge.graph.node import Node
from ge.passes import _failures

_new = object.__new__


def _text(value, what):
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, got {type(value).__name__}")
    return value


class PassContext:
    """Valid inside the call that got it."""

    __slots__ = ("_handle", "_run", "_name", "_message")

    def __init__(self, *args, **kwargs):
        raise TypeError("PassContext objects are made by the engine")

    @classmethod
    def _borrow(cls, handle, run=None):
        self = _new(cls)
        self._handle = handle
        self._run = run
        self._name = None
        self._message = ""
        return self

    def _live(self):
        if self._run is not None:
            if self._run.thread != get_ident():
                self._run.refuse()
        return self._handle

    def get_pass_name(self, /) -> str:
        """Name of the pass that runs, unless set_pass_name gave another one."""
        handle = self._live()
        return text(lib.GePassContextName(handle)) if self._name is None else self._name

    def set_pass_name(self, name: str, /) -> None:
        """Another name, for the rest of the run."""
        self._live()
        self._name = _text(name, "Pass name")

    def get_error_message(self, /) -> str:
        """The text that set_error_message was given; "" when it was not called."""
        self._live()
        return self._message

    def set_error_message(self, message: str, /) -> None:
        """A text for the error that ends the compile, if the pass fails."""
        handle = self._live()
        if lib.GePassContextSetError(handle, c_text(_text(message, "Error message"))) != 0:
            raise failed("Failed to set error message")
        self._message = message

    def get_option_value(self, key: str, /) -> str:
        """An option that was set for the compile."""
        handle, out = self._live(), ffi.new("const char **")
        if lib.GePassContextGetOption(handle, c_text(_text(key, "Option key")), out) != 0:
            raise failed(f"Failed to get option value for key: {key}")
        return text(out[0])

    def refuse(self, expected: str, actual: str, node=None, /) -> None:
        """Tells `why_not`, where it asks, why a hook will say no, or why the pass leaves a node as it is: what the condition is
        called or asks for, and what came instead."""
        handle = self._live()
        if node is not None and not isinstance(node, Node):
            raise TypeError(f"node must be a Node or None, got {type(node).__name__}")
        texts = _text(expected, "expected"), _text(actual, "actual")
        if _failures.tell_refusal(handle, *texts, node=ffi.NULL if node is None else node._handle) != 0:
            raise failed("Failed to tell why the pass refuses")

    def __repr__(self):
        is_live = self._run is None or self._run.thread is not None
        return f"<PassContext of {self.get_pass_name()!r}>" if is_live else "<PassContext, expired>"


def handle_of(context):
    """The native context of an argument."""
    if not isinstance(context, PassContext):
        raise TypeError(f"context must be a PassContext, got {type(context).__name__}")
    return context._live()
