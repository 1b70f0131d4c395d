package org.openge.test;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicReference;
import org.openge.DataType;
import org.openge.Graph;
import org.openge.GraphBuilder;
import org.openge.Model;
import org.openge.NativeObject;
import org.openge.Node;
import org.openge.Prototype;
import org.openge.RunContext;
import org.openge.Session;
import org.openge.Tensor;
import org.openge.TensorHolder;

/** close() in every order, use after it, objects that nobody closes: an exception at worst, never freed memory. */
public final class LifetimeTest {
  private static final float[] X = {0, 1, 2, 3};
  private static final float[] Y = {0, 0, 1, 3};

  public void testCloseTwiceAndUseAfterwards() {
    GraphBuilder b = new GraphBuilder("g");
    TensorHolder x = b.input("x", DataType.FLOAT, 4);
    Node node = x.producer();
    Graph graph = b.build(b.op("Relu", x));
    Node own = graph.nodes().get(0);
    Model model = graph.compile();
    RunContext context = model.newContext();
    Session session = new Session();
    for (NativeObject o : new NativeObject[] {b, graph, model, context, session}) {
      Check.same(false, o.isClosed());
      o.close();
      o.close();
      Check.same(true, o.isClosed());
    }
    Tensor t = Tensor.of(X);
    Check.Action[] uses = {
      () -> b.input("z", DataType.FLOAT), () -> b.constant(1f), () -> b.op("Relu", x), () -> b.build(x),
      () -> b.attr("a", 1), () -> b.output(x, 0), () -> b.variable(0, "v"), () -> x.index(), () -> x.producer(),
      () -> x.shape(1), () -> x.attr("a", true), () -> x.after(x), graph::name, graph::nodes, graph::copy, graph::verify,
      graph::compile, () -> graph.dump(Graph.DumpFormat.TXT), () -> graph.attr("a"), own::name, () -> own.attr("a"),
      () -> own.setAttr("a", 1), () -> own.output(0), () -> own.source(0), () -> model.run(t), model::newContext,
      model::placement, () -> model.describe(Model.Description.REPORT), () -> context.run(t), () -> context.prepare(t),
      () -> context.profile(t), () -> context.report(t), () -> session.addGraph(0, graph), () -> session.runGraph(0, t)
    };
    for (Check.Action use : uses) {
      Check.contains(Check.fails(IllegalStateException.class, use).getMessage(), "is closed");
    }
    // What does not need the closed object goes on.
    Check.same("x", node.name());
    Check.same("FLOAT[4]", model.outputs().get(0).dataType() + "[4]");
    Check.contains(graph.toString(), "closed");
  }

  public void testClosingTheSourceFirst() {
    GraphBuilder b = new GraphBuilder("g");
    TensorHolder x = b.input("x", DataType.FLOAT, 4);
    Graph graph = b.build(b.op("Relu", b.op("Sub", b.op("Mul", x, b.constant(2f)), b.constant(3f))));
    b.close();
    Check.same("g", graph.name());
    Model model = graph.compile();
    graph.close();
    RunContext context = model.newContext();
    Check.same(Y, model.run(Tensor.of(X)).get(0).toFloats());
    model.close();
    Check.same(Y, context.run(Tensor.of(X)).get(0).toFloats());
    context.close();
  }

  public void testTensorsKeepTheBuilderAlive() throws Exception {
    TensorHolder x = new GraphBuilder("g").input("x", DataType.FLOAT, 4);
    Node node = x.producer();
    for (int i = 0; i < 3; ++i) {
      System.gc();
      System.runFinalization();
      Thread.sleep(10);
    }
    Check.same(0, x.index());
    Check.same("x", node.name());
    x.builder().close();
    Check.same("x", node.name()); // a node keeps its graph, not the builder
  }

  public void testForgottenObjectsAreFreed() throws Exception {
    Object[] handles = forgotten();
    for (int i = 0; i < 500 && !allFreed(handles); ++i) {
      System.gc();
      Thread.sleep(10);
    }
    Check.that(allFreed(handles), "a forgotten object was not freed");
  }

