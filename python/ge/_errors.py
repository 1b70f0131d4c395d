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


class GeTypeError(GeError, TypeError):
    """An argument, an option or fed data is of a type that is not taken."""

    __module__ = "ge.error"


class GeKeyError(GeValueError, KeyError):
    """A feed lacks an input of the model, or names one that the model does not have."""

    __module__ = "ge.error"

    def __str__(self):
        return Exception.__str__(self)  # a KeyError's own text is the message in quotes


class GeTimeoutError(GeError, TimeoutError):
    """A run took longer than its time limit."""

    __module__ = "ge.error"


class GeCancelledError(GeError):
    """A run, a compile or an import was ended before it was done."""

    __module__ = "ge.error"


class GeOverflowError(GeValueError, OverflowError):
    """A fed number does not fit the type of its input."""

    __module__ = "ge.error"
