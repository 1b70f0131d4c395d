// Engines whose kernels throw, or say what cannot be: an error that names engine, node and value, and the next run is
// right.
#include <cmath>
#include <stdexcept>

#include "core/placement/registry.h"
#include "ge/engine.h"
#include "net.h"
#include "runtime/profiler.h"

namespace gec {
namespace {

struct BadScript {
  std::function<void(GeKernel *)> spoil = [](GeKernel *) {};
  std::function<GeStatus(const GeKernelArgs *)> run;  // empty: y = -x
  std::string type = "Neg";                           // of the nodes that it takes
};
BadScript *bad_script = nullptr;
const GeEngineHost *bad_host = nullptr;

class BadKernels : public testing::Test {
 protected:
  BadKernels() {
    bad_script = &script_;
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = "BadKernels";
    table.open = [](const GeEngineHost *host, const char *, const char *, void **) -> GeStatus {
      bad_host = host;
      return GE_SUCCESS;
    };
    table.check = [](void *, const GeOpDesc *op, char *, size_t) -> GeStatus {
      return op->type == bad_script->type ? GE_SUCCESS : GE_UNSUPPORTED;
    };
    table.create_kernel = [](void *, const GeOpDesc *op, const GeKernelEnv *, GeKernel *out) -> GeStatus {
      int64_t count = 1;
      for (int32_t d = 0; d < op->outputs[0].rank; ++d) count *= op->outputs[0].dims[d];
      out->state = reinterpret_cast<void *>(count);
      out->run = [](void *state, const GeKernelArgs *args) -> GeStatus {
        if (bad_script->run) return bad_script->run(args);
        for (int64_t i = 0; i < reinterpret_cast<int64_t>(state); ++i)
          static_cast<float *>(args->outputs[0])[i] = -static_cast<const float *>(args->inputs[0])[i];
        return GE_SUCCESS;
      };
      bad_script->spoil(out);
      return GE_SUCCESS;
    };
    EngineRegistry::Instance().Register(&table, "");
  }
  ~BadKernels() override {
    EngineRegistry::Instance().Unload("BadKernels");
    bad_script = nullptr;
  }

  /// -x; with `choosing` a graph that runs node by node.
  static Net Example(std::vector<int64_t> dims, bool choosing) {
    Net net;
    const Endpoint x = net.Input(std::move(dims));
    std::vector<Endpoint> outputs{net.Out("Neg", {x}, "turned")};
    if (choosing) outputs.push_back(net.Out("NonZero", {x}));
    net.Outputs(outputs);
    return net;
  }
  static ModelPtr Compiled(std::vector<int64_t> dims, bool choosing) {
    return Model::Compile(*Example(std::move(dims), choosing).graph, Opts({{"islands", "0"}}));
  }
  static Array Feed() { return Array::F({4}, {1, -2, 3, -4}); }
  static void ExpectRight(RunContext &context) {
    EXPECT_EQ(RunAll(context, {Feed()})[0].Floats(), (std::vector<float>{-1, 2, -3, 4}));
  }
  BadScript script_;
};

TEST_F(BadKernels, WhatAKernelThrowsNamesEngineAndNode) {
  for (const bool choosing : {false, true}) {
    for (const int64_t extent : {4, -1}) {
      RunContext context(Compiled({extent}, choosing));
      const auto throwing = [&](const char *text, std::function<GeStatus(const GeKernelArgs *)> run) {
        script_.run = std::move(run);
        EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, text);
        EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, "'turned' failed on BadKernels");
        Profiler profiler;
        EXPECT_GE_ERROR(RunAll(context, {Feed()}, &profiler), GE_FAILED, text);
        script_.run = nullptr;
        ExpectRight(context);
      };
      throwing("engine BadKernels threw an exception in run: the fan stopped",
               [](const GeKernelArgs *) -> GeStatus { throw std::runtime_error("the fan stopped"); });
      throwing("engine BadKernels threw an unknown exception in run",
               [](const GeKernelArgs *) -> GeStatus { throw 5; });
    }
  }
}

TEST_F(BadKernels, WhatCannotBeIsRefusedWithItsValue) {
  const std::pair<std::function<void(GeKernel *)>, const char *> cases[] = {
      {[](GeKernel *k) { k->alias_count = 1; }, "alias_count 1 whose aliases are null"},
      {[](GeKernel *k) { k->flags = GE_KERNEL_DATA_DEPENDENT, k->workspace_bytes = 64; }, "output_bytes is null"},
      {[](GeKernel *k) { k->workspace_bytes = UINT64_MAX - 63; }, "18446744073709551552 bytes"},
      {[](GeKernel *k) { k->flops_type = 999; }, "flops_type 999"},
      {[](GeKernel *k) { k->flops_type = C_DT_STRING; }, "which is no type of numbers"},
  };
  for (const auto &[spoil, text] : cases) {
    script_.spoil = spoil;
    EXPECT_GE_ERROR(Compiled({4}, false), GE_FAILED, text);
    EXPECT_GE_ERROR(Compiled({4}, false), GE_FAILED, "engine BadKernels");
    script_.spoil = [](GeKernel *) {};
    RunContext context(Compiled({4}, false));
    ExpectRight(context);
  }
}

