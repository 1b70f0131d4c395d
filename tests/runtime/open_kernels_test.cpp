// Kernels that serve all sizes of a class: made once with open extents, called with the actual ones. The engine of
// these tests adds rows of a matrix to a vector of which only a run knows the length.
#include <stdexcept>
#include <tuple>

#include "core/placement/registry.h"
#include "core/support/warnings.h"
#include "ge/engine.h"
#include "net.h"

namespace gec {
namespace {

struct OpenScript {
  GeStatus answer = GE_SUCCESS;
  uint32_t flags = 0;
  std::function<GeStatus(uint64_t *)> workspace;  // empty: 4096 bytes a row
  size_t open = 0, exact = 0;
  std::vector<GeOpenExtent> x, y;          // what was said of input 0 and output 0
  std::vector<int64_t> dims;               // of the nodes it was asked for
  std::vector<std::vector<int64_t>> runs;  // extents of input 0 by run
};
OpenScript *open_script = nullptr;
const GeEngineHost *open_host = nullptr;

void AddRows(const float *a, const float *b, float *y, int64_t rows, int64_t row) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < row; ++i) y[r * row + i] = a[r * row + i] + b[i];
}

GeStatus CreateExact(void *, const GeOpDesc *op, const GeKernelEnv *, GeKernel *out) {
  ++open_script->exact;
  struct Sizes {
    int64_t rows, row;
  };
  out->state = new Sizes{op->inputs[0].dims[0], op->inputs[0].dims[1]};
  out->destroy = [](void *state) { delete static_cast<Sizes *>(state); };
  out->run = [](void *state, const GeKernelArgs *args) -> GeStatus {
    const Sizes &s = *static_cast<Sizes *>(state);
    EXPECT_EQ(args->input_dims, nullptr);
    AddRows(static_cast<const float *>(args->inputs[0]), static_cast<const float *>(args->inputs[1]),
            static_cast<float *>(args->outputs[0]), s.rows, s.row);
    return GE_SUCCESS;
  };
  return GE_SUCCESS;
}

GeStatus CreateOpen(void *, const GeOpDesc *op, const GeOpenExtents *extents, const GeKernelEnv *env, GeKernel *out) {
  ++open_script->open;
  open_script->dims.assign(op->inputs[0].dims, op->inputs[0].dims + op->inputs[0].rank);
  open_script->x.assign(extents->inputs[0], extents->inputs[0] + op->inputs[0].rank);
  open_script->y.assign(extents->outputs[0], extents->outputs[0] + op->outputs[0].rank);
  if (open_script->answer != GE_SUCCESS) return env->fail(open_script->answer, "not for all sizes");
  out->flags = open_script->flags;
  out->workspace_for = [](void *, const int64_t *const *inputs, const int64_t *const *outputs,
                          uint64_t *bytes) -> GeStatus {
    EXPECT_EQ(inputs[0][0], outputs[0][0]);
    if (open_script->workspace) return open_script->workspace(bytes);
    *bytes = static_cast<uint64_t>(inputs[0][0]) * 4096;
    return GE_SUCCESS;
  };
  out->run = [](void *, const GeKernelArgs *args) -> GeStatus {
    const int64_t rows = args->input_dims[0][0], row = args->input_dims[0][1];
    open_script->runs.push_back({rows, row});
    EXPECT_EQ(args->input_dims[1][0], row);
    EXPECT_EQ(args->output_dims[0][0], rows);
    std::memset(args->workspace, 0x55, static_cast<size_t>(rows) * 4096);  // all of it is there
    AddRows(static_cast<const float *>(args->inputs[0]), static_cast<const float *>(args->inputs[1]),
            static_cast<float *>(args->outputs[0]), rows, row);
    return GE_SUCCESS;
  };
  out->implementation = "test:open";
  return GE_SUCCESS;
}

class OpenKernelsTest : public testing::Test {
 protected:
  OpenKernelsTest() {
    open_script = &script_;
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = "OpenEngine";
    table.open = [](const GeEngineHost *host, const char *, const char *, void **) -> GeStatus {
      open_host = host;
      return GE_SUCCESS;
    };
    table.check = [](void *, const GeOpDesc *op, char *reason, size_t capacity) -> GeStatus {
      if (std::string(op->type) == "Add") return GE_SUCCESS;
      std::snprintf(reason, capacity, "only Add");
      return GE_UNSUPPORTED;
    };
    table.create_kernel = CreateExact;
    table.create_open_kernel = CreateOpen;
    EngineRegistry::Instance().Register(&table, "");
  }
  ~OpenKernelsTest() override {
    EngineRegistry::Instance().Unload("OpenEngine");
    open_script = nullptr;
  }

  /// Tanh(x + b), with x of unknown rows and b of three.
  static Net Example() {
    Net net;
    Endpoint sum = net.Out("Add", {net.Input({-1, 3}), net.Const(Array::F({3}, {1, 2, 3}))}, "add");
    net.Outputs({net.Out("Neg", {sum})});
    return net;
  }
  static void ExpectRight(RunContext &context, int64_t rows) {
    std::vector<float> x, want;
    for (int64_t i = 0; i < rows * 3; ++i) {
      x.push_back(static_cast<float>(i) / 2);
      want.push_back(-(x.back() + static_cast<float>(1 + i % 3)));
    }
    EXPECT_EQ(RunAll(context, {Array::F({rows, 3}, x)})[0].Floats(), want) << rows;
  }
  OpenScript script_;
};

