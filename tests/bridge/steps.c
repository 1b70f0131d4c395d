/* A C program that has never heard of Python: it does what its arguments say, one after the other, and prints the
 * result.
 *
 *   compile      compiles y = Relu(Abs(Abs(x)) * 1), prints the types that its own pass saw, and what a run gives
 *   threads      the same, eight times at once, 4 rounds
 *   behind       begins to compile on another thread, and goes on after half a second
 *   join         waits for that thread and prints what it has to say
 *   churn        starts and stops thirty times while other threads compile
 *   start stop   GeInitialize, GeFinalize
 *   at-exit      GeFinalize when the process ends
 *   exit         ends it
 *   fork         a child does the steps behind it, then this process does
 *   wait         does nothing for 0.3 s
 *   buffered     prints "buffered" when the process ends
 *   no-children  from now on the system forgets children that end
 *   set          NAME VALUE: of the environment
 *   option       KEY VALUE
 *   maps         whether a libpython is in the process, and whether the bridge is
 *
 * and, for programs that have an interpreter of their own:
 *
 *   load         FILE: loads this libpython
 *   python       FILE: the same, and starts it
 *   python-end   ends it
 *   python-up    whether it is there
 *   sub          makes a subinterpreter, in which this thread is from then on
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "es_all_ops_c.h"
#include "ge/es_node.h"
#include "ge/graph.h"
#include "ge/model.h"
#include "ge/pass.h"

static GeOptions *options;
static void *python, *python_thread;
static char seen[9][256]; /* of the graphs "0", "1", …: a compile may be on another thread than its caller */

static GeStatus Look(void *user, void *instance, GeGraph *graph, GePassContext *context) {
  (void)user, (void)instance, (void)context;
  char *text = seen[atoi(GeGraphName(graph))];
  text[0] = '\0';
  for (size_t i = 0; i < GeGraphNodeCount(graph); ++i) {
    GeNode *node = NULL;
    if (GeGraphGetNode(graph, i, &node) != GE_SUCCESS) return GE_FAILED;
    const char *type = GeNodeType(node);
    if (!strcmp(type, "Data") || !strcmp(type, "NetOutput") || !strcmp(type, "Const")) continue;
    if (text[0]) strcat(text, " ");
    strcat(text, type);
  }
  return GE_NOT_CHANGED;
}

static GeGraph *Net(int number) {
  const char name[] = {(char)('0' + number), '\0'};
  EsCGraphBuilder *b = EsCreateGraphBuilder(name);
  const int64_t dims[] = {2};
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, "x", "Data", C_DT_FLOAT, C_FORMAT_ND, dims, 1);
  EsCTensorHolder *y = EsRelu(EsMul(EsAbs(EsAbs(x)), EsCreateScalarFloat(b, 1.0f)));
  EsSetGraphOutput(y, 0);
  EsCGraph *box = EsBuildGraphAndReset(b);
  GeGraph *graph = NULL;
  if (!box || GeEsGraphRetainGraph(box, &graph) != GE_SUCCESS) abort();
  GeEsGraphDestroy(box);
  EsDestroyGraphBuilder(b);
  return graph;
}

/* All there is to say about one compile and one run. */
static void Compile(int number, char *text, size_t size) {
  GeGraph *graph = Net(number);
  GeModel *model = NULL;
  seen[number][0] = '\0';
  if (GeCompile(graph, options, &model) != GE_SUCCESS) {
    snprintf(text, size, "error: %s", GeLastErrorMessage());
  } else {
    GeRunContext *context = NULL;
    const float x[] = {-3.0f, 2.0f};
    const int64_t dims[] = {2};
    const GeTensorData in = {
        .data_type = C_DT_FLOAT, .format = C_FORMAT_ND, .rank = 1, .dims = dims, .data = (void *)x, .size = sizeof x};
    GeTensorData out = {.data = NULL};
    if (GeRunContextCreate(model, &context) != GE_SUCCESS || GeRun(context, &in, 1, &out, 1) != GE_SUCCESS)
      snprintf(text, size, "error: %s", GeLastErrorMessage());
    else
      snprintf(text, size, "types: %s; values: %g %g", seen[number], ((const float *)out.data)[0],
               ((const float *)out.data)[1]);
    GeRunContextDestroy(context);
  }
  GeModelDestroy(model);
  GeGraphDestroy(graph);
}

static char texts[8][8192];

static void *Rounds(void *text) {
  const int number = (int)((char(*)[8192])text - texts);
  for (int i = 0; i < 4; ++i) Compile(number, text, sizeof texts[0]);
  return NULL;
}

static void Threads(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i)
    if (pthread_create(&threads[i], NULL, Rounds, texts[i]) != 0) abort();
  for (int i = 0; i < 8; ++i) {
    pthread_join(threads[i], NULL);
    printf("%s\n", texts[i]);
  }
}

