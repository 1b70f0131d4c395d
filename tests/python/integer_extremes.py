"""Integers of every ONNX operator at their extremes: attributes and integer inputs of the onnx package's node cases,
one element at a time, run by OpenGE and by ONNX Runtime.

    python tests/python/integer_extremes.py [WORD ...]      run the cases whose name contains a word, print what differs

Each side runs in processes of its own: a crash or a hang is the answer of one case.
"""

from __future__ import annotations

import collections
import faulthandler
import os
import pickle
import resource
import select
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx_backend
from memory_limit import limit_memory
from onnx import AttributeProto, ModelProto, defs, helper, numpy_helper

EXTREMES = [-(2**63), -1, 0, 2**63 - 1]
CASES_PER_TYPE = 4  # node cases that differ in the attributes they set
MOST_ELEMENTS = 8  # of an input whose integers are shapes, axes or counts rather than data
SECONDS = 10
MEMORY = 6 << 30


@dataclass
class Case:
    name: str
    op: str
    model: bytes
    feed: dict


def _clamped(value, dtype):
    info = np.iinfo(dtype)
    return np.dtype(dtype).type(max(info.min, min(info.max, value)))


def _model(case, node=None, constants=()):
    """The case's model around a changed node, with inputs as initialisers; its outputs have no shape."""
    model = ModelProto()
    model.CopyFrom(case.model)
    graph = model.graph
    if node is not None:
        graph.node[0].CopyFrom(node)
    for output in graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    for name, array in constants:
        at = next(i for i, info in enumerate(graph.input) if info.name == name)
        del graph.input[at]
        graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    return model.SerializeToString()


def _attributes(case, feed):
    node = case.model.graph.node[0]
    given = {a.name: a for a in node.attribute}
    version = max((o.version for o in case.model.opset_import if o.domain == node.domain), default=1)
    for name, schema in defs.get_schema(node.op_type, version, node.domain).attributes.items():
        old = given.get(name)
        if schema.type.name == "INT":
            choices = [(f"{name}={v}", v) for v in EXTREMES]
        elif old is not None and old.type == AttributeProto.INTS:
            lists = [(i, v) for i in sorted({0, len(old.ints) - 1}) if old.ints for v in EXTREMES]
            choices = [(f"{name}[{i}]={v}", [v if k == i else o for k, o in enumerate(old.ints)]) for i, v in lists]
        else:
            continue
        for text, value in choices:
            changed = type(node)()
            changed.CopyFrom(node)
            kept = [a for a in changed.attribute if a.name != name]
            del changed.attribute[:]
            changed.attribute.extend([*kept, helper.make_attribute(name, value)])
            yield Case(f"{case.name}:{text}", node.op_type, _model(case, changed), feed)


def _inputs(case, feed):
    op = case.model.graph.node[0].op_type
    for name, array in feed.items():
        array = np.asarray(array)
        if array.dtype not in (np.int64, np.int32, np.uint64) or array.size > MOST_ELEMENTS:
            continue
        for i in sorted({0, array.size - 1} if array.size else ()):
            if op == "Loop" and name == "trip_count":
                continue  # it would run as long as it is told
            for v in dict.fromkeys(_clamped(v, array.dtype) for v in EXTREMES):
                changed = array.copy()
                changed.reshape(-1)[i] = v
                rest = {k: a for k, a in feed.items() if k != name}
                yield Case(f"{case.name}:{name}[{i}]={v}:const", op, _model(case, None, [(name, changed)]), rest)
                yield Case(f"{case.name}:{name}[{i}]={v}:fed", op, _model(case), {**rest, name: changed})


def generate(words=()):
    seen = collections.Counter()
    known = set()
    for name in onnx_backend.expected("node"):
        case = onnx_backend.cases().get(name)
        if case is None or len(case.model.graph.node) != 1 or case.model.graph.initializer:
            continue
        node = case.model.graph.node[0]
        if any(v is None or isinstance(v, (list, dict)) for v in case.data_sets[0][0]):
            continue  # sequences and optionals
        inputs = [np.asarray(onnx_backend._array(v)) for v in case.data_sets[0][0]]
        feed = {info.name: onnx_backend._bits(v) for info, v in zip(case.model.graph.input, inputs)}
        kind = (node.op_type, tuple(sorted(a.name for a in node.attribute)), tuple(bool(i) for i in node.input))
        if kind in known or seen[node.op_type] >= CASES_PER_TYPE:
            continue
        known.add(kind)
        seen[node.op_type] += 1
        for one in [*_attributes(case, feed), *_inputs(case, feed)]:
            if not words or any(w in one.name for w in words):
                yield one


