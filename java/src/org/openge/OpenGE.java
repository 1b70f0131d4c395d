package org.openge;

import org.openge.c.GE;
import org.openge.c.GeText;

/** The library as a whole. */
public final class OpenGE {
  private OpenGE() {}

  /** Version of the library, for example "0.1.0". */
  public static String version() {
    return GE.GeVersionString();
  }

  /** Diagnosis of this installation: processor, engines, threads. */
  public static String doctor() {
    try (Memory memory = new Memory()) {
      GeText text = memory.collector();
      GeException.check(GE.GeDoctor(text));
      return text.str();
    }
  }

  /** The ONNX operators that can be imported, one per line. */
  public static String onnxOperators() {
    try (Memory memory = new Memory()) {
      GeText text = memory.collector();
      GeException.check(GE.GeOnnxDescribe(text));
      return text.str();
    }
  }

  /** Lets the library write messages from this level on to standard error; warnings and errors without it. */
  public static void setLogLevel(LogLevel level) {
    GE.GeSetLogCallback(null, null, level.value);
  }

  /** Loads an engine; options are lines "key=value" or null. */
  public static void loadEngine(String path, String options) {
    GeException.check(GE.GeEngineLoad(path, options));
  }
}
