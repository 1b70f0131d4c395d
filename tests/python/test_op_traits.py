"""What a program says of its operators: nodes of an operator of which it says nothing stay as they are."""

import numpy as np
import pytest

import ge
from ge._native import ffi, lib
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.math import Abs, Add, Exp, Neg, Sign, Sqrt
from ge.es.nn import L2Normalize
from ge.graph import DataType, Format


class Ticks:
    """An engine of own operators: y = 10 x + how often its kernels have run. It takes built-in types over."""

    def __init__(self, types):
        self.types, self.runs, self.keep = types, dict.fromkeys(types, 0), []

        @ffi.callback("GeStatus(void *, const GeOpDesc *, char *, size_t)")
        def check(_engine, op, _reason, _capacity):
            return 0 if ffi.string(op.type).decode() in self.types else lib.GE_UNSUPPORTED

        @ffi.callback("GeStatus(void *, const GeOpDesc *, const GeKernelEnv *, GeKernel *)")
        def create(_engine, op, _env, out):
            name = ffi.string(op.type).decode()
            count = int(np.prod([op.outputs[0].dims[d] for d in range(op.outputs[0].rank)]))

            @ffi.callback("GeStatus(void *, const GeKernelArgs *)")
            def run(_state, args):
                self.runs[name] += 1
                x = np.frombuffer(ffi.buffer(args.inputs[0], 4 * count), np.float32)
                y = np.frombuffer(ffi.buffer(args.outputs[0], 4 * count), np.float32)
                y[:] = 10 * x + self.runs[name]
                return 0

            self.keep.append(run)
            out.run = run
            return 0

        self.name = ffi.new("char[]", b"TicksOfATest")
        self.table = ffi.new("GeEngineTable *")
        self.table.abi_version, self.table.struct_size = 1, ffi.sizeof("GeEngineTable")
        self.table.name = self.table.version = self.name
        self.table.flags = lib.GE_ENGINE_OWN_OPERATORS
        self.table.check, self.table.create_kernel = check, create
        self.keep += [check, create]

    def __enter__(self):
        assert lib.GeEngineRegister(self.table, ffi.NULL) == 0, ffi.string(lib.GeLastErrorMessage())
        return self

    def __exit__(self, *_):
        assert lib.GeEngineUnload(self.name) == 0


class Own(Ticks):
    """The same with y = f(inputs) of one shape."""

    def __init__(self, types, f):
        super().__init__(types)
        self.name = ffi.new("char[]", ("Own_" + "_".join(types)).encode())
        self.table.name = self.table.version = self.name

        @ffi.callback("GeStatus(void *, const GeOpDesc *, const GeKernelEnv *, GeKernel *)")
        def create(_engine, op, _env, out):
            name, inputs = ffi.string(op.type).decode(), op.input_count
            count = int(np.prod([op.outputs[0].dims[d] for d in range(op.outputs[0].rank)]))

            @ffi.callback("GeStatus(void *, const GeKernelArgs *)")
            def run(_state, args):
                self.runs[name] += 1
                given = [np.frombuffer(ffi.buffer(args.inputs[i], 4 * count), np.float32) for i in range(inputs)]
                np.frombuffer(ffi.buffer(args.outputs[0], 4 * count), np.float32)[:] = f(*given)
                return 0

            self.keep.append(run)
            out.run = run
            return 0

        self.table.create_kernel = create
        self.keep.append(create)


def run(make, value=(1.0, 2.0), runs=1):
    """The outputs of a graph of one input in each run."""
    builder = GraphBuilder("traits")
    x = builder.create_input(0, data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=[len(value)])
    graph = builder.build_and_reset(make(builder, x))
    model = ge.load(graph, options={"threads": 1})
    name = model.inputs[0].name
    return [list(model.run({name: np.array(value, np.float32)}).values()) for _ in range(runs)]


def test_traits_of_built_in_operators():
    assert ge.op_traits("L2Normalize") == {"PURE", "FOLDABLE"}
    assert ge.op_traits("DSAGenBitMask") == {"RANDOM"}
    assert ge.op_traits("HcomAllReduce") == {"EFFECT"}
    assert {"ELEMENTWISE", "FUSED", "COMMUTATIVE", "IN_PLACE"} <= ge.op_traits("Add")
    with pytest.raises(GeError, match="NoSuchOperator"):
        ge.op_traits("NoSuchOperator")


