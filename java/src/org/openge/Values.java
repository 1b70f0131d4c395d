package org.openge;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.openge.c.C_AttrValueType;
import org.openge.c.GE;
import org.openge.c.GeAttrData;
import org.openge.c.GeTensorData;

/** Attribute values between Java and GeAttrData. */
final class Values {
  private static final Map<Integer, String> NAMES = new LinkedHashMap<>();

  static {
    NAMES.put(C_AttrValueType.C_VT_INT, "Int");
    NAMES.put(C_AttrValueType.C_VT_FLOAT, "Float");
    NAMES.put(C_AttrValueType.C_VT_BOOL, "Bool");
    NAMES.put(C_AttrValueType.C_VT_STRING, "String");
    NAMES.put(C_AttrValueType.C_VT_DATA_TYPE, "Type");
    NAMES.put(C_AttrValueType.C_VT_TENSOR, "Tensor");
    NAMES.put(C_AttrValueType.C_VT_BYTES, "Bytes");
    NAMES.put(C_AttrValueType.C_VT_LIST_INT, "ListInt");
    NAMES.put(C_AttrValueType.C_VT_LIST_FLOAT, "ListFloat");
    NAMES.put(C_AttrValueType.C_VT_LIST_BOOL, "ListBool");
    NAMES.put(C_AttrValueType.C_VT_LIST_STRING, "ListString");
    NAMES.put(C_AttrValueType.C_VT_LIST_DATA_TYPE, "ListType");
    NAMES.put(C_AttrValueType.C_VT_LIST_TENSOR, "ListTensor");
    NAMES.put(C_AttrValueType.C_VT_LIST_LIST_INT, "ListListInt");
    NAMES.put(C_AttrValueType.C_VT_LIST_LIST_FLOAT, "ListListFloat");
  }

  private Values() {}

  static String typeName(int type) {
    return NAMES.getOrDefault(type, "attribute type " + type);
  }

  // ---- reading ----

  static Object read(GeAttrData from) {
    int count = (int) from.getCount();
    switch (from.getType()) {
      case C_AttrValueType.C_VT_INT:
        return from.getI();
      case C_AttrValueType.C_VT_BOOL:
        return from.getI() != 0;
      case C_AttrValueType.C_VT_DATA_TYPE:
        return DataType.of((int) from.getI());
      case C_AttrValueType.C_VT_FLOAT:
        return (float) from.getF();
      case C_AttrValueType.C_VT_STRING:
        return from.getS();
      case C_AttrValueType.C_VT_TENSOR:
        return from.getTensor() == null ? null : Tensor.copyOf(from.getTensor());
      case C_AttrValueType.C_VT_BYTES: {
        byte[] values = new byte[count];
        list(from, count, 1).get(values);
        return values;
      }
      case C_AttrValueType.C_VT_LIST_INT: {
        long[] values = new long[count];
        list(from, count, 8).asLongBuffer().get(values);
        return values;
      }
      case C_AttrValueType.C_VT_LIST_FLOAT: {
        float[] values = new float[count];
        list(from, count, 4).asFloatBuffer().get(values);
        return values;
      }
      case C_AttrValueType.C_VT_LIST_BOOL: {
        boolean[] values = new boolean[count];
        ByteBuffer bytes = list(from, count, 1);
        for (int i = 0; i < count; ++i) {
          values[i] = bytes.get(i) != 0;
        }
        return values;
      }
      case C_AttrValueType.C_VT_LIST_DATA_TYPE: {
        DataType[] values = new DataType[count];
        ByteBuffer numbers = list(from, count, 4);
        for (int i = 0; i < count; ++i) {
          values[i] = DataType.of(numbers.getInt(4 * i));
        }
        return values;
      }
      case C_AttrValueType.C_VT_LIST_STRING: {
        String[] values = new String[count];
        ByteBuffer addresses = list(from, count, 8);
        for (int i = 0; i < count; ++i) {
          values[i] = GE.textAt(addresses.getLong(8 * i));
        }
        return values;
      }
      case C_AttrValueType.C_VT_LIST_TENSOR: {
        Tensor[] values = new Tensor[count];
        ByteBuffer addresses = list(from, count, 8);
        for (int i = 0; i < count; ++i) {
          values[i] = Tensor.copyOf(new GeTensorData(addresses.getLong(8 * i), false));
        }
        return values;
      }
      case C_AttrValueType.C_VT_LIST_LIST_INT: {
        long[][] rows = new long[count][];
        for (int i = 0; i < count; ++i) {
          rows[i] = new long[row(from, i)];
          row(from, i, rows[i].length, 8).asLongBuffer().get(rows[i]);
        }
        return rows;
      }
      case C_AttrValueType.C_VT_LIST_LIST_FLOAT: {
        float[][] rows = new float[count][];
        for (int i = 0; i < count; ++i) {
          rows[i] = new float[row(from, i)];
          row(from, i, rows[i].length, 4).asFloatBuffer().get(rows[i]);
        }
        return rows;
      }
      default:
        throw new UnsupportedOperationException(
            "attribute '" + from.getName() + "' has the type " + from.getType() + ", which Java does not read");
    }
  }

