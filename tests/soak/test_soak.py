"""The soak finds what it is there for: a wrong answer, memory that grows."""

import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import soak  # noqa: E402

MIB = 1 << 20


def samples(size_at):
    return [(second, size_at(second)) for second in range(1801)]


def test_memory_that_stays_flat_after_a_warm_up_is_fine():
    grown, allowed = soak.growth(samples(lambda s: 200 * MIB + min(s, 400) * MIB // 4 + (s % 7) * MIB))
    assert grown <= allowed


def test_peaks_are_no_growth():
    grown, allowed = soak.growth(samples(lambda s: (600 if s % 50 == 0 else 200) * MIB))
    assert grown <= allowed


def test_a_slow_leak_is_growth():
    grown, allowed = soak.growth(samples(lambda s: 200 * MIB + s * MIB // 40))
    assert grown > allowed


def test_answers_are_compared_by_name_shape_type_and_value():
    want = {"y": np.array([1, 100], np.float32)}
    assert soak.wrong({"y": np.array([1, 100.001], np.float32)}, want) == ""
    for bad in (
        {"z": want["y"]},
        {"y": want["y"][:1]},
        {"y": want["y"].astype(np.float64)},
        {"y": np.array([1, 101], np.float32)},
        {"y": np.array([1, np.nan], np.float32)},
    ):
        assert soak.wrong(bad, want) != ""


def test_a_wrong_answer_ends_it():
    """Processes are real ones here: one answer is changed before it is compared."""
    command = [sys.executable, str(HERE / "soak.py"), "--seconds", "3", "--processes", "1", "--threads", "2"]
    done = subprocess.run([*command, "--plant", "wrong"], capture_output=True, text=True, timeout=150)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FAILED: AssertionError" in done.stdout, done.stdout + done.stderr
