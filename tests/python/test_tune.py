"""Option tune: kernels that are measured give what estimated ones give."""

import sys
from pathlib import Path

import numpy as np
import pytest

import ge
from ge.error import GeError

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import nets  # noqa: E402
from net_cases import reference  # noqa: E402

pytestmark = pytest.mark.isa


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["resnet50", "detector", "bert"])
def test_results_are_the_same(name, threads):
    model, feed = nets.build(name, small=True)
    tuned = ge.load(model, options={"tune": 1, "threads": threads})
    assert tuned.report()["options"]["tune"] == "1"
    want = list(reference(model, feed).values())[0]
    got, estimated = (list(m.run(feed).values())[0] for m in (tuned, ge.load(model, options={"threads": threads})))
    for value in (got, estimated):
        np.testing.assert_allclose(value, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


def test_weights_that_are_computed_and_open_sizes():
    """Kernels that cannot be measured are chosen by estimates."""
    w = nets.Writer("w", 1)
    x, filters = w.input("x", ["n", 32, "h", "w"]), w.input("filters", [32, 32, 3, 3])
    y = w.add("Conv", w.add("Relu", w.conv(x, 32, 32, 3)), filters, pads=[1] * 4)
    w.output(y, "y", ["n", 32, "h", "w"])
    model = w.finish()
    m = ge.load(model, options={"tune": "1"})
    r = np.random.default_rng(0)
    for size in (8, 17, 12):
        feed = {
            "x": r.standard_normal((1, 32, size, size)).astype(np.float32),
            "filters": r.standard_normal((32, 32, 3, 3)).astype(np.float32),
        }
        want = reference(model, feed)["y"]
        np.testing.assert_allclose(m.run(feed)["y"], want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


def test_no_limit_of_time_beside_it():
    model, _ = nets.build("mlp", small=True)
    with pytest.raises(GeError, match="options tune and engine_time_limit exclude each other"):
        ge.load(model, options={"tune": "1", "engine_time_limit": "1000"})


def test_values_that_are_none():
    model, _ = nets.build("mlp", small=True)
    with pytest.raises(GeError, match="option tune is 'yes', allowed: 0, 1"):
        ge.load(model, options={"tune": "yes"})
