"""Operator modules of other packages, found through the entry point group ge.es.plugins."""

import importlib
import importlib.machinery
import sys
from importlib.metadata import entry_points
from types import ModuleType

from ge._native import lib

GROUP = "ge.es.plugins"

LOG_LEVEL_INFO = "INFO"
LOG_LEVEL_WARNING = "WARNING"
LOG_LEVEL_ERROR = "ERROR"


_LEVELS = {LOG_LEVEL_INFO: lib.GE_LOG_INFO, LOG_LEVEL_WARNING: lib.GE_LOG_WARNING, LOG_LEVEL_ERROR: lib.GE_LOG_ERROR}


def debug_print(level, message, *args):
    """A line of the log: on standard error by default, from warnings on (environment variable GE_LOG_LEVEL)."""
    text = f"[ge.es._plugin_loader] {message % args if args else message}"
    lib.GeLogMessage(_LEVELS.get(level, lib.GE_LOG_INFO), text.encode())


def _iter_plugin_entry_points():
    """Entry points of the group, for every form the standard library has had."""
    try:
        found = entry_points(group=GROUP)
    except TypeError:
        found = entry_points()
        found = found.select(group=GROUP) if hasattr(found, "select") else found.get(GROUP, [])
    if isinstance(found, dict):
        found = found.get(GROUP, [])
    return _without_repeats(found)


def _without_repeats(found):
    """One of several entry points with the same name and the same target: a package can be on the path more than once, and
    the standard library shows all of them up to Python 3.9."""
    seen, kept = set(), []
    for entry in found:
        key = getattr(entry, "name", None), getattr(entry, "value", None)
        if all(isinstance(part, str) for part in key):
            if key in seen:
                continue
            seen.add(key)
        kept.append(entry)
    return kept


def _coerce_to_module(obj, plugin_name):
    """What an entry point loaded, as a module."""
    if isinstance(obj, ModuleType):
        return obj
    if isinstance(obj, str):
        return importlib.import_module(obj)
    if callable(obj):
        return _coerce_to_module(obj(), plugin_name)
    raise TypeError(
        f"Plugin '{plugin_name}' returned unexpected type: {type(obj)}. Expected ModuleType, str, or callable returning module."
    )


class _SecondName:
    """Finds ge.es.<module>.<file> where ge.es.<module> is another package's second name: the file is not loaded again."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        parts = name.split(".")
        if len(parts) != 4 or parts[:2] != ["ge", "es"]:
            return None
        package = sys.modules.get(".".join(parts[:3]))
        if package is None or package.__name__ == ".".join(parts[:3]):
            return None
        try:
            module = importlib.import_module(f"{package.__name__}.{parts[3]}")
        except ModuleNotFoundError as e:
            if e.name != f"{package.__name__}.{parts[3]}":
                raise
            return None
        return importlib.machinery.ModuleSpec(name, _Loaded(module))


class _Loaded:
    def __init__(self, module):
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__ = self._spec


sys.meta_path.insert(0, _SecondName)


def load_all_plugins():
    """Loads every plug-in: {name: module}. A plug-in that fails costs one line, never an exception."""
    modules = {}
    try:
        found = _iter_plugin_entry_points()
    except Exception as e:
        debug_print(LOG_LEVEL_ERROR, "Entry points of group '%s' cannot be read: %s", GROUP, e)
        return modules
    for entry in found:
        name = getattr(entry, "name", None)
        if not name:
            debug_print(LOG_LEVEL_WARNING, "Skipped an ES plugin without a name: %s", entry)
            continue
        try:
            module = _coerce_to_module(entry.load(), name)
        except AttributeError as e:
            debug_print(LOG_LEVEL_ERROR, "ES plugin '%s' lacks what its entry point names: %s", name, e)
        except ImportError as e:
            debug_print(LOG_LEVEL_ERROR, "ES plugin '%s' cannot be imported: %s", name, e)
        except Exception as e:
            debug_print(LOG_LEVEL_ERROR, "ES plugin '%s' failed: %s", name, e)
        else:
            sys.modules.setdefault(f"ge.es.{name}", module)
            modules[name] = module
            debug_print(LOG_LEVEL_INFO, "ES plugin '%s' loaded: %s", name, module.__name__)
    return modules
