"""PassContext: what a program asks of passes, for the time of a `with` block."""

from collections.abc import Mapping
from dataclasses import dataclass

from ge._native import NULL, ffi, lib, text
from ge.error import GeError
from ge.transform import config as _config
from ge.transform._calls import c_names, check
from ge.transform._instruments import native_instruments
from ge.transform._stack import entered


def _listed(value, what):
    """A list of its own; a text is no list of letters."""
    if value is None:
        return []
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise TypeError(f"{what} must be a list, got {value!r}")
    return list(value)


@dataclass(frozen=True)
class Diagnostic:
    """A remark on a graph; severity is "error", "warning" or "info", node is "" for the whole graph."""

    severity: str
    node: str
    text: str


class DiagnosticContext:
    """Collects remarks of the passes that run under PassContext(diag_ctx=…)."""

    def __init__(self):
        self._scope = None  # the first that collects for it; the others add to what that collects

    def __repr__(self):
        return f"<DiagnosticContext, {len(self.diagnostics)} remarks>"

    @property
    def diagnostics(self) -> list:
        """All remarks so far, in the order of coming."""
        names = {lib.GE_LOG_ERROR: "error", lib.GE_LOG_WARNING: "warning", lib.GE_LOG_INFO: "info"}
        found = []
        out = ffi.new("GeDiagnostic *")
        for i in range(lib.GePassScopeDiagnosticCount(self._scope) if self._scope else 0):
            out.struct_size = ffi.sizeof("GeDiagnostic")
            check(lib.GePassScopeDiagnosticAt(self._scope, i, out))
            found.append(Diagnostic(names[out.severity], text(out.node), text(out.text)))
        return found

    def _collector(self):
        """The native scope that keeps the remarks."""
        if self._scope is None:
            parts = ffi.new("GePassScopeParts *", {"struct_size": ffi.sizeof("GePassScopeParts"), "collect_diagnostics": 1})
            out = ffi.new("GePassScope **")
            check(lib.GePassScopeCreate(parts, out))
            self._scope = ffi.gc(out[0], lib.GePassScopeDestroy)
        return self._scope


def emit(severity: str, text: str, node: str = "") -> None:
    """A remark of a pass, for the DiagnosticContext of the context that it runs under; dropped where there is none."""
    levels = {"error": lib.GE_LOG_ERROR, "warning": lib.GE_LOG_WARNING, "info": lib.GE_LOG_INFO}
    if severity not in levels:
        raise ValueError(f"severity is {severity!r}, expected one of {', '.join(levels)}")
    check(lib.GePassScopeReport(levels[severity], node.encode(), text.encode()))


