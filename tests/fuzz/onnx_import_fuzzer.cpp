// libFuzzer target of the ONNX importer: build with clang and -DGE_BUILD_FUZZERS=ON, then run
//   onnx_import_fuzzer <folder with models>
#include <cstddef>
#include <cstdint>

#include "ge/model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  GeGraph *graph = nullptr;
  if (size == 0) return 0;
  if (GeOnnxImportBuffer(data, size, nullptr, nullptr, nullptr, &graph) != GE_SUCCESS) return 0;
  GeGraphVerify(graph);
  GeGraphInfer(graph, nullptr, 0);
  GeGraphDestroy(graph);
  return 0;
}
