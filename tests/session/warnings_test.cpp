// Sessions say what they accept without doing it: once in a process, naming key and values.
#include <string>

#include "core/support/warnings.h"
#include "tests/session/session_fixture.h"

namespace gec {
namespace {

using SessionWarnings = SessionFixture;

GeOptions *OptionsWith(const char *key, const char *value) {
  GeOptions *options = nullptr;
  EXPECT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
  EXPECT_EQ(GeOptionsSet(options, key, value), GE_SUCCESS) << GeLastErrorMessage();
  return options;
}

GeStatus StartWith(const char *key, const char *value) {
  GeOptions *options = OptionsWith(key, value);
  const GeStatus status = GeInitialize(options);
  GeOptionsDestroy(options);
  return status;
}

TEST(Initialize, ASecondStartWarnsOfWhatItWouldChange) {
  (void)TakeWarnings();
  ASSERT_EQ(StartWith("threads", "1"), GE_SUCCESS);
  EXPECT_EQ(StartWith("threads", "1"), GE_SUCCESS);
  EXPECT_EQ(StartWith("opt_level", "2"), GE_SUCCESS);  // the default
  EXPECT_EQ(TakeWarnings(), "");
  EXPECT_EQ(StartWith("threads", "2"), GE_SUCCESS);
  EXPECT_EQ(
      TakeWarnings(),
      "GeInitialize: option threads is '2' and has no effect: GE is initialised already, with '1'; GeFinalize ends "
      "that\n");
  EXPECT_EQ(StartWith("opt_level", "1"), GE_SUCCESS);
  EXPECT_NE(TakeWarnings().find("already, with the default '2'"), std::string::npos);
  EXPECT_EQ(StartWith("opt_level", "1"), GE_SUCCESS);
  EXPECT_EQ(TakeWarnings(), "") << "said twice";
  ASSERT_EQ(GeFinalize(), GE_SUCCESS);
}

TEST_F(SessionWarnings, OptionsThatComeWithTheLoadComeTooLate) {
  Add(1, PlusOne({-1}));
  (void)TakeWarnings();
  GeOptions *same = OptionsWith("threads", "1"), *other = OptionsWith("threads", "2");
  GeOptions *device = OptionsWith("ge.exec.hostInputIndexes", "0");
  EXPECT_EQ(GeSessionLoadWithOptions(session, 1, nullptr), GE_SUCCESS);
  EXPECT_EQ(GeSessionLoadWithOptions(session, 1, same), GE_SUCCESS);
  EXPECT_EQ(GeSessionLoadWithOptions(session, 1, device), GE_SUCCESS);
  EXPECT_EQ(TakeWarnings(), "");
  EXPECT_EQ(GeSessionLoadWithOptions(session, 1, other), GE_SUCCESS);
  EXPECT_EQ(TakeWarnings(),
            "LoadGraph: option threads is '2' and has no effect: graph 1 was added with '1'; give it to AddGraph\n");
  EXPECT_EQ(GeSessionLoadWithOptions(session, 9, nullptr), GE_GRAPH_NOT_EXIST);
  for (GeOptions *options : {same, other, device}) GeOptionsDestroy(options);
}

TEST_F(SessionWarnings, ARunOnAStreamSaysOnceThatItRunsAtOnce) {
  Add(1, PlusOne({-1}));
  (void)TakeWarnings();
  for (int i = 0; i < 2; ++i) {
    const GeTensor *in = Feed({1});
    GeTensor *out = nullptr;
    GeStreamRun run{};
    run.struct_size = sizeof run;
    run.inputs = &in;
    run.input_count = 1;
    run.outputs = &out;
    run.output_count = 1;
    ASSERT_EQ(GeSessionRunGraphOnStream(session, 1, &run), GE_SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(TakeFloats(out), (std::vector<float>{2}));
    const std::string told = TakeWarnings();
    // Another test of the process may have been the first.
    EXPECT_TRUE(told.empty() || (i == 0 && told.find("there are no streams on a CPU") != std::string::npos)) << told;
  }
}

TEST(UnknownOptions, AreLeftOutWithKeyValueAndNearKeys) {
  GeOptions *options = nullptr;
  ASSERT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
  (void)TakeWarnings();
  EXPECT_EQ(GeOptionsSetOrWarn(options, "ge.exec.deviceID", "3"), GE_SUCCESS);
  const std::string told = TakeWarnings();
  EXPECT_EQ(told.find("unknown option 'ge.exec.deviceID'; did you mean ge.exec.deviceId"), 0u) << told;
  EXPECT_NE(told.find(" is '3' and has no effect\n"), std::string::npos) << told;
  EXPECT_EQ(GeOptionsSetOrWarn(options, "threads", "two"), GE_OPTION_INVALID);
  EXPECT_EQ(GeOptionsSetOrWarn(options, "", "3"), GE_OPTION_INVALID);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("E10059"), std::string::npos);
  GeOptionsDestroy(options);
}

}  // namespace
}  // namespace gec
