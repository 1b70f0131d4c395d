"""Reference kernels for matrix products."""

import re

import numpy as np
import pytest
from engine_harness import ROOT, EngineError
from engine_oracles import FLOATS, close, draw, erf, onnx_reference, sigmoid

SIZES = [(3, 4, 5), (1, 7, 1), (17, 300, 130), (16, 1, 128), (0, 3, 2), (2, 0, 3)]


def operand(shape, transposed, dtype, seed=0):
    x = draw(shape, dtype, -1, 1, seed)
    return x, np.ascontiguousarray(np.swapaxes(x, -1, -2)) if transposed else x


@pytest.mark.parametrize("dtype", [*FLOATS, np.int32], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("op", ["MatMul", "MatMulV2", "MatMulV3"])
def test_mat_mul(cpu, op, dtype):
    for m, k, n in SIZES:
        for ta in (False, True):
            for tb in (False, True):
                a, at = operand((m, k), ta, dtype)
                b, bt = operand((k, n), tb, dtype, 1)
                bias = draw((n,), dtype, seed=2)
                wide = np.int64 if dtype == np.int32 else np.float64
                want = (a.astype(wide) @ b.astype(wide) + bias.astype(wide)).astype(dtype)
                attrs = {"transpose_x1": ta, "transpose_x2": tb}
                scale = 2 if np.dtype(dtype).itemsize == 2 else 20
                close(cpu(op, [at, bt, bias, None], attrs, ((m, n), dtype)), want, scale=scale)


@pytest.mark.parametrize("op", ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"])
def test_batch_mat_mul(cpu, op):
    for sa, sb in [((2, 3, 4), (2, 4, 5)), ((4, 5), (3, 5, 2)), ((2, 1, 3, 4), (5, 4, 6)), ((2, 3, 4), (4, 5)),
                   ((0, 3, 4), (4, 5))]:  # fmt: skip
        for ta in (False, True):
            for tb in (False, True):
                a, at = operand(sa, ta, np.float32)
                b, bt = operand(sb, tb, np.float32, 1)
                want = a.astype(float) @ b.astype(float)
                close(cpu(op, [at, bt], {"adj_x1": ta, "adj_x2": tb}, (want.shape, np.float32)), want, scale=10)


def test_vectors(cpu):
    for sa, sb in [((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4,)), ((4,), (2, 4, 5))]:
        a, b = draw(sa), draw(sb, seed=1)
        want = np.asarray(a.astype(float) @ b)
        close(cpu("BatchMatMulV2", [a, b], {}, (want.shape, np.float32)), want, scale=5)


def test_quantised(cpu):
    a, b = draw((5, 70), np.int8, -128, 127), draw((70, 9), np.int8, -128, 127, seed=1)
    want = a.astype(np.int32) @ b.astype(np.int32)
    np.testing.assert_array_equal(cpu("MatMulV2", [a, b], {}, (want.shape, np.int32)), want)


@pytest.mark.parametrize("activation", ["", "relu", "sigmoid", "gelu_erf", "clip"])
def test_fused(cpu, activation):
    formulas = {
        "": lambda x: x,
        "relu": lambda x: np.maximum(x, 0),
        "sigmoid": sigmoid,
        "gelu_erf": lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2))),
        "clip": lambda x: np.clip(x, -0.5, 0.75),
    }
    a, b, bias, residual = draw((2, 3, 8)), draw((9, 8), seed=1), draw((9,), seed=2), draw((2, 3, 9), seed=3)
    attrs = {"adj_x2": True, "scale": 0.25, "activation": activation, "alpha": -0.5, "beta": 0.75}
    want = formulas[activation](0.25 * (a.astype(float) @ b.T) + bias + residual)
    close(cpu("FusedMatMulV2", [a, b, bias, residual], attrs, (want.shape, np.float32)), want, scale=5)
    rows = draw((3, 1), seed=4)
    want = formulas[activation](0.25 * (a.astype(float) @ b.T) + rows)
    close(cpu("FusedMatMulV2", [a, b, rows, None], attrs, (want.shape, np.float32)), want, scale=5)


LAYERS = {  # of 5 columns at first: columns, biased, activation, residual
    "one": [(7, True, "tanh", 0)],
    "no bias": [(7, False, "", 0), (3, False, "relu", 0)],
    "residuals": [(5, True, "tanh", 2), (5, True, "sigmoid", 1), (5, False, "", 2), (1, True, "clip", 0)],
    "many": [(5 + i % 3, i % 2 == 0, "tanh", 0) for i in range(40)],
}


def dense_layers(x, case):
    """Inputs, attributes and result of FusedDenseLayers."""
    formulas = {"": lambda v: v, "tanh": np.tanh, "relu": lambda v: np.maximum(v, 0), "sigmoid": sigmoid,
                "clip": lambda v: np.clip(v, -0.5, 0.75)}  # fmt: skip
    inputs, y = [x], x.astype(float)
    for i, (columns, biased, activation, residual) in enumerate(case):
        w, b = draw((y.shape[-1], columns), np.float32, -1, 1, 2 * i), draw((columns,), seed=2 * i + 1)
        inputs += [w, b] if biased else [w]
        before = y if residual == 1 else 0
        made = formulas[activation](y @ w + (b if biased else 0) + before)
        y = 0.5 * made + y if residual == 2 else 0.5 * made
    attrs = {"biased": [int(c[1]) for c in case], "activations": [c[2] for c in case], "residuals": [c[3] for c in case],
             "alphas": [-0.5] * len(case), "betas": [0.75] * len(case), "factors": [0.5] * len(case)}  # fmt: skip
    return inputs, attrs, y


