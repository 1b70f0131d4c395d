from functools import lru_cache

import pytest
from simd_runner import Vector

vector_of = lru_cache(Vector)  # one of each for the session, whatever the order of the tests


@pytest.fixture(scope="session", params=["avx2", "avx512"])
def vector(request):
    flags = open("/proc/cpuinfo").read()
    if request.param == "avx512" and "avx512dq" not in flags:
        pytest.skip("this processor has no AVX-512")
    return vector_of(request.param)


def pytest_collection_modifyitems(items):
    """What all tests have left behind is looked at last."""
    items.sort(key=lambda item: item.name.startswith("test_operators_show_their_traits"))
