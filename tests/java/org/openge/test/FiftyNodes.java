package org.openge.test;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import org.openge.DataType;
import org.openge.Format;
import org.openge.GeException;
import org.openge.Graph;
import org.openge.GraphBuilder;
import org.openge.Node;
import org.openge.Operator;
import org.openge.Outputs;
import org.openge.Tensor;
import org.openge.TensorHolder;

/**
 * Builds the graph of fifty_nodes.c and expects the file that this program writes, byte for byte; then reads attributes of
 * every type back from it. Arguments: the C program, a folder.
 */
final class FiftyNodes {
  private FiftyNodes() {}

  private static Graph branch(String name, String type) {
    try (GraphBuilder b = new GraphBuilder(name)) {
      return b.build(b.op(type, b.input(0, null, null, DataType.FLOAT, Format.ND)));
    }
  }

  static Graph build() {
    try (GraphBuilder b = new GraphBuilder("fifty")) {
      TensorHolder x = b.input(0, "x", null, DataType.FLOAT, Format.NCHW, 2, 3, 8, 8);
      TensorHolder ids = b.input("größe 😀", DataType.INT32, -1);

      float[] weights = new float[108];
      for (int i = 0; i < 108; ++i) {
        weights[i] = (i - 54) * 0.25f;
      }
      float[] four = {0.1f, 0.2f, 0.3f, 0.4f};
      TensorHolder w = b.constant(weights, 4, 3, 3, 3);
      TensorHolder bias = b.constant(four);
      TensorHolder conv = b.operator("Conv2D").inputs(x, w, bias).attr("strides", 1, 1, 1, 1).attr("pads", 1, 1, 1, 1)
          .attr("dilations", new int[] {1, 1, 1, 1}).attr("groups", 1).attr("data_format", "NCHW").tensor();
      TensorHolder relu = b.op("Relu", conv);
      TensorHolder mul = b.op("Mul", relu, b.constant(2f));
      TensorHolder adds = b.operator("Adds").inputs(mul).attr("value", 0.5).tensor();
      TensorHolder half = b.operator("Cast").inputs(adds).attr("dst_type", 1).tensor();
      TensorHolder cast = b.operator("Cast").inputs(half).attr("dst_type", 0L).tensor();
      TensorHolder axis = b.constant(1);
      TensorHolder concat = b.operator("ConcatV2").inputs(relu, mul, cast, axis).attr("N", 3).tensor();
      TensorHolder sizes = b.constant(new long[] {4, 8});
      List<TensorHolder> split = b.operator("SplitV").inputs(concat, sizes, axis).outputs("y", 2).attr("num_split", 2)
          .add().list("y");
      TensorHolder softmax = b.operator("SoftmaxV2").inputs(split.get(0)).attr("axes", -1).attr("half_to_float", true)
          .tensor();
      TensorHolder transposed = b.op("Transpose", softmax, b.constant(new long[] {0, 2, 3, 1}));
      TensorHolder arg = b.operator("ArgMaxV2").inputs(transposed, axis).attr("dtype", DataType.INT64).tensor();
      TensorHolder bucket = b.operator("Bucketize").inputs(split.get(1)).attr("boundaries", 0.0, 1.5, 2.5)
          .attr("dtype", DataType.INT64).attr("right", true).tensor();
      TensorHolder nonzero = b.operator("NonZero").inputs(relu).attr("transpose", true).attr("dtype", DataType.INT32)
          .tensor();
      TensorHolder eltwise = b.operator("Eltwise").inputs(relu, mul).attr("N", 2).attr("mode", 1)
          .attr("coeff", Arrays.asList(0.25f, -0.75f)).tensor();
      TensorHolder einsum = b.operator("Einsum").inputs(transposed, transposed).attr("equation", "nhwc,nhwd->ncd")
          .attr("N", 2).tensor();
      DataType[] types = {DataType.FLOAT, DataType.INT32};
      TensorHolder memset = b.operator("MemSet").attr("sizes", 16, 32).attr("dtypes", types)
          .attr("values_int", new long[] {0}).attr("values_float", 1.5f).tensor();
      TensorHolder queue = b.operator("QueueData").attr("index", 1).attr("queue_name", "queue ∑")
          .attr("output_types", types).attr("output_shapes", new long[][] {{1, 2}, {3}}).tensor();
      TensorHolder shapes = b.operator("GatherShapes").input("x", Arrays.asList(x, relu))
          .attr("axes", Arrays.asList(Arrays.asList(0, 1), Arrays.asList(1, 2))).attr("dtype", 9).tensor();
      TensorHolder gamma = b.constant(four);
      Outputs norm = b.operator("AddRmsNormDynamicQuant").inputs(transposed, transposed, gamma).input("beta", gamma)
          .attr("epsilon", 0.125f).attr("output_mask", new boolean[] {true, false}).attr("dst_type", 2).add();
      TensorHolder lw = b.constant(four, 1, 4, 1);
      TensorHolder lr = b.constant(four, 1, 4, 1);
      Outputs lstm = b.operator("CommonLSTM").inputs(einsum, lw, lr).attr("hidden_size", 1)
          .attr("activation_alpha", new float[] {0.1f, 0.2f}).attr("activation_beta", new float[0])
          .attr("activations", "Sigmoid", "Tanh", "").attr("clip", 0.5f).attr("direction", "reverse")
          .attr("input_forget", 1).add();
      TensorHolder u32 = b.constant(Tensor.of(new int[] {0, -1}).as(DataType.UINT32));
      TensorHolder signed = b.operator("Bitcast").inputs(u32).attr("type", DataType.INT32).attr("keep_dim", false).tensor();
      TensorHolder sum = b.operator("AddN").inputs(signed, ids).attr("N", 2).tensor();
      TensorHolder u64 = b.constant(Tensor.of(new long[] {1, -1}).as(DataType.UINT64));
      TensorHolder wide = b.operator("Bitcast").inputs(u64).attr("type", DataType.INT64).attr("keep_dim", true).tensor();
      TensorHolder wideSum = b.op("Add", wide, sizes);
      TensorHolder condition = b.constant(Tensor.of(new boolean[] {true}).reshape());
      TensorHolder precise = b.constant(new double[] {0.1, 1e300});
      TensorHolder tiny = b.constant(Tensor.of(new byte[] {-128, 127, 0, 1}, 2, 2));
      TensorHolder either = b.operator("If").input("cond", condition).input("input", relu).outputs("output", 1)
          .graph("then_branch", branch("then", "Relu")).graph("else_branch", branch("else", "Neg")).add().list("output")
          .get(0);
      TensorHolder random = b.operator("RandomUniform").inputs(sizes).attr("dtype", DataType.FLOAT).attr("seed", 7)
          .attr("seed2", 9).tensor();
      Operator layerNorm = b.operator("LayerNormV4").inputs(transposed, b.constant(new long[] {-1}), gamma);
      TensorHolder layer = layerNorm.attr("epsilon", 0.00001f).add().get("y");
      TensorHolder begin = b.constant(new long[] {0, 0});
      TensorHolder end = b.constant(new long[] {1, 2});
      TensorHolder both = b.constant(new long[] {0, 1});
      TensorHolder slice = b.operator("StridedSliceV2").inputs(x, begin, end, both).attr("begin_mask", 1)
          .attr("shrink_axis_mask", 2).tensor();
      TensorHolder chain = b.op("Sub", either, layer);
      for (int i = 0; i < 8; ++i) {
        chain = b.op("Maximum", b.op("Add", chain, relu), mul);
      }

      chain.after(random, memset);
      b.attr("graph_int", -9007199254740993L).attr("graph_text", "é").attr("graph_flag", true);
      conv.attr("out_int", 5).attr("out_text", "of the output").attr("out_flag", false);
      conv.nodeAttr("node_int", 6).nodeAttr("node_text", "").nodeAttr("node_flag", true);
      slice.dataType(DataType.FLOAT).format(Format.NHWC).shape(2, 2);
      Node node = conv.producer();
      node.setAttr("bytes", new byte[] {0, 1, -2, -1});
      node.setAttr("float_rows", new float[][] {{0.5f}, {1.5f, -2.5f}});
      Tensor words = Tensor.of(new int[] {7, -7});
      node.setAttr("tensors", new Tensor[] {words, words});
      node.setAttr("tensor", words);
      return b.build(chain, arg, bucket, nonzero, eltwise, queue, shapes, norm.get("y1"), norm.get("scale1"), sum, wideSum,
          tiny, precise, slice, lstm.get("y_h"));
    }
  }

