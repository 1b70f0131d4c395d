"""Rewriting: decomposition passes, boundaries, replacements by hand, shapes of replacements, checks and records."""

import re

import numpy as np
import pytest
from pass_kit import STAGE, ReluPattern, chain, compile_types, function_pass, plain_options, register, types

import ge
from ge import passes
from ge._native import last_error
from ge.es import GraphBuilder
from ge.es.all import Abs, Add, Cast, ReduceSum, Relu, Relu6, Sigmoid, Split, SplitD, Sub
from ge.graph import DataType
from ge.transform import PassContext

X = np.array([-1.0, 0.5, 2.0, 9.0], np.float32)

# ---- DecomposePass ----


def relu6_of(builder_name="r"):
    builder = GraphBuilder(builder_name)
    x = builder.create_input(0)
    return builder.build_and_reset([Relu(x)])


def decompose(op_types, **body):
    cls = type("D", (passes.DecomposePass,), body)
    return passes.register_decompose_pass(name="D", stage=STAGE, op_types=op_types)(cls)


def test_nodes_of_the_types_are_replaced(registry):
    decompose(["Abs", "Sigmoid"], replacement=lambda self, node: relu6_of())
    assert compile_types(chain(Abs, Relu6, Sigmoid)) == ["Relu", "Relu", "Relu6"]
    entry = passes.report()[0]
    assert (entry["matches_tried"], entry["matches_applied"], entry["nodes_added"], entry["nodes_removed"]) == (2, 2, 2, 2)


def test_requirements_of_nodes(registry):
    seen = []

    def meet(self, node, context):
        seen.append((node.type, type(context)))
        return node.type == "Abs"

    decompose(["Abs", "Sigmoid"], meet_requirements=meet, replacement=lambda self, node: relu6_of())
    assert compile_types(chain(Abs, Sigmoid)) == ["Relu", "Sigmoid"]
    assert seen == [("Abs", passes.PassContext), ("Sigmoid", passes.PassContext)]


def test_nodes_that_a_pass_makes_are_not_visited(registry):
    def replacement(self, node):
        return chain(Abs, Abs)

    decompose(["Abs"], replacement=replacement)
    assert compile_types(chain(Abs)) == ["Abs", "Abs"]


def test_ports_that_read_one_tensor_share_an_input(registry):
    """Sub(x, x) has one input, Sub(x, y) two."""
    seen = []

    def replacement(self, node):
        count = len({node.get_in_data_nodes_and_port_indexes(i)[0].name for i in range(2)})
        seen.append(count)
        builder = GraphBuilder("r")
        inputs = builder.create_inputs(count)
        return builder.build_and_reset([Add(inputs[0], inputs[-1])])

    decompose(["Sub"], replacement=replacement)
    model = ge.load(chain(lambda x: Sub(x, x), lambda x: Sub(x, Relu(x))), {"opt_level": 0})
    assert seen == [1, 2]
    assert model(X).tolist() == (2 * X + np.maximum(2 * X, 0)).tolist()


def test_all_outputs_are_numbered(registry):
    def replacement(self, node):
        builder = GraphBuilder("r")
        x = builder.create_input(0)
        parts = Split(builder.create_scalar_int32(0), x, num_split=2, y_num=2)
        return builder.build_and_reset([parts[1], parts[0]])

    decompose(["SplitD"], replacement=replacement)

    def split(x):
        a, b = SplitD(x, split_dim=0, num_split=2, y_num=2)
        return Sub(a, b)

    assert ge.load(chain(split))(X).tolist() == (X[2:] - X[:2]).tolist()


@pytest.mark.parametrize("result", [None, 5, "x", passes.NodeIo(None)])
def test_replacements_that_are_no_graphs(registry, result):
    decompose(["Abs"], replacement=lambda self, node: result)
    with pytest.raises(ge.GeError, match="rule 'Abs': node 'Abs_.*TypeError: DecomposePass.replacement must return "):
        ge.load(chain(Abs))


