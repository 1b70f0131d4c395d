"""Variables of sessions against NumPy: training, optimisers, sharing between graphs."""

import threading

import numpy as np
import pytest

import ge
import ge.es.all as es
from ge.error import GeError
from ge.es import GraphBuilder, InputType, TensorHolder
from ge.graph import DataType, Format, Tensor
from ge.session import Session

F32 = np.float32


def tensor(values):
    values = np.asarray(values, F32)
    return Tensor(values.ravel().tolist(), None, DataType.DT_FLOAT, Format.FORMAT_ND, list(values.shape))


def array(t):
    return np.array(t)


def variable(b, name, shape=None):
    v = b.create_variable(0, name)
    if shape is not None:
        v.set_data_type(DataType.DT_FLOAT).set_shape(list(shape))
    return v


def initialised(session, values, graph_id=100):
    """Runs a graph that assigns values to variables."""
    b = GraphBuilder("init")
    for name, value in values.items():
        value = np.asarray(value, F32)
        es.Assign(variable(b, name), b.create_const_float(value.ravel().tolist(), shape=list(value.shape)))
    session.add_graph(graph_id, b.build_and_reset([]))
    assert session.run_graph(graph_id, []) == []


def regression_step(b, update):
    """Forward and backward of a linear regression; update(b, w, bias, grad_w, grad_bias) makes the step."""
    x = b.create_input(0, name="x", shape=[16, 3])
    y = b.create_input(1, name="y", shape=[16, 1])
    w, bias = variable(b, "w", [3, 1]), variable(b, "bias", [1])
    error = es.MatMul(x, w) + bias - y
    loss = es.ReduceMean(error * error, b.create_vector_int64([0, 1]))
    scaled = error * (2.0 / 16)
    grad_w = es.MatMul(x, scaled, transpose_x1=True)
    grad_bias = es.ReduceSum(scaled, b.create_vector_int64([0]))
    update(b, w, bias, grad_w, grad_bias)
    return b.build_and_reset([loss])


def data():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(16, 3)).astype(F32)
    y = (x @ np.array([[1.5], [-2.0], [0.5]], F32) + F32(0.25)).astype(F32)
    return x, y


def gradients(x, y, w, bias):
    error = x @ w + bias - y
    scaled = error * F32(2.0 / 16)
    return np.mean(error * error), x.T @ scaled, scaled.sum(axis=0)


