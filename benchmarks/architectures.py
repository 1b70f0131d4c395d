"""ONNX models of forty more architectures, small enough to run in milliseconds: what people export beside those of nets.py.

`build(name)` returns (model, feed). Weights are seeded noise, scaled so that activations stay in range.

    python architectures.py OUT_DIR [NAME …]
"""

import os
import sys

import numpy as np
import onnx
from nets import I64, Writer, image


class Net(Writer):
    """A writer for images, lines and volumes, whose output takes any type."""

    def __init__(self, name, opset=17):
        super().__init__(name, sum(map(ord, name)))
        self.opset = opset

    def finish(self):
        model = super().finish()
        model.opset_import[0].version = self.opset
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
        for value, known in zip(model.graph.output, inferred.graph.output):
            if known.type.tensor_type.HasField("shape"):
                value.CopyFrom(known)
        return model

    def ints(self, *values):
        return self.const(list(values), np.int64)

    def out(self, value, name="y", elem=onnx.TensorProto.FLOAT, shape=None):
        self.nodes.append(onnx.helper.make_node("Identity", [value], [name], name=f"out_{name}"))
        self.outputs.append(onnx.helper.make_tensor_value_info(name, elem, shape))

    def convn(self, x, cin, cout, kernel, stride=1, group=1, dilation=1, pads=None, bias=True):
        """A convolution of as many axes as the kernel names."""
        n, d = len(kernel), [dilation] * len(kernel)
        w = self.normal(cout, cin // group, *kernel, scale=(2 / (cin // group * np.prod(kernel))) ** 0.5)
        if pads is None:
            pads = [(k - 1) * dilation // 2 for k in kernel] * 2
        steps = [stride] * n if isinstance(stride, int) else stride
        more = [self.normal(cout, scale=0.1)] if bias else []
        return self.add("Conv", x, w, *more, kernel_shape=kernel, strides=steps, pads=pads, group=group, dilations=d)

    def up(self, x, cin, cout, kernel, stride, pad=0, group=1, **more):
        """A transposed convolution."""
        fan = cin // group * np.prod(kernel) / stride ** len(kernel)
        w = self.normal(cin, cout // group, *kernel, scale=fan**-0.5)
        n = len(kernel)
        b = self.normal(cout, scale=0.1)
        return self.add(
            "ConvTranspose", x, w, b, kernel_shape=kernel, strides=[stride] * n, pads=[pad] * 2 * n, group=group, **more
        )

    def relu(self, x):
        return self.add("Relu", x)

    def pool(self, x, n, kind="MaxPool", k=2, stride=2, pad=0, **more):
        return self.add(kind, x, kernel_shape=[k] * n, strides=[stride] * n, pads=[pad] * 2 * n, **more)

    def cat(self, *xs, axis=1):
        return self.add("Concat", *xs, axis=axis)

    def reshape(self, x, *shape):
        return self.add("Reshape", x, self.ints(*shape))

    def resize(self, x, factor, mode, n=2, rule="half_pixel"):
        scales = self.const([1, 1] + [factor] * n)
        return self.add("Resize", x, "", scales, mode=mode, coordinate_transformation_mode=rule)

    def instance_norm(self, x, c):
        return self.add("InstanceNormalization", x, self.const(self.rng.uniform(0.9, 1.1, c)), self.normal(c, scale=0.1))

    def group_norm(self, x, c, groups, spatial):
        """As exporters of opset 17 write it: instance norm of groups, then a scale per channel."""
        y = self.reshape(x, 0, groups, -1)
        ones, zeros = self.const(np.ones(groups)), self.const(np.zeros(groups))
        y = self.reshape(self.add("InstanceNormalization", y, ones, zeros), 1, c, *spatial)
        y = self.add("Mul", y, self.const(self.rng.uniform(0.9, 1.1, (c, 1, 1))))
        return self.add("Add", y, self.normal(c, 1, 1, scale=0.1))

    def slices(self, x, axis, *ranges):
        return [self.add("Slice", x, self.ints(a), self.ints(b), self.ints(axis)) for a, b in ranges]

    def flat(self, x):
        return self.add("Flatten", x)

    def gemm(self, x, cin, cout):
        return self.add("Gemm", x, self.normal(cout, cin, scale=cin**-0.5), self.normal(cout, scale=0.1), transB=1)

    def silu(self, x):
        return self.act(x, "silu")


def noise(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# ---- images to images ----


def unet_2d():
    w = Net("unet_2d")
    x, skips, c = w.input("x", [1, 3, 128, 128]), [], 3
    for width in (32, 64, 128):
        x = w.block(w.block(x, c, width, 3), width, width, 3)
        skips.append((x, width))
        x, c = w.pool(x, 2), width
    x, c = w.block(w.block(x, c, 256, 3), 256, 256, 3), 256
    for skip, width in reversed(skips):
        x = w.cat(w.up(x, c, width, [2, 2], 2), skip)
        x, c = w.block(w.block(x, 2 * width, width, 3), width, width, 3), width
    w.out(w.add("Sigmoid", w.conv(x, c, 1, bias=True)))
    return w.finish(), {"x": image(128)}


def unet_3d():
    w = Net("unet_3d")
    x, skips, c = w.input("x", [1, 1, 32, 32, 32]), [], 1
    k = [3, 3, 3]
    for width in (16, 32):
        x = w.relu(w.instance_norm(w.convn(x, c, width, k), width))
        x = w.relu(w.norm(w.convn(x, width, width, k), width))
        skips.append((x, width))
        x, c = w.pool(x, 3), width
    x, c = w.relu(w.norm(w.convn(x, c, 64, k), 64)), 64
    for skip, width in reversed(skips):
        x = w.cat(w.up(x, c, width, [2, 2, 2], 2), skip)
        x, c = w.relu(w.norm(w.convn(x, 2 * width, width, k), width)), width
    w.out(w.add("Softmax", w.convn(x, c, 3, [1, 1, 1]), axis=1))
    return w.finish(), {"x": noise(1, 1, 32, 32, 32)}


def text_detector():
    """A pyramid whose levels are added and joined, with transposed convolutions at the end."""
    w = Net("text_detector")
    x = w.block(w.input("x", [1, 3, 160, 160]), 3, 16, 3, 2)
    levels, c = [], 16
    for width in (24, 48, 96):
        x = w.block(w.block(x, c, width, 3, 2), width, width, 3)
        levels.append(w.convn(x, width, 64, [1, 1]))
        c = width
    top, joined = levels[-1], []
    for i in (2, 1, 0):
        if i < 2:
            top = w.add("Add", w.resize(top, 2, "nearest", rule="asymmetric"), levels[i])
        p = w.convn(top, 64, 16, [3, 3])
        joined.append(w.resize(p, 2**i, "nearest", rule="asymmetric") if i else p)
    x = w.block(w.cat(*joined), 48, 16, 3)
    x = w.relu(w.norm(w.up(x, 16, 16, [2, 2], 2), 16))
    w.out(w.add("Sigmoid", w.up(x, 16, 1, [2, 2], 2)))
    return w.finish(), {"x": image(160)}


def super_resolution():
    w = Net("super_resolution")
    x = first = w.relu(w.convn(w.input("x", [1, 3, 64, 64]), 3, 32, [3, 3]))
    for _ in range(4):
        y = w.convn(w.relu(w.convn(x, 32, 32, [3, 3])), 32, 32, [3, 3])
        x = w.add("Add", x, w.add("Mul", y, w.const(0.1)))
    x = w.add("Add", x, first)
    for _ in range(2):
        x = w.add("DepthToSpace", w.convn(x, 32, 128, [3, 3]), blocksize=2, mode="CRD")
    w.out(w.add("Clip", w.convn(x, 32, 3, [3, 3]), w.const(0), w.const(1)))
    return w.finish(), {"x": image(64)}


def bicubic_upscaler():
    w = Net("bicubic_upscaler")
    x = w.input("x", [1, 3, 64, 64])
    base = w.add("Resize", x, "", w.const([1, 1, 3, 3]), mode="cubic", cubic_coeff_a=-0.5)
    y = w.relu(w.convn(base, 3, 16, [5, 5]))
    y = w.convn(w.relu(w.convn(y, 16, 16, [3, 3])), 16, 3, [3, 3])
    w.out(w.add("Add", base, y))
    return w.finish(), {"x": image(64)}


def dcgan():
    w = Net("dcgan")
    x = w.reshape(w.input("z", [2, 100]), 2, 100, 1, 1)
    x, c = w.relu(w.norm(w.up(x, 100, 256, [4, 4], 1), 256)), 256
    for width in (128, 64, 32):
        x, c = w.relu(w.norm(w.up(x, c, width, [4, 4], 2, 1), width)), width
    w.out(w.add("Tanh", w.up(x, c, 3, [4, 4], 2, 1)))
    return w.finish(), {"z": noise(2, 100)}


def autoencoder():
    w = Net("autoencoder")
    x, c = w.input("x", [4, 1, 64, 64]), 1
    for width in (16, 32, 64):
        x, c = w.add("LeakyRelu", w.convn(x, c, width, [3, 3], 2), alpha=0.1), width
    x = w.reshape(w.gemm(w.relu(w.gemm(w.flat(x), 64 * 64, 64)), 64, 64 * 64), 4, 64, 8, 8)
    for width in (32, 16, 1):
        x, c = w.up(x, c, width, [3, 3], 2, 1, output_padding=[1, 1]), width
        x = w.add("LeakyRelu", x, alpha=0.1) if width > 1 else w.add("Sigmoid", x)
    w.out(x)
    return w.finish(), {"x": noise(4, 1, 64, 64)}


def style_transfer():
    w = Net("style_transfer")

    def layer(x, cin, cout, k, stride=1):
        x = w.add("Pad", x, w.ints(0, 0, k // 2, k // 2, 0, 0, k // 2, k // 2), mode="reflect")
        return w.convn(x, cin, cout, [k, k], stride, pads=[0] * 4)

    x = w.relu(w.instance_norm(layer(w.input("x", [1, 3, 96, 96]), 3, 16, 9), 16))
    x = w.relu(w.instance_norm(layer(x, 16, 32, 3, 2), 32))
    x = w.relu(w.instance_norm(layer(x, 32, 64, 3, 2), 64))
    for _ in range(3):
        y = w.relu(w.instance_norm(layer(x, 64, 64, 3), 64))
        x = w.add("Add", x, w.instance_norm(layer(y, 64, 64, 3), 64))
    for cin, cout in ((64, 32), (32, 16)):
        x = w.resize(x, 2, "nearest", rule="asymmetric")
        x = w.relu(w.instance_norm(layer(x, cin, cout, 3), cout))
    w.out(layer(x, 16, 3, 9))
    return w.finish(), {"x": image(96)}


def diffusion_unet():
    w, size, c = Net("diffusion_unet"), 32, 64
    x, t = w.input("x", [1, 4, size, size]), w.input("t", [1])
    freqs = w.add("Mul", w.reshape(t, 1, 1), w.const(np.exp(-np.arange(32) / 32 * np.log(10000))[None]))
    emb = w.cat(w.add("Sin", freqs), w.add("Cos", freqs))
    emb = w.silu(w.gemm(w.silu(w.gemm(emb, 64, 128)), 128, 128))

    def block(x, cin, cout, s):
        y = w.convn(w.silu(w.group_norm(x, cin, 16, (s, s))), cin, cout, [3, 3])
        y = w.add("Add", y, w.reshape(w.gemm(emb, 128, cout), 1, cout, 1, 1))
        y = w.convn(w.silu(w.group_norm(y, cout, 16, (s, s))), cout, cout, [3, 3])
        return w.add("Add", y, x if cin == cout else w.convn(x, cin, cout, [1, 1]))

    x = skip = block(w.convn(x, 4, c, [3, 3]), c, c, size)
    x = block(w.convn(x, c, c, [3, 3], 2), c, 2 * c, size // 2)
    y = w.group_norm(x, 2 * c, 16, (size // 2, size // 2))
    y = w.add("Transpose", w.reshape(y, 1, 2 * c, -1), perm=[0, 2, 1])
    y = w.add("Transpose", w.attention(y, 2 * c, 4)[0], perm=[0, 2, 1])
    x = w.add("Add", x, w.reshape(y, 1, 2 * c, size // 2, size // 2))
    x = w.convn(w.resize(x, 2, "nearest", rule="asymmetric"), 2 * c, c, [3, 3])
    x = block(w.cat(x, skip), 2 * c, c, size)
    w.out(w.convn(w.silu(w.group_norm(x, c, 16, (size, size))), c, 4, [3, 3]))
    return w.finish(), {"x": noise(1, 4, size, size), "t": np.array([500], np.float32)}


def group_norm_net():
    """Group normalisation as the operator of opset 21."""
    w = Net("group_norm_net", 21)
    x, c = w.input("x", [1, 3, 64, 64]), 3
    for width in (32, 64, 64):
        x = w.convn(x, c, width, [3, 3], 2)
        x = w.relu(w.add("GroupNormalization", x, w.const(np.ones(width)), w.normal(width, scale=0.1), num_groups=8))
        c = width
    w.out(w.gemm(w.flat(w.add("GlobalAveragePool", x)), c, 10), shape=[1, 10])
    return w.finish(), {"x": image(64)}


def segmentation():
    """Dilated convolutions of several rates, a pooled image, bilinear resizing to the input's size."""
    w = Net("segmentation")
    x = w.block(w.block(w.input("x", [1, 3, 128, 128]), 3, 16, 3, 2), 16, 32, 3, 2)
    x = w.block(x, 32, 64, 3, 2)
    parts = [w.convn(x, 64, 32, [1, 1])] + [w.convn(x, 64, 32, [3, 3], dilation=d) for d in (2, 4, 6)]
    pooled = w.relu(w.convn(w.add("GlobalAveragePool", x), 64, 32, [1, 1]))
    parts.append(w.add("Resize", pooled, "", "", w.ints(1, 32, 16, 16), mode="linear"))
    x = w.convn(w.block(w.cat(*parts), 160, 32), 32, 19, [1, 1])
    x = w.resize(x, 8, "linear")
    w.out(w.add("ArgMax", x, axis=1, keepdims=0), elem=I64)
    return w.finish(), {"x": image(128)}


def depth_estimation():
    w = Net("depth_estimation")
    x, skips, c = w.input("x", [1, 3, 96, 128]), [], 3
    for width in (16, 32, 64):
        x, c = w.block(x, c, width, 3, 2), width
        skips.append((x, width))
    for skip, width in reversed(skips[:-1]):
        x = w.add("Pad", x, w.ints(0, 0, 1, 1, 0, 0, 1, 1), mode="reflect")
        x = w.add("Elu", w.convn(x, c, width, [3, 3], pads=[0] * 4))
        x, c = w.cat(w.resize(x, 2, "linear", rule="align_corners"), skip), 2 * width
    w.out(w.add("Sigmoid", w.resize(w.convn(x, c, 1, [3, 3]), 2, "linear", rule="pytorch_half_pixel")))
    return w.finish(), {"x": noise(1, 3, 96, 128)}


# ---- images to classes and boxes ----


def squeezenet():
    w = Net("squeezenet")
    x, c = w.pool(w.relu(w.convn(w.input("x", [1, 3, 112, 112]), 3, 64, [3, 3], 2)), 2, k=3), 64
    for squeeze, expand in ((16, 64), (16, 64), (32, 128), (48, 192)):
        s = w.relu(w.convn(x, c, squeeze, [1, 1]))
        x = w.cat(w.relu(w.convn(s, squeeze, expand, [1, 1])), w.relu(w.convn(s, squeeze, expand, [3, 3])))
        c = 2 * expand
        if expand == 64:
            x = w.pool(x, 2, k=3, pad=0, ceil_mode=1)
    w.out(w.flat(w.add("GlobalAveragePool", w.relu(w.convn(x, c, 100, [1, 1])))))
    return w.finish(), {"x": image(112)}


def resnext():
    """Residual blocks whose 3 x 3 convolutions have 32 groups."""
    w = Net("resnext")
    x, c = w.pool(w.block(w.input("x", [1, 3, 112, 112]), 3, 64, 7, 2), 2, k=3, pad=1), 64
    for k, (width, out) in enumerate(((128, 256), (256, 512), (512, 1024))):
        for j in range(2):
            stride = 2 if k and not j else 1
            y = w.block(w.block(x, c, width), width, width, 3, stride, 32)
            y = w.norm(w.conv(y, width, out), out)
            x = w.relu(w.add("Add", y, x if c == out else w.norm(w.conv(x, c, out, 1, stride), out)))
            c = out
    w.out(w.gemm(w.flat(w.add("GlobalAveragePool", x)), c, 100))
    return w.finish(), {"x": image(112)}


def shufflenet():
    w = Net("shufflenet")
    x, c, size = w.pool(w.block(w.input("x", [1, 3, 128, 128]), 3, 24, 3, 2), 2, k=3, pad=1), 24, 32

    def shuffle(x, c, s):
        x = w.add("Transpose", w.reshape(x, 1, 2, c // 2, s, s), perm=[0, 2, 1, 3, 4])
        return w.reshape(x, 1, c, s, s)

    for width in (48, 96):
        half = width // 2
        a = w.block(w.block(x, c, c, 3, 2, c, kind=None), c, half)
        b = w.block(w.block(w.block(x, c, half), half, half, 3, 2, half, kind=None), half, half)
        c, size = width, size // 2
        x = shuffle(w.cat(a, b), c, size)
        for _ in range(3):
            a, b = w.add("Split", x, w.ints(half, half), outs=2, axis=1)
            b = w.block(w.block(w.block(b, half, half), half, half, 3, 1, half, kind=None), half, half)
            x = shuffle(w.cat(a, b), c, size)
    w.out(w.head(x, c, 100))
    return w.finish(), {"x": image(128)}


def densenet():
    w = Net("densenet")
    x, c = w.pool(w.block(w.input("x", [1, 3, 128, 128]), 3, 32, 7, 2), 2, k=3, pad=1), 32
    for stage in range(3):
        for _ in range(4):
            y = w.conv(w.relu(w.norm(x, c)), c, 64)
            y = w.conv(w.relu(w.norm(y, 64)), 64, 16, 3)
            x, c = w.cat(x, y), c + 16
        if stage < 2:
            x = w.pool(w.conv(w.relu(w.norm(x, c)), c, c // 2), 2, "AveragePool")
            c //= 2
    w.out(w.head(w.relu(w.norm(x, c)), c, 100))
    return w.finish(), {"x": image(128)}


def efficientnet():
    w = Net("efficientnet")
    x, c = w.block(w.input("x", [1, 3, 128, 128]), 3, 32, 3, 2, kind="silu"), 32
    for expand, out, k, stride in ((1, 16, 3, 1), (6, 24, 3, 2), (6, 24, 3, 1), (6, 40, 5, 2), (6, 40, 5, 1), (6, 80, 3, 2)):
        mid, y = c * expand, x
        if expand > 1:
            y = w.block(y, c, mid, kind="silu")
        y = w.block(y, mid, mid, k, stride, mid, kind="silu")
        s = w.silu(w.convn(w.add("GlobalAveragePool", y), mid, max(c // 4, 1), [1, 1]))
        y = w.add("Mul", y, w.add("Sigmoid", w.convn(s, max(c // 4, 1), mid, [1, 1])))
        y = w.block(y, mid, out, kind=None)
        x, c = w.add("Add", x, y) if c == out else y, out
    w.out(w.head(w.block(x, c, 320, kind="silu"), 320, 100))
    return w.finish(), {"x": image(128)}


def ghostnet():
    w = Net("ghostnet")
    x, c = w.block(w.input("x", [1, 3, 128, 128]), 3, 16, 3, 2), 16

    def ghost(x, cin, cout, kind="relu"):
        half = cout // 2
        a = w.block(x, cin, half, kind=kind)
        return w.cat(a, w.block(a, half, half, 3, 1, half, kind=kind))

    for mid, out, stride in ((48, 24, 2), (72, 24, 1), (72, 40, 2), (120, 40, 1)):
        y = ghost(x, c, mid)
        if stride == 2:
            y = w.block(y, mid, mid, 3, 2, mid, kind=None)
            x = w.block(w.block(x, c, c, 3, 2, c, kind=None), c, out, kind=None)
        s = w.relu(w.convn(w.add("GlobalAveragePool", y), mid, mid // 4, [1, 1]))
        y = w.add("Mul", y, w.add("HardSigmoid", w.convn(s, mid // 4, mid, [1, 1]), alpha=1 / 6, beta=0.5))
        x, c = w.add("Add", ghost(y, mid, out, None), x), out
    w.out(w.head(x, c, 100))
    return w.finish(), {"x": image(128)}


def inception():
    w = Net("inception")
    x, c = w.pool(w.block(w.input("x", [1, 3, 128, 128]), 3, 32, 3, 2), 2, k=3), 32
    for width in (16, 24, 32):
        a = w.block(x, c, width)
        b = w.block(w.block(x, c, width), width, width, 5)
        d = w.block(x, c, width)
        d = w.add("Relu", w.convn(d, width, width, [1, 7]))
        d = w.add("Relu", w.convn(d, width, width, [7, 1]))
        p = w.pool(x, 2, "AveragePool", k=3, stride=1, pad=1, count_include_pad=1)
        x, c = w.cat(a, b, d, w.block(p, c, width)), 4 * width
    w.out(w.head(w.pool(x, 2, k=3), c, 100))
    return w.finish(), {"x": image(128)}


def alexnet():
    w = Net("alexnet")
    x = w.relu(w.convn(w.input("x", [1, 3, 127, 127]), 3, 64, [11, 11], 4, pads=[2] * 4))
    x = w.pool(w.add("LRN", x, size=5, alpha=1e-4, beta=0.75, bias=2.0), 2, k=3)
    x = w.relu(w.convn(x, 64, 96, [5, 5], group=2))
    x = w.pool(w.add("LRN", x, size=5, alpha=1e-4, beta=0.75), 2, k=3)
    x = w.pool(w.relu(w.convn(x, 96, 128, [3, 3])), 2, k=3)
    w.out(w.add("Softmax", w.gemm(w.relu(w.gemm(w.flat(x), 1152, 256)), 256, 100), axis=-1))
    return w.finish(), {"x": image(127)}


def face_embedding():
    """PRelu after every convolution, a norm of the embedding."""
    w = Net("face_embedding")
    x, c = w.input("x", [1, 3, 112, 112]), 3
    for width in (32, 64, 64, 128):
        x = w.norm(w.conv(x, c, width, 3, 2), width)
        x = w.add("PRelu", x, w.const(w.rng.uniform(0.1, 0.3, (width, 1, 1))))
        y = w.norm(w.conv(x, width, width, 3, 1), width)
        x, c = w.add("Add", x, w.add("PRelu", y, w.const(w.rng.uniform(0.1, 0.3, (width, 1, 1))))), width
    x = w.norm(x, c)
    x = w.gemm(w.flat(x), c * 49, 128)
    w.out(w.add("Div", x, w.add("ReduceL2", x, axes=[1])))
    return w.finish(), {"x": image(112)}


def convnext():
    w = Net("convnext")
    x, c = w.convn(w.input("x", [1, 3, 128, 128]), 3, 48, [4, 4], 4, pads=[0] * 4), 48

    def channels_norm(x, c):
        y = w.layer_norm(w.add("Transpose", x, perm=[0, 2, 3, 1]), c)
        return w.add("Transpose", y, perm=[0, 3, 1, 2])

    for width in (48, 96):
        if width != c:
            x, c = w.convn(channels_norm(x, c), c, width, [2, 2], 2, pads=[0] * 4), width
        for _ in range(2):
            y = w.layer_norm(w.add("Transpose", w.convn(x, c, c, [7, 7], group=c), perm=[0, 2, 3, 1]), c)
            y = w.add("Mul", w.mlp(y, c), w.normal(c, scale=0.1))
            x = w.add("Add", x, w.add("Transpose", y, perm=[0, 3, 1, 2]))
    w.out(w.head(x, c, 100))
    return w.finish(), {"x": image(128)}


def mlp_mixer():
    w, d, n = Net("mlp_mixer"), 128, 64
    x = w.convn(w.input("x", [1, 3, 128, 128]), 3, d, [16, 16], 16, pads=[0] * 4)
    x = w.add("Transpose", w.reshape(x, 1, d, n), perm=[0, 2, 1])
    for _ in range(3):
        y = w.add("Transpose", w.layer_norm(x, d), perm=[0, 2, 1])
        x = w.add("Add", x, w.add("Transpose", w.mlp(y, n), perm=[0, 2, 1]))
        x = w.add("Add", x, w.mlp(w.layer_norm(x, d), d))
    w.out(w.linear(w.add("ReduceMean", w.layer_norm(x, d), axes=[1], keepdims=0), d, 100))
    return w.finish(), {"x": image(128)}


def swin():
    """Windows of a map, every second time shifted around the edges."""
    w, d, s, m, heads = Net("swin"), 96, 28, 7, 3
    x = w.convn(w.input("x", [1, 3, 4 * s, 4 * s]), 3, d, [4, 4], 4, pads=[0] * 4)
    x = w.add("Transpose", w.reshape(x, 1, d, s * s), perm=[0, 2, 1])

    def roll(x, by):
        for axis in (1, 2):
            x = w.cat(*w.slices(x, axis, (by, s), (0, by)), axis=axis)
        return x

    for block in range(2):
        y = w.reshape(w.layer_norm(x, d), 1, s, s, d)
        y = roll(y, 3) if block else y
        k = s // m
        y = w.add("Transpose", w.reshape(y, 1, k, m, k, m, d), perm=[0, 1, 3, 2, 4, 5])
        y = w.attention(w.reshape(y, k * k, m * m, d), d, heads, w.normal(1, heads, m * m, m * m, scale=0.1))[0]
        y = w.add("Transpose", w.reshape(y, 1, k, k, m, m, d), perm=[0, 1, 3, 2, 4, 5])
        y = w.reshape(y, 1, s, s, d)
        x = w.add("Add", x, w.reshape(roll(y, s - 3) if block else y, 1, s * s, d))
        x = w.add("Add", x, w.mlp(w.layer_norm(x, d), d))
    parts = [
        w.add("Slice", w.reshape(x, 1, s, s, d), w.ints(i, j), w.ints(s, s), w.ints(1, 2), w.ints(2, 2))
        for j in (0, 1)
        for i in (0, 1)
    ]
    w.out(w.linear(w.layer_norm(w.cat(*parts, axis=-1), 4 * d), 4 * d, 2 * d))
    return w.finish(), {"x": image(4 * s)}


def anchor_decode():
    """The end of a one-stage detector: offsets to boxes, the best hundred, non-maximum suppression."""
    w, n, classes = Net("anchor_decode"), 2000, 8
    deltas, scores = w.input("deltas", [1, n, 4]), w.input("scores", [1, n, classes])
    anchors = w.const(w.rng.uniform(0.1, 0.9, (1, n, 4)))
    dxy, dwh = w.slices(deltas, 2, (0, 2), (2, 4))
    axy, awh = w.slices(anchors, 2, (0, 2), (2, 4))
    xy = w.add("Add", w.add("Mul", w.add("Mul", dxy, w.const(0.1)), awh), axy)
    half = w.add("Mul", w.add("Mul", w.add("Exp", w.add("Mul", dwh, w.const(0.2))), awh), w.const(0.5))
    boxes = w.cat(w.add("Sub", xy, half), w.add("Add", xy, half), axis=2)
    best = w.add("ReduceMax", w.add("Sigmoid", scores), axes=[2], keepdims=0)
    top, index = w.add("TopK", best, w.ints(200), outs=2, axis=1)
    index = w.add("Expand", w.add("Unsqueeze", index, w.ints(2)), w.ints(1, 200, 4))
    boxes = w.add("GatherElements", boxes, index, axis=1)
    keep = w.add("NonMaxSuppression", boxes, w.add("Unsqueeze", top, w.ints(1)), w.ints(50), w.const([0.5]), w.const([0.05]))
    keep = w.add("Gather", keep, w.ints(2), axis=1)
    w.out(w.add("Gather", w.reshape(boxes, 200, 4), w.reshape(keep, -1)))
    return w.finish(), {"deltas": noise(1, n, 4), "scores": noise(1, n, classes, seed=1)}


def roi_head():
    w, rois = Net("roi_head"), 32
    x = w.block(w.block(w.input("x", [1, 3, 128, 128]), 3, 16, 3, 2), 16, 64, 3, 2)
    boxes = w.input("boxes", [rois, 4])
    batch = w.const(np.zeros(rois), np.int64)
    r = w.add("RoiAlign", x, boxes, batch, output_height=7, output_width=7, sampling_ratio=2, spatial_scale=0.25)
    h = w.relu(w.gemm(w.relu(w.gemm(w.flat(r), 64 * 49, 256)), 256, 256))
    scores, boxes_out = w.add("Softmax", w.gemm(h, 256, 6), axis=1), w.gemm(h, 256, 4)
    s = w.add("Unsqueeze", w.add("Transpose", scores, perm=[1, 0]), w.ints(0))
    moved = w.add("Unsqueeze", w.add("Add", boxes_out, boxes), w.ints(0))
    keep = w.add("NonMaxSuppression", moved, s, w.ints(10), w.const([0.5]), w.const([0.1]))
    w.out(keep, elem=I64)
    corners = np.random.default_rng(3).uniform(0, 64, (rois, 2, 2)).astype(np.float32)
    feed = np.concatenate([corners[:, 0], corners[:, 0] + 16 + corners[:, 1] / 2], 1)
    return w.finish(), {"x": image(128), "boxes": feed}


def spatial_transformer():
    w, s = Net("spatial_transformer"), 64
    x = w.input("x", [2, 3, s, s])
    t = w.pool(w.relu(w.convn(x, 3, 8, [7, 7], 2)), 2)
    theta = w.reshape(w.add("Add", w.gemm(w.flat(t), 8 * 256, 6), w.const([1, 0, 0, 0, 1, 0])), 2, 2, 3)
    g = np.stack([*np.meshgrid(np.linspace(-1, 1, s), np.linspace(-1, 1, s)), np.ones((s, s))], -1).reshape(1, -1, 3)
    grid = w.add("MatMul", w.const(g), w.add("Transpose", theta, perm=[0, 2, 1]))
    y = w.add("GridSample", x, w.reshape(grid, 2, s, s, 2), mode="bilinear", padding_mode="zeros")
    w.out(w.head(w.block(w.block(y, 3, 16, 3, 2), 16, 32, 3, 2), 32, 10))
    return w.finish(), {"x": noise(2, 3, s, s)}


# ---- volumes ----


def c3d():
    w = Net("c3d")
    x, c = w.input("x", [1, 3, 8, 56, 56]), 3
    for i, width in enumerate((32, 64, 128)):
        x = w.relu(w.convn(x, c, width, [3, 3, 3]))
        k = [1 if i == 0 else 2, 2, 2]
        x, c = w.add("MaxPool", x, kernel_shape=k, strides=k), width
    w.out(w.gemm(w.flat(w.add("GlobalAveragePool", x)), c, 20))
    return w.finish(), {"x": noise(1, 3, 8, 56, 56)}


def r2plus1d():
    w = Net("r2plus1d")
    x = w.relu(w.norm(w.convn(w.input("x", [1, 3, 8, 56, 56]), 3, 24, [1, 7, 7], [1, 2, 2]), 24))
    x, c = w.relu(w.norm(w.convn(x, 24, 32, [3, 1, 1]), 32)), 32
    for width in (32, 64):
        y, stride = x, 1 if width == c else 2
        y = w.relu(w.norm(w.convn(y, c, width, [1, 3, 3], [1, stride, stride]), width))
        y = w.norm(w.convn(y, width, width, [3, 1, 1], [stride, 1, 1]), width)
        if stride > 1:
            x = w.norm(w.convn(x, c, width, [1, 1, 1], stride), width)
        x, c = w.relu(w.add("Add", x, y)), width
    w.out(w.gemm(w.flat(w.add("GlobalAveragePool", x)), c, 20))
    return w.finish(), {"x": noise(1, 3, 8, 56, 56)}


def slowfast():
    w = Net("slowfast")
    fast_in = w.input("x", [1, 3, 16, 56, 56])
    slow = w.add("Slice", fast_in, w.ints(0), w.ints(16), w.ints(2), w.ints(4))
    slow = w.relu(w.norm(w.convn(slow, 3, 32, [1, 7, 7], [1, 2, 2]), 32))
    fast = w.relu(w.norm(w.convn(fast_in, 3, 8, [5, 7, 7], [1, 2, 2]), 8))
    pool = dict(kernel_shape=[1, 3, 3], strides=[1, 2, 2], pads=[0, 1, 1] * 2)
    slow, fast = w.add("MaxPool", slow, **pool), w.add("MaxPool", fast, **pool)
    slow = w.cat(slow, w.convn(fast, 8, 16, [5, 1, 1], [4, 1, 1], pads=[2, 0, 0] * 2))
    slow = w.relu(w.convn(w.relu(w.convn(slow, 48, 32, [1, 3, 3])), 32, 64, [1, 1, 1]))
    fast = w.relu(w.convn(w.relu(w.convn(fast, 8, 8, [3, 1, 1])), 8, 16, [1, 3, 3]))
    pooled = w.add("AveragePool", slow, kernel_shape=[4, 14, 14]), w.add("GlobalAveragePool", fast)
    w.out(w.gemm(w.flat(w.cat(*pooled)), 80, 20))
    return w.finish(), {"x": noise(1, 3, 16, 56, 56)}


def everything():
    import architectures_sequences

    here = (
        unet_2d,
        unet_3d,
        text_detector,
        super_resolution,
        bicubic_upscaler,
        dcgan,
        autoencoder,
        style_transfer,
        diffusion_unet,
        group_norm_net,
        segmentation,
        depth_estimation,
        squeezenet,
        resnext,
        shufflenet,
        densenet,
        efficientnet,
        ghostnet,
        inception,
        alexnet,
        face_embedding,
        convnext,
        mlp_mixer,
        swin,
        anchor_decode,
        roi_head,
        spatial_transformer,
        c3d,
        r2plus1d,
        slowfast,
    )
    return {f.__name__: f for f in (*here, *architectures_sequences.NETS)}


def build(name):
    return everything()[name]()


if __name__ == "__main__":
    folder, names = sys.argv[1], sys.argv[2:] or list(everything())
    os.makedirs(folder, exist_ok=True)
    for net in names:
        onnx.save(build(net)[0], os.path.join(folder, net + ".onnx"))
        print(os.path.join(folder, net + ".onnx"))
