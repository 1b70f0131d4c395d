from types import ModuleType
from typing import Optional

from .graph_builder import GraphBuilder as GraphBuilder
from .graph_builder import InputType as InputType
from .tensor_holder import TensorHolder as TensorHolder

def list_plugins() -> list[str]: ...
def get_plugin(plugin_name: Optional[str]) -> Optional[ModuleType]: ...
