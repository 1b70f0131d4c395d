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

}  // namespace
