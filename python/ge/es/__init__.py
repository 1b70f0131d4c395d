"""Eager-style graph building.

`ge.es.math`, `ge.es.nn`, `ge.es.cv`, `ge.es.transformer` and `ge.es.all` hold the built-in operators; further modules come
from installed packages that announce themselves in the entry point group `ge.es.plugins`.
"""

from . import _plugin_loader
from .graph_builder import GraphBuilder, InputType  # noqa: F401
from .tensor_holder import TensorHolder

__all__ = ["GraphBuilder", "TensorHolder", "list_plugins", "get_plugin"]

# Plug-in modules import the two classes from here, so they are bound by now.
_plugins = _plugin_loader.load_all_plugins()
globals().update(_plugins)
__all__ += _plugins


def list_plugins():
    """Names of the operator modules that packages have added, in load order."""
    return list(_plugins)


def get_plugin(plugin_name):
    """An operator module by name; None when no package has added it."""
    return _plugins.get(plugin_name)
