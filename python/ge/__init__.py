"""OpenGE: a graph compiler and inference runtime.

    m = ge.load("model.onnx", options={"threads": 2})
    y = m.run({"x": array})["y"]

Importing the package loads nothing; the engine comes with the first use.
"""

import sys as _sys
from importlib.util import find_spec as _find_spec

if _find_spec("_cffi_backend") is None:  # the extension module's own message would not name the package
    raise ImportError(f"ge needs the Python package cffi, which {_sys.executable} does not have: pip install cffi", name="cffi")

__version__ = "0.1.0"

_LAZY = {
    "load": "ge._model",
    "Model": "ge._model",
    "options": "ge._model",
    "engines": "ge._model",
    "op_traits": "ge._traits",
    "set_op_traits": "ge._traits",
}


def __getattr__(name):
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'ge' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *_LAZY])
