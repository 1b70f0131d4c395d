#!/usr/bin/env python3
"""The share of a run that the plain kernels take: per model its time beside ONNX Runtime, and each operator of DNN_VM_HOST_CPU.

    python ops_share.py                              the nets of nets.py and architectures.py, one thread
    python ops_share.py --nets unet_3d,dcgan --top 8
    python ops_share.py --limit 3                    and exit with 1 where an operator takes more than 3 %

A share is that of the kernels' time in the profile of several runs: the median of each node. `ratio` is ONNX Runtime's time
divided by OpenGE's, runs taking turns in one process.
"""

import argparse
import collections
import os
import statistics
import sys
import tempfile
import time

import numpy as np
import onnx

import ge

PLAIN = "DNN_VM_HOST_CPU"


def turns(runs, feed, seconds):
    """Median milliseconds of each, a run at a time."""
    times = [[] for _ in runs]
    for run in runs:
        run(feed)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 5:
        for run, seen in zip(runs, times):
            start = time.perf_counter()
            run(feed)
            seen.append((time.perf_counter() - start) * 1e3)
    return [statistics.median(seen) for seen in times]


def shares(model, feed, rounds=9):
    """(engine, type, node, implementation): median share of a run's kernels."""
    rows = collections.defaultdict(list)
    for _ in range(rounds):
        run = collections.Counter()
        for row in model.profile(feed).data:
            run[row.get("engine", ""), row.get("type", ""), row["name"], row.get("implementation", "")] += row["us"]
        for key, us in run.items():
            rows[key].append(us)
    medians = {key: statistics.median(seen) for key, seen in rows.items() if len(seen) > rounds // 2}
    total = sum(medians.values()) or 1
    return {key: us / total for key, us in medians.items()}


def difference(got, want):
    worst = 0.0
    for name, value in want.items():
        a, b = np.asarray(got[name], np.float64), np.asarray(value, np.float64)
        if a.shape != b.shape:
            return float("inf")
        if b.size:
            worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-6)))
    return worst


def peer(path, threads):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return lambda feed: dict(zip(names, session.run(None, feed)))


def models(args):
    """(name, path, feed) of what was asked for."""
    import architectures
    import nets

    with tempfile.TemporaryDirectory() as folder:
        for name in args.nets.split(",") if args.nets else [*nets.NETS, *architectures.everything()]:
            model, feed = nets.build(name) if name in nets.NETS else architectures.build(name)
            path = os.path.join(folder, name + ".onnx")
            onnx.save(model, path)
            yield name, path, feed
            os.remove(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", help="comma separated names of nets.py and architectures.py")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.6, help="how long the two take turns, per model")
    parser.add_argument("--limit", type=float, default=3, help="per cent of a run that an operator may take")
    parser.add_argument("--top", type=int, default=0, help="also the so many dearest kernels, of any engine")
    args = parser.parse_args()
    above, ratios = [], []
    print(f"{'net':20} {'OpenGE ms':>10} {'ORT ms':>9} {'ratio':>6} {'diff':>8}  {PLAIN}")
    for name, path, feed in models(args):
        try:
            model, other = ge.load(path, options={"threads": args.threads}), peer(path, args.threads)
            apart = difference(model.run(feed), other(feed))
            ours, theirs = turns([model.run, other], feed, args.seconds)
        except Exception as error:  # a model that fails is a result
            print(f"{name:20} {type(error).__name__}: {error}"[:300], flush=True)
            above.append(name)
            continue
        ratios.append(theirs / ours)
        seen = shares(model, feed)
        plain = collections.Counter()
        for (engine, kind, node, _), share in seen.items():
            if engine == PLAIN:
                plain[kind, node] += share
        total = sum(plain.values())
        print(f"{name:20} {ours:10.3f} {theirs:9.3f} {theirs / ours:6.2f} {apart:8.1e}  {total:6.1%}", flush=True)
        for (kind, node), share in plain.most_common():
            if share * 100 > args.limit:
                above.append(f"{name}: {kind} {node}")
                print(f"{'':58}{share:6.1%}  {kind} {node}")
        for (engine, kind, node, how), share in sorted(seen.items(), key=lambda row: -row[1])[: args.top]:
            print(f"{'':20}{share:6.1%}  {engine} {kind} {node} ({how})")
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios {statistics.geometric_mean(ratios):.2f}, worst {min(ratios):.2f}")
    print(f"{len(above)} above {args.limit} %")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
