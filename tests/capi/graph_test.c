#include "ge/model.h"
#include "helpers.h"

/* data -> a -> b, and a control edge data -> b. */
typedef struct Chain {
  GeGraph *graph;
  GeNode *data, *a, *b;
} Chain;

static Chain MakeChain(void) {
  Chain c = {0};
  OK(GeGraphCreate("chain", &c.graph));
  c.data = AddNode(c.graph, &kTestData, "data", -1, -1);
  c.a = AddNode(c.graph, &kTestUnary, "a", -1, -1);
  c.b = AddNode(c.graph, &kTestUnary, "b", -1, -1);
  OK(GeGraphAddDataEdge(c.graph, c.data, 0, c.a, 0));
  OK(GeGraphAddDataEdge(c.graph, c.a, 0, c.b, 0));
  OK(GeGraphAddControlEdge(c.graph, c.data, c.b));
  const int32_t port = 0;
  OK(GeGraphSetOutputs(c.graph, &c.b, &port, 1));
  return c;
}

static void Life(void **state) {
  (void)state;
  GeGraph *graph = NULL, *second = NULL, *copy = NULL;
  OK(GeGraphCreate(NULL, &graph));
  assert_string_equal(GeGraphName(graph), "graph");
  OK(GeGraphRetain(graph, &second));
  GeGraphDestroy(graph);
  OK(GeGraphSetName(second, "other"));
  assert_string_equal(GeGraphName(second), "other");
  OK(GeGraphClone(second, NULL, &copy));
  assert_string_equal(GeGraphName(copy), "other");
  GeGraphDestroy(copy);
  OK(GeGraphClone(second, "third", &copy));
  assert_string_equal(GeGraphName(copy), "third");
  GeGraphDestroy(copy);

  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphCreate("g", NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphRetain(NULL, &copy));
  assert_null(copy);
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphRetain(second, NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphClone(NULL, NULL, &copy));
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphClone(second, NULL, NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphSetName(NULL, "n"));
  REFUSED(GE_PARAM_INVALID, "name is null", GeGraphSetName(second, NULL));
  assert_string_equal(GeGraphName(NULL), "");
  uint64_t foreign[8] = {0};
  assert_string_equal(GeGraphName((GeGraph *)foreign), "");
  REFUSED(GE_PARAM_INVALID, "not a valid handle", GeGraphVerify((GeGraph *)foreign));
  GeGraphDestroy((GeGraph *)foreign);
  GeGraphDestroy(NULL);
  GeGraphDestroy(second);
}

static void NodesAreFound(void **state) {
  (void)state;
  Chain c = MakeChain();
  assert_int_equal(GeGraphNodeCount(c.graph), 3);
  GeNode *node = NULL;
  OK(GeGraphGetNode(c.graph, 1, &node));
  assert_ptr_equal(node, c.a);
  OK(GeGraphFindNode(c.graph, "b", &node));
  assert_ptr_equal(node, c.b);
  assert_string_equal(GeNodeName(node), "b");
  assert_string_equal(GeNodeType(node), "TestUnary");
  assert_non_null(GeNodeSchema(node));
  assert_string_equal(GeNodeSchema(node)->inputs[0].name, "x");
  GeGraph *owner = NULL;
  OK(GeNodeRetainGraph(node, &owner));
  assert_string_equal(GeGraphName(owner), "chain");
  GeGraphDestroy(owner);

  REFUSED(GE_PARAM_INVALID, "index 3", GeGraphGetNode(c.graph, 3, &node));
  assert_null(node);
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphGetNode(NULL, 0, &node));
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphGetNode(c.graph, 0, NULL));
  REFUSED(GE_NOT_FOUND, "'chain' has no node 'zz'", GeGraphFindNode(c.graph, "zz", &node));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphFindNode(NULL, "b", &node));
  REFUSED(GE_PARAM_INVALID, "name is null", GeGraphFindNode(c.graph, NULL, &node));
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphFindNode(c.graph, "b", NULL));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeRetainGraph(NULL, &owner));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeRetainGraph(c.a, NULL));
  assert_int_equal(GeGraphNodeCount(NULL), 0);
  assert_string_equal(GeNodeName(NULL), "");
  assert_string_equal(GeNodeType(NULL), "");
  assert_null(GeNodeSchema(NULL));
  assert_int_equal(GeNodeInputCount(NULL), 0);
  assert_int_equal(GeNodeOutputCount(NULL), 0);
  GeGraphDestroy(c.graph);
}

