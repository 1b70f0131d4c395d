"""Small files that stand for much: what loading one takes is bounded, whether it is refused or loaded.

Each model is loaded by a process of its own, whose memory and time are measured. Nothing is run."""

import os
import re
import resource
import signal
import time

import numpy as np
import pytest
from memory_limit import limit_memory
from onnx import TensorProto as T
from onnx import helper, numpy_helper

MIB = 1 << 20
FLOAT = [helper.make_tensor_value_info("x", T.FLOAT, [1])]


def node(*args, **attrs):
    return helper.make_node(*args, **attrs)


def model(nodes, constants, sparse=(), functions=()):
    graph = helper.make_graph(
        nodes,
        "g",
        FLOAT,
        [helper.make_tensor_value_info("y", T.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()],
    )
    graph.sparse_initializer.extend(sparse)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("f", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, functions=list(functions)).SerializeToString()


def summed(*nodes, **constants):
    """x plus the sum of value c."""
    more = [node("Cast", ["c"], ["f"], to=T.FLOAT), node("ReduceSum", ["f"], ["r"]), node("Add", ["x", "r"], ["y"])]
    return model([*nodes, *more], constants)


def doubled(levels):
    functions = []
    for k in range(levels):
        last = k == levels - 1
        body = [node("Relu", ["x"], ["b"])]
        if not last:
            body = [node(f"f{k + 1}", [i], [o], domain="f") for i, o in [("x", "a"), ("a", "b")]]
        opsets = [helper.make_opsetid("", 18), helper.make_opsetid("f", 1)]
        functions.append(helper.make_function("f", f"f{k}", ["x"], ["b"], body, opsets))
    return model([node("f0", ["x"], ["y"], domain="f")], {}, functions=functions)


def loop(trips, body_nodes, name):
    def value(n, t, shape):
        return helper.make_tensor_value_info(n, t, shape)

    body = helper.make_graph(
        [node("Identity", ["go"], ["on"]), *body_nodes],
        name,
        [value(name + "i", T.INT64, []), value("go", T.BOOL, []), value("a", T.FLOAT, [1])],
        [value("on", T.BOOL, []), value("b", T.FLOAT, [1]), value("s", T.FLOAT, [1])],
    )
    return node("Loop", [trips, "true", "a" if name == "inner" else "zero"], ["o" + name, "p" + name], body=body)


def loops():
    """Rounds of rounds, each of which would be written out by itself."""
    last = [node("Add", ["a", "a"], ["b"]), node("Identity", ["b"], ["s"])]
    inner = [loop("t", last, "inner"), node("Identity", ["oinner"], ["b"]), node("Identity", ["b"], ["s"])]
    outer = loop("t", inner, "outer")
    return model(
        [outer, node("Add", ["x", "oouter"], ["y"])],
        {"t": np.int64(10_000), "true": np.bool_(True), "zero": np.float32([0])},
    )


def sparse(extent):
    values = numpy_helper.from_array(np.float32([1]), "w")
    return model(
        [node("Add", ["x", "w"], ["y"])],
        {},
        [helper.make_sparse_tensor(values, numpy_helper.from_array(np.int64([0]), "i"), [extent])],
    )


def concatenated():
    nodes = [node("Concat", ["v" if k == 0 else f"c{k - 1}"] * 2, [f"c{k}"], axis=0) for k in range(28)]
    return summed(*nodes, node("Identity", ["c27"], ["c"]), v=np.ones(4, np.float32))


def many(count, bytes):
    """Constants that are each small enough to be folded."""
    nodes = [node("ConstantOfShape", ["s"], ["a0"])]
    for k in range(count):
        nodes += [node("ConstantOfShape", ["s"], [f"c{k}"]), node("Add", ["x", f"c{k}"], [f"b{k}"])]
        nodes += [node("Add", [f"a{k}", f"b{k}"], [f"a{k + 1}"])]
    return model([*nodes, node("ReduceSum", [f"a{count}"], ["y"])], {"s": np.int64([bytes // 4])})


BIG = np.int64([400_000_000])
ONE = np.float32([1])
BOMBS = {
    "ConstantOfShape": summed(node("ConstantOfShape", ["s"], ["c"]), s=BIG),
    "Expand": summed(node("Expand", ["v", "s"], ["c"]), v=ONE, s=BIG),
    "Tile": summed(node("Tile", ["v", "s"], ["c"]), v=ONE, s=BIG),
    "Range": summed(node("Range", ["a", "s", "b"], ["c"]), a=np.int64(0), s=BIG[0], b=np.int64(1)),
    "OneHot": summed(node("OneHot", ["i", "s", "v"], ["c"]), i=np.int64([3]), s=BIG[0], v=np.float32([0, 1])),
    "Pad": summed(node("Pad", ["v", "s"], ["c"]), v=ONE, s=np.int64([0, BIG[0]])),
    "HannWindow": summed(node("HannWindow", ["s"], ["c"]), s=BIG[0]),
    "Resize": summed(
        node("Resize", ["v", "", "", "s"], ["c"], mode="nearest"),
        v=np.ones((1, 1, 1, 1), np.float32),
        s=np.int64([1, 1, 20_000, 20_000]),
    ),
    "EyeLike": summed(node("ConstantOfShape", ["s"], ["e"]), node("EyeLike", ["e"], ["c"]), s=np.int64([20_000, 20_000])),
    "Concat": concatenated(),
    "outer product": summed(
        node("Mul", ["u", "v"], ["c"]), u=np.ones((20_000, 1), np.float32), v=np.ones((1, 20_000), np.float32)
    ),
    "many": many(500, 4 * MIB),
    "sparse of 4 GB": sparse(1_000_000_000),
    "sparse of 60 MB": sparse(15_000_000),
    "functions of 8 million nodes": doubled(24),
    "functions of 16 thousand nodes": doubled(15),
    "loops": loops(),
}


def load(data, **options):
    """(what was said, bytes, seconds): of a child, beyond what an empty model takes."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            limit_memory(8 << 30)
            import ge

            ge.load(model([node("Relu", ["x"], ["y"])], {}), options={"threads": 1})
            before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
            try:
                ge.load(data, options={"threads": 1, **options})
                said = ""
            except Exception as e:
                said = f"{type(e).__name__}: {e}"[:4000]
            spent = time.monotonic() - start
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            os.write(theirs, f"{grown} {spent} {said}".encode())
        finally:
            os._exit(0)
    os.close(theirs)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.alarm(60)
    text = b""
    while part := os.read(ours, 65536):
        text += part
    signal.alarm(0)
    os.close(ours)
    assert os.waitpid(child, 0)[1] == 0 and text, "it crashed or hung"
    grown, spent, said = text.decode().split(" ", 2)
    return said, int(grown), float(spent)


@pytest.mark.parametrize("name", BOMBS)
def test_loading_is_bounded(name):
    data = BOMBS[name]
    said, grown, spent = load(data)
    assert grown <= 64 * MIB + 20 * len(data), f"{grown >> 20} MiB for {len(data)} bytes: {said}"
    assert spent <= 2, f"{spent} s: {said}"


def test_the_measure_sees_what_is_made():
    said, grown, _ = load(sparse(60_000_000), import_limit=1024)
    assert said == "" and grown > 200 * MIB


def test_limits_are_told_and_can_be_raised():
    import ge
    from ge.error import GeError

    with pytest.raises(GeError, match=r"sparse tensor 'w' has 80000000 bytes.*option import_limit"):
        ge.load(sparse(20_000_000))
    assert ge.load(sparse(20_000_000), options={"import_limit": 128}).inputs[0].name == "x"
    with pytest.raises(GeError, match=re.escape("expands to 65536 nodes") + ".*option import_limit"):
        ge.load(doubled(17))
    with pytest.raises(GeError, match="more than 10000000 nodes"):
        ge.load(doubled(60))