TEST_F(OpenKernelsTest, OneKernelServesAllSizesOfAClass) {
  Net net = Example();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model), other(model);
  for (int64_t rows : {4, 7, 300, 5, 7}) ExpectRight(context, rows);
  ExpectRight(other, 7);
  ExpectRight(other, 31);
  EXPECT_EQ(script_.exact, 1u);  // the first size makes the class
  EXPECT_EQ(script_.open, 1u);
  EXPECT_EQ(script_.runs, (std::vector<std::vector<int64_t>>{{7, 3}, {300, 3}, {5, 3}, {7, 3}, {7, 3}, {31, 3}}));
  EXPECT_EQ(script_.dims, (std::vector<int64_t>{-1, 3}));
  ASSERT_EQ(script_.x.size(), 2u);
  EXPECT_EQ(script_.x[0].low, 2);
  EXPECT_EQ(script_.x[0].high, -1);
  EXPECT_GE(script_.x[0].symbol, 0);
  EXPECT_EQ(script_.x[0].symbol, script_.y[0].symbol);
  EXPECT_EQ(script_.x[1].low, 3);
  EXPECT_EQ(script_.x[1].high, 3);
  EXPECT_EQ(script_.x[1].symbol, -1);
  EXPECT_EQ(script_.x[0].multiple, 1);
  EXPECT_EQ(script_.x[1].multiple, 3);
  EXPECT_NE(model->ReportJson().find("\"open_kernels\":2"), std::string::npos) << model->ReportJson();  // Neg's, too
  EXPECT_EQ(model->Placement()[0].implementation, "test:open");
}

TEST_F(OpenKernelsTest, WithoutOneEachSizeHasItsOwn) {
  for (GeStatus answer : {GE_UNSUPPORTED, GE_FAILED}) {
    script_ = {};
    script_.answer = answer;
    Net net = Example();
    ModelPtr model = Model::Compile(*net.graph, Opts());
    RunContext context(model);
    for (int64_t rows : {4, 7, 5}) ExpectRight(context, rows);
    EXPECT_EQ(script_.open, 1u) << answer;
    EXPECT_EQ(script_.exact, 3u) << answer;
    EXPECT_NE(model->ReportJson().find("\"plans\":2,\"open_kernels\":1"), std::string::npos)  // the class goes on
        << model->ReportJson();
  }
}

TEST_F(OpenKernelsTest, BoundsOfInputsAreThoseOfTheKernel) {
  Net net = Example();
  ModelPtr model = Model::Compile(*net.graph, Opts({{"input_shape_range", "x0:[4~32,3]"}}));
  RunContext context(model);
  for (int64_t rows : {4, 7, 32}) ExpectRight(context, rows);
  EXPECT_EQ(script_.x[0].low, 4);
  EXPECT_EQ(script_.x[0].high, 32);
  EXPECT_GE_ERROR(RunAll(context, {Array::F({33, 3}, std::vector<float>(99))}), GE_DATA_MISMATCH, "from 4 to 32");
}

TEST_F(OpenKernelsTest, AKernelThatMakesItsOwnShapesIsRefused) {
  script_.flags = GE_KERNEL_DATA_DEPENDENT;
  Net net = Example();
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  for (int64_t rows : {4, 7, 5}) ExpectRight(context, rows);
  EXPECT_TRUE(script_.runs.empty());
}

TEST_F(OpenKernelsTest, AWorkspaceThatCannotBeToldIsTold) {
  const std::tuple<const char *, std::function<GeStatus(uint64_t *)>, const char *> cases[] = {
      {"failing", [](uint64_t *) { return open_host->fail(GE_FAILED, "the table is lost"); },
       "Add 'failing': engine OpenEngine could not tell its workspace: the table is lost"},
      {"silent", [](uint64_t *) { return GeStatus(GE_UNSUPPORTED); },
       "Add 'silent': engine OpenEngine could not tell its workspace: status "},
      {"throwing", [](uint64_t *) -> GeStatus { throw std::runtime_error("no idea"); },
       "Add 'throwing': engine OpenEngine could not tell its workspace: engine OpenEngine threw an exception in "
       "workspace_for: no idea"},
      {"greedy", [](uint64_t *bytes) { return *bytes = UINT64_MAX - 7, GeStatus(GE_SUCCESS); },
       "Add 'greedy': engine OpenEngine asks for a workspace of 18446744073709551608 bytes, at most 1099511627776"},
  };
  for (const auto &[name, workspace, text] : cases) {
    script_ = {};
    script_.workspace = workspace;
    TakeWarnings();
    Net net;
    net.Outputs({net.Out("Neg", {net.Out("Add", {net.Input({-1, 3}), net.Const(Array::F({3}, {1, 2, 3}))}, name)})});
    ModelPtr model = Model::Compile(*net.graph, Opts());
    RunContext context(model);
    for (int64_t rows : {4, 7, 5, 9}) ExpectRight(context, rows);
    EXPECT_TRUE(script_.runs.empty());
    const std::string report = model->ReportJson(), classes = report.substr(report.find("\"size_classes\""));
    EXPECT_NE(classes.find(Str("\"refusal\":\"", text)), std::string::npos) << classes;
    const std::string warnings = TakeWarnings();
    const size_t at = warnings.find(text);
    EXPECT_NE(at, std::string::npos) << warnings;
    EXPECT_NE(warnings.find("each size gets a plan of its own", at), std::string::npos) << warnings;
    EXPECT_EQ(warnings.find(text, at + 1), std::string::npos) << warnings;  // once
  }
}

TEST_F(OpenKernelsTest, ExactPlansUseNone) {
  Net net = Example();
  ModelPtr model = Model::Compile(*net.graph, Opts({{"general_plans", "0"}}));
  RunContext context(model);
  for (int64_t rows : {4, 7, 5}) ExpectRight(context, rows);
  EXPECT_EQ(script_.open, 0u);
  EXPECT_EQ(script_.exact, 3u);
}

}  // namespace
}  // namespace gec
