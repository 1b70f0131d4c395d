"""Files that Python writes are there whole, or as they were before."""

import os
import subprocess
import sys

import pytest


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
