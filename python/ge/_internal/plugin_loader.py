"""Plug-ins that are files and folders of Python: a variable of the environment lists them."""

import contextlib
import importlib
import importlib.util
import os
import sys
import threading
import zlib
from pathlib import Path

# Called with the canonical path of what is about to be executed; a context manager around that.
_around_execution = contextlib.nullcontext

# Canonical path of what was loaded -> its name in sys.modules; one list for all kinds of plug-ins.
_MODULE_NAME_BY_CANONICAL_PATH: dict = {}
_lock = threading.RLock()
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]  # its holder is not in the child


def normalize_path_list(path_value) -> list:
    """The entries of a list of paths, without blanks around them and without empty ones."""
    return [item.strip() for item in (path_value or "").split(os.pathsep) if item.strip()]


def _name_of(path, prefix):
    return f"{prefix}{path.stem}_{zlib.crc32(os.fsencode(path))}"


def load_module_from_file(file_path, *, module_prefix, plugin_kind):
    """Executes a file as a module of its own, once per canonical path; an error takes the half-loaded module back."""
    path = Path(file_path).resolve()
    with _lock:
        known = sys.modules.get(_MODULE_NAME_BY_CANONICAL_PATH.get(str(path), ""))
        if known is not None:
            return known
        name = _name_of(path, module_prefix)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"cannot load {plugin_kind} file: {path}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            try:
                code = spec.loader.get_code(name)
            except SyntaxError as e:
                if e.filename is not None:
                    raise
                raise SyntaxError(f"{path}: {e}") from e  # a null character, since Python 3.11.4
            except ValueError as e:  # a null character, or bytes that are no text
                raise ImportError(f"cannot load {plugin_kind} file: {path}: {e}", path=str(path)) from e
            with _around_execution(str(path)):
                exec(code, module.__dict__)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        _MODULE_NAME_BY_CANONICAL_PATH[str(path)] = name
        return module


def _load_package(folder, plugin_kind):
    """Imports a folder with __init__.py by its plain name; its parent is on sys.path."""
    init = (folder / "__init__.py").resolve()
    known = sys.modules.get(_MODULE_NAME_BY_CANONICAL_PATH.get(str(init), ""))
    if known is not None:
        return known
    before = set(sys.modules)
    try:
        with _around_execution(str(init)):
            module = importlib.import_module(folder.name)
    except BaseException:
        for name in [n for n in sys.modules if n.startswith(folder.name + ".") and n not in before]:
            del sys.modules[name]  # else the next import would find parts that may have been repaired since
        raise
    found = getattr(module, "__file__", None)
    if found is None or Path(found).resolve() != init:
        raise ImportError(
            f"cannot load {plugin_kind} package: {folder}: the name '{folder.name}' is taken by {found or module!r}",
            name=folder.name,
        )
    _MODULE_NAME_BY_CANONICAL_PATH[str(init)] = folder.name
    return module


@contextlib.contextmanager
def _first_on_path(folder):
    entry = str(folder)
    present = entry in sys.path
    if not present:
        sys.path.insert(0, entry)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        if not present:
            with contextlib.suppress(ValueError):
                sys.path.remove(entry)


def _scan_folder(folder, module_prefix, plugin_kind):
    modules = []
    with _first_on_path(folder):
        for child in sorted(folder.iterdir(), key=lambda p: p.name):
            if child.name.startswith("_"):
                continue
            if child.suffix == ".py" and child.is_file():
                modules.append(load_module_from_file(child, module_prefix=module_prefix, plugin_kind=plugin_kind))
            elif child.is_dir() and (child / "__init__.py").is_file():
                modules.append(_load_package(child, plugin_kind))
    return modules


def scan_modules_from_path(path_item, *, module_prefix, plugin_kind) -> list:
    """The modules of one entry: those of a folder in the order of their names, or the one of a file."""
    path = Path(path_item).resolve()
    with _lock:
        if path.is_dir():
            return _scan_folder(path, module_prefix, plugin_kind)
        if not path.exists():
            raise FileNotFoundError(f"{plugin_kind} path does not exist: {path}")
        if path.suffix != ".py":
            raise ValueError(f"{plugin_kind} file must end with .py: {path}")
        if not path.is_file():
            raise ValueError(f"{plugin_kind} path is neither a file nor a folder: {path}")
        return [load_module_from_file(path, module_prefix=module_prefix, plugin_kind=plugin_kind)]


def load_modules(paths, *, module_prefix, plugin_kind) -> list:
    """The modules of all entries in their order, each once."""
    modules = {}
    for item in paths:
        for module in scan_modules_from_path(item, module_prefix=module_prefix, plugin_kind=plugin_kind):
            modules.setdefault(module.__name__, module)
    return list(modules.values())


def load_plugins_from_env(env_name, *, module_prefix, plugin_kind) -> list:
    """The modules of all entries of a variable."""
    paths = normalize_path_list(os.environ.get(env_name))
    return load_modules(paths, module_prefix=module_prefix, plugin_kind=plugin_kind)


def forget_modules(prefix) -> None:
    """Forgets the modules of files whose names start so; they are executed again by the next load."""
    for name in [n for n in sys.modules if n.startswith(prefix)]:
        del sys.modules[name]
