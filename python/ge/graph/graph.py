"""Graph: nodes, edges, subgraphs, dumps and files."""

from enum import Enum

from ge._native import NULL, c_text, collect, failed, ffi, lib, text

from ._attr import decode, encode
from ._nocopy import NoCopy
from ._plain import port
from .node import Node


class DumpFormat(Enum):
    """How a graph is written as text."""

    kOnnx = 0
    kTxt = 1
    kReadable = 2


def _require(value, kind, message):
    if not isinstance(value, kind):
        raise TypeError(message)


class Graph(NoCopy):
    """A graph. Wrappers that queries return are new objects over the same graph."""

    def __init__(self, name="graph"):
        self._handle = None
        self._owns_handle = True
        self._owner = None
        _require(name, str, "Graph name must be a string")
        out = ffi.new("GeGraph **")
        if lib.GeGraphCreate(c_text(name), out) != 0:
            raise failed("Failed to create Graph")
        self._handle = ffi.gc(out[0], lib.GeGraphDestroy)

    @classmethod
    def _create_from(cls, handle, owns_handle=True, owner=None):
        """A wrapper over a native graph: adopts the reference, or takes its own when the caller keeps it."""
        if handle is None or handle == NULL:
            raise ValueError("Graph pointer cannot be None")
        if not owns_handle:
            out = ffi.new("GeGraph **")
            if lib.GeGraphRetain(handle, out) != 0:
                raise failed("Failed to create Graph")
            handle = out[0]
        self = cls.__new__(cls)
        self._handle = ffi.gc(handle, lib.GeGraphDestroy)
        self._owns_handle = owns_handle
        self._owner = owner
        return self

    def _live(self):
        if self._handle is None:
            raise RuntimeError("Graph was handed over and can no longer be used through this object")
        return self._handle

    def _node(self, handle):
        """A node of this graph as an object; borrowed graphs have borrowed nodes."""
        return Node._wrap(handle, self._handle)

    def _relative(self, handle):
        """A graph of the same tree as an object, which takes over the reference."""
        return Graph._create_from(handle)

    @property
    def name(self) -> str:
        """Name of the graph."""
        name = lib.GeGraphName(self._live())
        if name == NULL:
            raise failed("Failed to get Graph name")
        return text(name)

    def get_direct_nodes(self):
        """Nodes of this graph, those of subgraphs not included."""
        handle = self._live()
        out = ffi.new("GeNode **")
        nodes = []
        for i in range(lib.GeGraphNodeCount(handle)):
            if lib.GeGraphGetNode(handle, i, out) != 0:
                raise failed(f"Failed to get nodes of Graph {self.name}")
            nodes.append(self._node(out[0]))
        return nodes

    def get_all_nodes(self):
        """Every node, those of subgraphs included."""
        nodes = self.get_direct_nodes()
        subgraphs = {graph.name: graph for graph in self.get_all_subgraphs()}
        if self.name not in subgraphs:
            return nodes + [node for graph in subgraphs.values() for node in graph.get_direct_nodes()]
        # Every graph lists all subgraphs of the root: one of them takes those that its own nodes call.
        seen, i = {self.name}, 0
        while i < len(nodes):
            for name in nodes[i]._subgraph_names():
                if name not in seen and name in subgraphs:
                    seen.add(name)
                    nodes += subgraphs[name].get_direct_nodes()
            i += 1
        return nodes

    def get_attr(self, key):
        """Value of an attribute of the graph."""
        _require(key, str, "Attribute key must be a string")
        attr = ffi.new("GeAttrData *")
        if lib.GeGraphGetAttr(self._live(), c_text(key), attr) != 0:
            raise failed(f"Failed to get attribute '{key}' from Graph {self.name}")
        return decode(attr)

    def set_attr(self, key, value) -> None:
        """Sets an attribute of the graph: a number, a text, a truth value, a DataType, a tensor, or a list of them."""
        _require(key, str, "Attribute key must be a string")
        attr, keep = encode(key, value)
        if lib.GeGraphSetAttr(self._live(), attr) != 0:
            raise failed(f"Failed to set attribute '{key}' on Graph {self.name}")
        del keep

    def dump_to_file(self, format=DumpFormat.kReadable, suffix="") -> None:
        """Writes one file into the dump folder."""
        _require(suffix, str, "Suffix must be a string")
        _check_format(format)
        if lib.GeGraphDumpToFile(self._live(), format.value, c_text(suffix), NULL, NULL) != 0:
            raise failed(f"Failed to dump graph: {self.name} to file format {format} with suffix {suffix}")

    def dump_to_stream(self, format=DumpFormat.kReadable) -> str:
        """The graph as text."""
        _check_format(format)
        status, dump = collect(lib.GeGraphDump, self._live(), format.value)
        if status != 0:
            raise failed(f"Failed to dump graph: {self.name} to stream")
        return dump

    def __str__(self):
        return self.dump_to_stream(DumpFormat.kReadable)

    def save_to_air(self, file_path) -> None:
        """Writes graph and weights to a file."""
        _require(file_path, str, "file_path must be a string")
        if lib.GeGraphSave(self._live(), c_text(file_path)) != 0:
            raise failed("Failed to save graph to AIR format")

    def load_from_air(self, file_path) -> None:
        """Replaces content and name with those of a file."""
        _require(file_path, str, "file_path must be a string")
        if lib.GeGraphLoad(self._live(), c_text(file_path)) != 0:
            raise failed("Failed to load graph from AIR format")

    def remove_node(self, node) -> None:
        """Removes a node and its edges."""
        _require(node, Node, "node must be a Node")
        name = text(lib.GeNodeName(node._handle))
        if lib.GeGraphRemoveNode(self._live(), node._handle) != 0:
            raise failed(f"Failed to remove Node {name} from Graph {self.name}")

    def remove_edge(self, src_node, src_port_index, dst_node, dst_port_index) -> None:
        """Removes a data edge, or a control edge when both ports are -1."""
        _check_edge(src_node, src_port_index, dst_node, dst_port_index)
        status = lib.GeGraphRemoveEdge(
            self._live(), src_node._handle, port(src_port_index), dst_node._handle, port(dst_port_index)
        )
        if status != 0:
            raise failed(f"Failed to remove Edge from {_edge(src_node, src_port_index, dst_node, dst_port_index)}")

    def add_data_edge(self, src_node, src_port_index, dst_node, dst_port_index) -> None:
        """Connects an output port to a free input port."""
        _check_edge(src_node, src_port_index, dst_node, dst_port_index)
        status = lib.GeGraphAddDataEdge(
            self._live(), src_node._handle, port(src_port_index), dst_node._handle, port(dst_port_index)
        )
        if status != 0:
            raise failed(f"Failed to add DataEdge from {_edge(src_node, src_port_index, dst_node, dst_port_index)}")

    def add_control_edge(self, src_node, dst_node) -> None:
        """Makes dst_node run after src_node."""
        _require(src_node, Node, "src_node must be a Node")
        _require(dst_node, Node, "dst_node must be a Node")
        if lib.GeGraphAddControlEdge(self._live(), src_node._handle, dst_node._handle) != 0:
            raise failed(f"Failed to add Control from Node {_name(src_node)} to Node {_name(dst_node)}")

    def find_node_by_name(self, name) -> Node:
        """The node of this name; RuntimeError when there is none."""
        _require(name, str, "name must be a string")
        out = ffi.new("GeNode **")
        if lib.GeGraphFindNode(self._live(), c_text(name), out) != 0:
            raise failed(f"Failed to find Node name {name}")
        return self._node(out[0])

    def get_all_subgraphs(self):
        """The subgraphs of the root graph, those of subgraphs included."""
        handle = self._live()
        out = ffi.new("GeGraph **")
        graphs = []
        for i in range(lib.GeGraphSubgraphCount(handle)):
            if lib.GeGraphRetainSubgraph(handle, i, out) == 0:
                graphs.append(self._relative(out[0]))
        return graphs

    def get_subgraph(self, name):
        """A subgraph by name, or None."""
        _require(name, str, "name must be a string")
        out = ffi.new("GeGraph **")
        if lib.GeGraphRetainSubgraphByName(self._live(), c_text(name), out) != 0:
            return None
        return self._relative(out[0])

    def _caller(self):
        """(graph, node) that calls this subgraph; (None, None) of a root."""
        graph, node = ffi.new("GeGraph **"), ffi.new("GeNode **")
        if lib.GeGraphRetainCaller(self._live(), graph, node) != 0:
            raise failed(f"Failed to find what calls Graph {self.name}")
        if graph[0] == NULL:
            return None, None
        parent = self._relative(graph[0])
        return parent, parent._node(node[0])

    def get_parent_graph(self):
        """The graph whose node calls this one; None of a root graph."""
        return self._caller()[0]

    def get_parent_node(self):
        """The node that calls this graph (an If, a While, …); None of a root graph."""
        return self._caller()[1]

    def add_subgraph(self, subgraph) -> None:
        """Adds a graph that nodes may call by its name."""
        _require(subgraph, Graph, "subgraph must be a Graph")
        if lib.GeGraphAddSubgraph(self._live(), subgraph._live()) != 0:
            raise failed(f"Failed to add subgraph '{subgraph.name}' to graph '{self.name}'")

    def remove_subgraph(self, name) -> None:
        """Removes a subgraph by name."""
        _require(name, str, "name must be a string")
        if lib.GeGraphRemoveSubgraph(self._live(), c_text(name)) != 0:
            raise failed(f"Failed to remove subgraph '{name}' from graph '{self.name}'")

    def _clone(self):
        """An independent copy; constants are shared."""
        out = ffi.new("GeGraph **")
        if lib.GeGraphClone(self._live(), NULL, out) != 0:
            raise failed(f"Failed to copy Graph {self.name}")
        return Graph._create_from(out[0])

    def _svg(self):
        status, picture = collect(lib.GeGraphDump, self._live(), lib.GE_DUMP_SVG)
        if status != 0:
            raise failed(f"Failed to draw Graph {self.name}")
        return picture

    def _to_bytes(self):
        """Graph and weights, as save_to_air writes them."""
        data, size = ffi.new("void **"), ffi.new("size_t *")
        if lib.GeGraphToBytes(self._live(), data, size) != 0:
            raise failed(f"Failed to save Graph {self.name}")
        return bytes(ffi.buffer(ffi.gc(data[0], lib.GeBytesDestroy), size[0]))

    @classmethod
    def _from_bytes(cls, raw):
        self = cls()
        if lib.GeGraphFromBytes(self._live(), ffi.from_buffer(raw), len(raw)) != 0:
            raise failed("Failed to load Graph")
        return self

    def __reduce__(self):
        return type(self)._from_bytes, (self._to_bytes(),)

    def _transfer_ownership_when_pass_as_subgraph(self, new_owner):
        if self._owner is not None:
            raise RuntimeError(
                f"Graph :{self.name} already has an new owner builder :{self._owner.name}, cannot transfer ownership again"
            )
        self._live()
        self._owner = new_owner
        self._owns_handle = False

    def __repr__(self):
        if self._handle is None:
            return "<Graph, handed over>"
        count, subgraphs = lib.GeGraphNodeCount(self._handle), lib.GeGraphSubgraphCount(self._handle)
        more = f", {subgraphs} subgraph{'s' if subgraphs != 1 else ''}" if subgraphs else ""
        return f"<Graph {text(lib.GeGraphName(self._handle))!r}: {count} node{'s' if count != 1 else ''}{more}>"

    def _repr_html_(self):
        from ge._html import graph_page

        return graph_page(self)


def _check_format(format):
    if not isinstance(format, DumpFormat):
        raise TypeError("Format must be in [DumpFormat.kOnnx, DumpFormat.kTxt, DumpFormat.kReadable]")


def _check_edge(src_node, src_port_index, dst_node, dst_port_index):
    _require(src_node, Node, "src_node must be a Node")
    _require(src_port_index, int, "src_port_index must be an integer")
    _require(dst_node, Node, "dst_node must be a Node")
    _require(dst_port_index, int, "dst_port_index must be an integer")


def _name(node):
    return text(lib.GeNodeName(node._handle))


def _edge(src, src_port, dst, dst_port):
    return f"Node {_name(src)}, Port Index {src_port} to Node {_name(dst)}, Port Index {dst_port}"
