"""Rules of patterns: graphs that match with them, and graphs that do not."""

import pytest
from pass_kit import STAGE, placed

import ge
from ge import passes
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, ConcatV2, LeakyRelu, Mul, Neg, Relu, Sigmoid, Sub
from ge.graph import DataType
from ge.passes import Pattern
from ge.transform import find


def graph(make, count=1, shape=(2, 4), dtype=DataType.DT_FLOAT):
    builder = GraphBuilder("g")
    inputs = [builder.create_input(i, name=f"x{i}", data_type=dtype, shape=list(shape)) for i in range(count)]
    return builder.build_and_reset([make(*inputs)])


def matches(make, target, rules=lambda p, out, *inputs: None, count=1, config=None):
    """How often a pattern is found; `rules` is called with the pattern, its output and its inputs."""
    builder = GraphBuilder("pattern")
    inputs = [builder.create_input(i) for i in range(count)]
    out = make(*inputs)
    pattern = Pattern(builder.build_and_reset([out]))
    assert rules(pattern, out, *inputs) in (None, pattern)
    return sum(1 for _ in find(pattern, ge.transform.InferShape()(target), config))


def test_commutative():
    def pattern(a, b):
        return Add(a, Relu(b))

    swapped = graph(lambda a, b: Add(Relu(a), b), 2)
    assert matches(pattern, swapped, count=2) == 0
    assert matches(pattern, swapped, lambda p, out, a, b: p.set_commutative(out), 2) == 1
    assert matches(pattern, graph(lambda a, b: Sub(Relu(a), b), 2), lambda p, out, a, b: p.set_commutative(out), 2) == 0


def test_types():
    def rules(p, out, x):
        return p.add_types(out, ["Sigmoid", "Abs"])

    assert [matches(Relu, graph(op), rules) for op in (Relu, Sigmoid, Abs, Neg)] == [1, 1, 1, 0]
    assert matches(Relu, graph(Abs)) == 0


def test_optional():
    def pattern(x):
        pattern.neg = Neg(x)
        return Relu(pattern.neg)

    assert matches(pattern, graph(Relu)) == 0
    assert matches(pattern, graph(Relu), lambda p, out, x: p.set_optional(pattern.neg)) == 1
    assert matches(pattern, graph(lambda x: Relu(Neg(x))), lambda p, out, x: p.set_optional(pattern.neg, 0)) == 1
    with pytest.raises(RuntimeError, match="Pattern.set_optional: "):
        matches(pattern, graph(Relu), lambda p, out, x: p.set_optional(pattern.neg, 1))


def test_dynamic():
    def concat(*x):
        return ConcatV2(list(x), x[0].get_owner_builder().create_scalar_int32(0), N=len(x))

    three = graph(concat, 3)
    with pytest.raises(Exception, match="dynamic"):
        matches(concat, three, count=2)
    assert matches(concat, three, lambda p, out, *x: p.set_dynamic(out), 3) == 1
    assert matches(concat, three, lambda p, out, *x: p.set_dynamic(out), 2) == 0


def test_alternatives():
    builder = GraphBuilder("pattern")
    x = builder.create_input(0)
    neg, also = Neg(x), Abs(x)
    out = Relu(neg)
    pattern = Pattern(builder.build_and_reset([out]))
    pattern.add_alternative(neg, also)
    target = graph(lambda x: Add(Relu(Neg(x)), Add(Relu(Abs(x)), Relu(Sigmoid(x)))))
    assert sum(1 for _ in find(pattern, target)) == 2


def test_alternatives_in_a_circle():
    builder = GraphBuilder("circle")
    x = builder.create_input(0)
    relu, also = Relu(x), Abs(x)
    pattern = Pattern(builder.build_and_reset([Neg(relu)]))
    pattern.add_alternative(relu, also).add_alternative(also, relu)
    with pytest.raises(Exception, match="pattern 'circle': alternatives .* lead round in a circle: Relu .*, Abs .*, Relu "):
        list(find(pattern, graph(lambda x: Neg(Sigmoid(x)))))


