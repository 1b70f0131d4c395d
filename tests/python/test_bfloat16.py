"""bfloat16 values: of the package ml_dtypes where it is installed, else uint16 with the bits."""

import subprocess
import sys

import models
import numpy as np
import pytest
from onnx import TensorProto

import ge

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = np.dtype(ml_dtypes.bfloat16)


def model(shape):
    kind = TensorProto.BFLOAT16
    return models.make([models.node("Add", ["x", "x"], ["y"])], {"x": (kind, shape)}, {"y": (kind, shape)})


@pytest.mark.parametrize("shape", [[2, 3], ["n", 3]])
def test_arrays_come_and_go_as_ml_dtypes(shape):
    m = ge.load(model(shape).SerializeToString())
    assert m.inputs[0].dtype == BF16 and m.outputs[0].dtype == BF16 and "bfloat16" in repr(m)
    x = np.float32([[1, 2, 3], [-0.5, 1e30, 7]])
    want = (x + x).astype(BF16)
    strided = np.repeat(x, 2, axis=1).astype(BF16)[:, ::2]
    for given in (x.astype(BF16), x.astype(BF16).view(np.uint16), strided, x.tolist()):
        (y,) = m.run({"x": given}).values()
        assert y.dtype == BF16 and y.shape == (2, 3)
        np.testing.assert_array_equal(y.view(np.uint16), want.view(np.uint16))
    assert m.profile({"x": x.astype(BF16)}).outputs["y"].dtype == BF16
    with pytest.raises(TypeError, match="got dtype float32, expected bfloat16"):
        m.run({"x": x})


def test_without_the_package_bits_travel_as_uint16():
    program = f"""
import sys
sys.modules["ml_dtypes"] = None  # importing it fails
import numpy as np, ge
m = ge.load({model([2]).SerializeToString()!r})
(y,) = m.run({{"x": np.uint16([0x3f80, 0xc000])}}).values()
print(m.inputs[0].dtype, y.dtype, [hex(v) for v in y])
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "uint16 uint16 ['0x4000', '0xc080']\n", run.stderr


def test_importing_ge_leaves_the_package_alone():
    program = "import sys, ge; print('ml_dtypes' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"
