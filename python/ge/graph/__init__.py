"""Graphs, nodes, tensors and their descriptions."""

# Where each name comes from: a program that runs models needs none of it, and a start of one should not wait for it.
_PLACES = {
    "Graph": "graph",
    "Node": "node",
    "Operator": "operator",
    "DataType": "types",
    "Format": "types",
    "Placement": "types",
    "Shape": "tensor_desc",
    "Tensor": "tensor",
    "TensorDesc": "tensor_desc",
    "DumpFormat": "graph",
}
__all__ = list(_PLACES)


def __getattr__(name):
    import importlib

    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{place}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_PLACES})