@pytest.mark.parametrize("hook", ["meet_requirements", "replacement"])
def test_skipping_a_node(registry, hook):
    def skip(self, node):
        raise passes.PassSkipException("not this one")

    decompose(["Abs"], **{"replacement": lambda self, node: relu6_of(), hook: skip})
    assert compile_types(chain(Abs)) == ["Abs"]


# ---- boundaries ----


@pytest.fixture
def by_hand(registry):
    """by_hand(function, graph): runs it as FusionBasePass.run; (what it returned, the compiled model)."""

    def run(function, graph):
        results = []

        class C(passes.FusionBasePass):
            def run(self, graph, context):
                results.append(function(graph, context))

        passes.clear_registered_passes()
        passes.register_fusion_pass(name="ByHand", stage=STAGE)(C)
        model = ge.load(graph, {"opt_level": 0})
        return results[0], model

    return run


def node_of(graph, kind):
    return [n for n in graph.get_direct_nodes() if n.type == kind][0]


def boundary_of(node, inputs=((0,),)):
    """A boundary around one node: inputs[i] lists the ports that read input i."""
    boundary = passes.SubgraphBoundary()
    for i, ports in enumerate(inputs):
        assert boundary.add_input(i, passes.SubgraphInput([(node, p) for p in ports])) == 0
    assert boundary.add_output(0, passes.SubgraphOutput(node, 0)) == 0
    return boundary


def test_replacing_by_hand(by_hand):
    def rewrite(graph, context):
        replacement = chain(Abs)
        status = passes.SubgraphRewriter.replace(boundary_of(node_of(graph, "Relu")), replacement)
        assert replacement.name == "g"  # it stays the caller's
        return status, types(graph)

    (status, now), model = by_hand(rewrite, chain(Relu, Sigmoid))
    assert status == 0 and now == ["Abs", "Sigmoid"]
    assert np.allclose(model(X), 1 / (1 + np.exp(-np.abs(X))))


def test_replacing_with_a_context(by_hand):
    def rewrite(graph, context):
        return passes.SubgraphRewriter.replace(boundary_of(node_of(graph, "Relu")), chain(Abs), context=context)

    result, model = by_hand(rewrite, chain(Relu))
    assert result is None and "Abs" in str(model.placed_graph())
    assert passes.report()[0]["matches_applied"] == 1
    entry = [p for p in model.report()["passes"] if p["name"] == "ByHand"][0]
    assert entry["applied"] == 1


def test_one_input_of_several_ports(by_hand):
    def rewrite(graph, context):
        return passes.SubgraphRewriter.replace(boundary_of(node_of(graph, "Add"), [(0, 1)]), chain(Abs))

    status, model = by_hand(rewrite, chain(lambda x: Add(x, x)))
    assert status == 0 and model(X).tolist() == np.abs(X).tolist()


def test_replacements_that_do_not_fit(by_hand):
    def rewrite(graph, context):
        two = GraphBuilder("two")
        both = two.create_inputs(2)
        wide = two.build_and_reset([Add(both[0], both[1])])
        boundary = boundary_of(node_of(graph, "Relu"))
        status = passes.SubgraphRewriter.replace(boundary, wide)
        text = f"SubgraphRewriter::Replace with context failed, pass_name=ByHand, status={status}"
        with pytest.raises(RuntimeError, match=f"^{re.escape(text)}$") as caught:
            passes.SubgraphRewriter.replace(boundary, wide, context=context)
        assert "has 2 inputs" in caught.value.reason
        return status, context.get_error_message() == text, types(graph)

    (status, is_said, now), _ = by_hand(rewrite, chain(Relu))
    assert status not in (0, None) and is_said and now == ["Relu"]


