"""OpenGE: a graph compiler and inference runtime.

    m = ge.load("model.onnx", options={"threads": 2})
    y = m(array)                        # or m(x=array), or m.run({"x": array})["y"]

Importing the package loads nothing; the engine comes with the first use, and so does each module (`ge.es`, `ge.graph`, …).
"""

import sys as _sys
from importlib.util import find_spec as _find_spec

if _find_spec("_cffi_backend") is None:  # the extension module's own message would not name the package
    raise ImportError(f"ge needs the Python package cffi, which {_sys.executable} does not have: pip install cffi", name="cffi")

__version__ = "0.1.0"

_LAZY = {
    "load": "ge._model",
    "Model": "ge._model",
    "Port": "ge._ports",
    "State": "ge._state",
    "options": "ge._model",
    "engines": "ge._model",
    "op_traits": "ge._traits",
    "set_op_traits": "ge._traits",
    "GeError": "ge.error",
}


def __getattr__(name):
    import importlib

    module = _LAZY.get(name)
    if module is None:
        if name.startswith("_") or _find_spec(f"ge.{name}") is None:
            raise AttributeError(f"module 'ge' has no attribute '{name}'")
        return importlib.import_module(f"ge.{name}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__():
    import pkgutil

    names = {*globals(), *_LAZY, *(m.name for m in pkgutil.iter_modules(__path__))}
    return sorted(n for n in names if n.startswith("__") and n.endswith("__") and n != "__main__" or not n.startswith("_"))
