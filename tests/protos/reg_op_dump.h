// What was recorded of a prototype, as text.
#pragma once

#include <string>

#include "ge/op.h"

inline std::string DumpValue(const GeAttrData &v) {
  auto list = [&](auto item) {
    std::string text = "{";
    for (uint64_t i = 0; i < v.count; ++i) text += (i ? "," : "") + item(i);
    return text + "}";
  };
  auto number = [](double f) {
    std::string text = std::to_string(f);
    return f != 0 && f < 1e-3 && f > -1e-3 ? std::to_string(f * 1e6) + "e-6" : text;
  };
  switch (v.type) {
    case C_VT_FLOAT:
      return number(v.f);
    case C_VT_STRING:
      return "'" + std::string(v.s, v.count) + "'";
    case C_VT_TENSOR:
      return !v.tensor ? "no tensor" : v.tensor->data ? "a tensor" : "an empty tensor";
    case C_VT_LIST_INT:
      return list([&](uint64_t i) { return std::to_string(static_cast<const int64_t *>(v.list)[i]); });
    case C_VT_LIST_FLOAT:
      return list([&](uint64_t i) { return number(static_cast<const float *>(v.list)[i]); });
    case C_VT_LIST_BOOL:
      return list([&](uint64_t i) { return std::to_string(static_cast<const uint8_t *>(v.list)[i]); });
    case C_VT_LIST_DATA_TYPE:
      return list([&](uint64_t i) { return std::to_string(static_cast<const int32_t *>(v.list)[i]); });
    case C_VT_LIST_STRING:
      return list([&](uint64_t i) { return "'" + std::string(static_cast<const char *const *>(v.list)[i]) + "'"; });
    case C_VT_LIST_LIST_INT:
      return list([&](uint64_t i) {
        std::string row = "{";
        for (int64_t k = 0; k < v.inner_counts[i]; ++k)
          row += (k ? "," : "") + std::to_string(static_cast<const int64_t *const *>(v.list)[i][k]);
        return row + "}";
      });
    default:
      return std::to_string(v.i);
  }
}

inline std::string Dump(const GeOpSchema &s) {
  static const char *const kKinds[] = {"", "?", "*"};
  std::string text;
  for (size_t i = 0; i < s.input_count; ++i)
    text += std::string("in ") + s.inputs[i].name + kKinds[s.inputs[i].kind] + " " + s.inputs[i].data_types + "\n";
  for (size_t i = 0; i < s.output_count; ++i)
    text += std::string("out ") + s.outputs[i].name + kKinds[s.outputs[i].kind] + " " + s.outputs[i].data_types + "\n";
  for (size_t i = 0; i < s.attr_count; ++i) {
    const GeAttrData &v = s.attrs[i].value;
    text += std::string("attr ") + v.name + ":" + std::to_string(v.type) +
            (s.attrs[i].required ? " required" : " = " + DumpValue(v)) + "\n";
  }
  for (size_t i = 0; i < s.graph_count; ++i)
    text += std::string("graph ") + s.graphs[i].name + kKinds[s.graphs[i].kind] + "\n";
  for (size_t i = 0; i < s.symbol_count; ++i)
    text += std::string("symbol ") + s.symbols[i].name + " " + s.symbols[i].range + "\n";
  return text;
}
