"""Errors of the engine."""


class GeError(RuntimeError):
    """A call into the engine failed.

    error_message: the engine's own text; api_name: which call; context: what it was about (graph id, stream, …);
    code: the status number.
    """

    def __init__(self, message, error_message=None, api_name=None, context=None, code=0):
        super().__init__(message)
        self.error_message = error_message
        self.api_name = api_name
        self.context = context if context is not None else {}
        self.code = code


class GeValueError(GeError, ValueError):
    """The engine refused a value: an option, an argument, fed data."""


def get_ge_error_msg() -> str:
    """Text of the calling thread's last engine error, "" when there is none."""
    from ge._native import last_error

    return last_error()


def raise_ge_error(api_name, status=None, **context):
    """Raises GeError for a failed call; the text is composed of the call, its context and the engine's reason."""
    reason = get_ge_error_msg()
    parts = [f"{api_name} failed"]
    if context:
        parts.append(", ".join(f"{k}={v}" for k, v in context.items()))
    if reason:
        parts.append(reason)
    raise GeError("; ".join(parts), reason, api_name, context, code=status if isinstance(status, int) else 0)
