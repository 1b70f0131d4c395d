"""Session: holds graphs by number, compiles them on first use and runs them."""

import threading
import traceback
import weakref

from ge._capi._allocator_callback_adapter import (  # noqa: F401
    create_allocator_c_callbacks,
    rollback_allocator_c_callbacks,
)
from ge._native import NULL, callback, ffi, hold, lib
from ge._options import fill
from ge._plugins import before_compile
from ge.allocator.allocator import Allocator, MemBlock
from ge.error import GeError, raise_ge_error
from ge.graph._nocopy import NoCopy
from ge.graph.graph import Graph
from ge.graph.tensor import Tensor

# Which session has registered the engine's own allocator for a stream.
_stream_to_default_allocator_owner = {}
_default_allocator_lock = threading.Lock()


class Session(NoCopy):
    """Graphs by number. Destroying the object destroys the native session."""

    def __init__(self, options=None):
        self._handle = None
        self._owns_handle = False
        self._default_allocator_streams = set()
        self._graphs = set()  # numbers of those that are there
        self._allocators = {}  # stream -> the user's allocator, as it is registered
        if options is not None and not isinstance(options, dict):
            raise TypeError("option must be a dictionary")
        filled, status = fill(options or {})
        out = ffi.new("GeSessionHandle **")
        if status == 0:
            status = lib.GeSessionCreate(filled, out)
        if status != 0:
            raise_ge_error("CreateSession", status)
        self._handle = ffi.gc(out[0], lib.GeSessionDestroy)
        self._owns_handle = True

    def __repr__(self):
        return f"<Session with graphs {sorted(self._graphs)}>" if self._graphs else "<Session without graphs>"

    def add_graph(self, graph_id, add_graph, options=None) -> int:
        """Registers a copy of a graph under a number. Returns 0; the Python graph stays usable."""
        _require_int(graph_id, "Graph_id must be an integer")
        if not isinstance(add_graph, Graph):
            raise TypeError("Add_graph must be a Graph")
        if options is not None and not isinstance(options, dict):
            raise TypeError("options must be a dictionary")
        before_compile()
        filled, status = fill(options or {})
        if status == 0:
            status = lib.GeSessionAddGraph(self._handle, _id(graph_id, "AddGraph"), add_graph._live(), filled)
        if status != 0:
            raise_ge_error("AddGraph", status, graph_id=graph_id)
        self._graphs.add(int(graph_id))
        return 0

    def remove_graph(self, graph_id) -> None:
        """Forgets a graph; runs that are under way finish first."""
        _require_int(graph_id, "Graph_id must be an integer")
        status = lib.GeSessionRemoveGraph(self._handle, _id(graph_id, "RemoveGraph"))
        if status != 0:
            raise_ge_error("RemoveGraph", status, graph_id=graph_id)
        self._graphs.discard(int(graph_id))

    def run_graph(self, graph_id, inputs):
        """Runs a graph, compiling it when that has not happened yet. Returns new tensors."""
        _require_int(graph_id, "Graph_id must be an integer")
        _require_tensors(inputs)
        outputs, status = self._run(_id(graph_id, "RunGraph"), inputs)
        if status != 0:
            raise_ge_error("RunGraph", status, graph_id=graph_id)
        return [Tensor._create_from(o) for o in outputs]

    def run_graph_with_stream_async(self, graph_id, stream, inputs):
        """Runs a graph at once, in the calling thread: on a CPU a stream's work is done when the call returns.

        The results are host tensors; `to_host()`, which programs for devices call, leaves them as they are.
        """
        _require_int(graph_id, "Graph_id must be an integer")
        _require_int(stream, "Stream must be an integer")
        _require_tensors(inputs)
        self._ensure_default_allocator(stream)
        outputs, status = self._run_on_stream(_id(graph_id, "RunGraphWithStreamAsync", stream=hex(stream)), stream, inputs)
        if status != 0:
            self._raise_if_allocator_failed(graph_id, stream)
            raise_ge_error("RunGraphWithStreamAsync", status, graph_id=graph_id, stream=hex(stream))
        tensors = [Tensor._create_from(o) for o in outputs]
        for tensor in tensors:
            tensor._stream_result = True
        return tensors

    def _raise_if_allocator_failed(self, graph_id, stream):
        registered = self._allocators.get(stream)
        failure = registered.take_failure() if registered is not None else None
        if failure is not None:
            raise GeError(
                f"RunGraphWithStreamAsync failed; graph_id={graph_id}, stream={hex(stream)}; allocator failed: {failure}",
                str(failure),
                "RunGraphWithStreamAsync",
                {"graph_id": graph_id, "stream": hex(stream)},
            ) from failure

    def _run(self, graph_id, inputs):
        """(native output tensors, status)"""
        before_compile()
        handles = _handles(inputs)

        def call(outputs, count):
            return lib.GeSessionRunGraph(self._handle, graph_id, handles, len(inputs), outputs, count)

        return _with_room(call)

    def _run_on_stream(self, graph_id, stream, inputs):
        """(native output tensors, status); the run has ended when this returns."""
        before_compile()
        run = ffi.new("GeStreamRun *", {"struct_size": ffi.sizeof("GeStreamRun"), "input_count": len(inputs)})
        handles = _handles(inputs)  # alive until the run has ended
        run.stream, run.inputs = ffi.cast("void *", stream), handles

        def call(outputs, count):
            run.outputs, run.output_count = outputs, count[0]
            status = lib.GeSessionRunGraphOnStream(self._handle, graph_id, run)
            count[0] = run.output_count
            return status

        return _with_room(call)

    def get_variables(self, names=None) -> dict:
        """Copies of the values of variables by name, all of one moment; without names those of all variables."""
        if names is None:
            names = self._variable_names()
        if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
            raise TypeError("names must be a list of strings")
        texts = [ffi.new("char[]", n.encode()) for n in names]
        values = ffi.new("GeTensor *[]", max(len(texts), 1))
        status = lib.GeSessionCloneVariables(self._handle, ffi.new("char *[]", texts), len(texts), values)
        if status != 0:
            raise_ge_error("GetVariables", status)
        return {name: Tensor._create_from(values[i]) for i, name in enumerate(names)}

    def set_variables(self, values) -> None:
        """Gives variables new values, all at once: a dictionary of tensors by name. A name that no graph has had so far
        becomes a variable."""
        if not isinstance(values, dict) or not all(isinstance(n, str) for n in values):
            raise TypeError("values must be a dictionary of tensors by name")
        if not all(isinstance(t, Tensor) for t in values.values()):
            raise TypeError("values must be a dictionary of tensors by name")
        texts = [ffi.new("char[]", n.encode()) for n in values]
        handles = ffi.new("GeTensor *[]", [t._handle for t in values.values()])
        status = lib.GeSessionSetVariables(self._handle, ffi.new("char *[]", texts), handles, len(texts))
        if status != 0:
            raise_ge_error("SetVariables", status)

    def _variable_names(self):
        count, name = ffi.new("size_t *"), ffi.new("char **")
        status = lib.GeSessionVariableCount(self._handle, count)
        names = []
        while status == 0 and len(names) < count[0]:
            status = lib.GeSessionVariableName(self._handle, len(names), name)
            if status == 0:
                names.append(ffi.string(name[0]).decode())
        if status != 0:
            raise_ge_error("GetVariables", status)
        return names

    def register_external_allocator(self, stream, allocator) -> None:
        """From now on `allocator` serves runs on this stream."""
        _require_int(stream, "stream must be an integer")
        if not isinstance(allocator, Allocator):
            raise TypeError("allocator must be an Allocator instance")
        self._forget_default(stream)
        registered = _RegisteredAllocator(allocator)
        status = registered.register(self._handle, stream)
        if status != 0:
            raise_ge_error("RegisterExternalAllocator", status, stream=hex(stream))
        self._allocators[stream] = registered

    def unregister_external_allocator(self, stream) -> None:
        """Drops the allocator of a stream."""
        _require_int(stream, "stream must be an integer")
        self._forget_default(stream)
        self._allocators.pop(stream, None)
        status = lib.GeSessionUnregisterAllocator(self._handle, ffi.cast("void *", stream))
        if status != 0:
            raise_ge_error("UnregisterExternalAllocator", status, stream=hex(stream))

    # The engine's own allocator serves a stream that has no other; the session that asked for it first owns that.

    def _ensure_default_allocator(self, stream):
        if stream in self._allocators:
            return
        with _default_allocator_lock:
            if stream not in self._default_allocator_streams:
                self._default_allocator_streams.add(stream)
                _stream_to_default_allocator_owner[stream] = weakref.ref(self)

    def _forget_default(self, stream):
        with _default_allocator_lock:
            self._default_allocator_streams.discard(stream)
            _stream_to_default_allocator_owner.pop(stream, None)

    def _unregister_default_allocators(self):
        with _default_allocator_lock:
            for stream in self._default_allocator_streams:
                owner = _stream_to_default_allocator_owner.get(stream)
                if owner is not None and owner() in (self, None):
                    del _stream_to_default_allocator_owner[stream]
            self._default_allocator_streams.clear()

    def __del__(self):
        if getattr(self, "_default_allocator_streams", None):
            self._unregister_default_allocators()


