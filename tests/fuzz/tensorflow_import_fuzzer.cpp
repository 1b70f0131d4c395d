// libFuzzer target of the TensorFlow importer, which also reads text: build with clang and -DGE_BUILD_FUZZERS=ON, then
// run
//   tensorflow_import_fuzzer <folder with graphs>
#include <cstddef>
#include <cstdint>

#include "ge/tensorflow.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  GeGraph *graph = nullptr;
  if (size == 0) return 0;
  if (GeTensorFlowImportBuffer(data, size, nullptr, 0, nullptr, nullptr, &graph) != GE_SUCCESS) return 0;
  GeGraphVerify(graph);
  GeGraphInfer(graph, nullptr, 0);
  GeGraphDestroy(graph);
  return 0;
}
