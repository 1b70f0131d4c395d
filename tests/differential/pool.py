"""The worker processes: one for each instruction set, restarted when it dies."""

import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile

from . import worker

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 60.0  # for all the runs of one model; others may be using the machine, too


class Died(Exception):
    """A worker crashed or did not answer in time."""


def levels():
    """The instruction sets that this processor has, least first; GE_MAX_ISA caps each."""
    try:
        flags = set(next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split())
    except (OSError, StopIteration):
        flags = set()
    have = ["scalar"]
    for name, needs in (("avx2", {"avx2", "fma"}), ("avx512", {"avx512f", "avx512bw", "avx512vl"}), ("amx", {"amx_tile"})):
        if needs <= flags:
            have.append(name)
    return have


class Worker:
    def __init__(self, level, command=None, seconds=SECONDS):
        self.level, self.seconds = level, seconds
        self.command = command or [sys.executable, "-m", "tests.differential.worker"]
        self.process, self.errors = None, None

    def start(self):
        environment = dict(os.environ, GE_MAX_ISA=self.level, OMP_WAIT_POLICY="passive")
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self.command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors
        )

    def send(self, model, feeds, options):
        if self.process is None or self.process.poll() is not None:
            self.close()
            self.start()
        try:
            worker.write(self.process.stdin, (model, feeds, options))
        except OSError:
            pass  # it died; receiving says how

    def receive(self):
        """The answer to the last task; Died where there is none."""
        ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
        if not ready:
            self.close()
            raise Died(f"hang: no answer within {self.seconds:g} s")
        try:
            answer = worker.read(self.process.stdout)
        except Exception:
            answer = None
        if answer is not None:
            return answer
        code = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read()[-2000:].decode(errors="replace").strip()
        self.close()
        what = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise Died(f"crash: {what}" + (f"\n{said}" if said else ""))

    def close(self):
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()
        self.process = None


class Pool:
    """A worker for each instruction set."""

    def __init__(self, names=None, command=None, seconds=SECONDS):
        self.workers = {name: Worker(name, command, seconds) for name in names or levels()}

    def send(self, model, feeds, options, names=None):
        for name in names or self.workers:
            self.workers[name].send(model, feeds, options)

    def receive(self, name):
        return self.workers[name].receive()

    def close(self):
        for one in self.workers.values():
            one.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
