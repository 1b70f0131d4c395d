// Calls as programs of 0.1.0 wrote them, to operators that a later release has grown. They keep compiling, and keep
// their meaning.
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "es_ConcatD.h"
#include "es_Conv2D.h"
#include "es_Gelu.h"
#include "es_LayerNorm.h"
#include "es_LeakyRelu.h"
#include "es_MatMul.h"
#include "es_Maximum.h"
#include "es_ResizeBilinearV2.h"
#include "es_SoftmaxV2.h"
#include "es_Sub.h"
#include "es_graph_builder.h"
#include "ge/ge_api.h"

namespace {

int failures = 0;

void Expect(const char *what, const ge::Tensor &have, const std::vector<float> &want) {
  const auto *values = reinterpret_cast<const float *>(have.GetData());
  bool same = have.GetSize() == want.size() * sizeof(float);
  for (std::size_t i = 0; same && i < want.size(); ++i) same = std::fabs(values[i] - want[i]) < 1e-4f;
  if (same) return;
  ++failures;
  std::printf("%s:", what);
  for (std::size_t i = 0; i < have.GetSize() / sizeof(float); ++i) std::printf(" %g", values[i]);
  std::printf("\n");
}

}  // namespace

int main() {
  using namespace ge::es;
  if (ge::GEInitialize(std::map<ge::AscendString, ge::AscendString>{}) != ge::SUCCESS) return 1;
  EsGraphBuilder builder("older");
  auto x = builder.CreateInput(0, "x", ge::DT_FLOAT, ge::FORMAT_ND, {2, 2});
  auto w = builder.CreateConst(std::vector<float>{1, 2, 3, 4}, std::vector<int64_t>{2, 2});
  auto bias = builder.CreateVector(std::vector<float>{10, 20});
  auto picture = builder.CreateConst(std::vector<float>{1, 2, 3, 4}, std::vector<int64_t>{1, 1, 2, 2});
  auto filter = builder.CreateConst(std::vector<float>{2}, std::vector<int64_t>{1, 1, 1, 1});
  auto ones = builder.CreateVector(std::vector<float>{1, 1}), zeros = builder.CreateVector(std::vector<float>{0, 0});
  picture.SetFormat(ge::FORMAT_NCHW);
  filter.SetFormat(ge::FORMAT_NCHW);
  auto normed = LayerNorm(x, ones, zeros, -1, -1);
  auto size = builder.CreateVector(std::vector<int32_t>{2, 2});
  auto graph = builder.BuildAndReset({
      MatMul(x, w),
      MatMul(x, w, nullptr),
      MatMul(x, w, bias),
      MatMul(x, w, nullptr, true),
      MatMul(x, w, bias, false, true),
      Maximum(x, 2.5f),
      SoftmaxV2(x),
      SoftmaxV2(x, std::vector<int64_t>{0}, false),
      ConcatD({x, x}, 1),
      ConcatD({x, w}, 0, 2),
      Conv2D(picture, filter, nullptr, nullptr, {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, 1, "NCHW"),
      Gelu(x),
      normed.y,
      ResizeBilinearV2(picture, size),
      LeakyRelu(Sub(x, 3.0f), 0.5f),
  });
  if (graph == nullptr) return 1;
  ge::Session session(std::map<ge::AscendString, ge::AscendString>{});
  const float in[] = {1, 2, 3, 4};
  ge::TensorDesc desc(ge::Shape({2, 2}), ge::FORMAT_ND, ge::DT_FLOAT);
  ge::Tensor input(desc, reinterpret_cast<const uint8_t *>(in), sizeof in);
  std::vector<ge::Tensor> out;
  if (session.AddGraph(1, *graph) != ge::SUCCESS || session.RunGraph(1, {input}, out) != ge::SUCCESS) {
    std::printf("%s\n", ge::GEGetErrorMsg().c_str());
    return 1;
  }
  Expect("MatMul", out[0], {7, 10, 15, 22});
  Expect("MatMul, null bias", out[1], {7, 10, 15, 22});
  Expect("MatMul, bias", out[2], {17, 30, 25, 42});
  Expect("MatMul, first transposed", out[3], {10, 14, 14, 20});
  Expect("MatMul, bias, second transposed", out[4], {15, 31, 21, 45});
  Expect("Maximum", out[5], {2.5f, 2.5f, 3, 4});
  const float e = std::exp(1.0f), low = 1 / (1 + e), e2 = std::exp(2.0f), low2 = 1 / (1 + e2);
  Expect("SoftmaxV2", out[6], {low, 1 - low, low, 1 - low});
  Expect("SoftmaxV2, axis 0", out[7], {low2, low2, 1 - low2, 1 - low2});
  Expect("ConcatD", out[8], {1, 2, 1, 2, 3, 4, 3, 4});
  Expect("ConcatD, axis 0", out[9], {1, 2, 3, 4, 1, 2, 3, 4});
  Expect("Conv2D", out[10], {2, 4, 6, 8});
  Expect("Gelu", out[11], {0.8412f, 1.9546f, 2.9964f, 3.9999f});
  Expect("LayerNorm", out[12], {-1, 1, -1, 1});
  Expect("ResizeBilinearV2", out[13], {1, 2, 3, 4});
  Expect("LeakyRelu", out[14], {-1, -0.5f, 0, 1});
  if (ge::GEFinalize() != ge::SUCCESS || failures != 0) return 1;
  std::printf("all calls of 0.1.0\n");
}
