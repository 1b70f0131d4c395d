// Loads an engine, compiles a graph, and shows which engine each node runs on.
//   use_null_engine ENGINE.so
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "es_all_ops.h"
#include "es_graph_builder.h"
#include "ge/engine.h"
#include "ge/model.h"

namespace {

void Check(GeStatus status, const char *what) {
  if (status != GE_SUCCESS) throw std::runtime_error(std::string(what) + ": " + GeLastErrorMessage());
}

// A handle of the C interface, made by `create` and freed with its own function.
template <class T, class Create>
std::unique_ptr<T, void (*)(T *)> Make(const char *what, void (*destroy)(T *), Create create) {
  T *raw = nullptr;
  Check(create(&raw), what);
  return {raw, destroy};
}

void Run(const char *engine) {
  Check(GeEngineLoad(engine, nullptr), "load the engine");

  // y = Neg(Relu(x)): the engine takes Relu only, so Neg goes to another one.
  ge::es::EsGraphBuilder builder("two_nodes");
  auto x = builder.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {4});
  auto graph = builder.BuildAndReset({ge::es::Neg(ge::es::Relu(x))});
  if (graph == nullptr) throw std::runtime_error(GeLastErrorMessage());

  auto model =
      Make<GeModel>("compile", GeModelDestroy, [&](GeModel **out) { return GeCompile(graph->handle(), nullptr, out); });
  for (size_t i = 0; i < GeModelPlacementCount(model.get()); ++i) {
    GePlacement p{};
    p.struct_size = sizeof p;
    Check(GeModelGetPlacement(model.get(), i, &p), "placement");
    std::printf("%s (%s) runs on %s: %s\n", p.node, p.type, p.engine, p.implementation);
    if (p.refusals[0]) std::printf("  refused: %s\n", p.refusals);
  }

  auto context = Make<GeRunContext>("context", GeRunContextDestroy,
                                    [&](GeRunContext **out) { return GeRunContextCreate(model.get(), out); });
  const int64_t dims[] = {4};
  float in[] = {-2, -1, 1, 2};
  GeTensorData input{}, output{};
  input.data_type = C_DT_FLOAT;
  input.format = input.origin_format = C_FORMAT_ND;
  input.rank = input.origin_rank = 1;
  input.dims = input.origin_dims = dims;
  input.data = in;
  input.size = sizeof in;
  Check(GeRun(context.get(), &input, 1, &output, 1), "run");
  const auto *values = static_cast<const float *>(output.data);
  std::printf("result %g %g %g %g\n", values[0], values[1], values[2], values[3]);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: use_null_engine ENGINE.so\n");
    return 2;
  }
  try {
    Run(argv[1]);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
