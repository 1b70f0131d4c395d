"""Why rules do not match: each kind of constraint, code that says no, passes that are not let run, and wrong arguments."""

import pytest
from pass_kit import STAGE

import ge
from ge import passes
from ge.error import GeError
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, LeakyRelu, Mul, Neg, Relu, Sigmoid
from ge.graph import DataType
from ge.passes import PassSkipException, PassStage, PatternFusionPass, PatternMatcherConfigBuilder
from ge.transform import PassContext, Sequential, get_pass, module_pass, why_not

pytestmark = pytest.mark.usefixtures("registry")


def graph(make, count=1, shape=(2,)):
    builder = GraphBuilder("net")
    made = make(*(builder.create_input(i, name=f"x{i}", shape=list(shape)) for i in range(count)))
    return builder.build_and_reset(made if isinstance(made, list) else [made])


def rule(pattern, name="Rule", replace=None, meet=None, stage=STAGE, values=False):
    """Registers a pattern pass; its matches become their first input."""

    class Made(PatternFusionPass):
        def __init__(self):
            super().__init__(PatternMatcherConfigBuilder().enable_const_value_match().build() if values else None)

        p = passes.pattern(pattern)

        def replacement(self, inputs):
            return replace(inputs) if replace else inputs[0]

        if meet:

            def meet_requirements(self, match):
                return meet(match)

    Made.__name__ = Made.__qualname__ = name
    return passes.register_fusion_pass(name=name, stage=stage)(Made)


def relu_of_abs(self, inputs):
    return Relu(Abs(inputs[0]))


def named(graph, type):
    (node,) = [n for n in graph.get_direct_nodes() if n.type == type]
    return f"{type} '{node.name}'"


def one(name, target, **arguments):
    (miss,) = why_not(name, target, **arguments)
    return miss


# ---- constraints that are data ----


def test_operator():
    rule(relu_of_abs)
    target = graph(lambda x: Relu(Sigmoid(x)))
    miss = one("Rule", target)
    assert (miss.constraint, miss.expected) == ("operator", "Abs")
    assert miss.pattern_node.startswith("Abs ") and miss.node == miss.actual == named(target, "Sigmoid")
    assert miss.root == named(target, "Relu")


def test_arity():
    from ge.es.all import MatMulV2

    rule(lambda self, i: MatMulV2(i[0], i[1]))
    target = graph(lambda x, y, bias: MatMulV2(x, y, bias), 3, (2, 2))
    miss = one("Rule", target)
    assert (miss.constraint, miss.actual) == ("arity", "connected")
    assert miss.expected == "input 2 as in the pattern"
    assert miss.pattern_node.startswith("MatMulV2 ") and miss.node == named(target, "MatMulV2")


def test_position():
    rule(lambda self, i: Mul(i[0], Relu(i[0])))
    target = graph(lambda x, y: Mul(x, Relu(y)), 2)
    miss = one("Rule", target)
    assert miss.constraint == "position" and miss.expected == "output 0 of Data 'x0'" and miss.actual == "output 0 of Data 'x1'"
    assert miss.pattern_node.startswith("Data ") and miss.node == "Data 'x1'"


def test_dtype():
    def pattern(self, inputs):
        inputs.require_dtypes(result := relu_of_abs(self, inputs), [DataType.DT_FLOAT16])
        return result

    rule(pattern)
    miss = one("Rule", graph(lambda x: Relu(Abs(x))))
    assert (miss.constraint, miss.expected, miss.actual) == ("dtype", "DT_FLOAT16", "DT_FLOAT")
    assert miss.pattern_node.startswith("Relu ") and miss.node == miss.root


def test_shape():
    def pattern(self, inputs):
        inputs.require_shape(result := relu_of_abs(self, inputs), [3])
        return result

    rule(pattern, stage=PassStage.AFTER_INFER_SHAPE)
    miss = one("Rule", graph(lambda x: Relu(Abs(x))))
    assert (miss.constraint, miss.expected, miss.actual) == ("shape", "[3]", "[2]")


def test_attribute():
    def pattern(self, inputs):
        inputs.require_attr(result := LeakyRelu(Abs(inputs[0])), "negative_slope", 0.5)
        return result

    rule(pattern)
    miss = one("Rule", graph(lambda x: LeakyRelu(Abs(x), negative_slope=0.25)))
    assert (miss.constraint, miss.expected, miss.actual) == ("attribute", "negative_slope = 0.500000", "0.250000")


