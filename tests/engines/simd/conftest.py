import pytest
from simd_runner import Vector


@pytest.fixture(scope="session", params=["avx2", "avx512"])
def vector(request):
    flags = open("/proc/cpuinfo").read()
    if request.param == "avx512" and "avx512dq" not in flags:
        pytest.skip("this processor has no AVX-512")
    return Vector(request.param)
