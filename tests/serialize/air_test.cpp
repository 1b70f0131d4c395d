// AIR files: what comes back is what went in, and nothing else is accepted.
#include "core/serialize/air.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "core/dump/dump.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/serialize/offline_file.h"
#include "ge/graph.h"
#include "ge/model.h"

using namespace gec;

namespace {

// One of everything a graph can hold.
GraphPtr Everything() {
  using L = AttrValue;
  GraphPtr g = Graph::Create("root");
  Node *x = MakeNode(*g, "Data", "x");
  g->SetAttr(x, "index", 0);
  TensorDesc desc(C_DT_FLOAT16, Shape{1, -1, 8, 8}, C_FORMAT_NCHW);
  desc.format = C_FORMAT_NC1HWC0;
  desc.shape = Shape{1, -1, 8, 8, 16};
  g->SetOutputDesc(x, 0, desc);
  g->SetOutputAttr(x, 0, "port_attr", L::ListInt{1, -2, 3});
  Node *c = MakeConst(*g, Tensor::Of<float>(C_DT_FLOAT, Shape{2, 2}, {1, -0.0f, 3, 4}), "weights");
  Node *empty = MakeNode(*g, "Const", "empty");
  g->SetAttr(empty, "value", std::make_shared<Tensor>());
  Node *add = MakeNode(*g, "Add", "sum: of \"x\"");
  g->Connect({x, 0}, add, 0);
  g->Connect({c, 0}, add, 1);
  g->SetInputDesc(add, 1, TensorDesc(C_DT_FLOAT, Shape::UnknownRank()));
  g->SetLineage(add, {"a", "b"}, {"SomePass"});
  g->SetAttr(add, "_int", INT64_MIN);
  g->SetAttr(add, "_float", -0.5f);
  g->SetAttr(add, "_bool", true);
  g->SetAttr(add, "_false", false);
  g->SetAttr(add, "_text", std::string("with \0 zero", 11));
  g->SetAttr(add, "_none", "");
  g->SetAttr(add, "_type", DataTypeValue{C_DT_BF16});
  g->SetAttr(add, "_bytes", Bytes{{0, 255, 7}});
  g->SetAttr(add, "_ints", L::ListInt{INT64_MAX, 0, -1});
  g->SetAttr(add, "_no_ints", L::ListInt{});
  g->SetAttr(add, "_floats", L::ListFloat{1.5f, -2});
  g->SetAttr(add, "_bools", L::ListBool{1, 0, 1});
  g->SetAttr(add, "_texts", L::ListString{"", "b"});
  g->SetAttr(add, "_types", L::ListType{{C_DT_INT8}, {C_DT_FLOAT}});
  g->SetAttr(add, "_tensors", L::ListTensor{Tensor::Of<int64_t>(C_DT_INT64, Shape{}, {5}), std::make_shared<Tensor>()});
  g->SetAttr(add, "_int_rows", L::ListListInt{{1, 2}, {}, {3}});
  g->SetAttr(add, "_float_rows", L::ListListFloat{{0.5f}, {}});
  Node *branch = MakeNode(*g, "If", "choose", {1}, {1});
  g->Connect({add, 0}, branch, 0);
  g->Connect({x, 0}, branch, 1);
  for (const char *slot : {"then_branch", "else_branch"}) {
    GraphPtr sub = Graph::Create(std::string("sub_") + slot);
    Node *in = MakeNode(*sub, "Data", "in");
    sub->SetAttr(in, "index", 0);
    sub->SetOutputs({{in, 0}});
    g->AttachSubgraph(branch, slot, sub);
  }
  Node *last = MakeNode(*g, "NoOp", "last");
  g->AddControl(branch, last);
  g->AddControl(add, last);
  g->SetGraphAttr("_note", "kept");
  g->SetOutputs({{branch, 0}, {add, 0}});
  return g;
}

TEST(Air, RoundTripKeepsEverything) {
  GraphPtr g = Everything(), loaded = Graph::Create("other");
  MakeNode(*loaded, "Relu", "old");
  loaded->SetGraphAttr("_old", 1);
  std::string bytes = AirBytes(*g);
  LoadAirBytes(*loaded, bytes.data(), bytes.size());
  EXPECT_EQ(AirBytes(*loaded), bytes);
  EXPECT_EQ(DumpReadable(*loaded), DumpReadable(*g));
  EXPECT_EQ(DumpTxt(*loaded), DumpTxt(*g));
  EXPECT_EQ(loaded->name(), "root");
  EXPECT_EQ(loaded->Find("old"), nullptr);
  EXPECT_EQ(loaded->attrs(), g->attrs());
  Node *add = loaded->Find("sum: of \"x\"");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->attrs(), g->Find("sum: of \"x\"")->attrs());
  EXPECT_EQ(&add->ir(), &g->Find("sum: of \"x\"")->ir());  // registered here: the same prototype
  EXPECT_EQ(add->OriginText(), "a,b");
  EXPECT_EQ(add->passes(), PassNames{Symbol("SomePass")});
  EXPECT_EQ(loaded->Find("last")->control_inputs().size(), 2u);
  EXPECT_EQ(loaded->FindSubgraph("sub_then_branch")->parent(), loaded.get());
  TensorPtr w = ConstantInput(*add, 1);
  ASSERT_TRUE(w);
  EXPECT_TRUE(std::signbit(w->as<float>()[1]));
  EXPECT_EQ(loaded->Find("x")->output_desc(0).origin_shape, (Shape{1, -1, 8, 8}));
}