  private static Object[] forgotten() throws Exception {
    GraphBuilder b = new GraphBuilder("g");
    Graph graph = b.build(b.op("Relu", b.input("x", DataType.FLOAT, 4)));
    Model model = graph.compile();
    RunContext context = model.newContext();
    Check.same(new float[] {0, 1, 2, 3}, context.run(Tensor.of(X)).get(0).toFloats());
    Object[] handles = {handle(b), handle(graph), handle(model), handle(context), handle(new Session())};
    Check.that(!allFreed(handles), "freed too early");
    return handles;
  }

  /** What the cleaner holds of an object; its address is 0 when the object's memory is given back. */
  private static Object handle(NativeObject object) throws Exception {
    Field field = NativeObject.class.getDeclaredField("handle");
    field.setAccessible(true);
    return field.get(object);
  }

  private static boolean allFreed(Object[] handles) throws Exception {
    for (Object handle : handles) {
      Field address = handle.getClass().getDeclaredField("address");
      address.setAccessible(true);
      if (address.getLong(handle) != 0) {
        return false;
      }
    }
    return true;
  }

  public void testCloseWaitsForARun() throws Exception {
    Graph graph = RunTest.affine(4);
    Model model = graph.compile();
    AtomicReference<Throwable> end = new AtomicReference<>();
    Thread runner = new Thread(() -> {
      try {
        for (;;) {
          Check.same(Y, model.run(Tensor.of(X)).get(0).toFloats());
          Check.same("affine", graph.name());
        }
      } catch (Throwable e) {
        end.set(e);
      }
    });
    runner.start();
    Thread.sleep(50);
    model.close();
    graph.close();
    runner.join();
    Check.same(IllegalStateException.class, end.get().getClass());
  }

  /** Null and zero for every argument of every method: an exception or a result, and everything works afterwards. */
  public void testEveryMethodWithNull() throws Exception {
    int called = 0;
    for (boolean closed : new boolean[] {false, true}) {
      GraphBuilder b = new GraphBuilder(null);
      TensorHolder x = b.input("x", DataType.FLOAT, 4);
      Graph graph = RunTest.affine(4);
      Model model = graph.compile();
      RunContext context = model.newContext();
      Session session = new Session();
      Tensor t = Tensor.of(X);
      Object[] objects = {
        b, x, b.operator("Relu"), b.operator("If"), graph, graph.nodes().get(0), model, context, session, t,
        model.inputs().get(0), model.placement().get(0), Prototype.of("Conv2D"), Prototype.of("Conv2D").inputs().get(0)
      };
      if (closed) {
        for (NativeObject o : new NativeObject[] {b, graph, model, context, session}) {
          o.close();
        }
      }
      for (Object object : objects) {
        for (Method method : object.getClass().getMethods()) {
          if (method.getDeclaringClass() == Object.class || method.getName().equals("close")) {
            continue;
          }
          Object[] arguments = new Object[method.getParameterCount()];
          for (int i = 0; i < arguments.length; ++i) {
            // An array of one zero value has the right default for every primitive type, and null for the others.
            arguments[i] = Array.get(Array.newInstance(method.getParameterTypes()[i], 1), 0);
          }
          try {
            method.invoke(object, arguments);
          } catch (InvocationTargetException e) {
            Check.that(e.getCause() instanceof RuntimeException, method + " threw " + e.getCause());
          }
          ++called;
        }
      }
      Check.same(X, t.toFloats());
    }
    Check.that(called > 200, "only " + called + " methods called");
    try (Model model = RunTest.affine(4).compile()) {
      Check.same(Y, model.run(Tensor.of(X)).get(0).toFloats());
    }
  }

  public void testFailedConstruction() {
    for (int i = 0; i < 100; ++i) {
      Check.fails(org.openge.GeException.class, () -> new Session(java.util.Map.of("no such option", "1")));
      Check.fails(org.openge.GeException.class, () -> Model.load(java.nio.file.Paths.get("/nowhere/at/all.onnx")));
    }
  }
}