def test_constant():
    rule(lambda self, i: i[0] * i[0].get_owner_builder().create_scalar_float(1.0), values=True)
    target = graph(lambda x: x * x.get_owner_builder().create_scalar_float(2.0))
    miss = one("Rule", target)
    assert miss.constraint == "constant" and miss.expected.endswith(" of 1") and miss.actual.endswith(" of 2")
    assert miss.pattern_node.startswith("Const ") and miss.node == named(target, "Const")


def test_reader_outside():
    rule(relu_of_abs)

    def two(x):
        inner = Abs(x)
        return [Relu(inner), Neg(inner)]

    target = graph(two)
    miss = one("Rule", target)
    assert (miss.constraint, miss.expected) == ("reader", "readers inside the match only")
    assert miss.node == named(target, "Abs") and miss.actual == named(target, "Neg")


def test_cycle():
    def pattern(self, inputs):
        inner = Abs(inputs[0])
        return [Relu(inner), Add(inner, inputs[1])]

    rule(pattern, replace=lambda inputs: [inputs[0], inputs[1]])

    def around(x):
        inner = Abs(x)
        return Add(inner, Sigmoid(Relu(inner)))

    miss = one("Rule", graph(around))
    assert miss.constraint == "cycle" and miss.pattern_node.startswith("Relu ") and miss.node.startswith("Relu ")


# ---- code that says no ----


def test_predicate_that_returns():
    target = graph(lambda x: Relu(Abs(x)))
    for name, said, actual in (("A", False, "False"), ("B", None, "None"), ("C", [], "an empty list")):
        rule(relu_of_abs, name, meet=lambda match, said=said: said)
        miss = one(name, target)
        assert (miss.constraint, miss.expected) == ("predicate", f"{name}.meet_requirements")
        assert miss.actual == f"returned {actual}" and miss.traceback == ""
        assert miss.pattern_node.startswith("Relu ") and miss.node == miss.root == named(target, "Relu")


@pytest.mark.parametrize("error", [ZeroDivisionError, PassSkipException])
def test_predicate_that_raises(error):
    def meet(match):
        raise error("of a hook")

    rule(relu_of_abs, meet=meet)
    miss = one("Rule", graph(lambda x: Relu(Abs(x))))
    assert (miss.constraint, miss.expected) == ("predicate", "Rule.meet_requirements")
    assert miss.actual.endswith(f"{error.__name__}: of a hook")
    assert "Traceback" in miss.traceback and "in meet" in miss.traceback


def test_predicate_that_says_yes_after_an_error_of_its_own():
    def meet(match):
        with pytest.raises(GeError):
            get_pass("Relo")
        return True

    rule(relu_of_abs, meet=meet)
    assert why_not("Rule", graph(lambda x: Relu(Abs(x)))) == []


def test_replacement_that_skips():
    def replace(inputs):
        raise PassSkipException("not today")

    rule(relu_of_abs, replace=replace)
    miss = one("Rule", graph(lambda x: Relu(Abs(x))))
    assert (miss.constraint, miss.expected) == ("predicate", "Rule.replacement")
    assert miss.actual.endswith("PassSkipException: not today") and "in replace" in miss.traceback
    assert miss.pattern_node.startswith("Relu ") and miss.node == miss.root


def test_can_fuse_in_a_predicate():
    def meet(match):
        nodes = match.get_matched_nodes()
        nodes[0].set_attr("_user_stream_label", "a")
        nodes[1].set_attr("_user_stream_label", "b")
        return passes.can_fuse(nodes).ok

    rule(relu_of_abs, meet=meet)
    miss = one("Rule", graph(lambda x: Relu(Abs(x))))
    assert (miss.constraint, miss.expected) == ("predicate", "Rule.meet_requirements")
    assert miss.actual.startswith("returned False; can_fuse: ") and "_user_stream_label" in miss.actual


def test_can_fuse_in_code():
    class Code(passes.FusionBasePass):
        def run(self, graph, context):
            nodes = {n.type: n for n in graph.get_direct_nodes()}
            assert not passes.can_fuse([nodes["Abs"], nodes["Add"]]).ok

    passes.register_fusion_pass(name="Code", stage=STAGE)(Code)

    def around(x):
        inner = Abs(x)
        return Add(inner, Sigmoid(inner))

    miss = one("Code", graph(around))
    assert (miss.rule, miss.constraint, miss.expected) == ("Code", "cycle", "can_fuse")
    assert miss.node.startswith("Abs ") and "cycle" in miss.actual


