"""Makes a failing case small: every step is kept only if the case still fails in the same way."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from . import kinds, oracle
from .check import check

ROUNDS = 3


class Reducer:
    def __init__(self, model, feeds, failure, pool):
        self.model, self.feeds, self.failure, self.pool = model, feeds, failure, pool

    def attempt(self, model, feeds):
        """Takes the smaller case if it fails alike."""
        try:
            failures = check(model, feeds, [self.failure.options], self.pool, [self.failure.level])
        except oracle.Refused:
            return False
        except Exception:  # a model that the tools themselves do not take
            return False
        if not failures or failures[0].likeness() != self.failure.likeness():
            return False
        self.model, self.feeds, self.failure = model, feeds, failures[0]
        return True

    def copy(self):
        made = onnx.ModelProto()
        made.CopyFrom(self.model)
        return made

    # ---- steps ----

    def runs(self):
        """Only the failing run; else without one run or another."""
        if len(self.feeds) > 1 and not self.attempt(self.model, [self.feeds[self.failure.run]]):
            for k in reversed(range(len(self.feeds))):
                if len(self.feeds) > 1:
                    self.attempt(self.model, self.feeds[:k] + self.feeds[k + 1 :])

    def outputs(self):
        """One output only: each that nodes make, the first ones first."""
        names = [name for node in self.model.graph.node for name in node.output if name]
        for name in names:
            if self.attempt_outputs([name]):
                return

    def attempt_outputs(self, names):
        made = self.copy()
        del made.graph.output[:]
        made.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        if not typed(made, self.feeds):
            return False
        return self.attempt(trimmed(made), self.fed(made))

    def fed(self, model):
        names = {i.name for i in trimmed(model).graph.input}
        return [{n: v for n, v in feed.items() if n in names} for feed in self.feeds]

    def cut(self):
        """Values that become inputs, with what the oracle says they hold; later ones first."""
        names = [name for node in self.model.graph.node for name in node.output if name]
        given = {o.name for o in self.model.graph.output}
        for name in reversed(names):
            if name in given or not any(name in node.output for node in self.model.graph.node):
                continue
            made = self.copy()
            made.graph.output.append(onnx.ValueInfoProto(name=name))
            if not typed(made, self.feeds):
                continue
            try:
                held = [r and r[name] for r in oracle.run(made, self.feeds)]
            except oracle.Refused:
                continue
            if any(h is None for h in held):
                continue
            made = self.copy()
            for node in made.graph.node:
                node.output[:] = ["unused_" + o if o == name else o for o in node.output]
            shapes = {np.shape(h) for h in held}
            shape = list(shapes.pop()) if len(shapes) == 1 else [None] * np.ndim(held[0])
            made.graph.input.append(helper.make_tensor_value_info(name, kinds.number(np.asarray(held[0]).dtype.name), shape))
            feeds = [dict(feed, **{name: np.asarray(h)}) for feed, h in zip(self.feeds, held)]
            keep = self.feeds
            self.feeds = feeds
            if not self.attempt(trimmed(made), self.fed(made)):
                self.feeds = keep

    def bypass(self):
        """Nodes left out, one of their inputs in place of the first output."""
        for k in reversed(range(len(self.model.graph.node))):
            if k >= len(self.model.graph.node):
                continue
            node = self.model.graph.node[k]
            for source in node.input:
                made = self.copy()
                old = made.graph.node[k].output[0]
                del made.graph.node[k]
                if not source or old in {o.name for o in made.graph.output}:
                    continue
                replace(made.graph, old, source)
                if self.attempt(trimmed(made), self.fed(made)):
                    break

    def attributes(self):
        """Attributes at their defaults, optional inputs left out."""
        for k in range(len(self.model.graph.node)):
            for name in [a.name for a in self.model.graph.node[k].attribute if a.type != onnx.AttributeProto.GRAPH]:
                made = self.copy()
                node = made.graph.node[k]
                keep = [a for a in node.attribute if a.name != name]
                del node.attribute[:]
                node.attribute.extend(keep)
                self.attempt(made, self.feeds)
            if len(self.model.graph.node[k].input) > 1:
                made = self.copy()
                del made.graph.node[k].input[-1]
                self.attempt(trimmed(made), self.fed(made))

    def known(self):
        """Open extents as what the first run gives them."""
        made = self.copy()
        for port in made.graph.input:
            array = self.feeds[0].get(port.name)
            if array is not None:
                port.CopyFrom(helper.make_tensor_value_info(port.name, port.type.tensor_type.elem_type, array.shape))
        self.attempt(made, self.feeds)

    def extents(self):
        """Every extent smaller, wherever inputs and constants have it."""
        tensors = [numpy_helper.to_array(t) for t in self.model.graph.initializer]
        found = {d for a in (*tensors, *(v for f in self.feeds for v in f.values())) for d in np.shape(a) if d > 1}
        for old in sorted(found, reverse=True):
            for new in sorted({1, 2, old // 2, old - 1}):
                if 0 < new < old and self.shrink(old, new):
                    break

    def shrink(self, old, new):
        def less(array):
            for axis, d in enumerate(array.shape):
                if d == old:
                    array = np.take(array, range(new), axis)
            return array

        made = self.copy()
        for k, tensor in enumerate(made.graph.initializer):
            array = numpy_helper.to_array(tensor)
            if array.dtype == np.int64 and array.ndim == 1 and old in array:  # a shape, or sizes
                array = np.where(array == old, new, array)
            made.graph.initializer[k].CopyFrom(
                numpy_helper.from_array(np.ascontiguousarray(less(array)).reshape(less(array).shape), tensor.name)
            )
        for port in made.graph.input:
            for d in port.type.tensor_type.shape.dim:
                if d.dim_value == old:
                    d.dim_value = new
        del made.graph.output[:]
        made.graph.output.extend(onnx.ValueInfoProto(name=o.name) for o in self.model.graph.output)
        fed = [{n: less(v) for n, v in f.items()} for f in self.feeds]
        return typed(made, fed) and self.attempt(made, fed)


def typed(model, feeds):
    """Gives outputs that have none the types that the oracle's results have; False where it has no results."""
    try:
        found = next(r for r in oracle.run(model, feeds) if r)
    except oracle.Refused:
        return False
    for output in model.graph.output:
        if not output.type.WhichOneof("value"):
            output.type.tensor_type.elem_type = kinds.number(np.asarray(found[output.name]).dtype.name)
    return True


