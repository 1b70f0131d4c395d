// Offline build: models as bytes and files, loaded by the C functions that take ONNX files too.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "es_all_ops.h"
#include "ge/ge_api_v2.h"
#include "ge/ge_ir_build.h"
#include "ge/pass.h"

namespace ge {
namespace {

using Map = std::map<AscendString, AscendString>;

std::vector<float> Ramp(size_t count, float scale) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = scale * static_cast<float>(static_cast<int>(i * 7 % 23) - 11);
  return values;
}
std::unique_ptr<Graph> Net(int64_t batch,
                           const char *name = "net") {  // convolution, ReLU, mean of the map, matrix product
  es::EsGraphBuilder g(name);
  auto x = g.CreateInput(0, "picture", DT_FLOAT, FORMAT_NCHW, {batch, 16, 8, 8});
  auto filter = g.CreateConst(Ramp(32 * 16 * 3 * 3, 0.01f), {32, 16, 3, 3}, DT_FLOAT, FORMAT_NCHW);
  auto y = es::Relu(es::Conv2D(x, filter, nullptr, nullptr, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, 1, "NCHW"));
  auto mean = es::ReduceMean(y, g.CreateVector(std::vector<int64_t>{2, 3}), false);
  auto out = es::MatMul(mean, g.CreateConst(Ramp(32 * 4, 0.1f), {32, 4}, DT_FLOAT));
  return g.BuildAndReset({out});
}

struct Loaded {
  GeModel *model = nullptr;
  GeStatus status = GE_SUCCESS;
  explicit Loaded(const ModelBufferData &data) {
    status = GeCompileBuffer(data.data.get(), data.length, nullptr, nullptr, &model);
  }
  Loaded(const void *data, size_t size) { status = GeCompileBuffer(data, size, nullptr, nullptr, &model); }
  explicit Loaded(const std::string &path) { status = GeCompileFile(path.c_str(), nullptr, &model); }
  explicit Loaded(const Graph &graph) { status = GeCompile(graph.handle(), nullptr, &model); }
  ~Loaded() { GeModelDestroy(model); }
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;
  std::vector<float> Run(int64_t batch) const {
    std::vector<float> in = Ramp(static_cast<size_t>(batch) * 16 * 64, 0.5f);
    const int64_t dims[] = {batch, 16, 8, 8};
    GeTensorData input{}, output{};
    input.data_type = C_DT_FLOAT;
    input.format = input.origin_format = C_FORMAT_NCHW;
    input.rank = input.origin_rank = 4;
    input.dims = input.origin_dims = dims;
    input.data = in.data();
    input.size = in.size() * sizeof(float);
    GeRunContext *context = nullptr;
    EXPECT_EQ(GeRunContextCreate(model, &context), GE_SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(GeRun(context, &input, 1, &output, 1), GE_SUCCESS) << GeLastErrorMessage();
    std::vector<float> out;
    if (output.data != nullptr)
      out.assign(static_cast<float *>(output.data), static_cast<float *>(output.data) + output.size / sizeof(float));
    GeRunContextDestroy(context);
    return out;
  }
  std::string Text(int32_t what) const {
    std::string text;
    auto write = [](void *user, const char *part, size_t length) {
      static_cast<std::string *>(user)->append(part, length);
    };
    EXPECT_EQ(GeModelDescribe(model, what, write, &text), GE_SUCCESS);
    return text;
  }
};
void ExpectNear(const std::vector<float> &got, const std::vector<float> &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-3f * std::abs(expected[i]) + 1e-3f) << i;
}

class OfflineTest : public testing::Test {
 protected:
  void SetUp() override {
    Map options = {{ir_option::SOC_VERSION, "CPU"}};
    ASSERT_EQ(aclgrphBuildInitialize(options), GRAPH_SUCCESS) << GeLastErrorMessage();
    char folder[] = "/tmp/ge_offline_XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
  }
  void TearDown() override {
    aclgrphBuildFinalize();
    std::filesystem::remove_all(folder_);
  }
  static ModelBufferData Built(const Graph &graph, const Map &options = {}) {
    ModelBufferData model;
    EXPECT_EQ(aclgrphBuildModel(graph, options, model), GRAPH_SUCCESS) << GeLastErrorMessage();
    return model;
  }
  std::string folder_;
};

TEST_F(OfflineTest, AFileComputesWhatTheGraphComputes) {
  for (const int64_t batch : {2, -1}) {
    auto graph = Net(batch);
    const Loaded direct(*graph);
    ASSERT_EQ(direct.status, GE_SUCCESS) << GeLastErrorMessage();
    const ModelBufferData model = Built(*graph);
    ASSERT_NE(model.data, nullptr);
    const std::string base = folder_ + "/a/new/folder/net.om";
    ASSERT_EQ(aclgrphSaveModel(base.c_str(), model), GRAPH_SUCCESS) << GeLastErrorMessage();
    const Loaded file(base + ".om"), buffer(model);
    ASSERT_EQ(file.status, GE_SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(buffer.status, GE_SUCCESS) << GeLastErrorMessage();
    ExpectNear(file.Run(2), direct.Run(2));
    ExpectNear(buffer.Run(2), direct.Run(2));
    if (batch < 0) ExpectNear(file.Run(3), direct.Run(3));
    // The same kernels, layouts included, and the same names.
    ASSERT_EQ(GeModelPlacementCount(file.model), GeModelPlacementCount(direct.model));
    for (size_t i = 0; i < GeModelPlacementCount(file.model); ++i) {
      GePlacement loaded{}, compiled{};
      loaded.struct_size = compiled.struct_size = sizeof loaded;
      ASSERT_EQ(GeModelGetPlacement(file.model, i, &loaded), GE_SUCCESS);
      ASSERT_EQ(GeModelGetPlacement(direct.model, i, &compiled), GE_SUCCESS);
      EXPECT_STREQ(loaded.type, compiled.type);
      EXPECT_STREQ(loaded.implementation, compiled.implementation);
    }
    const char *loaded = nullptr, *compiled = nullptr;
    ASSERT_EQ(GeModelGetInput(file.model, 0, &loaded, nullptr), GE_SUCCESS);
    EXPECT_STREQ(loaded, "picture");
    ASSERT_EQ(GeModelGetOutput(file.model, 0, &loaded, nullptr), GE_SUCCESS);
    ASSERT_EQ(GeModelGetOutput(direct.model, 0, &compiled, nullptr), GE_SUCCESS);
    EXPECT_STREQ(loaded, compiled);
    EXPECT_EQ(std::memcmp(Built(*graph).data.get(), model.data.get(), model.length), 0);
  }
}

TEST_F(OfflineTest, TheFileIsOptimisedButForNoMachine) {
  const ModelBufferData model = Built(*Net(2));
  const std::string bytes(reinterpret_cast<const char *>(model.data.get()), model.length);
  EXPECT_EQ(bytes.substr(0, 4), "IMOD");
  EXPECT_NE(bytes.find("FusedConv2D"), std::string::npos);  // ReLU is part of the convolution
  EXPECT_EQ(bytes.find("TransData"), std::string::npos);    // blocked layouts come when it is loaded
}

TEST_F(OfflineTest, DamageIsFoundAndForeignModelsAreTold) {
  const ModelBufferData model = Built(*Net(1));
  const std::string good(reinterpret_cast<const char *>(model.data.get()), model.length);
  auto refused = [](const std::string &bytes, const char *reason) {
    const Loaded loaded(bytes.data(), bytes.size());
    EXPECT_NE(loaded.status, GE_SUCCESS);
    const std::string message = GeLastErrorMessage();
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  };
  for (size_t at = 4; at < 360; ++at) {  // header, table, beginning of the graph
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    refused(bad, "offline model");
  }
  for (size_t at = 360; at < good.size(); at += 997) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x01);
    refused(bad, "checksum");
  }
  for (size_t size : {size_t{4}, size_t{100}, size_t{256}, size_t{263}, size_t{264}, good.size() - 1})
    refused(good.substr(0, size), "offline model");
  refused(good + "x", "bytes follow its header");
  std::string foreign = good;
  std::memcpy(&foreign[160], "Ascend910\0", 10);
  refused(foreign, "'Ascend910'");
  std::string newer = good;
  newer[152] = 2;
  refused(newer, "version 2");
}

