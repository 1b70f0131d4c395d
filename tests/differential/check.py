"""Runs a case on every instruction set and compares it with the oracle."""

import dataclasses
import re

import numpy as np
import onnx

from . import compare, oracle
from .pool import Died

_COARSE = {onnx.TensorProto.FLOAT16: "float16", onnx.TensorProto.FLOAT: "float32", onnx.TensorProto.DOUBLE: "float64"}


@dataclasses.dataclass
class Failure:
    kind: str  # error, crash, hang, type, shape, values, not finite
    text: str
    level: str
    options: dict
    run: int

    def likeness(self):
        """Equal for failures of one cause, as far as their texts tell: without names and numbers."""
        if self.kind != "error":
            return (self.kind,)
        text = re.sub(r"'[^']*'|\"[^\"]*\"|\w*\d\w*|[\[\](), ]+", " ", self.text)
        return self.kind, " ".join(text.split())


def precision(model):
    """The coarsest floating-point type in a model."""
    found = set()

    def look(graph):
        for tensor in graph.initializer:
            found.add(tensor.data_type)
        for info in (*graph.input, *graph.output, *graph.value_info):
            found.add(info.type.tensor_type.elem_type)
        for node in graph.node:
            for attribute in node.attribute:
                if node.op_type == "Cast" and attribute.name == "to":
                    found.add(attribute.i)
                if attribute.type == onnx.AttributeProto.GRAPH:
                    look(attribute.g)

    look(model.graph)
    names = {_COARSE[t] for t in found if t in _COARSE} or {"float32"}
    return min(names, key=compare.COARSEST.index)


def check(model, feeds, options, pool, names=None):
    """The failures of a model; oracle.Refused where the oracle has no answer."""
    data = model.SerializeToString()
    names = list(names or pool.workers)
    pool.send(data, feeds, options, names)
    refused = None
    try:
        wanted = oracle.run(model, feeds)
    except oracle.Refused as e:
        refused = e
    failures, moved = [], {}
    for name in names:
        try:
            answers = pool.receive(name)
        except Died as e:
            failures.append(Failure(str(e).split(":")[0], str(e), name, options[0], 0))
            continue
        if not refused:
            for one, results in zip(options, answers):
                found = _first(model, feeds, wanted, results, moved)
                if found:
                    failures.append(Failure(*found[:2], name, one, found[2]))
    if refused and not failures:
        raise refused
    return failures


def _first(model, feeds, wanted, results, moved):
    """(kind, text, run) of the first run that failed, or None. moved: (oracle.spread, oracle.second) of runs before."""
    coarsest = precision(model)
    for k, (want, got) in enumerate(zip(wanted, results)):
        if want is None:
            continue
        if isinstance(got, str):
            return "error", got, k
        if list(got) != list(want):
            return "shape", f"outputs {list(got)}, expected {list(want)}", k
        for name in want:
            found = compare.difference(name, got[name], want[name], coarsest)
            if found and found[0] in ("values", "not finite", "shape"):
                if k not in moved:
                    moved[k] = oracle.spread(model, feeds[k], compare.STEP[coarsest]), oracle.second(model, feeds[k])
                found = _unexplained(name, got[name], want[name], coarsest, *(one.get(name) for one in moved[k]))
            if found:
                return (*found, k)
    return None


def _unexplained(name, got, want, coarsest, moved, second):
    """What differs from both oracles even when everything moved as far as rounding moves it; None: nothing."""
    for other in (want, second):
        if other is None:
            continue
        fitting = moved if moved is not None and moved.shape == np.shape(got) == np.shape(other) else None
        if compare.difference(name, got, other, coarsest, fitting) is None:
            return None
    return compare.difference(name, got, want, coarsest)
