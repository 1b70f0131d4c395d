package org.openge;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.openge.c.GE;
import org.openge.c.GeIrAttr;
import org.openge.c.GeIrGraph;
import org.openge.c.GeIrPort;
import org.openge.c.GeOpSchema;

/** A registered operator type: its inputs, outputs, attributes and subgraphs. */
public final class Prototype {
  /** How many tensors or graphs a name stands for. */
  public enum Kind {
    /** Exactly one. */
    REQUIRED,
    /** One or none. */
    OPTIONAL,
    /** Any number. */
    DYNAMIC
  }

  /** An input, an output or a subgraph. */
  public static final class Port {
    private final String name;
    private final Kind kind;
    private final String dataTypes;

    Port(String name, int kind, String dataTypes) {
      this.name = name;
      this.kind = kind == GE.GE_IR_DYNAMIC ? Kind.DYNAMIC : kind == GE.GE_IR_OPTIONAL ? Kind.OPTIONAL : Kind.REQUIRED;
      this.dataTypes = dataTypes;
    }

    public String name() {
      return name;
    }

    public Kind kind() {
      return kind;
    }

    /** The types it may have, as the prototype says it; "" for a subgraph. */
    public String dataTypes() {
      return dataTypes;
    }

    @Override
    public String toString() {
      return name + (kind == Kind.REQUIRED ? "" : kind == Kind.OPTIONAL ? "?" : "...");
    }
  }

  /** An attribute. */
  public static final class Attribute {
    private final String name;
    final int type; // C_AttrValueType
    private final boolean required;
    private final Object fallback;

    Attribute(String name, int type, boolean required, Object fallback) {
      this.name = name;
      this.type = type;
      this.required = required;
      this.fallback = fallback;
    }

    public String name() {
      return name;
    }

    public boolean required() {
      return required;
    }

    /** Kind of the value, for example "ListInt". */
    public String type() {
      return Values.typeName(type);
    }

    /** Value when it is not given; null for a required attribute. See {@link Node#attr} for its class. */
    public Object fallback() {
      return fallback;
    }

    @Override
    public String toString() {
      return name + ": " + type();
    }
  }

  private static final Map<String, Prototype> KNOWN = new ConcurrentHashMap<>();

  final GeOpSchema schema; // the library's, until the process ends
  private final String type;
  private final String brief;
  private final List<Port> inputs = new ArrayList<>();
  private final List<Port> outputs = new ArrayList<>();
  private final List<Attribute> attributes = new ArrayList<>();
  private final List<Port> graphs = new ArrayList<>();

  private Prototype(GeOpSchema schema) {
    this.schema = schema;
    type = schema.getType();
    brief = schema.getBrief() == null ? "" : schema.getBrief();
    ports(schema.getInputs(), schema.getInput_count(), inputs);
    ports(schema.getOutputs(), schema.getOutput_count(), outputs);
    for (long i = 0; i < schema.getAttr_count(); ++i) {
      GeIrAttr a = schema.getAttrs().at(i);
      boolean required = a.getRequired() != 0;
      Object fallback = required ? null : Values.read(a.getValue());
      attributes.add(new Attribute(a.getValue().getName(), a.getValue().getType(), required, fallback));
    }
    for (long i = 0; i < schema.getGraph_count(); ++i) {
      GeIrGraph g = schema.getGraphs().at(i);
      graphs.add(new Port(g.getName(), g.getKind(), ""));
    }
  }

  private static void ports(GeIrPort from, long count, List<Port> to) {
    for (long i = 0; i < count; ++i) {
      GeIrPort p = from.at(i);
      to.add(new Port(p.getName(), p.getKind(), p.getData_types() == null ? "" : p.getData_types()));
    }
  }

  /** The prototype of an operator type; a GeException that lists near names when there is none. */
  public static Prototype of(String type) {
    if (type == null) {
      throw new IllegalArgumentException("the operator type is null");
    }
    Prototype known = KNOWN.get(type);
    if (known == null) {
      try (Memory memory = new Memory()) {
        LongBuffer out = memory.cell();
        GeException.check(GE.GeOpFind(type, out));
        known = new Prototype(new GeOpSchema(out.get(0), false));
      }
      KNOWN.put(type, known);
    }
    return known;
  }

  /** The types of all registered operators, in order of their names. */
  public static List<String> types() {
    List<String> types = new ArrayList<>();
    for (long i = 0; i < GE.GeOpCount(); ++i) {
      types.add(GE.GeOpAt(i).getType());
    }
    return types;
  }

  public String type() {
    return type;
  }

  /** A description of the operator in one line. */
  public String brief() {
    return brief;
  }

  public List<Port> inputs() {
    return Collections.unmodifiableList(inputs);
  }

  public List<Port> outputs() {
    return Collections.unmodifiableList(outputs);
  }

  public List<Attribute> attributes() {
    return Collections.unmodifiableList(attributes);
  }

  public List<Port> graphs() {
    return Collections.unmodifiableList(graphs);
  }

  @Override
  public String toString() {
    return type + inputs + " -> " + outputs;
  }

  /** Place of a named part, or an exception that lists the names there are. */
  int indexOf(String what, List<Port> ports, String name) {
    for (int i = 0; i < ports.size(); ++i) {
      if (ports.get(i).name.equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException(type + " has no " + what + " '" + name + "', it has " + ports);
  }

  int attributeIndex(String name) {
    for (int i = 0; i < attributes.size(); ++i) {
      if (attributes.get(i).name.equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException(type + " has no attribute '" + name + "', it has " + attributes);
  }
}
