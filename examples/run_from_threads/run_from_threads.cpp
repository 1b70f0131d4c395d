// One session, four threads that run the same graph.
#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

#include "es_all_ops.h"
#include "es_graph_builder.h"
#include "ge/ge_api.h"

int main() {
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 1;
  ge::es::EsGraphBuilder builder("square");
  auto x = builder.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {8});
  auto graph = builder.BuildAndReset({ge::es::Add(x * x, 1.0f)});
  std::atomic<int> failures{0};
  {
    ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
    if (session.AddGraph(0, *graph) != ge::SUCCESS) return 1;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&session, &failures, t] {
        std::vector<float> in(8);
        for (int i = 0; i < 8; ++i) in[i] = static_cast<float>(t * 100 + i);
        ge::Tensor input(ge::TensorDesc(ge::Shape({8}), ge::FORMAT_ND, ge::DT_FLOAT),
                         reinterpret_cast<const uint8_t *>(in.data()), in.size() * sizeof(float));
        for (int run = 0; run < 100; ++run) {
          std::vector<ge::Tensor> outputs;
          if (session.RunGraph(0, {input}, outputs) != ge::SUCCESS) {
            ++failures;
            continue;
          }
          const auto *out = reinterpret_cast<const float *>(outputs[0].GetData());
          for (int i = 0; i < 8; ++i) failures += out[i] != in[i] * in[i] + 1;
        }
      });
    }
    for (std::thread &thread : threads) thread.join();
  }
  std::cout << "4 threads, " << failures << " wrong values\n";
  (void)ge::GEFinalize();
  return failures != 0;
}
