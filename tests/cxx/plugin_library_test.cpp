// Where libraries of front-end plug-ins are looked for, and in which order. One process per case: what is open stays
// open.
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "ge/model.h"
#include "tests/cxx/plugin_models.h"

namespace {

using namespace plugin_models;
namespace fs = std::filesystem;

class PluginLibraries : public Plugins {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ge_plugins_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    root_ = name;
    setenv("ASCEND_OPP_PATH", (root_ / "opp").c_str(), 1);
    unsetenv("ASCEND_CUSTOM_OPP_PATH");
  }
  void TearDown() override { fs::remove_all(root_); }
  /// The library whose operators have this slope.
  void Place(int slope, const std::string &folder) {
    fs::create_directories(root_ / folder);
    fs::copy_file(std::string(PLUGIN_FOLDER) + "/libplugin" + std::to_string(slope) + ".so",
                  root_ / folder / ("libplugin" + std::to_string(slope) + ".so"));
  }
  static float Slope(const std::string &type) { return -Results(File(OneNode(type, {"x"})), {{-1, 1}}).at(0); }
  static bool Known(int slope) {
    ge::Graph graph("g");
    return Parse(File(OneNode("Leaky" + std::to_string(slope), {"x"})), graph) == ge::GRAPH_SUCCESS;
  }
  fs::path root_;
};

TEST_F(PluginLibraries, CustomRootsThenVendorsByPriorityThenBuiltIn) {
  Place(2, "first/framework/onnx/deep/below");
  Place(3, "second/framework");
  Place(4, "opp/vendors/aaa/framework/onnx");
  Place(5, "opp/vendors/zzz/framework/onnx");
  Place(6, "opp/built-in/framework/onnx");
  Place(7, "first/framework/tensorflow");
  Place(8, "opp/built-in/framework/caffe");
  std::ofstream(root_ / "opp/vendors/config.ini") << "[priority]\nload_priority = zzz\n";
  std::ofstream(root_ / "second/framework/libbroken.so") << "no library";
  fs::create_directory_symlink(root_ / "first", root_ / "first/framework/onnx/again");
  // Only the vendors' and the built-in ones at first.
  EXPECT_EQ(Slope("Leaky"), 5);
  EXPECT_TRUE(Known(4) && Known(5) && Known(6));
  EXPECT_FALSE(Known(2) || Known(3) || Known(7) || Known(8));
  setenv("ASCEND_CUSTOM_OPP_PATH",
         ("/no/such/folder::" + (root_ / "first").string() + ":" + (root_ / "second").string()).c_str(), 1);
  const LogText log;
  EXPECT_TRUE(Known(2) && Known(3));
  EXPECT_FALSE(Known(7) || Known(8));
  EXPECT_EQ(Slope("Leaky"), 5);  // the first that was registered
  EXPECT_NE(log.text().find("libbroken.so' is left out"), std::string::npos) << log.text();
  EXPECT_EQ(log.text().find("again"), std::string::npos) << log.text();
}

TEST_F(PluginLibraries, CustomRootsComeFirst) {
  Place(2, "custom/framework/onnx");
  Place(3, "opp/vendors/v/framework");
  setenv("ASCEND_CUSTOM_OPP_PATH", (root_ / "custom").c_str(), 1);
  EXPECT_EQ(Slope("Leaky"), 2);
  EXPECT_EQ(Slope("Leaky3"), 3);
}

TEST_F(PluginLibraries, ProgramsInCFindThem) {
  Place(2, "custom/framework/onnx");
  setenv("ASCEND_CUSTOM_OPP_PATH", (root_ / "custom").c_str(), 1);
  const fs::path file = root_ / "net.onnx";
  std::ofstream(file, std::ios::binary) << File(OneNode("Leaky", {"x"}));
  GeModel *model = nullptr;
  ASSERT_EQ(GeCompileFile(file.c_str(), nullptr, &model), GE_SUCCESS) << GeLastErrorMessage();
  GeModelDestroy(model);
}

#ifdef PLUGIN_MESSAGE_LIBRARY
// Its classes of messages come from libge_onnx_proto, which neither it nor this program names.
TEST_F(PluginLibraries, MessagesNeedNoLibraryToBeLinked) {
  fs::create_directories(root_ / "custom/framework/onnx");
  fs::copy_file(PLUGIN_MESSAGE_LIBRARY, root_ / "custom/framework/onnx/libplugin.so");
  setenv("ASCEND_CUSTOM_OPP_PATH", (root_ / "custom").c_str(), 1);
  EXPECT_EQ(Results(File(OneNode("Doubled", {"x"}, {w::AttrFloat("alpha", 0.25f)})), {{-4, 8}}), (Values{-2, 8}));
}
#endif

}  // namespace
