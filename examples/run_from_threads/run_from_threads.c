/* One model, four threads: each thread has its own run context; weights, plans and kernels are shared. */
#include <pthread.h>
#include <stdio.h>

#include "es_all_ops_c.h"
#include "ge/es_node.h"
#include "ge/model.h"

enum { kThreads = 4, kRuns = 200 };

typedef struct Job {
  GeModel *model;
  int number;
  int failures;
} Job;

static void *Work(void *argument) {
  Job *job = argument;
  const int64_t shape[] = {8};
  GeRunContext *context = NULL;
  if (GeRunContextCreate(job->model, &context)) return NULL;
  for (int run = 0; run < kRuns; ++run) {
    float in[8], out[8];
    for (int i = 0; i < 8; ++i) in[i] = (float)(job->number * 100 + i);
    GeTensorData input = {.data_type = C_DT_FLOAT,
                          .format = C_FORMAT_ND,
                          .origin_format = C_FORMAT_ND,
                          .rank = 1,
                          .origin_rank = 1,
                          .dims = shape,
                          .origin_dims = shape,
                          .data = in,
                          .size = sizeof in};
    GeTensorData output = {.data = out, .size = sizeof out};
    if (GeRun(context, &input, 1, &output, 1)) {
      fprintf(stderr, "thread %d: %s\n", job->number, GeLastErrorMessage());
      ++job->failures;
      break;
    }
    for (int i = 0; i < 8; ++i) job->failures += out[i] != in[i] * in[i] + 1;
  }
  GeRunContextDestroy(context);
  return NULL;
}

int main(void) {
  const int64_t shape[] = {8};
  EsCGraphBuilder *builder = EsCreateGraphBuilder("square");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(builder, 0, "x", NULL, C_DT_FLOAT, C_FORMAT_ND, shape, 1);
  EsSetGraphOutput(EsAdd(EsMul(x, x), EsCreateScalarFloat(builder, 1)), 0);
  EsCGraph *built = EsBuildGraphAndReset(builder);
  GeGraph *graph = NULL;
  GeModel *model = NULL;
  if (built == NULL || GeEsGraphRetainGraph(built, &graph) || GeCompile(graph, NULL, &model)) {
    fprintf(stderr, "%s\n", GeLastErrorMessage());
    return 1;
  }
  pthread_t threads[kThreads];
  Job jobs[kThreads];
  int failures = 0;
  for (int t = 0; t < kThreads; ++t) {
    jobs[t] = (Job){model, t, 0};
    if (pthread_create(&threads[t], NULL, Work, &jobs[t])) return 1;
  }
  for (int t = 0; t < kThreads; ++t) {
    pthread_join(threads[t], NULL);
    failures += jobs[t].failures;
  }
  printf("%d threads, %d runs each, %d wrong values\n", kThreads, kRuns, failures);
  GeModelDestroy(model);
  GeGraphDestroy(graph);
  GeEsGraphDestroy(built);
  EsDestroyGraphBuilder(builder);
  return failures != 0;
}
