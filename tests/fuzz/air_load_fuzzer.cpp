// libFuzzer target of the AIR reader; see onnx_import_fuzzer.cpp.
#include <cstddef>
#include <cstdint>

#include "core/serialize/air.h"
#include "core/support/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gec::GraphPtr graph = gec::Graph::Create("g");
  try {
    gec::LoadAirBytes(*graph, data, size);
    graph->Verify();
  } catch (const gec::Error &) {
  }
  return 0;
}
