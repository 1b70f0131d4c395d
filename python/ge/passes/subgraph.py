"""Parts of a graph by their boundaries, and putting another graph in their place."""

from typing import Iterable, Optional, Tuple

from ge._native import NULL, failed, ffi, last_error, lib
from ge.graph._plain import plain_int
from ge.graph.graph import Graph
from ge.graph.node import Node
from ge.passes.context import PassContext, handle_of

_MOST = 2**63 - 1


def _port(node, index, what):
    if not isinstance(node, Node):
        raise TypeError(f"{what}: node must be a Node, got {type(node).__name__}")
    index = plain_int(index)
    if not isinstance(index, int):
        raise TypeError(f"{what}: index must be an integer, got {type(index).__name__}")
    return node, index


def _failed(reason):
    """The status that GE has for a wrong parameter of a pass."""
    return lib.GeSetLastError(lib.GE_GRAPH_INVALID, reason.encode())


def _new_boundary():
    out = ffi.new("GeBoundary **")
    if lib.GeBoundaryCreate(out) != 0:
        raise failed("Failed to create SubgraphBoundary")
    return ffi.gc(out[0], lib.GeBoundaryDestroy)


def _read_one_tensor(ports, index):
    """The status of input `index` of a boundary that has these ports."""
    trial = _new_boundary()
    for node, port in ports:
        if lib.GeBoundaryAddInput(trial, index, node._handle, port) != 0:
            return _failed(last_error())
    return 0


class SubgraphInput:
    """One input of a part: the ports inside that read it."""

    __slots__ = ("_ports",)

    def __init__(self, node_inputs: Iterable[Tuple[Node, int]] = (), /) -> None:
        self._ports = []
        wrong = RuntimeError("SubgraphInput expects iterable of (node, index)")
        try:
            items = list(node_inputs)
        except TypeError:
            raise wrong from None
        for item in items:
            if not (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Node)):
                raise wrong
            if not isinstance(plain_int(item[1]), int):
                raise wrong
            if self.add_input(*item) != 0:
                raise failed("Failed to add an input to SubgraphInput")

    def add_input(self, node: Node, out_index: int) -> int:
        """One more port: input `out_index` of a node inside. The status, 0 when all is well."""
        node, index = _port(node, out_index, "SubgraphInput.add_input")
        count = lib.GeNodeInputCount(node._handle)
        if not 0 <= index < count:
            return _failed(f"SubgraphInput.add_input: node '{node.name}' has no input {index}, it has {count}")
        status = _read_one_tensor([*self._ports[:1], (node, index)], 0)
        if status == 0:
            self._ports.append((node, index))
        return status

    def __repr__(self):
        return f"<SubgraphInput of {len(self._ports)} ports>"


class SubgraphOutput:
    """One output of a part: the port inside that makes it."""

    __slots__ = ("_port",)

    def __init__(self, node: Optional[Node] = None, out_index: int = 0, /) -> None:
        self._port = None
        if node is not None and self.set_output(node, out_index) != 0:
            raise failed("Failed to set the output of SubgraphOutput")

    def set_output(self, node: Node, out_index: int) -> int:
        """Output `out_index` of a node inside, once. The status, 0 when all is well."""
        node, index = _port(node, out_index, "SubgraphOutput.set_output")
        if self._port is not None:
            return _failed("SubgraphOutput.set_output: it is set already")
        count = lib.GeNodeOutputCount(node._handle)
        if not 0 <= index < count:
            return _failed(f"SubgraphOutput.set_output: node '{node.name}' has no output {index}, it has {count}")
        self._port = (node, index)
        return 0

    def __repr__(self):
        return "<SubgraphOutput, not set>" if self._port is None else f"<SubgraphOutput {self._port[1]} of {self._port[0]!r}>"


