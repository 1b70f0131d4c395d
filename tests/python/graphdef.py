"""Writes GraphDefs, message by message, from the numbers of TensorFlow's public format. For tests."""

import struct

import numpy as np

TYPES = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "complex64": 8, "int64": 9, "bool": 10,
    "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(int(value))


def blob(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


class Type:
    def __init__(self, dtype):
        self.number = dtype if isinstance(dtype, int) else TYPES[np.dtype(dtype).name]


class Shape:
    def __init__(self, *dims, rank=True):
        self.dims, self.rank = dims, rank

    def encode(self):
        body = b"".join(blob(2, number(1, d)) for d in self.dims)
        return body if self.rank else body + number(3, 1)


class Func:
    def __init__(self, name, **attrs):
        self.name, self.attrs = name, attrs

    def encode(self):
        return blob(1, self.name) + b"".join(blob(2, entry(k, v)) for k, v in self.attrs.items())


class Placeholder:
    """An attribute that is the function's."""

    def __init__(self, name):
        self.name = name


class Raw:
    """A tensor encoded otherwise than as tensor_content."""

    def __init__(self, body):
        self.body = body


def tensor(array):
    if isinstance(array, Raw):
        return array.body
    array = np.asarray(array)
    return number(1, TYPES[array.dtype.name]) + blob(2, Shape(*array.shape).encode()) + blob(4, array.tobytes())


def attr_value(value):
    if isinstance(value, np.ndarray | np.generic | Raw):
        return blob(8, tensor(value))
    if isinstance(value, bool):
        return number(5, value)
    if isinstance(value, int):
        return number(3, value)
    if isinstance(value, float):
        return varint(4 << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str | bytes):
        return blob(2, value)
    if isinstance(value, Type):
        return number(6, value.number)
    if isinstance(value, Shape):
        return blob(7, value.encode())
    if isinstance(value, Func):
        return blob(10, value.encode())
    if isinstance(value, Placeholder):
        return blob(9, value.name)
    body = b""
    for item in value:  # a list
        if isinstance(item, Type):
            body += number(6, item.number)
        elif isinstance(item, Func):
            body += blob(9, item.encode())
        elif isinstance(item, Shape):
            body += blob(7, item.encode())
        elif isinstance(item, str):
            body += blob(2, item)
        elif isinstance(item, float):
            body += varint(4 << 3 | 5) + struct.pack("<f", item)
        else:
            body += number(3, item)
    return blob(1, body)


def entry(key, value):
    return blob(1, key) + blob(2, attr_value(value))


def node(name, op, inputs=(), **attrs):
    return (
        blob(1, name)
        + blob(2, op)
        + b"".join(blob(3, i) for i in inputs)
        + b"".join(blob(5, entry(k, v)) for k, v in attrs.items())
    )


def function(name, inputs, outputs, nodes, results):
    """inputs, outputs: {name: dtype, or the name of a type attribute}; results: {output: value in the body}."""

    def arg(key, dtype):
        return blob(1, key) + (blob(4, dtype[1:]) if str(dtype).startswith("$") else number(3, Type(dtype).number))

    signature = blob(1, name)
    signature += b"".join(blob(2, arg(k, t)) for k, t in inputs.items())
    signature += b"".join(blob(3, arg(k, t)) for k, t in outputs.items())
    return (
        blob(1, signature)
        + b"".join(blob(3, n) for n in nodes)
        + b"".join(blob(4, blob(1, k) + blob(2, v)) for k, v in results.items())
    )


class Graph:
    """Nodes by name; what a method returns is the name, for use as an input."""

    def __init__(self):
        self.nodes, self.functions = [], []

    def add(self, op, *inputs, name=None, **attrs):
        name = name or f"{op}_{len(self.nodes)}"
        names = [i if isinstance(i, str) else self.const(i) for i in inputs]
        self.nodes.append(node(name, op, names, **attrs))
        return name

    def const(self, array, name=None):
        array = np.asarray(array)
        name = name or f"Const_{len(self.nodes)}"
        self.nodes.append(node(name, "Const", dtype=Type(array.dtype), value=array))
        return name

    def input(self, name, shape, dtype="float32"):
        shape = Shape(rank=False) if shape is None else Shape(*shape)
        self.nodes.append(node(name, "Placeholder", dtype=Type(dtype), shape=shape))
        return name

    def encode(self):
        library = b"".join(blob(1, f) for f in self.functions)
        return b"".join(blob(1, n) for n in self.nodes) + (blob(2, library) if library else b"") + blob(4, number(1, 27))
