"""Eager-style graph building.

`ge.es.math`, `ge.es.nn`, `ge.es.cv`, `ge.es.transformer` and `ge.es.all` hold the built-in operators. They are found like the
modules of other packages: by the entry point group `ge.es.plugins`.
"""

import importlib

from . import _plugin_loader
from .graph_builder import GraphBuilder, InputType  # noqa: F401
from .tensor_holder import TensorHolder

__all__ = ["GraphBuilder", "TensorHolder", "list_plugins", "get_plugin"]

# Plug-in modules import the two classes from here, so they are bound by now.
_plugins = _plugin_loader.load_all_plugins()
globals().update(_plugins)
__all__ += _plugins
_BUILT_IN = frozenset(("math", "nn", "cv", "transformer", "all"))


def list_plugins():
    """Names of the operator modules that were found, in load order."""
    return list(_plugins)


def get_plugin(plugin_name):
    """An operator module by name; None when there is no such plug-in."""
    return _plugins.get(plugin_name)


def __getattr__(name):
    # Where packages lie without their descriptions (frozen into a program, say), no entry point leads to the modules.
    if name in _BUILT_IN:
        try:
            return importlib.import_module(f"ge.es.{name}")
        except ImportError as e:
            raise AttributeError(f"module 'ge.es' has no attribute {name!r}: {e}") from e
    raise AttributeError(f"module 'ge.es' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_BUILT_IN})
