"""State of a model: outputs of one run that are inputs of the next, such as the caches of a decoder."""

import numbers
from collections.abc import Mapping

import numpy as np

from ge._errors import GeKeyError, GeTypeError, GeValueError
from ge._feed import convert
from ge._native import NULL, check, ffi, lib


def _whole(what, value, least):
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise GeTypeError(f"{what} is a whole number, got {value!r}")
    if value < least or value >= 2**62:
        raise GeValueError(f"{what} is {value}, expected {least} or more")
    return int(value)


class State:
    """The part of one run that stays for the next: made by Model.state, given to Model.run, one run at a time.

    It is a mapping of input names to their content: reading gives a copy as an array, assigning replaces the content.
    Several states of one model are independent, and may be used by several threads at the same time.
    """

    def __init__(self, model, pairs, capacity, limit, axis, _handle=None):
        self._model = model
        self.pairs = dict(pairs)
        self._settings = (capacity, limit, axis)
        self._ports = {p.name: p for p in model._inputs}
        self._index = {name: i for i, name in enumerate(self.pairs)}
        self.key = (tuple(self.pairs), tuple(self.pairs.values()))
        if _handle is None:
            options = ffi.new("GeStateOptions *", {"struct_size": ffi.sizeof("GeStateOptions")})
            options.capacity = _whole("capacity", capacity, 0)
            options.limit = 0 if limit is None else _whole("limit", limit, 1)
            options.axis = _whole("axis", axis, -8)
            names = [[ffi.new("char[]", n.encode()) for n in side] for side in self.key]
            out = ffi.new("GeState **")
            handles = [ffi.new("char *[]", side) if side else NULL for side in names]
            check(lib.GeStateCreate(model._live(), handles[0], handles[1], len(self.pairs), options, out))
            _handle = out[0]
        self.handle = ffi.gc(_handle, lib.GeStateDestroy)

    def _lengths(self):
        length, capacity = ffi.new("int64_t *"), ffi.new("int64_t *")
        check(lib.GeStateGetLength(self.handle, length, capacity))
        return length[0], capacity[0]

    @property
    def length(self):
        """How long what grows has become."""
        return self._lengths()[0]

    @property
    def capacity(self):
        """For what length there is room without new memory."""
        return self._lengths()[1]

    def _find(self, name):
        if name not in self._index:
            raise GeKeyError(f"the state has no input {name!r}; it has {', '.join(map(repr, self.pairs))}")
        return self._index[name]

    def __getitem__(self, name):
        index = self._find(name)
        desc, port = ffi.new("GeTensorData *"), self._ports[name]
        check(lib.GeStateAt(self.handle, index, NULL, NULL, desc))
        array = np.empty(tuple(desc.dims[i] for i in range(desc.rank)), port._storage)
        check(lib.GeStateRead(self.handle, index, ffi.from_buffer(array) if array.nbytes else NULL, array.nbytes))
        return array if port.dtype == port._storage else array.view(port.dtype)

    def __setitem__(self, name, value):
        index = self._find(name)
        port = self._ports[name]
        array = convert(port, value)
        dims = ffi.new("int64_t[]", list(array.shape)) if array.shape else NULL
        data = ffi.new("GeTensorData *")
        data.data_type, data.rank, data.dims = port.data_type, len(array.shape), dims
        data.format = data.origin_format = lib.C_FORMAT_ND
        view = ffi.from_buffer(array)
        data.data, data.size = view, array.nbytes
        check(lib.GeStateWrite(self.handle, index, data))

    def __iter__(self):
        return iter(self.pairs)

    def __len__(self):
        return len(self.pairs)

    def __contains__(self, name):
        return name in self._index

    def keys(self):
        """Names of the inputs."""
        return self.pairs.keys()

    def clear(self):
        """Empty again; the memory stays."""
        check(lib.GeStateClear(self.handle))

    def truncate(self, length):
        """Forgets what lies behind `length`, as where guessed tokens were wrong."""
        check(lib.GeStateTruncate(self.handle, _whole("length", length, 0)))

    def copy(self):
        """Another state with the same content: from there on both go their own way."""
        out = ffi.new("GeState **")
        check(lib.GeStateClone(self.handle, out))
        return State(self._model, self.pairs, *self._settings, _handle=out[0])

    def __repr__(self):
        length, capacity = self._lengths()
        return f"<ge.State({', '.join(f'{i} <- {o}' for i, o in self.pairs.items())}), length {length} of {capacity}>"


def make(model, pairs, capacity=0, limit=None, axis=-2):
    if isinstance(pairs, Mapping):
        pairs = dict(pairs)
    if not isinstance(pairs, dict) or not all(isinstance(n, str) and "\0" not in n for p in pairs.items() for n in p):
        raise GeTypeError(f"a state is a dictionary of input names to output names, got {pairs!r}")
    if model._values:
        model._values.check_state(pairs)
    return State(model, pairs, capacity, limit, axis)


def of_thread(model, given):
    """The state that a run was given: itself, or for a dictionary of names that of the calling thread."""
    if isinstance(given, State):
        if given._model is not model:
            raise GeValueError("the state belongs to another model")
        return given
    if not isinstance(given, Mapping):
        raise GeTypeError(f"state is a State or a dictionary of input names to output names, got {type(given).__name__}")
    states = model._thread_states.__dict__
    key = tuple(given.items())
    state = states.get(key)
    if state is None:
        state = states[key] = make(model, given)
    return state
