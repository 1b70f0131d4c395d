"""Maximum pooling of 8-bit integers, channels first and last."""

import numpy as np
import pytest

POOLS = [  # n, c, h, w, kernel, strides, pads
    (1, 3, 9, 8, (3, 3), (2, 2), (1, 1, 1, 1)),
    (2, 64, 12, 12, (3, 3), (2, 2), (0, 1, 0, 1)),
    (1, 5, 7, 40, (2, 5), (1, 3), (1, 0, 4, 2)),
    (1, 2, 3, 2100, (1, 7), (1, 2), (0, 0, 3, 3)),  # rows longer than a part
    (1, 1, 1, 3000, (1, 1500), (1, 700), (0, 0, 0, 0)),  # windows wider than one
    (1, 4, 2, 2, (2, 2), (2, 2), (2, 2, 2, 2)),  # windows that see padding only
]


def pooled(x, kernel, strides, pads):
    top, bottom, left, right = pads
    low = np.iinfo(x.dtype).min
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=low)
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel, (2, 3))[:, :, :: strides[0], :: strides[1]]
    return windows.max((-2, -1))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("case", POOLS)
def test_max_pool(vector, dtype, case):
    n, c, h, w, kernel, strides, pads = case
    info = np.iinfo(dtype)
    x = np.random.default_rng(1).integers(info.min, info.max + 1, (n, c, h, w)).astype(dtype)
    want = pooled(x, kernel, strides, pads)
    for last in (False, True):
        four = (lambda v: [1, *v, 1]) if last else (lambda v: [1, 1, *v])  # noqa: B023
        turned = (lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1))) if last else (lambda a: a)
        attrs = {"ksize": four(kernel), "strides": four(strides), "pads": list(pads),
                 "data_format": "NHWC" if last else "NCHW"}  # fmt: skip
        got = vector.one("MaxPoolV3", [turned(x)], attrs, turned(want).shape, dtype)
        np.testing.assert_array_equal(got, turned(want))


def test_refusals(vector):
    x = np.zeros((1, 2, 4, 4), np.int8)
    attrs = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "pads": [0, 0, 0, 0]}
    out = [((1, 2, 2, 2), np.int8)]
    assert "DT_FLOAT is not supported" in vector.check("MaxPoolV3", [x.astype(np.float32)], attrs, [((1, 2, 2, 2), np.float32)])
    assert "over batch or channels" in vector.check("MaxPoolV3", [x], {**attrs, "ksize": [1, 2, 2, 2]}, out)
    assert "must be positive" in vector.check("MaxPoolV3", [x], {**attrs, "strides": [1, 1, 0, 2]}, out)
    assert "negative pads" in vector.check("MaxPoolV3", [x], {**attrs, "pads": [0, 0, -1, 0]}, out)
    assert "ksize has 2 values" in vector.check("MaxPoolV3", [x], {**attrs, "ksize": [2, 2]}, out)
