"""Reference kernels for attention and for the caches of keys and values."""

import sys

import numpy as np
import pytest
from engine_harness import ROOT, EngineError
from engine_oracles import draw

sys.path.insert(0, str(ROOT / "tests" / "python"))
from attention_oracle import OPERANDS, appended, in_front, random_case, wanted  # noqa: E402


def attend(cpu, operands, attrs):
    given = [operands.get(n) for n in OPERANDS]
    for i, name in enumerate(("query", "key", "value")):
        given[i] = in_front(given[i], attrs.get(f"{name}_layout", "BNSH"))
    batch, heads, queries, _ = operands["query"].shape
    shape = (batch, heads, queries, operands["value"].shape[3])
    layout = attrs.get("output_layout", "BNSH")
    if layout == "BSNH":
        shape = (shape[0], shape[2], shape[1], shape[3])
    return in_front(cpu("ScaledDotProductAttention", given, attrs, (shape, operands["query"].dtype)), layout)


def test_random_cases(cpu):
    for seed in range(100, 125):
        operands, attrs = random_case(seed)
        want = wanted(*(operands.get(n) for n in OPERANDS), **attrs)
        np.testing.assert_allclose(attend(cpu, operands, attrs), want, rtol=1e-5, atol=1e-6, err_msg=str(attrs))


@pytest.mark.parametrize("dtype,tolerance", [(np.float64, 1e-12), (np.float16, 2e-3)])
def test_other_types(cpu, dtype, tolerance):
    operands = {n: draw((2, 2, 3 + i, 4), dtype, seed=i) for i, n in enumerate(("query", "key"))}
    operands["value"] = draw((2, 2, 4, 4), dtype, seed=2)
    want = wanted(*operands.values(), scale=0.5)
    np.testing.assert_allclose(attend(cpu, operands, {"scale": 0.5}), want, rtol=tolerance, atol=tolerance)


def test_no_keys_at_all(cpu):
    """The product of weights for no keys with no values is 0, as of two matrices without anything between them."""
    operands = {"query": draw((2, 2, 3, 4), np.float32), "key": np.zeros((2, 2, 0, 4), np.float32)}
    operands["value"] = np.zeros((2, 2, 0, 5), np.float32)
    np.testing.assert_array_equal(attend(cpu, operands, {}), np.zeros((2, 2, 3, 5)))


@pytest.mark.parametrize("layout", ["BNSH", "BSNH"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
def test_append(cpu, layout, dtype):
    cache, rows = draw((3, 2, 9, 4), dtype, seed=1), draw((3, 2, 3, 4), dtype, seed=2)
    for lengths, extent in (([9, 5, 3], None), ([9, 3, 1], 7), ([12, 4, 3], 12)):
        for counts in (np.int32, np.int64):
            given = [cache, in_front(rows, layout), np.array(lengths, counts)]
            given.append(None if extent is None else np.array(extent, counts))
            want = appended(cache, rows, lengths, extent)
            got = cpu("AppendKeyValue", given, {"rows_layout": layout}, (want.shape, dtype))
            np.testing.assert_array_equal(got, want)


def test_append_refuses_what_does_not_fit(cpu):
    cache, rows = draw((2, 1, 4, 3), np.float32), draw((2, 1, 2, 3), np.float32, seed=1)
    for lengths in ([4, 5], [4, -1]):
        with pytest.raises(EngineError, match=r"lengths\[1\] is"):
            cpu("AppendKeyValue", [cache, rows, np.array(lengths), None], {}, (cache.shape, np.float32))
