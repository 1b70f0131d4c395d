"""Whole networks, split between the processor and the simulated accelerator, beside ONNX Runtime."""

import os
import pathlib
import sys

import pytest

ge = pytest.importorskip("ge")
pytest.importorskip("onnxruntime")
from ge._native import ffi, lib  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "python"))
from net_cases import NetCases, check, nets  # noqa: E402

BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build" / "release"))
ENGINE = BUILD / "tests" / "simulated_engine.so"
KERNELS = BUILD / "lib" / "ge" / "engines" / "libge_engine_reference.so"


@pytest.fixture
def accelerator():
    def load(**options):
        lines = "\n".join(f"{k}={v}" for k, v in {"kernels": KERNELS, **options}.items())
        status = lib.GeEngineLoad(str(ENGINE).encode(), lines.encode())
        assert status == 0, ffi.string(lib.GeLastErrorMessage()).decode()

    yield load
    lib.GeEngineUnload(b"SimulatedEngine")


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return NetCases(tmp_path_factory.mktemp("nets"))


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("regions", [0, 1])
@pytest.mark.parametrize("name", nets.NETS)
def test_split_networks_equal_onnx_runtime(cases, accelerator, name, regions, others):
    path, feed, expected = cases(name)
    accelerator(share=50, seed=len(name), regions=regions, others=others)
    model = ge.load(path, options={"threads": 2})
    for _ in range(2):  # memory that a first run left behind must not show
        check(model.run(feed), expected)
    if len(model.placement()) > 10:  # of a few nodes the draw may leave it none
        assert "SimulatedEngine" in {row["engine"] for row in model.placement()}


def test_the_memory_plan_shows_every_arena(cases, accelerator):
    path, feed, expected = cases(next(iter(nets.NETS)))
    accelerator(share=50, seed=3)
    model = ge.load(path, options={"threads": 1})
    check(model.run(feed), expected)
    plan, picture = model.memory_plan.data, model.memory_plan.svg
    (space,) = plan["spaces"]
    told = model.report()["memory"]["spaces"][0]
    assert (space["name"], space["arena_bytes"]) == (told["name"], told["arena_bytes"])
    for arena in (plan, space):
        assert max(b["offset"] + b["bytes"] for b in arena["blocks"]) == arena["arena_bytes"]
        for i, a in enumerate(arena["blocks"]):  # blocks that live at the same time do not meet
            for b in arena["blocks"][:i]:
                together = a["first_step"] <= b["last_step"] and b["first_step"] <= a["last_step"]
                assert not together or a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
    assert picture.count("step 0</text>") == 2 and f"{space['name']}: arena" in picture
