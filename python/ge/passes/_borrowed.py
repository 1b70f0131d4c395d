"""Things that a pass is lent: the graph, its nodes and the context, for the time of one run and for the thread it runs on."""

from threading import get_ident

from ge.graph.graph import Graph
from ge.graph.node import Node

_new = object.__new__
EXPIRED = "graph handle has expired"


class Run:
    """The time for which things are lent. A wrapper asks `thread` at each use: after the run that is None."""

    __slots__ = ("thread", "handle", "context", "record", "_graphs", "__weakref__")

    def __init__(self, handle, record=None):
        self.thread = get_ident()
        self.handle = handle
        self.context = None
        self.record = record  # statistics of the pass's instance
        self._graphs = []

    def refuse(self):
        """Raises what is wrong with a use."""
        if self.thread is None:
            raise RuntimeError(EXPIRED)
        raise RuntimeError("graph handle is used by another thread than the one that runs the pass")

    def graph(self, handle):
        """A graph as an object that dies with the run."""
        graph = _new(BorrowedGraph)
        graph._handle = handle
        graph._owns_handle = False
        graph._owner = None
        graph._run = self
        self._graphs.append(graph)
        return graph

    def node(self, handle):
        """A node as an object that dies with the run."""
        node = _new(BorrowedNode)
        _set_handle(node, handle)
        node._graph = self
        node._owns_handle = False
        return node

    def end(self):
        """From here on nothing that was lent can be used."""
        self.thread = None
        for graph in self._graphs:
            graph._handle = None
        self._graphs.clear()
        self.handle = self.context = None


_get_handle = Node._handle.__get__
_set_handle = Node._handle.__set__


class BorrowedNode(Node):
    """A node of a graph that a pass looks at."""

    __slots__ = ()

    @property
    def _handle(self):
        run = self._graph
        if run.thread != get_ident():
            run.refuse()
        return _get_handle(self)

    @classmethod
    def _wrap(cls, handle, run):
        return run.node(handle)

    def __repr__(self):
        return "<Node, expired>" if self._graph.thread is None else super().__repr__()


class BorrowedGraph(Graph):
    """A graph that a pass looks at."""

    def _live(self):
        run = self._run
        if run.thread != get_ident():
            run.refuse()
        if self._handle is None:
            raise RuntimeError(EXPIRED)
        return self._handle

    def _node(self, handle):
        return self._run.node(handle)

    def _relative(self, handle):
        from ge._native import ffi, lib

        return self._run.graph(ffi.gc(handle, lib.GeGraphDestroy))

    def _transfer_ownership_when_pass_as_subgraph(self, new_owner):
        raise RuntimeError(f"Graph '{self.name}' is the one that is compiled: it cannot become a subgraph of another one")

    def __reduce__(self):
        return Graph._from_bytes, (self._to_bytes(),)

    def __repr__(self):
        return "<Graph, expired>" if self._run.thread is None else super().__repr__()
