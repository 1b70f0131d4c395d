"""The front door: load a model, run it with NumPy arrays, look at what became of it."""

import math
import numbers
import threading
import time

import ge  # for the annotation of Model.state, whose module few need
from ge._contexts import DynamicContext, StaticContext, ValuesContext
from ge._errors import GeTypeError, GeValueError
from ge._feed import from_call, mapping
from ge._native import NULL, callback, collect, ffi, last_error, lib, text, watch_signals, whole
from ge._native import check as _check
from ge._options import plain
from ge._plugins import before_compile, load_files
from ge._ports import Port
from ge._source import source_of


def load(model, options=None, *, precision=None, keep_source=None) -> "Model":
    """Compiles a model and returns it ready to run.

    model: path of an ONNX file, of a TensorFlow graph (.pb, .pbtxt), or of an offline model (.om); the bytes of one; an
        onnx.ModelProto (or a GraphDef of TensorFlow); or a ge.graph.Graph.
    options: for example {"threads": 2, "precision": "int8_weights"}; ge.options() lists them all. Of a TensorFlow
        graph, "ge.outputNodeName" names the outputs ("node:0;other:1"), "ge.inputShape" shapes of inputs.
    precision: the option of this name: "fp32", "fp16_weights", "int8_weights", "int4_weights" …
    keep_source: whether the model keeps the bytes or the graph it was loaded from, which pickling it needs. None: bytes up
        to 64 MiB, and graphs, whose weights it shares. Of a file it keeps the path alone: pickling reads it again.
    """
    before_compile()
    watch_signals()  # the package may have been imported on another thread
    options = _with_precision(options, precision)
    filled = _options(options)
    if options and "passes" in options:
        load_files(plain("passes", options["passes"]))
    source = source_of(model, keep_source)
    out = ffi.new("GeModel **")
    _check(source.compile(filled, out))
    return Model(ffi.gc(out[0], lib.GeModelDestroy), _key=_KEY, _source=(source, dict(options or {})))


load.__module__ = "ge"  # pickles name it so


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
    """The engines of this installation by cost: [{"name", "version", "path", "cost", "error", "libraries"}, …].

    `libraries` names what an engine has opened because a kernel needed it: oneDNN, for example.
    """
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
                    "libraries": text(info.libraries),
                }
            )
    return rows


def _with_precision(options, precision):
    if precision is None:
        return options
    if not isinstance(precision, str):
        raise GeTypeError(f"precision must be text, got {type(precision).__name__}")
    if options and not isinstance(options, dict):
        return options  # refused where options are read
    if options and "precision" in options:
        raise GeValueError("precision is given twice: as a keyword and in options")
    return {**(options or {}), "precision": precision}


def _options(options):
    if not options:
        return NULL
    if not isinstance(options, dict):
        raise GeTypeError(f"options must be a dictionary, got {type(options).__name__}")
    out = ffi.new("GeOptions **")
    _check(lib.GeOptionsCreate(out))
    handle = ffi.gc(out[0], lib.GeOptionsDestroy)
    for key, value in options.items():
        if not isinstance(key, str):
            raise GeTypeError(f"option names are text, got {key!r}")
        value = plain(key, value)
        if "\0" in key + value:
            raise GeValueError(f"option {key!r} holds a null character")
        status = lib.GeOptionsSet(handle, key.encode(), value.encode())
        if status != 0:
            message = last_error()
            if message == f"unknown option '{key}'":  # and nothing near it
                lib.GeSetLastError(status, f"{message}; ge.options() lists all there are".encode())
            _check(status)
    return handle


_KEY = object()


def _milliseconds(timeout):
    """Of a time in seconds; 0 is no limit to the library, which infinity is here."""
    if isinstance(timeout, bool) or not isinstance(timeout, numbers.Real):
        raise GeTypeError(f"timeout is a number of seconds, got {timeout!r}")
    if not timeout > 0:
        raise GeValueError(f"timeout is {timeout}, expected more than 0 seconds")
    return min(math.ceil(timeout * 1000), 2**62) if math.isfinite(timeout) else 0


def _state_of_thread(model, given):
    from ge._state import of_thread  # a program without state does without the module

    return of_thread(model, given)