def test_patterns_that_raise():
    class Broken(PatternFusionPass):
        def patterns(self):
            raise KeyError("lost")

        def replacement(self, match):
            raise AssertionError

    passes.register_fusion_pass(name="Broken", stage=STAGE)(Broken)
    miss = one("Broken", graph(Relu))
    assert (miss.constraint, miss.expected, miss.actual) == ("predicate", "Broken.patterns", "KeyError: 'lost'")
    assert "in patterns" in miss.traceback


def test_decomposition():
    @passes.register_decompose_pass(name="Split", stage=STAGE, op_types=["Abs"])
    class Split(passes.DecomposePass):
        def meet_requirements(self, node):
            return False

        def replacement(self, node):
            raise AssertionError

    target = graph(lambda x: Relu(Abs(x)))
    miss = one("Split", target)
    assert (miss.rule, miss.constraint, miss.pattern_node) == ("Abs", "predicate", "Abs")
    assert (miss.expected, miss.actual) == ("Split.meet_requirements", "returned False")
    assert miss.node == miss.root == named(target, "Abs")
    (relu,) = [n for n in target.get_direct_nodes() if n.type == "Relu"]
    miss = one("Split", target, node=relu)
    assert (miss.constraint, miss.expected, miss.actual) == ("operator", "Abs", named(target, "Relu"))
    miss = one("Split", graph(Relu))
    assert (miss.constraint, miss.expected, miss.actual) == ("operator", "Abs", "the graph has none")


def test_code_that_tells_nothing():
    @module_pass(opt_level=0, name="idle")
    def idle(mod, ctx):
        return mod

    target = graph(lambda x: Relu(Abs(x)))
    miss = one(idle, target)
    assert (miss.rule, miss.constraint) == ("idle", "predicate")
    assert "changed nothing" in miss.actual

    @module_pass(opt_level=0, name="busy")
    def busy(mod, ctx):
        mod.set_attr("touched", True)
        return get_pass("DeadCode")(graph(lambda x: Relu(Neg(x))))

    assert why_not(busy, target) == []


def test_code_that_tells():
    class Wide(passes.FusionBasePass):
        def run(self, graph, context):
            for node in graph.get_direct_nodes():
                if node.type == "Relu":
                    context.refuse("a wide node", "two elements", node)
            with pytest.raises(TypeError, match="node must be a Node or None, got str"):
                context.refuse("a", "b", "relu")

    passes.register_fusion_pass(name="Wide", stage=STAGE)(Wide)
    target = graph(lambda x: Relu(Abs(x)))
    miss = one("Wide", target)
    assert (miss.constraint, miss.pattern_node, miss.expected, miss.actual) == (
        "predicate",
        "Relu",
        "a wide node",
        "two elements",
    )
    assert miss.node == miss.root == named(target, "Relu")

    class Even(PatternFusionPass):
        p = passes.pattern(relu_of_abs)

        def meet_requirements(self, match, context):
            context.refuse("IsEven", "3")
            return False

        def replacement(self, inputs):
            return inputs[0]

    passes.register_fusion_pass(name="Even", stage=STAGE)(Even)
    miss = one("Even", target)
    assert (miss.constraint, miss.expected, miss.actual) == ("predicate", "IsEven", "3")
    assert ge.load(target)([1.0, -2.0]).tolist() == [1.0, 2.0]  # nobody asks


def test_a_condition_of_a_rule_of_the_library():
    from ge.es.all import HardSigmoid

    target = graph(lambda x: Mul(x, HardSigmoid(x, alpha=0.25, beta=0.5)))
    (gate,) = [n for n in target.get_direct_nodes() if n.type == "HardSigmoid"]
    miss = next(m for m in why_not("FuseSwish", target, gate) if m.rule == "HardSwish" and m.constraint == "attribute")
    assert miss.expected == "alpha = 1 / 6 and beta = 0.5" and miss.node == named(target, "HardSigmoid")
    assert miss.pattern_node.startswith("HardSigmoid (part ")


def test_a_reader_outside_a_rule_of_the_library():
    def gates(x):
        gate = Sigmoid(x)
        return [Mul(x, gate), Neg(gate)]

    target = graph(gates)
    miss = next(m for m in why_not("FuseSwish", target) if m.rule == "Swish")
    assert (miss.constraint, miss.expected) == ("reader", "readers inside the match only")
    assert miss.node == named(target, "Sigmoid") and named(target, "Neg") in miss.actual
    assert miss.pattern_node.startswith("Mul (part ")


