"""Empty tensors, and tensors so large that the work is split: run() compares one range with several to the bit."""

import numpy as np
import pytest
from engine_harness import Fmt
from engine_oracles import draw

F = np.float32
CONV = {"strides": [1, 1, 1, 1], "pads": [1, 1, 1, 1], "dilations": [1, 1, 1, 1], "groups": 1, "data_format": "NCHW"}
POOL = {"ksize": [1, 1, 3, 3], "strides": [1, 1, 2, 2], "pads": [1, 1, 1, 1]}
IMAGE = (2, 9, 40, 70)
AXIS = np.array([1])


def f(*shape, seed=0):
    return draw(shape, seed=seed)


LARGE = {
    "unary": ("Exp", [f(90000)], {}, [((90000,), F)]),
    "half": ("Tanh", [f(90000).astype(np.float16)], {}, [((90000,), np.float16)]),
    "broadcast": ("Add", [f(30, 1, 700), f(50, 1)], {}, [((30, 50, 700), F)]),
    "rows": ("Mul", [f(700, 100), f(700, 1)], {}, [((700, 100), F)]),
    "cast": ("Cast", [f(90000)], {}, [((90000,), np.int8)]),
    "select": ("SelectV2", [f(300, 1) > 0, f(300, 200), f(200)], {}, [((300, 200), F)]),
    "add_n": ("AddN", [f(300, 200), f(200), f(300, 1)], {}, [((300, 200), F)]),
    "fused": (
        "FusedElementwise",
        [f(300, 200), f(200)],
        {"program": [12, 2, 0, 1, 0, 43, 3, 2, 0, 0], "outputs": [3]},
        [((300, 200), F)],
    ),
    "reduce last": ("ReduceSum", [f(500, 300), AXIS], {}, [((500,), F)]),
    "reduce first": ("ReduceMax", [f(300, 1500), np.array([0])], {}, [((1500,), F)]),
    "reduce middle": ("ReduceMean", [f(20, 90, 300), AXIS], {}, [((20, 300), F)]),
    "arg": ("ArgMaxV2", [f(20, 90, 300), np.int32(1)], {}, [((20, 300), np.int32)]),
    "cumsum": ("Cumsum", [f(20, 90, 300), np.int32(1)], {}, [((20, 90, 300), F)]),
    "softmax": ("SoftmaxV2", [f(300, 400)], {"axes": [-1]}, [((300, 400), F)]),
    "softmax of columns": ("SoftmaxV2", [f(40, 3000)], {"axes": [0]}, [((40, 3000), F)]),
    "layer norm": ("LayerNormV4", [f(300, 200), np.array([200]), f(200), f(200)], {}, [((300, 200), F), None, None]),
    "group norm": ("GroupNorm", [f(*IMAGE), f(9), f(9)], {"num_groups": 3}, [(IMAGE, F), None, None]),
    "batch norm": ("BNInfer", [f(*IMAGE), *[draw((9,), low=0.5, seed=i) for i in range(4)]], {}, [(IMAGE, F)]),
    "batch norm of rows": (
        "BatchNorm",
        [f(3000, 20), *[draw((20,), low=0.5, seed=i) for i in range(4)]],
        {"is_training": True},
        [((3000, 20), F)] + [((20,), F)] * 4 + [None],
    ),
    "conv": ("Conv2D", [f(*IMAGE), f(11, 9, 3, 3)], CONV, [((2, 11, 40, 70), F)]),
    "conv of halves": (
        "Conv2D",
        [f(*IMAGE).astype(np.float16), f(11, 9, 3, 3).astype(np.float16)],
        CONV,
        [((2, 11, 40, 70), np.float16)],
    ),
    "conv transpose": (
        "Conv2DTranspose",
        [np.array([2, 4, 40, 70]), f(*IMAGE), f(9, 4, 3, 3)],
        CONV,
        [((2, 4, 40, 70), F)],
    ),
    "max pool": ("MaxPoolV3", [f(*IMAGE)], POOL, [((2, 9, 20, 35), F)]),
    "global pool": ("GlobalAveragePool", [f(*IMAGE)], {}, [((2, 9, 1, 1), F)]),
    "adaptive pool": ("AdaptiveAvgPool2d", [f(*IMAGE)], {}, [((2, 9, 6, 5), F)]),
    "resize": ("Resize", [f(*IMAGE), None, None, np.array([2, 9, 80, 90])], {"mode": "linear"}, [((2, 9, 80, 90), F)]),
    "resize nearest": ("Resize", [f(*IMAGE), None, None, np.array([2, 9, 80, 90])], {}, [((2, 9, 80, 90), F)]),
    "grid sample": ("GridSample", [f(*IMAGE), f(2, 30, 20, 2)], {}, [((2, 9, 30, 20), F)]),
    "matmul": ("MatMulV2", [f(100, 70), f(70, 300)], {}, [((100, 300), F)]),
    "batch matmul": ("BatchMatMulV2", [f(20, 30, 40), f(40, 50)], {}, [((20, 30, 50), F)]),
    "einsum": ("Einsum", [f(60, 50), f(50, 70)], {"equation": "ij,jk->ik"}, [((60, 70), F)]),
    "transpose": ("Transpose", [f(300, 400), np.array([1, 0])], {}, [((400, 300), F)]),
    "one long row": ("TensorMove", [f(900000)], {}, [((900000,), F)]),
    "concat": ("ConcatD", [f(300, 200), f(300, 100)], {"concat_dim": 1}, [((300, 300), F)]),
    "gather": ("GatherV2", [f(500, 100), np.arange(499, -1, -1), np.array(0)], {}, [((500, 100), F)]),
    "gather elements": ("GatherElements", [f(300, 40), np.arange(9000).reshape(300, 30) % 40], {"dim": 1},
                        [((300, 30), F)]),
    "pad": ("PadV3", [f(200, 100), np.array([1, 1, 2, 2]), None], {"mode": "reflect"}, [((202, 104), F)]),
    "tril": ("Tril", [f(300, 200)], {}, [((300, 200), F)]),
    "top k": ("TopKV2", [f(300, 50), np.array(5)], {}, [((300, 5), F), ((300, 5), np.int32)]),
    "one hot": ("OneHot", [np.arange(600) % 100, np.array(100), F(1), F(0)], {}, [((600, 100), F)]),
    "random": ("RandomStandardNormal", [np.array([50000])], {"seed": 2}, [((50000,), F)]),
    "swiglu": ("SwiGlu", [f(300, 400)], {}, [((300, 200), F)]),
    "lstm": (
        "CommonLSTM",
        [f(9, 8, 32), f(2, 160, 32), f(2, 160, 40), f(2, 320), None, None, None, None],
        {"hidden_size": 40, "direction": "bidirectional"},
        [((9, 2, 8, 40), F), ((2, 8, 40), F), ((2, 8, 40), F)],
    ),
    "blocks": ("DepthToSpace", [f(2, 16, 40, 70)], {"block_size": 2, "data_format": "NCHW"}, [((2, 4, 80, 140), F)]),
}  # fmt: skip


