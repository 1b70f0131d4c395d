package org.openge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.openge.c.GE;
import org.openge.c.GeTensorData;

/**
 * Values with a type and a shape, in memory outside the Java heap: dense, row major, little endian. Nothing has to be closed.
 *
 * <p>{@code of} copies values in, {@link #wrap} uses a direct buffer as it is, and the library reads and writes both without
 * another copy. A scalar has the shape {}.
 */
public final class Tensor {
  private final DataType dataType;
  private final Format format;
  private final long[] shape;
  private final ByteBuffer buffer;

  private Tensor(DataType dataType, Format format, long[] shape, ByteBuffer buffer) {
    this.dataType = dataType;
    this.format = format;
    this.shape = shape.clone();
    this.buffer = buffer;
  }

  // ---- making tensors ----

  /** Zeros of a type and shape. */
  public static Tensor zeros(DataType dataType, long... shape) {
    long bytes = byteSize(dataType, shape);
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          dataType + Arrays.toString(shape) + " needs " + bytes + " bytes, at most " + Integer.MAX_VALUE);
    }
    ByteBuffer memory = ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    return new Tensor(dataType, Format.ND, shape, memory);
  }

  /**
   * A tensor over the remaining bytes of a direct buffer, without a copy. They must be exactly as many as type and shape need
   * and begin at a multiple of an element's size.
   */
  public static Tensor wrap(ByteBuffer memory, DataType dataType, long... shape) {
    if (!memory.isDirect()) {
      throw new IllegalArgumentException("the buffer is not direct: ByteBuffer.allocateDirect makes one that is");
    }
    long needed = byteSize(dataType, shape);
    if (memory.remaining() != needed) {
      throw new IllegalArgumentException(
          dataType + Arrays.toString(shape) + " needs " + needed + " bytes, the buffer has " + memory.remaining());
    }
    ByteBuffer part = memory.slice().order(ByteOrder.LITTLE_ENDIAN);
    int unit = (int) Math.max(1, GE.GeDataTypeBits(dataType.value) / 8);
    if (GE.address(part) % unit != 0) {
      throw new IllegalArgumentException("the buffer does not begin at a multiple of " + unit + " bytes, as " + dataType
          + " needs");
    }
    return new Tensor(dataType, Format.ND, shape, part);
  }

  /** FLOAT values; without a shape a vector. */
  public static Tensor of(float[] values, long... shape) {
    Tensor t = sized(DataType.FLOAT, values.length, shape);
    t.buffer.asFloatBuffer().put(values);
    return t;
  }

  /** DOUBLE values; without a shape a vector. */
  public static Tensor of(double[] values, long... shape) {
    Tensor t = sized(DataType.DOUBLE, values.length, shape);
    t.buffer.asDoubleBuffer().put(values);
    return t;
  }

  /** INT64 values; without a shape a vector. */
  public static Tensor of(long[] values, long... shape) {
    Tensor t = sized(DataType.INT64, values.length, shape);
    t.buffer.asLongBuffer().put(values);
    return t;
  }

  /** INT32 values; without a shape a vector. */
  public static Tensor of(int[] values, long... shape) {
    Tensor t = sized(DataType.INT32, values.length, shape);
    t.buffer.asIntBuffer().put(values);
    return t;
  }

  /** INT16 values; without a shape a vector. */
  public static Tensor of(short[] values, long... shape) {
    Tensor t = sized(DataType.INT16, values.length, shape);
    t.buffer.asShortBuffer().put(values);
    return t;
  }

  /** INT8 values; without a shape a vector. */
  public static Tensor of(byte[] values, long... shape) {
    Tensor t = sized(DataType.INT8, values.length, shape);
    t.buffer.duplicate().put(values);
    return t;
  }

  /** BOOL values; without a shape a vector. */
  public static Tensor of(boolean[] values, long... shape) {
    Tensor t = sized(DataType.BOOL, values.length, shape);
    for (int i = 0; i < values.length; ++i) {
      t.buffer.put(i, (byte) (values[i] ? 1 : 0));
    }
    return t;
  }

  /** A FLOAT scalar. */
  public static Tensor scalar(float value) {
    Tensor t = zeros(DataType.FLOAT);
    t.buffer.putFloat(0, value);
    return t;
  }

  /** A DOUBLE scalar. */
  public static Tensor scalar(double value) {
    Tensor t = zeros(DataType.DOUBLE);
    t.buffer.putDouble(0, value);
    return t;
  }

  /** An INT32 scalar. */
  public static Tensor scalar(int value) {
    Tensor t = zeros(DataType.INT32);
    t.buffer.putInt(0, value);
    return t;
  }

  /** An INT64 scalar. */
  public static Tensor scalar(long value) {
    Tensor t = zeros(DataType.INT64);
    t.buffer.putLong(0, value);
    return t;
  }

  /** The same memory with another element type of the same size, for example UINT32 for INT32, FLOAT16 for INT16. */
  public Tensor as(DataType other) {
    if (GE.GeDataTypeBits(other.value) != GE.GeDataTypeBits(dataType.value)) {
      throw new IllegalArgumentException("elements of " + other + " have not the size of " + dataType);
    }
    return new Tensor(other, format, shape, buffer);
  }

  /** The same memory with another format. */
  public Tensor as(Format other) {
    return new Tensor(dataType, other, shape, buffer);
  }

  /** The same memory with another shape of as many elements. */
  public Tensor reshape(long... other) {
    if (count(other) != count(shape)) {
      throw new IllegalArgumentException(Arrays.toString(shape) + " cannot have the shape " + Arrays.toString(other));
    }
    return new Tensor(dataType, format, other, buffer);
  }

  // ---- description ----

  public DataType dataType() {
    return dataType;
  }

  public Format format() {
    return format;
  }

  public long[] shape() {
    return shape.clone();
  }

  /** Number of elements. */
  public long count() {
    return count(shape);
  }

  @Override
  public String toString() {
    return "Tensor " + dataType + Arrays.toString(shape);
  }

  // ---- content ----

  /** The content itself: writing to the buffer changes the tensor. */
  public ByteBuffer buffer() {
    return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The content itself as FLOAT values. */
  public FloatBuffer floatBuffer() {
    need(DataType.FLOAT);
    return buffer.asFloatBuffer();
  }

  /** A copy of FLOAT values. */
  public float[] toFloats() {
    FloatBuffer from = floatBuffer();
    float[] values = new float[from.remaining()];
    from.get(values);
    return values;
  }

  /** A copy of DOUBLE values. */
  public double[] toDoubles() {
    need(DataType.DOUBLE);
    DoubleBuffer from = buffer.asDoubleBuffer();
    double[] values = new double[from.remaining()];
    from.get(values);
    return values;
  }

  /** A copy of INT64 or UINT64 values. */
  public long[] toLongs() {
    need(DataType.INT64, DataType.UINT64);
    LongBuffer from = buffer.asLongBuffer();
    long[] values = new long[from.remaining()];
    from.get(values);
    return values;
  }

  /** A copy of INT32 or UINT32 values. */
  public int[] toInts() {
    need(DataType.INT32, DataType.UINT32);
    IntBuffer from = buffer.asIntBuffer();
    int[] values = new int[from.remaining()];
    from.get(values);
    return values;
  }

  /** A copy of values of 16 bits: INT16, UINT16, FLOAT16 or BF16. */
  public short[] toShorts() {
    need(DataType.INT16, DataType.UINT16, DataType.FLOAT16, DataType.BF16);
    ShortBuffer from = buffer.asShortBuffer();
    short[] values = new short[from.remaining()];
    from.get(values);
    return values;
  }

  /** A copy of BOOL values. */
  public boolean[] toBooleans() {
    need(DataType.BOOL);
    boolean[] values = new boolean[buffer.capacity()];
    for (int i = 0; i < values.length; ++i) {
      values[i] = buffer.get(i) != 0;
    }
    return values;
  }

  /** A copy of the bytes, of any type. */
  public byte[] toBytes() {
    byte[] values = new byte[buffer.capacity()];
    buffer.duplicate().get(values);
    return values;
  }

  // ---- for the package ----

  /** The memory whose address calls of the C ABI take. */
  ByteBuffer memory() {
    return buffer;
  }

  void describe(GeTensorData to, Memory memory) {
    LongBuffer dims = shape.length == 0 ? null : memory.longs(shape);
    to.setData_type(dataType.value);
    to.setFormat(format.value);
    to.setOrigin_format(format.value);
    to.setRank(shape.length);
    to.setOrigin_rank(shape.length);
    to.setDims(dims);
    to.setOrigin_dims(dims);
    to.setData(buffer);
    to.setSize(buffer.capacity());
  }

  /** A copy of what a description points to. */
  static Tensor copyOf(GeTensorData from) {
    long[] shape = TensorInfo.dims(from, Math.max(0, from.getRank()));
    Tensor t = zeros(DataType.of(from.getData_type()), shape).as(Format.of(from.getFormat()));
    if (t.buffer.capacity() > 0 && from.getData() != null) {
      long size = Math.min(from.getSize(), t.buffer.capacity());
      t.buffer.duplicate().put(GE.view(from.getData(), size));
    }
    return t;
  }

  /** This memory, or its beginning, with the type and shape of a description. */
  Tensor resized(long[] other) {
    ByteBuffer part = buffer.duplicate();
    part.limit((int) byteSize(dataType, other));
    return new Tensor(dataType, format, other, part.slice().order(ByteOrder.LITTLE_ENDIAN));
  }

  private static Tensor sized(DataType dataType, int length, long[] shape) {
    long[] dims = shape.length == 0 ? new long[] {length} : shape;
    if (count(dims) != length) {
      throw new IllegalArgumentException(
          "the shape " + Arrays.toString(shape) + " has " + count(dims) + " elements, " + length + " values are given");
    }
    return zeros(dataType, dims);
  }

  private static long count(long[] shape) {
    long count = 1;
    for (long dim : shape) {
      if (dim < 0) {
        throw new IllegalArgumentException("the shape " + Arrays.toString(shape) + " has a negative dimension");
      }
      count = Math.multiplyExact(count, dim);
    }
    return count;
  }

  private static long byteSize(DataType dataType, long[] shape) {
    long bits = GE.GeDataTypeBits(dataType.value);
    if (bits == 0) {
      throw new IllegalArgumentException("elements of " + dataType + " have no fixed size");
    }
    return (Math.multiplyExact(count(shape), bits) + 7) / 8;
  }

  private void need(DataType... types) {
    if (!Arrays.asList(types).contains(dataType)) {
      throw new IllegalStateException("the tensor holds " + dataType + ", not " + types[0]);
    }
  }
}
