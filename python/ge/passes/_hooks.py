"""Pattern and decomposition passes: what the library asks of a pass for each match, and for each node."""

import threading

from ge._native import NULL, callback, ffi, lib
from ge.error import GeError
from ge.graph.graph import Graph
from ge.passes import _expressions, _failures, _holders
from ge.passes.base import DecomposePass, PatternFusionPass
from ge.passes.errors import PassFatalError, PassSkipException
from ge.passes.match_result import MatchResult
from ge.passes.pattern import ensure_pattern

_new = object.__new__
_GRAPH = {
    PatternFusionPass: "PatternFusionPass.replacement must return ge.graph.Graph",
    DecomposePass: "DecomposePass.replacement must return ge.graph.Graph",
}


class _Answers:
    """A pass's hooks for the time of one run."""

    __slots__ = ("holder", "run", "record", "meets", "replace", "count", "error", "where")

    def __init__(self, holder, run, kind):
        self.holder = holder
        self.run = run
        self.record = run.record
        self.error = None  # that ends the run
        self.where = ""
        self.count = None
        self.meets = holder.object.meet_requirements
        if getattr(self.meets, "__func__", None) is kind.meet_requirements:
            self.meets = None  # the default: all matches
        self.replace = self._replacement(holder.object, kind)

    def _replacement(self, target, kind):
        hook = target.replacement
        expression = getattr(getattr(hook, "__func__", None), "__ge_expression__", None)
        if expression is not None:
            name, raw, function = expression

            def build(match, context):
                return _expressions.build(name, raw, function, target, match, context, self.inputs(match))

            return build

        def take(where, context):
            graph = hook(where, context)
            if not isinstance(graph, Graph):
                raise TypeError(_GRAPH[kind])
            return _expressions.owned(graph)

        return take

    def inputs(self, match):
        """Inputs of the pattern that matched: the same number for all patterns of most passes."""
        return match._input_count() if self.count is None else self.count

    def refuse(self, hook, error=None, result=False):
        """For `why_not`: this hook says no."""
        _failures.refuse(self.run.context, f"{type(self.holder.object).__name__}.{hook}", error, result)

    def no(self, error, rule_of):
        """A hook that says whether to take a match has raised. That is no, unless it is to fail the pass."""
        self.refuse("meet_requirements", error)
        if isinstance(error, PassSkipException):
            return 0
        if isinstance(error, (PassFatalError, GeError)) or not isinstance(error, Exception):
            self.error = error
            self.where = rule_of()
            return 0
        warn(self.holder, "meet_requirements", error, rule_of())
        return 0

    def end(self, status):
        """The status, unless a hook has failed that cannot say so itself."""
        if self.error is not None and status in (0, lib.GE_NOT_CHANGED):
            status = _failures.fail(self.error, self.where)
        if status not in (0, lib.GE_NOT_CHANGED):
            _failures.tell(self.run)
        return status


def warn(holder, hook, error, where=""):
    """An exception that counts as "no": the first of an instance is a warning, others are for those who ask for more."""
    level = lib.GE_LOG_INFO if holder.warned else lib.GE_LOG_WARNING
    holder.warned = True
    name, why = holder.descriptor.pass_name, _failures.describe(error)
    holder.record.error = holder.record.error or why
    _holders.log(level, f"pass '{name}': {where}{hook} raised, which counts as no: {why}")


class _Current(threading.local):
    """The hooks that this thread runs."""

    answers = None


_current = _Current()


def _lost(kind, error, traceback):
    """A signal's exception came before the callback could catch it: the run ends with it."""
    _failures.fail(error)
    if _current.answers is not None and _current.answers.error is None:
        _current.answers.error = error


def _called(answers, call, *arguments):
    """Calls a function of the library that asks these hooks; the run's status."""
    before = _current.answers
    _current.answers = answers
    try:
        return answers.end(call(*arguments))
    finally:
        _current.answers = before


# ---- patterns ----


def patterns_of(target):
    """The results of patterns(), as Pattern objects."""
    found = target.patterns()
    if found is None:
        return []
    try:
        if isinstance(found, (str, bytes)):
            raise TypeError
        found = iter(found)
    except TypeError:
        raise TypeError("PatternFusionPass.patterns must return an iterable of Pattern or Graph") from None
    return [ensure_pattern(p) for p in found]


def _patterns(holder, target, run):
    hook = f"{type(target).__name__}.patterns"
    try:
        found = patterns_of(target)
        if not found:
            _failures.refuse(run.context, hook, result=[])
        return found
    except PassSkipException as skip:
        _failures.refuse(run.context, hook, skip)
        return []
    except (PassFatalError, GeError):
        raise
    except Exception as error:
        _failures.refuse(run.context, hook, error)
        warn(holder, "patterns", error)
        return []


