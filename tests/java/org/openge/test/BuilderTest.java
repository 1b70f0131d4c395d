package org.openge.test;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.openge.DataType;
import org.openge.GeException;
import org.openge.Graph;
import org.openge.GraphBuilder;
import org.openge.Model;
import org.openge.Node;
import org.openge.Operator;
import org.openge.Prototype;
import org.openge.Tensor;
import org.openge.TensorHolder;
import org.openge.c.GE;

/** Building graphs: operators by prototype, constants of every type, errors; results computed by hand. */
public final class BuilderTest {
  private static Tensor only(Graph graph, Tensor... inputs) {
    try (graph;
        Model model = graph.compile()) {
      return model.run(inputs).get(0);
    }
  }

  public void testConstantsOfEveryType() {
    try (GraphBuilder b = new GraphBuilder("constants")) {
      TensorHolder[] outputs = {
        b.constant(1.5f), b.constant(new float[] {1, 2, 3, 4}, 2, 2), b.constant(7), b.constant(new int[] {1, -2}),
        b.constant(-1L), b.constant(new long[] {1L << 40}), b.constant(2.25), b.constant(new double[] {1e300}),
        b.constant(new boolean[] {true, false}), b.constant(Tensor.of(new byte[] {-1, 5})),
        b.constant(Tensor.of(new short[] {-300})), b.constant(Tensor.of(new int[] {-1}).as(DataType.UINT32)),
        b.constant(Tensor.of(new long[] {-1}).as(DataType.UINT64)),
        b.constant(Tensor.of(new short[] {0x3C00}).as(DataType.FLOAT16)), b.constant(new float[0])
      };
      Graph graph = b.build(outputs);
      try (graph;
          Model model = graph.compile()) {
        List<Tensor> r = model.run();
        Check.same(new float[] {1.5f}, r.get(0).toFloats());
        Check.same(new long[0], r.get(0).shape());
        Check.same(new float[] {1, 2, 3, 4}, r.get(1).toFloats());
        Check.same(new long[] {2, 2}, r.get(1).shape());
        Check.same(new int[] {7}, r.get(2).toInts());
        Check.same(new int[] {1, -2}, r.get(3).toInts());
        Check.same(new long[] {-1}, r.get(4).toLongs());
        Check.same(new long[] {1L << 40}, r.get(5).toLongs());
        Check.same(new double[] {2.25}, r.get(6).toDoubles());
        Check.same(new double[] {1e300}, r.get(7).toDoubles());
        Check.same(new boolean[] {true, false}, r.get(8).toBooleans());
        Check.same(new byte[] {-1, 5}, r.get(9).toBytes());
        Check.same(new short[] {-300}, r.get(10).toShorts());
        Check.same(DataType.UINT32, r.get(11).dataType());
        Check.same(new int[] {-1}, r.get(11).toInts());
        Check.same(DataType.UINT64, r.get(12).dataType());
        Check.same(DataType.FLOAT16, r.get(13).dataType());
        Check.same(new short[] {0x3C00}, r.get(13).toShorts());
        Check.same(0L, r.get(14).count());
      }
    }
  }

  public void testConvolutionByHand() {
    // A 2 x 2 filter of ones over 3 x 3 sums four neighbours; the bias adds 10.
    try (GraphBuilder b = new GraphBuilder("conv")) {
      TensorHolder x = b.input("x", DataType.FLOAT, 1, 1, 3, 3);
      TensorHolder w = b.constant(new float[] {1, 1, 1, 1}, 1, 1, 2, 2);
      TensorHolder y = b.operator("Conv2D").inputs(x, w, b.constant(new float[] {10})).attr("strides", 1, 1, 1, 1)
          .attr("pads", 0, 0, 0, 0).attr("data_format", "NCHW").tensor();
      Tensor r = only(b.build(y), Tensor.of(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3));
      Check.same(new long[] {1, 1, 2, 2}, r.shape());
      Check.same(new float[] {22, 26, 34, 38}, r.toFloats());
    }
  }

