// What is fed wrongly is named: the input, what came, what was expected.
#include "tests/runtime/net.h"

namespace gec {
namespace {

class Errors : public ::testing::Test {
 protected:
  Errors() {
    Net net;
    Endpoint image = net.Input({-1, 3}, C_DT_FLOAT, "image"), mask = net.Input({3}, C_DT_FLOAT, "mask");
    net.Outputs({net.Out("Mul", {image, mask}, "masked")});
    context = std::make_unique<RunContext>(Model::Compile(*net.graph, Opts()));
  }
  void Run(const Array &image, const Array &mask) { RunAll(*context, {image, mask}); }
  Array good = Array::F({2, 3}, {1, 2, 3, 4, 5, 6}), ones = Array::F({3}, {1, 1, 1});
  std::unique_ptr<RunContext> context;
};

TEST_F(Errors, NumberOfInputs) {
  EXPECT_GE_ERROR(RunAll(*context, {good}), GE_DATA_MISMATCH, "2 inputs (image, mask), 1 were given");
}
TEST_F(Errors, NumberOfOutputs) {
  GeTensorData in[2] = {good.View(), ones.View()};
  EXPECT_GE_ERROR(context->Run(in, 2, nullptr, 0, nullptr), GE_DATA_MISMATCH, "outputs (masked)");
}
TEST_F(Errors, Type) {
  EXPECT_GE_ERROR(Run(Array::I64({2, 3}, {1, 2, 3, 4, 5, 6}), ones), GE_DATA_MISMATCH,
                  "'image' is DT_INT64, expected DT_FLOAT");
}
TEST_F(Errors, NumbersThatAreNoTypeOrFormat) {
  auto run = [&](auto change) {
    GeTensorData in[] = {good.View(), ones.View()}, out{};
    change(in[0]);
    context->Run(in, 2, &out, 1, nullptr);
  };
  for (int round = 0; round < 2; ++round) {  // before and after a good run
    EXPECT_GE_ERROR(run([](GeTensorData &d) { d.data_type = 77; }), GE_DATA_MISMATCH,
                    "'image' has data type 77, which is unknown; there are 0 to 42");
    EXPECT_GE_ERROR(run([](GeTensorData &d) { d.data_type = -1; }), GE_DATA_MISMATCH, "has data type -1");
    EXPECT_GE_ERROR(run([](GeTensorData &d) { d.format = 999; }), GE_DATA_MISMATCH,
                    "'image' has format 999, which is unknown; there are 0 to 54");
    EXPECT_GE_ERROR(run([](GeTensorData &d) { d.origin_format = -1; }), GE_DATA_MISMATCH, "has format -1");
    run([](GeTensorData &) {});
  }
}
TEST_F(Errors, Rank) {
  EXPECT_GE_ERROR(Run(Array::F({6}, {1, 2, 3, 4, 5, 6}), ones), GE_DATA_MISMATCH,
                  "'image' has shape [6], expected [-1, 3]");
}
TEST_F(Errors, Shape) {
  EXPECT_GE_ERROR(Run(Array::F({3, 2}, {1, 2, 3, 4, 5, 6}), ones), GE_DATA_MISMATCH, "[3, 2], expected [-1, 3]");
}
TEST_F(Errors, NegativeDimension) {
  Array bad = good;
  bad.dims = {-2, 3};
  EXPECT_GE_ERROR(Run(bad, ones), GE_DATA_MISMATCH, "negative dimension");
}
TEST_F(Errors, AbsurdSize) {
  Array bad = good;
  bad.dims = {int64_t{1} << 60, 3};
  EXPECT_GE_ERROR(Run(bad, ones), GE_DATA_MISMATCH, "'image'");
}
TEST_F(Errors, MissingData) {
  GeTensorData in[2] = {good.View(), ones.View()}, out{};
  in[1].data = nullptr;
  EXPECT_GE_ERROR(context->Run(in, 2, &out, 1, nullptr), GE_DATA_MISMATCH, "input 'mask' has no data");
}
TEST_F(Errors, TooFewBytes) {
  GeTensorData in[2] = {good.View(), ones.View()}, out{};
  in[0].size = 20;
  EXPECT_GE_ERROR(context->Run(in, 2, &out, 1, nullptr), GE_DATA_MISMATCH,
                  "'image' has 20 bytes, shape [2, 3] of DT_FLOAT needs 24");
}
TEST_F(Errors, TooFewBytesAfterAGoodRun) {
  GeTensorData in[2] = {good.View(), ones.View()}, out{};
  context->Run(in, 2, &out, 1, nullptr);
  in[0].size = 20;
  out = {};
  EXPECT_GE_ERROR(context->Run(in, 2, &out, 1, nullptr), GE_DATA_MISMATCH, "needs 24");
  in[0].size = 24;
  in[0].dims = nullptr;
  EXPECT_GE_ERROR(context->Run(in, 2, &out, 1, nullptr), GE_DATA_MISMATCH, "its dims are null");
}
TEST_F(Errors, OutputBufferTooSmall) {
  GeTensorData in[2] = {good.View(), ones.View()}, out{};
  float room[5];
  out.data = room;
  out.size = sizeof room;
  EXPECT_GE_ERROR(context->Run(in, 2, &out, 1, nullptr), GE_DATA_MISMATCH, "output 'masked' has a buffer of 20 bytes");
}
TEST_F(Errors, MissingInput) {
  GeTensorData in[2] = {good.View(), {}}, out{};
  in[1].data_type = C_DT_UNDEFINED;
  EXPECT_GE_ERROR(context->Run(in, 2, &out, 1, nullptr), GE_DATA_MISMATCH, "input 'mask' is missing");
}
TEST_F(Errors, TheContextStaysUsable) {
  EXPECT_THROW(Run(Array::F({6}, {1, 2, 3, 4, 5, 6}), ones), Error);
  EXPECT_EQ(RunAll(*context, {good, ones})[0].Floats(), good.Floats());
}

}  // namespace
}  // namespace gec
