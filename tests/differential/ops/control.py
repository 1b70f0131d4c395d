"""If, Loop and Scan: branches of other shapes, branches that do not fit, bodies that never run."""

import numpy as np
from onnx import helper

from ..graph import Value, same, symbol, unknown
from . import grow, op
from .dynamic import extent
from .elementwise import binary, scalar, unary


def body_graph(net, nodes, inputs, outputs, shapes=False, typed=False):
    """A body of what was added since; values that it did not make itself are copied. shapes, typed: whether inputs and outputs
    say what shape they have."""
    made = {name for node in nodes for name in node.output}
    results = []
    for value in outputs:
        if value.name not in made or value.name in [r.name for r in results]:
            value = unary(net, "Identity", value, exact=value.exact)
        results.append(value)
        net.read.add(value.name)
    return helper.make_graph(
        list(nodes),
        net.name("body"),
        [net.info(v, shapes or v.shape == ()) for v in inputs],
        [net.info(v, typed) for v in results],
    ), results


_BY_RANK = {2: ["matrix"], 3: ["attention", "rnn"], 4: ["cnn", "cnn"]}


def condition(net):
    """(value, whether a branch may be empty-handed): from outside, computed, or constant."""
    form = net.pick("input", "input", "computed", "constant")
    if form == "input":
        return net.input("bool", ())
    if form == "computed":
        found = net.some(lambda v: v.exact and v.kind in ("float32", "int64", "int32") and v.size > 0 and v.rank > 0)
        if found is not None and net.runs("ReduceMax", found.kind):
            top = net.node("ReduceMax", [found], [(found.kind, (), True)], keepdims=0)
            return binary(net, "Greater", top, scalar(net, found.kind, 1), "bool", exact=True)
        return net.input("bool", ())
    return net.constant(np.array(net.chance(0.5)))


def branch(net, x, pool):
    """A body of some operators behind x; whatever type it must have in the end."""
    with net.body() as nodes:
        y = grow(net, pool, net.pick(0, 1, 1, 2), x) or x
        if y.kind != x.kind:
            y = x
        return body_graph(net, nodes, [], [y])


@op("control", weight=4)
def if_(net, x):
    if not net.runs("Identity", x.kind, "V") or net.depth > 1:
        return None
    test = condition(net)
    pool = net.pick("elementwise", "shapes", "mixed", "mixed", "control", *_BY_RANK.get(x.rank, []))
    (then, (a,)), (other, (b,)) = branch(net, x, pool), branch(net, x, pool)
    return joined(net, test, then, other, a, b)


def joined(net, test, then, other, a, b):
    """The If over two branches; what follows knows of its shape what they agree on."""
    exact = a.exact and b.exact
    if a.rank != b.rank:
        made = net.node("If", [test], [(a.kind, (), exact)], then_branch=then, else_branch=other)
        return unknown_rank(net, made)
    if net.chance(0.5) and all(same(p, q) for p, q in zip(a.shape, b.shape)):
        shape = a.shape
    else:
        shape = [p if same(p, q) else unknown(net, "either") for p, q in zip(a.shape, b.shape)]
    return net.node("If", [test], [(a.kind, shape, exact)], then_branch=then, else_branch=other)


def unknown_rank(net, x):
    """Ends a value of unknown rank: as it is, or reduced to one number."""
    net.values.remove(x)
    net.loose.append(x)
    if x.floating and net.chance(0.5) and net.runs("ReduceL2", x.kind):
        net.loose.remove(x)
        return net.node(net.pick("ReduceSum", "ReduceL2"), [x], [(x.kind, ())], keepdims=0)
    if net.chance(0.3) and net.runs("Relu", x.kind):
        net.loose.remove(x)
        made = unary(net, "Relu", x)
        net.values.remove(made)
        net.loose.append(made)
    return None


