package org.openge;

import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openge.c.GE;
import org.openge.c.GeGraph;
import org.openge.c.GeModel;
import org.openge.c.GeOptions;
import org.openge.c.GePlacement;
import org.openge.c.GeTensorData;
import org.openge.c.GeText;

/**
 * A compiled graph. Any number of threads may share it, each with a {@link RunContext} of its own; {@link #run} is the short
 * way for one thread.
 */
public final class Model extends NativeObject {
  /** The kinds of text that {@link #describe} makes. */
  public enum Description {
    /** JSON: inputs, outputs, placement, passes, memory, options. */
    REPORT(GE.GE_MODEL_REPORT),
    /** The compiled graph, one line per node. */
    GRAPH(GE.GE_MODEL_GRAPH),
    /** The compiled graph for Graphviz. */
    GRAPH_DOT(GE.GE_MODEL_GRAPH_DOT),
    /** A picture of the compiled graph. */
    GRAPH_SVG(GE.GE_MODEL_GRAPH_SVG),
    /** A picture of the memory plan. */
    MEMORY_SVG(GE.GE_MODEL_MEMORY_SVG),
    /** The memory plan. */
    MEMORY_JSON(GE.GE_MODEL_MEMORY_JSON),
    /** JSON: which inputs and outputs are the tensors of one value that is no tensor itself. */
    VALUES(GE.GE_MODEL_VALUES);

    private final int value;

    Description(int value) {
      this.value = value;
    }
  }

  private final List<TensorInfo> inputs = new ArrayList<>();
  private final List<TensorInfo> outputs = new ArrayList<>();
  private RunContext own; // of run()

  Model(long address) {
    super(address, last -> GE.GeModelDestroy(new GeModel(last, false)));
    GeModel model = new GeModel(address, false);
    try (Memory memory = new Memory()) {
      LongBuffer name = memory.cell();
      GeTensorData data = memory.tensors(1);
      for (long i = 0; i < GE.GeModelInputCount(model); ++i) {
        GeException.check(GE.GeModelGetInput(model, i, name, data));
        inputs.add(TensorInfo.of(GE.textAt(name.get(0)), data));
      }
      for (long i = 0; i < GE.GeModelOutputCount(model); ++i) {
        GeException.check(GE.GeModelGetOutput(model, i, name, data));
        outputs.add(TensorInfo.of(GE.textAt(name.get(0)), data));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  static Model compile(GeGraph graph, Map<String, String> options) {
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      GeException.check(GE.GeCompile(graph, options(options, memory), out));
      return new Model(out.get(0));
    }
  }

  /** Imports and compiles an ONNX file. */
  public static Model load(Path file) {
    return load(file, Collections.emptyMap());
  }

  /** Imports and compiles an ONNX file with options, for example {@code Map.of("threads", "2")}. */
  public static Model load(Path file, Map<String, String> options) {
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      GeException.check(GE.GeCompileFile(file.toString(), options(options, memory), out));
      return new Model(out.get(0));
    }
  }

  /** Options for one call; null when there are none. */
  static GeOptions options(Map<String, String> given, Memory memory) {
    if (given == null || given.isEmpty()) {
      return null;
    }
    LongBuffer out = memory.cell();
    GeException.check(GE.GeOptionsCreate(out));
    GeOptions options = new GeOptions(out.get(0), false);
    memory.atEnd(() -> GE.GeOptionsDestroy(options));
    given.forEach((key, value) -> GeException.check(GE.GeOptionsSet(options, key, value)));
    return options;
  }

  /** Name, type and shape of each input. */
  public List<TensorInfo> inputs() {
    return Collections.unmodifiableList(inputs);
  }

  /** Name, type and shape of each output. */
  public List<TensorInfo> outputs() {
    return Collections.unmodifiableList(outputs);
  }

  /** A context to run the model on one thread at a time. It keeps what it needs of the model alive, also when that is closed. */
  public synchronized RunContext newContext() {
    return new RunContext(new GeModel(address(), false), inputs, outputs);
  }

  /** Runs once; one thread at a time. The inputs are in the order of {@link #inputs}. */
  public synchronized List<Tensor> run(Tensor... inputs) {
    address();
    if (own == null) {
      own = newContext();
    }
    return own.run(Arrays.asList(inputs));
  }

  /** Runs once, with inputs and outputs by their names. */
  public Map<String, Tensor> run(Map<String, Tensor> feed) {
    Tensor[] ordered = new Tensor[inputs.size()];
    for (int i = 0; i < ordered.length; ++i) {
      ordered[i] = feed.get(inputs.get(i).name());
    }
    if (feed.size() != ordered.length || Arrays.asList(ordered).contains(null)) {
      throw new IllegalArgumentException("given are the inputs " + feed.keySet() + ", the model has " + inputs);
    }
    List<Tensor> results = run(ordered);
    Map<String, Tensor> named = new LinkedHashMap<>();
    for (int i = 0; i < results.size(); ++i) {
      named.put(outputs.get(i).name(), results.get(i));
    }
    return named;
  }

  /** A description of the model. */
  public synchronized String describe(Description what) {
    try (Memory memory = new Memory()) {
      GeText text = memory.collector();
      GeException.check(GE.GeModelDescribe(new GeModel(address(), false), what.value, text));
      return text.str();
    }
  }

  /** Where each node runs, and why not elsewhere. */
  public synchronized List<Placement> placement() {
    GeModel model = new GeModel(address(), false);
    List<Placement> rows = new ArrayList<>();
    try (Memory memory = new Memory()) {
      GePlacement row = new GePlacement();
      memory.atEnd(row::delete);
      row.setStruct_size(GePlacement.bytes());
      for (long i = 0; i < GE.GeModelPlacementCount(model); ++i) {
        GeException.check(GE.GeModelGetPlacement(model, i, row));
        rows.add(new Placement(row));
      }
    }
    return rows;
  }

  @Override
  public synchronized void close() {
    if (own != null) {
      own.close();
      own = null;
    }
    super.close();
  }
}
