"""ScaledDotProductAttention and AppendKeyValue written out in NumPy, and random cases of the first."""

import numpy as np

OPERANDS = ("query", "key", "value", "mask", "lengths", "sink")


def in_front(x, layout):
    return x if layout == "BNSH" else np.ascontiguousarray(x.swapaxes(1, 2))


def wanted(q, k, v, mask=None, lengths=None, sink=None, **attrs):
    """In double precision, operands with heads in front."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    batch, heads, queries, _ = q.shape
    keys = k.shape[2]
    k, v = (np.repeat(x, heads // x.shape[1], 1) for x in (k, v))
    s = np.einsum("bnsd,bntd->bnst", q, k) * attrs.get("scale", 1)
    if attrs.get("softcap"):
        s = attrs["softcap"] * np.tanh(s / attrs["softcap"])
    seen = np.ones(s.shape, bool)
    if mask is not None:
        told = mask.shape[-1] if mask.ndim and mask.shape[-1] != 1 else keys
        seen[..., told:] = False
        if mask.dtype == bool:
            seen[..., :told] &= mask
        else:
            s[..., :told] += mask
    for b in range(batch):
        valid = keys if lengths is None else int(np.clip(lengths[b], 0, keys))
        seen[b, :, :, valid:] = False
        first = {"start": 0, "end": valid - queries, "end_or_start": max(0, valid - queries)}[attrs.get("align", "start")]
        for i in range(queries):
            if (left := attrs.get("left_window", -1)) >= 0:
                seen[b, :, i, : max(0, first + i - left)] = False
            if (right := attrs.get("right_window", -1)) >= 0:
                seen[b, :, i, max(0, first + i + right + 1) :] = False
    s = np.where(seen, s, -np.inf)
    top = s.max(-1, keepdims=True, initial=-np.inf)
    if sink is not None:
        top = np.maximum(top, sink[:, None, None])
    top = np.where(np.isinf(top), 0, top)
    weights = np.exp(s - top)
    total = weights.sum(-1, keepdims=True)
    if sink is not None:
        total = total + np.exp(sink[:, None, None] - top)
    with np.errstate(all="ignore"):
        unseen = 0.0 if attrs.get("zero_unseen") else np.nan
        return np.where(total == 0, unseen, weights @ v / total)


def random_case(seed):
    r = np.random.default_rng(seed)
    batch, kv_heads = int(r.integers(1, 4)), int(r.integers(1, 4))
    heads = kv_heads * int(r.integers(1, 4))
    queries, keys = int(r.choice([1, 1, 2, 5, 9, 17, 40, 130])), int(r.choice([1, 2, 7, 16, 33, 100, 400, 800, 2100]))
    size = int(r.choice([1, 4, 8, 16, 20, 64]))
    value_size = int(r.choice([size, 3, 16, 40]))
    attrs = {
        "scale": float(np.float32(r.uniform(0.1, 1))),
        "softcap": float(r.choice([0, 0, 2.5])),
        "align": str(r.choice(["start", "end", "end_or_start"])),
        "zero_unseen": bool(r.integers(2)),
    }
    attrs |= {w: int(r.choice([-1, -1, 0, 1, 5, 50])) for w in ("left_window", "right_window")}
    for name in ("query", "key", "value", "output"):
        attrs[f"{name}_layout"] = str(r.choice(["BNSH", "BSNH"]))
    shapes = ((batch, heads, queries, size), (batch, kv_heads, keys, size), (batch, kv_heads, keys, value_size))
    operands = {n: r.standard_normal(s).astype(np.float32) for n, s in zip(OPERANDS, shapes)}
    if kind := r.integers(4):
        shape = [int(extent) if r.integers(2) else 1 for extent in (batch, heads, queries, keys)]
        if shape[3] > 2 and r.integers(3) == 0:
            shape[3] -= int(r.integers(0, shape[3] - 1))  # it ends early
        shape = shape[int(r.integers(2)) if shape[0] == 1 else 0 :]
        operands["mask"] = r.integers(0, 4, shape) > 0 if kind == 3 else r.standard_normal(shape).astype(np.float32)
    if r.integers(3) == 0:
        operands["lengths"] = r.integers(0, keys + 2, batch).astype(r.choice([np.int32, np.int64]))
    if r.integers(4) == 0:
        operands["sink"] = r.standard_normal(heads).astype(np.float32)
    return operands, attrs


def appended(cache, rows, lengths, extent=None):
    """Rows with heads in front."""
    y = np.zeros((*cache.shape[:2], max(cache.shape[2], extent or 0), cache.shape[3]), cache.dtype)
    y[:, :, : cache.shape[2]] = cache
    for b, after in enumerate(lengths):
        first = max(0, int(after) - rows.shape[2])
        y[b, :, first : first + rows.shape[2]] = rows[b]
    return y
