// Graphs that fuzzers feed to what takes a graph.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "ge/graph.h"

namespace fuzz {

inline void Must(GeStatus status) {
  if (status != GE_SUCCESS) std::abort();
}

inline GeNode *AddNode(GeGraph *graph, const char *type, const char *name) {
  GeNodeSpec spec = {};
  spec.struct_size = sizeof spec;
  spec.type = type;
  spec.name = name;
  GeNode *node = nullptr;
  Must(GeGraphAddNode(graph, &spec, &node));
  return node;
}

inline GeNode *AddInput(GeGraph *graph, const char *name, int64_t index, const int64_t *dims, int32_t rank) {
  GeNode *node = AddNode(graph, "Data", name);
  GeAttrData attr = {};
  attr.name = "index";
  attr.type = C_VT_INT;
  attr.i = index;
  Must(GeNodeSetAttr(node, &attr));
  GeTensorData desc = {};
  desc.data_type = C_DT_FLOAT;
  desc.format = desc.origin_format = C_FORMAT_ND;
  desc.rank = desc.origin_rank = rank;
  desc.dims = desc.origin_dims = dims;
  Must(GeNodeSetOutputDesc(node, 0, &desc));
  return node;
}

/// sum = a + b, out = -sum; a and b are float [2, 4]. The caller destroys it.
inline GeGraph *SmallGraph() {
  static constexpr int64_t kDims[] = {2, 4};
  GeGraph *graph = nullptr;
  Must(GeGraphCreate("small", &graph));
  GeNode *a = AddInput(graph, "a", 0, kDims, 2), *b = AddInput(graph, "b", 1, kDims, 2);
  GeNode *sum = AddNode(graph, "Add", "sum"), *out = AddNode(graph, "Neg", "out");
  Must(GeGraphAddDataEdge(graph, a, 0, sum, 0));
  Must(GeGraphAddDataEdge(graph, b, 0, sum, 1));
  Must(GeGraphAddDataEdge(graph, sum, 0, out, 0));
  const int32_t port = 0;
  Must(GeGraphSetOutputs(graph, &out, &port, 1));
  return graph;
}

}  // namespace fuzz
