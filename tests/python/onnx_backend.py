"""ONNX's own tests: collects the cases of the installed onnx package that need no download, one operator each ("node") and
small models ("simple"), and runs one through ge.load.

    python tests/python/onnx_backend.py                     run every case, print what fails and why
    python tests/python/onnx_backend.py --update            also add the cases that pass to onnx_backend_cases.txt
    python tests/python/onnx_backend.py --only NAME ...     run only cases whose name contains one of these

Each case runs in a process of its own, so that a crash is one failure.
"""

from __future__ import annotations

import argparse
import functools
import gc
import os
import signal
import sys
import warnings
from pathlib import Path

import numpy as np

LIST = Path(__file__).with_name("onnx_backend_cases.txt")
SECONDS = 60


@functools.cache
def cases(kind: str = "node") -> dict:
    """Name → TestCase, with data and tolerances as the onnx package defines them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case import model, node

        if kind == "node":
            found = {case.name: case for case in node.collect_testcases(None)}
        else:
            # Those of other sets of operators are not among the cases that the package ships.
            shipped = {path.name for path in (Path(model.__file__).parents[2] / "data" / kind).iterdir()}
            found = {c.name: c for c in model.collect_testcases() if c.kind == kind and c.name in shipped}
    gc.freeze()  # they stay until the end; a collection need not look at them each time
    return found


def version() -> str:
    import onnx

    return onnx.__version__


def all_cases() -> dict:
    return {**cases("node"), **cases("simple")}


def expected(kind: str = "") -> list[str]:
    names = [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return [name for name in names if name in cases(kind)] if kind else names


def _array(value):
    from onnx import TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, (list, dict)) or value is None:
        raise NotImplementedError("values that are no tensors")
    return np.asarray(value)


def _value(value):
    """A value to feed: arrays, lists of them for sequences, None."""
    if isinstance(value, (list, tuple)):
        return [_value(v) for v in value]
    return None if value is None else _bits(_array(value))


def _compare(name, got, want, case):
    if isinstance(want, (list, tuple)):
        assert isinstance(got, list), f"{name}: {type(got).__name__}, expected a list"
        assert len(got) == len(want), f"{name}: {len(got)} values, expected {len(want)}"
        for i, (one, other) in enumerate(zip(got, want)):
            _compare(f"{name}[{i}]", one, other, case)
        return
    if want is None:
        assert got is None, f"{name}: there is something, expected nothing"
        return
    assert got is not None, f"{name}: there is nothing"
    want = _array(want)
    if want.dtype.kind in "OU":
        assert got.shape == want.shape, f"{name}: shape {got.shape}, expected {want.shape}"
        assert got.tolist() == want.tolist(), f"{name}: {got.tolist()}, expected {want.tolist()}"
        return
    if _bits(want).dtype == got.dtype:
        got = got.view(want.dtype)
    assert got.dtype == want.dtype, f"{name}: type {got.dtype}, expected {want.dtype}"
    assert got.shape == want.shape, f"{name}: shape {got.shape}, expected {want.shape}"
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want, err_msg=name)
    else:
        np.testing.assert_allclose(
            got.astype(np.float64), want.astype(np.float64), rtol=case.rtol, atol=case.atol, err_msg=name
        )


def _bits(array):
    """Types that NumPy lacks travel as integers of their width."""
    widths = {"bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e5m2": np.uint8}
    widths |= {"float8_e4m3fnuz": np.uint8, "float8_e5m2fnuz": np.uint8, "float8_e8m0fnu": np.uint8}
    return array.view(widths[array.dtype.name]) if array.dtype.name in widths else array


def run(case) -> None:
    """Raises with the reason when the case fails."""
    import ge

    model = ge.load(case.model.SerializeToString())
    for inputs, outputs in case.data_sets:
        feed = {info.name: _value(value) for info, value in zip(case.model.graph.input, inputs)}
        results = model.run(feed)
        for info, want in zip(case.model.graph.output, outputs):
            _compare(info.name, results[info.name], want, case)


def run_apart(case) -> str:
    """Runs the case in a child; "" when it passes, else the reason."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(out)
            signal.alarm(SECONDS)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try:
                run(case)
                text = b"ok"
            except BaseException as e:  # noqa: BLE001 - the reason goes to the parent
                text = f"{type(e).__name__}: {e}".encode()
            os.write(into, text[:60000])
        finally:
            os._exit(0)
    os.close(into)
    text = b""
    while piece := os.read(out, 65536):
        text += piece
    os.close(out)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return "" if text == b"ok" else text.decode(errors="replace") or "no result"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    import ge  # noqa: F401 - once, for all children

    chosen = {name: c for name, c in all_cases().items() if not args.only or any(o in name for o in args.only)}
    passed = set()
    for name, case in sorted(chosen.items()):
        why = run_apart(case)
        if why:
            print(f"{name}: {' | '.join(why.split(chr(10)))[:400]}", flush=True)
        else:
            passed.add(name)
    print(f"{len(passed)} of {len(chosen)} pass")
    if args.update:
        known = set(expected()) if LIST.exists() else set()
        lost = sorted(known & set(chosen) - passed)
        for name in lost:
            print(f"no longer passes, stays in the list: {name}")
        head = "# Cases of the onnx package that must pass. Written by --update; lines are only added.\n"
        LIST.write_text(head + "\n".join(sorted(known | passed)) + "\n")
        return 1 if lost else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
