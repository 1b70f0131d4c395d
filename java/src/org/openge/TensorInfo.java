package org.openge;

import java.nio.Buffer;
import java.util.Arrays;
import org.openge.c.GE;
import org.openge.c.GeTensorData;

/** The description of a tensor: its name where it has one, type, format and shape. */
public final class TensorInfo {
  private final String name;
  private final DataType dataType;
  private final Format format;
  private final long[] shape;

  TensorInfo(String name, DataType dataType, Format format, long[] shape) {
    this.name = name;
    this.dataType = dataType;
    this.format = format;
    this.shape = shape;
  }

  static TensorInfo of(String name, GeTensorData data) {
    int rank = data.getRank();
    return new TensorInfo(
        name, DataType.of(data.getData_type()), Format.of(data.getFormat()), rank < 0 ? null : dims(data, rank));
  }

  static long[] dims(GeTensorData data, int rank) {
    long[] shape = new long[rank];
    Buffer dims = data.getDims();
    if (rank > 0 && dims != null) {
      GE.view(dims, 8L * rank).asLongBuffer().get(shape);
    }
    return shape;
  }

  /** The name, or "" where there is none. */
  public String name() {
    return name;
  }

  public DataType dataType() {
    return dataType;
  }

  public Format format() {
    return format;
  }

  /** The dimensions, -1 where one is not known; null when their number is not known either. */
  public long[] shape() {
    return shape == null ? null : shape.clone();
  }

  @Override
  public String toString() {
    String dims = shape == null ? "[...]" : Arrays.toString(shape);
    return (name.isEmpty() ? "" : name + ": ") + dataType + dims;
  }
}