@op("control", weight=3)
def misfit(net, x):
    """A branch that fits only where an extent is what the condition asks for."""
    axes = [k for k, d in enumerate(x.shape) if symbol(d)]
    if not axes or x.kind != "float32" or net.depth > 1:
        return None
    axis = net.random.choice(axes)
    want = net.pick(1, int(x.shape[axis]))
    test = binary(net, "Equal", extent(net, x, axis, scalar=True), net.constant(np.array(want)), "bool", exact=True)
    forms = ["add", "reshape"] + (["squeeze"] if want == 1 else []) + (["matmul"] if axis == x.rank - 1 and want else [])
    form = net.random.choice(forms)
    with net.body() as nodes:
        shape = [want if k == axis else d for k, d in enumerate(x.shape)]
        if form == "squeeze":
            y = net.node("Squeeze", [x, net.ints(axis)], [(x.kind, [d for k, d in enumerate(x.shape) if k != axis], x.exact)])
        elif form == "add":
            row = net.weight(x.kind, [want if k == axis else 1 for k in range(x.rank)])
            y = net.node("Add", [x, row], [(x.kind, shape)])
        elif form == "matmul":
            y = net.node("MatMul", [x, net.weight(x.kind, (want, 3), want)], [(x.kind, [*x.shape[:-1], 3])])
        else:
            target = [want if k == axis else 0 for k in range(x.rank)]
            y = net.node("Reshape", [x, net.ints(*target)], [(x.kind, shape, x.exact)])
        then, (a,) = body_graph(net, nodes, [], [y])
    other, (b,) = branch(net, x, "elementwise")
    if net.chance(0.3):  # the other way round
        test, then, other, a, b = unary(net, "Not", test, "bool", exact=True), other, then, b, a
    return joined(net, test, then, other, a, b)


def trips(net):
    return (
        net.input("int64", (), lambda g, shape: g.integers(0, 4, shape))
        if net.chance(0.5)
        else net.constant(np.array(net.pick(0, 1, 2, 3)))
    )


@op("control", weight=3)
def loop(net, x):
    """A value carried round, and another collected from every round."""
    if x.kind not in ("float32", "int64", "int32") or net.depth > 1 or any(int(d) == 0 for d in x.shape):
        return None
    count, go = trips(net), net.constant(np.array(net.chance(0.9))) if net.chance(0.6) else None
    with net.body() as nodes:
        index = Value(net.name("i"), "int64", (), True)
        going = Value(net.name("go"), "bool", (), True)
        state = Value(net.name("s"), x.kind, x.shape)
        net.values += [state]
        y = grow(net, net.pick("elementwise", "mixed"), net.pick(1, 2), state) or state
        z = y if y.kind == x.kind and len(y.shape) == len(x.shape) and all(map(same, y.shape, x.shape)) else state
        if z is state:
            z = unary(net, "Tanh", state) if x.floating else binary(net, "Add", state, scalar(net, x.kind, 1))
        if net.chance(0.4):
            on = binary(net, "Less", index, net.constant(np.array(net.pick(0, 1, 2))), "bool", exact=True)
        else:
            on = going
        graph, results = body_graph(
            net, nodes, [index, going, state], [on, z, y], typed=True
        )  # what a loop without rounds gives
    rounds = unknown(net, "rounds")
    y = results[2]
    made, collected = net.node("Loop", [count, go, x], [(x.kind, x.shape), (y.kind, (rounds, *y.shape))], body=graph)
    # ONNX does not say what extents a collection of nothing has: only its sum is compared.
    net.values.remove(collected)
    if net.runs("ReduceSum", y.kind):
        net.node("ReduceSum", [collected], [(y.kind, (), not y.floating)], keepdims=0)
    return made


@op("control")
def scan(net, x):
    """A sum over the first axis, step by step."""
    if x.kind != "float32" or x.rank < 2 or net.depth > 1 or x.size == 0 or any(symbol(d) for d in x.shape[1:]):
        return None
    first = net.weight(x.kind, [int(d) for d in x.shape[1:]])
    with net.body() as nodes:
        state, row = (Value(net.name("s"), x.kind, x.shape[1:]) for _ in range(2))
        net.values += [state, row]
        total = unary(net, "Tanh", binary(net, net.pick("Add", "Mul", "Sub"), state, row))
        y = grow(net, "elementwise", net.pick(0, 1), total) or total
        y = y if y.kind == x.kind and list(map(int, y.shape)) == list(map(int, x.shape[1:])) else total
        graph, results = body_graph(net, nodes, [state, row], [total, y], shapes=net.chance(0.5), typed=True)
    attributes = {"num_scan_inputs": 1, "body": graph}
    if net.chance(0.3):
        attributes |= {"scan_input_directions": [1], "scan_output_directions": [net.pick(0, 1)]}
    _, made = net.node("Scan", [first, x], [(x.kind, x.shape[1:]), (x.kind, x.shape)], **attributes)
    return made