@pytest.mark.parametrize("name", LAYERS)
def test_dense_layers(cpu, name):
    for rows in ((1,), (3,), (2, 4), (), (0,)):
        inputs, attrs, want = dense_layers(draw((*rows, 5)), LAYERS[name])
        close(cpu("FusedDenseLayers", inputs, attrs, (want.shape, np.float32)), want, scale=10)


def test_dense_layers_refusals(cpu):
    inputs, attrs, want = dense_layers(draw((2, 5)), LAYERS["residuals"])
    y = (want.shape, np.float32)

    def fails(message, inputs=inputs, shape=y, **more):
        with pytest.raises(EngineError, match=message):
            cpu("FusedDenseLayers", inputs, {**attrs, **more}, shape)

    fails("the layers take 7 parameters, got 6", inputs[:-1])
    fails("lists of 4 and 3 entries", factors=[1.0] * 3)
    fails("activations 'nope' is unknown", activations=["nope"] * 4)
    fails(r"a weight has shape \[4,5\], expected \[5,…\]", [inputs[0], draw((4, 5)), *inputs[2:]])
    fails("a bias has shape", [*inputs[:2], draw((4,)), *inputs[3:]])
    fails("5 by 1 values cannot add its input", residuals=[0, 0, 0, 1])
    fails("output shape is", shape=((2, 2), np.float32))
    assert "DT_DOUBLE is not supported" in cpu.check("FusedDenseLayers", [*inputs[:-1], inputs[-1].astype(float)], attrs, [y])


def test_gemm(cpu):
    for ta, tb in [(False, False), (True, True), (True, False)]:
        a, at = operand((4, 6), ta, np.float32)
        b, bt = operand((6, 5), tb, np.float32, 1)
        alpha, beta = np.array(0.5, np.float32), np.array([1.5], np.float32)
        for c in (draw((5,)), draw((4, 1)), draw((4, 5)), draw(())):
            want = 0.5 * (a.astype(float) @ b) + 1.5 * c
            attrs = {"transpose_a": ta, "transpose_b": tb}
            close(cpu("GEMM", [at, bt, c, alpha, beta], attrs, ((4, 5), np.float32)), want, scale=5)


@pytest.mark.parametrize(
    "equation,shapes",
    [
        ("ij,jk->ik", [(3, 4), (4, 5)]),
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("ij->ji", [(3, 4)]),
        ("ij->", [(3, 4)]),
        ("ii->i", [(4, 4)]),
        ("ii", [(4, 4)]),
        ("ij,jk", [(3, 4), (4, 5)]),
        ("b i d , b j d -> b i j", [(2, 3, 4), (2, 5, 4)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (4, 5)]),
        ("a,b,c->abc", [(2,), (3,), (4,)]),
        ("ij,j,jk->ik", [(3, 4), (4,), (4, 2)]),
        (",ij->ij", [(), (2, 3)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("ij,ij->ij", [(3, 1), (3, 4)]),
        ("ij,jk->ik", [(3, 0), (0, 5)]),
        ("Ab,bA->A", [(3, 4), (4, 3)]),
    ],
)
def test_einsum(cpu, equation, shapes):
    xs = [draw(s, seed=i) for i, s in enumerate(shapes)]
    want = np.asarray(np.einsum(equation.replace(" ", ""), *[x.astype(float) for x in xs]))
    close(cpu("Einsum", xs, {"equation": equation, "N": len(xs)}, (want.shape, np.float32)), want, scale=3)
    ints = [draw(s, np.int32, -5, 5, i) for i, s in enumerate(shapes)]
    got = cpu("Einsum", ints, {"equation": equation, "N": len(xs)}, (want.shape, np.int32))
    np.testing.assert_array_equal(got, np.einsum(equation.replace(" ", ""), *ints))


def test_einsum_agrees_with_onnx(cpu):
    a, b = draw((2, 3, 4)), draw((2, 4, 5), seed=1)
    want = onnx_reference("Einsum", [a, b], equation="...ij,...jk->...ki")
    close(cpu("Einsum", [a, b], {"equation": "...ij,...jk->...ki"}, (want.shape, np.float32)), want, scale=3)


def test_refusals(cpu):
    a, b = draw((3, 4)), draw((5, 6))
    with pytest.raises(EngineError, match=r"inner dimensions of \[3,4\] and \[5,6\] are different"):
        cpu("MatMulV2", [a, b], {}, ((3, 6), np.float32))
    with pytest.raises(EngineError, match="'abc' names 3 dimensions"):
        cpu("Einsum", [a], {"equation": "abc->a"}, ((3,), np.float32))
    assert "not supported together" in cpu.check("MatMulV2", [a, b.astype(np.int32)], {}, [((3, 6), np.float32)])


def test_every_activation_of_the_table_is_known(cpu):
    """ge/elementwise.def says what fused products call an instruction; passes write these names into nodes."""
    table = (ROOT / "capi/include/ge/elementwise.def").read_text()
    names = re.findall(r'^GE_ELEMENTWISE_OPCODE\(.*, "(\w+)"\)', table, re.M)
    assert len(names) >= 11 and len(set(names)) == len(names)
    x = np.zeros((2, 2), np.float32)
    for name in names:
        assert cpu.check("FusedMatMulV2", [x, x], {"activation": name}, [((2, 2), np.float32)]) is None, name