  public void testDynamicInputsAndOutputs() {
    try (GraphBuilder b = new GraphBuilder("dynamic")) {
      TensorHolder x = b.input("x", DataType.FLOAT, 2, 2);
      TensorHolder joined = b.op("ConcatV2", Arrays.asList(x, x, x, b.constant(1)), Map.of("N", 3));
      List<TensorHolder> parts = b.operator("SplitV").inputs(joined, b.constant(new long[] {1, 5}), b.constant(1))
          .outputs("y", 2).attr("num_split", 2).add().list("y");
      Check.same(2, parts.size());
      Check.same(1, parts.get(1).index());
      try (Graph graph = b.build(parts.get(0), parts.get(1));
          Model model = graph.compile()) {
        List<Tensor> r = model.run(Tensor.of(new float[] {1, 2, 3, 4}, 2, 2));
        Check.same(new float[] {1, 3}, r.get(0).toFloats());
        Check.same(new float[] {2, 1, 2, 1, 2, 4, 3, 4, 3, 4}, r.get(1).toFloats());
      }
    }
  }

  public void testSubgraphs() {
    for (boolean taken : new boolean[] {true, false}) {
      try (GraphBuilder b = new GraphBuilder("choice");
          GraphBuilder yes = new GraphBuilder("yes");
          GraphBuilder no = new GraphBuilder("no")) {
        TensorHolder x = b.input("x", DataType.FLOAT, 2);
        TensorHolder c = b.input("c", DataType.BOOL);
        Graph then = yes.build(yes.op("Neg", yes.input("a", DataType.FLOAT, 2)));
        Graph other = no.build(no.op("Abs", no.input("a", DataType.FLOAT, 2)));
        Operator either = b.operator("If").input("cond", c).input("input", x).outputs("output", 1)
            .graph("then_branch", then).graph("else_branch", other);
        TensorHolder y = either.add().list("output").get(0);
        Check.fails(IllegalStateException.class, either::add);
        Operator again = b.operator("If").input("cond", c).input("input", x).outputs("output", 1)
            .graph("then_branch", then).graph("else_branch", other);
        Check.contains(Check.fails(IllegalStateException.class, again::add).getMessage(), "yes", "subgraph already");
        then.close(); // the builder's graph holds it
        Tensor flag = Tensor.of(new boolean[] {taken}).reshape();
        Tensor r = only(b.build(y), Tensor.of(new float[] {-1, 2}), flag);
        Check.same(taken ? new float[] {1, -2} : new float[] {1, 2}, r.toFloats());
        other.close();
      }
    }
  }

  public void testControlEdgesAndAttributes() {
    try (GraphBuilder b = new GraphBuilder("attrs")) {
      TensorHolder x = b.input("x", DataType.FLOAT, 2);
      TensorHolder first = b.op("Neg", x);
      TensorHolder second = b.op("Abs", x).after(first).nodeAttr("label", "größe").attr("place", 3);
      b.attr("version", 5).attr("final", true);
      Node node = second.producer();
      Check.same("Abs", node.type());
      Check.same("größe", node.attr("label"));
      Check.that(node.attrNames().contains("label"), node.attrNames().toString());
      Check.same(node, second.producer());
      Check.same("Data", node.source(0).type());
      try (Graph graph = b.build(first, second)) {
        Check.same(5L, graph.attr("version"));
        Check.same(true, graph.attr("final"));
        Check.contains(graph.dump(Graph.DumpFormat.READABLE), "Abs");
        Check.contains(graph.dump(Graph.DumpFormat.DOT), "digraph");
        graph.verify();
        graph.infer();
        Check.same(new long[] {2}, graph.node(node.name()).output(0).shape());
        try (Graph copy = graph.copy()) {
          copy.setAttr("version", 6);
          Check.same(6L, copy.attr("version"));
          Check.same(5L, graph.attr("version"));
        }
        GeException e = Check.fails(GeException.class, () -> graph.node("nowhere"));
        Check.same(GE.GE_NOT_FOUND, e.code());
        Check.contains(e.getMessage(), "attrs", "nowhere");
      }
    }
  }

