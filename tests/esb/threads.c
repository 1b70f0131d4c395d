/* Threads that use one builder of a frozen copy at the same time: a call works, or is refused and says why. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "es_all_ops_c.h"
#include "esb.h"

enum { kThreads = 4, kRounds = 20000 };

typedef struct Worker {
  EsCGraphBuilder *builder;
  int done, refused, wrong;
} Worker;

static void Silent(void *user, int32_t level, const char *message) {
  (void)user;
  (void)level;
  (void)message;
}

static void *Work(void *argument) {
  Worker *self = (Worker *)argument;
  int i;
  for (i = 0; i < kRounds; ++i) {
    EsCTensorHolder *c = EsCreateScalarFloat(self->builder, 1.0f);
    if (c) ++self->done;
    else if (strstr(esb_last_error(), "one thread at a time") && strstr(esb_last_error(), "'shared'")) ++self->refused;
    else ++self->wrong;
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[kThreads];
  Worker workers[kThreads];
  EsCGraphBuilder *builder = EsCreateGraphBuilder("shared");
  EsCGraph *graph;
  int i, done = 0, refused = 0;
  if (argc != 2) return 2;
  esb_set_log(Silent, NULL, 4);
  for (i = 0; i < kThreads; ++i) {
    const Worker fresh = {builder, 0, 0, 0};
    workers[i] = fresh;
    if (pthread_create(&threads[i], NULL, Work, &workers[i]) != 0) return 2;
  }
  for (i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    done += workers[i].done;
    refused += workers[i].refused;
    if (workers[i].wrong) fprintf(stderr, "%d calls failed for another reason\n", workers[i].wrong);
  }
  graph = EsBuildGraphAndReset(builder);
  if (!graph || esb_graph_save(graph, argv[1]) != 0) return 1;
  esb_graph_destroy(graph);
  EsDestroyGraphBuilder(builder);
  printf("%d %d\n", done, refused);
  return 0;
}