static void Churn(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    if (pthread_create(&threads[i], NULL, Rounds, texts[i]) != 0) abort();
  for (int i = 0; i < 30; ++i) {
    if (GeInitialize(options) != GE_SUCCESS) printf("start: %s\n", GeLastErrorMessage());
    GeFinalize();
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    printf("%s\n", texts[i]);
  }
}

static pthread_t behind;

static void Behind(void) {
  if (pthread_create(&behind, NULL, Rounds, texts[0]) != 0) abort();
  usleep(500000);
}

static void Join(void) {
  pthread_join(behind, NULL);
  printf("%s\n", texts[0]);
}

static void Maps(void) {
  char line[4096];
  int has_python = 0, has_bridge = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  while (file && fgets(line, sizeof line, file)) {
    has_python |= strstr(line, "libpython3") != NULL;
    has_bridge |= strstr(line, "libge_python_bridge") != NULL;
  }
  if (file) fclose(file);
  printf("python: %d, bridge: %d\n", has_python, has_bridge);
}

static void Finalize(void) { printf("stop: %s\n", GeFinalize() == GE_SUCCESS ? "ok" : GeLastErrorMessage()); }

/* A function of the libpython that this program has loaded itself. */
static void *Of(const char *name) {
  void *address = python ? dlsym(python, name) : NULL;
  if (!address) {
    printf("no %s\n", name);
    exit(3);
  }
  return address;
}

static void Python(const char *file) {
  python = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  ((void (*)(int))Of("Py_InitializeEx"))(0);
  python_thread = ((void *(*)(void))Of("PyEval_SaveThread"))();
}

static void Sub(void) {
  ((void (*)(void *))Of("PyEval_RestoreThread"))(python_thread);
  if (!((void *(*)(void))Of("Py_NewInterpreter"))()) abort();
  (void)((void *(*)(void))Of("PyEval_SaveThread"))();
}

static void End(void) {
  ((void (*)(void *))Of("PyEval_RestoreThread"))(python_thread);
  printf("python-end: %d\n", ((int (*)(void))Of("Py_FinalizeEx"))());
}

/* Number of arguments that the step took. */
static int Step(char **words) {
  const char *step = words[0];
  static char text[1 << 16];
  if (!strcmp(step, "compile")) {
    Compile(8, text, sizeof text);
    printf("%s\n", text);
  } else if (!strcmp(step, "threads")) {
    Threads();
  } else if (!strcmp(step, "behind")) {
    Behind();
  } else if (!strcmp(step, "join")) {
    Join();
  } else if (!strcmp(step, "churn")) {
    Churn();
  } else if (!strcmp(step, "wait")) {
    usleep(300000);
  } else if (!strcmp(step, "buffered")) {
    fputs("buffered\n", fdopen(dup(1), "w"));
  } else if (!strcmp(step, "no-children")) {
    signal(SIGCHLD, SIG_IGN);
  } else if (!strcmp(step, "load")) {
    if (!dlopen(words[1], RTLD_NOW | RTLD_LOCAL)) abort();
    return 2;
  } else if (!strcmp(step, "exit")) {
    exit(0);
  } else if (!strcmp(step, "start")) {
    printf("start: %s\n", GeInitialize(options) == GE_SUCCESS ? "ok" : GeLastErrorMessage());
  } else if (!strcmp(step, "stop")) {
    Finalize();
  } else if (!strcmp(step, "at-exit")) {
    atexit(Finalize);
  } else if (!strcmp(step, "maps")) {
    Maps();
  } else if (!strcmp(step, "set")) {
    setenv(words[1], words[2], 1);
    return 3;
  } else if (!strcmp(step, "option")) {
    if (GeOptionsSet(options, words[1], words[2]) != GE_SUCCESS) printf("option: %s\n", GeLastErrorMessage());
    return 3;
  } else if (!strcmp(step, "python")) {
    Python(words[1]);
    return 2;
  } else if (!strcmp(step, "python-up")) {
    printf("python-up: %d\n", ((int (*)(void))Of("Py_IsInitialized"))());
  } else if (!strcmp(step, "python-end")) {
    End();
  } else if (!strcmp(step, "sub")) {
    Sub();
  } else if (!strcmp(step, "fork")) {
    fflush(stdout);
    const pid_t child = fork();
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    printf(child == 0 ? "child\n" : "parent, %d\n", status);
    if (child == 0) alarm(120); /* one that hangs would outlive the test */
  } else {
    printf("unknown step %s\n", step);
    exit(2);
  }
  return 1;
}

int main(int count, char **words) {
  const GeCustomPassTable look = {.struct_size = sizeof look,
                                  .name = "Look",
                                  .stage = GE_STAGE_AFTER_INFER_SHAPE,
                                  .kind = GE_PASS_FUSION,
                                  .run = Look};
  uint64_t token = 0;
  if (GeCustomPassRegister(&look, &token) != GE_SUCCESS || GeOptionsCreate(&options) != GE_SUCCESS) return 1;
  for (int i = 1; i < count;) {
    i += Step(words + i);
    fflush(stdout); /* and no other file */
  }
  GeOptionsDestroy(options);
  GeCustomPassUnregister(token);
  return 0;
}
