"""Recurrent cells."""

import numpy as np

from . import op
from .shapes import fixed

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


@op("rnn", weight=4)
def recurrent(net, x):
    name = net.pick("LSTM", "GRU", "RNN")
    if x.rank != 3 or x.size == 0 or not fixed(x.shape[2]) or x.kind != "float32":
        return None
    length, n, width = x.shape
    hidden, gates = net.pick(1, 3, 4, 8, 16, 17), _GATES[name]
    direction = net.pick("forward", "forward", "reverse", "bidirectional")
    ways = 2 if direction == "bidirectional" else 1
    w = net.weight(x.kind, (ways, gates * hidden, int(width)), int(width))
    r = net.weight(x.kind, (ways, gates * hidden, hidden), hidden)
    bias = net.weight(x.kind, (ways, 2 * gates * hidden)) if net.chance(0.6) else None
    known = fixed(length) and fixed(n)
    lengths = None
    if known and net.chance(0.25):
        lengths = net.constant(net.numpy.integers(1, int(length) + 1, int(n)), "int32")
    state = (ways, n, hidden)
    first = net.weight(x.kind, [int(d) for d in state]) if fixed(n) and net.chance(0.3) else None
    given = [x, w, r, bias, lengths, first]
    attributes = {"hidden_size": hidden, "direction": direction}
    outputs = [(x.kind, (length, ways, n, hidden)), (x.kind, state)]
    if name == "LSTM":
        if first and net.chance(0.7):
            given.append(net.weight(x.kind, [int(d) for d in state]))
            if net.chance(0.3):
                given.append(net.weight(x.kind, (ways, 3 * hidden)))
        outputs.append((x.kind, state))
    if name == "GRU":
        attributes["linear_before_reset"] = net.pick(0, 1)
    if name == "RNN" and net.chance(0.3):
        attributes["activations"] = [net.pick("Relu", "Tanh", "Sigmoid") for _ in range(ways)]
    if net.chance(0.2):
        attributes["clip"] = 0.8
    which = net.random.randrange(len(outputs))
    outputs = [o if k == which or net.chance(0.4) else None for k, o in enumerate(outputs)]
    made = net.node(name, given, outputs, **attributes)
    made = net.random.choice(made)
    if made.rank == 4:  # the directions side by side, as the next cell takes them
        turned = net.node("Transpose", [made], [(x.kind, (length, n, ways, hidden))], perm=[0, 2, 1, 3])
        return net.node("Reshape", [turned, net.ints(0, 0, -1)], [(x.kind, (length, n, ways * hidden))])
    return made


@op("rnn")
def last_step(net, x):
    if x.rank != 3 or x.size == 0 or np.prod(x.shape) == 0:
        return None
    return net.node("Gather", [x, net.constant(np.array(-1))], [(x.kind, x.shape[1:], x.exact)], axis=0)