def _require_int(value, message):
    if not isinstance(value, int):
        raise TypeError(message)


def _require_tensors(inputs):
    if not isinstance(inputs, list):
        raise TypeError("inputs must be a list of Tensor")
    if not all(isinstance(t, Tensor) for t in inputs):
        raise TypeError("All elements in inputs must be the type of Tensor")


def _id(graph_id, api_name, **context):
    if not 0 <= graph_id < 2**32:
        lib.GeSetLastError(lib.GE_PARAM_INVALID, b"a graph id is a number from 0 to 4294967295")
        raise_ge_error(api_name, lib.GE_PARAM_INVALID, graph_id=graph_id, **context)
    return graph_id


def _handles(tensors):
    return ffi.new("GeTensor *[]", [t._handle for t in tensors]) if tensors else NULL


def _with_room(call):
    """Calls call(outputs, count) with room for as many outputs as there are: (outputs, status)."""
    count = ffi.new("size_t *", 16)
    outputs = ffi.new("GeTensor *[]", count[0])
    status = call(outputs, count)
    if status == lib.GE_PARAM_INVALID and count[0] > len(outputs):
        outputs = ffi.new("GeTensor *[]", count[0])
        status = call(outputs, count)
    return ([outputs[i] for i in range(count[0])] if status == 0 else []), status


