package org.openge;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.openge.c.GE;
import org.openge.c.GeGraph;
import org.openge.c.GeSessionHandle;
import org.openge.c.GeTensor;
import org.openge.c.GeTensorData;

/** GE's session: graphs that are added, compiled and run by a number. */
public final class Session extends NativeObject {
  public Session() {
    this(Collections.emptyMap());
  }

  /** A session whose options hold for all its graphs. */
  public Session(Map<String, String> options) {
    super(create(options), last -> GE.GeSessionDestroy(new GeSessionHandle(last, false)));
  }

  private static long create(Map<String, String> options) {
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      GeException.check(GE.GeSessionCreate(Model.options(options, memory), out));
      return out.get(0);
    }
  }

  /** Adds a copy of the graph. */
  public void addGraph(int id, Graph graph) {
    addGraph(id, graph, Collections.emptyMap());
  }

  /** Adds a copy of the graph, with options of its own. */
  public synchronized void addGraph(int id, Graph graph, Map<String, String> options) {
    synchronized (graph) {
      try (Memory memory = new Memory()) {
        GeGraph added = graph.handle();
        GeException.check(GE.GeSessionAddGraph(handle(), id(id), added, Model.options(options, memory)));
      }
    }
  }

  public synchronized void removeGraph(int id) {
    GeException.check(GE.GeSessionRemoveGraph(handle(), id(id)));
  }

  /** Compiles a graph ahead of its first run. */
  public synchronized void compileGraph(int id) {
    GeException.check(GE.GeSessionCompileGraph(handle(), id(id)));
  }

  /** The model of a compiled graph; it may outlive the session. */
  public synchronized Model model(int id) {
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      GeException.check(GE.GeSessionRetainModel(handle(), id(id), out));
      return new Model(out.get(0));
    }
  }

  /** Compiles the graph if needed and runs it. */
  public synchronized List<Tensor> runGraph(int id, Tensor... inputs) {
    compileGraph(id);
    int capacity;
    try (Model model = model(id)) {
      capacity = model.outputs().size();
    }
    try (Memory memory = new Memory()) {
      LongBuffer in = memory.cells(inputs.length);
      for (int i = 0; i < inputs.length; ++i) {
        if (inputs[i] == null) {
          throw new IllegalArgumentException("input " + i + " is null");
        }
        in.put(i, tensor(inputs[i], memory));
      }
      LongBuffer out = memory.cells(capacity);
      LongBuffer count = memory.cell();
      count.put(0, capacity);
      GeException.check(GE.GeSessionRunGraph(handle(), id(id), in, inputs.length, out, count));
      for (int i = 0; i < count.get(0); ++i) {
        GeTensor made = new GeTensor(out.get(i), false);
        memory.atEnd(() -> GE.GeTensorDestroy(made));
      }
      List<Tensor> results = new ArrayList<>();
      GeTensorData data = memory.tensors(1);
      for (int i = 0; i < count.get(0); ++i) {
        GeException.check(GE.GeTensorGetData(new GeTensor(out.get(i), false), data));
        results.add(Tensor.copyOf(data));
      }
      return results;
    }
  }

  /** The address of a copy that lives as long as `memory`. */
  static long tensor(Tensor given, Memory memory) {
    LongBuffer out = memory.cell();
    GeException.check(GE.GeTensorCreate(memory.tensors(Collections.singletonList(given)), out));
    GeTensor made = new GeTensor(out.get(0), false);
    memory.atEnd(() -> GE.GeTensorDestroy(made));
    return out.get(0);
  }

  private static long id(int id) {
    if (id < 0) {
      throw new IllegalArgumentException("the graph id is " + id + ", expected 0 or more");
    }
    return id;
  }

  private GeSessionHandle handle() {
    return new GeSessionHandle(address(), false);
  }
}
