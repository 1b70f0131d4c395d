"""Finding the passes of plug-ins: files and folders that a variable lists, and entry points of installed packages."""

import sys
from importlib.metadata import entry_points
from types import ModuleType

from ge import _plugins
from ge._internal import environment, plugin_loader
from ge.passes import registry
from ge.passes._kinds import MODULE_PREFIX

ENV_PY_PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
ENTRY_POINTS = _plugins.ENTRY_POINTS
_KIND = "python pass"
_collected: dict = {}  # module -> the passes of files that are for some compiles only
_loaded: dict = {}  # names of the modules that plug-ins came as, in load order


def _entry_points():
    try:
        return tuple(entry_points(group=ENTRY_POINTS))
    except TypeError:  # Python 3.9
        return tuple(entry_points().get(ENTRY_POINTS, ()))


def _load_entry_points():
    """Modules of entry points. One that fails costs a line of the log: a package that is broken stops no program."""
    from ge._native import lib
    from ge.passes import _failures, _holders

    modules = {}
    for entry in _entry_points() if _plugins.has_entry_points() else ():
        try:
            found = entry.load()
            if not isinstance(found, ModuleType):  # a class or a function: its module has registered it
                found = sys.modules[found.__module__]
            modules.setdefault(found.__name__, found)
        except Exception as error:
            _holders.log(
                lib.GE_LOG_ERROR, f"entry point '{entry.name}' of group '{ENTRY_POINTS}' failed: {_failures.describe(error)}"
            )
    return list(modules.values())


def load_pass_plugins() -> list:
    """The modules of all plug-ins: those of the variable in its order, then those of entry points."""
    modules = plugin_loader.load_plugins_from_env(ENV_PY_PASS_PATH, module_prefix=MODULE_PREFIX, plugin_kind=_KIND)
    names = {m.__name__ for m in modules}
    modules += [m for m in _load_entry_points() if m.__name__ not in names]
    _loaded.update(dict.fromkeys(m.__name__ for m in modules))
    return modules


def load_pass_files(paths) -> list:
    """The passes (PassDescriptor) of files and folders that are for some compiles only: they are not registered. A file is
    executed once however often it is asked for; passes of one that a plug-in is already take part in all compiles."""
    found = []
    with _plugins._lock:
        for item in paths:
            with registry.collecting() as collected:
                modules = plugin_loader.scan_modules_from_path(item, module_prefix=MODULE_PREFIX, plugin_kind=_KIND)
            for descriptor in collected.values():
                _collected.setdefault(descriptor.module_name, {})[descriptor.descriptor_key] = descriptor
            names = [m.__name__ for m in modules]
            for module, descriptors in _collected.items():
                if any(module == n or module.startswith(n + ".") for n in names):
                    found += [d for d in descriptors.values() if d not in found]
    return found


def get_registered_passes() -> list:
    """All passes as dictionaries."""
    return registry.get_registered_pass_dicts()


def _of_plugins(module_name):
    return any(module_name == name or module_name.startswith(name + ".") for name in _loaded)


def reload() -> list:
    """Loads all plug-ins anew, packages and changed files included, and returns their modules. Passes that the program itself
    registered stay. When a plug-in fails its exception comes out, and everything is as before."""
    with _plugins._lock:
        passes = registry.get_registered_passes()
        modules = {n: m for n, m in sys.modules.items() if _of_plugins(n)}
        loaded = dict(_loaded)
        registry._keep([d for d in passes if not _of_plugins(d.module_name)])
        for name in modules:
            del sys.modules[name]
        try:
            environment.refresh()
            found = load_pass_plugins()
        except BaseException:
            for name in [n for n in sys.modules if _of_plugins(n)]:
                del sys.modules[name]
            sys.modules.update(modules)
            registry._keep(passes)
            raise
        for name in loaded:
            if name not in {m.__name__ for m in found}:
                _loaded.pop(name, None)
        _plugins._started = True
        return found