// "x" three times, and once a name that a file would take for the second.
GraphPtr Repeated() {
  GraphPtr g = Graph::Create("repeated");
  const IrDef *data = OpRegistry::Instance().Get("Data"), *sub = OpRegistry::Instance().Get("Sub");
  Node *x = g->AddNode(data, "x"), *other = g->AddNode(data, "x"), *difference = g->AddNode(sub, "x");
  Node *last = g->AddNode(sub, "x#2");
  g->SetAttr(x, "index", 0);
  g->SetAttr(other, "index", 1);
  g->Connect({other, 0}, difference, 0);
  g->Connect({x, 0}, difference, 1);
  g->Connect({difference, 0}, last, 0);
  g->Connect({other, 0}, last, 1);
  g->AddControl(difference, last);
  g->SetOutputs({{difference, 0}, {last, 0}});
  return g;
}

TEST(Air, NamesMayRepeat) {
  GraphPtr g = Repeated(), loaded = Graph::Create("other");
  std::string bytes = AirBytes(*g);
  LoadAirBytes(*loaded, bytes.data(), bytes.size());
  EXPECT_EQ(AirBytes(*loaded), bytes);
  std::vector<Node *> nodes = loaded->Nodes();
  ASSERT_EQ(nodes.size(), 4u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(nodes[i]->name(), "x") << i;
  EXPECT_EQ(nodes[3]->name(), "x#2");
  EXPECT_EQ(loaded->Find("x"), nodes[0]);
  EXPECT_EQ(nodes[2]->input(0), (Endpoint{nodes[1], 0}));
  EXPECT_EQ(nodes[2]->input(1), (Endpoint{nodes[0], 0}));
  EXPECT_EQ(nodes[3]->input(0), (Endpoint{nodes[2], 0}));
  EXPECT_EQ(nodes[3]->control_inputs(), std::vector<Node *>{nodes[2]});
  EXPECT_EQ(loaded->Outputs(), (std::vector<Endpoint>{{nodes[2], 0}, {nodes[3], 0}}));
  EXPECT_EQ(DumpReadable(*g),
            "graph(\"repeated\"):\n"
            "  %x : [#users=1] = Node[type=Data] (attrs = {index: 0})\n"
            "  %x#3 : [#users=1] = Node[type=Data] (attrs = {index: 1})\n"
            "  %x#4 : [#users=1] = Node[type=Sub] (inputs = (x1=%x#3, x2=%x))\n"
            "  %x#2 : [#users=1] = Node[type=Sub] (inputs = (x1=%x#4, x2=%x#3))\n"
            "\n"
            "  return (output_0=%x#4, output_1=%x#2)");
}

// Older libraries refuse a graph with a repeated name: in a file the name that edges speak of occurs once.
TEST(Air, NamesInAFileAreUnique) {
  GraphPtr g = Graph::Create("g");
  MakeNode(*g, "Data", "one");
  MakeNode(*g, "Data", "two");
  std::string bytes = AirBytes(*g);
  bytes.replace(bytes.rfind("two"), 3, "one");
  GraphPtr loaded = Graph::Create("other");
  try {
    LoadAirBytes(*loaded, bytes.data(), bytes.size());
    ADD_FAILURE() << "loaded";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_MODEL_INVALID);
    EXPECT_NE(std::string(e.what()).find("two nodes of graph 'g' are called 'one'"), std::string::npos) << e.what();
  }
}

