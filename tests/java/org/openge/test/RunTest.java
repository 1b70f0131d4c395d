package org.openge.test;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.openge.DataType;
import org.openge.GeException;
import org.openge.Graph;
import org.openge.GraphBuilder;
import org.openge.Model;
import org.openge.OpenGE;
import org.openge.Placement;
import org.openge.RunContext;
import org.openge.Session;
import org.openge.Tensor;
import org.openge.TensorHolder;
import org.openge.c.GE;

/** Compiling, running, ONNX, sessions, files. */
public final class RunTest {
  /** y = relu(x * 2 - 3), of a known or of an open length. */
  static Graph affine(long length) {
    try (GraphBuilder b = new GraphBuilder("affine")) {
      TensorHolder x = b.input("x", DataType.FLOAT, length);
      return b.build(b.op("Relu", b.op("Sub", b.op("Mul", x, b.constant(2f)), b.constant(3f))));
    }
  }

  public void testRunInItsForms() {
    try (Graph graph = affine(4);
        Model model = graph.compile(Map.of("threads", "1"));
        RunContext context = model.newContext()) {
      Check.same("x", model.inputs().get(0).name());
      Check.same(DataType.FLOAT, model.inputs().get(0).dataType());
      Check.same(new long[] {4}, model.outputs().get(0).shape());
      float[] expected = {0, 0, 1, 3};
      Tensor x = Tensor.of(new float[] {0, 1, 2, 3});
      Check.same(expected, model.run(x).get(0).toFloats());
      Tensor first = context.run(x).get(0);
      context.run(Tensor.of(new float[] {9, 9, 9, 9}));
      Check.same(expected, first.toFloats()); // results are copies
      String name = model.outputs().get(0).name();
      Check.same(expected, model.run(Map.of("x", x)).get(name).toFloats());
      Check.contains(
          Check.fails(IllegalArgumentException.class, () -> model.run(Map.of("z", x))).getMessage(), "[z]", "x: FLOAT[4]");

      // Direct buffers on both sides: nothing is copied.
      ByteBuffer in = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
      in.asFloatBuffer().put(new float[] {5, 6, 7, 8});
      ByteBuffer out = ByteBuffer.allocateDirect(16).order(ByteOrder.LITTLE_ENDIAN);
      List<Tensor> into = Collections.singletonList(Tensor.wrap(out, DataType.FLOAT, 4));
      List<Tensor> r = context.run(Collections.singletonList(Tensor.wrap(in, DataType.FLOAT, 4)), into);
      float[] got = new float[4];
      out.asFloatBuffer().get(got);
      Check.same(new float[] {7, 9, 11, 13}, got);
      Check.same(new float[] {7, 9, 11, 13}, r.get(0).toFloats());

      Check.contains(context.profile(x), "traceEvents");
      Check.contains(context.report(x), "<!DOCTYPE html>");
      Check.contains(model.describe(Model.Description.REPORT), "\"placement\"");
      List<Placement> placement = model.placement();
      Check.that(!placement.isEmpty() && placement.get(0).engine() != null, placement.toString());
    }
  }

  public void testOpenShapes() {
    try (Graph graph = affine(-1);
        Model model = graph.compile();
        RunContext context = model.newContext()) {
      Check.same(new long[] {-1}, model.inputs().get(0).shape());
      Check.same(new float[] {3}, context.run(Tensor.of(new float[] {3})).get(0).toFloats());
      Tensor three = Tensor.of(new float[] {3, 2, 1});
      Check.same(new long[] {3}, context.prepare(three).get(0).shape());
      // Room for more than comes out.
      Tensor room = Tensor.zeros(DataType.FLOAT, 10);
      Tensor result = context.run(Collections.singletonList(three), Collections.singletonList(room)).get(0);
      Check.same(new long[] {3}, result.shape());
      Check.same(new float[] {3, 1, 0}, result.toFloats());
      Check.same(3f, room.toFloats()[0]);
    }
  }