static void AddingNodes(void **state) {
  (void)state;
  GeGraph *graph = NULL;
  OK(GeGraphCreate("g", &graph));
  GeNode *mix = AddNode(graph, &kTestMix, NULL, 3, 2);
  assert_int_equal(strncmp(GeNodeName(mix), "TestMix_", 8), 0);
  assert_int_equal(GeNodeInputCount(mix), 5);
  assert_int_equal(GeNodeOutputCount(mix), 3);
  int32_t n = -1;
  OK(GeNodeGetDynamicInputCount(mix, "v", &n));
  assert_int_equal(n, 3);
  OK(GeNodeGetDynamicOutputCount(mix, "z", &n));
  assert_int_equal(n, 2);
  REFUSED(GE_NOT_FOUND, "'a'", GeNodeGetDynamicInputCount(mix, "a", &n));
  REFUSED(GE_NOT_FOUND, "'v'", GeNodeGetDynamicOutputCount(mix, "v", &n));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetDynamicInputCount(NULL, "v", &n));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeGetDynamicInputCount(mix, NULL, &n));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetDynamicInputCount(mix, "v", NULL));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetDynamicOutputCount(NULL, "z", &n));
  REFUSED(GE_PARAM_INVALID, "name is null", GeNodeGetDynamicOutputCount(mix, NULL, &n));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetDynamicOutputCount(mix, "z", NULL));
  GeNode *none = AddNode(graph, &kTestMix, "none", -1, -1);
  assert_int_equal(GeNodeInputCount(none), 2);
  assert_int_equal(GeNodeOutputCount(none), 1);

  GeNode *out = NULL;
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = "TestMix", .name = "none", .schema = &kTestMix};
  OK(GeGraphAddNode(graph, &spec, &out)); /* names may repeat */
  GeNode *first = NULL;
  OK(GeGraphFindNode(graph, "none", &first));
  assert_ptr_equal(first, none);
  OK(GeGraphRemoveNode(graph, out));
  spec.name = "";
  REFUSED(GE_PARAM_INVALID, "empty name", GeGraphAddNode(graph, &spec, &out));
  spec.name = "fresh";
  spec.type = "TestUnary";
  REFUSED(GE_PARAM_INVALID, "schema's is 'TestMix'", GeGraphAddNode(graph, &spec, &out));
  spec.schema = NULL;
  spec.type = "NoSuchOperator";
  REFUSED(GE_NOT_FOUND, "'NoSuchOperator' is not registered", GeGraphAddNode(graph, &spec, &out));
  spec.type = NULL;
  REFUSED(GE_PARAM_INVALID, "type is null", GeGraphAddNode(graph, &spec, &out));
  spec.type = "TestMix";
  spec.schema = &kTestMix;
  spec.struct_size = 4;
  REFUSED(GE_ABI_MISMATCH, "4", GeGraphAddNode(graph, &spec, &out));
  spec.struct_size = sizeof spec;
  const int32_t minus = -1, two[] = {1, 1};
  spec.input_counts = &minus;
  spec.input_counts_size = 1;
  REFUSED(GE_PARAM_INVALID, "-1 instances", GeGraphAddNode(graph, &spec, &out));
  spec.input_counts = two;
  spec.input_counts_size = 2;
  REFUSED(GE_PARAM_INVALID, "2 counts given for 1", GeGraphAddNode(graph, &spec, &out));
  spec.input_counts = NULL;
  REFUSED(GE_PARAM_INVALID, "input_counts is null", GeGraphAddNode(graph, &spec, &out));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphAddNode(NULL, &spec, &out));
  REFUSED(GE_PARAM_INVALID, "spec is null", GeGraphAddNode(graph, NULL, &out));
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphAddNode(graph, &spec, NULL));
  assert_int_equal(GeGraphNodeCount(graph), 2);
  GeGraphDestroy(graph);
}

