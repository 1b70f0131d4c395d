"""The front door: load a model, run it with NumPy arrays, look at what became of it."""

import array
import difflib
import errno
import functools
import json
import numbers
import os
import threading
from collections.abc import Mapping

import numpy as np

from ge._native import NULL, collect, ffi, last_error, lib, text
from ge._options import plain
from ge._tables import MemoryPlan, Placement, Profile, Report
from ge.error import GeError, GeValueError
from ge.graph.types import DataType

_DTYPES = {
    DataType.DT_FLOAT: np.dtype(np.float32),
    DataType.DT_FLOAT16: np.dtype(np.float16),
    DataType.DT_DOUBLE: np.dtype(np.float64),
    DataType.DT_INT8: np.dtype(np.int8),
    DataType.DT_INT16: np.dtype(np.int16),
    DataType.DT_INT32: np.dtype(np.int32),
    DataType.DT_INT64: np.dtype(np.int64),
    DataType.DT_UINT8: np.dtype(np.uint8),
    DataType.DT_UINT16: np.dtype(np.uint16),
    DataType.DT_UINT32: np.dtype(np.uint32),
    DataType.DT_UINT64: np.dtype(np.uint64),
    DataType.DT_BOOL: np.dtype(np.bool_),
    DataType.DT_COMPLEX64: np.dtype(np.complex64),
    DataType.DT_COMPLEX128: np.dtype(np.complex128),
    # Types that NumPy lacks travel as raw bits inside. Arrays of these types of ml_dtypes are taken as input, too.
    DataType.DT_BF16: np.dtype(np.uint16),
    DataType.DT_FLOAT8_E5M2: np.dtype(np.uint8),
    DataType.DT_FLOAT8_E4M3FN: np.dtype(np.uint8),
}
_BITS = {
    DataType.DT_BF16: "bfloat16",
    DataType.DT_FLOAT8_E5M2: "float8_e5m2",
    DataType.DT_FLOAT8_E4M3FN: "float8_e4m3fn",
}
_ENDLESS = 64  # shape signatures a run context remembers before it starts anew

_from_buffer = ffi.from_buffer
_empty = np.empty
_ndarray = np.ndarray


@functools.lru_cache(None)
def _bfloat16():
    """The type of bfloat16 arrays: that of the package ml_dtypes where it is installed, else uint16 with the bits."""
    try:
        import ml_dtypes
    except ImportError:
        return _DTYPES[DataType.DT_BF16]
    return np.dtype(ml_dtypes.bfloat16)


