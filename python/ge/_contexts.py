"""Run contexts: one thread's way through a model, from the arrays of a feed to those of the outputs."""

import numpy as np

from ge._errors import GeTypeError
from ge._feed import convert, name_error
from ge._native import NULL, check, ffi, lib
from ge._ports import Bits, unpack

_ENDLESS = 64  # shape signatures a run context remembers before it starts anew

_from_buffer = ffi.from_buffer
_empty = np.empty
_ndarray = np.ndarray


class StaticContext:
    """One thread's way through a model whose input shapes are all known."""

    def __init__(self, model):
        self.model = model
        out = ffi.new("GeRunContext **")
        check(lib.GeRunContextCreate(model._live(), out))
        self.handle = ffi.gc(out[0], lib.GeRunContextDestroy)
        self.n_in, self.n_out = len(model._inputs), len(model._outputs)
        self.ins = ffi.new("GeTensorData[]", max(self.n_in, 1))
        self.outs = ffi.new("GeTensorData[]", max(self.n_out, 1))
        self.keep = []
        self.feeds = []
        for i, port in enumerate(model._inputs):
            data = ffi.addressof(self.ins, i)
            data.data_type = port._type
            data.format = data.origin_format = lib.C_FORMAT_ND
            if port.is_static and port.dtype is not None:
                self.shape_input(data, port.shape)
                data.size = _bytes(port, port.shape)
            self.feeds.append((port.name, port, port._storage, port.shape, data))
        self.views = {p.name: p.dtype for p in model._outputs if p.dtype != p._storage and not p._bits}
        self.packed = [p for p in model._outputs if p._bits]
        self.results = []
        for i, port in enumerate(model._outputs):
            if port.dtype is None:
                raise GeTypeError(f"output {port.name!r}: {port._type.name} has no NumPy type")
            self.results.append(self.result(port, ffi.addressof(self.outs, i), port.shape if port.is_static else None))
        self.slow_runs = 0
        self.fast = None  # Runner.run of ge._runner, where all shapes and types are plain

    def shape_input(self, data, shape):
        dims = ffi.new("int64_t[]", list(shape)) if shape else NULL
        self.keep.append(dims)
        data.rank = data.origin_rank = len(shape)
        data.dims = data.origin_dims = dims

    @staticmethod
    def result(port, data, shape):
        """(name, dtype or None when elements share bytes, shape or None when only the run can tell, bytes, C description)"""
        size = 0 if shape is None else _bytes(port, shape)
        return port.name, port._storage, shape, size, data

    def runner(self):
        """The run in one call of C, or None where a shape or a type needs more than that."""
        ports = self.model._inputs
        if self.views or self.packed or any(not p.is_static or p._bits or p.dtype is not p._storage for p in ports):
            return None
        if any(r[2] is None for r in self.results):
            return None
        try:
            inputs = [(p.name, memoryview(_empty(0, p.dtype)).format, p.shape) for p in ports]
        except (ValueError, TypeError):  # a type that buffers do not have
            return None
        try:
            from ge._runner import Runner  # here: a process that runs a model once does not wait for it
        except ImportError:  # the interpreter ends
            return None
        outputs = [(name, (shape, dtype)) for name, dtype, shape, _, _ in self.results]
        addresses = (int(ffi.cast("uintptr_t", p)) for p in (self.handle, self.ins, self.outs))
        return Runner(_ndarray, _empty, *addresses, inputs, outputs).run

    def run(self, feed, call=lib.GeRun):
        self.slow_runs += 1
        if self.slow_runs == 2:
            self.fast = self.runner()
        held = []  # views of the arrays, for as long as the run lasts
        try:
            for name, port, dtype, shape, data in self.feeds:
                value = feed[name]
                if value.__class__ is not _ndarray or value.dtype is not dtype or value.shape != shape:
                    value = convert(port, value)
                try:
                    view = _from_buffer(value)
                except (ValueError, BufferError):
                    view = _from_buffer(convert(port, value))
                data.data = view
                held.append(view)
        except KeyError:
            raise name_error(self.model, feed) from None
        if len(feed) != self.n_in:
            raise name_error(self.model, feed)
        return self.execute(self.results, held, call)

    def run_with(self, state, feed, call=lib.GeRun):
        """A run that takes inputs from a state and leaves outputs there."""
        for name in state.pairs:
            if name in feed:  # begins with that
                state[name] = feed[name]
                feed = {n: v for n, v in feed.items() if n != name}
        self.signature = None  # a run without state describes its inputs anew
        held = []
        try:
            for name, port, dtype, _, data in self.feeds:
                if name in state.pairs:
                    data.data = NULL
                    continue
                value, view = _viewed(port, feed[name], dtype)
                data.data = view
                held.append(view)
                if port.is_static:
                    if value.shape != port.shape:
                        convert(port, value)  # says so
                    continue
                data.size = value.nbytes
                dims = ffi.new("int64_t[]", value.shape) if value.shape else NULL
                data.rank = data.origin_rank = len(value.shape)
                data.dims = data.origin_dims = dims
                held.append(dims)
        except KeyError:
            raise name_error(self.model, {**feed, **state.pairs}) from None
        if len(feed) + len(state.pairs) != self.n_in:
            raise name_error(self.model, {**feed, **state.pairs})
        for i in range(self.n_out):
            self.outs[i].data = NULL
        check(lib.GeRunContextSetState(self.handle, state.handle))
        try:
            status = call(self.handle, self.ins, self.n_in, self.outs, self.n_out)
            if status != 0:
                check(status)
        finally:
            lib.GeRunContextSetState(self.handle, NULL)
        kept = state.key[1]
        outputs = {r[0]: _copied(r) for r in self.results if r[0] not in kept}
        for name, dtype in self.views.items():
            if name in outputs:
                outputs[name] = outputs[name].view(dtype, Bits)
        return outputs

    def execute(self, results, held, call):
        outputs = {}
        for name, dtype, shape, size, data in results:
            if shape is None:
                data.data = NULL
                data.size = 0
            else:
                result = _empty(size, np.uint8) if dtype is None else _empty(shape, dtype)
                view = _from_buffer(result)
                data.data = view
                data.size = size
                held.append(view)
                outputs[name] = result
        status = call(self.handle, self.ins, self.n_in, self.outs, self.n_out)
        if status != 0:
            check(status)
        if len(outputs) != self.n_out:
            outputs = {r[0]: outputs[r[0]] if r[2] is not None else _copied(r) for r in results}
        for port in self.packed:
            shape = next(_shape(r[4]) if r[2] is None else r[2] for r in results if r[0] == port.name)
            outputs[port.name] = unpack(outputs[port.name], shape, port)
        if self.views:
            for name, dtype in self.views.items():
                outputs[name] = outputs[name].view(dtype, Bits)
        return outputs


