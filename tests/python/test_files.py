"""Files that Python writes are there whole, or as they were before."""

import os
import subprocess
import sys

import pytest


def test_a_graph_that_calls_a_removed_one_is_not_saved(tmp_path):
    from ge.es import GraphBuilder
    from ge.es.all import If
    from ge.graph import Graph

    def branch(name):
        b = GraphBuilder(name)
        return b.build_and_reset([b.create_input(0)])

    b = GraphBuilder("root")
    cond, x = b.create_inputs(2)
    graph = b.build_and_reset(If(cond, [x], 1, branch("then"), branch("else")))
    path = str(tmp_path / "g.air")
    graph.save_to_air(path)
    graph.remove_subgraph("then")
    with pytest.raises(RuntimeError, match="Failed to save graph to AIR format") as caught:
        graph.save_to_air(path)
    assert "If 'If_0' calls graph 'then', which was removed" in str(caught.value.__cause__)
    before = Graph()
    before.load_from_air(path)  # the file stayed as it was
    assert len(before.get_all_subgraphs()) == 2


@pytest.mark.parametrize("what", ["profile", "memory"])
def test_a_write_that_fails_leaves_the_file_as_it_was(what, tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("old")
    program = f"""
import numpy as np, ge, resource, signal
from ge.es import GraphBuilder
b = GraphBuilder("g")
x = b.create_input(0, name="x", shape=[4])
m = ge.load(b.build_and_reset([x + x]))
made = m.profile({{"x": np.ones(4, np.float32)}}) if {what!r} == "profile" else m.memory_plan
made.save({str(tmp_path / "fresh")!r})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
for path in ({str(kept)!r}, {str(tmp_path / "never")!r}, "/dev/full"):
    try:
        made.save(path)
    except OSError as e:
        print(e.strerror)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.splitlines()[-3:] == ["File too large", "File too large", "No space left on device"], run.stderr
    assert kept.read_text() == "old" and sorted(os.listdir(tmp_path)) == ["fresh", "kept"]
    assert not os.path.isfile("/dev/full")