static void Edges(void **state) {
  (void)state;
  Chain c = MakeChain();
  GeNode *src = NULL, *dst = NULL;
  int32_t port = -1;
  OK(GeNodeGetInputSource(c.b, 0, &src, &port));
  assert_ptr_equal(src, c.a);
  assert_int_equal(port, 0);
  OK(GeNodeGetInputSource(c.data, 0, &src, &port));
  assert_null(src);
  assert_int_equal(GeNodeConsumerCount(c.data, 0), 1);
  OK(GeNodeGetConsumer(c.data, 0, 0, &dst, &port));
  assert_ptr_equal(dst, c.a);
  assert_int_equal(GeNodeControlOutputCount(c.data), 1);
  assert_int_equal(GeNodeControlInputCount(c.b), 1);
  OK(GeNodeGetControlInput(c.b, 0, &src));
  assert_ptr_equal(src, c.data);
  OK(GeNodeGetControlOutput(c.data, 0, &dst));
  assert_ptr_equal(dst, c.b);
  OK(GeGraphAddControlEdge(c.graph, c.data, c.b));
  assert_int_equal(GeNodeControlInputCount(c.b), 1);

  REFUSED(GE_BAD_STATE, "already fed by TestUnary 'a'", GeGraphAddDataEdge(c.graph, c.data, 0, c.b, 0));
  REFUSED(GE_PARAM_INVALID, "output port 1", GeGraphAddDataEdge(c.graph, c.data, 1, c.b, 0));
  REFUSED(GE_PARAM_INVALID, "output port -1", GeGraphAddDataEdge(c.graph, c.data, -1, c.b, 0));
  REFUSED(GE_PARAM_INVALID, "input port 7", GeGraphAddDataEdge(c.graph, c.data, 0, c.b, 7));
  REFUSED(GE_NOT_FOUND, "no edge", GeGraphRemoveEdge(c.graph, c.data, 0, c.b, 0));
  REFUSED(GE_NOT_FOUND, "no edge", GeGraphRemoveEdge(c.graph, c.data, 0, c.b, 9));
  REFUSED(GE_NOT_FOUND, "no control edge", GeGraphRemoveEdge(c.graph, c.a, -1, c.b, -1));
  OK(GeGraphRemoveEdge(c.graph, c.a, 0, c.b, 0));
  assert_int_equal(GeNodeConsumerCount(c.a, 0), 0);
  OK(GeGraphRemoveEdge(c.graph, c.data, -1, c.b, -1));
  assert_int_equal(GeNodeControlInputCount(c.b), 0);
  OK(GeGraphAddDataEdge(c.graph, c.data, 0, c.b, 0));
  assert_int_equal(GeNodeConsumerCount(c.data, 0), 2);

  GeGraph *g = c.graph;
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphAddDataEdge(NULL, c.a, 0, c.b, 0));
  REFUSED(GE_PARAM_INVALID, "src is null", GeGraphAddDataEdge(g, NULL, 0, c.b, 0));
  REFUSED(GE_PARAM_INVALID, "dst is null", GeGraphAddDataEdge(g, c.a, 0, NULL, 0));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphAddControlEdge(NULL, c.a, c.b));
  REFUSED(GE_PARAM_INVALID, "src is null", GeGraphAddControlEdge(g, NULL, c.b));
  REFUSED(GE_PARAM_INVALID, "dst is null", GeGraphAddControlEdge(g, c.a, NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphRemoveEdge(NULL, c.a, 0, c.b, 0));
  REFUSED(GE_PARAM_INVALID, "src is null", GeGraphRemoveEdge(g, NULL, 0, c.b, 0));
  REFUSED(GE_PARAM_INVALID, "dst is null", GeGraphRemoveEdge(g, c.a, 0, NULL, 0));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetInputSource(NULL, 0, &src, &port));
  REFUSED(GE_PARAM_INVALID, "src is null", GeNodeGetInputSource(c.a, 0, NULL, &port));
  REFUSED(GE_PARAM_INVALID, "src_port is null", GeNodeGetInputSource(c.a, 0, &src, NULL));
  REFUSED(GE_PARAM_INVALID, "input 1 is out of range", GeNodeGetInputSource(c.a, 1, &src, &port));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetConsumer(NULL, 0, 0, &dst, &port));
  REFUSED(GE_PARAM_INVALID, "dst is null", GeNodeGetConsumer(c.data, 0, 0, NULL, &port));
  REFUSED(GE_PARAM_INVALID, "dst_port is null", GeNodeGetConsumer(c.data, 0, 0, &dst, NULL));
  REFUSED(GE_PARAM_INVALID, "index 5", GeNodeGetConsumer(c.data, 0, 5, &dst, &port));
  REFUSED(GE_PARAM_INVALID, "output 1 is out of range", GeNodeGetConsumer(c.data, 1, 0, &dst, &port));
  assert_int_equal(GeNodeConsumerCount(c.data, 1), 0);
  assert_int_equal(GeNodeConsumerCount(c.data, -1), 0);
  assert_int_equal(GeNodeConsumerCount(NULL, 0), 0);
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetControlInput(NULL, 0, &src));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetControlInput(c.b, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "index 0", GeNodeGetControlInput(c.b, 0, &src));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetControlOutput(NULL, 0, &src));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetControlOutput(c.b, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "index 0", GeNodeGetControlOutput(c.b, 0, &src));
  assert_int_equal(GeNodeControlInputCount(NULL), 0);
  assert_int_equal(GeNodeControlOutputCount(NULL), 0);
  GeGraphDestroy(c.graph);
}