class PassContext:
    """opt_level: passes run whose level is at most this (0 or more). required_pass: names that run whatever their level.
    disabled_pass: names that never run; stronger. instruments: called in list order. config: typed options of known keys
    (register_config_option). diag_ctx: a DiagnosticContext.

    Sequential and compiles ask it. Contexts nest, and each thread has its own; a compile takes the one of the thread that
    starts it, and explicit options are stronger. What the fields are when it is entered holds until it is left.
    """

    def __init__(
        self, opt_level=2, required_pass=None, disabled_pass=None, instruments=None, config=None, diag_ctx=None, _scope=None
    ):
        self.opt_level = opt_level
        self.required_pass = _listed(required_pass, "required_pass")
        self.disabled_pass = _listed(disabled_pass, "disabled_pass")
        self.instruments = _listed(instruments, "instruments")
        self.config = {} if config is None else config
        self.diag_ctx = diag_ctx
        self._given = _scope
        if _scope is None:
            self._make()  # says what is wrong with the arguments
        self.config = dict(self.config)

    def _make(self):
        if isinstance(self.opt_level, bool) or not isinstance(self.opt_level, int):
            raise TypeError(f"opt_level must be an int, got {self.opt_level!r}")
        if self.diag_ctx is not None and not isinstance(self.diag_ctx, DiagnosticContext):
            raise TypeError(f"diag_ctx must be a DiagnosticContext, got {self.diag_ctx!r}")
        if not isinstance(self.config, Mapping):
            raise TypeError(f"config must be a dictionary, got {self.config!r}")
        parts = ffi.new("GePassScopeParts *", {"struct_size": ffi.sizeof("GePassScopeParts")})
        parts.level = max(-(2**31), min(self.opt_level, 2**31 - 1))
        parts.diagnostics_of = NULL if self.diag_ctx is None else self.diag_ctx._collector()
        required, required_texts = c_names(self.required_pass, "required_pass")
        disabled, disabled_texts = c_names(self.disabled_pass, "disabled_pass")
        parts.required, parts.required_count = required, len(self.required_pass)
        parts.disabled, parts.disabled_count = disabled, len(self.disabled_pass)
        handles = native_instruments(self.instruments)
        instruments = ffi.new("GeInstrument *[]", handles)
        parts.instruments, parts.instrument_count = instruments, len(handles)
        held = []
        values = ffi.new("GeConfigValue[]", max(len(self.config), 1))
        for i, (key, value) in enumerate(self.config.items()):
            _config.fill(values[i], key, value, held)
        parts.config, parts.config_count = values, len(self.config)
        out = ffi.new("GePassScope **")
        check(lib.GePassScopeCreate(parts, out))
        del required, required_texts, disabled, disabled_texts, held  # were needed until here
        return ffi.gc(out[0], lib.GePassScopeDestroy)

    def __enter__(self):
        scope, stack = self._given or self._make(), entered()
        depth = len(stack)
        stack.append((self, scope))  # current() while instruments are entered
        try:
            check(lib.GePassScopeEnter(scope))
        except BaseException:
            del stack[depth:]
            self.instruments = []
            raise
        return self

    def __exit__(self, kind, error, traceback):
        stack = entered()
        if not stack or stack[-1][0] is not self:
            raise GeError("the pass context is not the innermost of this thread", code=lib.GE_BAD_STATE)
        scope, depth = stack[-1][1], len(stack) - 1
        status = lib.GePassScopeExit(scope)
        if status == lib.GE_BAD_STATE and lib.GePassScopeIsCurrent(scope):
            check(status)  # it was not left: a pass runs under it
        del stack[depth:]
        if status != 0:
            self.instruments = []
        check(status)

    def override_instruments(self, instruments) -> None:
        """Leaves the present instruments and enters these in their place. The context must be entered."""
        scope = next((scope for context, scope in reversed(entered()) if context is self), self._given)
        if scope is None:
            raise GeError("the pass context is not entered", code=lib.GE_BAD_STATE)
        replaced = _listed(instruments, "instruments")
        handles = native_instruments(replaced)
        self.instruments = []  # those that fail meanwhile are gone
        check(lib.GePassScopeOverrideInstruments(scope, ffi.new("GeInstrument *[]", handles), len(handles)))
        self.instruments = replaced

    @staticmethod
    def current() -> "PassContext":
        """The innermost context of this thread; never None, since each thread has one with the defaults."""
        stack = entered()
        if stack and lib.GePassScopeIsCurrent(stack[-1][1]):
            return stack[-1][0]
        return PassContext._of_the_thread()

    @classmethod
    def _of_the_thread(cls):
        """That of the library: one that code in another language entered, or the default."""
        out = ffi.new("GePassScope **")
        check(lib.GePassScopeCurrent(out))
        scope = ffi.gc(out[0], lib.GePassScopeDestroy)

        def names(disabled):
            found = []
            while (name := lib.GePassScopeName(scope, disabled, len(found))) != NULL:
                found.append(text(name))
            return found

        values = _config.read(scope)
        return cls(lib.GePassScopeLevel(scope), names(0), names(1), config=values, _scope=scope)

    def __repr__(self):
        shown = [f"opt_level={self.opt_level}"]
        for name in ("required_pass", "disabled_pass", "instruments", "config"):
            if getattr(self, name):
                shown.append(f"{name}={getattr(self, name)!r}")
        return f"PassContext({', '.join(shown)})"
