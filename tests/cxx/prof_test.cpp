// Profiling by the program: what sessions run between start and stop is in the files, nothing else is, and calls in the
// wrong order are refused. Counts and names are known; times are only held to order.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "es_all_ops.h"
#include "ge/ge_api.h"
#include "ge/ge_api_v2.h"
#include "ge/ge_prof.h"

namespace ge {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Graph> OneOf(const char *name, bool erf) {
  es::EsGraphBuilder g(name);
  auto x = g.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {4});
  return g.BuildAndReset({erf ? es::Erf(x) : es::Sigmoid(es::Sin(x))});
}
Tensor Four() {
  const std::vector<float> values = {0, 1, 2, 3};
  return Tensor(TensorDesc(Shape({4}), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(values.data()), 16);
}

std::vector<std::string> Lines(const fs::path &path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}
// Fields of a line; quotes are taken off.
std::vector<std::string> Fields(const std::string &line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') out.back() += line[++i];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) out.emplace_back();
    else out.back() += line[i];
  }
  return out;
}

class ProfTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{}), SUCCESS);
    folder_ = fs::temp_directory_path() / ("ge_prof_test_" + std::to_string(getpid())) / "in" / "it";
    fs::remove_all(folder_.parent_path().parent_path());
  }
  void TearDown() override {
    (void)aclgrphProfFinalize();
    fs::remove_all(folder_.parent_path().parent_path());
    EXPECT_EQ(GEFinalize(), SUCCESS);
  }
  Status Init() { return aclgrphProfInit(folder_.c_str(), static_cast<uint32_t>(folder_.native().size())); }
  aclgrphProfConfig *Config(uint64_t what = kProfTaskTime) {
    return aclgrphProfCreateConfig(&device_, 1, kAicorePipeUtilization, nullptr, what);
  }
  // The folders that recordings made, in their order.
  std::vector<fs::path> Written() const {
    std::vector<fs::path> out;
    for (const auto &entry : fs::directory_iterator(folder_)) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
  }
  uint32_t device_ = 0;
  fs::path folder_;
};

TEST_F(ProfTest, ValuesAreThoseOfTheInterface) {
  EXPECT_EQ(kProfTaskTime, 0x2);
  EXPECT_EQ(kProfAiCoreMetrics, 0x4);
  EXPECT_EQ(kProfAicpu, 0x8);
  EXPECT_EQ(kProfL2cache, 0x10);
  EXPECT_EQ(kProfHccl, 0x20);
  EXPECT_EQ(kProfTrainingTrace, 0x40);
  EXPECT_EQ(kProfTaskTimeL0, 0x800);
  EXPECT_EQ(kAicoreArithmeticUtilization, 0);
  EXPECT_EQ(kAicoreMemoryL0, 3);
  EXPECT_EQ(kAicorePipelineExecuteUtilization, 7);
}

