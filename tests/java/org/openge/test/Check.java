package org.openge.test;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;

/** Runs the public methods of a class whose names begin with "test", and says what is wrong. */
final class Check {
  private Check() {}

  interface Action {
    void run() throws Exception;
  }

  /** Runs the tests of the classes that the arguments name; exits with 1 when one fails. */
  public static void main(String[] args) throws Exception {
    int passed = 0;
    int failed = 0;
    for (String name : args) {
      Class<?> type = Class.forName("org.openge.test." + name);
      Method[] methods = type.getDeclaredMethods();
      Arrays.sort(methods, Comparator.comparing(Method::getName));
      for (Method method : methods) {
        if (!method.getName().startsWith("test")) {
          continue;
        }
        try {
          method.invoke(type.getDeclaredConstructor().newInstance());
          ++passed;
        } catch (InvocationTargetException e) {
          ++failed;
          System.err.println("FAILED " + name + "." + method.getName());
          e.getCause().printStackTrace();
        }
      }
    }
    System.out.println(passed + " passed, " + failed + " failed");
    System.exit(failed == 0 && passed > 0 ? 0 : 1);
  }

  static void that(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  static void same(Object expected, Object got) {
    if (!Objects.deepEquals(expected, got)) {
      throw new AssertionError("expected " + text(expected) + ", got " + text(got));
    }
  }

  static void contains(String text, String... parts) {
    for (String part : parts) {
      that(text != null && text.contains(part), "'" + part + "' is not in: " + text);
    }
  }

  static void near(float[] expected, float[] got, float tolerance) {
    same(expected.length, got.length);
    for (int i = 0; i < expected.length; ++i) {
      that(Math.abs(expected[i] - got[i]) <= tolerance, "element " + i + ": expected " + expected[i] + ", got " + got[i]);
    }
  }

  static void sameFile(Path expected, Path got) throws IOException {
    byte[] a = Files.readAllBytes(expected);
    byte[] b = Files.readAllBytes(got);
    int at = ByteBuffer.wrap(a).mismatch(ByteBuffer.wrap(b));
    that(at == -1, expected + " (" + a.length + " bytes) and " + got + " (" + b.length + ") differ at byte " + at);
    that(a.length > 0, expected + " is empty");
    System.out.println("the same " + a.length + " bytes");
  }

  /** Runs something that must throw exactly this; gives the exception. */
  static <T extends Throwable> T fails(Class<T> type, Action action) {
    try {
      action.run();
    } catch (Throwable e) {
      if (e.getClass() == type) {
        return type.cast(e);
      }
      throw new AssertionError("expected " + type.getSimpleName() + ", got " + e, e);
    }
    throw new AssertionError("expected " + type.getSimpleName() + ", nothing was thrown");
  }

  private static String text(Object value) {
    String text = Arrays.deepToString(new Object[] {value});
    return text.substring(1, text.length() - 1);
  }
}