TEST(Air, PrototypesThatAreNotRegisteredTravelInTheFile) {
  GeIrPort in{"first", GE_IR_DYNAMIC, 0, "TensorType::ALL()"}, out{"result", GE_IR_REQUIRED, 0, "T"};
  GeIrAttr attr{};
  attr.value.name = "factor";
  attr.value.type = C_VT_FLOAT;
  attr.value.f = 2.5;
  GeOpSchema schema{};
  schema.struct_size = sizeof schema;
  schema.type = "AirTestForeignOp";
  schema.inputs = &in;
  schema.input_count = 1;
  schema.outputs = &out;
  schema.output_count = 1;
  schema.attrs = &attr;
  schema.attr_count = 1;
  GraphPtr g = Graph::Create("g"), loaded = Graph::Create("h");
  int32_t three = 3;
  g->AddNode(InternSchema(&schema), "n", &three, 1);
  std::string bytes = AirBytes(*g);
  LoadAirBytes(*loaded, bytes.data(), bytes.size());
  Node *n = loaded->Find("n");
  ASSERT_NE(n, nullptr);
  EXPECT_EQ(n->input_count(), 3u);
  EXPECT_EQ(n->ir().inputs[0].name.view(), "first");
  EXPECT_FLOAT_EQ(n->Float("factor"), 2.5f);
  EXPECT_EQ(AirBytes(*loaded), bytes);
}

class AirFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/ge_air_XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(AirFile, IsWrittenCompletelyOrNotAtAll) {
  GraphPtr g = Everything();
  std::string path = folder_ / "g.air";
  SaveAir(*g, path);
  SaveAir(*g, path);  // replaces
  GraphPtr loaded = Graph::Create("h");
  LoadAir(*loaded, path);
  EXPECT_EQ(AirBytes(*loaded), AirBytes(*g));
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1u);  // no temporary file stays
  EXPECT_THROW(SaveAir(*g, folder_ / "none" / "g.air"), Error);
  EXPECT_THROW(SaveAir(*g, folder_), Error);  // a folder is in the way
  files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(AirFile, AFailedLoadChangesNothing) {
  GraphPtr g = Everything();
  std::string before = AirBytes(*g), path = folder_ / "bad.air";
  std::ofstream(path) << AirBytes(*g).substr(0, 300);
  try {
    LoadAir(*g, path);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_MODEL_INVALID);
    EXPECT_NE(std::string(e.what()).find("bad.air"), std::string::npos);
  }
  EXPECT_EQ(AirBytes(*g), before);
  EXPECT_THROW(LoadAir(*g, folder_ / "none.air"), Error);
  EXPECT_THROW(LoadAir(*g, folder_), Error);
  EXPECT_THROW(LoadAir(*g->FindSubgraph("sub_then_branch"), path), Error);
  EXPECT_EQ(AirBytes(*g), before);
}

TEST_F(AirFile, ThroughTheCInterface) {
  GeGraph *g = nullptr, *h = nullptr;
  ASSERT_EQ(GeGraphCreate("first", &g), GE_SUCCESS);
  ASSERT_EQ(GeGraphCreate("second", &h), GE_SUCCESS);
  GeNodeSpec spec{};
  spec.struct_size = sizeof spec;
  spec.type = "Relu";
  spec.name = "act";
  GeNode *node = nullptr;
  ASSERT_EQ(GeGraphAddNode(g, &spec, &node), GE_SUCCESS);
  std::string path = folder_ / "c.air";
  EXPECT_EQ(GeGraphSave(g, path.c_str()), GE_SUCCESS);
  EXPECT_EQ(GeGraphLoad(h, path.c_str()), GE_SUCCESS);
  EXPECT_STREQ(GeGraphName(h), "first");
  EXPECT_EQ(GeGraphFindNode(h, "act", &node), GE_SUCCESS);
  EXPECT_EQ(GeGraphSave(nullptr, path.c_str()), GE_PARAM_INVALID);
  EXPECT_EQ(GeGraphSave(g, nullptr), GE_PARAM_INVALID);
  EXPECT_EQ(GeGraphLoad(h, (folder_ / "none").c_str()), GE_PATH_INVALID);
  EXPECT_EQ(GeGraphDump(
                h, 77, [](void *, const char *, size_t) {}, nullptr),
            GE_PARAM_INVALID);
  EXPECT_EQ(GeGraphDump(h, GE_DUMP_TXT, nullptr, nullptr), GE_PARAM_INVALID);
  std::string text;
  GeTextFn collect = [](void *user, const char *t, size_t n) { static_cast<std::string *>(user)->append(t, n); };
  EXPECT_EQ(GeGraphDump(h, GE_DUMP_READABLE, collect, &text), GE_SUCCESS);
  EXPECT_EQ(text, "graph(\"first\"):\n  %act : [#users=1] = Node[type=Relu] ()");
  GeGraphDestroy(g);
  GeGraphDestroy(h);
}

