/* Failures inside a frozen copy: messages, one last error per thread, the log, states after a failure. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "es_all_ops_c.h"
#include "esb.h"

static int failures;
static int logged;

static void Expect(int ok, const char *what) {
  if (ok) return;
  ++failures;
  fprintf(stderr, "failed: %s (last error: %s)\n", what, esb_last_error());
}

static void Log(void *user, int32_t level, const char *message) {
  (void)user;
  if (level == 3 && message[0] != '\0') ++logged;
}

static void *Other(void *unused) {
  (void)unused;
  Expect(strcmp(esb_last_error(), "") == 0, "a thread starts without an error");
  Expect(EsCreateGraphInput(NULL, 0) == NULL, "a null builder is refused");
  Expect(strstr(esb_last_error(), "graph is null") != NULL, "and named");
  return NULL;
}

/* What EsCreateEsCTensor and inputs take is GE's list. */
static void RefusedTypes(void) {
  static const C_DataType types[] = {C_DT_DOUBLE, C_DT_BF16, C_DT_STRING, C_DT_INT4, C_DT_COMPLEX64};
  const double data[] = {1, 2};
  EsCTensor *tensor = EsCreateEsCTensor(data, NULL, 0, C_DT_FLOAT16, C_FORMAT_ND);
  EsCGraphBuilder *c = EsCreateGraphBuilder("c");
  size_t i;
  Expect(tensor != NULL, "float16 is in it");
  esb_tensor_destroy(tensor);
  for (i = 0; i < sizeof types / sizeof types[0]; ++i) {
    Expect(EsCreateEsCTensor(data, NULL, 0, types[i], C_FORMAT_ND) == NULL && strstr(esb_last_error(), "E10001"),
           "a type outside the list");
  }
  Expect(EsCreateGraphInputWithDetails(c, 0, NULL, "AnnData", C_DT_FLOAT, C_FORMAT_ND, NULL, 0) == NULL &&
             strstr(esb_last_error(), "type is 'AnnData'"),
         "AnnData is no type of inputs");
  Expect(EsCreateGraphInputWithDetails(c, 0, "", "AnyData", C_DT_FLOAT, C_FORMAT_ND, NULL, 0) != NULL, "AnyData is");
  EsDestroyGraphBuilder(c);
}

/* Two inputs with the name that the first operator gets; the second less the first. */
static void RepeatedNames(const char *path) {
  const int64_t dims[] = {2};
  EsCGraphBuilder *c = EsCreateGraphBuilder("c");
  EsCTensorHolder *first = EsCreateGraphInputWithDetails(c, 0, "Sub_0", NULL, C_DT_FLOAT, C_FORMAT_ND, dims, 1);
  EsCTensorHolder *second = EsCreateGraphInputWithDetails(c, 1, "Sub_0", NULL, C_DT_FLOAT, C_FORMAT_ND, dims, 1);
  EsCGraph *graph;
  Expect(first != NULL && second != NULL, "a name given twice");
  Expect(EsSetGraphOutput(EsSub(second, first), 0) == 0, "an operator whose name is taken");
  graph = EsBuildGraphAndReset(c);
  Expect(graph != NULL && esb_graph_save(graph, path) == 0, "and the graph is saved");
  esb_graph_destroy(graph);
  EsDestroyGraphBuilder(c);
}

int main(int argc, char **argv) {
  EsCGraphBuilder *a, *b;
  EsCTensorHolder *x, *y;
  EsCGraph *graph;
  pthread_t thread;
  char stale[32];
  size_t size = 7;
  void *data = stale;
  int i;

  esb_set_log(Log, NULL, 3);
  Expect(strcmp(esb_last_error(), "") == 0, "there is no error at first");
  a = EsCreateGraphBuilder("a");
  b = EsCreateGraphBuilder("b");
  x = EsCreateGraphInput(a, 0);
  y = EsCreateGraphInput(b, 0);
  Expect(EsAdd(x, y) == NULL && strstr(esb_last_error(), "operator Add: input 'x2' belongs to another graph builder"),
         "tensors of two builders");
  Expect(EsAdd(x, NULL) == NULL && strstr(esb_last_error(), "input 'x2' is null"), "a null input");
  Expect(EsCreateGraphInput(a, 0) == NULL && strstr(esb_last_error(), "input 0 exists already"), "an index used twice");
  pthread_create(&thread, NULL, Other, NULL);
  pthread_join(thread, NULL);
  Expect(strstr(esb_last_error(), "input 0 exists already") != NULL, "another thread leaves the error alone");
  Expect(EsSetGraphOutput(x, 1) == 0, "an output");
  Expect(EsBuildGraphAndReset(a) == NULL && strstr(esb_last_error(), "output 0 is missing"), "a gap in the outputs");
  Expect(EsSetGraphOutput(x, 0) == 0, "the missing one");
  graph = EsBuildGraphAndReset(a);
  Expect(graph != NULL, "then it builds");
  Expect(EsRelu(x) == NULL && strstr(esb_last_error(), "graph 'a' is built already"), "a spent builder");
  Expect(esb_graph_to_bytes(NULL, &data, &size) != 0 && data == NULL && size == 0, "results are cleared");
  Expect(esb_graph_to_bytes(graph, NULL, &size) != 0 && esb_graph_to_bytes(graph, &data, NULL) != 0, "null results");
  Expect(esb_graph_save(graph, NULL) != 0 && esb_graph_save(NULL, "/tmp/x") != 0, "null arguments");
  Expect(esb_graph_save(graph, "/no/such/folder/x.air") != 0 && strstr(esb_last_error(), "/no/such/folder/x.air"),
         "a path that cannot be written");
  RefusedTypes();
  RepeatedNames(argc > 1 ? argv[1] : "");
  /* Many exceptions: each is thrown, unwound and caught inside the copy. */
  for (i = 0; i < 10000; ++i) {
    if (EsRelu(NULL) != NULL) ++failures;
  }
  Expect(logged > 10000, "failures are logged");
  esb_set_log(NULL, NULL, 4);
  esb_graph_destroy(graph);
  esb_graph_destroy(NULL);
  esb_tensor_destroy(NULL);
  esb_bytes_destroy(NULL);
  EsDestroyGraphBuilder(a);
  EsDestroyGraphBuilder(b);
  EsDestroyGraphBuilder(NULL);
  printf("%d failures\n", failures);
  return failures != 0;
}