class _RegisteredAllocator:
    """A user's allocator as the engine calls it. It lives until no output is in its memory any more."""

    def __init__(self, allocator):
        self.allocator = allocator
        self.blocks = {}  # by number
        self.next = 1
        self.lock = threading.Lock()
        self.failed = threading.local()

    def __call__(self):  # the engine lets go of it
        pass

    def register(self, session, stream):
        release, user = hold(self)
        functions = ffi.new(
            "GeStreamAllocator *",
            {
                "struct_size": ffi.sizeof("GeStreamAllocator"),
                "user": user,
                "allocate": callback("ge_py_allocate"),
                "release": callback("ge_py_give_back"),
                "destroy": release,
            },
        )
        status = lib.GeSessionRegisterAllocator(session, ffi.cast("void *", stream), functions)
        if status != 0:
            release(user)
        return status

    def take_failure(self):
        """What the allocator raised in this thread last, once."""
        failure, self.failed.error = getattr(self.failed, "error", None), None
        return failure

    def allocate(self, size, block):
        try:
            made = self.allocator.malloc(size)
            if not isinstance(made, MemBlock) or made.size < size:
                raise RuntimeError(f"malloc({size}) returned {made!r}")
        except Exception as e:
            traceback.print_exc()
            self.failed.error = e
            return NULL
        with self.lock:
            number, self.next = self.next, self.next + 1
            self.blocks[number] = made
        block[0] = ffi.cast("void *", number)
        return ffi.cast("void *", made.addr)

    def give_back(self, block):
        with self.lock:
            made = self.blocks.pop(int(ffi.cast("uintptr_t", block)))
        try:
            self.allocator.free(made)
        except Exception:
            traceback.print_exc()


@ffi.def_extern(error=NULL)
def py_allocate(user, size, block):
    """What the engine calls for memory of a program's allocator."""
    return ffi.from_handle(user).allocate(size, block)


@ffi.def_extern()
def py_give_back(user, block):
    """What the engine calls when it gives that memory back."""
    ffi.from_handle(user).give_back(block)


def __getattr__(name):
    if name != "session_lib":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ge._capi.pysession_wrapper import get_session_lib

    return get_session_lib()
