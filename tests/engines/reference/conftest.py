"""Fixtures for engine tests. The reference engine records which operators ran, for the coverage test, and checks each call
against the traits of the operator."""

import pytest
from engine_harness import Engine
from trait_oracles import TraitChecks, check_aliases


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
        return results


@pytest.fixture(scope="session")
def cpu():
    """The reference engine."""
    return RecordingEngine("reference")


def pytest_collection_modifyitems(items):
    """What every operator's tests have left behind is looked at last."""
    items.sort(key=lambda item: item.name.startswith("test_every_operator"))
