from ge.graph.graph import Graph
from ge.graph.node import Node

class GeUtils:
    @staticmethod
    def infer_shape(graph: Graph, input_shapes: list[list[int]]) -> None: ...
    @staticmethod
    def check_node_support_on_aicore(node: Node) -> tuple[bool, str]: ...