def load(model, options=None) -> "Model":
    """Compiles a model and returns it ready to run.

    model: path of an ONNX file, of a TensorFlow graph (.pb, .pbtxt), or of an offline model (.om); the bytes of one; or a
        ge.graph.Graph.
    options: for example {"threads": 2, "precision": "fp32"}; ge.options() lists them all. Of a TensorFlow graph,
        "ge.outputNodeName" names the outputs ("node:0;other:1"), "ge.inputShape" shapes of inputs.
    """
    filled = _options(options)
    out = ffi.new("GeModel **")
    if isinstance(model, (str, os.PathLike)):
        path = os.fsdecode(model)
        if "\0" in path:
            raise ValueError(f"the path {path!r} holds a null character")
        status = lib.GeCompileFile(os.fsencode(path), filled, out)
        if status != 0 and os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, "expected a model file, found a folder", path)
        if status != 0 and not os.path.exists(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    elif isinstance(model, (bytes, bytearray, memoryview)):
        if isinstance(model, memoryview) and not model.c_contiguous:
            model = model.tobytes()
        raw = _from_buffer(model)
        status = lib.GeCompileBuffer(raw, len(raw), NULL, filled, out)
    else:
        from ge.graph.graph import Graph

        if not isinstance(model, Graph):
            raise TypeError(f"ge.load takes a path, bytes or a ge.graph.Graph, got {type(model).__name__}")
        status = lib.GeCompile(model._live(), filled, out)
    _check(status)
    loaded = Model(ffi.gc(out[0], lib.GeModelDestroy), _key=_KEY)
    if loaded._overridable:
        source = os.path.abspath(path) if isinstance(model, (str, os.PathLike)) else bytes(model)
        loaded._source = source, dict(options or {})
    return loaded


def options():
    """The options ge.load knows: [{"key", "values", "default", "effect", "doc"}, …].

    `effect` says what another value than the default does here: "acts", "nothing to do on a CPU", "not there: warns" or
    "not there: refused".
    """
    fields = [ffi.new("const char **") for _ in range(5)]
    rows = []
    for i in range(lib.GeOptionCount()):
        if lib.GeOptionAt(i, *fields) == 0:
            rows.append(dict(zip(("key", "values", "default", "effect", "doc"), (text(f[0]) for f in fields))))
    return rows


def engines():
    """The engines of this installation by cost: [{"name", "version", "path", "cost", "error"}, …]."""
    info = ffi.new("GeEngineInfo *", {"struct_size": ffi.sizeof("GeEngineInfo")})
    rows = []
    for i in range(lib.GeEngineCount()):
        if lib.GeEngineAt(i, info) == 0:
            rows.append(
                {
                    "name": text(info.name),
                    "version": text(info.version),
                    "path": text(info.path),
                    "cost": info.cost,
                    "error": text(info.error),
                }
            )
    return rows


def _options(options):
    if not options:
        return NULL
    if not isinstance(options, dict):
        raise TypeError(f"options must be a dictionary, got {type(options).__name__}")
    out = ffi.new("GeOptions **")
    _check(lib.GeOptionsCreate(out))
    handle = ffi.gc(out[0], lib.GeOptionsDestroy)
    for key, value in options.items():
        if not isinstance(key, str):
            raise TypeError(f"option names are text, got {key!r}")
        value = plain(key, value)
        if "\0" in key + value:
            raise ValueError(f"option {key!r} holds a null character")
        status = lib.GeOptionsSet(handle, key.encode(), value.encode())
        if status != 0:
            message = last_error()
            if message == f"unknown option '{key}'":  # and nothing near it
                lib.GeSetLastError(status, f"{message}; ge.options() lists all there are".encode())
            _check(status)
    return handle


def _check(status):
    if status == 0:
        return
    message = last_error() or text(lib.GeStatusName(status))
    kind = GeError
    if status in (lib.GE_OPTION_INVALID, lib.GE_DATA_MISMATCH, lib.GE_PARAM_INVALID):
        kind = GeValueError
    if status == lib.GE_OUT_OF_MEMORY:
        raise MemoryError(message)
    raise kind(message, message, code=status)


class Port:
    """An input or output of a model."""

    __slots__ = ("name", "data_type", "dtype", "shape", "is_static", "_storage")

    def __init__(self, name, data):
        self.name = name
        self.data_type = DataType(data.data_type)
        self._storage = _DTYPES.get(self.data_type)  # what crosses the C edge
        self.dtype = _bfloat16() if self.data_type == DataType.DT_BF16 else self._storage
        known = data.rank >= 0
        self.shape = tuple(None if data.dims[i] < 0 else data.dims[i] for i in range(data.rank)) if known else None
        self.is_static = known and None not in self.shape

    def __repr__(self):
        kind = self.data_type.name[3:].lower() if self.dtype is None else self.dtype.name
        shape = "[…]" if self.shape is None else str(["?" if d is None else d for d in self.shape]).replace("'", "")
        return f"{self.name}: {kind}{shape}"


_KEY = object()


class Model:
    """A compiled model. Runs may come from any number of threads at once."""

    def __init__(self, handle=None, *, _key=None):
        if _key is not _KEY:
            raise TypeError("use ge.load to make a Model")
        self._handle = handle
        self._inputs = self._ports(lib.GeModelInputCount, lib.GeModelGetInput)
        self._outputs = self._ports(lib.GeModelOutputCount, lib.GeModelGetOutput)
        static = all(p.is_static for p in self._inputs)
        self._context = _StaticContext if static else _DynamicContext
        self._pool = []  # contexts no thread is using
        self._overridable = self._ports(lib.GeModelOverridableCount, lib.GeModelGetOverridable)
        self._source = None  # what to compile again when one of them is fed, and the options
        self._variants = {}  # overridden names -> model that takes them as inputs
        self._lock = threading.Lock()

    def _ports(self, count, get):
        name, data = ffi.new("const char **"), ffi.new("GeTensorData *")
        ports = []
        handle = self._live()
        for i in range(count(handle)):
            _check(get(handle, i, name, data))
            ports.append(Port(text(name[0]), data))
        return ports

    def _live(self):
        if self._handle is None:
            raise RuntimeError("the model is closed")
        return self._handle

    def close(self):
        """Gives up weights and memory; runs that are under way in other threads end first. Later use is an error."""
        self._handle = None
        self._pool.clear()
        with self._lock:
            self._variants.clear()

    def __enter__(self):
        self._live()
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def inputs(self):
        """The inputs in index order."""
        return list(self._inputs)

    @property
    def outputs(self):
        """The outputs in index order."""
        return list(self._outputs)

    @property
    def overridable_initializers(self):
        """Initializers that the ONNX graph lists as inputs, too: constants, unless they are fed."""
        return list(self._overridable)

    def _with_inputs(self, feed):
        """The model for a feed that may name overridable initializers: one more is compiled for each set of names."""
        names = tuple(p.name for p in self._overridable if p.name in feed)
        if not names or self._source is None:
            return self
        self._live()
        with self._lock:
            variant = self._variants.get(names)
            if variant is None:
                source, options = self._source
                # The line break at the end says that names are separated by line breaks.
                variant = load(source, {**options, "input_initializers": "\n".join(names) + "\n"})
                variant._source = None
                self._variants[names] = variant
        return variant

    def run(self, feed=None):
        """Runs once: {input name: array} in, {output name: array} out.

        C-contiguous arrays of the right type are read where they are; others of the right type are copied first. The
        returned arrays are the caller's. Overridable initializers may be fed as well; the first time a set of them is,
        the model is read and compiled again with these as inputs.
        """
        if feed.__class__ is not dict:
            feed = self._feed(feed)
        if self._handle is None:
            self._live()
        if self._overridable and len(feed) > len(self._inputs):
            model = self._with_inputs(feed)
            if model is not self:
                return model.run(feed)
        try:
            context = self._pool.pop()
        except IndexError:
            context = self._context(self)
        try:
            return context.run(feed)
        finally:
            if self._handle is not None:
                self._pool.append(context)

    def profile(self, feed=None) -> Profile:
        """Runs once and records one event per kernel."""
        feed = self._feed(feed)
        model = self._with_inputs(feed)
        if model is not self:
            return model.profile(feed)
        context = self._context(self)
        pieces = []
        outputs = context.run(feed)  # plans, so that the profile shows a warm run
        handle = ffi.new_handle(pieces)
        outputs = context.run(
            feed,
            lambda c, i, n, o, m: lib.GeRunProfiled(c, i, n, o, m, lib.ge_py_text, handle),
        )
        return Profile(json.loads(b"".join(pieces) or b"{}"), outputs)

    def html_report(self, feed=None) -> Report:
        """Runs once and tells about it on one HTML page: the graph with engines, a timeline, the memory plan, a roofline
        and why engines were chosen or refused. The page needs neither scripts nor a network; `save` writes it. It shows a
        warm run, and the first page of a process measures what the machine can do (a fraction of a second)."""
        feed = self._feed(feed)
        model = self._with_inputs(feed)
        if model is not self:
            return model.html_report(feed)
        context = self._context(self)
        pieces = []
        context.run(feed)
        context.run(feed)
        handle = ffi.new_handle(pieces)
        context.run(feed, lambda c, i, n, o, m: lib.GeRunReport(c, i, n, o, m, lib.ge_py_text, handle))
        return Report(b"".join(pieces).decode())

    def placement(self) -> Placement:
        """Where every node runs, and why not on an engine that was asked before."""
        row = ffi.new("GePlacement *", {"struct_size": ffi.sizeof("GePlacement")})
        rows = []
        handle = self._live()
        for i in range(lib.GeModelPlacementCount(handle)):
            _check(lib.GeModelGetPlacement(handle, i, row))
            refusals = dict(line.split(": ", 1) for line in text(row.refusals).splitlines() if ": " in line)
            rows.append(
                {
                    "node": text(row.node),
                    "type": text(row.type),
                    "engine": text(row.engine),
                    "implementation": text(row.implementation),
                    "origins": [o for o in text(row.origins).split(",") if o],
                    "refusals": refusals,
                    "flops": row.flops,
                }
            )
        return Placement(rows)

    def _describe(self, what):
        status, description = collect(lib.GeModelDescribe, self._live(), what)
        _check(status)
        return description

    def report(self):
        """Inputs, outputs, placement, passes, memory and the options in effect, as a dictionary."""
        return json.loads(self._describe(lib.GE_MODEL_REPORT))

    def graph(self, format="readable", placed=False):
        """The compiled graph as text: "readable", "dot" or "svg". `placed`: with engines and copies (placed_graph)."""
        formats = {
            "readable": (lib.GE_MODEL_GRAPH, lib.GE_DUMP_READABLE),
            "dot": (lib.GE_MODEL_GRAPH_DOT, lib.GE_DUMP_DOT),
            "svg": (lib.GE_MODEL_GRAPH_SVG, lib.GE_DUMP_SVG),
        }
        if format not in formats:
            raise ValueError(f"format {format!r} is none of {', '.join(formats)}")
        if not placed:
            return self._describe(formats[format][0])
        status, description = collect(lib.GeGraphDump, self.placed_graph()._live(), formats[format][1])
        _check(status)
        return description

    def placed_graph(self):
        """A copy of the compiled graph (ge.graph.Graph) in which nodes say where they run: attributes "_engine",
        "_implementation", "_refusals", "_memory" (unless it is the host's). A value that is copied from one memory to
        another passes a TensorMove. Large weights of a model that was loaded from a file may have lost their content; such
        a graph is not compiled again."""
        from ge.graph import Graph  # a program that only runs models does without

        out = ffi.new("GeGraph **")
        _check(lib.GeModelClonePlacedGraph(self._live(), out))
        return Graph._create_from(out[0])

    @property
    def memory_plan(self) -> MemoryPlan:
        """The arenas of the newest plan, the host's and those of engines: which tensor lies where, and when."""
        return MemoryPlan(self._describe(lib.GE_MODEL_MEMORY_SVG), json.loads(self._describe(lib.GE_MODEL_MEMORY_JSON)))

    def __repr__(self):
        return f"<ge.Model({', '.join(map(repr, self._inputs))}) -> ({', '.join(map(repr, self._outputs))})>"

    # ---- errors about what was fed ----

    def _takes(self):
        return "the model takes " + (", ".join(map(repr, self._inputs)) or "no inputs")

    def _feed(self, feed):
        if feed is None:
            return {}
        if not isinstance(feed, Mapping):
            got = type(feed).__name__
            raise TypeError(f"feed must be a dictionary of input names to arrays, got {got}; {self._takes()}")
        return feed

    def _name_error(self, feed):
        names = [p.name for p in self._inputs]
        problems = [f"missing input {n!r}" for n in names if n not in feed]
        constants = [p.name for p in self._overridable]
        for given in feed:
            if given not in names and given not in constants:
                near = difflib.get_close_matches(str(given), names, 1)
                problems.append(f"unknown input {given!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
        return ValueError(f"{'; '.join(problems)}; {self._takes()}")

    def _convert(self, port, value):
        """An array for an input, or TypeError / ValueError that names the input."""
        if port.dtype is None:
            raise TypeError(f"input {port.name!r}: {port.data_type.name} has no NumPy type")
        if not isinstance(value, _ndarray):
            value = _array(port, value)
        elif isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
            raise TypeError(
                f"input {port.name!r}: got a masked array with masked values, expected an array of {port.dtype.name}"
            )
        if value.dtype != port._storage:
            if value.dtype.newbyteorder("=") == port._storage:
                value = value.astype(port._storage)
            elif _BITS.get(port.data_type) == value.dtype.name:
                value = value.view(port._storage)
            else:
                bits = _BITS.get(port.data_type)
                kind = f"{bits} (as {port._storage.name} bits)" if bits else port.dtype.name
                raise TypeError(f"input {port.name!r}: got dtype {_dtype_name(value.dtype)}, expected {kind}")
        if port.shape is not None:
            fits = len(value.shape) == len(port.shape) and all(
                want is None or got == want for got, want in zip(value.shape, port.shape)
            )
            if not fits:
                want = str(tuple("?" if d is None else d for d in port.shape)).replace("'", "")
                raise ValueError(f"input {port.name!r}: got shape {value.shape}, expected {want}")
        if not value.flags.c_contiguous:
            value = np.ascontiguousarray(value).reshape(value.shape)
        return value


def _dtype_name(dtype):
    return dtype.name if dtype.kind in "biufcMm" else str(dtype)


def _array(port, value):
    """What is not an array (numbers, nested lists, arrays of other libraries) as an array for an input."""
    what = f"input {port.name!r}"
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if not isinstance(value, (bool, numbers.Number, list, tuple, range, memoryview, array.array)):
        raise TypeError(f"{what}: got {type(value).__name__}, expected an array of {port.dtype.name}")
    try:
        plain = np.asarray(value)
        fits = plain.size == 0 or plain.dtype.kind == "O" or _RANKS.get(plain.dtype.kind, 9) <= _rank(port)
        if not fits:
            raise TypeError(f"{what}: got values of dtype {_dtype_name(plain.dtype)}, expected {port.dtype.name}")
        converted = np.asarray(value, port.dtype)
        if plain.dtype.kind in "iu" and port.dtype.kind in "iu" and not np.array_equal(plain, converted):
            raise OverflowError("a value is out of range")
    except (TypeError, ValueError, OverflowError) as e:
        if str(e).startswith(what):
            raise
        raise type(e)(f"{what}: {e}, expected an array of {port.dtype.name}") from None
    return converted


def _rank(port):
    return _RANKS["f"] if port.dtype.name == "bfloat16" else _RANKS[port.dtype.kind]


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  # a number of a lower rank may stand where a higher is expected


class _StaticContext:
    """One thread's way through a model whose input shapes are all known."""

    def __init__(self, model):
        self.model = model
        out = ffi.new("GeRunContext **")
        _check(lib.GeRunContextCreate(model._live(), out))
        self.handle = ffi.gc(out[0], lib.GeRunContextDestroy)
        self.n_in, self.n_out = len(model._inputs), len(model._outputs)
        self.ins = ffi.new("GeTensorData[]", max(self.n_in, 1))
        self.outs = ffi.new("GeTensorData[]", max(self.n_out, 1))
        self.keep = []
        self.feeds = []
        for i, port in enumerate(model._inputs):
            data = ffi.addressof(self.ins, i)
            data.data_type = port.data_type
            data.format = data.origin_format = lib.C_FORMAT_ND
            if port.is_static and port.dtype is not None:
                self.shape_input(data, port.shape)
                data.size = port.dtype.itemsize * _count(port.shape)
            self.feeds.append((port.name, port, port._storage, port.shape, data))
        self.views = {p.name: p.dtype for p in model._outputs if p.dtype != p._storage}
        self.results = []
        for i, port in enumerate(model._outputs):
            if port.dtype is None:
                raise TypeError(f"output {port.name!r}: {port.data_type.name} has no NumPy type")
            self.results.append(self.result(port, ffi.addressof(self.outs, i), port.shape if port.is_static else None))

    def shape_input(self, data, shape):
        dims = ffi.new("int64_t[]", list(shape)) if shape else NULL
        self.keep.append(dims)
        data.rank = data.origin_rank = len(shape)
        data.dims = data.origin_dims = dims

    @staticmethod
    def result(port, data, shape):
        """(name, dtype, shape or None when only the run can tell, bytes, C description)"""
        size = 0 if shape is None else port.dtype.itemsize * _count(shape)
        return port.name, port._storage, shape, size, data

    def run(self, feed, call=lib.GeRun):
        held = []  # views of the arrays, for as long as the run lasts
        try:
            for name, port, dtype, shape, data in self.feeds:
                value = feed[name]
                if value.__class__ is not _ndarray or value.dtype is not dtype or value.shape != shape:
                    value = self.model._convert(port, value)
                try:
                    view = _from_buffer(value)
                except (ValueError, BufferError):
                    view = _from_buffer(self.model._convert(port, value))
                data.data = view
                held.append(view)
        except KeyError:
            raise self.model._name_error(feed) from None
        if len(feed) != self.n_in:
            raise self.model._name_error(feed)
        return self.execute(self.results, held, call)

    def execute(self, results, held, call):
        outputs = {}
        for name, dtype, shape, size, data in results:
            if shape is None:
                data.data = NULL
                data.size = 0
            else:
                result = _empty(shape, dtype)
                view = _from_buffer(result)
                data.data = view
                data.size = size
                held.append(view)
                outputs[name] = result
        status = call(self.handle, self.ins, self.n_in, self.outs, self.n_out)
        if status != 0:
            _check(status)
        if len(outputs) != self.n_out:
            outputs = {r[0]: outputs[r[0]] if r[2] is not None else _copied(r) for r in results}
        if self.views:
            for name, dtype in self.views.items():
                outputs[name] = outputs[name].view(dtype)
        return outputs


class _DynamicContext(_StaticContext):
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
                    value = self.model._convert(port, value)
                try:
                    view = _from_buffer(value)
                except (ValueError, BufferError):
                    value = self.model._convert(port, value)
                    view = _from_buffer(value)
                data.data = view
                data.size = value.nbytes
                held.append(view)
                shapes.append(value.shape)
        except KeyError:
            raise self.model._name_error(feed) from None
        if len(feed) != self.n_in:
            raise self.model._name_error(feed)
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
                self.model._convert(port, feed[name])  # checks the shape
            self.keep = []
            for (_, _, _, _, data), shape in zip(self.feeds, signature):
                self.shape_input(data, shape)
            _check(lib.GeRunContextPrepare(self.handle, self.ins, self.n_in, self.outs, self.n_out))
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
    shape = _shape(data)
    copy = _empty(shape, dtype)
    if copy.nbytes:
        ffi.memmove(_from_buffer(copy), data.data, copy.nbytes)
    return copy
