"""The nets of architectures.py that work on sequences, sound, points, graphs and tables."""

import numpy as np
import onnx
from architectures import Net, noise
from nets import I64, F


def ids(count, high, seed=0):
    return np.random.default_rng(seed).integers(0, high, (1, count))


def wavenet():
    w, c = Net("wavenet"), 32
    x, skips = w.convn(w.input("x", [1, 1, 2000]), 1, c, [1]), []
    for d in (1, 2, 4, 8, 16, 32):
        p = w.add("Pad", x, w.ints(0, 0, d, 0, 0, 0))
        f, g = (w.convn(p, c, c, [2], dilation=d, pads=[0, 0]) for _ in range(2))
        y = w.add("Mul", w.add("Tanh", f), w.add("Sigmoid", g))
        skips.append(w.convn(y, c, 64, [1]))
        x = w.add("Add", x, w.convn(y, c, c, [1]))
    total = skips[0]
    for s in skips[1:]:
        total = w.add("Add", total, s)
    w.out(w.convn(w.relu(w.convn(w.relu(total), 64, 64, [1])), 64, 256, [1]))
    return w.finish(), {"x": noise(1, 1, 2000)}


def tcn():
    w, c, t = Net("tcn"), 16, 512
    x = w.input("x", [2, c, t])
    for d, width in ((1, 32), (2, 32), (4, 64), (8, 64)):
        y = x
        for cin in (c, width):
            y = w.convn(y, cin, width, [3], dilation=d, pads=[2 * d] * 2)
            y = w.relu(w.add("Slice", y, w.ints(0), w.ints(t), w.ints(2)))
        x = w.relu(w.add("Add", y, x if c == width else w.convn(x, c, width, [1])))
        c = width
    w.out(w.gemm(w.flat(w.add("Slice", x, w.ints(t - 1), w.ints(t), w.ints(2))), c, 10))
    return w.finish(), {"x": noise(2, 16, t)}


def conv_tasnet():
    w, n, c = Net("conv_tasnet"), 128, 128
    wave = w.input("x", [1, 1, 4000])
    enc = w.relu(w.convn(wave, 1, n, [16], 8, pads=[0, 0], bias=False))

    def whole_norm(x, c):
        mean = w.add("ReduceMean", x, axes=[1, 2])
        d = w.add("Sub", x, mean)
        var = w.add("ReduceMean", w.add("Mul", d, d), axes=[1, 2])
        y = w.add("Div", d, w.add("Sqrt", w.add("Add", var, w.const(1e-8))))
        return w.add("Add", w.add("Mul", y, w.const(np.ones((1, c, 1)))), w.normal(1, c, 1, scale=0.1))

    x = w.convn(whole_norm(enc, n), n, 64, [1])
    for d in (1, 2, 4, 8):
        y = whole_norm(w.add("PRelu", w.convn(x, 64, c, [1]), w.const([0.25])), c)
        y = w.convn(y, c, c, [3], group=c, dilation=d)
        y = whole_norm(w.add("PRelu", y, w.const([0.25])), c)
        x = w.add("Add", x, w.convn(y, c, 64, [1]))
    masks = w.reshape(w.add("Sigmoid", w.convn(x, 64, 2 * n, [1])), 2, n, -1)
    w.out(w.up(w.add("Mul", masks, enc), n, 1, [16], 8))
    return w.finish(), {"x": noise(1, 1, 4000)}


