package org.openge;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openge.c.C_AttrValueType;
import org.openge.c.EsCGraph;
import org.openge.c.EsCGraphBuilder;
import org.openge.c.EsCTensor;
import org.openge.c.EsCTensorHolder;
import org.openge.c.GE;
import org.openge.c.GeEsAttr;
import org.openge.c.GeEsCall;
import org.openge.c.GeEsGraph;
import org.openge.c.GeEsInput;
import org.openge.c.GeTensor;

/**
 * An operator on its way into a graph: inputs, attributes and subgraphs by their names in the prototype, then {@link #add} or
 * {@link #tensor}.
 *
 * <pre>{@code
 * TensorHolder y = builder.operator("Conv2D").inputs(x, filter)
 *     .attr("strides", 1, 1, 2, 2).attr("pads", 1, 1, 1, 1).tensor();
 * }</pre>
 */
public final class Operator {
  private final GraphBuilder builder;
  private final Prototype prototype;
  private final List<List<TensorHolder>> inputs = new ArrayList<>();
  private final List<List<Graph>> graphs = new ArrayList<>();
  private final Map<Integer, Object> attributes = new TreeMap<>();
  private final long[] counts;
  private boolean added;

  Operator(GraphBuilder builder, Prototype prototype) {
    this.builder = builder;
    this.prototype = prototype;
    prototype.inputs().forEach(p -> inputs.add(Collections.emptyList()));
    prototype.graphs().forEach(p -> graphs.add(Collections.emptyList()));
    counts = new long[prototype.outputs().size()];
  }

  /** The operator's prototype. */
  public Prototype prototype() {
    return prototype;
  }

  /** Connects a required or an optional input; null leaves an optional one out. */
  public Operator input(String name, TensorHolder tensor) {
    int index = prototype.indexOf("input", prototype.inputs(), name);
    if (dynamic(prototype.inputs(), index)) {
      return input(name, Collections.singletonList(tensor));
    }
    inputs.set(index, Collections.singletonList(tensor));
    return this;
  }

  /** Connects a dynamic input. */
  public Operator input(String name, List<TensorHolder> tensors) {
    int index = prototype.indexOf("input", prototype.inputs(), name);
    if (!dynamic(prototype.inputs(), index) && tensors.size() != 1) {
      throw new IllegalArgumentException(
          prototype.type() + ": input '" + name + "' takes one tensor, " + tensors.size() + " are given");
    }
    inputs.set(index, new ArrayList<>(tensors));
    return this;
  }

  /**
   * Connects the inputs in the order of the prototype; null leaves an optional one out. A dynamic input takes as many tensors
   * as those after it leave; where there are two, or an optional one follows, connect the inputs by their names.
   */
  public Operator inputs(TensorHolder... tensors) {
    List<Prototype.Port> ports = prototype.inputs();
    int first = 0;
    while (first < ports.size() && !dynamic(ports, first)) {
      ++first;
    }
    int behind = Math.max(0, ports.size() - first - 1);
    for (int i = ports.size() - behind; i < ports.size(); ++i) {
      if (ports.get(i).kind() != Prototype.Kind.REQUIRED) {
        throw new IllegalArgumentException(
            prototype.type() + ": the inputs " + ports + " have no clear order: connect them by their names");
      }
    }
    boolean hasDynamic = first < ports.size();
    if (hasDynamic ? tensors.length < first + behind : tensors.length > ports.size()) {
      throw new IllegalArgumentException(
          prototype.type() + " has the inputs " + ports + ", " + tensors.length + " tensors are given");
    }
    for (int i = 0; i < Math.min(first, tensors.length); ++i) {
      inputs.set(i, Collections.singletonList(tensors[i]));
    }
    if (hasDynamic) {
      int end = tensors.length - behind;
      inputs.set(first, Arrays.asList(Arrays.copyOfRange(tensors, first, end)));
      for (int i = 0; i < behind; ++i) {
        inputs.set(first + 1 + i, Collections.singletonList(tensors[end + i]));
      }
    }
    return this;
  }

