"""From what a program feeds to the arrays that a run reads: conversion, and errors that name the input."""

import numbers
import sys
from collections.abc import Mapping

import numpy as np

from ge._errors import GeKeyError, GeOverflowError, GeTypeError, GeValueError
from ge._native import lib
from ge._ports import BITS, PackedArray, pack


def _takes(model):
    return "the model takes " + (", ".join(map(repr, model._public_inputs)) or "no inputs")


def mapping(model, feed):
    """The feed as a mapping of input names to arrays."""
    if feed is None:
        return {}
    if not isinstance(feed, Mapping):
        got = type(feed).__name__
        raise GeTypeError(f"feed must be a dictionary of input names to arrays, got {got}; {_takes(model)}")
    return feed


def from_call(model, args, named):
    """The feed of m(a, b, c=d): arrays by position in the order of the inputs, then by name. One dictionary is a feed."""
    if len(args) == 1 and not named and args[0].__class__ is not np.ndarray and isinstance(args[0], Mapping):
        return args[0]
    if len(args) > len(model._public_inputs):
        raise GeTypeError(f"got {len(args)} arrays by position; {_takes(model)}")
    feed = {port.name: value for port, value in zip(model._public_inputs, args)}
    twice = [name for name in named if name in feed]
    if twice:
        raise GeTypeError(f"got input {twice[0]!r} by position and by name; {_takes(model)}")
    feed.update(named)
    return feed


def name_error(model, feed):
    """What to raise when the names of a feed are not those of the inputs."""
    names = [p.name for p in model._public_inputs]
    problems = [f"missing input {n!r}" for n in names if n not in feed]
    constants = [p.name for p in model._overridable]
    for given in feed:
        if given not in names and given not in constants:
            import difflib  # here: a start without a misspelt name does not wait for it

            near = difflib.get_close_matches(str(given), names, 1)
            problems.append(f"unknown input {given!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
    return GeKeyError(f"{'; '.join(problems)}; {_takes(model)}")


def convert(port, value):
    """An array for an input, or an error that names the input: GeTypeError or GeValueError."""
    what = f"input {port.name!r}"
    if value.__class__ is PackedArray:
        return value
    if port.dtype is None:
        raise GeTypeError(f"{what}: {port.data_type.name} has no NumPy type")
    name = None  # of an element type that NumPy does not have
    if not isinstance(value, np.ndarray):
        value, name = _array(port, value)
    elif value.__class__ is not np.ndarray and _has_masked_values(value):
        raise GeTypeError(f"{what}: got a masked array with masked values, expected an array of {port.dtype.name}")
    bits = BITS.get(port._type)
    if port._bits:
        value = _codes(port, what, value, name)
    elif name is not None or value.dtype != port._storage:
        if name is None and value.dtype.newbyteorder("=") == port._storage:
            value = value.astype(port._storage)
        elif bits is not None and bits == (name or value.dtype.name):
            value = value.view(port._storage)
        else:
            kind = f"{bits} (as {port._storage.name} bits)" if bits else port.dtype.name
            raise GeTypeError(f"{what}: got dtype {name or _dtype_name(value.dtype)}, expected {kind}")
    if port.shape is not None:
        fits = len(value.shape) == len(port.shape) and all(
            want is None or got == want for got, want in zip(value.shape, port.shape)
        )
        if not fits:
            want = str(tuple("?" if d is None else d for d in port.shape)).replace("'", "")
            raise GeValueError(f"{what}: got shape {value.shape}, expected {want}")
    if not value.flags.c_contiguous:
        value = np.ascontiguousarray(value).reshape(value.shape)
    return pack(value, port._bits) if port._bits else value


def _has_masked_values(value):
    return _is(value, "numpy.ma", "MaskedArray") and sys.modules["numpy.ma"].is_masked(value)


def _is(value, module, kind):
    """True for a value of a type of a module. Nobody has one without importing it, which takes memory and milliseconds."""
    imported = sys.modules.get(module)
    return imported is not None and isinstance(value, getattr(imported, kind))


def _codes(port, what, value, name):
    """An array for an input of which several elements share a byte: of its type of ml_dtypes, or integers that it holds."""
    if name is None and value.dtype == port.dtype != np.uint8:
        return value
    if name is not None or value.dtype.name not in ("int8", "uint8"):
        raise GeTypeError(f"{what}: got dtype {name or _dtype_name(value.dtype)}, expected {port.dtype.name} or uint8")
    _check_range(port, what, value, _signed(port) and value.dtype == np.int8)
    return value


def _signed(port):
    return port._type in (lib.C_DT_INT4, lib.C_DT_INT2)


def _check_range(port, what, value, signed):
    half = 1 << (port._bits - 1)
    low, high = (-half, half - 1) if signed else (0, 2 * half - 1)
    if value.size and not low <= int(value.min()) <= int(value.max()) <= high:
        raise GeOverflowError(f"{what}: values from {value.min()} to {value.max()}, expected {low} to {high}")


def _dtype_name(dtype):
    return dtype.name if dtype.kind in "biufcMm" else str(dtype)


def _array(port, value):
    """What is not an array (numbers, nested lists, arrays of other libraries) as an array for an input, and the name of its
    element type where NumPy has none."""
    what = f"input {port.name!r}"
    try:
        if hasattr(value, "__dlpack__"):
            try:
                from ge._dlpack import view_of

                return view_of(value)
            except Exception:
                if not _has_array(value):
                    raise
        if _has_array(value):
            return np.asarray(value), None
    except MemoryError:
        raise
    except Exception as e:  # of the other library: it is on a device, part of a gradient, …
        raise GeTypeError(f"{what}: got {type(value).__module__}.{type(value).__qualname__}: {e}") from e
    if not isinstance(value, (bool, numbers.Number, list, tuple, range, memoryview)) and not _is(value, "array", "array"):
        raise GeTypeError(f"{what}: got {type(value).__name__}, expected an array of {port.dtype.name}")
    return _numbers(port, what, value), None


def _has_array(value):
    return hasattr(value, "__array__") or hasattr(value, "__array_interface__")


def _numbers(port, what, value):
    """Numbers, nested lists and buffers as an array of the input's type, which has to hold them."""
    try:
        plain = np.asarray(value)
        if port._bits and plain.dtype.kind in "iu" and "int" in port.dtype.name:
            signed = _signed(port)
            _check_range(port, what, plain, signed)
            return plain.astype(np.int8 if signed else np.uint8)
        fits = plain.size == 0 or plain.dtype.kind == "O" or _RANKS.get(plain.dtype.kind, 9) <= _rank(port)
        if not fits:
            raise GeTypeError(f"{what}: got values of dtype {_dtype_name(plain.dtype)}, expected {port.dtype.name}")
        converted = np.asarray(value, port.dtype)
        if plain.dtype.kind in "iu" and port.dtype.kind in "iu" and not np.array_equal(plain, converted):
            raise OverflowError("a value is out of range")
    except (GeTypeError, GeOverflowError):
        raise
    except (TypeError, ValueError, OverflowError) as e:
        kinds = {TypeError: GeTypeError, OverflowError: GeOverflowError}
        kind = next((ours for theirs, ours in kinds.items() if isinstance(e, theirs)), GeValueError)
        raise kind(f"{what}: {e}, expected an array of {port.dtype.name}") from None
    return converted


def _rank(port):
    if port.dtype.kind in _RANKS:
        return _RANKS[port.dtype.kind]
    return _RANKS["i" if "int" in port.dtype.name else "f"]  # of ml_dtypes


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # a number of a lower rank may stand where a higher is expected
