"""Operators of detection, sampling and signals, and losses."""

import numpy as np

from ..graph import symbol, unknown
from . import LARGEST, op
from .shapes import fixed


def still(x):
    """Whether every extent is known and none is 0."""
    return x.size > 0 and not any(map(symbol, x.shape))


def is_image(x):
    return x.kind == "float32" and x.rank == 4 and still(x)


@op("vision", weight=3)
def grid_sample(net, x):
    if not is_image(x) or net.opset < 16:
        return None
    n, c = x.shape[:2]
    h, w = net.pick(1, 3, 5), net.pick(2, 4)
    modes = ("linear", "cubic") if net.opset >= 20 else ("bilinear", "bicubic")
    attributes = {
        "mode": net.pick(*modes),
        "padding_mode": net.pick("zeros", "border", "reflection"),
        "align_corners": net.pick(0, 1),
    }
    corners = attributes["align_corners"] and h > 1  # of one row, implementations take the first, the last or the middle
    if net.opset >= 20 and net.chance(0.3):
        theta = net.weight(x.kind, (int(n), 2, 3), 4)
        size = net.ints(int(n), int(c), h, w)
        grid = net.node("AffineGrid", [theta, size], [(x.kind, (n, h, w, 2))], align_corners=int(corners))
    else:
        grid = net.constant(net.numpy.uniform(-1.2, 1.2, (int(n), h, w, 2)), x.kind)
    return net.node("GridSample", [x, grid], [(x.kind, (n, c, h, w))], **attributes)


@op("vision", weight=2)
def roi_align(net, x):
    if not is_image(x) or not net.runs("RoiAlign", x.kind, "T1") or net.opset < 16:
        return None
    n, c, h, w = map(int, x.shape)
    count = net.pick(1, 3)
    corners = net.numpy.uniform(0, 1, (count, 2, 2)) * [w, h]
    boxes = np.concatenate([corners.min(1), corners.max(1)], 1)
    batch = net.constant(net.numpy.integers(0, n, count), "int64")
    out = net.pick((1, 1), (2, 3), (4, 4))
    attributes = {"output_height": out[0], "output_width": out[1], "sampling_ratio": net.pick(0, 1, 2)}
    attributes |= {"spatial_scale": net.pick(1.0, 0.5)}
    attributes["coordinate_transformation_mode"] = net.pick("half_pixel", "output_half_pixel")
    return net.node("RoiAlign", [x, net.constant(boxes, x.kind), batch], [(x.kind, (count, c, *out))], **attributes)