TEST_F(ProfTest, GraphsThatRunBetweenStartAndStopAreInTheFiles) {
  Session session(std::map<AscendString, AscendString>{});
  GeSession second(std::map<AscendString, AscendString>{});
  ASSERT_EQ(session.AddGraph(5, *OneOf("before, \"and\" in", false)), SUCCESS);
  ASSERT_EQ(session.AddGraph(6, *OneOf("outside", true)), SUCCESS);
  ASSERT_EQ(second.AddGraph(9, *OneOf("of_v2", true)), SUCCESS);
  std::vector<Tensor> outputs;
  ASSERT_EQ(session.RunGraph(5, {Four()}, outputs), SUCCESS);  // too early
  ASSERT_EQ(Init(), SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(session.RunGraph(5, {Four()}, outputs), SUCCESS);  // too early still
  aclgrphProfConfig *config = Config();
  ASSERT_NE(config, nullptr);
  ASSERT_EQ(aclgrphProfStart(config), SUCCESS);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(session.RunGraph(5, {Four()}, outputs), SUCCESS);
  float values[4] = {0, 1, 2, 3};
  std::vector<gert::Tensor> in, out;
  in.emplace_back(gert::StorageShape({4}, {4}), gert::StorageFormat(FORMAT_ND, FORMAT_ND, {}), gert::kOnHost, DT_FLOAT,
                  values);
  ASSERT_EQ(second.RunGraph(9, in, out), SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(session.RunGraph(7, {Four()}, outputs), FAILED);  // no such graph: nothing to record
  ASSERT_EQ(aclgrphProfStop(config), SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(session.RunGraph(6, {Four()}, outputs), SUCCESS);  // too late
  EXPECT_EQ(aclgrphProfDestroyConfig(config), SUCCESS);
  EXPECT_EQ(aclgrphProfFinalize(), SUCCESS);

  const std::vector<fs::path> written = Written();
  ASSERT_EQ(written.size(), 1u);
  EXPECT_EQ(written[0].filename().string().compare(0, 12, "PROF_000001_"), 0) << written[0];
  // One row per node and run, in the order of time.
  const std::vector<std::string> lines = Lines(written[0] / "op_summary.csv");
  ASSERT_GE(lines.size(), 2u);
  const std::vector<std::string> head = Fields(lines[0]);
  auto column = [&](const char *name) {
    return static_cast<size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  std::map<std::string, int> types;
  double last = -1;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> row = Fields(lines[i]);
    ASSERT_EQ(row.size(), head.size()) << lines[i];
    const std::string &type = row[column("OP Type")];
    ++types[type];
    EXPECT_EQ(row[column("Graph ID")], type == "Erf" ? "9" : "5") << lines[i];
    EXPECT_EQ(row[column("Graph")], type == "Erf" ? "of_v2" : "before, \"and\" in") << lines[i];
    EXPECT_GE(std::stod(row[column("Task Start Time(us)")]), last);
    EXPECT_GE(std::stod(row[column("Task Duration(us)")]), 0);
    last = std::stod(row[column("Task Start Time(us)")]);
    EXPECT_EQ(nlohmann::json::parse(row[column("Outputs")]).size(), 1u);
  }
  // The two elementwise nodes may run as one; each graph's nodes are there for each of its runs and no other.
  EXPECT_EQ(types["Erf"], 1);
  types.erase("Erf");
  ASSERT_FALSE(types.empty());
  for (const auto &[type, count] : types) EXPECT_EQ(count, 3) << type;
  EXPECT_EQ(Fields(lines.back())[column("OP Type")], "Erf");

  const std::vector<std::string> statistic = Lines(written[0] / "op_statistic.csv");
  ASSERT_EQ(statistic.size(), 1 + types.size() + 1);
  double share = 0;
  for (size_t i = 1; i < statistic.size(); ++i) {
    const std::vector<std::string> row = Fields(statistic[i]);
    ASSERT_EQ(row.size(), 11u);
    EXPECT_EQ(row[5], row[3] == "Erf" ? "1" : "3");
    EXPECT_LE(std::stod(row[7]), std::stod(row[8]));
    EXPECT_LE(std::stod(row[8]), std::stod(row[9]));
    if (row[3] != "Erf") share += std::stod(row[10]);
  }
  EXPECT_NEAR(share, 100, 0.01);

  std::ifstream file(written[0] / "trace.json");
  const nlohmann::json trace = nlohmann::json::parse(file);
  int runs = 0, kernels = 0;
  std::map<std::string, std::string> names;  // metadata, and rows by number
  for (const auto &event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      const auto &args = event["args"];
      if (args.contains("name"))
        names[event.contains("tid") ? event["tid"].dump() : event["name"].get<std::string>()] = args["name"];
    }
  }
  EXPECT_EQ(names["process_name"], "OpenGE, runs of sessions");
  for (const auto &event : trace["traceEvents"]) {
    if (event["ph"] == "M") continue;
    EXPECT_EQ(event["ph"], "X");
    const std::string row = names[event["tid"].dump()];
    if (event["cat"] == "run") EXPECT_EQ(row.rfind("thread ", 0), 0u) << row;
    else EXPECT_EQ(row.rfind(event["args"]["engine"].get<std::string>() + " in thread ", 0), 0u) << row;
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GE(event["dur"].get<double>(), 0);
    runs += event["cat"] == "run";
    kernels += event["cat"] == "kernel";
  }
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(kernels, static_cast<int>(lines.size()) - 1);
}

TEST_F(ProfTest, AsynchronousRunsAndEachRecordingHasItsOwnFolder) {
  Session session(std::map<AscendString, AscendString>{});
  ASSERT_EQ(session.AddGraph(1, *OneOf("async", true)), SUCCESS);
  ASSERT_EQ(Init(), SUCCESS);
  aclgrphProfConfig *config = Config(kProfTaskTimeL0 | kProfTrainingTrace);
  for (int round = 1; round <= 2; ++round) {
    ASSERT_EQ(aclgrphProfStart(config), SUCCESS) << GeLastErrorMessage();
    for (int i = 0; i < round; ++i) {
      std::promise<Status> done;
      ASSERT_EQ(session.RunGraphAsync(1, {Four()}, [&](Status s, std::vector<Tensor> &) { done.set_value(s); }),
                SUCCESS);
      ASSERT_EQ(done.get_future().get(), SUCCESS);
    }
    ASSERT_EQ(aclgrphProfStop(config), SUCCESS) << GeLastErrorMessage();
  }
  // Whole runs alone.
  aclgrphProfConfig *runs = Config(kProfTrainingTrace);
  ASSERT_EQ(aclgrphProfStart(runs), SUCCESS);
  std::vector<Tensor> outputs;
  std::promise<void> done;
  ASSERT_EQ(session.RunGraphAsync(1, {Four()}, [&](Status, std::vector<Tensor> &) { done.set_value(); }), SUCCESS);
  done.get_future().get();
  EXPECT_EQ(aclgrphProfFinalize(), SUCCESS);  // stops and writes
  EXPECT_EQ(aclgrphProfStop(runs), FAILED);
  EXPECT_EQ(aclgrphProfDestroyConfig(runs), SUCCESS);
  EXPECT_EQ(aclgrphProfDestroyConfig(config), SUCCESS);
  const std::vector<fs::path> written = Written();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(Lines(written[0] / "op_summary.csv").size(), 2u);
  EXPECT_EQ(Lines(written[1] / "op_summary.csv").size(), 3u);
  EXPECT_EQ(Lines(written[2] / "op_summary.csv").size(), 1u);
  std::ifstream file(written[2] / "trace.json");
  const nlohmann::json trace = nlohmann::json::parse(file);
  EXPECT_EQ(std::count_if(trace["traceEvents"].begin(), trace["traceEvents"].end(),
                          [](const nlohmann::json &event) { return event["ph"] == "X"; }),
            1);
}

TEST_F(ProfTest, WrongOrderIsRefused) {
  EXPECT_EQ(aclgrphProfFinalize(), FAILED);
  aclgrphProfConfig *a = Config(), *b = Config();
  EXPECT_EQ(aclgrphProfStart(a), FAILED);  // before Init
  EXPECT_EQ(aclgrphProfStop(a), FAILED);
  ASSERT_EQ(Init(), SUCCESS);
  EXPECT_EQ(Init(), FAILED);
  EXPECT_NE(std::string(GEGetErrorMsgV2().GetString()).find(folder_.string()), std::string::npos);
  EXPECT_EQ(aclgrphProfStop(a), FAILED);
  ASSERT_EQ(aclgrphProfStart(a), SUCCESS);
  EXPECT_EQ(aclgrphProfStart(a), FAILED);
  EXPECT_EQ(aclgrphProfStart(b), FAILED);
  EXPECT_EQ(aclgrphProfStop(b), FAILED);  // another configuration's recording
  EXPECT_EQ(aclgrphProfStop(a), SUCCESS);
  EXPECT_EQ(aclgrphProfStop(a), FAILED);
  EXPECT_EQ(aclgrphProfFinalize(), SUCCESS);
  EXPECT_EQ(aclgrphProfFinalize(), FAILED);
  EXPECT_EQ(aclgrphProfDestroyConfig(a), SUCCESS);
  EXPECT_EQ(aclgrphProfDestroyConfig(b), SUCCESS);
  ASSERT_EQ(GEFinalize(), SUCCESS);
  EXPECT_EQ(Init(), GE_CLI_GE_NOT_INITIALIZED);
  ASSERT_EQ(GEInitialize(std::map<AscendString, AscendString>{}), SUCCESS);
}

TEST_F(ProfTest, BadArgumentsAreRefused) {
  EXPECT_EQ(aclgrphProfInit(nullptr, 4), PARAM_INVALID);
  EXPECT_EQ(aclgrphProfInit("", 0), PARAM_INVALID);
  EXPECT_EQ(aclgrphProfInit("abc", 2), PARAM_INVALID);
  EXPECT_EQ(aclgrphProfInit(std::string(4097, 'a').c_str(), 4097), PARAM_INVALID);
  fs::create_directories(folder_.parent_path());
  std::ofstream(folder_).put('x');  // a file where a folder should be
  EXPECT_EQ(Init(), FAILED);
  EXPECT_NE(std::string(GEGetErrorMsgV2().GetString()).find(folder_.string()), std::string::npos);
  fs::remove(folder_);

  const auto create = [](std::vector<uint32_t> devices, int metrics, uint64_t what) {
    return aclgrphProfCreateConfig(devices.data(), static_cast<uint32_t>(devices.size()),
                                   static_cast<ProfilingAicoreMetrics>(metrics), nullptr, what);
  };
  EXPECT_EQ(aclgrphProfCreateConfig(nullptr, 1, kAicoreMemory, nullptr, kProfTaskTime), nullptr);
  EXPECT_EQ(create({}, 0, kProfTaskTime), nullptr);
  EXPECT_EQ(create({1}, 0, kProfTaskTime), nullptr);
  EXPECT_EQ(create({0, 0}, 0, kProfTaskTime), nullptr);
  EXPECT_EQ(create({0}, 8, kProfTaskTime), nullptr);
  EXPECT_EQ(create({0}, -1, kProfTaskTime), nullptr);
  EXPECT_EQ(create({0}, 0, 0), nullptr);
  EXPECT_EQ(create({0}, 0, kProfTaskTime | 0x1), nullptr);
  EXPECT_EQ(create({0}, 0, uint64_t{1} << 40 | kProfTaskTime), nullptr);
  EXPECT_NE(std::string(GEGetErrorMsgV2().GetString()).find("data types"), std::string::npos);
  EXPECT_EQ(aclgrphProfStart(nullptr), PARAM_INVALID);
  EXPECT_EQ(aclgrphProfStop(nullptr), PARAM_INVALID);
  EXPECT_EQ(aclgrphProfDestroyConfig(nullptr), PARAM_INVALID);
}

TEST_F(ProfTest, AFolderThatGoesAwayIsToldAtStop) {
  ASSERT_EQ(Init(), SUCCESS);
  aclgrphProfConfig *config = Config();
  ASSERT_EQ(aclgrphProfStart(config), SUCCESS);
  fs::remove_all(folder_);
  std::ofstream(folder_).put('x');
  EXPECT_EQ(aclgrphProfStop(config), FAILED);
  EXPECT_NE(std::string(GEGetErrorMsgV2().GetString()).find(folder_.string()), std::string::npos);
  fs::remove(folder_);
  ASSERT_EQ(aclgrphProfStart(config), SUCCESS);  // recording had ended all the same
  EXPECT_EQ(aclgrphProfStop(config), SUCCESS);
  EXPECT_EQ(aclgrphProfDestroyConfig(config), SUCCESS);
}

}  // namespace
}  // namespace ge
