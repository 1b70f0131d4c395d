package org.openge;

import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import org.openge.c.GE;
import org.openge.c.GeAttrData;
import org.openge.c.GeNode;
import org.openge.c.GeTensorData;

/** A node of a graph. It keeps the graph alive; after that was closed every use is an IllegalStateException. */
public final class Node {
  private final Graph graph;
  private final long address;

  Node(Graph graph, long address) {
    this.graph = graph;
    this.address = address;
  }

  static Node withGraph(long address) {
    return new Node(Graph.of(new GeNode(address, false)), address);
  }

  /** The graph it belongs to. */
  public Graph graph() {
    return graph;
  }

  public String name() {
    synchronized (graph) {
      return GE.GeNodeName(handle());
    }
  }

  /** The operator's type. */
  public String type() {
    synchronized (graph) {
      return GE.GeNodeType(handle());
    }
  }

  public int inputCount() {
    synchronized (graph) {
      return (int) GE.GeNodeInputCount(handle());
    }
  }

  public int outputCount() {
    synchronized (graph) {
      return (int) GE.GeNodeOutputCount(handle());
    }
  }

  /** Type and shape of an input. */
  public TensorInfo input(int port) {
    synchronized (graph) {
      try (Memory memory = new Memory()) {
        GeTensorData data = memory.tensors(1);
        GeException.check(GE.GeNodeGetInputDesc(handle(), port, data));
        return TensorInfo.of("", data);
      }
    }
  }

  /** Type and shape of an output. */
  public TensorInfo output(int port) {
    synchronized (graph) {
      try (Memory memory = new Memory()) {
        GeTensorData data = memory.tensors(1);
        GeException.check(GE.GeNodeGetOutputDesc(handle(), port, data));
        return TensorInfo.of("", data);
      }
    }
  }

  /** The node that feeds an input; null when it is not connected. */
  public Node source(int port) {
    synchronized (graph) {
      try (Memory memory = new Memory()) {
        LongBuffer node = memory.cell();
        IntBuffer output = memory.bytes(4).asIntBuffer();
        GeException.check(GE.GeNodeGetInputSource(handle(), port, node, output));
        return node.get(0) == 0 ? null : new Node(graph, node.get(0));
      }
    }
  }

  /** Names of the attributes that are set, sorted. */
  public List<String> attrNames() {
    synchronized (graph) {
      try (Memory memory = new Memory()) {
        GeAttrData data = attrData(memory);
        List<String> names = new ArrayList<>();
        for (long i = 0; i < GE.GeNodeAttrCount(handle()); ++i) {
          GeException.check(GE.GeNodeGetAttrAt(handle(), i, data));
          names.add(data.getName());
        }
        return names;
      }
    }
  }

  /**
   * An attribute's value, the prototype's default where it is not set: Long, Float, Boolean, String, {@link DataType} or
   * {@link Tensor}; a list is an array of these (long[], float[], boolean[], long[][] …), bytes are byte[].
   */
  public Object attr(String name) {
    synchronized (graph) {
      try (Memory memory = new Memory()) {
        GeAttrData data = attrData(memory);
        GeException.check(GE.GeNodeGetAttr(handle(), name, data));
        return Values.read(data);
      }
    }
  }

  /** Sets an attribute. Its type follows from the value's class, as {@link #attr} returns it; int and double work too. */
  public void setAttr(String name, Object value) {
    synchronized (graph) {
      try (Memory memory = new Memory()) {
        GeException.check(GE.GeNodeSetAttr(handle(), attrData("node", name, value, memory)));
      }
    }
  }

  /** Original nodes that this one stands for. */
  public List<String> origins() {
    synchronized (graph) {
      List<String> origins = new ArrayList<>();
      for (long i = 0; i < GE.GeNodeOriginCount(handle()); ++i) {
        origins.add(GE.GeNodeOrigin(handle(), i));
      }
      return origins;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Node && ((Node) other).address == address;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(address);
  }

  @Override
  public String toString() {
    return graph.isClosed() ? "Node (graph closed)" : type() + " '" + name() + "'";
  }

  private GeNode handle() {
    graph.address();
    return new GeNode(address, false);
  }

  // ---- attributes as the C ABI has them ----

  static GeAttrData attrData(Memory memory) {
    GeAttrData data = GeAttrData.array(1);
    memory.atEnd(data::delete);
    return data;
  }

  static GeAttrData attrData(String what, String name, Object value, Memory memory) {
    int type = Values.typeOf(value);
    if (type < 0) {
      throw new IllegalArgumentException(what + " attribute '" + name + "' cannot be "
          + (value == null ? "null" : "a " + value.getClass().getSimpleName()));
    }
    GeAttrData data = attrData(memory);
    if (name != null) {
      data.setNameText(memory.keep(memory.text(name)));
    }
    Values.write(what + " attribute '" + name + "'", type, value, data, memory);
    return data;
  }
}
