// Engines that load, and every way of not loading or failing later.
#include <filesystem>
#include <fstream>

#include "core/placement/registry.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

std::string Case(const char *name) { return std::string(GE_CASES) + "/" + name + ".so"; }

class Manager : public ::testing::Test {
 protected:
  ~Manager() override {
    try {
      EngineRegistry::Instance().Unload("CaseEngine");
    } catch (const Error &) {
    }
  }
  static Net Negation() {
    Net net;
    net.Outputs({net.Out("Neg", {net.Input({1})}, "negation")});
    return net;
  }
  static ModelPtr WithPath(const std::string &path) {
    return Model::Compile(*Negation().graph, Opts({{"opt_level", "0"}, {"engines.path", path.c_str()}}));
  }
  static Options Plain() { return Opts({{"opt_level", "0"}}); }
  static float Run(const Net &net) { return CompileAndRun(*net.graph, {Array::F({1}, {5})}, Plain())[0].Floats()[0]; }
};

TEST_F(Manager, FindsTheBuiltEngines) {
  std::vector<std::string> names;
  int32_t cost = INT32_MIN;
  for (const EngineEntryPtr &e : EngineRegistry::Instance().Entries()) {
    EXPECT_EQ(e->error, "");
    EXPECT_GE(e->cost, cost);
    cost = e->cost;
    names.push_back(e->name);
  }
  for (const char *name : {"DNN_VM_HOST_CPU", "DNN_VM_GE_LOCAL", "AIcoreEngine", "VectorEngine"}) {
    ASSERT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  EXPECT_EQ(EngineRegistry::Instance().Engines().front()->name(), "DNN_VM_GE_LOCAL");  // views are asked first
}

TEST_F(Manager, ALoadedEngineIsAskedAndCanBeUnloaded) {
  EngineRegistry::Instance().Load(Case("good"), "");
  Net net = Negation();
  ModelPtr model = Model::Compile(*net.graph, Plain());
  EXPECT_EQ(model->Placement()[0].engine, "CaseEngine");
  RunContext context(model);
  EngineRegistry::Instance().Unload("CaseEngine");
  EXPECT_EQ(RunAll(context, {Array::F({1}, {5})})[0].Floats()[0], 1234);  // the model keeps it
  EXPECT_EQ(Run(net), -5);                                                // later compilations do without
}

TEST_F(Manager, LoadingAgainReplaces) {
  size_t before = EngineRegistry::Instance().Entries().size();
  EngineRegistry::Instance().Load(Case("good"), "");
  EngineRegistry::Instance().Load(Case("good"), "");
  EXPECT_EQ(EngineRegistry::Instance().Entries().size(), before + 1);
}

TEST_F(Manager, RefusalsNamePathAndBothVersions) {
  EngineRegistry &r = EngineRegistry::Instance();
  EXPECT_GE_ERROR(r.Load("/no/such/engine.so", ""), GE_PATH_INVALID, "/no/such/engine.so");
  EXPECT_GE_ERROR(r.Load(Case("wrong_abi"), ""), GE_ABI_MISMATCH, "has engine ABI 77, this library offers 1");
  EXPECT_GE_ERROR(r.Load(Case("wrong_abi"), ""), GE_ABI_MISMATCH, "wrong_abi.so");
  EXPECT_GE_ERROR(r.Load(Case("null_table"), ""), GE_ABI_MISMATCH, "needs a newer engine ABI than the 1");
  EXPECT_GE_ERROR(r.Load(Case("short_table"), ""), GE_ABI_MISMATCH,
                  "GeEngineTable.struct_size is 24, the least is 72, its size in ABI 1");
  EXPECT_GE_ERROR(r.Load(Case("no_check"), ""), GE_PARAM_INVALID, "lacks check");
  EXPECT_GE_ERROR(r.Load(Case("no_symbol"), ""), GE_PARAM_INVALID, "does not export GeEngineQuery");
  EXPECT_GE_ERROR(r.Load(Case("open_fails"), ""), GE_FAILED, "no such device");
  EXPECT_GE_ERROR(r.Load(Case("open_throws"), ""), GE_FAILED, "open is broken");
  EXPECT_GE_ERROR(r.Load(Case("query_throws"), ""), GE_FAILED, "query is broken");
  EXPECT_GE_ERROR(r.Load(Case("good"), "mode=refuse"), GE_PARAM_INVALID, "mode=refuse");
  EXPECT_GE_ERROR(r.Unload("DNN_VM_HOST_CPO"), GE_NOT_FOUND, "DNN_VM_HOST_CPU");
  EXPECT_EQ(Run(Negation()), -5);
}

TEST_F(Manager, ATruncatedFileIsRefused) {
  std::string path = ::testing::TempDir() + "/libge_engine_cut.so";
  std::ofstream(path) << "\x7f"
                         "ELF";
  EXPECT_GE_ERROR(EngineRegistry::Instance().Load(path, ""), GE_PATH_INVALID, "cannot be loaded");
  // A real engine cut anywhere: the loader would map what is not there and die of it.
  std::ifstream whole(Case("good"), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), {});
  ASSERT_GT(bytes.size(), 4000u);
  for (size_t size : {size_t{16}, size_t{63}, size_t{64}, size_t{100}, size_t{1000}, size_t{2000}}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    EXPECT_GE_ERROR(EngineRegistry::Instance().Load(path, ""), GE_PATH_INVALID, "cannot be loaded");
  }
  EXPECT_GE_ERROR(EngineRegistry::Instance().Load(path, ""), GE_PATH_INVALID, "truncated or damaged");
  std::filesystem::remove(path);
}

