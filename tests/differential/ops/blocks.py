"""What networks make of convolutions: blocks of several operators."""

from ..graph import derived, same, sizes, symbol
from . import LARGEST, op
from .convolution import conv, finish, image
from .elementwise import binary, broadcast, scalar, unary
from .shapes import times

# Widths that round up to the same number of blocks of 8 or 16 channels, or nearly so.
WIDTHS = ((40, 48), (20, 24), (17, 31), (5, 8), (33, 40, 48), (12, 16), (9, 15, 16))


def pixel_conv(net, x, out, k=1, groups=1, stride=1, bias=True):
    """A convolution that keeps the extents but for its stride."""
    c = int(x.shape[1])
    weight = net.weight(x.kind, (out, c // groups, k, k), c // groups * k * k)
    spatial = [times_down(d, stride) for d in x.shape[2:]]
    attributes = {"pads": [k // 2] * 4} if k > 1 else {}
    if stride > 1:
        attributes["strides"] = [stride] * 2
    if groups > 1:
        attributes["group"] = groups
    given = [x, weight, net.weight(x.kind, (out,)) if bias else None]
    return net.node("Conv", given, [(x.kind, (x.shape[0], out, *spatial))], **attributes)


def times_down(extent, stride):
    return derived(extent, lambda d: -(-d // stride), f"/{stride}") if stride > 1 else extent


def two_dimensional(x):
    return image(x) and x.kind == "float32" and x.rank == 4


@op("cnn", weight=3)
def widths(net, x):
    """Ways of nearly the same width beside each other, each weighed by its pooled channels, then together or apart."""
    if not two_dimensional(x):
        return None
    ways = []
    chosen = list(net.random.choice(WIDTHS))
    net.random.shuffle(chosen)
    if sum(chosen) * x.size // int(x.shape[1]) > LARGEST:
        return None
    for width in chosen:
        y = pixel_conv(net, x, width, net.pick(1, 1, 3))
        if net.chance(0.5):
            y = unary(net, net.pick("Relu", "Sigmoid"), y)
        pooled = unary(net, net.pick("GlobalAveragePool", "GlobalAveragePool", "GlobalMaxPool"), y, shape=(*y.shape[:2], 1, 1))
        form = net.pick("weigh", "weigh", "project", "pooled")
        if form == "weigh":
            y = binary(net, "Mul", y, unary(net, "Sigmoid", pixel_conv(net, pooled, width)))
        elif form == "project":
            y = pixel_conv(net, pooled, net.pick(4, 16))
        else:
            y = pooled
        ways.append(y)
    fit = [w for w in ways if all(map(same, w.shape[2:], ways[0].shape[2:]))]
    if len(fit) == 1 or net.chance(0.4):
        return ways[-1]
    total = sum(int(w.shape[1]) for w in fit)
    return net.node("Concat", fit, [(x.kind, (x.shape[0], total, *fit[0].shape[2:]))], axis=1)


@op("cnn", weight=3)
def inverted_residual(net, x):
    """MobileNet's: wider, depthwise, weighed, narrower, added where the shapes allow it."""
    if not two_dimensional(x):
        return None
    c = int(x.shape[1])
    wide, out = net.pick(c, 2 * c, 20, 24, 40, 48), net.pick(c, c, 17, 24, 40)
    if wide * x.size // c > LARGEST:
        return None
    y = finish(net, pixel_conv(net, x, wide, bias=False))
    y = finish(net, pixel_conv(net, y, wide, net.pick(3, 5), wide, net.pick(1, 1, 2)))
    if net.chance(0.6):
        y = squeeze_excite(net, y) or y
    if y.rank != 4:
        return None
    y = pixel_conv(net, y, out)
    if out == c and all(map(same, y.shape, x.shape)):
        y = binary(net, "Add", y, x)
    return y


@op("cnn")
def dense(net, x):
    """DenseNet's: each convolution sees what all before it made."""
    if not two_dimensional(x):
        return None
    for _ in range(net.pick(2, 3)):
        grown = pixel_conv(net, unary(net, "Relu", x), net.pick(4, 5, 12), 3)
        shape = (x.shape[0], int(x.shape[1]) + int(grown.shape[1]), *x.shape[2:])
        x = net.node("Concat", [x, grown], [(x.kind, shape)], axis=1)
    return x


@op("cnn")
def down_and_up(net, x):
    """U-Net's: half the extents, twice again, beside what was there before."""
    if not two_dimensional(x) or any(size % 2 for d in x.shape[2:] for size in sizes(d)):
        return None
    low = finish(net, pixel_conv(net, x, net.pick(8, 17, 24), 3, stride=2))
    n, c = low.shape[:2]
    if net.chance(0.5):
        scales = net.constant([1.0, 1.0, 2.0, 2.0], "float32")
        shape = (n, c, *(times(d, 2) for d in low.shape[2:]))
        high = net.node("Resize", [low, None, scales], [(x.kind, shape)], mode="linear")
    else:
        weight = net.weight(x.kind, (int(c), int(c), 2, 2), 2 * int(c))
        shape = (n, c, *(times(d, 2) for d in low.shape[2:]))
        high = net.node("ConvTranspose", [low, weight], [(x.kind, shape)], strides=[2, 2])
    return net.node("Concat", [high, x], [(x.kind, (n, int(c) + int(x.shape[1]), *shape[2:]))], axis=1)


@op("cnn")
def head(net, x):
    """A classifier: pooled, flat, multiplied."""
    if not two_dimensional(x):
        return None
    c = int(x.shape[1])
    pooled = unary(net, "GlobalAveragePool", x, shape=(*x.shape[:2], 1, 1))
    form = net.pick("Flatten", "Reshape", "Squeeze")
    if form == "Flatten":
        flat = net.node("Flatten", [pooled], [(x.kind, (x.shape[0], c))])
    elif form == "Reshape":
        flat = net.node("Reshape", [pooled, net.ints(0, -1)], [(x.kind, (x.shape[0], c))])
    else:
        flat = net.node("Squeeze", [pooled, net.ints(2, 3)], [(x.kind, (x.shape[0], c))])
    n = net.pick(1, 10, 17)
    return net.node(
        "Gemm", [flat, net.weight(x.kind, (n, c), c), net.weight(x.kind, (n,))], [(x.kind, (x.shape[0], n))], transB=1
    )


@op("cnn", weight=4)
def squeeze_excite(net, x):
    """Channels weighed by what a pooled copy says of them."""
    if not image(x) or x.kind != "float32" or x.rank != 4:
        return None
    if net.chance(0.6):  # several widths in one graph
        x = conv(net, x) or x
        if x.rank != 4:
            return None
    c, middle = int(x.shape[1]), net.pick(1, 4, 8, 10, 16)
    if net.chance(0.7):
        pooled = unary(net, "GlobalAveragePool", x, shape=(*x.shape[:2], 1, 1))
    elif net.opset >= 18:
        pooled = net.node("ReduceMean", [x, net.ints(2, 3)], [(x.kind, (*x.shape[:2], 1, 1))], keepdims=1)
    else:
        pooled = net.node("ReduceMean", [x], [(x.kind, (*x.shape[:2], 1, 1))], axes=[2, 3], keepdims=1)
    n = x.shape[0]
    down = net.node(
        "Conv", [pooled, net.weight(x.kind, (middle, c, 1, 1), c), net.weight(x.kind, (middle,))], [(x.kind, (n, middle, 1, 1))]
    )
    down = unary(net, net.pick("Relu", "Sigmoid"), down)
    up = net.node("Conv", [down, net.weight(x.kind, (c, middle, 1, 1), middle)], [(x.kind, (n, c, 1, 1))])
    return binary(net, "Mul", x, unary(net, net.pick("Sigmoid", "HardSigmoid"), up))


@op("cnn", weight=3)
def residual(net, x):
    """The same channels and extents by another way, added."""
    if not image(x) or x.kind != "float32" or x.rank != 4:
        return None
    c = int(x.shape[1])
    k = net.pick(1, 3, 5)
    groups = net.pick(1, 1, c)
    weight = net.weight(x.kind, (c, c // groups, k, k), c // groups * k * k)
    made = net.node("Conv", [x, weight], [(x.kind, x.shape)], pads=[k // 2] * 4, group=groups)
    made = finish(net, made)
    made = binary(net, "Add", *((made, x) if net.chance(0.5) else (x, made)))
    return unary(net, "Relu", made) if net.chance(0.5) else made


@op("cnn")
def combine(net, x):
    """Two values of the graph, element by element."""
    if not image(x) or x.kind != "float32":
        return None
    other = net.some(
        lambda v: v.kind == x.kind and v.name != x.name and v.rank == x.rank and broadcast(v.shape, x.shape) is not None,
        recent=False,
    )
    return other and binary(net, net.pick("Add", "Mul", "Sub", "Max"), x, other)


@op("cnn")
def shuffle(net, x):
    """Channels of groups, interleaved."""
    if not image(x) or x.rank != 4 or int(x.shape[1]) % 2 or any(symbol(d) for d in x.shape[2:]):
        return None
    n, c, h, w = x.shape
    g = net.pick(2, int(c) // 2)
    cut = net.node("Reshape", [x, net.ints(0, g, int(c) // g, int(h), int(w))], [(x.kind, (n, g, int(c) // g, h, w), x.exact)])
    turned = net.node("Transpose", [cut], [(x.kind, (n, int(c) // g, g, h, w), x.exact)], perm=[0, 2, 1, 3, 4])
    return net.node("Reshape", [turned, net.ints(0, int(c), int(h), int(w))], [(x.kind, x.shape, x.exact)])


@op("cnn")
def split_channels(net, x):
    """Halves of the channels on two ways."""
    if not image(x) or int(x.shape[1]) < 2 or x.kind != "float32":
        return None
    c = int(x.shape[1])
    a = net.random.randint(1, c - 1)
    shapes = [(x.shape[0], s, *x.shape[2:]) for s in (a, c - a)]
    left, right = net.node("Split", [x, net.ints(a, c - a)], [(x.kind, s, x.exact) for s in shapes], axis=1)
    left = (conv(net, left) or left) if net.chance(0.3) else unary(net, "Relu", left, exact=left.exact)
    if left.shape[2:] == right.shape[2:] and [symbol(d) for d in left.shape] == [symbol(d) for d in right.shape]:
        total = int(left.shape[1]) + int(right.shape[1])
        return net.node(
            "Concat", [left, right], [(x.kind, (x.shape[0], total, *x.shape[2:]), left.exact and right.exact)], axis=1
        )
    return left


@op("cnn")
def mean_and_scale(net, x):
    """Preprocessing: less the mean, over the deviation, channel by channel."""
    if not image(x) or x.kind != "float32":
        return None
    c = int(x.shape[1])
    shape = [c] + [1] * (x.rank - 2)
    made = binary(net, "Sub", x, net.weight(x.kind, shape))
    return (
        binary(net, "Div", made, net.constant(net.numpy.uniform(0.5, 2, shape), x.kind))
        if net.chance(0.5)
        else binary(net, "Mul", made, scalar(net, x.kind, 0.5))
    )
