"""Convolutions, pooling and resizing over one, two and three spatial axes."""

import numpy as np

from ..graph import derived, sizes, symbol
from . import LARGEST, op
from .elementwise import activation, unary
from .shapes import fixed, times

CHANNELS = (1, 2, 3, 5, 8, 12, 16, 17, 20, 24, 31, 32, 33, 40, 48, 64)


def image(x):
    return x.rank in (3, 4, 5) and fixed(x.shape[1]) and int(x.shape[1]) > 0 and all(int(d) > 0 for d in x.shape)


class Window:
    """Kernel, strides, dilations and padding over the spatial axes of x."""

    def __init__(self, net, x, dilated=True, kernels=(1, 1, 2, 3, 3, 3, 5), filled=False):
        self.spatial, n = x.shape[2:], x.rank - 2
        self.filled = filled  # no window of padding alone, whose maximum nobody defines
        alike = net.chance(0.8)
        self.kernel = self.several(net, n, alike, kernels)
        self.strides = self.several(net, n, alike, (1, 1, 1, 2, 3))
        self.dilations = self.several(net, n, alike, (1, 1, 1, 2)) if dilated else [1] * n
        self.auto = net.pick("SAME_UPPER", "SAME_LOWER", "VALID") if net.chance(0.2) else None
        if self.auto in ("SAME_UPPER", "SAME_LOWER"):
            self.dilations = [1] * n
            # Kernels that leave gaps: ONNX Runtime starts behind the first element, as if it padded by less than nothing.
            self.strides = [min(s, k) for s, k in zip(self.strides, self.kernel)]
        limit = [min(k // 2 + 1, k - 1) if filled else k // 2 + 1 for k in self.kernel]
        if net.chance(0.6):
            pads = [min(k // 2, m) for k, m in zip(self.kernel, limit)] * 2
        else:
            pads = [net.random.randint(0, m) for m in limit * 2]
        self.pads = pads if self.auto is None else None

    @staticmethod
    def several(net, n, alike, options):
        return [net.pick(*options)] * n if alike else [net.pick(*options) for _ in range(n)]

    def attributes(self, net):
        made = {"kernel_shape": self.kernel}
        if any(s != 1 for s in self.strides) or net.chance(0.5):
            made["strides"] = self.strides
        if any(d != 1 for d in self.dilations):
            made["dilations"] = self.dilations
        if self.auto:
            made["auto_pad"] = self.auto
        elif any(self.pads) or net.chance(0.3):
            made["pads"] = self.pads
        return made

    def shape(self, ceil=False):
        """The extents that come out; None where nothing does."""
        made = []
        for k, d in enumerate(self.spatial):
            pads = self.pads and (self.pads[k], self.pads[k + len(self.spatial)])
            how = f"window{self.kernel[k]},{self.strides[k]},{self.dilations[k]},{self.auto},{pads},{ceil}"
            made.append(derived(d, lambda size, k=k, pads=pads: self.extent(size, k, pads or (0, 0), ceil), how))
        return None if None in made else made

    def extent(self, size, k, pads, ceil):
        stride = self.strides[k]
        if self.auto in ("SAME_UPPER", "SAME_LOWER"):
            return -(-size // stride)
        left = size + sum(pads) - (self.kernel[k] - 1) * self.dilations[k] - 1
        if left < 0:
            return None
        out = (-(-left // stride) if ceil else left // stride) + 1
        if ceil and (out - 1) * stride >= size + pads[0]:
            out -= 1
        if self.filled and not all(self.touches(k, at * stride - pads[0], size) for at in range(out)):
            return None
        return out

    def touches(self, k, start, size):
        """Whether a window has an element that is not padding."""
        return any(0 <= start + j * self.dilations[k] < size for j in range(self.kernel[k]))


def channels(net, divisor=1):
    return net.random.choice([c for c in CHANNELS if c % divisor == 0] or [divisor])


@op("cnn", "mixed", weight=6)
def conv(net, x):
    if not image(x) or not net.runs("Conv", x.kind):
        return None
    c = int(x.shape[1])
    form = net.pick("plain", "plain", "pointwise", "depthwise", "groups")
    groups = 1
    if form == "depthwise":
        groups = c
    elif form == "groups":
        groups = net.random.choice([g for g in (1, 2, 3, 4, 5, 8) if c % g == 0])
    out = c * net.pick(1, 1, 1, 2) if form == "depthwise" else channels(net, groups)
    window = Window(net, x, kernels=(1,) if form == "pointwise" else (1, 2, 3, 3, 3, 5, 7))
    if form == "pointwise":
        window.pads = window.pads and [0] * len(window.pads)
    spatial = window.shape()
    if spatial is None or out * np.prod([int(d) for d in spatial]) * int(x.shape[0]) > LARGEST:
        return None
    weight = net.weight(x.kind, (out, c // groups, *window.kernel), c // groups * np.prod(window.kernel))
    bias = net.weight(x.kind, (out,)) if net.chance(0.6) else None
    attributes = window.attributes(net)
    if groups > 1 or net.chance(0.3):
        attributes["group"] = groups
    made = net.node("Conv", [x, weight, bias], [(x.kind, (x.shape[0], out, *spatial))], **attributes)
    return finish(net, made)


def finish(net, x):
    """What often follows a convolution: normalisation, an activation."""
    if net.chance(0.2):
        x = batch_norm(net, x) or x
    if net.chance(0.5):
        name = net.pick("Relu", "LeakyRelu", "Sigmoid", "HardSwish", "written out")
        if name == "written out":
            return activation(net, x) or x
        if (name != "HardSwish" or net.opset >= 14) and net.runs(name, x.kind):
            x = unary(net, name, x)
    return x


@op("cnn", "normalize")
def batch_norm(net, x):
    if x.rank < 2 or not fixed(x.shape[1]) or x.size == 0 or not net.runs("BatchNormalization", x.kind):
        return None
    c = int(x.shape[1])
    given = [
        net.constant(net.numpy.uniform(0.5, 1.5, c), x.kind),
        net.weight(x.kind, (c,)),
        net.weight(x.kind, (c,)),
        net.constant(net.numpy.uniform(0.5, 2, c), x.kind),
    ]
    return net.node("BatchNormalization", [x, *given], [(x.kind, x.shape)], epsilon=net.pick(1e-5, 1e-3))


@op("cnn")
def conv_transpose(net, x):
    if not image(x) or x.kind != "float32" or x.rank == 5:
        return None
    c, groups = int(x.shape[1]), 1
    if net.chance(0.3):
        groups = net.random.choice([g for g in (1, 2, 3, c) if c % g == 0])
    out, n = channels(net, groups), x.rank - 2
    if net.chance(0.3):
        out = groups * net.pick(1, 3)
    kernel = [net.pick(1, 2, 3, 4)] * n
    strides = [net.pick(1, 2, 2, 3)] * n
    dilations = [net.pick(1, 1, 1, 2)] * n
    extra = [net.random.randrange(s) if net.chance(0.3) else 0 for s in strides]
    pads = [net.random.randint(0, (kernel[0] - 1) * dilations[0] // 2)] * (2 * n)
    spatial = []
    for k, d in enumerate(x.shape[2:]):
        more = extra[k] + (kernel[k] - 1) * dilations[k] + 1 - 2 * pads[k] - strides[k]
        spatial.append(derived(d, lambda size, s=strides[k], m=more: size * s + m, f"x{strides[k]}+{more}"))
    if min(min(sizes(d)) for d in spatial) < 1 or out * np.prod([int(d) for d in spatial]) * int(x.shape[0]) > LARGEST:
        return None
    weight = net.weight(x.kind, (c, out // groups, *kernel), c // groups * kernel[0])
    bias = net.weight(x.kind, (out,)) if net.chance(0.5) else None
    attributes = {"strides": strides, "dilations": dilations, "pads": pads, "group": groups, "output_padding": extra}
    return finish(net, net.node("ConvTranspose", [x, weight, bias], [(x.kind, (x.shape[0], out, *spatial))], **attributes))


@op("cnn", "mixed", weight=2)
def pool(net, x):
    name = net.pick("MaxPool", "AveragePool", "AveragePool", "LpPool")
    if not image(x) or not net.runs(name, x.kind):
        return None
    window = Window(
        net, x, dilated=name == "MaxPool" or net.opset >= 19 and net.chance(0.3), kernels=(1, 2, 2, 3, 3, 5), filled=True
    )
    ceil = net.chance(0.25) and window.auto is None and name != "LpPool"
    if name == "AveragePool" and max(window.dilations) > 1 and any(map(symbol, x.shape)):
        ceil = False
    spatial = window.shape(ceil)
    if spatial is None:
        return None
    attributes = window.attributes(net)
    if ceil:
        attributes["ceil_mode"] = 1
    shape = (*x.shape[:2], *spatial)
    if name == "AveragePool":
        attributes["count_include_pad"] = net.pick(0, 1)
    if name == "LpPool":
        attributes["p"] = net.pick(1, 2)
    if name == "MaxPool":
        # Padding to the same extents, where a run tells them, is a step of its own: then there are no positions.
        told = window.auto in (None, "VALID") or max(window.strides) == 1 or not any(map(symbol, x.shape))
        positions = ("int64", shape, True) if x.exact and told and net.chance(0.2) else None
        return net.random.choice(net.node(name, [x], [(x.kind, shape, x.exact), positions], **attributes))
    return net.node(name, [x], [(x.kind, shape)], **attributes)


@op("cnn", weight=2)
def global_pool(net, x):
    name = net.pick("GlobalAveragePool", "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
    if not image(x) or not net.runs(name, x.kind):
        return None
    return unary(net, name, x, shape=(*x.shape[:2], *[1] * (x.rank - 2)))


@op("cnn", "mixed")
def resize(net, x):
    if x.rank != 4 or x.kind != "float32" or x.size == 0 or not all(fixed(d) for d in x.shape[2:]) and net.chance(0.5):
        return None
    mode = net.pick("nearest", "linear", "cubic")
    coordinates = net.pick("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        attributes["nearest_mode"] = net.pick("floor", "round_prefer_floor", "ceil", "round_prefer_ceil")
        if coordinates not in ("asymmetric",):  # elsewhere rounding of positions decides between neighbours
            attributes["coordinate_transformation_mode"] = "asymmetric"
    if mode == "cubic" and net.chance(0.5):
        attributes["cubic_coeff_a"] = -0.5
    opened = any(symbol(d) for d in x.shape)
    if opened or net.chance(0.5):
        scales = [1.0, 1.0, *[net.pick(1.0, 2.0, 2.0, 3.0, 0.5)] * 2]
        spatial = [times(d, s) for d, s in zip(x.shape[2:], scales[2:])]
        if coordinates == "align_corners" and mode != "nearest" and scales[2] == 0.5:
            return None
        given = [x, None, net.constant(np.array(scales), "float32")]
    else:
        spatial = [net.random.randint(1, 12) for _ in range(2)]
        given = [x, None, None, net.ints(*map(int, x.shape[:2]), *spatial)]
    if (
        min(min(sizes(d)) for d in spatial) < 1
        or np.prod([int(d) for d in x.shape[:2]]) * np.prod([int(d) for d in spatial]) > LARGEST
    ):
        return None
    return net.node("Resize", given, [(x.kind, (*x.shape[:2], *spatial))], **attributes)


@op("cnn")
def local_response(net, x):
    if x.rank != 4 or x.kind != "float32" or not image(x):
        return None
    return unary(net, "LRN", x, size=net.pick(1, 3, 5), alpha=0.01, bias=1.0)
