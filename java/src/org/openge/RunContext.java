package org.openge;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.openge.c.GE;
import org.openge.c.GeModel;
import org.openge.c.GeRunContext;
import org.openge.c.GeTensorData;
import org.openge.c.GeText;

/** Runs a model; one thread at a time. It keeps what it needs of the model alive. */
public final class RunContext extends NativeObject {
  private final List<TensorInfo> inputs;
  private final List<TensorInfo> outputs;

  RunContext(GeModel model, List<TensorInfo> inputs, List<TensorInfo> outputs) {
    super(create(model), last -> GE.GeRunContextDestroy(new GeRunContext(last, false)));
    this.inputs = inputs;
    this.outputs = outputs;
  }

  private static long create(GeModel model) {
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      GeException.check(GE.GeRunContextCreate(model, out));
      return out.get(0);
    }
  }

  /** Runs once. The results are copies, which later runs leave alone. */
  public List<Tensor> run(Tensor... given) {
    return run(Arrays.asList(given));
  }

  /** The same with a list. */
  public List<Tensor> run(List<Tensor> given) {
    return run(given, null);
  }

  /**
   * Runs once and writes the results into tensors of the caller, without a copy. They must have the outputs' types and room
   * for the results; an entry that is null is given a new tensor. The result holds the same memory with the shapes that came
   * out.
   */
  public synchronized List<Tensor> run(List<Tensor> given, List<Tensor> into) {
    try (Memory memory = new Memory()) {
      GeTensorData in = feed(given, memory);
      GeTensorData out = room(into, memory);
      GeException.check(GE.GeRun(handle(), in, given.size(), out, outputs.size()));
      return results(into, out);
    }
  }

  /** Runs once and tells the time of each kernel as a trace for Chrome or Perfetto (JSON). */
  public synchronized String profile(Tensor... given) {
    try (Memory memory = new Memory()) {
      GeTensorData in = feed(Arrays.asList(given), memory);
      GeTensorData out = memory.tensors(outputs.size());
      GeText trace = memory.collector();
      GeException.check(GE.GeRunProfiled(handle(), in, given.length, out, outputs.size(), trace));
      return trace.str();
    }
  }

  /** Runs once and tells about it on one HTML page: graph, timeline, memory, roofline, reasons. */
  public synchronized String report(Tensor... given) {
    try (Memory memory = new Memory()) {
      GeTensorData in = feed(Arrays.asList(given), memory);
      GeTensorData out = memory.tensors(outputs.size());
      GeText html = memory.collector();
      GeException.check(GE.GeRunReport(handle(), in, given.length, out, outputs.size(), html));
      return html.str();
    }
  }

  /** Plans ahead of the first run for inputs like these; tells what the outputs will be. */
  public synchronized List<TensorInfo> prepare(Tensor... given) {
    try (Memory memory = new Memory()) {
      GeTensorData in = feed(Arrays.asList(given), memory);
      GeTensorData out = memory.tensors(outputs.size());
      GeException.check(GE.GeRunContextPrepare(handle(), in, given.length, out, outputs.size()));
      List<TensorInfo> infos = new ArrayList<>();
      for (int i = 0; i < outputs.size(); ++i) {
        infos.add(TensorInfo.of(outputs.get(i).name(), out.at(i)));
      }
      return infos;
    }
  }

  private GeRunContext handle() {
    return new GeRunContext(address(), false);
  }

  private GeTensorData feed(List<Tensor> given, Memory memory) {
    for (int i = 0; i < given.size(); ++i) {
      if (given.get(i) == null) {
        throw new IllegalArgumentException("input " + i + " is null; the model has the inputs " + inputs);
      }
    }
    return memory.tensors(given);
  }

  private GeTensorData room(List<Tensor> into, Memory memory) {
    GeTensorData out = memory.tensors(outputs.size());
    if (into == null) {
      return out;
    }
    if (into.size() != outputs.size()) {
      throw new IllegalArgumentException(into.size() + " outputs are given, the model has " + outputs.size());
    }
    for (int i = 0; i < into.size(); ++i) {
      Tensor room = into.get(i);
      if (room == null) {
        continue;
      }
      if (room.dataType() != outputs.get(i).dataType()) {
        throw new IllegalArgumentException(
            "output '" + outputs.get(i).name() + "' is " + outputs.get(i).dataType() + ", room is given for "
                + room.dataType());
      }
      memory.keep(room).describe(out.at(i), memory);
    }
    return out;
  }

  private List<Tensor> results(List<Tensor> into, GeTensorData out) {
    List<Tensor> results = new ArrayList<>();
    for (int i = 0; i < outputs.size(); ++i) {
      GeTensorData data = out.at(i);
      Tensor room = into == null ? null : into.get(i);
      results.add(room == null ? Tensor.copyOf(data) : room.resized(TensorInfo.dims(data, data.getRank())));
    }
    return Collections.unmodifiableList(results);
  }
}
