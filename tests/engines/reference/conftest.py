"""Fixtures for engine tests. The reference engine records which operators ran, for the coverage test, and checks each call
against the traits of the operator."""

import os
import pathlib
import sys

import engine_harness
import pytest
from engine_harness import Engine
from trait_oracles import TraitChecks, check_aliases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "engine_suite"))
import case_writer  # noqa: E402

CASES = os.environ.get("GE_WRITE_ENGINE_CASES")
writer = case_writer.CaseWriter(engine_harness) if CASES else None


class RecordingEngine(Engine):
    def __init__(self, name):
        super().__init__(name)
        self.exercised = set()
        self.traits = TraitChecks()

    def run(self, type, inputs, attrs=None, outputs=()):
        results = super().run(type, inputs, attrs, outputs)
        self.exercised.add(type)
        check_aliases(type, self.info, inputs, outputs)
        self.traits.check(self, type, inputs, attrs, outputs, results)
        if writer:
            writer.add(type, [self._array(x) for x in inputs], attrs or {}, results)
        return results


@pytest.fixture(scope="session")
def cpu():
    """The reference engine."""
    return RecordingEngine("reference")


def pytest_collection_modifyitems(items):
    """What every operator's tests have left behind is looked at last."""
    items.sort(key=lambda item: item.name.startswith("test_every_operator"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if writer and report.when == "call":
        writer.finish_test(report.passed)


def pytest_sessionfinish(session):
    if writer:
        writer.write(CASES)
