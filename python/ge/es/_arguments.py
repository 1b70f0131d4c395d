"""What is wrong with an argument of an operator: operator, argument, value and limit in one message."""

import operator as _operator

from ge.graph._plain import INT64_MAX, INT64_MIN
from ge.graph._plain import shown as _shown


def _is_list(value):
    return not isinstance(value, (str, bytes)) and hasattr(value, "__iter__")


def _int_problem(value):
    try:
        number = _operator.index(value)
    except TypeError:
        return TypeError, f"is {_shown(value)} ({type(value).__name__}), expected an integer"
    if not INT64_MIN <= number <= INT64_MAX:
        return ValueError, f"is {_shown(value)}, expected {INT64_MIN} to {INT64_MAX}"
    return None


def _float_problem(value):
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        float(value)
    except OverflowError:
        return ValueError, f"is {_shown(value)}, beyond the range of floating point"
    except (TypeError, ValueError):
        return TypeError, f"is {_shown(value)} ({type(value).__name__}), expected a number"
    return None


def _bool_problem(value):
    try:
        if not isinstance(value, float) and int(value) in (0, 1) and not isinstance(value, (str, bytes)):
            return None
    except (TypeError, ValueError):
        pass
    return TypeError, f"is {_shown(value)} ({type(value).__name__}), expected True or False"


def _text_problem(value, also_bytes=False):
    if not isinstance(value, (str, bytes) if also_bytes else str):
        return TypeError, f"is {_shown(value)} ({type(value).__name__}), expected text"
    if (b"\0" if isinstance(value, bytes) else "\0") in value:
        return ValueError, f"is {_shown(value)}, which holds a NUL character"
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeError:
            return ValueError, f"is {_shown(value)}, which is no valid Unicode text"
    return None


def _list_problem(value, element, what):
    if not _is_list(value):
        return TypeError, f"is {_shown(value)} ({type(value).__name__}), expected a list of {what}"
    for i, item in enumerate(value):
        problem = element(item)
        if problem:
            return problem[0], f"[{i}] {problem[1]}"
    return None


def _list_string_problem(value):
    return _list_problem(value, lambda v: _text_problem(v, True), "texts")


def _rows_problem(value):
    return _list_problem(value, lambda row: _list_problem(row, _int_problem, "integers"), "lists of integers")


_CHECKS = {
    "Count": _int_problem,
    "Int": _int_problem,
    "Float": _float_problem,
    "Bool": _bool_problem,
    "String": _text_problem,
    "ListInt": lambda v: _list_problem(v, _int_problem, "integers"),
    "ListFloat": lambda v: _list_problem(v, _float_problem, "numbers"),
    "ListBool": lambda v: _list_problem(v, _bool_problem, "booleans"),
    "ListString": _list_string_problem,
    "ListListInt": _rows_problem,
}


def no_tensor(operator, name, value, expected="a tensor"):
    """The exception for an input that is none; GE's wrappers end in an AttributeError there."""
    return AttributeError(f"operator {operator}: input '{name}' is {described(value)}, expected {expected}")


def described(value):
    """A value and its type, for messages."""
    return f"{_shown(value)} ({type(value).__name__})"


def refusal(operator, error, arguments):
    """The exception that says which of the arguments (name, declared type, value) could not go to C, and why.

    `error` is what the conversion raised; it stays when no argument explains it.
    """
    for name, kind, value in arguments:
        check = _CHECKS.get(kind)
        problem = check(value) if check else None
        if problem:
            text = problem[1]
            return problem[0](f"operator {operator}: argument '{name}'{'' if text[0] == '[' else ' '}{text}")
    return error
