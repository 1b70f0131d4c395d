package org.openge.c;

import java.nio.charset.StandardCharsets;

/** Texts of the C ABI are zero-terminated UTF-8. */
final class Utf8 {
  private Utf8() {}

  static byte[] bytes(String text) {
    if (text == null) {
      return null;
    }
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a text for the C ABI has a zero character at " + text.indexOf('\0'));
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }
}
