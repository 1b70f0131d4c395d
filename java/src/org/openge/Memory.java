package org.openge;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.openge.c.GeTensorData;
import org.openge.c.GeText;

/** Memory for the arguments of one call of the C ABI; gone after {@link #close()}. */
final class Memory implements AutoCloseable {
  private static final int BLOCK = 16 << 10;
  private static final ThreadLocal<ByteBuffer> SPARE = new ThreadLocal<>();

  private ByteBuffer block;
  private final List<Runnable> later = new ArrayList<>();
  // Buffers whose addresses were written somewhere: they must live until the call is over.
  private final List<Object> kept = new ArrayList<>();

  Memory() {
    block = SPARE.get();
    SPARE.remove();
    if (block == null) {
      block = ByteBuffer.allocateDirect(BLOCK);
    }
    block.clear();
  }

  @Override
  public void close() {
    for (int i = later.size(); i-- > 0; ) {
      later.get(i).run();
    }
    later.clear();
    kept.clear();
    SPARE.set(block);
  }

  /** Runs something when the call is over, the last given first. */
  void atEnd(Runnable action) {
    later.add(action);
  }

  /** Keeps an object, whose address a struct holds, until the call is over. */
  <T> T keep(T object) {
    kept.add(object);
    return object;
  }

  /** Memory in this machine's byte order, aligned to eight bytes; its content is arbitrary. */
  ByteBuffer bytes(long size) {
    if (size > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(size + " bytes are more than a buffer holds");
    }
    int rounded = Math.max(8, ((int) size + 7) & ~7);
    ByteBuffer from = block;
    if (rounded > block.remaining()) {
      from = keep(ByteBuffer.allocateDirect(rounded));
    }
    ByteBuffer part = from.duplicate();
    part.limit(part.position() + (int) size);
    part = part.slice().order(ByteOrder.nativeOrder());
    from.position(from.position() + rounded);
    return part;
  }

  /** A zeroed cell that receives a pointer. */
  LongBuffer cell() {
    LongBuffer cell = bytes(8).asLongBuffer();
    cell.put(0, 0);
    return cell;
  }

  LongBuffer cells(int count) {
    LongBuffer cells = bytes(8L * count).asLongBuffer();
    for (int i = 0; i < count; ++i) {
      cells.put(i, 0);
    }
    return cells;
  }

  /** Values, or null for null. */
  LongBuffer longs(long... values) {
    if (values == null) {
      return null;
    }
    LongBuffer buffer = bytes(8L * values.length).asLongBuffer();
    buffer.duplicate().put(values);
    return buffer;
  }

  /** A zero-terminated text. */
  ByteBuffer text(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a text has a zero character at " + text.indexOf('\0'));
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    ByteBuffer buffer = bytes(utf8.length + 1L);
    buffer.duplicate().put(utf8).put((byte) 0);
    return buffer;
  }

  /** Zeroed descriptions of tensors. */
  GeTensorData tensors(int count) {
    GeTensorData array = GeTensorData.array(count);
    atEnd(array::delete);
    return array;
  }

  /** Descriptions of tensors with their content. */
  GeTensorData tensors(List<Tensor> given) {
    GeTensorData array = tensors(given.size());
    for (int i = 0; i < given.size(); ++i) {
      keep(given.get(i)).describe(array.at(i), this);
    }
    return array;
  }

  GeText collector() {
    GeText text = new GeText();
    atEnd(text::delete);
    return text;
  }
}