  public void testPrototypes() {
    Prototype conv = Prototype.of("Conv2D");
    Check.same("x", conv.inputs().get(0).name());
    Check.same(Prototype.Kind.OPTIONAL, conv.inputs().get(2).kind());
    Prototype.Attribute groups = conv.attributes().stream().filter(a -> a.name().equals("groups")).findFirst().get();
    Check.same("Int", groups.type());
    Check.same(1L, groups.fallback());
    Check.that(Prototype.types().size() > 1000, "only " + Prototype.types().size() + " prototypes");
    for (String type : Prototype.types()) {
      Prototype.of(type); // every default of every prototype can be read
    }
    GeException e = Check.fails(GeException.class, () -> Prototype.of("Conv2E"));
    Check.same(GE.GE_NOT_FOUND, e.code());
    Check.same("GE_NOT_FOUND", e.codeName());
    Check.contains(e.getMessage(), "Conv2E", "Conv2D");
  }

  public void testWrongCallsSayWhatIsWrong() {
    try (GraphBuilder b = new GraphBuilder("wrong");
        GraphBuilder other = new GraphBuilder("other")) {
      TensorHolder x = b.input("x", DataType.FLOAT, 2);
      TensorHolder foreign = other.input("x", DataType.FLOAT, 2);
      GeException missing = Check.fails(GeException.class, () -> b.op("Add", x));
      Check.same(GE.GE_PARAM_INVALID, missing.code());
      Check.contains(missing.getMessage(), "Add", "x2");
      Check.contains(Check.fails(GeException.class, () -> b.op("Conv2D", x, x)).getMessage(), "strides", "missing");
      Check.contains(
          Check.fails(IllegalArgumentException.class, () -> b.op("Relu", x, x)).getMessage(), "Relu", "2 tensors");
      Check.contains(Check.fails(IllegalArgumentException.class, () -> b.op("Add", x, foreign)).getMessage(), "another");
      Check.contains(Check.fails(GeException.class, () -> b.op("Add", x, null)).getMessage(), "x2");
      Check.contains(Check.fails(IllegalArgumentException.class, () -> b.operator("Relu").input("y", x)).getMessage(),
          "Relu", "'y'", "[x]");
      Check.contains(Check.fails(IllegalArgumentException.class, () -> b.operator("Relu").attr("a", 1)).getMessage(), "'a'");
      Operator conv = b.operator("Conv2D");
      Check.contains(Check.fails(IllegalArgumentException.class, () -> conv.attr("groups", "two")).getMessage(),
          "Conv2D", "groups", "Int", "two (String)");
      Check.contains(Check.fails(IllegalArgumentException.class, () -> conv.attr("strides", 0.5, 1)).getMessage(), "ListInt");
      Check.contains(
          Check.fails(IllegalArgumentException.class, () -> conv.attr("strides", (Object) null)).getMessage(), "null");
      Check.contains(Check.fails(IllegalArgumentException.class, () -> conv.attr("data_format", "a\0b")).getMessage(), "zero");
      Check.fails(IllegalArgumentException.class, () -> b.operator("SplitV").outputs("z", 2));
      Check.fails(IllegalArgumentException.class, () -> b.operator("If").graph("then_branch", Collections.emptyList()));
      Check.fails(IllegalArgumentException.class, () -> b.build((TensorHolder) null));
      Check.fails(IllegalArgumentException.class, () -> b.build(foreign));
      Check.fails(IllegalArgumentException.class, () -> x.after((TensorHolder) null));
      Check.same(GE.GE_PARAM_INVALID, Check.fails(GeException.class, () -> b.output(x, -1)).code());
      Check.fails(GeException.class, () -> b.input(0, "again", "Data", DataType.FLOAT, org.openge.Format.ND));
      Check.fails(IllegalArgumentException.class, () -> b.constant(new float[] {1, 2}, 3));
      Check.fails(IllegalArgumentException.class, () -> b.operator(null));
      // None of these left anything behind.
      Check.same(new float[] {0, 2}, only(b.build(b.op("Relu", x)), Tensor.of(new float[] {-1, 2})).toFloats());
      Check.same(GE.GE_BAD_STATE, Check.fails(GeException.class, () -> b.op("Relu", x)).code());
      Check.same(GE.GE_BAD_STATE, Check.fails(GeException.class, () -> b.build(x)).code());
      Check.same(0, x.index()); // questions are still answered
    }
  }
}