  /**
   * Sets an attribute. Which classes fit depends on the prototype: Int takes Integer and Long, Float any number, Bool Boolean,
   * String, Type a {@link DataType}, Tensor a {@link Tensor}; lists take arrays and collections of these, or one value.
   */
  public Operator attr(String name, Object value) {
    int index = prototype.attributeIndex(name);
    try (Memory memory = new Memory()) { // tells now, not when the node is added, that a value does not fit
      GeEsAttr check = GeEsAttr.array(1);
      memory.atEnd(check::delete);
      write(index, value, check, memory);
    }
    attributes.put(index, value);
    return this;
  }

  /** Sets a list of integers. */
  public Operator attr(String name, long... values) {
    return attr(name, (Object) values.clone());
  }

  /** Sets a list of numbers. */
  public Operator attr(String name, double... values) {
    return attr(name, (Object) values.clone());
  }

  /** Sets a list of texts. */
  public Operator attr(String name, String... values) {
    return attr(name, (Object) values.clone());
  }

  /** Attaches a subgraph; it belongs to the builder's graph from then on and cannot be attached again. */
  public Operator graph(String name, Graph graph) {
    return graph(name, Collections.singletonList(graph));
  }

  /** Attaches the subgraphs of a dynamic name, for example the branches of Case. */
  public Operator graph(String name, List<Graph> subgraphs) {
    int index = prototype.indexOf("subgraph", prototype.graphs(), name);
    if (!dynamic(prototype.graphs(), index) && subgraphs.size() != 1) {
      throw new IllegalArgumentException(
          prototype.type() + ": subgraph '" + name + "' is one graph, " + subgraphs.size() + " are given");
    }
    graphs.set(index, new ArrayList<>(subgraphs));
    return this;
  }

  /** Says how many tensors a dynamic output has. */
  public Operator outputs(String name, int count) {
    int index = prototype.indexOf("output", prototype.outputs(), name);
    if (!dynamic(prototype.outputs(), index)) {
      throw new IllegalArgumentException(prototype.type() + ": output '" + name + "' is not dynamic");
    }
    counts[index] = count;
    return this;
  }

  /** Adds the node and gives its first output. */
  public TensorHolder tensor() {
    return add().first();
  }

  /** Adds the node. A second call is an IllegalStateException. */
  public Outputs add() {
    if (added) {
      throw new IllegalStateException("this " + prototype.type() + " is in the graph already");
    }
    synchronized (builder) {
      try (Memory memory = new Memory()) {
        return add(memory);
      }
    }
  }

  private Outputs add(Memory memory) {
    int outputs = Math.max(1, prototype.outputs().size());
    LongBuffer holders = memory.cells(outputs);
    LongBuffer arrays = memory.cells(outputs);
    List<EsCTensor> tensors = new ArrayList<>();
    List<EsCGraph> wrapped = new ArrayList<>();
    boolean done = false;
    try {
      GeEsCall call = new GeEsCall();
      memory.atEnd(call::delete);
      call.setStruct_size(GeEsCall.bytes());
      call.setSchema(prototype.schema);
      call.setBuilder(new EsCGraphBuilder(builder.address(), false));
      call.setInputs(inputs(memory));
      call.setOutput_counts(memory.keep(outputCounts(memory)));
      call.setGraphs(graphs(memory, wrapped));
      GeEsAttr attrs = GeEsAttr.array(attributes.size());
      memory.atEnd(attrs::delete);
      int at = 0;
      for (Map.Entry<Integer, Object> given : attributes.entrySet()) {
        GeEsAttr to = attrs.at(at++);
        write(given.getKey(), given.getValue(), to, memory);
        if (prototype.attributes().get(given.getKey()).type == C_AttrValueType.C_VT_TENSOR) {
          EsCTensor tensor = handOver((Tensor) given.getValue(), memory);
          tensors.add(tensor);
          to.setTensor(tensor);
        }
      }
      call.setAttrs(attrs);
      call.setAttr_count(attributes.size());
      GeException.check(GE.GeEsAddNode(call, holders, arrays));
      done = true;
    } finally {
      if (!done) {
        tensors.forEach(GE::GeEsTensorDestroy);
        wrapped.forEach(GE::GeEsGraphDestroy);
      }
    }
    added = true;
    graphs.forEach(list -> list.forEach(Graph::attached));
    return outputs(holders, arrays);
  }