class Model:
    """A compiled model. Runs may come from any number of threads at once."""

    def __init__(self, handle=None, *, _key=None, _source=None):
        if _key is not _KEY:
            raise TypeError("use ge.load to make a Model")
        self._handle = handle
        self._inputs = self._ports(lib.GeModelInputCount, lib.GeModelGetInput)
        self._outputs = self._ports(lib.GeModelOutputCount, lib.GeModelGetOutput)
        static = all(p.is_static for p in self._inputs)
        self._values = self._values_that_are_no_tensors()
        # As a program sees them; _inputs and _outputs are the tensors.
        self._public_inputs = self._values.inputs if self._values else self._inputs
        self._public_outputs = self._values.outputs if self._values else self._outputs
        self._context = ValuesContext if self._values else StaticContext if static else DynamicContext
        self._pool = []  # contexts no thread is using
        self._overridable = self._ports(lib.GeModelOverridableCount, lib.GeModelGetOverridable)
        self._source = _source  # what to compile again when one of them is fed, or for a pickle; and the options
        self._is_variant = False
        self._variants = {}  # overridden names -> model that takes them as inputs
        self._lock = threading.Lock()
        self._thread_states = threading.local()  # of runs that name their state

    def _ports(self, count, get):
        name, data = ffi.new("const char **"), ffi.new("GeTensorData *")
        ports = []
        handle = self._live()
        for i in range(count(handle)):
            _check(get(handle, i, name, data))
            ports.append(Port(text(name[0]), data))
        return ports

    def _values_that_are_no_tensors(self):
        described = self._describe(lib.GE_MODEL_VALUES)
        if '"kind"' not in described:  # most models: no reason to import what knows them
            return None
        from ge._values import values_of

        return values_of(described, self._inputs, self._outputs)

    def _live(self):
        if self._handle is None:
            raise RuntimeError("the model is closed")
        return self._handle

    def close(self):
        """Gives up weights and memory; runs that are under way in other threads end first. Later use is an error."""
        self._handle = None
        self._source = None
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
        return list(self._public_inputs)

    @property
    def outputs(self):
        """The outputs in index order."""
        return list(self._public_outputs)

    @property
    def overridable_initializers(self):
        """Initializers that the ONNX graph lists as inputs, too: constants, unless they are fed."""
        return list(self._overridable)

    def _with_inputs(self, feed):
        """The model for a feed that may name overridable initializers: one more is compiled for each set of names."""
        names = tuple(p.name for p in self._overridable if p.name in feed)
        if not names or self._is_variant:
            return self
        source = self._source
        self._live()
        with self._lock:
            variant = self._variants.get(names)
            if variant is None:
                source, options = source
                # The line break at the end says that names are separated by line breaks.
                variant = load(source.again(), {**options, "input_initializers": "\n".join(names) + "\n"})
                variant._is_variant = True
                self._variants[names] = variant
        return variant

    def state(self, pairs, *, capacity=0, limit=None, axis=-2) -> "ge.State":
        """State that stays between runs: {input name: output name}, each input being what the output was in the run before.

        It is empty at first (extent 0 along `axis`, where the model leaves that open), and is given to `run`, which neither
        takes these inputs nor returns these outputs. A cache that a step appends to is written in place: no step copies it.

        capacity: room along the axis from the beginning; more is made when it is needed. limit: a run that would make it
            longer is refused. axis: that grows; -2 is that of [batch, heads, length, size].
        """
        from ge._state import make

        return make(self, pairs, capacity, limit, axis)

    def run(self, feed=None, *, state=None, timeout=None):
        """Runs once: {input name: array} in, {output name: array} out.

        Arrays are those of NumPy, and of every library that speaks DLPack (PyTorch, JAX, CuPy's host memory). C-contiguous
        ones of the right type are read where they are; others of the right type are copied first. The returned arrays are
        NumPy's and the caller's. Overridable initializers may be fed as well; the first time a set of them is, the model is
        read and compiled again with these as inputs.

        state: made by `state`, or such a dictionary of names, whose state is then the calling thread's: inputs that come from
            the run before, outputs that stay for the next. An input of it that is fed all the same is what it begins with.
        timeout: seconds that the run may take. One that is not done then ends before its next kernel and raises GeTimeoutError,
            which is a TimeoutError. Ctrl-C ends a run as soon. The model stays usable.
        """
        if timeout is not None:
            return self._run_within(timeout, feed, state)
        if state is not None:
            return self._run_with(state, feed)
        if feed.__class__ is not dict:
            feed = mapping(self, feed)
        if self._handle is None:
            self._live()
        if self._overridable and len(feed) > len(self._public_inputs):
            model = self._with_inputs(feed)
            if model is not self:
                return model.run(feed)
        try:  # _take and _give_back, without the calls
            context = self._pool.pop()
        except IndexError:
            context = self._context(self)
        try:
            if context.fast is not None:
                outputs = context.fast(feed)
                if outputs.__class__ is dict:
                    return outputs
                if outputs is not None:
                    _check(outputs)
            return context.run(feed)
        finally:
            if self._handle is not None:
                self._pool.append(context)

    def _run_with(self, state, feed):
        self._live()
        feed = mapping(self, feed)
        state = _state_of_thread(self, state)
        context = self._take()
        try:
            return context.run_with(state, feed)
        finally:
            self._give_back(context)

    def _run_within(self, timeout, feed, state=None):
        limit = _milliseconds(timeout)
        end = time.monotonic() + timeout
        feed = mapping(self, feed)
        self._live()
        model = self._with_inputs(feed) if state is None else self
        if state is not None:
            state = _state_of_thread(self, state)
        context = model._take()
        try:
            _check(lib.GeRunContextSetTimeLimit(context.handle, limit))

            def run_in_what_is_left(handle, *arguments):  # planning for new sizes was part of it
                if limit:
                    left = max(1, math.ceil((end - time.monotonic()) * 1000))
                    _check(lib.GeRunContextSetTimeLimit(handle, min(left, limit)))
                return lib.GeRun(handle, *arguments)

            if state is not None:
                return context.run_with(state, feed, run_in_what_is_left)
            return context.run(feed, run_in_what_is_left)
        finally:
            lib.GeRunContextSetTimeLimit(context.handle, 0)
            model._give_back(context)

    def _take(self):
        """A context that no other thread uses."""
        try:
            return self._pool.pop()
        except IndexError:
            return self._context(self)

    def _give_back(self, context):
        if self._handle is not None:
            self._pool.append(context)

    def __call__(self, /, *args, **named):
        """Runs once, with arrays by position in the order of the inputs, by name, or as one dictionary: m(x), m(x, y=z),
        m({"x:0": x}). Returns the output's array; of a model with several outputs a tuple in their order."""
        outputs = self.run(from_call(self, args, named))
        return next(iter(outputs.values())) if len(outputs) == 1 else tuple(outputs[p.name] for p in self._public_outputs)

    async def run_async(self, feed=None, *, state=None):
        """`run` for programs with asyncio: runs on a thread of the event loop's executor while others go on.

        Cancelling it (also by asyncio.wait_for) raises CancelledError at once. A run that has not begun is dropped; one that
        is under way ends where the library can end it, else its results are dropped. Until it has ended it reads the fed
        arrays, and writes those that the graph changes in place.
        """
        from ge._async import run  # imports asyncio

        return await run(self, feed, state if state is None else _state_of_thread(self, state))

    def profile(self, feed=None):
        """Runs once and records one event per kernel."""
        feed = mapping(self, feed)
        model = self._with_inputs(feed)
        if model is not self:
            return model.profile(feed)
        context = self._context(self)
        pieces = []
        outputs = context.run(feed)  # plans, so that the profile shows a warm run
        handle = ffi.new_handle(pieces)
        outputs = context.run(
            feed,
            lambda c, i, n, o, m: lib.GeRunProfiled(c, i, n, o, m, callback("ge_py_text"), handle),
        )
        import json

        from ge._tables import Profile

        return Profile(json.loads(whole(pieces) or b"{}"), outputs)

    def html_report(self, feed=None):
        """Runs once and tells about it on one HTML page: the graph with engines, a timeline, the memory plan, a roofline
        and why engines were chosen or refused. The page needs neither scripts nor a network; `save` writes it. It shows a
        warm run, and the first page of a process measures what the machine can do (a fraction of a second)."""
        feed = mapping(self, feed)
        model = self._with_inputs(feed)
        if model is not self:
            return model.html_report(feed)
        context = self._context(self)
        pieces = []
        context.run(feed)
        context.run(feed)
        handle = ffi.new_handle(pieces)
        context.run(feed, lambda c, i, n, o, m: lib.GeRunReport(c, i, n, o, m, callback("ge_py_text"), handle))
        from ge._tables import Report

        return Report(whole(pieces).decode())

    def placement(self):
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
        from ge._tables import Placement

        return Placement(rows)

    def _describe(self, what):
        status, description = collect(lib.GeModelDescribe, self._live(), what)
        _check(status)
        return description

    def report(self):
        """Inputs, outputs, placement, passes, memory and the options in effect, as a dictionary."""
        import json

        return json.loads(self._describe(lib.GE_MODEL_REPORT))

    def graph(self, format="readable", placed=False):
        """The compiled graph as text: "readable", "dot" or "svg". `placed`: with engines and copies (placed_graph)."""
        formats = {
            "readable": (lib.GE_MODEL_GRAPH, lib.GE_DUMP_READABLE),
            "dot": (lib.GE_MODEL_GRAPH_DOT, lib.GE_DUMP_DOT),
            "svg": (lib.GE_MODEL_GRAPH_SVG, lib.GE_DUMP_SVG),
        }
        if format not in formats:
            raise GeValueError(f"format {format!r} is none of {', '.join(formats)}")
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
    def memory_plan(self):
        """The arenas of the newest plan, the host's and those of engines: which tensor lies where, and when."""
        import json

        from ge._tables import MemoryPlan

        return MemoryPlan(self._describe(lib.GE_MODEL_MEMORY_SVG), json.loads(self._describe(lib.GE_MODEL_MEMORY_JSON)))

    def __repr__(self):
        closed = ", closed" if self._handle is None else ""
        return f"<ge.Model({', '.join(map(repr, self.inputs))}) -> ({', '.join(map(repr, self.outputs))}){closed}>"

    def _repr_html_(self):
        from ge._html import model_page

        return model_page(self)

    def __reduce__(self):
        """A pickle holds what was loaded: it is compiled again, for the machine that reads it."""
        self._live()
        source, options = self._source
        return load, source.pickled(self, options)