static void ForeignAndRemovedNodes(void **state) {
  (void)state;
  Chain c = MakeChain(), other = MakeChain();
  REFUSED(GE_PARAM_INVALID, "belongs to graph 'chain'", GeGraphAddDataEdge(c.graph, c.a, 0, other.b, 0));
  REFUSED(GE_PARAM_INVALID, "belongs to graph", GeGraphAddControlEdge(c.graph, c.a, other.b));
  REFUSED(GE_PARAM_INVALID, "belongs to graph", GeGraphRemoveNode(c.graph, other.a));
  const int32_t port = 0;
  REFUSED(GE_PARAM_INVALID, "belongs to graph", GeGraphSetOutputs(c.graph, &other.a, &port, 1));

  OK(GeGraphRemoveNode(c.graph, c.a));
  assert_int_equal(GeGraphNodeCount(c.graph), 2);
  GeNode *node = NULL;
  REFUSED(GE_NOT_FOUND, "'a'", GeGraphFindNode(c.graph, "a", &node));
  OK(GeGraphGetNode(c.graph, 1, &node));
  assert_ptr_equal(node, c.b);
  assert_int_equal(GeNodeConsumerCount(c.data, 0), 0);
  REFUSED(GE_BAD_STATE, "was removed", GeGraphRemoveNode(c.graph, c.a));
  REFUSED(GE_BAD_STATE, "was removed", GeGraphAddDataEdge(c.graph, c.a, 0, c.b, 0));
  REFUSED(GE_BAD_STATE, "was removed", GeGraphAddControlEdge(c.graph, c.b, c.a));
  GeTensorData desc;
  REFUSED(GE_BAD_STATE, "was removed", GeNodeGetOutputDesc(c.a, 0, &desc));
  GeAttrData attr = {.name = "k", .type = C_VT_INT, .i = 1};
  REFUSED(GE_BAD_STATE, "was removed", GeNodeSetAttr(c.a, &attr));
  assert_string_equal(GeNodeName(c.a), "");
  assert_int_equal(GeNodeAttrCount(c.a), 0);
  assert_int_equal(GeNodeOutputCount(c.a), 0);
  /* The name is free again. */
  AddNode(c.graph, &kTestUnary, "a", -1, -1);

  uint64_t foreign[64] = {0};
  REFUSED(GE_PARAM_INVALID, "not a valid", GeGraphRemoveNode(c.graph, (GeNode *)foreign));
  assert_string_equal(GeNodeName((GeNode *)foreign), "");
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphRemoveNode(NULL, c.b));
  REFUSED(GE_PARAM_INVALID, "node is null", GeGraphRemoveNode(c.graph, NULL));
  GeGraphDestroy(c.graph);
  GeGraphDestroy(other.graph);
}

