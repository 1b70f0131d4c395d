"""GeApi: start and end of the engine."""

import ctypes

from ge._options import fill
from ge._plugins import before_compile, end_engine, start_engine
from ge.error import raise_ge_error


class GeApi:
    """Start and end of the engine. Holds no state; both methods work on the class and on an instance."""

    @classmethod
    def ge_initialize(cls, config: dict) -> int:
        """Starts the engine with options (text to text). Returns 0."""
        if not isinstance(config, dict):
            raise TypeError("Ge init config must be a dictionary")
        if not config:
            raise TypeError("Ge init config must not be empty")
        options, status = fill(config)
        if status == 0:
            status = start_engine("online", options)
        if status != 0:
            raise_ge_error("GEInitialize", status)
        try:
            before_compile()
        except BaseException:
            end_engine("online")
            raise
        return 0

    def _python_list_to_c_array(self, list):
        """Texts as a ctypes array of `char *`, which keeps them alive."""
        return (ctypes.c_char_p * len(list))(*(text.encode() for text in list))

    @classmethod
    def ge_finalize(cls) -> int:
        """Ends the engine, unless offline compilation still needs it; fine when it was never started. Returns 0."""
        status = end_engine("online")
        if status != 0:
            raise_ge_error("GEFinalize", status)
        return 0
