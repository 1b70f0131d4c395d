"""A process that may not start threads runs on one and says so."""

import os
import resource
import subprocess

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import ge.__main__ as tool


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become a user without processes")
def test_a_process_without_threads_runs_on_one(tmp_path):
    n = 512
    w = np.random.default_rng(0).random((n, n), np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Neg", ["a"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [n, n])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(w, "w")],
    )
    model, x, y = tmp_path / "m.onnx", tmp_path / "x.npy", tmp_path / "y.npz"
    model.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString())
    np.save(x, w)
    for folder in [tmp_path, *list(tmp_path.parents)[:2]]:
        os.chmod(folder, 0o777 if folder == tmp_path else 0o755)

    def alone():
        resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        os.setuid(54321)  # a user who has no other process

    def run(prepare):
        args = [tool.find(), "run", model, "-i", f"x={x}", "-o", y, "--threads", "4"]
        run = subprocess.run(args, preexec_fn=prepare, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        with np.load(y) as out:
            got = out["y"]
        y.unlink()
        return got, run.stderr

    got, said = run(alone)
    assert "only 0 more threads can be started where a model is to use 4" in said and "it runs on one" in said
    np.testing.assert_allclose(got, -(w.astype(np.float64) @ w), rtol=1e-4)
    got, said = run(None)
    assert "threads can be started" not in said
    np.testing.assert_allclose(got, -(w.astype(np.float64) @ w), rtol=1e-4)