def test_slots(by_hand):
    def slots(graph, context):
        node = node_of(graph, "Relu")
        boundary = boundary_of(node)
        port = passes.SubgraphInput([(node, 0)])
        return [
            boundary.add_input(0, port),
            boundary.add_input(-1, port),
            boundary.add_input(2**70, port),
            boundary.add_input(1, passes.SubgraphInput()),
            boundary.add_output(0, passes.SubgraphOutput(node, 0)),
            boundary.add_output(-1, passes.SubgraphOutput(node, 0)),
            boundary.add_output(1, passes.SubgraphOutput()),
            passes.SubgraphInput().add_input(node, 1),
            passes.SubgraphInput().add_input(node, -1),
            passes.SubgraphOutput().set_output(node, 1),
        ]

    statuses, _ = by_hand(slots, chain(Relu))
    assert all(status != 0 for status in statuses)


def test_ports_are_added_one_by_one(by_hand):
    def rewrite(graph, context):
        node = node_of(graph, "Add")
        ports, output, boundary = passes.SubgraphInput(), passes.SubgraphOutput(), passes.SubgraphBoundary()
        statuses = [ports.add_input(node, 0), ports.add_input(node, 1), output.set_output(node, 0)]
        statuses += [boundary.add_input(0, ports), boundary.add_output(0, output)]
        return [*statuses, passes.SubgraphRewriter.replace(boundary, chain(Abs))]

    statuses, _ = by_hand(rewrite, chain(lambda x: Add(x, x)))
    assert statuses == [0] * 6


def test_ports_of_an_input_read_one_tensor(by_hand):
    def rewrite(graph, context):
        sub = node_of(graph, "Sub")
        ports = passes.SubgraphInput([(sub, 0)])
        assert ports.add_input(sub, 1) != 0 and "reads another tensor" in last_error()
        with pytest.raises(RuntimeError, match="Failed to add an input"):
            passes.SubgraphInput([(sub, 0), (sub, 1)])
        boundary = passes.SubgraphBoundary()
        assert boundary.add_input(0, ports) == 0 and repr(boundary) == "<SubgraphBoundary with 1 inputs and 0 outputs>"
        assert boundary.add_output(0, passes.SubgraphOutput(sub, 0)) == 0
        status = passes.SubgraphRewriter.replace(boundary, chain(Sigmoid))
        return status, last_error(), types(graph)

    builder = GraphBuilder("g")
    x, y = builder.create_inputs(2)
    (status, reason, now), _ = by_hand(rewrite, builder.build_and_reset([Sub(x, y)]))
    assert status != 0 and "the part to replace holds Data 'input_1'" in reason and now == ["Sub"]


@pytest.mark.parametrize("with_context", [False, True])
def test_inputs_outside_of_the_part(by_hand, with_context):
    def rewrite(graph, context):
        boundary = passes.SubgraphBoundary()
        sign, relu = node_of(graph, "Sigmoid"), node_of(graph, "Relu")
        assert boundary.add_input(0, passes.SubgraphInput([(sign, 0)])) == 0
        assert boundary.add_input(1, passes.SubgraphInput([(relu, 0)])) == 0
        assert boundary.add_output(0, passes.SubgraphOutput(sign, 0)) == 0
        builder = GraphBuilder("r")
        inputs = builder.create_inputs(2)
        replacement = builder.build_and_reset([Add(*inputs)])
        if not with_context:
            return passes.SubgraphRewriter.replace(boundary, replacement) != 0, last_error(), types(graph)
        with pytest.raises(RuntimeError, match="SubgraphRewriter::Replace with context failed") as error:
            passes.SubgraphRewriter.replace(boundary, replacement, context=context)
        return True, str(error.value.__cause__ or error.value) + last_error(), types(graph)

    (refused, reason, now), _ = by_hand(rewrite, chain(Sigmoid, Abs, Relu))
    assert refused and "is not in the part" in reason and now == sorted(["Sigmoid", "Abs", "Relu"])


