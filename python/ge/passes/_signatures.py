"""The forms that hooks may have. They are looked at once, when a class is made; calls pass two arguments always."""

import functools
import inspect

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _positional(function):
    """Names of the positional parameters; None when a parameter by keyword alone is required, or there is no signature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is inspect.Parameter.KEYWORD_ONLY and p.default is inspect.Parameter.empty for p in parameters):
        return None
    return [p.name for p in parameters if p.kind in _POSITIONAL]


def pattern_method(function):
    """Refuses a @pattern method that is not (self, inputs)."""
    names = _positional(function)
    if names is None or len(names) != 2:
        raise TypeError("@pattern methods only support method(self, inputs)")


def hook(function, name, value):
    """A hook as hook(self, value, context=None). `value` is what the second parameter is called in the message."""
    names = _positional(function)
    if names is None or len(names) not in (2, 3):
        raise TypeError(f"{name} only supports {name}(self, {value}) or {name}(self, {value}, context)")
    if len(names) == 3:

        @functools.wraps(function)
        def call(self, value, context=None):
            return function(self, value, context)

    else:

        @functools.wraps(function)
        def call(self, value, context=None):
            return function(self, value)

    return call


# The arguments of an expression-style replacement beside its inputs.
_EXPRESSIONS = {
    "inputs": lambda function: lambda self, inputs, match, context: function(self, inputs),
    "context": lambda function: lambda self, inputs, match, context: function(self, inputs, context),
    "match": lambda function: lambda self, inputs, match, context: function(self, inputs, match),
    "both": lambda function: lambda self, inputs, match, context: function(self, inputs, match, context),
}


def expression(function):
    """An expression-style replacement as f(self, inputs, match, context); None for a classic one."""
    names = _positional(function)
    if names is None or len(names) < 2 or names[1] != "inputs":
        return None
    if len(names) == 2:
        form = "inputs"
    elif len(names) == 3:
        form = "context" if names[2] == "context" else "match"
    elif len(names) == 4:
        if names[3] != "context":
            raise TypeError(
                "Expression-style replacement with four arguments must use replacement(self, inputs, match_result, context)"
            )
        form = "both"
    else:
        raise TypeError(
            "Expression-style replacement only supports replacement(self, inputs), replacement(self, inputs, match_result), "
            "replacement(self, inputs, context) or replacement(self, inputs, match_result, context)"
        )
    return _EXPRESSIONS[form](function)


def custom_pass(function):
    """A registered function as f(graph, context)."""
    names = _positional(function)
    if names is None or len(names) not in (1, 2):
        name = getattr(function, "__name__", "function")
        raise TypeError(f"register_custom_pass only supports {name}(graph) or {name}(graph, context)")
    return function if len(names) == 2 else lambda graph, context: function(graph)
