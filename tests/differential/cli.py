"""The command line: many seeds, or one again.

python -m tests.differential --seeds 2000 [--start S] [--jobs J] [--minutes M] [--out DIR]
python -m tests.differential --seed N      one seed, its failure reduced
python -m tests.differential --rerun FILE  a failure that was written before (the .onnx)
"""

import argparse
import collections
import multiprocessing
import os
import sys
import time

from . import case, oracle, report
from .check import check
from .pool import Pool

MOST_SKIPPED = 0.05


def arguments(given):
    parser = argparse.ArgumentParser(
        prog="tests.differential", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=2000, help="how many seeds (default 2000)")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="seeds at a time (default: as many as processors)")
    parser.add_argument("--minutes", type=float, help="stop beginning new seeds after so many minutes")
    parser.add_argument("--seed", type=int, help="this one seed")
    parser.add_argument("--rerun", metavar="FILE", help="the model of a written failure, with what lies beside it")
    parser.add_argument("--family", help="only seeds of this family")
    parser.add_argument("--out", default="build/differential", help="folder for failures (default build/differential)")
    parser.add_argument("--no-reduce", action="store_true", help="write failures as they are")
    return parser.parse_args(given)


_state = {}


def _begin(out, reduce, family):
    _state.update(pool=Pool(), out=out, reduce=reduce, family=family)


def one(seed):
    """(seed, family, "ok" | "skipped" | "failed", text) of a seed."""
    try:
        made = case.make(seed)
    except Exception as e:
        raise RuntimeError(f"seed {seed}: no graph came of it") from e
    if _state["family"] not in (None, made.family):
        return seed, made.family, "left out", ""
    try:
        failures = check(made.model, made.feeds, made.options, _state["pool"])
    except oracle.Refused as e:
        return seed, made.family, "skipped", str(e)
    if not failures:
        return seed, made.family, "ok", ""
    return seed, made.family, "failed", report.write(made, failures, _state["pool"], _state["out"], _state["reduce"])


class Progress:
    """A line that is written over, on a terminal."""

    def __init__(self, total):
        self.total, self.done, self.begun, self.shown = total, 0, time.monotonic(), 0.0

    def step(self, failed):
        self.done += 1
        now = time.monotonic()
        if sys.stderr.isatty() and (now - self.shown > 0.2 or self.done == self.total):
            self.shown = now
            filled = 30 * self.done // max(self.total, 1)
            rate = self.done / max(now - self.begun, 1e-9)
            bar = "#" * filled + "." * (30 - filled)
            print(f"\r[{bar}] {self.done}/{self.total}  {rate:.1f}/s  {failed} failed ", end="", file=sys.stderr, flush=True)

    def end(self):
        if sys.stderr.isatty():
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr)


def run(args):
    seeds = [args.seed] if args.seed is not None else range(args.start, args.start + args.seeds)
    jobs = max(1, min(args.jobs, len(seeds)))
    counts, skips, failed = collections.Counter(), collections.Counter(), []
    progress, begun = Progress(len(seeds)), time.monotonic()

    def seeds_in_time():
        for seed in seeds:
            if args.minutes and time.monotonic() - begun > 60 * args.minutes:
                return
            yield seed

    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, _begin, (args.out, not args.no_reduce, args.family)) as workers:
        for seed, family, outcome, text in workers.imap_unordered(one, seeds_in_time(), chunksize=1):
            counts[family, outcome] += 1
            if outcome == "failed":
                failed.append(seed)
                progress.end()
                print(text, flush=True)
            if outcome == "skipped":
                skips[text] += 1
                if args.seed is not None:
                    print(f"seed {seed} ({family}): skipped: {text}")
            progress.step(len(failed))
        workers.close()
        workers.join()
    progress.end()
    return summary(counts, skips, failed, time.monotonic() - begun)


def summary(counts, skips, failed, seconds):
    """Prints what happened; the exit status."""
    total = collections.Counter()
    families = collections.Counter()
    for (family, outcome), n in counts.items():
        total[outcome] += n
        families[family] += n if outcome != "left out" else 0
    ran = sum(families.values())
    for text, n in skips.most_common(8):
        print(f"skipped {n}: {text}")
    line = ", ".join(f"{name} {n}" for name, n in families.most_common() if n)
    print(f"{ran} seeds in {seconds:.0f} s ({line}): {total['ok']} agree, {total['skipped']} skipped, {len(failed)} failed")
    if failed:
        print("failed seeds:", *sorted(failed))
        return 1
    if total["skipped"] > MOST_SKIPPED * ran + 1:
        print(f"more than {MOST_SKIPPED:.0%} skipped: the generators make what the oracle refuses")
        return 1
    return 0


def main(given=None):
    args = arguments(given)
    if args.rerun:
        return report.rerun(args.rerun)
    return run(args)
