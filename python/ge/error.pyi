from typing import Any, NoReturn, Optional

class GeError(RuntimeError):
    error_message: Optional[str]
    api_name: Optional[str]
    context: dict[str, Any]
    code: int
    def __init__(
        self,
        message: str,
        error_message: Optional[str] = None,
        api_name: Optional[str] = None,
        context: Optional[dict[str, Any]] = None,
        code: int = 0,
    ) -> None: ...

class GeValueError(GeError, ValueError): ...

def get_ge_error_msg() -> str: ...
def raise_ge_error(api_name: str, status: Optional[int] = None, **context: Any) -> NoReturn: ...
