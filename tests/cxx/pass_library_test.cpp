// Libraries of passes are found, loaded with GE and unloaded with it; what passes did is written down.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "es_all_ops.h"
#include "ge/fusion/pass/fusion_base_pass.h"
#include "ge/fusion/pass/fusion_pass_reg.h"
#include "ge/ge_api.h"
#include "ge/pass_library.h"

namespace ge {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> seen;  // types of the nodes when stage 1 begins
class Observer : public fusion::FusionBasePass {
 public:
  Status Run(GraphPtr &graph, CustomPassContext &) override {
    for (GNode &node : graph->GetDirectNode()) {
      AscendString type;
      (void)node.GetType(type);
      seen.push_back(type.GetString());
    }
    return NOT_CHANGED;
  }
};
REG_FUSION_PASS(Observer).Stage(CustomPassStage::kAfterInferShape);

class PassLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("ge_opp_" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "vendors" / "acme" / "custom_fusion_passes");
    setenv("ASCEND_OPP_PATH", root_.c_str(), 1);
    setenv("ASCEND_WORK_PATH", root_.c_str(), 1);
    seen.clear();
  }
  void TearDown() override {
    fs::remove_all(root_);
    unsetenv("ASCEND_OPP_PATH");
    unsetenv("ASCEND_WORK_PATH");
  }
  fs::path Folder(const char *vendor) const { return root_ / "vendors" / vendor / "custom_fusion_passes"; }
  void Install() const { fs::copy_file(GE_TEST_PASS_LIBRARY, Folder("acme") / "libacme.so"); }
  std::string Result() const {
    std::ifstream file(root_ / "fusion_result.json");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// Compiles relu6 and says whether the vendor's pass was there.
  static bool Split(const std::map<AscendString, AscendString> &options = {}) {
    seen.clear();
    es::EsGraphBuilder b("relu6");
    auto x = b.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {4});
    auto graph = b.BuildAndReset({es::Relu6(x)});
    Session session(options);
    EXPECT_EQ(session.AddGraph(5, *graph), SUCCESS);
    const std::vector<float> in = {-3, 2.5f, 6, 100}, expected = {0, 2.5f, 6, 6};
    std::vector<Tensor> outputs;
    Tensor tensor(TensorDesc(Shape({4}), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(in.data()), 16);
    EXPECT_EQ(session.RunGraph(5, {tensor}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(std::memcmp(outputs.at(0).GetData(), expected.data(), 16), 0);
    EXPECT_FALSE(seen.empty());
    return std::find(seen.begin(), seen.end(), "Relu6") == seen.end();
  }
  static Status Start(const char *stat) {
    return GEInitialize(std::map<AscendString, AscendString>{{"ge.exportCompileStat", stat}});
  }
  fs::path root_;
};

TEST_F(PassLibraryTest, PassesComeAndGoWithGe) {
  ASSERT_EQ(Start("0"), SUCCESS);
  EXPECT_FALSE(Split());
  ASSERT_EQ(GEFinalize(), SUCCESS);
  Install();
  for (int round = 0; round < 2; ++round) {  // a library that the loader keeps works again, too
    ASSERT_EQ(Start("0"), SUCCESS) << GeLastErrorMessage();
    ASSERT_EQ(Start("0"), SUCCESS);
    EXPECT_TRUE(Split());
    ASSERT_EQ(GEFinalize(), SUCCESS);
  }
  fs::remove(Folder("acme") / "libacme.so");
  ASSERT_EQ(Start("0"), SUCCESS);
  EXPECT_FALSE(Split());
  ASSERT_EQ(GEFinalize(), SUCCESS);
  EXPECT_FALSE(fs::exists(root_ / "fusion_result.json"));
}

TEST_F(PassLibraryTest, ALibraryThatCannotBeLoadedEndsTheStart) {
  Install();
  fs::create_directories(Folder("zeta"));
  std::ofstream(Folder("zeta") / "libbroken.so") << "no library";
  std::ofstream(Folder("zeta") / "readme.txt") << "is not looked at";
  EXPECT_EQ(Start("0"), FAILED);
  const std::string message = GeLastErrorMessage();
  EXPECT_NE(message.find("E13029"), std::string::npos) << message;
  EXPECT_NE(message.find("libbroken.so"), std::string::npos) << message;
  fs::remove(Folder("zeta") / "libbroken.so");
  ASSERT_EQ(Start("0"), SUCCESS) << GeLastErrorMessage();
  EXPECT_TRUE(Split());
  ASSERT_EQ(GEFinalize(), SUCCESS);
}

// The graph before and after a stage's passes, under the names that GE gives the files.
TEST_F(PassLibraryTest, DumpsShowWhatPassesDid) {
  Install();
  auto dumped = [&](const char *level, const char *formats) {
    setenv("DUMP_GE_GRAPH", "2", 1);
    setenv("DUMP_GRAPH_LEVEL", level, 1);
    setenv("DUMP_GRAPH_FORMAT", formats, 1);
    EXPECT_EQ(Start("0"), SUCCESS);
    EXPECT_TRUE(Split());
    EXPECT_EQ(GEFinalize(), SUCCESS);
    for (const char *name : {"DUMP_GE_GRAPH", "DUMP_GRAPH_LEVEL", "DUMP_GRAPH_FORMAT"}) unsetenv(name);
    std::map<std::string, std::string> files;  // by stage and extension
    for (const fs::directory_entry &entry : fs::directory_iterator(root_)) {
      const std::string name = entry.path().filename();
      if (name.compare(0, 3, "ge_") != 0) continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      files[name.substr(name.find("_graph_0_") + 9)] = text.str();
      fs::remove(entry.path());
    }
    return files;
  };
  auto files = dumped("2", "");
  EXPECT_NE(files["PreRunBegin.pbtxt"].find("Relu6"), std::string::npos);
  EXPECT_EQ(files["PreRunBegin.pbtxt"].find("Maximum"), std::string::npos);
  EXPECT_NE(files["RunCustomPassBeforeInfershape.pbtxt"].find("Maximum"), std::string::npos);
  EXPECT_NE(files["RunCustomPass_AfterInferShape.txt"].find("Minimum"), std::string::npos);
  EXPECT_EQ(files.count("RunCustomPassAfterBuiltinFusionPass.txt"), 0u);  // no pass is registered for it
  EXPECT_EQ(files.count("AfterInfershape.pbtxt"), 1u);
  EXPECT_EQ(files.count("Build.txt"), 1u);
  files = dumped("3", "Readable");
  EXPECT_EQ(files.size(), 1u);
  EXPECT_EQ(files.count("Build.txt"), 1u);
  files = dumped("1", "readable");
  EXPECT_EQ(files.count("VendorRelu6.txt"), 1u);  // each pass that changed something
  files = dumped("BeforeInfer|Build", "onnx");
  EXPECT_EQ(files.size(), 2u);
  EXPECT_EQ(files.count("RunCustomPassBeforeInfershape.pbtxt"), 1u);
}

TEST_F(PassLibraryTest, LoadingByPathIsCounted) {
  ASSERT_EQ(Start("0"), SUCCESS);
  EXPECT_FALSE(Split());
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(GePassLibraryLoad(GE_TEST_PASS_LIBRARY), GE_SUCCESS);
    EXPECT_TRUE(Split());
  }
  ASSERT_EQ(GePassLibraryUnload(GE_TEST_PASS_LIBRARY), GE_SUCCESS);
  EXPECT_TRUE(Split());
  ASSERT_EQ(GePassLibraryUnload(GE_TEST_PASS_LIBRARY), GE_SUCCESS);
  EXPECT_FALSE(Split());
  EXPECT_EQ(GePassLibraryUnload(GE_TEST_PASS_LIBRARY), GE_NOT_FOUND);
  ASSERT_EQ(GEFinalize(), SUCCESS);
}

TEST_F(PassLibraryTest, AnOptionTakesPassesIntoOneCompile) {
  ASSERT_EQ(Start("0"), SUCCESS);
  const fs::path link = root_ / "link.so";
  fs::create_symlink(GE_TEST_PASS_LIBRARY, link);
  const std::map<AscendString, AscendString> options{{"passes", (link.native() + ":" + GE_TEST_PASS_LIBRARY).c_str()}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(Split());
    EXPECT_TRUE(Split(options));
  }
  ASSERT_EQ(GePassLibraryLoad(GE_TEST_PASS_LIBRARY), GE_SUCCESS);  // and into all
  EXPECT_TRUE(Split(options));
  EXPECT_TRUE(Split());
  ASSERT_EQ(GePassLibraryUnload(link.c_str()), GE_SUCCESS);
  EXPECT_FALSE(Split());
  EXPECT_TRUE(Split(options));
  ASSERT_EQ(GEFinalize(), SUCCESS);
}

TEST_F(PassLibraryTest, LibrariesOfVendorsAreCountedWithTheEngine) {
  Install();
  ASSERT_EQ(GePassLibraryLoad(nullptr), GE_SUCCESS);
  fs::remove(Folder("acme") / "libacme.so");  // what is loaded stays
  auto splits = [] {
    EXPECT_EQ(Start("0"), SUCCESS);
    const bool found = Split();
    EXPECT_EQ(GEFinalize(), SUCCESS);
    return found;
  };
  EXPECT_TRUE(splits());
  EXPECT_TRUE(splits());  // the engine's end took back what its start had counted, no more
  ASSERT_EQ(GePassLibraryUnload(nullptr), GE_SUCCESS);
  EXPECT_FALSE(splits());
  EXPECT_EQ(GePassLibraryUnload(nullptr), GE_NOT_FOUND);
}

TEST_F(PassLibraryTest, LibrariesThatCannotBeLoadedAreNamed) {
  EXPECT_EQ(GePassLibraryLoad("/no/such.so"), GE_FAILED);
  EXPECT_NE(std::strstr(GeLastErrorMessage(), "E13029: pass library '/no/such.so' cannot be loaded: "), nullptr);
  EXPECT_EQ(GePassLibraryUnload("/no/such.so"), GE_NOT_FOUND);
  EXPECT_EQ(GePassLibraryLoad(""), GE_PARAM_INVALID);
}

TEST_F(PassLibraryTest, FusionResultCountsMatchesAndEffects) {
  Install();
  ASSERT_EQ(Start("1"), SUCCESS);
  EXPECT_TRUE(Split());
  EXPECT_EQ(Result(), "");  // not before the end
  ASSERT_EQ(GEFinalize(), SUCCESS);
  std::string text = Result();
  EXPECT_NE(text.find("\"session_and_graph_id_"), std::string::npos) << text;
  EXPECT_NE(text.find("_5\""), std::string::npos) << text;
  EXPECT_NE(text.find(R"("VendorRelu6": {"effect_times": "1", "match_times": "1"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("Observer": {"effect_times": "0", "match_times": "0"})"), std::string::npos) << text;
  fs::remove(root_ / "fusion_result.json");
  ASSERT_EQ(Start("2"), SUCCESS);
  EXPECT_TRUE(Split());
  EXPECT_NE(Result().find("VendorRelu6"), std::string::npos);  // with the compile
  ASSERT_EQ(GEFinalize(), SUCCESS);
}

}  // namespace
}  // namespace ge