def test_many_operands_in_any_order():
    def total(first, *rest):
        """A flat tree of sums, of which one part is another operator."""
        parts, total.sums = [*(Neg(x) for x in rest), first], []
        while len(parts) > 1:
            parts = [Add(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
            total.sums += parts
        return parts[0]

    def rules(p, out, *inputs):
        for node in total.sums:
            p.set_commutative(node)

    def pattern(*x):
        return total(Abs(x[0]), *x[1:])

    for op, expected in ((Sigmoid, 0), (Abs, 1)):
        assert matches(pattern, graph(lambda *x, op=op: total(op(x[0]), *x[1:]), 32), rules, 32) == expected


def test_inputs_behind_a_dynamic_port():
    def concat(*x, dim=0):
        concat.axis = x[0].get_owner_builder().create_scalar_int32(dim)
        return ConcatV2(list(x), concat.axis, N=len(x))

    def rules(p, out, *x):
        return p.set_dynamic(out, True).require_constant(concat.axis, 0, 0)

    assert matches(concat, graph(concat, 3), rules, 2) == 1
    assert matches(concat, graph(lambda *x: concat(*x, dim=1), 3), rules, 2) == 0
    assert matches(concat, graph(concat, 1), rules, 2) == 0


def test_a_missing_node_with_an_input_of_its_own(registry):
    class Own(passes.PatternFusionPass):
        @passes.pattern
        def own(self, inputs):
            total = Add(Neg(inputs[0]), inputs[1])
            inputs.set_optional(total, 0)
            return Relu(total)

        def replacement(self, inputs):
            return Sub(inputs[1], inputs[0])

    passes.register_fusion_pass(name="Own", stage=STAGE)(Own)

    def compiled(make, count):
        return ge.load(graph(make, count), {"opt_level": 0})

    assert placed(compiled(lambda x, y: Relu(Add(Neg(x), y)), 2)) == ["Sub"]
    alone = compiled(lambda x: Relu(Neg(x)), 1)
    assert sorted(placed(alone)) == ["Neg", "Relu"]
    (rule,) = [r for p in alone.report()["passes"] if p["name"] == "Own" for r in p["rules"].values()]
    assert (rule["applied"], rule["declined"]) == (0, 1)
    assert "nothing in the match reads input 1 of the pattern: Add " in rule["last_refusal"]
    assert rule["last_refusal"].endswith(" is missing")
    (miss,) = ge.transform.why_not("Own", graph(lambda x: Relu(Neg(x)), 1))
    assert miss.constraint == "arity" and miss.expected == "a node that reads input 1 of the pattern"
    assert miss.pattern_node.startswith("Add ") and miss.actual.endswith(" is missing")


def test_why_not_names_what_is_not_there(registry):
    class Sums(passes.PatternFusionPass):
        @passes.pattern
        def sums(self, inputs):
            return Add(Neg(inputs[0]), Abs(inputs[1]))

        def replacement(self, inputs):
            return Sub(inputs[1], inputs[0])

    passes.register_fusion_pass(name="Sums", stage=STAGE)(Sums)
    target = graph(lambda x, y: Add(Neg(x), Sigmoid(y)), 2)
    names = {node.type: node.name for node in target.get_all_nodes()}
    for node in (None, names["Add"], names["Sigmoid"]):
        miss = ge.transform.why_not("Sums", target, node)[0]
        assert (miss.constraint, miss.expected) == ("operator", "Abs")
        assert miss.actual == f"Sigmoid '{names['Sigmoid']}'"
    (miss,) = ge.transform.why_not("Sums", graph(Relu), "x0")
    assert (miss.constraint, miss.expected, miss.actual) == ("operator", "Add", "Data 'x0'")


def test_dtypes_shapes_attributes():
    target = graph(Relu)
    for types, expected in (([DataType.DT_FLOAT], 1), ([DataType.DT_FLOAT16, DataType.DT_FLOAT], 1), ([DataType.DT_INT32], 0)):
        assert matches(Relu, target, lambda p, out, x, t=types: p.require_dtypes(out, t)) == expected
        assert matches(Relu, target, lambda p, out, x, t=types: p.require_dtypes(x, t)) == expected
    for dims, expected in (([2, 4], 1), ([-1, 4], 1), ([2, 5], 0), ([2], 0)):
        assert matches(Relu, target, lambda p, out, x, dims=dims: p.require_shape(out, dims)) == expected
    leaky = graph(lambda x: LeakyRelu(x, negative_slope=0.25))
    for value, expected in ((0.25, 1), (0.5, 0)):
        found = matches(LeakyRelu, leaky, lambda p, out, x, v=value: p.require_attr(out, "negative_slope", v))
        assert found == expected


def test_constants():
    def pattern(x, y):
        return Mul(x, y)

    target = graph(lambda x: x * x.get_owner_builder().create_const_float([2.0, 2.0001, 2.0, 2.0], [4]))
    for value, tolerance, expected in ((2, 1e-3, 1), (2, 1e-6, 0), (3, 1e-3, 0)):
        found = matches(pattern, target, lambda p, out, x, y, v=value, t=tolerance: p.require_constant(y, v, t), 2)
        assert found == expected


@pytest.mark.parametrize("wanted", [float("inf"), float("-inf")])
def test_nothing_but_itself_is_near_an_infinity(wanted):
    for value in (1.0, 0.0, 3e38, -wanted, float("nan"), wanted):
        target = graph(lambda x, v=value: x * x.get_owner_builder().create_scalar_float(v))
        found = matches(lambda x, y: Mul(x, y), target, lambda p, out, x, y: p.require_constant(y, wanted, 1e-3), 2)
        assert found == (value == wanted), value


def test_in_expressions(registry):
    class Half(passes.PatternFusionPass):
        @passes.pattern
        def half(self, inputs):
            product = Mul(inputs[0], inputs[1])
            inputs.set_commutative(product).require_constant(inputs[1], 1.0, 1e-3).require_dtypes(product, [DataType.DT_FLOAT])
            return product

        def replacement(self, inputs):
            return inputs[0]

    passes.register_fusion_pass(name="Half", stage=STAGE)(Half)

    def compiled(value, first=False):
        def make(x):
            c = x.get_owner_builder().create_scalar_float(value)
            return Relu(Mul(c, x) if first else Mul(x, c))

        return placed(ge.load(graph(make), {"opt_level": 0}))

    assert "Mul" not in compiled(1.0005) + compiled(1.0005, first=True)
    assert "Mul" in compiled(1.5)


def test_errors(registry):
    builder = GraphBuilder("pattern")
    x = builder.create_input(0)
    out = Relu(x)
    other = Relu(GraphBuilder("other").create_input(0))
    pattern = Pattern(builder.build_and_reset([out]))
    with pytest.raises(RuntimeError, match="set_commutative: .* is of graph 'other', the pattern's is 'pattern'"):
        pattern.set_commutative(other)
    with pytest.raises(RuntimeError, match="has 1 inputs, expected at least 2"):
        pattern.set_commutative(out)
    with pytest.raises(TypeError, match="add_types: types must be a list of strings"):
        pattern.add_types(out, "Abs")
    with pytest.raises(RuntimeError, match="'Sigmoyd'.*did you mean .*'?Sigmoid"):
        pattern.add_types(out, ["Abs", "Sigmoyd"])
    with pytest.raises(TypeError, match="require_shape: dims must be integers, got 'a'"):
        pattern.require_shape(out, ["a"])
    with pytest.raises(RuntimeError, match="require_dtypes: "):
        pattern.require_dtypes(out, [])
    with pytest.raises(RuntimeError, match="data type 1 is 9999, which no data type has"):
        pattern.require_dtypes(out, [DataType.DT_FLOAT, 9999])
    with pytest.raises(RuntimeError, match="extent 1 is -2, expected 0 or more, or -1 for any"):
        pattern.require_shape(out, [2, -2])
    with pytest.raises(RuntimeError, match="require_constant: "):
        pattern.require_constant(x, float("nan"))
    with pytest.raises(RuntimeError, match="require_constant: "):
        pattern.require_constant(x, 1.0, -1)
    with pytest.raises(TypeError, match="set_optional expects a TensorHolder, a Node"):
        pattern.set_optional("Relu")
    with pytest.raises(TypeError, match="require_attr: name must be a string"):
        pattern.require_attr(out, 1, 2)
    pattern.release()
    with pytest.raises(RuntimeError, match="released"):
        pattern.set_commutative(out)

    class Wrong(passes.PatternFusionPass):
        @passes.pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, inputs):
            inputs.set_commutative(inputs[0])
            return inputs[0]

    passes.register_fusion_pass(name="Wrong", stage=STAGE)(Wrong)
    with pytest.raises(Exception, match="a replacement has no rules"):
        ge.load(graph(Relu))
