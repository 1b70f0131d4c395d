package org.openge.test;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openge.DataType;
import org.openge.Format;
import org.openge.LogLevel;
import org.openge.OpenGE;
import org.openge.c.C_DataType;
import org.openge.c.C_Format;
import org.openge.c.EsCGraph;
import org.openge.c.EsCGraphBuilder;
import org.openge.c.EsCTensorHolder;
import org.openge.c.GE;
import org.openge.c.GEConstants;
import org.openge.c.GeGraph;
import org.openge.c.GeModel;
import org.openge.c.GeRunContext;
import org.openge.c.GeTensorData;
import org.openge.c.GeText;

/** The generated layer: all of the C ABI is there, and wrong arguments do not end the process. */
public final class LowLevelTest {
  private static final Path INCLUDE = Paths.get(System.getProperty("openge.include"));

  private static String headers() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(INCLUDE)) {
      List<Path> headers = files.filter(f -> f.toString().endsWith(".h")).collect(Collectors.toList());
      for (Path header : headers) {
        all.append(Files.readString(header));
      }
    }
    return all.toString().replaceAll("(?s)/\\*.*?\\*/", "");
  }

  public void testEveryFunctionOfTheHeadersIsThere() throws IOException {
    Set<String> have = Arrays.stream(GE.class.getMethods()).map(Method::getName).collect(Collectors.toSet());
    Set<String> missing = new TreeSet<>();
    int declared = 0;
    Matcher m = Pattern.compile("GE_API[^;{(]*?\\b((?:Ge|Es|esb_)\\w+)\\(").matcher(headers());
    while (m.find()) {
      ++declared;
      if (!have.contains(m.group(1))) {
        missing.add(m.group(1));
      }
    }
    Check.that(declared > 180, "only " + declared + " functions found in " + INCLUDE);
    Check.same("[]", missing.toString());
  }

  public void testEveryNumberOfTheHeadersIsThere() throws Exception {
    int compared = 0;
    Matcher m = Pattern.compile("#define (GE_[A-Z0-9_]+) (0x[0-9A-F]+|\\d+)u?\\b").matcher(headers());
    while (m.find()) {
      ++compared;
      Number value = (Number) GEConstants.class.getField(m.group(1)).get(null);
      Check.same(m.group(1) + "=" + Long.decode(m.group(2)), m.group(1) + "=" + value.longValue());
    }
    Check.that(compared > 50, "only " + compared + " numbers");
  }

  public void testEnums() throws Exception {
    for (DataType t : DataType.values()) {
      Check.same(t.value, C_DataType.class.getField("C_DT_" + t).getInt(null));
      Check.same(t, DataType.of(t.value));
    }
    for (Format f : Format.values()) {
      Check.same(f.value, C_Format.class.getField("C_FORMAT_" + f).getInt(null));
      Check.same(f.name(), GE.GeFormatName(f.value));
    }
    int left = 0;
    for (Field f : C_DataType.class.getFields()) {
      left += Modifier.isStatic(f.getModifiers()) && !f.getName().equals("C_DT_MAX") ? 1 : 0;
    }
    Check.same(left, DataType.values().length);
    Check.fails(IllegalArgumentException.class, () -> DataType.of(5));
    Check.fails(IllegalArgumentException.class, () -> DataType.of(-1));
  }

  public void testEveryFunctionWithNull() throws Exception {
    int called = 0;
    for (Method method : GE.class.getMethods()) {
      if (!Modifier.isStatic(method.getModifiers()) || !method.getDeclaringClass().equals(GE.class)) {
        continue;
      }
      Object[] arguments = new Object[method.getParameterCount()];
      for (int i = 0; i < arguments.length; ++i) {
        Class<?> type = method.getParameterTypes()[i];
        arguments[i] = type == boolean.class ? (Object) false : type == int.class ? (Object) 0
            : type == long.class ? (Object) 0L : type == float.class ? (Object) 0f : type == double.class ? (Object) 0.0
            : type == short.class ? (Object) (short) 0 : null;
      }
      try {
        method.invoke(null, arguments);
      } catch (InvocationTargetException e) {
        throw new AssertionError(method.getName() + " threw", e.getCause());
      }
      ++called;
    }
    Check.that(called > 180, "only " + called + " functions called");
    OpenGE.setLogLevel(LogLevel.OFF); // one of the calls set it
  }

  public void testStructsAndBuffers() {
    GeTensorData data = new GeTensorData();
    Check.same(0, data.getRank());
    Check.same(null, data.getDims());
    LongBuffer dims = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asLongBuffer();
    dims.put(0, 2).put(1, 3);
    data.setDims(dims);
    data.setSize(-1); // the highest uint64_t
    Check.same(-1L, data.getSize());
    Check.same(3L, GE.view(data.getDims(), 16).asLongBuffer().get(1));
    Check.contains(Check.fails(IllegalArgumentException.class, () -> data.setDims(LongBuffer.allocate(2))).getMessage(),
        "direct");
    data.delete();
    data.delete();
    Check.fails(NullPointerException.class, data::getRank);
    Check.fails(NullPointerException.class, () -> data.setRank(1));
    GeTensorData array = GeTensorData.array(3);
    array.at(2).setRank(7);
    Check.same(7, array.at(2).getRank());
    Check.same(0, array.at(1).getRank());
    array.delete();
    Check.fails(IllegalArgumentException.class, () -> GE.GeGraphCreate("a\0b", null));
    Check.same(null, GE.viewAt(0, 8));
    Check.same(null, GE.textAt(0));
  }

  public void testTheWholeWayWithoutTheIdiomaticLayer() {
    EsCGraphBuilder b = GE.EsCreateGraphBuilder("größe 😀");
    LongBuffer dims = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).asLongBuffer();
    dims.put(0, 2);
    EsCTensorHolder x =
        GE.EsCreateGraphInputWithDetails(b, 0, "x", null, C_DataType.C_DT_FLOAT, C_Format.C_FORMAT_ND, dims, 1);
    Check.same(0L, GE.EsSetGraphOutput(x, 0));
    EsCGraph built = GE.EsBuildGraphAndReset(b);
    LongBuffer out = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).asLongBuffer();
    Check.same(GE.GE_SUCCESS, GE.GeEsGraphRetainGraph(built, out));
    GeGraph graph = new GeGraph(out.get(0), false);
    Check.same("größe 😀", GE.GeGraphName(graph));
    GeText text = new GeText();
    Check.same(GE.GE_SUCCESS, GE.GeGraphDump(graph, GE.GE_DUMP_READABLE, text));
    Check.contains(text.str(), "x");
    text.delete();
    Check.same(GE.GE_PARAM_INVALID, GE.GeGraphDump(graph, 99, null));
    Check.that(!GE.GeLastErrorMessage().isEmpty(), "no message");
    Check.same(GE.GE_SUCCESS, GE.GeCompile(graph, null, out));
    GeModel model = new GeModel(out.get(0), false);
    Check.same(GE.GE_SUCCESS, GE.GeRunContextCreate(model, out));
    GeRunContext context = new GeRunContext(out.get(0), false);
    FloatBuffer values = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).asFloatBuffer();
    values.put(0, 4).put(1, 5);
    GeTensorData in = new GeTensorData();
    in.setFormat(C_Format.C_FORMAT_ND);
    in.setOrigin_format(C_Format.C_FORMAT_ND);
    in.setRank(1);
    in.setOrigin_rank(1);
    in.setDims(dims);
    in.setOrigin_dims(dims);
    in.setData(values);
    in.setSize(8);
    GeTensorData result = new GeTensorData();
    Check.same(GE.GE_SUCCESS, GE.GeRun(context, in, 1, result, 1));
    Check.same(8L, result.getSize());
    Check.same(5f, GE.view(result.getData(), 8).asFloatBuffer().get(1));
    in.delete();
    result.delete();
    GE.GeRunContextDestroy(context);
    GE.GeModelDestroy(model);
    GE.GeGraphDestroy(graph);
    GE.GeEsGraphDestroy(built);
    GE.EsDestroyGraphBuilder(b);
  }
}
