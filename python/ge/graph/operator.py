"""Operator: what an ONNX plug-in's parse_node callback fills in."""

import ctypes
import itertools

from ge._native import failed

from ._attr import classify
from ._nocopy import NoCopy
from ._plain import check_int, plain


class OperatorRecord:
    """What a callback says of its operator: attributes, and ports as (name, kind, count) in the order of their calls.

    kind is "required", "optional" or "dynamic".
    """

    def __init__(self, type, name):
        self.type = type
        self.name = name
        self.attrs = {}
        self.inputs = []
        self.outputs = []

    def __repr__(self):
        return f"<OperatorRecord {self.name!r} of type {self.type}>"


_records: dict = {}  # handle -> OperatorRecord, for as long as its callback runs
_next_handle = itertools.count(1)


def add_record(type, name):
    """(handle for create_operator, record) of an operator that a callback is about to fill in."""
    handle = next(_next_handle)
    record = _records[handle] = OperatorRecord(type, name)
    return handle, record


def remove_record(handle):
    """The callback is over: its Operator objects say so from now on."""
    _records.pop(handle, None)


class Operator(NoCopy):
    """Valid only while the callback that received it runs; never made by a program."""

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, *args, **kwargs):
        raise RuntimeError("Operator objects should not be created directly.")

    def _live(self):
        record = _records.get(self._handle)
        if record is None:
            raise RuntimeError("Operator is only valid inside parse_node")
        return record

    @property
    def name(self) -> str:
        """Name of the operator."""
        return self._live().name

    @property
    def type(self) -> str:
        """Type of the operator."""
        return self._live().type

    def set_attr(self, name, value) -> None:
        """Sets an attribute; the kinds of values are those of Node.set_attr."""
        record = self._live()
        _check_name(name, "attribute")
        value = plain(value)
        classify(value)
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, int):
                check_int(number, f"Value of attribute '{name}'")
        record.attrs[name] = list(value) if isinstance(value, list) else value

    def register_input(self, name) -> None:
        """Declares a required input."""
        self._register("inputs", name, "input", "register_input", "required", 1)

    def register_optional_input(self, name) -> None:
        """Declares an input that may stay unconnected."""
        self._register("inputs", name, "optional input", "register_optional_input", "optional", 1)

    def register_output(self, name) -> None:
        """Declares an output."""
        self._register("outputs", name, "output", "register_output", "required", 1)

    def register_dynamic_input(self, name, count) -> None:
        """Declares `count` inputs of one name."""
        self._register_dynamic("inputs", name, count, "register dynamic input")

    def register_dynamic_output(self, name, count) -> None:
        """Declares `count` outputs of one name."""
        self._register_dynamic("outputs", name, count, "register dynamic output")

    def _register(self, side, name, what, call, kind, count):
        record = self._live()
        _check_name(name, what)
        ports = getattr(record, side)
        if any(port[0] == name for port in ports):
            raise failed(f"Failed to {call} '{name}' on Operator {record.name}", reason=f"'{name}' is declared already")
        ports.append((name, kind, count))

    def _register_dynamic(self, side, name, count, call):
        self._live()
        _check_name(name, "dynamic port")
        if type(count) is not int:
            raise TypeError("Operator dynamic port count must be an integer")
        if not 0 <= count < 2**32:
            raise ValueError("Operator dynamic port count must be in uint32 range")
        self._register(side, name, "dynamic port", call, "dynamic", count)

    def __repr__(self):
        record = _records.get(self._handle)
        return "<Operator, its callback is over>" if record is None else f"<Operator {record.name!r} of type {record.type}>"

    def __enter__(self):
        self._live()
        return self

    def __exit__(self, *exc):
        remove_record(self._handle)
        return False


def _check_name(name, what):
    if not isinstance(name, str) or not name:
        raise TypeError(f"Operator {what} name must be a non-empty string")


def create_operator(handle):
    """The Operator of a handle that add_record gave (int or ctypes.c_void_p)."""
    if handle is None:
        raise ValueError("Operator handle cannot be None")
    if isinstance(handle, ctypes.c_void_p):
        handle = handle.value
    if not handle:
        raise ValueError("Operator handle cannot be null")
    operator = object.__new__(Operator)
    operator._handle = handle
    return operator


def __getattr__(name):
    if name != "graph_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ge._capi.pygraph_wrapper import _part

    return _part.get()
