"""Instruments as the library sees them: a table of callbacks whose user pointer says which object it is."""

from ge._interpreter import require_main
from ge._native import callback, ffi, hold, lib
from ge.passes import _failures
from ge.passes._borrowed import Run
from ge.transform._calls import check, lost
from ge.transform.info import PassInfo

_METHODS = {
    "enter_pass_ctx": ("enter", "ge_py_instrument_enter"),
    "exit_pass_ctx": ("exit", "ge_py_instrument_exit"),
    "should_run": ("should_run", "ge_py_instrument_should_run"),
    "run_before_pass": ("before", "ge_py_instrument_before"),
    "run_after_pass": ("after", "ge_py_instrument_after"),
}


class _Held:
    """The object that a table's user pointer leads to. The library releases it by calling it."""

    def __init__(self, instrument):
        self.instrument = instrument

    def __call__(self):
        pass


def native_instruments(instruments):
    """Handles of a list of instruments; each dies with the last that holds it."""
    return [_native(one) for one in instruments]


def _native(instrument):
    native = getattr(instrument, "_native_instrument", None)
    if native is not None:
        return native
    has = [name for name in _METHODS if callable(getattr(instrument, name, None))]
    if not has or isinstance(instrument, type):
        raise TypeError(f"{instrument!r} is no pass instrument: an object has some of the methods {', '.join(_METHODS)}")
    require_main("instruments in Python need")
    table = ffi.new("GeInstrumentTable *", {"struct_size": ffi.sizeof("GeInstrumentTable")})
    name = ffi.new("char[]", type(instrument).__name__.encode())
    table.name = name
    for method in has:
        member, function = _METHODS[method]
        setattr(table, member, callback(function))
    table.destroy, table.user = hold(_Held(instrument))
    out = ffi.new("GeInstrument **")
    check(lib.GeInstrumentMake(table, out))
    del name
    return ffi.gc(out[0], lib.GeInstrumentDestroy)


# ---- called by the library ----


def _call(user, method, graph=None, info=None):
    """(status, result) of a method; the graph is lent for the time of the call."""
    run = None
    try:
        instrument = ffi.from_handle(user).instrument
        if graph is None:
            return 0, getattr(instrument, method)()
        run = Run(graph)
        return 0, getattr(instrument, method)(run.graph(graph), PassInfo._from_c(info))
    except BaseException as error:
        return _failures.fail(error), None
    finally:
        if run is not None:
            run.end()


@ffi.def_extern(error=lib.GE_FAILED, onerror=lost)
def py_instrument_enter(user):
    return _call(user, "enter_pass_ctx")[0]


@ffi.def_extern(error=lib.GE_FAILED, onerror=lost)
def py_instrument_exit(user):
    return _call(user, "exit_pass_ctx")[0]


@ffi.def_extern(error=lib.GE_FAILED, onerror=lost)
def py_instrument_should_run(user, graph, info, run):
    status, result = _call(user, "should_run", graph, info)
    run[0] = bool(result)
    return status


@ffi.def_extern(error=lib.GE_FAILED, onerror=lost)
def py_instrument_before(user, graph, info):
    return _call(user, "run_before_pass", graph, info)[0]


@ffi.def_extern(error=lib.GE_FAILED, onerror=lost)
def py_instrument_after(user, graph, info):
    return _call(user, "run_after_pass", graph, info)[0]
