"""Models as torch.onnx.export(dynamo=True) writes them today: each runs as with ONNX Runtime, for every size.

Run where PyTorch, onnxscript and ONNX Runtime are installed; they are too large for the project's own set-up:

    python -m pip install torch onnxscript onnxruntime && python -m pytest tests/exporters
"""

import io
import warnings

import numpy as np
import pytest

import ge

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")
onnxruntime = pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")

from torch_models import CASES  # noqa: E402


def export(module, feed, shapes, opset):
    buffer = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(module.eval(), feed, dynamo=True, dynamic_shapes=shapes, opset_version=opset, verbose=False)
    program.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="module", params=CASES.values(), ids=CASES)
def exported(request):
    case = request.param
    torch.manual_seed(0)
    module, shapes, feeds = case.make()
    return case, export(module, feeds[0], shapes, case.opset), feeds


def test_runs_as_with_onnx_runtime(exported):
    case, raw, feeds = exported
    assert onnx.load_model_from_string(raw).opset_import[0].version == case.opset
    reference = onnxruntime.InferenceSession(raw, providers=["CPUExecutionProvider"])
    model = ge.load(raw)
    names = [i.name for i in reference.get_inputs()]
    assert [p.name for p in model.inputs] == names
    for feed in [*feeds, *feeds]:  # sizes come again
        arrays = dict(zip(names, (t.numpy() for t in feed), strict=True))
        wanted = reference.run(None, arrays)
        got = model.run(arrays)
        assert list(got) == [o.name for o in reference.get_outputs()]
        for name, want in zip(got, wanted, strict=True):
            assert got[name].dtype == want.dtype and got[name].shape == want.shape, name
            if want.dtype.kind != "f":
                np.testing.assert_array_equal(got[name], want, err_msg=name)
                continue
            largest = max(float(np.abs(want[np.isfinite(want)]).max(initial=0)), 1e-3)
            np.testing.assert_allclose(got[name], want, rtol=0, atol=case.bound * largest, err_msg=name)