class SubgraphBoundary:
    """The border of a part of a graph: its inputs and outputs by number."""

    __slots__ = ("_handle", "_inputs", "_nodes")

    def __init__(self) -> None:
        self._handle = _new_boundary()
        self._inputs = set()
        self._nodes = []  # the objects, as they may be lent for a time only

    def _live(self):
        for node in self._nodes:
            node._handle  # noqa: B018 (says when it has expired)
        return self._handle

    def add_input(self, index: int, input: SubgraphInput) -> int:
        """Input number `index`. The status: not 0 when that number is taken, or the ports do not read one tensor."""
        if not isinstance(input, SubgraphInput):
            raise TypeError(f"input must be a SubgraphInput, got {type(input).__name__}")
        index = _slot(index)
        if not 0 <= index <= _MOST:
            return _failed(f"SubgraphBoundary.add_input: index is {index}")
        if index in self._inputs:
            return _failed(f"SubgraphBoundary.add_input: input {index} is set already")
        if not input._ports:
            return _failed(f"SubgraphBoundary.add_input: input {index} has no port")
        status = _read_one_tensor(input._ports, index)  # all of them or none
        if status != 0:
            return status
        for node, port in input._ports:
            status = lib.GeBoundaryAddInput(self._handle, index, node._handle, port)
            self._inputs.add(index)
            self._nodes.append(node)
            if status != 0:
                return _failed(last_error())
        return 0

    def add_output(self, index: int, output: SubgraphOutput) -> int:
        """Output number `index`. The status: not 0 when that number is taken."""
        if not isinstance(output, SubgraphOutput):
            raise TypeError(f"output must be a SubgraphOutput, got {type(output).__name__}")
        index = _slot(index)
        if not 0 <= index <= _MOST:
            return _failed(f"SubgraphBoundary.add_output: index is {index}")
        if output._port is None:
            return _failed(f"SubgraphBoundary.add_output: output {index} has no port")
        node, port = output._port
        self._nodes.append(node)
        status = lib.GeBoundarySetOutput(self._handle, index, node._handle, port)
        return 0 if status == 0 else _failed(last_error())

    def __repr__(self):
        inputs, outputs = lib.GeBoundaryInputCount(self._handle), lib.GeBoundaryOutputCount(self._handle)
        return f"<SubgraphBoundary with {inputs} inputs and {outputs} outputs>"


def _slot(index):
    index = plain_int(index)
    if not isinstance(index, int):
        raise TypeError(f"index must be an integer, got {type(index).__name__}")
    return index


class SubgraphRewriter:
    """Puts a copy of a graph in the place of a part."""

    @staticmethod
    def replace(boundary: SubgraphBoundary, replacement: Graph, *, context: Optional[PassContext] = None) -> Optional[int]:
        """Input i of the replacement reads what input i of the boundary reads; its output i takes the place of output i. The
        graph stays the caller's. Without a context: the status, 0 when all is well. With one the part is checked (can_fuse) and
        the rewrite counted for the pass, and what fails raises."""
        if not isinstance(boundary, SubgraphBoundary):
            raise TypeError(f"boundary must be a SubgraphBoundary, got {type(boundary).__name__}")
        if not isinstance(replacement, Graph):
            raise TypeError(f"replacement must be a ge.graph.Graph, got {type(replacement).__name__}")
        if replacement._handle is None:
            raise RuntimeError("Graph handle is empty")
        native = NULL if context is None else handle_of(context)
        status = lib.GeBoundaryReplace(boundary._live(), replacement._live(), native)
        if context is None:
            return status
        if status != 0:
            raise context_error(context, "SubgraphRewriter::Replace with context failed", status)
        count(context)
        return None


def count(context):
    """One rewrite by hand in the statistics of the pass's instance."""
    if context._run is not None and context._run.record is not None:
        context._run.record.matches_tried += 1
        context._run.record.matches_applied += 1


def context_error(context, what, status):
    """The exception for a failure that becomes the context's error message, too."""
    reason = last_error()
    message = f"{what}, pass_name={context.get_pass_name()}, status={status}"
    context.set_error_message(message)
    return failed(message, reason=reason)
