package org.openge;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The outputs of a node that was added to a graph. */
public final class Outputs {
  private final Prototype prototype;
  // One entry per output of the prototype: one tensor, or those of a dynamic output.
  private final List<List<TensorHolder>> lists;

  Outputs(Prototype prototype, List<List<TensorHolder>> lists) {
    this.prototype = prototype;
    this.lists = lists;
  }

  /** The tensor of a required output. */
  public TensorHolder get(String name) {
    return only(prototype.indexOf("output", prototype.outputs(), name));
  }

  /** The tensors of an output; those of a dynamic one in order. */
  public List<TensorHolder> list(String name) {
    return Collections.unmodifiableList(lists.get(prototype.indexOf("output", prototype.outputs(), name)));
  }

  /** All tensors, in order. */
  public List<TensorHolder> all() {
    List<TensorHolder> all = new ArrayList<>();
    lists.forEach(all::addAll);
    return all;
  }

  /** The first output. For an operator without outputs a tensor that stands for the node, with index -1. */
  public TensorHolder first() {
    return only(0);
  }

  private TensorHolder only(int index) {
    List<TensorHolder> list = lists.get(index);
    if (!prototype.outputs().isEmpty() && prototype.outputs().get(index).kind() == Prototype.Kind.DYNAMIC) {
      throw new IllegalStateException(prototype.type() + ": output '" + prototype.outputs().get(index).name()
          + "' is dynamic: list() gives its " + list.size() + " tensors");
    }
    return list.get(0);
  }
}
