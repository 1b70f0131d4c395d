/* Loads the library while running, so the program itself depends on nothing: load_by_name LIBGE.SO */
#include <dlfcn.h>
#include <stdio.h>

#include "ge/graph.h"
#include "ge/model.h"
#include "ge/version.h"

#define LOAD(name)                                    \
  __typeof__(&name) name##_ = 0;                      \
  *(void **)(&name##_) = dlsym(library, #name);       \
  if (!name##_) {                                     \
    fprintf(stderr, "no %s: %s\n", #name, dlerror()); \
    return 1;                                         \
  }

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: load_by_name LIBGE.SO");
    return 1;
  }
  LOAD(GeAbiVersion)
  LOAD(GeLastErrorMessage)
  LOAD(GeGraphCreate)
  LOAD(GeGraphAddNode)
  LOAD(GeNodeSetOutputDesc)
  LOAD(GeGraphAddDataEdge)
  LOAD(GeGraphSetOutputs)
  LOAD(GeCompile)
  LOAD(GeRunContextCreate)
  LOAD(GeRun)
  LOAD(GeRunContextDestroy)
  LOAD(GeModelDestroy)
  LOAD(GeGraphDestroy)
  if (GeAbiVersion_() != GE_ABI_VERSION) return 1;

  /* y = x + x */
  const int64_t dims[] = {3};
  const int32_t port = 0;
  float in[] = {1, 2, 3}, out[3];
  GeGraph *graph = NULL;
  GeNode *x = NULL, *y = NULL;
  GeModel *model = NULL;
  GeRunContext *context = NULL;
  GeNodeSpec data = {.struct_size = sizeof data, .type = "Data", .name = "x"};
  GeNodeSpec add = {.struct_size = sizeof add, .type = "Add", .name = "y"};
  GeTensorData desc = {.data_type = C_DT_FLOAT,
                       .format = C_FORMAT_ND,
                       .origin_format = C_FORMAT_ND,
                       .rank = 1,
                       .origin_rank = 1,
                       .dims = dims,
                       .origin_dims = dims};
  GeTensorData result = {.data = out, .size = sizeof out};
  if (GeGraphCreate_("double", &graph) || GeGraphAddNode_(graph, &data, &x) || GeNodeSetOutputDesc_(x, 0, &desc) ||
      GeGraphAddNode_(graph, &add, &y) || GeGraphAddDataEdge_(graph, x, 0, y, 0) ||
      GeGraphAddDataEdge_(graph, x, 0, y, 1) || GeGraphSetOutputs_(graph, &y, &port, 1) ||
      GeCompile_(graph, NULL, &model) || GeRunContextCreate_(model, &context)) {
    fprintf(stderr, "%s\n", GeLastErrorMessage_());
    return 1;
  }
  desc.data = in;
  desc.size = sizeof in;
  if (GeRun_(context, &desc, 1, &result, 1)) {
    fprintf(stderr, "%s\n", GeLastErrorMessage_());
    return 1;
  }
  printf("result %g %g %g\n", out[0], out[1], out[2]);
  GeRunContextDestroy_(context);
  GeModelDestroy_(model);
  GeGraphDestroy_(graph);
  return 0;
}
