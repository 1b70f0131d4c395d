"""Networks as people write them with PyTorch: language, vision, detection, speech. Each is small, so that a test exports and
runs it in seconds, and has the operators, control of shapes and open dimensions of its kind.

CASES: name -> Case. A case makes a module, inputs for some sizes, and says which dimensions are open.
"""

import dataclasses
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

CASES: dict = {}


@dataclasses.dataclass
class Case:
    name: str
    make: Callable  # () -> (module, {input name: open dimensions}, [inputs of one size, of another, …])
    opset: int
    bound: float = 2e-4  # of what both compute; relative to the largest number


def case(name, opset=18, bound=2e-4):
    def add(make):
        CASES[name] = Case(name, make, opset, bound)
        return make

    return add


def seeded(*shape, seed=0, scale=1.0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale


def ids(*shape, below=50, seed=0):
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(seed))


BATCH, LENGTH = Dim("batch", min=1, max=64), Dim("length", min=2, max=512)
HEIGHT, WIDTH = Dim("h", min=2, max=64), Dim("w", min=2, max=64)


# ---- language ----


class Attention(nn.Module):
    def __init__(self, width, heads, causal=False, groups=None):
        super().__init__()
        self.heads, self.groups, self.causal = heads, groups or heads, causal
        self.size = width // heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, self.groups * self.size)
        self.v = nn.Linear(width, self.groups * self.size)
        self.o = nn.Linear(width, width)

    def split(self, x, heads):
        return x.view(x.shape[0], x.shape[1], heads, self.size).transpose(1, 2)

    def forward(self, x, memory=None, rope=None, bias=None):
        memory = x if memory is None else memory
        q = self.split(self.q(x), self.heads)
        k, v = self.split(self.k(memory), self.groups), self.split(self.v(memory), self.groups)
        if rope is not None:
            q, k = rotate(q, *rope), rotate(k, *rope)
        if self.groups != self.heads:
            k, v = (t.repeat_interleave(self.heads // self.groups, dim=1) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, is_causal=self.causal and bias is None)
        return self.o(y.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))


def rotate(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-b, a], dim=-1) * sin


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


@case("bert", 18)
def bert():
    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places, self.kinds = nn.Embedding(50, 32), nn.Embedding(512, 32), nn.Embedding(2, 32)
            layer = nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", batch_first=True, dropout=0.0)
            self.norm, self.layers = nn.LayerNorm(32), nn.ModuleList([layer])
            self.pool = nn.Linear(32, 32)

        def forward(self, tokens, mask):
            places = torch.arange(tokens.shape[1]).unsqueeze(0)
            x = self.norm(self.words(tokens) + self.places(places) + self.kinds(torch.zeros_like(tokens)))
            for layer in self.layers:
                x = layer(x, src_key_padding_mask=mask == 0)
            return x, torch.tanh(self.pool(x[:, 0]))

    feeds = [(ids(2, 7), torch.ones(2, 7, dtype=torch.int64)), (ids(3, 12), torch.ones(3, 12, dtype=torch.int64))]
    return Bert(), {"tokens": {0: BATCH, 1: LENGTH}, "mask": {0: BATCH, 1: LENGTH}}, feeds


@case("gpt", 20)
def gpt():
    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(50, 32), nn.Embedding(512, 32)
            self.norm, self.attention = nn.LayerNorm(32), Attention(32, 4, causal=True)
            self.feed = nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 64), nn.GELU(approximate="tanh"), nn.Linear(64, 32))

        def forward(self, tokens):
            x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
            x = x + self.attention(self.norm(x))
            x = x + self.feed(x)
            return x @ self.words.weight.T

    return Gpt(), {"tokens": {0: BATCH, 1: LENGTH}}, [(ids(2, 5),), (ids(1, 9),)]


