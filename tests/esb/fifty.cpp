// The graph of fifty.c, built with the C++ classes.
#include <cstdio>

#include "es_all_ops.h"
#include "es_graph_builder.h"

namespace {

using namespace ge;
using namespace ge::es;

template <class Operator>
std::unique_ptr<Graph> Branch(const char *name, Operator apply) {
  EsGraphBuilder b(name);
  return b.BuildAndReset({apply(b.CreateInput(0))});
}

std::unique_ptr<Graph> LoopCond() {
  EsGraphBuilder b("loop_cond");
  EsTensorHolder i = b.CreateInput(0, "i", DT_INT64, FORMAT_ND, {});
  (void)b.CreateInput(1);
  return b.BuildAndReset({Less(i, b.CreateScalar(int64_t{3}))});
}

std::unique_ptr<Graph> LoopBody() {
  EsGraphBuilder b("loop_body");
  EsTensorHolder i = b.CreateInput(0, "i", DT_INT64, FORMAT_ND, {});
  EsTensorHolder h = b.CreateInput(1);
  EsTensorHolder next = Add(i, b.CreateScalar(int64_t{1}));
  return b.BuildAndReset({next, Add(h, b.CreateScalar(1.0f))});
}

std::unique_ptr<Graph> Fifty() {
  EsGraphBuilder b("fifty");
  EsTensorHolder x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {2, 4});
  EsTensorHolder flag = b.CreateInput(1, "flag", DT_BOOL, FORMAT_ND, {});
  EsTensorHolder scale = b.CreateVector(std::vector<float>{1.0f, 2.0f, 0.5f, -1.0f});
  EsTensorHolder shift =
      b.CreateConst(std::vector<float>{0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 0.25f, -0.25f}, {2, 4});
  EsTensorHolder axis = b.CreateVector(std::vector<int64_t>{1});
  EsTensorHolder zero = b.CreateScalar(int64_t{0});
  EsTensorHolder dimension = b.CreateScalar(1);
  EsTensorHolder int32s = b.CreateVector(std::vector<int32_t>{-2147483647, 7});
  (void)b.CreateVector(std::vector<uint32_t>{4294967295u});
  (void)b.CreateVector(std::vector<uint64_t>{18446744073709551615u, 0u});
  EsTensorHolder h = x * scale + shift;
  h = LeakyRelu(h, 0.25f);
  EsTensorHolder table = Const(b, b.CreateTensor(std::vector<float>{10.0f, 20.0f, 30.0f, 40.0f}, {4}, DT_FLOAT));
  h = h + table;
  for (int k = 0; k < 11; ++k) h = Maximum(h - shift, x);
  EsTensorHolder sum = ReduceSum(h, axis, true);
  EsTensorHolder best = ArgMaxV2(h, dimension, DT_INT32);
  EsTensorHolder smooth = GeluV2(x, "tanh");
  EsTensorHolder wide = Unsqueeze(h, {0, -1});
  EsTensorHolder turned = TransposeD(h, {1, 0});
  auto then_graph = Branch("then_graph", [](const EsTensorHolder &in) { return Relu(in); });
  auto else_graph = Branch("else_graph", [](const EsTensorHolder &in) { return Neg(in); });
  std::vector<EsTensorHolder> chosen = If(flag, {h}, 1, std::move(then_graph), std::move(else_graph));
  std::vector<EsTensorHolder> looped = While({zero, h}, 2, LoopCond(), LoopBody(), 10);
  (void)QueueData(b, 3, "queue", {DT_FLOAT, DT_INT8}, {{4, 8}, {}});
  (void)Bucketize(x, {0.5f, 1e-7f, 3.0e38f}, DT_INT64, false);
  (void)LayerNormGradV3(x, x, sum, sum, scale, {true, false, true});
  (void)TfIdfVectorizer(int32s, 1, 0, 1, "TF", {0, 1}, {0, 1}, {}, {"", "two words", "\xc3\xa9t\xc3\xa9"});
  (void)GatherShapes({x, h}, {{0, 0}, {1, 1}}, DT_INT64);
  if (sum.AddControlEdge({best, smooth}) != SUCCESS) return nullptr;
  (void)b.SetAttr("_revision", int64_t{-5});
  (void)b.SetAttr("_author", "fifty.c");
  (void)b.SetAttr("_final", true);
  (void)h.SetAttr("_rank", int64_t{2});
  (void)h.SetAttr("_what", "hidden");
  (void)h.SetAttr("_last", false);
  (void)sum.SetAttrForNode("_group", INT64_MIN);
  (void)sum.SetAttrForNode("_label", "");
  (void)sum.SetAttrForNode("_keep", true);
  (void)wide.SetShape({1, 2, 4, 1}).SetFormat(FORMAT_NCHW).SetDataType(DT_FLOAT);
  return b.BuildAndReset({h, sum, best, smooth, wide, turned, chosen.at(0), looped.at(0), looped.at(1)});
}

}  // namespace

int main(int argc, char **argv) {
  std::unique_ptr<Graph> graph = argc == 2 ? Fifty() : nullptr;
  if (!graph || graph->SaveToFile(argv[1]) != GRAPH_SUCCESS) {
    std::fprintf(stderr, "%s\n", GeLastErrorMessage());
    return 1;
  }
  return 0;
}
