"""Node: a reference to one node of a graph."""

from ge._native import NULL, c_text, failed, ffi, lib, text

from ._attr import decode, encode
from ._nocopy import NoCopy
from ._plain import port
from .tensor import Tensor
from .tensor_desc import TensorDesc
from .types import AttrValueType


def _require(value, kind, message):
    if not isinstance(value, kind):
        raise TypeError(message)


class Node(NoCopy):
    """A node. The wrapper keeps the graph alive; two wrappers may stand for one node, so compare names."""

    __slots__ = ("_handle", "_graph", "_owns_handle", "__weakref__")

    def __init__(self, *args, **kwargs):
        raise RuntimeError("Node objects should not be created directly.")

    @classmethod
    def _create_from(cls, handle, owns_handle=True):
        """A wrapper for a native node; takes its own reference to the graph."""
        if handle is None or handle == NULL:
            raise ValueError("Node handle cannot be None")
        out = ffi.new("GeGraph **")
        if lib.GeNodeRetainGraph(handle, out) != 0:
            raise failed("Failed to get the graph of a Node")
        return cls._wrap(handle, ffi.gc(out[0], lib.GeGraphDestroy))

    @classmethod
    def _wrap(cls, handle, graph):
        """A wrapper that shares the graph reference of its caller."""
        self = cls.__new__(cls)
        self._handle = handle
        self._graph = graph
        self._owns_handle = True
        return self

    def _sibling(self, handle):
        """Another node of the same graph as an object, which lasts as long as this one."""
        return type(self)._wrap(handle, self._graph)

    @property
    def name(self) -> str:
        """Name of the node."""
        name = text(lib.GeNodeName(self._handle))
        if not name:
            raise failed("Failed to get Node name")
        return name

    @property
    def type(self) -> str:
        """Operator type of the node."""
        kind = text(lib.GeNodeType(self._handle))
        if not kind:
            raise failed("Failed to get Node type")
        return kind

    def _subgraph_names(self):
        """Names of the graphs that the node calls."""
        ir_name, graph_name = ffi.new("const char **"), ffi.new("const char **")
        for i in range(lib.GeNodeSubgraphCount(self._handle)):
            if lib.GeNodeGetSubgraphName(self._handle, i, ir_name, graph_name) == 0:
                yield text(graph_name[0])

    def get_in_data_nodes_and_port_indexes(self, in_index):
        """(producer, its output port) of an input port."""
        _require(in_index, int, "Input index must be an integer")
        src, src_port = ffi.new("GeNode **"), ffi.new("int32_t *")
        if lib.GeNodeGetInputSource(self._handle, port(in_index), src, src_port) != 0:
            raise failed(f"Failed to get input data node for index {in_index}")
        if src[0] == NULL:
            raise failed(f"Failed to get input data node for index {in_index}", reason="that input is not connected")
        return self._sibling(src[0]), src_port[0]

    def get_out_data_nodes_and_port_indexes(self, out_index):
        """[(consumer, its input port), …] of an output port."""
        _require(out_index, int, "Output index must be an integer")
        count = self.get_outputs_size()
        if not 0 <= out_index < count:
            raise failed(
                f"Failed to get output data node for index {out_index}",
                reason=f"node '{self.name}' has {count} outputs, counted from 0",
            )
        dst, dst_port = ffi.new("GeNode **"), ffi.new("int32_t *")
        consumers = []
        for i in range(lib.GeNodeConsumerCount(self._handle, out_index)):
            if lib.GeNodeGetConsumer(self._handle, out_index, i, dst, dst_port) != 0:
                raise failed(f"Failed to get output data node for index {out_index}")
            consumers.append((self._sibling(dst[0]), dst_port[0]))
        return consumers

    def _neighbours(self, count, get):
        out = ffi.new("GeNode **")
        nodes = []
        for i in range(count(self._handle)):
            if get(self._handle, i, out) == 0:
                nodes.append(self._sibling(out[0]))
        return nodes

    def get_in_control_nodes(self):
        """Nodes with a control edge to this one."""
        return self._neighbours(lib.GeNodeControlInputCount, lib.GeNodeGetControlInput)

    def get_out_control_nodes(self):
        """Nodes this one has a control edge to."""
        return self._neighbours(lib.GeNodeControlOutputCount, lib.GeNodeGetControlOutput)

    def get_inputs_size(self) -> int:
        """Inputs but optional ones that are neither connected nor described. Ports keep their index, so one after such a
        gap may have an index that is not below this."""
        count = lib.GeNodeInputCount(self._handle)
        schema = lib.GeNodeSchema(self._handle) if count else NULL
        port, instances = 0, ffi.new("int32_t *")
        for i in range(0 if schema == NULL else schema.input_count):
            instances[0] = 1
            if schema.inputs[i].kind == lib.GE_IR_DYNAMIC:
                lib.GeNodeGetDynamicInputCount(self._handle, schema.inputs[i].name, instances)
            elif schema.inputs[i].kind == lib.GE_IR_OPTIONAL:
                count -= not self._in_use(port)
            port += instances[0]
        return count

    def _in_use(self, port):
        source, index, desc = ffi.new("GeNode **"), ffi.new("int32_t *"), ffi.new("GeTensorData *")
        if lib.GeNodeGetInputSource(self._handle, port, source, index) == 0 and source[0] != NULL:
            return True
        return lib.GeNodeGetInputDesc(self._handle, port, desc) == 0 and desc.data_type != lib.C_DT_UNDEFINED

    def get_outputs_size(self) -> int:
        """Number of outputs."""
        return lib.GeNodeOutputCount(self._handle)

    def has_attr(self, attr_name) -> bool:
        """Whether the attribute was set."""
        _require(attr_name, str, "attr_name must be a string")
        return lib.GeNodeGetAttr(self._handle, c_text(attr_name), ffi.new("GeAttrData *")) == 0

    def get_attr(self, key):
        """Value of an attribute that was set; an optional one that was left at its default is missing."""
        _require(key, str, "Attribute key must be a string")
        attr = ffi.new("GeAttrData *")
        if lib.GeNodeGetAttr(self._handle, c_text(key), attr) != 0:
            raise failed(f"Failed to get attribute '{key}' from Node")
        if attr.type == AttrValueType.VT_TENSOR:  # shared, not copied, until somebody changes it
            out = ffi.new("GeTensor **")
            if lib.GeNodeRetainAttrTensor(self._handle, c_text(key), out) == 0:
                return Tensor._wrap(ffi.gc(out[0], lib.GeTensorDestroy), shared=True)
        return decode(attr)

    def set_attr(self, key, value) -> None:
        """Sets an attribute: a number, a text, a truth value, a DataType, a tensor, or a list of them."""
        _require(key, str, "Attribute key must be a string")
        attr, keep = encode(key, value)
        if lib.GeNodeSetAttr(self._handle, attr) != 0:
            raise failed(f"Failed to set attribute '{key}' on Node {self.name}")
        del keep

    def get_input_attr(self, attr_name, input_index):
        """Attribute of an input port."""
        _require(attr_name, str, "Attribute name must be a string")
        _require(input_index, int, "Input index must be an integer")
        return self._get_port_attr(lib.GeNodeGetInputAttr, "input", attr_name, input_index)

    def set_input_attr(self, attr_name, input_index, value) -> None:
        """Sets an attribute of an input port."""
        _require(attr_name, str, "Attribute name must be a string")
        _require(input_index, int, "Input index must be an integer")
        self._set_port_attr(lib.GeNodeSetInputAttr, "input", attr_name, input_index, value)

    def get_output_attr(self, attr_name, output_index):
        """Attribute of an output port."""
        _require(attr_name, str, "Attribute name must be a string")
        _require(output_index, int, "Output index must be an integer")
        return self._get_port_attr(lib.GeNodeGetOutputAttr, "output", attr_name, output_index)

    def set_output_attr(self, attr_name, output_index, value) -> None:
        """Sets an attribute of an output port."""
        _require(attr_name, str, "Attribute name must be a string")
        _require(output_index, int, "Output index must be an integer")
        self._set_port_attr(lib.GeNodeSetOutputAttr, "output", attr_name, output_index, value)

    def _get_port_attr(self, get, side, name, index):
        attr = ffi.new("GeAttrData *")
        if get(self._handle, port(index), c_text(name), attr) != 0:
            raise failed(f"Failed to get Node {self.name} {side} attribute '{name}' for index {index}")
        return decode(attr)

    def _set_port_attr(self, set_, side, name, index, value):
        attr, keep = encode(name, value)
        if set_(self._handle, port(index), attr) != 0:
            raise failed(f"Failed to set Node {self.name} {side} attribute '{name}' for index {index}")
        del keep

    def get_input_desc(self, index) -> TensorDesc:
        """Description of an input port (a copy)."""
        _require(index, int, "Input index must be an integer")
        return self._get_desc(lib.GeNodeGetInputDesc, "input", index)

    def update_input_desc(self, index, tensor_desc) -> None:
        """Replaces the description of an input port."""
        _require(index, int, "Input index must be an integer")
        self._update_desc(lib.GeNodeSetInputDesc, "input", index, tensor_desc)

    def get_output_desc(self, index) -> TensorDesc:
        """Description of an output port (a copy)."""
        _require(index, int, "Output index must be an integer")
        return self._get_desc(lib.GeNodeGetOutputDesc, "output", index)

    def update_output_desc(self, index, tensor_desc) -> None:
        """Replaces the description of an output port."""
        _require(index, int, "Output index must be an integer")
        self._update_desc(lib.GeNodeSetOutputDesc, "output", index, tensor_desc)

    def _get_desc(self, get, side, index):
        data = ffi.new("GeTensorData *")
        if get(self._handle, port(index), data) != 0:
            raise failed(f"Failed to get {side} desc for index {index}")
        return TensorDesc._create_from(data)

    def _update_desc(self, set_, side, index, tensor_desc):
        _require(tensor_desc, TensorDesc, "tensor_desc must be a TensorDesc")
        if set_(self._handle, port(index), tensor_desc._handle) != 0:
            raise failed(f"Failed to update {side} desc for index {index}")

    def __repr__(self):
        return f"<Node {text(lib.GeNodeName(self._handle))!r} of type {text(lib.GeNodeType(self._handle))}>"
