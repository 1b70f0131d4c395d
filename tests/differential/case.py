"""One seed's case: a model, what to feed in each run, and the settings it runs with."""

import dataclasses
import random

import numpy as np

from .families import FAMILIES
from .graph import VARIANTS, Net

_OPSETS = (13, 14, 15, 16, 17, 17, 18, 19, 20, 21, 21, 22, 23, 24)
_SYMBOLS = {"N": (1, 2, 3, 5), "H": (1, 4, 6, 7, 8, 11), "W": (4, 5, 8, 9, 12), "D": (4, 5), "L": (1, 2, 5, 6, 9)}

# Now and then: without passes, or without one of the engines, so that others do its work.
_SETTINGS = (
    {"opt_level": 0},
    {"opt_level": 0},
    {"engines.exclude": "AIcoreEngine"},
    {"engines.exclude": "VectorEngine"},
    {"engines.exclude": "AIcoreEngine,VectorEngine"},
    {"tune": "1"},
    {"precision.nodes": "*=fp16_weights"},  # Net.weight makes matrices of such numbers
)


@dataclasses.dataclass
class Case:
    seed: int
    family: str
    model: object
    feeds: list  # one dictionary of arrays for each run
    options: list  # the settings the model is compiled with, one after the other


def make(seed):
    """The case of a seed: always the same one."""
    chooser = random.Random(seed * 7919 + 11)
    family = chooser.choices(list(FAMILIES), [weight for _, weight in FAMILIES.values()])[0]
    symbols = {}
    if chooser.random() < (0.7 if family in ("dynamic", "control") else 0.35):
        chosen = [s for s in _SYMBOLS if chooser.random() < 0.5] or ["N"]
        symbols = {s: [chooser.choice(_SYMBOLS[s]) for _ in range(VARIANTS)] for s in chosen}
    net = Net(seed, chooser.choice(_OPSETS), symbols)
    FAMILIES[family][0](net)
    if all(node.op_type == "Constant" for node in net.nodes):
        net.node("Identity", [net.values[0]], [(net.values[0].kind, net.values[0].shape, True)])
    return Case(seed, family, net.model(), feeds(net, symbols, seed), options(chooser))


def feeds(net, symbols, seed):
    """Runs in one session: the first shape, others, and the first one again."""
    generator = np.random.default_rng([seed, 1])
    order = [0, 1, 0, 2, 1] if symbols else [0, 0]
    return [net.feed(generator, {s: e[k] for s, e in symbols.items()}) for k in order]


def options(chooser):
    made = [{"threads": 1}, {"threads": 2}]
    if chooser.random() < 0.15:
        made.append({"threads": chooser.choice((1, 2)), **chooser.choice(_SETTINGS)})
    return made