static void Outputs(void **state) {
  (void)state;
  Chain c = MakeChain();
  assert_int_equal(GeGraphOutputCount(c.graph), 1);
  GeNode *node = NULL, *both[] = {c.b, c.a};
  int32_t port = -1;
  const int32_t ports[] = {0, 0};
  OK(GeGraphSetOutputs(c.graph, both, ports, 2));
  OK(GeGraphGetOutput(c.graph, 1, &node, &port));
  assert_ptr_equal(node, c.a);
  REFUSED(GE_PARAM_INVALID, "index 2", GeGraphGetOutput(c.graph, 2, &node, &port));
  assert_null(node);
  /* A NetOutput node takes over. */
  GeNodeSpec spec = {.struct_size = sizeof spec, .type = "NetOutput", .name = "net"};
  int32_t one = 1;
  spec.input_counts = &one;
  spec.input_counts_size = 1;
  GeNode *net = NULL;
  OK(GeGraphAddNode(c.graph, &spec, &net));
  assert_int_equal(GeGraphOutputCount(c.graph), 1);
  OK(GeGraphGetOutput(c.graph, 0, &node, &port));
  assert_null(node);
  OK(GeGraphSetOutputs(c.graph, both, ports, 2));
  assert_int_equal(GeNodeInputCount(net), 2);
  OK(GeGraphGetOutput(c.graph, 0, &node, &port));
  assert_ptr_equal(node, c.b);
  OK(GeGraphSetOutputs(c.graph, NULL, NULL, 0));
  assert_int_equal(GeNodeInputCount(net), 0);

  const int32_t nine = 9;
  REFUSED(GE_PARAM_INVALID, "output port 9", GeGraphSetOutputs(c.graph, both, &nine, 1));
  REFUSED(GE_PARAM_INVALID, "nodes is null", GeGraphSetOutputs(c.graph, NULL, ports, 1));
  REFUSED(GE_PARAM_INVALID, "ports is null", GeGraphSetOutputs(c.graph, both, NULL, 1));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphSetOutputs(NULL, both, ports, 1));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphGetOutput(NULL, 0, &node, &port));
  REFUSED(GE_PARAM_INVALID, "node is null", GeGraphGetOutput(c.graph, 0, NULL, &port));
  REFUSED(GE_PARAM_INVALID, "port is null", GeGraphGetOutput(c.graph, 0, &node, NULL));
  assert_int_equal(GeGraphOutputCount(NULL), 0);
  GeGraphDestroy(c.graph);
}