# ---- the two sides ----


def open_ge():
    import ge

    return lambda case: ge.load(case.model).run(case.feed)


def onnx_runtime():
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL

    def run(case):
        made = onnxruntime.InferenceSession(case.model, options, providers=["CPUExecutionProvider"])
        return dict(zip([o.name for o in made.get_outputs()], made.run(None, case.feed)))

    return run


def _serve(side, cases, first, pipe):
    limit_memory(MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    run = side()
    with os.fdopen(pipe, "wb") as out:
        for case in cases[first:]:
            try:
                result = {name: np.asarray(array) for name, array in run(case).items()}
                if sum(a.nbytes for a in result.values()) > 1 << 24:
                    result = {name: a.shape for name, a in result.items()}
            except Exception as e:
                result = f"{type(e).__name__}: {e}"[:400]
            data = pickle.dumps(result)
            out.write(len(data).to_bytes(8, "little") + data)
            out.flush()


def _read(pipe, size, end):
    data = b""
    while len(data) < size:
        if not select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            return None
        part = os.read(pipe, size - len(data))
        if not part:
            return b""
        data += part
    return data


def answers(side, cases):
    """Per case: outputs, the text of an error, or a text that begins with "crash"."""
    results = []
    while len(results) < len(cases):
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(ours)
                _serve(side, cases, len(results), theirs)
            finally:
                os._exit(0)
        os.close(theirs)
        slack = 30  # what the process imports first
        while len(results) < len(cases):
            end = time.monotonic() + SECONDS + slack
            slack = 0
            head = _read(ours, 8, end)
            data = _read(ours, int.from_bytes(head, "little"), end) if head else head
            if data:
                results.append(pickle.loads(data))
                continue
            if data is None:
                os.kill(child, signal.SIGKILL)
            break
        os.close(ours)
        status = os.waitpid(child, 0)[1]
        if len(results) < len(cases):
            hung = data is None
            results.append(f"crash: {'no answer' if hung else 'signal ' + str(os.WTERMSIG(status))}")
    return results


def difference(got, want):
    for name, w in want.items():
        g = got.get(name)
        if isinstance(w, tuple) or isinstance(g, tuple):
            g, w = (x if isinstance(x, tuple) else x.shape for x in (g, w))
            if g != w:
                return f"{name}: shape {g}, expected {w}"
            continue
        if g.shape != w.shape:
            return f"{name}: shape {g.shape}, expected {w.shape}"
        if g.dtype.itemsize == w.dtype.itemsize:
            g = g.view(w.dtype) if g.dtype != w.dtype else g
        if w.dtype.kind in "biu" or w.dtype.kind not in "fc":
            if not np.array_equal(g, w):
                return f"{name}: {g.reshape(-1)[:6]}, expected {w.reshape(-1)[:6]}"
        elif not np.allclose(
            g, w, rtol=1e-3, atol=1e-5 * max(1.0, float(np.max(np.abs(np.nan_to_num(w)), initial=0))), equal_nan=True
        ):
            return f"{name}: {g.reshape(-1)[:6]}, expected {w.reshape(-1)[:6]}"
    return None


def judge(ours, theirs):
    """What is wrong with our answer: (class, text), or None."""
    if isinstance(ours, str) and ours.startswith("crash"):
        return "crash", ours
    if isinstance(ours, str) and not ours.startswith(("Ge", "MemoryError", "ValueError")):
        return "odd", ours
    if isinstance(theirs, str):
        if isinstance(ours, str):
            return None
        absent = ("NOT_IMPLEMENTED", "NotImplemented", "is not a registered function")
        missing = any(word in theirs for word in absent) or theirs.startswith("crash")
        return None if missing else ("accepted", theirs)
    if isinstance(ours, str):
        return "refused", ours
    different = difference(ours, theirs)
    return ("wrong", different) if different else None


def main():
    cases = list(generate(sys.argv[1:]))
    print(len(cases), "cases", flush=True)
    start = time.monotonic()
    ours = answers(open_ge, cases)
    middle = time.monotonic()
    theirs = answers(onnx_runtime, cases)
    print(f"{middle - start:.0f} s and {time.monotonic() - middle:.0f} s")
    for case, o, t in zip(cases, ours, theirs):
        if verdict := judge(o, t):
            print(verdict[0], case.name, "|", verdict[1][:250].replace("\n", " "))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