  public void testWrongInputs() {
    try (Graph graph = affine(4);
        Model model = graph.compile();
        RunContext context = model.newContext()) {
      Tensor x = Tensor.of(new float[] {0, 1, 2, 3});
      GeException e = Check.fails(GeException.class, () -> context.run(Tensor.of(new float[] {1, 2, 3})));
      Check.same(GE.GE_DATA_MISMATCH, e.code());
      Check.contains(e.getMessage(), "x", "3", "4");
      Check.same(GE.GE_DATA_MISMATCH,
          Check.fails(GeException.class, () -> context.run(Tensor.of(new int[] {1, 2, 3, 4}))).code());
      Check.fails(GeException.class, () -> context.run());
      Check.fails(GeException.class, () -> context.run(x, x));
      Check.fails(IllegalArgumentException.class, () -> context.run((Tensor) null));
      List<Tensor> given = Collections.singletonList(x);
      Check.fails(IllegalArgumentException.class, () -> context.run(given, Collections.emptyList()));
      Check.contains(Check.fails(IllegalArgumentException.class,
          () -> context.run(given, Collections.singletonList(Tensor.zeros(DataType.INT32, 4)))).getMessage(), "INT32");
      Check.fails(GeException.class,
          () -> context.run(given, Collections.singletonList(Tensor.zeros(DataType.FLOAT, 3))));
      Check.same(new float[] {0, 0, 1, 3}, context.run(x).get(0).toFloats());
      Check.fails(IllegalArgumentException.class, () -> Tensor.wrap(ByteBuffer.allocate(16), DataType.FLOAT, 4));
      Check.fails(IllegalArgumentException.class, () -> Tensor.wrap(ByteBuffer.allocateDirect(15), DataType.FLOAT, 4));
      Check.fails(IllegalArgumentException.class, () -> Tensor.zeros(DataType.STRING, 1));
      Check.fails(IllegalStateException.class, () -> x.toInts());
      Check.fails(IllegalArgumentException.class, () -> Tensor.zeros(DataType.FLOAT, -1));
      Check.fails(IllegalArgumentException.class, () -> Tensor.zeros(DataType.FLOAT, 1 << 20, 1 << 20));
    }
  }

  public void testCompileErrors() {
    try (Graph graph = affine(4)) {
      GeException option = Check.fails(GeException.class, () -> graph.compile(Map.of("threadz", "2")));
      Check.same(GE.GE_OPTION_INVALID, option.code());
      Check.contains(option.getMessage(), "threadz", "threads");
    }
    try (GraphBuilder b = new GraphBuilder("refused")) {
      TensorHolder x = b.input("x", DataType.FLOAT, 2);
      TensorHolder y = b.input("y", DataType.FLOAT, 3);
      try (Graph graph = b.build(b.op("Add", x, y))) {
        GeException e = Check.fails(GeException.class, graph::compile);
        Check.same(GE.GE_INFER_FAILED, e.code());
        Check.contains(e.getMessage(), "Add", "[2]", "[3]");
        Check.that(e.getMessage().startsWith(String.join(": ", e.contexts())), e.contexts() + " do not begin the message");
        Check.contains(e.toString(), "GE_INFER_FAILED");
      }
    }
  }

