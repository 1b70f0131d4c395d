package org.openge;

import java.nio.LongBuffer;
import org.openge.c.EsCNode;
import org.openge.c.EsCTensorHolder;
import org.openge.c.GE;

/**
 * One output of a node while a graph is built. It belongs to its {@link GraphBuilder} and keeps it alive; after that was closed
 * every use is an IllegalStateException.
 */
public final class TensorHolder {
  private final GraphBuilder builder;
  private final EsCTensorHolder handle;

  TensorHolder(GraphBuilder builder, EsCTensorHolder handle) {
    this.builder = builder;
    this.handle = handle;
  }

  /** The builder it belongs to. */
  public GraphBuilder builder() {
    return builder;
  }

  /** Number of this output of its node; -1 for an operator without outputs. */
  public int index() {
    synchronized (builder) {
      return GE.GeEsHolderIndex(open());
    }
  }

  /** The node that makes it. */
  public Node producer() {
    synchronized (builder) {
      try (Memory memory = new Memory()) {
        EsCNode producer = GeException.check(GE.EsGetProducer(open()));
        LongBuffer out = memory.cell();
        GeException.check(GE.GeEsNodeGet(producer, out));
        return Node.withGraph(out.get(0));
      }
    }
  }

  /** Sets the type. */
  public TensorHolder dataType(DataType dataType) {
    synchronized (builder) {
      GeException.check(GE.EsSetDataType(open(), dataType.value));
    }
    return this;
  }

  /** Sets the format. */
  public TensorHolder format(Format format) {
    synchronized (builder) {
      GeException.check(GE.EsSetFormat(open(), format.value));
    }
    return this;
  }

  /** Sets the shape; -1 is a dimension that is not known, {-2} a shape of which nothing is known, {} a scalar. */
  public TensorHolder shape(long... shape) {
    synchronized (builder) {
      try (Memory memory = new Memory()) {
        GeException.check(GE.EsSetShape(open(), memory.longs(shape), shape.length));
      }
    }
    return this;
  }

  /** Sets an attribute of this output. */
  public TensorHolder attr(String name, long value) {
    synchronized (builder) {
      GeException.check(GE.EsSetInt64AttrForTensor(open(), name, value));
    }
    return this;
  }

  /** Sets an attribute of this output. */
  public TensorHolder attr(String name, String value) {
    synchronized (builder) {
      GeException.check(GE.EsSetStringAttrForTensor(open(), name, value));
    }
    return this;
  }

  /** Sets an attribute of this output. */
  public TensorHolder attr(String name, boolean value) {
    synchronized (builder) {
      GeException.check(GE.EsSetBoolAttrForTensor(open(), name, value));
    }
    return this;
  }

  /** Sets an attribute of the node that makes it. */
  public TensorHolder nodeAttr(String name, long value) {
    synchronized (builder) {
      GeException.check(GE.EsSetInt64AttrForNode(open(), name, value));
    }
    return this;
  }

  /** Sets an attribute of the node that makes it. */
  public TensorHolder nodeAttr(String name, String value) {
    synchronized (builder) {
      GeException.check(GE.EsSetStringAttrForNode(open(), name, value));
    }
    return this;
  }

  /** Sets an attribute of the node that makes it. */
  public TensorHolder nodeAttr(String name, boolean value) {
    synchronized (builder) {
      GeException.check(GE.EsSetBoolAttrForNode(open(), name, value));
    }
    return this;
  }

  /** Lets the node that makes it run after the nodes that make the others. */
  public TensorHolder after(TensorHolder... others) {
    synchronized (builder) {
      try (Memory memory = new Memory()) {
        LongBuffer list = memory.cells(others.length);
        for (int i = 0; i < others.length; ++i) {
          if (others[i] == null || others[i].builder != builder) {
            throw new IllegalArgumentException("tensor " + i + " is null or belongs to another builder");
          }
          list.put(i, EsCTensorHolder.getCPtr(others[i].open()));
        }
        GeException.check(GE.EsAddControlEdge(open(), list, others.length));
      }
    }
    return this;
  }

  /** The handle, for a call under the builder's lock. */
  EsCTensorHolder open() {
    builder.address();
    return handle;
  }
}