def _viewed(port, value, dtype):
    """An input as the port takes it, and a view of its memory that keeps it."""
    if value.__class__ is not _ndarray or value.dtype is not dtype:
        value = convert(port, value)
    try:
        return value, _from_buffer(value)
    except (ValueError, BufferError):
        value = convert(port, value)
        return value, _from_buffer(value)


class DynamicContext(StaticContext):
    """One thread's way through a model with open shapes: results are prepared once per set of input shapes."""

    def __init__(self, model):
        super().__init__(model)
        self.signature = None
        self.prepared = {}  # signature -> (input dims, results)

    def run(self, feed, call=lib.GeRun):
        held, shapes = [], []
        try:
            for name, port, dtype, _, data in self.feeds:
                value = feed[name]
                if value.__class__ is not _ndarray or value.dtype is not dtype:
                    value = convert(port, value)
                try:
                    view = _from_buffer(value)
                except (ValueError, BufferError):
                    value = convert(port, value)
                    view = _from_buffer(value)
                data.data = view
                data.size = value.nbytes
                held.append(view)
                shapes.append(value.shape if dtype is not None else value.elements)
        except KeyError:
            raise name_error(self.model, feed) from None
        if len(feed) != self.n_in:
            raise name_error(self.model, feed)
        signature = tuple(shapes)
        if signature != self.signature:
            self.signature = None  # stays so when preparing fails
            self.switch(signature, feed)
            self.signature = signature
        return self.execute(self.results, held, call)

    def switch(self, signature, feed):
        found = self.prepared.get(signature)
        if found is None:
            for name, port, _, _, _ in self.feeds:
                convert(port, feed[name])  # checks the shape
            self.keep = []
            for (_, _, _, _, data), shape in zip(self.feeds, signature):
                self.shape_input(data, shape)
            check(lib.GeRunContextPrepare(self.handle, self.ins, self.n_in, self.outs, self.n_out))
            results = []
            for i, port in enumerate(self.model._outputs):
                data = ffi.addressof(self.outs, i)
                shape = _shape(data)
                results.append(self.result(port, data, None if shape is None or -1 in shape else shape))
            if len(self.prepared) >= _ENDLESS:
                self.prepared.clear()
            self.prepared[signature] = (self.keep, results)
            self.results = results
            return
        dims, self.results = found
        for (_, _, _, _, data), shape, d in zip(self.feeds, signature, dims):
            data.rank = data.origin_rank = len(shape)
            data.dims = data.origin_dims = d
        self.keep = dims


def _bytes(port, shape):
    return -(-_count(shape) * port._bits // 8) if port._bits else port.dtype.itemsize * _count(shape)


class ValuesContext(DynamicContext):
    """One thread's way through a model with values that are no tensors."""

    def run(self, feed, call=lib.GeRun):
        values = self.model._values
        return values.collapse(super().run(values.expand(self.model, feed), call))

    def run_with(self, state, feed, call=lib.GeRun):
        values = self.model._values
        tensors = super().run_with(state, values.expand(self.model, feed, state.pairs), call)
        return values.collapse(tensors, state.key[1])


def _count(shape):
    count = 1
    for dim in shape:
        count *= dim
    return count


def _shape(data):
    return tuple(data.dims[i] for i in range(data.rank)) if data.rank >= 0 else None


def _copied(result):
    """An output the engine placed in its own memory, as an array of the caller's."""
    _, dtype, _, _, data = result
    copy = _empty(data.size, np.uint8) if dtype is None else _empty(_shape(data), dtype)
    if copy.nbytes:
        ffi.memmove(_from_buffer(copy), data.data, copy.nbytes)
    return copy
