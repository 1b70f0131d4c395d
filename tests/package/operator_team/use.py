"""A graph of the team's operators, from Python: the wheel of the build, reached as ge.es.team."""

import sys

from ge.es import GraphBuilder, get_plugin, list_plugins

import es_team  # isort: skip

assert {"TeamScale", "TeamSplit", "TeamNever"} <= set(es_team.__all__) <= set(dir(es_team))
assert not [name for name in sys.modules if name.startswith("es_team.es_Team")], "an operator loads when it is first used"

from ge.es.team import TeamScale, TeamSplit  # noqa: E402

# The built-in modules are plug-ins of the package in the prefix, as in a wheel.
assert sorted(list_plugins()) == ["all", "cv", "math", "nn", "team", "transformer"], list_plugins()
assert get_plugin("team").__name__ == "es_team"
builder = GraphBuilder("team")
x = builder.create_input(0, name="x", shape=[4])
parts = TeamSplit(TeamScale(x, factor=3.0), at=1)
graph = builder.build_and_reset([TeamScale(parts.head, parts.tail)])
types = [node.type for node in graph.get_all_nodes()]
print(f"{sum(t.startswith('Team') for t in types)} operators of the team")