def test_sgd_training_of_a_linear_regression():
    x, y = data()
    session = Session()
    initialised(session, {"w": np.zeros((3, 1)), "bias": [0.0]})

    def step(b, w, bias, grad_w, grad_bias):
        es.AssignSub(w, grad_w * 0.1)
        es.AssignSub(bias, grad_bias * 0.1)

    session.add_graph(1, regression_step(GraphBuilder("train"), step))
    w, bias = np.zeros((3, 1), F32), np.zeros(1, F32)
    for _ in range(100):
        (loss,) = session.run_graph(1, [tensor(x), tensor(y)])
        expected, grad_w, grad_bias = gradients(x, y, w, bias)
        np.testing.assert_allclose(array(loss), expected, rtol=1e-4, atol=1e-9)
        w, bias = w - F32(0.1) * grad_w, bias - F32(0.1) * grad_bias
    got = session.get_variables()
    assert list(got) == ["w", "bias"]
    np.testing.assert_allclose(array(got["w"]), w, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(array(got["bias"]), bias, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(array(got["w"]), [[1.5], [-2.0], [0.5]], atol=0.02)  # it has learned


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum_training(nesterov):
    x, y = data()
    session = Session()

    def step(b, w, bias, grad_w, grad_bias):
        for v, grad, name, shape in ((w, grad_w, "w/m", [3, 1]), (bias, grad_bias, "bias/m", [1])):
            rate, momentum = b.create_scalar_float(0.05), b.create_scalar_float(0.9)
            es.ApplyMomentum(v, variable(b, name, shape), rate, grad, momentum, use_nesterov=nesterov)

    session.add_graph(1, regression_step(GraphBuilder("train"), step))
    w, bias, mw, mb = np.zeros((3, 1), F32), np.zeros(1, F32), np.zeros((3, 1), F32), np.zeros(1, F32)
    for _ in range(100):
        session.run_graph(1, [tensor(x), tensor(y)])
        _, grad_w, grad_bias = gradients(x, y, w, bias)
        mw, mb = mw * F32(0.9) + grad_w, mb * F32(0.9) + grad_bias
        rate, momentum = F32(0.05), F32(0.9)
        if nesterov:
            w, bias = w - (grad_w * rate + mw * momentum * rate), bias - (grad_bias * rate + mb * momentum * rate)
        else:
            w, bias = w - rate * mw, bias - rate * mb
    got = session.get_variables(["bias/m", "w"])
    np.testing.assert_allclose(array(got["w"]), w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(array(got["bias/m"]), mb, rtol=1e-3, atol=1e-5)


# Optimisers step by step: (operator, variables in the order of its inputs, other inputs, attributes, rule in NumPy).
# The rules are written from the published update formulas; s holds the variables, i the other inputs.


def adadelta(s, i):
    s["accum"] = i["rho"] * s["accum"] + (1 - i["rho"]) * i["grad"] ** 2
    update = np.sqrt(s["accum_update"] + i["epsilon"]) / np.sqrt(s["accum"] + i["epsilon"]) * i["grad"]
    s["accum_update"] = i["rho"] * s["accum_update"] + (1 - i["rho"]) * update**2
    s["var"] = s["var"] - i["lr"] * update


def adagrad(s, i):
    s["accum"] = s["accum"] + i["grad"] ** 2
    s["var"] = s["var"] - i["lr"] * i["grad"] / (np.sqrt(s["accum"]) + i.get("epsilon", 0))


def adam_like(direction, divisor):
    def rule(s, i):
        rate = i["lr"] * np.sqrt(1 - i["beta2_power"]) / (1 - i["beta1_power"])
        s["m"] = i["beta1"] * s["m"] + (1 - i["beta1"]) * i["grad"]
        s["v"] = i["beta2"] * s["v"] + (1 - i["beta2"]) * i["grad"] ** 2
        s["var"] = s["var"] - rate * direction(s, i) / (np.sqrt(divisor(s)) + i["epsilon"])

    return rule


def largest(s):
    s["vhat"] = np.maximum(s["vhat"], s["v"])
    return s["vhat"]


def ada_max(s, i):
    s["m"] = i["beta1"] * s["m"] + (1 - i["beta1"]) * i["grad"]
    s["v"] = np.maximum(i["beta2"] * s["v"], np.abs(i["grad"]))
    s["var"] = s["var"] - i["lr"] / (1 - i["beta1_power"]) * s["m"] / (s["v"] + i["epsilon"])


def rms_prop(s, i):
    centre = 0
    if "mg" in s:
        s["mg"] = i["rho"] * s["mg"] + (1 - i["rho"]) * i["grad"]
        centre = s["mg"] ** 2
    s["ms"] = i["rho"] * s["ms"] + (1 - i["rho"]) * i["grad"] ** 2
    s["mom"] = i["momentum"] * s["mom"] + i["lr"] * i["grad"] / np.sqrt(s["ms"] - centre + i["epsilon"])
    s["var"] = s["var"] - s["mom"]


def keras_momentum(s, i):
    s["accum"] = i["momentum"] * s["accum"] - i["lr"] * i["grad"]
    s["var"] = s["var"] + s["accum"]


def keras_nesterov(s, i):
    s["accum"] = i["momentum"] * s["accum"] - i["lr"] * i["grad"]
    s["var"] = s["var"] + s["accum"] * i["momentum"] - i["lr"] * i["grad"]


def sign_step(scale):
    def rule(s, i):
        s["m"] = i["beta"] * s["m"] + (1 - i["beta"]) * i["grad"]
        agree = i["sign_decay"] * np.sign(i["grad"]) * np.sign(s["m"])
        s["var"] = s["var"] - i["lr"] * scale(i, agree) * i["grad"]

    return rule


def descent(s, i):
    s["var"] = s["var"] - i["alpha"] * i["delta"]


def shrunk(x, rate, i):
    return np.sign(x) * np.maximum(np.abs(x) - rate * i["l1"], 0) / (1 + rate * i["l2"])


def proximal_descent(s, i):
    s["var"] = shrunk(s["var"] - i["alpha"] * i["delta"], i["alpha"], i)


def proximal_adagrad(s, i):
    s["accum"] = s["accum"] + i["grad"] ** 2
    rate = i["lr"] / np.sqrt(s["accum"])
    s["var"] = shrunk(s["var"] - rate * i["grad"], rate, i)


def ftrl(s, i):
    new = s["accum"] + i["grad"] ** 2
    sigma = (new ** -i["lr_power"] - s["accum"] ** -i["lr_power"]) / i["lr"]
    s["linear"] = s["linear"] + i["grad"] + 2 * i.get("l2_shrinkage", 0) * s["var"] - sigma * s["var"]
    quadratic = new ** -i["lr_power"] / i["lr"] + 2 * i["l2"]
    inside = np.abs(s["linear"]) <= i["l1"]
    s["var"] = np.where(inside, 0, (np.sign(s["linear"]) * i["l1"] - s["linear"]) / quadratic)
    s["accum"] = new


BETAS = {"beta1_power": 0.9, "beta2_power": 0.99, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-4}
MAX_BETAS = {"beta1_power": 0.9, "lr": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-4}
RMS = {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 1e-3}
MOMENTUM = {"lr": 0.1, "grad": None, "momentum": 0.9}
DELTA = {"lr": 0.5, "rho": 0.9, "epsilon": 1e-3}
GRAD = {"grad": None}
FTRL = {"grad": None, "lr": 0.1, "l1": 0.02, "l2": 0.01}


def plain(s, i):
    return s["m"]


def nesterov_direction(s, i):
    return i["beta1"] * s["m"] + (1 - i["beta1"]) * i["grad"]


def second_moment(s):
    return s["v"]


OPTIMISERS = [
    ("ApplyGradientDescent", ["var"], {"alpha": 0.1, "delta": None}, {}, descent),
    ("ApplyProximalGradientDescent", ["var"], {"alpha": 0.1, "l1": 0.2, "l2": 0.3, "delta": None}, {}, proximal_descent),
    ("ApplyKerasMomentum", ["var", "accum"], MOMENTUM, {}, keras_momentum),
    ("ApplyKerasMomentum", ["var", "accum"], MOMENTUM, {"use_nesterov": True}, keras_nesterov),
    ("ApplyAdagrad", ["var", "accum"], {"lr": 0.1, **GRAD}, {}, adagrad),
    ("ApplyAdagradD", ["var", "accum"], {"lr": 0.1, **GRAD}, {}, adagrad),
    ("ApplyAdagradV2", ["var", "accum"], {"lr": 0.1, "epsilon": 0.01, **GRAD}, {}, adagrad),
    ("ApplyProximalAdagrad", ["var", "accum"], {"lr": 0.1, "l1": 0.1, "l2": 0.2, **GRAD}, {}, proximal_adagrad),
    ("InplaceApplyProximalAdagrad", ["var", "accum"], {"lr": 0.1, "l1": 0.1, "l2": 0.2, **GRAD}, {}, proximal_adagrad),
    ("ApplyAdadelta", ["var", "accum", "accum_update"], {**DELTA, **GRAD}, {}, adadelta),
    ("InplaceApplyAdadelta", ["var", "accum", "accum_update"], {**DELTA, **GRAD}, {}, adadelta),
    ("ApplyAdam", ["var", "m", "v"], {**BETAS, **GRAD}, {}, adam_like(plain, second_moment)),
    (
        "ApplyAdam",
        ["var", "m", "v"],
        {**BETAS, **GRAD},
        {"use_nesterov": True},
        adam_like(nesterov_direction, second_moment),
    ),
    ("ApplyAdamD", ["var", "m", "v"], {**BETAS, **GRAD}, {}, adam_like(plain, second_moment)),
    ("ApplyAdamWithAmsgrad", ["var", "m", "v", "vhat"], {**BETAS, **GRAD}, {}, adam_like(plain, largest)),
    ("ApplyAdamWithAmsgradV2", ["var", "m", "v", "vhat"], {**BETAS, **GRAD}, {}, adam_like(plain, largest)),
    ("ApplyAdaMax", ["var", "m", "v"], {**MAX_BETAS, **GRAD}, {}, ada_max),
    ("ApplyRMSProp", ["var", "ms", "mom"], {**RMS, **GRAD}, {}, rms_prop),
    ("ApplyCenteredRMSProp", ["var", "mg", "ms", "mom"], {**RMS, **GRAD}, {}, rms_prop),
    ("InplaceApplyCenteredRMSProp", ["var", "mg", "ms", "mom"], {**RMS, **GRAD}, {}, rms_prop),
    (
        "ApplyAddSign",
        ["var", "m"],
        {"lr": 0.1, "alpha": 1.0, "sign_decay": 0.8, "beta": 0.9, **GRAD},
        {},
        sign_step(lambda i, agree: i["alpha"] + agree),
    ),
    (
        "ApplyPowerSign",
        ["var", "m"],
        {"lr": 0.1, "logbase": 1.0, "sign_decay": 0.8, "beta": 0.9, **GRAD},
        {},
        sign_step(lambda i, agree: np.exp(i["logbase"] * agree)),
    ),
    ("ApplyFtrl", ["var", "accum", "linear"], {**FTRL, "lr_power": -0.5}, {}, ftrl),
    ("ApplyFtrlV2", ["var", "accum", "linear"], {**FTRL, "l2_shrinkage": 0.1, "lr_power": -0.5}, {}, ftrl),
]


@pytest.mark.parametrize("op, names, inputs, attrs, rule", OPTIMISERS, ids=[o[0] + ("+" if o[3] else "") for o in OPTIMISERS])
def test_optimiser(op, names, inputs, attrs, rule):
    rng = np.random.default_rng(3)
    shape = (4, 5)
    start = {n: rng.normal(size=shape) if n == "var" else rng.uniform(0.1, 0.5, shape) for n in names}
    if "mg" in start:  # the variance stays positive
        start["ms"], start["mg"] = start["ms"] + 1, start["mg"] * 0.1
    session = Session()
    initialised(session, start)
    b = GraphBuilder("step")
    grad = b.create_input(0, name="grad", shape=list(shape))
    others = {n: grad if v is None else b.create_scalar_float(v) for n, v in inputs.items()}
    made = getattr(es, op)(*[variable(b, n, shape) for n in names], *others.values(), **attrs)
    first = made if isinstance(made, TensorHolder) else next(iter(vars(made).values()))  # the new value of var
    session.add_graph(1, b.build_and_reset([first]))
    state = {n: v.astype(F32).astype(np.float64) for n, v in start.items()}
    for _ in range(5):
        g = rng.normal(size=shape).astype(F32)
        (out,) = session.run_graph(1, [tensor(g)])
        rule(state, {n: g.astype(np.float64) if v is None else float(F32(v)) for n, v in inputs.items()})
        got = session.get_variables(names)
        np.testing.assert_array_equal(array(out), array(got["var"]))
        for n in names:
            np.testing.assert_allclose(array(got[n]), state[n], rtol=2e-4, atol=2e-5, err_msg=n)


def counter(name="counter"):
    b = GraphBuilder(name)
    return b.build_and_reset([es.AssignAdd(variable(b, "n", [2]), b.create_input(0, name="by", shape=[2]))])


def test_sessions_have_variables_of_their_own():
    one, two = Session(), Session()
    for s in (one, two):
        s.add_graph(1, counter())
    for i in range(1, 4):
        (got,) = one.run_graph(1, [tensor([1, 2])])
        np.testing.assert_array_equal(array(got), [i, 2 * i])
    (got,) = two.run_graph(1, [tensor([1, 2])])
    np.testing.assert_array_equal(array(got), [1, 2])
    one.remove_graph(1)  # the variable stays
    one.add_graph(2, counter("again"))
    (got,) = one.run_graph(2, [tensor([0, 0])])
    np.testing.assert_array_equal(array(got), [3, 6])


def test_get_and_set_variables():
    session = Session()
    assert session.get_variables() == {}
    session.add_graph(1, counter())
    assert session.get_variables() == {}  # graphs bring their variables when they are compiled
    session.run_graph(1, [tensor([1, 2])])
    before = session.get_variables(["n"])["n"]
    session.run_graph(1, [tensor([1, 2])])
    np.testing.assert_array_equal(array(before), [1, 2])  # a copy
    session.set_variables({"n": tensor([10, 20]), "fresh": tensor([[5]])})
    np.testing.assert_array_equal(array(session.run_graph(1, [tensor([1, 2])])[0]), [11, 22])
    assert list(session.get_variables()) == ["n", "fresh"]
    with pytest.raises(GeError, match="no variable 'm'; there are n, fresh"):
        session.get_variables(["n", "m"])
    with pytest.raises(GeError, match=r"variable 'n' is DT_FLOAT \[2\] in graph 'counter', DT_FLOAT \[3\]"):
        session.set_variables({"fresh": tensor([[6]]), "n": tensor([1, 2, 3])})
    np.testing.assert_array_equal(array(session.get_variables(["fresh"])["fresh"]), [[5]])
    for bad in ("n", [1], {"n": 1}):
        with pytest.raises(TypeError):
            session.get_variables(bad)
    for bad in ([], {"n": 1}, {1: tensor([1])}):
        with pytest.raises(TypeError):
            session.set_variables(bad)


def test_graphs_that_do_not_agree():
    session = Session()
    session.add_graph(1, counter())
    session.run_graph(1, [tensor([1, 2])])
    b = GraphBuilder("other")
    session.add_graph(2, b.build_and_reset([variable(b, "n", [3]) + 1.0]))
    with pytest.raises(GeError, match=r"'n' is DT_FLOAT \[2\] in graph 'counter', DT_FLOAT \[3\] in graph 'other'"):
        session.run_graph(2, [])


def test_runs_from_several_threads_lose_nothing():
    session = Session({"threads": "1"})
    session.add_graph(1, counter())

    def work():
        for _ in range(25):
            session.run_graph(1, [tensor([1, 2])])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    np.testing.assert_array_equal(array(session.get_variables()["n"]), [100, 200])


def test_inputs_that_a_graph_changes():
    b = GraphBuilder("cache")
    cache = b.create_input(0, name="cache", type_str=InputType.REF_DATA, data_type=DataType.DT_FLOAT, shape=[3])
    model = ge.load(b.build_and_reset([es.AssignAdd(cache, b.create_input(1, name="by", shape=[3]))]))
    mine, by = np.zeros(3, F32), np.arange(3, dtype=F32)
    for run in range(1, 4):
        (out,) = model.run({"cache": mine, "by": by}).values()
        np.testing.assert_array_equal(mine, run * by)
        np.testing.assert_array_equal(out, run * by)
    other = mine.astype(np.float64)  # is converted first
    (out,) = model.run({"cache": mine[::-1], "by": by}).values()  # so is this
    np.testing.assert_array_equal(out, [6, 4, 2])
    np.testing.assert_array_equal(mine, other)
