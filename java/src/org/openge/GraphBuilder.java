package org.openge;

import java.util.List;
import java.util.Map;
import org.openge.c.EsCGraph;
import org.openge.c.EsCGraphBuilder;
import org.openge.c.EsCTensorHolder;
import org.openge.c.GE;

/**
 * Builds one graph, node by node. Tensors it made belong to it; the built {@link Graph} does not and outlives it.
 *
 * <pre>{@code
 * try (GraphBuilder b = new GraphBuilder("affine")) {
 *   TensorHolder x = b.input("x", DataType.FLOAT, 4);
 *   TensorHolder y = b.op("Relu", b.op("Sub", b.op("Mul", x, b.constant(2f)), b.constant(3f)));
 *   Graph graph = b.build(y);
 * }
 * }</pre>
 */
public final class GraphBuilder extends NativeObject {
  public GraphBuilder(String name) {
    super(create(name), address -> GE.EsDestroyGraphBuilder(new EsCGraphBuilder(address, false)));
  }

  private static long create(String name) {
    return EsCGraphBuilder.getCPtr(GeException.check(GE.EsCreateGraphBuilder(name)));
  }

  // ---- inputs ----

  /** Adds the next input of the graph. A dimension that is not known is -1. */
  public synchronized TensorHolder input(String name, DataType dataType, long... shape) {
    return input((int) GE.GeEsBuilderInputCount(handle()), name, "Data", dataType, Format.ND, shape);
  }

  /** Adds the input `index` of the graph; type is "Data", "RefData", "AippData", "AnnData" or "AnyData". */
  public synchronized TensorHolder input(
      int index, String name, String type, DataType dataType, Format format, long... shape) {
    try (Memory memory = new Memory()) {
      return holder(GE.EsCreateGraphInputWithDetails(
          handle(), index, name, type, dataType.value, format.value, memory.longs(shape), shape.length));
    }
  }

  /** Adds a Variable. */
  public synchronized TensorHolder variable(int index, String name) {
    return holder(GE.EsCreateVariable(handle(), index, name));
  }

  // ---- constants ----

  /** A constant of any type. */
  public synchronized TensorHolder constant(Tensor value) {
    try (Memory memory = new Memory()) {
      EsCGraphBuilder b = handle();
      long[] shape = value.shape();
      switch (value.format() == Format.ND ? value.dataType() : DataType.UNDEFINED) {
        case FLOAT:
          return holder(GE.EsCreateConstFloat(b, value.memory(), memory.longs(shape), shape.length));
        case INT32:
          return holder(GE.EsCreateConstInt32(b, value.memory(), memory.longs(shape), shape.length));
        case INT64:
          return holder(GE.EsCreateConstInt64(b, value.memory(), memory.longs(shape), shape.length));
        case UINT32:
          return holder(GE.EsCreateConstUInt32(b, value.memory(), memory.longs(shape), shape.length));
        case UINT64:
          return holder(GE.EsCreateConstUInt64(b, value.memory(), memory.longs(shape), shape.length));
        default:
          return operator("Const").attr("value", value).tensor();
      }
    }
  }

  /** A FLOAT scalar. */
  public TensorHolder constant(float value) {
    return constant(Tensor.scalar(value));
  }

  /** A DOUBLE scalar. */
  public TensorHolder constant(double value) {
    return constant(Tensor.scalar(value));
  }

  /** An INT32 scalar. */
  public TensorHolder constant(int value) {
    return constant(Tensor.scalar(value));
  }

  /** An INT64 scalar. */
  public TensorHolder constant(long value) {
    return constant(Tensor.scalar(value));
  }

  /** FLOAT values; without a shape a vector. */
  public TensorHolder constant(float[] values, long... shape) {
    return constant(Tensor.of(values, shape));
  }

  /** DOUBLE values; without a shape a vector. */
  public TensorHolder constant(double[] values, long... shape) {
    return constant(Tensor.of(values, shape));
  }

  /** INT32 values; without a shape a vector. */
  public TensorHolder constant(int[] values, long... shape) {
    return constant(Tensor.of(values, shape));
  }

  /** INT64 values; without a shape a vector. */
  public TensorHolder constant(long[] values, long... shape) {
    return constant(Tensor.of(values, shape));
  }

  /** BOOL values; without a shape a vector. */
  public TensorHolder constant(boolean[] values, long... shape) {
    return constant(Tensor.of(values, shape));
  }

  // ---- operators ----

  /** Any operator by its type, its inputs in the order of the prototype; gives the first output. */
  public TensorHolder op(String type, TensorHolder... inputs) {
    return operator(type).inputs(inputs).tensor();
  }

  /** The same with attributes. */
  public TensorHolder op(String type, List<TensorHolder> inputs, Map<String, ?> attributes) {
    Operator operator = operator(type).inputs(inputs.toArray(new TensorHolder[0]));
    attributes.forEach((name, value) -> operator.attr(name, value));
    return operator.tensor();
  }

  /** Any operator by its type, described step by step. */
  public Operator operator(String type) {
    return new Operator(this, Prototype.of(type));
  }

  // ---- graph ----

  /** Sets an attribute of the graph. */
  public synchronized GraphBuilder attr(String name, long value) {
    GeException.check(GE.EsSetInt64AttrForGraph(handle(), name, value));
    return this;
  }

  /** Sets an attribute of the graph. */
  public synchronized GraphBuilder attr(String name, String value) {
    GeException.check(GE.EsSetStringAttrForGraph(handle(), name, value));
    return this;
  }

  /** Sets an attribute of the graph. */
  public synchronized GraphBuilder attr(String name, boolean value) {
    GeException.check(GE.EsSetBoolAttrForGraph(handle(), name, value));
    return this;
  }

  /** Makes a tensor the output `index` of the graph. */
  public synchronized GraphBuilder output(TensorHolder tensor, int index) {
    GeException.check(GE.EsSetGraphOutput(own(tensor, "the output"), index));
    return this;
  }

  /**
   * Ends the building: the tensors become the outputs 0, 1, …, beside those set before. Afterwards only questions about the
   * tensors are possible.
   */
  public synchronized Graph build(TensorHolder... outputs) {
    for (int i = 0; i < outputs.length; ++i) {
      if (GE.GeEsHolderIndex(own(outputs[i], "output " + i)) < 0) {
        throw new IllegalArgumentException("output " + i + " is of an operator without outputs");
      }
    }
    for (int i = 0; i < outputs.length; ++i) {
      GeException.check(GE.EsSetGraphOutput(outputs[i].open(), i));
    }
    EsCGraph built = GeException.check(GE.EsBuildGraphAndReset(handle()));
    try {
      return Graph.of(built);
    } finally {
      GE.GeEsGraphDestroy(built);
    }
  }

  private EsCTensorHolder own(TensorHolder tensor, String what) {
    if (tensor == null || tensor.builder() != this) {
      throw new IllegalArgumentException(what + " is null or belongs to another builder");
    }
    return tensor.open();
  }

  private EsCGraphBuilder handle() {
    return new EsCGraphBuilder(address(), false);
  }

  private TensorHolder holder(EsCTensorHolder made) {
    return new TensorHolder(this, GeException.check(made));
  }
}