def test_code_of_the_library():
    target = graph(lambda x: Relu(Abs(x)))
    (node,) = [n for n in target.get_direct_nodes() if n.type == "Abs"]
    assert all(m.constraint == "operator" and m.actual == named(target, "Abs") for m in why_not("FuseGelu", target, node))
    assert why_not("FuseGelu", target, node)
    miss = one("FuseSoftmax", target, node=node.name)
    assert miss.constraint == "predicate" and miss.node == named(target, "Abs")


# ---- inference ----


def shape_rule(name="Rule"):
    def pattern(self, inputs):
        inputs.require_shape(result := relu_of_abs(self, inputs), [2])
        return result

    rule(pattern, name, stage=PassStage.AFTER_INFER_SHAPE)


def test_shapes_are_inferred_before():
    shape_rule()
    target = graph(lambda x: Relu(Abs(x)))
    (node,) = [n for n in target.get_direct_nodes() if n.type == "Relu"]
    before = node.get_output_desc(0).shape
    assert why_not("Rule", target) == []
    assert why_not(Sequential([get_pass("Rule")]), target) == []
    assert why_not(Sequential([Sequential([get_pass("RemoveIdentity"), get_pass("Rule")])]), target) == []
    assert why_not(Sequential([get_pass("InferShape"), get_pass("Rule")]), target) == []
    if before is not None:
        assert node.get_output_desc(0).shape == before
    assert "Relu" in [n.type for n in target.get_direct_nodes()]
    (miss,) = why_not(Sequential([get_pass("Rule")]), graph(lambda x: Relu(Abs(x)), shape=(5,)))
    assert (miss.constraint, miss.actual) == ("shape", "[5]")


def test_passes_before_inference_see_no_shapes():
    def pattern(self, inputs):
        inputs.require_shape(result := relu_of_abs(self, inputs), [2])
        return result

    rule(pattern, stage=PassStage.BEFORE_INFER_SHAPE)
    assert one("Rule", graph(lambda x: Relu(Abs(x)))).constraint == "shape"


# ---- gates ----


class Refusing:
    def __init__(self, *names):
        self.names = names

    def should_run(self, mod, info):
        return info.name not in self.names


def test_an_instrument_that_refuses():
    rule(relu_of_abs)
    target = graph(lambda x: Relu(Abs(x)))
    with PassContext(instruments=[Refusing("Rule")]):
        miss = one("Rule", target)
        held = one(Sequential([get_pass("Rule")]), target)
    assert miss == held and (miss.rule, miss.constraint) == ("Rule", "gate")
    assert miss.actual == "should_run of instrument 'Refusing' returned False"
    with PassContext(instruments=[Refusing("Rule")], required_pass=["Rule"]):
        assert why_not("Rule", target) == []


def test_an_instrument_that_refuses_all_does_not_keep_shapes_away():
    shape_rule()
    with PassContext(instruments=[Refusing("InferShape")]):
        assert why_not("Rule", graph(lambda x: Relu(Abs(x)))) == []


def test_disabled():
    rule(relu_of_abs)
    target = graph(lambda x: Relu(Abs(x)))
    (relu,) = [n for n in target.get_direct_nodes() if n.type == "Relu"]
    for asked in ("Rule", Sequential([get_pass("Rule")])):
        with PassContext(disabled_pass=["Rule"]):
            miss = one(asked, target)
            (same,) = why_not(asked, target, node=relu)
        assert miss == same and (miss.rule, miss.constraint) == ("Rule", "gate")
        assert miss.actual.startswith("disabled: ") and "disabled_pass" in miss.actual
    with PassContext(disabled_pass=["Rule"]):  # what does not match either is told as well
        found = why_not("Rule", graph(lambda x: Relu(Neg(x))))
    assert [m.constraint for m in found] == ["gate", "operator"]


def test_level_and_shapes():
    target = graph(lambda x: Relu(Abs(x)))
    with PassContext(opt_level=0):
        assert any(m.constraint == "gate" and m.actual == "opt_level is 0" for m in why_not("FuseGelu", target))
    found = why_not("FuseElementwise", graph(lambda x: Relu(Abs(x)), shape=(-1,)))
    assert any(m.constraint == "gate" and "open shapes" in m.actual for m in found)


