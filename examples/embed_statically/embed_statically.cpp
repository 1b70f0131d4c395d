// The same from C++: reads an ONNX file and says where its nodes run, all from inside one program.
//   embed_statically MODEL.onnx
#include <cstdio>
#include <memory>

#include "ge/model.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: embed_statically MODEL.onnx\n");
    return 2;
  }
  GeModel *raw = nullptr;
  if (GeCompileFile(argv[1], nullptr, &raw) != GE_SUCCESS) {
    std::fprintf(stderr, "%s\n", GeLastErrorMessage());
    return 1;
  }
  std::unique_ptr<GeModel, void (*)(GeModel *)> model(raw, GeModelDestroy);
  for (size_t i = 0; i < GeModelPlacementCount(model.get()); ++i) {
    GePlacement p{};
    p.struct_size = sizeof p;
    if (GeModelGetPlacement(model.get(), i, &p) != GE_SUCCESS) return 1;
    std::printf("%s (%s) on %s\n", p.node, p.type, p.engine);
  }
  std::printf("%zu nodes placed\n", GeModelPlacementCount(model.get()));
}