@case("llama", 23)
def llama():
    class Llama(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(50, 32)
            self.n1, self.n2, self.attention = RmsNorm(32), RmsNorm(32), Attention(32, 4, causal=True, groups=2)
            self.gate, self.up, self.down = (nn.Linear(*s, bias=False) for s in ((32, 64), (32, 64), (64, 32)))
            self.register_buffer("rates", 10000 ** (-torch.arange(0, 8, 2) / 8.0))

        def forward(self, tokens):
            angles = torch.arange(tokens.shape[1]).float()[:, None] * self.rates[None]
            angles = torch.cat([angles, angles], dim=-1)
            x = self.words(tokens)
            x = x + self.attention(self.n1(x), rope=(angles.cos(), angles.sin()))
            y = self.n2(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    return Llama(), {"tokens": {0: BATCH, 1: LENGTH}}, [(ids(2, 6),), (ids(3, 10),)]


@case("decoder_with_cache", 21)
def decoder_with_cache():
    class Step(nn.Module):
        """One token; keys and values of those before come in and go out."""

        def __init__(self):
            super().__init__()
            self.words, self.qkv, self.o = nn.Embedding(50, 32), nn.Linear(32, 96), nn.Linear(32, 50)

        def forward(self, token, keys, values):
            q, k, v = self.qkv(self.words(token)).chunk(3, dim=-1)
            q, k, v = (t.view(t.shape[0], t.shape[1], 4, 8).transpose(1, 2) for t in (q, k, v))
            keys, values = torch.cat([keys, k], dim=2), torch.cat([values, v], dim=2)
            y = F.scaled_dot_product_attention(q, keys, values).transpose(1, 2).reshape(token.shape[0], 1, 32)
            return self.o(y), keys, values

    past = Dim("past", min=1, max=512)
    feeds = [(ids(2, 1), seeded(2, 4, n, 8), seeded(2, 4, n, 8, seed=1)) for n in (4, 9)]
    return Step(), {"token": {0: BATCH}, "keys": {0: BATCH, 2: past}, "values": {0: BATCH, 2: past}}, feeds


@case("t5", 18)
def t5():
    class T5(nn.Module):
        """Relative positions as a bias, and attention to an encoder."""

        def __init__(self):
            super().__init__()
            self.words, self.bias = nn.Embedding(50, 32), nn.Embedding(16, 4)
            self.encoder, self.own, self.cross = Attention(32, 4), Attention(32, 4), Attention(32, 4)

        def relative(self, n):
            distance = torch.arange(n)[None] - torch.arange(n)[:, None]
            large = 4 + (torch.log(distance.abs().clamp(min=1).float() / 4) / math.log(8) * 4).long()
            bucket = torch.where(distance.abs() < 4, distance.abs(), large.clamp(max=7)) + (distance > 0) * 8
            return self.bias(bucket).permute(2, 0, 1).unsqueeze(0)

        def forward(self, source, target):
            memory = self.encoder(self.words(source), bias=self.relative(source.shape[1]))
            x = self.words(target)
            n = target.shape[1]
            mask = torch.full((n, n), float("-inf")).triu(1)
            return self.cross(x + self.own(x, bias=mask), memory)

    other = Dim("other", min=2, max=512)
    shapes = {"source": {0: BATCH, 1: LENGTH}, "target": {0: BATCH, 1: other}}
    return T5(), shapes, [(ids(2, 9), ids(2, 5)), (ids(3, 12), ids(3, 7))]


@case("mixture_of_experts", 20)
def mixture_of_experts():
    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.router = nn.Linear(16, 4)
            self.w1, self.w2 = nn.Parameter(seeded(4, 16, 32, scale=0.2)), nn.Parameter(seeded(4, 32, 16, scale=0.2))

        def forward(self, x):
            weights, chosen = torch.topk(self.router(x).softmax(-1), 2, dim=-1)
            weights = weights / weights.sum(-1, keepdim=True)
            gates = torch.zeros_like(self.router(x)).scatter(-1, chosen, weights)
            each = torch.einsum("etf,efd->etd", torch.relu(torch.einsum("td,edf->etf", x, self.w1)), self.w2)
            return torch.einsum("te,etd->td", gates, each)

    tokens = Dim("tokens", min=2, max=512)
    return Experts(), {"x": {0: tokens}}, [(seeded(6, 16),), (seeded(11, 16),)]


@case("tagger", 18)
def tagger():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.rnn = nn.Embedding(50, 16), nn.LSTM(16, 12, 2, bidirectional=True, batch_first=True)
            self.out = nn.Linear(24, 5)

        def forward(self, tokens):
            return self.out(self.rnn(self.words(tokens))[0]).log_softmax(-1)

    return Tagger(), {"tokens": None}, [(ids(2, 6),), (ids(2, 6, seed=1),)]  # the exporter fixes lengths


@case("gru_with_state", 19)
def gru_with_state():
    class Gru(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = nn.GRU(8, 12)

        def forward(self, x, state):
            return self.rnn(x, state)

    return Gru(), {"x": None, "state": None}, [(seeded(5, 2, 8, seed=n), seeded(1, 2, 12)) for n in (0, 1)]


@case("bag_of_words", 18)
def bag_of_words():
    class Bag(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.out = nn.Embedding(50, 16, padding_idx=0), nn.Linear(16, 3)

        def forward(self, tokens):
            there = (tokens != 0).unsqueeze(-1)
            mean = (self.words(tokens) * there).sum(1) / there.sum(1).clamp(min=1)
            return self.out(mean), mean.argmax(-1)

    return Bag(), {"tokens": {0: BATCH, 1: LENGTH}}, [(ids(3, 6),), (ids(2, 10),)]


# ---- vision ----


def conv(i, o, k=3, stride=1, groups=1, act=nn.ReLU):
    return nn.Sequential(nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(o), act())


IMAGE = {"x": {0: BATCH, 2: 8 * HEIGHT, 3: 8 * WIDTH}}


def images():
    return [(seeded(2, 3, 32, 32),), (seeded(1, 3, 48, 64),)]


@case("resnet", 18)
def resnet():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.a, self.b = conv(3, 16, 7, 2), conv(16, 16), nn.Conv2d(16, 16, 3, padding=1)
            self.pool, self.out = nn.MaxPool2d(3, 2, 1), nn.Linear(16, 10)

        def forward(self, x):
            x = self.pool(self.stem(x))
            x = F.relu(x + self.b(self.a(x)))
            return self.out(F.adaptive_avg_pool2d(x, 1).flatten(1))

    return Block(), IMAGE, images()


@case("mobilenet", 20)
def mobilenet():
    class Inverted(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = conv(3, 16, 3, 2, act=nn.Hardswish)
            self.expand, self.depth = conv(16, 48, 1, act=nn.ReLU6), conv(48, 48, 5, groups=48, act=nn.Hardswish)
            self.se = nn.Sequential(
                nn.AdaptiveAvgPool2d(1), nn.Conv2d(48, 12, 1), nn.ReLU(), nn.Conv2d(12, 48, 1), nn.Hardsigmoid()
            )
            self.project = nn.Conv2d(48, 16, 1)

        def forward(self, x):
            x = self.stem(x)
            y = self.depth(self.expand(x))
            return x + self.project(y * self.se(y))

    return Inverted(), IMAGE, images()


@case("vit", 18)
def vit():
    class Vit(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.first = nn.Conv2d(3, 32, 8, 8), nn.Parameter(torch.zeros(1, 1, 32))
            self.places = nn.Parameter(seeded(1, 17, 32, scale=0.1))
            self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True, dropout=0.0)

        def forward(self, x):
            x = self.patch(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], dim=1) + self.places
            return self.layer(x)[:, 0]

    return Vit(), {"x": {0: BATCH}}, [(seeded(2, 3, 32, 32),), (seeded(5, 3, 32, 32),)]


@case("swin", 19)
def swin():
    class Swin(nn.Module):
        """Attention in windows of 4 by 4 that are shifted by two."""

        def __init__(self):
            super().__init__()
            self.attention = Attention(16, 2)

        def forward(self, x):
            n, h, w, c = x.shape
            y = torch.roll(x, (-2, -2), (1, 2)).view(n, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5)
            y = self.attention(y.reshape(-1, 16, c))
            y = y.view(n, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(n, h, w, c)
            return x + torch.roll(y, (2, 2), (1, 2))

    return Swin(), {"x": {0: BATCH}}, [(seeded(2, 8, 12, 16),), (seeded(3, 8, 12, 16),)]


@case("convnext", 22)
def convnext():
    class Next(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.depth = nn.Conv2d(3, 16, 4, 4), nn.Conv2d(16, 16, 7, padding=3, groups=16)
            self.norm, self.up, self.down = nn.LayerNorm(16), nn.Linear(16, 64), nn.Linear(64, 16)
            self.scale = nn.Parameter(torch.full((16,), 0.1))

        def forward(self, x):
            x = self.stem(x)
            y = self.norm(self.depth(x).permute(0, 2, 3, 1))
            return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)

    return Next(), IMAGE, images()


@case("unet", 18)
def unet():
    class Unet(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = conv(3, 8), conv(8, 16), conv(24, 8)
            self.up, self.out = nn.ConvTranspose2d(16, 16, 2, 2), nn.Conv2d(8, 2, 1)

        def forward(self, x):
            a = self.a(x)
            b = self.up(self.b(F.max_pool2d(a, 2)))
            return self.out(self.c(torch.cat([a, b], 1))).softmax(1)

    return Unet(), IMAGE, images()


@case("segmentation", 19)
def segmentation():
    class Lab(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = conv(3, 8, 3, 2)
            self.rates = nn.ModuleList([nn.Conv2d(8, 8, 3, padding=r, dilation=r) for r in (1, 2, 4)])
            self.out = nn.Conv2d(24, 5, 1)

        def forward(self, x):
            y = self.stem(x)
            y = self.out(torch.cat([F.relu(r(y)) for r in self.rates], 1))
            y = F.interpolate(y, size=x.shape[2:], mode="bilinear", align_corners=False)
            return y, y.argmax(1)

    return Lab(), IMAGE, images()


@case("super_resolution", 20)
def super_resolution():
    class Super(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.act = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 12, 3, padding=1), nn.PReLU(16)

        def forward(self, x):
            bicubic = F.interpolate(x, scale_factor=2.0, mode="bicubic", align_corners=False)
            return F.pixel_shuffle(self.b(self.act(self.a(x))), 2) + bicubic

    return Super(), IMAGE, images()


@case("diffusion", 21)
def diffusion():
    class Diffusion(nn.Module):
        def __init__(self):
            super().__init__()
            self.time, self.a = nn.Linear(16, 16), nn.Conv2d(3, 16, 3, padding=1)
            self.norm, self.b = nn.GroupNorm(4, 16), nn.Conv2d(16, 3, 3, padding=1)
            self.attention = Attention(16, 2)

        def forward(self, x, t):
            rates = torch.exp(-math.log(10000.0) * torch.arange(8) / 8)
            angles = t.float()[:, None] * rates[None]
            time = self.time(F.silu(torch.cat([angles.sin(), angles.cos()], -1)))
            y = F.silu(self.norm(self.a(x) + time[:, :, None, None]))
            n, c, h, w = y.shape
            y = y + self.attention(y.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(n, c, h, w)
            return x + self.b(y)

    feeds = [(seeded(2, 3, 16, 16), ids(2, below=1000)), (seeded(3, 3, 16, 24), ids(3, below=1000))]
    return Diffusion(), {"x": {0: BATCH, 2: 8 * HEIGHT, 3: 8 * WIDTH}, "t": {0: BATCH}}, feeds


@case("clip", 18)
def clip():
    class Clip(nn.Module):
        def __init__(self):
            super().__init__()
            self.image, self.words, self.text = nn.Conv2d(3, 16, 8, 8), nn.Embedding(50, 16), Attention(16, 2)
            self.scale = nn.Parameter(torch.tensor(2.0))

        def forward(self, images, tokens):
            a = F.normalize(self.image(images).mean((2, 3)), dim=-1)
            x = self.text(self.words(tokens))
            b = F.normalize(x[torch.arange(x.shape[0]), tokens.argmax(-1)], dim=-1)
            return self.scale.exp() * a @ b.T

    texts = Dim("texts", min=1, max=64)
    shapes = {"images": {0: BATCH}, "tokens": {0: texts, 1: LENGTH}}
    return Clip(), shapes, [(seeded(2, 3, 16, 16), ids(3, 6)), (seeded(4, 3, 16, 16), ids(2, 9))]


@case("spatial_transformer", 22)
def spatial_transformer():
    class Warp(nn.Module):
        def __init__(self):
            super().__init__()
            self.where = nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(12, 6))

        def forward(self, x):
            theta = self.where(x).view(-1, 2, 3) * 0.1 + torch.tensor([[1.0, 0, 0], [0, 1, 0]])
            grid = F.affine_grid(theta, list(x.shape), align_corners=False)
            return F.grid_sample(x, grid, padding_mode="border", align_corners=False)

    return Warp(), {"x": {0: BATCH}}, [(seeded(2, 3, 8, 8),), (seeded(3, 3, 8, 8),)]


# ---- detection ----


@case("yolo_head", 18)
def yolo_head():
    class Yolo(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.boxes, self.classes = conv(3, 16, 3, 8, act=nn.SiLU), nn.Conv2d(16, 4 * 8, 1), nn.Conv2d(16, 5, 1)
            self.register_buffer("bins", torch.arange(8.0))

        def forward(self, x):
            y = self.stem(x)
            n, _, h, w = y.shape
            rows, columns = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
            centres = torch.stack([columns, rows], -1).reshape(1, -1, 2)
            sides = (self.boxes(y).view(n, 4, 8, h * w).softmax(2) * self.bins.view(1, 1, 8, 1)).sum(2).transpose(1, 2)
            boxes = torch.cat([centres - sides[..., :2], centres + sides[..., 2:]], -1) * 8
            scores = self.classes(y).flatten(2).transpose(1, 2).sigmoid()
            best, kind = scores.max(-1)
            best, at = torch.topk(best, 4)
            return boxes.gather(1, at[..., None].expand(-1, -1, 4)), best, kind.gather(1, at)

    return Yolo(), IMAGE, images()


@case("detr", 20)
def detr():
    class Detr(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.queries = conv(3, 32, 7, 8), nn.Parameter(seeded(1, 6, 32))
            self.decoder = nn.TransformerDecoderLayer(32, 4, 64, batch_first=True, dropout=0.0)
            self.classes, self.boxes = nn.Linear(32, 5), nn.Linear(32, 4)

        def forward(self, x):
            memory = self.stem(x).flatten(2).transpose(1, 2)
            y = self.decoder(self.queries.expand(x.shape[0], -1, -1), memory)
            return self.classes(y), self.boxes(y).sigmoid()

    return Detr(), IMAGE, images()


@case("chosen_by_score", 18)
def chosen_by_score():
    class Chosen(nn.Module):
        """How many rows come out depends on the numbers."""

        def __init__(self):
            super().__init__()
            self.score = nn.Linear(8, 1)

        def forward(self, x):
            keep = (self.score(x).squeeze(-1) > 0).nonzero().squeeze(-1)
            return x.index_select(0, keep), keep

    rows = Dim("rows", min=2, max=512)
    return Chosen(), {"x": {0: rows}}, [(seeded(9, 8),), (seeded(14, 8, seed=2),)]


@case("box_decoder", 19)
def box_decoder():
    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("anchors", torch.rand(12, 4, generator=torch.Generator().manual_seed(0)))

        def forward(self, deltas, size):
            centre, extent = self.anchors[:, :2], self.anchors[:, 2:] + 0.1
            boxes_centre = centre + deltas[..., :2] * extent
            boxes_extent = extent * deltas[..., 2:].clamp(max=4.0).exp()
            boxes = torch.cat([boxes_centre - boxes_extent / 2, boxes_centre + boxes_extent / 2], -1)
            boxes = torch.minimum(boxes.clamp(min=0.0), torch.ones(4)) * torch.cat([size, size], -1)[:, None]
            area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
            one, other = boxes[:, :, None], boxes[:, None]
            sides = torch.minimum(one[..., 2:], other[..., 2:]) - torch.maximum(one[..., :2], other[..., :2])
            both = sides.clamp(min=0).prod(-1)
            return boxes, both / (area[:, :, None] + area[:, None] - both + 1e-6)

    feeds = [(seeded(n, 12, 4, scale=0.1), torch.full((n, 2), 100.0)) for n in (2, 3)]
    return Decoder(), {"deltas": {0: BATCH}, "size": {0: BATCH}}, feeds


# ---- speech ----


@case("spectrogram", 18, bound=1e-3)
def spectrogram():
    class Spectrogram(nn.Module):
        """A signal of rank 2: batch and samples."""

        def __init__(self):
            super().__init__()
            self.register_buffer("window", torch.hann_window(64))
            self.register_buffer("mel", torch.rand(33, 10, generator=torch.Generator().manual_seed(0)))

        def forward(self, x):
            s = torch.stft(x, 64, 16, window=self.window, center=False, return_complex=False, onesided=True)
            return (s.pow(2).sum(-1).transpose(1, 2) @ self.mel + 1e-3).log10()

    samples = Dim("samples", min=128, max=4096)
    return Spectrogram(), {"x": {0: BATCH, 1: samples}}, [(seeded(2, 256),), (seeded(1, 400),)]


@case("wav2vec", 18)
def wav2vec():
    class Wav(nn.Module):
        def __init__(self):
            super().__init__()
            self.front = nn.Sequential(
                nn.Conv1d(1, 16, 10, 5), nn.GroupNorm(16, 16), nn.GELU(), nn.Conv1d(16, 16, 3, 2), nn.GELU()
            )
            self.places = nn.Conv1d(16, 16, 8, padding=4, groups=4)
            self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0)

        def forward(self, x):
            x = self.front(x.unsqueeze(1))
            x = x + F.gelu(self.places(x)[:, :, :-1])
            return self.layer(x.transpose(1, 2)).log_softmax(-1)

    samples = Dim("samples", min=64, max=4096)
    return Wav(), {"x": {0: BATCH, 1: samples}}, [(seeded(2, 200),), (seeded(1, 323),)]


@case("conformer", 23)
def conformer():
    class Conformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.n1, self.n2, self.n3 = nn.LayerNorm(16), nn.LayerNorm(16), nn.LayerNorm(16)
            self.feed = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16))
            self.attention, self.point = Attention(16, 2), nn.Conv1d(16, 32, 1)
            self.depth, self.norm = nn.Conv1d(16, 16, 7, padding=3, groups=16), nn.BatchNorm1d(16)
            self.out = nn.Conv1d(16, 16, 1)

        def forward(self, x):
            x = x + 0.5 * self.feed(self.n1(x))
            x = x + self.attention(self.n2(x))
            y = F.glu(self.point(self.n3(x).transpose(1, 2)), dim=1)
            return x + self.out(F.silu(self.norm(self.depth(y)))).transpose(1, 2)

    return Conformer(), {"x": {0: BATCH, 1: LENGTH}}, [(seeded(2, 9, 16),), (seeded(1, 20, 16),)]


@case("whisper", 18)
def whisper():
    class Whisper(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.c2 = nn.Conv1d(10, 16, 3, padding=1), nn.Conv1d(16, 16, 3, 2, padding=1)
            self.register_buffer("places", seeded(256, 16, scale=0.1))
            self.encoder, self.own, self.cross = Attention(16, 2), Attention(16, 2, causal=True), Attention(16, 2)
            self.words = nn.Embedding(50, 16)

        def forward(self, mel, tokens):
            x = F.gelu(self.c2(F.gelu(self.c1(mel)))).transpose(1, 2)
            x = x + self.places[: x.shape[1]]
            memory = x + self.encoder(x)
            y = self.words(tokens) + self.places[: tokens.shape[1]]
            y = y + self.own(y)
            y = y + self.cross(y, memory)
            return y @ self.words.weight.T

    frames = Dim("frames", min=4, max=400)
    shapes = {"mel": {0: BATCH, 2: frames}, "tokens": {0: BATCH, 1: LENGTH}}
    return Whisper(), shapes, [(seeded(2, 10, 20), ids(2, 4)), (seeded(1, 10, 33), ids(1, 6))]


@case("vocoder", 20)
def vocoder():
    class Vocoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.up = nn.ConvTranspose1d(10, 8, 8, 4, padding=2)
            self.blocks = nn.ModuleList([nn.Conv1d(8, 8, 3, padding=d, dilation=d) for d in (1, 3, 5)])
            self.out = nn.Conv1d(8, 1, 7, padding=3)

        def forward(self, mel):
            x = self.up(F.leaky_relu(mel, 0.1))
            x = sum(block(F.leaky_relu(x, 0.1)) for block in self.blocks) / 3 + x
            return torch.tanh(self.out(F.pad(x, (1, 1), mode="reflect")))

    frames = Dim("frames", min=4, max=400)
    return Vocoder(), {"mel": {0: BATCH, 2: frames}}, [(seeded(2, 10, 12),), (seeded(1, 10, 31),)]


@case("time_series", 21)
def time_series():
    class Series(nn.Module):
        def __init__(self):
            super().__init__()
            self.pool, self.out = nn.AvgPool1d(5, 1, 2, count_include_pad=False), nn.Linear(24, 6)

        def forward(self, x):
            mean, spread = x.mean(-1, keepdim=True), x.std(-1, keepdim=True) + 1e-5
            x = (x - mean) / spread
            trend = self.pool(x)
            y = self.out(trend) + self.out(x - trend).cumsum(-1)
            return y * spread + mean, x.sort(-1)[0][..., ::8]

    return Series(), {"x": {0: BATCH}}, [(seeded(2, 3, 24),), (seeded(4, 3, 24),)]
