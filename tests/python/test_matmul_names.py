"""A product of two matrices runs the same kernel whatever the operator is called: ONNX models bring BatchMatMulV2."""

import numpy as np
import pytest

import ge
import ge.es.all as es
from ge.es import GraphBuilder
from ge.graph import DataType

# Few rows, rows between, many rows; the kernels of the fast engine differ by that.
SIZES = [(1, 64, 128), (4, 256, 512), (40, 96, 200), (128, 512, 512)]
RNG = np.random.default_rng(3)


def model_of(operator, rows, k, n, constant, epilogue):
    b = GraphBuilder("product")
    x = b.create_input(0, name="x", data_type=DataType.DT_FLOAT, shape=[rows, k])
    if constant is None:
        w = b.create_input(1, name="w", data_type=DataType.DT_FLOAT, shape=[k, n])
    else:
        w = b.create_const_float(constant.ravel().tolist(), list(constant.shape))
    y = operator(x, w)
    return ge.load(b.build_and_reset([es.Relu(y) if epilogue else y]))


def placed(model):
    return [(row["type"], row["engine"], row["implementation"]) for row in model.placement().data]


@pytest.mark.parametrize("epilogue", [False, True])
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("open_rows", [False, True])
def test_engine_and_kernel_do_not_depend_on_the_name(size, constant, epilogue, open_rows):
    m, k, n = size
    x, w = RNG.normal(size=(m, k)).astype(np.float32), RNG.normal(size=(k, n)).astype(np.float32)
    feed = {"x": x} if constant else {"x": x, "w": w}
    kernels = []
    for operator in (es.MatMulV2, es.BatchMatMulV2, es.MatMul, es.BatchMatMul):
        model = model_of(operator, -1 if open_rows else m, k, n, w if constant else None, epilogue)
        (y,) = model.run(feed).values()
        want = np.matmul(x, w)
        np.testing.assert_allclose(y, np.maximum(want, 0) if epilogue else want, rtol=1e-4, atol=1e-3)
        kernels.append([(t.replace("Batch", "").removesuffix("V2"), *rest) for t, *rest in placed(model)])
    assert kernels[0] and all(k == kernels[0] for k in kernels)
    if epilogue:
        assert "Relu" not in [row[0] for row in kernels[0]]
