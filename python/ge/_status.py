"""What a status of the library becomes in Python."""

from ge._errors import GeCancelledError, GeError, GeTimeoutError, GeValueError
from ge._native import last_error, lib, pass_error, text


def check(status):
    """Raises what the status and the library's message say, unless it is success."""
    if status == 0:
        return
    message = last_error() or text(lib.GeStatusName(status))
    kind = {lib.GE_TIMEOUT: GeTimeoutError, lib.GE_CANCELLED: GeCancelledError}.get(status, GeError)
    if status in (lib.GE_OPTION_INVALID, lib.GE_DATA_MISMATCH, lib.GE_PARAM_INVALID):
        kind = GeValueError
    if status == lib.GE_OUT_OF_MEMORY:
        raise MemoryError(message)
    raise kind(message, message, code=status) from pass_error(message)
