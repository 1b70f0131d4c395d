"""Errors of the engine."""

from ge._errors import (  # noqa: F401 (for programs)
    GeCancelledError,
    GeError,
    GeKeyError,
    GeOverflowError,
    GeTimeoutError,
    GeTypeError,
    GeValueError,
)
from ge._native import last_error as _last_error
from ge._native import pass_error as _pass_error


def get_ge_error_msg() -> str:
    """Text of the calling thread's last engine error, "" when there is none."""
    return _last_error()


def raise_ge_error(api_name, status=None, **context):
    """Raises GeError for a failed call; the text is composed of the call, its context and the engine's reason."""
    reason = get_ge_error_msg()
    parts = [f"{api_name} failed"]
    if context:
        parts.append(", ".join(f"{k}={v}" for k, v in context.items()))
    if reason:
        parts.append(reason)
    code = status if isinstance(status, int) else 0
    raise GeError("; ".join(parts), reason, api_name, context, code=code) from _pass_error(reason)
