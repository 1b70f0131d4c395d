"""Products in bf16 of every height and width of a tile, by AVX512-BF16 and by AMX, beside sums in float64."""

from functools import lru_cache

import numpy as np
import pytest
from engine_harness import ISA, Engine, best_isa, bfloat16

BF16, AMX = 1 << 20, 1 << 19 | 7 << 22  # GE_CPU_AVX512_BF16; GE_CPU_AVX512_VNNI, GE_CPU_AMX_TILE, _INT8, _BF16
ISA["avx512_bf16"] = ISA["avx512"] | BF16
ISA["bf16:amx"] = ISA["avx512"] | BF16 | AMX
PROCESSOR = set(open("/proc/cpuinfo").read().split())


@lru_cache
def engine_of(isa, threads):
    return Engine("onednn", isa, threads)


@pytest.fixture(scope="module", params=["avx512_bf16", "bf16:amx"])
def isa(request):
    needs = {"avx512_bf16"} | ({"amx_tile", "amx_int8", "amx_bf16"} if "amx" in request.param else set())
    if best_isa() != "avx512" or not needs <= PROCESSOR:
        pytest.skip(f"this processor has no {request.param}")
    return request.param


@pytest.mark.parametrize("k", [2, 6, 32, 34, 130, 1540])
@pytest.mark.parametrize("n", [1, 7, 16, 17, 32, 33, 70])
@pytest.mark.parametrize("threads", [1, 2])
def test_products(isa, k, n, threads):
    random = np.random.default_rng(k * n)
    w = (random.standard_normal((k, n)) / 8).astype(bfloat16)
    for m in (2, 11, 12, 13, 16, 17, 31, 32, 33, 47, 100, 300):
        x = random.standard_normal((m, k)).astype(bfloat16)
        want = x.astype(np.float64) @ w.astype(np.float64)
        for type in (np.float32, bfloat16):
            attrs = {"scale": 1.0, "activation": ""}
            got, info = engine_of(isa, threads).run_once("FusedMatMulV2", [x, w, None, None], attrs, [(want.shape, type)], [1])
            assert ("amx" in info["implementation"]) == ("amx" in isa)
            atol = 1e-5 * k if type == np.float32 else 2**-8 * np.abs(want).max()
            np.testing.assert_allclose(got[0].astype(np.float64), want, rtol=0, atol=atol)


def test_infinities_stay_in_their_rows_and_columns(isa):
    x, w = np.ones((40, 70), bfloat16), np.ones((70, 40), bfloat16)
    x[3, 69], w[0, 35] = np.inf, np.nan
    attrs = {"scale": 1.0, "activation": ""}
    got, _ = engine_of(isa, 1).run_once("FusedMatMulV2", [x, w, None, None], attrs, [((40, 40), np.float32)], [1])
    want = x.astype(np.float32) @ w.astype(np.float32)
    np.testing.assert_array_equal(got[0], want)