  private static void readBack(Graph graph) {
    Node conv = graph.nodes().stream().filter(n -> n.type().equals("Conv2D")).findFirst().get();
    Check.same(new long[] {1, 1, 1, 1}, conv.attr("strides"));
    Check.same("NCHW", conv.attr("data_format"));
    Check.fails(GeException.class, () -> conv.attr("groups"));  // left at its default
    Check.same("", conv.attr("node_text"));
    Check.same(true, conv.attr("node_flag"));
    Check.same(new byte[] {0, 1, -2, -1}, conv.attr("bytes"));
    Check.same(new float[][] {{0.5f}, {1.5f, -2.5f}}, conv.attr("float_rows"));
    Check.same(new int[] {7, -7}, ((Tensor) conv.attr("tensor")).toInts());
    Check.same(new int[] {7, -7}, ((Tensor[]) conv.attr("tensors"))[1].toInts());
    Check.same(-9007199254740993L, graph.attr("graph_int"));
    Check.same("é", graph.attr("graph_text"));
    Check.same(new long[] {-1}, graph.node("größe 😀").output(0).shape());
    for (Node n : graph.nodes()) {
      switch (n.type()) {
        case "QueueData":
          Check.same("queue ∑", n.attr("queue_name"));
          Check.same(new DataType[] {DataType.FLOAT, DataType.INT32}, n.attr("output_types"));
          Check.same(new long[][] {{1, 2}, {3}}, n.attr("output_shapes"));
          break;
        case "AddRmsNormDynamicQuant":
          Check.same(new boolean[] {true, false}, n.attr("output_mask"));
          Check.same(0.125f, n.attr("epsilon"));
          break;
        case "CommonLSTM":
          Check.same(new String[] {"Sigmoid", "Tanh", ""}, n.attr("activations"));
          Check.same(new float[] {0.1f, 0.2f}, n.attr("activation_alpha"));
          break;
        case "ArgMaxV2":
          Check.fails(GeException.class, () -> n.attr("dtype"));
          break;
        default:
      }
    }
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    Path fromC = Paths.get(args[1], "fifty_c.air");
    Path fromJava = Paths.get(args[1], "fifty_java.air");
    Check.same(0, new ProcessBuilder(args[0], fromC.toString()).inheritIO().start().waitFor());
    try (Graph graph = build()) {
      Check.that(graph.nodes().size() >= 50, graph.nodes().size() + " nodes");
      graph.save(fromJava);
      readBack(graph);
    }
    Check.sameFile(fromC, fromJava);
    try (Graph loaded = Graph.load(fromC)) {
      readBack(loaded);
    }
  }
}