def vocoder():
    """A spectrogram becomes sound: transposed convolutions, and dilated ones with residuals between them."""
    w, c = Net("vocoder"), 128
    x = w.convn(w.input("x", [1, 80, 32]), 80, c, [7])
    for stride in (8, 8, 2):
        leaky = w.add("LeakyRelu", x, alpha=0.1)
        x, c = w.up(leaky, c, c // 2, [2 * stride], stride, pad=stride // 2), c // 2
        total = None
        for kernel in (3, 7):
            y = x
            for dilation in (1, 3):
                a = w.convn(w.add("LeakyRelu", y, alpha=0.1), c, c, [kernel], dilation=dilation)
                y = w.add("Add", y, w.convn(w.add("LeakyRelu", a, alpha=0.1), c, c, [kernel]))
            total = y if total is None else w.add("Add", total, y)
        x = w.add("Div", total, w.const(2.0))
    w.out(w.add("Tanh", w.convn(w.add("LeakyRelu", x), c, 1, [7])))
    return w.finish(), {"x": noise(1, 80, 32)}


def speech_encoder():
    """Sound becomes frames by strided convolutions, whose positions a long convolution in groups tells."""
    w, c = Net("speech_encoder"), 128
    x, last = w.input("x", [1, 1, 8000]), 1
    for kernel, stride in ((10, 5), (3, 2), (3, 2), (3, 2), (2, 2)):
        x, last = w.gelu(w.convn(x, last, c, [kernel], stride, pads=[0, 0], bias=False)), c
    places = w.add("Slice", w.convn(x, c, c, [32], group=8, pads=[16, 16]), w.ints(0), w.ints(-1), w.ints(2))
    x = w.add("Transpose", w.add("Add", x, w.gelu(places)), perm=[0, 2, 1])
    w.out(w.linear(w.layer_norm(x, c), c, 64))
    return w.finish(), {"x": noise(1, 1, 8000)}


def mel_frontend():
    """Framing, window, STFT, mel filters, logarithm, then convolutions."""
    w, hop, size = Net("mel_frontend"), 160, 400
    wave = w.add("Pad", w.input("x", [1, 16000]), w.ints(0, 200, 0, 200), mode="reflect")
    wave = w.add("Unsqueeze", wave, w.ints(2))
    spec = w.add("STFT", wave, w.const(hop, np.int64), w.const(np.hanning(size)), w.const(size, np.int64), onesided=1)
    power = w.add("ReduceSum", w.add("Mul", spec, spec), w.ints(3), keepdims=0)
    mel = w.add("MatMul", power, w.const(np.abs(w.rng.standard_normal((201, 80))) * 0.01))
    log = w.add("Log", w.add("Max", mel, w.const(1e-10)))
    x = w.add("Transpose", w.add("Sub", log, w.add("ReduceMean", log, axes=[1])), perm=[0, 2, 1])
    x = w.gelu(w.convn(w.gelu(w.convn(x, 80, 128, [3])), 128, 128, [3], 2))
    w.out(w.linear(w.add("Transpose", x, perm=[0, 2, 1]), 128, 64))
    return w.finish(), {"x": noise(1, 16000)}


def gru_seq2seq():
    w, d, t = Net("gru_seq2seq"), 128, 24

    def gru(x, h0):
        parts = [w.normal(1, 3 * d, n, scale=n**-0.5) for n in (d, d)] + [w.normal(1, 6 * d, scale=0.02)]
        y, h = w.add("GRU", x, *parts, "", h0, outs=2, hidden_size=d, linear_before_reset=1)
        return w.add("Squeeze", y, w.ints(1)), h

    source, target = w.input("source", [t, 1], I64), w.input("target", [t, 1], I64)
    enc, h = gru(w.add("Gather", w.normal(1000, d, scale=0.1), source), w.const(np.zeros((1, 1, d))))
    dec, _ = gru(w.add("Gather", w.normal(1000, d, scale=0.1), target), h)
    q, k = (w.add("Transpose", v, perm=[1, 0, 2]) for v in (dec, enc))
    a = w.add("Softmax", w.add("MatMul", q, w.add("Transpose", k, perm=[0, 2, 1])), axis=-1)
    w.out(w.add("LogSoftmax", w.linear(w.cat(w.add("MatMul", a, k), q, axis=2), 2 * d, 1000), axis=-1))
    return w.finish(), {"source": ids(t, 1000).T.copy(), "target": ids(t, 1000, 1).T.copy()}


def bilstm_crf():
    """Emissions of a bidirectional LSTM; the best path's scores by a scan over the steps."""
    w, d, t, tags = Net("bilstm_crf"), 64, 40, 9
    x = w.add("Gather", w.normal(2000, d, scale=0.1), w.input("ids", [t, 1], I64))
    parts = [w.normal(2, 4 * d, d, scale=d**-0.5) for _ in range(2)] + [w.normal(2, 8 * d, scale=0.02)]
    y = w.add("LSTM", x, *parts, outs=3, hidden_size=d, direction="bidirectional")[0]
    y = w.add("Reshape", w.add("Transpose", y, perm=[0, 2, 1, 3]), w.ints(t, 2 * d))
    emissions = w.linear(y, 2 * d, tags)
    h = onnx.helper
    body = h.make_graph(
        [
            h.make_node("Unsqueeze", ["score", "last"], ["column"]),
            h.make_node("Add", ["column", "moves"], ["all"]),
            h.make_node("ReduceMax", ["all"], ["best"], axes=[0], keepdims=0),
            h.make_node("ArgMax", ["all"], ["from"], axis=0, keepdims=0),
            h.make_node("Add", ["best", "emission"], ["next"]),
        ],
        "step",
        [h.make_tensor_value_info("score", F, [tags]), h.make_tensor_value_info("emission", F, [tags])],
        [h.make_tensor_value_info("next", F, [tags]), h.make_tensor_value_info("from", I64, [tags])],
        [
            onnx.numpy_helper.from_array(np.array([1], np.int64), "last"),
            onnx.numpy_helper.from_array(w.rng.standard_normal((tags, tags)).astype(np.float32), "moves"),
        ],
    )
    final, back = w.add("Scan", w.const(np.zeros(tags)), emissions, outs=2, body=body, num_scan_inputs=1)
    w.out(final)
    w.out(back, "back", I64)
    return w.finish(), {"ids": ids(t, 2000).T.copy()}


def cross_attention(w, x, y, d, heads, mask=None):
    def split(v):
        return w.add("Transpose", w.reshape(v, 0, -1, heads, d // heads), perm=[0, 2, 1, 3])

    q, k, v = split(w.linear(x, d, d)), split(w.linear(y, d, d)), split(w.linear(y, d, d))
    s = w.add("MatMul", q, w.add("Transpose", k, perm=[0, 1, 3, 2]))
    s = w.add("Mul", s, w.const((d // heads) ** -0.5))
    if mask:
        s = w.add("Where", mask, s, w.const(-1e9))
    o = w.add("Transpose", w.add("MatMul", w.add("Softmax", s, axis=-1), v), perm=[0, 2, 1, 3])
    return w.linear(w.reshape(o, 0, -1, d), d, d, 0.5)


def translation():
    """Encoder and decoder with padding and causal masks made of the ids, the best five of the last step."""
    w, d, t, heads = Net("translation"), 128, 32, 4
    source, target = w.input("source", [1, t], I64), w.input("target", [1, t], I64)
    keep = w.add("Unsqueeze", w.add("Not", w.add("Equal", source, w.const(0, np.int64))), w.ints(1, 2))
    order = w.add("Range", w.const(0, np.int64), w.const(t, np.int64), w.const(1, np.int64))
    causal = w.add("LessOrEqual", w.add("Unsqueeze", order, w.ints(0)), w.add("Unsqueeze", order, w.ints(1)))
    causal = w.add("And", w.add("Unsqueeze", causal, w.ints(0, 1)), w.add("Not", w.add("Equal", target, w.const(-1, np.int64))))
    words, places = w.normal(2000, d, scale=0.1), w.normal(1, t, d, scale=0.1)
    x = w.add("Add", w.add("Gather", words, source), places)
    y = w.add("Add", w.add("Gather", words, target), places)
    for _ in range(2):
        x = w.layer_norm(w.add("Add", x, cross_attention(w, x, x, d, heads, keep)), d)
        x = w.layer_norm(w.add("Add", x, w.linear(w.relu(w.linear(x, d, 256)), 256, d)), d)
    for _ in range(2):
        y = w.layer_norm(w.add("Add", y, cross_attention(w, y, y, d, heads, causal)), d)
        y = w.layer_norm(w.add("Add", y, cross_attention(w, y, x, d, heads, keep)), d)
        y = w.layer_norm(w.add("Add", y, w.linear(w.relu(w.linear(y, d, 256)), 256, d)), d)
    last = w.add("Gather", y, w.const(t - 1, np.int64), axis=1)
    best, index = w.add("TopK", w.add("LogSoftmax", w.linear(last, d, 2000), axis=-1), w.ints(5), outs=2, axis=-1)
    w.out(best)
    w.out(index, "index", I64)
    source = ids(t, 2000)
    source[0, 24:] = 0
    return w.finish(), {"source": source, "target": ids(t, 2000, 1)}


def t5_encoder():
    """Buckets of relative positions by integer arithmetic in the graph, RMS norms."""
    w, d, t, heads = Net("t5_encoder"), 128, 48, 4
    tokens = w.input("ids", [1, t], I64)
    order = w.add("Range", w.const(0, np.int64), w.const(t, np.int64), w.const(1, np.int64))
    moved = w.add("Mul", w.add("Cast", w.add("Greater", tokens, w.const(-1, np.int64)), to=I64), order)
    rel = w.add("Sub", w.add("Unsqueeze", moved, w.ints(1)), w.add("Unsqueeze", w.add("Squeeze", moved, w.ints(0)), w.ints(1)))
    rel = w.add("Sub", w.const(0, np.int64), rel)
    side = w.add("Mul", w.add("Cast", w.add("Greater", rel, w.const(0, np.int64)), to=I64), w.const(16, np.int64))
    far = w.add("Abs", rel)
    log = w.add("Log", w.add("Div", w.add("Cast", w.add("Max", far, w.const(1, np.int64)), to=F), w.const(8)))
    big = w.add("Cast", w.add("Mul", log, w.const(8 / np.log(16))), to=I64)
    big = w.add("Min", w.add("Add", big, w.const(8, np.int64)), w.const(15, np.int64))
    bucket = w.add("Add", side, w.add("Where", w.add("Less", far, w.const(8, np.int64)), far, big))
    bias = w.add("Transpose", w.add("Gather", w.normal(32, heads), w.add("Squeeze", bucket, w.ints(0))), perm=[2, 0, 1])
    bias = w.add("Unsqueeze", bias, w.ints(0))

    def rms(x):
        square = w.add("ReduceMean", w.add("Pow", x, w.const(2)), axes=[-1])
        y = w.add("Mul", x, w.add("Reciprocal", w.add("Sqrt", w.add("Add", square, w.const(1e-6)))))
        return w.add("Mul", w.const(np.ones(d)), y)

    x = w.add("Gather", w.normal(2000, d), tokens)
    for _ in range(3):
        x = w.add("Add", x, w.attention(rms(x), d, heads, bias)[0])
        y = rms(x)
        gate = w.gelu(w.linear(y, d, 256), True)
        x = w.add("Add", x, w.linear(w.add("Mul", gate, w.linear(y, d, 256)), 256, d))
    w.out(rms(x))
    return w.finish(), {"ids": ids(t, 2000)}


def einsum_attention():
    w, d, t, heads = Net("einsum_attention"), 128, 64, 4
    x = w.input("x", [2, t, d])
    for _ in range(2):
        q, k, v = (w.add("Einsum", x, w.normal(d, heads, 32, scale=d**-0.5), equation="btd,dhk->bhtk") for _ in range(3))
        s = w.add("Softmax", w.add("Einsum", q, k, equation="bhtk,bhsk->bhts"), axis=-1)
        o = w.add("Einsum", s, v, equation="bhts,bhsk->bthk")
        y = w.add("Einsum", o, w.normal(heads, 32, d, scale=d**-0.5), equation="bthk,hkd->btd")
        x = w.layer_norm(w.add("Add", x, y), d)
    w.out(x)
    return w.finish(), {"x": noise(2, t, d)}


def text_features():
    """Positions, segments and one-hot classes of ids: cumulative sums, selections, comparisons of int64."""
    w, t = Net("text_features"), 256
    tokens = w.input("ids", [8, t], I64)
    mask = w.add("Cast", w.add("Not", w.add("Equal", tokens, w.const(1, np.int64))), to=I64)
    places = w.add("Mul", w.add("CumSum", mask, w.const(1, np.int64)), mask)
    places = w.add("Add", places, w.const(1, np.int64))
    ends = w.add("Cast", w.add("Equal", tokens, w.const(2, np.int64)), to=I64)
    segment = w.add("Mod", w.add("CumSum", ends, w.const(1, np.int64), exclusive=1), w.const(2, np.int64))
    kind = w.add("Where", w.add("Greater", tokens, w.const(500, np.int64)), w.const(3, np.int64), segment)
    hot = w.add("OneHot", kind, w.const(4, np.int64), w.const([0, 1]), axis=-1)
    x = w.add("Add", w.add("Gather", w.normal(1000, 64), tokens), w.add("Gather", w.normal(t + 2, 64), places))
    x = w.add("Add", x, w.add("MatMul", hot, w.normal(4, 64)))
    m = w.add("Unsqueeze", w.add("Cast", mask, to=F), w.ints(2))
    x = w.add(
        "Div", w.add("ReduceSum", w.add("Mul", x, m), w.ints(1), keepdims=0), w.add("ReduceSum", m, w.ints(1), keepdims=0)
    )
    w.out(w.linear(x, 64, 10))
    return w.finish(), {"ids": np.random.default_rng(0).integers(0, 1000, (8, t))}


def dlrm():
    w, n, d = Net("dlrm"), 64, 32
    dense, sparse = w.input("dense", [n, 13]), w.input("sparse", [n, 8], I64)
    parts = [w.relu(w.gemm(w.relu(w.gemm(dense, 13, 64)), 64, d))]
    for k in range(8):
        column = w.add("Gather", sparse, w.const(k, np.int64), axis=1)
        parts.append(w.add("Gather", w.normal(5000, d, scale=0.1), column))
    t = w.reshape(w.cat(*parts), n, 9, d)
    pairs = w.add("MatMul", t, w.add("Transpose", t, perm=[0, 2, 1]))
    upper = w.const([[i, j] for i in range(9) for j in range(i)], np.int64)
    flat = w.add("GatherND", w.add("Transpose", pairs, perm=[1, 2, 0]), upper)
    x = w.cat(parts[0], w.add("Transpose", flat, perm=[1, 0]))
    w.out(w.add("Sigmoid", w.gemm(w.relu(w.gemm(x, 68, 64)), 64, 1)))
    return w.finish(), {"dense": noise(n, 13), "sparse": np.random.default_rng(0).integers(0, 5000, (n, 8))}


def graph_convolution():
    """Messages along edges: rows gathered by source, added into their targets."""
    w, n, edges, d = Net("graph_convolution", 18), 500, 3000, 64
    x, pairs = w.input("x", [n, 32]), w.input("edges", [2, edges], I64)
    source, target = (w.add("Gather", pairs, w.const(i, np.int64), axis=0) for i in (0, 1))
    ones = w.add("Expand", w.const([1.0]), w.ints(edges))
    degree = w.add("ScatterElements", w.const(np.ones(n)), target, ones, axis=0, reduction="add")
    scale = w.add("Unsqueeze", w.add("Pow", degree, w.const(-0.5)), w.ints(1))
    index = w.add("Expand", w.add("Unsqueeze", target, w.ints(1)), w.ints(edges, d))
    for c in (32, d):
        h = w.add("Mul", w.add("MatMul", x, w.normal(c, d, scale=c**-0.5)), scale)
        zeros = w.add("Expand", w.const([[0.0]]), w.ints(n, d))
        total = w.add("ScatterElements", zeros, index, w.add("Gather", h, source), axis=0, reduction="add")
        x = w.relu(w.add("Mul", total, scale))
    w.out(w.linear(x, d, 7))
    return w.finish(), {"x": noise(n, 32), "edges": np.random.default_rng(0).integers(0, n, (2, edges))}


def pointnet():
    w, n = Net("pointnet"), 1024
    x = w.input("x", [2, 3, n])

    def features(x, c):
        for width in (32, 64, 256):
            x, c = w.relu(w.norm(w.convn(x, c, width, [1]), width)), width
        return w.add("ReduceMax", x, axes=[2], keepdims=0)

    t = w.gemm(w.relu(w.gemm(features(x, 3), 256, 128)), 128, 9)
    t = w.reshape(w.add("Add", t, w.const(np.eye(3).ravel())), 2, 3, 3)
    x = w.add("Transpose", w.add("MatMul", w.add("Transpose", x, perm=[0, 2, 1]), t), perm=[0, 2, 1])
    w.out(w.add("LogSoftmax", w.gemm(w.relu(w.gemm(features(x, 3), 256, 128)), 128, 40), axis=1))
    return w.finish(), {"x": noise(2, 3, n)}


def retrieval():
    """Distances to a gallery, the nearest ones, which labels they have."""
    w, n, d = Net("retrieval"), 4000, 64
    x = w.input("x", [4, d])
    gallery = w.normal(n, d)
    square = w.add("ReduceSum", w.add("Mul", x, x), w.ints(1), keepdims=1)
    near = w.add("Sub", w.add("MatMul", x, w.add("Transpose", gallery, perm=[1, 0])), w.add("Mul", square, w.const(0.5)))
    best, index = w.add("TopK", near, w.ints(20), outs=2, axis=1)
    labels = w.add("Gather", w.const(w.rng.integers(0, 50, n), np.int64), index)
    found, _, _, counts = w.add("Unique", labels, outs=4)
    w.out(w.add("Softmax", best, axis=1))
    w.out(found, "labels", I64)
    w.out(counts, "counts", I64)
    return w.finish(), {"x": noise(4, d)}


def keyword_spotting():
    """Depthwise convolutions over a spectrogram, batch norms that stand before the convolutions."""
    w, c = Net("keyword_spotting"), 64
    x = w.relu(w.norm(w.convn(w.norm(w.input("x", [1, 1, 49, 40]), 1), 1, c, [10, 4], 2, pads=[4, 1, 5, 2]), c))
    for _ in range(4):
        x = w.relu(w.norm(w.conv(x, c, c, 3, 1, c), c))
        x = w.relu(w.norm(w.conv(x, c, c), c))
    w.out(w.add("Softmax", w.gemm(w.flat(w.add("GlobalMaxPool", x)), c, 12), axis=1))
    return w.finish(), {"x": noise(1, 1, 49, 40)}


NETS = (
    wavenet,
    tcn,
    conv_tasnet,
    vocoder,
    speech_encoder,
    mel_frontend,
    gru_seq2seq,
    bilstm_crf,
    translation,
    t5_encoder,
    einsum_attention,
    text_features,
    dlrm,
    graph_convolution,
    pointnet,
    retrieval,
    keyword_spotting,
)
