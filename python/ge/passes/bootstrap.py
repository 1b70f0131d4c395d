"""Finding the passes of plug-ins: files and folders that a variable lists, and entry points of installed packages."""

import contextlib
import sys
from importlib.metadata import distributions, entry_points
from pathlib import Path
from types import ModuleType

from ge import _plugins
from ge._internal import plugin_loader
from ge.passes import registry
from ge.passes._kinds import MODULE_PREFIX

ENV_PY_PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
ENTRY_POINTS = _plugins.ENTRY_POINTS
_KIND = "python pass"
_loaded: dict = {}  # names of the modules that plug-ins came as, in load order
_by_plugins: set = set()  # keys of the passes that plug-ins brought for all compiles
plugin_loader._around_execution = registry.noticing


def _log_failure(what, error):
    from ge._native import lib
    from ge.passes import _failures, _holders

    _holders.log(lib.GE_LOG_ERROR, f"{what} failed: {_failures.describe(error)}")


def _entry_points():
    try:
        if sys.version_info >= (3, 10):
            return list(entry_points(group=ENTRY_POINTS))
        return list(entry_points().get(ENTRY_POINTS, ()))
    except Exception:  # a package describes none that can be read
        return list(_readable_entry_points())


def _readable_entry_points():
    """Those of the packages one by one, the first of a name as Python has it, without packages that cannot be read."""
    seen = set()
    for distribution in distributions():
        try:
            name = distribution.metadata["Name"]
            found = [e for e in distribution.entry_points if e.group == ENTRY_POINTS]
        except Exception as error:
            _log_failure(f"reading the entry points of '{getattr(distribution, '_path', distribution)}'", error)
            continue
        if name not in seen:
            seen.add(name)
            yield from found


def _load_entry_points():
    """Modules of entry points. One that fails costs a line of the log: a package that is broken stops no program."""
    modules = {}
    for entry in _entry_points() if _plugins.has_entry_points() else ():
        path = f"entry point {entry.name} = {entry.value}"  # several packages may use one name
        try:
            with registry.noticing(path) if not registry.passes_of(path) else contextlib.nullcontext():
                found = entry.load()
            registry.adopt(registry.passes_of(path))  # the module is imported once, the engine may start again
            if not isinstance(found, ModuleType):  # a class or a function: its module has registered it
                found = sys.modules[found.__module__]
            modules.setdefault(found.__name__, found)
        except (Exception, SystemExit) as error:
            package = getattr(getattr(entry, "dist", None), "name", None)
            of = f" of package '{package}'" if package else ""
            _log_failure(f"entry point '{entry.name} = {entry.value}' of group '{ENTRY_POINTS}'{of}", error)
    return list(modules.values())


def _paths_of(modules):
    return [str(Path(m.__file__).resolve()) for m in modules if getattr(m, "__file__", None)]


def load_pass_plugins() -> list:
    """The modules of all plug-ins: those of the variable in its order, then those of entry points."""
    before = {d.descriptor_key for d in registry.get_registered_passes()}
    modules = plugin_loader.load_plugins_from_env(ENV_PY_PASS_PATH, module_prefix=MODULE_PREFIX, plugin_kind=_KIND)
    for path in _paths_of(modules):
        registry.adopt(registry.passes_of(path))  # of a file that was for some compiles only, until now
    names = {m.__name__ for m in modules}
    modules += [m for m in _load_entry_points() if m.__name__ not in names]
    _loaded.update(dict.fromkeys(m.__name__ for m in modules))
    _by_plugins.update(d.descriptor_key for d in registry.get_registered_passes() if d.descriptor_key not in before)
    return modules


def load_pass_files(paths) -> list:
    """The passes (PassDescriptor) of files and folders that are for some compiles only: they are not registered. A file is
    executed once however often it is asked for; passes of one that a plug-in is already take part in all compiles."""
    with _plugins.loading() as may_load:
        if not may_load:
            return []
        with registry.collecting(), _plugins._threads_noted():
            modules = [
                m
                for item in paths
                for m in plugin_loader.scan_modules_from_path(item, module_prefix=MODULE_PREFIX, plugin_kind=_KIND)
            ]
        _loaded.update(dict.fromkeys(m.__name__ for m in modules))
        found = {}
        for path in _paths_of(modules):
            for descriptor in registry.passes_of(path):
                if registry.get_registered_pass_by_descriptor_key(descriptor.descriptor_key) is descriptor:
                    continue
                other = next((d for d in found.values() if d.pass_name == descriptor.pass_name), descriptor)
                if other is not descriptor:
                    raise ValueError(f"python pass name already exists: {descriptor.pass_name}")
                found[descriptor.descriptor_key] = descriptor
        return list(found.values())


def get_registered_passes() -> list:
    """All passes as dictionaries."""
    return registry.get_registered_pass_dicts()


def _of_plugins(module_name):
    return any(module_name == name or module_name.startswith(name + ".") for name in _loaded)


def reload() -> list:
    """Loads all plug-ins anew, packages and changed files included, and returns their modules. Passes that the program itself
    registered stay. When a plug-in fails its exception comes out, and everything is as before. What begins to compile waits."""
    with _plugins.reloading():
        passes = registry.get_registered_passes()
        modules = {n: m for n, m in sys.modules.items() if _of_plugins(n) or n.startswith(MODULE_PREFIX)}
        by_path = dict(registry._by_path)
        loaded = dict(_loaded)
        registry._keep([d for d in passes if d.descriptor_key not in _by_plugins and not _of_plugins(d.module_name)])
        by_plugins = set(_by_plugins)
        _by_plugins.clear()
        registry._by_path.clear()
        plugin_loader.forget_modules(MODULE_PREFIX)  # those of files for some compiles, too
        for name in modules:
            sys.modules.pop(name, None)
        try:
            found = load_pass_plugins()
        except BaseException:
            for name in [n for n in sys.modules if _of_plugins(n)]:
                del sys.modules[name]
            sys.modules.update(modules)
            registry._by_path.update(by_path)
            _by_plugins.update(by_plugins)
            registry._keep(passes)
            raise
        for name in loaded:
            if name not in {m.__name__ for m in found}:
                _loaded.pop(name, None)
        return found
