#!/usr/bin/env python3
"""Runs models for long in several processes with several threads each, and watches answers and memory.

    scripts/soak [MINUTES]                                        4 processes of 4 threads, 30 minutes
    python tests/soak/soak.py --seconds 120 --processes 4 --threads 4

Every thread goes on loading models (from a file, from bytes, from an offline model), running them with inputs of changing
shapes, and closing them; some models are shared by the threads of a process, and one thread closes and replaces them while
others run them. Every answer is compared with one that ONNX Runtime gave beforehand. The memory of each process is sampled.

Ends with 1 when an answer is wrong, a call fails, a process dies or hangs, or memory grows: see `growth`.
"""

import argparse
import faulthandler
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SHAPES = 24  # of each model: more than a model keeps plans for
TOLERANCE = 1e-4  # of the largest magnitude of the answer
WARM_UP = 0.25  # of the time: plans, pools of contexts and the allocator's arenas fill up
ALLOWED_BYTES, ALLOWED_SHARE = 16 << 20, 0.05
GRACE = 120  # seconds that a process may take to end


def growth(samples):
    """(bytes that memory grew by, bytes that are allowed) of [(second, bytes), …].

    Behind the warm-up the medians of the first and the last third are compared: a leak of one byte in a thousand runs stands
    out after half an hour, and a peak while a model is loaded does not.
    """
    last = samples[-1][0]
    settled = [size for second, size in samples if second >= WARM_UP * last]
    third = max(1, len(settled) // 3)
    first, final = statistics.median(settled[:third]), statistics.median(settled[-third:])
    return final - first, max(ALLOWED_BYTES, ALLOWED_SHARE * first)


def wrong(got, want):
    """What is wrong with an answer; "" when nothing is."""
    if sorted(got) != sorted(want):
        return f"outputs {sorted(got)}, expected {sorted(want)}"
    for name, expected in want.items():
        answer = got[name]
        if answer.shape != expected.shape or answer.dtype != expected.dtype:
            return f"{name} is {answer.dtype}{answer.shape}, expected {expected.dtype}{expected.shape}"
        far = np.abs(answer.astype(np.float64) - expected).max(initial=0.0)
        if not far <= TOLERANCE * max(1.0, np.abs(expected).max(initial=0.0)):
            return f"{name} of shape {answer.shape} is off by {far}"
    return ""


# ---- what is run, and what it must say ----


def open_models():
    """{name: (ONNX model with open extents, function that makes a feed from a generator of random numbers)}"""
    for folder in ("python", "fuzz"):
        sys.path.insert(0, str(HERE.parent / folder))
    import make_seeds
    import models

    def opened(model, extents):
        for value in list(model.graph.input) + list(model.graph.output):
            for at, name in extents.items():
                if value.name in ("x", "y") and at < len(value.type.tensor_type.shape.dim):
                    value.type.tensor_type.shape.dim[at].dim_param = name
        return model

    def normal(r, *shape):
        return r.standard_normal(shape).astype(np.float32)

    def loop(r):
        return {"flag": np.array(bool(r.integers(2))), "x": normal(r, 2)}

    return {
        "mlp": (models.mlp("n"), lambda r: {"x": normal(r, r.integers(1, 65), 8)}),
        "attention": (opened(models.attention(), {1: "length"}), lambda r: {"x": normal(r, 2, r.integers(1, 49), 8)}),
        "convnet": (
            opened(models.convnet(), {2: "h", 3: "w"}),
            lambda r: {"x": normal(r, 1, 3, r.integers(8, 65), r.integers(8, 65))},
        ),
        "branches": (make_seeds.branches(), loop),
    }


def prepare(folder):
    """Writes models, inputs and ONNX Runtime's answers."""
    import onnx
    import onnxruntime

    from ge._native import NULL, ffi, last_error, lib

    for name, (model, feed) in open_models().items():
        model.ir_version = min(model.ir_version, 8)
        path = folder / f"{name}.onnx"
        onnx.save(model, str(path))
        oracle = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        names = [o.name for o in oracle.get_outputs()]
        r = np.random.default_rng(7)
        arrays = {}
        for i in range(SHAPES):
            inputs = feed(r)
            for kind, values in (("in", inputs), ("out", dict(zip(names, oracle.run(names, inputs))))):
                arrays.update({f"{i}/{kind}/{key}": value for key, value in values.items()})
        np.savez(folder / f"{name}.npz", **arrays)
        graph, data, size = ffi.new("GeGraph **"), ffi.new("void **"), ffi.new("size_t *")
        if lib.GeOnnxImport(str(path).encode(), NULL, NULL, graph) or lib.GeOfflineBuild(graph[0], NULL, data, size):
            sys.exit(f"{name}: {last_error()}")
        (folder / f"{name}.om").write_bytes(bytes(ffi.buffer(data[0], size[0])))
        lib.GeBytesDestroy(data[0])
        lib.GeGraphDestroy(graph[0])


def cases_of(path):
    cases = [({}, {}) for _ in range(SHAPES)]
    with np.load(path) as file:
        for key in file.files:
            at, kind, name = key.split("/", 2)
            cases[int(at)][kind == "out"][name] = file[key]
    return cases


# ---- a process ----


class Worker:
    def __init__(self, folder, seconds, plant):
        import ge

        self.load = ge.load
        self.names = sorted(p.stem for p in folder.glob("*.onnx"))
        self.cases = {name: cases_of(folder / f"{name}.npz") for name in self.names}
        self.sources = {
            name: [folder / f"{name}.onnx", (folder / f"{name}.onnx").read_bytes(), folder / f"{name}.om"]
            for name in self.names
        }
        self.end = time.monotonic() + seconds
        self.plant = plant
        self.leak = []
        self.problem = ""
        self.lock = threading.Lock()
        self.runs = self.loads = 0
        self.shared = {name: self.fresh(name, random.Random(0)) for name in self.names}

    def fresh(self, name, chance):
        with self.lock:
            self.loads += 1
        options = {"threads": chance.choice((1, 2)), "opt_level": chance.choice((0, 2, 3))}
        return self.load(chance.choice(self.sources[name]), options)

    def check(self, model, name, chance):
        feed, want = chance.choice(self.cases[name])
        got = model.run(feed)
        with self.lock:
            self.runs += 1
            if self.plant == "wrong" and self.runs == 50:
                got = {key: value + 1 for key, value in got.items()}
        if self.plant == "leak":
            self.leak.append(np.ones(1 << 18, np.float32))
        problem = wrong(got, want)
        if problem:
            raise AssertionError(f"{name}: {problem}")

    def step(self, chance):
        name, kind = chance.choice(self.names), chance.random()
        if kind < 0.75:
            model = self.shared[name]
            try:
                self.check(model, name, chance)
            except RuntimeError as error:  # another thread has closed it since
                if str(error) != "the model is closed" or self.shared[name] is model:
                    raise
        elif kind < 0.97:
            with self.fresh(name, chance) as model:
                for _ in range(chance.randrange(1, 6)):
                    self.check(model, name, chance)
        else:
            new = self.fresh(name, chance)
            with self.lock:
                old, self.shared[name] = self.shared[name], new
            old.close()

    def work(self, seed):
        chance = random.Random(seed)
        try:
            while time.monotonic() < self.end and not self.problem:
                self.step(chance)
        except BaseException as error:  # noqa: BLE001  whatever it is, the soak has failed
            self.problem = self.problem or f"{type(error).__name__}: {error}"

    def run(self, seed, threads):
        team = [threading.Thread(target=self.work, args=(seed * 1000 + i,)) for i in range(threads)]
        for thread in team:
            thread.start()
        for thread in team:
            thread.join()
        print(json.dumps({"runs": self.runs, "loads": self.loads, "problem": self.problem}))
        return 1 if self.problem else 0


# ---- all of them ----


def resident(pid):
    """Bytes; 0 when the process is gone."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def watch(workers, seconds):
    """Samples of each process until all have ended; those that do not end are killed."""
    samples = [[] for _ in workers]
    begin = time.monotonic()
    pause = min(2.0, max(0.1, seconds / 600))
    while any(w.poll() is None for w in workers):
        now = time.monotonic() - begin
        if now > seconds + GRACE:
            for worker in workers:
                worker.kill()
        for worker, row in zip(workers, samples):
            size = resident(worker.pid) if worker.poll() is None else 0
            if size and now <= seconds:
                row.append((now, size))
        time.sleep(pause)
    return samples


def soak(seconds, processes, threads, plant=""):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(folder)
        command = [sys.executable, __file__, "--worker", name, "--seconds", str(seconds), "--threads", str(threads)]
        workers = [
            subprocess.Popen([*command, "--seed", str(seed), "--plant", plant], stdout=subprocess.PIPE, text=True)
            for seed in range(processes)
        ]
        samples = watch(workers, seconds)
        failed = 0
        for worker, row in zip(workers, samples):
            failed += judge(worker, row)
    return failed


def judge(worker, samples):
    """Tells what one process did; 1 when something is wrong."""
    text = worker.stdout.read().strip()
    said = json.loads(text.splitlines()[-1]) if text else {"runs": 0, "loads": 0, "problem": "it said nothing"}
    problems = [said["problem"]] if said["problem"] else []
    if worker.returncode not in (0, 1):
        problems.append(f"it ended with {worker.returncode}")
    grown, allowed = growth(samples) if len(samples) >= 12 else (0, 0)
    if len(samples) < 12:
        problems.append(f"only {len(samples)} samples of its memory")
    elif grown > allowed:
        problems.append(f"memory grew by {grown / 2**20:.1f} MiB, allowed: {allowed / 2**20:.1f}")
    peak = max((size for _, size in samples), default=0)
    print(
        f"process {worker.pid}: {said['runs']} runs, {said['loads']} loads, memory at most {peak / 2**20:.0f} MiB, "
        f"grown by {grown / 2**20:+.1f} MiB behind the warm-up{''.join('; FAILED: ' + p for p in problems)}",
        flush=True,
    )
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--plant", choices=("", "wrong", "leak"), default="", help="a defect that must be found")
    parser.add_argument("--worker", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        faulthandler.dump_traceback_later(arguments.seconds + GRACE / 2, exit=True)  # says where it hangs
        return Worker(arguments.worker, arguments.seconds, arguments.plant).run(arguments.seed, arguments.threads)
    return 1 if soak(arguments.seconds, arguments.processes, arguments.threads, arguments.plant) else 0


if __name__ == "__main__":
    sys.exit(main())