  private static ByteBuffer list(GeAttrData from, int count, int size) {
    ByteBuffer view = count == 0 ? null : GE.view(from.getList(), (long) count * size);
    return view == null ? empty() : view;
  }

  private static int row(GeAttrData from, int index) {
    return (int) GE.view(from.getInner_counts(), 8L * (index + 1)).getLong(8 * index);
  }

  private static ByteBuffer row(GeAttrData from, int index, int count, int size) {
    long address = GE.view(from.getList(), 8L * (index + 1)).getLong(8 * index);
    ByteBuffer view = count == 0 ? null : GE.viewAt(address, (long) count * size);
    return view == null ? empty() : view;
  }

  private static ByteBuffer empty() {
    return ByteBuffer.allocateDirect(0).order(ByteOrder.nativeOrder());
  }

  // ---- writing ----

  /** The attribute type that a Java value has by itself; -1 when it is no attribute value. */
  static int typeOf(Object value) {
    if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
      return C_AttrValueType.C_VT_INT;
    } else if (value instanceof Float || value instanceof Double) {
      return C_AttrValueType.C_VT_FLOAT;
    } else if (value instanceof Boolean) {
      return C_AttrValueType.C_VT_BOOL;
    } else if (value instanceof String) {
      return C_AttrValueType.C_VT_STRING;
    } else if (value instanceof DataType) {
      return C_AttrValueType.C_VT_DATA_TYPE;
    } else if (value instanceof Tensor) {
      return C_AttrValueType.C_VT_TENSOR;
    } else if (value instanceof byte[]) {
      return C_AttrValueType.C_VT_BYTES;
    } else if (value instanceof long[] || value instanceof int[]) {
      return C_AttrValueType.C_VT_LIST_INT;
    } else if (value instanceof float[] || value instanceof double[]) {
      return C_AttrValueType.C_VT_LIST_FLOAT;
    } else if (value instanceof boolean[]) {
      return C_AttrValueType.C_VT_LIST_BOOL;
    } else if (value instanceof String[]) {
      return C_AttrValueType.C_VT_LIST_STRING;
    } else if (value instanceof DataType[]) {
      return C_AttrValueType.C_VT_LIST_DATA_TYPE;
    } else if (value instanceof Tensor[]) {
      return C_AttrValueType.C_VT_LIST_TENSOR;
    } else if (value instanceof long[][] || value instanceof int[][]) {
      return C_AttrValueType.C_VT_LIST_LIST_INT;
    } else if (value instanceof float[][] || value instanceof double[][]) {
      return C_AttrValueType.C_VT_LIST_LIST_FLOAT;
    }
    return -1;
  }

  /** Writes a value as an attribute of a type; `where` begins the message when it does not fit. */
  static void write(String where, int type, Object value, GeAttrData to, Memory memory) {
    to.setType(type);
    switch (type) {
      case C_AttrValueType.C_VT_INT:
        to.setI(integer(where, type, value));
        return;
      case C_AttrValueType.C_VT_BOOL:
        to.setI(need(where, type, value, Boolean.class) ? 1 : 0);
        return;
      case C_AttrValueType.C_VT_DATA_TYPE:
        to.setI(need(where, type, value, DataType.class).value);
        return;
      case C_AttrValueType.C_VT_FLOAT:
        to.setF(real(where, type, value));
        return;
      case C_AttrValueType.C_VT_STRING: {
        ByteBuffer text = memory.text(need(where, type, value, String.class));
        to.setText(memory.keep(text));
        to.setCount(text.capacity() - 1L);
        return;
      }
      case C_AttrValueType.C_VT_TENSOR: {
        GeTensorData one = memory.tensors(1);
        memory.keep(need(where, type, value, Tensor.class)).describe(one, memory);
        to.setTensor(one);
        return;
      }
      case C_AttrValueType.C_VT_BYTES: {
        byte[] bytes = need(where, type, value, byte[].class);
        ByteBuffer list = memory.bytes(bytes.length);
        list.duplicate().put(bytes);
        setList(to, list, bytes.length, memory);
        return;
      }
      case C_AttrValueType.C_VT_LIST_LIST_INT:
      case C_AttrValueType.C_VT_LIST_LIST_FLOAT: {
        boolean ints = type == C_AttrValueType.C_VT_LIST_LIST_INT;
        int element = ints ? C_AttrValueType.C_VT_LIST_INT : C_AttrValueType.C_VT_LIST_FLOAT;
        Object[] rows = elements(where, type, value, false);
        LongBuffer addresses = memory.cells(rows.length);
        LongBuffer counts = memory.cells(rows.length);
        for (int i = 0; i < rows.length; ++i) {
          Object[] row = elements(where, type, rows[i], false);
          addresses.put(i, GE.address(memory.keep(simple(where, element, row, memory))));
          counts.put(i, row.length);
        }
        memory.keep(addresses);
        to.setList(addresses);
        to.setInner_counts(memory.keep(counts));
        to.setCount(rows.length);
        return;
      }
      default: {
        if (!NAMES.containsKey(type)) {
          throw new UnsupportedOperationException(where + " has the type " + type + ", which Java does not write");
        }
        Object[] values = elements(where, type, value, true);
        setList(to, simple(where, type, values, memory), values.length, memory);
      }
    }
  }

  private static void setList(GeAttrData to, ByteBuffer list, int count, Memory memory) {
    to.setList(memory.keep(list));
    to.setCount(count);
  }

  /** The elements of a list of numbers, texts, types or tensors in the layout of GeAttrData. */
  private static ByteBuffer simple(String where, int type, Object[] values, Memory memory) {
    ByteBuffer list = memory.bytes(8L * values.length);
    for (int i = 0; i < values.length; ++i) {
      switch (type) {
        case C_AttrValueType.C_VT_LIST_INT:
          list.putLong(8 * i, integer(where, type, values[i]));
          break;
        case C_AttrValueType.C_VT_LIST_FLOAT:
          list.putFloat(4 * i, real(where, type, values[i]));
          break;
        case C_AttrValueType.C_VT_LIST_BOOL:
          list.put(i, (byte) (need(where, type, values[i], Boolean.class) ? 1 : 0));
          break;
        case C_AttrValueType.C_VT_LIST_DATA_TYPE:
          list.putInt(4 * i, need(where, type, values[i], DataType.class).value);
          break;
        case C_AttrValueType.C_VT_LIST_STRING:
          list.putLong(8 * i, GE.address(memory.keep(memory.text(need(where, type, values[i], String.class)))));
          break;
        default: {
          GeTensorData one = memory.tensors(1);
          memory.keep(need(where, type, values[i], Tensor.class)).describe(one, memory);
          list.putLong(8 * i, GeTensorData.getCPtr(one));
        }
      }
    }
    return list;
  }

  /** The elements of an array or a collection; where `promote`, a single value is a list of one. */
  private static Object[] elements(String where, int type, Object value, boolean promote) {
    if (value instanceof Collection) {
      return ((Collection<?>) value).toArray();
    }
    if (value != null && value.getClass().isArray()) {
      Object[] elements = new Object[Array.getLength(value)];
      for (int i = 0; i < elements.length; ++i) {
        elements[i] = Array.get(value, i);
      }
      return elements;
    }
    if (promote && value != null) {
      return new Object[] {value};
    }
    throw wrong(where, type, value);
  }

  private static long integer(String where, int type, Object value) {
    if (typeOf(value) == C_AttrValueType.C_VT_INT) {
      return ((Number) value).longValue();
    }
    throw wrong(where, type, value);
  }

  private static float real(String where, int type, Object value) {
    if (value instanceof Number && typeOf(value) != -1) {
      return ((Number) value).floatValue();
    }
    throw wrong(where, type, value);
  }

  private static <T> T need(String where, int type, Object value, Class<T> wanted) {
    if (wanted.isInstance(value)) {
      return wanted.cast(value);
    }
    throw wrong(where, type, value);
  }

  private static IllegalArgumentException wrong(String where, int type, Object value) {
    String given = value == null ? "null" : value + " (" + value.getClass().getSimpleName() + ")";
    return new IllegalArgumentException(where + " is " + typeName(type) + ", which cannot hold " + given);
  }
}
