"""Passes made of Python functions and classes."""

import inspect

from ge._interpreter import require_main
from ge._native import c_text, callback, ffi, hold, lib
from ge.graph.graph import Graph
from ge.passes import _failures
from ge.passes._borrowed import Run
from ge.transform._calls import c_names, check, lost
from ge.transform._stack import entered
from ge.transform.base import Pass
from ge.transform.context import PassContext


class _Held:
    """The object that a pass's user pointer leads to. The library releases it by calling it."""

    def __init__(self, name, function, is_function_pass):
        self.name = name
        self.function = function
        self.is_function_pass = is_function_pass

    def __call__(self):
        pass


def _root_of(graph):
    while (caller := graph.get_parent_graph()) is not None:
        graph = caller
    return graph


@ffi.def_extern(error=lib.GE_FAILED, onerror=lost)
def py_pass_apply(user, graph, context):
    held = ffi.from_handle(user)
    run = Run(graph)
    depth = len(entered())
    try:
        lent = run.graph(graph)
        if held.is_function_pass:
            result = held.function(lent, _root_of(lent), PassContext.current())
        else:
            result = held.function(lent, PassContext.current())
        if not isinstance(result, Graph):
            raise TypeError(f"pass '{held.name}' must return a Graph, got {type(result).__name__}")
        if result._live() != graph and result is not lent:
            check(lib.GeGraphTakeContent(graph, result._live()))
        return 0
    except BaseException as error:
        return _failures.fail(error)
    finally:
        run.end()
        del entered()[depth:]  # the library drops those that the pass left behind, too


class _FunctionPass(Pass):
    """A pass that calls Python."""

    _KIND = lib.GE_PASS_MODULE

    def __init__(self, function, opt_level, name, required, traceable):
        if isinstance(opt_level, bool) or not isinstance(opt_level, int):
            raise TypeError(f"opt_level must be an int, got {opt_level!r}")
        require_main("passes in Python need")
        table = ffi.new("GePassFunction *", {"struct_size": ffi.sizeof("GePassFunction")})
        c_name = ffi.new("char[]", c_text(name))
        names, held = c_names(required, "required")
        table.name, table.level, table.kind = c_name, opt_level, self._KIND
        table.flags = lib.GE_PASS_TRACEABLE if traceable else 0
        table.required, table.required_count = names, len(required)
        table.run = callback("ge_py_pass_apply")
        table.destroy, table.user = hold(_Held(name, function, self._KIND == lib.GE_PASS_PER_GRAPH))
        out = ffi.new("GePass **")
        check(lib.GePassMake(table, out))
        del held, c_name
        super().__init__(out[0])


class ModulePass(_FunctionPass):
    """Called once, with the root graph: `function(mod, ctx)` returns a graph, the same or another one."""


class FunctionPass(_FunctionPass):
    """Called once per graph of the tree: `function(func, mod, ctx)` returns a graph. Graphs with attribute SkipOptimization
    are left out; it may neither add nor remove graphs."""

    _KIND = lib.GE_PASS_PER_GRAPH


def _decorator(kind, what, method, func, opt_level, name, required, traceable):
    if opt_level is None:
        raise ValueError(f"Please provide opt_level for the {what} pass.")
    required = [] if required is None else required
    if not isinstance(required, (list, tuple)):
        raise TypeError("Required is expected to be the type of list/tuple.")

    def create(function):
        own_name = name if name is not None else getattr(function, "__name__", type(function).__name__)
        if not inspect.isclass(function):
            if not callable(function):
                raise TypeError(f"the {what} pass must be a function or a class, got {function!r}")
            made = kind(function, opt_level, own_name, required, traceable)
            made.__doc__ = function.__doc__
            return made
        if not callable(getattr(function, method, None)):
            raise TypeError(f"class {function.__name__} needs a method {method}")

        class Made(kind):
            def __init__(self, *args, **kwargs):
                self._object = function(*args, **kwargs)
                super().__init__(getattr(self._object, method), opt_level, own_name, required, traceable)

            def __getattr__(self, attribute):
                if attribute == "_object":
                    raise AttributeError(attribute)
                return getattr(self._object, attribute)

        Made.__name__, Made.__qualname__ = function.__name__, function.__qualname__
        Made.__module__, Made.__doc__ = function.__module__, function.__doc__
        return Made

    return create if func is None else create(func)


def module_pass(func=None, opt_level=None, name=None, required=None, traceable=False):
    """Decorator: a function `f(mod, ctx)`, or a class with `transform_module(self, mod, ctx)`, becomes a pass that runs once on
    the root graph. It returns a graph: the one it got, edited, or another one."""
    return _decorator(ModulePass, "module", "transform_module", func, opt_level, name, required, traceable)


def function_pass(func=None, opt_level=None, name=None, required=None, traceable=False):
    """Decorator: a function `f(func, mod, ctx)`, or a class with `transform_function(self, func, mod, ctx)`, becomes a pass
    that runs once per graph of the tree."""
    return _decorator(FunctionPass, "function", "transform_function", func, opt_level, name, required, traceable)