@pytest.mark.parametrize("case", LARGE)
def test_split_work_gives_the_same(cpu, case):
    op, inputs, attrs, outputs = LARGE[case]
    results = cpu.run(op, inputs, attrs, outputs)
    assert cpu.ranges > 1, "the work was not split: make the case larger"
    for y in results:
        assert y is None or y.dtype.kind != "f" or np.isfinite(y.astype(np.float32)).all()


NONE = (0, 5)
EMPTY = {
    "unary": ("Exp", [f(*NONE)], {}, [(NONE, F)]),
    "binary": ("Add", [f(*NONE), f(5)], {}, [(NONE, F)]),
    "select": ("SelectV2", [f(*NONE) > 0, f(5), f(5)], {}, [(NONE, F)]),
    "reduce nothing": ("ReduceSum", [f(0, 3), np.array([1])], {}, [((0,), F)]),
    "softmax": ("SoftmaxV2", [f(5, 0)], {"axes": [1]}, [((5, 0), F)]),
    "layer norm": ("LayerNormV4", [f(0, 5), np.array([5]), f(5), f(5)], {}, [(NONE, F), ((0, 1), F), ((0, 1), F)]),
    "batch norm": ("BNInfer", [f(2, 0, 3), *[f(0)] * 4], {}, [((2, 0, 3), F)]),
    "batch norm of rows": ("BNInfer", [Fmt(f(2, 0), "NHWC"), *[f(0)] * 4], {}, [((2, 0), F)]),
    "group norm": ("GroupNorm", [f(0, 4, 3), f(4), f(4)], {"num_groups": 2}, [((0, 4, 3), F), None, None]),
    "conv": ("Conv2D", [f(0, 3, 4, 4), f(2, 3, 3, 3)], CONV, [((0, 2, 4, 4), F)]),
    "conv without output channels": ("Conv2D", [f(1, 3, 4, 4), f(0, 3, 3, 3)], CONV, [((1, 0, 4, 4), F)]),
    "max pool": ("MaxPoolV3", [f(0, 3, 4, 4)], POOL, [((0, 3, 2, 2), F)]),
    "resize": ("Resize", [f(0, 3, 4, 4), None, None, np.array([0, 3, 8, 8])], {}, [((0, 3, 8, 8), F)]),
    "matmul": ("MatMulV2", [f(0, 3), f(3, 0)], {}, [((0, 0), F)]),
    "transpose": ("Transpose", [f(0, 3), np.array([1, 0])], {}, [((3, 0), F)]),
    "gather": ("GatherV2", [f(4, 0), np.array([1]), np.array(0)], {}, [((1, 0), F)]),
    "scatter": ("ScatterNdUpdate", [f(4, 5), np.zeros((0, 1), np.int64), f(0, 5)], {}, [((4, 5), F)]),
    "top k": ("TopKV2", [f(0, 5), np.array(2)], {}, [((0, 2), F), ((0, 2), np.int32)]),
    "cumsum": ("Cumsum", [f(3, 0), np.array(1)], {}, [((3, 0), F)]),
    "lstm": ("CommonLSTM", [f(0, 2, 3), f(1, 16, 3), f(1, 16, 4), None, None, None, None, None], {"hidden_size": 4},
             [((0, 1, 2, 4), F), ((1, 2, 4), F), ((1, 2, 4), F)]),
    "space to depth": ("SpaceToDepth", [f(0, 3, 4, 4)], {"block_size": 2, "data_format": "NCHW"}, [((0, 12, 2, 2), F)]),
    "random": ("RandomUniform", [np.array([0])], {}, [((0,), F)]),
}  # fmt: skip


@pytest.mark.parametrize("case", EMPTY)
def test_empty(cpu, case):
    op, inputs, attrs, outputs = EMPTY[case]
    for y, spec in zip(cpu.run(op, inputs, attrs, outputs), outputs):
        if spec is None:
            continue
        assert y.shape == spec[0]
        if y.size:  # what remains is zeros, or the first input
            np.testing.assert_array_equal(y, inputs[0] if y.shape == inputs[0].shape else 0)
