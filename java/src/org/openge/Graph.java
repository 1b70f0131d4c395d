package org.openge;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.openge.c.EsCGraph;
import org.openge.c.GE;
import org.openge.c.GeAttrData;
import org.openge.c.GeGraph;
import org.openge.c.GeTensorData;
import org.openge.c.GeText;

/**
 * A graph: built by a {@link GraphBuilder}, imported from ONNX or loaded. One thread uses it at a time; it stays usable after
 * the builder was closed.
 */
public final class Graph extends NativeObject {
  /** Forms in which a graph can be written down. */
  public enum DumpFormat {
    /** ONNX protobuf text. */
    ONNX(GE.GE_DUMP_ONNX),
    /** GE protobuf text. */
    TXT(GE.GE_DUMP_TXT),
    /** One line per node. */
    READABLE(GE.GE_DUMP_READABLE),
    /** Graphviz. */
    DOT(GE.GE_DUMP_DOT),
    /** A picture. */
    SVG(GE.GE_DUMP_SVG);

    private final int value;

    DumpFormat(int value) {
      this.value = value;
    }
  }

  private boolean attached;

  private Graph(long address) {
    super(address, last -> GE.GeGraphDestroy(new GeGraph(last, false)));
  }

  // ---- where graphs come from ----

  static Graph of(EsCGraph built) {
    return make(out -> GE.GeEsGraphRetainGraph(built, out));
  }

  /** The graph a node belongs to. */
  static Graph of(org.openge.c.GeNode node) {
    return make(out -> GE.GeNodeRetainGraph(node, out));
  }

  private static Graph make(ToLongFunction<LongBuffer> make) {
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      GeException.check(make.applyAsLong(out));
      return new Graph(out.get(0));
    }
  }

  /** An empty graph. */
  public static Graph empty(String name) {
    return make(out -> GE.GeGraphCreate(name, out));
  }

  /** Imports an ONNX file. All its problems are in one GeException. */
  public static Graph fromOnnx(Path file) {
    return make(out -> GE.GeOnnxImport(file.toString(), null, out));
  }

  /** Loads a graph that {@link #save} wrote. */
  public static Graph load(Path file) {
    Graph graph = empty(null);
    try {
      synchronized (graph) {
        GeException.check(GE.GeGraphLoad(graph.handle(), file.toString()));
      }
      return graph;
    } catch (RuntimeException e) {
      graph.close();
      throw e;
    }
  }

  /** Writes the graph with its weights as an AIR file. */
  public synchronized void save(Path file) {
    GeException.check(GE.GeGraphSave(handle(), file.toString()));
  }

  /** The bytes that {@link #save} would write. */
  public synchronized byte[] toBytes() {
    try (Memory memory = new Memory()) {
      LongBuffer data = memory.cell();
      LongBuffer size = memory.cell();
      GeException.check(GE.GeGraphToBytes(handle(), data, size));
      ByteBuffer from = GE.viewAt(data.get(0), size.get(0));
      memory.atEnd(() -> GE.GeBytesDestroy(from));
      byte[] bytes = new byte[from.remaining()];
      from.get(bytes);
      return bytes;
    }
  }

  /** A graph from bytes that {@link #toBytes} gave or {@link #save} wrote. */
  public static Graph fromBytes(byte[] bytes) {
    Graph graph = empty(null);
    try (Memory memory = new Memory()) {
      ByteBuffer data = memory.bytes(bytes.length);
      data.duplicate().put(bytes);
      synchronized (graph) {
        GeException.check(GE.GeGraphFromBytes(graph.handle(), data, bytes.length));
      }
      return graph;
    } catch (RuntimeException e) {
      graph.close();
      throw e;
    }
  }

  /** An independent copy. */
  public synchronized Graph copy() {
    GeGraph from = handle();
    return make(out -> GE.GeGraphClone(from, null, out));
  }

  // ---- what is in it ----

  public synchronized String name() {
    return GE.GeGraphName(handle());
  }

  /** The nodes in the order in which they were made, without those of subgraphs. */
  public synchronized List<Node> nodes() {
    GeGraph graph = handle();
    List<Node> nodes = new ArrayList<>();
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      long count = GE.GeGraphNodeCount(graph);
      for (long i = 0; i < count; ++i) {
        GeException.check(GE.GeGraphGetNode(graph, i, out));
        nodes.add(new Node(this, out.get(0)));
      }
    }
    return nodes;
  }

  /** The node of a name; a GeException when there is none. */
  public synchronized Node node(String name) {
    try (Memory memory = new Memory()) {
      LongBuffer out = memory.cell();
      GeException.check(GE.GeGraphFindNode(handle(), name, out));
      return new Node(this, out.get(0));
    }
  }

  /** The subgraphs of the nodes. Each is a graph of its own to close. */
  public synchronized List<Graph> subgraphs() {
    GeGraph graph = handle();
    List<Graph> subgraphs = new ArrayList<>();
    for (long i = 0; i < GE.GeGraphSubgraphCount(graph); ++i) {
      long index = i;
      subgraphs.add(make(out -> GE.GeGraphRetainSubgraph(graph, index, out)));
    }
    return subgraphs;
  }

  /** An attribute's value; see {@link Node#attr}. */
  public synchronized Object attr(String name) {
    try (Memory memory = new Memory()) {
      GeAttrData data = Node.attrData(memory);
      GeException.check(GE.GeGraphGetAttr(handle(), name, data));
      return Values.read(data);
    }
  }

  /** Sets an attribute; see {@link Node#setAttr}. */
  public synchronized void setAttr(String name, Object value) {
    try (Memory memory = new Memory()) {
      GeException.check(GE.GeGraphSetAttr(handle(), Node.attrData("graph", name, value, memory)));
    }
  }

  // ---- as a whole ----

  /** Checks types, arity, edges and subgraphs; a GeException names the first fault. */
  public synchronized void verify() {
    GeException.check(GE.GeGraphVerify(handle()));
  }

  /** Infers the types and shapes of all nodes. */
  public synchronized void infer() {
    GeException.check(GE.GeGraphInfer(handle(), (GeTensorData) null, 0));
  }

  /** The graph as text. */
  public synchronized String dump(DumpFormat format) {
    try (Memory memory = new Memory()) {
      GeText text = memory.collector();
      GeException.check(GE.GeGraphDump(handle(), format.value, text));
      return text.str();
    }
  }

  /** Compiles the graph, which is not changed. */
  public Model compile() {
    return compile(Collections.emptyMap());
  }

  /** Compiles the graph with options, for example {@code Map.of("threads", "2")}. */
  public synchronized Model compile(Map<String, String> options) {
    return Model.compile(handle(), options);
  }

  @Override
  public String toString() {
    return isClosed() ? "Graph (closed)" : "Graph " + name();
  }

  // ---- for the package ----

  /** The handle, for a call under this graph's lock. */
  GeGraph handle() {
    return new GeGraph(address(), false);
  }

  /** A box around a new reference, to hand over as a subgraph. */
  synchronized EsCGraph wrap(Memory memory) {
    if (attached) {
      throw new IllegalStateException("graph '" + name() + "' is a subgraph already");
    }
    LongBuffer out = memory.cell();
    GeException.check(GE.GeEsGraphCreate(handle(), out));
    return new EsCGraph(out.get(0), false);
  }

  synchronized void attached() {
    attached = true;
  }
}