std::string Content(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(AirFile, AWriteThatFailsLeavesWhatWasThere) {
  const std::filesystem::path kept = folder_ / "kept", fresh = folder_ / "fresh", link = folder_ / "link";
  std::ofstream(kept) << "old";
  std::filesystem::create_symlink(kept, link);
  const std::string text(100000, 'x');
  auto write = [&](const std::string &path) {
    FileWriter file(path);
    file.Write(text.data(), text.size());
    file.Commit();
  };
  {  // a file system that is full in the middle: the limit on file sizes acts alike
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    auto *handler = signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 5000;
    setrlimit(RLIMIT_FSIZE, &small);
    for (const auto &path : {kept, fresh, link}) EXPECT_THROW(write(path), Error) << path;
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
  }
  EXPECT_EQ(Content(kept), "old");
  EXPECT_FALSE(std::filesystem::exists(fresh));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 2);  // nothing lies beside
  std::filesystem::permissions(kept, std::filesystem::perms(0600));
  write(link);  // what the link leads to is replaced
  EXPECT_EQ(Content(kept), text);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::status(kept).permissions(), std::filesystem::perms(0600));
}

// A pattern may be kept with constants that stand for any; a model may not.
TEST(Air, ConstantsWithoutValueAreRefusedByVerify) {
  GraphPtr g = Graph::Create("g"), loaded = Graph::Create("loaded");
  Node *c = MakeNode(*g, "Const", "weights");
  g->SetOutputDesc(c, 0, TensorDesc(C_DT_FLOAT, Shape{1000000}));
  g->SetOutputs({{c, 0}});
  const std::string air = AirBytes(*g), om = OfflineBytes({g, {}});
  const char *kMessage = "graph 'g': Const 'weights': the constant has no value";
  try {
    LoadAirBytes(*loaded, air.data(), air.size());
    loaded->Verify();
    ADD_FAILURE() << "accepted";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), GE_GRAPH_INVALID);
    EXPECT_NE(std::string(e.what()).find(kMessage), std::string::npos) << e.what();
  }
  GeModel *model = nullptr;
  EXPECT_EQ(GeCompileBuffer(om.data(), om.size(), nullptr, nullptr, &model), GE_GRAPH_INVALID);
  EXPECT_NE(std::string(GeLastErrorMessage()).find(kMessage), std::string::npos) << GeLastErrorMessage();
}

TEST(FileWriter, LeftOversOfKilledWritersGo) {
  const std::string folder = testing::TempDir() + "left_overs";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string target = folder + "/model.om";
  const pid_t child = fork();
  if (child == 0) {
    FileWriter file(target);
    file.Write("half", 4);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const std::string left = Str(target, ".tmp.", child, ".");
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  };
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(files()[0].find(std::filesystem::path(left).filename()), 0u);
  // Of a process that lives, of another file, and of no writer.
  const std::vector<std::string> others = {Str("model.om.tmp.", getpid(), ".77"), Str("other.om.tmp.", child, ".0"),
                                           Str("model.om.tmp.", child, ".0.txt"), "model.om.tmp.x.0"};
  for (const std::string &name : others) std::ofstream(folder + "/" + name) << "kept";
  {
    FileWriter file(target);
    file.Write("whole", 5);
    file.Commit();
  }
  std::vector<std::string> want = others;
  want.push_back("model.om");
  std::sort(want.begin(), want.end());
  EXPECT_EQ(files(), want);
}

TEST(FileWriter, DevicesAreWrittenAndNotReplaced) {
  const char text[] = "text";
  for (const char *path : {"/dev/null", "/dev/full"}) {
    try {
      FileWriter file(path);
      file.Write(text, sizeof text);
      file.Commit();
      EXPECT_STREQ(path, "/dev/null");
    } catch (const Error &e) {
      EXPECT_STREQ(path, "/dev/full");
      EXPECT_EQ(e.code(), GE_PATH_INVALID);
      EXPECT_STREQ(e.what(), "cannot write '/dev/full': No space left on device");
    }
    EXPECT_TRUE(std::filesystem::is_character_file(path));
  }
  EXPECT_THROW(FileWriter("/"), Error);
}

TEST(Air, DamagedFilesAreRefusedOrLoaded) {
  std::string sound = AirBytes(*Everything());
  GraphPtr g = Graph::Create("g");
  for (size_t n = 0; n < sound.size(); ++n) EXPECT_THROW(LoadAirBytes(*g, sound.data(), n), Error) << n;
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string bytes = sound;
    for (size_t n = random() % 4 + 1; n > 0 && !bytes.empty(); --n) {
      size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, random() % 6 + 1);
          break;
        case 2:
          bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 30 + 1));
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      }
    }
    try {
      LoadAirBytes(*g, bytes.data(), bytes.size());
      AirBytes(*g);
      DumpReadable(*g);
    } catch (const Error &e) {
      ++refused;
      EXPECT_EQ(e.code(), GE_MODEL_INVALID) << e.what();
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
