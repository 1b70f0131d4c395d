"""Exceptions of the engine, which ge.error shows."""


class GeError(RuntimeError):
    """A call into the engine failed.

    error_message: the engine's own text; api_name: which call; context: what it was about (graph id, stream, …);
    code: the status number.
    """

    __module__ = "ge.error"

    def __init__(self, message, error_message=None, api_name=None, context=None, code=0):
        super().__init__(message)
        self.error_message = error_message
        self.api_name = api_name
        self.context = context if context is not None else {}
        self.code = code


class GeValueError(GeError, ValueError):
    """The engine refused a value: an option, an argument, fed data."""

    __module__ = "ge.error"
