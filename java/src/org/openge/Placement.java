package org.openge;

import org.openge.c.GePlacement;

/** Where a node of a model runs. */
public final class Placement {
  private final String node;
  private final String type;
  private final String origins;
  private final String engine;
  private final String implementation;
  private final String refusals;

  Placement(GePlacement row) {
    node = row.getNode();
    type = row.getType();
    origins = row.getOrigins();
    engine = row.getEngine();
    implementation = row.getImplementation();
    refusals = row.getRefusals();
  }

  /** Name in the compiled graph. */
  public String node() {
    return node;
  }

  /** The operator's type. */
  public String type() {
    return type;
  }

  /** Names of the original nodes, separated by commas. */
  public String origins() {
    return origins;
  }

  /** The engine that runs it. */
  public String engine() {
    return engine;
  }

  /** The kernel; "" while the model has no plan. */
  public String implementation() {
    return implementation;
  }

  /** One line "engine: reason" for each engine that was asked before. */
  public String refusals() {
    return refusals;
  }

  @Override
  public String toString() {
    return type + " '" + node + "' on " + engine;
  }
}