@pytest.mark.parametrize("joins", [True, False])
def test_two_outputs_around_a_node_outside(by_hand, joins):
    """Relu and Sigmoid are replaced, Abs between them stays: two nodes may take their places, one that is both may not."""

    def rewrite(graph, context):
        relu, sigmoid = node_of(graph, "Relu"), node_of(graph, "Sigmoid")
        boundary = passes.SubgraphBoundary()
        for i, node in enumerate((relu, sigmoid)):
            assert boundary.add_input(i, passes.SubgraphInput([(node, 0)])) == 0
            assert boundary.add_output(i, passes.SubgraphOutput(node, 0)) == 0
        builder = GraphBuilder("r")
        a, b = builder.create_inputs(2)
        made = [Add(a, b)] * 2 if joins else [Abs(a), Abs(b)]
        status = passes.SubgraphRewriter.replace(boundary, builder.build_and_reset(made))
        return status, last_error(), types(graph)

    (status, reason, now), _ = by_hand(rewrite, chain(Relu, Abs, Sigmoid))
    if joins:
        assert status != 0 and "cycle" in reason and now == sorted(["Relu", "Abs", "Sigmoid"])
    else:
        assert status == 0 and sorted(now) == ["Abs"] * 3


WRONG_ITEMS = [5, [5], [("node", 0)], lambda n: [[n, 0]], lambda n: [(n, 0, 1)], lambda n: [(n, "0")]]


@pytest.mark.parametrize("items", WRONG_ITEMS)
def test_inputs_are_pairs(by_hand, items):
    def make(graph, context):
        node = node_of(graph, "Relu")
        with pytest.raises(RuntimeError, match=f"^{re.escape('SubgraphInput expects iterable of (node, index)')}$"):
            passes.SubgraphInput(items(node) if callable(items) else items)
        with pytest.raises(TypeError):
            passes.SubgraphInput(node_inputs=[])
        return True

    assert by_hand(make, chain(Relu))[0]


def test_arguments_of_replace(by_hand):
    def call(graph, context):
        boundary = boundary_of(node_of(graph, "Relu"))
        for arguments in [(None, chain(Abs)), (boundary, None), (5, chain(Abs))]:
            with pytest.raises(TypeError):
                passes.SubgraphRewriter.replace(*arguments)
        with pytest.raises(TypeError):
            passes.SubgraphRewriter.replace(boundary, chain(Abs), context=5)
        spent = chain(Abs)
        passes.Pattern(spent)
        with pytest.raises(RuntimeError, match="^Graph handle is empty$"):
            passes.SubgraphRewriter.replace(boundary, spent)
        with pytest.raises(TypeError):
            boundary.add_input(0, 5)
        with pytest.raises(TypeError):
            boundary.add_output(0, None)
        return True

    assert by_hand(call, chain(Relu))[0]


def test_a_part_is_not_replaced_by_the_graph_that_it_is_of(by_hand):
    def call(graph, context):
        status = passes.SubgraphRewriter.replace(boundary_of(node_of(graph, "Relu")), graph)
        with pytest.raises(RuntimeError) as caught:
            passes.SubgraphRewriter.replace(boundary_of(node_of(graph, "Relu")), graph, context=context)
        assert caught.value.reason == "the replacement is graph 'g' itself, of which a part is to be replaced"
        return status

    status, model = by_hand(call, chain(Relu))
    assert status != 0 and model(X).tolist() == np.maximum(X, 0).tolist()


def test_a_boundary_expires_with_its_nodes(by_hand):
    boundary, _ = by_hand(lambda graph, context: boundary_of(node_of(graph, "Relu")), chain(Relu))
    with pytest.raises(RuntimeError, match="^graph handle has expired$"):
        passes.SubgraphRewriter.replace(boundary, chain(Abs))


# ---- infer_shape ----


def described(graph):
    desc = node_of(graph, "Abs").get_output_desc(0)
    return desc.get_shape(), desc.get_data_type()


