"""OpenGE: a graph compiler and inference runtime.

    m = ge.load("model.onnx", options={"threads": 2})
    y = m(array)                        # or m(x=array), or m.run({"x": array})["y"]

Importing the package loads nothing of it; the engine comes with the first use, and so does each module (`ge.es`, …).
"""

try:
    import _cffi_backend  # noqa: F401 (the engine's extension module begins with it, and its message would not name the package)
except ModuleNotFoundError:
    import sys

    raise ImportError(
        f"ge needs the Python package cffi, which {sys.executable} does not have: pip install cffi", name="cffi"
    ) from None
except ImportError:  # it is there and cannot be loaded: the first use of the engine says what it is needed for
    pass

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
        import importlib.util  # a start does without

        if name.startswith("_") or importlib.util.find_spec(f"ge.{name}") is None:
            raise AttributeError(f"module 'ge' has no attribute '{name}'")
        return importlib.import_module(f"ge.{name}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__():
    import pkgutil

    names = {*globals(), *_LAZY, *(m.name for m in pkgutil.iter_modules(__path__))}
    return sorted(n for n in names if n.startswith("__") and n.endswith("__") and n != "__main__" or not n.startswith("_"))
