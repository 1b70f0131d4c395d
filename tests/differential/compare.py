"""Whether two results are the same, up to what rounding explains."""

import numpy as np

# Of the largest finite magnitude in an output, per type. A graph is a few dozen operators deep and sums have up to some hundred
# terms of magnitude 1, which two correct implementations add in different orders: errors of 1e-6 are usual in float, 1e-14 in
# double; half floats are rounded after each operator by one and at the end by the other. Real defects are far above this. Where
# an ill-conditioned graph exceeds it, `oracle.spread` measures what one more rounding before each node does to each element:
# a difference below MARGIN times that is no defect. A few samples leave some elements of a large output where they were by
# chance, so each element may move at least as far as the elements of its output do on (root mean square) average.
RELATIVE = {"float16": 8e-3, "float32": 3e-5, "float64": 1e-11}
STEP = {"float16": 2.0**-11, "float32": 2.0**-22, "float64": 2.0**-51}
MARGIN = 8.0
LARGE_HALF = 1000.0  # where something on the way may have left the range of half floats, which ends at 65504
# Kernels for half and single precision may stand behind an output of another type.
COARSEST = ("float16", "float32", "float64")


def difference(name, got, want, precision, moved=None):
    """None, or what differs, as (kind, text). precision: of the coarsest type in the graph; moved: from oracle.spread."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype:
        return "type", f"output {name}: type {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return "shape", f"output {name}: shape {got.shape}, expected {want.shape}"
    if want.dtype.kind != "f" or want.size == 0:
        if np.array_equal(got, want):
            return None
        at = tuple(int(k) for k in np.argwhere(got != want)[0])
        count = int(np.sum(got != want))
        return "values", f"output {name}: {count} of {want.size} differ, first at {at}: {got[at]}, expected {want[at]}"
    return _floats(name, np.float64(got), np.float64(want), precision, moved)


def _floats(name, got, want, precision, moved):
    finite = np.isfinite(want)
    odd = ~finite & ~((np.isnan(got) & np.isnan(want)) | (got == want))
    odd |= finite & ~np.isfinite(got)
    if moved is not None:
        odd &= ~(finite & np.isinf(moved))  # rounding decides whether it is finite
    if precision == "float16":  # one keeps half floats between nodes, the other floats, which go further
        odd &= ~(finite & (np.abs(np.where(finite, want, 0)) > LARGE_HALF))
    if odd.any():
        at = tuple(int(k) for k in np.argwhere(odd)[0])
        return "not finite", f"output {name}: at {at}: {got[at]}, expected {want[at]}"
    with np.errstate(all="ignore"):
        apart = np.where(finite & np.isfinite(got), np.abs(got - want), 0)
        largest = np.abs(want[finite]).max() if finite.any() else 0.0
        allowed = RELATIVE[precision] * largest + np.finfo(np.float32).tiny
        if moved is not None:
            usual = np.sqrt(np.mean(np.square(moved[np.isfinite(moved)]))) if np.isfinite(moved).any() else 0.0
            allowed = allowed + MARGIN * np.where(np.isfinite(moved), np.maximum(moved, usual), np.inf)
        excess = apart > allowed
    if not excess.any():
        return None
    at = tuple(int(k) for k in np.unravel_index(np.argmax(np.where(excess, apart, 0)), apart.shape))
    text = f"output {name}: {int(excess.sum())} of {want.size} differ, most at {at}: {got[at]:.9g}, expected {want[at]:.9g}"
    return "values", f"{text}; largest magnitude {largest:.3g}"
