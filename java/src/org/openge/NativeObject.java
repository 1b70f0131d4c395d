package org.openge;

import java.lang.ref.Cleaner;
import java.util.function.LongConsumer;

/**
 * Something of the library that is freed by {@link #close()}, or, when a program forgets that, after the garbage collector
 * found the object unused. Closing twice is fine; using a closed object is an IllegalStateException.
 *
 * <p>Every use holds the object's lock, so close() on another thread waits for a running call.
 */
public abstract class NativeObject implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  /** The cleaner's data; it must not refer to the object itself. */
  private static final class Handle implements Runnable {
    private final LongConsumer destroy;
    private long address;

    Handle(long address, LongConsumer destroy) {
      this.address = address;
      this.destroy = destroy;
    }

    @Override
    public void run() {
      long last = address;
      address = 0;
      if (last != 0) {
        destroy.accept(last);
      }
    }
  }

  private final Handle handle;
  private final Cleaner.Cleanable cleanable;

  NativeObject(long address, LongConsumer destroy) {
    handle = new Handle(address, destroy);
    cleanable = CLEANER.register(this, handle);
  }

  /** The address for a call of the C ABI; the caller holds this object's lock until the call is over. */
  final long address() {
    if (!Thread.holdsLock(this)) {
      throw new AssertionError("the address of a " + getClass().getSimpleName() + " is used without its lock");
    }
    if (handle.address == 0) {
      throw new IllegalStateException("this " + getClass().getSimpleName() + " is closed");
    }
    return handle.address;
  }

  /** True when {@link #close()} was called. */
  public final synchronized boolean isClosed() {
    return handle.address == 0;
  }

  @Override
  public synchronized void close() {
    cleanable.clean();
  }
}
