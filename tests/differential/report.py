"""Failures as files: the model, what was fed, and a text that says how to run it again."""

import json
import pathlib

import numpy as np
import onnx

from .check import check
from .pool import Pool
from .reduce import reduce


def write(case, failures, pool, out, reduced):
    """Writes a case's first failure and returns the text."""
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    first = failures[0]
    model, feeds = case.model, case.feeds
    if reduced:
        model, feeds, first = reduce(model, feeds, first, pool)
    stem = folder / f"seed-{case.seed}"
    onnx.save(model, f"{stem}.onnx")
    np.savez(f"{stem}.npz", **{f"{k}/{name}": array for k, feed in enumerate(feeds) for name, array in feed.items()})
    settings = {"runs": len(feeds), "options": first.options}
    (folder / f"seed-{case.seed}.json").write_text(json.dumps(settings))
    where = sorted({(f.level, json.dumps(f.options)) for f in failures})
    text = "\n".join(
        [
            f"seed {case.seed} ({case.family}): {first.kind}: {first.text}",
            f"  run {first.run}; at " + "; ".join(f"{level} {options}" for level, options in where),
            "  nodes: " + describe(model.graph),
            f"  again: python -m tests.differential --seed {case.seed}",
            f"  reduced: python -m tests.differential --rerun {stem}.onnx",
        ]
    )
    (folder / f"seed-{case.seed}.txt").write_text(text + "\n")
    return text


def describe(graph):
    return ", ".join(f"{n.op_type}({', '.join(n.input)})" for n in graph.node)


def rerun(path):
    """Runs a written failure again; 1 when it still fails."""
    stem = pathlib.Path(path).with_suffix("")
    settings = json.loads(stem.with_suffix(".json").read_text())
    feeds = [{} for _ in range(settings["runs"])]
    for key, array in np.load(stem.with_suffix(".npz")).items():
        run, name = key.split("/", 1)
        feeds[int(run)][name] = array
    with Pool() as pool:
        failures = check(onnx.load(path), feeds, [settings["options"]], pool)
    for f in failures:
        print(f"{f.level} {f.options} run {f.run}: {f.kind}: {f.text}")
    print("fails" if failures else "passes")
    return int(bool(failures))
