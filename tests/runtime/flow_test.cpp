// Batches and matching by transaction with a clock of their own.
#include <gtest/gtest.h>

#include "runtime/flow/matcher.h"

namespace gec {
namespace {

using std::chrono::milliseconds;

const FlowTime kStart{};

FlowMessage Number(uint64_t id, float value, uint32_t flags = 0) {
  FlowMessage message;
  message.id = id;
  message.flags = flags;
  message.tensor = Tensor::Of<float>(C_DT_FLOAT, {1}, {value});
  return message;
}
std::string Text(const FlowParts &parts) {
  std::string text;
  for (const FlowMessage &part : parts)
    text += (text.empty() ? "" : " ") + (part.tensor ? std::to_string(int(part.tensor->as<float>()[0])) : "end");
  return text;
}
std::string Text(const std::deque<FlowParts> &ready) {
  std::string text;
  for (const FlowParts &parts : ready) text += "(" + Text(parts) + ")";
  return text;
}
FlowBatchSpec Count(int64_t size, int64_t stride = 0) {
  FlowBatchSpec spec;
  spec.kind = FlowBatchSpec::kCount;
  spec.size = size;
  spec.stride = stride;
  return spec;
}

TEST(FlowBatch, StridesOverlapOrSkip) {
  for (const auto &[stride, expected] :
       std::vector<std::pair<int64_t, const char *>>{{0, "(1 2)(3 4)(5 6)(7)"},
                                                     {1, "(1 2)(2 3)(3 4)(4 5)(5 6)(6 7)"},
                                                     {2, "(1 2)(3 4)(5 6)(7)"},
                                                     {3, "(1 2)(4 5)(7)"},
                                                     {4, "(1 2)(5 6)(end)"}}) {
    FlowBatcher batcher(Count(2, stride));
    std::deque<FlowParts> ready;
    for (int i = 1; i <= 7; ++i)
      batcher.Add(Number(static_cast<uint64_t>(i), static_cast<float>(i), i == 7 ? GE_FLOW_EOS : 0), kStart, &ready);
    EXPECT_EQ(Text(ready), expected) << stride;
    EXPECT_FALSE(batcher.Deadline());
    ready.clear();  // a new stream starts anew
    batcher.Add(Number(8, 8), kStart, &ready);
    batcher.Add(Number(9, 9), kStart, &ready);
    EXPECT_EQ(Text(ready), "(8 9)") << stride;
  }
}

TEST(FlowBatch, TimeClosesThem) {
  FlowBatchSpec spec = Count(3);
  spec.timeout = 10;
  FlowBatcher batcher(spec);
  std::deque<FlowParts> ready;
  EXPECT_FALSE(batcher.Deadline());
  batcher.Add(Number(1, 1), kStart, &ready);
  batcher.Add(Number(2, 2), kStart + milliseconds(9), &ready);
  ASSERT_TRUE(batcher.Deadline());
  EXPECT_EQ(*batcher.Deadline(), kStart + milliseconds(10));
  batcher.Expire(kStart + milliseconds(9), &ready);
  EXPECT_EQ(Text(ready), "");
  batcher.Expire(kStart + milliseconds(10), &ready);
  EXPECT_EQ(Text(ready), "(1 2)");
  EXPECT_FALSE(batcher.Deadline());

  FlowBatchSpec window;
  window.kind = FlowBatchSpec::kTime;
  window.window = 20;
  window.drop_remainder = true;
  FlowBatcher timed(window);
  ready.clear();
  timed.Add(Number(1, 1), kStart, &ready);
  timed.Add(Number(2, 2), kStart + milliseconds(19), &ready);
  timed.Expire(kStart + milliseconds(20), &ready);
  EXPECT_EQ(Text(ready), "(1 2)");  // a whole window is no remainder
  timed.Add(Number(3, 3), kStart + milliseconds(21), &ready);
  timed.Add(Number(4, 4, GE_FLOW_SEG), kStart + milliseconds(22), &ready);
  EXPECT_EQ(Text(ready), "(1 2)(end)");
}

TEST(FlowBatch, StackingPutsRowsTogether) {
  auto matrix = [](std::vector<float> values) {
    FlowMessage message;
    message.tensor = Tensor::Of<float>(C_DT_FLOAT, {2, static_cast<int64_t>(values.size()) / 2}, values);
    return message;
  };
  FlowBatchSpec side;
  side.kind = FlowBatchSpec::kTime;
  side.dim = 1;
  FlowMessage made = Stack(side, {matrix({1, 2, 3, 4}), matrix({5, 6})});
  EXPECT_EQ(made.tensor->desc.shape.str(), "[2, 3]");
  const float expected[] = {1, 2, 5, 3, 4, 6};
  EXPECT_EQ(std::vector<float>(made.tensor->as<float>(), made.tensor->as<float>() + 6),
            std::vector<float>(expected, expected + 6));
  FlowBatchSpec last = Count(3);
  last.dim = 2;
  last.padding = true;
  made = Stack(last, {matrix({1, 2}), matrix({3, 4})});
  EXPECT_EQ(made.tensor->desc.shape.str(), "[2, 1, 3]");
  const float padded[] = {1, 3, 0, 2, 4, 0};
  EXPECT_EQ(std::vector<float>(made.tensor->as<float>(), made.tensor->as<float>() + 6),
            std::vector<float>(padded, padded + 6));
  side.dim = 2;
  EXPECT_THROW(Stack(side, {matrix({1, 2})}), Error);
  last.dim = 3;
  EXPECT_THROW(Stack(last, {matrix({1, 2})}), Error);
}

TEST(FlowMatch, AsTheyComeOrByTransaction) {
  FlowMatcher plain({{}, {}}, {});
  plain.Add(0, Number(1, 1), kStart);
  EXPECT_FALSE(plain.Wants(0));
  EXPECT_TRUE(plain.Wants(1));
  EXPECT_FALSE(plain.Take(kStart));
  plain.Add(1, Number(7, 2), kStart);
  const std::optional<FlowGroup> group = plain.Take(kStart);
  ASSERT_TRUE(group);
  EXPECT_EQ(Text(group->inputs[0]) + "," + Text(group->inputs[1]), "1,2");

  FlowAlignSpec align;
  align.most = 8;
  align.timeout = 10;
  FlowMatcher aligned({{}, {}}, align);
  aligned.Add(0, Number(1, 1), kStart);
  aligned.Add(0, Number(2, 2), kStart + milliseconds(5));
  aligned.Add(1, Number(2, 3), kStart + milliseconds(5));
  std::optional<FlowGroup> taken = aligned.Take(kStart + milliseconds(6));
  ASSERT_TRUE(taken);
  EXPECT_EQ(Text(taken->inputs[0]) + "," + Text(taken->inputs[1]), "2,3");
  EXPECT_FALSE(aligned.Take(kStart + milliseconds(9)));
  EXPECT_EQ(*aligned.Deadline(), kStart + milliseconds(10));
  taken = aligned.Take(kStart + milliseconds(10));
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->incomplete);
  EXPECT_EQ(Text(taken->inputs[0]) + "," + Text(taken->inputs[1]), "1,");
  EXPECT_FALSE(aligned.Deadline());
}

}  // namespace
}  // namespace gec