@pytest.mark.parametrize("source", ["match", "node", "boundary"])
def test_infer_shape(registry, source):
    found = []

    class Match(ReluPattern):
        def replacement(self, match_result):
            graph = chain(Abs, shape=())
            sources = {"match": match_result, "node": match_result.get_matched_nodes()[0]}
            sources["boundary"] = boundary_of(sources["node"])
            assert passes.infer_shape(graph, sources[source]) is None
            found.append(described(graph))
            return graph

    passes.register_fusion_pass(name="N", stage=passes.PassStage.AFTER_INFER_SHAPE)(Match)
    ge.load(chain(Relu, shape=(2, 3)))
    assert found == [([2, 3], DataType.DT_FLOAT)]


def test_arguments_of_infer_shape():
    with pytest.raises(TypeError, match="^replacement must be a ge.graph.Graph$"):
        passes.infer_shape(5, 5)
    graph = chain(Abs)
    with pytest.raises(TypeError, match="^source must be MatchResult, Node, or SubgraphBoundary$"):
        passes.infer_shape(graph, 5)
    passes.Pattern(graph)
    with pytest.raises(RuntimeError, match="^replacement graph is empty$"):
        passes.infer_shape(graph, passes.SubgraphBoundary())


def test_infer_shape_that_fails():
    builder = GraphBuilder("two")
    both = builder.create_inputs(2)
    graph = builder.build_and_reset([Add(both[0], both[1])])
    node = node_of(chain(Relu), "Relu")
    text = f"infer_shape failed, replacement_graph=two, source_type=Node, source_name={node.name}"
    with pytest.raises(RuntimeError, match=f"^{re.escape(text)}$"):
        passes.infer_shape(graph, node)
    text = "infer_shape failed, replacement_graph=two, source_type=SubgraphBoundary"
    with pytest.raises(RuntimeError, match=f"^{re.escape(text)}$"):
        passes.infer_shape(graph, passes.SubgraphBoundary())


# ---- can_fuse, report_fuse ----


def test_can_fuse():
    nodes = [n for n in chain(Relu, Abs).get_direct_nodes() if n.type in ("Relu", "Abs")]
    assert passes.can_fuse(iter(nodes)) == passes.FuseCheckResult(True, "")
    assert passes.can_fuse([]).ok is False and "empty" in passes.can_fuse([]).reason
    other = passes.can_fuse([nodes[0], node_of(chain(Sigmoid), "Sigmoid")])
    assert other.ok is False and "different graphs" in other.reason
    for node, label in zip(nodes, ("left", "right")):
        node.set_attr("_user_stream_label", label)
    labels = passes.can_fuse(nodes)
    assert labels.ok is False and "left" in labels.reason and "right" in labels.reason
    for wrong in ([5], [nodes[0], None]):
        with pytest.raises(TypeError, match="^nodes must contain only ge.graph.Node objects$"):
            passes.can_fuse(wrong)


def test_can_fuse_sees_cycles():
    graph = chain(lambda x: Add(Relu(x), Sigmoid(Relu(x))))
    relu = [n for n in graph.get_direct_nodes() if n.type == "Relu"][-1]
    assert passes.can_fuse([relu, node_of(graph, "Add")]).ok is False


def test_check_results():
    result = passes.FuseCheckResult(True)
    assert (result.ok, result.reason) == (True, "")
    with pytest.raises(Exception, match="cannot assign"):
        result.ok = False


def test_report_fuse(by_hand):
    def rewrite(graph, context):
        old = node_of(graph, "Relu")
        source, port = old.get_in_data_nodes_and_port_indexes(0)
        reader, reader_port = old.get_out_data_nodes_and_port_indexes(0)[0]
        graph.remove_edge(old, 0, reader, reader_port)
        graph.add_data_edge(source, port, reader, reader_port)
        for nodes in ([[5], []], [[old], [5]]):
            name = "nodes_before" if nodes[1] == [] else "nodes_after"
            with pytest.raises(TypeError, match=f"^{name} must contain only ge.graph.Node objects$"):
                passes.report_fuse(*nodes, context)
        text = "Failed to report fusion result, pass_name=ByHand, status="
        with pytest.raises(RuntimeError, match=f"^{text}[0-9]+$"):
            passes.report_fuse([], [], context)
        assert context.get_error_message().startswith(text)
        passes.report_fuse([old], [reader], context)
        passes.report_fuse(iter([old]), (), context)
        graph.remove_node(old)

    _, model = by_hand(rewrite, chain(Relu, Abs))
    entry = [p for p in model.report()["passes"] if p["name"] == "ByHand"][0]
    assert entry["applied"] == 2 and passes.report()[0]["matches_applied"] == 2
    assert model(X).tolist() == np.abs(X).tolist()