TEST_F(Manager, AFolderWithABadEngineKeepsItsErrorAndTheGoodOnes) {
  std::string folder = ::testing::TempDir() + "/ge_engine_folder";
  std::filesystem::create_directories(folder);
  namespace fs = std::filesystem;
  fs::copy_file(Case("good"), folder + "/libge_engine_good.so", fs::copy_options::overwrite_existing);
  fs::copy_file(Case("wrong_abi"), folder + "/libge_engine_bad.so", fs::copy_options::overwrite_existing);
  Net net = Negation();
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}, {"engines.path", folder.c_str()}}));
  EXPECT_EQ(model->Placement()[0].engine, "CaseEngine");
  bool found = false;
  for (const EngineEntryPtr &e : EngineRegistry::Instance().Entries()) {
    if (e->name != "bad") continue;
    found = true;
    EXPECT_EQ(e->engine, nullptr);
    EXPECT_NE(e->error.find("engine ABI 77"), std::string::npos);
  }
  EXPECT_TRUE(found);
  EngineRegistry::Instance().Unload("bad");
  fs::remove_all(folder);
}

TEST_F(Manager, AFileThatIsAskedForByPathIsLoadedOrRefused) {
  EXPECT_EQ(WithPath(Case("good"))->Placement()[0].engine, "CaseEngine");
  EXPECT_EQ(WithPath(Case("good"))->Placement()[0].engine, "CaseEngine");  // again: it is loaded once
  EngineRegistry::Instance().Unload("CaseEngine");
  for (int again = 0; again < 2; ++again) {
    EXPECT_GE_ERROR(WithPath(Case("wrong_abi")), GE_ABI_MISMATCH, "has engine ABI 77, this library offers 1");
    EXPECT_GE_ERROR(WithPath(Case("no_symbol")), GE_PARAM_INVALID, "does not export GeEngineQuery");
    EXPECT_GE_ERROR(WithPath(Case("none")), GE_PATH_INVALID, "none.so' (from option engines.path): No such file");
  }
  const std::string text = ::testing::TempDir() + "/text.so";
  std::ofstream(text) << "no library";
  EXPECT_GE_ERROR(WithPath(text), GE_PATH_INVALID, "text.so cannot be loaded: ");
  std::filesystem::remove(text);
  EXPECT_GE_ERROR(EngineRegistry::Instance().Load(::testing::TempDir(), ""), GE_PATH_INVALID, "it is a folder");
}

