"""The cases of the suite with one input in another type that holds the same numbers: each is refused, or computes the same.

The first input stays: its type is the node's, and what a node computes may depend on that."""

import collections
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", HERE.parents[1] / "build/release"))
NUMPY = {0: "f4", 1: "f2", 2: "i1", 3: "i4", 4: "u1", 6: "i2", 7: "u2", 8: "u4", 9: "i8", 10: "u8", 11: "f8", 12: "?"}
NAMES = {"FLOAT": 0, "FLOAT16": 1, "INT8": 2, "INT32": 3, "INT16": 6, "INT64": 9, "DOUBLE": 11, "BOOL": 12}
OTHERS = [0, 11, 3, 9, 2, 1]
CLOSE = 0.02  # half precision, and sums in another order
OTHER_RESULT = {"CastLike", "Pow"}  # another type is another question
OTHER_BIAS = {"QuantizedConv2D": 6, "QuantizedMatMul": 6}  # so it is of this input: integers are added before the scales


def values(tensor):
    return np.frombuffer(bytes.fromhex(tensor["data"]), NUMPY[tensor["type"]])


def with_type(tensor, to):
    return {**tensor, "type": to, "data": values(tensor).astype(NUMPY[to]).tobytes().hex()}


def suite():
    for line in (HERE / "cases.txt").read_text(encoding="utf-8").splitlines():
        case = json.loads(re.fullmatch(r'R"~\((.*)\)~",', line).group(1))
        if sum(t is not None for t in case["inputs"]) > 1 and case["op"] not in OTHER_RESULT:
            yield case


def mixed():
    """At most two cases of an operator for each input and pair of types."""
    seen = collections.Counter()
    for case in suite():
        for i, tensor in enumerate(case["inputs"]):
            if i in (0, OTHER_BIAS.get(case["op"])) or not tensor or tensor["type"] not in NUMPY:
                continue
            for to in OTHERS:
                key = (case["op"], i, tensor["type"], to)
                with np.errstate(all="ignore"):
                    there = values(tensor).astype(NUMPY[to])  # and back, with the sign that it had
                    same = np.array_equal(there.astype(NUMPY[tensor["type"]]), values(tensor)) and np.array_equal(
                        there < 0, values(tensor) < 0
                    )
                if to != tensor["type"] and same and seen[key] < 2:
                    seen[key] += 1
                    yield {**case, "inputs": [*case["inputs"][:i], with_type(tensor, to), *case["inputs"][i + 1 :]]}


def run(engine, cases, path):
    path.write_text("\n".join(json.dumps(c) for c in cases) + "\n", encoding="utf-8")
    library = sorted((BUILD / "lib/ge/engines").rglob(f"libge_engine_{engine}.so"))[-1]
    command = [BUILD / "bin/ge", "engine-test", library, "--cases", path, "--json"]
    results = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)["cases"]
    assert len(results) == len(cases)
    return list(zip(cases, results))


def told(case, result):
    types = [t and t["type"] for t in case["inputs"]]
    return f"{case['op']} {types}: {result['text']}"


def is_refusal(text):
    # Kernels of nodes whose shapes a run tells are made in that run.
    return text.startswith("compiling graph") or " could not make a kernel: " in text


def is_close(text):
    numbers = re.fullmatch(r"output \d is (\S+) at element \d+, expected (\S+) within .*", text, re.S)
    if not numbers:
        return False
    got, want = map(float, numbers.groups())
    return abs(got - want) <= CLOSE * max(1, abs(want))


@pytest.mark.parametrize("engine", ["reference", "simd", "onednn"])
def test_a_type_that_does_not_fit_is_refused_or_read_as_what_it_is(engine, tmp_path):
    cases = list(mixed())
    assert len(cases) > 3000
    other_type, wrong = [], []
    for case, result in run(engine, cases, tmp_path / "mixed.jsonl"):
        text = result["text"]
        if result["result"] != "failed" or is_refusal(text) or is_close(text):
            continue
        types = re.match(r"output (\d) is DT_(\w+), expected DT_", text)
        if not types or types.group(2) not in NAMES:
            wrong.append(told(case, result))
            continue
        # That output has another type, too, perhaps those behind it as well: the same numbers in that one.
        first, after = int(types.group(1)), NAMES[types.group(2)]
        before = case["outputs"][first]["type"]
        with np.errstate(all="ignore"):
            outputs = [
                with_type(t, after) if t and t["type"] == before and i >= first else t for i, t in enumerate(case["outputs"])
            ]
        other_type.append({**case, "outputs": outputs})
    if other_type:
        for case, result in run(engine, other_type, tmp_path / "other.jsonl"):
            if result["result"] == "failed" and not is_close(result["text"]):
                wrong.append(told(case, result))
    assert not wrong, f"{len(wrong)} cases:\n" + "\n".join(wrong[:40])