static void Subgraphs(void **state) {
  (void)state;
  Chain c = MakeChain(), body = MakeChain();
  OK(GeGraphSetName(body.graph, "body"));
  GeNode *call = AddNode(c.graph, &kTestCall, "call", 1, 1);
  OK(GeNodeSetSubgraph(call, "body", body.graph));
  assert_int_equal(GeNodeSubgraphCount(call), 1);
  const char *ir = NULL, *name = NULL;
  OK(GeNodeGetSubgraphName(call, 0, &ir, &name));
  assert_string_equal(ir, "body");
  assert_string_equal(name, "body");
  assert_int_equal(GeGraphSubgraphCount(c.graph), 1);
  GeGraph *found = NULL;
  OK(GeGraphRetainSubgraphByName(c.graph, "body", &found));
  assert_string_equal(GeGraphName(found), "body");
  /* Renaming reaches the calling node. */
  OK(GeGraphSetName(found, "renamed"));
  OK(GeNodeGetSubgraphName(call, 0, &ir, &name));
  assert_string_equal(name, "renamed");
  GeGraphDestroy(found);
  OK(GeGraphRetainSubgraph(c.graph, 0, &found));
  GeGraphDestroy(found);

  Chain branch = MakeChain();
  OK(GeGraphSetName(branch.graph, "renamed"));
  REFUSED(GE_PARAM_INVALID, "'renamed' is taken", GeNodeSetSubgraph(call, "cases0", branch.graph));
  assert_int_equal(GeNodeSubgraphCount(call), 1);
  OK(GeGraphSetName(branch.graph, "case0"));
  OK(GeNodeSetSubgraph(call, "cases0", branch.graph));
  assert_int_equal(GeNodeSubgraphCount(call), 2);
  REFUSED(GE_PARAM_INVALID, "'case0' is taken", GeGraphSetName(body.graph, "case0"));
  REFUSED(GE_NOT_FOUND, "'casesX'", GeNodeSetSubgraph(call, "casesX", branch.graph));
  REFUSED(GE_NOT_FOUND, "'cases'", GeNodeSetSubgraph(call, "cases", branch.graph));
  REFUSED(GE_PARAM_INVALID, "of itself", GeGraphAddSubgraph(c.graph, c.graph));
  REFUSED(GE_PARAM_INVALID, "already a subgraph", GeGraphAddSubgraph(c.graph, branch.graph));
  Chain other = MakeChain();
  REFUSED(GE_BAD_STATE, "of another graph", GeGraphAddSubgraph(other.graph, branch.graph));
  /* Nested subgraphs belong to the root. */
  Chain outer = MakeChain();
  OK(GeGraphSetName(outer.graph, "outer"));
  OK(GeGraphSetName(c.graph, "inner"));
  OK(GeGraphAddSubgraph(outer.graph, c.graph));
  assert_int_equal(GeGraphSubgraphCount(outer.graph), 3);
  assert_int_equal(GeGraphSubgraphCount(c.graph), 3);
  OK(GeGraphRemoveSubgraph(outer.graph, "case0"));
  assert_int_equal(GeGraphSubgraphCount(outer.graph), 2);

  REFUSED(GE_NOT_FOUND, "'case0'", GeGraphRemoveSubgraph(outer.graph, "case0"));
  REFUSED(GE_NOT_FOUND, "'case0'", GeGraphRetainSubgraphByName(outer.graph, "case0", &found));
  assert_null(found);
  REFUSED(GE_PARAM_INVALID, "index 2", GeGraphRetainSubgraph(outer.graph, 2, &found));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphAddSubgraph(NULL, branch.graph));
  REFUSED(GE_PARAM_INVALID, "subgraph is null", GeGraphAddSubgraph(outer.graph, NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphRemoveSubgraph(NULL, "b"));
  REFUSED(GE_PARAM_INVALID, "name is null", GeGraphRemoveSubgraph(outer.graph, NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphRetainSubgraph(NULL, 0, &found));
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphRetainSubgraph(outer.graph, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphRetainSubgraphByName(NULL, "b", &found));
  REFUSED(GE_PARAM_INVALID, "name is null", GeGraphRetainSubgraphByName(outer.graph, NULL, &found));
  REFUSED(GE_PARAM_INVALID, "out is null", GeGraphRetainSubgraphByName(outer.graph, "b", NULL));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeSetSubgraph(NULL, "body", branch.graph));
  REFUSED(GE_PARAM_INVALID, "ir_name is null", GeNodeSetSubgraph(call, NULL, branch.graph));
  REFUSED(GE_PARAM_INVALID, "subgraph is null", GeNodeSetSubgraph(call, "body", NULL));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetSubgraphName(NULL, 0, &ir, &name));
  REFUSED(GE_PARAM_INVALID, "ir_name is null", GeNodeGetSubgraphName(call, 0, NULL, &name));
  REFUSED(GE_PARAM_INVALID, "graph_name is null", GeNodeGetSubgraphName(call, 0, &ir, NULL));
  REFUSED(GE_PARAM_INVALID, "index 9", GeNodeGetSubgraphName(call, 9, &ir, &name));
  assert_int_equal(GeGraphSubgraphCount(NULL), 0);
  assert_int_equal(GeNodeSubgraphCount(NULL), 0);
  GeGraphDestroy(outer.graph);
  GeGraphDestroy(c.graph);
  GeGraphDestroy(body.graph);
  GeGraphDestroy(branch.graph);
  GeGraphDestroy(other.graph);
}