  public void testManyThreads() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try (Graph graph = affine(4)) {
      Model model = graph.compile(Map.of("threads", "1"));
      Future<?>[] futures = new Future<?>[4];
      for (int t = 0; t < 4; ++t) {
        float base = t;
        RunContext context = model.newContext();
        futures[t] = pool.submit(() -> {
          try (context) {
            for (int i = 0; i < 200; ++i) {
              float v = base * 1000 + i + 2;
              float got = context.run(Tensor.of(new float[] {v, v, v, v})).get(0).toFloats()[3];
              Check.same(2 * v - 3, got);
            }
          }
          return null;
        });
      }
      model.close(); // the contexts hold what they need
      for (Future<?> f : futures) {
        f.get();
      }
    } finally {
      pool.shutdown();
    }
  }

  public void testSession() {
    try (Session session = new Session();
        Graph graph = affine(4)) {
      session.addGraph(7, graph);
      Check.same(GE.GE_GRAPH_ALREADY_EXIST, Check.fails(GeException.class, () -> session.addGraph(7, graph)).code());
      Tensor x = Tensor.of(new float[] {0, 1, 2, 3});
      Check.same(new float[] {0, 0, 1, 3}, session.runGraph(7, x).get(0).toFloats());
      try (Model model = session.model(7)) {
        session.removeGraph(7);
        Check.same(new float[] {0, 0, 1, 3}, model.run(x).get(0).toFloats());
      }
      Check.same(GE.GE_GRAPH_NOT_EXIST, Check.fails(GeException.class, () -> session.runGraph(7, x)).code());
      Check.fails(IllegalArgumentException.class, () -> session.removeGraph(-1));
    }
  }

  public void testFiles() throws Exception {
    Path folder = Files.createTempDirectory("größe 😀");
    Path file = folder.resolve("graph.air");
    try (Graph graph = affine(4)) {
      graph.save(file);
      byte[] written = graph.toBytes();
      Check.same(Files.readAllBytes(file), written);
      try (Graph again = Graph.fromBytes(written)) {
        Check.same(written, again.toBytes());
      }
      byte[] half = Arrays.copyOf(written, written.length / 2);
      Check.same(GE.GE_MODEL_INVALID, Check.fails(GeException.class, () -> Graph.fromBytes(half)).code());
      Check.fails(GeException.class, () -> Graph.fromBytes(new byte[] {1, 2, 3}));
      try (Graph loaded = Graph.load(file);
          Model model = loaded.compile()) {
        Check.same("affine", loaded.name());
        Check.same(new float[] {0, 0, 1, 3}, model.run(Tensor.of(new float[] {0, 1, 2, 3})).get(0).toFloats());
      }
    }
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
    Check.same(GE.GE_MODEL_INVALID, Check.fails(GeException.class, () -> Graph.load(file)).code());
    Path missing = folder.resolve("missing.onnx");
    GeException e = Check.fails(GeException.class, () -> Model.load(missing));
    Check.same(GE.GE_PATH_INVALID, e.code());
    Check.contains(e.getMessage(), "größe 😀", "missing.onnx");
    Files.delete(file);
    Files.delete(folder);
  }

  public void testOnnx() throws Exception {
    Path file = Files.createTempFile("net", ".onnx");
    Files.write(file, onnx("Neg"));
    try (Graph graph = Graph.fromOnnx(file);
        Model model = Model.load(file, Map.of("threads", "1"))) {
      Check.that(graph.nodes().stream().anyMatch(n -> n.type().equals("Neg")), graph.nodes().toString());
      Check.same("a", model.inputs().get(0).name());
      Check.same(new float[] {-1, 2}, model.run(Map.of("a", Tensor.of(new float[] {1, -2}))).get("b").toFloats());
    }
    Files.write(file, onnx("NoSuchOperator"));
    GeException e = Check.fails(GeException.class, () -> Graph.fromOnnx(file));
    Check.same(GE.GE_UNSUPPORTED, e.code());
    Check.contains(e.getMessage(), "NoSuchOperator");
    Files.delete(file);
    Check.contains(OpenGE.onnxOperators(), "Conv");
    Check.contains(OpenGE.doctor(), OpenGE.version());
  }

  // ---- a model of one node b = op(a), a of two floats, in ONNX's protobuf ----

  private static byte[] onnx(String op) {
    byte[] dim = field(1, join(varint(1 << 3), varint(2)));
    byte[] tensor = join(varint(1 << 3), varint(1), field(2, dim)); // FLOAT, shape
    byte[] type = field(2, field(1, tensor));
    byte[] node = join(field(1, text("a")), field(2, text("b")), field(4, text(op)));
    byte[] graph = join(field(1, node), field(2, text("net")), field(11, join(field(1, text("a")), type)),
        field(12, join(field(1, text("b")), type)));
    return join(varint(1 << 3), varint(8), field(7, graph), field(8, join(varint(2 << 3), varint(13))));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] varint(int value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (; value > 127; value >>= 7) {
      out.write(value & 127 | 128);
    }
    out.write(value);
    return out.toByteArray();
  }

  private static byte[] field(int number, byte[] content) {
    return join(varint(number << 3 | 2), varint(content.length), content);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.write(part, 0, part.length);
    }
    return out.toByteArray();
  }
}
