"""Pass, Sequential, and passes by name."""

from ge._native import c_text, ffi, lib
from ge.graph.graph import Graph
from ge.transform._calls import c_names, check
from ge.transform.info import PassInfo


class Pass:
    """A pass: `p(graph)` returns a new graph, `p.apply(graph)` works in place."""

    def __init__(self, handle):
        self._handle = ffi.gc(handle, lib.GePassDestroy)

    @property
    def info(self) -> PassInfo:
        """Name, level, and what the pass requires."""
        out = ffi.new("GePassInfo *", {"struct_size": ffi.sizeof("GePassInfo")})
        check(lib.GePassGetInfo(self._handle, out))
        return PassInfo._from_c(out)

    def __call__(self, graph: Graph) -> Graph:
        """A new graph; the given one stays as it is."""
        if not isinstance(graph, Graph):
            raise TypeError(f"a pass takes a Graph, got {type(graph).__name__}")
        out = ffi.new("GeGraph **")
        check(lib.GeGraphClone(graph._live(), ffi.NULL, out))
        copy = Graph._create_from(out[0])
        self.apply(copy)
        return copy

    def apply(self, graph: Graph) -> bool:
        """Runs the pass in place; an error leaves the graph as it was. True when it was changed."""
        if not isinstance(graph, Graph):
            raise TypeError(f"a pass takes a Graph, got {type(graph).__name__}")
        return check(lib.GePassApply(self._handle, graph._live()))

    def register(self, stage) -> "Registration":
        """Makes later compiles run the pass in a stage of GE (ge.passes.PassStage), until the registration is taken back."""
        from ge.passes._engine import stage_number

        token = ffi.new("uint64_t *")
        check(lib.GePassRegisterForStage(self._handle, stage_number(stage, self.info.name), token))
        return Registration(token[0])

    def __repr__(self):
        info = self.info
        return f"<Pass {info.name}, opt_level {info.opt_level}>"


class Registration:
    """A pass that compiles run. `unregister`, or leaving it as a context, takes it back; dropping the object does not."""

    def __init__(self, token):
        self._token = token

    def unregister(self) -> None:
        """Takes the pass back; a compile under way finishes with it."""
        token, self._token = self._token, 0
        lib.GeCustomPassUnregister(token)

    def __repr__(self):
        return "<Registration>" if self._token else "<Registration, taken back>"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.unregister()


class Sequential(Pass):
    """Runs passes in order: those that the current PassContext lets run, each behind those that it requires."""

    def __init__(self, passes=None, opt_level=0, name="sequential", required=None):
        self.passes = [] if passes is None else passes
        if not isinstance(self.passes, list) or not all(isinstance(p, Pass) for p in self.passes):
            raise TypeError("passes must be a list of Pass objects.")
        required = [] if required is None else required
        if not isinstance(required, (list, tuple)):
            raise TypeError("Required is expected to be the type of list/tuple.")
        self.passes = list(self.passes)
        names, held = c_names(required, "required")
        out = ffi.new("GePass **")
        handles = ffi.new("GePass *[]", [p._handle for p in self.passes])
        check(lib.GePassSequence(c_text(name), opt_level, handles, len(self.passes), names, len(required), out))
        del held
        super().__init__(out[0])


def get_pass(name: str) -> Pass:
    """A built-in or registered pass by its name. An unknown name is an error that lists near ones."""
    if not isinstance(name, str):
        raise TypeError(f"a pass name is a string, got {name!r}")
    out = ffi.new("GePass **")
    check(lib.GePassFind(c_text(name), out))
    return Pass(out[0])