def test_names_of_nodes_that_are_replaced_again_and_again_stay_short(registry):
    class Replace(passes.PatternFusionPass):
        def replacement(self, inputs):
            return self.to(inputs[0])

    def replaces(name, frm, to):
        body = {"relu": passes.pattern(lambda self, inputs: frm(inputs[0])), "to": staticmethod(to)}
        passes.register_fusion_pass(name=name, stage=STAGE)(type(name, (Replace,), body))
        return ge.transform.get_pass(name)

    there, back = replaces("There", Relu, Sigmoid), replaces("Back", Sigmoid, Relu)
    graph = chain(Relu)
    for _ in range(40):
        there.apply(graph)
        back.apply(graph)
    (node,) = [n for n in graph.get_all_nodes() if n.type == "Relu"]
    assert len(node.name) < 300


@pytest.mark.parametrize("to, said", [("ReduceSum", "DT_FLOAT [4]"), ("Cast", "DT_INT32 [2, 4]")])
def test_a_replacement_of_another_shape_or_type_is_refused(registry, to, said):
    def other(x):
        if to == "Cast":
            return Cast(x, dst_type=DataType.DT_INT32)
        return ReduceSum(x, x.get_owner_builder().create_vector_int64([0]))

    class Wrong(passes.PatternFusionPass):
        @passes.pattern
        def relu(self, inputs):
            return Relu(inputs[0])

        def replacement(self, inputs):
            return other(inputs[0])

    passes.register_fusion_pass(name="Wrong", stage=passes.PassStage.AFTER_INFER_SHAPE)(Wrong)
    graph = chain(Abs, Relu, shape=(2, 4))
    with pytest.raises(ge.GeError) as caught:
        ge.load(graph)
    for part in ("pass 'Wrong'", "rule 'Wrong_relu", "node 'Relu", f"output 0 is {said}", "is DT_FLOAT [2, 4]"):
        assert part in str(caught.value), part
    assert types(graph) == ["Abs", "Relu"]


def test_replacements_that_are_given_once(registry):
    def one(operator):
        return chain(operator, shape=())

    graph = chain(Relu, Abs, Relu)
    assert ge.transform.rewrite(graph, [(one(Relu), None)], dry_run=True) == {"tried": 2, "applied": 0, "declined": 0}
    assert types(graph) == ["Abs", "Relu", "Relu"]
    to = one(Sigmoid)
    assert ge.transform.rewrite(graph, [(one(Relu), to)])["applied"] == 2
    assert types(graph) == ["Abs", "Sigmoid", "Sigmoid"]
    with pytest.raises(ge.GeError, match="rule '[^']+': 2 rewrites in one pass, allowed: 1"):  # of no pass
        ge.transform.rewrite(graph, [(one(Sigmoid), to)], max_rewrites=1)
    assert types(graph) == ["Abs", "Sigmoid", "Sigmoid"]
    with pytest.raises(TypeError, match="a replacement must be a Graph, got NoneType"):
        ge.transform.rewrite(graph, [(one(Sigmoid), None)])
    with pytest.raises(ValueError, match="max_rewrites must be a number above 0, got 0"):
        ge.transform.rewrite(graph, [], max_rewrites=0)


# ---- rules that feed one another ----


def originals(node):
    return node.get_attr("_datadump_original_op_names"), node.get_attr("_datadump_original_op_types")


