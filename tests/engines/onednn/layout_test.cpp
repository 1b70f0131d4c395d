// TransData and Resize against element-by-element loops.
#include <gtest/gtest.h>

#include "engine_runner.h"

using namespace engine_test;

namespace {

TEST(Layout, TransDataBothWays) {
  for (int64_t c0 : {8, 16})
    for (Dims shape : {Dims{1, 16, 5, 7}, Dims{2, 20, 3, 3}, Dims{1, 3, 9, 8}, Dims{1, 64, 1, 1}}) {
      Tensor plain = Random(shape, 1, 1, C_FORMAT_NCHW), blocked = Blocked(plain, c0);
      Op into("TransData");
      into.In(plain).Out(shape, c0).String("src_format", "NCHW").String("dst_format", "NC1HWC0");
      into.Run();
      EXPECT_EQ(into.outputs[0].data, blocked.data);
      Op outof("TransData");
      outof.In(blocked).Out(shape, 0, C_FORMAT_NCHW).String("src_format", "NC1HWC0").String("dst_format", "NCHW");
      outof.Run();
      EXPECT_EQ(outof.outputs[0].data, plain.data);
    }
}

TEST(Layout, TransDataReasons) {
  Op op("TransData");
  op.In(Plain({1, 16, 4, 4}, {}, C_FORMAT_NCHW))
      .Out({1, 4, 4, 16})
      .String("src_format", "NCHW")
      .String("dst_format", "NHWC");
  EXPECT_NE(op.Check().find("from NCHW to NHWC is not supported"), std::string::npos);
}

TEST(Layout, ResizeNearest) {
  for (int64_t c0 : {0, 8, 16})
    for (int64_t factor : {1, 2, 3, 4})
      for (const char *rule : {"asymmetric", "half_pixel"}) {
        Tensor x = Random({2, 20, 4, 5}, 1, 1, C_FORMAT_NCHW);
        Dims shape = {2, 20, 4 * factor, 5 * factor};
        std::vector<float> want(Count(shape));
        for (int64_t p = 0; p < 40; ++p)
          for (int64_t i = 0; i < shape[2]; ++i)
            for (int64_t j = 0; j < shape[3]; ++j)
              want[(p * shape[2] + i) * shape[3] + j] = x.data[(p * 4 + i / factor) * 5 + j / factor];
        Op op("Resize");
        op.In(c0 ? Blocked(x, c0) : x)
            .In(Absent())
            .In(Constant(Plain({4}, {1, 1, float(factor), float(factor)})))
            .In(Absent());
        op.Out(shape, c0, C_FORMAT_NCHW).String("mode", "nearest").String("coordinate_transformation_mode", rule);
        op.String("nearest_mode", rule[0] == 'a' ? "floor" : "round_prefer_floor");
        op.Run();
        bool zero = true;
        EXPECT_EQ(Unblocked(op.outputs[0], &zero), want);
        EXPECT_TRUE(zero);
      }
}

TEST(Layout, ResizeReasons) {
  auto reason = [](auto change) {
    Op op("Resize");
    op.In(Plain({1, 3, 4, 4}, {}, C_FORMAT_NCHW))
        .In(Absent())
        .In(Absent())
        .In(Absent())
        .Out({1, 3, 8, 8}, 0, C_FORMAT_NCHW);
    change(op);
    return op.Check();
  };
  EXPECT_EQ(reason([](Op &) {}), "");
  EXPECT_NE(reason([](Op &op) { op.String("mode", "linear"); }).find("mode linear"), std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.outputs[0].dims[2] = op.outputs[0].origin[2] = 6; }).find("from 4 to 6"),
            std::string::npos);
  EXPECT_NE(reason([](Op &op) { op.String("nearest_mode", "ceil"); }).find("half_pixel and ceil"), std::string::npos);
}

}  // namespace