@op("vision", weight=2)
def deformable(net, x):
    if not is_image(x) or net.opset < 19:
        return None
    n, c, h, w = map(int, x.shape)
    k, out, groups = net.pick(1, 3), net.pick(1, 4, 5), net.pick(1, 1, c)
    out *= groups
    offset_groups = net.random.choice([g for g in (1, 2, c) if c % g == 0])
    weight = net.weight(x.kind, (out, c // groups, k, k), c // groups * k * k)
    offset = net.weight(x.kind, (n, offset_groups * 2 * k * k, h, w))
    mask = net.constant(net.numpy.uniform(0, 1, (n, offset_groups * k * k, h, w)), x.kind) if net.chance(0.5) else None
    bias = net.weight(x.kind, (out,)) if net.chance(0.5) else None
    attributes = {"pads": [k // 2] * 4, "group": groups, "offset_group": offset_groups, "kernel_shape": [k, k]}
    if n * out * h * w > LARGEST:
        return None
    return net.node("DeformConv", [x, weight, offset, bias, mask], [(x.kind, (n, out, h, w))], **attributes)


@op("vision")
def columns(net, x):
    """Col2Im, the inverse of cutting into windows."""
    if x.kind != "float32" or x.rank != 3 or not still(x) or net.opset < 18:
        return None
    k = net.random.choice([k for k in (1, 2, 3) if int(x.shape[1]) % (k * k) == 0])
    columns = int(x.shape[2])
    h = net.random.choice([d for d in range(1, columns + 1) if columns % d == 0])
    image = [h + k - 1, columns // h + k - 1]
    given = [x, net.ints(*image), net.ints(k, k)]
    return net.node("Col2Im", given, [(x.kind, (x.shape[0], int(x.shape[1]) // (k * k), *image))])


@op("vision", "shapes")
def crop_or_pad(net, x):
    if x.rank == 0 or not still(x) or net.opset < 18 or x.kind not in ("float32", "int64", "float16"):
        return None
    axes = net.random.sample(range(x.rank), net.random.randint(1, x.rank))
    target = [net.random.randint(1, int(x.shape[a]) + 2) for a in axes]
    shape = list(x.shape)
    for a, d in zip(axes, target):
        shape[a] = d
    return net.node("CenterCropPad", [x, net.ints(*target)], [(x.kind, shape, x.exact)], axes=axes)


@op("vision", weight=2)
def suppression(net, x):
    """Boxes that overlap less; as many as the run finds."""
    boxes, classes, n = net.pick(3, 6, 9), net.pick(1, 2), net.pick(1, 2)
    corner = net.numpy.uniform(0, 4, (n, boxes, 2))
    both = np.concatenate([corner, corner + net.numpy.uniform(0.5, 3, (n, boxes, 2))], 2)
    found = net.input("float32", (n, classes, boxes), lambda g, shape: g.random(shape))
    most = net.constant(np.array([net.pick(1, 2, 5)]), "int64")
    overlap = net.constant(np.array([net.pick(0.1, 0.5)]), "float32") if net.chance(0.8) else None
    least = net.constant(np.array([0.3]), "float32") if net.chance(0.5) else None
    given = [net.constant(both, "float32"), found, most, overlap, least]
    made = net.node("NonMaxSuppression", given, [("int64", (unknown(net, "boxes"), 3), True)])
    return net.node("Slice", [made, net.ints(2), net.ints(3), net.ints(1)], [("int64", (made.shape[0], 1), True)])


@op("vision", "types")
def unique(net, x):
    if not x.exact or x.size == 0 or x.rank == 0 or not net.runs("Unique", x.kind):
        return None
    count = unknown(net, "unique")
    outputs = [(x.kind, (count,), True), *[("int64", (d,), True) for d in (count, x.size, count)]]
    if any(map(symbol, x.shape)):
        outputs[2] = None
    outputs = [o if k == 0 or net.chance(0.5) else None for k, o in enumerate(outputs)]
    return net.random.choice(as_list(net.node("Unique", [x], outputs, sorted=1)))


def as_list(made):
    return made if isinstance(made, list) else [made]


@op("vision", "types")
def eye(net, x):
    if x.rank != 2 or not net.runs("EyeLike", x.kind, "T1"):
        return None
    return net.node("EyeLike", [x], [(x.kind, x.shape, True)], k=net.pick(-1, 0, 1, 2))


@op("vision")
def fourier(net, x):
    if x.kind != "float32" or x.rank not in (2, 3) or not still(x) or not 17 <= net.opset:
        return None
    shape = (*x.shape, 1)
    real = net.node("Unsqueeze", [x, net.ints(-1)], [(x.kind, shape, x.exact)])
    n, one_sided = int(x.shape[-1]), net.pick(0, 1)
    made = (*x.shape[:-1], n // 2 + 1 if one_sided else n, 2)
    if net.opset >= 20:
        axis = net.constant(np.array(-2), "int64")
        return net.node("DFT", [real, None, axis], [(x.kind, made)], onesided=one_sided)
    return net.node("DFT", [real], [(x.kind, made)], axis=x.rank - 1, onesided=one_sided)


@op("vision")
def short_fourier(net, x):
    if x.kind != "float32" or x.rank != 2 or not still(x) or net.opset < 17 or int(x.shape[1]) < 4:
        return None
    length, step = net.pick(3, 4), net.pick(1, 2, 3)
    real = net.node("Unsqueeze", [x, net.ints(-1)], [(x.kind, (*x.shape, 1), x.exact)])
    window = net.weight(x.kind, (length,))
    steps = net.constant(np.array(step), "int64")
    frames = (int(x.shape[1]) - length) // step + 1
    shape = (x.shape[0], frames, length // 2 + 1, 2)
    return net.node("STFT", [real, steps, window], [(x.kind, shape)], onesided=1)


@op("vision", "attention")
def rotary_operator(net, x):
    if x.kind != "float32" or x.rank != 3 or not still(x) or net.opset < 23:
        return None
    n, length, c = map(int, x.shape)
    heads = net.random.choice([h for h in (1, 2, 4) if c % h == 0])
    size = c // heads
    if size % 2:
        return None
    angles = net.numpy.standard_normal((n, length, size // 2))
    given = [x, net.constant(np.cos(angles), x.kind), net.constant(np.sin(angles), x.kind)]
    return net.node("RotaryEmbedding", given, [(x.kind, x.shape)], num_heads=heads, interleaved=net.pick(0, 1))


@op("vision")
def pool_and_back(net, x):
    """What a pooling chose, put back where it was."""
    if not is_image(x) or not x.exact or not net.runs("MaxUnpool", x.kind, "T1"):
        return None
    n, c, h, w = map(int, x.shape)
    if h < 2 or w < 2:
        return None
    shape = (n, c, h // 2, w // 2)
    settings = {"kernel_shape": [2, 2], "strides": [2, 2]}
    top, where = net.node("MaxPool", [x], [(x.kind, shape, True), ("int64", shape, True)], **settings)
    given = [top, where] + ([net.ints(n, c, h, w)] if h % 2 or w % 2 else [])
    if len(given) == 3:  # positions count in the extents that the output has
        return None
    return net.node("MaxUnpool", given, [(x.kind, x.shape, True)], **settings)


@op("vision")
def loss(net, x):
    if x.kind != "float32" or x.rank < 2 or not still(x) or x.rank > 4:
        return None
    n, c = int(x.shape[0]), int(x.shape[1])
    target = net.constant(net.numpy.integers(0, c, (n, *map(int, x.shape[2:]))), "int64")
    weights = net.constant(net.numpy.uniform(0.5, 2, c), x.kind) if net.chance(0.4) else None
    reduction = net.pick("mean", "sum", "none")
    shape = (n, *x.shape[2:]) if reduction == "none" else ()
    name = net.pick("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
    attributes = {"reduction": reduction}
    if net.chance(0.3):
        attributes["ignore_index"] = net.random.randrange(c)
    return net.node(name, [x, target, weights], [(x.kind, shape)], **attributes)


@op("vision", "cnn")
def nearest_twice(net, x):
    """Upsampling written with Reshape and Expand or Tile, as exporters do."""
    if not is_image(x) or x.size * 4 > LARGEST or not fixed(x.shape[0]):
        return None
    n, c, h, w = map(int, x.shape)
    cut = net.node("Reshape", [x, net.ints(n, c, h, 1, w, 1)], [(x.kind, (n, c, h, 1, w, 1), x.exact)])
    wide = (n, c, h, 2, w, 2)
    if net.chance(0.5):
        made = net.node("Expand", [cut, net.ints(*wide)], [(x.kind, wide, x.exact)])
    else:
        made = net.node("Tile", [cut, net.ints(1, 1, 1, 2, 1, 2)], [(x.kind, wide, x.exact)])
    return net.node("Reshape", [made, net.ints(n, c, 2 * h, 2 * w)], [(x.kind, (n, c, 2 * h, 2 * w), x.exact)])