def test_names_of_origin_are_handed_on_once(registry):
    """Two nodes for two, again and again: without that each round would double what it hands on."""

    class Growing(passes.PatternFusionPass):
        @passes.pattern
        def pair(self, inputs):
            return Relu(Abs(inputs[0]))

        def replacement(self, inputs):
            return Relu(Abs(Sigmoid(inputs[0])))

    register(Growing)
    with PassContext(config={"passes.max_rewrites": 200}), pytest.raises(ge.GeError, match="201 rewrites in one pass"):
        ge.load(chain(Abs, Relu), plain_options())
    graph = chain(Abs, Relu)
    first = {n.name: n.type for n in graph.get_direct_nodes() if n.type in ("Abs", "Relu")}
    pairs = (Abs, Relu), (Sigmoid, Relu6)
    for i in range(40):
        rule = chain(*pairs[i % 2], shape=()), chain(*pairs[1 - i % 2], shape=())
        assert ge.transform.rewrite(graph, [rule])["applied"] == 1
    made = [n for n in graph.get_direct_nodes() if n.type in ("Abs", "Relu")]
    assert len(made) == 2
    for node in made:
        assert dict(zip(*originals(node))) == first and len(originals(node)[0]) == 2


def test_a_long_cascade_keeps_a_few_names(registry):
    """One node takes in 300 others one after the other; it names as many as a node may."""
    graph = chain(*[Relu] * 301)
    assert ge.transform.rewrite(graph, [(chain(Relu, Relu, shape=()), chain(Relu, shape=()))])["applied"] == 300
    (node,) = [n for n in graph.get_direct_nodes() if n.type == "Relu"]
    names, kinds = originals(node)
    assert len(names) == len(set(names)) == len(kinds) == 64 and set(kinds) == {"Relu"}


def test_many_nodes_that_came_of_others(registry):
    """As many names as nodes that one rewrite replaces, each once."""
    count = 3000
    graph = chain(*[Relu] * count)
    half = count // 2
    assert ge.transform.rewrite(graph, [(chain(Relu, Relu, shape=()), chain(Abs, Abs, shape=()))])["applied"] == half
    nodes = [n for n in graph.get_direct_nodes() if n.type == "Abs"]
    boundary = passes.SubgraphBoundary()
    boundary.add_input(0, passes.SubgraphInput([(nodes[0], 0)]))
    boundary.add_output(0, passes.SubgraphOutput(nodes[-1], 0))
    assert passes.SubgraphRewriter.replace(boundary, chain(Sigmoid, shape=())) == 0
    (node,) = [n for n in graph.get_direct_nodes() if n.type == "Sigmoid"]
    names, kinds = originals(node)
    assert len(names) == len(set(names)) == len(kinds) == count and set(kinds) == {"Relu"}


def test_replacing_by_hand_has_the_same_limit(registry):
    def forever(graph, context):
        while True:
            (node,) = [n for n in graph.get_direct_nodes() if n.type == "Relu"]
            boundary = passes.SubgraphBoundary()
            boundary.add_input(0, passes.SubgraphInput([(node, 0)]))
            boundary.add_output(0, passes.SubgraphOutput(node, 0))
            passes.SubgraphRewriter.replace(boundary, chain(Relu, shape=()), context=context)

    function_pass(forever, name="Forever")
    with PassContext(config={"passes.max_rewrites": 50}):
        with pytest.raises((ge.GeError, RuntimeError)) as caught:
            ge.load(chain(Relu), plain_options())
    chained = [str(e) for e in (caught.value, caught.value.__cause__, caught.value.__context__) if e]
    assert any("51 rewrites in one pass, allowed: 50 (passes.max_rewrites)" in text for text in chained), chained


def test_an_output_is_set_once(registry):
    node = next(n for n in chain(Relu).get_direct_nodes() if n.type == "Relu")
    output = passes.SubgraphOutput()
    assert output.set_output(node, 0) == 0
    assert output.set_output(node, 0) != 0
