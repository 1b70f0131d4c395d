#include "tests/runtime/allocations.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/allocation_counter.h"

namespace gec {

long Allocations(RunContext &context, const std::vector<std::vector<Array>> &feeds, bool own_buffers) {
  std::vector<std::vector<GeTensorData>> in;
  for (const auto &feed : feeds) {
    in.emplace_back();
    for (const Array &a : feed) in.back().push_back(a.View());
  }
  const size_t outputs = context.model().outputs().size();
  std::vector<GeTensorData> out(outputs);
  std::vector<std::vector<char>> buffers(outputs, std::vector<char>(1 << 20));
  auto run = [&] {
    for (auto &one : in) {
      for (size_t j = 0; j < outputs; ++j) {
        out[j] = GeTensorData{};
        if (own_buffers) {
          out[j].data = buffers[j].data();
          out[j].size = buffers[j].size();
        }
      }
      context.Run(one.data(), one.size(), out.data(), outputs, nullptr);
    }
  };
  for (int warm = 0; warm < 2; ++warm) run();
  test::BeginCounting();
  for (int i = 0; i < 20; ++i) run();
  const test::Allocations counted = test::EndCounting();
  // What oneDNN takes for each primitive is told, not limited: it offers no way around that.
  ::testing::Test::RecordProperty("library_allocations", std::to_string(counted.libraries));
  if (counted.libraries) std::printf("[ oneDNN   ] %ld allocations in %zu runs\n", counted.libraries, 20 * in.size());
  return counted.ours;
}

namespace {

TEST(Allocation, OwnOnesAreCounted) {
  test::BeginCounting();
  void *volatile p = std::malloc(10);
  std::string *volatile text = new std::string(100, 'x');
  const test::Allocations counted = test::EndCounting();
  std::free(p);
  delete text;
  EXPECT_EQ(counted.ours, 3);  // of the text, its object and its characters
  EXPECT_EQ(counted.libraries, 0);
}

}  // namespace
}  // namespace gec
