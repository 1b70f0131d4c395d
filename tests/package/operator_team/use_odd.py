"""The wheel of a package whose name is no identifier, by each of its names."""

import importlib
import sys

from ge.es import GraphBuilder, get_plugin, list_plugins

import es_my_mod  # isort: skip
from es_my_mod import TeamScale  # isort: skip

package = importlib.import_module("es_my-mod")
assert es_my_mod is package and package.get_module() is package and package.__name__ == "es_my-mod"
assert importlib.import_module("es_my-mod.es_my-mod_ops").TeamScale is TeamScale
assert importlib.import_module("es_my-mod.es_TeamScale").TeamScale is TeamScale
assert {"my-mod", "my_mod"} <= set(list_plugins()) and get_plugin("my-mod") is package is get_plugin("my_mod")
assert importlib.import_module("ge.es.my-mod") is package
from ge.es.my_mod import TeamSplit  # noqa: E402
from ge.es.my_mod.es_TeamScale import TeamScale as again  # noqa: E402

assert again is TeamScale and TeamSplit is package.TeamSplit
builder = GraphBuilder("odd")
graph = builder.build_and_reset([TeamScale(builder.create_input(0), factor=3.0)])
assert len([name for name in sys.modules if name.endswith("es_my-mod_ops")]) == 1
print([node.type for node in graph.get_all_nodes()].count("TeamScale"), "operator")