def test_a_graph_that_is_left_out():
    target = graph(lambda x: Relu(Abs(x)))
    target.set_attr("SkipOptimization", True)
    miss = one("FuseGelu", target)
    assert miss.constraint == "gate" and miss.actual == "graph 'net' has it" and "SkipOptimization" in miss.expected


def test_a_node_that_inference_takes_away():
    builder = GraphBuilder("net")
    x = builder.create_input(0, name="x", shape=[2])
    two = builder.create_scalar_float(2.0)
    known = Neg(two)
    target = builder.build_and_reset([Mul(x, known)])
    (node,) = [n for n in target.get_direct_nodes() if n.type == "Neg"]
    found = why_not("FuseGelu", target, node)
    assert found and "Neg" in str(found)


# ---- wrong arguments ----


def test_wrong_arguments():
    assert passes.why_not is why_not
    target = graph(Relu)
    for arguments, text in (
        ((3, target), "rule must be a Pass or the name of one, a str, got 3 of type int"),
        ((None, target), "rule must be a Pass or the name of one, a str, got None of type NoneType"),
        (("FuseGelu", 3), "graph must be a Graph, got 3 of type int"),
        (("FuseGelu", None), "graph must be a Graph, got None of type NoneType"),
        (("FuseGelu", target, 3), "node must be a Node, the name of one, a str, or None, got 3 of type int"),
    ):
        with pytest.raises(TypeError, match=f"^why_not: {text}$"):
            why_not(*arguments)
    with pytest.raises(GeError, match="there is no pass 'FuseGelo'; near names: FuseGelu"):
        why_not("FuseGelo", target)
    with pytest.raises(GeError, match="graph 'net' has no node 'x1'; near names: x0"):
        why_not("FuseGelu", target, "x1")
    with pytest.raises(Exception, match="boom"):  # what fails the pass comes out as itself
        why_not(module_pass(lambda mod, ctx: (_ for _ in ()).throw(ValueError("boom")), opt_level=0), target)


def test_all_of_them_leave_the_graph_alone():
    rule(relu_of_abs)
    target = graph(lambda x: Relu(Abs(x)))
    assert why_not("Rule", target) == []
    assert sorted(n.type for n in target.get_direct_nodes() if n.type in ("Abs", "Relu")) == ["Abs", "Relu"]
    assert ge.load(target).graph() is not None


def test_a_softmax_whose_sum_is_of_another_axis():
    from ge.es.all import Exp, RealDiv, ReduceMax, ReduceSum, Sub

    def almost(x):
        exp = Exp(Sub(x, ReduceMax(x, [1], keep_dims=True)))
        return RealDiv(exp, ReduceSum(exp, [0], keep_dims=True))

    target = graph(almost, shape=(3, 3))
    miss = next(m for m in why_not("FuseSoftmax", target) if m.constraint == "attribute")
    assert (miss.expected, miss.actual) == ("a sum over axes [1], as the maximum", "a sum over axes [0]")
    assert miss.root == named(target, "RealDiv") and miss.node == named(target, "ReduceSum")


def test_a_softmax_without_its_maximum():
    from ge.es.all import Exp, RealDiv, ReduceSum

    def almost(x):
        exp = Exp(Sigmoid(x))
        return RealDiv(exp, ReduceSum(exp, [1], keep_dims=True))

    target = graph(almost, shape=(3, 3))
    miss = next(m for m in why_not("FuseSoftmax", target) if m.constraint == "operator")
    assert (miss.expected, miss.actual, miss.node) == ("Sub", "Sigmoid", named(target, "Sigmoid"))


def test_a_convolution_that_others_read():
    from ge.es.all import BNInfer, Conv2D

    def two(x):
        builder = x.get_owner_builder()
        ones = [builder.create_const_float([1.0, 1.0], [2]) for _ in range(4)]
        conv = Conv2D(x, builder.create_const_float([1.0] * 2, [2, 1, 1, 1]), strides=[1] * 4, pads=[0] * 4, data_format="NCHW")
        return [BNInfer(conv, *ones, epsilon=1e-5), Neg(conv)]

    target = graph(two, shape=(1, 1, 3, 3))
    miss = one("FuseConvBatchNorm", target, node=named(target, "BNInfer").split("'")[1])
    assert (miss.constraint, miss.expected) == ("reader", "a convolution that it alone reads")
    assert miss.actual == f"2 nodes read {named(target, 'Conv2D')}"
    miss = one("SplitBatchNorm", target, node=named(target, "BNInfer").split("'")[1])
    assert "into which FuseConvBatchNorm folds it" in miss.actual
