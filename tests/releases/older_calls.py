"""Calls as Python programs of 0.1.0 wrote them, to operators that a later release has grown."""

import numpy as np

import ge
from ge.es import GraphBuilder
from ge.es.all import ConcatD, Gelu, MatMul, SoftmaxV2

b = GraphBuilder("older")
x = b.create_input(0, name="x", shape=[2, 2])
w = b.create_const_float([1.0, 2.0, 3.0, 4.0], shape=[2, 2])
bias = b.create_const_float([10.0, 20.0], shape=[2])
outputs = [
    MatMul(x, w),
    MatMul(x, w, None),
    MatMul(x, w, bias, transpose_x2=True),
    MatMul(x, [[1.0, 2.0], [3.0, 4.0]]),
    SoftmaxV2(x, axes=[0]),
    ConcatD([x, x], concat_dim=1, N=2),
    Gelu(x),
]
model = ge.load(b.build_and_reset(outputs))
given = np.array([[1, 2], [3, 4]], np.float32)
product = given @ given
low = 1 / (1 + np.exp(2.0))
wanted = [
    product,
    product,
    given @ given.T + [10, 20],
    product,
    [[low, low], [1 - low, 1 - low]],
    np.concatenate([given, given], 1),
    [[0.8412, 1.9546], [2.9964, 3.9999]],
]
for have, want in zip(model.run({"x": given}).values(), wanted):
    np.testing.assert_allclose(have, want, atol=1e-4)
print("all calls of 0.1.0")
