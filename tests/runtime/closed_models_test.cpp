// A server loads models for years: what a closed model has brought is given back, the names of its nodes included.
#include <unistd.h>

#include <cstdio>

#include "core/serialize/air.h"
#include "core/support/shared_text.h"
#include "core/support/symbol.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

/// Nodes that passes fold, fuse and merge, a branch, and names that no other round has.
GraphPtr Numbered(int round) {
  Net net;
  auto name = [&](const char *what) { return Str(what, "_of_round_", round); };
  Endpoint x = net.Input({4, 8}, C_DT_FLOAT, name("input").c_str());
  Endpoint w = net.Const(Array::F({8, 8}, std::vector<float>(64, 0.01f)));
  Endpoint y = net.Out("MatMulV2", {x, w}, name("matmul").c_str());
  y = net.Out("Identity", {net.Out("Relu", {y}, name("relu").c_str())}, name("identity").c_str());
  Endpoint left = net.Out("Tanh", {y}, name("left").c_str()), right = net.Out("Tanh", {y}, name("right").c_str());
  Endpoint sum = net.Out("Add", {net.Out("Mul", {left, right}, name("mul").c_str()), y}, name("add").c_str());
  Endpoint cond = net.Input({}, C_DT_BOOL, name("condition").c_str());
  Node *choose = net.Op("If", {cond, sum}, 1, name("if").c_str());
  for (const char *branch : {"then_branch", "else_branch"}) {
    net.graph->AttachSubgraph(
        choose, branch, Sub(name(branch).c_str(), {{{4, 8}, C_DT_FLOAT}}, [&](Net &n, auto &in) {
          return std::vector<Endpoint>{n.Out("Neg", {n.Out("Exp", {in[0]}, name("exp").c_str())}, name("neg").c_str())};
        }));
  }
  net.Outputs({{choose, 0}});
  return net.graph;
}

void OneRound(int round) {
  const std::string bytes = AirBytes(*Numbered(round));  // names come from a file, as a server gets them
  GraphPtr loaded = Graph::Create("loaded");
  LoadAirBytes(*loaded, bytes.data(), bytes.size());
  RunContext context(Model::Compile(*loaded, Opts()));
  const Array x = Array::F({4, 8}, std::vector<float>(32, 0.5f));
  ASSERT_EQ(RunAll(context, {x, Array::Bool(round % 2 == 0)}).size(), 1u);
}

long ResidentKiB() {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

TEST(ClosedModels, GiveBackTheirNames) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const int warm = 20, rounds = 40;
#else
  const int warm = 300, rounds = 2500;
#endif
  int round = 0;
  for (; round < warm; ++round) OneRound(round);
  const size_t symbols = Symbol::Count();
  const long resident = ResidentKiB();
  for (; round < warm + rounds; ++round) OneRound(round);
  EXPECT_EQ(Symbol::Count(), symbols);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Each round brings some 500 bytes of names, more than 1 MiB in all; the allocator's own need varies less.
  EXPECT_LT(ResidentKiB() - resident, 768);
#endif
}

TEST(SharedText, IsOneTextWithManyHolders) {
  SharedText a("a name"), b = a, c("another"), empty;
  EXPECT_EQ(a.c_str(), b.c_str());
  EXPECT_EQ(a, SharedText(std::string("a ") + "name"));
  EXPECT_NE(a, c);
  EXPECT_EQ(empty, SharedText(""));
  EXPECT_EQ(empty.view(), "");
  EXPECT_STREQ(empty.c_str(), "");
  EXPECT_EQ(std::hash<SharedText>()(a), std::hash<SharedText>()(SharedText("a name")));
  a = c;
  EXPECT_EQ(a, c);
  EXPECT_EQ(b.view(), "a name");
  SharedText moved = std::move(b);
  EXPECT_EQ(moved.view(), "a name");
  EXPECT_EQ(b.view(), "");  // NOLINT: what was moved from is the empty text
  SharedText &self = moved;
  moved = self;
  EXPECT_STREQ(moved.c_str(), "a name");
}

}  // namespace
}  // namespace gec
