"""Every public name says what it is: modules, functions, classes, methods and properties of the package."""

import importlib
import inspect
import pkgutil

import ge

# Operators are thousands; what is written into one of them by the generator is written into all.
GENERATED = ("ge.es.all", "ge.es.math", "ge.es.nn", "ge.es.cv", "ge.es.transformer")


def modules():
    yield ge
    yield importlib.import_module("ge._tables")  # of what methods of a model return
    for info in pkgutil.walk_packages(ge.__path__, "ge."):
        if not any(part.startswith("_") for part in info.name.split(".")) and info.name not in GENERATED:
            yield importlib.import_module(info.name)


def ours(value):
    return (inspect.isclass(value) or inspect.isroutine(value)) and (value.__module__ or "").split(".")[0] == "ge"


def members(cls):
    """Functions and properties that a class defines itself; what it inherits is a name of its base."""
    for name, value in vars(cls).items():
        value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if name.startswith("_") or not (inspect.isroutine(value) or isinstance(value, property)):
            continue
        yield name, value


def public_names():
    """(path, object) of each public name, once."""
    seen = set()
    for module in modules():
        yield module.__name__, module
        names = {n for n in {*dir(module), *getattr(module, "__all__", ())} if not n.startswith("_")}
        for name in sorted(names):
            value = getattr(module, name)
            if not ours(value) or id(value) in seen:
                continue
            seen.add(id(value))
            path = f"{module.__name__}.{name}"
            yield path, value
            if inspect.isclass(value):
                yield from ((f"{path}.{n}", m) for n, m in members(value))
                for base in value.__mro__[1:]:  # what a private base adds is public in the class
                    if ours(base) and base.__name__.startswith("_"):
                        yield from ((f"{path}.{n}", m) for n, m in members(base))


def is_written(doc):
    """A sentence of its own, not the text that a dataclass or an enumeration makes up."""
    return bool(doc) and not doc.startswith("An enumeration.")


def test_every_public_name_has_a_docstring():
    names = dict(public_names())
    ends = {".".join(path.split(".")[-2:]) for path in names}
    assert len(names) > 240
    assert {"ge.load", "Model.run_async", "Graph.name", "GraphBuilder.create_input", "Profile.save"} <= ends
    missing = [
        path
        for path, value in names.items()
        if not is_written(value.__doc__) or (inspect.isclass(value) and value.__doc__.startswith(f"{value.__name__}("))
    ]
    assert missing == []


def test_the_check_finds_one_that_is_missing():
    class Bare:
        def method(self):
            pass

        @property
        def value(self):
            return 1

        @classmethod
        def made(cls):
            """Text."""

    assert [name for name, value in members(Bare) if not is_written(value.__doc__)] == ["method", "value"]
    assert not is_written(None) and not is_written("")


def test_generated_operators_have_docstrings():
    for name in GENERATED:
        module = importlib.import_module(name)
        assert module.__doc__, name
        operators = [n for n in module.__all__ if (getattr(getattr(module, n), "__module__", "") or "").startswith("es_")]
        assert len(operators) > 10
        assert [n for n in operators if not getattr(module, n).__doc__] == []