static void Descriptions(void **state) {
  (void)state;
  Chain c = MakeChain();
  int64_t dims[] = {4, -1}, origin[] = {1, 2, 3, 4}, blocked[] = {1, 1, 3, 4, 16};
  GeTensorData desc = FloatDesc(dims, 2), got;
  desc.data_type = C_DT_INT32;
  OK(GeNodeSetOutputDesc(c.data, 0, &desc));
  OK(GeNodeGetOutputDesc(c.data, 0, &got));
  assert_int_equal(got.data_type, C_DT_INT32);
  assert_int_equal(got.dims[1], -1);
  /* An input without a description of its own shows its producer's. */
  OK(GeNodeGetInputDesc(c.a, 0, &got));
  assert_int_equal(got.data_type, C_DT_INT32);
  assert_null(got.data);
  GeTensorData block = {.data_type = C_DT_FLOAT16,
                        .format = C_FORMAT_NC1HWC0,
                        .origin_format = C_FORMAT_NCHW,
                        .rank = 5,
                        .origin_rank = 4,
                        .dims = blocked,
                        .origin_dims = origin};
  OK(GeNodeSetInputDesc(c.a, 0, &block));
  OK(GeNodeGetInputDesc(c.a, 0, &got));
  assert_int_equal(got.rank, 5);
  assert_int_equal(got.origin_dims[3], 4);
  assert_int_equal(got.format, C_FORMAT_NC1HWC0);
  GeTensorData unknown = {.data_type = C_DT_FLOAT, .rank = GE_UNKNOWN_RANK, .origin_rank = GE_UNKNOWN_RANK};
  OK(GeNodeSetOutputDesc(c.data, 0, &unknown));
  OK(GeNodeGetOutputDesc(c.data, 0, &got));
  assert_int_equal(got.rank, GE_UNKNOWN_RANK);
  assert_null(got.dims);

  REFUSED(GE_PARAM_INVALID, "output 3 is out of range", GeNodeSetOutputDesc(c.data, 3, &desc));
  REFUSED(GE_PARAM_INVALID, "input -1 is out of range", GeNodeSetInputDesc(c.data, -1, &desc));
  REFUSED(GE_PARAM_INVALID, "output 3 is out of range", GeNodeGetOutputDesc(c.data, 3, &got));
  REFUSED(GE_PARAM_INVALID, "input 3 is out of range", GeNodeGetInputDesc(c.data, 3, &got));
  REFUSED(GE_PARAM_INVALID, "desc is null", GeNodeSetOutputDesc(c.data, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "desc is null", GeNodeSetInputDesc(c.data, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeSetOutputDesc(NULL, 0, &desc));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeSetInputDesc(NULL, 0, &desc));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetOutputDesc(NULL, 0, &got));
  REFUSED(GE_PARAM_INVALID, "node is null", GeNodeGetInputDesc(NULL, 0, &got));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetOutputDesc(c.data, 0, NULL));
  REFUSED(GE_PARAM_INVALID, "out is null", GeNodeGetInputDesc(c.data, 0, NULL));
  GeGraphDestroy(c.graph);
}

static void Lineage(void **state) {
  (void)state;
  Chain c = MakeChain();
  assert_int_equal(GeNodeOriginCount(c.a), 1);
  assert_string_equal(GeNodeOrigin(c.a, 0), "a");
  assert_null(GeNodeOrigin(c.a, 1));
  assert_int_equal(GeNodeOriginCount(NULL), 0);
  assert_null(GeNodeOrigin(NULL, 0));
  GeGraphDestroy(c.graph);
}

static void CloneIsDeepAndEqual(void **state) {
  (void)state;
  Chain c = MakeChain(), body = MakeChain();
  OK(GeGraphSetName(body.graph, "body"));
  GeNode *call = AddNode(c.graph, &kTestCall, "call", 2, 1);
  OK(GeNodeSetSubgraph(call, "body", body.graph));
  OK(GeGraphAddDataEdge(c.graph, c.data, 0, call, 1));
  GeGraph *copy = NULL;
  OK(GeGraphClone(c.graph, NULL, &copy));
  char *before = GraphText(c.graph), *cloned = GraphText(copy);
  assert_string_equal(before, cloned);
  GeNode *node = NULL;
  OK(GeGraphFindNode(copy, "a", &node));
  assert_true(node != c.a);
  OK(GeGraphRemoveNode(copy, node));
  char *after = GraphText(c.graph);
  assert_string_equal(before, after);
  free(before);
  free(cloned);
  free(after);
  GeGraphDestroy(copy);
  GeGraphDestroy(c.graph);
  GeGraphDestroy(body.graph);
}

