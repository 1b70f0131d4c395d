"""Writes the cases of the engine suite, cases.txt, anew: python tests/engine_suite/update.py
and, when the tool is built with them, what the library's engines refuse of them: python tests/engine_suite/update.py --lists
With --check nothing is written: it fails when cases.txt lacks what a new one would have, or has more.

Kernels are tested alone, with descriptions that need not be those of a graph (a Reshape whose shape says something else).
Candidates that do not compile, or whose results inference describes otherwise, are left out. One whose values differ is a
defect, and nothing is written then. Some lack an attribute that in a graph gives the type of an output; they get it.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import case_writer

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CASES = HERE / "cases.txt"
BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build/release"))
TYPE_ATTRIBUTES = ("dst_type", "dtype", "type", "out_idx", "indices_dtype")
ENOUGH_TEXT = 1500  # of one operator: then no case is added to those of its types
SMALL = 3  # features that being small counts for
FLOATS = {0, 1, 11, 16, 17, 27, 35, 36}  # real and complex: their last bits may depend on the machine


def candidates(path):
    environment = {
        **os.environ,
        "GE_WRITE_ENGINE_CASES": str(path),
        "GE_BUILD_DIR": str(BUILD),
        "PYTHONPATH": str(BUILD / "python"),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/engines/reference"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return path.read_text(encoding="utf-8").splitlines()


def engine(name):
    if name == "cuda":
        return BUILD / "tests/emulated_cuda_engine.so"
    return min((BUILD / "lib/ge/engines").rglob(f"libge_engine_{name}.so"))  # the plain one, where there are two


def results(name, *arguments):
    command = [BUILD / "bin/ge", "engine-test", engine(name), "--json", *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)["cases"]


def with_type(line):
    """The case with each of those attributes that it lacks, as the type of its last output."""
    case = json.loads(line)
    for name in TYPE_ATTRIBUTES:
        if name not in {a["name"] for a in case["attrs"]}:
            attr = {"name": name, "type": 4, "value": case["outputs"][-1]["type"]}
            yield json.dumps({**case, "attrs": [*case["attrs"], attr]}, separators=(",", ":"), allow_nan=False)


def chosen(lines):
    """Cases of all types of the first two inputs and the first output, float before all; then more that show what these do
    not."""
    left = [(case, line, case_writer.features(case)) for line in lines for case in [json.loads(line)]]
    shown, few = set(), []

    def take(cost):
        best = min(left, key=cost)
        left.remove(best)
        shown.update(best[2])
        few.append(best[1])

    def new(row):
        return row[2] - shown

    def new_type(row):
        return any(kind == "type" for kind, *_ in new(row))

    def small_for_what_it_shows(row):
        float_first = not few and case_writer.first_type(row[0]) == case_writer.FLOAT
        return not new_type(row), not float_first, not new(row), case_writer.badness(row[0]) / (SMALL + len(new(row)))

    while any(map(new_type, left)):
        take(small_for_what_it_shows)
    while any(map(new, left)) and sum(map(len, few)) < ENOUGH_TEXT:
        take(small_for_what_it_shows)
    return few


def fresh():
    """The lines of a new cases.txt, by operator, and from how many candidates they were chosen."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cases.jsonl"
        lines = candidates(path)
        tried = list(zip(lines, results("reference", "--cases", path), strict=True))
        typed = [more for line, row in tried if row["result"] == "failed" for more in with_type(line)]
        path.write_text("\n".join(typed), encoding="utf-8")
        tried += zip(typed, results("reference", "--cases", path), strict=True)
    kept, wrong = {}, []
    for line, row in sorted(tried, key=lambda pair: json.loads(pair[0])["op"]):
        op = json.loads(line)["op"]
        if row["result"] == "passed":
            kept.setdefault(op, []).append(line)
        if row["result"] == "failed" and (" differs at byte " in row["text"] or " at element " in row["text"]):
            wrong.append(f"{row['case']}: {row['text']}")
    if wrong:
        sys.exit("\n".join(wrong))
    return {op: chosen(cases) for op, cases in kept.items()}, len(tried)


def write():
    kept, count = fresh()
    text = "".join(f'R"~({line})~",\n' for cases in kept.values() for line in cases)
    CASES.write_text(text, encoding="utf-8")
    print(f"{sum(map(len, kept.values()))} cases of {len(kept)} operators, from {count} candidates")


def signature(line):
    """Puts together what must not drift: operator, attributes, tensors; of floating-point values only type and shape."""
    case = json.loads(line)
    inputs = [t and {k: v for k, v in t.items() if k != "data" or t["type"] not in FLOATS} for t in case["inputs"]]
    outputs = [(t["type"], t.get("format"), t["dims"]) for t in case["outputs"]]
    return json.dumps([case["op"], case["attrs"], inputs, outputs])


def check():
    stored = [line.removeprefix('R"~(').removesuffix(')~",') for line in CASES.read_text(encoding="utf-8").splitlines()]
    new = [line for cases in fresh()[0].values() for line in cases]
    there, wanted = (collections.Counter(map(signature, lines)) for lines in (stored, new))
    problems = [f"cases.txt lacks {s}" for s in wanted - there] + [f"cases.txt has also {s}" for s in there - wanted]
    if problems:
        sys.exit("\n".join(problems) + "\ntests/engine_suite/update.py writes the cases anew")
    print(f"{len(stored)} cases are up to date")


def covers(rows, refused, key):
    """Names of operators, or of their types, of which every case is refused."""
    return {key(r) for r in rows if key(r)} - {key(r) for r in rows if r["case"] not in refused}


def write_lists(name):
    """Operators of which an engine takes nothing: never. Types and cases of the others that it refuses: not yet."""
    rows = results(name)
    refused = {r["case"] for r in rows if r["result"] == "refused"}
    never = covers(rows, refused, lambda r: r["case"].split(":")[0])
    rest = [r for r in rows if r["case"].split(":")[0] not in never]
    types = covers(rest, refused, lambda r: r["case"].split("[")[0])
    cases = {r["case"] for r in rest if r["case"] in refused and r["case"].split("[")[0] not in types}
    (HERE / f"{name}.never").write_text("".join(f"{x}\n" for x in sorted(never)), encoding="utf-8")
    if name == "onednn":  # whatever this processor computes in
        types |= set((HERE / "onednn.bf16").read_text(encoding="utf-8").splitlines())
        cases = {c for c in cases if c.split("[")[0] not in types}
    (HERE / f"{name}.not_yet").write_text("".join(f"{x}\n" for x in sorted(types | cases)), encoding="utf-8")


if __name__ == "__main__":
    if "--lists" in sys.argv:
        for one in ("onednn", "simd", "views", "reference", "cuda"):
            write_lists(one)
    elif "--check" in sys.argv:
        check()
    else:
        write()