  private GeEsInput inputs(Memory memory) {
    GeEsInput array = GeEsInput.array(inputs.size());
    memory.atEnd(array::delete);
    for (int i = 0; i < inputs.size(); ++i) {
      List<TensorHolder> given = inputs.get(i);
      GeEsInput to = array.at(i);
      if (!dynamic(prototype.inputs(), i)) {
        TensorHolder one = given.isEmpty() ? null : given.get(0);
        to.setOne(one == null ? null : own(one));
        continue;
      }
      LongBuffer list = memory.keep(memory.cells(given.size()));
      for (int k = 0; k < given.size(); ++k) {
        list.put(k, given.get(k) == null ? 0 : EsCTensorHolder.getCPtr(own(given.get(k))));
      }
      to.setMany(list);
      to.setMany_count(given.size());
    }
    return array;
  }

  /** A tensor's handle; one of another builder is refused here, where that builder cannot be closed meanwhile. */
  private EsCTensorHolder own(TensorHolder tensor) {
    if (tensor.builder() != builder) {
      throw new IllegalArgumentException(prototype.type() + ": an input belongs to another graph builder");
    }
    return tensor.open();
  }

  private GeEsGraph graphs(Memory memory, List<EsCGraph> wrapped) {
    GeEsGraph array = GeEsGraph.array(graphs.size());
    memory.atEnd(array::delete);
    for (int i = 0; i < graphs.size(); ++i) {
      List<Graph> given = graphs.get(i);
      LongBuffer list = memory.keep(memory.cells(given.size()));
      for (int k = 0; k < given.size(); ++k) {
        Graph graph = given.get(k);
        if (graph == null) {
          throw new IllegalArgumentException(
              prototype.type() + ": subgraph '" + prototype.graphs().get(i).name() + "' is null");
        }
        EsCGraph box = graph.wrap(memory);
        wrapped.add(box);
        list.put(k, EsCGraph.getCPtr(box));
      }
      if (dynamic(prototype.graphs(), i)) {
        array.at(i).setMany(list);
        array.at(i).setMany_count(given.size());
      } else if (!given.isEmpty()) {
        array.at(i).setOne(wrapped.get(wrapped.size() - 1));
      }
    }
    return array;
  }

  private LongBuffer outputCounts(Memory memory) {
    LongBuffer list = memory.cells(Math.max(1, counts.length));
    int at = 0;
    for (int i = 0; i < counts.length; ++i) {
      if (dynamic(prototype.outputs(), i)) {
        list.put(at++, counts[i]);
      }
    }
    return list;
  }

  private Outputs outputs(LongBuffer holders, LongBuffer arrays) {
    List<List<TensorHolder>> lists = new ArrayList<>();
    for (int i = 0; i < holders.capacity(); ++i) {
      List<TensorHolder> list = new ArrayList<>();
      if (i < counts.length && dynamic(prototype.outputs(), i)) {
        for (int k = 0; k < counts[i]; ++k) {
          long address = GE.viewAt(arrays.get(i), 8L * counts[i]).getLong(8 * k);
          list.add(new TensorHolder(builder, new EsCTensorHolder(address, false)));
        }
      } else {
        list.add(new TensorHolder(builder, new EsCTensorHolder(holders.get(i), false)));
      }
      lists.add(list);
    }
    return new Outputs(prototype, lists);
  }

  private void write(int index, Object value, GeEsAttr to, Memory memory) {
    Prototype.Attribute attribute = prototype.attributes().get(index);
    String where = prototype.type() + ": attribute '" + attribute.name() + "'";
    to.setIr_index(index);
    Values.write(where, attribute.type, value, to.getValue(), memory);
  }

  /** A tensor as the builder takes it over, of any type: EsCreateEsCTensor has GE's list only. */
  static EsCTensor handOver(Tensor tensor, Memory memory) {
    LongBuffer out = memory.cell();
    GeException.check(GE.GeEsTensorCreate(new GeTensor(Session.tensor(tensor, memory), false), out));
    return new EsCTensor(out.get(0), false);
  }

  private static boolean dynamic(List<Prototype.Port> ports, int index) {
    return ports.get(index).kind() == Prototype.Kind.DYNAMIC;
  }
}