def replace(graph, old, new):
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                replace(attribute.g, old, new)


def reads(node):
    yield from node.input
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                yield from reads(inner)
            yield from (o.name for o in attribute.g.output)


def trimmed(model):
    """The model without what its outputs do not need."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    graph, needed = made.graph, {o.name for o in made.graph.output}
    kept = []
    for node in reversed(list(graph.node)):
        if needed & set(node.output):
            kept.append(node)
            needed.update(reads(node))
    inputs = [i for i in graph.input if i.name in needed]
    constants = [t for t in graph.initializer if t.name in needed]
    nodes = list(reversed(kept))
    for field, left in (("node", nodes), ("input", inputs), ("initializer", constants)):
        left = [type(x).FromString(x.SerializeToString()) for x in left]
        del getattr(graph, field)[:]
        getattr(graph, field).extend(left)
    return made


def reduce(model, feeds, failure, pool):
    """(model, feeds, failure), as small as the steps make it."""
    reducer = Reducer(model, feeds, failure, pool)
    for _ in range(ROUNDS):
        before = reducer.model.SerializeToString()
        for step in (
            reducer.runs,
            reducer.outputs,
            reducer.known,
            reducer.cut,
            reducer.bypass,
            reducer.attributes,
            reducer.extents,
        ):
            step()
        if reducer.model.SerializeToString() == before:
            break
    return reducer.model, reducer.feeds, reducer.failure
