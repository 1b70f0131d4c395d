"""Writes the cases of the engine suite, cases.txt, anew: python tests/engine_suite/update.py
and, when the tool is built with them, what the library's engines refuse of them: python tests/engine_suite/update.py --lists

Kernels are tested alone, with descriptions that need not be those of a graph (a Reshape whose shape says something else).
Candidates that do not compile, or whose results inference describes otherwise, are left out. One whose values differ is a
defect, and nothing is written then. Some lack an attribute that in a graph gives the type of an output; they get it.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import case_writer

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("GE_BUILD_DIR", ROOT / "build/release"))
TYPE_ATTRIBUTES = ("dst_type", "dtype", "type", "out_idx", "indices_dtype")
MOST_CASES, MOST_TEXT = 6, 8192  # of one operator; its first case may be larger
FLOAT = 0  # C_DT_FLOAT


def candidates(path):
    environment = {
        **os.environ,
        "GE_WRITE_ENGINE_CASES": str(path),
        "GE_BUILD_DIR": str(BUILD),
        "PYTHONPATH": str(BUILD / "python"),
    }
    subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/engines/reference"], cwd=ROOT, env=environment, check=True)
    return path.read_text(encoding="utf-8").splitlines()


def engine(name):
    return next((BUILD / "lib/ge/engines").rglob(f"libge_engine_{name}.so"))


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


def chosen(cases):
    """One case of each type of input first, float before all; then what else is there."""

    def rank(line):
        case = json.loads(line)
        first = next((t["type"] for t in case["inputs"] if t), -1)
        seen[first] = seen.get(first, 0) + 1
        return seen[first], first != FLOAT, case_writer.badness(case)

    seen, few, size = {}, [], 0
    cases = sorted(cases, key=lambda line: case_writer.badness(json.loads(line)))
    for line in sorted(cases, key=rank):
        size += len(line)
        if not few or (size <= MOST_TEXT and len(few) < MOST_CASES):
            few.append(line)
    return few


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cases.jsonl"
        lines = candidates(path)
        failed = [
            line for line, row in zip(lines, results("reference", "--cases", path), strict=True) if row["result"] == "failed"
        ]
        lines = sorted(lines + [typed for line in failed for typed in with_type(line)], key=lambda x: json.loads(x)["op"])
        path.write_text("\n".join(lines), encoding="utf-8")
        rows = results("reference", "--cases", path)
    kept, wrong = {}, []
    for line, row in zip(lines, rows, strict=True):
        op = json.loads(line)["op"]
        if row["result"] == "passed":
            kept.setdefault(op, []).append(line)
        if row["result"] == "failed" and (" differs at byte " in row["text"] or " at element " in row["text"]):
            wrong.append(f"{row['case']}: {row['text']}")
    if wrong:
        sys.exit("\n".join(wrong))
    kept = {op: chosen(cases) for op, cases in kept.items()}
    text = "".join(f'R"~({line})~",\n' for cases in kept.values() for line in cases)
    (HERE / "cases.txt").write_text(text, encoding="utf-8")
    print(f"{sum(map(len, kept.values()))} cases of {len(kept)} operators, from {len(lines)} candidates")


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
    (HERE / f"{name}.not_yet").write_text("".join(f"{x}\n" for x in sorted(types | cases)), encoding="utf-8")


if __name__ == "__main__":
    if "--lists" in sys.argv:
        for one in ("onednn", "simd", "views", "reference"):
            write_lists(one)
    else:
        main()
