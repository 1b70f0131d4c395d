package org.openge;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.openge.c.GE;

/** A call of the library failed: its code, the message and what it was doing. */
public final class GeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Status code, for example {@code GE.GE_PARAM_INVALID}. */
  private final long code;

  private final String codeName;
  private final ArrayList<String> contexts;

  private GeException(long code, String message, ArrayList<String> contexts) {
    super(message);
    this.code = code;
    this.codeName = GE.GeStatusName(code);
    this.contexts = contexts;
  }

  /** The status code; the constants are in {@link org.openge.c.GEConstants}. */
  public long code() {
    return code;
  }

  /** The code's name, for example {@code "GE_PARAM_INVALID"}. */
  public String codeName() {
    return codeName;
  }

  /** Operator, node, file … around the failure, the outermost first. {@link #getMessage()} begins with them. */
  public List<String> contexts() {
    return Collections.unmodifiableList(contexts);
  }

  @Override
  public String toString() {
    return getClass().getName() + ": " + codeName + ": " + getMessage();
  }

  /**
   * Throws this thread's last error when a status is not success. ES functions have one status for every refusal; the error
   * says more.
   */
  static void check(long status) {
    if (status != GE.GE_SUCCESS) {
      long code = GE.GeLastErrorCode();
      throw last(code == GE.GE_SUCCESS ? status : code);
    }
  }

  /** Throws this thread's last error when a function gave null. */
  static <T> T check(T result) {
    if (result == null) {
      throw last(GE.GeLastErrorCode());
    }
    return result;
  }

  private static GeException last(long status) {
    ArrayList<String> contexts = new ArrayList<>();
    for (long i = 0; i < GE.GeLastErrorContextCount(); ++i) {
      contexts.add(GE.GeLastErrorContext(i));
    }
    String message = GE.GeLastErrorMessage();
    return new GeException(status, message.isEmpty() ? GE.GeStatusName(status) : message, contexts);
  }
}