def fuse(holder, run):
    """Runs a pattern pass on one graph; the status."""
    target = holder.as_pattern_pass()
    found = _patterns(holder, target, run)
    if not found:
        return lib.GE_NOT_CHANGED
    answers = _Answers(holder, run, PatternFusionPass)
    counts = {p._inputs for p in found}
    answers.count = counts.pop() if len(counts) == 1 else None
    handles = ffi.new("GePattern *[]", [p._live() for p in found])
    hooks = ffi.new("GeFusionHooks *", {"struct_size": ffi.sizeof("GeFusionHooks"), "replace": callback("ge_py_match_replace")})
    hooks.meets = NULL if answers.meets is None else callback("ge_py_match_meets")
    hooks.user = user = ffi.new_handle(answers)
    status = _called(answers, lib.GeGraphFuse, run.handle, handles, len(found), holder.flags, hooks, run.context._handle)
    del user
    return status


def _rule_of(match):
    def text():
        name = match.get_pattern_graph_name()
        nodes = match.get_matched_nodes()
        return f"rule '{name}': node '{nodes[-1].name}': " if nodes else f"rule '{name}': "

    return text


@ffi.def_extern(error=0, onerror=_lost)
def py_match_meets(user, match, context):
    answers = ffi.from_handle(user)
    if answers.error is not None:
        return 0
    answers.record.matches_tried += 1
    result = _new(MatchResult)
    result._handle = match
    result._run = run = answers.run
    try:
        said = answers.meets(result, run.context)
        if said:
            return 1
        answers.refuse("meet_requirements", result=said)
        return 0
    except BaseException as error:
        return answers.no(error, _rule_of(result))
    finally:
        result._handle = None


@ffi.def_extern(error=lib.GE_FAILED, onerror=_lost)
def py_match_replace(user, match, context, out):
    answers = ffi.from_handle(user)
    if answers.meets is None:
        answers.record.matches_tried += 1
    result = _new(MatchResult)
    result._handle = match
    result._run = run = answers.run
    try:
        out[0] = answers.replace(result, run.context)
    except PassSkipException as skip:
        answers.refuse("replacement", skip)
        return lib.GeSetLastError(lib.GE_NOT_CHANGED, _reason(skip))
    except BaseException as error:
        answers.error = error
        return _failures.fail(error)
    finally:
        result._handle = None
    answers.record.matches_applied += 1
    return 0


def _reason(skip):
    return str(skip).encode("utf-8", "backslashreplace").replace(b"\0", b"\\0") or b"the pass skipped it"


# ---- single nodes ----


def decompose(holder, run):
    """Runs a decomposition pass on one graph; the status."""
    holder.as_decompose_pass()
    answers = _Answers(holder, run, DecomposePass)
    texts = [ffi.new("char[]", t.encode()) for t in holder.descriptor.op_types]
    types = ffi.new("char *[]", texts)
    hooks = ffi.new(
        "GeDecomposeHooks *", {"struct_size": ffi.sizeof("GeDecomposeHooks"), "replace": callback("ge_py_node_replace")}
    )
    hooks.meets = NULL if answers.meets is None else callback("ge_py_node_meets")
    hooks.user = user = ffi.new_handle(answers)
    status = _called(answers, lib.GeGraphDecompose, run.handle, types, len(texts), hooks, run.context._handle)
    del user
    return status


@ffi.def_extern(error=0, onerror=_lost)
def py_node_meets(user, node, context):
    answers = ffi.from_handle(user)
    if answers.error is not None:
        return 0
    answers.record.matches_tried += 1
    wrapped = answers.run.node(node)
    try:
        said = answers.meets(wrapped, answers.run.context)
        if said:
            return 1
        answers.refuse("meet_requirements", result=said)
        return 0
    except BaseException as error:
        return answers.no(error, lambda: f"rule '{wrapped.type}': node '{wrapped.name}': ")


@ffi.def_extern(error=lib.GE_FAILED, onerror=_lost)
def py_node_replace(user, node, context, out):
    answers = ffi.from_handle(user)
    if answers.meets is None:
        answers.record.matches_tried += 1
    try:
        out[0] = answers.replace(answers.run.node(node), answers.run.context)
    except PassSkipException as skip:
        answers.refuse("replacement", skip)
        return lib.GeSetLastError(lib.GE_NOT_CHANGED, _reason(skip))
    except BaseException as error:
        answers.error = error
        return _failures.fail(error)
    answers.record.matches_applied += 1
    return 0