TEST_F(Manager, AFolderWithoutEnginesIsRefusedUntilItHasSome) {
  namespace fs = std::filesystem;
  const std::string folder = ::testing::TempDir() + "/ge_no_engine_folder";
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (int again = 0; again < 2; ++again)
    EXPECT_GE_ERROR(WithPath(folder), GE_PATH_INVALID,
                    "engine folder '" + folder + "' (from option engines.path): it holds no libge_engine_*.so");
  fs::copy_file(Case("good"), folder + "/good.so");
  EXPECT_GE_ERROR(WithPath(folder), GE_PATH_INVALID, "the name by which plug-ins are told; there is 'good.so'");
  fs::rename(folder + "/good.so", folder + "/libge_engine_good.so");
  EXPECT_EQ(WithPath(folder)->Placement()[0].engine, "CaseEngine");
  fs::remove_all(folder);
}

TEST_F(Manager, AFileWithoutAFolderIsOfTheWorkingFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(Case("good")).parent_path());
  EngineRegistry::Instance().Load("good.so", "");
  std::filesystem::current_path(before);
  EXPECT_EQ(Model::Compile(*Negation().graph, Plain())->Placement()[0].engine, "CaseEngine");
}

TEST_F(Manager, AnEngineThatThrowsInCheckIsPassedOver) {
  EngineRegistry::Instance().Load(Case("check_throws"), "");
  Net net = Negation();
  EXPECT_EQ(Run(net), -5);
  EXPECT_NE(Model::Compile(*net.graph, Plain())->Placement()[0].refusals.find("check is broken"), std::string::npos);
}

TEST_F(Manager, ARefusalWhenMakingTheKernelGoesToTheNextEngine) {
  EngineRegistry::Instance().Load(Case("create_refuses"), "");
  Net net = Negation();
  EXPECT_EQ(Run(net), -5);
  EXPECT_NE(Model::Compile(*net.graph, Plain())->Placement()[0].refusals.find("CaseEngine: not in this shape"),
            std::string::npos);
}

TEST_F(Manager, FailuresNameNodeAndEngine) {
  Net net = Negation();
  EngineRegistry::Instance().Load(Case("create_throws"), "");
  EXPECT_GE_ERROR(Run(net), GE_FAILED, "Neg 'negation': engine CaseEngine could not make a kernel");
  EngineRegistry::Instance().Load(Case("no_run"), "");
  EXPECT_GE_ERROR(Run(net), GE_FAILED, "without run");
  EngineRegistry::Instance().Load(Case("bad_alias"), "");
  EXPECT_GE_ERROR(Run(net), GE_FAILED, "an alias of input 5");
  EngineRegistry::Instance().Load(Case("unknown_alias"), "");
  EXPECT_GE_ERROR(Run(net), GE_ABI_MISMATCH, "an alias of kind 9");
  EngineRegistry::Instance().Load(Case("run_fails"), "");
  EXPECT_GE_ERROR(Run(net), GE_FAILED, "Neg 'negation' failed on CaseEngine: the device is on fire");
}

TEST_F(Manager, StateKeepsItsTypeAndShape) {
  Net net;
  net.Outputs({net.Out("ReduceSum", {net.Input({2, 3}), net.Const(Array::I64({1}, {0}))}, "sum")});
  EngineRegistry::Instance().Load(Case("bad_state"), "");
  EXPECT_GE_ERROR(Model::Compile(*net.graph, Plain()), GE_FAILED,
                  "ReduceSum 'sum': engine CaseEngine gave a state alias of input 0, DT_FLOAT [2, 3], and output 0, "
                  "DT_FLOAT [3]");
}

}  // namespace
}  // namespace gec