def test_what_contradicts_itself_is_refused():
    with pytest.raises(ValueError, match="PyWrong.*RANDOM and FOLDABLE"):
        ge.set_op_traits("PyWrong", "RANDOM", "FOLDABLE")
    with pytest.raises(ValueError, match="PyWrong: unknown traits PURER; there are"):
        ge.set_op_traits("PyWrong", "PURER")
    ge.set_op_traits("PyMine", "PURE")
    assert ge.op_traits("PyMine") == {"PURE"}
    with pytest.raises(ValueError, match="PyMine: EFFECT after PURE"):
        ge.set_op_traits("PyMine", "EFFECT")


def test_own_operators_do_what_was_said():
    ge.set_op_traits("Abs", "PURE")
    ge.set_op_traits("Exp", "PURE", "FOLDABLE")
    ge.set_op_traits("Sqrt", "RANDOM")
    with Ticks(["Neg", "Abs", "Exp", "Sign", "Sqrt"]) as ticks:
        # Nothing said: two equal nodes stay two, one that nobody reads stays, and a constant is not folded.
        def unknown(builder, x):
            Neg(Neg(x))
            return [Sign(x), Sign(x), Sign(builder.create_const_float([5.0, 6.0]))]

        first, second = run(unknown, runs=2)
        assert ticks.runs["Neg"] == 4 and ticks.runs["Sign"] == 6
        assert first[0][0] != first[1][0] and second[0][0] != first[0][0]

        # PURE: equal nodes become one, an unread one goes.
        def pure(builder, x):
            Abs(Abs(x))
            return [Abs(x), Abs(x), Abs(builder.create_const_float([5.0, 6.0]))]

        (outputs,) = run(pure)
        assert ticks.runs["Abs"] == 2
        np.testing.assert_array_equal(outputs[0], outputs[1])

        # FOLDABLE: its kernel computes it once, when the model is compiled.
        outputs = run(lambda builder, x: [Exp(builder.create_const_float([5.0, 6.0])), Neg(x)], runs=3)
        assert ticks.runs["Exp"] == 1
        assert all(list(o[0]) == [51, 61] for o in outputs)

        # RANDOM: nothing is merged or folded, but an unread node goes.
        def random(builder, x):
            Sqrt(x)
            return [Sqrt(x), Sqrt(x), Sqrt(builder.create_const_float([5.0, 6.0]))]

        run(random)
        assert ticks.runs["Sqrt"] == 3
    # Without the engine the library's own operators are back.
    (outputs,) = run(lambda _builder, x: [Neg(x)])
    assert list(outputs[0]) == [-1, -2]


def test_an_own_operator_in_a_branch_keeps_it():
    from ge.es.all import If

    def branch(name, with_tick):
        inner = GraphBuilder(name)
        x = inner.create_input(0)
        if with_tick:
            Neg(x)
        return inner.build_and_reset([Add(x, x)])

    with Ticks(["Neg"]) as ticks:

        def make(builder, x):
            condition = builder.create_scalar_int32(1)
            If(condition, [x], 1, branch("then", True), branch("else", False))
            return [Abs(x)]

        run(make)
        assert ticks.runs["Neg"] == 1


def nodes_after(make):
    builder = GraphBuilder("traits")
    x = builder.create_input(0, data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=[2])
    y = builder.create_input(1, data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=[2])
    model = ge.load(builder.build_and_reset(make(x, y)), options={"threads": 1})
    return [row["type"] for row in model.placement()]


def test_swapped_operands_of_a_commutative_operator():
    assert nodes_after(lambda x, y: [Add(x, y), Add(y, x)]) == ["Add"]
    from ge.es.math import Sub

    assert nodes_after(lambda x, y: [Sub(x, y), Sub(y, x)]) == ["Sub", "Sub"]


def test_a_normalisation_is_not_random():
    assert nodes_after(lambda x, y: [L2Normalize(x, axis=[0]), L2Normalize(x, axis=[0])]) == ["L2Normalize"]


