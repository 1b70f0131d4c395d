package org.openge.test;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import org.openge.DataType;
import org.openge.Format;
import org.openge.Graph;
import org.openge.GraphBuilder;
import org.openge.Tensor;
import org.openge.TensorHolder;

/**
 * The graph of tests/esb/fifty.c, which C++ and Python build too, in Java: the same file, byte for byte. Arguments: a program
 * that saves it, a folder.
 */
final class Fifty {
  private Fifty() {}

  private static Graph branch(String name, String type) {
    try (GraphBuilder b = new GraphBuilder(name)) {
      return b.build(b.op(type, b.input(0, null, null, DataType.FLOAT, Format.ND)));
    }
  }

  private static Graph loopCond() {
    try (GraphBuilder b = new GraphBuilder("loop_cond")) {
      TensorHolder i = b.input("i", DataType.INT64);
      b.input(1, null, null, DataType.FLOAT, Format.ND);
      return b.build(b.op("Less", i, b.constant(3L)));
    }
  }

  private static Graph loopBody() {
    try (GraphBuilder b = new GraphBuilder("loop_body")) {
      TensorHolder i = b.input("i", DataType.INT64);
      TensorHolder h = b.input(1, null, null, DataType.FLOAT, Format.ND);
      TensorHolder next = b.op("Add", i, b.constant(1L));
      return b.build(next, b.op("Add", h, b.constant(1f)));
    }
  }

  static Graph build() {
    try (GraphBuilder b = new GraphBuilder("fifty")) {
      TensorHolder x = b.input("x", DataType.FLOAT, 2, 4);
      TensorHolder flag = b.input("flag", DataType.BOOL);
      TensorHolder scale = b.constant(new float[] {1, 2, 0.5f, -1});
      TensorHolder shift = b.constant(new float[] {0.5f, -0.5f, 1, -1, 2, -2, 0.25f, -0.25f}, 2, 4);
      TensorHolder axis = b.constant(new long[] {1});
      TensorHolder zero = b.constant(0L);
      TensorHolder dimension = b.constant(1);
      TensorHolder int32s = b.constant(new int[] {-2147483647, 7});
      b.constant(Tensor.of(new int[] {-1}).as(DataType.UINT32));
      b.constant(Tensor.of(new long[] {-1, 0}).as(DataType.UINT64));
      TensorHolder h = b.op("Add", b.op("Mul", x, scale), shift);
      h = b.operator("LeakyRelu").inputs(h).attr("negative_slope", 0.25f).tensor();
      TensorHolder table = b.operator("Const").attr("value", Tensor.of(new float[] {10, 20, 30, 40})).tensor();
      h = b.op("Add", h, table);
      for (int k = 0; k < 11; ++k) {
        h = b.op("Maximum", b.op("Sub", h, shift), x);
      }
      TensorHolder sum = b.operator("ReduceSum").inputs(h, axis).attr("keep_dims", true).attr("noop_with_empty_axes", true)
          .tensor();
      TensorHolder best = b.operator("ArgMaxV2").inputs(h, dimension).attr("dtype", DataType.INT32).tensor();
      TensorHolder smooth = b.operator("GeluV2").inputs(x).attr("approximate", "tanh").tensor();
      TensorHolder wide = b.operator("Unsqueeze").inputs(h).attr("axes", 0, -1).tensor();
      TensorHolder turned = b.operator("TransposeD").inputs(h).attr("perm", 1, 0).tensor();
      TensorHolder chosen = b.operator("If").input("cond", flag).input("input", h).outputs("output", 1)
          .graph("then_branch", branch("then_graph", "Relu")).graph("else_branch", branch("else_graph", "Neg")).add()
          .list("output").get(0);
      List<TensorHolder> looped = b.operator("While").input("input", Arrays.asList(zero, h)).outputs("output", 2)
          .graph("cond", loopCond()).graph("body", loopBody()).attr("parallel_iterations", 10).add().list("output");

      b.operator("QueueData").attr("index", 3).attr("queue_name", "queue")
          .attr("output_types", new DataType[] {DataType.FLOAT, DataType.INT8})
          .attr("output_shapes", new long[][] {{4, 8}, {}}).add();
      b.operator("Bucketize").inputs(x).attr("boundaries", new float[] {0.5f, 1e-7f, 3.0e38f}).attr("dtype", DataType.INT64)
          .attr("right", false).add();
      b.operator("LayerNormGradV3").inputs(x, x, sum, sum, scale).attr("output_mask", new boolean[] {true, false, true})
          .add();
      b.operator("TfIdfVectorizer").inputs(int32s).attr("max_gram_length", 1).attr("max_skip_count", 0)
          .attr("min_gram_length", 1).attr("mode", "TF").attr("ngram_counts", 0, 1).attr("ngram_indexes", 0, 1)
          .attr("pool_strings", "", "two words", "été").add();
      b.operator("GatherShapes").inputs(x, h).attr("axes", new long[][] {{0, 0}, {1, 1}}).attr("dtype", DataType.INT64.value)
          .add();

      sum.after(best, smooth);
      b.attr("_revision", -5).attr("_author", "fifty.c").attr("_final", true);
      h.attr("_rank", 2).attr("_what", "hidden").attr("_last", false);
      sum.nodeAttr("_group", Long.MIN_VALUE).nodeAttr("_label", "").nodeAttr("_keep", true);
      wide.shape(1, 2, 4, 1).format(Format.NCHW).dataType(DataType.FLOAT);
      return b.build(h, sum, best, smooth, wide, turned, chosen, looped.get(0), looped.get(1));
    }
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    Path fromC = Paths.get(args[1], "esb_c.air");
    Path fromJava = Paths.get(args[1], "esb_java.air");
    Check.same(0, new ProcessBuilder(args[0], fromC.toString()).inheritIO().start().waitFor());
    try (Graph graph = build()) {
      graph.save(fromJava);
    }
    Check.sameFile(fromC, fromJava);
  }
}
