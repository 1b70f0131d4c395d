"""A worker with a defect, for the tests: `python -m tests.differential.planted KIND`."""

import os
import sys
import time

import numpy as np

from . import worker


def wrong(model, feeds, options):
    """Right but for one element of one output, in models that hold a Relu."""
    results = worker.run(model, feeds, options)
    if b"Relu" in model:
        for outputs in results:
            for name, array in outputs.items() if isinstance(outputs, dict) else ():
                if array.dtype == np.float32 and array.size:
                    array.reshape(-1)[-1] += 1
                    outputs[name] = array
                    break
    return results


def only_two_threads(model, feeds, options):
    return wrong(model, feeds, options) if options["threads"] == 2 else worker.run(model, feeds, options)


def crash(model, feeds, options):
    if b"Relu" in model:
        print("planted crash", file=sys.stderr, flush=True)
        os.abort()
    return worker.run(model, feeds, options)


def hang(model, feeds, options):
    if b"Relu" in model:
        time.sleep(3600)
    return worker.run(model, feeds, options)


def error(model, feeds, options):
    if b"Relu" in model:
        raise_ = f"run: GeError: planted {len(model)}"
        return [raise_] * len(feeds)
    return worker.run(model, feeds, options)


def wrong_type(model, feeds, options):
    results = worker.run(model, feeds, options)
    return [{n: v.astype(np.float64) for n, v in r.items()} for r in results]


def wrong_shape(model, feeds, options):
    results = worker.run(model, feeds, options)
    return [{n: v[..., None] for n, v in r.items()} for r in results]


def nan(model, feeds, options):
    results = worker.run(model, feeds, options)
    return [{n: v * np.nan if v.dtype.kind == "f" else v for n, v in r.items()} for r in results]


if __name__ == "__main__":
    worker.serve(globals()[sys.argv[1]])