def test_exponentials_of_another_base():
    """The vector engine has the natural ones only."""
    x = np.array([1.0, 2.0], np.float32)
    (outputs,) = run(lambda _builder, v: [Exp(v, base=2.0), Exp(v, scale=3.0)])
    np.testing.assert_allclose(outputs[0], 2.0**x, rtol=1e-6)
    np.testing.assert_allclose(outputs[1], np.exp(3.0 * x), rtol=1e-6)


def run_two(make, x=(1.0, 2.0), y=(10.0, 20.0), **options):
    """The outputs of a graph of two inputs."""
    builder = GraphBuilder("traits")
    inputs = [builder.create_input(i, data_type=DataType.DT_FLOAT, format=Format.FORMAT_ND, shape=[len(x)]) for i in range(2)]
    model = ge.load(builder.build_and_reset(make(builder, *inputs)), options={"threads": 1, **options})
    names = [port.name for port in model.inputs]
    return list(model.run({names[0]: np.float32(x), names[1]: np.float32(y)}).values())


def test_an_own_operator_beside_one_that_the_library_made():
    """1 / v becomes the library's Reciprocal; the program has a Reciprocal of its own."""
    from ge.es.math import RealDiv, Reciprocal

    ge.set_op_traits("Reciprocal", "PURE")
    with Own(["Reciprocal"], lambda x: x + 1000) as own:
        options = {"passes.disable": "FuseElementwise"}
        one = lambda builder: builder.create_scalar_float(1.0)  # noqa: E731
        got = run_two(lambda b, x, y: [Reciprocal(x), RealDiv(one(b), x)], **options)  # equal but for the kernel
        np.testing.assert_array_equal(got, np.float32([[1001, 1002], [1, 0.5]]))
        got = run_two(lambda b, x, y: [Reciprocal(x), RealDiv(one(b), y)], **options)  # of equal shapes
        np.testing.assert_array_equal(got[0], np.float32([1001, 1002]))
        np.testing.assert_allclose(got[1], np.float32([0.1, 0.05]), rtol=1e-6)
        assert own.runs["Reciprocal"] == 2


def test_fused_comes_with_an_opcode():
    with pytest.raises(ValueError, match="traits of PyFused: fused_opcode is 0, FUSED needs one of GeFusedOpcode"):
        ge.set_op_traits("PyFused", "PURE", "ELEMENTWISE", "FUSED")
    with pytest.raises(ValueError, match="PyFused: unknown opcode 'ADDER'; there are ABS, ADD, "):
        ge.set_op_traits("PyFused", "PURE", "ELEMENTWISE", "FUSED", opcode="ADDER")
    with pytest.raises(ValueError, match="PyFused: unknown control_flow 'WHEN'; there are CALL, "):
        ge.set_op_traits("PyFused", "PURE", control_flow="WHEN")
    with pytest.raises(ValueError, match="traits of Xlogy: control_flow 1 needs the subgraph 'then_branch'"):
        ge.set_op_traits("Xlogy", "PURE", control_flow="IF")


def test_an_own_operator_in_a_fused_loop_reads_its_inputs():
    """The library's LeakyRelu has one input and a slope as attribute; this one has two inputs."""
    from ge.es.math import Xdivy

    ge.set_op_traits("Xdivy", "PURE", "ELEMENTWISE", "FUSED", opcode="LEAKY_RELU")
    with Own(["Xdivy"], lambda a, b: np.where(a > 0, a, a * b)) as own:
        (got,) = run_two(lambda _b, x, y: [Neg(Xdivy(Neg(x), y))])
        np.testing.assert_array_equal(got, np.float32([10, 40]))
        assert own.runs["Xdivy"] == 0  # the loop computed it


def test_a_view_of_another_type():
    from ge.es.all import Bitcast, Reshape

    ge.set_op_traits("Bitcast", "PURE", "VIEW")
    with Own(["Bitcast"], lambda a: a):
        (got, _) = run_two(
            lambda b, x, y: [Reshape(Bitcast(x, type=DataType.DT_INT32), b.create_const_int64([2, 1])), Add(x, y)]
        )
        np.testing.assert_array_equal(got, np.float32([[1], [2]]).view(np.int32))
        (got, _) = run_two(
            lambda b, x, y: [Reshape(Bitcast(x, type=DataType.DT_INT16), b.create_const_int64([4, 1])), Add(x, y)]
        )
        np.testing.assert_array_equal(got, np.float32([1, 2]).view(np.int16).reshape(4, 1))