TEST_F(BadKernels, AViewOutsideItsInputIsRefusedInEveryRun) {
  static const GeAlias outside{GE_ALIAS_OUTPUT_IN_INPUT, 0, 0, 0, 4096};
  script_.spoil = [](GeKernel *k) {
    k->flags = GE_KERNEL_VIEW;
    k->aliases = &outside;
    k->alias_count = 1;
  };
  RunContext context(Compiled({-1}, true));
  EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED,
                  "engine BadKernels says that output 0, 16 bytes, lies at 4096 in input 0, which has 16");
}

/// The header says of aliases other than these two that run is called.
TEST_F(BadKernels, AViewIsRunWhereItsOutputLiesInNoInput) {
  for (const int32_t kind : {GE_ALIAS_IN_PLACE, GE_ALIAS_STATE}) {
    static GeAlias alias{};
    alias = {kind, 0, 0, 0, 0};
    script_.spoil = [](GeKernel *k) { k->flags = GE_KERNEL_VIEW, k->aliases = &alias, k->alias_count = 1; };
    for (const bool choosing : {false, true}) {
      RunContext context(Compiled({4}, choosing));
      ExpectRight(context);
      Net net;  // in the middle of a graph
      const Endpoint turned = net.Out("Neg", {net.Out("Tanh", {net.Input({4})})});
      std::vector<Endpoint> outputs{net.Out("Neg", {net.Out("Exp", {turned})})};
      if (choosing) outputs.push_back(net.Out("NonZero", {turned}));
      net.Outputs(outputs);
      const std::vector<float> got = CompileAndRun(*net.graph, {Feed()}, Opts({{"islands", "0"}}))[0].Floats();
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], -std::exp(-std::tanh(Feed().Floats()[i])), 1e-5f) << kind << ' ' << i;
    }
  }
}

TEST_F(BadKernels, AViewIsRunWhereOneOfItsOutputsLiesInNoInput) {
  static const GeAlias first{GE_ALIAS_OUTPUT_IN_INPUT, 1, 0, 0, 0};
  script_.type = "Split";
  script_.spoil = [](GeKernel *k) { k->flags = GE_KERNEL_VIEW, k->aliases = &first, k->alias_count = 1; };
  script_.run = [](const GeKernelArgs *args) -> GeStatus {
    const float *x = static_cast<const float *>(args->inputs[1]);
    for (size_t half = 0; half < 2; ++half)
      for (size_t i = 0; i < 64; ++i) static_cast<float *>(args->outputs[half])[i] = x[64 * half + i];
    return GE_SUCCESS;
  };
  std::vector<float> x(128);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 16 - 3;
  for (const bool choosing : {false, true}) {
    Net net;
    const Endpoint all = net.Out("Neg", {net.Input({2, 64})});
    Node *split = net.Op("Split", {net.Const(Array::I32({}, {0})), all}, 2, "halves");
    net.graph->SetAttr(split, "num_split", 2);
    net.graph->SetAttr(split, EngineAttr(), AttrValue(std::string("BadKernels")));
    std::vector<Endpoint> outputs{net.Out("Abs", {{split, 0}}), net.Out("Abs", {{split, 1}})};
    if (choosing) outputs.push_back(net.Out("NonZero", {all}));
    net.Outputs(outputs);
    const auto got = CompileAndRun(*net.graph, {Array::F({2, 64}, x)}, Opts({{"islands", "0"}}));
    for (size_t half = 0; half < 2; ++half)
      for (size_t i = 0; i < 64; ++i) EXPECT_EQ(got[half].Floats()[i], std::fabs(x[64 * half + i])) << half << ' ' << i;
  }
}

/// Kernels that report `reported`, rank first, as the shape of their only output.
class BadShapes : public BadKernels {
 protected:
  BadShapes() {
    script_.spoil = [](GeKernel *k) {
      k->flags = GE_KERNEL_DATA_DEPENDENT;
      k->workspace_bytes = 64;
      k->output_bytes = &room_;
    };
    script_.run = [this](const GeKernelArgs *args) -> GeStatus {
      std::memset(args->outputs[0], 0, room_);
      std::memcpy(args->workspace, reported_.data(), reported_.size() * sizeof(int64_t));
      return GE_SUCCESS;
    };
  }
  void ExpectRefused(RunContext &context, std::vector<int64_t> reported, const std::string &text) {
    reported_ = std::move(reported);
    EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, text);
    EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, "'found': the kernel of engine BadKernels reported ");
  }
  static inline const uint64_t room_ = 64;
  std::vector<int64_t> reported_;
};