TEST_F(OfflineTest, OptionsOfTheBuildAreKeptAndThoseOfALoadWin) {
  const ModelBufferData model = Built(*Net(1), {{"ge.oo.level", "O1"}});
  const Loaded loaded(model);
  ASSERT_EQ(loaded.status, GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_NE(loaded.Text(GE_MODEL_REPORT).find("\"ge.oo.level\":\"O1\""), std::string::npos)
      << loaded.Text(GE_MODEL_REPORT);
  GeOptions *options = nullptr;
  ASSERT_EQ(GeOptionsCreate(&options), GE_SUCCESS);
  ASSERT_EQ(GeOptionsSet(options, "ge.oo.level", "O3"), GE_SUCCESS);
  GeModel *again = nullptr;
  ASSERT_EQ(GeCompileBuffer(model.data.get(), model.length, nullptr, options, &again), GE_SUCCESS);
  GeOptionsDestroy(options);
  std::string text;
  auto write = [](void *user, const char *part, size_t length) {
    static_cast<std::string *>(user)->append(part, length);
  };
  ASSERT_EQ(GeModelDescribe(again, GE_MODEL_REPORT, write, &text), GE_SUCCESS);
  EXPECT_NE(text.find("\"ge.oo.level\":\"O3\""), std::string::npos) << text;
  GeModelDestroy(again);
}

TEST_F(OfflineTest, OptionsThatChangeTheGraph) {
  auto graph = Net(-1);
  const Loaded shaped(Built(*graph, {{ir_option::INPUT_SHAPE, "picture:2,16,8,8"}, {ir_option::INPUT_FORMAT, "NCHW"}}));
  ASSERT_EQ(shaped.status, GE_SUCCESS) << GeLastErrorMessage();
  GeTensorData desc{};
  ASSERT_EQ(GeModelGetInput(shaped.model, 0, nullptr, &desc), GE_SUCCESS);
  EXPECT_EQ(desc.dims[0], 2);
  const Loaded ranged(Built(*graph, {{ir_option::INPUT_SHAPE_RANGE, "picture:[1~4,16,8,8]"}}));
  ASSERT_EQ(ranged.status, GE_SUCCESS) << GeLastErrorMessage();
  ASSERT_EQ(GeModelGetInput(ranged.model, 0, nullptr, &desc), GE_SUCCESS);
  EXPECT_EQ(desc.dims[0], -1);
  const Loaded gears(
      Built(*graph, {{ir_option::INPUT_SHAPE, "picture:-1,16,8,8"}, {ir_option::DYNAMIC_BATCH_SIZE, "1,2,4"}}));
  ASSERT_EQ(gears.status, GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(gears.Run(4).size(), 16u);
}

TEST_F(OfflineTest, RefusedCallsSayWhy) {
  auto graph = Net(1);
  const struct {
    Map options;
    const char *reason;
  } cases[] = {{{{"no.such.option", "1"}}, "no.such.option"},
               {{{ir_option::INPUT_FORMAT, "XYZ"}}, "'XYZ'"},
               {{{ir_option::INPUT_FORMAT, "NHWC"}}, "input 'picture'"},
               {{{ir_option::INPUT_SHAPE, "nobody:1,2"}}, "nobody"},
               {{{ir_option::DYNAMIC_BATCH_SIZE, "1,2"}}, "needs input_shape"},
               {{{ir_option::INPUT_SHAPE, "picture:-1,16,8,8"},
                 {ir_option::DYNAMIC_BATCH_SIZE, "1,2"},
                 {ir_option::DYNAMIC_DIMS, "1;2"}},
                "exclude one another"},
               {{{ir_option::INSERT_OP_FILE, "aipp.cfg"}}, "not supported"}};
  for (const auto &one : cases) {
    ModelBufferData model;
    EXPECT_EQ(aclgrphBuildModel(*graph, one.options, model), GRAPH_PARAM_INVALID);
    EXPECT_NE(std::string(GeLastErrorMessage()).find(one.reason), std::string::npos) << GeLastErrorMessage();
  }
  ModelBufferData model, empty{nullptr, 0};
  EXPECT_EQ(aclgrphBuildModel(Graph(), Map{}, model), GRAPH_PARAM_INVALID);
  model = Built(*graph);
  EXPECT_EQ(aclgrphSaveModel(static_cast<const char *>(nullptr), model), GRAPH_PARAM_INVALID);
  EXPECT_EQ(aclgrphSaveModel(folder_.c_str(), empty), GRAPH_PARAM_INVALID);
  EXPECT_EQ(aclgrphSaveModel("/proc/no/such/place", model), GRAPH_FAILED);
  ModelBufferData text{std::shared_ptr<uint8_t>(new uint8_t[8]{1}, std::default_delete<uint8_t[]>()), 8};
  EXPECT_EQ(aclgrphSaveModel((folder_ + "/text").c_str(), text), GRAPH_FAILED);
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/text.om"));
  aclgrphBuildFinalize();
  EXPECT_EQ(aclgrphBuildModel(*graph, Map{}, model), GRAPH_FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("aclgrphBuildInitialize"), std::string::npos);
  Map wrong = {{ir_option::EXEC_DISABLE_REUSED_MEMORY, "perhaps"}};
  EXPECT_EQ(aclgrphBuildInitialize(wrong), GRAPH_PARAM_INVALID);
}

int g_passes = 0;
GeStatus CountingPass(void *, GeGraph *) {
  ++g_passes;
  return GE_NOT_CHANGED;
}

TEST_F(OfflineTest, PassesOfAProgramRunWhenTheModelIsBuilt) {
  GePassTable pass{};
  pass.struct_size = sizeof pass;
  pass.name = "OfflineCounting";
  pass.stage = GE_STAGE_BEFORE_INFER_SHAPE;
  pass.run = &CountingPass;
  ASSERT_EQ(GePassRegister(&pass), GE_SUCCESS) << GeLastErrorMessage();
  g_passes = 0;
  const ModelBufferData model = Built(*Net(1));
  EXPECT_EQ(g_passes, 1);
  const Loaded loaded(model);
  EXPECT_EQ(loaded.status, GE_SUCCESS);
  EXPECT_EQ(g_passes, 1);
  EXPECT_EQ(GePassUnregister("OfflineCounting"), GE_SUCCESS);
}

TEST_F(OfflineTest, SessionsGiveTheirCompiledGraph) {
  ASSERT_EQ(GEInitializeV2(Map{}), SUCCESS);
  {
    GeSession session(Map{});
    auto graph = Net(2);
    ASSERT_EQ(session.AddGraph(1, *graph), SUCCESS);
    ModelBufferData model{nullptr, 0};
    EXPECT_EQ(session.GetCompiledModel(1, model), FAILED);  // not compiled
    EXPECT_EQ(session.GetCompiledModel(2, model), FAILED);
    ASSERT_EQ(session.CompileGraph(1), SUCCESS);
    ASSERT_EQ(session.GetCompiledModel(1, model), SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(aclgrphSaveModel((folder_ + "/session").c_str(), model), GRAPH_SUCCESS) << GeLastErrorMessage();
    const Loaded file(folder_ + "/session.om"), direct(*graph);
    ASSERT_EQ(file.status, GE_SUCCESS) << GeLastErrorMessage();
    ExpectNear(file.Run(2), direct.Run(2));
  }
  EXPECT_EQ(GEFinalizeV2(), SUCCESS);
}

TEST_F(OfflineTest, BundlesHoldModelsThatLoadOneByOne) {
  auto small = Net(1, "small"), large = Net(3, "large");
  ModelBufferData bundle{nullptr, 0};
  EXPECT_EQ(aclgrphBundleBuildModel({{*small, {}}}, bundle), GRAPH_PARAM_INVALID);
  EXPECT_EQ(aclgrphBundleBuildModel({{*small, {}}, {*large, {{"no.such.option", "1"}}}}, bundle), GRAPH_PARAM_INVALID);
  ASSERT_EQ(aclgrphBundleBuildModel({{*small, {}}, {*large, {}}}, bundle), GRAPH_SUCCESS) << GeLastErrorMessage();
  const std::string base = folder_ + "/both";
  EXPECT_EQ(aclgrphSaveModel(base.c_str(), bundle), GRAPH_FAILED);
  EXPECT_EQ(aclgrphBundleSaveModel(base.c_str(), Built(*small)), GRAPH_FAILED);
  ASSERT_EQ(aclgrphBundleSaveModel(base.c_str(), bundle), GRAPH_SUCCESS) << GeLastErrorMessage();
  const Loaded whole(base + ".om");
  EXPECT_EQ(whole.status, GE_UNSUPPORTED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("bundle of 2 models"), std::string::npos) << GeLastErrorMessage();
  std::ifstream file(base + ".om", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  size_t count = 0;
  ASSERT_EQ(GeOfflineBundleCount(bytes.data(), bytes.size(), &count), GE_SUCCESS);
  ASSERT_EQ(count, 2u);
  for (size_t i = 0; i < count; ++i) {
    const void *member = nullptr;
    size_t size = 0;
    ASSERT_EQ(GeOfflineBundleGet(bytes.data(), bytes.size(), i, &member, &size), GE_SUCCESS);
    const Loaded loaded(member, size), direct(i == 0 ? *small : *large);
    ASSERT_EQ(loaded.status, GE_SUCCESS) << GeLastErrorMessage();
    ExpectNear(loaded.Run(i == 0 ? 1 : 3), direct.Run(i == 0 ? 1 : 3));
  }
  const void *none = nullptr;
  size_t size = 0;
  EXPECT_EQ(GeOfflineBundleGet(bytes.data(), bytes.size(), 2, &none, &size), GE_PARAM_INVALID);
  std::string bad = bytes;
  bad[bytes.size() / 2] = static_cast<char>(bad[bytes.size() / 2] ^ 1);
  EXPECT_EQ(GeOfflineBundleCount(bad.data(), bad.size(), &count), GE_MODEL_INVALID);
}

TEST_F(OfflineTest, AGraphOfOneOperator) {
  const TensorDesc two(Shape({2}), FORMAT_ND, DT_FLOAT), four(Shape({4}), FORMAT_ND, DT_FLOAT);
  Graph graph;
  ASSERT_EQ(aclgrphGenerateForOp("Maximum", {two, two}, {two}, graph), GRAPH_SUCCESS) << GeLastErrorMessage();
  const Loaded maximum(Built(graph));
  ASSERT_EQ(maximum.status, GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(GeModelInputCount(maximum.model), 2u);
  // AddN's input is dynamic; MatMulV2's last two are optional.
  ASSERT_EQ(aclgrphGenerateForOp("AddN", {two, two, two}, {two}, graph), GRAPH_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(graph.GetDirectNode().size(), 4u);  // three inputs and the operator
  const TensorDesc square(Shape({2, 2}), FORMAT_ND, DT_FLOAT);
  ASSERT_EQ(aclgrphGenerateForOp("MatMulV2", {square, square}, {square}, graph), GRAPH_SUCCESS);
  const Loaded product(Built(graph));
  ASSERT_EQ(product.status, GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(aclgrphGenerateForOp("Maximum", {two}, {two}, graph), GRAPH_PARAM_INVALID);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("1 descriptions of inputs"), std::string::npos);
  EXPECT_EQ(aclgrphGenerateForOp("NoSuchOperator", {two}, {two}, graph), GRAPH_FAILED);
}

TEST_F(OfflineTest, HandlesVersionsAndDumps) {
  auto graph = Net(2);
  ASSERT_EQ(graph->SaveToFile((folder_ + "/net.air").c_str()), GRAPH_SUCCESS);
  aclmdlModel *model = nullptr;
  EXPECT_EQ(aclgrphBuildModelFromFile((folder_ + "/none.air").c_str(), Map{}, &model), GRAPH_FAILED);
  ASSERT_EQ(aclgrphBuildModelFromFile((folder_ + "/net.air").c_str(), Map{}, &model), GRAPH_SUCCESS)
      << GeLastErrorMessage();
  ASSERT_EQ(aclgrphSaveModel((folder_ + "/handle").c_str(), model), GRAPH_SUCCESS);
  ModelBufferData shared{nullptr, 0};
  ASSERT_EQ(aclgrphSaveModelToBuffer(shared, model), GRAPH_SUCCESS);
  ASSERT_EQ(aclgrphDestroyModel(model), GRAPH_SUCCESS);
  const Loaded file(folder_ + "/handle.om"), buffer(shared), direct(*graph);
  ASSERT_EQ(file.status, GE_SUCCESS) << GeLastErrorMessage();
  ExpectNear(file.Run(2), direct.Run(2));
  ExpectNear(buffer.Run(2), direct.Run(2));
  std::ifstream air(folder_ + "/net.air", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(air)), std::istreambuf_iterator<char>());
  ASSERT_EQ(aclgrphBuildModelFromData(bytes.data(), bytes.size(), Map{}, &model), GRAPH_SUCCESS);
  ASSERT_EQ(aclgrphDestroyModel(model), GRAPH_SUCCESS);
  int32_t major = 0, minor = -1, patch = -1;
  ASSERT_EQ(aclgrphGetIRVersion(&major, &minor, &patch), GRAPH_SUCCESS);
  EXPECT_EQ(major * 100 + minor * 10 + patch, 100);
  EXPECT_EQ(aclgrphGetIRVersion(&major, nullptr, &patch), GRAPH_FAILED);
  const std::string dump = folder_ + "/dump";
  EXPECT_EQ(aclgrphDumpGraph(*graph, dump.c_str(), dump.size() + 1), GRAPH_PARAM_INVALID);
  EXPECT_EQ(aclgrphDumpGraph(*graph, (folder_ + "/no/dump").c_str(), folder_.size() + 8), GRAPH_PARAM_INVALID);
  ASSERT_EQ(aclgrphDumpGraph(*graph, dump.c_str(), dump.size()), GRAPH_SUCCESS);
  for (const char *end : {".txt", ".pbtxt"}) EXPECT_GT(std::filesystem::file_size(dump + end), 100u);
}

}  // namespace
}  // namespace ge
