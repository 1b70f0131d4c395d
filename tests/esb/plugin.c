/* A plug-in with a copy of the builder frozen into it. PLUGIN_VERSION 2 was frozen at a later release, whose Relu has
 * one attribute more; PLUGIN_VERSION 3 uses that attribute. */
#include <string.h>

#include "es_all_ops_c.h"
#include "esb.h"
#include "ge/es_node.h"
#include "plugin.h"

#if PLUGIN_VERSION > 1
static const GeIrPort kIn[] = {{"x", GE_IR_REQUIRED, 0, "T"}};
static const GeIrPort kOut[] = {{"y", GE_IR_REQUIRED, 0, "T"}};
static EsCTensorHolder *NewerRelu(EsCTensorHolder *x, int64_t level) {
  GeIrAttr attrs[1];
  GeOpSchema schema;
  GeEsInput input;
  GeEsAttr value;
  GeEsCall call;
  EsCTensorHolder *result[1];
  memset(attrs, 0, sizeof attrs);
  attrs[0].value.name = "level";
  attrs[0].value.type = C_VT_INT;
  memset(&schema, 0, sizeof schema);
  schema.struct_size = sizeof schema;
  schema.type = "Relu";
  schema.inputs = kIn;
  schema.input_count = 1;
  schema.outputs = kOut;
  schema.output_count = 1;
  schema.attrs = attrs;
  schema.attr_count = 1;
  memset(&input, 0, sizeof input);
  input.one = x;
  memset(&value, 0, sizeof value);
  value.value.type = C_VT_INT;
  value.value.i = level;
  memset(&call, 0, sizeof call);
  call.struct_size = sizeof call;
  call.schema = &schema;
  call.inputs = &input;
  call.attrs = &value;
  call.attr_count = 1;
  return GeEsAddNode(&call, result, NULL) == 0 ? result[0] : NULL;
}
#endif

/* Static: the plug-ins export the same names, and are loaded globally. */
static EsCGraph *MakeGraph(float factor) {
  const int64_t dims[] = {3};
  EsCGraphBuilder *b = EsCreateGraphBuilder("plugin");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_ND, dims, 1);
  EsCGraph *graph;
#if PLUGIN_VERSION == 1
  x = EsRelu(x);
#elif PLUGIN_VERSION == 2
  x = NewerRelu(x, 0);
#else
  x = NewerRelu(x, 3);
#endif
  EsSetGraphOutput(EsMul(x, EsCreateScalarFloat(b, factor)), 0);
  graph = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  return graph;
}

EsCGraph *plugin_graph(float factor) { return MakeGraph(factor); }

uint32_t plugin_bytes(float factor, void **data, size_t *size) {
  EsCGraph *graph = MakeGraph(factor);
  uint32_t status = esb_graph_to_bytes(graph, data, size);
  esb_graph_destroy(graph);
  return status;
}

const char *plugin_failure(void) {
  esb_set_log(NULL, NULL, 4);
  EsRelu(NULL);
  return esb_last_error();
}

void plugin_free(void *data) { esb_bytes_destroy(data); }
void plugin_destroy(EsCGraph *graph) { esb_graph_destroy(graph); }