TEST_F(BadShapes, AreCheckedAgainstRoomAndInference) {
  script_.type = "NonZero";
  Net net;
  net.Outputs({net.Out("NonZero", {net.Input({4})}, "found")});
  RunContext context(Model::Compile(*net.graph, Opts()));
  for (int k = 0; k < 2; ++k) {
    ExpectRefused(context, {2, -5, 1}, "dimension -5 for output 0");
    ExpectRefused(context, {8}, "rank 8 for output 0");
    ExpectRefused(context, {2, INT64_MAX, 1}, "shape [9223372036854775807, 1] for output 0");
    ExpectRefused(context, {2, 9, 1}, "shape [9, 1] for output 0, more than the 64 bytes it asked for");
    ExpectRefused(context, {1, 4}, "shape [4] for output 0, inference knows [-1, 1]");
    ExpectRefused(context, {2, 2, 2}, "shape [2, 2] for output 0, inference knows [-1, 1]");
    for (const int64_t count : {0, 3}) {
      reported_ = {2, count, 1};
      EXPECT_EQ(RunAll(context, {Feed()})[0].dims, (std::vector<int64_t>{count, 1}));
    }
  }
}

TEST_F(BadShapes, WhatInferenceKnowsIsNotTheEnginesToChange) {
  for (const int64_t extent : {4, -1}) {
    Net net;
    const Endpoint turned = net.Out("Neg", {net.Input({extent})}, "found");
    net.Outputs({net.Out("Tanh", {turned}), turned});
    RunContext context(Model::Compile(*net.graph, Opts()));
    ExpectRefused(context, {1, 2}, "shape [2] for output 0, inference knows [4]");
    ExpectRefused(context, {1, 0}, "shape [0] for output 0, inference knows [4]");
    ExpectRefused(context, {1, 5}, "shape [5] for output 0, inference knows [4]");
    ExpectRefused(context, {2, 2, 2}, "shape [2, 2] for output 0, inference knows [4]");
    reported_ = {1, 4};
    EXPECT_EQ(RunAll(context, {Feed()})[1].dims, (std::vector<int64_t>{4}));
  }
}

/// A kernel that tells a text and succeeds all the same says nothing about the one that fails next.
TEST_F(BadKernels, AFailureWithoutATextBorrowsNoOther) {
  size_t calls = 0;
  script_.run = [&](const GeKernelArgs *args) -> GeStatus {
    if (calls++ % 2) return GE_FAILED;
    bad_host->fail(GE_FAILED, "the text of the first");
    std::memcpy(args->outputs[0], args->inputs[0], 4 * sizeof(float));
    return GE_SUCCESS;
  };
  for (const bool choosing : {false, true}) {
    Net net;
    std::vector<Endpoint> outputs{
        net.Out("Neg", {net.Out("Tanh", {net.Out("Neg", {net.Input({4})}, "first")})}, "second")};
    if (choosing) outputs.push_back(net.Out("NonZero", {outputs[0]}));
    net.Outputs(outputs);
    RunContext context(Model::Compile(*net.graph, Opts({{"islands", "0"}})));
    const std::string text = Str("Neg 'second' failed on BadKernels: status ", GE_FAILED, " without a message");
    calls = 0;
    EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, text);
    Profiler profiler;
    EXPECT_GE_ERROR(RunAll(context, {Feed()}, &profiler), GE_FAILED, text);
    // Nor does one of an earlier run.
    bad_host->fail(GE_FAILED, "the text of the first");
    calls = 1;
    EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED,
                    Str("Neg 'first' failed on BadKernels: status ", GE_FAILED, " without a message"));
  }
}

TEST_F(BadKernels, AWorkspaceThatIsNotToBeHadLeavesTheContextUsable) {
  bool huge = true;
  script_.spoil = [&](GeKernel *k) { k->workspace_bytes = huge ? uint64_t{1} << 40 : 256; };
  RunContext context(Compiled({-1}, true));
  for (int k = 0; k < 2; ++k) EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_OUT_OF_MEMORY, "1099511627776");
  huge = false;  // a kernel for another shape
  EXPECT_EQ(RunAll(context, {Array::F({2}, {5, 0})})[0].Floats(), (std::vector<float>{-5, 0}));
}

}  // namespace
}  // namespace gec