static void VerifyAndInfer(void **state) {
  (void)state;
  Chain c = MakeChain();
  OK(GeGraphVerify(c.graph));
  OK(GeGraphAddControlEdge(c.graph, c.b, c.a));
  REFUSED(GE_GRAPH_INVALID, "cycle", GeGraphVerify(c.graph));
  OK(GeGraphRemoveEdge(c.graph, c.b, -1, c.a, -1));
  OK(GeGraphRemoveEdge(c.graph, c.data, 0, c.a, 0));
  REFUSED(GE_GRAPH_INVALID, "TestUnary 'a': input 'x' (port 0) is not connected", GeGraphVerify(c.graph));
  OK(GeGraphAddDataEdge(c.graph, c.data, 0, c.a, 0));

  int64_t dims[] = {2, 2};
  GeTensorData desc = FloatDesc(dims, 2), got;
  OK(GeGraphInfer(c.graph, &desc, 1));
  OK(GeNodeGetOutputDesc(c.data, 0, &got));
  assert_int_equal(got.rank, 2);
  REFUSED(GE_PARAM_INVALID, "1 inputs, 0 descriptions", GeGraphInfer(c.graph, &desc, 0));
  REFUSED(GE_PARAM_INVALID, "input_descs is null", GeGraphInfer(c.graph, NULL, 1));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphInfer(NULL, NULL, 0));
  REFUSED(GE_PARAM_INVALID, "graph is null", GeGraphVerify(NULL));
  GeGraphDestroy(c.graph);
}

static GeStatus Refuses(const GeInferContext *ctx) {
  return (ctx->fail)(GE_PARAM_INVALID,
                     "x has 3 dimensions, expected 2"); /* in brackets: CMocka has a macro of this name */
}

static void InferenceFailureNamesTheNode(void **state) {
  (void)state;
  GeOpSchema schema = kTestUnary;
  schema.type = "TestRefuses";
  OK(GeOpRegister(&schema, Refuses));
  Chain c = MakeChain();
  GeNode *node = AddNode(c.graph, &schema, "picky", -1, -1);
  OK(GeGraphAddDataEdge(c.graph, c.b, 0, node, 0));
  REFUSED(GE_INFER_FAILED, "TestRefuses 'picky': x has 3 dimensions, expected 2", GeGraphInfer(c.graph, NULL, 0));
  assert_int_equal(GeLastErrorContextCount(), 1);
  assert_non_null(strstr(GeLastErrorContext(0), "inferring graph '"));
  assert_null(GeLastErrorContext(1));
  assert_int_equal(strncmp(GeLastErrorMessage(), GeLastErrorContext(0), strlen(GeLastErrorContext(0))), 0);
  REFUSED(GE_PARAM_INVALID, "is null", GeGraphInfer(NULL, NULL, 0)); /* contexts belong to one error */
  assert_int_equal(GeLastErrorContextCount(), 0);
  GeGraphDestroy(c.graph);
}

/* Kernels would read a million values where there are none. */
static void ConstantsHaveTheirValue(void **state) {
  (void)state;
  GeGraph *graph = NULL;
  GeNode *node = NULL;
  OK(GeGraphCreate("g", &graph));
  const GeNodeSpec spec = {.struct_size = sizeof spec, .type = "Const", .name = "c"};
  OK(GeGraphAddNode(graph, &spec, &node));
  const int64_t dims[] = {1000000};
  const GeTensorData desc = {
      .format = 2, .origin_format = 2, .rank = 1, .origin_rank = 1, .dims = dims, .origin_dims = dims};
  OK(GeNodeSetOutputDesc(node, 0, &desc));
  const int32_t port = 0;
  OK(GeGraphSetOutputs(graph, &node, &port, 1));
  GeModel *model = NULL;
  REFUSED(GE_GRAPH_INVALID, "Const 'c': the constant has no value", GeGraphVerify(graph));
  REFUSED(GE_GRAPH_INVALID, "Const 'c': the constant has no value", GeCompile(graph, NULL, &model));
  assert_null(model);
  GeGraphDestroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Life),
      cmocka_unit_test(NodesAreFound),
      cmocka_unit_test(AddingNodes),
      cmocka_unit_test(Edges),
      cmocka_unit_test(ForeignAndRemovedNodes),
      cmocka_unit_test(Outputs),
      cmocka_unit_test(Subgraphs),
      cmocka_unit_test(Descriptions),
      cmocka_unit_test(Lineage),
      cmocka_unit_test(CloneIsDeepAndEqual),
      cmocka_unit_test(VerifyAndInfer),
      cmocka_unit_test(InferenceFailureNamesTheNode),
      cmocka_unit_test(ConstantsHaveTheirValue),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
